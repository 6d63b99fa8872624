//! How are unrolled programs decided?

pub(crate) mod data_races;
pub(crate) mod deadlocks;
pub(crate) mod encoding;
pub(crate) mod search;
pub(crate) mod witness;
