//! One run of a program with all that is known about it: state, steps, log, locks, races.
//!
//! `Machine::step` is the meaning of a step; an `Execution` adds what looks at more than one step: the race detector, the log,
//! and who holds which lock. `random` and `replay` both drive one.

use super::log::Log;
use crate::interp::machine::buffer;
use crate::interp::machine::event::{Cell, RaceAccess};
use crate::interp::machine::event::{
    Details, Event, Inputs, NotEnabled, Request, StepResult, Violation, Wait, WaitOn, Waiter, What,
};
use crate::interp::machine::inputs::Domain;
use crate::interp::machine::names::Namer;
use crate::interp::machine::program::Machine;
use crate::interp::machine::state::{State, Thread};
use crate::interp::sync::locks::Locks;
use crate::interp::sync::race::{Races, adjacent_race};
use crate::program::{EdgeRef, Program};
use crate::property::{Properties, Property};
use crate::source::Span;
use crate::stmt::{Mark, SiteId};
use crate::verdict::{Commit, Step, Trace};
use logic::Value;

/// A run so far.
#[derive(Debug)]
pub struct Execution<'p> {
    /// The program.
    pub machine: Machine<'p>,
    /// The state reached.
    pub state: State,
    /// What must not happen.
    pub properties: Properties,
    /// The steps taken, with their inputs.
    pub steps: Vec<Step>,
    /// The stores that have reached memory by themselves.
    pub commits: Vec<Commit>,
    /// What they did.
    pub log: Log,
    /// Who holds which lock.
    pub locks: Locks,
    /// All that happened so far, by thread and step, if somebody wants to know.
    pub happened: Option<Vec<(u32, usize, Event)>>,
    races: Option<Races>,
    /// For each thread the stores in its buffer: the steps and statements that made them.
    stored: Vec<Vec<(usize, SiteId)>>,
}

impl<'p> Execution<'p> {
    /// A run before its first step.
    pub fn new(program: &'p Program, properties: Properties) -> Execution<'p> {
        let machine = Machine::new(program);
        let state = machine.initial();
        let races = properties.has(Property::Race).then(Races::default);
        let (steps, commits, stored) = (Vec::new(), Vec::new(), Vec::new());
        let (log, locks) = (Log::default(), Locks::default());
        Execution { machine, state, properties, steps, commits, log, locks, happened: None, races, stored }
    }

    /// Takes a step; a race with an earlier access is a violation too.
    pub fn take(&mut self, thread: u32, edge: EdgeRef, inputs: &mut dyn Inputs) -> StepResult {
        if self.state.threads.len() <= thread as usize {
            return StepResult::NotEnabled(NotEnabled::NotThere);
        }
        self.log.begin(&self.machine, &self.state, thread, edge);
        let calls = Namer::new(&self.machine, &self.state).calls(thread as usize);
        let mut events = Vec::new();
        let mut noted = Noted { inputs, chosen: Vec::new() };
        let result = self.machine.step(&mut self.state, thread, edge, &mut noted, self.properties, Some(&mut events));
        if let StepResult::NotEnabled(_) = result {
            self.log.cancel();
            return result;
        }
        let step = self.steps.len();
        self.steps.push(Step { thread, edge, inputs: noted.chosen });
        self.log.finish(&self.machine, &self.state, &events);
        if let Some(all) = &mut self.happened {
            all.extend(events.iter().map(|event| (thread, step, event.clone())));
        }
        let namer = Namer::new(&self.machine, &self.state);
        let race =
            self.races.as_mut().and_then(|races| races.observe(&namer, &self.locks, (step, thread), &calls, &events));
        self.stored.resize(self.state.threads.len(), Vec::new());
        for event in &events {
            match event.what {
                What::Marked { mark, addr } => self.locks.mark(thread, mark, addr),
                What::Buffered { .. } => self.stored[thread as usize].push((step, event.site)),
                What::Committed { thread, number, .. } => drop(self.stored[thread as usize].remove(number)),
                _ => {}
            }
        }
        let result = match (result, race) {
            (StepResult::Ok | StepResult::Ended(_) | StepResult::Beyond(_), Some(race)) => {
                StepResult::Violation(Box::new(self.race_violation(race)))
            }
            (result, _) => result,
        };
        if let StepResult::Violation(violation) = &result {
            self.log.fail(&violation.message);
        }
        result
    }

    /// A store reaches memory, if it can be next: the one with this number in the buffer of a thread. Tells whether it does.
    pub fn commit(&mut self, thread: u32, number: usize) -> bool {
        let mut events = Vec::new();
        if !self.machine.commit(&mut self.state, thread, number, Some(&mut events)) {
            return false;
        }
        let (step, site) = self.stored[thread as usize].remove(number);
        self.commits.push(Commit { after: self.steps.len(), step, site });
        for event in &events {
            self.log.commit(&self.machine, &self.state, event);
            if let Some(races) = &mut self.races {
                races.committed(thread, &event.what);
            }
        }
        true
    }

    /// The store that a statement of a step made reaches memory, and before it what must be there before. Tells whether it is
    /// there afterwards; it may have been before.
    pub fn commit_store(&mut self, step: usize, site: SiteId) -> bool {
        let Some(thread) = self.steps.get(step).map(|step| step.thread) else { return false };
        while let Some(number) =
            self.stored.get(thread as usize).and_then(|own| own.iter().position(|s| *s == (step, site)))
        {
            if !self.commit_towards(thread, number) {
                return false;
            }
        }
        true
    }

    /// Commits a store, or else one that it waits for.
    fn commit_towards(&mut self, thread: u32, number: usize) -> bool {
        let pending = &self.state.threads[thread as usize].buffer;
        let mut at = buffer::place_of(pending, number).expect("every store in the buffer is known");
        while let Some(first) = buffer::blocker(self.machine.program.model, pending, at) {
            at = first;
        }
        self.commit(thread, buffer::number_of(pending, at))
    }

    /// Takes a step; if it waits for a thread that has ended but whose stores are still on their way, these reach memory first. An engine need
    /// not know of stores that nobody else can notice, so its traces do not name them.
    pub fn take_joining(&mut self, thread: u32, edge: EdgeRef, inputs: &mut dyn Inputs) -> StepResult {
        let result = self.take(thread, edge, inputs);
        let StepResult::NotEnabled(NotEnabled::Waiting(Wait { on: WaitOn::Thread(handle), .. })) = &result else {
            return result;
        };
        let other = handle.checked_sub(1).map_or(usize::MAX, |index| index as usize);
        let is_late = |this: &Thread| this.has_ended() && !this.is_over();
        if !self.state.threads.get(other).is_some_and(is_late) {
            return result;
        }
        while !self.stored[other].is_empty() {
            if !self.commit_towards(other as u32, 0) {
                return result;
            }
        }
        self.take(thread, edge, inputs)
    }

    /// Some store reaches memory, if one can.
    pub fn commit_any(&mut self) -> bool {
        match self.machine.commits(&self.state).first() {
            Some((thread, number)) => self.commit(*thread, *number),
            None => false,
        }
    }

    /// What was done so far, as a trace that ends with a violation of a property.
    pub fn trace(&self, violation: Property) -> Trace {
        Trace { commits: self.commits.clone(), ..Trace::new(violation, self.steps.clone()) }
    }

    /// Whether the state reached is a violation by itself: a deadlock.
    pub fn deadlock(&self) -> Option<Violation> {
        let waits = self.machine.deadlock(&self.state)?;
        Some(self.waiting(Property::Deadlock, waits))
    }

    /// Whether the execution never ends because nobody can go on.
    pub fn stuck(&self) -> Option<Violation> {
        let waits = self.machine.stuck(&self.state)?;
        Some(self.waiting(Property::Termination, waits))
    }

    /// That these threads wait for ever.
    fn waiting(&self, property: Property, waits: Vec<(u32, Wait)>) -> Violation {
        let namer = Namer::new(&self.machine, &self.state);
        let waiters: Vec<Waiter> = waits
            .into_iter()
            .map(|(thread, wait)| {
                let (on, known) = self.waited_for(&namer, thread, &wait.on);
                let by_word = wait.owner.and_then(|handle| (handle as u32).checked_sub(1));
                let holder = by_word.filter(|owner| (*owner as usize) < self.state.threads.len()).or(known);
                let locks = self.locks.held_by(thread).map(|(lock, _)| namer.lock(lock)).collect();
                let is_join = matches!(wait.on, WaitOn::Thread(_));
                let (span, calls) = (wait.span, namer.calls(thread as usize));
                let is_over = holder.is_some_and(|holder| self.state.threads[holder as usize].has_ended());
                Waiter { thread, span, calls, on, holder, is_over, is_join, locks }
            })
            .collect();
        let first = waiters.first().expect("somebody waits for ever");
        let (thread, span) = (first.thread, first.span);
        let describe = |waiter: &Waiter| match waiter.holder {
            Some(holder) if !waiter.is_join => {
                let which = if waiter.is_over { ", which has ended" } else { "" };
                format!("thread {} waits for {} held by thread {holder}{which}", waiter.thread, waiter.on)
            }
            _ => format!("thread {} waits for {}", waiter.thread, waiter.on),
        };
        let message = format!("deadlock: {}", waiters.iter().map(describe).collect::<Vec<_>>().join(", "));
        Violation { property, thread, span, message, details: Details::Deadlock(waiters) }
    }

    /// Whether two threads are about to race.
    pub fn adjacent_race(&self) -> Option<Violation> {
        let race = adjacent_race(&self.machine, &self.state, &self.locks, self.steps.len(), &Domain::Bits(1))?;
        Some(self.race_violation(race))
    }

    fn waited_for(&self, namer: &Namer<'_, '_>, thread: u32, on: &WaitOn) -> (String, Option<u32>) {
        match on {
            WaitOn::Thread(handle) => {
                let index = handle.checked_sub(1).filter(|index| *index < self.state.threads.len() as u64);
                match index {
                    Some(index) => (format!("thread {index} to end"), Some(index as u32)),
                    None => (format!("a thread with handle {handle}, which does not exist"), None),
                }
            }
            WaitOn::Cell(Cell::Bytes { addr, .. }, _) => {
                // A library model may wait at a place of its own for what has a name.
                let is_told = |(at, _): &(u64, Mark)| at == addr || namer.is_of_model(*addr);
                let told = self.locks.awaited_by(thread).filter(is_told);
                match told {
                    Some((at, Mark::Arrives)) => (format!("others to come to {}", namer.lock(at)), None),
                    Some((at, _)) => (format!("a signal on {}", namer.lock(at)), None),
                    None => (namer.lock(*addr), self.locks.holder(*addr)),
                }
            }
            WaitOn::Cell(cell, _) => (namer.cell(*cell).0, None),
        }
    }

    fn race_violation(&self, race: [RaceAccess; 2]) -> Violation {
        let describe = |access: &RaceAccess| {
            let verb = match access {
                RaceAccess { is_free: true, .. } => "frees",
                RaceAccess { is_write: true, .. } => "writes",
                _ => "reads",
            };
            format!("thread {} {verb} {}", access.thread, access.place)
        };
        let [first, second] = &race;
        let message = format!("data race: {}, {}", describe(first), describe(second));
        let (property, thread, span) = (Property::Race, second.thread, second.span);
        Violation { property, thread, span, message, details: Details::Race(Box::new(race)) }
    }

    /// The user's line that stands behind a span in a thread.
    pub fn user_span(&self, thread: u32, span: Span) -> Span {
        Namer::new(&self.machine, &self.state).user_span(thread as usize, span)
    }
}

/// Passes inputs on and remembers them.
struct Noted<'a> {
    inputs: &'a mut dyn Inputs,
    chosen: Vec<(SiteId, Value)>,
}

impl Inputs for Noted<'_> {
    fn choose(&mut self, request: &Request) -> Value {
        let value = self.inputs.choose(request);
        self.chosen.push((request.site, value.clone()));
        value
    }

    fn found(&mut self, site: SiteId, cell: Cell, last: Option<Value>) -> Option<Value> {
        self.inputs.found(site, cell, last)
    }
}
