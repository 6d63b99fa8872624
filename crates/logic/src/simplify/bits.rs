//! How do bitwise operators and shifts simplify?
//!
//! Constants gather on the right as in sums. `~x` counts as `-1 - x` where it meets a sum, so complements and sums
//! cancel; otherwise it stays, since bits are easier on a solver than sums.

use super::shape::{Shape, are_complements, bv_const, constant, shape, split_offset};
use crate::op::Op;
use crate::pool::{Pool, TermId};
use crate::value::bitvec::BitVec;

pub(super) fn bv_not(pool: &mut Pool, a: TermId) -> Option<TermId> {
    let width = pool.bv_width(a);
    match shape(pool, a) {
        Shape::One(Op::BvNot, x) => Some(x),
        Shape::One(Op::Neg, x) => {
            let minus_one = constant(pool, BitVec::ones(width));
            Some(pool.add(x, minus_one))
        }
        Shape::Two(Op::Add, ..) => {
            let (x, c) = split_offset(pool, a);
            let front = constant(pool, c?.not());
            Some(pool.sub(front, x))
        }
        Shape::Two(Op::Sub, c, x) => {
            let c = bv_const(pool, c)?;
            let offset = constant(pool, c.not());
            Some(pool.add(x, offset))
        }
        Shape::Two(Op::BvXor, x, c) => {
            let c = bv_const(pool, c)?;
            let flipped = constant(pool, c.not());
            Some(pool.bv_xor(x, flipped))
        }
        _ => None,
    }
}

/// `BvAnd` or `BvOr`.
pub(super) fn and_or(pool: &mut Pool, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    if a == b {
        return Some(a);
    }
    let width = pool.bv_width(a);
    let (neutral, absorbing) = match op {
        Op::BvAnd => (BitVec::ones(width), BitVec::zero(width)),
        _ => (BitVec::zero(width), BitVec::ones(width)),
    };
    if are_complements(pool, Op::BvNot, a, b) {
        return Some(constant(pool, absorbing));
    }
    let k = bv_const(pool, b)?;
    if k == neutral {
        return Some(a);
    }
    if k == absorbing {
        return Some(b);
    }
    match shape(pool, a) {
        Shape::Two(found, x, c) if found == op => {
            let c = bv_const(pool, c)?;
            let mask = constant(pool, if op == Op::BvAnd { c.and(&k) } else { c.or(&k) });
            Some(pool.apply(op, &[x, mask]))
        }
        Shape::One(Op::ZeroExtend(_), x) if op == Op::BvAnd => {
            let inner = pool.bv_width(x);
            let mask = constant(pool, k.extract(inner - 1, 0));
            let masked = pool.bv_and(x, mask);
            Some(pool.zero_extend(masked, width))
        }
        _ => None,
    }
}

pub(super) fn xor(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    let width = pool.bv_width(a);
    if a == b {
        return Some(pool.bv(width, 0));
    }
    if let Some(k) = bv_const(pool, b) {
        if k.is_zero() {
            return Some(a);
        }
        if k.is_ones() {
            return Some(pool.bv_not(a));
        }
        return match shape(pool, a) {
            Shape::One(Op::BvNot, x) => {
                let flipped = constant(pool, k.not());
                Some(pool.bv_xor(x, flipped))
            }
            Shape::Two(Op::BvXor, x, c) => {
                let c = bv_const(pool, c)?;
                let mask = constant(pool, c.xor(&k));
                Some(pool.bv_xor(x, mask))
            }
            _ => None,
        };
    }
    for (p, q) in [(a, b), (b, a)] {
        if let Shape::One(Op::BvNot, x) = shape(pool, p) {
            let same = pool.bv_xor(x, q);
            return Some(pool.bv_not(same));
        }
    }
    None
}

/// `Shl`, `Lshr` or `Ashr`.
pub(super) fn shift(pool: &mut Pool, op: Op, a: TermId, amount: TermId) -> Option<TermId> {
    let width = pool.bv_width(a);
    if let Some(value) = bv_const(pool, a) {
        // Whatever is shifted in is what was there.
        if value.is_zero() || (op == Op::Ashr && value.is_ones()) {
            return Some(a);
        }
    }
    let distance = bv_const(pool, amount)?;
    if distance.is_zero() {
        return Some(a);
    }
    let capped = |distance: &BitVec| distance.to_u64().map_or(width, |n| n.min(u64::from(width)) as u32);
    let mut distance = capped(&distance);
    let mut from = a;
    if let Shape::Two(found, x, inner) = shape(pool, a)
        && let (true, Some(inner)) = (found == op, bv_const(pool, inner))
    {
        from = x;
        distance = (distance.saturating_add(capped(&inner))).min(width);
    }
    if distance == width {
        if op != Op::Ashr {
            return Some(pool.bv(width, 0));
        }
        distance = width - 1;
    }
    let shortest = pool.bv(width, u64::from(distance));
    if from == a && shortest == amount {
        return None;
    }
    Some(pool.apply(op, &[from, shortest]))
}
