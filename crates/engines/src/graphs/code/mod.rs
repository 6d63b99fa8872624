//! What does a thread do between its events? The statements of the prepared program, run one after another on values.
//!
//! Meaning as `ir::interp` defines it; what is different is that shared state is not here: a statement that touches it is where this stops, and whoever runs the threads says what
//! it finds. An input that has many values is chosen by nobody: whoever uses it goes beyond what can be enumerated.
//!
//! **Spin loops.** A thread that is back at the head of a loop with the variables that matter as they were, and that has only read since, does not go on: without that
//! round an execution keeps all its other events and loses only order, so every execution with the round has one without it that reaches as much. Where dependencies are order, the
//! variables must depend on what they depended on, too.

pub(super) mod flow;
pub(super) mod local;

use ir::pass::{Liveness, loop_heads};
use ir::{
    Callee, CheckKind, EdgeId, LocId, ObjectKind, Op, Order, Place, ProcId, Program, Properties, Property, Scope,
    SiteId, Span, Stmt, Why,
};
use local::{At, Blocked, Here, Local, Next, Spot};
use logic::{Sort, TermId, Value, VarId};
use rustc_hash::FxHashSet;
use std::cell::Cell;

/// Inputs with at most so many bits are enumerated.
const INPUT_BITS: u32 = 4;

/// Edges that a thread takes without any event at most.
const MAX_SILENT: usize = 1_000_000;

/// Heads of loops that are remembered.
const MAX_HEADS: usize = 16;

/// The program as threads run it.
pub(super) struct Code<'p> {
    pub(super) program: &'p Program,
    properties: Properties,
    /// For each procedure the slot of each variable.
    slots: Vec<Vec<u32>>,
    thread_vars: Vec<VarId>,
    out: Vec<Vec<Vec<EdgeId>>>,
    is_head: Vec<Vec<bool>>,
    live: Vec<Liveness>,
    /// Whether a compare-exchange branches, if somebody asks what depends on what.
    compares: Option<bool>,
    /// Accesses that are no events then.
    private: FxHashSet<SiteId>,
}

/// Why a statement is not run.
type Halt = Next;

impl<'p> Code<'p> {
    pub(super) fn new(program: &'p Program, properties: Properties, compares: Option<bool>) -> Code<'p> {
        let all = (0..program.vars.len() as u32).map(VarId);
        let thread_vars: Vec<VarId> = all.filter(|var| program.var(*var).scope == Scope::Thread).collect();
        let out: Vec<Vec<Vec<EdgeId>>> = program.procs.iter().map(ir::Proc::out_edges).collect();
        let slots = program.procs.iter().map(|proc| {
            let mut slots = vec![u32::MAX; program.vars.len()];
            for (slot, var) in thread_vars.iter().chain(&proc.locals).enumerate() {
                slots[var.index()] = slot as u32;
            }
            slots
        });
        let is_head = program.procs.iter().zip(&out).map(|(proc, out)| {
            let heads = loop_heads(proc, out);
            (0..proc.locs.len()).map(|loc| heads.contains(loc)).collect()
        });
        let live = program.procs.iter().map(|proc| Liveness::new(program, proc, true)).collect();
        let (slots, is_head) = (slots.collect(), is_head.collect());
        let private = if compares.is_some() { flow::private_accesses(program) } else { FxHashSet::default() };
        Code { program, properties, slots, is_head, thread_vars, out, live, compares, private }
    }

    /// A thread with this number that begins.
    pub(super) fn begin(&self, row: usize, proc: ProcId, args: &[Value]) -> Here {
        let program = self.program;
        let word = program.data_model.word_bits();
        let mut vars: Vec<Option<Value>> = Vec::new();
        for var in &self.thread_vars {
            vars.push(match &program.var(*var).init {
                _ if *var == program.self_var => Some(Value::bv(word, row as u64 + 1)),
                init => init.clone(),
            });
        }
        let this = program.proc(proc);
        vars.extend(this.locals.iter().map(|var| Some(Value::zero(program.pool.var_sort(*var)))));
        let mut local = Local {
            proc,
            at: At::Loc(this.entry),
            flow: self.no_flow(vars.len()),
            vars,
            pending: None,
            is_early: row == 0,
            is_alone: false,
            n_granules: 0,
            n_started: 0,
            n_steps: 0,
            segment: Vec::new(),
            heads: Vec::new(),
        };
        for (param, arg) in this.params.iter().zip(args) {
            self.set(&mut local, *param, arg.clone());
        }
        self.advance(local)
    }

    /// The value of a term; an error if nobody has chosen it.
    fn eval(&self, local: &Local, term: TermId, over: Option<(VarId, &Value)>) -> Result<Value, Halt> {
        let pool = &self.program.pool;
        if let Some(value) = pool.as_const(term) {
            return Ok(value.clone());
        }
        let slots = &self.slots[local.proc.index()];
        let open: Cell<Option<VarId>> = Cell::new(None);
        let value = pool.evaluate(term, &|var| match over {
            Some((other, value)) if other == var => value.clone(),
            _ => local.vars[slots[var.index()] as usize].clone().unwrap_or_else(|| {
                open.set(Some(var));
                Value::zero(pool.var_sort(var))
            }),
        });
        match open.get() {
            None => Ok(value),
            Some(var) => {
                let bits = bits_of(pool.var_sort(var));
                Err(Next::Beyond(Why::LargeInput { span: Span::NOWHERE, bits }))
            }
        }
    }

    fn word(&self, local: &Local, term: TermId) -> Result<u64, Halt> {
        Ok(self.eval(local, term, None)?.as_bv().as_u64())
    }

    fn set(&self, local: &mut Local, var: VarId, value: Value) {
        let slot = self.slots[local.proc.index()][var.index()] as usize;
        local.vars[slot] = Some(value);
    }

    fn stmt(&self, local: &Local) -> Option<&'p Stmt> {
        let At::Inside(edge, at) = local.at else { return None };
        let program = self.program;
        program.proc(local.proc).edges[edge.index()].stmts.get(at as usize)
    }

    /// Goes on until there is an event.
    pub(super) fn advance(&self, mut local: Local) -> Here {
        let mut place = (SiteId(0), Span::NOWHERE);
        let next = self.run(&mut local, &mut place).unwrap_or_else(|halt| match halt {
            Next::Beyond(Why::LargeInput { bits, .. }) => Next::Beyond(Why::LargeInput { span: place.1, bits }),
            halt => halt,
        });
        Here { local, next, site: place.0, span: place.1 }
    }

    fn run(&self, local: &mut Local, place: &mut (SiteId, Span)) -> Result<Next, Halt> {
        let mut n_silent = 0;
        loop {
            let At::Inside(edge, at) = local.at else {
                let At::Loc(loc) = local.at else { unreachable!("it is nowhere else") };
                n_silent += 1;
                if n_silent > MAX_SILENT {
                    let place = self.program.sources.place(self.program.proc(local.proc).locs[loc.index()].span);
                    let what = format!("the loop at {place} goes round more than {MAX_SILENT} times without any event");
                    return Err(Next::Beyond(Why::Bound(what)));
                }
                if self.is_idle(local, loc) {
                    return Err(Next::Blocked(Blocked::Spins));
                }
                self.leave(local, loc, place)?;
                continue;
            };
            let Some(stmt) = self.stmt(local) else {
                let to = self.program.proc(local.proc).edges[edge.index()].to;
                local.at = At::Loc(to);
                continue;
            };
            *place = (stmt.site, stmt.span);
            if let Some(next) = self.perform(local, stmt)? {
                return Ok(next);
            }
            local.at = At::Inside(edge, at + 1);
        }
    }

    /// Takes the edge that can be taken.
    fn leave(&self, local: &mut Local, loc: LocId, place: &mut (SiteId, Span)) -> Result<(), Halt> {
        let proc = self.program.proc(local.proc);
        for edge in &self.out[local.proc.index()][loc.index()] {
            let mut is_taken = true;
            for stmt in &proc.edges[edge.index()].stmts {
                let Op::Assume(cond) = stmt.op else { break };
                *place = (stmt.site, stmt.span);
                if !self.eval(local, cond, None)?.as_bool() {
                    is_taken = false;
                    break;
                }
            }
            if is_taken {
                local.at = At::Inside(*edge, 0);
                local.segment.push(*edge);
                local.n_steps += 1;
                return Ok(());
            }
        }
        Err(Next::Blocked(Blocked::Assumes))
    }

    /// Whether the thread was here before, and has only read since.
    fn is_idle(&self, local: &mut Local, loc: LocId) -> bool {
        if !self.is_head[local.proc.index()][loc.index()] {
            return false;
        }
        let slots = &self.slots[local.proc.index()];
        let live = self.live[local.proc.index()].at(loc);
        let slots = || live.iter().map(|var| slots[var.index()] as usize);
        let values: Vec<Option<Value>> = slots().map(|slot| local.vars[slot].clone()).collect();
        let now = (values, self.dependencies_of(local, slots()));
        if local.heads.iter().any(|(other, then)| *other == loc && *then == now) {
            return true;
        }
        if local.heads.len() == MAX_HEADS {
            local.heads.remove(0);
        }
        local.heads.push((loc, now));
        false
    }

    /// Runs a statement, or says what it is if others take part in it.
    fn perform(&self, local: &mut Local, stmt: &Stmt) -> Result<Option<Next>, Halt> {
        Ok(Some(match &stmt.op {
            Op::Assign { var, value } => {
                let new = self.eval(local, *value, None)?;
                self.flows(local, *var, Some(*value));
                self.set(local, *var, new);
                return Ok(None);
            }
            Op::Havoc { var, .. } => {
                let sort = self.program.pool.var_sort(*var);
                if bits_of(sort) <= INPUT_BITS {
                    return Ok(Some(Next::Input { sort }));
                }
                let slot = self.slots[local.proc.index()][var.index()] as usize;
                local.vars[slot] = None;
                self.flows(local, *var, None);
                return Ok(None);
            }
            Op::Assume(cond) => {
                let holds = self.eval(local, *cond, None)?.as_bool();
                self.branches(local, *cond);
                return if holds { Ok(None) } else { Err(Next::Blocked(Blocked::Assumes)) };
            }
            Op::Check { cond, kind } => return self.check(local, *cond, kind, stmt.span).map(|()| None),
            Op::Mark(..) => return Ok(None),
            Op::Load { place, .. } | Op::Rmw { place, .. } if local.pending.is_none() => {
                Next::Read { spot: self.spot(local, place)? }
            }
            Op::Rmw { place, order, .. } => {
                let (value, _) = local.pending.clone().expect("its read is done");
                Next::Write { spot: self.spot(local, place)?, value, order: *order, is_update: true }
            }
            Op::Load { place, .. } => Next::Read { spot: self.spot(local, place)? },
            Op::Store { place, value, order } => {
                let value = self.eval(local, *value, None)?;
                Next::Write { spot: self.spot(local, place)?, value, order: *order, is_update: false }
            }
            Op::Fence(order) => Next::Fence(*order),
            Op::Alloc { size, kind, zeroed, .. } => {
                Next::Alloc { size: self.word(local, *size)?, kind: *kind, zeroed: *zeroed }
            }
            Op::Free { addr, kind } => Next::Free { addr: self.word(local, *addr)?, kind: *kind },
            Op::Start { .. } if local.is_alone => refuse(stmt.span, "a thread that is started in an atomic section"),
            Op::Start { callee, args, .. } => self.start(local, *callee, args, stmt.span)?,
            Op::Join { thread, .. } => Next::Join { handle: self.word(local, *thread)? },
            Op::AtomicBegin | Op::AtomicEnd if local.is_early => {
                local.is_alone = matches!(stmt.op, Op::AtomicBegin);
                return Ok(None);
            }
            Op::AtomicBegin | Op::AtomicEnd => refuse(stmt.span, "an atomic section, once threads run,"),
            Op::Call { .. } => refuse(stmt.span, "a call that was not inlined"),
            Op::Return(value) => {
                let value = value.map(|value| self.eval(local, value, None)).transpose()?;
                // Where main returns the process ends; nobody joins that.
                if local.proc == self.program.main { Next::Exits } else { Next::End(self.as_word(value)) }
            }
            Op::ExitThread(value) => Next::End(self.as_word(Some(self.eval(local, *value, None)?))),
            Op::ExitProcess { .. } => Next::Exits,
        }))
    }

    fn as_word(&self, value: Option<Value>) -> Value {
        let width = self.program.data_model.word_bits();
        match value {
            Some(Value::Bv(bits)) => Value::Bv(bits.resized(width, false)),
            _ => Value::bv(width, 0),
        }
    }

    fn check(&self, local: &Local, cond: TermId, kind: &CheckKind, span: Span) -> Result<(), Halt> {
        if self.eval(local, cond, None)?.as_bool() {
            return Ok(());
        }
        let beyond = |why| Err(Next::Beyond(why));
        match (kind, Property::of_check(kind)) {
            (CheckKind::Unsupported(what), _) => beyond(Why::Unsupported { span, what: what.to_string() }),
            (CheckKind::Bound(what), _) => beyond(Why::Bound(what.to_string())),
            (_, Some(property)) if self.properties.has(property) => Err(Next::Wrong(property)),
            (CheckKind::Overflow, _) => Ok(()),
            (_, Some(property)) => Err(self.wrong(property, span)),
            (_, None) => unreachable!("only unsupported and bound checks have no property"),
        }
    }

    /// What follows when something goes wrong: a violation if somebody asked, else nobody can tell, or the process ends.
    pub(super) fn wrong(&self, property: Property, span: Span) -> Next {
        match property {
            _ if self.properties.has(property) => Next::Wrong(property),
            _ if property.is_undefined() => {
                Next::Beyond(Why::Undefined { span, what: property.describe().to_string() })
            }
            _ => Next::Exits,
        }
    }

    fn spot(&self, local: &Local, place: &Place) -> Result<Spot, Halt> {
        Ok(match *place {
            Place::Var(var) => Spot::Var(var),
            Place::Mem { addr, sort, .. } => Spot::Mem { addr: self.word(local, addr)?, sort },
        })
    }

    fn start(&self, local: &Local, callee: Callee, args: &[TermId], span: Span) -> Result<Next, Halt> {
        let proc = match callee {
            Callee::Proc(proc) => proc,
            Callee::Pointer(pointer) => {
                let base = self.word(local, pointer)?;
                let object = self.program.objects.iter().find(|object| object.base == base);
                match object.map(|object| object.kind) {
                    Some(ObjectKind::Function(proc)) => proc,
                    _ => return Err(refuse(span, "a thread that runs what is no function")),
                }
            }
        };
        let args: Result<Vec<Value>, Halt> = args.iter().map(|arg| self.eval(local, *arg, None)).collect();
        let args = args?;
        let params = &self.program.proc(proc).params;
        let sort_of = |param: &VarId| self.program.pool.var_sort(*param);
        if args.len() < params.len() || params.iter().zip(&args).any(|(param, arg)| sort_of(param) != arg.sort()) {
            return Err(refuse(span, "a thread with other arguments than its function takes"));
        }
        Ok(Next::Start { proc, args })
    }

    /// A copy of the thread behind its statement, which has happened, with the variable that it sets.
    fn behind(&self, here: &Here, value: Option<Value>) -> Local {
        let mut local = here.local.clone();
        local.segment.clear();
        let At::Inside(edge, at) = local.at else { unreachable!("it is before a statement") };
        if let Some(stmt) = self.stmt(&local) {
            self.happened(&mut local, stmt);
            if let (Some(value), Some(var)) = (value, ir::access::local_written(&stmt.op)) {
                self.set(&mut local, var, value);
            }
        }
        local.at = At::Inside(edge, at + 1);
        local.pending = None;
        local
    }

    /// The thread after it has done something that others notice.
    pub(super) fn done(&self, here: &Here, value: Option<Value>) -> Here {
        let mut local = self.behind(here, value);
        local.has_effect();
        self.advance(local)
    }

    /// The thread after something that nobody notices.
    pub(super) fn noticed_by_none(&self, here: &Here, value: Option<Value>) -> Here {
        self.advance(self.behind(here, value))
    }

    /// The thread after the second half of an update.
    pub(super) fn updated(&self, here: &Here) -> Here {
        let old = here.local.pending.as_ref().map(|(_, old)| old.clone());
        let mut local = self.behind(here, old);
        local.has_effect();
        self.advance(local)
    }

    /// The thread after its read has found a value; the order of the read, and whether it is one of an update.
    pub(super) fn found(&self, here: &Here, old: &Value) -> (Here, Order, bool) {
        let stmt = self.stmt(&here.local).expect("it is before a read");
        let (dst, wait, new, order, failure) = match &stmt.op {
            Op::Load { order, .. } => return (self.noticed_by_none(here, Some(old.clone())), *order, false),
            Op::Rmw { dst, wait, new, order, failure, .. } => (*dst, *wait, *new, *order, *failure),
            _ => unreachable!("it is before a read"),
        };
        let over = Some((dst, old));
        let stays = |next: Next| {
            let mut local = here.local.clone();
            local.segment.clear();
            Here { local, next, site: here.site, span: here.span }
        };
        let outcome = || -> Result<(Here, Order, bool), Halt> {
            if let Some(wait) = wait
                && !self.eval(&here.local, wait, over)?.as_bool()
            {
                return Ok((stays(Next::Blocked(Blocked::Waits)), order, true));
            }
            if let Some(failure) = failure
                && self.eval(&here.local, failure.when, over)?.as_bool()
            {
                return Ok((self.noticed_by_none(here, Some(old.clone())), failure.order, false));
            }
            let new = self.eval(&here.local, new, over)?;
            let mut local = here.local.clone();
            local.segment.clear();
            local.pending = Some((new, old.clone()));
            Ok((self.advance(local), order, true))
        };
        outcome().unwrap_or_else(|halt| (stays(halt), order, true))
    }

    /// Whether it can depend on what the thread reads next that it does not go on: in a round of a loop, at an update that waits, or before an assumption.
    pub(super) fn may_wait(&self, here: &Here) -> bool {
        let waits = |stmt: &Stmt| matches!(stmt.op, Op::Rmw { wait: Some(_), .. });
        let At::Inside(edge, _) = here.local.at else { return false };
        let proc = here.local.proc;
        let to = self.program.proc(proc).edges[edge.index()].to;
        let is_alone = self.out[proc.index()][to.index()].len() == 1;
        !here.local.heads.is_empty() || is_alone || self.stmt(&here.local).is_some_and(waits)
    }

    /// The values of an input that is enumerated.
    pub(super) fn values(&self, sort: Sort) -> Vec<Value> {
        match sort {
            Sort::Bv(width) => (0..1u64 << width).map(|value| Value::bv(width, value)).collect(),
            _ => vec![Value::Bool(false), Value::Bool(true)],
        }
    }
}

fn bits_of(sort: Sort) -> u32 {
    match sort {
        Sort::Bool => 1,
        Sort::Bv(width) => width,
        Sort::F32 => 32,
        _ => 64,
    }
}

fn refuse(span: Span, what: &str) -> Next {
    Next::Beyond(Why::Unsupported { span, what: format!("{what} in the engine graphs") })
}
