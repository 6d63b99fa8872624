//! Proofs of threads that prove something pass; each way of spoiling one is noticed.

use super::{Halt, check};
use crate::declarative::Declarative;
use crate::evidence::monotone;
use crate::{Engine, Run};
use ir::build::Builder;
use ir::{At, Known, Model, Proof, Properties, Property, Task, ThreadEvent, ThreadGraphs, Verdict};

/// A message: whoever sees the flag sees the data.
fn task(model: Model) -> Task {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let (data, flag) = (builder.global("data", 0), builder.global("flag", 0));
    let writer = builder.define("writer", |body| {
        body.set(data, 1);
        body.set(flag, 1);
    });
    let reader = builder.define("reader", |body| {
        let (seen, found) = (body.local("seen"), body.local("found"));
        body.load(seen, flag);
        body.load(found, data);
        let (is_set, is_old) = (body.is(seen, 1), body.is(found, 0));
        let both = body.pool().and(is_set, is_old);
        let cond = body.pool().not(both);
        body.check(cond);
    });
    builder.body(main, |body| {
        body.start_all(&[writer, reader]);
    });
    let mut program = builder.finish(main);
    program.model = model;
    Task { program, properties: Properties::of(&[Property::Assertion]) }
}

fn proof(model: Model) -> ThreadGraphs {
    match Declarative.check(&task(model), &mut Run::unlimited()) {
        Verdict::Safe(Proof::Threads(proof)) => (*proof).clone(),
        other => panic!("{other:?}"),
    }
}

fn checked(proof: &ThreadGraphs) -> Result<u64, Halt> {
    let axioms = monotone::axioms(&proof.program).expect("it is one of those");
    check(proof, Properties::of(&[Property::Assertion]), (&axioms.model, axioms.mapping), None)
}

#[test]
fn proofs_hold() {
    for model in [Model::Sc, Model::Tso] {
        match checked(&proof(model)) {
            Ok(obligations) => assert!(obligations > 10, "{obligations} obligations"),
            other => panic!("{model}: {other:?}"),
        }
    }
}

#[test]
fn what_another_model_allows_is_no_proof_for_it() {
    assert!(matches!(Declarative.check(&task(Model::Pso), &mut Run::unlimited()), Verdict::Unsafe(_)));
    let mut proof = proof(Model::Tso);
    proof.program.model = Model::Pso;
    assert!(matches!(checked(&proof), Err(Halt::Fails(_))));
}

#[test]
fn spoilt_proofs_are_noticed() {
    let proof = proof(Model::Sc);
    for thread in 0..proof.threads.len() {
        // Every edge is needed: without it a step leads outside, or a read is said to be impossible that is not.
        for edge in 0..proof.threads[thread].edges.len() {
            let mut spoilt = proof.clone();
            let gone = spoilt.threads[thread].edges.remove(edge);
            let is_bad = matches!(proof.threads[thread].nodes[gone.to as usize].at, At::Bad(..));
            assert!(matches!(checked(&spoilt), Err(Halt::Fails(_))), "thread {thread}: {gone:?}, bad: {is_bad}");
        }
    }
    let mut spoilt = proof.clone();
    for edge in spoilt.threads.iter_mut().flat_map(|thread| &mut thread.edges) {
        if let Some(ThreadEvent::Write(_, _, value)) = &mut edge.event {
            *value = Known::Anything;
        }
    }
    assert!(matches!(checked(&spoilt), Err(Halt::Fails(_))), "a write of another value");
    let mut spoilt = proof.clone();
    spoilt.tracked.clear();
    assert!(matches!(checked(&spoilt), Err(Halt::Fails(_))), "events of what is not tracked");
    let mut spoilt = proof;
    spoilt.threads.truncate(2);
    assert!(matches!(checked(&spoilt), Err(Halt::Fails(_))), "a thread without a graph");
}
