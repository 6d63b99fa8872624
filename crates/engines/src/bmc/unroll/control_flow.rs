//! In which order are the copies of locations visited when loops are unrolled? Each after all that lead to it.
//!
//! A copy is a location with the round of each loop around it. Its key is, for each such loop, the rank of the loop and the round, and last
//! its own rank; ranks are positions in reverse post-order. Forward edges lead to larger ranks, back edges to larger rounds, and what
//! leaves a loop has a larger rank than the loop: so a queue ordered by keys visits copies in topological order, and
//! loops are unrolled as far as conditions let them, without being unrolled beforehand.

use crate::bmc::reductions::spin_loops::{Head, Round};
use ir::access::local_written;
use ir::pass::{Liveness, Loop, find_loops, reverse_post_order};
use ir::{EdgeId, LocId, Program};
use logic::{TermId, VarId};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::rc::Rc;

/// What is known about the control flow of a procedure.
pub(crate) struct Flow {
    pub(crate) out: Vec<Vec<EdgeId>>,
    pub(crate) loops: Vec<Loop>,
    /// The variables that each loop sets.
    pub(crate) sets: Vec<FxHashSet<VarId>>,
    pub(crate) live: Liveness,
    /// The loops around each location, outer ones first.
    pub(crate) around: Vec<Vec<u32>>,
    rank: Vec<u32>,
    loop_rank: Vec<u32>,
}

/// Where a way is in a loop.
#[derive(Clone, Debug)]
pub(crate) struct Lap {
    /// Which loop.
    pub(crate) loop_index: u32,
    /// How often its back edges were taken.
    pub(crate) round: u32,
    /// How many of these count against the bound: those for which constants did not rule out an exit that depends on what the loop does.
    pub(crate) counted: u32,
    /// Whether an exit was ruled out in this round.
    pub(crate) is_decided: bool,
    /// The thread at the head of the loop, in this round and in those before.
    pub(crate) heads: Rc<Vec<Rc<Head>>>,
    /// What it has done since.
    pub(crate) since: Round,
}

/// The laps of a way, outer loops first.
pub(crate) type Laps = SmallVec<[Lap; 2]>;

/// The place of a copy in the order of visits.
pub(crate) type Key = SmallVec<[u32; 6]>;

impl Flow {
    /// Analyses a procedure that is a whole thread.
    pub(crate) fn new(program: &Program, proc: &ir::Proc) -> Flow {
        let out = proc.out_edges();
        let loops = find_loops(program, proc);
        let mut rank = vec![u32::MAX; proc.locs.len()];
        for (at, loc) in reverse_post_order(proc, &out).iter().enumerate() {
            rank[loc.index()] = at as u32;
        }
        let loop_rank: Vec<u32> = loops
            .iter()
            .map(|this| this.body.ones().map(|loc| rank[loc]).min().expect("a loop has its head"))
            .collect();
        let around = (0..proc.locs.len())
            .map(|loc| {
                let mut all: Vec<u32> =
                    (0..loops.len() as u32).filter(|this| loops[*this as usize].body.contains(loc)).collect();
                all.sort_by_key(|this| {
                    (std::cmp::Reverse(loops[*this as usize].body.count_ones(..)), loop_rank[*this as usize], *this)
                });
                all
            })
            .collect();
        let sets = loops.iter().map(|this| set_in(proc, this)).collect();
        Flow { sets, live: Liveness::new(program, proc, true), out, loops, around, rank, loop_rank }
    }

    /// Those of some variables that matter from a location on.
    pub(crate) fn live_at(&self, loc: LocId, env: &[(VarId, TermId)]) -> Vec<(VarId, TermId)> {
        env.iter().filter(|(var, _)| self.live.is_live(loc, *var)).copied().collect()
    }

    /// The key of a location in these laps.
    pub(crate) fn key(&self, loc: LocId, laps: &Laps) -> Key {
        let mut key = Key::new();
        for lap in laps {
            key.push(self.loop_rank[lap.loop_index as usize]);
            key.push(lap.round);
        }
        key.push(self.rank[loc.index()]);
        key
    }

    /// The laps after an edge, and the loop whose back edge it is, if it is one.
    pub(crate) fn next(&self, from: &Laps, to: LocId, edge: EdgeId) -> (Laps, Option<usize>) {
        let mut turned = None;
        let laps = self.around[to.index()]
            .iter()
            .map(|this| {
                let before = from.iter().find(|lap| lap.loop_index == *this);
                let mut lap = before.cloned().unwrap_or_else(|| Lap {
                    loop_index: *this,
                    round: 0,
                    counted: 0,
                    is_decided: false,
                    heads: Rc::default(),
                    since: Round::unknown(),
                });
                if before.is_some() && self.loops[*this as usize].back_edges.contains(&edge) {
                    lap.round += 1;
                    lap.counted += u32::from(!lap.is_decided);
                    lap.is_decided = false;
                    turned = Some(*this as usize);
                }
                lap
            })
            .collect();
        (laps, turned)
    }
}

/// The variables that a loop sets.
fn set_in(proc: &ir::Proc, this: &Loop) -> FxHashSet<VarId> {
    let is_inside = |edge: &&ir::Edge| this.body.contains(edge.from.index()) && this.body.contains(edge.to.index());
    let stmts = proc.edges.iter().filter(is_inside).flat_map(|edge| &edge.stmts);
    stmts.filter_map(|stmt| local_written(&stmt.op)).collect()
}
