//! From text to a program.
