//! What does each operator compute?
//!
//! The one executable definition: constant folding, evaluation and the tests of every simplification go through `eval`.
//! Bit-vector arithmetic itself is in `bitvec`, the float conversions that Rust has no operator for in `float`.
//!
//! Invariant: float results have the one NaN. Operands are trusted to be of the right sorts (`Op::result_sort` checks
//! them where terms are built).

use smallvec::SmallVec;

use crate::op::Op;
use crate::sort::FloatSort;
use crate::value::bitvec::BitVec;
use crate::value::{ArrayValue, Value, float};

/// The operands of one application.
pub type Operands = SmallVec<[Value; 3]>;

impl Op {
    /// The value of this operator on concrete operands of fitting sorts; panics on others.
    pub fn eval(self, args: Operands) -> Value {
        match self {
            Op::And => return Value::Bool(args.iter().all(Value::as_bool)),
            Op::Or => return Value::Bool(args.iter().any(Value::as_bool)),
            _ => {}
        }
        let mut args = args.into_iter();
        match (args.next(), args.next(), args.next(), args.next()) {
            (Some(a), None, None, None) => self.eval_unary(a),
            (Some(a), Some(b), None, None) => self.eval_binary(a, b),
            (Some(a), Some(b), Some(c), None) => match (self, a) {
                (Op::Ite, Value::Bool(condition)) => {
                    if condition {
                        b
                    } else {
                        c
                    }
                }
                (Op::Store, Value::Array(array)) => Value::Array(array.store(b, c)),
                _ => panic!("{self:?} does not take three such operands"),
            },
            _ => panic!("{self:?} applied to a wrong number of operands"),
        }
    }

    fn eval_unary(self, a: Value) -> Value {
        match self {
            Op::Not => Value::Bool(!a.as_bool()),
            Op::Neg => Value::Bv(a.as_bv().neg()),
            Op::BvNot => Value::Bv(a.as_bv().not()),
            Op::Extract { hi, lo } => Value::Bv(a.as_bv().extract(hi, lo)),
            Op::ZeroExtend(width) => Value::Bv(a.as_bv().zero_extend(width)),
            Op::SignExtend(width) => Value::Bv(a.as_bv().sign_extend(width)),
            Op::FNeg => map_float(&a, |x| -x, |x| -x),
            Op::FAbs => map_float(&a, f32::abs, f64::abs),
            Op::FSqrt => map_float(&a, f32::sqrt, f64::sqrt),
            Op::FIsNan => Value::Bool(float::widened(&a).is_nan()),
            Op::FloatToFloat(to) => match (to, &a) {
                (FloatSort::F32, Value::F64(bits)) => Value::f32(f64::from_bits(*bits) as f32),
                (FloatSort::F32, _) => Value::f32(a.as_f32()),
                (FloatSort::F64, _) => Value::f64(float::widened(&a)),
            },
            Op::SbvToFloat(to) => float::from_signed(a.as_bv(), to),
            Op::UbvToFloat(to) => float::from_unsigned(a.as_bv(), to),
            Op::FloatToSbv(width) => Value::Bv(float::to_signed(float::widened(&a), width)),
            Op::FloatToUbv(width) => Value::Bv(float::to_unsigned(float::widened(&a), width)),
            Op::FloatToBits => match a.normalised() {
                Value::F32(bits) => Value::bv(32, bits.into()),
                Value::F64(bits) => Value::bv(64, bits),
                other => panic!("expected a float, found {other}"),
            },
            Op::FloatFromBits => match a.as_bv().width() {
                32 => Value::f32(f32::from_bits(a.as_bv().as_u64() as u32)),
                64 => Value::f64(f64::from_bits(a.as_bv().as_u64())),
                width => panic!("no float has {width} bits"),
            },
            Op::ConstArray(index) => Value::Array(ArrayValue::new(index, a)),
            _ => panic!("{self:?} does not take one operand"),
        }
    }

    fn eval_binary(self, a: Value, b: Value) -> Value {
        let bv = |f: fn(&BitVec, &BitVec) -> BitVec| Value::Bv(f(a.as_bv(), b.as_bv()));
        match self {
            Op::Eq => Value::Bool(a == b),
            Op::Add => bv(BitVec::add),
            Op::Sub => bv(BitVec::sub),
            Op::Mul => bv(BitVec::mul),
            Op::Udiv => bv(BitVec::udiv),
            Op::Sdiv => bv(BitVec::sdiv),
            Op::Urem => bv(BitVec::urem),
            Op::Srem => bv(BitVec::srem),
            Op::BvAnd => bv(BitVec::and),
            Op::BvOr => bv(BitVec::or),
            Op::BvXor => bv(BitVec::xor),
            Op::Shl => bv(BitVec::shl),
            Op::Lshr => bv(BitVec::lshr),
            Op::Ashr => bv(BitVec::ashr),
            Op::Concat => bv(BitVec::concat),
            Op::Ult => Value::Bool(a.as_bv().ult(b.as_bv())),
            Op::Slt => Value::Bool(a.as_bv().slt(b.as_bv())),
            Op::UmulOverflows => Value::Bool(mul_overflows(a.as_bv(), b.as_bv(), false)),
            Op::SmulOverflows => Value::Bool(mul_overflows(a.as_bv(), b.as_bv(), true)),
            Op::FAdd => zip_float(&a, &b, |x, y| x + y, |x, y| x + y),
            Op::FSub => zip_float(&a, &b, |x, y| x - y, |x, y| x - y),
            Op::FMul => zip_float(&a, &b, |x, y| x * y, |x, y| x * y),
            Op::FDiv => zip_float(&a, &b, |x, y| x / y, |x, y| x / y),
            Op::FRem => zip_float(&a, &b, |x, y| x % y, |x, y| x % y),
            // Widening is exact, so comparing the widened numbers is comparing the numbers.
            Op::FEq => Value::Bool(float::widened(&a) == float::widened(&b)),
            Op::FLt => Value::Bool(float::widened(&a) < float::widened(&b)),
            Op::FLe => Value::Bool(float::widened(&a) <= float::widened(&b)),
            Op::Select => a.as_array().select(&b).clone(),
            _ => panic!("{self:?} does not take two operands"),
        }
    }
}

fn mul_overflows(a: &BitVec, b: &BitVec, signed: bool) -> bool {
    let double = 2 * a.width();
    let exact = a.resized(double, signed).mul(&b.resized(double, signed));
    exact != exact.resized(a.width(), signed).resized(double, signed)
}

fn map_float(a: &Value, single: fn(f32) -> f32, double: fn(f64) -> f64) -> Value {
    match a {
        Value::F32(bits) => Value::f32(single(f32::from_bits(*bits))),
        other => Value::f64(double(other.as_f64())),
    }
}

fn zip_float(a: &Value, b: &Value, single: fn(f32, f32) -> f32, double: fn(f64, f64) -> f64) -> Value {
    match (a, b) {
        (Value::F32(x), Value::F32(y)) => Value::f32(single(f32::from_bits(*x), f32::from_bits(*y))),
        (x, y) => Value::f64(double(x.as_f64(), y.as_f64())),
    }
}
