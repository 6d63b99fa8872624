//! Which accesses happen before which? C11's happens-before along one interleaving, kept as what each thread knows.
//!
//! Known as: vector clocks. Instead of counting, a thread has the set of accesses that happen before whatever it does next. Of each thread,
//! place and class of access (read or write, atomic or not) only the last one is named, so these sets are finite
//! and two histories that order the future alike are equal: a search can keep them in its states.
//!
//! A thread knows what it did, what its creator knew, and what those knew that it joined or synchronised with. Each place
//! remembers what a read of its present value synchronises with: the releases of the last store if it released, those before it by the
//! same thread, and those of all updates since. An acquiring read takes them; a relaxed read keeps them for the next acquire
//! fence, and a relaxed write passes on what the thread knew at its last release fence. A plain write forgets them. A store that waits in a
//! buffer releases when it reaches memory, and what a thread reads from its own buffer synchronises with nobody.
//!
//! Invariant: an access that is noted anew is known to its own thread only. Earlier ones of the same class and thread are
//! ordered before it, so nothing is missed by forgetting them.

use super::watched::Watched;
use crate::interp::machine::event::{Cell, What};
use crate::stmt::Order;
use logic::VarId;
use std::collections::{BTreeMap, BTreeSet};

/// A variable or a byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::interp) enum Unit {
    Var(VarId),
    Byte(u64),
}

/// The units of a cell.
pub(in crate::interp) fn units(cell: Cell) -> Vec<Unit> {
    match cell {
        Cell::Var(var) => vec![Unit::Var(var)],
        Cell::Bytes { addr, len } => (addr..addr + len).map(Unit::Byte).collect(),
    }
}

/// The last access of a thread to a unit in its class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::interp) struct Known {
    pub(in crate::interp) unit: Unit,
    pub(in crate::interp) thread: u32,
    pub(in crate::interp) is_write: bool,
    pub(in crate::interp) is_atomic: bool,
}

type Knowledge = BTreeSet<Known>;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Thread {
    knows: Knowledge,
    /// What relaxed reads have seen released since.
    pending: Knowledge,
    /// What it knew at its last release fence.
    fence: Option<Knowledge>,
    /// Its stores that memory does not have yet.
    buffered: Vec<Released>,
    depth: u32,
}

/// A write as those who read it see it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Released {
    cell: Cell,
    order: Order,
    /// What a read synchronises with, if it releases.
    knowledge: Option<Knowledge>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Place {
    /// The last access of each thread and class.
    accesses: Knowledge,
    /// What a read of the present value synchronises with, by the thread that released it.
    releases: BTreeMap<u32, Knowledge>,
}

/// An access that a thread makes.
#[derive(Clone, Copy, Debug)]
pub(in crate::interp) struct Touch {
    pub(in crate::interp) thread: u32,
    pub(in crate::interp) cell: Cell,
    pub(in crate::interp) reads: bool,
    pub(in crate::interp) writes: bool,
    pub(in crate::interp) is_free: bool,
    /// Whether it is a store that goes to a buffer.
    pub(in crate::interp) is_buffered: bool,
    pub(in crate::interp) order: Order,
}

/// Who knows of which accesses.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct HappensBefore {
    threads: Vec<Thread>,
    places: BTreeMap<Unit, Place>,
}

impl HappensBefore {
    /// Something happens in a thread: the access that it is, if it is one, and the earlier ones that it races with.
    /// Where only some places are watched, accesses of others are not noted.
    pub(in crate::interp) fn observe(
        &mut self,
        thread: u32,
        what: &What,
        watched: Option<&Watched>,
    ) -> Option<(Touch, Vec<Known>)> {
        self.thread(thread as usize);
        let touch = |cell: Cell, reads, writes, order| Touch {
            thread,
            cell,
            reads,
            writes,
            is_free: false,
            is_buffered: false,
            order: if self.threads[thread as usize].depth > 0 { Order::SeqCst } else { order },
        };
        let touch = match *what {
            What::Read { cell, order, .. } => touch(cell, true, false, order),
            What::Write { cell, order, .. } => touch(cell, false, true, order),
            What::Buffered { cell, order, .. } => Touch { is_buffered: true, ..touch(cell, false, true, order) },
            What::Update { cell, order, .. } => touch(cell, true, true, order),
            What::Ended { base, size, kind: crate::stmt::AllocKind::Heap } => {
                let cell = Cell::Bytes { addr: base, len: size };
                Touch { is_free: true, order: Order::Plain, ..touch(cell, false, true, Order::Plain) }
            }
            // The first byte stands for the whole object, as it does where objects end.
            What::Attempted { base, is_write } => {
                let cell = Cell::Bytes { addr: base, len: 1 };
                touch(cell, !is_write, is_write, Order::Plain)
            }
            ref other => {
                self.synchronise(thread as usize, other);
                return None;
            }
        };
        let racing = self.access(&touch, watched);
        Some((touch, racing))
    }

    /// Whether something that happens in a thread races with what happened before.
    pub fn races(&mut self, thread: u32, what: &What, watched: Option<&Watched>) -> bool {
        self.observe(thread, what, watched).is_some_and(|(_, racing)| !racing.is_empty())
    }

    fn thread(&mut self, index: usize) -> &mut Thread {
        if self.threads.len() <= index {
            self.threads.resize(index + 1, Thread::default());
        }
        &mut self.threads[index]
    }

    fn synchronise(&mut self, index: usize, what: &What) {
        match what {
            What::Made { base, size, .. } => {
                // The addresses may have been another object's.
                let bytes = Unit::Byte(*base)..Unit::Byte(base.saturating_add(*size));
                let old: Vec<Unit> = self.places.range(bytes).map(|(unit, _)| *unit).collect();
                for unit in old {
                    let place = self.places.remove(&unit).unwrap_or_default();
                    place.accesses.iter().for_each(|known| self.forget(known));
                }
            }
            What::AtomicBegin => self.threads[index].depth += 1,
            What::AtomicEnd => self.threads[index].depth = self.threads[index].depth.saturating_sub(1),
            What::Started { child, .. } => {
                let knows = self.threads[index].knows.clone();
                self.thread(*child as usize).knows = knows;
            }
            What::Joined { child } => {
                let knows = self.thread(*child as usize).knows.clone();
                self.threads[index].knows.extend(knows);
            }
            What::Fence(order) => {
                let thread = &mut self.threads[index];
                if order.acquires() {
                    let pending = std::mem::take(&mut thread.pending);
                    thread.knows.extend(pending);
                }
                if order.releases() {
                    thread.fence = Some(thread.knows.clone());
                }
            }
            What::Committed { thread, number, is_dropped, .. } => {
                let buffered = &mut self.threads[*thread as usize].buffered;
                if *number < buffered.len() {
                    let store = buffered.remove(*number);
                    if !is_dropped {
                        self.release(*thread, store, false);
                    }
                }
            }
            _ => {}
        }
    }

    /// Notes an access; gives the earlier ones that it races with.
    fn access(&mut self, touch: &Touch, watched: Option<&Watched>) -> Vec<Known> {
        let is_watched = |unit: &Unit| watched.is_none_or(|watched| watched.has(unit));
        let index = touch.thread as usize;
        let touched: Vec<Unit> = match touch.cell {
            // Only bytes that somebody has touched matter, and the first one, since nobody may touch them afterwards.
            Cell::Bytes { addr, len } if touch.is_free => {
                if is_watched(&Unit::Byte(addr)) {
                    self.places.entry(Unit::Byte(addr)).or_default();
                }
                let bytes = Unit::Byte(addr)..Unit::Byte(addr.saturating_add(len.max(1)));
                self.places.range(bytes).map(|(unit, _)| *unit).collect()
            }
            cell => units(cell),
        };
        let touched: Vec<Unit> = touched.into_iter().filter(is_watched).collect();
        let own =
            |unit| Known { unit, thread: touch.thread, is_write: touch.writes, is_atomic: touch.order.is_atomic() };
        let mut racing = Vec::new();
        for own in touched.iter().map(|unit| own(*unit)) {
            let accesses = &self.places.entry(own.unit).or_default().accesses;
            let conflicts = |other: &&Known| {
                let is_conflict = (other.is_write || own.is_write) && !(other.is_atomic && own.is_atomic);
                other.thread != own.thread && is_conflict && !self.threads[index].knows.contains(*other)
            };
            racing.extend(accesses.iter().filter(conflicts));
        }
        // Only now: what an access learns from the write that it reads puts it behind that write, but nothing says that it must read that one. Who locks a mutex
        // that another thread has initialised may find it as it was before, unless something else orders the two.
        if touch.reads && touch.order.is_atomic() {
            self.acquire(touch);
        }
        for unit in touched {
            let own = own(unit);
            self.forget(&own);
            self.threads[index].knows.insert(own);
            self.places.entry(unit).or_default().accesses.insert(own);
        }
        if touch.writes && !touch.is_free {
            let thread = &self.threads[index];
            let knowledge = match touch.order {
                order if order.releases() => Some(thread.knows.clone()),
                Order::Plain | Order::Guarded => None,
                _ => thread.fence.clone(),
            };
            let released = Released { cell: touch.cell, order: touch.order, knowledge };
            if touch.is_buffered {
                self.threads[index].buffered.push(released);
            } else {
                self.release(touch.thread, released, touch.reads);
            }
        }
        racing
    }

    /// Nobody knows of an access any more.
    fn forget(&mut self, known: &Known) {
        for thread in &mut self.threads {
            thread.knows.remove(known);
            thread.pending.remove(known);
            thread.fence.as_mut().map(|fence| fence.remove(known));
            for store in &mut thread.buffered {
                store.knowledge.as_mut().map(|knowledge| knowledge.remove(known));
            }
        }
        for place in self.places.values_mut() {
            for released in place.releases.values_mut() {
                released.remove(known);
            }
        }
    }

    fn acquire(&mut self, touch: &Touch) {
        let thread = &mut self.threads[touch.thread as usize];
        let is_own = |unit: &Unit| thread.buffered.iter().any(|store| units(store.cell).contains(unit));
        let from_others: Vec<Unit> = units(touch.cell).into_iter().filter(|unit| !is_own(unit)).collect();
        let target = if touch.order.acquires() { &mut thread.knows } else { &mut thread.pending };
        for place in from_others.iter().filter_map(|unit| self.places.get(unit)) {
            place.releases.values().for_each(|released| target.extend(released));
        }
    }

    fn release(&mut self, thread: u32, store: Released, is_update: bool) {
        for unit in units(store.cell) {
            let releases = &mut self.places.entry(unit).or_default().releases;
            match (store.order, is_update) {
                (Order::Plain | Order::Guarded, _) => releases.clear(),
                (_, false) => releases.retain(|by, _| *by == thread),
                (_, true) => {}
            }
            if let Some(knowledge) = &store.knowledge {
                releases.entry(thread).or_default().extend(knowledge);
            }
        }
    }
}
