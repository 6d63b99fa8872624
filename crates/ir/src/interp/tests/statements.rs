//! Statements of one thread: assignments, inputs, assumptions, checks, calls, the end of the process.

use super::*;
use crate::stmt::{Callee, CheckKind, HavocKind, Op, Order, Place};
use logic::{Sort, Value};

#[test]
fn assignments_and_accesses_to_globals() {
    let mut b = Builder::new();
    let x = b.global("x", 5);
    let main = b.define("main", |b| {
        let (i, j) = (b.local("i"), b.local("j"));
        b.load(i, x);
        let next = b.plus(i, 2);
        b.store(x, next);
        let (old, doubled) = (b.local("old"), b.local("doubled"));
        let old_term = b.var(old);
        let new = b.pool().add(old_term, old_term);
        b.then(Op::Rmw {
            dst: old,
            place: Place::Var(x),
            wait: None,
            owner: None,
            new,
            order: Order::SeqCst,
            failure: None,
        });
        b.load(doubled, x);
        for (var, expected) in [(i, 5), (j, 0), (old, 7), (doubled, 14)] {
            let holds = b.is(var, expected);
            b.check(holds);
        }
    });
    assert_eq!(run(&b.finish(main), everything()), RunEnd::Ended(End::Normal));
}

#[test]
fn a_failing_check_is_a_violation_only_if_asked_about() {
    let kinds = [
        (CheckKind::ErrorCall, Property::ErrorCall),
        (CheckKind::Assertion, Property::Assertion),
        (CheckKind::Division, Property::Division),
        (CheckKind::Deref, Property::Deref),
        (CheckKind::Free, Property::Free),
        (CheckKind::Overflow, Property::Overflow),
    ];
    for (kind, property) in kinds {
        let program = main_only(|b| {
            let never = b.pool().bool(false);
            b.check_for(never, kind.clone());
            b.check_for(never, CheckKind::Unsupported("what comes next".into()));
        });
        assert_eq!(wrong(&program, only(property)).0, property);
        let otherwise = run(&program, only(Property::Race));
        if kind == CheckKind::Overflow {
            assert!(matches!(otherwise, RunEnd::Beyond(Why::Unsupported { .. })), "overflow wraps and goes on");
        } else if property.is_undefined() {
            assert!(matches!(otherwise, RunEnd::Beyond(Why::Undefined { .. })), "{kind:?}");
        } else {
            assert_eq!(otherwise, RunEnd::Ended(End::Crash), "{kind:?}");
        }
    }
}

#[test]
fn bounds_and_unsupported_things_leave_the_model() {
    let program = main_only(|b| {
        let never = b.pool().bool(false);
        b.check_for(never, CheckKind::Bound("loop needs more".into()));
    });
    assert_eq!(run(&program, everything()), RunEnd::Beyond(Why::Bound("loop needs more".into())));
}

#[test]
fn an_assumption_that_fails_stops_the_thread_for_good() {
    let program = main_only(|b| {
        let never = b.pool().bool(false);
        b.assume(never);
        b.check(never);
    });
    assert_eq!(run(&program, everything()), RunEnd::Stuck, "neither a violation nor a deadlock");
    let machine = Machine::new(&program);
    let state = machine.initial();
    assert_eq!(machine.status(&state, 0), Status::Stopped);
    assert_eq!(machine.enabled(&state), []);
}

#[test]
fn an_edge_is_taken_whole_or_not_at_all() {
    let mut b = Builder::new();
    let x = b.global("x", 0);
    let main = b.define("main", |b| {
        let i = b.local("i");
        let (one, never) = (b.int(1), b.is(i, 1));
        b.together(vec![Op::Store { place: Place::Var(x), value: one, order: Order::Plain }, Op::Assume(never)]);
    });
    let program = b.finish(main);
    let machine = Machine::new(&program);
    let mut state = machine.initial();
    let before = state.clone();
    let edge = EdgeRef { proc: main, edge: EdgeId(0) };
    let result = machine.step(&mut state, 0, edge, &mut Zeros, everything(), None);
    assert!(matches!(result, StepResult::NotEnabled(NotEnabled::Assume(_))), "{result:?}");
    assert_eq!(state, before);
}

#[test]
fn inputs_are_what_the_chooser_says() {
    struct Seven;
    impl Inputs for Seven {
        fn choose(&mut self, request: &Request) -> Value {
            assert_eq!(request.kind, InputKind::Havoc(HavocKind::Input));
            Value::bv(32, 7)
        }
    }
    let program = main_only(|b| {
        let i = b.local("i");
        b.input(i);
        let is_seven = b.is(i, 7);
        b.check(is_seven);
    });
    let mut execution = Execution::new(&program, everything());
    for edge in 0..3 {
        let edge = EdgeRef { proc: program.main, edge: EdgeId(edge) };
        let result = execution.take(0, edge, &mut Seven);
        assert!(matches!(result, StepResult::Ok | StepResult::Ended(End::Normal)), "{result:?}");
    }
    assert_eq!(execution.steps[0].inputs.len(), 1);
}

#[test]
fn calls_have_their_own_locals_and_return_values() {
    let mut b = Builder::new();
    // fact(n) = n == 0 ? 1 : n * fact(n - 1)
    let fact = b.proc("fact");
    b.body(fact, |b| {
        let n = b.param("n", Sort::Bv(32));
        b.returns(Sort::Bv(32));
        let is_zero = b.is(n, 0);
        let one = b.int(1);
        b.branch(is_zero, |b| b.ret(Some(one)), |_| {});
        let (less, result) = (b.plus(n, -1), b.local("result"));
        b.call(fact, &[less], Some(result));
        let (n, result) = (b.var(n), b.var(result));
        let product = b.pool().mul(n, result);
        b.ret(Some(product));
    });
    let main = b.define("main", |b| {
        let (five, result) = (b.int(5), b.local("result"));
        b.call(fact, &[five], Some(result));
        let right = b.is(result, 120);
        b.check(right);
    });
    assert_eq!(run(&b.finish(main), everything()), RunEnd::Ended(End::Normal));
}

#[test]
fn calls_through_pointers_find_functions_only() {
    let program = |choose: fn(u64, u64) -> u64| {
        let mut b = Builder::new();
        let f = b.define("f", |b| {
            let never = b.pool().bool(false);
            b.check(never);
        });
        let (address, data) = (b.address_of(f), b.array("data", 4));
        b.object("puts", crate::ObjectKind::Extern, crate::Fill::Zero, crate::Shape::Bytes(1));
        let main = b.define("main", |b| {
            let pointer = b.word(choose(address, data));
            b.then(Op::Call { callee: Callee::Pointer(pointer), args: vec![], result: None });
        });
        b.finish(main)
    };
    assert_eq!(wrong(&program(|f, _| f), everything()).0, Property::Assertion);
    assert_eq!(
        wrong(&program(|_, data| data), everything()),
        (Property::Deref, "call of &data, which is no function".to_string())
    );
    assert_eq!(wrong(&program(|_, _| 0), everything()).1, "call of NULL, which is no function");
    let external = run(&program(|_, data| data + (7 << 32)), everything());
    assert!(matches!(external, RunEnd::Beyond(Why::Unsupported { .. })), "{external:?}");
}

#[test]
fn arguments_must_fit() {
    let mut b = Builder::new();
    let f = b.define("f", |b| {
        b.param("a", Sort::Bv(32));
    });
    let main = b.define("main", |b| {
        let wide = b.word(1);
        b.call(f, &[wide], None);
    });
    assert!(matches!(run(&b.finish(main), everything()), RunEnd::Beyond(Why::Unsupported { .. })));
}

#[test]
fn the_process_ends_in_several_ways() {
    let never = |b: &mut Body<'_>| {
        let never = b.pool().bool(false);
        b.check(never);
    };
    let exit = main_only(|b| {
        b.then(Op::ExitProcess { is_abort: false });
        never(b);
    });
    assert_eq!(run(&exit, everything()), RunEnd::Ended(End::Normal));
    let abort = main_only(|b| {
        b.then(Op::ExitProcess { is_abort: true });
        never(b);
    });
    assert_eq!(run(&abort, everything()), RunEnd::Ended(End::Abort));
    let last_thread = main_only(|b| {
        let zero = b.word(0);
        b.then(Op::ExitThread(zero));
    });
    assert_eq!(run(&last_thread, everything()), RunEnd::Ended(End::Normal));
}

#[test]
fn an_unknown_global_keeps_the_value_chosen_at_the_first_read() {
    let mut b = Builder::new();
    let x = b.global_any("x");
    let main = b.define("main", |b| {
        let (first, second) = (b.local("first"), b.local("second"));
        b.load(first, x);
        b.load(second, x);
        let (first, second) = (b.var(first), b.var(second));
        let same = b.pool().eq(first, second);
        b.check(same);
    });
    let program = b.finish(main);
    for seed in 0..20 {
        assert_eq!(run_random(&program, everything(), seed, 100).outcome, RunEnd::Ended(End::Normal));
    }
}
