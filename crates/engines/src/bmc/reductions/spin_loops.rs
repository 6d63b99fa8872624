//! Which rounds of a loop need not be unrolled? Those after which a thread is where it was, and nobody can tell.
//!
//! Known as: spin-loop elimination, spinloop assume transformation (GenMC); for condition variables, leaving out spurious wake-ups.
//!
//! A round that only reads, and leaves the variables at the head of the loop as they were, can be left out of an execution. So can one that also
//! takes a lock and gives it back: others only ever wait for the lock, so nothing tells them that it was taken for a while. A round that
//! gives a lock back and takes it again (a condition variable wakes without a signal) can be left out if the thread took that lock just before
//! the round began: it can take it later instead, when the round would end. What happens inside of such a round is still looked at once, since
//! only its way back to the head is cut. A compare-exchange that fails is but a read where axioms judge, so a round whose attempts have all failed can be left out likewise.
//!
//! Invariant: the locks that this relies on are used as `critical_sections` demands; that is checked once everything is unrolled.

use crate::bmc::locks::lock::Lock;
use crate::bmc::unrolled::Flows;
use ir::SiteId;
use logic::{TermId, VarId};
use smallvec::SmallVec;
use std::rc::Rc;

/// How many rounds are remembered.
pub(crate) const ROUNDS: usize = 4;

/// What a step does that matters to loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Did {
    /// Nothing that others take part in.
    Nothing,
    Reads,
    /// Writes a constant that may give a lock back.
    Gives(Lock),
    Takes(Lock),
    /// Attempts to update, which is but a read if this holds.
    Attempts(TermId),
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
enum Doings {
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
            (Doings::Idle, Did::Reads | Did::Attempts(_)) => Doings::Idle,
            (Doings::Idle, Did::Takes(lock)) => Doings::Holds(lock),
            (Doings::Idle, Did::Gives(lock)) => Doings::Gave(lock),
            (Doings::Holds(lock), Did::Reads) => Doings::Holds(lock),
            (Doings::Holds(lock), Did::Gives(back)) if lock == back => Doings::Idle,
            (Doings::Gave(back), Did::Takes(lock)) if lock == back => Doings::Swapped(lock),
            _ => Doings::Other,
        }
    }
}

/// A round of a loop, as far as leaving it out depends on it.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    doings: Doings,
    /// The lock that was taken just before the round, if nothing happened in between.
    entered: Option<Lock>,
    /// The locks it has taken.
    locks: SmallVec<[Lock; 1]>,
    /// When its attempts to update have all failed.
    fails: SmallVec<[TermId; 1]>,
    /// The number of the first read that may be its own.
    first_read: usize,
    /// What it was told by the environment.
    inputs: SmallVec<[(SiteId, TermId); 1]>,
}

/// A thread at the head of a loop.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    /// Whether it gets there.
    pub(crate) guard: TermId,
    /// The variables that matter from here on.
    pub(crate) vars: Vec<(VarId, TermId)>,
    /// What they depend on.
    pub(crate) flows: Flows,
    /// How many reads there are by then.
    pub(crate) n_reads: usize,
    /// The round that has come to its end here.
    pub(crate) before: Round,
}

impl Head {
    /// The heads of the last rounds, with one more.
    pub(crate) fn after(self, heads: &[Rc<Head>]) -> Rc<Vec<Rc<Head>>> {
        let first = heads.len().saturating_sub(ROUNDS);
        Rc::new(heads[first..].iter().cloned().chain([Rc::new(self)]).collect())
    }
}

impl Round {
    /// One that was not begun at the head of its loop, so that it is never left out.
    pub(crate) fn unknown() -> Round {
        Round { doings: Doings::Other, ..Round::begun(None, 0) }
    }

    /// One that begins, by a thread whose last step took this lock, when there are so many reads.
    pub(crate) fn begun(entered: Option<Lock>, first_read: usize) -> Round {
        let (locks, fails, inputs) = (SmallVec::new(), SmallVec::new(), SmallVec::new());
        Round { doings: Doings::Idle, entered, locks, fails, first_read, inputs }
    }

    /// Notes what the environment says.
    pub(crate) fn note_input(&mut self, site: SiteId, input: TermId) {
        self.inputs.push((site, input));
    }

    /// Notes what a step has done.
    pub(crate) fn note(&mut self, did: Did) {
        self.doings = self.doings.then(did);
        if let Did::Attempts(fails) = did {
            self.fails.push(fails);
        }
        if let Did::Takes(lock) = did
            && !self.locks.contains(&lock)
        {
            self.locks.push(lock);
        }
    }

    /// What is true of both of two ways that meet.
    pub(crate) fn meet(&mut self, other: &Round) {
        if self.doings != other.doings {
            self.doings = Doings::Other;
        }
        self.entered = self.entered.filter(|lock| other.entered == Some(*lock));
        self.locks.extend(other.locks.iter().copied());
        self.fails.extend(other.fails.iter().copied());
        self.first_read = self.first_read.min(other.first_read);
        self.inputs.extend(other.inputs.iter().copied());
    }

    /// Whether it can be left out, if the variables at the head are as they were.
    pub(crate) fn is_idle(&self) -> bool {
        match self.doings {
            Doings::Idle => true,
            Doings::Swapped(_) => self.is_swapped(),
            Doings::Holds(_) | Doings::Gave(_) | Doings::Other => false,
        }
    }

    /// Whether it has but read, apart from attempts to update that may have succeeded.
    pub(crate) fn is_reading(&self) -> bool {
        self.doings == Doings::Idle && self.locks.is_empty()
    }

    /// Whether it will be left out for the sake of a lock, which another way, meeting this one, would hide.
    pub(crate) fn is_swapped(&self) -> bool {
        matches!(self.doings, Doings::Swapped(lock) if self.entered == Some(lock))
    }

    /// What must hold for its attempts to have failed, so that they were but reads.
    pub(crate) fn fails(&self) -> &[TermId] {
        &self.fails
    }

    /// The number of the first read that may be its own: all on ways to it have smaller ones.
    pub(crate) fn first_read(&self) -> usize {
        self.first_read
    }

    /// What it was told by the environment.
    pub(crate) fn inputs(&self) -> &[(SiteId, TermId)] {
        &self.inputs
    }

    /// The locks that leaving it out relies on.
    pub(crate) fn locks(&self) -> &[Lock] {
        &self.locks
    }
}
