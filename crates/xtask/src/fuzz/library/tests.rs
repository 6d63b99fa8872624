//! Does the oracle know what it must?

use super::oracle::{Truth, explore};
use super::program::{Fate, How, Kind, Lock, Piece, Program, Store, Style};

fn program(kind: Kind, thread: &[Piece], beside: &[Piece], after: &[Piece]) -> Program {
    Program {
        style: Style { is_c11: false, has_loops: false, recurses: false, jumps: false, stores: [Store::Int; 2] },
        kind,
        semaphore: 0,
        barrier: 2,
        once: vec![Piece::Add(0)],
        destructor: Some((1, true)),
        threads: vec![thread.to_vec()],
        beside: beside.to_vec(),
        fates: vec![Fate::Joined],
        after: after.to_vec(),
    }
}

#[test]
fn the_oracle_knows_the_library() {
    use Piece::{
        Add, Await, Barrier, Broadcast, Exit, Get, GetKey, If, Never, NeverShared, Once, Return, SemPost, SemValue,
        SemWait, Set, SetKey, Signal, Twice, Unlock, With,
    };
    let with = |lock, pieces: &[Piece]| With(lock, How::Wait, pieces.to_vec());
    let (m0, m1) = (Lock::Mutex(0), Lock::Mutex(1));
    // What the thread does, main beside it, and after it; whether an assertion can fail, and whether somebody can wait for ever.
    type Row<'r> = (Kind, &'r [Piece], &'r [Piece], &'r [Piece], bool, bool);
    let rows: [Row<'_>; 26] = [
        (Kind::Normal, &[Add(0)], &[Add(0)], &[NeverShared(0, 1)], true, false),
        (Kind::Normal, &[with(m0, &[Add(0)])], &[with(m0, &[Add(0)])], &[NeverShared(0, 1)], false, false),
        (
            Kind::Normal,
            &[with(Lock::Read, &[Add(0)])],
            &[with(Lock::Read, &[Add(0)])],
            &[NeverShared(0, 1)],
            true,
            false,
        ),
        (
            Kind::Normal,
            &[with(Lock::Write, &[Add(0)])],
            &[with(Lock::Read, &[Add(0)])],
            &[NeverShared(0, 1)],
            false,
            false,
        ),
        (Kind::Normal, &[with(m0, &[with(m1, &[])])], &[with(m1, &[with(m0, &[])])], &[], false, true),
        (Kind::Normal, &[with(m1, &[with(m1, &[])])], &[], &[], false, true),
        (Kind::Recursive, &[with(m1, &[with(m1, &[])])], &[], &[], false, false),
        (Kind::Checking, &[with(m1, &[with(m1, &[Set(0, 1)]), Never(35)])], &[], &[NeverShared(0, 1)], true, false),
        (Kind::Checking, &[Unlock, Never(1)], &[], &[], true, false),
        (Kind::Normal, &[With(m0, How::Try, vec![]), Never(16)], &[], &[], false, false),
        (Kind::Normal, &[With(m0, How::Timed, vec![]), Never(110)], &[with(m0, &[])], &[], true, false),
        (Kind::Normal, &[with(m0, &[Exit])], &[with(m0, &[])], &[], false, true),
        (Kind::Normal, &[SemWait(How::Wait)], &[SemPost], &[SemValue, Never(0)], true, false),
        (Kind::Normal, &[SemWait(How::Wait)], &[], &[], false, true),
        (Kind::Normal, &[SemWait(How::Timed), Never(-1)], &[SemPost], &[], true, false),
        (Kind::Normal, &[Barrier, Never(-1)], &[Set(0, 1), Barrier], &[], true, false),
        (Kind::Normal, &[Barrier, NeverShared(0, 2)], &[Set(0, 2), Set(0, 1), Barrier], &[], false, false),
        (Kind::Normal, &[Barrier], &[], &[], false, true),
        (Kind::Normal, &[Once], &[Once], &[NeverShared(0, 2)], false, false),
        (Kind::Normal, &[Await(How::Wait, false)], &[Signal], &[], false, true),
        (Kind::Normal, &[Await(How::Wait, true)], &[with(m0, &[Set(0, 1), Broadcast])], &[], false, false),
        (Kind::Normal, &[Await(How::Timed, false), Never(110)], &[], &[], true, false),
        (Kind::Normal, &[SetKey(2), Return], &[], &[NeverShared(1, 3)], true, false),
        (Kind::Normal, &[], &[SetKey(2)], &[GetKey, Never(2), NeverShared(1, 3)], true, false),
        (Kind::Normal, &[], &[Exit], &[NeverShared(1, 0)], false, false),
        (Kind::Normal, &[Twice(vec![Add(0)])], &[Get(0), If(1, vec![Set(1, 1)])], &[NeverShared(1, 1)], true, false),
    ];
    for (index, (kind, thread, beside, after, errs, deadlocks)) in rows.into_iter().enumerate() {
        let truth = explore(&program(kind, thread, beside, after)).expect("it is small");
        assert_eq!(truth, Truth { errs, deadlocks }, "row {index}");
    }
}
