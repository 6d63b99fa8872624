//! Has one of several workers seen this state? The states in many small stores, each behind a lock of its own.
//!
//! Known as: shared state store of multi-core model checking \[Laarman10].
//!
//! The hash of a state says in which store it is, so that workers rarely wait for each other. A store keeps states in the order in which they came, so that
//! a level of the search is a range of each store. Each state has the first bytes of the hash of the state that it was reached
//! from; of several on the level before, the smallest. So ways back to the beginning do not depend on who was faster.

use super::deferred::{Deferred, PARENT, Waiting};
use super::visited::{GROUP, Visited, split_first};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Stores; many more than workers, so that two rarely want the same.
pub(crate) const N_SHARDS: usize = 256;

/// Bits of a hash that say in which store a state is.
const SHARD_BITS: u32 = N_SHARDS.ilog2();

/// All states that any worker has seen.
pub(crate) struct Shards {
    shards: Vec<Mutex<Shard>>,
    /// Bytes noted for each state: the parent, and the thread that has moved, if that is asked for.
    note: usize,
}

/// Some of the states.
struct Shard {
    visited: Visited,
    /// The states of the level that is expanded, from the next one to take on; those of the next level follow.
    next: u64,
    end: u64,
}

/// What was known of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// Nothing: it is new.
    New,
    /// It was reached in this level, by this worker or another.
    InThisLevel,
    /// It was reached in an earlier level.
    Before,
}

/// Some states of a level, one behind the other.
#[derive(Default)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
    note: usize,
}

impl Batch {
    /// Each state, and the thread that has moved last, if that was kept.
    pub(crate) fn states(&self) -> impl Iterator<Item = (&[u8], Option<u16>)> {
        let mut rest = &self.bytes[..];
        std::iter::from_fn(move || {
            let (state, notes, others) = split_first(rest, self.note)?;
            rest = others;
            Some((state, notes.get(PARENT..PARENT + MOVER).map(|mover| u16::from_le_bytes([mover[0], mover[1]]))))
        })
    }
}

/// Bytes of the thread that has moved.
const MOVER: usize = 2;

impl Shards {
    /// No states; with or without the threads that have led to them.
    pub(crate) fn new(has_mover: bool) -> Shards {
        let note = PARENT + if has_mover { MOVER } else { 0 };
        let shard = || Mutex::new(Shard { visited: Visited::with_notes(note), next: 0, end: 0 });
        Shards { shards: (0..N_SHARDS).map(|_| shard()).collect(), note }
    }

    /// In which store a state with a hash is: the first bits say it. The tables inside use the bits after these.
    pub(crate) fn index_of(hash: u64) -> usize {
        (hash >> (64 - SHARD_BITS)) as usize
    }

    fn lock(&self, index: usize) -> MutexGuard<'_, Shard> {
        self.shards[index].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a state that was reached in this level.
    pub(crate) fn insert(&self, reached: &Waiting<'_>) -> Seen {
        self.lock(Shards::index_of(reached.hash)).insert(reached)
    }

    /// Adds states that were reached in this level and wait for the store with a number. Gives how many of them are new, and how many are not.
    pub(crate) fn take_in(&self, index: usize, deferred: &Deferred) -> (usize, usize) {
        let mut shard = self.lock(index);
        let mut waiting = deferred.of_shard(index);
        let (mut n_new, mut n_known) = (0, 0);
        let mut group = [Waiting::default(); GROUP];
        loop {
            let mut n = 0;
            for (place, reached) in group.iter_mut().zip(&mut waiting) {
                *place = reached;
                n += 1;
            }
            let hashes = group.map(|reached| rest_of(reached.hash));
            shard.visited.foresee_all(&hashes[..n]);
            for reached in &group[..n] {
                if shard.insert(reached) == Seen::New {
                    n_new += 1;
                } else {
                    n_known += 1;
                }
            }
            if n < GROUP {
                return (n_new, n_known);
            }
        }
    }

    /// Copies some states of a level from the store with a number, for one who expands them; false if there are none left.
    pub(crate) fn take(&self, index: usize, most: usize, batch: &mut Batch) -> bool {
        let mut shard = self.lock(index);
        batch.bytes.clear();
        batch.note = self.note;
        shard.next = shard.visited.copy(shard.next, most, shard.end, &mut batch.bytes);
        !batch.bytes.is_empty()
    }

    /// Goes on to the next level, of which it gives the stores that have states of it.
    pub(crate) fn advance(&mut self) -> Vec<usize> {
        let mut filled = Vec::new();
        for (index, shard) in self.shards.iter_mut().enumerate() {
            let shard = shard.get_mut().unwrap_or_else(PoisonError::into_inner);
            shard.next = shard.end;
            shard.end = shard.visited.state_bytes() as u64;
            if shard.next < shard.end {
                filled.push(index);
            }
        }
        filled
    }

    /// What is kept of the hash of the state that a state with a hash was reached from.
    pub(crate) fn parent(&self, state: &[u8], hash: u64) -> u64 {
        let shard = self.lock(Shards::index_of(hash));
        let mut same =
            shard.visited.with_tag_of(rest_of(hash)).into_iter().filter(|id| shard.visited.get(*id) == state);
        same.next().map_or(0, |id| parent_in(shard.visited.notes(id)))
    }

    /// States among which are those whose hash begins as a parent's.
    pub(crate) fn perhaps(&self, parent: u64) -> Vec<Vec<u8>> {
        let hash = parent << (64 - 8 * PARENT);
        let shard = self.lock(Shards::index_of(hash));
        let found = shard.visited.with_tag_of(rest_of(hash));
        found.into_iter().map(|id| shard.visited.get(id).to_vec()).collect()
    }

    fn sum(&self, of: impl Fn(&Visited) -> usize) -> usize {
        (0..N_SHARDS).map(|index| of(&self.lock(index).visited)).sum()
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.sum(Visited::len)
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.sum(Visited::bytes)
    }

    /// Bytes of the states themselves.
    pub(crate) fn state_bytes(&self) -> usize {
        self.sum(Visited::state_bytes)
    }
}

impl Shard {
    fn insert(&mut self, reached: &Waiting<'_>) -> Seen {
        let (id, is_new) = self.visited.insert(reached.state, rest_of(reached.hash));
        if !is_new && id < self.end {
            return Seen::Before;
        }
        let notes = self.visited.notes_mut(id);
        if is_new || reached.parent < parent_in(notes) {
            notes[..PARENT].copy_from_slice(&reached.parent.to_le_bytes()[..PARENT]);
        }
        if !is_new {
            return Seen::InThisLevel;
        }
        if let Some(mover) = notes.get_mut(PARENT..PARENT + MOVER) {
            mover.copy_from_slice(&reached.mover.to_le_bytes());
        }
        Seen::New
    }
}

/// A hash without the bits that say in which store it is.
#[inline]
fn rest_of(hash: u64) -> u64 {
    hash.rotate_left(SHARD_BITS)
}

fn parent_in(notes: &[u8]) -> u64 {
    notes[..PARENT].iter().rev().fold(0, |parent, byte| parent << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::super::deferred::parent_of;
    use super::super::hash::hash;
    use super::*;

    #[test]
    fn a_state_belongs_to_its_first_level_and_its_smallest_parent() {
        let mut shards = Shards::new(true);
        let states: Vec<[u8; 4]> = (0..10_000u32).map(u32::to_le_bytes).collect();
        let reached = |state, parent| Waiting { state, mover: 3, hash: hash(state), parent };
        assert!(states.iter().all(|state| shards.insert(&reached(state, 7)) == Seen::New));
        assert!(states.iter().all(|state| shards.insert(&reached(state, 9)) == Seen::InThisLevel));
        assert_eq!(shards.insert(&reached(&states[3], 5)), Seen::InThisLevel);
        let filled = shards.advance();
        assert_eq!(shards.insert(&reached(&states[3], 1)), Seen::Before);
        let parent = |state: &[u8]| shards.parent(state, hash(state));
        assert_eq!((parent(&states[3]), parent(&states[4])), (5, 7));
        assert_eq!(shards.insert(&reached(&[1, 2, 3], 1)), Seen::New);
        assert_eq!(shards.insert(&reached(&states[4], 1)), Seen::Before);
        assert_eq!(shards.len(), 10_001);
        assert!(shards.perhaps(parent_of(hash(&states[9]))).contains(&states[9].to_vec()));
        let mut batch = Batch::default();
        let mut n_taken = 0;
        for index in filled {
            while shards.take(index, 7, &mut batch) {
                n_taken += batch.states().filter(|(state, mover)| state.len() == 4 && *mover == Some(3)).count();
            }
        }
        assert_eq!(n_taken, 10_000);
    }
}
