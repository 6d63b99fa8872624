//! What can a word be, as far as addresses go? Numbers, and addresses of objects at some distance from their start.
//!
//! A distance is `at` plus a multiple of `every`; `every` is zero if it is known exactly. `at` is the place where a walk began and is
//! not reduced, so that an index into an array inside of a record still tells which array it is.
//!
//! An address has a few distances, one for each member of a record that it may be, before they become one pattern: two mutexes in a record are two places,
//! and not every place as far from them as they are from each other. Numbers are one pattern always.

use crate::memory::ObjectId;
use crate::stmt::SiteId;
use smallvec::SmallVec;

/// What a word is relative to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Base {
    /// Nothing: the word is a number.
    Number,
    /// The start of a static object.
    Object(ObjectId),
    /// The start of an object that the statement of this site made.
    Site(SiteId),
}

/// A set of distances.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Offset {
    pub(super) at: i64,
    pub(super) every: u64,
}

impl Offset {
    pub(super) const ANY: Offset = Offset { at: 0, every: 1 };

    pub(super) fn exact(at: i64) -> Offset {
        Offset { at, every: 0 }
    }

    /// The one distance, if there is only one.
    pub(super) fn value(self) -> Option<i64> {
        (self.every == 0).then_some(self.at)
    }

    /// Both sets. What is contained changes nothing, and else the multiples become smaller, so this ends.
    pub(super) fn join(self, other: Offset) -> Offset {
        let apart = (i128::from(self.at) - i128::from(other.at)).unsigned_abs();
        let every = gcd(gcd(self.every, other.every), u64::try_from(apart).unwrap_or(1));
        if every == self.every { self } else { Offset { at: self.at.min(other.at), every } }
    }

    pub(super) fn add(self, other: Offset) -> Offset {
        Offset { at: self.at.wrapping_add(other.at), every: gcd(self.every, other.every) }
    }

    pub(super) fn times(self, factor: i64) -> Offset {
        Offset { at: self.at.wrapping_mul(factor), every: self.every.wrapping_mul(factor.unsigned_abs()) }
    }

    /// Whether the distance can be `place`.
    pub(super) fn may_be(self, place: i64) -> bool {
        let apart = i128::from(place) - i128::from(self.at);
        if self.every == 0 { apart == 0 } else { apart.rem_euclid(i128::from(self.every)) == 0 }
    }
}

pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// So many distances from the start of one object are told apart.
const MAX_DISTANCES: usize = 6;

/// All that a value can be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Words {
    /// Numbers and whole addresses, ascending by base.
    pub(super) whole: SmallVec<[(Base, Offset); 1]>,
    /// Of whose addresses it may be some of the bytes; such a value may be moved, but nothing else.
    pub(super) parts: SmallVec<[Base; 1]>,
}

impl Words {
    pub(super) fn number(offset: Offset) -> Words {
        Words::one(Base::Number, offset)
    }

    pub(super) fn any_number() -> Words {
        Words::number(Offset::ANY)
    }

    pub(super) fn one(base: Base, offset: Offset) -> Words {
        let mut words = Words::default();
        words.whole.push((base, offset));
        words
    }

    /// Adds a possibility; says whether it was new. This ends: where there are too many they become one with smaller multiples, which
    /// contains them.
    pub(super) fn insert(&mut self, base: Base, offset: Offset) -> bool {
        let start = self.whole.partition_point(|(other, _)| *other < base);
        let end = self.whole.partition_point(|(other, _)| *other <= base);
        let own = || self.whole[start..end].iter().map(|(_, offset)| *offset);
        if own().any(|known| known.join(offset) == known) {
            return false;
        }
        let most = if base == Base::Number { 1 } else { MAX_DISTANCES };
        if end - start < most {
            self.whole.insert(end, (base, offset));
            return true;
        }
        let all = own().fold(offset, |all, known| known.join(all));
        self.whole[start].1 = all;
        self.whole.drain(start + 1..end);
        true
    }

    /// The known distances from the start of an object other than this one.
    pub(super) fn exact_besides(&self, base: Base, offset: Offset) -> Vec<i64> {
        let own = self.whole.iter().filter(|(other, known)| *other == base && *known != offset);
        own.filter_map(|(_, known)| known.value()).collect()
    }

    pub(super) fn insert_part(&mut self, base: Base) -> bool {
        match self.parts.binary_search(&base) {
            Ok(_) => false,
            Err(at) => {
                self.parts.insert(at, base);
                true
            }
        }
    }

    /// Adds all possibilities of another; says whether one was new.
    pub(super) fn join(&mut self, other: &Words) -> bool {
        let mut is_new = false;
        for (base, offset) in &other.whole {
            is_new |= self.insert(*base, *offset);
        }
        for base in &other.parts {
            is_new |= self.insert_part(*base);
        }
        is_new
    }

    /// The objects whose address it can be.
    pub(super) fn bases(&self) -> impl Iterator<Item = (Base, Offset)> + '_ {
        self.whole.iter().copied().filter(|(base, _)| *base != Base::Number)
    }

    /// The numbers that it can be.
    pub(super) fn numbers(&self) -> Option<Offset> {
        self.whole.first().filter(|(base, _)| *base == Base::Number).map(|(_, offset)| *offset)
    }

    pub(super) fn may_be_address(&self) -> bool {
        self.bases().next().is_some()
    }
}
