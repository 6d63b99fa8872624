//! Which states differ only in the numbers of threads? Of those that do only one is visited.
//!
//! Known as: symmetry reduction, canonical representatives of orbits \[Ip96].
//!
//! A thread's number is where its record stands in a state, and what its handle says. If the program does nothing with handles but
//! keep, compare and join them (`handles`), then exchanging the records of two threads, and their handles wherever handles are
//! kept, changes nothing of what can happen, but for the numbers. So the records are sorted: threads that run the same function
//! with the same arguments and stand at the same place are then told apart no more. Threads are sorted by their records, handles
//! in them left out, and among equal ones by where their handles are kept; then handles are renamed. Handles that are
//! only ever joined together are sorted too, since it does not matter which of them is which.
//!
//! Invariant: what `sort` makes of a state is the state with numbers exchanged, never another one; states that it could have made the same and did
//! not only cost time. The first thread keeps its number, since its end is the end of the process; threads that make
//! objects keep theirs, since it is part of the addresses. The search remembers nothing of the exchanges: a trace
//! finds them again by doing the steps again.

use super::handles::{Handles, Spot};
use crate::explicit::compile::Code;
use crate::explicit::compile::code::Pc;
use crate::explicit::state::{View, read_word, write_word};
use smallvec::SmallVec;

/// Where each thread of a state was before it was sorted.
pub(crate) type Permutation = SmallVec<[u16; 8]>;

/// Sorts states.
#[derive(Clone)]
pub(crate) struct Symmetry {
    handles: Handles,
    /// By location: whether a thread there can get another number.
    is_movable: Vec<bool>,
    view: View,
    /// The records of the state that is sorted, without handles.
    masked: Vec<u8>,
    /// Where the handle of each thread is kept, as a number.
    kept_at: Vec<u64>,
    order: Permutation,
    sorted: Vec<u8>,
}

impl Symmetry {
    /// None if no two threads are alike, or threads can be told apart by what is done with their handles.
    pub(crate) fn new(code: &Code) -> Option<Symmetry> {
        if !super::handles::has_twins(code) {
            return None;
        }
        let handles = Handles::new(code)?;
        let program = &code.program;
        let allocates = |proc: usize| {
            let stmts = program.procs[proc].edges.iter().flat_map(|edge| &edge.stmts);
            stmts.into_iter().any(|stmt| matches!(stmt.op, ir::Op::Alloc { .. }))
        };
        let any_allocates = code.runs.iter().any(|(proc, _)| *proc != program.main && allocates(proc.index()));
        let of_loc = |(pc, loc): (usize, &crate::explicit::compile::code::LocCode)| {
            if code.has_ended(pc as Pc) { !any_allocates } else { !allocates(loc.proc as usize) }
        };
        let is_movable = code.locs.iter().enumerate().map(of_loc).collect();
        Some(Symmetry {
            handles,
            is_movable,
            view: View::default(),
            masked: Vec::new(),
            kept_at: Vec::new(),
            order: Permutation::new(),
            sorted: Vec::new(),
        })
    }

    /// Sorts the threads of a state; tells where each of them was if that is not where it is now.
    pub(crate) fn sort(&mut self, code: &Code, state: &mut Vec<u8>) -> Option<Permutation> {
        let mut view = std::mem::take(&mut self.view);
        code.view(state, &mut view);
        let permutation = self.sort_view(code, state, &view);
        self.view = view;
        permutation
    }

    fn sort_view(&mut self, code: &Code, state: &mut Vec<u8>, view: &View) -> Option<Permutation> {
        let n = view.pcs.len();
        let is_movable = |thread: &u16| *thread > 0 && self.is_movable[view.pcs[*thread as usize] as usize];
        let places: Permutation = (0..n as u16).filter(is_movable).collect();
        if places.len() < 2 {
            return None;
        }
        let has_handles = self.note_handles(state, view);
        // Mostly threads keep no handles, and their records are compared as they are.
        let is_masked = places.iter().any(|thread| !self.handles.at(view.pcs[*thread as usize]).is_empty());
        let records_at = code.records_at();
        if is_masked {
            self.mask(state, view, records_at);
        }
        let records = if is_masked { &self.masked } else { &state[records_at..] };
        let compare = |a: &u16, b: &u16| {
            let record = |thread: usize| {
                let start = view.starts[thread] as usize - records_at;
                &records[start..start + code.locs[view.pcs[thread] as usize].record as usize]
            };
            let (a, b) = (*a as usize, *b as usize);
            record(a).cmp(record(b)).then_with(|| self.kept_at[a].cmp(&self.kept_at[b]))
        };
        let is_sorted = places.windows(2).all(|pair| compare(&pair[0], &pair[1]).is_le());
        if is_sorted && !(has_handles && self.handles.has_groups()) {
            return None;
        }
        self.order.clear();
        self.order.extend(0..n as u16);
        if !is_sorted {
            let mut threads = places.clone();
            threads.sort_by(compare);
            for (place, thread) in places.iter().zip(&threads) {
                self.order[*place as usize] = *thread;
            }
            self.exchange(code, state, view);
        }
        if has_handles {
            self.rename(code, state, is_sorted);
        }
        (!is_sorted).then(|| self.order.clone())
    }

    /// Notes where handles are kept; false if there are none.
    fn note_handles(&mut self, state: &[u8], view: &View) -> bool {
        self.kept_at.clear();
        self.kept_at.resize(view.pcs.len(), 0);
        let mut has_handles = false;
        let mut note = |at: usize, bytes: u8, place: u64| {
            let handle = read_word(state, at, bytes as usize);
            has_handles |= handle != 0;
            if let Some(kept_at) = (handle as usize).checked_sub(1).and_then(|thread| self.kept_at.get_mut(thread)) {
                *kept_at = kept_at.wrapping_add(scatter(place));
            }
        };
        for (index, (at, bytes)) in self.handles.globals.iter().enumerate() {
            note(*at as usize, *bytes, index as u64);
        }
        for (start, pc) in view.starts.iter().zip(&view.pcs) {
            for (index, Spot { offset, bytes, group }) in self.handles.at(*pc).iter().enumerate() {
                // Spots of a group count as one.
                let place = u64::from(*pc) << 20 | u64::from(group.unwrap_or(index as u16)) << 1 | 1 << 60;
                note(*start as usize + *offset as usize, *bytes, place);
            }
        }
        has_handles
    }

    /// Copies the records without their handles.
    fn mask(&mut self, state: &[u8], view: &View, records_at: usize) {
        self.masked.clear();
        self.masked.extend_from_slice(&state[records_at..view.heap_at]);
        for (start, pc) in view.starts.iter().zip(&view.pcs) {
            for spot in self.handles.at(*pc) {
                let at = *start as usize + spot.offset as usize - records_at;
                self.masked[at..][..spot.bytes as usize].fill(0);
            }
        }
    }

    /// Puts the records in order.
    fn exchange(&mut self, code: &Code, state: &mut Vec<u8>, view: &View) {
        self.sorted.clear();
        self.sorted.extend_from_slice(&state[..code.records_at()]);
        for from in &self.order {
            let start = view.starts[*from as usize] as usize;
            let length = code.locs[view.pcs[*from as usize] as usize].record as usize;
            self.sorted.extend_from_slice(&state[start..start + length]);
        }
        self.sorted.extend_from_slice(&state[view.heap_at..]);
        if let Some(holder) = code.kept_holder(state) {
            let now = self.order.iter().position(|from| *from as usize == holder).expect("all threads are in order");
            code.keep_holder(&mut self.sorted, Some(now));
        }
        std::mem::swap(&mut self.sorted, state);
    }

    /// Renames the handles that are kept, and sorts those of a group.
    fn rename(&mut self, code: &Code, state: &mut [u8], is_same: bool) {
        let n = self.order.len();
        let mut now: SmallVec<[u64; 8]> = SmallVec::from_elem(0, n);
        for (place, from) in self.order.iter().enumerate() {
            now[*from as usize] = place as u64 + 1;
        }
        let rename = |state: &mut [u8], at: usize, bytes: u8| {
            let handle = read_word(state, at, bytes as usize);
            if let Some(handle) = (handle as usize).checked_sub(1).and_then(|thread| now.get(thread)) {
                write_word(state, at, bytes as usize, *handle);
            }
        };
        if !is_same {
            for (at, bytes) in &self.handles.globals {
                rename(state, *at as usize, *bytes);
            }
        }
        let mut at = code.records_at();
        for _ in 0..n {
            let pc = code.pc_at(state, at);
            let spots = self.handles.at(pc);
            if !is_same {
                spots.iter().for_each(|spot| rename(state, at + spot.offset as usize, spot.bytes));
            }
            sort_groups(&mut state[at..], spots);
            at += code.locs[pc as usize].record as usize;
        }
    }
}

/// Sorts the handles of each group in a record.
fn sort_groups(record: &mut [u8], spots: &[Spot]) {
    for (index, first) in spots.iter().enumerate() {
        // The group is named after its first spot.
        if first.group != Some(index as u16) {
            continue;
        }
        let members = || spots.iter().filter(|spot| spot.group == first.group);
        let mut values: SmallVec<[u64; 8]> =
            members().map(|spot| read_word(record, spot.offset as usize, spot.bytes as usize)).collect();
        if values.is_sorted() {
            continue;
        }
        values.sort_unstable();
        for (spot, value) in members().zip(values) {
            write_word(record, spot.offset as usize, spot.bytes as usize, value);
        }
    }
}

/// A number without structure for each number.
fn scatter(number: u64) -> u64 {
    let word = (number ^ 0x5851_f42d_4c95_7f2d).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (word ^ word >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}
