//! Is it enough to interleave accesses and look for conflicts next to each other, when races are in question?
//!
//! It is if every atomic access synchronises as much as its place in the interleaving suggests. An access that is relaxed, an update that only acquires
//! or only releases, and an attempt that may fail are seen in order although they order less: then happens-before has to be kept
//! (`ir::interp::HappensBefore`). In our own models whoever waits for another thread acquires what that one released, so only their attempts count.

use ir::{Op, Order, Program, Span, Why};

/// An access that orders less than it seems to, if there is one.
pub(crate) fn weak_synchronisation(program: &Program) -> Option<Span> {
    let stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    let mut weak = stmts.filter(|stmt| {
        let is_ours = !program.is_users_access(stmt);
        match &stmt.op {
            Op::Load { order, .. } => !is_ours && order.is_atomic() && !order.acquires(),
            Op::Store { order, .. } => !is_ours && order.is_atomic() && !order.releases(),
            Op::Rmw { order, failure, .. } => {
                let fails_weakly = failure.is_some_and(|failure| !failure.order.acquires());
                let is_full = matches!(order, Order::AcqRel | Order::SeqCst);
                fails_weakly || (!is_ours && !is_full)
            }
            _ => false,
        }
    });
    weak.next().map(|stmt| stmt.span)
}

/// A look of the library at what others do that does not wait for them: an attempt that may fail, or a read.
pub(crate) fn attempts_of_library(program: &Program) -> Option<Span> {
    let stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    let mut attempts = stmts.filter(|stmt| match &stmt.op {
        Op::Load { order, .. } => order.acquires() && !program.is_users_access(stmt),
        Op::Rmw { failure, .. } => failure.is_some() && !program.is_users_access(stmt),
        _ => false,
    });
    attempts.next().map(|stmt| stmt.span)
}

/// Whether an access orders less than its place in an interleaving, or may: an atomic access of the user's program that is weaker than seq_cst, or an attempt that may fail.
pub(crate) fn asks_for_less(program: &Program) -> bool {
    let mut stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    let is_weaker = stmts.any(|stmt| match &stmt.op {
        Op::Load { order, .. } | Op::Store { order, .. } | Op::Rmw { order, .. } => {
            order.is_atomic() && *order != Order::SeqCst && program.is_users_access(stmt)
        }
        _ => false,
    });
    is_weaker || weak_synchronisation(program).is_some()
}

/// Why the absence of adjacent conflicts does not mean that there is no race, if it does not.
pub(crate) fn beyond_adjacency(program: &Program) -> Option<Why> {
    let hidden = |span| Why::Unsupported {
        span,
        what: "an atomic access that orders less than its place in an interleaving, which may hide a race".to_string(),
    };
    weak_synchronisation(program).map(hidden).or_else(|| super::robustness::weak_executions(program).map(beyond))
}

/// Why interleavings do not tell all about races.
pub(crate) fn beyond(span: Span) -> Why {
    let what = "races in executions that no interleaving has, which atomic accesses weaker than seq_cst allow";
    Why::Unsupported { span, what: what.to_string() }
}
