//! How does a theory follow CaDiCaL's search?
//!
//! The external propagator speaks one literal at a time; a theory speaks in batches. This adapter keeps the queues in
//! between: implied literals (which die on backtracking) and clauses (which do not). The theory is asked to propagate
//! only when it has seen something new.
//!
//! A panic must not unwind through C++. Every callback catches it, the search is stopped, and the panic goes on once the
//! solver has returned.

use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use cadical_sys::ExternalPropagator;

use super::sat::Lit;
use crate::theory::{Consequences, Theory};

struct State {
    theory: Box<dyn Theory>,
    level: usize,
    /// Whether something was assigned since the theory was last asked to propagate.
    is_stale: bool,
    said: Consequences,
    /// The next of the implied literals in `said`.
    next_implied: usize,
    /// The clauses still to be handed over, and the place in the first.
    clauses: VecDeque<Vec<Lit>>,
    next_in_clause: usize,
    /// The reason being handed over, and the place in it.
    reason: Vec<Lit>,
    next_in_reason: usize,
    /// Whether the theory has ever panicked; what the solver believes since then is worth nothing.
    is_broken: bool,
    panic: Option<Box<dyn Any + Send>>,
}

/// The side of the adapter that stays with the caller.
#[derive(Clone)]
pub(super) struct Hook(Rc<RefCell<State>>);

impl Hook {
    pub(super) fn is_broken(&self) -> bool {
        self.0.borrow().is_broken
    }

    pub(super) fn resume_panic(&self) {
        let panic = self.0.borrow_mut().panic.take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

/// The side of the adapter that CaDiCaL calls.
pub(super) struct Propagator(Rc<RefCell<State>>);

impl Propagator {
    pub(super) fn new(theory: Box<dyn Theory>) -> (Hook, Propagator) {
        let state = Rc::new(RefCell::new(State {
            theory,
            level: 0,
            is_stale: true,
            said: Consequences::default(),
            next_implied: 0,
            clauses: VecDeque::new(),
            next_in_clause: 0,
            reason: Vec::new(),
            next_in_reason: 0,
            is_broken: false,
            panic: None,
        }));
        (Hook(Rc::clone(&state)), Propagator(state))
    }

    /// Runs a callback unless one has panicked before.
    fn guarded<R>(&self, otherwise: R, callback: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.0.borrow_mut();
        if state.is_broken {
            return otherwise;
        }
        match catch_unwind(AssertUnwindSafe(|| callback(&mut state))) {
            Ok(result) => result,
            Err(panic) => {
                state.is_broken = true;
                state.panic = Some(panic);
                otherwise
            }
        }
    }
}

impl State {
    fn ask_to_propagate(&mut self) {
        if std::mem::take(&mut self.is_stale) {
            self.theory.propagate(&mut self.said);
            self.clauses.extend(self.said.clauses.drain(..));
        }
    }
}

impl ExternalPropagator for Propagator {
    fn are_reasons_forgettable(&mut self) -> bool {
        true
    }

    fn notify_assignment(&mut self, lits: &[i32]) {
        self.guarded((), |state| {
            state.is_stale = true;
            for &lit in lits {
                state.theory.assign(Lit::from_raw(lit), state.level);
            }
        });
    }

    fn notify_new_decision_level(&mut self) {
        self.guarded((), |state| state.level += 1);
    }

    fn notify_backtrack(&mut self, new_level: usize) {
        self.guarded((), |state| {
            state.level = new_level;
            state.said.implied.clear();
            state.next_implied = 0;
            state.theory.backtrack(new_level);
        });
    }

    fn cb_check_found_model(&mut self, _: &[i32]) -> bool {
        self.guarded(true, |state| {
            state.theory.check(&mut state.said);
            state.clauses.extend(state.said.clauses.drain(..));
            state.clauses.is_empty()
        })
    }

    fn cb_propagate(&mut self) -> i32 {
        self.guarded(0, |state| {
            state.ask_to_propagate();
            match state.said.implied.get(state.next_implied) {
                Some(lit) => {
                    state.next_implied += 1;
                    lit.raw()
                }
                None => {
                    state.said.implied.clear();
                    state.next_implied = 0;
                    0
                }
            }
        })
    }

    fn cb_add_reason_clause_lit(&mut self, propagated: i32) -> i32 {
        // A reason must not be empty, so that of a theory that cannot give one any more is the literal itself.
        let otherwise = {
            let mut state = self.0.borrow_mut();
            if state.is_broken {
                state.reason = vec![Lit::from_raw(propagated)];
                let state = &mut *state;
                return hand_over(&state.reason, &mut state.next_in_reason);
            }
            propagated
        };
        let raw = self.guarded(otherwise, |state| {
            if state.next_in_reason == 0 {
                state.reason.clear();
                let lit = Lit::from_raw(propagated);
                state.theory.explain(lit, &mut state.reason);
                assert!(state.reason.contains(&lit), "the reason for a literal contains it");
            }
            hand_over(&state.reason, &mut state.next_in_reason)
        });
        let mut state = self.0.borrow_mut();
        if state.is_broken {
            state.next_in_reason = 1;
        }
        raw
    }

    fn cb_has_external_clause(&mut self, is_forgettable: &mut bool) -> bool {
        *is_forgettable = true;
        self.guarded(false, |state| {
            state.ask_to_propagate();
            !state.clauses.is_empty()
        })
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        self.guarded(0, |state| {
            let raw = hand_over(&state.clauses[0], &mut state.next_in_clause);
            if raw == 0 {
                state.clauses.pop_front();
            }
            raw
        })
    }
}

/// The next literal of a clause, and after the last one the zero that ends it.
fn hand_over(clause: &[Lit], next: &mut usize) -> i32 {
    match clause.get(*next) {
        Some(lit) => {
            *next += 1;
            lit.raw()
        }
        None => {
            *next = 0;
            0
        }
    }
}
