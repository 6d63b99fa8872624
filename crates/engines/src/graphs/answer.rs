//! How is an execution told? Its steps in an order in which reads come after what they read, each spelled in edges of the lowered program, with sources and coherence.
//!
//! What goes wrong in a thread needs its past only. The axioms allow that part of a graph if they allow the whole, because nothing outside of it comes before anything in it.
//! Under interleavings (`Model::Sc`) the order also agrees with coherence and with what reads have not seen yet; then it is a trace like any other.

use super::code::Code;
use super::code::local::{At, Blocked, Next};
use super::explore::Bad;
use super::graph::{Graph, Id, Kind};
use ir::pass::spell_step;
use ir::{EdgeId, EdgeRef, EventName, Model, Program, Property, ReadsFrom, SiteId, Step, Trace};
use logic::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is told of a thread.
struct Lane {
    edges: Vec<EdgeId>,
    /// For each edge the events in it.
    events: Vec<Vec<Id>>,
    /// The last statement of the last edge that is told.
    last: usize,
    n_told: usize,
}

/// The execution as a trace of the lowered program.
pub(super) fn trace(lowered: &Program, code: &Code<'_>, graph: &Graph, bad: &Bad) -> Trace {
    let (row, property) = match bad {
        Bad::Step(row, property) => (Some(*row), *property),
        Bad::Race => (None, Property::Race),
    };
    let n = kept(graph, row);
    let mut lanes: Vec<Lane> = (0..graph.rows.len()).map(|at| lane(graph, at, n[at], row == Some(at))).collect();
    let has = |id: Id| id.at < n[id.row as usize];
    let is_sc = lowered.model == Model::Sc;
    let mut told = Told { steps: Vec::new(), step_of: FxHashMap::default(), n_threads: 1 };
    let mut index_of: Vec<Option<u32>> = vec![None; graph.rows.len()];
    index_of[0] = Some(0);
    loop {
        let ready = (0..lanes.len()).find(|&at| {
            let is_last = row == Some(at) && lanes[at].n_told + 1 == lanes[at].edges.len();
            let others_left =
                || (0..lanes.len()).any(|other| other != at && lanes[other].n_told < lanes[other].edges.len());
            let is_there = index_of[at].is_some() && lanes[at].n_told < lanes[at].edges.len();
            is_there && !(is_last && others_left()) && is_ready(graph, &lanes, at, is_sc, &has)
        });
        let Some(at) = ready else { break };
        told.step(lowered, code, graph, (&lanes[at], at), index_of[at].expect("it was started"));
        for id in lanes[at].events[lanes[at].n_told].clone() {
            if let Kind::Start(child) = graph.event(id).kind {
                index_of[child as usize] = Some(told.n_threads);
                told.n_threads += 1;
            }
        }
        lanes[at].n_told += 1;
    }
    let trace = Trace::new(property, told.steps.clone());
    if is_sc {
        return trace;
    }
    Trace { graph: Some(Arc::new(told.choices(graph, &has))), ..trace }
}

/// How many events of each row are told.
fn kept(graph: &Graph, row: Option<usize>) -> Vec<u32> {
    let all = graph.rows.iter().map(|this| {
        let waits = this.here.as_ref().is_some_and(|here| matches!(here.next, Next::Blocked(Blocked::Waits)));
        (this.events.len() - usize::from(waits)) as u32
    });
    match row {
        None => all.collect(),
        Some(row) => {
            let past = graph.past_of(row);
            (0..graph.rows.len() as u32).map(|at| past.of(at)).collect()
        }
    }
}

fn lane(graph: &Graph, row: usize, n: u32, is_bad: bool) -> Lane {
    let this = &graph.rows[row];
    let mut edges: Vec<EdgeId> = if row == 0 { graph.early.edges.clone() } else { Vec::new() };
    let told = &this.events[..n as usize];
    for event in told.iter().filter(|event| !matches!(event.kind, Kind::Begin)) {
        edges.extend_from_slice(&event.before.local.segment);
    }
    let mut last = told.iter().rfind(|event| !matches!(event.kind, Kind::Begin)).map(|event| &event.before);
    if let Some(here) = this.here.as_ref().filter(|_| is_bad) {
        edges.extend_from_slice(&here.local.segment);
        last = Some(here);
    }
    let mut events = vec![Vec::new(); edges.len()];
    for (at, event) in told.iter().enumerate().filter(|(_, event)| !matches!(event.kind, Kind::Begin)) {
        events[event.before.step() as usize].push(Id { row: row as u32, at: at as u32 });
    }
    let last = match last.map(|here| here.local.at) {
        Some(At::Inside(_, at)) => at as usize,
        _ => usize::MAX,
    };
    Lane { edges, events, last, n_told: 0 }
}

/// Whether all that must come before the next step of a thread has been told.
fn is_ready(graph: &Graph, lanes: &[Lane], row: usize, is_sc: bool, has: &dyn Fn(Id) -> bool) -> bool {
    let lane = &lanes[row];
    let is_told = |id: Id| {
        let step = graph.event(id).before.step() as usize;
        lanes[id.row as usize].n_told > step || (id.row as usize == row && lane.n_told == step)
    };
    lane.events[lane.n_told].iter().all(|id| match graph.event(*id).kind {
        Kind::Read { source, .. } => source.is_none_or(is_told),
        Kind::Join(other) => lanes[other as usize].n_told == lanes[other as usize].edges.len(),
        Kind::Write { cell, .. } if is_sc => {
            let place = graph.place(cell, Some(*id));
            let earlier = &graph.writes(cell)[..place - 1];
            let seen_late = |(other, event): (Id, &super::graph::Event)| match event.kind {
                Kind::Read { cell: of, source, .. } if of == cell && has(other) && other != *id => {
                    graph.place(cell, source) >= place || is_told(other)
                }
                _ => true,
            };
            earlier.iter().all(|write| !has(*write) || is_told(*write)) && graph.events().all(seen_late)
        }
        _ => true,
    })
}

struct Told {
    steps: Vec<Step>,
    /// The step in which a statement of a thread's step runs.
    step_of: FxHashMap<(u32, u32, SiteId), usize>,
    n_threads: u32,
}

impl Told {
    /// Tells the next step of a thread.
    fn step(&mut self, lowered: &Program, code: &Code<'_>, graph: &Graph, (lane, row): (&Lane, usize), thread: u32) {
        let number = lane.n_told;
        let Some(here) = graph.rows[row].here.as_ref() else { return };
        let mut inputs: Vec<(SiteId, Value)> = Vec::new();
        if row == 0 {
            let own = graph.early.inputs.iter().filter(|(step, _, _)| *step as usize == number);
            inputs.extend(own.map(|(_, site, value)| (*site, value.clone())));
        }
        for id in &lane.events[number] {
            let event = graph.event(*id);
            if let Kind::Input { value, .. } = &event.kind {
                inputs.push((event.site(), value.clone()));
            }
        }
        let edge = EdgeRef { proc: here.local.proc, edge: lane.edges[number] };
        let last = (number + 1 == lane.edges.len()).then_some(lane.last);
        for step in spell_step(lowered, code.program, &Step { thread, edge, inputs }, last) {
            for stmt in &lowered.edge(step.edge).stmts {
                self.step_of.insert((row as u32, number as u32, stmt.site), self.steps.len());
            }
            self.steps.push(step);
        }
    }

    fn name(&self, graph: &Graph, id: Id) -> Option<EventName> {
        let event = graph.event(id);
        let step = self.step_of.get(&(id.row, event.before.step(), event.site()))?;
        Some((*step, event.site()))
    }

    /// Who reads from whom, and coherence.
    fn choices(&self, graph: &Graph, has: &dyn Fn(Id) -> bool) -> ReadsFrom {
        let mut choices = ReadsFrom::default();
        for (id, event) in graph.events().filter(|(id, _)| has(*id)) {
            let Kind::Read { source, .. } = event.kind else { continue };
            if let Some(name) = self.name(graph, id) {
                choices.sources.push((name, source.and_then(|source| self.name(graph, source))));
            }
        }
        for writes in &graph.co {
            choices.coherence.extend(writes.iter().filter(|id| has(**id)).filter_map(|id| self.name(graph, *id)));
        }
        choices
    }
}
