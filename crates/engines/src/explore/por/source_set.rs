//! Which threads must run in a state, so that nothing is missed? A source set.
//!
//! Known as: source sets \[Abdulla14], persistent sets and stubborn sets \[Godefroid96] \[Valmari89], ample sets; over abstract states AASPOR,
//! abstraction-aware static partial order reduction \[Telbisz24]. This is Algorithm 1 of \[Telbisz24] ch. 3.3 on whole threads.
//!
//! Start with a thread that can run; as long as what a thread outside may do, now or later, matters for the next step of one inside, take it
//! in. A thread that was taken in but waits cannot run first, but whoever may let it go on could; so these are taken in too, which is what makes
//! *may-enabled* actions of Definition 9 count. Among the sets that start with different threads the smallest is chosen, one that leaves loops
//! alone first.
//!
//! Engines differ in what they know, not in the algorithm. One that has the concrete state knows exactly who can run and what each step touches.
//! One that has an abstract state may not know that a thread waits, while the proof (Theorem 3) uses that a thread inside can go on. So a
//! set counts only if one of its threads surely goes on: it does not wait at all, or the state says that what it waits for holds, or the
//! abstraction knows nothing about what it waits for, in which case some state that it cannot tell apart lets it go on. A set with a step that may
//! end the process does not count either, since that step disables all others.
//!
//! Invariant: no sequence of steps of threads outside matters for what the threads inside do next, nor lets one of them go on that waits;
//! or all that can run are chosen. That nobody is put off for ever is up to `cycle_proviso`.

use super::dependence::{Future, Next};
use super::threads::ThreadSet;
use smallvec::SmallVec;

/// What an engine knows about the threads of a state.
pub trait Threads {
    /// Fills in what a thread can do next. It is asked once for each thread and given a blank.
    fn probe(&mut self, thread: usize, next: &mut Next);
    /// What a thread may touch from now on.
    fn future(&self, thread: usize) -> &Future;
    /// Whether a thread that may run surely does, in every concrete state that differs only in what the engine does not know.
    fn surely_runs(&mut self, thread: usize) -> bool;
}

/// Computes source sets, state by state.
#[derive(Clone, Debug, Default)]
pub struct SourceSets {
    next: Vec<Next>,
    known: ThreadSet,
}

/// From so many threads on not every one is tried as the first of a set.
const MANY: usize = 12;

impl SourceSets {
    /// A source set among the threads: none exactly if no thread can run.
    pub fn smallest(&mut self, threads: &mut impl Threads, alive: &ThreadSet) -> ThreadSet {
        self.known = ThreadSet::default();
        self.next.resize_with(self.next.len().max(alive.last().map_or(0, |last| last + 1)), Next::default);
        let mut best: Option<((usize, bool), ThreadSet)> = None;
        let has_many = alive.len() > MANY;
        let mut tried: Vec<*const Future> = Vec::new();
        for seed in alive.iter() {
            // Of many threads those at one location are likely to have sets of one size; one of them is tried.
            if has_many && tried.contains(&std::ptr::from_ref(threads.future(seed))) {
                continue;
            }
            if !self.next(seed, threads).can_run {
                continue;
            }
            tried.push(threads.future(seed));
            let Some(closed) = self.closure(seed, alive, threads) else { continue };
            let chosen: ThreadSet = closed.iter().filter(|thread| self.next[*thread].can_run).collect();
            if !chosen.iter().any(|thread| threads.surely_runs(thread)) {
                continue;
            }
            let rank = (chosen.len(), chosen.iter().any(|thread| self.next[thread].is_in_loop));
            if best.as_ref().is_none_or(|(other, _)| rank < *other) {
                best = Some((rank, chosen));
            }
            if rank == (1, false) {
                break;
            }
        }
        match best {
            Some((_, chosen)) => chosen,
            None => alive.iter().filter(|thread| self.next(*thread, threads).can_run).collect(),
        }
    }

    /// Whether a step of one of these threads, which were asked about last, needs all others to run as well.
    pub fn needs_all(&self, threads: &ThreadSet) -> bool {
        let mut known = threads.iter().filter(|thread| self.known.contains(*thread));
        known.any(|thread| self.next[thread].can_run && self.next[thread].needs_all)
    }

    fn next(&mut self, thread: usize, threads: &mut impl Threads) -> &Next {
        let next = &mut self.next[thread];
        if !self.known.contains(thread) {
            self.known.insert(thread);
            next.clear();
            threads.probe(thread, next);
        }
        next
    }

    /// All threads that have to be considered if the seed runs; none if a step inside needs all others to run.
    fn closure(&mut self, seed: usize, alive: &ThreadSet, threads: &mut impl Threads) -> Option<ThreadSet> {
        let mut inside = ThreadSet::of(seed);
        let mut todo: SmallVec<[usize; 8]> = SmallVec::from_slice(&[seed]);
        while let Some(thread) = todo.pop() {
            let next = self.next(thread, threads);
            if next.can_run && next.needs_all {
                return None;
            }
            for other in alive.iter() {
                if !inside.contains(other) && next.depends_on(other, threads.future(other)) {
                    inside.insert(other);
                    todo.push(other);
                }
            }
        }
        Some(inside)
    }
}
