//! How does the unrolled program, judged by a memory model in cat, become one formula?
//!
//! Known as: the SMT encoding of axiomatic models over unrolled programs, as in Dartagnan; seed chapter 4 of [Bajczi22].
//!
//! Control flow is in the guards of events, values are terms. For every read and every write it may read there is a literal: if it is true both happen, in the
//! same cell, and the values are equal; a read that happens has exactly one. For every two writes that may meet there are two literals for the order in which
//! they take effect. What the model makes of these is `memory::formula`'s business.
//!
//! Whether an object is live is no event: a use that starts and joins order before the end of its object is fine, one that they order after it is invalid, and
//! where they order nothing the answer is unknown.

use super::sites::{Location, Site, Sites, What};
use crate::bmc::unrolled::{Bad, BadKind, Unrolled};
use ir::Why;
use logic::{Pool, Sort, TermId, Value};
use memory::cat::{Bound, Check, Graph, Model, Node, Plan, Values};
use memory::formula::{Encoder, Guards, Sign};
use memory::graph::{Dependency, Kind, Named};
use memory::order::Closure;
use memory::relation::{EventSet, Relation};
use smt::Lit;

/// The relations that choices and places decide, as far as they are known.
pub(super) struct Bounds {
    pub(super) values: Values,
    /// When two events are in the same cell, where that is not known; by number, the smaller first.
    same: Vec<(usize, usize, TermId)>,
    rf: [Relation; 2],
    co: [Relation; 2],
    loc: [Relation; 2],
    /// Dependencies of each kind, and when they are there.
    depends: Vec<(Dependency, Vec<(usize, usize, TermId)>)>,
}

/// A choice: two events and the literal that says that they are related.
pub(super) type Choice = (usize, usize, Lit);

/// The formula.
pub(super) struct Formula<'a> {
    pub(super) encoder: Encoder<'a>,
    /// From reads to the writes they may read.
    pub(super) sources: Vec<Choice>,
    /// From writes to those that may take effect later.
    pub(super) orders: Vec<Choice>,
    sites: &'a Sites,
}

/// Why there is no formula.
pub(super) enum Failed {
    Solver(smt::Why),
    Model(&'static str),
}

impl From<smt::Why> for Failed {
    fn from(why: smt::Why) -> Failed {
        Failed::Solver(why)
    }
}

/// The bounds of everything that these checks of a model need.
pub(super) fn bounds(unrolled: &mut Unrolled, model: &Model, sites: &Sites, checks: &[&Check]) -> Bounds {
    let n = sites.sites.len();
    let kinds = [Dependency::Address, Dependency::Data, Dependency::Control, Dependency::Compare];
    let depends = kinds.map(|kind| (kind, sites.dependencies(unrolled, kind))).to_vec();
    let pool = &mut unrolled.pool;
    let (loc, same) = meetings(pool, sites);
    let (rf, co) = (reads_from(pool, sites, &loc), coherence(pool, sites, &loc));
    let graph = &model.outcome.graph;
    let mut values = Values::new(graph, n);
    let mut bounds = Bounds { values: Values::new(graph, 0), same, rf, co, loc, depends };
    for (id, node) in graph.iter() {
        match node {
            Node::Events(name) => {
                let [lower, upper] = set_bounds(sites, name);
                values.put_set(id, Bound::Lower, &lower);
                values.put_set(id, Bound::Upper, &upper);
            }
            Node::Pairs(name) => {
                let [lower, upper] = bounds.relation(pool, sites, name);
                values.put_relation(id, Bound::Lower, &lower);
                values.put_relation(id, Bound::Upper, &upper);
            }
            _ => {}
        }
    }
    values.set_guarded(sites.implied.clone());
    let roots: Vec<_> =
        checks.iter().flat_map(|check| [(check.node, Bound::Lower), (check.node, Bound::Upper)]).collect();
    values.compute(graph, &Plan::of(graph, &roots, |_| true), &|_, _| false);
    // Literals may be asked for in a direction that no check needs at the root; both bounds of all that is below are there.
    let all: Vec<_> = below(graph, checks).flat_map(|id| [(id, Bound::Lower), (id, Bound::Upper)]).collect();
    values.compute(graph, &Plan::of(graph, &all, |_| true), &|_, _| false);
    bounds.values = values;
    bounds
}

fn below<'a>(graph: &'a Graph, checks: &[&Check]) -> impl Iterator<Item = memory::cat::NodeId> + 'a {
    let mut open: Vec<_> = checks.iter().map(|check| check.node).collect();
    let mut seen: Vec<bool> = vec![false; graph.len()];
    std::iter::from_fn(move || {
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id.0 as usize], true) {
                continue;
            }
            open.extend(graph.operands(id).into_iter().map(|(operand, _)| operand));
            if let Some(group) = graph.group_of(id) {
                open.extend(graph.group(group).variables.iter().flat_map(|&(variable, body)| [variable, body]));
            }
            return Some(id);
        }
        None
    })
}

impl Bounds {
    fn relation(&self, pool: &Pool, sites: &Sites, name: &str) -> [Relation; 2] {
        match sites.shape.named_relation(name) {
            Named::Fixed(relation) => [relation.clone(), relation],
            Named::Dependency(kind) => {
                let n = sites.sites.len();
                let all = || self.depends.iter().filter(|(other, _)| *other == kind).flat_map(|(_, pairs)| pairs);
                let is_sure = |pair: &&(usize, usize, TermId)| pool.as_const(pair.2) == Some(&Value::Bool(true));
                let pair = |&(from, to, _): &(usize, usize, TermId)| (from, to);
                [Relation::of(n, all().filter(is_sure).map(pair)), Relation::of(n, all().map(pair))]
            }
            Named::Chosen => match name {
                "rf" => self.rf.clone(),
                "co" => self.co.clone(),
                _ => self.loc.clone(),
            },
        }
    }
}

/// What a named set certainly has, and what it may have.
fn set_bounds(sites: &Sites, name: &str) -> [EventSet; 2] {
    let n = sites.sites.len();
    if name == "FW" {
        return [EventSet::empty(n), sites.shape.named_set("W")[0].clone()];
    }
    let [succeeds, fails] = sites.shape.named_set(name);
    let (mut lower, mut upper) = (succeeds.clone(), succeeds);
    lower.intersect(&fails);
    upper.union(&fails);
    [lower, upper]
}

/// Which events are in the same cell, and when those are that may be.
fn meetings(pool: &mut Pool, sites: &Sites) -> ([Relation; 2], Vec<(usize, usize, TermId)>) {
    let n = sites.sites.len();
    let (mut lower, mut upper, mut same) = (Relation::empty(n), Relation::empty(n), Vec::new());
    for a in 0..n {
        let Some(location) = sites.sites[a].location else { continue };
        lower.insert(a, a);
        upper.insert(a, a);
        for b in a + 1..n {
            let Some(other) = sites.sites[b].location else { continue };
            let equal = match (location, other) {
                (Location::Memory(one, x), Location::Memory(two, y)) if one == two => match (x, y) {
                    (Some(x), Some(y)) => pool.eq(x, y),
                    _ => pool.bool(true),
                },
                (Location::End(None), Location::End(_)) | (Location::End(_), Location::End(None)) => pool.bool(true),
                _ => pool.bool(location == other),
            };
            let is_certain = pool.as_const(equal).cloned();
            if is_certain == Some(Value::Bool(false)) {
                continue;
            }
            for (from, to) in [(a, b), (b, a)] {
                upper.insert(from, to);
                if is_certain.is_some() {
                    lower.insert(from, to);
                }
            }
            if is_certain.is_none() {
                same.push((a, b, equal));
            }
        }
    }
    ([lower, upper], same)
}

/// Whether two events of one thread are on ways that exclude each other, or their guards do.
fn exclude_each_other(pool: &mut Pool, sites: &Sites, a: usize, b: usize) -> bool {
    let thread = |event: usize| sites.shape.events[event].thread;
    let po = &sites.shape.po;
    let is_apart = thread(a).is_some() && thread(a) == thread(b) && !po.contains(a, b) && !po.contains(b, a);
    let both = pool.and(sites.sites[a].guard, sites.sites[b].guard);
    is_apart || pool.as_const(both) == Some(&Value::Bool(false))
}

/// Which writes reads certainly read, if both happen, and which they may read.
fn reads_from(pool: &mut Pool, sites: &Sites, loc: &[Relation; 2]) -> [Relation; 2] {
    let n = sites.sites.len();
    let (mut lower, mut upper) = (Relation::empty(n), Relation::empty(n));
    for (read, to) in sites.sites.iter().enumerate() {
        if sites.shape.events[read].kind != Kind::Read {
            continue;
        }
        for (write, from) in sites.sites.iter().enumerate() {
            if sites.shape.events[write].kind != Kind::Write || !loc[1].contains(write, read) {
                continue;
            }
            let may = match (from.what, to.what) {
                (What::Initial, _) => to.location.and_then(|own| sites.initial_of.get(&own)) == Some(&write),
                (What::Starts(_), What::Started(_)) => {
                    lower.insert(write, read);
                    true
                }
                (What::Ends(_), What::Joins(_)) => {
                    if to.location == from.location {
                        lower.insert(write, read);
                    }
                    true
                }
                _ => !sites.shape.rmw.contains(read, write) && !exclude_each_other(pool, sites, read, write),
            };
            if may {
                upper.insert(write, read);
            }
        }
    }
    [lower, upper]
}

/// Which writes certainly take effect after which, and which may.
fn coherence(pool: &mut Pool, sites: &Sites, loc: &[Relation; 2]) -> [Relation; 2] {
    let n = sites.sites.len();
    let (mut lower, mut upper) = (Relation::empty(n), Relation::empty(n));
    let is_write = |event: usize| sites.shape.events[event].kind == Kind::Write;
    for (a, b) in loc[1].iter() {
        if a == b || !is_write(a) || !is_write(b) || sites.sites[b].what == What::Initial {
            continue;
        }
        if sites.sites[a].what == What::Initial {
            upper.insert(a, b);
            if loc[0].contains(a, b) {
                lower.insert(a, b);
            }
        } else if !exclude_each_other(pool, sites, a, b) {
            upper.insert(a, b);
        }
    }
    [lower, upper]
}

impl<'a> Formula<'a> {
    /// The formula of an unrolled program, with these checks of its model.
    pub(super) fn new(
        unrolled: &mut Unrolled,
        model: &'a Model,
        sites: &'a Sites,
        bounds: &'a Bounds,
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
        let mut formula = Formula { encoder, sources: Vec::new(), orders: Vec::new(), sites };
        for rule in &unrolled.constraints {
            formula.encoder.bits.assert(&unrolled.pool, *rule);
        }
        formula.attempts(unrolled, model, sites)?;
        formula.same_cells(&unrolled.pool, model, bounds)?;
        formula.dependencies(&unrolled.pool, model, sites, bounds)?;
        formula.reads(unrolled, model, sites, bounds, &happens)?;
        formula.coherence(unrolled, model, sites, bounds, &happens)?;
        formula.last_writes(model, sites, &happens);
        for (a, b) in formula.encoder.compared() {
            let differ = match (sites.sites[a].value, sites.sites[b].value) {
                (Some(one), Some(other)) if unrolled.pool.sort(one) == unrolled.pool.sort(other) => {
                    unrolled.pool.ne(one, other)
                }
                _ => return Err(Failed::Model("it compares the values of accesses of different kinds")),
            };
            let lit = formula.encoder.bits.lit(&unrolled.pool, differ)?;
            formula.encoder.distinguish(a, b, lit);
        }
        formula.encoder.focus(focus);
        formula.encoder.axioms(checks).map_err(Failed::Model)?;
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
        sites: &Sites,
        bounds: &Bounds,
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
                let rule = self.rule(unrolled, from, to);
                self.imply(&unrolled.pool, lit, rule)?;
                own.iter().for_each(|other| self.encoder.clause(&[(this, false), (Sign::Open(*other), false)]));
                own.push(lit);
                some.push((this, true));
                self.sources.push((read, write, lit));
            }
            self.encoder.clause(&some);
        }
        Ok(())
    }

    /// What reading a write says: the cells are the same, and so are the values.
    fn rule(&self, unrolled: &mut Unrolled, from: &Site, to: &Site) -> TermId {
        let pool = &mut unrolled.pool;
        if let (What::Ends(thread), What::Joins(number)) = (from.what, to.what) {
            let other = unrolled.threads[thread as usize].handle;
            return pool.eq(unrolled.events.meetings[number].handle, other);
        }
        let same = match (from.location, to.location) {
            (Some(Location::Memory(_, Some(x))), Some(Location::Memory(_, Some(y)))) => pool.eq(x, y),
            _ => pool.bool(true),
        };
        let written = match (from.what, to.what) {
            (What::Initial, What::Read(read)) => Some(unrolled.initial[read]),
            _ => from.value,
        };
        let equal = match (written, to.value) {
            (Some(one), Some(other)) if pool.sort(one) == pool.sort(other) => pool.eq(one, other),
            _ => pool.bool(false),
        };
        pool.and(same, equal)
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
        let same = |a: usize, b: usize| {
            let (a, b) = (a.min(b), a.max(b));
            bounds.same.binary_search_by_key(&(a, b), |&(x, y, _)| (x, y)).ok().map(|at| bounds.same[at].2)
        };
        let mut edges: Vec<(usize, usize, Sign)> = Vec::new();
        for (a, b) in upper.iter() {
            let is_initial = sites.sites[a].what == What::Initial;
            let met = match same(a, b) {
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
fn sign(encoder: &mut Encoder<'_>, pool: &Pool, formula: TermId) -> Result<Sign, smt::Why> {
    Ok(match pool.as_const(formula) {
        Some(Value::Bool(true)) => Sign::Yes,
        Some(_) => Sign::No,
        None => Sign::Open(encoder.bits.lit(pool, formula)?),
    })
}

/// Accesses that overlap in part are not covered: where two may, the answer is unknown.
pub(super) fn overlaps(unrolled: &mut Unrolled, is_live: &dyn Fn(u32) -> bool) {
    let events = &unrolled.events;
    let reads = events.reads.iter().map(|read| (read.place, read.addr, read.value, read.guard, read.thread, read.how));
    let writes = events.writes.iter().map(|w| (w.place, w.addr, w.value, w.guard, w.thread, w.how));
    let n_reads = events.reads.len();
    let all: Vec<_> = reads.chain(writes).collect();
    let Unrolled { pool, bads, .. } = unrolled;
    let size = |pool: &Pool, value: TermId| match pool.sort(value) {
        Sort::Bv(bits) => u64::from(bits / 8),
        _ => 1,
    };
    for (second, &(place, addr, value, guard, thread, how)) in all.iter().enumerate().skip(n_reads) {
        let (Some(to), false) = (addr, is_live(place)) else { continue };
        for &(other, from, its_value, its_guard, ..) in &all[..second] {
            let (Some(from), true) = (from, other == place) else { continue };
            let (own, its) = (size(pool, value), size(pool, its_value));
            if own == 1 && its == 1 {
                continue;
            }
            let Sort::Bv(width) = pool.sort(to) else { continue };
            let (distance, back) = (pool.sub(to, from), pool.sub(from, to));
            let (its_size, own_size) = (pool.bv(width, its), pool.bv(width, own));
            let (after, before) = (pool.ult(distance, its_size), pool.ult(back, own_size));
            let touches = pool.or(after, before);
            let same = pool.eq(from, to);
            let differs = if own == its { pool.not(same) } else { pool.bool(true) };
            let meets = pool.and_all(&[touches, differs, guard, its_guard]);
            if pool.as_const(meets) != Some(&Value::Bool(false)) {
                let what = "memory that is accessed in several sizes, under axioms".to_string();
                let why = Why::Unsupported { span: how.span, what };
                bads.push(Bad { guard: meets, what: BadKind::Beyond(why), thread, record: how.record, stop: None });
            }
        }
    }
}

/// What is known of the lives of objects: reads of whether an object is live get their values here, by what starts and joins order.
pub(super) fn lives(unrolled: &mut Unrolled, closure: &Closure, is_live: &dyn Fn(u32) -> bool) {
    let reads: Vec<_> = unrolled.events.reads.iter().filter(|read| is_live(read.place)).copied().collect();
    let writes: Vec<_> = unrolled.events.writes.iter().filter(|write| is_live(write.place)).copied().collect();
    for read in reads {
        let pool = &mut unrolled.pool;
        let mut ended = Vec::new();
        for write in &writes {
            let same = match (read.addr, write.addr) {
                (Some(x), Some(y)) => pool.eq(x, y),
                _ => pool.bool(true),
            };
            let meets = pool.and_all(&[same, read.guard, write.guard]);
            if pool.as_const(meets) == Some(&Value::Bool(false)) || closure.is_before(read.node, write.node) {
                continue;
            }
            if write.node == read.node {
                continue;
            }
            if closure.is_before(write.node, read.node) {
                ended.push(pool.and(same, write.guard));
                continue;
            }
            let what = "the end of an object that another thread may be using, under axioms".to_string();
            let why = Why::Unsupported { span: write.how.span, what };
            let (thread, record) = (read.thread, read.how.record);
            unrolled.bads.push(Bad { guard: meets, what: BadKind::Beyond(why), thread, record, stop: None });
        }
        let is_over = pool.or_all(&ended);
        let is_live = pool.not(is_over);
        unrolled.constraints.push(pool.eq(read.value, is_live));
    }
}
