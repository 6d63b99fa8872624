//! How are formulas decided by Z3?
//!
//! Terms are translated once and kept. Assumptions may be any formulas; Z3 wants constants there, so each gets a name
//! that implies it. After an interrupt a context may be in any state, so it is thrown away and the assertions that stand
//! are given to a new one; that also keeps the memory of a long-lived solver in bounds.
//!
//! Z3 does not notice interrupts while it turns floats into bits, which can take minutes, nor in some passes over large
//! formulas. Such checks therefore run in a thread of their own, and one that is not over in time is left to end by itself
//! ([`worker`]).

pub(crate) mod binding;
pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod lift;
pub(crate) mod watchdog;
mod worker;

use logic::{Pool, Sort, TermId, VarId};
use rustc_hash::FxHashMap;

use crate::answer::{Answer, Assignment, Decision};
use crate::limits::{Limits, Stop, Why};
use binding::{Ast, Context, Failure, Solver, Truth};
use encode::Encoder;
use watchdog::Watchdog;

/// A solver that asks Z3.
pub struct Z3 {
    engine: Option<Engine>,
    scopes: Vec<Scope>,
    limits: Limits,
    n_checks: usize,
    assignment: Assignment,
}

/// Assertions that are taken back together.
#[derive(Default)]
struct Scope {
    /// Formulas, each with the variables that are quantified in it.
    assertions: Vec<(TermId, Vec<VarId>)>,
    n_given: usize,
    /// Assumptions that have a name since this scope.
    named: Vec<TermId>,
}

/// One context with everything in it. The order of the fields is the order in which they are dropped.
struct Engine {
    watchdog: Watchdog,
    solver: Solver,
    names: FxHashMap<TermId, Ast>,
    /// The assumptions of the last check, with their names.
    assumed: Vec<(TermId, Ast)>,
    encoder: Encoder,
    /// How many of the scopes the solver knows.
    n_scopes: usize,
}

/// Terms or checks after which a context is replaced.
const MAX_TERMS: usize = 1 << 20;
const MAX_CHECKS: usize = 20_000;

impl Default for Z3 {
    fn default() -> Z3 {
        Z3::new()
    }
}

impl Engine {
    /// The check itself, in whichever thread.
    fn check(&self, stop: Stop) -> Result<Truth, Why> {
        let names: Vec<Ast> = self.assumed.iter().map(|(_, name)| name.clone()).collect();
        match self.watchdog.guard(stop, || self.solver.check(&names)) {
            // An answer found while it was being interrupted counts as none: the context is in an unclear state.
            (_, Some(why)) => Err(why),
            (Truth::Unknown, None) => Err(Failure::from_reason(self.solver.reason_unknown()).into()),
            (truth, None) => Ok(truth),
        }
    }

    fn new() -> Engine {
        let context = Context::new();
        Engine {
            watchdog: Watchdog::new(context.interrupt_handle()),
            solver: Solver::new(&context),
            names: FxHashMap::default(),
            assumed: Vec::new(),
            encoder: Encoder::new(&context),
            n_scopes: 1,
        }
    }
}

impl Z3 {
    /// Nothing asserted, no limits.
    pub fn new() -> Z3 {
        Z3 {
            engine: None,
            scopes: vec![Scope::default()],
            limits: Limits::default(),
            n_checks: 0,
            assignment: Assignment::new(),
        }
    }

    /// What later checks may use.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// What checks may use.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Opens a scope.
    pub fn push(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Closes the innermost scope: its assertions are taken back.
    pub fn pop(&mut self) {
        assert!(self.scopes.len() > 1, "every pop has its push");
        let scope = self.scopes.pop().expect("there are two scopes at least");
        if let Some(engine) = &mut self.engine
            && engine.n_scopes > self.scopes.len()
        {
            engine.solver.pop();
            engine.n_scopes -= 1;
            for term in scope.named {
                engine.names.remove(&term);
            }
        }
    }

    /// Adds a formula to the innermost scope.
    pub fn assert(&mut self, pool: &Pool, formula: TermId) {
        self.assert_for_all(pool, &[], formula);
    }

    /// Adds to the innermost scope that a formula holds for all values of some variables. Quantifiers are Z3's word alone:
    /// a solution is not checked against them, and Z3 may not be able to decide.
    pub fn assert_for_all(&mut self, pool: &Pool, vars: &[VarId], formula: TermId) {
        assert_eq!(pool.sort(formula), Sort::Bool, "only formulas can be asserted");
        let scope = self.scopes.last_mut().expect("the outermost scope is never closed");
        scope.assertions.push((formula, vars.to_vec()));
    }

    /// Whether assertions and assumptions have a common solution, and which.
    pub fn check(&mut self, pool: &Pool, assumptions: &[TermId]) -> Answer {
        match self.decide(pool, assumptions) {
            Decision::Sat => Answer::Sat(std::mem::take(&mut self.assignment)),
            Decision::Unsat => Answer::Unsat(self.core()),
            Decision::Unknown(why) => Answer::Unknown(why),
        }
    }

    /// Whether assertions and assumptions have a common solution.
    pub fn decide(&mut self, pool: &Pool, assumptions: &[TermId]) -> Decision {
        let stop = Stop::begin(&self.limits);
        if stop.poll() {
            return Decision::Unknown(stop.why().expect("a poll that stops has a reason"));
        }
        self.n_checks += 1;
        let is_old = self.n_checks > MAX_CHECKS;
        if self.engine.as_ref().is_some_and(|engine| is_old || engine.encoder.len() > MAX_TERMS) {
            self.discard();
        }
        match self.try_decide(pool, assumptions, stop) {
            Ok(Truth::Sat) => match self.checked_assignment(pool, assumptions) {
                Ok(assignment) => {
                    self.assignment = assignment;
                    Decision::Sat
                }
                Err(why) => Decision::Unknown(why),
            },
            Ok(Truth::Unsat) => Decision::Unsat,
            Ok(Truth::Unknown) => unreachable!("an unknown answer comes with its reason"),
            Err(why) => {
                self.discard();
                Decision::Unknown(why)
            }
        }
    }

    /// The next check begins with a new context.
    fn discard(&mut self) {
        if let Some(engine) = self.engine.take() {
            worker::discard(engine);
        }
        self.n_checks = 0;
        for scope in &mut self.scopes {
            scope.n_given = 0;
            scope.named.clear();
        }
    }

    fn try_decide(&mut self, pool: &Pool, assumptions: &[TermId], stop: Stop) -> Result<Truth, Why> {
        let mut engine = self.engine.take().unwrap_or_else(Engine::new);
        engine.encoder.stop_at(Some(stop.clone()));
        let given = self.give(&mut engine, pool, assumptions);
        engine.encoder.stop_at(None);
        if let Err(failure) = given {
            worker::discard(engine);
            return Err(failure.into());
        }
        let (engine, checked) = worker::check(engine, stop);
        self.engine = engine;
        checked
    }

    /// Gives an engine what it does not know yet of the assertions, and the assumptions.
    fn give(&mut self, engine: &mut Engine, pool: &Pool, assumptions: &[TermId]) -> Result<(), Failure> {
        for (i, scope) in self.scopes.iter_mut().enumerate() {
            if i >= engine.n_scopes {
                engine.solver.push();
                engine.n_scopes += 1;
            }
            for (formula, bound) in &scope.assertions[scope.n_given..] {
                let mut ast = engine.encoder.term(pool, *formula)?;
                if !bound.is_empty() {
                    let bound: Result<Vec<Ast>, Failure> =
                        bound.iter().map(|&var| engine.encoder.var(pool, var)).collect();
                    ast = engine.encoder.context.forall(&bound?, &ast)?;
                }
                engine.solver.assert(&ast);
            }
            scope.n_given = scope.assertions.len();
        }
        engine.assumed.clear();
        for &term in assumptions {
            let name = match engine.names.get(&term) {
                Some(name) => name.clone(),
                None => {
                    let context = &engine.encoder.context.clone();
                    let name = context.fresh_constant(&context.bool_sort())?;
                    let formula = engine.encoder.term(pool, term)?;
                    engine.solver.assert(&context.binary(z3_sys::Z3_mk_implies, &name, &formula)?);
                    engine.names.insert(term, name.clone());
                    self.scopes.last_mut().expect("the outermost scope is never closed").named.push(term);
                    name
                }
            };
            engine.assumed.push((term, name));
        }
        Ok(())
    }

    /// After a check without solution: assumptions that suffice for there being none.
    pub fn core(&mut self) -> Vec<TermId> {
        let Some(engine) = &self.engine else { return Vec::new() };
        let needed: Vec<usize> = engine.solver.core().iter().map(Ast::address).collect();
        let mut core: Vec<TermId> = Vec::new();
        for (term, name) in &engine.assumed {
            if needed.contains(&name.address()) && !core.contains(term) {
                core.push(*term);
            }
        }
        core
    }

    /// The values of the variables. They are checked by evaluation: Z3 4.8 is known to err on arrays and floats.
    fn checked_assignment(&self, pool: &Pool, assumptions: &[TermId]) -> Result<Assignment, Why> {
        let engine = self.engine.as_ref().expect("a check has been made");
        let model = engine.solver.model()?;
        let asserted = self.scopes.iter().flat_map(|scope| &scope.assertions);
        let (free, quantified): (Vec<_>, Vec<_>) = asserted.partition(|(_, bound)| bound.is_empty());
        let formulas: Vec<TermId> =
            free.iter().map(|(formula, _)| *formula).chain(assumptions.iter().copied()).collect();
        let everywhere = quantified.iter().map(|(formula, _)| *formula).chain(formulas.iter().copied());
        let everywhere: Vec<TermId> = everywhere.collect();
        let mut assignment = Assignment::new();
        for term in pool.post_order_of(&everywhere) {
            if let Some(var) = pool.as_var(term) {
                let ast = model.evaluate(&engine.encoder.var(pool, var)?)?;
                let value = decode::value(&engine.encoder, &model, &ast, pool.var_sort(var))?;
                assignment.set(var, value);
            }
        }
        if formulas.iter().all(|&formula| assignment.satisfies(pool, formula)) {
            Ok(assignment)
        } else {
            Err(Why::Incomplete("Z3: what it calls a solution is none".into()))
        }
    }
}

impl Failure {
    pub(crate) fn from_reason(reason: String) -> Failure {
        if reason.contains("memory") { Failure::Memory } else { Failure::Other(reason) }
    }
}
