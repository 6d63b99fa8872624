//! What do rules see of a term? Its operator with its operands, and whether two terms are each other's negation or differ for certain.

use crate::op::Op;
use crate::pool::{Node, Pool, TermId};
use crate::value::Value;
use crate::value::bitvec::BitVec;

/// A node of a fixed number of operands, copied out so that rules can build while they look.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    One(Op, TermId),
    Two(Op, TermId, TermId),
    Three(Op, TermId, TermId, TermId),
    Other,
}

/// The shape of a term. Constants, variables, `And` and `Or` are `Other`.
pub(super) fn shape(pool: &Pool, term: TermId) -> Shape {
    match pool.node(term) {
        Node::App { op: Op::And | Op::Or, .. } => Shape::Other,
        Node::App { op, args } => match **args {
            [a] => Shape::One(*op, a),
            [a, b] => Shape::Two(*op, a, b),
            [a, b, c] => Shape::Three(*op, a, b, c),
            _ => Shape::Other,
        },
        Node::Const(_) | Node::Var(_) => Shape::Other,
    }
}

/// The value of a constant bit-vector.
pub(super) fn bv_const(pool: &Pool, term: TermId) -> Option<BitVec> {
    match pool.as_const(term) {
        Some(Value::Bv(value)) => Some(value.clone()),
        _ => None,
    }
}

/// A bit-vector as a term.
pub(super) fn constant(pool: &mut Pool, value: BitVec) -> TermId {
    pool.constant(Value::Bv(value))
}

/// Whether one term is the negation of the other, by `Not` or `BvNot`.
pub(super) fn are_complements(pool: &Pool, op: Op, a: TermId, b: TermId) -> bool {
    let is_negation = |a: TermId, b: TermId| matches!(shape(pool, a), Shape::One(found, x) if found == op && x == b);
    is_negation(a, b) || is_negation(b, a)
}

/// A term as a base and a constant offset from it.
pub(super) fn split_offset(pool: &Pool, term: TermId) -> (TermId, Option<BitVec>) {
    if let Shape::Two(Op::Add, base, offset) = shape(pool, term)
        && let Some(offset) = bv_const(pool, offset)
    {
        return (base, Some(offset));
    }
    (term, None)
}

/// Whether two terms differ whatever the variables are: different constants, or different offsets from one base.
pub(super) fn are_distinct(pool: &Pool, a: TermId, b: TermId) -> bool {
    if a == b {
        return false;
    }
    if pool.as_const(a).is_some() && pool.as_const(b).is_some() {
        return true;
    }
    // Offsets are never zero, so one with and one without, or two different ones, differ.
    split_offset(pool, a).0 == split_offset(pool, b).0
}
