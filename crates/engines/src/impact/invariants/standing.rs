//! Which nodes are there, and which of them stand for others?
//!
//! Known as: abstract states by location, here places of all threads; trace partitioning.
//!
//! A node stands for all that arrive at its place, leave out the same steps, and have a history that is not told apart from its own. What each of its steps does, and what may be worth knowing because of it, is found out once.

use super::candidates::Candidates;
use super::claims::Claims;
use super::{End, Guessing, History, Out, Partition, Standing};
use crate::abstraction::cells::Cell;
use crate::abstraction::control::Change;
use crate::impact::path::effects;
use crate::impact::tree::{Arrival, NodeId, Step};
use crate::impact::unwinding::{Needed, Unwinding};
use ir::{EdgeRef, LocId};
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
        let Needed { required, asleep } = match has_ended {
            true => Needed { required: Vec::new(), asleep: Vec::new() },
            false => self.not_skipped(node)?,
        };
        let key = (self.tree.node(node).place, required.clone(), asleep.clone(), history.clone());
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
            let first = out.len();
            for edge in edges {
                let step = self.out(candidates, node, *thread, edge);
                let never =
                    |guard: &TermId| self.world.cells.pool.as_const(*guard).is_some_and(|value| !value.as_bool());
                if step.ends && !step.step.guards.iter().any(never) {
                    self.end(node, &step);
                }
                out.push(step);
            }
            if candidates.is_wide {
                self.look_at_branches(candidates, &out[first..]);
            }
        }
        let own = self.tree.node_mut(node);
        own.is_expanded = true;
        own.explored = required.clone();
        own.required = required;
        own.asleep = asleep;
        // What a loop went by tells how it ended, even when its thread does not read it any more. So may all else, if nothing helps.
        let keeps_all = !self.world.compares_outcomes || guessing.partition == Partition::Choices;
        let (liveness, program) = (&self.world.liveness, self.world.cells.program);
        let matters = |cell: Cell| match cell {
            Cell::Own(..) if keeps_all => true,
            Cell::Own(thread, var) => control.threads.get(thread as usize).is_some_and(|at| {
                let live = &liveness[at.proc.index()];
                let heads = program.proc(at.proc).locs.iter().enumerate().filter(|(_, loc)| loc.is_loop_head);
                let mut heads = heads.map(|(index, _)| LocId(index as u32));
                live.is_live(at.loc, var) || heads.any(|head| live.is_live(head, var))
            }),
            _ => true,
        };
        let claims = Claims::new(&mut self.world.cells, &candidates.all, &candidates.reads, matters);
        guessing.stands.insert(node, Standing { claims, out, history, states: VecDeque::new(), is_queued: false });
        Ok(node)
    }

    /// What branches that meet again make of a cell, by cases, may be what others know already.
    fn look_at_branches(&mut self, candidates: &mut Candidates, out: &[Out]) {
        let ways: Vec<Rc<Step>> = out.iter().map(|out| out.step.clone()).collect();
        for step in self.bundle(&ways).iter().filter(|step| step.ways.len() > 1) {
            for (_, value) in &step.summary.updates {
                candidates.look_at_value(&mut self.world.cells, *value);
            }
        }
    }

    /// A step that ends the process leads to a node of which nothing is claimed.
    fn end(&mut self, node: NodeId, out: &Out) {
        let place = self.place_after(node, out.thread, &out.step);
        let child = self.tree.add(place, Some(Arrival { parent: node, thread: out.thread, step: out.step.clone() }));
        self.tree.node_mut(child).is_expanded = true;
    }

    /// A step from a node, with what may be worth knowing because of it.
    fn out(&mut self, candidates: &mut Candidates, node: NodeId, thread: u32, edge: EdgeRef) -> Out {
        let step = self.step(node, thread, edge);
        let cells = &mut self.world.cells;
        let written: FxHashMap<VarId, TermId> = effects(cells, &step).into_iter().collect();
        if thread != 0 && self.world.touches.of(edge).repeats {
            let hop = (cells.program.edge(edge).from, cells.program.edge(edge).to);
            candidates.strides.look_at(cells, thread, hop, &written);
        }
        let mut values: Vec<TermId> = written.values().copied().collect();
        values.sort_unstable();
        values.iter().for_each(|value| candidates.look_at_value(cells, *value));
        let mut conditions: Vec<(VarId, TermId)> = written.iter().map(|(var, value)| (*var, *value)).collect();
        conditions.retain(|(var, _)| cells.pool.var_sort(*var) == Sort::Bool);
        conditions.sort_unstable();
        conditions.into_iter().for_each(|(var, value)| candidates.look_at_condition(cells, var, value, &step.guards));
        for (var, value) in &step.summary.updates {
            let is_cell = cells.pool.as_var(*value).is_some_and(|value| cells.cell(value).is_some());
            if is_cell && matches!(cells.cell(*var), Some(Cell::Own(..))) {
                candidates.look_at_copy(*var, *value);
            }
        }
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
        let ends = self.world.compares_outcomes && step.summary.changes.contains(&Change::EndProcess);
        Out { thread, edge, step, written: Rc::new(written), inputs: inputs.into(), target: None, ends }
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
