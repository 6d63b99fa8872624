//! Which variables count the rounds of loops?
//!
//! A counter of a cycle (a strongly connected component) is only ever changed there by adding a constant of one sign, and never wraps: wherever it is
//! changed it is known to be below some bound (`State::below`), or above one. While control stays in the cycle, it never
//! takes a value again that it had before its last change. A component is left for good, so that there is one such stay.

use super::places::signed;
use ir::pass::Components;
use ir::{LocId, Op, Proc};
use logic::{Node, Op as TermOp, Pool, TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a statement does to a variable that may be a counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// Adds a constant.
    By(i128),
    /// Sets it to a constant.
    To(i128),
    /// Anything else.
    Other,
}

/// What an assignment does.
pub(super) fn change(pool: &Pool, var: VarId, value: TermId) -> Change {
    if let Some(value) = pool.as_const(value).and_then(signed) {
        return Change::To(value);
    }
    let constant = |term: TermId| pool.as_const(term).and_then(signed);
    match pool.node(value) {
        Node::App { op: TermOp::Add, args } if args.len() == 2 => {
            match (pool.as_var(args[0]), pool.as_var(args[1]), constant(args[0]), constant(args[1])) {
                (Some(other), _, _, Some(by)) | (_, Some(other), Some(by), _) if other == var => Change::By(by),
                _ => Change::Other,
            }
        }
        Node::App { op: TermOp::Sub, args } => match (pool.as_var(args[0]), constant(args[1])) {
            (Some(other), Some(by)) if other == var => Change::By(-by),
            _ => Change::Other,
        },
        _ => Change::Other,
    }
}

/// How the variables of a procedure change.
pub(super) struct Counters {
    components: Components,
    /// What is done to each variable: by which component's edges (none if the edge is in no cycle), and what.
    changes: FxHashMap<VarId, Vec<(Option<u32>, Change)>>,
    /// Variables that are somewhere changed by a constant inside of a cycle.
    counting: FxHashSet<VarId>,
}

impl Counters {
    pub(super) fn new(pool: &Pool, proc: &Proc) -> Counters {
        let components = Components::new(proc, &proc.out_edges());
        let mut changes: FxHashMap<VarId, Vec<(Option<u32>, Change)>> = FxHashMap::default();
        let mut counting = FxHashSet::default();
        for edge in &proc.edges {
            let repeated = components.is_repeated(edge.from, edge.to);
            let component = repeated.then(|| components.of[edge.from.index()]);
            for stmt in &edge.stmts {
                let Some(var) = ir::access::local_written(&stmt.op) else { continue };
                let change = match &stmt.op {
                    Op::Assign { value, .. } => change(pool, var, *value),
                    _ => Change::Other,
                };
                if repeated && matches!(change, Change::By(_)) {
                    counting.insert(var);
                }
                changes.entry(var).or_default().push((component, change));
            }
        }
        Counters { components, changes, counting }
    }

    /// Whether the variable counts in some cycle.
    pub(super) fn counts(&self, var: VarId) -> bool {
        self.counting.contains(&var)
    }

    /// Whether the variable is ever set.
    pub(super) fn is_set(&self, var: VarId) -> bool {
        self.changes.contains_key(&var)
    }

    /// The cycle that an edge between the locations is in.
    pub(super) fn cycle_of(&self, from: LocId, to: LocId) -> Option<u32> {
        self.components.is_repeated(from, to).then(|| self.components.of[from.index()])
    }

    /// The cycle that a location is in.
    pub(super) fn cycle_at(&self, loc: LocId) -> u32 {
        self.components.of[loc.index()]
    }

    /// The variables that only ever go one way in a cycle.
    pub(super) fn of_cycle(&self, cycle: u32) -> Vec<VarId> {
        let is_one_way = |changes: &&Vec<(Option<u32>, Change)>| {
            let inside =
                || changes.iter().filter(|(component, _)| *component == Some(cycle)).map(|(_, change)| *change);
            let up = inside().all(|change| matches!(change, Change::By(by) if by > 0));
            let down = inside().all(|change| matches!(change, Change::By(by) if by < 0));
            inside().next().is_some() && (up || down)
        };
        let mut found: Vec<VarId> =
            self.changes.iter().filter(|(_, changes)| is_one_way(changes)).map(|(var, _)| *var).collect();
        found.sort_unstable();
        found
    }

    /// The least value that a counter has which only ever goes up: what it is set to, all constants. Locals are zero at first.
    pub(super) fn least(&self, var: VarId) -> Option<i128> {
        let mut least: Option<i128> = None;
        for (_, change) in self.changes.get(&var)? {
            match change {
                Change::By(by) if *by > 0 => {}
                Change::To(value) => least = Some(least.map_or(*value, |least| least.min(*value))),
                _ => return None,
            }
        }
        Some(least.unwrap_or(0).min(0))
    }
}
