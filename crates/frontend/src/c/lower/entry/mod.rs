//! Where execution starts: the entry function, its arguments, and what runs before and after it.
//!
//! The program starts in `main` itself when nothing has to happen around it. Otherwise it starts in a made-up procedure that runs the
//! constructors, makes the arguments ([`arguments`]), calls `main` and runs what the program has left for its end: handlers of `atexit` and
//! destructors.
//!
//! A function other than `main` is called with arguments that are arbitrary by their types ([`harness`]). Several are threads side by side,
//! and the program ends when all of them have returned.

mod arguments;
mod harness;
mod library;
mod threads;

pub(super) use harness::is_lock;

use super::body::{Body, Built};
use super::context::{FunctionRef, Lowering, SymbolRef};
use crate::c::typed::Function;
use ir::{Callee, Op, ProcId};
use logic::Sort;

/// The function that the C library starts.
const MAIN: &str = "main";

/// Variables of the library that have a value before anything runs (see `models/process.c`).
const STARTED_VARIABLES: [&str; 4] = ["environ", "program_invocation_name", "program_invocation_short_name", "tzname"];

impl Lowering<'_> {
    /// The user's functions that run before the program, in order; each becomes reachable.
    pub(super) fn constructors(&mut self) -> Vec<ProcId> {
        self.ordered(|function| function.constructor)
    }

    /// The variables of the library that the system gives a value, of those that what was lowered so far uses.
    fn library_variables(&self) -> Vec<&'static str> {
        let is_used = |name: &&str| {
            let owner = self.data.get(name).filter(|owner| owner.unit >= self.first_model);
            owner.is_some_and(|owner| self.homes.contains_key(owner))
        };
        STARTED_VARIABLES.into_iter().filter(is_used).collect()
    }

    /// The functions that have a number, the least first.
    fn ordered(&mut self, number: impl Fn(&Function) -> Option<i128>) -> Vec<ProcId> {
        let mut found = Vec::new();
        for unit in 0..self.first_model {
            for (index, function) in self.units[unit].functions.iter().enumerate() {
                if let Some(number) = number(function) {
                    found.push((number, FunctionRef { unit, index }));
                }
            }
        }
        found.sort_by_key(|(number, _)| *number);
        found.into_iter().map(|(_, function)| self.proc_of(function)).collect()
    }

    fn name_of(&self, function: FunctionRef) -> &str {
        let symbol = self.function(function).symbol;
        &self.symbol(SymbolRef { unit: function.unit, symbol }).name
    }

    /// Decides where the program starts, once the entry functions have been lowered.
    pub(super) fn finish_entries(&mut self, entries: &[(FunctionRef, ProcId)]) {
        match entries {
            [(entry, proc)] if self.name_of(*entry) == MAIN => self.start_at_main(*entry, *proc),
            _ => self.start_at_functions(entries),
        }
    }

    fn start_at_main(&mut self, entry: FunctionRef, entry_proc: ProcId) {
        let constructors = self.constructors();
        let has_end = self.has_end();
        let function = self.function(entry);
        let is_read = |index: usize| {
            let param = function.params.get(index);
            param.is_some_and(|symbol| self.touched.contains(&SymbolRef { unit: entry.unit, symbol: *symbol }))
        };
        let reads = [is_read(0), is_read(1)];
        if constructors.is_empty() && !has_end && reads == [false, false] && self.library_variables().is_empty() {
            self.program.main = entry_proc;
            return;
        }
        let start = self.reserve_proc();
        let params = self.program.proc(entry_proc).params.clone();
        let result = self.program.proc(entry_proc).result;
        let mut body = Body::new(self, entry.unit, None);
        body.span = function.span;
        body.start_library_variables();
        body.run_all(&constructors);
        let args = body.main_arguments(&params, reads);
        let status = result.map(|sort| body.temporary(sort));
        body.emit(Op::Call { callee: Callee::Proc(entry_proc), args, result: status });
        body.run_end();
        let value = status.map(|status| body.var(status));
        body.result = result;
        body.emit(Op::Return(value));
        let built: Built = body.finish();
        self.install(start, "start".to_string(), function.span, built);
        self.program.main = start;
    }

    fn start_at_functions(&mut self, entries: &[(FunctionRef, ProcId)]) {
        let constructors = self.constructors();
        let span = self.function(entries[0].0).span;
        let start = self.reserve_proc();
        let callers: Vec<ProcId> = entries.iter().map(|(entry, proc)| self.caller(*entry, *proc)).collect();
        let word = Sort::Bv(self.program.data_model.word_bits());
        let mut body = Body::new(self, entries[0].0.unit, None);
        body.span = span;
        body.start_library_variables();
        body.run_all(&constructors);
        if let [caller] = callers.as_slice() {
            let result = Some(body.temporary(word));
            body.emit(Op::Call { callee: Callee::Proc(*caller), args: Vec::new(), result });
        } else {
            let mut threads = Vec::new();
            for caller in callers {
                let dst = body.lasting_temporary(word);
                body.emit(Op::Start { dst, callee: Callee::Proc(caller), args: Vec::new() });
                threads.push(dst);
            }
            for thread in threads {
                let thread = body.var(thread);
                body.emit(Op::Join { thread, result: None });
            }
        }
        body.run_end();
        body.emit(Op::Return(None));
        let built = body.finish();
        self.install(start, "start".to_string(), span, built);
        self.program.main = start;
    }

    /// A procedure that calls a function with any arguments and returns a word.
    fn caller(&mut self, entry: FunctionRef, proc: ProcId) -> ProcId {
        let caller = self.reserve_proc();
        let function = self.function(entry);
        let name = self.name_of(entry).to_string();
        let result = self.program.proc(proc).result;
        let mut body = Body::new(self, entry.unit, None);
        body.span = function.span;
        let args = body.any_arguments(function);
        let result = result.map(|sort| body.temporary(sort));
        body.emit(Op::Call { callee: Callee::Proc(proc), args, result });
        let word = Sort::Bv(body.word_bits());
        body.result = Some(word);
        let nothing = body.zero(word);
        body.emit(Op::Return(Some(nothing)));
        let built = body.finish();
        self.install(caller, format!("{name}$entry"), function.span, built);
        caller
    }

    /// Whether something runs when the program ends.
    pub(in crate::c::lower) fn has_end(&mut self) -> bool {
        self.facts.uses("atexit") || !self.destructors().is_empty()
    }

    fn destructors(&mut self) -> Vec<ProcId> {
        self.ordered(|function| function.destructor.map(|priority| -priority))
    }
}

impl Body<'_, '_> {
    fn run_all(&mut self, procs: &[ProcId]) {
        for proc in procs {
            self.emit(Op::Call { callee: Callee::Proc(*proc), args: Vec::new(), result: None });
        }
    }

    /// Runs what is left for the end of the program: handlers, the last one first, then destructors.
    pub(super) fn run_end(&mut self) {
        if self.lw.facts.uses("atexit") {
            self.call_model("run_exit_handlers", Vec::new(), false);
        }
        let destructors = self.lw.destructors();
        self.run_all(&destructors);
    }
}
