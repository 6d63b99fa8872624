//! How is one step executed? Its statements one after the other, on terms, as one step that is taken whole or not at all.
//!
//! An assumption makes the step's own guard stronger, and with it the guards of what the step has done already; a requirement (a check that
//! holds, an address that is valid) only that of what follows. What happens inside of an atomic section counts only if the section comes to
//! its end, so it is noted where ways leave it.

use crate::bmc::unroll::spin_loops::{Did, note};
use crate::bmc::unroll::symbolic_execution::{Executor, State};
use crate::bmc::unrolled::{Bad, BadKind, Record};
use ir::{EdgeId, Op, ProcId, Why};
use logic::{Sort, TermId, Value, VarId};
use smallvec::SmallVec;

/// A step being executed.
pub(crate) struct Walk {
    pub(crate) thread: u32,
    pub(crate) state: State,
    pub(crate) record: Record,
    /// The events of the step.
    pub(crate) reads: Vec<usize>,
    pub(crate) writes: Vec<usize>,
    /// Whether all accesses of the step are one.
    pub(crate) is_group: bool,
    /// The node of the step.
    pub(crate) node: Option<u32>,
    /// Whether the step's access comes after all stores of the thread have reached memory.
    pub(crate) is_fence: bool,
    /// The statement that stores, while it does.
    pub(crate) store: Option<ir::SiteId>,
    /// When the step's store reaches memory, if it is buffered.
    pub(crate) commit: Option<u32>,
    /// The statement.
    pub(crate) stmt: u32,
    pub(crate) edge: EdgeId,
    pub(crate) proc: ProcId,
    pub(crate) variant: Variant,
    /// What it does that matters to loops.
    pub(crate) did: Did,
}

/// How a step waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Variant {
    /// It need not, or nothing depends on it.
    Any,
    /// It is in an atomic section and goes on at once.
    AtOnce,
    /// It is in an atomic section, which opens since it has to wait.
    Opens,
}

/// Why a way ends.
pub(crate) enum Stop {
    /// It ends here.
    End,
    /// Unrolling must end.
    Why(Why),
}

pub(crate) type Go<T = ()> = Result<T, Stop>;

/// The ways to take an edge: inside of an atomic section that has accessed something, waiting opens the section.
pub(crate) fn variants(state: &State, edge: &ir::Edge) -> &'static [Variant] {
    let first = edge.stmts.iter().find(|stmt| !stmt.accesses().is_empty());
    let waits = first.is_some_and(|stmt| matches!(stmt.op, Op::Rmw { wait: Some(_), .. } | Op::Join { .. }));
    if waits && state.depth > 0 && state.section.is_some() {
        &[Variant::AtOnce, Variant::Opens]
    } else {
        &[Variant::Any]
    }
}

impl Executor<'_> {
    pub(crate) fn take(
        &mut self,
        thread: u32,
        proc: ProcId,
        (id, variant): (EdgeId, Variant),
        state: &State,
    ) -> Result<Option<(State, u32)>, Why> {
        self.out.n_records += 1;
        if self.out.n_records > self.bounds.records {
            return Err(Why::Bound(format!("the unrolled program has more than {} steps", self.bounds.records)));
        }
        let program = self.program;
        let edge = &program.proc(proc).edges[id.index()];
        let yes = self.pool.bool(true);
        let mut state = state.clone();
        state.point = self.points.child(&mut self.pool, state.point, yes);
        let record = Record {
            edge: id,
            guard: yes,
            point: 0,
            node: None,
            commit: None,
            drains: false,
            inputs: SmallVec::new(),
            is_inside: false,
            starts: SmallVec::new(),
        };
        let n_visible = edge.stmts.iter().filter(|stmt| !stmt.accesses().is_empty()).count();
        let mut walk = Walk {
            thread,
            state,
            record,
            reads: Vec::new(),
            writes: Vec::new(),
            is_group: n_visible > 1,
            node: None,
            store: None,
            commit: None,
            is_fence: edge.stmts.iter().any(|stmt| ir::pass::drains(&stmt.op)),
            stmt: 0,
            edge: id,
            proc,
            variant,
            did: Did::Nothing,
        };
        let mut result = Ok(());
        for (at, stmt) in edge.stmts.iter().enumerate() {
            walk.stmt = at as u32;
            result = self.stmt(&mut walk, stmt);
            if result.is_err() {
                break;
            }
        }
        if walk.is_group && walk.state.depth == 0 && result.is_ok() {
            self.leave_section(&mut walk);
        }
        note(&mut walk.state, walk.did);
        walk.record.guard = self.points.guard(walk.state.point);
        walk.record.point = walk.state.point;
        walk.record.is_inside = walk.state.depth > 0;
        let index = self.out.threads[thread as usize].records.len() as u32;
        self.out.threads[thread as usize].records.push(walk.record);
        match result {
            Ok(()) => Ok(Some((walk.state, index))),
            Err(Stop::End) => Ok(None),
            Err(Stop::Why(why)) => Err(why),
        }
    }

    /// The value of a term in a state.
    pub(crate) fn eval(&mut self, walk: &Walk, term: TermId) -> TermId {
        self.eval_in(&walk.state.env, term)
    }

    pub(crate) fn eval_in(&mut self, env: &[(VarId, TermId)], term: TermId) -> TermId {
        if self.pool.as_const(term).is_some() {
            return term;
        }
        let mut vars: SmallVec<[VarId; 8]> = SmallVec::new();
        self.pool.for_each_free_var(term, &mut |var| vars.push(var));
        let values: SmallVec<[(VarId, TermId); 8]> = vars.into_iter().map(|var| (var, self.lookup(env, var))).collect();
        self.pool.substitute(term, &|var| values.iter().find(|(other, _)| *other == var).map(|(_, value)| *value))
    }

    /// Gives a variable a value.
    pub(crate) fn set(&mut self, walk: &mut Walk, var: VarId, value: TermId) {
        match walk.state.env.binary_search_by_key(&var, |(var, _)| *var) {
            Ok(at) => walk.state.env[at].1 = value,
            Err(at) => walk.state.env.insert(at, (var, value)),
        }
    }

    /// A variable of the solver.
    pub(crate) fn fresh(&mut self, name: &str, sort: Sort) -> TermId {
        let var = self.pool.declare(name, sort);
        self.pool.var(var)
    }

    /// The step goes on only if a condition holds, as if it had been taken only then.
    pub(crate) fn assume(&mut self, walk: &mut Walk, cond: TermId) -> Go {
        if self.pool.as_const(cond) == Some(&Value::Bool(true)) {
            return Ok(());
        }
        // What was done before the step went wrong, if it has, stays done: that it went wrong may rest on it.
        let here = walk.state.point;
        let reached = self.points.guard(here);
        let unless_wrong = self.pool.implies(reached, cond);
        if walk.record.starts.is_empty() {
            self.points.narrow(&mut self.pool, walk.state.point, cond);
        } else {
            walk.state.point = self.points.child(&mut self.pool, walk.state.point, cond);
        }
        for read in &walk.reads {
            let read = &mut self.events.reads[*read];
            read.guard = self.pool.and(read.guard, if read.point == here { cond } else { unless_wrong });
        }
        for write in &walk.writes {
            let write = &mut self.events.writes[*write];
            write.guard = self.pool.and(write.guard, if write.point == here { cond } else { unless_wrong });
        }
        self.alive(walk)
    }

    /// The step goes on only if a condition holds; what it did stays done.
    pub(crate) fn require(&mut self, walk: &mut Walk, cond: TermId) -> Go {
        if self.pool.as_const(cond) == Some(&Value::Bool(true)) {
            return Ok(());
        }
        walk.state.point = self.points.child(&mut self.pool, walk.state.point, cond);
        self.alive(walk)
    }

    fn alive(&self, walk: &Walk) -> Go {
        let guard = self.points.guard(walk.state.point);
        if self.pool.as_const(guard) == Some(&Value::Bool(false)) { Err(Stop::End) } else { Ok(()) }
    }

    /// The atomic section ends, or opens while its thread waits.
    pub(crate) fn leave_section(&mut self, walk: &mut Walk) {
        if let Some(node) = walk.state.section.take() {
            self.section_ends.entry(node).or_default().0.push(walk.state.point);
        }
    }

    /// Something goes wrong if a condition does not hold.
    pub(crate) fn bad_unless(&mut self, walk: &Walk, cond: TermId, what: BadKind) {
        let not = self.pool.not(cond);
        let guard = self.points.guard(walk.state.point);
        let mut guard = self.pool.and(guard, not);
        if self.pool.as_const(guard) != Some(&Value::Bool(false)) {
            let mut stop = None;
            if let (true, Some(node)) = (walk.state.depth > 0 || walk.is_group, walk.state.section) {
                // The section stops here, or does not happen at all.
                let stops = self.fresh("stops", Sort::Bool);
                guard = self.pool.and(guard, stops);
                self.section_ends.entry(node).or_default().1.push(guard);
                stop = Some(stops);
            }
            let record = self.out.threads[walk.thread as usize].records.len() as u32;
            self.out.bads.push(Bad { guard, what, thread: walk.thread, record, stop });
        }
    }
}
