//! What does each statement do? One function for each group, on a state that may be changed.
//!
//! `View` looks at a state from a thread: it evaluates terms and finds places. `Exec` runs the statements of one edge; it
//! leaves by `Stop` when the edge cannot be taken, something goes wrong, or the process ends. Statements that can
//! block look before they change anything, so an edge whose first effect blocks leaves no trace.

use super::event::{
    ASSERTION_FAILED, Cell, Details, Event, InputKind, Inputs, NotEnabled, Request, StepResult, Violation, Wait,
    WaitOn, What,
};
use super::memory::{Fault, Origin, from_bytes, to_bytes};
use super::names::Namer;
use super::state::{End, Pending, State};
use crate::access::bytes_of;
use crate::interp::machine::buffer;
use crate::interp::machine::memory::leak;
use crate::interp::machine::program::Machine;
use crate::memory::ObjectKind;
use crate::program::{EdgeRef, ProcId, Scope};
use crate::property::{Properties, Property};
use crate::source::Span;
use crate::stmt::{Callee, CheckKind, Op, Order, Place, SiteId, Stmt};
use crate::verdict::Why;
use logic::{Scalar, Sort, TermId, Value, VarId};

/// A state as seen from a thread.
#[derive(Clone, Copy)]
pub(in crate::interp) struct View<'a, 'p> {
    pub(in crate::interp) machine: &'a Machine<'p>,
    pub(in crate::interp) state: &'a State,
    pub(in crate::interp) thread: usize,
}

impl View<'_, '_> {
    /// The value of a term; `over` has another value than in the state.
    fn eval(&self, term: TermId, over: Option<(VarId, &Value)>) -> Value {
        let program = self.machine.program;
        let thread = &self.state.threads[self.thread];
        let frame = thread.top().expect("a running thread has a frame");
        program.pool.evaluate(term, &|var| match over {
            Some((other, value)) if other == var => value.clone(),
            _ => match program.var(var).scope {
                Scope::Local => self.machine.local(frame, var).expect("terms use locals of their procedure").clone(),
                Scope::Thread => self.machine.thread_var(thread, var).clone(),
                Scope::Global => panic!("a term mentions the global {}", program.pool.var_name(var)),
            },
        })
    }

    pub(in crate::interp) fn word(&self, term: TermId) -> u64 {
        self.eval(term, None).as_bv().as_u64()
    }

    /// The concrete place, if it may be accessed.
    fn locate(&self, place: &Place, is_write: bool) -> Result<Spot, (Fault, u64)> {
        match *place {
            Place::Var(var) => Ok(Spot::Var(var)),
            Place::Mem { addr, sort, .. } => {
                let addr = self.word(addr);
                let found = self.state.memory.find(self.machine.program, addr, bytes_of(sort), is_write);
                found.map(|base| Spot::Mem { base, addr, sort }).map_err(|fault| (fault, addr))
            }
        }
    }

    /// The value at a spot; where bytes were never written, they are taken from what `choose` gives.
    fn peek(&self, spot: Spot, choose: &mut dyn FnMut(Sort) -> Value) -> Value {
        match spot {
            Spot::Var(var) => {
                match buffer::forwarded_var(self.buffer(), var).or(self.machine.global(self.state, var)) {
                    Some(value) => value.clone(),
                    None => choose(self.machine.program.pool.var_sort(var)),
                }
            }
            Spot::Mem { base, addr, sort } => {
                let mut bytes = self.state.memory.read(base, addr, bytes_of(sort));
                if !self.buffer().is_empty() {
                    buffer::forward_bytes(self.buffer(), addr, &mut bytes);
                }
                if let Some(known) = bytes.iter().copied().collect::<Option<Vec<u8>>>() {
                    return from_bytes(sort, &known);
                }
                let chosen = to_bytes(&choose(sort.into()));
                let mixed: Vec<u8> = bytes.iter().zip(chosen).map(|(known, any)| known.unwrap_or(any)).collect();
                from_bytes(sort, &mixed)
            }
        }
    }

    /// Why the statement keeps its edge from being taken in this state, whatever the inputs are.
    pub(in crate::interp) fn blocked_at(&self, edge: EdgeRef, stmt: &Stmt) -> Option<NotEnabled> {
        let waiting = |on, owner| Some(NotEnabled::Waiting(Wait { edge, span: stmt.span, on, owner }));
        match &stmt.op {
            Op::Assume(cond) => (!self.eval(*cond, None).as_bool()).then_some(NotEnabled::Assume(stmt.span)),
            Op::Join { thread, .. } => {
                let handle = self.word(*thread);
                if self.ended_thread(handle).is_some() { None } else { waiting(WaitOn::Thread(handle), Some(handle)) }
            }
            Op::Rmw { dst, place, wait: Some(wait), owner, .. } => {
                let spot = self.locate(place, true).ok()?;
                let mut is_arbitrary = false;
                let old = self.peek(spot, &mut |sort| {
                    is_arbitrary = true;
                    Value::zero(sort)
                });
                let goes_on = is_arbitrary || self.eval(*wait, Some((*dst, &old))).as_bool();
                let owner = owner.map(|owner| self.eval(owner, Some((*dst, &old))).as_bv().as_u64());
                if goes_on {
                    None
                } else {
                    waiting(WaitOn::Cell(spot.cell(), old), owner.filter(|handle| *handle != 0))
                }
            }
            _ => None,
        }
    }

    /// The index of the thread with this handle, if it has ended.
    fn ended_thread(&self, handle: u64) -> Option<usize> {
        let index = usize::try_from(handle.checked_sub(1)?).ok()?;
        self.state.threads.get(index)?.is_over().then_some(index)
    }

    /// What the thread has stored and memory does not have.
    fn buffer(&self) -> &[Pending] {
        &self.state.threads[self.thread].buffer
    }
}

/// A place that has been found.
#[derive(Clone, Copy)]
pub(in crate::interp) enum Spot {
    Var(VarId),
    Mem { base: u64, addr: u64, sort: Scalar },
}

impl Spot {
    pub(in crate::interp) fn cell(self) -> Cell {
        match self {
            Spot::Var(var) => Cell::Var(var),
            Spot::Mem { addr, sort, .. } => Cell::Bytes { addr, len: bytes_of(sort) },
        }
    }
}

/// Why the statements of an edge do not run to its end.
pub(in crate::interp) enum Stop {
    NotEnabled(NotEnabled),
    /// It waits, now that it has seen what is there.
    Seen(Spot, Value),
    Violation(Box<Violation>),
    Ended(End),
    Beyond(Why),
}

pub(in crate::interp) type Run<T = ()> = Result<T, Stop>;

/// One step being taken.
pub(in crate::interp) struct Exec<'a, 'p> {
    pub(in crate::interp) machine: &'a Machine<'p>,
    pub(in crate::interp) state: &'a mut State,
    pub(in crate::interp) thread: usize,
    edge: EdgeRef,
    inputs: &'a mut dyn Inputs,
    properties: Properties,
    events: &'a mut Vec<Event>,
    /// The statement that runs.
    pub(in crate::interp) span: Span,
    pub(in crate::interp) site: SiteId,
    /// Whether the frame that the edge belongs to is not the running one any more.
    has_left: bool,
    /// Whether stores are in memory at once: always under `Model::Sc`, else where the edge has several accesses.
    is_direct: bool,
}

impl<'a, 'p> Exec<'a, 'p> {
    pub(in crate::interp) fn new(
        machine: &'a Machine<'p>,
        state: &'a mut State,
        thread: u32,
        edge: EdgeRef,
        inputs: &'a mut dyn Inputs,
        properties: Properties,
        events: &'a mut Vec<Event>,
    ) -> Exec<'a, 'p> {
        let (span, site, thread) = (Span::NOWHERE, SiteId(0), thread as usize);
        let is_direct = !machine.program.model.has_buffers() || buffer::has_several_accesses(machine, edge);
        Exec { machine, state, thread, edge, inputs, properties, events, span, site, has_left: false, is_direct }
    }

    /// Runs all statements of the edge. If it waits on what was never written: what is there.
    pub(in crate::interp) fn run(mut self) -> (StepResult, Option<(Spot, Value)>) {
        let edge = self.machine.program.edge(self.edge);
        for stmt in &edge.stmts {
            assert!(!self.has_left, "calls and returns are the last statements of their edges");
            (self.span, self.site) = (stmt.span, stmt.site);
            if let Err(stop) = self.stmt(stmt) {
                let result = match stop {
                    Stop::NotEnabled(why) => StepResult::NotEnabled(why),
                    Stop::Seen(spot, value) => return (StepResult::Ok, Some((spot, value))),
                    Stop::Violation(violation) => StepResult::Violation(violation),
                    Stop::Ended(end) => StepResult::Ended(end),
                    Stop::Beyond(why) => StepResult::Beyond(why),
                };
                return (result, None);
            }
        }
        if !self.has_left {
            self.state.threads[self.thread].frames.last_mut().expect("the thread runs").loc = edge.to;
        }
        (StepResult::Ok, None)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Run {
        if self.machine.program.model == crate::model::Model::Cat {
            self.put_given(stmt);
        }
        if let Some(why) = self.view().blocked_at(self.edge, stmt) {
            return Err(Stop::NotEnabled(why));
        }
        if self.is_direct && !matches!(stmt.op, Op::Rmw { .. }) {
            self.drain();
        }
        match &stmt.op {
            Op::Assign { var, value } => {
                let value = self.eval(*value);
                self.set(*var, value);
            }
            Op::Havoc { var, kind } => {
                let value = self.choose(self.machine.program.pool.var_sort(*var), InputKind::Havoc(*kind));
                self.set(*var, value);
            }
            Op::Assume(_) => {}
            Op::Check { cond, kind } => self.check(*cond, kind)?,
            Op::Load { dst, place, order } => self.load(*dst, place, *order)?,
            Op::Store { place, value, order } => self.store(place, *value, *order)?,
            Op::Rmw { .. } => self.rmw(&stmt.op)?,
            Op::Fence(order) => self.fence(*order),
            Op::Alloc { dst, size, kind, zeroed, .. } => self.alloc(*dst, *size, *kind, *zeroed)?,
            Op::Free { addr, kind } => self.free(*addr, *kind)?,
            Op::Start { dst, callee, args } => self.start(*dst, *callee, args)?,
            Op::Join { thread, result } => self.join(*thread, *result),
            Op::AtomicBegin => {
                self.drain();
                self.state.threads[self.thread].depth += 1;
                self.note(What::AtomicBegin);
            }
            Op::AtomicEnd => {
                let depth = &mut self.state.threads[self.thread].depth;
                *depth = depth.saturating_sub(1);
                self.note(What::AtomicEnd);
            }
            Op::Call { callee, args, result } => self.call(*callee, args, *result)?,
            Op::Return(value) => self.ret(*value)?,
            Op::ExitThread(value) => {
                let value = self.eval(*value);
                self.end_thread(Some(value))?;
            }
            Op::ExitProcess { is_abort: true } => return Err(self.end(End::Abort)),
            Op::ExitProcess { is_abort: false } => return Err(self.end(End::Normal)),
            Op::Mark(mark, addr) => {
                let addr = self.view().word(*addr);
                self.note(What::Marked { mark: *mark, addr });
            }
        }
        Ok(())
    }

    pub(in crate::interp) fn view(&self) -> View<'_, 'p> {
        View { machine: self.machine, state: self.state, thread: self.thread }
    }

    fn eval(&self, term: TermId) -> Value {
        self.view().eval(term, None)
    }

    pub(in crate::interp) fn note(&mut self, what: What) {
        self.events.push(Event { span: self.span, site: self.site, what });
    }

    fn choose(&mut self, sort: Sort, kind: InputKind) -> Value {
        let value = self.inputs.choose(&Request { site: self.site, span: self.span, sort, kind }).normalised();
        assert_eq!(value.sort(), sort, "an input has the sort that was asked for");
        self.note(What::Input { kind, value: value.clone() });
        value
    }

    pub(in crate::interp) fn set(&mut self, var: VarId, new: Value) {
        let thread = &mut self.state.threads[self.thread];
        let slot = match self.machine.program.var(var).scope {
            Scope::Local => {
                let frame = thread.frames.last_mut().expect("a running thread has a frame");
                let slot = self.machine.local_slot[frame.proc.index()][&var];
                &mut frame.locals[slot]
            }
            Scope::Thread => &mut thread.vars[self.machine.slot_of[var.index()]],
            Scope::Global => panic!("the global {} is set directly", self.machine.program.pool.var_name(var)),
        };
        let old = std::mem::replace(slot, new.clone());
        self.note(What::Set { var, old, new });
    }

    fn violation(&self, property: Property, message: String) -> Stop {
        let thread = self.thread as u32;
        Stop::Violation(Box::new(Violation { property, thread, span: self.span, message, details: Details::None }))
    }

    /// A violation if somebody asked; else the process ends without a word, unless what follows is undefined.
    pub(in crate::interp) fn wrong(&mut self, property: Property, message: String) -> Stop {
        match property {
            _ if self.properties.has(property) => self.violation(property, message),
            _ if property.is_undefined() => Stop::Beyond(Why::Undefined { span: self.span, what: message }),
            _ => self.end(End::Crash),
        }
    }

    pub(in crate::interp) fn unsupported(&self, what: String) -> Stop {
        Stop::Beyond(Why::Unsupported { span: self.span, what })
    }

    fn check(&mut self, cond: TermId, kind: &CheckKind) -> Run {
        if self.eval(cond).as_bool() {
            return Ok(());
        }
        match (kind, Property::of_check(kind)) {
            (CheckKind::Unsupported(what), _) => Err(self.unsupported(what.to_string())),
            (CheckKind::Bound(what), _) => Err(Stop::Beyond(Why::Bound(what.to_string()))),
            (CheckKind::Overflow, _) if !self.properties.has(Property::Overflow) => Ok(()),
            (CheckKind::Misuse(what), Some(property)) => Err(self.wrong(property, what.to_string())),
            (_, Some(property)) => {
                let message = match self.machine.program.assertions.get(&self.site) {
                    Some(text) => format!("{ASSERTION_FAILED}: {text}"),
                    None => property.describe().to_string(),
                };
                Err(self.wrong(property, message))
            }
            (_, None) => unreachable!("only unsupported and bound checks have no property"),
        }
    }

    fn locate(&mut self, place: &Place, is_write: bool) -> Run<Spot> {
        self.view().locate(place, is_write).map_err(|(fault, addr)| {
            if let Fault::Gone(base) = fault {
                self.note(What::Attempted { base, is_write });
            }
            let message =
                Namer::new(self.machine, self.state).fault(fault, addr, if is_write { "write" } else { "read" });
            self.wrong(Property::Deref, message)
        })
    }

    /// The value at the spot, and whether it was chosen just now.
    fn read(&mut self, spot: Spot) -> (Value, bool) {
        let (span, site) = (self.span, self.site);
        let mut chosen = None;
        let view = View { machine: self.machine, state: self.state, thread: self.thread };
        let inputs = &mut self.inputs;
        let value = view.peek(spot, &mut |sort| {
            let value = inputs.choose(&Request { site, span, sort, kind: InputKind::Unwritten }).normalised();
            chosen = Some(value.clone());
            value
        });
        let was_chosen = chosen.is_some();
        if let Some(value) = chosen {
            self.note(What::Input { kind: InputKind::Unwritten, value });
        }
        (value, was_chosen)
    }

    pub(in crate::interp) fn write(&mut self, spot: Spot, value: &Value) {
        match spot {
            Spot::Var(var) => self.state.globals[self.machine.slot_of[var.index()]] = Some(value.clone()),
            Spot::Mem { base, addr, .. } => self.state.memory.write(base, addr, &to_bytes(value)),
        }
    }

    /// What the statement shall find is put where it looks. A value that does not fit there is left out, and what is there is found.
    fn put_given(&mut self, stmt: &Stmt) {
        let (Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. }) = &stmt.op else { return };
        let Ok(spot) = self.view().locate(place, false) else { return };
        let mut is_written = true;
        let last = self.view().peek(spot, &mut |sort| {
            is_written = false;
            Value::zero(sort)
        });
        let sort = last.sort();
        let given = self.inputs.found(stmt.site, spot.cell(), is_written.then_some(last));
        if let Some(value) = given.filter(|value| value.sort() == sort && !matches!(stmt.op, Op::Store { .. })) {
            self.write(spot, &value);
        }
    }

    fn load(&mut self, dst: VarId, place: &Place, order: Order) -> Run {
        let spot = self.locate(place, false)?;
        let (value, was_chosen) = self.read(spot);
        if was_chosen {
            self.keep_choice(spot, &value);
        }
        self.note(What::Read { cell: spot.cell(), value: value.clone(), order, dst });
        self.set(dst, value);
        Ok(())
    }

    fn store(&mut self, place: &Place, value: TermId, order: Order) -> Run {
        let spot = self.locate(place, true)?;
        let new = self.eval(value);
        let is_inside = self.state.threads[self.thread].depth > 0;
        if !self.is_direct && !is_inside && order != Order::SeqCst {
            self.store_later(spot, new, order);
            return Ok(());
        }
        self.drain();
        let mut was_written = true;
        let old = self.view().peek(spot, &mut |sort| {
            was_written = false;
            Value::zero(sort)
        });
        self.write(spot, &new);
        self.note(What::Write { cell: spot.cell(), old: was_written.then_some(old), new, order });
        Ok(())
    }

    fn rmw(&mut self, op: &Op) -> Run {
        let Op::Rmw { dst, ref place, wait, new, order, failure, .. } = *op else { unreachable!("it is an update") };
        let spot = self.locate(place, true)?;
        let (old, was_chosen) = self.read(spot);
        if let Some(wait) = wait
            && was_chosen
            && !self.view().eval(wait, Some((dst, &old))).as_bool()
        {
            return Err(Stop::Seen(spot, old));
        }
        self.drain();
        let failed = failure.filter(|failure| self.view().eval(failure.when, Some((dst, &old))).as_bool());
        if let Some(failure) = failed {
            if was_chosen {
                self.write(spot, &old);
            }
            self.note(What::Read { cell: spot.cell(), value: old.clone(), order: failure.order, dst });
        } else {
            let new = self.view().eval(new, Some((dst, &old)));
            self.write(spot, &new);
            self.note(What::Update { cell: spot.cell(), old: old.clone(), new, order, dst });
        }
        self.set(dst, old);
        Ok(())
    }

    /// The procedure to run and its arguments, as many as it takes.
    fn callee(&mut self, callee: Callee, args: &[TermId]) -> Run<(ProcId, Vec<Value>)> {
        let program = self.machine.program;
        let proc = match callee {
            Callee::Proc(proc) => proc,
            Callee::Pointer(pointer) => {
                let addr = self.view().word(pointer);
                let origin = self.state.memory.live.get(&addr).map(|bytes| bytes.origin);
                let object = match origin {
                    Some(Origin::Static(object)) => Some(program.object(object)),
                    _ => None,
                };
                match object.map(|object| (object.kind, &object.name)) {
                    Some((ObjectKind::Function(proc), _)) => proc,
                    Some((ObjectKind::Extern, name)) => {
                        return Err(self.unsupported(format!("call of {name}, which has no body")));
                    }
                    _ => {
                        let address = Namer::new(self.machine, self.state).address(addr);
                        return Err(self.wrong(Property::Deref, format!("call of {address}, which is no function")));
                    }
                }
            }
        };
        let values: Vec<Value> = args.iter().map(|arg| self.eval(*arg)).collect();
        let params = &program.proc(proc).params;
        let sort_of = |param: &VarId| program.pool.var_sort(*param);
        if values.len() < params.len() || params.iter().zip(&values).any(|(param, arg)| sort_of(param) != arg.sort()) {
            return Err(
                self.unsupported(format!("call of {} with other arguments than it takes", program.proc(proc).name))
            );
        }
        Ok((proc, values))
    }

    fn start(&mut self, dst: VarId, callee: Callee, args: &[TermId]) -> Run {
        let (proc, args) = self.callee(callee, args)?;
        self.drain();
        let index = self.state.threads.len();
        let model = self.machine.program.data_model;
        if index as u64 >= model.max_threads() {
            return Err(self.unsupported(format!("more than {} threads", model.max_threads())));
        }
        let thread = self.machine.new_thread(index, proc, args);
        self.state.threads.push(thread);
        self.note(What::Started { child: index as u32, proc });
        self.set(dst, Value::bv(model.word_bits(), index as u64 + 1));
        Ok(())
    }

    fn join(&mut self, thread: TermId, result: Option<VarId>) {
        let handle = self.view().word(thread);
        let child = self.view().ended_thread(handle).expect("a join of a running thread waits");
        let value = self.state.threads[child].result.clone().expect("the thread has ended");
        self.note(What::Joined { child: child as u32 });
        if let Some(result) = result {
            self.set(result, value);
        }
    }

    fn call(&mut self, callee: Callee, args: &[TermId], result: Option<VarId>) -> Run {
        let (proc, args) = self.callee(callee, args)?;
        let program = self.machine.program;
        if let Some(var) = result
            && program.proc(proc).result != Some(program.pool.var_sort(var))
        {
            return Err(self.unsupported(format!("use of a result that {} does not give", program.proc(proc).name)));
        }
        let mut frame = self.machine.new_frame(proc, args);
        frame.called_by = Some(self.edge);
        frame.result = result;
        let frames = &mut self.state.threads[self.thread].frames;
        frames.last_mut().expect("the caller runs").loc = program.edge(self.edge).to;
        frames.push(frame);
        self.has_left = true;
        self.note(What::Called { proc });
        Ok(())
    }

    fn ret(&mut self, value: Option<TermId>) -> Run {
        let value = value.map(|value| self.eval(value));
        if self.state.threads[self.thread].frames.len() == 1 {
            if self.thread == 0 {
                self.state.threads[0].frames.clear();
                return Err(self.end(End::Normal));
            }
            return self.end_thread(value);
        }
        let frame = self.state.threads[self.thread].frames.pop().expect("the callee runs");
        self.has_left = true;
        self.note(What::Returned { proc: frame.proc });
        if let Some(var) = frame.result {
            self.set(var, value.expect("a procedure with a result returns a value"));
        }
        Ok(())
    }

    /// The running thread ends with this value as a word.
    fn end_thread(&mut self, value: Option<Value>) -> Run {
        let width = self.machine.program.data_model.word_bits();
        let word = match value {
            Some(Value::Bv(bits)) => Value::Bv(bits.resized(width, false)),
            _ => Value::bv(width, 0),
        };
        let thread = &mut self.state.threads[self.thread];
        thread.frames.clear();
        thread.depth = 0;
        thread.result = Some(word);
        self.has_left = true;
        self.end_own_objects();
        self.note(What::Finished);
        if self.state.threads.iter().all(|thread| thread.has_ended()) {
            return Err(self.end(End::Normal));
        }
        Ok(())
    }

    /// The process ends; what it has lost counts if it ends normally.
    fn end(&mut self, end: End) -> Stop {
        self.state.end = Some(end);
        self.note(What::ProcessEnded(end));
        let committed = self.machine.all_committed(self.state);
        if end == End::Normal
            && let Some((property, objects)) =
                leak::find(self.machine, committed.as_ref().unwrap_or(self.state), self.properties)
        {
            let names: Vec<&str> = objects.iter().map(|(name, _)| name.as_str()).collect();
            let message = format!("{}: {}", property.describe(), names.join(", "));
            let (thread, span, details) = (self.thread as u32, self.span, Details::Leak(objects));
            return Stop::Violation(Box::new(Violation { property, thread, span, message, details }));
        }
        Stop::Ended(end)
    }
}
