//! The symbolic engine: which executions of a skeleton does a model allow, asked of a SAT solver?
//!
//! There is a literal for each write that a read may read and for each order of two writes; what a model derives from these is in `memory::formula`. Values are
//! bit-vectors: a read equals the write it reads. That no value depends on itself, and that orders have no cycles, the theory of acyclic
//! graphs keeps. What the solver finds is handed to the enumerator's check as one choice of `rf` and `co`, so an execution
//! that leaves here has been computed in both ways; only that there are no more is the solver's word alone.

use ir::litmus::{Formula, NOTHING, Observable, Operand, Quantifier};
use logic::{Sort, TermId};
use memory::cat::syntax::ast::Severity;
use memory::cat::{Bound, Plan, Values};
use memory::execution::term::Term;
use memory::formula::counters::is_coherent;
use memory::formula::{Encoder, Failed, Sign};
use memory::relation::Relation;
use rustc_hash::FxHashMap;
use smt::{Decision, Limits, Lit};
use std::time::Duration;

use super::answer::{Goal, Refusal};
use super::circuits::Circuits;
use super::counters::counters;
use super::search::{Interrupt, Search, Searched, Source};

/// How long the solver works before somebody is asked whether to stop.
const SLICE: Duration = Duration::from_millis(200);

/// Searches all executions of a skeleton whose addresses are fixed.
pub(super) fn run(search: &mut Search<'_, '_>) -> Searched {
    let Some(cells) = &search.skeleton.cells else {
        return Err(Interrupt::Refused(Refusal::Symbolic("an address depends on what is read")));
    };
    if search.model.is_dynamic {
        return Err(Interrupt::Refused(Refusal::Symbolic("the model looks into executions")));
    }
    search.answer.is_symbolic = true;
    search.cells.clone_from(cells);
    search.place();
    let n = search.skeleton.events.len();
    let bounds = bounds(search);
    let n_graphs = 2 + search.model.outcome.checks.len();
    let mut solver = Solver {
        encoder: Encoder::new(search.model, &bounds, n, n_graphs, None),
        circuits: Circuits::new(search.known.len()),
        sources: Vec::new(),
        nothing: Vec::new(),
        orders: Vec::new(),
        finals: Vec::new(),
        state: Vec::new(),
    };
    solver.encoder.bits.set_limits(Limits::time(SLICE));
    solver.choose(search).map_err(Interrupt::Refused)?;
    solver.count(search)?;
    solver.last_writes(search);
    solver.compare_values(search).map_err(Interrupt::Refused)?;
    solver.encoder.axioms(&search.model.outcome.checks).map_err(refused)?;
    solver.observe(search).map_err(Interrupt::Refused)?;
    solver.enumerate(search)
}

/// The bounds of everything that axioms need, before anything is chosen.
fn bounds(search: &mut Search<'_, '_>) -> Values {
    let graph = &search.model.outcome.graph;
    search.put_bounds();
    let mut values = search.values.clone();
    values.set_exact(false);
    let roots: Vec<_> = search
        .model
        .outcome
        .checks
        .iter()
        .flat_map(|check| [(check.node, Bound::Lower), (check.node, Bound::Upper)])
        .collect();
    let plan = Plan::of(graph, &roots, |id| !graph.depends(id).is_fixed());
    values.compute(graph, &plan, &|_, _| false);
    values
}

struct Solver<'a> {
    encoder: Encoder<'a>,
    circuits: Circuits,
    /// For each read and each write that it may read, the literal.
    sources: Vec<(usize, usize, Lit)>,
    /// For each receive that may receive nothing, the literal.
    nothing: Vec<(usize, Lit)>,
    /// For each order of two writes, the literal.
    orders: Vec<(usize, usize, Lit)>,
    /// For each write, whether it is the last of its cell.
    finals: Vec<(usize, Lit)>,
    /// The observed parts of the final state.
    state: Vec<TermId>,
}

impl Solver<'_> {
    fn choose(&mut self, search: &Search<'_, '_>) -> Result<(), Refusal> {
        let why = |_| Refusal::Stopped;
        let mut value_edges = Vec::new();
        let mut doubtful = Vec::new();
        for &read in &search.reads {
            let variable = search.skeleton.events[read].variable.expect("a read defines a variable");
            let mut choices: Vec<(usize, usize, Lit)> = Vec::new();
            for &write in &search.writes {
                if !search.rf_upper.contains(write, read) {
                    continue;
                }
                let lit = self.encoder.bits.fresh_lit();
                if let Some(rf) = search.chosen.rf {
                    self.encoder.define(rf, write, read, lit);
                }
                let value = self.circuits.translate(search.terms, search.skeleton.events[write].value);
                let same = self.circuits.pool.eq(self.circuits.reads[variable as usize], value);
                let same = self.encoder.bits.lit(&self.circuits.pool, same).map_err(why)?;
                self.encoder.bits.add_clause(&[!lit, same]);
                for &(_, _, other) in choices.iter() {
                    self.encoder.bits.add_clause(&[!lit, !other]);
                }
                choices.push((read, write, lit));
                value_edges.push((write, read, Sign::Open(lit)));
            }
            let mut lits: Vec<Lit> = choices.iter().map(|&(_, _, lit)| lit).collect();
            if search.test.dialect.has_messages() {
                lits.push(self.receive_nothing(read, variable, &lits)?);
            }
            self.encoder.bits.add_clause(&lits);
            self.sources.extend(choices);
        }
        // A value may not depend on itself: from reads to the writes whose values mention them.
        for &write in &search.writes {
            for &read in &search.reads {
                let variable = search.skeleton.events[read].variable.expect("a read defines a variable");
                match mentions(search, search.skeleton.events[write].value, variable) {
                    Mention::Never => {}
                    Mention::Always => value_edges.push((read, write, Sign::Yes)),
                    Mention::Sometimes => {
                        doubtful.push((read, write));
                        value_edges.push((read, write, Sign::Yes));
                    }
                }
            }
        }
        // A value that needs another one only sometimes may be on such a cycle and still exist.
        let mut closed = Relation::of(search.skeleton.events.len(), value_edges.iter().map(|&(a, b, _)| (a, b)));
        closed.close();
        if doubtful.iter().any(|&(read, write)| closed.contains(write, read)) {
            return Err(Refusal::Symbolic("whether a value depends on itself depends on a choice"));
        }
        self.encoder.acyclic(&value_edges);
        let mut order_edges: Vec<(usize, usize, Sign)> = search.co.iter().map(|(a, b)| (a, b, Sign::Yes)).collect();
        for &(a, b) in &search.rivals {
            let (forth, back) = (self.encoder.bits.fresh_lit(), self.encoder.bits.fresh_lit());
            self.encoder.bits.add_clause(&[forth, back]);
            self.encoder.bits.add_clause(&[!forth, !back]);
            for (from, to, lit) in [(a, b, forth), (b, a, back)] {
                if let Some(co) = search.chosen.co {
                    self.encoder.define(co, from, to, lit);
                }
                order_edges.push((from, to, Sign::Open(lit)));
                self.orders.push((from, to, lit));
            }
        }
        self.encoder.acyclic(&order_edges);
        for &(term, wanted) in &search.skeleton.constraints {
            let value = self.circuits.translate(search.terms, term);
            let zero = self.circuits.pool.bv(64, 0);
            let is_zero = self.circuits.pool.eq(value, zero);
            let formula = if wanted { self.circuits.pool.not(is_zero) } else { is_zero };
            self.encoder.bits.assert(&self.circuits.pool, formula);
        }
        Ok(())
    }

    /// A literal that a receive has none of these sources and gives `NOTHING`.
    fn receive_nothing(&mut self, read: usize, variable: u32, sources: &[Lit]) -> Result<Lit, Refusal> {
        let lit = self.encoder.bits.fresh_lit();
        let nothing = self.circuits.pool.bv(64, NOTHING);
        let same = self.circuits.pool.eq(self.circuits.reads[variable as usize], nothing);
        let same = self.encoder.bits.lit(&self.circuits.pool, same).map_err(|_| Refusal::Stopped)?;
        self.encoder.bits.add_clause(&[!lit, same]);
        for &other in sources {
            self.encoder.bits.add_clause(&[!lit, !other]);
        }
        self.nothing.push((read, lit));
        Ok(lit)
    }

    /// What updates find in cells that are only added to.
    fn count(&mut self, search: &Search<'_, '_>) -> Searched {
        if !is_coherent(search.model) {
            return Ok(());
        }
        let orders: FxHashMap<(usize, usize), Lit> = self.orders.iter().map(|&(a, b, lit)| ((a, b), lit)).collect();
        for counter in counters(search, &mut self.circuits) {
            let is_before = |a: usize, b: usize| Sign::Open(orders[&(a, b)]);
            let writes = || counter.additions.iter().map(|addition| addition.write);
            if writes().any(|a| writes().any(|b| a != b && !orders.contains_key(&(a, b)))) {
                continue;
            }
            let counted = self.encoder.count(&mut self.circuits.pool, &counter, &is_before);
            counted.map_err(|_| Interrupt::Refused(Refusal::Stopped))?;
        }
        Ok(())
    }

    /// Which writes are the last of their cell.
    fn last_writes(&mut self, search: &Search<'_, '_>) {
        for &write in &search.writes {
            let mut later: Vec<Lit> = Vec::new();
            let mut is_never = false;
            for &other in &search.writes {
                if search.co.contains(write, other) {
                    is_never = true;
                }
                later.extend(
                    self.orders.iter().filter(|&&(from, to, _)| from == write && to == other).map(|&(_, _, lit)| lit),
                );
            }
            let last = self.encoder.bits.fresh_lit();
            if is_never {
                self.encoder.bits.add_clause(&[!last]);
            } else {
                let mut clause = vec![last];
                for lit in later {
                    self.encoder.bits.add_clause(&[!last, !lit]);
                    clause.push(lit);
                }
                self.encoder.bits.add_clause(&clause);
            }
            if let Some(finals) = search.chosen.finals {
                self.encoder.define(finals, write, u32::MAX as usize, last);
            }
            self.finals.push((write, last));
        }
    }

    /// When the values differ that the model compares.
    fn compare_values(&mut self, search: &Search<'_, '_>) -> Result<(), Refusal> {
        for (from, to) in self.encoder.compared() {
            let value_of = |event: usize| search.skeleton.events[event].value;
            let one = self.circuits.translate(search.terms, value_of(from));
            let other = self.circuits.translate(search.terms, value_of(to));
            let differ = self.circuits.pool.ne(one, other);
            let lit = self.encoder.bits.lit(&self.circuits.pool, differ).map_err(|_| Refusal::Stopped)?;
            self.encoder.distinguish(from, to, lit);
        }
        Ok(())
    }

    /// The final state, and what is asked about it.
    fn observe(&mut self, search: &Search<'_, '_>) -> Result<(), Refusal> {
        for index in 0..search.test.observed.len() {
            let term = self.observed(search, index)?;
            self.state.push(term);
        }
        if let Some(filter) = &search.test.filter {
            let formula = self.formula(filter);
            self.encoder.bits.assert(&self.circuits.pool, formula);
        }
        if search.question.goal == Goal::Verdict {
            let condition = self.formula(&search.test.condition);
            let wanted = if search.test.quantifier == Quantifier::Forall {
                self.circuits.pool.not(condition)
            } else {
                condition
            };
            self.encoder.bits.assert(&self.circuits.pool, wanted);
        }
        Ok(())
    }

    fn observed(&mut self, search: &Search<'_, '_>, index: usize) -> Result<TermId, Refusal> {
        let observed = &search.test.observed[index];
        let word = match observed.what {
            Observable::Register { thread, reg } => {
                self.circuits.translate(search.terms, search.skeleton.registers[thread][reg.0 as usize])
            }
            Observable::Memory { .. } => {
                let mut word = self.circuits.pool.bv(64, 0);
                let mut shift = 0;
                for cell in search.skeleton.observed_cells(observed.what) {
                    let variable = self.circuits.pool.declare("final", Sort::Bv(64));
                    let part = self.circuits.pool.var(variable);
                    let mut size = 0;
                    for (write, last) in self.finals.clone() {
                        if search.cells[write] != Some(cell) {
                            continue;
                        }
                        size = search.skeleton.events[write].size;
                        let value = self.circuits.translate(search.terms, search.skeleton.events[write].value);
                        let same = self.circuits.pool.eq(part, value);
                        let same = self.encoder.bits.lit(&self.circuits.pool, same).map_err(|_| Refusal::Stopped)?;
                        self.encoder.bits.add_clause(&[!last, same]);
                    }
                    let by = self.circuits.pool.bv(64, shift);
                    let part = self.circuits.pool.shl(part, by);
                    word = self.circuits.pool.bv_or(word, part);
                    shift += u64::from(size) * 8;
                }
                word
            }
        };
        let mask = self.circuits.pool.bv(64, observed.cut(u64::MAX));
        Ok(self.circuits.pool.bv_and(word, mask))
    }

    fn formula(&mut self, formula: &Formula) -> TermId {
        match formula {
            Formula::Constant(value) => self.circuits.pool.constant(logic::Value::Bool(*value)),
            Formula::Equal(index, operand) => {
                let right = match operand {
                    Operand::Value(value) => self.circuits.pool.bv(64, *value),
                    Operand::Observed(other) => self.state[*other],
                };
                self.circuits.pool.eq(self.state[*index], right)
            }
            Formula::Not(inner) => {
                let inner = self.formula(inner);
                self.circuits.pool.not(inner)
            }
            Formula::And(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|part| self.formula(part)).collect();
                self.circuits.pool.and_all(&parts)
            }
            Formula::Or(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|part| self.formula(part)).collect();
                self.circuits.pool.or_all(&parts)
            }
            Formula::Implies(left, right) => {
                let (left, right) = (self.formula(left), self.formula(right));
                self.circuits.pool.implies(left, right)
            }
        }
    }

    /// Hands each solution to the enumerator's check, and rules it out.
    fn enumerate(&mut self, search: &mut Search<'_, '_>) -> Searched {
        // What is ruled out is ruled out while this holds: flags are looked for in all executions.
        let is_counting = self.encoder.bits.fresh_lit();
        while self.decide(search, &[is_counting])? {
            let mut block = self.load(search);
            if search.question.goal == Goal::States {
                block = self.block_state(search)?;
            }
            block.push(!is_counting);
            self.encoder.bits.add_clause(&block);
        }
        if matches!(search.question.goal, Goal::States | Goal::Rf) && search.has_flags() {
            self.flags(search)?;
        }
        Ok(())
    }

    /// Finds and checks a solution; false if there is none.
    fn decide(&mut self, search: &mut Search<'_, '_>, assumptions: &[Lit]) -> Result<bool, Interrupt> {
        loop {
            search.tick()?;
            if (search.stop)() {
                return Err(Interrupt::Refused(Refusal::Stopped));
            }
            match self.encoder.bits.decide_with(&self.circuits.pool, &[], assumptions) {
                Decision::Sat => break,
                Decision::Unsat => return Ok(false),
                // A slice of time is over.
                Decision::Unknown(smt::Why::Time) => {}
                Decision::Unknown(_) => return Err(Interrupt::Refused(Refusal::Stopped)),
            }
        }
        self.load(search);
        let n_complete = search.answer.n_complete;
        let fixed = search.co.clone();
        search.co = self.order(&fixed);
        search.known.fill(None);
        search.is_counted = false;
        let result = if search.follow()? { search.complete() } else { Ok(()) };
        search.co = fixed;
        match result {
            Err(Interrupt::Satisfied) if search.question.goal == Goal::Rf => {}
            other => other?,
        }
        if search.answer.n_complete == n_complete {
            // Two ways of computing the same thing disagree: that is our mistake, and no answer is better than a wrong one.
            return Err(Interrupt::Refused(Refusal::Symbolic("a solution does not pass the axioms (a bug of ours)")));
        }
        Ok(true)
    }

    /// Takes what reads read from the solution; a clause that rules it out.
    fn load(&mut self, search: &mut Search<'_, '_>) -> Vec<Lit> {
        let n = search.skeleton.events.len();
        search.rf = Relation::empty(n);
        search.source = vec![Source::Open; n];
        let mut block = Vec::new();
        for &(read, write, lit) in &self.sources {
            if self.encoder.bits.lit_value(lit) {
                search.source[read] = Source::Write(write);
                search.rf.insert(write, read);
                block.push(!lit);
            }
        }
        for &(read, lit) in &self.nothing {
            if self.encoder.bits.lit_value(lit) {
                search.source[read] = Source::Nothing;
                block.push(!lit);
            }
        }
        if search.question.goal != Goal::Rf {
            let orders = self.orders.iter().map(|&(_, _, lit)| lit);
            block.extend(orders.filter(|&lit| self.encoder.bits.lit_value(lit)).map(|lit| !lit));
        }
        block
    }

    /// The order of writes in the solution.
    fn order(&mut self, fixed: &Relation) -> Relation {
        let mut order = fixed.clone();
        for &(from, to, lit) in &self.orders {
            if self.encoder.bits.lit_value(lit) {
                order.insert(from, to);
            }
        }
        order
    }

    /// Which flags does some execution raise? Where not every execution was looked at, each flag is asked for by itself.
    fn flags(&mut self, search: &mut Search<'_, '_>) -> Searched {
        let model = search.model;
        for check in model.outcome.checks.iter().filter(|check| check.severity != Severity::Forbids) {
            if search.answer.flags.contains(&check.name) {
                continue;
            }
            let raised = self.encoder.raised(check).map_err(refused)?;
            let before = search.answer.clone();
            let is_found = self.decide(search, &[raised])?;
            let flags = std::mem::replace(search.answer, before).flags;
            if is_found && !flags.contains(&check.name) {
                return Err(Interrupt::Refused(Refusal::Symbolic("a flag is not raised after all (a bug of ours)")));
            }
            search.answer.flags.extend(flags);
        }
        Ok(())
    }

    /// A clause that the final state just found does not satisfy.
    fn block_state(&mut self, search: &Search<'_, '_>) -> Result<Vec<Lit>, Interrupt> {
        let state = search.last_state.clone();
        let mut clause = Vec::new();
        for (&term, value) in self.state.clone().iter().zip(state) {
            let value = self.circuits.pool.bv(64, value);
            let same = self.circuits.pool.eq(term, value);
            let lit =
                self.encoder.bits.lit(&self.circuits.pool, same).map_err(|_| Interrupt::Refused(Refusal::Stopped))?;
            clause.push(!lit);
        }
        Ok(clause)
    }
}

fn refused(failed: Failed) -> Interrupt {
    Interrupt::Refused(match failed {
        Failed::Inexpressible(why) => Refusal::Symbolic(why),
        Failed::Stopped(_) => Refusal::Stopped,
    })
}

/// Whether the value of a term needs a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mention {
    Never,
    Sometimes,
    Always,
}

fn mentions(search: &Search<'_, '_>, id: memory::execution::TermId, variable: u32) -> Mention {
    match search.terms.get(id) {
        Term::Const(_) => Mention::Never,
        Term::Read(found) if found == variable => Mention::Always,
        Term::Read(_) => Mention::Never,
        Term::Unary(_, _, operand) => mentions(search, operand, variable),
        Term::Binary(_, _, left, right) => mentions(search, left, variable).max(mentions(search, right, variable)),
        Term::Select(condition, yes, no) => {
            let (yes, no) = (mentions(search, yes, variable), mentions(search, no, variable));
            let branches = if yes == no { yes } else { Mention::Sometimes };
            mentions(search, condition, variable).max(branches)
        }
    }
}
