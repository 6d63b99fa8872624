//! Which back end decides, and how is it asked?
//!
//! One small interface over the two back ends: scopes, assertions, checks under assumptions, limits. A solver belongs to
//! one pool; terms of another one would be mistaken for its own.

use logic::{Pool, TermId};

use crate::answer::{Answer, Decision};
use crate::bits::Bits;
use crate::limits::Limits;
use crate::z3::Z3;

/// The back ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// Our own bit-blaster on CaDiCaL.
    Bits,
    /// Z3.
    Z3,
}

/// A solver of either kind.
pub enum Solver {
    /// Our own bit-blaster on CaDiCaL.
    Bits(Box<Bits>),
    /// Z3.
    Z3(Box<Z3>),
}

impl Solver {
    /// Nothing asserted, no limits.
    pub fn new(backend: Backend) -> Solver {
        match backend {
            Backend::Bits => Solver::Bits(Box::default()),
            Backend::Z3 => Solver::Z3(Box::default()),
        }
    }

    /// Which back end this is.
    pub fn backend(&self) -> Backend {
        match self {
            Solver::Bits(_) => Backend::Bits,
            Solver::Z3(_) => Backend::Z3,
        }
    }

    /// What later checks may use.
    pub fn set_limits(&mut self, limits: Limits) {
        match self {
            Solver::Bits(bits) => bits.set_limits(limits),
            Solver::Z3(z3) => z3.set_limits(limits),
        }
    }

    /// What checks may use.
    pub fn limits(&self) -> &Limits {
        match self {
            Solver::Bits(bits) => bits.limits(),
            Solver::Z3(z3) => z3.limits(),
        }
    }

    /// Opens a scope.
    pub fn push(&mut self) {
        match self {
            Solver::Bits(bits) => bits.push(),
            Solver::Z3(z3) => z3.push(),
        }
    }

    /// Closes the innermost scope: its assertions are taken back.
    pub fn pop(&mut self) {
        match self {
            Solver::Bits(bits) => bits.pop(),
            Solver::Z3(z3) => z3.pop(),
        }
    }

    /// Adds a formula to the innermost scope.
    pub fn assert(&mut self, pool: &Pool, formula: TermId) {
        match self {
            Solver::Bits(bits) => bits.assert(pool, formula),
            Solver::Z3(z3) => z3.assert(pool, formula),
        }
    }

    /// Whether assertions and assumptions have a common solution: with the values, or with the assumptions needed.
    pub fn check(&mut self, pool: &Pool, assumptions: &[TermId]) -> Answer {
        match self {
            Solver::Bits(bits) => bits.check(pool, assumptions),
            Solver::Z3(z3) => z3.check(pool, assumptions),
        }
    }

    /// Whether assertions and assumptions have a common solution, without the values.
    pub fn decide(&mut self, pool: &Pool, assumptions: &[TermId]) -> Decision {
        match self {
            Solver::Bits(bits) => bits.decide(pool, assumptions),
            Solver::Z3(z3) => z3.decide(pool, assumptions),
        }
    }
}
