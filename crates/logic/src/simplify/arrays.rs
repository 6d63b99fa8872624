//! How do arrays simplify?
//!
//! A read passes over the writes to indices that surely differ and stops at the first that may be its own. That walk is
//! a loop as long as the chain of writes: stopping after a fixed number of steps would give one read several forms.

use super::shape::{Shape, are_distinct, shape};
use crate::op::Op;
use crate::pool::{Pool, TermId};
use crate::value::Value;

pub(super) fn select(pool: &mut Pool, array: TermId, index: TermId) -> Option<TermId> {
    let mut from = array;
    loop {
        match shape(pool, from) {
            Shape::Three(Op::Store, _, at, element) if at == index => return Some(element),
            Shape::Three(Op::Store, below, at, _) if are_distinct(pool, at, index) => from = below,
            Shape::One(Op::ConstArray(_), element) => return Some(element),
            _ => break,
        }
    }
    if let Some(element) = uniform(pool, from) {
        return Some(pool.constant(element));
    }
    if from == array { None } else { Some(pool.select(from, index)) }
}

pub(super) fn store(pool: &mut Pool, array: TermId, index: TermId, element: TermId) -> Option<TermId> {
    match shape(pool, element) {
        Shape::Two(Op::Select, from, at) if from == array && at == index => return Some(array),
        _ => {}
    }
    match shape(pool, array) {
        Shape::Three(Op::Store, below, at, _) if at == index => return Some(pool.store(below, index, element)),
        Shape::One(Op::ConstArray(_), everywhere) if everywhere == element => return Some(array),
        _ => {}
    }
    let everywhere = uniform(pool, array)?;
    (pool.as_const(element) == Some(&everywhere)).then_some(array)
}

/// The element of a constant array that is the same everywhere.
fn uniform(pool: &Pool, array: TermId) -> Option<Value> {
    match pool.as_const(array) {
        Some(Value::Array(array)) if array.exceptions().len() == 0 => Some(array.default().clone()),
        _ => None,
    }
}
