//! Does a theory in the search decide the same as its encoding in formulas?

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use logic::{Pool, Sort, TermId};

use super::random::{Kinds, Source};
use crate::{Acyclic, Answer, Bits, Consequences, Decision, Lit, Theory};

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
    let n_clauses = 200 + source.below(120);
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
    encode(instance, &mut bits);
    instance.clauses.iter().for_each(|&clause| bits.assert(&instance.pool, clause));
    bits.decide(&instance.pool, &[])
}

fn encode(instance: &mut Instance, bits: &mut Bits) {
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

/// One solver with the theory and one with its encoding, asked again and again under assumptions.
#[test]
fn acyclicity_stays_right_under_assumptions() {
    let mut n = [0, 0];
    for seed in 0..12 {
        let mut instance = instance(500 + seed);
        instance.clauses.truncate(190);
        let mut source = Source::new(seed, Kinds::Bits);
        let mut bits = Bits::new();
        let theory = Rc::new(RefCell::new(Acyclic::new(instance.n_nodes)));
        bits.attach(Box::new(Rc::clone(&theory)));
        for &(edge, from, to) in &instance.edges {
            let lit = bits.watch(&instance.pool, edge).unwrap();
            theory.borrow_mut().add_edge(lit, from, to);
        }
        let mut encoded = Bits::new();
        encode(&mut instance, &mut encoded);
        for round in 0..8 {
            // Clauses come in portions, the first ones before the first check.
            for &clause in instance.clauses.iter().skip(24 * round).take(24) {
                bits.assert(&instance.pool, clause);
                encoded.assert(&instance.pool, clause);
            }
            let assumptions: Vec<TermId> = (0..10 + source.below(25))
                .map(|_| {
                    let (edge, _, _) = instance.edges[source.below(200) as usize];
                    if source.chance(4) { instance.pool.not(edge) } else { edge }
                })
                .collect();
            let answer = bits.check(&instance.pool, &assumptions);
            match &answer {
                Answer::Sat(assignment) => {
                    let present: Vec<bool> =
                        instance.edges.iter().map(|&(edge, _, _)| assignment.satisfies(&instance.pool, edge)).collect();
                    assert!(is_acyclic(&instance, &present), "seed {seed}");
                    assert!(encoded.check(&instance.pool, &assumptions).is_sat(), "seed {seed}");
                }
                Answer::Unsat(core) => assert!(encoded.check(&instance.pool, core).is_unsat(), "seed {seed}"),
                Answer::Unknown(why) => panic!("{why}"),
            }
            n[usize::from(answer.is_sat())] += 1;
        }
    }
    assert!(n[0] > 10 && n[1] > 10, "unsat, sat: {n:?}");
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

/// Literals and clauses without terms, beside formulas: at most one of many, by a theory's word.
#[test]
fn literals_do_without_terms() {
    let mut pool = Pool::new();
    let x = pool.declare("x", Sort::Bv(8));
    let x = pool.var(x);
    let (two, nine) = (pool.bv(8, 2), pool.bv(8, 9));
    let (small, large) = (pool.ult(x, two), pool.ult(nine, x));
    let mut bits = Bits::new();
    let [p, q] = [bits.lit(&pool, small).unwrap(), bits.lit(&pool, large).unwrap()];
    let [a, b] = [bits.fresh_lit(), bits.fresh_lit()];
    bits.add_clause(&[p, q]);
    bits.add_clause(&[!p, a]);
    bits.add_clause(&[!q, b]);
    bits.prefer(!a);
    assert_eq!(bits.decide_with(&pool, &[], &[!a]), Decision::Sat);
    assert!(bits.lit_value(q) && bits.lit_value(b) && !bits.lit_value(a));
    assert!(bits.assignment(&pool).satisfies(&pool, large));
    assert_eq!(bits.decide_with(&pool, &[small], &[b, !a]), Decision::Unsat);
    assert!(bits.lit_failed(!a) && !bits.lit_failed(b));
    assert_eq!(bits.core(), [small]);
    assert!(bits.statistics().variables > 4 && bits.statistics().clauses > 3);
}

/// Watches literals that have been through a check, speaks up only in the end, and decides.
struct AllDiffer {
    lits: Vec<Lit>,
    is_true: Vec<bool>,
    trail: Vec<(usize, usize)>,
    n_decisions: usize,
}

impl Theory for AllDiffer {
    fn assign(&mut self, lit: Lit, level: usize) {
        let place = self.lits.iter().position(|other| other.var() == lit.var()).unwrap();
        assert!(self.trail.iter().all(|&(other, _)| other != place), "assigned twice");
        self.is_true[place] = self.lits[place] == lit;
        self.trail.push((place, level));
    }
    fn backtrack(&mut self, level: usize) {
        self.trail.retain(|&(_, other)| other <= level);
    }
    fn propagate(&mut self, _: &mut Consequences) {}
    fn explain(&mut self, _: Lit, _: &mut Vec<Lit>) {
        unreachable!("nothing was implied");
    }
    fn check(&mut self, consequences: &mut Consequences) {
        assert_eq!(self.trail.len(), self.lits.len());
        let present: Vec<Lit> = (0..self.lits.len()).filter(|&i| self.is_true[i]).map(|i| !self.lits[i]).collect();
        if present.len() > 1 {
            consequences.add_clause([present[0], present[1]]);
        }
    }
    fn decide(&mut self) -> Option<Lit> {
        self.n_decisions += 1;
        let is_open = |place: &usize| self.trail.iter().all(|(other, _)| other != place);
        (0..self.lits.len()).find(is_open).map(|place| self.lits[place])
    }
}

#[test]
fn a_theory_may_come_late_and_decide() {
    let mut pool = Pool::new();
    let vars: Vec<TermId> = (0..8)
        .map(|i| {
            let var = pool.declare(&format!("x{i}"), Sort::Bool);
            pool.var(var)
        })
        .collect();
    let some = pool.or_all(&vars);
    let mut bits = Bits::new();
    bits.assert(&pool, some);
    assert_eq!(bits.decide(&pool, &[]), Decision::Sat);
    let lits = Vec::new();
    let theory = Rc::new(RefCell::new(AllDiffer { lits, is_true: vec![false; 8], trail: Vec::new(), n_decisions: 0 }));
    bits.attach(Box::new(Rc::clone(&theory)));
    for &var in &vars {
        let lit = bits.watch(&pool, var).unwrap();
        theory.borrow_mut().lits.push(lit);
    }
    let Answer::Sat(assignment) = bits.check(&pool, &[]) else { panic!("one of them may hold") };
    assert_eq!(vars.iter().filter(|&&var| assignment.satisfies(&pool, var)).count(), 1);
    assert!(theory.borrow().n_decisions > 0);
    assert!(bits.check(&pool, &[vars[2], vars[5]]).is_unsat());
    assert!(bits.check(&pool, &[vars[2]]).is_sat());
}
