//! `cargo xtask experiment`: the experiments of the literature with our figures, as text, csv and SVG.
//!
//! An experiment is a function that gives tables; a table may name columns to draw as curves. Each experiment has its own file and one line in
//! `EXPERIMENTS`.

mod args;
mod cegar;
mod chart;
mod coi;
mod conflicts;
mod family;
mod kind;
mod oox;
mod output;
mod por;
mod table;

use args::Args;
use kind::{Experiment, How};
use output::write_all;
use table::{Table, csv, text};

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
