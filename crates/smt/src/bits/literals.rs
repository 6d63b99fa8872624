//! How does one speak to the SAT solver without terms?
//!
//! Literals stand for formulas or for nothing at all; clauses over them are added for good, outside of all scopes. An
//! attached theory watches some of them. This is the way in for encodings that are made of many small clauses, where a
//! term for each would cost more than the clause.
//!
//! A literal of a formula keeps its meaning as long as the scopes that were open when it was asked for. A solver with
//! literals known outside is never rebuilt, so what closed scopes leave behind stays in it.

use logic::{Pool, TermId};

use super::{Bits, Exchange, GAVE_UP};
use crate::answer::Decision;
use crate::limits::{Stop, Why};
use crate::literal::Lit;
use crate::theory::Theory;

/// What the SAT solver has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SatStatistics {
    /// Variables made.
    pub variables: u64,
    /// Clauses given to the solver, those of theories not counted.
    pub clauses: u64,
    /// Decisions.
    pub decisions: u64,
    /// Literals propagated in search.
    pub propagations: u64,
    /// Conflicts.
    pub conflicts: u64,
    /// Variables that have the same value in all solutions.
    pub fixed: u64,
    /// Variables eliminated.
    pub eliminated: u64,
}

impl Bits {
    /// Connects a theory; once, and before the first literal is watched.
    pub fn attach(&mut self, theory: Box<dyn Theory>) {
        assert!(!self.sat.has_theory(), "there is one theory at most");
        self.has_outside_literals = true;
        self.sat.attach(theory);
    }

    /// Prepares for questions that are hard to refute rather than hard to find a solution of; before anything is asserted.
    pub fn refute_mostly(&mut self) {
        self.sat.refute_mostly();
    }

    /// A literal that stands for a formula. Pending assertions are encoded first, so that variables they define cost
    /// nothing.
    pub fn lit(&mut self, pool: &Pool, formula: TermId) -> Result<Lit, Why> {
        self.has_outside_literals = true;
        let stop = Stop::begin(&self.limits);
        self.encode_scopes(pool, &stop)?;
        let wire = self.encoder.wire(pool, formula, &stop)?;
        self.cnf.lit(&self.encoder.gates, &mut self.sat, wire, &stop)
    }

    /// A literal of a new variable.
    pub fn fresh_lit(&mut self) -> Lit {
        self.has_outside_literals = true;
        self.sat.fresh()
    }

    /// Adds a clause for good.
    pub fn add_clause(&mut self, lits: &[Lit]) {
        self.has_outside_literals = true;
        self.sat.clause(lits);
    }

    /// A literal for a formula, which the attached theory is told about.
    pub fn watch(&mut self, pool: &Pool, formula: TermId) -> Result<Lit, Why> {
        let lit = self.lit(pool, formula)?;
        Ok(self.sat.watch(lit))
    }

    /// Has the attached theory told about a literal. If the literal is older than the last check it may have been
    /// eliminated: then the result is a new one, equivalent to it.
    pub fn watch_lit(&mut self, lit: Lit) -> Lit {
        self.sat.watch(lit)
    }

    /// A literal of a new variable, which the attached theory is told about.
    pub fn fresh_watched(&mut self) -> Lit {
        let lit = self.fresh_lit();
        self.sat.watch(lit)
    }

    /// Makes two terms equal where a literal holds: clauses bit by bit, without a literal for the equality.
    pub fn equal_if(&mut self, pool: &Pool, lit: Lit, a: TermId, b: TermId) -> Result<(), Why> {
        if pool.sort(a).scalar().is_none() {
            self.has_outside_literals = true;
            return Err(Why::Incomplete("arrays cannot be compared under a literal".into()));
        }
        let stop = Stop::begin(&self.limits);
        self.encode_scopes(pool, &stop)?;
        let (a, b) = (self.encoder.word(pool, a, &stop)?, self.encoder.word(pool, b, &stop)?);
        for (x, y) in a.into_iter().zip(b) {
            if x == y {
                continue;
            }
            match (x.as_constant(), y.as_constant()) {
                (Some(p), Some(q)) if p == q => {}
                (Some(_), Some(_)) => self.sat.clause(&[!lit]),
                (Some(value), None) | (None, Some(value)) => {
                    let wire = if x.as_constant().is_none() { x } else { y };
                    let bit = self.cnf.lit(&self.encoder.gates, &mut self.sat, wire, &stop)?;
                    self.sat.clause(&[!lit, if value { bit } else { !bit }]);
                }
                (None, None) => {
                    let p = self.cnf.lit(&self.encoder.gates, &mut self.sat, x, &stop)?;
                    let q = self.cnf.lit(&self.encoder.gates, &mut self.sat, y, &stop)?;
                    self.sat.clause(&[!lit, !p, q]);
                    self.sat.clause(&[!lit, p, !q]);
                }
            }
        }
        Ok(())
    }

    /// Whenever the solver decides on the variable of this literal, the literal is tried first.
    pub fn prefer(&mut self, lit: Lit) {
        self.sat.prefer(lit);
    }

    /// After a check with a solution: whether a literal holds in it.
    pub fn lit_value(&mut self, lit: Lit) -> bool {
        self.sat.value(lit)
    }

    /// After a check without solution: whether an assumed literal was needed for that.
    pub fn lit_failed(&mut self, lit: Lit) -> bool {
        self.refuted.is_none() && self.sat.failed(lit)
    }

    /// Remembers what is learnt from now on, for [`exchange`](Bits::exchange) and [`most_active`](Bits::most_active).
    pub fn listen(&mut self) {
        self.sat.listen();
    }

    /// Tells others what was learnt about watched literals, and adds what they have told. Nobody else's number is `who`.
    pub fn exchange(&mut self, with: &Exchange, who: usize) {
        self.sat.exchange(with, who);
    }

    /// The literal among these, but for some, that has no value yet and occurs most in what was learnt lately.
    pub fn most_active(&self, among: &[Lit], except: &[Lit]) -> Option<Lit> {
        self.sat.most_active(among, except)
    }

    /// How much a literal occurs in what was learnt lately.
    pub fn activity(&self, lit: Lit) -> f64 {
        self.sat.activity(lit)
    }

    /// Whether assertions and assumptions have a common solution; nothing, if that takes more than so many conflicts.
    pub fn decide_within(&mut self, pool: &Pool, goal: TermId, lits: &[Lit], conflicts: u32) -> Option<Decision> {
        self.sat.limit_conflicts(Some(conflicts));
        let decision = self.decide_with(pool, &[goal], lits);
        self.sat.limit_conflicts(None);
        let is_paused = matches!(&decision, Decision::Unknown(Why::Incomplete(what)) if what == GAVE_UP);
        (!is_paused).then_some(decision)
    }

    /// What the SAT solver has done so far.
    pub fn statistics(&self) -> SatStatistics {
        SatStatistics {
            variables: self.sat.n_vars() as u64,
            clauses: self.sat.n_clauses() as u64,
            decisions: self.sat.count("decisions"),
            propagations: self.sat.count("propagations"),
            conflicts: self.sat.count("conflicts"),
            fixed: self.sat.count("fixed"),
            eliminated: self.sat.count("eliminated"),
        }
    }
}
