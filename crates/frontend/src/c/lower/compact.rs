//! Tidying an automaton: drop what is never reached, skip empty steps, join steps that nothing can come between.
//!
//! Two edges in a row become one if together they make at most one shared access and nothing in the second can stop the
//! first from happening: a guard may follow only guards, because an edge whose guard fails is not taken at all,
//! and what can wait starts an edge of its own. A call ends its edge. Where the process or the thread may end, others have had the time to see what it did
//! before.
//!
//! Invariant: the result has the same interleavings of shared accesses as before.

use ir::{Callee, CheckKind, Edge, EdgeId, EdgeRef, HavocKind, LocId, Op, Place, Proc, ProcId, Program, Stmt};
use rustc_hash::FxHashSet;

/// Tidies a procedure, marks its loop heads, and makes each edge its own origin.
pub(super) fn compact(program: &mut Program, id: ProcId) {
    let proc = &mut program.procs[id.index()];
    skip_empty_edges(proc);
    prune(proc);
    join_chains(proc);
    prune(proc);
    place_locations(proc);
    mark_loop_heads(proc);
    for (index, edge) in proc.edges.iter_mut().enumerate() {
        edge.origin = vec![EdgeRef { proc: id, edge: EdgeId(index as u32) }];
    }
    drop_unused_locals(program, id);
}

/// Variables of code that was left out are no variables of the procedure.
fn drop_unused_locals(program: &mut Program, id: ProcId) {
    let proc = &program.procs[id.index()];
    let mut used: FxHashSet<logic::VarId> = proc.params.iter().copied().collect();
    for stmt in proc.edges.iter().flat_map(|edge| &edge.stmts) {
        used.extend(ir::access::local_written(&stmt.op));
        used.extend(ir::access::locals_read(&stmt.op, &program.pool));
    }
    program.procs[id.index()].locals.retain(|var| used.contains(var));
}

/// Jumps over locations whose only edge does nothing.
fn skip_empty_edges(proc: &mut Proc) {
    let out = proc.out_edges();
    let next = |loc: LocId| match out[loc.index()].as_slice() {
        [edge] if proc.edges[edge.index()].stmts.is_empty() => Some(proc.edges[edge.index()].to),
        _ => None,
    };
    let resolve = |start: LocId| {
        let mut loc = start;
        for _ in 0..proc.locs.len() {
            match next(loc) {
                Some(to) => loc = to,
                None => return loc,
            }
        }
        // A cycle that does nothing: it must stay.
        start
    };
    let targets: Vec<LocId> = proc.edges.iter().map(|edge| resolve(edge.to)).collect();
    let entry = resolve(proc.entry);
    for (edge, to) in proc.edges.iter_mut().zip(targets) {
        edge.to = to;
    }
    proc.entry = entry;
}

/// Removes locations and edges that cannot be reached, and renumbers.
fn prune(proc: &mut Proc) {
    let out = proc.out_edges();
    let mut new_id = vec![None; proc.locs.len()];
    let mut order = vec![proc.entry];
    new_id[proc.entry.index()] = Some(LocId(0));
    let mut next = 0;
    while let Some(loc) = order.get(next).copied() {
        next += 1;
        for edge in &out[loc.index()] {
            let to = proc.edges[edge.index()].to;
            if new_id[to.index()].is_none() {
                new_id[to.index()] = Some(LocId(order.len() as u32));
                order.push(to);
            }
        }
    }
    if new_id[proc.exit.index()].is_none() {
        new_id[proc.exit.index()] = Some(LocId(order.len() as u32));
        order.push(proc.exit);
    }
    let mut edges = Vec::new();
    for loc in &order {
        for edge in &out[loc.index()] {
            let edge = &mut proc.edges[edge.index()];
            let renumber = |loc: LocId| new_id[loc.index()].expect("both ends of a reached edge are reached");
            let stmts = std::mem::take(&mut edge.stmts);
            edges.push(Edge { from: renumber(edge.from), to: renumber(edge.to), stmts, origin: Vec::new() });
        }
    }
    proc.locs = order.iter().map(|loc| proc.locs[loc.index()].clone()).collect();
    proc.edges = edges;
    proc.entry = LocId(0);
    proc.exit = new_id[proc.exit.index()].expect("the exit was kept");
}

/// Joins edges in a row. Joined edges are left behind without a way to reach them.
fn join_chains(proc: &mut Proc) {
    let (out, into) = (proc.out_edges(), proc.in_edges());
    // Which edge a joined one has become a part of.
    let mut whole: Vec<usize> = (0..proc.edges.len()).collect();
    for loc in 0..proc.locs.len() {
        let loc = LocId(loc as u32);
        let ([first], [second]) = (into[loc.index()].as_slice(), out[loc.index()].as_slice()) else { continue };
        if loc == proc.entry || loc == proc.exit {
            continue;
        }
        let mut first = first.index();
        while whole[first] != first {
            first = whole[first];
        }
        let second = second.index();
        if first == second || !can_join(&proc.edges[first].stmts, &proc.edges[second].stmts) {
            continue;
        }
        let stmts = std::mem::take(&mut proc.edges[second].stmts);
        proc.edges[first].stmts.extend(stmts);
        proc.edges[first].to = proc.edges[second].to;
        proc.edges[second].from = loc;
        whole[second] = first;
    }
    let mut index = 0;
    proc.edges.retain(|_| {
        index += 1;
        whole[index - 1] == index - 1
    });
}

fn can_join(first: &[Stmt], second: &[Stmt]) -> bool {
    let Some(next) = second.first() else { return true };
    let only_guards = first.iter().all(|stmt| matches!(stmt.op, Op::Assume(_)));
    let may_follow = match next.op {
        Op::Assume(_) => only_guards,
        Op::Rmw { wait: Some(_), .. } | Op::Join { .. } | Op::AtomicBegin => first.is_empty(),
        _ => true,
    };
    let may_precede = match first.last() {
        Some(stmt) => !matches!(
            stmt.op,
            Op::Call { .. } | Op::AtomicEnd | Op::Return(_) | Op::ExitThread(_) | Op::ExitProcess { .. }
        ),
        None => true,
    };
    let is_late = has_effect(first) && second.iter().any(|stmt| may_end(&stmt.op));
    let is_chosen = second.iter().any(|stmt| is_chosen_by(first, &stmt.op));
    may_follow && may_precede && !is_late && !is_chosen && n_accesses(first) + n_accesses(second) <= 1
}

/// Whether an input that was chosen before may say what is accessed or called. Where a thread stands it must be known what it does next, so the choice is a step of its own.
pub(super) fn is_chosen_by(before: &[Stmt], op: &Op) -> bool {
    let follows_pointer = match op {
        Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => matches!(place, Place::Mem { .. }),
        Op::Call { callee, .. } | Op::Start { callee, .. } => matches!(callee, Callee::Pointer(_)),
        Op::Free { .. } => true,
        _ => false,
    };
    follows_pointer && before.iter().any(|stmt| matches!(stmt.op, Op::Havoc { kind: HavocKind::Input, .. }))
}

/// Whether the process or the thread may be over after it.
pub(super) fn may_end(op: &Op) -> bool {
    match op {
        Op::Return(_) | Op::ExitThread(_) | Op::ExitProcess { .. } => true,
        Op::Check { kind, .. } => matches!(kind, CheckKind::ErrorCall | CheckKind::Assertion | CheckKind::Division),
        _ => false,
    }
}

/// Whether other threads can see something of these that they could not before.
pub(super) fn has_effect(stmts: &[Stmt]) -> bool {
    let is_effect = |stmt: &Stmt| {
        matches!(stmt.op, Op::Store { .. } | Op::Rmw { .. } | Op::Free { .. } | Op::Start { .. } | Op::Fence(_))
    };
    stmts.iter().any(is_effect)
}

fn n_accesses(stmts: &[Stmt]) -> usize {
    let is_access = |stmt: &&Stmt| {
        !matches!(
            stmt.op,
            Op::Assign { .. }
                | Op::Havoc { .. }
                | Op::Assume(_)
                | Op::Check { .. }
                | Op::Mark(..)
                | Op::Return(_)
                | Op::ExitThread(_)
                | Op::ExitProcess { .. }
                | Op::AtomicBegin
                | Op::AtomicEnd
        )
    };
    stmts.iter().filter(is_access).count()
}

/// A location stands where its first statement stands.
fn place_locations(proc: &mut Proc) {
    let out = proc.out_edges();
    for (loc, edges) in proc.locs.iter_mut().zip(&out) {
        let first = edges.iter().find_map(|edge| proc.edges[edge.index()].stmts.first());
        if let Some(stmt) = first.filter(|stmt| stmt.span.is_known()) {
            loc.span = stmt.span;
        }
    }
}

/// Marks the targets of back edges of a depth-first search.
fn mark_loop_heads(proc: &mut Proc) {
    #[derive(Clone, Copy, PartialEq)]
    enum Colour {
        New,
        Open,
        Done,
    }
    let out = proc.out_edges();
    let mut colour = vec![Colour::New; proc.locs.len()];
    let mut stack = vec![(proc.entry, 0)];
    colour[proc.entry.index()] = Colour::Open;
    while let Some((loc, next)) = stack.last_mut() {
        let Some(edge) = out[loc.index()].get(*next) else {
            colour[loc.index()] = Colour::Done;
            stack.pop();
            continue;
        };
        *next += 1;
        let to = proc.edges[edge.index()].to;
        match colour[to.index()] {
            Colour::New => {
                colour[to.index()] = Colour::Open;
                stack.push((to, 0));
            }
            Colour::Open => proc.locs[to.index()].is_loop_head = true,
            Colour::Done => {}
        }
    }
}
