//! Which values does a type have, for functions that nobody calls and results of functions that nobody wrote?
//!
//! Numbers are any. A pointer is null or points to one new block of its own: a text for characters, an object of the type else, or a
//! few bytes where the type is not known. What such an object holds is arbitrary in the same way down to `DEPTH` pointers, deeper ones are
//! null; locks in it are free. So no two pointers are equal, nothing is longer than one object, and the caller keeps none of it. This
//! is less than C allows, and the program carries it as an assumption.

use crate::c::lower::body::Body;
use crate::c::lower::context::SymbolRef;
use crate::c::typed::Function;
use crate::c::types::{IntKind, QualType, Type, TypeId, Types};
use ir::{AllocKind, HavocKind, Op, Order};
use logic::{Scalar, Sort, TermId};

/// How many pointers are followed from an argument.
const DEPTH: u32 = 2;

/// Bytes of a block that is pointed to without a type.
const UNTYPED: u64 = 64;

/// Elements of an array that are made one by one.
const ELEMENTS: u64 = 64;

impl Body<'_, '_> {
    /// Any arguments for a function.
    pub(super) fn any_arguments(&mut self, function: &Function) -> Vec<TermId> {
        let name = self.lw.symbol(SymbolRef { unit: self.unit, symbol: function.symbol }).name.clone();
        let types: Vec<QualType> = function
            .params
            .iter()
            .map(|param| self.lw.symbol(SymbolRef { unit: self.unit, symbol: *param }).ty)
            .collect();
        let mut args = Vec::new();
        if self.is_record(function.result.ty) {
            // A record is returned through a pointer to where it goes.
            let size = self.types().size(function.result.ty).unwrap_or(1);
            args.push(self.new_block(size));
        }
        if function.is_variadic {
            self.unsupported("an entry function with variable arguments");
        }
        for ty in &types {
            let value = self.any_instance(*ty, DEPTH, self.lw.options.nonnull);
            args.push(self.kept(value));
        }
        if types.iter().any(|ty| matches!(self.types().get(ty.ty), Type::Pointer(_) | Type::Record(_))) {
            let null = if self.lw.options.nonnull { "" } else { "null or " };
            let length = self.lw.options.arguments.length;
            self.lw.assume(format!(
                "`{name}` is given pointers that are {null}to one new object each, of its type, two pointers deep; those to \
                 functions are null, texts have at most {length} characters (--entry)"
            ));
        }
        args
    }

    /// Any value of a type; of a record, the address of a new one.
    pub(in crate::c::lower) fn any_instance(&mut self, ty: QualType, depth: u32, nonnull: bool) -> TermId {
        match self.types().get(ty.ty) {
            Type::Pointer(target) => self.any_pointer(*target, depth, nonnull),
            Type::Record(_) => {
                let size = self.types().size(ty.ty).unwrap_or(1);
                let address = self.new_block(size);
                self.fill_any(address, ty.ty, depth);
                address
            }
            _ => match self.any_value(ty.ty, HavocKind::Input) {
                Some(value) => value,
                None => self.word(0),
            },
        }
    }

    fn any_pointer(&mut self, target: QualType, depth: u32, nonnull: bool) -> TermId {
        let word = Sort::Bv(self.word_bits());
        let dst = self.lasting_temporary(word);
        let null = self.word(0);
        self.assign(dst, null);
        if matches!(self.types().get(target.ty), Type::Function { .. }) {
            if nonnull {
                self.unsupported("a pointer to a function that is not known");
            }
            return self.var(dst);
        }
        if depth == 0 {
            return self.var(dst);
        }
        let (some, end) = (self.new_loc(), self.new_loc());
        if !nonnull {
            let bit = self.havoc(Sort::Bv(1), HavocKind::Choice);
            let is_there = self.truth(bit);
            self.branch_on(is_there, some, end);
            self.resume_at(some);
        }
        let address = self.pointed_block(target, depth);
        self.assign(dst, address);
        self.goto(end);
        self.resume_at(end);
        self.var(dst)
    }

    /// A new block for a pointer to a type.
    fn pointed_block(&mut self, target: QualType, depth: u32) -> TermId {
        let types = self.types();
        let is_text = matches!(types.int_kind(target.ty), Some(IntKind::Char | IntKind::SChar | IntKind::UChar));
        if is_text && !matches!(types.get(target.ty), Type::Enum(_)) {
            let length = u64::from(self.lw.options.arguments.length);
            let length = self.word(length);
            return self.call_model("any_text", vec![length], true).expect("it returns a pointer");
        }
        let size = match types.get(target.ty) {
            Type::Void => UNTYPED,
            _ => types.size(target.ty).unwrap_or(1).max(1),
        };
        let address = self.new_block(size);
        self.fill_any(address, target.ty, depth - 1);
        address
    }

    /// A block that whoever has it may free.
    fn new_block(&mut self, size: u64) -> TermId {
        let dst = self.lasting_temporary(Sort::Bv(self.word_bits()));
        let size = self.word(size);
        let align = self.heap_align();
        self.alloc(dst, size, AllocKind::Heap, false, align);
        self.var(dst)
    }

    /// Gives the parts of a new object values where any bytes will not do: pointers, truth values and locks.
    fn fill_any(&mut self, address: TermId, ty: TypeId, depth: u32) {
        let types = self.types();
        if !needs_care(types, ty) {
            return;
        }
        match types.get(ty) {
            Type::Pointer(_) | Type::Int(IntKind::Bool) => {
                let value = self.any_instance(QualType::plain(ty), depth, false);
                let sort = self.scalar(ty).unwrap_or(Scalar::Bv(self.word_bits()));
                self.emit(Op::Store { place: Self::memory(address, sort), value, order: Order::Plain });
            }
            Type::Array { element, len: Some(len) } => {
                if *len > ELEMENTS {
                    self.unsupported("an argument with a long array of pointers or locks");
                    return;
                }
                let step = types.size(element.ty).unwrap_or(0);
                for index in 0..*len {
                    let at = self.add_offset(address, index * step);
                    self.fill_any(at, element.ty, depth);
                }
            }
            Type::Record(_) if is_lock(types, ty) => self.clear_new(address, ty),
            Type::Record(id) => {
                let record = types.record(*id);
                let fields = record.fields.as_deref().unwrap_or_default();
                let n_fields = if record.is_union { 1 } else { fields.len() };
                for field in fields.iter().take(n_fields).filter(|field| field.bits.is_none()) {
                    let at = self.add_offset(address, field.offset);
                    self.fill_any(at, field.ty.ty, depth);
                }
            }
            _ => {}
        }
    }
}

/// Whether a type is one of the thread library's: a union of bytes and members that only the library knows.
pub(in crate::c::lower) fn is_lock(types: &Types, ty: TypeId) -> bool {
    let Type::Record(id) = types.get(ty) else { return false };
    let fields = types.record(*id).fields.as_deref().unwrap_or_default();
    let has = |name: &str| fields.iter().any(|field| field.name.as_deref() == Some(name));
    has("__size") && has("__align")
}

/// Whether not every pattern of bytes is a useful value of the type.
fn needs_care(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Pointer(_) | Type::Int(IntKind::Bool) => true,
        Type::Array { element, .. } => needs_care(types, element.ty),
        Type::Record(id) => {
            let fields = types.record(*id).fields.as_deref().unwrap_or_default();
            is_lock(types, ty) || fields.iter().any(|field| needs_care(types, field.ty.ty))
        }
        _ => false,
    }
}
