//! How long does a record live that an expression yields? Until the end of the full expression that it is part of.
//!
//! `int *p = mk().a;` leaves a pointer to an object that is gone (C11, 6.2.4). The objects of a full expression are made before it, since
//! a call may stand on one side of `?:` only, and end behind it, on each way out of a condition.

use crate::c::lower::analysis::scan::{self, Part};
use crate::c::lower::body::{Body, StackObject};
use crate::c::lower::context::SymbolRef;
use crate::c::typed::{Expr, ExprKind, InitItem, Stmt, StmtKind, Storage, SymbolId};
use ir::LocId;

impl Body<'_, '_> {
    /// The objects of records that an expression and its parts yield, but for a call whose record goes straight into a variable.
    pub(in crate::c::lower) fn results_of(&mut self, expr: &Expr, direct: Option<*const Expr>) -> Vec<StackObject> {
        let mut parts = Vec::new();
        scan::visit_expr(expr, &mut |part| match part {
            // Statement expressions are blocks of their own, but for what they yield.
            Part::Expr(part @ Expr { kind: ExprKind::Statements(_), .. }) => {
                parts.push(part);
                false
            }
            Part::Stmt(_) => false,
            Part::Expr(part) => {
                parts.push(part);
                true
            }
        });
        let mut found = Vec::new();
        for part in parts {
            match &part.kind {
                ExprKind::Call { .. } | ExprKind::Statements(_)
                    if self.is_record(part.ty.ty) && direct != Some(std::ptr::from_ref(part)) =>
                {
                    found.push(StackObject::CallResult(part, part.ty.ty));
                }
                ExprKind::Compound { symbol, .. } if self.is_temporary(*symbol) && self.is_stack_object(*symbol) => {
                    found.push(StackObject::Symbol(*symbol));
                }
                _ => {}
            }
        }
        found
    }

    /// Whether a nameless object ends with its full expression; a compound literal ends with its block.
    pub(in crate::c::lower) fn is_temporary(&self, symbol: SymbolId) -> bool {
        self.lw.symbol(SymbolRef { unit: self.unit, symbol }).storage == Storage::Temporary
    }

    /// Likewise of each full expression of a statement; those of a declaration are taken together.
    pub(in crate::c::lower) fn results_of_stmt<'s>(&mut self, stmt: &'s Stmt) -> Vec<(&'s Expr, Vec<StackObject>)> {
        let direct = directly_initialised(stmt);
        let exprs = scan::exprs_of(stmt);
        let own: Vec<Vec<StackObject>> = exprs.iter().map(|expr| self.results_of(expr, direct)).collect();
        let own = if matches!(stmt.kind, StmtKind::Local { .. } | StmtKind::Asm(_)) {
            vec![own.concat(); own.len()]
        } else {
            own
        };
        exprs.into_iter().zip(own).collect()
    }

    /// Makes the objects of a full expression that begins.
    pub(in crate::c::lower) fn make_results(&mut self, expr: &Expr) -> Vec<StackObject> {
        let results = self.results_of(expr, None);
        self.make_all(results)
    }

    /// Likewise for all expressions of a declaration or of assembly.
    pub(in crate::c::lower) fn make_results_of_stmt(&mut self, stmt: &Stmt) -> Vec<StackObject> {
        let results = self.results_of_stmt(stmt).pop().map(|(_, results)| results);
        self.make_all(results.unwrap_or_default())
    }

    fn make_all(&mut self, results: Vec<StackObject>) -> Vec<StackObject> {
        for object in &results {
            self.make_without_value(*object);
        }
        results
    }

    /// Ends the objects of a full expression.
    pub(in crate::c::lower) fn end_results(&mut self, results: Vec<StackObject>) {
        for object in results.into_iter().rev() {
            self.alive.retain(|alive| *alive != object);
            self.unmake(object);
        }
    }

    /// Evaluates a full expression for its effects.
    pub(in crate::c::lower) fn discard_full(&mut self, expr: &Expr) {
        let results = self.make_results(expr);
        self.discard(expr);
        self.end_results(results);
    }

    /// Goes on at one of two locations, by a condition that is a full expression.
    pub(in crate::c::lower) fn branch_full(&mut self, cond: &Expr, yes: LocId, no: LocId) {
        let mark = self.temporary_mark();
        let results = self.make_results(cond);
        if results.is_empty() {
            self.branch(cond, yes, no);
        } else {
            let ways = [(self.new_loc(), yes), (self.new_loc(), no)];
            self.branch(cond, ways[0].0, ways[1].0);
            let alive = self.alive.clone();
            for (from, to) in ways {
                self.alive.clone_from(&alive);
                self.resume_at(from);
                self.end_results(results.clone());
                self.goto(to);
            }
        }
        self.release(mark);
    }
}

/// The call whose record goes straight into the variable that a declaration makes.
fn directly_initialised(stmt: &Stmt) -> Option<*const Expr> {
    let StmtKind::Local { init: Some(items), .. } = &stmt.kind else { return None };
    let [InitItem { offset: 0, value, .. }] = items.as_slice() else { return None };
    matches!(value.kind, ExprKind::Call { .. }).then_some(std::ptr::from_ref(value))
}
