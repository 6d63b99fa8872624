//! What happens when a lock is taken or given back? A critical section opens, or what it has put off is done and it ends.

use super::lock::Lock;
use super::lock_sets::LockSets;
use crate::bmc::accesses::event_graph::EventGraph;
use crate::bmc::reductions::lipton_reduction::PutOff;
use crate::bmc::unroll::state::Walk;
use logic::TermId;

/// A lock is taken by the events made since there were so many; `left` is what is left in it.
pub(crate) fn acquire(
    graph: &mut EventGraph,
    lock_sets: &LockSets,
    walk: &mut Walk,
    (lock, left): (Lock, TermId),
    (reads, writes): (usize, usize),
) {
    let EventGraph { events, locks, pool, .. } = graph;
    let puts_off = !walk.is_inside() && lock_sets.is_guard(lock.name(pool));
    let value = Some(left).filter(|left| pool.as_const(*left).is_some());
    let own = (reads..events.reads.len()).filter(|at| events.reads[*at].thread == walk.thread);
    let taken_at = walk.node.filter(|_| puts_off);
    locks.take(&mut walk.state.held, (lock, value), taken_at, (own, writes..events.writes.len()));
}

/// A lock is given back, if it is held, by the events made since there were so many.
pub(crate) fn release(
    graph: &mut EventGraph,
    put_off: &mut PutOff,
    walk: &mut Walk,
    lock: Lock,
    (reads, writes): (usize, usize),
) {
    let Some((_, section)) = walk.state.held.iter().find(|(other, _)| *other == lock).copied() else { return };
    let (n_reads, n_writes) = graph.n_events();
    if let Some(node) = walk.node {
        put_off.settle(graph, &walk.state, (walk.thread, node), section, walk.is_inside());
    }
    graph.locks.give(&mut walk.state.held, lock, &graph.events, (reads..n_reads, writes..n_writes));
}
