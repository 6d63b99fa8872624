//! Has one of several workers seen this state? The states in many small stores, each behind a lock of its own.
//!
//! Known as: shared state store of multi-core model checking \[Laarman10].
//!
//! The hash of a state says in which store it is, so that workers rarely wait for each other. Each state has the hash of the state that it was reached
//! from; of several on the level before, the smallest. So ways back to the beginning do not depend on who was faster.

use super::deferred::{Deferred, Waiting};
use super::visited::{Visited, hash};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Stores; many more than workers, so that two rarely want the same.
pub(crate) const N_SHARDS: usize = 256;

/// All states that any worker has seen.
pub(crate) struct Shards {
    shards: Vec<Mutex<Shard>>,
}

/// Some of the states.
struct Shard {
    visited: Visited,
    /// The level in which a state was last asked for, and where the states of that level begin.
    level: usize,
    begin: u64,
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

impl Shards {
    pub(crate) fn new() -> Shards {
        let shard = || Mutex::new(Shard { visited: Visited::with_parents(), level: 0, begin: 0 });
        Shards { shards: (0..N_SHARDS).map(|_| shard()).collect() }
    }

    /// In which store a state with a hash is. The tables inside use other bits.
    pub(crate) fn index_of(hash: u64) -> usize {
        (hash >> 32) as usize % N_SHARDS
    }

    fn shard(&self, hash: u64) -> MutexGuard<'_, Shard> {
        self.lock(Shards::index_of(hash))
    }

    fn lock(&self, index: usize) -> MutexGuard<'_, Shard> {
        self.shards[index].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a state that was reached in a level from one with a hash.
    pub(crate) fn insert(&self, state: &[u8], level: usize, parent: u64) -> Seen {
        let hash = hash(state);
        self.shard(hash).insert(&Waiting { state, mover: None, hash, parent }, level)
    }

    /// Adds states that were reached in a level and wait for the store with a number. Says of each what was known of it.
    pub(crate) fn take_in(
        &self,
        index: usize,
        level: usize,
        deferred: &Deferred,
        mut tell: impl FnMut(&Waiting<'_>, Seen),
    ) {
        let mut shard = self.lock(index);
        for waiting in deferred.of_shard(index) {
            let seen = shard.insert(&waiting, level);
            tell(&waiting, seen);
        }
    }

    /// The hash of the state that a state was reached from.
    pub(crate) fn parent(&self, state: &[u8]) -> u64 {
        let hash = hash(state);
        let shard = self.shard(hash);
        let mut same = shard.visited.with_hash(hash).into_iter().filter(|id| shard.visited.get(*id) == state);
        same.next().map_or(0, |id| shard.visited.parent(id))
    }

    /// The states with a hash.
    pub(crate) fn with_hash(&self, hash: u64) -> Vec<Vec<u8>> {
        let shard = self.shard(hash);
        shard.visited.with_hash(hash).into_iter().map(|id| shard.visited.get(id).to_vec()).collect()
    }

    fn sum(&self, of: impl Fn(&Visited) -> usize) -> usize {
        self.shards.iter().map(|shard| of(&shard.lock().unwrap_or_else(PoisonError::into_inner).visited)).sum()
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
    fn insert(&mut self, reached: &Waiting<'_>, level: usize) -> Seen {
        if self.level != level {
            self.level = level;
            self.begin = self.visited.state_bytes() as u64;
        }
        let (id, is_new) = self.visited.insert_hashed(reached.state, reached.hash);
        if !is_new && id < self.begin {
            return Seen::Before;
        }
        if is_new || reached.parent < self.visited.parent(id) {
            self.visited.set_parent(id, reached.parent);
        }
        if is_new { Seen::New } else { Seen::InThisLevel }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_belongs_to_its_first_level_and_its_smallest_parent() {
        let shards = Shards::new();
        let states: Vec<[u8; 4]> = (0..10_000u32).map(u32::to_le_bytes).collect();
        assert!(states.iter().all(|state| shards.insert(state, 1, 7) == Seen::New));
        assert!(states.iter().all(|state| shards.insert(state, 1, 9) == Seen::InThisLevel));
        assert_eq!(shards.insert(&states[3], 1, 5), Seen::InThisLevel);
        assert_eq!(shards.insert(&states[3], 2, 1), Seen::Before);
        assert_eq!((shards.parent(&states[3]), shards.parent(&states[4])), (5, 7));
        assert_eq!(shards.insert(&[1, 2, 3], 2, 1), Seen::New);
        assert_eq!(shards.insert(&states[4], 2, 1), Seen::Before);
        assert_eq!(shards.len(), 10_001);
        assert_eq!(shards.with_hash(hash(&states[9])), vec![states[9].to_vec()]);
    }
}
