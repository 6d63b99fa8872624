//! Building one automaton: locations, edges, variables and temporaries.
//!
//! Statements are collected on a pending edge. The edge is cut where another thread may come in between: before a second
//! shared access, before anything that can wait, before a guard, after a call. `compact` later joins what was cut
//! for no reason. While `at` is `None` the code being lowered is never reached, and nothing is recorded.
//!
//! Values are terms over local variables, so a value stays right only as long as its variables are not assigned. C's
//! rules on unsequenced side effects make this safe within an expression; where C itself keeps an old value
//! (`x++`, a branch joining) a temporary is used. Temporaries are given back when a full expression ends.
//!
//! Which stack objects are alive where is in `scopes`.

use super::compact;
use super::context::{Home, Lowering, SymbolRef};
use super::model_types::{format_of, scalar_of};
use crate::c::typed::{Expr, Function, LabelId, SymbolId};
use crate::c::types::{TypeId, Types};
use ir::{CheckKind, Edge, Format, HavocKind, Loc, LocId, Op, Scope, Span, Stmt, Variable};
use logic::{Pool, Scalar, Sort, TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A finished automaton, before `compact`.
pub(super) struct Built {
    pub(super) params: Vec<VarId>,
    pub(super) locals: Vec<VarId>,
    pub(super) result: Option<Sort>,
    pub(super) locs: Vec<Loc>,
    pub(super) edges: Vec<Edge>,
    pub(super) entry: LocId,
    pub(super) exit: LocId,
}

/// A stack object of the function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum StackObject {
    /// Of a variable, a parameter or a compound literal.
    Symbol(SymbolId),
    /// Of the record that the call at this place of the tree returns.
    CallResult(*const Expr, TypeId),
    /// Not an object but a variable of the program model: a jump into its scope leaves it without a value.
    Variable(VarId),
}

/// Where `break` and `continue` go, and how many stack objects are alive there.
#[derive(Clone, Copy)]
pub(super) struct JumpTarget {
    pub(super) loc: LocId,
    pub(super) n_alive: usize,
}

/// A `case` or `default` that was met, with the objects alive at it.
pub(super) struct CaseTarget {
    pub(super) range: Option<(i128, i128)>,
    pub(super) loc: LocId,
    pub(super) alive: Vec<StackObject>,
}

/// A label and the objects alive at it.
pub(super) struct LabelTarget {
    pub(super) loc: LocId,
    pub(super) alive: Vec<StackObject>,
}

/// The state of building one automaton.
pub(super) struct Body<'l, 'u> {
    pub(super) lw: &'l mut Lowering<'u>,
    pub(super) unit: usize,
    pub(super) function: Option<&'u Function>,
    pub(super) params: Vec<VarId>,
    pub(super) result: Option<Sort>,
    /// The pointer through which a record is returned.
    pub(super) out_pointer: Option<VarId>,
    /// Where the list of variable arguments begins.
    pub(super) list_start: Option<VarId>,
    /// Whether the whole function is one atomic section.
    pub(super) is_atomic_section: bool,
    /// Where the code being lowered stands in the source.
    pub(super) span: Span,
    pub(super) alive: Vec<StackObject>,
    /// Variables that live from the start of their block on, see `scopes`.
    pub(super) hoisted: FxHashSet<SymbolId>,
    pub(super) labels: FxHashMap<LabelId, LabelTarget>,
    pub(super) breaks: Vec<JumpTarget>,
    pub(super) continues: Vec<JumpTarget>,
    /// The cases met so far of each enclosing `switch` that is reached.
    pub(super) switches: Vec<Option<Vec<CaseTarget>>>,
    /// Variables that hold the addresses of `alloca`ed objects, and of the list of earlier ones from the same place where there can be any.
    pub(super) allocas: Vec<(VarId, Option<VarId>)>,
    /// Scalar variables that must be objects because something points to them.
    addressed: FxHashSet<SymbolId>,
    homes: FxHashMap<SymbolId, Home>,
    pub(super) call_results: FxHashMap<*const Expr, VarId>,
    pub(super) locals: Vec<VarId>,
    locs: Vec<Loc>,
    edges: Vec<Edge>,
    at: Option<LocId>,
    /// Which locations some edge goes to, or will go to.
    is_target: Vec<bool>,
    pub(super) pending: Vec<Stmt>,
    has_access: bool,
    /// The call whose result is looked at only in part, and which part.
    pub(super) partly_needed: Option<(*const Expr, crate::c::lower::calls::families::Fixed)>,
    /// Set while a term for an atomic update is built: C's atomic operations wrap.
    pub(super) wraps: bool,
    /// When the division in that update has no result.
    pub(super) traps: Option<TermId>,
    free_temporaries: FxHashMap<Sort, Vec<VarId>>,
    used_temporaries: Vec<VarId>,
    n_temporaries: u32,
    pub(super) orders: super::early::EvaluationOrders,
}

const ENTRY: LocId = LocId(0);
const EXIT: LocId = LocId(1);

/// A position in the text being built; see `Body::aside`.
pub(super) struct Position {
    at: Option<LocId>,
    pub(super) pending: Vec<Stmt>,
    has_access: bool,
}

impl<'l, 'u> Body<'l, 'u> {
    pub(super) fn new(lw: &'l mut Lowering<'u>, unit: usize, function: Option<&'u Function>) -> Body<'l, 'u> {
        let tree = &lw.units[unit];
        let addressed =
            function.map(|function| crate::c::lower::analysis::scan::addressed_variables(tree, &function.body));
        Body {
            addressed: addressed.unwrap_or_default(),
            lw,
            unit,
            function,
            params: Vec::new(),
            result: None,
            out_pointer: None,
            list_start: None,
            is_atomic_section: false,
            span: function.map_or(Span::NOWHERE, |function| function.span),
            alive: Vec::new(),
            hoisted: FxHashSet::default(),
            labels: FxHashMap::default(),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            allocas: Vec::new(),
            homes: FxHashMap::default(),
            call_results: FxHashMap::default(),
            locals: Vec::new(),
            locs: vec![Loc::default(), Loc::default()],
            edges: Vec::new(),
            at: Some(ENTRY),
            is_target: vec![true, false],
            pending: Vec::new(),
            has_access: false,
            partly_needed: None,
            wraps: false,
            traps: None,
            free_temporaries: FxHashMap::default(),
            used_temporaries: Vec::new(),
            n_temporaries: 0,
            orders: super::early::EvaluationOrders::default(),
        }
    }

    pub(super) fn finish(mut self) -> Built {
        self.goto(EXIT);
        self.refuse_lost_jumps();
        Built {
            params: self.params,
            locals: self.locals,
            result: self.result,
            locs: self.locs,
            edges: self.edges,
            entry: ENTRY,
            exit: EXIT,
        }
    }

    /// Nothing is known of an execution that jumps to code which was left out. There should be none; this is the net below.
    fn refuse_lost_jumps(&mut self) {
        let mut goes_on = vec![false; self.locs.len()];
        for edge in &self.edges {
            goes_on[edge.from.index()] = true;
        }
        for loc in (0..self.locs.len()).map(|loc| LocId(loc as u32)) {
            if loc != EXIT && self.is_target[loc.index()] && !goes_on[loc.index()] {
                self.span = self.locs[loc.index()].span;
                self.at = Some(loc);
                self.fail(CheckKind::Unsupported("a jump to this place".into()));
            }
        }
    }

    pub(super) fn pool(&mut self) -> &mut Pool {
        &mut self.lw.program.pool
    }

    pub(super) fn types(&self) -> &'u Types {
        &self.lw.units[self.unit].types
    }

    /// Whether the code is part of a library model.
    pub(super) fn is_model(&self) -> bool {
        self.unit >= self.lw.first_model
    }

    /// Whether nothing has been emitted.
    pub(super) fn is_silent(&self) -> bool {
        self.at == Some(ENTRY) && self.pending.is_empty() && self.edges.is_empty()
    }

    pub(super) fn is_reachable(&self) -> bool {
        self.at.is_some()
    }

    // Terms.

    pub(super) fn word_bits(&self) -> u32 {
        self.lw.program.data_model.word_bits()
    }

    pub(super) fn word(&mut self, value: u64) -> TermId {
        let bits = self.word_bits();
        self.pool().bv(bits, value)
    }

    pub(super) fn var(&mut self, var: VarId) -> TermId {
        self.pool().var(var)
    }

    pub(super) fn add_offset(&mut self, addr: TermId, offset: u64) -> TermId {
        let offset = self.word(offset);
        self.pool().add(addr, offset)
    }

    pub(super) fn zero(&mut self, sort: Sort) -> TermId {
        self.pool().constant(Value::zero(sort))
    }

    /// The value of a constant bit-vector term.
    pub(super) fn as_number(&mut self, term: TermId) -> Option<u64> {
        match self.pool().as_const(term) {
            Some(Value::Bv(value)) => value.to_u64(),
            _ => None,
        }
    }

    pub(super) fn as_truth(&mut self, term: TermId) -> Option<bool> {
        match self.pool().as_const(term) {
            Some(Value::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        scalar_of(self.types(), ty)
    }

    // Variables.

    pub(super) fn declare_local(&mut self, name: &str, sort: Sort, format: Format, span: Span) -> VarId {
        let variable = Variable { scope: Scope::Local, init: None, format, span, is_temporary: !span.is_known() };
        let var = self.lw.program.declare(name, sort, variable);
        self.locals.push(var);
        var
    }

    /// A variable for an intermediate value, until the full expression ends.
    pub(super) fn temporary(&mut self, sort: Sort) -> VarId {
        let var = match self.free_temporaries.get_mut(&sort).and_then(Vec::pop) {
            Some(var) => var,
            None => self.lasting_temporary(sort),
        };
        self.used_temporaries.push(var);
        var
    }

    /// A made-up variable that is never given back.
    pub(super) fn lasting_temporary(&mut self, sort: Sort) -> VarId {
        self.n_temporaries += 1;
        let name = format!("t{}", self.n_temporaries);
        self.declare_local(&name, sort, Format::Unsigned, Span::NOWHERE)
    }

    /// How many temporaries are in use; what is used beyond a mark is given back by `release`.
    pub(super) fn temporary_mark(&self) -> usize {
        self.used_temporaries.len()
    }

    pub(super) fn release(&mut self, mark: usize) {
        for var in self.used_temporaries.split_off(mark) {
            let sort = self.lw.program.pool.var_sort(var);
            self.free_temporaries.entry(sort).or_default().push(var);
        }
    }

    /// Where a symbol of this function's unit lives.
    pub(super) fn home(&mut self, symbol: SymbolId) -> Home {
        let reference = SymbolRef { unit: self.unit, symbol };
        let record = self.lw.symbol(reference);
        if !record.storage.is_local() {
            return self.lw.static_home(reference);
        }
        if let Some(home) = self.homes.get(&symbol) {
            return home.clone();
        }
        let types = self.types();
        let is_object = record.address_taken && self.addressed.contains(&symbol)
            || record.vla_len.is_some()
            || record.cleanup.is_some();
        let home = match scalar_of(types, record.ty.ty).filter(|_| !is_object) {
            Some(scalar) => {
                let format = format_of(types, record.ty.ty);
                Home::Private(self.declare_local(&record.name, scalar.into(), format, record.span))
            }
            None => {
                let name = if record.name.is_empty() { "&literal".to_string() } else { format!("&{}", record.name) };
                let var = self.lw.pointer_variable(&name, Scope::Local, Span::NOWHERE);
                self.locals.push(var);
                Home::Pointed(var)
            }
        };
        self.homes.insert(symbol, home.clone());
        home
    }

    /// Whether a symbol of this function is a stack object.
    pub(super) fn is_stack_object(&mut self, symbol: SymbolId) -> bool {
        let storage = self.lw.symbol(SymbolRef { unit: self.unit, symbol }).storage;
        storage.is_local() && matches!(self.home(symbol), Home::Pointed(_))
    }

    // Statements.

    /// What follows stands at a place of the source, if that is known; yields the place before.
    pub(super) fn stand_at(&mut self, span: Span) -> Span {
        let outer = self.span;
        if span.is_known() {
            self.span = span;
        }
        outer
    }

    pub(super) fn emit(&mut self, op: Op) {
        if self.at.is_none() {
            return;
        }
        let is_wait = matches!(op, Op::Rmw { wait: Some(_), .. } | Op::Join { .. } | Op::AtomicBegin);
        let is_guard = matches!(op, Op::Assume(_));
        let is_access = matches!(
            op,
            Op::Load { .. }
                | Op::Store { .. }
                | Op::Rmw { .. }
                | Op::Fence(_)
                | Op::Alloc { .. }
                | Op::Free { .. }
                | Op::Start { .. }
                | Op::Join { .. }
                | Op::Call { .. }
        );
        let only_guards = self.pending.iter().all(|stmt| matches!(stmt.op, Op::Assume(_)));
        let is_late = compact::may_end(&op) && compact::has_effect(&self.pending);
        let is_chosen = compact::is_chosen_by(&self.pending, &op);
        let is_second = is_access && self.has_access;
        if is_wait && !self.pending.is_empty() || is_guard && !only_guards || is_second || is_late || is_chosen {
            self.cut();
        }
        let ends_edge = matches!(op, Op::Call { .. } | Op::AtomicEnd);
        let leaves = matches!(op, Op::Return(_) | Op::ExitThread(_) | Op::ExitProcess { .. });
        self.has_access |= is_access;
        let site = self.lw.program.new_site();
        self.pending.push(Stmt { op, span: self.span, site });
        if ends_edge {
            self.cut();
        }
        if leaves {
            self.goto(EXIT);
        }
    }

    pub(super) fn assign(&mut self, var: VarId, value: TermId) {
        if self.var(var) != value {
            self.emit(Op::Assign { var, value });
        }
    }

    /// Assigns a value that nothing else will use: if a statement just put it into a temporary, it goes to `var` at once.
    pub(super) fn assign_last(&mut self, var: VarId, value: TermId) {
        let source = self.pool().as_var(value);
        let is_temporary = source.is_some_and(|source| self.used_temporaries.contains(&source));
        let same_sort = self.lw.program.pool.sort(value) == self.lw.program.pool.var_sort(var);
        if let (Some(source), true, true) = (source, is_temporary, same_sort) {
            let last = match self.pending.last_mut() {
                Some(last) => Some(last),
                // After a call the edge has been cut.
                None => self
                    .edges
                    .last_mut()
                    .filter(|edge| Some(edge.to) == self.at)
                    .and_then(|edge| edge.stmts.last_mut().filter(|stmt| matches!(stmt.op, Op::Call { .. }))),
            };
            let target = last.and_then(|stmt| match &mut stmt.op {
                Op::Load { dst, .. }
                | Op::Havoc { var: dst, .. }
                | Op::Assign { var: dst, .. }
                | Op::Alloc { dst, .. }
                | Op::Start { dst, .. }
                | Op::Join { result: Some(dst), .. }
                | Op::Call { result: Some(dst), .. } => Some(dst),
                _ => None,
            });
            if let Some(dst) = target.filter(|dst| **dst == source) {
                *dst = var;
                return;
            }
        }
        self.assign(var, value);
    }

    pub(super) fn havoc(&mut self, sort: Sort, kind: HavocKind) -> TermId {
        let var = self.temporary(sort);
        self.emit(Op::Havoc { var, kind });
        self.var(var)
    }

    /// Guards against something; a condition that always holds is left out.
    pub(super) fn check(&mut self, cond: TermId, kind: CheckKind) {
        let is_moot = self.wraps && kind == CheckKind::Overflow;
        if !is_moot && self.as_truth(cond) != Some(true) {
            self.emit(Op::Check { cond, kind });
        }
    }

    /// The execution ends here unless `cond` holds.
    pub(super) fn assume(&mut self, cond: TermId) {
        if self.as_truth(cond) != Some(true) {
            self.emit(Op::Assume(cond));
        }
    }

    /// Ends the process in a check that fails; the code after it is not reached.
    pub(super) fn fail(&mut self, kind: CheckKind) {
        let cond = self.pool().bool(false);
        self.emit(Op::Check { cond, kind });
        self.emit(Op::ExitProcess { is_abort: true });
    }

    /// Leaves what is modelled.
    pub(super) fn unsupported(&mut self, what: &str) {
        if self.is_reachable() {
            let diagnostic = ir::Diagnostic::unsupported(self.span, what.to_string());
            self.lw.warn(diagnostic.with_note("executions that get here are answered \"unknown\""));
            self.fail(CheckKind::Unsupported(what.into()));
        }
    }

    // Control flow.

    pub(super) fn new_loc(&mut self) -> LocId {
        self.locs.push(Loc { span: self.span, is_loop_head: false });
        self.is_target.push(false);
        LocId(self.locs.len() as u32 - 1)
    }

    /// Ends the pending edge at a new location.
    pub(super) fn cut(&mut self) {
        if self.at.is_some() {
            let to = self.new_loc();
            self.goto(to);
            self.at = Some(to);
        }
    }

    /// Goes to a location; what follows is not reached unless `enter` is called.
    pub(super) fn goto(&mut self, to: LocId) {
        if let Some(from) = self.at.take() {
            let stmts = std::mem::take(&mut self.pending);
            self.edges.push(Edge { from, to, stmts, origin: Vec::new() });
            self.is_target[to.index()] = true;
        }
        self.pending.clear();
        self.has_access = false;
    }

    /// Goes on at a location.
    pub(super) fn enter(&mut self, loc: LocId) {
        self.goto(loc);
        self.at = Some(loc);
    }

    /// Goes on at a location that only jumps reach; if there was none, what follows is not reached.
    pub(super) fn resume_at(&mut self, loc: LocId) {
        debug_assert!(self.at.is_none());
        self.at = self.is_target[loc.index()].then_some(loc);
    }

    /// Goes to one of two locations.
    pub(super) fn branch_on(&mut self, cond: TermId, yes: LocId, no: LocId) {
        match self.as_truth(cond) {
            Some(true) => return self.goto(yes),
            Some(false) => return self.goto(no),
            None => {}
        }
        let not = self.pool().not(cond);
        self.dispatch(&[(cond, yes), (not, no)]);
    }

    /// Goes to the location whose guard holds; the guards must exclude each other and cover everything.
    pub(super) fn dispatch(&mut self, targets: &[(TermId, LocId)]) {
        if !self.pending.is_empty() {
            self.cut();
        }
        let Some(from) = self.at.take() else { return };
        for (guard, to) in targets {
            if self.as_truth(*guard) == Some(false) {
                continue;
            }
            let site = self.lw.program.new_site();
            let stmts = vec![Stmt { op: Op::Assume(*guard), span: self.span, site }];
            self.edges.push(Edge { from, to: *to, stmts, origin: Vec::new() });
            self.is_target[to.index()] = true;
        }
        self.has_access = false;
    }

    /// Lowers something at a location of its own and tells where it ended; the caller's own position is untouched. If it
    /// made no statements, the position is `None`.
    pub(super) fn aside<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (T, LocId, Option<Position>) {
        let start = self.new_loc();
        let n_edges = self.edges.len();
        let at = if self.at.is_some() { Some(start) } else { None };
        let outer = self.swap(Position { at, pending: Vec::new(), has_access: false });
        let result = lower(self);
        let inner = self.swap(outer);
        let is_pure = inner.at == at && inner.pending.is_empty() && self.edges.len() == n_edges;
        (result, start, (!is_pure).then_some(inner))
    }

    /// Goes on at another position; the pending edge of the current one is kept in the result.
    pub(super) fn swap(&mut self, position: Position) -> Position {
        Position {
            at: std::mem::replace(&mut self.at, position.at),
            pending: std::mem::replace(&mut self.pending, position.pending),
            has_access: std::mem::replace(&mut self.has_access, position.has_access),
        }
    }
}
