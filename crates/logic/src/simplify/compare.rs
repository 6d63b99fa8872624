//! How do equalities and orders simplify?
//!
//! Against a constant, invertible operators move over to it: `x + 3 == 5` is `x == 2`. Comparisons of extended operands
//! are comparisons of the operands, and comparisons with the ends of the range are equalities or decided. There are
//! only strict orders; the non-strict ones are their negations.

use super::shape::{Shape, are_distinct, bv_const, constant, shape, split_offset};
use crate::op::Op;
use crate::pool::{Pool, TermId};
use crate::sort::Sort;
use crate::value::bitvec::BitVec;

/// Concatenations up to this width are compared piece by piece.
const MAX_SPLIT: u32 = 1024;

pub(super) fn eq(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    if a == b {
        return Some(pool.bool(true));
    }
    match pool.sort(a) {
        Sort::Bool => return eq_bool(pool, a, b),
        Sort::Bv(_) => {}
        Sort::F32 | Sort::F64 | Sort::Array(..) => return None,
    }
    if let Some(k) = bv_const(pool, b) {
        return eq_constant(pool, a, k);
    }
    if are_distinct(pool, a, b) {
        return Some(pool.bool(false));
    }
    if let ((x, Some(c)), (y, Some(d))) = (split_offset(pool, a), split_offset(pool, b))
        && c == d
    {
        return Some(pool.eq(x, y));
    }
    match (shape(pool, a), shape(pool, b)) {
        (Shape::One(p, x), Shape::One(q, y))
            if p == q
                && matches!(p, Op::Neg | Op::BvNot | Op::ZeroExtend(_) | Op::SignExtend(_))
                && pool.sort(x) == pool.sort(y) =>
        {
            Some(pool.eq(x, y))
        }
        (Shape::Two(Op::Concat, x, y), Shape::Two(Op::Concat, v, w))
            if pool.sort(x) == pool.sort(v) && pool.bv_width(a) <= MAX_SPLIT =>
        {
            let (high, low) = (pool.eq(x, v), pool.eq(y, w));
            Some(pool.and(high, low))
        }
        _ => None,
    }
}

fn eq_bool(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    if let Some(value) = pool.as_const(b) {
        return Some(if value.as_bool() { a } else { pool.not(a) });
    }
    for (p, q) in [(a, b), (b, a)] {
        if let Shape::One(Op::Not, x) = shape(pool, p) {
            return Some(pool.ne(x, q));
        }
    }
    None
}

fn eq_constant(pool: &mut Pool, a: TermId, k: BitVec) -> Option<TermId> {
    let (mut x, mut value) = (a, k);
    loop {
        match shape(pool, x) {
            Shape::One(Op::Neg, y) => (x, value) = (y, value.neg()),
            Shape::One(Op::BvNot, y) => (x, value) = (y, value.not()),
            Shape::One(op @ (Op::ZeroExtend(_) | Op::SignExtend(_)), y) => {
                let signed = matches!(op, Op::SignExtend(_));
                let Some(cut) = cut_to(&value, pool.bv_width(y), signed) else {
                    return Some(pool.bool(false));
                };
                (x, value) = (y, cut);
            }
            Shape::Two(Op::Sub, y, z) => {
                if let Some(c) = bv_const(pool, y) {
                    (x, value) = (z, c.sub(&value));
                } else if value.is_zero() {
                    return Some(pool.eq(y, z));
                } else {
                    break;
                }
            }
            Shape::Two(op @ (Op::Add | Op::BvXor), y, c) => {
                let Some(c) = bv_const(pool, c) else {
                    if op == Op::BvXor && value.is_zero() {
                        return Some(pool.eq(y, c));
                    }
                    break;
                };
                (x, value) = (y, if op == Op::Add { value.sub(&c) } else { value.xor(&c) });
            }
            Shape::Two(Op::Concat, high, low) if pool.bv_width(x) <= MAX_SPLIT => {
                let split = pool.bv_width(low);
                let high_value = constant(pool, value.extract(value.width() - 1, split));
                let low_value = constant(pool, value.extract(split - 1, 0));
                let (high, low) = (pool.eq(high, high_value), pool.eq(low, low_value));
                return Some(pool.and(high, low));
            }
            Shape::Three(Op::Ite, condition, then, otherwise) => {
                if let Some(simpler) = eq_choice(pool, condition, then, otherwise, &value) {
                    return Some(simpler);
                }
                break;
            }
            _ => break,
        }
    }
    if x == a {
        return None;
    }
    let value = constant(pool, value);
    Some(pool.eq(x, value))
}

/// A choice of which exactly one branch is constant. The other one must not be a choice again: chains of them can be
/// long, and this would follow them to the end.
fn eq_choice(pool: &mut Pool, condition: TermId, then: TermId, otherwise: TermId, value: &BitVec) -> Option<TermId> {
    let (guard, fixed, open) = match (bv_const(pool, then), bv_const(pool, otherwise)) {
        (Some(fixed), None) => (condition, fixed, otherwise),
        (None, Some(fixed)) => (pool.not(condition), fixed, then),
        _ => return None,
    };
    if matches!(shape(pool, open), Shape::Three(Op::Ite, ..)) {
        return None;
    }
    let value_term = constant(pool, value.clone());
    let open_equal = pool.eq(open, value_term);
    Some(if fixed == *value {
        pool.or(guard, open_equal)
    } else {
        let not_guard = pool.not(guard);
        pool.and(not_guard, open_equal)
    })
}

/// The constant as one of `width` bits whose extension it is, if it is one.
fn cut_to(value: &BitVec, width: u32, signed: bool) -> Option<BitVec> {
    let cut = value.extract(width - 1, 0);
    (cut.resized(value.width(), signed) == *value).then_some(cut)
}

pub(super) fn ult(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    if a == b {
        return Some(pool.bool(false));
    }
    let width = pool.bv_width(a);
    if let Some(k) = bv_const(pool, b) {
        return range_ends(pool, a, b, &k, BitVec::zero(width), BitVec::ones(width)).or_else(|| {
            let Shape::One(Op::ZeroExtend(_), x) = shape(pool, a) else {
                return None;
            };
            Some(match cut_to(&k, pool.bv_width(x), false) {
                Some(cut) => less_than_constant(pool, Op::Ult, x, cut),
                None => pool.bool(true),
            })
        });
    }
    if let Some(k) = bv_const(pool, a) {
        return range_ends(pool, b, a, &k, BitVec::ones(width), BitVec::zero(width)).or_else(|| {
            let Shape::One(Op::ZeroExtend(_), x) = shape(pool, b) else {
                return None;
            };
            Some(match cut_to(&k, pool.bv_width(x), false) {
                Some(cut) => constant_less_than(pool, Op::Ult, cut, x),
                None => pool.bool(false),
            })
        });
    }
    match (shape(pool, a), shape(pool, b)) {
        // Extending with the sign keeps the unsigned order too: negative numbers stay above all others.
        (Shape::One(p @ (Op::ZeroExtend(_) | Op::SignExtend(_)), x), Shape::One(q, y))
            if p == q && pool.sort(x) == pool.sort(y) =>
        {
            Some(pool.ult(x, y))
        }
        _ => None,
    }
}

pub(super) fn slt(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    if a == b {
        return Some(pool.bool(false));
    }
    let width = pool.bv_width(a);
    if let Some(k) = bv_const(pool, b) {
        return range_ends(pool, a, b, &k, BitVec::signed_min(width), BitVec::signed_max(width)).or_else(|| {
            let Shape::One(op, x) = shape(pool, a) else {
                return None;
            };
            let (signed, order) = extension(op)?;
            // A constant beyond what the operand can be is above or below all of it.
            Some(match cut_to(&k, pool.bv_width(x), signed) {
                Some(cut) => less_than_constant(pool, order, x, cut),
                None => pool.bool(!k.is_negative()),
            })
        });
    }
    if let Some(k) = bv_const(pool, a) {
        return range_ends(pool, b, a, &k, BitVec::signed_max(width), BitVec::signed_min(width)).or_else(|| {
            let Shape::One(op, x) = shape(pool, b) else {
                return None;
            };
            let (signed, order) = extension(op)?;
            Some(match cut_to(&k, pool.bv_width(x), signed) {
                Some(cut) => constant_less_than(pool, order, cut, x),
                None => pool.bool(k.is_negative()),
            })
        });
    }
    match (shape(pool, a), shape(pool, b)) {
        (Shape::One(p, x), Shape::One(q, y)) if p == q && pool.sort(x) == pool.sort(y) => {
            let (_, order) = extension(p)?;
            Some(pool.apply(order, &[x, y]))
        }
        _ => None,
    }
}

/// Whether an extension is signed, and the order of its operands that is the signed order of its results.
fn extension(op: Op) -> Option<(bool, Op)> {
    match op {
        Op::SignExtend(_) => Some((true, Op::Slt)),
        Op::ZeroExtend(_) => Some((false, Op::Ult)),
        _ => None,
    }
}

fn less_than_constant(pool: &mut Pool, order: Op, x: TermId, k: BitVec) -> TermId {
    let k = constant(pool, k);
    pool.apply(order, &[x, k])
}

fn constant_less_than(pool: &mut Pool, order: Op, k: BitVec, x: TermId) -> TermId {
    let k = constant(pool, k);
    pool.apply(order, &[k, x])
}

/// `x` strictly between the constant `k` and the end of the order that is `far` from it. With `k` at the `near` end
/// there is nothing between; one step from it, only the end itself; at the far end, all but that.
fn range_ends(pool: &mut Pool, x: TermId, k_term: TermId, k: &BitVec, near: BitVec, far: BitVec) -> Option<TermId> {
    if *k == near {
        return Some(pool.bool(false));
    }
    if *k == far {
        return Some(pool.ne(x, k_term));
    }
    let one = BitVec::new(near.width(), 1);
    // The near end is the lower one exactly if one step up from the far end wraps around to it.
    let step = if far.add(&one) == near { near.add(&one) } else { near.sub(&one) };
    if *k == step {
        let end = constant(pool, near);
        return Some(pool.eq(x, end));
    }
    None
}
