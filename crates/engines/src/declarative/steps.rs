//! What can a thread do next, as far as its tracked variables and predicates tell? The transfer function.
//!
//! A node is left by edges that do nothing others see, up to the next event, or by one event. Variables that are not tracked have any value: a read of a
//! shared one that is not tracked is a havoc, a write of it nothing. Every result contains what the statement can do (over-approximation). What a
//! tracked read finds is not decided here: [`Next::Reads`] says what is asked, and [`Steps::after_read`] what comes of an answer.

use super::facts::{Moment, Predicates};
use super::threads::{Thread, handles};
use crate::abstraction::cells::Cells;
use crate::abstraction::entailment::Entailment;
use ir::pass::Liveness;
use ir::{
    At, CheckKind, EdgeId, Known, Op, Place, Program, Properties, Property, Scope, Stmt, ThreadEvent, ThreadNode,
};
use logic::{Value, VarId};
use rustc_hash::FxHashSet;
use smt::Why;

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
    /// Variables whose values are told apart; of shared ones whose accesses are events.
    pub(super) tracked: FxHashSet<VarId>,
    pub(super) predicates: Predicates,
    pub(super) properties: Properties,
    pub(super) cells: Cells<'p>,
    pub(super) entailment: Entailment,
    /// What each thread calls itself, if that is known.
    pub(super) handles: Option<Vec<Value>>,
    live: Vec<Liveness>,
    out: Vec<Vec<Vec<EdgeId>>>,
}

impl<'p> Steps<'p> {
    pub(super) fn new(
        program: &'p Program,
        threads: Vec<Thread>,
        properties: Properties,
        limits: smt::Limits,
    ) -> Steps<'p> {
        let live = program.procs.iter().map(|proc| Liveness::new(program, proc, true)).collect();
        let out = program.procs.iter().map(ir::Proc::out_edges).collect();
        let (cells, entailment) = (Cells::new(program), Entailment::new(limits));
        let (tracked, predicates) = (FxHashSet::default(), Predicates::default());
        let handles = handles(program, &threads);
        Steps { program, threads, tracked, predicates, properties, cells, entailment, handles, live, out }
    }

    fn node(&mut self, thread: u32, at: At, mut moment: Moment) -> Result<ThreadNode, Why> {
        let proc = self.threads[thread as usize].proc;
        let facts = match at {
            At::Loc(loc) => {
                let live = &self.live[proc.index()];
                moment.known.retain(|var, _| live.is_live(loc, *var));
                let wanted: FxHashSet<VarId> =
                    (0..self.program.vars.len() as u32).map(VarId).filter(|var| live.is_live(loc, *var)).collect();
                self.facts(proc, &moment, &|var| wanted.contains(&var))?
            }
            At::Inside(..) => self.facts(proc, &moment, &|_| true)?,
            At::Ended | At::Bad(..) | At::Unborn => {
                moment.known.clear();
                Vec::new()
            }
        };
        Ok(ThreadNode { at, known: moment.known.into_iter().collect(), facts })
    }

    /// The first node of a thread after its begin, with these parameters.
    pub(super) fn first(&mut self, thread: u32, args: &[Known]) -> Result<ThreadNode, Why> {
        let program = self.program;
        let proc = program.proc(self.threads[thread as usize].proc);
        let mut moment = Moment::default();
        for (index, variable) in program.vars.iter().enumerate().filter(|(_, own)| own.scope == Scope::Thread) {
            let var = VarId(index as u32);
            let known = match &variable.init {
                _ if var == program.self_var => {
                    let own = self.handles.as_ref().map(|handles| handles[thread as usize].clone());
                    own.map_or(Known::Anything, Known::Exactly)
                }
                Some(value) => Known::Exactly(value.clone()),
                None => Known::Anything,
            };
            self.receive(&mut moment, var, var, &known);
        }
        for var in &proc.locals {
            let zero = Known::Exactly(Value::zero(program.pool.var_sort(*var)));
            self.receive(&mut moment, *var, *var, &zero);
        }
        for (at, var) in proc.params.iter().enumerate() {
            self.receive(&mut moment, *var, *var, args.get(at).unwrap_or(&Known::Anything));
        }
        self.node(thread, At::Loc(proc.entry), moment)
    }

    /// How a node is left.
    pub(super) fn next(&mut self, thread: u32, node: &ThreadNode) -> Result<Next, Why> {
        let moment = self.moment(node);
        let proc = self.threads[thread as usize].proc;
        match node.at {
            At::Unborn | At::Ended | At::Bad(..) => Ok(Next::Edges(Vec::new(), None)),
            At::Loc(loc) => {
                let mut found = Vec::new();
                for edge in self.out[proc.index()][loc.index()].clone() {
                    self.silent(thread, (edge, 0), moment.clone(), &mut found)?;
                }
                Ok(Next::Edges(found.into_iter().map(|node| (None, node)).collect(), None))
            }
            At::Inside(edge, at) => self.event(thread, (edge, at), moment),
        }
    }

    fn stmt(&self, thread: u32, (edge, at): (EdgeId, u32)) -> Option<&'p Stmt> {
        let program = self.program;
        program.proc(self.threads[thread as usize].proc).edges[edge.index()].stmts.get(at as usize)
    }

    /// Whether a statement is an event of its thread, here.
    pub(super) fn is_event(&self, op: &Op) -> bool {
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
    fn silent(
        &mut self,
        thread: u32,
        (edge, from): (EdgeId, u32),
        mut moment: Moment,
        found: &mut Vec<ThreadNode>,
    ) -> Result<(), Why> {
        let mut at = from;
        while let Some(stmt) = self.stmt(thread, (edge, at)) {
            if self.is_event(&stmt.op) {
                found.push(self.node(thread, At::Inside(edge, at), moment)?);
                return Ok(());
            }
            match &stmt.op {
                Op::Assign { var, value } => self.assign(&mut moment, *var, *value),
                Op::Havoc { var, .. } | Op::Load { dst: var, .. } | Op::Rmw { dst: var, .. } => {
                    self.receive(&mut moment, *var, *var, &Known::Anything);
                }
                Op::Assume(cond) if !self.assume(*cond, true, &mut moment)? => return Ok(()),
                Op::Check { cond, kind } => {
                    let holds = self.holds(*cond, &moment)?;
                    if holds != Some(true) && self.goes_wrong(kind) {
                        found.push(self.node(thread, At::Bad(edge, at), Moment::default())?);
                    }
                    if !self.is_passed_over(kind) && !self.assume(*cond, true, &mut moment)? {
                        return Ok(());
                    }
                }
                Op::ExitProcess { .. } => {
                    found.push(self.node(thread, At::Ended, Moment::default())?);
                    return Ok(());
                }
                _ => {}
            }
            at += 1;
        }
        let to = self.program.proc(self.threads[thread as usize].proc).edges[edge.index()].to;
        found.push(self.node(thread, At::Loc(to), moment)?);
        Ok(())
    }

    /// Whether a check that fails changes nothing.
    pub(super) fn is_passed_over(&self, kind: &CheckKind) -> bool {
        matches!(kind, CheckKind::Overflow) && !self.properties.has(Property::Overflow)
    }

    /// Whether a check that fails is more than the end of the process.
    fn goes_wrong(&self, kind: &CheckKind) -> bool {
        match Property::of_check(kind) {
            Some(property) => self.properties.has(property) || property.is_undefined(),
            None => true,
        }
    }

    /// Where a thread is after a statement, which is this event.
    fn behind(
        &mut self,
        thread: u32,
        (edge, at): (EdgeId, u32),
        moment: Moment,
        event: Option<ThreadEvent>,
    ) -> Result<Vec<(Option<ThreadEvent>, ThreadNode)>, Why> {
        let mut found = Vec::new();
        self.silent(thread, (edge, at + 1), moment, &mut found)?;
        if found.is_empty() && event.is_some() {
            // It gets no further, but what it did is done.
            found.push(self.node(thread, At::Ended, Moment::default())?);
        }
        Ok(found.into_iter().map(|node| (event.clone(), node)).collect())
    }

    fn event(&mut self, thread: u32, at: (EdgeId, u32), mut moment: Moment) -> Result<Next, Why> {
        let stmt = self.stmt(thread, at).expect("a node stands before a statement");
        let event = match &stmt.op {
            Op::Load { place: Place::Var(var), .. } | Op::Rmw { place: Place::Var(var), .. } => {
                return Ok(Next::Reads(*var));
            }
            Op::Store { place: Place::Var(var), value, order } => {
                Some(ThreadEvent::Write(*var, *order, self.label(&moment, *var, *value)?))
            }
            Op::Fence(order) => Some(ThreadEvent::Fence(*order)),
            Op::Start { dst, args, .. } => {
                let started = Some((thread, at.0, at.1));
                let new = self.threads.iter().position(|other| other.started == started).expect("it is known") as u32;
                let params = &self.program.proc(self.threads[new as usize].proc).params;
                let mut given = Vec::new();
                for (param, arg) in params.iter().zip(args) {
                    given.push(self.label(&moment, *param, *arg)?);
                }
                self.receive(&mut moment, *dst, *dst, &Known::Thread(new));
                let event = Some(ThreadEvent::Starts(new));
                return Ok(Next::Edges(self.behind(thread, at, moment, event)?, Some((new, given))));
            }
            Op::Join { thread: handle, result } => {
                let event = match self.value(*handle, &moment) {
                    Known::Thread(other) => Some(ThreadEvent::Joins(other)),
                    _ => None,
                };
                if let Some(var) = result {
                    self.receive(&mut moment, *var, *var, &Known::Anything);
                }
                event
            }
            _ => {
                let end = self.node(thread, At::Ended, Moment::default())?;
                return Ok(Next::Edges(vec![(Some(ThreadEvent::Ends), end)], None));
            }
        };
        Ok(Next::Edges(self.behind(thread, at, moment, event)?, None))
    }

    /// What the read or update at a node is, and where it leads, if it finds this value.
    pub(super) fn after_read(
        &mut self,
        thread: u32,
        node: &ThreadNode,
        old: &Known,
    ) -> Result<Vec<(Option<ThreadEvent>, ThreadNode)>, Why> {
        let At::Inside(edge, at) = node.at else { return Ok(Vec::new()) };
        let mut moment = self.moment(node);
        match &self.stmt(thread, (edge, at)).expect("a node stands before a statement").op {
            Op::Load { dst, place: Place::Var(var), order } => {
                self.receive(&mut moment, *dst, *var, old);
                let event = ThreadEvent::Read(*var, *order, old.clone());
                self.behind(thread, (edge, at), moment, Some(event))
            }
            Op::Rmw { dst, place: Place::Var(var), wait, new, order, failure, .. } => {
                self.receive(&mut moment, *dst, *var, old);
                // The statement itself knows what it found, tracked or not.
                let kept = moment.known.get(dst).cloned();
                if let Known::Exactly(_) | Known::Thread(_) = old {
                    moment.known.insert(*dst, old.clone());
                }
                let mut ways: Vec<(ThreadEvent, Moment)> = Vec::new();
                if let Some(cond) = wait
                    && !self.assume(*cond, true, &mut moment)?
                {
                    return Ok(Vec::new());
                }
                let mut succeeds = moment.clone();
                let can_succeed = match failure {
                    Some(failure) => self.assume(failure.when, false, &mut succeeds)?,
                    None => true,
                };
                if can_succeed {
                    let new = self.label(&succeeds, *var, *new)?;
                    ways.push((ThreadEvent::Update(*var, *order, old.clone(), new), succeeds));
                }
                if let Some(failure) = failure
                    && self.assume(failure.when, true, &mut moment)?
                {
                    ways.push((ThreadEvent::Read(*var, failure.order, old.clone()), moment));
                }
                let mut found = Vec::new();
                for (event, mut moment) in ways {
                    match &kept {
                        Some(known) => moment.known.insert(*dst, known.clone()),
                        None => moment.known.remove(dst),
                    };
                    found.extend(self.behind(thread, (edge, at), moment, Some(event))?);
                }
                Ok(found)
            }
            _ => Ok(Vec::new()),
        }
    }
}
