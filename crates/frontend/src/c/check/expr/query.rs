//! Questions about types that the compiler answers: `sizeof`, `_Alignof`, `offsetof`, `_Generic`, compatibility.
//!
//! Operands are looked at for their type alone and never run. Only the size of a variable-length array is not a
//! constant; it is computed from the length that was stored when the array was declared.

use ir::{DataModel, Span};

use super::super::super::ast;
use super::super::super::typed::{BinaryOp, Expr, ExprKind};
use super::super::super::types::{IntKind, QualType, Type, TypeId};
use super::super::constant::Constant;
use super::super::{Checked, Checker};

impl Checker {
    pub(super) fn sizeof_expr(&mut self, operand: &ast::Expr, span: Span) -> Checked<Expr> {
        let typed = self.without_evaluating(|checker| checker.expr(operand))?;
        if let ExprKind::Member { bits: Some(_), .. } = typed.kind {
            return Err(self.error(span, "a bit-field has no size in bytes"));
        }
        if let (ExprKind::Symbol(symbol), Type::VariableArray { element }) = (&typed.kind, self.types.get(typed.ty.ty))
        {
            let len = self.symbols[symbol.0 as usize].vla_len.clone();
            if let (Some(len), Some(size)) = (len, self.types.size(element.ty)) {
                return Ok(self.variable_size(len, size, span));
            }
        }
        self.sizeof(typed.ty, span)
    }

    pub(super) fn sizeof_type(&mut self, type_name: &ast::TypeName, span: Span) -> Checked<Expr> {
        let (ty, len) = self.type_name_with_length(type_name)?;
        let element = self.types.element(ty.ty).and_then(|element| self.types.size(element.ty));
        if let (Some(len), Some(size)) = (len, element) {
            return Ok(self.variable_size(Box::new(len), size, span));
        }
        self.sizeof(ty, span)
    }

    /// `len * size`, for an array whose length is computed at run time.
    fn variable_size(&self, len: Box<Expr>, size: u64, span: Span) -> Expr {
        let size = Box::new(self.make_int(i128::from(size), self.size_kind(), span));
        self.make(ExprKind::Binary(BinaryOp::Mul, len, size), self.size_type(), span)
    }

    fn sizeof(&mut self, ty: QualType, span: Span) -> Checked<Expr> {
        match self.size_of(ty) {
            Some(size) => Ok(self.make_int(i128::from(size), self.size_kind(), span)),
            None => {
                let name = self.text(ty);
                Err(if self.is_variable(ty.ty) {
                    self.refuse(span, "sizeof of an array type whose length is computed at run time")
                } else {
                    self.error(span, format!("{name} is incomplete here, so it has no size"))
                })
            }
        }
    }

    /// Bytes of an object of this type; atomic objects are rounded up to a size that hardware can access at once.
    pub(in super::super) fn size_of(&self, ty: QualType) -> Option<u64> {
        let size = self.types.size(ty.ty)?;
        let is_rounded = ty.is_atomic && matches!(self.types.get(ty.ty), Type::Record(_)) && (1..=16).contains(&size);
        Some(if is_rounded { size.next_power_of_two() } else { size })
    }

    /// Alignment of an object of this type within a record.
    pub(in super::super) fn align_of(&self, ty: QualType) -> u64 {
        if let Some(element) = self.types.element(ty.ty) {
            return self.align_of(element);
        }
        let align = self.types.align(ty.ty);
        match self.size_of(ty) {
            Some(size) if ty.is_atomic && size.is_power_of_two() && size <= 16 => align.max(size),
            _ => align,
        }
    }

    /// Whether a length within the type is computed at run time.
    pub(in super::super) fn is_variable(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::VariableArray { .. } => true,
            Type::Array { element, .. } => self.is_variable(element.ty),
            _ => false,
        }
    }

    pub(super) fn alignof_expr(&mut self, operand: &ast::Expr, is_preferred: bool, span: Span) -> Checked<Expr> {
        let typed = self.without_evaluating(|checker| checker.expr(operand))?;
        let declared = match &typed.kind {
            ExprKind::Symbol(symbol) => self.aligned.get(symbol).copied(),
            _ => None,
        };
        let align = declared.unwrap_or_else(|| self.alignment(typed.ty, is_preferred));
        Ok(self.make_int(i128::from(align), self.size_kind(), span))
    }

    pub(super) fn alignof_type(&mut self, type_name: &ast::TypeName, is_preferred: bool, span: Span) -> Checked<Expr> {
        let declared = self.without_evaluating(|checker| checker.declared_type_name(type_name))?;
        let align = declared.align.unwrap_or_else(|| self.alignment(declared.ty, is_preferred));
        Ok(self.make_int(i128::from(align), self.size_kind(), span))
    }

    pub(in super::super) fn alignment(&self, ty: QualType, is_preferred: bool) -> u64 {
        let least = self.align_of(ty);
        let mut innermost = ty;
        while let Some(element) = self.types.element(innermost.ty) {
            innermost = element;
        }
        let is_eight_bytes = self.types.is_arithmetic(innermost.ty) && self.types.size(innermost.ty) == Some(8);
        if is_preferred && is_eight_bytes && self.data_model() == DataModel::Ilp32 { 8 } else { least }
    }

    pub(super) fn offsetof(
        &mut self,
        type_name: &ast::TypeName,
        designators: &[ast::Designator],
        span: Span,
    ) -> Checked<Expr> {
        let mut ty = self.type_name(type_name)?;
        let mut offset = 0u64;
        // Elements whose index is computed at run time, as compilers allow.
        let mut computed: Vec<Expr> = Vec::new();
        for designator in designators {
            match designator {
                ast::Designator::Field(name, field_span) => {
                    let Type::Record(id) = *self.types.get(ty.ty) else {
                        let text = self.text(ty);
                        return Err(self.error(*field_span, format!("{text} has no members, so no {name}")));
                    };
                    let field = self.field_at(id, name, *field_span)?;
                    if field.bits.is_some() {
                        return Err(self.error(*field_span, "a bit-field has no offset in bytes"));
                    }
                    offset = offset.wrapping_add(field.offset);
                    ty = field.value_ty;
                }
                ast::Designator::Index(index) => {
                    let index = self.value(index)?;
                    if !self.types.is_integer(index.ty.ty) {
                        return Err(self.error(index.span, "an index in offsetof must be an integer"));
                    }
                    let element = self.types.element(ty.ty);
                    let Some((element, size)) = element.and_then(|element| Some((element, self.size_of(element)?)))
                    else {
                        let text = self.text(ty);
                        return Err(self.error(span, format!("{text} has no elements")));
                    };
                    match self.evaluate_with_variables(&index) {
                        Some(Constant::Int(index)) => offset = offset.wrapping_add((index as u64).wrapping_mul(size)),
                        _ => {
                            let index = Box::new(self.cast(index, self.size_type()));
                            computed.push(self.variable_size(index, size, span));
                        }
                    }
                    ty = element;
                }
                ast::Designator::Range(..) => return Err(self.error(span, "a range in offsetof")),
            }
        }
        let known = self.make_int(i128::from(offset), self.size_kind(), span);
        let add = |sum, part| {
            let kind = ExprKind::Binary(BinaryOp::Add, Box::new(sum), Box::new(part));
            self.make(kind, self.size_type(), span)
        };
        Ok(computed.into_iter().fold(known, add))
    }

    pub(super) fn types_compatible(
        &mut self,
        left: &ast::TypeName,
        right: &ast::TypeName,
        span: Span,
    ) -> Checked<Expr> {
        let left = self.without_evaluating(|checker| checker.type_name(left))?;
        let right = self.without_evaluating(|checker| checker.type_name(right))?;
        let answer = self.compatible_plain(left.ty, right.ty);
        Ok(self.make_int(i128::from(answer), IntKind::Int, span))
    }

    pub(super) fn generic(
        &mut self,
        control: &ast::GenericControl,
        associations: &[ast::GenericAssociation],
        span: Span,
    ) -> Checked<Expr> {
        let control = match control {
            ast::GenericControl::Expr(expr) => {
                self.without_evaluating(|checker| {
                    let control = checker.expr(expr)?;
                    // Compilers differ: it has its declared type, or one of its own.
                    if matches!(control.kind, ExprKind::Member { bits: Some(_), .. }) {
                        return Err(checker.refuse(span, "_Generic of a bit-field"));
                    }
                    checker.value_of(control)
                })?
                .ty
            }
            ast::GenericControl::Type(type_name) => self.type_name(type_name)?,
        };
        let mut default = None;
        for association in associations {
            match &association.type_name {
                None => default = Some(&association.value),
                Some(type_name) => {
                    let ty = self.without_evaluating(|checker| checker.type_name(type_name))?;
                    if self.compatible(ty, control) {
                        return self.expr(&association.value);
                    }
                }
            }
        }
        match default {
            Some(value) => self.expr(value),
            None => {
                let name = self.text(control);
                Err(self.error(span, format!("no association of this _Generic is for {name}")))
            }
        }
    }
}
