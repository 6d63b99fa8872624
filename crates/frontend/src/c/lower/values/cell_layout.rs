//! Which cells are the bytes of a type? Scalars by offset, in order; what no member covers is padding, in cells of its own.

use crate::c::lower::model_types::scalar_of;
use crate::c::types::{Type, TypeId, Types};
use logic::{Scalar, Sort};

/// Arrays up to this many elements are copied without a loop.
pub(in crate::c::lower) const UNROLLED: u64 = 16;

/// How an object is copied or filled.
#[derive(Clone, Debug)]
pub(in crate::c::lower) enum Cells {
    One { offset: u64, sort: Scalar, is_padding: bool },
    Many { offset: u64, count: u64, stride: u64, element: Vec<Cells> },
}

/// Whether no cell is covered by a member.
pub(in crate::c::lower) fn is_all_padding(cells: &[Cells]) -> bool {
    cells.iter().all(|cell| match cell {
        Cells::One { is_padding, .. } => *is_padding,
        Cells::Many { element, .. } => is_all_padding(element),
    })
}

/// Whether some cell is padding.
pub(in crate::c::lower) fn has_padding(cells: &[Cells]) -> bool {
    cells.iter().any(|cell| match cell {
        Cells::One { is_padding, .. } => *is_padding,
        Cells::Many { element, .. } => has_padding(element),
    })
}

/// Whether a type has bytes that no member covers.
pub(in crate::c::lower) fn has_padding_in(types: &Types, ty: TypeId) -> bool {
    has_padding(&cells_of(types, ty))
}

/// The cells of a type, in order.
pub(in crate::c::lower) fn cells_of(types: &Types, ty: TypeId) -> Vec<Cells> {
    let mut cells = Vec::new();
    push_cells(types, ty, 0, false, &mut cells);
    cells
}

/// The cells of an array without a type of its own.
pub(in crate::c::lower) fn array_cells(types: &Types, element: TypeId, count: u64) -> Vec<Cells> {
    let mut cells = Vec::new();
    push_array(types, element, count, 0, false, &mut cells);
    cells
}

fn push_cells(types: &Types, ty: TypeId, offset: u64, in_union: bool, cells: &mut Vec<Cells>) {
    if let Some(scalar) = scalar_of(types, ty) {
        // Whatever a union's bytes mean, they are copied as they are.
        let width = Sort::from(scalar).width().expect("C scalars have a width");
        let sort = if in_union { Scalar::Bv(width) } else { scalar };
        return cells.push(Cells::One { offset, sort, is_padding: false });
    }
    match types.get(ty) {
        Type::Array { element, len: Some(len) } => push_array(types, element.ty, *len, offset, in_union, cells),
        Type::Record(_) => push_record(types, ty, offset, in_union, cells),
        // Types without a model of their own are bytes.
        _ => {
            let byte = Cells::One { offset: 0, sort: Scalar::Bv(8), is_padding: false };
            push_array_of(vec![byte], 1, types.size(ty).unwrap_or(0), offset, cells);
        }
    }
}

fn push_record(types: &Types, ty: TypeId, offset: u64, in_union: bool, cells: &mut Vec<Cells>) {
    let Type::Record(id) = types.get(ty) else { return };
    let record = types.record(*id);
    let fields = record.fields.as_deref().unwrap_or_default();
    // What comes before this byte has its cells.
    let mut end = 0;
    if record.is_union {
        // What is padding in one member may be data in another.
        if let Some(field) = fields.iter().max_by_key(|field| types.size(field.ty.ty).unwrap_or(0)) {
            push_cells(types, field.ty.ty, offset + field.offset, true, cells);
            end = field.offset + types.size(field.ty.ty).unwrap_or(0);
        }
    } else {
        for field in fields {
            let field_end = field.offset + types.size(field.ty.ty).unwrap_or(0);
            // Bit-fields share storage units; those of different types overlap.
            if field.bits.is_some() && (field_end <= end || field.bits.is_some_and(|(_, count)| count == 0)) {
                continue;
            }
            push_padding(end, field.offset, offset, in_union, cells);
            push_cells(types, field.ty.ty, offset + field.offset, in_union, cells);
            end = end.max(field_end);
        }
    }
    push_padding(end, record.size, offset, in_union, cells);
}

/// Cells for bytes of a record that no member covers, as wide as they can be.
fn push_padding(from: u64, to: u64, offset: u64, in_union: bool, cells: &mut Vec<Cells>) {
    let mut at = from;
    while at < to {
        let step = [8, 4, 2, 1].into_iter().find(|step| at.is_multiple_of(*step) && at + step <= to).unwrap_or(1);
        let cell = Cells::One { offset: 0, sort: Scalar::Bv(step as u32 * 8), is_padding: !in_union };
        let count = if step == 8 { (to - at) / 8 } else { 1 };
        push_array_of(vec![cell], step, count, offset + at, cells);
        at += step * count;
    }
}

fn push_array(types: &Types, element: TypeId, count: u64, offset: u64, in_union: bool, cells: &mut Vec<Cells>) {
    let mut inner = Vec::new();
    push_cells(types, element, 0, in_union, &mut inner);
    push_array_of(inner, types.size(element).unwrap_or(1), count, offset, cells);
}

fn push_array_of(element: Vec<Cells>, stride: u64, count: u64, offset: u64, cells: &mut Vec<Cells>) {
    if count > UNROLLED || element.len() as u64 * count > 4 * UNROLLED {
        return cells.push(Cells::Many { offset, count, stride, element });
    }
    for index in 0..count {
        let at = offset + index * stride;
        cells.extend(element.iter().map(|cell| cell.moved(at)));
    }
}

impl Cells {
    fn moved(&self, by: u64) -> Cells {
        match self {
            Cells::One { offset, sort, is_padding } => {
                Cells::One { offset: offset + by, sort: *sort, is_padding: *is_padding }
            }
            Cells::Many { offset, count, stride, element } => {
                Cells::Many { offset: offset + by, count: *count, stride: *stride, element: element.clone() }
            }
        }
    }
}
