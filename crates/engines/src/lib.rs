//! Who decides a task? Engines: each is one folder here; those for C are lines of [`ENGINES`] ([`table`]).
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
pub mod declarative;
mod engine;
mod evidence;
pub mod explicit;
pub mod explore;
pub mod graphs;
pub mod impact;
mod knob;
pub mod modular;
pub mod portfolio;
mod prepared;
pub mod reached;
pub mod run;
pub mod schedule;
pub mod symbolic;
mod table;
mod thread_modular;

pub use budget::{Budget, memory_in_use};
pub use clock::{PROCESSOR, computed, processor_seconds};
pub use decide::{Checked, Decided, OOX_PROPERTIES, decide, decide_litmus, decide_oox, shorten};
pub use engine::Engine;
pub use knob::{About, Kind, Knob, Settings};
pub use reached::{Board, Bounded, Reached};
pub use run::{Parts, Run, Statistics};
pub use schedule::{Ask, How, Scheduled, Wrong, cores, panic_words, schedule};
pub use smt::versions as solver_versions;
pub use table::{ENGINES, all, engine_named, settings};
