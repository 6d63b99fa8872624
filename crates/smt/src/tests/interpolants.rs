//! Are interpolants found for random infeasible paths, and do they mean something?

use std::time::Duration;

use logic::{Pool, Scalar, Sort, TermId};

use super::random::{Kinds, Source};
use crate::{
    Arithmetic, Direction, Limits, Method, NoInterpolants, Why, check_interpolants, interpolate, wrapping_solution,
};

/// A path through a random program over a few variables: assignments, inputs and conditions, in single assignment form.
struct Walk {
    width: u32,
    version: Vec<TermId>,
    flag: TermId,
}

impl Walk {
    fn new(pool: &mut Pool, source: &mut Source) -> Walk {
        let width = source.pick(&[4, 8, 16, 32]);
        let version = (0..3).map(|_| fresh(pool, Sort::Bv(width))).collect();
        Walk { width, version, flag: fresh(pool, Sort::Bool) }
    }

    fn operand(&self, pool: &mut Pool, source: &mut Source) -> TermId {
        if source.chance(3) { pool.bv(self.width, u64::from(source.below(6))) } else { source.pick(&self.version) }
    }

    fn condition(&self, pool: &mut Pool, source: &mut Source) -> TermId {
        let (a, b) = (self.operand(pool, source), self.operand(pool, source));
        let condition = match source.below(5) {
            0 => pool.eq(a, b),
            1 => pool.ult(a, b),
            2 => pool.slt(a, b),
            3 => pool.ne(a, b),
            _ => {
                let compared = pool.slt(a, b);
                pool.eq(self.flag, compared)
            }
        };
        if source.chance(4) { pool.or(condition, self.flag) } else { condition }
    }

    fn step(&mut self, pool: &mut Pool, source: &mut Source) -> TermId {
        let target = source.below(3) as usize;
        match source.below(8) {
            0..4 => {
                let (a, b) = (self.operand(pool, source), self.operand(pool, source));
                let value = match source.below(6) {
                    0..2 => pool.add(a, b),
                    2 => pool.sub(a, b),
                    3 => a,
                    4 => {
                        let condition = self.condition(pool, source);
                        pool.ite(condition, a, b)
                    }
                    _ => {
                        let two = pool.bv(self.width, 2);
                        pool.mul(a, two)
                    }
                };
                let new = fresh(pool, Sort::Bv(self.width));
                self.version[target] = new;
                pool.eq(new, value)
            }
            4 => {
                self.version[target] = fresh(pool, Sort::Bv(self.width));
                pool.bool(true)
            }
            5 => {
                let condition = self.condition(pool, source);
                let new = fresh(pool, Sort::Bool);
                self.flag = new;
                pool.eq(new, condition)
            }
            _ => self.condition(pool, source),
        }
    }
}

fn fresh(pool: &mut Pool, sort: Sort) -> TermId {
    let name = format!("v{}", pool.n_vars());
    let var = pool.declare(&name, sort);
    pool.var(var)
}

fn random_path(seed: u64) -> (Pool, Vec<TermId>) {
    let mut source = Source::new(seed, Kinds::Bits);
    let mut pool = Pool::new();
    let mut walk = Walk::new(&mut pool, &mut source);
    let n = 3 + source.below(8);
    let path = (0..n).map(|_| walk.step(&mut pool, &mut source)).collect();
    (pool, path)
}

/// Interpolates infeasible random paths until there were `n`; how many were found, and by which ways.
fn sweep(n: usize, method: Method, arithmetic: Arithmetic, first_seed: u64) -> (usize, usize) {
    let limits = Limits::time(Duration::from_secs(100));
    let (mut n_paths, mut n_found) = (0, 0);
    for seed in first_seed.. {
        let (mut pool, path) = random_path(seed);
        match interpolate(&mut pool, &path, method, arithmetic, &limits) {
            Err(NoInterpolants::Feasible(assignment)) => {
                assert!(path.iter().all(|&formula| assignment.satisfies(&pool, formula)), "seed {seed}");
                continue;
            }
            Err(NoInterpolants::Unknown(_)) => n_paths += 1,
            Ok(found) => {
                n_paths += 1;
                n_found += 1;
                let strengthened: Vec<TermId> = path
                    .iter()
                    .zip(&found.relies_on)
                    .map(|(&formula, conditions)| {
                        let conditions = pool.and_all(conditions);
                        pool.and(formula, conditions)
                    })
                    .collect();
                let checked = check_interpolants(&mut pool, &strengthened, &found.terms, &limits);
                assert_eq!(checked, Ok(()), "seed {seed}");
            }
        }
        if n_paths == n {
            break;
        }
    }
    (n_found, n_paths)
}

#[test]
fn nearly_all_of_a_thousand_random_paths_are_interpolated() {
    let (n_found, n_paths) = sweep(1000, Method::Any, Arithmetic::BitVectors, 0);
    assert!(n_found * 100 >= n_paths * 98, "{n_found} of {n_paths}");
}

#[test]
fn each_way_works_on_its_own() {
    let (found, paths) = sweep(200, Method::Newton(Direction::Backward), Arithmetic::BitVectors, 50_000);
    assert!(found * 100 >= paths * 95, "backward: {found} of {paths}");
    let (found, paths) = sweep(200, Method::Newton(Direction::Forward), Arithmetic::BitVectors, 50_000);
    assert!(found * 100 >= paths * 80, "forward: {found} of {paths}");
    let (found, paths) = sweep(15, Method::Horn, Arithmetic::BitVectors, 60_000);
    assert!(found * 100 >= paths * 80, "Spacer: {found} of {paths}");
}

#[test]
fn integers_are_interpolated() {
    let (found, paths) = sweep(60, Method::Newton(Direction::Backward), Arithmetic::Integers, 70_000);
    assert!(found * 100 >= paths * 80, "backward: {found} of {paths}");
    let (found, paths) = sweep(15, Method::Horn, Arithmetic::Integers, 80_000);
    assert!(found * 100 >= paths * 70, "Spacer: {found} of {paths}");
}

/// `x = 0; y = 0; x++; y++; x++; y++; x != y`: the interpolants must not count.
#[test]
fn a_loop_is_understood() {
    let limits = Limits::default();
    let mut pool = Pool::new();
    let mut version: Vec<TermId> = (0..2).map(|_| fresh(&mut pool, Sort::Bv(32))).collect();
    let (zero, one) = (pool.bv(32, 0), pool.bv(32, 1));
    let both = [pool.eq(version[0], zero), pool.eq(version[1], zero)];
    let mut path = vec![pool.and_all(&both)];
    let mut states = Vec::new();
    for _ in 0..3 {
        states.push((version[0], version[1]));
        for current in &mut version {
            let new = fresh(&mut pool, Sort::Bv(32));
            let next = pool.add(*current, one);
            path.push(pool.eq(new, next));
            *current = new;
        }
    }
    path.push(pool.ne(version[0], version[1]));
    for method in [Method::Newton(Direction::Backward), Method::Horn] {
        let found = interpolate(&mut pool, &path, method, Arithmetic::BitVectors, &limits).unwrap();
        for (i, &(x, y)) in states.iter().enumerate().skip(1) {
            let same = pool.eq(x, y);
            let term = found.terms[2 * i];
            let mut oracle = crate::Oracle::default();
            let is_general = oracle.implies(&mut pool, same, term);
            assert_eq!(is_general, Ok(true), "{method:?}: {}", pool.display(term));
        }
    }
}

/// `b = a with 5 at i; b[i] == 6`: Spacer, which may crash on arrays, is not asked.
#[test]
fn spacer_is_not_asked_about_arrays() {
    let mut pool = Pool::new();
    let sort = Sort::Array(Scalar::Bv(8), Scalar::Bv(8));
    let [a, b] = [(); 2].map(|()| fresh(&mut pool, sort));
    let (i, five, six) = (fresh(&mut pool, Sort::Bv(8)), pool.bv(8, 5), pool.bv(8, 6));
    let written = pool.store(a, i, five);
    let read = pool.select(b, i);
    let path = [pool.eq(b, written), pool.eq(read, six)];
    let mut ask = |method| {
        interpolate(&mut pool, &path, method, Arithmetic::BitVectors, &Limits::default()).map(|found| found.method)
    };
    assert!(matches!(ask(Method::Horn), Err(NoInterpolants::Unknown(Why::Incomplete(_)))));
    assert_eq!(ask(Method::Any), Ok(Method::Newton(Direction::Backward)));
}

/// `n` more than `x`, and `x` more than `n - 1`: a contradiction only of integers that do not wrap.
#[test]
fn what_depends_on_no_wrap_says_so() {
    let limits = Limits::default();
    let mut pool = Pool::new();
    let (x, y) = (fresh(&mut pool, Sort::Bv(32)), fresh(&mut pool, Sort::Bv(32)));
    let one = pool.bv(32, 1);
    let next = pool.add(x, one);
    let path = [pool.eq(y, next), pool.slt(y, x)];
    let feasible = interpolate(&mut pool, &path, Method::Any, Arithmetic::BitVectors, &limits);
    assert!(matches!(feasible, Err(NoInterpolants::Feasible(_))));
    let found = interpolate(&mut pool, &path, Method::Any, Arithmetic::Integers, &limits).unwrap();
    let relies_on: Vec<TermId> = found.relies_on.concat();
    assert_eq!(relies_on.len(), 1);
    let wraps = wrapping_solution(&mut pool, &path, &relies_on, &limits).unwrap().expect("the sum can wrap");
    assert!(path.iter().all(|&formula| wraps.satisfies(&pool, formula)));
    // With a bound on x it cannot wrap, and nothing is relied on any more.
    let bound = pool.bv(32, 100);
    let path = [pool.slt(x, bound), path[0], path[1]];
    let found = interpolate(&mut pool, &path, Method::Any, Arithmetic::Integers, &limits).unwrap();
    let relies_on: Vec<TermId> = found.relies_on.concat();
    assert_eq!(wrapping_solution(&mut pool, &path, &relies_on, &limits), Ok(None));
}
