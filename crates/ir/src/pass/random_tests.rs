//! Random small programs before and after each pass: the same violations, and traces that replay.

use super::*;
use crate::build::{Body, Builder};
use crate::interp::{Domain, Limits, enumerate};
use crate::program::{EdgeRef, ProcId};
use crate::property::Property;
use crate::replay::replay;
use crate::stmt::{AllocKind, Callee, CheckKind, HavocKind, Op, Order, Place};
use crate::verdict::{Step, Task, Trace, Why};
use logic::{Sort, TermId, VarId};

/// A small generator of numbers (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

/// What all bodies of a program may use.
struct World {
    globals: Vec<VarId>,
    /// A global pointer.
    pointer: VarId,
    mutex: VarId,
    array: u64,
    /// `int add(int)`, and its address.
    helper: Option<(ProcId, u64)>,
    has_frees: bool,
}

struct Scope {
    ints: Vec<VarId>,
    pointer: VarId,
    word: VarId,
}

fn random_program(seed: u64) -> Program {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let dice = &mut dice;
    let mut b = Builder::new();
    let globals = vec![b.global("x", 0), b.global("y", 1)];
    let word = Sort::Bv(64);
    let array = b.array("a", 2);
    if dice.roll(3) == 0 {
        b.last_object().fill = crate::Fill::Any;
    }
    let pointer = b.variable("g", word, crate::Scope::Global, Some(logic::Value::bv(64, array)));
    let mutex = b.global("m", 0);
    let mut world = World { globals, pointer, mutex, array, helper: None, has_frees: dice.roll(3) == 0 };
    let helper = b.define("add", |f| {
        let n = f.param("n", Sort::Bv(32));
        f.returns(Sort::Bv(32));
        let scope = locals(f, vec![n]);
        statements(f, dice, &world, &scope, 2, 1);
        let result = expression(f, dice, &scope);
        f.ret(Some(result));
    });
    let address = b.address_of(helper);
    world.helper = Some((helper, address));
    let workers: Vec<ProcId> = (0..2)
        .map(|index| {
            b.define(if index == 0 { "t1" } else { "t2" }, |f| {
                let arg = f.param("arg", word);
                f.returns(word);
                let mut scope = locals(f, vec![]);
                if dice.roll(2) == 0 {
                    scope.pointer = arg;
                }
                let n = 2 + dice.roll(3);
                statements(f, dice, &world, &scope, n, 2);
            })
        })
        .collect();
    let main = b.define("main", |f| {
        let scope = locals(f, vec![]);
        let stack = f.pointer("stack");
        let is_shared = dice.roll(2) == 0;
        if is_shared {
            f.alloc(stack, 4, AllocKind::Stack);
            if dice.roll(2) == 0 {
                let (place, zero) = (f.deref(stack), f.int(0));
                f.store_to(place, zero, Order::Plain);
            }
        }
        let n = dice.roll(2);
        statements(f, dice, &world, &scope, n, 1);
        let n_threads = 1 + dice.roll(2);
        let handles: Vec<VarId> = (0..n_threads)
            .map(|_| {
                let handle = f.pointer("handle");
                let arg = if is_shared { f.var(stack) } else { f.word(array) };
                let worker = workers[dice.roll(2) as usize];
                f.then(Op::Start { dst: handle, callee: Callee::Proc(worker), args: vec![arg] });
                handle
            })
            .collect();
        let n = dice.roll(3);
        statements(f, dice, &world, &scope, n, 1);
        if dice.roll(2) == 0 {
            handles.iter().for_each(|handle| f.join(*handle));
            let n = dice.roll(2);
            statements(f, dice, &world, &scope, n, 1);
        }
        if is_shared && dice.roll(2) == 0 {
            f.free(stack, AllocKind::Stack);
        }
    });
    b.finish(main)
}

fn locals(f: &mut Body<'_>, mut ints: Vec<VarId>) -> Scope {
    ints.push(f.local("u"));
    ints.push(f.local("v"));
    Scope { ints, pointer: f.pointer("p"), word: f.pointer("w") }
}

fn expression(f: &mut Body<'_>, dice: &mut Dice, scope: &Scope) -> TermId {
    let var = scope.ints[dice.roll(scope.ints.len() as u64) as usize];
    match dice.roll(4) {
        0 => f.int(dice.roll(3) as i64),
        1 => f.plus(var, 1),
        _ => f.var(var),
    }
}

fn condition(f: &mut Body<'_>, dice: &mut Dice, scope: &Scope) -> TermId {
    let (a, b) = (expression(f, dice, scope), expression(f, dice, scope));
    match dice.roll(3) {
        0 => f.pool().eq(a, b),
        1 => f.pool().ne(a, b),
        _ => f.pool().slt(a, b),
    }
}

fn place(f: &mut Body<'_>, dice: &mut Dice, world: &World, scope: &Scope) -> Place {
    match dice.roll(8) {
        0 => f.at(world.array, 1),
        1 => f.at(world.array, if dice.roll(6) == 0 { 2 } else { 0 }),
        2 => f.deref(scope.pointer),
        3 => {
            let index = f.var(scope.ints[0]);
            let (index, base, four) = (f.pool().zero_extend(index, 64), f.word(world.array), f.word(4));
            let offset = f.pool().mul(index, four);
            let addr = f.pool().add(base, offset);
            Place::Mem { addr, sort: logic::Scalar::Bv(32), region: crate::RegionId::ANYWHERE }
        }
        n => Place::Var(world.globals[n as usize % 2]),
    }
}

fn statements(f: &mut Body<'_>, dice: &mut Dice, world: &World, scope: &Scope, n: u64, depth: u32) {
    for _ in 0..n {
        statement(f, dice, world, scope, depth);
    }
}

fn statement(f: &mut Body<'_>, dice: &mut Dice, world: &World, scope: &Scope, depth: u32) {
    let local = scope.ints[dice.roll(scope.ints.len() as u64) as usize];
    let order = if dice.roll(3) == 0 { Order::SeqCst } else { Order::Plain };
    match dice.roll(if depth > 0 { 20 } else { 12 }) {
        0..=2 => {
            let place = place(f, dice, world, scope);
            f.load_from(local, place, order);
        }
        3..=5 => {
            let (place, value) = (place(f, dice, world, scope), expression(f, dice, scope));
            f.store_to(place, value, order);
        }
        6 => {
            let value = expression(f, dice, scope);
            f.assign(local, value);
        }
        7 => {
            let cond = condition(f, dice, scope);
            let kind = if dice.roll(2) == 0 { CheckKind::Assertion } else { CheckKind::ErrorCall };
            f.check_for(cond, kind);
        }
        8 if dice.roll(2) == 0 => {
            let cond = condition(f, dice, scope);
            f.assume(cond);
        }
        8 => {
            f.then(Op::Havoc { var: local, kind: HavocKind::Input });
        }
        9 => {
            let (place, new) = (place(f, dice, world, scope), f.plus(local, 1));
            f.then(Op::Rmw { dst: local, place, wait: None, owner: None, new, order: Order::SeqCst, failure: None });
        }
        10 => {
            f.then(Op::Load { dst: scope.pointer, place: Place::Var(world.pointer), order });
        }
        11 => {
            let value = f.var(scope.pointer);
            f.store_to(Place::Var(world.pointer), value, order);
        }
        12 | 13 => {
            let cond = condition(f, dice, scope);
            let (m, n) = (1 + dice.roll(2), dice.roll(2));
            // Both branches roll the same dice, one after the other.
            let dice = std::cell::RefCell::new(dice);
            f.branch(
                cond,
                |f| statements(f, &mut dice.borrow_mut(), world, scope, m, depth - 1),
                |f| statements(f, &mut dice.borrow_mut(), world, scope, n, depth - 1),
            );
        }
        14 => {
            let counter = f.local("i");
            f.repeat(
                |f| {
                    let (at, limit) = (f.var(counter), f.int(2));
                    f.pool().slt(at, limit)
                },
                |f| {
                    statements(f, dice, world, scope, 1, depth - 1);
                    let next = f.plus(counter, 1);
                    f.assign(counter, next);
                },
            );
        }
        15 => f.atomically(|f| {
            let n = 1 + dice.roll(2);
            statements(f, dice, world, scope, n, depth - 1);
        }),
        16 => {
            f.await_change(local, world.mutex, 0, 1);
            let n = 1 + dice.roll(2);
            statements(f, dice, world, scope, n, depth - 1);
            if dice.roll(5) > 0 {
                f.set(world.mutex, 0);
            }
        }
        17 => {
            if let Some((helper, address)) = world.helper {
                let arg = expression(f, dice, scope);
                let callee = if dice.roll(2) == 0 {
                    Callee::Proc(helper)
                } else {
                    let value = f.word(address);
                    f.assign(scope.word, value);
                    Callee::Pointer(f.var(scope.word))
                };
                f.then(Op::Call { callee, args: vec![arg], result: Some(local) });
            }
        }
        18 => {
            let kind = if dice.roll(2) == 0 { AllocKind::Heap } else { AllocKind::Stack };
            // An object of the stack has a variable of its own.
            let is_reused = kind == AllocKind::Heap && dice.roll(2) == 0;
            let pointer = if is_reused { scope.pointer } else { f.pointer("q") };
            f.alloc(pointer, 4, kind);
            let place = f.deref(pointer);
            if dice.roll(4) > 0 {
                let value = expression(f, dice, scope);
                f.store_to(place, value, order);
            }
            statements(f, dice, world, scope, 1, depth - 1);
            f.load_from(local, place, order);
            if world.has_frees || pointer != scope.pointer {
                f.free(pointer, kind);
            }
        }
        _ => match dice.roll(6) {
            0 => {
                f.then(Op::ExitProcess { is_abort: dice.roll(2) == 0 });
            }
            1 => {
                let zero = f.word(0);
                f.then(Op::ExitThread(zero));
            }
            _ => {
                let value = f.word(world.array);
                f.assign(scope.pointer, value);
            }
        },
    }
}

fn limits(max_states: usize) -> Limits {
    Limits { max_states, domain: Domain::Values(vec![0, 1]), first_only: false, ..Limits::default() }
}

/// What a pass makes of a program.
type Pass<'a> = &'a dyn Fn(&Program, Properties) -> Program;

/// The trace must replay on the lowered program; a race may need the steps that lead to the two accesses.
fn replays(lowered: &Program, transformed: &Program, properties: Properties, trace: &Trace) -> bool {
    let task = Task { program: lowered.clone(), properties };
    let spelled = spell_trace(lowered, transformed, trace);
    if replay(&task, &spelled).is_ok() {
        return true;
    }
    if trace.violation != Property::Race {
        return false;
    }
    let mut accesses: Vec<NextAccess> = Vec::new();
    for thread in 0..4 {
        for (proc, body) in transformed.procs.iter().enumerate() {
            for (edge, content) in body.edges.iter().enumerate() {
                let edge = EdgeRef { proc: ProcId(proc as u32), edge: crate::EdgeId(edge as u32) };
                let may_race = |at: &usize| !content.stmts[*at].accesses().is_empty();
                for at in (0..content.stmts.len()).filter(may_race) {
                    accesses.push((Step { thread, edge, inputs: Vec::new() }, at));
                }
            }
        }
    }
    accesses.iter().any(|first| {
        accesses.iter().filter(|second| second.0.thread > first.0.thread).any(|second| {
            let next = [first.clone(), second.clone()];
            replay(&task, &spell_race(lowered, transformed, &trace.steps, &next)).is_ok()
        })
    })
}

fn compare(name: &str, seeds: std::ops::Range<u64>, pass: Pass<'_>) {
    let sets = [
        Properties::of(&[Property::Assertion, Property::ErrorCall]),
        Properties::of(&[Property::Race]),
        Properties::of(&[Property::Deadlock, Property::ErrorCall]),
        Properties::of(&[Property::Deref, Property::Free]),
        Properties::of(&[Property::MemTrack, Property::MemCleanup]),
        Properties::of(&[Property::Termination]),
    ];
    let mut n_compared = 0;
    for seed in seeds {
        let lowered = with_origins(random_program(seed));
        let properties = sets[seed as usize % sets.len()];
        let before = enumerate(&lowered, properties, &limits(4000));
        if before.incomplete.is_some() {
            continue;
        }
        let transformed = pass(&lowered, properties);
        let after = enumerate(&transformed, properties, &limits(40_000));
        // No front end makes objects on one of two ways to a place only, nor keeps their addresses in a variable with other uses; inlining
        // refuses a thread that ends there.
        let is_refused = after.incomplete.as_ref().is_some_and(|why| match why {
            Why::Unsupported { what, .. } => what.contains("may be live there or not"),
            Why::Undefined { what, .. } => what.starts_with("free of"),
            _ => false,
        });
        if is_refused {
            continue;
        }
        let show = || {
            let text = |program: &Program| crate::text::program(program);
            format!("{name}, seed {seed}\n{}\n=== becomes ===\n{}", text(&lowered), text(&transformed))
        };
        assert!(after.incomplete.is_none(), "{:?} {}", after.incomplete, show());
        let violated = |found: &crate::interp::Exploration| found.violations.keys().copied().collect::<Vec<_>>();
        // One violation may hide another that needs a step inside the same block, but not all of them.
        let (before, found) = (violated(&before), violated(&after));
        assert_eq!(before.is_empty(), found.is_empty(), "{}", show());
        assert!(found.iter().all(|property| before.contains(property)), "{before:?} {found:?} {}", show());
        for trace in after.violations.values() {
            assert!(replays(&lowered, &transformed, properties, trace), "{trace:?} {}", show());
        }
        n_compared += 1;
    }
    assert!(n_compared > 0, "no program was small enough");
}

fn inlined(program: &Program) -> Program {
    inline_calls(program, &Options::default()).expect("it is small")
}

#[test]
fn call_targets_keep_violations() {
    compare("call targets", 0..150, &|program, _| resolve_calls(program));
}

#[test]
fn inlining_keeps_violations() {
    compare("inline", 0..150, &|program, _| inlined(program));
}

#[test]
fn constants_keep_violations() {
    compare("constants", 0..150, &|program, _| propagate_constants(inlined(program), true));
    compare("constants with calls", 300..400, &|program, _| propagate_constants(program.clone(), false));
}

#[test]
fn dropping_dead_code_keeps_violations() {
    compare("dead", 0..150, &|program, properties| drop_dead(inlined(program), properties, true));
    compare("dead with calls", 300..400, &|program, properties| drop_dead(program.clone(), properties, false));
}

#[test]
fn memory_passes_keep_violations() {
    compare("promote", 0..150, &|program, properties| promote_allocations(inlined(program), properties));
    compare("localize", 0..150, &|program, properties| {
        localize(drop_dead(propagate_constants(inlined(program), true), properties, true))
    });
    compare("scalarize", 0..150, &|program, properties| {
        scalarize(propagate_constants(inlined(program), true), properties)
    });
}

#[test]
fn slicing_keeps_violations() {
    compare("slice", 0..150, &|program, properties| slice(split_regions(inlined(program)), properties));
}

#[test]
fn blocks_keep_violations() {
    for multiplies in [true, false] {
        compare("blocks", 0..400, &|program, properties| merge_blocks(inlined(program), properties, multiplies));
    }
}

#[test]
fn private_globals_keep_violations() {
    compare("private", 0..150, &|program, properties| privatize(scalarize(inlined(program), properties), properties));
}

#[test]
fn preparing_keeps_violations() {
    compare("prepare", 0..600, &|program, properties| {
        prepare(program, properties, &Options::default()).expect("it is small")
    });
    compare("prepare and merge joins", 600..800, &|program, properties| {
        let options = Options { rounds: 8, ..Options::default() };
        merge_joins(prepare(program, properties, &options).expect("it is small"))
    });
}
