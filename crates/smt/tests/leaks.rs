//! Do long-lived solvers stay small?
//!
//! A process of its own with a single test, since the resident size is that of everything that runs in it.

use logic::{Pool, Sort, TermId};
use smt::{Backend, Decision, Oracle, Solver, resident_bytes};

/// Asks small questions in a row; by how many bytes the process grew while the last three quarters were asked.
fn growth(mut question: impl FnMut(u64), n: u64) -> u64 {
    (0..n / 4).for_each(&mut question);
    let before = resident_bytes().unwrap_or(0);
    (n / 4..n).for_each(&mut question);
    resident_bytes().unwrap_or(0).saturating_sub(before)
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

fn solver_growth(backend: Backend, n: u64) -> u64 {
    let mut pool = Pool::new();
    let mut solver = Solver::new(backend);
    let question = |i| {
        let formula = small_question(&mut pool, i);
        solver.push();
        solver.assert(&pool, formula);
        assert!(!matches!(solver.decide(&pool, &[]), Decision::Unknown(_)));
        solver.pop();
    };
    growth(question, n)
}

#[test]
fn memory_does_not_grow_with_questions() {
    let bits = solver_growth(Backend::Bits, 100_000);
    assert!(bits < 4 << 20, "bits: {bits} bytes more");
    let z3 = solver_growth(Backend::Z3, 4_000);
    assert!(z3 < 16 << 20, "Z3: {z3} bytes more");
    let mut pool = Pool::new();
    let mut oracle = Oracle::default();
    let question = |i| {
        let formula = small_question(&mut pool, i);
        assert!(oracle.is_sat(&pool, formula).is_ok());
    };
    let oracle = growth(question, 100_000);
    assert!(oracle < 4 << 20, "oracle: {oracle} bytes more");
}
