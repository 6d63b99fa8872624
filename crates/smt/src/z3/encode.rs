//! How does a term become a Z3 term?
//!
//! Operator by operator, each term once. Where Z3's meaning is left open or differs from `logic`'s, the difference is
//! spelled out: conversions of floats that do not fit, the bits of NaN, C's `fmod` (Z3 has the IEEE remainder).
//!
//! The mapping is kept as long as the context lives.

use logic::{BitVec, FloatSort, Node, Op, Pool, Scalar, Sort, TermId, Value, VarId};
use rustc_hash::FxHashMap;
use z3_sys as z3;

use super::binding::{Ast, AstSort, Context, Failure};
use crate::limits::Stop;

/// Terms and their Z3 terms.
pub(crate) struct Encoder {
    pub(crate) context: Context,
    terms: FxHashMap<TermId, Ast>,
    /// Whether there is a float among the terms.
    has_floats: bool,
    /// The limits of the check that terms are made for.
    stop: Option<Stop>,
}

/// Terms between two looks at the limits.
const POLL_PERIOD: usize = 512;

impl Encoder {
    pub(crate) fn new(context: &Context) -> Encoder {
        Encoder { context: context.clone(), terms: FxHashMap::default(), has_floats: false, stop: None }
    }

    /// How many terms have been translated.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Until which limits later terms are made.
    pub(crate) fn stop_at(&mut self, stop: Option<Stop>) {
        self.stop = stop;
    }

    /// Whether some term is a float.
    pub(crate) fn has_floats(&self) -> bool {
        self.has_floats
    }

    pub(crate) fn sort(&self, sort: Sort) -> AstSort {
        let context = &self.context;
        match sort {
            Sort::Bool => context.bool_sort(),
            Sort::Bv(width) => context.bv_sort(width),
            Sort::F32 => context.float_sort(8, 24),
            Sort::F64 => context.float_sort(11, 53),
            Sort::Array(index, element) => context.array_sort(&self.sort(index.into()), &self.sort(element.into())),
        }
    }

    pub(crate) fn var(&self, pool: &Pool, var: VarId) -> Result<Ast, Failure> {
        self.context.numbered_constant(var.0, &self.sort(pool.var_sort(var)))
    }

    pub(crate) fn term(&mut self, pool: &Pool, term: TermId) -> Result<Ast, Failure> {
        let mut open = vec![term];
        while let Some(&next) = open.last() {
            if self.terms.contains_key(&next) {
                open.pop();
                continue;
            }
            let n_before = open.len();
            let args = pool.node(next).args();
            open.extend(args.iter().filter(|arg| !self.terms.contains_key(arg)));
            if open.len() > n_before {
                continue;
            }
            if self.terms.len().is_multiple_of(POLL_PERIOD) {
                self.stop.as_ref().map_or(Ok(()), Stop::check).map_err(Failure::Stopped)?;
            }
            self.has_floats |= pool.sort(next).is_float();
            let ast = match pool.node(next) {
                Node::Const(value) => self.value(value)?,
                Node::Var(var) => self.var(pool, *var)?,
                Node::App { op, args } => {
                    let args: Vec<Ast> = args.iter().map(|arg| self.terms[arg].clone()).collect();
                    let sorts: Vec<Sort> = pool.node(next).args().iter().map(|&arg| pool.sort(arg)).collect();
                    self.apply(*op, &args, &sorts)?
                }
            };
            self.terms.insert(next, ast);
        }
        Ok(self.terms[&term].clone())
    }

    pub(crate) fn value(&self, value: &Value) -> Result<Ast, Failure> {
        let context = &self.context;
        match value {
            Value::Bool(true) => context.nullary(z3::Z3_mk_true),
            Value::Bool(false) => context.nullary(z3::Z3_mk_false),
            Value::Bv(bits) => self.bit_vector(bits),
            Value::F32(bits) => self.float(u64::from(*bits), Sort::F32, f32::from_bits(*bits).is_nan()),
            Value::F64(bits) => self.float(*bits, Sort::F64, f64::from_bits(*bits).is_nan()),
            Value::Array(array) => {
                let default = self.value(array.default())?;
                let mut result = context.const_array(&self.sort(array.index_sort().into()), &default)?;
                for (index, element) in array.exceptions() {
                    let (index, element) = (self.value(index)?, self.value(element)?);
                    result = context.ternary(z3::Z3_mk_store, &result, &index, &element)?;
                }
                Ok(result)
            }
        }
    }

    fn bit_vector(&self, bits: &BitVec) -> Result<Ast, Failure> {
        let context = &self.context;
        if bits.width() <= 64 {
            return context.small_number(bits.as_u64(), &context.bv_sort(bits.width()));
        }
        let limb = |limb: u64| context.small_number(limb, &context.bv_sort(64));
        let (low, rest) = bits.limbs().split_first().expect("there is at least one limb");
        let mut result = limb(*low)?;
        for &next in rest {
            result = context.binary(z3::Z3_mk_concat, &limb(next)?, &result)?;
        }
        context.extract(bits.width() - 1, 0, &result)
    }

    fn float(&self, bits: u64, sort: Sort, is_nan: bool) -> Result<Ast, Failure> {
        let context = &self.context;
        let width = sort.width().expect("floats have a width");
        if is_nan {
            return context.nan(&self.sort(sort));
        }
        let bits = context.small_number(bits, &context.bv_sort(width))?;
        context.sorted(z3::Z3_mk_fpa_to_fp_bv, &bits, &self.sort(sort))?.simplified()
    }

    fn apply(&self, op: Op, args: &[Ast], sorts: &[Sort]) -> Result<Ast, Failure> {
        let context = &self.context;
        match (op, args) {
            (Op::And, _) => context.variadic(z3::Z3_mk_and, args),
            (Op::Or, _) => context.variadic(z3::Z3_mk_or, args),
            (_, [a]) => self.unary(op, a, sorts[0]),
            (Op::FRem, [a, b]) => self.fmod(a, b),
            (Op::FAdd | Op::FSub | Op::FMul | Op::FDiv, [a, b]) => {
                let make = match op {
                    Op::FAdd => z3::Z3_mk_fpa_add,
                    Op::FSub => z3::Z3_mk_fpa_sub,
                    Op::FMul => z3::Z3_mk_fpa_mul,
                    _ => z3::Z3_mk_fpa_div,
                };
                context.ternary(make, &self.to_nearest()?, a, b)
            }
            (Op::Eq, [a, b]) if matches!(sorts[0], Sort::Array(..)) => self.arrays_equal(a, b, sorts[0]),
            (_, [a, b]) => self.binary(op, a, b, sorts[0]),
            (Op::Ite, [c, t, e]) => context.ternary(z3::Z3_mk_ite, c, t, e),
            (Op::Store, [array, index, element]) => context.ternary(z3::Z3_mk_store, array, index, element),
            _ => unreachable!("{op:?} on {} operands", args.len()),
        }
    }

    fn unary(&self, op: Op, a: &Ast, sort: Sort) -> Result<Ast, Failure> {
        let context = &self.context;
        let width = sort.width().unwrap_or(1);
        match op {
            Op::Not => context.unary(z3::Z3_mk_not, a),
            Op::Neg => context.unary(z3::Z3_mk_bvneg, a),
            Op::BvNot => context.unary(z3::Z3_mk_bvnot, a),
            Op::Extract { hi, lo } => context.extract(hi, lo, a),
            Op::ZeroExtend(to) => context.numbered(z3::Z3_mk_zero_ext, to - width, a),
            Op::SignExtend(to) => context.numbered(z3::Z3_mk_sign_ext, to - width, a),
            Op::FNeg => context.unary(z3::Z3_mk_fpa_neg, a),
            Op::FAbs => context.unary(z3::Z3_mk_fpa_abs, a),
            Op::FSqrt => context.binary(z3::Z3_mk_fpa_sqrt, &self.to_nearest()?, a),
            Op::FIsNan => context.unary(z3::Z3_mk_fpa_is_nan, a),
            Op::FloatToFloat(to) => self.rounded(z3::Z3_mk_fpa_to_fp_float, a, to),
            Op::SbvToFloat(to) => self.rounded(z3::Z3_mk_fpa_to_fp_signed, a, to),
            Op::UbvToFloat(to) => self.rounded(z3::Z3_mk_fpa_to_fp_unsigned, a, to),
            Op::FloatToSbv(to) => self.float_to_bv(a, sort, to, true),
            Op::FloatToUbv(to) => self.float_to_bv(a, sort, to, false),
            Op::FloatToBits => {
                let nan = if sort == Sort::F32 { u64::from(logic::F32_NAN) } else { logic::F64_NAN };
                let nan = context.small_number(nan, &context.bv_sort(width))?;
                let is_nan = context.unary(z3::Z3_mk_fpa_is_nan, a)?;
                let bits = context.unary(z3::Z3_mk_fpa_to_ieee_bv, a)?;
                context.ternary(z3::Z3_mk_ite, &is_nan, &nan, &bits)
            }
            Op::FloatFromBits => {
                let to = if width == 32 { Sort::F32 } else { Sort::F64 };
                context.sorted(z3::Z3_mk_fpa_to_fp_bv, a, &self.sort(to))
            }
            Op::ConstArray(index) => context.const_array(&self.sort(index.into()), a),
            _ => unreachable!("{op:?} does not take one operand"),
        }
    }

    fn binary(&self, op: Op, a: &Ast, b: &Ast, sort: Sort) -> Result<Ast, Failure> {
        let make = match op {
            Op::Eq => z3::Z3_mk_eq,
            Op::Add => z3::Z3_mk_bvadd,
            Op::Sub => z3::Z3_mk_bvsub,
            Op::Mul => z3::Z3_mk_bvmul,
            Op::Udiv => z3::Z3_mk_bvudiv,
            Op::Sdiv => z3::Z3_mk_bvsdiv,
            Op::Urem => z3::Z3_mk_bvurem,
            Op::Srem => z3::Z3_mk_bvsrem,
            Op::BvAnd => z3::Z3_mk_bvand,
            Op::BvOr => z3::Z3_mk_bvor,
            Op::BvXor => z3::Z3_mk_bvxor,
            Op::Shl => z3::Z3_mk_bvshl,
            Op::Lshr => z3::Z3_mk_bvlshr,
            Op::Ashr => z3::Z3_mk_bvashr,
            Op::Ult => z3::Z3_mk_bvult,
            Op::Slt => z3::Z3_mk_bvslt,
            Op::Concat => z3::Z3_mk_concat,
            Op::FEq => z3::Z3_mk_fpa_eq,
            Op::FLt => z3::Z3_mk_fpa_lt,
            Op::FLe => z3::Z3_mk_fpa_leq,
            Op::Select => z3::Z3_mk_select,
            Op::UmulOverflows | Op::SmulOverflows => {
                return self.mul_overflows(a, b, sort, op == Op::SmulOverflows);
            }
            _ => unreachable!("{op:?} does not take two operands"),
        };
        self.context.binary(make, a, b)
    }

    /// Element by element where the indices are few: Z3 4.8 has been seen to take unequal arrays of that kind for equal.
    fn arrays_equal(&self, a: &Ast, b: &Ast, sort: Sort) -> Result<Ast, Failure> {
        let context = &self.context;
        let Sort::Array(index, _) = sort else { unreachable!("these are arrays") };
        let Some(indices) = small_domain(index) else { return context.binary(z3::Z3_mk_eq, a, b) };
        let mut equations = Vec::new();
        for at in indices {
            let at = self.value(&at)?;
            let read = |array: &Ast| context.binary(z3::Z3_mk_select, array, &at);
            equations.push(context.binary(z3::Z3_mk_eq, &read(a)?, &read(b)?)?);
        }
        context.variadic(z3::Z3_mk_and, &equations)
    }

    /// The exact product, of twice the width, is not the extension of its lower half.
    fn mul_overflows(&self, a: &Ast, b: &Ast, sort: Sort, signed: bool) -> Result<Ast, Failure> {
        let context = &self.context;
        let width = sort.width().expect("products are of bit-vectors");
        let extension = if signed { z3::Z3_mk_sign_ext } else { z3::Z3_mk_zero_ext };
        let (a, b) = (context.numbered(extension, width, a)?, context.numbered(extension, width, b)?);
        let product = context.binary(z3::Z3_mk_bvmul, &a, &b)?;
        let low = context.extract(width - 1, 0, &product)?;
        let fits = context.binary(z3::Z3_mk_eq, &product, &context.numbered(extension, width, &low)?)?;
        context.unary(z3::Z3_mk_not, &fits)
    }

    fn to_nearest(&self) -> Result<Ast, Failure> {
        self.context.nullary(z3::Z3_mk_fpa_rne)
    }

    fn rounded(&self, make: super::binding::RoundedToSort, a: &Ast, to: FloatSort) -> Result<Ast, Failure> {
        self.context.rounded_to_sort(make, &self.to_nearest()?, a, &self.sort(to.into()))
    }

    /// Rounded toward zero where that fits, else only the top bit set; Z3 leaves the latter open.
    fn float_to_bv(&self, a: &Ast, sort: Sort, width: u32, signed: bool) -> Result<Ast, Failure> {
        let context = &self.context;
        let otherwise = self.bit_vector(&BitVec::signed_min(width))?;
        let is_infinite = context.unary(z3::Z3_mk_fpa_is_infinite, a)?;
        let is_nan = context.unary(z3::Z3_mk_fpa_is_nan, a)?;
        let mut outside = vec![is_infinite, is_nan];
        let n_bits = if signed { width - 1 } else { width };
        // Beyond the largest exponent every number fits.
        if let Some(bound) = power_of_two(sort, n_bits) {
            let bound = self.value(&bound)?;
            outside.push(context.binary(z3::Z3_mk_fpa_leq, &bound, a)?);
        }
        // Of the negative signed numbers, the smallest is the answer for what does not fit too.
        let lower = if signed { power_of_two(sort, n_bits) } else { power_of_two(sort, 0) };
        if let Some(lower) = lower {
            let lower = context.unary(z3::Z3_mk_fpa_neg, &self.value(&lower)?)?;
            outside.push(context.binary(z3::Z3_mk_fpa_leq, a, &lower)?);
        }
        let outside = context.variadic(z3::Z3_mk_or, &outside)?;
        let toward_zero = context.nullary(z3::Z3_mk_fpa_rtz)?;
        let make = if signed { z3::Z3_mk_fpa_to_sbv } else { z3::Z3_mk_fpa_to_ubv };
        let converted = context.rounded_to_width(make, &toward_zero, a, width)?;
        context.ternary(z3::Z3_mk_ite, &outside, &otherwise, &converted)
    }

    /// `fmod` from the IEEE remainder of the magnitudes, which is the same or smaller by the divisor.
    fn fmod(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        let context = &self.context;
        let magnitude = |x: &Ast| context.unary(z3::Z3_mk_fpa_abs, x);
        let (x, y) = (magnitude(a)?, magnitude(b)?);
        let remainder = context.binary(z3::Z3_mk_fpa_rem, &x, &y)?;
        let is_negative = context.unary(z3::Z3_mk_fpa_is_negative, &remainder)?;
        let is_zero = context.unary(z3::Z3_mk_fpa_is_zero, &remainder)?;
        let nonzero = context.unary(z3::Z3_mk_not, &is_zero)?;
        let below = context.variadic(z3::Z3_mk_and, &[is_negative, nonzero])?;
        let lifted = context.ternary(z3::Z3_mk_fpa_add, &self.to_nearest()?, &remainder, &y)?;
        let result = context.ternary(z3::Z3_mk_ite, &below, &lifted, &remainder)?;
        let result = magnitude(&result)?;
        let opposite = context.unary(z3::Z3_mk_fpa_neg, &result)?;
        let is_negative = context.unary(z3::Z3_mk_fpa_is_negative, a)?;
        context.ternary(z3::Z3_mk_ite, &is_negative, &opposite, &result)
    }
}

/// All values of an index sort, if they are few.
pub(super) fn small_domain(index: Scalar) -> Option<Vec<Value>> {
    match index {
        Scalar::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Scalar::Bv(width) if width <= 6 => Some((0..1 << width).map(|value| Value::bv(width, value)).collect()),
        _ => None,
    }
}

/// A power of two as a float, if it is a finite one.
fn power_of_two(sort: Sort, exponent: u32) -> Option<Value> {
    match sort {
        Sort::F32 => (exponent < 128).then(|| Value::F32((exponent + 127) << 23)),
        _ => (exponent < 1024).then(|| Value::F64((u64::from(exponent) + 1023) << 52)),
    }
}
