//! How do a model's relations become clauses?
//!
//! A pair that a relation certainly has, or certainly lacks, needs no literal (`memory::cat::meaning::evaluate` computes both bounds before anything is
//! chosen). Every other pair gets one when it is first needed, with clauses in the directions in which it counts: where an axiom
//! forbids the pair, what makes it so must imply the literal (`Lower`); where its absence helps, the literal must have a reason
//! (`Upper`). For the first direction a least solution needs no more than its rules, because a solution of the
//! clauses with too many pairs is only forbidden more easily; a closure in the second direction is built from steps of doubling length.
//! Cycles are the theory's business.

use std::cell::RefCell;
use std::rc::Rc;

use memory::cat::syntax::ast::{Severity, Shape};
use memory::cat::{Bound, Check, Graph, Model, Node, NodeId, Values};
use memory::relation::Relation;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Acyclic, Bits, Lit};

use super::answer::Refusal;

/// Whether a pair is related: certainly, certainly not, or as a literal says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    Yes,
    No,
    Open(Lit),
}

/// Turns relations into clauses.
pub(super) struct Encoder<'a> {
    pub(super) bits: Bits,
    graph: &'a Graph,
    /// Bounds of all nodes before anything is chosen.
    bounds: &'a Values,
    n: usize,
    theory: Rc<RefCell<Acyclic>>,
    /// Nodes of the theory's graph that are in use.
    next_node: usize,
    lits: FxHashMap<(NodeId, u32, u32), Lit>,
    /// Whether two accesses have different values, for the pairs that a model asks about.
    differ: FxHashMap<(usize, usize), Lit>,
    done: FxHashSet<(NodeId, bool)>,
}

impl<'a> Encoder<'a> {
    /// An encoder with room for so many graphs without cycles.
    pub(super) fn new(model: &'a Model, bounds: &'a Values, n: usize, n_graphs: usize) -> Encoder<'a> {
        let theory = Rc::new(RefCell::new(Acyclic::new(n * n_graphs)));
        let mut bits = Bits::new();
        bits.attach(Box::new(theory.clone()));
        Encoder {
            bits,
            graph: &model.outcome.graph,
            bounds,
            n,
            theory,
            next_node: 0,
            lits: FxHashMap::default(),
            differ: FxHashMap::default(),
            done: FxHashSet::default(),
        }
    }

    /// Says which literal a pair of a chosen relation has.
    pub(super) fn define(&mut self, node: NodeId, from: usize, to: usize, lit: Lit) {
        self.lits.insert((node, from as u32, to as u32), lit);
    }

    /// The pairs of accesses whose values a model compares.
    pub(super) fn compared(&self) -> Vec<(usize, usize)> {
        let compares = |node: &Node| matches!(node, Node::DifferentValues(_));
        let nodes = self.graph.iter().filter(|(_, node)| compares(node)).map(|(id, _)| id);
        let mut pairs: Vec<_> = nodes.flat_map(|id| self.may(id).iter().collect::<Vec<_>>()).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Says when two accesses have different values.
    pub(super) fn distinguish(&mut self, from: usize, to: usize, lit: Lit) {
        self.differ.insert((from, to), lit);
    }

    fn may(&self, node: NodeId) -> &'a Relation {
        let bound = if self.graph.depends(node).is_fixed() { Bound::Lower } else { Bound::Upper };
        self.bounds.relation(node, bound)
    }

    /// Whether a pair is related.
    fn pair(&mut self, node: NodeId, from: usize, to: usize) -> Sign {
        if self.bounds.relation(node, Bound::Lower).contains(from, to) {
            return Sign::Yes;
        }
        if self.graph.depends(node).is_fixed() || !self.may(node).contains(from, to) {
            return Sign::No;
        }
        let bits = &mut self.bits;
        Sign::Open(*self.lits.entry((node, from as u32, to as u32)).or_insert_with(|| bits.fresh_lit()))
    }

    /// Whether an event is a member.
    fn member(&mut self, node: NodeId, event: usize) -> Sign {
        if self.bounds.set(node, Bound::Lower).contains(event) {
            return Sign::Yes;
        }
        if self.graph.depends(node).is_fixed() || !self.bounds.set(node, Bound::Upper).contains(event) {
            return Sign::No;
        }
        let bits = &mut self.bits;
        Sign::Open(*self.lits.entry((node, event as u32, u32::MAX)).or_insert_with(|| bits.fresh_lit()))
    }

    /// A clause; signs with `false` count negated.
    pub(super) fn clause(&mut self, parts: &[(Sign, bool)]) {
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
    pub(super) fn axioms(&mut self, checks: &[Check]) -> Result<(), Refusal> {
        for check in checks.iter().filter(|check| check.severity == Severity::Forbids) {
            if check.is_negated {
                let signs = self.inhabited(check)?;
                self.clause(&signs);
                continue;
            }
            self.node(check.node, Bound::Lower)?;
            match check.shape {
                Shape::Empty if self.graph.is_set(check.node) => {
                    for event in 0..self.n {
                        let sign = self.member(check.node, event);
                        self.clause(&[(sign, false)]);
                    }
                }
                Shape::Empty => {
                    for (a, b) in self.may(check.node).iter() {
                        let sign = self.pair(check.node, a, b);
                        self.clause(&[(sign, false)]);
                    }
                }
                Shape::Irreflexive => {
                    for event in 0..self.n {
                        let sign = self.pair(check.node, event, event);
                        self.clause(&[(sign, false)]);
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

    /// The parts of a clause that says that what a check asks about is there.
    fn inhabited(&mut self, check: &Check) -> Result<Vec<(Sign, bool)>, Refusal> {
        self.node(check.node, Bound::Upper)?;
        Ok(match (self.graph.is_set(check.node), check.shape) {
            (true, Shape::Empty) => (0..self.n).map(|event| (self.member(check.node, event), true)).collect(),
            (false, Shape::Empty) => {
                let pairs: Vec<_> = self.may(check.node).iter().collect();
                pairs.into_iter().map(|(a, b)| (self.pair(check.node, a, b), true)).collect()
            }
            (false, Shape::Irreflexive) => {
                (0..self.n).map(|event| (self.pair(check.node, event, event), true)).collect()
            }
            _ => return Err(Refusal::Symbolic("the model asks for a cycle")),
        })
    }

    /// A literal that holds only in executions that raise a flag.
    pub(super) fn raised(&mut self, check: &Check) -> Result<Lit, Refusal> {
        // A flag is raised when its test succeeds, what is undefined or out of place when it fails.
        if check.is_negated != (check.severity == Severity::Flags) {
            return Err(Refusal::Symbolic("a flag is raised by what is not there"));
        }
        let raised = self.bits.fresh_lit();
        let mut clause = self.inhabited(check)?;
        clause.push((Sign::Open(raised), false));
        self.clause(&clause);
        Ok(raised)
    }

    /// Forbids cycles among these edges.
    pub(super) fn acyclic(&mut self, edges: &[(usize, usize, Sign)]) {
        let mut closed = Relation::of(self.n, edges.iter().map(|&(a, b, _)| (a, b)));
        closed.close();
        let first = self.next_node;
        self.next_node += self.n;
        for &(a, b, sign) in edges {
            // Only edges on some possible cycle matter.
            if sign == Sign::No || !closed.contains(b, a) {
                continue;
            }
            if a == b {
                self.clause(&[(sign, false)]);
                continue;
            }
            // Each edge has a literal of its own, because a literal may stand for edges of several graphs.
            let copy = self.bits.fresh_watched();
            self.theory.borrow_mut().add_edge(copy, first + a, first + b);
            self.clause(&[(sign, false), (Sign::Open(copy), true)]);
        }
    }

    /// Makes sure that the literals of a node have their clauses in one direction.
    fn node(&mut self, id: NodeId, bound: Bound) -> Result<(), Refusal> {
        if self.graph.depends(id).is_fixed() || !self.done.insert((id, bound == Bound::Lower)) {
            return Ok(());
        }
        for (operand, flips) in self.graph.operands(id) {
            let other = match (flips, bound) {
                (false, bound) => bound,
                (true, Bound::Lower) => Bound::Upper,
                (true, Bound::Upper) => Bound::Lower,
            };
            self.node(operand, other)?;
        }
        if let Node::Variable(_) | Node::SetVariable(_) = self.graph.node(id) {
            return self.variable(id, bound);
        }
        if self.graph.is_set(id) {
            for event in 0..self.n {
                self.set(id, event, bound);
            }
            return Ok(());
        }
        if bound == Bound::Upper
            && let Node::Plus(a) | Node::Star(a) = *self.graph.node(id)
        {
            self.closure(id, a);
            return Ok(());
        }
        for (from, to) in self.may(id).iter() {
            if let Sign::Open(lit) = self.pair(id, from, to) {
                match bound {
                    Bound::Lower => self.lower(id, from, to, lit),
                    Bound::Upper => self.upper(id, from, to, lit),
                }
            }
        }
        Ok(())
    }

    fn variable(&mut self, id: NodeId, bound: Bound) -> Result<(), Refusal> {
        let group = self.graph.group_of(id).expect("a variable belongs to a definition");
        let definition = self.graph.group(group);
        if bound == Bound::Upper || !definition.is_monotone {
            return Err(Refusal::Symbolic("an axiom subtracts a recursive definition"));
        }
        for &(variable, body) in definition.variables.iter().filter(|(variable, _)| *variable == id) {
            self.node(body, Bound::Lower)?;
            if self.graph.is_set(variable) {
                for event in 0..self.n {
                    let (from, to) = (self.member(body, event), self.member(variable, event));
                    self.clause(&[(from, false), (to, true)]);
                }
                continue;
            }
            for (a, b) in self.may(body).iter() {
                let (from, to) = (self.pair(body, a, b), self.pair(variable, a, b));
                self.clause(&[(from, false), (to, true)]);
            }
        }
        Ok(())
    }

    fn set(&mut self, id: NodeId, event: usize, bound: Bound) {
        let Sign::Open(lit) = self.member(id, event) else { return };
        let this = Sign::Open(lit);
        let is_lower = bound == Bound::Lower;
        match *self.graph.node(id) {
            Node::SetUnion(a, b) => {
                let (a, b) = (self.member(a, event), self.member(b, event));
                self.either(this, &[a, b], is_lower);
            }
            Node::SetIntersection(a, b) => {
                let (a, b) = (self.member(a, event), self.member(b, event));
                self.both(this, &[(a, true), (b, true)], is_lower);
            }
            Node::SetDifference(a, b) => {
                let (a, b) = (self.member(a, event), self.member(b, event));
                self.both(this, &[(a, true), (b, false)], is_lower);
            }
            Node::SetComplement(a) => {
                let a = self.member(a, event);
                self.both(this, &[(a, false)], is_lower);
            }
            Node::Domain(r) => {
                let signs: Vec<Sign> = (0..self.n).map(|to| self.pair(r, event, to)).collect();
                self.either(this, &signs, is_lower);
            }
            Node::Range(r) => {
                let signs: Vec<Sign> = (0..self.n).map(|from| self.pair(r, from, event)).collect();
                self.either(this, &signs, is_lower);
            }
            // Final writes are defined by whoever chooses the order.
            _ => {}
        }
    }

    /// `this` is (implied by, or implies) one of these.
    fn either(&mut self, this: Sign, parts: &[Sign], is_lower: bool) {
        if is_lower {
            parts.iter().for_each(|&part| self.clause(&[(part, false), (this, true)]));
        } else {
            let mut clause = vec![(this, false)];
            clause.extend(parts.iter().map(|&part| (part, true)));
            self.clause(&clause);
        }
    }

    /// `this` is (implied by, or implies) all of these; those with `false` negated.
    fn both(&mut self, this: Sign, parts: &[(Sign, bool)], is_lower: bool) {
        if is_lower {
            let mut clause = vec![(this, true)];
            clause.extend(parts.iter().map(|&(part, is_plain)| (part, !is_plain)));
            self.clause(&clause);
        } else {
            parts.iter().for_each(|&(part, is_plain)| self.clause(&[(this, false), (part, is_plain)]));
        }
    }

    /// What makes a pair related implies its literal.
    fn lower(&mut self, id: NodeId, from: usize, to: usize, lit: Lit) {
        let this = Sign::Open(lit);
        match *self.graph.node(id) {
            Node::Sequence(a, b) => {
                for middle in 0..self.n {
                    let (first, second) = (self.pair(a, from, middle), self.pair(b, middle, to));
                    self.clause(&[(first, false), (second, false), (this, true)]);
                }
            }
            Node::Plus(a) | Node::Star(a) => {
                let direct = self.pair(a, from, to);
                self.clause(&[(direct, false), (this, true)]);
                for middle in 0..self.n {
                    let (first, second) = (self.pair(id, from, middle), self.pair(a, middle, to));
                    self.clause(&[(first, false), (second, false), (this, true)]);
                }
            }
            _ => self.pointwise(id, from, to, this, true),
        }
    }

    /// A literal has a reason.
    fn upper(&mut self, id: NodeId, from: usize, to: usize, lit: Lit) {
        let this = Sign::Open(lit);
        match *self.graph.node(id) {
            Node::Sequence(a, b) => {
                let mut clause = vec![(this, false)];
                for middle in 0..self.n {
                    let (first, second) = (self.pair(a, from, middle), self.pair(b, middle, to));
                    clause.push((self.conjunction(first, second), true));
                }
                self.clause(&clause);
            }
            _ => self.pointwise(id, from, to, this, false),
        }
    }

    /// A sign that implies both of two.
    fn conjunction(&mut self, first: Sign, second: Sign) -> Sign {
        match (first, second) {
            (Sign::No, _) | (_, Sign::No) => Sign::No,
            (Sign::Yes, other) | (other, Sign::Yes) => other,
            _ => {
                let both = Sign::Open(self.bits.fresh_lit());
                self.clause(&[(both, false), (first, true)]);
                self.clause(&[(both, false), (second, true)]);
                both
            }
        }
    }

    /// Operators that look at single pairs.
    fn pointwise(&mut self, id: NodeId, from: usize, to: usize, this: Sign, is_lower: bool) {
        match *self.graph.node(id) {
            Node::Union(a, b) => {
                let (a, b) = (self.pair(a, from, to), self.pair(b, from, to));
                self.either(this, &[a, b], is_lower);
            }
            Node::Intersection(a, b) => {
                let (a, b) = (self.pair(a, from, to), self.pair(b, from, to));
                self.both(this, &[(a, true), (b, true)], is_lower);
            }
            Node::Difference(a, b) => {
                let (a, b) = (self.pair(a, from, to), self.pair(b, from, to));
                self.both(this, &[(a, true), (b, false)], is_lower);
            }
            Node::Complement(a) => {
                let a = self.pair(a, from, to);
                self.both(this, &[(a, false)], is_lower);
            }
            Node::Inverse(a) => {
                let a = self.pair(a, to, from);
                self.both(this, &[(a, true)], is_lower);
            }
            Node::Optional(a) => {
                let a = self.pair(a, from, to);
                self.both(this, &[(a, true)], is_lower);
            }
            Node::Product(a, b) => {
                let (a, b) = (self.member(a, from), self.member(b, to));
                self.both(this, &[(a, true), (b, true)], is_lower);
            }
            Node::Identity(a) => {
                let a = self.member(a, from);
                self.both(this, &[(a, true)], is_lower);
            }
            Node::From(s, r) => {
                let (s, r) = (self.member(s, from), self.pair(r, from, to));
                self.both(this, &[(s, true), (r, true)], is_lower);
            }
            Node::To(r, s) => {
                let (r, s) = (self.pair(r, from, to), self.member(s, to));
                self.both(this, &[(r, true), (s, true)], is_lower);
            }
            Node::DifferentValues(a) => {
                let (a, differ) = (self.pair(a, from, to), Sign::Open(self.differ[&(from, to)]));
                self.both(this, &[(a, true), (differ, true)], is_lower);
            }
            // Chosen relations have their literals; the others are handled by their callers.
            _ => {}
        }
    }

    /// A pair of a closure is a way of steps: of one step, of at most two, four, and so on.
    fn closure(&mut self, id: NodeId, step: NodeId) {
        let n = self.n;
        let mut ways: Vec<Sign> = Vec::with_capacity(n * n);
        for from in 0..n {
            for to in 0..n {
                ways.push(self.pair(step, from, to));
            }
        }
        let mut length = 1;
        while length < n {
            let mut next = Vec::with_capacity(n * n);
            for from in 0..n {
                for to in 0..n {
                    let direct = ways[from * n + to];
                    if direct == Sign::Yes {
                        next.push(Sign::Yes);
                        continue;
                    }
                    let mut reasons = vec![(direct, true)];
                    for middle in 0..n {
                        let sign = self.conjunction(ways[from * n + middle], ways[middle * n + to]);
                        reasons.push((sign, true));
                    }
                    next.push(self.disjunction(&mut reasons));
                }
            }
            ways = next;
            length *= 2;
        }
        for (from, to) in self.may(id).iter() {
            if from == to && matches!(self.graph.node(id), Node::Star(_)) {
                continue;
            }
            let this = self.pair(id, from, to);
            self.clause(&[(this, false), (ways[from * n + to], true)]);
        }
    }

    /// A sign that implies one of these.
    fn disjunction(&mut self, parts: &mut Vec<(Sign, bool)>) -> Sign {
        parts.retain(|(sign, _)| *sign != Sign::No);
        if parts.is_empty() {
            return Sign::No;
        }
        if parts.iter().any(|(sign, _)| *sign == Sign::Yes) {
            return Sign::Yes;
        }
        if let [(only, _)] = parts[..] {
            return only;
        }
        let any = Sign::Open(self.bits.fresh_lit());
        let mut clause = vec![(any, false)];
        clause.append(parts);
        self.clause(&clause);
        any
    }
}
