//! Tests of the analysis on small values.

use super::Typed;
use super::apart::{Access, Keep, Overlap, overlap};
use super::value::{Base, Offset, Words};
use crate::memory::ObjectId;

#[test]
fn distances_keep_where_a_walk_began() {
    let rows = [
        (Offset::exact(0), Offset::exact(24), Offset { at: 0, every: 24 }),
        (Offset { at: 16, every: 24 }, Offset::exact(40), Offset { at: 16, every: 24 }),
        (Offset::exact(16), Offset::exact(17), Offset { at: 16, every: 1 }),
    ];
    for (a, b, joined) in rows {
        assert_eq!(a.join(b), joined);
        assert_eq!(b.join(a), joined);
    }
    // Counting down ends.
    let down = Offset::exact(0).join(Offset::exact(-1));
    assert_eq!(down.join(down.add(Offset::exact(-1))), down);
    assert_eq!(Offset::exact(16).add(Offset::ANY), Offset { at: 16, every: 1 });
    assert_eq!(Offset::exact(3).times(-8), Offset::exact(-24));
    assert!(Offset { at: 4, every: 8 }.may_be(20));
    assert!(!Offset { at: 4, every: 8 }.may_be(16));
}

#[test]
fn joining_tells_what_is_new() {
    let x = Base::Object(ObjectId(0));
    let mut words = Words::number(Offset::exact(0));
    assert!(words.join(&Words::one(x, Offset::exact(8))));
    assert!(!words.join(&Words::one(x, Offset::exact(8))));
    assert!(words.join(&Words::one(x, Offset::exact(16))));
    assert_eq!(words.bases().collect::<Vec<_>>(), [(x, Offset::exact(8)), (x, Offset::exact(16))]);
    assert_eq!(words.exact_besides(x, Offset::exact(8)), [16]);
    assert_eq!(words.numbers(), Some(Offset::exact(0)));
    // Too many become one, and a walk in any direction ends.
    let mut n_new = 0;
    for step in 0..100 {
        n_new += usize::from(words.join(&Words::one(x, Offset::exact(-8 * step))));
    }
    assert_eq!(words.bases().count(), 1);
    assert!(n_new < 10);
    assert!(words.bases().all(|(_, offset)| offset.every == 8 && offset.may_be(-800)));
}

fn access(offset: Offset, bytes: u64) -> Access {
    Access { offset, bytes, goes_everywhere: false, may_check: true, typed: Typed::Unknown, is_one_of_several: false }
}

#[test]
fn an_index_is_kept_from_what_lies_beside_its_array() {
    let slots = access(Offset { at: 40, every: 8 }, 8);
    let lock = access(Offset::exact(0), 4);
    // Who walks is checked, whichever of the two it is.
    let keep = Keep::Off { place: lock.offset, bytes: 4 };
    assert!(matches!(overlap(lock, slots), Overlap::Apart(None, Some(kept)) if kept == keep));
    assert!(matches!(overlap(slots, lock), Overlap::Apart(Some(kept), None) if kept == keep));
    // An array in each of several records, and a number in each of them.
    let count = access(Offset { at: 48, every: 56 }, 4);
    let fields = access(Offset { at: 16, every: 8 }, 8);
    assert!(matches!(overlap(count, fields), Overlap::Apart(None, Some(Keep::Off { .. }))));
    // An array of records, and behind it an array that begins where another record would.
    let (locks, buckets) = (access(Offset { at: 0, every: 40 }, 4), access(Offset { at: 80, every: 8 }, 8));
    assert!(matches!(overlap(locks, buckets), Overlap::Apart(Some(Keep::Below(80)), Some(Keep::From(80)))));
    // Two arrays of records.
    let (first, second) = (access(Offset { at: 0, every: 16 }, 8), access(Offset { at: 64, every: 16 }, 4));
    assert!(matches!(overlap(first, second), Overlap::Apart(Some(Keep::Below(64)), Some(Keep::From(64)))));
}

#[test]
fn what_begins_in_the_other_is_meant() {
    let pointer = access(Offset { at: 8, every: 16 }, 8);
    for number in [Offset { at: 8, every: 16 }, Offset::exact(8), Offset { at: 12, every: 32 }] {
        assert!(matches!(overlap(access(number, 4), pointer), Overlap::Part), "a union: {number:?}");
    }
    let unchecked = Access { may_check: false, ..pointer };
    assert!(matches!(overlap(access(Offset::exact(40), 4), unchecked), Overlap::Part));
    assert!(matches!(overlap(access(Offset::exact(0), 4), pointer), Overlap::None), "never there");
}

#[test]
fn numbers_are_kept_from_pointers_beside_them() {
    let buckets = Access { typed: Typed::Pointer, ..access(Offset { at: 8, every: 8 }, 8) };
    let size = Access { typed: Typed::Number, ..access(Offset::exact(40), 8) };
    let keep = Keep::Off { place: size.offset, bytes: 8 };
    assert!(matches!(overlap(size, buckets), Overlap::Apart(None, Some(kept)) if kept == keep));
    assert!(matches!(overlap(buckets, size), Overlap::Apart(Some(kept), None) if kept == keep));
    // Who knows of one of them only takes them for the same; so does who begins there, as in a union.
    let unknown = Access { typed: Typed::Unknown, ..size };
    assert!(matches!(overlap(unknown, buckets), Overlap::Same));
    let first = Access { offset: Offset::exact(8), ..size };
    assert!(matches!(overlap(first, buckets), Overlap::Same));
}

#[test]
fn a_pointer_that_may_lead_elsewhere_is_kept_off_addresses() {
    let head = access(Offset::exact(0), 8);
    let number = access(Offset::exact(0), 4);
    assert!(matches!(overlap(number, head), Overlap::Part));
    let elsewhere = Access { is_one_of_several: true, ..number };
    assert!(matches!(overlap(elsewhere, head), Overlap::Apart(Some(Keep::Off { .. }), None)));
    // Bytes may be those of anything.
    let byte = Access { bytes: 1, ..elsewhere };
    assert!(matches!(overlap(byte, head), Overlap::Part));
}
