//! Where do the members of a struct or union lie? The System V ABI as gcc implements it, for i386 and x86-64.
//!
//! Ordinary members go to the next multiple of their alignment. A bit-field goes to the next free bit, unless it would
//! then touch more units of its type's alignment than the type itself has; then it starts a new unit. A bit-field of
//! width zero moves on to the next unit. Unnamed bit-fields do not raise the alignment of the record. In packed
//! records ordinary members have alignment one and bit-fields follow each other without gaps.
//!
//! Invariant: a bit-field's `offset` and first bit name its lowest bit, and wherever possible all its bits lie in
//! the `size` bytes at `offset`. Only packed bit-fields can straddle; then `first + width` exceeds the type's bits.

use super::super::super::types::{Field, QualType};

/// A member before it has a place.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) name: Option<String>,
    pub(super) ty: QualType,
    /// Bytes of the type; 0 for a flexible array.
    pub(super) size: u64,
    /// Alignment of the type within records.
    pub(super) align: u64,
    /// Alignment asked for on the member itself.
    pub(super) asked_align: Option<u64>,
    pub(super) is_packed: bool,
    /// The largest alignment that `#pragma pack` allows.
    pub(super) cap: Option<u64>,
    /// The width of a bit-field.
    pub(super) width: Option<u32>,
}

/// The result for a whole record.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) fields: Vec<Field>,
    pub(super) size: u64,
    pub(super) align: u64,
}

/// Gives every member its place. `asked_align` is the alignment asked for on the record.
pub(super) fn lay_out(plans: &[Plan], is_union: bool, asked_align: Option<u64>) -> Layout {
    let mut fields = Vec::new();
    let mut align = asked_align.unwrap_or(1).max(1);
    // Positions in bits; wide enough for any sum of sizes.
    let mut end = 0u128;
    for plan in plans {
        let start = if is_union { 0 } else { end };
        let (position, used) = match plan.width {
            Some(width) => {
                let position = bit_field_position(plan, width, start);
                if plan.name.is_some() {
                    align = align.max(effective_align(plan));
                }
                (position, u128::from(width))
            }
            None => {
                let member_align = effective_align(plan);
                align = align.max(member_align);
                (round_up(start, u128::from(member_align) * 8), u128::from(plan.size) * 8)
            }
        };
        end = end.max(position + used);
        match plan.width {
            // Padding has no contents.
            Some(_) if plan.name.is_none() => {}
            Some(width) => fields.push(bit_field(plan, width, position)),
            None => {
                let offset = u64::try_from(position / 8).unwrap_or(u64::MAX);
                fields.push(Field { name: plan.name.clone(), ty: plan.ty, offset, bits: None });
            }
        }
    }
    let size = round_up(end, u128::from(align) * 8) / 8;
    Layout { fields, size: u64::try_from(size).unwrap_or(u64::MAX), align }
}

fn round_up(position: u128, unit: u128) -> u128 {
    position.div_ceil(unit.max(1)) * unit.max(1)
}

fn effective_align(plan: &Plan) -> u64 {
    // For bit-fields gcc lets the pragma win over the attribute.
    let is_packed = plan.is_packed && (plan.width.is_none() || plan.cap.is_none());
    let natural = if is_packed { 1 } else { plan.align };
    natural.max(plan.asked_align.unwrap_or(1)).min(plan.cap.unwrap_or(u64::MAX)).max(1)
}

fn bit_field_position(plan: &Plan, width: u32, start: u128) -> u128 {
    let unit = u128::from(plan.align.max(1)) * 8;
    if width == 0 {
        return round_up(start, unit.max(u128::from(plan.asked_align.unwrap_or(1)) * 8));
    }
    let asked = plan.asked_align.map(|align| align.min(plan.cap.unwrap_or(align)));
    let start = round_up(start, asked.map_or(1, |align| u128::from(align) * 8));
    // As gcc has it, the pragma stops bit-fields from starting new units, whatever its number.
    if plan.is_packed || plan.cap.is_some() {
        return start;
    }
    let units_touched = (start % unit + u128::from(width)).div_ceil(unit);
    let units_of_type = u128::from(plan.size) * 8 / unit;
    if units_touched > units_of_type { round_up(start, unit) } else { start }
}

/// The field with its storage unit: aligned to its own size if all bits fit there, else from the first byte it touches.
fn bit_field(plan: &Plan, width: u32, position: u128) -> Field {
    let unit = u128::from(plan.size.max(1)) * 8;
    let in_unit = position % unit + u128::from(width) <= unit;
    let base = if in_unit { position / unit * unit } else { position / 8 * 8 };
    let offset = u64::try_from(base / 8).unwrap_or(u64::MAX);
    Field { name: plan.name.clone(), ty: plan.ty, offset, bits: Some(((position - base) as u32, width)) }
}
