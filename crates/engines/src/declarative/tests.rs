//! Peterson's algorithm under sequential consistency, beginning with nothing tracked: the precisions of each round, and the graphs of the first two, as the text of \[Bajczi22, section 5.2] has them.
//!
//! Where our graphs differ from the figures: a state before a read and one behind it are nodes of their own, so a location with an access counts twice; a read has an edge for each
//! value rather than for each write, since the state behind it is the same; a state that was there before is met again rather than made and covered.

use super::*;
use ir::build::{Body, Builder};
use ir::{Known, ThreadEvent};
use logic::{Value, VarId};
use std::collections::BTreeSet;

/// Graphs, and a bad node that the model does not exclude.
struct Built {
    graphs: Graphs,
    possible: Option<(u32, u32)>,
    needed: BTreeSet<String>,
}

/// The graphs of a program under sequential consistency if these variables are tracked, and what would be tracked next.
fn build(program: &Program, tracked: &[VarId]) -> Built {
    let axioms = monotone::axioms(program).expect("it is sequential consistency");
    let threads = threads::threads(program).expect("there are three");
    let mut steps = Steps::new(program, threads, Properties::of(&[Property::Assertion]), smt::Limits::default());
    steps.tracked.extend(tracked);
    let (mut search, mut run) = (Search::new(&axioms), Run::unlimited());
    let mut graphs = Graphs::build(&mut steps, &mut search, &mut run).expect("it is small");
    let possible = possible(&mut graphs, &steps, &mut search, &mut run).expect("it is small");
    let mut needed = BTreeSet::new();
    if let Some(bad) = possible {
        let lesson = learn(&graphs, &mut steps, &mut search, bad, Domain::Explicit, &mut run).expect("it is small");
        assert!(!lesson.is_real);
        Refinement::new(Domain::Explicit).take(&mut steps, &lesson);
        let more = steps.tracked.iter().filter(|var| !tracked.contains(var));
        needed.extend(more.map(|var| program.pool.var_name(*var).to_string()));
    }
    Built { graphs, possible, needed }
}

struct Shared {
    flags: [VarId; 2],
    turn: VarId,
    crit: VarId,
}

/// One side: the number of the thread is what it writes to `crit`, the other's is the turn that it gives away.
fn side(body: &mut Body<'_>, own: usize, shared: &Shared) {
    let (number, other) = (own as i64 + 1, 2 - own as i64);
    let c = body.local(&format!("c{number}"));
    let (f, t) = (body.local("f"), body.local("t"));
    let always = |body: &mut Body<'_>| body.pool().bool(true);
    body.repeat(always, |body| {
        body.set(shared.flags[own], 1);
        body.set(shared.turn, other);
        let waits = |body: &mut Body<'_>| {
            body.load(f, shared.flags[1 - own]);
            body.load(t, shared.turn);
            let (is_in, is_theirs) = (body.is(f, 1), body.is(t, other));
            body.pool().and(is_in, is_theirs)
        };
        body.repeat(waits, |_| {});
        body.set(shared.crit, number);
        body.load(c, shared.crit);
        let alone = body.is(c, number);
        body.check(alone);
        body.set(shared.crit, 0);
        body.set(shared.flags[own], 0);
    });
}

fn peterson() -> Program {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let shared = Shared {
        flags: [builder.global("flag1", 0), builder.global("flag2", 0)],
        turn: builder.global("turn", 0),
        crit: builder.global("crit", 0),
    };
    let sides = [0, 1].map(|own| builder.define(["first", "second"][own], |body| side(body, own, &shared)));
    builder.body(main, |body| {
        body.start_all(&sides);
    });
    builder.finish(main)
}

/// The values that a thread reads, by variable.
fn read_values(built: &Built, thread: usize, var: VarId) -> BTreeSet<Value> {
    let edges = built.graphs.threads[thread].edges.iter();
    let found = edges.filter_map(|edge| match &edge.event {
        Some(ThreadEvent::Read(other, _, Known::Exactly(value))) if *other == var => Some(value.clone()),
        _ => None,
    });
    found.collect()
}

#[test]
fn with_nothing_tracked_a_node_is_a_place() {
    let program = peterson();
    let built = build(&program, &[]);
    for (thread, graph) in built.graphs.threads.iter().enumerate().skip(1) {
        let places: BTreeSet<At> = graph.nodes.iter().map(|node| node.at).collect();
        assert_eq!(places.len(), graph.nodes.len(), "thread {thread}: a state is met again where its place is");
        assert!(graph.nodes.iter().all(|node| node.known.is_empty()));
        let accesses = graph.edges.iter().filter_map(|edge| edge.event.as_ref());
        assert!(
            accesses.into_iter().all(|event| matches!(event, ThreadEvent::Begins)),
            "reads are havoc, writes nothing"
        );
    }
    assert!(built.possible.is_some(), "the error can be reached");
}

#[test]
fn the_second_precision_is_what_the_assertion_reads() {
    let program = peterson();
    let built = build(&program, &[]);
    assert!(built.possible.is_some(), "the error can be reached");
    // The text has one name for both threads' own variables; either one excludes the execution that was found.
    let of_thread = |number: u32| BTreeSet::from([format!("c{number}"), "crit".to_string()]);
    assert!([1, 2].map(of_thread).contains(&built.needed), "{:?}", built.needed);
}

#[test]
fn a_tracked_read_has_an_edge_for_each_value_that_is_written() {
    let program = peterson();
    let first = build(&program, &[]);
    let var = |name: &str| {
        (0..program.vars.len() as u32).map(VarId).find(|var| program.pool.var_name(*var) == name).expect("it is there")
    };
    let (c, crit) = (var("c1"), var("crit"));
    let second = build(&program, &[c, crit]);
    let width = 32;
    let all: BTreeSet<Value> = [0, 1, 2].map(|value| Value::bv(width, value)).into();
    for thread in [1, 2] {
        // Reading the value that was there at first, or was left behind, has the thread's own write in between.
        let found = read_values(&second, thread, crit);
        assert!(found.is_subset(&all) && found.len() >= 2, "thread {thread}: {found:?}");
    }
    let graph = &second.graphs.threads[1];
    let behind: BTreeSet<&Vec<(VarId, Known)>> =
        graph.nodes.iter().filter(|node| node.known.iter().any(|(var, _)| *var == c)).map(|node| &node.known).collect();
    assert_eq!(behind.len(), read_values(&second, 1, crit).len(), "the state behind the read is what was read");
    // Where the thread can be has not changed.
    let locations = |built: &Built| -> BTreeSet<At> {
        let places = built.graphs.threads[1].nodes.iter().map(|node| node.at);
        places.filter(|at| matches!(at, At::Loc(_))).collect()
    };
    assert_eq!(locations(&second), locations(&first), "no location is new");
    assert!(second.possible.is_some(), "what the flags say is not known yet");
}

#[test]
fn tracking_all_proves_it_and_buffers_break_it() {
    let program = peterson();
    assert_eq!(threads::threads(&program).map(|threads| threads.len()).ok(), Some(3));
    for (model, is_safe) in [(Model::Sc, true), (Model::Tso, false)] {
        let program = Program { model, ..program.clone() };
        let task = Task { program, properties: Properties::of(&[Property::Assertion]) };
        match (Declarative.check(&task, &mut Run::unlimited()), is_safe) {
            (Verdict::Safe(_), true) | (Verdict::Unsafe(_), false) => {}
            (other, _) => panic!("{model}: {other:?}"),
        }
    }
}
