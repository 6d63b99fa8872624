//! What does the reduction want to know about the threads of a node?
//!
//! Known as: AASPOR, abstraction-aware static partial order reduction, with the abstraction-based dependency relation \[Telbisz24] ch. 3.
//!
//! The static tables say what threads may touch; the node's state says who surely goes on and who waits for whom. Accesses to targets
//! that do not count are left out: with `aware` those about which the precision knows nothing, and with the cone those that the next step makes
//! only to values that nobody looks at.
//!
//! Why this is right in every domain. \[Telbisz24] asks for an action-deterministic abstract state space, in which a step leads to one abstract state; `expl-enum` and `pred-split` go on with several, and a
//! condition may narrow what is known of cells that it only reads, so that abstract steps do not commute as there. So the argument is not made on abstract states. Let P' be the program in which cells that the precision
//! does not mention have any value before each step. Every execution of P is one of P'. An abstract state says nothing about those cells, so the successors of a step, one or several, contain where each
//! step of P' leads: the graph is an abstraction of P', too. In P' an access to such a cell is no access but an input, so two steps that meet only in such cells commute, as concrete steps do, and may both run whenever their other conditions allow it (that
//! is why a thread that waits for such a cell surely goes on, unless deadlocks are asked about). What `aware` leaves out is therefore what source sets of P' leave out by the syntactic relation, which
//! loses no error of P'. How many abstract states stand for a step plays no part in it.
//!
//! Why the cone may leave out more. Let two states of P' with the same places be alike if they agree in all cells that are observed from there (`abstraction::cone::data_flow`). Alike states take the same steps to
//! alike states: conditions are observed, and so is whatever an observed value depends on. The graph takes no observation back when a value is overwritten, so what is not observed in a node is observed nowhere behind it. Let `a` be the next step of a thread in a node,
//! and `w` steps of others that touch nothing that `a` touches for a condition or for an observed value. Then `w a` and `a w` lead to alike states: `u := f(x)` with `u` not observed depends on no `x` and is seen by nobody. So
//! whatever goes wrong after `w a` goes wrong after `a w`, and those accesses of `a` do not count in this node. They count for what threads touch later as seen from an earlier node (`dpor`), since somebody there may have looked for the last time
//! in between: `assert(u == 0)` on the one side, `u := x` on the other. What counts there is what the precision knows, wherever threads stand: in P' a value that nobody knows is no value.

use super::reachability_graph::NodeId;
use super::{Search, resolver};
use crate::abstraction::cells::Cell;
use crate::abstraction::control::is_counted;
use crate::explore::actions::Outgoing;
use crate::explore::por::dependence::{Future, Joins, Next, TargetList};
use crate::explore::por::source_set::{SourceSets, Threads};
use crate::explore::por::threads::{MAX_THREADS, ThreadSet};
use crate::explore::targets::TargetId;
use ir::{EdgeRef, Op};
use logic::TermId;
use rustc_hash::FxHashMap;

/// From where it is asked whether anybody looks at a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// From where the threads stand in the node.
    FromHere,
    /// From wherever they stood before: whoever knows the value counts.
    FromBefore,
}

/// The threads of a node, by their positions among those that may run there, atomic sections considered.
pub(crate) struct AtNode<'s, 'w, 'p> {
    pub(crate) search: &'s mut Search<'w, 'p>,
    node: NodeId,
    candidates: Vec<u32>,
    can_run: FxHashMap<u32, bool>,
    surely: FxHashMap<u32, bool>,
    /// Why the solver gave up, if it did.
    pub(crate) failed: Option<smt::Why>,
}

impl<'s, 'w, 'p> AtNode<'s, 'w, 'p> {
    /// Nothing was asked yet.
    pub(crate) fn new(search: &'s mut Search<'w, 'p>, node: NodeId, candidates: Vec<u32>) -> AtNode<'s, 'w, 'p> {
        let (can_run, surely) = (FxHashMap::default(), FxHashMap::default());
        AtNode { search, node, candidates, can_run, surely, failed: None }
    }

    /// The threads that may run.
    pub(crate) fn all_that_run(&mut self) -> Vec<u32> {
        let candidates = self.candidates.clone();
        candidates.into_iter().filter(|thread| self.may_run(*thread)).collect()
    }

    /// The threads to run: a source set.
    pub(crate) fn source_set(&mut self) -> Vec<u32> {
        let n = self.candidates.len();
        if n > MAX_THREADS {
            return self.all_that_run();
        }
        let chosen = SourceSets::default().smallest(self, &(0..n).collect());
        chosen.iter().map(|position| self.candidates[position]).collect()
    }

    /// One thread to begin with where what follows decides about the others; all if none surely goes on.
    pub(crate) fn first(&mut self, can_run: &[u32]) -> Vec<u32> {
        let set = self.source_set();
        let good = |this: &mut Self, thread: u32| this.is_sure_to_run(thread) && !this.outgoing(thread).may_end;
        match set.iter().copied().find(|thread| good(self, *thread)) {
            Some(thread) => vec![thread],
            None => can_run.to_vec(),
        }
    }

    /// These threads, as a set of positions; those that are not among the candidates are left out.
    pub(crate) fn positions(&self, threads: &[u32]) -> ThreadSet {
        threads.iter().filter_map(|thread| self.position(*thread)).collect()
    }

    pub(crate) fn position(&self, thread: u32) -> Option<usize> {
        self.candidates.iter().position(|other| *other == thread)
    }

    pub(crate) fn thread(&self, position: usize) -> u32 {
        self.candidates[position]
    }

    fn outgoing(&self, thread: u32) -> &Outgoing {
        let at = self.search.graph.node(self.node).control.at(thread);
        self.search.world.actions.next(at.proc, at.loc)
    }

    /// The conditions of each edge of a thread.
    fn guards(&mut self, thread: u32) -> Vec<TermId> {
        let control = self.search.graph.node(self.node).control.clone();
        let at = control.at(thread);
        let edges = self.search.world.actions.next(at.proc, at.loc).edges.clone();
        edges
            .into_iter()
            .map(|edge| {
                let summary = self.search.summary(self.node, thread, EdgeRef { proc: at.proc, edge });
                let cells = &mut self.search.world.cells;
                let goes_on = cells.pool.and_all(&summary.guards);
                let bads: Vec<TermId> = summary.bads.iter().map(|bad| bad.cond).collect();
                let goes_wrong = cells.pool.or_all(&bads);
                cells.pool.or(goes_on, goes_wrong)
            })
            .collect()
    }

    /// Whether a condition holds in the node whatever else is true, or never does.
    fn is_possible(&mut self, cond: TermId) -> bool {
        let state = self.search.graph.node(self.node).state.clone();
        let precision = self.search.precision;
        let world = &mut *self.search.world;
        let cond = state.bind(&mut world.cells, cond);
        for cube in &state.cubes {
            let context = state.context(&mut world.cells, precision, cube);
            match world.entailment.is_possible(&mut world.cells, &context, cond) {
                Ok(false) => {}
                Ok(true) => return true,
                Err(why) => {
                    self.failed = Some(why);
                    return true;
                }
            }
        }
        false
    }

    fn may_run(&mut self, thread: u32) -> bool {
        if let Some(known) = self.can_run.get(&thread) {
            return *known;
        }
        let control = self.search.graph.node(self.node).control.clone();
        let at = control.at(thread);
        let next = self.search.world.actions.next(at.proc, at.loc);
        let can_run = if next.edges.is_empty() {
            false
        } else if !next.may_wait && self.search.is_total(self.node, thread) {
            true
        } else {
            let guards = self.guards(thread);
            let any = self.search.world.cells.pool.or_all(&guards);
            self.is_possible(any)
        };
        self.can_run.insert(thread, can_run);
        can_run
    }

    fn is_sure_to_run(&mut self, thread: u32) -> bool {
        if let Some(known) = self.surely.get(&thread) {
            return *known;
        }
        // Perhaps nobody stands at a counted place.
        let surely = !is_counted(thread)
            && (self.search.is_total(self.node, thread) || {
                let guards = self.guards(thread);
                let any = self.search.world.cells.pool.or_all(&guards);
                let state = self.search.graph.node(self.node).state.clone();
                let cells = &mut self.search.world.cells;
                let any = state.bind(cells, any);
                let vars = cells.vars_in(any);
                let is_free = vars.iter().all(|var| !self.search.precision.mentions(*var));
                let cells = &mut self.search.world.cells;
                // Where deadlocks are asked about it matters whether it really waits.
                let is_free = is_free && !self.search.world.properties.has(ir::Property::Deadlock);
                if cells.pool.as_const(any).is_none() && is_free {
                    true
                } else {
                    let never = cells.pool.not(any);
                    !self.is_possible(never)
                }
            });
        self.surely.insert(thread, surely);
        surely
    }

    /// Whom a thread waits for, by its number.
    fn joins(&mut self, thread: u32) -> Joins {
        let control = self.search.graph.node(self.node).control.clone();
        let at = control.at(thread);
        let next = self.search.world.actions.next(at.proc, at.loc);
        if !next.may_join {
            return Joins::Nobody;
        }
        let program = self.search.world.cells.program;
        let state = self.search.graph.node(self.node).state.clone();
        let cells = &mut self.search.world.cells;
        let mut joins = Joins::Nobody;
        for edge in &next.edges {
            // Joins later in an atomic section, and those whose handle is computed on the same edge, are left open.
            let stmts = &program.edge(EdgeRef { proc: at.proc, edge: *edge }).stmts;
            let Some(Op::Join { thread: handle, .. }) = stmts.first().map(|stmt| &stmt.op) else {
                return Joins::Anybody;
            };
            let vars = cells.vars_in(*handle);
            let own: Vec<(logic::VarId, TermId)> = vars
                .iter()
                .map(|var| {
                    let own = cells.var(Cell::Own(thread, *var));
                    (*var, cells.pool.var(own))
                })
                .collect();
            let find = |var| own.iter().find(|(other, _)| *other == var).map(|(_, own)| *own);
            let handle = cells.pool.substitute(*handle, &find);
            let Some(handle) = resolver(&state)(cells, handle) else { return Joins::Anybody };
            let Some(index) = handle.checked_sub(1).filter(|index| (*index as usize) < control.threads.len()) else {
                return Joins::Anybody;
            };
            if !control.threads[index as usize].has_ended {
                joins = Joins::Thread(index as usize);
            }
        }
        joins
    }
}

impl Threads for AtNode<'_, '_, '_> {
    fn probe(&mut self, position: usize, next: &mut Next) {
        let thread = self.candidates[position];
        next.can_run = self.may_run(thread);
        let Outgoing { may_end, is_in_loop, .. } = *self.outgoing(thread);
        (next.needs_all, next.is_in_loop) = (may_end, is_in_loop);
        (next.reads, next.writes) = self.search.next_targets(self.node, thread, Seen::FromHere);
        next.joins = match self.joins(thread) {
            // Whoever is not a candidate has no position, and does not end its life before the candidates run.
            Joins::Thread(joined) => Joins::Thread(self.position(joined as u32).unwrap_or(usize::MAX)),
            other => other,
        };
    }

    fn future(&self, position: usize) -> &Future {
        let at = self.search.graph.node(self.node).control.at(self.candidates[position]);
        self.search.world.actions.future(at.proc, at.loc)
    }

    fn surely_runs(&mut self, position: usize) -> bool {
        self.is_sure_to_run(self.candidates[position])
    }
}

impl Search<'_, '_> {
    /// Whether the edges of the thread's location together cover all cases.
    pub(crate) fn is_total(&mut self, node: NodeId, thread: u32) -> bool {
        let control = self.graph.node(node).control.clone();
        let at = control.at(thread);
        if let Some(known) = self.world.is_total.get(&(at.proc.0, at.loc.0)) {
            return *known;
        }
        let next = self.world.actions.next(at.proc, at.loc);
        let edges = next.edges.clone();
        let mut is_total = !next.may_wait && !edges.is_empty();
        if is_total {
            let mut cases = Vec::new();
            for edge in edges {
                let summary = self.summary(node, thread, EdgeRef { proc: at.proc, edge });
                let cells = &mut self.world.cells;
                let goes_on = cells.pool.and_all(&summary.guards);
                let bads: Vec<TermId> = summary.bads.iter().map(|bad| bad.cond).collect();
                let goes_wrong = cells.pool.or_all(&bads);
                cases.push(cells.pool.or(goes_on, goes_wrong));
                // A check that ends the process without a violation lets the thread go on, in a way.
                is_total &= !summary.is_vague;
            }
            let cells = &mut self.world.cells;
            let any = cells.pool.or_all(&cases);
            let never = cells.pool.not(any);
            is_total = is_total && self.world.entailment.is_possible(cells, &[], never).is_ok_and(|possible| !possible);
        }
        self.world.is_total.insert((at.proc.0, at.loc.0), is_total);
        is_total
    }

    /// What the next steps of a thread read and write, as far as it counts.
    pub(crate) fn next_targets(&mut self, node: NodeId, thread: u32, seen: Seen) -> (TargetList, TargetList) {
        let control = self.graph.node(node).control.clone();
        let at = control.at(thread);
        let next = self.world.actions.next(at.proc, at.loc);
        let counts = |target: &&TargetId| self.mask.contains(**target as usize);
        let mut reads: TargetList = next.reads.iter().filter(counts).copied().collect();
        let mut writes: TargetList = next.writes.iter().filter(counts).copied().collect();
        let world = &mut *self.world;
        let from = (seen == Seen::FromHere).then_some(&*control);
        if let Some(dropped) = world.cone.dropped_targets(&world.actions, (at.proc, at.loc), from) {
            reads.retain(|target| !dropped.contains(*target as usize));
            writes.retain(|target| !dropped.contains(*target as usize));
        }
        (reads, writes)
    }
}
