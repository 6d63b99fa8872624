//! Which cells does a lock guard? Those that are accessed only by who has it, or when nobody else can.
//!
//! Known as: lockset analysis (Eraser), here over the events that were unrolled and with program order, starts and joins beside the locks.
//!
//! All accesses that were unrolled are looked at: those inside of sections of one kept lock, and those that program order, starts and joins keep apart
//! from all sections of other threads in which the cell is accessed. If there is no third kind, `lipton_reduction` may put accesses off in the next unrolling. That
//! one is looked at again: an access outside of the lock must come before the lock is taken, or after all that was put off is done.
//!
//! Where an access of a place has an address that is not constant, all cells of the place are one. Cells that somebody waits for are never guarded, since what
//! waits is noticed. Nor is anything where stores are buffered or races are asked about.

use super::critical_sections::Sections;
use super::lock::LockName;
use crate::bmc::accesses::places::{Cell, PlaceKey, cell};
use crate::bmc::reductions::judgement::Judgement;
use logic::{Pool, TermId, Value};
use memory::events::Events;
use memory::order::Closure;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Which locks guard which cells, as earlier unrollings have found.
#[derive(Debug, Default)]
pub(crate) struct LockSets {
    guards: BTreeMap<Cell, LockName>,
    /// Those of these that turned out not to hold.
    unguarded: FxHashSet<Cell>,
}

/// An unrolling that is looked at.
pub(crate) struct Looked<'a> {
    pub(crate) events: &'a Events,
    pub(crate) pool: &'a Pool,
    /// The places by number.
    pub(crate) keys: &'a [PlaceKey],
    pub(crate) sections: &'a Sections,
    /// Program order, starts and joins.
    pub(crate) closure: &'a Closure,
}

/// An access.
#[derive(Debug)]
struct Touch {
    addr: Option<u64>,
    is_anywhere: bool,
    node: u32,
    thread: u32,
    waits: bool,
    /// The kept locks that are held.
    locks: SmallVec<[LockName; 2]>,
}

/// Pairs of accesses that are compared for one cell at most.
const MOST_PAIRS: usize = 1_000_000;

impl LockSets {
    /// The cells that these are known with, and the lock that guards them.
    pub(crate) fn guard_of(&self, cell: Cell) -> Option<(Cell, LockName)> {
        let whole = (cell.0, None);
        let found = self.guards.get(&whole).map(|lock| (whole, *lock));
        found.or_else(|| self.guards.get(&cell).map(|lock| (cell, *lock)))
    }

    /// Whether a lock guards something.
    pub(crate) fn is_guard(&self, lock: LockName) -> bool {
        self.guards.values().any(|other| *other == lock)
    }

    /// Notes which locks guard what, and whether it is what this unrolling went by: `uses` are the sections that have put off accesses to
    /// each cell, `given_up` the cells that too much was put off about.
    pub(crate) fn judge(
        &mut self,
        looked: &Looked<'_>,
        uses: &BTreeMap<Cell, Vec<u32>>,
        given_up: &FxHashSet<Cell>,
    ) -> Judgement {
        let touches = touches(looked);
        let is_wrong = |(cell, sections): &(&Cell, &Vec<u32>)| {
            let none = Vec::new();
            let all = touches.get(&cell.0).unwrap_or(&none);
            given_up.contains(cell) || !self.is_guarded(**cell, sections, all, looked)
        };
        let wrong: Vec<Cell> = uses.iter().filter(is_wrong).map(|(cell, _)| *cell).collect();
        if !wrong.is_empty() {
            for cell in wrong {
                self.guards.remove(&cell);
                self.unguarded.insert(cell);
            }
            return Judgement::Wrong;
        }
        let mut judgement = Judgement::Fine;
        for (key, all) in &touches {
            let is_one = all.iter().any(|touch| touch.is_anywhere || touch.addr.is_none());
            let mut by_cell: BTreeMap<Cell, Vec<&Touch>> = BTreeMap::new();
            for touch in all {
                by_cell.entry((*key, touch.addr.filter(|_| !is_one))).or_default().push(touch);
            }
            for (cell, own) in by_cell {
                if self.unguarded.contains(&cell) || self.guards.contains_key(&cell) {
                    continue;
                }
                if let Some(lock) = guard(&own, looked.closure) {
                    self.guards.insert(cell, lock);
                    judgement = Judgement::MoreIsKnown;
                }
            }
        }
        judgement
    }

    /// Whether what these sections have put off cannot be noticed.
    fn is_guarded(&self, cell: Cell, sections: &[u32], all: &[Touch], looked: &Looked<'_>) -> bool {
        let Looked { events, sections: known, closure, .. } = looked;
        let Some(lock) = self.guards.get(&cell) else { return false };
        if !sections.iter().all(|section| known.is_lock_kept(*section)) {
            return false;
        }
        let mut own = all.iter().filter(|touch| cell.1.is_none() || touch.is_anywhere || touch.addr == cell.1);
        own.all(|touch| {
            let is_apart = |section: &u32| {
                let (at, settled_at) = (known.reads_at(*section), known.settled_at(*section));
                let is_own = events.thread_of[at as usize] == touch.thread;
                let is_after =
                    !settled_at.is_empty() && settled_at.iter().all(|settled| closure.is_before(*settled, touch.node));
                is_own || is_after || closure.is_before(touch.node, at)
            };
            let is_strange = touch.waits || (touch.is_anywhere && cell.1.is_some());
            !is_strange && (touch.locks.contains(lock) || sections.iter().all(is_apart))
        })
    }
}

/// All accesses, by place.
fn touches(looked: &Looked<'_>) -> BTreeMap<PlaceKey, Vec<Touch>> {
    let Looked { events, pool, keys, sections, .. } = looked;
    let mut touches: BTreeMap<PlaceKey, Vec<Touch>> = BTreeMap::new();
    let counts = |guard: TermId| pool.as_const(guard) != Some(&Value::Bool(false));
    let mut add = |place: u32, (node, thread): (u32, u32), at: Option<TermId>, waits, locks| {
        let (key, addr) = cell(pool, keys[place as usize], at);
        let is_anywhere = at.is_some() && addr.is_none();
        touches.entry(key).or_default().push(Touch { addr, is_anywhere, node, thread, waits, locks });
    };
    for (at, read) in events.reads.iter().enumerate().filter(|(_, read)| counts(read.guard)) {
        let waits = read.accepts.is_some() || read.thread == u32::MAX;
        add(read.place, (read.node, read.thread), read.addr, waits, sections.locks_at_read(at, pool));
    }
    for (at, write) in events.writes.iter().enumerate().filter(|(_, write)| counts(write.guard)) {
        add(write.place, (write.node, write.thread), write.addr, false, sections.locks_at_write(at, pool));
    }
    touches
}

/// The lock that guards a cell with these accesses.
fn guard(all: &[&Touch], closure: &Closure) -> Option<LockName> {
    if all.iter().any(|touch| touch.waits) {
        return None;
    }
    let (locked, free): (Vec<&&Touch>, Vec<&&Touch>) = all.iter().partition(|touch| !touch.locks.is_empty());
    let mut common = locked.first()?.locks.clone();
    common.retain(|lock| locked.iter().all(|touch| touch.locks.contains(lock)));
    let lock = *common.first()?;
    let is_apart = |a: &Touch, b: &Touch| {
        a.thread == b.thread || closure.is_before(a.node, b.node) || closure.is_before(b.node, a.node)
    };
    let are_few = free.len() * locked.len() <= MOST_PAIRS;
    (are_few && free.iter().all(|touch| locked.iter().all(|other| is_apart(touch, other)))).then_some(lock)
}
