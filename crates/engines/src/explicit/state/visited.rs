//! Has this state been seen? All states in one arena, found by an open-addressing table.
//!
//! Known as: state store, hash compaction without loss (full states, no bitstate hashing) \[Holzmann97].
//!
//! A state is kept packed, as its length, a byte of marks if there are any, its bytes, and a note; its number is where it starts. The table holds
//! that number and the first bits of the hash, which also say where the entry belongs: so the table grows without a look at the states, and nearly every comparison of bytes
//! is between equal states. Nothing is approximated: two states are the same only if their bytes are.

use std::hint::black_box;

/// Where a state is in the arena.
pub(crate) type StateId = u64;

/// All states seen so far.
#[derive(Debug)]
pub(crate) struct Visited {
    arena: Vec<u8>,
    /// `tag << 40 | id + 1`, or zero.
    table: Vec<u64>,
    len: usize,
    /// Bytes of marks before each state, and of notes behind it.
    n_marks: usize,
    note: usize,
}

/// Bits of a table entry that are the state's number plus one.
const ID_BITS: u32 = 40;
const ID_MASK: u64 = (1 << ID_BITS) - 1;

/// The others are the first bits of the hash.
const TAG_BITS: u32 = 64 - ID_BITS;

/// Looks that wait for memory together: about as many as a processor can have under way.
pub(crate) const GROUP: usize = 16;

/// On the stack of the search.
pub(crate) const ON_STACK: u8 = 1;

impl Visited {
    /// No states, which have marks; with `has_note` a number can be noted for each.
    pub(crate) fn new(has_note: bool) -> Visited {
        let note = if has_note { NOTE } else { 0 };
        Visited { arena: Vec::new(), table: vec![0; 1 << 12], len: 0, n_marks: 1, note }
    }

    /// No states, without marks but with so many bytes of notes.
    pub(crate) fn with_notes(note: usize) -> Visited {
        Visited { arena: Vec::new(), table: vec![0; 1 << 6], len: 0, n_marks: 0, note }
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.arena.capacity() + 8 * self.table.capacity()
    }

    /// Bytes of the states themselves.
    pub(crate) fn state_bytes(&self) -> usize {
        self.arena.len()
    }

    /// The number of a state with a hash, and whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, state: &[u8], hash: u64) -> (StateId, bool) {
        if (self.len + 1) * 4 > self.table.len() * 3 {
            self.grow();
        }
        let tag = hash & !ID_MASK;
        let mask = self.table.len() - 1;
        let mut slot = self.home(tag);
        loop {
            let entry = self.table[slot];
            if entry == 0 {
                break;
            }
            if entry & !ID_MASK == tag && self.get((entry & ID_MASK) - 1) == state {
                return ((entry & ID_MASK) - 1, false);
            }
            slot = (slot + 1) & mask;
        }
        let id = self.arena.len() as u64;
        let (length, n_length) = length_bytes(state.len());
        self.arena.extend_from_slice(&length[..n_length + self.n_marks]);
        self.arena.extend_from_slice(state);
        self.arena.resize(self.arena.len() + self.note, 0);
        self.table[slot] = tag | (id + 1);
        self.len += 1;
        (id, true)
    }

    /// Has what is known of states with these hashes brought into the processor's caches, and does nothing else: looks that do not depend on each other wait for memory together, those
    /// of `insert` one after the other.
    pub(crate) fn foresee_all(&self, hashes: &[u64]) {
        for hashes in hashes.chunks(GROUP) {
            let mut entries = [0; GROUP];
            for (entry, hash) in entries.iter_mut().zip(hashes) {
                *entry = self.table[self.home(hash & !ID_MASK)];
            }
            let states =
                entries.iter().zip(hashes).filter(|(entry, hash)| **entry != 0 && (**entry ^ **hash) & !ID_MASK == 0);
            black_box(states.fold(0, |seen, (entry, _)| seen ^ self.arena[(entry & ID_MASK) as usize]));
        }
    }

    /// Where the entries with a tag begin.
    #[inline]
    fn home(&self, tag: u64) -> usize {
        let bits = self.table.len().trailing_zeros();
        let home = tag >> (64 - bits.min(TAG_BITS));
        (home << bits.saturating_sub(TAG_BITS)) as usize
    }

    /// The bytes of a state.
    #[inline]
    pub(crate) fn get(&self, id: StateId) -> &[u8] {
        let (at, length) = self.place(id);
        &self.arena[at..at + length]
    }

    /// Where the bytes of a state begin, and how many there are.
    #[inline]
    fn place(&self, id: StateId) -> (usize, usize) {
        let (length, n_length) = read_length(&self.arena[id as usize..]);
        (id as usize + n_length + self.n_marks, length)
    }

    /// The marks of a state.
    #[inline]
    pub(crate) fn marks(&mut self, id: StateId) -> &mut u8 {
        let (at, _) = self.place(id);
        &mut self.arena[at - 1]
    }

    /// The number noted for a state.
    pub(crate) fn note(&self, id: StateId) -> u32 {
        u32::from_le_bytes(self.notes(id).try_into().expect("four bytes"))
    }

    /// Notes a number for a state.
    pub(crate) fn set_note(&mut self, id: StateId, note: u32) {
        self.notes_mut(id).copy_from_slice(&note.to_le_bytes());
    }

    /// The bytes noted for a state.
    #[inline]
    pub(crate) fn notes(&self, id: StateId) -> &[u8] {
        let (at, length) = self.place(id);
        &self.arena[at + length..at + length + self.note]
    }

    /// Likewise, to be changed.
    #[inline]
    pub(crate) fn notes_mut(&mut self, id: StateId) -> &mut [u8] {
        let (at, length) = self.place(id);
        &mut self.arena[at + length..at + length + self.note]
    }

    /// The states whose hashes may begin with the bits of this one that the table knows.
    pub(crate) fn with_tag_of(&self, hash: u64) -> Vec<StateId> {
        let tag = hash & !ID_MASK;
        let mask = self.table.len() - 1;
        let mut slot = self.home(tag);
        let mut found = Vec::new();
        while self.table[slot] != 0 {
            if self.table[slot] & !ID_MASK == tag {
                found.push((self.table[slot] & ID_MASK) - 1);
            }
            slot = (slot + 1) & mask;
        }
        found
    }

    /// Copies some states, as they are in the arena, from the one with a number on; gives the number of the next one.
    pub(crate) fn copy(&self, from: StateId, n_states: usize, end: StateId, to: &mut Vec<u8>) -> StateId {
        let mut at = from;
        for _ in 0..n_states {
            if at >= end {
                break;
            }
            let (start, length) = self.place(at);
            at = (start + length + self.note) as u64;
        }
        to.extend_from_slice(&self.arena[from as usize..at as usize]);
        at
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        let old = std::mem::replace(&mut self.table, vec![0; size]);
        for entry in old.into_iter().filter(|entry| *entry != 0) {
            let mut slot = self.home(entry & !ID_MASK);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = entry;
        }
    }
}

/// The first of some states that were copied from a store with these notes and no marks: its bytes, its notes, and the others.
#[inline]
pub(crate) fn split_first(copied: &[u8], note: usize) -> Option<(&[u8], &[u8], &[u8])> {
    if copied.is_empty() {
        return None;
    }
    let (length, n_length) = read_length(copied);
    let (state, rest) = copied[n_length..].split_at(length);
    let (notes, rest) = rest.split_at(note);
    Some((state, notes, rest))
}

/// A length as it is written: one byte, or for long states a mark and three more; and how many these are. Zeros follow.
#[inline]
fn length_bytes(length: usize) -> ([u8; 5], usize) {
    match u8::try_from(length) {
        Ok(length) if length != IS_LONG => ([length, 0, 0, 0, 0], 1),
        _ => {
            let [a, b, c, ..] = (length as u32).to_le_bytes();
            ([IS_LONG, a, b, c, 0], 4)
        }
    }
}

#[inline]
fn read_length(from: &[u8]) -> (usize, usize) {
    match from[0] {
        IS_LONG => (from[1] as usize | (from[2] as usize) << 8 | (from[3] as usize) << 16, 4),
        length => (length as usize, 1),
    }
}

const IS_LONG: u8 = u8::MAX;

/// Bytes of a number that is noted.
const NOTE: usize = 4;

/// The longest state that can be kept.
pub(crate) const MAX_STATE: usize = 1 << 24;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit::state::hash::hash;

    #[test]
    fn every_state_is_new_once() {
        let mut visited = Visited::new(true);
        let state = |index: u32| [&index.to_le_bytes()[..], &vec![7; index as usize % 300]].concat();
        let ids: Vec<StateId> = (0..20_000)
            .map(|index| {
                let (id, is_new) = visited.insert(&state(index), hash(&state(index)));
                assert!(is_new);
                id
            })
            .collect();
        for (index, id) in ids.iter().enumerate() {
            let state = state(index as u32);
            assert_eq!(visited.insert(&state, hash(&state)), (*id, false));
            assert_eq!(visited.get(*id), state);
            assert!(visited.with_tag_of(hash(&state)).contains(id));
        }
        assert_eq!(visited.len(), 20_000);
        *visited.marks(ids[3]) |= ON_STACK;
        assert_eq!(visited.get(ids[3]), state(3));
        assert_eq!(*visited.marks(ids[4]), 0);
        visited.set_note(ids[4], 77);
        assert_eq!((visited.note(ids[4]), visited.note(ids[5])), (77, 0));
        assert_eq!(visited.get(ids[5]), state(5));
    }

    #[test]
    fn states_are_copied_in_the_order_in_which_they_came() {
        let mut visited = Visited::with_notes(2);
        let state = |index: u64| vec![index as u8; 200 + index as usize];
        for index in 0..100 {
            let (id, _) = visited.insert(&state(index), index << 50);
            visited.notes_mut(id).copy_from_slice(&[index as u8, 1]);
        }
        let mut copied = Vec::new();
        let end = visited.state_bytes() as u64;
        let middle = visited.copy(0, 60, end, &mut copied);
        assert_eq!(visited.copy(middle, 60, end, &mut copied), end);
        let mut rest = &copied[..];
        for index in 0..100 {
            let (bytes, notes, others) = split_first(rest, 2).expect("all were copied");
            assert_eq!((bytes, notes), (&state(index)[..], &[index as u8, 1][..]));
            rest = others;
        }
        assert_eq!(split_first(rest, 2), None);
    }
}
