//! The question of a litmus test: which final states satisfy the condition, and how is it meant?
//!
//! A final state is a vector parallel to `Test::observed`, each value cut to the size that is observed. The formula refers to it by
//! index, so that evaluating it needs nothing but the vector.

use super::expr::mask;
use super::names::{LocationId, Reg};

/// A part of the final state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Observable {
    /// A register.
    Register {
        /// Index of the thread in `Test::threads`.
        thread: usize,
        /// The register.
        reg: Reg,
    },
    /// An element of a location.
    Memory {
        /// The location.
        location: LocationId,
        /// The element.
        element: u32,
    },
}

/// A part of the final state, and how it is seen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Observed {
    /// What.
    pub what: Observable,
    /// Bytes of it.
    pub size: u8,
    /// Whether it is shown as a signed number.
    pub signed: bool,
    /// Whether it is shown: it was listed in `locations` or mentioned in the condition (a filter alone does not show it).
    pub shown: bool,
}

impl Observed {
    /// A word, as far as it is observed.
    pub fn cut(&self, value: u64) -> u64 {
        value & mask(self.size * 8)
    }
}

/// The right side of an equation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A number or an address, already cut to the size of the left side.
    Value(u64),
    /// Another part of the state, by index.
    Observed(usize),
}

/// How a condition is meant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    /// Some final state satisfies it.
    Exists,
    /// None does.
    NotExists,
    /// All do.
    Forall,
}

/// A condition on a final state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    /// Always, or never.
    Constant(bool),
    /// Part `.0` of the state equals the operand.
    Equal(usize, Operand),
    /// Not.
    Not(Box<Formula>),
    /// All of them.
    And(Vec<Formula>),
    /// One of them.
    Or(Vec<Formula>),
    /// If the first then the second.
    Implies(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// Whether a final state, parallel to `Test::observed`, satisfies this.
    pub fn holds(&self, state: &[u64]) -> bool {
        match self {
            Formula::Constant(value) => *value,
            Formula::Equal(index, Operand::Value(value)) => state[*index] == *value,
            Formula::Equal(index, Operand::Observed(other)) => state[*index] == state[*other],
            Formula::Not(inner) => !inner.holds(state),
            Formula::And(parts) => parts.iter().all(|part| part.holds(state)),
            Formula::Or(parts) => parts.iter().any(|part| part.holds(state)),
            Formula::Implies(left, right) => !left.holds(state) || right.holds(state),
        }
    }
}

impl Quantifier {
    /// Whether the question is answered yes, given how many final states satisfy the condition and how many do not.
    pub fn is_satisfied(self, n_positive: usize, n_negative: usize) -> bool {
        match self {
            Quantifier::Exists => n_positive > 0,
            Quantifier::NotExists => n_positive == 0,
            Quantifier::Forall => n_negative == 0,
        }
    }
}
