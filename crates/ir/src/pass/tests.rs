//! Programs before and after the passes, side by side.

use super::*;
use crate::build::Builder;
use crate::interp::{Domain, Limits, enumerate};
use crate::program::{Edge, ProcId, Program};
use crate::property::Property;
use crate::stmt::{Callee, Op};
use logic::Sort;

fn all_stmts(program: &Program) -> impl Iterator<Item = &Op> {
    program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts).map(|stmt| &stmt.op)
}

/// Every edge of the result spells a connected path of the lowered program, calls and returns aside.
fn spells_paths(lowered: &Program, edge: &Edge) -> bool {
    edge.origin.windows(2).all(|pair| {
        let (first, second) = (lowered.edge(pair[0]), lowered.edge(pair[1]));
        pair[0].proc != pair[1].proc || first.to == second.from
    })
}

/// `main` starts two workers through a function pointer that is a parameter; each worker increments twice by calls.
fn two_workers() -> Program {
    let mut b = Builder::new();
    let x = b.global("x", 0);
    let word = Sort::Bv(64);
    let add = b.define("add", |f| {
        let n = f.param("n", Sort::Bv(32));
        f.returns(Sort::Bv(32));
        let old = f.local("old");
        f.load(old, x);
        let (a, c) = (f.var(old), f.var(n));
        let sum = f.pool().add(a, c);
        f.store(x, sum);
        f.ret(Some(sum));
    });
    let worker = b.define("worker", |f| {
        f.param("arg", word);
        f.returns(word);
        let got = f.local("got");
        for n in [1, 2] {
            let n = f.int(n);
            f.then(Op::Call { callee: Callee::Proc(add), args: vec![n], result: Some(got) });
        }
        let ok = f.is(got, 3);
        f.check(ok);
    });
    let address = b.address_of(worker);
    let create = b.define("create", |f| {
        let function = f.param("function", word);
        let handle = f.pointer("handle");
        let (callee, zero) = (f.var(function), f.word(0));
        f.then(Op::Start { dst: handle, callee: Callee::Pointer(callee), args: vec![zero] });
    });
    let main = b.define("main", |f| {
        let address = f.word(address);
        for _ in 0..2 {
            f.then(Op::Call { callee: Callee::Proc(create), args: vec![address], result: None });
        }
    });
    b.finish(main)
}

#[test]
fn inlining_leaves_threads_without_calls() {
    let program = two_workers();
    let result = inline_calls(&with_origins(program.clone()), &Options::default()).expect("it is small");
    let names: Vec<&str> = result.procs.iter().map(|proc| proc.name.as_str()).collect();
    assert_eq!(names, ["main", "worker"]);
    assert!(!all_stmts(&result).any(|op| matches!(op, Op::Call { .. })));
    let starts: Vec<&Op> = all_stmts(&result).filter(|op| matches!(op, Op::Start { .. })).collect();
    assert_eq!(starts.len(), 2, "the pointer is a constant after inlining, so there is no other candidate");
    assert!(matches!(starts[0], Op::Start { callee: Callee::Proc(proc), .. } if *proc == crate::ProcId(1)));
}

#[test]
fn recursion_ends_in_a_bound() {
    let mut b = Builder::new();
    let main = b.proc("main");
    b.body(main, |f| {
        f.then(Op::Call { callee: Callee::Proc(main), args: vec![], result: None });
    });
    let program = b.finish(main);
    let options = Options { recursion: 3, ..Options::default() };
    let result = inline_calls(&with_origins(program.clone()), &options).expect("it is small");
    let bounds = all_stmts(&result).filter(|op| matches!(op, Op::Check { kind: crate::CheckKind::Bound(_), .. }));
    assert_eq!(bounds.count(), 1);
    assert_eq!(result.notes.len(), 1);
}

#[test]
fn blocks_have_one_visible_statement() {
    let program = two_workers();
    // Two increments, a load and a store each; the rest sticks to them. But where the assertion is not in question it
    // may end the process, which must not undo the store before it.
    for (property, n_edges) in [(Property::Assertion, 4), (Property::Race, 5)] {
        let properties = Properties::of(&[property]);
        let result = prepare(&program, properties, &Options::default()).expect("it is small");
        let sharing = Sharing::new(&result);
        for (index, proc) in result.procs.iter().enumerate() {
            for edge in &proc.edges {
                let visibilities = sharing.of_edge(ProcId(index as u32), edge);
                let n_visible = visibilities.iter().filter(|v| **v > Visibility::Invisible).count();
                assert!(n_visible <= 1, "{edge:?}");
                assert!(spells_paths(&program, edge), "{edge:?}");
            }
        }
        assert_eq!(result.procs[1].edges.len(), n_edges);
    }
}

#[test]
fn memory_of_main_becomes_variables() {
    let mut b = Builder::new();
    let data = b.array("data", 2);
    let main = b.define("main", |f| {
        let (p, t) = (f.pointer("p"), f.local("t"));
        let size = f.word(8);
        f.then(Op::Alloc { dst: p, size, kind: crate::AllocKind::Stack, zeroed: false, copy: 0 });
        let one = f.int(1);
        let place = f.deref(p);
        f.store_to(place, one, crate::Order::Plain);
        f.load_from(t, place, crate::Order::Plain);
        let (cell, value) = (f.at(data, 1), f.var(t));
        f.store_to(cell, value, crate::Order::Plain);
        f.load_from(t, cell, crate::Order::Plain);
        let outside = f.at(data, 2);
        f.load_from(t, outside, crate::Order::Plain);
        let ok = f.is(t, 1);
        f.check(ok);
        let addr = f.var(p);
        f.then(Op::Free { addr, kind: crate::AllocKind::Stack });
    });
    let program = b.finish(main);
    let properties = Properties::of(&[Property::Assertion, Property::Deref]);
    let result = prepare(&program, properties, &Options::default()).expect("it is small");
    let memory: Vec<&Op> =
        all_stmts(&result).filter(|op| matches!(memory::regions::place_of(op), Some(Place::Mem { .. }))).collect();
    assert_eq!(memory.len(), 1, "only the access outside is left: {memory:?}");
    assert!(!all_stmts(&result).any(|op| matches!(op, Op::Alloc { .. } | Op::Free { .. })));
}

#[test]
fn counting_loops_are_counted_and_unrolled() {
    let mut b = Builder::new();
    let x = b.global("x", 0);
    let main = b.define("main", |f| {
        let i = f.local("i");
        f.repeat(
            |f| {
                let (at, limit) = (f.var(i), f.int(5));
                f.pool().slt(at, limit)
            },
            |f| {
                let value = f.var(i);
                f.store(x, value);
                let next = f.plus(i, 1);
                f.assign(i, next);
            },
        );
    });
    let program = with_origins(b.finish(main));
    let loops = find_loops(&program, &program.procs[0]);
    assert_eq!(loops.iter().map(|this| (this.is_natural, this.max_rounds)).collect::<Vec<_>>(), [(true, Some(5))]);
    for (bound, n_stores, n_cuts) in [(8, 5, 0), (3, 4, 1)] {
        let rounds = Rounds { of: &|_, _| bound, max_edges: 1000 };
        let unrolled = unroll_loops(&program, &rounds).expect("it is small");
        assert!(unrolled.procs[0].locs.iter().all(|loc| !loc.is_loop_head));
        let folded = drop_dead(propagate_constants(unrolled, true), Properties::NONE, true);
        let stores = all_stmts(&folded).filter(|op| matches!(op, Op::Store { .. })).count();
        let cuts = all_stmts(&folded).filter(|op| matches!(op, Op::Check { kind: crate::CheckKind::Bound(_), .. }));
        assert_eq!((stores, cuts.count()), (n_stores, n_cuts));
    }
}

/// A thread only reads what the pointer in `g` points to; main made it, and may free it while the thread runs.
fn reader_of_heap(frees: bool) -> Program {
    let mut b = Builder::new();
    let word = Sort::Bv(64);
    let g = b.variable("g", word, crate::Scope::Global, Some(logic::Value::zero(word)));
    let reader = b.define("reader", |f| {
        let (p, t) = (f.pointer("p"), f.local("t"));
        f.load(p, g);
        let place = f.deref(p);
        f.load_from(t, place, crate::Order::Plain);
    });
    let main = b.define("main", |f| {
        let (p, handle) = (f.pointer("p"), f.pointer("handle"));
        let size = f.word(4);
        f.then(Op::Alloc { dst: p, size, kind: crate::AllocKind::Heap, zeroed: true, copy: 0 });
        let address = f.var(p);
        f.store(g, address);
        f.start(handle, reader, &[]);
        if frees {
            f.free(p, crate::AllocKind::Heap);
        }
    });
    b.finish(main)
}

#[test]
fn to_free_is_to_write() {
    for frees in [false, true] {
        let properties = Properties::of(&[Property::Deref, Property::Free]);
        let result = prepare(&reader_of_heap(frees), properties, &Options::default()).expect("it is small");
        let sharing = Sharing::new(&result);
        let reader = result.procs.iter().position(|proc| proc.name == "reader").expect("it is started");
        let visible = |edge: &Edge| sharing.of_edge(ProcId(reader as u32), edge);
        let reads = result.procs[reader].edges.iter().flat_map(visible).filter(|seen| *seen == Visibility::Read);
        assert_eq!(reads.count(), usize::from(frees), "only what somebody ends can be missed");
    }
}

#[test]
fn a_thread_ends_what_it_leaves_on_the_stack() {
    let mut b = Builder::new();
    let leave = b.define("leave", |f| {
        let zero = f.word(0);
        f.then(Op::ExitThread(zero));
    });
    let worker = b.define("worker", |f| {
        let (p, q) = (f.pointer("p"), f.pointer("q"));
        f.alloc(p, 4, crate::AllocKind::Stack);
        let input = f.local("input");
        f.input(input);
        let maybe = f.is(input, 1);
        f.branch(maybe, |f| f.alloc(q, 4, crate::AllocKind::Stack), |_| {});
        f.call(leave, &[], None);
    });
    let main = b.define("main", |f| {
        f.start_all(&[worker]);
    });
    let result = inline_calls(&with_origins(b.finish(main)), &Options::default()).expect("it is small");
    let ends: Vec<usize> = result.procs[1]
        .edges
        .iter()
        .filter(|edge| edge.stmts.iter().any(|stmt| matches!(stmt.op, Op::ExitThread(_))))
        .map(|edge| edge.stmts.iter().filter(|stmt| matches!(stmt.op, Op::Free { .. })).count())
        .collect();
    assert_eq!(ends.len(), 2, "one of the objects may be there or not");
    assert_eq!(ends.iter().sum::<usize>(), 3);
}

/// Main makes two objects through a function, writes one and looks at the other; their size is a constant or an input.
fn made_by_a_function(is_computed: bool) -> Program {
    let mut b = Builder::new();
    let make = b.define("make", |f| {
        let word = Sort::Bv(64);
        f.returns(word);
        let (size, p) = (f.param("size", word), f.pointer("p"));
        let size = f.var(size);
        f.then(Op::Alloc { dst: p, size, kind: crate::AllocKind::Heap, zeroed: true, copy: 0 });
        let address = f.var(p);
        f.ret(Some(address));
    });
    let main = b.define("main", |f| {
        let (size, p, q, t) = (f.pointer("size"), f.pointer("p"), f.pointer("q"), f.local("t"));
        if is_computed {
            f.input(size);
        } else {
            let eight = f.word(8);
            f.assign(size, eight);
        }
        let size = f.var(size);
        f.call(make, &[size], Some(p));
        f.call(make, &[size], Some(q));
        let (one, place) = (f.int(1), f.deref(p));
        f.store_to(place, one, crate::Order::Plain);
        let other = f.deref(q);
        f.load_from(t, other, crate::Order::Plain);
        let ok = f.is(t, 0);
        f.check(ok);
    });
    b.finish(main)
}

fn n_memory_accesses_of(program: &Program) -> usize {
    all_stmts(program).filter(|op| matches!(memory::regions::place_of(op), Some(Place::Mem { .. }))).count()
}

#[test]
fn a_function_that_makes_objects_makes_one_for_each_call() {
    let properties = Properties::of(&[Property::Assertion]);
    let result = prepare(&made_by_a_function(false), properties, &Options::default()).expect("it is small");
    assert!(!all_stmts(&result).any(|op| matches!(op, Op::Alloc { .. })), "each is made once, so it is static");
    assert_eq!(n_memory_accesses_of(&result), 0);
}

#[test]
fn objects_of_unknown_size_become_arrays_unless_their_cells_are_asked_for() {
    let options = Options { arrays: true, ..Options::default() };
    for (property, n_left) in [(Property::Assertion, 0), (Property::Race, 2)] {
        let properties = Properties::of(&[Property::Deref, property]);
        let result = prepare(&made_by_a_function(true), properties, &options).expect("it is small");
        assert_eq!(n_memory_accesses_of(&result), n_left, "{property:?}");
        let n_checks = all_stmts(&result).filter(|op| matches!(op, Op::Check { kind: crate::CheckKind::Deref, .. }));
        assert_eq!(n_checks.count(), 2 - n_left, "each access of an array looks at the size");
    }
}

/// A procedure that calls itself twice: `f(0) = 1`, else `2 f(n - 1) + n`. Main checks what it claims of `f(depth)`.
fn doubling(depth: i64, claimed: i64) -> crate::Program {
    let mut b = Builder::new();
    let (main, double) = (b.proc("main"), b.proc("double"));
    b.body(double, |f| {
        f.returns(Sort::Bv(32));
        let n = f.param("n", Sort::Bv(32));
        let (first, second) = (f.local("first"), f.local("second"));
        let is_zero = f.is(n, 0);
        f.branch(
            is_zero,
            |f| {
                let one = f.int(1);
                f.ret(Some(one));
            },
            |f| {
                let below = f.plus(n, -1);
                f.call(double, &[below], Some(first));
                f.call(double, &[below], Some(second));
                let (first, second, n) = (f.var(first), f.var(second), f.var(n));
                let sum = f.pool().add(first, second);
                let sum = f.pool().add(sum, n);
                f.ret(Some(sum));
            },
        );
    });
    b.body(main, |f| {
        let (small, n, result) = (f.local_of("small", Sort::Bv(2)), f.local("n"), f.local("result"));
        f.input(small);
        let small = f.var(small);
        let wide = f.pool().zero_extend(small, 32);
        f.assign(n, wide);
        let is_depth = f.is(n, depth);
        f.assume(is_depth);
        let argument = f.var(n);
        f.call(double, &[argument], Some(result));
        let is_right = f.is(result, claimed);
        f.check(is_right);
    });
    b.finish(main)
}

#[test]
fn recursion_on_a_stack_means_the_same() {
    for (claimed, is_right) in [(19, true), (18, false)] {
        let program = doubling(3, claimed);
        let properties = Properties::of(&[Property::Assertion]);
        for recursion in [0, 8] {
            let options = Options { recursion, slices: false, ..Options::default() };
            let prepared = prepare(&program, properties, &options).expect("it is small");
            let limits = Limits { domain: Domain::Bits(2), first_only: true, ..Limits::default() };
            let found = enumerate(&prepared, properties, &limits);
            assert_eq!((found.violations.is_empty(), found.incomplete.is_none()), (is_right, true), "{recursion}");
            for trace in found.violations.values() {
                let task = crate::Task { program: program.clone(), properties };
                let spelled = spell_trace(&program, &prepared, trace);
                assert!(crate::replay(&task, &spelled).is_ok(), "{recursion}: {spelled:?}");
            }
        }
    }
}

#[test]
fn recursion_on_a_stack_does_not_grow_with_the_depth() {
    let size = |recursion| {
        let options = Options { recursion, ..Options::default() };
        let result = inline_calls(&with_origins(doubling(3, 19)), &options).expect("it is small");
        assert!(result.procs.iter().flat_map(|proc| &proc.edges).all(|edge| edge.origin.len() <= 1));
        result.procs.iter().map(|proc| proc.edges.len()).sum::<usize>()
    };
    assert!(size(0) < 30, "{}", size(0));
    assert!(size(8) > 1000, "{}", size(8));
}

/// `main` starts a thread in each round of a loop; how many rounds there are is known, or an input. Each thread checks that its handle is at most three.
fn numbered_workers(n_rounds: Option<i64>) -> Program {
    let mut b = Builder::new();
    let worker = b.define("worker", |f| {
        let (own, three) = (f.self_var(), f.word(3));
        let own = f.var(own);
        let is_small = f.pool().ule(own, three);
        f.check(is_small);
    });
    let main = b.define("main", |f| {
        let (i, n, handle) = (f.local("i"), f.local("n"), f.pointer("handle"));
        match n_rounds {
            Some(rounds) => {
                let rounds = f.int(rounds);
                f.assign(n, rounds);
            }
            None => f.input(n),
        }
        f.repeat(
            |f| {
                let (at, limit) = (f.var(i), f.var(n));
                f.pool().slt(at, limit)
            },
            |f| {
                f.start(handle, worker, &[]);
                let next = f.plus(i, 1);
                f.assign(i, next);
            },
        );
    });
    b.finish(main)
}

#[test]
fn what_holds_for_all_handles_is_decided() {
    // The round in which the loop is left counts, too: one thread more than there is.
    for (rounds, is_decided) in [(Some(1), true), (Some(2), false), (Some(5), false), (None, false)] {
        let program = propagate_constants(with_origins(numbered_workers(rounds)), true);
        let program = super::values::handles::decide_by_handles(program);
        let conds = all_stmts(&program).filter_map(|op| match op {
            Op::Check { cond, .. } => Some(*cond),
            _ => None,
        });
        let known: Vec<bool> = conds.map(|cond| program.pool.as_const(cond).is_some()).collect();
        assert_eq!(known, [is_decided], "{rounds:?}");
    }
}
