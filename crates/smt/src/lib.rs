//! Deciding terms, exactly.

mod acyclic;
mod answer;
mod bits;
mod integers;
mod interpolate;
mod limits;
mod oracle;
mod path;
mod solver;
mod theory;
mod z3;

pub use acyclic::Acyclic;
pub use answer::{Answer, Assignment, Decision};
pub use bits::{Bits, Lit};
pub use integers::{IntegerAnswer, check_integers, wrapping_solution};
pub use interpolate::{
    Arithmetic, Direction, Interpolants, Invalid, Method, NoInterpolants, check_interpolants, interpolate,
};
pub use limits::{Cancel, Limits, Why, resident_bytes};
pub use oracle::{Oracle, OracleStatistics};
pub use path::Path;
pub use solver::{Backend, Solver};
pub use theory::{Consequences, Theory};
pub use z3::Z3;

#[cfg(test)]
mod tests;
