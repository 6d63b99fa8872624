//! What simplification must achieve, as pairs of texts that have to denote one term.

use crate::{Pool, Scalar, Sort, TermId, VarId, parse};

#[test]
fn both_sides_are_one_term() {
    let rows = [
        // Connectives.
        ("(and a (and b c) a)", "(and c b a)"),
        ("(and a (not a))", "false"),
        ("(or a b (not a))", "true"),
        ("(not (not a))", "a"),
        ("(and)", "true"),
        ("(and a (or a b))", "a"),
        ("(and a (or (not a) b))", "(and a b)"),
        ("(implies a a)", "true"),
        ("(eq (not a) (not b))", "(eq a b)"),
        ("(xor a true)", "(not a)"),
        ("(ite a true b)", "(or a b)"),
        ("(ite (not a) x y)", "(ite a y x)"),
        ("(ite a (ite b x y) y)", "(ite (and a b) x y)"),
        ("(ite a (ite a x y) y)", "(ite a x y)"),
        ("(ite (eq x y) x y)", "y"),
        // C conditions.
        ("(ne (ite a 1:32 0:32) 0:32)", "a"),
        ("(eq (zero_extend 32 (ite a 1:8 0:8)) 1:32)", "a"),
        ("(ne (ite a (ite b 1:32 0:32) 0:32) 0:32)", "(and a b)"),
        ("(eq (ite a 1:32 x) 0:32)", "(and (not a) (eq x 0:32))"),
        ("(eq (sub x y) 0:32)", "(eq x y)"),
        // Sums.
        ("(sub x x)", "0:32"),
        ("(add (add x 3:32) 4:32)", "(add x 7:32)"),
        ("(add (add x 3:32) (add y 4:32))", "(add (add y x) 7:32)"),
        ("(sub (add x 3:32) 3:32)", "x"),
        ("(sub (add x y) x)", "y"),
        ("(add (sub x y) y)", "x"),
        ("(sub (add x 7:32) (add x 4:32))", "3:32"),
        ("(neg (neg x))", "x"),
        ("(add x (neg y))", "(sub x y)"),
        ("(add (bv_not x) 1:32)", "(neg x)"),
        ("(eq (add x 3:32) 5:32)", "(eq x 2:32)"),
        ("(eq (add x 3:32) x)", "false"),
        ("(mul (mul x 3:32) 5:32)", "(mul x 15:32)"),
        ("(mul x -1:32)", "(neg x)"),
        ("(udiv x 8:32)", "(lshr x 3:32)"),
        ("(urem x 8:32)", "(bv_and x 7:32)"),
        ("(srem x -1:32)", "0:32"),
        ("(udiv x 0:32)", "-1:32"),
        ("(urem x 0:32)", "x"),
        // Bits.
        ("(bv_xor x x)", "0:32"),
        ("(bv_xor x -1:32)", "(bv_not x)"),
        ("(bv_and x (bv_not x))", "0:32"),
        ("(bv_or (bv_or x 1:32) 2:32)", "(bv_or x 3:32)"),
        ("(shl (shl x 3:32) 4:32)", "(shl x 7:32)"),
        ("(lshr x 32:32)", "0:32"),
        ("(ashr x 99:32)", "(ashr x 31:32)"),
        // Slices.
        ("(extract 7 0 (extract 15 8 x))", "(extract 15 8 x)"),
        ("(extract 7 0 (concat x p))", "p"),
        ("(extract 7 0 (sign_extend 32 p))", "p"),
        ("(extract 31 8 (zero_extend 32 p))", "0:24"),
        ("(sign_extend 32 (zero_extend 16 p))", "(zero_extend 32 p)"),
        ("(concat 0:24 p)", "(zero_extend 32 p)"),
        ("(extract 7 0 (add (sign_extend 32 p) (sign_extend 32 q)))", "(add p q)"),
        ("(concat (extract 31 24 x) (concat (extract 23 16 x) (concat (extract 15 8 x) (extract 7 0 x))))", "x"),
        ("(concat (concat (extract 31 24 x) (extract 23 16 x)) (concat (extract 15 8 x) (extract 7 0 x)))", "x"),
        ("(let $0 (sign_extend 32 p) (concat (extract 31 16 $0) (extract 15 0 $0)))", "(sign_extend 32 p)"),
        // Comparisons.
        ("(ult x 0:32)", "false"),
        ("(ult x 1:32)", "(eq x 0:32)"),
        ("(ugt x 0:32)", "(ne x 0:32)"),
        ("(sle x 2147483647:32)", "true"),
        ("(not (ult x y))", "(ule y x)"),
        ("(and (ult x y) (ule y x))", "false"),
        ("(slt (sign_extend 32 p) 200:32)", "true"),
        ("(slt (sign_extend 32 p) 5:32)", "(slt p 5:8)"),
        ("(slt (zero_extend 32 p) 5:32)", "(ult p 5:8)"),
        ("(slt (zero_extend 32 p) (zero_extend 32 q))", "(ult p q)"),
        ("(eq (zero_extend 32 p) 300:32)", "false"),
        ("(eq (concat p q) 258:16)", "(and (eq p 1:8) (eq q 2:8))"),
        // Arrays.
        ("(select (store (store m 1:32 p) 2:32 q) 1:32)", "p"),
        ("(select (store m (add x 1:32) p) x)", "(select m x)"),
        ("(store m x (select m x))", "m"),
        ("(store (store m x p) x q)", "(store m x q)"),
        ("(select (const_array bv32 p) x)", "p"),
        ("(store (const_array bv32 0:8) 1:32 5:8)", "(array bv32 0:8 (1:32 5:8))"),
        ("(select (array bv32 7:8) x)", "7:8"),
        // Floats.
        ("(fneg (fneg f))", "f"),
        ("(feq f f)", "(not (fis_nan f))"),
        ("(fadd f -0.0:f64)", "f"),
        ("(fmul 1.0:f64 f)", "f"),
        ("(float_from_bits (float_to_bits f))", "f"),
        ("(fis_nan (sbv_to_float f32 x))", "false"),
    ];
    let mut vocabulary = Vocabulary::new();
    for (from, to) in rows {
        let (from_term, to_term) = (vocabulary.term(from), vocabulary.term(to));
        let shown = vocabulary.pool.display(from_term);
        assert_eq!(from_term, to_term, "{from} became {shown}, not {}", vocabulary.pool.display(to_term));
    }
}

/// Near misses: each pair looks as if a rule applied, but the two differ for some values.
#[test]
fn the_sides_stay_two_terms() {
    let rows = [
        ("(concat (extract 15 8 x) (extract 7 0 y))", "(extract 15 0 x)"),
        ("(concat (extract 16 9 x) (extract 7 0 x))", "(extract 15 0 x)"),
        ("(concat (extract 7 7 p) q)", "(sign_extend 9 q)"),
        ("(extract 8 1 (add (zero_extend 32 p) (zero_extend 32 q)))", "(add (extract 8 1 (zero_extend 32 p)) q)"),
        ("(select (store m x p) y)", "(select m y)"),
        ("(store (store m x p) y q)", "(store m y q)"),
        ("(fadd f 0.0:f64)", "f"),
        ("(fsub f -0.0:f64)", "f"),
        ("(feq f f)", "true"),
        ("(float_to_bits (float_from_bits x))", "x"),
        ("(slt (zero_extend 16 p) (sign_extend 16 q))", "(slt p q)"),
        ("(sdiv x 8:32)", "(ashr x 3:32)"),
        ("(smul_overflows (extract 0 0 x) 1:1)", "false"),
        ("(sdiv x x)", "1:32"),
    ];
    let mut vocabulary = Vocabulary::new();
    for (one, other) in rows {
        let (one_term, other_term) = (vocabulary.term(one), vocabulary.term(other));
        assert_ne!(one_term, other_term, "{one} and {other}");
    }
}

#[test]
fn junctions_too_long_to_flatten_still_absorb() {
    let mut pool = Pool::new();
    let vars: Vec<TermId> = (0..40)
        .map(|i| {
            let var = pool.declare(&format!("v{i}"), Sort::Bool);
            pool.var(var)
        })
        .collect();
    let (all, some) = (pool.and_all(&vars), pool.or_all(&vars));
    let not_first = pool.not(vars[0]);
    let (yes, no) = (pool.bool(true), pool.bool(false));
    assert_eq!(pool.and(all, vars[7]), all);
    assert_eq!(pool.and(all, not_first), no);
    assert_eq!(pool.or(some, vars[7]), some);
    assert_eq!(pool.or(some, not_first), yes);
    assert_eq!(pool.and(some, vars[7]), vars[7]);
    assert_eq!(pool.or(all, vars[7]), vars[7]);
}

struct Vocabulary {
    pool: Pool,
    declared: Vec<(&'static str, VarId)>,
}

impl Vocabulary {
    fn new() -> Vocabulary {
        let mut pool = Pool::new();
        let declared = [
            ("a", Sort::Bool),
            ("b", Sort::Bool),
            ("c", Sort::Bool),
            ("x", Sort::Bv(32)),
            ("y", Sort::Bv(32)),
            ("p", Sort::Bv(8)),
            ("q", Sort::Bv(8)),
            ("f", Sort::F64),
            ("m", Sort::Array(Scalar::Bv(32), Scalar::Bv(8))),
        ];
        let declared = declared.into_iter().map(|(name, sort)| (name, pool.declare(name, sort))).collect();
        Vocabulary { pool, declared }
    }

    fn term(&mut self, text: &str) -> TermId {
        let lookup = &mut |name: &str| self.declared.iter().find(|(known, _)| *known == name).map(|&(_, var)| var);
        parse(&mut self.pool, text, lookup).unwrap_or_else(|error| panic!("{text}: {error}"))
    }
}
