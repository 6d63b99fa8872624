//! Does the oracle know what it must?

use super::program::{From, Piece, To};
use super::*;

fn program(before: &[Piece], thread: &[Piece], beside: &[Piece], after: &[Piece]) -> Program {
    Program {
        before: before.to_vec(),
        threads: vec![thread.to_vec()],
        beside: beside.to_vec(),
        joins: true,
        after: after.to_vec(),
        wraps: false,
    }
}

#[test]
fn the_oracle_knows_when_objects_are_gone() {
    use Piece::{Block, Call, Exit, Forbid, Free, If, Locked, Return, Set, Write};
    let (g, p) = (From::Global(0), From::Local(0));
    let make = [Set(To::Global(0), From::New)];
    let take = Set(To::Local(0), g);
    let hide = Set(To::Global(0), From::Null);
    let free = [take.clone(), hide.clone(), Free(p)];
    let look = [take, If(p, vec![Write(p, 1)])];
    let inside = |pieces: &[Piece]| [Locked(pieces.to_vec())];
    let show = |from| Set(To::Global(0), from);
    // What is done before, by the thread, beside it and after it; whether that can go wrong.
    type Row<'r> = (&'r [Piece], &'r [Piece], &'r [Piece], &'r [Piece], bool);
    let rows: [Row<'_>; 12] = [
        (&make, &free, &look, &[], true),
        (&make, &inside(&free), &inside(&look), &[], false),
        (&make, &[Free(g)], &[Free(g)], &[], true),
        (&make, &[Free(g)], &[], &[Free(g)], true),
        (&make, &[Free(g)], &[], &[hide.clone(), Free(g)], false),
        (&[], &[Block(vec![show(From::Block), hide.clone()])], &look, &[], true),
        (&[], &[Block(vec![show(From::Block)])], &[], &[], false),
        (&[], &[Block(vec![show(From::Block), Exit])], &[], &[Write(g, 1)], true),
        (&[], &[Call(vec![show(From::Block), Return])], &[], &[Write(g, 1)], true),
        (&[], &[Block(vec![Call(vec![show(From::Block), hide]), Return])], &[], &[], false),
        (&[], &[show(From::ThreadLocal)], &[], &[Write(g, 1)], true),
        (&[show(From::ThreadLocal)], &[Write(g, 1)], &[], &[Forbid(g, 2)], false),
    ];
    for (index, (before, thread, beside, after, is_bad)) in rows.into_iter().enumerate() {
        let truth = oracle::explore(&program(before, thread, beside, after)).expect("it is small");
        assert_eq!(truth.errs || truth.misuses, is_bad, "row {index}: {truth:?}");
    }
}
