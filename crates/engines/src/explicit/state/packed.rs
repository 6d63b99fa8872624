//! How is a state kept? Packed: the fixed part, the number of each thread's record, and the dynamic objects.
//!
//! Known as: COLLAPSE compression \[Holzmann03].
//!
//! A flat state (`state`) is what steps work on; what is remembered, waits or goes to another worker is packed. The fixed part and the objects are the same in both. Numbers of records
//! (`records`) have as many bytes as the largest of a state needs, which is written beside the number of threads.
//!
//! Invariant: during a search, states are equal exactly if they are equal packed. The hash of a state goes by the bytes of its records,
//! never by their numbers, so that it does not depend on which worker saw which record first.

use super::hash::{hash, mix};
use super::records::{RecordId, Records};
use super::{COUNT, View, read_word, write_word};
use crate::explicit::compile::Code;
use crate::explicit::compile::code::Pc;
use smallvec::SmallVec;
use std::sync::Arc;

/// The record of each thread of a state.
pub(crate) type Ids = SmallVec<[RecordId; 16]>;

/// Packs and unpacks states.
#[derive(Clone)]
pub(crate) struct Packer<'c> {
    code: &'c Code,
    records: Arc<Records>,
    /// For each word of what comes before the records, which of its bits are hashed: not the number of threads, since each thread is, and not what is beyond.
    masks: Arc<[u64]>,
    records_at: usize,
    fixed_len: usize,
}

/// A packed state, and what it says.
#[derive(Clone, Default)]
pub(crate) struct Unpacked {
    pub(crate) packed: Vec<u8>,
    pub(crate) ids: Ids,
    /// Bytes of the number of a record.
    pub(crate) width: usize,
    pub(crate) hash: u64,
    /// The summand of each thread in it.
    pub(crate) summands: SmallVec<[u64; 16]>,
    /// Where the parts of the flat state are.
    pub(crate) view: View,
    /// Where the dynamic objects are in the packed one.
    heap_at: usize,
    flat: Vec<u8>,
    /// Whether `flat` is the state.
    is_flat: bool,
}

/// Places of summands of the hash: words of the fixed part from zero on, then the dynamic objects, then threads.
const HEAP_PLACE: u64 = 1 << 40;
const THREAD_PLACE: u64 = 1 << 41;

/// Where the bytes of a record's number are told in the number of threads, of which there are fewer.
const WIDTH_SHIFT: u32 = 14;

impl Unpacked {
    /// Whether there are dynamic objects.
    pub(crate) fn has_heap(&self) -> bool {
        self.heap_at < self.packed.len()
    }

    /// Bytes of the flat state.
    pub(crate) fn flat_len(&self) -> usize {
        self.view.heap_at + self.packed.len() - self.heap_at
    }

    /// The flat state.
    #[inline]
    pub(crate) fn flat(&mut self, packer: &Packer<'_>) -> (&[u8], &View) {
        if !self.is_flat {
            packer.flatten(&self.packed, &self.ids, self.heap_at, &mut self.flat);
            self.is_flat = true;
        }
        (&self.flat, &self.view)
    }

    /// The flat state, to be changed; then `packed` and what it says are no longer right.
    pub(crate) fn flat_mut(&mut self, packer: &Packer<'_>) -> &mut Vec<u8> {
        self.flat(packer);
        self.is_flat = false;
        &mut self.flat
    }
}

impl<'c> Packer<'c> {
    pub(crate) fn new(code: &'c Code) -> Packer<'c> {
        let (records_at, fixed_len) = (code.records_at(), code.fixed_len());
        let is_hashed = |at: usize| at < records_at && !(fixed_len..fixed_len + COUNT).contains(&at);
        let mask = |word: usize| {
            (0..8).filter(|byte| is_hashed(8 * word + byte)).fold(0, |mask, byte| mask | 0xff << (8 * byte))
        };
        let masks = (0..records_at.div_ceil(8)).map(mask).collect();
        Packer { code, records: Arc::new(Records::new()), masks, records_at, fixed_len }
    }

    /// The records of all states.
    pub(crate) fn records(&self) -> &Records {
        &self.records
    }

    /// Reads a packed state.
    pub(crate) fn read(&self, packed: &[u8], to: &mut Unpacked) {
        to.packed.clear();
        to.packed.extend_from_slice(packed);
        to.is_flat = false;
        let count = read_word(packed, self.fixed_len, COUNT) as usize;
        let n_threads = count & ((1 << WIDTH_SHIFT) - 1);
        to.width = (count >> WIDTH_SHIFT) + 1;
        to.heap_at = self.records_at + n_threads * to.width;
        let (ids, summands, View { starts, pcs, .. }) = (&mut to.ids, &mut to.summands, &mut to.view);
        ids.clear();
        summands.clear();
        starts.clear();
        pcs.clear();
        let mut at = self.records_at;
        let mut sum = self.sum_of_rest(packed, to.heap_at);
        for (thread, number) in packed[self.records_at..to.heap_at].chunks_exact(to.width).enumerate() {
            let id = number.iter().rev().fold(0, |id, byte| id << 8 | RecordId::from(*byte));
            let record = self.records.get(id);
            ids.push(id);
            starts.push(at as u32);
            pcs.push(record.pc);
            at += record.bytes.len();
            let summand = summand(record.hash, thread);
            summands.push(summand);
            sum = sum.wrapping_add(summand);
        }
        to.hash = sum;
        let holder = self.holder(packed, ids, pcs);
        (to.view.heap_at, to.view.holder) = (at, holder);
    }

    /// The thread inside an atomic section.
    fn holder(&self, packed: &[u8], ids: &[RecordId], pcs: &[Pc]) -> Option<usize> {
        if self.code.keeps_holder {
            return self.code.kept_holder(packed);
        }
        if !self.code.has_sections {
            return None;
        }
        let depth_at = self.code.pc_bytes as usize;
        let depth = |id: RecordId, pc: Pc| {
            self.code.locs[pc as usize].depth.unwrap_or_else(|| self.records.get(id).bytes[depth_at])
        };
        ids.iter().zip(pcs).position(|(id, pc)| depth(*id, *pc) > 0)
    }

    fn flatten(&self, packed: &[u8], ids: &[RecordId], heap_at: usize, flat: &mut Vec<u8>) {
        flat.clear();
        flat.extend_from_slice(&packed[..self.records_at]);
        write_word(flat, self.fixed_len, COUNT, ids.len() as u64);
        for id in ids {
            flat.extend_from_slice(&self.records.get(*id).bytes);
        }
        flat.extend_from_slice(&packed[heap_at..]);
    }

    /// Packs a flat state. `likely` are records that threads may have, which spares looking for them. Gives the hash.
    pub(crate) fn pack(&self, flat: &[u8], view: &View, likely: &[RecordId], ids: &mut Ids, to: &mut Vec<u8>) -> u64 {
        ids.clear();
        let mut sum = 0u64;
        for (thread, (start, pc)) in view.starts.iter().zip(&view.pcs).enumerate() {
            let bytes = &flat[*start as usize..][..self.code.locs[*pc as usize].record as usize];
            let known = likely.get(thread).map(|id| (*id, self.records.get(*id)));
            let (id, record) = known.filter(|(_, record)| *record.bytes == *bytes).unwrap_or_else(|| {
                let id = self.records.intern(bytes, *pc);
                (id, self.records.get(id))
            });
            ids.push(id);
            sum = sum.wrapping_add(summand(record.hash, thread));
        }
        let heap_at = self.write(&flat[..self.records_at], ids, to);
        to.extend_from_slice(&flat[view.heap_at..]);
        sum.wrapping_add(self.sum_of_rest(to, heap_at))
    }

    /// Writes all but the dynamic objects; gives where these come.
    pub(crate) fn write(&self, before: &[u8], ids: &[RecordId], to: &mut Vec<u8>) -> usize {
        let width = ids.iter().map(|id| width_of(*id)).max().unwrap_or(1);
        to.clear();
        to.extend_from_slice(before);
        write_word(to, self.fixed_len, COUNT, (ids.len() | (width - 1) << WIDTH_SHIFT) as u64);
        for id in ids {
            to.extend_from_slice(&id.to_le_bytes()[..width]);
        }
        to.len()
    }

    /// Where the number of a thread's record is.
    pub(crate) fn id_at(&self, thread: usize, width: usize) -> usize {
        self.records_at + thread * width
    }

    /// Bytes before the numbers of records.
    pub(crate) fn records_at(&self) -> usize {
        self.records_at
    }

    /// The summand of a word of the fixed part.
    #[inline]
    pub(crate) fn summand_of_word(&self, bits: u64, word: usize) -> u64 {
        mix(bits & self.masks[word], word as u64)
    }

    /// The summands of all but the threads.
    fn sum_of_rest(&self, packed: &[u8], heap_at: usize) -> u64 {
        let sum = if heap_at < packed.len() { mix(hash(&packed[heap_at..]), HEAP_PLACE) } else { 0 };
        let summand = |word| self.summand_of_word(word_at(packed, word), word);
        (0..self.masks.len()).fold(sum, |sum, word| sum.wrapping_add(summand(word)))
    }

    /// A flat state, packed, and its hash.
    pub(crate) fn packed(&self, flat: &[u8]) -> (Vec<u8>, u64) {
        let mut view = View::default();
        self.code.view(flat, &mut view);
        let mut packed = Vec::new();
        let hash = self.pack(flat, &view, &[], &mut Ids::new(), &mut packed);
        (packed, hash)
    }

    /// A packed state, flat, and its hash.
    pub(crate) fn flat(&self, packed: &[u8]) -> (Vec<u8>, u64) {
        let mut unpacked = Unpacked::default();
        self.read(packed, &mut unpacked);
        unpacked.flat(self);
        (unpacked.flat, unpacked.hash)
    }
}

/// A word of a packed state; beyond its end there are zeros.
#[inline]
pub(crate) fn word_at(packed: &[u8], word: usize) -> u64 {
    match packed.get(8 * word..8 * word + 8) {
        Some(eight) => u64::from_le_bytes(eight.try_into().expect("these are eight")),
        None => packed[8 * word..].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// Changes a word of a packed state, as far as it is there.
#[inline]
pub(crate) fn put_word(packed: &mut [u8], word: usize, bits: u64) {
    match packed.get_mut(8 * word..8 * word + 8) {
        Some(eight) => eight.copy_from_slice(&bits.to_le_bytes()),
        None => packed[8 * word..].iter_mut().zip(bits.to_le_bytes()).for_each(|(byte, new)| *byte = new),
    }
}

/// The summand of a thread, by the hash of its record.
#[inline]
pub(crate) fn summand(hash: u64, thread: usize) -> u64 {
    mix(hash, THREAD_PLACE + thread as u64)
}

/// Bytes that the number of a record needs.
#[inline]
pub(crate) fn width_of(id: RecordId) -> usize {
    match id {
        0..0x100 => 1,
        0x100..0x1_0000 => 2,
        0x1_0000..0x100_0000 => 3,
        _ => 4,
    }
}
