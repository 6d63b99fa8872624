//! Do two accesses race? They conflict, are not both atomic, and happens-before orders neither before the other.
//!
//! Happens-before is C11's, along the interleaving that is observed (`happens_before`). Accesses in atomic sections count as
//! sequentially consistent atomic ones. `free` counts as a write of all bytes; the end of a local variable's scope is no access.
//! Memory is looked at byte by byte. `Races` adds to it what a person wants to know about the two accesses.

use super::happens_before::{HappensBefore, Known, Unit, units};
use super::locks::Locks;
use crate::interp::machine::event::{Cell, Event, RaceAccess, StepResult, What};
use crate::interp::machine::exec::Exec;
use crate::interp::machine::inputs::{Domain, for_all_inputs};
use crate::interp::machine::names::Namer;
use crate::interp::machine::program::Machine;
use crate::interp::machine::state::State;
use crate::interp::machine::step::Status;
use crate::program::EdgeRef;
use crate::property::Properties;
use crate::source::Span;
use crate::stmt::{AllocKind, Order};
use std::collections::BTreeMap;

/// The detector: told everything that happens, it finds the first race.
#[derive(Clone, Debug, Default)]
pub struct Races {
    happens_before: HappensBefore,
    past: BTreeMap<Known, Past>,
}

/// An access that happened.
#[derive(Clone, Debug)]
struct Past {
    step: usize,
    cell: Cell,
    is_free: bool,
    order: Order,
    span: Span,
    calls: Vec<Span>,
    locks: Vec<u64>,
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
        for event in events {
            let Some((touch, racing)) = self.happens_before.observe(thread, &event.what, None) else { continue };
            let this = Past {
                step,
                cell: touch.cell,
                is_free: touch.is_free,
                order: touch.order,
                span: event.span,
                calls: calls.to_vec(),
                locks: locks.held_by(thread).map(|(lock, _)| lock).collect(),
            };
            let is_atomic = touch.order.is_atomic();
            let first = racing.iter().filter_map(|known| Some((known, self.past.get(known)?)));
            // Whoever touches what is gone has to do with who ended it.
            let is_attempt = matches!(event.what, What::Attempted { .. });
            if let Some((known, past)) = first.min_by_key(|(_, past)| (is_attempt && !past.is_free, past.step)) {
                let mut later = report(namer, thread, touch.writes, &this);
                if let (true, Cell::Bytes { addr, .. }) = (is_attempt, touch.cell) {
                    later.place = namer.object(addr);
                }
                return Some([report(namer, known.thread, known.is_write, past), later]);
            }
            if let (true, Cell::Bytes { addr, len }) = (touch.is_free, touch.cell) {
                // Of freed memory only bytes that were touched before are worth remembering.
                let bytes = Unit::Byte(addr)..Unit::Byte(addr.saturating_add(len));
                let before = self.past.keys().map(|known| known.unit).filter(|unit| bytes.contains(unit));
                let touched: Vec<Unit> = before.chain([Unit::Byte(addr)]).collect();
                for unit in touched {
                    self.past.insert(Known { unit, thread, is_write: true, is_atomic }, this.clone());
                }
                continue;
            }
            for unit in units(touch.cell) {
                self.past.insert(Known { unit, thread, is_write: touch.writes, is_atomic }, this.clone());
            }
        }
        None
    }

    /// A store has reached memory.
    pub fn committed(&mut self, thread: u32, what: &What) {
        self.happens_before.observe(thread, what, None);
    }
}

/// The name of what is touched; of a whole object where it ends.
fn touched(namer: &Namer<'_, '_>, cell: Cell, is_free: bool) -> String {
    match cell {
        Cell::Bytes { addr, .. } if is_free => namer.object(addr),
        cell => namer.cell(cell).0,
    }
}

fn report(namer: &Namer<'_, '_>, thread: u32, is_write: bool, past: &Past) -> RaceAccess {
    RaceAccess {
        thread,
        step: past.step,
        place: touched(namer, past.cell, past.is_free),
        is_write,
        is_free: past.is_free,
        order: past.order,
        span: past.span,
        calls: past.calls.clone(),
        locks: past.locks.iter().map(|lock| namer.lock(*lock)).collect(),
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
        place: touched(&namer, access.cell, access.is_free),
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
            let (result, seen) =
                Exec::new(machine, &mut copy, thread, edge, inputs, Properties::NONE, &mut events).run();
            if seen.is_none() && !matches!(result, StepResult::NotEnabled(_)) {
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
