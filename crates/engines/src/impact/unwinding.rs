//! How is the tree unwound until it is complete? Expand, refine, close.
//!
//! Known as: the Impact algorithm (lazy abstraction with interpolants) \[McMillan06], with threads: Concurrent Impact and dPOR-Impact, Algorithms 1 and 2 of \[Wachter13].
//!
//! A node is taken from the work list, covered if possible (`covering`), and else expanded: a child for each step of each thread that `skips` does not leave out. Children know nothing.
//! Where a step may go wrong as far as the label says, the path is looked at (`path`): it is the trace, or its nodes learn why it is not, which may
//! uncover others. Steps that start threads or make objects are only taken if the path can be: places would grow for ever otherwise.
//!
//! Invariant: the tree is well-labelled at all times, and every step that was expanded cannot go wrong in a state of its node. When the work list is
//! empty, the tree is complete: each active node has the steps of all threads that `skips` does not leave out, after its own step or that of a node it covers.

use super::independence::{Dependence, Touches};
use super::path::reasons::Reasons;
use super::path::{Interpolation, Outcome, Runs, conjuncts};
use super::races::Racer;
use super::tree::{Arrival, KnownSteps, NodeId, Open, Pair, Place, Promise, Step, Tree};
use crate::abstraction::cells::Cells;
use crate::abstraction::control::{Change, Control};
use crate::abstraction::entailment::Entailment;
use crate::abstraction::refine::Attempt;
use crate::abstraction::symbolic::BadKind;
use crate::explore::actions::Actions;
use crate::run::Run;
use ir::pass::Liveness;
use ir::{EdgeRef, Properties, Property, Turn, Turns, Why};
use logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::time::Instant;

/// What the unwinding works with.
pub(super) struct World<'p> {
    pub(super) cells: Cells<'p>,
    pub(super) entailment: Entailment,
    pub(super) actions: Actions,
    pub(super) touches: Touches,
    pub(super) properties: Properties,
    pub(super) reduction: Reduction,
    pub(super) order: Order,
    /// Who takes turns.
    pub(super) turns: Turns,
    /// Whether threads come first, and run alone, where nobody sees what they do next.
    pub(super) local_first: bool,
    /// Whether steps that access the same are independent where their outcome is the same in both orders.
    pub(super) compares_outcomes: bool,
    /// Which variables of a thread matter at each of its locations, by procedure.
    pub(super) liveness: Vec<Liveness>,
    pub(super) force_cover: bool,
    /// Whether what a covered node would have expanded is expanded where it is covered. Without it proofs are wrong; only a test does without.
    pub(super) expands_covers: bool,
    pub(super) interpolation: Interpolation,
    /// Whether branches that lead to the same place are one step.
    pub(super) bundles: bool,
    /// What threads do next, as far as it is the same elsewhere.
    pub(super) steps: KnownSteps,
    /// Why conditions cannot hold together, or that they can.
    pub(super) reasons: Reasons,
    /// Whether the edges of a location together cover all cases.
    pub(super) is_total: FxHashMap<(u32, u32), bool>,
    /// What is known to leave the model; it is passed over.
    pub(super) passed_over: FxHashSet<(EdgeRef, usize)>,
    /// Why nothing can be called safe any more.
    pub(super) unknown: Option<Why>,
    pub(super) counts: Counts,
}

/// Which interleavings are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reduction {
    None,
    /// Those around steps that nobody sees.
    Shared,
    /// Those with independent neighbours the wrong way round.
    Monotonic,
    /// Those with a step that could have been made earlier, where its thread comes first.
    Sleep,
}

/// Which interleaving stands for its class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    Sequential,
    Lockstep,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) refuted: u64,
    pub(super) covered: u64,
    pub(super) forced: u64,
    /// Implications between labels that a solver was asked about.
    pub(super) implications: u64,
    /// Nodes that were made for the sake of nodes that are covered.
    pub(super) cover_expansions: u64,
    /// Steps that are independent because addresses do not meet.
    pub(super) apart: u64,
    /// Steps that access the same and are independent because their outcome is the same in both orders.
    pub(super) commuting: u64,
    pub(super) left_out: u64,
}

/// Why the unwinding ends early.
pub(super) enum Halt {
    /// This path goes wrong.
    Error(Attempt),
    /// After this path two threads race.
    Race(Vec<(u32, EdgeRef)>, Box<[Racer; 2]>),
    Stopped(Why),
    Solver(smt::Why),
}

impl From<smt::Why> for Halt {
    fn from(why: smt::Why) -> Halt {
        Halt::Solver(why)
    }
}

/// The tree and what is left to do.
pub(super) struct Unwinding<'w, 'p> {
    pub(super) world: &'w mut World<'p>,
    pub(super) tree: Tree,
    pub(super) open: Open,
    /// Threads that a node has to take on since a moment ago: what sleeps below it may wake up.
    pub(super) woken: Vec<(NodeId, u32)>,
    pub(super) runs: Runs,
    /// Whether nothing is learnt from paths, since claims are looked for that need none.
    pub(super) is_guessing: bool,
    /// What was left out because two steps commute, which the claims have to say in the end.
    pub(super) promises: Vec<Promise>,
    /// Steps of which this was promised in vain.
    pub(super) broken: FxHashSet<Pair>,
}

impl<'w, 'p> Unwinding<'w, 'p> {
    /// A tree of the initial states.
    pub(super) fn new(world: &'w mut World<'p>) -> Unwinding<'w, 'p> {
        let (tree, open, woken, runs) = Default::default();
        let (promises, broken) = Default::default();
        let mut unwinding = Unwinding { world, tree, open, woken, runs, is_guessing: false, promises, broken };
        unwinding.begin_again();
        unwinding
    }

    /// The tree of the initial states.
    pub(super) fn begin_again(&mut self) {
        self.tree = Tree::default();
        self.runs = Runs::default();
        // Places have other numbers from here on.
        self.world.steps = KnownSteps::default();
        let root =
            self.tree.add(Place { control: Control::initial(self.world.cells.program), turn: Turn::default() }, None);
        (self.open, self.woken) = Default::default();
        self.open.push(&self.tree, root);
    }

    /// Unwinds until nothing is left, or until a moment; whether nothing is left.
    pub(super) fn complete(&mut self, run: &mut Run, until: Option<Instant>) -> Result<bool, Halt> {
        while let Some(node) = self.next_open()? {
            if until.is_some_and(|until| Instant::now() >= until) {
                self.open.push(&self.tree, node);
                return Ok(false);
            }
            if let Some(why) = run.stop_soon() {
                return Err(Halt::Stopped(why));
            }
            if self.tree.nodes.len().is_multiple_of(256) {
                run.reached.count("nodes of the tree", self.tree.nodes.len() as u64);
                run.reached.count("of them to go", self.open.len() as u64);
            }
            if !self.tree.is_active(node) || self.tree.node(node).is_empty || self.tree.place(node).control.has_ended {
                continue;
            }
            if !self.tree.node(node).is_expanded {
                if self.is_cut_off(node)? {
                    let nothing = self.world.cells.pool.bool(false);
                    self.add_to_label(node, nothing)?;
                    continue;
                }
                if self.close(node)? || self.world.force_cover && self.force_cover(node)? {
                    continue;
                }
            }
            self.expand(node)?;
        }
        Ok(true)
    }

    /// The node that is looked at next, once all that has to wake up has.
    fn next_open(&mut self) -> Result<Option<NodeId>, Halt> {
        while let Some((node, thread)) = self.woken.pop() {
            for child in self.tree.node(node).children.clone() {
                let has_moved = self.tree.node(child).arrival.as_ref().is_some_and(|arrival| arrival.thread == thread);
                let place = self.tree.place(child);
                if !has_moved && self.candidates(&place.control).contains(&thread) && !self.skips(child, thread)? {
                    if let Some(other) = self.tree.node(child).covered_by {
                        self.require(other, thread);
                    }
                    if self.tree.node(child).is_expanded {
                        self.require(child, thread);
                    }
                }
            }
        }
        Ok(self.open.pop())
    }

    /// A node has to take the steps of a thread, for the sake of others.
    pub(super) fn require(&mut self, node: NodeId, thread: u32) {
        let own = self.tree.node_mut(node);
        if own.required.contains(&thread) {
            return;
        }
        own.required.push(thread);
        own.lent.push(thread);
        own.asleep.retain(|other| *other != thread);
        // One that is not expanded yet is on the list already.
        if own.is_expanded {
            self.requeue(node);
            if self.world.reduction == Reduction::Sleep {
                self.woken.push((node, thread));
            }
        }
    }

    /// Whether the label of its parent says by now that a node is not reached.
    fn is_cut_off(&mut self, node: NodeId) -> Result<bool, smt::Why> {
        let Some(arrival) = self.tree.node(node).arrival.clone() else { return Ok(false) };
        Ok(!self.may_hold(arrival.parent, &arrival.step.guards)?)
    }

    /// Whether conditions may hold in a node, as far as its label says.
    pub(super) fn may_hold(&mut self, node: NodeId, conds: &[TermId]) -> Result<bool, smt::Why> {
        if self.tree.node(node).is_empty {
            return Ok(false);
        }
        let cells = &mut self.world.cells;
        let all = cells.pool.and_all(conds);
        let label = &self.tree.node(node).label;
        // Where nothing is known, most can be.
        if label.is_empty() && cells.pool.as_const(all).is_none() {
            return Ok(true);
        }
        let label = label.clone();
        self.world.entailment.is_possible(cells, &label, all)
    }

    fn expand(&mut self, node: NodeId) -> Result<(), Halt> {
        if !self.tree.node(node).is_expanded {
            if self.world.properties.has(Property::Deadlock) && !self.rule_out_deadlock(node)? {
                self.requeue(node);
                return Ok(());
            }
            if !self.rule_out_races(node)? {
                self.requeue(node);
                return Ok(());
            }
            let Needed { required, asleep } = self.not_skipped(node)?;
            if !self.tree.is_active(node) {
                self.requeue(node);
                return Ok(());
            }
            let own = self.tree.node_mut(node);
            own.is_expanded = true;
            own.asleep = asleep.into_iter().filter(|thread| !own.required.contains(thread)).collect();
            own.lent.retain(|thread| !required.contains(thread));
            own.required.retain(|thread| !required.contains(thread));
            own.required.splice(0..0, required);
        }
        let missing =
            |node: &super::tree::Node| node.required.iter().find(|thread| !node.explored.contains(thread)).copied();
        let mut children = Vec::new();
        while let Some(thread) = missing(self.tree.node(node)) {
            let Some(made) = self.expand_thread(node, thread)? else {
                self.requeue(node);
                break;
            };
            if self.tree.node(node).lent.contains(&thread) {
                self.world.counts.cover_expansions += made.len() as u64;
            }
            children.extend(made);
            self.tree.node_mut(node).explored.push(thread);
        }
        // The first one is looked at first.
        self.open.extend(&self.tree, children);
        Ok(())
    }

    /// Looks at a node once more, if it is not covered; else it is looked at when it is uncovered.
    fn requeue(&mut self, node: NodeId) {
        if self.tree.is_active(node) {
            self.open.push(&self.tree, node);
        }
    }

    /// The threads that may run in a node, atomic sections considered.
    pub(super) fn candidates(&self, control: &Control) -> Vec<u32> {
        match control.holder {
            Some(holder) => {
                let at = control.at(holder);
                let may_wait = self.world.actions.next(at.proc, at.loc).may_wait;
                if may_wait { control.alive().collect() } else { vec![holder] }
            }
            None => control.alive().collect(),
        }
    }

    /// The threads whose steps cannot be left out after the step that leads to a node.
    pub(super) fn not_skipped(&mut self, node: NodeId) -> Result<Needed, Halt> {
        let place = self.tree.place(node);
        let all = self.candidates(&place.control);
        let (mut required, mut asleep) = (Vec::new(), Vec::new());
        match self.world.reduction {
            Reduction::None => required = all,
            Reduction::Shared => {
                required = self.alone(node, &all)?.map_or_else(|| all.clone(), |thread| vec![thread]);
                self.world.counts.left_out += (all.len() - required.len()) as u64;
            }
            Reduction::Monotonic | Reduction::Sleep => {
                for thread in all {
                    match self.skips(node, thread)? {
                        true => asleep.push(thread),
                        false => required.push(thread),
                    }
                }
                self.world.counts.left_out += asleep.len() as u64;
                // What a thread does before its loop is done first, so that loops begin side by side.
                if self.world.local_first
                    && let Some(thread) = self.alone(node, &required)?
                {
                    self.world.counts.left_out += required.len() as u64 - 1;
                    required = vec![thread];
                }
            }
        }
        Ok(Needed { required, asleep })
    }

    /// One of some threads that may run alone from a node: nobody sees what it does, and it goes on.
    fn alone(&mut self, node: NodeId, threads: &[u32]) -> Result<Option<u32>, Halt> {
        let place = self.tree.place(node);
        for thread in threads {
            let at = place.control.at(*thread);
            let is_alone = place.control.holder.is_none() && self.world.touches.is_local(at.proc, at.loc);
            if is_alone && self.is_total(node, *thread)? {
                return Ok(Some(*thread));
            }
        }
        Ok(None)
    }

    /// Whether a thread came first in the order of threads at a node since nobody sees what it does.
    fn was_alone(&self, node: NodeId, thread: u32) -> bool {
        let control = &self.tree.place(node).control;
        let at = control.at(thread);
        self.world.local_first && control.holder.is_none() && self.world.touches.is_local(at.proc, at.loc)
    }

    /// Whether a thread could run in a node, and does not since its step was made earlier elsewhere.
    fn sleeps(&self, node: NodeId, thread: u32) -> bool {
        self.tree.node(node).asleep.contains(&thread)
    }

    /// Whether the step of a thread may be left out after the one that leads to a node: SKIP of Algorithm 2.
    fn skips(&mut self, node: NodeId, thread: u32) -> Result<bool, Halt> {
        let Some(arrival) = self.tree.node(node).arrival.clone() else { return Ok(false) };
        let (before, after) = (self.tree.place(arrival.parent), self.tree.place(node));
        let was_alone = self.was_alone(arrival.parent, arrival.thread);
        let comes_first = !was_alone && before.turn.rank(thread) < before.turn.rank(arrival.thread)
            || self.world.reduction == Reduction::Sleep && self.sleeps(arrival.parent, thread);
        let is_new = thread as usize >= before.control.threads.len();
        let is_interrupted = before.control.holder.is_some_and(|holder| holder != arrival.thread);
        if !comes_first || is_new || is_interrupted || after.control.holder.is_some() {
            return Ok(false);
        }
        let at = after.control.at(thread);
        // LOOP of Algorithm 2. It is not needed for what `independence` promises, and would let one loop run ahead of another.
        let is_loop = self.world.order == Order::Sequential && self.goes_back(&arrival.step);
        if at.depth > 0 || is_loop {
            return Ok(false);
        }
        let touches = &self.world.touches;
        let may_race_inside = |other: u32| {
            let beside = after.control.at(other);
            other != thread && touches.may_race_inside((at.proc, at.loc), (beside.proc, beside.loc))
        };
        if self.world.properties.has(Property::Race) && after.control.alive().any(may_race_inside) {
            return Ok(false);
        }
        match touches.dependence(arrival.step.edges(), at.proc, at.loc) {
            Dependence::Never => Ok(true),
            Dependence::Always => Ok(false),
            Dependence::IfAddressesMeet => {
                let is_apart = self.are_apart(&arrival, thread)?;
                self.world.counts.apart += u64::from(is_apart);
                Ok(is_apart)
            }
            Dependence::UnlessTheyCommute if self.world.compares_outcomes => {
                let commute = self.commute(&arrival, thread)?;
                self.world.counts.commuting += u64::from(commute);
                Ok(commute)
            }
            Dependence::UnlessTheyCommute => Ok(false),
        }
    }

    /// Makes a child for each step of a thread. None if the node has to be looked at again, since it has become covered or empty on the way.
    fn expand_thread(&mut self, node: NodeId, thread: u32) -> Result<Option<Vec<NodeId>>, Halt> {
        let next = self.next_steps(node, thread);
        for step in &next.ways {
            if !self.rule_out_bads(node, thread, step)? {
                return Ok(None);
            }
        }
        let mut taken = Vec::new();
        for step in &next.steps {
            if !self.may_hold(node, &step.guards)? {
                continue;
            }
            if self.world.order == Order::Lockstep && !self.may_go_on(node, step)? {
                match self.tree.is_active(node) {
                    true => continue,
                    false => return Ok(None),
                }
            }
            let grows = |change: &Change| matches!(change, Change::Start(_) | Change::Make(..));
            if step.summary.changes.iter().any(grows) && !step.guards.is_empty() {
                match self.learn(node, &step.guards)? {
                    Learned::Refuted if self.tree.is_active(node) => continue,
                    Learned::Refuted => return Ok(None),
                    Learned::Possible | Learned::Undecided(_) => {}
                }
            }
            taken.push(step.clone());
        }
        let mut children = Vec::new();
        for step in taken {
            let place = self.place_after(node, thread, &step);
            let n_started = self.n_started_after(node, &step);
            let child = self.tree.add(place, Some(Arrival { parent: node, thread, step }));
            self.tree.node_mut(child).n_started = n_started;
            children.push(child);
        }
        Ok(Some(children))
    }

    /// Whether a step does not wait, as far as its path shows. If it waits, the labels say so from now on: what comes after it would be proved for nothing.
    fn may_go_on(&mut self, node: NodeId, step: &Rc<Step>) -> Result<bool, Halt> {
        let waits: Vec<TermId> = step.summary.waits.iter().map(|at| step.summary.guards[*at]).collect();
        if waits.is_empty() || !self.is_evidently_impossible(node, &waits) {
            return Ok(true);
        }
        Ok(!matches!(self.learn(node, &waits)?, Learned::Refuted))
    }

    /// Looks at everything that may go wrong in a step by one edge. False if the node has become covered or empty on the way.
    fn rule_out_bads(&mut self, node: NodeId, thread: u32, step: &Step) -> Result<bool, Halt> {
        let edge = step.edge();
        for bad in &step.summary.bads {
            if self.world.passed_over.contains(&(edge, bad.stmt)) {
                continue;
            }
            let mut conds = step.others.clone();
            conjuncts(&self.world.cells, bad.cond, &mut conds);
            if !self.rule_out(node, &conds, Some((thread, edge, bad.stmt)), &bad.kind)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Makes sure that conditions do not hold in a node, at a statement of a step or between steps, or halts with the path on which they do. False if the node has become covered or empty on the way.
    pub(super) fn rule_out(
        &mut self,
        node: NodeId,
        conds: &[TermId],
        last: Option<(u32, EdgeRef, usize)>,
        kind: &BadKind,
    ) -> Result<bool, Halt> {
        if !self.may_hold(node, conds)? {
            return Ok(true);
        }
        let why = match self.learn(node, conds)? {
            Learned::Refuted => return Ok(self.tree.is_active(node) && !self.tree.node(node).is_empty),
            Learned::Undecided(what) => Why::Bound(what),
            Learned::Possible => match kind {
                BadKind::Violation(_) | BadKind::Deadlock => {
                    let mut steps = self.steps_to(node, conds)?;
                    steps.extend(last.map(|(thread, edge, _)| (thread, edge)));
                    let stmt = last.map_or(0, |(_, _, stmt)| stmt);
                    return Err(Halt::Error(Attempt { steps, stmt, kind: kind.clone(), holds: None }));
                }
                BadKind::Beyond(why) => why.clone(),
                BadKind::Unresolved(_, span, what) => {
                    Why::Unsupported { span: *span, what: format!("{what} that takes many values") }
                }
                BadKind::ManyThreads => unreachable!("threads are told apart"),
            },
        };
        self.world.unknown.get_or_insert(why);
        if let Some((_, edge, stmt)) = last {
            self.world.passed_over.insert((edge, stmt));
        }
        Ok(true)
    }

    /// Looks along the path to a node whether conditions can hold there. If not, the nodes of the path learn why: REFINE of Algorithm 1.
    pub(super) fn learn(&mut self, node: NodeId, conds: &[TermId]) -> Result<Learned, Halt> {
        // What shows without a solver is cheap. It speaks of the whole path, though: where nodes are not made to be covered, reasons that speak of its end cover more.
        if self.world.interpolation == Interpolation::WeakestPreconditions
            && self.world.force_cover
            && self.is_evidently_impossible(node, conds)
            && let Outcome::Refuted(found) = self.refute(0, node, conds)?
        {
            self.strengthen(found)?;
            return Ok(Learned::Refuted);
        }
        // The later the reason, the more often it holds again.
        let mut length = 1;
        loop {
            let depth = self.tree.node(node).depth;
            let mut above = node;
            for _ in 0..length.min(depth) {
                above = self.tree.node(above).arrival.as_ref().expect("it is not the root").parent;
            }
            match self.refute(above, node, conds)? {
                Outcome::Refuted(found) => {
                    self.strengthen(found)?;
                    return Ok(Learned::Refuted);
                }
                Outcome::Possible if above == 0 => return Ok(Learned::Possible),
                Outcome::Undecided(what) if above == 0 => return Ok(Learned::Undecided(what)),
                Outcome::Possible | Outcome::Undecided(_) => {}
            }
            // What is to be known between loops shows on whole paths only.
            length = if length >= 4 || self.world.order == Order::Lockstep { u32::MAX } else { length * 4 };
        }
    }

    /// Makes labels stronger, and looks which of these nodes are covered now and which others are not any more.
    pub(super) fn strengthen(&mut self, found: Vec<(NodeId, TermId)>) -> Result<(), Halt> {
        let mut stronger = Vec::new();
        for (node, formula) in found {
            if self.add_to_label(node, formula)? {
                stronger.push(node);
            }
        }
        for node in stronger {
            if self.tree.is_active(node) && !self.tree.node(node).is_empty && self.close(node)? {
                break;
            }
        }
        Ok(())
    }
}

/// Which threads take their steps in a node?
pub(super) struct Needed {
    pub(super) required: Vec<u32>,
    /// Those that do not since their steps were made earlier elsewhere.
    pub(super) asleep: Vec<u32>,
}

/// What came of looking at a path.
pub(super) enum Learned {
    Refuted,
    Possible,
    Undecided(String),
}
