//! How does a program without loops look that goes round each loop a few times?
//!
//! Locations are copied for each combination of rounds of the loops around them; a retreating edge leads to the copy of the next
//! round. After the last allowed round it ends in a `Check` of kind `Bound`, which an engine that gets there must answer
//! with unknown: so a program that is safe after unrolling is safe, and not only up to a bound. A loop whose number of rounds
//! is known gets as many as it needs, if that is within the bound.
//!
//! Invariant: each path of the program that goes round no loop more often than allowed is a path of the result, with the same origins,
//! and the result has no cycles. `unroll_starts` is for engines that can do with cycles: it unrolls some loops and leaves the others.

use crate::pass::analysis::graph::trim;
use crate::pass::analysis::loops::{Loop, find_loops};
use crate::program::{Edge, EdgeId, LocId, Proc, ProcId, Program};
use crate::source::Span;
use crate::stmt::{CheckKind, Op, SiteId, Stmt};
use crate::verdict::Why;
use logic::TermId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// How often loops are gone round.
pub struct Rounds<'a> {
    /// For each loop, how often its back edges may be taken.
    pub of: &'a dyn Fn(ProcId, &Loop) -> u64,
    /// How many edges the result may have.
    pub max_edges: usize,
}

/// The program with its loops unrolled.
pub fn unroll_loops(program: &Program, rounds: &Rounds<'_>) -> Result<Program, Why> {
    let mut result = program.clone();
    let mut n_edges = 0;
    for index in 0..program.procs.len() {
        let proc = &program.procs[index];
        let loops = find_loops(program, proc);
        let bounds: Vec<u64> = loops
            .iter()
            .map(|this| {
                let bound = (rounds.of)(ProcId(index as u32), this);
                this.max_rounds.map_or(bound, |known| known.min(bound))
            })
            .collect();
        let no = result.pool.bool(false);
        let unrolling = Unrolling { program, proc, loops: &loops, bounds: &bounds, max_edges: rounds.max_edges, no };
        let mut unrolled = unrolling.run(&mut n_edges)?;
        trim(&result.pool, &mut unrolled);
        result.procs[index] = unrolled;
    }
    Ok(result)
}

/// The program in which loops that start or join threads are unrolled, if it is known that they go round at most `max_rounds` times. Other
/// loops stay, and so does a procedure that would get too large. Handles in arrays then have constant places, and each
/// `Start` its own arguments.
pub fn unroll_starts(program: &Program, max_rounds: u64, max_edges: usize) -> Program {
    let mut result = program.clone();
    for (index, proc) in program.procs.iter().enumerate() {
        let mut loops = find_loops(program, proc);
        loops.retain(|this| this.max_rounds.is_some_and(|known| known <= max_rounds) && has_threads(proc, this));
        if loops.is_empty() {
            continue;
        }
        let bounds: Vec<u64> = loops.iter().filter_map(|this| this.max_rounds).collect();
        let no = result.pool.bool(false);
        let unrolling = Unrolling { program, proc, loops: &loops, bounds: &bounds, max_edges, no };
        if let Ok(mut unrolled) = unrolling.run(&mut 0) {
            trim(&result.pool, &mut unrolled);
            result.procs[index] = unrolled;
        }
    }
    result
}

fn has_threads(proc: &Proc, this: &Loop) -> bool {
    let inside = |edge: &&Edge| this.body.contains(edge.from.index()) && this.body.contains(edge.to.index());
    let mut stmts = proc.edges.iter().filter(inside).flat_map(|edge| &edge.stmts);
    stmts.any(|stmt| matches!(stmt.op, Op::Start { .. } | Op::Join { .. }))
}

/// A copy of a location: which, and in which round of each loop around it, outer ones first.
type Copy = (LocId, SmallVec<[u32; 3]>);

struct Unrolling<'a> {
    program: &'a Program,
    proc: &'a Proc,
    loops: &'a [Loop],
    bounds: &'a [u64],
    max_edges: usize,
    /// The term that never holds.
    no: TermId,
}

impl Unrolling<'_> {
    fn run(&self, n_edges: &mut usize) -> Result<Proc, Why> {
        let proc = self.proc;
        let out = proc.out_edges();
        let around: Vec<Vec<usize>> = (0..proc.locs.len())
            .map(|loc| (0..self.loops.len()).filter(|this| self.loops[*this].body.contains(loc)).collect())
            .collect();
        let mut built = Proc { locs: Vec::new(), edges: Vec::new(), ..proc.clone() };
        let mut name_of: FxHashMap<Copy, LocId> = FxHashMap::default();
        let mut queue: Vec<Copy> = Vec::new();
        let mut name = |copy: Copy, built: &mut Proc, queue: &mut Vec<Copy>| match name_of.get(&copy) {
            Some(loc) => *loc,
            None => {
                let loc = LocId(built.locs.len() as u32);
                built.locs.push(proc.locs[copy.0.index()].clone());
                queue.push(copy.clone());
                name_of.insert(copy, loc);
                loc
            }
        };
        let first = |loc: LocId| (loc, SmallVec::from_elem(0, around[loc.index()].len()));
        built.entry = name(first(proc.entry), &mut built, &mut queue);
        built.exit = name(first(proc.exit), &mut built, &mut queue);
        while let Some((loc, rounds)) = queue.pop() {
            let from = name((loc, rounds.clone()), &mut built, &mut queue);
            for id in &out[loc.index()] {
                *n_edges += 1;
                if *n_edges > self.max_edges {
                    return Err(Why::Bound(format!("unrolling the loops makes more than {} edges", self.max_edges)));
                }
                let edge = &proc.edges[id.index()];
                let mut stmts = edge.stmts.clone();
                let to = match self.next(*id, &around, &rounds) {
                    Ok(next) => name((edge.to, next), &mut built, &mut queue),
                    Err(this) => {
                        let site = stmts.last().map_or(SiteId(0), |stmt| stmt.site);
                        stmts.push(self.cut(this, site));
                        built.exit
                    }
                };
                built.edges.push(Edge { from, to, stmts, origin: edge.origin.clone() });
            }
        }
        Ok(built)
    }

    /// The rounds at the end of an edge, or the loop whose bound the edge breaks.
    fn next(&self, id: EdgeId, around: &[Vec<usize>], rounds: &[u32]) -> Result<SmallVec<[u32; 3]>, usize> {
        let edge = &self.proc.edges[id.index()];
        let before = &around[edge.from.index()];
        around[edge.to.index()]
            .iter()
            .map(|this| {
                let round = before.iter().position(|other| other == this).map_or(0, |at| rounds[at]);
                match self.loops[*this].back_edges.contains(&id) {
                    true if u64::from(round) >= self.bounds[*this] => Err(*this),
                    true => Ok(round + 1),
                    false => Ok(round),
                }
            })
            .collect()
    }

    fn cut(&self, this: usize, site: SiteId) -> Stmt {
        let (bound, span): (u64, Span) = (self.bounds[this], self.loops[this].span);
        let place = self.program.sources.place(span);
        let what = format!("the loop at {place} goes round more than {bound} times");
        Stmt { op: Op::Check { cond: self.no, kind: CheckKind::Bound(what.into()) }, span, site }
    }
}
