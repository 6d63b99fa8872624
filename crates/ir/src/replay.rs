//! Is a trace true? Run it step by step on the reference interpreter and see whether what it claims happens.
//!
//! No unsafe verdict leaves before this says so. The trace is run on the program as lowered, looking only for the
//! property that it claims (so that another violation on the way does not hide it): every step must be enabled, and the
//! violation must happen in a step, or in the state at the end (deadlock, two racing next accesses); for termination
//! the states at the end must repeat fairly, or nobody can go on. Inputs that the trace does not name are zero.
//!
//! A trace that needs objects in other places than usual (`Program::elsewhere`) is run with them there.
//!
//! A race that a trace shows under another model than the task's must be one of C11: the program is interleaved, but its atomic accesses are no
//! stronger than they say. Buffers of stores (`tso`, `pso`) keep all that C11 promises up to the first race.
//!
//! Values that a library function computes and we do not (`HavocKind::Approximation`) must not decide what happens.
//!
//! A trace may be longer than needed (what follows the violation is cut), and it may leave out the last steps to a
//! deadlock, or those by which the first of two racing threads leaves its atomic section: engines see them as
//! parts of larger steps. Replay takes them. All this cannot make a false trace true, since only what the interpreter
//! did counts.

use crate::interp::{
    Details, Effect, Execution, GivenInputs, Log, LogStep, Machine, NotEnabled, State, Status, StepResult, Violation,
    Zeros, repeats, rests_on, settle,
};
use crate::model::Model;
use crate::program::Program;
use crate::property::{Properties, Property};
use crate::source::Span;
use crate::stmt::{HavocKind, Op};
use crate::verdict::{Commit, Task, Trace, Why};
use std::fmt;

/// What a trace does. Other crates cannot make one: only a replay does.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Replayed {
    /// The steps that were taken: those of the trace up to the violation, and those it left out.
    pub trace: Trace,
    /// Step by step.
    pub log: Log,
    /// What goes wrong.
    pub violation: Violation,
    /// The state at the end.
    pub last: State,
    /// What the axioms of a memory model say about it, line by line.
    pub told: Vec<String>,
    /// The execution graph that they were asked about.
    pub picture: Option<Picture>,
}

/// What an event does with messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Messaging {
    /// It sends one.
    Sends,
    /// It receives one.
    Receives,
    /// It receives none.
    FindsNothing,
}

/// An execution graph, to be drawn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Picture {
    /// Events: the thread (none for initial writes) and the text.
    pub events: Vec<(Option<u32>, String)>,
    /// The messages among them: the number of the event, and whether it sends, receives, or receives nothing.
    pub messages: Vec<(usize, Messaging)>,
    /// Relations by name.
    pub relations: Vec<(&'static str, Vec<(usize, usize)>)>,
    /// An axiom of sequential consistency that forbids it, and the events that it is about.
    pub forbidden: Option<(String, Vec<usize>)>,
}

/// Why a trace is not true.
#[derive(Clone, PartialEq, Debug)]
pub enum ReplayError {
    /// Nobody asked about what it claims.
    OtherProperty(Property),
    /// A step cannot be taken.
    NotEnabled {
        /// Which one.
        step: usize,
        /// Why.
        why: NotEnabled,
    },
    /// The process ends before the last step.
    EndsEarly {
        /// At which step.
        step: usize,
    },
    /// A step leaves the model.
    Beyond {
        /// Which one.
        step: usize,
        /// Why.
        why: Why,
    },
    /// The last step is taken and nothing is wrong.
    NoViolation(Property),
    /// A store that shall reach memory now cannot, or there is none.
    NotCommitted {
        /// Before which step.
        step: usize,
    },
    /// It goes wrong only for values that a library function need not yield.
    Approximated {
        /// The function.
        function: String,
        /// The first step that has such a value.
        step: usize,
        /// Where the program calls it.
        span: Span,
    },
    /// A step names an edge or an input that the program does not have.
    Malformed {
        /// Which one.
        step: usize,
    },
}

/// How many steps replay adds by itself at most.
const MAX_ADDED: usize = 20_000;

/// Runs a trace; it must come to the violation that it claims.
pub fn replay(task: &Task, trace: &Trace) -> Result<Replayed, ReplayError> {
    if !task.properties.has(trace.violation) {
        return Err(ReplayError::OtherProperty(trace.violation));
    }
    check_form(&task.program, trace)?;
    let (program, weaker) = program_of(task, trace);
    let program = weaker.as_ref().unwrap_or(program);
    let mut execution = Execution::new(program, Properties::of(&[trace.violation]));
    let mut violation = None;
    let mut visited = vec![execution.state.clone()];
    let mut commits = trace.commits.iter().peekable();
    // The numbers of the trace's steps in the execution, which may take more.
    let mut number_of = Vec::new();
    for (step, taken) in trace.steps.iter().enumerate() {
        while let Some(commit) = commits.next_if(|commit| commit.after <= step) {
            reach_memory(&mut execution, &number_of, commit)?;
        }
        number_of.push(execution.steps.len());
        let mut inputs = GivenInputs::new(&taken.inputs);
        let mut result = execution.take_joining(taken.thread, taken.edge, &mut inputs);
        if let StepResult::NotEnabled(NotEnabled::Held(holder)) = result
            && trace.violation == Property::Race
        {
            result = match leave_section(&mut execution, holder) {
                StepResult::Ok => execution.take(taken.thread, taken.edge, &mut inputs),
                other => other,
            };
        }
        if inputs.wrong_sort {
            return Err(ReplayError::Malformed { step });
        }
        match result {
            StepResult::Ok => {}
            StepResult::Violation(found) => violation = Some(*found),
            StepResult::NotEnabled(why) => return Err(ReplayError::NotEnabled { step, why }),
            StepResult::Ended(_) if step + 1 == trace.steps.len() => {}
            StepResult::Ended(_) => return Err(ReplayError::EndsEarly { step }),
            StepResult::Beyond(why) => {
                let race = race_before(task, trace, step);
                return race.ok_or(ReplayError::Beyond { step, why });
            }
        }
        if violation.is_some() {
            break;
        }
        if trace.violation == Property::Termination {
            visited.push(execution.state.clone());
        }
    }
    for commit in commits.filter(|_| violation.is_none()) {
        reach_memory(&mut execution, &number_of, commit)?;
    }
    let violation = violation.or_else(|| match trace.violation {
        Property::Deadlock => {
            settle(&mut execution, Machine::deadlock);
            execution.deadlock()
        }
        Property::Race => execution.adjacent_race(),
        Property::Termination => lasso(&execution, &visited).or_else(|| {
            settle(&mut execution, Machine::stuck);
            execution.stuck()
        }),
        _ => None,
    });
    let Some(violation) = violation else {
        return Err(ReplayError::NoViolation(trace.violation));
    };
    let has_failed = |step: &LogStep| step.effects.last().is_some_and(is_failure);
    if !execution.log.steps.last().is_some_and(has_failed) {
        execution.log.fail(&violation.message);
    }
    let trace = Trace { model: trace.model, placement: trace.placement, ..execution.trace(trace.violation) };
    if let Some((function, step)) = rests_on(program, &trace) {
        let span = execution.log.steps.get(step).map_or(Span::NOWHERE, |step| step.user_span);
        return Err(ReplayError::Approximated { function, step, span });
    }
    Ok(Replayed { trace, log: execution.log, violation, last: execution.state, told: Vec::new(), picture: None })
}

/// The program that a trace is a run of: with objects where it needs them, and perhaps a copy that is judged under a weaker model.
fn program_of<'a>(task: &'a Task, trace: &Trace) -> (&'a Program, Option<Program>) {
    let elsewhere = task.program.elsewhere.iter().find(|other| other.placement == trace.placement);
    if let Some(other) = elsewhere.filter(|_| task.program.model == Model::Sc) {
        return (other, None);
    }
    let weaker = trace.model.filter(|_| trace.violation == Property::Race && task.program.model == Model::Sc);
    (&task.program, weaker.map(|model| Program { model, ..task.program.clone() }))
}

/// How far before a step that leaves the model two racing accesses are looked for.
const MAX_BACK: usize = 64;

/// The race of a trace whose second access is invalid because of the first one, as where one of two threads frees what the other is about to use: both
/// are next just before the first one.
fn race_before(task: &Task, trace: &Trace, step: usize) -> Option<Replayed> {
    let is_race = trace.violation == Property::Race && trace.commits.is_empty();
    let mut ends = (step.saturating_sub(MAX_BACK)..=step).rev().filter(|_| is_race);
    ends.find_map(|end| replay(task, &Trace { steps: trace.steps[..end].to_vec(), ..trace.clone() }).ok())
}

/// The first value in a trace that a library function or the compiler computes and we do not: the function, if it is one of the library, and where that is.
pub fn approximation_in(program: &Program, trace: &Trace) -> Option<(String, Span)> {
    let is_approximate = |op: &Op| matches!(op, Op::Havoc { kind: HavocKind::Approximation, .. });
    let (step, stmt) = trace.steps.iter().find_map(|step| {
        let stmts = &program.edge(step.edge).stmts;
        stmts.iter().find(|stmt| is_approximate(&stmt.op)).map(|stmt| (step, stmt))
    })?;
    let proc = program.proc(step.edge.proc);
    let function = if program.sources.is_model(proc.span) { proc.name.clone() } else { String::new() };
    Some((function, stmt.span))
}

/// A store of the trace reaches memory.
fn reach_memory(execution: &mut Execution<'_>, number_of: &[usize], commit: &Commit) -> Result<(), ReplayError> {
    let is_there = number_of.get(commit.step).is_some_and(|step| execution.commit_store(*step, commit.site));
    if is_there { Ok(()) } else { Err(ReplayError::NotCommitted { step: commit.after }) }
}

/// Lets the holder of an atomic section run to its end.
fn leave_section(execution: &mut Execution<'_>, holder: u32) -> StepResult {
    let most = execution.steps.len() + MAX_ADDED;
    while execution.steps.len() < most && execution.machine.excludes_others(&execution.state) == Some(holder) {
        let enabled = execution.machine.enabled(&execution.state);
        let results = enabled.iter().map(|(thread, edge)| execution.take(*thread, *edge, &mut Zeros));
        let mut effective = results.filter(|result| !matches!(result, StepResult::NotEnabled(_)));
        match effective.next() {
            Some(StepResult::Ok) => {}
            Some(other) => return other,
            None => return StepResult::NotEnabled(NotEnabled::Held(holder)),
        }
    }
    StepResult::Ok
}

fn is_failure(effect: &Effect) -> bool {
    matches!(effect, Effect::Failed { .. })
}

/// All edges that the trace names exist.
fn check_form(program: &Program, trace: &Trace) -> Result<(), ReplayError> {
    for (step, taken) in trace.steps.iter().enumerate() {
        let proc = program.procs.get(taken.edge.proc.index());
        if proc.is_none_or(|proc| taken.edge.edge.index() >= proc.edges.len()) {
            return Err(ReplayError::Malformed { step });
        }
    }
    Ok(())
}

/// The steps since a state equal to the last one, but for values that decide nothing, if a fair scheduler can repeat them for ever.
fn lasso(execution: &Execution<'_>, visited: &[State]) -> Option<Violation> {
    let (last, before) = visited.split_last()?;
    let is_fair = |start: &usize| is_fair(execution, visited, *start);
    let comes_back = |start: &usize| before[*start] == *last;
    let drifts_back = |start: &usize| repeats(&execution.machine, &visited[*start..], &execution.steps[*start..]);
    let starts = 0..before.len();
    let exactly = starts.clone().find(|start| comes_back(start) && is_fair(start));
    let start = exactly.or_else(|| starts.rev().find(|start| drifts_back(start) && is_fair(start)))?;
    let step = execution.log.steps.get(start)?;
    let message = format!("the last {} steps repeat for ever", visited.len() - 1 - start);
    let (thread, span): (u32, Span) = (step.thread, step.user_span);
    Some(Violation { property: Property::Termination, thread, span, message, details: Details::Lasso { start } })
}

/// Every thread takes one of the steps from `start` on, or cannot run in one of the states.
fn is_fair(execution: &Execution<'_>, visited: &[State], start: usize) -> bool {
    let n_threads = visited[start].threads.len() as u32;
    (0..n_threads).all(|thread| {
        let cannot_run = |state: &State| {
            let is_held = execution.machine.excludes_others(state).is_some_and(|holder| holder != thread);
            is_held || !matches!(execution.machine.status(state, thread), Status::CanRun(_))
        };
        execution.steps[start..].iter().any(|step| step.thread == thread) || visited[start..].iter().any(cannot_run)
    })
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::OtherProperty(property) => write!(f, "nobody asked about {}", property.describe()),
            ReplayError::NotEnabled { step, why } => write!(f, "step {step} cannot be taken: {why}"),
            ReplayError::EndsEarly { step } => write!(f, "the process ends at step {step}, before the last"),
            ReplayError::Beyond { step, why } => write!(f, "step {step} leaves the model: {why:?}"),
            ReplayError::NoViolation(property) => write!(f, "no {} at the end", property.describe()),
            ReplayError::NotCommitted { step } => write!(f, "a store cannot reach memory before step {step}"),
            ReplayError::Approximated { function, step, .. } => {
                write!(f, "it may depend on the result of `{function}` in step {step}, which is not computed")
            }
            ReplayError::Malformed { step } => write!(f, "step {step} does not fit the program"),
        }
    }
}

impl fmt::Display for NotEnabled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotEnabled::NotThere => write!(f, "the thread is not there"),
            NotEnabled::Held(thread) => write!(f, "thread {thread} is in an atomic section"),
            NotEnabled::ProcessEnded => write!(f, "the process has ended"),
            NotEnabled::Assume(span) => write!(f, "the assumption at line {} does not hold", span.line),
            NotEnabled::Waiting(wait) => write!(f, "the thread waits at line {}", wait.span.line),
        }
    }
}

mod graph;
pub use graph::{GraphRun, run_graph};
mod fewer;
pub use fewer::n_preemptions;
mod shorten;
pub use shorten::{n_switches, shorten};
mod spin;
pub use spin::Spin;

#[cfg(test)]
mod tests;
