//! What does a proof say about the program? Formulas of certificates in words of C ([`formula`]), by the places where they hold ([`invariants`](mod@invariants)); [`scope`] says which names mean something there.

pub mod formula;
pub mod invariants;
mod scope;

pub use invariants::{Invariant, invariants};
