//! Which number stands for some bytes? Hashes without structure, and sums of them that follow a change without being made anew.
//!
//! Known as: multiply-and-fold hashing (wyhash); incremental hashing of states, Zobrist keys \[Zobrist70].
//!
//! A step changes a word or two of a state. So the hash of a state is a sum with one summand for each of its words and threads (`mix`), from which those that were changed are taken
//! away and to which what they are now is added.

/// Multipliers without structure.
const MULTIPLIERS: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93, 0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db];

/// A hash of bytes: each eight of them multiplied in, high and low half of the product folded.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hash = MULTIPLIERS[1] ^ bytes.len() as u64;
    let mut words = bytes.chunks_exact(8);
    for eight in &mut words {
        hash = fold(hash ^ u64::from_le_bytes(eight.try_into().expect("eight bytes")), MULTIPLIERS[0]);
    }
    let mut last = [0u8; 8];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    fold(hash ^ u64::from_le_bytes(last), MULTIPLIERS[1])
}

/// The summand of a word at a place.
#[inline]
pub(crate) fn mix(word: u64, place: u64) -> u64 {
    let word = (word ^ place.wrapping_add(1).wrapping_mul(MULTIPLIERS[2])).wrapping_mul(MULTIPLIERS[3]);
    fold(word ^ word >> 32, MULTIPLIERS[0])
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}
