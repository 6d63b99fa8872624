//! What does C arithmetic mean on terms, and what must be checked before it?
//!
//! Operands come already promoted and converted. Signed operations are guarded by an overflow check, divisions by a check of
//! the divisor; a check that constant folding settles is left out. When a property does not ask for overflow, the
//! same operations wrap around, as compiled code does, but for divisions, which trap.

use crate::c::lower::body::Body;
use crate::c::lower::model_types::{is_signed, scalar_of};
use crate::c::typed::{BinaryOp, UnaryOp};
use crate::c::types::{IntKind, Type, TypeId};
use ir::{CheckKind, HavocKind, Op, Property};
use logic::{BitVec, Pool, Scalar, Sort, TermId, Value};

impl Body<'_, '_> {
    /// `a op b`, both of type `ty` (for shifts, `b` may have another type); a truth value for comparisons.
    pub(in crate::c::lower) fn binary(&mut self, op: BinaryOp, ty: TypeId, a: TermId, b: TermId) -> TermId {
        let signed = is_signed(self.types(), ty);
        if self.pool().sort(a).is_float() {
            return self.float_binary(op, a, b);
        }
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                if signed {
                    let overflows = self.overflows(op, a, b);
                    self.check_not(overflows, CheckKind::Overflow);
                }
                self.wrapping(op, a, b)
            }
            BinaryOp::Div | BinaryOp::Rem => {
                let sort = self.pool().sort(b);
                let zero = self.zero(sort);
                let is_zero = self.pool().eq(b, zero);
                self.check_not(is_zero, CheckKind::Division);
                if signed {
                    let overflows = self.pool().sdiv_overflows(a, b);
                    self.check_quotient(overflows);
                }
                let pool = self.pool();
                match (op, signed) {
                    (BinaryOp::Div, true) => pool.sdiv(a, b),
                    (BinaryOp::Div, false) => pool.udiv(a, b),
                    (_, true) => pool.srem(a, b),
                    (_, false) => pool.urem(a, b),
                }
            }
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, signed, a, b),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => self.wrapping(op, a, b),
            BinaryOp::Eq => self.pool().eq(a, b),
            BinaryOp::Ne => self.pool().ne(a, b),
            BinaryOp::Lt => self.less(signed, a, b),
            BinaryOp::Gt => self.less(signed, b, a),
            BinaryOp::Le => {
                let greater = self.less(signed, b, a);
                self.pool().not(greater)
            }
            BinaryOp::Ge => {
                let less = self.less(signed, a, b);
                self.pool().not(less)
            }
        }
    }

    /// A quotient that its type does not have is an overflow, and traps like a division by zero where nobody asks about overflow. Inside of
    /// an update it depends on what was read, and is looked at right after it.
    pub(in crate::c::lower) fn check_quotient(&mut self, overflows: TermId) {
        if self.wraps {
            self.traps = Some(overflows);
            return;
        }
        let is_asked = self.lw.properties.has(Property::Overflow);
        self.check_not(overflows, if is_asked { CheckKind::Overflow } else { CheckKind::Division });
    }

    /// Whether a signed sum, difference or product does not fit; a bound on the other operand if one is constant.
    pub(super) fn overflows(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        let constant = |pool: &Pool, term| match pool.as_const(term) {
            Some(Value::Bv(value)) => Some(value.clone()),
            _ => None,
        };
        let pool = self.pool();
        let (step, other) = match (op, constant(pool, a), constant(pool, b)) {
            (BinaryOp::Add, _, Some(step)) => (step, a),
            (BinaryOp::Add, Some(step), _) => (step, b),
            (BinaryOp::Sub, _, Some(step)) if step != BitVec::signed_min(step.width()) => (step.neg(), a),
            (BinaryOp::Add, None, None) => return pool.add_overflows(true, a, b),
            (BinaryOp::Sub, _, _) => return pool.sub_overflows(true, a, b),
            _ => return pool.mul_overflows(true, a, b),
        };
        let width = step.width();
        if step.is_negative() {
            let least = pool.constant(Value::Bv(BitVec::signed_min(width).sub(&step)));
            pool.slt(other, least)
        } else {
            let most = pool.constant(Value::Bv(BitVec::signed_max(width).sub(&step)));
            pool.slt(most, other)
        }
    }

    fn less(&mut self, signed: bool, a: TermId, b: TermId) -> TermId {
        if signed { self.pool().slt(a, b) } else { self.pool().ult(a, b) }
    }

    pub(super) fn check_not(&mut self, bad: TermId, kind: CheckKind) {
        let good = self.pool().not(bad);
        self.check(good, kind);
    }

    /// The operations that cannot go wrong: modulo 2^width.
    pub(in crate::c::lower) fn wrapping(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        let pool = self.pool();
        match op {
            BinaryOp::Add => pool.add(a, b),
            BinaryOp::Sub => pool.sub(a, b),
            BinaryOp::Mul => pool.mul(a, b),
            BinaryOp::And => pool.bv_and(a, b),
            BinaryOp::Or => pool.bv_or(a, b),
            BinaryOp::Xor => pool.bv_xor(a, b),
            other => unreachable!("{other:?} is not one of them"),
        }
    }

    fn shift(&mut self, op: BinaryOp, signed: bool, a: TermId, amount: TermId) -> TermId {
        let (sort, amount_sort) = (self.pool().sort(a), self.pool().sort(amount));
        let width = sort.width().expect("integers have a width");
        let amount_width = amount_sort.width().expect("integers have a width");
        let limit = self.pool().bv(amount_width, u64::from(width));
        let fits = self.pool().ult(amount, limit);
        self.check(fits, CheckKind::Overflow);
        let amount = if amount_width > width {
            // A large amount must stay large when it is cut.
            let all = self.pool().bv(width, u64::from(width));
            let cut = self.pool().extract(amount, width - 1, 0);
            self.pool().ite(fits, cut, all)
        } else {
            self.pool().zero_extend(amount, width)
        };
        match op {
            BinaryOp::Shr if signed => {
                let shifted = self.pool().ashr(a, amount);
                self.if_defined(fits, shifted)
            }
            BinaryOp::Shr => {
                let shifted = self.pool().lshr(a, amount);
                self.if_defined(fits, shifted)
            }
            _ => {
                let shifted = self.pool().shl(a, amount);
                if signed {
                    let back = self.pool().ashr(shifted, amount);
                    let same = self.pool().eq(back, a);
                    let zero = self.zero(sort);
                    let not_negative = self.pool().sge(a, zero);
                    let fine = self.pool().and(same, not_negative);
                    self.check(fine, CheckKind::Overflow);
                }
                self.if_defined(fits, shifted)
            }
        }
    }

    fn float_binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        let pool = self.pool();
        match op {
            BinaryOp::Add => pool.fadd(a, b),
            BinaryOp::Sub => pool.fsub(a, b),
            BinaryOp::Mul => pool.fmul(a, b),
            BinaryOp::Div => pool.fdiv(a, b),
            BinaryOp::Eq => pool.feq(a, b),
            BinaryOp::Ne => {
                let equal = pool.feq(a, b);
                pool.not(equal)
            }
            BinaryOp::Lt => pool.flt(a, b),
            BinaryOp::Gt => pool.flt(b, a),
            BinaryOp::Le => pool.fle(a, b),
            BinaryOp::Ge => pool.fle(b, a),
            other => unreachable!("{other:?} has no float operands"),
        }
    }

    /// `op a`, the operand of type `ty`.
    pub(in crate::c::lower) fn unary(&mut self, op: UnaryOp, ty: TypeId, a: TermId) -> TermId {
        match op {
            UnaryOp::LogicalNot => {
                let truth = self.truth(a);
                let not = self.pool().not(truth);
                self.int_of(not)
            }
            UnaryOp::Not => self.pool().bv_not(a),
            UnaryOp::Neg if self.pool().sort(a).is_float() => self.pool().fneg(a),
            UnaryOp::Neg => {
                if is_signed(self.types(), ty) {
                    let overflows = self.pool().neg_overflows(true, a);
                    self.check_not(overflows, CheckKind::Overflow);
                }
                self.pool().neg(a)
            }
        }
    }

    /// Whether a scalar is not zero.
    pub(in crate::c::lower) fn truth(&mut self, a: TermId) -> TermId {
        let sort = self.pool().sort(a);
        let zero = self.zero(sort);
        if sort.is_float() {
            let equal = self.pool().feq(a, zero);
            return self.pool().not(equal);
        }
        self.pool().ne(a, zero)
    }

    /// A truth value as C's `int`.
    pub(in crate::c::lower) fn int_of(&mut self, truth: TermId) -> TermId {
        let (one, zero) = (self.pool().bv(32, 1), self.pool().bv(32, 0));
        self.pool().ite(truth, one, zero)
    }

    /// Converts a scalar between C types.
    pub(in crate::c::lower) fn convert(&mut self, value: TermId, from: TypeId, to: TypeId) -> TermId {
        let types = self.types();
        if matches!(types.get(to), Type::Int(IntKind::Bool)) && from != to {
            let truth = self.truth(value);
            let (one, zero) = (self.pool().bv(8, 1), self.pool().bv(8, 0));
            return self.pool().ite(truth, one, zero);
        }
        match scalar_of(types, to) {
            Some(scalar) => self.convert_to(value, is_signed(types, from), scalar, is_signed(types, to)),
            None => value,
        }
    }

    /// Converts a value to another sort.
    pub(in crate::c::lower) fn convert_to(
        &mut self,
        value: TermId,
        from_signed: bool,
        to: Scalar,
        to_signed: bool,
    ) -> TermId {
        let from = self.pool().sort(value);
        if let (Sort::F32 | Sort::F64, Scalar::Bv(width)) = (from, to) {
            return self.float_to_integer(value, width, to_signed);
        }
        let pool = self.pool();
        match (from, to) {
            (Sort::Bv(_), Scalar::Bv(width)) => pool.resize(value, from_signed, width),
            (Sort::Bv(_), Scalar::F32 | Scalar::F64) if from_signed => pool.sbv_to_float(value, to),
            (Sort::Bv(_), Scalar::F32 | Scalar::F64) => pool.ubv_to_float(value, to),
            (Sort::F32 | Sort::F64, Scalar::Bv(_)) => unreachable!("these have returned"),
            (Sort::F32, Scalar::F32) | (Sort::F64, Scalar::F64) => value,
            (Sort::F32 | Sort::F64, Scalar::F32 | Scalar::F64) => pool.float_to_float(value, to),
            (Sort::Bool, _) | (Sort::Array(..), _) | (_, Scalar::Bool) => unreachable!("C scalars are numbers"),
        }
    }

    /// Cuts off what is behind the point. What does not fit then is any number: C leaves it open.
    fn float_to_integer(&mut self, value: TermId, width: u32, is_signed: bool) -> TermId {
        let fits = self.fits_integer(value, width, is_signed);
        let pool = self.pool();
        let number = if is_signed { pool.float_to_sbv(value, width) } else { pool.float_to_ubv(value, width) };
        self.if_defined(fits, number)
    }

    /// A number where a condition holds, and any where it does not: C leaves that open.
    fn if_defined(&mut self, fits: TermId, number: TermId) -> TermId {
        // What the models compute is defined.
        if self.is_model() { number } else { self.known_if(fits, number, HavocKind::Choice) }
    }

    /// A number where a condition holds, and any of this kind where it does not.
    pub(in crate::c::lower) fn known_if(&mut self, is_known: TermId, number: TermId, otherwise: HavocKind) -> TermId {
        if self.as_truth(is_known) == Some(true) {
            return number;
        }
        let sort = self.pool().sort(number);
        if self.wraps {
            // Inside of an update nothing can be done but choose before.
            let any = self.havoc(sort, otherwise);
            return self.pool().ite(is_known, number, any);
        }
        let result = self.temporary(sort);
        let (yes, no, end) = (self.new_loc(), self.new_loc(), self.new_loc());
        self.branch_on(is_known, yes, no);
        self.resume_at(yes);
        self.emit(Op::Assign { var: result, value: number });
        self.goto(end);
        self.resume_at(no);
        self.emit(Op::Havoc { var: result, kind: otherwise });
        self.goto(end);
        self.resume_at(end);
        self.var(result)
    }

    /// Whether a floating-point number without its fraction is one of an integer type.
    fn fits_integer(&mut self, value: TermId, width: u32, is_signed: bool) -> TermId {
        let is_single = self.pool().sort(value) == Sort::F32;
        let precision = if is_single { f32::MANTISSA_DIGITS } else { f64::MANTISSA_DIGITS };
        let float = |this: &mut Self, number: f64| {
            this.pool().constant(if is_single { Value::f32(number as f32) } else { Value::f64(number) })
        };
        let high = 2f64.powi(if is_signed { width as i32 - 1 } else { width as i32 });
        let high = float(self, high);
        let is_below = self.pool().flt(value, high);
        let is_above = match is_signed {
            false => {
                let low = float(self, -1.0);
                self.pool().flt(low, value)
            }
            // The first number that is too small, if the format has it.
            true if width <= precision => {
                let low = float(self, -(2f64.powi(width as i32 - 1)) - 1.0);
                self.pool().flt(low, value)
            }
            true => {
                let low = float(self, -(2f64.powi(width as i32 - 1)));
                self.pool().fle(low, value)
            }
        };
        self.pool().and(is_above, is_below)
    }

    /// A number of a type.
    pub(in crate::c::lower) fn number(&mut self, value: i128, ty: TypeId) -> TermId {
        match self.scalar(ty) {
            Some(Scalar::Bv(width)) => {
                let value = Value::Bv(BitVec::from_i128(width, value));
                self.pool().constant(value)
            }
            Some(Scalar::F32) => self.pool().constant(Value::f32(value as f32)),
            Some(Scalar::F64) => self.pool().constant(Value::f64(value as f64)),
            Some(Scalar::Bool) | None => self.pool().bv(32, value as u64),
        }
    }

    /// `pointer + index * size` (or minus), the index of an integer type.
    pub(in crate::c::lower) fn pointer_add(
        &mut self,
        pointer: TermId,
        index: TermId,
        index_ty: TypeId,
        size: u64,
        is_sub: bool,
    ) -> TermId {
        let word = self.word_bits();
        let signed = is_signed(self.types(), index_ty);
        let index = self.pool().resize(index, signed, word);
        let size = self.word(size);
        let distance = self.pool().mul(index, size);
        if is_sub { self.pool().sub(pointer, distance) } else { self.pool().add(pointer, distance) }
    }
}
