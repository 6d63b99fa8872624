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

/// What was typed after the experiment's name.
pub(crate) struct Args {
    /// For experiments over a suite: a csv with the header task,property,expected; a folder of .yml tasks; or files.
    pub(crate) suite: Vec<PathBuf>,
    /// Where the tables (csv) and charts (SVG) are written.
    pub(crate) into: Option<PathBuf>,
    /// For each run of an engine.
    pub(crate) limit: Duration,
    /// por, coi: largest N of the family of programs with 2N+1 threads.
    pub(crate) max: u32,
    /// conflicts: how often loops of unknown length go round.
    pub(crate) unwind: u32,
    /// How many tasks of a suite at a time.
    pub(crate) jobs: usize,
    /// Only tasks of the suite whose path contains this.
    pub(crate) filter: Option<String>,
}

impl Args {
    /// Reads options and suites; what is wrong with them otherwise.
    fn read(words: &[String]) -> Result<Args, String> {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let limit = Duration::from_secs(10);
        let mut args = Args { suite: Vec::new(), into: None, limit, max: 64, unwind: 2, jobs, filter: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(option) = word.strip_prefix("--") else {
                args.suite.push(PathBuf::from(word));
                continue;
            };
            let value = words.next().ok_or_else(|| format!("--{option} what?"))?;
            let number = || value.parse::<u32>().map_err(|_| format!("--{option}: `{value}` is not a number"));
            match option {
                "into" => args.into = Some(PathBuf::from(value)),
                "filter" => args.filter = Some(value.clone()),
                "max" => args.max = number()?,
                "unwind" => args.unwind = number()?,
                "jobs" => args.jobs = number()?.max(1) as usize,
                "seconds" => {
                    let seconds = value.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
                    args.limit = seconds.ok_or_else(|| format!("--seconds: `{value}` is no time"))?;
                }
                _ => {
                    let known = "--into, --seconds, --max, --unwind, --jobs, --filter";
                    return Err(format!("there is no option --{option}; there are {known}"));
                }
            }
        }
        Ok(args)
    }

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

/// `cargo xtask experiment NAME [SUITE...] [--into FOLDER] ...`; true if nothing was wrong.
pub(crate) fn run(words: &[String]) -> bool {
    let names = || EXPERIMENTS.iter().map(|experiment| experiment.name).collect::<Vec<_>>().join(", ");
    let found = words.first().and_then(|name| EXPERIMENTS.iter().find(|experiment| experiment.name == name));
    let Some(experiment) = found else {
        eprintln!("cargo xtask experiment: which one? There are {}", names());
        return false;
    };
    println!("{}", experiment.about);
    let done = Args::read(&words[1..]).and_then(|args| match experiment.run {
        How::Tables(run) => {
            run(&args).and_then(|tables| tables.iter().try_for_each(|table| show(table, &args))).map(|()| true)
        }
        How::OnSuite(run) => run(&args),
    });
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
