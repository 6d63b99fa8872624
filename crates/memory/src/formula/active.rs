//! Which pairs of a relation does any axiom look at? Only these need clauses.
//!
//! Known as: active sets (Dartagnan), cone of influence, demand-driven encoding.
//!
//! From the axioms down: of a relation without cycles only pairs on a possible cycle matter, of an irreflexive one its diagonal, and what an operand is asked for follows
//! from what its operator is asked for and what the other operand may have. A model that orders seq_cst accesses costs nothing where there are none.
//!
//! What an axiom forbids and what it wants are looked at apart: where only the pairs that end at plain reads must have a reason, all others need none.
//!
//! Invariant: in a direction in which a pair is not active, its literal has no clauses and nobody uses it.

use super::Encoder;
use crate::cat::syntax::ast::{Severity, Shape};
use crate::cat::{Bound, Check, Node, NodeId};
use crate::relation::Relation;
use rustc_hash::FxHashSet;

/// The pairs of each node that somebody looks at, by direction.
pub(super) struct Active {
    lower: Vec<Relation>,
    upper: Vec<Relation>,
}

impl Active {
    fn of(&mut self, bound: Bound) -> &mut Vec<Relation> {
        match bound {
            Bound::Lower => &mut self.lower,
            Bound::Upper => &mut self.upper,
        }
    }
}

/// The direction in which an operand is used by an operator that is used in this one.
pub(super) fn turned(bound: Bound, flips: bool) -> Bound {
    match (bound, flips) {
        (Bound::Lower, true) => Bound::Upper,
        (Bound::Upper, true) => Bound::Lower,
        (bound, false) => bound,
    }
}

impl Encoder<'_> {
    /// Looks only at what these checks need: the axioms, all that forbid something, and flags that will be asked for.
    pub fn focus(&mut self, checks: &[&Check]) {
        let n = self.n;
        let none = || (0..self.graph.len()).map(|_| Relation::empty(n)).collect();
        self.active = Some(Active { lower: none(), upper: none() });
        checks.iter().for_each(|check| self.asserts(check));
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
            self.activate(check.node, direction(check), &asked);
        }
        // Operands come before their operators, but for the bodies of recursive definitions: so again until nothing changes.
        let needed = self.needed(checks);
        loop {
            let mut changed = false;
            for index in (0..self.graph.len() as u32).rev() {
                for bound in [Bound::Lower, Bound::Upper] {
                    let id = NodeId(index);
                    changed |= needed.contains(&(id, bound == Bound::Upper)) && self.pass_on(id, bound);
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Whether somebody looks at a pair in one direction.
    pub(super) fn is_active(&self, id: NodeId, bound: Bound, from: usize, to: usize) -> bool {
        self.active.as_ref().is_none_or(|active| {
            let all = if bound == Bound::Lower { &active.lower } else { &active.upper };
            all[id.index()].contains(from, to)
        })
    }

    /// Adds pairs; tells whether some are new.
    fn activate(&mut self, id: NodeId, bound: Bound, pairs: &Relation) -> bool {
        let mut asked = pairs.clone();
        asked.intersect(self.may(id));
        let Some(active) = &mut self.active else { return false };
        let own = &mut active.of(bound)[id.index()];
        if asked.is_subset(own) {
            return false;
        }
        own.union(&asked);
        true
    }

    /// What a node is asked for, its operands are.
    fn pass_on(&mut self, id: NodeId, bound: Bound) -> bool {
        let n = self.n;
        if self.graph.is_set(id) {
            return match *self.graph.node(id) {
                Node::Domain(r) | Node::Range(r) => {
                    let all = self.may(r).clone();
                    self.activate(r, bound, &all)
                }
                _ => false,
            };
        }
        let Some(asked) = self.active.as_mut().map(|active| active.of(bound)[id.index()].clone()) else { return false };
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
            Node::Union(a, b) | Node::Intersection(a, b) => {
                self.activate(a, bound, &asked) | self.activate(b, bound, &asked)
            }
            Node::Difference(a, b) => self.activate(a, bound, &asked) | self.activate(b, turned(bound, true), &asked),
            Node::Complement(a) => self.activate(a, turned(bound, true), &asked),
            Node::Optional(a) | Node::From(_, a) | Node::To(a, _) | Node::DifferentValues(a) => {
                self.activate(a, bound, &asked)
            }
            Node::Inverse(a) => self.activate(a, bound, &inverse(&asked)),
            Node::Sequence(a, b) => {
                let first = composed(&asked, &inverse(self.may(b)));
                let second = composed(&inverse(self.may(a)), &asked);
                self.activate(a, bound, &first) | self.activate(b, bound, &second)
            }
            Node::Plus(a) | Node::Star(a) => {
                let (shorter, steps) = match bound {
                    // A way to a pair is a way to somewhere and one more step.
                    Bound::Lower => {
                        let shorter = composed(&asked, &inverse(self.may(a)));
                        (shorter, composed(&inverse(self.may(id)), &asked))
                    }
                    // Its reason is one step, and a way from there.
                    Bound::Upper if self.has_shorter_ways(id, a) => {
                        let shorter = composed(&inverse(self.may(a)), &asked);
                        (shorter, composed(&asked, &inverse(self.may(id))))
                    }
                    Bound::Upper => (self.may(id).clone(), self.may(a).clone()),
                };
                self.activate(id, bound, &shorter) | self.activate(a, bound, &asked) | self.activate(a, bound, &steps)
            }
            Node::Variable(_) => {
                let Some(group) = self.graph.group_of(id) else { return false };
                let bodies = self.graph.group(group).variables.clone();
                bodies
                    .into_iter()
                    .filter(|(variable, _)| *variable == id)
                    .fold(false, |changed, (_, body)| self.activate(body, bound, &asked) || changed)
            }
            _ => false,
        }
    }

    /// The nodes that the checks look at, and whether their literals need reasons there.
    fn needed(&self, checks: &[&Check]) -> FxHashSet<(NodeId, bool)> {
        let mut seen: FxHashSet<(NodeId, bool)> = FxHashSet::default();
        let mut open: Vec<(NodeId, bool)> =
            checks.iter().map(|check| (check.node, direction(check) == Bound::Upper)).collect();
        while let Some((id, is_upper)) = open.pop() {
            if seen.insert((id, is_upper)) {
                open.extend(self.graph.operands(id).into_iter().map(|(operand, flips)| (operand, is_upper != flips)));
                if let Some(group) = self.graph.group_of(id) {
                    let all = self.graph.group(group).variables.iter().flat_map(|&(variable, body)| [variable, body]);
                    open.extend(all.map(|node| (node, is_upper)));
                }
            }
        }
        seen
    }
}

/// What a check asks of its relation: that pairs are not there, or that some are.
fn direction(check: &Check) -> Bound {
    match check.is_negated || check.severity != Severity::Forbids {
        true => Bound::Upper,
        false => Bound::Lower,
    }
}

/// The pairs of a relation that lie on a cycle of it.
fn on_cycles(relation: &Relation) -> Relation {
    let mut closed = relation.clone();
    closed.close();
    let n = relation.universe();
    Relation::of(n, relation.iter().filter(|&(from, to)| closed.contains(to, from)))
}
