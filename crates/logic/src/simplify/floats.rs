//! How do float operators simplify?
//!
//! Hardly: almost no law of arithmetic holds for floats. These hold exactly, minus zero and NaN included (there is only
//! one NaN, so an operator that keeps NaN keeps it identically).

use super::shape::{Shape, shape};
use crate::op::Op;
use crate::pool::{Pool, TermId};
use crate::sort::{FloatSort, Sort};
use crate::value::Value;

pub(super) fn unary(pool: &mut Pool, op: Op, a: TermId) -> Option<TermId> {
    let inner = match shape(pool, a) {
        Shape::One(inner, x) => Some((inner, x)),
        _ => None,
    };
    match (op, inner) {
        (Op::FNeg, Some((Op::FNeg, x))) => Some(x),
        (Op::FAbs, Some((Op::FAbs, _))) => Some(a),
        (Op::FAbs, Some((Op::FNeg, x))) => Some(pool.fabs(x)),
        (Op::FIsNan, Some((Op::FNeg | Op::FAbs | Op::FloatToFloat(_), x))) => Some(pool.fis_nan(x)),
        (Op::FIsNan, Some((Op::SbvToFloat(_) | Op::UbvToFloat(_), _))) => Some(pool.bool(false)),
        (Op::FloatToFloat(to), _) if Sort::from(to) == pool.sort(a) => Some(a),
        // Widening is exact, so narrowing again yields the number it started from.
        (Op::FloatToFloat(FloatSort::F32), Some((Op::FloatToFloat(FloatSort::F64), x))) => Some(x),
        (Op::FloatFromBits, Some((Op::FloatToBits, x))) => Some(x),
        _ => None,
    }
}

pub(super) fn binary(pool: &mut Pool, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    if a == b {
        match op {
            Op::FLt => return Some(pool.bool(false)),
            Op::FEq | Op::FLe => {
                let nan = pool.fis_nan(a);
                return Some(pool.not(nan));
            }
            _ => {}
        }
    }
    let is = |number: f64| match pool.as_const(b) {
        Some(Value::F32(bits)) => *bits == (number as f32).to_bits(),
        Some(Value::F64(bits)) => *bits == number.to_bits(),
        _ => false,
    };
    match op {
        // Adding plus zero would turn minus zero into zero.
        Op::FAdd if is(-0.0) => Some(a),
        Op::FSub if is(0.0) => Some(a),
        Op::FMul | Op::FDiv if is(1.0) => Some(a),
        _ => None,
    }
}
