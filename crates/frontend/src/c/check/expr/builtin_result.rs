//! Builtins whose types follow from what their first argument points to: atomics in three families, and overflow checks.
//!
//! In every family the object's type is that of the first argument's target, values are converted to it, and memory
//! orders are converted to `int`. The old `__sync_*` family has no orders, and adds to pointers in bytes, as do the
//! `__atomic_*`; only `__c11_atomic_*` counts in elements. The lowering knows that by the name.

use ir::Span;

use super::super::super::ast;
use super::super::super::typed::{Expr, ExprKind};
use super::super::super::types::{IntKind, QualType, Type, TypeId};
use super::super::{Checked, Checker};

/// What an argument of an atomic builtin is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The atomic object's address.
    Object,
    /// A value for the object.
    Value,
    /// A number to add or combine with the object's value.
    Operand,
    /// The address of a plain object of the same type.
    Place,
    /// A memory order, or the flag `weak`.
    Order,
    /// Any pointer, such as to a flag.
    Pointer,
    /// A size in bytes.
    Size,
}

/// What an atomic builtin returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Returns {
    Void,
    Bool,
    /// The object's value.
    Value,
}

type Shape = (&'static [Role], Returns);

const OPERATIONS: &[&str] = &["add", "sub", "and", "or", "xor", "nand", "min", "max"];

fn sync_shape(stem: &str) -> Option<Shape> {
    use Role::{Object, Operand, Value};
    let shape: Shape = match stem {
        "val_compare_and_swap" => (&[Object, Value, Value], Returns::Value),
        "bool_compare_and_swap" => (&[Object, Value, Value], Returns::Bool),
        "lock_test_and_set" => (&[Object, Value], Returns::Value),
        "lock_release" => (&[Object], Returns::Void),
        "synchronize" => (&[], Returns::Void),
        _ => {
            let operation = stem.strip_prefix("fetch_and_").or_else(|| stem.strip_suffix("_and_fetch"))?;
            (OPERATIONS.contains(&operation) || matches!(operation, "umin" | "umax"))
                .then_some((&[Object, Operand] as &[Role], Returns::Value))?
        }
    };
    Some(shape)
}

fn atomic_shape(stem: &str) -> Option<Shape> {
    use Role::{Object, Operand, Order, Place, Pointer, Value};
    let shape: Shape = match stem {
        "load_n" => (&[Object, Order], Returns::Value),
        "load" => (&[Object, Place, Order], Returns::Void),
        "store_n" => (&[Object, Value, Order], Returns::Void),
        "store" => (&[Object, Place, Order], Returns::Void),
        "exchange_n" => (&[Object, Value, Order], Returns::Value),
        "exchange" => (&[Object, Place, Place, Order], Returns::Void),
        "compare_exchange_n" => (&[Object, Place, Value, Order, Order, Order], Returns::Bool),
        "compare_exchange" => (&[Object, Place, Place, Order, Order, Order], Returns::Bool),
        "test_and_set" => (&[Pointer, Order], Returns::Bool),
        "clear" => (&[Pointer, Order], Returns::Void),
        "thread_fence" | "signal_fence" => (&[Order], Returns::Void),
        _ => {
            let operation = stem.strip_prefix("fetch_").or_else(|| stem.strip_suffix("_fetch"))?;
            OPERATIONS.contains(&operation).then_some((&[Object, Operand, Order] as &[Role], Returns::Value))?
        }
    };
    Some(shape)
}

fn c11_shape(stem: &str) -> Option<Shape> {
    use Role::{Object, Operand, Order, Place, Size, Value};
    let shape: Shape = match stem {
        "init" => (&[Object, Value], Returns::Void),
        "load" => (&[Object, Order], Returns::Value),
        "store" => (&[Object, Value, Order], Returns::Void),
        "exchange" => (&[Object, Value, Order], Returns::Value),
        "compare_exchange_strong" | "compare_exchange_weak" => (&[Object, Place, Value, Order, Order], Returns::Bool),
        "thread_fence" | "signal_fence" => (&[Order], Returns::Void),
        "is_lock_free" => (&[Size], Returns::Bool),
        _ => {
            let operation = stem.strip_prefix("fetch_")?;
            OPERATIONS.contains(&operation).then_some((&[Object, Operand, Order] as &[Role], Returns::Value))?
        }
    };
    Some(shape)
}

impl Checker {
    pub(super) fn sync_builtin(&mut self, stem: &str, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        let generic = stem
            .rsplit_once('_')
            .filter(|(_, size)| matches!(*size, "1" | "2" | "4" | "8" | "16"))
            .map_or(stem, |(generic, _)| generic);
        let name = format!("__sync_{generic}");
        let Some(shape) = sync_shape(generic) else {
            return Err(self.refuse(span, format!("the builtin __sync_{stem}")));
        };
        // What follows is a list of variables that the barrier is meant for; compilers ignore it.
        let arguments = &arguments[..arguments.len().min(shape.0.len())];
        self.shaped_builtin(&name, shape, arguments, span)
    }

    pub(super) fn atomic_builtin(&mut self, stem: &str, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        let name = format!("__atomic_{stem}");
        if matches!(stem, "always_lock_free" | "is_lock_free") {
            self.expect_arguments(&name, arguments, 2, span)?;
            let size = self.constant_integer(&arguments[0], "the size")?;
            let is_free = matches!(size, 1 | 2 | 4 | 8);
            return Ok(self.make_int(i128::from(is_free), IntKind::Bool, span));
        }
        match atomic_shape(stem) {
            Some(shape) => self.shaped_builtin(&name, shape, arguments, span),
            None => Err(self.refuse(span, format!("the builtin {name}"))),
        }
    }

    pub(super) fn c11_builtin(&mut self, stem: &str, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        let name = format!("__c11_atomic_{stem}");
        match c11_shape(stem) {
            Some(shape) => self.shaped_builtin(&name, shape, arguments, span),
            None => Err(self.refuse(span, format!("the builtin {name}"))),
        }
    }

    fn shaped_builtin(&mut self, name: &str, shape: Shape, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        let (roles, outcome) = shape;
        self.expect_arguments(name, arguments, roles.len(), span)?;
        let mut args = self.argument_values(arguments)?;
        let mut object = self.basic.void;
        for (role, arg) in roles.iter().zip(&mut args) {
            let value = arg.clone();
            *arg = match role {
                Role::Object => {
                    object = self.atomic_object(name, &value)?;
                    value
                }
                Role::Place | Role::Pointer => {
                    if !self.types.is_pointer(value.ty.ty) {
                        let ty = self.text(value.ty);
                        return Err(self.error(value.span, format!("{name} needs a pointer here, not {ty}")));
                    }
                    value
                }
                Role::Value => self.assign_to(value, QualType::plain(object), "this argument")?,
                Role::Operand => {
                    let ty = if self.types.is_pointer(object) { self.difference_type() } else { object };
                    self.explicit_cast(value, QualType::plain(ty), span)?
                }
                Role::Order => {
                    let int = QualType::plain(self.int_type(IntKind::Int));
                    self.assign_to(value, int, "this memory order")?
                }
                Role::Size => self.assign_to(value, QualType::plain(self.size_type()), "this size")?,
            };
        }
        let ty = match outcome {
            Returns::Void => self.basic.void,
            Returns::Bool => self.int_type(IntKind::Bool),
            Returns::Value => object,
        };
        Ok(self.make_builtin(name, args, ty, span))
    }

    /// The type of the object that an atomic builtin works on.
    fn atomic_object(&mut self, name: &str, pointer: &Expr) -> Checked<TypeId> {
        let pointee = self.types.pointee(pointer.ty.ty);
        match pointee {
            Some(pointee) if self.types.is_complete(pointee.ty) && !self.types.is_array(pointee.ty) => Ok(pointee.ty),
            _ => {
                let ty = self.text(pointer.ty);
                Err(self.error(pointer.span, format!("{name} needs a pointer to an object, not {ty}")))
            }
        }
    }

    /// `__builtin_add_overflow` and its like, the typed ones (`__builtin_saddl_overflow`) too.
    pub(super) fn overflow_builtin(
        &mut self,
        stem: &str,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Checked<Expr>> {
        let is_predicate = stem.ends_with("_overflow_p");
        let operation = stem.strip_suffix("_overflow").or_else(|| stem.strip_suffix("_overflow_p"))?;
        let (base, kind) = match operation {
            "add" | "sub" | "mul" => (operation, None),
            _ => {
                let is_signed = match operation.chars().next()? {
                    's' => true,
                    'u' => false,
                    _ => return None,
                };
                let base = operation.get(1..4).filter(|base| matches!(*base, "add" | "sub" | "mul"))?;
                let kind = match (is_signed, operation.get(4..)?) {
                    (true, "") => IntKind::Int,
                    (true, "l") => IntKind::Long,
                    (true, "ll") => IntKind::LongLong,
                    (false, "") => IntKind::UInt,
                    (false, "l") => IntKind::ULong,
                    (false, "ll") => IntKind::ULongLong,
                    _ => return None,
                };
                (base, Some(kind))
            }
        };
        let name = format!("__builtin_{base}_overflow{}", if is_predicate { "_p" } else { "" });
        Some(self.overflow_call(&name, kind, is_predicate, arguments, span))
    }

    fn overflow_call(
        &mut self,
        name: &str,
        kind: Option<IntKind>,
        is_predicate: bool,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Checked<Expr> {
        self.expect_arguments(name, arguments, 3, span)?;
        let mut args = self.argument_values(arguments)?;
        for arg in &mut args[..2] {
            if let Some(kind) = kind {
                let ty = QualType::plain(self.int_type(kind));
                *arg = self.assign_to(arg.clone(), ty, "this argument")?;
            }
            if !self.types.is_integer(arg.ty.ty) {
                return Err(self.no_arithmetic(arg.ty, arg.span));
            }
        }
        let target = &args[2];
        let result = if is_predicate { Some(target.ty) } else { self.types.pointee(target.ty.ty) };
        let is_integer = result.is_some_and(|ty| matches!(self.types.get(ty.ty), Type::Int(_)));
        if !is_integer {
            return Err(self.error(span, format!("{name} needs an integer to put its result in")));
        }
        let ty = self.int_type(IntKind::Bool);
        Ok(self.make(ExprKind::Builtin { name: name.to_string(), args }, ty, span))
    }
}
