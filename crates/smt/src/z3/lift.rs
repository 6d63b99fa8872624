//! How does a Z3 term become one of ours?
//!
//! Z3 tells operators apart by numbers that differ between versions, so the numbers are learned once from samples: each
//! constructor is called on small operands, and the number of what comes out is noted. What Z3's simplifier makes of the
//! samples is noted too, since it has operators of its own for division by something other than zero.
//!
//! Bound variables stand for given terms. What has no counterpart (quantifiers above all) is refused.

use logic::{Op, Pool, TermId, Value};
use rustc_hash::FxHashMap;
use z3_sys as z3;

use super::binding::{Ast, Binary, Context, Failure, Unary};
use super::decode::from_decimal;

/// What an operator of Z3 is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The same as one of ours; associative ones may have more than two operands.
    Op(Op),
    True,
    False,
    Implies,
    Distinct,
    Xor,
    /// Comparisons: the operands swapped, the result negated.
    Compare(Op, bool, bool),
    Nand,
    Nor,
    Xnor,
    Extract,
    ZeroExtend,
    SignExtend,
    Repeat,
    IntAdd,
    IntSub,
    IntMul,
    IntNeg,
    IntDiv,
    IntMod,
    IntLe,
    IntLt,
    IntGe,
    IntGt,
}

/// The numbers of operators in the library that is linked.
pub(crate) struct Kinds(FxHashMap<u32, Kind>);

impl Kinds {
    pub(crate) fn learn(context: &Context) -> Result<Kinds, Failure> {
        let mut kinds = Kinds(FxHashMap::default());
        let constant = |number, sort| context.numbered_constant(number, &sort);
        let (p, q) = (constant(1, context.bool_sort())?, constant(2, context.bool_sort())?);
        let (a, b) = (constant(3, context.bv_sort(8))?, constant(4, context.bv_sort(8))?);
        let (i, j) = (constant(5, context.int_sort())?, constant(6, context.int_sort())?);
        let array_sort = context.array_sort(&context.bv_sort(8), &context.bv_sort(8));
        let m = constant(7, array_sort)?;

        kinds.note(context.nullary(z3::Z3_mk_true)?, Kind::True)?;
        kinds.note(context.nullary(z3::Z3_mk_false)?, Kind::False)?;
        kinds.note(context.unary(z3::Z3_mk_not, &p)?, Kind::Op(Op::Not))?;
        kinds.note(context.variadic(z3::Z3_mk_and, &[p.clone(), q.clone()])?, Kind::Op(Op::And))?;
        kinds.note(context.variadic(z3::Z3_mk_or, &[p.clone(), q.clone()])?, Kind::Op(Op::Or))?;
        kinds.note(context.binary(z3::Z3_mk_implies, &p, &q)?, Kind::Implies)?;
        kinds.note(context.binary(z3::Z3_mk_xor, &p, &q)?, Kind::Xor)?;
        kinds.note(context.binary(z3::Z3_mk_iff, &p, &q)?, Kind::Op(Op::Eq))?;
        kinds.note(context.binary(z3::Z3_mk_eq, &a, &b)?, Kind::Op(Op::Eq))?;
        kinds.note(context.ternary(z3::Z3_mk_ite, &p, &a, &b)?, Kind::Op(Op::Ite))?;
        let distinct = context.variadic(z3::Z3_mk_distinct, &[a.clone(), b.clone(), read(context, &m, &a)?])?;
        kinds.note(distinct, Kind::Distinct)?;
        kinds.note(context.variadic(z3::Z3_mk_distinct, &[a.clone(), b.clone()])?, Kind::Distinct)?;

        let unary: [(Unary, Op); 2] = [(z3::Z3_mk_bvneg, Op::Neg), (z3::Z3_mk_bvnot, Op::BvNot)];
        for (make, op) in unary {
            kinds.note(context.unary(make, &a)?, Kind::Op(op))?;
        }
        let binary: [(Binary, Kind); 25] = [
            (z3::Z3_mk_bvadd, Kind::Op(Op::Add)),
            (z3::Z3_mk_bvsub, Kind::Op(Op::Sub)),
            (z3::Z3_mk_bvmul, Kind::Op(Op::Mul)),
            (z3::Z3_mk_bvudiv, Kind::Op(Op::Udiv)),
            (z3::Z3_mk_bvsdiv, Kind::Op(Op::Sdiv)),
            (z3::Z3_mk_bvurem, Kind::Op(Op::Urem)),
            (z3::Z3_mk_bvsrem, Kind::Op(Op::Srem)),
            (z3::Z3_mk_bvand, Kind::Op(Op::BvAnd)),
            (z3::Z3_mk_bvor, Kind::Op(Op::BvOr)),
            (z3::Z3_mk_bvxor, Kind::Op(Op::BvXor)),
            (z3::Z3_mk_bvshl, Kind::Op(Op::Shl)),
            (z3::Z3_mk_bvlshr, Kind::Op(Op::Lshr)),
            (z3::Z3_mk_bvashr, Kind::Op(Op::Ashr)),
            (z3::Z3_mk_concat, Kind::Op(Op::Concat)),
            (z3::Z3_mk_bvult, Kind::Compare(Op::Ult, false, false)),
            (z3::Z3_mk_bvugt, Kind::Compare(Op::Ult, true, false)),
            (z3::Z3_mk_bvule, Kind::Compare(Op::Ult, true, true)),
            (z3::Z3_mk_bvuge, Kind::Compare(Op::Ult, false, true)),
            (z3::Z3_mk_bvslt, Kind::Compare(Op::Slt, false, false)),
            (z3::Z3_mk_bvsgt, Kind::Compare(Op::Slt, true, false)),
            (z3::Z3_mk_bvsle, Kind::Compare(Op::Slt, true, true)),
            (z3::Z3_mk_bvsge, Kind::Compare(Op::Slt, false, true)),
            (z3::Z3_mk_bvnand, Kind::Nand),
            (z3::Z3_mk_bvnor, Kind::Nor),
            (z3::Z3_mk_bvxnor, Kind::Xnor),
        ];
        for (make, kind) in binary {
            let sample = context.binary(make, &a, &b)?;
            // The simplifier's own division has the meaning of ours, since Z3 divides by zero the same way.
            if matches!(kind, Kind::Op(Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem)) {
                let simplified = sample.simplified()?;
                if simplified.args().len() == 2 && simplified.operator() != sample.operator() {
                    kinds.note(simplified, kind)?;
                }
            }
            kinds.note(sample, kind)?;
        }
        kinds.note(context.extract(3, 1, &a)?, Kind::Extract)?;
        kinds.note(context.numbered(z3::Z3_mk_zero_ext, 3, &a)?, Kind::ZeroExtend)?;
        kinds.note(context.numbered(z3::Z3_mk_sign_ext, 3, &a)?, Kind::SignExtend)?;
        kinds.note(context.numbered(z3::Z3_mk_repeat, 2, &a)?, Kind::Repeat)?;
        kinds.note(read(context, &m, &a)?, Kind::Op(Op::Select))?;
        kinds.note(context.ternary(z3::Z3_mk_store, &m, &a, &b)?, Kind::Op(Op::Store))?;

        let both = [i.clone(), j.clone()];
        kinds.note(context.variadic(z3::Z3_mk_add, &both)?, Kind::IntAdd)?;
        kinds.note(context.variadic(z3::Z3_mk_sub, &both)?, Kind::IntSub)?;
        kinds.note(context.variadic(z3::Z3_mk_mul, &both)?, Kind::IntMul)?;
        kinds.note(context.unary(z3::Z3_mk_unary_minus, &i)?, Kind::IntNeg)?;
        let integers: [(Binary, Kind); 6] = [
            (z3::Z3_mk_div, Kind::IntDiv),
            (z3::Z3_mk_mod, Kind::IntMod),
            (z3::Z3_mk_le, Kind::IntLe),
            (z3::Z3_mk_lt, Kind::IntLt),
            (z3::Z3_mk_ge, Kind::IntGe),
            (z3::Z3_mk_gt, Kind::IntGt),
        ];
        for (make, kind) in integers {
            kinds.note(context.binary(make, &i, &j)?, kind)?;
        }
        Ok(kinds)
    }

    fn note(&mut self, sample: Ast, kind: Kind) -> Result<(), Failure> {
        let number = sample.operator().ok_or_else(|| Failure::Other("a sample is no application".into()))?;
        // Constructors may be short for others (`sub` for `add`, say); the first kind noted is the plain one.
        self.0.entry(number).or_insert(kind);
        Ok(())
    }

    /// What the operator of an application is, if it is known.
    pub(crate) fn of(&self, ast: &Ast) -> Option<Kind> {
        self.0.get(&ast.operator()?).copied()
    }

    /// The term for a Z3 term over bit-vectors and truth values, with these terms for the bound variables.
    pub(crate) fn lift(&self, pool: &mut Pool, ast: &Ast, bound: &[TermId]) -> Option<TermId> {
        let mut done: FxHashMap<usize, TermId> = FxHashMap::default();
        let mut open = vec![ast.clone()];
        while let Some(next) = open.last().cloned() {
            if done.contains_key(&next.address()) {
                open.pop();
                continue;
            }
            if let Some(index) = next.bound_index() {
                done.insert(next.address(), *bound.get(index as usize)?);
                continue;
            }
            if let Some(digits) = next.numeral() {
                let width = next.sort()?.bv_width()?;
                done.insert(next.address(), pool.constant(Value::Bv(from_decimal(&digits, width))));
                continue;
            }
            let args = next.args();
            let missing: Vec<Ast> = args.iter().filter(|arg| !done.contains_key(&arg.address())).cloned().collect();
            if !missing.is_empty() {
                open.extend(missing);
                continue;
            }
            let terms: Vec<TermId> = args.iter().map(|arg| done[&arg.address()]).collect();
            let term = self.apply(pool, &next, &terms)?;
            done.insert(next.address(), term);
        }
        done.get(&ast.address()).copied()
    }

    fn apply(&self, pool: &mut Pool, ast: &Ast, args: &[TermId]) -> Option<TermId> {
        let term = match (self.of(ast)?, args) {
            (Kind::True, []) => pool.bool(true),
            (Kind::False, []) => pool.bool(false),
            (Kind::Op(op @ (Op::And | Op::Or)), _) => pool.apply(op, args),
            (Kind::Op(op @ (Op::Not | Op::Neg | Op::BvNot)), [_]) => pool.apply(op, args),
            (Kind::Op(op @ (Op::Ite | Op::Store)), [_, _, _]) => pool.apply(op, args),
            (
                Kind::Op(op @ (Op::Add | Op::Mul | Op::BvAnd | Op::BvOr | Op::BvXor | Op::Concat)),
                [first, rest @ ..],
            ) => rest.iter().fold(*first, |sum, &next| pool.apply(op, &[sum, next])),
            (Kind::Op(op), [_, _]) => pool.apply(op, args),
            (Kind::Implies, [a, b]) => pool.implies(*a, *b),
            (Kind::Xor, [a, b]) => pool.xor(*a, *b),
            (Kind::Distinct, _) => {
                let mut pairs = Vec::new();
                for (i, &a) in args.iter().enumerate() {
                    for &b in &args[i + 1..] {
                        pairs.push(pool.ne(a, b));
                    }
                }
                pool.and_all(&pairs)
            }
            (Kind::Compare(op, swapped, negated), &[a, b]) => {
                let compared = if swapped { pool.apply(op, &[b, a]) } else { pool.apply(op, &[a, b]) };
                if negated { pool.not(compared) } else { compared }
            }
            (Kind::Nand, &[a, b]) => negated(pool, Op::BvAnd, a, b),
            (Kind::Nor, &[a, b]) => negated(pool, Op::BvOr, a, b),
            (Kind::Xnor, &[a, b]) => negated(pool, Op::BvXor, a, b),
            (Kind::Extract, &[a]) => pool.extract(a, ast.parameter(0)?, ast.parameter(1)?),
            (Kind::ZeroExtend, &[a]) => pool.zero_extend(a, ast.sort()?.bv_width()?),
            (Kind::SignExtend, &[a]) => pool.sign_extend(a, ast.sort()?.bv_width()?),
            (Kind::Repeat, &[a]) => {
                let n = ast.parameter(0)?;
                (1..n).fold(a, |word, _| pool.concat(word, a))
            }
            _ => return None,
        };
        Some(term)
    }
}

fn read(context: &Context, array: &Ast, index: &Ast) -> Result<Ast, Failure> {
    context.binary(z3::Z3_mk_select, array, index)
}

fn negated(pool: &mut Pool, op: Op, a: TermId, b: TermId) -> TermId {
    let term = pool.apply(op, &[a, b]);
    pool.bv_not(term)
}
