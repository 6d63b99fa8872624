//! Who waits for ever? All threads, because none can go on; or some, whatever the others do.
//!
//! A wait whose end only one thread can bring (`Wait::owner`: who holds the lock, or must end to be joined) leads from
//! thread to thread. If the way comes back to where it was, or to a lock of a thread that has ended, nobody on it ever goes on.
//! This is stable: a thread that waits does nothing, and only the owner ends the wait; a lock that somebody else gives
//! back is used in a way that means nothing (`Property::Misuse`). So it does not matter what the other threads do
//! meanwhile, nor whether the process ends later. Threads whose stores are still on their way may give a lock back by
//! that, and count only when these have arrived.
//! Known as: partial (local) deadlock, a cycle in the wait-for graph.

use crate::interp::machine::event::{Wait, WaitOn};
use crate::interp::machine::program::Machine;
use crate::interp::machine::state::State;
use crate::interp::machine::step::Status;

impl Machine<'_> {
    /// Whether threads wait for ever: who for what.
    pub fn deadlock(&self, state: &State) -> Option<Vec<(u32, Wait)>> {
        if state.end.is_some() {
            return None;
        }
        self.stuck(state).or_else(|| self.waiting_for_ever(state))
    }

    /// Whether no thread can ever go on, though the process has not ended: who waits for what.
    pub fn stuck(&self, state: &State) -> Option<Vec<(u32, Wait)>> {
        if state.end.is_some() || state.threads.iter().any(|thread| !thread.buffer.is_empty()) {
            return None;
        }
        let mut waits = Vec::new();
        for thread in 0..state.threads.len() as u32 {
            match self.status(state, thread) {
                Status::Waiting(wait) => waits.push((thread, wait)),
                Status::Finished => {}
                Status::CanRun(_) | Status::Stopped => return None,
            }
        }
        (!waits.is_empty()).then_some(waits)
    }

    /// The threads on the first way that never ends, in its order.
    fn waiting_for_ever(&self, state: &State) -> Option<Vec<(u32, Wait)>> {
        (0..state.threads.len() as u32).find_map(|first| {
            let mut way: Vec<(u32, Wait)> = Vec::new();
            let mut at = first;
            loop {
                if let Some(known) = way.iter().position(|(thread, _)| *thread == at) {
                    return Some(way.split_off(known));
                }
                let thread = state.threads.get(at as usize).filter(|thread| thread.buffer.is_empty())?;
                if thread.has_ended() {
                    // Whoever would join it goes on.
                    let waits_for_lock = |(_, wait): &(u32, Wait)| matches!(wait.on, WaitOn::Cell(..));
                    return way.last().is_some_and(waits_for_lock).then_some(way);
                }
                let Status::Waiting(wait) = self.status(state, at) else { return None };
                let owner = wait.owner?;
                way.push((at, wait));
                at = u32::try_from(owner.checked_sub(1)?).ok()?;
            }
        })
    }
}
