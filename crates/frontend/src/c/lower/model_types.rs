//! What does a C type mean in the program model? Its sort, its sign, how its values are shown and how its parts are named.
//!
//! Questions about types alone: nothing here looks at a program.

use crate::c::types::{IntKind, QualType, Type, TypeId, Types};
use ir::{Format, Shape};
use logic::Scalar;

/// The sort of a scalar C type; `None` for aggregates, `void`, functions, and floats that are not modelled.
pub(super) fn scalar_of(types: &Types, ty: TypeId) -> Option<Scalar> {
    match types.get(ty) {
        Type::Int(_) | Type::Enum(_) | Type::Pointer(_) => Some(Scalar::Bv(types.size(ty)? as u32 * 8)),
        Type::Float => Some(Scalar::F32),
        Type::Double => Some(Scalar::F64),
        Type::VaList => Some(Scalar::Bv(types.data_model.word_bits())),
        Type::Void
        | Type::LongDouble
        | Type::Array { .. }
        | Type::VariableArray { .. }
        | Type::Function { .. }
        | Type::Opaque { .. }
        | Type::Record(_) => None,
    }
}

/// Whether values of the type are signed integers.
pub(super) fn is_signed(types: &Types, ty: TypeId) -> bool {
    types.int_kind(ty).is_some_and(|kind| kind.is_signed())
}

/// How values of a type are shown.
pub(super) fn format_of(types: &Types, ty: TypeId) -> Format {
    match types.get(ty) {
        Type::Int(IntKind::Bool) => Format::Bool,
        Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar) if is_signed(types, ty) => Format::Char,
        Type::Int(IntKind::Char | IntKind::UChar) => Format::UnsignedChar,
        Type::Pointer(_) => Format::Pointer,
        Type::Float | Type::Double => Format::Float,
        _ if is_signed(types, ty) => Format::Signed,
        _ => Format::Unsigned,
    }
}

/// How the parts of a type are named.
pub(super) fn shape_of(types: &Types, ty: TypeId) -> Shape {
    let size = types.size(ty).unwrap_or(0);
    match types.get(ty) {
        Type::Array { element, len: Some(len) } => {
            Shape::Array { element: Box::new(shape_of(types, element.ty)), len: *len }
        }
        Type::Array { element, len: None } => Shape::Array { element: Box::new(shape_of(types, element.ty)), len: 0 },
        Type::Record(id) => {
            let fields = types.record(*id).fields.as_deref().unwrap_or_default();
            let fields = fields.iter().filter(|field| field.name.is_some() || field.bits.is_none()).map(|field| {
                let name = field.name.clone().unwrap_or_default();
                (name, field.offset, shape_of(types, field.ty.ty))
            });
            Shape::Record { size, fields: fields.collect() }
        }
        _ if scalar_of(types, ty).is_some() => Shape::Scalar { size, format: format_of(types, ty) },
        _ => Shape::Bytes(size),
    }
}

/// The type behind a pointer.
pub(super) fn pointee(types: &Types, ty: TypeId) -> Option<QualType> {
    match types.get(ty) {
        Type::Pointer(target) => Some(*target),
        _ => None,
    }
}
