//! What is a memory model as written: statements and expressions, each with its place in the text.
//!
//! The tree keeps the language whole; meaning is given by `interpret`.

use std::sync::Arc;

use ir::source::Span;

/// A .cat or .bell file.
#[derive(Clone, Debug)]
pub struct File {
    /// The name that the file gives itself.
    pub title: Option<String>,
    /// Whether the file says that it computes dependencies from register events itself.
    pub computes_dependencies: bool,
    /// What it says, in order.
    pub statements: Arc<[Stmt]>,
}

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it is.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `let p = e and …`
    Let(Arc<[Binding]>),
    /// `let rec x = e and …`, with the test of `when`, if there is one.
    LetRec(Arc<[Binding]>, Option<Test>),
    /// A test, and what its failure means.
    Check(Severity, Test),
    /// `show x, y`
    Show(Vec<String>),
    /// `show e as x`
    ShowAs(Expr, String),
    /// `unshow x, y`
    Unshow(Vec<String>),
    /// `include "file"`
    Include(String),
    /// `procedure p(x) = … end`
    Procedure(Arc<Procedure>),
    /// `call p(e)`, with the name that its tests get.
    Call(String, Expr, Option<String>),
    /// `forall x in e do … end`
    Forall(String, Expr, Arc<[Stmt]>),
    /// `with x from e`
    With(String, Expr),
    /// `if "variant" … else … end`
    If(Variant, Arc<[Stmt]>, Arc<[Stmt]>),
    /// `match e with 'tag -> … end`
    Match(Expr, Vec<(String, Arc<[Stmt]>)>, Option<Arc<[Stmt]>>),
    /// `enum x = 'a || 'b`
    Enum(String, Vec<String>),
    /// `instructions R[…]` and `default R[…]`
    Instructions(String, Vec<Expr>),
    /// `debug e`
    Debug(Expr),
}

/// A procedure.
#[derive(Debug)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Pattern,
    /// Its statements.
    pub body: Arc<[Stmt]>,
    /// Whether it may call itself.
    pub is_recursive: bool,
}

/// What the failure of a test means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The execution does not exist.
    Forbids,
    /// The execution is marked by the name of the test.
    Flags,
    /// The behaviour is undefined.
    Undefines,
    /// The model is used for what it was not made for.
    Asserts,
}

/// `acyclic e as name`, with or without `~`.
#[derive(Clone, Debug)]
pub struct Test {
    /// Which property is tested.
    pub shape: Shape,
    /// Whether its opposite is asked for.
    pub is_negated: bool,
    /// Of what.
    pub expr: Expr,
    /// The name of the test.
    pub name: Option<String>,
}

/// The properties that tests ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// No cycle.
    Acyclic,
    /// Nothing related to itself.
    Irreflexive,
    /// Nothing at all.
    Empty,
}

/// `p = e`; functions are bindings of `Fun` expressions.
#[derive(Clone, Debug)]
pub struct Binding {
    /// What is bound.
    pub pattern: Pattern,
    /// To what.
    pub value: Expr,
}

/// A name, or a tuple of names; `_` is `None`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// One name.
    One(Option<String>),
    /// A tuple.
    Tuple(Vec<Option<String>>),
}

/// A test of the variants that the user switched on.
#[derive(Clone, Debug)]
pub enum Variant {
    /// The variant is on.
    Is(String),
    /// Not.
    Not(Box<Variant>),
    /// Both.
    And(Box<Variant>, Box<Variant>),
    /// One of them.
    Or(Box<Variant>, Box<Variant>),
}

/// The condition of an `if` expression.
#[derive(Clone, Debug)]
pub enum Condition {
    /// About variants.
    Variant(Variant),
    /// Equality of values.
    Equal(Expr, Expr),
    /// Inclusion.
    Subset(Expr, Expr),
    /// Membership.
    In(Expr, Expr),
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: Arc<ExprKind>,
    /// Where it is.
    pub span: Span,
}

/// What an expression is.
#[derive(Debug)]
pub enum ExprKind {
    /// `0`: the empty relation.
    Empty,
    /// `_`: all events.
    Universe,
    /// `'tag`
    Tag(String),
    /// A name.
    Name(String),
    /// `(a, b)`
    Tuple(Vec<Expr>),
    /// `{a, b}`
    Set(Vec<Expr>),
    /// `f x`
    Apply(Expr, Expr),
    /// An operator before or after its operand.
    Unary(Unary, Expr),
    /// An operator between its operands.
    Binary(Binary, Expr, Expr),
    /// `let … in e`
    Let(Arc<[Binding]>, Expr),
    /// `let rec … in e`
    LetRec(Arc<[Binding]>, Expr),
    /// `fun p -> e`
    Fun(Pattern, Expr),
    /// `try a with b`
    Try(Expr, Expr),
    /// `if c then a else b`
    If(Condition, Expr, Expr),
    /// `match e with 'tag -> a || _ -> b end`
    MatchTag(Expr, Vec<(String, Expr)>, Option<Expr>),
    /// `match e with {} -> a || x ++ r -> b end`
    MatchSet(Expr, Expr, ElementClause),
}

/// The case of a set that is not empty.
#[derive(Debug)]
pub struct ElementClause {
    /// The elements before the chosen one, in the form with three parts.
    pub before: Option<Option<String>>,
    /// The element.
    pub element: Option<String>,
    /// The other elements.
    pub rest: Option<String>,
    /// The value.
    pub value: Expr,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `r+`
    Plus,
    /// `r*`
    Star,
    /// `r?`
    Optional,
    /// `r^-1`
    Inverse,
    /// `~e`
    Complement,
    /// `[S]`
    Identity,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `a | b`
    Union,
    /// `a & b`
    Intersection,
    /// `a \ b`
    Difference,
    /// `a ; b`
    Sequence,
    /// `A * B`
    Product,
    /// `x ++ S`
    Add,
}
