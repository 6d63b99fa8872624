//! Why is a path infeasible, between each two of its steps?
//!
//! For formulas A1 … An without a common solution, a sequence of interpolants I1 … In-1 says what of the past matters for
//! the contradiction to come: A1 implies I1, Ii and Ai+1 imply Ii+1, In-1 and An are contradictory, and Ii is only about
//! variables used both before and after it. Two ways find them: [`newton`] (quick, from an unsatisfiable core) and [`horn`]
//! (Spacer, slower, often more general). Every result is checked here before it is returned, whoever found it.
//!
//! Over integers the path is first contradicted without wrap-around; if the interpolants then hold only where some
//! operations do not wrap, the result says so in `relies_on`.

mod horn;
mod newton;
mod project;

use logic::{Pool, TermId, VarId};

use crate::answer::{Answer, Assignment, Decision};
use crate::bits::Bits;
use crate::integers::{IntegerAnswer, check_integers};
use crate::limits::{Limits, Why};
use crate::oracle::conjuncts;
use rustc_hash::FxHashSet;

/// From which end a path is worked through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the first formula: interpolants are strong, like postconditions.
    Forward,
    /// From the last formula: interpolants are weak, like preconditions.
    Backward,
}

/// How interpolants are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// From an unsatisfiable core, by strongest postconditions or weakest preconditions.
    Newton(Direction),
    /// By Horn clauses, with Spacer, which ends the process on some paths.
    Horn,
    /// Backward, else forward.
    Any,
}

/// What the numbers of a path are taken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    /// What they are.
    BitVectors,
    /// Integers that do not wrap around, with the obligation that they do not.
    Integers,
}

/// Interpolants that have been checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interpolants {
    /// One less than there are formulas.
    pub terms: Vec<TermId>,
    /// For each formula of the path, conditions that operations in it do not wrap: the interpolants are those of the
    /// formulas together with these. All are empty unless integers were asked for and wrap-around matters.
    pub relies_on: Vec<Vec<TermId>>,
    /// Which way found them.
    pub method: Method,
}

/// Why there are no interpolants.
#[derive(Clone, PartialEq, Debug)]
pub enum NoInterpolants {
    /// The path has a solution.
    Feasible(Assignment),
    /// None were found, for this reason.
    Unknown(Why),
}

impl From<Why> for NoInterpolants {
    fn from(why: Why) -> NoInterpolants {
        NoInterpolants::Unknown(why)
    }
}

/// What a conjunction says about the variables to keep, or less than that: where a variable cannot be eliminated, the formulas with it are left out.
pub fn project(pool: &mut Pool, formulas: &[TermId], keep: &dyn Fn(VarId) -> bool) -> Vec<TermId> {
    project::project(pool, formulas, keep, &|_| false)
}

/// Interpolants for an infeasible path.
pub fn interpolate(
    pool: &mut Pool,
    path: &[TermId],
    method: Method,
    arithmetic: Arithmetic,
    limits: &Limits,
) -> Result<Interpolants, NoInterpolants> {
    let mut relies_on = vec![Vec::new(); path.len()];
    if arithmetic == Arithmetic::Integers {
        match check_integers(pool, path, limits) {
            IntegerAnswer::Sat(assignment) => return Err(NoInterpolants::Feasible(assignment)),
            IntegerAnswer::Unknown(why) => return Err(why.into()),
            IntegerAnswer::Unsat { relies_on: conditions } => {
                for condition in conditions {
                    let place = first_covering(pool, path, condition);
                    relies_on[place].push(condition);
                }
            }
        }
    } else {
        let mut bits = Bits::new();
        bits.set_limits(limits.clone());
        path.iter().for_each(|&formula| bits.assert(pool, formula));
        match bits.check(pool, &[]) {
            Answer::Sat(assignment) => return Err(NoInterpolants::Feasible(assignment)),
            Answer::Unknown(why) => return Err(why.into()),
            Answer::Unsat(_) => {}
        }
    }
    let strengthened: Vec<TermId> = path
        .iter()
        .zip(&relies_on)
        .map(|(&formula, conditions)| {
            let conditions = pool.and_all(conditions);
            pool.and(formula, conditions)
        })
        .collect();
    let ways: &[Method] = match &method {
        Method::Any => &[Method::Newton(Direction::Backward), Method::Newton(Direction::Forward)],
        single => std::slice::from_ref(single),
    };
    let mut last = Why::Incomplete("there is nothing to interpolate".into());
    for &way in ways {
        let found = match way {
            Method::Newton(direction) => newton::newton(pool, &strengthened, direction, limits),
            _ => {
                let conditions = relies_on.concat();
                let over_integers = (arithmetic == Arithmetic::Integers).then_some(&conditions[..]);
                horn::horn(pool, path, over_integers, limits)
            }
        };
        let terms = match found {
            Ok(terms) => terms,
            Err(why @ (Why::Cancelled | Why::Memory)) => return Err(why.into()),
            Err(why) => {
                last = why;
                continue;
            }
        };
        // Perhaps the interpolants do without the conditions that the contradiction over integers needed.
        let needs_conditions = relies_on.iter().any(|conditions| !conditions.is_empty());
        if needs_conditions && check_interpolants(pool, path, &terms, limits).is_ok() {
            return Ok(Interpolants { terms, relies_on: vec![Vec::new(); path.len()], method: way });
        }
        match check_interpolants(pool, &strengthened, &terms, limits) {
            Ok(()) => return Ok(Interpolants { terms, relies_on, method: way }),
            Err(Invalid::Unknown(why)) => last = why,
            Err(Invalid::At(place)) => {
                last = Why::Incomplete(format!("too much was lost to interpolate at step {place}"));
            }
        }
    }
    Err(last.into())
}

/// The first formula of the path such that all variables of the condition occur up to there, and one occurs in it.
fn first_covering(pool: &Pool, path: &[TermId], condition: TermId) -> usize {
    let wanted = pool.free_vars(condition);
    path.iter().position(|&formula| wanted.is_subset(&pool.free_vars(formula))).unwrap_or_else(|| {
        path.iter().rposition(|&formula| !wanted.is_disjoint(&pool.free_vars(formula))).unwrap_or(path.len() - 1)
    })
}

/// What is wrong with a sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Invalid {
    /// The step from this formula on, counted from zero, does not follow, or the interpolant after it uses a variable
    /// that is not common.
    At(usize),
    /// It could not be checked, for this reason.
    Unknown(Why),
}

/// Checks that terms are interpolants of a path: each follows from the one before, over common variables only.
pub fn check_interpolants(pool: &mut Pool, path: &[TermId], terms: &[TermId], limits: &Limits) -> Result<(), Invalid> {
    assert_eq!(terms.len() + 1, path.len(), "there is an interpolant between each two formulas");
    let steps: Vec<Vec<TermId>> = path.iter().map(|&formula| vec![formula]).collect();
    let live = newton::live_vars(pool, &steps);
    for (i, &formula) in path.iter().enumerate() {
        let before = if i == 0 { pool.bool(true) } else { terms[i - 1] };
        let after = if i + 1 == path.len() { pool.bool(false) } else { terms[i] };
        if i + 1 < path.len() && !pool.free_vars(after).is_subset(&live[i + 1]) {
            return Err(Invalid::At(i));
        }
        let negation = pool.not(after);
        let mut bits = Bits::new();
        bits.set_limits(limits.clone());
        for formula in [before, formula, negation] {
            bits.assert(pool, formula);
        }
        match bits.decide(pool, &[]) {
            Decision::Unsat => {}
            Decision::Sat => return Err(Invalid::At(i)),
            Decision::Unknown(why) => return Err(Invalid::Unknown(why)),
        }
    }
    Ok(())
}

/// Conjuncts of the formulas that have no common solution, few of them.
fn core_of(pool: &Pool, path: &[TermId], limits: &Limits) -> Result<FxHashSet<TermId>, Why> {
    let mut all: Vec<TermId> = Vec::new();
    let mut seen = FxHashSet::default();
    for &formula in path {
        all.extend(conjuncts(pool, formula).into_iter().filter(|&conjunct| seen.insert(conjunct)));
    }
    let mut bits = Bits::new();
    bits.set_limits(limits.clone());
    let mut core = match bits.check(pool, &all) {
        Answer::Unsat(core) => core,
        Answer::Sat(_) => return Err(Why::Incomplete("the path is feasible".into())),
        Answer::Unknown(why) => return Err(why),
    };
    // Each conjunct is left out in turn; if the rest still contradicts itself, it was not needed.
    let mut i = 0;
    while i < core.len() {
        let mut rest = core.clone();
        rest.remove(i);
        match bits.check(pool, &rest) {
            Answer::Unsat(smaller) => core.retain(|term| smaller.contains(term)),
            Answer::Sat(_) => i += 1,
            Answer::Unknown(why) => return Err(why),
        }
    }
    Ok(core.into_iter().collect())
}
