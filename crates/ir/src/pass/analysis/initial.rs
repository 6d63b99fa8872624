//! Where does an address point, and what is there before anybody writes?
//!
//! Only what is certain is answered: constant addresses of static objects, and values that were initialised whole or not at all.

use crate::access::bytes_of;
use crate::memory::{Fill, Object, ObjectId, ObjectKind};
use crate::program::Program;
use crate::stmt::{Op, Place};
use logic::{Pool, Scalar, Sort, TermId, Value};

/// The word, if the term is a constant one.
pub(in crate::pass) fn word_of(pool: &Pool, term: TermId) -> Option<u64> {
    match pool.as_const(term) {
        Some(Value::Bv(word)) => word.to_u64(),
        _ => None,
    }
}

/// The object and offset of a constant address at which a static object has all the bytes of the sort.
pub(in crate::pass) fn static_cell(program: &Program, addr: TermId, sort: Scalar) -> Option<(ObjectId, u64)> {
    let addr = word_of(&program.pool, addr)?;
    let size = bytes_of(sort);
    let index = program.objects.iter().position(|object| {
        matches!(object.kind, ObjectKind::Data | ObjectKind::ReadOnly)
            && addr >= object.base
            && addr - object.base <= object.size
            && object.size - (addr - object.base) >= size
    })?;
    Some((ObjectId(index as u32), addr - program.objects[index].base))
}

/// What a cell of a static object holds at first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::pass) enum Initial {
    /// This value.
    Value(Value),
    /// Any value, chosen when first read.
    Any,
    /// Parts of several initialisers, or of one of another sort.
    Mixed,
}

/// What a cell of a static object holds at first.
pub(in crate::pass) fn initial_value(object: &Object, offset: u64, sort: Scalar) -> Initial {
    let end = offset + bytes_of(sort);
    let mut overlapping = object.init.iter().filter(|(start, value)| *start < end && start + size_of(value) > offset);
    match (overlapping.next(), overlapping.next()) {
        (None, _) => match object.fill {
            Fill::Zero => Initial::Value(Value::zero(sort.into())),
            Fill::Any => Initial::Any,
        },
        (Some((start, value)), None) if *start == offset && value.sort() == Sort::from(sort) => {
            Initial::Value(value.clone())
        }
        _ => Initial::Mixed,
    }
}

fn size_of(value: &Value) -> u64 {
    value.sort().scalar().map_or(u64::MAX / 2, bytes_of)
}

/// Whether the statement may ask for an input: what it sets, or what nobody has written.
pub(in crate::pass) fn may_ask(program: &Program, op: &Op) -> bool {
    match op {
        Op::Havoc { .. } => true,
        Op::Load { place, .. } | Op::Rmw { place, .. } => match place {
            Place::Var(var) => program.var(*var).init.is_none(),
            Place::Mem { addr, sort, .. } => {
                static_cell(program, *addr, *sort).is_none_or(|(object, _)| program.object(object).fill == Fill::Any)
            }
        },
        _ => false,
    }
}
