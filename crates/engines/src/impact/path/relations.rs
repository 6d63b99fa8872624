//! What should be known where loops run side by side? Relations between cells that the path keeps, not how often it went round.
//!
//! Known as: generalisation of interpolants by templates; equalities of a difference domain. With preference orders \[Farzan22] such relations are enough for many loops.
//!
//! A weakest precondition speaks of the rest of one path, and that of a longer path says more: `i < n || j >= n`, then `i + 1 < n || j + 1 >= n`, without end. If loops advance together,
//! the reason is simpler: `i == j`. So where a formula follows from relations between the cells that it mentions, and these hold after the path whatever the inputs are, they take its
//! place: distances between cells, numbers that are not negative, what a cell was computed from, conditions of the path about cells that nobody has written since, and conditions
//! on inputs that cells still hold.
//!
//! Invariant: what takes the place of a formula implies it, and holds in every execution that takes the path from the start.

use super::forward::Forward;
use crate::abstraction::cells::Cells;
use crate::impact::tree::NodeId;
use crate::impact::unwinding::Unwinding;
use ir::EdgeRef;
use logic::{Node, Sort, TermId, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Formulas about more cells are left as they are.
const MAX_CELLS: usize = 12;
/// Constants from here on look like addresses.
const LARGE: u64 = 1 << 14;
/// So many cells more may be brought in by conditions.
const MAX_MORE: usize = 8;
/// Conditions of more nodes (as trees) are not asked for.
const MAX_CONDITION: u32 = 200;

/// The path to a node, and the cells that a formula there mentions: each with what it is after the path.
struct Seen {
    run: Rc<Forward>,
    cells: Vec<(TermId, TermId)>,
}

impl Unwinding<'_, '_> {
    /// A formula for a node, by relations that hold after its path if they imply it, else as it is. What may be true of one round only is tried last.
    pub(super) fn by_relations(&mut self, node: NodeId, formula: TermId) -> Result<TermId, smt::Why> {
        let cells = &mut self.world.cells;
        let vars: Vec<VarId> = cells.vars_in(formula).to_vec();
        if vars.len() < 2 || vars.len() > MAX_CELLS || vars.iter().any(|var| cells.cell(*var).is_none()) {
            return Ok(formula);
        }
        let mut question = vec![cells.pool.not(formula)];
        for more in self.relations(node, &vars) {
            if more.is_empty() {
                continue;
            }
            question.splice(0..0, more);
            let core = match self.world.reasons.core(&self.world.cells, &question) {
                Ok(Some(core)) => core,
                Ok(None) => continue,
                Err(smt::Why::Incomplete(_)) => return Ok(formula),
                Err(why) => return Err(why),
            };
            let relations = &question[..question.len() - 1];
            let needed: Vec<TermId> = relations.iter().copied().filter(|term| core.contains(term)).collect();
            return Ok(self.world.cells.pool.and_all(&needed));
        }
        Ok(formula)
    }

    /// Relations between cells after the path to a node, those that will hold in later rounds first.
    fn relations(&mut self, node: NodeId, vars: &[VarId]) -> [Vec<TermId>; 3] {
        let run = self.run_from_start(node);
        let nodes = self.tree.path(0, node);
        let steps: Vec<EdgeRef> = self.arrivals(&nodes).iter().map(|arrival| arrival.step.edge()).collect();
        let touches = &self.world.touches;
        let cells = &mut self.world.cells;
        let mut vars = vars.to_vec();
        let lasting = lasting(cells, &run, &mut vars);
        let own: Vec<TermId> = vars.iter().map(|var| cells.pool.var(*var)).collect();
        let after: Vec<TermId> = own.iter().map(|cell| run.term(cells, steps.len(), *cell)).collect();
        let seen = Seen { run, cells: own.into_iter().zip(after).collect() };
        let written = |var: VarId| seen.run.written_at(var).and_then(|step| steps.get(step));
        let is_looped = |var: VarId| written(var).is_some_and(|edge| touches.of(*edge).repeats);
        let (addresses, constants) = constants(cells, &seen, &is_looped);
        let (apart, equal) = distances(cells, &seen);
        let mut general = addresses;
        general.extend(conditions(cells, &seen));
        general.extend(signs(cells, &seen));
        general.extend(definitions(cells, &seen));
        general.extend(equal);
        let mut special = apart;
        special.extend(lasting);
        let mut known = rustc_hash::FxHashSet::default();
        [general, special, constants].map(|mut found| {
            found.retain(|relation| cells.pool.as_const(*relation).is_none() && known.insert(*relation));
            found
        })
    }
}

/// The cells that hold an input, by the input.
fn holders(cells: &Cells<'_>, seen: &Seen) -> FxHashMap<VarId, TermId> {
    let mut holders = FxHashMap::default();
    for (cell, value) in &seen.cells {
        if let Node::Var(input) = cells.pool.node(*value) {
            holders.entry(*input).or_insert(*cell);
        }
    }
    holders
}

/// A term over inputs in terms of cells that hold them.
fn in_cells(cells: &mut Cells<'_>, holders: &FxHashMap<VarId, TermId>, term: TermId) -> Option<TermId> {
    let vars = cells.vars_in(term);
    let is_held = !vars.is_empty() && vars.iter().all(|var| holders.contains_key(var));
    is_held.then(|| cells.pool.substitute(term, &|var| holders.get(&var).copied()))
}

/// What no loop has written, where it looks like an address; and what else no loop has written, or is a truth value or a byte.
fn constants(cells: &mut Cells<'_>, seen: &Seen, is_looped: &dyn Fn(VarId) -> bool) -> (Vec<TermId>, Vec<TermId>) {
    let (mut addresses, mut others) = (Vec::new(), Vec::new());
    for (cell, value) in &seen.cells {
        let Some(constant) = cells.pool.as_const(*value).cloned() else { continue };
        let is_looped = cells.pool.as_var(*cell).is_none_or(is_looped);
        match cells.pool.sort(*cell) {
            Sort::Bool | Sort::Bv(1..=8) => others.push(cells.pool.eq(*cell, *value)),
            Sort::Bv(width) if !is_looped => {
                let number = constant.as_bv().as_u64();
                let is_small =
                    number < LARGE || width == 32 && number > u64::from(u32::MAX) - LARGE || number > u64::MAX - LARGE;
                let relation = cells.pool.eq(*cell, *value);
                if is_small { others.push(relation) } else { addresses.push(relation) }
            }
            _ => {}
        }
    }
    (addresses, others)
}

/// Conditions of the path about these cells that hold still, and the cells that they bring in.
fn lasting(cells: &mut Cells<'_>, run: &Forward, vars: &mut Vec<VarId>) -> Vec<TermId> {
    let most = vars.len() + MAX_MORE;
    let mut conds = run.lasting(cells);
    conds.retain(|cond| cells.pool.tree_size(*cond) <= MAX_CONDITION && cells.pool.as_const(*cond).is_none());
    let mut taken = Vec::new();
    for cond in conds.into_iter().rev() {
        let own = cells.vars_in(cond);
        let new: Vec<VarId> = own.iter().copied().filter(|var| !vars.contains(var)).collect();
        if new.len() < own.len() && vars.len() + new.len() <= most {
            vars.extend(new);
            taken.push(cond);
        }
    }
    taken
}

/// Conditions of the path on inputs that cells still hold.
fn conditions(cells: &mut Cells<'_>, seen: &Seen) -> Vec<TermId> {
    let holders = holders(cells, seen);
    if holders.is_empty() {
        return Vec::new();
    }
    let mut conds = Vec::new();
    for (_, guard, cond) in &seen.run.conds {
        // What it says of cells may be true of this round only.
        if cells.vars_in(*guard).iter().all(|var| cells.cell(*var).is_none()) {
            conds.push(*cond);
        }
    }
    conds.retain(|cond| cells.pool.tree_size(*cond) <= MAX_CONDITION);
    conds.into_iter().filter_map(|cond| in_cells(cells, &holders, cond)).collect()
}

/// Numbers that are not negative.
fn signs(cells: &mut Cells<'_>, seen: &Seen) -> Vec<TermId> {
    let mut found = Vec::new();
    for (cell, value) in &seen.cells {
        let Sort::Bv(width @ 9..) = cells.pool.sort(*cell) else { continue };
        let zero = cells.pool.bv(width, 0);
        let is_negative = cells.pool.slt(*value, zero);
        if cells.pool.as_const(is_negative).is_some_and(|value| !value.as_bool()) {
            found.push(cells.pool.sle(zero, *cell));
        }
    }
    found
}

/// What cells were computed from, where other cells still hold that.
fn definitions(cells: &mut Cells<'_>, seen: &Seen) -> Vec<TermId> {
    let holders = holders(cells, seen);
    let mut found = Vec::new();
    for (cell, value) in &seen.cells {
        if cells.pool.as_const(*value).is_none()
            && let Some(definition) = in_cells(cells, &holders, *value)
        {
            found.push(cells.pool.eq(*cell, definition));
        }
    }
    found
}

/// How far cells are apart, and which are equal.
fn distances(cells: &mut Cells<'_>, seen: &Seen) -> (Vec<TermId>, Vec<TermId>) {
    let (mut apart, mut equal) = (Vec::new(), Vec::new());
    for (index, (one, value)) in seen.cells.iter().enumerate() {
        for (other, other_value) in &seen.cells[..index] {
            let sort = cells.pool.sort(*one);
            if sort != cells.pool.sort(*other) || matches!(sort, Sort::Array(..)) {
                continue;
            }
            if value == other_value {
                equal.push(cells.pool.eq(*one, *other));
            } else if matches!(sort, Sort::Bv(9..)) {
                let distance = cells.pool.sub(*value, *other_value);
                if cells.pool.as_const(distance).is_some() {
                    let there = cells.pool.add(*other, distance);
                    apart.push(cells.pool.eq(*one, there));
                }
            }
        }
    }
    (apart, equal)
}
