//! Do graphs of threads prove what they claim? A checker that shares no code with the engine that makes them.
//!
//! Known as: validation of thread-modular proofs under axiomatic memory models.
//!
//! It asks for every obligation of `ir::ThreadGraphs`: each thread begins in its graph; every step of a thread that others do not see, and every event but a read of a tracked variable,
//! leads where the graph says ([`step`] reads the statements again); a read leads somewhere for each value that some write of the graphs has, or no execution that the model allows
//! has that read ([`executions`] tries them all); and none gets to a node where a check fails. That the model's axioms are monotone and
//! allow no values out of thin air is for the caller to see to.

mod executions;
mod locks;
mod step;
mod ways;

use executions::{Executions, Goal};
use ir::{At, Known, Scope, ThreadEdge, ThreadEvent, ThreadGraph, ThreadGraphs};
use logic::VarId;
use memory::cat::Model;
use memory::graph::mapping::Mapping;
use smt::Limits;
use std::collections::BTreeSet;
use std::time::Instant;
use step::{Outcome, Reader};

/// Why graphs do not pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    /// This obligation does not hold.
    Fails(String),
    /// They could not be checked to the end, for this reason.
    Beyond(String),
}

/// Checks all obligations, until the deadline; how many there were.
pub(crate) fn check(
    graphs: &ThreadGraphs,
    properties: ir::Properties,
    (model, mapping): (&Model, &'static Mapping),
    deadline: Option<Instant>,
) -> Result<u64, Halt> {
    let mut checker = Checker {
        graphs,
        reader: Reader::new(graphs, properties, Limits { deadline, ..Limits::default() }),
        executions: Executions::new(graphs, model, mapping, deadline),
        obligations: 0,
    };
    checker.run()?;
    Ok(checker.obligations)
}

struct Checker<'c> {
    graphs: &'c ThreadGraphs,
    reader: Reader<'c>,
    executions: Executions<'c>,
    obligations: u64,
}

impl<'c> Checker<'c> {
    fn run(&mut self) -> Result<(), Halt> {
        let threads = &self.graphs.threads;
        let main = threads.first().ok_or_else(|| Halt::Fails("there is no thread".to_string()))?;
        if main.proc != self.graphs.program.main || main.started.is_some() {
            return Err(Halt::Fails("the first thread is not main's".to_string()));
        }
        for (index, thread) in threads.iter().enumerate() {
            well_formed(index, thread)?;
            for node in 0..thread.nodes.len() {
                self.node(index as u32, node as u32)?;
            }
        }
        Ok(())
    }

    fn thread(&self, thread: u32) -> Result<&'c ThreadGraph, Halt> {
        self.graphs.threads.get(thread as usize).ok_or_else(|| Halt::Fails("a thread that is not there".to_string()))
    }

    fn node(&mut self, thread: u32, node: u32) -> Result<(), Halt> {
        let graph = self.thread(thread)?;
        let at = &graph.nodes[node as usize];
        match at.at {
            At::Unborn if thread == 0 => {
                let first = self.reader.first(graph.proc);
                self.covered(thread, node, &first)
            }
            // Whoever starts it sees to it that it begins.
            At::Unborn | At::Ended => Ok(()),
            At::Bad(..) => self.excluded(Goal { thread, node, event: None }),
            At::Loc(_) | At::Inside(..) => {
                if let Some(var) = self.reader.reads(graph.proc, at.at) {
                    return self.read(thread, node, var);
                }
                let outcomes = self.reader.outcomes(graph.proc, at).map_err(Halt::Fails)?;
                for outcome in outcomes {
                    self.outcome(thread, node, outcome)?;
                }
                Ok(())
            }
        }
    }

    /// An outcome of a step, which is in the graph; threads that it starts begin in theirs.
    fn outcome(&mut self, thread: u32, node: u32, mut outcome: Outcome) -> Result<(), Halt> {
        if let Some((dst, args)) = outcome.starts.take() {
            let At::Inside(edge, at) = self.thread(thread)?.nodes[node as usize].at else {
                return Err(Halt::Fails("a thread that is started between statements".to_string()));
            };
            let started = Some((thread, edge, at));
            let new = self.graphs.threads.iter().position(|other| other.started == started);
            let new = new.ok_or_else(|| Halt::Fails("a thread that has no graph".to_string()))? as u32;
            let graph = self.thread(new)?;
            if Some(graph.proc) != self.reader.callee(self.thread(thread)?.proc, edge, at) {
                return Err(Halt::Fails("a thread that runs something else".to_string()));
            }
            let first = self.reader.started((new, graph.proc), &args, &outcome.state);
            self.covered(new, 0, &first)?;
            outcome.event = Some(ThreadEvent::Starts(new));
            let proc = self.thread(thread)?.proc;
            for after in self.reader.with_handle(proc, outcome, dst, new).map_err(Halt::Fails)? {
                self.covered(thread, node, &after)?;
            }
            return Ok(());
        }
        self.covered(thread, node, &outcome)
    }

    /// An edge leads to where an outcome is.
    fn covered(&mut self, thread: u32, node: u32, outcome: &Outcome) -> Result<(), Halt> {
        self.obligations += 1;
        let graph = self.thread(thread)?;
        for edge in graph.edges.iter().filter(|edge| edge.from == node) {
            if self.reader.is_event_of(edge.event.as_ref(), outcome)
                && self.reader.contains(&graph.nodes[edge.to as usize], outcome)
            {
                return Ok(());
            }
        }
        Err(Halt::Fails(format!("thread {thread}, node {node}: a step leads outside of the graph")))
    }

    /// A read finds every value that its variable may have, or is excluded.
    fn read(&mut self, thread: u32, node: u32, var: VarId) -> Result<(), Halt> {
        let graph = self.thread(thread)?;
        for value in self.values(var) {
            let outcomes = self.reader.after(graph.proc, &graph.nodes[node as usize], &value).map_err(Halt::Fails)?;
            for outcome in outcomes {
                let event = outcome.event.clone().ok_or_else(|| Halt::Fails("a read that is no event".to_string()))?;
                let is_there = graph
                    .edges
                    .iter()
                    .any(|edge| edge.from == node && edge.event.as_ref().is_some_and(|own| is_like(own, &event)));
                if is_there {
                    self.covered(thread, node, &outcome)?;
                } else {
                    self.excluded(Goal { thread, node, event: Some(event) })?;
                }
            }
        }
        Ok(())
    }

    /// The values that a variable may have.
    fn values(&self, var: VarId) -> BTreeSet<Known> {
        let mut values = BTreeSet::from([initial(self.graphs, var)]);
        for edge in self.graphs.threads.iter().flat_map(|thread| &thread.edges) {
            if let Some((_, value)) =
                edge.event.as_ref().and_then(ThreadEvent::writes).filter(|(other, _)| *other == var)
            {
                values.insert(value.clone());
            }
        }
        values
    }

    /// No execution gets there.
    fn excluded(&mut self, goal: Goal) -> Result<(), Halt> {
        self.obligations += 1;
        let place = format!("thread {}, node {}", goal.thread, goal.node);
        match self.executions.is_possible(&goal) {
            Ok(false) => Ok(()),
            Ok(true) => Err(Halt::Fails(format!("{place}: the model allows an execution that gets there"))),
            Err(what) => Err(Halt::Beyond(what)),
        }
    }
}

/// What a shared variable holds at first.
fn initial(graphs: &ThreadGraphs, var: VarId) -> Known {
    debug_assert_eq!(graphs.program.var(var).scope, Scope::Global);
    graphs.program.var(var).init.clone().map_or(Known::Anything, Known::Exactly)
}

/// Whether two events are the same but for what they write.
fn is_like(one: &ThreadEvent, other: &ThreadEvent) -> bool {
    match (one, other) {
        (ThreadEvent::Update(a, b, old, _), ThreadEvent::Update(x, y, found, _)) => (a, b, old) == (x, y, found),
        _ => one == other,
    }
}

/// A graph names its own nodes, begins before the thread does, and starts each thread once.
fn well_formed(index: usize, thread: &ThreadGraph) -> Result<(), Halt> {
    let n = thread.nodes.len() as u32;
    let fails = |what: &str| Err(Halt::Fails(format!("thread {index}: {what}")));
    if thread.nodes.first().is_none_or(|node| node.at != At::Unborn || !node.known.is_empty()) {
        return fails("its graph does not begin before it");
    }
    if thread.nodes[1..].iter().any(|node| node.at == At::Unborn) {
        return fails("it begins twice");
    }
    for edge in &thread.edges {
        if edge.from >= n || edge.to >= n || edge.to == 0 {
            return fails("an edge that leads nowhere");
        }
        if matches!(edge.event, Some(ThreadEvent::Starts(_))) && leads_back(thread, edge) {
            return fails("a thread is started in a loop");
        }
    }
    match thread.started {
        Some((by, _, _)) if by as usize >= index => fails("it is started by a later thread"),
        None if index > 0 => fails("nobody starts it"),
        _ => Ok(()),
    }
}

fn leads_back(thread: &ThreadGraph, edge: &ThreadEdge) -> bool {
    let mut seen = BTreeSet::from([edge.to]);
    let mut queue = vec![edge.to];
    while let Some(node) = queue.pop() {
        for next in thread.edges.iter().filter(|next| next.from == node) {
            if seen.insert(next.to) {
                queue.push(next.to);
            }
        }
    }
    seen.contains(&edge.from)
}

#[cfg(test)]
mod tests;
