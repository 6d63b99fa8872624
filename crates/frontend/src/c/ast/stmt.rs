//! The statements of the syntax tree.
//!
//! A declaration within a block is a statement too, so that a block is one list in source order. Labels (`case`,
//! `default`, named ones) hold the statement they label; a label at the end of a block or before a declaration holds
//! an empty statement, and the declaration follows as the next item.
//!
//! Which loop a `break` leaves, which switch a `case` belongs to and where labels are is not resolved here.

use ir::Span;

use super::{Declaration, Expr, FunctionDefinition, Name, StaticAssert};

/// `{ ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Statements and declarations in order.
    pub items: Vec<Stmt>,
    /// The opening brace.
    pub span: Span,
    /// The closing brace.
    pub end: Span,
}

/// A statement, or a declaration within a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// Which one.
    pub kind: StmtKind,
    /// From its first token, as far as on the same line.
    pub span: Span,
}

/// The statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// `expression;`
    Expr(Box<Expr>),
    /// `{ ... }`
    Block(Block),
    /// A declaration among statements.
    Declaration(Box<Declaration>),
    /// `_Static_assert` among statements.
    StaticAssert(StaticAssert),
    /// GNU nested function.
    NestedFunction(Box<FunctionDefinition>),
    /// GNU `__label__ a, b;`
    LocalLabels(Vec<(Name, Span)>),
    /// `if (condition) then else otherwise`
    If {
        /// The condition.
        condition: Box<Expr>,
        /// Taken when it is not zero.
        then: Box<Stmt>,
        /// The `else` branch.
        otherwise: Option<Box<Stmt>>,
    },
    /// `while (condition) body`
    While {
        /// Tested before each round.
        condition: Box<Expr>,
        /// The body.
        body: Box<Stmt>,
    },
    /// `do body while (condition);`
    DoWhile {
        /// The body.
        body: Box<Stmt>,
        /// Tested after each round.
        condition: Box<Expr>,
    },
    /// `for (init; condition; step) body`; opens a scope for `init`.
    For {
        /// `Expr`, `Declaration`, `StaticAssert` or nothing.
        init: Option<Box<Stmt>>,
        /// Absent means true.
        condition: Option<Box<Expr>>,
        /// Evaluated after each round.
        step: Option<Box<Expr>>,
        /// The body.
        body: Box<Stmt>,
    },
    /// `switch (value) body`
    Switch {
        /// What is compared with the cases.
        value: Box<Expr>,
        /// Usually a block with `Case` statements, at any depth.
        body: Box<Stmt>,
    },
    /// `case low:` or GNU `case low ... high:` with the statement it labels.
    Case {
        /// The value, or the first of a range.
        low: Box<Expr>,
        /// The last of a range, included.
        high: Option<Box<Expr>>,
        /// The labelled statement.
        body: Box<Stmt>,
    },
    /// `default:` with the statement it labels.
    Default(Box<Stmt>),
    /// `name:` with the statement it labels (`Empty` where a `}` or a declaration follows).
    Label {
        /// The label.
        name: Name,
        /// The labelled statement.
        body: Box<Stmt>,
    },
    /// `goto name;`
    Goto(Name),
    /// GNU `goto *expression;`
    ComputedGoto(Box<Expr>),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return value;`
    Return(Option<Box<Expr>>),
    /// Inline assembly.
    Asm(Box<AsmStatement>),
}

/// `asm volatile goto ("template" : outputs : inputs : clobbers : labels);`
#[derive(Clone, Debug, PartialEq)]
pub struct AsmStatement {
    /// The instructions.
    pub template: String,
    /// `volatile`
    pub is_volatile: bool,
    /// `goto`
    pub is_goto: bool,
    /// No colon at all: the template is taken literally and touches what it likes.
    pub is_basic: bool,
    /// After the first colon.
    pub outputs: Vec<AsmOperand>,
    /// After the second colon.
    pub inputs: Vec<AsmOperand>,
    /// After the third colon.
    pub clobbers: Vec<String>,
    /// After the fourth colon.
    pub labels: Vec<Name>,
}

/// `[name] "constraint" (value)`
#[derive(Clone, Debug, PartialEq)]
pub struct AsmOperand {
    /// The symbolic name.
    pub name: Option<Name>,
    /// The constraint with its modifiers.
    pub constraint: String,
    /// The C expression.
    pub value: Box<Expr>,
}
