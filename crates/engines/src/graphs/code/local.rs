//! Where does a thread stand, and what will it do next? Everything about a thread that does not depend on the others.
//!
//! A thread is run alone: what it does up to its next event depends on what its reads have found, and on nothing else. So a standing can be kept with the event
//! that follows it, and used again when the events after it are taken away.

use super::flow::{Flow, Reads};
use ir::{AllocKind, EdgeId, LocId, Order, ProcId, Property, SiteId, Span, Why};
use logic::{Scalar, Sort, Value, VarId};

/// Where control is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum At {
    /// At a location.
    Loc(LocId),
    /// Before a statement of an edge.
    Inside(EdgeId, u32),
}

/// The values of some variables, and what they depend on.
type Standing = (Vec<Option<Value>>, Vec<Reads>);

/// The state of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) proc: ProcId,
    pub(crate) at: At,
    /// Thread variables and locals, by slot; nothing for what nobody has chosen.
    pub(crate) vars: Vec<Option<Value>>,
    /// What they depend on, if somebody asks.
    pub(crate) flow: Option<Flow>,
    /// What the update whose read is done will write, and what it has read.
    pub(crate) pending: Option<(Value, Value)>,
    /// Whether it is the first thread before there is another one: what it does then is what memory holds at first.
    pub(crate) is_early: bool,
    /// Whether it is in an atomic section, which only the first thread can be, before others run.
    pub(crate) is_alone: bool,
    /// How many granules of addresses it has used.
    pub(crate) n_granules: u64,
    /// How many threads it has started.
    pub(crate) n_started: u32,
    /// How many edges it has begun.
    pub(crate) n_steps: u32,
    /// Those since its last event.
    pub(crate) segment: Vec<EdgeId>,
    /// Heads of loops where it has been since it last did something that others can notice, and its variables there.
    pub(crate) heads: Vec<(LocId, Standing)>,
}

/// A place that is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spot {
    Var(VarId),
    Mem { addr: u64, sort: Scalar },
}

/// What a thread does next.
#[derive(Clone, Debug)]
pub(crate) enum Next {
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
pub(crate) enum Blocked {
    /// An assumption does not hold.
    Assumes,
    /// An update waits for another value.
    Waits,
    /// A round of a loop has changed nothing.
    Spins,
}

/// A thread before an event, or at its end.
#[derive(Clone, Debug)]
pub(crate) struct Here {
    pub(crate) local: Local,
    pub(crate) next: Next,
    /// The statement that is next.
    pub(crate) site: SiteId,
    pub(crate) span: Span,
}

impl Here {
    /// The number of the edge that the thread is in.
    pub(crate) fn step(&self) -> u32 {
        self.local.n_steps.saturating_sub(1)
    }

    /// Whether the second half of an update comes next.
    pub(crate) fn is_pending(&self) -> bool {
        matches!(self.next, Next::Write { is_update: true, .. })
    }
}

impl Local {
    /// Others may notice what it has done.
    pub(crate) fn has_effect(&mut self) {
        self.heads.clear();
    }
}
