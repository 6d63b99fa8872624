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

use super::cell_layout::{Cells, UNROLLED, array_cells, cells_of, has_padding, has_padding_in, is_all_padding};
use crate::c::lower::body::Body;
use crate::c::types::TypeId;
use ir::{HavocKind, Op, Order};
use logic::{Scalar, Sort, TermId};

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

/// A number of as many bits: floats that are not numbers have many patterns and one value, and what is copied are the bits.
fn as_bits(sort: Scalar) -> Scalar {
    match sort {
        Scalar::F32 => Scalar::Bv(32),
        Scalar::F64 => Scalar::Bv(64),
        other => other,
    }
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
            let (from, sort) = (self.add_offset(from, *offset), as_bits(*sort));
            values.push((*offset, sort, self.load_place(Self::memory(from, sort), Order::Plain)));
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
                    let (from, sort) = (self.add_offset(from, *offset), as_bits(*sort));
                    let value = self.load_place(Self::memory(from, sort), Order::Plain);
                    let to = self.add_offset(to, *offset);
                    self.emit(Op::Store { place: Self::memory(to, sort), value, order: Order::Plain });
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
                    self.emit(Op::Store { place: Self::memory(to, as_bits(*sort)), value, order: Order::Plain });
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
