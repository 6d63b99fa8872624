//! What does a thread do inside of a critical section? Nothing that others see, until it gives the lock back.
//!
//! Where all accesses to a cell are made under one lock, others can tell neither when a section reads it nor when it writes it (Lipton: what a lock
//! guards moves in both directions). So all that a section reads of such cells is read where it takes the lock, each cell once, and all that it writes
//! is written where it gives the lock back, the last value only. In between it has a log like that of memory a thread has to itself: what it writes it
//! finds again at once, constants and loops fold, and nothing needs a node.
//!
//! Where ways in different sections meet, each settles what it has put off, and they go on as if the lock had been taken there. Whether all accesses
//! are under the lock is decided in `guarded`.

use crate::bmc::accesses::places::PlaceKey;
use crate::bmc::accesses::write_log::{Entry, Log, value_of, word};
use crate::bmc::reductions::forwarding::{Cell, cell};
use crate::bmc::unroll::step::Walk;
use crate::bmc::unroll::symbolic_execution::{Executor, State};
use logic::{Sort, TermId};
use memory::events::{Kind, Read, Write};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What a section has put off.
#[derive(Debug, Default)]
pub(crate) struct Inside {
    logs: Vec<(PlaceKey, Log)>,
    /// What it reads where the lock is taken.
    reads: FxHashMap<(PlaceKey, Option<TermId>, Sort), usize>,
}

/// Writes that a section may put off where some of their addresses are not constant.
const MOST_ANYWHERE: usize = 40;

impl Executor<'_> {
    /// The section that puts off what is done to a cell.
    pub(crate) fn section_for(&mut self, walk: &Walk, key: PlaceKey, addr: Option<TermId>) -> Option<u32> {
        if walk.state.held.is_empty() || walk.thread == u32::MAX {
            return None;
        }
        let (cell, lock) = self.known.guard_of(cell(&self.pool, key, addr))?;
        let mut held = walk.state.held.iter().filter(|(own, _)| own.name(&self.pool) == lock);
        let section = held.next().map(|(_, section)| *section).filter(|section| self.puts_off(*section))?;
        self.guard_uses.insert((cell, section));
        Some(section)
    }

    fn puts_off(&self, section: u32) -> bool {
        self.locks.sections[section as usize].taken_at.is_some()
    }

    /// Reads a cell inside of a section.
    pub(crate) fn read_inside(
        &mut self,
        walk: &Walk,
        section: u32,
        key: PlaceKey,
        addr: Option<TermId>,
        sort: Sort,
    ) -> TermId {
        let point = walk.state.point;
        let inside = self.insides.entry(section).or_default();
        let (mut found, mut is_complete) = (Vec::new(), false);
        if let Some((_, log)) = inside.logs.iter().find(|(other, _)| *other == key) {
            (found, is_complete) = log.read(&mut self.pool, &self.points, addr, Some(point));
            found.retain(|(_, value)| self.pool.sort(*value) == sort);
        }
        let is_fixed = addr.is_none_or(|addr| word(&self.pool, addr).is_some());
        if let (true, Some((_, last))) = (is_complete, found.last()) {
            let value = value_of(&mut self.pool, &found, *last);
            if found.len() > 1 && is_fixed {
                self.write_inside(walk, section, key, Entry { point, addr, value });
            }
            return value;
        }
        let before = match inside.reads.get(&(key, addr, sort)) {
            Some(index) => {
                let read = self.events.reads[*index];
                if !self.points.dominates(read.point, point) {
                    let (either, _) = self.points.join(&mut self.pool, &[read.point, point]);
                    let read = &mut self.events.reads[*index];
                    (read.point, read.guard) = (either, self.points.guard(either));
                }
                read.value
            }
            None => {
                inside.reads.insert((key, addr, sort), self.events.reads.len());
                let node = self.locks.sections[section as usize].taken_at.expect("this section puts things off");
                let (place, guard) = (self.places.number(key), self.points.guard(point));
                let value = self.fresh("read", sort);
                let thread = walk.thread;
                self.events.reads.push(Read { node, thread, place, addr, guard, value, accepts: None, point });
                self.read_keys.push(key);
                self.note_sections(&walk.state, true);
                value
            }
        };
        let value = value_of(&mut self.pool, &found, before);
        if found.len() > 1 && is_fixed {
            self.write_inside(walk, section, key, Entry { point, addr, value });
        }
        value
    }

    /// Writes a cell inside of a section.
    pub(crate) fn write_inside(&mut self, walk: &Walk, section: u32, key: PlaceKey, entry: Entry) {
        debug_assert!(walk.thread != u32::MAX, "nobody writes at the end");
        self.places.number(key);
        let inside = self.insides.entry(section).or_default();
        match inside.logs.iter_mut().find(|(other, _)| *other == key) {
            Some((_, log)) => log.push(&self.pool, entry),
            None => {
                let mut log = Log::default();
                log.push(&self.pool, entry);
                inside.logs.push((key, log));
            }
        }
    }

    /// Does at a node what a section has put off; with `hides`, the node may have written the same cells before.
    pub(crate) fn settle(&mut self, state: &State, (thread, node): (u32, u32), section: u32, hides: bool) {
        if !self.puts_off(section) {
            return;
        }
        self.locks.sections[section as usize].settled_at.push(node);
        let Some(inside) = self.insides.remove(&section) else { return };
        let point = state.point;
        let here = self.points.guard(point);
        for (key, log) in &inside.logs {
            let place = self.places.number(*key);
            let mut write =
                Write { node, thread, place, addr: None, guard: here, is_hidden: false, value: here, point };
            if log.entries().is_some_and(|entries| entries.len() > MOST_ANYWHERE) {
                self.crowded.insert((*key, None));
                continue;
            }
            for entry in log.entries().into_iter().flatten() {
                // One of them may hide another.
                let is_sure = self.points.dominates(entry.point, point);
                let happens = self.points.guard(entry.point);
                (write.addr, write.value, write.is_hidden) = (entry.addr, entry.value, !is_sure);
                write.guard = if is_sure { here } else { self.pool.and(happens, here) };
                self.push_write(state, write, true);
            }
            if log.entries().is_some() {
                continue;
            }
            for addr in log.addresses() {
                let (found, is_complete) = log.read(&mut self.pool, &self.points, addr, Some(point));
                let Some((_, last)) = found.last() else { continue };
                let conds: Vec<TermId> = found.iter().map(|(cond, _)| *cond).collect();
                write.value = value_of(&mut self.pool, &found, *last);
                let happens = self.pool.or_all(&conds);
                write.guard = if is_complete { here } else { self.pool.and(happens, here) };
                (write.addr, write.is_hidden) = (addr, !is_complete);
                self.push_write(state, write, hides);
            }
        }
        self.insides.insert(section, inside);
    }

    /// A thread ends: does what all its sections have put off.
    pub(crate) fn settle_all(&mut self, walk: &Walk) {
        let Some(node) = walk.node else { return };
        for (_, section) in &walk.state.held {
            self.settle(&walk.state, (walk.thread, node), *section, true);
        }
    }

    /// Before ways meet: does what those of their sections have put off that they do not have in common.
    pub(crate) fn settle_apart(&mut self, thread: u32, states: &mut [State]) {
        let shared = |states: &[State], own: u32| {
            states.iter().all(|state| state.held.iter().any(|(_, section)| *section == own))
        };
        for at in 0..states.len() {
            let held: SmallVec<[u32; 2]> = states[at].held.iter().map(|(_, section)| *section).collect();
            for section in held {
                if self.puts_off(section) && !shared(states, section) {
                    let node = self.node_after(thread, &mut states[at], Kind::Run);
                    self.settle(&states[at].clone(), (thread, node), section, false);
                }
            }
        }
    }

    /// Ways that were in different sections have met: what follows is put off from here on.
    pub(crate) fn go_on_inside(&mut self, thread: u32, state: &mut State, states: &[State]) {
        for at in 0..state.held.len() {
            let (lock, section) = state.held[at];
            let is_new = !states[0].held.iter().any(|(_, own)| *own == section);
            if is_new && state.depth == 0 && self.known.is_guard(lock.name(&self.pool)) {
                let node = self.node_after(thread, state, Kind::Run);
                self.locks.sections[section as usize].taken_at = Some(node);
            }
        }
    }
}

impl crate::bmc::reductions::forwarding::Known {
    /// The cells that these are known with, and the lock that guards them.
    fn guard_of(&self, cell: Cell) -> Option<(Cell, crate::bmc::locks::critical_sections::LockName)> {
        let whole = (cell.0, None);
        let found = self.guards.get(&whole).map(|lock| (whole, *lock));
        found.or_else(|| self.guards.get(&cell).map(|lock| (cell, *lock)))
    }

    /// Whether a lock guards something.
    pub(crate) fn is_guard(&self, lock: crate::bmc::locks::critical_sections::LockName) -> bool {
        self.guards.values().any(|other| *other == lock)
    }
}
