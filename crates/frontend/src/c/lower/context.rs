//! What is known while a program is lowered? Its units and their names, what has been placed, and what is still to be done.
//!
//! The data that all of the lowering shares, and questions about names. How functions and variables are lowered is not here.

use crate::Options;
use crate::c::lower::analysis::effects::Summaries;
use crate::c::lower::analysis::handles::may_use_handles_of_others;
use crate::c::lower::analysis::scan::Facts;
use crate::c::typed::{Function, InitItem, Storage, Symbol, SymbolId, Unit};
use ir::{DataModel, Diagnostic, LocId, ObjectId, ObjectKind, Proc, ProcId, Program, Properties, Sources, Span};
use logic::{TermId, VarId};
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
    /// Where it starts, what is taken for granted and what is asked.
    pub options: &'u Options,
}

/// A function with a body: its unit and its position among the unit's functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct FunctionRef {
    pub(super) unit: usize,
    pub(super) index: usize,
}

/// A variable of some unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SymbolRef {
    pub(super) unit: usize,
    pub(super) symbol: SymbolId,
}

/// What is still to be done.
pub(super) enum Work {
    Function(FunctionRef, ProcId),
    Init(SymbolRef),
    CompoundInit(SymbolRef, Vec<InitItem>),
}

/// The state of lowering a program.
pub(super) struct Lowering<'u> {
    pub(super) units: &'u [Unit],
    pub(super) first_model: usize,
    pub(super) options: &'u Options,
    /// Functions that could fail and were taken not to.
    pub(super) taken_to_succeed: BTreeSet<String>,
    /// Functions of `assume_pure` that are called.
    pub(super) taken_as_pure: BTreeSet<String>,
    /// Functions that `--stub havoc` stands in for.
    pub(super) stubbed: BTreeSet<String>,
    /// Functions that are called and have neither a body nor a model.
    pub(super) missing: BTreeSet<String>,
    /// The variables of the environment that are asked for by literals.
    environment: Vec<Vec<u8>>,
    /// What else was assumed.
    pub(super) assumed: BTreeSet<String>,
    pub(super) properties: Properties,
    pub(super) program: Program,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
    /// What the user's text mentions, gathered before anything is lowered.
    pub(super) facts: Facts,
    /// Functions with external linkage by name.
    pub(super) functions: FxHashMap<&'u str, FunctionRef>,
    /// Data with external linkage by name.
    pub(super) data: FxHashMap<&'u str, SymbolRef>,
    /// Names with external linkage whose address some unit takes.
    pub(super) addressed: FxHashSet<&'u str>,
    /// Per unit: the function with a body behind a symbol, and the position of its entry in `globals`.
    pub(super) function_of: Vec<FxHashMap<SymbolId, usize>>,
    pub(super) global_of: Vec<FxHashMap<SymbolId, usize>>,
    pub(super) procs: FxHashMap<FunctionRef, ProcId>,
    /// Functions with `...`, and whether they look at what comes there.
    pub(super) list_takers: FxHashMap<FunctionRef, bool>,
    /// What stands for a library function where the program calls it through a pointer.
    pub(super) library_entries: FxHashMap<FunctionRef, ProcId>,
    pub(super) thread_entries: FxHashMap<(ProcId, logic::Scalar), ProcId>,
    pub(super) homes: FxHashMap<SymbolRef, Home>,
    /// By text and place.
    pub(super) strings: FxHashMap<(Vec<u8>, Span), ObjectId>,
    pub(super) layout: ir::addresses::Layout,
    pub(super) function_objects: FxHashMap<ProcId, ObjectId>,
    pub(super) static_objects: FxHashMap<SymbolRef, ObjectId>,
    pub(super) extern_objects: FxHashMap<String, ObjectId>,
    /// Thread-local objects, which `thread_init` makes.
    pub(super) thread_objects: Vec<SymbolRef>,
    pub(super) queue: VecDeque<Work>,
    pub(super) next_granule: u64,
    /// Symbols of the entry function that were read, to know whether its parameters matter.
    pub(super) touched: FxHashSet<SymbolRef>,
    pub(super) warned: FxHashSet<(Span, String)>,
    pub(super) summaries: Summaries,
}

/// Where a variable lives.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Home {
    /// A variable that all threads share.
    Shared(VarId),
    /// A variable of the running thread or activation.
    Private(VarId),
    /// A static object at this address.
    Static(TermId),
    /// An object whose address is in a variable of the running thread or activation.
    Pointed(VarId),
    /// A constant, or the address of a static object and a distance.
    Known(TermId),
}

/// The function that runs once, before all else; none if several start side by side.
fn first_entry(options: &Options) -> &str {
    match options.entries.as_slice() {
        [entry] => entry,
        _ => "",
    }
}

impl<'u> Lowering<'u> {
    pub(super) fn new(input: Input<'u>) -> Lowering<'u> {
        let mut program = Program::new(input.data_model);
        program.sources = input.sources;
        let users = &input.units[..input.first_model];
        let mut facts = Facts::gather(users, first_entry(input.options));
        facts.may_use_handles_of_others = may_use_handles_of_others(users);
        let mut lowering = Lowering {
            units: input.units,
            first_model: input.first_model,
            options: input.options,
            taken_to_succeed: BTreeSet::new(),
            taken_as_pure: BTreeSet::new(),
            environment: Vec::new(),
            assumed: BTreeSet::new(),
            stubbed: BTreeSet::new(),
            missing: BTreeSet::new(),
            properties: input.options.properties,
            program,
            errors: Vec::new(),
            warnings: Vec::new(),
            facts,
            functions: FxHashMap::default(),
            data: FxHashMap::default(),
            addressed: FxHashSet::default(),
            function_of: Vec::new(),
            global_of: Vec::new(),
            procs: FxHashMap::default(),
            list_takers: FxHashMap::default(),
            library_entries: FxHashMap::default(),
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
            summaries: Summaries::default(),
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
            if first == this || is_model || symbol.is_weak {
                continue;
            }
            let is_first_weak = {
                let other = self.function(first).symbol;
                self.symbol(SymbolRef { unit: first.unit, symbol: other }).is_weak
            };
            if is_first_weak {
                self.functions.insert(&symbol.name, this);
            } else {
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

    /// Reserves a place for a procedure that is installed later.
    pub(super) fn reserve_proc(&mut self) -> ProcId {
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
    pub(super) fn proc_of(&mut self, function: FunctionRef) -> ProcId {
        if let Some(proc) = self.procs.get(&function) {
            return *proc;
        }
        let proc = self.reserve_proc();
        self.procs.insert(function, proc);
        self.queue.push_back(Work::Function(function, proc));
        proc
    }

    pub(super) fn function(&self, reference: FunctionRef) -> &'u Function {
        &self.units[reference.unit].functions[reference.index]
    }

    pub(super) fn symbol(&self, reference: SymbolRef) -> &'u Symbol {
        &self.units[reference.unit].symbols[reference.symbol.0 as usize]
    }

    /// The body behind a function symbol: of its own unit, else by name.
    pub(super) fn resolve_function(&self, reference: SymbolRef) -> Option<FunctionRef> {
        let symbol = self.symbol(reference);
        // A weak definition gives way to one of another unit.
        let is_final = !symbol.is_weak || symbol.is_internal;
        if let Some(index) = self.function_of[reference.unit].get(&reference.symbol).filter(|_| is_final) {
            return Some(FunctionRef { unit: reference.unit, index: *index });
        }
        let function = self.functions.get(self.symbol(reference).name.as_str()).copied()?;
        let is_own = self.is_user_function(function) || reference.unit >= self.first_model;
        (is_own || self.is_declared_alike(reference, function)).then_some(function)
    }

    /// A function of the library models, whatever the user calls by its name.
    pub(super) fn model_function(&self, name: &str) -> FunctionRef {
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
    pub(super) fn environment_number(&mut self, name: &[u8]) -> Option<u64> {
        const MOST: usize = 64;
        let found = self.environment.iter().position(|known| known == name);
        let number = found.unwrap_or_else(|| {
            self.environment.push(name.to_vec());
            self.environment.len() - 1
        });
        (number < MOST).then_some(number as u64)
    }

    /// Whether the user's own text defines a function.
    pub(super) fn is_user_function(&self, function: FunctionRef) -> bool {
        function.unit < self.first_model
    }

    /// The object whose address stands for a function.
    pub(super) fn function_object(&mut self, reference: SymbolRef) -> ObjectId {
        let symbol = self.symbol(reference);
        let Some(function) = self.resolve_function(reference) else {
            return self.extern_object(&symbol.name, symbol.span);
        };
        let proc = self.proc_of(function);
        let proc = self.library_entry(reference, function).unwrap_or(proc);
        self.proc_object(proc, &symbol.name, symbol.span)
    }

    pub(super) fn proc_object(&mut self, proc: ProcId, name: &str, span: Span) -> ObjectId {
        if let Some(object) = self.function_objects.get(&proc) {
            return *object;
        }
        let object = self.new_object(name, 1, ObjectKind::Function(proc), span);
        self.function_objects.insert(proc, object);
        object
    }

    pub(super) fn extern_object(&mut self, name: &str, span: Span) -> ObjectId {
        if let Some(object) = self.extern_objects.get(name) {
            return *object;
        }
        let object = self.new_object(name, 1, ObjectKind::Extern, span);
        self.extern_objects.insert(name.to_string(), object);
        object
    }

    pub(super) fn error(&mut self, diagnostic: Diagnostic) {
        self.errors.push(diagnostic);
    }

    /// Tells something once per place.
    pub(super) fn warn(&mut self, diagnostic: Diagnostic) {
        if self.warned.insert((diagnostic.span, diagnostic.message.clone())) {
            self.warnings.push(diagnostic);
        }
    }
}
