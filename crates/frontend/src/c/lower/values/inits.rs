//! Bringing local objects to life: declarations with their initialisers, compound literals, and records that calls return.
//!
//! An object is made where its declaration is reached. Compound literals and returned records have no declaration; their
//! objects are made before the statement of a block that contains them, whether or not it evaluates them, so that the
//! text alone says which objects are alive.

use super::lvalue::{At, Lvalue};
use crate::c::lower::analysis::scan::{self, Part};
use crate::c::lower::body::{Body, StackObject};
use crate::c::lower::context::{Home, SymbolRef};
use crate::c::lower::model_types::is_signed;
use crate::c::typed::{Expr, ExprKind, InitItem, Stmt, StmtKind, SymbolId};
use crate::c::types::{Type, TypeId};
use ir::{HavocKind, Op};
use logic::{BitVec, Scalar, TermId, Value};

impl Body<'_, '_> {
    pub(in crate::c::lower) fn local(&mut self, symbol: SymbolId, init: Option<&[InitItem]>) {
        let reference = SymbolRef { unit: self.unit, symbol };
        let record = self.lw.symbol(reference);
        if !record.storage.is_local() {
            return;
        }
        if let Some(len) = &record.vla_len {
            let element = match self.types().get(record.ty.ty) {
                Type::VariableArray { element } => element.ty,
                _ => record.ty.ty,
            };
            let Some(size) = self.types().size(element) else {
                return self.unsupported("a variable-length array of variable-length arrays");
            };
            let results = self.make_results(len);
            let count = self.eval(len);
            self.end_results(results);
            let signed = is_signed(self.types(), len.ty.ty);
            let word = self.word_bits();
            let count = self.pool().resize(count, signed, word);
            let zero = self.word(0);
            let is_some = self.pool().ne(count, zero);
            // A number of elements that was negative has become a very large one.
            let is_positive = self.pool().sge(count, zero);
            let is_size = self.pool().and(is_some, is_positive);
            self.check(is_size, ir::CheckKind::Deref);
            let size = self.word(size);
            let bytes = self.pool().mul(count, size);
            return self.make_sized(StackObject::Symbol(symbol), bytes, false);
        }
        self.initialise(symbol, init, true);
    }

    /// Brings a variable or compound literal to life with its initial value.
    pub(in crate::c::lower) fn initialise(
        &mut self,
        symbol: SymbolId,
        init: Option<&[InitItem]>,
        is_declaration: bool,
    ) {
        let ty = self.lw.symbol(SymbolRef { unit: self.unit, symbol }).ty;
        if let Some([item]) = init {
            self.name_pointee(symbol, &item.value);
        }
        match self.home(symbol) {
            Home::Private(var) => {
                if is_declaration && !self.hoisted.contains(&symbol) {
                    self.alive.push(StackObject::Variable(var));
                }
                match init.and_then(<[InitItem]>::last) {
                    Some(item) => {
                        let value = self.eval(&item.value);
                        self.assign_last(var, value);
                    }
                    // Models set their variables before they use them.
                    None if self.is_model() => {}
                    None => self.emit(Op::Havoc { var, kind: HavocKind::Uninit }),
                }
            }
            Home::Pointed(var) => {
                let is_aggregate = self.scalar(ty.ty).is_none();
                let is_made = !is_declaration || self.hoisted.contains(&symbol);
                if is_made && init.is_none() {
                    let to = self.var(var);
                    self.forget_typed(to, ty.ty);
                } else if !is_made {
                    let leaves_zero = |items: &[InitItem]| is_aggregate && !self.covers(ty.ty, items);
                    let zeroed = init.is_some_and(|items| leaves_zero(items) && !self.is_smaller_member(ty.ty, items));
                    // `= {}` makes everything zero, `= {0}` leaves padding open.
                    let is_open = init.is_some_and(|items| !items.is_empty()) && self.shows_padding(ty.ty);
                    self.make(StackObject::Symbol(symbol), ty.ty, zeroed && !is_open);
                    if zeroed && is_open {
                        let to = self.var(var);
                        self.clear_new(to, ty.ty);
                    }
                } else if self.is_smaller_member(ty.ty, init.unwrap_or_default()) {
                    let to = self.var(var);
                    self.forget_typed(to, ty.ty);
                } else if is_aggregate && !self.covers(ty.ty, init.unwrap_or_default()) {
                    let to = self.var(var);
                    self.clear_typed(to, ty.ty);
                } else if is_aggregate {
                    let to = self.var(var);
                    self.forget_padding(to, ty.ty);
                }
                let to = self.var(var);
                let items = init.unwrap_or_default();
                let region = self.open_items(items);
                for item in items {
                    self.initialise_part(to, item);
                }
                self.forget_early(region);
            }
            Home::Shared(_) | Home::Static(_) | Home::Known(_) => {}
        }
    }

    /// Whether an initialiser is one value for a member of a union that others reach beyond: C says nothing about the bytes behind it.
    fn is_smaller_member(&self, ty: TypeId, items: &[InitItem]) -> bool {
        let is_union = matches!(self.types().get(ty), Type::Record(record) if self.types().record(*record).is_union);
        let is_smaller = |item: &InitItem| self.types().size(item.ty.ty) < self.types().size(ty);
        // Of a member that is an array or a struct the rest is zero.
        let begins_larger = |item: &InitItem| {
            let Type::Record(record) = self.types().get(ty) else { return false };
            let fields = &self.types().record(*record).fields;
            fields
                .iter()
                .flatten()
                .any(|field| self.scalar(field.ty.ty).is_none() && self.begins_with(field.ty.ty, item.ty.ty))
        };
        is_union
            && !matches!(items, [item] if begins_larger(item))
            && matches!(items, [item] if item.bits.is_none() && self.scalar(item.ty.ty).is_some() && is_smaller(item))
    }

    /// Whether the first scalar of an array or a record is of a type.
    fn begins_with(&self, ty: TypeId, first: TypeId) -> bool {
        match self.types().get(ty) {
            Type::Array { element, .. } => self.begins_with(element.ty, first),
            Type::Record(record) => {
                let fields = &self.types().record(*record).fields;
                fields.iter().flatten().any(|field| field.offset == 0 && self.begins_with(field.ty.ty, first))
            }
            _ => ty == first,
        }
    }

    /// Whether an initialiser is one value for the whole object.
    fn covers(&self, ty: TypeId, items: &[InitItem]) -> bool {
        matches!(items, [item] if item.offset == 0 && item.bits.is_none() && item.ty.ty == ty
            && !matches!(item.value.kind, ExprKind::String(_)))
    }

    fn initialise_part(&mut self, to: TermId, item: &InitItem) {
        self.span = item.value.span;
        let addr = self.add_offset(to, item.offset);
        if let ExprKind::String(bytes) = &item.value.kind
            && let Type::Array { element, .. } = self.types().get(item.ty.ty)
        {
            let step = self.types().size(element.ty).unwrap_or(1) as usize;
            let room = self.types().size(item.ty.ty).unwrap_or(0) as usize;
            for (index, chunk) in bytes[..room.min(bytes.len())].chunks(step).enumerate() {
                let value = BitVec::from_bytes_le(chunk.len() as u32 * 8, chunk);
                let sort = Scalar::Bv(value.width());
                let value = self.pool().constant(Value::Bv(value));
                let addr = self.add_offset(addr, (index * step) as u64);
                self.emit(Op::Store { place: Self::memory(addr, sort), value, order: ir::Order::Plain });
            }
            return;
        }
        if self.is_record(item.ty.ty) {
            if let ExprKind::Call { callee, args } = &item.value.kind
                && item.offset == 0
                && !self.has_result_object(&item.value)
            {
                if let Some(from) = self.early_value(&item.value) {
                    return self.copy_to_new(addr, from, item.ty.ty);
                }
                let region = self.open_region(&item.value);
                self.call_into(&item.value, callee, args, addr);
                self.close_region(region);
                return;
            }
            let from = self.record_address(&item.value);
            self.copy_to_new(addr, from, item.ty.ty);
            return;
        }
        let lvalue = Lvalue { at: At::Memory(addr), ty: item.ty.ty, is_atomic: false, bits: item.bits, location: None };
        let value = self.eval(&item.value);
        self.store(&lvalue, value);
    }

    /// Makes the objects of the compound literals in a statement of a block, which live as long as the block.
    pub(in crate::c::lower) fn make_item_objects(&mut self, stmt: &Stmt) {
        for object in self.item_objects(stmt) {
            let outer = std::mem::replace(&mut self.span, stmt.span);
            self.make_without_value(object);
            self.span = outer;
        }
    }

    pub(in crate::c::lower) fn item_objects(&mut self, stmt: &Stmt) -> Vec<StackObject> {
        let mut found = Vec::new();
        self.find_item_objects(stmt, &mut found);
        found
    }

    fn find_item_objects(&mut self, stmt: &Stmt, found: &mut Vec<StackObject>) {
        if matches!(stmt.kind, StmtKind::Block(_)) {
            return;
        }
        for expr in scan::exprs_of(stmt) {
            self.find_expr_objects(expr, found);
        }
        for child in scan::children_of(stmt) {
            self.find_item_objects(child, found);
        }
    }

    fn find_expr_objects(&mut self, expr: &Expr, found: &mut Vec<StackObject>) {
        let mut parts = Vec::new();
        scan::visit_expr(expr, &mut |part| match part {
            // Statement expressions are blocks of their own.
            Part::Expr(Expr { kind: ExprKind::Statements(_), .. }) | Part::Stmt(_) => false,
            Part::Expr(part) => {
                parts.push(part);
                true
            }
        });
        for part in parts {
            if let ExprKind::Compound { symbol, .. } = &part.kind
                && self.is_stack_object(*symbol)
                && !self.is_temporary(*symbol)
                && !self.hoisted.contains(symbol)
            {
                found.push(StackObject::Symbol(*symbol));
            }
        }
    }
}
