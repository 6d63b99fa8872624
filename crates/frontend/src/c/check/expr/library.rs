//! The types of library functions that compilers know without a declaration, and signatures as short texts.
//!
//! A signature is `result:parameters`, one letter each (see `letter`); `.` at the end means `...`. The same notation
//! serves builtins with fixed types. `FILE` is not known here, so `FILE *` is written as `void *`.

use ir::Span;

use super::super::super::ast::Name;
use super::super::super::typed::{Expr, ExprKind};
use super::super::super::types::{IntKind, QualType, Type, TypeId};
use super::super::Checker;

/// Functions of the C library that gcc and clang declare by themselves.
const LIBRARY: &[(&str, &str)] = &[
    ("abort", "v:"),
    ("abs", "i:i"),
    ("alloca", "p:z"),
    ("aligned_alloc", "p:zz"),
    ("bcmp", "i:PPz"),
    ("bzero", "v:pz"),
    ("calloc", "p:zz"),
    ("exit", "v:i"),
    ("_exit", "v:i"),
    ("_Exit", "v:i"),
    ("ffs", "i:i"),
    ("fprintf", "i:pc."),
    ("fputc", "i:ip"),
    ("fputs", "i:cp"),
    ("free", "v:p"),
    ("fscanf", "i:pc."),
    ("fwrite", "z:Pzzp"),
    ("index", "s:ci"),
    ("isalnum", "i:i"),
    ("isalpha", "i:i"),
    ("isdigit", "i:i"),
    ("islower", "i:i"),
    ("isprint", "i:i"),
    ("isspace", "i:i"),
    ("isupper", "i:i"),
    ("isxdigit", "i:i"),
    ("labs", "l:l"),
    ("llabs", "L:L"),
    ("malloc", "p:z"),
    ("memchr", "p:Piz"),
    ("memcmp", "i:PPz"),
    ("memcpy", "p:pPz"),
    ("memmove", "p:pPz"),
    ("mempcpy", "p:pPz"),
    ("memset", "p:piz"),
    ("printf", "i:c."),
    ("putchar", "i:i"),
    ("puts", "i:c"),
    ("realloc", "p:pz"),
    ("rindex", "s:ci"),
    ("scanf", "i:c."),
    ("snprintf", "i:szc."),
    ("sprintf", "i:sc."),
    ("sscanf", "i:cc."),
    ("stpcpy", "s:sc"),
    ("strcasecmp", "i:cc"),
    ("strcat", "s:sc"),
    ("strchr", "s:ci"),
    ("strcmp", "i:cc"),
    ("strcpy", "s:sc"),
    ("strcspn", "z:cc"),
    ("strdup", "s:c"),
    ("strlen", "z:c"),
    ("strncasecmp", "i:ccz"),
    ("strncat", "s:scz"),
    ("strncmp", "i:ccz"),
    ("strncpy", "s:scz"),
    ("strndup", "s:cz"),
    ("strnlen", "z:cz"),
    ("strpbrk", "s:cc"),
    ("strrchr", "s:ci"),
    ("strspn", "z:cc"),
    ("strstr", "s:cc"),
    ("tolower", "i:i"),
    ("toupper", "i:i"),
    ("vfprintf", "i:pcV"),
    ("vprintf", "i:cV"),
    ("vsnprintf", "i:szcV"),
    ("vsprintf", "i:scV"),
];

/// Functions from one real to a real, which exist for `double`, with `f` for `float`, with `l` for `long double`.
const REAL_TO_REAL: &[&str] = &[
    "acos",
    "asin",
    "atan",
    "cbrt",
    "ceil",
    "cos",
    "cosh",
    "exp",
    "exp2",
    "fabs",
    "floor",
    "log",
    "log10",
    "log2",
    "nearbyint",
    "rint",
    "round",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
];

/// The same with two arguments.
const REALS_TO_REAL: &[&str] = &["atan2", "copysign", "fdim", "fmax", "fmin", "fmod", "hypot", "pow", "remainder"];

/// Whether a library function never returns.
pub(in super::super) fn is_noreturn(name: &str) -> bool {
    matches!(name, "abort" | "exit" | "_exit" | "_Exit")
}

fn library_signature(name: &str) -> Option<String> {
    if let Some((_, signature)) = LIBRARY.iter().find(|(known, _)| *known == name) {
        return Some((*signature).to_string());
    }
    for (suffix, letter) in [("", 'd'), ("f", 'f'), ("l", 'D')] {
        let Some(stem) = name.strip_suffix(suffix) else { continue };
        if REAL_TO_REAL.contains(&stem) {
            return Some(format!("{letter}:{letter}"));
        }
        if REALS_TO_REAL.contains(&stem) {
            return Some(format!("{letter}:{letter}{letter}"));
        }
    }
    None
}

impl Checker {
    /// Whether compilers know a function by its name.
    pub(in super::super) fn is_library_function(&self, name: &str) -> bool {
        library_signature(name).is_some()
    }

    /// The type of a library function that needs no declaration.
    pub(super) fn library_type(&mut self, name: &str) -> Option<TypeId> {
        let signature = library_signature(name)?;
        Some(self.signature(&signature))
    }

    /// `__builtin_memcpy` and its like, as the library function.
    pub(super) fn library_function(&mut self, name: &str, span: Span) -> Option<Expr> {
        let stem = name.strip_prefix("__builtin_")?;
        let builtin = self.library_type(stem)?;
        let symbol = match self.linked.get(stem) {
            Some(symbol) => *symbol,
            None => self.add_function(&Name::new(stem), builtin, span),
        };
        let declared = self.symbols[symbol.0 as usize].ty;
        // What the program declares under the name may be anything; the builtin's own type holds for this use.
        let is_same_kind = self.types.is_function(declared.ty);
        let ty = if is_same_kind { declared } else { QualType::plain(builtin) };
        Some(Expr { kind: ExprKind::Symbol(symbol), ty, span })
    }

    /// The function type that a signature text describes.
    pub(super) fn signature(&mut self, signature: &str) -> TypeId {
        let (result, params) = signature.split_once(':').unwrap_or((signature, ""));
        let result = result.chars().next().unwrap_or('v');
        let result = self.letter(result);
        let is_variadic = params.ends_with('.');
        let params = params.trim_end_matches('.').chars().map(|letter| self.letter(letter)).collect();
        self.types.intern(Type::Function { result, params, is_variadic, is_unprototyped: false })
    }

    fn letter(&mut self, letter: char) -> QualType {
        let kind = match letter {
            'b' => IntKind::Bool,
            'i' => IntKind::Int,
            'u' => IntKind::UInt,
            'h' => IntKind::UShort,
            'l' => IntKind::Long,
            'm' => IntKind::ULong,
            'L' => IntKind::LongLong,
            'M' => IntKind::ULongLong,
            'z' => self.size_kind(),
            _ => return self.other_letter(letter),
        };
        QualType::plain(self.int_type(kind))
    }

    fn other_letter(&mut self, letter: char) -> QualType {
        let void = QualType::plain(self.basic.void);
        let char = QualType::plain(self.int_type(IntKind::Char));
        QualType::plain(match letter {
            'd' => self.basic.double,
            'f' => self.basic.float,
            'D' => self.basic.long_double,
            'p' => self.basic.void_pointer,
            'P' => self.pointer_to(QualType { is_const: true, ..void }),
            's' => self.pointer_to(char),
            'c' => self.pointer_to(QualType { is_const: true, ..char }),
            'V' => self.types.intern(Type::VaList),
            _ => self.basic.void,
        })
    }
}
