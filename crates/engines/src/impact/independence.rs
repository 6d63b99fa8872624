//! Which steps may be left out after a step, since the other order of the two stands for both?
//!
//! Known as: monotonic partial order reduction \[Kahlon09], peephole partial order reduction \[Wang08], SKIP and LOOP of \[Wachter13]; preference orders \[Farzan22] where the order
//! depends on the place.
//!
//! Two steps next to each other that are independent need to be tried in one order only: that in which the thread that comes first in the order of threads goes first. The order is a
//! function of the place before the two, so among the equivalent interleavings of an execution there is a first one in the lexicographic order, and
//! it has no two neighbours the wrong way round. An execution that goes wrong in its last step, with as few steps as possible, does so in all its
//! equivalent interleavings: could the last step move forward, it would go wrong earlier. So it is enough to look at interleavings without such neighbours.
//!
//! With `lockstep` the order changes when a thread goes round a loop: then it is the turn of the next one, and iterations of loops that run side by side follow each other.
//! Whose turn it is belongs to the place, so that nodes which differ in it do not cover each other.
//!
//! A wait for the end of a thread and the end of another one are independent: once the wait is over, who was waited for has ended, so it is not who ends next. The other way round
//! they depend on each other, since the wait may have been for who has ended just now.
//!
//! Invariant: steps that are independent here commute in every state, and neither lets the other go on or stops it. A thread that is started, whoever is inside an
//! atomic section before or after, and a step that stays inside one depend on everything.

use crate::explore::targets::Targets;
use fixedbitset::FixedBitSet;
use ir::pass::{Components, reverse_post_order};
use ir::{Edge, EdgeRef, LocId, Op, ProcId, Program};

/// What an edge touches.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub(super) reads: FixedBitSet,
    pub(super) writes: FixedBitSet,
    /// Likewise, leaving out accesses with computed addresses.
    fixed_reads: FixedBitSet,
    fixed_writes: FixedBitSet,
    waits: bool,
    joins: bool,
    frees: bool,
    ends: bool,
    /// Whether it may leave the thread inside of an atomic section, beginning outside.
    stays_inside: bool,
    /// Whether it leads back in its automaton.
    pub(super) is_back: bool,
    /// Whether it may be taken more than once.
    pub(super) repeats: bool,
}

/// What all edges touch.
pub(super) struct Touches {
    by_edge: Vec<Vec<Touch>>,
    out: Vec<Vec<Vec<ir::EdgeId>>>,
}

/// Whether two steps depend on each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dependence {
    /// They commute.
    Never,
    /// They commute unless computed addresses meet.
    IfAddressesMeet,
    /// They may not commute.
    Always,
}

impl Touches {
    pub(super) fn new(program: &Program) -> Touches {
        let targets = Targets::new(program);
        let of_proc = |proc: &ir::Proc| {
            let order = reverse_post_order(proc, &proc.out_edges());
            let mut rank = vec![usize::MAX; proc.locs.len()];
            order.iter().enumerate().for_each(|(at, loc)| rank[loc.index()] = at);
            let components = Components::new(proc, &proc.out_edges());
            let touch = |edge: &Edge| {
                let is_back = rank[edge.to.index()] <= rank[edge.from.index()];
                Touch {
                    is_back,
                    repeats: components.is_repeated(edge.from, edge.to),
                    ..of_edge(program, &targets, edge)
                }
            };
            proc.edges.iter().map(touch).collect()
        };
        Touches {
            by_edge: program.procs.iter().map(of_proc).collect(),
            out: program.procs.iter().map(|proc| proc.out_edges()).collect(),
        }
    }

    pub(super) fn of(&self, edge: EdgeRef) -> &Touch {
        &self.by_edge[edge.proc.index()][edge.edge.index()]
    }

    /// The edges of a location.
    pub(super) fn edges(&self, proc: ProcId, loc: LocId) -> impl Iterator<Item = EdgeRef> + '_ {
        self.out[proc.index()][loc.index()].iter().map(move |edge| EdgeRef { proc, edge: *edge })
    }

    /// Whether a step and what another thread may do next depend on each other.
    pub(super) fn dependence(&self, step: EdgeRef, proc: ProcId, loc: LocId) -> Dependence {
        let mut worst = Dependence::Never;
        for other in self.edges(proc, loc) {
            let (a, b) = (self.of(step), self.of(other));
            // Whoever was waited for had ended before, and is not the one who goes on.
            if b.stays_inside || a.ends && b.joins {
                return Dependence::Always;
            }
            if conflict((&a.reads, &a.writes), (&b.reads, &b.writes)) {
                // If it is not about fixed places it involves a computed address.
                if a.frees || b.frees || conflict((&a.fixed_reads, &a.fixed_writes), (&b.fixed_reads, &b.fixed_writes))
                {
                    return Dependence::Always;
                }
                worst = Dependence::IfAddressesMeet;
            }
        }
        worst
    }

    /// Whether what a thread does next touches nothing that others see, and is no loop.
    pub(super) fn is_local(&self, proc: ProcId, loc: LocId) -> bool {
        let is_local = |edge: EdgeRef| {
            let touch = self.of(edge);
            let touches = !touch.reads.is_clear() || !touch.writes.is_clear();
            !(touches || touch.waits || touch.joins || touch.ends || touch.stays_inside || touch.is_back)
        };
        self.edges(proc, loc).all(is_local)
    }
}

fn conflict(
    (reads, writes): (&FixedBitSet, &FixedBitSet),
    (other_reads, other_writes): (&FixedBitSet, &FixedBitSet),
) -> bool {
    !writes.is_disjoint(other_reads) || !writes.is_disjoint(other_writes) || !reads.is_disjoint(other_writes)
}

fn of_edge(program: &Program, targets: &Targets, edge: &Edge) -> Touch {
    let none = FixedBitSet::with_capacity(targets.len());
    let mut touch = Touch {
        reads: none.clone(),
        writes: none.clone(),
        fixed_reads: none.clone(),
        fixed_writes: none,
        waits: false,
        joins: false,
        frees: false,
        ends: false,
        stays_inside: false,
        is_back: false,
        repeats: false,
    };
    let mut depth = 0i32;
    for stmt in &edge.stmts {
        for access in stmt.accesses() {
            let is_computed = match access.target {
                ir::access::Target::Mem { addr, .. } => program.pool.as_const(addr).is_none(),
                _ => false,
            };
            if access.kind.reads() {
                targets.add(program, &access, &mut touch.reads);
                if !is_computed {
                    targets.add(program, &access, &mut touch.fixed_reads);
                }
            }
            if access.kind.writes() {
                targets.add(program, &access, &mut touch.writes);
                if !is_computed {
                    targets.add(program, &access, &mut touch.fixed_writes);
                }
            }
        }
        match &stmt.op {
            Op::Rmw { wait, .. } => touch.waits |= wait.is_some(),
            Op::Join { .. } => (touch.waits, touch.joins) = (true, true),
            Op::ExitThread(_) | Op::Return(_) | Op::ExitProcess { .. } => touch.ends = true,
            Op::Free { .. } => touch.frees = true,
            Op::AtomicBegin => depth += 1,
            Op::AtomicEnd => depth -= 1,
            _ => {}
        }
    }
    touch.stays_inside = depth > 0;
    touch
}

/// The rank of a thread when it is the turn of another one.
pub(super) fn rank(turn: u32, thread: u32) -> u32 {
    thread.wrapping_sub(turn)
}
