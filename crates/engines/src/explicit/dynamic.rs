//! Which threads turn out to be needed in a state? Those that, after a step taken there, touch what the step touched.
//!
//! Dynamic partial order reduction, with states remembered: a state is first expanded with one thread only. When everything
//! after a step has been explored, it is known what each thread touched there (a *summary*). A thread that touched, later and
//! elsewhere than the step's own thread, what the step touches must also run before the step; so it is taken into the state's
//! source set, or, if it waits there, those are that may let it go on. The summary and the step together belong to
//! the summary of the state. An object that only the step's thread can name when it takes the step cannot be touched by others from
//! then on, so nobody need run before the step for its sake; but others may have touched it before, so it belongs to the summary. What a thread started later touched counts for the thread that started it.
//!
//! Threads that nobody lets go on touch nothing; but in another order they might have. So in a state from which there is no
//! step, or one that ends the process, all that its threads may ever touch counts.
//!
//! States are met again. A state that has been explored has its summary, which is remembered; one that is still on the stack
//! has none yet, so what its threads may ever touch (`explore::future`) stands in for it, and the cycle proviso of the search
//! applies. So a summary covers all that can happen after a state, up to the order of independent steps.
//!
//! Invariant: when a state leaves the stack, the threads that have run in it are a source set of it.

use super::select::Selector;
use super::state::View;
use super::step::Machine;
use crate::explore::future::Summary;
use crate::explore::source::Next;
use crate::explore::targets::TargetId;
use crate::explore::threads::ThreadSet;
use rustc_hash::FxHashMap;

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
    /// The source set so far, threads that wait included.
    inside: ThreadSet,
    /// What the step touches that is being explored.
    pub(crate) event: Next,
}

/// The state whose step has been explored, and who runs in it.
pub(crate) struct Place<'a> {
    pub(crate) state: &'a [u8],
    pub(crate) view: &'a View,
    pub(crate) alive: &'a ThreadSet,
    pub(crate) thread: usize,
}

/// Words of a set of targets.
pub(crate) fn n_words(n_targets: usize) -> usize {
    n_targets.div_ceil(64)
}

/// All that threads may ever touch, as a summary.
pub(crate) fn all_futures<'f>(view: &View, future: &dyn Fn(usize) -> &'f Summary, words: usize, to: &mut Touches) {
    to.clear();
    to.resize(view.pcs.len() * 2 * words, 0);
    for thread in 0..view.pcs.len() {
        let summary = future(thread);
        for (index, set) in [&summary.reads, &summary.writes].into_iter().enumerate() {
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
        Explored { touches: vec![0; n_threads * 2 * words], inside: chosen, event: Next::default() }
    }

    /// Takes in what came after the step of the running thread. Gives the threads that must run here too.
    pub(crate) fn absorb<'c>(
        &mut self,
        after: &mut Touches,
        place: &Place<'_>,
        selector: &mut Selector<'c>,
        machine: &mut Machine<'c>,
    ) -> ThreadSet {
        let words = selector.words();
        let n_threads = place.view.pcs.len();
        // Threads that the step started did what they did on behalf of the running one.
        let (own, started) = after.split_at_mut(n_threads * 2 * words);
        for other in started.chunks(2 * words) {
            let mine = &mut own[place.thread * 2 * words..][..2 * words];
            mine.iter_mut().zip(other).for_each(|(mine, theirs)| *mine |= theirs);
        }
        let conflicting = |thread: &usize| {
            let (reads, writes) = own[thread * 2 * words..][..2 * words].split_at(words);
            let has = |set: &[u64], target: TargetId| set[target as usize / 64] >> (target % 64) & 1 != 0;
            self.event.reads.iter().any(|target| has(writes, *target))
                || self.event.writes.iter().any(|target| has(writes, *target) || has(reads, *target))
        };
        let others = place.alive.without(&self.inside);
        let needed: Vec<usize> = others.iter().filter(|other| *other != place.thread).filter(conflicting).collect();
        let Next { reads, writes, own_reads, own_writes, .. } = &self.event;
        for (list, index) in [(reads, 0), (writes, 1), (own_reads, 0), (own_writes, 1)] {
            for target in list {
                own[(2 * place.thread + index) * words + *target as usize / 64] |= 1 << (target % 64);
            }
        }
        self.touches.iter_mut().zip(&*own).for_each(|(mine, theirs)| *mine |= theirs);
        if needed.is_empty() {
            return ThreadSet::default();
        }
        let before = self.inside.clone();
        for thread in needed {
            self.require(thread, place, selector, machine);
        }
        self.inside.without(&before)
    }

    /// Takes a thread into the source set, and if it waits those that may let it go on.
    fn require<'c>(
        &mut self,
        thread: usize,
        place: &Place<'_>,
        selector: &mut Selector<'c>,
        machine: &mut Machine<'c>,
    ) {
        let mut todo = ThreadSet::of(thread);
        let mut next = Next::default();
        while let Some(thread) = todo.without(&self.inside).first() {
            self.inside.insert(thread);
            next.clear();
            selector.probe(machine, place.state, place.view, thread, &mut next);
            if next.can_run && next.needs_all {
                self.inside.add(place.alive);
            }
            if !next.can_run {
                for other in place.alive.without(&self.inside).iter() {
                    if next.may_be_enabled_by(other, selector.future(place.view.pcs[other])) {
                        todo.insert(other);
                    }
                }
            }
        }
    }
}
