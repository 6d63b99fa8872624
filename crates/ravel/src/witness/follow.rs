//! Is there an execution that passes the points of a witness? A search on the reference interpreter that lets run only who the witness says.
//!
//! Until a point is passed its thread runs. Statements are many steps and a witness names statements, so where the thread changes nobody knows how far the one before has come: it may go
//! on, too, and the search tries both, depth first. Where the thread that shall run waits, anybody may.
//! Our own witnesses say more: all inputs, and each change of threads with the line where the one before is left. So the search first takes a witness to be of this kind (`is_strict`), which
//! leaves few ways, and only then to be one that leaves things out. A way that ends as claimed counts only if the replay of all its
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
    let started = Instant::now();
    let half = deadline.map(|deadline| started + deadline.saturating_duration_since(started) / 2);
    let ways = task.properties.iter().flat_map(|property| [(property, true), (property, false)]);
    // All that is strict comes first.
    let (strict, lenient): (Vec<_>, Vec<_>) = ways.partition(|(_, is_strict)| *is_strict);
    for (property, is_strict) in strict.into_iter().chain(lenient) {
        let mut search = Search {
            task,
            segments,
            property,
            is_strict,
            machine: Machine::new(&task.program),
            nodes: Vec::new(),
            seen: BTreeSet::new(),
            n_replays: 0,
        };
        match search.run(if is_strict { half } else { deadline }) {
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
    /// Whether the witness is taken to name all inputs and all changes of threads.
    is_strict: bool,
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
                let nexts: Vec<Next> = edges.into_iter().flat_map(|edge| self.steps(at, thread, edge)).collect();
                for next in nexts {
                    match next {
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
        let has_ended =
            |thread: &u32| *thread < n_threads && matches!(self.machine.status(&node.state, *thread), Status::Finished);
        if wanted.iter().any(has_ended) {
            return Vec::new();
        }
        let can_run = |thread: &u32| {
            *thread < n_threads && matches!(self.machine.status(&node.state, *thread), Status::CanRun(_))
        };
        let last = node.came.iter().map(|(_, step)| step.thread).filter(|thread| !wanted.contains(thread));
        let mut runners: Vec<u32> = if wanted.iter().all(can_run) {
            last.filter(|thread| !self.is_strict || self.stays(at, *thread)).collect()
        } else if self.is_strict && last.clone().any(|thread| can_run(&thread)) {
            last.collect()
        } else {
            (0..n_threads).filter(|thread| !wanted.contains(thread)).collect()
        };
        runners.extend(wanted.iter().filter(|thread| can_run(thread)));
        if self.is_strict {
            // Who is left at a line has mostly done what is there.
            runners.reverse();
        }
        runners
    }

    /// Whether the next step of a thread still belongs to the line of the last of its points that was passed.
    fn stays(&self, at: usize, thread: u32) -> bool {
        let node = &self.nodes[at];
        let passed = self.segments[..node.at].iter().rev().flatten().find(|point| point.thread == thread);
        let Some(line) = passed.map(|point| point.line) else { return true };
        match self.machine.status(&node.state, thread) {
            Status::CanRun(edges) => {
                edges.iter().any(|edge| self.lines(&node.state, thread, *edge).iter().all(|own| *own == line))
            }
            _ => true,
        }
    }

    /// A thread takes an edge; with several values of inputs of which the witness says nothing, as the number of the program's arguments. The last is to be tried first.
    fn steps(&mut self, at: usize, thread: u32, edge: EdgeRef) -> Vec<Next> {
        let (first, is_open) = self.step(at, thread, edge, 0);
        let mut all = vec![first];
        if is_open {
            all.extend((1..=2).map(|other| self.step(at, thread, edge, other).0));
            all.reverse();
        }
        all
    }

    /// A thread takes an edge; whether it reads inputs of which the witness says nothing.
    fn step(&mut self, at: usize, thread: u32, edge: EdgeRef, other: u64) -> (Next, bool) {
        let node = &self.nodes[at];
        let own = self.segments[node.at].iter().find(|point| point.thread == thread).cloned();
        let lines = self.lines(&node.state, thread, edge);
        let is_only = |points: &Vec<Point>, is_kind: &dyn Fn(&Point) -> bool| {
            points.len() == 1 && points.iter().all(|point| point.thread == thread && is_kind(point))
        };
        // One step may pass several lines, in their order, and then read several inputs.
        let mut from = 0;
        let passes = |points: &&Vec<Point>| {
            let is_passed = is_only(points, &|point| point.kind == Kind::Passes);
            let found = points.first().and_then(|point| lines[from..].iter().position(|line| *line == point.line));
            from += found.map_or(0, |at| at + 1);
            is_passed && found.is_some()
        };
        let n_passed = self.segments[node.at..].iter().take_while(passes).count();
        let returned = |points: &Vec<Point>| match points.as_slice() {
            [Point { thread: who, kind: Kind::Returns(value), .. }] if *who == thread => Some(*value),
            _ => None,
        };
        let values: Vec<i128> = self.segments[node.at + n_passed..].iter().map_while(returned).collect();
        let mut inputs = Given { values, n_used: 0, n_other: 0, other, chosen: Vec::new() };
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
        let is_open = inputs.n_other > 0;
        if self.is_strict && is_open && self.asks_for_input(at, thread, edge) {
            return (Next::Nothing, false);
        }
        let mut next = node.at + usize::from(is_passed);
        if inputs.n_used > 0 {
            next = node.at + n_passed + inputs.n_used;
        } else if is_passed {
            next = node.at + n_passed.clamp(1, self.segments.len() - 1 - node.at);
        }
        let is_last = self.is_last(at);
        let came = Some((at, Step { thread, edge, inputs: inputs.chosen }));
        match result {
            StepResult::Ok => {
                let mut hasher = DefaultHasher::new();
                (&state, next, thread).hash(&mut hasher);
                if !self.seen.insert(hasher.finish()) {
                    return (Next::Nothing, is_open);
                }
            }
            StepResult::Violation(_) if is_last => {}
            // The last step to a race may end the process, or what follows it is undefined.
            StepResult::Ended(_) | StepResult::Beyond(_) if is_last && self.property == Property::Race => {}
            _ => return (Next::Nothing, is_open),
        }
        let is_over = !matches!(result, StepResult::Ok);
        self.nodes.push(Node { state, at: next, came });
        let new = self.nodes.len() - 1;
        (if is_over { Next::Wrong(new) } else { Next::State(new) }, is_open)
    }

    /// Whether an edge is on a line of the program that reads an input which a witness can name.
    fn asks_for_input(&self, at: usize, thread: u32, edge: EdgeRef) -> bool {
        let sources = &self.task.program.sources;
        let names_input = |span: &Span| sources.line(*span).is_some_and(|line| line.contains("__VERIFIER_nondet_"));
        self.spans(&self.nodes[at].state, thread, edge).iter().any(names_input)
    }

    /// The user's lines that the statements of an edge belong to: several of the program may be one step.
    fn lines(&self, state: &State, thread: u32, edge: EdgeRef) -> Vec<u32> {
        let mut lines: Vec<u32> = self.spans(state, thread, edge).iter().map(|span| span.line).collect();
        lines.dedup();
        lines
    }

    /// The user's places that the statements of an edge belong to.
    fn spans(&self, state: &State, thread: u32, edge: EdgeRef) -> Vec<Span> {
        let namer = Namer::new(&self.machine, state);
        let spans = self.task.program.edge(edge).stmts.iter().map(|stmt| stmt.span);
        // Code that the front end made up belongs to where it was called.
        let spans = spans.chain([Span::NOWHERE]).map(|span| namer.user_span(thread as usize, span));
        spans.filter(|span| span.is_known()).collect()
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

/// The first inputs are what the witness says.
struct Given {
    values: Vec<i128>,
    n_used: usize,
    /// How many inputs the witness says nothing about, and what they are.
    n_other: usize,
    other: u64,
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
            (None, Sort::Bv(width)) if is_input => {
                self.n_other += 1;
                Value::bv(width, self.other)
            }
            _ => Value::zero(request.sort),
        };
        self.chosen.push((request.site, value.clone()));
        value
    }
}
