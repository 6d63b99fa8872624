//! Which cells does a lock guard? Those that are accessed only by who has it, or when nobody else can.
//!
//! All accesses that were unrolled are looked at: those inside of sections of one kept lock, and those that program order, starts and joins keep apart
//! from all sections of other threads in which the cell is accessed. If there is no third kind, `inside` may put accesses off in the next unrolling. That
//! one is looked at again: an access outside of the lock must come before the lock is taken, or after all that was put off is done.
//!
//! Where an access of a place has an address that is not constant, all cells of the place are one. Cells that somebody waits for are never guarded, since what
//! waits is noticed. Nor is anything where stores are buffered or races are asked about.

use crate::bmc::accesses::places::PlaceKey;
use crate::bmc::locks::critical_sections::LockName;
use crate::bmc::reductions::forwarding::{Cell, Judgement, cell};
use crate::bmc::unroll::symbolic_execution::Executor;
use ir::Property;
use logic::Value;
use memory::order::Closure;
use smallvec::SmallVec;
use std::collections::BTreeMap;

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

impl Executor<'_> {
    /// Notes which locks guard what, and whether it is what this unrolling went by.
    pub(crate) fn judge_guards(&mut self) -> Judgement {
        if self.program.model.has_buffers() || self.properties.has(Property::Race) || self.locks.sections.is_empty() {
            return Judgement::Fine;
        }
        let touches = self.touches();
        let mut fixed = self.events.fixed.clone();
        fixed.extend(self.certain_joins());
        let closure = Closure::new(self.events.n_nodes(), &fixed);
        let mut uses: BTreeMap<Cell, Vec<u32>> = BTreeMap::new();
        for (cell, section) in &self.guard_uses {
            uses.entry(*cell).or_default().push(*section);
        }
        let is_wrong = |(cell, sections): &(&Cell, &Vec<u32>)| {
            let none = Vec::new();
            let all = touches.get(&cell.0).unwrap_or(&none);
            self.crowded.contains(cell) || !self.is_guarded(**cell, sections, all, &closure)
        };
        let wrong: Vec<Cell> = uses.iter().filter(is_wrong).map(|(cell, _)| *cell).collect();
        if !wrong.is_empty() {
            for cell in wrong {
                self.known.guards.remove(&cell);
                self.known.unguarded.insert(cell);
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
                if self.known.unguarded.contains(&cell) || self.known.guards.contains_key(&cell) {
                    continue;
                }
                if let Some(lock) = guard(&own, &closure) {
                    self.known.guards.insert(cell, lock);
                    judgement = Judgement::MoreIsKnown;
                }
            }
        }
        judgement
    }

    /// All accesses that were unrolled.
    fn touches(&self) -> BTreeMap<PlaceKey, Vec<Touch>> {
        let mut touches: BTreeMap<PlaceKey, Vec<Touch>> = BTreeMap::new();
        let names = |sections: Option<&SmallVec<[u32; 2]>>| -> SmallVec<[LockName; 2]> {
            let locks = sections.into_iter().flatten().map(|section| self.locks.sections[*section as usize].lock);
            locks.filter(|lock| self.locks.is_kept(lock)).map(|lock| lock.name(&self.pool)).collect()
        };
        let counts = |guard: logic::TermId| self.pool.as_const(guard) != Some(&Value::Bool(false));
        let mut add = |place: u32, (node, thread): (u32, u32), at: Option<logic::TermId>, waits, locks| {
            let (key, addr) = cell(&self.pool, self.places.keys()[place as usize], at);
            let is_anywhere = at.is_some() && addr.is_none();
            touches.entry(key).or_default().push(Touch { addr, is_anywhere, node, thread, waits, locks });
        };
        for (at, read) in self.events.reads.iter().enumerate().filter(|(_, read)| counts(read.guard)) {
            let waits = read.accepts.is_some() || read.thread == u32::MAX;
            add(read.place, (read.node, read.thread), read.addr, waits, names(self.locks.reads.get(at)));
        }
        for (at, write) in self.events.writes.iter().enumerate().filter(|(_, write)| counts(write.guard)) {
            add(write.place, (write.node, write.thread), write.addr, false, names(self.locks.writes.get(at)));
        }
        touches
    }

    /// Whether what these sections have put off cannot be noticed.
    fn is_guarded(&self, cell: Cell, sections: &[u32], all: &[Touch], closure: &Closure) -> bool {
        let Some(lock) = self.known.guards.get(&cell) else { return false };
        let sections: Vec<_> = sections.iter().map(|section| &self.locks.sections[*section as usize]).collect();
        if !sections.iter().all(|section| self.locks.is_kept(&section.lock)) {
            return false;
        }
        let mut own = all.iter().filter(|touch| cell.1.is_none() || touch.is_anywhere || touch.addr == cell.1);
        own.all(|touch| {
            let is_apart = |section: &&crate::bmc::locks::critical_sections::Section| {
                let at = section.taken_at.expect("this section puts things off");
                let is_own = self.events.thread_of[at as usize] == touch.thread;
                let is_after = !section.settled_at.is_empty()
                    && section.settled_at.iter().all(|settled| closure.is_before(*settled, touch.node));
                is_own || is_after || closure.is_before(touch.node, at)
            };
            let is_strange = touch.waits || (touch.is_anywhere && cell.1.is_some());
            !is_strange && (touch.locks.contains(lock) || sections.iter().all(is_apart))
        })
    }
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
