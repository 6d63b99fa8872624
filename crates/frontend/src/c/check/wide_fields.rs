//! Bit-fields wider than `int`: of which type are they?
//!
//! For gcc such a field has a type of exactly its width, for clang the declared one; C allows both. Most expressions mean
//! the same either way: assignments, comparisons with numbers that are not negative. Where they do not, the operand is
//! marked, and an execution that evaluates it is answered "unknown".

use super::super::typed::{BinaryOp, Expr, ExprKind};
use super::super::types::IntKind;
use super::convert::bit_field_width;
use super::{Checker, DOUBTFUL};

impl Checker {
    /// Marks the operands of a binary operator where the opinions make a difference. `may_grow` says whether the result can have
    /// more bits than the operands.
    pub(super) fn mark_doubtful(&self, left: Expr, right: Expr, may_grow: bool) -> (Expr, Expr) {
        let is_doubtful = self.is_doubtful(&left, &right, may_grow) || self.is_doubtful(&right, &left, may_grow);
        if is_doubtful { (self.doubtful(left), self.doubtful(right)) } else { (left, right) }
    }

    /// The same for an operator with one operand (`~x`, `-x`, `x << n`).
    pub(super) fn mark_doubtful_alone(&self, operand: Expr) -> Expr {
        if self.wide_field(&operand).is_some() { self.doubtful(operand) } else { operand }
    }

    fn is_doubtful(&self, field: &Expr, other: &Expr, may_grow: bool) -> bool {
        let (Some(kind), Some(other_kind)) = (self.wide_field(field), self.types.int_kind(other.ty.ty)) else {
            return false;
        };
        let is_as_wide = other_kind.bits(self.data_model()) >= kind.bits(self.data_model());
        let is_plain_and_wide = is_as_wide && self.wide_field(other).is_none();
        if may_grow && !(is_plain_and_wide && kind.is_signed() == other_kind.is_signed()) {
            return true;
        }
        let is_positive = matches!(other.kind, ExprKind::Int(value) if value >= 0);
        !kind.is_signed() && other_kind.is_signed() && !is_positive
    }

    /// The declared type of a field that is wider than `int` and narrower than that type.
    fn wide_field(&self, expr: &Expr) -> Option<IntKind> {
        // What operators make of such a field is as wide as the field.
        match &expr.kind {
            ExprKind::Binary(BinaryOp::Shr, left, _) => return self.wide_field(left),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Div | BinaryOp::Rem, a, b) => {
                return self.wide_field(a).or_else(|| self.wide_field(b));
            }
            ExprKind::Conditional { then: Some(a), otherwise: b, .. } => {
                return self.wide_field(a).or_else(|| self.wide_field(b));
            }
            _ => {}
        }
        let width = bit_field_width(expr)?;
        let kind = self.types.int_kind(expr.ty.ty)?;
        (width > 32 && width < kind.bits(self.data_model())).then_some(kind)
    }

    fn doubtful(&self, expr: Expr) -> Expr {
        let (ty, span) = (expr.ty.ty, expr.span);
        self.make(ExprKind::Builtin { name: DOUBTFUL.to_string(), args: vec![expr] }, ty, span)
    }
}
