//! What does a solver answer?
//!
//! Satisfiable with values for the variables, unsatisfiable with the assumptions that were needed, or unknown with the
//! reason. Variables that a formula does not depend on may be missing from an assignment; they count as zero.

use logic::{Pool, TermId, Value, VarId};
use rustc_hash::FxHashMap;

use crate::limits::Why;

/// The result of a check.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// All assertions and assumptions hold under this assignment.
    Sat(Assignment),
    /// The assertions and these assumptions (some of the given ones) have no common solution.
    Unsat(Vec<TermId>),
    /// No answer, for this reason.
    Unknown(Why),
}

impl Answer {
    /// Satisfiable.
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    /// Unsatisfiable.
    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat(_))
    }
}

/// The answer alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// There is a solution.
    Sat,
    /// There is none.
    Unsat,
    /// No answer, for this reason.
    Unknown(Why),
}

/// Values of variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assignment {
    values: FxHashMap<VarId, Value>,
}

impl Assignment {
    /// No variable has a value yet.
    pub fn new() -> Assignment {
        Assignment::default()
    }

    /// Gives a variable a value.
    pub fn set(&mut self, var: VarId, value: Value) {
        self.values.insert(var, value);
    }

    /// The value of a variable, if the formula depended on it.
    pub fn get(&self, var: VarId) -> Option<&Value> {
        self.values.get(&var)
    }

    /// The value of a variable; zero if the formula did not depend on it.
    pub fn value(&self, pool: &Pool, var: VarId) -> Value {
        self.get(var).cloned().unwrap_or_else(|| Value::zero(pool.var_sort(var)))
    }

    /// The value of a term.
    pub fn evaluate(&self, pool: &Pool, term: TermId) -> Value {
        pool.evaluate(term, &|var| self.value(pool, var))
    }

    /// Whether a formula holds.
    pub fn satisfies(&self, pool: &Pool, formula: TermId) -> bool {
        self.evaluate(pool, formula).as_bool()
    }

    /// The variables that have values, in order.
    pub fn vars(&self) -> Vec<VarId> {
        let mut vars: Vec<VarId> = self.values.keys().copied().collect();
        vars.sort_unstable();
        vars
    }
}
