//! Where is a thread while it is executed symbolically? A state between steps, and a walk within one.
//!
//! A state stands for all ways of a thread that lead to one copy of a location: its variables as terms, the nodes it came from, and the point of the
//! dominator tree that its guard is read from.

use super::control_flow::Laps;
use crate::bmc::locks::critical_sections::Held;
use crate::bmc::locks::lock::Lock;
use crate::bmc::reductions::spin_loops::Did;
use crate::bmc::unrolled::{Flows, Record};
use ir::{EdgeId, Op, ProcId, Why};
use logic::{TermId, VarId};
use smallvec::SmallVec;

/// Where some ways of a thread are.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) point: u32,
    pub(crate) env: Vec<(VarId, TermId)>,
    /// The last nodes.
    pub(crate) frontier: SmallVec<[u32; 2]>,
    /// Whether no other thread can have been started.
    pub(crate) alone: bool,
    /// How many threads this one has started.
    pub(crate) n_started: TermId,
    pub(crate) n_granules: u64,
    pub(crate) depth: u32,
    /// The node of the atomic section.
    pub(crate) section: Option<u32>,
    /// Whether the stores so far reach memory before anything else happens.
    pub(crate) wants_fence: bool,
    pub(crate) laps: Laps,
    /// The lock that the last step with accesses took.
    pub(crate) taken: Option<Lock>,
    /// The locks that it has.
    pub(crate) held: Held,
    /// What its variables depend on, where axioms judge.
    pub(crate) flows: Flows,
}

impl State {
    /// The value of a variable, if it was given one.
    pub(crate) fn value_of(&self, var: VarId) -> Option<TermId> {
        self.env.binary_search_by_key(&var, |(var, _)| *var).ok().map(|at| self.env[at].1)
    }

    /// Gives a variable a value.
    pub(crate) fn set(&mut self, var: VarId, value: TermId) {
        match self.env.binary_search_by_key(&var, |(var, _)| *var) {
            Ok(at) => self.env[at].1 = value,
            Err(at) => self.env.insert(at, (var, value)),
        }
    }

    /// Notes what a step has done that matters to loops.
    pub(crate) fn note(&mut self, did: Did) {
        self.laps.iter_mut().for_each(|lap| lap.since.note(did));
        match did {
            Did::Nothing => {}
            Did::Takes(lock) => self.taken = Some(lock),
            Did::Reads | Did::Gives(_) | Did::Attempts(_) | Did::Other => self.taken = None,
        }
    }
}

/// A step being executed.
pub(crate) struct Walk {
    pub(crate) thread: u32,
    pub(crate) state: State,
    pub(crate) record: Record,
    /// The events of the step.
    pub(crate) reads: Vec<usize>,
    pub(crate) writes: Vec<usize>,
    /// Whether all accesses of the step are one.
    pub(crate) is_group: bool,
    /// The node of the step.
    pub(crate) node: Option<u32>,
    /// Whether the step's access comes after all stores of the thread have reached memory.
    pub(crate) is_fence: bool,
    /// The statement that stores, while it does.
    pub(crate) store: Option<ir::SiteId>,
    /// When the step's store reaches memory, if it is buffered.
    pub(crate) commit: Option<u32>,
    /// The statement.
    pub(crate) stmt: u32,
    /// How it accesses shared state.
    pub(crate) how: memory::events::How,
    pub(crate) edge: EdgeId,
    pub(crate) proc: ProcId,
    pub(crate) variant: Variant,
    /// What it does that matters to loops.
    pub(crate) did: Did,
}

impl Walk {
    /// Whether the accesses of the step are one with others.
    pub(crate) fn is_inside(&self) -> bool {
        self.state.depth > 0 || self.is_group
    }
}

/// How a step waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Variant {
    /// It need not, or nothing depends on it.
    Any,
    /// It is in an atomic section and goes on at once.
    AtOnce,
    /// It is in an atomic section, which opens since it has to wait.
    Opens,
}

/// Why a way ends.
pub(crate) enum Stop {
    /// It ends here.
    End,
    /// Unrolling must end.
    Why(Why),
}

pub(crate) type Go<T = ()> = Result<T, Stop>;

/// The ways to take an edge: inside of an atomic section that has accessed something, waiting opens the section.
pub(crate) fn variants(state: &State, edge: &ir::Edge) -> &'static [Variant] {
    let first = edge.stmts.iter().find(|stmt| !stmt.accesses().is_empty());
    let waits = first.is_some_and(|stmt| matches!(stmt.op, Op::Rmw { wait: Some(_), .. } | Op::Join { .. }));
    if waits && state.depth > 0 && state.section.is_some() {
        &[Variant::AtOnce, Variant::Opens]
    } else {
        &[Variant::Any]
    }
}
