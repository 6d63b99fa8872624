//! Reading and writing: what an lvalue names, and which accesses reach it.
//!
//! A scalar variable that nobody points to is read and written directly (private) or by one access (shared); everything
//! else is memory at an address. `_Atomic` objects are accessed in sequentially consistent order, and a compound
//! assignment to one is a single `Rmw`; `volatile` changes nothing. Bit-fields read or write their storage unit:
//! writing one is a read and a write.

use super::lvalue::{At, Lvalue};
use crate::c::lower::body::Body;
use crate::c::lower::context::{Home, SymbolRef, Work};
use crate::c::lower::model_types::is_signed;
use crate::c::typed::{Expr, ExprKind, Storage, SymbolId};
use crate::c::types::{IntKind, Type, TypeId};
use ir::addresses::Typed;
use ir::{CheckKind, Op, Order, Place, Property, RegionId};
use logic::{Scalar, TermId, Value};

impl Body<'_, '_> {
    pub(in crate::c::lower) fn lvalue(&mut self, expr: &Expr) -> Lvalue {
        let plain = |at| Lvalue { at, ty: expr.ty.ty, is_atomic: expr.ty.is_atomic, bits: None, location: None };
        match &expr.kind {
            ExprKind::Symbol(symbol) => {
                let reference = SymbolRef { unit: self.unit, symbol: *symbol };
                self.lw.touched.insert(reference);
                let record = self.lw.symbol(reference);
                if record.storage == Storage::Param && self.is_program_argument(*symbol) {
                    self.span = expr.span;
                    self.unsupported("the third parameter of main");
                }
                if record.storage == Storage::Function {
                    let object = self.lw.function_object(reference);
                    return plain(At::Memory(self.lw.address_of(object)));
                }
                let at = match self.home(*symbol) {
                    Home::Shared(var) => At::Shared(var),
                    Home::Private(var) => At::Private(var),
                    Home::Static(base) => At::Memory(base),
                    Home::Pointed(var) => At::Memory(self.var(var)),
                    Home::Known(value) => At::Known(value),
                };
                Lvalue { is_atomic: expr.ty.is_atomic || record.ty.is_atomic, ..plain(at) }
            }
            ExprKind::Deref(pointer) => {
                let addr = self.eval(pointer);
                plain(At::Memory(addr))
            }
            ExprKind::Member { base, offset, bits } => {
                let record = self.record_address(base);
                let addr = self.add_offset(record, *offset);
                let location = bits.and_then(|bits| self.other_location(base.ty.ty, *offset, bits));
                let location = location.map(|location| self.add_offset(record, location));
                Lvalue { bits: *bits, location, ..plain(At::Memory(addr)) }
            }
            ExprKind::String(bytes) => {
                let object = self.lw.string_object(bytes, expr.span);
                plain(At::Memory(self.lw.address_of(object)))
            }
            ExprKind::Compound { symbol, init } => {
                let reference = SymbolRef { unit: self.unit, symbol: *symbol };
                if self.lw.symbol(reference).storage.is_local() {
                    self.initialise(*symbol, Some(init), false);
                } else if !self.lw.homes.contains_key(&reference) {
                    self.lw.static_home(reference);
                    self.lw.queue.push_back(Work::CompoundInit(reference, init.clone()));
                }
                let at = match self.home(*symbol) {
                    Home::Shared(var) => At::Shared(var),
                    Home::Private(var) => At::Private(var),
                    Home::Static(base) => At::Memory(base),
                    Home::Pointed(var) => At::Memory(self.var(var)),
                    Home::Known(value) => At::Known(value),
                };
                plain(at)
            }
            // Not lvalues by the book, but they name an object all the same.
            _ if self.is_record(expr.ty.ty) => plain(At::Memory(self.record_address(expr))),
            ExprKind::Cast(inner) | ExprKind::Load(inner) => self.lvalue(inner),
            _ => {
                self.span = expr.span;
                self.unsupported("this form of lvalue");
                let nowhere = self.word(0);
                plain(At::Memory(nowhere))
            }
        }
    }

    /// Whether a symbol is what comes after `argv`.
    fn is_program_argument(&self, symbol: SymbolId) -> bool {
        let Some(function) = self.function.filter(|_| !self.is_model()) else { return false };
        let name = &self.lw.symbol(SymbolRef { unit: self.unit, symbol: function.symbol }).name;
        name == "main" && function.params.iter().skip(2).any(|param| *param == symbol)
    }

    /// The address of an lvalue that has one.
    pub(in crate::c::lower) fn address(&mut self, expr: &Expr) -> TermId {
        let lvalue = self.lvalue(expr);
        match lvalue.at {
            At::Memory(addr) if lvalue.bits.is_none() => addr,
            _ => {
                self.span = expr.span;
                self.unsupported("the address of this expression");
                self.word(0)
            }
        }
    }

    pub(in crate::c::lower) fn order_of(lvalue: &Lvalue) -> Order {
        if lvalue.is_atomic { Order::SeqCst } else { Order::Plain }
    }

    /// The sort of a scalar type; other types are refused.
    pub(in crate::c::lower) fn scalar_or_refuse(&mut self, ty: TypeId) -> Scalar {
        match self.scalar(ty) {
            Some(scalar) => scalar,
            None => {
                let what = match self.types().get(ty) {
                    Type::LongDouble => "`long double` arithmetic",
                    _ => "a value of this type",
                };
                self.unsupported(what);
                Scalar::Bv(32)
            }
        }
    }

    pub(in crate::c::lower) fn memory(addr: TermId, sort: Scalar) -> Place {
        Place::Mem { addr, sort, region: RegionId::ANYWHERE }
    }

    /// The place of an lvalue that needs an access.
    pub(in crate::c::lower) fn place_of(&mut self, lvalue: &Lvalue) -> Option<Place> {
        match lvalue.at {
            At::Shared(var) => Some(Place::Var(var)),
            At::Memory(addr) => {
                let sort = self.scalar_or_refuse(lvalue.ty);
                Some(Self::memory(addr, sort))
            }
            At::Private(_) | At::Known(_) => None,
        }
    }

    /// Reads a place into a temporary.
    pub(in crate::c::lower) fn load_place(&mut self, place: Place, order: Order) -> TermId {
        let sort = match place {
            Place::Var(var) => self.pool().var_sort(var),
            Place::Mem { sort, .. } => sort.into(),
        };
        let dst = self.temporary(sort);
        self.emit(Op::Load { dst, place, order });
        self.var(dst)
    }

    /// Where the memory location of a bit-field begins, if its storage unit does not touch that byte and races are looked for.
    fn other_location(&self, record: TypeId, offset: u64, bits: (u32, u32)) -> Option<u64> {
        let Type::Record(record) = self.types().get(record) else { return None };
        let fields = self.types().record(*record).fields.as_ref()?;
        let field = fields.iter().find(|field| (field.offset, field.bits) == (offset, Some(bits)))?;
        (self.lw.properties.has(Property::Race) && field.location < offset).then_some(field.location)
    }

    /// Touches the memory location of a bit-field where the field itself does not: that byte stands for all of it.
    fn touch_location(&mut self, lvalue: &Lvalue, is_write: bool) {
        let Some(addr) = lvalue.location else { return };
        let place = Self::memory(addr, Scalar::Bv(8));
        let value = self.load_place(place, Order::Plain);
        if is_write {
            self.emit(Op::Store { place, value, order: Order::Plain });
        }
    }

    /// As what the last statement accesses memory. The library's models take pointers for words.
    fn note_type(&mut self, lvalue: &Lvalue) {
        let typed = match self.types().get(lvalue.ty) {
            Type::Pointer(..) => Typed::Pointer,
            Type::Int(_) => Typed::Number,
            _ => return,
        };
        if !self.is_model()
            && let Some(stmt) = self.pending.last()
            && matches!(stmt.op, Op::Load { .. } | Op::Store { .. })
        {
            self.lw.layout.set_typed(stmt.site, typed);
        }
    }

    /// The value of a scalar lvalue.
    pub(in crate::c::lower) fn load(&mut self, lvalue: &Lvalue) -> TermId {
        let unit = match lvalue.at {
            At::Private(var) => self.var(var),
            At::Known(value) => value,
            At::Shared(_) | At::Memory(_) => {
                let place = self.place_of(lvalue).expect("shared lvalues have a place");
                let value = self.load_place(place, Self::order_of(lvalue));
                self.note_type(lvalue);
                value
            }
        };
        match lvalue.bits {
            Some(bits) => {
                self.touch_location(lvalue, false);
                self.field_of_unit(unit, bits, lvalue.ty)
            }
            None => unit,
        }
    }

    /// Writes a scalar lvalue and yields its value after.
    pub(in crate::c::lower) fn store(&mut self, lvalue: &Lvalue, value: TermId) -> TermId {
        let Some((first, count)) = lvalue.bits else {
            match lvalue.at {
                At::Private(var) => {
                    self.assign_last(var, value);
                    return self.var(var);
                }
                At::Known(_) => self.fail(CheckKind::Deref),
                At::Shared(_) | At::Memory(_) => {
                    let place = self.place_of(lvalue).expect("shared lvalues have a place");
                    self.emit(Op::Store { place, value, order: Self::order_of(lvalue) });
                    self.note_type(lvalue);
                }
            }
            return value;
        };
        let whole = Lvalue { bits: None, ..*lvalue };
        let old = self.load(&whole);
        let new = self.unit_with_field(old, (first, count), value);
        self.store(&whole, new);
        self.touch_location(lvalue, true);
        self.field_of_unit(new, (first, count), lvalue.ty)
    }

    /// The bit-field within its storage unit, as a value of its type.
    pub(in crate::c::lower) fn field_of_unit(
        &mut self,
        unit: TermId,
        (first, count): (u32, u32),
        ty: TypeId,
    ) -> TermId {
        let width = self.pool().sort(unit).width().expect("storage units are integers");
        let part = self.pool().extract(unit, first + count - 1, first);
        let is_bool = matches!(self.types().get(ty), Type::Int(IntKind::Bool));
        let signed = is_signed(self.types(), ty) && !is_bool;
        self.pool().resize(part, signed, width)
    }

    /// The storage unit with the bit-field replaced.
    pub(in crate::c::lower) fn unit_with_field(
        &mut self,
        unit: TermId,
        (first, count): (u32, u32),
        value: TermId,
    ) -> TermId {
        let width = self.pool().sort(unit).width().expect("storage units are integers");
        let mask = logic::BitVec::ones(width).lshr_by(width - count).shl_by(first);
        let (keep, mask) = (Value::Bv(mask.not()), Value::Bv(mask));
        let pool = self.pool();
        let (keep, mask) = (pool.constant(keep), pool.constant(mask));
        let first = pool.bv(width, u64::from(first));
        let moved = pool.shl(value, first);
        let (kept, set) = (pool.bv_and(unit, keep), pool.bv_and(moved, mask));
        pool.bv_or(kept, set)
    }
}
