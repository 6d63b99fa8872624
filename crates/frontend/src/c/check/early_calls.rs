//! Calls that were typed before their function's real type was known, fitted to it once the whole file has been read.
//!
//! Without a prototype in sight a caller promotes its arguments and trusts that the function takes them so; without any
//! declaration it also believes in a result of type `int`. If the function turns out to be defined in this file, its
//! parameters and result are known after all: arguments and result get the conversions that make the call well typed.
//! Where no conversion can (too few arguments, a value from a function without one), the caller gets a
//! problem, because C leaves such a call undefined; so it does with too many, but all compilers drop them, and so do we, with a warning.
//!
//! Invariant: afterwards a direct call of a function with a body has one argument for each fixed parameter, of its type.

use ir::Diagnostic;
use rustc_hash::FxHashMap;

use super::super::typed::{Expr, ExprKind, SymbolId};
use super::super::types::{QualType, TypeId, Types};
use super::Checker;
use super::walk::visit_stmt;

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
            visit_stmt(&mut function.body, &mut |expr, is_used| fitting.fit(expr, is_used));
            function.problems.append(&mut fitting.problems);
        }
    }
}

impl Fitting<'_> {
    fn fit(&mut self, expr: &mut Expr, is_used: bool) {
        match &expr.kind {
            ExprKind::Call { .. } => self.call(expr, is_used),
            // A dropped call inside may have lost its value.
            ExprKind::Comma(_, last) if self.types.is_void(last.ty.ty) => expr.ty = last.ty,
            ExprKind::Cast(operand) if self.types.is_void(operand.ty.ty) && !self.types.is_void(expr.ty.ty) => {
                self.problems.push(Diagnostic::error(expr.span, "this call has no value that could be converted"));
            }
            _ => {}
        }
    }

    /// Fits one call; `is_used` says that its value matters.
    fn call(&mut self, expr: &mut Expr, is_used: bool) {
        let (span, believed) = (expr.span, expr.ty);
        let ExprKind::Call { callee, args } = &mut expr.kind else { return };
        let ExprKind::Symbol(symbol) = callee.kind else { return };
        let Some(signature) = self.signatures.get(&symbol) else { return };
        let n_params = signature.params.len();
        let (name, given) = (&signature.name, args.len());
        let message = format!("{name} is called with {given} arguments, but defined with {n_params}");
        if given < n_params {
            self.problems.push(Diagnostic::error(span, message));
            return;
        }
        let surplus = if signature.is_variadic { Vec::new() } else { args.split_off(n_params) };
        if !surplus.is_empty() {
            let note =
                "C leaves this call undefined; what compilers do is assumed: the arguments are computed and dropped";
            self.problems.push(Diagnostic::warning(span, message).with_note(note));
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
        for dropped in surplus.into_iter().rev() {
            let (ty, span) = (expr.ty, expr.span);
            let call = std::mem::replace(expr, Expr { kind: ExprKind::Int(0), ty, span });
            expr.kind = ExprKind::Comma(Box::new(dropped), Box::new(call));
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
