//! How does the unrolled program, judged by a memory model in cat, become one formula?
//!
//! Known as: the SMT encoding of axiomatic models over unrolled programs, as in Dartagnan; seed chapter 4 of \[Bajczi22].
//!
//! Control flow is in the guards of events, values are terms. For every read and every write it may read there is a literal: if it is true both happen, in the
//! same cell, and the values are equal; a read that happens has exactly one. For every two writes that may meet there are two literals for the order in which
//! they take effect. What the model makes of these is `memory::formula`'s business.

use super::bounds::Bounds;
use super::sites::{Location, Site, Sites, What};
use crate::bmc::solving::goals::Goals;
use crate::bmc::unrolled::Unrolled;
use logic::{Pool, TermId, Value};
use memory::cat::{Check, Model, Node};
use memory::formula::{Encoder, Failed, Guards, Sign};
use memory::graph::{Kind, Named};
use rustc_hash::FxHashMap;
use smt::Lit;

/// A choice: two events and the literal that says that they are related.
pub(super) type Choice = (usize, usize, Lit);

/// The formula.
pub(super) struct Formula<'a> {
    pub(super) encoder: Encoder<'a>,
    /// From reads to the writes they may read.
    pub(super) sources: Vec<Choice>,
    /// From writes to those that may take effect later.
    pub(super) orders: Vec<Choice>,
    /// Receives, and whether they receive nothing.
    pub(super) nothing: Vec<(usize, Lit)>,
    /// Reads that find what no write has written whole.
    torn: Vec<Lit>,
    sites: &'a Sites,
}

impl<'a> Formula<'a> {
    /// The formula of an unrolled program, with these checks of its model.
    pub(super) fn new(
        unrolled: &mut Unrolled,
        model: &'a Model,
        (sites, bounds, torn): (&'a Sites, &'a Bounds, &FxHashMap<usize, TermId>),
        (checks, focus): (&[Check], &[&Check]),
        limits: smt::Limits,
    ) -> Result<Formula<'a>, Failed> {
        let n = sites.sites.len();
        let guards = Guards { happens: Vec::new(), implied: sites.implied.clone() };
        let mut encoder = Encoder::new(model, &bounds.values, n, 1 + checks.len(), Some(guards));
        encoder.bits.set_limits(limits);
        let mut happens = Vec::with_capacity(n);
        for site in &sites.sites {
            happens.push(sign(&mut encoder, &unrolled.pool, site.guard)?);
        }
        encoder.set_happens(happens.clone());
        let mut formula =
            Formula { encoder, sources: Vec::new(), orders: Vec::new(), nothing: Vec::new(), torn: Vec::new(), sites };
        for rule in &unrolled.constraints {
            formula.encoder.bits.assert(&unrolled.pool, *rule);
        }
        formula.attempts(unrolled, model, sites)?;
        formula.same_cells(&unrolled.pool, model, bounds)?;
        formula.dependencies(&unrolled.pool, model, sites, bounds)?;
        formula.reads(unrolled, model, (sites, bounds, torn), &happens)?;
        formula.coherence(unrolled, model, sites, bounds, &happens)?;
        formula.last_writes(model, sites, &happens);
        formula.plain_places(&unrolled.pool, model, bounds, &happens)?;
        let orders: FxHashMap<(usize, usize), Lit> = formula.orders.iter().map(|&(a, b, lit)| ((a, b), lit)).collect();
        for counter in &bounds.counters {
            // Writes without an order are on ways that exclude each other.
            let is_before = |a: usize, b: usize| orders.get(&(a, b)).map_or(Sign::No, |lit| Sign::Open(*lit));
            formula.encoder.count(&mut unrolled.pool, counter, &is_before)?;
        }
        for (a, b) in formula.encoder.compared() {
            let differ = match (sites.sites[a].value, sites.sites[b].value) {
                (Some(one), Some(other)) if unrolled.pool.sort(one) == unrolled.pool.sort(other) => {
                    unrolled.pool.ne(one, other)
                }
                _ => return Err(Failed::Inexpressible("it compares the values of accesses of different kinds")),
            };
            let lit = formula.encoder.bits.lit(&unrolled.pool, differ)?;
            formula.encoder.distinguish(a, b, lit);
        }
        formula.encoder.focus(focus);
        formula.encoder.axioms(checks)?;
        Ok(formula)
    }

    /// The tags of an attempt depend on whether it fails.
    fn attempts(&mut self, unrolled: &Unrolled, model: &Model, sites: &Sites) -> Result<(), smt::Why> {
        for (event, site) in sites.sites.iter().enumerate() {
            let (What::Read(_), Some((when, _))) = (site.what, site.how.failure) else { continue };
            let fails = self.encoder.bits.lit(&unrolled.pool, when)?;
            for (id, node) in model.outcome.graph.iter() {
                let Node::Events(name) = node else { continue };
                let [if_succeeds, if_fails] = sites.shape.named_set(name);
                match (if_succeeds.contains(event), if_fails.contains(event)) {
                    (true, false) => self.encoder.define(id, event, u32::MAX as usize, !fails),
                    (false, true) => self.encoder.define(id, event, u32::MAX as usize, fails),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn same_cells(&mut self, pool: &Pool, model: &Model, bounds: &Bounds) -> Result<(), smt::Why> {
        let Some(loc) = named(model, "loc") else { return Ok(()) };
        for &(a, b, same) in &bounds.same {
            let lit = self.encoder.bits.lit(pool, same)?;
            self.encoder.define(loc, a, b, lit);
            self.encoder.define(loc, b, a, lit);
        }
        Ok(())
    }

    /// When a dependency is there that only some ways have.
    fn dependencies(&mut self, pool: &Pool, model: &Model, sites: &Sites, bounds: &Bounds) -> Result<(), smt::Why> {
        for (id, node) in model.outcome.graph.iter() {
            let Node::Pairs(name) = node else { continue };
            let Named::Dependency(kind) = sites.shape.named_relation(name) else { continue };
            for (_, pairs) in bounds.depends.iter().filter(|(other, _)| *other == kind) {
                for &(from, to, when) in pairs.iter().filter(|pair| pool.as_const(pair.2).is_none()) {
                    let lit = self.encoder.bits.lit(pool, when)?;
                    self.encoder.define(id, from, to, lit);
                }
            }
        }
        Ok(())
    }

    fn reads(
        &mut self,
        unrolled: &mut Unrolled,
        model: &Model,
        (sites, bounds, torn): (&Sites, &Bounds, &FxHashMap<usize, TermId>),
        happens: &[Sign],
    ) -> Result<(), Failed> {
        let node = named(model, "rf");
        let [lower, upper] = &bounds.rf;
        let mut candidates: Vec<Vec<usize>> = vec![Vec::new(); sites.sites.len()];
        upper.iter().for_each(|(write, read)| candidates[read].push(write));
        for (read, to) in
            sites.sites.iter().enumerate().filter(|(read, _)| sites.shape.events[*read].kind == Kind::Read)
        {
            if let Some(&write) = candidates[read].iter().find(|&&write| lower.contains(write, read)) {
                // A message that can be no other; that it was sent is known.
                debug_assert!(candidates[read].len() == 1 || matches!(to.what, What::Joins(_)), "{write}");
                continue;
            }
            let mut some = vec![(happens[read], false)];
            let mut own: Vec<Lit> = Vec::new();
            for &write in &candidates[read] {
                let from = &sites.sites[write];
                let lit = self.encoder.bits.fresh_lit();
                let this = Sign::Open(lit);
                if let Some(node) = node {
                    self.encoder.define(node, write, read, lit);
                }
                self.encoder.clause(&[(this, false), (happens[write], true)]);
                self.encoder.clause(&[(this, false), (happens[read], true)]);
                self.reads_from(unrolled, lit, from, to)?;
                own.iter().for_each(|other| self.encoder.clause(&[(this, false), (Sign::Open(*other), false)]));
                own.push(lit);
                some.push((this, true));
                self.sources.push((read, write, lit));
            }
            if let What::Read(number) = to.what {
                // A receive may receive nothing: it then gives what its topic has at first.
                if sites.shape.events[read].message.is_some() {
                    let first = unrolled.initial[number];
                    let rule = to.value.map(|value| unrolled.pool.eq(value, first));
                    let rule = rule.unwrap_or_else(|| unrolled.pool.bool(false));
                    let lit = self.without_source(unrolled, to, rule, &own)?;
                    self.nothing.push((read, lit));
                    some.push((Sign::Open(lit), true));
                }
                if let Some(rule) = torn.get(&number) {
                    let lit = self.without_source(unrolled, to, *rule, &own)?;
                    self.torn.push(lit);
                    some.push((Sign::Open(lit), true));
                }
            }
            self.encoder.clause(&some);
        }
        Ok(())
    }

    /// That a read has none of its sources, for which there is a rule.
    fn without_source(
        &mut self,
        unrolled: &Unrolled,
        to: &Site,
        rule: TermId,
        sources: &[Lit],
    ) -> Result<Lit, smt::Why> {
        let lit = self.encoder.bits.fresh_lit();
        let this = Sign::Open(lit);
        self.imply(&unrolled.pool, lit, rule)?;
        let happens = sign(&mut self.encoder, &unrolled.pool, to.guard)?;
        self.encoder.clause(&[(this, false), (happens, true)]);
        sources.iter().for_each(|other| self.encoder.clause(&[(this, false), (Sign::Open(*other), false)]));
        Ok(lit)
    }

    /// Whether some read finds what no write has written whole.
    fn is_torn(&mut self, unrolled: &mut Unrolled) -> Result<TermId, smt::Why> {
        if self.torn.is_empty() {
            return Ok(unrolled.pool.bool(false));
        }
        let var = unrolled.pool.declare("torn", logic::Sort::Bool);
        let term = unrolled.pool.var(var);
        let own = self.encoder.bits.lit(&unrolled.pool, term)?;
        let mut some = vec![!own];
        for lit in &self.torn {
            some.push(*lit);
            self.encoder.bits.add_clause(&[own, !*lit]);
        }
        self.encoder.bits.add_clause(&some);
        Ok(term)
    }

    /// A goal in executions that are covered whole.
    pub(super) fn whole(&mut self, unrolled: &mut Unrolled, goal: TermId) -> Result<TermId, smt::Why> {
        let torn = self.is_torn(unrolled)?;
        let whole = unrolled.pool.not(torn);
        Ok(unrolled.pool.and(goal, whole))
    }

    /// What is asked, given that executions with such reads are not covered.
    pub(super) fn goals(&mut self, unrolled: &mut Unrolled, goals: &Goals) -> Result<Goals, smt::Why> {
        let torn = self.is_torn(unrolled)?;
        let whole = unrolled.pool.not(torn);
        let pool = &mut unrolled.pool;
        Ok(Goals {
            violation: pool.and(goals.violation, whole),
            deadlock: pool.and(goals.deadlock, whole),
            beyond: pool.or(goals.beyond, torn),
            cut: pool.and(goals.cut, whole),
        })
    }

    /// What reading a write says: the cells are the same, and so are the values.
    fn reads_from(&mut self, unrolled: &mut Unrolled, lit: Lit, from: &Site, to: &Site) -> Result<(), smt::Why> {
        let pool = &mut unrolled.pool;
        if let (What::Ends(thread), What::Joins(number)) = (from.what, to.what) {
            let other = unrolled.threads[thread as usize].handle;
            let same = pool.eq(unrolled.events.meetings[number].handle, other);
            return self.imply(pool, lit, same);
        }
        if let (Some(Location::Memory(_, Some(x))), Some(Location::Memory(_, Some(y)))) = (from.location, to.location) {
            let same = pool.eq(x, y);
            self.imply(pool, lit, same)?;
        }
        if let What::Use(_) = to.what {
            return Ok(());
        }
        let written = match (from.what, to.what) {
            (What::Initial, What::Read(read)) => Some(unrolled.initial[read]),
            _ => from.value,
        };
        match (written, to.value) {
            (Some(one), Some(other)) if pool.sort(one) == pool.sort(other) && pool.sort(one).scalar().is_some() => {
                self.encoder.bits.equal_if(pool, lit, one, other)
            }
            (Some(one), Some(other)) if pool.sort(one) == pool.sort(other) => {
                let same = pool.eq(one, other);
                self.imply(pool, lit, same)
            }
            _ => {
                self.encoder.clause(&[(Sign::Open(lit), false)]);
                Ok(())
            }
        }
    }

    fn imply(&mut self, pool: &Pool, lit: Lit, formula: TermId) -> Result<(), smt::Why> {
        let sign = sign(&mut self.encoder, pool, formula)?;
        self.encoder.clause(&[(Sign::Open(lit), false), (sign, true)]);
        Ok(())
    }

    fn coherence(
        &mut self,
        unrolled: &mut Unrolled,
        model: &Model,
        sites: &Sites,
        bounds: &Bounds,
        happens: &[Sign],
    ) -> Result<(), Failed> {
        let node = named(model, "co");
        let [lower, upper] = &bounds.co;
        let mut edges: Vec<(usize, usize, Sign)> = Vec::new();
        for (a, b) in upper.iter() {
            let is_initial = sites.sites[a].what == What::Initial;
            let met = match bounds.when_same(a, b) {
                Some(term) => sign(&mut self.encoder, &unrolled.pool, term)?,
                None => Sign::Yes,
            };
            if is_initial {
                if let (false, Sign::Open(lit), Some(node)) = (lower.contains(a, b), met, node) {
                    self.encoder.define(node, a, b, lit);
                }
                continue;
            }
            if a > b {
                continue;
            }
            let (forth, back) = (self.encoder.bits.fresh_lit(), self.encoder.bits.fresh_lit());
            self.encoder.clause(&[
                (happens[a], false),
                (happens[b], false),
                (met, false),
                (Sign::Open(forth), true),
                (Sign::Open(back), true),
            ]);
            self.encoder.clause(&[(Sign::Open(forth), false), (Sign::Open(back), false)]);
            for (from, to, lit) in [(a, b, forth), (b, a, back)] {
                self.encoder.clause(&[(Sign::Open(lit), false), (met, true)]);
                if let Some(node) = node {
                    self.encoder.define(node, from, to, lit);
                }
                edges.push((from, to, Sign::Open(lit)));
                self.orders.push((from, to, lit));
            }
        }
        self.encoder.acyclic(&edges);
        Ok(())
    }

    /// Which writes are the last of their cells, if the model asks.
    fn last_writes(&mut self, model: &Model, sites: &Sites, happens: &[Sign]) {
        let finals = model.outcome.graph.iter().find(|(_, node)| matches!(node, Node::Events(name) if &**name == "FW"));
        let Some((finals, _)) = finals else { return };
        for write in (0..sites.sites.len()).filter(|&event| sites.shape.events[event].kind == Kind::Write) {
            let last = self.encoder.bits.fresh_lit();
            self.encoder.define(finals, write, u32::MAX as usize, last);
            let mut clause = vec![(Sign::Open(last), true)];
            for &(_, later, lit) in self.orders.iter().filter(|order| order.0 == write).collect::<Vec<_>>() {
                let is_later = self.encoder.both(Sign::Open(lit), happens[later]);
                self.encoder.clause(&[(Sign::Open(last), false), (Sign::Open(lit), false), (happens[later], false)]);
                clause.push((is_later, true));
            }
            self.encoder.clause(&clause);
        }
    }

    /// When the places are plain of which that depends on the execution.
    fn plain_places(&mut self, pool: &Pool, model: &Model, bounds: &Bounds, happens: &[Sign]) -> Result<(), smt::Why> {
        let is_it = |node: &Node| matches!(node, Node::Events(name) if &**name == "NAL");
        let Some((node, _)) = model.outcome.graph.iter().find(|(_, node)| is_it(node)) else { return Ok(()) };
        let same: FxHashMap<(usize, usize), TermId> = bounds.same.iter().map(|&(a, b, same)| ((a, b), same)).collect();
        for (event, atomic) in &self.sites.perhaps_plain {
            let plain = self.encoder.bits.fresh_lit();
            self.encoder.define(node, *event, u32::MAX as usize, plain);
            let mut clause = vec![(Sign::Open(plain), true)];
            for &other in atomic {
                let is_same = match same.get(&(*event.min(&other), *event.max(&other))) {
                    Some(&same) => sign(&mut self.encoder, pool, same)?,
                    None if bounds.loc[0].contains(*event, other) => Sign::Yes,
                    None => Sign::No,
                };
                let is_here = self.encoder.both(is_same, happens[other]);
                self.encoder.clause(&[(Sign::Open(plain), false), (is_here, false)]);
                clause.push((is_here, true));
            }
            self.encoder.clause(&clause);
        }
        Ok(())
    }

    /// Whether a thread is where it says: for tests of what was found.
    pub(super) fn n_events(&self) -> usize {
        self.sites.sites.len()
    }
}

fn named(model: &Model, name: &str) -> Option<memory::cat::NodeId> {
    let is_it = |node: &Node| matches!(node, Node::Pairs(other) if &**other == name);
    model.outcome.graph.iter().find(|(_, node)| is_it(node)).map(|(id, _)| id)
}

/// A formula as a sign.
pub(super) fn sign(encoder: &mut Encoder<'_>, pool: &Pool, formula: TermId) -> Result<Sign, smt::Why> {
    Ok(match pool.as_const(formula) {
        Some(Value::Bool(true)) => Sign::Yes,
        Some(_) => Sign::No,
        None => Sign::Open(encoder.bits.lit(pool, formula)?),
    })
}
