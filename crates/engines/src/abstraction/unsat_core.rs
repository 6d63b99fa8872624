//! Which part of a path is to blame that it cannot be taken? As late a part, and as few initial values, as possible.
//!
//! Known as: unsatisfiable core of a path formula, path slicing, infeasible suffix.
//!
//! The shortest end of the path that contradicts itself, from whatever state it begins in, is looked for by bisection: if the steps from some moment
//! on cannot be taken, neither can those from an earlier one. If the path as a whole can be taken from some state, initial values matter, and those
//! that do not are left out one by one. What is blamed is then cut down to conditions that are all needed. A late reason is local: it says
//! nothing of what came before, so that what it teaches often holds again when a loop comes round.
//!
//! Invariant: the conditions that are blamed have no common solution together with the initial values that are.

use super::cells::{Cell, Cells};
use super::refine::{Way, check, in_inputs, initial};
use logic::{TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Backend, Limits, Solver};
use std::time::Duration;

/// What is to blame.
#[derive(Debug, Default)]
pub(super) struct Reason {
    /// The first step that matters.
    pub(super) from: usize,
    /// Cells whose initial values matter.
    pub(super) initial: FxHashSet<VarId>,
    /// The conditions of each step that matter.
    pub(super) relevant: Vec<Vec<TermId>>,
}

/// A condition with the step it belongs to and its number there.
type Placed = (usize, usize, TermId);

/// Finds what is to blame for a path that cannot be taken.
pub(super) fn reason(cells: &mut Cells<'_>, way: &Way, limits: &Limits) -> Reason {
    let limits = Limits { time: Some(Duration::from_millis(500)), ..limits.clone() };
    let n = way.stages.len();
    let mut found = Reason { from: 0, initial: FxHashSet::default(), relevant: vec![Vec::new(); n] };
    let whole = from_step(cells, way, 0);
    let mut used: Vec<(VarId, TermId)> = Vec::new();
    let mut conds = whole.clone();
    if is_contradiction(cells, &whole, &[], &limits) {
        let (mut low, mut high) = (0, n);
        while high - low > 1 {
            let middle = (low + high) / 2;
            let end = from_step(cells, way, middle);
            if is_contradiction(cells, &end, &[], &limits) {
                low = middle;
                conds = end;
            } else {
                high = middle;
            }
        }
        found.from = low;
    } else {
        used = initial_values(cells, way, &whole);
        let mut index = 0;
        // With many of them one by one would take long.
        while index < used.len() && used.len() <= 40 {
            let mut fewer = used.clone();
            fewer.remove(index);
            if is_contradiction(cells, &whole, &fewer, &limits) {
                used = fewer;
            } else {
                index += 1;
            }
        }
    }
    let equations = equations(cells, &used);
    let core = minimise(cells, &conds, &equations, &limits);
    for (step, number, cond) in &conds {
        if core.contains(cond) {
            found.relevant[*step].push(way.stages[*step].conds[*number]);
        }
    }
    found.initial = used.iter().map(|(var, _)| *var).collect();
    found
}

/// The conditions from a step on, in terms of the cells before it.
fn from_step(cells: &mut Cells<'_>, way: &Way, from: usize) -> Vec<Placed> {
    let mut values: FxHashMap<VarId, TermId> = FxHashMap::default();
    let mut conds = Vec::new();
    for (step, stage) in way.stages.iter().enumerate().skip(from) {
        for (number, cond) in stage.conds.iter().enumerate() {
            conds.push((step, number, in_inputs(cells, &values, None, step, *cond)));
        }
        let new: Vec<(VarId, TermId)> = stage
            .summary
            .updates
            .iter()
            .map(|(var, term)| (*var, in_inputs(cells, &values, None, step, *term)))
            .collect();
        values.extend(new);
    }
    conds
}

/// Formulas between steps once more, with variables of threads in place of shared cells that hold the same value there. Nobody else writes those, so what is
/// said of them stays true for longer.
pub(super) fn in_own_words(cells: &mut Cells<'_>, way: &Way, formulas: &[(usize, TermId)]) -> Vec<(usize, TermId)> {
    let mut values: FxHashMap<VarId, TermId> = FxHashMap::default();
    let mut found = Vec::new();
    for (step, stage) in way.stages.iter().enumerate() {
        for (_, formula) in formulas.iter().filter(|(moment, _)| *moment == step) {
            let mut own: Vec<VarId> =
                values.keys().copied().filter(|var| matches!(cells.cell(*var), Some(Cell::Own(..)))).collect();
            own.sort_unstable();
            let mut map: FxHashMap<VarId, TermId> = FxHashMap::default();
            for var in cells.vars_in(*formula).iter().copied() {
                if !matches!(cells.cell(var), Some(Cell::Global(_) | Cell::Bytes(..))) {
                    continue;
                }
                let value = values.get(&var).copied().unwrap_or_else(|| cells.pool.var(var));
                let same = own.iter().copied().find(|other| values.get(other) == Some(&value));
                map.extend(same.map(|other| (var, cells.pool.var(other))));
            }
            if !map.is_empty() {
                found.push((step, cells.pool.substitute(*formula, &|var| map.get(&var).copied())));
            }
        }
        let new: Vec<(VarId, TermId)> = stage
            .summary
            .updates
            .iter()
            .map(|(var, term)| (*var, in_inputs(cells, &values, None, step, *term)))
            .collect();
        values.extend(new);
    }
    found
}

/// The initial values of all cells that conditions mention.
fn initial_values(cells: &mut Cells<'_>, way: &Way, conds: &[Placed]) -> Vec<(VarId, TermId)> {
    let mut vars: Vec<VarId> = Vec::new();
    for (_, _, cond) in conds {
        vars.extend(cells.vars_in(*cond).iter().copied().filter(|var| cells.cell(*var).is_some()));
    }
    vars.sort_unstable();
    vars.dedup();
    let Some(last) = way.stages.last() else { return Vec::new() };
    vars.into_iter().filter_map(|var| Some((var, initial(cells, &last.control, var)?))).collect()
}

fn equations(cells: &mut Cells<'_>, values: &[(VarId, TermId)]) -> Vec<TermId> {
    values
        .iter()
        .map(|(var, value)| {
            let var = cells.pool.var(*var);
            cells.pool.eq(var, *value)
        })
        .collect()
}

fn is_contradiction(cells: &mut Cells<'_>, conds: &[Placed], values: &[(VarId, TermId)], limits: &Limits) -> bool {
    let mut all = equations(cells, values);
    all.extend(conds.iter().map(|(_, _, cond)| *cond));
    matches!(check(cells, &all, limits), Answer::Unsat(_))
}

/// Conditions that contradict each other and the equations, late ones rather than early ones; all of them if that cannot be seen again.
fn minimise(cells: &Cells<'_>, conds: &[Placed], equations: &[TermId], limits: &Limits) -> FxHashSet<TermId> {
    let never = |cond: &TermId| cells.pool.as_const(*cond).is_some_and(|value| !value.as_bool());
    if let Some((_, _, cond)) = conds.iter().rev().find(|(_, _, cond)| never(cond)) {
        return [*cond].into_iter().collect();
    }
    let all: Vec<TermId> = equations.iter().copied().chain(conds.iter().map(|(_, _, cond)| *cond)).collect();
    let Answer::Unsat(core) = check(cells, &all, limits) else { return all.into_iter().collect() };
    let mut seen = FxHashSet::default();
    let mut core: Vec<TermId> = all.into_iter().filter(|cond| core.contains(cond) && seen.insert(*cond)).collect();
    let mut solver = Solver::new(Backend::Bits);
    solver.set_limits(limits.clone());
    let mut index = 0;
    while index < core.len() && core.len() < 60 {
        let mut rest = core.clone();
        rest.remove(index);
        match solver.check(&cells.pool, &rest) {
            Answer::Unsat(smaller) => core.retain(|cond| smaller.contains(cond)),
            Answer::Sat(_) | Answer::Unknown(_) => index += 1,
        }
    }
    core.into_iter().collect()
}
