//! What need not be asked of the solver?
//!
//! While a program is unrolled: rounds of loops that change nothing ([`spin_loops`]) or could be done without ([`skippable_rounds`]), reads whose value is known ([`forwarding`]), accesses inside of
//! critical sections ([`lipton_reduction`]), orders of threads that are alike ([`thread_symmetry`]). Before it is solved: numbers that reads never
//! find ([`intervals`]). Two of these go by what an earlier unrolling has found; [`judgement`] says whether to unroll again.

pub(crate) mod forwarding;
pub(crate) mod intervals;
pub(crate) mod judgement;
pub(crate) mod lipton_reduction;
pub(crate) mod skippable_rounds;
pub(crate) mod spin_loops;
pub(crate) mod thread_symmetry;

use crate::bmc::locks::lock_sets::LockSets;
use forwarding::Writers;

/// What earlier unrollings have found.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) writers: Writers,
    pub(crate) lock_sets: LockSets,
}
