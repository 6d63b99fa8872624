//! When are two types compatible, and which type do two declarations of one thing have together?
//!
//! Types are interned, so equal types have equal ids; what is left are the cases where different types agree: an
//! enum and its integer type, an array with and without its length, a function with and without a prototype.

use super::super::types::{QualType, Type, TypeId};
use super::Checker;

impl Checker {
    /// Compatible, qualifiers included.
    pub(super) fn compatible(&self, left: QualType, right: QualType) -> bool {
        (left.is_const, left.is_volatile, left.is_atomic) == (right.is_const, right.is_volatile, right.is_atomic)
            && self.compatible_plain(left.ty, right.ty)
    }

    /// Compatible, without looking at the outermost qualifiers.
    pub(super) fn compatible_plain(&self, left: TypeId, right: TypeId) -> bool {
        if left == right {
            return true;
        }
        match (self.types.get(left), self.types.get(right)) {
            (Type::Enum(_), Type::Int(_)) | (Type::Int(_), Type::Enum(_)) => {
                self.types.int_kind(left) == self.types.int_kind(right)
            }
            (Type::Pointer(left), Type::Pointer(right)) => self.compatible(*left, *right),
            (Type::Array { element: left, len: left_len }, Type::Array { element: right, len: right_len }) => {
                self.compatible(*left, *right)
                    && match (left_len, right_len) {
                        (Some(left), Some(right)) => left == right,
                        _ => true,
                    }
            }
            (Type::VariableArray { element: left }, Type::VariableArray { element: right })
            | (Type::VariableArray { element: left }, Type::Array { element: right, .. })
            | (Type::Array { element: left, .. }, Type::VariableArray { element: right }) => {
                self.compatible(*left, *right)
            }
            (
                Type::Function {
                    result: left,
                    params: left_params,
                    is_variadic: left_variadic,
                    is_unprototyped: left_open,
                },
                Type::Function {
                    result: right,
                    params: right_params,
                    is_variadic: right_variadic,
                    is_unprototyped: right_open,
                },
            ) => {
                if !self.compatible_plain(left.ty, right.ty) {
                    return false;
                }
                if *left_open || *right_open {
                    return true;
                }
                left_variadic == right_variadic
                    && left_params.len() == right_params.len()
                    && left_params
                        .iter()
                        .zip(right_params)
                        .all(|(left, right)| self.compatible_plain(left.ty, right.ty))
            }
            _ => false,
        }
    }

    /// The type of something declared with both of these compatible types.
    pub(super) fn composite(&mut self, left: QualType, right: QualType) -> QualType {
        QualType { ty: self.composite_plain(left.ty, right.ty), ..left }
    }

    fn composite_plain(&mut self, left: TypeId, right: TypeId) -> TypeId {
        if left == right {
            return left;
        }
        match (self.types.get(left).clone(), self.types.get(right).clone()) {
            (Type::Pointer(left_inner), Type::Pointer(right_inner)) => {
                let pointee = self.composite(left_inner, right_inner);
                self.pointer_to(pointee)
            }
            (
                Type::Array { element: left_element, len: left_len },
                Type::Array { element: right_element, len: right_len },
            ) => {
                let element = self.composite(left_element, right_element);
                self.types.intern(Type::Array { element, len: left_len.or(right_len) })
            }
            (Type::Function { is_unprototyped: true, .. }, Type::Function { .. }) => right,
            (
                Type::Function { result, params, is_variadic, is_unprototyped: false },
                Type::Function { result: other_result, params: other_params, is_unprototyped: false, .. },
            ) => {
                let result = self.composite(result, other_result);
                let params =
                    params.iter().zip(&other_params).map(|(left, right)| self.composite(*left, *right)).collect();
                self.types.intern(Type::Function { result, params, is_variadic, is_unprototyped: false })
            }
            _ => left,
        }
    }
}
