//! Do the threads of an execution graph wait for ever? Each has ended, waits for the end of another, or goes round without changing anything.
//!
//! A thread goes round if its last steps, taken once more with the same values read, leave the whole state as it is: then they can be taken for ever, as long as the reads find the same. That they
//! do, since no write comes after those that they read, is for whoever judges the graph. A step that asks for an input may be told something else the next time and counts only if nothing unusual was chosen (a weak
//! compare-exchange that does not fail for no reason); variables without a value are given two.

use crate::interp::{
    Cell, Event, Execution, InputKind, Inputs, Machine, Request, State, Status, StepResult, WaitOn, What, Zeros,
};
use crate::program::EdgeRef;
use crate::property::Properties;
use crate::stmt::{HavocKind, Op, SiteId};
use crate::verdict::Step;
use logic::{BitVec, Sort, Value};
use std::collections::BTreeSet;

/// Steps of a round at most.
const LONGEST: usize = 200;

/// A thread that goes round for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spin {
    /// Which.
    pub thread: u32,
    /// The steps of its last round.
    pub steps: Vec<usize>,
}

/// Takes a step of the trace once more, given who takes it with its inputs.
pub(super) type Again<'a> = dyn FnMut(usize, &mut dyn FnMut(&mut dyn Inputs) -> StepResult) -> StepResult + 'a;

/// The threads that go round, if all that have not ended do, or wait for the end of another, and some do. `again` gives the inputs of a step once more.
pub(super) fn spins(execution: &Execution<'_>, steps: &[Step], again: &mut Again<'_>) -> Option<Vec<Spin>> {
    if execution.state.end.is_some() {
        return None;
    }
    let mut found = Vec::new();
    for thread in 0..execution.state.threads.len() as u32 {
        match execution.machine.status(&execution.state, thread) {
            Status::Finished => continue,
            Status::Waiting(wait) if matches!(wait.on, WaitOn::Thread(_)) => continue,
            _ if comes_to_join(execution, thread) => continue,
            _ => {}
        }
        let own: Vec<usize> = (0..steps.len()).filter(|step| steps[*step].thread == thread).collect();
        let lengths = 1..=own.len().min(LONGEST);
        let mut rounds = lengths.map(|length| &own[own.len() - length..]);
        let round = rounds.find(|round| goes_round(execution, steps, round, again))?;
        found.push(Spin { thread, steps: round.to_vec() });
    }
    (!found.is_empty()).then_some(found)
}

/// Whether a thread comes to wait for another by steps that look only at what it has to itself: an engine's step that waits may be several of the program.
fn comes_to_join(execution: &Execution<'_>, thread: u32) -> bool {
    let happened = execution.happened.as_deref().unwrap_or(&[]);
    let foreign = happened.iter().filter(|(other, _, _)| *other != thread).filter_map(|(_, _, event)| cell_of(event));
    let foreign: BTreeSet<Cell> = foreign.flat_map(|cell| cell.units()).collect();
    let mut state = execution.state.clone();
    for _ in 0..LONGEST {
        let edges = match execution.machine.status(&state, thread) {
            Status::Waiting(wait) => return matches!(wait.on, WaitOn::Thread(_)),
            Status::CanRun(edges) => edges,
            Status::Stopped | Status::Finished => return false,
        };
        let [edge] = edges[..] else { return false };
        let mut events: Vec<Event> = Vec::new();
        let machine = &execution.machine;
        let result = machine.step(&mut state, thread, edge, &mut Zeros, Properties::NONE, Some(&mut events));
        let is_own =
            |event: &Event| cell_of(event).is_none_or(|cell| !cell.units().any(|unit| foreign.contains(&unit)));
        if !matches!(result, StepResult::Ok) || asks(machine, edge, &[]) || !events.iter().all(is_own) {
            return false;
        }
    }
    false
}

fn cell_of(event: &Event) -> Option<Cell> {
    match event.what {
        What::Read { cell, .. } | What::Write { cell, .. } | What::Update { cell, .. } => Some(cell),
        _ => None,
    }
}

/// Whether steps of a thread, taken once more, only read and leave everything as it is.
fn goes_round(execution: &Execution<'_>, steps: &[Step], round: &[usize], again: &mut Again<'_>) -> bool {
    let machine: &Machine<'_> = &execution.machine;
    if round.iter().any(|step| asks(machine, steps[*step].edge, &steps[*step].inputs)) {
        return false;
    }
    // What was never given a value may have another one the next time.
    [false, true].into_iter().all(|is_full| {
        let mut state: State = execution.state.clone();
        for &step in round {
            let taken = &steps[step];
            let mut events: Vec<Event> = Vec::new();
            let result = again(step, &mut |inputs| {
                let mut inputs = Otherwise { inputs, is_full };
                machine.step(&mut state, taken.thread, taken.edge, &mut inputs, Properties::NONE, Some(&mut events))
            });
            let is_quiet = |event: &Event| !matches!(event.what, What::Update { .. } | What::Started { .. });
            if !matches!(result, StepResult::Ok) || !events.iter().all(is_quiet) {
                return false;
            }
        }
        state == execution.state
    })
}

/// The inputs of a step, but for variables without a value: all their bits are set, or none.
struct Otherwise<'a> {
    inputs: &'a mut dyn Inputs,
    is_full: bool,
}

impl Inputs for Otherwise<'_> {
    fn choose(&mut self, request: &Request) -> Value {
        match (request.kind, request.sort) {
            (InputKind::Havoc(HavocKind::Uninit), Sort::Bv(width)) if self.is_full => Value::Bv(BitVec::ones(width)),
            (InputKind::Havoc(HavocKind::Uninit), sort) => Value::zero(sort),
            _ => self.inputs.choose(request),
        }
    }

    fn found(&mut self, site: SiteId, cell: Cell, last: Option<Value>) -> Option<Value> {
        self.inputs.found(site, cell, last)
    }
}

/// Whether a step asks for an input that might be another one the next time.
fn asks(machine: &Machine<'_>, edge: EdgeRef, inputs: &[(SiteId, Value)]) -> bool {
    let stmts = &machine.program.edge(edge).stmts;
    stmts.iter().any(|stmt| match stmt.op {
        Op::Havoc { kind: HavocKind::Choice, .. } => {
            let given = inputs.iter().find(|(site, _)| *site == stmt.site).map(|(_, value)| value);
            given.is_none_or(|value| *value != Value::bv(1, 0))
        }
        Op::Havoc { kind: HavocKind::Uninit, .. } => false,
        Op::Havoc { .. } => true,
        _ => false,
    })
}
