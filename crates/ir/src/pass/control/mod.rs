//! How does control become simpler? Calls are put in line, loops unrolled, steps merged.
//!
//! Known as: [`uniform_loops`] is loop acceleration; [`large_blocks`] is large-block encoding, with the moves of Lipton's reduction as its condition.

pub(super) mod activations;
pub(super) mod call_targets;
pub(super) mod fences;
pub(super) mod inline;
pub(super) mod joins;
pub(super) mod large_blocks;
pub(super) mod thread_end;
pub(super) mod uniform_loops;
pub(super) mod unroll;
