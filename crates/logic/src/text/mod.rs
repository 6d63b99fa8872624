//! How are terms written and read? [`print`](mod@print) and [`parse`] are each other's inverse.

pub(crate) mod parse;
pub(crate) mod print;
