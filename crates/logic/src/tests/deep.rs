//! Terms nested far deeper than any call stack, and terms that share so much that their trees would fill the machine.

use crate::{Op, Pool, Scalar, Sort, TermId, Value, VarId, parse};

const DEPTH: usize = 100_000;

/// Each step of the builders below nests at least two levels.
const STEPS: usize = DEPTH / 2;

fn known(name: &str) -> Option<VarId> {
    name.strip_prefix('v').and_then(|digits| digits.parse().ok()).map(VarId)
}

fn check(pool: &mut Pool, term: TermId, env: &dyn Fn(VarId) -> Value) {
    let value = pool.evaluate(term, env);
    assert_eq!(value.sort(), pool.sort(term));
    assert!(pool.free_vars(term).contains(0));
    let text = pool.display(term).to_string();
    assert_eq!(parse(pool, &text, &mut known), Ok(term));
    let sort = pool.var_sort(VarId(0));
    let fresh = pool.declare("v_fresh", sort);
    let image = pool.var(fresh);
    let replaced = pool.substitute(term, &|var| (var == VarId(0)).then_some(image));
    assert!(pool.free_vars(replaced).contains(fresh.index()));
    assert_eq!(pool.evaluate(replaced, &|var| env(if var == fresh { VarId(0) } else { var })), value);
}

#[test]
fn depth_is_no_limit() {
    let builders: [fn(&mut Pool, TermId, TermId) -> TermId; 6] = [
        |pool, term, leaf| {
            let product = pool.mul(term, leaf);
            pool.add(product, leaf)
        },
        |pool, term, leaf| {
            let three = pool.bv(16, 3);
            let flipped = pool.bv_xor(term, three);
            let sum = pool.add(flipped, three);
            let less = pool.ult(leaf, sum);
            pool.ite(less, sum, leaf)
        },
        |pool, term, leaf| {
            let three = pool.bv(16, 3);
            let flipped = pool.bv_xor(term, three);
            let _ = leaf;
            pool.add(flipped, three)
        },
        |pool, term, leaf| {
            let low = pool.extract(term, 14, 0);
            let high = pool.extract(leaf, 0, 0);
            pool.concat(low, high)
        },
        |pool, term, leaf| {
            let negative = pool.neg(term);
            let shifted = pool.lshr(negative, leaf);
            pool.bv_not(shifted)
        },
        |pool, term, leaf| {
            let zero = pool.bv(16, 0);
            let choice = pool.eq(term, zero);
            pool.ite(choice, leaf, term)
        },
    ];
    for build in builders {
        let mut pool = Pool::new();
        let var = pool.declare("v0", Sort::Bv(16));
        let leaf = pool.var(var);
        let term = (0..STEPS).fold(leaf, |term, _| build(&mut pool, term, leaf));
        check(&mut pool, term, &|_| Value::bv(16, 12345));
        let zero = pool.bv(16, 0);
        let equation = pool.eq(term, zero);
        let env = |_: VarId| Value::bv(16, 12345);
        assert_eq!(pool.evaluate(equation, &env).as_bool(), pool.evaluate(term, &env) == Value::bv(16, 0));
    }
}

#[test]
fn deep_conditions_and_choices() {
    let mut pool = Pool::new();
    let first = pool.declare("v0", Sort::Bool);
    let first = pool.var(first);
    let mut condition = first;
    let ten = pool.bv(8, 10);
    let mut choice = ten;
    for i in 1..DEPTH {
        let var = pool.declare(&format!("v{i}"), Sort::Bool);
        let var = pool.var(var);
        let op = if i % 2 == 0 { Op::And } else { Op::Or };
        condition = pool.apply(op, &[condition, var]);
        let branch = pool.bv(8, (i % 5) as u64);
        choice = pool.ite(var, branch, choice);
    }
    let three = pool.bv(8, 3);
    let is_three = pool.eq(choice, three);
    let all = pool.implies(condition, is_three);
    check(&mut pool, all, &|var| Value::Bool(var.index() % 3 == 0));
}

#[test]
fn long_conjunctions_are_not_copied_at_each_step() {
    let mut pool = Pool::new();
    let mut path = pool.bool(true);
    for i in 0..20_000 {
        let var = pool.declare(&format!("v{i}"), Sort::Bool);
        let var = pool.var(var);
        path = pool.and(path, var);
    }
    assert_eq!(pool.free_vars(path).count_ones(..), 20_000);
    check(&mut pool, path, &|_| Value::Bool(true));
}

#[test]
fn writes_to_many_places_are_read_back() {
    let mut pool = Pool::new();
    let memory = pool.declare("v0", Sort::Array(Scalar::Bv(32), Scalar::Bv(8)));
    let mut array = pool.var(memory);
    for i in 0..5_000 {
        let (index, element) = (pool.bv(32, i), pool.bv(8, i % 7));
        array = pool.store(array, index, element);
    }
    let fourth = pool.bv(32, 4);
    let element = pool.select(array, fourth);
    assert_eq!(pool.as_const(element), Some(&Value::bv(8, 4)));
    check(&mut pool, array, &|_| Value::zero(Sort::Array(Scalar::Bv(32), Scalar::Bv(8))));
}

#[test]
fn sharing_keeps_text_and_walks_linear() {
    let mut pool = Pool::new();
    let var = pool.declare("v0", Sort::Bv(32));
    let mut term = pool.var(var);
    for _ in 0..200 {
        term = pool.mul(term, term);
    }
    assert_eq!(pool.size(term), 201);
    assert_eq!(pool.tree_size(term), u32::MAX);
    assert!(pool.display(term).to_string().len() < 10_000);
    check(&mut pool, term, &|_| Value::bv(32, 3));
}
