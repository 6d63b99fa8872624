//! How to write a program in a few lines? With a `Builder`: for tests and for generators of random programs.
//!
//! `Builder` declares variables, objects and procedures; `Body` appends statements to one procedure, one edge each,
//! with structured `branch` and `repeat` on top. Each statement stands on a line of its own of a made-up source
//! file, in the order of writing, so that spans tell statements apart. Integers are 32 bits wide unless said otherwise.
//!
//! Front ends do not use this; they build `Program` themselves.

use crate::memory::{DataModel, Fill, Object, ObjectId, ObjectKind, RegionId, Shape};
use crate::program::{Edge, EdgeId, EdgeRef, Format, Loc, LocId, Proc, ProcId, Program, Scope, Variable};
use crate::source::Span;
use crate::stmt::{AllocKind, Callee, CheckKind, HavocKind, Op, Order, Place, Stmt};
use logic::{Pool, Scalar, Sort, TermId, Value, VarId};

/// The width of integers.
pub const INT: u32 = 32;

/// A program being written.
#[derive(Clone, Debug)]
pub struct Builder {
    /// The program so far.
    pub program: Program,
    next_object: u64,
    next_line: u32,
}

impl Builder {
    /// An empty program under LP64.
    pub fn new() -> Builder {
        Builder::for_model(DataModel::Lp64)
    }

    /// An empty program.
    pub fn for_model(model: DataModel) -> Builder {
        let mut program = Program::new(model);
        program.sources.file("built.c");
        Builder { program, next_object: 1, next_line: 1 }
    }

    /// A global integer.
    pub fn global(&mut self, name: &str, init: i64) -> VarId {
        self.variable(name, Sort::Bv(INT), Scope::Global, Some(Value::bv(INT, init as u64)))
    }

    /// A global integer that can have any value at first.
    pub fn global_any(&mut self, name: &str) -> VarId {
        self.variable(name, Sort::Bv(INT), Scope::Global, None)
    }

    /// A thread-local integer.
    pub fn thread_var(&mut self, name: &str, init: i64) -> VarId {
        self.variable(name, Sort::Bv(INT), Scope::Thread, Some(Value::bv(INT, init as u64)))
    }

    /// A variable of any sort and scope.
    pub fn variable(&mut self, name: &str, sort: Sort, scope: Scope, init: Option<Value>) -> VarId {
        let span = self.span();
        self.program.declare(name, sort, Variable { scope, init, format: Format::Signed, span, is_temporary: false })
    }

    /// A static object of integers; gives its address.
    pub fn array(&mut self, name: &str, len: u64) -> u64 {
        let element = Box::new(Shape::Scalar { size: 4, format: Format::Signed });
        self.object(name, ObjectKind::Data, Fill::Zero, Shape::Array { element, len })
    }

    /// A static object; gives its address.
    pub fn object(&mut self, name: &str, kind: ObjectKind, fill: Fill, shape: Shape) -> u64 {
        let model = self.program.data_model;
        let base = self.next_object << model.granule_bits();
        self.next_object += model.granules(shape.size());
        let span = self.span();
        let object = Object { name: name.into(), base, size: shape.size(), kind, fill, init: Vec::new(), shape, span };
        self.program.objects.push(object);
        base
    }

    /// The last object made.
    pub fn last_object(&mut self) -> &mut Object {
        self.program.objects.last_mut().expect("an object was made before")
    }

    /// The address of a procedure, as a static object of its own.
    pub fn address_of(&mut self, proc: ProcId) -> u64 {
        let name = self.program.proc(proc).name.clone();
        self.object(&name, ObjectKind::Function(proc), Fill::Zero, Shape::Bytes(1))
    }

    /// The number that the next static object gets.
    pub fn next_object_id(&self) -> ObjectId {
        ObjectId(self.program.objects.len() as u32)
    }

    /// A procedure without parameters and result; the first one is the main one.
    pub fn proc(&mut self, name: &str) -> ProcId {
        let span = self.span();
        self.program.procs.push(Proc {
            name: name.to_string(),
            params: Vec::new(),
            locals: Vec::new(),
            result: None,
            locs: vec![Loc::default(), Loc::default()],
            edges: Vec::new(),
            entry: LocId(0),
            exit: LocId(1),
            span,
        });
        ProcId(self.program.procs.len() as u32 - 1)
    }

    /// Writes the statements of a procedure; a body that does not end with a return gets one.
    pub fn body(&mut self, proc: ProcId, write: impl FnOnce(&mut Body<'_>)) {
        let entry = self.program.proc(proc).entry;
        let mut body = Body { builder: self, proc, at: Some(entry) };
        write(&mut body);
        if body.at.is_some() {
            let result = body.result_sort().map(|sort| body.constant(Value::zero(sort)));
            body.ret(result);
        }
    }

    /// A procedure and its statements at once.
    pub fn define(&mut self, name: &str, write: impl FnOnce(&mut Body<'_>)) -> ProcId {
        let proc = self.proc(name);
        self.body(proc, write);
        proc
    }

    /// The program, with its first thread at `main`.
    pub fn finish(mut self, main: ProcId) -> Program {
        self.program.main = main;
        self.program
    }

    fn span(&mut self) -> Span {
        self.next_line += 1;
        Span { line: self.next_line - 1, column: 1, ..Span::default() }
    }
}

impl Default for Builder {
    fn default() -> Builder {
        Builder::new()
    }
}

/// A procedure being written: statements are appended where it stands.
pub struct Body<'b> {
    builder: &'b mut Builder,
    proc: ProcId,
    /// Where the next statement goes; nowhere after a return.
    at: Option<LocId>,
}

impl Body<'_> {
    /// Owns the terms.
    pub fn pool(&mut self) -> &mut Pool {
        &mut self.builder.program.pool
    }

    /// A local integer.
    pub fn local(&mut self, name: &str) -> VarId {
        self.local_of(name, Sort::Bv(INT))
    }

    /// A local pointer.
    pub fn pointer(&mut self, name: &str) -> VarId {
        let word = self.builder.program.data_model.word_bits();
        let var = self.local_of(name, Sort::Bv(word));
        self.builder.program.vars[var.index()].format = Format::Pointer;
        var
    }

    /// A local variable.
    pub fn local_of(&mut self, name: &str, sort: Sort) -> VarId {
        let var = self.builder.variable(name, sort, Scope::Local, None);
        self.proc_mut().locals.push(var);
        var
    }

    /// A parameter.
    pub fn param(&mut self, name: &str, sort: Sort) -> VarId {
        let var = self.local_of(name, sort);
        self.proc_mut().params.push(var);
        var
    }

    /// Says what the procedure returns.
    pub fn returns(&mut self, sort: Sort) {
        self.proc_mut().result = Some(sort);
    }

    /// The variable with the running thread's handle.
    pub fn self_var(&self) -> VarId {
        self.builder.program.self_var
    }

    /// A variable as a term.
    pub fn var(&mut self, var: VarId) -> TermId {
        self.pool().var(var)
    }

    /// An integer as a term.
    pub fn int(&mut self, value: i64) -> TermId {
        self.pool().bv(INT, value as u64)
    }

    /// A word as a term.
    pub fn word(&mut self, value: u64) -> TermId {
        let bits = self.builder.program.data_model.word_bits();
        self.pool().bv(bits, value)
    }

    /// A value as a term.
    pub fn constant(&mut self, value: Value) -> TermId {
        self.pool().constant(value)
    }

    /// `var == value`.
    pub fn is(&mut self, var: VarId, value: i64) -> TermId {
        let width = self.pool().var_sort(var).width().expect("an integer variable");
        let (a, b) = (self.pool().var(var), self.pool().bv(width, value as u64));
        self.pool().eq(a, b)
    }

    /// `var + value`.
    pub fn plus(&mut self, var: VarId, value: i64) -> TermId {
        let width = self.pool().var_sort(var).width().expect("an integer variable");
        let (a, b) = (self.pool().var(var), self.pool().bv(width, value as u64));
        self.pool().add(a, b)
    }

    /// Integer number `index` at an address.
    pub fn at(&mut self, addr: u64, index: u64) -> Place {
        Place::Mem { addr: self.word(addr + 4 * index), sort: Scalar::Bv(INT), region: RegionId::ANYWHERE }
    }

    /// The integer that a pointer points to.
    pub fn deref(&mut self, pointer: VarId) -> Place {
        Place::Mem { addr: self.var(pointer), sort: Scalar::Bv(INT), region: RegionId::ANYWHERE }
    }

    /// Where the next statement goes.
    pub fn here(&mut self) -> LocId {
        match self.at {
            Some(loc) => loc,
            None => {
                let loc = self.new_loc();
                self.at = Some(loc);
                loc
            }
        }
    }

    /// Appends a statement as an edge of its own.
    pub fn then(&mut self, op: Op) -> EdgeRef {
        self.together(vec![op])
    }

    /// Appends one edge with these statements.
    pub fn together(&mut self, ops: Vec<Op>) -> EdgeRef {
        let from = self.here();
        let to = match ops.last() {
            Some(Op::Return(_) | Op::ExitThread(_)) => self.proc_mut().exit,
            _ => self.new_loc(),
        };
        self.at = if to == self.proc_mut().exit { None } else { Some(to) };
        self.edge(from, to, ops)
    }

    /// Adds an edge between two locations.
    pub fn edge(&mut self, from: LocId, to: LocId, ops: Vec<Op>) -> EdgeRef {
        let span = self.builder.span();
        let stmts = ops.into_iter().map(|op| Stmt { op, span, site: self.builder.program.new_site() }).collect();
        let edge = EdgeRef { proc: self.proc, edge: EdgeId(self.proc_mut().edges.len() as u32) };
        let loc = &mut self.proc_mut().locs[from.index()];
        if !loc.span.is_known() {
            loc.span = span;
        }
        self.proc_mut().edges.push(Edge { from, to, stmts, origin: vec![edge] });
        edge
    }

    /// `var = value`.
    pub fn assign(&mut self, var: VarId, value: TermId) {
        self.then(Op::Assign { var, value });
    }

    /// `var` is an input.
    pub fn input(&mut self, var: VarId) {
        self.then(Op::Havoc { var, kind: HavocKind::Input });
    }

    /// The edge is taken only if the condition holds.
    pub fn assume(&mut self, cond: TermId) {
        self.then(Op::Assume(cond));
    }

    /// `dst = global`, not atomic.
    pub fn load(&mut self, dst: VarId, global: VarId) {
        self.load_from(dst, Place::Var(global), Order::Plain);
    }

    /// `dst = place`.
    pub fn load_from(&mut self, dst: VarId, place: Place, order: Order) {
        self.then(Op::Load { dst, place, order });
    }

    /// `global = value`, not atomic.
    pub fn store(&mut self, global: VarId, value: TermId) {
        self.store_to(Place::Var(global), value, Order::Plain);
    }

    /// `global = constant`, not atomic.
    pub fn set(&mut self, global: VarId, value: i64) {
        let value = self.int(value);
        self.store(global, value);
    }

    /// `place = value`.
    pub fn store_to(&mut self, place: Place, value: TermId, order: Order) {
        self.then(Op::Store { place, value, order });
    }

    /// Waits until the global is `from` and makes it `to`, in one step.
    pub fn await_change(&mut self, old: VarId, global: VarId, from: i64, to: i64) -> EdgeRef {
        let wait = Some(self.is(old, from));
        let new = self.int(to);
        self.then(Op::Rmw {
            dst: old,
            place: Place::Var(global),
            wait,
            owner: None,
            new,
            order: Order::SeqCst,
            failure: None,
        })
    }

    /// An assertion.
    pub fn check(&mut self, cond: TermId) {
        self.check_for(cond, CheckKind::Assertion);
    }

    /// Any check.
    pub fn check_for(&mut self, cond: TermId, kind: CheckKind) {
        self.then(Op::Check { cond, kind });
    }

    /// Starts a thread; `dst` gets the handle.
    pub fn start(&mut self, dst: VarId, proc: ProcId, args: &[TermId]) {
        self.then(Op::Start { dst, callee: Callee::Proc(proc), args: args.to_vec() });
    }

    /// Waits for the thread whose handle is in the variable.
    pub fn join(&mut self, handle: VarId) {
        let thread = self.var(handle);
        self.then(Op::Join { thread, result: None });
    }

    /// Starts a thread for each procedure, without arguments; gives the handles.
    pub fn start_all(&mut self, procs: &[ProcId]) -> Vec<VarId> {
        let mut handles = Vec::new();
        for (index, proc) in procs.iter().enumerate() {
            let handle = self.pointer(&format!("t{index}"));
            self.start(handle, *proc, &[]);
            handles.push(handle);
        }
        handles
    }

    /// Calls a procedure.
    pub fn call(&mut self, proc: ProcId, args: &[TermId], result: Option<VarId>) -> EdgeRef {
        self.then(Op::Call { callee: Callee::Proc(proc), args: args.to_vec(), result })
    }

    /// A heap object of that many bytes.
    pub fn alloc(&mut self, dst: VarId, bytes: u64, kind: AllocKind) {
        let size = self.word(bytes);
        self.then(Op::Alloc { dst, size, kind, zeroed: false, copy: 0 });
    }

    /// Ends the object that the pointer points to.
    pub fn free(&mut self, pointer: VarId, kind: AllocKind) {
        let addr = self.var(pointer);
        self.then(Op::Free { addr, kind });
    }

    /// Returns.
    pub fn ret(&mut self, value: Option<TermId>) {
        self.then(Op::Return(value));
    }

    /// Runs the inner statements without other threads.
    pub fn atomically(&mut self, write: impl FnOnce(&mut Self)) {
        self.then(Op::AtomicBegin);
        write(self);
        self.then(Op::AtomicEnd);
    }

    /// `if (cond) … else …`.
    pub fn branch(&mut self, cond: TermId, yes: impl FnOnce(&mut Self), no: impl FnOnce(&mut Self)) {
        let from = self.here();
        let not = self.pool().not(cond);
        let mut ends = Vec::new();
        let (on_yes, on_no) = (self.new_loc(), self.new_loc());
        self.edge(from, on_yes, vec![Op::Assume(cond)]);
        self.edge(from, on_no, vec![Op::Assume(not)]);
        self.at = Some(on_yes);
        yes(self);
        ends.extend(self.at);
        self.at = Some(on_no);
        no(self);
        ends.extend(self.at);
        self.at = None;
        if !ends.is_empty() {
            let join = self.here();
            for end in ends {
                self.edge(end, join, Vec::new());
            }
        }
    }

    /// `while (cond) …`, where `before` computes what the condition needs.
    pub fn repeat(&mut self, before: impl FnOnce(&mut Self) -> TermId, write: impl FnOnce(&mut Self)) {
        let head = self.here();
        self.proc_mut().locs[head.index()].is_loop_head = true;
        let cond = before(self);
        let not = self.pool().not(cond);
        let from = self.here();
        let (inside, after) = (self.new_loc(), self.new_loc());
        self.edge(from, inside, vec![Op::Assume(cond)]);
        self.edge(from, after, vec![Op::Assume(not)]);
        self.at = Some(inside);
        write(self);
        if let Some(end) = self.at {
            self.edge(end, head, Vec::new());
        }
        self.at = Some(after);
    }

    fn result_sort(&mut self) -> Option<Sort> {
        self.proc_mut().result
    }

    fn new_loc(&mut self) -> LocId {
        let proc = self.proc_mut();
        proc.locs.push(Loc::default());
        LocId(proc.locs.len() as u32 - 1)
    }

    fn proc_mut(&mut self) -> &mut Proc {
        &mut self.builder.program.procs[self.proc.index()]
    }
}
