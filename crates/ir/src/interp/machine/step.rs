//! Which steps can be taken, and what does one do? A step is one thread taking one edge whole, or not at all.

use super::event::{Event, InputKind, Inputs, NotEnabled, Request, StepResult, Wait, What};
use super::exec::{Exec, View};
use super::program::Machine;
use super::state::{State, Thread};
use crate::access::may_block;
use crate::program::EdgeRef;
use crate::property::Properties;
use crate::stmt::Op;
use logic::Value;

/// What a thread can do now, leaving atomic sections of others aside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// One of these edges can be taken.
    CanRun(Vec<EdgeRef>),
    /// It waits.
    Waiting(Wait),
    /// An `Assume` has stopped it.
    Stopped,
    /// It has ended.
    Finished,
}

impl Machine<'_> {
    /// What a thread can do, leaving atomic sections of others and the end of the process aside.
    pub fn status(&self, state: &State, thread: u32) -> Status {
        let this = &state.threads[thread as usize];
        if this.has_ended() {
            return Status::Finished;
        }
        let mut can_run = Vec::new();
        let mut waits = None;
        for edge in self.edges_at(this) {
            match self.blocked(state, thread, edge) {
                None => can_run.push(edge),
                Some(NotEnabled::Waiting(wait)) => waits = Some(wait),
                Some(_) => {}
            }
        }
        match waits {
            _ if !can_run.is_empty() => Status::CanRun(can_run),
            Some(wait) => Status::Waiting(wait),
            None => Status::Stopped,
        }
    }

    /// All steps that can be taken, by thread.
    pub fn enabled(&self, state: &State) -> Vec<(u32, EdgeRef)> {
        if state.end.is_some() {
            return Vec::new();
        }
        let steps_of = |thread: u32| match self.status(state, thread) {
            Status::CanRun(edges) => edges.into_iter().map(|edge| (thread, edge)).collect(),
            _ => Vec::new(),
        };
        match self.excludes_others(state) {
            Some(holder) => steps_of(holder),
            None => (0..state.threads.len() as u32).flat_map(steps_of).collect(),
        }
    }

    /// The thread in an atomic section that does not wait: no other may run.
    pub fn excludes_others(&self, state: &State) -> Option<u32> {
        state.holder.filter(|holder| !matches!(self.status(state, *holder), Status::Waiting(_)))
    }

    /// Takes a step. The events are appended to `events`, if wanted.
    pub fn step(
        &self,
        state: &mut State,
        thread: u32,
        edge: EdgeRef,
        inputs: &mut dyn Inputs,
        properties: Properties,
        events: Option<&mut Vec<Event>>,
    ) -> StepResult {
        if state.end.is_some() {
            return StepResult::NotEnabled(NotEnabled::ProcessEnded);
        }
        let stands_there = |this: &Thread| self.edges_at(this).any(|leaving| leaving == edge);
        if !state.threads.get(thread as usize).is_some_and(stands_there) {
            return StepResult::NotEnabled(NotEnabled::NotThere);
        }
        match self.excludes_others(state) {
            Some(holder) if holder != thread => return StepResult::NotEnabled(NotEnabled::Held(holder)),
            _ => {}
        }
        let backup = self.may_fail_late(edge).then(|| state.clone());
        let mut happened = Vec::new();
        let (result, seen) = Exec::new(self, state, thread, edge, inputs, properties, &mut happened).run();
        if let Some((spot, value)) = seen {
            if let Some(backup) = backup {
                *state = backup;
            }
            happened.retain(|event| matches!(event.what, What::Input { kind: InputKind::Unwritten, .. }));
            Exec::new(self, state, thread, edge, inputs, properties, &mut happened).keep_choice(spot, &value);
            events.into_iter().for_each(|events| events.append(&mut happened));
            return StepResult::Ok;
        }
        match (&result, backup) {
            (StepResult::NotEnabled(_), Some(backup)) => *state = backup,
            (StepResult::NotEnabled(_), None) => {}
            _ => {
                self.update_holder(state, thread);
                if let Some(events) = events {
                    events.append(&mut happened);
                }
            }
        }
        result
    }

    fn update_holder(&self, state: &mut State, thread: u32) {
        let this = &state.threads[thread as usize];
        // If another thread was the holder, it waits, and its section is open from here on.
        state.holder = (this.depth > 0 && !this.has_ended()).then_some(thread);
    }

    /// Whether something may have happened before the edge turns out not to be enabled.
    fn may_fail_late(&self, edge: EdgeRef) -> bool {
        let stmts = &self.program.edge(edge).stmts;
        let n_pure = stmts.iter().take_while(|stmt| matches!(stmt.op, Op::Assume(_))).count();
        stmts.iter().skip(n_pure + 1).any(|stmt| may_block(&stmt.op))
    }

    /// Why an edge cannot be taken, if it cannot whatever the inputs are.
    fn blocked(&self, state: &State, thread: u32, edge: EdgeRef) -> Option<NotEnabled> {
        let view = View { machine: self, state, thread: thread as usize };
        let stmts = &self.program.edge(edge).stmts;
        let n_pure = stmts.iter().take_while(|stmt| matches!(stmt.op, Op::Assume(_))).count();
        let early = stmts.iter().take(n_pure + 1).find_map(|stmt| view.blocked_at(edge, stmt));
        if early.is_some() || !self.may_fail_late(edge) {
            return early;
        }
        let mut copy = state.clone();
        let mut inputs = Asked(false);
        let mut events = Vec::new();
        let (result, _) = Exec::new(self, &mut copy, thread, edge, &mut inputs, Properties::NONE, &mut events).run();
        match result {
            StepResult::NotEnabled(why) if !inputs.0 => Some(why),
            _ => None,
        }
    }
}

/// Gives zeros and remembers whether anybody asked.
struct Asked(bool);

impl Inputs for Asked {
    fn choose(&mut self, request: &Request) -> Value {
        self.0 = true;
        Value::zero(request.sort)
    }
}
