//! Which states can be reached? Depth first, each state once.
//!
//! Known as: explicit-state model checking, depth-first search with state matching \[Holzmann97]; the cycle proviso on the stack \[Peled93].
//!
//! The stack holds, for each state on the current path, which threads are still to run there and the edge and choices being run.
//! So the stack is the trace. Which threads run in a state is decided by `reduction`: all of them, or a source set
//! (`explore::por`). If a step of a reduced set closes a cycle the state is expanded with all threads after all, so that
//! none is put off for ever.
//!
//! Invariant: a state is marked as being on the stack exactly while it is. What the engine cannot decide (an input with too many
//! values, a construct that is not modelled) does not end the search: a violation elsewhere is still a violation; only if
//! none is found does the first such reason become the answer. Of an input with too many values a few are tried, in a small search.

pub(crate) mod parallel;
pub(crate) mod trace;

use super::compile::Code;
use super::reduction::{Reduction, Selector};
use super::state::View;
use super::step::runner::Runner;
use super::step::{Choices, Machine, StepResult, vary};
use crate::explicit::properties::fair_lasso::{Graph, Lasso};
use crate::explicit::reduction::symmetry::{Permutation, Symmetry};
use crate::explicit::state::packed::{Packer, Unpacked};
use crate::explicit::state::visited::{MAX_STATE, ON_STACK, StateId, Visited};
use crate::explore::por::dpor::{Explored, Summaries, Touches, all_futures, exchange_back};
use crate::explore::por::threads::ThreadSet;
use crate::run::Run;
use ir::{Property, SiteId, Why};

/// A state on the path and what is being done there.
pub(crate) struct Frame {
    pub(crate) state: StateId,
    /// Threads still to run here.
    todo: ThreadSet,
    /// Threads that were left out by a reduction.
    left_out: ThreadSet,
    /// The thread that runs, the edge it takes, and the choices made on it.
    pub(crate) thread: usize,
    pub(crate) edge: u32,
    pub(crate) choices: Choices,
    /// One past the last edge of the thread.
    end: u32,
    /// Whether a run of the current edge is to be varied before the next edge.
    has_run: bool,
    /// Whether the running thread could take a step, and whether it waits.
    thread_moved: bool,
    thread_waits: bool,
    /// Those that could take a step.
    can_run: ThreadSet,
    /// Whether some thread could take a step, one that could not waits, and one neither moves nor waits.
    has_moved: bool,
    waits: bool,
    is_stopped: bool,
    /// Whether some step ends the execution.
    has_end: bool,
    /// Whether others run only if the running thread, which holds an atomic section, waits.
    is_held: bool,
    /// What was found out about the state, if reduction is dynamic.
    explored: Option<Box<Explored>>,
    /// Where the threads of the state stood after the step that led here, if they were exchanged since.
    pub(crate) exchanged: Option<Box<Permutation>>,
}

impl Frame {
    /// Notes what became of the running thread, once all its edges have been tried.
    fn end_thread(&mut self) {
        if self.end == 0 {
            return;
        }
        self.end = 0;
        self.edge = 0;
        self.has_moved |= self.thread_moved;
        if self.thread_moved {
            self.can_run.insert(self.thread);
        }
        self.waits |= !self.thread_moved && self.thread_waits;
        self.is_stopped |= !self.thread_moved && !self.thread_waits;
        self.thread_moved = false;
        self.thread_waits = false;
    }
}

/// What went wrong, at the end of the path on the stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// The running edge of the last frame violates a property at a statement.
    Step(Property, SiteId),
    /// In the state of the last frame all threads wait, or some wait for ever.
    Deadlock,
    /// In the state of the last frame all threads wait, and somebody asked whether the program ends.
    Stuck,
    /// In the state of the last frame two threads race: their indices, edges, and the statements.
    Race(Box<[Racer; 2]>),
    /// A fair loop, which the stack does not show.
    Lasso(Lasso),
}

/// One access of a race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Racer {
    pub(crate) thread: usize,
    pub(crate) edge: u32,
    pub(crate) choices: Choices,
    pub(crate) site: SiteId,
    /// Whether the access is inside an atomic section.
    pub(crate) is_inside: bool,
}

/// Which of the threads that are to run in a state runs first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pick {
    /// The oldest.
    Oldest,
    /// The newest.
    Newest,
    /// Any, differently at each depth.
    Mixed,
}

/// How far a search goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Steps of a path.
    pub(crate) depth: usize,
    /// States.
    pub(crate) states: usize,
    /// Bytes of states.
    pub(crate) bytes: usize,
    /// Threads.
    pub(crate) threads: usize,
}

/// Why a search ended before its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    /// The run must stop.
    Stopped(Why),
    /// There are more states than it may visit.
    ManyStates,
}

/// What was counted.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Counts {
    pub(crate) transitions: u64,
    pub(crate) matched: u64,
    pub(crate) max_depth: usize,
    pub(crate) reduced: u64,
    pub(crate) expanded_again: u64,
    pub(crate) exchanged: u64,
}

/// States that are visited of a program whose inputs have more values than are tried: enough for what is near.
const SAMPLED_STATES: usize = 1 << 14;
/// After how many states it is said how many there are.
const TOLD_EVERY: usize = 20_000;

/// A search.
pub(crate) struct Search<'c> {
    pub(crate) code: &'c Code,
    /// Takes steps from the state of the last frame.
    pub(crate) runner: Runner<'c>,
    pub(crate) visited: Visited,
    pub(crate) stack: Vec<Frame>,
    pub(crate) counts: Counts,
    pub(crate) unknown: Option<Why>,
    selector: Selector<'c>,
    /// Room for a state that is looked at.
    other: Unpacked,
    /// Bytes of all states, flat.
    pub(crate) flat_bytes: usize,
    bounds: Bounds,
    order: Pick,
    /// All steps, if it is asked whether they can go on for ever; then the note of a state is its number there.
    graph: Option<Graph>,
    summaries: Summaries,
    /// The summary of the state that a step led to.
    after: Touches,
    /// How many states there were when it was last said how many there are.
    told: usize,
    /// Puts the threads of states in order, if it does not matter which is which.
    pub(crate) symmetry: Option<Symmetry>,
}

impl<'c> Search<'c> {
    /// A search from the initial state.
    pub(crate) fn new(
        code: &'c Code,
        selector: Selector<'c>,
        symmetry: Option<Symmetry>,
        enumerate: u32,
        bounds: Bounds,
        order: Pick,
    ) -> Search<'c> {
        let keeps_graph = code.properties.has(Property::Termination);
        Search {
            code,
            runner: Runner::new(Machine::new(code, enumerate, bounds.threads), Packer::new(code)),
            visited: Visited::new(selector.reduction == Reduction::Dynamic || keeps_graph),
            graph: keeps_graph.then(Graph::default),
            stack: Vec::new(),
            counts: Counts::default(),
            unknown: None,
            selector,
            other: Unpacked::default(),
            flat_bytes: 0,
            bounds,
            order,
            summaries: Summaries::default(),
            after: Touches::new(),
            told: 0,
            symmetry,
        }
    }

    /// Explores until something goes wrong, everything is explored, or the run must stop.
    pub(crate) fn explore(&mut self, run: &mut Run) -> Result<Option<Found>, Halt> {
        let (initial, hash) = self.runner.initial();
        let (state, _) = self.visited.insert(&initial, hash);
        if let Some(found) = self.enter(state) {
            return Ok(Some(found));
        }
        while !self.stack.is_empty() {
            if let Some(why) = run.stop() {
                return Err(Halt::Stopped(why));
            }
            let most = if self.runner.machine.sampled().is_some() { SAMPLED_STATES } else { usize::MAX };
            let Bounds { states, bytes, .. } = self.bounds;
            if self.visited.len() > states.min(most) || self.visited.state_bytes() > bytes {
                return Err(Halt::ManyStates);
            }
            self.tell(run);
            if !self.next_run() {
                if let Some(found) = self.leave() {
                    return Ok(Some(found));
                }
                continue;
            }
            if let Some(found) = self.step() {
                return Ok(Some(found));
            }
        }
        if let Some(why) = self.runner.machine.sampled() {
            self.unknown.get_or_insert_with(|| why.clone());
        }
        let lasso = self.graph.as_mut().and_then(Graph::fair_lasso);
        Ok(lasso.map(Found::Lasso))
    }

    /// A state, flat.
    pub(crate) fn flat(&self, state: StateId) -> Vec<u8> {
        self.runner.packer.flat(self.visited.get(state)).0
    }

    /// Says now and then how far the search is.
    fn tell(&mut self, run: &Run) {
        if self.visited.len() >= self.told + TOLD_EVERY {
            self.told = self.visited.len();
            run.reached.count("states", self.visited.len() as u64);
            run.reached.count("steps deep", self.counts.max_depth as u64);
        }
    }

    /// Puts a new state on the stack.
    fn enter(&mut self, state: StateId) -> Option<Found> {
        *self.visited.marks(state) |= ON_STACK;
        self.runner.enter(self.visited.get(state));
        self.flat_bytes += self.runner.here().flat_len();
        let view = &self.runner.here().view;
        if let Some(graph) = &mut self.graph {
            let number = graph.add_state(state, view.pcs.len());
            self.visited.set_note(state, number);
        }
        let (alive, holder) = (alive(self.code, view), view.holder);
        if self.code.properties.has(Property::Race) {
            let (machine, bytes, view) = self.runner.flat();
            if let Some(race) = crate::explicit::properties::race::adjacent(machine, bytes, view) {
                self.push(state, ThreadSet::default(), ThreadSet::default(), false);
                return Some(Found::Race(race));
            }
        }
        match holder {
            Some(holder) => {
                let holder = ThreadSet::of(holder);
                let others = alive.without(&holder);
                self.push(state, holder, others, true);
            }
            None => {
                let chosen = self.selector.select_here(&mut self.runner, &alive);
                let left_out = alive.without(&chosen);
                self.counts.reduced += u64::from(!left_out.is_empty());
                self.push(state, chosen, left_out, false);
            }
        }
        None
    }

    fn push(&mut self, state: StateId, todo: ThreadSet, left_out: ThreadSet, is_held: bool) {
        let is_dynamic = self.selector.reduction == Reduction::Dynamic;
        let n_threads = self.runner.here().view.pcs.len();
        let explored = || Box::new(Explored::new(todo.clone(), n_threads, self.selector.words()));
        let explored = is_dynamic.then(explored);
        self.stack.push(Frame {
            state,
            todo,
            left_out,
            thread: 0,
            edge: 0,
            choices: Choices::new(),
            end: 0,
            has_run: false,
            thread_moved: false,
            thread_waits: false,
            can_run: ThreadSet::default(),
            has_moved: false,
            waits: false,
            is_stopped: false,
            has_end: false,
            is_held,
            explored,
            exchanged: None,
        });
        self.counts.max_depth = self.counts.max_depth.max(self.stack.len());
    }

    /// Moves the last frame to its next run; false if there is none.
    fn next_run(&mut self) -> bool {
        let depth = self.stack.len();
        let frame = self.stack.last_mut().expect("the search goes on while there is a frame");
        loop {
            if frame.has_run && vary(&mut frame.choices) {
                return true;
            }
            if frame.has_run {
                frame.edge += 1;
            }
            frame.has_run = false;
            if frame.edge < frame.end {
                frame.has_run = true;
                return true;
            }
            frame.end_thread();
            if frame.is_held && !frame.has_moved && frame.waits && frame.todo.is_empty() {
                // The holder of the atomic section waits: the others may run.
                frame.todo = std::mem::take(&mut frame.left_out);
                frame.is_held = false;
            }
            let Some(thread) = self.order.one_of(&frame.todo, depth) else { return false };
            frame.thread = thread;
            frame.todo.remove(thread);
            let pc = self.runner.here().view.pcs[frame.thread];
            (frame.edge, frame.end) = self.code.locs[pc as usize].edges;
            if let Some(explored) = &mut frame.explored {
                explored.event.clear();
                let (machine, state, view) = self.runner.flat();
                self.selector.probe(machine, state, view, frame.thread, &mut explored.event);
            }
        }
    }

    /// Takes the step that the last frame is at.
    fn step(&mut self) -> Option<Found> {
        let frame = self.stack.last_mut().expect("the search goes on while there is a frame");
        let outcome = self.runner.step(frame.thread, frame.edge as usize, &mut frame.choices);
        match outcome {
            StepResult::Next => {
                frame.thread_moved = true;
                self.counts.transitions += 1;
                return self.arrive();
            }
            StepResult::NotTaken => {}
            StepResult::Waits(_) => frame.thread_waits = true,
            StepResult::Violates(property, site) => return Some(Found::Step(property, site)),
            StepResult::Ends => {
                frame.thread_moved = true;
                self.counts.transitions += 1;
                // Whatever the others could still do would be lost.
                frame.has_end = true;
                self.run_left_out();
            }
            StepResult::Unknown(why) => {
                frame.thread_moved = true;
                frame.has_end = true;
                self.unknown.get_or_insert(why);
                self.run_left_out();
            }
        }
        None
    }

    fn arrive(&mut self) -> Option<Found> {
        let exchanged = self.symmetry.as_mut().and_then(|symmetry| self.runner.sort(symmetry));
        self.counts.exchanged += u64::from(exchanged.is_some());
        let (next, hash) = self.runner.next();
        if next.len() >= MAX_STATE {
            self.unknown.get_or_insert_with(too_large);
            return None;
        }
        let (state, is_new) = self.visited.insert(next, hash);
        if is_new {
            let from = self.stack.last().map(|frame| frame.state);
            if self.stack.len() >= self.bounds.depth {
                let why = Why::Bound(format!("paths are longer than {} steps", self.bounds.depth));
                self.unknown.get_or_insert(why);
                self.run_left_out();
                if self.selector.reduction == Reduction::Dynamic {
                    self.foresee(state);
                    let note = self.summaries.intern(&self.after);
                    self.visited.set_note(state, note);
                }
                return None;
            }
            let mover = self.stack.last().map(|frame| frame.thread);
            let found = self.enter(state);
            let mover = mover.map(|mover| place_after(exchanged.as_ref(), mover));
            let found = found.or_else(|| self.waits_for_ever(mover).then_some(Found::Deadlock));
            let frame = self.stack.last_mut().expect("a state was just entered");
            frame.exchanged = exchanged.map(Box::new);
            if let Some(from) = from {
                self.note_step(from, self.stack.len() - 2, state);
            }
            return found;
        }
        self.counts.matched += 1;
        if let Some(frame) = self.stack.last() {
            self.note_step(frame.state, self.stack.len() - 1, state);
        }
        let is_on_stack = *self.visited.marks(state) & ON_STACK != 0;
        if self.selector.reduction == Reduction::Dynamic {
            if is_on_stack {
                self.foresee(state);
            } else {
                self.after.clear();
                self.after.extend_from_slice(self.summaries.get(self.visited.note(state)));
            }
            self.absorb(exchanged.as_ref());
        }
        if is_on_stack {
            self.run_left_out();
        }
        None
    }

    /// Whether some threads of a new state wait for ever. Then the thread that has just moved is one of them, or has ended with a
    /// lock: had the others not needed it, the state before would have been such a state.
    fn waits_for_ever(&mut self, mover: Option<usize>) -> bool {
        if !self.code.has_owners {
            return false;
        }
        let Some(mover) = mover else { return false };
        let (machine, bytes, view) = self.runner.flat();
        crate::explicit::properties::waits::is_for_ever(machine, bytes, view, mover)
    }

    /// Keeps the step of a frame, if steps are kept.
    fn note_step(&mut self, from: StateId, frame: usize, to: StateId) {
        if let Some(graph) = &mut self.graph {
            let frame = &self.stack[frame];
            let (from, to) = (self.visited.note(from), self.visited.note(to));
            graph.add_arc(from, to, frame.thread, frame.edge, frame.choices.clone());
        }
    }

    /// Makes all that the threads of a state may ever touch the summary of what comes after.
    fn foresee(&mut self, state: StateId) {
        self.runner.packer.read(self.visited.get(state), &mut self.other);
        let futures = self.other.view.pcs.iter().map(|pc| self.selector.future(*pc));
        all_futures(futures, self.selector.words(), &mut self.after);
    }

    /// Takes what came after the step of the last frame into account there; the threads may have been exchanged after the step.
    fn absorb(&mut self, exchanged: Option<&Permutation>) {
        if let Some(exchanged) = exchanged {
            exchange_back(&mut self.after, exchanged, 2 * self.selector.words());
        }
        let frame = self.stack.last_mut().expect("a step was taken from a frame");
        let Some(explored) = &mut frame.explored else { return };
        let (machine, state, view) = self.runner.flat();
        let alive = alive(self.code, view);
        let place = (state, view, &alive);
        let needed = self.selector.absorb(explored, &mut self.after, machine, place, frame.thread);
        if !frame.is_held {
            frame.todo.add(&needed.common(&frame.left_out));
            frame.left_out = frame.left_out.without(&needed);
        }
    }

    /// Runs in the last frame's state also the threads that a reduction left out.
    fn run_left_out(&mut self) {
        let frame = self.stack.last_mut().expect("the search goes on while there is a frame");
        if !frame.is_held && !frame.left_out.is_empty() {
            self.counts.expanded_again += 1;
            frame.todo.add(&std::mem::take(&mut frame.left_out));
        }
    }

    /// Takes the last frame from the stack.
    fn leave(&mut self) -> Option<Found> {
        let frame = self.stack.last().expect("the search goes on while there is a frame");
        let is_deadlock = !frame.has_moved && frame.waits && !frame.is_stopped;
        if is_deadlock && self.code.properties.has(Property::Deadlock) {
            return Some(Found::Deadlock);
        }
        if is_deadlock && self.code.properties.has(Property::Termination) {
            return Some(Found::Stuck);
        }
        *self.visited.marks(frame.state) &= !ON_STACK;
        if let Some(graph) = &mut self.graph {
            graph.set_can_run(self.visited.note(frame.state), frame.can_run.clone());
        }
        if (!frame.has_moved || frame.has_end) && frame.explored.is_some() {
            // Some got no further, but had the steps before come in another order, they might have.
            self.foresee(frame.state);
        } else {
            self.after.clear();
        }
        let mut frame = self.stack.pop().expect("it was there a moment ago");
        if let Some(explored) = &mut frame.explored {
            explored.touches.iter_mut().zip(&self.after).for_each(|(mine, theirs)| *mine |= theirs);
        }
        if let Some(parent) = self.stack.last() {
            self.runner.enter(self.visited.get(parent.state));
        }
        if let Some(explored) = frame.explored {
            let note = self.summaries.intern(&explored.touches);
            self.visited.set_note(frame.state, note);
            self.after = explored.touches;
            if !self.stack.is_empty() {
                self.absorb(frame.exchanged.as_deref());
            }
        }
        None
    }
}

impl Pick {
    /// One of a set of threads; none if it is empty.
    fn one_of(self, set: &ThreadSet, depth: usize) -> Option<usize> {
        match self {
            Pick::Oldest => set.first(),
            Pick::Newest => set.last(),
            Pick::Mixed => {
                // Going on from a thread without structure makes another one the first.
                let from = ((depth as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize;
                set.iter().find(|thread| *thread >= from).or_else(|| set.first())
            }
        }
    }
}

/// The threads that have not ended.
fn alive(code: &Code, view: &View) -> ThreadSet {
    view.pcs.iter().enumerate().filter(|(_, pc)| !code.has_ended(**pc)).map(|(index, _)| index).collect()
}

/// Where a thread stands after threads were exchanged.
fn place_after(exchanged: Option<&Permutation>, thread: usize) -> usize {
    exchanged.and_then(|order| order.iter().position(|from| *from as usize == thread)).unwrap_or(thread)
}

/// Why a state is not visited that cannot be kept.
fn too_large() -> Why {
    let what = "a state of this size in the explicit-state engine".to_string();
    Why::Unsupported { span: ir::Span::NOWHERE, what }
}
