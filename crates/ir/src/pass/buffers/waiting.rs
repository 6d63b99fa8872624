//! What waits in a buffer, as far as control knows it, and which of it may reach memory next?
//!
//! Invariant: as in the interpreter's buffers, a barrier has a store in front of it, and there are no two in a row.

use crate::access::bytes_of;
use crate::memory::RegionId;
use crate::model::Model;
use crate::source::Span;
use crate::stmt::{Place, SiteId};
use logic::{Pool, TermId};

/// One thing that waits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Pending {
    Store(Late),
    /// Nothing behind it reaches memory before what is in front of it.
    Barrier,
}

/// A store that waits. Its terms are constants or variables that nothing else writes while it waits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Late {
    pub(super) place: Place,
    pub(super) value: TermId,
    pub(super) span: Span,
    pub(super) site: SiteId,
}

/// How two places lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Overlap {
    Apart,
    Same,
    /// They have some bytes in common, or the same bytes read in another way.
    Partly,
    /// That depends on addresses that are computed.
    Depends,
}

pub(super) fn overlap(pool: &Pool, a: &Place, b: &Place) -> Overlap {
    match (*a, *b) {
        (Place::Var(a), Place::Var(b)) if a == b => Overlap::Same,
        (Place::Mem { addr: a, sort: s, region: r }, Place::Mem { addr: b, sort: t, region: q }) => {
            if r != q && r != RegionId::ANYWHERE && q != RegionId::ANYWHERE {
                return Overlap::Apart;
            }
            if (a, s) == (b, t) {
                return Overlap::Same;
            }
            let start = |term| pool.as_const(term).map(|value| u128::from(value.as_bv().as_u64()));
            match (start(a), start(b)) {
                (Some(x), Some(y)) if x >= y + u128::from(bytes_of(t)) || y >= x + u128::from(bytes_of(s)) => {
                    Overlap::Apart
                }
                (Some(_), Some(_)) => Overlap::Partly,
                _ => Overlap::Depends,
            }
        }
        _ => Overlap::Apart,
    }
}

/// That the places have no byte in common, where that depends on their addresses.
pub(super) fn apart(pool: &mut Pool, a: &Place, b: &Place) -> TermId {
    let (Place::Mem { addr: a, sort: s, .. }, Place::Mem { addr: b, sort: t, .. }) = (*a, *b) else {
        return pool.bool(overlap(pool, a, b) == Overlap::Apart);
    };
    let width = pool.sort(a).width().expect("an address is a word");
    let (m, n) = (pool.bv(width, bytes_of(s)), pool.bv(width, bytes_of(t)));
    let (up, down) = (pool.sub(a, b), pool.sub(b, a));
    let (above, below) = (pool.uge(up, n), pool.uge(down, m));
    pool.and(above, below)
}

pub(super) fn n_stores(buffer: &[Pending]) -> usize {
    buffer.iter().filter(|pending| matches!(pending, Pending::Store(_))).count()
}

pub(super) fn push_barrier(buffer: &mut Vec<Pending>) {
    if matches!(buffer.last(), Some(Pending::Store(_))) {
        buffer.push(Pending::Barrier);
    }
}

/// A store that may be the next to reach memory.
pub(super) struct Next {
    pub(super) late: Late,
    /// Under this condition, if there is one.
    pub(super) cond: Option<TermId>,
    /// How many older stores of the same statement wait.
    pub(super) number: u32,
    /// What waits then.
    pub(super) left: Vec<Pending>,
}

/// All of them.
pub(super) fn next(pool: &mut Pool, model: Model, buffer: &[Pending]) -> Vec<Next> {
    let n_free = match model {
        Model::Tso => 1,
        _ => buffer.iter().position(|pending| *pending == Pending::Barrier).unwrap_or(buffer.len()),
    };
    (0..n_free.min(buffer.len())).filter_map(|at| next_at(pool, buffer, at)).collect()
}

fn next_at(pool: &mut Pool, buffer: &[Pending], at: usize) -> Option<Next> {
    let Pending::Store(late) = buffer[at] else { return None };
    let mut conds = Vec::new();
    let mut number = 0;
    for older in &buffer[..at] {
        let Pending::Store(older) = older else { continue };
        number += u32::from(older.site == late.site);
        match overlap(pool, &older.place, &late.place) {
            Overlap::Apart => {}
            Overlap::Same | Overlap::Partly => return None,
            Overlap::Depends => conds.push(apart(pool, &older.place, &late.place)),
        }
    }
    let mut left: Vec<Pending> = buffer.to_vec();
    left.remove(at);
    if at > 0 && left.get(at) == Some(&Pending::Barrier) && left[at - 1] == Pending::Barrier {
        left.remove(at);
    }
    let n_front = left.iter().take_while(|pending| **pending == Pending::Barrier).count();
    left.drain(..n_front);
    let cond = (!conds.is_empty()).then(|| pool.and_all(&conds));
    Some(Next { late, cond, number, left })
}

/// Brings stores whose order means nothing into one order: under `pso` those of places that are known to be apart. Stores of one statement keep theirs, by which
/// commits name them.
pub(super) fn normalise(pool: &Pool, model: Model, buffer: &mut [Pending]) {
    if model != Model::Pso {
        return;
    }
    for end in 1..buffer.len() {
        let mut at = end;
        while at > 0 {
            let (Pending::Store(first), Pending::Store(second)) = (&buffer[at - 1], &buffer[at]) else { break };
            let is_free = overlap(pool, &first.place, &second.place) == Overlap::Apart && first.site != second.site;
            if !is_free || first.site <= second.site {
                break;
            }
            buffer.swap(at - 1, at);
            at -= 1;
        }
    }
}
