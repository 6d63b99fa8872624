//! Texts that are printed and scanned: what formats say, `printf` and `scanf` with their arguments, and lists of arguments.

pub(super) mod formats;
pub(super) mod lists;
mod print;
mod scan;
mod texts;
