//! What has a reduction put off for ever, and what has it not seen coming? Asked when nothing else is left to explore.
//!
//! The cycle condition (Theorem 2 of 000, condition 2): if a thread can run in all nodes of a cycle, its step is explored in one of them. For each
//! thread that was put off somewhere, cycles among the nodes where it was are looked for, covered nodes being one with those that cover
//! them; in each such cycle one node explores it.
//!
//! Dynamic reduction: each node began with one thread. What all threads touch in the part of the graph that is reached from a node is collected;
//! if that conflicts with a step that was explored in the node, and the thread was not, it has to be. A thread that does not surely
//! run there stands for all others too (Flanagan and Godefroid 2005, with summaries of visited states as in Yang et al. 2008).
//!
//! Invariant: when nothing is missing, both conditions hold for the graph as it is.

use super::graph::NodeId;
use super::search::Search;
use super::select::{AtNode, Reduction};
use crate::explore::choice::{Joins, Threads};
use crate::explore::targets::TargetId;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

/// Nodes and threads to explore there.
pub(crate) fn missing(search: &mut Search<'_, '_>) -> Vec<(NodeId, u32)> {
    if search.world.reduction == Reduction::None {
        return Vec::new();
    }
    if search.world.reduction.is_dynamic() {
        let found = conflicts(search);
        if !found.is_empty() {
            return found;
        }
    }
    ignored(search)
}

fn is_put_off(search: &Search<'_, '_>, node: NodeId, thread: u32) -> bool {
    let node = search.graph.node(node);
    node.is_expanded && node.can_run.contains(&thread) && !node.explored.contains(&thread)
}

/// Threads that are put off on a whole cycle.
fn ignored(search: &Search<'_, '_>) -> Vec<(NodeId, u32)> {
    let mut missing = Vec::new();
    for component in search.graph.cycles(&|_| true) {
        let mut inside = FixedBitSet::with_capacity(search.graph.nodes.len());
        inside.extend(component.iter().map(|node| *node as usize));
        let mut threads: Vec<u32> =
            component.iter().flat_map(|node| search.graph.node(*node).can_run.iter().copied()).collect();
        threads.sort_unstable();
        threads.dedup();
        for thread in threads {
            let keep = |node: NodeId| inside.contains(node as usize) && is_put_off(search, node, thread);
            if !component.iter().any(|node| keep(*node)) {
                continue;
            }
            let cycles = search.graph.cycles(&keep);
            // The node that was reached first is nearest to the start.
            missing.extend(cycles.iter().filter_map(|cycle| Some((*cycle.iter().min()?, thread))));
        }
    }
    missing
}

/// What a step reads and writes.
type Accesses = (Vec<TargetId>, Vec<TargetId>);

/// What a thread touches in a part of the graph.
#[derive(Clone, Default, PartialEq)]
struct Touched {
    reads: FixedBitSet,
    writes: FixedBitSet,
}

/// Threads that touch later what a step of a node touches.
fn conflicts(search: &mut Search<'_, '_>) -> Vec<(NodeId, u32)> {
    let n = search.graph.nodes.len();
    let n_targets = search.world.actions.targets.len();
    let none = Touched { reads: FixedBitSet::with_capacity(n_targets), writes: FixedBitSet::with_capacity(n_targets) };
    // What every thread touches next in a node, whether it runs there or not.
    let mut own: Vec<FxHashMap<u32, Accesses>> = Vec::with_capacity(n);
    for node in 0..n as NodeId {
        let mut next = FxHashMap::default();
        if search.graph.node(node).is_expanded {
            let control = search.graph.node(node).control.clone();
            for thread in control.alive() {
                next.insert(thread, search.next_targets(node, thread));
            }
        }
        own.push(next);
    }
    let mut later: Vec<FxHashMap<u32, Touched>> = vec![FxHashMap::default(); n];
    loop {
        let mut changed = false;
        for node in (0..n).rev() {
            if !search.graph.node(node as NodeId).is_expanded {
                continue;
            }
            let mut all = later[node].clone();
            for (thread, (reads, writes)) in &own[node] {
                let touched = all.entry(*thread).or_insert_with(|| none.clone());
                touched.reads.extend(reads.iter().map(|target| *target as usize));
                touched.writes.extend(writes.iter().map(|target| *target as usize));
            }
            for (_, _, to) in &search.graph.node(node as NodeId).next {
                let to = search.graph.representative(*to) as usize;
                if to == node {
                    continue;
                }
                for (thread, touched) in &later[to] {
                    let mine = all.entry(*thread).or_insert_with(|| none.clone());
                    mine.reads.union_with(&touched.reads);
                    mine.writes.union_with(&touched.writes);
                }
            }
            if all != later[node] {
                later[node] = all;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut missing = Vec::new();
    for node in 0..n as NodeId {
        let (explored, can_run) = (search.graph.node(node).explored.clone(), search.graph.node(node).can_run.clone());
        if !search.graph.node(node).is_expanded || explored.len() == can_run.len() {
            continue;
        }
        let mut wanted: Vec<u32> = Vec::new();
        let mut needs_all = false;
        for thread in &explored {
            let Some((reads, writes)) = own[node as usize].get(thread) else { continue };
            for (other, touched) in &later[node as usize] {
                if explored.contains(other) {
                    continue;
                }
                let hit = |targets: &[TargetId], set: &FixedBitSet| targets.iter().any(|t| set.contains(*t as usize));
                if hit(writes, &touched.writes) || hit(writes, &touched.reads) || hit(reads, &touched.writes) {
                    if can_run.contains(other) {
                        wanted.push(*other);
                    } else {
                        needs_all = true;
                    }
                }
            }
        }
        let mut at = AtNode::new(search, node);
        needs_all |= wanted.iter().any(|thread| !at.surely_runs(*thread));
        needs_all |= explored.iter().any(|thread| at.may_end(*thread) || at.joins(*thread) == Joins::Anybody);
        if needs_all {
            wanted = can_run.clone();
        }
        wanted.sort_unstable();
        wanted.dedup();
        wanted.retain(|thread| !explored.contains(thread));
        missing.extend(wanted.into_iter().map(|thread| (node, thread)));
    }
    missing
}
