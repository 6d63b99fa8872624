//! When does a store become visible to other threads? Memory models of programs: `sc`, `tso` and `pso`, all defined here.
//!
//! Under sequential consistency (`Sc`) a store is in memory at once. Under `Tso` (total store order, as x86 has it) and `Pso` (partial
//! store order) every thread has a **buffer** of stores that memory does not have yet. The interpreter (`interp`) runs these rules;
//! engines must agree with it.
//!
//! - **Stores** that are plain, relaxed or release go to the buffer of their thread. A **commit**, a step of its own that may come at any
//!   time, takes a store out of a buffer and writes it to memory, all its bytes at once. Under `Tso` the oldest store of the buffer is next; under
//!   `Pso` every store is that neither overlaps an older one of the buffer nor stands behind a barrier.
//! - **Loads** of all orders take each byte from the youngest own buffered store that has it, else from memory.
//! - **What drains:** before a read-modify-write, a seq_cst store and a seq_cst fence take effect, before a thread is started and when
//!   an atomic section begins, the thread's own buffer is committed, oldest first. Stores of these kinds, and stores inside of atomic
//!   sections, go to memory directly. This is how x86 implements C11: only seq_cst stores and fences cost a fence. Library models
//!   lock, unlock, wait and signal by read-modify-writes and seq_cst stores, so these drain; unlocking a spin lock is a release store.
//! - **Barriers:** under `Pso` a release store and a release or acq_rel fence put a barrier into the buffer: no store behind it is committed before all
//!   stores in front of it. Under `Tso` the buffer's order says that already. Acquire and relaxed fences do nothing: loads are never late.
//! - **Threads:** one that has ended still commits; it is joined only when its buffer is empty. A join drains nothing. What the process has
//!   not committed when it ends is not lost: leaks are looked for as if it had been.
//! - **Objects** are made and ended at once; neither drains. An access is valid if its object is live when the statement runs; a store whose object
//!   has ended when it is committed is dropped.
//! - **Deadlock** is a state in which all buffers are empty besides. While a thread is in an atomic section nobody commits.
//! - An edge with several accesses is one atomic section. Initial values are those of `Sc`.

use std::fmt;

/// A memory model in the language cat, as it was read. What it means is known to the crate `memory`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Axioms {
    /// Its name on the command line: one that is built in, or a file.
    pub name: String,
    /// The files that it was read from: the name that was asked for, the path and the text.
    pub files: Vec<(String, String, String)>,
    /// How C11's accesses become the events that it talks about: the name of a row of the table of compiler mappings.
    pub mapping: String,
}

/// A memory model for programs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Model {
    /// Sequential consistency.
    #[default]
    Sc,
    /// Total store order.
    Tso,
    /// Partial store order.
    Pso,
    /// The axioms of the program (`Program::axioms`): an execution is a graph that they allow, not an interleaving. The interpreter runs its threads one step
    /// after another, with what reads find given from outside.
    Cat,
}

impl Model {
    /// Those that are interleavings of something, and have a name of their own.
    pub const ALL: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Model::Sc => "sc",
            Model::Tso => "tso",
            Model::Pso => "pso",
            Model::Cat => "cat",
        }
    }

    /// The model of that name.
    pub fn named(name: &str) -> Option<Model> {
        Model::ALL.into_iter().find(|model| model.name() == name)
    }

    /// Whether threads have buffers.
    pub fn has_buffers(self) -> bool {
        matches!(self, Model::Tso | Model::Pso)
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())
    }
}
