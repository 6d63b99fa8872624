//! Who holds which lock, and waits for what? Told by the `Mark`s of the library models; for reports only.

use crate::stmt::Mark;

/// The locks held by each thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Locks {
    /// By thread, in the order of locking: address, and whether it is shared with other readers.
    held: Vec<Vec<(u64, bool)>>,
    /// By thread, the condition variable or barrier that it waits at, and how it said so.
    awaited: Vec<Option<(u64, Mark)>>,
}

impl Locks {
    /// A thread has passed a mark.
    pub fn mark(&mut self, thread: u32, mark: Mark, addr: u64) {
        let index = thread as usize;
        if self.held.len() <= index {
            self.held.resize(index + 1, Vec::new());
            self.awaited.resize(index + 1, None);
        }
        match mark {
            Mark::Locked | Mark::ReadLocked => {
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
            Mark::Waits | Mark::Arrives => self.awaited[index] = Some((addr, mark)),
            Mark::Woken | Mark::WokenEarly | Mark::Passes => self.awaited[index] = None,
            Mark::Busy | Mark::Signals | Mark::Broadcasts | Mark::Down | Mark::Up => {}
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

    /// What a thread said that it waits for.
    pub fn awaited_by(&self, thread: u32) -> Option<(u64, Mark)> {
        self.awaited.get(thread as usize).copied().flatten()
    }

    fn holds(&self, thread: usize, addr: u64) -> bool {
        self.held[thread].iter().any(|(lock, _)| *lock == addr)
    }
}
