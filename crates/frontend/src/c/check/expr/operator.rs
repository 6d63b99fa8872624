//! Operators: arithmetic, comparison, logic, assignment, increment and the conditional.
//!
//! Each function converts its operands first, so that the node it makes has operands of one type; which types fit
//! which operator is in the `match` at its head. Pointer arithmetic gets the element's size here, so that nobody
//! after the type checker needs to know what a pointer points to.

use ir::Span;

use super::super::super::ast::{self, BinaryOp as Op, UnaryOp};
use super::super::super::typed::{self, BinaryOp, Expr, ExprKind};
use super::super::super::types::{IntKind, QualType, Type, TypeId};
use super::super::convert::is_lvalue;
use super::super::{Checked, Checker};

impl Checker {
    pub(super) fn unary(&mut self, op: UnaryOp, operand: &ast::Expr, span: Span) -> Checked<Expr> {
        match op {
            UnaryOp::Address => self.address_of(operand, span),
            UnaryOp::Deref => self.dereference(operand, span),
            UnaryOp::PreIncrement => self.step(operand, true, false, span),
            UnaryOp::PreDecrement => self.step(operand, false, false, span),
            UnaryOp::PostIncrement => self.step(operand, true, true, span),
            UnaryOp::PostDecrement => self.step(operand, false, true, span),
            UnaryOp::Real | UnaryOp::Imag => Err(self.refuse(span, format!("{} of complex values", op.symbol()))),
            UnaryOp::Not => {
                let value = self.value(operand)?;
                let value = self.condition(value)?;
                let int = self.int_type(IntKind::Int);
                Ok(self.make(ExprKind::Unary(typed::UnaryOp::LogicalNot, Box::new(value)), int, span))
            }
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot => {
                let value = self.value(operand)?;
                let fits = match op {
                    UnaryOp::BitNot => self.types.is_integer(value.ty.ty),
                    _ => self.types.is_arithmetic(value.ty.ty),
                };
                if !fits {
                    return Err(self.no_arithmetic(value.ty, span));
                }
                let value = if op == UnaryOp::Plus { value } else { self.mark_doubtful_alone(value) };
                let value = self.promote(value);
                let ty = value.ty.ty;
                let op = match op {
                    UnaryOp::Minus => typed::UnaryOp::Neg,
                    UnaryOp::BitNot => typed::UnaryOp::Not,
                    // `+x` is its promoted operand, but no longer a bit-field.
                    _ => return Ok(Expr { span, ..value }),
                };
                Ok(self.make(ExprKind::Unary(op, Box::new(value)), ty, span))
            }
        }
    }

    pub(super) fn binary(&mut self, op: Op, left: &ast::Expr, right: &ast::Expr, span: Span) -> Checked<Expr> {
        let left = self.value(left);
        let right = self.value(right);
        let (left, right) = (left?, right?);
        match op {
            Op::LogicalAnd | Op::LogicalOr => {
                let (left, right) = (Box::new(self.condition(left)?), Box::new(self.condition(right)?));
                let kind = match op {
                    Op::LogicalAnd => ExprKind::LogicalAnd(left, right),
                    _ => ExprKind::LogicalOr(left, right),
                };
                Ok(self.make(kind, self.int_type(IntKind::Int), span))
            }
            _ => self.binary_values(op, left, right, span),
        }
    }

    fn binary_values(&mut self, op: Op, left: Expr, right: Expr, span: Span) -> Checked<Expr> {
        let left_pointer = self.types.is_pointer(left.ty.ty);
        let right_pointer = self.types.is_pointer(right.ty.ty);
        match op {
            Op::Add if left_pointer || right_pointer => {
                let (pointer, index) = if left_pointer { (left, right) } else { (right, left) };
                self.pointer_add(pointer, index, false, span)
            }
            Op::Sub if left_pointer && right_pointer => self.pointer_difference(left, right, span),
            Op::Sub if left_pointer => self.pointer_add(left, right, true, span),
            Op::Less | Op::Greater | Op::LessEqual | Op::GreaterEqual | Op::Equal | Op::NotEqual => {
                let (left, right) = if left_pointer || right_pointer {
                    self.compared_pointers(op, left, right, span)?
                } else {
                    let (left, right) = self.mark_doubtful(left, right, false);
                    self.usual_conversions(left, right, span)?
                };
                let kind = ExprKind::Binary(typed_op(op), Box::new(left), Box::new(right));
                Ok(self.make(kind, self.int_type(IntKind::Int), span))
            }
            _ => {
                let (left, right) = match op {
                    Op::Shl => (self.mark_doubtful_alone(left), right),
                    Op::Shr => (left, right),
                    _ => self.mark_doubtful(left, right, matches!(op, Op::Add | Op::Sub | Op::Mul)),
                };
                let (left, right) = self.arithmetic_operands(op, left, right, span)?;
                let ty = left.ty.ty;
                Ok(self.make(ExprKind::Binary(typed_op(op), Box::new(left), Box::new(right)), ty, span))
            }
        }
    }

    /// The converted operands of an arithmetic operator; the left one has the operation's type.
    fn arithmetic_operands(&mut self, op: Op, left: Expr, right: Expr, span: Span) -> Checked<(Expr, Expr)> {
        let needs_integers = matches!(op, Op::Rem | Op::Shl | Op::Shr | Op::BitAnd | Op::BitOr | Op::BitXor);
        if needs_integers {
            for operand in [&left, &right] {
                if !self.types.is_integer(operand.ty.ty) {
                    return Err(self.no_arithmetic(operand.ty, span));
                }
            }
        }
        match op {
            Op::Shl | Op::Shr => Ok((self.promote(left), self.promote(right))),
            _ => self.usual_conversions(left, right, span),
        }
    }

    /// Bytes of what a pointer points to.
    pub(super) fn element_size(&mut self, pointer: QualType, span: Span) -> Checked<u64> {
        let Some(pointee) = self.types.pointee(pointer.ty) else { return Err(self.no_arithmetic(pointer, span)) };
        if let Some(size) = self.types.size(pointee.ty) {
            return Ok(size);
        }
        let name = self.text(pointee);
        Err(match self.types.get(pointee.ty) {
            Type::VariableArray { .. } | Type::Array { len: Some(_), .. } => {
                self.refuse(span, "pointers to arrays whose length is computed at run time")
            }
            _ => self.error(span, format!("{name} is incomplete here, so pointers to it cannot be moved")),
        })
    }

    pub(super) fn pointer_add(&mut self, pointer: Expr, index: Expr, is_sub: bool, span: Span) -> Checked<Expr> {
        if !self.types.is_integer(index.ty.ty) {
            return Err(self.no_arithmetic(index.ty, span));
        }
        let size = self.element_size(pointer.ty, span)?;
        let ty = pointer.ty.ty;
        let index = self.promote(index);
        let kind = ExprKind::PointerAdd { pointer: Box::new(pointer), index: Box::new(index), size, is_sub };
        Ok(self.make(kind, ty, span))
    }

    fn pointer_difference(&mut self, left: Expr, right: Expr, span: Span) -> Checked<Expr> {
        let size = self.element_size(left.ty, span)?;
        if size == 0 {
            return Err(self.error(span, "pointers to objects of size zero have no distance"));
        }
        let kind = ExprKind::PointerDiff { left: Box::new(left), right: Box::new(right), size };
        Ok(self.make(kind, self.difference_type(), span))
    }

    /// The operands of a comparison of which at least one is a pointer, in one pointer type.
    fn compared_pointers(&mut self, op: Op, left: Expr, right: Expr, span: Span) -> Checked<(Expr, Expr)> {
        for operand in [&left, &right] {
            if !self.types.is_pointer(operand.ty.ty) && !self.types.is_integer(operand.ty.ty) {
                return Err(self.no_arithmetic(operand.ty, span));
            }
        }
        let ty = match (self.types.pointee(left.ty.ty), self.types.pointee(right.ty.ty)) {
            (Some(_), Some(_)) if self.is_null_constant(&left) => right.ty.ty,
            (Some(_), Some(_)) if self.is_null_constant(&right) => left.ty.ty,
            (Some(left_pointee), Some(right_pointee)) => {
                let has_void = self.types.is_void(left_pointee.ty) || self.types.is_void(right_pointee.ty);
                if !has_void && !self.compatible_plain(left_pointee.ty, right_pointee.ty) {
                    self.warn(span, "comparison of pointers to different types");
                }
                if self.types.is_void(right_pointee.ty) { right.ty.ty } else { left.ty.ty }
            }
            (Some(_), None) => left.ty.ty,
            _ => right.ty.ty,
        };
        for operand in [&left, &right] {
            if !self.types.is_pointer(operand.ty.ty) && !self.is_null_constant(operand) {
                self.warn(span, format!("comparison of a pointer with an integer ({})", op.symbol()));
            }
        }
        Ok((self.cast(left, ty), self.cast(right, ty)))
    }

    /// An lvalue that may be assigned to.
    fn modifiable(&mut self, target: &ast::Expr) -> Checked<Expr> {
        let lvalue = self.expr(target)?;
        let span = lvalue.span;
        if !is_lvalue(&lvalue) || self.types.is_function(lvalue.ty.ty) {
            return Err(self.error(span, "this is a value, not an object that could be changed"));
        }
        if self.types.is_array(lvalue.ty.ty) {
            return Err(self.error(span, "an array cannot be assigned to as a whole"));
        }
        if lvalue.ty.is_const {
            return Err(self.error(span, "this object is const and cannot be changed"));
        }
        if !self.types.is_complete(lvalue.ty.ty) {
            let name = self.text(lvalue.ty);
            return Err(self.error(span, format!("{name} is incomplete here, so it cannot be changed")));
        }
        self.note_value_of(lvalue.ty, span);
        Ok(lvalue)
    }

    pub(super) fn assignment(&mut self, target: &ast::Expr, value: &ast::Expr, span: Span) -> Checked<Expr> {
        let target = self.modifiable(target);
        let value = self.value(value);
        let (target, value) = (target?, value?);
        let value = self.assign_to(value, target.ty, "this assignment")?;
        let ty = target.ty.ty;
        Ok(self.make(ExprKind::Assign(Box::new(target), Box::new(value)), ty, span))
    }

    pub(super) fn compound_assignment(
        &mut self,
        op: Op,
        target: &ast::Expr,
        value: &ast::Expr,
        span: Span,
    ) -> Checked<Expr> {
        let lhs = self.modifiable(target);
        let value = self.value(value);
        let (lhs, value) = (lhs?, value?);
        let ty = lhs.ty.ty;
        let (rhs, compute, size) = if self.types.is_pointer(ty) {
            if !matches!(op, Op::Add | Op::Sub) || !self.types.is_integer(value.ty.ty) {
                return Err(self.no_arithmetic(value.ty, span));
            }
            let size = self.element_size(lhs.ty, span)?;
            (self.promote(value), ty, Some(size))
        } else {
            // The left operand takes part only by its type; the lowering reads the object once.
            let left = Expr { kind: ExprKind::Load(Box::new(lhs.clone())), ty: QualType::plain(ty), span };
            // All but these are the same when the result is cut to the field.
            let (left, value) = match op {
                Op::Div | Op::Rem => self.mark_doubtful(left, value, false),
                _ => (left, value),
            };
            let (left, right) = self.arithmetic_operands(op, left, value, span)?;
            (right, left.ty.ty, None)
        };
        let kind = ExprKind::AssignOp { op: typed_op(op), lhs: Box::new(lhs), rhs: Box::new(rhs), compute, size };
        Ok(self.make(kind, ty, span))
    }

    fn step(&mut self, operand: &ast::Expr, is_increment: bool, is_postfix: bool, span: Span) -> Checked<Expr> {
        let lvalue = self.modifiable(operand)?;
        let ty = lvalue.ty.ty;
        let size = match self.types.get(ty) {
            Type::Pointer(_) => Some(self.element_size(lvalue.ty, span)?),
            _ if self.types.is_arithmetic(ty) => None,
            _ => return Err(self.no_arithmetic(lvalue.ty, span)),
        };
        let kind = ExprKind::Step { lvalue: Box::new(lvalue), is_increment, is_postfix, size };
        Ok(self.make(kind, ty, span))
    }

    pub(super) fn conditional(
        &mut self,
        condition: &ast::Expr,
        then: Option<&ast::Expr>,
        otherwise: &ast::Expr,
        span: Span,
    ) -> Checked<Expr> {
        let cond = self.value(condition)?;
        let cond = Box::new(self.condition(cond)?);
        let Some(then) = then else {
            let otherwise = self.value(otherwise)?;
            let (ty, otherwise) = self.without_middle(&cond, otherwise, span)?;
            let kind = ExprKind::Conditional { cond, then: None, otherwise: Box::new(otherwise) };
            return Ok(self.make(kind, ty, span));
        };
        let then = self.value(then);
        let otherwise = self.value(otherwise);
        let (then, otherwise) = self.alternatives(then?, otherwise?, span)?;
        let ty = then.ty.ty;
        let kind = ExprKind::Conditional { cond, then: Some(Box::new(then)), otherwise: Box::new(otherwise) };
        Ok(self.make(kind, ty, span))
    }

    /// The type of `cond ?: otherwise`, and its last operand converted to it.
    fn without_middle(&mut self, cond: &Expr, otherwise: Expr, span: Span) -> Checked<(TypeId, Expr)> {
        let (first, second) = self.alternatives(cond.clone(), otherwise, span)?;
        Ok((first.ty.ty, second))
    }

    /// Both alternatives of a conditional, converted to its type.
    fn alternatives(&mut self, then: Expr, otherwise: Expr, span: Span) -> Checked<(Expr, Expr)> {
        let (left, right) = (then.ty.ty, otherwise.ty.ty);
        let types = &self.types;
        if types.is_arithmetic(left) && types.is_arithmetic(right) {
            let (then, otherwise) = self.mark_doubtful(then, otherwise, false);
            return self.usual_conversions(then, otherwise, span);
        }
        if types.is_void(left) || types.is_void(right) {
            let void = self.basic.void;
            return Ok((self.cast(then, void), self.cast(otherwise, void)));
        }
        if left == right {
            return Ok((then, otherwise));
        }
        let ty = match (types.pointee(left), types.pointee(right)) {
            (Some(_), Some(_)) if self.is_null_constant(&otherwise) => left,
            (Some(_), Some(_)) if self.is_null_constant(&then) => right,
            (Some(left_pointee), Some(right_pointee)) => self.joined_pointer(left_pointee, right_pointee, span),
            (Some(_), None) if types.is_integer(right) => {
                if !self.is_null_constant(&otherwise) {
                    self.warn(span, "one alternative is a pointer, the other an integer");
                }
                left
            }
            (None, Some(_)) if types.is_integer(left) => {
                if !self.is_null_constant(&then) {
                    self.warn(span, "one alternative is an integer, the other a pointer");
                }
                right
            }
            _ => {
                let (left, right) = (self.text(then.ty), self.text(otherwise.ty));
                let message = format!("the alternatives {left} and {right} have no common type");
                return Err(self.error(span, message));
            }
        };
        Ok((self.cast(then, ty), self.cast(otherwise, ty)))
    }

    /// The pointer type of a conditional whose alternatives point to these.
    fn joined_pointer(&mut self, left: QualType, right: QualType, span: Span) -> TypeId {
        let qualified = QualType {
            ty: left.ty,
            is_const: left.is_const || right.is_const,
            is_volatile: left.is_volatile || right.is_volatile,
            is_atomic: left.is_atomic && right.is_atomic,
        };
        let pointee = if self.types.is_void(left.ty) || self.types.is_void(right.ty) {
            QualType { ty: self.basic.void, ..qualified }
        } else if self.compatible_plain(left.ty, right.ty) {
            let composite = self.composite(left, right);
            QualType { ty: composite.ty, ..qualified }
        } else {
            self.warn(span, "the alternatives point to different types");
            QualType { ty: self.basic.void, ..qualified }
        };
        self.pointer_to(pointee)
    }
}

/// The operator of the typed tree.
fn typed_op(op: Op) -> BinaryOp {
    match op {
        Op::Mul => BinaryOp::Mul,
        Op::Div => BinaryOp::Div,
        Op::Rem => BinaryOp::Rem,
        Op::Add => BinaryOp::Add,
        Op::Sub => BinaryOp::Sub,
        Op::Shl => BinaryOp::Shl,
        Op::Shr => BinaryOp::Shr,
        Op::Less => BinaryOp::Lt,
        Op::Greater => BinaryOp::Gt,
        Op::LessEqual => BinaryOp::Le,
        Op::GreaterEqual => BinaryOp::Ge,
        Op::Equal => BinaryOp::Eq,
        Op::NotEqual => BinaryOp::Ne,
        Op::BitAnd => BinaryOp::And,
        Op::BitXor => BinaryOp::Xor,
        Op::BitOr => BinaryOp::Or,
        Op::LogicalAnd | Op::LogicalOr => unreachable!("logical operators have their own nodes"),
    }
}
