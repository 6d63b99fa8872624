//! How do the bytes of a whole object get somewhere? Copying, filling and forgetting, cell by cell.
//!
//! Objects are handled scalar by scalar, in order, so that each cell keeps its type and each copy is an access of its own,
//! as compiled code might do it. A union is copied by its largest member. Every byte belongs to a cell: what no member
//! covers is padding, in cells of its own.
//!
//! `memcpy` and `memset` treat padding like all else. What an assignment or an initialiser leaves in the padding of its
//! target is open in C; it is any value, if the program may look at the bytes of such objects, and otherwise it is left alone. An
//! assignment to a member leaves padding as it is, and bits of a storage unit that belong to no bit-field are copied with
//! it, as compilers do, though C promises neither.

use crate::c::lower::body::Body;
use crate::c::lower::statics::scalar_of;
use crate::c::types::{Type, TypeId, Types};
use ir::{HavocKind, Op, Order};
use logic::{Scalar, Sort, TermId};

/// Arrays up to this many elements are copied without a loop.
const UNROLLED: u64 = 16;

/// How an object is copied or filled.
#[derive(Clone, Debug)]
enum Cells {
    One { offset: u64, sort: Scalar, is_padding: bool },
    Many { offset: u64, count: u64, stride: u64, element: Vec<Cells> },
}

/// What becomes of the padding.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Padding {
    /// The same as of all other bytes.
    Kept,
    /// It is not touched.
    Left,
    /// It gets any value.
    Forgotten,
}

impl Body<'_, '_> {
    /// Assigns a record.
    pub(in crate::c::lower) fn copy_record(&mut self, to: TermId, from: TermId, ty: TypeId) {
        if to != from {
            let cells = cells_of(self.types(), ty);
            let padding = self.open_padding(ty);
            self.copy_cells(to, from, &cells, padding);
        }
    }

    /// Copies a record to a new object, whose padding has no value yet.
    pub(in crate::c::lower) fn copy_to_new(&mut self, to: TermId, from: TermId, ty: TypeId) {
        let cells = cells_of(self.types(), ty);
        self.copy_cells(to, from, &cells, Padding::Left);
    }

    /// Gives a new object that is initialised by a list zeros to begin with, but for its padding.
    pub(in crate::c::lower) fn clear_new(&mut self, to: TermId, ty: TypeId) {
        let cells = cells_of(self.types(), ty);
        let zero = self.pool().bv(8, 0);
        self.fill_cells(to, &cells, zero, Padding::Left);
    }

    /// Whether someone may look at padding of an object of this type.
    pub(in crate::c::lower) fn shows_padding(&self, ty: TypeId) -> bool {
        self.open_padding(ty) == Padding::Forgotten && has_padding_in(self.types(), ty)
    }

    /// Gives an object that is initialised by a list zeros to begin with.
    pub(in crate::c::lower) fn clear_typed(&mut self, to: TermId, ty: TypeId) {
        let cells = cells_of(self.types(), ty);
        let (zero, padding) = (self.pool().bv(8, 0), self.open_padding(ty));
        self.fill_cells(to, &cells, zero, padding);
    }

    /// Takes their values from all bytes of an object.
    pub(in crate::c::lower) fn forget_typed(&mut self, to: TermId, ty: TypeId) {
        let cells = cells_of(self.types(), ty);
        self.forget_cells(to, &cells, false);
    }

    /// Takes their values from the padding of an object, if anyone could tell.
    pub(in crate::c::lower) fn forget_padding(&mut self, to: TermId, ty: TypeId) {
        if self.shows_padding(ty) {
            let cells = cells_of(self.types(), ty);
            self.forget_cells(to, &cells, true);
        }
    }

    /// Copies `count` objects of a type in a row: `memcpy` where the type is known.
    pub(in crate::c::lower) fn copy_array(&mut self, to: TermId, from: TermId, ty: TypeId, count: u64) {
        let cells = array_cells(self.types(), ty, count);
        self.copy_cells(to, from, &cells, Padding::Kept);
    }

    /// Fills `count` objects with a byte: `memset`.
    pub(in crate::c::lower) fn fill_array(&mut self, to: TermId, ty: TypeId, count: u64, byte: TermId) {
        let cells = array_cells(self.types(), ty, count);
        self.fill_cells(to, &cells, byte, Padding::Kept);
    }

    /// Copies an object to a place that may overlap: `memmove`. Only of objects that need no loop.
    pub(in crate::c::lower) fn move_object(&mut self, to: TermId, from: TermId, ty: TypeId) {
        let cells = cells_of(self.types(), ty);
        let mut values = Vec::new();
        for cell in &cells {
            let Cells::One { offset, sort, .. } = cell else { unreachable!("`is_short` was asked before") };
            let from = self.add_offset(from, *offset);
            values.push((*offset, *sort, self.load_place(Self::memory(from, *sort), Order::Plain)));
        }
        for (offset, sort, value) in values {
            let to = self.add_offset(to, offset);
            self.emit(Op::Store { place: Self::memory(to, sort), value, order: Order::Plain });
        }
    }

    /// Whether all cells of an object can be held at once.
    pub(in crate::c::lower) fn is_short(&self, ty: TypeId) -> bool {
        let cells = cells_of(self.types(), ty);
        cells.len() as u64 <= UNROLLED && cells.iter().all(|cell| matches!(cell, Cells::One { .. }))
    }

    /// What becomes of padding that C leaves open.
    fn open_padding(&self, ty: TypeId) -> Padding {
        let is_shown = !self.is_model() && self.lw.facts.shows_padding(self.types(), ty);
        if is_shown { Padding::Forgotten } else { Padding::Left }
    }

    fn copy_cells(&mut self, to: TermId, from: TermId, cells: &[Cells], padding: Padding) {
        for cell in cells {
            match cell {
                Cells::One { is_padding: true, .. } if padding != Padding::Kept => {
                    if padding == Padding::Forgotten {
                        self.forget_cells(to, std::slice::from_ref(cell), true);
                    }
                }
                Cells::One { offset, sort, .. } => {
                    let mark = self.temporary_mark();
                    let from = self.add_offset(from, *offset);
                    let value = self.load_place(Self::memory(from, *sort), Order::Plain);
                    let to = self.add_offset(to, *offset);
                    self.emit(Op::Store { place: Self::memory(to, *sort), value, order: Order::Plain });
                    self.release(mark);
                }
                Cells::Many { element, .. } if padding == Padding::Left && is_all_padding(element) => {}
                Cells::Many { offset, count, stride, element } => {
                    let (to, from) = (self.add_offset(to, *offset), self.add_offset(from, *offset));
                    self.repeat(*count, |body, index| {
                        let (to, from) = (body.at_index(to, index, *stride), body.at_index(from, index, *stride));
                        body.copy_cells(to, from, element, padding);
                    });
                }
            }
        }
    }

    fn fill_cells(&mut self, to: TermId, cells: &[Cells], byte: TermId, padding: Padding) {
        for cell in cells {
            match cell {
                Cells::One { is_padding: true, .. } if padding != Padding::Kept => {
                    if padding == Padding::Forgotten {
                        self.forget_cells(to, std::slice::from_ref(cell), true);
                    }
                }
                Cells::One { offset, sort, .. } => {
                    let to = self.add_offset(to, *offset);
                    let width = Sort::from(*sort).width().expect("C scalars have a width");
                    let mut value = byte;
                    for _ in 1..width / 8 {
                        value = self.pool().concat(value, byte);
                    }
                    if Sort::from(*sort).is_float() {
                        value = self.pool().float_from_bits(value);
                    }
                    self.emit(Op::Store { place: Self::memory(to, *sort), value, order: Order::Plain });
                }
                Cells::Many { element, .. } if padding == Padding::Left && is_all_padding(element) => {}
                Cells::Many { offset, count, stride, element } => {
                    let to = self.add_offset(to, *offset);
                    self.repeat(*count, |body, index| {
                        let to = body.at_index(to, index, *stride);
                        body.fill_cells(to, element, byte, padding);
                    });
                }
            }
        }
    }

    /// Puts any value into all cells, or into those of padding.
    fn forget_cells(&mut self, to: TermId, cells: &[Cells], only_padding: bool) {
        for cell in cells {
            match cell {
                Cells::One { is_padding: false, .. } if only_padding => {}
                Cells::One { offset, sort, .. } => {
                    let mark = self.temporary_mark();
                    let value = self.havoc((*sort).into(), HavocKind::Uninit);
                    let to = self.add_offset(to, *offset);
                    self.emit(Op::Store { place: Self::memory(to, *sort), value, order: Order::Plain });
                    self.release(mark);
                }
                Cells::Many { element, .. } if only_padding && !has_padding(element) => {}
                Cells::Many { offset, count, stride, element } => {
                    let to = self.add_offset(to, *offset);
                    self.repeat(*count, |body, index| {
                        let to = body.at_index(to, index, *stride);
                        body.forget_cells(to, element, only_padding);
                    });
                }
            }
        }
    }

    fn at_index(&mut self, base: TermId, index: TermId, stride: u64) -> TermId {
        let stride = self.word(stride);
        let offset = self.pool().mul(index, stride);
        self.pool().add(base, offset)
    }

    /// A loop over `0..count`.
    fn repeat(&mut self, count: u64, mut round: impl FnMut(&mut Self, TermId)) {
        let index = self.lasting_temporary(Sort::Bv(self.word_bits()));
        let zero = self.word(0);
        self.assign(index, zero);
        let (head, inside, end) = (self.new_loc(), self.new_loc(), self.new_loc());
        if !self.is_reachable() {
            return;
        }
        self.enter(head);
        let at = self.var(index);
        let count = self.word(count);
        let goes_on = self.pool().ult(at, count);
        self.branch_on(goes_on, inside, end);
        self.resume_at(inside);
        round(self, at);
        let next = self.add_offset(at, 1);
        self.assign(index, next);
        self.goto(head);
        self.resume_at(end);
    }
}

fn is_all_padding(cells: &[Cells]) -> bool {
    cells.iter().all(|cell| match cell {
        Cells::One { is_padding, .. } => *is_padding,
        Cells::Many { element, .. } => is_all_padding(element),
    })
}

fn has_padding(cells: &[Cells]) -> bool {
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
fn cells_of(types: &Types, ty: TypeId) -> Vec<Cells> {
    let mut cells = Vec::new();
    push_cells(types, ty, 0, false, &mut cells);
    cells
}

fn array_cells(types: &Types, element: TypeId, count: u64) -> Vec<Cells> {
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
        let step = [8, 4, 2, 1].into_iter().find(|step: &u64| at.is_multiple_of(*step) && at + step <= to).unwrap_or(1);
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
