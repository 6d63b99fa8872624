//! Which threads must run in a state, so that nothing is missed? A source set, from what each may touch next and later.
//!
//! Algorithm 1 of 000 ch. 3.3 with the syntactic dependency relation, on whole threads: start with one that can run; as long as
//! a thread outside may later touch what a thread inside touches next (one of them writing), take it in. A thread that was taken in
//! but waits cannot run first, but whoever may make it go on could; so these are taken in too. What a waiting thread would
//! do after that is part of its own future, which is why it was taken in. This is what makes *may-enabled* actions of
//! Definition 9 count. Among the sets that start with different threads the smallest is chosen.
//!
//! Invariant: no sequence of steps of threads outside touches what the threads inside touch next, nor lets one of them
//! go on that waits. The cycle proviso, and what to do where a step ends all threads, is up to the search.

use super::future::Summary;
use super::targets::{THREADS, TargetId};
use smallvec::SmallVec;

/// Some targets.
pub type TargetList = SmallVec<[TargetId; 4]>;

/// What a thread can do in a state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Next {
    /// Whether it can take a step.
    pub can_run: bool,
    /// What its steps read, tried ones that cannot be taken included.
    pub reads: TargetList,
    /// What its steps write.
    pub writes: TargetList,
    /// If it waits for a thread, which.
    pub joins: Option<usize>,
    /// Whether all others must run as well: a step may end them or keep them from running.
    pub needs_all: bool,
}

/// A source set among the threads, as a set of indices; `None` if no thread can run. `next` is asked for each thread at most
/// once, `future` is what each thread may touch from now on.
pub fn source_set<'f>(
    alive: u64,
    next: &mut dyn FnMut(usize) -> Next,
    future: &dyn Fn(usize) -> &'f Summary,
) -> Option<u64> {
    let mut known: Vec<Option<Next>> = vec![None; 64];
    let mut ask = |thread: usize| -> Next {
        if known[thread].is_none() {
            known[thread] = Some(next(thread));
        }
        known[thread].clone().expect("it was just set")
    };
    let mut best: Option<u64> = None;
    for seed in members(alive) {
        if !ask(seed).can_run {
            continue;
        }
        let closed = closure(seed, alive, &mut ask, future);
        let chosen = members(closed).filter(|thread| ask(*thread).can_run).fold(0u64, |set, thread| set | 1 << thread);
        if best.is_none_or(|best| chosen.count_ones() < best.count_ones()) {
            best = Some(chosen);
        }
        if chosen.count_ones() == 1 {
            break;
        }
    }
    best
}

fn closure<'f>(
    seed: usize,
    alive: u64,
    ask: &mut dyn FnMut(usize) -> Next,
    future: &dyn Fn(usize) -> &'f Summary,
) -> u64 {
    let mut inside = 1u64 << seed;
    let mut queue: SmallVec<[usize; 8]> = SmallVec::from_slice(&[seed]);
    while let Some(thread) = queue.pop() {
        let next = ask(thread);
        if next.can_run && next.needs_all {
            return alive;
        }
        for other in members(alive & !inside) {
            let depends = if next.can_run {
                future(other).conflicts(&next.reads, &next.writes)
            } else {
                may_enable(&next, other, future(other))
            };
            if depends {
                inside |= 1 << other;
                queue.push(other);
            }
        }
    }
    inside
}

/// Whether another thread may do what a thread waits for.
fn may_enable(next: &Next, other: usize, future: &Summary) -> bool {
    let may_start = future.writes.contains(THREADS as usize);
    next.joins.is_some_and(|joined| joined == other || may_start)
        || future.may_write(&next.reads)
        || future.may_write(&next.writes)
}

/// The indices in a set, ascending.
pub fn members(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            index
        })
    })
}
