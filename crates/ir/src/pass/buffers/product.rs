//! The automaton of a thread together with its buffer: one location for each location of the thread and all that can wait there.

use super::waiting::{Next, next};
use super::ways::{Standing, Writer, is_own, needs_empty, split_before_drains};
use crate::pass::analysis::graph::loop_heads;
use crate::pass::control::large_blocks::is_total;
use crate::program::{Edge, EdgeId, Loc, LocId, Proc, ProcId, Program};
use crate::property::Properties;
use crate::stmt::{Op, Order, Stmt};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

/// How large it may become.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// How many stores may wait.
    pub(super) length: usize,
    pub(super) locs: usize,
    /// Whether a `Check` may stand for more stores than that.
    pub(super) may_cut: bool,
}

/// More atomic sections inside each other than this are not followed.
const MAX_DEPTH: u32 = 16;

/// The automaton while it is made.
pub(super) struct Product<'p> {
    source: Proc,
    out: Vec<Vec<EdgeId>>,
    is_main: bool,
    /// Where commits may happen.
    points: FixedBitSet,
    writer: Writer<'p>,
    ids: FxHashMap<(LocId, Standing), LocId>,
    open: Vec<(LocId, Standing, LocId)>,
    locs: Vec<Loc>,
    edges: Vec<Edge>,
    exit: LocId,
}

impl Product<'_> {
    /// The automaton of a procedure with its buffer; none if it becomes too large.
    pub(super) fn build(program: &mut Program, id: ProcId, properties: Properties, limits: Limits) -> Option<Proc> {
        let mut source = program.proc(id).clone();
        let is_main = id == program.main;
        split_before_drains(&mut source, is_main);
        let out = source.out_edges();
        let points = points(program, &source, &out, properties);
        let exit = LocId(0);
        let locs = vec![source.locs[source.exit.index()].clone()];
        let model = program.model;
        let writer = Writer { program, model, slots: Vec::new(), length: limits.length, is_cut: false };
        let (ids, open, edges) = (FxHashMap::default(), Vec::new(), Vec::new());
        let mut product = Product { source, out, is_main, points, writer, ids, open, locs, edges, exit };
        let entry = product.loc(product.source.entry, Standing { is_alone: is_main, ..Standing::default() });
        while let Some((loc, standing, here)) = product.open.pop() {
            product.commits(loc, &standing, here);
            for edge in product.out[loc.index()].clone() {
                product.edge(edge, &standing, here);
            }
            let is_too_long = product.writer.is_cut && !limits.may_cut;
            if is_too_long || product.locs.len() > limits.locs || standing.depth > MAX_DEPTH {
                return None;
            }
        }
        let Product { source, writer, locs, edges, .. } = product;
        let locals = source.locals.iter().chain(&writer.slots).copied().collect();
        Some(Proc { locals, locs, edges, entry, exit, ..source })
    }

    fn loc(&mut self, loc: LocId, standing: Standing) -> LocId {
        if loc == self.source.exit {
            return self.exit;
        }
        let next = LocId(self.locs.len() as u32);
        let id = *self.ids.entry((loc, standing.clone())).or_insert(next);
        if id == next {
            self.locs.push(self.source.locs[loc.index()].clone());
            self.open.push((loc, standing, id));
        }
        id
    }

    /// The commits that may happen here.
    fn commits(&mut self, loc: LocId, standing: &Standing, here: LocId) {
        if !self.points.contains(loc.index()) || standing.buffer.is_empty() {
            return;
        }
        for Next { late, cond, number, left } in
            next(&mut self.writer.program.pool, self.writer.model, &standing.buffer)
        {
            let to = self.loc(loc, Standing { buffer: left, ..standing.clone() });
            let program = &mut *self.writer.program;
            let site = program.new_site();
            program.commits.insert(site, (late.site, number));
            let op = Op::Store { place: late.place, value: late.value, order: Order::Relaxed };
            let guard = cond.map(|cond| Stmt { op: Op::Assume(cond), span: late.span, site });
            let stmts = guard.into_iter().chain([Stmt { op, span: late.span, site }]).collect();
            self.edges.push(Edge { from: here, to, stmts, origin: Vec::new() });
        }
    }

    fn edge(&mut self, edge: EdgeId, standing: &Standing, here: LocId) {
        let edge = self.source.edges[edge.index()].clone();
        for way in self.writer.ways(&edge, standing, self.is_main) {
            let to = if way.is_over { self.exit } else { self.loc(edge.to, way.after) };
            self.edges.push(Edge { from: here, to, stmts: way.stmts, origin: edge.origin.clone() });
        }
    }
}

/// The locations at which commits may happen: see `super`.
fn points(program: &mut Program, proc: &Proc, out: &[Vec<EdgeId>], properties: Properties) -> FixedBitSet {
    let mut points = loop_heads(proc, out);
    points.grow(proc.locs.len());
    for (loc, edges) in out.iter().enumerate() {
        let mut all = edges.iter().map(|edge| &proc.edges[edge.index()]);
        let is_quiet = all.all(|edge| !needs_empty(edge, false) && edge.stmts.iter().all(|stmt| is_own(&stmt.op)));
        if !is_quiet || !is_total(&mut program.pool, properties, proc, edges) {
            points.insert(loc);
        }
    }
    points
}
