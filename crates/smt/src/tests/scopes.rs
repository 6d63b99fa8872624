//! Does a solver that has lived through many scopes still answer like a new one?

use logic::{Pool, TermId};

use super::random::{Kinds, Source};
use crate::{Answer, Backend, Bits, Solver};

/// Opens and closes scopes, asserts and checks at random; every answer is compared with that of a new solver.
fn live(seed: u64, kinds: Kinds, backend: Backend) -> [usize; 2] {
    let mut source = Source::narrow(seed, kinds);
    let mut pool = Pool::new();
    let mut solver = Solver::new(backend);
    let mut scopes: Vec<Vec<TermId>> = vec![Vec::new()];
    let mut n = [0, 0];
    for _ in 0..24 {
        match source.below(8) {
            0 | 1 => {
                solver.push();
                scopes.push(Vec::new());
            }
            2 if scopes.len() > 1 => {
                solver.pop();
                scopes.pop();
            }
            3..6 => {
                let formula = equation_or_formula(&mut source, &mut pool);
                solver.assert(&pool, formula);
                scopes.last_mut().unwrap().push(formula);
            }
            _ => {
                let assumptions: Vec<TermId> = (0..source.below(3)).map(|_| source.formula(&mut pool, 2)).collect();
                let asserted: Vec<TermId> = scopes.concat();
                let answer = solver.check(&pool, &assumptions);
                let mut fresh = Bits::new();
                asserted.iter().for_each(|&formula| fresh.assert(&pool, formula));
                let is_sat = match &answer {
                    Answer::Sat(assignment) => {
                        let mut all = asserted.iter().chain(&assumptions);
                        assert!(all.all(|&formula| assignment.satisfies(&pool, formula)), "seed {seed}");
                        assumptions.iter().for_each(|&formula| fresh.assert(&pool, formula));
                        true
                    }
                    Answer::Unsat(core) => {
                        assert!(core.iter().all(|term| assumptions.contains(term)), "seed {seed}");
                        core.iter().for_each(|&formula| fresh.assert(&pool, formula));
                        false
                    }
                    Answer::Unknown(_) => continue,
                };
                match fresh.check(&pool, &[]) {
                    Answer::Unknown(_) => continue,
                    other => assert_eq!(other.is_sat(), is_sat, "seed {seed}"),
                }
                n[usize::from(is_sat)] += 1;
            }
        }
    }
    n
}

/// Often an equation of a variable, which may become a definition.
fn equation_or_formula(source: &mut Source, pool: &mut Pool) -> TermId {
    if source.chance(2) {
        return source.formula(pool, 2);
    }
    let sort = source.sort();
    let (left, right) = (source.term(pool, sort, 0), source.term(pool, sort, 2));
    pool.eq(left, right)
}

#[test]
fn scopes_leave_nothing_behind() {
    let mut n = [0, 0];
    for seed in 0..300 {
        let kinds = [Kinds::Bits, Kinds::Arrays, Kinds::Arrays][seed as usize % 3];
        let [unsat, sat] = live(seed + 90_000, kinds, Backend::Bits);
        n = [n[0] + unsat, n[1] + sat];
    }
    assert!(n[0] > 100 && n[1] > 100, "unsat, sat: {n:?}");
    for seed in 0..25 {
        live(seed + 95_000, Kinds::Bits, Backend::Z3);
    }
}
