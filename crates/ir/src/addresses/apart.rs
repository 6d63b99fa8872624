//! How does a read meet what was written, and which of the two can be kept from the other by a check?
//!
//! The distance of an element of an array is known up to multiples of its size only, so nothing here says that an index stays in its array: the
//! addresses in `struct { int n; int *slots[4]; }` would also lie where `n` is, and reading `n` would be reading bytes of an address.
//! C forbids to leave the array, but only the whole object's bounds are checked. So instead of giving up what is read, the access
//! whose distance is less known gets a check that it stays away from the other this time:
//!
//! - one place, or places at larger multiples, are avoided by the access with the smaller multiples (`Keep::Off`);
//! - of two walks that begin in different elements, where that does not do, one stays before where the other begins, and that one from there on;
//! - what is stored as a pointer and what is read as a number, or the other way round, are kept apart in the same way where an index makes them one, since C forbids to read a pointer as a number;
//! - a number that is read through a pointer that may lead elsewhere, too, is read where no address is.
//!
//! Why this is right: the checks are made for every pair of a statement that may store an address and one that reads, with the distances
//! found in the end, and for those that read where addresses are from the start, which is known exactly. If both of an execution's checks hold, the pair touches no common byte, so what is stored does not reach what is
//! read through it; if one fails, the answer is unknown. Where an access begins in the other, as in a union, it is meant, and is taken for reading bytes of an address.
//! A statement that may be at other known distances, too, is free to be there: each of these is a pair of its own.

use super::Typed;
use super::value::{Base, Offset, gcd};
use rustc_hash::FxHashMap;

/// How memory is accessed, relative to the start of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Access {
    pub(super) offset: Offset,
    pub(super) bytes: u64,
    /// Whether it is a copy of whatever is there.
    pub(super) goes_everywhere: bool,
    /// Whether a check can tell its distance.
    pub(super) may_check: bool,
    /// As what it is accessed.
    pub(super) typed: Typed,
    /// Whether it may as well lie elsewhere, and a check can tell.
    pub(super) is_one_of_several: bool,
}

/// An access of a statement.
#[derive(Clone, Debug)]
pub(super) struct Stmt {
    pub(super) number: usize,
    pub(super) base: Base,
    pub(super) access: Access,
    /// Where else it can be.
    pub(super) others: Vec<i64>,
}

/// Where an address may be.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    /// The statement that stores it there; none if all that is known is that it is there.
    pub(super) by: Option<Stmt>,
    pub(super) base: Base,
    pub(super) access: Access,
}

/// What an access must not do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keep {
    /// It touches none of so many bytes at these places.
    Off { place: Offset, bytes: u64 },
    /// It ends here or before.
    Below(i64),
    /// It begins here or later.
    From(i64),
}

/// What an access of a statement must not do in an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Kept {
    pub(super) base: Base,
    pub(super) bytes: u64,
    pub(super) keep: Keep,
    pub(super) others: Vec<i64>,
}

pub(super) enum Overlap {
    None,
    Same,
    Part,
    /// They are kept apart by what is checked of the first and of the second.
    Apart(Option<Keep>, Option<Keep>),
}

/// How an access meets a piece of an object.
pub(super) fn overlap(access: Access, cell: Access) -> Overlap {
    let (offset, bytes) = (access.offset, access.bytes);
    let period = gcd(offset.every, cell.offset.every);
    let apart = i128::from(offset.at) - i128::from(cell.offset.at);
    if period == 0 {
        return match meets(apart, bytes, cell.bytes) {
            Overlap::Part if access.is_one_of_several && access.may_check && bytes > 1 => {
                Overlap::Apart(Some(Keep::Off { place: cell.offset, bytes: cell.bytes }), None)
            }
            met => met,
        };
    }
    if period >= bytes.max(cell.bytes) {
        return match meets_again(apart, bytes, cell.bytes, period) {
            Overlap::Part => split(access, cell).unwrap_or(Overlap::Part),
            Overlap::Same if access.typed.differs(cell.typed) => split(access, cell).unwrap_or(Overlap::Same),
            met => met,
        };
    }
    if bytes == cell.bytes {
        return Overlap::Same;
    }
    if bytes > 1 && cell.bytes > 1 {
        // C forbids to read what was written as another type, unless it is bytes.
        return Overlap::None;
    }
    if access.goes_everywhere || cell.goes_everywhere {
        return Overlap::Part;
    }
    // One of them walks: does the walk begin in the other?
    let (walker, other) = if bytes == 1 { (offset, cell.offset) } else { (cell.offset, offset) };
    let size = bytes.max(cell.bytes);
    let start = i128::from(walker.at) - i128::from(other.at);
    let start = if other.every >= size { start.rem_euclid(i128::from(other.every)) } else { start };
    if (0..i128::from(size)).contains(&start) { Overlap::Part } else { Overlap::None }
}

/// How so many bytes meet others that begin so much before them.
fn meets(apart: i128, bytes: u64, others: u64) -> Overlap {
    if apart == 0 && bytes == others {
        Overlap::Same
    } else if apart < i128::from(others) && -apart < i128::from(bytes) {
        Overlap::Part
    } else {
        Overlap::None
    }
}

/// The same where both may be any multiple of a period further.
fn meets_again(apart: i128, bytes: u64, others: u64, period: u64) -> Overlap {
    let after = apart.rem_euclid(i128::from(period));
    match meets(after, bytes, others) {
        Overlap::None => meets(after - i128::from(period), bytes, others),
        met => met,
    }
}

/// What keeps two accesses apart, of which one at least walks, if it can be checked.
fn split(a: Access, b: Access) -> Option<Overlap> {
    if !a.may_check || !b.may_check || a.offset.at < 0 || b.offset.at < 0 {
        return None;
    }
    // A single place is at the largest multiples.
    let steps = |access: Access| if access.offset.every == 0 { u64::MAX } else { access.offset.every };
    let of_walk = if steps(a) < steps(b) {
        off(a, b).map(|keep| Overlap::Apart(Some(keep), None))
    } else if steps(b) < steps(a) {
        off(b, a).map(|keep| Overlap::Apart(None, Some(keep)))
    } else {
        None
    };
    if of_walk.is_some() {
        return of_walk;
    }
    let (low, high) = if a.offset.at <= b.offset.at { (a, b) } else { (b, a) };
    let border = high.offset.at;
    let between = border.abs_diff(low.offset.at);
    if between < steps(low).max(low.bytes) {
        return None;
    }
    let (below, from) = (Some(Keep::Below(border)), Some(Keep::From(border)));
    Some(if low == a { Overlap::Apart(below, from) } else { Overlap::Apart(from, below) })
}

/// What keeps a walk off places at larger multiples, unless it begins in one.
fn off(walk: Access, place: Access) -> Option<Keep> {
    let apart = i128::from(walk.offset.at) - i128::from(place.offset.at);
    let begins = match place.offset.every {
        0 => meets(apart, walk.bytes, place.bytes),
        every => meets_again(apart, walk.bytes, place.bytes, every),
    };
    matches!(begins, Overlap::None).then_some(Keep::Off { place: place.offset, bytes: place.bytes })
}

/// What has to be checked of which statement, for what is read and where addresses are.
pub(super) fn kept(loads: &[Stmt], stores: &[Stored]) -> FxHashMap<usize, Vec<Kept>> {
    let mut by_base: FxHashMap<Base, Vec<&Stored>> = FxHashMap::default();
    for store in stores {
        by_base.entry(store.base).or_default().push(store);
    }
    let mut found: FxHashMap<usize, Vec<Kept>> = FxHashMap::default();
    for load in loads {
        for store in by_base.get(&load.base).into_iter().flatten() {
            let Overlap::Apart(of_load, of_store) = overlap(load.access, store.access) else { continue };
            for (stmt, keep) in [(Some(load), of_load), (store.by.as_ref(), of_store)] {
                let (Some(stmt), Some(keep)) = (stmt, keep) else { continue };
                let one = Kept { base: stmt.base, bytes: stmt.access.bytes, keep, others: stmt.others.clone() };
                let all = found.entry(stmt.number).or_default();
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
    }
    found
}
