//! Stores on their way to memory: who sees them, in which order they arrive, and what traces say about it.

use super::*;
use crate::memory::RegionId;
use crate::model::Model;
use crate::stmt::{AllocKind, Op, Order, Place};
use crate::verdict::Task;
use logic::Scalar;

/// Two threads that store to their own place and load the other's; both loads give 0 if no store has arrived.
fn store_buffering() -> Program {
    let mut b = Builder::new();
    let main = b.proc("main");
    let [x, y, r, s] = ["x", "y", "r", "s"].map(|name| b.global(name, 0));
    let thread = |b: &mut Builder, name: &str, own, other, result| {
        b.define(name, |body| {
            let local = body.local("l");
            body.set(own, 1);
            body.load(local, other);
            let value = body.var(local);
            body.store(result, value);
        })
    };
    let procs = [thread(&mut b, "first", x, y, r), thread(&mut b, "second", y, x, s)];
    b.body(main, |body| {
        for handle in body.start_all(&procs) {
            body.join(handle);
        }
        let (l, m) = (body.local("l"), body.local("m"));
        body.load(l, r);
        body.load(m, s);
        let (is_l, is_m) = (body.is(l, 1), body.is(m, 1));
        let cond = body.pool().or(is_l, is_m);
        body.check(cond);
    });
    b.finish(main)
}

#[test]
fn traces_say_when_stores_reach_memory() {
    let mut program = store_buffering();
    assert_eq!(violated(&program, only(Property::Assertion)), []);
    program.model = Model::Tso;
    let found = enumerate(&program, only(Property::Assertion), &Limits::default());
    assert_eq!(found.incomplete, None);
    let trace = &found.violations[&Property::Assertion];
    assert!(!trace.commits.is_empty(), "threads are joined only when their stores have arrived");
    let mut task = Task { program, properties: only(Property::Assertion) };
    let replayed = crate::replay(&task, trace).expect("it is true");
    assert_eq!(replayed.trace.commits.len(), trace.commits.len());
    let tells = |what: fn(&Effect) -> bool| replayed.log.steps.iter().flat_map(|step| &step.effects).any(what);
    assert!(tells(|effect| matches!(effect, Effect::Buffered { place, new } if place == "x" && new == "1")));
    assert!(tells(|effect| matches!(effect, Effect::Committed { thread: 1, place, .. } if place == "x")));
    // Stores that no commit is named for arrive when their threads are joined.
    let without = crate::Trace { commits: Vec::new(), ..trace.clone() };
    let replayed = crate::replay(&task, &without).expect("joining waits for the stores");
    assert_eq!(replayed.violation.property, Property::Assertion);
    task.program.model = Model::Sc;
    assert!(crate::replay(&task, trace).is_err(), "where stores arrive at once there is no such execution");
}

#[test]
fn reads_find_each_byte_in_the_youngest_own_store() {
    for model in Model::ALL {
        let mut b = Builder::new();
        let base = b.array("a", 1);
        let main = b.define("main", |body| {
            let word = body.at(base, 0);
            let Place::Mem { addr, .. } = word else { unreachable!("elements are in memory") };
            let one = body.word(1);
            let second = body.pool().add(addr, one);
            let byte = Place::Mem { addr: second, sort: Scalar::Bv(8), region: RegionId::ANYWHERE };
            let (value, nine) = (body.int(0x0102_0304), body.pool().bv(8, 9));
            body.store_to(word, value, Order::Plain);
            body.store_to(byte, nine, Order::Plain);
            let local = body.local("l");
            body.load_from(local, word, Order::Plain);
            let cond = body.is(local, 0x0102_0904);
            body.check(cond);
        });
        let mut program = b.finish(main);
        program.model = model;
        assert_eq!(violated(&program, only(Property::Assertion)), [], "under {model}");
    }
}

#[test]
fn a_store_to_an_object_that_has_ended_is_dropped() {
    for model in [Model::Tso, Model::Pso] {
        let mut b = Builder::new();
        let main = b.define("main", |body| {
            let p = body.pointer("p");
            body.alloc(p, 4, AllocKind::Heap);
            let (place, one) = (body.deref(p), body.int(1));
            body.store_to(place, one, Order::Plain);
            body.free(p, AllocKind::Heap);
            body.then(Op::Fence(Order::SeqCst));
        });
        let mut program = b.finish(main);
        program.model = model;
        assert_eq!(violated(&program, everything().without(Property::Race)), [], "under {model}");
    }
}
