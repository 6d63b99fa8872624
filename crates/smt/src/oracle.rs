//! Is a formula satisfiable, does one imply another, are two equivalent?
//!
//! Answers are remembered by the terms asked about, which are unique. Before a solver is asked: constants and conjuncts
//! that occur on both sides settle an implication, and a recent assignment that happens to satisfy a formula settles
//! its satisfiability. Bit-blasting decides first; what it calls incomplete goes to Z3.
//!
//! Questions are independent of each other; for one condition that grows and shrinks there is `Path`.

use logic::{Node, Op, Pool, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::answer::{Answer, Assignment};
use crate::bits::Bits;
use crate::limits::{Limits, Why};
use crate::z3::Z3;

/// Remembers what it was asked. Belongs to one pool.
pub struct Oracle {
    bits: Bits,
    z3: Option<Z3>,
    limits: Limits,
    is_sat: FxHashMap<TermId, bool>,
    recent: Vec<Assignment>,
    next_recent: usize,
    statistics: OracleStatistics,
}

/// How questions were settled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OracleStatistics {
    /// Questions asked.
    pub questions: u64,
    /// Settled from memory or by looking at the terms.
    pub remembered: u64,
    /// Settled by an assignment found for another question.
    pub reused: u64,
    /// Settled by a solver.
    pub solved: u64,
}

/// Assignments that are tried before a solver is asked.
const RECENT: usize = 4;

/// Formulas of more nodes (as trees) are not evaluated under recent assignments.
const MAX_EVALUATED: u32 = 4000;

impl Default for Oracle {
    fn default() -> Oracle {
        Oracle::new(Limits::default())
    }
}

impl Oracle {
    /// With limits for each question that a solver has to settle.
    pub fn new(limits: Limits) -> Oracle {
        let mut bits = Bits::new();
        bits.set_limits(limits.clone());
        Oracle {
            bits,
            z3: None,
            limits,
            is_sat: FxHashMap::default(),
            recent: Vec::new(),
            next_recent: 0,
            statistics: OracleStatistics::default(),
        }
    }

    /// How questions were settled so far.
    pub fn statistics(&self) -> OracleStatistics {
        self.statistics
    }

    /// Whether a formula has a solution.
    pub fn is_sat(&mut self, pool: &Pool, formula: TermId) -> Result<bool, Why> {
        self.statistics.questions += 1;
        self.settle(pool, formula)
    }

    /// Whether `b` holds wherever `a` does.
    pub fn implies(&mut self, pool: &mut Pool, a: TermId, b: TermId) -> Result<bool, Why> {
        self.statistics.questions += 1;
        let weaker: FxHashSet<TermId> = conjuncts(pool, b).into_iter().collect();
        let stronger: FxHashSet<TermId> = conjuncts(pool, a).into_iter().collect();
        if weaker.iter().all(|conjunct| stronger.contains(conjunct)) {
            self.statistics.remembered += 1;
            return Ok(true);
        }
        let not_b = pool.not(b);
        let counterexample = pool.and(a, not_b);
        self.settle(pool, counterexample).map(|is_sat| !is_sat)
    }

    /// Whether two formulas hold in the same places, or two terms have the same values everywhere.
    pub fn equivalent(&mut self, pool: &mut Pool, a: TermId, b: TermId) -> Result<bool, Why> {
        self.statistics.questions += 1;
        let differ = pool.ne(a, b);
        self.settle(pool, differ).map(|is_sat| !is_sat)
    }

    /// A solution of a formula, if it has one.
    pub fn solution(&mut self, pool: &Pool, formula: TermId) -> Result<Option<Assignment>, Why> {
        self.statistics.questions += 1;
        if self.is_sat.get(&formula) == Some(&false) {
            self.statistics.remembered += 1;
            return Ok(None);
        }
        self.solve(pool, formula)
    }

    fn settle(&mut self, pool: &Pool, formula: TermId) -> Result<bool, Why> {
        if let Some(value) = pool.as_const(formula) {
            self.statistics.remembered += 1;
            return Ok(value.as_bool());
        }
        if let Some(&answer) = self.is_sat.get(&formula) {
            self.statistics.remembered += 1;
            return Ok(answer);
        }
        let holds = |assignment: &Assignment| assignment.satisfies(pool, formula);
        if pool.tree_size(formula) <= MAX_EVALUATED && self.recent.iter().any(holds) {
            self.statistics.reused += 1;
            self.is_sat.insert(formula, true);
            return Ok(true);
        }
        self.solve(pool, formula).map(|solution| solution.is_some())
    }

    fn solve(&mut self, pool: &Pool, formula: TermId) -> Result<Option<Assignment>, Why> {
        self.statistics.solved += 1;
        self.bits.push();
        self.bits.assert(pool, formula);
        let mut answer = self.bits.check(pool, &[]);
        self.bits.pop();
        if let Answer::Unknown(Why::Incomplete(_)) = answer {
            let z3 = self.z3.get_or_insert_with(Z3::new);
            z3.set_limits(self.limits.clone());
            z3.push();
            z3.assert(pool, formula);
            answer = z3.check(pool, &[]);
            z3.pop();
        }
        match answer {
            Answer::Sat(assignment) => {
                self.is_sat.insert(formula, true);
                self.remember(assignment.clone());
                Ok(Some(assignment))
            }
            Answer::Unsat(_) => {
                self.is_sat.insert(formula, false);
                Ok(None)
            }
            Answer::Unknown(why) => Err(why),
        }
    }

    fn remember(&mut self, assignment: Assignment) {
        if self.recent.len() < RECENT {
            self.recent.push(assignment);
        } else {
            self.recent[self.next_recent] = assignment;
            self.next_recent = (self.next_recent + 1) % RECENT;
        }
    }
}

/// The formulas that a conjunction consists of.
pub(crate) fn conjuncts(pool: &Pool, formula: TermId) -> Vec<TermId> {
    let mut result = Vec::new();
    let mut open = vec![formula];
    while let Some(formula) = open.pop() {
        match pool.node(formula) {
            Node::App { op: Op::And, args } => open.extend(args.iter().rev()),
            Node::Const(value) if value.as_bool() => {}
            _ => result.push(formula),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Sort;

    #[test]
    fn questions_are_asked_once() {
        let mut pool = Pool::new();
        let mut oracle = Oracle::default();
        let x = pool.declare("x", Sort::Bv(16));
        let x = pool.var(x);
        let (ten, five) = (pool.bv(16, 10), pool.bv(16, 5));
        let (below_ten, below_five) = (pool.ult(x, ten), pool.ult(x, five));
        let both = pool.and(below_ten, below_five);
        assert_eq!(oracle.implies(&mut pool, below_five, below_ten), Ok(true));
        assert_eq!(oracle.implies(&mut pool, below_ten, below_five), Ok(false));
        assert_eq!(oracle.equivalent(&mut pool, both, below_five), Ok(true));
        let solved = oracle.statistics().solved;
        assert_eq!(oracle.implies(&mut pool, below_five, below_ten), Ok(true));
        assert_eq!(oracle.implies(&mut pool, below_ten, below_five), Ok(false));
        assert_eq!(oracle.implies(&mut pool, both, below_five), Ok(true));
        // The solution found for the second question is below ten.
        assert_eq!(oracle.is_sat(&pool, below_ten), Ok(true));
        assert_eq!(oracle.statistics().solved, solved);
        assert_eq!(oracle.statistics().reused, 1);
    }

    #[test]
    fn unknown_is_not_remembered() {
        let mut pool = Pool::new();
        let limits = Limits::default();
        let cancel = limits.cancel.clone();
        let mut oracle = Oracle::new(limits);
        let x = pool.declare("x", Sort::Bool);
        let x = pool.var(x);
        cancel.cancel();
        assert_eq!(oracle.is_sat(&pool, x), Err(Why::Cancelled));
        assert!(oracle.is_sat.is_empty());
    }
}
