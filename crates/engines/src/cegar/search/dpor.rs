//! What has dynamic reduction not seen coming? Asked when nothing else is left to explore.
//!
//! Known as: stateful dynamic partial order reduction over an abstract reachability graph \[Flanagan05] \[Yang08].
//!
//! Each node began with one thread. What all threads touch in the part of the graph that is reached from a node is collected; if that
//! conflicts with a step that was explored in the node, and the thread was not, it has to be (`explore::por::dpor::BacktrackSet`). A thread
//! that does not surely run there, or is not there yet, stands for all others too.
//!
//! Invariant: when nothing is missing, the threads explored in a node are a source set of it, in the graph as it is.

use super::Search;
use super::reachability_graph::NodeId;
use super::reduction::{AtNode, Seen};
use crate::explore::por::dependence::{Future, Joins, Next, TargetList};
use crate::explore::por::dpor::BacktrackSet;
use crate::explore::por::source_set::Threads;
use crate::explore::por::threads::MAX_THREADS;
use rustc_hash::FxHashMap;

/// What a step reads and writes.
type Accesses = (TargetList, TargetList);

/// Nodes and threads to explore there.
pub(crate) fn needed(search: &mut Search<'_, '_>) -> Vec<(NodeId, u32)> {
    let n = search.graph.nodes.len();
    // What every thread touches next in a node, whether it runs there or not.
    let mut own: Vec<FxHashMap<u32, Accesses>> = Vec::with_capacity(n);
    for node in 0..n as NodeId {
        let mut next = FxHashMap::default();
        if search.graph.node(node).is_expanded {
            let control = search.graph.node(node).control.clone();
            for thread in control.alive() {
                next.insert(thread, search.next_targets(node, thread, Seen::FromBefore));
            }
        }
        own.push(next);
    }
    let later = touched_later(search, &own);
    let mut missing = Vec::new();
    for node in 0..n as NodeId {
        let (explored, can_run) = (search.graph.node(node).explored.clone(), search.graph.node(node).can_run.clone());
        if !search.graph.node(node).is_expanded || explored.len() == can_run.len() {
            continue;
        }
        let (own, later) = (&own[node as usize], &later[node as usize]);
        let steps: Vec<&Accesses> = explored.iter().filter_map(|thread| own.get(thread)).collect();
        let is_conflicting = |touched: &Future| steps.iter().any(|(reads, writes)| touched.conflicts(reads, writes));
        let mut others: Vec<u32> = later
            .iter()
            .filter(|(other, touched)| !explored.contains(other) && is_conflicting(touched))
            .map(|(other, _)| *other)
            .collect();
        others.sort_unstable();
        let alive: Vec<u32> = search.graph.node(node).control.alive().collect();
        if alive.len() > MAX_THREADS {
            missing
                .extend(can_run.into_iter().filter(|thread| !explored.contains(thread)).map(|thread| (node, thread)));
            continue;
        }
        let mut at = AtNode::new(search, node, alive.clone());
        let alive = at.positions(&alive);
        let mut inside = BacktrackSet(at.positions(&explored));
        for other in others {
            match at.position(other) {
                Some(position) => inside.require(position, &mut at, &alive),
                None => inside.0.add(&alive),
            }
        }
        if explored.iter().any(|thread| needs_all(&mut at, *thread)) {
            inside.0.add(&alive);
        }
        let wanted = inside.0.iter().map(|position| at.thread(position));
        let wanted = wanted.filter(|thread| can_run.contains(thread) && !explored.contains(thread));
        missing.extend(wanted.map(|thread| (node, thread)));
    }
    missing
}

/// Whether the step of a thread that was explored needs all others to run as well.
fn needs_all(at: &mut AtNode<'_, '_, '_>, thread: u32) -> bool {
    let Some(position) = at.position(thread) else { return true };
    let mut next = Next::default();
    at.probe(position, &mut next);
    next.needs_all || next.joins == Joins::Anybody
}

/// What each thread touches in the part of the graph that is reached from each node.
fn touched_later(search: &Search<'_, '_>, own: &[FxHashMap<u32, Accesses>]) -> Vec<FxHashMap<u32, Future>> {
    let nothing = Future::new(&search.world.actions.targets);
    let mut later: Vec<FxHashMap<u32, Future>> = own
        .iter()
        .map(|next| {
            let touched = next.iter().map(|(thread, (reads, writes))| {
                let mut touched = nothing.clone();
                touched.reads.extend(reads.iter().map(|target| *target as usize));
                touched.writes.extend(writes.iter().map(|target| *target as usize));
                (*thread, touched)
            });
            touched.collect()
        })
        .collect();
    loop {
        let mut changed = false;
        for node in (0..own.len()).rev() {
            let mut all = std::mem::take(&mut later[node]);
            for (_, _, to) in &search.graph.node(node as NodeId).next {
                let to = search.graph.representative(*to) as usize;
                // What the node itself touches is there already.
                for (thread, touched) in &later[to] {
                    changed |= all.entry(*thread).or_insert_with(|| nothing.clone()).add(touched);
                }
            }
            later[node] = all;
        }
        if !changed {
            return later;
        }
    }
}
