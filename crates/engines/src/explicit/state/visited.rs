//! Has this state been seen? All states in one arena, found by an open-addressing table.
//!
//! Known as: state store, hash compaction without loss (full states, no bitstate hashing) \[Holzmann97].
//!
//! A state is kept as its length, a byte of marks, and its bytes; its number is where it starts. The table holds
//! that number and part of the hash, so nearly every comparison of bytes is between equal states. Nothing is approximated: two states
//! are the same only if their bytes are.

/// Where a state is in the arena.
pub(crate) type StateId = u64;

/// All states seen so far.
#[derive(Debug)]
pub(crate) struct Visited {
    arena: Vec<u8>,
    /// `tag << 40 | id + 1`, or zero.
    table: Vec<u64>,
    len: usize,
    /// Bytes of notes behind each state.
    note: usize,
}

/// Bits of a table entry that are the state's number plus one.
const ID_BITS: u32 = 40;
const ID_MASK: u64 = (1 << ID_BITS) - 1;

/// On the stack of the search.
pub(crate) const ON_STACK: u8 = 1;

impl Visited {
    /// No states; with `has_note` a number can be noted for each.
    pub(crate) fn new(has_note: bool) -> Visited {
        Visited { arena: Vec::new(), table: vec![0; 1 << 12], len: 0, note: if has_note { NOTE } else { 0 } }
    }

    /// No states, each of which will have a parent.
    pub(crate) fn with_parents() -> Visited {
        Visited { arena: Vec::new(), table: vec![0; 1 << 6], len: 0, note: PARENT }
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

    /// The number of a state, and whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, state: &[u8]) -> (StateId, bool) {
        self.insert_hashed(state, hash(state))
    }

    /// Likewise, for a state whose hash is known.
    #[inline]
    pub(crate) fn insert_hashed(&mut self, state: &[u8], hash: u64) -> (StateId, bool) {
        if (self.len + 1) * 3 > self.table.len() * 2 {
            self.grow();
        }
        let tag = hash >> ID_BITS << ID_BITS;
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
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
        self.arena.extend_from_slice(&(state.len() as u32).to_le_bytes()[..LENGTH]);
        self.arena.push(0);
        self.arena.extend_from_slice(state);
        self.arena.extend_from_slice(&[0; PARENT][..self.note]);
        self.table[slot] = tag | (id + 1);
        self.len += 1;
        (id, true)
    }

    /// The bytes of a state.
    #[inline]
    pub(crate) fn get(&self, id: StateId) -> &[u8] {
        let at = id as usize;
        let length = self.arena[at] as usize | (self.arena[at + 1] as usize) << 8 | (self.arena[at + 2] as usize) << 16;
        &self.arena[at + LENGTH + 1..at + LENGTH + 1 + length]
    }

    /// The marks of a state.
    #[inline]
    pub(crate) fn marks(&mut self, id: StateId) -> &mut u8 {
        &mut self.arena[id as usize + LENGTH]
    }

    /// Where the note of a state is.
    fn note_at(&self, id: StateId) -> usize {
        id as usize + LENGTH + 1 + self.get(id).len()
    }

    /// The number noted for a state.
    pub(crate) fn note(&self, id: StateId) -> u32 {
        let at = self.note_at(id);
        u32::from_le_bytes(self.arena[at..at + NOTE].try_into().expect("four bytes"))
    }

    /// Notes a number for a state.
    pub(crate) fn set_note(&mut self, id: StateId, note: u32) {
        let at = self.note_at(id);
        self.arena[at..at + NOTE].copy_from_slice(&note.to_le_bytes());
    }

    /// The hash of the state that a state was reached from.
    pub(crate) fn parent(&self, id: StateId) -> u64 {
        let at = self.note_at(id);
        u64::from_le_bytes(self.arena[at..at + PARENT].try_into().expect("eight bytes"))
    }

    /// Notes the hash of the state that a state was reached from.
    pub(crate) fn set_parent(&mut self, id: StateId, parent: u64) {
        let at = self.note_at(id);
        self.arena[at..at + PARENT].copy_from_slice(&parent.to_le_bytes());
    }

    /// The states with a hash: nearly always one at most.
    pub(crate) fn with_hash(&self, wanted: u64) -> Vec<StateId> {
        let mask = self.table.len() - 1;
        let mut slot = wanted as usize & mask;
        let mut found = Vec::new();
        while self.table[slot] != 0 {
            let id = (self.table[slot] & ID_MASK) - 1;
            if hash(self.get(id)) == wanted {
                found.push(id);
            }
            slot = (slot + 1) & mask;
        }
        found
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        let mut table = vec![0u64; size];
        let mut id = 0u64;
        while (id as usize) < self.arena.len() {
            let state = self.get(id);
            let hash = hash(state);
            let mut slot = hash as usize & (size - 1);
            while table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            table[slot] = (hash >> ID_BITS << ID_BITS) | (id + 1);
            id += (LENGTH + 1 + state.len() + self.note) as u64;
        }
        self.table = table;
    }
}

/// Bytes of a length.
const LENGTH: usize = 3;

/// Bytes of a number that is noted.
const NOTE: usize = 4;

/// Bytes of a parent's hash.
const PARENT: usize = 8;

/// The longest state that can be kept.
pub(crate) const MAX_STATE: usize = 1 << (8 * LENGTH);

/// Multipliers without structure.
const MULTIPLIERS: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93, 0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db];

/// A hash of bytes: each eight of them multiplied in, high and low half of the product folded. Long states go in four strands
/// that do not wait for each other.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    let mut hash = MULTIPLIERS[1] ^ bytes.len() as u64;
    let mut blocks = bytes.chunks_exact(32);
    if bytes.len() >= 64 {
        let mut strands = [hash; 4];
        for block in &mut blocks {
            for (lane, strand) in strands.iter_mut().enumerate() {
                *strand = fold(*strand ^ word(&block[8 * lane..8 * lane + 8]), MULTIPLIERS[lane]);
            }
        }
        hash = strands.iter().zip(MULTIPLIERS).fold(hash, |hash, (strand, by)| fold(hash ^ strand, by));
    }
    let rest = if bytes.len() >= 64 { blocks.remainder() } else { bytes };
    let mut words = rest.chunks_exact(8);
    for eight in &mut words {
        hash = fold(hash ^ word(eight), MULTIPLIERS[0]);
    }
    let mut last = [0u8; 8];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    fold(hash ^ u64::from_le_bytes(last), MULTIPLIERS[1])
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_new_once() {
        let mut visited = Visited::new(true);
        let state = |index: u32| [&index.to_le_bytes()[..], &vec![7; index as usize % 11]].concat();
        let ids: Vec<StateId> = (0..20_000)
            .map(|index| {
                let (id, is_new) = visited.insert(&state(index));
                assert!(is_new);
                id
            })
            .collect();
        for (index, id) in ids.iter().enumerate() {
            assert_eq!(visited.insert(&state(index as u32)), (*id, false));
            assert_eq!(visited.get(*id), state(index as u32));
        }
        assert_eq!(visited.len(), 20_000);
        *visited.marks(ids[3]) |= ON_STACK;
        assert_eq!(visited.get(ids[3]), state(3));
        assert_eq!(*visited.marks(ids[4]), 0);
        visited.set_note(ids[4], 77);
        assert_eq!((visited.note(ids[4]), visited.note(ids[5])), (77, 0));
        assert_eq!(visited.get(ids[5]), state(5));
    }
}
