//! What goes wrong that no single step shows? One file for each: races, leaks, threads that wait for each other, executions without end, other layouts of memory.
//!
//! `search` asks them in the states that it visits; [`ordered_races`] and [`other_layouts`] ask about the program as a whole.

pub(crate) mod fair_lasso;
pub(crate) mod leak;
pub(crate) mod ordered_races;
pub(crate) mod other_layouts;
pub(crate) mod race;
pub(crate) mod waits;
