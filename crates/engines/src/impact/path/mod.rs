//! Can the states of a node lead along a path to something bad, and if not, what should be known on the way?
//!
//! Known as: path formula, feasibility check, weakest preconditions as interpolants \[Wachter13], sequence interpolants \[McMillan06].
//!
//! A path of the tree is run on terms over the cells at its first node, with the label there (or the initial values) as what is known. If the conditions on the way contradict that
//! and the bad condition at the end, those that the contradiction needs are kept, and a formula for each node follows: backward, what must hold so that the kept
//! conditions still contradict the bad one (`Interpolation::WeakestPreconditions`), or what the solver finds (`Interpolation::Solver`).
//!
//! Invariant: each formula and the step after it imply the next one, the last one rules out what is bad, and what is known at the first node implies the first one. Backward
//! this holds by construction, except for the first, which is asked for where inputs had to be eliminated; the solver's sequences are checked by `smt::interpolate`.

mod forward;
pub(super) mod reasons;
mod relations;

pub(super) use forward::{Forward, Runs, effects};

use super::tree::{Arrival, NodeId};
use super::unwinding::{Order, Unwinding};
use crate::abstraction::cells::Cells;
use crate::abstraction::refine::at_moment;
use forward::{MAX_RUNS, Settling};
use logic::{Node, Op, TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Arithmetic, Assignment, Method, NoInterpolants};
use std::rc::Rc;

/// How formulas are found for the nodes of a path that leads to nothing bad.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Interpolation {
    WeakestPreconditions,
    Solver,
}

/// What is true of a path.
pub(super) enum Outcome {
    /// It leads to nothing bad; formulas for its nodes. The first one is left out, of which enough is known, unless it is the root.
    Refuted(Vec<(NodeId, TermId)>),
    /// It may.
    Possible,
    /// The solver cannot tell.
    Undecided(String),
}

/// The formulas that a conjunction consists of.
pub(super) fn conjuncts(cells: &Cells<'_>, formula: TermId, into: &mut Vec<TermId>) {
    let mut open = vec![formula];
    while let Some(formula) = open.pop() {
        match cells.pool.node(formula) {
            Node::App { op: Op::And, args } => open.extend(args.iter().rev()),
            Node::Const(value) if value.as_bool() => {}
            _ if into.contains(&formula) => {}
            _ => into.push(formula),
        }
    }
}

impl Unwinding<'_, '_> {
    pub(super) fn arrivals(&self, nodes: &[NodeId]) -> Vec<Arrival> {
        nodes[1..].iter().map(|node| self.tree.node(*node).arrival.clone().expect("it is on a path")).collect()
    }

    /// The one value that a term over the cells of a node has after its path, if there is only one.
    pub(super) fn value_after_path(&mut self, node: NodeId, term: TermId) -> Option<u64> {
        let forward = self.run_from_start(node);
        let depth = self.tree.node(node).depth as usize;
        let cells = &mut self.world.cells;
        let value = forward.term(cells, depth, term);
        if let Some(value) = cells.pool.as_const(value) {
            return Some(value.as_bv().as_u64());
        }
        let conds: Vec<TermId> = forward.conds.iter().map(|(_, _, cond)| *cond).collect();
        let found = self.world.entailment.values(cells, &conds, value, 1).ok().flatten()?;
        let value = cells.pool.as_const(*found.first()?)?;
        Some(value.as_bv().as_u64())
    }

    /// An execution that takes the path to a node and satisfies conditions there.
    pub(super) fn execution(&mut self, node: NodeId, conds: &[TermId]) -> Result<Option<Assignment>, smt::Why> {
        let run = self.run_from_start(node);
        let depth = self.tree.node(node).depth as usize;
        let mut question: Vec<TermId> = run.conds.iter().map(|(_, _, cond)| *cond).collect();
        for cond in conds {
            question.push(run.term(&mut self.world.cells, depth, *cond));
        }
        self.world.reasons.solution(&self.world.cells, &question)
    }

    /// Whether the states of a node above may lead along the path to this bad condition, and if not, why not.
    pub(super) fn refute(&mut self, above: NodeId, node: NodeId, bad: &[TermId]) -> Result<Outcome, smt::Why> {
        if above != 0 && self.is_evidently_possible(node, bad) {
            return Ok(Outcome::Possible);
        }
        let nodes = self.tree.path(above, node);
        let forward = self.forward(&nodes);
        let last = nodes.len() - 1;
        let mut question: Vec<TermId> = if above == 0 { Vec::new() } else { self.tree.node(above).label.clone() };
        let n_known = question.len();
        question.extend(forward.conds.iter().map(|(_, _, cond)| *cond));
        for formula in bad {
            question.push(forward.term(&mut self.world.cells, last, *formula));
        }
        let core = match self.world.reasons.core(&self.world.cells, &question) {
            Ok(Some(core)) => core,
            Ok(None) => return Ok(Outcome::Possible),
            Err(smt::Why::Incomplete(what)) => return Ok(Outcome::Undecided(what)),
            Err(why) => return Err(why),
        };
        self.world.counts.refuted += 1;
        let n_conds = forward.conds.len();
        let is_needed = |cond: &TermId| core.contains(cond);
        let mut needed: Vec<Vec<TermId>> = vec![Vec::new(); last];
        for (step, guard, cond) in forward.conds.iter().filter(|(_, _, cond)| is_needed(cond)) {
            if self.world.cells.pool.as_const(*cond).is_none_or(|value| !value.as_bool()) {
                needed[*step].push(*guard);
            }
        }
        let all_bad = bad;
        let bad: Vec<TermId> = bad
            .iter()
            .zip(&question[n_known + n_conds..])
            .filter(|(_, cond)| is_needed(cond))
            .map(|(bad, _)| *bad)
            .collect();
        let arrivals = self.arrivals(&nodes);
        if above == 0 && self.relates() {
            let bad = self.world.cells.pool.and_all(all_bad);
            let formula = self.world.cells.pool.not(bad);
            let simpler = self.by_relations(node, formula)?;
            if simpler != formula {
                let bad = self.world.cells.pool.not(simpler);
                let nothing = vec![Vec::new(); last];
                if let Some(found) = self.weakest_preconditions(&nodes, &arrivals, &nothing, &[bad])? {
                    return Ok(Outcome::Refuted(found));
                }
            }
        }
        if self.world.interpolation == Interpolation::WeakestPreconditions
            && let Some(found) = self.weakest_preconditions(&nodes, &arrivals, &needed, &bad)?
        {
            return Ok(Outcome::Refuted(found));
        }
        self.sequence(&nodes, &arrivals, &needed, &bad)
    }

    /// Whether labels are to be relations between cells.
    fn relates(&self) -> bool {
        self.world.order == Order::Lockstep && self.world.interpolation == Interpolation::WeakestPreconditions
    }

    /// Formulas by weakest preconditions; none if something gets in the way. Inputs are eliminated where they are asked for; if that loses what is needed, the solver's sequence
    /// says what must be known before the last of them.
    fn weakest_preconditions(
        &mut self,
        nodes: &[NodeId],
        arrivals: &[Arrival],
        needed: &[Vec<TermId>],
        bad: &[TermId],
    ) -> Result<Option<Vec<(NodeId, TermId)>>, smt::Why> {
        let cells = &mut self.world.cells;
        let mut last_inputs: Option<(usize, Vec<TermId>, usize)> = None;
        // The inputs of the step that goes wrong are any: a label that named them would speak of those of one step, by a name that the steps before have for theirs.
        let told = without_inputs(cells, bad).inspect(|_| last_inputs = Some((arrivals.len(), bad.to_vec(), 0)));
        let bad = cells.pool.and_all(told.as_deref().unwrap_or(bad));
        let mut formula = cells.pool.not(bad);
        let relates = nodes[0] == 0 && self.relates();
        if relates {
            formula = self.by_relations(nodes[nodes.len() - 1], formula)?;
        }
        let mut found = Vec::new();
        for index in (0..arrivals.len()).rev() {
            found.push((nodes[index + 1], formula));
            let cells = &mut self.world.cells;
            let written: FxHashMap<VarId, TermId> = effects(cells, &arrivals[index].step).into_iter().collect();
            let before = cells.pool.substitute(formula, &|var| written.get(&var).copied());
            let before = if nodes[0] == 0 { self.settle(nodes[index], before) } else { before };
            let cells = &mut self.world.cells;
            let fails = cells.pool.not(before);
            let mut all = needed[index].clone();
            if relates {
                add_guards_about(cells, &arrivals[index].step.guards, before, &mut all);
            }
            all.push(fails);
            if let Some(told) = without_inputs(cells, &all) {
                last_inputs.get_or_insert((index, all, found.len()));
                all = told;
            }
            let bad = cells.pool.and_all(&all);
            if is_large(cells, bad) {
                return Ok(None);
            }
            formula = cells.pool.not(bad);
            if relates {
                formula = self.by_relations(nodes[index], formula)?;
            }
        }
        // By construction this holds unless inputs were in the way; it is asked for all the same, as everything depends on it.
        if !self.is_known(nodes[0], formula)? {
            let Some((index, all, n_found)) = last_inputs else { return Ok(None) };
            found.truncate(n_found);
            let earlier = self.sequence(&nodes[..=index], &arrivals[..index], &needed[..index], &all)?;
            let Outcome::Refuted(earlier) = earlier else { return Ok(None) };
            found.extend(earlier.into_iter().rev());
        } else if nodes[0] == 0 {
            found.push((0, formula));
        }
        found.reverse();
        Ok(Some(found))
    }

    /// Whether a formula holds in the states of a node: by its label, or in the beginning.
    fn is_known(&mut self, node: NodeId, formula: TermId) -> Result<bool, smt::Why> {
        let cells = &mut self.world.cells;
        if node == 0 {
            let start = Forward::new(true);
            let formula = start.term(cells, 0, formula);
            let fails = cells.pool.not(formula);
            return Ok(!self.world.entailment.is_possible(cells, &[], fails)?);
        }
        let fails = cells.pool.not(formula);
        let label = self.tree.node(node).label.clone();
        Ok(!self.world.entailment.is_possible(cells, &label, fails)?)
    }

    /// Formulas by the solver's sequence interpolants.
    fn sequence(
        &mut self,
        nodes: &[NodeId],
        arrivals: &[Arrival],
        needed: &[Vec<TermId>],
        bad: &[TermId],
    ) -> Result<Outcome, smt::Why> {
        let (formulas, moments) = self.unfold(nodes, arrivals, needed, bad);
        let limits = self.world.entailment.limits().clone();
        let limits = smt::Limits { time: Some(ATTEMPT), ..limits };
        let cells = &mut self.world.cells;
        let found = match smt::interpolate(&mut cells.pool, &formulas, Method::Any, Arithmetic::BitVectors, &limits) {
            Ok(found) => found.terms,
            Err(NoInterpolants::Feasible(_)) => {
                return Ok(Outcome::Undecided("a path has no interpolants".to_string()));
            }
            Err(NoInterpolants::Unknown(why @ (smt::Why::Cancelled | smt::Why::Memory))) => return Err(why),
            Err(NoInterpolants::Unknown(_)) => {
                return Ok(Outcome::Undecided("interpolants of a path were not found".to_string()));
            }
        };
        let mut terms: Vec<(NodeId, TermId)> = Vec::new();
        for (index, node) in nodes.iter().enumerate().skip(usize::from(nodes[0] != 0)) {
            // What is said after the last formula of a step up to this node.
            let term = found[moments.partition_point(|moment| *moment <= index) - 1];
            let mut map: FxHashMap<VarId, TermId> = FxHashMap::default();
            for var in cells.vars_in(term).iter() {
                let Some(origin) = cells.origin(*var).filter(|origin| cells.cell(*origin).is_some()) else {
                    return Ok(Outcome::Undecided("interpolants of a path are about inputs".to_string()));
                };
                map.insert(*var, cells.pool.var(origin));
            }
            terms.push((*node, cells.pool.substitute(term, &|var| map.get(&var).copied())));
        }
        Ok(Outcome::Refuted(terms))
    }

    /// The path as formulas over copies of cells, with the number of steps that each completes; the last one is what is bad.
    fn unfold(
        &mut self,
        nodes: &[NodeId],
        arrivals: &[Arrival],
        needed: &[Vec<TermId>],
        bad: &[TermId],
    ) -> (Vec<TermId>, Vec<usize>) {
        let label = if nodes[0] == 0 { Vec::new() } else { self.tree.node(nodes[0]).label.clone() };
        let cells = &mut self.world.cells;
        let n = arrivals.len();
        let written: Vec<Vec<(VarId, TermId)>> = arrivals.iter().map(|arrival| effects(cells, &arrival.step)).collect();
        // Which cells matter after each step.
        let mut matters: Vec<FxHashSet<VarId>> = vec![FxHashSet::default(); n + 1];
        let add = |cells: &mut Cells<'_>, set: &mut FxHashSet<VarId>, term: TermId| {
            set.extend(cells.vars_in(term).iter().copied().filter(|var| cells.cell(*var).is_some()));
        };
        for term in bad {
            let mut set = std::mem::take(&mut matters[n]);
            add(cells, &mut set, *term);
            matters[n] = set;
        }
        for step in (0..n).rev() {
            let mut before = matters[step + 1].clone();
            let own: Vec<TermId> =
                written[step].iter().filter(|(var, _)| before.remove(var)).map(|(_, term)| *term).collect();
            own.iter().chain(&needed[step]).for_each(|term| add(cells, &mut before, *term));
            matters[step] = before;
        }
        let mut version: FxHashMap<VarId, u32> = FxHashMap::default();
        let mut first = Vec::new();
        if nodes[0] == 0 {
            let mut vars: Vec<VarId> = matters[0].iter().copied().collect();
            vars.sort_unstable();
            for var in vars {
                if let Some(value) = cells.initial(var) {
                    let copy = cells.copy(var, 0);
                    let copy = cells.pool.var(copy);
                    first.push(cells.pool.eq(copy, value));
                }
            }
        }
        for formula in label {
            first.push(at_moment(cells, &version, 0, formula));
        }
        let mut formulas = vec![cells.pool.and_all(&first)];
        let mut moments = vec![0];
        for step in 0..n {
            let mut parts: Vec<TermId> =
                needed[step].iter().map(|guard| at_moment(cells, &version, step, *guard)).collect();
            let kept = written[step].iter().filter(|(var, _)| matters[step + 1].contains(var));
            let values: Vec<(VarId, TermId)> =
                kept.map(|(var, term)| (*var, at_moment(cells, &version, step, *term))).collect();
            for (var, value) in values {
                let next = version.get(&var).copied().unwrap_or(0) + 1;
                version.insert(var, next);
                let copy = cells.copy(var, next);
                let copy = cells.pool.var(copy);
                parts.push(cells.pool.eq(copy, value));
            }
            let formula = cells.pool.and_all(&parts);
            if cells.pool.as_const(formula).is_none_or(|value| !value.as_bool()) {
                formulas.push(formula);
                moments.push(step + 1);
            }
        }
        let last: Vec<TermId> = bad.iter().map(|term| at_moment(cells, &version, n, *term)).collect();
        formulas.push(cells.pool.and_all(&last));
        (formulas, moments)
    }
}

/// Adds the guards of a step that share variables with a formula: relations may hold because of them.
fn add_guards_about(cells: &mut Cells<'_>, guards: &[TermId], formula: TermId, into: &mut Vec<TermId>) {
    let vars = cells.vars_in(formula);
    for guard in guards {
        let shares = cells.vars_in(*guard).iter().any(|var| vars.contains(var));
        if shares && !into.contains(guard) {
            into.push(*guard);
        }
    }
}

/// Formulas of more terms are left to the solver's interpolants.
const MAX_FORMULA: usize = 20_000;

fn is_large(cells: &Cells<'_>, formula: TermId) -> bool {
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut open = vec![formula];
    while let Some(term) = open.pop() {
        if seen.insert(term) {
            open.extend(cells.pool.node(term).args().iter().copied());
        }
        if seen.len() > MAX_FORMULA {
            return true;
        }
    }
    false
}

/// Time for one sequence of interpolants.
const ATTEMPT: std::time::Duration = std::time::Duration::from_secs(3);

impl Unwinding<'_, '_> {
    /// The path through these nodes.
    pub(super) fn forward(&mut self, nodes: &[NodeId]) -> Rc<Forward> {
        let last = nodes[nodes.len() - 1];
        if nodes[0] == 0 {
            return self.run_from_start(last);
        }
        self.forget_outdated_runs();
        if let Some((first, end, run)) = &self.runs.last
            && (*first, *end) == (nodes[0], last)
        {
            return run.clone();
        }
        let mut forward = Forward::new(false);
        for (index, arrival) in self.arrivals(nodes).into_iter().enumerate() {
            forward.take(&mut self.world.cells, index, &arrival.step);
        }
        let run = Rc::new(forward);
        self.runs.last = Some((nodes[0], last, run.clone()));
        run
    }

    /// What a run says of objects that it makes depends on which of their cells are known.
    fn forget_outdated_runs(&mut self) {
        let n_memory = self.world.cells.n_memory();
        if self.runs.n_memory != n_memory || self.runs.of.len() > MAX_RUNS {
            self.runs = Runs { n_memory, ..Runs::default() };
        }
    }

    /// The path from the start of the program to a node.
    pub(super) fn run_from_start(&mut self, node: NodeId) -> Rc<Forward> {
        self.forget_outdated_runs();
        let mut missing: Vec<(NodeId, Arrival)> = Vec::new();
        let mut at = node;
        let mut run = loop {
            if let Some(run) = self.runs.of.get(&at) {
                break run.clone();
            }
            let Some(arrival) = self.tree.node(at).arrival.clone() else { break Rc::new(Forward::new(true)) };
            let parent = arrival.parent;
            missing.push((at, arrival));
            at = parent;
        };
        while let Some((node, arrival)) = missing.pop() {
            let mut longer = (*run).clone();
            let index = self.tree.node(arrival.parent).depth as usize;
            longer.take(&mut self.world.cells, index, &arrival.step);
            run = Rc::new(longer);
            self.runs.of.insert(node, run.clone());
        }
        run
    }

    /// Whether conditions hold after the path to a node whatever the inputs are, if the path can be taken.
    pub(super) fn is_evidently_possible(&mut self, node: NodeId, conds: &[TermId]) -> bool {
        let run = self.run_from_start(node);
        let depth = self.tree.node(node).depth as usize;
        let cells = &mut self.world.cells;
        !run.is_stuck && conds.iter().all(|cond| run.truth(cells, depth, *cond) == Some(true))
    }

    /// Whether one of some conditions fails after the path to a node whatever the inputs are, or the path cannot be taken.
    pub(super) fn is_evidently_impossible(&mut self, node: NodeId, conds: &[TermId]) -> bool {
        let run = self.run_from_start(node);
        let depth = self.tree.node(node).depth as usize;
        let cells = &mut self.world.cells;
        run.is_stuck || conds.iter().any(|cond| run.truth(cells, depth, *cond) == Some(false))
    }

    /// A formula that implies another one, without the cases that the path from the start to a node is not about: of each choice whose condition is the same whatever the
    /// inputs are, the condition is demanded and the case is taken.
    pub(super) fn settle(&mut self, node: NodeId, formula: TermId) -> TermId {
        let has_choices = self.world.cells.pool.tree_size(formula) > 3;
        if !has_choices {
            return formula;
        }
        let run = self.run_from_start(node);
        let depth = self.tree.node(node).depth as usize;
        let mut settling = Settling { run, depth, demanded: Vec::new(), done: FxHashMap::default() };
        let cells = &mut self.world.cells;
        let settled = settling.term(cells, formula);
        settling.demanded.push(settled);
        cells.pool.and_all(&settling.demanded)
    }
}

/// What formulas say of cells, or less, whatever the inputs in them are; none if there are none.
fn without_inputs(cells: &mut Cells<'_>, formulas: &[TermId]) -> Option<Vec<TermId>> {
    let mut inputs: Vec<VarId> = formulas.iter().flat_map(|term| cells.vars_in(*term).to_vec()).collect();
    inputs.retain(|var| cells.cell(*var).is_none());
    (!inputs.is_empty()).then(|| smt::project(&mut cells.pool, formulas, &|var| !inputs.contains(&var)))
}
