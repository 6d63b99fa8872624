//! Who decides a task? Engines: each is one folder here; those for C are lines of [`ENGINES`].
//!
//! An engine gets a task and a [`Run`] (budget, settings, statistics) and gives a `Verdict`. It never prints, never reads
//! the clock for decisions other than its limit, and never imports another engine. What it cannot do is `Unknown(Why)`.
//! [`decide`](fn@decide), `decide_oox` and `decide_litmus` are the only ways from an engine's verdict to the user: there every trace is replayed. [`schedule`](mod@schedule) stands
//! above them and asks several.

pub mod abstraction;
pub mod axiomatic;
pub mod bmc;
mod budget;
pub mod cegar;
pub mod certificate;
mod clock;
pub mod decide;
pub mod explicit;
pub mod explore;
mod knob;
pub mod portfolio;
pub mod run;
pub mod schedule;
pub mod symbolic;

pub use budget::{Budget, memory_in_use};
pub use clock::{PROCESSOR, processor_seconds};
pub use decide::{Checked, Decided, OOX_PROPERTIES, decide, decide_litmus, decide_oox};
pub use knob::{Kind, Knob, Settings};
pub use run::{Run, Statistics};
pub use schedule::{Ask, How, Scheduled, Wrong, schedule};

use ir::{Model, Properties, Task, Verdict};

/// What the command line shows of an engine.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub describe: &'static str,
    /// Its options.
    pub knobs: &'static [Knob],
}

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
    /// Those properties of the task that it looks for; it may answer safe only if these are all.
    fn properties(&self, task: &Task) -> Properties;
    /// Decides the task within the limits of the run.
    fn check(&self, task: &Task, run: &mut Run) -> Verdict;
}

/// The engines for C, in the order they are shown.
pub static ENGINES: &[&dyn Engine] = &[&explicit::Explicit, &bmc::Bmc, &cegar::Cegar];

/// The engines for all languages.
pub fn all() -> Vec<&'static About> {
    ENGINES.iter().map(|engine| engine.about()).chain([&symbolic::ABOUT, &axiomatic::ABOUT]).collect()
}

/// The engine for C of that name.
pub fn engine_named(name: &str) -> Option<&'static dyn Engine> {
    ENGINES.iter().copied().find(|engine| engine.name() == name)
}

/// Settings of the engine of that name, checked against its knobs.
pub fn settings<'a>(engine: &str, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Settings, String> {
    let about = all().into_iter().find(|about| about.name == engine);
    let about = about.ok_or_else(|| format!("there is no engine {engine}"))?;
    Settings::of(engine, about.knobs, pairs)
}
