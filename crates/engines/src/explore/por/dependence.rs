//! Can the order of two steps matter? What a thread does next, what it may still do, and when the two are in conflict.
//!
//! Known as: dependence (or independence) relation, conflicting accesses, *future actions*, may-enable relation; \[Telbisz24] ch. 3.2.1 and 3.3.
//!
//! `Next` is what an engine knows about the next step of a thread in a state; `Future` is what a thread may touch from a location on, itself
//! or through threads that it starts: a search in its automaton, done once for every location, backward, as sets of targets. Which targets of
//! a step count is up to the engine: all of them (the syntactic relation), or those that an abstraction knows something about (the
//! abstraction-based one).
//!
//! Invariant: whatever a thread at a location does later is in its future. Steps that neither conflict nor let each other go on commute.

use super::super::targets::{PROCESS, THREADS, TargetId, Targets};
use fixedbitset::FixedBitSet;
use ir::pass::reverse_post_order;
use ir::{Callee, Op, Order, ProcId, Program};
use smallvec::SmallVec;

/// Some targets.
pub type TargetList = SmallVec<[TargetId; 4]>;

/// Whom a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Joins {
    /// Nobody.
    #[default]
    Nobody,
    /// This thread, which has not ended.
    Thread(usize),
    /// It is not known.
    Anybody,
}

/// What a thread can do in a state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Next {
    /// Whether it may take a step; if not, it surely waits.
    pub can_run: bool,
    /// What its steps read, tried ones that cannot be taken included.
    pub reads: TargetList,
    /// What its steps write.
    pub writes: TargetList,
    /// What its steps read of objects that only it can name now. Others cannot touch them any more, but may have done so before.
    pub own_reads: TargetList,
    /// Likewise what they write or end.
    pub own_writes: TargetList,
    /// Whom it waits for.
    pub joins: Joins,
    /// Whether all others must run as well: a step may end them or keep them from running.
    pub needs_all: bool,
    /// Whether it stands in a loop, as far as anybody wants to know.
    pub is_in_loop: bool,
}

impl Next {
    /// Forgets everything.
    pub fn clear(&mut self) {
        for list in [&mut self.reads, &mut self.writes, &mut self.own_reads, &mut self.own_writes] {
            list.clear();
        }
        (self.can_run, self.joins, self.needs_all, self.is_in_loop) = (false, Joins::Nobody, false, false);
    }

    /// Whether it matters for the step what another thread with this future does before it. If the step can be taken, what conflicts with it
    /// matters; if the thread waits, only what may let it go on.
    pub fn depends_on(&self, other: usize, future: &Future) -> bool {
        let ends_wait = match self.joins {
            Joins::Nobody => false,
            Joins::Thread(joined) => joined == other || future.writes.contains(THREADS as usize),
            Joins::Anybody => true,
        };
        ends_wait
            || match self.can_run {
                true => future.conflicts(&self.reads, &self.writes),
                false => future.may_write(&self.reads) || future.may_write(&self.writes),
            }
    }
}

/// What may be touched from now on: targets that may be read and written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Future {
    /// Those that may be read.
    pub reads: FixedBitSet,
    /// Those that may be written.
    pub writes: FixedBitSet,
}

impl Future {
    /// Nothing.
    pub fn new(targets: &Targets) -> Future {
        let none = FixedBitSet::with_capacity(targets.len());
        Future { reads: none.clone(), writes: none }
    }

    /// Whether it may touch what is read, or read or touch what is written.
    pub fn conflicts(&self, reads: &[TargetId], writes: &[TargetId]) -> bool {
        let read_by_other = |target: &TargetId| self.writes.contains(*target as usize);
        let written_by_other = |target: &TargetId| read_by_other(target) || self.reads.contains(*target as usize);
        writes.iter().any(written_by_other) || reads.iter().any(read_by_other)
    }

    /// Whether it may write one of these.
    pub fn may_write(&self, targets: &[TargetId]) -> bool {
        targets.iter().any(|target| self.writes.contains(*target as usize))
    }

    /// Takes in what another one may touch. Whether that is more.
    pub fn add(&mut self, other: &Future) -> bool {
        let before = self.reads.count_ones(..) + self.writes.count_ones(..);
        self.reads.union_with(&other.reads);
        self.writes.union_with(&other.writes);
        self.reads.count_ones(..) + self.writes.count_ones(..) != before
    }
}

/// The future of every location of every procedure, by `ProcId` and `LocId`.
pub fn futures(program: &Program, targets: &Targets) -> Vec<Vec<Future>> {
    let nothing = Future::new(targets);
    let mut futures: Vec<Vec<Future>> =
        program.procs.iter().map(|proc| vec![nothing.clone(); proc.locs.len()]).collect();
    let own: Vec<Vec<Future>> = (0..program.procs.len())
        .map(|index| {
            let edges = &program.procs[index].edges;
            edges.iter().map(|edge| of_edge(program, targets, ProcId(index as u32), edge)).collect()
        })
        .collect();
    let order: Vec<Vec<ir::LocId>> = program
        .procs
        .iter()
        .map(|proc| {
            let mut order = reverse_post_order(proc, &proc.out_edges());
            order.reverse();
            order
        })
        .collect();
    loop {
        let mut changed = false;
        for (index, proc) in program.procs.iter().enumerate() {
            let out = proc.out_edges();
            for loc in &order[index] {
                let mut future = futures[index][loc.index()].clone();
                for edge_id in &out[loc.index()] {
                    let edge = &proc.edges[edge_id.index()];
                    changed |= future.add(&own[index][edge_id.index()]);
                    changed |= future.add(&futures[index][edge.to.index()]);
                    for started in started(program, edge) {
                        let entry = program.proc(started).entry;
                        changed |= future.add(&futures[started.index()][entry.index()]);
                    }
                }
                futures[index][loc.index()] = future;
            }
        }
        if !changed {
            return futures;
        }
    }
}

fn of_edge(program: &Program, targets: &Targets, proc: ProcId, edge: &ir::Edge) -> Future {
    let mut future = Future::new(targets);
    for stmt in &edge.stmts {
        // Nobody can touch a guarded place while that matters to somebody else.
        for access in stmt.accesses().into_iter().filter(|access| access.order != Order::Guarded) {
            if access.kind.reads() {
                targets.add(program, &access, &mut future.reads);
            }
            if access.kind.writes() {
                targets.add(program, &access, &mut future.writes);
            }
        }
        if matches!(stmt.op, Op::Return(_)) && proc == program.main {
            future.writes.insert(PROCESS as usize);
        }
    }
    future
}

/// The procedures that an edge may start.
fn started(program: &Program, edge: &ir::Edge) -> Vec<ProcId> {
    let mut started = Vec::new();
    for stmt in &edge.stmts {
        match &stmt.op {
            Op::Start { callee: Callee::Proc(proc), .. } => started.push(*proc),
            Op::Start { callee: Callee::Pointer(_), .. } => {
                started.extend((0..program.procs.len() as u32).map(ProcId));
            }
            _ => {}
        }
    }
    started
}
