//! Which threads are there, and what of the program can be looked at thread by thread?
//!
//! Every statement that starts a thread starts one: such a statement stands in no cycle. What has no place in graphs of events (memory with computed
//! addresses, objects that are made and end, atomic sections) is refused by name and place.

use ir::pass::reachable_from;
use ir::{AllocKind, Callee, EdgeId, Op, Place, ProcId, Program, Span, Why};
use logic::Value;

/// Threads at most.
const MAX_THREADS: usize = 8;

/// A thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Thread {
    /// What it runs.
    pub(super) proc: ProcId,
    /// Who starts it, and by which statement of which edge.
    pub(super) started: Option<(u32, EdgeId, u32)>,
}

fn refuse<T>(span: Span, what: &str) -> Result<T, Why> {
    Err(Why::Unsupported { span, what: format!("{what} in the engine declarative") })
}

/// All threads, whoever starts one before it.
pub(super) fn threads(program: &Program) -> Result<Vec<Thread>, Why> {
    let mut all = vec![Thread { proc: program.main, started: None }];
    let mut next = 0;
    while next < all.len() {
        let proc = program.proc(all[next].proc);
        let out = proc.out_edges();
        let reached = reachable_from(proc, &out, [proc.entry]);
        for (index, edge) in proc.edges.iter().enumerate().filter(|(_, edge)| reached[edge.from.index()]) {
            for (at, stmt) in edge.stmts.iter().enumerate() {
                supported(&stmt.op, stmt.span)?;
                let Op::Start { callee, .. } = &stmt.op else { continue };
                let Callee::Proc(proc_of_new) = callee else {
                    return refuse(stmt.span, "a thread that runs what a pointer names");
                };
                if reachable_from(proc, &out, [edge.to])[edge.from.index()] {
                    return refuse(stmt.span, "a thread that is started in a loop");
                }
                if all.len() == MAX_THREADS {
                    return refuse(stmt.span, "more than eight threads");
                }
                let started = Some((next as u32, EdgeId(index as u32), at as u32));
                all.push(Thread { proc: *proc_of_new, started });
            }
        }
        next += 1;
    }
    Ok(all)
}

/// What each thread calls itself, if that is the same in all executions: `main` alone starts threads, and has always started as many before.
pub(super) fn handles(program: &Program, threads: &[Thread]) -> Option<Vec<Value>> {
    if threads.iter().any(|thread| thread.started.is_some_and(|(by, _, _)| by != 0)) {
        return None;
    }
    let main = program.proc(program.main);
    let mut before: Vec<Option<u64>> = vec![None; main.locs.len()];
    let mut numbers: Vec<Option<u64>> = vec![None; threads.len()];
    (before[main.entry.index()], numbers[0]) = (Some(0), Some(0));
    let mut queue = vec![main.entry];
    while let Some(loc) = queue.pop() {
        for (index, edge) in main.edges.iter().enumerate().filter(|(_, edge)| edge.from == loc) {
            let mut count = before[loc.index()]?;
            for (at, _) in edge.stmts.iter().enumerate().filter(|(_, stmt)| matches!(stmt.op, Op::Start { .. })) {
                let started = Some((0, EdgeId(index as u32), at as u32));
                count += 1;
                let number = &mut numbers[threads.iter().position(|thread| thread.started == started)?];
                if number.replace(count).is_some_and(|other| other != count) {
                    return None;
                }
            }
            // How many there are at the end is nobody's number.
            if edge.to == main.exit {
                continue;
            }
            match before[edge.to.index()].replace(count) {
                Some(other) if other != count => return None,
                Some(_) => {}
                None => queue.push(edge.to),
            }
        }
    }
    let handle = |number: Option<u64>| Some(Value::bv(program.data_model.word_bits(), number? + 1));
    numbers.into_iter().map(handle).collect()
}

fn supported(op: &Op, span: Span) -> Result<(), Why> {
    match op {
        Op::Load { place: Place::Mem { .. }, .. }
        | Op::Store { place: Place::Mem { .. }, .. }
        | Op::Rmw { place: Place::Mem { .. }, .. } => refuse(span, "an access of memory by its address"),
        Op::Alloc { .. } => refuse(span, "an object that is made while the program runs"),
        Op::Free { kind: AllocKind::Heap | AllocKind::Library | AllocKind::Stack, .. } => {
            refuse(span, "the end of an object")
        }
        Op::AtomicBegin | Op::AtomicEnd => refuse(span, "an atomic section"),
        Op::Call { .. } => refuse(span, "a call that was not inlined"),
        _ => Ok(()),
    }
}
