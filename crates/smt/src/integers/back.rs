//! How does a statement about integers become one about bit-vectors?
//!
//! A comparison of sums is rearranged so that nothing is subtracted; if each side is one variable or a constant, it is
//! a plain comparison. Otherwise, and for everything else, variables are extended to as many bits as the exact result
//! can have, where wrap-around cannot happen. So the statement means the same on both sides.

use logic::{BitVec, Op, Pool, Sort, TermId, Value};
use rustc_hash::FxHashMap;

use super::signs::View;
use crate::z3::binding::Ast;
use crate::z3::lift::{Kind, Kinds};

/// Signed bit-vectors of enough bits for an exact result.
#[derive(Clone, Copy)]
struct Wide {
    term: TermId,
    width: u32,
}

/// A sum of variables times factors, and a constant.
#[derive(Default)]
struct Sum {
    factors: Vec<(usize, i128)>,
    constant: i128,
}

/// The way back from integers.
pub(crate) struct Back<'a> {
    pub(crate) kinds: &'a Kinds,
    /// What bound variables stand for.
    pub(crate) bound: Vec<(TermId, View)>,
    done: FxHashMap<usize, TermId>,
}

impl<'a> Back<'a> {
    /// With terms and views for the bound variables.
    pub(crate) fn new(kinds: &'a Kinds, bound: Vec<(TermId, View)>) -> Back<'a> {
        Back { kinds, bound, done: FxHashMap::default() }
    }

    /// The formula, unless it contains something that has no counterpart.
    pub(crate) fn formula(&mut self, pool: &mut Pool, ast: &Ast) -> Option<TermId> {
        if let Some(&term) = self.done.get(&ast.address()) {
            return Some(term);
        }
        if let Some(index) = ast.bound_index() {
            return self.bound.get(index as usize).map(|&(term, _)| term);
        }
        let args = ast.args();
        let kind = self.kinds.of(ast)?;
        let term = match kind {
            Kind::True => pool.bool(true),
            Kind::False => pool.bool(false),
            Kind::Op(op @ (Op::And | Op::Or | Op::Not)) => {
                let args: Option<Vec<TermId>> = args.iter().map(|arg| self.formula(pool, arg)).collect();
                pool.apply(op, &args?)
            }
            Kind::Implies => {
                let (a, b) = (self.formula(pool, &args[0])?, self.formula(pool, &args[1])?);
                pool.implies(a, b)
            }
            Kind::Op(Op::Ite) => {
                let [c, t, e] = [0, 1, 2].map(|i| self.formula(pool, &args[i]));
                pool.ite(c?, t?, e?)
            }
            Kind::Op(Op::Eq) if self.is_formula(&args[0]) => {
                let (a, b) = (self.formula(pool, &args[0])?, self.formula(pool, &args[1])?);
                pool.eq(a, b)
            }
            Kind::Op(Op::Eq) => self.comparison(pool, Compare::Equal, &args[0], &args[1])?,
            Kind::Distinct if args.len() == 2 && !self.is_formula(&args[0]) => {
                let equal = self.comparison(pool, Compare::Equal, &args[0], &args[1])?;
                pool.not(equal)
            }
            Kind::IntLe => self.comparison(pool, Compare::AtMost, &args[0], &args[1])?,
            Kind::IntGe => self.comparison(pool, Compare::AtMost, &args[1], &args[0])?,
            Kind::IntLt => self.comparison(pool, Compare::Less, &args[0], &args[1])?,
            Kind::IntGt => self.comparison(pool, Compare::Less, &args[1], &args[0])?,
            _ => return None,
        };
        self.done.insert(ast.address(), term);
        Some(term)
    }

    fn is_formula(&self, ast: &Ast) -> bool {
        ast.sort().is_some_and(|sort| sort.is_bool())
    }

    fn comparison(&mut self, pool: &mut Pool, compare: Compare, a: &Ast, b: &Ast) -> Option<TermId> {
        let mut sum = Sum::default();
        if self.add(&mut sum, a, 1).is_some() && self.add(&mut sum, b, -1).is_some() {
            if let Some(term) = self.plain(pool, compare, &sum) {
                return Some(term);
            }
            // What would be subtracted goes to the other side.
            let side = |sign: i128| {
                let factors: Vec<(usize, i128)> = sum
                    .factors
                    .iter()
                    .filter(|(_, factor)| factor.signum() == sign)
                    .map(|&(var, factor)| (var, factor.abs()))
                    .collect();
                let constant = if sum.constant.signum() == sign { sum.constant.abs() } else { 0 };
                Sum { factors, constant }
            };
            let (left, right) = (self.wide_sum(pool, &side(1))?, self.wide_sum(pool, &side(-1))?);
            return Some(compare_wide(pool, compare, left, right));
        }
        let (left, right) = (self.wide(pool, a)?, self.wide(pool, b)?);
        Some(compare_wide(pool, compare, left, right))
    }

    /// Adds a multiple of a term to a sum, if it is a sum of variables and constants.
    fn add(&self, sum: &mut Sum, ast: &Ast, factor: i128) -> Option<()> {
        if let Some(index) = ast.bound_index() {
            let index = index as usize;
            match sum.factors.iter_mut().find(|(var, _)| *var == index) {
                Some((_, present)) => *present = present.checked_add(factor)?,
                None => sum.factors.push((index, factor)),
            }
            sum.factors.retain(|&(_, factor)| factor != 0);
            return Some(());
        }
        if let Some(digits) = ast.numeral() {
            let number: i128 = digits.parse().ok()?;
            sum.constant = sum.constant.checked_add(number.checked_mul(factor)?)?;
            return Some(());
        }
        let args = ast.args();
        match self.kinds.of(ast)? {
            Kind::IntAdd => args.iter().try_for_each(|arg| self.add(sum, arg, factor)),
            Kind::IntSub => {
                self.add(sum, args.first()?, factor)?;
                args[1..].iter().try_for_each(|arg| self.add(sum, arg, -factor))
            }
            Kind::IntNeg => self.add(sum, args.first()?, -factor),
            Kind::IntMul => {
                let [constant, rest] = &args[..] else { return None };
                let number: i128 = constant.numeral()?.parse().ok()?;
                self.add(sum, rest, factor.checked_mul(number)?)
            }
            _ => None,
        }
    }

    /// The comparison of a sum with zero, where it is one variable against another or against a constant.
    fn plain(&self, pool: &mut Pool, compare: Compare, sum: &Sum) -> Option<TermId> {
        let variable = |pool: &Pool, index: usize| {
            let &(term, view) = self.bound.get(index)?;
            match pool.sort(term) {
                Sort::Bv(width) => Some((term, width, view)),
                _ => None,
            }
        };
        match sum.factors[..] {
            [] => Some(pool.bool(compare.holds(sum.constant, 0))),
            [(x, 1), (y, -1)] | [(y, -1), (x, 1)] if sum.constant == 0 => {
                let ((x, x_width, x_view), (y, y_width, y_view)) = (variable(pool, x)?, variable(pool, y)?);
                (x_width == y_width && x_view == y_view).then(|| compare.plain(pool, x, y, x_view))
            }
            [(x, factor @ (1 | -1))] => {
                let (x, width, view) = variable(pool, x)?;
                // `x + c <= 0` or `-x + c <= 0`: the bound is `-c` or `c`.
                let bound = if factor == 1 { sum.constant.checked_neg()? } else { sum.constant };
                let (low, high) = range(width, view)?;
                let (below, above) = (bound < low, bound > high);
                if below || above {
                    // Every value of the variable lies on one side.
                    let value = if below { high } else { low };
                    let (left, right) = if factor == 1 { (value, bound) } else { (bound, value) };
                    return Some(pool.bool(compare.holds(left, right)));
                }
                let bound = pool.constant(Value::Bv(BitVec::from_i128(width, bound)));
                let (left, right) = if factor == 1 { (x, bound) } else { (bound, x) };
                Some(compare.plain(pool, left, right, view))
            }
            _ => None,
        }
    }

    fn wide_var(&self, pool: &mut Pool, index: usize) -> Option<Wide> {
        let &(term, view) = self.bound.get(index)?;
        let Sort::Bv(width) = pool.sort(term) else { return None };
        Some(match view {
            View::Signed => Wide { term, width },
            View::Unsigned => Wide { term: pool.zero_extend(term, width + 1), width: width + 1 },
        })
    }

    fn wide_sum(&self, pool: &mut Pool, sum: &Sum) -> Option<Wide> {
        let mut result = number(pool, sum.constant);
        for &(var, factor) in &sum.factors {
            let var = self.wide_var(pool, var)?;
            let part = if factor == 1 {
                var
            } else {
                let factor = number(pool, factor);
                apply_wide(pool, Op::Mul, factor, var)
            };
            result = if sum.constant == 0 && pool.as_const(result.term).is_some() {
                part
            } else {
                apply_wide(pool, Op::Add, result, part)
            };
        }
        Some(result)
    }

    fn wide(&mut self, pool: &mut Pool, ast: &Ast) -> Option<Wide> {
        if let Some(index) = ast.bound_index() {
            return self.wide_var(pool, index as usize);
        }
        if let Some(digits) = ast.numeral() {
            return Some(number(pool, digits.parse().ok()?));
        }
        let args = ast.args();
        match self.kinds.of(ast)? {
            Kind::IntNeg => {
                let (zero, a) = (number(pool, 0), self.wide(pool, &args[0])?);
                Some(apply_wide(pool, Op::Sub, zero, a))
            }
            kind @ (Kind::IntAdd | Kind::IntSub | Kind::IntMul) => {
                let op = match kind {
                    Kind::IntAdd => Op::Add,
                    Kind::IntSub => Op::Sub,
                    _ => Op::Mul,
                };
                let mut result = self.wide(pool, args.first()?)?;
                for arg in &args[1..] {
                    let next = self.wide(pool, arg)?;
                    result = apply_wide(pool, op, result, next);
                }
                Some(result)
            }
            kind @ (Kind::IntDiv | Kind::IntMod) => {
                let divisor: i128 = args[1].numeral()?.parse().ok()?;
                if divisor <= 0 {
                    return None;
                }
                let a = self.wide(pool, &args[0])?;
                Some(rounded_down(pool, kind == Kind::IntMod, a, divisor))
            }
            Kind::Op(Op::Ite) => {
                let condition = self.formula(pool, &args[0])?;
                let (t, e) = (self.wide(pool, &args[1])?, self.wide(pool, &args[2])?);
                let width = t.width.max(e.width);
                let (t, e) = (pool.sign_extend(t.term, width), pool.sign_extend(e.term, width));
                Some(Wide { term: pool.ite(condition, t, e), width })
            }
            _ => None,
        }
    }
}

#[derive(Clone, Copy)]
enum Compare {
    Equal,
    AtMost,
    Less,
}

impl Compare {
    fn holds(self, a: i128, b: i128) -> bool {
        match self {
            Compare::Equal => a == b,
            Compare::AtMost => a <= b,
            Compare::Less => a < b,
        }
    }

    fn plain(self, pool: &mut Pool, a: TermId, b: TermId, view: View) -> TermId {
        match (self, view) {
            (Compare::Equal, _) => pool.eq(a, b),
            (Compare::AtMost, View::Signed) => pool.sle(a, b),
            (Compare::AtMost, View::Unsigned) => pool.ule(a, b),
            (Compare::Less, View::Signed) => pool.slt(a, b),
            (Compare::Less, View::Unsigned) => pool.ult(a, b),
        }
    }
}

fn compare_wide(pool: &mut Pool, compare: Compare, a: Wide, b: Wide) -> TermId {
    let width = a.width.max(b.width);
    let (a, b) = (pool.sign_extend(a.term, width), pool.sign_extend(b.term, width));
    compare.plain(pool, a, b, View::Signed)
}

fn apply_wide(pool: &mut Pool, op: Op, a: Wide, b: Wide) -> Wide {
    let width = if op == Op::Mul { a.width + b.width } else { a.width.max(b.width) + 1 };
    let (a, b) = (pool.sign_extend(a.term, width), pool.sign_extend(b.term, width));
    Wide { term: pool.apply(op, &[a, b]), width }
}

fn number(pool: &mut Pool, value: i128) -> Wide {
    let width = 129 - if value < 0 { (!value).leading_zeros() } else { value.leading_zeros() };
    Wide { term: pool.constant(Value::Bv(BitVec::from_i128(width, value))), width }
}

/// Quotient or remainder by a positive constant, the quotient rounded down.
fn rounded_down(pool: &mut Pool, is_remainder: bool, a: Wide, divisor: i128) -> Wide {
    let divisor = number(pool, divisor);
    let width = a.width.max(divisor.width) + 1;
    let (a, b) = (pool.sign_extend(a.term, width), pool.sign_extend(divisor.term, width));
    let remainder = pool.srem(a, b);
    let zero = pool.bv(width, 0);
    let is_low = pool.slt(remainder, zero);
    let term = if is_remainder {
        let lifted = pool.add(remainder, b);
        pool.ite(is_low, lifted, remainder)
    } else {
        let quotient = pool.sdiv(a, b);
        let one = pool.bv(width, 1);
        let lower = pool.sub(quotient, one);
        pool.ite(is_low, lower, quotient)
    };
    Wide { term, width }
}

/// The smallest and the largest value of a variable, if they are of moderate size.
fn range(width: u32, view: View) -> Option<(i128, i128)> {
    if width > 120 {
        return None;
    }
    Some(match view {
        View::Signed => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        View::Unsigned => (0, (1 << width) - 1),
    })
}
