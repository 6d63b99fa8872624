//! Which reads need not be asked about? Those of cells that nobody else writes from then on.
//!
//! A thread that reads a cell which others have written only before it was started, or not at all, finds what it wrote itself, or else what its
//! creator had written. Then the read is no event, and its value is known at once: constants go on folding, loops and addresses are decided, and no
//! source has to be chosen. Much of what threads share is of this kind: arguments, sizes, tables, the own end of a queue.
//!
//! Who writes a cell is a question about all that was unrolled, so an unrolling goes by what an earlier one has found, and is looked at in the end:
//! if there is another writer after all, it is done again without that assumption; if more could be known, likewise.
//!
//! Invariant: of an unrolling that is used, every such read is of a cell that no other thread writes after the start of its thread; and writes of
//! those that started it are met, and in their logs, before it is executed.

use crate::bmc::accesses::places::PlaceKey;
use crate::bmc::accesses::write_log::word;
use crate::bmc::locks::critical_sections::LockName;
use crate::bmc::unroll::symbolic_execution::{Executor, INITIAL};
use logic::{Pool, TermId, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Some cells: a place and a constant address; without one a variable, or all cells of the place.
pub(crate) type Cell = (PlaceKey, Option<u64>);

/// When a thread was started: by whom, and after how many writes of all threads that were met.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Birth {
    pub(crate) creator: Option<u32>,
    pub(crate) n_writes: usize,
}

impl Birth {
    /// That of main.
    pub(crate) const FIRST: Birth = Birth { creator: None, n_writes: 0 };
}

/// The threads that write something, each with the number of its last write.
type Writers = SmallVec<[(u32, usize); 2]>;

/// Who writes the cells of a place.
#[derive(Clone, Debug, Default)]
struct Place {
    by_addr: FxHashMap<u64, Writers>,
    /// At addresses that are not constant.
    anywhere: Writers,
    all: Writers,
}

/// What an unrolling has found.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The locks that are held whenever a cell is accessed (`guarded`).
    pub(crate) guards: BTreeMap<Cell, LockName>,
    /// Those of these that turned out not to hold.
    pub(crate) unguarded: FxHashSet<Cell>,
    places: FxHashMap<PlaceKey, Place>,
    births: Vec<Birth>,
    /// The cells that others than this thread turned out to write.
    denied: FxHashSet<(u32, Cell)>,
}

/// What looking back at an unrolling tells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Judgement {
    Fine,
    /// Another unrolling could go by more than this one.
    MoreIsKnown,
    /// It went by something that does not hold.
    Wrong,
}

/// Unrollings of one bound, unless something turns out not to hold.
const ATTEMPTS: u32 = 5;

impl Judgement {
    pub(crate) fn and(self, other: Judgement) -> Judgement {
        self.max(other)
    }

    /// Whether to unroll again, after so many times.
    pub(crate) fn asks_again(self, n: u32) -> bool {
        self == Judgement::Wrong || (self == Judgement::MoreIsKnown && n < ATTEMPTS)
    }
}

impl Known {
    /// Whether a thread that reads these cells finds what it wrote itself, or what was written before it was started.
    fn is_settled(&self, thread: u32, cell: Cell) -> bool {
        let (Some(place), Some(birth)) = (self.places.get(&cell.0), self.births.get(thread as usize)) else {
            return false;
        };
        let is_earlier = |(writer, last): &(u32, usize)| {
            *writer == thread || *last < birth.n_writes && ancestry(&self.births, thread).contains(writer)
        };
        let writes_nothing_later = match cell.1 {
            Some(addr) => {
                let own = place.by_addr.get(&addr);
                own.is_none_or(|own| own.iter().all(is_earlier)) && place.anywhere.iter().all(is_earlier)
            }
            None => place.all.iter().all(is_earlier),
        };
        writes_nothing_later && !self.denied.contains(&(thread, cell))
    }

    /// Whether threads may look for what they wrote to a place.
    pub(crate) fn is_known(&self, key: PlaceKey) -> bool {
        self.places.contains_key(&key)
    }
}

fn note(writers: &mut Writers, thread: u32, number: usize) {
    match writers.iter_mut().find(|(other, _)| *other == thread) {
        Some((_, last)) => *last = number,
        None => writers.push((thread, number)),
    }
}

/// A thread, who started it, and so on; last what main wrote while it was alone.
fn ancestry(births: &[Birth], thread: u32) -> SmallVec<[u32; 4]> {
    let mut all: SmallVec<[u32; 4]> = SmallVec::new();
    let mut next = Some(thread);
    while let Some(at) = next {
        all.push(at);
        next = births.get(at as usize).and_then(|birth| birth.creator);
    }
    all.push(INITIAL);
    all
}

/// The cells that an access may touch.
pub(crate) fn cell(pool: &Pool, key: PlaceKey, addr: Option<TermId>) -> Cell {
    (key, addr.and_then(|addr| word(pool, addr)))
}

impl Executor<'_> {
    /// Whether what a thread reads is taken to be in its own log, or in one of those that started it.
    pub(crate) fn finds_known(&mut self, thread: u32, key: PlaceKey, addr: Option<TermId>) -> bool {
        let cell = cell(&self.pool, key, addr);
        let is_settled = self.known.is_settled(thread, cell);
        if is_settled {
            self.known_reads.insert((thread, cell));
        }
        is_settled
    }

    /// The logs in which a thread may find what nobody else writes.
    pub(crate) fn ancestry(&self, thread: u32) -> SmallVec<[u32; 4]> {
        ancestry(&self.births, thread)
    }

    /// Notes who writes what, and whether it is what this unrolling went by.
    pub(crate) fn judge_cells(&mut self) -> Judgement {
        if self.program.model.has_buffers() {
            return Judgement::Fine;
        }
        let keys = self.places.keys();
        let mut places: FxHashMap<PlaceKey, Place> = keys.iter().map(|key| (*key, Place::default())).collect();
        for (number, write) in self.events.writes.iter().enumerate() {
            if self.pool.as_const(write.guard) == Some(&Value::Bool(false)) {
                continue;
            }
            let (key, addr) = cell(&self.pool, keys[write.place as usize], write.addr);
            let place = places.entry(key).or_default();
            note(&mut place.all, write.thread, number);
            match addr {
                Some(addr) => note(place.by_addr.entry(addr).or_default(), write.thread, number),
                None => note(&mut place.anywhere, write.thread, number),
            }
        }
        (self.known.places, self.known.births) = (places, self.births.clone());
        let known = &self.known;
        let wrong = self.known_reads.iter().filter(|(thread, cell)| !known.is_settled(*thread, *cell));
        let wrong: Vec<(u32, Cell)> = wrong.copied().collect();
        if !wrong.is_empty() {
            self.known.denied.extend(wrong);
            return Judgement::Wrong;
        }
        let gains = |read: &memory::events::Read| {
            let cell = cell(&self.pool, keys[read.place as usize], read.addr);
            read.accepts.is_none() && self.known.is_settled(read.thread, cell)
        };
        if self.events.reads.iter().any(gains) { Judgement::MoreIsKnown } else { Judgement::Fine }
    }
}
