//! What may a thread do next, and later, from each location? Static tables for engines that explore abstract states.
//!
//! Known as: static dependence information, enabled and future actions of a location \[Telbisz24].
//!
//! For each location: the edges that leave it, what they touch, whether they may have to wait, and whether they may end the process. What a
//! thread touches inside an atomic section counts from its beginning on, since nobody else runs in between. With a set of targets that
//! matter (those about which the abstraction knows something) the tables are those of the abstraction-based dependency relation of
//! \[Telbisz24] ch. 3.2.1; with all targets, those of the syntactic one.
//!
//! Invariant: if a step of one thread may disable, enable or not commute with a step of another, they have a target in common that one of them
//! writes, or one waits for the other to end, or one ends the process.

use super::por::dependence::{Future, futures};
use super::targets::{PROCESS, THREADS, TargetId, Targets};
use fixedbitset::FixedBitSet;
use ir::pass::Components;
use ir::{EdgeId, LocId, Op, ProcId, Program, Properties, Property};

/// What a thread may do next from a location.
#[derive(Clone, Debug, Default)]
pub struct Outgoing {
    /// The edges.
    pub edges: Vec<EdgeId>,
    /// What they read.
    pub reads: Vec<TargetId>,
    /// What they write.
    pub writes: Vec<TargetId>,
    /// Whether one of them waits, for a cell or a thread.
    pub may_wait: bool,
    /// Whether one of them waits for a thread.
    pub may_join: bool,
    /// Whether one of them may end the process, or enter an atomic section that another edge ends, if any: then nobody else may run, perhaps
    /// for ever.
    pub may_end: bool,
    /// Whether the location is on a cycle.
    pub is_in_loop: bool,
}

/// The tables of a program whose procedures are threads.
#[derive(Clone, Debug)]
pub struct Actions {
    /// What can be touched.
    pub targets: Targets,
    next: Vec<Vec<Outgoing>>,
    futures: Vec<Vec<Future>>,
    /// Targets that matter whatever the abstraction knows.
    structural: FixedBitSet,
}

impl Actions {
    /// Analyses a program.
    pub fn new(program: &Program, properties: Properties) -> Actions {
        let targets = Targets::new(program);
        let futures = futures(program, &targets);
        let next =
            (0..program.procs.len() as u32).map(|proc| of_proc(program, properties, &targets, ProcId(proc))).collect();
        let mut structural = FixedBitSet::with_capacity(targets.len());
        structural.extend([THREADS as usize, PROCESS as usize]);
        let mut stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
        if stmts.any(|stmt| matches!(stmt.op, Op::Free { .. })) {
            structural
                .extend((0..program.regions.len() as u32).map(|id| targets.of_dynamic(ir::RegionId(id)) as usize));
        }
        Actions { targets, next, futures, structural }
    }

    /// What a thread may do next.
    pub fn next(&self, proc: ProcId, loc: LocId) -> &Outgoing {
        &self.next[proc.index()][loc.index()]
    }

    /// What a thread may touch from a location on.
    pub fn future(&self, proc: ProcId, loc: LocId) -> &Future {
        &self.futures[proc.index()][loc.index()]
    }

    /// All targets.
    pub fn all(&self) -> FixedBitSet {
        let mut all = FixedBitSet::with_capacity(self.targets.len());
        all.insert_range(..);
        all
    }

    /// The targets that matter whatever the abstraction knows.
    pub fn structural(&self) -> &FixedBitSet {
        &self.structural
    }
}

fn of_proc(program: &Program, properties: Properties, targets: &Targets, id: ProcId) -> Vec<Outgoing> {
    let proc = program.proc(id);
    let out = proc.out_edges();
    let components = Components::new(proc, &out);
    let mut reads = vec![FixedBitSet::with_capacity(targets.len()); proc.locs.len()];
    let mut writes = reads.clone();
    let mut next: Vec<Outgoing> =
        (0..proc.locs.len()).map(|loc| Outgoing { edges: out[loc].clone(), ..Outgoing::default() }).collect();
    for edge in &proc.edges {
        let from = edge.from.index();
        for stmt in &edge.stmts {
            for access in stmt.accesses() {
                if access.kind.reads() {
                    targets.add(program, &access, &mut reads[from]);
                }
                if access.kind.writes() {
                    targets.add(program, &access, &mut writes[from]);
                }
            }
            next[from].may_wait |= matches!(stmt.op, Op::Rmw { wait: Some(_), .. } | Op::Join { .. });
            next[from].may_join |= matches!(stmt.op, Op::Join { .. });
            next[from].may_end |= match &stmt.op {
                Op::ExitProcess { .. } => true,
                Op::Return(_) => id == program.main,
                Op::Check { kind, .. } => Property::of_check(kind).is_some_and(|property| !properties.has(property)),
                _ => false,
            };
        }
        next[from].is_in_loop |= components.is_repeated(edge.from, edge.to);
    }
    let depth = depths(program, id, &out);
    loop {
        let mut changed = false;
        for edge in proc.edges.iter().filter(|edge| depth[edge.to.index()] > 0) {
            for set in [&mut reads, &mut writes] {
                let inside = set[edge.to.index()].clone();
                if !inside.is_subset(&set[edge.from.index()]) {
                    set[edge.from.index()].union_with(&inside);
                    changed = true;
                }
            }
            let may_join = next[edge.to.index()].may_join;
            let from = &mut next[edge.from.index()];
            changed |= !from.may_end || may_join && !from.may_join;
            from.may_end = true;
            from.may_join |= may_join;
        }
        if !changed {
            break;
        }
    }
    for (loc, next) in next.iter_mut().enumerate() {
        next.reads = reads[loc].ones().map(|target| target as TargetId).collect();
        next.writes = writes[loc].ones().map(|target| target as TargetId).collect();
    }
    next
}

/// In how many atomic sections a thread can be at each location, at most; more than a few count as a few.
fn depths(program: &Program, id: ProcId, out: &[Vec<EdgeId>]) -> Vec<u32> {
    let proc = program.proc(id);
    let mut depth = vec![0; proc.locs.len()];
    let mut open = vec![proc.entry];
    let mut seen = FixedBitSet::with_capacity(proc.locs.len());
    seen.insert(proc.entry.index());
    while let Some(loc) = open.pop() {
        for edge in &out[loc.index()] {
            let edge = &proc.edges[edge.index()];
            let mut after: u32 = depth[loc.index()];
            for stmt in &edge.stmts {
                match stmt.op {
                    Op::AtomicBegin => after += 1,
                    Op::AtomicEnd => after = after.saturating_sub(1),
                    _ => {}
                }
            }
            let after = after.min(4);
            if after > depth[edge.to.index()] || !seen.contains(edge.to.index()) {
                depth[edge.to.index()] = depth[edge.to.index()].max(after);
                seen.insert(edge.to.index());
                open.push(edge.to);
            }
        }
    }
    depth
}
