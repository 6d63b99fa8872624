//! Does the model allow an execution that keeps these lanes? All choices of lanes, of who reads from whom, and of the order of writes.
//!
//! What is chosen so far is judged after each choice; by a monotone model what is forbidden stays so. First writes of laps are kept alone; if that does not
//! exclude the question, laps that lanes read from are kept whole, then also those that these read from. Who gives up says that it is possible, which is the side that proves nothing.

use super::choice::{Choice, fits};
use super::lanes::{Lane, Lanes};
use super::locks::{Lock, locks, settle};
use super::world::World;
use crate::Run;
use crate::evidence::axioms::Axioms;
use ir::{ThreadEvent, Why};
use memory::graph::judge::is_forbidden;

/// How deep laps are kept whole at most.
const MAX_DEPTH: u8 = 2;

/// Judgements of one question at most.
const MAX_CHECKS: u64 = 60_000;

/// Judgements about one execution at most.
const MAX_ALLOWED: u64 = 100;

/// Who searches.
pub(super) struct Search<'a> {
    pub(super) axioms: &'a Axioms,
    /// Judgements so far.
    pub(super) n_checks: u64,
    /// Questions that were given up.
    pub(super) n_given_up: u64,
    left: u64,
    keeps_laps: u8,
    locks: Vec<Lock>,
    /// What was not excluded by the last question.
    pub(super) found: Option<Choice>,
}

/// Why a search ends early.
enum Halt {
    /// It was found.
    Found,
    Stopped(Why),
}

type Step = Result<(), Halt>;

impl<'a> Search<'a> {
    pub(super) fn new(axioms: &'a Axioms) -> Search<'a> {
        Search { axioms, n_checks: 0, n_given_up: 0, left: 0, keeps_laps: 0, locks: Vec::new(), found: None }
    }

    /// Whether an execution is possible, or was not excluded.
    pub(super) fn is_possible(&mut self, lanes: &Lanes<'_>, run: &mut Run) -> Result<bool, Why> {
        self.locks = locks(lanes.graphs, &lanes.initial, lanes.event.as_ref().map(|event| (lanes.anchor, event)));
        for keeps_laps in 0..=MAX_DEPTH {
            (self.left, self.keeps_laps, self.found) = (MAX_CHECKS, keeps_laps, None);
            match self.choose(lanes, &mut Vec::new(), run) {
                Ok(()) => return Ok(false),
                Err(Halt::Found) => {}
                Err(Halt::Stopped(why)) => return Err(why),
            }
        }
        Ok(true)
    }

    /// Whether an execution is possible that keeps these lanes and has these sources; reads without one may have any.
    pub(super) fn allows(&mut self, lanes: &Lanes<'_>, choice: &Choice, run: &mut Run) -> Result<bool, Why> {
        let n_given_up = self.n_given_up;
        self.left = MAX_ALLOWED;
        let Some(mut world) = World::new(lanes, choice, self.axioms, &[]) else { return Ok(false) };
        let answer = match self.is_forbidden(&world, run) {
            Ok(true) => Ok(()),
            Ok(false) => self.orders(&mut world, run),
            Err(halt) => Err(halt),
        };
        self.n_given_up = n_given_up;
        match answer {
            Ok(()) => Ok(false),
            Err(Halt::Found) => Ok(true),
            Err(Halt::Stopped(why)) => Err(why),
        }
    }

    fn choose<'l>(&mut self, lanes: &'l Lanes<'_>, chosen: &mut Vec<Option<&'l Lane>>, run: &mut Run) -> Step {
        let thread = chosen.len();
        if thread == lanes.lanes.len() {
            if !fits(lanes, chosen) {
                return Ok(());
            }
            let own = chosen.iter().map(|lane| lane.cloned()).collect();
            let choice = Choice { lanes: own, sources: Vec::new(), alone: Vec::new(), keeps_laps: self.keeps_laps };
            return self.sources(lanes, &choice, run);
        }
        let starts = ThreadEvent::Starts(thread as u32);
        let is_started = match lanes.parents[thread] {
            Some(parent) => chosen[parent as usize].is_some_and(|lane| lane.events.contains(&starts)),
            None => true,
        };
        if thread as u32 != lanes.anchor {
            chosen.push(None);
            self.choose(lanes, chosen, run)?;
            chosen.pop();
        }
        for lane in lanes.lanes[thread].iter().filter(|_| is_started) {
            chosen.push(Some(lane));
            self.choose(lanes, chosen, run)?;
            chosen.pop();
        }
        Ok(())
    }

    fn is_forbidden(&mut self, world: &World, run: &mut Run) -> Result<bool, Halt> {
        if self.left == 0 {
            self.n_given_up += 1;
            return Err(Halt::Found);
        }
        self.left -= 1;
        self.n_checks += 1;
        if let Some(why) = run.stop_soon() {
            return Err(Halt::Stopped(why));
        }
        Ok(is_forbidden(&self.axioms.model, &world.execution))
    }

    /// Chooses a source for each read that has none.
    fn sources(&mut self, lanes: &Lanes<'_>, choice: &Choice, run: &mut Run) -> Step {
        let step = self.next_source(lanes, choice, run);
        if let (Err(Halt::Found), None) = (&step, &self.found) {
            self.found = Some(choice.clone());
        }
        step
    }

    fn next_source(&mut self, lanes: &Lanes<'_>, choice: &Choice, run: &mut Run) -> Step {
        let Some(mut world) = World::new(lanes, choice, self.axioms, &self.locks) else { return Ok(()) };
        if self.is_forbidden(&world, run)? {
            return Ok(());
        }
        let Some((read, var, value)) = choice.next_read() else {
            return if choice.ends_are_read(lanes.anchor) { self.orders(&mut world, run) } else { Ok(()) };
        };
        for next in choice.with_source(lanes, read, var, &value) {
            self.sources(lanes, &next, run)?;
        }
        Ok(())
    }

    /// Orders the writes of each cell.
    fn orders(&mut self, world: &mut World, run: &mut Run) -> Step {
        let Some((one, other)) = world.unordered() else { return Err(Halt::Found) };
        for (first, second) in [(one, other), (other, one)] {
            let saved = world.execution.co.clone();
            world.execution.co.insert_closed(first, second);
            let fits = world.sections.iter().all(|sections| settle(sections, &mut world.execution.co));
            if fits && !self.is_forbidden(world, run)? {
                self.orders(world, run)?;
            }
            world.execution.co = saved;
        }
        Ok(())
    }
}
