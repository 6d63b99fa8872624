//! What is the normal form of an operator on operands that are normal forms?
//!
//! Rules look at the operands and at most a level or two below them, so building stays cheap, and every result is built
//! through `apply` again or stored as it is.

use smallvec::SmallVec;

use crate::op::Op;
use crate::pool::{Pool, TermId};
use crate::semantics::Operands;
use crate::sort::Sort;

/// The simplified application; the sorts have been checked.
pub(crate) fn simplify(pool: &mut Pool, op: Op, args: &[TermId], sort: Sort) -> TermId {
    let values: Option<Operands> = args.iter().map(|&arg| pool.as_const(arg).cloned()).collect();
    if let Some(values) = values {
        return pool.constant(op.eval(values));
    }
    let mut args: SmallVec<[TermId; 3]> = args.into();
    if op.is_commutative() && args[0] > args[1] {
        args.swap(0, 1);
    }
    pool.intern_app(op, args, sort)
}
