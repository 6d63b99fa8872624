//! Which operators build terms, and on which sorts?
//!
//! One closed set. Each variant states its exact meaning; `eval` (in `semantics`) is that meaning as code, and what a
//! solver back end has to agree with. What other operators can express is left to builders on `Pool`: implication,
//! exclusive or, disequality, the non-strict and swapped bit-vector comparisons, most overflow predicates.
//!
//! Every operator is total. Floats follow IEEE 754, rounding to nearest, ties to even, with one NaN.

use crate::sort::{FloatSort, Scalar, Sort};

/// An operator with its parameters; the operands are apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Op {
    /// `bool -> bool`: negation.
    Not,
    /// `bool^n -> bool`: all operands hold; true of none.
    And,
    /// `bool^n -> bool`: some operand holds; false of none.
    Or,
    /// `s s -> bool`: both are the same value. On floats this is identity, not IEEE equality: NaN equals NaN, and
    /// minus zero differs from zero. On arrays it is equality at every index.
    Eq,
    /// `bool s s -> s`: the second operand if the first holds, else the third.
    Ite,

    /// `bv -> bv`: two's complement, `0 - a` modulo 2^width.
    Neg,
    /// `bv bv -> bv`: sum modulo 2^width.
    Add,
    /// `bv bv -> bv`: difference modulo 2^width.
    Sub,
    /// `bv bv -> bv`: product modulo 2^width.
    Mul,
    /// `bv bv -> bv`: unsigned quotient; all ones if the divisor is zero.
    Udiv,
    /// `bv bv -> bv`: signed quotient rounded toward zero. By zero: 1 if the dividend is negative, else minus one.
    /// The smallest number divided by minus one is the smallest number.
    Sdiv,
    /// `bv bv -> bv`: unsigned remainder; the dividend if the divisor is zero.
    Urem,
    /// `bv bv -> bv`: signed remainder with the sign of the dividend (C's `%`); the dividend if the divisor is zero.
    Srem,
    /// `bv -> bv`: complement of each bit.
    BvNot,
    /// `bv bv -> bv`: bitwise and.
    BvAnd,
    /// `bv bv -> bv`: bitwise or.
    BvOr,
    /// `bv bv -> bv`: bitwise exclusive or.
    BvXor,
    /// `bv bv -> bv`: shift left by the second operand (unsigned, same width); zero from the width on.
    Shl,
    /// `bv bv -> bv`: shift right filling with zeros; zero from the width on.
    Lshr,
    /// `bv bv -> bv`: shift right filling with the sign; only sign bits from the width on.
    Ashr,
    /// `bv bv -> bool`: unsigned less than. `a <= b` is the negation of `b < a`.
    Ult,
    /// `bv bv -> bool`: signed less than.
    Slt,
    /// `bv_m bv_n -> bv_(m+n)`: the first operand becomes the high bits.
    Concat,
    /// `bv -> bv_(hi-lo+1)`: bits `hi` down to `lo`, both included, counted from the least significant as zero.
    Extract {
        /// The highest bit taken.
        hi: u32,
        /// The lowest bit taken.
        lo: u32,
    },
    /// `bv -> bv_w`: filled with zeros to this width, which is at least the operand's.
    ZeroExtend(u32),
    /// `bv -> bv_w`: filled with the sign to this width, which is at least the operand's.
    SignExtend(u32),
    /// `bv bv -> bool`: the product of the unsigned numbers is at least 2^width.
    UmulOverflows,
    /// `bv bv -> bool`: the product of the signed numbers is outside `-2^(width-1) .. 2^(width-1)`.
    SmulOverflows,

    /// `f f -> f`: IEEE sum.
    FAdd,
    /// `f f -> f`: IEEE difference.
    FSub,
    /// `f f -> f`: IEEE product.
    FMul,
    /// `f f -> f`: IEEE quotient.
    FDiv,
    /// `f f -> f`: C's `fmod`: `a - n*b` with `n` the exact quotient rounded toward zero; always exact, with the sign of
    /// `a`; NaN if `a` is infinite or `b` is zero. This is not the IEEE (and SMT-LIB) remainder, whose `n` is rounded
    /// to nearest.
    FRem,
    /// `f -> f`: the opposite sign; NaN stays NaN.
    FNeg,
    /// `f -> f`: sign cleared; NaN stays NaN.
    FAbs,
    /// `f -> f`: correctly rounded square root; of minus zero minus zero, of other negative numbers NaN.
    FSqrt,
    /// `f f -> bool`: IEEE equality: false if one is NaN, and minus zero equals zero.
    FEq,
    /// `f f -> bool`: IEEE less than: false if one is NaN.
    FLt,
    /// `f f -> bool`: IEEE less than or equal: false if one is NaN.
    FLe,
    /// `f -> bool`: is NaN.
    FIsNan,
    /// `f -> f'`: the nearest number of the other format (ties to even); infinities and NaN stay.
    FloatToFloat(FloatSort),
    /// `bv -> f`: the float nearest to the signed number (ties to even), infinity if beyond all finite ones.
    SbvToFloat(FloatSort),
    /// `bv -> f`: the float nearest to the unsigned number (ties to even), infinity if beyond all finite ones.
    UbvToFloat(FloatSort),
    /// `f -> bv_w`: rounded toward zero to a signed number. If that does not fit, or of NaN: only the top bit set.
    FloatToSbv(u32),
    /// `f -> bv_w`: rounded toward zero to an unsigned number. If that does not fit, or of NaN: only the top bit set.
    FloatToUbv(u32),
    /// `f -> bv_32` or `f -> bv_64`: the IEEE bits; of NaN the quiet one, positive, without payload.
    FloatToBits,
    /// `bv_32 -> f32` or `bv_64 -> f64`: the float with these IEEE bits; every NaN pattern yields the one NaN.
    FloatFromBits,

    /// `array(i, e) i -> e`: the element at an index.
    Select,
    /// `array(i, e) i e -> array(i, e)`: the array with one element replaced.
    Store,
    /// `e -> array(i, e)`: the array over this index sort that holds the operand everywhere.
    ConstArray(Scalar),
}

impl Op {
    /// The word for this operator in text, also the name of its builder on `Pool`.
    pub fn name(self) -> &'static str {
        match self {
            Op::Not => "not",
            Op::And => "and",
            Op::Or => "or",
            Op::Eq => "eq",
            Op::Ite => "ite",
            Op::Neg => "neg",
            Op::Add => "add",
            Op::Sub => "sub",
            Op::Mul => "mul",
            Op::Udiv => "udiv",
            Op::Sdiv => "sdiv",
            Op::Urem => "urem",
            Op::Srem => "srem",
            Op::BvNot => "bv_not",
            Op::BvAnd => "bv_and",
            Op::BvOr => "bv_or",
            Op::BvXor => "bv_xor",
            Op::Shl => "shl",
            Op::Lshr => "lshr",
            Op::Ashr => "ashr",
            Op::Ult => "ult",
            Op::Slt => "slt",
            Op::Concat => "concat",
            Op::Extract { .. } => "extract",
            Op::ZeroExtend(_) => "zero_extend",
            Op::SignExtend(_) => "sign_extend",
            Op::UmulOverflows => "umul_overflows",
            Op::SmulOverflows => "smul_overflows",
            Op::FAdd => "fadd",
            Op::FSub => "fsub",
            Op::FMul => "fmul",
            Op::FDiv => "fdiv",
            Op::FRem => "frem",
            Op::FNeg => "fneg",
            Op::FAbs => "fabs",
            Op::FSqrt => "fsqrt",
            Op::FEq => "feq",
            Op::FLt => "flt",
            Op::FLe => "fle",
            Op::FIsNan => "fis_nan",
            Op::FloatToFloat(_) => "float_to_float",
            Op::SbvToFloat(_) => "sbv_to_float",
            Op::UbvToFloat(_) => "ubv_to_float",
            Op::FloatToSbv(_) => "float_to_sbv",
            Op::FloatToUbv(_) => "float_to_ubv",
            Op::FloatToBits => "float_to_bits",
            Op::FloatFromBits => "float_from_bits",
            Op::Select => "select",
            Op::Store => "store",
            Op::ConstArray(_) => "const_array",
        }
    }

    /// Whether the two operands may be swapped (`And` and `Or` order theirs on their own).
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            Op::Eq
                | Op::Add
                | Op::Mul
                | Op::BvAnd
                | Op::BvOr
                | Op::BvXor
                | Op::UmulOverflows
                | Op::SmulOverflows
                | Op::FAdd
                | Op::FMul
                | Op::FEq
        )
    }

    /// The sort of the result for operands of these sorts, or what is wrong with them.
    pub fn result_sort(self, args: &[Sort]) -> Result<Sort, String> {
        use Sort::{Array, Bool, Bv};
        let sort = match (self, args) {
            (Op::And | Op::Or, sorts) if sorts.iter().all(|&sort| sort == Bool) => Some(Bool),
            (Op::Not, [Bool]) => Some(Bool),
            (Op::Eq, [a, b]) if a == b => Some(Bool),
            (Op::Ite, [Bool, a, b]) if a == b => Some(*a),
            (Op::Neg | Op::BvNot, &[Bv(width)]) => Some(Bv(width)),
            (
                Op::Add
                | Op::Sub
                | Op::Mul
                | Op::Udiv
                | Op::Sdiv
                | Op::Urem
                | Op::Srem
                | Op::BvAnd
                | Op::BvOr
                | Op::BvXor
                | Op::Shl
                | Op::Lshr
                | Op::Ashr,
                &[Bv(a), Bv(b)],
            ) if a == b => Some(Bv(a)),
            (Op::Ult | Op::Slt | Op::UmulOverflows | Op::SmulOverflows, &[Bv(a), Bv(b)]) if a == b => Some(Bool),
            (Op::Concat, &[Bv(a), Bv(b)]) => a.checked_add(b).map(Bv),
            (Op::Extract { hi, lo }, &[Bv(width)]) if lo <= hi && hi < width => Some(Bv(hi - lo + 1)),
            (Op::ZeroExtend(to) | Op::SignExtend(to), &[Bv(width)]) if to >= width => Some(Bv(to)),
            (Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem, [a, b]) if a == b && a.is_float() => Some(*a),
            (Op::FNeg | Op::FAbs | Op::FSqrt, [a]) if a.is_float() => Some(*a),
            (Op::FEq | Op::FLt | Op::FLe, [a, b]) if a == b && a.is_float() => Some(Bool),
            (Op::FIsNan, [a]) if a.is_float() => Some(Bool),
            (Op::FloatToFloat(to), [a]) if a.is_float() => Some(to.into()),
            (Op::SbvToFloat(to) | Op::UbvToFloat(to), [Bv(_)]) => Some(to.into()),
            (Op::FloatToSbv(to) | Op::FloatToUbv(to), [a]) if a.is_float() && to >= 1 => Some(Bv(to)),
            (Op::FloatToBits, [a]) => a.float().map(|float| Bv(float.width())),
            (Op::FloatFromBits, [Bv(32)]) => Some(Sort::F32),
            (Op::FloatFromBits, [Bv(64)]) => Some(Sort::F64),
            (Op::Select, &[Array(index, element), at]) if at == index.into() => Some(element.into()),
            (Op::Store, &[Array(index, element), at, new]) if at == index.into() && new == element.into() => {
                Some(Array(index, element))
            }
            (Op::ConstArray(index), [element]) => element.scalar().map(|element| Array(index, element)),
            _ => None,
        };
        sort.ok_or_else(|| {
            let sorts: Vec<String> = args.iter().map(|sort| format!("({sort})")).collect();
            format!(
                "{self:?} cannot be applied to {}",
                if sorts.is_empty() { "nothing".into() } else { sorts.join(" ") }
            )
        })
    }
}
