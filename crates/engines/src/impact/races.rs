//! Do two threads race? In a state in which both are about to touch the same bytes.
//!
//! Known as: data race detection by adjacent conflicting accesses, here as an invariant of every node.
//!
//! Where races are in question an edge has at most one access (`ir::pass::merge_blocks`), so the edges of two threads tell what each would touch next. If both may be taken from a state of the
//! node, one of them writes, not both are atomic, and the addresses meet, it is a race. What happens inside an atomic section counts as atomic, and a thread that waits for another's section to
//! end is looked at as if it need not. A reduction keeps an interleaving to every state, and so to every race.
//!
//! Not here: accesses that order less than their place in an interleaving (`explore::weak_order`), and races with the end of an object; then nothing is called safe.

use super::path::conjuncts;
use super::tree::{NodeId, Step};
use super::unwinding::{Halt, Learned, Unwinding};
use crate::abstraction::cells::Cells;
use crate::abstraction::refine::{Attempt, Feasibility, Refiner};
use crate::abstraction::symbolic::BadKind;
use ir::access::Target;
use ir::{AllocKind, EdgeRef, Op, Program, Property, Span, Why};
use logic::TermId;
use std::rc::Rc;

/// An access that a thread would make next.
#[derive(Clone, Debug)]
pub(super) struct Racer {
    pub(super) thread: u32,
    pub(super) edge: EdgeRef,
    /// The position of the statement.
    pub(super) stmt: usize,
    target: Target,
    reads: bool,
    writes: bool,
    /// Whether it may be an attempt that fails, and so is no write.
    may_fail: bool,
    is_atomic: bool,
    /// The address before the step, if it is one of memory.
    addr: Option<(TermId, u64)>,
    step: Rc<Step>,
}

impl Unwinding<'_, '_> {
    /// Makes sure that no two threads race in a node. False if the node has become covered or empty on the way.
    pub(super) fn rule_out_races(&mut self, node: NodeId) -> Result<bool, Halt> {
        if !self.world.properties.has(Property::Race) {
            return Ok(true);
        }
        let control = self.tree.place(node).control.clone();
        let mut pending: Vec<Racer> = Vec::new();
        for thread in control.alive() {
            let at = control.at(thread);
            let edges: Vec<EdgeRef> = self.world.touches.edges(at.proc, at.loc).collect();
            let own: Vec<Racer> =
                edges.into_iter().flat_map(|edge| self.racers(node, thread, edge, at.depth)).collect();
            for racer in &own {
                for other in &pending {
                    if !self.rule_out_race(node, [other, racer])? {
                        return Ok(false);
                    }
                }
            }
            pending.extend(own);
        }
        Ok(true)
    }

    fn racers(&mut self, node: NodeId, thread: u32, edge: EdgeRef, depth: u32) -> Vec<Racer> {
        let program = self.world.cells.program;
        let stmts = &program.edge(edge).stmts;
        if stmts.iter().all(|stmt| stmt.accesses().is_empty()) {
            return Vec::new();
        }
        let step = self.step(node, thread, edge);
        let mut found = Vec::new();
        let mut touches = step.summary.touches.iter();
        let mut depth = depth;
        for (index, stmt) in stmts.iter().enumerate() {
            match stmt.op {
                Op::AtomicBegin => depth += 1,
                Op::AtomicEnd => depth = depth.saturating_sub(1),
                _ => {}
            }
            for access in stmt.accesses() {
                let addr = match access.target {
                    Target::Var(_) => None,
                    // Whoever does not come so far makes no access.
                    Target::Mem { .. } => match touches.next() {
                        Some((addr, len, _)) => Some((*addr, *len)),
                        None => return found,
                    },
                    _ => continue,
                };
                found.push(Racer {
                    thread,
                    edge,
                    stmt: index,
                    target: access.target,
                    reads: access.kind.reads(),
                    writes: access.kind.writes(),
                    may_fail: matches!(stmt.op, Op::Rmw { failure: Some(_), .. }),
                    is_atomic: depth > 0 || access.order.is_atomic(),
                    addr,
                    step: step.clone(),
                });
            }
        }
        found
    }

    fn rule_out_race(&mut self, node: NodeId, pair: [&Racer; 2]) -> Result<bool, Halt> {
        let [one, other] = pair;
        if !(one.writes || other.writes) || one.is_atomic && other.is_atomic {
            return Ok(true);
        }
        let Some(meet) = meeting(&mut self.world.cells, pair) else { return Ok(true) };
        let mut conds = Vec::new();
        for guard in one.step.summary.guards.iter().chain(&other.step.summary.guards).chain([&meet]) {
            conjuncts(&self.world.cells, *guard, &mut conds);
        }
        if !self.may_hold(node, &conds)? {
            return Ok(true);
        }
        match self.learn(node, &conds)? {
            Learned::Refuted => Ok(self.tree.is_active(node) && !self.tree.node(node).is_empty),
            Learned::Undecided(what) => {
                self.world.unknown.get_or_insert(Why::Bound(what));
                Ok(true)
            }
            Learned::Possible if ![one, other].iter().any(|racer| racer.writes && !racer.may_fail) => {
                let what = "a race with an attempt to exchange, if it does not fail".to_string();
                self.world.unknown.get_or_insert(Why::Bound(what));
                Ok(true)
            }
            // Who only reads goes first, and who reads at all before who does not: then neither disturbs the other. But others do not go before a section is over.
            Learned::Possible => {
                let holder = self.tree.place(node).control.holder;
                let rank =
                    |racer: &Racer| (Some(racer.thread) != holder && holder.is_some(), racer.writes, !racer.reads);
                let pair =
                    if rank(one) <= rank(other) { [one.clone(), other.clone()] } else { [other.clone(), one.clone()] };
                Err(Halt::Race(self.steps_to(node, &conds)?, Box::new(pair)))
            }
        }
    }
}

/// That two accesses are of the same place; nothing if they never are.
fn meeting(cells: &mut Cells<'_>, [one, other]: [&Racer; 2]) -> Option<TermId> {
    let pool = &mut cells.pool;
    match (one.addr, other.addr) {
        (None, None) => (one.target == other.target).then(|| pool.bool(true)),
        (Some((a, m)), Some((b, n))) => {
            let word = pool.sort(a).width().expect("addresses are words");
            let (forth, back) = (pool.sub(b, a), pool.sub(a, b));
            let (m, n) = (pool.bv(word, m), pool.bv(word, n));
            let (inside, around) = (pool.ult(forth, m), pool.ult(back, n));
            Some(pool.or(inside, around))
        }
        _ => None,
    }
}

/// The steps up to a race with their inputs, and the two steps that would come next.
pub(super) fn steps(
    world: &mut super::unwinding::World<'_>,
    path: &[(u32, EdgeRef)],
    pair: &[Racer; 2],
) -> Result<Vec<ir::Step>, Why> {
    let mut all = path.to_vec();
    all.extend(pair.iter().map(|racer| (racer.thread, racer.edge)));
    let refiner = Refiner { technique: None, in_own_words: false };
    // Nothing goes wrong on the way: all steps are taken.
    let meet = meeting(&mut world.cells, [&pair[0], &pair[1]]).map(|meet| Box::new((path.len(), meet)));
    let attempt = Attempt { steps: all.clone(), stmt: 0, kind: BadKind::ManyThreads, holds: meet };
    match refiner.decide(&mut world.cells, &mut world.entailment, world.properties, &attempt) {
        Feasibility::Feasible(inputs) => {
            let steps = all.into_iter().zip(inputs);
            Ok(steps.map(|((thread, edge), inputs)| ir::Step { thread, edge, inputs }).collect())
        }
        Feasibility::Spurious(_) => Err(Why::Bound("a race whose two accesses cannot both be made".to_string())),
        Feasibility::Unknown(what) => Err(Why::Bound(what)),
        Feasibility::Stopped(why) => Err(Why::Bound(why.to_string())),
    }
}

/// Why no program with such a statement is called free of races, if there is one.
pub(super) fn beyond(program: &Program) -> Option<Why> {
    let mut stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    let frees = stmts.find(|stmt| matches!(stmt.op, Op::Free { kind: AllocKind::Heap, .. }));
    let at = |span: Span| Why::Unsupported { span, what: "a race with the end of an object, in labels,".to_string() };
    frees.map(|stmt| at(stmt.span)).or_else(|| crate::explore::weak_order::beyond_adjacency(program))
}
