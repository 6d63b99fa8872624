//! Buffered stores: the shapes of the literature under each memory model, and random programs that the interpreter answers by trying everything.
//!
//! Every shape is answered by the interpreter as well, so a row that expects the wrong thing fails twice.

use super::tests::{PROCEDURES, agree, run};
use ir::build::{Body, Builder};
use ir::interp::{Limits, enumerate};
use ir::{Axioms, Model, Op, Order, Place, Program, Properties, Property, Verdict};
use logic::VarId;
use std::sync::Arc;

/// What a thread does, one after the other.
#[derive(Clone, Copy)]
enum Do {
    Write(usize, i64),
    WriteAs(usize, i64, Order),
    Read(usize),
    Fence(Order),
    /// Adds to a place in one step.
    Add(usize, i64),
    /// Writes inside of an atomic section.
    Atomic(usize, i64),
    /// A fence that is only there if what was read last is this.
    FenceIf(i64),
    /// Writes to an element of an array; the number of the element was read last.
    WriteAt(i64),
    /// Reads an element of the array.
    ReadAt(u64),
}
use Do::{Add, Atomic, Fence, FenceIf, Read as R, ReadAt, Write as W, WriteAs, WriteAt};

fn parallel(globals: usize, threads: &[Vec<Do>], bad: &[i64]) -> Program {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let names: Vec<VarId> = (0..globals).map(|index| builder.global(&format!("x{index}"), 0)).collect();
    let array = builder.array("a", 2);
    let seen: Vec<VarId> = (0..bad.len()).map(|index| builder.global(&format!("seen{index}"), 0)).collect();
    let mut next = 0;
    let mut procs = Vec::new();
    for (index, accesses) in threads.iter().enumerate() {
        let proc = builder.define(&format!("t{index}"), |body| {
            let first = next;
            let mut locals: Vec<VarId> = Vec::new();
            for access in accesses {
                act(body, *access, &names, array, &mut locals);
            }
            for local in locals {
                let value = body.var(local);
                body.store(seen[next], value);
                next += 1;
            }
            assert!(next <= bad.len(), "{} reads, {} values", next - first, bad.len());
        });
        procs.push(proc);
    }
    builder.body(main, |body| {
        for handle in body.start_all(&procs) {
            body.join(handle);
        }
        let mut all = Vec::new();
        for (index, value) in bad.iter().enumerate() {
            let local = body.local(&format!("s{index}"));
            body.load(local, seen[index]);
            all.push(body.is(local, *value));
        }
        let all = body.pool().and_all(&all);
        let cond = body.pool().not(all);
        body.check(cond);
    });
    builder.finish(main)
}

fn act(body: &mut Body<'_>, access: Do, names: &[VarId], array: u64, locals: &mut Vec<VarId>) {
    let new_local = |body: &mut Body<'_>, locals: &mut Vec<VarId>| {
        locals.push(body.local(&format!("r{}", locals.len())));
        locals[locals.len() - 1]
    };
    match access {
        Do::Write(place, value) => body.set(names[place], value),
        Do::WriteAs(place, value, order) => {
            let value = body.int(value);
            body.store_to(Place::Var(names[place]), value, order);
        }
        Do::Read(place) => {
            let local = new_local(body, locals);
            body.load(local, names[place]);
        }
        Do::Fence(order) => {
            body.then(Op::Fence(order));
        }
        Do::Add(place, value) => {
            let local = new_local(body, locals);
            let (place, new) = (Place::Var(names[place]), body.plus(local, value));
            body.then(Op::Rmw {
                dst: local,
                place,
                wait: None,
                owner: None,
                new,
                order: Order::Relaxed,
                failure: None,
            });
        }
        Do::Atomic(place, value) => body.atomically(|body| body.set(names[place], value)),
        Do::FenceIf(value) => {
            let last = *locals.last().expect("something was read");
            let cond = body.is(last, value);
            body.branch(cond, |body| act(body, Fence(SC), names, array, &mut Vec::new()), |_| {});
        }
        Do::WriteAt(value) => {
            let last = *locals.last().expect("something was read");
            let (index, four) = (body.var(last), body.word(4));
            let index = body.pool().zero_extend(index, 64);
            let offset = body.pool().mul(index, four);
            let base = body.word(array);
            let addr = body.pool().add(base, offset);
            let place = Place::Mem { addr, sort: logic::Scalar::Bv(32), region: ir::RegionId::ANYWHERE };
            let value = body.int(value);
            body.store_to(place, value, Order::Plain);
        }
        Do::ReadAt(index) => {
            let local = new_local(body, locals);
            let place = body.at(array, index);
            body.load_from(local, place, Order::Plain);
        }
    }
}

/// Whether the values can be read together, under sc, tso and pso.
fn check(name: &str, globals: usize, threads: &[Vec<Do>], bad: &[i64], possible: [bool; 3]) {
    for (model, is_possible) in Model::ALL.into_iter().zip(possible) {
        let mut program = parallel(globals, threads, bad);
        program.model = model;
        let properties = Properties::of(&[Property::Assertion]);
        let oracle = enumerate(&program, properties, &Limits::default());
        assert_eq!(oracle.incomplete, None, "{name} under {model}");
        assert_eq!(oracle.violations.is_empty(), !is_possible, "{name} under {model}: the interpreter");
        let task = ir::Task { program: program.clone(), properties };
        for trace in oracle.violations.values() {
            ir::replay(&task, trace).unwrap_or_else(|error| panic!("{name} under {model}: {error}"));
        }
        for procedure in PROCEDURES {
            match run(&program, properties, procedure).0 {
                Verdict::Safe(_) => assert!(!is_possible, "{name} under {model}: {procedure:?} misses it"),
                Verdict::Unsafe(_) => assert!(is_possible, "{name} under {model}: {procedure:?} finds it"),
                Verdict::Unknown(why) => panic!("{name} under {model}: {procedure:?}: {why:?}"),
            }
        }
        judged(name, program, properties, is_possible);
    }
}

/// The axioms of the same model say the same, and what they allow is judged to be allowed.
fn judged(name: &str, program: Program, properties: Properties, is_possible: bool) {
    let axioms = Axioms { name: format!("{}.cat", program.model), ..Axioms::default() };
    let program = Program { model: Model::Cat, axioms: Some(Arc::new(axioms)), ..program };
    let is_section = |stmt: &ir::Stmt| stmt.op == Op::AtomicBegin;
    let has_sections = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts).any(is_section);
    let task = ir::Task { program, properties };
    match crate::decide(&super::Bmc, &task, &mut crate::Run::unlimited()) {
        crate::Decided::Safe(..) => assert!(!is_possible, "{name}: the axioms miss it"),
        crate::Decided::Unsafe(_) => assert!(is_possible, "{name}: the axioms find it"),
        crate::Decided::Unknown(ir::Why::Unsupported { .. }) if has_sections => {}
        crate::Decided::Unknown(why) => panic!("{name} under axioms: {why:?}"),
    }
}

const NEVER: [bool; 3] = [false, false, false];
const BUFFERED: [bool; 3] = [false, true, true];
const PARTIAL: [bool; 3] = [false, false, true];
const ALWAYS: [bool; 3] = [true, true, true];
const SC: Order = Order::SeqCst;

#[test]
fn shapes_of_two_threads() {
    check("SB", 2, &[vec![W(0, 1), R(1)], vec![W(1, 1), R(0)]], &[0, 0], BUFFERED);
    check("SB, one fence", 2, &[vec![W(0, 1), Fence(SC), R(1)], vec![W(1, 1), R(0)]], &[0, 0], BUFFERED);
    check("SB, fences", 2, &[vec![W(0, 1), Fence(SC), R(1)], vec![W(1, 1), Fence(SC), R(0)]], &[0, 0], NEVER);
    let weak = Fence(Order::AcqRel);
    check("SB, weak fences", 2, &[vec![W(0, 1), weak, R(1)], vec![W(1, 1), weak, R(0)]], &[0, 0], BUFFERED);
    let seq_cst = |mine, other| vec![WriteAs(mine, 1, SC), R(other)];
    check("SB, seq_cst", 2, &[seq_cst(0, 1), seq_cst(1, 0)], &[0, 0], NEVER);
    let release = |mine, other| vec![WriteAs(mine, 1, Order::Release), R(other)];
    check("SB, release", 2, &[release(0, 1), release(1, 0)], &[0, 0], BUFFERED);
    // An update of something that nobody else knows is a fence as well; so is an atomic section.
    let update = |mine, other, dummy| vec![W(mine, 1), Add(dummy, 1), R(other)];
    check("SB, updates", 4, &[update(0, 1, 2), update(1, 0, 3)], &[0, 0, 0, 0], NEVER);
    let section = |mine, other, dummy| vec![W(mine, 1), Atomic(dummy, 1), R(other)];
    check("SB, sections", 4, &[section(0, 1, 2), section(1, 0, 3)], &[0, 0], NEVER);
    check("MP", 2, &[vec![W(0, 1), W(1, 1)], vec![R(1), R(0)]], &[1, 0], PARTIAL);
    check("MP, release", 2, &[vec![W(0, 1), WriteAs(1, 1, Order::Release)], vec![R(1), R(0)]], &[1, 0], NEVER);
    check("MP, release fence", 2, &[vec![W(0, 1), Fence(Order::Release), W(1, 1)], vec![R(1), R(0)]], &[1, 0], NEVER);
    check("MP, acquire fence", 2, &[vec![W(0, 1), Fence(Order::Acquire), W(1, 1)], vec![R(1), R(0)]], &[1, 0], PARTIAL);
    check("LB", 2, &[vec![R(0), W(1, 1)], vec![R(1), W(0, 1)]], &[1, 1], NEVER);
    check("S", 2, &[vec![W(0, 2), W(1, 1)], vec![R(1), W(0, 1), Fence(SC)], vec![R(0), R(0)]], &[1, 1, 2], PARTIAL);
    check("R", 2, &[vec![W(0, 1), W(1, 1)], vec![W(1, 2), R(0)], vec![R(1), R(1)]], &[0, 1, 2], BUFFERED);
    let orders = [vec![W(0, 1), W(1, 2)], vec![W(1, 1), W(0, 2)], vec![R(0), R(0)], vec![R(1), R(1)]];
    check("2+2W", 2, &orders, &[2, 1, 2, 1], PARTIAL);
}

#[test]
fn threads_see_their_own_stores_first() {
    // Each reads its own store before anybody else can.
    check("SB+rfi", 2, &[vec![W(0, 1), R(0), R(1)], vec![W(1, 1), R(1), R(0)]], &[1, 0, 1, 0], BUFFERED);
    check("the youngest", 1, &[vec![W(0, 1), W(0, 2), R(0)]], &[1], NEVER);
    check("coherence", 1, &[vec![W(0, 1), R(0)], vec![W(0, 2), R(0)]], &[2, 1], NEVER);
    check("own or newer", 1, &[vec![W(0, 1), R(0), R(0)], vec![W(0, 2)]], &[2, 1], NEVER);
    check("own and newer", 1, &[vec![W(0, 1), R(0), R(0)], vec![W(0, 2)]], &[1, 2], ALWAYS);
    let readers = [vec![W(0, 1)], vec![W(1, 1)], vec![R(0), R(1)], vec![R(1), R(0)]];
    check("IRIW", 2, &readers, &[1, 0, 1, 0], NEVER);
    let causality = [vec![W(0, 1)], vec![R(0), W(1, 1)], vec![R(1), R(0)]];
    check("WRC", 2, &causality, &[1, 1, 0], NEVER);
    check("n6", 2, &[vec![W(0, 1), R(0), R(1)], vec![W(1, 2), W(0, 2)], vec![R(0), R(0)]], &[1, 0, 2, 1], BUFFERED);
}

#[test]
fn fences_and_addresses_that_depend_on_values() {
    // A fence that is passed by keeps nothing in order.
    let thread = |mine, other, value| vec![R(mine), W(mine, 1), FenceIf(value), R(other)];
    check("fence not taken", 2, &[thread(0, 1, 7), thread(1, 0, 7)], &[0, 0, 0, 0], BUFFERED);
    check("fence taken", 2, &[thread(0, 1, 0), thread(1, 0, 0)], &[0, 0, 0, 0], NEVER);
    // The element is what was read: 0 or 1.
    let index = vec![W(0, 1)];
    let elements = vec![R(0), WriteAt(5), ReadAt(1)];
    check("own element", 1, &[index.clone(), elements.clone()], &[1, 0], NEVER);
    check("other element", 1, &[index.clone(), elements], &[0, 5], NEVER);
    let two = vec![R(0), WriteAt(5), WriteAt(6)];
    check("one element", 1, &[index.clone(), two, vec![ReadAt(1), ReadAt(1)]], &[1, 6, 5], NEVER);
    let other = vec![R(0), WriteAt(5), R(0), WriteAt(6)];
    check("two elements", 1, &[index, other, vec![ReadAt(1), ReadAt(0)]], &[0, 1, 6, 0], PARTIAL);
}

#[test]
fn random_programs_have_the_answers_of_trying_everything() {
    for (model, seeds) in [(Model::Tso, 0..150), (Model::Pso, 1000..1150)] {
        let results: Vec<Result<bool, String>> = seeds.map(|seed| agree(seed, 3, model)).collect();
        let wrong: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
        assert!(wrong.is_empty(), "{} differ under {model}:\n{wrong:#?}", wrong.len());
        let n_compared = results.iter().filter(|result| **result == Ok(true)).count();
        assert!(n_compared > 35, "only {n_compared} programs could be compared under {model}");
    }
}
