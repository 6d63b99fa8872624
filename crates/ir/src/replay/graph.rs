//! Is an execution graph one of this program? Each thread is run step by step, with what its reads find given by the graph.
//!
//! Under axioms (`Model::Cat`) an execution is no interleaving: the steps of a trace are in some order that agrees with that of each thread and with starts
//! and joins, and every value that a step reads is named in the trace. So here the interpreter runs each thread as if it were alone. What happened is
//! handed out; whether each read had a right to its value, and whether the axioms allow the whole, is for the caller to judge (`engines::decide`),
//! and only then does a graph become a `Replayed`.

use super::{ReplayError, Replayed, check_form, is_failure};
use crate::interp::{Event, Execution, GivenReads, LogStep, StepResult, Violation};
use crate::property::{Properties, Property};
use crate::verdict::{Task, Trace};

/// What the threads of an execution graph do, before anybody has judged it.
#[derive(Debug)]
pub struct GraphRun<'p> {
    execution: Execution<'p>,
    trace: Trace,
    violation: Option<Violation>,
}

/// Runs the threads of an execution graph. A violation of the trace's property in a step must come, if it is to be found by running.
pub fn run_graph<'p>(task: &'p Task, trace: &Trace) -> Result<GraphRun<'p>, ReplayError> {
    if !task.properties.has(trace.violation) {
        return Err(ReplayError::OtherProperty(trace.violation));
    }
    check_form(&task.program, trace)?;
    // Whether two accesses race is for the axioms to say.
    let looked_for = Properties::of(&[trace.violation]).without(Property::Race);
    let mut execution = Execution::new(&task.program, looked_for);
    execution.happened = Some(Vec::new());
    let mut violation = None;
    for (step, taken) in trace.steps.iter().enumerate() {
        match execution.take(taken.thread, taken.edge, &mut GivenReads::new(&taken.inputs)) {
            StepResult::Ok => {}
            StepResult::Violation(found) => {
                violation = Some(*found);
                break;
            }
            StepResult::NotEnabled(why) => return Err(ReplayError::NotEnabled { step, why }),
            StepResult::Ended(_) if step + 1 == trace.steps.len() => {}
            StepResult::Ended(_) => return Err(ReplayError::EndsEarly { step }),
            StepResult::Beyond(why) => return Err(ReplayError::Beyond { step, why }),
        }
    }
    if violation.is_none() && trace.violation != Property::Race {
        return Err(ReplayError::NoViolation(trace.violation));
    }
    Ok(GraphRun { execution, trace: trace.clone(), violation })
}

impl GraphRun<'_> {
    /// Everything that happened, in the order of the trace's steps: the thread, the number of the step, and the event.
    pub fn happened(&self) -> &[(u32, usize, Event)] {
        self.execution.happened.as_deref().unwrap_or(&[])
    }

    /// The user's line that stands behind a span in a thread.
    pub fn user_span(&self, step: usize) -> crate::source::Span {
        self.execution.log.steps[step].user_span
    }

    /// What a place is called.
    pub fn name(&self, cell: crate::interp::Cell) -> String {
        crate::interp::Namer::new(&self.execution.machine, &self.execution.state).cell(cell).0
    }

    /// The graph is one that the axioms allow. `race` is the violation if the property is one that they define, `told` what they say besides. The
    /// log is made to say which step each read has its value from.
    pub fn allowed(
        mut self,
        race: Option<Violation>,
        told: Vec<String>,
        source_of: &dyn Fn(usize) -> Option<Option<usize>>,
    ) -> Result<Replayed, ReplayError> {
        let Some(violation) = self.violation.or(race) else {
            return Err(ReplayError::NoViolation(self.trace.violation));
        };
        self.execution.log.set_sources(source_of);
        let has_failed = |step: &LogStep| step.effects.last().is_some_and(is_failure);
        if !self.execution.log.steps.last().is_some_and(has_failed) {
            self.execution.log.fail(&violation.message);
        }
        let trace = self.trace;
        Ok(Replayed { trace, log: self.execution.log, violation, last: self.execution.state, told })
    }
}
