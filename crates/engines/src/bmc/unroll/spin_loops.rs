//! Which rounds of a loop need not be unrolled? Those after which a thread is where it was, and nobody can tell.
//!
//! A round that only reads, and leaves the variables at the head of the loop as they were, can be left out of an execution. So can one that also
//! takes a lock and gives it back: others only ever wait for the lock, so nothing tells them that it was taken for a while. A round that
//! gives a lock back and takes it again (a condition variable wakes without a signal) can be left out if the thread took that lock just before
//! the round began: it can take it later instead, when the round would end. What happens inside of such a round is still looked at once, since
//! only its way back to the head is cut.
//!
//! Invariant: the locks that this relies on are used as `locks` demands; that is checked once everything is unrolled.

use crate::bmc::locks::critical_sections::Lock;
use crate::bmc::unroll::control_flow::Lap;
use crate::bmc::unroll::symbolic_execution::State;

/// What a step does that matters to loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Did {
    /// Nothing that others take part in.
    Nothing,
    Reads,
    /// Writes a constant that may give a lock back.
    Gives(Lock),
    Takes(Lock),
    Other,
}

impl Did {
    /// What two statements of one step do.
    pub(crate) fn and(self, next: Did) -> Did {
        match (self, next) {
            (Did::Nothing, did) | (did, Did::Nothing) => did,
            (Did::Reads, Did::Reads) => Did::Reads,
            _ => Did::Other,
        }
    }
}

/// What a round of a loop has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Doings {
    /// At most read, and taken locks that it has given back.
    Idle,
    /// Likewise, and it has a lock.
    Holds(Lock),
    /// It has given a lock back that it did not take.
    Gave(Lock),
    /// It has given a lock back and taken it again, and has done nothing since.
    Swapped(Lock),
    /// Something that others may notice.
    Other,
}

impl Doings {
    fn then(self, did: Did) -> Doings {
        match (self, did) {
            (same, Did::Nothing) => same,
            (Doings::Idle, Did::Reads) => Doings::Idle,
            (Doings::Idle, Did::Takes(lock)) => Doings::Holds(lock),
            (Doings::Idle, Did::Gives(lock)) => Doings::Gave(lock),
            (Doings::Holds(lock), Did::Reads) => Doings::Holds(lock),
            (Doings::Holds(lock), Did::Gives(back)) if lock == back => Doings::Idle,
            (Doings::Gave(back), Did::Takes(lock)) if lock == back => Doings::Swapped(lock),
            _ => Doings::Other,
        }
    }
}

/// Notes what a step has done.
pub(crate) fn note(state: &mut State, did: Did) {
    for lap in &mut state.laps {
        lap.doings = lap.doings.then(did);
        if let Did::Takes(lock) = did
            && !lap.locks.contains(&lock)
        {
            lap.locks.push(lock);
        }
    }
    match did {
        Did::Nothing => {}
        Did::Takes(lock) => state.taken = Some(lock),
        Did::Reads | Did::Gives(_) | Did::Other => state.taken = None,
    }
}

/// Whether a round can be left out, if the variables at the head are as they were.
pub(crate) fn is_idle(lap: &Lap) -> bool {
    match lap.doings {
        Doings::Idle => true,
        Doings::Swapped(lock) => lap.entered == Some(lock),
        Doings::Holds(_) | Doings::Gave(_) | Doings::Other => false,
    }
}

/// Whether a round will be left out that another way, meeting this one, would hide.
pub(crate) fn is_promising(state: &State) -> bool {
    state.laps.iter().any(|lap| matches!(lap.doings, Doings::Swapped(lock) if lap.entered == Some(lock)))
}
