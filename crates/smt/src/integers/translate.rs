//! How does wrap-around arithmetic become arithmetic of integers?
//!
//! A bit-vector becomes the integer that its view reads from it. A sum, difference or product becomes a fresh integer in
//! range; that it is the exact result, so that nothing wrapped, is a side condition, kept apart both as an equation of
//! integers and as the same condition on bit-vectors. Everything that has an exact integer form without wrapping
//! (extensions, cutting out, constant shifts, division by constants) gets it. What has none (most bitwise operators,
//! variable shifts and divisors, floats, arrays) becomes a fresh integer in range: the same term the same integer, and
//! otherwise anything.
//!
//! So every solution of the bit-vector formula is one of the integer formula, and one in which something does not wrap
//! satisfies its side condition: if the integers have none under some side conditions, the bit-vectors have none in
//! which those hold.

use logic::{BitVec, Node, Op, Pool, Sort, TermId, Value, VarId};
use rustc_hash::FxHashMap;
use z3_sys as z3;

use super::signs::{View, Views};
use crate::z3::binding::{Ast, Context, Failure};

/// The condition that an operation does not wrap.
pub(crate) struct Side {
    /// On bit-vectors.
    pub(crate) condition: TermId,
    /// On integers: the result is the exact one.
    pub(crate) ast: Ast,
}

/// Terms and the integers and truth values they became.
pub(crate) struct Translation {
    pub(crate) context: Context,
    views: Views,
    done: FxHashMap<TermId, Ast>,
    /// Side conditions in the order in which they were met, and the places of those below a term.
    pub(crate) sides: Vec<Side>,
    side_of: FxHashMap<TermId, usize>,
    /// The constants for variables.
    pub(crate) vars: Vec<(VarId, Ast)>,
    /// The constants for what has no integer form, or only where it does not wrap.
    pub(crate) fresh: Vec<(TermId, Ast)>,
    /// Which values constants can have.
    pub(crate) ranges: Vec<(TermId, Ast)>,
}

impl Translation {
    pub(crate) fn new(context: &Context, views: Views) -> Translation {
        Translation {
            context: context.clone(),
            views,
            done: FxHashMap::default(),
            sides: Vec::new(),
            side_of: FxHashMap::default(),
            vars: Vec::new(),
            fresh: Vec::new(),
            ranges: Vec::new(),
        }
    }

    pub(crate) fn view(&self, term: TermId) -> View {
        self.views.view(term)
    }

    /// A formula over integers.
    pub(crate) fn formula(&mut self, pool: &mut Pool, formula: TermId) -> Result<Ast, Failure> {
        for term in pool.post_order(formula) {
            if !self.done.contains_key(&term) {
                let ast = match pool.sort(term) {
                    Sort::Bool => Some(self.truth(pool, term)?),
                    Sort::Bv(width) => Some(self.integer(pool, term, width)?),
                    _ => None,
                };
                if let Some(ast) = ast {
                    self.done.insert(term, ast);
                }
            }
        }
        Ok(self.done[&formula].clone())
    }

    /// The side conditions that a formula depends on, as places in `sides`.
    pub(crate) fn sides_of(&self, pool: &Pool, formula: TermId) -> Vec<usize> {
        pool.post_order(formula).iter().filter_map(|term| self.side_of.get(term).copied()).collect()
    }

    fn truth(&mut self, pool: &Pool, term: TermId) -> Result<Ast, Failure> {
        let context = self.context.clone();
        let (op, args) = match pool.node(term) {
            Node::Const(value) => {
                return context.nullary(if value.as_bool() { z3::Z3_mk_true } else { z3::Z3_mk_false });
            }
            Node::Var(var) => {
                let ast = context.numbered_constant(var.0, &context.bool_sort())?;
                self.vars.push((*var, ast.clone()));
                return Ok(ast);
            }
            Node::App { op, args } => (*op, args.clone()),
        };
        let of = |args: &[TermId]| -> Vec<Ast> { args.iter().map(|arg| self.done[arg].clone()).collect() };
        match op {
            Op::Not => context.unary(z3::Z3_mk_not, &self.done[&args[0]]),
            Op::And => context.variadic(z3::Z3_mk_and, &of(&args)),
            Op::Or => context.variadic(z3::Z3_mk_or, &of(&args)),
            Op::Ite => context.ternary(z3::Z3_mk_ite, &self.done[&args[0]], &self.done[&args[1]], &self.done[&args[2]]),
            Op::Eq if pool.sort(args[0]) == Sort::Bool => {
                context.binary(z3::Z3_mk_eq, &self.done[&args[0]], &self.done[&args[1]])
            }
            Op::Eq if matches!(pool.sort(args[0]), Sort::Bv(_)) => {
                let view = self.common_view(pool, &args);
                let (a, b) = (self.read(pool, args[0], view)?, self.read(pool, args[1], view)?);
                context.binary(z3::Z3_mk_eq, &a, &b)
            }
            Op::Ult | Op::Slt => {
                let view = if op == Op::Slt { View::Signed } else { View::Unsigned };
                let (a, b) = (self.read(pool, args[0], view)?, self.read(pool, args[1], view)?);
                context.binary(z3::Z3_mk_lt, &a, &b)
            }
            Op::UmulOverflows | Op::SmulOverflows => {
                let view = if op == Op::SmulOverflows { View::Signed } else { View::Unsigned };
                let (a, b) = (self.read(pool, args[0], view)?, self.read(pool, args[1], view)?);
                let product = context.variadic(z3::Z3_mk_mul, &[a, b])?;
                let width = pool.sort(args[0]).width().expect("products are of bit-vectors");
                let fits = self.in_range(&product, width, view)?;
                context.unary(z3::Z3_mk_not, &fits)
            }
            _ => {
                let ast = context.fresh_constant(&context.bool_sort())?;
                self.fresh.push((term, ast.clone()));
                Ok(ast)
            }
        }
    }

    /// The view of the first operand that is not constant.
    fn common_view(&self, pool: &Pool, args: &[TermId]) -> View {
        args.iter().find(|&&arg| pool.as_const(arg).is_none()).map_or(View::Signed, |&arg| self.view(arg))
    }

    fn number(&self, value: &BitVec, view: View) -> Result<Ast, Failure> {
        let sort = self.context.int_sort();
        let negative = view == View::Signed && value.is_negative();
        let magnitude = if negative { value.neg() } else { value.clone() };
        let magnitude = self.context.number(&decimal(&magnitude), &sort)?;
        if negative { self.context.unary(z3::Z3_mk_unary_minus, &magnitude) } else { Ok(magnitude) }
    }

    fn power(&self, exponent: u32) -> Result<Ast, Failure> {
        self.number(&BitVec::new(exponent + 1, 1).shl_by(exponent), View::Unsigned)
    }

    fn in_range(&self, ast: &Ast, width: u32, view: View) -> Result<Ast, Failure> {
        let context = &self.context;
        let (low, high) = match view {
            View::Signed => (BitVec::signed_min(width), BitVec::signed_max(width)),
            View::Unsigned => (BitVec::zero(width), BitVec::ones(width)),
        };
        let low = context.binary(z3::Z3_mk_le, &self.number(&low, view)?, ast)?;
        let high = context.binary(z3::Z3_mk_le, ast, &self.number(&high, view)?)?;
        context.variadic(z3::Z3_mk_and, &[low, high])
    }

    /// The integer that a view reads from a translated term.
    fn read(&self, pool: &Pool, term: TermId, view: View) -> Result<Ast, Failure> {
        if let Some(Value::Bv(value)) = pool.as_const(term) {
            return self.number(value, view);
        }
        let width = pool.sort(term).width().expect("integers are read from bit-vectors");
        self.converted(&self.done[&term], width, self.view(term), view)
    }

    fn converted(&self, ast: &Ast, width: u32, from: View, to: View) -> Result<Ast, Failure> {
        let context = &self.context;
        let whole = self.power(width)?;
        match (from, to) {
            (View::Signed, View::Unsigned) => {
                let zero = self.number(&BitVec::zero(1), View::Unsigned)?;
                let negative = context.binary(z3::Z3_mk_lt, ast, &zero)?;
                let lifted = context.variadic(z3::Z3_mk_add, &[ast.clone(), whole])?;
                context.ternary(z3::Z3_mk_ite, &negative, &lifted, ast)
            }
            (View::Unsigned, View::Signed) => {
                let high = context.binary(z3::Z3_mk_le, &self.power(width - 1)?, ast)?;
                let lowered = context.variadic(z3::Z3_mk_sub, &[ast.clone(), whole])?;
                context.ternary(z3::Z3_mk_ite, &high, &lowered, ast)
            }
            _ => Ok(ast.clone()),
        }
    }

    fn integer(&mut self, pool: &mut Pool, term: TermId, width: u32) -> Result<Ast, Failure> {
        let context = self.context.clone();
        let view = self.view(term);
        let (op, args) = match pool.node(term) {
            // Constants are read where they are used.
            Node::Const(Value::Bv(value)) => return self.number(value, View::Unsigned),
            Node::Const(_) => unreachable!("a bit-vector constant"),
            Node::Var(var) => {
                let var = *var;
                let ast = context.numbered_constant(var.0, &context.int_sort())?;
                self.vars.push((var, ast.clone()));
                self.ranges.push((term, self.in_range(&ast, width, view)?));
                return Ok(ast);
            }
            Node::App { op, args } => (*op, args.clone()),
        };
        let constant = |pool: &Pool, arg: TermId| match pool.as_const(arg) {
            Some(Value::Bv(value)) => Some(value.clone()),
            _ => None,
        };
        match op {
            Op::Add | Op::Sub | Op::Mul | Op::Neg => self.exact(pool, term, op, &args, width),
            Op::Ite => {
                let (t, e) = (self.read(pool, args[1], view)?, self.read(pool, args[2], view)?);
                context.ternary(z3::Z3_mk_ite, &self.done[&args[0]], &t, &e)
            }
            Op::BvNot => {
                // All ones minus the number, or minus one minus it.
                let ones = self.number(&BitVec::ones(width), view)?;
                context.variadic(z3::Z3_mk_sub, &[ones, self.read(pool, args[0], view)?])
            }
            Op::ZeroExtend(_) => {
                let value = self.read(pool, args[0], View::Unsigned)?;
                self.converted(&value, width, View::Unsigned, view)
            }
            Op::SignExtend(_) => {
                let value = self.read(pool, args[0], View::Signed)?;
                self.converted(&value, width, View::Signed, view)
            }
            Op::Concat => {
                let (high, low) =
                    (self.read(pool, args[0], View::Unsigned)?, self.read(pool, args[1], View::Unsigned)?);
                let low_width = pool.sort(args[1]).width().expect("pieces are bit-vectors");
                let high = context.variadic(z3::Z3_mk_mul, &[self.power(low_width)?, high])?;
                let value = context.variadic(z3::Z3_mk_add, &[high, low])?;
                self.converted(&value, width, View::Unsigned, view)
            }
            Op::Extract { hi, lo } => {
                let from = self.read(pool, args[0], View::Unsigned)?;
                let shifted = if lo == 0 { from } else { context.binary(z3::Z3_mk_div, &from, &self.power(lo)?)? };
                let value = context.binary(z3::Z3_mk_mod, &shifted, &self.power(hi - lo + 1)?)?;
                self.converted(&value, width, View::Unsigned, view)
            }
            _ => match (op, args.get(1).and_then(|&arg| constant(pool, arg))) {
                (Op::Shl, Some(distance)) if distance.ult(&BitVec::new(width, u64::from(width))) => {
                    self.exact(pool, term, op, &args, width)
                }
                (Op::Lshr | Op::Ashr, Some(distance)) if distance.to_u64().is_some_and(|n| n < u64::from(width)) => {
                    let from = if op == Op::Lshr { View::Unsigned } else { View::Signed };
                    let divisor = self.power(distance.as_u64() as u32)?;
                    let value = context.binary(z3::Z3_mk_div, &self.read(pool, args[0], from)?, &divisor)?;
                    self.converted(&value, width, from, view)
                }
                (Op::BvAnd, Some(mask)) if is_low_mask(&mask) => {
                    let from = self.read(pool, args[0], View::Unsigned)?;
                    let value = context.binary(z3::Z3_mk_mod, &from, &self.power(mask.bit_length())?)?;
                    self.converted(&value, width, View::Unsigned, view)
                }
                (Op::Udiv | Op::Urem, Some(divisor)) if !divisor.is_zero() => {
                    let make = if op == Op::Udiv { z3::Z3_mk_div } else { z3::Z3_mk_mod };
                    let from = self.read(pool, args[0], View::Unsigned)?;
                    let value = context.binary(make, &from, &self.number(&divisor, View::Unsigned)?)?;
                    self.converted(&value, width, View::Unsigned, view)
                }
                // The one signed quotient that wraps, by minus one, is a negation and never gets here.
                (Op::Sdiv | Op::Srem, Some(divisor)) if !divisor.is_zero() && !divisor.is_ones() => {
                    let value = self.toward_zero(op, &self.read(pool, args[0], View::Signed)?, &divisor)?;
                    self.converted(&value, width, View::Signed, view)
                }
                _ => self.any_in_range(term, width, view),
            },
        }
    }

    /// Z3 rounds down for positive divisors; signed division rounds toward zero.
    fn toward_zero(&self, op: Op, a: &Ast, divisor: &BitVec) -> Result<Ast, Failure> {
        let context = &self.context;
        let zero = self.number(&BitVec::zero(1), View::Unsigned)?;
        let magnitude = if divisor.is_negative() { divisor.neg() } else { divisor.clone() };
        let magnitude = self.number(&magnitude, View::Unsigned)?;
        let opposite = |ast: &Ast| context.unary(z3::Z3_mk_unary_minus, ast);
        let make = if op == Op::Sdiv { z3::Z3_mk_div } else { z3::Z3_mk_mod };
        let of_positive = context.binary(make, a, &magnitude)?;
        let of_negative = opposite(&context.binary(make, &opposite(a)?, &magnitude)?)?;
        let is_negative = context.binary(z3::Z3_mk_lt, a, &zero)?;
        let value = context.ternary(z3::Z3_mk_ite, &is_negative, &of_negative, &of_positive)?;
        if op == Op::Sdiv && divisor.is_negative() { opposite(&value) } else { Ok(value) }
    }

    /// The result of an operation that may wrap, with the condition under which it is the exact one.
    fn exact(&mut self, pool: &mut Pool, term: TermId, op: Op, args: &[TermId], width: u32) -> Result<Ast, Failure> {
        let context = self.context.clone();
        let view = self.view(term);
        // A large constant that is added is a small one that is subtracted.
        let views: Vec<View> = args
            .iter()
            .map(|&arg| match pool.as_const(arg) {
                Some(Value::Bv(value)) if value.is_negative() && op != Op::Shl => View::Signed,
                _ => view,
            })
            .collect();
        let mut operands = Vec::new();
        for (&arg, &view) in args.iter().zip(&views) {
            operands.push(self.read(pool, arg, view)?);
        }
        let value = match op {
            Op::Add => context.variadic(z3::Z3_mk_add, &operands)?,
            Op::Sub => context.variadic(z3::Z3_mk_sub, &operands)?,
            Op::Mul => context.variadic(z3::Z3_mk_mul, &operands)?,
            Op::Neg => context.unary(z3::Z3_mk_unary_minus, &operands[0])?,
            _ => {
                let Some(Value::Bv(distance)) = pool.as_const(args[1]) else { unreachable!("a constant shift") };
                let factor = self.power(distance.as_u64() as u32)?;
                context.variadic(z3::Z3_mk_mul, &[operands[0].clone(), factor])?
            }
        };
        // The same on bit-vectors: the result, extended, is the result of the extended operands.
        let wide = if matches!(op, Op::Mul | Op::Shl) { 2 * width + 1 } else { width + 2 };
        let extended = |pool: &mut Pool, term: TermId, view: View| pool.resize(term, view == View::Signed, wide);
        let mut wide_operands = Vec::new();
        for (i, &arg) in args.iter().enumerate() {
            let view = if op == Op::Shl && i == 1 { View::Unsigned } else { views[i] };
            wide_operands.push(extended(pool, arg, view));
        }
        let exact = pool.apply(op, &wide_operands);
        let wrapped = extended(pool, term, view);
        let condition = pool.eq(wrapped, exact);
        if pool.as_const(condition) == Some(&Value::Bool(true)) {
            return Ok(value);
        }
        let result = self.any_in_range(term, width, view)?;
        let ast = context.binary(z3::Z3_mk_eq, &result, &value)?;
        self.side_of.insert(term, self.sides.len());
        self.sides.push(Side { condition, ast });
        Ok(result)
    }

    /// A fresh integer for a term about which nothing else is known.
    fn any_in_range(&mut self, term: TermId, width: u32, view: View) -> Result<Ast, Failure> {
        let ast = self.context.fresh_constant(&self.context.int_sort())?;
        self.fresh.push((term, ast.clone()));
        self.ranges.push((term, self.in_range(&ast, width, view)?));
        Ok(ast)
    }
}

fn is_low_mask(mask: &BitVec) -> bool {
    !mask.is_zero() && mask.and(&mask.add(&BitVec::new(mask.width(), 1))).is_zero()
}

/// The decimal digits of an unsigned number.
fn decimal(value: &BitVec) -> String {
    if let Some(small) = value.to_u128() {
        return small.to_string();
    }
    let ten = BitVec::new(value.width(), 10);
    let mut rest = value.clone();
    let mut digits = Vec::new();
    while !rest.is_zero() {
        digits.push(b'0' + rest.urem(&ten).as_u64() as u8);
        rest = rest.udiv(&ten);
    }
    digits.reverse();
    String::from_utf8(digits).expect("digits are text")
}
