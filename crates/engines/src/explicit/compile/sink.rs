//! When must an input be known? Not before its value is used: it is chosen on the next edge, if that is the only way on.
//!
//! Passes put an input into the step in which it is read, and the condition on it, `assume(n < 10)`, often starts the next step.
//! There the condition tells which values are worth trying (`inputs`). So an input that the rest of its edge does not use
//! moves to the edges that follow, if no other edge leads there and the thread does not wait on one of them. Nobody can tell: only the running thread knows the value.
//!
//! Invariant: the inputs that were moved to an edge are its first statements, as many as `sunk` says. In a trace they belong to an
//! earlier step of the thread.

use ir::{EdgeId, Op, Proc, Program};
use logic::Pool;

/// How many moved inputs start each edge, by `ProcId` and `EdgeId`.
pub(crate) type Sunk = Vec<Vec<usize>>;

/// Moves inputs down.
pub(crate) fn sink_inputs(program: &mut Program) -> Sunk {
    let pool = &program.pool;
    program.procs.iter_mut().map(|proc| sink(pool, proc)).collect()
}

fn sink(pool: &Pool, proc: &mut Proc) -> Vec<usize> {
    let (out, into) = (proc.out_edges(), proc.in_edges());
    let mut sunk = vec![0; proc.edges.len()];
    // What sinks further was moved to a later edge, so a queue of edges is enough.
    let mut queue: Vec<EdgeId> = (0..proc.edges.len() as u32).rev().map(EdgeId).collect();
    while let Some(id) = queue.pop() {
        let edge = &proc.edges[id.index()];
        let (next, to) = (&out[edge.to.index()], edge.to);
        let is_only_way = into[to.index()].len() == 1 && to != proc.entry && edge.from != to;
        if !is_only_way || next.is_empty() || next.contains(&id) {
            continue;
        }
        let Some(position) = edge.stmts.iter().rposition(|stmt| matches!(stmt.op, Op::Havoc { .. })) else { continue };
        let Op::Havoc { var, .. } = edge.stmts[position].op else { continue };
        let touches =
            |op: &Op| ir::access::local_written(op) == Some(var) || ir::access::locals_read(op, pool).contains(&var);
        if edge.stmts[position + 1..].iter().any(|stmt| touches(&stmt.op)) {
            continue;
        }
        // Where a thread waits it must be known for what: another value might let it go on.
        if next.iter().any(|after| proc.edges[after.index()].stmts.iter().any(|stmt| waits(&stmt.op))) {
            continue;
        }
        let stmt = proc.edges[id.index()].stmts.remove(position);
        if position < sunk[id.index()] {
            sunk[id.index()] -= 1;
        }
        for after in next {
            proc.edges[after.index()].stmts.insert(0, stmt.clone());
            sunk[after.index()] += 1;
        }
        // There may be another one before it, and it may sink further.
        queue.push(id);
        queue.extend(next.iter().copied());
    }
    sunk
}

fn waits(op: &Op) -> bool {
    matches!(op, Op::Rmw { wait: Some(_), .. } | Op::Join { .. })
}
