//! Can C11 run a program in a way that no interleaving does? Only along certain cycles of accesses.
//!
//! Known as: robustness, delay sets, critical cycles \[Shasha88]. An execution that is no interleaving has a cycle of program
//! order and conflicts (reads-from, from-reads, coherence), in which each thread comes once, with at most two accesses. Where all
//! atomic accesses are sequentially consistent there is none. Release and acquire forbid every cycle with at most one conflict
//! that is no reads-from: what comes before it happens before what comes after, which coherence contradicts. So only cycles with two such conflicts
//! matter: store buffering, two writes each in opposite orders, two readers that disagree. Conflicts of plain accesses and of locks do not count: as long as
//! there is no race they follow happens-before. Relaxed accesses make no difference here, except that all of their cycles count.
//!
//! All this is about accesses that are one event each. Those that overlap in part are several: such a read may find one half of a write and miss the other, without any
//! second access of either thread. So where atomic accesses may overlap in part there may be such an execution.
//!
//! This is about a program whose procedures are threads. Invariant: if it gives none, every execution of the program up to its first race is
//! an interleaving. It may give one where there is none.

use super::targets::{TargetId, Targets};
use fixedbitset::FixedBitSet;
use ir::access::{AccessKind, bytes_of, locals_read};
use ir::pass::{Sharing, reachable_from};
use ir::{EdgeId, LocId, Op, Order, Place, ProcId, Program, Span, Stmt};
use logic::{Node, Pool, TermId, VarId};

/// How often threads of one procedure take part in a cycle, at most.
const INSTANCES: usize = 3;
/// How many steps the search for cycles may take before it gives up and says that there may be one.
const MAX_STEPS: usize = 200_000;

/// An atomic access of the user's program.
#[derive(Clone, Debug)]
struct Atomic {
    proc: ProcId,
    edge: EdgeId,
    at: usize,
    targets: Vec<TargetId>,
    /// The cell, if it is one that is known, rather than some element of something.
    cell: Option<Place>,
    place: Place,
    kind: AccessKind,
    order: Order,
    span: Span,
}

/// An atomic access without which every execution is an interleaving, if there is one.
pub(crate) fn weak_executions(program: &Program) -> Option<Span> {
    let sharing = Sharing::new(program);
    let mut atomics = shared_atomics(program, &sharing);
    if let Some(span) = overlap_in_part(program, &atomics) {
        return Some(span);
    }
    leave_tallies_out(program, &mut atomics);
    let weak = atomics.iter().find(|access| access.order != Order::SeqCst)?;
    let pairs = pairs(program, &atomics, &sharing, &Across::of(program));
    let mut search = Search { atomics: &atomics, pairs: &pairs, sharing: &sharing, n_steps: 0 };
    (0..pairs.len()).any(|first| search.closes(first)).then_some(weak.span)
}

/// The atomic accesses to what threads share, outside of our models.
fn shared_atomics(program: &Program, sharing: &Sharing) -> Vec<Atomic> {
    let targets = Targets::new(program);
    let mut found = Vec::new();
    for (proc_index, proc) in program.procs.iter().enumerate() {
        for (edge_index, edge) in proc.edges.iter().enumerate() {
            let alone = sharing.runs_alone(ProcId(proc_index as u32), edge);
            for ((at, stmt), is_alone) in edge.stmts.iter().enumerate().zip(alone) {
                let (Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. }) = &stmt.op else {
                    continue;
                };
                let accesses = stmt.accesses();
                let access = &accesses[0];
                let is_shared = !is_alone && sharing.is_shared(place);
                if !access.order.is_atomic() || !program.is_users_access(stmt) || !is_shared {
                    continue;
                }
                let failure = match &stmt.op {
                    Op::Rmw { failure: Some(failure), .. } => failure.order,
                    _ => Order::SeqCst,
                };
                let mut set = FixedBitSet::with_capacity(targets.len());
                targets.add(program, access, &mut set);
                let is_exact = match place {
                    Place::Var(_) => true,
                    Place::Mem { addr, .. } => program.pool.as_const(*addr).is_some(),
                };
                let cell = is_exact.then_some(*place);
                found.push(Atomic {
                    proc: ProcId(proc_index as u32),
                    edge: EdgeId(edge_index as u32),
                    at,
                    targets: set.ones().map(|target| target as TargetId).collect(),
                    cell,
                    place: *place,
                    kind: access.kind,
                    order: if failure == Order::SeqCst { access.order } else { Order::Relaxed },
                    span: stmt.span,
                });
            }
        }
    }
    found
}

/// An atomic access that may overlap with another in part. Those of one size do not: C puts an atomic object at a multiple of its size.
fn overlap_in_part(program: &Program, atomics: &[Atomic]) -> Option<Span> {
    let bytes = |access: &Atomic| match access.place {
        Place::Var(_) => None,
        Place::Mem { region, .. } if program.regions.get(region.0 as usize).is_some_and(|region| region.is_exact) => {
            None
        }
        Place::Mem { sort, .. } => Some(bytes_of(sort)),
    };
    let start = |access: &Atomic| match access.place {
        Place::Mem { addr, .. } => program.pool.as_const(addr).and_then(|addr| addr.as_bv().to_u64()),
        Place::Var(_) => None,
    };
    let open: Vec<(&Atomic, u64)> = atomics.iter().filter_map(|access| Some((access, bytes(access)?))).collect();
    let may_overlap = |(a, m): (&Atomic, u64), (b, n): (&Atomic, u64)| match (start(a), start(b)) {
        (Some(from), Some(to)) => from < to + n && to < from + m,
        _ => a.targets.iter().any(|target| b.targets.contains(target)),
    };
    let meets = |one: &&(&Atomic, u64)| {
        let (a, m) = **one;
        open.iter().any(|(b, n)| m != *n && (a.kind.writes() || b.kind.writes()) && may_overlap((a, m), (*b, *n)))
    };
    open.iter().find(meets).map(|(access, _)| access.span)
}

/// Leaves out cells that threads only add to, relaxed, without looking at what they find: such an access orders nothing, as long as there are no fences, and sums are the same
/// in whichever order they come about. Who looks at one when no other thread runs finds the sum.
fn leave_tallies_out(program: &Program, atomics: &mut Vec<Atomic>) {
    let stmts = || program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    if stmts().any(|stmt| matches!(stmt.op, Op::Fence(_))) {
        return;
    }
    let mut read = FixedBitSet::with_capacity(program.pool.n_vars());
    stmts().for_each(|stmt| read.extend(locals_read(&stmt.op, &program.pool).iter().map(|var| var.index())));
    let adds = |access: &Atomic| match &program.proc(access.proc).edges[access.edge.index()].stmts[access.at].op {
        Op::Rmw { dst, wait: None, new, order: Order::Relaxed, failure: None, .. } => {
            !read.contains(dst.index()) && is_sum(&program.pool, *new, *dst)
        }
        _ => false,
    };
    let other: Vec<TargetId> =
        atomics.iter().filter(|access| !adds(access)).flat_map(|access| access.targets.clone()).collect();
    atomics.retain(|access| access.targets.iter().any(|target| other.contains(target)));
}

/// Whether a term is the sum of a variable and something else.
fn is_sum(pool: &Pool, term: TermId, var: VarId) -> bool {
    let Node::App { op: logic::Op::Add, args } = pool.node(term) else { return false };
    let mentions = |arg: &&TermId| pool.has_free_var(**arg, var);
    let is_var = |arg: &TermId| matches!(pool.node(*arg), Node::Var(other) if *other == var);
    args.iter().filter(mentions).count() == 1 && args.iter().any(is_var)
}

/// Two accesses to different cells of which the first happens before the second, as indices.
#[derive(Clone, Copy, Debug)]
struct Pair {
    first: usize,
    second: usize,
    /// Whether they are of two threads, ordered by locks, starts or joins between them.
    is_across: bool,
}

/// What orders accesses of two threads, besides the user's atomic accesses.
#[derive(Clone, Debug)]
struct Across {
    /// Whether anybody may be ordered before anybody: by locks, or since threads are started after others were joined.
    is_any: bool,
    /// Where threads are started, by procedure.
    starts: Vec<FixedBitSet>,
    /// What comes after a join, by procedure.
    after_joins: Vec<FixedBitSet>,
}

impl Across {
    fn of(program: &Program) -> Across {
        let mut across = Across { is_any: false, starts: Vec::new(), after_joins: Vec::new() };
        for proc in &program.procs {
            // Several statements may be one step: each of them may then come first.
            let mut starts = FixedBitSet::with_capacity(proc.locs.len());
            let mut joins = Vec::new();
            for edge in &proc.edges {
                for stmt in &edge.stmts {
                    match stmt.op {
                        Op::Start { .. } => starts.insert(edge.from.index()),
                        Op::Join { .. } => joins.push(edge.from),
                        _ => across.is_any |= is_lock(program, stmt),
                    }
                }
            }
            let after_joins = reachable_from(proc, &proc.out_edges(), joins);
            across.is_any |= !starts.is_disjoint(&after_joins);
            across.starts.push(starts);
            across.after_joins.push(after_joins);
        }
        across
    }

    /// Whether an access may be ordered before one of another thread; the locations that come after it are given.
    fn may_order(&self, a: &Atomic, (from, after): (LocId, &FixedBitSet), b: &Atomic, b_from: LocId) -> bool {
        let starts = &self.starts[a.proc.index()];
        let starts_later = starts.contains(from.index()) || !starts.is_disjoint(after);
        self.is_any || starts_later || self.after_joins[b.proc.index()].contains(b_from.index())
    }
}

/// Whether a statement may order what others did before what comes after it: a lock of ours, a section that nothing interrupts, a call.
fn is_lock(program: &Program, stmt: &Stmt) -> bool {
    match &stmt.op {
        Op::Load { order, .. } | Op::Store { order, .. } | Op::Rmw { order, .. } => {
            order.is_atomic() && !program.is_users_access(stmt)
        }
        op => matches!(op, Op::AtomicBegin | Op::AtomicEnd | Op::Call { .. }),
    }
}

fn pairs(program: &Program, atomics: &[Atomic], sharing: &Sharing, across: &Across) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (first, a) in atomics.iter().enumerate() {
        let proc = program.proc(a.proc);
        let edge = &proc.edges[a.edge.index()];
        let after: FixedBitSet = reachable_from(proc, &proc.out_edges(), [edge.to]);
        let comes_later = |b: &Atomic| {
            let from: LocId = proc.edges[b.edge.index()].from;
            (b.edge == a.edge && b.at > a.at) || after.contains(from.index())
        };
        let is_other = |b: &Atomic| a.cell.is_none() || a.cell != b.cell;
        for (second, b) in atomics.iter().enumerate().filter(|(_, b)| is_other(b)) {
            if b.proc == a.proc && comes_later(b) {
                pairs.push(Pair { first, second, is_across: false });
            }
            let is_of_two = b.proc != a.proc || !sharing.is_single(a.proc);
            let b_from = program.proc(b.proc).edges[b.edge.index()].from;
            if is_of_two && across.may_order(a, (edge.from, &after), b, b_from) {
                pairs.push(Pair { first, second, is_across: true });
            }
        }
    }
    pairs
}

struct Search<'a> {
    atomics: &'a [Atomic],
    pairs: &'a [Pair],
    sharing: &'a Sharing,
    n_steps: usize,
}

impl Search<'_> {
    /// Whether a cycle that matters goes through a pair.
    fn closes(&mut self, first: usize) -> bool {
        self.extend(first, &mut vec![first], 0)
    }

    /// Whether the path of pairs can be made a cycle; it has so many conflicts that are no reads-from.
    fn extend(&mut self, first: usize, path: &mut Vec<usize>, n_others: usize) -> bool {
        self.n_steps += 1;
        if self.n_steps > MAX_STEPS {
            return true;
        }
        let last = self.pairs[*path.last().expect("a path begins with a pair")].second;
        if path.len() > 1
            && let Some(is_other) = self.conflict(last, self.pairs[first].first)
            && n_others + usize::from(is_other) >= self.needed(path)
        {
            return true;
        }
        for next in 0..self.pairs.len() {
            path.push(next);
            let fits = self.has_threads(path);
            path.pop();
            if !fits {
                continue;
            }
            let Some(is_other) = self.conflict(last, self.pairs[next].first) else { continue };
            path.push(next);
            if self.extend(first, path, n_others + usize::from(is_other)) {
                return true;
            }
            path.pop();
        }
        false
    }

    /// Whether there are as many threads as the last pair of a path needs besides those before it.
    fn has_threads(&self, path: &[usize]) -> bool {
        let proc_of = |access: usize| self.atomics[access].proc;
        let used = || {
            path.iter().map(|pair| self.pairs[*pair]).flat_map(|pair| {
                [Some(proc_of(pair.first)), pair.is_across.then(|| proc_of(pair.second))].into_iter().flatten()
            })
        };
        let last = self.pairs[*path.last().expect("there is a last pair")];
        [last.first, last.second].into_iter().map(proc_of).all(|proc| {
            let most = if self.sharing.is_single(proc) { 1 } else { INSTANCES };
            used().filter(|other| *other == proc).count() <= most
        })
    }

    /// How many conflicts of a cycle must be no reads-from: two where everything releases and acquires, none else.
    fn needed(&self, path: &[usize]) -> usize {
        let accesses = || path.iter().flat_map(|pair| [self.pairs[*pair].first, self.pairs[*pair].second]);
        if accesses().all(|access| self.atomics[access].order == Order::SeqCst) {
            return usize::MAX;
        }
        let synchronises = |access: usize| match self.atomics[access].kind {
            AccessKind::Read => self.atomics[access].order.acquires(),
            AccessKind::Write => self.atomics[access].order.releases(),
            AccessKind::Update => matches!(self.atomics[access].order, Order::AcqRel | Order::SeqCst),
        };
        if accesses().all(synchronises) { 2 } else { 0 }
    }

    /// Whether one access may come before another in a conflict, and then whether that may be other than reads-from.
    fn conflict(&self, a: usize, b: usize) -> Option<bool> {
        let (a, b) = (&self.atomics[a], &self.atomics[b]);
        let meet = a.targets.iter().any(|target| b.targets.contains(target));
        let conflicts = meet && (a.kind.writes() || b.kind.writes());
        conflicts.then(|| !(a.kind == AccessKind::Write && b.kind == AccessKind::Read))
    }
}
