//! Which threads turn out to be needed in a state? Those that, after a step taken there, touch what the step touched.
//!
//! Known as: dynamic partial order reduction, DPOR, backtrack sets \[Flanagan05], with summaries of visited states as in stateful DPOR \[Yang08].
//!
//! A state is first expanded with one thread only. When everything after a step has been explored, it is known what each thread touched there
//! (a *summary*). A thread that touched, later and elsewhere than the step's own thread, what the step touches must also run before the
//! step; so it is taken into the state's backtrack set, or, if it waits there, those are that may let it go on (`BacktrackSet`, which all
//! engines use; `Explored` is for a search in depth with packed summaries).
//!
//! The summary and the step together belong to the summary of the state. An object that only the step's thread can name when it takes the step
//! cannot be touched by others from then on, so nobody need run before the step for its sake; but others may have touched it before, so it belongs
//! to the summary. What a thread started later touched counts for the thread that started it.
//!
//! Threads that nobody lets go on touch nothing; but in another order they might have. So in a state from which there is no
//! step, or one that ends the process, all that its threads may ever touch counts.
//!
//! States are met again. A state that has been explored has its summary, which is remembered; one that is still on the stack
//! has none yet, so what its threads may ever touch (`dependence::Future`) stands in for it, and the cycle proviso of the search
//! applies. So a summary covers all that can happen after a state, up to the order of independent steps.
//!
//! Invariant: when a state leaves the stack, the threads that have run in it are a source set of it.

use super::super::targets::TargetId;
use super::dependence::{Future, Next};
use super::source_set::Threads;
use super::threads::ThreadSet;
use rustc_hash::FxHashMap;

/// The threads that have to be explored in a state, those that wait there included.
#[derive(Clone, Debug, Default)]
pub struct BacktrackSet(pub ThreadSet);

impl BacktrackSet {
    /// Takes a thread in, and if it waits those that may let it go on; all, if it is not sure to run or may end or keep out the others.
    pub fn require(&mut self, thread: usize, threads: &mut impl Threads, alive: &ThreadSet) {
        let mut todo = ThreadSet::of(thread);
        let mut next = Next::default();
        while let Some(thread) = todo.without(&self.0).first() {
            self.0.insert(thread);
            next.clear();
            threads.probe(thread, &mut next);
            if !next.can_run {
                let others = alive.without(&self.0);
                todo.add(&others.iter().filter(|other| next.depends_on(*other, threads.future(*other))).collect());
            } else if next.needs_all || !threads.surely_runs(thread) {
                self.0.add(alive);
            }
        }
    }
}

/// What each thread touches: for each thread a set of targets that are read, then one of those that are written.
pub(crate) type Touches = Vec<u64>;

/// Summaries that have been seen, each once.
#[derive(Default)]
pub(crate) struct Summaries {
    ids: FxHashMap<Box<[u64]>, u32>,
    all: Vec<Box<[u64]>>,
}

impl Summaries {
    /// The number of a summary.
    pub(crate) fn intern(&mut self, touches: &[u64]) -> u32 {
        if let Some(id) = self.ids.get(touches) {
            return *id;
        }
        let id = self.all.len() as u32;
        self.ids.insert(touches.into(), id);
        self.all.push(touches.into());
        id
    }

    /// The summary of that number.
    pub(crate) fn get(&self, id: u32) -> &[u64] {
        &self.all[id as usize]
    }
}

/// What is known of a state on the stack.
#[derive(Default)]
pub(crate) struct Explored {
    /// What was touched after it.
    pub(crate) touches: Touches,
    /// Who has to run in it.
    inside: BacktrackSet,
    /// What the step touches that is being explored.
    pub(crate) event: Next,
}

/// Words of a set of targets.
pub(crate) fn n_words(n_targets: usize) -> usize {
    n_targets.div_ceil(64)
}

/// All that threads may ever touch, as a summary.
pub(crate) fn all_futures<'f>(futures: impl ExactSizeIterator<Item = &'f Future>, words: usize, to: &mut Touches) {
    to.clear();
    to.resize(futures.len() * 2 * words, 0);
    for (thread, future) in futures.enumerate() {
        for (index, set) in [&future.reads, &future.writes].into_iter().enumerate() {
            for target in set.ones() {
                to[(2 * thread + index) * words + target / 64] |= 1 << (target % 64);
            }
        }
    }
}

/// Gives what was touched back to the threads as they were numbered before they were exchanged.
pub(crate) fn exchange_back(touches: &mut Touches, exchanged: &[u16], words: usize) {
    let now = touches.clone();
    for (set, before) in now.chunks(words).zip(exchanged) {
        touches[*before as usize * words..][..words].copy_from_slice(set);
    }
}

impl Explored {
    /// A state about to be explored with these threads.
    pub(crate) fn new(chosen: ThreadSet, n_threads: usize, words: usize) -> Explored {
        Explored { touches: vec![0; n_threads * 2 * words], inside: BacktrackSet(chosen), event: Next::default() }
    }

    /// Takes in what came after the step of a thread. Gives the threads that must run here too.
    pub(crate) fn absorb(
        &mut self,
        after: &mut Touches,
        threads: &mut impl Threads,
        alive: &ThreadSet,
        running: usize,
        words: usize,
    ) -> ThreadSet {
        let n_threads = self.touches.len() / (2 * words);
        // Threads that the step started did what they did on behalf of the running one.
        let (own, started) = after.split_at_mut(n_threads * 2 * words);
        for other in started.chunks(2 * words) {
            let mine = &mut own[running * 2 * words..][..2 * words];
            mine.iter_mut().zip(other).for_each(|(mine, theirs)| *mine |= theirs);
        }
        let conflicting = |thread: &usize| {
            let (reads, writes) = own[thread * 2 * words..][..2 * words].split_at(words);
            let has = |set: &[u64], target: TargetId| set[target as usize / 64] >> (target % 64) & 1 != 0;
            self.event.reads.iter().any(|target| has(writes, *target))
                || self.event.writes.iter().any(|target| has(writes, *target) || has(reads, *target))
        };
        let others = alive.without(&self.inside.0);
        let needed: Vec<usize> = others.iter().filter(|other| *other != running).filter(conflicting).collect();
        let Next { reads, writes, own_reads, own_writes, .. } = &self.event;
        for (list, index) in [(reads, 0), (writes, 1), (own_reads, 0), (own_writes, 1)] {
            for target in list {
                own[(2 * running + index) * words + *target as usize / 64] |= 1 << (target % 64);
            }
        }
        self.touches.iter_mut().zip(&*own).for_each(|(mine, theirs)| *mine |= theirs);
        if needed.is_empty() {
            return ThreadSet::default();
        }
        let before = self.inside.0.clone();
        for thread in needed {
            self.inside.require(thread, threads, alive);
        }
        self.inside.0.without(&before)
    }
}
