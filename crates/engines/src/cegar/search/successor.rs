//! What is known after a step? The conditions are looked at first, then the cone takes away what nobody looks at, and the domain does the rest.
//!
//! Known as: abstract successor computation (abstract post), memoised.
//!
//! Where a step is the same in all states and only values are tracked, what it makes of the values that it looks at is remembered with
//! the simplified step, so that it is evaluated once for each of them.
//!
//! Invariant: nothing is kept of cells that the step changes, unless the domain says what they are afterwards.

use crate::abstraction::cells::Cells;
use crate::abstraction::cone::{Inputs, Simplified, Taken, is_declared};
use crate::abstraction::domain::{self, Step, Tools};
use crate::abstraction::state::{Abstract, Precision};
use crate::abstraction::symbolic::Summary;
use crate::cegar::world::World;
use fixedbitset::FixedBitSet;
use logic::{TermId, VarId};

/// What the domain says of a step, with what nobody looks at left out.
pub(crate) fn after_step(
    world: &mut World<'_>,
    precision: &Precision,
    state: &Abstract,
    summary: &Summary,
    guards: &[TermId],
    taken: &Taken<'_>,
    left_at: Option<u32>,
) -> Result<Vec<Abstract>, smt::Why> {
    let state = &*domain::with_others(&mut world.cells, state, left_at);
    let by_value = guards.is_empty() && world.domain.is_by_value(precision);
    if by_value
        && summary.is_fixed
        && !taken.after.has_counted
        && let Some(simplified) = world.cone.simplify(&mut world.cells, &world.live, precision, taken, summary)
        && let Some(inputs) = &simplified.inputs
    {
        world.counts.assignments += n_assignments(&world.cells, summary);
        world.counts.simplified += simplified.n_havoc;
        world.counts.eliminated += simplified.n_dropped;
        return after_known_step(world, precision, state, summary, taken, &simplified, inputs);
    }
    let all = summary.guards.iter().chain(guards).copied();
    let Some(guards) = domain::bound_guards(&mut world.cells, state, all) else { return Ok(Vec::new()) };
    let mut tools = Tools { cells: &mut world.cells, entailment: &mut world.entailment, precision };
    let cases = &domain::cases(&mut tools, state, &guards)?;
    if cases.is_empty() {
        return Ok(Vec::new());
    }
    world.counts.assignments += n_assignments(tools.cells, summary);
    let mut is_trimmed = false;
    let mut after = match world.cone.simplify(tools.cells, &world.live, precision, taken, summary) {
        Some(simplified) => {
            world.counts.simplified += simplified.n_havoc;
            world.counts.eliminated += simplified.n_dropped;
            let Simplified { updates, forgotten, dropped, .. } = &*simplified;
            let step = Step { guards: &guards, cases, updates, forgotten, dropped, left_at };
            let after = world.domain.after(&mut tools, state, &step)?;
            is_trimmed = simplified.is_trimmed;
            after
        }
        None => {
            let dropped = &FixedBitSet::new();
            let updates = &summary.updates;
            let step = Step { guards: &guards, cases, updates, forgotten: &[], dropped, left_at };
            world.domain.after(&mut tools, state, &step)?
        }
    };
    for state in &mut after {
        if !is_trimmed {
            world.live.trim(&mut world.cells, precision, taken.after, state);
        }
        precision.trim(taken.after, state);
    }
    Ok(after)
}

/// Assignments of a step to what the program declares.
fn n_assignments(cells: &Cells<'_>, summary: &Summary) -> u64 {
    summary.updates.iter().filter(|(var, _)| is_declared(cells, *var)).count() as u64
}

/// Likewise where only values matter: what a simplified step makes of those that it looks at is remembered.
fn after_known_step(
    world: &mut World<'_>,
    precision: &Precision,
    state: &Abstract,
    summary: &Summary,
    taken: &Taken<'_>,
    simplified: &Simplified,
    inputs: &[VarId],
) -> Result<Vec<Abstract>, smt::Why> {
    let Simplified { updates, forgotten, dropped, outcomes, .. } = simplified;
    let values: Inputs = inputs.iter().map(|var| state.value(*var)).collect();
    let known = outcomes.borrow().get(&values).cloned();
    let outcome = match known {
        Some(outcome) => outcome,
        None => {
            let known = inputs.iter().zip(&values).filter_map(|(var, value)| Some((*var, (*value)?)));
            let part = Abstract { values: known.collect(), cubes: state.cubes.clone() };
            let guards = domain::bound_guards(&mut world.cells, &part, summary.guards.iter().copied());
            let outcome = match guards {
                None => None,
                Some(guards) => {
                    let mut tools = Tools { cells: &mut world.cells, entailment: &mut world.entailment, precision };
                    let cases = &domain::cases(&mut tools, &part, &guards)?;
                    let step = Step { guards: &guards, cases, updates, forgotten, dropped, left_at: None };
                    match cases.is_empty() {
                        true => None,
                        false => {
                            let after = world.domain.after(&mut tools, &part, &step)?;
                            after.into_iter().next().map(|after| after.values.into())
                        }
                    }
                }
            };
            outcomes.borrow_mut().insert(values, outcome.clone());
            outcome
        }
    };
    let Some(new) = outcome else { return Ok(Vec::new()) };
    let is_kept = |(var, _): &(VarId, TermId)| {
        let is_new = new.binary_search_by_key(var, |(var, _)| *var).is_ok();
        !is_new && forgotten.binary_search(var).is_err() && !updates.iter().any(|(updated, _)| updated == var)
    };
    let mut values: Vec<(VarId, TermId)> = Vec::with_capacity(state.values.len() + new.len());
    values.extend(state.values.iter().copied().filter(is_kept));
    values.extend(new.iter().copied());
    values.sort_unstable();
    let mut after = Abstract { values, cubes: state.cubes.clone() };
    precision.trim(taken.after, &mut after);
    Ok(vec![after])
}
