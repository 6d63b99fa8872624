//! What are statements as code?
//!
//! The cost of an instruction counts the nodes that the published tool makes of it: a declaration and its initialiser are two, a check
//! for null, bounds or a divisor adds two (its condition and the way past it), `if` and `while` are two for head and guard.

use super::ast::{Expr as Ast, ExprKind, Name, Stmt, StmtKind, TypeName};
use super::expr::can_raise;
use super::lower::{Body, Checked, Loop, default_expr};
use ir::Span;
use ir::oox::{Base, Expr, Op, Place, Rhs, Type};
use std::collections::BTreeMap;

impl Body<'_> {
    pub(super) fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            // A problem was told; the statements behind it are looked at for further ones.
            let _ = self.stmt(stmt);
        }
    }

    fn scoped(&mut self, stmts: &[Stmt]) {
        self.scopes.push(BTreeMap::new());
        self.stmts(stmts);
        self.scopes.pop();
    }

    fn stmt(&mut self, stmt: &Stmt) -> Checked<()> {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Skip => drop(self.emit(Op::Skip, span, 1)),
            StmtKind::Declare { ty, name, value } => self.declaration(ty, name, value.as_ref(), span)?,
            StmtKind::Assign { to, value } => self.assignment(to, value, span)?,
            StmtKind::Call(call) => {
                let (call, _) = self.call(call)?;
                let cost = self.call_cost(&call);
                self.emit(Op::Call { call, to: None }, span, cost);
            }
            StmtKind::Fork(call) => {
                if !matches!(call.kind, ExprKind::Call { .. } | ExprKind::Super { name: Some(_), .. }) {
                    return Err(self.complain(call.span, "`fork` starts a method; this is no call of one"));
                }
                let (lowered, returns) = self.call(call)?;
                if returns != Type::VOID {
                    let message =
                        format!("`fork` starts methods that return nothing; this one returns {}", self.show(returns));
                    return Err(self.complain(call.span, message));
                }
                self.emit(Op::Fork(lowered), span, 1);
            }
            StmtKind::Join => drop(self.emit(Op::Join, span, 1)),
            StmtKind::Lock(object) | StmtKind::Unlock(object) => {
                let value = self.expr(object)?;
                if value.ty.is_array() || !matches!(value.ty.base, Base::Class(_)) {
                    let message = format!("only objects have a lock; this is {}", self.show(value.ty));
                    return Err(self.complain(object.span, message));
                }
                let is_lock = matches!(stmt.kind, StmtKind::Lock(_));
                self.emit(if is_lock { Op::Lock(value.expr) } else { Op::Unlock(value.expr) }, span, 1);
            }
            StmtKind::Assert(cond) => {
                let lowered = self.condition(cond)?;
                self.emit(Op::Assert(lowered), cond.span, 1);
            }
            StmtKind::Assume(cond) => {
                let lowered = self.condition(cond)?;
                self.emit(Op::Assume(lowered), cond.span, 1);
            }
            StmtKind::While { cond, body } => self.while_loop(cond, body, span)?,
            StmtKind::If { cond, then, otherwise } => self.if_else(cond, then, otherwise.as_deref(), span)?,
            StmtKind::Continue | StmtKind::Break => {
                let at = self.emit(Op::Jump(0), span, 1);
                let Some(around) = self.loops.last_mut() else {
                    return Err(self.complain(span, "there is no loop around this"));
                };
                if matches!(stmt.kind, StmtKind::Break) {
                    around.breaks.push(at);
                } else {
                    self.code[at].op = Op::Jump(around.head);
                }
            }
            StmtKind::Return(value) => self.return_stmt(value.as_ref(), span)?,
            StmtKind::Throw(text) => drop(self.emit(Op::Throw(text.clone()), span, 1)),
            StmtKind::Try { body, handler } => self.try_catch(body, handler, span),
            StmtKind::Block(stmts) => self.scoped(stmts),
        }
        Ok(())
    }

    fn declaration(&mut self, ty: &TypeName, name: &Name, value: Option<&Ast>, span: Span) -> Checked<()> {
        let resolved = match self.classes.resolve(ty) {
            Ok(resolved) => resolved,
            Err(problem) => {
                self.out.problems.push(problem);
                // The name is known all the same, so that its uses are not complained about.
                let _ = self.declare(name, Type::NULL);
                return Ok(());
            }
        };
        let local = self.new_local(&name.text, resolved);
        let result = match value {
            Some(value) => self.store(Place::Local(local), resolved, value, span, 1),
            None => {
                let value = Rhs::Expr(default_expr(resolved));
                self.emit(Op::Assign { to: Place::Local(local), value }, span, 1);
                Ok(())
            }
        };
        self.bind(name, local)?;
        result
    }

    fn assignment(&mut self, to: &Ast, value: &Ast, span: Span) -> Checked<()> {
        let (place, ty) = match &to.kind {
            ExprKind::Name(name) if name == "this" => {
                return Err(self.complain(to.span, "`this` cannot be changed"));
            }
            ExprKind::Name(name) => match self.lookup(name) {
                Some(local) => (Place::Local(local), self.locals[usize::from(local)].ty),
                None => return Err(self.no_variable(to.span, name)),
            },
            ExprKind::Field(object, field) => {
                let (object, slot, ty) = self.field(object, field)?;
                (Place::Field { object, slot, ty }, ty)
            }
            ExprKind::Element(array, index) => {
                let (array, index, ty) = self.element(array, index)?;
                (Place::Element { array, index }, ty)
            }
            _ => return Err(self.complain(to.span, "nothing can be stored here")),
        };
        self.store(place, ty, value, span, 0)
    }

    /// Stores a value that is written there.
    fn store(&mut self, to: Place, ty: Type, value: &Ast, span: Span, extra: u8) -> Checked<()> {
        if is_call(value) {
            let (call, returns) = self.call(value)?;
            if !self.classes.is_assignable(returns, ty) {
                let message = format!("expected {}, found {}", self.show(ty), self.show(returns));
                return Err(self.complain(value.span, message));
            }
            let cost = self.call_cost(&call) + extra;
            if let Place::Local(local) = to {
                self.emit(Op::Call { call, to: Some(local) }, span, cost);
            } else {
                let temp = self.temp(ty);
                self.emit(Op::Call { call, to: Some(temp) }, span, cost);
                self.emit(Op::Assign { to, value: Rhs::Expr(Expr::Local(temp)) }, span, 1);
            }
            return Ok(());
        }
        let value = self.rhs(value, ty)?;
        let cost = 1 + extra + self.check_cost(&to, &value);
        self.emit(Op::Assign { to, value }, span, cost);
        Ok(())
    }

    /// What the published tool adds for the checks of an assignment.
    fn check_cost(&self, to: &Place, value: &Rhs) -> u8 {
        let is_this = |object: &Expr| !self.is_static && *object == Expr::Local(0);
        let place_raises = match to {
            Place::Local(_) => false,
            Place::Field { object, .. } => !is_this(object),
            Place::Element { .. } => true,
        };
        let value_raises = match value {
            Rhs::Expr(value) => can_raise(value),
            Rhs::Field { object, .. } => !is_this(object),
            Rhs::Element { .. } | Rhs::Cast { .. } => true,
            Rhs::NewArray { .. } => false,
        };
        if place_raises || value_raises { 2 } else { 0 }
    }

    fn while_loop(&mut self, cond: &Ast, body: &Stmt, span: Span) -> Checked<()> {
        let head = self.here();
        let cond = self.condition(cond);
        let placeholder = Op::Branch { cond: cond.clone().unwrap_or(Expr::Bool(false)), otherwise: 0 };
        let branch = self.emit(placeholder, span, 2);
        self.loops.push(Loop { head, breaks: Vec::new() });
        self.scoped(std::slice::from_ref(body));
        self.emit(Op::Jump(head), span, 0);
        self.land(branch);
        let done = self.loops.pop().expect("it was pushed");
        done.breaks.into_iter().for_each(|at| self.land(at));
        cond.map(drop)
    }

    fn if_else(&mut self, cond: &Ast, then: &Stmt, otherwise: Option<&Stmt>, span: Span) -> Checked<()> {
        let cond = self.condition(cond);
        let placeholder = Op::Branch { cond: cond.clone().unwrap_or(Expr::Bool(false)), otherwise: 0 };
        let branch = self.emit(placeholder, span, 2);
        self.scoped(std::slice::from_ref(then));
        match otherwise {
            Some(otherwise) => {
                let jump = self.emit(Op::Jump(0), span, 0);
                self.land(branch);
                self.scoped(std::slice::from_ref(otherwise));
                self.land(jump);
            }
            None => self.land(branch),
        }
        cond.map(drop)
    }

    fn return_stmt(&mut self, value: Option<&Ast>, span: Span) -> Checked<()> {
        let is_void = self.returns == Type::VOID || self.is_constructor;
        match value {
            None if is_void => drop(self.emit(Op::Return(None), span, 2)),
            None => {
                let message = format!("this method returns {}; the value is missing", self.show(self.returns));
                return Err(self.complain(span, message));
            }
            Some(value) if is_void => return Err(self.complain(value.span, "this method returns nothing")),
            Some(value) => {
                let returns = self.returns;
                let typed = self.expr(value)?;
                let typed = self.coerce(typed, returns, value.span)?;
                let cost = if can_raise(&typed) { 4 } else { 2 };
                self.emit(Op::Return(Some(typed)), span, cost);
            }
        }
        Ok(())
    }

    fn try_catch(&mut self, body: &[Stmt], handler: &[Stmt], span: Span) {
        let start = self.emit(Op::Skip, span, 1);
        self.scoped(body);
        let end = self.code.len();
        let jump = self.emit(Op::Jump(0), span, 1);
        let catch = self.here();
        // Inner instructions already have the handler of an inner `try`.
        for instr in &mut self.code[start..end] {
            instr.handler = instr.handler.or(Some(catch));
        }
        self.emit(Op::Skip, span, 1);
        self.scoped(handler);
        self.land(jump);
        // Something to land on, also at the end of the method.
        self.emit(Op::Skip, span, 1);
    }
}

/// Whether an expression is a call that gives its value itself.
pub(super) fn is_call(expr: &Ast) -> bool {
    matches!(expr.kind, ExprKind::Call { .. } | ExprKind::Super { .. } | ExprKind::New { .. })
}
