//! Do checks stop when they should, and leave nothing behind?

use std::time::{Duration, Instant};

use logic::{Pool, Sort, TermId};

use crate::{Answer, Backend, Cancel, Decision, Limits, Oracle, Solver, Why, resident_bytes};

/// Factors of a number that is the product of two primes, with the wrong ones excluded: no solution, and hard.
fn hard(pool: &mut Pool) -> TermId {
    let width = 44;
    let [x, y] = ["x", "y"].map(|name| {
        let var = pool.declare(name, Sort::Bv(width));
        pool.var(var)
    });
    let bound = pool.bv(width, 1 << 21);
    let (small_x, small_y) = (pool.ult(x, bound), pool.ult(y, bound));
    let product = pool.mul(x, y);
    // A prime.
    let number = pool.bv(width, 2_199_023_255_531);
    let one = pool.bv(width, 1);
    let parts = [pool.eq(product, number), pool.ne(x, one), pool.ne(y, one), small_x, small_y];
    pool.and_all(&parts)
}

#[test]
fn cancel_returns_at_once() {
    for backend in [Backend::Bits, Backend::Z3] {
        let mut pool = Pool::new();
        let formula = hard(&mut pool);
        let cancel = Cancel::default();
        let mut solver = Solver::new(backend);
        solver.set_limits(Limits { cancel: cancel.clone(), ..Limits::default() });
        solver.assert(&pool, formula);
        let canceller = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            cancel.cancel();
            Instant::now()
        });
        let decision = solver.decide(&pool, &[]);
        let returned = Instant::now();
        let cancelled = canceller.join().unwrap();
        assert_eq!(decision, Decision::Unknown(Why::Cancelled), "{backend:?}");
        let delay = returned.saturating_duration_since(cancelled);
        // On an idle machine this is below 20 ms; the bound leaves room for a busy one.
        assert!(delay < Duration::from_millis(100), "{backend:?} took {delay:?}");
        // The handle stays set, so later checks do not begin.
        assert_eq!(solver.decide(&pool, &[]), Decision::Unknown(Why::Cancelled));
    }
}

#[test]
fn a_solver_goes_on_after_running_out_of_time() {
    for backend in [Backend::Bits, Backend::Z3] {
        let mut pool = Pool::new();
        let formula = hard(&mut pool);
        let x = pool.declare("p", Sort::Bool);
        let x = pool.var(x);
        let mut solver = Solver::new(backend);
        solver.assert(&pool, x);
        solver.push();
        solver.assert(&pool, formula);
        solver.set_limits(Limits::time(Duration::from_millis(200)));
        let start = Instant::now();
        assert_eq!(solver.decide(&pool, &[]), Decision::Unknown(Why::Time), "{backend:?}");
        assert!(start.elapsed() < Duration::from_secs(2));
        solver.pop();
        solver.set_limits(Limits::default());
        assert!(matches!(solver.check(&pool, &[]), Answer::Sat(_)), "{backend:?}");
        let not_x = pool.not(x);
        assert!(matches!(solver.check(&pool, &[not_x]), Answer::Unsat(core) if core == [not_x]), "{backend:?}");
    }
}

#[test]
fn too_much_memory_is_unknown() {
    let Some(now) = resident_bytes() else { return };
    for backend in [Backend::Bits, Backend::Z3] {
        let mut pool = Pool::new();
        let formula = hard(&mut pool);
        let mut solver = Solver::new(backend);
        solver.set_limits(Limits { memory: Some(now / 2), ..Limits::default() });
        solver.assert(&pool, formula);
        assert_eq!(solver.decide(&pool, &[]), Decision::Unknown(Why::Memory), "{backend:?}");
    }
}

/// Small questions in a row: the memory of the process does not grow with their number.
fn growth(mut question: impl FnMut(u64), n: u64) -> Option<u64> {
    (0..n / 4).for_each(&mut question);
    let before = resident_bytes()?;
    (n / 4..n).for_each(&mut question);
    Some(resident_bytes()?.saturating_sub(before))
}

fn small_question(pool: &mut Pool, i: u64) -> TermId {
    let vars: Vec<TermId> = (0..2)
        .map(|k| {
            if pool.n_vars() <= k {
                pool.declare("x", Sort::Bv(16));
            }
            pool.var(logic::VarId(k as u32))
        })
        .collect();
    // Few enough different terms that the pool itself stays small.
    let (a, b) = (pool.bv(16, i % 37), pool.bv(16, i % 101));
    let sum = pool.add(vars[0], vars[1]);
    let (first, second) = (pool.ult(sum, a), pool.ult(vars[0], b));
    let third = pool.slt(vars[1], vars[0]);
    pool.and_all(&[first, second, third])
}

#[test]
fn bits_leak_nothing() {
    let mut pool = Pool::new();
    let mut solver = Solver::new(Backend::Bits);
    let question = |i| {
        let formula = small_question(&mut pool, i);
        solver.push();
        solver.assert(&pool, formula);
        assert!(!matches!(solver.decide(&pool, &[]), Decision::Unknown(_)));
        solver.pop();
    };
    if let Some(growth) = growth(question, 20_000) {
        assert!(growth < 8 << 20, "{growth} bytes more");
    }
}

#[test]
fn z3_leaks_nothing() {
    let mut pool = Pool::new();
    let mut solver = Solver::new(Backend::Z3);
    let question = |i| {
        let formula = small_question(&mut pool, i);
        solver.push();
        solver.assert(&pool, formula);
        assert!(!matches!(solver.decide(&pool, &[]), Decision::Unknown(_)));
        solver.pop();
    };
    if let Some(growth) = growth(question, 4_000) {
        assert!(growth < 16 << 20, "{growth} bytes more");
    }
}

#[test]
fn oracles_leak_nothing() {
    let mut pool = Pool::new();
    let mut oracle = Oracle::default();
    let question = |i| {
        let formula = small_question(&mut pool, i);
        assert!(oracle.is_sat(&pool, formula).is_ok());
    };
    if let Some(growth) = growth(question, 100_000) {
        assert!(growth < 8 << 20, "{growth} bytes more");
    }
}
