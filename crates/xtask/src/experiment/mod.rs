//! `cargo xtask experiment`: the experiments of the literature with our figures, as text, csv and SVG.
//!
//! An experiment is a function that gives tables; a table may name columns to draw as curves. Each experiment has its own file and one line in
//! `EXPERIMENTS`.

mod args;
mod cegar;
mod chart;
mod conflicts;
mod declarative;
mod impact;
mod kind;
mod oox;
mod output;
mod table;

use args::Args;
use kind::{Experiment, How};
use output::write_all;
use table::{Table, csv, text};

/// What the command line says.
#[derive(clap::Args)]
#[command(after_help = list())]
pub(crate) struct Command {
    /// Which one
    #[arg(value_parser = named)]
    experiment: &'static Experiment,
    #[command(flatten)]
    args: Args,
}

fn list() -> String {
    let rows = EXPERIMENTS.iter().map(|row| format!("  {:<10} {}\n", row.name, row.about));
    format!("Experiments:\n{}", rows.collect::<String>())
}

fn named(name: &str) -> Result<&'static Experiment, String> {
    let names = || EXPERIMENTS.iter().map(|experiment| experiment.name).collect::<Vec<_>>().join(", ");
    EXPERIMENTS.iter().find(|experiment| experiment.name == name).ok_or_else(|| format!("there are {}", names()))
}

/// All experiments.
pub(crate) static EXPERIMENTS: &[Experiment] = &[
    conflicts::EXPERIMENT,
    oox::EXPERIMENT,
    cegar::por::EXPERIMENT,
    cegar::coi::EXPERIMENT,
    impact::EXPERIMENT,
    declarative::EXPERIMENT,
];

/// Runs the experiment; true if nothing was wrong.
pub(crate) fn run(command: &Command) -> bool {
    let args = &command.args;
    println!("{}", command.experiment.about);
    let done = match command.experiment.run {
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
