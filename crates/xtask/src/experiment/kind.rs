//! What is an experiment? Its name, what it shows, and a function: all that the table of experiments has of it.

use super::args::Args;
use super::table::Table;

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
