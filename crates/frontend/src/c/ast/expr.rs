//! The expressions of the syntax tree, and the literals with their values.
//!
//! Literals carry values, not spellings, with exactly what typing them needs: an integer's radix and suffix decide its
//! type, a float is kept correctly rounded to both `double` and `float` (rounding twice could differ), and characters
//! and strings are kept as code units, because how they become integers depends on the target's `char`.
//!
//! Assignment operators, increments and `?:` without a middle keep their own forms: rewriting them here would evaluate
//! an operand twice.

use ir::Span;

use super::{Block, Designator, Initializer, Name, TypeName};

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Which one.
    pub kind: ExprKind,
    /// From its first to its last token, as far as on the same line.
    pub span: Span,
}

/// The expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A variable, function or enumeration constant.
    Identifier(Name),
    /// An integer constant.
    Integer(IntegerLiteral),
    /// A floating constant.
    Float(FloatLiteral),
    /// A character constant.
    Char(CharLiteral),
    /// Adjacent string literals, joined.
    String(StringLiteral),
    /// `__func__`, `__FUNCTION__` or `__PRETTY_FUNCTION__`: an array with the enclosing function's name.
    FunctionName,
    /// `operator operand` or `operand operator`
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// `left operator right`, including `&&` and `||`
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand; chains such as `a + b + c` nest here.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `target = value`, `target += value`, ...
    Assign {
        /// The operation of a compound assignment.
        op: Option<BinaryOp>,
        /// What is assigned to.
        target: Box<Expr>,
        /// The right side.
        value: Box<Expr>,
    },
    /// `condition ? then : otherwise`
    Conditional {
        /// What is tested.
        condition: Box<Expr>,
        /// Absent in GNU `a ?: b`, where it is the condition's value, evaluated once.
        then: Option<Box<Expr>>,
        /// The other alternative.
        otherwise: Box<Expr>,
    },
    /// `a, b, c`; at least two.
    Comma(Vec<Expr>),
    /// `base[index]`
    Index {
        /// What stands before the bracket (array and index may be swapped).
        base: Box<Expr>,
        /// What stands within.
        index: Box<Expr>,
    },
    /// `callee(arguments)`. Builtin functions that take only expressions are calls of their name.
    Call {
        /// The function.
        callee: Box<Expr>,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `base.field` or `base->field`
    Member {
        /// The struct or union, or a pointer to it.
        base: Box<Expr>,
        /// The member.
        field: Name,
        /// The member's place.
        field_span: Span,
        /// `->` rather than `.`
        is_arrow: bool,
    },
    /// `(type) operand`
    Cast {
        /// The target type.
        type_name: Box<TypeName>,
        /// What is converted.
        operand: Box<Expr>,
    },
    /// `(type) { ... }`
    CompoundLiteral {
        /// The object's type.
        type_name: Box<TypeName>,
        /// Always a list.
        initializer: Box<Initializer>,
    },
    /// `sizeof expression`
    SizeofExpr(Box<Expr>),
    /// `sizeof(type)`
    SizeofType(Box<TypeName>),
    /// `_Alignof expression` (GNU)
    AlignofExpr {
        /// The operand, never evaluated.
        operand: Box<Expr>,
        /// `__alignof__`, which asks for the preferred rather than the least alignment.
        is_preferred: bool,
    },
    /// `_Alignof(type)`
    AlignofType {
        /// The operand.
        type_name: Box<TypeName>,
        /// `__alignof__`, which asks for the preferred rather than the least alignment.
        is_preferred: bool,
    },
    /// `_Generic(control, type: value, ...)`
    Generic {
        /// Its type selects; it is not evaluated.
        control: Box<GenericControl>,
        /// The alternatives in order.
        associations: Vec<GenericAssociation>,
    },
    /// GNU `({ ... })`; the value is that of the last item if it is an expression statement.
    StmtExpr(Block),
    /// GNU `&&label`
    LabelAddress(Name),
    /// `__builtin_va_arg(list, type)`
    VaArg {
        /// The argument list.
        list: Box<Expr>,
        /// The type of the next argument.
        type_name: Box<TypeName>,
    },
    /// `__builtin_offsetof(type, member.designator[0])`
    Offsetof {
        /// The struct or union.
        type_name: Box<TypeName>,
        /// At least one; the first is always a field.
        designators: Vec<Designator>,
    },
    /// `__builtin_types_compatible_p(type, type)`
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_choose_expr(constant, then, otherwise)`
    ChooseExpr {
        /// The constant that selects at compile time.
        condition: Box<Expr>,
        /// Selected when it is not zero.
        then: Box<Expr>,
        /// Selected when it is zero.
        otherwise: Box<Expr>,
    },
    /// `__builtin_convertvector(value, type)`
    ConvertVector {
        /// The vector.
        value: Box<Expr>,
        /// The target vector type.
        type_name: Box<TypeName>,
    },
}

/// What a `_Generic` looks at.
#[derive(Clone, Debug, PartialEq)]
pub enum GenericControl {
    /// The type of an expression, after lvalue conversion.
    Expr(Expr),
    /// A type (C2y and clang).
    Type(TypeName),
}

/// `type: value` or `default: value`
#[derive(Clone, Debug, PartialEq)]
pub struct GenericAssociation {
    /// `None` for `default`.
    pub type_name: Option<TypeName>,
    /// The result if selected.
    pub value: Expr,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `+a`
    Plus,
    /// `-a`
    Minus,
    /// `~a`, also the complex conjugate
    BitNot,
    /// `!a`
    Not,
    /// `&a`
    Address,
    /// `*a`
    Deref,
    /// `++a`
    PreIncrement,
    /// `--a`
    PreDecrement,
    /// `a++`
    PostIncrement,
    /// `a--`
    PostDecrement,
    /// GNU `__real__ a`
    Real,
    /// GNU `__imag__ a`
    Imag,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `<=`
    LessEqual,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    LogicalAnd,
    /// `||`
    LogicalOr,
}

/// An integer constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerLiteral {
    /// The digits' value.
    pub value: u128,
    /// Decimal constants never become unsigned by their size; others may.
    pub is_decimal: bool,
    /// `u` among the suffixes.
    pub is_unsigned: bool,
    /// The length suffix.
    pub length: IntegerLength,
    /// GNU `i` or `j` suffix.
    pub is_imaginary: bool,
}

/// The least rank an integer constant's suffix asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerLength {
    /// No suffix: `int` or wider as needed.
    Int,
    /// `l`
    Long,
    /// `ll`
    LongLong,
}

/// A floating constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatLiteral {
    /// Rounded to nearest even as `double`.
    pub value: f64,
    /// Rounded to nearest even as `float`.
    pub single: f32,
    /// Whether `value` is exactly what was written; matters for `long double` and wider.
    pub is_exact: bool,
    /// The type asked for.
    pub suffix: FloatSuffix,
    /// GNU `i` or `j` suffix.
    pub is_imaginary: bool,
}

/// The type a floating constant asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatSuffix {
    /// None: `double`
    Double,
    /// `f`
    Float,
    /// `l`
    LongDouble,
    /// `f16`
    Float16,
    /// `bf16`
    BFloat16,
    /// `f32`
    Float32,
    /// `f64`
    Float64,
    /// `f128` or `q`
    Float128,
    /// `f32x`
    Float32x,
    /// `f64x` or `w`
    Float64x,
    /// `df`
    Decimal32,
    /// `dd`
    Decimal64,
    /// `dl`
    Decimal128,
}

/// How a character or string literal is encoded; decides its element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// No prefix: bytes of type `char`.
    Plain,
    /// `u8`: bytes of type `char`, known to be UTF-8.
    Utf8,
    /// `u`: `char16_t`
    Utf16,
    /// `U`: `char32_t`
    Utf32,
    /// `L`: `wchar_t`, taken as 32 bits wide.
    Wide,
}

/// A character constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharLiteral {
    /// The prefix.
    pub encoding: Encoding,
    /// Bytes for `Plain` and `Utf8` (several for a multi-character constant), code units otherwise. Never empty.
    pub units: Vec<u32>,
}

/// A string literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringLiteral {
    /// The prefix; of adjacent literals the one that has any.
    pub encoding: Encoding,
    /// Bytes or code units, without the terminating zero.
    pub units: Vec<u32>,
}

impl CharLiteral {
    /// The constant's value. Several plain characters are packed as gcc and clang do, the last in the lowest byte.
    pub fn value(&self, char_is_signed: bool) -> i64 {
        let last = *self.units.last().expect("a character constant has a unit");
        match self.encoding {
            Encoding::Plain if self.units.len() > 1 => {
                let packed = self.units.iter().fold(0u32, |packed, unit| (packed << 8) | (unit & 0xff));
                i64::from(packed as i32)
            }
            Encoding::Plain if char_is_signed => i64::from(last as u8 as i8),
            Encoding::Wide => i64::from(last as i32),
            _ => i64::from(last),
        }
    }
}

impl StringLiteral {
    /// The text, for messages and names of symbols; what is no character is shown as a replacement character.
    pub fn to_text(&self) -> String {
        match self.encoding {
            Encoding::Plain | Encoding::Utf8 => {
                let bytes: Vec<u8> = self.units.iter().map(|&unit| unit as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            Encoding::Utf16 => {
                let units: Vec<u16> = self.units.iter().map(|&unit| unit as u16).collect();
                String::from_utf16_lossy(&units)
            }
            Encoding::Utf32 | Encoding::Wide => {
                self.units.iter().map(|&unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
            }
        }
    }
}

impl UnaryOp {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Plus => "+",
            UnaryOp::Minus => "-",
            UnaryOp::BitNot => "~",
            UnaryOp::Not => "!",
            UnaryOp::Address => "&",
            UnaryOp::Deref => "*",
            UnaryOp::PreIncrement | UnaryOp::PostIncrement => "++",
            UnaryOp::PreDecrement | UnaryOp::PostDecrement => "--",
            UnaryOp::Real => "__real__",
            UnaryOp::Imag => "__imag__",
        }
    }
}

impl BinaryOp {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Less => "<",
            BinaryOp::Greater => ">",
            BinaryOp::LessEqual => "<=",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::LogicalAnd => "&&",
            BinaryOp::LogicalOr => "||",
        }
    }
}
