//! A walk over typed trees that may change them, children first.
//!
//! The walk knows for each expression whether its value is used or only its effect.

use super::super::typed::{Expr, ExprKind, InitItem, Stmt, StmtKind};

/// What is done with each expression: the expression, and whether its value is used.
pub(super) type Visit<'a> = &'a mut dyn FnMut(&mut Expr, bool);

/// Visits all expressions of a statement.
pub(super) fn visit_stmt(stmt: &mut Stmt, visit: Visit<'_>) {
    match &mut stmt.kind {
        StmtKind::Empty | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Return(None) => {}
        StmtKind::Expr(effect) => visit_expr(effect, false, visit),
        StmtKind::GotoComputed(value) | StmtKind::Return(Some(value)) => visit_expr(value, true, visit),
        StmtKind::Block(stmts) => stmts.iter_mut().for_each(|stmt| visit_stmt(stmt, visit)),
        StmtKind::Local { init, .. } => visit_items(init.as_deref_mut().unwrap_or_default(), visit),
        StmtKind::If { cond, then, otherwise } => {
            visit_expr(cond, true, visit);
            visit_stmt(then, visit);
            otherwise.iter_mut().for_each(|otherwise| visit_stmt(otherwise, visit));
        }
        StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
            visit_expr(cond, true, visit);
            visit_stmt(body, visit);
        }
        StmtKind::For { init, cond, step, body } => {
            init.iter_mut().for_each(|init| visit_stmt(init, visit));
            cond.iter_mut().for_each(|cond| visit_expr(cond, true, visit));
            step.iter_mut().for_each(|step| visit_expr(step, false, visit));
            visit_stmt(body, visit);
        }
        StmtKind::Switch { value, body } => {
            visit_expr(value, true, visit);
            visit_stmt(body, visit);
        }
        StmtKind::Case { body, .. } | StmtKind::Default(body) | StmtKind::Label { body, .. } => {
            visit_stmt(body, visit);
        }
        StmtKind::Asm(asm) => {
            let operands = asm.outputs.iter_mut().chain(&mut asm.inputs);
            operands.for_each(|operand| visit_expr(&mut operand.value, true, visit));
        }
    }
}

fn visit_items(items: &mut [InitItem], visit: Visit<'_>) {
    items.iter_mut().for_each(|item| visit_expr(&mut item.value, true, visit));
}

fn visit_expr(expr: &mut Expr, is_used: bool, visit: Visit<'_>) {
    match &mut expr.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::String(_)
        | ExprKind::Symbol(_)
        | ExprKind::LabelAddress(_) => {}
        ExprKind::Deref(inner)
        | ExprKind::Member { base: inner, .. }
        | ExprKind::Load(inner)
        | ExprKind::AddressOf(inner)
        | ExprKind::Decay(inner)
        | ExprKind::Unary(_, inner)
        | ExprKind::Step { lvalue: inner, .. }
        | ExprKind::VaArg(inner) => visit_expr(inner, true, visit),
        // Nothing can be made of a dropped value but nothing.
        ExprKind::Cast(inner) => visit_expr(inner, is_used, visit),
        ExprKind::Binary(_, left, right)
        | ExprKind::PointerDiff { left, right, .. }
        | ExprKind::PointerAdd { pointer: left, index: right, .. }
        | ExprKind::LogicalAnd(left, right)
        | ExprKind::LogicalOr(left, right)
        | ExprKind::Assign(left, right)
        | ExprKind::AssignOp { lhs: left, rhs: right, .. } => {
            visit_expr(left, true, visit);
            visit_expr(right, true, visit);
        }
        ExprKind::Comma(left, right) => {
            visit_expr(left, false, visit);
            visit_expr(right, is_used, visit);
        }
        ExprKind::Conditional { cond, then, otherwise } => {
            visit_expr(cond, true, visit);
            then.iter_mut().for_each(|then| visit_expr(then, true, visit));
            visit_expr(otherwise, true, visit);
        }
        ExprKind::Call { callee, args } => {
            visit_expr(callee, true, visit);
            args.iter_mut().for_each(|arg| visit_expr(arg, true, visit));
        }
        ExprKind::Builtin { args, .. } => args.iter_mut().for_each(|arg| visit_expr(arg, true, visit)),
        ExprKind::Statements(stmts) => {
            let last = stmts.len().saturating_sub(1);
            for (index, stmt) in stmts.iter_mut().enumerate() {
                match &mut stmt.kind {
                    StmtKind::Expr(value) if index == last => visit_expr(value, is_used, visit),
                    _ => visit_stmt(stmt, visit),
                }
            }
        }
        ExprKind::Compound { init, .. } => visit_items(init, visit),
    }
    visit(expr, is_used);
}
