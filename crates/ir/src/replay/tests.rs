use super::*;
use crate::build::Builder;
use crate::interp::{Limits, enumerate};
use crate::program::{EdgeId, EdgeRef};
use crate::stmt::{Op, Order, Place};
use crate::verdict::Step;
use logic::Value;

/// An input of two bits must not be 3, unless another thread says so.
fn task() -> Task {
    let mut b = Builder::new();
    let x = b.global("x", 0);
    let other = b.define("other", |b| {
        let one = b.int(1);
        b.store_to(Place::Var(x), one, Order::SeqCst);
    });
    let main = b.define("main", |b| {
        b.start_all(&[other]);
        let (i, seen) = (b.local_of("i", logic::Sort::Bv(2)), b.local("seen"));
        b.input(i);
        b.load_from(seen, Place::Var(x), Order::SeqCst);
        let (is_three, allowed) = (b.is(i, 3), b.is(seen, 1));
        let fine = b.pool().not(is_three);
        let holds = b.pool().or(fine, allowed);
        b.check(holds);
    });
    Task { program: b.finish(main), properties: Properties::of(&[Property::Assertion, Property::Deadlock]) }
}

fn good_trace(task: &Task) -> Trace {
    let found = enumerate(&task.program, task.properties, &Limits::default());
    found.violations[&Property::Assertion].clone()
}

#[test]
fn a_true_trace_replays_with_its_log() {
    let task = task();
    let trace = good_trace(&task);
    let replayed = replay(&task, &trace).expect("it is true");
    assert_eq!(replayed.violation.property, Property::Assertion);
    assert_eq!(replayed.log.steps.len(), trace.steps.len());
    let last = replayed.log.steps.last().expect("there are steps");
    assert!(last.effects.iter().any(is_failure), "{last:?}");
}

#[test]
fn wrong_traces_are_rejected() {
    let task = task();
    let good = good_trace(&task);
    let with = |change: &dyn Fn(&mut Trace)| {
        let mut trace = good.clone();
        change(&mut trace);
        replay(&task, &trace).expect_err("it is wrong")
    };
    let n = good.steps.len();
    assert_eq!(with(&|t| t.violation = Property::Deadlock), ReplayError::NoViolation(Property::Deadlock));
    assert_eq!(with(&|t| t.violation = Property::Race), ReplayError::OtherProperty(Property::Race));
    assert_eq!(with(&|t| t.steps.truncate(n - 1)), ReplayError::NoViolation(Property::Assertion));
    assert_eq!(with(&|t| t.steps.clear()), ReplayError::NoViolation(Property::Assertion));
    assert!(matches!(with(&|t| drop(t.steps.remove(0))), ReplayError::NotEnabled { step: 0, .. }));
    assert!(matches!(with(&|t| t.steps.swap(1, 2)), ReplayError::NotEnabled { .. }));
    assert!(matches!(with(&|t| t.steps[0].thread = 5), ReplayError::NotEnabled { step: 0, .. }));
    // The input that matters is another one, or not given and so zero.
    let with_inputs = |inputs: &dyn Fn(&mut Step)| with(&|t| t.steps.iter_mut().for_each(inputs));
    assert_eq!(with_inputs(&|step| step.inputs.clear()), ReplayError::NoViolation(Property::Assertion));
    let other_value = |step: &mut Step| step.inputs.iter_mut().for_each(|(_, value)| *value = Value::bv(2, 1));
    assert_eq!(with_inputs(&other_value), ReplayError::NoViolation(Property::Assertion));
    let other_sort = |step: &mut Step| step.inputs.iter_mut().for_each(|(_, value)| *value = Value::bv(32, 3));
    assert!(matches!(with_inputs(&other_sort), ReplayError::Malformed { .. }));
    let no_edge = EdgeRef { proc: task.program.main, edge: EdgeId(99) };
    assert_eq!(with(&|t| t.steps[0].edge = no_edge), ReplayError::Malformed { step: 0 });
}

#[test]
fn what_follows_the_violation_is_cut() {
    let task = task();
    let good = good_trace(&task);
    let mut longer = good.clone();
    longer.steps.push(good.steps[0].clone());
    assert_eq!(replay(&task, &longer).expect("the violation still happens").trace, good);
}

#[test]
fn a_step_after_the_other_thread_changes_the_outcome() {
    let task = task();
    let mut trace = good_trace(&task);
    // The other thread writes before main reads: nothing is wrong any more.
    let other = task.program.proc_named("other").expect("it is there");
    let edge = EdgeRef { proc: other, edge: EdgeId(0) };
    trace.steps.retain(|step| step.thread == 0);
    trace.steps.insert(1, Step { thread: 1, edge, inputs: vec![] });
    assert_eq!(replay(&task, &trace).expect_err("x is 1"), ReplayError::NoViolation(Property::Assertion));
}

#[test]
fn deadlocks_and_their_absence() {
    let mut b = Builder::new();
    let x = b.global("x", 0);
    let main = b.define("main", |b| {
        let old = b.local("old");
        b.then(Op::AtomicBegin);
        b.await_change(old, x, 1, 0);
    });
    let task = Task { program: b.finish(main), properties: Properties::of(&[Property::Deadlock]) };
    let step = Step { thread: 0, edge: EdgeRef { proc: main, edge: EdgeId(0) }, inputs: vec![] };
    let at_end = replay(&task, &Trace::new(Property::Deadlock, vec![step])).expect("x never changes");
    assert_eq!(at_end.violation.message, "deadlock: thread 0 waits for x");
    let shorter = replay(&task, &Trace::new(Property::Deadlock, vec![])).expect("replay goes on");
    assert_eq!(shorter.trace.steps.len(), 1);
}

#[test]
fn a_race_with_an_access_inside_a_section() {
    let mut b = Builder::new();
    let x = b.global("x", 0);
    let other = b.define("other", |b| b.set(x, 1));
    let main = b.define("main", |b| {
        b.start_all(&[other]);
        b.atomically(|b| b.set(x, 2));
    });
    let task = Task { program: b.finish(main), properties: Properties::of(&[Property::Race]) };
    let step = |thread, proc, edge| Step { thread, edge: EdgeRef { proc, edge: EdgeId(edge) }, inputs: vec![] };
    // Main is inside its section when the other thread is said to write.
    let steps = vec![step(0, main, 0), step(0, main, 1), step(0, main, 2), step(1, other, 0)];
    let replayed = replay(&task, &Trace::new(Property::Race, steps)).expect("it is a race");
    assert_eq!(replayed.trace.steps.len(), 5);
    assert_eq!(replayed.violation.message, "data race: thread 0 writes x, thread 1 writes x");
}

#[test]
fn a_loop_that_leaves_a_thread_out_is_no_endless_execution() {
    let mut b = Builder::new();
    let flag = b.global("flag", 0);
    let setter = b.define("setter", |b| {
        let one = b.int(1);
        b.store_to(Place::Var(flag), one, Order::SeqCst);
    });
    let main = b.define("main", |b| {
        b.start_all(&[setter]);
        let f = b.local("f");
        b.repeat(
            |b| {
                b.load_from(f, Place::Var(flag), Order::SeqCst);
                b.is(f, 0)
            },
            |_| {},
        );
    });
    let task = Task { program: b.finish(main), properties: Properties::of(&[Property::Termination]) };
    let step = |edge| Step { thread: 0, edge: EdgeRef { proc: main, edge: EdgeId(edge) }, inputs: vec![] };
    // Start, then load, test, jump back, twice.
    let steps = [0, 1, 2, 4, 1, 2, 4].into_iter().map(step).collect();
    let result = replay(&task, &Trace::new(Property::Termination, steps));
    assert_eq!(result.expect_err("the setter can run all the time"), ReplayError::NoViolation(Property::Termination));
}
