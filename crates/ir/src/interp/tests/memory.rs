//! Objects: bytes, bounds, lifetimes, leaks.

use super::*;
use crate::build::INT;
use crate::memory::{DataModel, Fill, ObjectKind, RegionId, Shape};
use crate::stmt::{AllocKind, Op, Order, Place};
use logic::{Scalar, Sort, Value};

fn byte_at(b: &mut Body<'_>, addr: u64) -> Place {
    Place::Mem { addr: b.word(addr), sort: Scalar::Bv(8), region: RegionId::ANYWHERE }
}

#[test]
fn bytes_are_little_endian_and_overlap() {
    let mut b = Builder::new();
    let a = b.array("a", 2);
    let main = b.define("main", |b| {
        let value = b.int(0x0403_0201);
        let whole = b.at(a, 0);
        b.store_to(whole, value, Order::Plain);
        let second = byte_at(b, a + 1);
        let nine = b.pool().bv(8, 9);
        b.store_to(second, nine, Order::Plain);
        let (byte, all) = (b.local_of("byte", Sort::Bv(8)), b.local("all"));
        let last = byte_at(b, a + 3);
        b.load_from(byte, last, Order::Plain);
        b.load_from(all, whole, Order::Plain);
        for (var, expected) in [(byte, 4), (all, 0x0403_0901)] {
            let holds = b.is(var, expected);
            b.check(holds);
        }
    });
    assert_eq!(run(&b.finish(main), everything()), RunEnd::Ended(End::Normal));
}

#[test]
fn values_survive_memory() {
    for value in [
        Value::Bool(true),
        Value::bv(1, 1),
        Value::bv(13, 0x1abc),
        Value::bv(64, u64::MAX - 5),
        Value::f32(1.5),
        Value::f64(-0.0),
        Value::f64(f64::NAN),
    ] {
        let sort = value.sort().scalar().expect("a scalar");
        assert_eq!(from_bytes(sort, &to_bytes(&value)), value);
    }
}

#[test]
fn static_objects_have_their_contents() {
    let mut b = Builder::new();
    let a = b.array("a", 4);
    b.last_object().init = vec![(4, Value::bv(INT, 17)), (8, Value::bv(INT, 0))];
    let main = b.define("main", |b| {
        let (first, second) = (b.local("first"), b.local("second"));
        let (p0, p1) = (b.at(a, 0), b.at(a, 1));
        b.load_from(first, p0, Order::Plain);
        b.load_from(second, p1, Order::Plain);
        for (var, expected) in [(first, 0), (second, 17)] {
            let holds = b.is(var, expected);
            b.check(holds);
        }
    });
    assert_eq!(run(&b.finish(main), everything()), RunEnd::Ended(End::Normal));
}

/// One access at an address in a program with an array of 16 bytes, a string and a function.
fn access_at(choose: fn(u64, u64, u64) -> u64, is_write: bool) -> Program {
    let mut b = Builder::new();
    let f = b.define("f", |_| {});
    let (a, function) = (b.array("a", 4), b.address_of(f));
    let text = b.object("text", ObjectKind::ReadOnly, Fill::Zero, Shape::Bytes(8));
    let main = b.define("main", |b| {
        let place = b.at(choose(a, text, function), 0);
        let (i, zero) = (b.local("i"), b.int(0));
        if is_write {
            b.store_to(place, zero, Order::Plain);
        } else {
            b.load_from(i, place, Order::Plain);
        }
    });
    b.finish(main)
}

#[test]
fn accesses_must_lie_inside_an_object() {
    type Row = (fn(u64, u64, u64) -> u64, bool, Option<&'static str>);
    let rows: [Row; 10] = [
        (|a, _, _| a + 12, true, None),
        (|_, text, _| text + 4, false, None),
        (|_, _, _| 0, false, Some("read through a null pointer")),
        (|_, _, _| 12, true, Some("write at 0xc, where no object is")),
        (|a, _, _| a + 13, false, Some("read at offset 13 of a, which has 16 bytes")),
        (|a, _, _| a + 16, true, Some("write at offset 16 of a, which has 16 bytes")),
        (|_, _, _| u64::MAX - 1, false, Some("read at 0xfffffffffffffffe, where no object is")),
        (|_, text, _| text, true, Some("write of text, which is read-only")),
        (|_, _, f| f, false, Some("read of f, which is a function")),
        (|a, _, _| a - 4, false, Some("read 4 bytes before a, which has 16 bytes")),
    ];
    for (choose, is_write, expected) in rows {
        let program = access_at(choose, is_write);
        match expected {
            None => assert_eq!(run(&program, everything()), RunEnd::Ended(End::Normal)),
            Some(message) => {
                assert_eq!(wrong(&program, everything()), (Property::Deref, message.to_string()));
                assert!(matches!(run(&program, only(Property::Assertion)), RunEnd::Beyond(Why::Undefined { .. })));
            }
        }
    }
}

#[test]
fn pointers_may_point_past_the_end_as_long_as_they_are_not_used() {
    let program = main_only(|b| {
        let p = b.pointer("p");
        b.alloc(p, 4, AllocKind::Heap);
        let (far, back) = (b.plus(p, 400), b.plus(p, -400));
        b.assign(p, far);
        b.assign(p, back);
        let five = b.int(5);
        let place = b.deref(p);
        b.store_to(place, five, Order::Plain);
        b.free(p, AllocKind::Heap);
    });
    assert_eq!(run(&program, everything()), RunEnd::Ended(End::Normal));
}

#[test]
fn lifetimes() {
    let after_end = |kind: AllocKind| {
        main_only(|b| {
            let (p, i) = (b.pointer("p"), b.local("i"));
            b.alloc(p, 4, kind);
            b.free(p, kind);
            let place = b.deref(p);
            b.load_from(i, place, Order::Plain);
        })
    };
    let heap = wrong(&after_end(AllocKind::Heap), everything());
    assert_eq!(heap, (Property::Deref, "read of malloc@built.c:4 after it was freed".to_string()));
    let stack = wrong(&after_end(AllocKind::Stack), everything());
    assert_eq!(stack, (Property::Deref, "read of p after its scope ended".to_string()));
}

#[test]
fn wrong_frees() {
    type Write = fn(&mut Body<'_>, logic::VarId, u64);
    let rows: [(Write, &str); 6] = [
        (
            |b, p, _| {
                b.alloc(p, 4, AllocKind::Heap);
                b.free(p, AllocKind::Heap);
                b.free(p, AllocKind::Heap);
            },
            "malloc@built.c:5 is freed twice",
        ),
        (
            |b, p, _| {
                b.alloc(p, 8, AllocKind::Heap);
                let inside = b.plus(p, 4);
                b.assign(p, inside);
                b.free(p, AllocKind::Heap);
            },
            "free of malloc@built.c:5+4, which is not the start of an object",
        ),
        (
            |b, p, _| {
                b.alloc(p, 8, AllocKind::Stack);
                b.free(p, AllocKind::Heap);
            },
            "free of p, which was not allocated",
        ),
        (
            |b, p, a| {
                let address = b.word(a);
                b.assign(p, address);
                b.free(p, AllocKind::Heap);
            },
            "free of a, which was not allocated",
        ),
        (
            |b, p, _| {
                let address = b.word(77);
                b.assign(p, address);
                b.free(p, AllocKind::Heap);
            },
            "free of 0x4d, where no object is",
        ),
        (
            |b, p, _| {
                b.free(p, AllocKind::Heap);
                let never = b.pool().bool(false);
                b.check_for(never, crate::CheckKind::Free);
            },
            "invalid free",
        ),
    ];
    for (write, message) in rows {
        let mut b = Builder::new();
        let a = b.array("a", 1);
        let main = b.define("main", |b| {
            let p = b.pointer("p");
            b.then(Op::AtomicBegin);
            write(b, p, a);
        });
        let program = b.finish(main);
        assert_eq!(wrong(&program, only(Property::Free)), (Property::Free, message.to_string()));
        assert!(matches!(run(&program, only(Property::Assertion)), RunEnd::Beyond(Why::Undefined { .. })));
    }
}

#[test]
fn unwritten_bytes_are_chosen_once_and_zeroed_ones_are_zero() {
    let program = |zeroed: bool| {
        main_only(|b| {
            let (p, first, second) = (b.pointer("p"), b.local("first"), b.local("second"));
            let size = b.word(4);
            b.then(Op::Alloc { dst: p, size, kind: AllocKind::Stack, zeroed, copy: 0 });
            // The lowest byte is written, the others are arbitrary.
            let low = Place::Mem { addr: b.var(p), sort: Scalar::Bv(8), region: RegionId::ANYWHERE };
            let seven = b.pool().bv(8, 7);
            b.store_to(low, seven, Order::Plain);
            let place = b.deref(p);
            b.load_from(first, place, Order::Plain);
            b.load_from(second, place, Order::Plain);
            let (x, y) = (b.var(first), b.var(second));
            let (same, low_byte) = (b.pool().eq(x, y), b.pool().extract(x, 7, 0));
            b.check(same);
            let is_seven = b.pool().eq(low_byte, seven);
            b.check(is_seven);
            let is_small = b.is(first, 7);
            b.check_for(is_small, crate::CheckKind::Overflow);
        })
    };
    for seed in 0..10 {
        assert_eq!(run_random(&program(true), everything(), seed, 100).outcome, RunEnd::Ended(End::Normal));
        let assertions = run_random(&program(false), only(Property::Assertion), seed, 100).outcome;
        assert_eq!(assertions, RunEnd::Ended(End::Normal));
    }
    let differs = |seed| matches!(run_random(&program(false), everything(), seed, 100).outcome, RunEnd::Violation(_));
    assert!((0..10).any(differs), "arbitrary bytes are not always zero");
}

#[test]
fn contents_decide_equality_not_how_they_came_about() {
    let mut b = Builder::new();
    b.array("a", 2);
    let main = b.define("main", |_| {});
    let program = b.finish(main);
    let base = program.objects[0].base;
    let mut memory = Memory::of(&program);
    let before = memory.clone();
    memory.write(base, base, &[1, 2]);
    assert_ne!(memory, before);
    memory.write(base, base, &[0, 0]);
    assert_eq!(memory, before);
}

#[test]
fn leaks_at_the_end() {
    let both = Properties::of(&[Property::MemTrack, Property::MemCleanup]);
    // The pointer is kept in a global, in an object that a global points to, only in a local, or freed.
    let program = |kept: u32, end: Option<bool>| {
        let mut b = Builder::new();
        let root = b.variable("root", Sort::Bv(64), crate::Scope::Global, Some(Value::bv(64, 0)));
        let main = b.define("main", |b| {
            let (p, q) = (b.pointer("p"), b.pointer("q"));
            b.alloc(p, 16, AllocKind::Heap);
            b.alloc(q, 16, AllocKind::Heap);
            let address = b.var(p);
            if kept >= 1 {
                b.store(root, address);
            }
            if kept >= 2 {
                // Not aligned, and into the middle.
                let addr = b.plus(p, 3);
                let inside = b.plus(q, 8);
                let place = Place::Mem { addr, sort: Scalar::Bv(64), region: RegionId::ANYWHERE };
                b.store_to(place, inside, Order::Plain);
            }
            if kept >= 3 {
                b.free(p, AllocKind::Heap);
                b.free(q, AllocKind::Heap);
            }
            if let Some(is_abort) = end {
                b.then(Op::ExitProcess { is_abort });
            }
        });
        b.finish(main)
    };
    for end in [None, Some(false)] {
        // Where the process is ended inside of main its locals are there still.
        let (lost, half_lost) = (wrong(&program(0, end), both), wrong(&program(1, end), both));
        if end.is_none() {
            assert_eq!(lost, (Property::MemTrack, "lost memory: malloc@built.c:5, malloc@built.c:6".to_string()));
            assert_eq!(half_lost.1, "lost memory: malloc@built.c:6");
        } else {
            assert_eq!((lost.0, half_lost.0), (Property::MemCleanup, Property::MemCleanup));
        }
        assert_eq!(wrong(&program(2, end), both).0, Property::MemCleanup);
        assert_eq!(run(&program(2, end), only(Property::MemTrack)), RunEnd::Ended(End::Normal));
        assert_eq!(run(&program(3, end), both), RunEnd::Ended(End::Normal));
    }
    assert_eq!(run(&program(0, Some(true)), both), RunEnd::Ended(End::Abort), "abort loses nothing");
}

#[test]
fn running_out_of_addresses_leaves_the_model() {
    let mut b = Builder::for_model(DataModel::Ilp32);
    let main = b.define("main", |b| {
        let p = b.pointer("p");
        b.alloc(p, u64::from(u32::MAX), AllocKind::Heap);
    });
    assert!(matches!(run(&b.finish(main), everything()), RunEnd::Beyond(Why::Unsupported { .. })));
}

/// A loop makes objects without end; each is freed, or not, and the first one's address is kept.
fn many_objects(frees: bool, uses_first: bool) -> Program {
    let mut b = Builder::for_model(DataModel::Ilp32);
    let main = b.define("main", |b| {
        let (first, p, n, i) = (b.pointer("first"), b.pointer("p"), b.local("n"), b.local("i"));
        b.alloc(first, 4, AllocKind::Heap);
        b.free(first, AllocKind::Heap);
        let limit = b.int(700);
        b.repeat(
            |b| {
                let n = b.var(n);
                b.pool().slt(n, limit)
            },
            |b| {
                b.alloc(p, 4, AllocKind::Heap);
                let (place, value) = (b.deref(p), b.int(1));
                b.store_to(place, value, Order::Plain);
                if frees {
                    b.free(p, AllocKind::Heap);
                }
                let next = b.plus(n, 1);
                b.assign(n, next);
            },
        );
        if uses_first {
            let place = b.deref(first);
            b.load_from(i, place, Order::Plain);
        }
    });
    b.finish(main)
}

#[test]
fn addresses_are_used_again_only_if_nobody_can_tell() {
    let full = run(&many_objects(false, false), everything());
    assert!(matches!(full, RunEnd::Beyond(Why::Unsupported { .. })), "{full:?}");
    assert_eq!(run(&many_objects(true, false), everything()), RunEnd::Ended(End::Normal));
    let (property, message) = wrong(&many_objects(true, true), everything());
    assert_eq!((property, message.as_str()), (Property::Deref, "read of malloc@built.c:6 after it was freed"));
}
