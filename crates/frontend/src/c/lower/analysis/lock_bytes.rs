//! Where may locks be, and may their bytes be seen as something else? Then whoever writes these may make a lock look as if nobody had initialised it.
//!
//! Types say where locks may be. What the text hides (a pointer that was `void *` for a while) is not found.

use crate::c::typed::{Expr, Unit};
use crate::c::types::{Type, TypeId, Types};

/// Whether an object of the type may be or contain a lock: they are unions, but for spin locks, which are volatile.
pub(super) fn may_be_lock(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Array { element, .. } => element.is_volatile || may_be_lock(types, element.ty),
        Type::Record(id) => {
            let record = types.record(*id);
            let fields = record.fields.as_deref().unwrap_or_default();
            record.is_union || fields.iter().any(|field| field.ty.is_volatile || may_be_lock(types, field.ty.ty))
        }
        _ => false,
    }
}

/// Whether a conversion of pointers lets the bytes of a lock be seen as something else.
pub(super) fn shows_lock_as_other(unit: &Unit, from: &Expr, to: TypeId) -> bool {
    let types = &unit.types;
    let is_lock = |ty: TypeId| types.pointee(ty).is_some_and(|target| may_be_lock(types, target.ty));
    is_lock(from.ty.ty) && types.pointee(to).is_some_and(|target| !types.is_void(target.ty)) && !is_lock(to)
}

/// Whether a type is a union of the program's own with a lock in it: those of the library name the bytes of all (`__size`).
pub(super) fn is_union_over_lock(types: &Types, ty: TypeId) -> bool {
    let Type::Record(id) = types.get(ty) else { return false };
    let record = types.record(*id);
    let fields = record.fields.as_deref().unwrap_or_default();
    let is_own = !fields.iter().any(|field| field.name.as_deref().is_some_and(|name| name.starts_with("__")));
    record.is_union && is_own && fields.iter().any(|field| field.ty.is_volatile || may_be_lock(types, field.ty.ty))
}
