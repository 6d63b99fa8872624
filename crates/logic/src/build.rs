//! What are the handy ways to write a term?
//!
//! A method an operator, and the derived forms that have no operator of their own. Nothing here but spelling: all
//! methods end in `Pool::apply`, which checks sorts (and panics on misuse) and applies the rules of `simplify`; these build their results by the same methods.

use crate::op::Op;
use crate::pool::{Pool, TermId};
use crate::simplify::simplify;
use crate::sort::{FloatSort, Scalar, Sort};

macro_rules! builders {
    ($($(#[$doc:meta])* $name:ident ( $($arg:ident),* ) = $op:ident;)*) => {
        impl Pool {
    /// The operator on these operands, simplified; panics if their sorts do not fit.
    pub fn apply(&mut self, op: Op, args: &[TermId]) -> TermId {
        match self.check(op, args) {
            Ok(sort) => simplify(self, op, args, sort),
            Err(message) => panic!("{message}"),
        }
    }

            $($(#[$doc])* pub fn $name(&mut self, $($arg: TermId),*) -> TermId {
                self.apply(Op::$op, &[$($arg),*])
            })*
        }
    };
}

builders! {
    /// Negation.
    not(a) = Not;
    /// Both hold.
    and(a, b) = And;
    /// One holds, or both.
    or(a, b) = Or;
    /// The same value; on floats identity, see `Op::Eq`.
    eq(a, b) = Eq;
    /// `then` if `condition` holds, else `otherwise`.
    ite(condition, then, otherwise) = Ite;
    /// Two's complement.
    neg(a) = Neg;
    /// Sum, wrapping.
    add(a, b) = Add;
    /// Difference, wrapping.
    sub(a, b) = Sub;
    /// Product, wrapping.
    mul(a, b) = Mul;
    /// Unsigned quotient, see `Op::Udiv`.
    udiv(a, b) = Udiv;
    /// Signed quotient toward zero, see `Op::Sdiv`.
    sdiv(a, b) = Sdiv;
    /// Unsigned remainder, see `Op::Urem`.
    urem(a, b) = Urem;
    /// Signed remainder with the sign of the dividend, see `Op::Srem`.
    srem(a, b) = Srem;
    /// Bitwise complement.
    bv_not(a) = BvNot;
    /// Bitwise and.
    bv_and(a, b) = BvAnd;
    /// Bitwise or.
    bv_or(a, b) = BvOr;
    /// Bitwise exclusive or.
    bv_xor(a, b) = BvXor;
    /// Shift left, see `Op::Shl`.
    shl(a, amount) = Shl;
    /// Shift right with zeros, see `Op::Lshr`.
    lshr(a, amount) = Lshr;
    /// Shift right with the sign, see `Op::Ashr`.
    ashr(a, amount) = Ashr;
    /// Unsigned less than.
    ult(a, b) = Ult;
    /// Signed less than.
    slt(a, b) = Slt;
    /// `high` and `low` bits put together.
    concat(high, low) = Concat;
    /// IEEE sum.
    fadd(a, b) = FAdd;
    /// IEEE difference.
    fsub(a, b) = FSub;
    /// IEEE product.
    fmul(a, b) = FMul;
    /// IEEE quotient.
    fdiv(a, b) = FDiv;
    /// C's `fmod`.
    frem(a, b) = FRem;
    /// The opposite sign.
    fneg(a) = FNeg;
    /// The sign cleared.
    fabs(a) = FAbs;
    /// Square root.
    fsqrt(a) = FSqrt;
    /// IEEE equality.
    feq(a, b) = FEq;
    /// IEEE less than.
    flt(a, b) = FLt;
    /// IEEE less than or equal.
    fle(a, b) = FLe;
    /// Is NaN.
    fis_nan(a) = FIsNan;
    /// The IEEE bits.
    float_to_bits(a) = FloatToBits;
    /// The float with these IEEE bits (32 or 64 of them).
    float_from_bits(a) = FloatFromBits;
    /// The element of `array` at `index`.
    select(array, index) = Select;
    /// `array` with the element at `index` replaced.
    store(array, index, element) = Store;
}

impl Pool {
    /// All hold; true of none.
    pub fn and_all(&mut self, terms: &[TermId]) -> TermId {
        self.apply(Op::And, terms)
    }

    /// Some holds; false of none.
    pub fn or_all(&mut self, terms: &[TermId]) -> TermId {
        self.apply(Op::Or, terms)
    }

    /// Exactly one of two truth values holds.
    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        assert_eq!(self.sort(a), Sort::Bool, "xor is on truth values; bv_xor is the bitwise one");
        self.ne(a, b)
    }

    /// `b` holds if `a` does.
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    /// Different values.
    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// Unsigned less than or equal.
    pub fn ule(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.ult(b, a);
        self.not(greater)
    }

    /// Unsigned greater than.
    pub fn ugt(&mut self, a: TermId, b: TermId) -> TermId {
        self.ult(b, a)
    }

    /// Unsigned greater than or equal.
    pub fn uge(&mut self, a: TermId, b: TermId) -> TermId {
        self.ule(b, a)
    }

    /// Signed less than or equal.
    pub fn sle(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.slt(b, a);
        self.not(greater)
    }

    /// Signed greater than.
    pub fn sgt(&mut self, a: TermId, b: TermId) -> TermId {
        self.slt(b, a)
    }

    /// Signed greater than or equal.
    pub fn sge(&mut self, a: TermId, b: TermId) -> TermId {
        self.sle(b, a)
    }

    /// Bits `hi` down to `lo`, both included.
    pub fn extract(&mut self, a: TermId, hi: u32, lo: u32) -> TermId {
        self.apply(Op::Extract { hi, lo }, &[a])
    }

    /// Filled with zeros to `width` bits in all.
    pub fn zero_extend(&mut self, a: TermId, width: u32) -> TermId {
        self.apply(Op::ZeroExtend(width), &[a])
    }

    /// Filled with the sign to `width` bits in all.
    pub fn sign_extend(&mut self, a: TermId, width: u32) -> TermId {
        self.apply(Op::SignExtend(width), &[a])
    }

    /// Cut down or extended (with the sign if `signed`) to `width` bits: what a C integer conversion does.
    pub fn resize(&mut self, a: TermId, signed: bool, width: u32) -> TermId {
        let from = self.bv_width(a);
        if width < from {
            self.extract(a, width - 1, 0)
        } else if signed {
            self.sign_extend(a, width)
        } else {
            self.zero_extend(a, width)
        }
    }

    /// The nearest number of another float format (`Sort`, `Scalar` or `FloatSort`).
    pub fn float_to_float(&mut self, a: TermId, to: impl Into<Sort>) -> TermId {
        self.apply(Op::FloatToFloat(float_sort(to.into())), &[a])
    }

    /// The float nearest to a signed number.
    pub fn sbv_to_float(&mut self, a: TermId, to: impl Into<Sort>) -> TermId {
        self.apply(Op::SbvToFloat(float_sort(to.into())), &[a])
    }

    /// The float nearest to an unsigned number.
    pub fn ubv_to_float(&mut self, a: TermId, to: impl Into<Sort>) -> TermId {
        self.apply(Op::UbvToFloat(float_sort(to.into())), &[a])
    }

    /// Rounded toward zero to a signed number; only the top bit set if that does not fit or of NaN.
    pub fn float_to_sbv(&mut self, a: TermId, width: u32) -> TermId {
        self.apply(Op::FloatToSbv(width), &[a])
    }

    /// Rounded toward zero to an unsigned number; only the top bit set if that does not fit or of NaN.
    pub fn float_to_ubv(&mut self, a: TermId, width: u32) -> TermId {
        self.apply(Op::FloatToUbv(width), &[a])
    }

    /// The array over the index sort that holds `element` everywhere.
    pub fn const_array(&mut self, index: Scalar, element: TermId) -> TermId {
        self.apply(Op::ConstArray(index), &[element])
    }

    /// The exact sum does not fit.
    pub fn add_overflows(&mut self, signed: bool, a: TermId, b: TermId) -> TermId {
        let sum = self.add(a, b);
        if !signed {
            return self.ult(sum, a);
        }
        // Only operands of one sign can overflow, and then the sum has the other sign.
        let (a_negative, b_negative) = (self.is_negative(a), self.is_negative(b));
        let sum_negative = self.is_negative(sum);
        let same = self.eq(a_negative, b_negative);
        let flipped = self.ne(sum_negative, a_negative);
        self.and(same, flipped)
    }

    /// The exact difference does not fit.
    pub fn sub_overflows(&mut self, signed: bool, a: TermId, b: TermId) -> TermId {
        if !signed {
            return self.ult(a, b);
        }
        let difference = self.sub(a, b);
        let (a_negative, b_negative) = (self.is_negative(a), self.is_negative(b));
        let difference_negative = self.is_negative(difference);
        let differ = self.ne(a_negative, b_negative);
        let flipped = self.ne(difference_negative, a_negative);
        self.and(differ, flipped)
    }

    /// The exact product does not fit.
    pub fn mul_overflows(&mut self, signed: bool, a: TermId, b: TermId) -> TermId {
        self.apply(if signed { Op::SmulOverflows } else { Op::UmulOverflows }, &[a, b])
    }

    /// The exact opposite does not fit: of the smallest signed number, or of any unsigned number but zero.
    pub fn neg_overflows(&mut self, signed: bool, a: TermId) -> TermId {
        let width = self.bv_width(a);
        if signed {
            let smallest = self.signed_min(width);
            self.eq(a, smallest)
        } else {
            let zero = self.bv(width, 0);
            self.ne(a, zero)
        }
    }

    /// The signed quotient does not fit: the smallest number divided by minus one. Division by zero is another matter.
    pub fn sdiv_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.bv_width(a);
        let (smallest, one) = (self.signed_min(width), self.bv(width, 1));
        let minus_one = self.neg(one);
        let (extreme, flips) = (self.eq(a, smallest), self.eq(b, minus_one));
        self.and(extreme, flips)
    }

    fn signed_min(&mut self, width: u32) -> TermId {
        self.constant(crate::Value::Bv(crate::BitVec::signed_min(width)))
    }

    fn is_negative(&mut self, a: TermId) -> TermId {
        let width = self.bv_width(a);
        let zero = self.bv(width, 0);
        self.slt(a, zero)
    }

    /// The width of a bit-vector term; panics on other sorts.
    pub fn bv_width(&self, a: TermId) -> u32 {
        match self.sort(a) {
            Sort::Bv(width) => width,
            other => panic!("expected a bit-vector, found a term of sort {other}"),
        }
    }
}

fn float_sort(sort: Sort) -> FloatSort {
    sort.float().unwrap_or_else(|| panic!("expected a float sort, found {sort}"))
}
