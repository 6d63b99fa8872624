//! What are the values of a model's sets and relations, in an execution that is known, or only known in part?
//!
//! While `rf` and `co` are being chosen, a relation has two bounds: the pairs that it certainly has, and those that it may still get.
//! An operator computes its lower bound from lower bounds of its operands and from upper bounds of what it subtracts, and
//! the other way round. An axiom that fails on the lower bound fails for every completion, whether or not its
//! terms are monotone; that is what prunes the search. In a complete execution both bounds are the value.
//!
//! What to compute is laid down once per model in a `Plan`: fixed nodes when an execution's events are known, then the bounds that axioms
//! need, then the rest. Values live in one buffer per node and are overwritten in place.

use super::graph::{Graph, Node, NodeId, Step};
use crate::cat::syntax::ast::Shape;
use crate::relation::{EventSet, Relation};

/// Which bound of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// What is certainly there.
    Lower,
    /// What may be there.
    Upper,
}

impl Bound {
    fn flipped(self) -> Bound {
        match self {
            Bound::Lower => Bound::Upper,
            Bound::Upper => Bound::Lower,
        }
    }
}

/// Things to compute, in order.
#[derive(Clone, Default, Debug)]
pub struct Plan {
    steps: Vec<(Step, Bound)>,
}

impl Plan {
    /// What the values of these nodes need in a complete execution, as far as `wanted` says: lower bounds only, because both are the value then.
    pub fn exact(graph: &Graph, roots: impl IntoIterator<Item = NodeId>, wanted: impl Fn(NodeId) -> bool) -> Plan {
        let roots: Vec<(NodeId, Bound)> = roots.into_iter().map(|id| (id, Bound::Lower)).collect();
        Plan::make(graph, &roots, wanted, true)
    }

    /// What the bounds of these nodes need, as far as `wanted` says.
    pub fn of(graph: &Graph, roots: &[(NodeId, Bound)], wanted: impl Fn(NodeId) -> bool) -> Plan {
        Plan::make(graph, roots, wanted, false)
    }

    fn make(graph: &Graph, roots: &[(NodeId, Bound)], wanted: impl Fn(NodeId) -> bool, is_exact: bool) -> Plan {
        let mut needs = vec![(false, false); graph.len()];
        let mut stack: Vec<(NodeId, Bound)> = roots.to_vec();
        while let Some((id, bound)) = stack.pop() {
            let need = &mut needs[id.index()];
            let flag = if bound == Bound::Lower { &mut need.0 } else { &mut need.1 };
            if *flag || !wanted(id) {
                continue;
            }
            *flag = true;
            stack.extend(
                graph
                    .operands(id)
                    .into_iter()
                    .map(|(operand, flips)| (operand, if flips && !is_exact { bound.flipped() } else { bound })),
            );
            if let Some(group) = graph.group_of(id) {
                let variables = &graph.group(group).variables;
                stack.extend(variables.iter().flat_map(|&(variable, body)| [(variable, bound), (body, bound)]));
            }
        }
        let mut steps: Vec<(Step, Bound)> = Vec::new();
        for (id, _) in graph.iter() {
            for (needed, bound) in [(needs[id.index()].0, Bound::Lower), (needs[id.index()].1, Bound::Upper)] {
                let step = match graph.group_of(id) {
                    None => Step::One(id),
                    Some(group) => Step::Fix(Plan::outer(graph, group)),
                };
                if !needed || (matches!(step, Step::Fix(_)) && steps.contains(&(step, bound))) {
                    continue;
                }
                steps.push((step, bound));
            }
        }
        // A definition is computed where its last member stands, so that all that it needs from outside comes before.
        let place = |step: &Step| match step {
            Step::One(id) => id.index(),
            Step::Fix(group) => Plan::last(graph, *group),
        };
        steps.sort_by_key(|(step, _)| (place(step), matches!(step, Step::Fix(_))));
        Plan { steps }
    }

    fn outer(graph: &Graph, group: u32) -> u32 {
        // Inner definitions are closed before outer ones list them, so the holder has a smaller number.
        let holder = (0..group).find(|&other| graph.group(other).members.contains(&Step::Fix(group)));
        holder.map_or(group, |other| Plan::outer(graph, other))
    }

    fn last(graph: &Graph, group: u32) -> usize {
        let definition = graph.group(group);
        let members = definition.members.iter().map(|step| match step {
            Step::One(id) => id.index(),
            Step::Fix(inner) => Plan::last(graph, *inner),
        });
        let bodies = definition.variables.iter().flat_map(|(variable, body)| [variable.index(), body.index()]);
        members.chain(bodies).max().unwrap_or(0)
    }
}

/// The values of a graph's nodes.
#[derive(Clone, Debug)]
pub struct Values {
    n: usize,
    sets: [Vec<EventSet>; 2],
    relations: [Vec<Relation>; 2],
    /// Whether both bounds are the value: then only the lower ones are kept.
    is_exact: bool,
    /// Where events may not happen: which events happen if another does.
    implied: Option<Implied>,
}

/// Which events happen whenever another one does, in both directions.
#[derive(Clone, Debug)]
struct Implied {
    /// The second happens if the first does.
    forth: Relation,
    /// The first happens if the second does.
    back: Relation,
}

impl Values {
    /// Room for the values of a graph in an execution of `n` events; all empty.
    pub fn new(graph: &Graph, n: usize) -> Values {
        let sets = || {
            graph
                .iter()
                .map(|(id, _)| if graph.is_set(id) { EventSet::empty(n) } else { EventSet::default() })
                .collect()
        };
        let relations = || {
            graph
                .iter()
                .map(|(id, _)| if graph.is_set(id) { Relation::default() } else { Relation::empty(n) })
                .collect()
        };
        Values { n, sets: [sets(), sets()], relations: [relations(), relations()], is_exact: true, implied: None }
    }

    /// Says that events may not happen; a pair `(a, b)` of `implied` says that `b` happens if `a` does. From here on a bound of a pair is one for
    /// executions in which both its events happen, so that what leads from one to the other by way of a third is certain only if that happens, too.
    pub fn set_guarded(&mut self, implied: Relation) {
        let mut back = Relation::empty(self.n);
        back.inverse(&implied);
        self.is_exact = false;
        self.implied = Some(Implied { forth: implied, back });
    }

    /// For how many nodes there is room.
    pub fn len(&self) -> usize {
        self.sets[0].len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.sets[0].is_empty()
    }

    /// Says whether what follows is about a complete execution.
    pub fn set_exact(&mut self, is_exact: bool) {
        self.is_exact = is_exact;
    }

    /// A bound of a set.
    pub fn set(&self, id: NodeId, bound: Bound) -> &EventSet {
        &self.sets[bound as usize][id.index()]
    }

    /// A bound of a relation.
    pub fn relation(&self, id: NodeId, bound: Bound) -> &Relation {
        &self.relations[bound as usize][id.index()]
    }

    /// Sets a bound of a set from outside.
    pub fn put_set(&mut self, id: NodeId, bound: Bound, value: &EventSet) {
        self.sets[bound as usize][id.index()].clone_from(value);
    }

    /// Sets a bound of a relation from outside.
    pub fn put_relation(&mut self, id: NodeId, bound: Bound, value: &Relation) {
        self.relations[bound as usize][id.index()].assign(value);
    }

    /// Computes what a plan says. Named sets and relations have been put before; `values_of` says which pairs have
    /// different values.
    pub fn compute(&mut self, graph: &Graph, plan: &Plan, differ: &dyn Fn(usize, usize) -> bool) {
        for &(step, bound) in &plan.steps {
            self.step(graph, step, bound, differ);
        }
    }

    fn step(&mut self, graph: &Graph, step: Step, bound: Bound, differ: &dyn Fn(usize, usize) -> bool) {
        match step {
            Step::One(id) => self.node(graph, id, bound, differ),
            Step::Fix(group) => self.fix(graph, group, bound, differ),
        }
    }

    fn fix(&mut self, graph: &Graph, group: u32, bound: Bound, differ: &dyn Fn(usize, usize) -> bool) {
        let definition = graph.group(group);
        let is_fixed =
            || self.implied.is_none() && definition.variables.iter().all(|&(id, _)| graph.depends(id).is_fixed());
        let is_known = self.is_exact || is_fixed();
        let side = bound as usize;
        if !definition.is_monotone && !is_known && bound == Bound::Lower {
            // Rounds say nothing about what is certain when a variable is subtracted. What may be there is bounded by rounds that subtract nothing of it.
            return self.empty_group(graph, group);
        }
        for &(variable, _) in &definition.variables {
            if graph.is_set(variable) {
                self.sets[side][variable.index()].clear();
            } else {
                self.relations[side][variable.index()].clear();
            }
        }
        if !definition.is_monotone && is_known {
            return self.in_order(graph, group, bound, differ);
        }
        loop {
            for &member in &definition.members {
                self.step(graph, member, bound, differ);
            }
            let mut changed = false;
            let mut next = Vec::with_capacity(definition.variables.len());
            for &(variable, body) in &definition.variables {
                let from = self.side(graph, body, bound);
                if graph.is_set(variable) {
                    changed |= self.sets[side][variable.index()] != self.sets[from][body.index()];
                } else {
                    changed |= self.relations[side][variable.index()] != self.relations[from][body.index()];
                }
                next.push((variable, body, from));
            }
            if !changed {
                return;
            }
            // All variables change together; a body that is itself a variable is read before it changes.
            let sets: Vec<_> = next
                .iter()
                .filter(|next| graph.is_set(next.0))
                .map(|next| (next.0, self.sets[next.2][next.1.index()].clone()))
                .collect();
            for (variable, value) in sets {
                self.sets[side][variable.index()] = value;
            }
            let is_plain = next.iter().all(|(_, body, _)| !matches!(graph.node(*body), Node::Variable(_)));
            if is_plain {
                for &(variable, body, from) in next.iter().filter(|next| !graph.is_set(next.0)) {
                    let mut value = std::mem::take(&mut self.relations[side][variable.index()]);
                    value.assign(&self.relations[from][body.index()]);
                    self.relations[side][variable.index()] = value;
                }
            } else {
                let values: Vec<_> = next
                    .iter()
                    .filter(|next| !graph.is_set(next.0))
                    .map(|next| (next.0, self.relations[next.2][next.1.index()].clone()))
                    .collect();
                for (variable, value) in values {
                    self.relations[side][variable.index()] = value;
                }
            }
        }
    }

    /// Nothing of a definition is certain.
    fn empty_group(&mut self, graph: &Graph, group: u32) {
        let definition = graph.group(group);
        let all = definition.variables.iter().flat_map(|&(variable, body)| [variable, body]);
        let members = definition.members.iter().filter_map(|step| match step {
            Step::One(id) => Some(*id),
            Step::Fix(_) => None,
        });
        for id in all.chain(members).collect::<Vec<_>>() {
            if graph.group_of(id) != Some(group) {
                continue;
            }
            self.sets[0][id.index()] = EventSet::empty(self.n);
            self.relations[0][id.index()] = Relation::empty(self.n);
        }
    }

    /// A definition that subtracts its own variables has no least solution; what it means is the order of computing it: one variable after
    /// the other as they are written, each from the latest values, until a round changes nothing. One that never settles is left as it
    /// is after as many rounds as there are pairs.
    fn in_order(&mut self, graph: &Graph, group: u32, bound: Bound, differ: &dyn Fn(usize, usize) -> bool) {
        let definition = graph.group(group);
        let side = bound as usize;
        for _ in 0..=self.n * self.n + 1 {
            let mut changed = false;
            for &(variable, body) in &definition.variables {
                for &member in &definition.members {
                    self.step(graph, member, bound, differ);
                }
                let from = self.side(graph, body, bound);
                if graph.is_set(variable) {
                    let value = self.sets[from][body.index()].clone();
                    changed |= self.sets[side][variable.index()] != value;
                    self.sets[side][variable.index()] = value;
                } else {
                    let value = self.relations[from][body.index()].clone();
                    changed |= self.relations[side][variable.index()] != value;
                    self.relations[side][variable.index()] = value;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Where a bound of an operand is kept: values that cannot change have one bound only.
    fn side(&self, graph: &Graph, id: NodeId, bound: Bound) -> usize {
        let is_fixed = || self.implied.is_none() && graph.depends(id).is_fixed();
        if self.is_exact || is_fixed() { 0 } else { bound as usize }
    }

    fn node(&mut self, graph: &Graph, id: NodeId, bound: Bound, differ: &dyn Fn(usize, usize) -> bool) {
        let side = bound as usize;
        if graph.is_set(id) {
            let mut out = std::mem::take(&mut self.sets[side][id.index()]);
            self.set_node(graph, id, bound, &mut out);
            self.sets[side][id.index()] = out;
        } else {
            let mut out = std::mem::take(&mut self.relations[side][id.index()]);
            self.relation_node(graph, id, bound, &mut out, differ);
            self.relations[side][id.index()] = out;
        }
    }

    fn set_node(&self, graph: &Graph, id: NodeId, bound: Bound, out: &mut EventSet) {
        let set = |id: NodeId, bound: Bound| &self.sets[self.side(graph, id, bound)][id.index()];
        let relation = |id: NodeId, bound: Bound| &self.relations[self.side(graph, id, bound)][id.index()];
        match *graph.node(id) {
            Node::AllEvents => *out = EventSet::full(self.n),
            Node::NoEvents => out.clear(),
            Node::TheseEvents(ref members) => out.clone_from(members),
            Node::SetUnion(a, b) => {
                out.clone_from(set(a, bound));
                out.union(set(b, bound));
            }
            Node::SetIntersection(a, b) => {
                out.clone_from(set(a, bound));
                out.intersect(set(b, bound));
            }
            Node::SetDifference(a, b) => {
                out.clone_from(set(a, bound));
                out.subtract(set(b, bound.flipped()));
            }
            Node::SetComplement(a) => {
                out.clone_from(set(a, bound.flipped()));
                out.complement();
            }
            Node::Domain(a) => *out = self.certain(relation(a, bound), bound, true).domain(),
            Node::Range(a) => *out = self.certain(relation(a, bound), bound, false).range(),
            // Named sets and variables are put from outside.
            _ => {}
        }
    }

    fn relation_node(
        &mut self,
        graph: &Graph,
        id: NodeId,
        bound: Bound,
        out: &mut Relation,
        differ: &dyn Fn(usize, usize) -> bool,
    ) {
        let set = |id: NodeId, bound: Bound| &self.sets[self.side(graph, id, bound)][id.index()];
        let relation = |id: NodeId, bound: Bound| &self.relations[self.side(graph, id, bound)][id.index()];
        match *graph.node(id) {
            Node::NoPairs => out.clear(),
            Node::ThesePairs(ref pairs) => out.assign(pairs),
            Node::Union(a, b) => {
                out.assign(relation(a, bound));
                out.union(relation(b, bound));
            }
            Node::Intersection(a, b) => {
                out.assign(relation(a, bound));
                out.intersect(relation(b, bound));
            }
            Node::Difference(a, b) => {
                out.assign(relation(a, bound));
                out.subtract(relation(b, bound.flipped()));
            }
            Node::Complement(a) => {
                out.assign(relation(a, bound.flipped()));
                out.complement();
            }
            Node::Sequence(a, b) => self.compose(relation(a, bound), relation(b, bound), bound, out),
            Node::Inverse(a) => out.inverse(relation(a, bound)),
            Node::Plus(a) => self.close(relation(a, bound), bound, out),
            Node::Star(a) => {
                self.close(relation(a, bound), bound, out);
                out.add_identity();
            }
            Node::Optional(a) => {
                out.assign(relation(a, bound));
                out.add_identity();
            }
            Node::Product(a, b) => out.product(set(a, bound), set(b, bound)),
            Node::Identity(a) => out.identity_on(set(a, bound)),
            Node::From(s, r) => {
                out.assign(relation(r, bound));
                out.restrict_domain(set(s, bound));
            }
            Node::To(r, s) => {
                out.assign(relation(r, bound));
                out.restrict_range(set(s, bound));
            }
            Node::DifferentValues(a) => {
                if self.is_exact {
                    let pairs = relation(a, bound);
                    let kept = Relation::of(self.n, pairs.iter().filter(|&(from, to)| differ(from, to)));
                    *out = kept;
                } else if bound == Bound::Upper {
                    out.assign(relation(a, bound));
                } else {
                    out.clear();
                }
            }
            _ => {}
        }
    }

    /// The pairs of a bound whose one end happens if the other (the first, if `from_first`) does.
    fn certain<'r>(&self, relation: &'r Relation, bound: Bound, from_first: bool) -> std::borrow::Cow<'r, Relation> {
        match &self.implied {
            Some(implied) if bound == Bound::Lower => {
                let mut kept = relation.clone();
                kept.intersect(if from_first { &implied.forth } else { &implied.back });
                std::borrow::Cow::Owned(kept)
            }
            _ => std::borrow::Cow::Borrowed(relation),
        }
    }

    /// Composition. What is certain leads by way of an event that happens if one of the ends does.
    fn compose(&self, first: &Relation, second: &Relation, bound: Bound, out: &mut Relation) {
        if self.implied.is_none() || bound == Bound::Upper {
            return out.compose(first, second);
        }
        out.compose(&self.certain(first, bound, true), second);
        let mut more = Relation::empty(self.n);
        more.compose(first, &self.certain(second, bound, false));
        out.union(&more);
    }

    fn close(&self, step: &Relation, bound: Bound, out: &mut Relation) {
        out.assign(step);
        if self.implied.is_none() || bound == Bound::Upper {
            return out.close();
        }
        let mut longer = Relation::empty(self.n);
        loop {
            self.compose(out, step, bound, &mut longer);
            if longer.is_subset(out) {
                return;
            }
            out.union(&longer);
        }
    }

    /// Whether the lower bound of a node violates a property.
    pub fn violates(&self, graph: &Graph, id: NodeId, shape: Shape) -> bool {
        if graph.is_set(id) {
            return shape == Shape::Empty && !self.set(id, Bound::Lower).is_empty();
        }
        let relation = self.relation(id, Bound::Lower);
        match shape {
            Shape::Acyclic => relation.has_cycle(),
            Shape::Irreflexive => relation.has_loop(),
            Shape::Empty => !relation.is_empty(),
        }
    }
}
