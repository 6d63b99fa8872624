//! Why is one node before another? As few literals as a shortest path needs.
//!
//! A path consists of fixed edges, which cost nothing, and derived ones, which cost the literals they stand for (Definition 16):
//! an edge by an axiom stands for the choice, the rival's activity and again a path. The search goes only through nodes that are
//! before the goal and over edges older than what is explained, so it ends, and so do the explanations of its edges.

use super::{Implied, OrderingConsistency, Why};
use smt::Lit;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

impl OrderingConsistency {
    /// The clause that forbids an edge against the order.
    pub(super) fn conflict(&self, from: u32, to: u32, why: Why) -> Vec<Lit> {
        let mut orders = Vec::new();
        let mut literals = Vec::new();
        add_why(why, self.edges.len(), &mut literals, &mut orders);
        if from != to {
            orders.push((to, from, self.edges.len()));
        }
        self.close(&mut literals, orders);
        literals.into_iter().map(|lit| !lit).collect()
    }

    /// Adds the negated literals that an implication rests on.
    pub(super) fn explain_implied(&self, implied: &Implied, clause: &mut Vec<Lit>) {
        let mut literals: Vec<Lit> = implied.literals.to_vec();
        let orders = implied.orders.iter().map(|(a, b)| (*a, *b, implied.n_edges)).collect();
        self.close(&mut literals, orders);
        for lit in literals {
            if !clause.contains(&!lit) {
                clause.push(!lit);
            }
        }
    }

    /// Replaces orders by the literals that they rest on.
    fn close(&self, literals: &mut Vec<Lit>, mut orders: Vec<(u32, u32, usize)>) {
        let mut known: Vec<(u32, u32)> = Vec::new();
        while let Some((from, to, limit)) = orders.pop() {
            if known.contains(&(from, to)) {
                continue;
            }
            known.push((from, to));
            for edge in self.path(from, to, limit) {
                add_why(self.edges[edge].why, edge, literals, &mut orders);
            }
        }
        literals.sort_unstable();
        literals.dedup();
    }

    /// The derived edges on a cheapest path over edges older than `limit`.
    fn path(&self, from: u32, to: u32, limit: usize) -> Vec<usize> {
        if self.fixed.is_before(from, to) {
            return Vec::new();
        }
        let mut best: rustc_hash::FxHashMap<u32, (u32, u32, usize)> = rustc_hash::FxHashMap::default();
        let mut heap = BinaryHeap::new();
        best.insert(from, (0, from, usize::MAX));
        heap.push(Reverse((0u32, from)));
        while let Some(Reverse((cost, node))) = heap.pop() {
            if best[&node].0 < cost {
                continue;
            }
            if node == to || self.fixed.is_before(node, to) {
                return self.spell(&best, from, node);
            }
            let fixed = self.fixed_after[node as usize].iter().map(|next| (*next, 0, usize::MAX));
            let derived = self.leaving[node as usize].iter().map(|edge| *edge as usize).filter(|edge| *edge < limit);
            let derived = derived.map(|edge| {
                let price = match self.edges[edge].why {
                    Why::Literal(_) => 1,
                    Why::Axiom { .. } => 3,
                };
                (self.edges[edge].to, price, edge)
            });
            for (next, price, edge) in fixed.chain(derived) {
                if next != to && !self.closure.is_before(next, to) {
                    continue;
                }
                let total = cost + price;
                if best.get(&next).is_none_or(|(known, _, _)| *known > total) {
                    best.insert(next, (total, node, edge));
                    heap.push(Reverse((total, next)));
                }
            }
        }
        unreachable!("one node is before the other, so there is a path")
    }

    fn spell(&self, best: &rustc_hash::FxHashMap<u32, (u32, u32, usize)>, from: u32, mut node: u32) -> Vec<usize> {
        let mut edges = Vec::new();
        while node != from {
            let (_, previous, edge) = best[&node];
            if edge != usize::MAX {
                edges.push(edge);
            }
            node = previous;
        }
        edges
    }
}

/// What an edge rests on; orders are to be explained by edges older than it.
fn add_why(why: Why, limit: usize, literals: &mut Vec<Lit>, orders: &mut Vec<(u32, u32, usize)>) {
    match why {
        Why::Literal(lit) => literals.push(lit),
        Why::Axiom { choice, active, before, after } => {
            literals.push(choice);
            literals.extend(active);
            orders.push((before, after, limit));
        }
    }
}
