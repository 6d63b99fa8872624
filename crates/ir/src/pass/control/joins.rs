//! Which joins can wait together? Those that follow each other with nothing in between that anybody could notice.
//!
//! A thread that has ended stays so; whoever joins two threads one after the other may as well wait for both at once. The edges of
//! such joins become one edge. For engines that look at states this means that it does not matter in which order the joined threads end.
//!
//! Invariant: between the joins of an edge stand only assignments and marks. Unlike after `merge_blocks` alone an edge may
//! have several visible statements: joins. Only engines that can run such an edge as a whole want this.

use crate::pass::analysis::graph::trim;
use crate::program::{Edge, EdgeId, LocId, Proc, Program};
use crate::stmt::{Op, Stmt};

/// The program in which consecutive joins whose results nobody wants are one step.
pub fn merge_joins(mut result: Program) -> Program {
    for proc in &mut result.procs {
        while merge_one(proc) {}
        trim(&result.pool, proc);
    }
    result
}

/// Takes out one location between joins, if there is one.
fn merge_one(proc: &mut Proc) -> bool {
    let (out, into) = (proc.out_edges(), proc.in_edges());
    for loc in (0..proc.locs.len() as u32).map(LocId) {
        let ([first], [second]) = (&into[loc.index()][..], &out[loc.index()][..]) else { continue };
        let (head, tail) = (&proc.edges[first.index()], &proc.edges[second.index()]);
        let is_fixed = loc == proc.entry || loc == proc.exit || head.from == loc;
        if !is_fixed && only_joins(&head.stmts) && begins_with_join(&tail.stmts) {
            let merged = Edge {
                from: head.from,
                to: tail.to,
                stmts: head.stmts.iter().chain(&tail.stmts).cloned().collect(),
                origin: head.origin.iter().chain(&tail.origin).copied().collect(),
            };
            let (first, second): (EdgeId, EdgeId) = (*first, *second);
            proc.edges[first.index()] = merged;
            proc.edges.remove(second.index());
            return true;
        }
    }
    false
}

fn is_quiet(op: &Op) -> bool {
    matches!(op, Op::Assign { .. } | Op::Mark(..))
}

fn only_joins(stmts: &[Stmt]) -> bool {
    let is_join = |op: &Op| matches!(op, Op::Join { result: None, .. });
    stmts.iter().all(|stmt| is_quiet(&stmt.op) || is_join(&stmt.op)) && stmts.iter().any(|stmt| is_join(&stmt.op))
}

fn begins_with_join(stmts: &[Stmt]) -> bool {
    let first = stmts.iter().find(|stmt| !is_quiet(&stmt.op));
    matches!(first.map(|stmt| &stmt.op), Some(Op::Join { result: None, .. }))
}
