//! C: from a source file to a typed program.

pub mod ast;
pub mod typed;
pub mod types;
