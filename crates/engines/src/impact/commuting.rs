//! Do two steps that access the same commute, in the states in which they are taken?
//!
//! Known as: conditional independence \[Godefroid96], commutativity under a proof \[Farzan22].
//!
//! A step that was taken, and one of another thread that comes behind it, may be exchanged in a state if the other one could have been taken first, the first one after it, and all that matters
//! afterwards is the same then: who puts something into a queue and who takes something else out of it commute where the queue is not empty. What a thread has in variables that it does not
//! read any more does not matter. A step that ends the process need only be possible before; what would go wrong in the second step has to go wrong in it when it comes first.
//!
//! Whether that is so in a state is a formula. Where paths are looked at, the label of the node has to say it, or learns it. Where invariants are guessed it is promised, and the
//! claims have to say it in the end; what was promised in vain is not promised again.

use super::path::{conjuncts, effects};
use super::tree::{Arrival, NodeId, Place, Step};
use super::unwinding::{Halt, Learned, Unwinding};
use crate::abstraction::cells::{Cell, Cells};
use crate::abstraction::control::Change;
use crate::abstraction::symbolic::{self, BadKind};
use ir::EdgeRef;
use logic::{TermId, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Two steps commute in all states of a node that claims are looked for of.
pub(super) struct Promise {
    pub(super) node: NodeId,
    /// What must not hold in it.
    pub(super) never: Vec<TermId>,
    pub(super) pair: Pair,
}

/// Two steps, wherever all threads stand alike and the same steps are left out.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Pair {
    place: Rc<Place>,
    required: Vec<u32>,
    mover: u32,
    edge: EdgeRef,
    other: u32,
}

impl Unwinding<'_, '_> {
    /// Whether a step and what another thread does next commute in the states that take the step.
    pub(super) fn commute(&mut self, arrival: &Arrival, thread: u32) -> Result<bool, Halt> {
        let Some(disturbed) = self.disturbed(arrival, thread) else { return Ok(false) };
        let cells = &self.world.cells;
        let mut never = arrival.step.guards.clone();
        conjuncts(cells, disturbed, &mut never);
        if cells.pool.as_const(disturbed).is_some_and(|value| !value.as_bool()) {
            return Ok(true);
        }
        let node = arrival.parent;
        if self.is_guessing {
            let (place, required) = (self.tree.place(node), self.tree.node(node).required.clone());
            let (mover, edge) = (arrival.thread, arrival.step.edge());
            let pair = Pair { place, required, mover, edge, other: thread };
            let may_promise = !self.broken.contains(&pair);
            if may_promise {
                self.promises.push(Promise { node, never, pair });
            }
            return Ok(may_promise);
        }
        Ok(!self.may_hold(node, &never)? || matches!(self.learn(node, &never)?, Learned::Refuted))
    }

    /// What holds in a state in which it matters who goes first; none if that is not known.
    fn disturbed(&mut self, arrival: &Arrival, thread: u32) -> Option<TermId> {
        let node = arrival.parent;
        let at = self.tree.place(node).control.at(thread).clone();
        let edges: Vec<EdgeRef> = self.world.touches.edges(at.proc, at.loc).collect();
        let mut cases = Vec::new();
        for edge in edges {
            let other = self.step(node, thread, edge);
            if !is_told(&self.world.cells, &other) || !self.is_told_alone(&arrival.step) {
                return None;
            }
            cases.push(self.disturbs((arrival.thread, &arrival.step), (thread, &other)));
        }
        Some(self.world.cells.pool.or_all(&cases))
    }

    /// Whether a step is one edge that does nothing but change values.
    fn is_told_alone(&self, step: &Step) -> bool {
        let is_plain = |change: &Change| matches!(change, Change::Begin | Change::End | Change::EndThread);
        step.ways.len() == 1 && step.summary.changes.iter().all(is_plain) && is_told(&self.world.cells, step)
    }

    /// That a step may be followed by another one, and not the other way round with the same outcome.
    fn disturbs(&mut self, (mover, one): (u32, &Step), (thread, other): (u32, &Step)) -> TermId {
        let edges = [(mover, one.edge()), (thread, other.edge())];
        let cells = &mut self.world.cells;
        let [ours, theirs] = [one, other].map(|step| effects(cells, step).into_iter().collect::<FxHashMap<_, _>>());
        let after = |cells: &mut Cells<'_>, written: &FxHashMap<VarId, TermId>, term: TermId| {
            cells.pool.substitute(term, &|var| written.get(&var).copied())
        };
        let [first, second] = [one, other].map(|step| cells.pool.and_all(&step.summary.guards));
        let follows = after(cells, &ours, second);
        let mut same = vec![second];
        let ends = other.summary.changes.contains(&Change::EndProcess);
        if !ends {
            same.push(after(cells, &theirs, first));
            let mut written: Vec<VarId> = ours.keys().chain(theirs.keys()).copied().collect();
            written.sort_unstable();
            written.dedup();
            let program = cells.program;
            let liveness = &self.world.liveness;
            let matters = |cells: &Cells<'_>, var: VarId| match cells.cell(var) {
                Some(Cell::Own(thread, own)) => edges.iter().any(|(runs, edge)| {
                    *runs == thread && liveness[edge.proc.index()].is_live(program.edge(*edge).to, own)
                }),
                _ => true,
            };
            written.retain(|var| matters(cells, *var));
            for var in written {
                let old = cells.pool.var(var);
                let value =
                    |cells: &mut Cells<'_>, first: &FxHashMap<VarId, TermId>, then: &FxHashMap<VarId, TermId>| {
                        let last = then.get(&var).copied().unwrap_or(old);
                        after(cells, first, last)
                    };
                let (forth, back) = (value(cells, &ours, &theirs), value(cells, &theirs, &ours));
                same.push(cells.pool.eq(forth, back));
            }
        }
        let same = cells.pool.and_all(&same);
        let differs = cells.pool.not(same);
        let disturbs = cells.pool.and(follows, differs);
        let wrong: Vec<TermId> = other.summary.bads.iter().map(|bad| bad.cond).collect();
        let before = cells.pool.or_all(&wrong);
        let (later, not_before) = (after(cells, &ours, before), cells.pool.not(before));
        let only_later = cells.pool.and(later, not_before);
        cells.pool.or(disturbs, only_later)
    }
}

/// Whether all that a step does is in its values: it neither waits nor makes anything, and all its addresses are known.
fn is_told(cells: &Cells<'_>, step: &Step) -> bool {
    let is_plain =
        |change: &Change| matches!(change, Change::Begin | Change::End | Change::EndThread | Change::EndProcess);
    let summary = &step.summary;
    let is_unresolved = |bad: &symbolic::Bad| matches!(bad.kind, BadKind::Unresolved(..));
    step.others.is_empty()
        && summary.waits.is_empty()
        && summary.joining.is_empty()
        && !summary.is_vague
        && summary.changes.iter().all(is_plain)
        && !summary.bads.iter().any(is_unresolved)
        && step.edges().all(|edge| symbolic::is_fixed(cells, edge))
}
