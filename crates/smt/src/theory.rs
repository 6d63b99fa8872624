//! How does knowledge beyond clauses take part in the search?
//!
//! A theory watches some literals of the SAT solver. While the solver assigns and takes back, the theory follows, adds
//! what its watched literals imply, and vetoes assignments that contradict it. It speaks in clauses over watched
//! literals that hold in every solution of the theory, so whatever it says stays true after backtracking. The solver
//! may still forget such clauses, and it drops implied literals when it backtracks before it got to them: a theory says
//! again what still matters, and `check` judges the whole assignment.
//!
//! How the search calls a theory: `assign` for each watched literal, in the order of the trail; `propagate` once the
//! clauses have been propagated to their end and something watched is new; `explain` only for implied literals that a
//! conflict was traced back to; `backtrack` with the level to return to, after which literals that are still assigned
//! (by chronological backtracking) are assigned anew; `check` when everything is assigned; `decide` before each decision.
//!
//! The wiring to CaDiCaL's external propagator is in `bits::hook`; literals to watch come from `Bits::watch`,
//! `Bits::watch_lit` and `Bits::fresh_watched`.

use std::cell::RefCell;
use std::rc::Rc;

use crate::literal::Lit;

/// What a theory has to say about the current assignment.
#[derive(Default, Debug)]
pub struct Consequences {
    pub(crate) implied: Vec<Lit>,
    /// Clauses one after the other as raw literals, each with a zero behind it.
    pub(crate) clauses: Vec<i32>,
}

impl Consequences {
    /// This watched literal follows from those assigned. The solver may ask for the reason later, see
    /// `Theory::explain`. Literals that are true already are skipped; one that is false is a conflict.
    pub fn imply(&mut self, lit: Lit) {
        self.implied.push(lit);
    }

    /// This clause over watched literals holds in the theory. If all of its literals are false, it is a conflict.
    pub fn add_clause(&mut self, clause: impl AsRef<[Lit]>) {
        self.clauses.extend(clause.as_ref().iter().map(|lit| lit.raw()));
        self.clauses.push(0);
    }

    /// Whether a clause was added that the solver has not taken yet.
    pub fn has_clauses(&self) -> bool {
        !self.clauses.is_empty()
    }

    /// The clauses said so far, for whoever asks a theory outside of a search.
    pub fn take_clauses(&mut self) -> Vec<Vec<Lit>> {
        let clauses = std::mem::take(&mut self.clauses);
        let mut parts: Vec<Vec<Lit>> =
            clauses.split(|raw| *raw == 0).map(|part| part.iter().map(|raw| Lit::from_raw(*raw)).collect()).collect();
        parts.pop();
        parts
    }
}

/// Knowledge about watched literals that the SAT solver consults during its search.
pub trait Theory {
    /// A watched literal has become true at this decision level (zero: for good). No literal is assigned twice without
    /// having been taken back in between.
    fn assign(&mut self, lit: Lit, level: usize);

    /// Every assignment made at a level above this one is taken back, the latest first.
    fn backtrack(&mut self, level: usize);

    /// What follows from the assignments so far; it may be found out later instead, in `check` at the latest.
    fn propagate(&mut self, consequences: &mut Consequences);

    /// The reason for a literal that `propagate` implied: a clause with that literal and otherwise only literals that
    /// were false when it was implied. Reasons are asked for late, so they must be remembered, or be computed from
    /// the assignments made before.
    fn explain(&mut self, lit: Lit, clause: &mut Vec<Lit>);

    /// All watched literals are assigned. The assignment is accepted if no clause is added and nothing implied; a clause
    /// added here should be one that the assignment violates.
    fn check(&mut self, consequences: &mut Consequences);

    /// A watched literal, not assigned yet, to decide on next; without one the solver chooses itself.
    fn decide(&mut self) -> Option<Lit> {
        None
    }
}

/// A shared theory, so that its owner can look at it between checks.
impl<T: Theory> Theory for Rc<RefCell<T>> {
    fn assign(&mut self, lit: Lit, level: usize) {
        self.borrow_mut().assign(lit, level);
    }

    fn backtrack(&mut self, level: usize) {
        self.borrow_mut().backtrack(level);
    }

    fn propagate(&mut self, consequences: &mut Consequences) {
        self.borrow_mut().propagate(consequences);
    }

    fn explain(&mut self, lit: Lit, clause: &mut Vec<Lit>) {
        self.borrow_mut().explain(lit, clause);
    }

    fn check(&mut self, consequences: &mut Consequences) {
        self.borrow_mut().check(consequences);
    }

    fn decide(&mut self) -> Option<Lit> {
        self.borrow_mut().decide()
    }
}
