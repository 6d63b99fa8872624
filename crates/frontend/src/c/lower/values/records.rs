//! Structs and unions as values: an expression of record type stands for the address of an object that holds it.
//!
//! Records are copied scalar by scalar, in order, so that each cell keeps its type and each copy is an access of its own,
//! as compiled code might do it. A union is copied by its largest member, and bytewise where that has padding.
//! A function returns a record through a pointer that is its first parameter; a parameter of record type is a pointer
//! from which the callee copies. `memcpy` and `memset` of whole typed objects take the same way.

use crate::c::lower::body::{Body, StackObject};
use crate::c::lower::statics::scalar_of;
use crate::c::typed::{Expr, ExprKind, Stmt, StmtKind};
use crate::c::types::{Type, TypeId, Types};
use ir::{Op, Order};
use logic::{Scalar, Sort, TermId};

/// Arrays up to this many elements are copied without a loop.
const UNROLLED: u64 = 16;

/// How an object is copied or filled.
enum Cells {
    One(u64, Scalar),
    Many { offset: u64, count: u64, stride: u64, element: Vec<Cells> },
}

impl Body<'_, '_> {
    pub(in crate::c::lower) fn is_record(&self, ty: TypeId) -> bool {
        matches!(self.types().get(ty), Type::Record(_))
    }

    /// The address of an object that holds the value of a record expression.
    pub(in crate::c::lower) fn record_address(&mut self, expr: &Expr) -> TermId {
        if !self.is_reachable() {
            return self.word(0);
        }
        match &expr.kind {
            ExprKind::Load(inner) => self.record_address(inner),
            ExprKind::Symbol(_)
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::String(_)
            | ExprKind::Compound { .. } => self.address(expr),
            ExprKind::Assign(lhs, rhs) => {
                let to = self.record_address(lhs);
                let from = self.record_address(rhs);
                let outer = std::mem::replace(&mut self.span, expr.span);
                if lhs.ty.is_atomic {
                    self.unsupported("assignment to an atomic struct or union");
                }
                self.copy_record(to, from, expr.ty.ty);
                self.span = outer;
                to
            }
            ExprKind::Cast(inner) if self.is_record(inner.ty.ty) => self.record_address(inner),
            ExprKind::Comma(first, second) => {
                self.discard(first);
                self.record_address(second)
            }
            ExprKind::Conditional { cond, then: Some(then), otherwise } => {
                let result = self.temporary(Sort::Bv(self.word_bits()));
                let (yes, no, end) = (self.new_loc(), self.new_loc(), self.new_loc());
                self.branch(cond, yes, no);
                for (loc, side) in [(yes, then), (no, otherwise)] {
                    self.resume_at(loc);
                    let address = self.record_address(side);
                    self.assign(result, address);
                    self.goto(end);
                }
                self.resume_at(end);
                self.var(result)
            }
            ExprKind::Call { callee, args } => {
                let out = self.stack_pointer(StackObject::CallResult(expr, expr.ty.ty));
                let out = self.var(out);
                self.call_into(expr, callee, args, out);
                out
            }
            ExprKind::Statements(stmts) => self.statements_record(stmts),
            _ => {
                self.span = expr.span;
                self.unsupported("this expression of struct or union type");
                self.word(0)
            }
        }
    }

    /// Objects of the inner block end with it, so only objects from outside can be the value.
    fn statements_record(&mut self, stmts: &[Stmt]) -> TermId {
        let Some((Stmt { kind: StmtKind::Expr(last), .. }, before)) = stmts.split_last() else {
            self.unsupported("a statement expression of struct or union type without a value");
            return self.word(0);
        };
        let n_alive = self.alive.len();
        self.items(before);
        if let Some(stmt) = stmts.last() {
            self.make_item_objects(stmt);
        }
        let address = self.record_address(last);
        if self.alive.len() > n_alive {
            self.unsupported("a statement expression whose value is a struct or union of its own");
        }
        self.close_scope(n_alive);
        address
    }

    /// Whether the statement made an object for the record that a call returns.
    pub(in crate::c::lower) fn has_result_object(&self, call: &Expr) -> bool {
        self.alive.contains(&StackObject::CallResult(call, call.ty.ty))
    }

    pub(in crate::c::lower) fn copy_record(&mut self, to: TermId, from: TermId, ty: TypeId) {
        if to == from {
            return;
        }
        let cells = cells_of(self.types(), ty);
        self.copy_cells(to, from, &cells);
    }

    fn copy_cells(&mut self, to: TermId, from: TermId, cells: &[Cells]) {
        for cell in cells {
            match cell {
                Cells::One(offset, sort) => {
                    let mark = self.temporary_mark();
                    let from = self.add_offset(from, *offset);
                    let value = self.load_place(Self::memory(from, *sort), Order::Plain);
                    let to = self.add_offset(to, *offset);
                    self.emit(Op::Store { place: Self::memory(to, *sort), value, order: Order::Plain });
                    self.release(mark);
                }
                Cells::Many { offset, count, stride, element } => {
                    let (to, from) = (self.add_offset(to, *offset), self.add_offset(from, *offset));
                    self.repeat(*count, |body, index| {
                        let (to, from) = (body.at_index(to, index, *stride), body.at_index(from, index, *stride));
                        body.copy_cells(to, from, element);
                    });
                }
            }
        }
    }

    /// Fills an object with a byte, cell by cell.
    pub(in crate::c::lower) fn fill_typed(&mut self, to: TermId, ty: TypeId, byte: TermId) {
        let cells = cells_of(self.types(), ty);
        self.fill_cells(to, &cells, byte);
    }

    fn fill_cells(&mut self, to: TermId, cells: &[Cells], byte: TermId) {
        for cell in cells {
            match cell {
                Cells::One(offset, sort) => {
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
                Cells::Many { offset, count, stride, element } => {
                    let to = self.add_offset(to, *offset);
                    self.repeat(*count, |body, index| {
                        let to = body.at_index(to, index, *stride);
                        body.fill_cells(to, element, byte);
                    });
                }
            }
        }
    }

    /// Copies or fills `count` objects of a type in a row: `memcpy` and `memset` where the type is known.
    pub(in crate::c::lower) fn copy_array(&mut self, to: TermId, from: TermId, ty: TypeId, count: u64) {
        let cells = array_cells(self.types(), ty, count);
        self.copy_cells(to, from, &cells);
    }

    /// See `copy_array`.
    pub(in crate::c::lower) fn fill_array(&mut self, to: TermId, ty: TypeId, count: u64, byte: TermId) {
        let cells = array_cells(self.types(), ty, count);
        self.fill_cells(to, &cells, byte);
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
        return cells.push(Cells::One(offset, if in_union { Scalar::Bv(width) } else { scalar }));
    }
    let size = types.size(ty).unwrap_or(0);
    match types.get(ty) {
        Type::Array { element, len: Some(len) } => push_array(types, element.ty, *len, offset, in_union, cells),
        Type::Record(id) => {
            let record = types.record(*id);
            let fields = record.fields.as_deref().unwrap_or_default();
            if record.is_union {
                let largest = fields.iter().max_by_key(|field| types.size(field.ty.ty).unwrap_or(0));
                let mut covered = vec![false; size as usize];
                if let Some(field) = largest {
                    let from = cells.len();
                    push_cells(types, field.ty.ty, offset + field.offset, true, cells);
                    mark_covered(&cells[from..], offset, &mut covered);
                }
                let gaps = covered.iter().enumerate().filter(|(_, is_covered)| !**is_covered);
                cells.extend(gaps.map(|(at, _)| Cells::One(offset + at as u64, Scalar::Bv(8))));
                return;
            }
            let mut last_unit = None;
            for field in fields {
                // Several bit-fields share one storage unit.
                let unit = (field.offset, types.size(field.ty.ty));
                if field.bits.is_some() && last_unit == Some(unit) {
                    continue;
                }
                last_unit = field.bits.map(|_| unit);
                if field.bits.is_some_and(|(_, count)| count == 0) {
                    continue;
                }
                push_cells(types, field.ty.ty, offset + field.offset, in_union, cells);
            }
        }
        // Types without a model of their own are bytes.
        _ => push_array_of(vec![Cells::One(0, Scalar::Bv(8))], 1, size, offset, cells),
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

fn mark_covered(cells: &[Cells], start: u64, covered: &mut [bool]) {
    for cell in cells {
        match cell {
            Cells::One(offset, sort) => {
                let bytes = u64::from(Sort::from(*sort).width().unwrap_or(8) / 8);
                for at in offset - start..(offset - start + bytes).min(covered.len() as u64) {
                    covered[at as usize] = true;
                }
            }
            Cells::Many { offset, count, stride, element } => {
                for index in 0..*count {
                    let moved: Vec<Cells> = element.iter().map(|cell| cell.moved(offset + index * stride)).collect();
                    mark_covered(&moved, start, covered);
                }
            }
        }
    }
}

impl Cells {
    fn moved(&self, by: u64) -> Cells {
        match self {
            Cells::One(offset, sort) => Cells::One(offset + by, *sort),
            Cells::Many { offset, count, stride, element } => Cells::Many {
                offset: offset + by,
                count: *count,
                stride: *stride,
                element: element.iter().map(|cell| cell.moved(0)).collect(),
            },
        }
    }
}
