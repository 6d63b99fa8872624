//! Which allocations happen at most once? Their objects become static.
//!
//! An `Alloc` outside of all cycles, in a procedure that one thread runs once, makes at most one object; if its size is a constant,
//! the object can as well exist from the start. Its address is then a constant, which is what `scalarize` needs: this is how
//! locals of `main` whose address is taken, and structures that are allocated once, become variables.
//!
//! A static object never ends, so the `Free`s of a promoted object are dropped. That must not hide what properties ask for. Where invalid
//! accesses, wrong frees or races with `free` are in question, an object that is freed is promoted only if nothing can touch it after the
//! `Free` and no other thread touches it at all; where leaks are, heap objects stay, and so does what points to them. Otherwise likewise, since
//! nobody can tell what comes after the use of an object that is gone; but what main ends right before the process ends may be used by other threads too: there
//! the process ends at once.
//!
//! Invariant: `Free`s are dropped for an object that is promoted, and only for such.

use super::regions::place_of;
use crate::memory::{Fill, Object, ObjectKind, Shape};
use crate::pass::analysis::graph::{Components, reachable_from};
use crate::pass::analysis::initial::word_of;
use crate::pass::analysis::points_to::{AbstractObject, PointsTo};
use crate::pass::analysis::sharing::Sharing;
use crate::program::{EdgeId, Proc, ProcId, Program};
use crate::property::{Properties, Property};
use crate::stmt::{AllocKind, AllocSite, Op, Place, Stmt};
use fixedbitset::FixedBitSet;
use logic::{TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Larger objects stay as they are.
const MAX_SIZE: u64 = 1 << 16;

/// The program with objects that are made at most once as static objects. Its procedures must be threads.
pub fn promote_allocations(mut program: Program, properties: Properties) -> Program {
    let mut candidates = single_allocations(&program);
    if candidates.is_empty() {
        return program;
    }
    let points_to = PointsTo::new(&program);
    let uses = Uses::new(&program);
    candidates.retain(|candidate| uses.allow(&program, &points_to, properties, candidate));
    let model = program.data_model;
    let end_of = |object: &Object| (object.base >> model.granule_bits()) + model.granules(object.size);
    let mut next = program.objects.iter().map(end_of).max().unwrap_or(1).max(model.first_promoted());
    let mut base_of: FxHashMap<AllocSite, TermId> = FxHashMap::default();
    let mut gone: FxHashSet<TermId> = FxHashSet::default();
    for candidate in &candidates {
        let n_granules = model.granules(candidate.size);
        if next + n_granules >= model.first_dynamic() {
            break;
        }
        let base = next << model.granule_bits();
        next += n_granules;
        base_of.insert(candidate.site, program.pool.bv(model.word_bits(), base));
        gone.extend(uses.frees_of(&points_to, candidate.site));
        let name = program.pool.var_name(candidate.dst).to_string();
        program.objects.push(Object {
            name,
            base,
            size: candidate.size,
            kind: ObjectKind::Data,
            fill: if candidate.zeroed { Fill::Zero } else { Fill::Any },
            init: Vec::new(),
            shape: Shape::Bytes(candidate.size),
            span: candidate.span,
        });
    }
    for edge in program.procs.iter_mut().flat_map(|proc| &mut proc.edges) {
        for stmt in &mut edge.stmts {
            if let Op::Alloc { dst, .. } = &stmt.op
                && let Some(base) = stmt.alloc_site().and_then(|site| base_of.get(&site))
            {
                stmt.op = Op::Assign { var: *dst, value: *base };
            }
        }
        edge.stmts.retain(|stmt| !matches!(&stmt.op, Op::Free { addr, .. } if gone.contains(addr)));
    }
    program
}

struct Candidate {
    site: AllocSite,
    proc: ProcId,
    dst: VarId,
    size: u64,
    kind: AllocKind,
    zeroed: bool,
    span: crate::source::Span,
}

/// The `Alloc`s of constant size that run at most once in a whole execution.
fn single_allocations(program: &Program) -> Vec<Candidate> {
    let once = made_once(program);
    let mut candidates: Vec<Candidate> = Vec::new();
    for (index, proc) in program.procs.iter().enumerate() {
        let proc_id = ProcId(index as u32);
        for stmt in proc.edges.iter().flat_map(|edge| &edge.stmts) {
            let Op::Alloc { dst, size, kind, zeroed, .. } = &stmt.op else { continue };
            if let Some(size) = word_of(&program.pool, *size)
                && size <= MAX_SIZE
                && let Some(site) = stmt.alloc_site().filter(|site| once.contains(site))
            {
                let span = stmt.span;
                candidates.push(Candidate { site, proc: proc_id, dst: *dst, size, kind: *kind, zeroed: *zeroed, span });
            }
        }
    }
    candidates
}

/// The sites of `Alloc`s that run at most once in a whole execution: outside of all cycles, not copied, in a procedure that one thread runs once.
pub(super) fn made_once(program: &Program) -> FxHashSet<AllocSite> {
    let sharing = Sharing::new(program);
    let mut n_made: FxHashMap<AllocSite, u32> = FxHashMap::default();
    for (index, proc) in program.procs.iter().enumerate() {
        let components = Components::new(proc, &proc.out_edges());
        let is_single = sharing.is_single(ProcId(index as u32));
        for edge in &proc.edges {
            let once = is_single && !components.is_repeated(edge.from, edge.to);
            for site in edge.stmts.iter().filter_map(Stmt::alloc_site) {
                *n_made.entry(site).or_default() += if once { 1 } else { 2 };
            }
        }
    }
    n_made.into_iter().filter(|(_, n)| *n == 1).map(|(site, _)| site).collect()
}

/// Where a statement stands: procedure, edge, and position in the edge.
type Position = (ProcId, EdgeId, usize);

/// Where memory is accessed and freed.
struct Uses {
    accesses: Vec<(TermId, Position)>,
    frees: Vec<(TermId, AllocKind, Position)>,
}

impl Uses {
    fn new(program: &Program) -> Uses {
        let mut uses = Uses { accesses: Vec::new(), frees: Vec::new() };
        for (proc_index, proc) in program.procs.iter().enumerate() {
            for (edge_index, edge) in proc.edges.iter().enumerate() {
                for (at, stmt) in edge.stmts.iter().enumerate() {
                    let position = (ProcId(proc_index as u32), EdgeId(edge_index as u32), at);
                    if let Op::Free { addr, kind } = &stmt.op {
                        uses.frees.push((*addr, *kind, position));
                    } else if let Some(Place::Mem { addr, .. }) = place_of(&stmt.op) {
                        uses.accesses.push((*addr, position));
                    }
                }
            }
        }
        uses
    }

    /// The addresses that `Free`s of the site's object name.
    fn frees_of(&self, points_to: &PointsTo, site: AllocSite) -> Vec<TermId> {
        self.frees.iter().map(|(addr, ..)| *addr).filter(|addr| may_be(points_to, *addr, site)).collect()
    }

    fn allow(&self, program: &Program, points_to: &PointsTo, properties: Properties, candidate: &Candidate) -> bool {
        let site = candidate.site;
        let tracks = properties.has(Property::MemTrack) || properties.has(Property::MemCleanup);
        if tracks && (candidate.kind == AllocKind::Heap || points_to.holds_pointers(AbstractObject::Made(site))) {
            return false;
        }
        let frees: Vec<&(TermId, AllocKind, Position)> =
            self.frees.iter().filter(|(addr, ..)| may_be(points_to, *addr, site)).collect();
        let is_only = |addr: TermId| {
            points_to
                .of(addr)
                .is_some_and(|set| set.iter().all(|at| points_to.targets[*at] == AbstractObject::Made(site)))
        };
        if !frees.iter().all(|(addr, kind, _)| *kind == candidate.kind && is_only(*addr)) {
            return false;
        }
        // The end of a local's scope is no access, so it races with nothing; `free` is one.
        let is_strict = properties.has(Property::Deref)
            || properties.has(Property::Free)
            || (properties.has(Property::Race) && candidate.kind == AllocKind::Heap);
        let is_last = |free: Position| self.is_last(program, points_to, candidate, free, is_strict);
        frees.is_empty()
            || (candidate.kind == AllocKind::Stack || !is_strict)
                && frees.iter().all(|(_, _, position)| is_last(*position))
    }

    /// Whether the thread that made the object does not touch it after this `Free`, and no other thread touches it at all; unless the process ends
    /// right after the `Free`, if not `is_strict`: that of a variable, which is then the same as the end of the process. Between a call of `free` and that end others may still run.
    fn is_last(
        &self,
        program: &Program,
        points_to: &PointsTo,
        candidate: &Candidate,
        free: Position,
        is_strict: bool,
    ) -> bool {
        if free.0 != candidate.proc {
            return false;
        }
        let proc = program.proc(candidate.proc);
        let after: FixedBitSet = reachable_from(proc, &proc.out_edges(), [proc.edges[free.1.index()].to]);
        let is_over = !is_strict
            && candidate.kind == AllocKind::Stack
            && candidate.proc == program.main
            && ends_quietly(proc, free, &after);
        let is_before = |position: Position| {
            let is_same_edge = position.1 == free.1;
            if position.0 != candidate.proc {
                return is_over;
            }
            let is_after = is_same_edge && position.2 > free.2;
            !is_after && !after.contains(proc.edges[position.1.index()].from.index())
        };
        let touches = self.accesses.iter().filter(|(addr, _)| may_be(points_to, *addr, candidate.site));
        let ends = self.frees.iter().filter(|(addr, ..)| may_be(points_to, *addr, candidate.site));
        !after.contains(proc.edges[free.1.index()].from.index())
            && touches.map(|(_, position)| *position).all(is_before)
            && ends.map(|(_, _, position)| *position).filter(|other| *other != free).all(|other| {
                // Other frees stand on other paths: each ends the object where no other can follow.
                other.0 == candidate.proc && !after.contains(proc.edges[other.1.index()].from.index())
            })
    }
}

/// Whether nothing that anybody could notice comes after the `Free` but the end of the process.
fn ends_quietly(proc: &Proc, free: Position, after: &FixedBitSet) -> bool {
    let rest = proc.edges[free.1.index()].stmts[free.2 + 1..].iter();
    let later = proc.edges.iter().filter(|edge| after.contains(edge.from.index())).flat_map(|edge| &edge.stmts);
    rest.chain(later).all(|stmt| {
        let is_end =
            matches!(stmt.op, Op::Free { kind: AllocKind::Stack, .. } | Op::Return(_) | Op::ExitProcess { .. });
        is_end || matches!(stmt.op, Op::Assign { .. } | Op::Mark(..))
    })
}

fn may_be(points_to: &PointsTo, addr: TermId, site: AllocSite) -> bool {
    points_to.of(addr).is_none_or(|set| set.iter().any(|at| points_to.targets[*at] == AbstractObject::Made(site)))
}
