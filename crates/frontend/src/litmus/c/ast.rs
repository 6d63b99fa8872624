//! The C of litmus tests: functions `P0(int *x) { … }` of declarations, assignments, calls, `if` and loops.

/// An expression and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Expr {
    pub(in super::super) kind: ExprKind,
    pub(in super::super) at: usize,
    pub(in super::super) length: usize,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum ExprKind {
    Number(u64),
    Name(String),
    /// `*e`
    Deref(Box<Expr>),
    /// `&e`
    AddressOf(Box<Expr>),
    /// `e[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `-e`, `!e`, `~e`
    Unary(char, Box<Expr>),
    Binary(String, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `f(a)`, and in definitions `__load{once}(a)`
    Call {
        name: String,
        tags: Vec<String>,
        arguments: Vec<Expr>,
    },
    /// An operator as an argument of a definition: `__atomic_op(X,+,V)`
    Operator(String),
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Stmt {
    /// `int r;` or `int r = e;`
    Declare {
        name: String,
        value: Option<Expr>,
        at: usize,
    },
    /// `place = e` or `place += e`
    Assign {
        place: Expr,
        operator: Option<String>,
        value: Expr,
    },
    Evaluate(Expr),
    If {
        condition: Expr,
        yes: Vec<Stmt>,
        no: Vec<Stmt>,
    },
    While {
        condition: Expr,
        body: Vec<Stmt>,
        is_checked_last: bool,
    },
    Block(Vec<Stmt>),
}

/// A parameter: a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Parameter {
    pub(in super::super) name: String,
    pub(in super::super) is_atomic: bool,
    pub(in super::super) at: usize,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Function {
    pub(in super::super) number: u32,
    pub(in super::super) parameters: Vec<Parameter>,
    pub(in super::super) body: Vec<Stmt>,
}
