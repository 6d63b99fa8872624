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
use super::threads::ThreadSet;
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
    /// What its steps read of objects that only it can name now. Others cannot touch them any more, but may have done so before.
    pub own_reads: TargetList,
    /// Likewise what they write or end.
    pub own_writes: TargetList,
    /// If it waits for a thread, which.
    pub joins: Option<usize>,
    /// Whether all others must run as well: a step may end them or keep them from running.
    pub needs_all: bool,
}

impl Next {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
        self.own_reads.clear();
        self.own_writes.clear();
        (self.can_run, self.joins, self.needs_all) = (false, None, false);
    }

    /// Whether another thread with this future may do what the thread waits for.
    pub fn may_be_enabled_by(&self, other: usize, future: &Summary) -> bool {
        let may_start = future.writes.contains(THREADS as usize);
        self.joins.is_some_and(|joined| joined == other || may_start)
            || future.may_write(&self.reads)
            || future.may_write(&self.writes)
    }
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
    /// A source set among the threads; `None` if no thread can run. `probe` is asked for each thread
    /// at most once and given a blank answer to fill in; `future` is what each thread may touch from now on.
    pub fn smallest<'f>(
        &mut self,
        alive: &ThreadSet,
        probe: &mut dyn FnMut(usize, &mut Next),
        future: &dyn Fn(usize) -> &'f Summary,
    ) -> Option<ThreadSet> {
        self.known = ThreadSet::default();
        self.next.resize_with(self.next.len().max(alive.last().map_or(0, |last| last + 1)), Next::default);
        let mut best: Option<ThreadSet> = None;
        let has_many = alive.len() > MANY;
        let mut tried: Vec<*const Summary> = Vec::new();
        for seed in alive.iter() {
            // Of many threads those at one location are likely to have sets of one size; one of them is tried.
            if has_many && tried.contains(&std::ptr::from_ref(future(seed))) {
                continue;
            }
            if !self.next(seed, probe).can_run {
                continue;
            }
            tried.push(future(seed));
            let closed = self.closure(seed, alive, probe, future);
            let chosen: ThreadSet = closed.iter().filter(|thread| self.next[*thread].can_run).collect();
            let n_chosen = chosen.len();
            if best.as_ref().is_none_or(|best| n_chosen < best.len()) {
                best = Some(chosen);
            }
            if n_chosen == 1 {
                break;
            }
        }
        best
    }

    /// Whether a step of one of these threads, which were asked about last, needs all others to run as well.
    pub fn needs_all(&self, threads: &ThreadSet) -> bool {
        let mut known = threads.iter().filter(|thread| self.known.contains(*thread));
        known.any(|thread| self.next[thread].can_run && self.next[thread].needs_all)
    }

    fn next(&mut self, thread: usize, probe: &mut dyn FnMut(usize, &mut Next)) -> &Next {
        let next = &mut self.next[thread];
        if !self.known.contains(thread) {
            self.known.insert(thread);
            next.clear();
            probe(thread, next);
        }
        next
    }

    fn closure<'f>(
        &mut self,
        seed: usize,
        alive: &ThreadSet,
        probe: &mut dyn FnMut(usize, &mut Next),
        future: &dyn Fn(usize) -> &'f Summary,
    ) -> ThreadSet {
        let mut inside = ThreadSet::of(seed);
        let mut todo: SmallVec<[usize; 8]> = SmallVec::from_slice(&[seed]);
        while let Some(thread) = todo.pop() {
            let next = self.next(thread, probe);
            if next.can_run && next.needs_all {
                // All are taken in, and all are asked whether they can run.
                alive.iter().for_each(|thread| {
                    self.next(thread, probe);
                });
                return alive.clone();
            }
            for other in alive.iter() {
                if inside.contains(other) {
                    continue;
                }
                let depends = if next.can_run {
                    future(other).conflicts(&next.reads, &next.writes)
                } else {
                    next.may_be_enabled_by(other, future(other))
                };
                if depends {
                    inside.insert(other);
                    todo.push(other);
                }
            }
        }
        inside
    }
}
