//! What was evaluated before its turn? The memory of `order` while an expression is lowered.

use super::values::lvalue::Lvalue;
use crate::c::typed::Expr;
use logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

/// What was evaluated ahead of its place in the tree.
#[derive(Clone, Copy)]
pub(super) enum Early {
    /// The value of an expression; of a record, its address.
    Value(TermId),
    /// The left side of a compound assignment: what it names, and what was there.
    Place(Lvalue, TermId),
}

/// The expressions whose operands are being evaluated, and what is known of them.
#[derive(Default)]
pub(super) struct EvaluationOrders {
    /// What was evaluated early.
    pub(super) early: FxHashMap<*const Expr, Early>,
    /// Expressions that are a part of a larger one which was looked at as a whole.
    pub(super) inner: FxHashSet<*const Expr>,
    /// Those that are not finished, from the outermost in.
    pub(super) open: Vec<*const Expr>,
}
