//! Tests of the crate as a whole.

use crate::{Pool, Scalar, Sort, Value, VarId, parse};

#[test]
fn text_is_read_back_as_the_same_term() {
    let mut pool = Pool::new();
    let x = pool.declare("x", Sort::Bv(32));
    let strange = pool.declare("a |b\\ 5:3", Sort::Array(Scalar::Bv(32), Scalar::Bv(8)));
    let (tx, ta) = (pool.var(x), pool.var(strange));
    let element = pool.select(ta, tx);
    let wide = pool.sign_extend(element, 32);
    let less = pool.sle(wide, tx);
    let text = pool.display(less).to_string();
    assert_eq!(text, "(sle (sign_extend 32 (select |a \\|b\\\\ 5:3| x)) x)");
    let lookup = &mut |name: &str| match name {
        "x" => Some(x),
        _ => Some(strange),
    };
    assert_eq!(parse(&mut pool, &text, lookup), Ok(less));
}

#[test]
fn evaluation_follows_the_environment() {
    let mut pool = Pool::new();
    let x = pool.declare("x", Sort::Bv(8));
    let tx = pool.var(x);
    let five = pool.bv(8, 5);
    let sum = pool.add(tx, five);
    let env = |_: VarId| Value::bv(8, 253);
    assert_eq!(pool.evaluate(sum, &env), Value::bv(8, 2));
}
