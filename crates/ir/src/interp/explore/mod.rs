//! Which executions are looked at? One, a random one, or all.

pub(super) mod approximation;
pub(super) mod drift;
pub(super) mod execution;
pub(super) mod lasso;
pub(super) mod log;
pub(super) mod naive;
pub(super) mod random;
pub(super) mod settle;
mod taint;
