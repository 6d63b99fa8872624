//! Which states wait to be looked up? Those that workers have reached, sorted by the store that they belong to.
//!
//! Known as: delayed duplicate detection with hash partitioning \[Korf08].
//!
//! A table of millions of states does not fit into a processor's caches, so that looking up one state after the other is waiting for memory. One store of `Shards` does fit.
//! States that were reached are written down, one queue for each store, and are looked up store by store.

/// Bytes before those of a state: its length, the thread that has moved, its hash and its parent's.
const HEAD: usize = 4 + 2 + 8 + 8;

/// In place of a thread, where none is to be named.
const NOBODY: u16 = u16::MAX;

/// States that wait.
#[derive(Default)]
pub(crate) struct Deferred {
    /// One queue for each store, made when the first state for it comes.
    queues: Vec<Vec<u8>>,
    n_bytes: usize,
}

/// A state that waits.
pub(crate) struct Waiting<'d> {
    pub(crate) state: &'d [u8],
    /// The thread that has moved last.
    pub(crate) mover: Option<u16>,
    pub(crate) hash: u64,
    /// The hash of the state that it was reached from.
    pub(crate) parent: u64,
}

impl Deferred {
    /// Bytes of all that wait.
    pub(crate) fn n_bytes(&self) -> usize {
        self.n_bytes
    }

    /// Writes a state down for its store.
    pub(crate) fn push(&mut self, shard: usize, waiting: &Waiting<'_>) {
        if self.queues.len() <= shard {
            self.queues.resize(shard + 1, Vec::new());
        }
        let queue = &mut self.queues[shard];
        queue.extend_from_slice(&(waiting.state.len() as u32).to_le_bytes());
        queue.extend_from_slice(&waiting.mover.unwrap_or(NOBODY).to_le_bytes());
        queue.extend_from_slice(&waiting.hash.to_le_bytes());
        queue.extend_from_slice(&waiting.parent.to_le_bytes());
        queue.extend_from_slice(waiting.state);
        self.n_bytes += HEAD + waiting.state.len();
    }

    /// The states that wait for a store, in the order in which they came.
    pub(crate) fn of_shard(&self, shard: usize) -> impl Iterator<Item = Waiting<'_>> {
        let mut rest = self.queues.get(shard).map_or(&[][..], Vec::as_slice);
        std::iter::from_fn(move || {
            let (head, after) = rest.split_first_chunk::<HEAD>()?;
            let number = |at: usize, n: usize| {
                let mut bytes = [0; 8];
                bytes[..n].copy_from_slice(&head[at..at + n]);
                u64::from_le_bytes(bytes)
            };
            let (state, after) = after.split_at(number(0, 4) as usize);
            rest = after;
            let mover = Some(number(4, 2) as u16).filter(|thread| *thread != NOBODY);
            Some(Waiting { state, mover, hash: number(6, 8), parent: number(14, 8) })
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
            let mover = (length % 3 > 0).then_some(u16::from(length));
            let waiting = Waiting { state: &state, mover, hash: u64::from(length) << 50, parent: u64::MAX - 1 };
            deferred.push(usize::from(length % 2), &waiting);
        }
        assert_eq!(deferred.n_bytes(), 40 * HEAD + (0..40).sum::<usize>());
        for (waiting, length) in deferred.of_shard(1).zip((1..40u8).step_by(2)) {
            assert_eq!(waiting.state, (0..length).collect::<Vec<u8>>());
            assert_eq!(waiting.mover, (length % 3 > 0).then_some(u16::from(length)));
            assert_eq!((waiting.hash, waiting.parent), (u64::from(length) << 50, u64::MAX - 1));
        }
        assert_eq!(deferred.of_shard(1).count(), 20);
        deferred.clear();
        assert_eq!((deferred.n_bytes(), deferred.of_shard(1).count()), (0, 0));
    }
}
