//! Small programs whose answers and numbers of states are known.

use super::Explicit;
use crate::{Run, decide};
use ir::build::{Body, Builder};
use ir::{Order, Place, Program, Properties, Property, Task, Verdict};
use logic::VarId;

fn check(program: &Program, properties: &[Property], por: &str) -> (Verdict, f64) {
    let task = Task { program: program.clone(), properties: Properties::of(properties) };
    let mut run = Run::unlimited();
    run.knobs.insert("por".to_string(), por.to_string());
    let decided = decide(&Explicit, &task, &mut run);
    (decided.verdict, run.statistics.0["states"])
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
