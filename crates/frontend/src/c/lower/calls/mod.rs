//! What happens at a call?
//!
//! By name, in this order: the error calls and atomic sections of the verification world, even when the program defines
//! them; the user's own functions; what the lowering knows itself (`library`); the library models; functions
//! declared pure on the command line. Anything else is refused at its place, or taken for a stub ([`stubs`]). Arguments are
//! adapted to the callee's parameters, so that models need not know the user's types; in which order they are taken is
//! in `order`.

pub(in crate::c::lower) mod asm;
mod atomics;
mod builtins;
pub(super) mod families;
mod intrinsics;
pub(in crate::c::lower) mod library;
mod messages;
pub(in crate::c::lower) mod results;
mod stubs;
mod system;
mod text;

use super::context::{FunctionRef, SymbolRef};
use super::model_types::{is_signed, scalar_of};
use crate::c::lower::body::Body;
use crate::c::typed::{Expr, ExprKind, SymbolId};
use crate::c::types::{IntKind, Type, TypeId};
use families::{Printer, Sink};
use ir::{Callee, CheckKind, HavocKind, Op};
use library::Known;
use logic::{Sort, TermId};
use text::formats;

/// The signal that `abort` sends, which a handler may catch.
const SIGABRT: u64 = 6;

impl Body<'_, '_> {
    /// Calls; yields the value, if there is one and it is wanted.
    pub(in crate::c::lower) fn call(
        &mut self,
        expr: &Expr,
        callee: &Expr,
        args: &[Expr],
        is_wanted: bool,
    ) -> Option<TermId> {
        if !self.is_reachable() {
            return None;
        }
        if self.is_record(expr.ty.ty) {
            self.record_address(expr);
            return None;
        }
        let Some(reference) = self.named_function(callee) else {
            let pointer = self.eval(callee);
            let (values, block) = self.arguments_through(callee, args);
            let value = self.emit_call(Callee::Pointer(pointer), values, expr.ty.ty, is_wanted);
            self.end_block(block);
            return value;
        };
        let name = self.lw.symbol(reference).name.clone();
        self.call_named(expr, &name, Some(reference), args, is_wanted)
    }

    /// Calls a function by name; builtins such as `__builtin_memcpy` come here without a symbol.
    pub(in crate::c::lower) fn call_named(
        &mut self,
        expr: &Expr,
        name: &str,
        reference: Option<SymbolRef>,
        args: &[Expr],
        is_wanted: bool,
    ) -> Option<TermId> {
        if self.is_model() && name.starts_with("__ravel_") {
            return self.intrinsic(expr, name, args);
        }
        let function = match reference {
            Some(reference) => self.lw.resolve_function(reference),
            None => self.lw.functions.get(name).copied(),
        };
        let is_users = function.is_some_and(|function| self.lw.is_user_function(function));
        match library::known(name) {
            Some(Known::Malloc | Known::Calloc) if self.is_model() => {}
            Some(Known::Free) if self.is_model() || self.lw.facts.uses("realloc") => {}
            Some(known) if !is_users || known.overrides_definitions() => {
                return self.known_call(expr, name, known, args, is_wanted);
            }
            _ => {}
        }
        if let ("alloca", false, [size]) = (name, is_users, args) {
            return Some(self.alloca(size));
        }
        if !is_users && let Some(target) = self.expanded(name, args) {
            return Some(target);
        }
        let may_change = ["setenv", "putenv", "unsetenv"].iter().any(|change| self.lw.facts.uses(change));
        if let ("getenv", false, [variable]) = (name, is_users, args)
            && !may_change
            && let Some(variable) = formats::literal(variable)
            && let Some(number) = self.lw.environment_number(formats::before_end(variable))
        {
            let number = self.pool().bv(32, number);
            return self.call_model("getenv_numbered", vec![number], is_wanted);
        }
        if (name, is_users) == ("syscall", false)
            && let Some((number, args)) = args.split_first()
            && let Some(name) = self.system_call(number)
        {
            let function = self.lw.model_function(name);
            let (values, block) = self.arguments_for(function, name, args);
            self.lw.note_model(name);
            let value = self.call_model(name, values, true)?;
            self.end_block(block);
            return Some(self.adapt_result(value, function, expr.ty.ty));
        }
        if let Some(function) = function {
            let may_show = ["pthread_cancel", "__errno_location", "ferror"].iter().any(|name| self.lw.facts.uses(name));
            if !is_users
                && !is_wanted
                && !may_show
                && library::only_looks(name)
                && args.iter().all(|arg| self.is_plain(arg))
            {
                args.iter().for_each(|arg| self.discard(arg));
                self.lw.note_unseen_output();
                return None;
            }
            let (args, block) = self.arguments_for(function, name, args);
            let proc = self.lw.proc_of(function);
            if is_users {
                let value = self.emit_known_call(proc, function, args, is_wanted);
                self.end_block(block);
                return value.map(|value| self.adapt_result(value, function, expr.ty.ty));
            }
            self.lw.note_model(name);
            if name == "pthread_rwlock_rdlock" && self.lw.facts.has_special_rwlock {
                self.unsupported("a read-write lock that prefers writers");
            }
            if is_wanted && name == "pthread_barrier_wait" {
                let what = "of the threads at a barrier the last to arrive gets PTHREAD_BARRIER_SERIAL_THREAD";
                self.lw.assume(what.to_string());
            }
            let types = &self.lw.units[function.unit].types;
            let sort = scalar_of(types, self.lw.function(function).result.ty).map_or(Sort::Bv(32), Sort::from);
            let value = self.fallible(name, sort, |body| body.emit_known_call(proc, function, args, is_wanted))?;
            let value = match families::fixed(name).filter(|_| is_wanted && !self.is_model()) {
                Some(fixed) => self.widened(expr, fixed, value),
                None => value,
            };
            return Some(self.adapt_result(value, function, expr.ty.ty));
        }
        if self.lw.options.assume_pure.iter().any(|pure| pure == name) {
            self.lw.taken_as_pure.insert(name.to_string());
            args.iter().for_each(|arg| self.discard(arg));
            return is_wanted.then(|| self.any_value(expr.ty.ty, HavocKind::Input)).flatten();
        }
        self.missing_call(expr, name, reference, args, is_wanted)
    }

    /// Calls a function that returns a record into the object at `out`.
    pub(in crate::c::lower) fn call_into(&mut self, expr: &Expr, callee: &Expr, args: &[Expr], out: TermId) {
        let function = self.named_function(callee).and_then(|reference| self.lw.resolve_function(reference));
        match function {
            Some(function) => {
                let mut values = vec![out];
                let (given, block) = self.arguments_for(function, "", args);
                values.extend(given);
                let proc = self.lw.proc_of(function);
                self.emit_known_call(proc, function, values, false);
                self.end_block(block);
            }
            None if self.named_function(callee).is_some() => {
                self.span = expr.span;
                self.missing_record(callee, args, expr.ty, out);
            }
            None => {
                let pointer = self.eval(callee);
                let mut values = vec![out];
                let (given, block) = self.arguments_through(callee, args);
                values.extend(given);
                self.emit(Op::Call { callee: Callee::Pointer(pointer), args: values, result: None });
                self.end_block(block);
            }
        }
    }

    /// The value of an argument; of a record, its address.
    fn argument(&mut self, arg: &Expr) -> TermId {
        if self.is_record(arg.ty.ty) { self.record_address(arg) } else { self.eval(arg) }
    }

    fn arguments(&mut self, args: &[Expr]) -> Vec<TermId> {
        args.iter().map(|arg| self.argument(arg)).collect()
    }

    /// The arguments of a call through a pointer, with those of `...` in a block.
    fn arguments_through(&mut self, callee: &Expr, args: &[Expr]) -> (Vec<TermId>, Option<TermId>) {
        let mut values = self.arguments(args);
        let types = self.types();
        let target = super::model_types::pointee(types, callee.ty.ty).map_or(callee.ty.ty, |target| target.ty);
        let Type::Function { params, is_variadic: true, .. } = types.get(target) else { return (values, None) };
        let n_fixed = params.len().min(values.len());
        let more: Vec<(TermId, TypeId)> =
            values.split_off(n_fixed).into_iter().zip(args[n_fixed..].iter().map(|arg| arg.ty.ty)).collect();
        let block = self.argument_block(&more);
        values.push(block);
        (values, Some(block))
    }

    /// The arguments as the callee's parameters: converted, missing ones arbitrary, those of `...` in a block if the callee looks at them.
    fn arguments_for(&mut self, function: FunctionRef, name: &str, args: &[Expr]) -> (Vec<TermId>, Option<TermId>) {
        let callee = self.lw.function(function);
        let types = &self.lw.units[function.unit].types;
        let (mut values, mut more) = (Vec::new(), Vec::new());
        for (index, arg) in args.iter().enumerate() {
            let started = library::starts_thread(name).filter(|_| !self.lw.is_user_function(function));
            let entry = started.filter(|(at, _)| *at == index).and_then(|(_, is_int)| self.thread_entry(arg, is_int));
            let value = match entry {
                Some(entry) => entry,
                None => self.argument(arg),
            };
            let Some(param) = callee.params.get(index) else {
                more.push((value, arg.ty.ty));
                continue;
            };
            let param = self.lw.symbol(SymbolRef { unit: function.unit, symbol: *param });
            let is_float =
                |scalar: Option<logic::Scalar>| scalar.map(|it| matches!(it, logic::Scalar::F32 | logic::Scalar::F64));
            let is_same = is_float(self.scalar(arg.ty.ty)) == is_float(scalar_of(types, param.ty.ty));
            if self.lw.is_user_function(function) && !is_same {
                self.unsupported(&format!("call of `{name}`, which another file defines with other types,"));
                let sort = scalar_of(types, param.ty.ty).map_or(Sort::Bv(self.word_bits()), Sort::from);
                values.push(self.zero(sort));
                continue;
            }
            let value = match scalar_of(types, param.ty.ty) {
                Some(scalar) if !self.is_record(arg.ty.ty) => {
                    let from_signed = is_signed(self.types(), arg.ty.ty);
                    self.convert_to(value, from_signed, scalar, is_signed(types, param.ty.ty))
                }
                // A union that is passed like the pointer in it.
                Some(scalar) if !self.lw.is_user_function(function) => {
                    self.load_place(Self::memory(value, scalar), ir::Order::Plain)
                }
                _ => value,
            };
            values.push(value);
        }
        for param in callee.params.iter().skip(args.len()) {
            let param = self.lw.symbol(SymbolRef { unit: function.unit, symbol: *param });
            let word = Sort::Bv(self.word_bits());
            let sort = scalar_of(types, param.ty.ty).map_or(word, Sort::from);
            values.push(self.havoc(sort, HavocKind::Uninit));
        }
        let block = self.lw.takes_list(function).then(|| self.argument_block(&more));
        values.extend(block);
        (values, block)
    }

    /// The address of a procedure that takes a word and returns a word or an `int`, if the argument names a function that does not.
    fn thread_entry(&mut self, arg: &Expr, is_int: bool) -> Option<TermId> {
        let reference = self.named_function(arg)?;
        let function = self.lw.resolve_function(reference)?;
        let symbol = self.lw.symbol(reference);
        let proc = self.lw.proc_of(function);
        let wanted = logic::Scalar::Bv(if is_int { 32 } else { self.word_bits() });
        let entry = self.lw.thread_entry(function, proc, wanted)?;
        let object = self.lw.proc_object(entry, &symbol.name, symbol.span);
        Some(self.lw.address_of(object))
    }

    fn emit_known_call(
        &mut self,
        proc: ir::ProcId,
        function: FunctionRef,
        args: Vec<TermId>,
        is_wanted: bool,
    ) -> Option<TermId> {
        let types = &self.lw.units[function.unit].types;
        let scalar = scalar_of(types, self.lw.function(function).result.ty).filter(|_| is_wanted);
        let result = scalar.map(|scalar| self.temporary(scalar.into()));
        self.emit(Op::Call { callee: Callee::Proc(proc), args, result });
        result.map(|result| self.var(result))
    }

    fn emit_call(&mut self, callee: Callee, args: Vec<TermId>, ty: TypeId, is_wanted: bool) -> Option<TermId> {
        let scalar = self.scalar(ty).filter(|_| is_wanted);
        let result = scalar.map(|scalar| self.temporary(scalar.into()));
        self.emit(Op::Call { callee, args, result });
        result.map(|result| self.var(result))
    }

    fn adapt_result(&mut self, value: TermId, function: FunctionRef, to: TypeId) -> TermId {
        let types = &self.lw.units[function.unit].types;
        let from_signed = is_signed(types, self.lw.function(function).result.ty);
        match self.scalar(to) {
            Some(scalar) => self.convert_to(value, from_signed, scalar, is_signed(self.types(), to)),
            None => value,
        }
    }

    /// Any value of a type; none of `void`.
    pub(in crate::c::lower) fn any_value(&mut self, ty: TypeId, kind: HavocKind) -> Option<TermId> {
        match self.types().get(ty) {
            Type::Void => None,
            Type::Int(IntKind::Bool) => {
                let bit = self.havoc(Sort::Bv(1), kind);
                Some(self.pool().zero_extend(bit, 8))
            }
            _ => {
                let sort = self.scalar_or_refuse(ty).into();
                Some(self.havoc(sort, kind))
            }
        }
    }

    /// Does what a name means that counts even if the program defines the function.
    pub(in crate::c::lower) fn mean(&mut self, known: Known) {
        match known {
            Known::Error => self.fail(CheckKind::ErrorCall),
            Known::AtomicBegin => self.emit(Op::AtomicBegin),
            Known::AtomicEnd => self.emit(Op::AtomicEnd),
            _ => unreachable!("{known:?} gives way to a definition"),
        }
    }

    fn known_call(&mut self, expr: &Expr, name: &str, known: Known, args: &[Expr], is_wanted: bool) -> Option<TermId> {
        let ty = expr.ty.ty;
        match known {
            Known::Error | Known::AtomicBegin | Known::AtomicEnd => {
                args.iter().for_each(|arg| self.discard(arg));
                self.mean(known);
                None
            }
            Known::AssertFail => {
                if let Some(text) = args.first().and_then(Self::literal_text) {
                    let site = ir::SiteId(self.lw.program.n_sites);
                    self.lw.program.assertions.insert(site, text);
                }
                self.fail(CheckKind::Assertion);
                None
            }
            Known::Assert | Known::Assume => {
                let (cond, rest) = args.split_first()?;
                let truth = self.condition(cond);
                rest.iter().for_each(|arg| self.discard(arg));
                if known == Known::Assert {
                    self.check(truth, CheckKind::Assertion);
                } else {
                    self.assume(truth);
                }
                None
            }
            Known::Nondet => {
                args.iter().for_each(|arg| self.discard(arg));
                if matches!(self.types().get(ty), Type::Void) || self.is_record(ty) {
                    self.unsupported(&format!("`{name}` of this type"));
                    return None;
                }
                if name.ends_with("_bool") && self.types().int_kind(ty).is_some() {
                    // Old programs call it without a declaration, so that it looks like an int.
                    let bit = self.havoc(Sort::Bv(1), HavocKind::Input);
                    let scalar = self.scalar_or_refuse(ty);
                    return Some(self.convert_to(bit, false, scalar, false));
                }
                self.any_value(ty, HavocKind::Input)
            }
            Known::Abort => {
                if name == "abort" && ["signal", "sigaction"].iter().any(|set| self.lw.facts.uses(set)) {
                    let number = self.pool().bv(32, SIGABRT);
                    self.call_model("raise", vec![number], false);
                }
                self.emit(Op::ExitProcess { is_abort: true });
                None
            }
            Known::Exit => {
                args.iter().for_each(|arg| self.discard(arg));
                if matches!(name, "exit" | "__builtin_exit") {
                    self.run_end();
                }
                self.emit(Op::ExitProcess { is_abort: false });
                None
            }
            Known::Print(printer) => {
                let Printer { sink, takes_list, .. } = printer;
                let print = |body: &mut Self, is_wanted| match takes_list {
                    true => body.print_list_call(expr, name, printer, args, is_wanted),
                    false => body.print_call(expr, name, printer, args, is_wanted),
                };
                if sink == Sink::Block {
                    return self.fallible(name, Sort::Bv(32), |body| print(body, true));
                }
                let value = print(self, is_wanted);
                if matches!(name, "err" | "errx" | "verr" | "verrx") {
                    self.run_end();
                    self.emit(Op::ExitProcess { is_abort: false });
                }
                value
            }
            // Here rather than in the model, so that each call is an allocation site of its own.
            Known::Malloc | Known::Calloc => {
                let word = self.word_bits();
                let mut size = self.word(1);
                let mut overflows = self.pool().bool(false);
                for arg in args {
                    let factor = self.eval(arg);
                    let signed = is_signed(self.types(), arg.ty.ty);
                    let factor = self.pool().resize(factor, signed, word);
                    let wraps = self.pool().mul_overflows(false, size, factor);
                    overflows = self.pool().or(overflows, wraps);
                    size = self.pool().mul(size, factor);
                }
                let zeroed = known == Known::Calloc;
                let nothing = self.word(0);
                let is_nothing = self.pool().eq(size, nothing);
                if self.pool().as_const(is_nothing).is_none_or(|value| value.as_bool()) {
                    // A block of no bytes may be null.
                    let bit = self.havoc(Sort::Bv(1), HavocKind::Choice);
                    let one = self.pool().bv(1, 1);
                    let is_null = self.pool().eq(bit, one);
                    let is_null = self.pool().and(is_nothing, is_null);
                    overflows = self.pool().or(overflows, is_null);
                }
                self.fallible(name, Sort::Bv(word), |body| Some(body.allocation(size, overflows, zeroed)))
            }
            Known::Free => {
                let [address] = args else { return None };
                let addr = self.eval(address);
                self.emit(Op::Free { addr, kind: ir::AllocKind::Heap });
                None
            }
            Known::Scan(source) => Some(self.scan_call(name, source, args, ty)),
            Known::Send | Known::Receive | Known::TryReceive | Known::Refuse => self.message_call(known, args),
            Known::Nothing => {
                args.iter().for_each(|arg| self.discard(arg));
                Some(self.some_value(ty))
            }
        }
    }

    /// A new object, or null if its size is too large to say.
    fn allocation(&mut self, size: TermId, overflows: TermId, zeroed: bool) -> TermId {
        let dst = self.temporary(Sort::Bv(self.word_bits()));
        let (none, some, end) = (self.new_loc(), self.new_loc(), self.new_loc());
        self.branch_on(overflows, none, some);
        self.resume_at(none);
        let null = self.word(0);
        self.assign(dst, null);
        self.goto(end);
        self.resume_at(some);
        let align = self.heap_align();
        self.alloc(dst, size, ir::AllocKind::Heap, zeroed, align);
        if self.lw.facts.uses("realloc") {
            let block = self.var(dst);
            self.call_model("remember", vec![block, size], false);
        }
        self.goto(end);
        self.resume_at(end);
        self.var(dst)
    }

    /// Calls a function of the library models, whatever the program itself calls by its name.
    pub(in crate::c::lower) fn call_model(&mut self, name: &str, args: Vec<TermId>, is_wanted: bool) -> Option<TermId> {
        if !self.is_reachable() {
            return is_wanted.then(|| self.word(0));
        }
        let function = self.lw.model_function(name);
        let proc = self.lw.proc_of(function);
        self.emit_known_call(proc, function, args, is_wanted)
    }

    /// Whether an argument is a number, a literal or a standard stream: nothing that a function could look at.
    fn is_plain(&self, arg: &Expr) -> bool {
        let is_number = |arg: &Expr| self.types().int_kind(arg.ty.ty).is_some();
        is_number(arg)
            || formats::literal(arg).is_some()
            || self.is_standard_stream(arg)
            || crate::c::lower::analysis::scan::constant(arg) == Some(0)
    }

    /// `memcpy`, `memmove` and `memset` of whole typed objects, cell by cell; yields the target. Others are left to the model.
    fn expanded(&mut self, name: &str, args: &[Expr]) -> Option<TermId> {
        let is_copy = match name {
            "memcpy" | "memmove" => true,
            "memset" => false,
            _ => return None,
        };
        let [to, other, size, ..] = args else { return None };
        let bytes = crate::c::lower::analysis::scan::constant(size).and_then(|size| u64::try_from(size).ok())?;
        let candidates = if is_copy { vec![to, other] } else { vec![to] };
        let (element, count) = candidates.into_iter().find_map(|pointer| self.typed_target(pointer, bytes))?;
        // The ranges may overlap, so all cells are read before one is written.
        let is_move = name == "memmove";
        if is_move && (count != 1 || !self.is_short(element)) {
            return None;
        }
        let target = self.eval(to);
        let target = self.kept(target);
        if is_copy {
            let source = self.eval(other);
            let source = self.kept(source);
            if is_move {
                self.move_object(target, source, element);
            } else {
                if !Self::are_different(to, other) {
                    let size = self.word(bytes);
                    self.call_model("are_apart", vec![target, size, source, size], false);
                }
                self.copy_array(target, source, element, count);
            }
        } else {
            let byte = self.eval(other);
            let byte = self.pool().extract(byte, 7, 0);
            self.fill_array(target, element, count, byte);
        }
        Some(target)
    }

    /// Whether two pointers are into different variables.
    fn are_different(a: &Expr, b: &Expr) -> bool {
        fn root(expr: &Expr) -> Option<SymbolId> {
            match &expr.kind {
                ExprKind::Symbol(symbol) => Some(*symbol),
                ExprKind::Cast(inner)
                | ExprKind::Decay(inner)
                | ExprKind::AddressOf(inner)
                | ExprKind::Member { base: inner, .. } => root(inner),
                _ => None,
            }
        }
        match (root(a), root(b)) {
            (Some(a), Some(b)) => a != b,
            _ => false,
        }
    }

    /// What a pointer points to, if `bytes` is a whole number of it and it is more than a byte.
    fn typed_target(&self, pointer: &Expr, bytes: u64) -> Option<(TypeId, u64)> {
        let types = self.types();
        let target = match &pointer.kind {
            ExprKind::Cast(inner) if matches!(types.get(inner.ty.ty), Type::Pointer(_)) => {
                return self.typed_target(inner, bytes);
            }
            _ => super::model_types::pointee(types, pointer.ty.ty)?.ty,
        };
        if matches!(types.get(target), Type::Void | Type::Function { .. }) {
            return None;
        }
        let size = types.size(target).filter(|size| *size > 0)?;
        let is_byte = scalar_of(types, target).is_some() && size == 1;
        (bytes.is_multiple_of(size) && (!is_byte || bytes <= 8)).then_some((target, bytes / size))
    }
}
