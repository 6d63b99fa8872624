//! Which variables of the running thread does a statement read and write, and how are its terms replaced?
//!
//! Every pass asks here, so that a new statement is taught to all of them at once. What a statement touches of shared
//! state is not decided here.
//!
//! The one subtlety is `Rmw`: its address is read before the step, but `wait` and `new` may mention the destination and
//! then mean the value just read. `Moment` says which of the two a term is.

use crate::access::local_written;
use crate::stmt::{Callee, Op, Place};
use logic::{Node, Pool, TermId, VarId};

/// When a term of a statement is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// Before the statement writes its destination.
    Before,
    /// After an `Rmw` has read into its destination.
    AfterRead,
}

/// Calls `visit` for each term of the statement.
pub fn for_each_term(op: &Op, visit: &mut dyn FnMut(TermId, Moment)) {
    let mut scratch = op.clone();
    map_terms(&mut scratch, &mut |term, moment| {
        visit(term, moment);
        term
    });
}

/// Replaces each term of the statement.
pub fn map_terms(op: &mut Op, map: &mut dyn FnMut(TermId, Moment) -> TermId) {
    use Moment::{AfterRead, Before};
    match op {
        Op::Assign { value, .. } => *value = map(*value, Before),
        Op::Havoc { .. } | Op::Fence(_) | Op::AtomicBegin | Op::AtomicEnd | Op::ExitProcess { .. } => {}
        Op::Assume(cond) | Op::Check { cond, .. } => *cond = map(*cond, Before),
        Op::Load { place, .. } => map_place(place, map),
        Op::Store { place, value, .. } => {
            map_place(place, map);
            *value = map(*value, Before);
        }
        Op::Rmw { place, wait, owner, new, failure, .. } => {
            map_place(place, map);
            for term in wait.iter_mut().chain(owner) {
                *term = map(*term, AfterRead);
            }
            *new = map(*new, AfterRead);
            if let Some(failure) = failure {
                failure.when = map(failure.when, AfterRead);
            }
        }
        Op::Alloc { size, .. } => *size = map(*size, Before),
        Op::Free { addr, .. } | Op::Mark(_, addr) => *addr = map(*addr, Before),
        Op::Start { callee, args, .. } | Op::Call { callee, args, .. } => {
            if let Callee::Pointer(pointer) = callee {
                *pointer = map(*pointer, Before);
            }
            for arg in args {
                *arg = map(*arg, Before);
            }
        }
        Op::Join { thread, .. } => *thread = map(*thread, Before),
        Op::Return(value) => {
            if let Some(value) = value {
                *value = map(*value, Before);
            }
        }
        Op::ExitThread(value) => *value = map(*value, Before),
    }
}

fn map_place(place: &mut Place, map: &mut dyn FnMut(TermId, Moment) -> TermId) {
    if let Place::Mem { addr, .. } = place {
        *addr = map(*addr, Moment::Before);
    }
}

/// Renames the variable of the running thread that the statement writes.
pub(crate) fn map_defined(op: &mut Op, map: &dyn Fn(VarId) -> VarId) {
    match op {
        Op::Assign { var, .. } | Op::Havoc { var, .. } => *var = map(*var),
        Op::Load { dst, .. } | Op::Rmw { dst, .. } | Op::Alloc { dst, .. } | Op::Start { dst, .. } => *dst = map(*dst),
        Op::Join { result: Some(dst), .. } | Op::Call { result: Some(dst), .. } => *dst = map(*dst),
        _ => {}
    }
}

/// Calls `visit` for each variable whose value before the statement matters to it; some may come twice.
pub fn for_each_used(pool: &Pool, op: &Op, visit: &mut dyn FnMut(VarId)) {
    let dst = local_written(op);
    for_each_term(op, &mut |term, moment| {
        for_each_var(pool, term, &mut |var| {
            if moment == Moment::Before || Some(var) != dst {
                visit(var);
            }
        });
    });
}

/// Whether the value of a variable before the statement matters to it.
pub(in crate::pass) fn uses(pool: &Pool, op: &Op, var: VarId) -> bool {
    let mut is_used = false;
    for_each_used(pool, op, &mut |other| is_used |= other == var);
    is_used
}

/// Calls `visit` for each variable that occurs in the term; some may come twice. Quick on small terms, unlike a bit set
/// over all variables of the program.
pub(in crate::pass) fn for_each_var(pool: &Pool, term: TermId, visit: &mut dyn FnMut(VarId)) {
    if pool.tree_size(term) > 64 {
        for subterm in pool.post_order(term) {
            if let Some(var) = pool.as_var(subterm) {
                visit(var);
            }
        }
        return;
    }
    if let Some(var) = pool.as_var(term) {
        visit(var);
    }
    for arg in pool.node(term).args() {
        for_each_var(pool, *arg, visit);
    }
}

/// Whether the variable occurs in the term.
pub fn mentions(pool: &Pool, term: TermId, var: VarId) -> bool {
    match pool.node(term) {
        Node::Const(_) => false,
        Node::Var(own) => *own == var,
        Node::App { .. } => {
            let mut found = false;
            for_each_var(pool, term, &mut |other| found |= other == var);
            found
        }
    }
}
