//! What does a proof say about the program? Formulas of certificates in words of C ([`formula`]), by the places where they hold ([`invariants`](mod@invariants)).

pub mod formula;
pub mod invariants;

pub use invariants::{Invariant, invariants};
