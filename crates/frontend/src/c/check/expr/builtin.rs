//! Functions that the compiler itself provides: `__builtin_*`, `__sync_*`, `__atomic_*`, `__c11_atomic_*`.
//!
//! Four sorts. Some are answers the type checker knows (`__builtin_constant_p`, `__builtin_inf`); some are library
//! functions under another name and become calls of them; some have fixed types and a row in `FIXED`; the rest take
//! their types from what a pointer argument points to, or from nothing at all, and have a function here or in
//! `builtin_result`. A name that is in none of these is refused.
//!
//! Sized and typed spellings of one operation (`__sync_add_and_fetch_4`, `__builtin_sadd_overflow`) are given the name
//! of the generic one, with converted arguments, so that the lowering meets one name for each operation.

use ir::Span;

use super::super::super::ast;
use super::super::super::typed::{Expr, ExprKind};
use super::super::super::types::{IntKind, QualType, Type, TypeId};
use super::super::{Checked, Checker};

/// Builtins with fixed types, in the notation of `library`.
const FIXED: &[(&str, &str)] = &[
    ("alloca", "p:z"),
    ("alloca_with_align", "p:zz"),
    ("assume", "v:b"),
    ("assume_aligned", "p:Pz."),
    ("bswap16", "h:h"),
    ("bswap32", "u:u"),
    ("bswap64", "M:M"),
    ("clrsb", "i:i"),
    ("clrsbl", "i:l"),
    ("clrsbll", "i:L"),
    ("clz", "i:u"),
    ("clzl", "i:m"),
    ("clzll", "i:M"),
    ("ctz", "i:u"),
    ("ctzl", "i:m"),
    ("ctzll", "i:M"),
    ("debugtrap", "v:"),
    ("expect", "l:ll"),
    ("expect_with_probability", "l:lld"),
    ("extract_return_addr", "p:p"),
    ("ffsl", "i:l"),
    ("ffsll", "i:L"),
    ("frame_address", "p:u"),
    ("ia32_lfence", "v:"),
    ("ia32_mfence", "v:"),
    ("ia32_pause", "v:"),
    ("ia32_sfence", "v:"),
    ("parity", "i:u"),
    ("parityl", "i:m"),
    ("parityll", "i:M"),
    ("popcount", "i:u"),
    ("popcountl", "i:m"),
    ("popcountll", "i:M"),
    ("prefetch", "v:P."),
    ("return_address", "p:u"),
    ("stack_restore", "v:p"),
    ("stack_save", "p:"),
    ("trap", "v:"),
    ("unreachable", "v:"),
    ("va_arg_pack_len", "i:"),
];

/// Library functions whose checking variant only adds the size of the destination as last argument.
const CHECKED_COPIES: &[&str] =
    &["memcpy", "memmove", "mempcpy", "memset", "stpcpy", "strcat", "strcpy", "strncat", "strncpy"];

impl Checker {
    /// A call of a builtin; `None` if the name is not one that compilers reserve for builtins.
    pub(super) fn builtin_call(&mut self, name: &str, arguments: &[ast::Expr], span: Span) -> Option<Checked<Expr>> {
        if let Some(stem) = name.strip_prefix("__sync_") {
            return Some(self.sync_builtin(stem, arguments, span));
        }
        if let Some(stem) = name.strip_prefix("__atomic_") {
            return Some(self.atomic_builtin(stem, arguments, span));
        }
        if let Some(stem) = name.strip_prefix("__c11_atomic_") {
            return Some(self.c11_builtin(stem, arguments, span));
        }
        let stem = name.strip_prefix("__builtin_")?;
        Some(self.plain_builtin(name, stem, arguments, span))
    }

    fn plain_builtin(&mut self, name: &str, stem: &str, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        if let Some((_, signature)) = FIXED.iter().find(|(known, _)| *known == stem) {
            let ty = self.signature(signature);
            return self.fixed_builtin(name, ty, arguments, span);
        }
        if let Some(function) = self.library_function(name, span) {
            return self.call_function(function, arguments, span);
        }
        if let Some(copy) = stem.strip_prefix("__").and_then(|stem| stem.strip_suffix("_chk"))
            && let (true, Some((_, arguments))) = (CHECKED_COPIES.contains(&copy), arguments.split_last())
            && let Some(function) = self.library_function(&format!("__builtin_{copy}"), span)
        {
            return self.call_function(function, arguments, span);
        }
        if let Some(result) = self.overflow_builtin(stem, arguments, span) {
            return result;
        }
        match stem {
            "constant_p" => self.constant_p(arguments, span),
            "object_size" | "dynamic_object_size" => self.object_size(arguments, span),
            "classify_type" => self.classify_type(arguments, span),
            "va_start" | "va_end" | "va_copy" | "c23_va_start" => self.va_builtin(name, arguments, span),
            "inf" | "huge_val" => self.float_constant(f64::INFINITY, self.basic.double, arguments, span),
            "inff" | "huge_valf" => self.float_constant(f64::INFINITY, self.basic.float, arguments, span),
            "infl" | "huge_vall" => self.float_constant(f64::INFINITY, self.basic.long_double, arguments, span),
            "nan" | "nanf" | "nanl" => self.nan(stem, arguments, span),
            "isnan" | "isinf" | "isinf_sign" | "isfinite" | "isnormal" | "signbit" | "signbitf" => {
                self.float_test(name, arguments, 1, span)
            }
            "isgreater" | "isgreaterequal" | "isless" | "islessequal" | "islessgreater" | "isunordered" => {
                self.float_test(name, arguments, 2, span)
            }
            "fpclassify" => self.fpclassify(name, arguments, span),
            _ => {
                let message = format!("the builtin {name}");
                Err(self.refuse(span, message))
            }
        }
    }

    /// All arguments as values, in their own types.
    pub(super) fn argument_values(&mut self, arguments: &[ast::Expr]) -> Checked<Vec<Expr>> {
        arguments.iter().map(|argument| self.value(argument)).collect()
    }

    /// Reports a wrong number of arguments.
    pub(super) fn expect_arguments(
        &mut self,
        name: &str,
        arguments: &[ast::Expr],
        wanted: usize,
        span: Span,
    ) -> Checked<()> {
        if arguments.len() == wanted {
            return Ok(());
        }
        Err(self.error(span, format!("{name} takes {wanted} arguments, not {}", arguments.len())))
    }

    pub(super) fn make_builtin(&self, name: &str, args: Vec<Expr>, ty: TypeId, span: Span) -> Expr {
        self.make(ExprKind::Builtin { name: name.to_string(), args }, ty, span)
    }

    fn fixed_builtin(&mut self, name: &str, ty: TypeId, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        let Type::Function { result, params, is_variadic, .. } = self.types.get(ty).clone() else {
            return Err(self.error(span, "this is not a function"));
        };
        if arguments.len() < params.len() || !is_variadic {
            self.expect_arguments(name, arguments, params.len(), span)?;
        }
        let mut args = self.argument_values(arguments)?;
        for (index, arg) in args.iter_mut().enumerate() {
            let value = arg.clone();
            *arg = match params.get(index) {
                // Conditions are often pointers here; their truth is what counts.
                Some(param) if self.types.is_integer(param.ty) && self.types.is_pointer(value.ty.ty) => {
                    self.cast(value, param.ty)
                }
                Some(param) => self.assign_to(value, *param, &format!("argument {}", index + 1))?,
                None => self.promote_argument(value),
            };
        }
        Ok(self.make_builtin(name, args, result.ty, span))
    }

    fn constant_p(&mut self, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        self.expect_arguments("__builtin_constant_p", arguments, 1, span)?;
        let is_string = matches!(arguments[0].kind, ast::ExprKind::String(_));
        let value = self.without_evaluating(|checker| checker.value(&arguments[0]))?;
        let is_constant = is_string || self.evaluate(&value).is_some();
        Ok(self.make_int(i128::from(is_constant), IntKind::Int, span))
    }

    /// Sizes of objects are unknown, which the builtin says as the largest or smallest size, by its second argument.
    fn object_size(&mut self, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        self.expect_arguments("__builtin_object_size", arguments, 2, span)?;
        self.without_evaluating(|checker| checker.value(&arguments[0]))?;
        let mode = self.constant_integer(&arguments[1], "the second argument of __builtin_object_size")?;
        Ok(self.make_int(if mode & 2 == 0 { -1 } else { 0 }, self.size_kind(), span))
    }

    fn classify_type(&mut self, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        self.expect_arguments("__builtin_classify_type", arguments, 1, span)?;
        let value = self.without_evaluating(|checker| checker.value(&arguments[0]))?;
        let class = match self.types.get(value.ty.ty) {
            Type::Void => 0,
            Type::Int(_) | Type::Enum(_) => 1,
            Type::Pointer(_) => 5,
            Type::Float | Type::Double | Type::LongDouble => 8,
            Type::Record(record) if self.types.record(*record).is_union => 13,
            Type::Record(_) => 12,
            _ => return Err(self.refuse(span, "__builtin_classify_type of this type")),
        };
        Ok(self.make_int(class, IntKind::Int, span))
    }

    /// The list is an object that the builtin changes, so it stays an lvalue.
    fn va_builtin(&mut self, name: &str, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        let n_lists = if name.ends_with("va_copy") { 2 } else { 1 };
        if arguments.len() < n_lists {
            self.expect_arguments(name, arguments, n_lists, span)?;
        }
        let is_start = name.ends_with("va_start");
        if is_start && !self.body.as_ref().is_some_and(|body| body.is_variadic) {
            return Err(self.error(span, "va_start in a function without variable arguments"));
        }
        let mut args = Vec::new();
        for argument in &arguments[..n_lists] {
            let list = self.expr(argument)?;
            if !matches!(self.types.get(list.ty.ty), Type::VaList) {
                let ty = self.text(list.ty);
                return Err(self.refuse(span, format!("{name} of a list of type {ty}")));
            }
            self.take_address(&list);
            args.push(list);
        }
        Ok(self.make_builtin(name, args, self.basic.void, span))
    }

    pub(super) fn va_arg(&mut self, list: &ast::Expr, type_name: &ast::TypeName, span: Span) -> Checked<Expr> {
        let ty = self.type_name(type_name)?;
        let list = self.expr(list)?;
        if !matches!(self.types.get(list.ty.ty), Type::VaList) {
            let name = self.text(list.ty);
            return Err(self.refuse(span, format!("va_arg of a list of type {name}")));
        }
        self.take_address(&list);
        self.note_value_of(ty, span);
        Ok(self.make(ExprKind::VaArg(Box::new(list)), ty.ty, span))
    }

    fn float_constant(&mut self, value: f64, ty: TypeId, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        self.expect_arguments("this builtin", arguments, 0, span)?;
        self.note_value_of(QualType::plain(ty), span);
        Ok(self.make(ExprKind::Float(value), ty, span))
    }

    fn nan(&mut self, stem: &str, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        self.expect_arguments("__builtin_nan", arguments, 1, span)?;
        let has_payload = match &arguments[0].kind {
            ast::ExprKind::String(payload) => !payload.units.is_empty(),
            _ => true,
        };
        if has_payload {
            return Err(self.refuse(span, "__builtin_nan with a payload"));
        }
        let ty = match stem {
            "nan" => self.basic.double,
            "nanf" => self.basic.float,
            _ => self.basic.long_double,
        };
        self.float_constant(f64::NAN, ty, &[], span)
    }

    fn float_test(&mut self, name: &str, arguments: &[ast::Expr], wanted: usize, span: Span) -> Checked<Expr> {
        self.expect_arguments(name, arguments, wanted, span)?;
        let mut args = self.argument_values(arguments)?;
        if let [left, right] = args.as_slice() {
            let (left, right) = self.usual_conversions(left.clone(), right.clone(), span)?;
            args = vec![left, right];
        }
        if !args.iter().all(|arg| self.types.is_floating(arg.ty.ty)) {
            return Err(self.error(span, format!("{name} is a question about floating values")));
        }
        Ok(self.make_builtin(name, args, self.int_type(IntKind::Int), span))
    }

    fn fpclassify(&mut self, name: &str, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        self.expect_arguments(name, arguments, 6, span)?;
        let mut args = self.argument_values(arguments)?;
        let int = QualType::plain(self.int_type(IntKind::Int));
        for arg in &mut args[..5] {
            *arg = self.assign_to(arg.clone(), int, "this argument")?;
        }
        Ok(self.make_builtin(name, args, int.ty, span))
    }
}
