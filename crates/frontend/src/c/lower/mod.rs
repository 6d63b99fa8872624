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
//! `statics` places static data, `body` builds one automaton, `stmts` and `jumps` are its control flow, `scopes` how long
//! its variables live, `values` its expressions, `order` in which order their operands come (`effects` tells when it matters), `calls` everything with a name, `entry` where it starts; `compact`
//! tidies the automaton.

mod assumptions;
mod body;
mod calls;
mod compact;
mod effects;
mod entry;
mod joins;
mod jumps;
mod models;
mod order;
mod scan;
mod scopes;
mod statics;
mod stmts;
mod values;

use super::typed::{Function, Storage, Symbol, SymbolId, Unit};
use body::Body;
use ir::{
    DataModel, Diagnostic, LocId, ObjectId, ObjectKind, Proc, ProcId, Program, Properties, Severity, Sources, Span,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};

/// What the lowering reads.
pub struct Input<'u> {
    /// The user's units, then the library models.
    pub units: &'u [Unit],
    /// Where the models start in `units`.
    pub first_model: usize,
    /// The text that all spans refer to.
    pub sources: Sources,
    /// Sizes of the C types.
    pub data_model: DataModel,
    /// The function to start with.
    pub entry: &'u str,
    /// Functions without a body that are taken to do nothing but return an arbitrary value.
    pub assume_pure: &'u [String],
    /// Whether what runs out of memory or threads may fail.
    pub is_fallible: bool,
    /// What is asked.
    pub properties: Properties,
}

/// A lowered program and what there is to say about it.
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// What is not modelled exactly.
    pub warnings: Vec<Diagnostic>,
}

/// Lowers a linked set of units.
pub fn lower(input: Input<'_>) -> Result<Lowered, (Vec<Diagnostic>, Sources)> {
    let mut lowering = Lowering::new(input);
    lowering.check_assume_pure();
    lowering.run();
    lowering.tell_assumptions();
    if lowering.errors.is_empty() {
        ir::addresses::guard(&mut lowering.program, &lowering.layout);
        Ok(Lowered { program: lowering.program, warnings: lowering.warnings })
    } else {
        Err((lowering.errors, lowering.program.sources))
    }
}

/// A function with a body: its unit and its position among the unit's functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct FunctionRef {
    unit: usize,
    index: usize,
}

/// A variable of some unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct SymbolRef {
    unit: usize,
    symbol: SymbolId,
}

/// What is still to be done.
enum Work {
    Function(FunctionRef, ProcId),
    Init(SymbolRef),
    CompoundInit(SymbolRef, Vec<super::typed::InitItem>),
}

/// The state of lowering a program.
struct Lowering<'u> {
    units: &'u [Unit],
    first_model: usize,
    entry: &'u str,
    assume_pure: &'u [String],
    is_fallible: bool,
    /// Functions that could fail and were taken not to.
    taken_to_succeed: BTreeSet<String>,
    /// Functions of `assume_pure` that are called.
    taken_as_pure: BTreeSet<String>,
    /// The variables of the environment that are asked for by literals.
    environment: Vec<Vec<u8>>,
    /// What else was assumed.
    assumed: BTreeSet<String>,
    properties: Properties,
    program: Program,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    /// What the user's text mentions, gathered before anything is lowered.
    facts: scan::Facts,
    /// Functions with external linkage by name.
    functions: FxHashMap<&'u str, FunctionRef>,
    /// Data with external linkage by name.
    data: FxHashMap<&'u str, SymbolRef>,
    /// Names with external linkage whose address some unit takes.
    addressed: FxHashSet<&'u str>,
    /// Per unit: the function with a body behind a symbol, and the position of its entry in `globals`.
    function_of: Vec<FxHashMap<SymbolId, usize>>,
    global_of: Vec<FxHashMap<SymbolId, usize>>,
    procs: FxHashMap<FunctionRef, ProcId>,
    thread_entries: FxHashMap<(ProcId, logic::Scalar), ProcId>,
    homes: FxHashMap<SymbolRef, statics::Home>,
    /// By text and place.
    strings: FxHashMap<(Vec<u8>, Span), ObjectId>,
    layout: ir::addresses::Layout,
    function_objects: FxHashMap<ProcId, ObjectId>,
    static_objects: FxHashMap<SymbolRef, ObjectId>,
    extern_objects: FxHashMap<String, ObjectId>,
    /// Thread-local objects, which `thread_init` makes.
    thread_objects: Vec<SymbolRef>,
    queue: VecDeque<Work>,
    next_granule: u64,
    /// Symbols of the entry function that were read, to know whether its parameters matter.
    touched: FxHashSet<SymbolRef>,
    warned: FxHashSet<(Span, String)>,
    summaries: effects::Summaries,
}

impl<'u> Lowering<'u> {
    fn new(input: Input<'u>) -> Lowering<'u> {
        let mut program = Program::new(input.data_model);
        program.sources = input.sources;
        let mut lowering = Lowering {
            units: input.units,
            first_model: input.first_model,
            entry: input.entry,
            assume_pure: input.assume_pure,
            is_fallible: input.is_fallible,
            taken_to_succeed: BTreeSet::new(),
            taken_as_pure: BTreeSet::new(),
            environment: Vec::new(),
            assumed: BTreeSet::new(),
            properties: input.properties,
            program,
            errors: Vec::new(),
            warnings: Vec::new(),
            facts: scan::Facts::gather(&input.units[..input.first_model], input.entry),
            functions: FxHashMap::default(),
            data: FxHashMap::default(),
            addressed: FxHashSet::default(),
            function_of: Vec::new(),
            global_of: Vec::new(),
            procs: FxHashMap::default(),
            thread_entries: FxHashMap::default(),
            homes: FxHashMap::default(),
            strings: FxHashMap::default(),
            layout: ir::addresses::Layout::default(),
            function_objects: FxHashMap::default(),
            static_objects: FxHashMap::default(),
            extern_objects: FxHashMap::default(),
            thread_objects: Vec::new(),
            queue: VecDeque::new(),
            next_granule: input.data_model.first_static(),
            touched: FxHashSet::default(),
            warned: FxHashSet::default(),
            summaries: effects::Summaries::default(),
        };
        for unit in 0..input.units.len() {
            lowering.link(unit);
        }
        lowering
    }

    /// Makes the names of a unit known. Units come in order, the user's before the models, and the first one wins;
    /// two definitions in the user's own units are an error.
    fn link(&mut self, unit: usize) {
        let tree = &self.units[unit];
        let is_model = unit >= self.first_model;
        let addressed = tree.symbols.iter().filter(|symbol| {
            symbol.address_taken && !symbol.is_internal && matches!(symbol.storage, Storage::Extern | Storage::Thread)
        });
        self.addressed.extend(addressed.map(|symbol| symbol.name.as_str()));
        let mut function_of = FxHashMap::default();
        for (index, function) in tree.functions.iter().enumerate() {
            function_of.insert(function.symbol, index);
            let symbol = &tree.symbols[function.symbol.0 as usize];
            if symbol.is_internal {
                continue;
            }
            let this = FunctionRef { unit, index };
            let first = *self.functions.entry(&symbol.name).or_insert(this);
            if first != this && !is_model {
                self.error(Diagnostic::error(function.span, format!("`{}` is defined twice", symbol.name)));
            }
        }
        self.function_of.push(function_of);
        let mut global_of = FxHashMap::default();
        for (index, global) in tree.globals.iter().enumerate() {
            global_of.insert(global.symbol, index);
            let symbol = &tree.symbols[global.symbol.0 as usize];
            if symbol.is_internal {
                continue;
            }
            let this = SymbolRef { unit, symbol: global.symbol };
            let first = *self.data.entry(&symbol.name).or_insert(this);
            if first == this || is_model {
                continue;
            }
            let first_index = self.global_of[first.unit].get(&first.symbol).copied();
            let first_has_init = first_index.is_some_and(|at| self.units[first.unit].globals[at].init.is_some());
            if global.init.is_some() && first_has_init {
                self.error(Diagnostic::error(symbol.span, format!("`{}` is defined twice", symbol.name)));
            } else if global.init.is_some() {
                self.data.insert(&symbol.name, this);
            }
        }
        self.global_of.push(global_of);
    }

    fn run(&mut self) {
        let Some(entry) = self.functions.get(self.entry).copied().filter(|entry| entry.unit < self.first_model) else {
            let span = Span::NOWHERE;
            let message = format!("no function `{}` to start with", self.entry);
            self.error(Diagnostic::error(span, message).with_note("name another one with --entry"));
            return;
        };
        let entry_proc = self.proc_of(entry);
        self.constructors();
        self.drain();
        self.finish_entry(entry, entry_proc);
        self.drain();
        self.finish_thread_init();
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
        } else {
            self.errors.extend(function.problems.iter().filter(|problem| !is_warning(problem)).cloned());
            return;
        }
        let mut body = Body::new(self, reference.unit, Some(function));
        body.lower_body(function);
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

    /// Reserves a place for a procedure that is installed later.
    fn reserve_proc(&mut self) -> ProcId {
        let id = ProcId(self.program.procs.len() as u32);
        self.program.procs.push(Proc {
            name: String::new(),
            params: Vec::new(),
            locals: Vec::new(),
            result: None,
            locs: vec![ir::Loc::default()],
            edges: Vec::new(),
            entry: LocId(0),
            exit: LocId(0),
            span: Span::NOWHERE,
        });
        id
    }

    /// The procedure of a function, which will be lowered if it is new.
    fn proc_of(&mut self, function: FunctionRef) -> ProcId {
        if let Some(proc) = self.procs.get(&function) {
            return *proc;
        }
        let proc = self.reserve_proc();
        self.procs.insert(function, proc);
        self.queue.push_back(Work::Function(function, proc));
        proc
    }

    fn function(&self, reference: FunctionRef) -> &'u Function {
        &self.units[reference.unit].functions[reference.index]
    }

    fn symbol(&self, reference: SymbolRef) -> &'u Symbol {
        &self.units[reference.unit].symbols[reference.symbol.0 as usize]
    }

    /// The body behind a function symbol: of its own unit, else by name.
    fn resolve_function(&self, reference: SymbolRef) -> Option<FunctionRef> {
        if let Some(index) = self.function_of[reference.unit].get(&reference.symbol) {
            return Some(FunctionRef { unit: reference.unit, index: *index });
        }
        let function = self.functions.get(self.symbol(reference).name.as_str()).copied()?;
        let is_own = self.is_user_function(function) || reference.unit >= self.first_model;
        (is_own || self.is_declared_alike(reference, function)).then_some(function)
    }

    /// A function of the library models, whatever the user calls by its name.
    fn model_function(&self, name: &str) -> FunctionRef {
        for unit in self.first_model..self.units.len() {
            let tree = &self.units[unit];
            let found = tree.functions.iter().position(|f| tree.symbols[f.symbol.0 as usize].name == name);
            if let Some(index) = found {
                return FunctionRef { unit, index };
            }
        }
        panic!("no library model defines {name}")
    }

    /// A number for a variable of the environment, if there is one left.
    fn environment_number(&mut self, name: &[u8]) -> Option<u64> {
        const MOST: usize = 64;
        let found = self.environment.iter().position(|known| known == name);
        let number = found.unwrap_or_else(|| {
            self.environment.push(name.to_vec());
            self.environment.len() - 1
        });
        (number < MOST).then_some(number as u64)
    }

    /// Whether the user's own text defines a function.
    fn is_user_function(&self, function: FunctionRef) -> bool {
        function.unit < self.first_model
    }

    /// The object whose address stands for a function.
    fn function_object(&mut self, reference: SymbolRef) -> ObjectId {
        let symbol = self.symbol(reference);
        let Some(function) = self.resolve_function(reference) else {
            return self.extern_object(&symbol.name, symbol.span);
        };
        self.note_address(&symbol.name, function);
        let proc = self.proc_of(function);
        self.proc_object(proc, &symbol.name, symbol.span)
    }

    fn proc_object(&mut self, proc: ProcId, name: &str, span: Span) -> ObjectId {
        if let Some(object) = self.function_objects.get(&proc) {
            return *object;
        }
        let object = self.new_object(name, 1, ObjectKind::Function(proc), span);
        self.function_objects.insert(proc, object);
        object
    }

    fn extern_object(&mut self, name: &str, span: Span) -> ObjectId {
        if let Some(object) = self.extern_objects.get(name) {
            return *object;
        }
        let object = self.new_object(name, 1, ObjectKind::Extern, span);
        self.extern_objects.insert(name.to_string(), object);
        object
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        self.errors.push(diagnostic);
    }

    /// Tells something once per place.
    fn warn(&mut self, diagnostic: Diagnostic) {
        if self.warned.insert((diagnostic.span, diagnostic.message.clone())) {
            self.warnings.push(diagnostic);
        }
    }
}
