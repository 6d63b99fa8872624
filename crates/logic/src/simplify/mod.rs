//! What is the normal form of an operator on operands that are normal forms?
//!
//! Rules look at the operands and a bounded number of levels below them (the few that walk a chain do so in a loop), so
//! building stays cheap and never deep on the stack. A rule's result is built through `apply` again; a node is stored
//! only if no rule applies to it. Since rules depend on nothing but the operator and its operands, a stored node is
//! its own normal form, which is what lets `parse` find the very term that was printed.
//!
//! Every rule is an equation of `Op::eval`; the random tests compare the two.

mod arith;
mod arrays;
mod bits;
mod boolean;
mod compare;
mod floats;
mod shape;
mod slices;

use shape::{Shape, shape};
use smallvec::SmallVec;

use crate::op::Op;
use crate::pool::{Pool, TermId};
use crate::semantics::Operands;
use crate::sort::Sort;
use crate::value::Value;

/// Larger array constants are not copied into new ones by a store; it stays a store.
const MAX_FOLDED_ARRAY: usize = 256;

/// The simplified application; the sorts have been checked.
pub(crate) fn simplify(pool: &mut Pool, op: Op, args: &[TermId], sort: Sort) -> TermId {
    if matches!(op, Op::And | Op::Or) {
        return boolean::junction(pool, op, args);
    }
    if let Some(value) = fold(pool, op, args) {
        return pool.constant(value);
    }
    let mut args: SmallVec<[TermId; 3]> = args.into();
    // Constants go last, so that rules need to look for them in one place only.
    if op.is_commutative() && (pool.as_const(args[0]).is_some(), args[0]) > (pool.as_const(args[1]).is_some(), args[1])
    {
        args.swap(0, 1);
    }
    let simpler = match *args {
        [a] => push_into_ite(pool, op, &args).or_else(|| unary(pool, op, a)),
        [a, b] => push_into_ite(pool, op, &args).or_else(|| binary(pool, op, a, b)),
        [a, b, c] if op == Op::Ite => boolean::ite(pool, a, b, c),
        [a, b, c] => arrays::store(pool, a, b, c),
        _ => None,
    };
    simpler.unwrap_or_else(|| pool.intern_app(op, args, sort))
}

fn unary(pool: &mut Pool, op: Op, a: TermId) -> Option<TermId> {
    match op {
        Op::Not => boolean::not(pool, a),
        Op::Neg => arith::neg(pool, a),
        Op::BvNot => bits::bv_not(pool, a),
        Op::Extract { hi, lo } => slices::extract(pool, hi, lo, a),
        Op::ZeroExtend(width) => slices::zero_extend(pool, width, a),
        Op::SignExtend(width) => slices::sign_extend(pool, width, a),
        _ => floats::unary(pool, op, a),
    }
}

fn binary(pool: &mut Pool, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    match op {
        Op::Eq => compare::eq(pool, a, b),
        Op::Ult => compare::ult(pool, a, b),
        Op::Slt => compare::slt(pool, a, b),
        Op::Add => arith::add(pool, a, b),
        Op::Sub => arith::sub(pool, a, b),
        Op::Mul => arith::mul(pool, a, b),
        Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem => arith::divide(pool, op, a, b),
        Op::UmulOverflows | Op::SmulOverflows => arith::mul_overflows(pool, op, a, b),
        Op::BvAnd | Op::BvOr => bits::and_or(pool, op, a, b),
        Op::BvXor => bits::xor(pool, a, b),
        Op::Shl | Op::Lshr | Op::Ashr => bits::shift(pool, op, a, b),
        Op::Concat => slices::concat(pool, a, b),
        Op::Select => arrays::select(pool, a, b),
        _ => floats::binary(pool, op, a, b),
    }
}

fn fold(pool: &Pool, op: Op, args: &[TermId]) -> Option<Value> {
    if op == Op::Store
        && let Some(Value::Array(array)) = pool.as_const(args[0])
        && array.exceptions().len() >= MAX_FOLDED_ARRAY
    {
        return None;
    }
    let values: Option<Operands> = args.iter().map(|&arg| pool.as_const(arg).cloned()).collect();
    values.map(|values| op.eval(values))
}

/// `op(ite(c, 1, 0), 7)` is `ite(c, op(1, 7), op(0, 7))`: C conditions that became integers become conditions again.
fn push_into_ite(pool: &mut Pool, op: Op, args: &[TermId]) -> Option<TermId> {
    if matches!(op, Op::ConstArray(_)) {
        return None;
    }
    let place = args.iter().position(|&arg| pool.as_const(arg).is_none())?;
    let Shape::Three(Op::Ite, condition, then, otherwise) = shape(pool, args[place]) else {
        return None;
    };
    let is_const = |arg: TermId| pool.as_const(arg).is_some();
    if !is_const(then) || !is_const(otherwise) || !args[place + 1..].iter().all(|&arg| is_const(arg)) {
        return None;
    }
    let mut with = |branch: TermId| {
        let mut args: SmallVec<[TermId; 3]> = args.into();
        args[place] = branch;
        pool.apply(op, &args)
    };
    let (then, otherwise) = (with(then), with(otherwise));
    Some(pool.ite(condition, then, otherwise))
}
