//! What has the SAT solver learnt, and who else may use it?
//!
//! Solvers that work on parts of one question learn clauses that follow from the whole, whatever part they were assuming. Short ones are worth telling: an
//! [`Exchange`] is the board where each writes its own and reads those of the others. Only watched variables are spoken about: these are never eliminated, and two solvers that were
//! given the same encoding number them alike.
//!
//! What is learnt says as well where the search is hard: the variables of recent clauses are those that are worth splitting at.

use crate::literal::Lit;
use cadical_sys::Learner;
use std::sync::{Arc, Mutex};

/// Longer clauses are not looked at.
const MAX_LENGTH: i32 = 24;
/// Longer clauses are not told to others.
const MAX_SHARED: usize = 4;
/// How much more a clause counts than the one before it, and when numbers get too large.
const GROWTH: f64 = 1.002;
const MAX_BUMP: f64 = 1e100;

/// Who learnt a clause, and its literals.
type Told = (usize, Vec<Lit>);

/// Where solvers of one question tell each other what they have learnt; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    board: Arc<Mutex<Vec<Told>>>,
    /// Variables up to this one mean the same to all.
    n_vars: usize,
}

impl Exchange {
    /// For solvers whose first variables, so many, mean the same.
    pub fn new(n_vars: usize) -> Exchange {
        Exchange { board: Arc::default(), n_vars }
    }

    /// How many clauses were told.
    pub fn n_told(&self) -> usize {
        self.board.lock().map_or(0, |board| board.len())
    }

    /// Writes what somebody has learnt, and reads what others have written since `n_read`.
    pub(super) fn swap(&self, who: usize, own: Vec<Vec<Lit>>, n_read: &mut usize) -> Vec<Vec<Lit>> {
        let Ok(mut board) = self.board.lock() else { return Vec::new() };
        let of_others = board[*n_read..].iter().filter(|(other, _)| *other != who);
        let news = of_others.map(|(_, clause)| clause.clone()).collect();
        let is_common = |clause: &Vec<Lit>| clause.iter().all(|lit| lit.var() <= self.n_vars);
        board.extend(own.into_iter().filter(is_common).map(|clause| (who, clause)));
        *n_read = board.len();
        news
    }
}

/// What is heard of a solver's learning.
#[derive(Debug)]
pub(super) struct Learned {
    /// The clause that is being told.
    clause: Vec<Lit>,
    /// How much each variable occurs in what was learnt lately.
    activity: Vec<f64>,
    bump: f64,
    /// Short clauses that nobody else has heard of.
    pub(super) short: Vec<Vec<Lit>>,
    /// How much of the board was read.
    pub(super) n_read: usize,
}

impl Learned {
    pub(super) fn new() -> Learned {
        Learned { clause: Vec::new(), activity: Vec::new(), bump: 1.0, short: Vec::new(), n_read: 0 }
    }

    /// How much a variable occurs in what was learnt lately.
    pub(super) fn activity(&self, lit: Lit) -> f64 {
        self.activity.get(lit.var()).copied().unwrap_or(0.0)
    }

    fn end_clause(&mut self) {
        for lit in &self.clause {
            let var = lit.var();
            if self.activity.len() <= var {
                self.activity.resize(var + 1, 0.0);
            }
            self.activity[var] += self.bump;
        }
        self.bump *= GROWTH;
        if self.bump > MAX_BUMP {
            self.activity.iter_mut().for_each(|activity| *activity /= MAX_BUMP);
            self.bump /= MAX_BUMP;
        }
        let clause = std::mem::take(&mut self.clause);
        if clause.len() <= MAX_SHARED {
            self.short.push(clause);
        }
    }
}

impl Learner for Learned {
    fn learning(&mut self, size: i32) -> bool {
        size <= MAX_LENGTH
    }

    fn learn(&mut self, lit: i32) {
        match lit {
            0 => self.end_clause(),
            _ => self.clause.push(Lit::from_raw(lit)),
        }
    }
}
