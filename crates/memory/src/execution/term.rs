//! What values can be before it is known which write each read reads: terms over the values of reads.
//!
//! Equal terms are one term. Operations on constants are computed when they are built, and so is what does not depend on a value
//! after all (`x ^ x`, `x & 0`): the false dependencies of litmus tests leave constant addresses. That they are dependencies all the
//! same is kept apart from terms, in `path`.

use ir::litmus::expr::{apply_binary, apply_unary, mask};
use ir::litmus::{Binary, Unary};
use rustc_hash::FxHashMap;

/// Names a term of a `Terms`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct TermId(u32);

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A number.
    Const(u64),
    /// What a read reads.
    Read(u32),
    /// An operation at a width.
    Unary(Unary, u8, TermId),
    /// An operation at a width.
    Binary(Binary, u8, TermId, TermId),
    /// The second if the first is not 0, else the third.
    Select(TermId, TermId, TermId),
}

/// The terms of a test.
#[derive(Clone, Default, Debug)]
pub struct Terms {
    terms: Vec<Term>,
    known: FxHashMap<Term, TermId>,
}

impl Terms {
    /// The term itself.
    pub fn get(&self, id: TermId) -> Term {
        self.terms[id.0 as usize]
    }

    /// A number.
    pub fn constant(&mut self, value: u64) -> TermId {
        self.add(Term::Const(value))
    }

    /// What a read reads.
    pub fn read(&mut self, variable: u32) -> TermId {
        self.add(Term::Read(variable))
    }

    /// The number that a term is, if it is one.
    pub fn as_constant(&self, id: TermId) -> Option<u64> {
        match self.get(id) {
            Term::Const(value) => Some(value),
            _ => None,
        }
    }

    fn add(&mut self, term: Term) -> TermId {
        if let Some(&id) = self.known.get(&term) {
            return id;
        }
        let id = TermId(self.terms.len() as u32);
        self.terms.push(term);
        self.known.insert(term, id);
        id
    }

    /// An operation with one operand.
    pub fn unary(&mut self, op: Unary, width: u8, operand: TermId) -> TermId {
        match self.as_constant(operand) {
            Some(value) => self.constant(apply_unary(op, width, value)),
            None => self.add(Term::Unary(op, width, operand)),
        }
    }

    /// An operation with two operands.
    pub fn binary(&mut self, op: Binary, width: u8, left: TermId, right: TermId) -> TermId {
        let (a, b) = (self.as_constant(left), self.as_constant(right));
        if let (Some(a), Some(b)) = (a, b) {
            return self.constant(apply_binary(op, width, a, b));
        }
        use Binary::*;
        if left == right {
            match op {
                Xor | Sub | AndNot | Ne | Ult | Slt => return self.constant(0),
                Eq | Ule | Sle => return self.constant(1),
                _ => {}
            }
        }
        match (op, a, b) {
            (And | Mul, Some(0), _) | (And | Mul, _, Some(0)) | (Shl | Lshr | AndNot, Some(0), _) => {
                return self.constant(0);
            }
            (Add | Or | Xor | Sub | Shl | Lshr, _, Some(0)) if width == 64 => return left,
            (Add | Or | Xor, Some(0), _) if width == 64 => return right,
            _ => {}
        }
        self.add(Term::Binary(op, width, left, right))
    }

    /// A choice.
    pub fn select(&mut self, condition: TermId, yes: TermId, no: TermId) -> TermId {
        match self.as_constant(condition) {
            Some(0) => no,
            Some(_) => yes,
            None if yes == no => yes,
            None => self.add(Term::Select(condition, yes, no)),
        }
    }

    /// The bytes of a value from `offset` on, so many of them.
    pub fn bytes(&mut self, value: TermId, offset: u8, size: u8) -> TermId {
        let shift = self.constant(u64::from(offset) * 8);
        let low = if offset == 0 { value } else { self.binary(Binary::Lshr, 64, value, shift) };
        if size >= 8 {
            return low;
        }
        // What a read of that many bytes reads needs no cutting.
        let mask = self.constant(mask(size * 8));
        match self.as_constant(low) {
            Some(_) => self.binary(Binary::And, 64, low, mask),
            None => self.unary(Unary::ZeroExtend, size * 8, low),
        }
    }

    /// The value of a term, as far as the values of reads are known.
    pub fn evaluate(&self, id: TermId, value_of: &[Option<u64>]) -> Option<u64> {
        match self.get(id) {
            Term::Const(value) => Some(value),
            Term::Read(variable) => value_of[variable as usize],
            Term::Unary(op, width, operand) => Some(apply_unary(op, width, self.evaluate(operand, value_of)?)),
            Term::Binary(op, width, left, right) => {
                Some(apply_binary(op, width, self.evaluate(left, value_of)?, self.evaluate(right, value_of)?))
            }
            Term::Select(condition, yes, no) => {
                let chosen = if self.evaluate(condition, value_of)? != 0 { yes } else { no };
                self.evaluate(chosen, value_of)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn false_dependencies_are_constants() {
        let mut terms = Terms::default();
        let x = terms.read(0);
        let zero = terms.constant(0);
        let address = terms.constant(0x5EED_0000);
        let nothing = terms.binary(Binary::Xor, 64, x, x);
        assert_eq!(nothing, zero);
        assert_eq!(terms.binary(Binary::Add, 64, nothing, address), address);
        assert_eq!(terms.binary(Binary::And, 64, x, zero), zero);
        assert_eq!(terms.binary(Binary::Shl, 64, x, zero), x);
        assert_eq!(terms.binary(Binary::Shl, 64, zero, x), zero);
        let sum = terms.binary(Binary::Add, 32, x, address);
        assert_eq!(terms.evaluate(sum, &[None]), None);
        assert_eq!(terms.evaluate(sum, &[Some(1)]), Some(0x5EED_0001));
    }
}
