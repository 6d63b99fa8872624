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
use crate::explicit::state::deferred::{Deferred, Waiting, parent_of};
use crate::explicit::state::packed::Packer;
use crate::explicit::state::records::Records;
use crate::explicit::state::shards::{Batch, N_SHARDS, Seen, Shards};
use crate::explicit::state::visited::MAX_STATE;
use crate::explicit::step::runner::Runner;
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
const MANY_BYTES: usize = if cfg!(test) { 1 << 8 } else { 1 << 22 };

/// In place of a thread, where none has moved.
const NOBODY: u16 = u16::MAX;

/// Bytes of the stack of a worker.
const STACK: usize = 16 << 20;

/// A level that is being expanded.
struct Level<'l> {
    number: usize,
    /// The stores that have states of it, and the next of them to expand from.
    filled: Vec<usize>,
    next_filled: AtomicUsize,
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

impl Level<'_> {
    /// Takes some states of it; false if there are none left.
    fn take(&self, batch: &mut Batch) -> bool {
        loop {
            let index = self.next_filled.load(Ordering::Relaxed);
            let Some(shard) = self.filled.get(index) else { return false };
            if self.shards.take(*shard, BATCH, batch) {
                return true;
            }
            // Whoever finds a store empty first goes on to the next one, for all.
            let _ = self.next_filled.compare_exchange(index, index + 1, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
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
    runner: Runner<'c>,
    selector: Selector<'c>,
    symmetry: Option<Symmetry>,
    /// The states that it expands.
    batch: Batch,
    /// How many states it has found in all.
    n_found: usize,
    /// How many states all had when it last told.
    n_told: usize,
    /// What it has reached and not looked up.
    deferred: Deferred,
    counts: Counts,
    unknown: Option<Why>,
    violation: Option<Violation>,
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
        let packer = Packer::new(code);
        let runner = || {
            let mut machine = Machine::new(code, enumerate, bounds.threads);
            if !samples {
                machine.stop_sampling();
            }
            Runner::new(machine, packer.clone())
        };
        let worker = |_| Worker {
            runner: runner(),
            selector: selector.clone(),
            symmetry: symmetry.cloned(),
            batch: Batch::default(),
            n_found: 0,
            n_told: 0,
            deferred: Deferred::default(),
            counts: Counts::default(),
            unknown: None,
            violation: None,
        };
        let workers = (0..n_workers.max(1)).map(worker).collect();
        let (counts, unknown) = (Counts::default(), None);
        let shards = Shards::new(code.has_owners);
        Parallel { code, shards, workers, bounds, enumerate, violation: None, counts, unknown }
    }

    /// Why not all values of some input were tried, if so.
    pub(crate) fn sampled(&self) -> Option<&Why> {
        self.workers.iter().find_map(|worker| worker.runner.machine.sampled())
    }

    /// All states that were seen.
    pub(crate) fn shards(&self) -> &Shards {
        &self.shards
    }

    /// The records of all states.
    pub(crate) fn records(&self) -> &Records {
        self.workers[0].runner.packer.records()
    }

    /// Explores until something goes wrong (`found`), everything is explored, or the run must stop.
    pub(crate) fn explore(&mut self, run: &mut Run) -> Result<(), Halt> {
        let (initial, hash) = self.workers[0].runner.initial();
        self.shards.insert(&Waiting { state: &initial, mover: NOBODY, hash, parent: 0 });
        let (mut n_before, mut n_states) = (0, 1);
        for number in 0.. {
            let filled = self.shards.advance();
            if filled.is_empty() {
                break;
            }
            let n_in_level = n_states - n_before;
            n_before = n_states;
            if number >= self.bounds.depth {
                let why = Why::Bound(format!("paths are longer than {} steps", self.bounds.depth));
                self.unknown.get_or_insert(why);
                break;
            }
            let level = Level {
                number,
                filled,
                next_filled: AtomicUsize::new(0),
                next_shard: AtomicUsize::new(0),
                defers: self.workers.len() > 1 && n_in_level >= MANY,
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
        let initial = self.workers[0].runner.machine.initial();
        while let Some((state, ..)) = way.last()
            && *state != initial
        {
            let worker = &mut self.workers[0];
            let (packed, hash) = worker.runner.packer.packed(state);
            let wanted = self.shards.parent(&packed, hash);
            let parents = self.shards.perhaps(wanted).into_iter().map(|packed| worker.runner.packer.flat(&packed));
            let mut parents: Vec<_> = parents.filter(|(_, hash)| parent_of(*hash) == wanted).collect();
            parents.sort();
            let step = |(parent, _): (Vec<u8>, u64)| worker.step_to(&parent, state).map(|step| (parent, step));
            let (parent, step) = parents.into_iter().find_map(step).expect("a state was reached from its parent");
            exchanges.push(step.3);
            way.push((parent, step.0, step.1, step.2));
        }
        exchanges.push(None);
        let Worker { selector, symmetry, .. } = self.workers.swap_remove(0);
        let mut search = Search::new(self.code, selector, symmetry, self.enumerate, self.bounds, Pick::Oldest);
        for ((state, thread, edge, choices), exchanged) in way.into_iter().rev().zip(exchanges.into_iter().rev()) {
            let (packed, hash) = search.runner.packer.packed(&state);
            let (state, _) = search.visited.insert(&packed, hash);
            search.push(state, ThreadSet::default(), ThreadSet::default(), false);
            let frame = search.stack.last_mut().expect("it was just pushed");
            (frame.thread, frame.edge, frame.choices) = (thread, edge, choices);
            frame.exchanged = exchanged.map(Box::new);
        }
        Some((search, violation.found))
    }
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
        if stopped.is_some() || level.next_filled.load(Ordering::Relaxed) >= level.filled.len() {
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
    /// Expands states as long as there are some. With a run, looks whether to stop, and tells the others.
    fn expand_batches(&mut self, level: &Level<'_>, mut run: Option<&mut Run>) -> Option<Why> {
        let mut batch = std::mem::take(&mut self.batch);
        let mut stopped = None;
        while stopped.is_none()
            && self.deferred.n_bytes() < MANY_BYTES
            && !level.is_over.load(Ordering::Relaxed)
            && level.take(&mut batch)
        {
            stopped = self.expand_batch(&batch, level, run.as_deref_mut());
        }
        self.batch = batch;
        stopped
    }

    fn expand_batch(&mut self, batch: &Batch, level: &Level<'_>, mut run: Option<&mut Run>) -> Option<Why> {
        let new_before = self.n_found;
        for (state, mover) in batch.states() {
            if let Some(why) = run.as_mut().and_then(|run| run.stop()) {
                level.is_over.store(true, Ordering::Relaxed);
                return Some(why);
            }
            self.runner.enter(state);
            if let Some(violation) = self.expand(level, mover)
                && self.violation.as_ref().is_none_or(|known| violation.state < known.state)
            {
                self.violation = Some(violation);
            }
        }
        let found = self.n_found - new_before;
        let n_states = level.n_states.fetch_add(found, Ordering::Relaxed) + found;
        if let Some(run) = run
            && n_states >= self.n_told + TOLD_EVERY
        {
            self.n_told = n_states;
            run.reached.count("states", n_states as u64);
            run.reached.count("steps deep", level.number as u64);
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
            for from in deferred {
                let (n_new, n_known) = level.shards.take_in(shard, from);
                self.n_found += n_new;
                self.counts.matched += n_known as u64;
                level.n_states.fetch_add(n_new, Ordering::Relaxed);
            }
        }
    }

    /// Runs the threads of the state that was entered.
    fn expand(&mut self, level: &Level<'_>, mover: Option<u16>) -> Option<Violation> {
        let code = self.runner.machine.code;
        let here = &self.runner.here().view;
        let (alive, holder) = (alive(code, here), here.holder);
        if let Some(found) = self.look(mover) {
            return Some(self.violation(found, 0, 0, Choices::new()));
        }
        let mut expansion = Expansion::default();
        let (chosen, is_held) = match holder {
            Some(holder) => (ThreadSet::of(holder), true),
            None => (self.selector.select_here(&mut self.runner, &alive), false),
        };
        let left_out = alive.without(&chosen);
        // A reduced set asks at once whether a step leads ahead.
        let can_wait = level.defers && (is_held || left_out.is_empty());
        let mut wrong = self.run_threads(level, &chosen, &mut expansion, can_wait);
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
                wrong = self.run_threads(level, &left_out, &mut expansion, level.defers);
            }
        }
        if let Some((found, thread, edge, choices)) = wrong {
            return Some(self.violation(found, thread, edge, choices));
        }
        let is_deadlock = !expansion.has_moved && expansion.waits && !expansion.is_stopped;
        (is_deadlock && code.properties.has(Property::Deadlock))
            .then(|| self.violation(Found::Deadlock, 0, 0, Choices::new()))
    }

    fn violation(&mut self, found: Found, thread: usize, edge: u32, choices: Choices) -> Violation {
        let (_, state, _) = self.runner.flat();
        Violation { state: state.to_vec(), found, thread, edge, choices }
    }

    /// What is wrong in the state that was entered, before any step from it.
    fn look(&mut self, mover: Option<u16>) -> Option<Found> {
        let code = self.runner.machine.code;
        if code.properties.has(Property::Race) {
            let (machine, state, view) = self.runner.flat();
            if let Some(race) = race::adjacent(machine, state, view) {
                return Some(Found::Race(race));
            }
        }
        let mover = mover.filter(|mover| code.has_owners && *mover != NOBODY)?;
        let (machine, state, view) = self.runner.flat();
        waits::is_for_ever(machine, state, view, mover.into()).then_some(Found::Deadlock)
    }

    /// Runs some threads in all ways. Gives the first step that is wrong.
    fn run_threads(
        &mut self,
        level: &Level<'_>,
        threads: &ThreadSet,
        expansion: &mut Expansion,
        can_wait: bool,
    ) -> Option<(Found, usize, u32, Choices)> {
        let mut rest = threads.clone();
        while let Some(thread) = rest.first() {
            rest.remove(thread);
            let (mut has_moved, mut waits) = (false, false);
            let pc = self.runner.here().view.pcs[thread];
            let (first, end) = self.runner.machine.code.locs[pc as usize].edges;
            for edge in first..end {
                let mut choices = Choices::new();
                loop {
                    match self.runner.step(thread, edge as usize, &mut choices) {
                        StepResult::Next => {
                            has_moved = true;
                            expansion.has_ahead |= self.arrive(level, thread, can_wait);
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
    fn arrive(&mut self, level: &Level<'_>, thread: usize, can_wait: bool) -> bool {
        self.counts.transitions += 1;
        let exchanged = self.symmetry.as_mut().and_then(|symmetry| self.runner.sort(symmetry));
        self.counts.exchanged += u64::from(exchanged.is_some());
        let (state, hash) = self.runner.next();
        if state.len() >= MAX_STATE {
            self.unknown.get_or_insert_with(too_large);
            return false;
        }
        let mover = u16::try_from(place_after(exchanged.as_ref(), thread)).unwrap_or(NOBODY);
        let reached = Waiting { state, mover, hash, parent: parent_of(self.runner.here().hash) };
        if can_wait {
            self.deferred.push(Shards::index_of(hash), &reached);
            return false;
        }
        let seen = level.shards.insert(&reached);
        if seen == Seen::New {
            self.n_found += 1;
        } else {
            self.counts.matched += 1;
        }
        seen != Seen::Before
    }

    /// A step that leads from one state to another: the thread, its edge and choices, and how threads were exchanged then.
    fn step_to(&mut self, from: &[u8], to: &[u8]) -> Option<(usize, u32, Choices, Option<Permutation>)> {
        let machine = &mut self.runner.machine;
        let code = machine.code;
        let mut view = View::default();
        code.view(from, &mut view);
        for thread in 0..view.pcs.len() {
            let (first, end) = code.locs[view.pcs[thread] as usize].edges;
            for edge in first..end {
                let mut choices = Choices::new();
                loop {
                    if machine.run(from, &view, thread, edge as usize, &mut choices) == StepResult::Next {
                        let next = machine.next_mut();
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
