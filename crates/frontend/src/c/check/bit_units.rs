//! Bit-fields whose storage unit is not of their declared type: from declared types to units, once all is typed.
//!
//! While expressions are typed, a bit-field has its declared type, because promotions ask for it. What is read and
//! written in the end is its storage unit (see `decl::layout`), and the typed tree says so: the member gets the unit's
//! type, and values are converted between the two. Both types have the same signedness and hold all values of the
//! field, so the conversions change nothing else.

use super::super::typed::{Expr, ExprKind};
use super::super::types::{QualType, Type, TypeId};
use super::Checker;
use super::convert::is_lvalue;
use super::walk::visit_stmt;

impl Checker {
    pub(super) fn settle_bit_units(&mut self) {
        if self.units.is_empty() {
            return;
        }
        let mut functions = std::mem::take(&mut self.functions);
        for function in &mut functions {
            visit_stmt(&mut function.body, &mut |expr, _| self.settle(expr));
        }
        self.functions = functions;
    }

    fn settle(&self, expr: &mut Expr) {
        let declared = expr.ty.ty;
        if let Some(unit) = self.unit_of(expr) {
            expr.ty.ty = unit;
            // A member of a record value is a value itself.
            if !is_lvalue(expr) {
                wrap(expr, declared);
            }
            return;
        }
        // Children come first, so a field below has its unit's type by now.
        let unit = match &expr.kind {
            ExprKind::Load(lvalue)
            | ExprKind::Assign(lvalue, _)
            | ExprKind::AssignOp { lhs: lvalue, .. }
            | ExprKind::Step { lvalue, .. } => match &lvalue.kind {
                ExprKind::Member { bits: Some(_), .. } => lvalue.ty.ty,
                _ => return,
            },
            _ => return,
        };
        if unit == declared {
            return;
        }
        if let ExprKind::Assign(_, value) = &mut expr.kind {
            wrap(value, unit);
        }
        expr.ty = QualType::plain(unit);
        wrap(expr, declared);
    }

    fn unit_of(&self, expr: &Expr) -> Option<TypeId> {
        let ExprKind::Member { base, offset, bits: Some(bits) } = &expr.kind else { return None };
        let Type::Record(record) = self.types.get(base.ty.ty) else { return None };
        self.units.get(&(*record, *offset, *bits)).copied()
    }
}

/// Puts a conversion around an expression.
fn wrap(expr: &mut Expr, ty: TypeId) {
    let span = expr.span;
    let operand = std::mem::replace(expr, Expr { kind: ExprKind::Int(0), ty: QualType::plain(ty), span });
    expr.kind = ExprKind::Cast(Box::new(operand));
}
