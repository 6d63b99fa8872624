//! C: from a source file to a typed program.

pub mod ast;
mod lex;
pub mod parse;
pub mod preprocess;
pub mod source;
pub mod typed;
pub mod types;
