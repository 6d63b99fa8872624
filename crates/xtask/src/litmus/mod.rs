//! Litmus tests: the table of classic shapes for the documentation, and agreement of the engines on generated tests.

pub(crate) mod agree;
pub(crate) mod mutants;
pub(crate) mod programs;
pub(crate) mod table;
