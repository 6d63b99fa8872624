//! What is one state for all ways that meet? Variables become choices, guards a disjunction, and what only some of them know is forgotten.
//!
//! Known as: state merging, path merging (veritesting); `ite` terms are the phi nodes of gated single assignment.
//!
//! Ways in different atomic sections stay apart, and so do those whose round of a loop is about to be left out: one that meets them would hide it.

use super::control_flow::Flow;
use super::executor::Executor;
use super::state::State;
use crate::bmc::locks::critical_sections::Held;
use crate::bmc::reductions::lipton_reduction::put_off_from_here;
use crate::bmc::reductions::spin_loops::Round;
use ir::LocId;
use logic::TermId;
use smallvec::SmallVec;
use std::rc::Rc;

/// Ways that are in an atomic section stay apart from those in another one, or in one that has not accessed anything yet: what they
/// access is at different times. So do ways whose round of a loop is about to be left out.
pub(crate) fn by_section(states: Vec<State>) -> Vec<Vec<State>> {
    let is_swapped = |state: &State| state.laps.iter().any(|lap| lap.since.is_swapped());
    let mut groups: Vec<Vec<State>> = Vec::new();
    for state in states {
        let kind = |state: &State| (state.section, state.depth, is_swapped(state));
        let is_same = |group: &&mut Vec<State>| kind(&group[0]) == kind(&state);
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(state),
            None => groups.push(vec![state]),
        }
    }
    groups
}

impl Executor<'_> {
    /// One state for all ways that lead to a copy of a location.
    pub(crate) fn merge(&mut self, thread: u32, flow: &Flow, loc: LocId, mut states: Vec<State>) -> State {
        if states.len() == 1 {
            return states.pop().expect("there is one");
        }
        states.iter_mut().for_each(|state| self.graph.make_fence(thread, state));
        self.put_off.settle_apart(&mut self.graph, thread, &mut states);
        let ways: Vec<u32> = states.iter().map(|state| state.point).collect();
        let (point, conds) = self.graph.points.join(&mut self.graph.pool, &ways);
        let mut env = Vec::new();
        for var in flow.live.at(loc) {
            let values: Vec<TermId> = states.iter().map(|state| self.lookup(&state.env, *var)).collect();
            let mut value = *values.last().expect("there are several states");
            for (cond, other) in conds.iter().zip(&values).rev().skip(1) {
                value = self.graph.pool.ite(*cond, *other, value);
            }
            env.push((*var, value));
        }
        let flows = self.meet_flows(&states, &conds, flow.live.at(loc));
        let mut n_started = states.last().expect("there are several states").n_started;
        for (cond, other) in conds.iter().zip(&states).rev().skip(1) {
            n_started = self.graph.pool.ite(*cond, other.n_started, n_started);
        }
        let mut frontier: SmallVec<[u32; 2]> = states.iter().flat_map(|state| state.frontier.iter().copied()).collect();
        frontier.sort_unstable();
        frontier.dedup();
        let mut laps = states[0].laps.clone();
        for state in &states[1..] {
            for (lap, other) in laps.iter_mut().zip(&state.laps) {
                lap.counted = lap.counted.max(other.counted);
                lap.is_decided &= other.is_decided;
                lap.since.meet(&other.since);
                if !Rc::ptr_eq(&lap.heads, &other.heads) {
                    lap.since = Round::unknown();
                }
            }
        }
        let held: Vec<&Held> = states.iter().map(|state| &state.held).collect();
        let mut merged = State {
            point,
            env,
            frontier,
            alone: states.iter().all(|state| state.alone),
            n_started,
            n_granules: states.iter().map(|state| state.n_granules).max().expect("there are several states"),
            depth: states[0].depth,
            section: states[0].section,
            wants_fence: false,
            laps,
            held: self.graph.locks.meet(&held),
            flows,
            taken: states[0].taken.filter(|lock| states.iter().all(|state| state.taken == Some(*lock))),
        };
        put_off_from_here(&mut self.graph, &self.known.lock_sets, thread, &mut merged, &states);
        merged
    }
}
