//! Which ways through the graph of a thread stand for all of its walks? Those that meet no node twice.
//!
//! What a walk does between two visits of a node is cut out, keeping the last departure. What was cut out at a node keeps away from the nodes that the way has
//! behind it. For what it writes a round that was cut out can be put back, by ways of the same kind: there, and back again.

use ir::{ThreadEvent, ThreadGraph};
use std::collections::BTreeSet;

/// A node where rounds were cut out.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Cut {
    node: u32,
    behind: Vec<u32>,
    pub(super) events: BTreeSet<ThreadEvent>,
}

/// A thread's way through its graph.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Way {
    /// Each event, and how it was put back: 0 if it never was cut out, 1 for rounds that such events read from, and so on.
    pub(super) events: Vec<(ThreadEvent, u8)>,
    /// What was cut out before each event, and before the end.
    pub(super) cuts: Vec<Vec<Cut>>,
}

/// Ways at most.
const MAX_WAYS: usize = 2000;

/// Why there is no answer.
pub(super) type TooMany = &'static str;

/// Tells by which events a way may end at a node; by none, if it ends with the node.
type Ends<'e> = dyn Fn(u32) -> Vec<Option<ThreadEvent>> + 'e;

impl Way {
    fn start() -> Way {
        Way { events: Vec::new(), cuts: vec![Vec::new()] }
    }

    fn extended(&self, event: Option<&ThreadEvent>) -> Way {
        let mut longer = self.clone();
        if let Some(event) = event {
            longer.events.push((event.clone(), 0));
            longer.cuts.push(Vec::new());
        }
        longer
    }

    pub(super) fn has(&self, event: &ThreadEvent) -> bool {
        self.events.iter().any(|(own, _)| own == event)
    }

    /// All events that were cut out.
    pub(super) fn all_cut(&self) -> impl Iterator<Item = &ThreadEvent> {
        self.cuts.iter().flatten().flat_map(|cut| &cut.events)
    }

    /// Every way to put back a round before the event at `place` that has this write; where the write then is, and how many events are new.
    pub(super) fn put_back(
        &self,
        graph: &ThreadGraph,
        place: usize,
        write: &ThreadEvent,
        depth: u8,
    ) -> Result<Vec<(Way, usize, usize)>, TooMany> {
        let mut all = Vec::new();
        for (index, cut) in self.cuts[place].iter().enumerate() {
            let around = cycle_edges(graph, cut.node, &cut.behind);
            for edge in
                around.into_iter().map(|edge| &graph.edges[edge]).filter(|edge| edge.event.as_ref() == Some(write))
            {
                let mut there =
                    ways(graph, cut.node, &cut.behind, &|node| if node == edge.from { vec![None] } else { vec![] })?;
                // Rounds at the node itself come before this one, and after it.
                for way in &mut there {
                    way.cuts[0].retain(|other| other.node != cut.node);
                }
                let back = if edge.to == cut.node {
                    vec![Way::start()]
                } else {
                    let mut behind = cut.behind.clone();
                    behind.push(cut.node);
                    let home = |node: u32| {
                        let steps = graph.edges.iter().filter(|step| (step.from, step.to) == (node, cut.node));
                        steps.map(|step| step.event.clone()).collect()
                    };
                    ways(graph, edge.to, &behind, &home)?
                };
                for first in &there {
                    for second in &back {
                        all.push(self.joined((place, index), first, write, second, depth));
                    }
                }
                if all.len() > MAX_WAYS {
                    return Err("too many rounds");
                }
            }
        }
        Ok(all)
    }

    fn joined(
        &self,
        (place, index): (usize, usize),
        first: &Way,
        write: &ThreadEvent,
        second: &Way,
        depth: u8,
    ) -> (Way, usize, usize) {
        let (before, after) = (&self.cuts[place][..=index], &self.cuts[place][index..]);
        let mut way = Way { events: self.events[..place].to_vec(), cuts: self.cuts[..place].to_vec() };
        way.cuts.push(before.iter().chain(&first.cuts[0]).cloned().collect());
        for (at, (event, _)) in first.events.iter().enumerate() {
            way.events.push((event.clone(), depth));
            way.cuts.push(first.cuts[at + 1].clone());
        }
        let written = way.events.len();
        way.events.push((write.clone(), depth));
        way.cuts.push(second.cuts[0].clone());
        for (at, (event, _)) in second.events.iter().enumerate() {
            way.events.push((event.clone(), depth));
            way.cuts.push(second.cuts[at + 1].clone());
        }
        if let Some(last) = way.cuts.last_mut() {
            last.extend(after.iter().cloned());
        }
        let n = way.events.len() - place;
        way.events.extend_from_slice(&self.events[place..]);
        way.cuts.extend_from_slice(&self.cuts[place + 1..]);
        (way, written, n)
    }
}

/// All ways from a node that keep away from others and end as they are told to.
pub(super) fn ways(graph: &ThreadGraph, from: u32, behind: &[u32], ends: &Ends<'_>) -> Result<Vec<Way>, TooMany> {
    let mut found = BTreeSet::new();
    follow(graph, from, &mut behind.to_vec(), Way::start(), ends, &mut found)?;
    Ok(found.into_iter().collect())
}

fn follow(
    graph: &ThreadGraph,
    node: u32,
    behind: &mut Vec<u32>,
    mut way: Way,
    ends: &Ends<'_>,
    found: &mut BTreeSet<Way>,
) -> Result<(), TooMany> {
    let around = cycle_edges(graph, node, behind);
    let events: BTreeSet<ThreadEvent> = around.into_iter().filter_map(|edge| graph.edges[edge].event.clone()).collect();
    if let (false, Some(cuts)) = (events.is_empty(), way.cuts.last_mut()) {
        cuts.push(Cut { node, behind: behind.clone(), events });
    }
    for end in ends(node) {
        found.insert(way.extended(end.as_ref()));
    }
    if found.len() > MAX_WAYS {
        return Err("a thread has too many ways");
    }
    behind.push(node);
    for edge in graph.edges.iter().filter(|edge| edge.from == node) {
        if !behind.contains(&edge.to) {
            follow(graph, edge.to, behind, way.extended(edge.event.as_ref()), ends, found)?;
        }
    }
    behind.pop();
    Ok(())
}

/// The edges on cycles through a node that keep away from the nodes behind.
fn cycle_edges(graph: &ThreadGraph, node: u32, behind: &[u32]) -> Vec<usize> {
    let n = graph.nodes.len();
    let (mut after, mut before) = (vec![false; n], vec![false; n]);
    let is_free = |at: u32| !behind.contains(&at);
    let edges: Vec<usize> = (0..graph.edges.len())
        .filter(|edge| is_free(graph.edges[*edge].from) && is_free(graph.edges[*edge].to))
        .collect();
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for edge in edges.iter().map(|edge| &graph.edges[*edge]) {
            let (from, to) = (edge.from as usize, edge.to as usize);
            if (after[from] || edge.from == node) && !after[to] {
                (after[to], has_changed) = (true, true);
            }
            if (before[to] || edge.to == node) && !before[from] {
                (before[from], has_changed) = (true, true);
            }
        }
    }
    let is_around = |at: u32| after[at as usize] && before[at as usize];
    edges.into_iter().filter(|edge| is_around(graph.edges[*edge].from) && is_around(graph.edges[*edge].to)).collect()
}
