//! Can threads wait for each other in a circle at all? Not if locks are always taken in one order.
//! Known as: lock-order (lock graph) analysis.
//!
//! In a circle each thread holds what another one waits for. So it is a circle in the graph that has an arc from each lock that may be
//! held to each lock that is waited for meanwhile. The end of a thread is a lock that every thread but the first holds, and
//! that whoever joins waits for. Locks are told apart by constant addresses; one with another address may be any. A thread
//! that may end with a lock makes others wait for ever without a circle, so that nothing is said about such programs.
//!
//! Who holds what is known from the marks of the library models: a wait that has an owner is followed by the mark of the lock.
//! Calls must have been inlined.

use crate::ObjectKind;
use crate::program::{LocId, Proc, ProcId, Program};
use crate::stmt::{Callee, CheckKind, Mark, Op, Stmt};
use logic::{TermId, Value};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// A lock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Lock {
    /// At a constant address.
    At(u64),
    /// At another one.
    Somewhere,
    /// The end of a thread.
    End,
}

/// What may be held where, and whether the thread may be between a wait and its mark.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Held {
    locks: BTreeSet<Lock>,
    is_taking: bool,
}

/// The order is not known.
struct Unknown;

/// Whether some threads may wait for each other in a circle, or for a lock of a thread that has ended.
pub fn may_wait_in_circle(program: &Program) -> bool {
    let mut arcs = BTreeSet::new();
    for (index, proc) in program.procs.iter().enumerate() {
        if collect(program, ProcId(index as u32), proc, &mut arcs).is_err() {
            return true;
        }
    }
    has_circle(&arcs)
}

/// How many waits a program has, if none of them can last for ever: all are for locks or for threads that end, and no circle of them is possible. Nobody waits then for the
/// last lock in the order of which any is held, and who holds it gives it back; so it is under every memory model in which locks exclude each other.
pub fn waits_in_order(program: &Program) -> Option<usize> {
    let stmts = || program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    let is_true = |cond: TermId| program.pool.as_const(cond) == Some(&Value::Bool(true));
    // Where executions are refused nobody can tell.
    let is_open = |stmt: &Stmt| match &stmt.op {
        Op::Rmw { wait: Some(_), owner: None, .. } => true,
        Op::Check { cond, kind: CheckKind::Unsupported(_) | CheckKind::Bound(_) } => !is_true(*cond),
        _ => false,
    };
    if stmts().any(is_open) || may_wait_in_circle(program) {
        return None;
    }
    Some(stmts().filter(|stmt| matches!(stmt.op, Op::Rmw { owner: Some(_), .. } | Op::Join { .. })).count())
}

/// Whether nobody ever waits for ever, as the text of a program tells at once, calls and all: only the first thread joins others, and nobody waits for anything else. Who is joined waits for
/// nothing then: it ends, or it runs for ever, which is no deadlock. That the first thread joins itself is left to those who look for misuse.
pub fn never_deadlocks(program: &Program) -> bool {
    let stmts_of = |proc: usize| program.procs[proc].edges.iter().flat_map(|edge| &edge.stmts);
    let waits = |stmt: &Stmt| matches!(stmt.op, Op::Rmw { wait: Some(_), .. });
    if (0..program.procs.len()).any(|proc| stmts_of(proc).any(waits)) {
        return false;
    }
    // Whose address is taken may be called by everybody, and run as a thread.
    let mut open: Vec<usize> = program
        .objects
        .iter()
        .filter_map(|object| match object.kind {
            ObjectKind::Function(proc) => Some(proc.index()),
            _ => None,
        })
        .collect();
    for proc in 0..program.procs.len() {
        open.extend(stmts_of(proc).filter_map(|stmt| match &stmt.op {
            Op::Start { callee: Callee::Proc(started), .. } => Some(started.index()),
            _ => None,
        }));
    }
    let mut runs_beside = vec![false; program.procs.len()];
    while let Some(proc) = open.pop() {
        if std::mem::replace(&mut runs_beside[proc], true) {
            continue;
        }
        open.extend(stmts_of(proc).filter_map(|stmt| match &stmt.op {
            Op::Call { callee: Callee::Proc(called), .. } => Some(called.index()),
            _ => None,
        }));
    }
    let joins = |proc: usize| stmts_of(proc).any(|stmt| matches!(stmt.op, Op::Join { .. }));
    let beside = |proc: &usize| runs_beside[*proc];
    !beside(&program.main.index()) && !(0..program.procs.len()).filter(beside).any(joins)
}

/// The program without what its waits say about who can end them.
pub fn forget_owners(mut program: Program) -> Program {
    for stmt in program.procs.iter_mut().flat_map(|proc| &mut proc.edges).flat_map(|edge| &mut edge.stmts) {
        if let Op::Rmw { owner, .. } = &mut stmt.op {
            *owner = None;
        }
    }
    program
}

fn collect(program: &Program, id: ProcId, proc: &Proc, arcs: &mut BTreeSet<(Lock, Lock)>) -> Result<(), Unknown> {
    let is_main = id == program.main;
    let first = Held { locks: (!is_main).then_some(Lock::End).into_iter().collect(), is_taking: false };
    let mut at: BTreeMap<LocId, Held> = BTreeMap::from([(proc.entry, first)]);
    let mut queue = vec![proc.entry];
    let out_edges = proc.out_edges();
    while let Some(loc) = queue.pop() {
        for edge in &out_edges[loc.index()] {
            let edge = &proc.edges[edge.index()];
            let mut held = at[&loc].clone();
            let mut goes_on = true;
            for stmt in &edge.stmts {
                goes_on = goes_on && step(program, is_main, stmt, &mut held, arcs)?;
            }
            if !goes_on {
                continue;
            }
            if edge.to == proc.exit && !is_main {
                end(&held)?;
            }
            let known = at.entry(edge.to);
            let is_new = matches!(known, std::collections::btree_map::Entry::Vacant(_));
            let known = known.or_default();
            let before = known.clone();
            known.locks.extend(held.locks);
            known.is_taking |= held.is_taking;
            if is_new || *known != before {
                queue.push(edge.to);
            }
        }
    }
    Ok(())
}

/// What a statement takes and gives back; whether anything can follow it.
fn step(
    program: &Program,
    is_main: bool,
    stmt: &Stmt,
    held: &mut Held,
    arcs: &mut BTreeSet<(Lock, Lock)>,
) -> Result<bool, Unknown> {
    match &stmt.op {
        Op::Rmw { owner: Some(_), .. } => {
            let was_taking = std::mem::replace(&mut held.is_taking, true);
            if was_taking {
                return Err(Unknown);
            }
        }
        Op::Mark(Mark::Locked | Mark::ReadLocked, addr) => {
            let lock = lock_at(program, *addr);
            if std::mem::take(&mut held.is_taking) {
                arcs.extend(held.locks.iter().map(|other| (*other, lock)));
            }
            held.locks.insert(lock);
        }
        Op::Mark(Mark::Unlocked, addr) => {
            held.locks.remove(&lock_at(program, *addr));
        }
        Op::Join { .. } => {
            if held.is_taking {
                return Err(Unknown);
            }
            arcs.extend(held.locks.iter().map(|other| (*other, Lock::End)));
        }
        Op::ExitThread(_) => end(held)?,
        Op::Return(_) if !is_main => end(held)?,
        Op::Call { .. } => return Err(Unknown),
        Op::ExitProcess { .. } => return Ok(false),
        Op::Check { cond, .. } | Op::Assume(cond) => {
            return Ok(program.pool.as_const(*cond) != Some(&Value::Bool(false)));
        }
        _ => {}
    }
    Ok(true)
}

/// The thread ends with these.
fn end(held: &Held) -> Result<(), Unknown> {
    let is_free = !held.is_taking && held.locks.iter().all(|lock| *lock == Lock::End);
    if is_free { Ok(()) } else { Err(Unknown) }
}

fn lock_at(program: &Program, addr: TermId) -> Lock {
    match program.pool.as_const(addr) {
        Some(addr) => Lock::At(addr.as_bv().as_u64()),
        None => Lock::Somewhere,
    }
}

/// Whether the graph has a circle; a lock somewhere is every lock at an address.
fn has_circle(arcs: &BTreeSet<(Lock, Lock)>) -> bool {
    let is_same = |a: Lock, b: Lock| {
        a == b || (a != Lock::End && b != Lock::End && (a == Lock::Somewhere || b == Lock::Somewhere))
    };
    arcs.iter().any(|(start, first)| {
        let mut seen = FxHashSet::default();
        let mut open = vec![*first];
        while let Some(lock) = open.pop() {
            if is_same(lock, *start) {
                return true;
            }
            if seen.insert(lock) {
                open.extend(arcs.iter().filter(|(from, _)| is_same(*from, lock)).map(|(_, to)| *to));
            }
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Builder;

    #[test]
    fn only_circles_count() {
        let (a, b, any, end) = (Lock::At(1), Lock::At(2), Lock::Somewhere, Lock::End);
        let rows: [(&[(Lock, Lock)], bool); 8] = [
            (&[(a, b)], false),
            (&[(a, b), (b, a)], true),
            (&[(a, a)], true),
            (&[(end, a), (end, b), (a, b)], false),
            (&[(a, end), (end, b)], false),
            (&[(a, end), (end, a)], true),
            (&[(a, any)], true),
            (&[(end, any), (end, a)], false),
        ];
        for (arcs, expected) in rows {
            assert_eq!(has_circle(&arcs.iter().copied().collect()), expected, "{arcs:?}");
        }
    }

    /// A program whose thread, or whose first thread, joins.
    fn joined_by(main_joins: bool, thread_joins: bool) -> Program {
        let mut builder = Builder::new();
        let join = builder.define("join", |body| {
            let handle = body.pointer("handle");
            body.join(handle);
            body.then(Op::Return(None));
        });
        let call = Op::Call { callee: Callee::Proc(join), args: Vec::new(), result: None };
        let worker = builder.define("worker", |body| {
            if thread_joins {
                body.then(call.clone());
            }
            body.then(Op::Return(None));
        });
        let main = builder.define("main", |body| {
            let dst = body.pointer("t");
            body.then(Op::Start { dst, callee: Callee::Proc(worker), args: Vec::new() });
            if main_joins {
                body.then(call.clone());
            }
            body.then(Op::Return(None));
        });
        builder.finish(main)
    }

    #[test]
    fn who_is_joined_must_not_join() {
        assert!(never_deadlocks(&joined_by(true, false)));
        assert!(never_deadlocks(&joined_by(false, false)));
        assert!(!never_deadlocks(&joined_by(true, true)));
    }
}
