//! Which states wait to be looked up? Those that workers have reached, sorted by the store that they belong to.
//!
//! Known as: delayed duplicate detection with hash partitioning \[Korf08].
//!
//! A table of millions of states does not fit into a processor's caches, so that looking up one state after the other is waiting for memory. One store of `Shards` does fit, or nearly.
//! States that were reached are written down, one queue for each store, and are looked up store by store.

/// Bytes before those of a state: its length, the thread that has moved, its hash and its parent.
const HEAD: usize = 3 + 2 + 8 + PARENT;

/// Bytes that tell a parent: the first ones of its hash.
pub(crate) const PARENT: usize = 6;

/// States that wait.
#[derive(Default)]
pub(crate) struct Deferred {
    /// One queue for each store, made when the first state for it comes.
    queues: Vec<Vec<u8>>,
    n_bytes: usize,
}

/// A state that waits, packed.
#[derive(Clone, Copy, Default)]
pub(crate) struct Waiting<'d> {
    pub(crate) state: &'d [u8],
    /// The thread that has moved last.
    pub(crate) mover: u16,
    pub(crate) hash: u64,
    /// The first bytes of the hash of the state that it was reached from.
    pub(crate) parent: u64,
}

/// What is kept of the hash of a parent.
pub(crate) fn parent_of(hash: u64) -> u64 {
    hash >> (64 - 8 * PARENT)
}

impl Deferred {
    /// Bytes of all that wait.
    pub(crate) fn n_bytes(&self) -> usize {
        self.n_bytes
    }

    /// Writes a state down for its store.
    #[inline]
    pub(crate) fn push(&mut self, shard: usize, waiting: &Waiting<'_>) {
        if self.queues.len() <= shard {
            self.queues.resize(shard + 1, Vec::new());
        }
        let mut head = [0; HEAD + 2];
        head[..4].copy_from_slice(&(waiting.state.len() as u32).to_le_bytes());
        head[3..5].copy_from_slice(&waiting.mover.to_le_bytes());
        head[5..13].copy_from_slice(&waiting.hash.to_le_bytes());
        head[13..21].copy_from_slice(&waiting.parent.to_le_bytes());
        let queue = &mut self.queues[shard];
        queue.reserve(HEAD + waiting.state.len());
        queue.extend_from_slice(&head[..HEAD]);
        queue.extend_from_slice(waiting.state);
        self.n_bytes += HEAD + waiting.state.len();
    }

    /// The states that wait for a store, in the order in which they came.
    pub(crate) fn of_shard(&self, shard: usize) -> impl Iterator<Item = Waiting<'_>> {
        let mut rest = self.queues.get(shard).map_or(&[][..], Vec::as_slice);
        std::iter::from_fn(move || {
            let (head, after) = rest.split_first_chunk::<HEAD>()?;
            let [l0, l1, l2, m0, m1, h @ .., p0, p1, p2, p3, p4, p5] = *head;
            let (state, after) = after.split_at(u32::from_le_bytes([l0, l1, l2, 0]) as usize);
            rest = after;
            let parent = u64::from_le_bytes([p0, p1, p2, p3, p4, p5, 0, 0]);
            Some(Waiting { state, mover: u16::from_le_bytes([m0, m1]), hash: u64::from_le_bytes(h), parent })
        })
    }

    /// Forgets all; the room is kept.
    pub(crate) fn clear(&mut self) {
        self.queues.iter_mut().for_each(Vec::clear);
        self.n_bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_down_is_read_again() {
        let mut deferred = Deferred::default();
        assert_eq!(deferred.of_shard(3).count(), 0);
        for length in 0..40u8 {
            let state: Vec<u8> = (0..length).collect();
            let (mover, hash) = (u16::from(length) << 7, u64::from(length) << 50);
            deferred.push(usize::from(length % 2), &Waiting { state: &state, mover, hash, parent: parent_of(!hash) });
        }
        assert_eq!(deferred.n_bytes(), 40 * HEAD + (0..40).sum::<usize>());
        for (waiting, length) in deferred.of_shard(1).zip((1..40u8).step_by(2)) {
            assert_eq!(waiting.state, (0..length).collect::<Vec<u8>>());
            assert_eq!((waiting.mover, waiting.hash), (u16::from(length) << 7, u64::from(length) << 50));
            assert_eq!(waiting.parent, parent_of(!(u64::from(length) << 50)));
        }
        assert_eq!(deferred.of_shard(1).count(), 20);
        deferred.clear();
        assert_eq!((deferred.n_bytes(), deferred.of_shard(1).count()), (0, 0));
    }
}
