//! What lives through all rounds? The program as cells, the domain, the settings, and what has been found out once and for all.

use crate::abstraction::cells::Cells;
use crate::abstraction::domain::Domain;
use crate::abstraction::entailment::Entailment;
use crate::abstraction::state::Live;
use crate::abstraction::symbolic::Summary;
use crate::explore::actions::Actions;
use ir::{EdgeRef, Properties};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::time::Duration;

/// What lives through all rounds.
pub(crate) struct World<'p> {
    pub(crate) cells: Cells<'p>,
    pub(crate) entailment: Entailment,
    pub(crate) actions: Actions,
    pub(crate) live: Live,
    pub(crate) properties: Properties,
    pub(crate) domain: Box<dyn Domain>,
    pub(crate) reduction: Reduction,
    pub(crate) order: Strategy,
    pub(crate) cone: crate::abstraction::cone::ConeOfInfluence,
    pub(crate) summaries: FxHashMap<(u32, EdgeRef), Rc<Summary>>,
    /// Whether the edges of a location together cover all cases.
    pub(crate) is_total: FxHashMap<(u32, u32), bool>,
    /// Steps that are known to leave the model; they are passed over.
    pub(crate) passed_over: FxHashSet<(EdgeRef, usize)>,
    pub(crate) counts: Counts,
    pub(crate) distance: Vec<Vec<u32>>,
    /// Whether a round ends when a cell takes many values.
    pub(crate) counts_values: bool,
    /// Whether a round ends when a loop starts many threads.
    pub(crate) watches_starts: bool,
    /// How many paths to errors a round looks for.
    pub(crate) n_paths: usize,
}

/// Which interleavings are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reduction {
    /// None.
    None,
    /// All outside of source sets, by the syntactic relation.
    Source,
    /// Likewise by the abstraction-based relation.
    Aware,
    /// Those that what was explored shows to be equal, by the syntactic relation.
    Dynamic,
    /// Likewise by the abstraction-based relation.
    AwareDynamic,
}

impl Reduction {
    /// Whether only what the abstraction knows about counts.
    pub(crate) fn is_aware(self) -> bool {
        matches!(self, Reduction::Aware | Reduction::AwareDynamic)
    }

    /// Whether what was explored decides what more has to be.
    pub(crate) fn is_dynamic(self) -> bool {
        matches!(self, Reduction::Dynamic | Reduction::AwareDynamic)
    }
}

/// In which order nodes are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Strategy {
    /// Nearest to the start first.
    Breadth,
    /// The newest first.
    Depth,
    /// Nearest to an error first.
    Distance,
}

/// Numbers that add up over all rounds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) actions: u64,
    pub(crate) states: u64,
    pub(crate) covered: u64,
    /// Assignments to what the program declares, as often as they were executed on an abstract state.
    pub(crate) assignments: u64,
    /// Of these, those that became `havoc`, and those of which nothing was left.
    pub(crate) simplified: u64,
    pub(crate) eliminated: u64,
    /// Time computed, not passed, by successor calculation with the cone.
    pub(crate) successor_time: Duration,
}
