//! How do connectives and choices simplify?
//!
//! Conjunctions and disjunctions are flat, sorted and free of duplicates, constants and complementary pairs. Flattening
//! stops at `FLAT` operands: a path condition that grows by one conjunct a step would otherwise be copied at each step.
//! Operands are cleaned before the decision to flatten, so that the decision is the same when the node is built again.

use smallvec::SmallVec;

use super::shape::{Shape, are_complements, shape};
use crate::op::Op;
use crate::pool::{Node, Pool, TermId};
use crate::sort::Sort;
use crate::value::Value;

/// Nested junctions are merged if the result has at most this many operands.
const FLAT: usize = 32;

pub(super) fn not(pool: &mut Pool, a: TermId) -> Option<TermId> {
    match shape(pool, a) {
        Shape::One(Op::Not, x) => Some(x),
        _ => None,
    }
}

/// `And` or `Or` of any number of operands.
pub(super) fn junction(pool: &mut Pool, op: Op, args: &[TermId]) -> TermId {
    let neutral = op == Op::And;
    let mut parts: SmallVec<[TermId; 8]> = SmallVec::new();
    for &arg in args {
        match pool.as_const(arg) {
            Some(Value::Bool(value)) if *value == neutral => {}
            Some(_) => return arg,
            None => parts.push(arg),
        }
    }
    parts.sort_unstable();
    parts.dedup();
    let n_flat: usize = parts.iter().map(|&part| nested(pool, op, part).map_or(1, <[TermId]>::len)).sum();
    if n_flat > parts.len() && n_flat <= FLAT {
        let mut flat: SmallVec<[TermId; 8]> = SmallVec::new();
        for &part in &parts {
            match nested(pool, op, part) {
                Some(inner) => flat.extend_from_slice(inner),
                None => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        parts = flat;
    }
    for &part in &parts {
        if let Shape::One(Op::Not, x) = shape(pool, part)
            && parts.binary_search(&x).is_ok()
        {
            return pool.bool(!neutral);
        }
    }
    match *parts {
        [] => return pool.bool(neutral),
        [only] => return only,
        [a, b] => {
            if let Some(simpler) = absorb(pool, op, a, b).or_else(|| absorb(pool, op, b, a)) {
                return simpler;
            }
        }
        _ => {}
    }
    pool.intern_app(op, SmallVec::from_slice(&parts), Sort::Bool)
}

fn nested(pool: &Pool, op: Op, term: TermId) -> Option<&[TermId]> {
    match pool.node(term) {
        Node::App { op: found, args } if *found == op => Some(args),
        _ => None,
    }
}

/// `a` together with a junction `b` that mentions `a` or its negation.
fn absorb(pool: &mut Pool, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    let dual = if op == Op::And { Op::Or } else { Op::And };
    let same = nested(pool, op, b).is_some();
    let inner: SmallVec<[TermId; 8]> = nested(pool, if same { op } else { dual }, b)?.into();
    if inner.binary_search(&a).is_ok() {
        return Some(if same { b } else { a });
    }
    let opposite = inner.iter().position(|&part| are_complements(pool, Op::Not, part, a))?;
    if same {
        return Some(pool.bool(op == Op::Or));
    }
    let mut rest = inner;
    rest.remove(opposite);
    let rest = pool.apply(dual, &rest);
    Some(pool.apply(op, &[a, rest]))
}

pub(super) fn ite(pool: &mut Pool, condition: TermId, then: TermId, otherwise: TermId) -> Option<TermId> {
    if let Some(value) = pool.as_const(condition) {
        return Some(if value.as_bool() { then } else { otherwise });
    }
    if then == otherwise {
        return Some(then);
    }
    match shape(pool, condition) {
        Shape::One(Op::Not, x) => return Some(pool.ite(x, otherwise, then)),
        // Where the two are equal, it does not matter which one is taken.
        Shape::Two(Op::Eq, p, q) if (p, q) == (then, otherwise) || (q, p) == (then, otherwise) => {
            return Some(otherwise);
        }
        _ => {}
    }
    if pool.sort(then) == Sort::Bool
        && let Some(simpler) = ite_of_bools(pool, condition, then, otherwise)
    {
        return Some(simpler);
    }
    if let Shape::Three(Op::Ite, inner, x, y) = shape(pool, then) {
        if inner == condition {
            return Some(pool.ite(condition, x, otherwise));
        }
        if y == otherwise {
            let both = pool.and(condition, inner);
            return Some(pool.ite(both, x, otherwise));
        }
        if x == otherwise {
            let not_inner = pool.not(inner);
            let both = pool.and(condition, not_inner);
            return Some(pool.ite(both, y, otherwise));
        }
    }
    if let Shape::Three(Op::Ite, inner, x, y) = shape(pool, otherwise) {
        if inner == condition {
            return Some(pool.ite(condition, then, y));
        }
        if x == then {
            let either = pool.or(condition, inner);
            return Some(pool.ite(either, then, y));
        }
        if y == then {
            let not_inner = pool.not(inner);
            let either = pool.or(condition, not_inner);
            return Some(pool.ite(either, then, x));
        }
    }
    None
}

fn ite_of_bools(pool: &mut Pool, condition: TermId, then: TermId, otherwise: TermId) -> Option<TermId> {
    let value = |term: TermId| pool.as_const(term).map(Value::as_bool);
    match (value(then), value(otherwise)) {
        (Some(true), _) => return Some(pool.or(condition, otherwise)),
        (_, Some(false)) => return Some(pool.and(condition, then)),
        (Some(false), _) => {
            let not_condition = pool.not(condition);
            return Some(pool.and(not_condition, otherwise));
        }
        (_, Some(true)) => return Some(pool.implies(condition, then)),
        (None, None) => {}
    }
    if then == condition {
        Some(pool.or(condition, otherwise))
    } else if otherwise == condition {
        Some(pool.and(condition, then))
    } else if are_complements(pool, Op::Not, then, otherwise) {
        Some(pool.eq(condition, then))
    } else {
        None
    }
}
