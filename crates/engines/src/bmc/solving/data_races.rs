//! Which accesses may race? Those that conflict and can be pending at the same time.
//!
//! As in `ir::interp::race`, seen from states: two threads are about to access the same bytes, one of them to write, not both atomically.
//! A node stands for that moment: it is after what both threads did before, and before both accesses. Where an access is inside of an atomic section, or
//! waits, the moment is that access itself, since what it does depends on the state it finds. A thread that is started inside of the same section is about to
//! do its first access as soon as it is started: that one races with what comes later in the section, although it cannot happen earlier.

use crate::bmc::unrolled::{Access, Unrolled};
use logic::{Pool, Sort, TermId, Value};
use memory::events::{Edge, START};
use memory::order::Closure;
use rustc_hash::FxHashMap;

/// Two accesses that may race.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    /// When they do.
    pub(crate) cond: TermId,
    /// Which, as indices; the first one is not inside of a section.
    pub(crate) accesses: [usize; 2],
    /// The moment at which both are pending.
    pub(crate) node: u32,
    /// Whether the second one is inside of a section, which stops there.
    pub(crate) is_inside: bool,
    /// Whether the second one is the first access of a thread that was started just before the first one: it comes afterwards.
    pub(crate) is_late: bool,
}

/// The node for the moment at which two accesses are pending, if some may race.
pub(crate) fn moment(unrolled: &mut Unrolled) -> Option<u32> {
    (!unrolled.accesses.is_empty()).then(|| unrolled.events.node(u32::MAX, &[START]))
}

/// All pairs that may race; the orders that they need are added to the events. `closure` is that of program order.
pub(crate) fn pairs(unrolled: &mut Unrolled, moment: u32, closure: &Closure) -> Vec<Pair> {
    let accesses = std::mem::take(&mut unrolled.accesses);
    let mut selector: Vec<Option<TermId>> = vec![None; accesses.len()];
    let mut by_place: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    let mut pairs = Vec::new();
    for (j, b) in accesses.iter().enumerate() {
        let same_place = by_place.entry(b.place).or_default();
        for i in same_place.iter().copied() {
            let a = &accesses[i];
            if a.thread == b.thread || !(a.is_write || b.is_write) || a.is_atomic && b.is_atomic {
                continue;
            }
            let is_ordered = closure.is_before(a.node, b.node) || closure.is_before(b.node, a.node);
            let late =
                [(i, j), (j, i)].into_iter().find(|(i, j)| starts_before(unrolled, &accesses[*i], &accesses[*j]));
            if is_ordered && late.is_none() {
                continue;
            }
            let pool = &mut unrolled.pool;
            let overlap = overlap(pool, a, b);
            let cond = pool.and_all(&[a.guard, b.guard, overlap]);
            if pool.as_const(cond) == Some(&Value::Bool(false)) {
                continue;
            }
            if let Some((first, second)) = late {
                let node = accesses[second].node;
                pairs.push(Pair { cond, accesses: [first, second], node, is_inside: false, is_late: true });
                continue;
            }
            // The one that is alone comes first.
            let (first, second) = if a.is_inside { (j, i) } else { (i, j) };
            let (cond, node) = if accesses[second].is_inside {
                let node = accesses[second].node;
                let together = fresh(pool);
                let racing = accesses[second].racing.expect("accesses inside have one");
                let cond = pool.and(cond, racing);
                for before in &accesses[first].after {
                    unrolled.events.edges.push(Edge { cond: together, from: *before, to: node });
                }
                unrolled.events.edges.push(Edge { cond: together, from: node, to: accesses[first].node });
                (pool.and(cond, together), node)
            } else {
                let mut both = vec![cond];
                for index in [first, second] {
                    let chosen = *selector[index].get_or_insert_with(|| {
                        let chosen = fresh(pool);
                        for before in &accesses[index].after {
                            unrolled.events.edges.push(Edge { cond: chosen, from: *before, to: moment });
                        }
                        let to = accesses[index].node;
                        unrolled.events.edges.push(Edge { cond: chosen, from: moment, to });
                        chosen
                    });
                    both.push(chosen);
                }
                (pool.and_all(&both), moment)
            };
            let is_inside = accesses[second].is_inside;
            pairs.push(Pair { cond, accesses: [first, second], node, is_inside, is_late: false });
        }
        same_place.push(j);
    }
    unrolled.accesses = accesses;
    only_where_it_is(unrolled, &pairs);
    pairs
}

/// Whether the second one is the first access of a thread that the first one's section has started already.
fn starts_before(unrolled: &Unrolled, first: &Access, second: &Access) -> bool {
    let is_start = unrolled.threads[second.thread as usize].start == first.node;
    if !is_start || second.after.iter().any(|node| *node != first.node) {
        return false;
    }
    let records = &unrolled.threads[first.thread as usize].records;
    let earlier = records[..first.record as usize].iter().flat_map(|record| &record.starts);
    let own =
        records.get(first.record as usize).into_iter().flat_map(|record| record.starts.iter().take(first.n_started));
    earlier.chain(own).any(|child| *child == second.thread)
}

/// A section need not come to its end since a race is inside of it: only if that is so.
fn only_where_it_is(unrolled: &mut Unrolled, pairs: &[Pair]) {
    let pool = &mut unrolled.pool;
    for (index, access) in unrolled.accesses.iter().enumerate() {
        let Some(racing) = access.racing else { continue };
        let here: Vec<TermId> =
            pairs.iter().filter(|pair| !pair.is_late && pair.accesses[1] == index).map(|pair| pair.cond).collect();
        let here = pool.or_all(&here);
        unrolled.constraints.push(pool.implies(racing, here));
    }
}

fn fresh(pool: &mut Pool) -> TermId {
    let var = pool.declare("racing", Sort::Bool);
    pool.var(var)
}

/// Whether they touch a common byte.
fn overlap(pool: &mut Pool, a: &Access, b: &Access) -> TermId {
    let (Some(x), Some(y)) = (a.addr, b.addr) else { return pool.bool(true) };
    let Sort::Bv(width) = pool.sort(x) else { unreachable!("addresses are words") };
    let (m, n) = (pool.bv(width, a.bytes), pool.bv(width, b.bytes));
    let (forth, back) = (pool.sub(x, y), pool.sub(y, x));
    let (x_inside, y_inside) = (pool.ult(forth, n), pool.ult(back, m));
    pool.or(x_inside, y_inside)
}
