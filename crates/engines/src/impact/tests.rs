//! Random programs: no configuration contradicts the interpreter, and every proof holds to the last step that was left out. Spoilt proofs do not hold.

use super::{Impact, decide};
use crate::certificate::{self, Checked};
use crate::explicit::agrees::program;
use crate::{Budget, Engine, Run};
use ir::build::Builder;
use ir::interp::{Domain, Limits, enumerate};
use ir::{Certificate, Op, Place, Proof, Properties, Property, Task, Verdict, Why};
use logic::VarId;
use std::time::Duration;

const REDUCTIONS: [&str; 4] = ["sleep", "monotonic", "shared", "none"];

/// The settings with a number; all of them are met if enough numbers are.
fn settings(number: usize) -> [(&'static str, &'static str); 7] {
    let choose = |rest: usize, words: [&'static str; 2]| words[rest % 2];
    let rest = number / 4;
    [
        ("por", REDUCTIONS[number % 4]),
        ("force-cover", choose(rest, ["on", "off"])),
        ("order", choose(rest / 2, ["sequential", "lockstep"])),
        ("interpolants", choose(rest / 4, ["wp", "solver"])),
        ("invariants", choose(rest / 8, ["learnt", "guessed"])),
        ("branches", choose(rest / 16, ["together", "apart"])),
        ("dependence", choose(number, ["outcomes", "accesses"])),
    ]
}

fn run(settings: &[(&str, &str)]) -> Run {
    Run::of(Impact.about(), Budget::of_time(Duration::from_secs(2)), settings).expect("the knobs are declared")
}

fn check(proof: &Certificate, properties: Properties) -> Checked {
    certificate::check(proof, properties, &smt::Limits::default())
}

#[test]
fn random_programs_are_not_contradicted() {
    let properties = Properties::of(&[Property::ErrorCall, Property::Assertion]);
    let (mut n_safe, mut n_unsafe) = (0, 0);
    for seed in 0..120u64 {
        let task = Task { program: program(seed, 3 + seed % 3, properties), properties };
        let limits = Limits { max_states: 20_000, domain: Domain::Bits(4), first_only: true, ..Limits::default() };
        let truth = enumerate(&task.program, properties, &limits);
        let is_bad = !truth.violations.is_empty();
        if truth.incomplete.is_some() && !is_bad {
            continue;
        }
        let settings = settings(seed as usize);
        match crate::decide(&Impact, &task, &mut run(&settings)).verdict() {
            Verdict::Safe(proof) if !is_bad => {
                n_safe += 1;
                let Proof::Abstraction(proof) = proof else { panic!("seed {seed}: {proof:?}") };
                match check(&proof, properties) {
                    Checked::Holds { left_out: 0, .. } | Checked::Beyond(_) => {}
                    other => panic!("seed {seed} with {settings:?}: {other:?}"),
                }
            }
            Verdict::Unsafe(_) if is_bad => n_unsafe += 1,
            Verdict::Unknown(Why::NotReplayed(what)) => panic!("seed {seed} with {settings:?}: {what}"),
            Verdict::Unknown(_) => {}
            Verdict::Safe(_) => panic!("seed {seed} with {settings:?}: safe, but there is a violation"),
            Verdict::Unsafe(_) => panic!("seed {seed} with {settings:?}: unsafe, but there is no violation"),
        }
    }
    assert!(n_safe > 15 && n_unsafe > 2, "{n_safe} safe, {n_unsafe} unsafe");
}

/// A reader asserts that x is 0; the other thread, which comes after it, writes y or x and then y again. Right after x = 1 the assertion fails.
fn section_four(x_first: bool) -> Task {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let (x, y) = (builder.global("x", 0), builder.global("y", 0));
    let reader = builder.define("reader", |body| {
        let seen = body.local("seen");
        body.load(seen, x);
        let cond = body.is(seen, 0);
        body.check(cond);
    });
    let writer = builder.define("writer", |body| {
        let choice = body.local("choice");
        body.input(choice);
        let first = body.is(choice, 0);
        let (one, other) = if x_first { (x, y) } else { (y, x) };
        body.branch(first, |body| body.set(one, 1), |body| body.set(other, 1));
        body.set(y, 2);
        body.set(x, 0);
    });
    builder.body(main, |body| {
        body.start_all(&[reader, writer]);
        let seen = body.local("seen");
        // Somebody looks at y, or it would not matter.
        body.load(seen, y);
        let is_five = body.is(seen, 5);
        let cond = body.pool().not(is_five);
        body.check(cond);
    });
    Task { program: builder.finish(main), properties: Properties::of(&[Property::Assertion]) }
}

#[test]
fn without_cover_expansion_the_proof_is_wrong() {
    let settings = [("por", "monotonic"), ("force-cover", "on"), ("branches", "apart")];
    let mut n_wrong = 0;
    // What is missed depends on which of the branches is unwound first, and so covers the other.
    for x_first in [false, true] {
        let task = section_four(x_first);
        let verdict = decide(&task, &mut run(&settings), true);
        assert!(matches!(verdict, Ok(Verdict::Unsafe(_))), "{verdict:?}");
        if let Ok(Verdict::Safe(Proof::Abstraction(wrong))) = decide(&task, &mut run(&settings), false) {
            n_wrong += 1;
            let checked = check(&wrong, task.properties);
            assert!(matches!(&checked, Checked::Fails(what) if what.contains("must not be left out")), "{checked:?}");
        }
    }
    assert!(n_wrong > 0, "without cover expansion the violation is missed");
}

/// Two threads add two to x in single steps, and count in variables of their own; main never sees x odd.
fn adders() -> Task {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let x = builder.global("x", 0);
    let own = [builder.global("a", 0), builder.global("b", 0)];
    let workers = own.map(|own| {
        builder.define("worker", |body| {
            let old = body.local("old");
            body.set(own, 1);
            let new = body.plus(old, 2);
            let order = ir::Order::SeqCst;
            body.then(Op::Rmw { dst: old, place: Place::Var(x), wait: None, owner: None, new, order, failure: None });
            body.set(own, 2);
        })
    });
    builder.body(main, |body| {
        body.start_all(&workers);
        let (seen, other) = (body.local("seen"), body.local("other"));
        for own in own {
            body.load(other, own);
            let is_seven = body.is(other, 7);
            let cond = body.pool().not(is_seven);
            body.check(cond);
        }
        body.load(seen, x);
        let is_one = body.is(seen, 1);
        let cond = body.pool().not(is_one);
        body.check(cond);
    });
    Task { program: builder.finish(main), properties: Properties::of(&[Property::Assertion]) }
}

/// Two threads count to an input, each in a global of its own; then main finds them equal.
fn side_by_side() -> Task {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let bound = builder.global("bound", 0);
    let counts = [builder.global("a", 0), builder.global("b", 0)];
    let workers = counts.map(|count| {
        builder.define("worker", |body| {
            let [i, n, seen] = ["i", "n", "seen"].map(|name| body.local(name));
            body.load(n, bound);
            let (counter, limit) = (body.var(i), body.var(n));
            let goes_on = body.pool().slt(counter, limit);
            body.repeat(
                |_| goes_on,
                |body| {
                    body.load(seen, count);
                    let more = body.plus(seen, 1);
                    body.store(count, more);
                    let next = body.plus(i, 1);
                    body.assign(i, next);
                },
            );
        })
    });
    builder.body(main, |body| {
        let n = body.local("n");
        body.input(n);
        let value = body.var(n);
        body.store(bound, value);
        let handles = body.start_all(&workers);
        handles.into_iter().for_each(|handle| body.join(handle));
        let seen = counts.map(|count| {
            let seen = body.local("seen");
            body.load(seen, count);
            body.var(seen)
        });
        let cond = body.pool().eq(seen[0], seen[1]);
        body.check(cond);
    });
    Task { program: builder.finish(main), properties: Properties::of(&[Property::Assertion]) }
}

#[test]
fn loops_that_run_side_by_side_are_proven_round_by_round() {
    let task = side_by_side();
    let budget = Budget::of_time(Duration::from_secs(60));
    let mut run = Run::of(Impact.about(), budget, &[("order", "lockstep")]).expect("the knob is declared");
    let verdict = decide(&task, &mut run, true);
    let Ok(Verdict::Safe(Proof::Abstraction(proof))) = verdict else { panic!("{verdict:?}") };
    let checked = check(&proof, task.properties);
    assert!(matches!(checked, Checked::Holds { left_out: 0, .. }), "{checked:?}");
    let fails = |proof: &Certificate| matches!(check(proof, task.properties), Checked::Fails(_));
    let mut n_left_out = 0;
    for index in 0..proof.nodes.len() {
        // It is the turn of another one than the steps say.
        let mut spoilt = (*proof).clone();
        spoilt.nodes[index].turn.thread = (spoilt.nodes[index].turn.thread + 1) % 3;
        let leads_here = |node: &ir::CertificateNode| {
            node.covered_by.is_none() && node.steps.iter().any(|(_, _, to)| *to as usize == index)
        };
        assert!(!proof.nodes.iter().any(leads_here) || fails(&spoilt), "the turn of node {index}");
        // A thread is left out that was not: as a rule it must not be.
        let node = &proof.nodes[index];
        if node.covered_by.is_none()
            && let Some((thread, ..)) = node.steps.first()
        {
            let mut spoilt = (*proof).clone();
            let own = &mut spoilt.nodes[index];
            own.steps.retain(|(other, ..)| other != thread);
            own.left_out.push(*thread);
            n_left_out += usize::from(fails(&spoilt));
        }
    }
    assert!(n_left_out > 20, "{n_left_out} threads that must not be left out");
}

/// One thread makes things, at most a thousand, and another one takes what was made, each as often as they like.
fn make_and_take() -> Task {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let [made, taken] = ["made", "taken"].map(|name| builder.global(name, 0));
    let mut worker = |name: &str, count: VarId| {
        builder.define(name, |body| {
            let [goes_on, all, own] = ["goes_on", "all", "own"].map(|name| body.local(name));
            body.repeat(
                |body| {
                    body.input(goes_on);
                    body.is(goes_on, 1)
                },
                |body| {
                    body.atomically(|body| {
                        body.load(all, made);
                        body.load(own, count);
                        let limit = if count == taken { body.var(all) } else { body.int(1000) };
                        let value = body.var(own);
                        let may = body.pool().slt(value, limit);
                        body.assume(may);
                        let more = body.plus(own, 1);
                        body.store(count, more);
                    });
                },
            );
        })
    };
    let workers = [worker("make", made), worker("take", taken)];
    builder.body(main, |body| {
        let handles = body.start_all(&workers);
        handles.into_iter().for_each(|handle| body.join(handle));
    });
    Task { program: builder.finish(main), properties: Properties::of(&[Property::Assertion]) }
}

#[test]
fn what_commutes_only_where_something_is_known_is_checked_there() {
    let task = make_and_take();
    let settings = [("order", "lockstep"), ("invariants", "guessed"), ("dependence", "outcomes")];
    let mut run = run(&settings);
    let Ok(Verdict::Safe(Proof::Abstraction(proof))) = decide(&task, &mut run, true) else { panic!("no proof") };
    assert!(run.statistics.0["steps that commute"] > 0.0);
    let checked = check(&proof, task.properties);
    assert!(matches!(checked, Checked::Holds { left_out: 0, .. }), "{checked:?}");
    let (maker, taker) = (1, 2);
    assert!(
        proof.nodes.iter().any(|node| node.asleep.contains(&taker)),
        "who takes is left out where something is left to take"
    );
    // Where perhaps nothing is left to take, the two do not commute, and who takes must not be left out after who makes.
    let is_noticed = |index: &usize| {
        let leads_here = |node: &ir::CertificateNode| {
            node.steps.iter().any(|(thread, _, to)| *thread == maker && *to as usize == *index)
        };
        let mut spoilt = (*proof).clone();
        let own = &mut spoilt.nodes[*index];
        if own.covered_by.is_some() || own.asleep.contains(&taker) || !proof.nodes.iter().any(leads_here) {
            return false;
        }
        own.steps.retain(|(thread, ..)| *thread != taker);
        own.left_out.push(taker);
        own.asleep.push(taker);
        matches!(check(&spoilt, task.properties), Checked::Fails(why) if why.contains("must not be left out"))
    };
    assert!((0..proof.nodes.len()).any(|index| is_noticed(&index)), "a spoilt proof holds");
}

fn proof(task: &Task, settings: &[(&str, &str)]) -> Certificate {
    match decide(task, &mut run(settings), true) {
        Ok(Verdict::Safe(Proof::Abstraction(proof))) => (*proof).clone(),
        other => panic!("{settings:?}: {other:?}"),
    }
}

#[test]
fn all_configurations_prove_and_reductions_make_the_tree_smaller() {
    let task = adders();
    let size = |settings: &[(&str, &str)]| {
        let proof = proof(&task, settings);
        let checked = check(&proof, task.properties);
        assert!(matches!(checked, Checked::Holds { left_out: 0, .. }), "{settings:?}: {checked:?}");
        proof.nodes.len()
    };
    for number in 0..32 {
        size(&settings(number));
    }
    let of = |por| size(&[("por", por), ("force-cover", "off")]);
    assert!(of("monotonic") < of("none"), "{} nodes of {}", of("monotonic"), of("none"));
}

#[test]
fn spoilt_proofs_are_noticed() {
    let task = adders();
    let proof = proof(&task, &[]);
    let fails = |proof: &Certificate| matches!(check(proof, task.properties), Checked::Fails(_));
    assert!(!fails(&proof));
    let [mut weakened, mut dropped, mut covered, mut left_out] = [0; 4];
    for index in 0..proof.nodes.len() {
        let node = &proof.nodes[index];
        // A label that was needed is gone.
        let mut spoilt = proof.clone();
        spoilt.nodes[index].formula = spoilt.program.pool.bool(true);
        weakened += usize::from(fails(&spoilt));
        // A node that is reached is dropped.
        let mut spoilt = proof.clone();
        spoilt.nodes.iter_mut().for_each(|node| node.steps.retain(|(_, _, to)| *to as usize != index));
        let was_reached = proof.nodes.iter().any(|node| node.steps.iter().any(|(_, _, to)| *to as usize == index));
        let is_false = proof.program.pool.as_const(node.formula).is_some_and(|value| !value.as_bool());
        if was_reached && !is_false {
            dropped += usize::from(fails(&spoilt));
        }
        // A node is covered by one that is elsewhere or allows less.
        if node.covered_by.is_none() && index > 0 && !node.steps.is_empty() {
            let mut spoilt = proof.clone();
            spoilt.nodes[index].covered_by = Some(0);
            assert!(fails(&spoilt), "node {index} is covered by the root");
            covered += 1;
        }
        // A thread is left out that was not.
        if node.covered_by.is_none()
            && let Some((thread, ..)) = node.steps.first()
        {
            let mut spoilt = proof.clone();
            let own = &mut spoilt.nodes[index];
            own.steps.retain(|(other, ..)| other != thread);
            own.left_out.push(*thread);
            left_out += usize::from(fails(&spoilt));
        }
    }
    assert!(weakened > 3 && dropped > 10 && covered > 5, "{weakened} {dropped} {covered}");
    assert!(left_out > 5, "{left_out} threads that must not be left out");
}
