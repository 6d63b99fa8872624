//! Do two steps depend on each other? And may a step run now, or is an equivalent order explored anyway?
//!
//! Known as: monotonic (quasi-monotonic) partial order reduction, MPOR \[Kahlon09], as Algorithm 6 of \[Vrooman24].
//!
//! Quasi-monotonic pruning: each
//! thread remembers what it did last, until something that depends on it happens. A thread may not step while a later thread remembers a step
//! that the new one does not depend on: the other order is explored too. Every execution has an equivalent one that is kept.
//!
//! Different from \[Vrooman24], so that this is true:
//! - threads are ordered by names that do not depend on the schedule, not by the order in which they were started;
//! - the first step of a thread depends on the step that started it;
//! - equality of indices is asked of the path's assumptions, and references are always decided, so assumptions count for both.
//!
//! Treating independent steps as dependent only prunes less, so every doubt is a dependence.

use crate::symbolic::state::{Access, Last, State, Val};
use crate::symbolic::world::World;
use smallvec::SmallVec;

/// When a step counts as dependent on another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dependence {
    /// If they touch the same, one of them writing.
    Exact,
    /// Also if one of them touches anything: SR of \[Vrooman24]. Whatever is dependent is so here, too, so nothing is lost.
    Simple,
}

/// Which threads' memories the step of a thread wipes out; `None` if it must not run now.
pub(crate) fn may_run(
    world: &mut World<'_>,
    state: &State,
    at: usize,
    accesses: &[Access],
    dependence: Dependence,
) -> Option<SmallVec<[usize; 4]>> {
    let mut wiped = SmallVec::new();
    for other in 0..state.threads.len() {
        let Some(last) = state.threads[other].last.clone() else { continue };
        if other == at {
            continue;
        }
        let touches = !accesses.is_empty() || !last.accesses.is_empty();
        let is_simple = dependence == Dependence::Simple && touches;
        if is_simple || depends(world, state, at, accesses, other, &last) {
            wiped.push(other);
        } else if other > at {
            return None;
        }
    }
    Some(wiped)
}

/// Whether the step of a thread depends on the last one of another.
fn depends(world: &mut World<'_>, state: &State, at: usize, accesses: &[Access], other: usize, last: &Last) -> bool {
    let (me, them) = (&state.threads[at], &state.threads[other]);
    if !me.has_run && last.children.contains(&me.name) {
        return true;
    }
    for access in accesses {
        if *access == Access::Join && last.has_ended && world.is_below(them.name, me.name) {
            return true;
        }
        if last.accesses.iter().any(|theirs| conflict(world, state, *access, *theirs)) {
            return true;
        }
    }
    last.accesses.contains(&Access::Everything)
}

/// Table 4.1 of \[Vrooman24], with reads of whole arrays.
fn conflict(world: &mut World<'_>, state: &State, a: Access, b: Access) -> bool {
    match (a, b) {
        (Access::Everything, _) | (_, Access::Everything) => true,
        (
            Access::Field { object, slot, is_write },
            Access::Field { object: other, slot: other_slot, is_write: writes },
        ) => (is_write || writes) && object == other && slot == other_slot,
        (
            Access::Element { array, index, is_write },
            Access::Element { array: other, index: other_index, is_write: writes },
        ) => (is_write || writes) && array == other && may_be_equal(world, state, index, other_index),
        (Access::Element { array, is_write, .. }, Access::Elements { array: other })
        | (Access::Elements { array: other }, Access::Element { array, is_write, .. }) => is_write && array == other,
        (Access::Lock { object }, Access::Lock { object: other }) => object == other,
        _ => false,
    }
}

/// Whether two indices can be the same under what is assumed.
fn may_be_equal(world: &mut World<'_>, state: &State, a: Val, b: Val) -> bool {
    let equal = world.terms.eq(a, b);
    match (world.known(state, equal), equal) {
        (Some(known), _) => known,
        (None, Val::Term(term)) => world.is_feasible(state, Some(term)) != Some(false),
        (None, _) => true,
    }
}
