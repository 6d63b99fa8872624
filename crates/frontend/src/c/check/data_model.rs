//! For which data model was a preprocessed file made? Its own typedefs tell.
//!
//! The C library defines `size_t` and friends with different types for 32 and 64 bits. The names are asked in order
//! of how much they can be trusted: some programs define `uintptr_t` as `unsigned long` for both.

use ir::DataModel;
use rustc_hash::FxHashMap;

use super::super::ast::{BuiltinType, ExternalDeclaration, Name, StorageClass, TranslationUnit, TypeSpecifier};

/// What a type with this name says about the model, if it is that of a 32-bit and a 64-bit word.
const WITNESSES: &[(&str, Width)] = &[
    ("size_t", Width::Word),
    ("__SIZE_TYPE__", Width::Word),
    ("__kernel_size_t", Width::Word),
    ("ssize_t", Width::Word),
    ("__ssize_t", Width::Word),
    ("ptrdiff_t", Width::Word),
    ("__intptr_t", Width::Word),
    ("__quad_t", Width::Eight),
    ("__u_quad_t", Width::Eight),
    ("__int64_t", Width::Eight),
    ("__uint64_t", Width::Eight),
    ("int64_t", Width::Eight),
    ("uint64_t", Width::Eight),
    ("intptr_t", Width::Word),
    ("uintptr_t", Width::Word),
];

/// How a type depends on the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// As wide as a pointer: `int` in ILP32, `long` in LP64.
    Word,
    /// Always eight bytes: `long long` in ILP32, `long` in LP64.
    Eight,
}

/// The data model that a file's own typedefs were made for, if they say.
pub fn infer_data_model(unit: &TranslationUnit) -> Option<DataModel> {
    let mut typedefs: FxHashMap<&Name, &TypeSpecifier> = FxHashMap::default();
    for item in &unit.items {
        let ExternalDeclaration::Declaration(declaration) = item else { continue };
        if declaration.specifiers.storage != Some(StorageClass::Typedef) {
            continue;
        }
        for item in &declaration.declarators {
            if let (Some(name), true) = (&item.declarator.name, item.declarator.derivations.is_empty()) {
                typedefs.insert(name, &declaration.specifiers.type_specifier);
            }
        }
    }
    WITNESSES.iter().find_map(|(name, width)| {
        let builtin = resolve(&typedefs, &Name::new(name))?;
        match (width, builtin) {
            (Width::Word, BuiltinType::Int | BuiltinType::UnsignedInt) => Some(DataModel::Ilp32),
            (Width::Eight, BuiltinType::LongLong | BuiltinType::UnsignedLongLong) => Some(DataModel::Ilp32),
            (_, BuiltinType::Long | BuiltinType::UnsignedLong) => Some(DataModel::Lp64),
            _ => None,
        }
    })
}

/// The keywords behind a typedef name.
fn resolve(typedefs: &FxHashMap<&Name, &TypeSpecifier>, name: &Name) -> Option<BuiltinType> {
    let mut specifier = *typedefs.get(name)?;
    // A chain of typedefs is as long as there are typedefs, unless the file is wrong.
    for _ in 0..typedefs.len() {
        match specifier {
            TypeSpecifier::Builtin(builtin) => return Some(*builtin),
            TypeSpecifier::TypedefName(next) => specifier = typedefs.get(next)?,
            _ => return None,
        }
    }
    None
}
