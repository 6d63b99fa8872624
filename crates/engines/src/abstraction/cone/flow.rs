//! What flows where on one edge? Each new value, and each condition, in terms of the values before the edge.
//!
//! Known as: reaching definitions inside of a block, def-use chains.
//!
//! Invariant: nothing flows that is not said here; what is not overwritten for sure stays.

use ir::{Callee, Op, Place, Program, RegionId, Scope};
use logic::{TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What values flow through.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Symbol {
    /// A variable, global or not.
    Var(VarId),
    /// The memory of a region, all of it; of `RegionId::ANYWHERE` if some access may be in any.
    Memory(RegionId),
    /// What threads return.
    Results,
}

/// What flows where on an edge.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// What its conditions depend on.
    pub observed: FxHashSet<Symbol>,
    /// What each new value depends on.
    pub into: Vec<(Symbol, FxHashSet<Symbol>)>,
}

/// Numbers of symbols: variables first, then regions, then what threads return.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    n_vars: usize,
    n_regions: usize,
}

impl Numbers {
    pub(super) fn new(program: &Program) -> Numbers {
        Numbers { n_vars: program.vars.len(), n_regions: program.regions.len() }
    }

    pub(super) fn len(self) -> usize {
        self.n_vars + self.n_regions + 1
    }

    pub(super) fn of(self, symbol: Symbol) -> usize {
        match symbol {
            Symbol::Var(var) => var.index(),
            Symbol::Memory(region) => self.n_vars + region.0 as usize,
            Symbol::Results => self.n_vars + self.n_regions,
        }
    }

    pub(super) fn n_regions(self) -> usize {
        self.n_regions
    }
}

/// Whether every access says in which region it is.
pub(super) fn has_regions(program: &Program) -> bool {
    let stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    let is_anywhere = |op: &Op| match op {
        Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => {
            matches!(place, Place::Mem { region: RegionId::ANYWHERE, .. })
        }
        _ => false,
    };
    !stmts.map(|stmt| &stmt.op).any(is_anywhere)
}

/// What flows on one edge, statement by statement.
pub(super) fn flow(program: &Program, has_regions: bool, edge: &ir::Edge) -> Flow {
    let mut walk = Walk { program, has_regions, now: FxHashMap::default(), flow: Flow::default() };
    for stmt in &edge.stmts {
        walk.stmt(&stmt.op);
    }
    let Walk { now, mut flow, .. } = walk;
    flow.into = now.into_iter().collect();
    flow.into.sort_by_key(|(symbol, _)| *symbol);
    flow
}

struct Walk<'p> {
    program: &'p Program,
    has_regions: bool,
    /// What the values written so far depend on.
    now: FxHashMap<Symbol, FxHashSet<Symbol>>,
    flow: Flow,
}

impl Walk<'_> {
    fn of(&self, symbol: Symbol) -> FxHashSet<Symbol> {
        self.now.get(&symbol).cloned().unwrap_or_else(|| [symbol].into_iter().collect())
    }

    fn of_term(&self, term: TermId) -> FxHashSet<Symbol> {
        let mut all = FxHashSet::default();
        self.program.pool.for_each_free_var(term, &mut |var| all.extend(self.of(Symbol::Var(var))));
        all
    }

    fn observe(&mut self, term: TermId) {
        let all = self.of_term(term);
        self.flow.observed.extend(all);
    }

    fn place(&mut self, place: &Place) -> Symbol {
        match place {
            Place::Var(var) => Symbol::Var(*var),
            Place::Mem { addr, region, .. } => {
                self.observe(*addr);
                Symbol::Memory(if self.has_regions { *region } else { RegionId::ANYWHERE })
            }
        }
    }

    fn write(&mut self, symbol: Symbol, mut from: FxHashSet<Symbol>) {
        if matches!(symbol, Symbol::Memory(_) | Symbol::Results) {
            // What is not overwritten stays.
            from.extend(self.of(symbol));
        }
        self.now.insert(symbol, from);
    }

    fn stmt(&mut self, op: &Op) {
        match op {
            Op::Assign { var, value } => {
                let from = self.of_term(*value);
                self.write(Symbol::Var(*var), from);
            }
            Op::Havoc { var, .. } => self.write(Symbol::Var(*var), FxHashSet::default()),
            Op::Assume(cond) | Op::Check { cond, .. } => self.observe(*cond),
            Op::Load { dst, place, .. } => {
                let symbol = self.place(place);
                let from = self.of(symbol);
                self.write(Symbol::Var(*dst), from);
            }
            Op::Store { place, value, .. } => {
                let symbol = self.place(place);
                let from = self.of_term(*value);
                self.write(symbol, from);
            }
            Op::Rmw { dst, place, wait, owner, new, .. } => {
                let symbol = self.place(place);
                let from = self.of(symbol);
                self.write(Symbol::Var(*dst), from);
                for term in wait.iter().chain(owner) {
                    self.observe(*term);
                }
                let from = self.of_term(*new);
                self.write(symbol, from);
            }
            Op::Alloc { dst, size, .. } => {
                self.observe(*size);
                self.write(Symbol::Var(*dst), FxHashSet::default());
            }
            Op::Free { addr, .. } => self.observe(*addr),
            Op::Start { dst, callee, args } => self.start(*dst, *callee, args),
            Op::Join { thread, result } => {
                self.observe(*thread);
                if let Some(result) = result {
                    let from = self.of(Symbol::Results);
                    self.write(Symbol::Var(*result), from);
                }
            }
            Op::Return(Some(value)) | Op::ExitThread(value) => {
                let from = self.of_term(*value);
                self.write(Symbol::Results, from);
            }
            Op::Call { args, .. } => args.iter().for_each(|arg| self.observe(*arg)),
            Op::Return(None)
            | Op::Fence(_)
            | Op::AtomicBegin
            | Op::AtomicEnd
            | Op::ExitProcess { .. }
            | Op::Mark(..) => {}
        }
    }

    fn start(&mut self, dst: VarId, callee: Callee, args: &[TermId]) {
        match callee {
            Callee::Proc(proc) => {
                for (param, arg) in self.program.proc(proc).params.iter().zip(args) {
                    let from = self.of_term(*arg);
                    debug_assert_eq!(self.program.var(*param).scope, Scope::Local, "parameters are locals");
                    self.write(Symbol::Var(*param), from);
                }
            }
            Callee::Pointer(pointer) => {
                self.observe(pointer);
                args.iter().for_each(|arg| self.observe(*arg));
            }
        }
        self.write(Symbol::Var(dst), FxHashSet::default());
    }
}
