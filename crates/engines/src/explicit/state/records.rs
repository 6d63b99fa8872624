//! Which records have threads had, in any state? Each is kept once, under a number.
//!
//! Known as: COLLAPSE compression, component tables \[Holzmann03].
//!
//! A thread is at few places with few values, and states are combinations of these: millions of states of ten threads have some fifty records. A state names
//! them by their numbers (`state::packed`).
//!
//! Several workers use one table. Numbers depend on who was faster, so that nothing but the equality of records may depend on them: orders and hashes go by bytes. What has a
//! number stays where it is, and is read without a lock: pieces of the table are twice as long each time, and none ever moves.

use super::hash::hash;
use crate::explicit::compile::code::Pc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The number of a record.
pub(crate) type RecordId = u32;

/// What a thread's part of a state says.
#[derive(Debug)]
pub(crate) struct Record {
    /// As they stand in a flat state, the location first.
    pub(crate) bytes: Box<[u8]>,
    pub(crate) pc: Pc,
    pub(crate) hash: u64,
}

/// All records that were seen.
#[derive(Debug)]
pub(crate) struct Records {
    pieces: Vec<OnceLock<Box<[OnceLock<Record>]>>>,
    /// Where records with a hash are found, each part of them behind a lock of its own.
    indices: Vec<Mutex<Index>>,
    next: AtomicU32,
    n_bytes: AtomicUsize,
}

/// Some of the records: their numbers plus one in an open-addressing table, or zero.
#[derive(Debug)]
struct Index {
    table: Vec<u32>,
    len: usize,
}

/// Records in the first piece.
const FIRST: u32 = 64;
const N_PIECES: usize = 26;

/// More than workers, so that they rarely wait for each other.
const N_INDICES: usize = 16;

impl Records {
    pub(crate) fn new() -> Records {
        let index = |_| Mutex::new(Index { table: vec![0; 16], len: 0 });
        Records {
            pieces: (0..N_PIECES).map(|_| OnceLock::new()).collect(),
            indices: (0..N_INDICES).map(index).collect(),
            next: AtomicU32::new(0),
            n_bytes: AtomicUsize::new(0),
        }
    }

    /// Bytes in use, about.
    pub(crate) fn n_bytes(&self) -> usize {
        self.n_bytes.load(Ordering::Relaxed)
    }

    /// The record with a number.
    #[inline]
    pub(crate) fn get(&self, id: RecordId) -> &Record {
        let (piece, at) = place_of(id);
        let piece = self.pieces[piece].get().expect("its piece was made before it got its number");
        piece[at].get().expect("it was kept before its number was given away")
    }

    /// The number of a record with some bytes, at a location.
    pub(crate) fn intern(&self, bytes: &[u8], pc: Pc) -> RecordId {
        let hash = hash(bytes);
        let index = &self.indices[(hash >> 60) as usize % N_INDICES];
        let mut index = index.lock().unwrap_or_else(PoisonError::into_inner);
        let mut slot = index.first_slot(hash);
        while let Some(id) = index.table[slot].checked_sub(1) {
            let record = self.get(id);
            if record.hash == hash && *record.bytes == *bytes {
                return id;
            }
            slot = (slot + 1) & (index.table.len() - 1);
        }
        let id = self.keep(Record { bytes: bytes.into(), pc, hash });
        index.table[slot] = id + 1;
        index.len += 1;
        if index.len * 2 > index.table.len() {
            index.grow(|id| self.get(id).hash);
        }
        id
    }

    fn keep(&self, record: Record) -> RecordId {
        self.n_bytes.fetch_add(size_of::<Record>() + record.bytes.len() + 8, Ordering::Relaxed);
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (piece, at) = place_of(id);
        let made = || (0..FIRST << piece).map(|_| OnceLock::new()).collect();
        let is_first = self.pieces[piece].get_or_init(made)[at].set(record).is_ok();
        assert!(is_first, "each number is given away once, and there are fewer records than numbers");
        id
    }
}

impl Index {
    fn first_slot(&self, hash: u64) -> usize {
        hash as usize & (self.table.len() - 1)
    }

    fn grow(&mut self, hash_of: impl Fn(RecordId) -> u64) {
        let size = self.table.len() * 2;
        let old = std::mem::replace(&mut self.table, vec![0; size]);
        for entry in old.into_iter().filter(|entry| *entry != 0) {
            let mut slot = self.first_slot(hash_of(entry - 1));
            while self.table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = entry;
        }
    }
}

/// The piece of the table in which a record is, and where in it.
#[inline]
fn place_of(id: RecordId) -> (usize, usize) {
    let at = u64::from(id) + u64::from(FIRST);
    let piece = at.ilog2() - FIRST.ilog2();
    (piece as usize, (at - (u64::from(FIRST) << piece)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_records_have_one_number() {
        let records = Records::new();
        let bytes = |index: u32| [&index.to_le_bytes()[..], &vec![3; index as usize % 5]].concat();
        let intern = || (0..5_000).map(|index| records.intern(&bytes(index), index)).collect::<Vec<_>>();
        let (first, second) = std::thread::scope(|scope| {
            let other = scope.spawn(intern);
            (intern(), other.join().expect("it ends"))
        });
        assert_eq!(first, second);
        for (index, id) in first.iter().enumerate() {
            let record = records.get(*id);
            assert_eq!((&*record.bytes, record.pc), (&*bytes(index as u32), index as u32));
        }
    }
}
