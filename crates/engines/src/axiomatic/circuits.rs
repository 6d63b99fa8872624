//! What instructions compute, as circuits: a term over the values of reads becomes a bit-vector of 64 bits.
//!
//! The meaning of each operation is that of `ir::litmus::expr`, which the enumerator uses; what the solver finds is computed again there. No memory,
//! no relations: who reads from whom is `symbolic`'s business.

use ir::litmus::{Binary, Unary};
use logic::{Pool, Sort, TermId};
use memory::execution::Terms;
use memory::execution::term::Term;

/// Values as bit-vectors.
pub(super) struct Circuits {
    pub(super) pool: Pool,
    /// The value of each variable.
    pub(super) reads: Vec<TermId>,
}

impl Circuits {
    /// Circuits over so many variables.
    pub(super) fn new(n_variables: usize) -> Circuits {
        let mut pool = Pool::new();
        let declare = |_| {
            let variable = pool.declare("read", Sort::Bv(64));
            pool.var(variable)
        };
        let reads = (0..n_variables).map(declare).collect();
        Circuits { pool, reads }
    }

    /// A term over reads as a bit-vector of 64 bits.
    pub(super) fn translate(&mut self, terms: &Terms, id: memory::execution::TermId) -> TermId {
        match terms.get(id) {
            Term::Const(value) => self.pool.bv(64, value),
            Term::Read(variable) => self.reads[variable as usize],
            Term::Unary(op, width, operand) => {
                let operand = self.translate(terms, operand);
                self.unary(op, u32::from(width), operand)
            }
            Term::Binary(op, width, left, right) => {
                let (left, right) = (self.translate(terms, left), self.translate(terms, right));
                self.binary(op, u32::from(width), left, right)
            }
            Term::Select(condition, yes, no) => {
                let condition = self.translate(terms, condition);
                let (yes, no) = (self.translate(terms, yes), self.translate(terms, no));
                let zero = self.pool.bv(64, 0);
                let is_zero = self.pool.eq(condition, zero);
                self.pool.ite(is_zero, no, yes)
            }
        }
    }

    /// The low bits of a word.
    pub(super) fn low(&mut self, term: TermId, width: u32) -> TermId {
        if width == 64 { term } else { self.pool.extract(term, width - 1, 0) }
    }

    fn wide(&mut self, term: TermId, width: u32) -> TermId {
        if width == 64 { term } else { self.pool.zero_extend(term, 64) }
    }

    fn truth(&mut self, formula: TermId) -> TermId {
        let (one, zero) = (self.pool.bv(64, 1), self.pool.bv(64, 0));
        self.pool.ite(formula, one, zero)
    }

    fn unary(&mut self, op: Unary, width: u32, operand: TermId) -> TermId {
        let low = self.low(operand, width);
        match op {
            Unary::Not => {
                let result = self.pool.bv_not(low);
                self.wide(result, width)
            }
            Unary::Negate => {
                let result = self.pool.neg(low);
                self.wide(result, width)
            }
            Unary::SignExtend => {
                if width == 64 {
                    low
                } else {
                    self.pool.sign_extend(low, 64)
                }
            }
            Unary::ZeroExtend => self.wide(low, width),
            Unary::IsZero => {
                let zero = self.pool.bv(width, 0);
                let formula = self.pool.eq(low, zero);
                self.truth(formula)
            }
            Unary::Sign => {
                let bit = self.pool.extract(low, width - 1, width - 1);
                self.pool.zero_extend(bit, 64)
            }
            Unary::LeadingZeros => {
                let mut result = self.pool.bv(64, u64::from(width));
                for position in 0..width {
                    let bit = self.pool.extract(low, position, position);
                    let one = self.pool.bv(1, 1);
                    let is_set = self.pool.eq(bit, one);
                    let count = self.pool.bv(64, u64::from(width - 1 - position));
                    result = self.pool.ite(is_set, count, result);
                }
                result
            }
            Unary::ReverseBytes | Unary::ReverseBits => {
                let step = if op == Unary::ReverseBytes { 8 } else { 1 };
                let mut result = self.pool.extract(low, step - 1, 0);
                for position in 1..width / step {
                    let part = self.pool.extract(low, position * step + step - 1, position * step);
                    result = self.pool.concat(result, part);
                }
                self.wide(result, width)
            }
        }
    }

    fn binary(&mut self, op: Binary, width: u32, left: TermId, right: TermId) -> TermId {
        let (a, b) = (self.low(left, width), self.low(right, width));
        let zero = self.pool.bv(width, 0);
        let divides = self.pool.eq(b, zero);
        let result = match op {
            Binary::Add => self.pool.add(a, b),
            Binary::Sub => self.pool.sub(a, b),
            Binary::Mul => self.pool.mul(a, b),
            Binary::UDiv | Binary::SDiv => {
                let quotient = if op == Binary::UDiv { self.pool.udiv(a, b) } else { self.pool.sdiv(a, b) };
                self.pool.ite(divides, zero, quotient)
            }
            Binary::URem | Binary::SRem => {
                let rest = if op == Binary::URem { self.pool.urem(a, b) } else { self.pool.srem(a, b) };
                self.pool.ite(divides, a, rest)
            }
            Binary::And => self.pool.bv_and(a, b),
            Binary::Or => self.pool.bv_or(a, b),
            Binary::Xor => self.pool.bv_xor(a, b),
            Binary::AndNot => {
                let other = self.pool.bv_not(b);
                self.pool.bv_and(a, other)
            }
            Binary::Shl => self.pool.shl(a, b),
            Binary::Lshr => self.pool.lshr(a, b),
            Binary::Ashr => self.pool.ashr(a, b),
            Binary::Ror => {
                let modulus = self.pool.bv(width, u64::from(width));
                let by = self.pool.urem(b, modulus);
                let back = self.pool.sub(modulus, by);
                let (low, high) = (self.pool.lshr(a, by), self.pool.shl(a, back));
                self.pool.bv_or(low, high)
            }
            Binary::SMax | Binary::SMin | Binary::UMax | Binary::UMin => {
                let is_signed = matches!(op, Binary::SMax | Binary::SMin);
                let is_less = if is_signed { self.pool.slt(a, b) } else { self.pool.ult(a, b) };
                if matches!(op, Binary::SMax | Binary::UMax) {
                    self.pool.ite(is_less, b, a)
                } else {
                    self.pool.ite(is_less, a, b)
                }
            }
            Binary::Eq | Binary::Ne | Binary::Ult | Binary::Ule | Binary::Slt | Binary::Sle => {
                let formula = match op {
                    Binary::Eq => self.pool.eq(a, b),
                    Binary::Ne => self.pool.ne(a, b),
                    Binary::Ult => self.pool.ult(a, b),
                    Binary::Ule => self.pool.ule(a, b),
                    Binary::Slt => self.pool.slt(a, b),
                    _ => self.pool.sle(a, b),
                };
                return self.truth(formula);
            }
            Binary::Carry => {
                let sum = self.pool.add(a, b);
                let formula = self.pool.ult(sum, a);
                return self.truth(formula);
            }
            Binary::AddOverflow => {
                let formula = self.pool.add_overflows(true, a, b);
                return self.truth(formula);
            }
            Binary::SubOverflow => {
                let formula = self.pool.sub_overflows(true, a, b);
                return self.truth(formula);
            }
        };
        self.wide(result, width)
    }
}
