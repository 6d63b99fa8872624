//! Which engines are there? The tables, and how one is found by its name.
//!
//! Those for C implement `Engine`; those for the other languages have questions of their own and are asked by `decide_oox` and `decide_litmus`.

use crate::engine::Engine;
use crate::knob::{About, Settings};
use crate::{axiomatic, bmc, cegar, declarative, explicit, graphs, impact, modular, symbolic};

/// The engines for C, in the order they are shown.
pub static ENGINES: &[&dyn Engine] = &[
    &explicit::Explicit,
    &bmc::Bmc,
    &cegar::Cegar,
    &impact::Impact,
    &modular::Modular,
    &declarative::Declarative,
    &graphs::Graphs,
];

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
