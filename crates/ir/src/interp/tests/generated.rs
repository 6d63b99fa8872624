//! Random programs: the passes keep what can go wrong, found traces replay, and clocks agree with adjacency.

use super::*;
use crate::pass;
use crate::replay::replay;
use crate::stmt::{AllocKind, HavocKind, Op, Order, Place};
use crate::verdict::Task;
use logic::{Prng, Sort, VarId};

/// What the threads of a random program share.
struct Shared {
    globals: [VarId; 2],
    array: u64,
    lock: u64,
}

struct Generator<'s> {
    prng: &'s mut Prng,
    shared: &'s Shared,
    a: VarId,
    b: VarId,
    pointer: VarId,
    /// A procedure that may be called.
    callee: Option<ProcId>,
}

impl Generator<'_> {
    fn block(&mut self, b: &mut Body<'_>, depth: u32, n_stmts: u64) {
        for _ in 0..n_stmts {
            self.statement(b, depth);
        }
    }

    fn statement(&mut self, b: &mut Body<'_>, depth: u32) {
        let global = self.shared.globals[self.prng.below(2) as usize];
        let order = if self.prng.below(3) == 0 { Order::Plain } else { Order::SeqCst };
        let (a, c) = (self.a, self.b);
        match self.prng.below(if depth > 0 { 15 } else { 10 }) {
            0 | 1 => b.load_from(a, Place::Var(global), order),
            2 => {
                let value = b.plus(a, 1);
                b.store_to(Place::Var(global), value, order);
            }
            3 => {
                let value = b.int(self.prng.below(3) as i64);
                b.store_to(Place::Var(global), value, order);
            }
            4 => {
                let new = b.plus(c, 1);
                b.then(Op::Rmw {
                    dst: c,
                    place: Place::Var(global),
                    wait: None,
                    owner: None,
                    new,
                    order: Order::SeqCst,
                    failure: None,
                });
            }
            5 => {
                // Element a & 3 of the array, sometimes one too far.
                let mask = b.int(if self.prng.below(6) == 0 { 7 } else { 3 });
                let (a_term, base) = (b.var(a), b.word(self.shared.array));
                let index = b.pool().bv_and(a_term, mask);
                let (wide, four) = (b.pool().zero_extend(index, 64), b.word(4));
                let offset = b.pool().mul(wide, four);
                let addr = b.pool().add(base, offset);
                let place = Place::Mem { addr, sort: logic::Scalar::Bv(32), region: crate::RegionId::ANYWHERE };
                if self.prng.below(2) == 0 {
                    let value = b.plus(c, 2);
                    b.store_to(place, value, order);
                } else {
                    b.load_from(c, place, order);
                }
            }
            6 => {
                let bit = b.local_of("bit", Sort::Bool);
                b.then(Op::Havoc { var: bit, kind: HavocKind::Input });
                let (bit, one, zero) = (b.var(bit), b.int(1), b.int(0));
                let value = b.pool().ite(bit, one, zero);
                b.assign(a, value);
            }
            7 => {
                let (x, y) = (b.var(a), b.var(c));
                let value = b.pool().add(x, y);
                b.assign(if self.prng.below(2) == 0 { a } else { c }, value);
            }
            8 => {
                let wrong = b.is(a, self.prng.below(4) as i64);
                let holds = b.pool().not(wrong);
                b.check(holds);
            }
            9 => match self.callee {
                Some(callee) => {
                    let arg = b.var(c);
                    b.call(callee, &[arg], Some(a));
                }
                None => b.assume_small(c),
            },
            10 => {
                let cond = b.is(a, self.prng.below(2) as i64);
                let (yes, no) = (self.prng.below(3), self.prng.below(2));
                let seed = self.prng.number();
                b.branch(cond, |b| self.with(seed, |g| g.block(b, depth - 1, yes)), |_| {});
                self.block(b, depth - 1, no);
            }
            11 => {
                let old = b.local("old");
                let (place, wait, one, zero) = (b.at(self.shared.lock, 0), Some(b.is(old, 0)), b.int(1), b.int(0));
                b.then(Op::Rmw { dst: old, place, wait, owner: None, new: one, order: Order::SeqCst, failure: None });
                let n = self.prng.below(3);
                self.block(b, depth - 1, n);
                if self.prng.below(5) > 0 {
                    b.store_to(place, zero, Order::SeqCst);
                }
            }
            12 => {
                let n = 1 + self.prng.below(2);
                b.atomically(|b| self.block(b, depth - 1, n));
            }
            13 => {
                // An object on the stack, used and ended.
                let p = self.pointer;
                b.alloc(p, 4, AllocKind::Stack);
                let (place, value) = (b.deref(p), b.var(a));
                b.store_to(place, value, Order::Plain);
                let n = self.prng.below(2);
                self.block(b, 0, n);
                let place = b.deref(p);
                b.load_from(c, place, Order::Plain);
                b.free(p, AllocKind::Stack);
            }
            _ => {
                let (i, two) = (b.local("i"), b.int(2));
                let zero = b.int(0);
                b.assign(i, zero);
                let n = self.prng.below(3);
                b.repeat(
                    |b| {
                        let i = b.var(i);
                        b.pool().slt(i, two)
                    },
                    |b| {
                        self.block(b, 0, n);
                        let next = b.plus(i, 1);
                        b.assign(i, next);
                    },
                );
            }
        }
    }

    fn with(&mut self, seed: u64, write: impl FnOnce(&mut Generator<'_>)) {
        let mut prng = Prng::new(seed);
        write(&mut Generator { prng: &mut prng, shared: self.shared, callee: self.callee, ..*self });
    }
}

impl Body<'_> {
    fn assume_small(&mut self, var: VarId) {
        let (value, three) = (self.var(var), self.int(3));
        let small = self.pool().ult(value, three);
        self.assume(small);
    }
}

fn generate(seed: u64) -> Program {
    let mut prng = Prng::new(seed);
    let mut b = Builder::new();
    let globals = [b.global("x", 0), b.global("y", 0)];
    let shared = Shared { globals, array: b.array("array", 4), lock: b.array("lock", 1) };
    let mut write = |b: &mut Body<'_>, callee: Option<ProcId>, n_stmts: u64| {
        let (a, c, pointer) = (b.local("a"), b.local("b"), b.pointer("p"));
        Generator { prng: &mut prng, shared: &shared, a, b: c, pointer, callee }.block(b, 2, n_stmts);
        a
    };
    let helper = b.define("helper", |b| {
        b.param("arg", Sort::Bv(32));
        b.returns(Sort::Bv(32));
        let a = write(b, None, 2);
        let result = b.var(a);
        b.ret(Some(result));
    });
    let [first, second] = [("first", 4), ("second", 3)].map(|(name, n_stmts)| {
        b.define(name, |b| {
            write(b, Some(helper), n_stmts);
        })
    });
    let main = b.define("main", |b| {
        let handles = b.start_all(&[first, second]);
        write(b, None, 1);
        for handle in handles {
            b.join(handle);
        }
        write(b, None, 1);
    });
    b.finish(main)
}

/// The violated properties, if the program is small enough to tell.
fn all_violated(program: &Program, properties: Properties, max_states: usize) -> Option<Vec<Property>> {
    let found = enumerate(program, properties, &Limits { max_states, ..Limits::default() });
    found.incomplete.is_none().then(|| found.violations.into_keys().collect())
}

#[test]
fn passes_keep_what_can_go_wrong() {
    let asked = [Property::Assertion, Property::Race, Property::Deadlock, Property::Deref];
    let (mut n_compared, mut n_violated) = (0, 0);
    for seed in 0..20 {
        let program = generate(seed);
        for property in asked {
            let Some(expected) = all_violated(&program, only(property), 1500) else {
                continue;
            };
            for blocks in [false, true] {
                let options = pass::Options { blocks, ..pass::Options::default() };
                let prepared = pass::prepare(&program, only(property), &options).expect("no recursion");
                let found = all_violated(&prepared, only(property), 6000).expect("preparing does not add many states");
                assert_eq!(
                    found,
                    expected,
                    "seed {seed}, {property:?}, blocks {blocks}\n{}",
                    crate::text::program(&program)
                );
            }
            n_compared += 1;
            n_violated += expected.len();
        }
    }
    assert!(n_compared > 20 && n_violated > 8, "{n_compared} compared, {n_violated} violated");
}

#[test]
fn found_traces_replay_and_clocks_see_no_race_where_there_is_none() {
    let asked = Properties::of(&[Property::Assertion, Property::Race, Property::Deadlock, Property::Deref]);
    let mut n_replayed = 0;
    for seed in 1000..1020 {
        let program = generate(seed);
        let limits = Limits { max_states: 1500, ..Limits::default() };
        let found = enumerate(&program, asked, &limits);
        let task = Task { program, properties: asked };
        for (property, trace) in &found.violations {
            let replayed = replay(&task, trace).unwrap_or_else(|error| panic!("seed {seed}, {property:?}: {error}"));
            assert_eq!(replayed.violation.property, *property);
            n_replayed += 1;
        }
        let race_free = enumerate(&task.program, only(Property::Race), &limits);
        if race_free.is_safe() {
            for run in 0..20 {
                let outcome = run_random(&task.program, only(Property::Race), run, 500).outcome;
                assert!(!matches!(outcome, RunEnd::Violation(_)), "seed {seed}: {outcome:?}");
            }
        }
    }
    assert!(n_replayed > 10, "{n_replayed} replayed");
}
