//! What does a thread do next from a node, and where does that lead?
//!
//! Known as: transition formulas; large-block encoding \[Beyer09] where branches are one formula.
//!
//! The edges of a location that lead to the same place and differ in nothing but values become one step: what it writes is told by cases, and the cases are those of the
//! program's own branches. So a choice that others do not see costs one node instead of one for each way through it. Which of its edges a step is, is asked when a path goes wrong.
//!
//! Invariant: a step holds what exactly one of its ways does, whichever can be taken; each way excludes the others.

use super::path::conjuncts;
use super::tree::{NextSteps, NodeId, Place, Step, Way};
use super::unwinding::{Halt, Order, Unwinding};
use crate::abstraction::cells::Cells;
use crate::abstraction::control::{Change, Control};
use crate::abstraction::symbolic::{self, Summary};
use crate::abstraction::waiting;
use ir::EdgeRef;
use logic::{TermId, VarId};
use std::rc::Rc;

/// Values that one step asks its path for.
const MAX_ASKED: usize = 16;
/// Cells that a computed address may name.
const MAX_CASES: usize = 24;

impl Unwinding<'_, '_> {
    /// What a thread may do next from a node.
    pub(super) fn next_steps(&mut self, node: NodeId, thread: u32) -> Rc<NextSteps> {
        let place = self.tree.place(node);
        let at = place.control.at(thread);
        let edges: Vec<EdgeRef> = self.world.touches.edges(at.proc, at.loc).collect();
        let is_fixed = edges.iter().all(|edge| symbolic::is_fixed(&self.world.cells, *edge));
        let key = ((!is_fixed).then_some(self.tree.node(node).place), thread, at.proc.0, at.loc.0);
        let waits_for_holder = place.control.holder.is_some_and(|holder| holder != thread);
        if !waits_for_holder && let Some(next) = self.world.steps.of_location.get(&key) {
            return next.clone();
        }
        let ways: Vec<Rc<Step>> = edges.iter().map(|edge| self.step(node, thread, *edge)).collect();
        let is_known = |edge: &EdgeRef| self.is_known_step(node, thread, *edge);
        let is_same_elsewhere = !waits_for_holder && edges.iter().all(is_known);
        let steps = match is_same_elsewhere && self.world.bundles {
            true => self.bundle(&ways),
            false => ways.clone(),
        };
        let next = Rc::new(NextSteps { ways, steps });
        if is_same_elsewhere {
            self.world.steps.of_location.insert(key, next.clone());
        }
        next
    }

    /// Puts steps together that lead to the same place.
    pub(super) fn bundle(&mut self, ways: &[Rc<Step>]) -> Vec<Rc<Step>> {
        let program = self.world.cells.program;
        let mut groups: Vec<Vec<Rc<Step>>> = Vec::new();
        for way in ways {
            let is_alike = |group: &&mut Vec<Rc<Step>>| {
                let (one, other) = (program.edge(group[0].edge()), program.edge(way.edge()));
                one.to == other.to
                    && is_plain(way)
                    && is_plain(&group[0])
                    && way.summary.changes == group[0].summary.changes
            };
            match groups.iter_mut().find(is_alike) {
                Some(group) => group.push(way.clone()),
                None => groups.push(vec![way.clone()]),
            }
        }
        let mut steps = Vec::new();
        for group in groups {
            match self.together(&group) {
                Some(step) => steps.push(Rc::new(step)),
                None => steps.extend(group),
            }
        }
        steps
    }

    /// One step for several that exclude each other; none if it does not show that they do.
    fn together(&mut self, group: &[Rc<Step>]) -> Option<Step> {
        if group.len() == 1 {
            return None;
        }
        let cells = &mut self.world.cells;
        let alternatives: Vec<(usize, &[TermId])> =
            group.iter().enumerate().map(|(index, step)| (index, &step.summary.guards[..])).collect();
        let cases = Cases::of(cells, &alternatives)?;
        let mut guards = Vec::new();
        let guard = cases.guard(cells);
        conjuncts(cells, guard, &mut guards);
        let mut written: Vec<VarId> =
            group.iter().flat_map(|step| step.summary.updates.iter().map(|(var, _)| *var)).collect();
        written.sort_unstable();
        written.dedup();
        let mut updates = Vec::with_capacity(written.len());
        for var in written {
            let values: Vec<TermId> = group
                .iter()
                .map(|step| {
                    let update = step.summary.updates.iter().find(|(other, _)| *other == var);
                    update.map_or_else(|| cells.pool.var(var), |(_, value)| *value)
                })
                .collect();
            updates.push((var, cases.value(cells, &values)));
        }
        let summary = Summary {
            guards: guards.clone(),
            updates,
            changes: group[0].summary.changes.clone(),
            touches: group.iter().flat_map(|step| step.summary.touches.iter().copied()).collect(),
            ..Summary::default()
        };
        let ways = group.iter().flat_map(|step| step.ways.iter().cloned()).collect();
        Some(Step { summary: Rc::new(summary), others: Vec::new(), guards, ways })
    }

    /// Whether what an edge does has not been asked of the path to a node.
    fn is_known_step(&self, node: NodeId, thread: u32, edge: EdgeRef) -> bool {
        self.world.steps.of_edge.contains_key(&self.key(node, thread, edge))
    }

    fn key(&self, node: NodeId, thread: u32, edge: EdgeRef) -> (Option<u32>, u32, EdgeRef) {
        let is_fixed = symbolic::is_fixed(&self.world.cells, edge);
        ((!is_fixed).then_some(self.tree.node(node).place), thread, edge)
    }

    /// What a thread does from a node by an edge.
    pub(super) fn step(&mut self, node: NodeId, thread: u32, edge: EdgeRef) -> Rc<Step> {
        let place = self.tree.place(node);
        let waits_for_holder = place.control.holder.is_some_and(|holder| holder != thread);
        let key = self.key(node, thread, edge);
        let known = self.world.steps.of_edge.get(&key).cloned();
        let step = match known {
            Some(known) => known,
            None => {
                let (summary, is_same_elsewhere) = self.summary(node, &place.control, thread, edge);
                let mut guards = Vec::new();
                summary.guards.iter().for_each(|guard| conjuncts(&self.world.cells, *guard, &mut guards));
                let ways = vec![Way { edge, guards: guards.clone() }];
                let step = Rc::new(Step { summary: Rc::new(summary), others: Vec::new(), guards, ways });
                if is_same_elsewhere {
                    self.world.steps.of_edge.insert(key, step.clone());
                }
                step
            }
        };
        if !waits_for_holder {
            return step;
        }
        // Whoever waits at an address that nobody knows may wait.
        let mut resolve = |_: &mut Cells<'_>, _: TermId| None;
        let world = &mut *self.world;
        let waits = waiting::others_wait(
            &mut world.cells,
            world.properties,
            &place.control,
            thread,
            &mut resolve,
            &mut Vec::new(),
        );
        let mut others = Vec::new();
        waits.into_iter().for_each(|cond| conjuncts(&self.world.cells, cond, &mut others));
        let mut guards = others.clone();
        step.guards.iter().for_each(|guard| conjuncts(&self.world.cells, *guard, &mut guards));
        let ways = vec![Way { edge, guards: guards.clone() }];
        Rc::new(Step { summary: step.summary.clone(), others, guards, ways })
    }

    /// What an edge does as terms, and whether it does that wherever it is looked up by the same key.
    fn summary(&mut self, node: NodeId, control: &Control, thread: u32, edge: EdgeRef) -> (Summary, bool) {
        // What the path to the node knows is asked for in a second run, and then holds for this node alone.
        let mut asked: Vec<TermId> = Vec::new();
        let mut known: Vec<(TermId, Option<u64>)> = Vec::new();
        loop {
            let summary = {
                let (asked, known) = (&mut asked, &known);
                let mut resolve = |_: &mut Cells<'_>, term: TermId| match known.iter().find(|(other, _)| *other == term)
                {
                    Some((_, value)) => *value,
                    None if known.len() > MAX_ASKED => None,
                    None => {
                        asked.push(term);
                        None
                    }
                };
                let world = &mut *self.world;
                symbolic::run_by_cases(
                    &mut world.cells,
                    world.properties,
                    control,
                    (thread, edge),
                    &mut resolve,
                    MAX_CASES,
                )
            };
            let Some(term) = asked.pop() else { return (summary, known.is_empty()) };
            asked.clear();
            let value = self.value_after_path(node, term);
            known.push((term, value));
        }
    }

    /// Whether a step leads back in its automaton.
    pub(super) fn goes_back(&self, step: &Step) -> bool {
        self.world.touches.of(step.edge()).is_back
    }

    /// How many threads a path has started in loops, if a step is added.
    pub(super) fn n_started_after(&self, node: NodeId, step: &Step) -> u32 {
        let repeats = self.world.touches.of(step.edge()).repeats;
        let starts = step.summary.changes.iter().filter(|change| repeats && matches!(change, Change::Start(_)));
        self.tree.node(node).n_started + starts.count() as u32
    }

    /// Where a step leads.
    pub(super) fn place_after(&self, node: NodeId, thread: u32, step: &Step) -> Place {
        let place = self.tree.place(node);
        let program = self.world.cells.program;
        let control = place.control.after(program, thread, program.edge(step.edge()).to, &step.summary.changes);
        let turn = match self.world.order {
            Order::Lockstep if self.goes_back(step) => {
                self.world.turns.after(place.turn, thread, control.threads.len() as u32)
            }
            _ => place.turn,
        };
        Place { control, turn }
    }

    /// The edges from the start to a node, on an execution after which conditions hold.
    pub(super) fn steps_to(&mut self, node: NodeId, conds: &[TermId]) -> Result<Vec<(u32, EdgeRef)>, Halt> {
        let nodes = self.tree.path(0, node);
        let arrivals = self.arrivals(&nodes);
        let is_open = arrivals.iter().any(|arrival| arrival.step.ways.len() > 1);
        let execution = match is_open {
            true => self.execution(node, conds)?,
            false => None,
        };
        let mut steps = Vec::with_capacity(arrivals.len());
        for arrival in arrivals {
            let run = self.run_from_start(arrival.parent);
            let depth = self.tree.node(arrival.parent).depth as usize;
            let cells = &mut self.world.cells;
            let mut is_taken = |way: &&Way| {
                let Some(execution) = &execution else { return false };
                let holds = |guard: &TermId| {
                    let guard = run.term(cells, depth, *guard);
                    execution.satisfies(&cells.pool, guard)
                };
                way.guards.iter().all(holds)
            };
            let way = match &arrival.step.ways[..] {
                [way] => way,
                ways => ways.iter().find(|way| is_taken(way)).unwrap_or(&ways[0]),
            };
            steps.push((arrival.thread, way.edge));
        }
        Ok(steps)
    }
}

/// Whether a step neither waits nor changes anything but values and whether it is in an atomic section.
fn is_plain(step: &Step) -> bool {
    let is_plain =
        |change: &Change| matches!(change, Change::Begin | Change::End | Change::EndThread | Change::EndProcess);
    let summary = &step.summary;
    step.others.is_empty() && summary.waits.is_empty() && summary.changes.iter().all(is_plain)
}

/// How one of several alternatives is chosen, as far as their conditions come in the same order.
enum Cases {
    /// This one.
    Only(usize),
    /// It has to hold, whichever it is.
    If(TermId, Box<Cases>),
    /// One of the first if it holds, else one of the second.
    Either(TermId, Box<[Cases; 2]>),
}

impl Cases {
    /// The tree of choices between alternatives, each with all its conditions in order; none if it does not show that they exclude each other.
    fn of(cells: &mut Cells<'_>, alternatives: &[(usize, &[TermId])]) -> Option<Cases> {
        if let [(index, conds)] = alternatives {
            let cases = Cases::Only(*index);
            return Some(conds.iter().rev().fold(cases, |cases, cond| Cases::If(*cond, Box::new(cases))));
        }
        let cond = *alternatives.first()?.1.first()?;
        let opposite = cells.pool.not(cond);
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for (index, conds) in alternatives {
            let (first, rest) = conds.split_first()?;
            match *first {
                first if first == cond => with.push((*index, rest)),
                first if first == opposite => without.push((*index, rest)),
                _ => return None,
            }
        }
        let with = Cases::of(cells, &with)?;
        match without.is_empty() {
            true => Some(Cases::If(cond, Box::new(with))),
            false => Some(Cases::Either(cond, Box::new([with, Cases::of(cells, &without)?]))),
        }
    }

    /// That one of the alternatives can be taken.
    fn guard(&self, cells: &mut Cells<'_>) -> TermId {
        match self {
            Cases::Only(_) => cells.pool.bool(true),
            Cases::If(cond, cases) => {
                let rest = cases.guard(cells);
                cells.pool.and(*cond, rest)
            }
            Cases::Either(cond, cases) => {
                let [with, without] = [cases[0].guard(cells), cases[1].guard(cells)];
                cells.pool.ite(*cond, with, without)
            }
        }
    }

    /// A value that each alternative has its own of.
    fn value(&self, cells: &mut Cells<'_>, values: &[TermId]) -> TermId {
        match self {
            Cases::Only(index) => values[*index],
            Cases::If(_, cases) => cases.value(cells, values),
            Cases::Either(cond, cases) => {
                let [with, without] = [cases[0].value(cells, values), cases[1].value(cells, values)];
                cells.pool.ite(*cond, with, without)
            }
        }
    }
}
