//! How does a theory follow CaDiCaL's search?
//!
//! The external propagator speaks one literal at a time; a theory speaks in batches. This adapter keeps the queues in
//! between: implied literals (which die on backtracking) and clauses (which do not). The theory is asked to propagate
//! only when it has seen something new and everything it said before has been taken.
//!
//! CaDiCaL repeats literals of level zero when it notifies of a whole trail; the theory hears of them once. It aborts
//! the process on literals that are not watched, so these are found here first.
//!
//! A panic must not unwind through C++. Every callback catches it, the search is stopped, and the panic goes on once the
//! solver has returned.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use cadical_sys::ExternalPropagator;
use fixedbitset::FixedBitSet;

use crate::literal::Lit;
use crate::theory::{Consequences, Theory};

struct State {
    theory: Box<dyn Theory>,
    /// Watched variables in the order of their assignment, and how many there were before each decision level.
    trail: Vec<u32>,
    levels: Vec<usize>,
    /// Whether something was assigned since the theory was last asked to propagate.
    is_stale: bool,
    said: Consequences,
    /// The next of the implied literals in `said`, and of the literals of its clauses.
    next_implied: usize,
    next_in_clauses: usize,
    /// The reason being handed over, and the place in it.
    reason: Vec<Lit>,
    next_in_reason: usize,
    /// Variables that the theory watches, and those of them that it knows to be assigned.
    watched: FixedBitSet,
    assigned: FixedBitSet,
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

    /// The theory may speak of this variable from now on; false if it could already.
    pub(super) fn watch(&self, var: usize) -> bool {
        let mut state = self.0.borrow_mut();
        state.watched.grow(var + 1);
        state.assigned.grow(var + 1);
        !state.watched.put(var)
    }

    pub(super) fn is_watched(&self, var: usize) -> bool {
        self.0.borrow().watched.contains(var)
    }
}

/// The side of the adapter that CaDiCaL calls.
pub(super) struct Propagator(Rc<RefCell<State>>);

impl Propagator {
    pub(super) fn new(theory: Box<dyn Theory>) -> (Hook, Propagator) {
        let state = Rc::new(RefCell::new(State {
            theory,
            trail: Vec::new(),
            levels: Vec::new(),
            is_stale: true,
            said: Consequences::default(),
            next_implied: 0,
            next_in_clauses: 0,
            reason: Vec::new(),
            next_in_reason: 0,
            watched: FixedBitSet::new(),
            assigned: FixedBitSet::new(),
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
    /// Asks the theory for more once all it said has been taken.
    fn ask_to_propagate(&mut self) {
        let is_all_taken = self.next_implied == self.said.implied.len() && self.said.clauses.is_empty();
        if self.is_stale && is_all_taken {
            self.is_stale = false;
            self.said.implied.clear();
            self.next_implied = 0;
            self.theory.propagate(&mut self.said);
        }
    }

    fn assert_watched(&self, raw: i32) {
        assert!(self.watched.contains(raw.unsigned_abs() as usize), "a theory speaks of watched literals only");
    }
}

impl ExternalPropagator for Propagator {
    fn are_reasons_forgettable(&mut self) -> bool {
        true
    }

    fn notify_assignment(&mut self, lits: &[i32]) {
        self.guarded((), |state| {
            state.is_stale = true;
            let level = state.levels.len();
            for &lit in lits {
                let var = lit.unsigned_abs();
                if !state.assigned.put(var as usize) {
                    state.trail.push(var);
                    state.theory.assign(Lit::from_raw(lit), level);
                }
            }
        });
    }

    fn notify_new_decision_level(&mut self) {
        self.guarded((), |state| state.levels.push(state.trail.len()));
    }

    fn notify_backtrack(&mut self, new_level: usize) {
        self.guarded((), |state| {
            if let Some(&kept) = state.levels.get(new_level) {
                state.trail.drain(kept..).for_each(|var| state.assigned.set(var as usize, false));
                state.levels.truncate(new_level);
            }
            state.said.implied.clear();
            state.next_implied = 0;
            state.theory.backtrack(new_level);
        });
    }

    fn cb_check_found_model(&mut self, _: &[i32]) -> bool {
        self.guarded(true, |state| {
            state.said.implied.clear();
            state.next_implied = 0;
            state.theory.check(&mut state.said);
            // Everything is assigned, so what is implied now is true already or its reason is violated.
            for lit in std::mem::take(&mut state.said.implied) {
                state.reason.clear();
                state.theory.explain(lit, &mut state.reason);
                state.said.add_clause(&state.reason);
            }
            state.said.clauses.is_empty()
        })
    }

    fn cb_decide(&mut self) -> i32 {
        self.guarded(0, |state| {
            let Some(lit) = state.theory.decide() else { return 0 };
            state.assert_watched(lit.raw());
            assert!(!state.assigned.contains(lit.var()), "a theory decides on literals that are not assigned");
            lit.raw()
        })
    }

    fn cb_propagate(&mut self) -> i32 {
        self.guarded(0, |state| {
            state.ask_to_propagate();
            match state.said.implied.get(state.next_implied) {
                Some(lit) => {
                    state.next_implied += 1;
                    let raw = lit.raw();
                    state.assert_watched(raw);
                    raw
                }
                None => 0,
            }
        })
    }

    fn cb_add_reason_clause_lit(&mut self, propagated: i32) -> i32 {
        // A reason must contain the literal, so that of a theory that cannot give one any more is the literal itself.
        let raw = self.guarded(propagated, |state| {
            if state.next_in_reason == 0 {
                state.reason.clear();
                let lit = Lit::from_raw(propagated);
                state.theory.explain(lit, &mut state.reason);
                assert!(state.reason.contains(&lit), "the reason for a literal contains it");
                state.reason.iter().for_each(|lit| state.assert_watched(lit.raw()));
            }
            match state.reason.get(state.next_in_reason) {
                Some(lit) => {
                    state.next_in_reason += 1;
                    lit.raw()
                }
                None => {
                    state.next_in_reason = 0;
                    0
                }
            }
        });
        let mut state = self.0.borrow_mut();
        if !state.is_broken {
            return raw;
        }
        // The literal once, then the end.
        let is_over = std::mem::replace(&mut state.next_in_reason, 1) == 1;
        if is_over {
            state.next_in_reason = 0;
            return 0;
        }
        propagated
    }

    fn cb_has_external_clause(&mut self, is_forgettable: &mut bool) -> bool {
        *is_forgettable = true;
        self.guarded(false, |state| {
            state.ask_to_propagate();
            !state.said.clauses.is_empty()
        })
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        self.guarded(0, |state| {
            let raw = state.said.clauses[state.next_in_clauses];
            state.next_in_clauses += 1;
            if raw != 0 {
                state.assert_watched(raw);
            } else if state.next_in_clauses == state.said.clauses.len() {
                state.said.clauses.clear();
                state.next_in_clauses = 0;
            }
            raw
        })
    }
}
