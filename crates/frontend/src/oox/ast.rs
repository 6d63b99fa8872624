//! What did the user write? The tree of an OOX program, names not yet looked up.

use ir::Span;

/// A name at its place.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

/// A type as it is written: a name (or a word such as `int`) and how many `[]`.
#[derive(Clone, Debug)]
pub(super) struct TypeName {
    pub(super) name: String,
    pub(super) dims: u8,
    pub(super) span: Span,
}

/// A class or interface.
#[derive(Clone, Debug)]
pub(super) struct ClassDecl {
    pub(super) name: Name,
    pub(super) is_interface: bool,
    /// The superclass, or the interfaces that an interface extends.
    pub(super) extends: Vec<Name>,
    pub(super) implements: Vec<Name>,
    pub(super) fields: Vec<(TypeName, Name)>,
    pub(super) methods: Vec<MethodDecl>,
}

/// A method or constructor; without a body it is abstract.
#[derive(Clone, Debug)]
pub(super) struct MethodDecl {
    pub(super) name: Name,
    pub(super) is_static: bool,
    pub(super) is_constructor: bool,
    pub(super) returns: TypeName,
    pub(super) params: Vec<(TypeName, Name)>,
    pub(super) requires: Option<Expr>,
    pub(super) ensures: Option<Expr>,
    pub(super) exceptional: Option<Expr>,
    pub(super) body: Option<Vec<Stmt>>,
    /// The closing brace.
    pub(super) end: Span,
}

/// A statement at its place.
#[derive(Clone, Debug)]
pub(super) struct Stmt {
    pub(super) kind: StmtKind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum StmtKind {
    Skip,
    Declare { ty: TypeName, name: Name, value: Option<Expr> },
    Assign { to: Expr, value: Expr },
    Call(Expr),
    Fork(Expr),
    Join,
    Lock(Expr),
    Unlock(Expr),
    Assert(Expr),
    Assume(Expr),
    While { cond: Expr, body: Box<Stmt> },
    If { cond: Expr, then: Box<Stmt>, otherwise: Option<Box<Stmt>> },
    Continue,
    Break,
    Return(Option<Expr>),
    Throw(String),
    Try { body: Vec<Stmt>, handler: Vec<Stmt> },
    Block(Vec<Stmt>),
}

/// An expression at its place.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Int(i64),
    Float(f64),
    Bool(bool),
    Char(char),
    Text(String),
    Null,
    Name(String),
    Field(Box<Expr>, Name),
    Element(Box<Expr>, Box<Expr>),
    Length(Box<Expr>),
    Not(Box<Expr>),
    Neg(Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    InstanceOf(Box<Expr>, TypeName),
    Quantified {
        is_forall: bool,
        element: Name,
        index: Name,
        array: Box<Expr>,
        body: Box<Expr>,
    },
    /// `x.m(..)`, `C.m(..)`, or `m(..)` without a receiver.
    Call {
        receiver: Option<Box<Expr>>,
        name: Name,
        args: Vec<Expr>,
    },
    /// `super.m(..)`, or `super(..)` without a name.
    Super {
        name: Option<Name>,
        args: Vec<Expr>,
    },
    New {
        class: Name,
        args: Vec<Expr>,
    },
    NewArray {
        element: TypeName,
        sizes: Vec<Expr>,
        open_dims: u8,
    },
    Cast(TypeName, Box<Expr>),
}

impl Expr {
    /// Whether evaluating it touches the heap or runs a method.
    pub(super) fn has_effects(&self) -> bool {
        match &self.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::Text(_)
            | ExprKind::Null
            | ExprKind::Name(_) => false,
            ExprKind::Length(e) | ExprKind::Not(e) | ExprKind::Neg(e) | ExprKind::InstanceOf(e, _) => e.has_effects(),
            ExprKind::Binary(_, a, b) => a.has_effects() || b.has_effects(),
            ExprKind::Quantified { array, body, .. } => array.has_effects() || body.has_effects(),
            _ => true,
        }
    }
}
