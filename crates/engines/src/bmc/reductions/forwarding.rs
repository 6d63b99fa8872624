//! Which reads need not be asked about? Those of cells that nobody else writes from then on.
//!
//! Known as: store-to-load forwarding, load elimination; what makes it sound is a single-writer analysis.
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

use super::judgement::Judgement;
use crate::bmc::accesses::places::{Cell, PlaceKey, cell};
use crate::bmc::accesses::write_log::INITIAL;
use logic::{Pool, TermId, Value};
use memory::events::Events;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// When a thread was started: by whom, and after how many writes of all threads that were met.
#[derive(Clone, Copy, Debug)]
struct Birth {
    creator: Option<u32>,
    n_writes: usize,
}

/// The threads that write something, each with the number of its last write.
type Last = SmallVec<[(u32, usize); 2]>;

/// Who writes the cells of a place.
#[derive(Clone, Debug, Default)]
struct Place {
    by_addr: FxHashMap<u64, Last>,
    /// At addresses that are not constant.
    anywhere: Last,
    all: Last,
}

/// Who writes what, as an earlier unrolling has found.
#[derive(Debug, Default)]
pub(crate) struct Writers {
    places: FxHashMap<PlaceKey, Place>,
    births: Vec<Birth>,
    /// The cells that others than this thread turned out to write.
    denied: FxHashSet<(u32, Cell)>,
}

/// What an unrolling takes for granted of who writes what.
#[derive(Debug)]
pub(crate) struct Forwarding {
    /// When each thread was started.
    births: Vec<Birth>,
    /// Which threads have read which cells as if nobody else wrote them.
    reads: FxHashSet<(u32, Cell)>,
}

impl Forwarding {
    /// Nothing but main.
    pub(crate) fn new() -> Forwarding {
        Forwarding { births: vec![Birth { creator: None, n_writes: 0 }], reads: FxHashSet::default() }
    }

    /// A thread is started, after so many writes of all threads that were met.
    pub(crate) fn start(&mut self, creator: u32, n_writes: usize) {
        self.births.push(Birth { creator: Some(creator), n_writes });
    }

    /// Whether what a thread reads is taken to be in its own log, or in one of those that started it.
    pub(crate) fn finds(&mut self, known: &Writers, thread: u32, cell: Cell) -> bool {
        let is_settled = known.is_settled(thread, cell);
        if is_settled {
            self.reads.insert((thread, cell));
        }
        is_settled
    }

    /// The logs in which a thread may find what nobody else writes.
    pub(crate) fn logs_of(&self, thread: u32) -> SmallVec<[u32; 4]> {
        ancestry(&self.births, thread)
    }
}

impl Writers {
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

    /// Notes who writes what, and whether it is what this unrolling went by. `keys` are the places by number.
    pub(crate) fn judge(&mut self, used: &Forwarding, events: &Events, pool: &Pool, keys: &[PlaceKey]) -> Judgement {
        let mut places: FxHashMap<PlaceKey, Place> = keys.iter().map(|key| (*key, Place::default())).collect();
        for (number, write) in events.writes.iter().enumerate() {
            if pool.as_const(write.guard) == Some(&Value::Bool(false)) {
                continue;
            }
            let (key, addr) = cell(pool, keys[write.place as usize], write.addr);
            let place = places.entry(key).or_default();
            note(&mut place.all, write.thread, number);
            match addr {
                Some(addr) => note(place.by_addr.entry(addr).or_default(), write.thread, number),
                None => note(&mut place.anywhere, write.thread, number),
            }
        }
        (self.places, self.births) = (places, used.births.clone());
        let wrong = used.reads.iter().filter(|(thread, cell)| !self.is_settled(*thread, *cell));
        let wrong: Vec<(u32, Cell)> = wrong.copied().collect();
        if !wrong.is_empty() {
            self.denied.extend(wrong);
            return Judgement::Wrong;
        }
        let cell_of = |place: u32, addr: Option<TermId>| cell(pool, keys[place as usize], addr);
        let mut plain = events.reads.iter().filter(|read| read.accepts.is_none());
        match plain.any(|read| self.is_settled(read.thread, cell_of(read.place, read.addr))) {
            true => Judgement::MoreIsKnown,
            false => Judgement::Fine,
        }
    }

    /// Whether threads may look for what they wrote to a place.
    pub(crate) fn is_known(&self, key: PlaceKey) -> bool {
        self.places.contains_key(&key)
    }
}

fn note(writers: &mut Last, thread: u32, number: usize) {
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
