//! Where does a thread stand, and what will it do next? Everything about a thread that does not depend on the others.
//!
//! A thread is run alone: what it does up to its next event depends on what its reads have found, and on nothing else. So a standing can be kept with the event
//! that follows it, and used again when the events after it are taken away.

use ir::{AllocKind, EdgeId, LocId, Order, ProcId, Property, SiteId, Span, Why};
use logic::{Scalar, Sort, Value, VarId};

/// Where control is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum At {
    /// At a location.
    Loc(LocId),
    /// Before a statement of an edge.
    Inside(EdgeId, u32),
}

/// The state of a thread.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) proc: ProcId,
    pub(super) at: At,
    /// Thread variables and locals, by slot; nothing for what nobody has chosen.
    pub(super) vars: Vec<Option<Value>>,
    /// What the update whose read is done will write, and what it has read.
    pub(super) pending: Option<(Value, Value)>,
    /// Whether it is the first thread before there is another one: what it does then is what memory holds at first.
    pub(super) is_early: bool,
    /// How many granules of addresses it has used.
    pub(super) n_granules: u64,
    /// How many threads it has started.
    pub(super) n_started: u32,
    /// How many edges it has begun.
    pub(super) n_steps: u32,
    /// Those since its last event.
    pub(super) segment: Vec<EdgeId>,
    /// Heads of loops where it has been since it last did something that others can notice, and its variables there.
    pub(super) heads: Vec<(LocId, Vec<Option<Value>>)>,
}

/// A place that is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spot {
    Var(VarId),
    Mem { addr: u64, sort: Scalar },
}

/// What a thread does next.
#[derive(Clone, Debug)]
pub(super) enum Next {
    /// Reads; for an update that is its first half.
    Read {
        spot: Spot,
    },
    /// Writes; `is_update` if this is the second half of an update.
    Write {
        spot: Spot,
        value: Value,
        order: Order,
        is_update: bool,
    },
    Fence(Order),
    /// Chooses the value of an input.
    Input {
        sort: Sort,
    },
    Alloc {
        size: u64,
        kind: AllocKind,
        zeroed: bool,
    },
    Free {
        addr: u64,
        kind: AllocKind,
    },
    Start {
        proc: ProcId,
        args: Vec<Value>,
    },
    Join {
        handle: u64,
    },
    /// The thread ends with this word.
    End(Value),
    /// The process ends, as far as this thread is concerned.
    Exits,
    /// It does not go on, for this reason.
    Blocked(Blocked),
    /// Something goes wrong.
    Wrong(Property),
    /// Nobody knows what happens.
    Beyond(Why),
}

/// Why a thread does not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Blocked {
    /// An assumption does not hold.
    Assumes,
    /// An update waits for another value.
    Waits,
    /// A round of a loop has changed nothing.
    Spins,
}

/// A thread before an event, or at its end.
#[derive(Clone, Debug)]
pub(super) struct Here {
    pub(super) local: Local,
    pub(super) next: Next,
    /// The statement that is next.
    pub(super) site: SiteId,
    pub(super) span: Span,
}

impl Here {
    /// The number of the edge that the thread is in.
    pub(super) fn step(&self) -> u32 {
        self.local.n_steps.saturating_sub(1)
    }

    /// Whether the second half of an update comes next.
    pub(super) fn is_pending(&self) -> bool {
        matches!(self.next, Next::Write { is_update: true, .. })
    }
}

impl Local {
    /// Others may notice what it has done.
    pub(super) fn has_effect(&mut self) {
        self.heads.clear();
    }
}
