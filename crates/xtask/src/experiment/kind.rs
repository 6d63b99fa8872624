//! What is an experiment? Its name, what it shows, and a function: all that the table of experiments has of it.

use super::args::Args;
use super::present::table::Table;

/// An experiment.
pub(crate) struct Experiment {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// What it shows.
    pub(crate) about: &'static str,
    /// Runs it, on programs of its own, on a suite, or both; with `Args::is_dry` it makes its tables without running anything.
    pub(crate) run: fn(&Args) -> Result<Report, String>,
}

/// What an experiment gives.
#[derive(Default)]
pub(crate) struct Report {
    /// The tables.
    pub(crate) tables: Vec<Table>,
    /// What is seen in them, a sentence each.
    pub(crate) seen: Vec<String>,
    /// More files, by name: plots, and figures of each task.
    pub(crate) files: Vec<(String, String)>,
    /// Answers that contradict what is known.
    pub(crate) n_wrong: usize,
}
