//! Which accesses does a lock keep apart? Critical sections, and what cannot be read across them.
//!
//! A lock is a word at a constant address with one value that means free. It is *kept* if, of all that was unrolled, only this touches it: steps that
//! wait for it to be free and leave a constant that is not, other writes of such constants, and writes of the free value by threads that have taken it. Then sections
//! of different threads never overlap: nobody else can take a lock that is taken, and only its holder gives it back. So a read in a section never
//! reads a write of another section that is surely overwritten before that section ends; and once its own section has surely
//! written the place, nothing of other sections at all.
//!
//! Whether a lock is kept is a question about all accesses, so it is asked at the end. Where stores are
//! buffered, nothing of this is used.

use crate::bmc::accesses::places::PlaceKey;
use crate::bmc::accesses::read_and_write::Spot;
use crate::bmc::reductions::forwarding::{Cell, cell};
use crate::bmc::unroll::path_conditions::Points;
use crate::bmc::unroll::step::Walk;
use crate::bmc::unroll::symbolic_execution::{Executor, State};
use ir::Property;
use logic::{Node, Op, Pool, TermId, Value, VarId};
use memory::events::{Events, Write};
use memory::order::Closure;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A lock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Lock {
    key: PlaceKey,
    addr: Option<TermId>,
    /// Its value when it is free.
    free: TermId,
}

/// A lock, whatever its value is when it is free; the same in every unrolling.
pub(crate) type LockName = Cell;

impl Lock {
    /// What an update leaves in it that finds it free.
    pub(crate) fn left(&self, pool: &Pool, var: VarId, new: TermId) -> TermId {
        when_free(pool, var, self.free, new)
    }

    /// Its name.
    pub(crate) fn name(&self, pool: &Pool) -> LockName {
        cell(pool, self.key, self.addr)
    }
}

/// A stretch of a thread's ways that holds a lock.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) lock: Lock,
    /// Where the lock was taken, if what follows is put off (`inside`).
    pub(crate) taken_at: Option<u32>,
    /// The nodes at which what was put off is done.
    pub(crate) settled_at: Vec<u32>,
    /// Where ways leave it: node and point.
    ends: Vec<(u32, u32)>,
    /// Whether ways go on in another section, where they meet ways that took the lock elsewhere.
    goes_on: bool,
    /// The constant that the lock has meanwhile, if all ways have left the same.
    value: Option<TermId>,
}

/// The sections that a state is in.
pub(crate) type Held = SmallVec<[(Lock, u32); 2]>;

/// All sections, and which events are inside of them.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    pub(crate) sections: Vec<Section>,
    pub(crate) reads: Vec<SmallVec<[u32; 2]>>,
    pub(crate) writes: Vec<SmallVec<[u32; 2]>>,
    /// The events of steps that take a lock, with the value that they leave, and of those that give one back.
    takes: FxHashMap<usize, Lock>,
    taken: FxHashMap<usize, Lock>,
    gives: FxHashMap<usize, Lock>,
    /// The reads of steps that give one back.
    given: FxHashSet<usize>,
    /// The locks that are not kept, those that somebody looks at besides, and those that somebody shuts without taking them.
    broken: FxHashSet<Lock>,
    observed: FxHashSet<Lock>,
    shut: FxHashSet<Lock>,
    /// The locks whose holders have taken them to be as they left them.
    trusted: FxHashSet<Lock>,
}

impl Executor<'_> {
    /// The lock that a step takes, if it waits for a constant to replace it by another; `var` is the value read.
    pub(crate) fn lock_taken(
        &self,
        (key, addr): (PlaceKey, Option<TermId>),
        var: VarId,
        wait: TermId,
        new: TermId,
    ) -> Option<Lock> {
        let is_constant = |term: TermId| self.pool.as_const(term).is_some();
        let free = awaited(&self.pool, var, wait)?;
        let new = when_free(&self.pool, var, free, new);
        let is_lock = addr.is_none_or(is_constant) && is_constant(new) && free != new;
        is_lock.then_some(Lock { key, addr, free })
    }

    /// The lock that writing a constant may give back.
    pub(crate) fn lock_given(&self, key: PlaceKey, addr: Option<TermId>, value: TermId) -> Option<Lock> {
        let is_constant = |term: TermId| self.pool.as_const(term).is_some();
        (addr.is_none_or(is_constant) && is_constant(value)).then_some(Lock { key, addr, free: value })
    }

    /// A lock is taken by the events made since there were so many.
    pub(crate) fn take_lock(&mut self, walk: &mut Walk, lock: Lock, new: TermId, (reads, writes): (usize, usize)) {
        let own = |at: &usize| self.events.reads[*at].thread == walk.thread;
        self.locks.takes.extend((reads..self.events.reads.len()).filter(own).map(|at| (at, lock)));
        self.locks.taken.extend((writes..self.events.writes.len()).map(|at| (at, lock)));
        let puts_off = walk.state.depth == 0 && !walk.is_group && self.known.is_guard(lock.name(&self.pool));
        let value = Some(new).filter(|new| self.pool.as_const(*new).is_some());
        let section = self.locks.open(lock, walk.node.filter(|_| puts_off), value);
        walk.state.held.retain(|(other, _)| *other != lock);
        walk.state.held.push((lock, section));
    }

    /// A lock is given back, if it is one, by the events made since there were so many.
    pub(crate) fn give_lock(&mut self, walk: &mut Walk, lock: Lock, (reads, writes): (usize, usize)) {
        let Some(at) = walk.state.held.iter().position(|(other, _)| *other == lock) else { return };
        self.locks.given.extend(reads..self.events.reads.len());
        let given = writes..self.events.writes.len();
        if let Some(node) = walk.node {
            let is_inside = walk.state.depth > 0 || walk.is_group;
            self.settle(&walk.state, (walk.thread, node), walk.state.held[at].1, is_inside);
        }
        let (_, section) = walk.state.held.remove(at);
        for index in given {
            self.locks.gives.insert(index, lock);
            let write = &self.events.writes[index];
            self.locks.sections[section as usize].ends.push((write.node, write.point));
        }
    }

    /// What a thread that holds a lock finds in it: what it has left there. This must be judged later.
    pub(crate) fn own_lock(&mut self, walk: &Walk, spot: &Spot, var: VarId) -> Option<TermId> {
        if self.relies_on.is_none() || walk.state.depth > 0 || walk.is_group || self.properties.has(Property::Race) {
            return None;
        }
        let is_it = |lock: &Lock| (lock.key, lock.addr) == (spot.key, spot.addr) && !spot.in_bytes;
        let (lock, section) = walk.state.held.iter().find(|(lock, _)| is_it(lock)).copied()?;
        let value = self.locks.sections[section as usize].value?;
        if self.pool.sort(value) != self.pool.var_sort(var) {
            return None;
        }
        self.locks.trusted.insert(lock);
        Some(value)
    }

    /// Notes in which sections a new event is.
    pub(crate) fn note_sections(&mut self, state: &State, is_read: bool) {
        let own = state.held.iter().map(|(_, section)| *section).collect();
        if is_read { self.locks.reads.push(own) } else { self.locks.writes.push(own) }
    }

    /// Finds the locks that are not kept.
    pub(crate) fn judge_locks(&mut self) {
        let mut all: Vec<Lock> = self.locks.sections.iter().map(|section| section.lock).collect();
        all.sort_unstable_by_key(|lock| (lock.key, lock.addr, lock.free));
        all.dedup();
        for lock in all {
            let place = self.places.number(lock.key);
            let touches = |other: Option<TermId>| match (lock.addr, other) {
                (Some(a), Some(b)) => a == b || self.pool.as_const(b).is_none(),
                _ => true,
            };
            // What can never happen, and what is only asked about the end, does not count.
            let counts = |guard: TermId| self.pool.as_const(guard) != Some(&Value::Bool(false));
            let reads = self.events.reads.iter().enumerate().filter(|(_, read)| counts(read.guard));
            let mut reads =
                reads.filter(|(_, read)| read.place == place && read.thread != u32::MAX && touches(read.addr));
            let is_own = |at: usize| self.locks.takes.get(&at) == Some(&lock) || self.locks.given.contains(&at);
            if !reads.all(|(at, _)| is_own(at)) {
                self.locks.observed.insert(lock);
            }
            // Only whoever holds it makes it free; what is written besides, when it is destroyed, lets nobody in.
            let writes = self.events.writes.iter().enumerate();
            let writes = writes.filter(|(_, write)| write.place == place && touches(write.addr));
            let (mut is_kept, mut is_shut) = (true, false);
            for (at, write) in writes {
                let is_own = self.locks.gives.get(&at) == Some(&lock) || self.locks.taken.get(&at) == Some(&lock);
                is_kept &= is_own || self.pool.as_const(write.value).is_some() && write.value != lock.free;
                is_shut |= !is_own;
            }
            if !is_kept {
                self.locks.broken.insert(lock);
            }
            if is_shut {
                self.locks.shut.insert(lock);
            }
        }
    }
}

impl Sections {
    fn open(&mut self, lock: Lock, taken_at: Option<u32>, value: Option<TermId>) -> u32 {
        self.sections.push(Section { lock, taken_at, settled_at: Vec::new(), ends: Vec::new(), goes_on: false, value });
        self.sections.len() as u32 - 1
    }

    /// What is held on all ways that meet.
    pub(crate) fn meet(&mut self, states: &[State]) -> Held {
        let mut held = Held::new();
        for (lock, first) in &states[0].held {
            let own = states.iter().map(|state| state.held.iter().find(|(other, _)| other == lock));
            let Some(own) = own.map(|held| held.map(|(_, section)| *section)).collect::<Option<Vec<u32>>>() else {
                continue;
            };
            if own.iter().all(|section| section == first) {
                held.push((*lock, *first));
            } else {
                own.iter().for_each(|section| self.sections[*section as usize].goes_on = true);
                let value_of = |section: &u32| self.sections[*section as usize].value;
                let value = value_of(first).filter(|value| own.iter().all(|other| value_of(other) == Some(*value)));
                held.push((*lock, self.open(*lock, None, value)));
            }
        }
        held
    }

    /// Whether a lock is kept and nobody looks at it but to take it and to give it back.
    pub(crate) fn is_unseen(&self, lock: &Lock) -> bool {
        self.is_kept(lock) && !self.observed.contains(lock)
    }

    /// Whether all locks that were taken to be as their holders left them are.
    pub(crate) fn is_trust_right(&self) -> bool {
        self.trusted.iter().all(|lock| self.is_kept(lock) && !self.shut.contains(lock))
    }

    /// Whether a lock is kept.
    pub(crate) fn is_kept(&self, lock: &Lock) -> bool {
        !self.broken.contains(lock)
    }

    /// For each read and write the locks that hide it: a read from writes of other sections, a write from reads of other sections.
    pub(crate) fn hidden(&self, events: &Events, closure: &Closure, points: &Points) -> Hidden {
        let happens = |write: &Write, point: u32| !write.is_hidden && points.dominates(write.point, point);
        let mut by_section: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (index, sections) in self.writes.iter().enumerate() {
            for section in sections.iter().filter(|section| self.is_kept(&self.sections[**section as usize].lock)) {
                by_section.entry(*section).or_default().push(index);
            }
        }
        let none = Vec::new();
        let in_section = |section: u32| by_section.get(&section).unwrap_or(&none).iter().map(|at| &events.writes[*at]);
        let mut hidden = Hidden { reads: Vec::new(), writes: Vec::new() };
        for (read, sections) in events.reads.iter().zip(&self.reads) {
            let settles = |write: &Write| {
                (write.place, write.addr) == (read.place, read.addr)
                    && closure.is_before(write.node, read.node)
                    && happens(write, read.point)
            };
            hidden.reads.push(self.locks_of(sections, |section| in_section(section).any(settles)));
        }
        for (write, sections) in events.writes.iter().zip(&self.writes) {
            let is_replaced = |(node, point): &(u32, u32), section: u32| {
                write.node != *node && !closure.is_before(write.node, *node)
                    || in_section(section).any(|later| {
                        (later.place, later.addr) == (write.place, write.addr)
                            && closure.is_before(write.node, later.node)
                            && closure.is_before(later.node, *node)
                            && happens(later, *point)
                    })
            };
            let is_hidden = |section: u32| {
                let this = &self.sections[section as usize];
                !this.goes_on && this.ends.iter().all(|end| is_replaced(end, section))
            };
            hidden.writes.push(self.locks_of(sections, is_hidden));
        }
        hidden
    }

    /// All locks of these sections that are kept, and whether they hide something.
    fn locks_of(&self, sections: &[u32], hides: impl Fn(u32) -> bool) -> SmallVec<[(Lock, bool); 2]> {
        let kept = sections.iter().filter(|section| self.is_kept(&self.sections[**section as usize].lock));
        kept.map(|section| (self.sections[*section as usize].lock, hides(*section))).collect()
    }
}

/// For each event the locks that are held, and whether each hides it from other sections.
#[derive(Debug)]
pub(crate) struct Hidden {
    reads: Vec<SmallVec<[(Lock, bool); 2]>>,
    writes: Vec<SmallVec<[(Lock, bool); 2]>>,
}

impl Hidden {
    /// Whether a read of one thread cannot read a write of another.
    pub(crate) fn excludes(&self, read: usize, write: usize) -> bool {
        let (Some(reads), Some(writes)) = (self.reads.get(read), self.writes.get(write)) else { return false };
        let hides = |(lock, hides): &(Lock, bool)| {
            let other = writes.iter().find(|(other, _)| other == lock);
            other.is_some_and(|(_, is_replaced)| *hides || *is_replaced)
        };
        reads.iter().any(hides)
    }
}

/// The constant that a variable is awaited to have, perhaps among others.
fn awaited(pool: &Pool, var: VarId, wait: TermId) -> Option<TermId> {
    let Node::App { op, args } = pool.node(wait) else { return None };
    if *op == Op::Or {
        return args.iter().find_map(|arg| awaited(pool, var, *arg));
    }
    let [a, b] = args[..] else { return None };
    let (own, constant) = if pool.as_const(b).is_some() { (a, b) } else { (b, a) };
    let is_it = *op == Op::Eq && pool.as_const(constant).is_some() && pool.as_var(own) == Some(var);
    is_it.then_some(constant)
}

/// What a variable that has the awaited value becomes, if it is left as it is otherwise; else the whole term.
fn when_free(pool: &Pool, var: VarId, free: TermId, new: TermId) -> TermId {
    match pool.node(new) {
        Node::App { op: Op::Ite, args } => {
            let is_test = matches!(pool.node(args[0]), Node::App { op: Op::Eq, .. });
            let is_free = is_test && awaited(pool, var, args[0]) == Some(free);
            if is_free && pool.as_var(args[2]) == Some(var) { args[1] } else { new }
        }
        _ => new,
    }
}
