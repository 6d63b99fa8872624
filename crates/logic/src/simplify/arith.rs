//! How do sums, products and quotients simplify?
//!
//! Sums carry their constant outermost, `(x + y) + 5`, and differences from a constant keep it in front, `5 - x`, so
//! constants met later combine with it. `-x` and `~x` turn into those forms where a constant is near. Offsets being
//! outermost is also what lets `are_distinct` tell addresses apart.

use super::shape::{Shape, bv_const, constant, shape, split_offset};
use crate::op::Op;
use crate::pool::{Pool, TermId};
use crate::value::bitvec::BitVec;

pub(super) fn neg(pool: &mut Pool, a: TermId) -> Option<TermId> {
    match shape(pool, a) {
        Shape::One(Op::Neg, x) => Some(x),
        Shape::One(Op::BvNot, x) => {
            let one = pool.bv(pool.bv_width(x), 1);
            Some(pool.add(x, one))
        }
        Shape::Two(Op::Sub, x, y) => Some(pool.sub(y, x)),
        Shape::Two(Op::Add, x, c) => {
            let c = bv_const(pool, c)?;
            Some(constant_minus(pool, c.neg(), x))
        }
        Shape::Two(Op::Mul, x, c) => {
            let c = bv_const(pool, c)?;
            let factor = constant(pool, c.neg());
            Some(pool.mul(x, factor))
        }
        _ => None,
    }
}

fn plus_constant(pool: &mut Pool, x: TermId, c: BitVec) -> TermId {
    let c = constant(pool, c);
    pool.add(x, c)
}

fn constant_minus(pool: &mut Pool, c: BitVec, x: TermId) -> TermId {
    let c = constant(pool, c);
    pool.sub(c, x)
}

pub(super) fn add(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    if let Some(k) = bv_const(pool, b) {
        return add_constant(pool, a, k);
    }
    for (p, q) in [(a, b), (b, a)] {
        match shape(pool, p) {
            Shape::One(Op::Neg, x) => return Some(pool.sub(q, x)),
            Shape::Two(Op::Add, x, c) => {
                if let Some(c) = bv_const(pool, c) {
                    let sum = pool.add(x, q);
                    return Some(plus_constant(pool, sum, c));
                }
            }
            Shape::Two(Op::Sub, x, y) => {
                if y == q {
                    return Some(x);
                }
                if let Some(c) = bv_const(pool, x) {
                    let difference = pool.sub(q, y);
                    return Some(plus_constant(pool, difference, c));
                }
            }
            _ => {}
        }
    }
    None
}

fn add_constant(pool: &mut Pool, a: TermId, k: BitVec) -> Option<TermId> {
    if k.is_zero() {
        return Some(a);
    }
    match shape(pool, a) {
        Shape::One(Op::Neg, x) => Some(constant_minus(pool, k, x)),
        Shape::One(Op::BvNot, x) => Some(constant_minus(pool, k.sub(&BitVec::new(k.width(), 1)), x)),
        Shape::Two(Op::Add, x, c) => {
            let c = bv_const(pool, c)?;
            Some(plus_constant(pool, x, c.add(&k)))
        }
        Shape::Two(Op::Sub, c, x) => {
            let c = bv_const(pool, c)?;
            Some(constant_minus(pool, c.add(&k), x))
        }
        _ => None,
    }
}

pub(super) fn sub(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    if a == b {
        let width = pool.bv_width(a);
        return Some(pool.bv(width, 0));
    }
    if let Some(k) = bv_const(pool, b) {
        return Some(plus_constant(pool, a, k.neg()));
    }
    if let Some(c) = bv_const(pool, a) {
        return sub_from_constant(pool, c, b);
    }
    match shape(pool, b) {
        Shape::One(Op::Neg, y) => return Some(pool.add(a, y)),
        Shape::Two(Op::Add, x, y) => {
            if let (base, Some(c)) = split_offset(pool, b) {
                let difference = pool.sub(a, base);
                return Some(plus_constant(pool, difference, c.neg()));
            }
            if a == x {
                return Some(pool.neg(y));
            }
            if a == y {
                return Some(pool.neg(x));
            }
        }
        Shape::Two(Op::Sub, x, y) => {
            if x == a {
                return Some(y);
            }
            if let Some(c) = bv_const(pool, x) {
                let sum = pool.add(a, y);
                return Some(plus_constant(pool, sum, c.neg()));
            }
        }
        _ => {}
    }
    match shape(pool, a) {
        Shape::One(Op::Neg, x) => {
            let sum = pool.add(x, b);
            Some(pool.neg(sum))
        }
        Shape::Two(Op::Add, x, y) => {
            if let (base, Some(c)) = split_offset(pool, a) {
                let difference = pool.sub(base, b);
                return Some(plus_constant(pool, difference, c));
            }
            if x == b {
                return Some(y);
            }
            (y == b).then_some(x)
        }
        Shape::Two(Op::Sub, x, y) => {
            if x == b {
                return Some(pool.neg(y));
            }
            let c = bv_const(pool, x)?;
            let sum = pool.add(y, b);
            Some(constant_minus(pool, c, sum))
        }
        _ => None,
    }
}

fn sub_from_constant(pool: &mut Pool, c: BitVec, b: TermId) -> Option<TermId> {
    if c.is_zero() {
        return Some(pool.neg(b));
    }
    match shape(pool, b) {
        Shape::One(Op::Neg, y) => return Some(plus_constant(pool, y, c)),
        Shape::One(Op::BvNot, y) => return Some(plus_constant(pool, y, c.add(&BitVec::new(c.width(), 1)))),
        Shape::Two(Op::Add, y, _) => {
            if let (_, Some(d)) = split_offset(pool, b) {
                return Some(constant_minus(pool, c.sub(&d), y));
            }
        }
        Shape::Two(Op::Sub, x, y) => {
            let difference = pool.sub(y, x);
            return Some(plus_constant(pool, difference, c));
        }
        _ => {}
    }
    c.is_ones().then(|| pool.bv_not(b))
}

pub(super) fn mul(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    let k = bv_const(pool, b)?;
    if k.is_zero() {
        return Some(b);
    }
    if k.to_u64() == Some(1) {
        return Some(a);
    }
    if k.is_ones() {
        return Some(pool.neg(a));
    }
    match shape(pool, a) {
        Shape::One(Op::Neg, x) => {
            let factor = constant(pool, k.neg());
            Some(pool.mul(x, factor))
        }
        Shape::Two(Op::Mul, x, c) => {
            let c = bv_const(pool, c)?;
            let factor = constant(pool, c.mul(&k));
            Some(pool.mul(x, factor))
        }
        _ => None,
    }
}

pub(super) fn mul_overflows(pool: &mut Pool, op: Op, _: TermId, b: TermId) -> Option<TermId> {
    let k = bv_const(pool, b)?;
    // In a signed vector of one bit, the bit 1 is minus one, and its square does not fit.
    let is_one = k.to_u64() == Some(1) && (op == Op::UmulOverflows || k.width() > 1);
    (k.is_zero() || is_one).then(|| pool.bool(false))
}

/// `Udiv`, `Sdiv`, `Urem` or `Srem`.
pub(super) fn divide(pool: &mut Pool, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    let width = pool.bv_width(a);
    let is_remainder = matches!(op, Op::Urem | Op::Srem);
    let is_signed = matches!(op, Op::Sdiv | Op::Srem);
    // A remainder by zero is the dividend, so these two hold for zero too.
    if is_remainder && (a == b || bv_const(pool, a).is_some_and(|a| a.is_zero())) {
        return Some(pool.bv(width, 0));
    }
    let k = bv_const(pool, b)?;
    if k.is_zero() {
        return Some(match op {
            Op::Udiv => constant(pool, BitVec::ones(width)),
            Op::Sdiv => {
                let negative = pool.slt(a, b);
                let (one, minus_one) = (pool.bv(width, 1), constant(pool, BitVec::ones(width)));
                pool.ite(negative, one, minus_one)
            }
            _ => a,
        });
    }
    if is_signed && k.is_ones() {
        return Some(if is_remainder { pool.bv(width, 0) } else { pool.neg(a) });
    }
    if k.to_u64() == Some(1) {
        return Some(if is_remainder { pool.bv(width, 0) } else { a });
    }
    let is_power_of_two = k.and(&k.sub(&BitVec::new(width, 1))).is_zero();
    if is_signed || !is_power_of_two {
        return None;
    }
    Some(if is_remainder {
        let below = constant(pool, k.sub(&BitVec::new(width, 1)));
        pool.bv_and(a, below)
    } else {
        let distance = pool.bv(width, u64::from(k.bit_length() - 1));
        pool.lshr(a, distance)
    })
}
