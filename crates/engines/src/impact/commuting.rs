//! Do two steps that may access the same commute, in the states in which they are taken?
//!
//! Known as: conditional independence \[Godefroid96], commutativity under a proof \[Farzan22].
//!
//! A step that was taken, and one of another thread that comes behind it, may be exchanged in a state if the other one could have been taken first, the first one after it, and all that matters
//! afterwards is the same then: who puts something into a queue and who takes something else out of it commute where the queue is not empty. What a thread has in variables that it does not
//! read any more does not matter. A step that ends the process need only be possible before; what would go wrong in the second step has to go wrong in it when it comes first.
//!
//! Steps at computed addresses commute where these are apart. Whether that is so in a state is a formula. Where paths are looked at, the label of the node has to say it, or learns it. Where invariants are guessed it is promised, and the
//! claims have to say it in the end; what was promised in vain is not promised again.

use super::path::conjuncts;
use super::tree::{Arrival, NodeId, Pair, Promise, Step};
use super::unwinding::{Halt, Learned, Unwinding};
use crate::abstraction::cells::{Cell, Cells};
use crate::abstraction::control::Change;
use crate::abstraction::symbolic::{self, BadKind};
use ir::{EdgeRef, LocId, ProcId};
use logic::{Pool, TermId, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

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
            let (place, asleep) = (self.tree.place(node), self.tree.node(node).asleep.clone());
            let (mover, edge) = (arrival.thread, arrival.step.edge());
            let pair = Pair { place, asleep, mover, edge, other: thread };
            let may_promise = !self.broken.contains(&pair);
            if may_promise {
                self.promises.push(Promise { node, never, pair });
            }
            return Ok(may_promise);
        }
        Ok(!self.may_hold(node, &never)? || matches!(self.learn(node, &never)?, Learned::Refuted))
    }

    /// Whether the addresses of a step and of what another thread does next never meet in the states that take the step. If they do not after this path, the labels
    /// along it say so from now on, for whoever is covered by its nodes.
    pub(super) fn are_apart(&mut self, arrival: &Arrival, thread: u32) -> Result<bool, Halt> {
        let control = self.tree.place(arrival.parent).control.clone();
        let at = control.at(thread);
        let edges: Vec<EdgeRef> = self.world.touches.edges(at.proc, at.loc).collect();
        let mut cases = Vec::new();
        for edge in edges {
            let other = self.step(arrival.parent, thread, edge);
            for (a, m, a_writes) in &arrival.step.summary.touches {
                for (b, n, b_writes) in &other.summary.touches {
                    if !a_writes && !b_writes {
                        continue;
                    }
                    let pool = &mut self.world.cells.pool;
                    let word = pool.sort(*a).width().expect("addresses are words");
                    let (forth, back) = (pool.sub(*b, *a), pool.sub(*a, *b));
                    let (m, n) = (pool.bv(word, *m), pool.bv(word, *n));
                    let (inside, other) = (pool.ult(forth, m), pool.ult(back, n));
                    cases.push(pool.or(inside, other));
                }
            }
            // A step whose accesses are not all known touches more.
            let is_unresolved = |bad: &&symbolic::Bad| matches!(bad.kind, BadKind::Unresolved(..));
            cases.extend(other.summary.bads.iter().filter(is_unresolved).map(|bad| bad.cond));
        }
        let meet = self.world.cells.pool.or_all(&cases);
        let mut bad = arrival.step.guards.clone();
        conjuncts(&self.world.cells, meet, &mut bad);
        if self.world.cells.pool.as_const(meet).is_some_and(|value| !value.as_bool()) {
            return Ok(true);
        }
        if self.is_guessing {
            return Ok(false);
        }
        if !self.may_hold(arrival.parent, &bad)? {
            return Ok(true);
        }
        Ok(matches!(self.learn(arrival.parent, &bad)?, Learned::Refuted))
    }

    /// What holds in a state in which it matters who goes first; none if that is not known.
    fn disturbed(&mut self, arrival: &Arrival, thread: u32) -> Option<TermId> {
        let mine = self.next_edges(arrival.parent, arrival.thread);
        let theirs = self.next_edges(arrival.parent, thread);
        let is_one_edge = arrival.step.ways.len() == 1;
        if !is_one_edge || !is_told(&self.world.cells, &arrival.step) || is_end(&arrival.step) {
            return None;
        }
        if !theirs.iter().all(|step| is_told(&self.world.cells, step)) {
            return None;
        }
        let mut cases = Vec::new();
        for other in &theirs {
            let program = self.world.cells.program;
            let leads_alike = |one: &Step, other: &Step| {
                let to = |step: &Step| program.edge(step.edge()).to;
                to(one) == to(other) && one.summary.changes == other.summary.changes
            };
            let may_be_mine = |step: &&Rc<Step>| leads_alike(step, &arrival.step) && is_told(&self.world.cells, step);
            let mine: Vec<Rc<Step>> = mine.iter().filter(may_be_mine).cloned().collect();
            let theirs: Vec<Rc<Step>> = theirs.iter().filter(|step| leads_alike(step, other)).cloned().collect();
            cases.push(self.disturbs((arrival, thread), other, (&mine, &theirs)));
        }
        Some(self.world.cells.pool.or_all(&cases))
    }

    fn next_edges(&mut self, node: NodeId, thread: u32) -> Vec<Rc<Step>> {
        let at = self.tree.place(node).control.at(thread);
        let edges: Vec<EdgeRef> = self.world.touches.edges(at.proc, at.loc).collect();
        edges.into_iter().map(|edge| self.step(node, thread, edge)).collect()
    }

    /// That a step may be followed by another one, and no two steps of the two threads that lead to the same places are possible the other way round with the same outcome.
    fn disturbs(
        &mut self,
        (arrival, thread): (&Arrival, u32),
        other: &Step,
        (mine, theirs): (&[Rc<Step>], &[Rc<Step>]),
    ) -> TermId {
        let program = self.world.cells.program;
        let ends = [(arrival.thread, arrival.step.edge()), (thread, other.edge())];
        let ends = ends.map(|(thread, edge)| (thread, edge.proc, program.edge(edge).to));
        let forth = self.after_both(&arrival.step, other);
        let mut ways = Vec::new();
        for first in theirs {
            if is_end(first) {
                ways.push(self.world.cells.pool.and_all(&first.summary.guards));
                continue;
            }
            for then in mine {
                let back = self.after_both(first, then);
                ways.push(self.is_same(&forth, &back, &ends));
            }
        }
        let pool = &mut self.world.cells.pool;
        let any = pool.or_all(&ways);
        let none = pool.not(any);
        let disturbs = pool.and(forth.can, none);
        let goes_wrong: Vec<TermId> = other.summary.bads.iter().map(|bad| bad.cond).collect();
        let before = pool.or_all(&goes_wrong);
        let later = pool.substitute(before, &|var| written(&arrival.step, var));
        let not_before = pool.not(before);
        let only_later = pool.and(later, not_before);
        pool.or(disturbs, only_later)
    }

    /// Two steps, one after the other.
    fn after_both(&mut self, first: &Step, then: &Step) -> Both {
        let pool = &mut self.world.cells.pool;
        let after_first = |pool: &mut Pool, term: TermId| pool.substitute(term, &|var| written(first, var));
        let [can_first, can_then] = [first, then].map(|step| pool.and_all(&step.summary.guards));
        let can_then = after_first(pool, can_then);
        let mut values: FxHashMap<VarId, TermId> = first.summary.updates.iter().copied().collect();
        for (var, value) in &then.summary.updates {
            let value = after_first(pool, *value);
            values.insert(*var, value);
        }
        Both { can: pool.and(can_first, can_then), values }
    }

    /// That steps can be taken, with the outcome of others; both lead threads to the same places.
    fn is_same(&mut self, one: &Both, other: &Both, ends: &[(u32, ProcId, LocId)]) -> TermId {
        let (cells, liveness) = (&mut self.world.cells, &self.world.liveness);
        let mut vars: Vec<VarId> = one.values.keys().chain(other.values.keys()).copied().collect();
        vars.sort_unstable();
        vars.dedup();
        let matters = |cell: Option<Cell>| match cell {
            Some(Cell::Own(thread, own)) => {
                let is_live = |(runs, proc, to): &(u32, ProcId, LocId)| {
                    *runs == thread && liveness[proc.index()].is_live(*to, own)
                };
                ends.iter().any(is_live)
            }
            _ => true,
        };
        vars.retain(|var| matters(cells.cell(*var)));
        let mut same = other.can;
        for var in vars {
            let old = cells.pool.var(var);
            let [one, other] = [one, other].map(|both| both.values.get(&var).copied().unwrap_or(old));
            let is_same = cells.pool.eq(one, other);
            same = cells.pool.and(same, is_same);
        }
        same
    }
}

/// What two steps do, one after the other.
struct Both {
    can: TermId,
    values: FxHashMap<VarId, TermId>,
}

/// What a step writes to a cell.
fn written(step: &Step, var: VarId) -> Option<TermId> {
    step.summary.updates.iter().find(|(other, _)| *other == var).map(|(_, value)| *value)
}

/// Whether a step ends the process.
fn is_end(step: &Step) -> bool {
    step.summary.changes.contains(&Change::EndProcess)
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
