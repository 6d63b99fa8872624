//! Structs and unions as values: an expression of record type stands for the address of an object that holds it.
//!
//! A function returns a record through a pointer that is its first parameter; a parameter of record type is a pointer
//! from which the callee copies. How the bytes get there is in `cells`.

use crate::c::lower::body::{Body, StackObject};
use crate::c::typed::{Expr, ExprKind, Stmt, StmtKind};
use crate::c::types::{Type, TypeId};
use logic::{Sort, TermId};

impl Body<'_, '_> {
    pub(in crate::c::lower) fn is_record(&self, ty: TypeId) -> bool {
        matches!(self.types().get(ty), Type::Record(_))
    }

    /// The address of an object that holds the value of a record expression.
    pub(in crate::c::lower) fn record_address(&mut self, expr: &Expr) -> TermId {
        if !self.is_reachable() {
            return self.word(0);
        }
        if let Some(address) = self.early_value(expr) {
            return address;
        }
        let region = self.open_region(expr);
        let address = self.record_address_kind(expr);
        self.close_region(region);
        address
    }

    fn record_address_kind(&mut self, expr: &Expr) -> TermId {
        match &expr.kind {
            ExprKind::Load(inner) => self.record_address(inner),
            ExprKind::Symbol(_)
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::String(_)
            | ExprKind::Compound { .. } => self.address(expr),
            ExprKind::Assign(lhs, rhs) => {
                let to = self.record_address(lhs);
                let from = self.record_address(rhs);
                let outer = std::mem::replace(&mut self.span, expr.span);
                if lhs.ty.is_atomic {
                    self.unsupported("assignment to an atomic struct or union");
                }
                self.copy_record(to, from, expr.ty.ty);
                self.span = outer;
                to
            }
            ExprKind::Cast(inner) if self.is_record(inner.ty.ty) => self.record_address(inner),
            ExprKind::Comma(first, second) => {
                self.discard(first);
                self.record_address(second)
            }
            ExprKind::Conditional { cond, then: Some(then), otherwise } => {
                let result = self.temporary(Sort::Bv(self.word_bits()));
                let (yes, no, end) = (self.new_loc(), self.new_loc(), self.new_loc());
                self.branch(cond, yes, no);
                for (loc, side) in [(yes, then), (no, otherwise)] {
                    self.resume_at(loc);
                    let address = self.record_address(side);
                    self.assign(result, address);
                    self.goto(end);
                }
                self.resume_at(end);
                self.var(result)
            }
            ExprKind::Call { callee, args } => {
                let out = self.stack_pointer(StackObject::CallResult(expr, expr.ty.ty));
                let out = self.var(out);
                self.call_into(expr, callee, args, out);
                out
            }
            ExprKind::Statements(stmts) => self.statements_record(expr, stmts),
            _ => {
                self.span = expr.span;
                self.unsupported("this expression of struct or union type");
                self.word(0)
            }
        }
    }

    /// Objects of the inner block end with it, so the value is copied to one of the full expression.
    fn statements_record(&mut self, expr: &Expr, stmts: &[Stmt]) -> TermId {
        let Some((Stmt { kind: StmtKind::Expr(last), .. }, before)) = stmts.split_last() else {
            self.unsupported("a statement expression of struct or union type without a value");
            return self.word(0);
        };
        let n_alive = self.alive.len();
        self.make_hoisted(stmts);
        self.items(before);
        if let Some(stmt) = stmts.last() {
            self.make_item_objects(stmt);
        }
        self.make_results(last);
        let mut address = self.record_address(last);
        if self.has_result_object(expr) {
            let out = self.stack_pointer(StackObject::CallResult(expr, expr.ty.ty));
            let out = self.var(out);
            self.copy_record(out, address, expr.ty.ty);
            address = out;
        } else if self.alive[n_alive..].iter().any(|object| !matches!(object, StackObject::Variable(_))) {
            self.unsupported("a statement expression whose value is a struct or union of its own");
        }
        self.close_scope(n_alive);
        address
    }

    /// Whether the statement made an object for the record that a call returns.
    pub(in crate::c::lower) fn has_result_object(&self, call: &Expr) -> bool {
        self.alive.contains(&StackObject::CallResult(call, call.ty.ty))
    }
}
