//! Which statements do threads run on the way that an execution of the abstraction goes? Walks through their graphs, with what is not tracked.
//!
//! The execution that the model did not exclude says which events each thread has; a walk with these events is looked for. Others may go on from
//! there, or begin, to a write of what somebody reads on the way: each such way on is another execution to look at.

use crate::declarative::growing::{Graphs, Growing};
use crate::declarative::steps::Steps;
use ir::{At, EdgeId, Op, Place, Scope, ThreadEvent};
use logic::VarId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Executions that are looked at.
const MAX_COMBINATIONS: usize = 8;

/// Statements of an edge of the program: the edge, the first one, and the one that is not reached any more.
pub(super) type Span = (EdgeId, u32, u32);

/// A walk: edges of the graph of a thread.
pub(super) type Walk = Vec<u32>;

/// The statements that an edge of a graph stands for; where the program has parallel edges, the first that fits.
pub(super) fn span(graphs: &Graphs, steps: &Steps<'_>, thread: usize, edge: u32) -> Option<Span> {
    let graph = &graphs.threads[thread];
    let edge = &graph.edges[edge as usize];
    let proc = steps.program.proc(steps.threads[thread].proc);
    let (from, to) = (graph.nodes[edge.from as usize].at, graph.nodes[edge.to as usize].at);
    let stmts = |edge: EdgeId| &proc.edges[edge.index()].stmts;
    let end_of = |own: EdgeId, first: u32| -> Option<u32> {
        let n = stmts(own).len() as u32;
        let is_silent = || stmts(own)[first as usize..].iter().all(|stmt| !steps.is_event(&stmt.op));
        match to {
            At::Inside(other, at) | At::Bad(other, at) => (other == own && at >= first).then_some(at),
            At::Loc(loc) => (proc.edges[own.index()].to == loc && is_silent()).then_some(n),
            At::Ended => Some(first),
            At::Unborn => None,
        }
    };
    match from {
        At::Inside(own, at) => end_of(own, at + 1).map(|end| (own, at, end)),
        At::Loc(loc) => {
            let mut out = (0..proc.edges.len() as u32).map(EdgeId).filter(|own| proc.edges[own.index()].from == loc);
            out.find_map(|own| end_of(own, 0).map(|end| (own, 0, end)))
        }
        _ => None,
    }
}

/// A shortest walk with exactly these events, to a node if one is named.
fn route(graph: &Growing, events: &[ThreadEvent], goal: Option<u32>) -> Option<Walk> {
    let mut came: BTreeMap<(u32, usize), (u32, (u32, usize))> = BTreeMap::new();
    let mut queue = VecDeque::from([(0u32, 0usize)]);
    while let Some((node, at)) = queue.pop_front() {
        if at == events.len() && goal.is_none_or(|goal| goal == node) {
            return Some(back(&came, (node, at), (0, 0)));
        }
        for &edge in &graph.out[node as usize] {
            let next = match &graph.edges[edge as usize].event {
                None => at,
                Some(event) if events.get(at) == Some(event) => at + 1,
                Some(_) => continue,
            };
            let there = (graph.edges[edge as usize].to, next);
            if there != (0, 0) && !came.contains_key(&there) {
                came.insert(there, (edge, (node, at)));
                queue.push_back(there);
            }
        }
    }
    None
}

fn back<T: Ord + Copy>(came: &BTreeMap<T, (u32, T)>, mut to: T, from: T) -> Walk {
    let mut walk = Walk::new();
    while to != from {
        let (edge, before) = came[&to];
        walk.push(edge);
        to = before;
    }
    walk.reverse();
    walk
}

/// The shortest walks from a node that end with an edge of a kind, one for each such edge.
fn onward(graph: &Growing, from: u32, is_wanted: &dyn Fn(u32) -> bool) -> Vec<Walk> {
    let mut came: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    let mut queue = VecDeque::from([from]);
    let mut found = Vec::new();
    while let Some(node) = queue.pop_front() {
        for &edge in &graph.out[node as usize] {
            if is_wanted(edge) {
                let mut walk = back(&came, node, from);
                walk.push(edge);
                found.push(walk);
            }
            let to = graph.edges[edge as usize].to;
            if to != from && !came.contains_key(&to) {
                came.insert(to, (edge, node));
                queue.push_back(to);
            }
        }
    }
    found
}

/// The walks of one execution.
pub(super) type Walks = Vec<Option<Walk>>;

/// The executions to look at: walks of all threads to a bad node, with these events of each thread.
pub(super) fn executions(
    graphs: &Graphs,
    steps: &Steps<'_>,
    (anchor, bad): (u32, u32),
    events: &[Option<Vec<ThreadEvent>>],
) -> Vec<Walks> {
    let mut base: Walks = Vec::new();
    for (thread, graph) in graphs.threads.iter().enumerate() {
        let goal = (thread as u32 == anchor).then_some(bad);
        base.push(match events.get(thread).and_then(Option::as_ref) {
            Some(events) => route(graph, events, goal),
            None if goal.is_some() => route(graph, &[], goal),
            None => None,
        });
    }
    if base[anchor as usize].is_none() {
        return Vec::new();
    }
    let read = accessed(graphs, steps, &base, &|op| matches!(op, Op::Load { .. } | Op::Rmw { .. }));
    let writes = |thread: usize, edge: u32| {
        let ops = ops(graphs, steps, thread, edge);
        ops.iter().any(|op| matches!(op, Op::Store { place: Place::Var(var), .. } | Op::Rmw { place: Place::Var(var), .. } if read.contains(var)))
    };
    let mut options: Vec<Vec<Option<Walk>>> = Vec::new();
    for thread in 0..graphs.threads.len() {
        let graph = &graphs.threads[thread];
        let mut own = vec![base[thread].clone()];
        if thread as u32 != anchor && start(graphs, steps, &mut base, thread, anchor) {
            own = vec![base[thread].clone()];
            let so_far = base[thread].clone().unwrap_or_default();
            let end = so_far.last().map_or(0, |edge| graph.edges[*edge as usize].to);
            for walk in onward(graph, end, &|edge| writes(thread, edge)) {
                own.push(Some(so_far.iter().copied().chain(walk).collect()));
            }
            // What goes furthest has most to read from.
            own.reverse();
        }
        options.push(own);
    }
    // Threads that start others may have been told to go on.
    for (own, base) in options.iter_mut().zip(&base) {
        own.iter_mut().for_each(|walk| {
            if walk.as_ref().map_or(0, Vec::len) < base.as_ref().map_or(0, Vec::len) {
                walk.clone_from(base);
            }
        });
        own.dedup();
    }
    let mut all: Vec<Walks> = vec![Vec::new()];
    for own in options {
        all = all
            .into_iter()
            .flat_map(|walks| own.iter().map(move |walk| walks.iter().cloned().chain([walk.clone()]).collect()))
            .take(MAX_COMBINATIONS)
            .collect();
    }
    all
}

/// Sees to it that a thread is started by the walk of its parent; false if that cannot be.
fn start(graphs: &Graphs, steps: &Steps<'_>, base: &mut Walks, thread: usize, anchor: u32) -> bool {
    let Some((parent, _, _)) = steps.threads[thread].started else { return true };
    let graph = &graphs.threads[parent as usize];
    let is_start = |edge: u32| graph.edges[edge as usize].event == Some(ThreadEvent::Starts(thread as u32));
    let so_far = base[parent as usize].clone().unwrap_or_default();
    if so_far.iter().any(|edge| is_start(*edge)) {
        return true;
    }
    if parent == anchor {
        return false;
    }
    let end = so_far.last().map_or(0, |edge| graph.edges[*edge as usize].to);
    let Some(walk) = onward(graph, end, &is_start).into_iter().next() else { return false };
    base[parent as usize] = Some(so_far.into_iter().chain(walk).collect());
    true
}

/// The statements of an edge of a graph.
fn ops<'p>(graphs: &Graphs, steps: &Steps<'p>, thread: usize, edge: u32) -> Vec<&'p Op> {
    let Some((own, from, to)) = span(graphs, steps, thread, edge) else { return Vec::new() };
    let stmts = &steps.program.proc(steps.threads[thread].proc).edges[own.index()].stmts;
    stmts[from as usize..to as usize].iter().map(|stmt| &stmt.op).collect()
}

/// The shared variables that walks access by statements of a kind.
fn accessed(graphs: &Graphs, steps: &Steps<'_>, walks: &Walks, is_wanted: &dyn Fn(&Op) -> bool) -> BTreeSet<VarId> {
    let mut vars = BTreeSet::new();
    for (thread, walk) in walks.iter().enumerate() {
        for op in walk.iter().flatten().flat_map(|edge| ops(graphs, steps, thread, *edge)).filter(|op| is_wanted(op)) {
            if let Op::Load { place: Place::Var(var), .. } | Op::Rmw { place: Place::Var(var), .. } = op
                && steps.program.var(*var).scope == Scope::Global
            {
                vars.insert(*var);
            }
        }
    }
    vars
}
