//! Which nodes are there, and which of them stand for others?
//!
//! Known as: abstract states by location, here places of all threads; trace partitioning.
//!
//! A node stands for all that arrive at its place, leave out the same steps, and have a history that is not told apart from its own. What each of its steps does, and what may be worth knowing because of it, is found out once.

use super::candidates::Candidates;
use super::claims::Claims;
use super::{End, Guessing, History, Out, Partition, Standing};
use crate::impact::path::effects;
use crate::impact::tree::{Arrival, NodeId};
use crate::impact::unwinding::Unwinding;
use ir::EdgeRef;
use logic::{Sort, TermId, VarId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Instant;

/// More nodes are not tried.
const MAX_NODES: usize = 3000;

impl Unwinding<'_, '_> {
    /// Claims everything of a node, unless another one stands for it already; the one that does.
    pub(super) fn add_standing(
        &mut self,
        guessing: &mut Guessing,
        candidates: &mut Candidates,
        node: NodeId,
        history: History,
    ) -> Result<NodeId, End> {
        let has_ended = self.tree.place(node).control.has_ended;
        let required = if has_ended { Vec::new() } else { self.not_skipped(node)? };
        let key = (self.tree.node(node).place, required.clone(), history.clone());
        if let Some(standing) = guessing.at.get(&key) {
            let again = self.tree.cover(node, *standing);
            debug_assert!(again.is_empty(), "nothing is covered by a new node");
            return Ok(*standing);
        }
        if guessing.stands.len() >= MAX_NODES || Instant::now() >= guessing.until {
            return Err(End::GivenUp);
        }
        guessing.at.insert(key, node);
        let control = self.tree.place(node).control.clone();
        let mut out = Vec::new();
        for thread in &required {
            let at = control.at(*thread);
            let edges: Vec<EdgeRef> = self.world.touches.edges(at.proc, at.loc).collect();
            for edge in edges {
                out.push(self.out(candidates, node, *thread, edge));
            }
        }
        let own = self.tree.node_mut(node);
        own.is_expanded = true;
        own.explored = required.clone();
        own.required = required;
        let claims = Claims::new(&mut self.world.cells, &candidates.all, &candidates.reads);
        guessing.stands.insert(node, Standing { claims, out, history, states: VecDeque::new(), is_queued: false });
        Ok(node)
    }

    /// A step from a node, with what may be worth knowing because of it.
    fn out(&mut self, candidates: &mut Candidates, node: NodeId, thread: u32, edge: EdgeRef) -> Out {
        let step = self.step(node, thread, edge);
        let cells = &mut self.world.cells;
        let written: FxHashMap<VarId, TermId> = effects(cells, &step).into_iter().collect();
        let mut values: Vec<TermId> = written.values().copied().collect();
        values.sort_unstable();
        values.iter().for_each(|value| candidates.look_at_value(cells, *value));
        let mut conditions: Vec<(VarId, TermId)> = written.iter().map(|(var, value)| (*var, *value)).collect();
        conditions.retain(|(var, _)| cells.pool.var_sort(*var) == Sort::Bool);
        conditions.sort_unstable();
        conditions.into_iter().for_each(|(var, value)| candidates.look_at_condition(cells, var, value));
        let mut inputs: Vec<VarId> = Vec::new();
        for term in step.guards.iter().copied().chain(values) {
            candidates.look_at(cells, term);
            inputs.extend(cells.vars_in(term).iter().filter(|var| cells.cell(**var).is_none()));
        }
        step.summary.bads.iter().for_each(|bad| candidates.look_at_error(cells, bad.cond));
        inputs.sort_unstable();
        inputs.dedup();
        // A condition on an input is one on the cell that holds it after the step.
        let mut holders: FxHashMap<VarId, TermId> = FxHashMap::default();
        let mut by_cell: Vec<(&VarId, &TermId)> = written.iter().collect();
        by_cell.sort_unstable();
        for (var, value) in by_cell {
            if let Some(input) = cells.pool.as_var(*value).filter(|input| inputs.contains(input)) {
                holders.entry(input).or_insert_with(|| cells.pool.var(*var));
            }
        }
        if !holders.is_empty() {
            for guard in &step.guards {
                let after = cells.pool.substitute(*guard, &|var| holders.get(&var).copied());
                candidates.look_at(cells, after);
            }
        }
        Out { thread, edge, step, written: Rc::new(written), inputs: inputs.into(), target: None }
    }

    /// The node that stands for where a step leads.
    pub(super) fn arrive(
        &mut self,
        guessing: &mut Guessing,
        candidates: &mut Candidates,
        node: NodeId,
        out: &Out,
    ) -> Result<NodeId, End> {
        let place = self.place_after(node, out.thread, &out.step);
        let arrival = Arrival { parent: node, thread: out.thread, step: out.step.clone() };
        let child = self.tree.add(place, Some(arrival));
        let history = self.history_after(guessing, node, out);
        self.add_standing(guessing, candidates, child, history)
    }

    /// The history of where a step leads.
    fn history_after(&self, guessing: &Guessing, node: NodeId, out: &Out) -> History {
        let before = &guessing.stands[&node].history;
        let at = self.tree.place(node).control.at(out.thread);
        let touches = &self.world.touches;
        let repeats = |edge: EdgeRef| touches.of(edge).repeats;
        let tells = match guessing.partition {
            Partition::Nothing => false,
            Partition::Loops => touches.edges(at.proc, at.loc).any(repeats),
            Partition::Choices => touches.edges(at.proc, at.loc).count() > 1,
        };
        if !tells || repeats(out.edge) {
            return before.clone();
        }
        let is_kept = |(thread, _): &&(u32, EdgeRef)| guessing.partition == Partition::Choices || *thread != out.thread;
        let mut after: Vec<(u32, EdgeRef)> = before.iter().filter(is_kept).copied().collect();
        let at = after.partition_point(|(thread, _)| *thread <= out.thread);
        after.insert(at, (out.thread, out.edge));
        after.into()
    }
}
