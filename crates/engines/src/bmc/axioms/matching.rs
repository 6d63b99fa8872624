//! Which definitions of a model that subtract their own variables can be computed before anything is chosen? The matching of RCU's critical sections, where control flow does not split them.
//!
//! Such a definition has no least solution, so that nothing can be said of it pair by pair. But if it is made of program order and of sets of events of which in each thread all happen or none does, then what it says of two
//! events that happen is what it says if all happen. That needs that whatever a pair is derived from lies in these sets, too: every middle of a composition, and the other end where a domain or range is taken.

use super::sites::Sites;
use memory::cat::{Bound, Graph, Node, NodeId, Plan, Values};
use memory::relation::EventSet;

/// Computes them, where that can be done; tells which these are.
pub(super) fn put_exact(graph: &Graph, sites: &Sites, values: &mut Values) -> Vec<u32> {
    let mut exact: Vec<u32> = Vec::new();
    for (id, node) in graph.iter() {
        let Some(group) = graph.group_of(id).filter(|_| matches!(node, Node::Variable(_) | Node::SetVariable(_)))
        else {
            continue;
        };
        if !exact.contains(&group) && !graph.group(group).is_monotone && is_all_or_nothing(graph, group, sites, values)
        {
            exact.push(group);
        }
    }
    let variables: Vec<NodeId> =
        exact.iter().flat_map(|group| graph.group(*group).variables.iter().map(|(variable, _)| *variable)).collect();
    let mut complete = values.clone();
    complete.compute(graph, &Plan::exact(graph, variables.iter().copied(), |_| true), &|_, _| false);
    for id in variables {
        for bound in [Bound::Lower, Bound::Upper] {
            match graph.is_set(id) {
                true => values.put_set(id, bound, complete.set(id, Bound::Lower)),
                false => values.put_relation(id, bound, complete.relation(id, Bound::Lower)),
            }
        }
    }
    exact
}

/// Whether a definition is made of program order and of sets of events that happen together, in each thread.
fn is_all_or_nothing(graph: &Graph, group: u32, sites: &Sites, values: &Values) -> bool {
    let mut look = Look { graph, group, values, members: EventSet::empty(sites.sites.len()) };
    for &(variable, body) in &graph.group(group).variables {
        let is_confined = if graph.is_set(variable) { look.set(body) } else { look.ends(body) == Some((true, true)) };
        if !is_confined {
            return false;
        }
    }
    let thread = |event: usize| sites.shape.events[event].thread;
    let together = |a: usize, b: usize| thread(a) != thread(b) || sites.implied.contains(a, b);
    look.members.iter().all(|a| look.members.iter().all(|b| together(a, b)))
}

struct Look<'a> {
    graph: &'a Graph,
    group: u32,
    values: &'a Values,
    /// The events that the definition is about.
    members: EventSet,
}

impl Look<'_> {
    /// Whether a set is made of members only.
    fn set(&mut self, id: NodeId) -> bool {
        match *self.graph.node(id) {
            Node::Events(_) if self.values.set(id, Bound::Lower) == self.values.set(id, Bound::Upper) => {
                self.members.union(self.values.set(id, Bound::Upper));
                true
            }
            Node::SetVariable(_) => self.graph.group_of(id) == Some(self.group),
            Node::SetUnion(a, b) | Node::SetIntersection(a, b) | Node::SetDifference(a, b) => {
                self.set(a) && self.set(b)
            }
            Node::Domain(r) => self.ends(r).is_some_and(|(_, to)| to),
            Node::Range(r) => self.ends(r).is_some_and(|(from, _)| from),
            _ => false,
        }
    }

    /// Whether a relation starts and ends at members only; nothing if it is not derived from members alone.
    fn ends(&mut self, id: NodeId) -> Option<(bool, bool)> {
        match *self.graph.node(id) {
            Node::Pairs(ref name) if &**name == "po" => Some((false, false)),
            Node::Variable(_) => (self.graph.group_of(id) == Some(self.group)).then_some((true, true)),
            Node::Identity(s) => self.set(s).then_some((true, true)),
            Node::From(s, r) if self.set(s) => self.ends(r).map(|(_, to)| (true, to)),
            Node::To(r, s) if self.set(s) => self.ends(r).map(|(from, _)| (from, true)),
            Node::Union(a, b) => {
                let (a, b) = (self.ends(a)?, self.ends(b)?);
                Some((a.0 && b.0, a.1 && b.1))
            }
            Node::Intersection(a, b) => {
                let (a, b) = (self.ends(a)?, self.ends(b)?);
                Some((a.0 || b.0, a.1 || b.1))
            }
            Node::Difference(a, b) => {
                let (a, _) = (self.ends(a)?, self.ends(b)?);
                Some(a)
            }
            Node::Sequence(a, b) => {
                let (a, b) = (self.ends(a)?, self.ends(b)?);
                (a.1 || b.0).then_some((a.0, b.1))
            }
            _ => None,
        }
    }
}
