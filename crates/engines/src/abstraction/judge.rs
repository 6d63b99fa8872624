//! Is a condition possible in a state, and does a state know whether a predicate holds?
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
pub struct Judge {
    oracle: Oracle,
    /// Time spent on questions.
    pub time: std::time::Duration,
    limits: Limits,
}

impl Judge {
    /// With limits for all questions together.
    pub fn new(limits: Limits) -> Judge {
        Judge { oracle: Oracle::new(limits.clone()), time: std::time::Duration::ZERO, limits }
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
