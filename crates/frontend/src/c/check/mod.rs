//! Which meaning has a C translation unit? From the syntax tree to the typed tree, where nothing is implicit.
//!
//! One walk in source order, because in C a name means what the declarations before it say. `Checker` holds the tables
//! that the walk fills; its methods are spread over the files of this folder by the part of C they know:
//! [`decl`] (specifiers, declarators, record layout, initialisers, functions), [`expr`] (operators, calls, builtins),
//! [`stmt`], [`convert`] (every conversion there is), [`constant`] (exact evaluation), [`compatible`] (when types agree).
//!
//! A method that cannot go on reports a diagnostic and returns `Reported`; the walk goes on with the next statement or
//! declaration. Problems inside a function body stay with the function, because headers define functions that
//! nobody calls; only problems at file scope are returned as such.
//!
//! Invariant: where a `Reported` is returned, a diagnostic has been pushed; a unit without diagnostics is whole.
//! Recursion is as deep as the syntax tree, which the parser bounds; a deep stack is provided here.

mod bit_units;
mod compatible;
mod constant;
mod convert;
mod data_model;
mod decl;
mod early_calls;
mod expr;
mod scope;
mod stmt;
mod walk;
mod wide_fields;

pub use data_model::infer_data_model;
pub(in crate::c) use expr::CLEANUP_PUSH;

use ir::{DataModel, Diagnostic, Severity, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{self, Name};
use super::parse::on_deep_stack;
use super::typed::{self, SymbolId, Unit};
use super::types::{IntKind, QualType, RecordId, Type, TypeId, Types};
use scope::{Body, Scopes};

/// The builtin that marks an operand whose type is doubtful; no program can name it.
pub(crate) const DOUBTFUL: &str = "arithmetic on a bit-field wider than int, of whose type compilers have two opinions";

/// Marks that something went wrong and has been reported already.
#[derive(Clone, Copy, Debug)]
struct Reported;

type Checked<T> = Result<T, Reported>;

/// Type-checks a whole file. The diagnostics are those at file scope; each function carries its own.
pub fn check(unit: &ast::TranslationUnit, data_model: DataModel) -> (Unit, Vec<Diagnostic>) {
    on_deep_stack(|| {
        let mut checker = Checker::new(data_model);
        for item in &unit.items {
            checker.external_declaration(item);
        }
        checker.finish()
    })
}

/// The tables of the walk.
struct Checker {
    types: Types,
    basic: Basic,
    symbols: Vec<typed::Symbol>,
    functions: Vec<typed::Function>,
    globals: Vec<typed::Global>,
    scopes: Scopes,
    /// Functions and objects with linkage, by name; block-scope `extern` finds them here too.
    linked: FxHashMap<Name, SymbolId>,
    /// Index into `globals`.
    global_of: FxHashMap<SymbolId, usize>,
    /// Index into `functions`.
    function_of: FxHashMap<SymbolId, usize>,
    /// Definitions that another definition may replace (GNU `extern inline`).
    replaceable: FxHashSet<SymbolId>,
    /// Functions that were called before any declaration of them.
    implicit: FxHashSet<SymbolId>,
    /// Functions that were called while no prototype of them was known.
    called_early: FxHashSet<SymbolId>,
    /// Functions that run before `main`.
    constructors: FxHashMap<SymbolId, i128>,
    destructors: FxHashMap<SymbolId, i128>,
    /// Symbols whose use is refused, with what to say.
    refused: FxHashMap<SymbolId, String>,
    /// Alignments that were asked for on variables.
    aligned: FxHashMap<SymbolId, u64>,
    /// The types of objects that are larger than their declared type, by a flexible array member's initialiser.
    grown: FxHashMap<SymbolId, QualType>,
    /// Bit-fields that were used and whose storage unit is not of their declared type, with the unit's type.
    units: FxHashMap<(RecordId, u64, (u32, u32)), TypeId>,
    /// Unions with `transparent_union`.
    transparent: FxHashSet<RecordId>,
    diagnostics: Vec<Diagnostic>,
    /// The function being checked.
    body: Option<Body>,
    /// Depth of `sizeof`, `typeof` and the like: what is seen there is never run.
    unevaluated: u32,
    /// Whether evaluation looks into `const` variables, as compilers do in static initialisers.
    reads_variables: bool,
}

/// Types that every program has.
struct Basic {
    void: TypeId,
    ints: Vec<TypeId>,
    float: TypeId,
    double: TypeId,
    long_double: TypeId,
    void_pointer: TypeId,
}

/// In the order of `IntKind`, so that a kind is an index.
const INT_KINDS: [IntKind; 24] = [
    IntKind::Bool,
    IntKind::Char,
    IntKind::SChar,
    IntKind::UChar,
    IntKind::Short,
    IntKind::UShort,
    IntKind::Int,
    IntKind::UInt,
    IntKind::Long,
    IntKind::ULong,
    IntKind::LongLong,
    IntKind::ULongLong,
    IntKind::Int128,
    IntKind::UInt128,
    IntKind::Bytes3,
    IntKind::UBytes3,
    IntKind::Bytes5,
    IntKind::UBytes5,
    IntKind::Bytes6,
    IntKind::UBytes6,
    IntKind::Bytes7,
    IntKind::UBytes7,
    IntKind::Bytes9,
    IntKind::UBytes9,
];

impl Checker {
    fn new(data_model: DataModel) -> Checker {
        let mut types = Types::new(data_model);
        let void = types.intern(Type::Void);
        let basic = Basic {
            void,
            ints: INT_KINDS.iter().map(|kind| types.intern(Type::Int(*kind))).collect(),
            float: types.intern(Type::Float),
            double: types.intern(Type::Double),
            long_double: types.intern(Type::LongDouble),
            void_pointer: types.intern(Type::Pointer(QualType::plain(void))),
        };
        Checker {
            types,
            basic,
            symbols: Vec::new(),
            functions: Vec::new(),
            globals: Vec::new(),
            scopes: Scopes::default(),
            linked: FxHashMap::default(),
            global_of: FxHashMap::default(),
            function_of: FxHashMap::default(),
            replaceable: FxHashSet::default(),
            implicit: FxHashSet::default(),
            called_early: FxHashSet::default(),
            constructors: FxHashMap::default(),
            destructors: FxHashMap::default(),
            refused: FxHashMap::default(),
            aligned: FxHashMap::default(),
            grown: FxHashMap::default(),
            units: FxHashMap::default(),
            transparent: FxHashSet::default(),
            diagnostics: Vec::new(),
            body: None,
            unevaluated: 0,
            reads_variables: false,
        }
    }

    fn external_declaration(&mut self, item: &ast::ExternalDeclaration) {
        match item {
            ast::ExternalDeclaration::Function(function) => self.function_definition(function),
            ast::ExternalDeclaration::Declaration(declaration) => {
                self.declaration(declaration, &mut Vec::new());
            }
            ast::ExternalDeclaration::StaticAssert(assertion) => self.static_assert(assertion),
            ast::ExternalDeclaration::Asm(asm, span) => {
                if !asm.template.trim().is_empty() {
                    self.refuse(*span, "assembly at file scope");
                }
            }
        }
    }

    fn finish(mut self) -> (Unit, Vec<Diagnostic>) {
        self.complete_tentative_definitions();
        self.fit_early_calls();
        self.settle_bit_units();
        for (symbol, ty) in &self.grown {
            self.symbols[symbol.0 as usize].ty = *ty;
        }
        for function in &mut self.functions {
            function.constructor = self.constructors.get(&function.symbol).copied();
            function.destructor = self.destructors.get(&function.symbol).copied();
        }
        let unit = Unit {
            types: self.types,
            symbols: self.symbols,
            aligned: self.aligned,
            functions: self.functions,
            globals: self.globals,
        };
        (unit, self.diagnostics)
    }

    fn data_model(&self) -> DataModel {
        self.types.data_model
    }

    fn int_type(&self, kind: IntKind) -> TypeId {
        self.basic.ints[kind as usize]
    }

    fn size_type(&self) -> TypeId {
        self.int_type(self.size_kind())
    }

    fn size_kind(&self) -> IntKind {
        match self.data_model() {
            DataModel::Ilp32 => IntKind::UInt,
            DataModel::Lp64 => IntKind::ULong,
        }
    }

    fn difference_type(&self) -> TypeId {
        self.int_type(match self.data_model() {
            DataModel::Ilp32 => IntKind::Int,
            DataModel::Lp64 => IntKind::Long,
        })
    }

    /// `wchar_t`, which the ABIs define differently.
    fn wide_kind(&self) -> IntKind {
        match self.data_model() {
            DataModel::Ilp32 => IntKind::Long,
            DataModel::Lp64 => IntKind::Int,
        }
    }

    fn pointer_to(&mut self, pointee: QualType) -> TypeId {
        self.types.intern(Type::Pointer(pointee))
    }

    fn text(&self, ty: QualType) -> String {
        self.types.text(ty)
    }

    /// Reports an error.
    fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.report(Diagnostic::error(span, message))
    }

    /// Reports a construct that is valid but not supported, by its name.
    fn refuse(&mut self, span: Span, construct: impl Into<String>) -> Reported {
        self.report(Diagnostic::unsupported(span, construct))
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        if self.unevaluated == 0 {
            self.report(Diagnostic::warning(span, message));
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        let list = match &mut self.body {
            Some(body) => &mut body.problems,
            None => &mut self.diagnostics,
        };
        // Operands and operators, and macros that are used often, have the same problem on the same line.
        let is_repeated = list.iter().rev().take(16).any(|known| {
            known.message == diagnostic.message
                && (known.span.file, known.span.line) == (diagnostic.span.file, diagnostic.span.line)
        });
        if !is_repeated {
            list.push(diagnostic);
        }
        Reported
    }

    /// Reports that a value of this type is computed with, if nothing here can.
    fn note_value_of(&mut self, ty: QualType, span: Span) {
        if self.unevaluated > 0 {
            return;
        }
        if matches!(self.types.get(ty.ty), Type::LongDouble | Type::Opaque { .. }) {
            let name = self.text(QualType::plain(ty.ty));
            self.report(
                Diagnostic::unsupported(span, format!("values of type {name}"))
                    .with_note("use double, or leave this computation out of what is checked"),
            );
        }
    }

    /// Runs the walk over something that is only looked at for its type.
    fn without_evaluating<T>(&mut self, walk: impl FnOnce(&mut Checker) -> T) -> T {
        self.unevaluated += 1;
        let result = walk(self);
        self.unevaluated -= 1;
        result
    }

    fn static_assert(&mut self, assertion: &ast::StaticAssert) {
        let Ok(value) = self.constant_integer(&assertion.condition, "the condition of a static assertion") else {
            return;
        };
        if value == 0 {
            let text = assertion.message.as_ref().map(|message| format!(": {}", message.to_text()));
            self.report(
                Diagnostic::error(assertion.span, format!("static assertion failed{}", text.unwrap_or_default()))
                    .with_note("if the file was made for another data model, give it with --data-model"),
            );
        }
    }
}

/// Whether a list of diagnostics contains more than warnings.
fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity != Severity::Warning)
}

#[cfg(test)]
mod tests;
