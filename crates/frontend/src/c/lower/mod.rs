//! From the typed tree to the program model: which procedures, variables and objects does a C program become?
//!
//! Work starts at the entry function and follows what is used: a function is lowered when something that is lowered
//! calls it or takes its address, a variable gets its place when it is first named. So problems in functions that
//! headers define and nobody calls do not matter. Several translation units are linked by name; the library models are
//! units like the user's own, and a function that the user defines wins over a model of the same name.
//!
//! What cannot be lowered inside a function becomes a `Check` of kind `Unsupported` at its place and a warning: an
//! execution that gets there is answered "unknown", all others are still judged. What is wrong with the
//! program as a whole (no entry function, type errors in reachable functions) is an error here.
//!
//! [`context`] is what all of them share, [`model_types`] what types mean. [`statics`] places static data, [`body`] builds one automaton, [`control`] is its control flow and how long
//! its variables live, [`values`] its expressions, [`order`] in which order their operands come (`analysis::effects` tells when it matters), [`calls`] everything with a name, [`entry`] where it starts; [`compact`]
//! tidies the automaton.

mod analysis;
mod assumptions;
mod body;
mod calls;
mod compact;
mod context;
mod control;
mod early;
mod entry;
mod model_types;
mod models;
mod order;
mod statics;
mod values;

pub use context::Input;

use body::Body;
use context::{FunctionRef, Lowering, SymbolRef, Work};
use ir::{Diagnostic, Proc, ProcId, Program, Severity, Sources, Span};

/// A lowered program and what there is to say about it.
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// What is not modelled exactly.
    pub warnings: Vec<Diagnostic>,
    /// Functions that are called and that nobody knows.
    pub missing: Vec<String>,
}

/// Lowers a linked set of units.
pub fn lower(input: Input<'_>) -> Result<Lowered, (Vec<Diagnostic>, Sources)> {
    let mut lowering = Lowering::new(input);
    lowering.check_assume_pure();
    lowering.run();
    lowering.tell_assumptions();
    if lowering.errors.is_empty() {
        ir::addresses::clone_allocators(&mut lowering.program, &mut lowering.layout);
        ir::addresses::guard(&mut lowering.program, &lowering.layout);
        let missing = lowering.all_missing();
        Ok(Lowered { program: lowering.program, warnings: lowering.warnings, missing })
    } else {
        Err((lowering.errors, lowering.program.sources))
    }
}

impl Lowering<'_> {
    fn run(&mut self) {
        let mut entries = Vec::new();
        for name in &self.options.entries {
            let Some(entry) = self.entry_function(name) else {
                let message = format!("no function `{name}` to start with");
                let note = "name another one with --entry";
                self.error(Diagnostic::error(Span::NOWHERE, message).with_note(note));
                return;
            };
            entries.push((entry, self.proc_of(entry)));
        }
        self.constructors();
        self.drain();
        self.finish_entries(&entries);
        self.drain();
        self.finish_thread_init();
    }

    /// The user's function of a name; one that is `static` if there is no other.
    fn entry_function(&self, name: &str) -> Option<FunctionRef> {
        let external = self.functions.get(name).copied().filter(|entry| self.is_user_function(*entry));
        external.or_else(|| {
            let mut found = (0..self.first_model).flat_map(|unit| {
                let tree = &self.units[unit];
                let is_it = move |at: &usize| tree.symbols[tree.functions[*at].symbol.0 as usize].name == name;
                (0..tree.functions.len()).filter(is_it).map(move |index| FunctionRef { unit, index })
            });
            found.next()
        })
    }

    /// Does all work that is known, including what it brings up itself.
    fn drain(&mut self) {
        while let Some(work) = self.queue.pop_front() {
            match work {
                Work::Function(function, proc) => self.lower_function(function, proc),
                Work::Init(symbol) => self.lower_static_init(symbol),
                Work::CompoundInit(symbol, items) => self.lower_compound_init(symbol, &items),
            }
        }
    }

    fn lower_function(&mut self, reference: FunctionRef, proc: ProcId) {
        let function = self.function(reference);
        let is_warning = |problem: &&Diagnostic| problem.severity == Severity::Warning;
        if !self.is_user_function(reference) {
            debug_assert!(function.problems.is_empty(), "models are checked when they are read");
        } else if function.problems.iter().all(|problem| is_warning(&problem)) {
            self.warnings.extend(function.problems.iter().cloned());
        } else if function.problems.iter().any(|problem| problem.severity == Severity::Error) {
            self.errors.extend(function.problems.iter().filter(|problem| !is_warning(problem)).cloned());
            return;
        }
        let refused = function.problems.iter().find(|problem| problem.severity == Severity::Unsupported);
        let mut body = Body::new(self, reference.unit, Some(function));
        match refused {
            // What could not be typed is missing from the body, so that nothing of it is known; who does not call it does not care.
            Some(problem) => {
                body.declare_signature(function);
                body.span = problem.span;
                body.unsupported(&problem.message);
            }
            None => body.lower_body(function),
        }
        let built = body.finish();
        let name = self.symbol(SymbolRef { unit: reference.unit, symbol: function.symbol }).name.clone();
        self.install(proc, name, function.span, built);
    }

    fn install(&mut self, proc: ProcId, name: String, span: Span, built: body::Built) {
        self.program.procs[proc.index()] = Proc {
            name,
            params: built.params,
            locals: built.locals,
            result: built.result,
            locs: built.locs,
            edges: built.edges,
            entry: built.entry,
            exit: built.exit,
            span,
        };
        compact::compact(&mut self.program, proc);
    }
}
