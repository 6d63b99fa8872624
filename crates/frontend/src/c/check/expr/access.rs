//! Objects and their parts: `&`, `*`, `[]`, `.`, `->`, casts to types by name, compound literals.
//!
//! `&` and `*` cancel before anything is marked as having its address taken, so that `*&x` keeps `x` a plain variable.
//! An address that is a constant (`&((struct s *)0)->m`) becomes that constant.

use ir::Span;

use super::super::super::ast::{self, Name};
use super::super::super::typed::{Expr, ExprKind, Global};
use super::super::super::types::{Field, QualType, RecordId, Type};
use super::super::convert::{is_lvalue, merge_qualifiers};
use super::super::{Checked, Checker};

/// DBL_MAX, DBL_MIN, DBL_EPSILON and DBL_TRUE_MIN.
const LIMITS_OF_DOUBLE: [f64; 4] = [f64::MAX, f64::MIN_POSITIVE, f64::EPSILON, 5e-324];

impl Checker {
    pub(super) fn address_of(&mut self, operand: &ast::Expr, span: Span) -> Checked<Expr> {
        let lvalue = self.expr(operand)?;
        let is_function = self.types.is_function(lvalue.ty.ty);
        if !is_lvalue(&lvalue) && !is_function {
            return Err(self.error(span, "only objects and functions have an address"));
        }
        if let ExprKind::Member { bits: Some(_), .. } = &lvalue.kind {
            return Err(self.error(span, "a bit-field has no address"));
        }
        let pointer = self.pointer_to(lvalue.ty);
        // `&*p` is `p`, whatever `p` is.
        if let ExprKind::Deref(inner) = lvalue.kind {
            return Ok(Expr { span, ..self.cast(*inner, pointer) });
        }
        self.take_address(&lvalue);
        let address = self.make(ExprKind::AddressOf(Box::new(lvalue)), pointer, span);
        match self.evaluate(&address) {
            Some(super::super::constant::Constant::Int(value)) => {
                let value = self.make_int(value, self.size_kind(), span);
                Ok(self.cast(value, pointer))
            }
            _ => Ok(address),
        }
    }

    /// `*operand`, where `&` in the operand cancels.
    pub(super) fn dereference(&mut self, operand: &ast::Expr, span: Span) -> Checked<Expr> {
        if let ast::ExprKind::Unary { op: ast::UnaryOp::Address, operand: inner } = &operand.kind {
            let lvalue = self.expr(inner)?;
            let is_bit_field = matches!(lvalue.kind, ExprKind::Member { bits: Some(_), .. });
            if is_lvalue(&lvalue) && !is_bit_field {
                return Ok(lvalue);
            }
            return Err(self.error(span, "only objects and functions have an address"));
        }
        let pointer = self.expr(operand)?;
        if self.types.is_function(pointer.ty.ty) {
            return Ok(pointer);
        }
        let pointer = self.value_of(pointer)?;
        self.deref_value(pointer, span)
    }

    /// The object that a pointer value points to.
    pub(super) fn deref_value(&mut self, pointer: Expr, span: Span) -> Checked<Expr> {
        let Some(ty) = self.types.pointee(pointer.ty.ty) else {
            let name = self.text(pointer.ty);
            return Err(self.error(span, format!("a value of type {name} points to nothing")));
        };
        Ok(Expr { kind: ExprKind::Deref(Box::new(pointer)), ty, span })
    }

    pub(super) fn index(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Checked<Expr> {
        let base = self.value(base);
        let index = self.value(index);
        let (base, index) = (base?, index?);
        let (pointer, index) = if self.types.is_pointer(base.ty.ty) { (base, index) } else { (index, base) };
        if !self.types.is_pointer(pointer.ty.ty) {
            if let Some(opaque) = [&pointer, &index]
                .into_iter()
                .find(|operand| matches!(self.types.get(operand.ty.ty), Type::Opaque { .. }))
            {
                return Err(self.no_arithmetic(opaque.ty, span));
            }
            let name = self.text(pointer.ty);
            return Err(self.error(span, format!("a value of type {name} has no elements")));
        }
        let element = self.pointer_add(pointer, index, false, span)?;
        self.deref_value(element, span)
    }

    pub(super) fn member(
        &mut self,
        base: &ast::Expr,
        name: &Name,
        name_span: Span,
        is_arrow: bool,
        span: Span,
    ) -> Checked<Expr> {
        let record = if is_arrow { self.dereference(base, span)? } else { self.expr(base)? };
        let Type::Record(id) = *self.types.get(record.ty.ty) else {
            let ty = self.text(record.ty);
            return Err(self.error(name_span, format!("{ty} has no members, so no {name}")));
        };
        let field = self.field_at(id, name, name_span)?;
        if let Some(bits) = field.bits {
            self.note_unit(id, &field, bits, name_span)?;
        }
        let ty = merge_qualifiers(field.value_ty, record.ty);
        let kind = ExprKind::Member { base: Box::new(record), offset: field.offset, bits: field.bits };
        Ok(Expr { kind, ty, span })
    }

    /// Remembers the storage unit of a bit-field for `bit_units`, where it is not of the declared type.
    fn note_unit(&mut self, record: RecordId, field: &Field, bits: (u32, u32), span: Span) -> Checked<()> {
        if self.types.is_array(field.ty.ty) {
            let name = field.name.as_deref().unwrap_or_default();
            return Err(self.refuse(span, format!("the bit-field {name}, which shares its bytes with another member")));
        }
        if field.ty.ty != field.value_ty.ty {
            self.units.insert((record, field.offset, bits), field.ty.ty);
        }
        Ok(())
    }

    /// A member by name with its offset from the record's start, looked for in anonymous members too.
    pub(super) fn field_at(&mut self, id: RecordId, name: &Name, span: Span) -> Checked<Field> {
        if let Some(field) = self.find_field(id, name) {
            return Ok(field);
        }
        let is_incomplete = self.types.record(id).fields.is_none();
        let record_type = self.types.intern(Type::Record(id));
        let ty = self.text(QualType::plain(record_type));
        Err(if is_incomplete {
            self.error(span, format!("{ty} is incomplete here, so its member {name} is not known"))
        } else {
            self.error(span, format!("{ty} has no member {name}"))
        })
    }

    pub(in super::super) fn find_field(&self, id: RecordId, name: &str) -> Option<Field> {
        let fields = self.types.record(id).fields.as_ref()?;
        for field in fields {
            if field.name.as_deref() == Some(name) {
                return Some(field.clone());
            }
            if let (None, Type::Record(inner)) = (&field.name, self.types.get(field.ty.ty))
                && let Some(mut found) = self.find_field(*inner, name)
            {
                found.offset += field.offset;
                found.value_ty = merge_qualifiers(found.value_ty, field.ty);
                return Some(found);
            }
        }
        None
    }

    pub(super) fn cast_expr(&mut self, type_name: &ast::TypeName, operand: &ast::Expr, span: Span) -> Checked<Expr> {
        let target = self.type_name(type_name)?;
        // The limits of <float.h> are written as `((double)1.7…e+308L)`: these have the same value as long double and as double.
        if let ast::ExprKind::Float(literal) = &operand.kind
            && literal.suffix == ast::FloatSuffix::LongDouble
            && matches!(self.types.get(target.ty), Type::Double)
            && (literal.is_exact || LIMITS_OF_DOUBLE.contains(&literal.value))
        {
            return Ok(self.make(ExprKind::Float(literal.value), target.ty, span));
        }
        let value = self.value(operand)?;
        self.explicit_cast(value, target, span)
    }

    pub(super) fn compound_literal(
        &mut self,
        type_name: &ast::TypeName,
        initializer: &ast::Initializer,
        span: Span,
    ) -> Checked<Expr> {
        let declared = self.type_name(type_name)?;
        if matches!(self.types.get(declared.ty), Type::VariableArray { .. }) {
            return Err(self.error(span, "a compound literal cannot have a length computed at run time"));
        }
        let is_static = self.body.is_none();
        let (ty, init) = self.initialize(declared, initializer, is_static)?;
        let symbol = self.add_literal(ty, span);
        if is_static && self.unevaluated == 0 {
            self.globals.push(Global { symbol, init: Some(init) });
            self.global_of.insert(symbol, self.globals.len() - 1);
            return Ok(Expr { kind: ExprKind::Symbol(symbol), ty, span });
        }
        Ok(Expr { kind: ExprKind::Compound { symbol, init }, ty, span })
    }
}
