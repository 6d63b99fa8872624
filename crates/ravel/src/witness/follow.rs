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
        // One step may read several inputs.
        let returned = |points: &Vec<Point>| match points.as_slice() {
            [Point { thread: who, kind: Kind::Returns(value), .. }] if *who == thread => Some(*value),
            _ => None,
        };
        let values: Vec<i128> = self.segments[node.at..].iter().map_while(returned).collect();
        let mut inputs = Given { values, n_used: 0, chosen: Vec::new() };
        let lines = self.lines(&node.state, thread, edge);
        let mut state = node.state.clone();
        let n_threads = state.threads.len();
        let properties = Properties::of(&[self.property]);
        let result = self.machine.step(&mut state, thread, edge, &mut inputs, properties, None);
        let is_passed = own.is_some_and(|point| match point.kind {
            Kind::Enters => state.threads.len() > n_threads,
            Kind::Returns(_) => inputs.n_used > 0,
            Kind::Passes => lines.contains(&point.line),
            Kind::Target => false,
        });
        let mut next = node.at + inputs.n_used.max(usize::from(is_passed));
        // Nor does a step pass only one line.
        let passes = |points: &Vec<Point>| {
            let is_here =
                |point: &Point| point.thread == thread && point.kind == Kind::Passes && lines.contains(&point.line);
            points.len() == 1 && points.iter().all(is_here)
        };
        while is_passed && next + 1 < self.segments.len() && passes(&self.segments[next]) {
            next += 1;
        }
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

    /// The user's lines that the statements of an edge belong to: several of the program may be one step.
    fn lines(&self, state: &State, thread: u32, edge: EdgeRef) -> Vec<u32> {
        let namer = Namer::new(&self.machine, state);
        let spans = self.task.program.edge(edge).stmts.iter().map(|stmt| stmt.span);
        // Code that the front end made up belongs to where it was called.
        let spans = spans.chain([Span::NOWHERE]).map(|span| namer.user_span(thread as usize, span));
        spans.filter(|span| span.is_known()).map(|span| span.line).collect()
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

/// The first inputs are what the witness says; others are zero.
struct Given {
    values: Vec<i128>,
    n_used: usize,
    chosen: Vec<(ir::SiteId, Value)>,
}

impl Inputs for Given {
    fn choose(&mut self, request: &Request) -> Value {
        let is_input = request.kind == InputKind::Havoc(HavocKind::Input);
        let value = match (self.values.get(self.n_used).filter(|_| is_input), request.sort) {
            (Some(value), Sort::Bv(width)) if width <= 64 => {
                self.n_used += 1;
                Value::bv(width, *value as u64)
            }
            (Some(value), Sort::Bool) => {
                self.n_used += 1;
                Value::Bool(*value != 0)
            }
            _ => Value::zero(request.sort),
        };
        self.chosen.push((request.site, value.clone()));
        value
    }
}
