//! `cargo xtask experiment`: the experiments of the literature with our figures, as text, csv and SVG.
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

use std::fmt::Write;
use std::io::{IsTerminal, Write as _};
use std::path::PathBuf;
use std::time::Duration;

/// What the command line says.
#[derive(clap::Args)]
#[command(after_help = list())]
pub(crate) struct Args {
    /// Which one
    #[arg(value_parser = named)]
    experiment: &'static Experiment,
    /// For experiments over a suite: a csv with the header task,property,expected; a folder of .yml tasks; or files
    pub(crate) suite: Vec<PathBuf>,
    /// Where the tables (csv) and charts (SVG) are written
    #[arg(long, value_name = "FOLDER")]
    pub(crate) into: Option<PathBuf>,
    /// For each run of an engine
    #[arg(long = "seconds", value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) limit: Duration,
    /// por, coi: largest N of the family of programs with 2N+1 threads
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub(crate) max: u32,
    /// conflicts: how often loops of unknown length go round
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) unwind: u32,
    /// How many tasks of a suite at a time
    #[arg(long, value_name = "N", default_value_t = cases::Pool::default().n)]
    pub(crate) jobs: usize,
    /// Only tasks of the suite whose path contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
}

fn list() -> String {
    let rows = EXPERIMENTS.iter().map(|row| format!("  {:<10} {}\n", row.name, row.about));
    format!("Experiments:\n{}", rows.collect::<String>())
}

fn named(name: &str) -> Result<&'static Experiment, String> {
    let names = || EXPERIMENTS.iter().map(|experiment| experiment.name).collect::<Vec<_>>().join(", ");
    EXPERIMENTS.iter().find(|experiment| experiment.name == name).ok_or_else(|| format!("there are {}", names()))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "it is no time".to_string())
}

impl Args {
    /// The tasks of the suite, all of them about C programs.
    fn tasks(&self) -> Result<Vec<cases::Task>, String> {
        let c = cases::Form { endings: &["c", "i"], selector: "property" };
        let mut tasks = cases::suite::read(&self.suite, &[c])?;
        if let Some(filter) = &self.filter {
            tasks.retain(|task| task.path.to_string_lossy().contains(filter.as_str()));
        }
        Ok(tasks)
    }
}

/// A line that is overwritten by the next one, on a terminal only.
fn progress(line: &str) {
    let mut out = std::io::stderr().lock();
    if out.is_terminal() {
        let _ = write!(out, "\r\x1b[2K{line}\r");
        let _ = out.flush();
    }
}

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

/// How an experiment is run; true if nothing was wrong.
pub(crate) enum How {
    /// On programs of its own, and on a suite if one is named; its tables are shown.
    Tables(fn(&Args) -> Result<Vec<Table>, String>),
    /// On the suite that is named; it shows and writes what it finds itself.
    OnSuite(fn(&Args) -> Result<bool, String>),
}

/// All experiments.
pub(crate) static EXPERIMENTS: &[Experiment] =
    &[conflicts::EXPERIMENT, oox::EXPERIMENT, por::EXPERIMENT, coi::EXPERIMENT];

/// Runs the experiment; true if nothing was wrong.
pub(crate) fn run(args: &Args) -> bool {
    println!("{}", args.experiment.about);
    let done = match args.experiment.run {
        How::Tables(run) => {
            run(args).and_then(|tables| tables.iter().try_for_each(|table| show(table, args))).map(|()| true)
        }
        How::OnSuite(run) => run(args),
    };
    done.unwrap_or_else(|problem| {
        eprintln!("cargo xtask experiment: {problem}");
        false
    })
}

/// Prints a table, and writes it with its charts if a folder was named.
fn show(table: &Table, args: &Args) -> Result<(), String> {
    println!("\n{}\n{}", table.title, text(table));
    let mut files = vec![(format!("{}.csv", table.name), csv(table))];
    let draw = |(name, axis, columns): &(String, String, Vec<usize>)| {
        (format!("{name}.svg"), chart::svg(table, axis, columns))
    };
    files.extend(table.charts.iter().map(draw));
    write_all(args, &files)
}

/// Writes files to the folder that was named, if one was.
fn write_all(args: &Args, files: &[(String, String)]) -> Result<(), String> {
    let Some(folder) = &args.into else { return Ok(()) };
    for (name, content) in files {
        let path = folder.join(name);
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, content));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
        println!("wrote {}", path.display());
    }
    Ok(())
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
    cases::table::csv(std::iter::once(&table.columns).chain(&table.rows))
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
