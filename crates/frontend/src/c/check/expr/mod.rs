//! Expressions: which type and which meaning has each?
//!
//! `expr` keeps lvalues and functions as they are, for `&`, `sizeof` and assignment; `value` also reads them. What a
//! construct needs decides its author, here by one `match`; the work is in the files beside: [`operator`] (arithmetic,
//! assignment, conditional), [`access`] (objects and their parts), [`call`], [`builtin`] with [`library`] (what compilers
//! know by themselves), [`query`] (answers about types).

mod access;
mod builtin;
mod builtin_result;
mod call;
mod library;
mod operator;
mod query;

pub(in crate::c) use call::CLEANUP_PUSH;
use ir::Span;

pub(super) use library::is_noreturn as is_noreturn_library_function;

use super::super::ast::{self, Encoding, FloatSuffix, IntegerLength, Name};
use super::super::typed::{Expr, ExprKind};
use super::super::types::{IntKind, QualType, Type};
use super::scope::Entity;
use super::{Checked, Checker, Reported};

impl Checker {
    /// The value of an expression.
    pub(super) fn value(&mut self, expr: &ast::Expr) -> Checked<Expr> {
        let typed = self.expr(expr)?;
        self.value_of(typed)
    }

    /// An expression as it stands: an lvalue or function is not read.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Checked<Expr> {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Identifier(name) => self.identifier(name, span),
            ast::ExprKind::Integer(literal) => self.integer_literal(*literal, span),
            ast::ExprKind::Float(literal) => self.float_literal(*literal, span),
            ast::ExprKind::Char(literal) => {
                let kind = match literal.encoding {
                    Encoding::Plain => IntKind::Int,
                    Encoding::Utf8 => IntKind::UChar,
                    Encoding::Utf16 => IntKind::UShort,
                    Encoding::Utf32 => IntKind::UInt,
                    Encoding::Wide => self.wide_kind(),
                };
                Ok(self.make_int(i128::from(literal.value(true)), kind, span))
            }
            ast::ExprKind::String(literal) => Ok(self.string_literal(literal, span)),
            ast::ExprKind::FunctionName => {
                let name = self.body.as_ref().map(|body| body.name.clone()).unwrap_or_default();
                let units = name.bytes().map(u32::from).collect();
                let literal = ast::StringLiteral { encoding: Encoding::Plain, units };
                Ok(self.string_literal(&literal, span))
            }
            ast::ExprKind::Unary { op, operand } => self.unary(*op, operand, span),
            ast::ExprKind::Binary { op, left, right } => self.binary(*op, left, right, span),
            ast::ExprKind::Assign { op: None, target, value } => self.assignment(target, value, span),
            ast::ExprKind::Assign { op: Some(op), target, value } => self.compound_assignment(*op, target, value, span),
            ast::ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then.as_deref(), otherwise, span)
            }
            ast::ExprKind::Comma(parts) => self.comma(parts, span),
            ast::ExprKind::Index { base, index } => self.index(base, index, span),
            ast::ExprKind::Call { callee, arguments } => self.call(callee, arguments, span),
            ast::ExprKind::Member { base, field, field_span, is_arrow } => {
                self.member(base, field, *field_span, *is_arrow, span)
            }
            ast::ExprKind::Cast { type_name, operand } => self.cast_expr(type_name, operand, span),
            ast::ExprKind::CompoundLiteral { type_name, initializer } => {
                self.compound_literal(type_name, initializer, span)
            }
            ast::ExprKind::SizeofExpr(operand) => self.sizeof_expr(operand, span),
            ast::ExprKind::SizeofType(type_name) => self.sizeof_type(type_name, span),
            ast::ExprKind::AlignofExpr { operand, is_preferred } => self.alignof_expr(operand, *is_preferred, span),
            ast::ExprKind::AlignofType { type_name, is_preferred } => self.alignof_type(type_name, *is_preferred, span),
            ast::ExprKind::Generic { control, associations } => self.generic(control, associations, span),
            ast::ExprKind::StmtExpr(block) => self.statement_expression(block, span),
            ast::ExprKind::LabelAddress(name) => self.label_address(name, span),
            ast::ExprKind::VaArg { list, type_name } => self.va_arg(list, type_name, span),
            ast::ExprKind::Offsetof { type_name, designators } => self.offsetof(type_name, designators, span),
            ast::ExprKind::TypesCompatible(left, right) => self.types_compatible(left, right, span),
            ast::ExprKind::ChooseExpr { condition, then, otherwise } => {
                let chosen = self.constant_integer(condition, "the condition of __builtin_choose_expr")?;
                self.expr(if chosen != 0 { then } else { otherwise })
            }
            ast::ExprKind::ConvertVector { .. } => Err(self.refuse(span, "__builtin_convertvector")),
        }
    }

    fn identifier(&mut self, name: &Name, span: Span) -> Checked<Expr> {
        match self.scopes.entity(name) {
            Some(Entity::Symbol(id)) => {
                if self.unevaluated == 0
                    && let Some(reason) = self.refused.get(&id)
                {
                    let reason = reason.clone();
                    return Err(self.refuse(span, reason));
                }
                let ty = self.symbols[id.0 as usize].ty;
                Ok(Expr { kind: ExprKind::Symbol(id), ty, span })
            }
            Some(Entity::Constant { value, ty }) => Ok(self.make(ExprKind::Int(value), ty, span)),
            Some(Entity::Typedef(_)) => Err(self.error(span, format!("{name} is a type, not a value"))),
            Some(Entity::Broken) => Err(Reported),
            None => {
                if let Some(function) = self.library_function(name, span) {
                    return Ok(function);
                }
                let reported = self.error(span, format!("{name} is not declared"));
                // One report for each name and scope is enough.
                self.scopes.innermost().declare(name.clone(), Entity::Broken);
                Err(reported)
            }
        }
    }

    fn integer_literal(&mut self, literal: ast::IntegerLiteral, span: Span) -> Checked<Expr> {
        if literal.is_imaginary {
            return Err(self.refuse(span, "imaginary constants"));
        }
        let ranks: &[(IntKind, IntKind)] =
            &[(IntKind::Int, IntKind::UInt), (IntKind::Long, IntKind::ULong), (IntKind::LongLong, IntKind::ULongLong)];
        let first = match literal.length {
            IntegerLength::Int => 0,
            IntegerLength::Long => 1,
            IntegerLength::LongLong => 2,
        };
        for (signed, unsigned) in &ranks[first..] {
            let bits = signed.bits(self.data_model());
            if !literal.is_unsigned && literal.value < 1 << (bits - 1) {
                return Ok(self.make_int(literal.value as i128, *signed, span));
            }
            if (literal.is_unsigned || !literal.is_decimal) && literal.value < 1 << bits {
                return Ok(self.make_int(literal.value as i128, *unsigned, span));
            }
        }
        if literal.value >> 64 != 0 {
            return Err(self.error(span, "this integer constant is too large for every integer type"));
        }
        // A decimal constant beyond long long: gcc takes the 128-bit type where there is one.
        let kind = if self.data_model() == ir::DataModel::Lp64 { IntKind::Int128 } else { IntKind::ULongLong };
        self.warn(span, "this integer constant is too large for long long");
        Ok(self.make_int(literal.value as i128, kind, span))
    }

    fn float_literal(&mut self, literal: ast::FloatLiteral, span: Span) -> Checked<Expr> {
        if literal.is_imaginary {
            return Err(self.refuse(span, "imaginary constants"));
        }
        let (ty, value) = match literal.suffix {
            FloatSuffix::Float | FloatSuffix::Float32 => (self.basic.float, f64::from(literal.single)),
            FloatSuffix::Double | FloatSuffix::Float64 | FloatSuffix::Float32x => (self.basic.double, literal.value),
            FloatSuffix::LongDouble | FloatSuffix::Float64x => (self.basic.long_double, literal.value),
            FloatSuffix::Float16 => (self.opaque("_Float16", 2, 2), literal.value),
            FloatSuffix::BFloat16 => (self.opaque("__bf16", 2, 2), literal.value),
            FloatSuffix::Float128 => (self.opaque("_Float128", 16, 16), literal.value),
            FloatSuffix::Decimal32 => (self.opaque("_Decimal32", 4, 4), literal.value),
            FloatSuffix::Decimal64 => (self.opaque("_Decimal64", 8, 8), literal.value),
            FloatSuffix::Decimal128 => (self.opaque("_Decimal128", 16, 16), literal.value),
        };
        self.note_value_of(QualType::plain(ty), span);
        Ok(self.make(ExprKind::Float(value), ty, span))
    }

    /// The type of a literal's elements, and their size.
    pub(super) fn string_element(&self, encoding: Encoding) -> IntKind {
        match encoding {
            Encoding::Plain | Encoding::Utf8 => IntKind::Char,
            Encoding::Utf16 => IntKind::UShort,
            Encoding::Utf32 => IntKind::UInt,
            Encoding::Wide => self.wide_kind(),
        }
    }

    /// A string with its terminating zero.
    pub(super) fn string_literal(&mut self, literal: &ast::StringLiteral, span: Span) -> Expr {
        let kind = self.string_element(literal.encoding);
        let width = kind.size(self.data_model()) as usize;
        let mut bytes = Vec::with_capacity((literal.units.len() + 1) * width);
        for unit in literal.units.iter().chain(&[0]) {
            bytes.extend_from_slice(&unit.to_le_bytes()[..width]);
        }
        let element = QualType::plain(self.int_type(kind));
        let ty = self.types.intern(Type::Array { element, len: Some(literal.units.len() as u64 + 1) });
        self.make(ExprKind::String(bytes), ty, span)
    }

    fn comma(&mut self, parts: &[ast::Expr], span: Span) -> Checked<Expr> {
        let mut result: Option<Expr> = None;
        for part in parts {
            let value = self.value(part)?;
            result = Some(match result {
                None => value,
                Some(before) => {
                    let ty = value.ty.ty;
                    self.make(ExprKind::Comma(Box::new(before), Box::new(value)), ty, span)
                }
            });
        }
        result.ok_or_else(|| self.error(span, "an empty list of expressions"))
    }

    /// A type that is known by its size alone.
    pub(super) fn opaque(&mut self, name: &str, size: u64, align: u64) -> super::TypeId {
        self.types.intern(Type::Opaque { name: name.to_string(), size, align })
    }
}
