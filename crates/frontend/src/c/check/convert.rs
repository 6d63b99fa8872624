//! Every conversion of C, made explicit: reading lvalues, decay, promotions, usual arithmetic conversions, assignment, casts.
//!
//! `value_of` turns any expression into a value (C's "lvalue conversion"); the other functions take values. A conversion
//! that changes nothing leaves no node, so a `Cast` always means a change of type. Wrong conversions that compilers
//! accept (pointer to integer without a cast and the like) are warned about and made; the others are errors.

use ir::Span;

use super::super::typed::{Expr, ExprKind, InitItem, Storage, Symbol, SymbolId};
use super::super::types::{IntKind, QualType, Type, TypeId};
use super::constant::Constant;
use super::{Checked, Checker};

/// Whether an expression designates an object.
pub(super) fn is_lvalue(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Symbol(_) | ExprKind::Deref(_) | ExprKind::String(_) | ExprKind::Compound { .. } => true,
        ExprKind::Member { base, .. } => is_lvalue(base),
        _ => false,
    }
}

/// The width of the bit-field whose value an expression has, as the integer promotions see it.
pub(super) fn bit_field_width(expr: &Expr) -> Option<u32> {
    match &expr.kind {
        ExprKind::Member { bits, .. } => bits.map(|(_, width)| width),
        ExprKind::Load(lvalue) => bit_field_width(lvalue),
        ExprKind::Assign(target, _) => bit_field_width(target),
        ExprKind::AssignOp { lhs, .. } => bit_field_width(lhs),
        // For the postfix forms clang forgets the field, gcc does not.
        ExprKind::Step { lvalue, .. } => bit_field_width(lvalue),
        ExprKind::Comma(_, last) => bit_field_width(last),
        _ => None,
    }
}

impl Checker {
    pub(super) fn make(&self, kind: ExprKind, ty: TypeId, span: Span) -> Expr {
        Expr { kind, ty: QualType::plain(ty), span }
    }

    pub(super) fn make_int(&self, value: i128, kind: IntKind, span: Span) -> Expr {
        self.make(ExprKind::Int(kind.wrap(value, self.data_model())), self.int_type(kind), span)
    }

    /// The value of an expression: objects are read, arrays and functions become pointers.
    pub(super) fn value_of(&mut self, expr: Expr) -> Checked<Expr> {
        let span = expr.span;
        match self.types.get(expr.ty.ty).clone() {
            Type::Function { .. } => {
                self.take_address(&expr);
                let pointer = self.pointer_to(expr.ty);
                Ok(self.make(ExprKind::Decay(Box::new(expr)), pointer, span))
            }
            Type::Array { element, .. } | Type::VariableArray { element } => {
                let element = merge_qualifiers(element, expr.ty);
                let pointer = self.pointer_to(element);
                let object = if is_lvalue(&expr) { expr } else { self.materialize_array(expr) };
                self.take_address(&object);
                Ok(self.make(ExprKind::Decay(Box::new(object)), pointer, span))
            }
            Type::Void if is_lvalue(&expr) => match expr.kind {
                ExprKind::Deref(pointer) => Ok(self.make(ExprKind::Cast(pointer), self.basic.void, span)),
                _ => Err(self.error(span, "an object of type void has no value")),
            },
            _ if is_lvalue(&expr) => {
                if self.types.size(expr.ty.ty).is_none() {
                    let name = self.text(expr.ty);
                    return Err(self.error(span, format!("{name} is incomplete here, so its value cannot be used")));
                }
                self.note_value_of(expr.ty, span);
                let ty = expr.ty.ty;
                Ok(self.make(ExprKind::Load(Box::new(expr)), ty, span))
            }
            _ => Ok(expr),
        }
    }

    /// Gives a record value, and so its members, a place in memory.
    pub(super) fn materialize(&mut self, value: Expr) -> Expr {
        let (ty, span) = (value.ty, value.span);
        let symbol = self.add_temporary(ty, span);
        let init = vec![InitItem { offset: 0, bits: None, ty: QualType::plain(ty.ty), value }];
        Expr { kind: ExprKind::Compound { symbol, init }, ty, span }
    }

    /// An array within a record value, as an lvalue.
    fn materialize_array(&mut self, array: Expr) -> Expr {
        match array.kind {
            ExprKind::Member { base, offset, bits } => {
                let base = Box::new(self.materialize_array(*base));
                Expr { kind: ExprKind::Member { base, offset, bits }, ..array }
            }
            _ => self.materialize(array),
        }
    }

    /// A nameless object that lives as long as its block.
    pub(super) fn add_literal(&mut self, ty: QualType, span: Span) -> SymbolId {
        self.add_nameless("<literal>", ty, Storage::Auto, span)
    }

    /// A nameless object that lives as long as its full expression.
    fn add_temporary(&mut self, ty: QualType, span: Span) -> SymbolId {
        self.add_nameless("<temporary>", ty, Storage::Temporary, span)
    }

    fn add_nameless(&mut self, name: &str, ty: QualType, storage: Storage, span: Span) -> SymbolId {
        let storage = if self.body.is_some() { storage } else { Storage::Static };
        let address_taken = !self.types.is_scalar(ty.ty);
        self.add_symbol(Symbol {
            name: name.to_string(),
            ty,
            storage,
            span,
            address_taken,
            is_internal: true,
            is_noreturn: false,
            is_weak: false,
            vla_len: None,
            cleanup: None,
        })
    }

    pub(super) fn add_symbol(&mut self, symbol: Symbol) -> SymbolId {
        self.symbols.push(symbol);
        SymbolId(self.symbols.len() as u32 - 1)
    }

    /// Marks the variable or function behind an lvalue as one that pointers may point to.
    pub(super) fn take_address(&mut self, lvalue: &Expr) {
        if self.unevaluated > 0 {
            return;
        }
        match &lvalue.kind {
            ExprKind::Symbol(symbol) | ExprKind::Compound { symbol, .. } => {
                self.symbols[symbol.0 as usize].address_taken = true;
            }
            ExprKind::Member { base, .. } => self.take_address(base),
            _ => {}
        }
    }

    /// A `Cast`, unless the type is right already.
    pub(super) fn cast(&self, expr: Expr, ty: TypeId) -> Expr {
        if expr.ty.ty == ty {
            return expr;
        }
        let span = expr.span;
        self.make(ExprKind::Cast(Box::new(expr)), ty, span)
    }

    /// The integer promotions.
    pub(super) fn promote(&self, expr: Expr) -> Expr {
        match self.promoted_kind(&expr) {
            Some(kind) => {
                let ty = self.int_type(kind);
                self.cast(expr, ty)
            }
            None => expr,
        }
    }

    /// The integer type that a value is promoted to.
    fn promoted_kind(&self, expr: &Expr) -> Option<IntKind> {
        let kind = self.types.int_kind(expr.ty.ty)?;
        Some(match bit_field_width(expr) {
            // Fields wider than int keep their declared type, as clang has it; see `wide_fields`.
            Some(width) if width < 32 || width == 32 && kind.is_signed() => IntKind::Int,
            Some(32) => IntKind::UInt,
            _ if kind.rank() < IntKind::Int.rank() => IntKind::Int,
            _ => kind,
        })
    }

    /// The default argument promotions.
    pub(super) fn promote_argument(&self, expr: Expr) -> Expr {
        if expr.ty.ty == self.basic.float { self.cast(expr, self.basic.double) } else { self.promote(expr) }
    }

    /// The common type of two integer types.
    fn common_kind(&self, left: IntKind, right: IntKind) -> IntKind {
        if left == right {
            return left;
        }
        let (high, low) = if left.rank() >= right.rank() { (left, right) } else { (right, left) };
        match (high.is_signed(), low.is_signed()) {
            (true, true) | (false, false) => high,
            (false, true) => high,
            (true, false) if high.rank() == low.rank() => low,
            (true, false) if high.size(self.data_model()) > low.size(self.data_model()) => high,
            (true, false) => high.to_unsigned(),
        }
    }

    /// The usual arithmetic conversions: both operands in their common type.
    pub(super) fn usual_conversions(&mut self, left: Expr, right: Expr, span: Span) -> Checked<(Expr, Expr)> {
        for operand in [&left, &right] {
            if !self.types.is_arithmetic(operand.ty.ty) {
                return Err(self.no_arithmetic(operand.ty, span));
            }
        }
        for floating in [self.basic.long_double, self.basic.double, self.basic.float] {
            if left.ty.ty == floating || right.ty.ty == floating {
                self.note_value_of(QualType::plain(floating), span);
                return Ok((self.cast(left, floating), self.cast(right, floating)));
            }
        }
        // A promotion keeps the value, so one conversion to the common type does the work of both.
        let kinds = (self.promoted_kind(&left), self.promoted_kind(&right));
        let (Some(left_kind), Some(right_kind)) = kinds else { return Err(self.no_arithmetic(left.ty, span)) };
        let ty = self.int_type(self.common_kind(left_kind, right_kind));
        Ok((self.cast(left, ty), self.cast(right, ty)))
    }

    /// Reports an operand that arithmetic does not apply to.
    pub(super) fn no_arithmetic(&mut self, ty: QualType, span: Span) -> super::Reported {
        let name = self.text(ty);
        match self.types.get(ty.ty) {
            Type::Opaque { .. } => self.refuse(span, format!("values of type {name}")),
            _ => self.error(span, format!("an operand of type {name} does not fit this operator")),
        }
    }

    /// Whether an expression is a null pointer constant.
    pub(super) fn is_null_constant(&self, expr: &Expr) -> bool {
        let is_zero = |expr: &Expr| self.types.is_integer(expr.ty.ty) && self.evaluate(expr) == Some(Constant::Int(0));
        match &expr.kind {
            ExprKind::Cast(operand) if expr.ty.ty == self.basic.void_pointer => is_zero(operand),
            _ => is_zero(expr),
        }
    }

    /// A value that is tested for being zero.
    pub(super) fn condition(&mut self, expr: Expr) -> Checked<Expr> {
        if self.types.is_scalar(expr.ty.ty) {
            return Ok(expr);
        }
        if matches!(self.types.get(expr.ty.ty), Type::Opaque { .. }) {
            return Err(self.no_arithmetic(expr.ty, expr.span));
        }
        let name = self.text(expr.ty);
        Err(self.error(expr.span, format!("a value of type {name} is neither zero nor non-zero")))
    }

    /// A value converted as if by assignment to an object of type `target`; `what` names the place in diagnostics.
    pub(super) fn assign_to(&mut self, value: Expr, target: QualType, what: &str) -> Checked<Expr> {
        let span = value.span;
        let (from, to) = (value.ty.ty, target.ty);
        if from == to {
            return Ok(value);
        }
        let types = &self.types;
        if types.is_arithmetic(from) && types.is_arithmetic(to) {
            self.note_value_of(target, span);
            return Ok(self.cast(value, to));
        }
        if types.int_kind(to) == Some(IntKind::Bool) && types.is_pointer(from) {
            return Ok(self.cast(value, to));
        }
        if let (Some(from_pointee), Some(to_pointee)) = (types.pointee(from), types.pointee(to)) {
            if !self.pointees_agree(from_pointee, to_pointee) && !self.is_null_constant(&value) {
                let (from, to) = (self.text(value.ty), self.text(target));
                self.warn(span, format!("{what} makes {to} from the incompatible pointer type {from}"));
            }
            return Ok(self.cast(value, to));
        }
        if types.is_pointer(to) && types.is_integer(from) {
            if !self.is_null_constant(&value) {
                self.warn(span, format!("{what} makes a pointer from an integer without a cast"));
            }
            return Ok(self.cast(value, to));
        }
        if types.is_integer(to) && types.is_pointer(from) {
            self.warn(span, format!("{what} makes an integer from a pointer without a cast"));
            return Ok(self.cast(value, to));
        }
        if matches!(types.get(to), Type::VaList) || matches!(types.get(from), Type::VaList) {
            return self.pass_va_list(value, target, what);
        }
        let (from_name, to_name) = (self.text(value.ty), self.text(target));
        if [from, to].iter().any(|ty| matches!(self.types.get(*ty), Type::Opaque { .. })) {
            return Err(self.refuse(span, format!("converting {from_name} to {to_name}")));
        }
        Err(self.error(span, format!("{what} cannot make {to_name} from {from_name}")))
    }

    /// Lists of arguments are arrays in one ABI and pointers in the other; both forms occur in headers.
    fn pass_va_list(&mut self, value: Expr, target: QualType, what: &str) -> Checked<Expr> {
        let (from_name, to_name) = (self.text(value.ty), self.text(target));
        Err(self.refuse(value.span, format!("{what} between {from_name} and {to_name}")))
    }

    /// Whether pointers to these may be assigned to each other without a warning.
    fn pointees_agree(&self, left: QualType, right: QualType) -> bool {
        if self.types.is_void(left.ty) || self.types.is_void(right.ty) || self.compatible_plain(left.ty, right.ty) {
            return true;
        }
        // Differences in signedness are too common to speak of, and so are qualifiers further inside.
        match (self.types.int_kind(left.ty), self.types.int_kind(right.ty)) {
            (Some(left), Some(right)) => left.size(self.data_model()) == right.size(self.data_model()),
            _ => match (self.types.element(left.ty), self.types.element(right.ty)) {
                (Some(left), Some(right)) => self.compatible_plain(left.ty, right.ty),
                _ => match (self.types.pointee(left.ty), self.types.pointee(right.ty)) {
                    (Some(left), Some(right)) => self.pointees_agree(left, right),
                    _ => false,
                },
            },
        }
    }

    /// `(target) value`
    pub(super) fn explicit_cast(&mut self, value: Expr, target: QualType, span: Span) -> Checked<Expr> {
        let (from, to) = (value.ty.ty, target.ty);
        // A cast makes a bit-field's value an ordinary one, which is promoted differently.
        if from == to && bit_field_width(&value).is_none() {
            return Ok(value);
        }
        if self.types.is_void(to) {
            return Ok(self.make(ExprKind::Cast(Box::new(value)), to, span));
        }
        let is_float_to_pointer = |left, right| self.types.is_floating(left) && self.types.is_pointer(right);
        if self.types.is_scalar(from)
            && self.types.is_scalar(to)
            && !is_float_to_pointer(from, to)
            && !is_float_to_pointer(to, from)
        {
            self.note_value_of(target, span);
            return Ok(self.make(ExprKind::Cast(Box::new(value)), to, span));
        }
        let (from_name, to_name) = (self.text(value.ty), self.text(target));
        match self.types.get(to) {
            Type::Record(record) if self.types.record(*record).is_union => {
                let fields = self.types.record(*record).fields.clone().unwrap_or_default();
                let member = fields.iter().find(|field| self.compatible_plain(field.ty.ty, from));
                if let Some(member) = member {
                    return Ok(self.union_of(target, member.ty, value, span));
                }
            }
            _ => {}
        }
        if [from, to].iter().any(|ty| matches!(self.types.get(*ty), Type::Opaque { .. })) {
            return Err(self.refuse(span, format!("converting {from_name} to {to_name}")));
        }
        Err(self.error(span, format!("a value of type {from_name} cannot be cast to {to_name}")))
    }

    /// The value of a union whose first bytes are `value`.
    pub(super) fn union_of(&mut self, union: QualType, member: QualType, value: Expr, span: Span) -> Expr {
        let symbol = self.add_temporary(union, span);
        let value = self.cast(value, member.ty);
        let init = vec![InitItem { offset: 0, bits: None, ty: QualType::plain(member.ty), value }];
        let literal = Expr { kind: ExprKind::Compound { symbol, init }, ty: union, span };
        self.make(ExprKind::Load(Box::new(literal)), union.ty, span)
    }
}

/// A type with its own qualifiers and those of the aggregate it is part of.
pub(super) fn merge_qualifiers(part: QualType, whole: QualType) -> QualType {
    QualType {
        ty: part.ty,
        is_const: part.is_const || whole.is_const,
        is_volatile: part.is_volatile || whole.is_volatile,
        // An atomic aggregate is atomic only as a whole.
        is_atomic: part.is_atomic,
    }
}
