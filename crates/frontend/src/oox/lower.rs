//! What is a method's body as code? The frame around statements and expressions: locals, scopes, instructions, clauses.
//!
//! Clauses see the parameters; `ensures` sees `retval` too, and, as programs in the wild rely on it, the variables of the outermost block of
//! the body. A method that can reach its end without a return gives the default value of its type, with a warning.

use super::ast::{ClassDecl, Expr as Ast, MethodDecl, Name, Stmt, StmtKind};
use super::classes::Classes;
use ir::oox::{Base, ClassId, Clause, Expr, Instr, Local, LocalId, Method, Op, Pc, Type};
use ir::{Diagnostic, Span};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// All methods.
pub(super) struct Lowered {
    pub(super) methods: Vec<Method>,
    pub(super) strings: Vec<String>,
    string_places: FxHashMap<String, usize>,
    pub(super) problems: Vec<Diagnostic>,
}

/// A problem was written down; there is no result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

pub(super) type Checked<T> = Result<T, Reported>;

/// A method under construction.
pub(super) struct Body<'a> {
    pub(super) classes: &'a Classes,
    pub(super) class: ClassId,
    pub(super) is_static: bool,
    pub(super) is_constructor: bool,
    pub(super) returns: Type,
    pub(super) locals: Vec<Local>,
    pub(super) scopes: Vec<BTreeMap<String, LocalId>>,
    pub(super) code: Vec<Instr>,
    pub(super) loops: Vec<Loop>,
    /// Whether heap accesses are refused: in clauses and below quantifiers.
    pub(super) is_pure: bool,
    pub(super) out: &'a mut Lowered,
}

/// A loop around the current statement.
pub(super) struct Loop {
    pub(super) head: Pc,
    /// Jumps to its end, to be filled in.
    pub(super) breaks: Vec<usize>,
}

/// Lowers every method with a body, in the order of the text, then the constructors that nobody wrote.
pub(super) fn bodies(classes: &Classes, decls: &[ClassDecl]) -> Lowered {
    let mut out =
        Lowered { methods: Vec::new(), strings: Vec::new(), string_places: FxHashMap::default(), problems: Vec::new() };
    for (index, decl) in decls.iter().enumerate() {
        for method in &decl.methods {
            if let Some(body) = &method.body {
                let lowered = lower_method(classes, ClassId(index as u32), method, body, &mut out);
                out.methods.push(lowered);
            }
        }
    }
    for class in &classes.defaults {
        let decl = &decls[class.0 as usize];
        let method = MethodDecl {
            name: decl.name.clone(),
            is_static: false,
            is_constructor: true,
            returns: super::ast::TypeName { name: decl.name.text.clone(), dims: 0, span: decl.name.span },
            params: Vec::new(),
            requires: None,
            ensures: None,
            exceptional: None,
            body: None,
            end: decl.name.span,
        };
        let lowered = lower_method(classes, *class, &method, &[], &mut out);
        out.methods.push(lowered);
    }
    out
}

fn lower_method(classes: &Classes, class: ClassId, decl: &MethodDecl, stmts: &[Stmt], out: &mut Lowered) -> Method {
    let resolved = |ty| classes.resolve(ty).unwrap_or(Type::VOID);
    let returns = if decl.is_constructor { Type::class(class) } else { resolved(&decl.returns) };
    let mut body = Body {
        classes,
        class,
        is_static: decl.is_static,
        is_constructor: decl.is_constructor,
        returns,
        locals: Vec::new(),
        scopes: vec![BTreeMap::new()],
        code: Vec::new(),
        loops: Vec::new(),
        is_pure: false,
        out,
    };
    if !decl.is_static {
        body.new_local("this", Type::class(class));
        body.scopes[0].insert("this".to_string(), 0);
    }
    for (ty, name) in &decl.params {
        // Errors in types were told when the classes were looked at.
        let _ = body.declare(name, resolved(ty));
    }
    let n_params = body.locals.len() as u16;
    body.emit(Op::Skip, decl.name.span, 1);
    let requires = body.clause(decl.requires.as_ref());
    let exceptional = body.clause(decl.exceptional.as_ref());
    body.scopes.push(BTreeMap::new());
    body.stmts(stmts);
    body.end_of_method(decl, stmts);
    let mut retval = None;
    if returns != Type::VOID && !decl.is_constructor {
        let local = body.new_local("retval", returns);
        body.scopes[0].entry("retval".to_string()).or_insert(local);
        retval = Some(local);
    }
    let ensures = body.clause(decl.ensures.as_ref());
    if body.locals.len() > usize::from(u16::MAX / 2) {
        body.complain(decl.name.span, "this method has too many variables");
    }
    Method {
        name: decl.name.text.clone(),
        class,
        span: decl.name.span,
        is_static: decl.is_static,
        is_constructor: decl.is_constructor,
        n_params,
        returns,
        locals: body.locals,
        retval,
        code: body.code,
        requires,
        ensures,
        exceptional,
    }
}

impl Body<'_> {
    pub(super) fn complain(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.out.problems.push(Diagnostic::error(span, message));
        Reported
    }

    /// A name that means nothing here; perhaps a field was meant.
    pub(super) fn no_variable(&mut self, span: Span, name: &str) -> Reported {
        let mut problem = Diagnostic::error(span, format!("there is no variable `{name}` here"));
        if self.classes.field(self.class, name).is_some() {
            problem = problem.with_note(format!("fields are written with their object: `this.{name}`"));
        }
        self.out.problems.push(problem);
        Reported
    }

    pub(super) fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.out.problems.push(Diagnostic::warning(span, message));
    }

    /// A type for messages.
    pub(super) fn show(&self, ty: Type) -> String {
        let base = match ty.base {
            Base::Int => "int",
            Base::Uint => "uint",
            Base::Bool => "bool",
            Base::Float => "float",
            Base::Char => "char",
            Base::String => "string",
            Base::Class(id) => &self.classes.classes[id.0 as usize].name,
            Base::Null => "null",
            Base::Void => "void",
        };
        format!("{base}{}", "[]".repeat(usize::from(ty.dims)))
    }

    pub(super) fn new_local(&mut self, name: &str, ty: Type) -> LocalId {
        self.locals.push(Local { name: name.to_string(), ty });
        // Too many are refused at the end of the method; until then numbers may repeat.
        (self.locals.len() - 1).min(usize::from(u16::MAX)) as LocalId
    }

    /// A local without a name.
    pub(super) fn temp(&mut self, ty: Type) -> LocalId {
        self.new_local("", ty)
    }

    pub(super) fn lookup(&self, name: &str) -> Option<LocalId> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    /// Makes a variable known in the innermost scope.
    pub(super) fn declare(&mut self, name: &Name, ty: Type) -> Checked<LocalId> {
        let local = self.new_local(&name.text, ty);
        self.bind(name, local)?;
        Ok(local)
    }

    /// Gives a local its name.
    pub(super) fn bind(&mut self, name: &Name, local: LocalId) -> Checked<()> {
        if self.lookup(&name.text).is_some() {
            return Err(self.complain(name.span, format!("there is already a variable `{}` here", name.text)));
        }
        self.scopes.last_mut().expect("there is always a scope").insert(name.text.clone(), local);
        Ok(())
    }

    pub(super) fn emit(&mut self, op: Op, span: Span, cost: u8) -> usize {
        self.code.push(Instr { op, span, cost, handler: None });
        self.code.len() - 1
    }

    pub(super) fn here(&self) -> Pc {
        self.code.len() as Pc
    }

    /// Lets a jump or branch go to the next instruction.
    pub(super) fn land(&mut self, at: usize) {
        let here = self.here();
        match &mut self.code[at].op {
            Op::Jump(pc) | Op::Branch { otherwise: pc, .. } => *pc = here,
            _ => unreachable!("only jumps land"),
        }
    }

    /// The number of a string literal.
    pub(super) fn string(&mut self, text: &str) -> i64 {
        let Lowered { strings, string_places, .. } = &mut *self.out;
        let next = strings.len();
        let index = *string_places.entry(text.to_string()).or_insert(next);
        if index == next {
            strings.push(text.to_string());
        }
        index as i64 + 1
    }

    fn clause(&mut self, cond: Option<&Ast>) -> Option<Clause> {
        let cond = cond?;
        self.is_pure = true;
        let lowered = self.condition(cond);
        self.is_pure = false;
        Some(Clause { cond: lowered.ok()?, span: cond.span })
    }

    /// The return that stands for the closing brace.
    fn end_of_method(&mut self, decl: &MethodDecl, stmts: &[Stmt]) {
        let is_ended = stmts.last().is_some_and(ends);
        if self.returns == Type::VOID || self.is_constructor {
            self.emit(Op::Return(None), decl.end, if self.is_constructor { 2 } else { 1 });
            return;
        }
        if !is_ended {
            let message = format!("`{}` may end without a return; it then gives the default value", decl.name.text);
            self.warn(decl.name.span, message);
        }
        let value = default_expr(self.returns);
        self.emit(Op::Return(Some(value)), decl.end, 1);
    }
}

/// The default value of a type.
pub(super) fn default_expr(ty: Type) -> Expr {
    if ty.is_reference() {
        return Expr::Null;
    }
    match ty.base {
        Base::Bool => Expr::Bool(false),
        Base::Float => Expr::Float(0),
        _ => Expr::Int(0),
    }
}

/// Whether control never comes out of a statement at its end.
fn ends(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Throw(_) => true,
        StmtKind::Block(stmts) => stmts.last().is_some_and(ends),
        StmtKind::If { then, otherwise: Some(otherwise), .. } => ends(then) && ends(otherwise),
        StmtKind::Try { body, handler } => body.last().is_some_and(ends) && handler.last().is_some_and(ends),
        StmtKind::While { cond, .. } => matches!(cond.kind, super::ast::ExprKind::Bool(true)),
        _ => false,
    }
}
