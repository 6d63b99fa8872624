//! Which abstract states can be reached with a precision? Explore until an error is possible, or nothing is left.
//!
//! Known as: abstract reachability analysis, the model checking step of CEGAR \[Clarke03].
//!
//! A node is expanded by the steps of the threads that the reduction selects; each step is simplified by the cone and handed to the domain.
//! When nothing is left, the cycle proviso looks whether the reduction has put a thread off for ever, and [`dpor`] what else it has not seen coming.
//!
//! Invariant: when the search ends without an error, every error of the program would have been seen (Theorems 2 and 4 of \[Telbisz24]).

pub(crate) mod counter_abstraction;
pub(crate) mod dpor;
pub(crate) mod proof;
pub(crate) mod reachability_graph;
pub(crate) mod reduction;
pub(crate) mod successor;

use super::world::{Reduction, Strategy, World};
use crate::abstraction::cells::Cells;
use crate::abstraction::cone::Taken;
use crate::abstraction::control::{Change, Control, is_counted};
use crate::abstraction::refine::Attempt;
use crate::abstraction::state::{Abstract, Precision};
use crate::abstraction::symbolic::{self, Bad, BadKind, Summary};
use crate::abstraction::waiting;
use crate::clock;
use crate::explore::por::cycle_proviso;
use crate::run::Run;
use fixedbitset::FixedBitSet;
use ir::{EdgeId, EdgeRef, Property, Why};
use logic::{TermId, VarId};
use reachability_graph::{Node, NodeId, ReachabilityGraph};
use reduction::AtNode;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BinaryHeap;
use std::rc::Rc;
use successor::after_step;

/// Why exploration ends early.
pub(crate) enum Halt {
    /// An error seems to be possible, in a step from a node or in the node.
    Error(Attempt, NodeId),
    /// A cell that is tracked by value takes many values.
    ManyValues(VarId),
    /// Out of time, memory or patience.
    Stopped(Why),
}

/// One round: exploration with a fixed precision.
pub(crate) struct Search<'w, 'p> {
    pub(crate) world: &'w mut World<'p>,
    pub(crate) precision: &'w Precision,
    pub(crate) graph: ReachabilityGraph,
    /// Targets whose dependencies count.
    pub(crate) mask: FixedBitSet,
    open: BinaryHeap<(i64, i64, NodeId)>,
    /// Paths to errors that were found before the one that ended the round.
    pub(crate) more: Vec<(Attempt, NodeId)>,
    /// How many nodes are left of an earlier round, with another precision, and have to be looked at again.
    n_kept: usize,
    /// The values that cells have taken, if somebody wants to know when they are many.
    values: Option<FxHashMap<VarId, FxHashSet<TermId>>>,
}

/// A cell with more values than this in one round is better described by predicates.
const MANY_VALUES: usize = 16;

impl<'w, 'p> Search<'w, 'p> {
    /// A round from the beginning.
    pub(crate) fn new(world: &'w mut World<'p>, precision: &'w Precision) -> Search<'w, 'p> {
        let started = clock::computed();
        world.cone.begin(&mut world.cells, precision);
        world.counts.successor_time += clock::computed().saturating_sub(started);
        let mask = if world.reduction.is_aware() { tracked(world, precision) } else { world.actions.all() };
        let values = world.counts_values.then(FxHashMap::default);
        let (graph, open) = (ReachabilityGraph::default(), BinaryHeap::new());
        Search { world, precision, graph, mask, open, more: Vec::new(), n_kept: 0, values }
    }

    /// Goes on with what is left of the graph of an earlier round. Its states know less than they could, and allow no less. What was left out there may have to be explored
    /// now that more is known: `again` looks.
    pub(crate) fn resume(&mut self, graph: ReachabilityGraph) {
        self.graph = graph;
        self.n_kept = self.graph.nodes.len();
        for id in 0..self.graph.nodes.len() as NodeId {
            let node = self.graph.node(id);
            if !node.is_pruned && !node.is_expanded && node.covered_by.is_none() {
                self.put(id);
            }
        }
    }

    /// Explores everything.
    pub(crate) fn explore(&mut self, run: &mut Run) -> Result<(), Halt> {
        if self.graph.nodes.is_empty() {
            let control = Control::initial(self.world.cells.program);
            let state = self.initial().map_err(|why| Halt::Stopped(run.why_stopped(why)))?;
            let root = self.graph.add(control, state, None);
            self.world.counts.states += 1;
            self.put(root);
        }
        let result = loop {
            while let Some((_, _, node)) = self.open.pop() {
                if let Some(why) = run.stop_soon() {
                    return Err(Halt::Stopped(why));
                }
                if self.graph.nodes.len().is_multiple_of(64) {
                    run.reached.count("abstract states", self.graph.nodes.len() as u64);
                    run.reached.count("of them open", self.open.len() as u64);
                }
                if let Err(halt) = self.expand(node, run).or_else(|halt| self.put_aside(halt)) {
                    self.world.counts.covered += self.graph.n_covered;
                    return Err(halt);
                }
            }
            if !self.more.is_empty() {
                let (attempt, node) = self.more.remove(0);
                break Err(Halt::Error(attempt, node));
            }
            match self.missing() {
                missing if missing.is_empty() => break Ok(()),
                missing => {
                    for (node, thread) in missing {
                        if let Err(halt) = self.take(node, thread, run).or_else(|halt| self.put_aside(halt)) {
                            self.world.counts.covered += self.graph.n_covered;
                            return Err(halt);
                        }
                    }
                }
            }
        };
        self.world.counts.covered += self.graph.n_covered;
        result
    }

    /// Keeps a path to an error for later, if more of them are wanted; the graph is no proof any more.
    fn put_aside(&mut self, halt: Halt) -> Result<(), Halt> {
        let Halt::Error(attempt, node) = halt else { return Err(halt) };
        self.more.push((attempt, node));
        if self.more.len() < self.world.n_paths {
            return Ok(());
        }
        let (attempt, node) = self.more.remove(0);
        Err(Halt::Error(attempt, node))
    }

    /// What is left of an earlier round was explored as far as the precision of that round wanted it: threads that this one wants, too. A set of threads that holds a source set
    /// is one, so that nothing has to be taken back. Even where all accesses count, who surely goes on depends on what is tracked.
    fn again(&mut self) -> Vec<(NodeId, u32)> {
        let n_kept = std::mem::take(&mut self.n_kept);
        let mut wanted = Vec::new();
        for node in 0..n_kept as NodeId {
            let Node { is_expanded, is_pruned, covered_by, can_run, .. } = self.graph.node(node);
            if !is_expanded || *is_pruned || covered_by.is_some() || can_run.len() <= 1 {
                continue;
            }
            let can_run = can_run.clone();
            let chosen = match self.candidates(node) {
                Ok(candidates) => AtNode::new(self, node, candidates).source_set(),
                Err(_) => can_run.clone(),
            };
            let explored = &self.graph.node(node).explored;
            let is_missing = |thread: &u32| can_run.contains(thread) && !explored.contains(thread);
            wanted.extend(chosen.into_iter().filter(is_missing).map(|thread| (node, thread)));
        }
        wanted
    }

    /// Nodes and threads that have to be explored there, although the reduction left them out.
    fn missing(&mut self) -> Vec<(NodeId, u32)> {
        // Dynamic reduction looks at the whole graph anyway.
        if self.n_kept > 0 && matches!(self.world.reduction, Reduction::Source | Reduction::Aware) {
            let again = self.again();
            if !again.is_empty() {
                return again;
            }
        }
        let needed = if self.world.reduction.is_dynamic() { dpor::needed(self) } else { Vec::new() };
        match self.world.reduction {
            Reduction::None => Vec::new(),
            _ if !needed.is_empty() => needed,
            _ => cycle_proviso::ignored(&self.graph),
        }
    }

    /// What is known before the first step.
    fn initial(&mut self) -> Result<Abstract, smt::Why> {
        let world = &mut *self.world;
        let mut state = Abstract::default();
        let mut tracked: Vec<VarId> = self.precision.cells.iter().copied().collect();
        tracked.sort_unstable();
        for var in tracked {
            state.values.extend(world.cells.initial(var).map(|value| (var, value)));
        }
        let mut cube = Vec::new();
        for (number, predicate) in self.precision.predicates.iter().enumerate() {
            let vars = world.cells.vars_in(*predicate);
            let initial: FxHashMap<VarId, TermId> =
                vars.iter().filter_map(|var| Some((*var, world.cells.initial(*var)?))).collect();
            let term = world.cells.pool.substitute(*predicate, &|var| initial.get(&var).copied());
            if let Some(holds) = world.entailment.value(&mut world.cells, &[], term)? {
                cube.push((number as u32, holds));
            }
        }
        state.cubes.push(cube);
        Ok(state)
    }

    fn put(&mut self, node: NodeId) {
        let depth = i64::from(self.graph.node(node).depth);
        let number = i64::from(node);
        let rank = match self.world.order {
            Strategy::Breadth => (-depth, -number),
            Strategy::Depth => (depth, number),
            Strategy::Distance => {
                let control = &self.graph.node(node).control;
                let near = |thread: u32| {
                    let at = control.at(thread);
                    self.world.distance[at.proc.index()][at.loc.index()]
                };
                let nearest = control.alive().map(near).min().unwrap_or(u32::MAX);
                (-i64::from(nearest) - depth, number)
            }
        };
        self.open.push((rank.0, rank.1, node));
    }

    fn expand(&mut self, node: NodeId, run: &mut Run) -> Result<(), Halt> {
        if self.graph.node(node).control.has_ended || self.graph.node(node).covered_by.is_some() {
            return Ok(());
        }
        let stopped = |why| Halt::Stopped(run.why_stopped(why));
        if self.graph.node(node).control.has_counted
            && let Some(other) = self.covering(node).map_err(stopped)?
        {
            // Sets of counted threads grow, so that what was found later often allows more.
            self.graph.cover(node, other);
            return Ok(());
        }
        if self.world.properties.has(Property::Deadlock) && self.may_deadlock(node).map_err(stopped)? {
            let steps = self.graph.path(node);
            return Err(Halt::Error(Attempt { steps, stmt: 0, kind: BadKind::Deadlock, holds: None }, node));
        }
        let candidates = self.candidates(node).map_err(stopped)?;
        let mut at = AtNode::new(self, node, candidates);
        let can_run = at.all_that_run();
        let chosen = match at.search.world.reduction {
            _ if can_run.len() <= 1 => can_run.clone(),
            Reduction::None => can_run.clone(),
            Reduction::Source | Reduction::Aware => at.source_set(),
            Reduction::Dynamic | Reduction::AwareDynamic => at.first(&can_run),
        };
        if let Some(why) = at.failed.take() {
            return Err(stopped(why));
        }
        self.graph.nodes[node as usize].can_run = can_run;
        self.graph.nodes[node as usize].is_expanded = true;
        for thread in chosen {
            self.take(node, thread, run)?;
        }
        Ok(())
    }

    /// Whether all threads may wait in a node. Counted places may be empty, so they do not matter.
    fn may_deadlock(&mut self, node: NodeId) -> Result<bool, smt::Why> {
        let (control, state) = (self.graph.node(node).control.clone(), self.graph.node(node).state.clone());
        let named: Vec<u32> = control.alive().filter(|thread| !is_counted(*thread)).collect();
        let may_wait = |thread: &u32| {
            let at = control.at(*thread);
            self.world.actions.next(at.proc, at.loc).may_wait
        };
        if !named.iter().all(may_wait) {
            return Ok(false);
        }
        let world = &mut *self.world;
        let mut all = Vec::new();
        for thread in named {
            let waits = waiting::waits(
                &mut world.cells,
                world.properties,
                &control,
                thread,
                &mut resolver(&state),
                &mut Vec::new(),
            );
            all.push(state.bind(&mut world.cells, waits));
        }
        let cond = world.cells.pool.and_all(&all);
        for cube in &state.cubes {
            let context = state.context(&mut world.cells, self.precision, cube);
            if world.entailment.is_possible(&mut world.cells, &context, cond)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Threads that may run, atomic sections considered.
    fn candidates(&mut self, node: NodeId) -> Result<Vec<u32>, smt::Why> {
        let control = self.graph.node(node).control.clone();
        let all: Vec<u32> = control.alive().collect();
        let Some(holder) = control.holder else { return Ok(all) };
        let at = control.at(holder);
        if !self.world.actions.next(at.proc, at.loc).may_wait {
            return Ok(vec![holder]);
        }
        let state = self.graph.node(node).state.clone();
        let world = &mut *self.world;
        let waits = waiting::waits(
            &mut world.cells,
            world.properties,
            &control,
            holder,
            &mut resolver(&state),
            &mut Vec::new(),
        );
        let waits = state.bind(&mut world.cells, waits);
        for cube in &state.cubes {
            let context = state.context(&mut world.cells, self.precision, cube);
            if world.entailment.is_possible(&mut world.cells, &context, waits)? {
                return Ok(all);
            }
        }
        Ok(vec![holder])
    }

    /// What an edge does for a thread in a state.
    pub(crate) fn summary(&mut self, node: NodeId, thread: u32, edge: EdgeRef) -> Rc<Summary> {
        if let Some(summary) = self.world.summaries.get(&(thread, edge)) {
            return summary.clone();
        }
        let world = &mut *self.world;
        let is_fixed = symbolic::is_fixed(&world.cells, edge);
        let (control, state) = (self.graph.node(node).control.clone(), self.graph.node(node).state.clone());
        let mut summary =
            symbolic::run(&mut world.cells, world.properties, &control, thread, edge, &mut resolver(&state));
        summary.is_fixed = is_fixed;
        let summary = Rc::new(summary);
        if is_fixed {
            world.summaries.insert((thread, edge), summary.clone());
        }
        summary
    }

    /// Explores all steps of a thread from a node.
    fn take(&mut self, node: NodeId, thread: u32, run: &mut Run) -> Result<(), Halt> {
        self.graph.nodes[node as usize].explored.push(thread);
        let control = self.graph.node(node).control.clone();
        let at = control.at(thread);
        let edges: Vec<EdgeId> = self.world.actions.next(at.proc, at.loc).edges.clone();
        for edge in edges {
            let edge = EdgeRef { proc: at.proc, edge };
            self.step(node, thread, edge).map_err(|halt| match halt {
                StepHalt::Error(attempt) => Halt::Error(attempt, node),
                StepHalt::ManyValues(var) => Halt::ManyValues(var),
                StepHalt::Stopped(why) => Halt::Stopped(run.why_stopped(why)),
            })?;
        }
        Ok(())
    }

    fn step(&mut self, node: NodeId, thread: u32, edge: EdgeRef) -> Result<(), StepHalt> {
        let started = clock::computed();
        let successors = self.successors(node, thread, edge);
        self.world.counts.successor_time += clock::computed().saturating_sub(started);
        let (next, after) = successors?;
        for state in after {
            self.reach(node, thread, edge, &next, state)?;
        }
        Ok(())
    }

    /// Where a step leads, and what can be known there.
    fn successors(&mut self, node: NodeId, thread: u32, edge: EdgeRef) -> Result<(Control, Vec<Abstract>), StepHalt> {
        let summary = self.summary(node, thread, edge);
        let (control, state) = (self.graph.node(node).control.clone(), self.graph.node(node).state.clone());
        let world = &mut *self.world;
        world.counts.actions += 1;
        let guards = waiting::others_wait(
            &mut world.cells,
            world.properties,
            &control,
            thread,
            &mut resolver(&state),
            &mut Vec::new(),
        );
        for bad in &summary.bads {
            if self.is_possible(&state, &guards, bad, edge)? {
                let mut steps = self.graph.path(node);
                steps.push((thread, edge));
                return Err(StepHalt::Error(Attempt { steps, stmt: bad.stmt, kind: bad.kind.clone(), holds: None }));
            }
        }
        let world = &mut *self.world;
        let to = world.cells.program.edge(edge).to;
        let next = control.after(world.cells.program, thread, to, &summary.changes);
        if self.starts_many(&control, thread, edge, &summary, &next) {
            let mut steps = self.graph.path(node);
            steps.push((thread, edge));
            return Err(StepHalt::Error(Attempt { steps, stmt: 0, kind: BadKind::ManyThreads, holds: None }));
        }
        let world = &mut *self.world;
        let mut after = Vec::new();
        let taken = &Taken { thread, edge, after: &next, view: Default::default() };
        if next.has_counted {
            let left_at = (control.at_place(thread) == Some(true)).then_some(thread);
            for case in counter_abstraction::cases(&mut world.cells, self.precision, &control, thread, to, &summary) {
                let found = after_step(world, self.precision, &state, &case, &guards, taken, left_at)?;
                after.extend(found);
            }
            after = counter_abstraction::joined(after, world.domain.keeps_combinations()).into_iter().collect();
        } else {
            after = after_step(world, self.precision, &state, &summary, &guards, taken, None)?;
        }
        Ok((next, after))
    }

    /// Whether a loop has started so many threads that they are better not told apart.
    fn starts_many(&self, before: &Control, thread: u32, edge: EdgeRef, summary: &Summary, after: &Control) -> bool {
        let at = before.at(thread);
        if !self.world.watches_starts || after.has_counted || !self.world.actions.next(at.proc, at.loc).is_in_loop {
            return false;
        }
        let limit = if counter_abstraction::is_endless(self.world.cells.program, edge) { 3 } else { 8 };
        summary.changes.iter().any(|change| match change {
            Change::Start(proc) => after.threads.iter().filter(|thread| thread.proc == *proc).count() > limit,
            _ => false,
        })
    }

    fn is_possible(&mut self, state: &Abstract, guards: &[TermId], bad: &Bad, edge: EdgeRef) -> Result<bool, smt::Why> {
        let world = &mut *self.world;
        if world.passed_over.contains(&(edge, bad.stmt)) && matches!(bad.kind, BadKind::Beyond(_)) {
            return Ok(false);
        }
        let mut cond = bad.cond;
        for guard in guards {
            cond = world.cells.pool.and(cond, *guard);
        }
        let cond = state.bind(&mut world.cells, cond);
        for cube in &state.cubes {
            let context = state.context(&mut world.cells, self.precision, cube);
            if world.entailment.is_possible(&mut world.cells, &context, cond)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A state has been reached: a new node, unless another one covers it.
    fn reach(
        &mut self,
        node: NodeId,
        thread: u32,
        edge: EdgeRef,
        control: &Control,
        state: Abstract,
    ) -> Result<(), StepHalt> {
        let world = &mut *self.world;
        if let Some(values) = &mut self.values {
            for (var, value) in &state.values {
                let own = values.entry(*var).or_default();
                own.insert(*value);
                if own.len() > MANY_VALUES {
                    return Err(StepHalt::ManyValues(*var));
                }
            }
        }
        let new = self.graph.add(control.clone(), state, Some((node, thread, edge)));
        world.counts.states += 1;
        match self.covering(new)? {
            Some(other) => self.graph.cover(new, other),
            None => self.put(new),
        }
        Ok(())
    }

    /// A node that allows everything that a node allows.
    fn covering(&mut self, new: NodeId) -> Result<Option<NodeId>, smt::Why> {
        let candidates: Vec<NodeId> = self.graph.candidates(new).collect();
        let (control, state) = (self.graph.node(new).control.clone(), self.graph.node(new).state.clone());
        let mut weaker: Vec<(NodeId, Rc<Abstract>)> = Vec::new();
        for other in candidates {
            let mut allowed = self.graph.node(other).state.clone();
            if control.has_counted {
                let cells = &mut self.world.cells;
                allowed = Rc::new(counter_abstraction::about_inhabited(cells, self.precision, &control, &allowed));
            }
            if state.is_within(&allowed) {
                return Ok(Some(other));
            }
            if weaker.len() < 8 {
                weaker.push((other, allowed));
            }
        }
        if self.precision.predicates.is_empty() {
            return Ok(None);
        }
        let world = &mut *self.world;
        let own = state.formula(&mut world.cells, self.precision);
        for (other, allowed) in weaker {
            let allowed = allowed.formula(&mut world.cells, self.precision);
            let negation = world.cells.pool.not(allowed);
            if !world.entailment.is_possible(&mut world.cells, &[own], negation)? {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }
}

/// Resolves what a state knows the value of.
pub(crate) fn resolver(state: &Abstract) -> impl FnMut(&mut Cells<'_>, TermId) -> Option<u64> + '_ {
    move |cells, term| {
        let value = state.bind(cells, term);
        cells.pool.as_const(value).map(|value| value.as_bv().as_u64())
    }
}

enum StepHalt {
    Error(Attempt),
    ManyValues(VarId),
    Stopped(smt::Why),
}

impl From<smt::Why> for StepHalt {
    fn from(why: smt::Why) -> StepHalt {
        StepHalt::Stopped(why)
    }
}

/// The targets about which something is known, and those that always count.
fn tracked(world: &World<'_>, precision: &Precision) -> FixedBitSet {
    use crate::abstraction::cells::Cell;
    let mut mask = world.actions.structural().clone();
    let targets = &world.actions.targets;
    for var in precision.vars() {
        match world.cells.cell(var) {
            Some(Cell::Global(var)) => mask.extend(targets.of_var(var).map(|target| target as usize)),
            Some(Cell::Bytes(addr, len)) => {
                let objects = world.cells.program.objects.iter();
                match objects.enumerate().find(|(_, object)| addr >= object.base && addr - object.base < object.size) {
                    Some((index, object)) => {
                        let parts = targets.of_bytes(index, addr - object.base, len);
                        mask.extend(parts.map(|target| target as usize));
                    }
                    None => {
                        mask.insert(targets.of_dynamic(world.cells.region(var)) as usize);
                        mask.insert(targets.of_dynamic(ir::RegionId::ANYWHERE) as usize);
                    }
                }
            }
            Some(Cell::Own(..) | Cell::Result(_)) | None => {}
        }
    }
    mask
}
