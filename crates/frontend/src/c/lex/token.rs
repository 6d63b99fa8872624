//! What a token is: its kind, where its text is, and where it stands in the user's file.
//!
//! Tokens are small and `Copy`. The value of a number, character or string is not computed while lexing but when the
//! parser asks for it (`number`, `text`), from the bytes between `start` and `end`.

use ir::Span;

use crate::c::ast::{BuiltinType, Encoding};

/// One token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// Which one.
    pub(crate) kind: TokenKind,
    /// Where its text begins in `Lexed::text`.
    pub(crate) start: u32,
    /// Where its text ends.
    pub(crate) end: u32,
    /// Its place in the user's file.
    pub(crate) span: Span,
}

/// Names an identifier in `Lexed::names`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NameId(pub(crate) u32);

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Identifier(NameId),
    Keyword(Keyword),
    Punct(Punct),
    Number,
    Char(Encoding),
    String(Encoding),
    /// After the last token; the parser never moves past it.
    End,
}

macro_rules! punctuators {
    ($($name:ident $text:literal),* $(,)?) => {
        /// Operators and punctuation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Punct { $($name),* }

        impl Punct {
            /// As written (digraphs count as what they stand for).
            pub(crate) fn text(self) -> &'static str {
                match self { $(Punct::$name => $text),* }
            }
        }
    };
}

punctuators! {
    LeftParen "(", RightParen ")", LeftBracket "[", RightBracket "]", LeftBrace "{", RightBrace "}",
    Semicolon ";", Comma ",", Colon ":", ColonColon "::", Question "?", Dot ".", Ellipsis "...", Arrow "->",
    Plus "+", Minus "-", Star "*", Slash "/", Percent "%", PlusPlus "++", MinusMinus "--",
    Amp "&", Pipe "|", Caret "^", Tilde "~", Bang "!", AmpAmp "&&", PipePipe "||",
    Shl "<<", Shr ">>", Less "<", Greater ">", LessEq "<=", GreaterEq ">=", EqEq "==", BangEq "!=",
    Eq "=", PlusEq "+=", MinusEq "-=", StarEq "*=", SlashEq "/=", PercentEq "%=",
    ShlEq "<<=", ShrEq ">>=", AmpEq "&=", PipeEq "|=", CaretEq "^=",
}

/// Keywords, one for all spellings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyword {
    Alignas,
    Alignof,
    /// `__alignof__`, which asks for the preferred alignment.
    AlignofPreferred,
    Asm,
    Atomic,
    Attribute,
    Auto,
    AutoType,
    Bool,
    Break,
    BuiltinChooseExpr,
    BuiltinConvertVector,
    BuiltinOffsetof,
    BuiltinTypesCompatible,
    BuiltinVaArg,
    Case,
    Char,
    Complex,
    Const,
    Continue,
    Decimal128,
    Decimal32,
    Decimal64,
    Default,
    Do,
    Double,
    Else,
    Enum,
    Extension,
    Extern,
    Float,
    For,
    FunctionName,
    Generic,
    Goto,
    If,
    Imag,
    Inline,
    Int,
    Int128,
    Label,
    Long,
    NoReturn,
    Nullability,
    Real,
    Register,
    Restrict,
    Return,
    Short,
    Signed,
    Sizeof,
    Static,
    StaticAssert,
    Struct,
    Switch,
    ThreadLocal,
    Typedef,
    Typeof,
    Union,
    Unsigned,
    Void,
    Volatile,
    While,
}

/// Types that the compiler predeclares as if by typedef: a program or a header for another compiler may redeclare them.
/// Their `NameId`s are their positions here.
pub(crate) const PREDECLARED_TYPES: &[(&str, BuiltinType)] = &[
    ("__builtin_va_list", BuiltinType::VaList),
    ("__int128_t", BuiltinType::Int128),
    ("__uint128_t", BuiltinType::UnsignedInt128),
    ("_Float16", BuiltinType::Float16),
    ("__fp16", BuiltinType::Float16),
    ("__bf16", BuiltinType::BFloat16),
    ("_Float32", BuiltinType::Float32),
    ("_Float32x", BuiltinType::Float32x),
    ("_Float64", BuiltinType::Float64),
    ("_Float64x", BuiltinType::Float64x),
    ("_Float128", BuiltinType::Float128),
    ("__float128", BuiltinType::Float128),
    // The 80-bit format is `long double` wherever the name exists.
    ("__float80", BuiltinType::LongDouble),
];

/// Every spelling of every keyword.
pub(crate) const KEYWORDS: &[(&str, Keyword)] = &[
    ("_Alignas", Keyword::Alignas),
    ("_Alignof", Keyword::Alignof),
    ("__alignof", Keyword::AlignofPreferred),
    ("__alignof__", Keyword::AlignofPreferred),
    ("asm", Keyword::Asm),
    ("__asm", Keyword::Asm),
    ("__asm__", Keyword::Asm),
    ("_Atomic", Keyword::Atomic),
    ("__attribute", Keyword::Attribute),
    ("__attribute__", Keyword::Attribute),
    ("auto", Keyword::Auto),
    ("__auto_type", Keyword::AutoType),
    ("_Bool", Keyword::Bool),
    ("break", Keyword::Break),
    ("__builtin_choose_expr", Keyword::BuiltinChooseExpr),
    ("__builtin_convertvector", Keyword::BuiltinConvertVector),
    ("__builtin_offsetof", Keyword::BuiltinOffsetof),
    ("__builtin_types_compatible_p", Keyword::BuiltinTypesCompatible),
    ("__builtin_va_arg", Keyword::BuiltinVaArg),
    ("case", Keyword::Case),
    ("char", Keyword::Char),
    ("_Complex", Keyword::Complex),
    ("__complex", Keyword::Complex),
    ("__complex__", Keyword::Complex),
    ("const", Keyword::Const),
    ("__const", Keyword::Const),
    ("__const__", Keyword::Const),
    ("continue", Keyword::Continue),
    ("_Decimal128", Keyword::Decimal128),
    ("_Decimal32", Keyword::Decimal32),
    ("_Decimal64", Keyword::Decimal64),
    ("default", Keyword::Default),
    ("do", Keyword::Do),
    ("double", Keyword::Double),
    ("else", Keyword::Else),
    ("enum", Keyword::Enum),
    ("__extension__", Keyword::Extension),
    ("extern", Keyword::Extern),
    ("float", Keyword::Float),
    ("for", Keyword::For),
    ("__func__", Keyword::FunctionName),
    ("__FUNCTION__", Keyword::FunctionName),
    ("__PRETTY_FUNCTION__", Keyword::FunctionName),
    ("_Generic", Keyword::Generic),
    ("goto", Keyword::Goto),
    ("if", Keyword::If),
    ("__imag", Keyword::Imag),
    ("__imag__", Keyword::Imag),
    ("inline", Keyword::Inline),
    ("__inline", Keyword::Inline),
    ("__inline__", Keyword::Inline),
    ("int", Keyword::Int),
    ("__int128", Keyword::Int128),
    ("__label__", Keyword::Label),
    ("long", Keyword::Long),
    ("_Noreturn", Keyword::NoReturn),
    ("_Nonnull", Keyword::Nullability),
    ("_Null_unspecified", Keyword::Nullability),
    ("_Nullable", Keyword::Nullability),
    ("__real", Keyword::Real),
    ("__real__", Keyword::Real),
    ("register", Keyword::Register),
    ("restrict", Keyword::Restrict),
    ("__restrict", Keyword::Restrict),
    ("__restrict__", Keyword::Restrict),
    ("return", Keyword::Return),
    ("short", Keyword::Short),
    ("signed", Keyword::Signed),
    ("__signed", Keyword::Signed),
    ("__signed__", Keyword::Signed),
    ("sizeof", Keyword::Sizeof),
    ("static", Keyword::Static),
    ("_Static_assert", Keyword::StaticAssert),
    ("struct", Keyword::Struct),
    ("switch", Keyword::Switch),
    ("_Thread_local", Keyword::ThreadLocal),
    ("__thread", Keyword::ThreadLocal),
    ("typedef", Keyword::Typedef),
    ("typeof", Keyword::Typeof),
    ("__typeof", Keyword::Typeof),
    ("__typeof__", Keyword::Typeof),
    ("union", Keyword::Union),
    ("unsigned", Keyword::Unsigned),
    ("void", Keyword::Void),
    ("volatile", Keyword::Volatile),
    ("__volatile", Keyword::Volatile),
    ("__volatile__", Keyword::Volatile),
    ("while", Keyword::While),
];
