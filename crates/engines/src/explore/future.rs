//! What may a thread still touch? Everything that its automaton can reach from where it stands, and the threads it may start.
//!
//! This is the over-approximation of *future actions* in 000 ch. 3.3: a graph search in the automaton of the thread.
//! It is computed once for every location, backward, as sets of targets that may be read and written.
//!
//! Invariant: whatever a thread at a location does later, itself or through threads that it starts, is in its future.

use super::targets::{PROCESS, TargetId, Targets};
use fixedbitset::FixedBitSet;
use ir::pass::reverse_post_order;
use ir::{Callee, Op, ProcId, Program};

/// Targets that may be read and written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Those that may be read.
    pub reads: FixedBitSet,
    /// Those that may be written.
    pub writes: FixedBitSet,
}

impl Summary {
    /// Nothing.
    pub fn new(targets: &Targets) -> Summary {
        let none = FixedBitSet::with_capacity(targets.len());
        Summary { reads: none.clone(), writes: none }
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

    fn add(&mut self, other: &Summary) -> bool {
        let before = self.reads.count_ones(..) + self.writes.count_ones(..);
        self.reads.union_with(&other.reads);
        self.writes.union_with(&other.writes);
        self.reads.count_ones(..) + self.writes.count_ones(..) != before
    }
}

/// The future of every location of every procedure, by `ProcId` and `LocId`.
pub fn futures(program: &Program, targets: &Targets) -> Vec<Vec<Summary>> {
    let nothing = Summary::new(targets);
    let mut futures: Vec<Vec<Summary>> =
        program.procs.iter().map(|proc| vec![nothing.clone(); proc.locs.len()]).collect();
    let own: Vec<Vec<Summary>> = (0..program.procs.len())
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
                let mut summary = futures[index][loc.index()].clone();
                for edge_id in &out[loc.index()] {
                    let edge = &proc.edges[edge_id.index()];
                    changed |= summary.add(&own[index][edge_id.index()]);
                    changed |= summary.add(&futures[index][edge.to.index()]);
                    for started in started(program, edge) {
                        let entry = program.proc(started).entry;
                        changed |= summary.add(&futures[started.index()][entry.index()]);
                    }
                }
                futures[index][loc.index()] = summary;
            }
        }
        if !changed {
            return futures;
        }
    }
}

fn of_edge(program: &Program, targets: &Targets, proc: ProcId, edge: &ir::Edge) -> Summary {
    let mut summary = Summary::new(targets);
    for stmt in &edge.stmts {
        for access in stmt.accesses() {
            if access.kind.reads() {
                targets.add(program, &access, &mut summary.reads);
            }
            if access.kind.writes() {
                targets.add(program, &access, &mut summary.writes);
            }
        }
        if matches!(stmt.op, Op::Return(_)) && proc == program.main {
            summary.writes.insert(PROCESS as usize);
        }
    }
    summary
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
