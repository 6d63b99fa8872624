//! Who takes turns so that loops that do the same stay together?
//!
//! Each thread, for one round of its loop, is tried first. Where one loop does what several others do one after the other, these are a group; where one round does what another loop does in several, that
//! one has several rounds: how far the loops count in a round tells how many.

use super::linear::linear;
use super::{NodeId, Unwinding};
use crate::abstraction::cells::Cells;
use crate::impact::unwinding::Order;
use ir::{LocId, Turns};
use logic::{TermId, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A turn has at most so many rounds.
const MAX_ROUNDS: u64 = 8;

/// What the steps of loops add to variables, by thread, and from where to where.
#[derive(Default)]
pub(super) struct Strides(BTreeMap<u32, BTreeMap<(LocId, LocId), Counted>>);

/// What is added to variables; none if something else is done to them.
type Counted = FxHashMap<VarId, Option<u64>>;

impl Strides {
    /// A step inside a loop.
    pub(super) fn look_at(
        &mut self,
        cells: &Cells<'_>,
        thread: u32,
        hop: (LocId, LocId),
        written: &FxHashMap<VarId, TermId>,
    ) {
        let added = |var: VarId, value: TermId| {
            let sum = linear(cells, value)?;
            let is_counted = matches!(sum.summands[..], [(term, 1)] if cells.pool.as_var(term) == Some(var));
            is_counted.then_some(sum.constant)
        };
        let mut counted: Counted = written.iter().map(|(var, value)| (*var, added(*var, *value))).collect();
        let hops = self.0.entry(thread).or_default();
        if let Some(known) = hops.get(&hop) {
            for var in known.keys().copied().collect::<Vec<VarId>>() {
                counted.entry(var).or_insert(Some(0));
            }
            for (var, added) in &mut counted {
                let is_same = known.get(var).copied().unwrap_or(Some(0)) == *added;
                *added = added.filter(|_| is_same);
            }
        }
        hops.insert(hop, counted);
    }

    /// How far a thread counts in a round of its only loop, if it has no branches that stay apart.
    fn stride(hops: &BTreeMap<(LocId, LocId), Counted>) -> Option<u64> {
        let (&(first, mut at), _) = hops.first_key_value()?;
        let mut n_hops = 1;
        while at != first && n_hops <= hops.len() {
            let next: Vec<LocId> = hops.keys().filter(|(from, _)| *from == at).map(|(_, to)| *to).collect();
            let [to] = next[..] else { return None };
            (at, n_hops) = (to, n_hops + 1);
        }
        let mut totals: FxHashMap<VarId, Option<u64>> = FxHashMap::default();
        for (var, added) in hops.values().flatten() {
            let total = totals.entry(*var).or_insert(Some(0));
            *total = total.zip(*added).map(|(total, added)| total.wrapping_add(added));
        }
        let is_round = at == first && n_hops == hops.len();
        totals.into_values().flatten().filter(|total| is_round && *total > 0).min()
    }

    /// How many rounds threads need to come equally far, if not one each.
    fn turns(&self) -> Option<Turns> {
        let strides: Vec<(u32, u64)> =
            self.0.iter().filter_map(|(thread, hops)| Some((*thread, Strides::stride(hops)?))).collect();
        let longest = strides.iter().map(|(_, stride)| *stride).max()?;
        let rounds = |(thread, stride): &(u32, u64)| {
            let rounds = longest / stride;
            (longest % stride == 0 && rounds <= MAX_ROUNDS).then_some((*thread, rounds as u8))
        };
        let rounds: Vec<(u32, u8)> = strides.iter().map(rounds).collect::<Option<_>>()?;
        rounds.iter().any(|(_, rounds)| *rounds > 1).then(|| Turns::rounds(&rounds))
    }
}

impl Unwinding<'_, '_> {
    /// Who might take turns instead of each thread.
    pub(super) fn other_turns(&self, strides: &Strides) -> Vec<Turns> {
        if self.world.order != Order::Lockstep {
            return Vec::new();
        }
        let n_threads = (0..self.tree.nodes.len() as NodeId).map(|id| self.tree.place(id).control.threads.len()).max();
        let n_threads = n_threads.unwrap_or(0) as u32;
        let middle = n_threads / 2 + 1;
        let splits =
            [2, middle, n_threads.saturating_sub(1)].into_iter().filter(|first| (2..n_threads).contains(first));
        let mut others: Vec<Turns> = strides.turns().into_iter().collect();
        for turns in splits.filter(|_| n_threads > 3).map(Turns::split_at) {
            if !others.contains(&turns) {
                others.push(turns);
            }
        }
        others
    }
}
