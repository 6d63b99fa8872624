//! What does a thread do inside of a critical section? Nothing that others see, until it gives the lock back.
//!
//! Known as: Lipton reduction, mover analysis; for writes also lock coarsening.
//!
//! Where all accesses to a cell are made under one lock, others can tell neither when a section reads it nor when it writes it (Lipton: what a lock
//! guards moves in both directions). So all that a section reads of such cells is read where it takes the lock, each cell once, and all that it writes
//! is written where it gives the lock back, the last value only. In between it has a log like that of memory a thread has to itself: what it writes it
//! finds again at once, constants and loops fold, and nothing needs a node.
//!
//! Where ways in different sections meet, each settles what it has put off, and they go on as if the lock had been taken there. Whether all accesses
//! are under the lock is decided in `lock_sets`.

use super::judgement::Judgement;
use crate::bmc::accesses::event_graph::EventGraph;
use crate::bmc::accesses::places::{Cell, PlaceKey, cell, word};
use crate::bmc::accesses::write_log::{Entry, Log, value_of};
use crate::bmc::locks::lock_sets::{LockSets, Looked};
use crate::bmc::unroll::state::{State, Walk};
use logic::{Sort, TermId};
use memory::events::{How, Kind, Read, Write};
use memory::order::Closure;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// What critical sections have put off.
#[derive(Debug, Default)]
pub(crate) struct PutOff {
    by_section: FxHashMap<u32, Inside>,
    /// Which sections have put off something about which cells.
    uses: FxHashSet<(Cell, u32)>,
    /// Cells that too much was put off about.
    given_up: FxHashSet<Cell>,
}

/// What a section has put off.
#[derive(Debug, Default)]
struct Inside {
    logs: Vec<(PlaceKey, Log)>,
    /// What it reads where the lock is taken.
    reads: FxHashMap<(PlaceKey, Option<TermId>, Sort), usize>,
}

/// Writes that a section may put off where some of their addresses are not constant.
const MOST_ANYWHERE: usize = 40;

impl PutOff {
    /// The section that puts off what is done to a cell.
    pub(crate) fn section_for(
        &mut self,
        graph: &EventGraph,
        lock_sets: &LockSets,
        walk: &Walk,
        (key, addr): (PlaceKey, Option<TermId>),
    ) -> Option<u32> {
        if walk.state.held.is_empty() || walk.thread == u32::MAX {
            return None;
        }
        let (cell, lock) = lock_sets.guard_of(cell(&graph.pool, key, addr))?;
        let mut held = walk.state.held.iter().filter(|(own, _)| own.name(&graph.pool) == lock);
        let section = held.next().map(|(_, section)| *section).filter(|section| graph.locks.puts_off(*section))?;
        self.uses.insert((cell, section));
        Some(section)
    }

    /// Reads a cell inside of a section.
    pub(crate) fn read(
        &mut self,
        graph: &mut EventGraph,
        walk: &Walk,
        section: u32,
        (key, addr, sort): (PlaceKey, Option<TermId>, Sort),
    ) -> TermId {
        let point = walk.state.point;
        let inside = self.by_section.entry(section).or_default();
        let (mut found, mut is_complete) = (Vec::new(), false);
        if let Some((_, log)) = inside.logs.iter().find(|(other, _)| *other == key) {
            (found, is_complete) = log.read(&mut graph.pool, &graph.points, addr, Some(point));
            found.retain(|(_, value)| graph.pool.sort(*value) == sort);
        }
        let last = match found.last() {
            Some((_, last)) if is_complete => *last,
            _ => self.read_at_start(graph, walk, section, (key, addr, sort)),
        };
        let value = value_of(&mut graph.pool, &found, last);
        let is_fixed = addr.is_none_or(|addr| word(&graph.pool, addr).is_some());
        if found.len() > 1 && is_fixed {
            self.write(graph, section, key, Entry { point, addr, value });
        }
        value
    }

    /// What a section finds in a cell that it has not written: what was there when it took the lock.
    fn read_at_start(
        &mut self,
        graph: &mut EventGraph,
        walk: &Walk,
        section: u32,
        (key, addr, sort): (PlaceKey, Option<TermId>, Sort),
    ) -> TermId {
        let (point, thread) = (walk.state.point, walk.thread);
        let inside = self.by_section.entry(section).or_default();
        if let Some(index) = inside.reads.get(&(key, addr, sort)) {
            let read = graph.events.reads[*index];
            if !graph.points.dominates(read.point, point) {
                let (either, _) = graph.points.join(&mut graph.pool, &[read.point, point]);
                let read = &mut graph.events.reads[*index];
                (read.point, read.guard) = (either, graph.points.guard(either));
            }
            return read.value;
        }
        inside.reads.insert((key, addr, sort), graph.events.reads.len());
        let node = graph.locks.reads_at(section);
        let (place, guard) = (graph.places.number(key), graph.points.guard(point));
        let value = graph.fresh("read", sort);
        let read = Read { node, thread, place, addr, guard, value, accepts: None, point, how: How::default() };
        graph.add_read(&walk.state.held, key, read);
        value
    }

    /// Writes a cell inside of a section.
    pub(crate) fn write(&mut self, graph: &mut EventGraph, section: u32, key: PlaceKey, entry: Entry) {
        graph.places.number(key);
        let inside = self.by_section.entry(section).or_default();
        match inside.logs.iter_mut().find(|(other, _)| *other == key) {
            Some((_, log)) => log.push(&graph.pool, entry),
            None => {
                let mut log = Log::default();
                log.push(&graph.pool, entry);
                inside.logs.push((key, log));
            }
        }
    }

    /// Does at a node what a section has put off; with `hides`, the node may have written the same cells before.
    pub(crate) fn settle(
        &mut self,
        graph: &mut EventGraph,
        state: &State,
        (thread, node): (u32, u32),
        section: u32,
        hides: bool,
    ) {
        if !graph.locks.puts_off(section) {
            return;
        }
        graph.locks.settle_at(section, node);
        let Some(inside) = self.by_section.get(&section) else { return };
        let point = state.point;
        let here = graph.points.guard(point);
        for (key, log) in &inside.logs {
            let place = graph.places.number(*key);
            let mut write = Write {
                node,
                thread,
                place,
                addr: None,
                guard: here,
                is_hidden: false,
                value: here,
                point,
                how: How::default(),
            };
            if log.entries().is_some_and(|entries| entries.len() > MOST_ANYWHERE) {
                self.given_up.insert((*key, None));
                continue;
            }
            for entry in log.entries().into_iter().flatten() {
                // One of them may hide another.
                let is_sure = graph.points.dominates(entry.point, point);
                let happens = graph.points.guard(entry.point);
                (write.addr, write.value, write.is_hidden) = (entry.addr, entry.value, !is_sure);
                write.guard = if is_sure { here } else { graph.pool.and(happens, here) };
                graph.add_write(&state.held, write, true);
            }
            if log.entries().is_some() {
                continue;
            }
            for addr in log.addresses() {
                let (found, is_complete) = log.read(&mut graph.pool, &graph.points, addr, Some(point));
                let Some((_, last)) = found.last() else { continue };
                let conds: Vec<TermId> = found.iter().map(|(cond, _)| *cond).collect();
                write.value = value_of(&mut graph.pool, &found, *last);
                let happens = graph.pool.or_all(&conds);
                write.guard = if is_complete { here } else { graph.pool.and(happens, here) };
                (write.addr, write.is_hidden) = (addr, !is_complete);
                graph.add_write(&state.held, write, hides);
            }
        }
    }

    /// A thread ends: does what all its sections have put off.
    pub(crate) fn settle_all(&mut self, graph: &mut EventGraph, walk: &Walk) {
        let Some(node) = walk.node else { return };
        for (_, section) in &walk.state.held {
            self.settle(graph, &walk.state, (walk.thread, node), *section, true);
        }
    }

    /// Before ways meet: does what those of their sections have put off that they do not have in common.
    pub(crate) fn settle_apart(&mut self, graph: &mut EventGraph, thread: u32, states: &mut [State]) {
        let shared = |states: &[State], own: u32| {
            states.iter().all(|state| state.held.iter().any(|(_, section)| *section == own))
        };
        for at in 0..states.len() {
            let held: SmallVec<[u32; 2]> = states[at].held.iter().map(|(_, section)| *section).collect();
            for section in held {
                if graph.locks.puts_off(section) && !shared(states, section) {
                    let node = graph.node_after(thread, &mut states[at], Kind::Run);
                    self.settle(graph, &states[at], (thread, node), section, false);
                }
            }
        }
    }

    /// Whether what was put off is guarded by locks, and what else could be put off. `joins` are orders besides those of the events.
    pub(crate) fn judge(&self, graph: &EventGraph, lock_sets: &mut LockSets, joins: &[(u32, u32)]) -> Judgement {
        if graph.locks.is_empty() {
            return Judgement::Fine;
        }
        let EventGraph { pool, events, places, locks: sections, .. } = graph;
        let mut fixed = events.fixed.clone();
        fixed.extend(joins);
        let closure = Closure::new(events.n_nodes(), &fixed);
        let mut uses: BTreeMap<Cell, Vec<u32>> = BTreeMap::new();
        for (cell, section) in &self.uses {
            uses.entry(*cell).or_default().push(*section);
        }
        let looked = Looked { events, pool, keys: places.keys(), sections, closure: &closure };
        lock_sets.judge(&looked, &uses, &self.given_up)
    }
}

/// Ways that were in different sections have met: what follows is put off from here on.
pub(crate) fn put_off_from_here(
    graph: &mut EventGraph,
    lock_sets: &LockSets,
    thread: u32,
    state: &mut State,
    states: &[State],
) {
    for at in 0..state.held.len() {
        let (lock, section) = state.held[at];
        let is_new = !states[0].held.iter().any(|(_, own)| *own == section);
        if is_new && state.depth == 0 && lock_sets.is_guard(lock.name(&graph.pool)) {
            let node = graph.node_after(thread, state, Kind::Run);
            graph.locks.put_off_from(section, node);
        }
    }
}
