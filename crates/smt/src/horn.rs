//! Is there an invariant? Constrained Horn clauses over bit-vectors and truth values, solved by Spacer.
//!
//! A clause says: where its constraint holds and its body predicates hold of their arguments, its head predicate holds of
//! its own, or, without a head, this cannot be. A solution gives each predicate a formula over its parameters; loop
//! invariants, summaries of procedures and interpolants are such formulas. The clauses are universally quantified over
//! all variables in them.
//!
//! A solution is checked clause by clause, by bit-blasting, before it is returned. That there is none is Z3's word.

use logic::{Pool, Sort, TermId, VarId};
use z3_sys as z3;

use crate::answer::Decision;
use crate::bits::Bits;
use crate::limits::{Limits, Stop, Why};
use crate::z3::binding::{Ast, AstSort, Context, Failure, Function, Params, Solver, Truth};
use crate::z3::encode::Encoder;
use crate::z3::lift::Kinds;
use crate::z3::watchdog::Watchdog;

/// A predicate of a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Predicate(usize);

/// A predicate of terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Applied {
    /// Which.
    pub predicate: Predicate,
    /// Of what; as many as it has parameters, of the same sorts.
    pub args: Vec<TermId>,
}

/// `constraint` and all of `body` imply `head`, or nothing possible if there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HornClause {
    /// A formula.
    pub constraint: TermId,
    /// Predicates that have to hold.
    pub body: Vec<Applied>,
    /// The predicate that follows.
    pub head: Option<Applied>,
}

/// Predicates and clauses about them. Belongs to one pool.
#[derive(Clone, Debug, Default)]
pub struct HornSystem {
    parameters: Vec<Vec<VarId>>,
    clauses: Vec<HornClause>,
}

/// What came of a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HornAnswer {
    /// For each predicate, in the order of their making, a formula over its parameters. All clauses hold, checked.
    Solution(Vec<TermId>),
    /// There is no solution: the clauses derive a contradiction.
    NoSolution,
    /// No answer, for this reason.
    Unknown(Why),
}

impl HornSystem {
    /// Nothing in it.
    pub fn new() -> HornSystem {
        HornSystem::default()
    }

    /// Adds a predicate with these variables for its parameters.
    pub fn predicate(&mut self, parameters: Vec<VarId>) -> Predicate {
        self.parameters.push(parameters);
        Predicate(self.parameters.len() - 1)
    }

    /// The variables that stand for a predicate's parameters.
    pub fn parameters(&self, predicate: Predicate) -> &[VarId] {
        &self.parameters[predicate.0]
    }

    /// Adds a clause.
    pub fn clause(&mut self, constraint: TermId, body: Vec<Applied>, head: Option<Applied>) {
        for applied in body.iter().chain(&head) {
            assert_eq!(
                applied.args.len(),
                self.parameters[applied.predicate.0].len(),
                "an argument for each parameter"
            );
        }
        self.clauses.push(HornClause { constraint, body, head });
    }

    /// Formulas for the predicates that make all clauses true.
    pub fn solve(&self, pool: &mut Pool, limits: &Limits) -> HornAnswer {
        match self.try_solve(pool, limits) {
            Ok(Some(solution)) => match self.check(pool, &solution, limits) {
                Ok(true) => HornAnswer::Solution(solution),
                Ok(false) => HornAnswer::Unknown(Why::Incomplete("Z3: what it calls a solution is none".into())),
                Err(why) => HornAnswer::Unknown(why),
            },
            Ok(None) => HornAnswer::NoSolution,
            Err(why) => HornAnswer::Unknown(why),
        }
    }

    /// Whether formulas for the predicates make all clauses true.
    pub fn check(&self, pool: &mut Pool, solution: &[TermId], limits: &Limits) -> Result<bool, Why> {
        for clause in &self.clauses {
            let mut violated = vec![clause.constraint];
            violated.extend(clause.body.iter().map(|applied| self.instance(pool, solution, applied)));
            if let Some(head) = &clause.head {
                let head = self.instance(pool, solution, head);
                violated.push(pool.not(head));
            }
            let mut bits = Bits::new();
            bits.set_limits(limits.clone());
            violated.iter().for_each(|&formula| bits.assert(pool, formula));
            match bits.decide(pool, &[]) {
                Decision::Unsat => {}
                Decision::Sat => return Ok(false),
                Decision::Unknown(why) => return Err(why),
            }
        }
        Ok(true)
    }

    /// A predicate's formula about arguments.
    fn instance(&self, pool: &mut Pool, solution: &[TermId], applied: &Applied) -> TermId {
        let parameters = &self.parameters[applied.predicate.0];
        let value = |var: VarId| parameters.iter().position(|&other| other == var).map(|place| applied.args[place]);
        pool.substitute(solution[applied.predicate.0], &value)
    }

    fn try_solve(&self, pool: &mut Pool, limits: &Limits) -> Result<Option<Vec<TermId>>, Why> {
        let all = self.parameters.iter().flatten();
        if all.into_iter().any(|&var| !matches!(pool.var_sort(var), Sort::Bool | Sort::Bv(_))) {
            return Err(Why::Incomplete("parameters of predicates are truth values or bit-vectors".into()));
        }
        let context = Context::new();
        let watchdog = Watchdog::new(context.interrupt_handle());
        let kinds = Kinds::learn(&context)?;
        let solver = Solver::for_logic(&context, "HORN");
        solver.set(&Params::new(&context).set_word("fp.engine", "spacer"));
        let mut encoder = Encoder::new(&context);
        let predicates: Vec<Function> = self
            .parameters
            .iter()
            .enumerate()
            .map(|(i, parameters)| {
                let sorts: Vec<AstSort> = parameters.iter().map(|&var| encoder.sort(pool.var_sort(var))).collect();
                context.function(&format!("predicate{i}"), &sorts, &context.bool_sort())
            })
            .collect();
        for clause in &self.clauses {
            solver.assert(&quantified(pool, &mut encoder, &predicates, clause)?);
        }
        let (truth, stopped) = watchdog.guard(Stop::begin(limits), || solver.check(&[]));
        if let Some(why) = stopped {
            return Err(why);
        }
        match truth {
            Truth::Sat => {}
            Truth::Unsat => return Ok(None),
            Truth::Unknown => return Err(Failure::from_reason(solver.reason_unknown()).into()),
        }
        let model = solver.model()?;
        let mut solution = Vec::new();
        for (function, parameters) in predicates.iter().zip(&self.parameters) {
            let terms: Vec<TermId> = parameters.iter().map(|&var| pool.var(var)).collect();
            let meaning = match model.function(function) {
                Some((points, meaning)) if points.is_empty() => Some(meaning),
                // A predicate without parameters is a constant.
                _ if terms.is_empty() => Some(model.evaluate(&context.apply(function, &[])?)?),
                _ => None,
            };
            let term = meaning.and_then(|meaning| kinds.lift(pool, &meaning, &terms));
            solution.push(term.ok_or_else(|| Why::Incomplete("Spacer's answer cannot be read".into()))?);
        }
        Ok(Some(solution))
    }
}

/// A clause for Z3, with all its variables quantified.
fn quantified(
    pool: &Pool,
    encoder: &mut Encoder,
    predicates: &[Function],
    clause: &HornClause,
) -> Result<Ast, Failure> {
    let context = encoder.context.clone();
    let apply = |encoder: &mut Encoder, applied: &Applied| -> Result<Ast, Failure> {
        let args: Result<Vec<Ast>, Failure> = applied.args.iter().map(|&arg| encoder.term(pool, arg)).collect();
        context.apply(&predicates[applied.predicate.0], &args?)
    };
    let mut premises = vec![encoder.term(pool, clause.constraint)?];
    for applied in &clause.body {
        premises.push(apply(encoder, applied)?);
    }
    let conclusion = match &clause.head {
        Some(head) => apply(encoder, head)?,
        None => context.nullary(z3::Z3_mk_false)?,
    };
    let premise = context.variadic(z3::Z3_mk_and, &premises)?;
    let rule = context.binary(z3::Z3_mk_implies, &premise, &conclusion)?;
    let mut terms = vec![clause.constraint];
    terms.extend(clause.body.iter().chain(&clause.head).flat_map(|applied| &applied.args));
    let mut used = pool.free_vars(clause.constraint);
    terms.iter().for_each(|&term| used.union_with(&pool.free_vars(term)));
    let bound: Result<Vec<Ast>, Failure> = used.ones().map(|var| encoder.var(pool, VarId(var as u32))).collect();
    context.forall(&bound?, &rule)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// `x = 0; y = 0; while (x < n) { x++; y++; } assert(claim)`, with a small bound.
    fn counting(claim: fn(&mut Pool, TermId, TermId) -> TermId) -> (Pool, HornSystem) {
        let mut pool = Pool::new();
        let mut system = HornSystem::new();
        let vars: Vec<VarId> = ["x", "y"].iter().map(|name| pool.declare(name, Sort::Bv(8))).collect();
        let invariant = system.predicate(vars.clone());
        let (x, y) = (pool.var(vars[0]), pool.var(vars[1]));
        let (zero, one, bound) = (pool.bv(8, 0), pool.bv(8, 1), pool.bv(8, 4));
        let always = pool.bool(true);
        let of = |args: &[TermId]| Applied { predicate: invariant, args: args.to_vec() };
        system.clause(always, vec![], Some(of(&[zero, zero])));
        let goes_on = pool.ult(x, bound);
        let (next_x, next_y) = (pool.add(x, one), pool.add(y, one));
        system.clause(goes_on, vec![of(&[x, y])], Some(of(&[next_x, next_y])));
        let ends = pool.not(goes_on);
        let claim = claim(&mut pool, x, y);
        let fails = pool.not(claim);
        let wrong = pool.and(ends, fails);
        system.clause(wrong, vec![of(&[x, y])], None);
        (pool, system)
    }

    #[test]
    fn an_invariant_is_found_and_checked() {
        let limits = Limits::time(Duration::from_secs(60));
        let (mut pool, system) = counting(|pool, x, y| pool.eq(x, y));
        let answer = system.solve(&mut pool, &limits);
        let HornAnswer::Solution(solution) = answer else { panic!("{answer:?}") };
        assert_eq!(system.check(&mut pool, &solution, &limits), Ok(true));
        // What is too weak or too strong is found out.
        for value in [true, false] {
            let term = pool.bool(value);
            assert_eq!(system.check(&mut pool, &[term], &limits), Ok(false));
        }
    }

    #[test]
    fn a_contradiction_is_derived() {
        let (mut pool, system) = counting(|pool, x, y| {
            let three = pool.bv(8, 3);
            let sum = pool.add(x, y);
            pool.ult(sum, three)
        });
        assert_eq!(system.solve(&mut pool, &Limits::time(Duration::from_secs(60))), HornAnswer::NoSolution);
    }
}
