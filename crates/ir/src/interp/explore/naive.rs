//! Which violations can a small program reach? Try everything: every schedule, every input, every state once.
//!
//! Plain depth-first search over the interpreter with no reduction whatsoever: the oracle that engines are compared
//! with. Races are found by adjacency (`adjacent_race`), so that states need no history, unless `by_happens_before` asks for more: then
//! a state is one of the program and of what its threads know of each other's accesses. Endless executions are looked for in
//! the finished graph (`lasso`).
//!
//! Invariant: if `incomplete` is `None`, every reachable state was visited, where inputs range over the given domain.

use crate::interp::explore::execution::Execution;
use crate::interp::explore::lasso;
use crate::interp::machine::event::{Event, StepResult};
use crate::interp::machine::inputs::{Domain, GivenInputs, for_all_inputs};
use crate::interp::machine::program::Machine;
use crate::interp::machine::state::State;
use crate::interp::sync::happens_before::HappensBefore;
use crate::interp::sync::locks::Locks;
use crate::interp::sync::race::adjacent_race;
use crate::interp::sync::watched::{Footprints, Watched};
use crate::program::{EdgeRef, Program};
use crate::property::{Properties, Property};
use crate::source::Span;
use crate::verdict::{Step, Trace, Why};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// How far to explore.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Stop after this many states.
    pub max_states: usize,
    /// The values of inputs.
    pub domain: Domain,
    /// Stop at the first violation.
    pub first_only: bool,
    /// Find races by C11's happens-before, which atomic accesses weaker than they seem do not extend.
    pub by_happens_before: bool,
    /// Places that can be raced for ([`raced_for`]), if only these are looked at; all if nothing is said.
    pub watched: Option<Watched>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_states: 1_000_000,
            domain: Domain::Bits(3),
            first_only: false,
            by_happens_before: false,
            watched: None,
        }
    }
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// For each violated property an execution that shows it.
    pub violations: BTreeMap<Property, Trace>,
    /// How many states were visited.
    pub n_states: usize,
    /// How many steps were tried.
    pub n_steps: usize,
    /// Why not everything was visited.
    pub incomplete: Option<Why>,
}

/// Explores all executions of the program.
pub fn enumerate(program: &Program, properties: Properties, limits: &Limits) -> Exploration {
    enumerate_until(program, properties, limits, &mut || None)
}

/// Explores all executions of the program, until `stop` gives a reason not to.
pub fn enumerate_until(
    program: &Program,
    properties: Properties,
    limits: &Limits,
    stop: &mut dyn FnMut() -> Option<Why>,
) -> Exploration {
    let machine = Machine::new(program);
    let mut search = Search::new(program, &machine, properties, limits);
    search.run(stop);
    if program.model.has_buffers() && properties.has(Property::Termination) {
        let what = format!("endless executions under {}", program.model);
        search.found.incomplete.get_or_insert(Why::Unsupported { span: Span::NOWHERE, what });
    }
    search.found
}

/// The places that threads of a program can race for, if all its interleavings can be looked at.
pub fn raced_for(program: &Program, limits: &Limits, stop: &mut dyn FnMut() -> Option<Why>) -> Option<Watched> {
    let machine = Machine::new(program);
    let limits = Limits { by_happens_before: false, ..limits.clone() };
    let mut search = Search::new(program, &machine, Properties::of(&[Property::Race]), &limits);
    search.footprints = Some(Footprints::default());
    search.run(stop);
    let is_whole = search.found.incomplete.is_none() && search.found.violations.is_empty();
    search.footprints.filter(|_| is_whole).map(Footprints::watched)
}

impl Exploration {
    /// Whether everything was visited and nothing is wrong.
    pub fn is_safe(&self) -> bool {
        self.violations.is_empty() && self.incomplete.is_none()
    }
}

struct Search<'a, 'p> {
    program: &'p Program,
    machine: &'a Machine<'p>,
    properties: Properties,
    limits: &'a Limits,
    found: Exploration,
    id_of: FxHashMap<(State, Option<HappensBefore>), usize>,
    /// All states and steps, kept only if somebody asked about termination.
    graph: lasso::Graph,
    /// The states on the way to the present one, with what is left to try from each.
    path: Vec<Node>,
    /// Who touches what, if that is all that is asked.
    footprints: Option<Footprints>,
}

struct Node {
    state: State,
    id: usize,
    todo: Vec<(u32, EdgeRef)>,
    /// Stores that can reach memory next, by thread and number.
    commits: Vec<(u32, usize)>,
    /// Further outcomes of a step with inputs.
    ready: Vec<(Step, State, Option<HappensBefore>)>,
    /// What happened before what, if that is asked for.
    before: Option<HappensBefore>,
    /// What led here.
    taken: Option<Taken>,
}

/// A way from one state to the next.
#[derive(Clone)]
enum Taken {
    Step(Step),
    /// A store of a thread, by its number in the buffer, reaches memory.
    Commit(u32, usize),
}

impl<'a, 'p> Search<'a, 'p> {
    fn new(
        program: &'p Program,
        machine: &'a Machine<'p>,
        properties: Properties,
        limits: &'a Limits,
    ) -> Search<'a, 'p> {
        Search {
            program,
            machine,
            properties,
            limits,
            found: Exploration::default(),
            id_of: FxHashMap::default(),
            graph: lasso::Graph::default(),
            path: Vec::new(),
            footprints: None,
        }
    }

    fn run(&mut self, stop: &mut dyn FnMut() -> Option<Why>) {
        let before =
            (self.limits.by_happens_before && self.properties.has(Property::Race)).then(HappensBefore::default);
        self.enter(None, self.machine.initial(), before);
        while let Some(node) = self.path.last_mut() {
            if let Some(why) = stop() {
                self.found.incomplete.get_or_insert(why);
                return;
            }
            if self.limits.first_only && !self.found.violations.is_empty() {
                return;
            }
            if let Some((step, state, before)) = node.ready.pop() {
                self.enter(Some(Taken::Step(step)), state, before);
            } else if let Some((thread, number)) = node.commits.pop() {
                let (mut state, mut before) = (node.state.clone(), node.before.clone());
                let mut events = Vec::new();
                let is_next = self.machine.commit(&mut state, thread, number, Some(&mut events));
                assert!(is_next, "only stores that are next are tried");
                self.found.n_steps += 1;
                if let Some(before) = &mut before {
                    for event in &events {
                        before.races(thread, &event.what, self.limits.watched.as_ref());
                    }
                }
                self.enter(Some(Taken::Commit(thread, number)), state, before);
            } else if let Some((thread, edge)) = node.todo.pop() {
                self.expand(thread, edge);
            } else {
                self.path.pop();
            }
            if self.id_of.len() >= self.limits.max_states {
                self.found.incomplete.get_or_insert(Why::Bound(format!("{} states", self.limits.max_states)));
                return;
            }
        }
        if self.properties.has(Property::Termination)
            && let Some(steps) = self.graph.fair_lasso()
        {
            let trace = Trace::new(Property::Termination, steps);
            self.found.violations.insert(Property::Termination, trace);
        }
    }

    /// Comes to a state by a step from the last one on the path.
    fn enter(&mut self, taken: Option<Taken>, state: State, before: Option<HappensBefore>) {
        let from = self.path.last().map(|node| node.id);
        let n_known = self.id_of.len();
        let keeps_graph = self.properties.has(Property::Termination) && !self.program.model.has_buffers();
        let key = (state.clone(), before.clone());
        if let Some(id) = self.id_of.get(&key) {
            if let (Some(from), Some(Taken::Step(step)), true) = (from, taken, keeps_graph) {
                self.graph.add_step(from, *id, step);
            }
            return;
        }
        let id = n_known;
        self.id_of.insert(key, id);
        self.found.n_states += 1;
        let todo = self.machine.enabled(&state);
        if keeps_graph {
            self.graph.add_state(id, todo.iter().map(|(thread, _)| *thread), state.threads.len());
            if let (Some(from), Some(Taken::Step(step))) = (from, &taken) {
                self.graph.add_step(from, id, step.clone());
            }
        }
        let commits = self.machine.commits(&state);
        self.path.push(Node { state, id, todo, commits, ready: Vec::new(), before, taken });
        self.look();
    }

    /// Is the state itself a violation?
    fn look(&mut self) {
        let state = &self.path.last().expect("a state was just entered").state;
        let is_new = |property| self.properties.has(property) && !self.found.violations.contains_key(&property);
        let is_deadlock = is_new(Property::Deadlock) && self.machine.deadlock(state).is_some();
        let is_race = is_new(Property::Race)
            && !self.limits.by_happens_before
            && self.footprints.is_none()
            && adjacent_race(self.machine, state, &Locks::default(), 0, &self.limits.domain).is_some();
        let is_stuck = is_new(Property::Termination) && self.machine.stuck(state).is_some();
        let found = [(Property::Deadlock, is_deadlock), (Property::Race, is_race), (Property::Termination, is_stuck)];
        for (property, is_wrong) in found {
            if is_wrong {
                self.report(property, None);
            }
        }
    }

    fn report(&mut self, violation: Property, last: Option<Step>) {
        if self.found.violations.contains_key(&violation) {
            return;
        }
        let taken = self.path.iter().filter_map(|node| node.taken.clone()).chain(last.map(Taken::Step));
        let trace = if self.program.model.has_buffers() {
            // Commits are named by the steps that stored, which an execution knows.
            let mut execution = Execution::new(self.program, self.properties);
            for taken in taken {
                match taken {
                    Taken::Step(step) => {
                        execution.take(step.thread, step.edge, &mut GivenInputs::new(&step.inputs));
                    }
                    Taken::Commit(thread, number) => drop(execution.commit(thread, number)),
                }
            }
            execution.trace(violation)
        } else {
            let step = |taken| match taken {
                Taken::Step(step) => Some(step),
                Taken::Commit(..) => None,
            };
            Trace::new(violation, taken.filter_map(step).collect())
        };
        self.found.violations.insert(violation, trace);
    }

    /// Takes an edge from the last state on the path, with all inputs.
    fn expand(&mut self, thread: u32, edge: EdgeRef) {
        let node = self.path.last().expect("there is a state to expand");
        let (from, known) = (node.state.clone(), node.before.clone());
        let mut ready = Vec::new();
        let limits = self.limits;
        for_all_inputs(&limits.domain, |inputs| {
            let (mut state, mut before) = (from.clone(), known.clone());
            let mut events = Vec::new();
            let wanted = (before.is_some() || self.footprints.is_some()).then_some(&mut events);
            let result = self.machine.step(&mut state, thread, edge, inputs, self.properties, wanted);
            self.found.n_steps += 1;
            if let Some(request) = inputs.too_large {
                let bits = request.sort.width().unwrap_or(u32::MAX);
                self.found.incomplete.get_or_insert(Why::LargeInput { span: request.span, bits });
                return;
            }
            let values = inputs.taken.iter().map(|choice| (choice.site, choice.value.clone())).collect();
            let step = Step { thread, edge, inputs: values };
            if let Some(footprints) = &mut self.footprints {
                events.iter().for_each(|event| footprints.note(thread, &event.what));
            }
            let watched = limits.watched.as_ref();
            let mut races =
                |event: &Event| before.as_mut().is_some_and(|before| before.races(thread, &event.what, watched));
            if events.iter().any(&mut races) {
                self.report(Property::Race, Some(step));
                return;
            }
            match result {
                StepResult::Ok | StepResult::Ended(_) => ready.push((step, state, before)),
                StepResult::NotEnabled(_) => {}
                StepResult::Violation(violation) => self.report(violation.property, Some(step)),
                StepResult::Beyond(why) => {
                    self.found.incomplete.get_or_insert(why);
                }
            }
        });
        self.path.last_mut().expect("it is still there").ready = ready;
    }
}
