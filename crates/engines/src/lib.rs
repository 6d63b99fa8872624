//! Who decides a task? Engines: each is one folder here and one line in `ENGINES`.
//!
//! An engine gets a `Task` and a `Run` (limits, cancel flag, knobs, statistics) and gives a `Verdict`. It never prints, never reads
//! the clock for decisions other than its limit, and never imports another engine. What it cannot do is `Unknown(Why)`.
//! `decide` is the only way from an engine's answer to the user: it replays every trace on the reference interpreter.

pub mod abstraction;
pub mod axiomatic;
pub mod bmc;
pub mod cegar;
pub mod certificate;
mod clock;
pub mod decide;
pub mod explicit;
pub mod explore;
pub mod portfolio;
pub mod run;
pub mod symbolic;

pub use decide::{Decided, DecidedOox, decide, decide_oox};
pub use run::{Knob, Run, Statistics};

use ir::{Model, Properties, Task, Verdict};

/// A decision procedure.
pub trait Engine: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// What it does, in one sentence.
    fn describe(&self) -> &'static str;
    /// Its options.
    fn knobs(&self) -> &'static [Knob];
    /// The memory models that it knows.
    fn models(&self) -> &'static [Model] {
        &[Model::Sc]
    }
    /// Those properties of the task that it looks for; it may answer safe only if these are all. None if it refuses the task for one of them.
    fn properties(&self, task: &Task) -> Properties;
    /// Decides the task within the limits of the run.
    fn check(&self, task: &Task, run: &mut Run) -> Verdict;
}

/// All engines, in the order they are shown.
pub static ENGINES: &[&dyn Engine] = &[&explicit::Explicit, &bmc::Bmc, &cegar::Cegar, &symbolic::Symbolic];

/// The engine of that name; the portfolio, which asks the others, has one too.
pub fn engine_named(name: &str) -> Option<&'static dyn Engine> {
    let is_portfolio = name == portfolio::Portfolio.name();
    ENGINES.iter().copied().find(|engine| engine.name() == name).or(is_portfolio.then_some(&portfolio::Portfolio))
}
