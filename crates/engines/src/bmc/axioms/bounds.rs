//! What is known of the relations of a model before anything is chosen? What each certainly has, and what it may have, if both events happen.
//!
//! Known as: may and must sets. Base relations come from the events: who meets whom by the terms of addresses, who may read whom, which writes may follow each other, dependencies;
//! what the model derives from them is computed by `memory::cat`.

use super::matching::put_exact;
use super::sites::{Location, Sites, What};
use crate::bmc::unrolled::Unrolled;
use logic::{Pool, TermId, Value};
use memory::cat::{Bound, Check, Graph, Model, Node, NodeId, Plan, Values};
use memory::formula::counters::Counter;
use memory::graph::{Dependency, Kind, Named};
use memory::relation::{EventSet, Relation};

/// A pair of events that is there if a formula holds.
pub(super) type Conditional = (usize, usize, TermId);

/// The relations that choices and places decide, as far as they are known.
pub(super) struct Bounds {
    pub(super) values: Values,
    /// When two events are in the same cell, where that is not known; by number, the smaller first.
    pub(super) same: Vec<Conditional>,
    pub(super) rf: [Relation; 2],
    pub(super) co: [Relation; 2],
    pub(super) loc: [Relation; 2],
    /// Cells that are only added to, if the model makes updates a chain.
    pub(super) counters: Vec<Counter>,
    /// Dependencies of each kind, and when they are there.
    pub(super) depends: Vec<(Dependency, Vec<Conditional>)>,
}

/// The bounds of everything that these checks of a model need.
pub(super) fn bounds(unrolled: &mut Unrolled, model: &Model, sites: &Sites, checks: &[&Check]) -> Bounds {
    let n = sites.sites.len();
    let kinds = [Dependency::Address, Dependency::Data, Dependency::Control, Dependency::Compare, Dependency::Pick];
    let depends = kinds.map(|kind| (kind, sites.dependencies(unrolled, kind))).to_vec();
    let pool = &mut unrolled.pool;
    let (loc, same) = meetings(pool, sites);
    let (rf, co) = (reads_from(pool, sites, &loc), coherence(pool, sites, &loc));
    let graph = &model.outcome.graph;
    let mut values = Values::new(graph, n);
    let mut bounds = Bounds { values: Values::new(graph, 0), same, rf, co, loc, counters: Vec::new(), depends };
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
    let exact = put_exact(graph, sites, &mut values);
    let is_open = |id: NodeId| !graph.group_of(id).is_some_and(|group| exact.contains(&group));
    values.set_guarded(sites.implied.clone());
    let roots: Vec<_> =
        checks.iter().flat_map(|check| [(check.node, Bound::Lower), (check.node, Bound::Upper)]).collect();
    values.compute(graph, &Plan::of(graph, &roots, is_open), &|_, _| false);
    // Literals may be asked for in a direction that no check needs at the root; both bounds of all that is below are there.
    let all: Vec<_> = below(graph, checks).flat_map(|id| [(id, Bound::Lower), (id, Bound::Upper)]).collect();
    values.compute(graph, &Plan::of(graph, &all, is_open), &|_, _| false);
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
    /// When two events are in the same cell, if that is not known.
    pub(super) fn when_same(&self, a: usize, b: usize) -> Option<TermId> {
        let (a, b) = (a.min(b), a.max(b));
        self.same.binary_search_by_key(&(a, b), |&(x, y, _)| (x, y)).ok().map(|at| self.same[at].2)
    }

    fn relation(&self, pool: &Pool, sites: &Sites, name: &str) -> [Relation; 2] {
        match sites.shape.named_relation(name) {
            Named::Fixed(relation) => [relation.clone(), relation],
            Named::Dependency(kind) => {
                let n = sites.sites.len();
                let all = || self.depends.iter().filter(|(other, _)| *other == kind).flat_map(|(_, pairs)| pairs);
                let is_sure = |pair: &&Conditional| pool.as_const(pair.2) == Some(&Value::Bool(true));
                let pair = |&(from, to, _): &Conditional| (from, to);
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
    if name == "NAL" {
        sites.perhaps_plain.iter().for_each(|(event, _)| upper.insert(*event));
    }
    [lower, upper]
}

/// Which events are in the same cell, and when those are that may be.
fn meetings(pool: &mut Pool, sites: &Sites) -> ([Relation; 2], Vec<Conditional>) {
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
