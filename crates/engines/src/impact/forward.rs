//! What do the steps of a path make of the values? A path, run on terms over the cells at its start.
//!
//! Known as: symbolic execution of one path, strongest postcondition.
//!
//! Runs from the start of the program are kept, one for each node, so that a node costs one step more than its parent. Where a program asks for few inputs most values on them are constants, and much shows
//! without a solver: that a step cannot be taken, that a formula fails after a path, which case of a term a path is about.
//!
//! Invariant: the values and conditions of a run are those of every execution that takes its steps, from any state of its first node.

use super::tree::{Arrival, NodeId, Step};
use super::unwinding::Unwinding;
use crate::abstraction::cells::Cells;
use crate::abstraction::control::Change;
use logic::{Node, Op, TermId, Value, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A path, run on terms over the cells at its start.
#[derive(Clone)]
pub(super) struct Forward {
    values: FxHashMap<VarId, TermId>,
    /// For each condition on the way its step, the condition, and what it says of the start and of inputs.
    pub(super) conds: Vec<(usize, TermId, TermId)>,
    /// Whether a condition on the way never holds.
    is_stuck: bool,
    from_start: bool,
}

/// Runs from the start, by their last nodes.
#[derive(Default)]
pub(super) struct Runs {
    of: FxHashMap<NodeId, Rc<Forward>>,
    /// The last run from elsewhere, with its first and its last node.
    last: Option<(NodeId, NodeId, Rc<Forward>)>,
    /// How many cells of memory were known to them.
    n_memory: usize,
}

/// Runs that are kept.
const MAX_RUNS: usize = 4096;

/// What a step writes: its updates, and what the objects that it makes hold.
pub(super) fn effects(cells: &mut Cells<'_>, step: &Step) -> Vec<(VarId, TermId)> {
    let mut all = step.summary.updates.clone();
    for change in &step.summary.changes {
        let Change::Make(object, _) = change else { continue };
        for var in cells.memory_between(object.base, object.size) {
            if all.iter().any(|(other, _)| *other == var) {
                continue;
            }
            // The cell was not known when the step was made.
            let value = if object.is_zeroed {
                let zero = Value::zero(cells.pool.var_sort(var));
                cells.pool.constant(zero)
            } else {
                let any = cells.copy(var, u32::MAX);
                cells.pool.var(any)
            };
            all.push((var, value));
        }
    }
    all
}

impl Forward {
    /// No steps yet; from the start of the program, or from anywhere.
    pub(super) fn new(from_start: bool) -> Forward {
        Forward { values: FxHashMap::default(), conds: Vec::new(), is_stuck: false, from_start }
    }

    /// A term over the cells before a step in terms of the start; inputs of the step get names of their own.
    pub(super) fn term(&self, cells: &mut Cells<'_>, step: usize, term: TermId) -> TermId {
        let vars = cells.vars_in(term);
        let mut map: FxHashMap<VarId, TermId> = FxHashMap::default();
        for var in vars.iter() {
            let value = match self.values.get(var) {
                Some(value) => *value,
                None if cells.cell(*var).is_none() => {
                    let copy = cells.copy(*var, step as u32);
                    cells.pool.var(copy)
                }
                None if self.from_start => match cells.initial(*var) {
                    Some(value) => value,
                    None => continue,
                },
                None => continue,
            };
            map.insert(*var, value);
        }
        if map.is_empty() { term } else { cells.pool.substitute(term, &|var| map.get(&var).copied()) }
    }

    /// The truth of a formula over the cells before a step, if it is the same whatever the inputs are.
    fn truth(&self, cells: &mut Cells<'_>, step: usize, formula: TermId) -> Option<bool> {
        let value = self.term(cells, step, formula);
        cells.pool.as_const(value).map(|value| value.as_bool())
    }

    fn take(&mut self, cells: &mut Cells<'_>, index: usize, step: &Step) {
        for guard in &step.guards {
            let cond = self.term(cells, index, *guard);
            self.is_stuck |= cells.pool.as_const(cond).is_some_and(|value| !value.as_bool());
            self.conds.push((index, *guard, cond));
        }
        let written = effects(cells, step);
        let new: Vec<_> = written.into_iter().map(|(var, term)| (var, self.term(cells, index, term))).collect();
        self.values.extend(new);
    }
}

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

struct Settling {
    run: Rc<Forward>,
    depth: usize,
    demanded: Vec<TermId>,
    done: FxHashMap<TermId, TermId>,
}

impl Settling {
    fn term(&mut self, cells: &mut Cells<'_>, term: TermId) -> TermId {
        if let Some(done) = self.done.get(&term) {
            return *done;
        }
        let Node::App { op, args } = cells.pool.node(term) else { return term };
        let (op, args) = (*op, args.to_vec());
        let settled = match (op, &args[..]) {
            (Op::Ite, [cond, then, other]) => match self.case(cells, *cond) {
                Some(true) => self.term(cells, *then),
                Some(false) => self.term(cells, *other),
                None => self.parts(cells, op, &args),
            },
            _ => self.parts(cells, op, &args),
        };
        self.done.insert(term, settled);
        settled
    }

    fn parts(&mut self, cells: &mut Cells<'_>, op: Op, args: &[TermId]) -> TermId {
        let settled: Vec<TermId> = args.iter().map(|arg| self.term(cells, *arg)).collect();
        cells.pool.apply(op, &settled)
    }

    /// Which case of a choice the path is about; from then on it has to be that one.
    fn case(&mut self, cells: &mut Cells<'_>, cond: TermId) -> Option<bool> {
        let mentions_inputs = cells.vars_in(cond).iter().any(|var| cells.cell(*var).is_none());
        if mentions_inputs {
            return None;
        }
        let holds = self.run.truth(cells, self.depth, cond)?;
        let demanded = if holds { cond } else { cells.pool.not(cond) };
        if !self.demanded.contains(&demanded) {
            self.demanded.push(demanded);
        }
        Some(holds)
    }
}
