//! What do the statements of an execution say, and who may read from whom? A formula for each step of each walk.
//!
//! Known as: static single assignment of each thread; reads and writes have values of their own, which reads-from literals tie together.

use super::walks::{Walks, span};
use crate::declarative::growing::Graphs;
use crate::declarative::steps::Steps;
use ir::{At, Callee, Known, Op, Place, Scope, Stmt, ThreadEvent};
use logic::{Sort, TermId, Value, VarId};
use rustc_hash::FxHashMap;

/// A read or a write: its thread and its number among the events there, its variable, and its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) place: (usize, usize),
    pub(super) var: VarId,
    pub(super) value: TermId,
    /// The formula of its step.
    pub(super) part: usize,
}

/// Where a read may take its value from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The write, by number; none is what was there at first.
    pub(super) write: Option<usize>,
    /// The literal that says so.
    pub(super) literal: VarId,
    /// What it says of the values.
    pub(super) means: TermId,
}

/// The formula of an execution.
#[derive(Default)]
pub(super) struct Formula {
    /// What each step says, thread by thread.
    pub(super) parts: Vec<Vec<TermId>>,
    pub(super) events: Vec<Vec<ThreadEvent>>,
    pub(super) reads: Vec<Access>,
    pub(super) writes: Vec<Access>,
    /// For each read.
    pub(super) candidates: Vec<Vec<Candidate>>,
    /// The variable behind each literal.
    pub(super) behind: FxHashMap<VarId, VarId>,
}

/// Copies of variables from here on are those of formulas.
const FIRST_COPY: u32 = 1000;

struct Writer<'s, 'p> {
    steps: &'s mut Steps<'p>,
    formula: Formula,
    n_copies: u32,
    thread: usize,
    /// The current copies of the thread's variables.
    current: FxHashMap<VarId, TermId>,
    /// The formula of its first step.
    first: usize,
    /// What started threads are given.
    args: FxHashMap<VarId, TermId>,
}

impl Formula {
    /// The formula of an execution whose last step, by this thread, goes wrong.
    pub(super) fn new(graphs: &Graphs, steps: &mut Steps<'_>, walks: &Walks, anchor: u32) -> Formula {
        let mut writer = Writer {
            steps,
            formula: Formula::default(),
            n_copies: FIRST_COPY,
            thread: 0,
            current: FxHashMap::default(),
            first: 0,
            args: FxHashMap::default(),
        };
        writer.formula.events = vec![Vec::new(); walks.len()];
        // The one that goes wrong comes last: what must hold of others before is told by what it reads.
        let order = (0..walks.len()).filter(|thread| *thread as u32 != anchor).chain([anchor as usize]);
        for thread in order {
            if let Some(walk) = &walks[thread] {
                writer.walk(graphs, thread, walk);
            }
        }
        writer.match_up();
        writer.formula
    }
}

impl Writer<'_, '_> {
    fn walk(&mut self, graphs: &Graphs, thread: usize, walk: &[u32]) {
        (self.thread, self.first) = (thread, self.formula.parts.len());
        self.current.clear();
        for &edge in walk {
            self.formula.parts.push(Vec::new());
            let graph = &graphs.threads[thread];
            let edge_of_graph = &graph.edges[edge as usize];
            if let Some(ThreadEvent::Begins) = edge_of_graph.event {
                self.event(ThreadEvent::Begins);
            }
            let Some((own, from, to)) = span(graphs, self.steps, thread, edge) else { continue };
            let program = self.steps.program;
            let stmts: &[Stmt] = &program.proc(self.steps.threads[thread].proc).edges[own.index()].stmts;
            for (at, stmt) in stmts.iter().enumerate().take(to as usize).skip(from as usize) {
                let event = edge_of_graph.event.as_ref().filter(|_| at == from as usize);
                self.stmt(&stmt.op, event);
            }
            let is_bad = matches!(graph.nodes[edge_of_graph.to as usize].at, At::Bad(..));
            if let Some(Op::Check { cond, .. }) = stmts.get(to as usize).filter(|_| is_bad).map(|stmt| &stmt.op) {
                let cond = self.told(*cond);
                let fails = self.steps.cells.pool.not(cond);
                self.say(fails);
            }
        }
    }

    fn say(&mut self, formula: TermId) {
        self.formula.parts.last_mut().expect("a step has begun").push(formula);
    }

    fn event(&mut self, event: ThreadEvent) -> (usize, usize) {
        let events = &mut self.formula.events[self.thread];
        events.push(event);
        (self.thread, events.len() - 1)
    }

    fn copy(&mut self, var: VarId) -> TermId {
        self.n_copies += 1;
        let copy = self.steps.cells.copy(var, self.n_copies);
        self.steps.cells.pool.var(copy)
    }

    /// A variable gets a new copy.
    fn define(&mut self, var: VarId, value: Option<TermId>) -> TermId {
        let copy = self.copy(var);
        self.current.insert(var, copy);
        if let Some(value) = value {
            let equation = self.steps.cells.pool.eq(copy, value);
            self.say(equation);
        }
        copy
    }

    /// The copy of a variable that was not written yet.
    fn initial(&mut self, var: VarId) -> TermId {
        let copy = self.copy(var);
        self.current.insert(var, copy);
        let program = self.steps.program;
        let is_param = program.proc(self.steps.threads[self.thread].proc).params.contains(&var);
        let value = match program.var(var).scope {
            _ if is_param => self.args.get(&var).copied(),
            _ if var == program.self_var => {
                let own = self.steps.handles.as_ref().map(|handles| handles[self.thread].clone());
                own.map(|handle| self.steps.cells.pool.constant(handle))
            }
            Scope::Thread => program.var(var).init.clone().map(|value| self.steps.cells.pool.constant(value)),
            _ => Some(self.steps.cells.pool.constant(Value::zero(program.pool.var_sort(var)))),
        };
        if let Some(value) = value {
            let equation = self.steps.cells.pool.eq(copy, value);
            self.formula.parts[self.first].push(equation);
        }
        copy
    }

    fn told(&mut self, term: TermId) -> TermId {
        let vars = self.steps.cells.vars_in(term);
        for var in vars.iter() {
            if !self.current.contains_key(var) {
                self.initial(*var);
            }
        }
        let current = &self.current;
        self.steps.cells.pool.substitute(term, &|var| current.get(&var).copied())
    }

    fn read(&mut self, dst: VarId, var: VarId, event: ThreadEvent) {
        let value = self.define(dst, None);
        let place = self.event(event);
        let part = self.formula.parts.len() - 1;
        self.formula.reads.push(Access { place, var, value, part });
    }

    fn write(&mut self, var: VarId, term: TermId, place: (usize, usize)) {
        let value = self.copy(var);
        let equation = self.steps.cells.pool.eq(value, term);
        self.say(equation);
        let part = self.formula.parts.len() - 1;
        self.formula.writes.push(Access { place, var, value, part });
    }

    fn stmt(&mut self, op: &Op, event: Option<&ThreadEvent>) {
        let any = || Known::Anything;
        match op {
            Op::Assign { var, value } => {
                let value = self.told(*value);
                self.define(*var, Some(value));
            }
            Op::Havoc { var, .. } => {
                self.define(*var, None);
            }
            Op::Assume(cond) => {
                let cond = self.told(*cond);
                self.say(cond);
            }
            Op::Check { cond, kind } if !self.steps.is_passed_over(kind) => {
                let cond = self.told(*cond);
                self.say(cond);
            }
            Op::Load { dst, place: Place::Var(var), order } => {
                self.read(*dst, *var, ThreadEvent::Read(*var, *order, any()));
            }
            Op::Store { place: Place::Var(var), value, order } => {
                let value = self.told(*value);
                let place = self.event(ThreadEvent::Write(*var, *order, any()));
                self.write(*var, value, place);
            }
            Op::Rmw { dst, place: Place::Var(var), wait, new, order, failure, .. } => {
                let fails = failure.filter(|_| matches!(event, Some(ThreadEvent::Read(..))));
                let own = match fails {
                    Some(failure) => ThreadEvent::Read(*var, failure.order, any()),
                    None => ThreadEvent::Update(*var, *order, any(), any()),
                };
                self.read(*dst, *var, own);
                if let Some(wait) = wait {
                    let wait = self.told(*wait);
                    self.say(wait);
                }
                if let Some(failure) = failure {
                    let when = self.told(failure.when);
                    let is_so = if fails.is_some() { when } else { self.steps.cells.pool.not(when) };
                    self.say(is_so);
                }
                if fails.is_none() {
                    let new = self.told(*new);
                    let place = (self.thread, self.formula.events[self.thread].len() - 1);
                    self.write(*var, new, place);
                }
            }
            Op::Start { dst, callee, args, .. } => {
                if let (Some(event @ ThreadEvent::Starts(_)), Callee::Proc(proc)) = (event, callee) {
                    for (param, arg) in self.steps.program.proc(*proc).params.clone().into_iter().zip(args) {
                        let arg = self.told(*arg);
                        let given = self.copy(param);
                        let equation = self.steps.cells.pool.eq(given, arg);
                        self.say(equation);
                        self.args.insert(param, given);
                    }
                    self.event(event.clone());
                }
                self.define(*dst, None);
            }
            Op::Join { result, .. } => {
                if let Some(event @ ThreadEvent::Joins(_)) = event {
                    self.event(event.clone());
                }
                if let Some(var) = result {
                    self.define(*var, None);
                }
            }
            Op::Fence(order) => {
                self.event(ThreadEvent::Fence(*order));
            }
            Op::Return(_) | Op::ExitThread(_) => {
                self.event(ThreadEvent::Ends);
            }
            _ => {}
        }
    }

    /// Finds all writes that each read may read from.
    fn match_up(&mut self) {
        for read in self.formula.reads.clone() {
            let mut all: Vec<(Option<usize>, TermId)> = Vec::new();
            for (number, write) in self.formula.writes.iter().enumerate().filter(|(_, write)| write.var == read.var) {
                let is_later = write.place.0 == read.place.0 && write.place.1 >= read.place.1;
                if !is_later {
                    all.push((Some(number), write.value));
                }
            }
            let mut candidates = Vec::new();
            let first = self.steps.program.var(read.var).init.clone();
            let means = match first {
                Some(value) => {
                    let value = self.steps.cells.pool.constant(value);
                    self.steps.cells.pool.eq(read.value, value)
                }
                None => self.steps.cells.pool.bool(true),
            };
            let name = format!("rf {}", self.steps.cells.pool.var_name(read.var));
            let literal = self.steps.cells.pool.declare(&name, Sort::Bool);
            candidates.push(Candidate { write: None, literal, means });
            for (write, value) in all {
                let literal = self.steps.cells.pool.declare(&name, Sort::Bool);
                candidates.push(Candidate { write, literal, means: self.steps.cells.pool.eq(read.value, value) });
            }
            self.formula.behind.extend(candidates.iter().map(|candidate| (candidate.literal, read.var)));
            self.formula.candidates.push(candidates);
        }
    }
}
