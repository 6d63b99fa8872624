//! Which interleavings need not be explored? Partial order reduction, for whatever engine.
//!
//! Known as: partial order reduction, POR; independence of actions, Mazurkiewicz traces \[Mazurkiewicz86].
//!
//! [`dependence`] says when the order of two steps can matter; [`source_set`] which threads must run in a state; [`cycle_proviso`] that none is
//! put off for ever; [`dpor`] what exploration shows to be needed. An engine says what it knows of the threads of a state (`Threads`); none of
//! this knows which engine that is.

pub mod cycle_proviso;
pub mod dependence;
pub mod dpor;
pub mod source_set;
pub mod threads;

#[cfg(test)]
mod tests;
