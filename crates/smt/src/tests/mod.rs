//! Tests across modules: back ends against evaluation and against each other.

mod agree;
pub(crate) mod random;
