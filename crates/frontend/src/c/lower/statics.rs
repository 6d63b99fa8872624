//! Where does a variable live, and what is in it at the start?
//!
//! A scalar whose address is never taken is a variable of the program model; everything else is an object with an
//! address. A scalar constant that nobody can point to is not even a variable: its value is put where it is read.
//! Objects get their addresses one after the other, each with an unused granule behind it, as `ir::memory` has it.
//!
//! Initial contents are evaluated by the same code as run-time expressions: an initialiser is static exactly if lowering
//! it makes no statement and yields a constant term.

use super::body::Body;
use super::context::{Home, Lowering, SymbolRef, Work};
use super::model_types::{format_of, scalar_of, shape_of};
use crate::c::typed::{Expr, ExprKind, InitItem, Storage};
use crate::c::types::{QualType, Type, Types};
use ir::{
    AllocKind, Diagnostic, Fill, Format, Object, ObjectId, ObjectKind, Op, Order, Place, RegionId, Scope, Shape, Span,
    Variable,
};
use logic::{BitVec, Scalar, Sort, TermId, Value, VarId};
use std::collections::BTreeMap;

/// Whether no part of an object of the type may be written: an array is as constant as its elements.
fn is_read_only(types: &Types, ty: QualType) -> bool {
    match types.get(ty.ty) {
        _ if ty.is_volatile => false,
        Type::Array { element, .. } if !ty.is_const => is_read_only(types, *element),
        _ => ty.is_const,
    }
}

impl Lowering<'_> {
    /// Makes a static object with zero contents.
    pub(super) fn new_object(&mut self, name: &str, size: u64, kind: ObjectKind, span: Span) -> ObjectId {
        let model = self.program.data_model;
        let base = self.next_granule << model.granule_bits();
        self.next_granule += model.granules(size);
        if self.next_granule > model.first_promoted() {
            let message = format!("`{name}` does not fit into the modelled address space");
            self.error(Diagnostic::unsupported(span, message));
            self.next_granule = model.first_static();
        }
        let id = ObjectId(self.program.objects.len() as u32);
        let fill = Fill::Zero;
        let shape = Shape::Bytes(size);
        self.program.objects.push(Object {
            name: name.to_string(),
            base,
            size,
            kind,
            fill,
            init: Vec::new(),
            shape,
            span,
        });
        id
    }

    /// The address of a static object: a variable until the whole program is known, so that what is computed from it shows.
    pub(super) fn address_of(&mut self, object: ObjectId) -> TermId {
        if let Some(term) = self.layout.address(object) {
            return term;
        }
        let name = format!("&{}", self.program.object(object).name);
        let var = self.pointer_variable(&name, Scope::Local, Span::NOWHERE);
        let term = self.program.pool.var(var);
        self.layout.set_address(object, var, term);
        term
    }

    /// What C guarantees of the address of a variable.
    pub(super) fn symbol_align(&self, reference: SymbolRef) -> u64 {
        let unit = &self.units[reference.unit];
        let declared = unit.aligned.get(&reference.symbol).copied();
        declared.unwrap_or_else(|| unit.types.align(self.symbol(reference).ty.ty)).max(1)
    }

    /// The object of a string literal. Whether equal literals share one is up to the compiler: each place has its own, and
    /// comparing their addresses is refused.
    pub(super) fn string_object(&mut self, bytes: &[u8], span: Span) -> ObjectId {
        let place = (bytes.to_vec(), span);
        if let Some(object) = self.strings.get(&place) {
            return *object;
        }
        let text = String::from_utf8_lossy(bytes.strip_suffix(&[0]).unwrap_or(bytes)).into_owned();
        let object = self.new_object(&format!("{text:?}"), bytes.len() as u64, ObjectKind::ReadOnly, span);
        let record = &mut self.program.objects[object.0 as usize];
        record.init = bytes.iter().enumerate().map(|(at, byte)| (at as u64, Value::bv(8, u64::from(*byte)))).collect();
        let element = Shape::Scalar { size: 1, format: Format::Char };
        record.shape = Shape::Array { element: Box::new(element), len: bytes.len() as u64 };
        self.strings.insert(place, object);
        self.layout.set_literal(object);
        object
    }

    /// The symbol that owns the storage of static or thread data: the definition, if some unit has one.
    pub(super) fn owner(&self, reference: SymbolRef) -> SymbolRef {
        let symbol = self.symbol(reference);
        if symbol.is_internal || self.global_of[reference.unit].contains_key(&reference.symbol) {
            // A tentative definition gives way to one with an initialiser in another unit.
            let is_tentative = |at: &usize| self.units[reference.unit].globals[*at].init.is_none();
            let has_init = !self.global_of[reference.unit].get(&reference.symbol).is_some_and(is_tentative);
            if symbol.is_internal || has_init {
                return reference;
            }
        }
        self.data.get(symbol.name.as_str()).copied().unwrap_or(reference)
    }

    /// Whether a symbol's address is taken in its unit or, with external linkage, in any.
    fn is_address_taken(&self, reference: SymbolRef) -> bool {
        let symbol = self.symbol(reference);
        symbol.address_taken || !symbol.is_internal && self.addressed.contains(symbol.name.as_str())
    }

    /// The symbol that stands for a variable in all files. One that files declare with types of different kinds or sizes is refused.
    fn agreed_owner(&mut self, reference: SymbolRef) -> SymbolRef {
        let owner = self.owner(reference);
        let type_of = |this: &Self, at: SymbolRef| {
            let (types, ty) = (&this.units[at.unit].types, this.symbol(at).ty.ty);
            (scalar_of(types, ty), types.size(ty))
        };
        let ((scalar, size), (other, other_size)) = (type_of(self, reference), type_of(self, owner));
        let is_same = scalar == other && (size == other_size || size.is_none() || other_size.is_none());
        if reference.unit != owner.unit && !is_same {
            let symbol = self.symbol(reference);
            let (name, span) = (symbol.name.clone(), symbol.span);
            self.error(Diagnostic::error(span, format!("`{name}` has another type in another file")));
            return reference;
        }
        owner
    }

    /// Where a variable with static or thread storage lives.
    pub(super) fn static_home(&mut self, reference: SymbolRef) -> Home {
        let owner = self.agreed_owner(reference);
        if let Some(home) = self.homes.get(&owner) {
            return home.clone();
        }
        let home = self.make_static_home(owner);
        self.homes.insert(owner, home.clone());
        home
    }

    fn make_static_home(&mut self, owner: SymbolRef) -> Home {
        let symbol = self.symbol(owner);
        let types = &self.units[owner.unit].types;
        let is_defined = self.global_of[owner.unit].contains_key(&owner.symbol) || symbol.storage == Storage::Static;
        if !is_defined {
            if super::calls::library::OPAQUE_POINTERS.contains(&symbol.name.as_str()) {
                let object = self.extern_object(&symbol.name, symbol.span);
                return Home::Known(self.address_of(object));
            }
            if owner.unit < self.first_model {
                let message =
                    format!("`{}` is declared but defined nowhere; it is taken to start with any value", symbol.name);
                self.warn(Diagnostic::warning(symbol.span, message));
                self.assume(format!("`{}`, which is defined nowhere, is changed by nobody else", symbol.name));
            }
        }
        let scalar = scalar_of(types, symbol.ty.ty).filter(|_| !self.is_address_taken(owner));
        if let Some(scalar) = scalar {
            if symbol.ty.is_const && !symbol.ty.is_volatile && is_defined {
                return Home::Known(self.static_scalar(owner, scalar));
            }
            let is_thread = symbol.storage == Storage::Thread;
            let variable = Variable {
                scope: if is_thread { Scope::Thread } else { Scope::Global },
                init: is_defined.then(|| Value::zero(scalar.into())),
                format: format_of(types, symbol.ty.ty),
                span: symbol.span,
                is_temporary: false,
            };
            let var = self.program.declare(&symbol.name, scalar.into(), variable);
            if is_defined {
                self.queue.push_back(Work::Init(owner));
            }
            return if is_thread { Home::Private(var) } else { Home::Shared(var) };
        }
        let Some(size) = types.size(symbol.ty.ty) else {
            let message = format!("the type of `{}` has no known size", symbol.name);
            self.error(Diagnostic::error(symbol.span, message));
            return Home::Static(self.program.pool.bv(self.program.data_model.word_bits(), 0));
        };
        if symbol.storage == Storage::Thread {
            let var = self.pointer_variable(&format!("&{}", symbol.name), Scope::Thread, symbol.span);
            self.thread_objects.push(owner);
            return Home::Pointed(var);
        }
        let kind = if is_read_only(types, symbol.ty) { ObjectKind::ReadOnly } else { ObjectKind::Data };
        let object = self.new_object(&symbol.name, size, kind, symbol.span);
        self.static_objects.insert(owner, object);
        let record = &mut self.program.objects[object.0 as usize];
        record.shape = shape_of(types, symbol.ty.ty);
        if is_defined {
            self.queue.push_back(Work::Init(owner));
        } else {
            record.fill = Fill::Any;
        }
        let align = self.symbol_align(owner);
        self.layout.set_align(object, align);
        Home::Static(self.address_of(object))
    }

    /// A variable that holds an address.
    pub(super) fn pointer_variable(&mut self, name: &str, scope: Scope, span: Span) -> VarId {
        let word = self.program.data_model.word_bits();
        let init = (scope != Scope::Local).then(|| Value::bv(word, 0));
        let variable = Variable { scope, init, format: Format::Pointer, span, is_temporary: true };
        self.program.declare(name, Sort::Bv(word), variable)
    }

    fn static_scalar(&mut self, owner: SymbolRef, scalar: Scalar) -> TermId {
        let index = self.global_of[owner.unit].get(&owner.symbol).copied();
        let items = index.and_then(|index| self.units[owner.unit].globals[index].init.as_deref());
        match items.and_then(<[InitItem]>::last) {
            Some(item) => self.constant_term(owner.unit, &item.value, scalar),
            None => self.program.pool.constant(Value::zero(scalar.into())),
        }
    }

    /// Sets the initial contents of a static variable.
    pub(super) fn lower_static_init(&mut self, owner: SymbolRef) {
        let Some(index) = self.global_of[owner.unit].get(&owner.symbol).copied() else { return };
        let Some(items) = self.units[owner.unit].globals[index].init.as_deref() else { return };
        self.set_contents(owner, items);
    }

    /// Sets the contents of a compound literal outside of functions.
    pub(super) fn lower_compound_init(&mut self, owner: SymbolRef, items: &[InitItem]) {
        self.set_contents(owner, items);
    }

    fn set_contents(&mut self, owner: SymbolRef, items: &[InitItem]) {
        match self.homes.get(&owner).cloned() {
            Some(Home::Shared(var) | Home::Private(var)) => {
                let scalar = self.program.pool.var_sort(var).scalar().expect("C scalars are scalars");
                if let Some(item) = items.last() {
                    self.program.vars[var.index()].init = Some(self.constant(owner.unit, &item.value, scalar));
                }
            }
            Some(Home::Static(_)) => {
                let init = self.image(owner.unit, items);
                let object = self.static_objects[&owner];
                self.program.objects[object.0 as usize].init = init;
            }
            _ => {}
        }
    }

    /// The scalars of a static initialiser by offset; later items win over earlier ones.
    pub(super) fn image(&mut self, unit: usize, items: &[InitItem]) -> Vec<(u64, Value)> {
        let mut image = Image::default();
        for item in items {
            let types = &self.units[unit].types;
            if let (Type::Array { element, .. }, ExprKind::String(bytes)) = (types.get(item.ty.ty), &item.value.kind) {
                let step = types.size(element.ty).unwrap_or(1) as usize;
                let room = types.size(item.ty.ty).unwrap_or(0) as usize;
                let bytes = &bytes[..room.min(bytes.len())];
                for (at, chunk) in bytes.chunks(step).enumerate() {
                    let value = BitVec::from_bytes_le(chunk.len() as u32 * 8, chunk);
                    image.set(item.offset + (at * step) as u64, Value::Bv(value));
                }
                continue;
            }
            let Some(scalar) = scalar_of(types, item.ty.ty) else {
                self.not_static(&item.value);
                continue;
            };
            let value = self.constant(unit, &item.value, scalar);
            match item.bits {
                Some(bits) => image.set_bits(item.offset, bits, value.as_bv()),
                None => image.set(item.offset, value),
            }
        }
        image.cells.into_iter().collect()
    }

    fn not_static(&mut self, expr: &Expr) {
        self.error(Diagnostic::error(expr.span, "this initialiser is not a constant"));
    }

    /// The value of a constant expression.
    fn constant(&mut self, unit: usize, expr: &Expr, scalar: Scalar) -> Value {
        let term = self.constant_term(unit, expr, scalar);
        let value = self.layout.value(&self.program, term);
        if self.program.pool.as_const(term).is_none() {
            self.layout.note_initial(&value);
        }
        value
    }

    /// A constant expression as a term over the addresses of static objects.
    fn constant_term(&mut self, unit: usize, expr: &Expr, scalar: Scalar) -> TermId {
        let mut body = Body::new(self, unit, None);
        let term = body.eval(expr);
        let is_silent = body.is_silent();
        let is_constant = self.layout.is_constant(&self.program.pool, term) && is_silent;
        if !is_constant || self.program.pool.sort(term) != Sort::from(scalar) {
            self.not_static(expr);
            return self.program.pool.constant(Value::zero(scalar.into()));
        }
        if !self.layout.is_settled(&self.program, term) {
            let message = "an initial value that depends on where objects lie";
            self.error(Diagnostic::unsupported(expr.span, message.to_string()));
        }
        term
    }

    /// Builds the procedure that makes the thread-local objects of a new thread, if there are any.
    pub(super) fn finish_thread_init(&mut self) {
        if self.thread_objects.is_empty() {
            return;
        }
        let proc = self.reserve_proc();
        // Initial values may name functions that nothing else has named, and those may bring further objects.
        let (owners, images) = loop {
            let owners = self.thread_objects.clone();
            let mut images = Vec::new();
            for owner in &owners {
                let index = self.global_of[owner.unit].get(&owner.symbol).copied();
                let items = index.and_then(|index| self.units[owner.unit].globals[index].init.as_deref());
                images.push(self.image(owner.unit, items.unwrap_or_default()));
            }
            self.drain();
            if self.thread_objects.len() == owners.len() {
                break (owners, images);
            }
        };
        let mut body = Body::new(self, 0, None);
        for (owner, image) in owners.iter().zip(images) {
            let Some(Home::Pointed(var)) = body.lw.homes.get(owner).cloned() else { continue };
            let symbol = body.lw.symbol(*owner);
            let size = body.lw.units[owner.unit].types.size(symbol.ty.ty).unwrap_or(0);
            body.span = symbol.span;
            let size = body.word(size);
            let align = body.lw.symbol_align(*owner);
            body.alloc(var, size, AllocKind::Stack, true, align);
            for (offset, value) in image {
                let sort = value.sort().scalar().expect("images hold scalars");
                let base = body.var(var);
                let addr = body.add_offset(base, offset);
                let value = body.pool().constant(value);
                let place = Place::Mem { addr, sort, region: RegionId::ANYWHERE };
                body.emit(Op::Store { place, value, order: Order::Plain });
            }
        }
        body.emit(Op::Return(None));
        let built = body.finish();
        self.install(proc, "thread_init".to_string(), Span::NOWHERE, built);
        self.program.thread_init = Some(proc);
    }
}

/// Scalars by offset that do not overlap.
#[derive(Default)]
struct Image {
    cells: BTreeMap<u64, Value>,
}

impl Image {
    fn set(&mut self, offset: u64, value: Value) {
        let size = size_of(&value);
        self.clear(offset, size);
        self.cells.insert(offset, value);
    }

    /// Sets some bits of the storage unit at an offset.
    fn set_bits(&mut self, offset: u64, (first, count): (u32, u32), value: &BitVec) {
        let width = value.width();
        let old = BitVec::from_bytes_le(width, &self.bytes(offset, u64::from(width / 8)));
        let mask = BitVec::ones(width).lshr_by(width - count).shl_by(first);
        let new = value.shl_by(first).and(&mask);
        self.set(offset, Value::Bv(old.and(&mask.not()).or(&new)));
    }

    /// The cells that a range touches.
    fn touched(&self, offset: u64, size: u64) -> Vec<u64> {
        let start = offset.saturating_sub(16);
        let cells = self.cells.range(start..offset + size).filter(|(at, value)| **at + size_of(value) > offset);
        cells.map(|(at, _)| *at).collect()
    }

    /// The bytes of a range as they are so far. Storage units of bit-fields may overlap in part.
    fn bytes(&self, offset: u64, size: u64) -> Vec<u8> {
        let mut bytes = vec![0; size as usize];
        for at in self.touched(offset, size) {
            for (index, byte) in bytes_of(&self.cells[&at]).into_iter().enumerate() {
                let byte_at = at + index as u64;
                if byte_at >= offset && byte_at < offset + size {
                    bytes[(byte_at - offset) as usize] = byte;
                }
            }
        }
        bytes
    }

    /// Removes what a range covers; what it covers in part is cut into bytes first.
    fn clear(&mut self, offset: u64, size: u64) {
        for at in self.touched(offset, size) {
            let value = self.cells.remove(&at).expect("it was just found");
            for (index, byte) in bytes_of(&value).into_iter().enumerate() {
                let byte_at = at + index as u64;
                if byte_at < offset || byte_at >= offset + size {
                    self.cells.insert(byte_at, Value::bv(8, u64::from(byte)));
                }
            }
        }
    }
}

fn bytes_of(value: &Value) -> Vec<u8> {
    let bits = match value {
        Value::Bv(bits) => bits.clone(),
        Value::F32(bits) => BitVec::new(32, u64::from(*bits)),
        Value::F64(bits) => BitVec::new(64, *bits),
        Value::Bool(_) | Value::Array(_) => unreachable!("C scalars are numbers"),
    };
    bits.to_bytes_le()
}

fn size_of(value: &Value) -> u64 {
    u64::from(value.sort().width().expect("C scalars have a width")) / 8
}
