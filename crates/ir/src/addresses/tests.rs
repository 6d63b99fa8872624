//! Tests of the analysis on small values.

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
    assert_eq!(words.bases().collect::<Vec<_>>(), [(x, Offset { at: 8, every: 8 })]);
    assert_eq!(words.numbers(), Some(Offset::exact(0)));
}
