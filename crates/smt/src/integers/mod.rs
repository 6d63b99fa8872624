//! What follows if integers do not wrap around, and do they?
//!
//! Unbounded integers are easier to reason about than bit-vectors, and general statements come out of it. `check_integers`
//! decides formulas over integers (see [`translate`]) and says which operations it relied on not to wrap. That is an
//! obligation: `wrapping_solution` checks it over bit-vectors, exactly. Only then is "no solution" a fact about the
//! formulas.

mod back;
mod signs;
mod translate;

use logic::{BitVec, Pool, Sort, TermId, Value};
use z3_sys as z3;

use crate::answer::{Answer, Assignment};
use crate::limits::{Limits, Stop, Why};
use crate::solver::{Backend, Solver};
use crate::z3::binding::{Ast, Context, Failure, Solver as Z3Solver, Truth};
use crate::z3::decode::from_decimal;
use crate::z3::watchdog::Watchdog;
pub(crate) use back::Back;
pub(crate) use signs::{View, Views};
pub(crate) use translate::Translation;

/// The result of a check over integers.
#[derive(Clone, PartialEq, Debug)]
pub enum IntegerAnswer {
    /// A solution, also over bit-vectors: it has been checked.
    Sat(Assignment),
    /// No solution in which all of these conditions hold. They are formulas over bit-vectors, each saying that one
    /// operation does not wrap around; without any, there is no solution at all.
    Unsat {
        /// What the answer depends on.
        relies_on: Vec<TermId>,
    },
    /// No answer, for this reason.
    Unknown(Why),
}

/// Whether formulas have a common solution, as far as integers can tell.
pub fn check_integers(pool: &mut Pool, formulas: &[TermId], limits: &Limits) -> IntegerAnswer {
    match try_check(pool, formulas, limits) {
        Ok(answer) => answer,
        Err(why) => IntegerAnswer::Unknown(why),
    }
}

/// A solution of the formulas, over bit-vectors, in which one of the conditions that an answer relied on is violated.
/// If there is none, the answer stands.
pub fn wrapping_solution(
    pool: &mut Pool,
    formulas: &[TermId],
    relies_on: &[TermId],
    limits: &Limits,
) -> Result<Option<Assignment>, Why> {
    if relies_on.is_empty() {
        return Ok(None);
    }
    let all = pool.and_all(relies_on);
    let wraps = pool.not(all);
    let mut solver = Solver::new(Backend::Bits);
    solver.set_limits(limits.clone());
    formulas.iter().for_each(|&formula| solver.assert(pool, formula));
    solver.assert(pool, wraps);
    match solver.check(pool, &[]) {
        Answer::Sat(assignment) => Ok(Some(assignment)),
        Answer::Unsat(_) => Ok(None),
        Answer::Unknown(why) => Err(why),
    }
}

fn try_check(pool: &mut Pool, formulas: &[TermId], limits: &Limits) -> Result<IntegerAnswer, Why> {
    let context = Context::new();
    let watchdog = Watchdog::new(context.interrupt_handle());
    let solver = Z3Solver::new(&context);
    let mut translation = Translation::new(&context, Views::of(pool, formulas));
    for &formula in formulas {
        let ast = translation.formula(pool, formula)?;
        solver.assert(&ast);
    }
    for (_, range) in &translation.ranges {
        solver.assert(range);
    }
    let mut names = Vec::new();
    for side in &translation.sides {
        let name = context.fresh_constant(&context.bool_sort())?;
        solver.assert(&context.binary(z3::Z3_mk_implies, &name, &side.ast)?);
        names.push(name);
    }
    let stop = Stop::begin(limits);
    let (truth, stopped) = watchdog.guard(stop, || solver.check(&names));
    if let Some(why) = stopped {
        return Err(why);
    }
    match truth {
        Truth::Unsat => {
            let core: Vec<usize> = solver.core().iter().map(Ast::address).collect();
            let needed = names.iter().zip(&translation.sides).filter(|(name, _)| core.contains(&name.address()));
            Ok(IntegerAnswer::Unsat { relies_on: needed.map(|(_, side)| side.condition).collect() })
        }
        Truth::Sat => {
            let assignment = assignment(pool, &translation, &solver)?;
            if formulas.iter().all(|&formula| assignment.satisfies(pool, formula)) {
                Ok(IntegerAnswer::Sat(assignment))
            } else {
                Err(Why::Incomplete("the solution over integers is none over bit-vectors".into()))
            }
        }
        Truth::Unknown => Err(Failure::from_reason(solver.reason_unknown()).into()),
    }
}

/// The values of variables in a solution over integers; they are in range, so they are values of bit-vectors.
fn assignment(pool: &Pool, translation: &Translation, solver: &Z3Solver) -> Result<Assignment, Failure> {
    let model = solver.model()?;
    let mut assignment = Assignment::new();
    for (var, ast) in &translation.vars {
        let value = model.evaluate(ast)?;
        let value = match pool.var_sort(*var) {
            Sort::Bool => {
                let is_true = translation.context.nullary(z3::Z3_mk_true)?;
                Value::Bool(value.address() == is_true.address())
            }
            sort => {
                let width = sort.width().expect("variables of a translation are truth values or bit-vectors");
                Value::Bv(value.numeral().map_or(BitVec::zero(width), |digits| from_decimal(&digits, width)))
            }
        };
        assignment.set(*var, value);
    }
    Ok(assignment)
}
