//! Which pairs of a relation does any axiom look at? Only these need clauses.
//!
//! Known as: active sets (Dartagnan), cone of influence, demand-driven encoding.
//!
//! From the axioms down: of a relation without cycles only pairs on a possible cycle matter, of an irreflexive one its diagonal, and what an operand is asked for follows
//! from what its operator is asked for and what the other operand may have. A model that orders seq_cst accesses costs nothing where there are none.
//!
//! Invariant: a pair that is not active has a literal that nothing implies and that nothing is concluded from, in the directions in which its node is used.

use super::Encoder;
use crate::cat::syntax::ast::{Severity, Shape};
use crate::cat::{Check, Node, NodeId};
use crate::relation::Relation;
use rustc_hash::FxHashSet;

impl Encoder<'_> {
    /// Looks only at what these checks need: axioms that forbid, and flags that will be asked for.
    pub fn focus(&mut self, checks: &[&Check]) {
        let n = self.n;
        self.active = Some((0..self.graph.len()).map(|_| Relation::empty(n)).collect());
        let uppers = self.needed_above(checks);
        for check in checks {
            if self.graph.is_set(check.node) {
                continue;
            }
            let may = self.may(check.node).clone();
            let is_plain = check.severity == Severity::Forbids && !check.is_negated;
            let asked = match check.shape {
                Shape::Irreflexive => {
                    let mut diagonal = Relation::identity(n);
                    diagonal.intersect(&may);
                    diagonal
                }
                Shape::Acyclic if is_plain => on_cycles(&may),
                _ => may,
            };
            self.activate(check.node, &asked);
        }
        // Operands come before their operators, but for the bodies of recursive definitions: so again until nothing changes.
        let reachable = self.below(checks);
        loop {
            let mut changed = false;
            for index in (0..self.graph.len()).rev().filter(|index| reachable.contains(&NodeId(*index as u32))) {
                changed |= self.pass_on(NodeId(index as u32), &uppers);
            }
            if !changed {
                return;
            }
        }
    }

    /// Whether somebody looks at a pair.
    pub(super) fn is_active(&self, id: NodeId, from: usize, to: usize) -> bool {
        self.active.as_ref().is_none_or(|active| active[id.index()].contains(from, to))
    }

    /// Adds pairs; tells whether some are new.
    fn activate(&mut self, id: NodeId, pairs: &Relation) -> bool {
        let mut asked = pairs.clone();
        asked.intersect(self.may(id));
        let Some(active) = &mut self.active else { return false };
        let own = &mut active[id.index()];
        if asked.is_subset(own) {
            return false;
        }
        own.union(&asked);
        true
    }

    /// What a node is asked for, its operands are.
    fn pass_on(&mut self, id: NodeId, uppers: &FxHashSet<NodeId>) -> bool {
        let n = self.n;
        if self.graph.is_set(id) {
            return match *self.graph.node(id) {
                Node::Domain(r) | Node::Range(r) => {
                    let all = self.may(r).clone();
                    self.activate(r, &all)
                }
                _ => false,
            };
        }
        let Some(asked) = self.active.as_ref().map(|active| active[id.index()].clone()) else { return false };
        if asked.is_empty() {
            return false;
        }
        let composed = |first: &Relation, second: &Relation| {
            let mut result = Relation::empty(n);
            result.compose(first, second);
            result
        };
        let inverse = |relation: &Relation| {
            let mut result = Relation::empty(n);
            result.inverse(relation);
            result
        };
        match *self.graph.node(id) {
            Node::Union(a, b) | Node::Intersection(a, b) | Node::Difference(a, b) => {
                self.activate(a, &asked) | self.activate(b, &asked)
            }
            Node::Complement(a) | Node::Optional(a) | Node::From(_, a) | Node::To(a, _) | Node::DifferentValues(a) => {
                self.activate(a, &asked)
            }
            Node::Inverse(a) => self.activate(a, &inverse(&asked)),
            Node::Sequence(a, b) => {
                let first = composed(&asked, &inverse(self.may(b)));
                let second = composed(&inverse(self.may(a)), &asked);
                self.activate(a, &first) | self.activate(b, &second)
            }
            Node::Plus(a) | Node::Star(a) if uppers.contains(&id) => {
                let (all, steps) = (self.may(id).clone(), self.may(a).clone());
                self.activate(id, &all) | self.activate(a, &steps)
            }
            Node::Plus(a) | Node::Star(a) => {
                // A way to a pair is a way to somewhere and one more step.
                let shorter = composed(&asked, &inverse(self.may(a)));
                let steps = composed(&inverse(self.may(id)), &asked);
                self.activate(id, &shorter) | self.activate(a, &asked) | self.activate(a, &steps)
            }
            Node::Variable(_) => {
                let Some(group) = self.graph.group_of(id) else { return false };
                let bodies = self.graph.group(group).variables.clone();
                bodies
                    .into_iter()
                    .filter(|(variable, _)| *variable == id)
                    .fold(false, |changed, (_, body)| self.activate(body, &asked) || changed)
            }
            _ => false,
        }
    }

    fn below(&self, checks: &[&Check]) -> FxHashSet<NodeId> {
        let mut seen = FxHashSet::default();
        let mut open: Vec<NodeId> = checks.iter().map(|check| check.node).collect();
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                open.extend(self.graph.operands(id).into_iter().map(|(operand, _)| operand));
                if let Some(group) = self.graph.group_of(id) {
                    open.extend(
                        self.graph.group(group).variables.iter().flat_map(|&(variable, body)| [variable, body]),
                    );
                }
            }
        }
        seen
    }

    /// The nodes whose literals need reasons.
    fn needed_above(&self, checks: &[&Check]) -> FxHashSet<NodeId> {
        let mut seen: FxHashSet<(NodeId, bool)> = FxHashSet::default();
        let is_asked_for = |check: &Check| check.is_negated || check.severity != Severity::Forbids;
        let mut open: Vec<(NodeId, bool)> = checks.iter().map(|check| (check.node, is_asked_for(check))).collect();
        while let Some((id, is_upper)) = open.pop() {
            if seen.insert((id, is_upper)) {
                open.extend(self.graph.operands(id).into_iter().map(|(operand, flips)| (operand, is_upper != flips)));
                if let Some(group) = self.graph.group_of(id) {
                    let all = self.graph.group(group).variables.iter().flat_map(|&(variable, body)| [variable, body]);
                    open.extend(all.map(|node| (node, is_upper)));
                }
            }
        }
        seen.into_iter().filter(|(_, is_upper)| *is_upper).map(|(id, _)| id).collect()
    }
}

/// The pairs of a relation that lie on a cycle of it.
fn on_cycles(relation: &Relation) -> Relation {
    let mut closed = relation.clone();
    closed.close();
    let n = relation.universe();
    Relation::of(n, relation.iter().filter(|&(from, to)| closed.contains(to, from)))
}
