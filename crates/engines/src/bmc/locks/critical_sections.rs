//! Which accesses does a lock keep apart? Critical sections, and what cannot be read across them.
//!
//! Known as: mutual exclusion, lock regions; what is ruled out are infeasible read-from pairs.
//!
//! A lock is *kept* if, of all that was unrolled, only this touches it: steps that
//! wait for it to be free and leave a constant that is not, other writes of such constants, and writes of the free value by threads that have taken it. Then sections
//! of different threads never overlap: nobody else can take a lock that is taken, and only its holder gives it back. So a read in a section never
//! reads a write of another section that is surely overwritten before that section ends; and once its own section has surely
//! written the place, nothing of other sections at all.
//!
//! Whether a lock is kept is a question about all accesses, so it is asked at the end. Where stores are
//! buffered, nothing of this is used.

use super::lock::{Lock, LockName};
use crate::bmc::accesses::places::PlaceKey;
use crate::bmc::unroll::path_conditions::Points;
use logic::{Pool, TermId, Value};
use memory::events::{Events, Write};
use memory::order::Closure;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::ops::Range;

/// A stretch of a thread's ways that holds a lock.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    lock: Lock,
    /// Where the lock was taken, if what follows is put off (`lipton_reduction`).
    taken_at: Option<u32>,
    /// The nodes at which what was put off is done.
    settled_at: Vec<u32>,
    /// Where ways leave it: node and point.
    ends: Vec<(u32, u32)>,
    /// Whether ways go on in another section, where they meet ways that took the lock elsewhere.
    goes_on: bool,
    /// The constant that the lock has meanwhile, if all ways have left the same.
    value: Option<TermId>,
}

/// The sections that a state is in, with their locks.
pub(crate) type Held = SmallVec<[(Lock, u32); 2]>;

/// All sections, and which events are inside of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sections {
    sections: Vec<Section>,
    reads: Vec<SmallVec<[u32; 2]>>,
    writes: Vec<SmallVec<[u32; 2]>>,
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
    /// The locks that must be kept, since rounds of loops were left out because of them; `None` if that is not to be done.
    relies_on: Option<Vec<Lock>>,
}

impl Sections {
    /// No sections. With `is_trusting`, what is unrolled may rely on locks.
    pub(crate) fn new(is_trusting: bool) -> Sections {
        Sections { relies_on: is_trusting.then(Vec::new), ..Sections::default() }
    }

    /// Whether what is unrolled may rely on locks.
    pub(crate) fn is_trusting(&self) -> bool {
        self.relies_on.is_some()
    }

    /// Rounds of a loop were left out, which is right if nobody looks at these locks but to take them and to give them back.
    pub(crate) fn rely_on(&mut self, locks: &[Lock]) {
        self.relies_on.iter_mut().for_each(|all| all.extend(locks.iter().copied()));
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    fn open(&mut self, lock: Lock, taken_at: Option<u32>, value: Option<TermId>) -> u32 {
        self.sections.push(Section { lock, taken_at, settled_at: Vec::new(), ends: Vec::new(), goes_on: false, value });
        self.sections.len() as u32 - 1
    }

    /// A lock is taken by these reads and writes, which leave `value` in it; what follows is put off if it has a place to be read at.
    pub(crate) fn take(
        &mut self,
        held: &mut Held,
        (lock, value): (Lock, Option<TermId>),
        taken_at: Option<u32>,
        (reads, writes): (impl Iterator<Item = usize>, Range<usize>),
    ) {
        self.takes.extend(reads.map(|at| (at, lock)));
        self.taken.extend(writes.map(|at| (at, lock)));
        let section = self.open(lock, taken_at, value);
        held.retain(|(other, _)| *other != lock);
        held.push((lock, section));
    }

    /// A lock that is held is given back by these reads and writes.
    pub(crate) fn give(
        &mut self,
        held: &mut Held,
        lock: Lock,
        events: &Events,
        (reads, writes): (Range<usize>, Range<usize>),
    ) {
        let Some(at) = held.iter().position(|(other, _)| *other == lock) else { return };
        let (_, section) = held.remove(at);
        self.given.extend(reads);
        for index in writes {
            self.gives.insert(index, lock);
            let write = &events.writes[index];
            self.sections[section as usize].ends.push((write.node, write.point));
        }
    }

    /// What the holder of the lock at a place finds in it, if that is one constant: what it has left there.
    pub(crate) fn own_value(&self, held: &Held, key: PlaceKey, addr: Option<TermId>) -> Option<(Lock, TermId)> {
        let (lock, section) = held.iter().find(|(lock, _)| lock.is_at(key, addr))?;
        Some((*lock, self.sections[*section as usize].value?))
    }

    /// The holder of a lock has taken it to be as it left it, which must be judged later.
    pub(crate) fn trust(&mut self, lock: Lock) {
        self.trusted.insert(lock);
    }

    /// Notes in which sections a new read is.
    pub(crate) fn note_read(&mut self, held: &Held) {
        self.reads.push(held.iter().map(|(_, section)| *section).collect());
    }

    /// Notes in which sections a new write is.
    pub(crate) fn note_write(&mut self, held: &Held) {
        self.writes.push(held.iter().map(|(_, section)| *section).collect());
    }

    /// What is held on all ways that meet.
    pub(crate) fn meet(&mut self, ways: &[&Held]) -> Held {
        let mut met = Held::new();
        for (lock, first) in ways[0] {
            let own = ways.iter().map(|held| held.iter().find(|(other, _)| other == lock));
            let Some(own) = own.map(|held| held.map(|(_, section)| *section)).collect::<Option<Vec<u32>>>() else {
                continue;
            };
            if own.iter().all(|section| section == first) {
                met.push((*lock, *first));
            } else {
                own.iter().for_each(|section| self.sections[*section as usize].goes_on = true);
                let value_of = |section: &u32| self.sections[*section as usize].value;
                let value = value_of(first).filter(|value| own.iter().all(|other| value_of(other) == Some(*value)));
                met.push((*lock, self.open(*lock, None, value)));
            }
        }
        met
    }

    /// Whether accesses of a section are put off.
    pub(crate) fn puts_off(&self, section: u32) -> bool {
        self.sections[section as usize].taken_at.is_some()
    }

    /// The node at which a section that puts accesses off reads.
    pub(crate) fn reads_at(&self, section: u32) -> u32 {
        self.sections[section as usize].taken_at.expect("this section puts things off")
    }

    /// From this node on, accesses of a section are put off.
    pub(crate) fn put_off_from(&mut self, section: u32, node: u32) {
        self.sections[section as usize].taken_at = Some(node);
    }

    /// What a section has put off is done at a node.
    pub(crate) fn settle_at(&mut self, section: u32, node: u32) {
        self.sections[section as usize].settled_at.push(node);
    }

    /// The nodes at which what a section has put off is done.
    pub(crate) fn settled_at(&self, section: u32) -> &[u32] {
        &self.sections[section as usize].settled_at
    }

    /// The kept locks that are held at a read.
    pub(crate) fn locks_at_read(&self, read: usize, pool: &Pool) -> SmallVec<[LockName; 2]> {
        self.names(self.reads.get(read), pool)
    }

    /// The kept locks that are held at a write.
    pub(crate) fn locks_at_write(&self, write: usize, pool: &Pool) -> SmallVec<[LockName; 2]> {
        self.names(self.writes.get(write), pool)
    }

    fn names(&self, sections: Option<&SmallVec<[u32; 2]>>, pool: &Pool) -> SmallVec<[LockName; 2]> {
        let locks = sections.into_iter().flatten().map(|section| self.sections[*section as usize].lock);
        locks.filter(|lock| self.is_kept(lock)).map(|lock| lock.name(pool)).collect()
    }

    /// Finds the locks that are not kept, those that somebody looks at, and those that somebody shuts. `keys` are the places by number.
    pub(crate) fn judge(&mut self, events: &Events, pool: &Pool, keys: &[PlaceKey]) {
        let mut all: Vec<Lock> = self.sections.iter().map(|section| section.lock).collect();
        all.sort_unstable();
        all.dedup();
        for lock in all {
            let is_here = |place: u32, addr| keys[place as usize] == lock.key() && lock.may_be_at(pool, addr);
            // What can never happen, and what is only asked about the end, does not count.
            let counts = |guard: TermId| pool.as_const(guard) != Some(&Value::Bool(false));
            let reads = events.reads.iter().enumerate().filter(|(_, read)| counts(read.guard));
            let mut reads = reads.filter(|(_, read)| read.thread != u32::MAX && is_here(read.place, read.addr));
            // Whoever holds it finds what it left there itself, and learns nothing of others.
            let is_holder = |at: usize| self.reads[at].iter().any(|own| self.sections[*own as usize].lock == lock);
            let is_own = |at: usize| self.takes.get(&at) == Some(&lock) || self.given.contains(&at) || is_holder(at);
            if !reads.all(|(at, _)| is_own(at)) {
                self.observed.insert(lock);
            }
            // Only whoever holds it makes it free; what is written besides, when it is destroyed, lets nobody in.
            let (mut is_kept, mut is_shut) = (true, false);
            for (at, write) in events.writes.iter().enumerate().filter(|(_, write)| is_here(write.place, write.addr)) {
                let is_own = self.gives.get(&at) == Some(&lock) || self.taken.get(&at) == Some(&lock);
                is_kept &= is_own || lock.stays_shut(pool, write.value);
                is_shut |= !is_own;
            }
            if !is_kept {
                self.broken.insert(lock);
            }
            if is_shut {
                self.shut.insert(lock);
            }
        }
    }

    /// Whether what was unrolled relies only on locks of which that is right. Asked once they are judged.
    pub(crate) fn is_reliance_right(&self) -> bool {
        let is_unseen = |lock: &Lock| self.is_kept(lock) && !self.observed.contains(lock);
        let is_as_left = |lock: &Lock| self.is_kept(lock) && !self.shut.contains(lock);
        self.relies_on.iter().flatten().all(is_unseen) && self.trusted.iter().all(is_as_left)
    }

    fn is_kept(&self, lock: &Lock) -> bool {
        !self.broken.contains(lock)
    }

    /// Whether the lock of a section is kept.
    pub(crate) fn is_lock_kept(&self, section: u32) -> bool {
        self.is_kept(&self.sections[section as usize].lock)
    }

    /// For each read and write the locks that hide it: a read from writes of other sections, a write from reads of other sections.
    pub(crate) fn hidden(&self, events: &Events, closure: &Closure, points: &Points) -> Hidden {
        let happens = |write: &Write, point: u32| !write.is_hidden && points.dominates(write.point, point);
        let mut by_section: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (index, sections) in self.writes.iter().enumerate() {
            for section in sections.iter().filter(|section| self.is_lock_kept(**section)) {
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
        let kept = sections.iter().filter(|section| self.is_lock_kept(**section));
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
