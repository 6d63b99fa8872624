//! What is left of program order where stores are buffered? What can be noticed of total and of partial store order.
//!
//! The node of a buffered store is when it reaches memory. Program order is walked from the start, and two sets are carried along: the last nodes
//! at which statements ran, and the last at which stores reached memory. A statement is after the former alone, so it may come before its
//! thread's older stores do; a store is after both, or under partial store order after the former and barriers; a fence is after both.
//! Stores to one cell stay in order: where addresses are terms, if these are equal.
//!
//! Invariant: an edge between two nodes holds whenever both happen, and one *through* a node whether it happens or not. A fence that does not
//! happen keeps nothing in order, so where control may pass it by, the edges from stores to it depend on its guard.
//! All other edges through a node that does not happen are there without it.

use super::{Edge, Events, Kind, START};
use crate::order::{Closure, topological};
use logic::{Pool, TermId, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The nodes that whatever comes next may have to be after.
#[derive(Clone, Debug, Default)]
struct Last {
    ran: Rc<Vec<u32>>,
    stored: Rc<Vec<u32>>,
}

/// Weakens program order to total or, with `is_partial`, to partial store order. `guard_of` says when a fence or barrier happens if
/// something behind it can happen without it.
pub fn relax(events: &mut Events, pool: &mut Pool, is_partial: bool, guard_of: &dyn Fn(u32) -> Option<TermId>) {
    let n = events.n_nodes();
    let program = Closure::new(n, &events.fixed);
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (from, to) in std::mem::take(&mut events.fixed) {
        before[to as usize].push(from);
    }
    let program_edges: Vec<(u32, u32)> =
        before.iter().enumerate().flat_map(|(to, from)| from.iter().map(move |from| (*from, to as u32))).collect();
    let mut last: Vec<Last> = vec![Last::default(); n];
    for node in topological(n, &program_edges).expect("program order has no cycles") {
        let came = merge(&before[node as usize], &last);
        let kind = events.kind_of[node as usize];
        let own = || Rc::new(vec![node]);
        last[node as usize] = match kind {
            Kind::Run => {
                after(events, &came.ran, node);
                Last { ran: own(), stored: came.stored }
            }
            Kind::Commit => {
                after(events, &came.ran, node);
                let stored = if is_partial {
                    let is_barrier = |other: &u32| events.kind_of[*other as usize] == Kind::Barrier;
                    let barriers: Vec<u32> = came.stored.iter().copied().filter(is_barrier).collect();
                    after(events, &barriers, node);
                    let mut all = came.stored.to_vec();
                    all.push(node);
                    Rc::new(all)
                } else {
                    after(events, &came.stored, node);
                    own()
                };
                Last { ran: came.ran, stored }
            }
            Kind::Barrier | Kind::Fence => {
                let guard = guard_of(node);
                let (stores, others): (Vec<u32>, Vec<u32>) =
                    came.stored.iter().partition(|other| events.kind_of[**other as usize] == Kind::Commit);
                after(events, &others, node);
                match guard {
                    None => after(events, &stores, node),
                    Some(cond) => {
                        events.edges.extend(stores.iter().map(|from| Edge { cond, from: *from, to: node }));
                    }
                }
                // Where control may pass by, what is in front of the stores' fence may still be waited for by the next one.
                let mut stored = vec![node];
                if guard.is_some() {
                    stored.extend(came.stored.iter());
                }
                if kind == Kind::Fence {
                    after(events, &came.ran, node);
                    Last { ran: own(), stored: Rc::new(stored) }
                } else {
                    Last { ran: came.ran, stored: Rc::new(stored) }
                }
            }
        };
    }
    events.program = Some(program);
    if is_partial {
        keep_cells_in_order(events, pool);
    }
}

fn after(events: &mut Events, before: &[u32], node: u32) {
    events.fixed.extend(before.iter().filter(|from| **from != node).map(|from| (*from, node)));
}

/// What comes from all ways that lead to a node.
fn merge(before: &[u32], last: &[Last]) -> Last {
    match before {
        [] => Last::default(),
        [one] => last[*one as usize].clone(),
        several => {
            let of = |part: fn(&Last) -> &Rc<Vec<u32>>| {
                let mut all: Vec<u32> =
                    several.iter().flat_map(|from| part(&last[*from as usize]).iter().copied()).collect();
                all.sort_unstable();
                all.dedup();
                Rc::new(all)
            };
            Last { ran: of(|last| &last.ran), stored: of(|last| &last.stored) }
        }
    }
}

/// Stores of one thread to one cell reach memory in program order.
fn keep_cells_in_order(events: &mut Events, pool: &mut Pool) {
    let mut by_place: FxHashMap<(u32, u32), Vec<usize>> = FxHashMap::default();
    for (index, write) in events.writes.iter().enumerate() {
        if events.kind_of[write.node as usize] == Kind::Commit && write.node != START {
            by_place.entry((write.thread, write.place)).or_default().push(index);
        }
    }
    let mut n_writes: FxHashMap<u32, u32> = FxHashMap::default();
    for write in &events.writes {
        *n_writes.entry(write.node).or_default() += 1;
    }
    let mut groups: Vec<((u32, u32), Vec<usize>)> = by_place.into_iter().collect();
    groups.sort_unstable();
    for (_, group) in groups {
        for (at, later) in group.iter().enumerate() {
            for earlier in &group[..at] {
                let (a, b) = (events.writes[*earlier], events.writes[*later]);
                if a.node == b.node || !events.is_earlier(a.node, b.node) {
                    continue;
                }
                let same = match (a.addr, b.addr) {
                    (Some(a), Some(b)) => pool.eq(a, b),
                    _ => pool.bool(true),
                };
                // Through a node that writes several cells and does not happen there would be an order between stores to different ones.
                let is_one = n_writes[&a.node] == 1 && n_writes[&b.node] == 1;
                let cond = if is_one && pool.as_const(same).is_some() {
                    same
                } else {
                    pool.and_all(&[a.guard, b.guard, same])
                };
                match pool.as_const(cond) {
                    Some(Value::Bool(false)) => {}
                    Some(_) => events.fixed.push((a.node, b.node)),
                    None => events.edges.push(Edge { cond, from: a.node, to: b.node }),
                }
            }
        }
    }
}

impl Events {
    /// Whether program order has one node before another; unlike `fixed` also where the order of their effects is free.
    pub fn is_earlier(&self, a: u32, b: u32) -> bool {
        self.program.as_ref().is_some_and(|program| program.is_before(a, b))
    }
}
