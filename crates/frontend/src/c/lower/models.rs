//! Is a function that the program declares the one that a library model defines?
//!
//! Models are found by name. A program may declare a function of its own by such a name and leave it without a body; then the model
//! is not meant, and the call is refused like any other of a function without a body.

use super::context::{FunctionRef, Lowering, SymbolRef};
use crate::c::check::CLEANUP_PUSH;
use crate::c::types::{Type, TypeId, Types};
use std::cmp::Ordering;

/// What a parameter is, as far as models tell types apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Pointer,
    /// An integer that can hold a pointer.
    Word,
    Integer,
    Float,
    /// A union that is passed like its member, as `<sys/socket.h>` has it.
    WordRecord,
    Other,
}

fn class(types: &Types, ty: TypeId) -> Class {
    let word = u64::from(types.data_model.word_bits() / 8);
    match types.get(ty) {
        Type::Pointer(_) | Type::Array { .. } => Class::Pointer,
        Type::Float | Type::Double | Type::LongDouble => Class::Float,
        Type::Record(_) if types.size(ty) == Some(word) => Class::WordRecord,
        _ => match types.int_kind(ty) {
            Some(kind) if kind.size(types.data_model) == word => Class::Word,
            Some(_) => Class::Integer,
            None => Class::Other,
        },
    }
}

fn fits(declared: Class, modelled: Class) -> bool {
    match modelled {
        Class::Pointer => matches!(declared, Class::Pointer | Class::Word | Class::WordRecord),
        Class::Word => matches!(declared, Class::Pointer | Class::Word | Class::Integer | Class::WordRecord),
        Class::Integer => matches!(declared, Class::Integer | Class::Word),
        Class::Float => declared == Class::Float,
        Class::WordRecord | Class::Other => false,
    }
}

impl Lowering<'_> {
    /// Whether a program's declaration can mean a function of the models.
    pub(super) fn is_declared_alike(&self, declared: SymbolRef, model: FunctionRef) -> bool {
        let (own, theirs) = (&self.units[declared.unit].types, &self.units[model.unit].types);
        let symbol = SymbolRef { unit: model.unit, symbol: self.function(model).symbol };
        let (own_type, model_type) = (own.get(self.symbol(declared).ty.ty), theirs.get(self.symbol(symbol).ty.ty));
        let (
            Type::Function { params, is_unprototyped, is_variadic, .. },
            Type::Function { params: wanted, is_variadic: takes_more, .. },
        ) = (own_type, model_type)
        else {
            return false;
        };
        let is_count_right = match params.len().cmp(&wanted.len()) {
            Ordering::Less => *is_variadic || &*self.symbol(declared).name == CLEANUP_PUSH,
            Ordering::Equal => true,
            Ordering::Greater => *takes_more,
        };
        let mut pairs = params.iter().zip(wanted);
        *is_unprototyped
            || is_count_right && pairs.all(|(own_ty, ty)| fits(class(own, own_ty.ty), class(theirs, ty.ty)))
    }
}
