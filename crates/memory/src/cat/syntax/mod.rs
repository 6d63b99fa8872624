//! How is a memory model written? Words, trees, and how one becomes the other.

pub mod ast;
pub(crate) mod expressions;
pub(crate) mod lexer;
pub(crate) mod parser;
