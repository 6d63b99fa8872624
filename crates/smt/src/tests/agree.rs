//! Do the back ends agree with evaluation, and with each other?

use super::random::{Kinds, Source};
use crate::{Answer, Assignment, Backend, Bits, Limits, Solver, Why, Z3};
use std::time::Duration;

use logic::{Op, Pool, Scalar, Sort, TermId, Value, VarId};

/// Fixes the variables of a term to random values and asks whether the term can have, and can avoid, the value that
/// evaluation yields. With `fold`, the values are asserted and flow through the circuit as constants; without, they are
/// assumed, so that the SAT solver computes the term.
fn check_value(solver: &mut Solver, pool: &mut Pool, source: &mut Source, term: TermId, fold: bool) -> Result<(), Why> {
    let vars: Vec<VarId> = pool.free_vars(term).ones().map(|var| VarId(var as u32)).collect();
    let mut fixed = Assignment::new();
    let mut equations = Vec::new();
    for var in vars {
        let value = source.value(pool.var_sort(var));
        fixed.set(var, value.clone());
        let (name, value) = (pool.var(var), pool.constant(value));
        equations.push(pool.eq(name, value));
    }
    let value = fixed.evaluate(pool, term);
    let constant = pool.constant(value.clone());
    let equal = pool.eq(term, constant);
    let differs = pool.not(equal);
    let show = |pool: &Pool, fixed: &Assignment| {
        let values: Vec<String> =
            fixed.vars().iter().map(|&var| format!("{} = {}", pool.var_name(var), fixed.get(var).unwrap())).collect();
        format!("{} is {value} where {values:?}", pool.display(term))
    };
    solver.push();
    let mut assumptions = Vec::new();
    if fold {
        equations.iter().for_each(|&equation| solver.assert(pool, equation));
    } else {
        assumptions = equations;
    }
    solver.push();
    solver.assert(pool, differs);
    let never = solver.check(pool, &assumptions);
    solver.pop();
    solver.assert(pool, equal);
    let always = solver.check(pool, &assumptions);
    solver.pop();
    match never {
        Answer::Unsat(_) => {}
        Answer::Unknown(why) => return Err(why),
        Answer::Sat(_) => panic!("{} but {never:?}", show(pool, &fixed)),
    }
    match always {
        Answer::Sat(assignment) => {
            for var in fixed.vars() {
                assert_eq!(assignment.value(pool, var), fixed.value(pool, var), "{}", show(pool, &fixed));
            }
            Ok(())
        }
        Answer::Unknown(why) => Err(why),
        Answer::Unsat(_) => panic!("{} but {always:?}", show(pool, &fixed)),
    }
}

/// The same with a new solver.
fn check_bits(pool: &mut Pool, source: &mut Source, term: TermId, fold: bool) {
    check_value(&mut Solver::new(Backend::Bits), pool, source, term, fold).expect("bits decide without limits");
}

/// Z3 takes long over products and floats whose operands it is not given as constants.
#[test]
fn z3_computes_what_evaluation_does() {
    let mut n_unknown = 0;
    for seed in 0..300 {
        let kinds = [Kinds::Bits, Kinds::Arrays, Kinds::Decidable][seed as usize % 3];
        let mut source = Source::new(seed, kinds);
        let mut pool = Pool::new();
        let sort = source.sort();
        let depth = 1 + source.below(6);
        let term = source.term(&mut pool, sort, depth);
        let mut solver = Solver::new(Backend::Z3);
        solver.set_limits(Limits::time(Duration::from_secs(2)));
        let checked =
            check_value(&mut solver, &mut pool, &mut source, term, kinds == Kinds::Decidable || seed % 4 != 0);
        n_unknown += usize::from(checked.is_err());
    }
    assert!(n_unknown < 10, "{n_unknown} of 300 were not decided");
}

/// Random formulas have solutions in both back ends or in none.
#[test]
fn back_ends_agree() {
    let mut n = [0, 0, 0];
    for seed in 0..600 {
        let mut source = Source::narrow(seed + 20_000, [Kinds::Bits, Kinds::Arrays][seed as usize % 2]);
        let mut pool = Pool::new();
        let formulas: Vec<TermId> = (0..4).map(|_| source.formula(&mut pool, 3)).collect();
        let answers = [Backend::Bits, Backend::Z3].map(|backend| {
            let mut solver = Solver::new(backend);
            solver.set_limits(Limits::time(Duration::from_secs(60)));
            solver.assert(&pool, formulas[0]);
            solver.check(&pool, &formulas[1..])
        });
        let [a, b] = &answers;
        match (a, b) {
            (Answer::Unknown(_), _) | (_, Answer::Unknown(_)) => n[2] += 1,
            (Answer::Sat(_), Answer::Sat(_)) => n[0] += 1,
            (Answer::Unsat(_), Answer::Unsat(_)) => n[1] += 1,
            _ => panic!("seed {seed}: {a:?} and {b:?} for {formulas:?}"),
        }
        for answer in answers {
            match answer {
                Answer::Sat(assignment) => {
                    assert!(formulas.iter().all(|&formula| assignment.satisfies(&pool, formula)), "seed {seed}");
                }
                Answer::Unsat(core) => {
                    let mut solver = Solver::new(Backend::Bits);
                    solver.assert(&pool, formulas[0]);
                    core.iter().for_each(|&formula| solver.assert(&pool, formula));
                    assert!(core.iter().all(|term| formulas[1..].contains(term)), "seed {seed}");
                    assert!(solver.check(&pool, &[]).is_unsat(), "seed {seed}: not a core");
                }
                Answer::Unknown(_) => {}
            }
        }
    }
    assert!(n[0] > 100 && n[1] > 30 && n[2] < 30, "sat, unsat, unknown: {n:?}");
}

#[test]
fn bits_compute_what_evaluation_does() {
    for seed in 0..1000 {
        let kinds = [Kinds::Bits, Kinds::Arrays, Kinds::Decidable][seed as usize % 3];
        let mut source = Source::new(seed, kinds);
        let mut pool = Pool::new();
        let sort = source.sort();
        let depth = 1 + source.below(6);
        let term = source.term(&mut pool, sort, depth);
        check_bits(&mut pool, &mut source, term, seed % 2 == 0);
    }
}

/// Every operator on its own, on many operands.
#[test]
fn bits_compute_each_float_operator() {
    for (i, sort) in [Sort::F32, Sort::F64].into_iter().enumerate() {
        let mut source = Source::new(77 + i as u64, Kinds::Decidable);
        let to = sort.float().unwrap();
        let other = if sort == Sort::F32 { Sort::F64 } else { Sort::F32 };
        let ops: Vec<(Op, Vec<Sort>)> = vec![
            (Op::FAdd, vec![sort; 2]),
            (Op::FSub, vec![sort; 2]),
            (Op::FMul, vec![sort; 2]),
            (Op::FDiv, vec![sort; 2]),
            (Op::FSqrt, vec![sort]),
            (Op::FNeg, vec![sort]),
            (Op::FEq, vec![sort; 2]),
            (Op::FLt, vec![sort; 2]),
            (Op::FLe, vec![sort; 2]),
            (Op::FloatToFloat(to), vec![other]),
            (Op::SbvToFloat(to), vec![Sort::Bv(64)]),
            (Op::UbvToFloat(to), vec![Sort::Bv(70)]),
            (Op::SbvToFloat(to), vec![Sort::Bv(5)]),
            (Op::FloatToSbv(32), vec![sort]),
            (Op::FloatToUbv(32), vec![sort]),
            (Op::FloatToSbv(3), vec![sort]),
            (Op::FloatToUbv(1), vec![sort]),
        ];
        for (op, sorts) in ops {
            let mut pool = Pool::new();
            let args: Vec<TermId> = sorts
                .iter()
                .map(|&sort| {
                    let var = pool.declare("x", sort);
                    pool.var(var)
                })
                .collect();
            let term = pool.apply(op, &args);
            for _ in 0..60 {
                check_bits(&mut pool, &mut source, term, true);
            }
            for _ in 0..3 {
                check_bits(&mut pool, &mut source, term, false);
            }
        }
    }
}

#[test]
fn bits_compute_remainders_of_floats() {
    for (sort, rounds) in [(Sort::F32, 60), (Sort::F64, 8)] {
        let mut source = Source::new(5, Kinds::Decidable);
        let mut pool = Pool::new();
        let vars = [pool.declare("x", sort), pool.declare("y", sort)];
        let [x, y] = vars.map(|var| pool.var(var));
        let term = pool.frem(x, y);
        for _ in 0..rounds {
            check_bits(&mut pool, &mut source, term, true);
        }
    }
}

#[test]
fn solutions_hold() {
    let mut n_sat = 0;
    for seed in 0..400 {
        let mut source = Source::narrow(seed + 10_000, [Kinds::Bits, Kinds::Arrays][seed as usize % 2]);
        let mut pool = Pool::new();
        let mut bits = Bits::new();
        let formulas: Vec<TermId> = (0..3).map(|_| source.formula(&mut pool, 3)).collect();
        for &formula in &formulas {
            bits.assert(&pool, formula);
        }
        if let Answer::Sat(assignment) = bits.check(&pool, &[]) {
            n_sat += 1;
            for &formula in &formulas {
                assert!(assignment.satisfies(&pool, formula), "seed {seed}: {}", pool.display(formula));
            }
        }
    }
    assert!(n_sat > 100, "only {n_sat} of 400 formulas had solutions");
}

#[test]
fn values_are_read_back() {
    let mut pool = Pool::new();
    let x = pool.declare("x", Sort::Bv(8));
    let (x_term, five) = (pool.var(x), pool.bv(8, 5));
    let product = pool.mul(x_term, x_term);
    let square = pool.bv(8, 25);
    let mut bits = Bits::new();
    let first = pool.eq(product, square);
    let second = pool.ult(five, x_term);
    bits.assert(&pool, first);
    bits.assert(&pool, second);
    let Answer::Sat(assignment) = bits.check(&pool, &[]) else { panic!("there are solutions") };
    let value = assignment.get(x).unwrap().as_bv().as_u64();
    assert!(value > 5 && value * value % 256 == 25);
    assert_eq!(assignment.evaluate(&pool, product), Value::bv(8, 25));
}

/// What an inner scope defines must not creep into comparisons of arrays that an outer scope made.
#[test]
fn closed_scopes_leave_nothing_in_arrays() {
    let mut pool = Pool::new();
    let sort = Sort::Array(Scalar::Bv(8), Scalar::Bv(8));
    let [a, b] = ["a", "b"].map(|name| pool.declare(name, sort)).map(|var| pool.var(var));
    let [i, x] = ["i", "x"].map(|name| pool.declare(name, Sort::Bv(8))).map(|var| pool.var(var));
    let p = pool.declare("p", Sort::Bool);
    let p = pool.var(p);
    let (zero, one, two) = (pool.bv(8, 0), pool.bv(8, 1), pool.bv(8, 2));
    let written = pool.store(b, i, x);
    let same = pool.eq(a, written);
    let either = pool.or(p, same);
    let mut bits = Bits::new();
    bits.assert(&pool, either);
    bits.push();
    let (i_is_zero, x_is_one) = (pool.eq(i, zero), pool.eq(x, one));
    bits.assert(&pool, i_is_zero);
    bits.assert(&pool, x_is_one);
    let not_p = pool.not(p);
    assert!(bits.check(&pool, &[not_p]).is_sat());
    bits.pop();
    // Elsewhere: the write is at one and of a two.
    let (i_is_one, x_is_two) = (pool.eq(i, one), pool.eq(x, two));
    let (at_zero, at_one) = (pool.select(a, zero), pool.select(a, one));
    let (first, second) = (pool.eq(at_zero, zero), pool.eq(at_one, two));
    let assumptions = [not_p, i_is_one, x_is_two, first, second];
    let Answer::Sat(assignment) = bits.check(&pool, &assumptions) else { panic!("there is a solution") };
    assert!(assumptions.iter().all(|&formula| assignment.satisfies(&pool, formula)));
    assert!(assignment.satisfies(&pool, either));
}

/// A function is an array that is only read: equal arguments have equal values, also of two arguments.
#[test]
fn arrays_are_uninterpreted_functions() {
    for backend in [Backend::Bits, Backend::Z3] {
        let mut pool = Pool::new();
        let f = pool.declare("f", Sort::Array(Scalar::Bv(64), Scalar::Bv(8)));
        let f = pool.var(f);
        let [a, b, c] = ["a", "b", "c"].map(|name| pool.declare(name, Sort::Bv(32))).map(|var| pool.var(var));
        let mut apply = |x, y| {
            let both = pool.concat(x, y);
            pool.select(f, both)
        };
        let (left, right) = (apply(a, c), apply(b, c));
        let (same, differ) = (pool.eq(a, b), pool.ne(left, right));
        let mut solver = Solver::new(backend);
        solver.assert(&pool, differ);
        assert!(solver.check(&pool, &[]).is_sat());
        assert!(solver.check(&pool, &[same]).is_unsat());
    }
}

#[test]
fn z3_takes_quantifiers() {
    let mut pool = Pool::new();
    let [x, least] = ["x", "least"].map(|name| pool.declare(name, Sort::Bv(8)));
    let (x_term, least_term) = (pool.var(x), pool.var(least));
    let at_most = pool.ule(least_term, x_term);
    let mut z3 = Z3::new();
    z3.assert_for_all(&pool, &[x], at_most);
    let Answer::Sat(assignment) = z3.check(&pool, &[]) else { panic!("zero is the least") };
    assert_eq!(assignment.value(&pool, least), Value::bv(8, 0));
    let zero = pool.bv(8, 0);
    let positive = pool.ult(zero, least_term);
    assert!(z3.check(&pool, &[positive]).is_unsat());
}
