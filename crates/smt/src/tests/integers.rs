//! Is the view of bit-vectors as integers sound?

use std::time::Duration;

use logic::{Pool, TermId};

use super::random::{Kinds, Source};
use crate::{Bits, Decision, IntegerAnswer, Limits, check_integers, wrapping_solution};

/// Over random formulas: solutions are solutions, and where there is none, the conditions relied on really exclude all.
#[test]
fn integers_agree_with_bit_vectors() {
    let limits = Limits::time(Duration::from_secs(60));
    let mut n = [0, 0, 0, 0];
    for seed in 0..250 {
        let mut source = Source::narrow(seed + 40_000, if seed % 5 == 0 { Kinds::Decidable } else { Kinds::Bits });
        let mut pool = Pool::new();
        let formulas: Vec<TermId> = (0..3).map(|_| source.formula(&mut pool, 3)).collect();
        match check_integers(&mut pool, &formulas, &limits) {
            IntegerAnswer::Sat(assignment) => {
                n[0] += 1;
                assert!(formulas.iter().all(|&formula| assignment.satisfies(&pool, formula)), "seed {seed}");
            }
            IntegerAnswer::Unsat { relies_on } => {
                n[1] += 1;
                let mut bits = Bits::new();
                formulas.iter().chain(&relies_on).for_each(|&formula| bits.assert(&pool, formula));
                assert_eq!(bits.decide(&pool, &[]), Decision::Unsat, "seed {seed}");
                let mut bits = Bits::new();
                formulas.iter().for_each(|&formula| bits.assert(&pool, formula));
                let is_sat = bits.decide(&pool, &[]) == Decision::Sat;
                let wraps = wrapping_solution(&mut pool, &formulas, &relies_on, &limits).unwrap();
                assert_eq!(wraps.is_some(), is_sat, "seed {seed}");
                n[2] += usize::from(is_sat);
            }
            IntegerAnswer::Unknown(_) => n[3] += 1,
        }
    }
    assert!(n[0] > 20 && n[1] > 20 && n[2] > 0, "sat, unsat, only without wrap, unknown: {n:?}");
}
