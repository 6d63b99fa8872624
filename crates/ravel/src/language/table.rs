//! Which languages are there? One row each; nothing else in this crate knows their names.

use super::{Language, c, commands, litmus, oox};
use crate::pipeline;
use crate::request::Row;
use ir::Properties;
use std::path::Path;

/// All languages.
pub(crate) static LANGUAGES: &[Row] = &[
    Row {
        name: "C",
        endings: &["c", "i"],
        default: &engines::portfolio::ABOUT,
        engines: || engines::ENGINES.iter().map(|engine| engine.about()).collect(),
        askable: || ir::Property::ALL.into_iter().fold(Properties::NONE, Properties::with),
        selector: "property",
        has_witnesses: true,
        ..row::<c::C>()
    },
    Row {
        name: "OOX",
        endings: &["oox"],
        default: &engines::symbolic::ABOUT,
        engines: || vec![&engines::symbolic::ABOUT],
        askable: || Properties::of(&engines::OOX_PROPERTIES),
        selector: "entry",
        ..row::<oox::Oox>()
    },
    Row {
        name: "litmus tests",
        endings: &["litmus"],
        default: &engines::axiomatic::ABOUT,
        engines: || vec![&engines::axiomatic::ABOUT],
        askable: || Properties::NONE,
        selector: "model",
        ..row::<litmus::Litmus>()
    },
];

/// The commands for a language; its data is filled in by the table.
const fn row<L: Language>() -> Row {
    Row {
        name: "",
        endings: &[],
        default: &engines::portfolio::ABOUT,
        engines: Vec::new,
        askable: || Properties::NONE,
        selector: "",
        has_witnesses: false,
        accept: L::accept,
        answer: pipeline::answer::<L>,
        show: commands::show::<L>,
        run: commands::run::<L>,
        replay: commands::replay::<L>,
    }
}

/// The language that a file is in, by its ending.
pub(crate) fn of(path: &Path) -> Option<&'static Row> {
    let ending = path.extension()?.to_str()?;
    LANGUAGES.iter().find(|row| row.endings.contains(&ending))
}

/// All endings.
pub(crate) fn endings() -> Vec<&'static str> {
    LANGUAGES.iter().flat_map(|row| row.endings).copied().collect()
}

/// What suites need to know of them.
pub(crate) fn forms() -> Vec<cases::Form> {
    LANGUAGES.iter().map(|row| cases::Form { endings: row.endings, selector: row.selector }).collect()
}

/// The languages with their endings, for messages: `C (.c, .i), OOX (.oox)`.
pub(crate) fn list() -> String {
    let one = |row: &Row| {
        let endings: Vec<String> = row.endings.iter().map(|ending| format!(".{ending}")).collect();
        format!("{} ({})", row.name, endings.join(", "))
    };
    LANGUAGES.iter().map(one).collect::<Vec<_>>().join(", ")
}
