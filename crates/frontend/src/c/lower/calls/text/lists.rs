//! Variable arguments: `va_start`, `va_arg` and their like in functions of the user's own, and `vprintf` and its like.
//!
//! Whoever calls a function that takes a list makes a block with a slot of sixteen bytes for each argument, and passes its address
//! behind the other arguments; the block ends with the call. A `va_list` is the address of the next slot. Numbers are in the first half of a
//! slot and pointers in the second, so that it shows (`ir::addresses`) which is which. To take more arguments than there are is an access beyond the
//! block; to take one as another type reads what lies in its half, and bytes that were not given are any.
//!
//! Formats are read when they run, by models (`models/lists.c`), as most functions that pass a list on do not know them.

use crate::c::lower::analysis::scan::{self, Part};
use crate::c::lower::body::Body;
use crate::c::lower::calls::families::{Printer, Sink};
use crate::c::lower::context::{FunctionRef, Lowering};
use crate::c::lower::model_types::is_signed;
use crate::c::typed::{Expr, ExprKind, Function};
use crate::c::types::{Type, TypeId};
use ir::{AllocKind, Format, HavocKind, Op, Order, Span};
use logic::{Scalar, Sort, TermId};

/// Bytes for each argument, and those before a pointer.
const SLOT: u64 = 16;
const POINTER: u64 = 8;

/// Whether a function looks at its variable arguments.
fn starts_list(function: &Function) -> bool {
    let mut found = false;
    scan::visit(&function.body, &mut |part| {
        if let Part::Expr(Expr { kind: ExprKind::Builtin { name, .. }, .. }) = part {
            found |= name.ends_with("va_start");
        }
        !found
    });
    found
}

impl Lowering<'_> {
    /// Whether callers of a function make a list for it.
    pub(in crate::c::lower) fn takes_list(&mut self, reference: FunctionRef) -> bool {
        let function = self.function(reference);
        if !function.is_variadic || !self.is_user_function(reference) {
            return false;
        }
        *self.list_takers.entry(reference).or_insert_with(|| starts_list(function))
    }
}

impl Body<'_, '_> {
    /// Declares the parameter that a list comes in.
    pub(in crate::c::lower) fn declare_list(&mut self, function: &Function) {
        if function.is_variadic && !self.is_model() && starts_list(function) {
            let sort = Sort::Bv(self.word_bits());
            let list = self.declare_local("...", sort, Format::Pointer, Span::NOWHERE);
            self.params.push(list);
            self.list_start = Some(list);
        }
    }

    /// Makes a block of arguments.
    pub(in crate::c::lower) fn argument_block(&mut self, given: &[(TermId, TypeId)]) -> TermId {
        let dst = self.temporary(Sort::Bv(self.word_bits()));
        let size = self.word((given.len() as u64 * SLOT).max(1));
        self.alloc(dst, size, AllocKind::Stack, false, SLOT);
        let block = self.var(dst);
        for (index, (value, ty)) in given.iter().enumerate() {
            if self.is_record(*ty) {
                self.unsupported("a struct or union among variable arguments");
                break;
            }
            let sort = self.scalar_or_refuse(*ty);
            let half = if self.is_pointer(*ty) { POINTER } else { 0 };
            let addr = self.add_offset(block, index as u64 * SLOT + half);
            self.emit(Op::Store { place: Self::memory(addr, sort), value: *value, order: Order::Plain });
            if half == 0 && self.as_number(*value) == Some(0) {
                // Programs end lists of pointers by a plain zero.
                let (null, word) = (self.word(0), Scalar::Bv(self.word_bits()));
                let addr = self.add_offset(block, index as u64 * SLOT + POINTER);
                self.emit(Op::Store { place: Self::memory(addr, word), value: null, order: Order::Plain });
            }
        }
        block
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.types().get(ty), Type::Pointer(_))
    }

    /// Ends a block after the call that it was made for.
    pub(in crate::c::lower) fn end_block(&mut self, block: Option<TermId>) {
        if let Some(addr) = block {
            self.emit(Op::Free { addr, kind: AllocKind::Stack });
        }
    }

    /// `va_start`, `va_copy` and `va_end`.
    pub(in crate::c::lower) fn list_builtin(&mut self, name: &str, args: &[Expr]) {
        let value = match (name, args) {
            ("va_start", [_]) => match self.list_start {
                Some(list) => self.var(list),
                None => return self.unsupported("`va_start` in this function"),
            },
            ("va_copy", [_, from]) => self.eval(from),
            _ => return,
        };
        let to = self.lvalue(&args[0]);
        self.store(&to, value);
    }

    /// `va_arg`: the value in the next slot.
    pub(in crate::c::lower) fn next_argument(&mut self, list: &Expr, ty: TypeId) -> TermId {
        if self.is_record(ty) {
            self.unsupported("`va_arg` of a struct or union");
            return self.some_value(ty);
        }
        let list = self.lvalue(list);
        let at = self.load(&list);
        let at = self.kept(at);
        let next = self.add_offset(at, SLOT);
        self.store(&list, next);
        let sort = self.scalar_or_refuse(ty);
        let half = if self.is_pointer(ty) { POINTER } else { 0 };
        let place = self.add_offset(at, half);
        self.load_place(Self::memory(place, sort), Order::Plain)
    }

    /// Calls `vprintf` or its like.
    pub(in crate::c::lower) fn print_list_call(
        &mut self,
        expr: &Expr,
        name: &str,
        printer: Printer,
        args: &[Expr],
        is_wanted: bool,
    ) -> Option<TermId> {
        let only_sign = self.needs_only_sign(expr);
        if args.len() <= printer.format + 1 || printer.is_wide {
            self.unsupported(&format!("this use of `{name}`"));
            return None;
        }
        let values: Vec<TermId> = args.iter().map(|arg| self.eval(arg)).collect();
        let values: Vec<TermId> = values.into_iter().map(|value| self.kept(value)).collect();
        let (format, list) = (values[printer.format], values[printer.format + 1]);
        let mut stream = None;
        if let Sink::Stream(index) = printer.sink {
            stream = Some(values[index]);
            if !self.is_standard_stream(&args[index]) {
                self.call_model("use_stream", vec![values[index]], false);
            }
        }
        let (zero, all) = (self.word(0), self.all_ones());
        let outside = matches!(printer.sink, Sink::Stream(_) | Sink::Outside);
        if outside && (!is_wanted || only_sign) {
            self.call_model("read_list_format", vec![format, list], false);
            let some = is_wanted.then(|| self.havoc(Sort::Bv(32), HavocKind::Choice));
            return self.print_noted(name, printer, stream, some);
        }
        let (to, room) = match printer.sink {
            Sink::Stream(_) | Sink::Outside | Sink::Block => (zero, zero),
            Sink::Memory => (values[0], all),
            Sink::Limited => {
                let (bits, signed) = (self.word_bits(), is_signed(self.types(), args[1].ty.ty));
                (values[0], self.pool().resize(values[1], signed, bits))
            }
        };
        let mut result = self.put_list(name, to, room, format, list)?;
        if printer.sink == Sink::Block {
            let bits = self.word_bits();
            let length = self.pool().resize(result, false, bits);
            let one = self.word(1);
            let size = self.pool().add(length, one);
            let block = self.call_model("malloc", vec![size], true)?;
            let block = self.kept(block);
            let place = Self::memory(values[0], Scalar::Bv(bits));
            self.emit(Op::Store { place, value: block, order: Order::Plain });
            result = self.put_list(name, block, all, format, list)?;
        }
        if outside {
            result = self.call_model("or_negative", vec![result], true)?;
            self.print_noted(name, printer, stream, Some(result));
        }
        is_wanted.then_some(result)
    }

    /// Makes a text from a format and a list; yields its length.
    fn put_list(&mut self, name: &str, to: TermId, room: TermId, format: TermId, list: TermId) -> Option<TermId> {
        let length = self.call_model("put_list_format", vec![to, room, format, list], true)?;
        let length = self.kept(length);
        let refused = self.all_ones();
        let is_refused = self.pool().eq(length, refused);
        self.refuse_if(is_refused, &format!("`{name}` with a conversion of floating-point numbers or wide characters"));
        self.call_model("put_end", vec![to, room, length], true)
    }
}
