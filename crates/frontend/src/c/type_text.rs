//! How a type is written in C, for diagnostics and dumps.
//!
//! A type is printed around what it declares, as C does: `int (*f)(char)` is the text `f` wrapped from the inside out.
//! Typedef names are gone by now, so `size_t` prints as what it stands for.

use super::types::{IntKind, QualType, Type, TypeId, Types};

impl Types {
    /// The type as C text.
    pub fn text(&self, ty: QualType) -> String {
        self.declaration_text(ty, String::new())
    }

    /// The unqualified type as C text.
    pub fn plain_text(&self, ty: TypeId) -> String {
        self.text(QualType::plain(ty))
    }

    /// A declaration of `inner` with this type.
    pub fn declaration_text(&self, ty: QualType, inner: String) -> String {
        let qualifiers = qualifier_text(ty);
        match self.get(ty.ty) {
            Type::Pointer(pointee) => {
                let is_wrapped = self.is_array(pointee.ty) || self.is_function(pointee.ty);
                let starred = join(&format!("*{}", qualifiers.trim_end()), &inner);
                self.declaration_text(*pointee, if is_wrapped { format!("({starred})") } else { starred })
            }
            Type::Array { element, len } => {
                let len = len.map(|len| len.to_string()).unwrap_or_default();
                self.declaration_text(*element, format!("{inner}[{len}]"))
            }
            Type::VariableArray { element } => self.declaration_text(*element, format!("{inner}[*]")),
            Type::Function { result, params, is_variadic, is_unprototyped } => {
                let mut parts: Vec<String> = params.iter().map(|param| self.text(*param)).collect();
                if *is_variadic {
                    parts.push("...".to_string());
                }
                if parts.is_empty() && !is_unprototyped {
                    parts.push("void".to_string());
                }
                self.declaration_text(*result, format!("{inner}({})", parts.join(", ")))
            }
            base => {
                let base = self.base_text(base);
                let base = format!("{qualifiers}{base}");
                if inner.is_empty() || inner.starts_with('[') || inner.starts_with('(') && !inner.starts_with("(*") {
                    format!("{base}{inner}")
                } else {
                    format!("{base} {inner}")
                }
            }
        }
    }

    fn base_text(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "void".to_string(),
            Type::Int(kind) => kind.text().to_string(),
            Type::Float => "float".to_string(),
            Type::Double => "double".to_string(),
            Type::LongDouble => "long double".to_string(),
            Type::VaList => "va_list".to_string(),
            Type::Opaque { name, .. } => name.clone(),
            Type::Record(id) => {
                let record = self.record(*id);
                let keyword = if record.is_union { "union" } else { "struct" };
                format!("{keyword} {}", record.tag.as_deref().unwrap_or("{...}"))
            }
            Type::Enum(id) => format!("enum {}", self.enums[id.0 as usize].tag.as_deref().unwrap_or("{...}")),
            Type::Pointer(_) | Type::Array { .. } | Type::VariableArray { .. } | Type::Function { .. } => {
                unreachable!("derived types are written around what they declare")
            }
        }
    }
}

impl IntKind {
    /// The type as C text.
    pub fn text(self) -> &'static str {
        match self {
            IntKind::Bool => "_Bool",
            IntKind::Char => "char",
            IntKind::SChar => "signed char",
            IntKind::UChar => "unsigned char",
            IntKind::Short => "short",
            IntKind::UShort => "unsigned short",
            IntKind::Int => "int",
            IntKind::UInt => "unsigned int",
            IntKind::Long => "long",
            IntKind::ULong => "unsigned long",
            IntKind::LongLong => "long long",
            IntKind::ULongLong => "unsigned long long",
            IntKind::Int128 => "__int128",
            IntKind::UInt128 => "unsigned __int128",
            IntKind::Bytes3 => "signed unit of 3 bytes",
            IntKind::UBytes3 => "unit of 3 bytes",
            IntKind::Bytes5 => "signed unit of 5 bytes",
            IntKind::UBytes5 => "unit of 5 bytes",
            IntKind::Bytes6 => "signed unit of 6 bytes",
            IntKind::UBytes6 => "unit of 6 bytes",
            IntKind::Bytes7 => "signed unit of 7 bytes",
            IntKind::UBytes7 => "unit of 7 bytes",
            IntKind::Bytes9 => "signed unit of 9 bytes",
            IntKind::UBytes9 => "unit of 9 bytes",
        }
    }
}

fn qualifier_text(ty: QualType) -> String {
    let mut text = String::new();
    for (is_set, word) in [(ty.is_const, "const "), (ty.is_volatile, "volatile "), (ty.is_atomic, "_Atomic ")] {
        if is_set {
            text.push_str(word);
        }
    }
    text
}

fn join(left: &str, right: &str) -> String {
    let needs_space = left.ends_with(|c: char| c.is_alphanumeric()) && !right.is_empty() && !right.starts_with('[');
    if needs_space { format!("{left} {right}") } else { format!("{left}{right}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::DataModel;

    #[test]
    fn types_read_as_in_c() {
        let mut types = Types::new(DataModel::Lp64);
        let int = QualType::plain(types.intern(Type::Int(IntKind::Int)));
        let constant = QualType { is_const: true, ..int };
        let pointer = QualType::plain(types.intern(Type::Pointer(constant)));
        let array = QualType::plain(types.intern(Type::Array { element: pointer, len: Some(3) }));
        let to_array = QualType::plain(types.intern(Type::Pointer(array)));
        let function = QualType::plain(types.intern(Type::Function {
            result: pointer,
            params: vec![int, to_array],
            is_variadic: true,
            is_unprototyped: false,
        }));
        let to_function = QualType { is_const: true, ..QualType::plain(types.intern(Type::Pointer(function))) };
        for (ty, expected) in [
            (constant, "const int"),
            (pointer, "const int *"),
            (array, "const int *[3]"),
            (to_array, "const int *(*)[3]"),
            (function, "const int *(int, const int *(*)[3], ...)"),
            (to_function, "const int *(*const)(int, const int *(*)[3], ...)"),
        ] {
            assert_eq!(types.text(ty), expected);
        }
    }
}
