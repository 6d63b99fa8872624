//! Litmus tests in C: C11 atomics, the primitives of the Linux kernel, or processes that send and receive.

mod ast;
mod definitions;
mod kernel;
mod lower;
mod parse;
mod process;
mod standard;

pub use definitions::Definitions;
pub(super) use definitions::read as read_definitions;
pub(super) use lower::{Calls, lower};
pub(super) use parse::functions;
pub(super) use process::{Process, Topics, lower_process, processes};
