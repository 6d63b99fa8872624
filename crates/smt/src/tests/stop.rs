//! Do checks stop when they should, and leave nothing behind?

use std::time::{Duration, Instant};

use logic::{Pool, Sort, TermId};

use crate::{Answer, Backend, Cancel, Decision, Limits, Solver, Why, resident_bytes};

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

/// How long after being cancelled a check of a hard formula returns.
fn delay_of_cancel(backend: Backend) -> Duration {
    let mut pool = Pool::new();
    let formula = hard(&mut pool);
    let cancel = Cancel::default();
    let mut solver = Solver::new(backend);
    solver.set_limits(Limits { cancel: cancel.clone(), ..Limits::default() });
    solver.assert(&pool, formula);
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        let cancelled = Instant::now();
        cancel.cancel();
        cancelled
    });
    let decision = solver.decide(&pool, &[]);
    let returned = Instant::now();
    let cancelled = canceller.join().unwrap();
    assert_eq!(decision, Decision::Unknown(Why::Cancelled), "{backend:?}");
    // The handle stays set, so later checks do not begin.
    assert_eq!(solver.decide(&pool, &[]), Decision::Unknown(Why::Cancelled));
    returned.saturating_duration_since(cancelled)
}

#[test]
fn cancel_returns_at_once() {
    for backend in [Backend::Bits, Backend::Z3] {
        // On an idle machine this is below 20 ms; a busy one may get it right at the second attempt.
        let delay = (0..3).map(|_| delay_of_cancel(backend)).min().unwrap();
        assert!(delay < Duration::from_millis(100), "{backend:?} took {delay:?}");
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

/// Z3 does not look at interrupts while it lays out the remainder of floats.
#[test]
fn floats_are_cancelled_too() {
    for backend in [Backend::Bits, Backend::Z3] {
        let mut pool = Pool::new();
        let [x, y] = ["x", "y"].map(|name| pool.declare(name, Sort::F32)).map(|var| pool.var(var));
        let remainder = pool.frem(x, y);
        let root = pool.fsqrt(remainder);
        let product = pool.fmul(root, root);
        let formula = pool.feq(product, remainder);
        let half = pool.constant(logic::Value::f32(0.1));
        let bound = pool.flt(half, remainder);
        let mut solver = Solver::new(backend);
        solver.set_limits(Limits::time(Duration::from_millis(300)));
        solver.assert(&pool, formula);
        solver.assert(&pool, bound);
        let start = Instant::now();
        let decision = solver.decide(&pool, &[]);
        let elapsed = start.elapsed();
        // Bits may have the answer by then.
        assert!(matches!(decision, Decision::Unknown(Why::Time) | Decision::Sat), "{backend:?}: {decision:?}");
        assert!(elapsed < Duration::from_secs(1), "{backend:?} took {elapsed:?}");
    }
}

/// A formula that does not fit: its clauses alone take more than is allowed.
#[test]
fn too_many_clauses_are_unknown() {
    let Some(now) = resident_bytes() else { return };
    let mut pool = Pool::new();
    let [x, y] = ["x", "y"].map(|name| pool.declare(name, Sort::Bv(512))).map(|var| pool.var(var));
    let product = pool.mul(x, y);
    let square = pool.mul(product, product);
    let formula = pool.ult(square, product);
    let mut solver = Solver::new(Backend::Bits);
    solver.set_limits(Limits { memory: Some(now + (30 << 20)), ..Limits::default() });
    solver.assert(&pool, formula);
    assert_eq!(solver.decide(&pool, &[]), Decision::Unknown(Why::Memory));
    assert!(resident_bytes().unwrap() < now + (400 << 20), "it noticed too late");
}
