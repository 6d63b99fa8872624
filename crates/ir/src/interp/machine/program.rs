//! What is needed to run a program? Where each variable is kept, and which edges leave each location.

use super::memory::Memory;
use super::state::{Frame, State, Thread};
use crate::program::{EdgeId, EdgeRef, ProcId, Program, Scope};
use logic::{Value, VarId};
use rustc_hash::FxHashMap;

/// A program made ready to run: where each variable is kept, and which edges leave each location.
#[derive(Debug)]
pub struct Machine<'p> {
    /// The program.
    pub program: &'p Program,
    pub(in crate::interp) globals: Vec<VarId>,
    pub(in crate::interp) thread_vars: Vec<VarId>,
    /// The slot of each global and thread variable, by `VarId`.
    pub(in crate::interp) slot_of: Vec<usize>,
    /// The slot of each local, by procedure.
    pub(in crate::interp) local_slot: Vec<FxHashMap<VarId, usize>>,
    out_edges: Vec<Vec<Vec<EdgeId>>>,
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
}
