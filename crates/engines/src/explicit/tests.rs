//! Small programs whose answers and numbers of states are known.

use super::Explicit;
use crate::{Budget, Decided, Engine, Run, decide};
use ir::build::{Body, Builder};
use ir::{Order, Place, Program, Properties, Property, Task, Verdict};
use logic::VarId;

fn check(program: &Program, properties: &[Property], por: &str) -> (Verdict, f64) {
    let task = Task { program: program.clone(), properties: Properties::of(properties) };
    let mut run = Run::of(Explicit.about(), Budget::unlimited(), &[("por", por)]).expect("the knob is declared");
    let decided = decide(&Explicit, &task, &mut run);
    (decided.verdict(), run.statistics.0["states"])
}

/// Loops in which two threads enter a critical section by Peterson's algorithm; in it they say so.
fn peterson(is_broken: bool) -> Program {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let flags = [builder.global("flag0", 0), builder.global("flag1", 0)];
    let (turn, inside) = (builder.global("turn", 0), builder.global("inside", 0));
    let procs = [0, 1].map(|me: usize| {
        builder.define(&format!("p{me}"), |body| {
            let seen = body.local("seen");
            let other = body.local("other");
            body.repeat(
                |body| body.pool().bool(true),
                |body| {
                    body.set(flags[me], 1);
                    if !is_broken {
                        body.set(turn, 1 - me as i64);
                    }
                    wait_for_turn(body, flags[1 - me], turn, me as i64, other, seen);
                    body.load(seen, inside);
                    let is_free = body.is(seen, 0);
                    body.check(is_free);
                    body.set(inside, 1);
                    body.set(inside, 0);
                    body.set(flags[me], 0);
                },
            );
        })
    });
    builder.body(main, |body| {
        let handles = body.start_all(&procs);
        for handle in handles {
            body.join(handle);
        }
    });
    builder.finish(main)
}

fn wait_for_turn(body: &mut Body<'_>, flag: VarId, turn: VarId, me: i64, other: VarId, seen: VarId) {
    body.repeat(
        |body| {
            body.load_from(other, Place::Var(flag), Order::SeqCst);
            body.load_from(seen, Place::Var(turn), Order::SeqCst);
            let is_up = body.is(other, 1);
            let is_mine = body.is(seen, me);
            let is_theirs = body.pool().not(is_mine);
            body.pool().and(is_up, is_theirs)
        },
        |_| {},
    );
}

#[test]
fn peterson_excludes() {
    for (por, expected) in [("none", 75.0), ("source", 66.0)] {
        let (verdict, states) = check(&peterson(false), &[Property::Assertion], por);
        assert!(matches!(verdict, Verdict::Safe(_)), "{por}: {verdict:?}");
        assert_eq!(states, expected, "{por}");
        let (verdict, _) = check(&peterson(true), &[Property::Assertion], por);
        assert!(matches!(verdict, Verdict::Unsafe(_)), "{por}: {verdict:?}");
    }
}

/// Threads that all add one under a lock, joined by the first, which then looks at the sum.
fn increments(n_threads: usize, sum: i64) -> Program {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let (lock, x) = (builder.global("lock", 0), builder.global("x", 0));
    let worker = builder.define("worker", |body| {
        let (old, seen) = (body.local("old"), body.local("seen"));
        body.await_change(old, lock, 0, 1);
        body.load(seen, x);
        let more = body.plus(seen, 1);
        body.store(x, more);
        let zero = body.int(0);
        body.store_to(Place::Var(lock), zero, Order::SeqCst);
    });
    builder.body(main, |body| {
        let handles = body.start_all(&vec![worker; n_threads]);
        for handle in handles {
            body.join(handle);
        }
        let seen = body.local("seen");
        body.load(seen, x);
        let is_sum = body.is(seen, sum);
        body.check(is_sum);
    });
    builder.finish(main)
}

#[test]
fn like_threads_count_once() {
    let states = |n_threads: usize, symmetry: &str| {
        let task = Task {
            program: increments(n_threads, n_threads as i64),
            properties: Properties::of(&[Property::Assertion]),
        };
        let knobs = [("por", "none"), ("symmetry", symmetry)];
        let mut run = Run::of(Explicit.about(), Budget::unlimited(), &knobs).expect("the knobs are declared");
        let decided = decide(&Explicit, &task, &mut run);
        assert!(matches!(decided, Decided::Safe(..)), "{decided:?}");
        run.statistics.0["states"]
    };
    assert!(states(4, "on") < states(4, "off") / 2.0);
    // With all orders this would be some thousand million.
    assert!(states(24, "on") < 10_000.0, "{}", states(24, "on"));
    // More threads than a word has bits.
    assert!(states(100, "on") < 200_000.0, "{}", states(100, "on"));
    // The trace has the numbers that threads were started with, or it would not replay.
    let (verdict, _) = check(&increments(5, 4), &[Property::Assertion], "source");
    assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}");
}

/// One thread goes round while a flag is set, which is for ever; another counts the rounds and may do something else.
fn spinning(other: impl FnOnce(&mut Body<'_>)) -> Program {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let flag = builder.global("flag", 1);
    let spins = builder.define("spins", |body| {
        let (seen, rounds) = (body.local("seen"), body.local("rounds"));
        body.repeat(
            |body| {
                body.load_from(seen, Place::Var(flag), Order::SeqCst);
                body.is(seen, 1)
            },
            |body| {
                let (more, three) = (body.plus(rounds, 1), body.int(3));
                let more = body.pool().bv_and(more, three);
                body.assign(rounds, more);
            },
        );
    });
    let other = builder.define("other", other);
    builder.body(main, |body| {
        let handles = body.start_all(&[spins, other]);
        for handle in handles {
            body.join(handle);
        }
    });
    builder.finish(main)
}

#[test]
fn what_ends_the_process_ends_loops() {
    let (verdict, _) = check(&spinning(|_| {}), &[Property::Termination], "source");
    assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}");
    // A failing check that nobody asked about ends the process, and a fair scheduler comes to it.
    let fails = |body: &mut Body<'_>| {
        let no = body.pool().bool(false);
        body.check(no);
    };
    let (verdict, _) = check(&spinning(fails), &[Property::Termination], "source");
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    // What goes wrong in some executions does not hide that others never end.
    let may_go_wrong = |body: &mut Body<'_>| {
        let (choice, null) = (body.local_of("choice", logic::Sort::Bool), body.pointer("null"));
        body.input(choice);
        let cond = body.var(choice);
        body.branch(
            cond,
            |body| {
                let (place, zero) = (body.deref(null), body.int(0));
                body.store_to(place, zero, Order::Plain);
            },
            |_| {},
        );
    };
    let (verdict, _) = check(&spinning(may_go_wrong), &[Property::Termination], "source");
    assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}");
}
