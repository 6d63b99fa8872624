//! Which edges belong to one atomic section, so that they are one action to all others?
//!
//! Nobody runs while a thread is inside of a section, unless it waits there. So what a section has done, or is going to do, may be exchanged with what others do as a whole. The places of an automaton are looked at
//! with how deep inside of sections the thread is there, from the entry on.
//!
//! Invariant: whoever arrives at a place inside of a section has taken nothing but edges of [`Sections::behind`] since it was outside, and takes nothing but edges of [`Sections::ahead`]
//! until it is outside again.

use ir::pass::reverse_post_order;
use ir::{EdgeId, LocId, Op, Proc};
use rustc_hash::{FxHashMap, FxHashSet};

/// A location, and how deep inside of sections a thread is there.
type At = (LocId, u32);

/// Where edges lead, or where they come from.
type Ways = FxHashMap<At, Vec<(EdgeId, At)>>;

/// All ways through an automaton.
pub(super) struct Sections {
    out: Ways,
    into: Ways,
    leads_back: Vec<bool>,
}

/// Sections in sections that are told apart.
const MAX_DEPTH: u32 = 8;

impl Sections {
    pub(super) fn new(proc: &Proc) -> Sections {
        let (mut out, mut into) = (Ways::default(), Ways::default());
        let edges = proc.out_edges();
        let start = (proc.entry, 0);
        let (mut seen, mut open) = (FxHashSet::from_iter([start]), vec![start]);
        while let Some(at) = open.pop() {
            for edge in &edges[at.0.index()] {
                let own = &proc.edges[edge.index()];
                let depth = own.stmts.iter().fold(at.1, |depth, stmt| match stmt.op {
                    Op::AtomicBegin => (depth + 1).min(MAX_DEPTH),
                    Op::AtomicEnd => depth.saturating_sub(1),
                    Op::ExitThread(_) | Op::Return(_) => 0,
                    _ => depth,
                });
                let to = (own.to, depth);
                out.entry(at).or_default().push((*edge, to));
                into.entry(to).or_default().push((*edge, at));
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        let order = reverse_post_order(proc, &edges);
        let place = |loc: LocId| order.iter().position(|other| *other == loc);
        let leads_back = proc.edges.iter().map(|edge| place(edge.to) <= place(edge.from)).collect();
        Sections { out, into, leads_back }
    }

    /// Whether an edge leads back in its automaton; on every cycle there is one that does.
    pub(super) fn leads_back(&self, edge: EdgeId) -> bool {
        self.leads_back[edge.index()]
    }

    /// An edge that begins outside with all that may follow it in its section.
    pub(super) fn ahead(&self, edge: EdgeId, from: LocId) -> Vec<EdgeId> {
        let steps = self.out.get(&(from, 0)).into_iter().flatten().filter(|(other, _)| *other == edge);
        self.rest(edge, steps.map(|(_, to)| *to).collect(), &self.out)
    }

    /// An edge with all that may come before it in its section, if it begins as deep inside of one as this.
    pub(super) fn behind(&self, edge: EdgeId, from: LocId, depth: u32) -> Vec<EdgeId> {
        self.rest(edge, vec![(from, depth)], &self.into)
    }

    fn rest(&self, edge: EdgeId, first: Vec<At>, ways: &Ways) -> Vec<EdgeId> {
        let mut found = vec![edge];
        let (mut seen, mut open): (FxHashSet<At>, Vec<At>) = (first.iter().copied().collect(), first);
        while let Some(at) = open.pop() {
            if at.1 == 0 {
                continue;
            }
            for (edge, next) in ways.get(&at).into_iter().flatten() {
                if !found.contains(edge) {
                    found.push(*edge);
                }
                if seen.insert(*next) {
                    open.push(*next);
                }
            }
        }
        found
    }
}
