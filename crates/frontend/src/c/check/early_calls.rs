//! Calls that were typed before their function's real type was known, fitted to it once the whole file has been read.
//!
//! Without a prototype in sight a caller promotes its arguments and trusts that the function takes them so; without any
//! declaration it also believes in a result of type `int`. If the function turns out to be defined in this file, its
//! parameters and result are known after all: arguments and result get the conversions that make the call well typed.
//! Where no conversion can (another number of arguments, a value from a function without one), the caller gets a
//! problem, because C leaves such a call undefined.
//!
//! Invariant: afterwards a direct call of a function with a body has one argument for each fixed parameter, of its type.

use ir::Diagnostic;

use super::super::typed::{Expr, ExprKind, InitItem, Stmt, StmtKind, SymbolId};
use super::super::types::{QualType, TypeId, Types};
use super::Checker;
use rustc_hash::FxHashMap;

/// What a definition says about calls.
struct Signature {
    name: String,
    params: Vec<QualType>,
    result: QualType,
    is_variadic: bool,
}

/// The walk over one body.
struct Fitting<'a> {
    types: &'a Types,
    signatures: &'a FxHashMap<SymbolId, Signature>,
    problems: Vec<Diagnostic>,
}

impl Checker {
    pub(super) fn fit_early_calls(&mut self) {
        let mut signatures = FxHashMap::default();
        for function in &self.functions {
            if !self.called_early.contains(&function.symbol) {
                continue;
            }
            let params = function.params.iter().map(|param| self.symbols[param.0 as usize].ty).collect();
            let name = self.symbols[function.symbol.0 as usize].name.clone();
            let (result, is_variadic) = (function.result, function.is_variadic);
            signatures.insert(function.symbol, Signature { name, params, result, is_variadic });
        }
        if signatures.is_empty() {
            return;
        }
        for function in &mut self.functions {
            let mut fitting = Fitting { types: &self.types, signatures: &signatures, problems: Vec::new() };
            fitting.stmt(&mut function.body);
            function.problems.append(&mut fitting.problems);
        }
    }
}

impl Fitting<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Empty | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Return(None) => {}
            // Only here a call may turn out to have no value.
            StmtKind::Expr(Expr { kind: ExprKind::Call { .. }, .. }) => {
                if let StmtKind::Expr(expr) = &mut stmt.kind {
                    self.call(expr, false);
                }
            }
            StmtKind::Expr(expr) | StmtKind::GotoComputed(expr) | StmtKind::Return(Some(expr)) => self.expr(expr),
            StmtKind::Block(stmts) => stmts.iter_mut().for_each(|stmt| self.stmt(stmt)),
            StmtKind::Local { init, .. } => self.items(init.as_deref_mut().unwrap_or_default()),
            StmtKind::If { cond, then, otherwise } => {
                self.expr(cond);
                self.stmt(then);
                if let Some(otherwise) = otherwise {
                    self.stmt(otherwise);
                }
            }
            StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
                self.expr(cond);
                self.stmt(body);
            }
            StmtKind::For { init, cond, step, body } => {
                if let Some(init) = init {
                    self.stmt(init);
                }
                cond.iter_mut().for_each(|cond| self.expr(cond));
                if let Some(step) = step {
                    match step.kind {
                        ExprKind::Call { .. } => self.call(step, false),
                        _ => self.expr(step),
                    }
                }
                self.stmt(body);
            }
            StmtKind::Switch { value, body } => {
                self.expr(value);
                self.stmt(body);
            }
            StmtKind::Case { body, .. } | StmtKind::Default(body) | StmtKind::Label { body, .. } => self.stmt(body),
            StmtKind::Asm { outputs, inputs, .. } => {
                outputs.iter_mut().chain(inputs).for_each(|operand| self.expr(operand));
            }
        }
    }

    fn items(&mut self, items: &mut [InitItem]) {
        items.iter_mut().for_each(|item| self.expr(&mut item.value));
    }

    fn expr(&mut self, expr: &mut Expr) {
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
            | ExprKind::VaArg(inner) => self.expr(inner),
            ExprKind::Cast(inner) => {
                let is_dropped = self.types.is_void(expr.ty.ty);
                match inner.kind {
                    ExprKind::Call { .. } if is_dropped => self.call(inner, false),
                    _ => self.expr(inner),
                }
            }
            ExprKind::Binary(_, left, right)
            | ExprKind::PointerDiff { left, right, .. }
            | ExprKind::PointerAdd { pointer: left, index: right, .. }
            | ExprKind::LogicalAnd(left, right)
            | ExprKind::LogicalOr(left, right)
            | ExprKind::Assign(left, right)
            | ExprKind::AssignOp { lhs: left, rhs: right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Comma(left, right) => {
                match left.kind {
                    ExprKind::Call { .. } => self.call(left, false),
                    _ => self.expr(left),
                }
                self.expr(right);
            }
            ExprKind::Conditional { cond, then, otherwise } => {
                self.expr(cond);
                then.iter_mut().for_each(|then| self.expr(then));
                self.expr(otherwise);
            }
            ExprKind::Builtin { args, .. } => args.iter_mut().for_each(|arg| self.expr(arg)),
            ExprKind::Statements(stmts) => {
                let last = stmts.len().saturating_sub(1);
                for (index, stmt) in stmts.iter_mut().enumerate() {
                    match &mut stmt.kind {
                        StmtKind::Expr(value) if index == last => self.expr(value),
                        _ => self.stmt(stmt),
                    }
                }
            }
            ExprKind::Compound { init, .. } => self.items(init),
            ExprKind::Call { .. } => self.call(expr, true),
        }
    }

    /// Fits one call; `is_used` says that its value matters.
    fn call(&mut self, expr: &mut Expr, is_used: bool) {
        let (span, believed) = (expr.span, expr.ty);
        let ExprKind::Call { callee, args } = &mut expr.kind else { return };
        self.expr(callee);
        args.iter_mut().for_each(|arg| self.expr(arg));
        let ExprKind::Symbol(symbol) = callee.kind else { return };
        let Some(signature) = self.signatures.get(&symbol) else { return };
        let n_params = signature.params.len();
        if args.len() < n_params || args.len() > n_params && !signature.is_variadic {
            let (name, given) = (&signature.name, args.len());
            let message = format!("{name} is called with {given} arguments, but defined with {n_params}");
            self.problems.push(Diagnostic::error(span, message));
            return;
        }
        for (arg, param) in args.iter_mut().zip(&signature.params) {
            if !self.convert(arg, param.ty) {
                let message = format!("this argument does not fit the definition of {}", signature.name);
                self.problems.push(Diagnostic::error(arg.span, message));
            }
        }
        expr.ty = QualType::plain(signature.result.ty);
        if is_used && !self.convert(expr, believed.ty) {
            let message = format!("{} is used as if it returned int", signature.name);
            self.problems.push(Diagnostic::error(span, message));
        }
    }

    /// Casts a value to a type; false if no conversion exists.
    fn convert(&self, expr: &mut Expr, ty: TypeId) -> bool {
        if expr.ty.ty == ty {
            return true;
        }
        let is_possible = self.types.is_scalar(expr.ty.ty) && self.types.is_scalar(ty);
        let is_odd = |left, right| self.types.is_floating(left) && self.types.is_pointer(right);
        if !is_possible || is_odd(expr.ty.ty, ty) || is_odd(ty, expr.ty.ty) {
            return false;
        }
        let span = expr.span;
        let operand = std::mem::replace(expr, Expr { kind: ExprKind::Int(0), ty: QualType::plain(ty), span });
        expr.kind = ExprKind::Cast(Box::new(operand));
        true
    }
}
