//! What need not be asked of the solver?

pub(crate) mod forwarding;
pub(crate) mod intervals;
pub(crate) mod lipton_reduction;
pub(crate) mod thread_symmetry;
