//! In which order are states visited, and when is everything visited?
//!
//! A state on the list of open ones is either being advanced (some threads run steps that nobody notices), or waits to be scheduled, or to run
//! one thread. Without a reduction every instruction is scheduled; with one, a scheduled step takes along all local steps behind it. Local
//! steps commute with everything, so this loses no behaviour. With `local` off they are scheduled like all others, and the reduction is all that
//! leaves orders out: as Algorithm 6 of \[Vrooman24] does, or for `simple` as its SR, where a step that accesses anything depends on all others.
//!
//! Depth: a path may be K long, where the local steps that a thread has run ahead are not counted before the thread is scheduled
//! again or somebody waits for it. So every execution of K steps has its representative within the bound, and a thread that would run
//! ahead further than K just stops there.
//!
//! States that were visited at no greater depth are not visited again; they are compared where somebody is scheduled and at the heads of
//! loops. If nothing was cut at the bound, the visit was complete.

pub(crate) mod coverage;
pub(crate) mod dependence;
pub(crate) mod trace;

use super::state::{Last, Origin, State, Thread, Val};
use super::step::{Stepper, new_frame, new_object};
use super::world::{Stop, World};
use crate::Run;
use crate::symbolic::state::matching::key;
use crate::symbolic::state::split::split;
use coverage::Coverage;
use dependence::{Dependence, may_run};
use ir::oox::{Trace, Violation, ViolationKind};
use ir::{Span, Why};
use logic::TermId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;
use trace::trace;

/// Which orders of steps are explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reduction {
    /// All.
    None,
    /// All orders of steps that somebody could notice.
    Simple,
    /// One of each set of equivalent ones.
    Monotonic,
}

/// Which open state is next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SearchOrder {
    /// The newest.
    Depth,
    /// Any.
    Random,
    /// The one nearest to code that nobody has run.
    Distance,
    /// Distance and chance in turn.
    Mixed,
}

/// How it is searched.
pub(super) struct Settings {
    pub(super) reduction: Reduction,
    pub(super) order: SearchOrder,
    /// Whether a scheduled step takes along the local steps behind it.
    pub(super) takes_local: bool,
    pub(super) depth: u32,
    pub(super) matches: bool,
    pub(super) seed: u64,
}

/// What happens next to an open state.
enum Todo {
    /// The entry method's requirement is assumed.
    Start,
    /// These threads run local steps.
    Advance(SmallVec<[u32; 4]>),
    /// Somebody runs.
    Schedule,
    /// This thread runs.
    Run(u32),
}

/// How a search ended.
pub(super) enum Found {
    /// Everything was visited, up to what the counts say was cut.
    Nothing,
    /// A violation.
    Violation(Box<Trace>),
    /// It was stopped.
    Stopped(Why),
}

/// What was counted.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) complete: u64,
    pub(super) cut: u64,
    pub(super) pruned: u64,
    pub(super) matched: u64,
    pub(super) infeasible: u64,
    /// Branches that did not split a state.
    pub(super) joined: u64,
    pub(super) states: u64,
    pub(super) steps: u64,
    /// Whether something was not followed because of the depth; a path may end before it is counted as cut.
    pub(super) is_cut: bool,
    /// Where an integer left the 64 bits.
    pub(super) out_of_range: Option<Span>,
}

/// A search under way.
pub(super) struct Search<'p> {
    pub(super) world: World<'p>,
    settings: Settings,
    open: Vec<(State, Todo)>,
    visited: FxHashMap<Box<[u64]>, SmallVec<[u32; 6]>>,
    pub(super) counts: Counts,
    pub(super) cover: Coverage,
    random: u64,
}

impl<'p> Search<'p> {
    pub(super) fn new(world: World<'p>, settings: Settings) -> Search<'p> {
        let cover = Coverage::new(world.program);
        let random = settings.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Search {
            world,
            settings,
            open: Vec::new(),
            visited: FxHashMap::default(),
            counts: Counts::default(),
            cover,
            random,
        }
    }

    /// Visits everything.
    pub(super) fn run(&mut self, run: &mut Run) -> Found {
        let state = self.initial();
        self.open.push((state, Todo::Start));
        let mut n_rounds = 0u64;
        while let Some((state, todo)) = self.next() {
            n_rounds += 1;
            if let Some(why) = if n_rounds.is_multiple_of(256) { run.stop_now() } else { run.stop() } {
                return Found::Stopped(why);
            }
            let found = match todo {
                Todo::Start => self.start(state),
                Todo::Advance(threads) => self.advance(state, threads, run),
                Todo::Schedule => self.schedule(state),
                Todo::Run(thread) => self.run_thread(&state, thread),
            };
            match found {
                Ok(()) => {}
                Err(found) => return found,
            }
        }
        Found::Nothing
    }

    /// The next open state.
    fn next(&mut self) -> Option<(State, Todo)> {
        let n = self.open.len();
        let at = match self.settings.order {
            _ if n <= 1 => n.checked_sub(1)?,
            SearchOrder::Depth => n - 1,
            SearchOrder::Random => self.pick(n),
            SearchOrder::Mixed if self.counts.states.is_multiple_of(2) => self.pick(n),
            SearchOrder::Distance | SearchOrder::Mixed => {
                let Search { open, cover, world, .. } = self;
                cover.refresh(world.program);
                let distance = |(state, _): &(State, Todo)| {
                    let near = |thread: &Rc<Thread>| thread.frames.last().map(|frame| cover.distance(frame));
                    state.threads.iter().filter_map(near).min().unwrap_or(u32::MAX)
                };
                let best = (0..n).rev().min_by_key(|at| distance(&open[*at]));
                best.expect("there is one")
            }
        };
        Some(self.open.swap_remove(at))
    }

    /// A number below `n` (xorshift).
    fn pick(&mut self, n: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % n as u64) as usize
    }

    fn initial(&mut self) -> State {
        let program = self.world.program;
        let entry = program.method(program.entry);
        let mut state = State {
            heap: Vec::new(),
            threads: Vec::new(),
            assumed: Rc::default(),
            // Nothing is assumed, so zeros will do.
            witness: Some(Rc::default()),
            args: Rc::default(),
            resolved: Rc::default(),
            depth: 0,
            ran: None,
        };
        let mut args = Vec::new();
        for param in 0..entry.n_params {
            let is_this = param == 0 && !entry.is_static;
            args.push(if is_this && entry.is_constructor {
                let object = new_object(&self.world, entry.class, 0);
                Val::Ref(state.allocate(object))
            } else {
                self.world.input(Origin::Param(param), entry.locals[usize::from(param)].ty, is_this)
            });
        }
        state.args = Rc::new(args.clone());
        let frame = new_frame(&self.world, program.entry.0, args);
        state.threads.push(Rc::new(Thread {
            name: 0,
            frames: vec![Rc::new(frame)],
            n_children: 0,
            last: None,
            has_run: false,
            is_cut: false,
            diverges: false,
            done: 0,
            paid: 0,
            parent: None,
        }));
        state
    }

    /// Assumes what the entry method requires, `this` being there.
    fn start(&mut self, mut state: State) -> Result<(), Found> {
        let program = self.world.program;
        let entry = program.method(program.entry);
        if let Some(Val::Lazy(lazy)) = state.args.first().copied()
            && !entry.is_static
        {
            self.split(&state, Stop::Resolve(lazy), || Todo::Start);
            return Ok(());
        }
        if let Some(Val::Ref(this)) = state.args.first().copied()
            && !entry.is_static
            && !entry.is_constructor
        {
            // Only objects that run this very method for its signature.
            self.narrow_this(&mut state, this);
        }
        if let Some(clause) = &entry.requires {
            match Stepper::new(&mut self.world, true).assume_clause(&mut state, clause) {
                Ok(()) => {}
                Err(Stop::Assumed) => {
                    self.counts.infeasible += 1;
                    return Ok(());
                }
                Err(stop) => return self.stopped(&state, 0, stop, || Todo::Start),
            }
        }
        let threads = SmallVec::from_slice(&[0]);
        self.open.push((state, Todo::Advance(threads)));
        Ok(())
    }

    fn narrow_this(&self, state: &mut State, this: u32) {
        use super::state::Shape;
        let program = self.world.program;
        let Shape::Instance(classes) = &state.object(this).shape else { return };
        let runs_entry = |class: &ir::oox::ClassId| {
            *class == program.method(program.entry).class
                || program.class(*class).dispatch.values().any(|method| *method == program.entry)
        };
        let fitting: Rc<[ir::oox::ClassId]> = classes.iter().copied().filter(runs_entry).collect();
        if !fitting.is_empty() {
            state.object_mut(this).shape = Shape::Instance(fitting);
        }
    }

    /// Puts the parts of a state on the list.
    fn split(&mut self, state: &State, stop: Stop, todo: impl Fn() -> Todo) {
        let parts = split(&mut self.world, state, stop);
        self.counts.infeasible += u64::from(parts.is_empty());
        self.open.extend(parts.into_iter().rev().map(|part| (part, todo())));
    }

    /// What a stop means for a state in which a thread was about to step.
    fn stopped(&mut self, state: &State, thread: u32, stop: Stop, todo: impl Fn() -> Todo) -> Result<(), Found> {
        match stop {
            Stop::Resolve(_) | Stop::Narrow(..) | Stop::Dispatch(..) | Stop::Decide(_) => self.split(state, stop, todo),
            Stop::Violation(kind, span, cond) => return self.violation(state, kind, span, cond, Some(thread)),
            Stop::Assumed => self.counts.infeasible += 1,
            Stop::Crashed => self.counts.complete += 1,
            Stop::OutOfRange => {
                let at = state.thread_at(thread);
                self.counts.out_of_range = state
                    .top(at)
                    .map(|frame| self.world.program.methods[frame.method as usize].code[frame.pc as usize].span);
            }
            Stop::Raise | Stop::Visible => unreachable!("the stepper handles these"),
        }
        Ok(())
    }

    fn violation(
        &mut self,
        state: &State,
        kind: ViolationKind,
        span: Span,
        cond: Option<TermId>,
        thread: Option<u32>,
    ) -> Result<(), Found> {
        match trace(&mut self.world, state, cond, Violation { kind, span }, thread) {
            Some(trace) => Err(Found::Violation(Box::new(trace))),
            // The solver was not sure about the path, so nobody can be sure about the violation.
            None => {
                self.world.n_unsolved += 1;
                Ok(())
            }
        }
    }

    /// The cost of a thread's next instruction.
    fn cost(&self, state: &State, at: usize) -> u32 {
        let frame = state.top(at).expect("only running threads step");
        u32::from(self.world.program.methods[frame.method as usize].code[frame.pc as usize].cost)
    }

    /// Runs local steps of threads until each would do something that others notice.
    fn advance(&mut self, mut state: State, mut threads: SmallVec<[u32; 4]>, run: &mut Run) -> Result<(), Found> {
        while let Some(name) = threads.last().copied() {
            let at = state.thread_at(name);
            let takes_none = self.settings.reduction == Reduction::None || !self.settings.takes_local;
            if takes_none || state.threads[at].frames.is_empty() {
                threads.pop();
                continue;
            }
            if let Some(why) = run.stop() {
                return Err(Found::Stopped(why));
            }
            let cost = self.cost(&state, at);
            if state.depth + owed(&state, at) + cost > self.settings.depth {
                state.thread_mut(at).is_cut = true;
                self.counts.is_cut = true;
                threads.pop();
                continue;
            }
            let before = position(&state, at);
            self.cover.visit(state.top(at).expect("it has a frame"));
            let mut stepper = Stepper::new(&mut self.world, true);
            stepper.joins = self.settings.matches;
            let result = stepper.step(&mut state, at);
            let (started, joined) = (std::mem::take(&mut stepper.started), stepper.joined.take());
            match result {
                Ok(()) => {
                    self.counts.steps += 1;
                    // Starting a thread may have moved this one.
                    let at = state.thread_at(name);
                    state.thread_mut(at).done += cost + joined.map_or(0, |joined| joined.cost);
                    state.note_run(name);
                    if let Some(joined) = joined {
                        self.counts.joined += 1;
                        state.note_joined(name, joined);
                    }
                    threads.extend(started);
                    // Loops may come back to a known state.
                    let (frames, pc) = position(&state, at);
                    let is_back = frames == before.0 && pc < before.1;
                    if is_back && self.settings.matches && !self.is_new(&state, &threads) {
                        self.counts.matched += 1;
                        let is_alone = |other: &Rc<Thread>| other.name == name || other.frames.is_empty();
                        if state.threads.iter().all(is_alone) {
                            return Ok(());
                        }
                        // The others go on beside it; that it leaves the loop has been looked at where the state was met first.
                        state.thread_mut(at).diverges = true;
                        threads.retain(|other| *other != name);
                    }
                }
                Err(Stop::Visible) => drop(threads.pop()),
                Err(stop) => return self.stopped(&state, name, stop, || Todo::Advance(threads.clone())),
            }
        }
        self.open.push((state, Todo::Schedule));
        Ok(())
    }

    /// Lets every thread that can run go first, as far as the reduction wants it.
    fn schedule(&mut self, state: State) -> Result<(), Found> {
        let mut can_run: SmallVec<[u32; 8]> = SmallVec::new();
        let (mut is_cut, mut is_over) = (false, true);
        for at in 0..state.threads.len() {
            if state.threads[at].frames.is_empty() {
                continue;
            }
            if state.threads[at].diverges {
                is_over = false;
                continue;
            }
            if state.threads[at].is_cut {
                is_cut = true;
                continue;
            }
            match self.is_enabled(&state, at) {
                Ok(true) => can_run.push(state.threads[at].name),
                Ok(false) => {}
                Err(stop) => return self.stopped(&state, state.threads[at].name, stop, || Todo::Schedule),
            }
        }
        if can_run.is_empty() {
            if is_cut {
                self.counts.cut += 1;
            } else if !is_over || state.threads[0].frames.is_empty() {
                self.counts.complete += 1;
            } else {
                return self.violation(&state, ViolationKind::Deadlock, Span::NOWHERE, None, None);
            }
            return Ok(());
        }
        if self.settings.matches && !self.is_new(&state, &[]) {
            self.counts.matched += 1;
            return Ok(());
        }
        self.counts.states += 1;
        // The first thread is looked at first: what is pushed last.
        for name in can_run.into_iter().rev() {
            self.run_thread(&state, name)?;
        }
        Ok(())
    }

    /// Whether a thread could take its next step now.
    fn is_enabled(&mut self, state: &State, at: usize) -> Result<bool, Stop> {
        use ir::oox::Op;
        let program = self.world.program;
        let frame = state.top(at).expect("it has not ended");
        match &program.methods[frame.method as usize].code[frame.pc as usize].op {
            Op::Lock(object) => {
                match crate::symbolic::step::eval::Eval::new(&mut self.world, state, &frame.locals).value(object) {
                    Ok(Val::Lazy(lazy)) => Err(Stop::Resolve(lazy)),
                    Ok(Val::Ref(0)) | Err(Stop::Raise) => Ok(true),
                    Ok(Val::Ref(reference)) => Ok(state.object(reference).holder.is_none()),
                    Ok(_) => Ok(true),
                    Err(stop) => Err(stop),
                }
            }
            Op::Join => {
                let name = state.threads[at].name;
                let is_waited = |other: &Rc<Thread>| !other.frames.is_empty() && self.world.is_below(other.name, name);
                Ok(!state.threads.iter().any(is_waited))
            }
            _ => Ok(true),
        }
    }

    /// Runs one thread's next step, if the reduction wants it now.
    fn run_thread(&mut self, state: &State, name: u32) -> Result<(), Found> {
        let at = state.thread_at(name);
        let mut next = state.clone();
        let cost = self.cost(&next, at);
        next.thread_mut(at).done += cost;
        pay(&mut next, at);
        if self.waits(&next, at) {
            for other in 0..next.threads.len() {
                if self.world.is_below(next.threads[other].name, name) {
                    pay(&mut next, other);
                }
            }
        }
        if next.depth > self.settings.depth {
            self.counts.cut += 1;
            self.counts.is_cut = true;
            return Ok(());
        }
        self.cover.visit(state.top(at).expect("only running threads run"));
        let mut stepper = Stepper::new(&mut self.world, false);
        let result = stepper.step(&mut next, at);
        let (accesses, started) = (std::mem::take(&mut stepper.accesses), std::mem::take(&mut stepper.started));
        if let Err(stop) = result {
            return self.stopped(state, name, stop, || Todo::Run(name));
        }
        self.counts.steps += 1;
        let mut wiped = SmallVec::new();
        let dependence = match self.settings.reduction {
            Reduction::Monotonic => Some(Dependence::Exact),
            Reduction::Simple if !self.settings.takes_local => Some(Dependence::Simple),
            Reduction::Simple | Reduction::None => None,
        };
        if let Some(dependence) = dependence {
            match may_run(&mut self.world, state, at, &accesses, dependence) {
                Some(found) => wiped = found,
                None => {
                    self.counts.pruned += 1;
                    return Ok(());
                }
            }
        }
        let wiped: SmallVec<[u32; 4]> = wiped.into_iter().map(|other: usize| state.threads[other].name).collect();
        for other in wiped {
            let other = next.thread_at(other);
            next.thread_mut(other).last = None;
        }
        let at = next.thread_at(name);
        let thread = next.thread_mut(at);
        thread.has_run = true;
        if dependence.is_some() {
            let has_ended = thread.frames.is_empty();
            let children = started.iter().copied().collect();
            thread.last = Some(Rc::new(Last { accesses, children, has_ended }));
        }
        next.note_run(name);
        let mut threads: SmallVec<[u32; 4]> = SmallVec::from_slice(&[name]);
        threads.extend(started);
        self.open.push((next, Todo::Advance(threads)));
        Ok(())
    }

    fn waits(&self, state: &State, at: usize) -> bool {
        let frame = state.top(at).expect("only running threads step");
        let op = &self.world.program.methods[frame.method as usize].code[frame.pc as usize].op;
        matches!(op, ir::oox::Op::Join)
    }

    /// Whether a state has not been visited at this depth or a smaller one.
    fn is_new(&mut self, state: &State, running: &[u32]) -> bool {
        let depths: SmallVec<[u32; 6]> =
            std::iter::once(state.depth).chain((0..state.threads.len()).map(|at| owed(state, at))).collect();
        match self.visited.entry(key(state, running)) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(depths);
                true
            }
            std::collections::hash_map::Entry::Occupied(mut entry) => {
                let is_within = |a: &[u32], b: &[u32]| a.iter().zip(b).all(|(a, b)| a <= b);
                if is_within(entry.get(), &depths) {
                    return false;
                }
                if is_within(&depths, entry.get()) {
                    entry.insert(depths);
                }
                true
            }
        }
    }
}

/// How many frames a thread has, and where the innermost stands.
fn position(state: &State, at: usize) -> (usize, u32) {
    (state.threads[at].frames.len(), state.top(at).map_or(0, |frame| frame.pc))
}

/// What a thread has run ahead of what the path has paid, its starting included.
fn owed(state: &State, at: usize) -> u32 {
    let thread = &state.threads[at];
    let before = match thread.parent {
        Some((parent, when)) if !thread.has_run => {
            let parent = &state.threads[state.thread_at(parent)];
            when.saturating_sub(parent.paid)
        }
        _ => 0,
    };
    thread.done - thread.paid + before
}

/// Lets the path pay what a thread has run ahead.
fn pay(state: &mut State, at: usize) {
    let mut open = vec![(at, state.threads[at].done)];
    while let Some((at, until)) = open.pop() {
        let thread = &state.threads[at];
        if thread.paid >= until {
            continue;
        }
        let (amount, parent) = (until - thread.paid, thread.parent);
        state.depth += amount;
        state.thread_mut(at).paid = until;
        if let Some((parent, when)) = parent {
            open.push((state.thread_at(parent), when));
        }
    }
}
