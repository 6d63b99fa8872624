//! Which states can be reached, by several workers? Breadth first, level by level, each state once.
//!
//! Known as: parallel breadth-first search with a shared state store \[Laarman10] \[Holzmann12]; the cycle proviso on the queue \[Bosnacki06].
//!
//! A level is all states at one distance from the beginning. Workers take batches of it, expand them, and put what is new into the next level; a small level is
//! left to one of them. In large ones what was reached is written down and looked up later, store by store (`state::deferred`). Nothing depends on who was faster: a level is finished before the next begins, so the level of a state is its distance, and of several
//! violations in a level that of the smallest state is told. So answers, states and ways to them are the same for any number of workers.
//!
//! A reduced set of threads is enough in a state if one of its steps leads to the next level. Otherwise all threads run. Why that suffices: take a violation that is
//! reachable from a state by some execution. If a thread of the set takes part in it, one of its steps can come first, and the rest is shorter. If none does, all steps of
//! the set are independent of the execution, which is then possible after any of them, in particular after the one that leads to the next level; and levels end.
//!
//! Not here: dynamic reduction and fair loops, which need the stack of a search in depth.

use super::{Bounds, Counts, Found, Halt, Pick, Search, TOLD_EVERY, alive, place_after, too_large};
use crate::explicit::compile::Code;
use crate::explicit::properties::{race, waits};
use crate::explicit::reduction::Selector;
use crate::explicit::reduction::symmetry::{Permutation, Symmetry};
use crate::explicit::state::View;
use crate::explicit::state::deferred::{Deferred, Waiting};
use crate::explicit::state::shards::{N_SHARDS, Seen, Shards};
use crate::explicit::state::visited::{MAX_STATE, hash};
use crate::explicit::step::{Choices, Machine, StepResult, vary};
use crate::explore::por::threads::ThreadSet;
use crate::run::Run;
use ir::{Property, Why};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// States that a worker takes at once; few in tests, whose programs are small.
const BATCH: usize = if cfg!(test) { 2 } else { 256 };

/// States of a level that are worth the start of further workers.
const MANY: usize = 8 * BATCH;

/// Bytes of states that a worker writes down before they are looked up; few in tests.
const MANY_BYTES: usize = if cfg!(test) { 1 << 8 } else { 1 << 25 };

/// Bytes of the stack of a worker.
const STACK: usize = 16 << 20;

/// Some states of a level, one behind the other.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    /// Where each ends, and which thread has moved last.
    states: Vec<(usize, Option<u16>)>,
}

/// A level that is being expanded.
struct Level<'l> {
    number: usize,
    batches: &'l [Batch],
    /// The next batch to take.
    next: AtomicUsize,
    /// The next store to look states up in.
    next_shard: AtomicUsize,
    /// Whether states are looked up later, where nothing depends on it.
    defers: bool,
    /// Whether to stop.
    is_over: AtomicBool,
    /// States so far.
    n_states: AtomicUsize,
    shards: &'l Shards,
}

/// Something wrong in or after a state.
struct Violation {
    state: Vec<u8>,
    found: Found,
    /// The step being run there.
    thread: usize,
    edge: u32,
    choices: Choices,
}

/// One who expands states.
struct Worker<'c> {
    machine: Machine<'c>,
    selector: Selector<'c>,
    symmetry: Option<Symmetry>,
    view: View,
    /// What it found for the next level, and how many states it has found in all.
    found: Vec<Batch>,
    n_found: usize,
    /// How many states all had when it last told.
    n_told: usize,
    /// What it has reached and not looked up.
    deferred: Deferred,
    counts: Counts,
    unknown: Option<Why>,
    violation: Option<Violation>,
}

/// The state that is being expanded.
struct Place<'p> {
    level: &'p Level<'p>,
    state: &'p [u8],
    hash: u64,
}

/// What became of the threads that have run in a state.
#[derive(Default)]
struct Expansion {
    has_moved: bool,
    waits: bool,
    is_stopped: bool,
    /// Whether a step leads to the next level.
    has_ahead: bool,
    /// Whether a step leads to no state at all.
    has_end: bool,
}

/// A search by several workers.
pub(crate) struct Parallel<'c> {
    code: &'c Code,
    shards: Shards,
    workers: Vec<Worker<'c>>,
    bounds: Bounds,
    enumerate: u32,
    violation: Option<Violation>,
    pub(crate) counts: Counts,
    pub(crate) unknown: Option<Why>,
}

impl<'c> Parallel<'c> {
    /// A search from the initial state.
    pub(crate) fn new(
        code: &'c Code,
        selector: &Selector<'c>,
        symmetry: Option<&Symmetry>,
        enumerate: u32,
        bounds: Bounds,
        (n_workers, samples): (usize, bool),
    ) -> Parallel<'c> {
        let machine = || {
            let mut machine = Machine::new(code, enumerate, bounds.threads);
            if !samples {
                machine.stop_sampling();
            }
            machine
        };
        let worker = |_| Worker {
            machine: machine(),
            selector: selector.clone(),
            symmetry: symmetry.cloned(),
            view: View::default(),
            found: Vec::new(),
            n_found: 0,
            n_told: 0,
            deferred: Deferred::default(),
            counts: Counts::default(),
            unknown: None,
            violation: None,
        };
        let workers = (0..n_workers.max(1)).map(worker).collect();
        let (counts, unknown) = (Counts::default(), None);
        Parallel { code, shards: Shards::new(), workers, bounds, enumerate, violation: None, counts, unknown }
    }

    /// Why not all values of some input were tried, if so.
    pub(crate) fn sampled(&self) -> Option<&Why> {
        self.workers.iter().find_map(|worker| worker.machine.sampled())
    }

    /// All states that were seen.
    pub(crate) fn shards(&self) -> &Shards {
        &self.shards
    }

    /// Explores until something goes wrong (`found`), everything is explored, or the run must stop.
    pub(crate) fn explore(&mut self, run: &mut Run) -> Result<(), Halt> {
        let initial = self.workers[0].machine.initial();
        self.shards.insert(&initial, 0, 0);
        let mut batches = vec![Batch { states: vec![(initial.len(), None)], bytes: initial }];
        let mut n_states = 1;
        for number in 0.. {
            if batches.is_empty() {
                break;
            }
            if number >= self.bounds.depth {
                let why = Why::Bound(format!("paths are longer than {} steps", self.bounds.depth));
                self.unknown.get_or_insert(why);
                break;
            }
            let level = Level {
                number,
                batches: &batches,
                next: AtomicUsize::new(0),
                next_shard: AtomicUsize::new(0),
                defers: self.workers.len() > 1 && n_in(&batches) >= MANY,
                is_over: AtomicBool::new(false),
                n_states: AtomicUsize::new(n_states),
                shards: &self.shards,
            };
            let stopped = expand_level(&mut self.workers, &level, run);
            n_states = level.n_states.into_inner();
            self.counts.max_depth = number + 1;
            self.gather();
            if let Some(why) = stopped {
                return Err(Halt::Stopped(why));
            }
            if self.violation.is_some() {
                break;
            }
            if n_states > self.bounds.states {
                return Err(Halt::ManyStates);
            }
            batches = self.workers.iter_mut().flat_map(|worker| std::mem::take(&mut worker.found)).collect();
        }
        Ok(())
    }

    /// Takes over what the workers have found out in a level; of several things, one that does not depend on who found it.
    fn gather(&mut self) {
        for worker in &mut self.workers {
            let counts = std::mem::take(&mut worker.counts);
            self.counts.transitions += counts.transitions;
            self.counts.matched += counts.matched;
            self.counts.reduced += counts.reduced;
            self.counts.expanded_again += counts.expanded_again;
            self.counts.exchanged += counts.exchanged;
        }
        let mut reasons: Vec<Why> = self.workers.iter_mut().filter_map(|worker| worker.unknown.take()).collect();
        reasons.sort_by_key(|why| format!("{why:?}"));
        self.unknown = self.unknown.take().or_else(|| reasons.into_iter().next());
        let violations = self.workers.iter_mut().filter_map(|worker| worker.violation.take());
        self.violation = violations.min_by(|a, b| a.state.cmp(&b.state));
    }

    /// The way to what was found, as the stack of a search in depth that has just found it.
    pub(crate) fn found(mut self) -> Option<(Search<'c>, Found)> {
        let violation = self.violation.take()?;
        let mut way = vec![(violation.state.clone(), violation.thread, violation.edge, violation.choices)];
        // How the threads of the state after each step were exchanged; nobody has before the first state.
        let mut exchanges = Vec::new();
        let initial = self.workers[0].machine.initial();
        while let Some((state, ..)) = way.last()
            && *state != initial
        {
            let parents = self.shards.with_hash(self.shards.parent(state)).into_iter();
            let worker = &mut self.workers[0];
            let step = |parent: Vec<u8>| worker.step_to(&parent, state).map(|step| (parent, step));
            let (parent, step) = { parents }.find_map(step).expect("a state was reached from its parent");
            exchanges.push(step.3);
            way.push((parent, step.0, step.1, step.2));
        }
        exchanges.push(None);
        let Worker { selector, symmetry, .. } = self.workers.swap_remove(0);
        let mut search = Search::new(self.code, selector, symmetry, self.enumerate, self.bounds, Pick::Oldest);
        for ((state, thread, edge, choices), exchanged) in way.into_iter().rev().zip(exchanges.into_iter().rev()) {
            let (state, _) = search.visited.insert(&state);
            search.push(state, ThreadSet::default(), ThreadSet::default(), false);
            let frame = search.stack.last_mut().expect("it was just pushed");
            (frame.thread, frame.edge, frame.choices) = (thread, edge, choices);
            frame.exchanged = exchanged.map(Box::new);
        }
        Some((search, violation.found))
    }
}

/// Adds a state to the last of some batches, or to a new one.
fn keep(batches: &mut Vec<Batch>, state: &[u8], mover: Option<u16>) {
    if batches.last().is_none_or(|batch| batch.states.len() >= BATCH) {
        batches.push(Batch::default());
    }
    let batch = batches.last_mut().expect("there is one with room");
    batch.bytes.extend_from_slice(state);
    batch.states.push((batch.bytes.len(), mover));
}

fn n_in(batches: &[Batch]) -> usize {
    batches.iter().map(|batch| batch.states.len()).sum()
}

/// Expands all states of a level, with all workers if there are many.
fn expand_level(workers: &mut [Worker<'_>], level: &Level<'_>, run: &mut Run) -> Option<Why> {
    if !level.defers {
        return workers.first_mut()?.expand_batches(level, Some(run));
    }
    loop {
        let stopped = together(workers, run, |worker, run| worker.expand_batches(level, run));
        let deferred: Vec<Deferred> = workers.iter_mut().map(|worker| std::mem::take(&mut worker.deferred)).collect();
        level.next_shard.store(0, Ordering::Relaxed);
        together(workers, run, |worker, _| {
            worker.take_in(level, &deferred);
            None
        });
        for (worker, mut empty) in workers.iter_mut().zip(deferred) {
            empty.clear();
            worker.deferred = empty;
        }
        if stopped.is_some() || level.next.load(Ordering::Relaxed) >= level.batches.len() {
            return stopped;
        }
    }
}

/// Lets all workers do something at once. The first one, which is the caller, looks whether to stop.
fn together<'c>(
    workers: &mut [Worker<'c>],
    run: &mut Run,
    work: impl Fn(&mut Worker<'c>, Option<&mut Run>) -> Option<Why> + Sync,
) -> Option<Why> {
    let (first, others) = workers.split_first_mut().expect("there is a worker");
    let work = &work;
    std::thread::scope(|scope| {
        let start = |worker| {
            let work = move || work(worker, None);
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)
        };
        // Who cannot be started is not needed.
        let started: Vec<_> = others.iter_mut().map_while(|worker| start(worker).ok()).collect();
        let stopped = work(first, Some(run));
        for handle in started {
            if let Err(panic) = handle.join() {
                std::panic::resume_unwind(panic);
            }
        }
        stopped
    })
}

impl Worker<'_> {
    /// Expands batches as long as there are some. With a run, looks whether to stop, and tells the others.
    fn expand_batches(&mut self, level: &Level<'_>, mut run: Option<&mut Run>) -> Option<Why> {
        while self.deferred.n_bytes() < MANY_BYTES
            && let Some(batch) = level.batches.get(level.next.fetch_add(1, Ordering::Relaxed))
        {
            let new_before = self.n_found;
            let mut begin = 0;
            for (end, mover) in &batch.states {
                let state = &batch.bytes[begin..*end];
                begin = *end;
                if let Some(why) = run.as_mut().and_then(|run| run.stop()) {
                    level.is_over.store(true, Ordering::Relaxed);
                    return Some(why);
                }
                let place = Place { level, state, hash: hash(state) };
                let is_smaller = |known: &Violation| *state < *known.state;
                if let Some(violation) = self.expand(&place, *mover)
                    && self.violation.as_ref().is_none_or(is_smaller)
                {
                    self.violation = Some(violation);
                }
            }
            let found = self.n_found - new_before;
            let n_states = level.n_states.fetch_add(found, Ordering::Relaxed) + found;
            if let Some(run) = run.as_ref()
                && n_states >= self.n_told + TOLD_EVERY
            {
                self.n_told = n_states;
                run.reached.count("states", n_states as u64);
                run.reached.count("steps deep", level.number as u64);
            }
            if level.is_over.load(Ordering::Relaxed) {
                break;
            }
        }
        None
    }

    /// Looks up what all workers have written down, store by store as long as there are some.
    fn take_in(&mut self, level: &Level<'_>, deferred: &[Deferred]) {
        loop {
            let shard = level.next_shard.fetch_add(1, Ordering::Relaxed);
            if shard >= N_SHARDS {
                return;
            }
            let new_before = self.n_found;
            for from in deferred {
                level.shards.take_in(shard, level.number + 1, from, |waiting, seen| match seen {
                    Seen::New => {
                        self.n_found += 1;
                        keep(&mut self.found, waiting.state, waiting.mover);
                    }
                    Seen::InThisLevel | Seen::Before => self.counts.matched += 1,
                });
            }
            level.n_states.fetch_add(self.n_found - new_before, Ordering::Relaxed);
        }
    }

    /// Runs the threads of a state.
    fn expand(&mut self, place: &Place<'_>, mover: Option<u16>) -> Option<Violation> {
        let code = self.machine.code;
        let state = place.state;
        code.view(state, &mut self.view);
        let violation =
            |found, thread, edge, choices| Violation { state: state.to_vec(), found, thread, edge, choices };
        let here = |found| Some(violation(found, 0, 0, Choices::new()));
        if code.properties.has(Property::Race)
            && let Some(race) = race::adjacent(&mut self.machine, state, &self.view)
        {
            return here(Found::Race(race));
        }
        if code.has_owners
            && let Some(mover) = mover
            && waits::is_for_ever(&mut self.machine, state, &self.view, mover.into())
        {
            return here(Found::Deadlock);
        }
        let alive = alive(code, &self.view);
        let mut expansion = Expansion::default();
        let (chosen, is_held) = match self.view.holder {
            Some(holder) => (ThreadSet::of(holder), true),
            None => (self.selector.select(&mut self.machine, state, &self.view, &alive), false),
        };
        let left_out = alive.without(&chosen);
        // A reduced set asks at once whether a step leads ahead.
        let can_wait = place.level.defers && (is_held || left_out.is_empty());
        let mut wrong = self.run_threads(place, &chosen, &mut expansion, can_wait);
        if wrong.is_none() && !left_out.is_empty() {
            self.counts.reduced += u64::from(!is_held);
            let runs_all = if is_held {
                // The holder of the atomic section waits: the others may run.
                !expansion.has_moved && expansion.waits
            } else {
                expansion.has_end || !expansion.has_ahead
            };
            if runs_all {
                self.counts.expanded_again += u64::from(!is_held);
                wrong = self.run_threads(place, &left_out, &mut expansion, place.level.defers);
            }
        }
        if let Some((found, thread, edge, choices)) = wrong {
            return Some(violation(found, thread, edge, choices));
        }
        let is_deadlock = !expansion.has_moved && expansion.waits && !expansion.is_stopped;
        if is_deadlock && code.properties.has(Property::Deadlock) { here(Found::Deadlock) } else { None }
    }

    /// Runs some threads in all ways. Gives the first step that is wrong.
    fn run_threads(
        &mut self,
        place: &Place<'_>,
        threads: &ThreadSet,
        expansion: &mut Expansion,
        can_wait: bool,
    ) -> Option<(Found, usize, u32, Choices)> {
        for thread in threads.iter() {
            let (mut has_moved, mut waits) = (false, false);
            let (first, end) = self.machine.code.locs[self.view.pcs[thread] as usize].edges;
            for edge in first..end {
                let mut choices = Choices::new();
                loop {
                    match self.machine.run(place.state, &self.view, thread, edge as usize, &mut choices) {
                        StepResult::Next => {
                            has_moved = true;
                            expansion.has_ahead |= self.arrive(place, thread, can_wait);
                        }
                        StepResult::NotTaken => {}
                        StepResult::Waits(_) => waits = true,
                        StepResult::Violates(property, site) => {
                            return Some((Found::Step(property, site), thread, edge, choices));
                        }
                        StepResult::Ends => {
                            self.counts.transitions += 1;
                            (has_moved, expansion.has_end) = (true, true);
                        }
                        StepResult::Unknown(why) => {
                            (has_moved, expansion.has_end) = (true, true);
                            self.unknown.get_or_insert(why);
                        }
                    }
                    if !vary(&mut choices) {
                        break;
                    }
                }
            }
            expansion.has_moved |= has_moved;
            expansion.waits |= !has_moved && waits;
            expansion.is_stopped |= !has_moved && !waits;
        }
        None
    }

    /// Takes in the state that a thread's step has led to. Whether it is known to belong to the next level.
    fn arrive(&mut self, place: &Place<'_>, thread: usize, can_wait: bool) -> bool {
        self.counts.transitions += 1;
        let code = self.machine.code;
        let exchanged = self.symmetry.as_mut().and_then(|symmetry| symmetry.sort(code, self.machine.next_mut()));
        self.counts.exchanged += u64::from(exchanged.is_some());
        let next = self.machine.next();
        if next.len() >= MAX_STATE {
            self.unknown.get_or_insert_with(too_large);
            return false;
        }
        let mover = u16::try_from(place_after(exchanged.as_ref(), thread)).ok();
        if can_wait {
            let hash = hash(next);
            let waiting = Waiting { state: next, mover, hash, parent: place.hash };
            self.deferred.push(Shards::index_of(hash), &waiting);
            return false;
        }
        let seen = place.level.shards.insert(next, place.level.number + 1, place.hash);
        if seen != Seen::New {
            self.counts.matched += 1;
            return seen == Seen::InThisLevel;
        }
        self.n_found += 1;
        keep(&mut self.found, next, mover);
        true
    }

    /// A step that leads from one state to another: the thread, its edge and choices, and how threads were exchanged then.
    fn step_to(&mut self, from: &[u8], to: &[u8]) -> Option<(usize, u32, Choices, Option<Permutation>)> {
        let code = self.machine.code;
        code.view(from, &mut self.view);
        for thread in 0..self.view.pcs.len() {
            let (first, end) = code.locs[self.view.pcs[thread] as usize].edges;
            for edge in first..end {
                let mut choices = Choices::new();
                loop {
                    if self.machine.run(from, &self.view, thread, edge as usize, &mut choices) == StepResult::Next {
                        let next = self.machine.next_mut();
                        let exchanged = self.symmetry.as_mut().and_then(|symmetry| symmetry.sort(code, next));
                        if next == to {
                            return Some((thread, edge, choices, exchanged));
                        }
                    }
                    if !vary(&mut choices) {
                        break;
                    }
                }
            }
        }
        None
    }
}
