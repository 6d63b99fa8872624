//! What is there to add to an answer that a program is safe? What the question did not cover, where the program gives a reason to say so.

use ir::pass::Components;
use ir::{Callee, Edge, Model, Op, Order, Proc, Program, Properties, Property, Task};

/// All there is to add.
pub(super) fn remarks(task: &Task) -> Vec<String> {
    weaker_than_taken(task).into_iter().chain(may_wait(task)).collect()
}

/// That atomic accesses of the user's program were taken for stronger ones than they are, if there are such.
fn weaker_than_taken(task: &Task) -> Option<String> {
    let program = &task.program;
    if program.model != Model::Sc {
        return None;
    }
    let stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    let weak = stmts.filter(|stmt| program.is_users_access(stmt)).find(|stmt| match &stmt.op {
        Op::Load { order, .. } | Op::Store { order, .. } => order.is_atomic() && *order != Order::SeqCst,
        _ => false,
    })?;
    let place = program.sources.place(weak.span);
    Some(format!(
        "atomic accesses weaker than seq_cst ({place}) were interleaved like the others; --model rc11 asks about all that C11 allows"
    ))
}

/// That a loop may wait for ever, if one does nothing but look at what others write and nobody asked whether it ends.
fn may_wait(task: &Task) -> Option<String> {
    let (program, endless) = (&task.program, Properties::of(&[Property::Termination, Property::Liveness]));
    if !task.properties.both(endless).is_empty() {
        return None;
    }
    let place = program.procs.iter().find_map(|proc| waiting_loop(program, proc))?;
    Some(format!("whether the loop that waits at {place} ends was not asked; --property liveness asks"))
}

/// Where a loop reads something atomic and, apart from yielding, does nothing that anybody sees.
fn waiting_loop(program: &Program, proc: &Proc) -> Option<String> {
    let components = Components::new(proc, &proc.out_edges());
    let number = |edge: &Edge| components.of[edge.from.index()];
    let inside = || proc.edges.iter().filter(|edge| components.is_repeated(edge.from, edge.to));
    let looks = |op: &Op| matches!(op, Op::Load { order, .. } if order.is_atomic());
    let read = inside().find_map(|edge| {
        let stmt = edge.stmts.iter().find(|stmt| program.is_users_access(stmt) && looks(&stmt.op))?;
        let body = inside().filter(|other| number(other) == number(edge)).flat_map(|other| &other.stmts);
        body.into_iter().all(|stmt| is_unseen(program, &stmt.op)).then_some(stmt)
    });
    read.map(|stmt| program.sources.place(stmt.span).to_string())
}

/// Whether others notice nothing of it.
fn is_unseen(program: &Program, op: &Op) -> bool {
    const YIELDING: [&str; 6] = ["sched_yield", "thrd_yield", "pthread_yield", "usleep", "sleep", "nanosleep"];
    match op {
        Op::Assign { .. } | Op::Assume(_) | Op::Havoc { .. } | Op::Check { .. } | Op::Load { .. } | Op::Fence(_) => {
            true
        }
        Op::Call { callee: Callee::Proc(callee), .. } => YIELDING.contains(&program.proc(*callee).name.as_str()),
        _ => false,
    }
}
