//! Which properties can be looked for in a program with written store buffers (`ir::pass::write_buffers`)?
//!
//! What goes wrong in one step, and deadlocks. A race needs two accesses, not the moments when stores reach memory; whether an execution ends depends on which
//! commits a fair machine makes; and what is lost at the end depends on stores that have yet to be made.

use ir::{Properties, Property, Task};

/// Those of the properties that are looked for under the task's memory model.
pub(crate) fn properties(task: &Task, properties: Properties) -> Properties {
    if !task.program.model.has_buffers() {
        return properties;
    }
    let seen = properties.without(Property::Race).without(Property::Termination);
    if task.never_allocates() { seen } else { seen.without(Property::MemTrack).without(Property::MemCleanup) }
}

/// The task with these properties only.
pub(crate) fn only(task: &Task, properties: Properties) -> Task {
    Task { program: task.program.clone(), properties }
}
