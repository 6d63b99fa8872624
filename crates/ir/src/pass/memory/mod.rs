//! How does memory become variables? Objects that nobody shares become locals, allocations static objects, static objects global variables, and
//! what is left falls into separate regions; objects of unknown size become arrays, for those who want that.
//!
//! Known as: [`localize`] and [`scalarize`] are scalar replacement of aggregates (mem2reg), [`promote`] is allocation site promotion, [`regions`] is
//! memory partitioning by points-to sets, [`alloc_copies`] makes these context-sensitive. [`count_blocks`] asks whether all blocks are freed.

pub(super) mod alloc_copies;
pub(super) mod arrays;
pub(super) mod count_blocks;
pub(super) mod fills;
pub(super) mod localize;
pub(super) mod nullable;
pub(super) mod numbering;
pub(super) mod privatize;
pub(super) mod promote;
pub(super) mod regions;
pub(super) mod scalarize;
