//! Which ways of the threads have to be looked at, when graphs have cycles and executions no bound?
//!
//! Take an execution that gets somewhere (the anchor), and of it what the anchor needs: its past by program order and reads-from, which the model allows too. Each
//! thread's part of it is a walk through its graph. Where a walk comes back to a node, what lies between is a lap; leave out all laps, keeping
//! of each node the last departure (known as: loop erasure). What is kept is a path without repetition, of which a graph has finitely many: a [`Lane`]. By a
//! monotone model what is kept of an allowed execution is not forbidden, so if all combinations of lanes are, nothing gets there.
//!
//! A write of a lap may be read by what is kept. Either it is kept alone, in the place of its lap: after what was kept before that node, before what follows; or
//! the lap is kept with it, itself without repetition: from the node to the write and from there back to the node ([`Lanes::with_lap`]).
//! A lap at a node never passes the nodes that the lane has left for good ([`Spot::left`]), so few writes have a place there.

use super::growing::{Graphs, Growing};
use super::steps::Steps;
use ir::{Known, Scope, ThreadEvent};
use logic::VarId;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Lanes of one thread at most, and laps for one write.
const MAX_LANES: usize = 300;

/// Steps of the search for lanes at most.
const MAX_WORK: usize = 200_000;

/// What is to be reached: a node, and an event that leaves it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Anchor {
    pub(super) thread: u32,
    pub(super) node: u32,
    pub(super) event: Option<ThreadEvent>,
}

/// A node of a lane that laps may have come back to.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Spot {
    node: u32,
    /// The nodes that laps at this one do not pass.
    left: Vec<u32>,
    /// The events that laps may have.
    pub(super) events: BTreeSet<ThreadEvent>,
}

/// What is kept of a thread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Lane {
    /// The events, in program order.
    pub(super) events: Vec<ThreadEvent>,
    /// Which of them belong to laps that were kept for what they write: 0 for those of the lane itself, 1 for laps that these read from, and so on.
    pub(super) depth: Vec<u8>,
    /// The nodes with laps before each event, and at the end.
    pub(super) spots: Vec<Vec<Rc<Spot>>>,
}

/// All lanes of all threads.
pub(super) struct Lanes<'g> {
    pub(super) graphs: &'g Graphs,
    pub(super) anchor: u32,
    /// The event that is asked about.
    pub(super) event: Option<ThreadEvent>,
    /// Those of each thread, fewest events first. A thread without any lane in an execution has no event in it; the anchor's has one.
    pub(super) lanes: Vec<Vec<Lane>>,
    /// Who starts each thread.
    pub(super) parents: Vec<Option<u32>>,
    /// What tracked variables hold at first.
    pub(super) initial: Vec<(VarId, Known)>,
}

impl<'g> Lanes<'g> {
    /// The lanes of all threads; none if there are too many.
    pub(super) fn new(graphs: &'g Graphs, steps: &Steps<'_>, anchor: Anchor) -> Option<Lanes<'g>> {
        let mut work = 0;
        let mut lanes = Vec::new();
        for (thread, graph) in graphs.threads.iter().enumerate() {
            let mut found: BTreeSet<Lane> = BTreeSet::new();
            if thread as u32 == anchor.thread {
                let last = |node: u32| if node == anchor.node { vec![anchor.event.clone()] } else { Vec::new() };
                follow(graph, 0, &[], &last, &mut found, &mut work)?;
            } else {
                let last = |node: u32| {
                    let events = graph.out[node as usize].iter().map(|edge| &graph.edges[*edge as usize].event);
                    events.filter(|event| is_source(event)).cloned().collect()
                };
                follow(graph, 0, &[], &last, &mut found, &mut work)?;
            }
            let mut found: Vec<Lane> = found.into_iter().collect();
            found.sort_by_key(|lane| lane.events.len());
            lanes.push(found);
        }
        let parents = steps.threads.iter().map(|thread| thread.started.map(|(by, _, _)| by)).collect();
        let is_shared = |var: &VarId| steps.program.var(*var).scope == Scope::Global;
        let mut tracked: Vec<VarId> = steps.tracked.iter().copied().filter(is_shared).collect();
        tracked.sort_unstable();
        let known = |var: VarId| steps.program.var(var).init.clone().map_or(Known::Anything, Known::Exactly);
        let initial = tracked.into_iter().map(|var| (var, known(var))).collect();
        Some(Lanes { graphs, anchor: anchor.thread, event: anchor.event, lanes, parents, initial })
    }

    /// The lane of a thread with a lap put back that has this write, in every way: with the place of the write. None if there are too many.
    pub(super) fn with_lap(
        &self,
        thread: usize,
        lane: &Lane,
        gap: usize,
        write: &ThreadEvent,
        depth: u8,
    ) -> Option<Vec<(Lane, usize, usize)>> {
        let graph = &self.graphs.threads[thread];
        let mut found = Vec::new();
        for (at, spot) in lane.spots[gap].iter().enumerate().filter(|(_, spot)| spot.events.contains(write)) {
            let left: Vec<u32> = spot.left.iter().copied().chain([spot.node]).collect();
            for edge in around(graph, spot.node, &spot.left) {
                let edge = &graph.edges[edge as usize];
                if edge.event.as_ref() != Some(write) {
                    continue;
                }
                let there = ways(graph, spot.node, edge.from, &spot.left)?;
                let back = if edge.to == spot.node {
                    vec![Lane { spots: vec![Vec::new()], ..Lane::default() }]
                } else {
                    ways_back(graph, edge.to, spot.node, &left)?
                };
                for first in &there {
                    for second in &back {
                        found.push(lane.with((gap, at), first, write, second, depth));
                    }
                }
                if found.len() > MAX_LANES {
                    return None;
                }
            }
        }
        Some(found)
    }
}

/// The paths from a node to another one that do not come back to the first.
fn ways(graph: &Growing, from: u32, to: u32, left: &[u32]) -> Option<BTreeSet<Lane>> {
    let mut found = BTreeSet::new();
    let last = |node: u32| if node == to { vec![None] } else { Vec::new() };
    follow(graph, from, left, &last, &mut found, &mut 0)?;
    // What the first node has is there already.
    let without = |mut lane: Lane| {
        lane.spots[0].retain(|spot| spot.node != from);
        lane
    };
    Some(found.into_iter().map(without).collect())
}

/// The paths from a node back to another one, which they meet at their end only.
fn ways_back(graph: &Growing, from: u32, to: u32, left: &[u32]) -> Option<Vec<Lane>> {
    let mut found = BTreeSet::new();
    let last = |node: u32| {
        let back =
            graph.out[node as usize].iter().map(|edge| &graph.edges[*edge as usize]).filter(|edge| edge.to == to);
        back.map(|edge| edge.event.clone()).collect()
    };
    follow(graph, from, left, &last, &mut found, &mut 0)?;
    Some(found.into_iter().collect())
}

impl Lane {
    fn then(mut self, event: ThreadEvent) -> Lane {
        self.events.push(event);
        self.depth.push(0);
        self.spots.push(Vec::new());
        self
    }

    /// Puts a lap back at a spot: a way to the write, the write, and a way back. With the place of the write and the length of the lap.
    fn with(
        &self,
        (gap, at): (usize, usize),
        first: &Lane,
        write: &ThreadEvent,
        second: &Lane,
        depth: u8,
    ) -> (Lane, usize, usize) {
        let lap: Vec<ThreadEvent> = first.events.iter().chain([write]).chain(&second.events).cloned().collect();
        let n = lap.len();
        let mut lane = self.clone();
        lane.events.splice(gap..gap, lap);
        lane.depth.splice(gap..gap, std::iter::repeat_n(depth, n));
        let here = &self.spots[gap];
        let mut spots: Vec<Vec<Rc<Spot>>> = first.spots.iter().chain(&second.spots).cloned().collect();
        let n_spots = spots.len();
        spots[0] = here[..=at].iter().chain(&spots[0]).cloned().collect();
        spots[n_spots - 1].extend(here[at..].iter().cloned());
        lane.spots.splice(gap..=gap, spots);
        (lane, gap + first.events.len(), n)
    }

    /// The events that laps may have in a gap.
    pub(super) fn laps(&self, gap: usize) -> impl Iterator<Item = &ThreadEvent> {
        self.spots[gap].iter().flat_map(|spot| &spot.events)
    }

    /// The events that laps may have anywhere.
    pub(super) fn all_laps(&self) -> impl Iterator<Item = &ThreadEvent> {
        self.spots.iter().flatten().flat_map(|spot| &spot.events)
    }
}

/// Whether somebody else may read what the event writes.
fn is_source(event: &Option<ThreadEvent>) -> bool {
    match event {
        Some(ThreadEvent::Starts(_) | ThreadEvent::Ends) => true,
        Some(event) => event.writes().is_some(),
        None => false,
    }
}

/// Finds all lanes that go from a node to one and then have one of the last events that there are at that node.
fn follow(
    graph: &Growing,
    from: u32,
    left: &[u32],
    last: &LastEvents<'_>,
    found: &mut BTreeSet<Lane>,
    work: &mut usize,
) -> Option<()> {
    let mut walk = Walk { graph, last, found, work, left: left.to_vec() };
    walk.at(from, Lane { spots: vec![Vec::new()], ..Lane::default() })
}

/// The events that may end a lane after a node; `None` if the node itself does.
type LastEvents<'a> = dyn Fn(u32) -> Vec<Option<ThreadEvent>> + 'a;

struct Walk<'a> {
    graph: &'a Growing,
    last: &'a LastEvents<'a>,
    found: &'a mut BTreeSet<Lane>,
    work: &'a mut usize,
    /// Nodes that the path has left for good.
    left: Vec<u32>,
}

impl Walk<'_> {
    fn at(&mut self, node: u32, mut lane: Lane) -> Option<()> {
        *self.work += 1;
        if *self.work > MAX_WORK {
            return None;
        }
        let edges = around(self.graph, node, &self.left);
        let events: BTreeSet<ThreadEvent> =
            edges.into_iter().filter_map(|edge| self.graph.edges[edge as usize].event.clone()).collect();
        if let (false, Some(spots)) = (events.is_empty(), lane.spots.last_mut()) {
            spots.push(Rc::new(Spot { node, left: self.left.clone(), events }));
        }
        // Where the last event leads does not matter: the walk before it is what laps are taken from.
        for event in (self.last)(node) {
            let lane = lane.clone();
            self.found.insert(match event {
                Some(event) => lane.then(event),
                None => lane,
            });
            if self.found.len() > MAX_LANES {
                return None;
            }
        }
        self.left.push(node);
        for &edge in &self.graph.out[node as usize] {
            let to = self.graph.edges[edge as usize].to;
            if self.left.contains(&to) {
                continue;
            }
            let lane = match &self.graph.edges[edge as usize].event {
                Some(event) => lane.clone().then(event.clone()),
                None => lane.clone(),
            };
            self.at(to, lane)?;
        }
        self.left.pop();
        Some(())
    }
}

/// The edges on cycles through a node that avoid the nodes that were left.
fn around(graph: &Growing, node: u32, left: &[u32]) -> Vec<u32> {
    let mut forth: BTreeSet<u32> = BTreeSet::new();
    let mut queue = vec![node];
    let mut edges: BTreeSet<u32> = BTreeSet::new();
    while let Some(from) = queue.pop() {
        for &edge in &graph.out[from as usize] {
            let to = graph.edges[edge as usize].to;
            if left.contains(&to) {
                continue;
            }
            edges.insert(edge);
            if forth.insert(to) {
                queue.push(to);
            }
        }
    }
    if !forth.contains(&node) {
        return Vec::new();
    }
    // Of what can be reached, what leads back.
    let mut back: BTreeSet<u32> = BTreeSet::from([node]);
    loop {
        let n = back.len();
        for &edge in &edges {
            let edge = &graph.edges[edge as usize];
            if back.contains(&edge.to) {
                back.insert(edge.from);
            }
        }
        if back.len() == n {
            break;
        }
    }
    edges.into_iter().filter(|&edge| back.contains(&graph.edges[edge as usize].to)).collect()
}
