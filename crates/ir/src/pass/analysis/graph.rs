//! The automaton as a graph: order of visit, cycles, and throwing away what cannot be reached.
//!
//! Invariant of `trim`: the paths from the entry stay the same, edge by edge; only names of locations and edges change.

use crate::program::{Edge, EdgeId, LocId, Proc};
use crate::stmt::{CheckKind, Op, Stmt};
use fixedbitset::FixedBitSet;
use logic::{Pool, Value};

/// Whether control never reaches the end of the edge: it ends the thread, or an `Assume` or `Check` in it is constantly
/// false. A failing `Overflow` check does not count: where overflow is not in question, execution goes on.
pub(in crate::pass) fn is_dead_end(pool: &Pool, stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.op {
        Op::Check { kind: CheckKind::Overflow, .. } => false,
        Op::Assume(cond) | Op::Check { cond, .. } => pool.as_const(*cond) == Some(&Value::Bool(false)),
        Op::Return(_) | Op::ExitThread(_) | Op::ExitProcess { .. } => true,
        _ => false,
    })
}

/// The reachable locations in reverse post-order: each before its successors, back edges aside.
pub fn reverse_post_order(proc: &Proc, out: &[Vec<EdgeId>]) -> Vec<LocId> {
    let mut seen = FixedBitSet::with_capacity(proc.locs.len());
    let mut order = Vec::new();
    let mut stack = vec![(proc.entry, 0)];
    seen.insert(proc.entry.index());
    while let Some((loc, next)) = stack.pop() {
        let Some(edge) = out[loc.index()].get(next) else {
            order.push(loc);
            continue;
        };
        stack.push((loc, next + 1));
        let to = proc.edges[edge.index()].to;
        if !seen.put(to.index()) {
            stack.push((to, 0));
        }
    }
    order.reverse();
    order
}

/// The locations where a back edge of the depth-first search ends; every cycle goes through one of them.
pub fn loop_heads(proc: &Proc, out: &[Vec<EdgeId>]) -> FixedBitSet {
    let n = proc.locs.len();
    let (mut seen, mut open) = (FixedBitSet::with_capacity(n), FixedBitSet::with_capacity(n));
    let mut heads = FixedBitSet::with_capacity(n);
    let mut stack = vec![(proc.entry, 0)];
    seen.insert(proc.entry.index());
    open.insert(proc.entry.index());
    while let Some((loc, next)) = stack.pop() {
        let Some(edge) = out[loc.index()].get(next) else {
            open.set(loc.index(), false);
            continue;
        };
        stack.push((loc, next + 1));
        let to = proc.edges[edge.index()].to.index();
        if open.contains(to) {
            heads.insert(to);
        }
        if !seen.put(to) {
            open.insert(to);
            stack.push((LocId(to as u32), 0));
        }
    }
    heads
}

/// All locations that can be reached from these by edges, these included.
pub fn reachable_from(proc: &Proc, out: &[Vec<EdgeId>], starts: impl IntoIterator<Item = LocId>) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(proc.locs.len());
    let mut queue: Vec<LocId> = starts.into_iter().filter(|loc| !seen.put(loc.index())).collect();
    while let Some(loc) = queue.pop() {
        for edge in &out[loc.index()] {
            let to = proc.edges[edge.index()].to;
            if !seen.put(to.index()) {
                queue.push(to);
            }
        }
    }
    seen
}

/// The strongly connected component of each location, numbered in reverse topological order, and whether it is a cycle.
pub struct Components {
    /// The component of each location.
    pub of: Vec<u32>,
    /// Whether the component has a cycle, by component.
    pub is_cycle: Vec<bool>,
}

impl Components {
    /// Those of a procedure.
    pub fn new(proc: &Proc, out: &[Vec<EdgeId>]) -> Components {
        let next = |loc: usize| out[loc].iter().map(|edge| proc.edges[edge.index()].to.index());
        let found = logic::Components::new(proc.locs.len(), next);
        let is_cycle = |members: &[usize]| members.len() > 1 || next(members[0]).any(|to| to == members[0]);
        let is_cycle = found.members().map(is_cycle).collect();
        Components { of: found.of, is_cycle }
    }

    /// Whether an edge between the locations can be taken more than once.
    pub fn is_repeated(&self, from: LocId, to: LocId) -> bool {
        let component = self.of[from.index()];
        component == self.of[to.index()] && self.is_cycle[component as usize]
    }
}

/// Drops edges that cannot be taken and locations that cannot be reached, and numbers the rest in reverse post-order.
/// Edges that control never leaves (`is_dead_end`) are led to the exit; loop heads are marked anew.
pub(in crate::pass) fn trim(pool: &Pool, proc: &mut Proc) {
    let exit = proc.exit;
    let never = |edge: &Edge| {
        let first_effect =
            edge.stmts.iter().position(|stmt| !matches!(stmt.op, Op::Assume(_) | Op::Assign { .. } | Op::Havoc { .. }));
        edge.stmts[..first_effect.unwrap_or(edge.stmts.len())]
            .iter()
            .any(|stmt| matches!(stmt.op, Op::Assume(cond) if pool.as_const(cond) == Some(&Value::Bool(false))))
    };
    proc.edges.retain(|edge| !never(edge));
    for edge in &mut proc.edges {
        if is_dead_end(pool, &edge.stmts) {
            edge.to = exit;
        }
    }
    let order = reverse_post_order(proc, &proc.out_edges());
    let mut name = vec![None; proc.locs.len()];
    let mut locs = Vec::new();
    let kept = order.iter().copied().chain((!order.contains(&exit)).then_some(exit));
    for loc in kept {
        name[loc.index()] = Some(LocId(locs.len() as u32));
        locs.push(proc.locs[loc.index()].clone());
    }
    proc.locs = locs;
    proc.edges.retain_mut(|edge| {
        let (Some(from), Some(to)) = (name[edge.from.index()], name[edge.to.index()]) else { return false };
        (edge.from, edge.to) = (from, to);
        true
    });
    proc.edges.sort_by_key(|edge| edge.from);
    proc.entry = name[proc.entry.index()].expect("the entry is reachable");
    proc.exit = name[exit.index()].expect("the exit is always kept");
    let heads = loop_heads(proc, &proc.out_edges());
    for (index, loc) in proc.locs.iter_mut().enumerate() {
        loc.is_loop_head = heads.contains(index);
    }
}
