//! Happens-before: what orders accesses and what does not.

use super::*;
use crate::stmt::{AllocKind, Mark, Op, Order, Place};
use logic::VarId;

/// Whether some random run finds a race by clocks.
fn clocks_find_a_race(program: &Program) -> bool {
    (0..60).any(|seed| {
        let outcome = run_random(program, only(Property::Race), seed, 2000).outcome;
        matches!(outcome, RunEnd::Violation(violation) if violation.property == Property::Race)
    })
}

fn check(program: &Program, races: bool) {
    assert_eq!(clocks_find_a_race(program), races, "by clocks");
    let expected: &[Property] = if races { &[Property::Race] } else { &[] };
    assert_eq!(violated(program, only(Property::Race)), expected, "by adjacency");
}

/// Two threads with shared `x` and `flag`, joined by the first one.
fn two(first: impl FnOnce(&mut Body<'_>, VarId, VarId), second: impl FnOnce(&mut Body<'_>, VarId, VarId)) -> Program {
    let mut b = Builder::new();
    let (x, flag) = (b.global("x", 0), b.global("flag", 0));
    let first = b.define("first", |b| first(b, x, flag));
    let second = b.define("second", |b| second(b, x, flag));
    let main = b.define("main", |b| {
        b.set(x, 5);
        for handle in b.start_all(&[first, second]) {
            b.join(handle);
        }
        b.set(x, 6);
    });
    b.finish(main)
}

fn read(b: &mut Body<'_>, x: VarId) {
    let i = b.local("i");
    b.load(i, x);
}

#[test]
fn conflicting_plain_accesses_race() {
    check(&two(|b, x, _| b.set(x, 1), |b, x, _| b.set(x, 2)), true);
    check(&two(|b, x, _| b.set(x, 1), |b, x, _| read(b, x)), true);
    check(&two(|b, x, _| read(b, x), |b, x, _| read(b, x)), false);
    check(&two(|b, x, _| b.set(x, 1), |b, _, flag| b.set(flag, 2)), false);
}

#[test]
fn atomic_accesses_race_only_with_plain_ones() {
    let atomic = |b: &mut Body<'_>, x: VarId| {
        let one = b.int(1);
        b.store_to(Place::Var(x), one, Order::Relaxed);
    };
    check(&two(|b, x, _| atomic(b, x), |b, x, _| atomic(b, x)), false);
    check(&two(|b, x, _| atomic(b, x), |b, x, _| read(b, x)), true);
    let section = |b: &mut Body<'_>, x: VarId| b.atomically(|b| b.set(x, 1));
    check(&two(|b, x, _| section(b, x), |b, x, _| section(b, x)), false);
    check(&two(|b, x, _| section(b, x), |b, x, _| read(b, x)), true);
}

/// Writes x, then sets the flag; the other thread reads x if it has seen the flag.
fn message(store: Order, load: Order, fences: bool) -> Program {
    two(
        |b, x, flag| {
            b.set(x, 1);
            if fences {
                b.then(Op::Fence(Order::Release));
            }
            let one = b.int(1);
            b.store_to(Place::Var(flag), one, store);
        },
        |b, x, flag| {
            let f = b.local("f");
            b.load_from(f, Place::Var(flag), load);
            let is_set = b.is(f, 1);
            b.branch(
                is_set,
                |b| {
                    if fences {
                        b.then(Op::Fence(Order::Acquire));
                    }
                    read(b, x);
                },
                |_| {},
            );
        },
    )
}

#[test]
fn release_and_acquire_order_what_they_connect() {
    for (store, load, fences, races) in [
        (Order::Release, Order::Acquire, false, false),
        (Order::SeqCst, Order::SeqCst, false, false),
        (Order::Relaxed, Order::Acquire, false, true),
        (Order::Release, Order::Relaxed, false, true),
        (Order::Relaxed, Order::Relaxed, true, false),
        (Order::Relaxed, Order::Relaxed, false, true),
        (Order::Plain, Order::Plain, false, true),
    ] {
        let program = message(store, load, fences);
        assert_eq!(clocks_find_a_race(&program), races, "{store:?} {load:?} {fences}");
    }
}

#[test]
fn updates_continue_a_release_and_foreign_stores_end_it() {
    // The middle thread updates or overwrites the flag with a relaxed access after the release.
    let program = |is_update: bool| {
        let mut b = Builder::new();
        let (x, flag) = (b.global("x", 0), b.global("flag", 0));
        let writer = b.define("writer", |b| {
            b.set(x, 1);
            let one = b.int(1);
            b.store_to(Place::Var(flag), one, Order::Release);
        });
        let middle = b.define("middle", |b| {
            let old = b.local("old");
            let two = b.int(2);
            let seen = b.is(old, 1);
            if is_update {
                let place = Place::Var(flag);
                b.then(Op::Rmw {
                    dst: old,
                    place,
                    wait: Some(seen),
                    owner: None,
                    new: two,
                    order: Order::Relaxed,
                    failure: None,
                });
            } else {
                b.load_from(old, Place::Var(flag), Order::Relaxed);
                b.assume(seen);
                b.store_to(Place::Var(flag), two, Order::Relaxed);
            }
        });
        let reader = b.define("reader", |b| {
            let f = b.local("f");
            b.load_from(f, Place::Var(flag), Order::Acquire);
            let seen = b.is(f, 2);
            b.assume(seen);
            read(b, x);
        });
        let main = b.define("main", |b| {
            for handle in b.start_all(&[writer, middle, reader]) {
                b.join(handle);
            }
        });
        b.finish(main)
    };
    let finds = |program: &Program| {
        (0..2000)
            .any(|seed| matches!(run_random(program, only(Property::Race), seed, 100).outcome, RunEnd::Violation(_)))
    };
    assert!(!finds(&program(true)));
    assert!(finds(&program(false)));
}

#[test]
fn a_lock_orders_and_its_name_is_in_the_report() {
    let locked = |b: &mut Body<'_>, m: u64, write: &dyn Fn(&mut Body<'_>)| {
        let (old, addr) = (b.local("old"), b.word(m));
        let (place, wait, one, zero) = (b.at(m, 0), Some(b.is(old, 0)), b.int(1), b.int(0));
        b.then(Op::Rmw { dst: old, place, wait, owner: None, new: one, order: Order::AcqRel, failure: None });
        b.then(Op::Mark(Mark::Locked, addr));
        write(b);
        b.then(Op::Mark(Mark::Unlocked, addr));
        b.store_to(place, zero, Order::Release);
    };
    let program = |same_lock: bool| {
        let mut b = Builder::new();
        let (x, m, n) = (b.global("x", 0), b.array("m", 1), b.array("n", 1));
        let first = b.define("first", |b| locked(b, m, &|b| b.set(x, 1)));
        let second = b.define("second", |b| locked(b, if same_lock { m } else { n }, &|b| read(b, x)));
        let main = b.define("main", |b| {
            b.start_all(&[first, second]);
            let zero = b.word(0);
            b.then(Op::ExitThread(zero));
        });
        b.finish(main)
    };
    check(&program(true), false);
    let program = program(false);
    check(&program, true);
    let report = (0..60).find_map(|seed| match run_random(&program, only(Property::Race), seed, 100).outcome {
        RunEnd::Violation(violation) => Some(violation),
        _ => None,
    });
    let violation = report.expect("some run races");
    let Details::Race(accesses) = &violation.details else {
        panic!("{violation:?}");
    };
    let mut shown: Vec<(u32, &str, bool, &[String])> =
        accesses.iter().map(|a| (a.thread, a.place.as_str(), a.is_write, a.locks.as_slice())).collect();
    shown.sort();
    assert_eq!(shown, [(1, "x", true, &["m[0]".to_string()][..]), (2, "x", false, &["n[0]".to_string()][..])]);
    assert!(accesses[0].span.is_known() && accesses[0].span != accesses[1].span);
}

#[test]
fn bytes_race_where_they_overlap() {
    let program = |second_index: u64| {
        let mut b = Builder::new();
        let a = b.array("a", 4);
        let writer = |b: &mut Body<'_>, index| {
            let (place, one) = (b.at(a, index), b.int(1));
            b.store_to(place, one, Order::Plain);
        };
        let first = b.define("first", |b| writer(b, 0));
        let second = b.define("second", |b| writer(b, second_index));
        let main = b.define("main", |b| {
            for handle in b.start_all(&[first, second]) {
                b.join(handle);
            }
        });
        b.finish(main)
    };
    check(&program(0), true);
    check(&program(1), false);
}

#[test]
fn free_races_with_uses_and_the_end_of_a_scope_does_not() {
    let program = |kind: AllocKind| {
        let mut b = Builder::new();
        let user = b.define("user", |b| {
            let (p, i) = (b.param("p", logic::Sort::Bv(64)), b.local("i"));
            let place = b.deref(p);
            b.load_from(i, place, Order::Plain);
        });
        let main = b.define("main", |b| {
            let (p, t) = (b.pointer("p"), b.pointer("t"));
            let size = b.word(4);
            b.then(Op::Alloc { dst: p, size, kind, zeroed: true, copy: 0 });
            let address = b.var(p);
            b.start(t, user, &[address]);
            b.free(p, kind);
            b.join(t);
        });
        b.finish(main)
    };
    check(&program(AllocKind::Heap), true);
    check(&program(AllocKind::Stack), false);
}
