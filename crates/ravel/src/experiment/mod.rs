//! `ravel experiment`: the experiments of the literature with our figures, as text, csv and SVG.
//!
//! An experiment is a function that gives tables; a table may name columns to draw as curves. Each experiment has its own file and one line in
//! `EXPERIMENTS`.

mod cegar;
mod chart;
mod coi;
mod conflicts;
mod family;
mod oox;
mod por;

use crate::args;
use crate::exit::Exit;
use crate::screen;
use std::fmt::Write;
use std::time::Duration;

/// A table with what can be drawn of it.
pub(crate) struct Table {
    /// Names the files it is written to.
    pub(crate) name: String,
    /// In words.
    pub(crate) title: String,
    /// What is in the columns.
    pub(crate) columns: Vec<String>,
    /// Cells as text; empty where there is no figure.
    pub(crate) rows: Vec<Vec<String>>,
    /// Charts: name of the file, what the vertical axis is, columns to draw; the first column is the horizontal axis.
    pub(crate) charts: Vec<(String, String, Vec<usize>)>,
}

/// An experiment.
pub(crate) struct Experiment {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// What it shows.
    pub(crate) about: &'static str,
    /// How it is run.
    pub(crate) run: How,
}

/// How an experiment is run; the time limit is for each run of an engine.
pub(crate) enum How {
    /// On programs of its own; its tables are shown.
    Alone(fn(Duration) -> Vec<Table>),
    /// On programs of its own, and on a suite if the user names one; its tables are shown.
    Both(fn(Duration, &args::Experiment) -> Vec<Table>),
    /// On the suite that the user names; it shows and writes what it finds itself.
    OnSuite(fn(&args::Experiment) -> Exit),
}

/// All experiments.
pub(crate) static EXPERIMENTS: &[Experiment] =
    &[conflicts::EXPERIMENT, oox::EXPERIMENT, por::EXPERIMENT, coi::EXPERIMENT];

/// Runs one and shows its tables.
pub(crate) fn experiment(args: &args::Experiment) -> Exit {
    let found = EXPERIMENTS.iter().find(|experiment| experiment.name == args.name);
    let experiment = found.expect("the command line accepts only names of the table");
    screen::print(&format!("{}\n", experiment.about));
    let limit = args.time_limit.0.unwrap_or(Duration::from_secs(3600));
    let tables = match experiment.run {
        How::Alone(run) => run(limit),
        How::Both(run) => run(limit, args),
        How::OnSuite(run) => return run(args),
    };
    for table in tables {
        screen::print(&format!("\n{}\n{}", table.title, text(&table)));
        let Some(folder) = &args.into else { continue };
        let mut files = vec![(format!("{}.csv", table.name), csv(&table))];
        let draw = |(name, axis, columns): &(String, String, Vec<usize>)| {
            (format!("{name}.svg"), chart::svg(&table, axis, columns))
        };
        files.extend(table.charts.iter().map(draw));
        for (name, content) in files {
            let path = folder.join(name);
            let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, content));
            if let Err(error) = written {
                screen::complain(&format!("error: {}: {error}\n", path.display()));
                return Exit::BadInput;
            }
            screen::print(&format!("wrote {}\n", path.display()));
        }
    }
    Exit::Safe
}

/// Columns side by side.
fn text(table: &Table) -> String {
    let width = |column: usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(column)).chain(table.columns.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let mut text = String::new();
    for row in std::iter::once(&table.columns).chain(&table.rows) {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = if at == 0 { write!(line, "{cell:<width$}") } else { write!(line, "  {cell:>width$}") };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn csv(table: &Table) -> String {
    let line = |row: &Vec<String>| {
        let quote = |cell: &String| {
            if cell.contains([',', '"']) { format!("\"{}\"", cell.replace('"', "'")) } else { cell.clone() }
        };
        row.iter().map(quote).collect::<Vec<_>>().join(",")
    };
    std::iter::once(&table.columns).chain(&table.rows).map(|row| line(row) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_rendered() {
        let table = Table {
            name: "t".into(),
            title: "T".into(),
            columns: vec!["depth".into(), "paths, ours".into()],
            rows: vec![
                vec!["10".into(), "5".into()],
                vec!["20".into(), "500".into()],
                vec!["30".into(), String::new()],
            ],
            charts: Vec::new(),
        };
        assert_eq!(text(&table), "depth  paths, ours\n10               5\n20             500\n30\n");
        assert!(csv(&table).starts_with("depth,\"paths, ours\"\n10,5\n"));
        let svg = chart::svg(&table, "paths", &[1]);
        assert!(svg.starts_with("<svg") && svg.contains("polyline") && svg.contains("paths, ours"), "{svg}");
    }
}
