//! Programs under `tso` and `pso` beside the same programs with their buffers written down: both go wrong in the same way.

use crate::build::{Body, Builder};
use crate::interp::{Limits, enumerate};
use crate::model::Model;
use crate::pass::{Options, prepare, spell_trace};
use crate::program::Program;
use crate::property::{Properties, Property};
use crate::replay::replay;
use crate::stmt::{AllocKind, Op, Order, Place};
use crate::verdict::{Task, Why};
use logic::VarId;

const ASSERTION: &[Property] = &[Property::Assertion];

fn written(program: &Program) -> Result<Program, Why> {
    prepare(program, Properties::of(ASSERTION), &Options { buffers: true, ..Options::default() })
}

/// Two threads that do what they are told with two variables and two results; not both results may be `bad`.
fn two_threads(bad: i64, write: impl Fn(&mut Body<'_>, [VarId; 2], VarId, usize)) -> Program {
    let mut b = Builder::new();
    let main = b.proc("main");
    let [x, y, r, s] = ["x", "y", "r", "s"].map(|name| b.global(name, 0));
    let procs = [("first", [x, y], r), ("second", [y, x], s)];
    let procs: Vec<_> = procs
        .into_iter()
        .enumerate()
        .map(|(index, (name, places, result))| {
            b.define(name, |body| {
                let local = body.local("l");
                write(body, places, local, index);
                let value = body.var(local);
                body.store(result, value);
            })
        })
        .collect();
    b.body(main, |body| {
        for handle in body.start_all(&procs) {
            body.join(handle);
        }
        let (l, m) = (body.local("l"), body.local("m"));
        body.load(l, r);
        body.load(m, s);
        let (is_l, is_m) = (body.is(l, bad), body.is(m, bad));
        let both = body.pool().and(is_l, is_m);
        let cond = body.pool().not(both);
        body.check(cond);
    });
    b.finish(main)
}

fn agrees(program: &Program, expected: [bool; 3]) {
    for (model, is_wrong) in Model::ALL.into_iter().zip(expected) {
        let lowered = Program { model, ..program.clone() };
        let properties = Properties::of(ASSERTION);
        let truth = enumerate(&lowered, properties, &Limits::default());
        assert_eq!((truth.violations.is_empty(), truth.incomplete), (!is_wrong, None), "under {model}");
        let prepared = written(&lowered).expect("it has no objects");
        assert_eq!(prepared.model, Model::Sc);
        let found = enumerate(&prepared, properties, &Limits::default());
        assert_eq!((found.violations.is_empty(), found.incomplete), (!is_wrong, None), "written, under {model}");
        if let Some(trace) = found.violations.get(&Property::Assertion) {
            let spelled = spell_trace(&lowered, &prepared, trace);
            let task = Task { program: lowered, properties };
            assert!(replay(&task, &spelled).is_ok(), "under {model}");
        }
    }
}

#[test]
fn stores_wait_for_loads_and_fences_end_that() {
    let store_buffering = |fence: Option<Order>| {
        two_threads(0, move |body, [own, other], local, _| {
            body.set(own, 1);
            if let Some(order) = fence {
                body.then(Op::Fence(order));
            }
            body.load(local, other);
        })
    };
    agrees(&store_buffering(None), [false, true, true]);
    agrees(&store_buffering(Some(Order::Release)), [false, true, true]);
    agrees(&store_buffering(Some(Order::SeqCst)), [false, false, false]);
}

/// What drains the buffer does not hold up a load that comes before it, be it in one step with it once the program is prepared: not the end of the thread, and no fence.
#[test]
fn what_is_read_in_the_step_that_drains_is_read_before() {
    for ends in [true, false] {
        let store_buffering = two_threads_that_return(move |body, [own, other], local| {
            body.set(own, 1);
            body.load(local, other);
            let read = body.var(local);
            let value = body.pool().zero_extend(read, 64);
            if !ends {
                body.then(Op::Fence(Order::SeqCst));
            }
            body.then(Op::Return(Some(value)));
        });
        agrees(&store_buffering, [false, true, true]);
    }
}

/// Two threads that do what they are told with two variables; not both may return zero.
fn two_threads_that_return(write: impl Fn(&mut Body<'_>, [VarId; 2], VarId)) -> Program {
    let mut b = Builder::new();
    let main = b.proc("main");
    let [x, y] = ["x", "y"].map(|name| b.global(name, 0));
    let procs = [("first", [x, y]), ("second", [y, x])];
    let procs = procs.map(|(name, places)| {
        b.define(name, |body| {
            let local = body.local("l");
            write(body, places, local);
        })
    });
    b.body(main, |body| {
        let handles = body.start_all(&procs);
        let results = ["first", "second"].map(|name| body.pointer(name));
        for (handle, result) in handles.into_iter().zip(results) {
            let thread = body.var(handle);
            body.then(Op::Join { thread, result: Some(result) });
        }
        let nothing = body.word(0);
        let is_something = results.map(|result| {
            let result = body.var(result);
            body.pool().ne(result, nothing)
        });
        let cond = body.pool().or(is_something[0], is_something[1]);
        body.check(cond);
    });
    b.finish(main)
}

#[test]
fn stores_pass_each_other_under_pso_but_not_barriers() {
    // The first stores to both, the second reads them in the other order: 1 and then 0 is bad; the first has 1 as its result.
    let message_passing = |fence: Option<Order>| {
        two_threads(1, move |body, [own, other], local, index| {
            let early = body.local("early");
            if index == 0 {
                body.set(own, 1);
                if let Some(order) = fence {
                    body.then(Op::Fence(order));
                }
                body.set(other, 1);
                let one = body.int(1);
                body.assign(local, one);
            } else {
                body.load(early, own);
                body.load(local, other);
                let (is_early, is_late) = (body.is(early, 1), body.is(local, 0));
                let bad = body.pool().and(is_early, is_late);
                let (one, zero) = (body.int(1), body.int(0));
                let value = body.pool().ite(bad, one, zero);
                body.assign(local, value);
            }
        })
    };
    agrees(&message_passing(None), [false, false, true]);
    agrees(&message_passing(Some(Order::Release)), [false, false, false]);
}

#[test]
fn a_thread_reads_its_own_stores() {
    // Each reads back what it stored, and then what the other one has: not both read 0 in the second place and something else in the first.
    let forwarding = two_threads(0, |body, [own, other], local, _| {
        let back = body.local("back");
        body.set(own, 1);
        body.load(back, own);
        let is_there = body.is(back, 1);
        body.check(is_there);
        body.load(local, other);
    });
    agrees(&forwarding, [false, true, true]);
}

#[test]
fn a_loop_that_stores_without_end_is_cut_by_name() {
    let mut b = Builder::new();
    let main = b.proc("main");
    let x = b.global("x", 0);
    let writer = b.define("writer", |body| {
        let l = body.local("l");
        body.repeat(
            |body| body.pool().bool(true),
            |body| {
                body.load(l, x);
                let next = body.plus(l, 1);
                body.store(x, next);
            },
        );
    });
    let reader = b.define("reader", |body| {
        let l = body.local("l");
        body.load(l, x);
        let cond = body.is(l, -7);
        let cond = body.pool().not(cond);
        body.check(cond);
    });
    b.body(main, |body| {
        for handle in body.start_all(&[writer, reader]) {
            body.join(handle);
        }
    });
    let program = Program { model: Model::Tso, ..b.finish(main) };
    let prepared = written(&program).expect("it has no objects");
    let limits = Limits { max_states: 20_000, ..Limits::default() };
    let found = enumerate(&prepared, Properties::of(ASSERTION), &limits);
    assert!(found.violations.is_empty());
    assert!(matches!(found.incomplete, Some(Why::Bound(_))), "{:?}", found.incomplete);
}

#[test]
fn objects_that_end_are_refused_by_name() {
    let mut b = Builder::new();
    let main = b.define("main", |body| {
        let p = body.pointer("p");
        let n = body.local("n");
        body.input(n);
        let (wide, zero) = (body.var(n), body.int(0));
        let cond = body.pool().eq(wide, zero);
        body.repeat(
            |_| cond,
            |body| {
                body.alloc(p, 4, AllocKind::Heap);
                let (place, one): (Place, _) = (body.deref(p), body.int(1));
                body.store_to(place, one, Order::Plain);
                body.load_from(n, place, Order::Plain);
                body.free(p, AllocKind::Heap);
            },
        );
    });
    let program = Program { model: Model::Pso, ..b.finish(main) };
    let properties = Properties::of(&[Property::Deref]);
    let refused = prepare(&program, properties, &Options { buffers: true, ..Options::default() });
    assert!(matches!(refused, Err(Why::Unsupported { .. })), "{refused:?}");
}
