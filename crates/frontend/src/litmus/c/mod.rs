//! Litmus tests in C: C11 atomics, or the primitives of the Linux kernel.

mod ast;
mod definitions;
mod kernel;
mod lower;
mod parse;
mod standard;

pub use definitions::Definitions;
pub(super) use definitions::read as read_definitions;
pub(super) use lower::lower;
pub(super) use parse::functions;
