//! How does a step change what is known? One trait, and the domains: explicit values, predicates, and both together.
//!
//! Known as: abstract domains and their abstract post (transfer function): Cartesian and Boolean predicate abstraction \[Ball01], explicit-value analysis
//! \[Beyer13], product abstraction.
//!
//! All of them work on `Abstract`; a domain says which parts it fills in. Values need no solver: the step's terms are evaluated with what is
//! known. Predicates are decided by weakest preconditions: a predicate holds after the step if what it says of the new values
//! follows from the state and the conditions of the step. A predicate that the step leaves alone keeps its value, and one that shares no
//! variable with the conditions stays unknown; the solver is asked about the others only.
//!
//! Invariant: every concrete successor of a concrete state that the state allows is allowed by one of the results.

use super::cells::{Cell, Cells};
use super::control::OTHER;
use super::entailment::{Entailment, connected};
use super::state::{Abstract, Cube, Precision};
use fixedbitset::FixedBitSet;
use logic::{Node, Op, TermId, VarId};
use rustc_hash::FxHashMap;
use smt::Why;
use std::borrow::Cow;

/// How cells are abstracted.
pub trait Domain {
    /// All that can be known after a step that may be taken.
    fn after(&self, tools: &mut Tools<'_, '_>, state: &Abstract, step: &Step<'_>) -> Result<Vec<Abstract>, Why>;

    /// Whether refinement adds predicates rather than cells.
    fn uses_predicates(&self) -> bool;

    /// Whether there is at most one successor, which says nothing but values, and these follow from those before.
    fn is_by_value(&self, precision: &Precision) -> bool;

    /// Whether combinations of predicates are told apart.
    fn keeps_combinations(&self) -> bool {
        false
    }
}

/// What domains work with.
pub struct Tools<'a, 'p> {
    /// The terms.
    pub cells: &'a mut Cells<'p>,
    /// The solver.
    pub entailment: &'a mut Entailment,
    /// What may be known.
    pub precision: &'a Precision,
}

/// A step, as conditions and new values.
#[derive(Clone, Copy)]
pub struct Step<'s> {
    /// Its conditions, with known values put in.
    pub guards: &'s [TermId],
    /// In which it may be taken, at least one.
    pub cases: &'s [Case<'s>],
    /// Cells that get new values, in terms of the values before.
    pub updates: &'s [(VarId, TermId)],
    /// Cells whose values are not known afterwards, ascending.
    pub forgotten: &'s [VarId],
    /// Predicates that are not known afterwards, by their numbers in the precision.
    pub dropped: &'s FixedBitSet,
    /// The counted place that the step is taken from, if others may be left there: their cells are those of `OTHER`, about which is known
    /// what is known of the place.
    pub left_at: Option<u32>,
}

/// One of the combinations of predicates of a state.
pub struct Case<'s> {
    /// Which.
    pub cube: &'s Cube,
    /// The formulas that hold in it.
    pub context: Vec<TermId>,
}

/// Only values of cells.
pub struct Explicit {
    /// Up to how many values of an unknown cell are tried one by one.
    pub max_enum: usize,
}

/// How predicates are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combine {
    /// Each for itself.
    Cartesian,
    /// As a set of combinations.
    Boolean,
    /// One state for each combination.
    Split,
}

/// Values of the tracked cells, and predicates.
pub struct Predicates {
    /// How they are combined.
    pub combine: Combine,
    /// Up to how many values of an unknown cell are tried one by one.
    pub max_enum: usize,
}

/// Combinations beyond this many are not told apart.
const MAX_CUBES: usize = 64;

impl Domain for Explicit {
    fn after(&self, tools: &mut Tools<'_, '_>, state: &Abstract, step: &Step<'_>) -> Result<Vec<Abstract>, Why> {
        let values = values_after(tools, state, step, &[], self.max_enum)?;
        Ok(values.into_iter().map(|values| Abstract { values, cubes: vec![Cube::new()] }).collect())
    }

    fn uses_predicates(&self) -> bool {
        false
    }

    fn is_by_value(&self, _: &Precision) -> bool {
        self.max_enum <= 1
    }
}

impl Domain for Predicates {
    fn after(&self, tools: &mut Tools<'_, '_>, state: &Abstract, step: &Step<'_>) -> Result<Vec<Abstract>, Why> {
        let others = about_others(tools, state, step);
        let guards = step.guards;
        let mut cubes: Vec<Cube> = Vec::new();
        let mut contexts: Vec<Vec<TermId>> = Vec::new();
        for case in step.cases {
            let mut context = case.context.clone();
            context.extend(others.iter().copied());
            let before = context.len();
            context.extend(guards.iter().copied());
            cubes.extend(self.cubes_after(tools, state, step, case.cube, &context, before)?);
            contexts.push(context);
        }
        cubes.sort_unstable();
        cubes.dedup();
        if cubes.len() > MAX_CUBES {
            cubes = vec![common(&cubes)];
        }
        let context = if contexts.len() == 1 { contexts.pop().expect("there is one") } else { guards.to_vec() };
        let values = values_after(tools, state, step, &context, self.max_enum)?;
        let mut results = Vec::new();
        for values in values {
            if self.combine == Combine::Split {
                results.extend(cubes.iter().map(|cube| Abstract { values: values.clone(), cubes: vec![cube.clone()] }));
            } else {
                results.push(Abstract { values, cubes: cubes.clone() });
            }
        }
        Ok(results)
    }

    fn uses_predicates(&self) -> bool {
        true
    }

    fn is_by_value(&self, precision: &Precision) -> bool {
        self.max_enum <= 1 && precision.predicates.is_empty()
    }

    fn keeps_combinations(&self) -> bool {
        self.combine != Combine::Cartesian
    }
}

impl Predicates {
    fn cubes_after(
        &self,
        tools: &mut Tools<'_, '_>,
        state: &Abstract,
        step: &Step<'_>,
        cube: &Cube,
        context: &[TermId],
        n_known: usize,
    ) -> Result<Vec<Cube>, Why> {
        let new_values: FxHashMap<VarId, TermId> = step.updates.iter().copied().collect();
        let mut after = Cube::new();
        let mut open: Vec<(u32, TermId)> = Vec::new();
        for number in 0..tools.precision.predicates.len() as u32 {
            if step.dropped.contains(number as usize) {
                continue;
            }
            let predicate = tools.precision.predicates[number as usize];
            let vars = tools.cells.vars_in(predicate);
            let is_changed = vars.iter().any(|var| new_values.contains_key(var));
            let known = cube.binary_search_by_key(&number, |(number, _)| *number).ok().map(|index| cube[index].1);
            if !is_changed && let Some(holds) = known {
                after.push((number, holds));
                continue;
            }
            let precondition = if is_changed {
                tools.cells.pool.substitute(predicate, &|var| new_values.get(&var).copied())
            } else {
                predicate
            };
            let precondition = state.bind(tools.cells, precondition);
            if let Some(value) = tools.cells.pool.as_const(precondition) {
                after.push((number, value.as_bool()));
                continue;
            }
            if !is_changed {
                // Only the conditions of the step can have told something new.
                let related = connected(tools.cells, context, precondition);
                if !related.iter().any(|formula| context[n_known..].contains(formula)) {
                    continue;
                }
            }
            match tools.entailment.value(tools.cells, context, precondition)? {
                Some(holds) => after.push((number, holds)),
                None => open.push((number, precondition)),
            }
        }
        if self.combine == Combine::Cartesian || open.is_empty() {
            return Ok(vec![after]);
        }
        let mut found = Vec::new();
        split(tools, context, &open, after.clone(), &mut found)?;
        if found.len() > MAX_CUBES {
            return Ok(vec![after]);
        }
        Ok(found)
    }
}

/// What is known of a place is known of those who are left there, too: values of their cells.
pub fn with_others<'s>(cells: &mut Cells<'_>, state: &'s Abstract, left_at: Option<u32>) -> Cow<'s, Abstract> {
    let Some(place) = left_at else { return Cow::Borrowed(state) };
    let mut state = state.clone();
    for (var, value) in state.values.clone() {
        if let Some(Cell::Own(thread, own)) = cells.cell(var)
            && thread == place
        {
            state.values.push((cells.var(Cell::Own(OTHER, own)), value));
        }
    }
    state.values.sort_unstable();
    Cow::Owned(state)
}

/// Likewise the predicates that hold in all cubes.
fn about_others(tools: &mut Tools<'_, '_>, state: &Abstract, step: &Step<'_>) -> Vec<TermId> {
    let (Some(place), false) = (step.left_at, state.cubes.is_empty()) else { return Vec::new() };
    let known = common(&state.cubes);
    let mut formulas = state.context(tools.cells, tools.precision, &known);
    for formula in &mut formulas {
        let renamed = tools.cells.rename(*formula, place, OTHER);
        *formula = if renamed == *formula { tools.cells.pool.bool(true) } else { renamed };
    }
    formulas.retain(|formula| tools.cells.pool.as_const(*formula).is_none());
    formulas
}

/// All combinations of the open predicates that are possible in the context.
fn split(
    tools: &mut Tools<'_, '_>,
    context: &[TermId],
    open: &[(u32, TermId)],
    cube: Cube,
    found: &mut Vec<Cube>,
) -> Result<(), Why> {
    if found.len() > MAX_CUBES {
        return Ok(());
    }
    let Some(((number, precondition), rest)) = open.split_first() else {
        let mut cube = cube;
        cube.sort_unstable();
        found.push(cube);
        return Ok(());
    };
    for holds in [false, true] {
        let literal = if holds { *precondition } else { tools.cells.pool.not(*precondition) };
        if tools.entailment.is_possible(tools.cells, context, literal)? {
            let mut context = context.to_vec();
            context.push(literal);
            let mut cube = cube.clone();
            cube.push((*number, holds));
            split(tools, &context, rest, cube, found)?;
        }
    }
    Ok(())
}

/// What all cubes agree on.
pub(crate) fn common(cubes: &[Cube]) -> Cube {
    let mut result = cubes[0].clone();
    result.retain(|literal| cubes.iter().all(|cube| cube.binary_search(literal).is_ok()));
    result
}

/// The conditions of a step with known values put in; `None` if one fails.
pub fn bound_guards(cells: &mut Cells<'_>, state: &Abstract, all: impl Iterator<Item = TermId>) -> Option<Vec<TermId>> {
    let mut guards = Vec::new();
    for guard in all {
        let guard = state.bind(cells, guard);
        match cells.pool.as_const(guard) {
            Some(value) if value.as_bool() => {}
            Some(_) => return None,
            None => guards.push(guard),
        }
    }
    Some(guards)
}

/// The cases of a state in which conditions with known values put in may hold.
pub fn cases<'s>(tools: &mut Tools<'_, '_>, state: &'s Abstract, guards: &[TermId]) -> Result<Vec<Case<'s>>, Why> {
    let all = tools.cells.pool.and_all(guards);
    let mut cases = Vec::new();
    for cube in &state.cubes {
        let context = state.context(tools.cells, tools.precision, cube);
        if guards.is_empty() || tools.entailment.is_possible(tools.cells, &context, all)? {
            cases.push(Case { cube, context });
        }
    }
    Ok(cases)
}

/// The values of tracked cells after a step; several lists where unknown values are enumerated.
fn values_after(
    tools: &mut Tools<'_, '_>,
    state: &Abstract,
    step: &Step<'_>,
    context: &[TermId],
    max_enum: usize,
) -> Result<Vec<Vec<(VarId, TermId)>>, Why> {
    if tools.precision.cells.is_empty() {
        return Ok(vec![Vec::new()]);
    }
    let Step { updates, forgotten, .. } = *step;
    let is_updated = |var: VarId| updates.iter().any(|(updated, _)| *updated == var);
    let is_kept = |var: VarId| !is_updated(var) && forgotten.binary_search(&var).is_err();
    let mut values: Vec<(VarId, TermId)> = state.values.iter().copied().filter(|(var, _)| is_kept(*var)).collect();
    let mut learnt: FxHashMap<VarId, TermId> = FxHashMap::default();
    for guard in step.guards {
        learnt.extend(equations(tools.cells, *guard));
    }
    for (var, value) in learnt.iter().map(|(var, value)| (*var, *value)) {
        let is_new = !values.iter().any(|(known, _)| *known == var);
        if tools.precision.cells.contains(&var) && is_kept(var) && is_new {
            values.push((var, value));
        }
    }
    let mut unknown = Vec::new();
    for (var, value) in updates {
        if !tools.precision.cells.contains(var) {
            continue;
        }
        let bound = state.bind(tools.cells, *value);
        let bound = tools.cells.pool.substitute(bound, &|var| learnt.get(&var).copied());
        if tools.cells.pool.as_const(bound).is_some() {
            values.push((*var, bound));
        } else {
            unknown.push((*var, bound));
        }
    }
    let mut results = vec![values];
    if max_enum > 1 {
        let context: Vec<TermId> = if context.is_empty() { step.guards.to_vec() } else { context.to_vec() };
        for (var, term) in unknown {
            let Some(found) = tools.entailment.values(tools.cells, &context, term, max_enum)? else { continue };
            if found.len() * results.len() > max_enum {
                continue;
            }
            results = results
                .iter()
                .flat_map(|values| {
                    found.iter().map(move |value| {
                        let mut values = values.clone();
                        values.push((var, *value));
                        values
                    })
                })
                .collect();
        }
    }
    for values in &mut results {
        values.sort_unstable();
    }
    Ok(results)
}

/// Cells that a condition says the value of.
fn equations(cells: &mut Cells<'_>, guard: TermId) -> Vec<(VarId, TermId)> {
    let (yes, no) = (cells.pool.bool(true), cells.pool.bool(false));
    let mut found = Vec::new();
    let mut open = vec![guard];
    while let Some(term) = open.pop() {
        match cells.pool.node(term) {
            Node::App { op: Op::And, args } => open.extend(args.iter().copied()),
            Node::App { op: Op::Eq, args } => {
                for (a, b) in [(args[0], args[1]), (args[1], args[0])] {
                    if let (Some(var), Some(_)) = (cells.pool.as_var(a), cells.pool.as_const(b)) {
                        found.push((var, b));
                    }
                }
            }
            Node::App { op: Op::Not, args } => found.extend(cells.pool.as_var(args[0]).map(|var| (var, no))),
            Node::Var(var) => found.push((*var, yes)),
            _ => {}
        }
    }
    found
}
