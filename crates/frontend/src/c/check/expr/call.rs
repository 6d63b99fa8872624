//! Calls: what is called, and what becomes of the arguments.
//!
//! Arguments are converted to the parameters' types, or promoted where there is no parameter (`...`, no prototype).
//! A name that nobody declared is taken for a function returning `int`, as compilers do, with a warning; if it is the
//! name of a well-known library function, its real type is used.

use ir::{Diagnostic, Span};

use super::super::super::ast::{self, Name};
use super::super::super::typed::{Expr, ExprKind, SymbolId};
use super::super::super::types::{IntKind, QualType, Type, TypeId};
use super::super::scope::Entity;
use super::super::{Checked, Checker};

/// What glibc's `pthread_cleanup_push` calls; it is given the routine and its argument as well.
pub(in crate::c) const CLEANUP_PUSH: &str = "__pthread_register_cancel";

/// The variables in which the macro keeps the routine and its argument.
const CLEANUP: [&str; 2] = ["__cancel_routine", "__cancel_arg"];

impl Checker {
    pub(super) fn call(&mut self, callee: &ast::Expr, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        if let ast::ExprKind::Identifier(name) = &callee.kind
            && self.scopes.entity(name).is_none()
        {
            if let Some(result) = self.builtin_call(name, arguments, span) {
                return result;
            }
            self.declare_implicitly(name, callee.span);
        }
        let is_cleanup = matches!(&callee.kind, ast::ExprKind::Identifier(name) if &**name == CLEANUP_PUSH);
        let callee = self.callee(callee)?;
        let call = self.call_function(callee, arguments, span)?;
        if is_cleanup { self.with_cleanup(call) } else { Ok(call) }
    }

    /// What is to be done when the thread leaves: glibc's macro keeps it in variables, for a jump back; here it is handed on.
    fn with_cleanup(&mut self, mut call: Expr) -> Checked<Expr> {
        let span = call.span;
        let known = CLEANUP.map(Name::new);
        if known.iter().all(|name| self.scopes.entity(name).is_some())
            && let ExprKind::Call { args, .. } = &mut call.kind
        {
            for name in known {
                args.push(self.value(&ast::Expr { kind: ast::ExprKind::Identifier(name), span })?);
            }
        }
        Ok(call)
    }

    /// A function symbol, or a pointer to a function.
    fn callee(&mut self, callee: &ast::Expr) -> Checked<Expr> {
        let mut typed = match &callee.kind {
            // `(*f)(...)` and `(&f)(...)` call `f`.
            ast::ExprKind::Unary { op: ast::UnaryOp::Address, operand } => {
                let inner = self.expr(operand)?;
                if self.types.is_function(inner.ty.ty) { inner } else { self.expr(callee)? }
            }
            _ => self.expr(callee)?,
        };
        if self.types.is_function(typed.ty.ty) {
            return Ok(match typed.kind {
                ExprKind::Symbol(_) => typed,
                ExprKind::Deref(pointer) => *pointer,
                _ => self.value_of(typed)?,
            });
        }
        typed = self.value_of(typed)?;
        let is_function_pointer =
            self.types.pointee(typed.ty.ty).is_some_and(|pointee| self.types.is_function(pointee.ty));
        if is_function_pointer {
            return Ok(typed);
        }
        let name = self.text(typed.ty);
        Err(self.error(typed.span, format!("a value of type {name} cannot be called")))
    }

    pub(super) fn call_function(&mut self, callee: Expr, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        let function = self.types.pointee(callee.ty.ty).unwrap_or(callee.ty);
        let Type::Function { result, params, is_variadic, is_unprototyped } = self.types.get(function.ty).clone()
        else {
            return Err(self.error(span, "this is not a function"));
        };
        if let (true, ExprKind::Symbol(symbol)) = (is_unprototyped, &callee.kind) {
            self.called_early.insert(*symbol);
        }
        let n_fixed = params.len();
        let too_few = arguments.len() < n_fixed && !is_unprototyped;
        let too_many = arguments.len() > n_fixed && !is_variadic && !is_unprototyped;
        if too_few || too_many {
            // Who includes no header is told so, and the call is refused only where it is made.
            if matches!(&callee.kind, ExprKind::Symbol(symbol) if self.implicit.contains(symbol)) {
                return Err(self.refuse(span, "a call of an undeclared function with other arguments than it takes"));
            }
            let (given, wanted) = (arguments.len(), n_fixed);
            let at_least = if is_variadic { "at least " } else { "" };
            let message = format!("this call has {given} arguments, but the function takes {at_least}{wanted}");
            return Err(self.error(span, message));
        }
        let mut args = Vec::with_capacity(arguments.len());
        let mut failed = None;
        for (index, argument) in arguments.iter().enumerate() {
            let converted = self.value(argument).and_then(|value| match params.get(index) {
                Some(param) => {
                    // Without a prototype the caller promotes and the callee converts back.
                    let value = if is_unprototyped { self.promote_argument(value) } else { value };
                    self.argument(value, *param, index)
                }
                None => self.open_argument(value),
            });
            match converted {
                Ok(arg) => args.push(arg),
                Err(reported) => failed = Some(reported),
            }
        }
        if let Some(reported) = failed {
            return Err(reported);
        }
        if !self.types.is_void(result.ty) && !self.types.is_complete(result.ty) {
            let name = self.text(result);
            return Err(self.error(span, format!("the result type {name} is incomplete here")));
        }
        self.note_value_of(result, span);
        Ok(self.make(ExprKind::Call { callee: Box::new(callee), args }, result.ty, span))
    }

    fn argument(&mut self, value: Expr, param: QualType, index: usize) -> Checked<Expr> {
        if let Type::Record(record) = self.types.get(param.ty)
            && self.transparent.contains(record)
            && value.ty.ty != param.ty
        {
            let fields = self.types.record(*record).fields.clone().unwrap_or_default();
            let span = value.span;
            let member = fields
                .iter()
                .find(|field| self.compatible_plain(field.ty.ty, value.ty.ty))
                .or_else(|| fields.iter().find(|field| self.types.is_pointer(field.ty.ty)));
            if let Some(member) = member {
                return Ok(self.union_of(param, member.ty, value, span));
            }
        }
        let what = format!("argument {}", index + 1);
        self.assign_to(value, param, &what)
    }

    /// An argument without a parameter.
    fn open_argument(&mut self, value: Expr) -> Checked<Expr> {
        if self.types.is_void(value.ty.ty) {
            return Err(self.error(value.span, "a void expression cannot be an argument"));
        }
        Ok(self.promote_argument(value))
    }

    /// Declares a function that is called without a declaration.
    fn declare_implicitly(&mut self, name: &Name, span: Span) {
        let known = self.library_type(name);
        let note = match known {
            Some(_) => "include the header that declares it",
            None => "declare it before the call; it is taken to return int",
        };
        if self.unevaluated == 0 {
            self.report(Diagnostic::warning(span, format!("{name} is called without a declaration")).with_note(note));
        }
        let result = QualType::plain(self.int_type(IntKind::Int));
        let ty = known.unwrap_or_else(|| {
            self.types.intern(Type::Function { result, params: Vec::new(), is_variadic: false, is_unprototyped: true })
        });
        self.add_function(name, ty, span);
    }

    /// The symbol of a function with linkage, made if it is new, and visible at file scope.
    pub(super) fn add_function(&mut self, name: &Name, ty: TypeId, span: Span) -> SymbolId {
        let id = match self.linked.get(name) {
            Some(id) => *id,
            None => {
                let id = self.add_linked_function(name, ty, span);
                self.implicit.insert(id);
                id
            }
        };
        self.scopes.file().declare(name.clone(), Entity::Symbol(id));
        id
    }
}
