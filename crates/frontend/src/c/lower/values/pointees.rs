//! What do allocations look like? Reports name their parts, so what the result of a call is taken for is written down: by the cast around
//! the call, which the checker makes explicit, and by the variable that gets it. Nothing else depends on it.

use crate::c::lower::body::Body;
use crate::c::lower::context::SymbolRef;
use crate::c::lower::model_types::{pointee, shape_of};
use crate::c::typed::{Expr, ExprKind, SymbolId};
use crate::c::types::TypeId;
use ir::{Pointee, Shape, Span};

impl Body<'_, '_> {
    /// The value of a call is taken for a pointer of this type.
    pub(in crate::c::lower) fn note_pointee(&mut self, call: &Expr, ty: TypeId) {
        let Some(span) = called_at(call).filter(|_| !self.is_model()) else { return };
        let Some(target) = pointee(self.types(), ty) else { return };
        let shape = shape_of(self.types(), target.ty);
        if shape.size() > 0 && !matches!(shape, Shape::Bytes(_)) {
            let old = self.lw.program.pointees.remove(&span);
            let pointer = old.and_then(|old| old.pointer);
            self.lw.program.pointees.insert(span, Pointee { pointer, shape });
        }
    }

    /// A variable gets the value of a call that was taken for a pointer.
    pub(in crate::c::lower) fn name_pointee(&mut self, symbol: SymbolId, value: &Expr) {
        let Some(span) = called_at(value).filter(|_| !self.is_model()) else { return };
        // A function that returns such a pointer allocates nothing itself.
        if let ExprKind::Cast(call) = &value.kind {
            self.note_pointee(call, value.ty.ty);
        }
        let name = self.lw.symbol(SymbolRef { unit: self.unit, symbol }).name.clone();
        if let Some(pointee) = self.lw.program.pointees.get_mut(&span) {
            pointee.pointer.get_or_insert(name);
        }
    }
}

/// Where the call stands whose value is only converted.
fn called_at(expr: &Expr) -> Option<Span> {
    match &expr.kind {
        ExprKind::Cast(inner) => called_at(inner),
        ExprKind::Call { .. } => Some(expr.span).filter(|span| span.is_known()),
        _ => None,
    }
}
