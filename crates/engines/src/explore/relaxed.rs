//! Does the program order accesses by less than sequential consistency?
//!
//! An engine that interleaves sees relaxed accesses in order, although they order nothing: it may miss a race that they hide.

use ir::{Op, Order, Program, Why};

/// Why the absence of adjacent conflicts does not mean that there is no race: a relaxed access, if there is one.
pub(crate) fn relaxed_access(program: &Program) -> Option<Why> {
    let stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    // In our own models whoever waits for another thread acquires what that one released; their relaxed accesses order nothing.
    let mut stmts = stmts.filter(|stmt| !program.sources.is_model(stmt.span));
    let relaxed = stmts.find(|stmt| match &stmt.op {
        Op::Load { order, .. } | Op::Store { order, .. } | Op::Rmw { order, .. } => *order == Order::Relaxed,
        _ => false,
    })?;
    let what = "a relaxed atomic access, which may hide a race from an engine that interleaves".to_string();
    Some(Why::Unsupported { span: relaxed.span, what })
}
