//! What does symbolic execution work on? The program, the event graph, memory, and what may be taken for granted.
//!
//! The executor owns one struct for each concern and has the few operations that all statements share: evaluating terms, strengthening
//! the guard of a step, noting that something may go wrong. How statements run is in `statements`, how threads do in `symbolic_execution`.

use super::control_flow::Flow;
use super::state::{Go, Stop, Walk};
use super::threads::Threads;
use crate::Run;
use crate::bmc::accesses::event_graph::EventGraph;
use crate::bmc::accesses::objects::Objects;
use crate::bmc::accesses::write_log::Logs;
use crate::bmc::bounds::LoopBound;
use crate::bmc::reductions::Known;
use crate::bmc::reductions::forwarding::Forwarding;
use crate::bmc::reductions::lipton_reduction::PutOff;
use crate::bmc::unrolled::{Bad, BadKind, Findings};
use ir::pass::Sharing;
use ir::{Place, Program, Properties, RegionId, Scope, Why};
use logic::{Sort, TermId, Value, VarId};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::rc::Rc;

/// How far loops are unrolled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Rounds of loops whose number of rounds is not known.
    pub(crate) rounds: u32,
    /// Rounds of loops that constants decide.
    pub(crate) decided: u32,
    /// Rounds of loops by line, set by the user.
    pub(crate) by_line: Vec<LoopBound>,
    /// Steps in all.
    pub(crate) records: usize,
    /// Whether accesses at constant offsets are taken for accesses to cells.
    pub(crate) by_cells: bool,
    pub(crate) skipping: Skipping,
}

/// Whether rounds that change variables may be skipped (`reductions::skippable_rounds`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skipping {
    Never,
    /// If no dependency is new to the execution.
    SameDependencies,
    /// The model knows of no dependencies.
    Always,
}

/// How far, and for how long, to unroll.
pub(crate) struct Control<'a> {
    /// The control flow of each procedure.
    pub(crate) flows: Vec<Rc<Flow>>,
    pub(crate) bounds: &'a Bounds,
    pub(crate) run: &'a mut Run,
}

/// Memory that needs no events: what it holds at first, and what threads have to themselves.
pub(crate) struct Memory {
    /// What others may notice.
    pub(crate) sharing: Sharing,
    pub(crate) objects: Objects,
    pub(crate) logs: Logs,
    /// Places whose accesses order what stands around them, where axioms judge: they see that, whoever knows the place.
    pub(crate) ordering: (FxHashSet<VarId>, FxHashSet<RegionId>),
}

impl Memory {
    /// Whether an access to a place that one thread has to itself is an event all the same.
    pub(crate) fn is_ordering(&self, place: &Place) -> bool {
        match place {
            Place::Var(var) => self.ordering.0.contains(var),
            Place::Mem { region, .. } => self.ordering.1.contains(region),
        }
    }
}

/// The execution of all threads.
pub(crate) struct Executor<'a> {
    pub(crate) program: &'a Program,
    pub(crate) properties: Properties,
    pub(crate) control: Control<'a>,
    pub(crate) graph: EventGraph,
    pub(crate) memory: Memory,
    pub(crate) threads: Threads,
    pub(crate) forwarding: Forwarding,
    pub(crate) put_off: PutOff,
    /// What earlier unrollings have found.
    pub(crate) known: &'a mut Known,
    pub(crate) found: Findings,
}

impl Executor<'_> {
    /// The value of a variable among others; what was given none has its first one.
    pub(crate) fn lookup(&mut self, env: &[(VarId, TermId)], var: VarId) -> TermId {
        if let Ok(at) = env.binary_search_by_key(&var, |(var, _)| *var) {
            return env[at].1;
        }
        let value = match (self.program.var(var).scope, &self.program.var(var).init) {
            (Scope::Thread, Some(value)) => value.clone(),
            _ => Value::zero(self.graph.pool.var_sort(var)),
        };
        self.graph.pool.constant(value)
    }

    /// The value of a term in a state.
    pub(crate) fn eval(&mut self, walk: &Walk, term: TermId) -> TermId {
        self.eval_in(&walk.state.env, term)
    }

    /// The value of a term over variables with these values.
    pub(crate) fn eval_in(&mut self, env: &[(VarId, TermId)], term: TermId) -> TermId {
        if self.graph.pool.as_const(term).is_some() {
            return term;
        }
        let mut vars: SmallVec<[VarId; 8]> = SmallVec::new();
        self.graph.pool.for_each_free_var(term, &mut |var| vars.push(var));
        let values: SmallVec<[(VarId, TermId); 8]> = vars.into_iter().map(|var| (var, self.lookup(env, var))).collect();
        let value_of = |var: VarId| values.iter().find(|(other, _)| *other == var).map(|(_, value)| *value);
        self.graph.pool.substitute(term, &value_of)
    }

    /// The step goes on only if a condition holds, as if it had been taken only then.
    pub(crate) fn assume(&mut self, walk: &mut Walk, cond: TermId) -> Go {
        if self.graph.is_true(cond) {
            return Ok(());
        }
        let EventGraph { pool, points, events, .. } = &mut self.graph;
        // What was done before the step went wrong, if it has, stays done: that it went wrong may rest on it.
        let here = walk.state.point;
        let reached = points.guard(here);
        let unless_wrong = pool.implies(reached, cond);
        if walk.record.starts.is_empty() {
            points.narrow(pool, walk.state.point, cond);
        } else {
            walk.state.point = points.child(pool, walk.state.point, cond);
        }
        for read in &walk.reads {
            let read = &mut events.reads[*read];
            read.guard = pool.and(read.guard, if read.point == here { cond } else { unless_wrong });
        }
        for write in &walk.writes {
            let write = &mut events.writes[*write];
            write.guard = pool.and(write.guard, if write.point == here { cond } else { unless_wrong });
        }
        self.alive(walk)
    }

    /// The step goes on only if a condition holds; what it did stays done.
    pub(crate) fn require(&mut self, walk: &mut Walk, cond: TermId) -> Go {
        if self.graph.is_true(cond) {
            return Ok(());
        }
        walk.state.point = self.graph.points.child(&mut self.graph.pool, walk.state.point, cond);
        self.alive(walk)
    }

    fn alive(&self, walk: &Walk) -> Go {
        let guard = self.graph.points.guard(walk.state.point);
        if self.graph.is_false(guard) { Err(Stop::End) } else { Ok(()) }
    }

    /// Something goes wrong if a condition does not hold.
    pub(crate) fn bad_unless(&mut self, walk: &Walk, cond: TermId, what: BadKind) {
        let not = self.graph.pool.not(cond);
        let guard = self.graph.points.guard(walk.state.point);
        let mut guard = self.graph.pool.and(guard, not);
        if self.graph.is_false(guard) {
            return;
        }
        let mut stop = None;
        if let (true, Some(node)) = (walk.is_inside(), walk.state.section) {
            // The section stops here, or does not happen at all.
            let stops = self.graph.fresh("stops", Sort::Bool);
            guard = self.graph.pool.and(guard, stops);
            self.graph.atomic.stop(node, guard);
            stop = Some(stops);
        }
        let record = self.found.next_record(walk.thread);
        self.found.bads.push(Bad { guard, what, thread: walk.thread, record, stop });
    }

    /// An execution that leaves the model here.
    pub(crate) fn beyond(&mut self, walk: &Walk, why: Why) -> Stop {
        let no = self.graph.pool.bool(false);
        self.bad_unless(walk, no, BadKind::Beyond(why));
        Stop::End
    }
}
