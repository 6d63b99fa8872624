//! How does the unrolled program become a question for the solver?
//!
//! Known as: the encoding of ordering consistency: read-from and write-serialisation constraints (RF-Val, RF-Some, WS-Cond, WS-Some).
//!
//! Values of reads are variables. For every read and every write it may take its value from there is a literal: if it is true, both
//! happen, the addresses are equal and so are the values (RF-Val); a read that happens has one that is true (RF-Some). What order
//! these choices imply is known to the theory alone (RF-Ord). The order of writes gets literals only when it is needed (WS-Cond, WS-Some,
//! WS-Ord).

use crate::bmc::reductions::intervals;
use crate::bmc::unrolled::Unrolled;
use logic::{Node, Op, Pool, TermId, Value};
use memory::events::{Known, START, Sources, find_sources};
use memory::order::{Closure, OrderingConsistency, Pair, Read, Structure, Write};
use rustc_hash::{FxHashMap, FxHasher};
use smt::{Bits, Consequences, Lit, Theory};
use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// The question, on its way to the solver.
pub(crate) struct Encoding {
    pub(crate) bits: Bits,
    /// The theory inside the solver, if there is one.
    pub(crate) order: Option<Rc<RefCell<OrderingConsistency>>>,
    /// The same theory outside of it, which looks at whole assignments.
    checker: OrderingConsistency,
    pub(crate) structure: Structure,
    /// All literals that the theory looks at.
    pub(crate) watched: Vec<Lit>,
    lit_of: FxHashMap<TermId, Lit>,
    has_write_order: bool,
    /// Whether small conflicts have been added after the rest.
    pub(crate) has_conflicts: bool,
    pub(crate) n_choices: usize,
    pub(crate) n_write_orders: usize,
    /// Writes that critical sections keep reads from.
    pub(crate) n_excluded: usize,
    /// The closure of program order.
    pub(crate) closure: Closure,
    /// Beside that both happen, what a choice says; and what it takes for a rival to be active. By read and write as the theory counts.
    said: FxHashMap<Pair, TermId>,
    /// The nodes of the write and the read of each choice, and literals that say which of two nodes comes first.
    nodes_of: FxHashMap<Lit, (u32, u32)>,
    comes_first: FxHashMap<(u32, u32), Lit>,
    active: FxHashMap<Pair, TermId>,
    /// How many variables there were when all was encoded: those mean the same in every encoding of the same program.
    pub(crate) n_common: usize,
    /// How many watched literals there were then.
    n_common_watched: usize,
    /// A number that encodings of the same program have in common.
    mark: u64,
}

impl Encoding {
    /// Encodes the program, whose program order has this closure. With `in_solver` the theory takes part in the search.
    pub(crate) fn new(
        unrolled: &mut Unrolled,
        closure: Closure,
        in_solver: bool,
        limits: smt::Limits,
    ) -> Result<Encoding, smt::Why> {
        let Unrolled { pool, events, points, locks, .. } = unrolled;
        let hidden = locks.hidden(events, &closure, points);
        let surely = |a: u32, b: u32| points.dominates(a, b);
        let excludes = |read: usize, write: usize| hidden.excludes(read, write);
        let stops = || limits.is_over().is_some();
        let known = Known { surely: &surely, excludes: &excludes, stops: &stops };
        let found = find_sources(events, &closure, pool, known);
        let (mut sources, n_excluded) = found.ok_or_else(|| limits.is_over().unwrap_or(smt::Why::Cancelled))?;
        let mut bits = Bits::new();
        bits.set_limits(limits.clone());
        let order = in_solver.then(|| Rc::new(RefCell::new(OrderingConsistency::new(Structure::default()))));
        if let Some(order) = &order {
            bits.refute_mostly();
            bits.attach(Box::new(Rc::clone(order)));
        }
        let mut encoding = Encoding {
            bits,
            order,
            checker: OrderingConsistency::new(Structure::default()),
            structure: Structure { n_nodes: events.n_nodes(), fixed: events.fixed.clone(), ..Structure::default() },
            watched: Vec::new(),
            lit_of: FxHashMap::default(),
            has_write_order: false,
            has_conflicts: false,
            n_choices: 0,
            n_write_orders: 0,
            n_excluded,
            closure,
            said: FxHashMap::default(),
            nodes_of: FxHashMap::default(),
            comes_first: FxHashMap::default(),
            active: FxHashMap::default(),
            n_common: 0,
            n_common_watched: 0,
            mark: 0,
        };
        if unrolled.events.program.is_none() {
            let rules = intervals::rules(unrolled, &mut sources);
            unrolled.constraints.extend(rules);
        }
        for rule in &unrolled.constraints {
            encoding.bits.assert(&unrolled.pool, *rule);
        }
        encoding.structure.writes.push(Write { node: START });
        encoding.structure.writes.extend(unrolled.events.writes.iter().map(|write| Write { node: write.node }));
        for (index, sources) in sources.iter().enumerate() {
            if let Some(why) = limits.is_over() {
                return Err(why);
            }
            encoding.add_read(unrolled, index, sources)?;
        }
        for edge in &unrolled.events.edges {
            if unrolled.pool.as_const(edge.cond) != Some(&Value::Bool(false)) {
                let lit = encoding.watch(&unrolled.pool, edge.cond)?;
                encoding.structure.edges.push((lit, edge.from, edge.to));
            }
        }
        Ok(encoding)
    }

    /// Tells the theory what there is to know, once all of it is known.
    pub(crate) fn finish(&mut self) {
        let theory = || OrderingConsistency::with_closure(self.structure.clone(), self.closure.clone());
        self.checker = theory();
        if let Some(order) = &self.order {
            let mut new = theory();
            new.adopt(&order.borrow());
            *order.borrow_mut() = new;
        }
        let sat = self.bits.statistics();
        self.n_common = sat.variables as usize;
        self.n_common_watched = self.watched.len();
        let mut hasher = FxHasher::default();
        (sat.variables, sat.clauses, &self.watched, &self.structure.edges).hash(&mut hasher);
        self.structure.reads.iter().for_each(|read| (read.node, &read.candidates, &read.rivals).hash(&mut hasher));
        self.mark = hasher.finish();
    }

    /// Literals at which all executions can be cut in two: those that mean the same in every encoding of the same program. Orders of writes, which each
    /// encoding numbers when it first needs them, are none.
    pub(crate) fn splits(&self) -> &[Lit] {
        &self.watched[..self.n_common_watched]
    }

    /// A number that two encodings have in common only if they choose, number and order alike.
    pub(crate) fn mark(&self) -> u64 {
        self.mark
    }

    /// The orders of what the solver has found, and the clauses that it violates: none, if it is weakly sequentially consistent.
    pub(crate) fn judge_assignment(&mut self) -> (&OrderingConsistency, Vec<Vec<Lit>>) {
        self.checker.backtrack(0);
        for lit in &self.watched {
            let is_true = self.bits.lit_value(*lit);
            self.checker.assign(if is_true { *lit } else { !*lit }, 1);
        }
        let mut said = Consequences::default();
        self.checker.check(&mut said);
        (&self.checker, said.take_clauses())
    }

    /// The literal of a formula that the theory looks at.
    fn watch(&mut self, pool: &Pool, formula: TermId) -> Result<Lit, smt::Why> {
        if let Some(lit) = self.lit_of.get(&formula) {
            return Ok(*lit);
        }
        let lit = match self.order {
            Some(_) => self.bits.watch(pool, formula)?,
            None => self.bits.lit(pool, formula)?,
        };
        self.lit_of.insert(formula, lit);
        self.watched.push(lit);
        Ok(lit)
    }

    fn fresh(&mut self) -> Lit {
        let lit = if self.order.is_some() { self.bits.fresh_watched() } else { self.bits.fresh_lit() };
        self.watched.push(lit);
        lit
    }

    /// If a literal holds, so does a formula.
    fn imply(&mut self, pool: &Pool, lit: Lit, formula: TermId) -> Result<(), smt::Why> {
        match pool.as_const(formula) {
            Some(Value::Bool(true)) => {}
            Some(_) => self.bits.add_clause(&[!lit]),
            None => {
                let other = self.bits.lit(pool, formula)?;
                self.bits.add_clause(&[!lit, other]);
            }
        }
        Ok(())
    }

    fn add_read(&mut self, unrolled: &mut Unrolled, index: usize, sources: &Sources) -> Result<(), smt::Why> {
        let pool = &mut unrolled.pool;
        let read = unrolled.events.reads[index];
        let mut theory = Read { node: read.node, ..Read::default() };
        if pool.as_const(read.guard) == Some(&Value::Bool(false)) {
            self.structure.reads.push(theory);
            return Ok(());
        }
        let not_read = pool.not(read.guard);
        let mut some = Vec::new();
        if pool.as_const(not_read).is_none() {
            some.push(self.bits.lit(pool, not_read)?);
        }
        for candidate in &sources.candidates {
            let lit = match sources.candidates.len() {
                1 => self.watch(pool, read.guard)?,
                _ => self.fresh(),
            };
            some.push(lit);
            let (number, guard, value) = match candidate.write {
                Some(write) => {
                    let this = &unrolled.events.writes[write as usize];
                    (write + 1, this.guard, this.value)
                }
                None => (0, pool.bool(true), unrolled.initial[index]),
            };
            for rule in [read.guard, guard, candidate.same] {
                self.imply(pool, lit, rule)?;
            }
            if pool.sort(value).scalar().is_some() {
                self.bits.equal_if(pool, lit, read.value, value)?;
            } else {
                let same = pool.eq(read.value, value);
                self.imply(pool, lit, same)?;
            }
            self.n_choices += 1;
            self.said.insert((index, number), candidate.same);
            if let Some(write) = candidate.write {
                self.nodes_of.insert(lit, (unrolled.events.writes[write as usize].node, read.node));
            }
            theory.candidates.push((number, lit));
        }
        self.bits.add_clause(&some);
        for rival in &sources.rivals {
            let lit = match rival.active {
                Some(active) => {
                    self.active.insert((index, rival.write + 1), active);
                    Some(self.watch(pool, active)?)
                }
                None => None,
            };
            theory.rivals.push((rival.write + 1, lit));
        }
        theory.own = sources.own.iter().map(|write| write + 1).collect();
        self.structure.reads.push(theory);
        Ok(())
    }

    /// Whether a read's choice of a source makes sure that a rival of another read is active, if that read happens.
    pub(crate) fn implies(&self, unrolled: &Unrolled, choice: Pair, of: Pair) -> bool {
        let Unrolled { pool, events, points, .. } = unrolled;
        let Some(active) = self.active.get(&of) else { return true };
        let read = &events.reads[choice.0];
        let source = choice.1.checked_sub(1).map(|write| &events.writes[write as usize]);
        let facts = [Some(read.guard), source.map(|write| write.guard), self.said.get(&choice).copied()];
        if follows(pool, &facts, *active) {
            return true;
        }
        // Whoever got there has passed the rival; then only the address is left to know.
        let rival = &events.writes[of.1 as usize - 1];
        let mut passed = std::iter::once(read.point).chain(source.map(|write| write.point));
        let is_sure = !rival.is_hidden && passed.any(|point| points.dominates(rival.point, point));
        is_sure && follows(pool, &[facts[0], facts[1], facts[2], Some(rival.guard)], *active)
    }

    /// The nodes of the write and the read of a choice.
    pub(crate) fn nodes(&self, choice: Lit) -> Option<(u32, u32)> {
        self.nodes_of.get(&choice).copied()
    }

    /// Choices with the nodes of their write and read.
    pub(crate) fn contended(&self) -> impl Iterator<Item = (Lit, (u32, u32))> + '_ {
        self.nodes_of.iter().map(|(lit, nodes)| (*lit, *nodes))
    }

    /// The literal that is true if one node comes before another, false if it comes after it. Nodes that do not happen can be put anywhere.
    pub(crate) fn before(&mut self, a: u32, b: u32) -> Lit {
        let (first, second) = (a.min(b), a.max(b));
        let lit = match self.comes_first.get(&(first, second)) {
            Some(lit) => *lit,
            None => {
                let lit = self.fresh();
                self.comes_first.insert((first, second), lit);
                for (lit, from, to) in [(lit, first, second), (!lit, second, first)] {
                    self.add_edge(lit, from, to);
                }
                lit
            }
        };
        if a < b { lit } else { !lit }
    }

    /// One node comes before another if a literal is true: told after all else.
    fn add_edge(&mut self, lit: Lit, from: u32, to: u32) {
        self.structure.edges.push((lit, from, to));
        self.checker.add_edge(lit, from, to);
        if let Some(order) = &self.order {
            order.borrow_mut().add_edge(lit, from, to);
        }
    }

    /// Not all of these literals can be true.
    pub(crate) fn forbid(&mut self, together: &[Lit]) {
        let clause: Vec<Lit> = together.iter().map(|lit| !*lit).collect();
        self.bits.add_clause(&clause);
    }

    /// Adds literals for the order of writes to the same place; false if they are there already.
    pub(crate) fn order_writes(&mut self, unrolled: &mut Unrolled) -> Result<bool, smt::Why> {
        if std::mem::replace(&mut self.has_write_order, true) {
            return Ok(false);
        }
        let Unrolled { pool, events, .. } = unrolled;
        let mut by_place: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        let mut own_edges = Vec::new();
        for (i, a) in events.writes.iter().enumerate() {
            let same_place = by_place.entry(a.place).or_default();
            for j in same_place.iter() {
                let b = &events.writes[*j];
                let is_ordered = self.closure.is_before(a.node, b.node) || self.closure.is_before(b.node, a.node);
                if a.node == b.node || a.thread == b.thread || is_ordered {
                    continue;
                }
                let same = match (a.addr, b.addr) {
                    (Some(a), Some(b)) => pool.eq(a, b),
                    _ => pool.bool(true),
                };
                let both = pool.and_all(&[a.guard, b.guard, same]);
                if pool.as_const(both) == Some(&Value::Bool(false)) {
                    continue;
                }
                let (first, second) = (self.fresh(), self.fresh());
                let both = self.bits.lit(pool, both)?;
                self.bits.add_clause(&[!both, first, second]);
                self.bits.add_clause(&[!first, both]);
                self.bits.add_clause(&[!second, both]);
                self.n_write_orders += 2;
                own_edges.extend([(first, a.node, b.node), (second, b.node, a.node)]);
            }
            same_place.push(i);
        }
        own_edges.into_iter().for_each(|(lit, from, to)| self.add_edge(lit, from, to));
        Ok(true)
    }
}

/// Whether a formula is one of these facts or a part of one, or all of its parts are.
fn follows(pool: &Pool, facts: &[Option<TermId>], formula: TermId) -> bool {
    let is_given = facts.iter().flatten().any(|fact| has_part(pool, *fact, formula, 3));
    let parts = parts(pool, formula);
    is_given || !parts.is_empty() && parts.iter().all(|part| follows(pool, facts, *part))
}

/// Whether a conjunction contains a formula. Deeper ones are rare, and to miss one does no harm.
fn has_part(pool: &Pool, whole: TermId, formula: TermId, depth: u32) -> bool {
    whole == formula || depth > 0 && parts(pool, whole).iter().any(|part| has_part(pool, *part, formula, depth - 1))
}

fn parts(pool: &Pool, term: TermId) -> &[TermId] {
    match pool.node(term) {
        Node::App { op: Op::And, args } => args,
        _ => &[],
    }
}
