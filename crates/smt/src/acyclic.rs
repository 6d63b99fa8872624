//! How does a theory look? A directed graph that has no cycle.
//!
//! Each edge is there or not, by a watched literal. An edge that closes a cycle is a conflict with the edges on it; an
//! edge that would close one is ruled out at once. Both come from one search forward and one backward from each new
//! edge, so the cost is that of the part of the graph that the edge connects.
//!
//! Invariant: the lists of present edges grow and shrink like the trail, last in, first out.

use rustc_hash::FxHashMap;

use crate::literal::Lit;
use crate::theory::{Consequences, Theory};

struct Edge {
    lit: Lit,
    from: usize,
    to: usize,
    is_assigned: bool,
}

struct Assigned {
    level: usize,
    edge: usize,
    is_present: bool,
}

/// Forbids cycles in a directed graph whose edges are literals.
#[derive(Default)]
pub struct Acyclic {
    edges: Vec<Edge>,
    edge_of: FxHashMap<usize, usize>,
    /// Present edges by their first and by their last node.
    leaving: Vec<Vec<usize>>,
    entering: Vec<Vec<usize>>,
    trail: Vec<Assigned>,
    n_examined: usize,
    reasons: FxHashMap<Lit, Vec<Lit>>,
}

/// For each node reached, the edge by which it was.
type Reached = FxHashMap<usize, Option<usize>>;

impl Acyclic {
    /// A graph with these nodes and no edges.
    pub fn new(n_nodes: usize) -> Acyclic {
        Acyclic { leaving: vec![Vec::new(); n_nodes], entering: vec![Vec::new(); n_nodes], ..Acyclic::default() }
    }

    /// Adds an edge that is there exactly if a watched literal is true. Each literal is one edge at most.
    pub fn add_edge(&mut self, lit: Lit, from: usize, to: usize) {
        self.edge_of.insert(lit.var(), self.edges.len());
        self.edges.push(Edge { lit, from, to, is_assigned: false });
    }

    fn search(&self, start: usize, forward: bool) -> Reached {
        let mut reached: Reached = FxHashMap::default();
        reached.insert(start, None);
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            let next = if forward { &self.leaving[node] } else { &self.entering[node] };
            for &edge in next {
                let other = if forward { self.edges[edge].to } else { self.edges[edge].from };
                reached.entry(other).or_insert_with(|| {
                    open.push(other);
                    Some(edge)
                });
            }
        }
        reached
    }

    /// The negations of the edges between a node and the start of the search that reached it.
    fn negated_way(&self, reached: &Reached, mut node: usize, forward: bool, clause: &mut Vec<Lit>) {
        while let Some(edge) = reached[&node] {
            clause.push(!self.edges[edge].lit);
            node = if forward { self.edges[edge].from } else { self.edges[edge].to };
        }
    }

    /// Looks at a present edge; whether it closes no cycle.
    fn examine(&mut self, edge: usize, consequences: &mut Consequences) -> bool {
        let Edge { lit, from, to, .. } = self.edges[edge];
        let ahead = self.search(to, true);
        if ahead.contains_key(&from) {
            let mut clause = vec![!lit];
            self.negated_way(&ahead, from, true, &mut clause);
            consequences.add_clause(clause);
            return false;
        }
        let behind = self.search(from, false);
        for other in &self.edges {
            let closes = ahead.contains_key(&other.from) && behind.contains_key(&other.to);
            if other.is_assigned || !closes {
                continue;
            }
            let mut reason = vec![!other.lit, !lit];
            self.negated_way(&ahead, other.from, true, &mut reason);
            self.negated_way(&behind, other.to, false, &mut reason);
            self.reasons.insert(!other.lit, reason);
            consequences.imply(!other.lit);
        }
        true
    }
}

impl Theory for Acyclic {
    fn assign(&mut self, lit: Lit, level: usize) {
        let Some(&edge) = self.edge_of.get(&lit.var()) else { return };
        let is_present = self.edges[edge].lit == lit;
        self.edges[edge].is_assigned = true;
        if is_present {
            self.leaving[self.edges[edge].from].push(edge);
            self.entering[self.edges[edge].to].push(edge);
        }
        self.trail.push(Assigned { level, edge, is_present });
    }

    fn backtrack(&mut self, level: usize) {
        while self.trail.last().is_some_and(|assigned| assigned.level > level) {
            let assigned = self.trail.pop().expect("the trail has a last element");
            let edge = &mut self.edges[assigned.edge];
            edge.is_assigned = false;
            if assigned.is_present {
                self.leaving[edge.from].pop();
                self.entering[edge.to].pop();
            }
        }
        self.n_examined = self.n_examined.min(self.trail.len());
    }

    fn propagate(&mut self, consequences: &mut Consequences) {
        while self.n_examined < self.trail.len() {
            let Assigned { edge, is_present, .. } = self.trail[self.n_examined];
            if is_present && !self.examine(edge, consequences) {
                return;
            }
            self.n_examined += 1;
        }
    }

    fn explain(&mut self, lit: Lit, clause: &mut Vec<Lit>) {
        clause.extend(&self.reasons[&lit]);
    }

    fn check(&mut self, consequences: &mut Consequences) {
        self.propagate(consequences);
    }
}
