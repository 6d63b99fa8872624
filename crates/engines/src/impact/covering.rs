//! Which nodes need not be expanded, because another one allows all that they allow?
//!
//! Known as: covering (CLOSE) and forced covering \[McMillan06] \[Beyer12], cover expansion \[Wachter13]; the like in stateful dynamic partial order reduction \[Yang08].
//!
//! A node may be covered by one that was made before it. Labels are compared in a cascade: what is the same formula, then what the oracle remembers, then the solver.
//! A node whose label does not suffice may be given what is missing: if all that leads from the nearest common ancestor to it makes the other label hold, the nodes on the way learn
//! why (forced covering).
//!
//! With a reduction the covering node stands for other paths than its own, after which other steps are left out. So it has to take all steps that
//! the covered node would not have left out (cover expansion).
//!
//! Invariant: for each covered node, the threads that it does not skip are required of the node that covers it. With `sleep` a thread that is required of a node from now on no longer sleeps there, and may have
//! to wake up below it (`Unwinding::woken`).

use super::path::{Outcome, conjuncts};
use super::tree::NodeId;
use super::unwinding::{Halt, Needed, Order, Reduction, Unwinding};
use crate::abstraction::symbolic::BadKind;
use crate::abstraction::waiting;
use logic::TermId;

/// Nodes that a label is compared with by the solver.
const MAX_COMPARED: usize = 12;
/// Nodes that a node is made to be covered by.
const MAX_FORCED: usize = 6;
/// How often a node is made to be covered before it is expanded. What it takes to cover one node may uncover others, and so on for ever.
const MAX_TIMES: u32 = 3;
/// How often a node is covered at all before it is expanded: whoever is uncovered again and again is better unwound.
const MAX_COVERED: u32 = 8;

impl Unwinding<'_, '_> {
    /// Whether a formula follows from a label.
    fn follows(&mut self, label: &[TermId], formula: TermId) -> Result<bool, smt::Why> {
        if label.contains(&formula) {
            return Ok(true);
        }
        let world = &mut *self.world;
        if label.is_empty() {
            return Ok(world.cells.pool.as_const(formula).is_some_and(|value| value.as_bool()));
        }
        let before = world.entailment.n_solved();
        let fails = world.cells.pool.not(formula);
        let is_possible = world.entailment.is_possible(&mut world.cells, label, fails)?;
        world.counts.implications += world.entailment.n_solved() - before;
        Ok(!is_possible)
    }

    /// Makes a label stronger; false if it said so already.
    pub(super) fn add_to_label(&mut self, node: NodeId, formula: TermId) -> Result<bool, Halt> {
        let mut parts = Vec::new();
        conjuncts(&self.world.cells, formula, &mut parts);
        let mut is_stronger = false;
        for part in parts {
            let label = self.tree.node(node).label.clone();
            if self.tree.node(node).is_empty || self.follows(&label, part)? {
                continue;
            }
            is_stronger = true;
            let cells = &self.world.cells;
            if cells.pool.as_const(part).is_some_and(|value| !value.as_bool()) {
                self.tree.empty(node);
            }
            self.tree.node_mut(node).label.push(part);
            for other in self.tree.node(node).covers.clone() {
                let own = self.tree.node(other).label.clone();
                if !self.tree.node(other).is_empty && !self.follows(&own, part)? {
                    let again = self.tree.uncover(other);
                    self.open.extend(&self.tree, again);
                }
            }
        }
        Ok(is_stronger)
    }

    /// The nodes that a node may be covered by. Where loops advance together, these leave out nothing that it does not leave out: one loop runs ahead of another only where the other is left
    /// out, on paths that lead nowhere, and a node of such a path would learn how far ahead it is for the sake of a node of another.
    fn may_cover(&mut self, node: NodeId) -> Result<Vec<NodeId>, Halt> {
        let mut candidates = self.tree.candidates(node);
        if self.world.order == Order::Lockstep && !candidates.is_empty() {
            let Needed { required, asleep } = self.not_skipped(node)?;
            candidates.retain(|other| {
                let other = self.tree.node(*other);
                other.is_expanded
                    && required.iter().all(|thread| other.required.contains(thread))
                    && other.asleep.iter().all(|thread| asleep.contains(thread))
            });
        }
        Ok(candidates)
    }

    /// Covers a node if its label allows that: CLOSE.
    pub(super) fn close(&mut self, node: NodeId) -> Result<bool, Halt> {
        if self.tree.node(node).n_covered >= MAX_COVERED {
            return Ok(false);
        }
        let label = self.tree.node(node).label.clone();
        let mut n_compared = 0;
        for other in self.may_cover(node)? {
            let wanted = self.tree.node(other).label.clone();
            let open: Vec<TermId> = wanted.into_iter().filter(|formula| !label.contains(formula)).collect();
            if !open.is_empty() && (label.is_empty() || n_compared == MAX_COMPARED) {
                continue;
            }
            n_compared += usize::from(!open.is_empty());
            let mut is_inside = true;
            for formula in open {
                is_inside &= self.follows(&label, formula)?;
                if !is_inside {
                    break;
                }
            }
            if is_inside {
                return self.cover(node, other);
            }
        }
        Ok(false)
    }

    /// Covers a node by giving it what is missing, if that holds.
    pub(super) fn force_cover(&mut self, node: NodeId) -> Result<bool, Halt> {
        if self.tree.node(node).n_forced == MAX_TIMES || self.tree.node(node).n_covered >= MAX_COVERED {
            return Ok(false);
        }
        for other in self.may_cover(node)?.into_iter().take(MAX_FORCED) {
            let above = self.tree.nearest_common_ancestor(node, other);
            let label = self.tree.node(node).label.clone();
            let wanted = self.tree.node(other).label.clone();
            let mut found = Vec::new();
            let mut is_inside = true;
            for formula in wanted {
                if label.contains(&formula) {
                    continue;
                }
                let fails = self.world.cells.pool.not(formula);
                match self.refute(above, node, &[fails])? {
                    Outcome::Refuted(more) => found.extend(more),
                    Outcome::Possible | Outcome::Undecided(_) => {
                        is_inside = false;
                        break;
                    }
                }
            }
            if !is_inside {
                continue;
            }
            for (node, formula) in found {
                self.add_to_label(node, formula)?;
            }
            // A node above may have lost what covered others, and gained nothing that hides this one.
            let label = self.tree.node(node).label.clone();
            let mut holds = self.tree.is_active(node) && self.tree.is_active(other);
            for formula in self.tree.node(other).label.clone() {
                holds = holds && (self.tree.node(node).is_empty || self.follows(&label, formula)?);
            }
            if self.tree.node(node).is_empty {
                return Ok(true);
            }
            if holds {
                self.world.counts.forced += 1;
                self.tree.node_mut(node).n_forced += 1;
                return self.cover(node, other);
            }
        }
        Ok(false)
    }

    fn cover(&mut self, node: NodeId, by: NodeId) -> Result<bool, Halt> {
        let needed = match self.world.reduction {
            Reduction::Monotonic | Reduction::Sleep if self.world.expands_covers => self.not_skipped(node)?.required,
            _ => Vec::new(),
        };
        // To find out what may be left out, labels may have become stronger.
        let label = self.tree.node(node).label.clone();
        for formula in self.tree.node(by).label.clone() {
            if !self.follows(&label, formula)? {
                return Ok(false);
            }
        }
        if !self.tree.is_active(node) || !self.tree.is_active(by) {
            return Ok(!self.tree.is_active(node));
        }
        self.world.counts.covered += 1;
        self.tree.node_mut(node).n_covered += 1;
        let again = self.tree.cover(node, by);
        self.open.extend(&self.tree, again);
        needed.into_iter().for_each(|thread| self.require(by, thread));
        Ok(true)
    }

    /// Whether the edges of a thread's location together cover all cases.
    pub(super) fn is_total(&mut self, node: NodeId, thread: u32) -> Result<bool, Halt> {
        let at = self.tree.place(node).control.at(thread);
        if let Some(known) = self.world.is_total.get(&(at.proc.0, at.loc.0)) {
            return Ok(*known);
        }
        let edges: Vec<ir::EdgeRef> = self.world.touches.edges(at.proc, at.loc).collect();
        let mut cases = Vec::new();
        for edge in &edges {
            let step = self.step(node, thread, *edge);
            let cells = &mut self.world.cells;
            cases.push(cells.pool.and_all(&step.summary.guards));
            cases.extend(step.summary.bads.iter().map(|bad| bad.cond));
        }
        let cells = &mut self.world.cells;
        let any = cells.pool.or_all(&cases);
        let never = cells.pool.not(any);
        let is_total = !edges.is_empty() && !self.world.entailment.is_possible(cells, &[], never)?;
        self.world.is_total.insert((at.proc.0, at.loc.0), is_total);
        Ok(is_total)
    }

    /// Makes sure that not all threads wait in a node. False if the node has become covered or empty on the way.
    pub(super) fn rule_out_deadlock(&mut self, node: NodeId) -> Result<bool, Halt> {
        let Some(conds) = self.deadlock(node) else { return Ok(true) };
        self.rule_out(node, &conds, None, &BadKind::Deadlock)
    }

    /// What holds in a node if all threads wait; none if they cannot.
    pub(super) fn deadlock(&mut self, node: NodeId) -> Option<Vec<TermId>> {
        let place = self.tree.place(node);
        let control = &place.control;
        let may_wait = |thread: u32| {
            let at = control.at(thread);
            self.world.actions.next(at.proc, at.loc).may_wait
        };
        if !control.alive().all(may_wait) {
            return None;
        }
        let mut conds = Vec::new();
        for thread in control.alive() {
            let world = &mut *self.world;
            let mut resolve = |_: &mut crate::abstraction::cells::Cells<'_>, _: TermId| None;
            let waits =
                waiting::waits(&mut world.cells, world.properties, control, thread, &mut resolve, &mut Vec::new());
            conjuncts(&world.cells, waits, &mut conds);
        }
        Some(conds)
    }
}
