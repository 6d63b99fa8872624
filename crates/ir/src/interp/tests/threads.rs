//! Several threads: start, join, waiting, deadlock, atomic sections.

use super::*;
use crate::stmt::{Callee, Op, Order, Place};
use logic::{Sort, Value, VarId};

#[test]
fn threads_get_arguments_handles_and_results() {
    let mut b = Builder::new();
    let local = b.thread_var("local", 3);
    let worker = b.define("worker", |b| {
        let arg = b.param("arg", Sort::Bv(64));
        b.returns(Sort::Bv(64));
        let fresh = b.is(local, 3);
        b.check(fresh);
        let other = b.int(9);
        b.assign(local, other);
        let self_var = b.pool().n_vars();
        assert!(self_var > 0);
        let result = b.plus(arg, 100);
        b.ret(Some(result));
    });
    let self_var = b.program.self_var;
    let main = b.define("main", |b| {
        let (t, r) = (b.pointer("t"), b.pointer("r"));
        let arg = b.word(5);
        b.start(t, worker, &[arg]);
        let thread = b.var(t);
        b.then(Op::Join { thread, result: Some(r) });
        for (var, expected) in [(t, 2), (r, 105), (local, 3), (self_var, 1)] {
            let holds = b.is(var, expected);
            b.check(holds);
        }
    });
    let program = b.finish(main);
    for seed in 0..10 {
        assert_eq!(run_random(&program, everything(), seed, 1000).outcome, RunEnd::Ended(End::Normal));
    }
}

#[test]
fn every_thread_runs_the_thread_init_first() {
    let mut b = Builder::new();
    let (ready, count) = (b.thread_var("ready", 0), b.global("count", 0));
    let init = b.define("init", |b| {
        let (one, old) = (b.int(1), b.local("old"));
        b.assign(ready, one);
        let new = b.plus(old, 1);
        b.then(Op::Rmw {
            dst: old,
            place: Place::Var(count),
            wait: None,
            owner: None,
            new,
            order: Order::SeqCst,
            failure: None,
        });
    });
    let is_ready = |b: &mut Body<'_>| {
        let holds = b.is(ready, 1);
        b.check(holds);
    };
    let worker = b.define("worker", is_ready);
    let main = b.define("main", |b| {
        is_ready(b);
        let handles = b.start_all(&[worker]);
        b.join(handles[0]);
        let n = b.local("n");
        b.load(n, count);
        let both = b.is(n, 2);
        b.check(both);
    });
    b.program.thread_init = Some(init);
    assert_eq!(violated(&b.finish(main), only(Property::Assertion)), []);
}

#[test]
fn the_end_of_main_ends_all_threads_but_its_exit_does_not() {
    let program = |exits: bool| {
        let mut b = Builder::new();
        let worker = b.define("worker", |b| {
            let i = b.local("i");
            let never = b.is(i, 1);
            b.check(never);
        });
        let main = b.define("main", |b| {
            b.start_all(&[worker]);
            let zero = b.word(0);
            b.then(if exits { Op::ExitThread(zero) } else { Op::ExitProcess { is_abort: false } });
        });
        b.finish(main)
    };
    for exits in [true, false] {
        let program = program(exits);
        let found = enumerate(&program, only(Property::Assertion), &Limits::default());
        assert_eq!(found.violations.len(), 1, "the worker can be first");
        let machine = Machine::new(&program);
        let mut state = machine.initial();
        let edges: Vec<EdgeRef> = (0..2).map(|edge| EdgeRef { proc: program.main, edge: EdgeId(edge) }).collect();
        for edge in edges {
            machine.step(&mut state, 0, edge, &mut Zeros, everything(), None);
        }
        assert_eq!(machine.enabled(&state).len(), usize::from(exits));
    }
}

/// Two threads take two locks, in the same or in opposite order.
fn two_locks(is_opposite: bool) -> Program {
    let mut b = Builder::new();
    let locks = [b.array("m", 1), b.array("n", 1)];
    let taker = |b: &mut Builder, name: &str, order: [usize; 2]| {
        b.define(name, |b| {
            let old = b.local("old");
            for index in order {
                let place = b.at(locks[index], 0);
                let (wait, new) = (Some(b.is(old, 0)), b.int(1));
                b.then(Op::Rmw { dst: old, place, wait, owner: None, new, order: Order::SeqCst, failure: None });
                let addr = b.word(locks[index]);
                b.then(Op::Mark(crate::Mark::Locked, addr));
            }
            for index in order {
                let (place, zero, addr) = (b.at(locks[index], 0), b.int(0), b.word(locks[index]));
                b.then(Op::Mark(crate::Mark::Unlocked, addr));
                b.store_to(place, zero, Order::SeqCst);
            }
        })
    };
    let first = taker(&mut b, "first", [0, 1]);
    let second = taker(&mut b, "second", if is_opposite { [1, 0] } else { [0, 1] });
    let main = b.define("main", |b| {
        for handle in b.start_all(&[first, second]) {
            b.join(handle);
        }
    });
    b.finish(main)
}

/// Takes a lock that says who holds it, and perhaps gives it back.
fn take(b: &mut Body<'_>, lock: VarId, gives_back: bool) {
    let old = b.pointer("old");
    let (zero, me) = (b.word(0), b.self_var());
    let (held, new) = (b.var(old), b.var(me));
    let wait = Some(b.pool().eq(held, zero));
    let place = Place::Var(lock);
    b.then(Op::Rmw { dst: old, place, wait, owner: Some(held), new, order: Order::SeqCst, failure: None });
    if gives_back {
        b.store(lock, zero);
    }
}

#[test]
fn some_threads_wait_for_ever_whatever_the_others_do() {
    // Whether they are taken in opposite order, whether the first one is given back at its end, and what is wrong.
    for (is_opposite, gives_back, expected) in [(false, true, false), (true, true, true), (false, false, true)] {
        let mut b = Builder::new();
        let word = Some(Value::bv(64, 0));
        let locks = ["m", "n"].map(|name| b.variable(name, Sort::Bv(64), Scope::Global, word.clone()));
        let taker = |b: &mut Builder, name: &str, first: usize| {
            b.define(name, |b| {
                take(b, locks[first], false);
                take(b, locks[1 - first], true);
                let zero = b.word(0);
                if gives_back {
                    b.store(locks[first], zero);
                }
            })
        };
        let first = taker(&mut b, "first", 0);
        let second = taker(&mut b, "second", usize::from(is_opposite));
        let main = b.define("main", |b| drop(b.start_all(&[first, second])));
        let found = violated(&b.finish(main), only(Property::Deadlock));
        assert_eq!(!found.is_empty(), expected, "{is_opposite} {gives_back}");
    }
}

#[test]
fn who_waits_on_what_nobody_has_written_sees_one_value() {
    let mut b = Builder::new();
    let lock = b.variable("lock", Sort::Bv(2), Scope::Global, None);
    let main = b.define("main", |b| {
        let old = b.local_of("old", Sort::Bv(2));
        let (seen, zero, one) = (b.var(old), b.constant(Value::bv(2, 0)), b.constant(Value::bv(2, 1)));
        let wait = Some(b.pool().eq(seen, zero));
        b.then(Op::Rmw {
            dst: old,
            place: Place::Var(lock),
            wait,
            owner: None,
            new: one,
            order: Order::SeqCst,
            failure: None,
        });
    });
    let program = b.finish(main);
    assert_eq!(violated(&program, only(Property::Deadlock)), [Property::Deadlock]);
    assert_eq!(violated(&program, only(Property::Termination)), [Property::Termination]);
    let found = enumerate(&program, only(Property::Deadlock), &Limits::default());
    let task = crate::Task { program, properties: only(Property::Deadlock) };
    crate::replay::replay(&task, &found.violations[&Property::Deadlock]).expect("the trace shows the value");
}

#[test]
fn locks_in_opposite_order_deadlock() {
    assert_eq!(violated(&two_locks(false), everything()), []);
    let program = two_locks(true);
    assert_eq!(violated(&program, everything()), [Property::Deadlock]);
    assert_eq!(violated(&program, only(Property::Assertion)), []);
    let report = (0..200).find_map(|seed| match run_random(&program, everything(), seed, 1000).outcome {
        RunEnd::Violation(violation) => Some(violation),
        _ => None,
    });
    let violation = report.expect("some schedule deadlocks");
    let Details::Deadlock(waiters) = &violation.details else {
        panic!("{violation:?}");
    };
    let shown: Vec<(u32, &str, Option<u32>)> =
        waiters.iter().map(|waiter| (waiter.thread, waiter.on.as_str(), waiter.holder)).collect();
    assert_eq!(shown, [(0, "thread 1 to end", Some(1)), (1, "n[0]", Some(2)), (2, "m[0]", Some(1))]);
    assert_eq!(waiters[1].locks, ["m[0]"]);
}

#[test]
fn a_join_of_what_is_no_thread_waits_for_ever() {
    let program = main_only(|b| {
        let thread = b.word(44);
        b.then(Op::Join { thread, result: None });
    });
    let (property, message) = wrong(&program, everything());
    assert_eq!(property, Property::Deadlock);
    assert_eq!(message, "deadlock: thread 0 waits for a thread with handle 44, which does not exist");
}

#[test]
fn a_stopped_thread_is_no_deadlock() {
    let mut b = Builder::new();
    let x = b.global("x", 0);
    let waiter = b.define("waiter", |b| {
        let old = b.local("old");
        b.await_change(old, x, 1, 0);
    });
    let main = b.define("main", |b| {
        b.start_all(&[waiter]);
        let never = b.pool().bool(false);
        b.assume(never);
    });
    assert_eq!(violated(&b.finish(main), everything()), []);
}

#[test]
fn waiting_ends_when_another_thread_changes_the_value() {
    let mut b = Builder::new();
    let (x, y) = (b.global("x", 0), b.global("y", 0));
    let waiter = b.define("waiter", |b| {
        let (old, seen) = (b.local("old"), b.local("seen"));
        b.await_change(old, x, 1, 2);
        b.load_from(seen, Place::Var(y), Order::Plain);
        for (var, expected) in [(old, 1), (seen, 7)] {
            let holds = b.is(var, expected);
            b.check(holds);
        }
    });
    let main = b.define("main", |b| {
        let handles = b.start_all(&[waiter]);
        b.set(y, 7);
        let one = b.int(1);
        b.store_to(Place::Var(x), one, Order::SeqCst);
        b.join(handles[0]);
        let last = b.local("last");
        b.load_from(last, Place::Var(x), Order::SeqCst);
        let is_two = b.is(last, 2);
        b.check(is_two);
    });
    assert_eq!(violated(&b.finish(main), everything()), []);
}

/// A thread makes x one and two again, in a section or not; another one looks.
fn blink(is_atomic: bool) -> Program {
    let mut b = Builder::new();
    let x = b.global("x", 2);
    let writer = b.define("writer", |b| {
        if is_atomic {
            b.atomically(|b| {
                b.set(x, 1);
                b.set(x, 2);
            });
        } else {
            b.set(x, 1);
            b.set(x, 2);
        }
    });
    let main = b.define("main", |b| {
        let handles = b.start_all(&[writer]);
        let seen = b.local("seen");
        b.load(seen, x);
        let is_two = b.is(seen, 2);
        b.check(is_two);
        b.join(handles[0]);
    });
    b.finish(main)
}

#[test]
fn nobody_runs_during_an_atomic_section() {
    assert_eq!(violated(&blink(false), only(Property::Assertion)), [Property::Assertion]);
    assert_eq!(violated(&blink(true), only(Property::Assertion)), []);
}

#[test]
fn a_section_that_waits_lets_others_run_and_theirs_are_atomic_too() {
    let mut b = Builder::new();
    let (x, go) = (b.global("x", 0), b.global("go", 0));
    let waiter = b.define("waiter", |b| {
        let (old, seen) = (b.local("old"), b.local("seen"));
        b.atomically(|b| {
            b.await_change(old, go, 1, 0);
            b.load(seen, x);
        });
        let is_done = b.is(seen, 2);
        b.check(is_done);
    });
    let main = b.define("main", |b| {
        let handles = b.start_all(&[waiter]);
        b.atomically(|b| {
            let one = b.int(1);
            b.store_to(Place::Var(go), one, Order::SeqCst);
            b.set(x, 1);
            b.set(x, 2);
        });
        b.join(handles[0]);
    });
    let program = b.finish(main);
    assert_eq!(violated(&program, Properties::of(&[Property::Assertion, Property::Deadlock])), []);
}

#[test]
fn nested_sections_end_with_the_outermost() {
    let mut b = Builder::new();
    let x = b.global("x", 2);
    let writer = b.define("writer", |b| {
        b.atomically(|b| {
            b.set(x, 1);
            b.atomically(|b| b.set(x, 1));
            b.set(x, 2);
        });
    });
    let main = b.define("main", |b| {
        b.start_all(&[writer]);
        let seen = b.local("seen");
        b.load(seen, x);
        let is_two = b.is(seen, 2);
        b.check(is_two);
    });
    assert_eq!(violated(&b.finish(main), only(Property::Assertion)), []);
}

#[test]
fn a_step_of_another_thread_is_refused_during_a_section() {
    let program = blink(true);
    let machine = Machine::new(&program);
    let mut state = machine.initial();
    let writer = program.proc_named("writer").expect("it is there");
    let step = |state: &mut State, thread, proc, edge| {
        machine.step(state, thread, EdgeRef { proc, edge: EdgeId(edge) }, &mut Zeros, everything(), None)
    };
    assert_eq!(step(&mut state, 0, program.main, 0), StepResult::Ok);
    assert_eq!(step(&mut state, 1, writer, 0), StepResult::Ok);
    let before = state.clone();
    assert_eq!(step(&mut state, 0, program.main, 1), StepResult::NotEnabled(NotEnabled::Held(1)));
    assert_eq!(step(&mut state, 1, writer, 3), StepResult::NotEnabled(NotEnabled::NotThere));
    assert_eq!(step(&mut state, 7, writer, 1), StepResult::NotEnabled(NotEnabled::NotThere));
    assert_eq!(state, before);
}

#[test]
fn threads_can_be_started_through_pointers_and_not_without_end() {
    let mut b = Builder::for_model(crate::DataModel::Ilp32);
    let worker = b.define("worker", |b| {
        b.param("arg", Sort::Bv(32));
    });
    let address = b.address_of(worker);
    let main = b.define("main", |b| {
        let (t, n) = (b.pointer("t"), b.local("n"));
        let (pointer, arg) = (b.word(address), b.word(1));
        b.repeat(
            |b| b.pool().bool(true),
            |b| {
                b.then(Op::Start { dst: t, callee: Callee::Pointer(pointer), args: vec![arg] });
                let next = b.plus(n, 1);
                b.assign(n, next);
            },
        );
    });
    let outcome = run(&b.finish(main), everything());
    let RunEnd::Beyond(Why::Unsupported { what, .. }) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(what, "more than 128 threads");
}

#[test]
fn results_of_any_width_are_words() {
    let mut b = Builder::new();
    let worker = b.define("worker", |b| {
        b.returns(Sort::Bv(32));
        let result = b.constant(Value::bv(32, 0xffff_fffe));
        b.ret(Some(result));
    });
    let main = b.define("main", |b| {
        let handles = b.start_all(&[worker]);
        let (thread, result) = (b.var(handles[0]), b.pointer("result"));
        b.then(Op::Join { thread, result: Some(result) });
        let holds = b.is(result, 0xffff_fffe);
        b.check(holds);
    });
    assert_eq!(violated(&b.finish(main), everything()), []);
}
