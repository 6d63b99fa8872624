//! Is a condition possible in a state, and does a state know whether a predicate holds?
//!
//! Known as: entailment checks, implication queries; independent constraint sets, as in symbolic execution \[Cadar08].
//!
//! A context is a list of formulas that have a common solution. Only those that are connected with the question through common variables
//! can matter, so only these are asked about: the questions become small, and the same small question comes up again in many
//! states, where the oracle remembers the answer.
//!
//! Invariant: when the solver cannot tell, a condition counts as possible and a predicate as unknown, which is what an abstraction may
//! always say. Running out of time, memory or patience is an error, though.

use super::cells::Cells;
use logic::TermId;
use rustc_hash::FxHashSet;
use smt::{Limits, Oracle, Why};

/// Decides questions about states.
pub struct Entailment {
    oracle: Oracle,
    /// Time spent on questions.
    pub time: std::time::Duration,
    limits: Limits,
}

impl Entailment {
    /// With limits for all questions together.
    pub fn new(limits: Limits) -> Entailment {
        Entailment { oracle: Oracle::new(limits.clone()), time: std::time::Duration::ZERO, limits }
    }

    /// What each question may use.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How many questions the solver was asked.
    pub fn n_solved(&self) -> u64 {
        self.oracle.statistics().solved
    }

    /// How many questions there were.
    pub fn n_questions(&self) -> u64 {
        self.oracle.statistics().questions
    }

    /// Whether a goal is possible together with a context, which has a solution.
    pub fn is_possible(&mut self, cells: &mut Cells<'_>, context: &[TermId], goal: TermId) -> Result<bool, Why> {
        if let Some(value) = cells.pool.as_const(goal) {
            return Ok(value.as_bool());
        }
        let mut formulas = connected(cells, context, goal);
        if formulas.contains(&goal) {
            return Ok(true);
        }
        formulas.push(goal);
        let question = cells.pool.and_all(&formulas);
        let started = std::time::Instant::now();
        let answer = self.oracle.is_sat(&cells.pool, question);
        self.time += started.elapsed();
        match answer {
            Err(Why::Incomplete(_)) => Ok(true),
            other => other,
        }
    }

    /// Whether a predicate holds in the context, where that is known.
    pub fn value(&mut self, cells: &mut Cells<'_>, context: &[TermId], predicate: TermId) -> Result<Option<bool>, Why> {
        let negation = cells.pool.not(predicate);
        if !self.is_possible(cells, context, negation)? {
            return Ok(Some(true));
        }
        Ok(if self.is_possible(cells, context, predicate)? { None } else { Some(false) })
    }

    /// Values of a term in the context, at most `most`; `None` if there are more or nobody can tell.
    pub fn values(
        &mut self,
        cells: &mut Cells<'_>,
        context: &[TermId],
        term: TermId,
        most: usize,
    ) -> Result<Option<Vec<TermId>>, Why> {
        let mut found = Vec::new();
        let mut formulas = connected(cells, context, term);
        let started = std::time::Instant::now();
        loop {
            let question = cells.pool.and_all(&formulas);
            let solution = match self.oracle.solution(&cells.pool, question) {
                Err(Why::Incomplete(_)) => return Ok(None),
                other => other?,
            };
            let Some(solution) = solution else { break };
            if found.len() == most {
                self.time += started.elapsed();
                return Ok(None);
            }
            let value = solution.evaluate(&cells.pool, term);
            let value = cells.pool.constant(value);
            found.push(value);
            formulas.push(cells.pool.ne(term, value));
        }
        self.time += started.elapsed();
        Ok(Some(found))
    }
}

/// The formulas of the context that share variables with the goal, directly or through others.
pub fn connected(cells: &mut Cells<'_>, context: &[TermId], goal: TermId) -> Vec<TermId> {
    let mut vars: FxHashSet<logic::VarId> = cells.vars_in(goal).iter().copied().collect();
    let mut left: Vec<TermId> = context.to_vec();
    let mut taken = Vec::new();
    loop {
        let before = taken.len();
        left.retain(|formula| {
            let own = cells.vars_in(*formula);
            let touches = own.iter().any(|var| vars.contains(var));
            if touches {
                vars.extend(own.iter().copied());
                taken.push(*formula);
            }
            !touches
        });
        if taken.len() == before {
            taken.sort_unstable();
            return taken;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::Cell;
    use super::*;
    use ir::Program;
    use ir::build::Builder;

    /// A program with globals x, y and z.
    fn program() -> (Program, [logic::VarId; 3]) {
        let mut builder = Builder::new();
        let vars = ["x", "y", "z"].map(|name| builder.global(name, 0));
        let main = builder.define("main", |_| {});
        (builder.finish(main), vars)
    }

    struct World<'p> {
        cells: Cells<'p>,
        entailment: Entailment,
        terms: [TermId; 3],
    }

    fn world((program, vars): &(Program, [logic::VarId; 3])) -> World<'_> {
        let mut cells = Cells::new(program);
        let terms = vars.map(|var| {
            let var = cells.var(Cell::Global(var));
            cells.pool.var(var)
        });
        World { cells, entailment: Entailment::new(Limits::default()), terms }
    }

    impl World<'_> {
        fn is(&mut self, var: usize, value: u64) -> TermId {
            let value = self.cells.pool.bv(32, value);
            self.cells.pool.eq(self.terms[var], value)
        }

        fn are_equal(&mut self, a: usize, b: usize) -> TermId {
            self.cells.pool.eq(self.terms[a], self.terms[b])
        }

        fn value(&mut self, context: &[TermId], predicate: TermId) -> Option<bool> {
            self.entailment.value(&mut self.cells, context, predicate).expect("nothing stops it")
        }
    }

    #[test]
    fn what_follows_from_a_context_is_known_and_nothing_else() {
        let program = program();
        let mut world = world(&program);
        let (x_is_1, x_is_2, y_is_1) = (world.is(0, 1), world.is(0, 2), world.is(1, 1));
        let x_is_y = world.are_equal(0, 1);
        assert_eq!(world.value(&[x_is_1], x_is_1), Some(true));
        assert_eq!(world.value(&[x_is_1], x_is_2), Some(false));
        assert_eq!(world.value(&[x_is_1], y_is_1), None, "nothing is said of y");
        assert_eq!(world.value(&[x_is_1, x_is_y], y_is_1), Some(true), "through another formula");
        assert_eq!(world.value(&[], x_is_1), None);
    }

    #[test]
    fn only_formulas_that_share_variables_are_asked_about() {
        let program = program();
        let mut world = world(&program);
        let (x_is_1, z_is_1, x_is_y) = (world.is(0, 1), world.is(2, 1), world.are_equal(0, 1));
        let y = world.is(1, 7);
        let mut taken = connected(&mut world.cells, &[x_is_1, z_is_1, x_is_y], y);
        taken.sort_unstable();
        let mut expected = vec![x_is_1, x_is_y];
        expected.sort_unstable();
        assert_eq!(taken, expected, "z is not connected with y, x is through x == y");
        let is_possible = world.entailment.is_possible(&mut world.cells, &[x_is_1, z_is_1, x_is_y], y);
        assert!(!is_possible.expect("nothing stops it"), "y is x, and x is 1");
    }

    #[test]
    fn values_are_listed_if_they_are_few() {
        let program = program();
        let mut world = world(&program);
        let (one, two) = (world.is(0, 1), world.is(0, 2));
        let either = world.cells.pool.or(one, two);
        let x = world.terms[0];
        let mut values =
            |most| world.entailment.values(&mut world.cells, &[either], x, most).expect("nothing stops it");
        assert_eq!(values(2).map(|values| values.len()), Some(2));
        assert_eq!(values(1), None, "there are more than one");
    }
}
