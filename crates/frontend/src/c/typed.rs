//! What does a C program say, once every name is resolved and every conversion is written out?
//!
//! The type checker makes this tree, the lowering reads it. Nothing is implicit any more: reading an lvalue is `Load`,
//! arrays and functions decay by `Decay`, arithmetic operands are already converted by `Cast`, `a[i]` is `*(a + i)`, `p->x` is
//! `Member` of a `Deref`, initialisers are flat lists of (offset, value). Lowering knows no syntax and no conversion rules.
//!
//! An expression is an *lvalue* exactly if its kind is `Symbol`, `Deref`, `Member` of an lvalue, `String` or `Compound`.

use super::types::{QualType, TypeId, Types};
use ir::Span;
use rustc_hash::FxHashMap;

/// Names a variable, parameter or function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SymbolId(pub u32);

/// Names a label within its function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LabelId(pub u32);

/// A checked translation unit.
#[derive(Clone, Debug)]
pub struct Unit {
    /// All types.
    pub types: Types,
    /// Indexed by `SymbolId`.
    pub symbols: Vec<Symbol>,
    /// Alignments that declarations ask for.
    pub aligned: FxHashMap<SymbolId, u64>,
    /// Functions with a body.
    pub functions: Vec<Function>,
    /// Variables with static storage that are defined here (tentative definitions too), static locals included.
    pub globals: Vec<Global>,
}

/// How long a variable lives, or that it is a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// Static storage with external linkage, or `extern`.
    Extern,
    /// Static storage with internal linkage, or a static local.
    Static,
    /// One per thread.
    Thread,
    /// A local variable.
    Auto,
    /// A parameter.
    Param,
    /// What holds a record that an expression yields, until the end of the full expression.
    Temporary,
    /// A function.
    Function,
}

impl Storage {
    /// Whether each call of the function has one of its own.
    pub fn is_local(self) -> bool {
        matches!(self, Storage::Auto | Storage::Param | Storage::Temporary)
    }
}

/// A variable, parameter or function.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name in the source.
    pub name: String,
    /// Its type.
    pub ty: QualType,
    /// Where it lives.
    pub storage: Storage,
    /// Where it is declared.
    pub span: Span,
    /// Whether `&` (or decay of an array, or a member of a record) can make a pointer to it.
    pub address_taken: bool,
    /// Whether no other translation unit can name it: declared `static`, or an `inline` function.
    pub is_internal: bool,
    /// Declared `noreturn`.
    pub is_noreturn: bool,
    /// Declared `weak`: another definition wins.
    pub is_weak: bool,
    /// For a variable-length array: the number of elements as computed at its declaration (element type in `ty`).
    pub vla_len: Option<Box<Expr>>,
    /// `__attribute__((cleanup(f)))`.
    pub cleanup: Option<SymbolId>,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its symbol.
    pub symbol: SymbolId,
    /// Parameters.
    pub params: Vec<SymbolId>,
    /// What it returns.
    pub result: QualType,
    /// Ends in `...`.
    pub is_variadic: bool,
    /// The body.
    pub body: Stmt,
    /// Names of the labels, indexed by `LabelId`.
    pub labels: Vec<Label>,
    /// `__attribute__((constructor))`, with its priority: the smaller, the earlier.
    pub constructor: Option<i128>,
    /// `__attribute__((destructor))`, with its priority: the smaller, the later.
    pub destructor: Option<i128>,
    /// What is wrong with the body, or not supported in it; matters only if the function can be called, because headers
    /// define many functions that nobody calls. What could not be typed is missing from the body.
    pub problems: Vec<ir::Diagnostic>,
    /// Where.
    pub span: Span,
}

/// A label.
#[derive(Clone, Debug)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// A variable with static or thread storage and its initial contents.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its symbol.
    pub symbol: SymbolId,
    /// Constant initialisers; what they leave out is zero. `None` for no initialiser (also zero).
    pub init: Option<Vec<InitItem>>,
}

/// One scalar (or string, or whole record) of an initialiser, in source order; later ones win.
#[derive(Clone, Debug)]
pub struct InitItem {
    /// Byte offset in the object.
    pub offset: u64,
    /// For a bit-field: first bit in the storage unit at `offset`, and how many.
    pub bits: Option<(u32, u32)>,
    /// The type of the part.
    pub ty: QualType,
    /// The value, converted to that type; for a char array a `String` lvalue of at least its length.
    pub value: Expr,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Nothing.
    Empty,
    /// An expression for its effect.
    Expr(Expr),
    /// A block: a scope.
    Block(Vec<Stmt>),
    /// A local variable comes to life (static locals are in `Unit::globals`); with its initialiser. With an initialiser list
    /// of an aggregate, what the items leave out is zero.
    Local {
        /// The variable.
        symbol: SymbolId,
        /// Its initialiser.
        init: Option<Vec<InitItem>>,
    },
    /// `if`. The condition is a scalar; non-zero is true.
    If {
        /// The condition.
        cond: Expr,
        /// If it holds.
        then: Box<Stmt>,
        /// Otherwise.
        otherwise: Option<Box<Stmt>>,
    },
    /// `while`.
    While {
        /// The condition.
        cond: Expr,
        /// The body.
        body: Box<Stmt>,
    },
    /// `do … while`.
    DoWhile {
        /// The body.
        body: Box<Stmt>,
        /// The condition.
        cond: Expr,
    },
    /// `for`; its declaration, if any, is in an enclosing `Block`.
    For {
        /// Before the loop.
        init: Option<Box<Stmt>>,
        /// The condition.
        cond: Option<Expr>,
        /// After each round.
        step: Option<Expr>,
        /// The body.
        body: Box<Stmt>,
    },
    /// `switch`; the value is promoted and the cases are converted to its type.
    Switch {
        /// The value.
        value: Expr,
        /// The body, with `Case`s and `Default` in it.
        body: Box<Stmt>,
    },
    /// `case low ... high:` (equal for a plain case).
    Case {
        /// The first value.
        low: i128,
        /// The last value.
        high: i128,
        /// What follows.
        body: Box<Stmt>,
    },
    /// `default:`.
    Default(Box<Stmt>),
    /// A label.
    Label {
        /// The label.
        label: LabelId,
        /// What follows.
        body: Box<Stmt>,
    },
    /// `goto`.
    Goto(LabelId),
    /// `goto *p` with the labels whose address is taken in the function.
    GotoComputed(Expr),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`, with the value converted to the result type.
    Return(Option<Expr>),
    /// Inline assembly.
    Asm(Box<Asm>),
}

/// Inline assembly; an empty template is a compiler barrier.
#[derive(Clone, Debug)]
pub struct Asm {
    /// The template text.
    pub template: String,
    /// Objects that it writes.
    pub outputs: Vec<AsmOperand>,
    /// Values that it reads.
    pub inputs: Vec<AsmOperand>,
}

/// An operand of inline assembly.
#[derive(Clone, Debug)]
pub struct AsmOperand {
    /// What the template may call it besides its number.
    pub name: Option<String>,
    /// Where it is kept.
    pub constraint: String,
    /// The lvalue of an output, the value of an input.
    pub value: Expr,
}

impl Asm {
    /// All operands, as they are numbered.
    pub fn operands(&self) -> impl Iterator<Item = &AsmOperand> {
        self.outputs.iter().chain(&self.inputs)
    }

    /// The output that an input shares its place with: named by it, or in the same register of x86.
    pub fn tie(&self, input: &AsmOperand, is_x86: bool) -> Option<usize> {
        let constraint = input.constraint.trim_start_matches('%');
        if let Some(name) = constraint.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            return self.outputs.iter().position(|output| output.name.as_deref() == Some(name));
        }
        if is_x86 && matches!(constraint, "a" | "b" | "c" | "d" | "S" | "D") {
            return self
                .outputs
                .iter()
                .position(|output| output.constraint.trim_start_matches(['=', '+', '&']) == constraint);
        }
        constraint.parse().ok().filter(|number| *number < self.outputs.len())
    }
}

impl AsmOperand {
    /// Whether it is a place in memory on all machines.
    pub fn is_in_memory(&self) -> bool {
        self.constraint.trim_start_matches(['=', '+', '&']) == "m"
    }

    /// Whether an output is read too.
    pub fn is_update(&self) -> bool {
        self.constraint.contains('+')
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What.
    pub kind: ExprKind,
    /// Its type.
    pub ty: QualType,
    /// Where.
    pub span: Span,
}

/// Binary operators on operands of the same (converted) type; shifts keep the left operand's type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-x`.
    Neg,
    /// `~x`.
    Not,
    /// `!x`, an int.
    LogicalNot,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer constant (also enum constants, characters, `sizeof`, folded offsets), of the expression's type.
    Int(i128),
    /// A floating constant, of the expression's type.
    Float(f64),
    /// A string literal: an lvalue of array type; bytes in target order, terminator included.
    String(Vec<u8>),
    /// A variable (lvalue) or function.
    Symbol(SymbolId),
    /// `*pointer`: an lvalue (or function).
    Deref(Box<Expr>),
    /// A member of a record; an lvalue if the record is. `bits` as in `Field`.
    Member {
        /// The record.
        base: Box<Expr>,
        /// Byte offset.
        offset: u64,
        /// For a bit-field.
        bits: Option<(u32, u32)>,
    },
    /// The value of an lvalue.
    Load(Box<Expr>),
    /// `&lvalue`, or the address of a function.
    AddressOf(Box<Expr>),
    /// An array lvalue as a pointer to its first element, or a function as a pointer to it.
    Decay(Box<Expr>),
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator on arithmetic operands, or a comparison of two pointers; comparisons have type int.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `pointer + index` (or `-`, when negative): counted in elements of `size` bytes; the index is an integer of any type.
    PointerAdd {
        /// The pointer.
        pointer: Box<Expr>,
        /// The index.
        index: Box<Expr>,
        /// Bytes of an element.
        size: u64,
        /// Whether it is subtracted.
        is_sub: bool,
    },
    /// `a - b` of pointers, in elements of `size` bytes.
    PointerDiff {
        /// Left.
        left: Box<Expr>,
        /// Right.
        right: Box<Expr>,
        /// Bytes of an element.
        size: u64,
    },
    /// `a && b`, an int.
    LogicalAnd(Box<Expr>, Box<Expr>),
    /// `a || b`, an int.
    LogicalOr(Box<Expr>, Box<Expr>),
    /// `c ? a : b`; without the middle the value of `cond` (converted) itself.
    Conditional {
        /// The condition.
        cond: Box<Expr>,
        /// The middle; `None` for `c ?: b`, whose value is `cond` cast to the expression's type.
        then: Option<Box<Expr>>,
        /// The end.
        otherwise: Box<Expr>,
    },
    /// `lhs = rhs`, rhs converted (a record for records). The value is that of lhs after.
    Assign(Box<Expr>, Box<Expr>),
    /// `lhs op= rhs`: the value of lhs is converted to `compute`, the operation done there, and the result converted back.
    AssignOp {
        /// The operator.
        op: BinaryOp,
        /// The lvalue.
        lhs: Box<Expr>,
        /// Already of type `compute` (for shifts: promoted on its own; for pointers: an integer index).
        rhs: Box<Expr>,
        /// The type of the operation (for pointers: the pointer type).
        compute: TypeId,
        /// For pointer arithmetic: bytes of an element.
        size: Option<u64>,
    },
    /// `++x`, `x++`, `--x`, `x--`.
    Step {
        /// The lvalue.
        lvalue: Box<Expr>,
        /// +1 or -1.
        is_increment: bool,
        /// Whether the value is the old one.
        is_postfix: bool,
        /// For pointers: bytes of an element.
        size: Option<u64>,
    },
    /// A conversion to the expression's type, between scalars, or to void.
    Cast(Box<Expr>),
    /// A call; arguments are converted or promoted already.
    Call {
        /// A `Symbol` of a function, or a value of pointer-to-function type.
        callee: Box<Expr>,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// A call of a compiler builtin by name (`__builtin_expect`, `__sync_fetch_and_add`, `__atomic_load_n`, `__c11_atomic_*`,
    /// `__builtin_va_start`, `alloca`, …); arguments in their own types after the default conversions.
    Builtin {
        /// The builtin's name.
        name: String,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// `a, b`.
    Comma(Box<Expr>, Box<Expr>),
    /// `({ … })`: the value of the last expression statement.
    Statements(Vec<Stmt>),
    /// A compound literal: an lvalue that is initialised here. Its symbol is `Auto` in functions, else static.
    Compound {
        /// Its object.
        symbol: SymbolId,
        /// Its contents.
        init: Vec<InitItem>,
    },
    /// `va_arg(list, type)`. The list is an lvalue of type `VaList`, as in the builtins `__builtin_va_start`, `_copy`
    /// and `_end`.
    VaArg(Box<Expr>),
    /// `&&label`.
    LabelAddress(LabelId),
}
