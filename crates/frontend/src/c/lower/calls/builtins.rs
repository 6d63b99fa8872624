//! Compiler builtins that are not atomic operations.
//!
//! Builtins that stand for a library function (`__builtin_memcpy`) are called by its name. The rest are small computations,
//! hints, or refused.

use crate::c::check::DOUBTFUL;
use crate::c::lower::body::Body;
use crate::c::lower::model_types::{is_signed, pointee};
use crate::c::typed::{Expr, ExprKind};
use crate::c::types::TypeId;
use ir::{HavocKind, Op, Order};
use logic::{Sort, TermId, Value};

impl Body<'_, '_> {
    pub(in crate::c::lower) fn builtin(&mut self, expr: &Expr, name: &str, args: &[Expr], is_wanted: bool) -> TermId {
        if !self.is_reachable() {
            return self.some_value(expr.ty.ty);
        }
        if let Some(value) = self.atomic_builtin(expr, name, args) {
            return value;
        }
        let ty = expr.ty.ty;
        if name == DOUBTFUL {
            self.unsupported(name);
            return self.some_value(ty);
        }
        let short = name.strip_prefix("__builtin_").unwrap_or(name);
        match (short, args) {
            ("expect" | "expect_with_probability" | "assume_aligned", [value, ..]) => {
                let term = self.eval(value);
                self.convert(term, value.ty.ty, ty)
            }
            ("unreachable", _) => {
                // Reaching it is undefined; like the compiler, take it that no execution does.
                let place = self.lw.program.sources.place(self.span);
                self.lw.assume(format!("`__builtin_unreachable` ({place}) is never reached"));
                let never = self.pool().bool(false);
                self.assume(never);
                self.some_value(ty)
            }
            ("prefetch" | "ia32_pause" | "__clear_cache", args) => {
                for arg in args {
                    self.discard(arg);
                }
                self.some_value(ty)
            }
            ("assume", _) => self.some_value(ty),
            ("ia32_mfence" | "ia32_lfence" | "ia32_sfence", _) => {
                let order = match short {
                    "ia32_mfence" => Order::SeqCst,
                    "ia32_lfence" => Order::Acquire,
                    _ => Order::Release,
                };
                self.emit(Op::Fence(order));
                self.some_value(ty)
            }
            ("constant_p", _) => self.number(0, ty),
            ("object_size" | "dynamic_object_size", _) => self.number(-1, ty),
            ("ffs" | "ffsl" | "ffsll" | "ctz" | "ctzl" | "ctzll" | "clz" | "clzl" | "clzll", [value])
            | ("clrsb" | "clrsbl" | "clrsbll", [value])
            | ("popcount" | "popcountl" | "popcountll" | "parity" | "parityl" | "parityll", [value]) => {
                let value = self.eval(value);
                self.count_bits(short, value, ty)
            }
            ("bswap16" | "bswap32" | "bswap64", [value]) => {
                let width = short["bswap".len()..].parse().expect("the name ends in a number");
                let value = self.eval(value);
                let value = self.pool().resize(value, false, width);
                let mut swapped = self.pool().extract(value, 7, 0);
                for byte in 1..width / 8 {
                    let next = self.pool().extract(value, byte * 8 + 7, byte * 8);
                    swapped = self.pool().concat(swapped, next);
                }
                self.resized(swapped, false, ty)
            }
            ("add_overflow" | "sub_overflow" | "mul_overflow", [a, b, to]) => self.overflowing(short, a, b, to, ty),
            ("alloca" | "alloca_with_align", [size, ..]) => self.alloca(size),
            ("fabs" | "fabsf", [value]) => {
                let value = self.eval(value);
                self.pool().fabs(value)
            }
            ("sqrt" | "sqrtf", [value]) => {
                self.lw.note_math_errors();
                let value = self.eval(value);
                self.pool().fsqrt(value)
            }
            ("isnan", [value]) => {
                let value = self.eval(value);
                let is_nan = self.pool().fis_nan(value);
                self.int_of(is_nan)
            }
            ("isinf" | "isinf_sign" | "isfinite" | "isnormal" | "signbit" | "signbitf", [value]) => {
                let value_ty = value.ty.ty;
                let value = self.eval(value);
                self.float_class(short, value, value_ty)
            }
            (
                "isgreater" | "isgreaterequal" | "isless" | "islessequal" | "islessgreater" | "isunordered",
                [left, right],
            ) => {
                let (left, right) = (self.eval(left), self.eval(right));
                self.float_comparison(short, left, right)
            }
            ("fpclassify", [answers @ .., value]) => {
                let value_ty = value.ty.ty;
                let answers: Vec<TermId> = answers.iter().map(|answer| self.eval(answer)).collect();
                let value = self.eval(value);
                self.float_kind(&answers, value, value_ty)
            }
            ("inf" | "inff" | "huge_val" | "huge_valf", []) => self.float(f64::INFINITY, ty),
            ("nan" | "nanf", _) => self.float(f64::NAN, ty),
            ("va_start" | "va_end" | "va_copy", _) => {
                self.list_builtin(short, args);
                self.some_value(ty)
            }
            _ if name.starts_with("__builtin_") || !args.is_empty() || name == short => {
                self.library_builtin(expr, short, args, is_wanted)
            }
            _ => {
                self.unsupported(&format!("`{name}`"));
                self.some_value(ty)
            }
        }
    }

    /// A builtin that is a library function by another name, fortified ones included.
    fn library_builtin(&mut self, expr: &Expr, name: &str, args: &[Expr], is_wanted: bool) -> TermId {
        let plain = match super::library::known(name) {
            Some(_) => name,
            None => name.strip_prefix("__").and_then(|name| name.strip_suffix("_chk")).unwrap_or(name),
        };
        let value = self.call_named(expr, plain, None, args, is_wanted);
        let ty = expr.ty.ty;
        value.unwrap_or_else(|| self.some_value(ty))
    }

    /// A comparison that does not mind NaNs, as an `int`.
    fn float_comparison(&mut self, name: &str, left: TermId, right: TermId) -> TermId {
        let pool = self.pool();
        let holds = match name {
            "isgreater" => pool.flt(right, left),
            "isgreaterequal" => pool.fle(right, left),
            "isless" => pool.flt(left, right),
            "islessequal" => pool.fle(left, right),
            "islessgreater" => {
                let (below, above) = (pool.flt(left, right), pool.flt(right, left));
                pool.or(below, above)
            }
            _ => {
                let (left, right) = (pool.fis_nan(left), pool.fis_nan(right));
                pool.or(left, right)
            }
        };
        self.int_of(holds)
    }

    /// One of five answers: it is a NaN, infinite, normal, too small for that, or zero.
    fn float_kind(&mut self, answers: &[TermId], value: TermId, ty: TypeId) -> TermId {
        let least = if self.types().size(ty) == Some(4) { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
        let (infinity, least, zero) = (self.float(f64::INFINITY, ty), self.float(least, ty), self.float(0.0, ty));
        let pool = self.pool();
        let size = pool.fabs(value);
        let kinds = [pool.fis_nan(value), pool.feq(size, infinity), pool.fle(least, size), pool.flt(zero, size)];
        let (others, last) = (&answers[..4], answers[4]);
        kinds.iter().zip(others).rev().fold(last, |rest, (is_it, answer)| self.pool().ite(*is_it, *answer, rest))
    }

    /// What kind of floating-point number it is, as an `int`.
    fn float_class(&mut self, name: &str, value: TermId, ty: TypeId) -> TermId {
        let least = if self.types().size(ty) == Some(4) { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
        let (infinity, least, zero) = (self.float(f64::INFINITY, ty), self.float(least, ty), self.float(0.0, ty));
        let pool = self.pool();
        let size = pool.fabs(value);
        let is_finite = pool.flt(size, infinity);
        match name {
            "isinf" | "isinf_sign" => {
                let (is_infinite, is_below) = (pool.feq(size, infinity), pool.flt(value, zero));
                let (one, minus, none) = (pool.bv(32, 1), pool.bv(32, u64::from(u32::MAX)), pool.bv(32, 0));
                let sign = pool.ite(is_below, minus, one);
                pool.ite(is_infinite, sign, none)
            }
            "isfinite" => self.int_of(is_finite),
            "isnormal" => {
                let is_large = pool.fle(least, size);
                let both = pool.and(is_large, is_finite);
                self.int_of(both)
            }
            _ => {
                let bits = pool.float_to_bits(value);
                let width = pool.sort(bits).width().expect("bits have a width");
                let top = pool.extract(bits, width - 1, width - 1);
                let (top, is_nan) = (pool.resize(top, false, 32), pool.fis_nan(value));
                // What sign a NaN has nobody computes.
                let has_sign = pool.not(is_nan);
                self.known_if(has_sign, top, HavocKind::Approximation)
            }
        }
    }

    fn float(&mut self, value: f64, ty: TypeId) -> TermId {
        let single = self.types().size(ty) == Some(4);
        self.pool().constant(if single { Value::f32(value as f32) } else { Value::f64(value) })
    }

    fn resized(&mut self, value: TermId, signed: bool, ty: TypeId) -> TermId {
        let scalar = self.scalar_or_refuse(ty);
        self.convert_to(value, signed, scalar, false)
    }

    fn count_bits(&mut self, name: &str, value: TermId, ty: TypeId) -> TermId {
        let width = self.pool().sort(value).width().expect("integers have a width");
        let count = |body: &mut Self, n: u32| body.number(i128::from(n), ty);
        // Bits like the one of the sign, behind it: no bit is set where all are.
        let value = match name.starts_with("clrsb") {
            true => {
                let last = self.pool().bv(width, u64::from(width) - 1);
                let sign = self.pool().ashr(value, last);
                self.pool().bv_xor(value, sign)
            }
            false => value,
        };
        let before_first = u32::from(name.starts_with("clrsb"));
        let bit = |body: &mut Self, at: u32| {
            let bit = body.pool().extract(value, at, at);
            body.truth(bit)
        };
        if name.starts_with("popcount") || name.starts_with("parity") {
            let mut sum = count(self, 0);
            for at in 0..width {
                let one = self.pool().extract(value, at, at);
                let one = self.resized(one, false, ty);
                sum = self.pool().add(sum, one);
            }
            let one = count(self, 1);
            return if name.starts_with("parity") { self.pool().bv_and(sum, one) } else { sum };
        }
        // The innermost alternative is the one of no bit set, where `ctz` and `clz` are undefined.
        let is_first = name.starts_with("ffs");
        let is_from_top = name.starts_with("cl");
        let mut result = count(self, if is_first { 0 } else { width - before_first });
        for step in before_first..width {
            // Among more bits than one, the one that is looked at last counts.
            let (at, found) = match is_from_top {
                true => (step - before_first, width - 1 - step),
                false => (width - 1 - step, width - 1 - step),
            };
            let found = count(self, found + u32::from(is_first));
            let is_set = bit(self, at);
            result = self.pool().ite(is_set, found, result);
        }
        result
    }

    /// `__builtin_add_overflow` and its kind: exact in a width that holds every result, then cut.
    fn overflowing(&mut self, name: &str, a: &Expr, b: &Expr, to: &Expr, ty: TypeId) -> TermId {
        let (left, right) = (self.eval(a), self.eval(b));
        let addr = self.eval(to);
        let Some(target) = pointee(self.types(), to.ty.ty) else {
            self.unsupported("this use of an overflow builtin");
            return self.some_value(ty);
        };
        let sort = self.scalar_or_refuse(target.ty);
        let width = |body: &mut Self, term| body.pool().sort(term).width().expect("integers have a width");
        let wide = 2 * (width(self, left).max(width(self, right)).max(Sort::from(sort).width().unwrap_or(64)) + 1);
        let (a_signed, b_signed) = (is_signed(self.types(), a.ty.ty), is_signed(self.types(), b.ty.ty));
        let (left, right) = (self.pool().resize(left, a_signed, wide), self.pool().resize(right, b_signed, wide));
        let exact = match name {
            "add_overflow" => self.pool().add(left, right),
            "sub_overflow" => self.pool().sub(left, right),
            _ => self.pool().mul(left, right),
        };
        let narrow = self.convert_to(exact, true, sort, false);
        let is_target_signed = is_signed(self.types(), target.ty);
        let back = self.pool().resize(narrow, is_target_signed, wide);
        let overflows = self.pool().ne(back, exact);
        self.emit(Op::Store { place: Self::memory(addr, sort), value: narrow, order: ir::Order::Plain });
        let (one, zero) = (self.number(1, ty), self.number(0, ty));
        self.pool().ite(overflows, one, zero)
    }

    /// The text of a string literal under casts and decay.
    pub(in crate::c::lower) fn literal_text(expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::Decay(inner) | ExprKind::Cast(inner) | ExprKind::AddressOf(inner) => Self::literal_text(inner),
            ExprKind::String(bytes) => {
                Some(String::from_utf8_lossy(bytes.strip_suffix(&[0]).unwrap_or(bytes)).into_owned())
            }
            _ => None,
        }
    }
}
