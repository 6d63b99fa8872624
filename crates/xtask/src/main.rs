//! Development tasks: `cargo xtask fuzz`, `cargo xtask bench …`, `cargo xtask litmus-…`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that speaks to people")]

mod bench;
mod cycle;
mod experiment;
mod fuzz;
mod litmus;

use clap::Parser;
use std::process::ExitCode;

/// The program's own, so that what is measured here is what people get.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Development tasks
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Task {
    /// Try random programs on all engines, against oracles
    Fuzz(fuzz::driver::Options),
    /// Repeat an experiment of the literature
    Experiment(experiment::Command),
    /// Measure an engine
    #[command(subcommand)]
    Bench(bench::Benchmark),
    /// Say which litmus tests each model allows
    LitmusTable,
    /// Take mutants of litmus tests and models well
    LitmusMutants(litmus::mutants::Options),
    /// Compare litmus tests with C programs that mean the same
    LitmusPrograms(litmus::programs::Options),
    /// Compare the two ways to judge litmus tests
    LitmusAgree(litmus::agree::Options),
    /// Write litmus tests from cycles
    LitmusGenerate(cycle::Options),
}

fn main() -> ExitCode {
    let is_fine = match Task::parse() {
        Task::Fuzz(options) => fuzz::driver::run(&options),
        Task::Experiment(args) => experiment::run(&args),
        Task::Bench(benchmark) => bench::run(&benchmark),
        Task::LitmusTable => litmus::table::run(),
        Task::LitmusMutants(options) => litmus::mutants::run(&options),
        Task::LitmusPrograms(options) => litmus::programs::run(&options),
        Task::LitmusAgree(options) => litmus::agree::run(&options),
        Task::LitmusGenerate(options) => cycle::run(&options),
    };
    if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_read() {
        use clap::CommandFactory;
        Task::command().debug_assert();
        for good in [
            "experiment por --max 8 --seconds 0.5",
            "experiment conflicts examples --into figures --jobs 2",
            "bench litmus suite.csv",
            "litmus-programs --count 10 --model tso",
            "litmus-agree --suite suite.csv",
        ] {
            assert!(Task::try_parse_from(["xtask"].into_iter().chain(good.split(' '))).is_ok(), "{good}");
        }
        for bad in [
            "experiment",
            "experiment everything",
            "experiment por --seconds soon",
            "bench",
            "litmus-programs --model x",
            "litmus-agree --cuont 3",
        ] {
            assert!(Task::try_parse_from(["xtask"].into_iter().chain(bad.split(' '))).is_err(), "{bad}");
        }
    }
}
