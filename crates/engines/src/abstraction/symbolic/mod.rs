//! What does a step do, as terms? An edge taken by a thread: conditions, new values of cells, what can go wrong, and where it leads.
//!
//! Known as: transition formula, weakest precondition of an edge.
//!
//! The statements of the edge are run on terms over the cells before the step. Nothing is approximated here, with one exception
//! that the caller controls: an address that `resolve` cannot tell is read as an unknown value, and a write to it forgets all that
//! it may touch. The refiner resolves everything, so that its answers are exact; abstractions resolve what their states know.
//!
//! Invariant: for every concrete step there are inputs such that `guards` hold before it and the cells after it have the values of
//! `updates`; if all addresses are resolved the converse holds too.

mod memory;

use super::cells::{Cell, Cells};
use super::control::{Change, Control, MOVER, Object, can_be_counted, is_counted};
use ir::access::bytes_of;
use ir::{
    Callee, CheckKind, EdgeRef, ObjectKind, Op, Place, ProcId, Properties, Property, RegionId, SiteId, Span, Stmt, Why,
};
use logic::{Scalar, Sort, TermId, Value, VarId};
use rustc_hash::FxHashMap;

/// What a step does.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// All hold before the step if it is taken.
    pub guards: Vec<TermId>,
    /// Which of the guards are waits: the thread waits while they do not hold.
    pub waits: Vec<usize>,
    /// The cells that get new values, in terms of the values before.
    pub updates: Vec<(VarId, TermId)>,
    /// What can go wrong.
    pub bads: Vec<Bad>,
    /// Inputs that the step asks for: the statement, and the value it gets.
    pub inputs: Vec<(SiteId, VarId)>,
    /// Shared cells that are read, with the value: an input of the statement if nobody has written them.
    pub reads: Vec<(SiteId, Vec<VarId>, TermId)>,
    /// How control changes.
    pub changes: Vec<Change>,
    /// Threads that are counted, in order: where they begin, and their arguments.
    pub joining: Vec<(ProcId, Vec<(VarId, TermId)>)>,
    /// Addresses and the like whose values were resolved.
    pub fixed: Vec<TermId>,
    /// Whether an address was not resolved, so that values are unknown that are not.
    pub is_vague: bool,
    /// Whether it is the same in all states.
    pub is_fixed: bool,
    /// Accesses to memory: the address, before the step, how many bytes, and whether they are written.
    pub touches: Vec<(TermId, u64, bool)>,
}

/// Something that can go wrong in a step.
#[derive(Clone, Debug)]
pub struct Bad {
    /// Holds before the step if it goes wrong here.
    pub cond: TermId,
    /// What.
    pub kind: BadKind,
    /// The position of the statement in its edge.
    pub stmt: usize,
}

/// What goes wrong.
#[derive(Clone, PartialEq, Debug)]
pub enum BadKind {
    /// The property is violated.
    Violation(Property),
    /// The execution leaves what is modelled.
    Beyond(Why),
    /// A value has to be known and is not; the term says which.
    Unresolved(TermId, Span, &'static str),
    /// All threads wait after the path.
    Deadlock,
    /// A loop starts many threads: nothing is wrong, but is it really so?
    ManyThreads,
}

/// Tells the value of a term over the cells before the step, if it is known.
pub type Resolve<'r> = &'r mut dyn FnMut(&mut Cells<'_>, TermId) -> Option<u64>;

/// Runs an edge on terms. For a counted thread, what it reads of its own variables are cells of its place, and what it writes are cells
/// of `MOVER`.
pub fn run(
    cells: &mut Cells<'_>,
    properties: Properties,
    control: &Control,
    thread: u32,
    edge: EdgeRef,
    resolve: Resolve<'_>,
) -> Summary {
    if !is_counted(thread) {
        return execute(cells, properties, control, thread, edge, resolve);
    }
    let mut resolve_there = |cells: &mut Cells<'_>, term: TermId| {
        let term = cells.rename(term, MOVER, thread);
        resolve(cells, term)
    };
    let mut summary = execute(cells, properties, control, MOVER, edge, &mut resolve_there);
    let mut rename = |term: &mut TermId| *term = cells.rename(*term, MOVER, thread);
    summary.guards.iter_mut().for_each(&mut rename);
    summary.fixed.iter_mut().for_each(&mut rename);
    summary.updates.iter_mut().for_each(|(_, term)| rename(term));
    summary.bads.iter_mut().for_each(|bad| rename(&mut bad.cond));
    summary.joining.iter_mut().for_each(|(_, args)| args.iter_mut().for_each(|(_, term)| rename(term)));
    summary
}

/// Likewise for whoever does not know the state: an address that may be one of at most so many is told apart by cases in the values; what is resolved
/// instead may be different elsewhere, which is something that goes wrong (`BadKind::Unresolved`) and has to be ruled out.
pub fn run_by_cases(
    cells: &mut Cells<'_>,
    properties: Properties,
    control: &Control,
    (thread, edge): (u32, EdgeRef),
    resolve: Resolve<'_>,
    most: usize,
) -> Summary {
    execute_with(cells, properties, control, (thread, edge), resolve, Some(most))
}

fn execute(
    cells: &mut Cells<'_>,
    properties: Properties,
    control: &Control,
    thread: u32,
    edge: EdgeRef,
    resolve: Resolve<'_>,
) -> Summary {
    execute_with(cells, properties, control, (thread, edge), resolve, None)
}

fn execute_with(
    cells: &mut Cells<'_>,
    properties: Properties,
    control: &Control,
    (thread, edge): (u32, EdgeRef),
    resolve: Resolve<'_>,
    cases: Option<usize>,
) -> Summary {
    let true_term = cells.pool.bool(true);
    let mut exec = Exec {
        cells,
        properties,
        control,
        thread,
        env: FxHashMap::default(),
        order: Vec::new(),
        guard: true_term,
        result: Summary::default(),
        resolve,
        at: 0,
        n_started: 0,
        granules: if is_counted(thread) { 0 } else { control.at(thread).granules },
        objects: control.objects.clone(),
        cases,
    };
    let program = exec.cells.program;
    for (index, stmt) in program.edge(edge).stmts.iter().enumerate() {
        exec.at = index;
        if exec.stmt(stmt).is_none() {
            break;
        }
    }
    exec.finish()
}

/// Whether what the edge does depends on nothing but its thread: not on where others stand, nor on values of addresses.
pub fn is_fixed(cells: &Cells<'_>, edge: EdgeRef) -> bool {
    cells.program.edge(edge).stmts.iter().all(|stmt| match &stmt.op {
        Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => matches!(place, Place::Var(_)),
        Op::Alloc { .. } | Op::Free { .. } | Op::Start { .. } | Op::Join { .. } => false,
        _ => true,
    })
}

/// A place that has been found.
enum Spot {
    Var(VarId),
    Bytes(u64, RegionId),
    /// One of these addresses, and the term that says which.
    Among(TermId, Vec<u64>, RegionId),
    Unknown(RegionId),
}

struct Exec<'a, 'p, 'r> {
    cells: &'a mut Cells<'p>,
    properties: Properties,
    control: &'a Control,
    thread: u32,
    env: FxHashMap<VarId, TermId>,
    order: Vec<VarId>,
    /// All guards so far.
    guard: TermId,
    result: Summary,
    resolve: Resolve<'r>,
    at: usize,
    n_started: usize,
    granules: u64,
    objects: Vec<Object>,
    /// How many cases of an address are told apart, if nothing may be taken for granted.
    cases: Option<usize>,
}

impl Exec<'_, '_, '_> {
    fn finish(mut self) -> Summary {
        for var in self.order {
            self.result.updates.push((var, self.env[&var]));
        }
        self.result
    }

    fn read(&mut self, var: VarId) -> TermId {
        match self.env.get(&var) {
            Some(term) => *term,
            None => self.cells.pool.var(var),
        }
    }

    fn write(&mut self, var: VarId, value: TermId) {
        if self.env.insert(var, value).is_none() {
            self.order.push(var);
        }
    }

    fn own(&mut self, var: VarId) -> VarId {
        self.cells.var(Cell::Own(self.thread, var))
    }

    /// The term over the cells before the step.
    fn eval(&mut self, term: TermId) -> TermId {
        let vars = self.cells.vars_in(term);
        let mut map: smallvec::SmallVec<[(VarId, TermId); 6]> = smallvec::SmallVec::new();
        for var in vars.iter() {
            let value = if *var == self.cells.program.self_var && !is_counted(self.thread) {
                let word = self.cells.word();
                self.cells.pool.bv(word, u64::from(self.thread) + 1)
            } else {
                let own = self.own(*var);
                self.read(own)
            };
            map.push((*var, value));
        }
        self.cells.pool.substitute(term, &|var| map.iter().find(|(other, _)| *other == var).map(|(_, value)| *value))
    }

    fn set(&mut self, var: VarId, value: TermId) {
        let own = self.own(var);
        self.write(own, value);
    }

    /// The step is only taken if this holds; `None` if it never does.
    fn assume(&mut self, cond: TermId) -> Option<()> {
        if self.cells.pool.as_const(cond).is_some_and(Value::as_bool) {
            return Some(());
        }
        self.result.guards.push(cond);
        self.guard = self.cells.pool.and(self.guard, cond);
        let never = self.cells.pool.as_const(self.guard).is_some();
        (!never).then_some(())
    }

    /// It goes wrong if this does not hold; afterwards it does.
    fn require(&mut self, cond: TermId, kind: BadKind) -> Option<()> {
        let fails = self.cells.pool.not(cond);
        let cond_of_bad = self.cells.pool.and(self.guard, fails);
        if self.cells.pool.as_const(cond_of_bad).is_none_or(Value::as_bool) {
            self.result.bads.push(Bad { cond: cond_of_bad, kind, stmt: self.at });
        }
        self.assume(cond)
    }

    fn unsupported(&mut self, span: Span, what: String) -> Option<()> {
        let never = self.cells.pool.bool(false);
        self.require(never, BadKind::Beyond(Why::Unsupported { span, what }))
    }

    fn property(&self, property: Property, span: Span, what: &str) -> BadKind {
        if self.properties.has(property) {
            BadKind::Violation(property)
        } else {
            BadKind::Beyond(Why::Undefined { span, what: what.to_string() })
        }
    }

    fn input(&mut self, site: SiteId, sort: Sort) -> TermId {
        // Edges of one location begin alike, so that the same statement gets the same input on each of them.
        let n_before = self.result.inputs.iter().filter(|(other, _)| *other == site).count() as u32;
        let var = self.cells.input(site, self.thread, n_before, sort);
        self.result.inputs.push((site, var));
        self.cells.pool.var(var)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        match &stmt.op {
            Op::Assign { var, value } => {
                let value = self.eval(*value);
                self.set(*var, value);
            }
            Op::Havoc { var, .. } => {
                let value = self.input(stmt.site, self.cells.program.pool.var_sort(*var));
                self.set(*var, value);
            }
            Op::Assume(cond) => {
                let cond = self.eval(*cond);
                self.assume(cond)?;
            }
            Op::Check { cond, kind } => {
                let cond = self.eval(*cond);
                self.check(cond, kind, stmt.span)?;
            }
            Op::Load { dst, place, .. } => {
                let (spot, sort) = self.locate(place, false, stmt)?;
                let value = self.load(&spot, sort, stmt.site);
                self.set(*dst, value);
            }
            Op::Store { place, value, .. } => {
                let (spot, sort) = self.locate(place, true, stmt)?;
                let value = self.eval(*value);
                self.store(&spot, sort, value);
            }
            Op::Rmw { dst, place, wait, new, .. } => {
                let (spot, sort) = self.locate(place, true, stmt)?;
                let old = self.load(&spot, sort, stmt.site);
                self.set(*dst, old);
                if let Some(wait) = wait {
                    let wait = self.eval(*wait);
                    self.wait(wait)?;
                }
                let new = self.eval(*new);
                self.store(&spot, sort, new);
            }
            Op::Fence(_) | Op::Mark(..) => {}
            Op::Alloc { dst, size, kind, zeroed, .. } => {
                let size = self.eval(*size);
                self.alloc(*dst, size, *kind, *zeroed, stmt)?;
            }
            Op::Free { addr, kind } => {
                let addr = self.eval(*addr);
                self.free(addr, *kind, stmt.span)?;
            }
            Op::Start { dst, callee, args } => self.start(*dst, *callee, args, stmt)?,
            Op::Join { thread, result } => {
                let handle = self.eval(*thread);
                self.join(handle, *result)?;
            }
            Op::AtomicBegin => self.result.changes.push(Change::Begin),
            Op::AtomicEnd => self.result.changes.push(Change::End),
            Op::Call { .. } => self.unsupported(stmt.span, "a call that was not inlined".to_string())?,
            Op::Return(value) => {
                let value = value.map(|value| self.eval(value));
                if self.thread == 0 {
                    self.result.changes.push(Change::EndProcess);
                } else {
                    self.end_thread(value);
                }
            }
            Op::ExitThread(value) => {
                let value = self.eval(*value);
                self.end_thread(Some(value));
            }
            Op::ExitProcess { .. } => {
                self.result.changes.push(Change::EndProcess);
                return None;
            }
        }
        Some(())
    }

    fn wait(&mut self, cond: TermId) -> Option<()> {
        let before = self.result.guards.len();
        let goes_on = self.assume(cond);
        if self.result.guards.len() > before {
            self.result.waits.push(before);
        }
        goes_on
    }

    fn check(&mut self, cond: TermId, kind: &CheckKind, span: Span) -> Option<()> {
        match (kind, Property::of_check(kind)) {
            (CheckKind::Unsupported(what), _) => {
                self.require(cond, BadKind::Beyond(Why::Unsupported { span, what: what.to_string() }))
            }
            (CheckKind::Bound(what), _) => self.require(cond, BadKind::Beyond(Why::Bound(what.to_string()))),
            (CheckKind::Overflow, _) if !self.properties.has(Property::Overflow) => Some(()),
            (_, Some(property)) if self.properties.has(property) || property.is_undefined() => {
                let kind = self.property(property, span, property.describe());
                self.require(cond, kind)
            }
            // The process ends without a violation.
            _ => self.assume(cond),
        }
    }

    fn locate(&mut self, place: &Place, is_write: bool, stmt: &Stmt) -> Option<(Spot, Scalar)> {
        match *place {
            Place::Var(var) => {
                let sort = self.cells.program.pool.var_sort(var).scalar();
                let global = self.cells.var(Cell::Global(var));
                // Arrays are read and written whole; the sort does not matter then.
                Some((Spot::Var(global), sort.unwrap_or(Scalar::Bool)))
            }
            Place::Mem { addr, sort, region } => {
                let addr = self.eval(addr);
                let len = bytes_of(sort);
                let valid = self.valid(addr, len, is_write, region);
                let what =
                    if is_write { "a write outside of a live object" } else { "a read outside of a live object" };
                let kind = self.property(Property::Deref, stmt.span, what);
                self.require(valid, kind)?;
                self.result.touches.push((addr, len, is_write));
                if let Some(spot) = self.by_cases(addr, len, is_write, region, stmt)? {
                    return Some((spot, sort));
                }
                match self.value_of(addr) {
                    Some(value) => {
                        self.fix(addr, value, stmt.span, "an address")?;
                        Some((Spot::Bytes(value, region), sort))
                    }
                    None if self.cases.is_some() => {
                        let never = self.cells.pool.bool(false);
                        self.require(never, BadKind::Unresolved(addr, stmt.span, "an address"))?;
                        None
                    }
                    None => {
                        self.result.is_vague = true;
                        Some((Spot::Unknown(region), sort))
                    }
                }
            }
        }
    }

    fn value_of(&mut self, term: TermId) -> Option<u64> {
        match self.cells.pool.as_const(term) {
            Some(value) => Some(value.as_bv().as_u64()),
            None => (self.resolve)(self.cells, term),
        }
    }

    /// From here on the term has this value. Where nothing may be taken for granted, it goes wrong otherwise.
    fn fix(&mut self, term: TermId, value: u64, span: Span, what: &'static str) -> Option<()> {
        if self.cells.pool.as_const(term).is_none() {
            self.result.fixed.push(term);
        }
        let word = self.cells.word();
        let constant = self.cells.pool.bv(word, value);
        let same = self.cells.pool.eq(term, constant);
        match self.cases {
            Some(_) => self.require(same, BadKind::Unresolved(term, span, what)),
            None => self.assume(same),
        }
    }

    fn start(&mut self, dst: VarId, callee: Callee, args: &[TermId], stmt: &Stmt) -> Option<()> {
        let program = self.cells.program;
        let proc = match callee {
            Callee::Proc(proc) => proc,
            Callee::Pointer(pointer) => self.pointed(pointer, stmt.span)?,
        };
        let values: Vec<TermId> = args.iter().map(|arg| self.eval(*arg)).collect();
        let params = &program.proc(proc).params;
        let fits = |(param, value): (&VarId, &TermId)| program.pool.var_sort(*param) == self.cells.pool.sort(*value);
        if values.len() < params.len() || !params.iter().zip(&values).all(fits) {
            let what = format!("call of {} with other arguments than it takes", program.proc(proc).name);
            return self.unsupported(stmt.span, what);
        }
        if self.has_counted() || is_counted(self.thread) || self.cells.counted_sites.contains(&stmt.site) {
            return self.join_counted(dst, proc, values, stmt);
        }
        let index = self.control.threads.len() + self.n_started;
        if index as u64 >= self.cells.model().max_threads() {
            return self.unsupported(stmt.span, format!("more than {} threads", self.cells.model().max_threads()));
        }
        self.n_started += 1;
        for (param, value) in params.iter().zip(values) {
            let cell = self.cells.var(Cell::Own(index as u32, *param));
            self.write(cell, value);
        }
        self.result.changes.push(Change::Start(proc));
        let word = self.cells.word();
        let handle = self.cells.pool.bv(word, index as u64 + 1);
        self.set(dst, handle);
        Some(())
    }

    /// Whether threads have become counted, before this step or in it.
    fn has_counted(&self) -> bool {
        self.control.has_counted || !self.result.joining.is_empty()
    }

    /// A thread starts whose number nobody knows.
    fn join_counted(&mut self, dst: VarId, proc: ProcId, values: Vec<TermId>, stmt: &Stmt) -> Option<()> {
        let program = self.cells.program;
        if !can_be_counted(program, proc) {
            return self.unsupported(stmt.span, "threads without number of so large a program".to_string());
        }
        let args = program.proc(proc).params.iter().copied().zip(values).collect();
        self.result.joining.push((proc, args));
        self.result.changes.push(Change::Join(proc));
        let word = self.cells.word();
        let handle = self.cells.input(stmt.site, self.thread, 0, Sort::Bv(word));
        let handle = self.cells.pool.var(handle);
        self.set(dst, handle);
        Some(())
    }

    /// The procedure that a function pointer names.
    fn pointed(&mut self, pointer: TermId, span: Span) -> Option<ProcId> {
        let pointer = self.eval(pointer);
        let Some(value) = self.value_of(pointer) else {
            let never = self.cells.pool.bool(false);
            self.require(never, BadKind::Unresolved(pointer, span, "what a thread runs"))?;
            return None;
        };
        self.fix(pointer, value, span, "what a thread runs")?;
        match self.cells.program.objects.iter().find(|object| object.base == value).map(|object| object.kind) {
            Some(ObjectKind::Function(proc)) => Some(proc),
            _ => {
                let never = self.cells.pool.bool(false);
                let bad = self.property(Property::Deref, span, "call of what is no function");
                self.require(never, bad)?;
                None
            }
        }
    }

    fn join(&mut self, handle: TermId, result: Option<VarId>) -> Option<()> {
        let word = self.cells.word();
        let ended: Vec<u32> = (0..self.control.threads.len() as u32)
            .filter(|thread| self.control.threads[*thread as usize].has_ended)
            .collect();
        let mut cases = Vec::new();
        for thread in &ended {
            let constant = self.cells.pool.bv(word, u64::from(*thread) + 1);
            cases.push(self.cells.pool.eq(handle, constant));
        }
        let mut has_ended = self.cells.pool.or_all(&cases);
        if self.has_counted() {
            // Any handle that no thread with a number has may be that of a counted thread.
            let last = self.cells.pool.bv(word, self.control.threads.len() as u64);
            let is_other = self.cells.pool.ult(last, handle);
            has_ended = self.cells.pool.or(has_ended, is_other);
        }
        self.wait(has_ended)?;
        if let Some(result) = result {
            let mut value = self.cells.pool.bv(word, 0);
            if self.has_counted() {
                let any = self.cells.pool.declare("any", Sort::Bv(word));
                value = self.cells.pool.var(any);
            }
            for (thread, case) in ended.iter().zip(cases) {
                let cell = self.cells.var(Cell::Result(*thread));
                let own = self.read(cell);
                value = self.cells.pool.ite(case, own, value);
            }
            self.set(result, value);
        }
        Some(())
    }

    fn end_thread(&mut self, value: Option<TermId>) {
        let word = self.cells.word();
        let value = match value {
            Some(value) if matches!(self.cells.pool.sort(value), Sort::Bv(_)) => {
                self.cells.pool.resize(value, false, word)
            }
            _ => self.cells.pool.bv(word, 0),
        };
        if !is_counted(self.thread) {
            let cell = self.cells.var(Cell::Result(self.thread));
            self.write(cell, value);
        }
        self.result.changes.push(Change::EndThread);
    }
}
