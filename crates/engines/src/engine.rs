//! What is an engine? Whoever decides C programs: the trait that each of them implements.
//!
//! It knows no engine; who there is says `table`.

use crate::knob::About;
use crate::run::Run;
use ir::{Model, Properties, Task, Verdict};

/// A decision procedure for C programs.
pub trait Engine: Sync {
    /// Its name and its knobs.
    fn about(&self) -> &'static About;
    /// Its name on the command line.
    fn name(&self) -> &'static str {
        self.about().name
    }
    /// The memory models that it knows.
    fn models(&self) -> &'static [Model] {
        &[Model::Sc]
    }
    /// Those properties of the task that it looks for; it may answer safe only if these are all. None if it refuses the task for one of them.
    fn properties(&self, task: &Task) -> Properties;
    /// Decides the task within the limits of the run.
    fn check(&self, task: &Task, run: &mut Run) -> Verdict;
}
