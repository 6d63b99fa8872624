//! Which threads are alike? Of two that differ in nothing but their number, the one started first may as well be the first to do something.
//!
//! Known as: symmetry reduction, symmetry breaking.
//!
//! Two threads are alike if they run the same procedure with the same arguments, cannot tell their own number, make no objects (whose addresses
//! would differ) and nobody waits for their end. In any execution they can change roles: the one that was started later does what the other did,
//! which is possible since that was after its own start. So an order between their first accesses loses nothing, and it rules out many
//! choices of reads before anything is asked. Where data races are asked about it is not done: two accesses race since they have no order.

use crate::bmc::unrolled::Thread;
use ir::access::locals_read;
use ir::{Op, ProcId, Program};
use logic::TermId;
use memory::events::{Events, START};
use rustc_hash::FxHashMap;

/// Orders the first accesses of threads that are alike; how many pairs there are. All of them must be started by main, and stores reach memory at once.
pub(crate) fn order_alike(program: &Program, threads: &[Thread], events: &mut Events) -> usize {
    let first = first_nodes(events, threads.len());
    let mut can_swap: FxHashMap<ProcId, bool> = FxHashMap::default();
    let mut last_alike: FxHashMap<(ProcId, &[TermId]), u32> = FxHashMap::default();
    let mut n_pairs = 0;
    for (id, thread) in threads.iter().enumerate().skip(1) {
        let is_swappable = *can_swap.entry(thread.proc).or_insert_with(|| tells_nothing(program, thread.proc));
        let Some(own) = first[id].filter(|_| is_swappable && !thread.is_joined) else { continue };
        if let Some(before) = last_alike.insert((thread.proc, &thread.args), own) {
            events.fixed.push((before, own));
            n_pairs += 1;
        }
    }
    n_pairs
}

/// Whether a procedure behaves the same whatever the number of its thread is.
fn tells_nothing(program: &Program, proc: ProcId) -> bool {
    let mut stmts = program.proc(proc).edges.iter().flat_map(|edge| &edge.stmts);
    stmts.all(|stmt| {
        let makes = matches!(stmt.op, Op::Alloc { .. } | Op::Free { .. } | Op::Start { .. } | Op::Join { .. });
        !makes && !locals_read(&stmt.op, &program.pool).contains(&program.self_var)
    })
}

/// The node of each thread that all its other nodes come after, if there is one.
fn first_nodes(events: &Events, n_threads: usize) -> Vec<Option<u32>> {
    let mut first: Vec<Vec<u32>> = vec![Vec::new(); n_threads];
    for (from, to) in &events.fixed {
        let (before, own) = (events.thread_of[*from as usize], events.thread_of[*to as usize]);
        let is_entry = before != own || *from == START;
        if let Some(first) = first.get_mut(own as usize).filter(|first| is_entry && !first.contains(to)) {
            first.push(*to);
        }
    }
    first.into_iter().map(|nodes| if let [node] = nodes[..] { Some(node) } else { None }).collect()
}
