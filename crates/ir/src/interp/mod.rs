//! What does a program mean? This interpreter is the definition: small, plain, and slow where that is clearer.
//!
//! A state is globals, objects and threads; a thread is a stack of frames. A step is one thread taking one edge whole,
//! or not at all: if an `Assume` or a wait on the edge does not hold, nothing has happened. The rules:
//!
//! - **Start.** A thread, the first included, runs `thread_init` and then its procedure; its handle is its index + 1,
//!   found in `self_var`. Thread variables start with their initial values, locals with zero, globals and bytes of
//!   unknown content with whatever the first reader chooses.
//! - **Status.** A thread can run if one of its edges can be taken; else it waits if some edge waits (an `Rmw` whose
//!   condition does not hold, a `Join`); else it is stopped by an `Assume`. An edge that asks for an input before it
//!   can fail counts as one that can be taken. If what an `Rmw` waits on was never written, its step chooses what is there, and if
//!   that does not let it go on, this was all: the bytes have that value from then on, and the thread waits.
//! - **Atomic sections.** The holder is the thread whose last step left it inside a section. While the holder does not
//!   wait, no other thread runs. A thread that has waited inside a section is not preferred when it can go on; with its
//!   next step it becomes the holder again.
//! - **Accesses** must lie inside one live object; otherwise (null, freed, out of scope, past the end, a function, a
//!   write to read-only data) it is a violation of `Deref`. `Free` takes the start of a live object of its kind; otherwise it
//!   is a violation of `Free`. Pointers may point anywhere as long as they are not used. If nobody asked about
//!   the property, the execution leaves the model: what follows is undefined, and nobody may call the program safe.
//! - **Ends of objects.** A heap object ends by `Free`, a stack object by a `Free` of its kind or with the thread that made it: the step that ends a thread
//!   (the return of its procedure, `ExitThread`) ends all stack objects that it made and that are live still, thread-local ones included.
//! - **Checks** that fail are violations, if asked about; else overflow goes on with the wrapped value, `Unsupported`,
//!   `Bound`, `Deref`, `Free` and `Misuse` leave the model, and all others end the process.
//! - **End.** The process ends when the main procedure returns, by `ExitProcess`, by a crash, or when all threads have ended.
//!   If it ends normally, live heap objects violate `MemCleanup`, and those that no chain of words from globals and
//!   static objects reaches violate `MemTrack`.
//! - **Deadlock.** The process has not ended, and either no thread can run, one waits, and none is stopped by an `Assume`; or some threads
//!   wait for each other in a circle, or for a lock whose owner has ended (`waits`).
//! - **Termination.** An execution never ends if it goes round for ever (`lasso`), or if no thread can run as in a deadlock.
//! - **Memory model.** Stores may be buffered on their way to memory; when, and what that changes, is said in `crate::model`.
//! - **Race.** See `race`: two conflicting accesses, not both atomic, unordered by C11's happens-before (`happens_before`).
//!
//! `exec` has the statements, `memory` the bytes, `buffer` the stores on their way, `leak` the end; an `Execution` is a run with its log and races; `random`
//! and `naive` choose schedules and inputs.

mod buffer;
mod event;
mod exec;
mod execution;
mod happens_before;
mod lasso;
mod leak;
mod locks;
mod log;
mod memory;
pub mod naive;
mod names;
mod objects;
mod race;
mod random;
mod reuse;
mod settle;
mod state;
mod waits;

pub use event::{
    ASSERTION_FAILED, Cell, Details, Event, InputKind, Inputs, NotEnabled, RaceAccess, Request, StepResult, Violation,
    Wait, WaitOn, Waiter, What, Zeros,
};
pub use execution::Execution;
pub use happens_before::HappensBefore;
pub use locks::Locks;
pub use log::{CallSite, Effect, Log, LogStep};
pub use memory::{Bytes, Fault, Gone, Memory, Origin, from_bytes, to_bytes};
pub use naive::{Domain, Exploration, Limits, enumerate, enumerate_until};
pub use names::Namer;
pub use race::{Races, adjacent_race};
pub use random::{Outcome, RunReport, run_random};
pub(crate) use settle::settle;
pub use state::{End, Frame, Pending, State, Thread};

use crate::access::may_block;
use crate::program::{EdgeId, EdgeRef, ProcId, Program, Scope};
use crate::property::Properties;
use crate::stmt::Op;
use exec::{Exec, View};
use logic::{Value, VarId};
use rustc_hash::FxHashMap;

/// A program made ready to run: where each variable is kept, and which edges leave each location.
#[derive(Debug)]
pub struct Machine<'p> {
    /// The program.
    pub program: &'p Program,
    globals: Vec<VarId>,
    thread_vars: Vec<VarId>,
    /// The slot of each global and thread variable, by `VarId`.
    slot_of: Vec<usize>,
    /// The slot of each local, by procedure.
    local_slot: Vec<FxHashMap<VarId, usize>>,
    out_edges: Vec<Vec<Vec<EdgeId>>>,
}

/// What a thread can do now, leaving atomic sections of others aside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// One of these edges can be taken.
    CanRun(Vec<EdgeRef>),
    /// It waits.
    Waiting(Wait),
    /// An `Assume` has stopped it.
    Stopped,
    /// It has ended.
    Finished,
}

impl<'p> Machine<'p> {
    /// Makes the program ready.
    pub fn new(program: &'p Program) -> Machine<'p> {
        let with_scope = |scope| {
            let all = (0..program.vars.len() as u32).map(VarId);
            all.filter(|var| program.var(*var).scope == scope).collect::<Vec<VarId>>()
        };
        let (globals, thread_vars) = (with_scope(Scope::Global), with_scope(Scope::Thread));
        let mut slot_of = vec![usize::MAX; program.vars.len()];
        for vars in [&globals, &thread_vars] {
            for (slot, var) in vars.iter().enumerate() {
                slot_of[var.index()] = slot;
            }
        }
        let local_slot = program
            .procs
            .iter()
            .map(|proc| proc.locals.iter().enumerate().map(|(slot, var)| (*var, slot)).collect())
            .collect();
        let out_edges = program.procs.iter().map(|proc| proc.out_edges()).collect();
        Machine { program, globals, thread_vars, slot_of, local_slot, out_edges }
    }

    /// The state before the first step.
    pub fn initial(&self) -> State {
        let globals = self.globals.iter().map(|var| self.program.var(*var).init.clone()).collect();
        let memory = Memory::of(self.program);
        let mut state = State { globals, threads: Vec::new(), memory, holder: None, end: None };
        state.threads.push(self.new_thread(0, self.program.main, Vec::new()));
        state
    }

    /// A thread about to run; missing arguments are zero.
    pub(crate) fn new_thread(&self, index: usize, proc: ProcId, args: Vec<Value>) -> Thread {
        let init = |var: &VarId| match &self.program.var(*var).init {
            _ if *var == self.program.self_var => Value::bv(self.program.data_model.word_bits(), index as u64 + 1),
            Some(value) => value.clone(),
            None => panic!("thread variable {} has no initial value", self.program.pool.var_name(*var)),
        };
        let vars = self.thread_vars.iter().map(init).collect();
        let mut frames = vec![self.new_frame(proc, args)];
        frames.extend(self.program.thread_init.map(|init| self.new_frame(init, Vec::new())));
        Thread { frames, vars, result: None, depth: 0, n_granules: 0, buffer: Vec::new() }
    }

    pub(crate) fn new_frame(&self, id: ProcId, args: Vec<Value>) -> Frame {
        let proc = self.program.proc(id);
        let zero = |var: &VarId| Value::zero(self.program.pool.var_sort(*var));
        let mut locals: Vec<Value> = proc.locals.iter().map(zero).collect();
        for (param, arg) in proc.params.iter().zip(args) {
            locals[self.local_slot[id.index()][param]] = arg;
        }
        Frame { proc: id, loc: proc.entry, locals, called_by: None, result: None }
    }

    /// The value of a global variable, unless nobody has written or read it yet.
    pub fn global<'s>(&self, state: &'s State, var: VarId) -> Option<&'s Value> {
        state.globals[self.slot_of[var.index()]].as_ref()
    }

    /// The value of a local variable in a frame, if the procedure has it.
    pub fn local<'s>(&self, frame: &'s Frame, var: VarId) -> Option<&'s Value> {
        self.local_slot[frame.proc.index()].get(&var).map(|slot| &frame.locals[*slot])
    }

    /// The value of a thread variable.
    pub fn thread_var<'s>(&self, thread: &'s Thread, var: VarId) -> &'s Value {
        &thread.vars[self.slot_of[var.index()]]
    }

    /// The edges that leave where a thread stands; none once it has ended.
    pub fn edges_at(&self, thread: &Thread) -> impl Iterator<Item = EdgeRef> + '_ {
        let at = thread.top().filter(|_| !thread.has_ended()).map(|frame| (frame.proc, frame.loc));
        at.into_iter().flat_map(|(proc, loc)| {
            self.out_edges[proc.index()][loc.index()].iter().map(move |edge| EdgeRef { proc, edge: *edge })
        })
    }

    /// What a thread can do, leaving atomic sections of others and the end of the process aside.
    pub fn status(&self, state: &State, thread: u32) -> Status {
        let this = &state.threads[thread as usize];
        if this.has_ended() {
            return Status::Finished;
        }
        let mut can_run = Vec::new();
        let mut waits = None;
        for edge in self.edges_at(this) {
            match self.blocked(state, thread, edge) {
                None => can_run.push(edge),
                Some(NotEnabled::Waiting(wait)) => waits = Some(wait),
                Some(_) => {}
            }
        }
        match waits {
            _ if !can_run.is_empty() => Status::CanRun(can_run),
            Some(wait) => Status::Waiting(wait),
            None => Status::Stopped,
        }
    }

    /// All steps that can be taken, by thread.
    pub fn enabled(&self, state: &State) -> Vec<(u32, EdgeRef)> {
        if state.end.is_some() {
            return Vec::new();
        }
        let steps_of = |thread: u32| match self.status(state, thread) {
            Status::CanRun(edges) => edges.into_iter().map(|edge| (thread, edge)).collect(),
            _ => Vec::new(),
        };
        match self.excludes_others(state) {
            Some(holder) => steps_of(holder),
            None => (0..state.threads.len() as u32).flat_map(steps_of).collect(),
        }
    }

    /// The thread in an atomic section that does not wait: no other may run.
    pub fn excludes_others(&self, state: &State) -> Option<u32> {
        state.holder.filter(|holder| !matches!(self.status(state, *holder), Status::Waiting(_)))
    }

    /// Takes a step. The events are appended to `events`, if wanted.
    pub fn step(
        &self,
        state: &mut State,
        thread: u32,
        edge: EdgeRef,
        inputs: &mut dyn Inputs,
        properties: Properties,
        events: Option<&mut Vec<Event>>,
    ) -> StepResult {
        if state.end.is_some() {
            return StepResult::NotEnabled(NotEnabled::ProcessEnded);
        }
        let stands_there = |this: &Thread| self.edges_at(this).any(|leaving| leaving == edge);
        if !state.threads.get(thread as usize).is_some_and(stands_there) {
            return StepResult::NotEnabled(NotEnabled::NotThere);
        }
        match self.excludes_others(state) {
            Some(holder) if holder != thread => return StepResult::NotEnabled(NotEnabled::Held(holder)),
            _ => {}
        }
        let backup = self.may_fail_late(edge).then(|| state.clone());
        let mut happened = Vec::new();
        let (result, seen) = Exec::new(self, state, thread, edge, inputs, properties, &mut happened).run();
        if let Some((spot, value)) = seen {
            if let Some(backup) = backup {
                *state = backup;
            }
            happened.retain(|event| matches!(event.what, What::Input { kind: InputKind::Unwritten, .. }));
            Exec::new(self, state, thread, edge, inputs, properties, &mut happened).keep_choice(spot, &value);
            events.into_iter().for_each(|events| events.append(&mut happened));
            return StepResult::Ok;
        }
        match (&result, backup) {
            (StepResult::NotEnabled(_), Some(backup)) => *state = backup,
            (StepResult::NotEnabled(_), None) => {}
            _ => {
                self.update_holder(state, thread);
                if let Some(events) = events {
                    events.append(&mut happened);
                }
            }
        }
        result
    }

    fn update_holder(&self, state: &mut State, thread: u32) {
        let this = &state.threads[thread as usize];
        // If another thread was the holder, it waits, and its section is open from here on.
        state.holder = (this.depth > 0 && !this.has_ended()).then_some(thread);
    }

    /// Whether something may have happened before the edge turns out not to be enabled.
    fn may_fail_late(&self, edge: EdgeRef) -> bool {
        let stmts = &self.program.edge(edge).stmts;
        let n_pure = stmts.iter().take_while(|stmt| matches!(stmt.op, Op::Assume(_))).count();
        stmts.iter().skip(n_pure + 1).any(|stmt| may_block(&stmt.op))
    }

    /// Why an edge cannot be taken, if it cannot whatever the inputs are.
    fn blocked(&self, state: &State, thread: u32, edge: EdgeRef) -> Option<NotEnabled> {
        let view = View { machine: self, state, thread: thread as usize };
        let stmts = &self.program.edge(edge).stmts;
        let n_pure = stmts.iter().take_while(|stmt| matches!(stmt.op, Op::Assume(_))).count();
        let early = stmts.iter().take(n_pure + 1).find_map(|stmt| view.blocked_at(edge, stmt));
        if early.is_some() || !self.may_fail_late(edge) {
            return early;
        }
        let mut copy = state.clone();
        let mut inputs = Asked(false);
        let mut events = Vec::new();
        let (result, _) = Exec::new(self, &mut copy, thread, edge, &mut inputs, Properties::NONE, &mut events).run();
        match result {
            StepResult::NotEnabled(why) if !inputs.0 => Some(why),
            _ => None,
        }
    }
}

/// Gives zeros and remembers whether anybody asked.
struct Asked(bool);

impl Inputs for Asked {
    fn choose(&mut self, request: &Request) -> Value {
        self.0 = true;
        Value::zero(request.sort)
    }
}

#[cfg(test)]
mod tests;
