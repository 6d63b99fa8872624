//! Random small programs: whatever the reduction, the engine must find what the interpreter finds by trying everything.
//!
//! Programs have a few threads, some of them alike, over a few globals, an array, a lock, a handle and the heap, with branches,
//! spinning, waiting, atomic sections and small inputs. The generator is a plain counter-based one, so that a failing seed is all one needs.

use super::Explicit;
use crate::{About, Budget, Engine, Run, decide};
use ir::build::{Body, Builder};
use ir::interp::{Domain, Limits, enumerate};
use ir::{
    AllocKind, Model, Op, Order, Place, ProcId, Program, Properties, Property, RegionId, Scope, Task, Verdict, Why,
};
use logic::{Prng, Scalar, Sort, TermId, Value, VarId};

struct Shared {
    globals: Vec<VarId>,
    lock: VarId,
    pointer: VarId,
    /// Holds the handle of a thread.
    owner: VarId,
    array: u64,
    /// Whether objects end; only if somebody asks, since passes let objects live longer if nobody does.
    has_free: bool,
}

struct Thread<'a> {
    random: &'a mut Prng,
    shared: &'a Shared,
    locals: Vec<VarId>,
    pointers: Vec<VarId>,
    inputs: Vec<VarId>,
    budget: u32,
    in_loop: bool,
}

/// A random program; other engines are compared on the same ones.
pub(crate) fn program(seed: u64, size: u64, properties: Properties) -> Program {
    let mut random = Prng::new(seed);
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let globals = ["x", "y"].map(|name| builder.global(name, 0)).to_vec();
    let lock = builder.global("lock", 0);
    let pointer = builder.variable("p", Sort::Bv(64), Scope::Global, Some(Value::bv(64, 0)));
    let owner = builder.variable("owner", Sort::Bv(64), Scope::Global, Some(Value::bv(64, 0)));
    let array = builder.array("a", 2);
    let has_free = properties.has(Property::Race) || properties.has(Property::Deref);
    let shared = Shared { globals, lock, pointer, owner, array, has_free };
    let n_threads = 1 + random.below(size / 3 + 1);
    let size = (size + random.below(size)) as u32;
    let workers: Vec<ProcId> = (0..n_threads)
        .map(|index| builder.define(&format!("t{index}"), |body| write(body, &mut random, &shared, size)))
        .collect();
    let n_again = random.below(3).min(3 - n_threads);
    builder.body(main, |body| {
        let mut handles = body.start_all(&workers);
        for index in 0..n_again {
            let handle = body.pointer(["again", "and again"][index as usize]);
            body.start(handle, workers[0], &[]);
            handles.push(handle);
        }
        write(body, &mut random, &shared, 2);
        if random.below(4) > 0 {
            for handle in handles {
                body.join(handle);
            }
        }
        write(body, &mut random, &shared, 1);
    });
    builder.finish(main)
}

fn write(body: &mut Body<'_>, random: &mut Prng, shared: &Shared, budget: u32) {
    let locals = ["i", "j"].map(|name| body.local(name)).to_vec();
    let pointers = ["u", "v"].map(|name| body.pointer(name)).to_vec();
    let inputs = vec![body.local_of("b", Sort::Bool), body.local_of("n", Sort::Bv(2)), body.local_of("m", Sort::Bv(4))];
    let mut thread = Thread { random, shared, locals, pointers, inputs, budget, in_loop: false };
    while thread.budget > 0 {
        thread.statement(body, 2);
    }
}

impl Thread<'_> {
    fn local(&mut self) -> VarId {
        self.random.pick(&self.locals)
    }

    fn global(&mut self) -> VarId {
        self.random.pick(&self.shared.globals)
    }

    fn order(&mut self) -> Order {
        if self.random.below(2) == 0 { Order::Plain } else { Order::SeqCst }
    }

    fn small(&mut self, body: &mut Body<'_>) -> TermId {
        let local = self.local();
        let (value, three) = (body.plus(local, self.random.below(2) as i64), body.int(3));
        body.pool().bv_and(value, three)
    }

    fn element(&mut self, body: &mut Body<'_>) -> Place {
        let base = self.shared.array;
        if self.random.below(2) == 0 {
            let index = self.random.below(2);
            return body.at(base, index);
        }
        let local = self.local();
        let mask = if self.random.below(4) == 0 { 3 } else { 1 };
        let (index, mask) = (body.var(local), body.int(mask));
        let index = body.pool().bv_and(index, mask);
        let index = body.pool().zero_extend(index, 64);
        let (four, start) = (body.word(4), body.word(base));
        let offset = body.pool().mul(index, four);
        let addr = body.pool().add(start, offset);
        Place::Mem { addr, sort: Scalar::Bv(32), region: RegionId::ANYWHERE }
    }

    fn statement(&mut self, body: &mut Body<'_>, depth: u32) {
        self.budget = self.budget.saturating_sub(1);
        let (local, global) = (self.local(), self.global());
        let constant = self.random.below(3) as i64;
        match self.random.below(22) {
            0 | 1 => {
                let order = self.order();
                body.load_from(local, Place::Var(global), order);
            }
            2 | 3 => {
                let (value, order) = (self.small(body), self.order());
                body.store_to(Place::Var(global), value, order);
            }
            4 => body.set(global, constant),
            5 if depth > 0 => {
                let cond = body.is(local, constant);
                let this = std::cell::RefCell::new(self);
                body.branch(
                    cond,
                    |body| this.borrow_mut().statement(body, depth - 1),
                    |body| this.borrow_mut().statement(body, depth - 1),
                );
            }
            6 | 7 if depth > 0 => {
                let lock = self.shared.lock;
                body.await_change(local, lock, 0, 1);
                self.statement(body, depth - 1);
                let zero = body.int(0);
                body.store_to(Place::Var(lock), zero, Order::SeqCst);
            }
            8 if depth > 0 => body.atomically(|body| {
                self.statement(body, depth - 1);
                self.statement(body, depth - 1);
            }),
            9 if depth > 0 && self.random.below(2) == 0 => {
                // Only compared, so that a few values stand for all.
                let input = self.inputs[2];
                body.input(input);
                if self.random.below(3) == 0 {
                    body.load(local, global);
                }
                let (term, bound) = (body.var(input), body.pool().bv(4, self.random.below(16)));
                let cond = match self.random.below(3) {
                    0 => body.pool().eq(term, bound),
                    1 => body.pool().ult(term, bound),
                    _ => body.pool().slt(bound, term),
                };
                if self.random.below(3) == 0 {
                    body.assume(cond);
                    let value = body.pool().zero_extend(term, 32);
                    let three = body.int(3);
                    let value = body.pool().bv_and(value, three);
                    body.assign(local, value);
                    return;
                }
                let this = std::cell::RefCell::new(self);
                body.branch(
                    cond,
                    |body| this.borrow_mut().statement(body, depth - 1),
                    |body| this.borrow_mut().statement(body, depth - 1),
                );
            }
            9 => {
                let input = self.random.pick(&self.inputs[..2]);
                body.input(input);
                let term = body.var(input);
                let value = match body.pool().var_sort(input) {
                    Sort::Bool => {
                        let (one, zero) = (body.int(1), body.int(0));
                        body.pool().ite(term, one, zero)
                    }
                    _ => body.pool().zero_extend(term, 32),
                };
                body.assign(local, value);
            }
            10 | 11 => {
                let is = body.is(local, constant + 1);
                let cond = body.pool().not(is);
                body.check(cond);
            }
            12 => {
                let place = self.element(body);
                let order = self.order();
                body.load_from(local, place, order);
            }
            13 => {
                let place = self.element(body);
                let (value, order) = (self.small(body), self.order());
                body.store_to(place, value, order);
            }
            14 if !self.in_loop => {
                let pointer = self.random.pick(&self.pointers);
                body.alloc(pointer, 4, AllocKind::Heap);
                if self.random.below(2) == 0 {
                    let place = body.deref(pointer);
                    let value = self.small(body);
                    body.store_to(place, value, Order::Plain);
                }
                if self.random.below(2) == 0 {
                    let value = body.var(pointer);
                    body.store(self.shared.pointer, value);
                }
            }
            15 => {
                let pointer = self.random.pick(&self.pointers);
                body.load(pointer, self.shared.pointer);
                if self.random.below(3) == 0 && self.shared.has_free {
                    body.free(pointer, AllocKind::Heap);
                } else {
                    let place = body.deref(pointer);
                    let value = self.small(body);
                    body.store_to(place, value, Order::SeqCst);
                }
            }
            16 => {
                let new = body.plus(local, 1);
                let three = body.int(3);
                let new = body.pool().bv_and(new, three);
                body.then(Op::Rmw {
                    dst: local,
                    place: Place::Var(global),
                    wait: None,
                    owner: None,
                    new,
                    order: Order::SeqCst,
                    failure: None,
                });
            }
            17 if depth > 0 && !self.in_loop => {
                self.in_loop = true;
                let this = std::cell::RefCell::new(&mut *self);
                body.repeat(
                    |body| {
                        body.load_from(local, Place::Var(global), Order::SeqCst);
                        body.is(local, constant)
                    },
                    |body| this.borrow_mut().statement(body, 0),
                );
                self.in_loop = false;
            }
            18 => {
                let cond = body.is(local, constant);
                body.assume(cond);
            }
            19 => {
                let own = body.self_var();
                let value = body.var(own);
                body.store_to(Place::Var(self.shared.owner), value, Order::SeqCst);
            }
            20 if depth > 0 => {
                let (own, seen) = (body.self_var(), self.pointers[0]);
                body.load_from(seen, Place::Var(self.shared.owner), Order::SeqCst);
                let (own, seen) = (body.var(own), body.var(seen));
                let cond = body.pool().eq(own, seen);
                let this = std::cell::RefCell::new(self);
                body.branch(
                    cond,
                    |body| this.borrow_mut().statement(body, depth - 1),
                    |body| this.borrow_mut().statement(body, depth - 1),
                );
            }
            _ => {
                let value = self.small(body);
                body.assign(local, value);
            }
        }
    }
}

/// Sets of properties that are asked about.
pub(crate) const SETS: [&[Property]; 6] = [
    &[Property::Assertion],
    &[Property::Assertion, Property::Deadlock],
    &[Property::Race],
    &[Property::Deref, Property::Free, Property::MemTrack, Property::MemCleanup],
    &[Property::Assertion, Property::Deadlock, Property::Race, Property::Deref, Property::Free],
    &[Property::Termination],
];

/// Partial order reduction and symmetry.
type Setting = (&'static str, &'static str);

const PLAIN: Setting = ("none", "off");
const REDUCTIONS: [Setting; 4] = [("source", "off"), ("none", "on"), ("source", "on"), ("dpor", "on")];

/// The answer and the number of states.
fn run(task: &Task, (por, symmetry): Setting) -> (Verdict, f64) {
    let knobs = [("por", por), ("symmetry", symmetry)];
    let mut run = Run::of(Explicit.about(), Budget::unlimited(), &knobs).expect("the knobs are declared");
    let decided = decide(&Explicit, task, &mut run);
    (decided.verdict(), run.statistics.0.get("states").copied().unwrap_or_default())
}

fn agree(seed: u64) -> bool {
    let properties = Properties::of(SETS[seed as usize % SETS.len()]);
    let program = program(seed, 3, properties);
    let limits = Limits { max_states: 3_000, domain: Domain::Bits(4), first_only: false, ..Limits::default() };
    let oracle = enumerate(&program, properties, &limits);
    if oracle.incomplete.is_some() && oracle.violations.is_empty() {
        return false;
    }
    let task = Task { program, properties };
    for setting in [PLAIN].into_iter().chain(REDUCTIONS) {
        match run(&task, setting).0 {
            Verdict::Safe(_) => {
                assert!(oracle.violations.is_empty(), "{seed} {setting:?} misses {:?}", oracle.violations.keys());
            }
            Verdict::Unsafe(trace) => {
                let is_known = oracle.violations.contains_key(&trace.violation) || oracle.incomplete.is_some();
                assert!(is_known, "{seed} {setting:?} finds {:?}", trace.violation);
            }
            Verdict::Unknown(why) => panic!("{seed} {setting:?} {why:?}"),
        }
    }
    true
}

#[test]
fn every_reduction_agrees_with_trying_everything() {
    let n_compared = (0..200).filter(|seed| agree(*seed)).count();
    assert!(n_compared > 100, "only {n_compared} programs were small enough");
}

/// Whether the programs of larger sizes have the same answer with and without reduction, and no more states.
fn agree_without_oracle(seed: u64) -> [f64; REDUCTIONS.len() + 1] {
    // Termination, the last, is decided without reductions.
    let properties = Properties::of(SETS[seed as usize % (SETS.len() - 1)]);
    let task = Task { program: program(seed, 7, properties), properties };
    let (all, n_all) = run(&task, PLAIN);
    let mut counts = [0.0; REDUCTIONS.len() + 1];
    for (index, setting) in REDUCTIONS.into_iter().enumerate() {
        match (&all, run(&task, setting)) {
            (Verdict::Safe(_), (Verdict::Safe(_), n_reduced)) => {
                assert!(n_reduced <= n_all, "{seed} {setting:?}: {n_reduced} states instead of {n_all}");
                counts[0] = n_all;
                counts[index + 1] = n_reduced;
            }
            (Verdict::Unsafe(_), (Verdict::Unsafe(_), _)) => {}
            (Verdict::Unknown(Why::Undefined { .. }), (Verdict::Unknown(Why::Undefined { .. }), _)) => {}
            (all, (reduced, _)) => panic!("{seed} {setting:?}: {reduced:?} instead of {all:?}"),
        }
    }
    counts
}

#[test]
fn reductions_change_no_answer_and_add_no_state() {
    let counts: Vec<_> = (0..150).map(agree_without_oracle).collect();
    let sum = |index: usize| counts.iter().map(|counts| counts[index]).sum::<f64>();
    for (index, setting) in REDUCTIONS.iter().enumerate() {
        assert!(sum(index + 1) < sum(0), "{setting:?}: {} states instead of {}", sum(index + 1), sum(0));
    }
    assert!(sum(3) < sum(1), "symmetry saves states where partial order reduction does not");
}

/// The search in breadth, without the small searches that come before it.
struct InBreadth;

impl Engine for InBreadth {
    fn about(&self) -> &'static About {
        Explicit.about()
    }

    fn models(&self) -> &'static [Model] {
        Explicit.models()
    }

    fn properties(&self, task: &Task) -> Properties {
        Explicit.properties(task)
    }

    fn check(&self, task: &Task, run: &mut Run) -> Verdict {
        super::decide(task, run, &super::ATTEMPTS[super::ATTEMPTS.len() - 1..]).unwrap_or_else(Verdict::Unknown)
    }
}

/// The answer of so many workers, and what they counted.
fn in_breadth(task: &Task, por: &str, symmetry: &str, threads: &str) -> (Verdict, f64, f64) {
    let knobs = [("por", por), ("symmetry", symmetry), ("threads", threads)];
    let mut run = Run::of(Explicit.about(), Budget::unlimited(), &knobs).expect("the knobs are declared");
    let decided = decide(&InBreadth, task, &mut run);
    let count = |name| run.statistics.0.get(name).copied().unwrap_or_default();
    (decided.verdict(), count("states"), count("transitions"))
}

#[test]
fn workers_agree_with_a_search_in_depth_and_with_each_other() {
    let mut n_safe = 0;
    for seed in 0..150 {
        let properties = Properties::of(SETS[seed as usize % (SETS.len() - 1)]);
        let task = Task { program: program(seed, 7, properties), properties };
        let (in_depth, n_all) = run(&task, PLAIN);
        let (all, n_in_breadth, _) = in_breadth(&task, "none", "off", "2");
        for (por, symmetry) in REDUCTIONS.into_iter().take(3) {
            let two = in_breadth(&task, por, symmetry, "2");
            assert_eq!(two, in_breadth(&task, por, symmetry, "3"), "{seed} {por} {symmetry}: nobody is faster");
            match (&in_depth, &two.0) {
                (Verdict::Safe(_), Verdict::Safe(_)) => {
                    n_safe += 1;
                    assert!(two.1 <= n_all, "{seed} {por} {symmetry}: {} states instead of {n_all}", two.1);
                }
                (Verdict::Unsafe(_), Verdict::Unsafe(_)) => {}
                (Verdict::Unknown(Why::Undefined { .. }), Verdict::Unknown(Why::Undefined { .. })) => {}
                (all, reduced) => panic!("{seed} {por} {symmetry}: {reduced:?} instead of {all:?}"),
            }
        }
        if matches!(in_depth, Verdict::Safe(_)) {
            assert_eq!((all, n_in_breadth), (in_depth, n_all), "{seed}");
        }
    }
    assert!(n_safe > 100, "{n_safe} safe answers");
}
