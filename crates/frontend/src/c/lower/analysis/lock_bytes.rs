//! May a lock lie where something else has been, or may its bytes be written by other means than the thread library's? Then it may look as if nobody had initialised it.
//!
//! Types say where locks may be. What the text hides (a pointer that was `void *` for a while) is not found.

use super::scan::{constant, root};
use crate::c::typed::{Expr, ExprKind, Unit};
use crate::c::types::{Type, TypeId, Types};

/// Whether a local variable that is no lock is used as one.
pub(super) fn puts_lock_elsewhere(unit: &Unit, from: &Expr, to: TypeId) -> bool {
    let types = &unit.types;
    let is_lock = types.pointee(to).is_some_and(|target| target.is_volatile || may_be_lock(types, target.ty));
    let symbol = root(from).map(|symbol| &unit.symbols[symbol.0 as usize]);
    is_lock && symbol.is_some_and(|symbol| !symbol.ty.is_volatile && !may_be_lock(types, symbol.ty.ty))
}

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

/// Whether a function of the library writes bytes where a lock may be; zeros are what a lock is at first.
pub(super) fn writes_into_lock(unit: &Unit, function: &str, args: &[Expr]) -> bool {
    let into = match function {
        "memset" if args.get(1).and_then(constant) == Some(0) => None,
        "memset" | "memcpy" | "memmove" | "mempcpy" | "fread" => args.first(),
        "read" | "recv" | "getrandom" => args.get(usize::from(function != "getrandom")),
        _ => None,
    };
    let target = into.and_then(|pointer| unit.types.pointee(unconverted(pointer).ty.ty));
    target.is_some_and(|target| may_be_lock(&unit.types, target.ty))
}

fn unconverted(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast(inner) => unconverted(inner),
        _ => expr,
    }
}

/// Whether a type is a union of the program's own with a lock in it: those of the library name the bytes of all (`__size`).
pub(super) fn is_union_over_lock(types: &Types, ty: TypeId) -> bool {
    let Type::Record(id) = types.get(ty) else { return false };
    let record = types.record(*id);
    let fields = record.fields.as_deref().unwrap_or_default();
    let is_own = !fields.iter().any(|field| field.name.as_deref().is_some_and(|name| name.starts_with("__")));
    record.is_union && is_own && fields.iter().any(|field| field.ty.is_volatile || may_be_lock(types, field.ty.ty))
}
