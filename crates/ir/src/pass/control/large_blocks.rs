//! Which steps of a thread need no other thread in between? They are merged into one edge.
//!
//! A location is taken out by joining every edge into it with every edge out of it. What makes that right is Lipton's
//! reduction: what others cannot see commutes with all they do, so it may stick to the visible step before or after it.
//! Merging stops
//!
//! - between two visible statements, except inside an atomic section, where nobody else runs anyway (there too between
//!   two accesses where races are in question, so that an engine can look at accesses one by one);
//! - before a statement that may wait (`Rmw` with `wait`, `Join`), once anything visible has happened: waiting must begin
//!   where the others see it begin, inside atomic sections too, since those open while their thread waits; nor once an
//!   input was asked for, since whether the thread waits must not depend on it; nor, where races are in question and an input was chosen, before an access at an address that is computed
//!   or behind a condition, since which access comes next must not depend on it either;
//! - between a visible effect and an access that may be outside of all objects, when that is not a violation but ends the
//!   process, for the same reason as the next;
//! - between a visible effect and an `Assume` that not all edges of its location together cover: the edge would not be taken, and
//!   the effect would be lost to the others, who may go wrong because of it (inside atomic sections nobody sees it);
//! - at loop heads, at the entry, and where the number of edges would grow beyond a bound.
//!
//! Invariant of the result, for engines: outside of atomic sections an edge has at most one visible statement (`Sharing::of_edge`
//! tells which; where races are in question an access with an atomic order counts as one too, and where leaks are, what changes
//! the heap; and where a thread ends, all its stack objects may end in one step), so the visible statements of the edges that leave a thread's location are what the thread may do next;
//! only a visible read or a statement that cannot block comes before an `Assume` that depends on it, and edges of one location still exclude
//! each other. `AtomicBegin` and `AtomicEnd` stay where they are. A failing check stays where it was between the
//! statements.

use crate::pass::analysis::graph::{loop_heads, trim};
use crate::pass::analysis::initial::{may_ask, static_cell};
use crate::pass::analysis::sharing::{Sharing, Visibility};
use crate::program::{Edge, EdgeId, LocId, Proc, ProcId, Program};
use crate::property::{Properties, Property};
use crate::stmt::{AllocKind, CheckKind, HavocKind, Op, Order, Place, Stmt};
use fixedbitset::FixedBitSet;
use logic::{Pool, TermId, Value};

/// Edges that a location outside of atomic sections may add.
const SLACK: usize = 2;
/// Edges that a location inside an atomic section may be replaced by.
const MAX_ATOMIC: usize = 64;
/// Statements of an edge.
const MAX_STMTS: usize = 256;

/// The program with as few and as large steps as other threads allow.
///
/// Where `multiplies` is off, branches that meet again inside an atomic section stay apart from those before and after them, for engines that take branches between
/// the same two locations as one step.
pub fn merge_blocks(mut result: Program, properties: Properties, multiplies: bool) -> Program {
    for proc in &mut result.procs {
        trim(&result.pool, proc);
    }
    let sharing = Sharing::new(&result);
    for index in 0..result.procs.len() {
        let mut proc = result.procs[index].clone();
        let id = ProcId(index as u32);
        Merger { multiplies, ..Merger::new(&mut result, &sharing, id, &mut proc, properties) }.run();
        trim(&result.pool, &mut proc);
        result.procs[index] = proc;
    }
    result
}

/// What matters of an edge for merging.
#[derive(Clone, Copy, Default)]
struct Summary {
    /// Whether it has a visible statement.
    is_visible: bool,
    /// Whether races are in question and it has an access.
    may_race: bool,
    /// Whether others would miss it if the edge were not taken after all.
    has_effect: bool,
    /// Whether it may wait at its first visible statement.
    may_wait: bool,
    /// Whether it may ask for an input.
    may_ask: bool,
    /// Whether it chooses an input.
    chooses: bool,
    /// Whether races are in question and it has an access at an address that is computed, or behind a condition.
    is_chosen: bool,
    /// Whether it may end the process without a violation, by an access outside of all objects.
    may_die: bool,
}

struct Merger<'a> {
    proc: &'a mut Proc,
    summaries: Vec<Summary>,
    /// Whether the location always has an edge that can be taken (or waited at).
    is_total: Vec<bool>,
    /// Whether every path to the location is inside an atomic section.
    is_atomic: FixedBitSet,
    out: Vec<Vec<EdgeId>>,
    into: Vec<Vec<EdgeId>>,
    heads: FixedBitSet,
    is_gone: Vec<bool>,
    /// Whether ways through atomic sections may become many.
    multiplies: bool,
}

impl<'a> Merger<'a> {
    fn new(
        program: &mut Program,
        sharing: &Sharing,
        id: ProcId,
        proc: &'a mut Proc,
        properties: Properties,
    ) -> Merger<'a> {
        let reads_count = properties.has(Property::Race);
        let summaries = proc
            .edges
            .iter()
            .map(|edge| {
                let (mut summary, mut is_guarded) = (Summary::default(), false);
                for (stmt, visibility) in edge.stmts.iter().zip(sharing.of_edge(id, edge)) {
                    summary.may_wait |= !summary.is_visible && waits(&stmt.op);
                    let is_left = !sharing.is_alone(id, edge.from) && changes_what_is_left(properties, &stmt.op);
                    let visibility = if is_left { Visibility::Sync } else { visibility };
                    // An access that synchronises orders others even if nobody sees it.
                    let orders = reads_count && stmt.accesses().iter().any(|access| access.order.is_atomic());
                    summary.is_visible |= visibility > Visibility::Invisible || orders;
                    let may_race = |access: &crate::access::Access| access.order != Order::Guarded;
                    summary.may_race |= reads_count && stmt.accesses().iter().any(may_race);
                    summary.has_effect |=
                        visibility > Visibility::Read || (reads_count && visibility == Visibility::Read);
                    summary.may_ask |= may_ask(program, &stmt.op);
                    summary.chooses |= matches!(stmt.op, Op::Havoc { kind: HavocKind::Input, .. });
                    is_guarded |= matches!(stmt.op, Op::Assume(_));
                    let is_chosen = is_computed(&program.pool, &stmt.op) || is_guarded && !stmt.accesses().is_empty();
                    summary.is_chosen |= reads_count && is_chosen;
                    summary.may_die |= may_die(program, properties, &stmt.op);
                }
                summary
            })
            .collect();
        let (out, into) = (proc.out_edges(), proc.in_edges());
        let is_total = out.iter().map(|edges| is_total(&mut program.pool, properties, proc, edges)).collect();
        let heads = loop_heads(proc, &out);
        let is_gone = vec![false; proc.edges.len()];
        let is_atomic = atomic_locations(proc, &out);
        Merger { summaries, is_total, is_atomic, out, into, heads, is_gone, multiplies: true, proc }
    }

    fn run(mut self) {
        loop {
            let mut changed = false;
            for loc in 0..self.proc.locs.len() as u32 {
                changed |= self.take_out(LocId(loc));
            }
            if !changed {
                break;
            }
        }
        let is_gone = self.is_gone;
        let mut index = 0;
        self.proc.edges.retain(|_| {
            index += 1;
            !is_gone[index - 1]
        });
    }

    /// Joins the edges into the location with those out of it, if that is allowed.
    fn take_out(&mut self, loc: LocId) -> bool {
        let (into, out) = (&self.into[loc.index()], &self.out[loc.index()]);
        let is_fixed = loc == self.proc.entry || loc == self.proc.exit || self.heads.contains(loc.index());
        if is_fixed || into.is_empty() || out.is_empty() || !self.is_small(loc) {
            return false;
        }
        if !into.iter().all(|first| out.iter().all(|second| self.may_join(*first, loc, *second))) {
            return false;
        }
        let (into, out) = (std::mem::take(&mut self.into[loc.index()]), std::mem::take(&mut self.out[loc.index()]));
        for first in &into {
            for second in &out {
                self.join(*first, *second);
            }
        }
        for first in &into {
            let from = self.proc.edges[first.index()].from.index();
            self.is_total[from] &= self.is_total[loc.index()];
            self.out[from].retain(|edge| edge != first);
            self.is_gone[first.index()] = true;
        }
        for second in &out {
            let to = self.proc.edges[second.index()].to.index();
            self.into[to].retain(|edge| edge != second);
            self.is_gone[second.index()] = true;
        }
        true
    }

    fn is_small(&self, loc: LocId) -> bool {
        let (into, out) = (&self.into[loc.index()], &self.out[loc.index()]);
        let n_joined = into.len() * out.len();
        let room = match self.is_atomic.contains(loc.index()) {
            true if self.multiplies => MAX_ATOMIC,
            true => into.len() + out.len() - 1,
            false => into.len() + out.len() + SLACK,
        };
        let longest = |edges: &[EdgeId]| {
            edges.iter().map(|edge| self.proc.edges[edge.index()].stmts.len()).max().unwrap_or_default()
        };
        n_joined <= room && longest(into) + longest(out) <= MAX_STMTS
    }

    fn may_join(&self, first: EdgeId, loc: LocId, second: EdgeId) -> bool {
        let (a, b) = (self.summaries[first.index()], self.summaries[second.index()]);
        if (a.is_visible || a.may_ask) && b.may_wait || a.chooses && b.is_chosen {
            return false;
        }
        if self.is_atomic.contains(loc.index()) {
            return !(a.may_race && b.may_race);
        }
        !(a.is_visible && b.is_visible) && (!a.has_effect || (self.is_total[loc.index()] && !b.may_die))
    }

    fn join(&mut self, first: EdgeId, second: EdgeId) {
        let (a, b) = (self.summaries[first.index()], self.summaries[second.index()]);
        let (head, tail) = (&self.proc.edges[first.index()], &self.proc.edges[second.index()]);
        let edge = Edge {
            from: head.from,
            to: tail.to,
            stmts: head.stmts.iter().chain(&tail.stmts).cloned().collect::<Vec<Stmt>>(),
            origin: head.origin.iter().chain(&tail.origin).copied().collect(),
        };
        let id = EdgeId(self.proc.edges.len() as u32);
        self.out[edge.from.index()].push(id);
        self.into[edge.to.index()].push(id);
        self.proc.edges.push(edge);
        self.is_gone.push(false);
        self.summaries.push(Summary {
            is_visible: a.is_visible || b.is_visible,
            may_race: a.may_race || b.may_race,
            has_effect: a.has_effect || b.has_effect,
            may_wait: a.may_wait || b.may_wait,
            may_ask: a.may_ask || b.may_ask,
            chooses: a.chooses || b.chooses,
            is_chosen: a.is_chosen || b.is_chosen,
            may_die: a.may_die || b.may_die,
        });
    }
}

fn waits(op: &Op) -> bool {
    matches!(op, Op::Rmw { wait: Some(_), .. } | Op::Join { .. })
}

/// Whether a value says which place is accessed.
fn is_computed(pool: &Pool, op: &Op) -> bool {
    match op {
        Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => {
            matches!(place, Place::Mem { addr, .. } if pool.as_const(*addr).is_none())
        }
        _ => false,
    }
}

/// Whether the statement changes which objects are lost if another thread ends the process right after it.
fn changes_what_is_left(properties: Properties, op: &Op) -> bool {
    let is_tracked = properties.has(Property::MemTrack);
    match op {
        Op::Alloc { kind, .. } | Op::Free { kind, .. } => {
            *kind == AllocKind::Heap && (is_tracked || properties.has(Property::MemCleanup))
        }
        Op::Store { .. } | Op::Rmw { .. } => is_tracked,
        _ => false,
    }
}

/// Whether the statement may end the process silently, because what it does wrong is not in the properties.
fn may_die(program: &Program, properties: Properties, op: &Op) -> bool {
    match op {
        Op::Load { place: Place::Mem { addr, sort, .. }, .. }
        | Op::Store { place: Place::Mem { addr, sort, .. }, .. }
        | Op::Rmw { place: Place::Mem { addr, sort, .. }, .. } => {
            !properties.has(Property::Deref) && static_cell(program, *addr, *sort).is_none()
        }
        Op::Free { .. } => !properties.has(Property::Free),
        _ => false,
    }
}

/// Whether the leading conditions of the edges cover everything: one edge has none, or the conditions of all but one are
/// together the negation of that one's.
pub(in crate::pass) fn is_total(pool: &mut Pool, properties: Properties, proc: &Proc, edges: &[EdgeId]) -> bool {
    let guards: Vec<Option<TermId>> =
        edges.iter().map(|edge| guard(pool, properties, &proc.edges[edge.index()].stmts)).collect();
    let Some(guards) = guards.into_iter().collect::<Option<Vec<TermId>>>() else { return false };
    let any = pool.or_all(&guards);
    if pool.as_const(any) == Some(&Value::Bool(true)) {
        return true;
    }
    (0..guards.len()).any(|last| {
        let others: Vec<TermId> = guards.iter().enumerate().filter(|(i, _)| *i != last).map(|(_, g)| *g).collect();
        let others = pool.or_all(&others);
        pool.not(others) == guards[last]
    })
}

/// The condition under which the edge is taken, if all its `Assume`s come first. A check that nobody asked for is one too.
fn guard(pool: &mut Pool, properties: Properties, stmts: &[Stmt]) -> Option<TermId> {
    let is_assume = |stmt: &Stmt| match &stmt.op {
        Op::Assume(_) => true,
        Op::Check { kind: CheckKind::Overflow, .. } => false,
        Op::Check { kind, .. } => {
            Property::of_check(kind).is_some_and(|property| !properties.has(property) && !property.is_undefined())
        }
        _ => false,
    };
    let leading = stmts.iter().take_while(|stmt| is_assume(stmt)).count();
    if stmts[leading..].iter().any(is_assume) {
        return None;
    }
    let conds: Vec<TermId> = stmts[..leading]
        .iter()
        .filter_map(|stmt| match stmt.op {
            Op::Assume(cond) | Op::Check { cond, .. } => Some(cond),
            _ => None,
        })
        .collect();
    Some(pool.and_all(&conds))
}

/// The locations that every path reaches inside an atomic section.
fn atomic_locations(proc: &Proc, out: &[Vec<EdgeId>]) -> FixedBitSet {
    // The least depth over all paths; it only falls, so this ends.
    let mut depth: Vec<Option<u32>> = vec![None; proc.locs.len()];
    depth[proc.entry.index()] = Some(0);
    let mut queue = vec![proc.entry];
    while let Some(loc) = queue.pop() {
        let here = depth[loc.index()].expect("queued locations have a depth");
        for edge in &out[loc.index()] {
            let edge = &proc.edges[edge.index()];
            let after = edge.stmts.iter().fold(here, |depth, stmt| match stmt.op {
                Op::AtomicBegin => depth + 1,
                Op::AtomicEnd => depth.saturating_sub(1),
                _ => depth,
            });
            let known = &mut depth[edge.to.index()];
            if known.is_none_or(|known| after < known) {
                *known = Some(after);
                queue.push(edge.to);
            }
        }
    }
    let mut atomic = FixedBitSet::with_capacity(proc.locs.len());
    atomic.extend(depth.iter().enumerate().filter(|(_, depth)| depth.is_some_and(|depth| depth > 0)).map(|(at, _)| at));
    atomic
}
