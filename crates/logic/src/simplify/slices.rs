//! How do cutting out, putting together and extending bits simplify?
//!
//! Slices are pushed toward the variables and extensions toward the outside, so that a value that was split into bytes
//! and put together again is the value, and C's promotion to `int` and back disappears: `(char)((int)a + (int)b)`
//! becomes a sum of eight bits.

use super::shape::{Shape, bv_const, constant, shape};
use crate::op::Op;
use crate::pool::{Pool, TermId};
use crate::value::bitvec::BitVec;

pub(super) fn extract(pool: &mut Pool, hi: u32, lo: u32, a: TermId) -> Option<TermId> {
    let (mut hi, mut lo, mut from) = (hi, lo, a);
    let width = hi - lo + 1;
    loop {
        if width == pool.bv_width(from) {
            return Some(from);
        }
        match shape(pool, from) {
            Shape::One(Op::Extract { lo: below, .. }, x) => {
                (hi, lo, from) = (hi + below, lo + below, x);
            }
            Shape::Two(Op::Concat, high, low) => {
                let split = pool.bv_width(low);
                if lo >= split {
                    (hi, lo, from) = (hi - split, lo - split, high);
                } else if hi < split {
                    from = low;
                } else {
                    break;
                }
            }
            Shape::One(Op::ZeroExtend(_) | Op::SignExtend(_), x) if hi < pool.bv_width(x) => from = x,
            Shape::One(Op::ZeroExtend(_), x) => {
                let inner = pool.bv_width(x);
                if lo >= inner {
                    return Some(pool.bv(width, 0));
                }
                let kept = pool.extract(x, inner - 1, lo);
                return Some(pool.zero_extend(kept, width));
            }
            Shape::One(Op::SignExtend(_), x) => {
                let inner = pool.bv_width(x);
                let kept = pool.extract(x, inner - 1, lo.min(inner - 1));
                return Some(pool.sign_extend(kept, width));
            }
            found => {
                if let Some(narrowed) = narrow(pool, found, hi, lo) {
                    return Some(narrowed);
                }
                break;
            }
        }
    }
    if from == a { None } else { Some(pool.extract(from, hi, lo)) }
}

/// Cuts the operands instead of the result where that is the same and makes an extension of the operands go away.
fn narrow(pool: &mut Pool, from: Shape, hi: u32, lo: u32) -> Option<TermId> {
    match from {
        Shape::One(Op::Neg, x) if lo == 0 && is_extension(pool, x) => {
            let x = pool.extract(x, hi, lo);
            Some(pool.neg(x))
        }
        Shape::One(Op::BvNot, x) if is_extension(pool, x) => {
            let x = pool.extract(x, hi, lo);
            Some(pool.bv_not(x))
        }
        Shape::Two(op, x, y) => {
            let is_bitwise = matches!(op, Op::BvAnd | Op::BvOr | Op::BvXor);
            let carries_upward = matches!(op, Op::Add | Op::Sub | Op::Mul);
            if !(is_bitwise || (carries_upward && lo == 0)) || !cuts_well(pool, x) || !cuts_well(pool, y) {
                return None;
            }
            let (x, y) = (pool.extract(x, hi, lo), pool.extract(y, hi, lo));
            Some(pool.apply(op, &[x, y]))
        }
        Shape::Three(Op::Ite, condition, x, y) if cuts_well(pool, x) && cuts_well(pool, y) => {
            let (x, y) = (pool.extract(x, hi, lo), pool.extract(y, hi, lo));
            Some(pool.ite(condition, x, y))
        }
        _ => None,
    }
}

fn is_extension(pool: &Pool, term: TermId) -> bool {
    matches!(shape(pool, term), Shape::One(Op::ZeroExtend(_) | Op::SignExtend(_), _))
}

fn cuts_well(pool: &Pool, term: TermId) -> bool {
    is_extension(pool, term) || pool.as_const(term).is_some()
}

pub(super) fn zero_extend(pool: &mut Pool, width: u32, a: TermId) -> Option<TermId> {
    if width == pool.bv_width(a) {
        return Some(a);
    }
    match shape(pool, a) {
        Shape::One(Op::ZeroExtend(_), x) => Some(pool.zero_extend(x, width)),
        _ => None,
    }
}

pub(super) fn sign_extend(pool: &mut Pool, width: u32, a: TermId) -> Option<TermId> {
    if width == pool.bv_width(a) {
        return Some(a);
    }
    match shape(pool, a) {
        Shape::One(Op::SignExtend(_), x) => Some(pool.sign_extend(x, width)),
        // The sign of something extended with zeros is zero.
        Shape::One(Op::ZeroExtend(_), x) => Some(pool.zero_extend(x, width)),
        _ => None,
    }
}

pub(super) fn concat(pool: &mut Pool, high: TermId, low: TermId) -> Option<TermId> {
    let width = pool.bv_width(high) + pool.bv_width(low);
    if bv_const(pool, high).is_some_and(|high| high.is_zero()) {
        return Some(pool.zero_extend(low, width));
    }
    if let Some(merged) = merge(pool, high, low) {
        return Some(merged);
    }
    if let Shape::One(Op::ZeroExtend(_), x) = shape(pool, high) {
        let inner = pool.concat(x, low);
        return Some(pool.zero_extend(inner, width));
    }
    if is_sign_of(pool, high, low) {
        return Some(pool.sign_extend(low, width));
    }
    if let Shape::Two(Op::Concat, first, middle) = shape(pool, high)
        && let Some(merged) = merge(pool, middle, low)
    {
        return Some(pool.concat(first, merged));
    }
    if let Shape::Two(Op::Concat, middle, last) = shape(pool, low)
        && let Some(merged) = merge(pool, high, middle)
    {
        return Some(pool.concat(merged, last));
    }
    None
}

/// Two neighbours as one piece: two constants, or two adjacent slices of one term.
fn merge(pool: &mut Pool, high: TermId, low: TermId) -> Option<TermId> {
    if let (Some(high), Some(low)) = (bv_const(pool, high), bv_const(pool, low)) {
        return Some(constant(pool, BitVec::concat(&high, &low)));
    }
    match (shape(pool, high), shape(pool, low)) {
        (Shape::One(Op::Extract { hi, lo: above }, x), Shape::One(Op::Extract { hi: below, lo }, y))
            if x == y && above == below + 1 =>
        {
            Some(pool.extract(x, hi, lo))
        }
        _ => None,
    }
}

/// Whether `high` consists of copies of the top bit of `low`.
fn is_sign_of(pool: &mut Pool, high: TermId, low: TermId) -> bool {
    let bit = match shape(pool, high) {
        Shape::One(Op::SignExtend(_), x) => x,
        _ => high,
    };
    if pool.bv_width(bit) != 1 || !matches!(shape(pool, bit), Shape::One(Op::Extract { .. }, _)) {
        return false;
    }
    let top = pool.bv_width(low) - 1;
    pool.extract(low, top, top) == bit
}
