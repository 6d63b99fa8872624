//! How does a theory look? A directed graph that has no cycle.
//!
//! Each edge is there or not, by a watched literal. An edge that closes a cycle is a conflict with the edges on it; an
//! edge that would close one is ruled out at once. Both come from one search forward and one backward from each new
//! edge, so the cost is that of the part of the graph that the edge connects; nothing else is touched.
//!
//! Invariant: the lists of present edges grow and shrink like the trail, last in, first out.

use rustc_hash::FxHashMap;

use crate::literal::Lit;
use crate::theory::{Consequences, Theory};

#[derive(Clone, Copy)]
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
    /// All edges by their first and by their last node.
    from: Vec<Vec<usize>>,
    to: Vec<Vec<usize>>,
    /// Present edges likewise.
    leaving: Vec<Vec<usize>>,
    entering: Vec<Vec<usize>>,
    trail: Vec<Assigned>,
    n_examined: usize,
    reasons: FxHashMap<Lit, Vec<Lit>>,
    ahead: Reached,
    behind: Reached,
}

/// The nodes that a search has reached, and the edge by which each was. The room is used again by the next search.
#[derive(Default)]
struct Reached {
    /// Which search has reached a node last, and by which edge; none at its start.
    by: Vec<(u32, Option<u32>)>,
    search: u32,
    nodes: Vec<usize>,
}

impl Reached {
    fn has(&self, node: usize) -> bool {
        self.by[node].0 == self.search
    }

    fn add(&mut self, node: usize, edge: Option<u32>) {
        if !self.has(node) {
            self.by[node] = (self.search, edge);
            self.nodes.push(node);
        }
    }

    /// Everything that can be reached from a node, where these edges go on from each, to the node that is told.
    fn search(&mut self, start: usize, next: &[Vec<usize>], other_end: impl Fn(usize) -> usize) {
        self.by.resize(next.len(), (0, None));
        self.nodes.clear();
        self.search = match self.search.checked_add(1) {
            Some(search) => search,
            None => {
                self.by.fill((0, None));
                1
            }
        };
        self.add(start, None);
        let mut open = 0;
        while let Some(&node) = self.nodes.get(open) {
            open += 1;
            for &edge in &next[node] {
                self.add(other_end(edge), Some(edge as u32));
            }
        }
    }
}

impl Acyclic {
    /// A graph with these nodes and no edges.
    pub fn new(n_nodes: usize) -> Acyclic {
        let none = || vec![Vec::new(); n_nodes];
        Acyclic { from: none(), to: none(), leaving: none(), entering: none(), ..Acyclic::default() }
    }

    /// Adds an edge that is there exactly if a watched literal is true. Each literal is one edge at most.
    pub fn add_edge(&mut self, lit: Lit, from: usize, to: usize) {
        let edge = self.edges.len();
        self.edge_of.insert(lit.var(), edge);
        self.edges.push(Edge { lit, from, to, is_assigned: false });
        self.from[from].push(edge);
        self.to[to].push(edge);
    }

    /// The negations of the edges between a node and the start of the search that reached it.
    fn negated_way(&self, reached: &Reached, mut node: usize, forward: bool, clause: &mut Vec<Lit>) {
        while let Some(edge) = reached.by[node].1 {
            let Edge { lit, from, to, .. } = self.edges[edge as usize];
            clause.push(!lit);
            node = if forward { from } else { to };
        }
    }

    /// Looks at a present edge; whether it closes no cycle.
    fn examine(&mut self, edge: usize, consequences: &mut Consequences) -> bool {
        let (mut ahead, mut behind) = (std::mem::take(&mut self.ahead), std::mem::take(&mut self.behind));
        let is_fine = self.examine_with(edge, (&mut ahead, &mut behind), consequences);
        (self.ahead, self.behind) = (ahead, behind);
        is_fine
    }

    fn examine_with(
        &mut self,
        edge: usize,
        (ahead, behind): (&mut Reached, &mut Reached),
        consequences: &mut Consequences,
    ) -> bool {
        let Edge { lit, from, to, .. } = self.edges[edge];
        ahead.search(to, &self.leaving, |edge| self.edges[edge].to);
        if ahead.has(from) {
            let mut clause = vec![!lit];
            self.negated_way(ahead, from, true, &mut clause);
            consequences.add_clause(clause);
            return false;
        }
        behind.search(from, &self.entering, |edge| self.edges[edge].from);
        // Of the edges from what is ahead to what is behind, those of the smaller side are looked through.
        let is_ahead_smaller = ahead.nodes.len() <= behind.nodes.len();
        let (nodes, of) = if is_ahead_smaller { (&ahead.nodes, &self.from) } else { (&behind.nodes, &self.to) };
        for &other in nodes.iter().flat_map(|node| &of[*node]) {
            let Edge { lit: other, from: first, to: last, is_assigned } = self.edges[other];
            if is_assigned || !ahead.has(first) || !behind.has(last) {
                continue;
            }
            let mut reason = vec![!other, !lit];
            self.negated_way(ahead, first, true, &mut reason);
            self.negated_way(behind, last, false, &mut reason);
            self.reasons.insert(!other, reason);
            consequences.imply(!other);
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
