//! What are values that nobody knows yet? Terms over the inputs, and what differences alone decide about them.

pub(crate) mod difference_logic;
pub(crate) mod terms;
