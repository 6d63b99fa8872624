//! What happens in an atomic section? All of it at one node, and only if the section comes to its end.
//!
//! Nobody runs before the section ends, so nobody sees what it does otherwise. Its writes are looked for by its own later reads, and a
//! later one hides an earlier one from the others. A section that ends in a violation, or at a race, is told apart by variables of the solver that say so.

use crate::bmc::unroll::path_conditions::Points;
use logic::{Pool, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The atomic sections, by their nodes.
#[derive(Debug, Default)]
pub(crate) struct AtomicSections {
    nodes: FxHashSet<u32>,
    writes: FxHashMap<u32, Vec<usize>>,
    ends: BTreeMap<u32, Ends>,
}

#[derive(Debug, Default)]
struct Ends {
    /// The points at which ways leave it.
    points: Vec<u32>,
    /// The conditions under which it stops before.
    stops: Vec<TermId>,
}

impl AtomicSections {
    /// Accesses of a section are at this node.
    pub(crate) fn enter(&mut self, node: u32) {
        self.nodes.insert(node);
    }

    /// A way leaves a section.
    pub(crate) fn leave(&mut self, node: u32, point: u32) {
        self.ends.entry(node).or_default().points.push(point);
    }

    /// If a condition holds, a section need not come to its end.
    pub(crate) fn stop(&mut self, node: u32, cond: TermId) {
        self.ends.entry(node).or_default().stops.push(cond);
    }

    /// The writes of a section so far.
    pub(crate) fn writes(&self, node: u32) -> &[usize] {
        self.writes.get(&node).map_or(&[], |writes| writes)
    }

    /// A section writes.
    pub(crate) fn note_write(&mut self, node: u32, write: usize) {
        self.writes.entry(node).or_default().push(write);
    }

    /// When the sections come to their ends, now that all of these are known.
    pub(crate) fn complete(self, points: &mut Points, pool: &mut Pool) -> Whole {
        let mut whole = Whole { ends: FxHashMap::default(), nodes: self.nodes, no: pool.bool(false) };
        for (node, own) in self.ends {
            let joined = (!own.points.is_empty()).then(|| points.join(pool, &own.points).0);
            let mut ends = own.stops;
            ends.extend(joined.map(|joined| points.guard(joined)));
            whole.ends.insert(node, (joined, pool.or_all(&ends)));
        }
        whole
    }
}

/// When each section comes to its end: the point that all its ways to the end pass, and the condition.
#[derive(Debug)]
pub(crate) struct Whole {
    nodes: FxHashSet<u32>,
    ends: FxHashMap<u32, (Option<u32>, TermId)>,
    no: TermId,
}

impl Whole {
    /// The guard of what happens at a node, at a point: that its section comes to its end too.
    pub(crate) fn guard(&self, points: &Points, pool: &mut Pool, (node, point): (u32, u32), guard: TermId) -> TermId {
        if !self.nodes.contains(&node) {
            return guard;
        }
        let (joined, ends) = self.ends.get(&node).copied().unwrap_or((None, self.no));
        match joined {
            Some(joined) if points.dominates(joined, point) => guard,
            _ => pool.and(guard, ends),
        }
    }
}
