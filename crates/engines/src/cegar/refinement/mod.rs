//! What is learnt from a path that the abstraction allows and the program does not? More precision, from the path or from the text of the program.

pub(crate) mod precision;
pub(crate) mod predicate_mining;
pub(crate) mod stages;
