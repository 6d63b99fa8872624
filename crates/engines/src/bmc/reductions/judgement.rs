//! Does an unrolling go by what is true, or is it to be done again?
//!
//! Some reductions rest on questions about all accesses: who else writes a cell, which lock guards it. They are answered by an earlier unrolling, and
//! each unrolling is looked at in the end: what it went by must hold of itself.

/// What looking back at an unrolling tells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Judgement {
    Fine,
    /// Another unrolling could go by more than this one.
    MoreIsKnown,
    /// It went by something that does not hold.
    Wrong,
}

/// Unrollings of one bound, unless something turns out not to hold.
const ATTEMPTS: u32 = 5;

impl Judgement {
    /// The graver one of two.
    pub(crate) fn and(self, other: Judgement) -> Judgement {
        self.max(other)
    }

    /// Whether to unroll again, after so many times.
    pub(crate) fn asks_again(self, n: u32) -> bool {
        self == Judgement::Wrong || (self == Judgement::MoreIsKnown && n < ATTEMPTS)
    }
}
