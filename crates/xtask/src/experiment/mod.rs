//! `cargo xtask experiment`: the experiments of the literature with our figures, as text, csv, SVG and a page.
//!
//! An experiment is a function that gives tables, and says what is seen in them; a table may name columns to draw as curves. Each experiment has its own file and one line in
//! `EXPERIMENTS`; `all` runs every one. What the literature claims and why we differ is in `present::paragraphs`.

mod args;
mod cegar;
mod conflicts;
mod declarative;
mod impact;
mod kind;
mod limit;
mod litmus;
mod measured;
mod oox;
mod present;
mod weak;

use args::Args;
use kind::Experiment;
use output::write_all;
use present::{chart, output, page, table};
use table::{Table, csv, text};

/// What the command line says.
#[derive(clap::Args)]
#[command(after_help = list())]
pub(crate) struct Command {
    /// Which one, or `all`
    #[arg(value_parser = named)]
    experiment: Which,
    #[command(flatten)]
    args: Args,
}

#[derive(Clone)]
enum Which {
    One(&'static Experiment),
    All,
}

fn list() -> String {
    let rows = EXPERIMENTS.iter().map(|row| format!("  {:<11} {}\n", row.name, row.about));
    format!("Experiments:\n{}  {:<11} every one of them\n", rows.collect::<String>(), "all")
}

fn named(name: &str) -> Result<Which, String> {
    if name == "all" {
        return Ok(Which::All);
    }
    let names = || EXPERIMENTS.iter().map(|experiment| experiment.name).collect::<Vec<_>>().join(", ");
    let found = EXPERIMENTS.iter().find(|experiment| experiment.name == name);
    found.map(Which::One).ok_or_else(|| format!("there are {}, and all", names()))
}

/// All experiments.
pub(crate) static EXPERIMENTS: &[Experiment] = &[
    cegar::por::EXPERIMENT,
    cegar::coi::EXPERIMENT,
    conflicts::EXPERIMENT,
    impact::EXPERIMENT,
    oox::EXPERIMENT,
    litmus::EXPERIMENT,
    declarative::EXPERIMENT,
    weak::EXPERIMENT,
];

/// Runs the experiment, or all of them; true if nothing was wrong.
pub(crate) fn run(command: &Command) -> bool {
    let args = command.args.clone().settled();
    let wanted: Vec<&Experiment> = match command.experiment {
        Which::One(experiment) => vec![experiment],
        Which::All => EXPERIMENTS.iter().collect(),
    };
    show_all(&wanted, &args).unwrap_or_else(|problem| {
        eprintln!("cargo xtask experiment: {problem}");
        false
    })
}

fn show_all(wanted: &[&'static Experiment], args: &Args) -> Result<bool, String> {
    let mut told = Vec::new();
    for experiment in wanted {
        println!("{}", experiment.about);
        let report = (experiment.run)(args).map_err(|problem| format!("{}: {problem}", experiment.name))?;
        report.tables.iter().try_for_each(|table| show(table, args))?;
        write_all(args, &report.files)?;
        println!();
        report.seen.iter().for_each(|sentence| println!("{sentence}"));
        told.push((experiment.name, experiment.about, report));
    }
    if let Some(path) = &args.page {
        let made = page::Made {
            seconds: args.limit.as_secs_f64(),
            family_seconds: args.family_limit.as_secs_f64(),
            max: args.max,
            is_quick: args.quick,
        };
        std::fs::write(path, page::page(&made, &told)).map_err(|error| format!("{}: {error}", path.display()))?;
        let pictures = path.parent().map(|folder| folder.join("pictures"));
        let beside = Args { into: pictures, ..args.clone() };
        for (.., report) in &told {
            let drawn = report.tables.iter().flat_map(charts).chain(report.files.iter().cloned());
            let drawn: Vec<(String, String)> = drawn.filter(|(name, _)| name.ends_with(".svg")).collect();
            write_all(&beside, &drawn)?;
        }
        println!("wrote {}", path.display());
    }
    Ok(told.iter().all(|(.., report)| report.n_wrong == 0))
}

/// Prints a table, and writes it with its charts if a folder was named.
fn show(table: &Table, args: &Args) -> Result<(), String> {
    println!("\n{}\n{}", table.title, text(table));
    let mut files = vec![(format!("{}.csv", table.name), csv(table))];
    files.extend(charts(table));
    write_all(args, &files)
}

/// The curves of a table, by the names of their files.
fn charts(table: &Table) -> Vec<(String, String)> {
    let draw = |(name, axis, columns): &(String, String, Vec<usize>)| {
        (format!("{name}.svg"), chart::svg(table, axis, columns))
    };
    table.charts.iter().map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever changes an experiment makes the page anew: `cargo xtask experiment all --page docs/experiments.md`.
    #[test]
    fn the_page_is_that_of_the_present_experiments() {
        let args = Args { is_dry: true, ..Args::of_a_test() };
        let mut told = Vec::new();
        for experiment in EXPERIMENTS {
            told.push((experiment.name, experiment.about, (experiment.run)(&args).expect("nothing is run")));
        }
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/experiments.md");
        let page = std::fs::read_to_string(path).expect("the page is there");
        let missing = page::missing(&page, &told);
        assert!(missing.is_empty(), "docs/experiments.md lacks {}", missing.join("; "));
    }
}
