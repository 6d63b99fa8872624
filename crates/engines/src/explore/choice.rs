//! Which threads must run from an abstract state, so that no error is missed? A source set, for any number of threads.
//!
//! Algorithm 1 of 000 ch. 3.3 on whole threads: begin with a thread that can run, and take in every thread whose future may touch what the
//! next step of one inside touches. Which touches count is up to the caller: all of them (the syntactic relation) or only those of targets that the
//! abstraction knows something about (the abstraction-based one). The set with the fewest threads is taken, one that leaves loops alone first.
//!
//! The proof (Theorem 3) uses that a thread can always go on by one of its edges. A thread that may have to wait breaks that: the abstract
//! state may not know that it waits. So a set counts only if one of its threads surely goes on: it does not wait at all, or the state says that
//! what it waits for holds, or the abstraction knows nothing about what it waits for, in which case some state that it cannot tell
//! apart lets it go on. A set with a step that may end the process does not count either, since that step disables all others.
//!
//! Invariant: the result is a source set for the partially feasible traces from the state (Definition 8), or all that can run.

use super::future::Summary;
use super::targets::{THREADS, TargetId};
use fixedbitset::FixedBitSet;

/// Whom a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Joins {
    /// Nobody.
    Nobody,
    /// This thread, which has not ended.
    Thread(u32),
    /// It is not known.
    Anybody,
}

/// What is asked about the threads of a state.
pub trait Threads {
    /// How many threads there are.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Whether the thread may take a step.
    fn can_run(&mut self, thread: u32) -> bool;
    /// Whether it surely may, in every concrete state that differs only in what the abstraction does not know.
    fn surely_runs(&mut self, thread: u32) -> bool;
    /// Whether its next step may end the process.
    fn may_end(&self, thread: u32) -> bool;
    /// Whether it stands in a loop.
    fn is_in_loop(&self, thread: u32) -> bool;
    /// What its next steps read and write, as far as it counts.
    fn next(&mut self, thread: u32) -> (Vec<TargetId>, Vec<TargetId>);
    /// Whom it waits for.
    fn joins(&mut self, thread: u32) -> Joins;
    /// What it may touch from now on.
    fn future(&self, thread: u32) -> &Summary;
}

/// The threads to run.
pub fn source_set(threads: &mut dyn Threads, candidates: &[u32]) -> Vec<u32> {
    let mut best: Option<(usize, bool, Vec<u32>)> = None;
    for seed in candidates {
        if !threads.can_run(*seed) || threads.may_end(*seed) {
            continue;
        }
        let limit = best.as_ref().map_or(usize::MAX, |best| best.0);
        let Some(inside) = closure(threads, candidates, *seed, limit) else { continue };
        if inside.iter().any(|thread| threads.may_end(*thread)) {
            continue;
        }
        let chosen: Vec<u32> = inside.into_iter().filter(|thread| threads.can_run(*thread)).collect();
        if !chosen.iter().any(|thread| threads.surely_runs(*thread)) {
            continue;
        }
        let loops = chosen.iter().any(|thread| threads.is_in_loop(*thread));
        let rank = (chosen.len(), loops);
        if best.as_ref().is_none_or(|(size, loops, _)| rank < (*size, *loops)) {
            best = Some((chosen.len(), loops, chosen));
        }
        if rank == (1, false) {
            break;
        }
    }
    match best {
        Some((_, _, chosen)) => chosen,
        None => candidates.iter().copied().filter(|thread| threads.can_run(*thread)).collect(),
    }
}

/// All threads that have to run if the seed does; `None` if that is more than the limit.
fn closure(threads: &mut dyn Threads, candidates: &[u32], seed: u32, limit: usize) -> Option<Vec<u32>> {
    let mut inside = vec![seed];
    // By position among the candidates.
    let mut is_inside = FixedBitSet::with_capacity(candidates.len());
    is_inside.extend(candidates.iter().position(|thread| *thread == seed));
    let mut at = 0;
    while at < inside.len() {
        let thread = inside[at];
        at += 1;
        let (reads, writes) = threads.next(thread);
        let joins = threads.joins(thread);
        for (position, other) in candidates.iter().enumerate() {
            if is_inside.contains(position) {
                continue;
            }
            let future = threads.future(*other);
            let ends_wait = match joins {
                Joins::Nobody => false,
                Joins::Thread(joined) => joined == *other || future.writes.contains(THREADS as usize),
                Joins::Anybody => true,
            };
            if ends_wait || future.conflicts(&reads, &writes) {
                is_inside.insert(position);
                inside.push(*other);
            }
        }
        if inside.len() > limit && limit == 1 {
            return None;
        }
    }
    Some(inside)
}
