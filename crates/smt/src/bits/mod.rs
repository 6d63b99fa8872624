//! How are formulas decided by bit-blasting?
//!
//! Assertions wait until a check needs them. Then equations of unused variables become definitions, everything else
//! becomes a circuit ([`encode`], [`gates`], [`words`], [`float`], [`arrays`]) and what the circuit needs becomes clauses ([`cnf`])
//! for CaDiCaL ([`sat`]). A scope is a literal that guards the clauses of its assertions; closing it makes the literal
//! false for good.
//!
//! Everything is exact. The one loop is about arrays: a candidate solution that reads two elements at one index adds
//! the condition it violates and is sought anew.
//!
//! Invariant: circuits are pure functions of inputs and outlive scopes, so closed scopes leave garbage in the SAT solver.
//! When it outweighs the rest, the solver is rebuilt from the assertions that stand, unless somebody outside knows
//! literals (see [`literals`]).

mod arrays;
mod cnf;
mod definitions;
mod encode;
mod float;
mod gates;
mod hook;
mod learned;
mod literals;
mod model;
mod sat;
mod words;

use std::rc::Rc;

use cadical_sys::Status;
use logic::{Node, Op, Pool, Sort, TermId};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

pub use crate::literal::Lit;
pub use learned::Exchange;
pub use literals::SatStatistics;

use crate::answer::{Answer, Assignment, Decision};
use crate::limits::{Limits, Stop, Why};
use arrays::IndexId;
use cnf::Cnf;
use encode::{Encoder, scalar_width};
use gates::{Gate, Wire};
use sat::Sat;

/// A solver that turns terms into clauses.
pub struct Bits {
    encoder: Encoder,
    cnf: Cnf,
    sat: Sat,
    scopes: Vec<Scope>,
    limits: Limits,
    /// SAT variables that only closed scopes needed.
    n_garbage: usize,
    /// The assumptions of the last check that are not constants, with their literals, or the one that is false.
    assumed: Vec<(TermId, Lit)>,
    refuted: Option<TermId>,
    /// Whether somebody outside knows literals, which have to stay what they are.
    has_outside_literals: bool,
}

/// Assertions that are taken back together.
struct Scope {
    /// Of an inner scope, once something of it has been encoded.
    guard: Option<Lit>,
    assertions: Vec<TermId>,
    n_encoded: usize,
    /// Where its first encoding began.
    start: Option<Start>,
}

/// How much there was before a scope.
#[derive(Clone, Copy)]
struct Start {
    mark: encode::Mark,
    n_sat_vars: usize,
    n_garbage: usize,
}

/// Index domains of up to this many bits are enumerated where arrays are compared.
const SMALL_DOMAIN_BITS: usize = 6;

/// Closed scopes may leave this many SAT variables before it matters.
const TOLERATED_GARBAGE: usize = 4000;

/// What is said of a search that ended for no reason of ours: that of its conflicts' limit.
const GAVE_UP: &str = "the SAT solver gave up";

impl Default for Bits {
    fn default() -> Bits {
        Bits::new()
    }
}

impl Bits {
    /// Nothing asserted, no limits.
    pub fn new() -> Bits {
        Bits {
            encoder: Encoder::new(),
            cnf: Cnf::default(),
            sat: Sat::new(),
            scopes: vec![Scope { guard: None, assertions: Vec::new(), n_encoded: 0, start: None }],
            limits: Limits::default(),
            n_garbage: 0,
            assumed: Vec::new(),
            refuted: None,
            has_outside_literals: false,
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
        self.scopes.push(Scope { guard: None, assertions: Vec::new(), n_encoded: 0, start: None });
    }

    /// Closes the innermost scope: its assertions are taken back.
    pub fn pop(&mut self) {
        assert!(self.scopes.len() > 1, "every pop has its push");
        let scope = self.scopes.pop().expect("there are two scopes at least");
        if let Some(guard) = scope.guard {
            self.sat.clause(&[!guard]);
        }
        if let Some(start) = scope.start {
            self.encoder.forget_since(start.mark);
            self.n_garbage = start.n_garbage + self.sat.n_vars() - start.n_sat_vars;
        }
    }

    /// Adds a formula to the innermost scope.
    pub fn assert(&mut self, pool: &Pool, formula: TermId) {
        assert_eq!(pool.sort(formula), Sort::Bool, "only formulas can be asserted");
        self.scopes.last_mut().expect("the outermost scope is never closed").assertions.push(formula);
    }

    /// Whether assertions and assumptions have a common solution, and which.
    pub fn check(&mut self, pool: &Pool, assumptions: &[TermId]) -> Answer {
        match self.decide(pool, assumptions) {
            Decision::Sat => Answer::Sat(self.assignment(pool)),
            Decision::Unsat => Answer::Unsat(self.core()),
            Decision::Unknown(why) => Answer::Unknown(why),
        }
    }

    /// Whether assertions and assumptions have a common solution.
    pub fn decide(&mut self, pool: &Pool, assumptions: &[TermId]) -> Decision {
        self.decide_with(pool, assumptions, &[])
    }

    /// Whether assertions and assumptions, formulas and literals, have a common solution.
    pub fn decide_with(&mut self, pool: &Pool, assumptions: &[TermId], lits: &[Lit]) -> Decision {
        let stop = Rc::new(Stop::begin(&self.limits));
        match self.try_decide(pool, assumptions, lits, &stop) {
            Ok(true) => Decision::Sat,
            Ok(false) => Decision::Unsat,
            Err(why) => Decision::Unknown(why),
        }
    }

    /// After a check without solution: assumptions that suffice for there being none.
    pub fn core(&mut self) -> Vec<TermId> {
        if let Some(term) = self.refuted {
            return vec![term];
        }
        let mut core: Vec<TermId> = Vec::new();
        for &(term, lit) in &self.assumed {
            if self.sat.failed(lit) && !core.contains(&term) {
                core.push(term);
            }
        }
        core
    }

    /// After a check with a solution: the values of the variables.
    pub fn assignment(&mut self, pool: &Pool) -> Assignment {
        model::assignment(pool, &self.encoder, &self.cnf, &mut self.sat)
    }

    fn try_decide(&mut self, pool: &Pool, assumptions: &[TermId], lits: &[Lit], stop: &Rc<Stop>) -> Result<bool, Why> {
        stop.check()?;
        let is_mostly_garbage = self.n_garbage > TOLERATED_GARBAGE + 2 * (self.sat.n_vars() - self.n_garbage);
        if is_mostly_garbage && !self.has_outside_literals {
            self.rebuild();
        }
        self.encode_scopes(pool, stop)?;
        self.assumed.clear();
        self.refuted = None;
        for &term in assumptions {
            let wire = self.encoder.wire(pool, term, stop)?;
            match wire.as_constant() {
                Some(true) => {}
                Some(false) => {
                    self.refuted = Some(term);
                    return Ok(false);
                }
                None => {
                    let lit = self.cnf.lit(&self.encoder.gates, &mut self.sat, wire, stop)?;
                    self.assumed.push((term, lit));
                }
            }
        }
        self.compare_arrays(pool, stop)?;
        self.search(lits, stop)
    }

    fn search(&mut self, outside: &[Lit], stop: &Rc<Stop>) -> Result<bool, Why> {
        let mut lits: Vec<Lit> = self.scopes.iter().filter_map(|scope| scope.guard).collect();
        lits.extend(self.assumed.iter().map(|&(_, lit)| lit));
        lits.extend(outside);
        loop {
            self.cnf.finish(&self.encoder.gates, &mut self.sat, stop)?;
            match self.sat.solve(&lits, stop) {
                Status::SATISFIABLE => {
                    let violated = model::violated_reads(&self.encoder, &self.cnf, &mut self.sat);
                    if violated.is_empty() {
                        return Ok(true);
                    }
                    for (var, i, j) in violated {
                        let wire = self.encoder.arrays.functional(&mut self.encoder.gates, var, i, j);
                        self.assert_wire(wire, None, stop)?;
                    }
                }
                Status::UNSATISFIABLE => return Ok(false),
                Status::UNKNOWN => {
                    let why = stop.why();
                    return Err(why.unwrap_or_else(|| Why::Incomplete(GAVE_UP.into())));
                }
            }
        }
    }

    /// Begins anew with the assertions that stand.
    fn rebuild(&mut self) {
        let fresh = Bits::new();
        let scopes = std::mem::replace(&mut self.scopes, fresh.scopes);
        (self.encoder, self.cnf, self.sat) = (fresh.encoder, fresh.cnf, fresh.sat);
        self.n_garbage = 0;
        for (i, scope) in scopes.into_iter().enumerate() {
            if i > 0 {
                self.push();
            }
            self.scopes[i].assertions = scope.assertions;
        }
    }

    fn encode_scopes(&mut self, pool: &Pool, stop: &Stop) -> Result<(), Why> {
        for scope in 0..self.scopes.len() {
            if self.scopes[scope].n_encoded < self.scopes[scope].assertions.len() {
                // What the arrays compared so far depend on must not become a definition of this scope, and depends on
                // variables that are encoded only by this.
                self.compare_arrays(pool, stop)?;
                self.encode_scope(pool, scope, stop)?;
            }
        }
        Ok(())
    }

    fn encode_scope(&mut self, pool: &Pool, scope: usize, stop: &Stop) -> Result<(), Why> {
        if self.scopes[scope].start.is_none() {
            let start = Start { mark: self.encoder.mark(), n_sat_vars: self.sat.n_vars(), n_garbage: self.n_garbage };
            self.scopes[scope].start = Some(start);
            self.scopes[scope].guard = (scope > 0).then(|| self.sat.fresh());
        }
        let Scope { guard, n_encoded, .. } = self.scopes[scope];
        let conjuncts = conjuncts(pool, &self.scopes[scope].assertions[n_encoded..]);
        let constraints: Vec<TermId> =
            conjuncts.into_iter().filter(|&conjunct| !self.encoder.define(pool, conjunct)).collect();
        // From here on the conjuncts that became definitions count, so an interrupted scope must be encoded to its end.
        let mut interrupted = None;
        for (i, &constraint) in constraints.iter().enumerate() {
            let wire = self.encoder.wire(pool, constraint, stop);
            if let Err(why) = wire.and_then(|wire| self.assert_wire(wire, guard, stop)) {
                interrupted = Some((i, why));
                break;
            }
        }
        let scope = &mut self.scopes[scope];
        match interrupted {
            None => {
                scope.n_encoded = scope.assertions.len();
                Ok(())
            }
            Some((i, why)) => {
                scope.assertions.extend_from_slice(&constraints[i..]);
                scope.n_encoded = scope.assertions.len() - (constraints.len() - i);
                Err(why)
            }
        }
    }

    /// Makes a wire true where the guard holds, without a variable for the wire itself if possible.
    fn assert_wire(&mut self, wire: Wire, guard: Option<Lit>, stop: &Stop) -> Result<(), Why> {
        let mut open = vec![wire];
        while let Some(wire) = open.pop() {
            let gate = self.encoder.gates.gate(wire.node());
            let is_known = self.cnf.known(wire.node()).is_some();
            match (gate, wire.is_negated()) {
                (Gate::False, false) => self.clause(guard, &[], stop)?,
                (Gate::False, true) => {}
                _ if is_known => self.clause(guard, &[wire], stop)?,
                (Gate::Input, _) => self.clause(guard, &[wire], stop)?,
                (Gate::And(a, b), false) => open.extend([b, a]),
                (Gate::And(a, b), true) => {
                    let alternatives = self.alternatives(a, b);
                    self.clause(guard, &alternatives, stop)?;
                }
                (Gate::Xor(a, b), negated) => {
                    let b = if negated { !b } else { b };
                    self.clause(guard, &[a, b], stop)?;
                    self.clause(guard, &[!a, !b], stop)?;
                }
                (Gate::Choose(c, t, e), negated) => {
                    let (t, e) = if negated { (!t, !e) } else { (t, e) };
                    self.clause(guard, &[!c, t], stop)?;
                    self.clause(guard, &[c, e], stop)?;
                }
                (Gate::Majority(a, b, c), negated) => {
                    let [a, b, c] = if negated { [!a, !b, !c] } else { [a, b, c] };
                    self.clause(guard, &[a, b], stop)?;
                    self.clause(guard, &[a, c], stop)?;
                    self.clause(guard, &[b, c], stop)?;
                }
            }
        }
        Ok(())
    }

    /// The operands of a negated conjunction, negated, through conjunctions used only there.
    fn alternatives(&self, a: Wire, b: Wire) -> Vec<Wire> {
        let mut alternatives = Vec::new();
        let mut open = vec![b, a];
        while let Some(wire) = open.pop() {
            match self.encoder.gates.gate(wire.node()) {
                Gate::And(x, y)
                    if !wire.is_negated()
                        && self.encoder.gates.uses(wire.node()) == 1
                        && self.cnf.known(wire.node()).is_none() =>
                {
                    open.extend([y, x]);
                }
                _ => alternatives.push(!wire),
            }
        }
        alternatives
    }

    fn clause(&mut self, guard: Option<Lit>, wires: &[Wire], stop: &Stop) -> Result<(), Why> {
        let mut lits: SmallVec<[Lit; 16]> = guard.iter().map(|&guard| !guard).collect();
        for &wire in wires {
            match wire.as_constant() {
                Some(true) => return Ok(()),
                Some(false) => {}
                None => lits.push(self.cnf.lit(&self.encoder.gates, &mut self.sat, wire, stop)?),
            }
        }
        self.sat.clause(&lits);
        Ok(())
    }

    /// Ties the wires of array equalities to the elements of the arrays, see `arrays`.
    fn compare_arrays(&mut self, pool: &Pool, stop: &Stop) -> Result<(), Why> {
        let mut i = 0;
        while i < self.encoder.arrays.equalities.len() {
            let changed = self.compare(pool, i, stop)?;
            // New indices may concern equalities that had seen all there were.
            i = if changed { 0 } else { i + 1 };
        }
        Ok(())
    }

    /// Does what is still to be done for an equality; whether that was anything.
    fn compare(&mut self, pool: &Pool, i: usize, stop: &Stop) -> Result<bool, Why> {
        let (a, b, equal) = {
            let equality = &self.encoder.arrays.equalities[i];
            (equality.a, equality.b, equality.wire)
        };
        let sort = pool.sort(a);
        let Sort::Array(index_sort, _) = sort else { unreachable!("only arrays are compared here") };
        let n_bits = scalar_width(index_sort.into());
        let is_small = n_bits <= SMALL_DOMAIN_BITS;
        if !self.encoder.arrays.equalities[i].is_started {
            let witness: Vec<Wire> = (0..n_bits).map(|_| self.encoder.gates.input()).collect();
            let is_float = Sort::from(index_sort).is_float();
            let witness = if is_float { self.encoder.gates.float_from_bits(&witness) } else { witness };
            let witness = self.encoder.arrays.index(witness);
            let same = self.agree(pool, a, b, witness, stop)?;
            let differ = self.encoder.gates.or(equal, !same);
            self.assert_wire(differ, None, stop)?;
            if is_small {
                for value in 0..1u64 << n_bits {
                    self.encoder.arrays.mention(a, &words::number(n_bits, value));
                }
            } else {
                self.encoder.arrays.mentioned.push((a, IndexId::ELSEWHERE));
            }
            self.encoder.arrays.equalities[i].is_started = true;
            return Ok(true);
        }
        let mut changed = false;
        let mut next = 0;
        while next < self.encoder.arrays.mentioned.len() {
            let (array, index) = self.encoder.arrays.mentioned[next];
            next += 1;
            if pool.sort(array) != sort || self.encoder.arrays.equalities[i].agreed.contains(&index) {
                continue;
            }
            let same = self.agree(pool, a, b, index, stop)?;
            let agree = self.encoder.gates.implies(equal, same);
            self.assert_wire(agree, None, stop)?;
            self.encoder.arrays.equalities[i].agreed.insert(index);
            changed = true;
        }
        let n_indices = self.encoder.arrays.equalities[i].agreed.len();
        if !is_small && n_bits < usize::BITS as usize && n_indices >= 1 << n_bits {
            return Err(Why::Incomplete("arrays are compared that are read at as many indices as there are".into()));
        }
        Ok(changed)
    }

    fn agree(&mut self, pool: &Pool, a: TermId, b: TermId, index: IndexId, stop: &Stop) -> Result<Wire, Why> {
        let a = self.encoder.read(pool, a, index, stop)?;
        let b = self.encoder.read(pool, b, index, stop)?;
        Ok(self.encoder.gates.words_equal(&a, &b))
    }
}

/// The formulas that the conjunction of these consists of, each once.
fn conjuncts(pool: &Pool, formulas: &[TermId]) -> Vec<TermId> {
    let mut result = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open: Vec<TermId> = formulas.iter().rev().copied().collect();
    while let Some(formula) = open.pop() {
        if !seen.insert(formula) {
            continue;
        }
        match pool.node(formula) {
            Node::App { op: Op::And, args } => open.extend(args.iter().rev()),
            _ => result.push(formula),
        }
    }
    result
}
