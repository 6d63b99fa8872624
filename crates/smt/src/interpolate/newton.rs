//! Which interpolants follow from what the contradiction needs?
//!
//! First the path is reduced to a small unsatisfiable core of its conjuncts: the rest may be anything. Then, forward,
//! each interpolant is what the core so far says about the variables that the core still uses; backward, it is what
//! must hold for the rest of the core to be contradictory. On assignments this amounts to strongest postconditions and
//! weakest preconditions. See Dietsch, Heizmann, Musa, Nutz, Podelski, "Craig vs. Newton in software model checking".
//!
//! Where a variable cannot be eliminated exactly, something is lost; whoever asks has to check the result.

use fixedbitset::FixedBitSet;
use logic::{Pool, TermId, VarId};

use super::project::project;
use super::{Direction, core_of};
use crate::limits::{Limits, Why};
use crate::oracle::conjuncts;

/// An interpolant between each two neighbours of an infeasible path.
pub(super) fn newton(
    pool: &mut Pool,
    path: &[TermId],
    direction: Direction,
    limits: &Limits,
) -> Result<Vec<TermId>, Why> {
    let core = core_of(pool, path, limits)?;
    let steps: Vec<Vec<TermId>> = path
        .iter()
        .map(|&formula| conjuncts(pool, formula).into_iter().filter(|conjunct| core.contains(conjunct)).collect())
        .collect();
    let live = live_vars(pool, &steps);
    // Variables that the core does not connect may be used too, if they are common to the formulas themselves.
    let whole: Vec<Vec<TermId>> = path.iter().map(|&formula| vec![formula]).collect();
    let common = live_vars(pool, &whole);
    let n = path.len();
    let mut result = Vec::new();
    let mut state: Vec<TermId> = Vec::new();
    for cut in 1..n {
        let cut = if direction == Direction::Forward { cut } else { n - cut };
        let step = if direction == Direction::Forward { cut - 1 } else { cut };
        state.extend(&steps[step]);
        let keep = |var: VarId| live[cut].contains(var.index());
        state = project(pool, &state, &keep, &|var| common[cut].contains(var.index()));
        let known = pool.and_all(&state);
        result.push(if direction == Direction::Forward { known } else { pool.not(known) });
    }
    if direction == Direction::Backward {
        result.reverse();
    }
    Ok(result)
}

/// For each cut, the variables used both before and after it.
pub(super) fn live_vars(pool: &Pool, steps: &[Vec<TermId>]) -> Vec<FixedBitSet> {
    let used: Vec<FixedBitSet> = steps
        .iter()
        .map(|formulas| {
            let mut vars = FixedBitSet::with_capacity(pool.n_vars());
            formulas.iter().for_each(|&formula| vars.union_with(&pool.free_vars(formula)));
            vars
        })
        .collect();
    let n = steps.len();
    let mut after = vec![FixedBitSet::with_capacity(pool.n_vars()); n + 1];
    for cut in (0..n).rev() {
        after[cut] = after[cut + 1].clone();
        after[cut].union_with(&used[cut]);
    }
    let mut before = FixedBitSet::with_capacity(pool.n_vars());
    let mut live = Vec::new();
    for cut in 0..=n {
        let mut vars = before.clone();
        vars.intersect_with(&after[cut]);
        live.push(vars);
        if cut < n {
            before.union_with(&used[cut]);
        }
    }
    live
}
