//! Where execution starts: the entry function, its arguments, constructors, and what new threads run.
//!
//! The program starts in the entry function itself when nothing has to happen before it. Otherwise it starts in a made-up
//! procedure that runs the constructors, chooses the number of arguments and calls the entry function. The arguments'
//! text is not modelled: reading it is refused where it happens (see `places`).
//!
//! A thread runs a procedure from a word to a word. A function of another shape gets a procedure that adapts it.

use super::body::{Body, Built};
use super::context::{FunctionRef, Lowering, SymbolRef};
use super::model_types::{is_signed, scalar_of};
use ir::{Callee, Format, HavocKind, Op, ProcId, Span};
use logic::{Scalar, Sort};

impl Lowering<'_> {
    /// The user's constructors in order; each becomes reachable.
    pub(super) fn constructors(&mut self) -> Vec<ProcId> {
        let mut found = Vec::new();
        for unit in 0..self.first_model {
            for (index, function) in self.units[unit].functions.iter().enumerate() {
                if function.is_constructor {
                    found.push(FunctionRef { unit, index });
                }
            }
        }
        found.into_iter().map(|function| self.proc_of(function)).collect()
    }

    /// Decides where the program starts, once the entry function has been lowered.
    pub(super) fn finish_entry(&mut self, entry: FunctionRef, entry_proc: ProcId) {
        let constructors = self.constructors();
        let function = self.function(entry);
        let reads_count = function
            .params
            .first()
            .is_some_and(|symbol| self.touched.contains(&SymbolRef { unit: entry.unit, symbol: *symbol }));
        if constructors.is_empty() && !reads_count {
            self.program.main = entry_proc;
            return;
        }
        let start = self.reserve_proc();
        let params = self.program.proc(entry_proc).params.clone();
        let is_number =
            |program: &ir::Program, param: &logic::VarId| matches!(program.pool.var_sort(*param), Sort::Bv(_));
        let is_odd = !params.first().is_none_or(|param| is_number(&self.program, param));
        let result = self.program.proc(entry_proc).result;
        let mut body = Body::new(self, entry.unit, None);
        body.span = function.span;
        for constructor in constructors {
            body.emit(Op::Call { callee: Callee::Proc(constructor), args: Vec::new(), result: None });
        }
        let mut args = Vec::new();
        for (index, param) in params.into_iter().enumerate() {
            let sort = body.pool().var_sort(param);
            if index > 0 || !reads_count {
                args.push(body.zero(sort));
                continue;
            }
            if is_odd {
                body.unsupported("a parameter of main that is no number");
                args.push(body.zero(sort));
                continue;
            }
            let count = body.havoc(sort, HavocKind::Input);
            // The program's name need not be among them.
            let none = body.zero(sort);
            let is_count = body.pool().sle(none, count);
            body.assume(is_count);
            args.push(count);
        }
        let status = result.map(|sort| body.temporary(sort));
        body.emit(Op::Call { callee: Callee::Proc(entry_proc), args, result: status });
        let value = status.map(|status| body.var(status));
        body.result = result;
        body.emit(Op::Return(value));
        let built: Built = body.finish();
        self.install(start, "start".to_string(), function.span, built);
        self.program.main = start;
    }

    /// A procedure that takes a word and returns a number of this kind and runs a function in between; `None` if the function is one.
    pub(super) fn thread_entry(&mut self, reference: FunctionRef, proc: ProcId, wanted: Scalar) -> Option<ProcId> {
        let function = self.function(reference);
        let types = &self.units[reference.unit].types;
        let word = Scalar::Bv(self.program.data_model.word_bits());
        let params: Vec<Option<Scalar>> = function
            .params
            .iter()
            .map(|param| scalar_of(types, self.symbol(SymbolRef { unit: reference.unit, symbol: *param }).ty.ty))
            .collect();
        let result = scalar_of(types, function.result.ty);
        if params == [Some(word)] && result.is_none_or(|result| result == wanted) {
            return None;
        }
        if let Some(entry) = self.thread_entries.get(&(proc, wanted)) {
            return Some(*entry);
        }
        let entry = self.reserve_proc();
        self.thread_entries.insert((proc, wanted), entry);
        let mut body = Body::new(self, reference.unit, None);
        body.span = function.span;
        let arg = body.declare_local("arg", word.into(), Format::Pointer, Span::NOWHERE);
        body.params.push(arg);
        body.result = Some(wanted.into());
        let arg = body.var(arg);
        let mut args = Vec::new();
        for (index, param) in params.iter().enumerate() {
            let sort = param.map_or(Sort::from(word), Sort::from);
            match param {
                Some(param) if index == 0 => args.push(body.convert_to(arg, false, *param, true)),
                _ => args.push(body.havoc(sort, HavocKind::Uninit)),
            }
        }
        let returned = result.map(|result| body.temporary(result.into()));
        body.emit(Op::Call { callee: Callee::Proc(proc), args, result: returned });
        let value = match returned {
            Some(returned) => {
                let returned = body.var(returned);
                let signed = is_signed(types, function.result.ty);
                body.convert_to(returned, signed, wanted, false)
            }
            None => body.zero(wanted.into()),
        };
        body.emit(Op::Return(Some(value)));
        let built = body.finish();
        let name = format!("{}$thread", self.symbol(SymbolRef { unit: reference.unit, symbol: function.symbol }).name);
        self.install(entry, name, function.span, built);
        Some(entry)
    }
}
