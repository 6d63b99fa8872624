//! What do operators give on values that may be terms?
//!
//! Constants are folded without a term. Integers are terms of 64 bits whose range is known: inputs have 32 bits, and a result whose range
//! fits into 64 bits is exact. Where it might not fit, the condition under which it does not is handed back, and nobody goes on under it.

use crate::symbolic::state::Val;
use ir::oox::{BinaryOp, UnaryOp};
use logic::{Node, Op, Pool, TermId, Value};
use rustc_hash::FxHashMap;

/// Terms with the ranges of the integers among them.
pub(crate) struct Terms {
    pub(crate) pool: Pool,
    ranges: FxHashMap<TermId, (i128, i128)>,
}

/// A result with the conditions under which there is none.
pub(crate) struct Computed {
    pub(crate) val: Val,
    /// Under this condition there is an exception.
    pub(crate) raises: Option<Val>,
    /// Under this condition the result does not fit.
    pub(crate) overflows: Option<TermId>,
}

const ALL: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);

impl Terms {
    pub(crate) fn new() -> Terms {
        Terms { pool: Pool::new(), ranges: FxHashMap::default() }
    }

    /// An integer as a term.
    pub(crate) fn int(&mut self, val: Val) -> TermId {
        match val {
            Val::Int(value) => self.pool.bv(64, value as u64),
            Val::Term(term) => term,
            _ => self.pool.bv(64, 0),
        }
    }

    /// A truth value as a term.
    pub(crate) fn truth(&mut self, val: Val) -> TermId {
        match val {
            Val::Term(term) => term,
            Val::Bool(value) => self.pool.bool(value),
            _ => self.pool.bool(false),
        }
    }

    /// A float as a term.
    pub(crate) fn float(&mut self, val: Val) -> TermId {
        match val {
            Val::Term(term) => term,
            Val::Float(bits) => self.pool.constant(Value::f64(f64::from_bits(bits))),
            _ => self.pool.constant(Value::f64(0.0)),
        }
    }

    /// Any scalar as a term.
    pub(crate) fn any(&mut self, val: Val) -> TermId {
        match val {
            Val::Bool(_) => self.truth(val),
            Val::Float(_) => self.float(val),
            _ => self.int(val),
        }
    }

    /// A term as a value: constants are values of their own.
    pub(crate) fn val(&self, term: TermId) -> Val {
        match self.pool.as_const(term) {
            Some(Value::Bool(value)) => Val::Bool(*value),
            Some(value @ Value::Bv(_)) => Val::Int(value.as_bv().as_i64()),
            Some(value @ Value::F64(_)) => Val::Float(value.as_f64().to_bits()),
            _ => Val::Term(term),
        }
    }

    /// The negation.
    pub(crate) fn not(&mut self, val: Val) -> Val {
        match val {
            Val::Bool(value) => Val::Bool(!value),
            _ => {
                let term = self.truth(val);
                let not = self.pool.not(term);
                self.val(not)
            }
        }
    }

    /// Both.
    pub(crate) fn and(&mut self, a: Val, b: Val) -> Val {
        match (a, b) {
            (Val::Bool(false), _) | (_, Val::Bool(false)) => Val::Bool(false),
            (Val::Bool(true), other) | (other, Val::Bool(true)) => other,
            _ => {
                let (a, b) = (self.truth(a), self.truth(b));
                let both = self.pool.and(a, b);
                self.val(both)
            }
        }
    }

    /// Either.
    pub(crate) fn or(&mut self, a: Val, b: Val) -> Val {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    /// One or the other; both scalars of one type.
    pub(crate) fn ite(&mut self, cond: Val, then: Val, otherwise: Val) -> Val {
        match cond {
            Val::Bool(true) => then,
            Val::Bool(false) => otherwise,
            _ if then == otherwise => then,
            _ => {
                let range = match (then, otherwise) {
                    (Val::Int(_) | Val::Term(_), Val::Int(_) | Val::Term(_)) => {
                        let (a, b) = (self.range(then), self.range(otherwise));
                        Some((a.0.min(b.0), a.1.max(b.1)))
                    }
                    _ => None,
                };
                let (cond, a, b) = (self.truth(cond), self.any(then), self.any(otherwise));
                let term = self.pool.ite(cond, a, b);
                if let Some(range) = range {
                    self.ranges.entry(term).or_insert(range);
                }
                self.val(term)
            }
        }
    }

    /// Whether two scalars of one type are equal.
    pub(crate) fn eq(&mut self, a: Val, b: Val) -> Val {
        if a == b {
            return Val::Bool(true);
        }
        if !matches!(a, Val::Term(_)) && !matches!(b, Val::Term(_)) {
            return Val::Bool(false);
        }
        if let (Val::Int(_), _) | (_, Val::Int(_)) = (a, b) {
            let (x, y) = (self.range(a), self.range(b));
            if x.1 < y.0 || y.1 < x.0 {
                return Val::Bool(false);
            }
        }
        let (a, b) = match (a, b) {
            // The other one tells which sort a term has.
            (Val::Term(term), other) => (term, self.any(other)),
            (other, Val::Term(term)) => (self.any(other), term),
            _ => unreachable!("one of them is a term"),
        };
        let term = self.pool.eq(a, b);
        self.val(term)
    }

    /// Whether one integer is less than another.
    pub(crate) fn lt(&mut self, a: Val, b: Val) -> Val {
        if let (Val::Int(a), Val::Int(b)) = (a, b) {
            return Val::Bool(a < b);
        }
        let (x, y) = (self.range(a), self.range(b));
        if x.1 < y.0 {
            return Val::Bool(true);
        }
        if x.0 >= y.1 {
            return Val::Bool(false);
        }
        let (a, b) = (self.int(a), self.int(b));
        let term = self.pool.slt(a, b);
        self.val(term)
    }

    /// The least and greatest value an integer can have.
    pub(crate) fn range(&self, val: Val) -> (i128, i128) {
        match val {
            Val::Int(value) => (i128::from(value), i128::from(value)),
            Val::Term(term) => self.ranges.get(&term).copied().unwrap_or_else(|| self.range_of_node(term)),
            _ => ALL,
        }
    }

    /// Whether an integer term is known not to wrap.
    pub(crate) fn is_exact(&self, term: TermId) -> bool {
        self.ranges.contains_key(&term)
    }

    fn range_of_node(&self, term: TermId) -> (i128, i128) {
        let Node::App { op, args } = self.pool.node(term) else { return ALL };
        let Some(width) = self.pool.sort(args[0]).width() else { return ALL };
        match op {
            Op::SignExtend(_) if width < 64 => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
            Op::ZeroExtend(_) if width < 64 => (0, (1i128 << width) - 1),
            _ => ALL,
        }
    }

    /// An input of so many bits, as an integer.
    pub(crate) fn input(&mut self, name: &str, bits: u32, is_signed: bool) -> Val {
        let var = self.pool.declare(name, logic::Sort::Bv(bits));
        let term = self.pool.var(var);
        Val::Term(self.pool.resize(term, is_signed, 64))
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, a: Val) -> Computed {
        match op {
            UnaryOp::Not => plain(self.not(a)),
            UnaryOp::Neg => self.arithmetic(BinaryOp::Sub, Val::Int(0), a),
            UnaryOp::FloatNeg => {
                let term = self.float(a);
                let negated = self.pool.fneg(term);
                plain(self.val(negated))
            }
        }
    }

    /// Everything but the logical operators and equality of references.
    pub(crate) fn binary(&mut self, op: BinaryOp, a: Val, b: Val) -> Computed {
        match op {
            BinaryOp::Eq => plain(self.eq(a, b)),
            BinaryOp::Ne => {
                let equal = self.eq(a, b);
                plain(self.not(equal))
            }
            BinaryOp::Lt => plain(self.lt(a, b)),
            BinaryOp::Le => {
                let greater = self.lt(b, a);
                plain(self.not(greater))
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => self.arithmetic(op, a, b),
            BinaryOp::UintSub => {
                let is_below = self.lt(a, b);
                let mut result = self.arithmetic(BinaryOp::Sub, a, b);
                result.raises = Some(is_below);
                result
            }
            BinaryOp::Div | BinaryOp::Rem => self.division(op, a, b),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => unreachable!("the evaluator does these"),
            _ => plain(self.floats(op, a, b)),
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, a: Val, b: Val) -> Computed {
        let ((al, ah), (bl, bh)) = (self.range(a), self.range(b));
        let range = match op {
            BinaryOp::Add => (al + bl, ah + bh),
            BinaryOp::Sub => (al - bh, ah - bl),
            _ => {
                let all = [al.saturating_mul(bl), al.saturating_mul(bh), ah.saturating_mul(bl), ah.saturating_mul(bh)];
                (all.into_iter().min().expect("four"), all.into_iter().max().expect("four"))
            }
        };
        let (x, y) = (self.int(a), self.int(b));
        let term = match op {
            BinaryOp::Add => self.pool.add(x, y),
            BinaryOp::Sub => self.pool.sub(x, y),
            _ => self.pool.mul(x, y),
        };
        let mut result = plain(self.val(term));
        if range.0 >= ALL.0 && range.1 <= ALL.1 {
            self.ranges.entry(term).or_insert(range);
        } else {
            let overflows = match op {
                BinaryOp::Add => self.pool.add_overflows(true, x, y),
                BinaryOp::Sub => self.pool.sub_overflows(true, x, y),
                _ => self.pool.mul_overflows(true, x, y),
            };
            result.overflows = Some(overflows);
        }
        result
    }

    fn division(&mut self, op: BinaryOp, a: Val, b: Val) -> Computed {
        let is_zero = self.eq(b, Val::Int(0));
        let ((al, ah), (bl, bh)) = (self.range(a), self.range(b));
        let (x, y) = (self.int(a), self.int(b));
        let largest = al.abs().max(ah.abs());
        let (term, range) = match op {
            BinaryOp::Div => {
                let sign = if al >= 0 && bl >= 0 { 0 } else { -largest };
                (self.pool.sdiv(x, y), (sign, largest))
            }
            _ => {
                let below = largest.min((bl.abs().max(bh.abs()) - 1).max(0));
                (self.pool.srem(x, y), (if al >= 0 { 0 } else { -below }, below))
            }
        };
        let mut result = plain(self.val(term));
        result.raises = Some(is_zero);
        if range.1 <= ALL.1 {
            self.ranges.entry(term).or_insert(range);
        } else if op == BinaryOp::Div {
            result.overflows = Some(self.pool.sdiv_overflows(x, y));
        }
        result
    }

    fn floats(&mut self, op: BinaryOp, a: Val, b: Val) -> Val {
        let (x, y) = (self.float(a), self.float(b));
        let term = match op {
            BinaryOp::FloatEq => self.pool.feq(x, y),
            BinaryOp::FloatNe => {
                let equal = self.pool.feq(x, y);
                self.pool.not(equal)
            }
            BinaryOp::FloatLt => self.pool.flt(x, y),
            BinaryOp::FloatLe => self.pool.fle(x, y),
            BinaryOp::FloatAdd => self.pool.fadd(x, y),
            BinaryOp::FloatSub => self.pool.fsub(x, y),
            BinaryOp::FloatMul => self.pool.fmul(x, y),
            BinaryOp::FloatDiv => self.pool.fdiv(x, y),
            _ => self.pool.frem(x, y),
        };
        self.val(term)
    }
}

fn plain(val: Val) -> Computed {
    Computed { val, raises: None, overflows: None }
}
