//! Who holds which lock? Told by the `Mark`s of the library models; for reports only.

use crate::stmt::Mark;
use std::collections::BTreeSet;

/// The locks held by each thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Locks {
    /// By thread, in the order of locking: address, and whether it is shared with other readers.
    held: Vec<Vec<(u64, bool)>>,
    /// All locks ever taken.
    known: BTreeSet<u64>,
}

impl Locks {
    /// A thread has passed a mark.
    pub fn mark(&mut self, thread: u32, mark: Mark, addr: u64) {
        let index = thread as usize;
        if self.held.len() <= index {
            self.held.resize(index + 1, Vec::new());
        }
        match mark {
            Mark::Locked | Mark::ReadLocked => {
                self.known.insert(addr);
                self.held[index].push((addr, mark == Mark::ReadLocked));
            }
            Mark::Unlocked => {
                // Usually one's own; some locks may be given back by another thread.
                let owner = if self.holds(index, addr) { Some(index) } else { self.holder(addr).map(|t| t as usize) };
                if let Some(owner) = owner
                    && let Some(last) = self.held[owner].iter().rposition(|(lock, _)| *lock == addr)
                {
                    self.held[owner].remove(last);
                }
            }
        }
    }

    /// The locks that a thread holds, in the order of locking.
    pub fn held_by(&self, thread: u32) -> impl Iterator<Item = (u64, bool)> + '_ {
        self.held.get(thread as usize).into_iter().flatten().copied()
    }

    /// The thread that holds a lock.
    pub fn holder(&self, addr: u64) -> Option<u32> {
        (0..self.held.len()).find(|thread| self.holds(*thread, addr)).map(|thread| thread as u32)
    }

    /// The lock that an address between `from` and itself belongs to: the last known one at or before it.
    pub fn lock_at(&self, from: u64, addr: u64) -> Option<u64> {
        self.known.range(from..=addr).next_back().copied()
    }

    fn holds(&self, thread: usize, addr: u64) -> bool {
        self.held[thread].iter().any(|(lock, _)| *lock == addr)
    }
}
