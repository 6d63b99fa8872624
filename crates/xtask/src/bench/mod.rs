//! Benchmarks that print a ratio between two things measured in one run.

pub(crate) mod bmc;
pub(crate) mod explicit;
pub(crate) mod litmus;
pub(crate) mod oox;
pub(crate) mod smt;
