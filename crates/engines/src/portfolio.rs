//! Who decides C programs when nobody is named? A small table of engines and settings, for the scheduler.
//!
//! Explicit states decide what is finite and find what is near; bounded search minds neither inputs nor interleavings; abstraction
//! proves what has no bounds; predicates from the program's own branches are another way into that.

use crate::schedule::Ask;
use crate::table::ENGINES;
use crate::{About, Engine, Settings, decide};
use ir::Task;

/// The name of the default, as the command line shows it.
pub const ABOUT: About = About {
    name: "portfolio",
    describe: "asks the engines of a small table, side by side on the cores there are; the first verdict wins",
    knobs: &[],
};

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Who.
    pub engine: &'static str,
    /// With which settings.
    pub knobs: &'static [(&'static str, &'static str)],
    /// Which share of the time, compared with the other rows.
    pub share: u32,
}

/// Who is tried.
pub const TABLE: &[Row] = &[
    Row { engine: "explicit", knobs: &[], share: 4 },
    Row { engine: "bmc", knobs: &[], share: 5 },
    Row { engine: "cegar", knobs: &[], share: 4 },
    Row { engine: "cegar", knobs: &[("domain", "pred"), ("init", "branches"), ("search", "bfs")], share: 1 },
];

impl Row {
    /// The engine with its settings, as they are typed.
    fn title(&self) -> String {
        let knobs = self.knobs.iter().map(|(name, value)| format!(" --{}.{name} {value}", self.engine));
        std::iter::once(self.engine.to_string()).chain(knobs).collect()
    }
}

/// Who is asked about a task by this name, `portfolio` or that of an engine, with the settings that the user has made (`cegar.por`, `none`).
pub fn asks<'a>(name: &str, task: &'a Task, set: &[(String, String)]) -> Result<Vec<Ask<'a, ir::Replayed>>, String> {
    let knows = |row: &&Row| engine_of(row).is_some_and(|engine| engine.models().contains(&task.program.model));
    let alone = ENGINES.iter().find(|engine| engine.name() == name);
    let alone = alone.map(|engine| Row { engine: engine.name(), knobs: &[], share: 1 });
    let rows: Vec<Row> = match alone {
        Some(row) => vec![row],
        None => TABLE.iter().filter(knows).copied().collect(),
    };
    rows.into_iter().map(|row| ask(row, task, set)).collect()
}

fn engine_of(row: &Row) -> Option<&'static dyn Engine> {
    ENGINES.iter().copied().find(|engine| engine.name() == row.engine)
}

fn ask<'a>(row: Row, task: &'a Task, set: &[(String, String)]) -> Result<Ask<'a, ir::Replayed>, String> {
    let engine = engine_of(&row).ok_or_else(|| format!("there is no engine {}", row.engine))?;
    let of_engine = |(name, value): &'_ (String, String)| {
        let own = name.strip_prefix(row.engine)?.strip_prefix('.')?;
        Some((own.to_string(), value.clone()))
    };
    let own: Vec<(String, String)> = set.iter().filter_map(of_engine).collect();
    let pairs = row.knobs.iter().copied().chain(own.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    Ok(Ask {
        engine: row.engine,
        title: row.title(),
        settings: Settings::of(row.engine, engine.about().knobs, pairs)?,
        share: row.share,
        decide: Box::new(move |run| decide(engine, task, run)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_named_as_it_is_typed() {
        assert_eq!(TABLE[0].title(), "explicit");
        assert_eq!(TABLE[3].title(), "cegar --cegar.domain pred --cegar.init branches --cegar.search bfs");
    }

    #[test]
    fn the_table_names_engines_and_knobs_that_there_are() {
        for row in TABLE {
            let engine = engine_of(row).expect("its engine is there");
            assert!(Settings::of(row.engine, engine.about().knobs, row.knobs.iter().copied()).is_ok(), "{row:?}");
        }
    }
}
