//! Sorts, exact values, and hash-consed typed terms.
//!
//! A [`Pool`] owns all terms and variables; a [`TermId`] is an index into it, and equal terms have equal ids. Terms are
//! built by [`Pool::apply`] or its named builders, which check sorts, fold constants and simplify locally. [`Op`] lists the
//! operators with their exact meaning, [`Op::eval`] is that meaning as code.
//!
//! Beside them what every crate above needs: random numbers ([`Prng`]) and components of graphs ([`Components`]).
//!
//! Deciding terms is not here; solver back ends translate [`Node`]s.

mod build;
mod components;
mod op;
mod pool;
mod prng;
mod sample;
mod semantics;
mod simplify;
mod sort;
mod text;
mod value;
mod walk;

pub use components::Components;
pub use op::Op;
pub use pool::{Node, Pool, TermId, VarId};
pub use prng::Prng;
pub use sample::{Kinds, Sample};
pub use semantics::Operands;
pub use sort::{FloatSort, Scalar, Sort};
pub use text::parse::{ParseError, parse};
pub use text::print::Displayed;
pub use value::bitvec::BitVec;
pub use value::{ArrayValue, F32_NAN, F64_NAN, Value};

#[cfg(test)]
mod tests;
