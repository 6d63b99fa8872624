//! From text to a program.

pub mod c;
