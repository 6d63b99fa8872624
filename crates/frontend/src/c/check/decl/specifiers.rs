//! The base type of a declaration: keywords, typedef names, `typeof`, `_Atomic`, qualifiers, and the attributes that
//! change a type (`mode`, `vector_size`, `aligned`).
//!
//! Types that nothing here computes with (complex numbers, vectors, decimal and 128-bit floats) become `Type::Opaque`
//! of the right size, so that headers may declare what they like.

use ir::{DataModel, Span};

use super::super::super::ast::{self, AttributeKind, BuiltinType, Qualifiers, TypeSpecifier};
use super::super::super::types::{IntKind, QualType, Type, TypeId};
use super::super::scope::{Declared, Entity};
use super::super::{Checked, Checker, Reported};

/// What `aligned` without a number asks for.
const LARGEST_ALIGNMENT: u64 = 16;

impl Checker {
    /// The type that specifiers name. `is_alone` says that no declarator follows.
    pub(in super::super) fn base_type(
        &mut self,
        specifiers: &ast::DeclSpecifiers,
        is_alone: bool,
    ) -> Checked<Declared> {
        let span = specifiers.span;
        let mut align = None;
        let ty = match &specifiers.type_specifier {
            TypeSpecifier::Builtin(builtin) => QualType::plain(self.builtin_type(*builtin)),
            TypeSpecifier::Complex(part) => {
                let part = self.builtin_type(*part);
                let name = format!("_Complex {}", self.types.plain_text(part));
                let (size, part_align) = (self.types.size(part).unwrap_or(8), self.types.align(part));
                QualType::plain(self.opaque(&name, size * 2, part_align))
            }
            TypeSpecifier::Record(spec) => QualType::plain(self.record_type(spec, is_alone && spec.members.is_none())?),
            TypeSpecifier::Enum(spec) => QualType::plain(self.enum_type(spec, is_alone)?),
            TypeSpecifier::TypedefName(name) => match self.scopes.entity(name) {
                Some(Entity::Typedef(declared)) => {
                    align = declared.align;
                    declared.ty
                }
                Some(Entity::Broken) => return Err(Reported),
                _ => return Err(self.error(span, format!("{name} is not a type"))),
            },
            TypeSpecifier::TypeofExpr(expr) => self.without_evaluating(|checker| checker.expr(expr))?.ty,
            TypeSpecifier::TypeofType(type_name) => {
                let declared = self.without_evaluating(|checker| checker.declared_type_name(type_name))?;
                align = declared.align;
                declared.ty
            }
            TypeSpecifier::Atomic(type_name) => {
                let ty = self.type_name(type_name)?;
                QualType { is_atomic: true, ..ty }
            }
            TypeSpecifier::Auto => {
                return Err(self.error(span, "__auto_type needs an initialiser to take its type from"));
            }
            TypeSpecifier::ImplicitInt => QualType::plain(self.int_type(IntKind::Int)),
        };
        let ty = self.qualify(ty, specifiers.qualifiers);
        Ok(Declared { ty, align })
    }

    /// A type with further qualifiers; those of an array belong to its elements.
    pub(super) fn qualify(&mut self, ty: QualType, qualifiers: Qualifiers) -> QualType {
        if !(qualifiers.is_const || qualifiers.is_volatile || qualifiers.is_atomic) {
            return ty;
        }
        match self.types.get(ty.ty).clone() {
            Type::Array { element, len } => {
                let element = self.qualify(element, qualifiers);
                QualType { ty: self.types.intern(Type::Array { element, len }), ..ty }
            }
            Type::VariableArray { element } => {
                let element = self.qualify(element, qualifiers);
                QualType { ty: self.types.intern(Type::VariableArray { element }), ..ty }
            }
            _ => QualType {
                ty: ty.ty,
                is_const: ty.is_const || qualifiers.is_const,
                is_volatile: ty.is_volatile || qualifiers.is_volatile,
                is_atomic: ty.is_atomic || qualifiers.is_atomic,
            },
        }
    }

    fn builtin_type(&mut self, builtin: BuiltinType) -> TypeId {
        let kind = match builtin {
            BuiltinType::Bool => IntKind::Bool,
            BuiltinType::Char => IntKind::Char,
            BuiltinType::SignedChar => IntKind::SChar,
            BuiltinType::UnsignedChar => IntKind::UChar,
            BuiltinType::Short => IntKind::Short,
            BuiltinType::UnsignedShort => IntKind::UShort,
            BuiltinType::Int => IntKind::Int,
            BuiltinType::UnsignedInt => IntKind::UInt,
            BuiltinType::Long => IntKind::Long,
            BuiltinType::UnsignedLong => IntKind::ULong,
            BuiltinType::LongLong => IntKind::LongLong,
            BuiltinType::UnsignedLongLong => IntKind::ULongLong,
            BuiltinType::Int128 => IntKind::Int128,
            BuiltinType::UnsignedInt128 => IntKind::UInt128,
            other => return self.other_builtin_type(other),
        };
        self.int_type(kind)
    }

    fn other_builtin_type(&mut self, builtin: BuiltinType) -> TypeId {
        match builtin {
            BuiltinType::Float | BuiltinType::Float32 => self.basic.float,
            BuiltinType::Double | BuiltinType::Float64 | BuiltinType::Float32x => self.basic.double,
            BuiltinType::LongDouble | BuiltinType::Float64x => self.basic.long_double,
            BuiltinType::Float16 => self.opaque("_Float16", 2, 2),
            BuiltinType::BFloat16 => self.opaque("__bf16", 2, 2),
            BuiltinType::Float128 => self.opaque("_Float128", 16, 16),
            BuiltinType::Decimal32 => self.opaque("_Decimal32", 4, 4),
            BuiltinType::Decimal64 => self.opaque("_Decimal64", 8, 8),
            BuiltinType::Decimal128 => self.opaque("_Decimal128", 16, 16),
            BuiltinType::VaList => self.types.intern(Type::VaList),
            _ => self.basic.void,
        }
    }

    /// Attributes that make another base type of the one the keywords name.
    pub(super) fn apply_type_attributes<'a>(
        &mut self,
        declared: Declared,
        attributes: impl Iterator<Item = &'a ast::Attribute>,
    ) -> Checked<Declared> {
        let mut declared = declared;
        for attribute in attributes {
            match &attribute.kind {
                AttributeKind::Mode(mode) => declared.ty.ty = self.with_mode(declared.ty.ty, mode, attribute.span)?,
                AttributeKind::VectorSize(bytes) => {
                    let bytes = self.constant_integer(bytes, "the size of a vector")?;
                    let Ok(size) = u64::try_from(bytes) else {
                        return Err(self.error(attribute.span, "the size of a vector must be positive"));
                    };
                    let name = format!("vector of {size} bytes of {}", self.types.plain_text(declared.ty.ty));
                    declared.ty.ty = self.opaque(&name, size, size.clamp(1, 1 << 16).next_power_of_two());
                }
                AttributeKind::TransparentUnion => {
                    if let Type::Record(record) = *self.types.get(declared.ty.ty) {
                        self.transparent.insert(record);
                    }
                }
                _ => {}
            }
        }
        Ok(declared)
    }

    fn with_mode(&mut self, ty: TypeId, mode: &str, span: Span) -> Checked<TypeId> {
        match mode {
            "SF" => return Ok(self.basic.float),
            "DF" => return Ok(self.basic.double),
            "XF" => return Ok(self.basic.long_double),
            "TF" => return Ok(self.opaque("_Float128", 16, 16)),
            _ => {}
        }
        let kind = self.types.int_kind(ty).and_then(|kind| self.mode_kind(mode, kind));
        match kind {
            Some(kind) => Ok(self.int_type(kind)),
            None => Err(self.refuse(span, format!("the attribute mode({mode})"))),
        }
    }

    /// The integer type of a machine mode, as signed as `like`.
    pub(super) fn mode_kind(&self, mode: &str, like: IntKind) -> Option<IntKind> {
        let is_wide = self.data_model() == DataModel::Lp64;
        let signed = match mode {
            "QI" | "byte" => IntKind::SChar,
            "HI" => IntKind::Short,
            "SI" => IntKind::Int,
            "word" | "pointer" if !is_wide => IntKind::Int,
            "DI" | "word" | "pointer" if is_wide => IntKind::Long,
            "DI" => IntKind::LongLong,
            "TI" => IntKind::Int128,
            _ => return None,
        };
        Some(if like.is_signed() { signed } else { signed.to_unsigned() })
    }

    /// The strictest `aligned` among attributes.
    pub(super) fn attribute_alignment(&mut self, attributes: &[ast::Attribute]) -> Option<u64> {
        let mut strictest = None;
        for attribute in attributes {
            if let AttributeKind::Aligned(asked) = &attribute.kind {
                let align = match asked {
                    None => Some(LARGEST_ALIGNMENT),
                    Some(alignment) => self.alignment_value(alignment, attribute.span),
                };
                strictest = strictest.max(align);
            }
        }
        strictest
    }

    /// The alignment that a declaration asks for by attributes and `_Alignas`.
    pub(super) fn declared_alignment(
        &mut self,
        specifiers: &ast::DeclSpecifiers,
        declarator: &ast::Declarator,
    ) -> Option<u64> {
        let mut strictest = self.attribute_alignment(&specifiers.attributes);
        strictest = strictest.max(self.attribute_alignment(&declarator.attributes));
        for alignment in &specifiers.alignments {
            strictest = strictest.max(self.alignment_value(alignment, specifiers.span));
        }
        strictest
    }

    fn alignment_value(&mut self, alignment: &ast::Alignment, span: Span) -> Option<u64> {
        let value = match alignment {
            ast::Alignment::Type(type_name) => {
                let declared = self.declared_type_name(type_name).ok()?;
                return Some(declared.align.unwrap_or_else(|| self.alignment(declared.ty, false)));
            }
            ast::Alignment::Expr(expr) => self.constant_integer(expr, "an alignment").ok()?,
        };
        match u64::try_from(value) {
            Ok(0) => None,
            Ok(value) if value.is_power_of_two() && value <= 1 << 28 => Some(value),
            _ => {
                self.error(span, "an alignment must be a power of two");
                None
            }
        }
    }
}
