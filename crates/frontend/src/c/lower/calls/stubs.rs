//! What does a function do that nobody wrote?
//!
//! It is refused where it is called, and its name is kept for the answer, which lists all of them. Under `--stub havoc` it returns any value of its
//! type (as `entry::harness` has it: a pointer is null or to a new block) and may write any value into what its pointer arguments
//! point to, if that is not `const`: the whole variable or array where the argument names one, else one object of the type. Locks are left
//! alone, so are globals, what is reached through further pointers, and what a pointer without a type points to; functions that it is given are
//! not called. The program carries all of that as an assumption.

use crate::c::lower::analysis::scan::{self, Part};
use crate::c::lower::body::Body;
use crate::c::lower::calls::library;
use crate::c::lower::context::{FunctionRef, Lowering, SymbolRef};
use crate::c::lower::entry::is_lock;
use crate::c::typed::{Expr, ExprKind, Storage, SymbolId};
use crate::c::types::{IntKind, QualType, Type, TypeId};
use ir::{CheckKind, HavocKind, Op, Order};
use logic::{Sort, TermId};
use rustc_hash::FxHashSet;

/// How many pointers deep the result of a stub goes.
const DEPTH: u32 = 1;

/// Elements of an array that a stub writes one by one.
const ELEMENTS: u64 = 256;

impl Lowering<'_> {
    /// Every function that is missing, as far as the text shows: what comes after a call that is refused is not lowered, but would be missed next.
    pub(in crate::c::lower) fn all_missing(&self) -> Vec<String> {
        let mut missing = self.missing.clone();
        if missing.is_empty() {
            return Vec::new();
        }
        let mut work: Vec<FunctionRef> = self.procs.keys().copied().filter(|f| self.is_user_function(*f)).collect();
        let mut seen: FxHashSet<FunctionRef> = work.iter().copied().collect();
        while let Some(function) = work.pop() {
            for symbol in self.named_in(function) {
                let reference = SymbolRef { unit: function.unit, symbol };
                match self.resolve_function(reference) {
                    Some(other) if self.is_user_function(other) && seen.insert(other) => work.push(other),
                    None if self.is_unknown(&self.symbol(reference).name) => {
                        missing.insert(self.symbol(reference).name.clone());
                    }
                    _ => {}
                }
            }
        }
        missing.into_iter().collect()
    }

    /// The functions that a function names.
    fn named_in(&self, function: FunctionRef) -> Vec<SymbolId> {
        let mut found = Vec::new();
        scan::visit(&self.function(function).body, &mut |part| {
            if let Part::Expr(Expr { kind: ExprKind::Symbol(symbol), .. }) = part {
                let record = self.symbol(SymbolRef { unit: function.unit, symbol: *symbol });
                if record.storage == Storage::Function {
                    found.push(*symbol);
                }
            }
            true
        });
        found
    }

    fn is_unknown(&self, name: &str) -> bool {
        let is_special = name.starts_with("__builtin_") || matches!(name, "alloca");
        !is_special && library::known(name).is_none() && !self.options.assume_pure.iter().any(|pure| pure == name)
    }
}

impl Body<'_, '_> {
    /// Calls a function without a body and a model.
    pub(super) fn missing_call(
        &mut self,
        expr: &Expr,
        name: &str,
        reference: Option<SymbolRef>,
        args: &[Expr],
        is_wanted: bool,
    ) -> Option<TermId> {
        if !self.lw.options.havoc_stubs {
            self.refuse_missing(name);
            return None;
        }
        self.stub_effects(name, args);
        if reference.is_some_and(|reference| self.lw.symbol(reference).is_noreturn) {
            self.emit(Op::ExitProcess { is_abort: true });
            return None;
        }
        if !is_wanted || matches!(self.types().get(expr.ty.ty), Type::Void) {
            return None;
        }
        Some(self.any_instance(expr.ty, DEPTH, false))
    }

    /// Calls one that returns a record, into the object at `out`.
    pub(super) fn missing_record(&mut self, callee: &Expr, args: &[Expr], ty: QualType, out: TermId) {
        let Some(reference) = self.named_function(callee) else { return };
        let name = self.lw.symbol(reference).name.clone();
        if !self.lw.options.havoc_stubs {
            return self.refuse_missing(&name);
        }
        self.stub_effects(&name, args);
        self.write_any(out, ty);
    }

    fn refuse_missing(&mut self, name: &str) {
        self.lw.missing.insert(name.to_string());
        let advice = format!(
            "give it a body (--stubs FILE), say --assume-pure {name} if it only returns a value, or --stub havoc if it may do more"
        );
        let what = format!("call of `{name}`, which has no body and no model");
        let diagnostic = ir::Diagnostic::unsupported(self.span, what.clone());
        self.lw.warn(diagnostic.with_note(advice));
        self.fail(CheckKind::Unsupported(what.into()));
    }

    /// Evaluates the arguments of a stub and writes what they point to, or not.
    fn stub_effects(&mut self, name: &str, args: &[Expr]) {
        self.lw.stubbed.insert(name.to_string());
        let values: Vec<TermId> = self.arguments(args).into_iter().map(|value| self.kept(value)).collect();
        for (arg, value) in args.iter().zip(values) {
            let Some(target) = self.written_by_stub(arg) else { continue };
            let (write, end) = (self.new_loc(), self.new_loc());
            let bit = self.havoc(Sort::Bv(1), HavocKind::Choice);
            let writes = self.truth(bit);
            let is_there = self.truth(value);
            let writes = self.pool().and(writes, is_there);
            self.branch_on(writes, write, end);
            self.resume_at(write);
            self.write_any(value, target);
            self.goto(end);
            self.resume_at(end);
        }
    }

    /// The type of what a stub may write through an argument.
    fn written_by_stub(&self, arg: &Expr) -> Option<QualType> {
        let types = self.types();
        let named = match &arg.kind {
            ExprKind::Cast(inner) if matches!(types.get(inner.ty.ty), Type::Pointer(_)) => {
                let is_const = super::super::model_types::pointee(types, arg.ty.ty).is_some_and(|to| to.is_const);
                return if is_const { None } else { self.written_by_stub(inner) };
            }
            ExprKind::Decay(inner) | ExprKind::AddressOf(inner) => inner.ty,
            _ => match types.get(arg.ty.ty) {
                Type::Pointer(target) => *target,
                _ => return None,
            },
        };
        let is_const = named.is_const
            || match types.get(named.ty) {
                Type::Array { element, .. } => element.is_const,
                _ => false,
            };
        let is_object = !matches!(types.get(named.ty), Type::Void | Type::Function { .. });
        (!is_const && is_object && types.size(named.ty).is_some()).then_some(named)
    }

    /// Writes any value into an object that may have had one; locks are left alone, and pointers may be.
    fn write_any(&mut self, address: TermId, ty: QualType) {
        let types = self.types();
        let order = if ty.is_atomic { Order::SeqCst } else { Order::Plain };
        match types.get(ty.ty) {
            Type::Record(_) if is_lock(types, ty.ty) => {}
            Type::Record(id) => {
                let record = types.record(*id);
                if record.is_union {
                    return self.forget_typed(address, ty.ty);
                }
                let mut last = None;
                for field in record.fields.as_deref().unwrap_or_default() {
                    // Bit-fields of one storage unit are written together.
                    let unit = field.bits.map(|_| field.offset);
                    if unit.is_some() && unit == last {
                        continue;
                    }
                    last = unit;
                    let at = self.add_offset(address, field.offset);
                    self.write_any(at, field.ty);
                }
            }
            Type::Array { element, len: Some(len) } => self.write_any_elements(address, ty.ty, *element, *len),
            Type::Pointer(_) => {
                let (other, end) = (self.new_loc(), self.new_loc());
                let bit = self.havoc(Sort::Bv(1), HavocKind::Choice);
                let changes = self.truth(bit);
                self.branch_on(changes, other, end);
                self.resume_at(other);
                let value = self.any_instance(ty, DEPTH, false);
                self.store_any(address, ty.ty, value, order);
                self.goto(end);
                self.resume_at(end);
            }
            Type::Void => {}
            _ => {
                if let Some(value) = self.any_value(ty.ty, HavocKind::Input) {
                    self.store_any(address, ty.ty, value, order);
                }
            }
        }
    }

    fn write_any_elements(&mut self, address: TermId, ty: TypeId, element: QualType, len: u64) {
        let types = self.types();
        if matches!(types.get(element.ty), Type::Int(kind) if *kind != IntKind::Bool) {
            return self.forget_typed(address, ty);
        }
        if len > ELEMENTS {
            return self.unsupported("a stub that is given a long array");
        }
        let step = types.size(element.ty).unwrap_or(0);
        for index in 0..len {
            let at = self.add_offset(address, index * step);
            self.write_any(at, element);
        }
    }

    fn store_any(&mut self, address: TermId, ty: TypeId, value: TermId, order: Order) {
        let sort = self.scalar_or_refuse(ty);
        self.emit(Op::Store { place: Self::memory(address, sort), value, order });
    }
}
