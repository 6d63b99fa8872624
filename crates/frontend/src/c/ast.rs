//! The syntax tree of a C translation unit: what was written, before any question of types or meaning.
//!
//! The tree is untyped and close to the text. It drops what cannot change meaning (parentheses, `__extension__`,
//! attributes that only advise the compiler) and keeps everything else, including constructs that later phases
//! refuse, so that the refusal can name the construct and its place.
//!
//! Two shapes differ from the grammar on purpose. A declarator is a name with a flat list of derivations read from
//! the name outward, because that is the order in which one says the type aloud. A comma expression is one list,
//! because long ones occur and a nested form would be as deep as it is long.
//!
//! Invariant: no path from the root is longer than a few thousand nodes (the parser refuses deeper input), so
//! recursive walks and the derived `Drop` are safe on the stack that `c::parse::on_deep_stack` provides.
//! What typedef names, tags and identifiers refer to is not here; the type checker resolves them.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use ir::Span;

mod expr;
mod stmt;

pub use expr::*;
pub use stmt::*;

/// An identifier. Clones are cheap; equality is equality of the text.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Arc<str>);

/// A whole preprocessed source file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TranslationUnit {
    /// Everything at file scope, in order.
    pub items: Vec<ExternalDeclaration>,
}

/// One item at file scope.
#[derive(Clone, Debug, PartialEq)]
pub enum ExternalDeclaration {
    /// A function with a body.
    Function(Box<FunctionDefinition>),
    /// A declaration of objects, functions, types or only a tag.
    Declaration(Declaration),
    /// `_Static_assert(...)`.
    StaticAssert(StaticAssert),
    /// `asm("...");` at file scope.
    Asm(Box<AsmStatement>, Span),
}

/// A function with a body; also a GNU nested function.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDefinition {
    /// Storage class, return type's base and the rest.
    pub specifiers: DeclSpecifiers,
    /// The name and the derivations; the first derivation is the function with its parameters, unless the
    /// function's type comes from a typedef (which the type checker refuses).
    pub declarator: Declarator,
    /// The declarations between `)` and `{` of a K&R definition.
    pub old_style_parameters: Vec<Declaration>,
    /// The body.
    pub body: Block,
    /// The first line of the definition.
    pub span: Span,
}

/// `specifiers declarator = initializer, ...;`
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// What stands before the first declarator.
    pub specifiers: DeclSpecifiers,
    /// Empty for a declaration that only introduces a tag.
    pub declarators: Vec<InitDeclarator>,
    /// The declaration's first token to its end, as far as on the same line.
    pub span: Span,
}

/// A declarator with its optional initialiser.
#[derive(Clone, Debug, PartialEq)]
pub struct InitDeclarator {
    /// What is declared.
    pub declarator: Declarator,
    /// What follows `=`.
    pub initializer: Option<Initializer>,
}

/// `_Static_assert(condition, "message")`.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticAssert {
    /// The constant that must not be zero.
    pub condition: Box<Expr>,
    /// The message, absent in the C23 form.
    pub message: Option<StringLiteral>,
    /// The place of the keyword.
    pub span: Span,
}

/// Everything in a declaration before the declarators.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclSpecifiers {
    /// `typedef`, `extern`, `static`, `auto` or `register`.
    pub storage: Option<StorageClass>,
    /// `_Thread_local` or `__thread`.
    pub is_thread_local: bool,
    /// `inline` in any spelling.
    pub is_inline: bool,
    /// `_Noreturn` (the attribute `noreturn` is in `attributes`).
    pub is_noreturn: bool,
    /// Qualifiers of the base type. `_Atomic int` sets `atomic`; `_Atomic(int)` is `TypeSpecifier::Atomic`.
    pub qualifiers: Qualifiers,
    /// The base type.
    pub type_specifier: TypeSpecifier,
    /// Every `_Alignas(...)`.
    pub alignments: Vec<Alignment>,
    /// Attributes among the specifiers; they apply to every declarator.
    pub attributes: Vec<Attribute>,
    /// First to last specifier, as far as on the same line.
    pub span: Span,
}

/// A storage-class specifier; at most one may be given besides the thread-local one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageClass {
    /// `typedef`
    Typedef,
    /// `extern`
    Extern,
    /// `static`
    Static,
    /// `auto`; for a nested function it announces the definition.
    Auto,
    /// `register`
    Register,
}

/// Type qualifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Qualifiers {
    /// `const`
    pub is_const: bool,
    /// `volatile`
    pub is_volatile: bool,
    /// `restrict`
    pub is_restrict: bool,
    /// `_Atomic` without parentheses
    pub is_atomic: bool,
}

/// The list of type specifiers, reduced to one.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeSpecifier {
    /// `unsigned long int` and its like.
    Builtin(BuiltinType),
    /// `_Complex double`, GNU `_Complex int`; the part's type.
    Complex(BuiltinType),
    /// `struct`/`union`, with or without members.
    Record(Box<RecordSpecifier>),
    /// `enum`, with or without enumerators.
    Enum(Box<EnumSpecifier>),
    /// A name that is a typedef in scope.
    TypedefName(Name),
    /// `typeof(expression)`; the operand is evaluated only if its type is variably modified.
    TypeofExpr(Box<Expr>),
    /// `typeof(type)`
    TypeofType(Box<TypeName>),
    /// `_Atomic(type)`
    Atomic(Box<TypeName>),
    /// `__auto_type`: the type of the initialiser.
    Auto,
    /// No type specifier at all: C89's implicit `int`.
    ImplicitInt,
}

/// Types made of keywords.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is named after its C spelling")]
pub enum BuiltinType {
    Void,
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
    Float,
    Double,
    LongDouble,
    Float16,
    BFloat16,
    Float32,
    Float64,
    Float128,
    Float32x,
    Float64x,
    Decimal32,
    Decimal64,
    Decimal128,
    /// `__builtin_va_list`
    VaList,
}

/// `struct tag { members }` or `struct tag`.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordSpecifier {
    /// Which of the two.
    pub kind: RecordKind,
    /// The tag, absent when anonymous.
    pub tag: Option<Name>,
    /// `None` for a mere reference, `Some` for a definition (possibly with no members).
    pub members: Option<Vec<Member>>,
    /// Attributes of the type itself (`packed`, `aligned`, ...).
    pub attributes: Vec<Attribute>,
    /// The keyword and the tag.
    pub span: Span,
}

/// Struct or union.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the two keywords")]
pub enum RecordKind {
    Struct,
    Union,
}

/// One member declaration of a struct or union.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// `int a, b : 3;` or, without declarators, an anonymous struct or union.
    Field(FieldDeclaration),
    /// `_Static_assert` among the members.
    StaticAssert(StaticAssert),
}

/// `specifiers declarator : width, ...;`
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDeclaration {
    /// The base type and qualifiers.
    pub specifiers: DeclSpecifiers,
    /// Empty for an anonymous struct or union member.
    pub declarators: Vec<FieldDeclarator>,
    /// The declaration's place.
    pub span: Span,
}

/// A member's declarator.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDeclarator {
    /// Without a name for an unnamed bit-field.
    pub declarator: Declarator,
    /// The width of a bit-field.
    pub bit_width: Option<Box<Expr>>,
}

/// `enum tag : type { enumerators }` or `enum tag`.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumSpecifier {
    /// The tag, absent when anonymous.
    pub tag: Option<Name>,
    /// The fixed underlying type (C23 and an extension of clang).
    pub underlying: Option<Box<TypeName>>,
    /// `None` for a mere reference.
    pub enumerators: Option<Vec<Enumerator>>,
    /// `packed`, `mode` and the like.
    pub attributes: Vec<Attribute>,
    /// The keyword and the tag.
    pub span: Span,
}

/// `NAME = value` within an enum.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumerator {
    /// The constant's name.
    pub name: Name,
    /// Its explicit value.
    pub value: Option<Box<Expr>>,
    /// The place of the name.
    pub span: Span,
}

/// `_Alignas(type)` or `_Alignas(expression)`, and the argument of `aligned`.
#[derive(Clone, Debug, PartialEq)]
pub enum Alignment {
    /// As strict as this type.
    Type(Box<TypeName>),
    /// This many bytes.
    Expr(Box<Expr>),
}

/// An attribute that can change what the program means; all others are dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Which one.
    pub kind: AttributeKind,
    /// Its place.
    pub span: Span,
}

/// The attributes that are kept, whether written `packed` or `__packed__`, as `__attribute__` or `[[gnu::...]]`.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeKind {
    /// `packed`
    Packed,
    /// `aligned` (as strict as the target allows) or `aligned(n)`
    Aligned(Option<Alignment>),
    /// `noreturn`
    NoReturn,
    /// `cleanup(function)`
    Cleanup(Name),
    /// `constructor` or `constructor(priority)`
    Constructor(Option<Box<Expr>>),
    /// `destructor` or `destructor(priority)`
    Destructor(Option<Box<Expr>>),
    /// `weak`
    Weak,
    /// `alias("symbol")`
    Alias(String),
    /// `mode(DI)`, without underscores
    Mode(Name),
    /// `vector_size(bytes)`
    VectorSize(Box<Expr>),
    /// `transparent_union`
    TransparentUnion,
    /// Not written on the type: `#pragma pack(n)` was in force, which caps the members' alignment at `n` bytes.
    PragmaPack(u32),
    /// `gnu_inline`
    GnuInline,
    /// An attribute that changes meaning in a way nothing here models; to be refused by this name.
    Unmodelled(Name),
}

/// A name together with how its type derives from the specifiers' base type.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator {
    /// Absent in type names, unnamed parameters and unnamed bit-fields.
    pub name: Option<Name>,
    /// From the name outward: `int *a[3]` is `[Array(3), Pointer]`, "array of 3 of pointer to `int`". To build the
    /// type, start with the base type and apply the derivations from last to first.
    pub derivations: Vec<Derivation>,
    /// Attributes written within or after the declarator.
    pub attributes: Vec<Attribute>,
    /// `asm("symbol")` after the declarator.
    pub asm_label: Option<String>,
    /// The place of the name, or where it would stand.
    pub span: Span,
}

/// One step from a type to a type made of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivation {
    /// Which step.
    pub kind: DerivationKind,
    /// The place of its `*`, `[` or `(`.
    pub span: Span,
}

/// The three ways to derive a type.
#[derive(Clone, Debug, PartialEq)]
pub enum DerivationKind {
    /// `* qualifiers`
    Pointer(Qualifiers),
    /// `[static qualifiers size]`
    Array {
        /// The size as written.
        size: ArraySize,
        /// `[static n]`, only in parameters.
        is_static: bool,
        /// Qualifiers of the pointer that an array parameter becomes.
        qualifiers: Qualifiers,
    },
    /// `(parameters)`
    Function(Parameters),
}

/// What stands between the brackets of an array declarator.
#[derive(Clone, Debug, PartialEq)]
pub enum ArraySize {
    /// `[]`
    Unspecified,
    /// `[*]`
    Star,
    /// `[n]`; whether constant is for the type checker to say.
    Expr(Box<Expr>),
}

/// What stands between the parentheses of a function declarator.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameters {
    /// Typed parameters. `(void)` is one unnamed parameter of type `void` without derivations, as written.
    Prototype {
        /// In order.
        parameters: Vec<Parameter>,
        /// Whether `...` ends the list.
        is_variadic: bool,
    },
    /// `()` or K&R names.
    Identifiers(Vec<(Name, Span)>),
}

/// A parameter of a prototype.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Base type and `register`.
    pub specifiers: DeclSpecifiers,
    /// Possibly without a name.
    pub declarator: Declarator,
    /// The parameter's place.
    pub span: Span,
}

/// A type as written in a cast, `sizeof` and the like.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    /// The base type and its qualifiers.
    pub specifiers: DeclSpecifiers,
    /// Always without a name.
    pub declarator: Declarator,
    /// The place.
    pub span: Span,
}

/// An initialiser.
#[derive(Clone, Debug, PartialEq)]
pub struct Initializer {
    /// Its form.
    pub kind: InitializerKind,
    /// Its place; for a list, the brace.
    pub span: Span,
}

/// The two forms of an initialiser.
#[derive(Clone, Debug, PartialEq)]
pub enum InitializerKind {
    /// A single expression.
    Expr(Box<Expr>),
    /// `{ ... }`, possibly empty.
    List(Vec<InitializerItem>),
}

/// One element of a braced list.
#[derive(Clone, Debug, PartialEq)]
pub struct InitializerItem {
    /// `.a[1] =`; empty when the element goes to the next position. The old `a: value` is the designator `.a`.
    pub designators: Vec<Designator>,
    /// The value.
    pub initializer: Initializer,
}

/// One step of a designation, in initialisers and in `offsetof`.
#[derive(Clone, Debug, PartialEq)]
pub enum Designator {
    /// `.field`
    Field(Name, Span),
    /// `[index]`
    Index(Box<Expr>),
    /// GNU `[first ... last]`, both included; only in initialisers
    Range(Box<Expr>, Box<Expr>),
}

impl Name {
    /// A name with this text.
    pub fn new(text: &str) -> Name {
        Name(Arc::from(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Qualifiers {
    /// Whether no qualifier is set.
    pub fn is_empty(self) -> bool {
        self == Qualifiers::default()
    }

    /// The qualifiers of both.
    pub fn union(self, other: Qualifiers) -> Qualifiers {
        Qualifiers {
            is_const: self.is_const || other.is_const,
            is_volatile: self.is_volatile || other.is_volatile,
            is_restrict: self.is_restrict || other.is_restrict,
            is_atomic: self.is_atomic || other.is_atomic,
        }
    }
}
