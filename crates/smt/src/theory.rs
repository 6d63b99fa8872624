//! How does knowledge beyond clauses take part in the search?
//!
//! A theory watches some literals of the SAT solver. While the solver assigns and takes back, the theory follows, adds
//! what its watched literals imply, and vetoes assignments that contradict it. It speaks in clauses over watched
//! literals that hold in every solution of the theory, so whatever it says stays true after backtracking.
//!
//! The wiring to CaDiCaL's external propagator is in `bits::hook`; literals to watch come from `Bits::watch`.

use std::cell::RefCell;
use std::rc::Rc;

use crate::bits::Lit;

/// What a theory has to say about the current assignment.
#[derive(Default, Debug)]
pub struct Consequences {
    pub(crate) implied: Vec<Lit>,
    pub(crate) clauses: Vec<Vec<Lit>>,
}

impl Consequences {
    /// This watched literal follows from those assigned. The solver may ask for the reason later, see
    /// `Theory::explain`. Literals that are true already are skipped; one that is false is a conflict.
    pub fn imply(&mut self, lit: Lit) {
        self.implied.push(lit);
    }

    /// This clause over watched literals holds in the theory. If all of its literals are false, it is a conflict.
    pub fn add_clause(&mut self, clause: Vec<Lit>) {
        self.clauses.push(clause);
    }
}

/// Knowledge about watched literals that the SAT solver consults during its search.
pub trait Theory {
    /// A watched literal has become true at this decision level (zero: for good).
    fn assign(&mut self, lit: Lit, level: usize);

    /// Every assignment made at a level above this one is taken back, the latest first.
    fn backtrack(&mut self, level: usize);

    /// What follows from the assignments so far; it may be found out later instead, in `check` at the latest.
    fn propagate(&mut self, consequences: &mut Consequences);

    /// The reason for a literal that `propagate` implied: a clause with that literal first and then only literals that
    /// were false when it was implied. Reasons are asked for late, so they must be remembered, or be computed from
    /// the assignments made before.
    fn explain(&mut self, lit: Lit, clause: &mut Vec<Lit>);

    /// All watched literals are assigned. The assignment is accepted if no clause that it violates is added.
    fn check(&mut self, consequences: &mut Consequences);
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
}
