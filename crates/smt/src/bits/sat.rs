//! How is CaDiCaL driven?
//!
//! A thin layer: literals with a type of their own, clauses, assumptions, one solve that ends when `Stop` says so, and
//! the theory hook. All calls go through the safe interface of the binding crate.

use std::cell::RefCell;
use std::rc::Rc;

use cadical_sys::{CaDiCal, Status, Terminator};

use super::hook::{Hook, Propagator};
use super::learned::{Exchange, Learned};
use crate::limits::Stop;
use crate::literal::Lit;
use crate::theory::Theory;

struct Watch {
    stop: Rc<Stop>,
    hook: Option<Hook>,
}

impl Terminator for Watch {
    fn terminated(&mut self) -> bool {
        self.stop.poll() || self.hook.as_ref().is_some_and(Hook::is_broken)
    }
}

/// The SAT solver.
pub(crate) struct Sat {
    solver: CaDiCal,
    n_vars: i32,
    /// Variables up to this one have been through a solve and may have been eliminated.
    n_searched: i32,
    n_clauses: usize,
    hook: Option<Hook>,
    /// What is heard of its learning, if somebody listens.
    learned: Option<Rc<RefCell<Learned>>>,
    max_conflicts: Option<u32>,
}

impl Sat {
    pub(crate) fn new() -> Sat {
        let mut solver = CaDiCal::new();
        // Most questions are small and many; trying whether all variables may be true or false takes longer than answering them.
        solver.set("lucky", 0);
        Sat { solver, n_vars: 0, n_searched: 0, n_clauses: 0, hook: None, learned: None, max_conflicts: None }
    }

    /// What is hard will be refuting, with reasons that are asked of a theory one by one: no phases of the search that look for solutions, and no shrinking of clauses, which asks for many reasons. Those took a third of
    /// the time of hard questions about the order of events. To be said before the first clause.
    pub(crate) fn refute_mostly(&mut self) {
        assert_eq!(self.n_clauses, 0, "options are for solvers that have no clauses yet");
        self.solver.set("stabilize", 0);
        self.solver.set("shrink", 0);
    }

    pub(crate) fn n_vars(&self) -> usize {
        self.n_vars as usize
    }

    pub(crate) fn n_clauses(&self) -> usize {
        self.n_clauses
    }

    pub(crate) fn fresh(&mut self) -> Lit {
        self.n_vars += 1;
        assert!(self.n_vars < i32::MAX, "fewer than 2^31 SAT variables");
        Lit(self.n_vars)
    }

    pub(crate) fn clause(&mut self, lits: &[Lit]) {
        self.n_clauses += 1;
        match *lits {
            [a, b] => self.solver.clause2(a.0, b.0),
            [a, b, c] => self.solver.clause3(a.0, b.0, c.0),
            [a, b, c, d] => self.solver.clause4(a.0, b.0, c.0, d.0),
            [a, b, c, d, e] => self.solver.clause5(a.0, b.0, c.0, d.0, e.0),
            _ => {
                for lit in lits {
                    self.solver.add(lit.0);
                }
                self.solver.add(0);
            }
        }
    }

    /// Connects a theory.
    pub(crate) fn attach(&mut self, theory: Box<dyn Theory>) {
        let (hook, propagator) = Propagator::new(theory);
        self.solver.connect_external_propagator(propagator);
        self.hook = Some(hook);
    }

    pub(crate) fn has_theory(&self) -> bool {
        self.hook.is_some()
    }

    /// The theory hears of a literal. One that may have been eliminated cannot be watched any more; then it is a copy.
    pub(crate) fn watch(&mut self, lit: Lit) -> Lit {
        let hook = self.hook.as_ref().expect("somebody has to watch");
        if hook.is_watched(lit.var()) {
            return lit;
        }
        if lit.0.abs() <= self.n_searched {
            let copy = self.fresh();
            let copy = self.watch(copy);
            self.clause(&[!copy, lit]);
            self.clause(&[copy, !lit]);
            return copy;
        }
        hook.watch(lit.var());
        self.solver.add_observed_var(lit.0.abs());
        lit
    }

    /// The value to try first when the variable is decided on.
    pub(crate) fn prefer(&mut self, lit: Lit) {
        self.solver.phase(lit.0);
    }

    /// Listens to what is learnt from now on.
    pub(crate) fn listen(&mut self) {
        if self.learned.is_none() {
            let learned = Rc::new(RefCell::new(Learned::new()));
            self.solver.connect_learner(Rc::clone(&learned));
            self.learned = Some(learned);
        }
    }

    /// Tells others the short clauses about watched variables that were learnt, and adds theirs.
    pub(crate) fn exchange(&mut self, with: &Exchange, who: usize) {
        let (Some(learned), Some(hook)) = (&self.learned, &self.hook) else { return };
        let mut learned = learned.borrow_mut();
        let mut own = std::mem::take(&mut learned.short);
        own.retain(|clause| clause.iter().all(|lit| hook.is_watched(lit.var())));
        let news = with.swap(who, own, &mut learned.n_read);
        drop(learned);
        news.iter().for_each(|clause| self.clause(clause));
    }

    /// The literal among these that has no value yet and occurs most in what was learnt lately.
    pub(crate) fn most_active(&self, among: &[Lit], except: &[Lit]) -> Option<Lit> {
        let learned = self.learned.as_ref()?.borrow();
        let is_open =
            |lit: &&Lit| self.solver.fixed(lit.0) == 0 && !except.iter().any(|other| other.var() == lit.var());
        let by_activity = |a: &&Lit, b: &&Lit| learned.activity(**a).total_cmp(&learned.activity(**b));
        let most = among.iter().filter(is_open).max_by(by_activity)?;
        (learned.activity(*most) > 0.0).then_some(*most)
    }

    /// How much a literal occurs in what was learnt lately; nothing, if its value is known.
    pub(crate) fn activity(&self, lit: Lit) -> f64 {
        let learned = self.learned.as_ref().filter(|_| self.solver.fixed(lit.0) == 0);
        learned.map_or(0.0, |learned| learned.borrow().activity(lit))
    }

    /// Ends later solves after so many conflicts each, or never.
    pub(crate) fn limit_conflicts(&mut self, n: Option<u32>) {
        self.max_conflicts = n;
    }

    /// A number that CaDiCaL counts.
    pub(crate) fn count(&self, name: &str) -> u64 {
        u64::try_from(self.solver.get_statistic_value(name)).unwrap_or(0)
    }

    pub(crate) fn solve(&mut self, assumptions: &[Lit], stop: &Rc<Stop>) -> Status {
        if self.hook.as_ref().is_some_and(Hook::is_broken) {
            return Status::UNKNOWN;
        }
        self.n_searched = self.n_vars;
        for lit in assumptions {
            self.solver.assume(lit.0);
        }
        if let Some(n) = self.max_conflicts {
            self.solver.limit("conflicts", i32::try_from(n).unwrap_or(i32::MAX));
        }
        self.solver.connect_terminator(Watch { stop: Rc::clone(stop), hook: self.hook.clone() });
        let status = self.solver.solve();
        self.solver.disconnect_terminator();
        if let Some(hook) = &self.hook {
            hook.resume_panic();
        }
        status
    }

    /// The value of a literal after a solve that found a solution.
    pub(crate) fn value(&mut self, lit: Lit) -> bool {
        self.solver.val(lit.0) == lit.0
    }

    /// Whether an assumption was needed, after a solve that found none.
    pub(crate) fn failed(&mut self, lit: Lit) -> bool {
        self.solver.failed(lit.0)
    }
}
