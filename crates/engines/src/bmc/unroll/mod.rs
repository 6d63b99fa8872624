//! How does a program become guarded events? All its threads are executed symbolically, with loops unrolled on the way.

pub(crate) mod control_flow;
pub(crate) mod path_conditions;
pub(crate) mod spin_loops;
pub(crate) mod start_and_join;
pub(crate) mod statements;
pub(crate) mod step;
pub(crate) mod symbolic_execution;
