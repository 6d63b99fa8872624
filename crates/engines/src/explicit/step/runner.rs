//! From a packed state to the packed states after it: one thread, one edge at a time.
//!
//! A step that was taken before with the same record and the same values (`cache`) is done on the packed state itself: what it writes, the new record, and the hash, of which only
//! the summands change. Other steps are run by the machine on the flat state, which is unpacked when the first of them comes.
//!
//! Invariant: whether a step was taken before makes no difference to what it leads to.

use super::cache::{Cache, Node, Origin, Outcome, Taking};
use super::{Choices, Machine, StepResult};
use crate::explicit::compile::Code;
use crate::explicit::reduction::symmetry::{Permutation, Symmetry};
use crate::explicit::state::packed::{Ids, Packer, Unpacked, put_word, summand, width_of, word_at};
use crate::explicit::state::records::RecordId;
use crate::explicit::state::{COUNT, View};

/// Takes steps from one state after the other.
pub(crate) struct Runner<'c> {
    pub(crate) machine: Machine<'c>,
    pub(crate) packer: Packer<'c>,
    cache: Cache,
    /// The state that steps are taken from.
    here: Unpacked,
    /// The state that the last step led to.
    next: Vec<u8>,
    next_ids: Ids,
    next_hash: u64,
    /// The state that is put in order, and room for views.
    there: Unpacked,
    view: View,
}

impl<'c> Runner<'c> {
    pub(crate) fn new(machine: Machine<'c>, packer: Packer<'c>) -> Runner<'c> {
        Runner {
            machine,
            packer,
            cache: Cache::default(),
            here: Unpacked::default(),
            next: Vec::new(),
            next_ids: Ids::new(),
            next_hash: 0,
            there: Unpacked::default(),
            view: View::default(),
        }
    }

    /// The state before the first step, and its hash.
    pub(crate) fn initial(&mut self) -> (Vec<u8>, u64) {
        let initial = self.machine.initial();
        self.packer.packed(&initial)
    }

    /// From now on steps are taken from this state.
    pub(crate) fn enter(&mut self, packed: &[u8]) {
        self.packer.read(packed, &mut self.here);
    }

    /// The state that steps are taken from.
    pub(crate) fn here(&self) -> &Unpacked {
        &self.here
    }

    /// Likewise flat, with a machine to try on it.
    pub(crate) fn flat(&mut self) -> (&mut Machine<'c>, &[u8], &View) {
        let (flat, view) = self.here.flat(&self.packer);
        (&mut self.machine, flat, view)
    }

    /// The state that the last step led to, and its hash.
    pub(crate) fn next(&self) -> (&[u8], u64) {
        (&self.next, self.next_hash)
    }

    /// A thread takes an edge, with these choices, to which those are added that it makes first.
    #[inline]
    pub(crate) fn step(&mut self, thread: usize, edge: usize, choices: &mut Choices) -> StepResult {
        if !choices.is_empty() || self.here.has_heap() {
            return self.run(thread, edge, choices);
        }
        let taking = self.taking(thread, edge);
        match self.cache.find(&taking, &self.here.packed) {
            Node::NotTaken => StepResult::NotTaken,
            Node::Waits(wait) => StepResult::Waits(self.cache.wait(wait)),
            Node::Moves(leaf) => {
                self.follow(&taking, leaf);
                debug_assert!(self.is_confirmed(thread, edge), "what a step led to before it leads to again");
                StepResult::Next
            }
            Node::Never => self.run(thread, edge, choices),
            Node::Unknown | Node::Read { .. } => self.run_and_learn(&taking, edge, choices),
        }
    }

    #[inline]
    fn taking(&self, thread: usize, edge: usize) -> Taking {
        let loc = &self.machine.code.locs[self.here.view.pcs[thread] as usize];
        Taking { id: self.here.ids[thread], thread, edge: edge - loc.edges.0 as usize }
    }

    /// The hash of the state after a step that was taken before.
    #[inline]
    fn hash_after(&self, taking: &Taking, leaf: u32) -> u64 {
        let Runner { packer, cache, here, .. } = self;
        let (leaf, changes) = cache.leaf(leaf);
        let mut hash =
            here.hash.wrapping_sub(here.summands[taking.thread]).wrapping_add(summand(leaf.hash, taking.thread));
        for change in changes {
            let word = word_at(&here.packed, change.word as usize);
            hash = hash.wrapping_sub(packer.summand_of_word(word, change.word as usize));
            hash = hash.wrapping_add(packer.summand_of_word(word & !change.mask | change.bits, change.word as usize));
        }
        hash
    }

    /// Does what was done before.
    #[inline]
    fn follow(&mut self, taking: &Taking, leaf: u32) {
        self.next_hash = self.hash_after(taking, leaf);
        let Runner { cache, here, next, .. } = self;
        let (leaf, changes) = cache.leaf(leaf);
        next.clear();
        next.extend_from_slice(&here.packed);
        for change in changes {
            let word = word_at(next, change.word as usize);
            put_word(next, change.word as usize, word & !change.mask | change.bits);
        }
        let id = leaf.id;
        if id != taking.id {
            self.put(taking, id);
        }
    }

    /// Whether running the edge leads to the same state.
    fn is_confirmed(&mut self, thread: usize, edge: usize) -> bool {
        let (next, hash) = (std::mem::take(&mut self.next), self.next_hash);
        let result = self.run(thread, edge, &mut Choices::new());
        let is_same = result == StepResult::Next && self.next == next && self.next_hash == hash;
        self.next = next;
        is_same
    }

    /// Puts the new record of a thread into the next state.
    #[inline]
    fn put(&mut self, taking: &Taking, id: RecordId) {
        let Runner { packer, here, next, next_ids, .. } = self;
        if width_of(id) == width_of(taking.id) || (here.width > width_of(id) && here.width > width_of(taking.id)) {
            let at = packer.id_at(taking.thread, here.width);
            next[at..at + here.width].copy_from_slice(&id.to_le_bytes()[..here.width]);
            return;
        }
        next_ids.clone_from(&here.ids);
        next_ids[taking.thread] = id;
        let before = next[..packer.records_at()].to_vec();
        packer.write(&before, next_ids, next);
    }

    #[cold]
    #[inline(never)]
    fn run_and_learn(&mut self, taking: &Taking, edge: usize, choices: &mut Choices) -> StepResult {
        let result = self.run(taking.thread, edge, choices);
        self.learn(taking, &result);
        result
    }

    /// Runs the edge on the flat state.
    #[inline(never)]
    fn run(&mut self, thread: usize, edge: usize, choices: &mut Choices) -> StepResult {
        let Runner { machine, packer, here, next, next_ids, .. } = self;
        let (flat, view) = here.flat(packer);
        let result = machine.run(flat, view, thread, edge, choices);
        if result == StepResult::Next {
            machine.code.view(machine.next(), &mut self.view);
            self.next_hash = packer.pack(machine.next(), &self.view, &here.ids, next_ids, next);
        }
        result
    }

    /// Keeps the step that was just run, if such steps are kept.
    fn learn(&mut self, taking: &Taking, result: &StepResult) {
        let Runner { machine, here, next, next_ids, cache, .. } = self;
        let code: &Code = machine.code;
        let outcome = match result {
            _ if !machine.is_plain() => None,
            StepResult::NotTaken => Some(Outcome::NotTaken),
            StepResult::Waits(wait) => Some(Outcome::Waits(*wait)),
            StepResult::Next => {
                let also = code.keeps_holder.then_some(((code.fixed_len() + COUNT) as u32, COUNT as u8));
                let id = next_ids[taking.thread];
                Some(Outcome::Moves { id, hash: self.packer.records().get(id).hash, after: next, also })
            }
            // What goes wrong ends the search, or the way.
            StepResult::Violates(..) | StepResult::Ends | StepResult::Unknown(_) => return,
        };
        let loc = &code.locs[here.view.pcs[taking.thread] as usize];
        let has_own_handle = code.procs[loc.proc as usize].as_ref().is_some_and(|proc| proc.own_handle.is_some());
        let n_edges = (loc.edges.1 - loc.edges.0) as usize;
        // Who holds the atomic section is written by number, too.
        let from = Origin { n_edges, depends_on_thread: has_own_handle || code.keeps_holder };
        cache.learn(taking, from, &here.packed, machine.touched(), outcome);
    }

    /// Puts the threads of the next state in order.
    pub(crate) fn sort(&mut self, symmetry: &mut Symmetry) -> Option<Permutation> {
        let Runner { machine, packer, next, next_ids, there, view, .. } = self;
        packer.read(next, there);
        let mut likely = there.ids.clone();
        let flat = there.flat_mut(packer);
        let exchanged = symmetry.sort(machine.code, flat);
        if let Some(order) = &exchanged {
            likely = order.iter().map(|from| likely[*from as usize]).collect();
        }
        machine.code.view(flat, view);
        self.next_hash = packer.pack(flat, view, &likely, next_ids, next);
        exchanged
    }
}
