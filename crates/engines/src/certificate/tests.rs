//! Certificates that prove something pass; each way of spoiling one is noticed.

use super::{Checked, check};
use crate::cegar::Cegar;
use crate::{Budget, Engine, Run};
use ir::build::Builder;
use ir::{Certificate, CheckKind, Op, Place, Proof, Properties, Property, Task, Verdict};
use smt::Limits;

/// Two threads add to a global in atomic steps; it never becomes negative.
fn certificate(por: &str) -> (Certificate, Properties) {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let x = builder.global("x", 0);
    let worker = builder.define("worker", |body| {
        let old = body.local("old");
        let new = body.plus(old, 2);
        body.then(Op::Rmw {
            dst: old,
            place: Place::Var(x),
            wait: None,
            owner: None,
            new,
            order: ir::Order::SeqCst,
            failure: None,
        });
    });
    builder.body(main, |body| {
        body.start_all(&[worker, worker]);
        let seen = body.local("seen");
        body.then(Op::Load { dst: seen, place: Place::Var(x), order: ir::Order::SeqCst });
        let is_one = body.is(seen, 1);
        let cond = body.pool().not(is_one);
        body.then(Op::Check { cond, kind: CheckKind::Assertion });
    });
    let properties = Properties::of(&[Property::Assertion]);
    let task = Task { program: builder.finish(main), properties };
    let mut run = Run::of(Cegar.about(), Budget::unlimited(), &[("por", por)]).expect("the knob is declared");
    match Cegar.check(&task, &mut run) {
        Verdict::Safe(Proof::Abstraction(proof)) => ((*proof).clone(), properties),
        other => panic!("{other:?}"),
    }
}

#[test]
fn proofs_hold_and_say_what_was_left_out() {
    for por in ["none", "source", "aware", "dpor", "aware-dpor"] {
        let (proof, properties) = certificate(por);
        match check(&proof, properties, &Limits::default()) {
            Checked::Holds { obligations, left_out } => {
                assert!(obligations > 10, "{por}: {obligations} obligations");
                assert!(por != "none" || left_out == 0, "{por}: {left_out} left out");
            }
            other => panic!("{por}: {other:?}"),
        }
    }
}

#[test]
fn spoilt_proofs_are_noticed() {
    let (proof, properties) = certificate("none");
    let fails = |proof: &Certificate| matches!(check(proof, properties, &Limits::default()), Checked::Fails(_));
    let mut n_noticed = 0;
    for index in 0..proof.nodes.len() {
        // A step that is said to lead nowhere.
        for step in 0..proof.nodes[index].steps.len() {
            let mut spoilt = proof.clone();
            spoilt.nodes[index].steps.remove(step);
            assert!(fails(&spoilt), "step {step} of node {index} is missing");
            n_noticed += 1;
        }
        // A node that allows nothing although it can be reached.
        let mut spoilt = proof.clone();
        spoilt.nodes[index].formula = spoilt.program.pool.bool(false);
        assert!(fails(&spoilt), "node {index} is empty");
    }
    // Nodes that allow everything, so that an error is possible.
    let mut spoilt = proof.clone();
    let anything = spoilt.program.pool.bool(true);
    spoilt.nodes.iter_mut().for_each(|node| node.formula = anything);
    assert!(fails(&spoilt));
    assert!(n_noticed > 5, "only {n_noticed} steps");
    let mut spoilt = proof;
    spoilt.nodes.clear();
    assert!(fails(&spoilt));
}
