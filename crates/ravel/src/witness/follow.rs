//! Is there an execution that passes the points of a witness? A search on the reference interpreter that lets run only who the witness says.
//!
//! Until a point is passed its thread runs. Statements are many steps and a witness names statements, so where the thread changes nobody knows how far the one before has come: it may go
//! on, too, and the search tries both, depth first. Where the thread that shall run waits, anybody may. A way that ends as claimed counts only if the replay of all its
//! steps comes to the same violation, so a wrong turn here can miss an execution and never invent one.
//! Known as: validation of violation witnesses \[Beyer22].

use super::read::{Kind, Point};
use ir::interp::{InputKind, Inputs, Machine, Namer, Request, State, Status, StepResult};
use ir::{EdgeRef, HavocKind, Properties, Property, Replayed, Span, Step, Task, Trace, replay};
use logic::{Sort, Value};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

/// More states are not looked at, and more ends not replayed.
const MOST_STATES: usize = 300_000;
const MOST_REPLAYS: usize = 2_000;

/// What came of it.
pub(super) enum Followed {
    /// This execution.
    Shown(Box<Replayed>),
    /// None was found.
    Nowhere {
        /// How many states were looked at.
        n_states: usize,
        /// Why no more.
        why: &'static str,
    },
}

/// A state on the way.
struct Node {
    state: State,
    /// The segment that comes next.
    at: usize,
    /// Who has come here, from where, and how.
    came: Option<(usize, Step)>,
}

/// Looks for an execution that violates one of the task's properties at the targets.
pub(super) fn follow(task: &Task, segments: &[Vec<Point>], deadline: Option<Instant>) -> Followed {
    let mut n_states = 0;
    let mut why = "no execution passes its points";
    for property in task.properties.iter() {
        let mut search = Search {
            task,
            segments,
            property,
            machine: Machine::new(&task.program),
            nodes: Vec::new(),
            seen: BTreeSet::new(),
            n_replays: 0,
        };
        match search.run(deadline) {
            Ok(Some(replayed)) => return Followed::Shown(Box::new(replayed)),
            Ok(None) => {}
            Err(limit) => why = limit,
        }
        n_states += search.nodes.len();
    }
    Followed::Nowhere { n_states, why }
}

struct Search<'a> {
    task: &'a Task,
    segments: &'a [Vec<Point>],
    property: Property,
    machine: Machine<'a>,
    nodes: Vec<Node>,
    seen: BTreeSet<u64>,
    n_replays: usize,
}

impl Search<'_> {
    fn run(&mut self, deadline: Option<Instant>) -> Result<Option<Replayed>, &'static str> {
        let state = self.machine.initial();
        self.nodes.push(Node { state, at: 0, came: None });
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            if self.nodes.len() > MOST_STATES || self.n_replays > MOST_REPLAYS {
                return Err("there are too many ways to pass its points");
            }
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                return Err("the time limit was reached");
            }
            if self.is_end(at)
                && let Some(replayed) = self.replayed(at)
            {
                return Ok(Some(replayed));
            }
            // The last one that is pushed is tried first: whom the witness wants to run.
            for thread in self.runners(at) {
                let Status::CanRun(edges) = self.machine.status(&self.nodes[at].state, thread) else { continue };
                for edge in edges {
                    match self.step(at, thread, edge) {
                        Next::State(next) => open.push(next),
                        Next::Wrong(end) => {
                            if let Some(replayed) = self.replayed(end) {
                                return Ok(Some(replayed));
                            }
                        }
                        Next::Nothing => {}
                    }
                }
            }
        }
        Ok(None)
    }

    fn is_last(&self, at: usize) -> bool {
        self.nodes[at].at + 1 >= self.segments.len()
    }

    /// Whether the state itself may be what is claimed: two accesses that are next, or everybody who waits.
    fn is_end(&self, at: usize) -> bool {
        self.is_last(at) && matches!(self.property, Property::Race | Property::Deadlock | Property::Termination)
    }

    /// Who may run: those whose points are next, and before them (so that they are tried later) who ran last; anybody if the former wait.
    fn runners(&self, at: usize) -> Vec<u32> {
        let node = &self.nodes[at];
        let n_threads = node.state.threads.len() as u32;
        if let Some(holder) = self.machine.excludes_others(&node.state) {
            return vec![holder];
        }
        let wanted: Vec<u32> = self.segments[node.at].iter().map(|point| point.thread).collect();
        let can_run = |thread: &u32| {
            *thread < n_threads && matches!(self.machine.status(&node.state, *thread), Status::CanRun(_))
        };
        let mut runners: Vec<u32> = if wanted.iter().all(can_run) {
            node.came.iter().map(|(_, step)| step.thread).filter(|thread| !wanted.contains(thread)).collect()
        } else {
            (0..n_threads).filter(|thread| !wanted.contains(thread)).collect()
        };
        runners.extend(wanted.iter().filter(|thread| can_run(thread)));
        runners
    }

    fn step(&mut self, at: usize, thread: u32, edge: EdgeRef) -> Next {
        let node = &self.nodes[at];
        let own = self.segments[node.at].iter().find(|point| point.thread == thread).cloned();
        let value = match own.as_ref().map(|point| &point.kind) {
            Some(Kind::Returns(value)) => Some(*value),
            _ => None,
        };
        let mut inputs = Given { value, is_used: false, chosen: Vec::new() };
        let line = self.line(&node.state, thread, edge);
        let mut state = node.state.clone();
        let n_threads = state.threads.len();
        let properties = Properties::of(&[self.property]);
        let result = self.machine.step(&mut state, thread, edge, &mut inputs, properties, None);
        let is_passed = own.is_some_and(|point| match point.kind {
            Kind::Enters => state.threads.len() > n_threads,
            Kind::Returns(_) => inputs.is_used,
            Kind::Passes => line == Some(point.line),
            Kind::Target => false,
        });
        let next = node.at + usize::from(is_passed);
        let is_last = self.is_last(at);
        let came = Some((at, Step { thread, edge, inputs: inputs.chosen }));
        match result {
            StepResult::Ok => {
                let mut hasher = DefaultHasher::new();
                (&state, next, thread).hash(&mut hasher);
                if !self.seen.insert(hasher.finish()) {
                    return Next::Nothing;
                }
            }
            StepResult::Violation(_) if is_last => {}
            // The last step to a race may end the process, or what follows it is undefined.
            StepResult::Ended(_) | StepResult::Beyond(_) if is_last && self.property == Property::Race => {}
            _ => return Next::Nothing,
        }
        let is_over = !matches!(result, StepResult::Ok);
        self.nodes.push(Node { state, at: next, came });
        let new = self.nodes.len() - 1;
        if is_over { Next::Wrong(new) } else { Next::State(new) }
    }

    /// The user's line that an edge belongs to.
    fn line(&self, state: &State, thread: u32, edge: EdgeRef) -> Option<u32> {
        let stmts = &self.task.program.edge(edge).stmts;
        let span = stmts.iter().map(|stmt| stmt.span).find(|span| span.is_known()).unwrap_or(Span::NOWHERE);
        let span = Namer::new(&self.machine, state).user_span(thread as usize, span);
        span.is_known().then_some(span.line)
    }

    /// The execution up to a node, if it replays.
    fn replayed(&mut self, end: usize) -> Option<Replayed> {
        self.n_replays += 1;
        let mut steps = Vec::new();
        let mut at = end;
        while let Some((before, step)) = &self.nodes[at].came {
            steps.push(step.clone());
            at = *before;
        }
        steps.reverse();
        replay(self.task, &Trace::new(self.property, steps)).ok().filter(|replayed| self.is_at_targets(replayed))
    }

    /// Whether an execution goes wrong at the lines that the witness names, and not only somewhere.
    fn is_at_targets(&self, replayed: &Replayed) -> bool {
        let (_, ending) = report::tell(&self.task.program, &replayed.log, &replayed.violation, false);
        let at = |line: u32| {
            let mut spans = std::iter::once(ending.span).chain(ending.details.iter().map(|detail| detail.span));
            spans.any(|span| span.is_known() && span.line == line)
        };
        self.segments.last().is_some_and(|targets| targets.iter().all(|target| at(target.line)))
    }
}

enum Next {
    /// A new state.
    State(usize),
    /// The execution goes wrong here, perhaps.
    Wrong(usize),
    /// Nothing new.
    Nothing,
}

/// The first input is what the witness says; others are zero.
struct Given {
    value: Option<i128>,
    is_used: bool,
    chosen: Vec<(ir::SiteId, Value)>,
}

impl Inputs for Given {
    fn choose(&mut self, request: &Request) -> Value {
        let is_input = request.kind == InputKind::Havoc(HavocKind::Input);
        let value = match (self.value.filter(|_| is_input && !self.is_used), request.sort) {
            (Some(value), Sort::Bv(width)) if width <= 64 => {
                self.is_used = true;
                Value::bv(width, value as u64)
            }
            (Some(value), Sort::Bool) => {
                self.is_used = true;
                Value::Bool(value != 0)
            }
            _ => Value::zero(request.sort),
        };
        self.chosen.push((request.site, value.clone()));
        value
    }
}
