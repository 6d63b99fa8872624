//! Do two accesses race? They conflict, are not both atomic, and happens-before orders neither before the other.
//!
//! Happens-before is kept as vector clocks: program order, start and join, and C11's synchronisation. Each place remembers the
//! releases that a read of its present value synchronises with: those of the last store if it released, those before
//! it by the same thread, and those of all updates since. An acquiring read joins them; a relaxed read keeps them for
//! the next acquire fence, and a relaxed write passes on the thread's last release fence. A plain write forgets them.
//! Accesses in atomic sections count as sequentially consistent atomic ones, and a thread that is started in one begins after it. `free` counts as a write of all bytes; the
//! end of a local variable's scope is no access. Memory is looked at byte by byte.
//!
//! Invariant: each thread's last access of each class (read or write, atomic or not) is kept for each place. Earlier ones of
//! the same class and thread are ordered before whatever the last one is, so nothing is missed.

use super::event::{Cell, Event, RaceAccess, StepResult, What};
use super::exec::Exec;
use super::locks::Locks;
use super::naive::{Domain, for_all_inputs};
use super::names::Namer;
use super::{Machine, State, Status};
use crate::program::EdgeRef;
use crate::property::Properties;
use crate::source::Span;
use crate::stmt::{AllocKind, Order};
use logic::VarId;
use std::collections::BTreeMap;

/// Times of all threads; those not there are 0.
type Clock = Vec<u64>;

fn join(clock: &mut Clock, other: &Clock) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

/// A variable or a byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Unit {
    Var(VarId),
    Byte(u64),
}

fn units(cell: Cell) -> Vec<Unit> {
    match cell {
        Cell::Var(var) => vec![Unit::Var(var)],
        Cell::Bytes { addr, len } => (addr..addr + len).map(Unit::Byte).collect(),
    }
}

#[derive(Clone, Debug, Default)]
struct ThreadClocks {
    clock: Clock,
    /// What relaxed reads have seen released since.
    pending: Clock,
    /// The time of the last release fence.
    fence: Option<Clock>,
    depth: u32,
    /// Threads that it has started in the section that it is in.
    started: Vec<u32>,
}

/// An access that happened.
#[derive(Clone, Debug)]
struct Past {
    thread: u32,
    time: u64,
    step: usize,
    cell: Cell,
    is_write: bool,
    is_free: bool,
    order: Order,
    span: Span,
    calls: Vec<Span>,
    locks: Vec<u64>,
}

#[derive(Clone, Debug, Default)]
struct History {
    /// The last one of each thread and class, as indices into `Races::past`.
    accesses: Vec<usize>,
    /// What a read of the present value synchronises with, by the thread that released it.
    releases: Vec<(u32, Clock)>,
}

/// The detector: told everything that happens, it finds the first race.
#[derive(Clone, Debug, Default)]
pub struct Races {
    threads: Vec<ThreadClocks>,
    history: BTreeMap<Unit, History>,
    past: Vec<Past>,
}

impl Races {
    /// A thread took a step with these events; gives the first race.
    pub fn observe(
        &mut self,
        namer: &Namer<'_, '_>,
        locks: &Locks,
        (step, thread): (usize, u32),
        calls: &[Span],
        events: &[Event],
    ) -> Option<[RaceAccess; 2]> {
        let index = thread as usize;
        if self.threads.len() <= index {
            self.threads.resize(index + 1, ThreadClocks::default());
        }
        for event in events {
            let in_section = self.threads[index].depth > 0;
            let effective = |order: Order| if in_section { Order::SeqCst } else { order };
            let access = |cell, is_write, is_free, order| Past {
                thread,
                time: 0,
                step,
                cell,
                is_write,
                is_free,
                order: effective(order),
                span: event.span,
                calls: calls.to_vec(),
                locks: locks.held_by(thread).map(|(lock, _)| lock).collect(),
            };
            let found = match &event.what {
                What::Read { cell, order, .. } => self.access(access(*cell, false, false, *order), true),
                What::Write { cell, order, .. } | What::Buffered { cell, order, .. } => {
                    self.access(access(*cell, true, false, *order), false)
                }
                What::Update { cell, order, .. } => self.access(access(*cell, true, false, *order), true),
                What::Ended { base, size, kind: AllocKind::Heap } => {
                    self.access(access(Cell::Bytes { addr: *base, len: *size }, true, true, Order::Plain), false)
                }
                other => {
                    self.synchronise(index, other);
                    None
                }
            };
            if let Some((earlier, later)) = found {
                return Some([self.report(namer, earlier), self.report(namer, later)]);
            }
        }
        None
    }

    fn synchronise(&mut self, index: usize, what: &What) {
        match what {
            What::Made { base, size, .. } => {
                // The addresses may have been another object's.
                let bytes = Unit::Byte(*base)..Unit::Byte(base.saturating_add(*size));
                let old: Vec<Unit> = self.history.range(bytes).map(|(unit, _)| *unit).collect();
                for unit in old {
                    self.history.remove(&unit);
                }
            }
            What::AtomicBegin => self.threads[index].depth += 1,
            What::AtomicEnd => {
                self.threads[index].depth = self.threads[index].depth.saturating_sub(1);
                if self.threads[index].depth == 0 {
                    let started = std::mem::take(&mut self.threads[index].started);
                    let clock = self.tick(index);
                    for child in started {
                        let child = child as usize;
                        // One that has run already did so while the section was open.
                        if self.threads[child].clock.get(child).is_none_or(|time| *time == 0) {
                            join(&mut self.threads[child].clock, &clock);
                        }
                    }
                }
            }
            What::Started { child, .. } => {
                let clock = self.tick(index);
                self.threads.resize((*child as usize + 1).max(self.threads.len()), ThreadClocks::default());
                self.threads[*child as usize].clock = clock;
                if self.threads[index].depth > 0 {
                    self.threads[index].started.push(*child);
                }
            }
            What::Joined { child } => {
                let ended = self.threads.get(*child as usize).map(|thread| thread.clock.clone()).unwrap_or_default();
                join(&mut self.threads[index].clock, &ended);
            }
            What::Fence(order) => {
                self.tick(index);
                let thread = &mut self.threads[index];
                if order.acquires() {
                    let pending = std::mem::take(&mut thread.pending);
                    join(&mut thread.clock, &pending);
                }
                if order.releases() {
                    thread.fence = Some(thread.clock.clone());
                }
            }
            _ => {}
        }
    }

    /// The thread's clock at a new time.
    fn tick(&mut self, index: usize) -> Clock {
        let clock = &mut self.threads[index].clock;
        if clock.len() <= index {
            clock.resize(index + 1, 0);
        }
        clock[index] += 1;
        clock.clone()
    }

    /// Notes an access; gives an earlier one that it races with, and itself.
    fn access(&mut self, mut this: Past, reads: bool) -> Option<(usize, usize)> {
        let index = this.thread as usize;
        self.tick(index);
        this.time = self.threads[index].clock[index];
        if reads && this.order.is_atomic() {
            self.acquire(index, &this);
        }
        let clock = self.threads[index].clock.clone();
        let mut found: Option<(usize, usize)> = None;
        let id = self.past.len();
        let touched: Vec<Unit> = match this.cell {
            // Only bytes that somebody has touched matter, and nobody may touch them afterwards.
            Cell::Bytes { addr, len } if this.is_free => {
                let bytes = Unit::Byte(addr)..Unit::Byte(addr.saturating_add(len));
                self.history.range(bytes).map(|(unit, _)| *unit).collect()
            }
            cell => units(cell),
        };
        for unit in touched {
            let history = self.history.entry(unit).or_default();
            for earlier in &history.accesses {
                let past = &self.past[*earlier];
                let conflict = (past.is_write || this.is_write) && !(past.order.is_atomic() && this.order.is_atomic());
                let ordered = past.thread == this.thread
                    || clock.get(past.thread as usize).is_some_and(|seen| *seen >= past.time);
                if conflict && !ordered && found.is_none_or(|(best, _)| self.past[best].step > past.step) {
                    found = Some((*earlier, id));
                }
            }
            let same_class = |past: &Past| {
                past.thread == this.thread
                    && past.is_write == this.is_write
                    && past.order.is_atomic() == this.order.is_atomic()
            };
            history.accesses.retain(|earlier| !same_class(&self.past[*earlier]));
            history.accesses.push(id);
        }
        if this.is_write && !this.is_free {
            self.release(index, &this, reads);
        }
        self.past.push(this);
        found
    }

    fn acquire(&mut self, index: usize, this: &Past) {
        let thread = &mut self.threads[index];
        let target = if this.order.acquires() { &mut thread.clock } else { &mut thread.pending };
        for unit in units(this.cell) {
            if let Some(history) = self.history.get(&unit) {
                for (_, released) in &history.releases {
                    join(target, released);
                }
            }
        }
    }

    fn release(&mut self, index: usize, this: &Past, is_update: bool) {
        let thread = &self.threads[index];
        let released = match this.order {
            order if order.releases() => Some(thread.clock.clone()),
            Order::Plain => None,
            _ => thread.fence.clone(),
        };
        for unit in units(this.cell) {
            let releases = &mut self.history.entry(unit).or_default().releases;
            match (this.order, is_update) {
                (Order::Plain, _) => releases.clear(),
                (_, false) => releases.retain(|(by, _)| *by == this.thread),
                (_, true) => {}
            }
            if let Some(released) = &released {
                match releases.iter_mut().find(|(by, _)| *by == this.thread) {
                    Some((_, own)) => join(own, released),
                    None => releases.push((this.thread, released.clone())),
                }
            }
        }
    }

    fn report(&self, namer: &Namer<'_, '_>, access: usize) -> RaceAccess {
        let past = &self.past[access];
        RaceAccess {
            thread: past.thread,
            step: past.step,
            place: namer.cell(past.cell).0,
            is_write: past.is_write,
            is_free: past.is_free,
            order: past.order,
            span: past.span,
            calls: past.calls.clone(),
            locks: past.locks.iter().map(|lock| namer.lock(*lock)).collect(),
        }
    }
}

/// Two next accesses of different threads that conflict, not both atomic. They race: neither thread can have seen
/// anything of the other's access. Inputs before an access range over the domain. Atomic sections do not hide this, since the other thread could have been first.
pub fn adjacent_race(
    machine: &Machine<'_>,
    state: &State,
    locks: &Locks,
    step: usize,
    domain: &Domain,
) -> Option<[RaceAccess; 2]> {
    if state.end.is_some() {
        return None;
    }
    let namer = Namer::new(machine, state);
    let next: Vec<Vec<NextStep>> =
        (0..state.threads.len() as u32).map(|thread| next_steps(machine, state, thread, domain)).collect();
    let report = |thread: usize, access: &NextAccess| RaceAccess {
        thread: thread as u32,
        step,
        place: namer.cell(access.cell).0,
        is_write: access.is_write,
        is_free: access.is_free,
        order: access.order,
        span: access.span,
        calls: namer.calls(thread),
        locks: locks.held_by(thread as u32).map(|(lock, _)| namer.lock(lock)).collect(),
    };
    for (first, steps) in next.iter().enumerate() {
        for (second, others) in next.iter().enumerate().skip(first + 1) {
            let pairs = steps.iter().flat_map(|a| others.iter().map(move |b| (a, b)));
            if let Some((a, b)) = pairs.into_iter().find_map(|(a, b)| racing(a, b)) {
                return Some([report(first, a), report(second, b)]);
            }
        }
    }
    None
}

struct NextAccess {
    cell: Cell,
    is_read: bool,
    is_write: bool,
    is_free: bool,
    order: Order,
    span: Span,
}

/// The accesses of one step, in order.
type NextStep = Vec<NextAccess>;

impl NextAccess {
    fn overlaps(&self, other: &NextAccess) -> bool {
        match (self.cell, other.cell) {
            (Cell::Var(a), Cell::Var(b)) => a == b,
            (Cell::Bytes { addr: a, len: m }, Cell::Bytes { addr: b, len: n }) => a < b + n && b < a + m,
            _ => false,
        }
    }

    fn conflicts_with(&self, other: &NextAccess) -> bool {
        let both_atomic = self.order.is_atomic() && other.order.is_atomic();
        self.overlaps(other) && (self.is_write || other.is_write) && !both_atomic
    }

    /// Whether it can synchronise with something that the other step releases.
    fn may_acquire_from(&self, other: &NextStep) -> bool {
        let may_read_from = |write: &NextAccess| write.is_write && write.order.is_atomic() && self.overlaps(write);
        self.is_read && self.order.acquires() && other.iter().any(may_read_from)
    }
}

/// Two accesses of next steps that race: in one order of the steps, the later one has not synchronised before its access.
fn racing<'s>(first: &'s NextStep, second: &'s NextStep) -> Option<(&'s NextAccess, &'s NextAccess)> {
    for (i, a) in first.iter().enumerate() {
        for (j, b) in second.iter().enumerate() {
            let a_is_ordered = first[..i].iter().any(|before| before.may_acquire_from(second));
            let b_is_ordered = second[..j].iter().any(|before| before.may_acquire_from(first));
            if a.conflicts_with(b) && !(a_is_ordered && b_is_ordered) {
                return Some((a, b));
            }
        }
    }
    None
}

/// What a thread can touch next, for each edge and all inputs.
fn next_steps(machine: &Machine<'_>, state: &State, thread: u32, domain: &Domain) -> Vec<NextStep> {
    let mut steps = Vec::new();
    let Status::CanRun(edges) = machine.status(state, thread) else {
        return steps;
    };
    let touches = |edge: &EdgeRef| machine.program.edge(*edge).stmts.iter().any(|stmt| !stmt.accesses().is_empty());
    for edge in edges.into_iter().filter(touches) {
        for_all_inputs(domain, |inputs| {
            let mut copy = state.clone();
            let mut events = Vec::new();
            let result = Exec::new(machine, &mut copy, thread, edge, inputs, Properties::NONE, &mut events).run();
            if !matches!(result, StepResult::NotEnabled(_)) {
                steps.push(accesses(events, state.threads[thread as usize].depth));
            }
        });
    }
    steps
}

/// The accesses among the events of a step that starts inside of `depth` atomic sections.
fn accesses(events: Vec<Event>, mut depth: u32) -> NextStep {
    let mut accesses = Vec::new();
    for event in events {
        let (cell, is_read, is_write, is_free, order) = match event.what {
            What::Read { cell, order, .. } => (cell, true, false, false, order),
            What::Write { cell, order, .. } => (cell, false, true, false, order),
            What::Update { cell, order, .. } => (cell, true, true, false, order),
            What::Ended { base, size, kind: AllocKind::Heap } => {
                (Cell::Bytes { addr: base, len: size }, false, true, true, Order::Plain)
            }
            What::AtomicBegin => {
                depth += 1;
                continue;
            }
            What::AtomicEnd => {
                depth = depth.saturating_sub(1);
                continue;
            }
            _ => continue,
        };
        let order = if depth > 0 { Order::SeqCst } else { order };
        accesses.push(NextAccess { cell, is_read, is_write, is_free, order, span: event.span });
    }
    accesses
}
