//! What holds wherever all threads stand alike? Everything is claimed at first, and what every step keeps stays.
//!
//! Known as: Houdini \[FlanaganLeino01] for formulas of the program's own text; abstract interpretation by affine hulls modulo powers of two (`affine`) for what sums and distances are.
//!
//! One node stands for all that arrive at its place and leave out the same steps. At first it claims everything: all candidates, and all equations. What each step makes of sums is computed
//! and joined to the hull of the node that it leads to; and a solver is asked for a state that satisfies all claims before it and breaks a candidate after it, which goes. When no step breaks a claim any more
//! the claims are an invariant. If it excludes all that may go wrong, the nodes keep what that needs, and the tree is complete.
//!
//! Claims only become weaker, of each there are finitely many, and so it ends. With `lockstep` the nodes of loops that run side by side are those where they went round equally often, and
//! equations between their variables are invariants there that no order of threads one after the other has.
//!
//! Invariant: if it says that the tree is complete, the tree is well-labelled, each active node has the steps of all threads that are not skipped, and nothing goes wrong in a step of it.

mod affine;
mod asker;
mod candidates;
mod claims;
mod flow;
mod labels;
mod linear;
mod standing;
mod turns;

use super::path::Forward;
use super::tree::{NodeId, Step};
use super::unwinding::{Halt, Order, Unwinding};
use crate::abstraction::cells::Cells;
use crate::run::Run;
use asker::{Asker, Consequences};
use candidates::Candidates;
use claims::Claims;
use ir::{EdgeRef, Property};
use linear::{Forms, linear};
use logic::{Prng, TermId, VarId};
use rustc_hash::FxHashMap;
use smt::Assignment;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How often it begins again the same way, with cells and candidates that were met on the way.
const MAX_AGAIN: usize = 3;

/// A node that stands for all that arrive at its place.
struct Standing {
    claims: Claims,
    out: Vec<Out>,
    /// How it came here, as far as that tells nodes apart.
    history: History,
    /// The latest states that are known to be here, by which candidates after a step are tried before a solver is asked.
    states: VecDeque<Rc<Assignment>>,
    is_queued: bool,
}

/// By which of several ways threads have left places that they do not come back to, in order.
type History = Rc<[(u32, EdgeRef)]>;

/// Which nodes at a place are told apart by their history. Known as: trace partitioning \[Rival07].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Partition {
    /// None are.
    Nothing,
    /// By how each thread left its last loop.
    Loops,
    /// By every choice that is made only once.
    Choices,
}

/// A step from a node.
#[derive(Clone)]
struct Out {
    thread: u32,
    edge: EdgeRef,
    step: Rc<Step>,
    written: Rc<FxHashMap<VarId, TermId>>,
    /// What it asks for.
    inputs: Rc<[VarId]>,
    /// The node that stands for where it leads, once it can be taken.
    target: Option<NodeId>,
    /// Whether it ends the process, so that nothing has to be known of where it leads.
    ends: bool,
}

/// All nodes that stand for others, and what is left to do.
struct Guessing {
    stands: FxHashMap<NodeId, Standing>,
    /// The node that stands for a place, the threads that are not left out and those that sleep, and a history.
    at: FxHashMap<(u32, Vec<u32>, Vec<u32>, History), NodeId>,
    partition: Partition,
    open: VecDeque<NodeId>,
    asker: Asker,
    random: Prng,
    until: Instant,
}

/// Why it ends without an invariant that is enough.
enum End {
    Halt(Halt),
    /// There are too many nodes, it takes too long, or the solver cannot tell.
    GivenUp,
}

impl From<Halt> for End {
    fn from(halt: Halt) -> End {
        End::Halt(halt)
    }
}

impl From<smt::Why> for End {
    fn from(why: smt::Why) -> End {
        match why {
            smt::Why::Cancelled | smt::Why::Memory => End::Halt(Halt::Solver(why)),
            _ => End::GivenUp,
        }
    }
}

impl Unwinding<'_, '_> {
    /// Makes a complete tree by an invariant, if one that is enough is found in time; else the tree stays as it is.
    pub(super) fn guess(&mut self, run: &mut Run, time: Duration) -> Result<bool, Halt> {
        if self.world.properties.has(Property::Race) {
            return Ok(false);
        }
        let open = std::mem::take(&mut self.open);
        let tree = std::mem::take(&mut self.tree);
        let (runs, steps) = (std::mem::take(&mut self.runs), std::mem::take(&mut self.world.steps));
        let found = self.guess_in_rounds(run, time);
        if !matches!(found, Ok(true)) {
            (self.tree, self.open, self.runs, self.world.steps) = (tree, open, runs, steps);
        }
        found
    }

    fn guess_in_rounds(&mut self, run: &mut Run, time: Duration) -> Result<bool, Halt> {
        let until = Instant::now() + time;
        let (mut candidates, consequences) = (Candidates::default(), Consequences::default());
        self.is_guessing = true;
        let mut found = Ok(false);
        let each = self.world.turns;
        candidates.is_wide = self.world.compares_outcomes;
        self.world.local_first = self.world.order == Order::Lockstep && self.world.compares_outcomes;
        let mut attempts = VecDeque::from([(each, Partition::Nothing), (each, Partition::Loops)]);
        let mut again = MAX_AGAIN;
        while let Some((turns, partition)) = attempts.pop_front() {
            let size = |candidates: &Candidates, cells: &Cells<'_>| {
                (candidates.all.len() + candidates.reads.len(), cells.all().count())
            };
            let before = size(&candidates, &self.world.cells);
            if turns != std::mem::replace(&mut self.world.turns, turns) {
                self.broken.clear();
            }
            // As long as nothing goes wrong, but steps were left out that must not be.
            loop {
                let n_broken = self.broken.len();
                self.begin_again();
                self.promises.clear();
                found = match self.guess_with(&mut candidates, partition, run, (until, &consequences)) {
                    Ok(is_enough) => Ok(is_enough),
                    Err(End::GivenUp) => Ok(false),
                    Err(End::Halt(halt)) => Err(halt),
                };
                if !matches!(found, Ok(false)) || Instant::now() >= until || self.broken.len() == n_broken {
                    break;
                }
            }
            if !matches!(found, Ok(false)) || Instant::now() >= until {
                break;
            }
            // What was met on the way may be what was missing.
            if partition == Partition::Choices && again > 0 && size(&candidates, &self.world.cells) != before {
                again -= 1;
                attempts.push_front((turns, partition));
            }
            if candidates.is_wide {
                candidates.speak_of_originals(&mut self.world.cells);
            }
            if (turns, partition) == (each, Partition::Loops) {
                let others = self.other_turns(&candidates.strides);
                attempts.extend(others.iter().map(|turns| (*turns, Partition::Loops)));
                attempts.push_back((each, Partition::Choices));
                attempts.extend(others.iter().map(|turns| (*turns, Partition::Choices)));
            }
        }
        if !matches!(found, Ok(true)) {
            (self.world.turns, self.world.local_first) = (each, false);
        }
        self.is_guessing = false;
        found
    }

    fn guess_with(
        &mut self,
        candidates: &mut Candidates,
        partition: Partition,
        run: &mut Run,
        (until, consequences): (Instant, &Consequences),
    ) -> Result<bool, End> {
        let n_memory = self.world.cells.n_memory();
        let mut guessing = Guessing {
            stands: FxHashMap::default(),
            at: FxHashMap::default(),
            partition,
            open: VecDeque::new(),
            asker: Asker::new(self.world.entailment.limits().clone(), until, consequences.clone()),
            random: Prng::new(1),
            until,
        };
        self.begin(&mut guessing, candidates)?;
        while let Some(node) = guessing.open.pop_front() {
            if let Some(why) = run.stop_soon() {
                return Err(End::Halt(Halt::Stopped(why)));
            }
            run.reached.count("nodes with claims", guessing.stands.len() as u64);
            guessing.stands.get_mut(&node).expect("it was queued").is_queued = false;
            for index in 0..guessing.stands[&node].out.len() {
                self.flow(&mut guessing, candidates, node, index)?;
            }
        }
        // What steps do to memory was asked before all of its cells were known.
        if self.world.cells.n_memory() != n_memory {
            return Ok(false);
        }
        self.settle_labels(&mut guessing)
    }

    /// The claims of the first node, which hold in all initial states.
    fn begin(&mut self, guessing: &mut Guessing, candidates: &mut Candidates) -> Result<(), End> {
        self.add_standing(guessing, candidates, 0, Rc::new([]))?;
        let start = Forward::new(true);
        let standing = guessing.stands.get_mut(&0).expect("it has claims");
        let mut plain = Forms::default();
        standing.claims.join(&mut self.world.cells, |cells, column| {
            let value = start.term(cells, 0, column);
            let value = plain.of(cells, value);
            linear(cells, value).expect("columns are words")
        });
        loop {
            let cells = &mut self.world.cells;
            let claimed = guessing.stands[&0].claims.candidates.clone();
            let claimed: Vec<TermId> = claimed.into_iter().map(|formula| start.term(cells, 0, formula)).collect();
            let Some(mut state) = guessing.asker.state(cells, &[], &claimed)? else { break };
            let all: Vec<VarId> = cells.all().map(|(var, _)| var).collect();
            for var in all {
                if let Some(value) = cells.initial(var) {
                    let value = cells.pool.as_const(value).expect("it is a constant").clone();
                    state.set(var, value);
                }
            }
            if !self.absorb(guessing, 0, &state) {
                return Err(End::GivenUp);
            }
        }
        self.queue(guessing, 0);
        Ok(())
    }
}
