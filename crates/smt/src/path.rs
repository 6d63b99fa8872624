//! Can a path condition that grows and shrinks still be met?
//!
//! A path is a stack of formulas and one incremental solver. The solver is told about a formula only when a question
//! needs it, and a question only goes to the solver if the last solution does not answer it: a formula that the last
//! solution satisfies too leaves the path feasible, and a path that was infeasible stays so however it grows.

use logic::{Pool, TermId};

use crate::answer::{Answer, Assignment, Decision};
use crate::limits::{Limits, Why};
use crate::solver::{Backend, Solver};

/// A conjunction for long-lived incremental questions. Belongs to one pool.
pub struct Path {
    solver: Solver,
    formulas: Vec<TermId>,
    /// How many of the formulas are scopes of the solver.
    n_given: usize,
    /// The shortest prefix known to be infeasible.
    infeasible_at: Option<usize>,
    /// A solution, and how many of the formulas it satisfies.
    solution: Option<(Assignment, usize)>,
}

impl Path {
    /// The empty path.
    pub fn new(backend: Backend) -> Path {
        Path { solver: Solver::new(backend), formulas: Vec::new(), n_given: 0, infeasible_at: None, solution: None }
    }

    /// What later questions may use.
    pub fn set_limits(&mut self, limits: Limits) {
        self.solver.set_limits(limits);
    }

    /// How many formulas there are.
    pub fn len(&self) -> usize {
        self.formulas.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.formulas.is_empty()
    }

    /// The formulas, the first one first.
    pub fn formulas(&self) -> &[TermId] {
        &self.formulas
    }

    /// Adds a formula.
    pub fn push(&mut self, formula: TermId) {
        self.formulas.push(formula);
    }

    /// Takes the last formula back.
    pub fn pop(&mut self) -> Option<TermId> {
        let last = self.formulas.last().copied();
        self.truncate(self.formulas.len().saturating_sub(1));
        last
    }

    /// Keeps the first `n` formulas.
    pub fn truncate(&mut self, n: usize) {
        self.formulas.truncate(n);
        while self.n_given > self.formulas.len() {
            self.solver.pop();
            self.n_given -= 1;
        }
        let n = self.formulas.len();
        if self.infeasible_at.is_some_and(|at| at > n) {
            self.infeasible_at = None;
        }
        if let Some((_, satisfied)) = &mut self.solution {
            *satisfied = n.min(*satisfied);
        }
    }

    /// Whether all formulas have a common solution.
    pub fn is_feasible(&mut self, pool: &Pool) -> Result<bool, Why> {
        if self.infeasible_at.is_some() {
            return Ok(false);
        }
        if self.is_satisfied(pool) {
            return Ok(true);
        }
        self.give(pool);
        match self.solver.check(pool, &[]) {
            Answer::Sat(assignment) => {
                self.solution = Some((assignment, self.formulas.len()));
                Ok(true)
            }
            Answer::Unsat(_) => {
                self.infeasible_at = Some(self.formulas.len());
                Ok(false)
            }
            Answer::Unknown(why) => Err(why),
        }
    }

    /// A solution of all formulas, if there is one.
    pub fn solution(&mut self, pool: &Pool) -> Result<Option<&Assignment>, Why> {
        Ok(if self.is_feasible(pool)? { self.solution.as_ref().map(|(assignment, _)| assignment) } else { None })
    }

    /// Whether a formula holds in all solutions of the path.
    pub fn implies(&mut self, pool: &mut Pool, formula: TermId) -> Result<bool, Why> {
        if self.infeasible_at.is_some() || self.formulas.contains(&formula) {
            return Ok(true);
        }
        if self.is_satisfied(pool) {
            let (assignment, _) = self.solution.as_ref().expect("something satisfies the path");
            if !assignment.satisfies(pool, formula) {
                return Ok(false);
            }
        }
        let negation = pool.not(formula);
        self.give(pool);
        self.solver.push();
        self.solver.assert(pool, negation);
        let decision = self.solver.decide(pool, &[]);
        self.solver.pop();
        match decision {
            Decision::Sat => Ok(false),
            Decision::Unsat => Ok(true),
            Decision::Unknown(why) => Err(why),
        }
    }

    /// The places of formulas that have no common solution; none if the path is feasible.
    pub fn core(&mut self, pool: &Pool) -> Result<Option<Vec<usize>>, Why> {
        if self.is_feasible(pool)? {
            return Ok(None);
        }
        // Formulas have to be assumptions to be told apart, so they go to a solver of their own.
        let n = self.infeasible_at.unwrap_or(self.formulas.len());
        let mut solver = Solver::new(self.solver.backend());
        solver.set_limits(self.solver.limits().clone());
        match solver.check(pool, &self.formulas[..n]) {
            Answer::Unsat(core) => Ok(Some((0..n).filter(|&i| core.contains(&self.formulas[i])).collect())),
            Answer::Sat(_) => unreachable!("the same formulas had no solution"),
            Answer::Unknown(why) => Err(why),
        }
    }

    /// Whether the last solution satisfies all formulas.
    fn is_satisfied(&mut self, pool: &Pool) -> bool {
        let Some((assignment, satisfied)) = &mut self.solution else { return self.formulas.is_empty() && self.start() };
        while *satisfied < self.formulas.len() && assignment.satisfies(pool, self.formulas[*satisfied]) {
            *satisfied += 1;
        }
        *satisfied == self.formulas.len()
    }

    /// Nothing is satisfied by anything.
    fn start(&mut self) -> bool {
        self.solution = Some((Assignment::new(), 0));
        true
    }

    fn give(&mut self, pool: &Pool) {
        for &formula in &self.formulas[self.n_given..] {
            self.solver.push();
            self.solver.assert(pool, formula);
        }
        self.n_given = self.formulas.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::random::{Kinds, Source};

    /// Random pushes, pops and questions, against a new solver each time.
    #[test]
    fn paths_agree_with_single_questions() {
        let mut n_infeasible = 0;
        for seed in 0..40 {
            let mut source = Source::narrow(seed, Kinds::Arrays);
            let mut pool = Pool::new();
            let mut path = Path::new(Backend::Bits);
            for _ in 0..25 {
                match source.below(4) {
                    0 => drop(path.pop()),
                    1 => {
                        let sort = source.sort();
                        let var = source.variable(&mut pool, sort);
                        let (left, right) = (pool.var(var), source.term(&mut pool, sort, 2));
                        path.push(pool.eq(left, right));
                    }
                    _ => path.push(source.formula(&mut pool, 2)),
                }
                let mut single = Solver::new(Backend::Bits);
                path.formulas().iter().for_each(|&formula| single.assert(&pool, formula));
                let expected = single.decide(&pool, &[]) == Decision::Sat;
                assert_eq!(path.is_feasible(&pool), Ok(expected), "seed {seed}");
                if let Some(solution) = path.solution(&pool).unwrap().cloned() {
                    assert!(path.formulas().iter().all(|&formula| solution.satisfies(&pool, formula)), "seed {seed}");
                }
                if let Some(core) = path.core(&pool).unwrap() {
                    n_infeasible += 1;
                    let mut single = Solver::new(Backend::Bits);
                    core.iter().for_each(|&i| single.assert(&pool, path.formulas()[i]));
                    assert_eq!(single.decide(&pool, &[]), Decision::Unsat, "seed {seed}");
                    path.truncate(path.len().saturating_sub(3));
                }
                let question = source.formula(&mut pool, 2);
                let negation = pool.not(question);
                let mut single = Solver::new(Backend::Bits);
                path.formulas().iter().for_each(|&formula| single.assert(&pool, formula));
                single.assert(&pool, negation);
                let expected = single.decide(&pool, &[]) == Decision::Unsat;
                assert_eq!(path.implies(&mut pool, question), Ok(expected), "seed {seed}");
            }
        }
        assert!(n_infeasible > 20, "only {n_infeasible} paths were infeasible");
    }
}
