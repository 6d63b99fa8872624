//! The exhaustive search: inputs, completeness, endless executions; and the log of a run.

use super::*;
use crate::stmt::{Order, Place};
use crate::verdict::Task;
use logic::Sort;

/// Asserts that a nibble is not this value.
fn nibble_is_not(value: i64) -> Program {
    main_only(|b| {
        let i = b.local_of("i", Sort::Bv(4));
        b.input(i);
        let is_value = b.is(i, value);
        let is_other = b.pool().not(is_value);
        b.check(is_other);
    })
}

#[test]
fn inputs_are_enumerated_as_far_as_the_domain_goes() {
    let program = nibble_is_not(11);
    let with = |domain| enumerate(&program, everything(), &Limits { domain, ..Limits::default() });
    let all = with(Domain::Bits(4));
    assert_eq!((all.violations.len(), all.incomplete), (1, None));
    assert_eq!(all.violations[&Property::Assertion].steps[0].inputs[0].1, logic::Value::bv(4, 11));
    let large = with(Domain::Bits(3));
    assert!(matches!(large.incomplete, Some(Why::LargeInput { bits: 4, .. })));
    assert!(!large.is_safe());
    assert!(with(Domain::Values(vec![0, 1, 2])).is_safe());
    assert_eq!(with(Domain::Values(vec![0, 11])).violations.len(), 1);
}

#[test]
fn the_state_limit_is_kept_and_said() {
    let found = enumerate(
        &nibble_is_not(3),
        everything(),
        &Limits { max_states: 5, domain: Domain::Bits(4), first_only: false, ..Limits::default() },
    );
    assert!(found.n_states <= 6);
    assert!(matches!(found.incomplete, Some(Why::Bound(_))));
}

#[test]
fn interleavings_of_unprotected_increments() {
    // Two threads add one to x without a lock: the sum is 1 or 2.
    let mut b = Builder::new();
    let x = b.global("x", 0);
    let adder = b.define("adder", |b| {
        let i = b.local("i");
        b.load(i, x);
        let next = b.plus(i, 1);
        b.store(x, next);
    });
    let main = b.define("main", |b| {
        for handle in b.start_all(&[adder, adder]) {
            b.join(handle);
        }
        let sum = b.local("sum");
        b.load(sum, x);
        let is_two = b.is(sum, 2);
        b.check(is_two);
    });
    let program = b.finish(main);
    let found = enumerate(&program, everything(), &Limits::default());
    assert_eq!(found.violations.keys().copied().collect::<Vec<_>>(), [Property::Assertion, Property::Race]);
    for (property, trace) in found.violations {
        let task = Task { program: program.clone(), properties: everything() };
        let replayed = crate::replay::replay(&task, &trace).expect("found traces replay");
        assert_eq!(replayed.violation.property, property);
    }
}

/// A thread spins until the flag is set; another one sets it, or not.
fn spin(is_set: bool) -> Program {
    let mut b = Builder::new();
    let flag = b.global("flag", 0);
    let setter = b.define("setter", |b| {
        if is_set {
            let one = b.int(1);
            b.store_to(Place::Var(flag), one, Order::SeqCst);
        }
    });
    let main = b.define("main", |b| {
        let handles = b.start_all(&[setter]);
        let f = b.local("f");
        b.repeat(
            |b| {
                b.load_from(f, Place::Var(flag), Order::SeqCst);
                b.is(f, 0)
            },
            |_| {},
        );
        b.join(handles[0]);
    });
    b.finish(main)
}

#[test]
fn only_fair_loops_are_endless() {
    let termination = only(Property::Termination);
    assert_eq!(violated(&spin(true), termination), []);
    let program = spin(false);
    assert_eq!(violated(&program, termination), [Property::Termination]);
    let found = enumerate(&program, termination, &Limits::default());
    let trace = &found.violations[&Property::Termination];
    let task = Task { program: program.clone(), properties: termination };
    let replayed = crate::replay::replay(&task, trace).expect("the lasso replays");
    assert!(matches!(replayed.violation.details, Details::Lasso { .. }));
}

#[test]
fn runs_are_the_same_for_the_same_seed() {
    let program = spin(true);
    for seed in 0..5 {
        let (a, b) = (run_random(&program, everything(), seed, 50), run_random(&program, everything(), seed, 50));
        assert_eq!(a.steps, b.steps);
        assert_eq!(a.outcome, b.outcome);
    }
    let endless = run_random(&spin(false), everything(), 3, 50);
    assert_eq!((endless.outcome, endless.steps.len()), (RunEnd::StepLimit, 50));
}

#[test]
fn the_log_names_places_values_and_where_they_come_from() {
    let mut b = Builder::new();
    let (x, a) = (b.global("x", 0), b.array("a", 4));
    let p_global = b.variable("p", Sort::Bv(64), crate::Scope::Global, Some(logic::Value::bv(64, 0)));
    b.program.vars[p_global.index()].format = crate::Format::Pointer;
    let callee = b.define("callee", |b| {
        let n = b.param("n", Sort::Bv(32));
        let value = b.var(n);
        let third = b.at(a, 2);
        b.store_to(third, value, Order::Plain);
    });
    let main = b.define("main", |b| {
        b.set(x, 4);
        let i = b.local("i");
        b.load(i, x);
        let seven = b.int(-7);
        b.call(callee, &[seven], None);
        let address = b.word(a + 8);
        b.store(p_global, address);
    });
    let program = b.finish(main);
    let report = run_random(&program, everything(), 1, 100);
    assert_eq!(report.outcome, RunEnd::Ended(End::Normal));
    let text = |s: &str| s.to_string();
    let effects: Vec<&Vec<Effect>> = report.log.steps.iter().map(|step| &step.effects).collect();
    assert_eq!(
        *effects[0],
        [Effect::Write { place: text("x"), old: Some(text("0")), new: text("4"), is_character: false }]
    );
    assert_eq!(
        *effects[1],
        [
            Effect::Read { place: text("x"), value: text("4"), from: Some(0) },
            Effect::Assigned { name: text("i"), old: text("0"), new: text("4") },
        ]
    );
    assert_eq!(*effects[2], [Effect::Called { proc: text("callee"), args: vec![text("-7")] }]);
    assert_eq!(
        *effects[3],
        [Effect::Write { place: text("a[2]"), old: Some(text("0")), new: text("-7"), is_character: false }]
    );
    assert_eq!(*effects[4], [Effect::Returned { proc: text("callee") }]);
    assert_eq!(
        *effects[5],
        [Effect::Write { place: text("p"), old: Some(text("NULL")), new: text("&a[2]"), is_character: false }]
    );
    assert_eq!(*effects[6], [Effect::ProcessEnded(End::Normal)]);
    let stack: Vec<&str> = report.log.steps[3].stack.iter().map(|site| site.proc.as_str()).collect();
    assert_eq!(stack, ["main", "callee"]);
    assert!(report.log.steps[3].stack[1].span.is_known());
}
