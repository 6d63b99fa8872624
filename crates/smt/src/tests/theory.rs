//! Does a theory in the search decide the same as its encoding in formulas?

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use logic::{Pool, Sort, TermId};

use super::random::{Kinds, Source};
use crate::{Acyclic, Bits, Consequences, Decision, Lit, Theory};

/// A random graph of 200 possible edges, with random clauses over them.
struct Instance {
    pool: Pool,
    edges: Vec<(TermId, usize, usize)>,
    clauses: Vec<TermId>,
    n_nodes: usize,
}

fn instance(seed: u64) -> Instance {
    let mut source = Source::new(seed, Kinds::Bits);
    let mut pool = Pool::new();
    let n_nodes = 30;
    let edges: Vec<(TermId, usize, usize)> = (0..200)
        .map(|i| {
            let from = source.below(n_nodes) as usize;
            let to = (from + 1 + source.below(n_nodes - 1) as usize) % n_nodes as usize;
            let edge = pool.declare(&format!("e{i}"), Sort::Bool);
            (pool.var(edge), from, to)
        })
        .collect();
    let n_clauses = 110 + source.below(60);
    let clauses = (0..n_clauses)
        .map(|_| {
            let lits: Vec<TermId> = (0..2 + source.below(2))
                .map(|_| {
                    let (edge, _, _) = edges[source.below(200) as usize];
                    if source.chance(5) { pool.not(edge) } else { edge }
                })
                .collect();
            pool.or_all(&lits)
        })
        .collect();
    Instance { pool, edges, clauses, n_nodes: n_nodes as usize }
}

fn by_theory(instance: &Instance) -> (Decision, Option<Vec<bool>>) {
    let mut bits = Bits::new();
    let theory = Rc::new(RefCell::new(Acyclic::new(instance.n_nodes)));
    bits.attach(Box::new(Rc::clone(&theory)));
    for &(edge, from, to) in &instance.edges {
        let lit = bits.watch(&instance.pool, edge).unwrap();
        theory.borrow_mut().add_edge(lit, from, to);
    }
    instance.clauses.iter().for_each(|&clause| bits.assert(&instance.pool, clause));
    let decision = bits.decide(&instance.pool, &[]);
    let present = (decision == Decision::Sat).then(|| {
        let assignment = bits.assignment(&instance.pool);
        assert!(instance.clauses.iter().all(|&clause| assignment.satisfies(&instance.pool, clause)));
        instance.edges.iter().map(|&(edge, _, _)| assignment.satisfies(&instance.pool, edge)).collect()
    });
    (decision, present)
}

/// Every node has a number, and edges go to larger ones.
fn by_encoding(instance: &mut Instance) -> Decision {
    let mut bits = Bits::new();
    let pool = &mut instance.pool;
    let numbers: Vec<TermId> = (0..instance.n_nodes)
        .map(|i| {
            let number = pool.declare(&format!("n{i}"), Sort::Bv(5));
            pool.var(number)
        })
        .collect();
    for &(edge, from, to) in &instance.edges {
        let less = pool.ult(numbers[from], numbers[to]);
        let rule = pool.implies(edge, less);
        bits.assert(pool, rule);
    }
    instance.clauses.iter().for_each(|&clause| bits.assert(pool, clause));
    bits.decide(pool, &[])
}

fn is_acyclic(instance: &Instance, present: &[bool]) -> bool {
    let mut left: Vec<usize> = (0..instance.n_nodes).collect();
    loop {
        let before = left.len();
        let edges: Vec<(usize, usize)> = instance
            .edges
            .iter()
            .zip(present)
            .filter(|((_, from, to), present)| **present && left.contains(from) && left.contains(to))
            .map(|(&(_, from, to), _)| (from, to))
            .collect();
        left.retain(|node| edges.iter().any(|&(_, to)| to == *node));
        if left.is_empty() {
            return true;
        }
        if left.len() == before {
            return false;
        }
    }
}

#[test]
fn acyclicity_decides_like_its_encoding_and_faster() {
    let (mut n_sat, mut n_unsat) = (0, 0);
    let (mut theory_time, mut encoding_time) = (Duration::ZERO, Duration::ZERO);
    for seed in 0..40 {
        let mut instance = instance(seed);
        let start = Instant::now();
        let (decision, present) = by_theory(&instance);
        theory_time += start.elapsed();
        if let Some(present) = present {
            n_sat += 1;
            assert!(is_acyclic(&instance, &present), "seed {seed}");
        } else {
            n_unsat += 1;
        }
        let start = Instant::now();
        assert_eq!(by_encoding(&mut instance), decision, "seed {seed}");
        encoding_time += start.elapsed();
    }
    assert!(n_sat > 5 && n_unsat > 5, "{n_sat} with and {n_unsat} without solution");
    assert!(theory_time < encoding_time, "theory {theory_time:?}, encoding {encoding_time:?}");
}

struct Faulty;

impl Theory for Faulty {
    fn assign(&mut self, _: Lit, _: usize) {
        panic!("a bug in a theory");
    }
    fn backtrack(&mut self, _: usize) {}
    fn propagate(&mut self, _: &mut Consequences) {}
    fn explain(&mut self, _: Lit, _: &mut Vec<Lit>) {}
    fn check(&mut self, _: &mut Consequences) {}
}

#[test]
fn a_panic_in_a_theory_reaches_the_caller() {
    let mut pool = Pool::new();
    let x = pool.declare("x", Sort::Bool);
    let x = pool.var(x);
    let mut bits = Bits::new();
    bits.attach(Box::new(Faulty));
    bits.watch(&pool, x).unwrap();
    bits.assert(&pool, x);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| bits.decide(&pool, &[])));
    assert!(result.is_err());
    assert!(matches!(bits.decide(&pool, &[]), Decision::Unknown(_)));
}
