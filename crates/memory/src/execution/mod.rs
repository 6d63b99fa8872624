//! From litmus tests to executions, as far as they do not depend on choices.
//!
//! [`path`] runs each thread on terms ([`term`]) and finds its ways; [`skeleton`](mod@skeleton) puts one way of each thread together; [`base`] gives the named sets
//! and relations of models their meaning. Which write each read reads, and in which order writes take effect, is for engines
//! to choose.

pub mod base;
pub mod path;
pub mod skeleton;
pub mod term;
mod walk;

pub use path::{Kind, Limits, Path, Paths, Role, TooMuch, paths};
pub use skeleton::{Event, Misfit, Skeleton, cell, skeleton};
pub use term::{TermId, Terms};
