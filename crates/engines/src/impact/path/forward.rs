//! What do the steps of a path make of the values? A path, run on terms over the cells at its start.
//!
//! Known as: symbolic execution of one path, strongest postcondition.
//!
//! Runs from the start of the program are kept, one for each node, so that a node costs one step more than its parent. Where a program asks for few inputs most values on them are constants, and much shows
//! without a solver: that a step cannot be taken, that a formula fails after a path, which case of a term a path is about.
//!
//! Invariant: the values and conditions of a run are those of every execution that takes its steps, from any state of its first node.

use crate::abstraction::cells::Cells;
use crate::abstraction::control::Change;
use crate::impact::tree::{NodeId, Step};
use logic::{Node, Op, TermId, Value, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A path, run on terms over the cells at its start.
#[derive(Clone)]
pub(in crate::impact) struct Forward {
    values: FxHashMap<VarId, TermId>,
    /// The last step that wrote a cell.
    written: FxHashMap<VarId, usize>,
    /// For each condition on the way its step, the condition, and what it says of the start and of inputs.
    pub(in crate::impact) conds: Vec<(usize, TermId, TermId)>,
    /// Whether a condition on the way never holds.
    pub(in crate::impact) is_stuck: bool,
    from_start: bool,
}

/// Runs from the start, by their last nodes.
#[derive(Default)]
pub(in crate::impact) struct Runs {
    pub(in crate::impact) of: FxHashMap<NodeId, Rc<Forward>>,
    /// The last run from elsewhere, with its first and its last node.
    pub(in crate::impact) last: Option<(NodeId, NodeId, Rc<Forward>)>,
    /// How many cells of memory were known to them.
    pub(in crate::impact) n_memory: usize,
}

/// Runs that are kept.
pub(in crate::impact) const MAX_RUNS: usize = 4096;

/// What a step writes: its updates, and what the objects that it makes hold.
pub(in crate::impact) fn effects(cells: &mut Cells<'_>, step: &Step) -> Vec<(VarId, TermId)> {
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
    pub(in crate::impact) fn new(from_start: bool) -> Forward {
        Forward {
            values: FxHashMap::default(),
            written: FxHashMap::default(),
            conds: Vec::new(),
            is_stuck: false,
            from_start,
        }
    }

    /// A term over the cells before a step in terms of the start; inputs of the step get names of their own.
    pub(in crate::impact) fn term(&self, cells: &mut Cells<'_>, step: usize, term: TermId) -> TermId {
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
    pub(in crate::impact) fn truth(&self, cells: &mut Cells<'_>, step: usize, formula: TermId) -> Option<bool> {
        let value = self.term(cells, step, formula);
        cells.pool.as_const(value).map(|value| value.as_bool())
    }

    pub(in crate::impact) fn take(&mut self, cells: &mut Cells<'_>, index: usize, step: &Step) {
        for guard in &step.guards {
            let cond = self.term(cells, index, *guard);
            self.is_stuck |= cells.pool.as_const(cond).is_some_and(|value| !value.as_bool());
            self.conds.push((index, *guard, cond));
        }
        let written = effects(cells, step);
        let new: Vec<_> = written.into_iter().map(|(var, term)| (var, self.term(cells, index, term))).collect();
        self.written.extend(new.iter().map(|(var, _)| (*var, index)));
        self.values.extend(new);
    }

    /// The last step that wrote a cell.
    pub(in crate::impact) fn written_at(&self, var: VarId) -> Option<usize> {
        self.written.get(&var).copied()
    }

    /// The conditions on the way about cells that nobody has written since: they hold still.
    pub(in crate::impact) fn lasting(&self, cells: &mut Cells<'_>) -> Vec<TermId> {
        let mut found = Vec::new();
        for (step, guard, _) in &self.conds {
            let is_kept = |var: &VarId| self.written.get(var).is_none_or(|at| at < step);
            let vars = cells.vars_in(*guard);
            if vars.iter().all(|var| cells.cell(*var).is_some() && is_kept(var)) && !found.contains(guard) {
                found.push(*guard);
            }
        }
        found
    }
}

/// Leaves out of a formula the cases that a path is not about.
pub(in crate::impact) struct Settling {
    pub(in crate::impact) run: Rc<Forward>,
    pub(in crate::impact) depth: usize,
    /// What has to hold so that it is these cases.
    pub(in crate::impact) demanded: Vec<TermId>,
    pub(in crate::impact) done: FxHashMap<TermId, TermId>,
}

impl Settling {
    pub(in crate::impact) fn term(&mut self, cells: &mut Cells<'_>, term: TermId) -> TermId {
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
