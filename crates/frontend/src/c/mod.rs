//! C: from a source file to a typed program.

pub mod ast;
pub mod check;
mod lex;
pub mod parse;
pub mod preprocess;
pub mod source;
mod type_text;
pub mod typed;
pub mod typed_text;
pub mod types;
