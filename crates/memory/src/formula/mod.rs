//! How does the question whether a model allows an execution become clauses?
//!
//! Known as: symbolic encoding of axiomatic memory models with may and must sets, as in Dartagnan \[Bajczi22].
//!
//! A pair that a relation certainly has, or certainly lacks, needs no literal (`cat::meaning::evaluate` computes both bounds before anything is
//! chosen). One that comes down to a pair of an operand (`a | b` where `b` certainly lacks it) has the literal of that pair. Every other pair gets one when it is first needed, with clauses in the directions in which it counts: where an axiom
//! forbids the pair, what makes it so must imply the literal (`Lower`); where its absence helps, the literal must have a reason
//! (`Upper`). For the first direction a least solution needs no more than its rules, because a solution of the
//! clauses with too many pairs is only forbidden more easily; a closure in the second direction is one step and a shorter way if the steps make no cycle, and otherwise is built from steps of doubling length.
//! Cycles are the theory's business.
//!
//! **Events that may not happen** (`guarded`): what is said of a pair is said of executions in which both its events happen; in all others its literal means
//! nothing. So operators that look at single pairs need to know nothing of guards, those that pass a third event (composition, closures, domains) ask
//! whether it happens unless one of the ends implies it, and axioms ask about both ends.
//!
//! Who reads from whom, and in which order writes take effect, is chosen by whoever asks; what operators mean is in [`relate`].

mod active;
pub mod counters;
mod relate;

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Acyclic, Bits, Lit};

use crate::cat::syntax::ast::{Severity, Shape};
use crate::cat::{Bound, Check, Graph, Model, Node, NodeId, Values};
use crate::relation::Relation;

/// Whether a pair is related: certainly, certainly not, or as a literal says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// If this holds.
    Open(Lit),
}

/// Why there are no clauses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failed {
    /// The model cannot be asked like that.
    Inexpressible(&'static str),
    /// There are so many that the time was over, or nobody wants them any more.
    Stopped(smt::Why),
}

impl From<&'static str> for Failed {
    fn from(what: &'static str) -> Failed {
        Failed::Inexpressible(what)
    }
}

impl From<smt::Why> for Failed {
    fn from(why: smt::Why) -> Failed {
        Failed::Stopped(why)
    }
}

/// How many steps there are between two looks at the limits.
const LOOK_EVERY: u32 = 1 << 10;

/// Which events happen, where some may not.
#[derive(Clone, Debug)]
pub struct Guards {
    /// Whether each event happens.
    pub happens: Vec<Sign>,
    /// A pair says that the second event happens if the first does.
    pub implied: Relation,
}

/// Turns relations into clauses.
pub struct Encoder<'a> {
    /// The solver.
    pub bits: Bits,
    graph: &'a Graph,
    /// Bounds of all nodes before anything is chosen.
    bounds: &'a Values,
    n: usize,
    guards: Option<Guards>,
    theory: Rc<RefCell<Acyclic>>,
    /// Nodes of the theory's graph that are in use.
    next_node: usize,
    lits: FxHashMap<(NodeId, u32, u32), Lit>,
    /// Pairs whose literal is that of another pair.
    same: FxHashSet<(NodeId, u32, u32)>,
    /// Whether two accesses have different values, for the pairs that a model asks about.
    differ: FxHashMap<(usize, usize), Lit>,
    done: FxHashSet<(NodeId, bool)>,
    /// The pairs that somebody looks at; all of them if nobody has said.
    active: Option<active::Active>,
    /// Relations that have no pair of an event with itself, since an axiom says so.
    irreflexive: FxHashSet<NodeId>,
    /// Steps since the limits were looked at.
    since_look: u32,
}

impl<'a> Encoder<'a> {
    /// An encoder with room for so many graphs without cycles. With guards, events may not happen, and so were the bounds computed.
    pub fn new(model: &'a Model, bounds: &'a Values, n: usize, n_graphs: usize, guards: Option<Guards>) -> Encoder<'a> {
        let theory = Rc::new(RefCell::new(Acyclic::new(n * n_graphs)));
        let mut bits = Bits::new();
        bits.attach(Box::new(theory.clone()));
        Encoder {
            bits,
            graph: &model.outcome.graph,
            bounds,
            n,
            guards,
            theory,
            next_node: 0,
            lits: FxHashMap::default(),
            same: FxHashSet::default(),
            differ: FxHashMap::default(),
            done: FxHashSet::default(),
            active: None,
            irreflexive: FxHashSet::default(),
            since_look: 0,
        }
    }

    /// One step of many: ends them when the limits say so.
    fn step(&mut self) -> Result<(), Failed> {
        self.since_look += 1;
        if self.since_look < LOOK_EVERY {
            return Ok(());
        }
        self.since_look = 0;
        self.bits.limits().is_over().map_or(Ok(()), |why| Err(why.into()))
    }

    /// Says whether each event happens, where some may not.
    pub fn set_happens(&mut self, happens: Vec<Sign>) {
        self.guards.as_mut().expect("it was made with guards").happens = happens;
    }

    /// Says which literal a pair of a chosen relation has; of a set, with `u32::MAX` for the second event.
    pub fn define(&mut self, node: NodeId, from: usize, to: usize, lit: Lit) {
        self.lits.insert((node, from as u32, to as u32), lit);
    }

    /// The pairs of accesses whose values a model compares.
    pub fn compared(&self) -> Vec<(usize, usize)> {
        let compares = |node: &Node| matches!(node, Node::DifferentValues(_));
        let nodes = self.graph.iter().filter(|(_, node)| compares(node)).map(|(id, _)| id);
        let mut pairs: Vec<_> = nodes.flat_map(|id| self.may(id).iter().collect::<Vec<_>>()).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Says when two accesses have different values.
    pub fn distinguish(&mut self, from: usize, to: usize, lit: Lit) {
        self.differ.insert((from, to), lit);
    }

    fn may(&self, node: NodeId) -> &'a Relation {
        let bound = if self.is_fixed(node) { Bound::Lower } else { Bound::Upper };
        self.bounds.relation(node, bound)
    }

    fn must(&self, node: NodeId) -> &'a Relation {
        self.bounds.relation(node, Bound::Lower)
    }

    /// Whether a node is the same in all executions, so that it has one bound only.
    fn is_fixed(&self, node: NodeId) -> bool {
        self.guards.is_none() && self.graph.depends(node).is_fixed()
    }

    /// Whether an event happens.
    fn happens(&self, event: usize) -> Sign {
        self.guards.as_ref().map_or(Sign::Yes, |guards| guards.happens[event])
    }

    /// Whether an event happens, if another does.
    fn happens_with(&self, event: usize, other: usize) -> Sign {
        match &self.guards {
            Some(guards) if !guards.implied.contains(other, event) => guards.happens[event],
            _ => Sign::Yes,
        }
    }

    /// Whether an event happens, if two others do.
    fn happens_between(&self, from: usize, event: usize, to: usize) -> Sign {
        match self.happens_with(event, from) {
            Sign::Yes => Sign::Yes,
            _ => self.happens_with(event, to),
        }
    }

    /// The pairs that are certain and do not follow from others that are certain and whose middle happens if an end does.
    fn immediate(&self, certain: &Relation) -> Relation {
        let mut kept = certain.clone();
        if certain.has_cycle() {
            return kept;
        }
        let follows = |from: usize, to: usize| {
            certain
                .successors(from)
                .any(|middle| certain.contains(middle, to) && self.happens_between(from, middle, to) == Sign::Yes)
        };
        for (from, to) in certain.iter() {
            if follows(from, to) {
                kept.remove(from, to);
            }
        }
        kept
    }

    /// Whether a pair is related.
    fn pair(&mut self, node: NodeId, from: usize, to: usize) -> Sign {
        if self.must(node).contains(from, to) {
            return Sign::Yes;
        }
        if self.is_fixed(node) || !self.may(node).contains(from, to) {
            return Sign::No;
        }
        let key = (node, from as u32, to as u32);
        if let Some(lit) = self.lits.get(&key) {
            return Sign::Open(*lit);
        }
        let (lit, is_own) = match self.stands_for(node, from, to).map(|(node, from, to)| self.pair(node, from, to)) {
            Some(Sign::Open(lit)) => (lit, false),
            Some(sign) => return sign,
            None => (self.bits.fresh_lit(), true),
        };
        self.lits.insert(key, lit);
        if !is_own {
            self.same.insert(key);
        }
        Sign::Open(lit)
    }

    /// Whether a pair has the literal of another pair, so that nothing is to be said of it.
    fn is_same(&self, node: NodeId, from: usize, to: usize) -> bool {
        self.same.contains(&(node, from as u32, to as u32))
    }

    /// Whether an event is a member.
    fn member(&mut self, node: NodeId, event: usize) -> Sign {
        if self.bounds.set(node, Bound::Lower).contains(event) {
            return Sign::Yes;
        }
        if self.is_fixed(node) || !self.bounds.set(node, Bound::Upper).contains(event) {
            return Sign::No;
        }
        let bits = &mut self.bits;
        Sign::Open(*self.lits.entry((node, event as u32, u32::MAX)).or_insert_with(|| bits.fresh_lit()))
    }

    /// A clause; signs with `false` count negated.
    pub fn clause(&mut self, parts: &[(Sign, bool)]) {
        let mut lits = Vec::with_capacity(parts.len());
        for &(sign, is_plain) in parts {
            match (sign, is_plain) {
                (Sign::Yes, true) | (Sign::No, false) => return,
                (Sign::Yes, false) | (Sign::No, true) => {}
                (Sign::Open(lit), true) => lits.push(lit),
                (Sign::Open(lit), false) => lits.push(!lit),
            }
        }
        self.bits.add_clause(&lits);
    }

    /// Adds the axioms of a model.
    pub fn axioms(&mut self, checks: &[Check]) -> Result<(), Failed> {
        checks.iter().for_each(|check| self.asserts(check));
        for check in checks.iter().filter(|check| check.severity == Severity::Forbids) {
            if check.is_negated {
                let signs = self.inhabited(check, &|_, _| true)?;
                self.clause(&signs);
                continue;
            }
            self.node(check.node, Bound::Lower)?;
            match check.shape {
                Shape::Empty if self.graph.is_set(check.node) => {
                    for event in 0..self.n {
                        let sign = self.member(check.node, event);
                        self.clause(&[(sign, false), (self.happens(event), false)]);
                    }
                }
                Shape::Empty => {
                    for (a, b) in self.may(check.node).iter() {
                        let sign = self.pair(check.node, a, b);
                        self.clause(&[(sign, false), (self.happens(a), false), (self.happens(b), false)]);
                    }
                }
                Shape::Irreflexive => {
                    for event in 0..self.n {
                        let sign = self.pair(check.node, event, event);
                        self.clause(&[(sign, false), (self.happens(event), false)]);
                    }
                }
                Shape::Acyclic => {
                    let may = self.may(check.node);
                    let mut edges = Vec::new();
                    for (a, b) in may.iter() {
                        edges.push((a, b, self.pair(check.node, a, b)));
                    }
                    self.acyclic(&edges);
                }
            }
        }
        Ok(())
    }

    /// Notes what follows for closures from an axiom.
    fn asserts(&mut self, check: &Check) {
        let is_plain = check.severity == Severity::Forbids && !check.is_negated;
        if is_plain && matches!(check.shape, Shape::Irreflexive | Shape::Acyclic) {
            self.is_irreflexive(check.node);
        }
    }

    /// Notes that a relation is irreflexive, and so are those that it is a union of.
    fn is_irreflexive(&mut self, id: NodeId) {
        self.irreflexive.insert(id);
        if let Node::Union(a, b) = *self.graph.node(id) {
            self.is_irreflexive(a);
            self.is_irreflexive(b);
        }
    }

    /// The parts of a clause that says that what a check asks about is there, among the pairs that count.
    fn inhabited(&mut self, check: &Check, counts: &dyn Fn(usize, usize) -> bool) -> Result<Vec<(Sign, bool)>, Failed> {
        self.node(check.node, Bound::Upper)?;
        let events = (0..self.n).filter(|event| counts(*event, *event));
        Ok(match (self.graph.is_set(check.node), check.shape) {
            (true, Shape::Empty) => {
                let member = |event| {
                    let sign = self.member(check.node, event);
                    (self.conjunction(sign, self.happens(event)), true)
                };
                events.map(member).collect()
            }
            (false, Shape::Empty) => {
                let pairs = self.may(check.node).iter().filter(|(a, b)| counts(*a, *b));
                pairs.map(|(a, b)| (self.there(check.node, a, b), true)).collect()
            }
            (false, Shape::Irreflexive) => events.map(|event| (self.there(check.node, event, event), true)).collect(),
            _ => return Err("the model asks for a cycle".into()),
        })
    }

    /// A sign that implies that two events happen and are related.
    fn there(&mut self, node: NodeId, a: usize, b: usize) -> Sign {
        let pair = self.pair(node, a, b);
        if pair == Sign::No {
            return Sign::No;
        }
        let both = self.conjunction(self.happens(a), self.happens(b));
        self.conjunction(pair, both)
    }

    /// A literal that holds only in executions that raise a flag.
    pub fn raised(&mut self, check: &Check) -> Result<Lit, Failed> {
        self.raised_by(check, &|_, _| true)
    }

    /// A literal that holds only in executions in which events that count raise a flag: two of a relation, or one of a set, given twice.
    pub fn raised_by(&mut self, check: &Check, counts: &dyn Fn(usize, usize) -> bool) -> Result<Lit, Failed> {
        // A flag is raised when its test succeeds, what is undefined or out of place when it fails.
        if check.is_negated != (check.severity == Severity::Flags) {
            return Err("a flag is raised by what is not there".into());
        }
        let raised = self.bits.fresh_lit();
        let mut clause = self.inhabited(check, counts)?;
        clause.push((Sign::Open(raised), false));
        self.clause(&clause);
        Ok(raised)
    }

    /// Forbids cycles among these edges.
    pub fn acyclic(&mut self, edges: &[(usize, usize, Sign)]) {
        let mut closed = Relation::of(self.n, edges.iter().map(|&(a, b, _)| (a, b)));
        closed.close();
        let first = self.next_node;
        self.next_node += self.n;
        let certain = Relation::of(self.n, edges.iter().filter(|edge| edge.2 == Sign::Yes).map(|&(a, b, _)| (a, b)));
        let immediate = self.immediate(&certain);
        for &(a, b, sign) in edges {
            // Only edges on some possible cycle matter, and of those that are certain the immediate ones.
            let is_needed = closed.contains(b, a) && (sign != Sign::Yes || immediate.contains(a, b));
            if sign == Sign::No || !is_needed {
                continue;
            }
            if a == b {
                self.clause(&[(sign, false), (self.happens(a), false)]);
                continue;
            }
            // Each edge has a literal of its own, because a literal may stand for edges of several graphs.
            let copy = self.bits.fresh_watched();
            self.theory.borrow_mut().add_edge(copy, first + a, first + b);
            let both = [(self.happens(a), false), (self.happens(b), false)];
            self.clause(&[both[0], both[1], (sign, false), (Sign::Open(copy), true)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cat::Plan;
    use smt::Limits;

    /// A model of this text, and bounds for so many events: each of the pairs of a name may be there.
    fn asked<T>(text: &str, n: usize, may: &dyn Fn(&str) -> Relation, ask: impl FnOnce(&Model, &Values) -> T) -> T {
        let read = |name: &str| (name == "mine.cat").then(|| (name.to_string(), text.to_string()));
        let model = crate::cat::load("mine.cat", &read, &Default::default()).expect("it is a model");
        let graph = &model.outcome.graph;
        let mut bounds = Values::new(graph, n);
        bounds.set_exact(false);
        for (id, node) in graph.iter() {
            if let Node::Pairs(name) = node {
                bounds.put_relation(id, Bound::Lower, &Relation::empty(n));
                bounds.put_relation(id, Bound::Upper, &may(name));
            }
        }
        let roots: Vec<_> = graph.iter().flat_map(|(id, _)| [(id, Bound::Lower), (id, Bound::Upper)]).collect();
        bounds.compute(graph, &Plan::of(graph, &roots, |_| true), &|_, _| false);
        ask(&model, &bounds)
    }

    /// Everything to everything after it.
    fn later(n: usize) -> Relation {
        Relation::of(n, (0..n).flat_map(|from| (from + 1..n).map(move |to| (from, to))))
    }

    #[test]
    fn nobody_waits_for_clauses_that_nobody_wants() {
        let n = 64;
        asked("\"mine\"\nlet way = rf+\nempty way ; way as short\n", n, &|_| later(n), |model, bounds| {
            let encoded = |limits: Limits| {
                let mut encoder = Encoder::new(model, bounds, n, 1, None);
                encoder.bits.set_limits(limits);
                encoder.axioms(&model.outcome.checks)
            };
            assert_eq!(encoded(Limits::default()), Ok(()));
            let limits = Limits::default();
            limits.cancel.cancel();
            assert_eq!(encoded(limits), Err(Failed::Stopped(smt::Why::Cancelled)));
        });
    }

    /// Variables and clauses of the axioms.
    fn size(text: &str, n: usize, may: &dyn Fn(&str) -> Relation, is_focused: bool) -> (usize, usize) {
        asked(text, n, may, |model, bounds| {
            let mut encoder = Encoder::new(model, bounds, n, 1, None);
            if is_focused {
                encoder.focus(&model.outcome.checks.iter().collect::<Vec<_>>());
            }
            encoder.axioms(&model.outcome.checks).expect("it can be said");
            let size = encoder.bits.statistics();
            (size.variables as usize, size.clauses as usize)
        })
    }

    #[test]
    fn only_pairs_that_are_wanted_have_reasons() {
        // One pair must be ordered: only ways to its end are looked for.
        let (n, text) = (24, "\"mine\"\nlet order = rf+\nempty co \\ order as wanted\n");
        let may = |name: &str| if name == "co" { Relation::of(n, [(0, n - 1)]) } else { later(n) };
        let ((_, all), (_, few)) = (size(text, n, &may, false), size(text, n, &may, true));
        assert!(few > n && few * 8 < all, "{few} clauses of {all}");
    }

    #[test]
    fn a_pair_that_comes_down_to_another_has_no_literal() {
        let n = 24;
        let plain = "\"mine\"\nacyclic rf+ as order\n";
        // No co, no po: nothing but rf is left of these.
        let wrapped = "\"mine\"\nlet order = ((rf | co) \\ po)?^-1\nacyclic (order^-1)+ as order\n";
        let may = |name: &str| if name == "rf" { later(n) } else { Relation::empty(n) };
        let (plain, wrapped) = (size(plain, n, &may, false), size(wrapped, n, &may, false));
        assert!(plain.0 > n && wrapped.0 <= plain.0 + n, "{plain:?} and {wrapped:?}");
    }
}
