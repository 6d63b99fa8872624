//! Benchmarks that print a ratio between two things measured in one run.

mod bmc;
mod cores;
mod cubes;
mod explicit;
mod litmus;
mod oox;
mod smt;
mod weak;

use std::path::PathBuf;

/// Engines that share one search among several threads
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Cores {
    /// Large models
    Explicit,
    /// Hard questions
    Bmc,
}

/// What is measured
#[derive(clap::Subcommand)]
pub(crate) enum Benchmark {
    /// States a second of `explicit`
    Explicit,
    /// Large models by `explicit` with one and with several threads, beside SPIN's, and hard questions by `bmc`
    Cores {
        /// Threads, on either side
        #[arg(long, default_value_t = 2)]
        threads: usize,
        /// How often each is run; the best time counts
        #[arg(long, default_value_t = 3)]
        rounds: usize,
        /// Only this engine's
        #[arg(long)]
        engine: Option<Cores>,
    },
    /// Paths a second of `symbolic`
    Oox,
    /// Bit-blasting against Z3
    Smt,
    /// What `bmc` needs for programs that grow
    Bmc,
    /// Programs under memory models: families that grow, locks, chains of updates
    Weak,
    /// Processor time for each litmus test of a suite, by family
    Litmus {
        /// A csv with the header test,model,condition_holds
        suite: PathBuf,
        /// The program whose start is measured [default: the one beside this one]
        ravel: Option<PathBuf>,
    },
}

/// Measures; whether the figures are as they should be.
pub(crate) fn run(benchmark: &Benchmark) -> bool {
    match benchmark {
        Benchmark::Explicit => explicit::run(),
        Benchmark::Cores { threads, rounds, engine } => {
            let is_asked = |other: Cores| engine.is_none_or(|engine| engine == other);
            (!is_asked(Cores::Explicit) || cores::run(*threads, *rounds))
                & (!is_asked(Cores::Bmc) || cubes::run(*threads, *rounds))
        }
        Benchmark::Oox => oox::run(),
        Benchmark::Smt => smt::run(),
        Benchmark::Bmc => bmc::run(),
        Benchmark::Weak => weak::run(),
        Benchmark::Litmus { suite, ravel } => litmus::run(suite, ravel.as_deref()),
    }
}
