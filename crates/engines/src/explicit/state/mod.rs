//! How is a flat state read? Where each thread's record starts, where it stands, and who holds the atomic section.
//!
//! A state is `fixed part · number of threads · holder · records · dynamic objects`. A record is a location and the variables
//! that are live there, so its length follows from its location, and records are found one after the other. The holder
//! is there only in programs that can wait inside an atomic section; in others it is the one thread that is inside.

pub(crate) mod deferred;
pub(crate) mod hash;
pub(crate) mod heap;
pub(crate) mod packed;
pub(crate) mod records;
pub(crate) mod shards;
pub(crate) mod visited;

use super::compile::Code;
use crate::explicit::compile::code::{DEPTH, Pc, Slot};
use smallvec::SmallVec;

/// Where the parts of a state are.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    /// Where each thread's record starts.
    pub(crate) starts: SmallVec<[u32; 8]>,
    /// Where each thread stands.
    pub(crate) pcs: SmallVec<[Pc; 8]>,
    /// Where the dynamic objects start.
    pub(crate) heap_at: usize,
    /// The thread whose last step left it inside an atomic section.
    pub(crate) holder: Option<usize>,
}

impl Code {
    /// Length of the fixed part.
    pub(crate) fn fixed_len(&self) -> usize {
        self.layout.initial.len()
    }

    /// Where the first record starts.
    pub(crate) fn records_at(&self) -> usize {
        self.fixed_len() + COUNT + if self.keeps_holder { COUNT } else { 0 }
    }

    /// Who holds the atomic section, in programs whose states say so.
    pub(crate) fn kept_holder(&self, state: &[u8]) -> Option<usize> {
        self.keeps_holder.then(|| read_count(state, self.fixed_len() + COUNT).checked_sub(1)).flatten()
    }

    /// Says who holds the atomic section, in such a program.
    pub(crate) fn keep_holder(&self, state: &mut [u8], holder: Option<usize>) {
        write_word(state, self.fixed_len() + COUNT, COUNT, holder.map_or(0, |holder| holder as u64 + 1));
    }

    /// The location at the start of a record.
    #[inline]
    pub(crate) fn pc_at(&self, state: &[u8], at: usize) -> Pc {
        if self.pc_bytes == 1 { Pc::from(state[at]) } else { Pc::from(u16::from_le_bytes([state[at], state[at + 1]])) }
    }

    /// Finds the parts of a state.
    pub(crate) fn view(&self, state: &[u8], view: &mut View) {
        let fixed = self.fixed_len();
        let n_threads = read_count(state, fixed);
        view.starts.clear();
        view.pcs.clear();
        let mut at = self.records_at();
        for _ in 0..n_threads {
            let pc = self.pc_at(state, at);
            view.starts.push(at as u32);
            view.pcs.push(pc);
            at += self.locs[pc as usize].record as usize;
        }
        view.heap_at = at;
        view.holder = if self.keeps_holder {
            self.kept_holder(state)
        } else if self.has_sections {
            (0..n_threads).find(|thread| self.depth(state, view, *thread) > 0)
        } else {
            None
        };
    }

    /// How many atomic sections the thread is inside of.
    pub(crate) fn depth(&self, state: &[u8], view: &View, thread: usize) -> u8 {
        // If the depth is not the same on all ways to a location it is the first variable of the record.
        let at = view.starts[thread] as usize + self.pc_bytes as usize;
        self.locs[view.pcs[thread] as usize].depth.unwrap_or_else(|| state[at])
    }

    /// Whether the thread at a location has ended.
    #[inline]
    pub(crate) fn has_ended(&self, pc: Pc) -> bool {
        pc >= self.ended
    }

    /// The word with which an ended thread has ended.
    pub(crate) fn result(&self, state: &[u8], view: &View, thread: usize) -> u64 {
        if view.pcs[thread] == self.ended {
            return 0;
        }
        read_word(state, view.starts[thread] as usize + self.pc_bytes as usize, 8)
    }

    /// The variables that are live at a location.
    #[inline]
    pub(crate) fn slots_at(&self, pc: Pc) -> &[Slot] {
        let (first, end) = self.locs[pc as usize].slots;
        &self.slots[first as usize..end as usize]
    }

    /// Reads the live variables of a record into registers.
    #[inline]
    pub(crate) fn load_record(&self, state: &[u8], start: usize, pc: Pc, regs: &mut [u64]) {
        let loc = &self.locs[pc as usize];
        let mut at = start + self.pc_bytes as usize;
        regs[DEPTH as usize] = u64::from(loc.depth.unwrap_or(0));
        for Slot { reg, bytes } in self.slots_at(pc) {
            regs[*reg as usize] = read_word(state, at, *bytes as usize);
            at += *bytes as usize;
        }
    }

    /// Writes a record from registers.
    #[inline]
    pub(crate) fn store_record(&self, pc: Pc, regs: &[u64], to: &mut Vec<u8>) {
        to.extend_from_slice(&(pc as u16).to_le_bytes()[..self.pc_bytes as usize]);
        for Slot { reg, bytes } in self.slots_at(pc) {
            to.extend_from_slice(&regs[*reg as usize].to_le_bytes()[..*bytes as usize]);
        }
    }
}

/// Bytes of a number of threads.
pub(crate) const COUNT: usize = 2;

fn read_count(state: &[u8], at: usize) -> usize {
    usize::from(u16::from_le_bytes([state[at], state[at + 1]]))
}

impl Code {
    /// Says that there are so many more threads.
    pub(crate) fn add_threads(&self, state: &mut [u8], n_more: usize) {
        let count = read_count(state, self.fixed_len()) + n_more;
        write_word(state, self.fixed_len(), COUNT, count as u64);
    }
}

/// Bytes as a number, lowest first.
#[inline]
pub(crate) fn read_word(from: &[u8], at: usize, bytes: usize) -> u64 {
    match bytes {
        1 => u64::from(from[at]),
        4 => u64::from(u32::from_le_bytes(from[at..at + 4].try_into().expect("four bytes"))),
        8 => u64::from_le_bytes(from[at..at + 8].try_into().expect("eight bytes")),
        _ => from[at..at + bytes].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// Writes a number as bytes, lowest first.
#[inline]
pub(crate) fn write_word(to: &mut [u8], at: usize, bytes: usize, word: u64) {
    to[at..at + bytes].copy_from_slice(&word.to_le_bytes()[..bytes]);
}
