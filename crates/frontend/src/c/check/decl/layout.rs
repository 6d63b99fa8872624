//! Where do the members of a struct or union lie? The System V ABI as gcc implements it, for i386 and x86-64.
//!
//! Ordinary members go to the next multiple of their alignment. A bit-field goes to the next free bit, unless it would
//! then touch more units of its type's alignment than the type itself has; then it starts a new unit. A bit-field of
//! width zero moves on to the next unit. Unnamed bit-fields do not raise the alignment of the record. In packed
//! records ordinary members have alignment one and bit-fields follow each other without gaps.
//!
//! A bit-field is accessed by a storage unit of 1, 2, 4 or 8 bytes, or else of 3, 5, 6, 7 or 9. Adjacent bit-fields are one memory location in C11,
//! everything else is another one that must not be touched; so a unit must lie between the neighbours of its run of
//! bit-fields. Units of the declared type's size are preferred, so that fields that can share a unit do.
//!
//! Invariant: `offset` and first bit name a bit-field's lowest bit; all its bits lie in the unit, if it has one.

use super::super::super::types::QualType;

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

/// A member with its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) name: Option<String>,
    pub(super) ty: QualType,
    pub(super) offset: u64,
    pub(super) bits: Option<(u32, u32)>,
    /// Bytes of a bit-field's storage unit; `None` if no unit holds it without touching a neighbour.
    pub(super) unit: Option<u64>,
    /// Where a bit-field's run of adjacent bit-fields begins, which is one memory location.
    pub(super) run: u64,
}

/// The result for a whole record.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) fields: Vec<Placed>,
    pub(super) size: u64,
    pub(super) align: u64,
}

/// A member with its position in bits.
struct Spot<'a> {
    plan: &'a Plan,
    position: u128,
    width: u128,
}

/// Gives every member its place. `asked_align` is the alignment asked for on the record.
pub(super) fn lay_out(plans: &[Plan], is_union: bool, asked_align: Option<u64>) -> Layout {
    let mut spots = Vec::new();
    let mut align = asked_align.unwrap_or(1).max(1);
    // Positions in bits; wide enough for any sum of sizes.
    let mut end = 0u128;
    for plan in plans {
        let start = if is_union { 0 } else { end };
        let (position, width) = match plan.width {
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
        end = end.max(position + width);
        spots.push(Spot { plan, position, width });
    }
    let size = round_up(end, u128::from(align) * 8) / 8;
    let mut fields = Vec::new();
    for (index, spot) in spots.iter().enumerate() {
        match spot.plan.width {
            // Padding has no contents.
            Some(_) if spot.plan.name.is_none() => {}
            Some(_) => {
                let room = if is_union { (0, size) } else { room_of_run(&spots, index, size) };
                fields.push(bit_field(spot, room));
            }
            None => fields.push(Placed {
                name: spot.plan.name.clone(),
                ty: spot.plan.ty,
                offset: byte(spot.position / 8),
                bits: None,
                unit: None,
                run: byte(spot.position / 8),
            }),
        }
    }
    Layout { fields, size: byte(size), align }
}

fn byte(position: u128) -> u64 {
    u64::try_from(position).unwrap_or(u64::MAX)
}

/// The bytes from the start of a bit-field's run of adjacent bit-fields to the next memory location.
fn room_of_run(spots: &[Spot<'_>], index: usize, size: u128) -> (u128, u128) {
    let is_break = |spot: &&Spot<'_>| matches!(spot.plan.width, None | Some(0));
    let n_before = spots[..index].iter().rev().take_while(|spot| !is_break(spot)).count();
    let first = &spots[index - n_before];
    // After a break of width zero the next run starts where the break ends.
    let next = spots[index + 1..].iter().find(is_break).map(|spot| spot.position / 8);
    (first.position / 8, next.unwrap_or(size).min(size))
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

/// The field with a storage unit within `room`, which is in bytes.
fn bit_field(spot: &Spot<'_>, room: (u128, u128)) -> Placed {
    let declared = u128::from(spot.plan.size.max(1));
    let narrower = [8u128, 4, 2, 1].into_iter().filter(|bytes| *bytes < declared);
    let wider = [1u128, 2, 4, 8].into_iter().filter(|bytes| *bytes > declared);
    let found = std::iter::once(declared)
        .chain(narrower)
        .chain(wider)
        .chain([3, 5, 6, 7, 9])
        .find_map(|bytes| Some((bytes, unit_start(spot, bytes, room)?)));
    let (unit, base) = match found {
        Some((bytes, start)) => (Some(byte(bytes)), start),
        None => (None, spot.position / 8),
    };
    let first = spot.position - base * 8;
    let bits = Some((u32::try_from(first).unwrap_or(0), spot.width as u32));
    Placed { name: spot.plan.name.clone(), ty: spot.plan.ty, offset: byte(base), bits, unit, run: byte(room.0) }
}

/// Where a unit of so many bytes can start, so that it holds the field and stays within the room.
fn unit_start(spot: &Spot<'_>, bytes: u128, room: (u128, u128)) -> Option<u128> {
    let lowest = (spot.position + spot.width).div_ceil(8).saturating_sub(bytes).max(room.0);
    let highest = (spot.position / 8).min(room.1.checked_sub(bytes)?);
    if lowest > highest {
        return None;
    }
    let aligned = lowest.next_multiple_of(bytes);
    Some(if aligned <= highest { aligned } else { lowest })
}
