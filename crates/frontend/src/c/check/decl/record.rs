//! Structs, unions and enums: tags, members, constants.
//!
//! A tag with a body defines a type in the current scope, completing an earlier mention there; a tag without one
//! refers to whatever is visible, or announces a new type. Enums get the integer type that gcc gives them:
//! `unsigned int` if no constant is negative, `int` otherwise, and wider types only when a constant needs them.

use ir::{DataModel, Span};

use super::super::super::ast::{self, AttributeKind, Name};
use super::super::super::types::{Enum, EnumId, Field, IntKind, QualType, Record, RecordId, Type, TypeId};
use super::super::scope::{Declared, Entity, Tag};
use super::super::{Checked, Checker};
use super::layout::{Placed, Plan, lay_out};

/// Larger objects than this are mistakes.
const SIZE_LIMIT: u64 = 1 << 47;

impl Checker {
    /// `is_alone` says that nothing is declared but the tag, which then belongs to the current scope.
    pub(super) fn record_type(&mut self, spec: &ast::RecordSpecifier, is_alone: bool) -> Checked<TypeId> {
        let is_union = spec.kind == ast::RecordKind::Union;
        let id = self.record_for_tag(spec, is_union, is_alone)?;
        if let Some(members) = &spec.members {
            if self.types.record(id).fields.is_some() {
                let tag = spec.tag.as_ref().map_or("", |tag| tag.as_str());
                return Err(self.error(spec.span, format!("{tag} is defined twice in this scope")));
            }
            self.define_record(id, spec, members, is_union);
        }
        Ok(self.types.intern(Type::Record(id)))
    }

    fn record_for_tag(&mut self, spec: &ast::RecordSpecifier, is_union: bool, is_alone: bool) -> Checked<RecordId> {
        let Some(tag) = &spec.tag else { return Ok(self.add_record(None, is_union, spec.span)) };
        let belongs_here = spec.members.is_some() || is_alone;
        let known = if belongs_here { self.scopes.tag_here(tag) } else { self.scopes.tag(tag) };
        match known {
            Some(Tag::Record(id)) if self.types.record(id).is_union == is_union => Ok(id),
            Some(_) => Err(self.error(spec.span, format!("{tag} is the tag of another kind of type"))),
            None => {
                let id = self.add_record(Some(tag), is_union, spec.span);
                self.scopes.innermost().declare_tag(tag.clone(), Tag::Record(id));
                Ok(id)
            }
        }
    }

    fn add_record(&mut self, tag: Option<&Name>, is_union: bool, span: Span) -> RecordId {
        let tag = tag.map(|tag| tag.to_string());
        self.types.records.push(Record { tag, is_union, fields: None, size: 0, align: 1, span });
        RecordId(self.types.records.len() as u32 - 1)
    }

    fn define_record(&mut self, id: RecordId, spec: &ast::RecordSpecifier, members: &[ast::Member], is_union: bool) {
        let is_packed = has_packed(&spec.attributes);
        let cap = spec.attributes.iter().find_map(|attribute| match attribute.kind {
            AttributeKind::PragmaPack(cap) => Some(u64::from(cap)),
            _ => None,
        });
        let mut plans = Vec::new();
        for member in members {
            match member {
                ast::Member::StaticAssert(assertion) => self.static_assert(assertion),
                // A member that is wrong has been reported; the others are still worth knowing.
                ast::Member::Field(field) => {
                    let _ = self.plan_members(field, is_packed, &mut plans);
                }
            }
        }
        plans.iter_mut().for_each(|plan| plan.cap = cap);
        self.check_member_names(&plans, spec.span);
        let asked = self.attribute_alignment(&spec.attributes);
        let layout = lay_out(&plans, is_union, asked);
        if layout.size > SIZE_LIMIT {
            self.error(spec.span, "this type is too large");
        }
        let fields = layout.fields.into_iter().map(|placed| self.field(placed)).collect();
        let record = &mut self.types.records[id.0 as usize];
        record.fields = Some(fields);
        record.size = layout.size.min(SIZE_LIMIT);
        record.align = layout.align;
        if spec.attributes.iter().any(|attribute| attribute.kind == AttributeKind::TransparentUnion) {
            self.transparent.insert(id);
        }
    }

    /// A placed member with the type of its storage.
    fn field(&mut self, placed: Placed) -> Field {
        let Placed { name, ty: value_ty, offset, bits, unit, run: location } = placed;
        let mut ty = value_ty;
        let kind = self.types.int_kind(value_ty.ty);
        if let (Some((first, width)), Some(kind)) = (bits, kind) {
            ty.ty = match unit {
                Some(unit) if Some(unit) == self.types.size(value_ty.ty) => value_ty.ty,
                Some(unit) => self.int_type(unit_kind(unit, kind.is_signed())),
                None => {
                    let element = QualType::plain(self.int_type(IntKind::UChar));
                    let len = Some(u64::from((first + width).div_ceil(8)));
                    self.types.intern(Type::Array { element, len })
                }
            };
        }
        Field { name, ty, offset, bits, location, value_ty }
    }

    fn plan_members(
        &mut self,
        declaration: &ast::FieldDeclaration,
        is_packed: bool,
        plans: &mut Vec<Plan>,
    ) -> Checked<()> {
        let specifiers = &declaration.specifiers;
        let is_alone = declaration.declarators.is_empty();
        let base = self.base_type(specifiers, is_alone)?;
        if is_alone {
            let is_anonymous = match self.types.get(base.ty.ty) {
                Type::Record(id) => self.types.record(*id).tag.is_none(),
                _ => false,
            };
            if is_anonymous {
                let packed = is_packed || has_packed(&specifiers.attributes);
                let plan = self.plan(None, base, None, packed, None);
                plans.push(plan);
            }
            return Ok(());
        }
        for field in &declaration.declarators {
            let declared = self.derive(base, &field.declarator, specifiers, false)?.declared;
            let span = field.declarator.span;
            let name = field.declarator.name.as_ref().map(|name| name.to_string());
            let asked = self.declared_alignment(specifiers, &field.declarator);
            let packed = is_packed || has_packed(&specifiers.attributes) || has_packed(&field.declarator.attributes);
            let width = match &field.bit_width {
                Some(width) => Some(self.bit_width(width, declared.ty, name.is_some(), span)?),
                None => None,
            };
            self.check_member_type(declared.ty, span)?;
            let plan = self.plan(name, declared, asked, packed, width);
            plans.push(plan);
        }
        Ok(())
    }

    fn plan(
        &mut self,
        name: Option<String>,
        declared: Declared,
        asked_align: Option<u64>,
        is_packed: bool,
        width: Option<u32>,
    ) -> Plan {
        let size = self.size_of(declared.ty).unwrap_or(0);
        let align = declared.align.unwrap_or_else(|| self.align_of(declared.ty));
        Plan { name, ty: declared.ty, size, align, asked_align, is_packed, cap: None, width }
    }

    fn check_member_type(&mut self, ty: QualType, span: Span) -> Checked<()> {
        let is_flexible = matches!(self.types.get(ty.ty), Type::Array { element, len: None }
            if self.types.is_complete(element.ty));
        if self.is_variable(ty.ty) {
            return Err(self.refuse(span, "members whose length is computed at run time"));
        }
        if !is_flexible && !self.types.is_complete(ty.ty) {
            let name = self.text(ty);
            return Err(self.error(span, format!("a member cannot have the incomplete type {name}")));
        }
        Ok(())
    }

    fn bit_width(&mut self, width: &ast::Expr, ty: QualType, is_named: bool, span: Span) -> Checked<u32> {
        let value = self.constant_integer(width, "the width of a bit-field")?;
        let Some(kind) = self.types.int_kind(ty.ty) else {
            let name = self.text(ty);
            return Err(self.error(span, format!("a bit-field must be an integer, not {name}")));
        };
        let limit = if kind == IntKind::Bool { 1 } else { kind.bits(self.data_model()) };
        match u32::try_from(value) {
            Ok(0) if is_named => Err(self.error(span, "a bit-field with a name cannot have width zero")),
            Ok(width) if width <= limit => Ok(width),
            _ => Err(self.error(span, format!("the width of this bit-field must be between 0 and {limit}"))),
        }
    }

    fn check_member_names(&mut self, plans: &[Plan], span: Span) {
        let mut names: Vec<&str> = plans.iter().filter_map(|plan| plan.name.as_deref()).collect();
        names.sort_unstable();
        let repeated = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].to_string());
        if let Some(name) = repeated {
            self.error(span, format!("two members have the name {name}"));
        }
    }

    pub(super) fn enum_type(&mut self, spec: &ast::EnumSpecifier, is_alone: bool) -> Checked<TypeId> {
        let fixed = match &spec.underlying {
            Some(type_name) => {
                let ty = self.type_name(type_name)?;
                match self.types.int_kind(ty.ty) {
                    Some(kind) => Some(kind),
                    None => return Err(self.error(spec.span, "the type below an enum must be an integer type")),
                }
            }
            None => None,
        };
        let id = self.enum_for_tag(spec, is_alone, fixed)?;
        if let Some(enumerators) = &spec.enumerators {
            if !self.types.enums[id.0 as usize].constants.is_empty() {
                let tag = spec.tag.as_ref().map_or("", |tag| tag.as_str());
                return Err(self.error(spec.span, format!("{tag} is defined twice in this scope")));
            }
            self.define_enum(id, enumerators, fixed, &spec.attributes);
        }
        Ok(self.types.intern(Type::Enum(id)))
    }

    fn enum_for_tag(&mut self, spec: &ast::EnumSpecifier, is_alone: bool, fixed: Option<IntKind>) -> Checked<EnumId> {
        let known = match &spec.tag {
            Some(tag) if spec.enumerators.is_some() || is_alone => self.scopes.tag_here(tag),
            Some(tag) => self.scopes.tag(tag),
            None => None,
        };
        match known {
            Some(Tag::Enum(id)) => return Ok(id),
            Some(Tag::Record(_)) => return Err(self.error(spec.span, "this tag is that of a struct or union")),
            None => {}
        }
        let underlying = fixed.unwrap_or(IntKind::UInt);
        let tag = spec.tag.as_ref().map(|tag| tag.to_string());
        self.types.enums.push(Enum { tag, underlying, constants: Vec::new() });
        let id = EnumId(self.types.enums.len() as u32 - 1);
        if let Some(tag) = &spec.tag {
            self.scopes.innermost().declare_tag(tag.clone(), Tag::Enum(id));
        }
        Ok(id)
    }

    fn define_enum(
        &mut self,
        id: EnumId,
        enumerators: &[ast::Enumerator],
        fixed: Option<IntKind>,
        attributes: &[ast::Attribute],
    ) {
        let mut constants: Vec<(String, i128)> = Vec::new();
        let mut next = 0i128;
        for enumerator in enumerators {
            if let Some(value) = &enumerator.value {
                next = self.constant_integer(value, "the value of an enumeration constant").unwrap_or(next);
            }
            if matches!(self.scopes.entity_here(&enumerator.name), Some(Entity::Constant { .. } | Entity::Typedef(_))) {
                self.error(enumerator.span, format!("{} is declared twice in this scope", enumerator.name));
            }
            let ty = self.constant_type(next, fixed);
            self.scopes.innermost().declare(enumerator.name.clone(), Entity::Constant { value: next, ty });
            constants.push((enumerator.name.to_string(), next));
            next = next.wrapping_add(1);
        }
        let underlying = fixed.unwrap_or_else(|| {
            let mode = attributes.iter().find_map(|attribute| match &attribute.kind {
                AttributeKind::Mode(mode) => self.mode_kind(mode, IntKind::UInt),
                _ => None,
            });
            mode.unwrap_or_else(|| enum_kind(&constants, has_packed(attributes), self.data_model()))
        });
        // Constants that do not fit into int have the enum's own type once that is known.
        let enum_type = self.types.intern(Type::Enum(id));
        for (enumerator, (_, value)) in enumerators.iter().zip(&constants) {
            if fixed.is_none() && IntKind::Int.wrap(*value, self.data_model()) != *value {
                let entity = Entity::Constant { value: *value, ty: enum_type };
                self.scopes.innermost().declare(enumerator.name.clone(), entity);
            }
        }
        let defined = &mut self.types.enums[id.0 as usize];
        defined.underlying = underlying;
        defined.constants = constants;
    }

    /// The type of an enumeration constant while its enum is still being defined.
    fn constant_type(&self, value: i128, fixed: Option<IntKind>) -> TypeId {
        let kinds = [IntKind::Int, IntKind::UInt, IntKind::LongLong, IntKind::ULongLong];
        let fits = |kind: &IntKind| kind.wrap(value, self.data_model()) == value;
        self.int_type(fixed.unwrap_or_else(|| kinds.into_iter().find(fits).unwrap_or(IntKind::LongLong)))
    }
}

/// The integer type of a storage unit.
fn unit_kind(bytes: u64, is_signed: bool) -> IntKind {
    let signed = match bytes {
        1 => IntKind::SChar,
        2 => IntKind::Short,
        4 => IntKind::Int,
        3 => IntKind::Bytes3,
        5 => IntKind::Bytes5,
        6 => IntKind::Bytes6,
        7 => IntKind::Bytes7,
        9 => IntKind::Bytes9,
        _ => IntKind::LongLong,
    };
    if is_signed { signed } else { signed.to_unsigned() }
}

/// The integer type that gcc gives an enum with these constants.
fn enum_kind(constants: &[(String, i128)], is_packed: bool, model: DataModel) -> IntKind {
    let has_negative = constants.iter().any(|(_, value)| *value < 0);
    let small: &[IntKind] = match (is_packed, has_negative) {
        (false, _) => &[],
        (true, true) => &[IntKind::SChar, IntKind::Short],
        (true, false) => &[IntKind::UChar, IntKind::UShort],
    };
    let large = match (has_negative, model) {
        (true, DataModel::Lp64) => [IntKind::Int, IntKind::Long],
        (true, DataModel::Ilp32) => [IntKind::Int, IntKind::LongLong],
        (false, DataModel::Lp64) => [IntKind::UInt, IntKind::ULong],
        (false, DataModel::Ilp32) => [IntKind::UInt, IntKind::ULongLong],
    };
    let fits = |kind: &IntKind| constants.iter().all(|(_, value)| kind.wrap(*value, model) == *value);
    small.iter().chain(&large).copied().find(fits).unwrap_or(large[1])
}

/// Whether `packed` is among attributes.
pub(super) fn has_packed(attributes: &[ast::Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.kind == AttributeKind::Packed)
}
