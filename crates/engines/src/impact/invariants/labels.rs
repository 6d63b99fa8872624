//! Which claims are needed? Those that exclude what may go wrong, and those that make sure of these one step before.
//!
//! Known as: unsatisfiable cores; slicing of inductive invariants.

use super::{End, Guessing};
use crate::abstraction::cells::Cells;
use crate::impact::path::conjuncts;
use crate::impact::tree::{NodeId, Open};
use crate::impact::unwinding::Unwinding;
use ir::Property;
use logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Instant;

/// What is needed of each node.
type Needed = FxHashMap<NodeId, FxHashSet<TermId>>;

impl Unwinding<'_, '_> {
    /// Whether the claims exclude all that may go wrong. Then each node keeps as its label what that needs.
    pub(super) fn settle_labels(&mut self, guessing: &mut Guessing) -> Result<bool, End> {
        let mut needed = Needed::default();
        let mut nodes: Vec<NodeId> = guessing.stands.keys().copied().collect();
        nodes.sort_unstable();
        for node in &nodes {
            guessing.asker.begin_again();
            let mut bads: Vec<Vec<TermId>> = Vec::new();
            for out in &guessing.stands[node].out {
                for bad in &out.step.summary.bads {
                    let mut conds = out.step.others.clone();
                    conjuncts(&self.world.cells, bad.cond, &mut conds);
                    bads.push(conds);
                }
            }
            let has_ended = self.tree.place(*node).control.has_ended;
            if self.world.properties.has(Property::Deadlock) && !has_ended {
                bads.extend(self.deadlock(*node));
            }
            for bad in bads {
                if !self.keep(guessing, &mut needed, *node, &bad)? {
                    return Ok(false);
                }
            }
        }
        let mut is_kept = true;
        for promise in std::mem::take(&mut self.promises) {
            guessing.asker.begin_again();
            if !self.keep(guessing, &mut needed, promise.node, &promise.never)? {
                self.broken.insert(promise.pair);
                is_kept = false;
            }
        }
        if !is_kept {
            return Ok(false);
        }
        // What is needed somewhere is made sure of by what is needed before, and steps that are not taken stay impossible.
        let mut open: Vec<NodeId> = nodes.clone();
        while let Some(node) = open.pop() {
            guessing.asker.begin_again();
            let before = needed.get(&node).map_or(0, |own| own.len());
            for index in 0..guessing.stands[&node].out.len() {
                let out = guessing.stands[&node].out[index].clone();
                let mut bads = Vec::new();
                match out.target {
                    None if out.ends => {}
                    None => bads.push(out.step.guards.clone()),
                    Some(target) => {
                        let mut wanted: Vec<TermId> = needed.get(&target).into_iter().flatten().copied().collect();
                        wanted.sort_unstable();
                        for formula in wanted {
                            let cells = &mut self.world.cells;
                            let holds = cells.pool.substitute(formula, &|var| out.written.get(&var).copied());
                            let fails = cells.pool.not(holds);
                            let mut bad = out.step.guards.clone();
                            bad.push(fails);
                            bads.push(bad);
                        }
                    }
                }
                for bad in bads {
                    if !self.keep(guessing, &mut needed, node, &bad)? {
                        return Err(End::GivenUp);
                    }
                }
            }
            if needed.get(&node).map_or(0, |own| own.len()) > before {
                let arrives = |other: &&NodeId| guessing.stands[other].out.iter().any(|out| out.target == Some(node));
                open.extend(nodes.iter().filter(arrives));
            }
        }
        for id in 0..self.tree.nodes.len() as NodeId {
            let standing = self.tree.node(id).covered_by.unwrap_or(id);
            let mut label: Vec<TermId> = needed.get(&standing).into_iter().flatten().copied().collect();
            label.sort_unstable();
            self.tree.node_mut(id).label = label;
        }
        self.open = Open::default();
        Ok(true)
    }

    /// Makes sure that conditions cannot hold together in a node, by what is claimed there; false if they can.
    fn keep(
        &mut self,
        guessing: &mut Guessing,
        needed: &mut Needed,
        node: NodeId,
        bad: &[TermId],
    ) -> Result<bool, End> {
        if Instant::now() >= guessing.until {
            return Err(End::GivenUp);
        }
        let own = needed.entry(node).or_default();
        let cells = &mut self.world.cells;
        let is_never =
            |cells: &Cells<'_>, term: TermId| cells.pool.as_const(term).is_some_and(|value| !value.as_bool());
        if bad.iter().any(|cond| is_never(cells, *cond) || own.contains(&cells.pool.not(*cond))) {
            return Ok(true);
        }
        let claims = &mut guessing.stands.get_mut(&node).expect("it has claims").claims;
        // Conditions whose forms are needed for the contradiction, with what they are the forms of.
        let mut origin: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut question = Vec::new();
        let mut uses = Vec::new();
        for cond in bad {
            let form = claims.forms.of(cells, *cond);
            let holds = cells.pool.not(form);
            if let Some(reads) = claims.adds_up(cells, holds) {
                uses.extend(reads.into_iter().map(|index| claims.equations[index].formula));
                uses.push(*cond);
                question.clear();
                break;
            }
            origin.entry(form).or_insert(*cond);
            question.push(form);
        }
        if uses.is_empty() {
            let known = claims.known(cells);
            for (form, formula) in known {
                origin.entry(form).or_insert_with(|| {
                    question.push(form);
                    formula
                });
            }
            let Some(core) = guessing.asker.core(cells, &question)? else { return Ok(false) };
            uses.extend(core.iter().filter_map(|form| origin.get(form)));
        }
        let claims = &guessing.stands[&node].claims;
        let claimed: FxHashSet<TermId> =
            claims.equations.iter().map(|equation| equation.formula).chain(claims.candidates.iter().copied()).collect();
        for formula in &uses {
            for var in cells.vars_in(*formula).iter() {
                let solves = claims.equations.iter().find(|equation| equation.solves == Some(*var));
                own.extend(solves.map(|equation| equation.formula));
            }
        }
        own.extend(uses.into_iter().filter(|formula| claimed.contains(formula)));
        Ok(true)
    }
}
