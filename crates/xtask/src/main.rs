//! Development tasks: `cargo xtask fuzz`, `cargo xtask bench …`, `cargo xtask litmus-…`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that speaks to people")]

mod bench;
mod cycle;
mod experiment;
mod fuzz;
mod litmus;

use clap::Parser;
use std::process::ExitCode;

/// Development tasks
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Task {
    /// Try random programs on all engines, against oracles
    Fuzz(fuzz::driver::Options),
    /// Repeat experiments of the literature: oox, por, coi, conflicts [SUITE...] [--into FOLDER] [--seconds T] [--max N] [--unwind N] [--jobs N] [--filter TEXT]
    Experiment(Words),
    /// Measure engines: explicit, oox, smt, bmc, or litmus SUITE.csv [RAVEL]
    Bench { what: String, rest: Vec<String> },
    /// Say which litmus tests each model allows
    LitmusTable,
    /// Mutants of litmus tests [--count N] [--seed S]
    LitmusMutants(Words),
    /// Litmus tests as C programs [--count N] [--seed S] [--model M]
    LitmusPrograms(Words),
    /// Two ways to judge litmus tests [--count N] [--seed S] [--suite SUITE.csv]
    LitmusAgree(Words),
    /// Write litmus tests from cycles [--count N] [--seed S] [--into FOLDER]
    LitmusGenerate(Words),
}

/// Words that the task reads itself.
#[derive(clap::Args)]
struct Words {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

fn main() -> ExitCode {
    let is_fine = match Task::parse() {
        Task::Fuzz(options) => fuzz::driver::run(&options),
        Task::Experiment(Words { words }) => experiment::run(&words),
        Task::Bench { what, rest } => match what.as_str() {
            "explicit" => bench::explicit::run(),
            "oox" => bench::oox::run(),
            "smt" => bench::smt::run(),
            "bmc" => bench::bmc::run(),
            "litmus" => bench::litmus::run(&rest),
            _ => {
                eprintln!("there is no benchmark `{what}`");
                return ExitCode::from(2);
            }
        },
        Task::LitmusTable => litmus::table::run(),
        Task::LitmusMutants(Words { words }) => litmus::mutants::run(&words),
        Task::LitmusPrograms(Words { words }) => litmus::programs::run(&words),
        Task::LitmusAgree(Words { words }) => litmus::agree::run(&words),
        Task::LitmusGenerate(Words { words }) => cycle::run(&words),
    };
    if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
