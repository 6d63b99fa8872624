//! Deciding terms, exactly.
//!
//! [`Solver`] is one small interface over two back ends: `Bits`, which turns terms into clauses for CaDiCaL and lets a
//! [`Theory`] take part in the search, and `Z3`. On top: [`Oracle`] (questions with memory), [`Path`] (a condition that grows
//! and shrinks), [`interpolate`](fn@interpolate) (why a path is infeasible), [`check_integers`](fn@check_integers) (numbers that do not wrap), [`HornSystem`]
//! (invariants). Every check
//! has [`Limits`] and can be cancelled; what cannot be decided is unknown with its reason. The guide is docs/smt.md.

mod acyclic;
mod answer;
mod bits;
mod horn;
mod integers;
mod interpolate;
mod limits;
mod literal;
mod oracle;
mod path;
mod solver;
mod theory;
mod z3;

pub use acyclic::Acyclic;
pub use answer::{Answer, Assignment, Decision};
pub use bits::{Bits, Exchange, Lit, SatStatistics};
pub use horn::{Applied, HornAnswer, HornClause, HornSystem, Predicate};
pub use integers::{IntegerAnswer, check_integers, wrapping_solution};
pub use interpolate::{
    Arithmetic, Direction, Interpolants, Invalid, Method, NoInterpolants, check_interpolants, interpolate, project,
};
pub use limits::{Cancel, Limits, Why, resident_bytes};
pub use oracle::{Oracle, OracleStatistics};
pub use path::Path;
pub use solver::{Backend, Solver};
pub use theory::{Consequences, Theory};
pub use z3::Z3;

/// The solvers that are built in, with their versions.
pub fn versions() -> [(&'static str, String); 2] {
    [("CaDiCaL", cadical_sys::CaDiCal::version()), ("Z3", z3::binding::version())]
}

#[cfg(test)]
mod tests;
