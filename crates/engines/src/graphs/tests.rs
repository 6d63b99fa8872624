//! How many executions are there? Shapes of the literature under each model, counted by hand; and none is visited twice.

use super::cells::Cells;
use super::code::Code;
use super::explore::{Counts, Explorer};
use super::graph::{Graph, Kind};
use super::judge::Judge;
use super::load_buffering::overtaking_write;
use super::{Graphs, decide};
use crate::evidence::monotone;
use crate::{Decided, Engine, Run};
use ir::build::{Body, Builder};
use ir::pass::{Options, prepare};
use ir::{Axioms, Model, Op, Order, Place, Program, Properties, Property, Task, Verdict, Why};
use logic::{TermId, VarId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a thread does.
#[derive(Clone, Copy)]
enum Do {
    W(usize, i64),
    Rel(usize, i64),
    R(usize),
    Acq(usize),
    Add(usize),
    /// `x = x + y`, each access by itself.
    Sum(usize, usize),
    /// Takes a ticket of the first cell and waits until the second one shows it, then counts that up.
    Ticket(usize, usize),
    Fence,
}
use Do::{Acq, Add, Fence, R, Rel, Sum, Ticket, W};

fn program(threads: &[Vec<Do>], bad: Option<(usize, i64)>) -> Program {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let cells: Vec<VarId> = (0..16).map(|cell| builder.global(&format!("x{cell}"), 0)).collect();
    let mut procs = Vec::new();
    for (index, acts) in threads.iter().enumerate() {
        procs.push(builder.define(&format!("t{index}"), |body| acts.iter().for_each(|act| write(body, *act, &cells))));
    }
    builder.body(main, |body| {
        let handles = body.start_all(&procs);
        if let Some((cell, value)) = bad {
            handles.into_iter().for_each(|handle| body.join(handle));
            let last = body.local("last");
            body.load_from(last, Place::Var(cells[cell]), Order::Relaxed);
            let is_bad = body.is(last, value);
            let cond = body.pool().not(is_bad);
            body.check(cond);
        }
    });
    builder.finish(main)
}

fn load(body: &mut Body<'_>, cell: VarId, order: Order) -> VarId {
    let local = body.local("r");
    body.load_from(local, Place::Var(cell), order);
    local
}

fn update(body: &mut Body<'_>, cell: VarId) -> VarId {
    let dst = body.local("old");
    let new = body.plus(dst, 1);
    let (place, order) = (Place::Var(cell), Order::Relaxed);
    body.then(Op::Rmw { dst, place, wait: None, owner: None, new, order, failure: None });
    dst
}

fn write(body: &mut Body<'_>, act: Do, cells: &[VarId]) {
    let store = |body: &mut Body<'_>, cell: usize, value: TermId, order: Order| {
        body.store_to(Place::Var(cells[cell]), value, order);
    };
    match act {
        W(cell, value) => {
            let value = body.int(value);
            store(body, cell, value, Order::Relaxed);
        }
        Rel(cell, value) => {
            let value = body.int(value);
            store(body, cell, value, Order::Release);
        }
        R(cell) => {
            load(body, cells[cell], Order::Relaxed);
        }
        Acq(cell) => {
            load(body, cells[cell], Order::Acquire);
        }
        Add(cell) => {
            update(body, cells[cell]);
        }
        Sum(to, from) => {
            let (a, b) = (load(body, cells[to], Order::Relaxed), load(body, cells[from], Order::Relaxed));
            let (a, b) = (body.var(a), body.var(b));
            let sum = body.pool().add(a, b);
            store(body, to, sum, Order::Relaxed);
        }
        Ticket(tickets, serving) => {
            let own = update(body, cells[tickets]);
            let shown = body.local("shown");
            let (a, b) = (body.var(own), body.var(shown));
            let is_own = body.pool().eq(a, b);
            let waits = body.pool().not(is_own);
            // A round reads and changes nothing else.
            let place = Place::Var(cells[serving]);
            let looks = |body: &mut Body<'_>| {
                body.load_from(shown, place, Order::Acquire);
                waits
            };
            body.repeat(looks, |_| {});
            let next = body.plus(own, 1);
            store(body, serving, next, Order::Release);
        }
        Fence => {
            body.then(Op::Fence(Order::SeqCst));
        }
    }
}

fn under(program: Program, model: &str) -> Program {
    let axioms = Axioms { name: model.to_string(), ..Axioms::default() };
    Program { model: Model::Cat, axioms: Some(Arc::new(axioms)), ..program }
}

/// An execution as it does not depend on how it was found.
fn key(graph: &Graph) -> String {
    let rows: Vec<Vec<String>> = graph
        .rows
        .iter()
        .map(|row| {
            let of = |kind: &Kind| match kind {
                Kind::Read { cell, source, .. } => format!("r{cell}<{source:?}"),
                Kind::Write { cell, value, .. } => format!("w{cell}={value}"),
                other => format!("{other:?}"),
            };
            row.events.iter().map(|event| of(&event.kind)).collect()
        })
        .collect();
    format!("{rows:?} {:?}", graph.co)
}

/// How many executions are complete, and how many are not; none is visited twice.
fn counted(program: &Program) -> (u64, u64) {
    let axioms = monotone::growing(program).expect("the model is one of those").axioms;
    let options = Options { blocks: false, ..Options::default() };
    let prepared = prepare(program, Properties::of(&[Property::Race]), &options).expect("it is small");
    let compares = axioms.minds_dependencies().then_some(axioms.mapping.uses_exclusives);
    let code = Code::new(&prepared, Properties::NONE, compares);
    let mut all: BTreeSet<String> = BTreeSet::new();
    let mut seen = |graph: &Graph| assert!(all.insert(key(graph)), "visited twice: {}", key(graph));
    let mut run = Run::unlimited();
    let mut explorer = Explorer {
        code: &code,
        judge: Judge::new(&axioms, &code),
        run: &mut run,
        stack: Vec::new(),
        cells: Cells::default(),
        counts: Counts::default(),
        reason: None,
        max_events: 100,
        asks_races: false,
        seen: Some(&mut seen),
    };
    assert!(explorer.explore().expect("there is no limit").is_none());
    assert_eq!(explorer.reason, None);
    (explorer.counts.complete, explorer.counts.blocked)
}

/// Counts under imm, aarch64, power and riscv, of programs without load buffering.
fn expect_of_machines(name: &str, threads: &[Vec<Do>], expected: [u64; 4]) {
    for (model, expected) in ["imm", "aarch64", "power", "riscv"].into_iter().zip(expected) {
        let program = under(program(threads, None), model);
        assert_eq!(overtaking_write(&program), None, "{name}");
        assert_eq!(counted(&program), (expected, 0), "{name} under {model}");
    }
}

/// Counts under sc, tso, pso and rc11.
fn expect(name: &str, threads: &[Vec<Do>], expected: [u64; 4]) {
    for (model, expected) in ["sc", "tso", "pso", "rc11"].into_iter().zip(expected) {
        let (complete, blocked) = counted(&under(program(threads, None), model));
        assert_eq!((complete, blocked), (expected, 0), "{name} under {model}");
    }
}

#[test]
fn shapes_have_as_many_executions_as_they_have() {
    expect("store buffering", &[vec![W(0, 1), R(1)], vec![W(1, 1), R(0)]], [3, 4, 4, 4]);
    let fenced = [vec![W(0, 1), Fence, R(1)], vec![W(1, 1), Fence, R(0)]];
    expect("store buffering with fences", &fenced, [3; 4]);
    expect("message passing", &[vec![W(0, 1), W(1, 1)], vec![R(1), R(0)]], [3, 3, 4, 4]);
    expect("message passing, ordered", &[vec![W(0, 1), Rel(1, 1)], vec![Acq(1), R(0)]], [3; 4]);
    expect("load buffering", &[vec![R(0), W(1, 1)], vec![R(1), W(0, 1)]], [3; 4]);
    expect("iriw", &[vec![W(0, 1)], vec![W(1, 1)], vec![R(0), R(1)], vec![R(1), R(0)]], [15, 15, 15, 16]);
    expect("2+2w", &[vec![W(0, 1), W(1, 2)], vec![W(1, 1), W(0, 2)]], [3, 3, 4, 4]);
    expect("coherence", &[vec![W(0, 1), W(0, 2)], vec![R(0), R(0)]], [6; 4]);
}

#[test]
fn shapes_have_as_many_executions_on_machines() {
    expect_of_machines("store buffering", &[vec![W(0, 1), R(1)], vec![W(1, 1), R(0)]], [4; 4]);
    let fenced = [vec![W(0, 1), Fence, R(1)], vec![W(1, 1), Fence, R(0)]];
    expect_of_machines("store buffering with fences", &fenced, [3; 4]);
    expect_of_machines("message passing", &[vec![W(0, 1), W(1, 1)], vec![R(1), R(0)]], [4; 4]);
    expect_of_machines("message passing, ordered", &[vec![W(0, 1), Rel(1, 1)], vec![Acq(1), R(0)]], [3; 4]);
    let iriw = |read: fn(usize) -> Do| [vec![W(0, 1)], vec![W(1, 1)], vec![read(0), read(1)], vec![read(1), read(0)]];
    expect_of_machines("iriw", &iriw(R), [16; 4]);
    // Who sees a write first sees it alone where writes do not reach all other threads at once.
    expect_of_machines("iriw, acquiring", &iriw(Acq), [16, 15, 16, 15]);
    expect_of_machines("load buffering, ordered", &[vec![Acq(0), W(1, 1)], vec![R(1), Rel(0, 1)]], [3; 4]);
    // What is written depends on what was read.
    expect_of_machines("sums", &[vec![Sum(0, 1)], vec![Sum(1, 0)]], [3; 4]);
    for (n, expected) in [(2, 2), (3, 6), (4, 24)] {
        expect_of_machines("increments", &vec![vec![Add(0)]; n], [expected; 4]);
    }
}

#[test]
fn writes_that_overtake_reads_are_seen() {
    let overtakes = |threads: &[Vec<Do>]| overtaking_write(&program(threads, None)).is_some();
    let other = vec![R(1), W(0, 1)];
    assert!(overtakes(&[vec![R(0), W(1, 1)], other.clone()]));
    assert!(overtakes(&[vec![Acq(0), W(1, 1)], other.clone()]));
    let ordered = vec![Acq(1), W(0, 1)];
    for first in [vec![Acq(0), W(1, 1)], vec![R(0), Rel(1, 1)], vec![R(0), Fence, W(1, 1)], vec![W(1, 1), R(0)]] {
        assert!(!overtakes(&[first, ordered.clone()]));
    }
    // The second sum waits for its own reads, and for none of the first.
    assert!(overtakes(&[vec![Sum(0, 1), Sum(1, 0)], vec![Sum(1, 0)]]));
    // Nobody reads what is written while others run.
    assert!(!overtakes(&[vec![R(0), W(1, 1)], vec![W(0, 1)]]));
}

#[test]
fn nothing_is_proved_where_writes_overtake_reads() {
    let threads = [vec![R(0), W(1, 1)], vec![R(1), W(0, 1)]];
    let task =
        Task { program: under(program(&threads, None), "aarch64"), properties: Properties::of(&[Property::Assertion]) };
    let verdict = Graphs.check(&task, &mut Run::unlimited());
    let Verdict::Unknown(Why::Unsupported { what, .. }) = verdict else { panic!("{verdict:?}") };
    assert!(what.contains("load buffering"), "{what}");
}

#[test]
fn families_have_as_many_executions_as_they_have() {
    for (n, expected) in [(1, 2), (2, 2 * 9), (3, 6 * 64)] {
        // Any order of the writes, and any of them or none for each read.
        let writers = (0..n).map(|at| vec![W(0, at + 1)]);
        let threads: Vec<Vec<Do>> = writers.chain((0..n).map(|_| vec![R(0)])).collect();
        expect("writers and readers", &threads, [expected; 4]);
    }
    for (n, expected) in [(2, 2), (3, 6), (4, 24), (5, 120)] {
        expect("increments", &vec![vec![Add(0)]; n], [expected; 4]);
    }
    for n in 2..6usize {
        // Not all threads read what was there at first, under sc.
        let threads: Vec<Vec<Do>> = (0..n).map(|at| vec![W(at, 1), R((at + 1) % n)]).collect();
        let all = 1 << n;
        expect("ring", &threads, [all - 1, all, all, all]);
    }
    // Once round, the sums are load buffering.
    expect("sums", &[vec![Sum(0, 1)], vec![Sum(1, 0)]], [3; 4]);
    let twice = [vec![Sum(0, 1), Sum(0, 1)], vec![Sum(1, 0), Sum(1, 0)]];
    let (under_sc, _) = counted(&under(program(&twice, None), "sc"));
    assert_eq!(under_sc, 19);
}

#[test]
fn waiting_is_no_execution_of_its_own() {
    for (n, expected) in [(2, 2), (3, 6), (4, 24)] {
        for model in ["sc", "tso", "rc11"] {
            let (complete, _) = counted(&under(program(&vec![vec![Ticket(0, 1)]; n], None), model));
            assert_eq!(complete, expected, "{n} tickets under {model}");
        }
    }
}

#[test]
fn what_goes_wrong_is_told_and_judged_again() {
    // Two updates of one cell, or two sums that lose one of them.
    let rows = [
        (vec![vec![Add(0)], vec![Add(0)]], (0, 1), [false; 3]),
        (vec![vec![Add(0)], vec![Add(0)]], (0, 2), [true; 3]),
        (vec![vec![W(0, 1), W(1, 2)], vec![W(1, 1), W(0, 2)]], (0, 1), [true; 3]),
    ];
    for (threads, bad, expected) in rows {
        for (model, expected) in ["sc", "tso.cat", "rc11"].into_iter().zip(expected) {
            let program = program(&threads, Some(bad));
            let program = if model == "sc" { program } else { under(program, model) };
            let task = Task { program, properties: Properties::of(&[Property::Assertion]) };
            match crate::decide(&Graphs, &task, &mut Run::unlimited()) {
                Decided::Unsafe(replayed) => {
                    assert!(expected, "{model}");
                    assert_eq!(replayed.violation.property, Property::Assertion);
                }
                Decided::Safe(..) => assert!(!expected, "{model}"),
                Decided::Unknown(why) => panic!("{model}: {why:?}"),
            }
        }
    }
}

#[test]
fn what_is_not_followed_is_refused_by_name() {
    for name in ["c11", "linux-kernel"] {
        let task = Task { program: under(program(&[vec![R(0)]], None), name), properties: Properties::NONE };
        let Verdict::Unknown(Why::Unsupported { what, .. }) = Graphs.check(&task, &mut Run::unlimited()) else {
            panic!("{name} is not refused")
        };
        assert!(what.contains(name), "{what}");
    }
}

#[test]
fn loops_without_bound_are_cut_off_and_named() {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let cell = builder.global("x", 0);
    let adds = builder.define("adds", |body| {
        body.repeat(
            |body| body.pool().bool(true),
            |body| {
                update(body, cell);
            },
        );
    });
    builder.body(main, |body| drop(body.start_all(&[adds])));
    let task =
        Task { program: under(builder.finish(main), "rc11"), properties: Properties::of(&[Property::Assertion]) };
    let mut run = Run::of(Graphs.about(), crate::Budget::unlimited(), &[("events", "20")]).expect("the knob is there");
    let Err(Why::Bound(what)) = decide(task.properties, &task, &mut run) else { panic!("it is not cut off") };
    assert!(what.contains("more than 20 events, the last at built.c:"), "{what}");
}
