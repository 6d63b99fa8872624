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
//! What was left out stays so (`sleep`) until somebody does something that depends on it: it could be moved to where it was left out first, before a step of a thread that comes later. Known as:
//! sleep sets \[Godefroid96].
//!
//! With `lockstep` the order changes when a thread goes round a loop: then it is the turn of the next one, and iterations of loops that run side by side follow each other.
//! Whose turn it is belongs to the place, so that nodes which differ in it do not cover each other.
//!
//! A wait for the end of a thread and the end of another one are independent: once the wait is over, who was waited for has ended, so it is not who ends next. The other way round
//! they depend on each other, since the wait may have been for who has ended just now.
//!
//! An atomic section of several edges is one action, since nobody runs in between: it depends on what one of its edges depends on. That is so where the section neither waits, nor goes
//! round, nor starts threads. Races with something inside of it show only while it lasts, though: where what another thread does next may race with it, it is not left out.
//!
//! Invariant: steps that are independent here commute in every state, and neither lets the other go on or stops it. A thread that is started, and a step that may leave its thread
//! inside of a section which is no action, depend on everything.

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
    /// Likewise, leaving out accesses that are atomic or in a section.
    plain_reads: FixedBitSet,
    plain_writes: FixedBitSet,
    waits: bool,
    joins: bool,
    frees: bool,
    ends: bool,
    starts: bool,
    /// By how much atomic sections are deeper after it.
    depth: i32,
    /// Whether this is about several edges of a section.
    is_section: bool,
    /// Whether it belongs to an atomic section that is no action.
    is_unbounded: bool,
    /// Whether it leads back in its automaton.
    pub(super) is_back: bool,
    /// Whether it may be taken more than once.
    pub(super) repeats: bool,
}

/// What all edges touch.
pub(super) struct Touches {
    by_edge: Vec<Vec<Touch>>,
    /// With all that may have been done in the same atomic section before.
    behind: Vec<Vec<Touch>>,
    /// With all that may be done in the same atomic section afterwards.
    ahead: Vec<Vec<Touch>>,
    out: Vec<Vec<Vec<ir::EdgeId>>>,
}

/// Whether two steps depend on each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Dependence {
    /// They commute.
    Never,
    /// They commute unless computed addresses meet.
    IfAddressesMeet,
    /// They commute unless their outcome depends on who goes first.
    UnlessTheyCommute,
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
        let by_edge: Vec<Vec<Touch>> = program.procs.iter().map(of_proc).collect();
        let actions = |is_ahead: bool| {
            let of_proc = |(proc, own): (&ir::Proc, &Vec<Touch>)| {
                let sections = Sections::new(proc);
                (0..own.len()).map(|edge| sections.action(proc, own, edge, is_ahead)).collect()
            };
            program.procs.iter().zip(&by_edge).map(of_proc).collect()
        };
        Touches {
            behind: actions(false),
            ahead: actions(true),
            by_edge,
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

    /// Whether a step by one of some edges and what another thread may do next depend on each other.
    pub(super) fn dependence(&self, step: impl Iterator<Item = EdgeRef>, proc: ProcId, loc: LocId) -> Dependence {
        let mut worst = Dependence::Never;
        for (own, other) in step.flat_map(|own| self.edges(proc, loc).map(move |other| (own, other))) {
            let a = &self.behind[own.proc.index()][own.edge.index()];
            let b = &self.ahead[other.proc.index()][other.edge.index()];
            // Whoever was waited for had ended before, and is not the one who goes on.
            if a.is_unbounded || b.is_unbounded || a.ends && b.joins {
                return Dependence::Always;
            }
            if conflict((&a.reads, &a.writes), (&b.reads, &b.writes)) {
                // If it is not about fixed places it involves a computed address.
                let is_fixed = conflict((&a.fixed_reads, &a.fixed_writes), (&b.fixed_reads, &b.fixed_writes));
                if a.frees || b.frees || a.is_section || b.is_section {
                    return Dependence::Always;
                }
                let how = if is_fixed { Dependence::UnlessTheyCommute } else { Dependence::IfAddressesMeet };
                worst = worst.max(how);
            }
        }
        worst
    }

    /// Whether a thread is about to begin a section of several edges of which one may race with what another one does next, each at its location.
    pub(super) fn may_race_inside(&self, one: (ProcId, LocId), other: (ProcId, LocId)) -> bool {
        let sections = self.edges(one.0, one.1).map(|edge| &self.ahead[edge.proc.index()][edge.edge.index()]);
        sections.filter(|section| section.is_section).any(|section| {
            self.edges(other.0, other.1).any(|edge| {
                let touch = self.of(edge);
                conflict((&section.reads, &section.writes), (&touch.plain_reads, &touch.plain_writes))
            })
        })
    }

    /// Whether what a thread does next touches nothing that others see, and is no loop.
    pub(super) fn is_local(&self, proc: ProcId, loc: LocId) -> bool {
        let is_local = |edge: EdgeRef| {
            let touch = self.of(edge);
            let touches = !touch.reads.is_clear() || !touch.writes.is_clear();
            !(touches || touch.waits || touch.joins || touch.ends || touch.depth > 0 || touch.is_back)
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
        fixed_writes: none.clone(),
        plain_reads: none.clone(),
        plain_writes: none,
        waits: false,
        joins: false,
        frees: false,
        ends: false,
        starts: false,
        depth: 0,
        is_section: false,
        is_unbounded: false,
        is_back: false,
        repeats: false,
    };
    for stmt in &edge.stmts {
        for access in stmt.accesses() {
            let is_computed = match access.target {
                ir::access::Target::Mem { addr, .. } => program.pool.as_const(addr).is_none(),
                _ => false,
            };
            let is_plain = touch.depth <= 0 && !access.order.is_atomic();
            if access.kind.reads() {
                targets.add(program, &access, &mut touch.reads);
                if is_plain {
                    targets.add(program, &access, &mut touch.plain_reads);
                }
                if !is_computed {
                    targets.add(program, &access, &mut touch.fixed_reads);
                }
            }
            if access.kind.writes() {
                targets.add(program, &access, &mut touch.writes);
                if is_plain {
                    targets.add(program, &access, &mut touch.plain_writes);
                }
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
            Op::Start { .. } => touch.starts = true,
            Op::AtomicBegin => touch.depth += 1,
            Op::AtomicEnd => touch.depth -= 1,
            _ => {}
        }
    }
    touch
}

impl Touch {
    /// Adds what another edge of the same section touches.
    fn add(&mut self, other: &Touch) {
        self.reads.union_with(&other.reads);
        self.writes.union_with(&other.writes);
        self.fixed_reads.union_with(&other.fixed_reads);
        self.fixed_writes.union_with(&other.fixed_writes);
        self.joins |= other.joins;
        self.frees |= other.frees;
        self.ends |= other.ends;
        self.is_section = true;
    }

    /// Whether a section of several edges with this one among them is no action.
    fn opens(&self) -> bool {
        self.waits || self.is_back || self.starts
    }
}

/// Where atomic sections are, in one automaton.
struct Sections {
    /// The least and the greatest depth with which a location is reached.
    depths: Vec<Option<(i32, i32)>>,
    out: Vec<Vec<ir::EdgeId>>,
    into: Vec<Vec<ir::EdgeId>>,
}

/// Sections in sections that are told apart.
const MAX_DEPTH: i32 = 4;

impl Sections {
    fn new(proc: &ir::Proc) -> Sections {
        let (out, into) = (proc.out_edges(), proc.in_edges());
        let mut depths: Vec<Option<(i32, i32)>> = vec![None; proc.locs.len()];
        depths[proc.entry.index()] = Some((0, 0));
        let mut open = vec![proc.entry];
        while let Some(loc) = open.pop() {
            let (least, most) = depths[loc.index()].expect("it was reached");
            for edge in &out[loc.index()] {
                let edge = &proc.edges[edge.index()];
                let after = |depth: i32| {
                    edge.stmts.iter().fold(depth, |depth, stmt| match stmt.op {
                        Op::AtomicBegin => (depth + 1).min(MAX_DEPTH),
                        Op::AtomicEnd => (depth - 1).max(0),
                        Op::ExitThread(_) | Op::Return(_) | Op::ExitProcess { .. } => 0,
                        _ => depth,
                    })
                };
                let (least, most) = (after(least), after(most));
                let known = &mut depths[edge.to.index()];
                let joined = known.map_or((least, most), |(a, b)| (a.min(least), b.max(most)));
                if *known != Some(joined) {
                    *known = Some(joined);
                    open.push(edge.to);
                }
            }
        }
        Sections { depths, out, into }
    }

    /// Whether a location is inside a section on all ways to it; none if only on some.
    fn is_inside(&self, loc: LocId) -> Option<bool> {
        match self.depths[loc.index()] {
            Some((0, 0)) | None => Some(false),
            Some((0, _)) => None,
            Some(_) => Some(true),
        }
    }

    /// What an edge touches with the rest of its section, ahead of it or behind it.
    fn action(&self, proc: &ir::Proc, own: &[Touch], edge: usize, is_ahead: bool) -> Touch {
        let mut action = own[edge].clone();
        let mut seen = FixedBitSet::with_capacity(own.len());
        seen.insert(edge);
        let mut open = vec![edge];
        while let Some(at) = open.pop() {
            let next = if is_ahead { proc.edges[at].to } else { proc.edges[at].from };
            match self.is_inside(next) {
                Some(false) => continue,
                None => action.is_unbounded = true,
                Some(true) => {}
            }
            action.is_unbounded |= own[at].opens();
            let more = if is_ahead { &self.out[next.index()] } else { &self.into[next.index()] };
            for other in more.iter().map(|edge| edge.index()) {
                if !seen.put(other) {
                    action.is_unbounded |= own[other].opens();
                    action.add(&own[other]);
                    open.push(other);
                }
            }
        }
        action
    }
}
