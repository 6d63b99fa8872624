//! Tests of the crate as a whole: meaning is kept by building, printing, parsing and substituting.

mod bitvec;
mod deep;
mod floats;
mod random;
mod rules;

use proptest::prelude::*;

use crate::{ArrayValue, Pool, Scalar, Sort, Value, VarId, parse};
use random::Source;

fn by_number(name: &str) -> Option<VarId> {
    name.strip_prefix('v').and_then(|digits| digits.parse().ok()).map(VarId)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn building_keeps_the_meaning(seed: u64, depth in 1u32..=6) {
        let mut source = Source::new(seed);
        let mut pool = Pool::new();
        let sort = source.sort();
        let tree = source.tree(&mut pool, sort, depth);
        let term = tree.build(&mut pool);
        prop_assert_eq!(pool.sort(term), sort);
        for _ in 0..8 {
            let values: Vec<Value> =
                (0..pool.n_vars()).map(|i| source.value(pool.var_sort(VarId(i as u32)))).collect();
            let env = |var: VarId| values[var.index()].clone();
            prop_assert_eq!(pool.evaluate(term, &env), tree.eval(&env), "{:?} as {}", tree, pool.display(term));
        }
    }

    #[test]
    fn text_and_parts_give_back_the_same_term(seed: u64, depth in 1u32..=6) {
        let mut source = Source::new(seed);
        let mut pool = Pool::new();
        let sort = source.sort();
        let term = source.tree(&mut pool, sort, depth).build(&mut pool);
        let text = pool.display(term).to_string();
        prop_assert_eq!(parse(&mut pool, &text, &mut by_number), Ok(term), "{}", text);
        for subterm in pool.post_order(term) {
            if let crate::Node::App { op, args } = pool.node(subterm).clone() {
                prop_assert_eq!(pool.apply(op, &args), subterm, "{}", pool.display(subterm));
            }
        }
    }

    #[test]
    fn substitution_commutes_with_evaluation(seed: u64, depth in 1u32..=5) {
        let mut source = Source::new(seed);
        let mut pool = Pool::new();
        let sort = source.sort();
        let term = source.tree(&mut pool, sort, depth).build(&mut pool);
        let images: Vec<Option<crate::TermId>> = (0..pool.n_vars())
            .map(|i| {
                let sort = pool.var_sort(VarId(i as u32));
                (source.below(3) > 0).then(|| source.tree(&mut pool, sort, 2).build(&mut pool))
            })
            .collect();
        let image_of = |var: VarId| images.get(var.index()).copied().flatten();
        let replaced = pool.substitute(term, &image_of);
        let values: Vec<Value> = (0..pool.n_vars()).map(|i| source.value(pool.var_sort(VarId(i as u32)))).collect();
        let env = |var: VarId| values[var.index()].clone();
        let moved = |var: VarId| image_of(var).map_or_else(|| env(var), |image| pool.evaluate(image, &env));
        prop_assert_eq!(pool.evaluate(replaced, &env), pool.evaluate(term, &moved));
    }

    #[test]
    fn free_variables_are_those_that_matter(seed: u64, depth in 1u32..=5) {
        let mut source = Source::new(seed);
        let mut pool = Pool::new();
        let sort = source.sort();
        let term = source.tree(&mut pool, sort, depth).build(&mut pool);
        let free = pool.free_vars(term);
        let mut visited = Vec::new();
        pool.for_each_free_var(term, &mut |var| visited.push(var.index()));
        prop_assert_eq!(free.ones().collect::<Vec<_>>(), visited);
        let values: Vec<Value> = (0..pool.n_vars()).map(|i| source.value(pool.var_sort(VarId(i as u32)))).collect();
        let other = |var: VarId| {
            if free.contains(var.index()) { values[var.index()].clone() } else { Value::zero(pool.var_sort(var)) }
        };
        prop_assert_eq!(pool.evaluate(term, &other), pool.evaluate(term, &|var| values[var.index()].clone()));
    }

    #[test]
    fn overflow_predicates_compare_with_exact_numbers(seed: u64, signed: bool) {
        let mut source = Source::new(seed);
        let width = 1 + source.below(40);
        let mut pool = Pool::new();
        let vars = [pool.declare("v0", Sort::Bv(width)), pool.declare("v1", Sort::Bv(width))];
        let values = [source.value(Sort::Bv(width)), source.value(Sort::Bv(width))];
        let number = |i: usize| {
            let bits = values[i].as_bv();
            if signed { bits.to_i128().unwrap() } else { bits.to_u128().unwrap() as i128 }
        };
        let range = if signed { -(1 << (width - 1))..1 << (width - 1) } else { 0..1i128 << width };
        let (a, b) = (pool.var(vars[0]), pool.var(vars[1]));
        let rows = [
            (pool.add_overflows(signed, a, b), number(0) + number(1)),
            (pool.sub_overflows(signed, a, b), number(0) - number(1)),
            (pool.mul_overflows(signed, a, b), number(0) * number(1)),
            (pool.neg_overflows(signed, a), -number(0)),
        ];
        let env = |var: VarId| values[var.index()].clone();
        for (predicate, exact) in rows {
            prop_assert_eq!(pool.evaluate(predicate, &env).as_bool(), !range.contains(&exact));
        }
        if signed && number(1) != 0 {
            let predicate = pool.sdiv_overflows(a, b);
            prop_assert_eq!(pool.evaluate(predicate, &env).as_bool(), !range.contains(&(number(0) / number(1))));
        }
    }

    #[test]
    fn equal_maps_are_equal_arrays(stores in prop::collection::vec((0u64..4, 0u64..3), 0..12), default in 0u64..3) {
        let start = ArrayValue::new(Scalar::Bv(2), Value::bv(8, default));
        let array = stores.iter().fold(start, |array, &(i, e)| array.store(Value::bv(2, i), Value::bv(8, e)));
        let elements: Vec<Value> = (0..4).map(|i| array.select(&Value::bv(2, i)).clone()).collect();
        let mut expected = [default; 4];
        for (i, e) in stores {
            expected[i as usize] = e;
        }
        prop_assert_eq!(&elements, &expected.map(|e| Value::bv(8, e)));
        for other_default in 0..4 {
            let start = ArrayValue::new(Scalar::Bv(2), Value::bv(8, other_default));
            let other = (0..4).fold(start, |array, i| array.store(Value::bv(2, i), elements[i as usize].clone()));
            prop_assert_eq!(&other, &array);
        }
    }
}

#[test]
fn names_that_look_like_something_else_are_quoted() {
    for name in ["a |b\\ 5:3", "", "5:32", "true", "$1", "(", "x:f32", "-", "|", "π", "main::x"] {
        let mut pool = Pool::new();
        let var = pool.declare(name, Sort::Bv(32));
        let term = pool.var(var);
        let text = pool.display(term).to_string();
        let found = parse(&mut pool, &text, &mut |found| (found == name).then_some(var));
        assert_eq!(found, Ok(term), "{name} printed as {text}");
    }
}

#[test]
fn bad_text_is_refused_where_it_is_bad() {
    let rows = [
        ("", 0, "ends within"),
        ("(add v0", 7, "ends within"),
        ("(add v0 1:8)", 0, "Add cannot be applied to (bv32) (bv8)"),
        ("(add v0 v9)", 8, "unknown variable v9"),
        ("(plus v0 v0)", 1, "unknown operator plus"),
        ("v0 v0", 3, "end of the text"),
        ("(eq v0 256:8)", 7, "unknown variable 256:8"),
        ("(extract x 0 v0)", 9, "expected a number"),
        ("(extract 32 0 v0)", 0, "cannot be applied"),
        ("(let $0 v0)", 10, "needs a body"),
        ("(array bv8 0:8 (1:9 2:8))", 15, "an index of bv8"),
        ("(ule v0 true)", 0, "sorts bv32 and bool"),
        ("|v0", 0, "closing bar"),
        (")", 0, "unexpected closing"),
        ("(zero_extend 99999999 v0)", 13, "a number up to"),
    ];
    for (text, position, message) in rows {
        let mut pool = Pool::new();
        pool.declare("v0", Sort::Bv(32));
        let known = &mut |name: &str| (name == "v0").then_some(VarId(0));
        let error = parse(&mut pool, text, known).expect_err(text);
        assert_eq!(error.position, position, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
    }
}
