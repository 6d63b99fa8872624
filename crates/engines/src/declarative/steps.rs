//! What can a thread do next, as far as its tracked variables tell? The transfer function of explicit values.
//!
//! A node is left by edges that do nothing others see, up to the next event, or by one event. Variables that are not tracked have any value: a read of a
//! shared one that is not tracked is a havoc, a write of it nothing. Every result contains what the statement can do (over-approximation). What a
//! tracked read finds is not decided here: [`Next::Reads`] says what is asked, and [`Steps::after_read`] what comes of an answer.

use super::threads::Thread;
use ir::pass::Liveness;
use ir::{
    At, CheckKind, EdgeId, Known, Op, Place, Program, Properties, Property, Scope, Stmt, ThreadEvent, ThreadNode,
};
use logic::{Pool, TermId, Value, VarId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// What is known of the variables of a thread.
pub(super) type State = BTreeMap<VarId, Known>;

/// How a node is left.
pub(super) enum Next {
    /// By these edges. For a thread that is started, what its parameters are.
    Edges(Vec<(Option<ThreadEvent>, ThreadNode)>, Option<(u32, Vec<Known>)>),
    /// By a read of this variable.
    Reads(VarId),
}

/// The steps of all threads.
pub(super) struct Steps<'p> {
    pub(super) program: &'p Program,
    pub(super) threads: Vec<Thread>,
    pub(super) tracked: FxHashSet<VarId>,
    properties: Properties,
    pool: Pool,
    live: Vec<Liveness>,
    out: Vec<Vec<Vec<EdgeId>>>,
}

impl<'p> Steps<'p> {
    pub(super) fn new(program: &'p Program, threads: Vec<Thread>, properties: Properties) -> Steps<'p> {
        let live = program.procs.iter().map(|proc| Liveness::new(program, proc, true)).collect();
        let out = program.procs.iter().map(ir::Proc::out_edges).collect();
        let pool = program.pool.clone();
        Steps { program, threads, tracked: FxHashSet::default(), properties, pool, live, out }
    }

    /// The value of a term.
    fn value(&mut self, term: TermId, state: &State) -> Known {
        if let Some(var) = self.pool.as_var(term) {
            return state.get(&var).cloned().unwrap_or(Known::Anything);
        }
        let mut constants: Vec<(VarId, TermId)> = Vec::new();
        for (var, known) in state {
            if let Known::Exactly(value) = known {
                constants.push((*var, self.pool.constant(value.clone())));
            }
        }
        let known = |var: VarId| constants.iter().find(|(other, _)| *other == var).map(|(_, term)| *term);
        let term = self.pool.substitute(term, &known);
        self.pool.as_const(term).map_or(Known::Anything, |value| Known::Exactly(value.clone()))
    }

    /// Whether a condition holds, if that is known.
    fn holds(&mut self, cond: TermId, state: &State) -> Option<bool> {
        match self.value(cond, state) {
            Known::Exactly(Value::Bool(holds)) => Some(holds),
            _ => None,
        }
    }

    fn set(&self, state: &mut State, var: VarId, value: Known) {
        // Handles cost nothing and say who is joined.
        if matches!(value, Known::Thread(_)) || (self.tracked.contains(&var) && value != Known::Anything) {
            state.insert(var, value);
        } else {
            state.remove(&var);
        }
    }

    fn node(&self, thread: u32, at: At, mut state: State) -> ThreadNode {
        match at {
            At::Loc(loc) => {
                let live = &self.live[self.threads[thread as usize].proc.index()];
                state.retain(|var, _| live.is_live(loc, *var));
            }
            At::Ended | At::Bad(..) => state.clear(),
            At::Unborn | At::Inside(..) => {}
        }
        ThreadNode { at, known: state.into_iter().collect() }
    }

    /// The first node of a thread after its begin, with these parameters.
    pub(super) fn first(&mut self, thread: u32, args: &[Known]) -> ThreadNode {
        let program = self.program;
        let proc = program.proc(self.threads[thread as usize].proc);
        let mut state = State::new();
        for (index, variable) in program.vars.iter().enumerate().filter(|(_, own)| own.scope == Scope::Thread) {
            let var = VarId(index as u32);
            let known = match &variable.init {
                _ if var == program.self_var => Known::Anything,
                Some(value) => Known::Exactly(value.clone()),
                None => Known::Anything,
            };
            self.set(&mut state, var, known);
        }
        for var in &proc.locals {
            let zero = Known::Exactly(Value::zero(program.pool.var_sort(*var)));
            self.set(&mut state, *var, zero);
        }
        for (at, var) in proc.params.iter().enumerate() {
            self.set(&mut state, *var, args.get(at).cloned().unwrap_or(Known::Anything));
        }
        self.node(thread, At::Loc(proc.entry), state)
    }

    /// How a node is left.
    pub(super) fn next(&mut self, thread: u32, node: &ThreadNode) -> Next {
        let state: State = node.known.iter().cloned().collect();
        let proc = self.threads[thread as usize].proc;
        match node.at {
            At::Unborn | At::Ended | At::Bad(..) => Next::Edges(Vec::new(), None),
            At::Loc(loc) => {
                let mut found = Vec::new();
                for edge in self.out[proc.index()][loc.index()].clone() {
                    self.silent(thread, (edge, 0), state.clone(), &mut found);
                }
                Next::Edges(found.into_iter().map(|node| (None, node)).collect(), None)
            }
            At::Inside(edge, at) => self.event(thread, (edge, at), state),
        }
    }

    fn stmt(&self, thread: u32, (edge, at): (EdgeId, u32)) -> Option<&'p Stmt> {
        let program = self.program;
        program.proc(self.threads[thread as usize].proc).edges[edge.index()].stmts.get(at as usize)
    }

    /// Whether a statement is an event of its thread, here.
    fn is_event(&self, op: &Op) -> bool {
        match op {
            Op::Load { place: Place::Var(var), .. }
            | Op::Store { place: Place::Var(var), .. }
            | Op::Rmw { place: Place::Var(var), .. } => self.tracked.contains(var),
            Op::Fence(_) | Op::Start { .. } | Op::Return(_) | Op::ExitThread(_) => true,
            Op::Join { .. } => true,
            _ => false,
        }
    }

    /// Follows an edge until it ends, or there is an event, or something goes wrong.
    fn silent(&mut self, thread: u32, (edge, from): (EdgeId, u32), mut state: State, found: &mut Vec<ThreadNode>) {
        let mut at = from;
        while let Some(stmt) = self.stmt(thread, (edge, at)) {
            if self.is_event(&stmt.op) {
                found.push(self.node(thread, At::Inside(edge, at), state));
                return;
            }
            match &stmt.op {
                Op::Assign { var, value } => {
                    let value = self.value(*value, &state);
                    self.set(&mut state, *var, value);
                }
                Op::Havoc { var, .. } | Op::Load { dst: var, .. } | Op::Rmw { dst: var, .. } => {
                    self.set(&mut state, *var, Known::Anything);
                }
                Op::Assume(cond) if self.holds(*cond, &state) == Some(false) => return,
                Op::Check { cond, kind } => {
                    let holds = self.holds(*cond, &state);
                    if holds != Some(true) && self.goes_wrong(kind) {
                        found.push(self.node(thread, At::Bad(edge, at), State::new()));
                    }
                    let is_passed_over =
                        matches!(kind, CheckKind::Overflow) && !self.properties.has(Property::Overflow);
                    if holds == Some(false) && !is_passed_over {
                        return;
                    }
                }
                Op::ExitProcess { .. } => {
                    found.push(self.node(thread, At::Ended, State::new()));
                    return;
                }
                _ => {}
            }
            at += 1;
        }
        let to = self.program.proc(self.threads[thread as usize].proc).edges[edge.index()].to;
        found.push(self.node(thread, At::Loc(to), state));
    }

    /// Whether a check that fails is more than the end of the process.
    fn goes_wrong(&self, kind: &CheckKind) -> bool {
        match Property::of_check(kind) {
            Some(property) => self.properties.has(property) || property.is_undefined(),
            None => true,
        }
    }

    /// Where a thread is after a statement.
    fn behind(&mut self, thread: u32, (edge, at): (EdgeId, u32), state: State) -> Vec<ThreadNode> {
        let mut found = Vec::new();
        self.silent(thread, (edge, at + 1), state, &mut found);
        found
    }

    fn all_behind(
        &mut self,
        thread: u32,
        at: (EdgeId, u32),
        state: State,
        event: Option<ThreadEvent>,
    ) -> Vec<(Option<ThreadEvent>, ThreadNode)> {
        self.behind(thread, at, state).into_iter().map(|node| (event.clone(), node)).collect()
    }

    fn event(&mut self, thread: u32, at: (EdgeId, u32), mut state: State) -> Next {
        let stmt = self.stmt(thread, at).expect("a node stands before a statement");
        match &stmt.op {
            Op::Load { place: Place::Var(var), .. } | Op::Rmw { place: Place::Var(var), .. } => Next::Reads(*var),
            Op::Store { place: Place::Var(var), value, order } => {
                let event = ThreadEvent::Write(*var, *order, self.value(*value, &state));
                Next::Edges(self.all_behind(thread, at, state, Some(event)), None)
            }
            Op::Fence(order) => Next::Edges(self.all_behind(thread, at, state, Some(ThreadEvent::Fence(*order))), None),
            Op::Start { dst, args, .. } => {
                let started = Some((thread, at.0, at.1));
                let new = self.threads.iter().position(|other| other.started == started).expect("it is known") as u32;
                let args = args.iter().map(|arg| self.value(*arg, &state)).collect();
                self.set(&mut state, *dst, Known::Thread(new));
                Next::Edges(self.all_behind(thread, at, state, Some(ThreadEvent::Starts(new))), Some((new, args)))
            }
            Op::Join { thread: handle, result } => {
                let event = match self.value(*handle, &state) {
                    Known::Thread(other) => Some(ThreadEvent::Joins(other)),
                    _ => None,
                };
                if let Some(var) = result {
                    self.set(&mut state, *var, Known::Anything);
                }
                Next::Edges(self.all_behind(thread, at, state, event), None)
            }
            _ => {
                let end = self.node(thread, At::Ended, State::new());
                Next::Edges(vec![(Some(ThreadEvent::Ends), end)], None)
            }
        }
    }

    /// What the read or update at a node is, and where it leads, if it finds this value.
    pub(super) fn after_read(
        &mut self,
        thread: u32,
        node: &ThreadNode,
        old: &Known,
    ) -> Vec<(Option<ThreadEvent>, ThreadNode)> {
        let At::Inside(edge, at) = node.at else { return Vec::new() };
        let mut state: State = node.known.iter().cloned().collect();
        match &self.stmt(thread, (edge, at)).expect("a node stands before a statement").op {
            Op::Load { dst, place: Place::Var(var), order } => {
                self.set(&mut state, *dst, old.clone());
                let event = ThreadEvent::Read(*var, *order, old.clone());
                self.all_behind(thread, (edge, at), state, Some(event))
            }
            Op::Rmw { dst, place: Place::Var(var), wait, new, order, failure, .. } => {
                // The statement itself knows what it found, tracked or not.
                let mut found = state.clone();
                match old {
                    Known::Anything => found.remove(dst),
                    value => found.insert(*dst, value.clone()),
                };
                if wait.is_some_and(|cond| self.holds(cond, &found) == Some(false)) {
                    return Vec::new();
                }
                let fails = failure.map_or(Some(false), |failure| self.holds(failure.when, &found));
                let new = self.value(*new, &found);
                self.set(&mut state, *dst, old.clone());
                let mut ways: Vec<ThreadEvent> = Vec::new();
                if fails != Some(true) {
                    ways.push(ThreadEvent::Update(*var, *order, old.clone(), new));
                }
                if let (true, Some(failure)) = (fails != Some(false), failure) {
                    ways.push(ThreadEvent::Read(*var, failure.order, old.clone()));
                }
                let behind = self.behind(thread, (edge, at), state);
                ways.iter().flat_map(|event| behind.iter().map(|node| (Some(event.clone()), node.clone()))).collect()
            }
            _ => Vec::new(),
        }
    }
}
