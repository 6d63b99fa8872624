//! Is an execution graph one of this program? Each thread is run step by step, with what its reads find given by the graph.
//!
//! Under axioms (`Model::Cat`) an execution is no interleaving: the steps of a trace are in some order that agrees with that of each thread and with starts
//! and joins, and every value that a step reads is named in the trace. So here the interpreter runs each thread as if it were alone. What happened is
//! handed out; whether each read had a right to its value, and whether the axioms allow the whole, is for the caller to judge (`engines::decide`),
//! and only then does a graph become a `Replayed`.

use super::spin::{Spin, spins};
use super::{Picture, ReplayError, Replayed, check_form, is_failure};
use crate::interp::{Cell, Event, Execution, GivenInputs, Inputs, LogStep, Request, StepResult, Violation, What};
use crate::memory::DataModel;
use crate::program::Program;
use crate::property::{Properties, Property};
use crate::source::Span;
use crate::stmt::{SiteId, Stmt};
use crate::verdict::{EventName, Task, Trace, Why};
use logic::Value;
use std::collections::BTreeMap;

/// What the threads of an execution graph do, before anybody has judged it.
#[derive(Debug)]
pub struct GraphRun<'p> {
    execution: Execution<'p>,
    program: &'p Program,
    trace: Trace,
    initial: BTreeMap<Cell, Option<Value>>,
    violation: Option<Violation>,
    waiting: Vec<Spin>,
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
    let mut reads = Reads { data_model: Some(task.program.data_model), ..Reads::default() };
    reads.sources.extend(trace.graph.iter().flat_map(|graph| graph.sources.iter().copied()));
    let stmts = |step: usize| &task.program.edge(trace.steps[step].edge).stmts[..];
    for (step, taken) in trace.steps.iter().enumerate() {
        let n_before = execution.happened.as_ref().map_or(0, Vec::len);
        let mut given = Given {
            step,
            stmts: stmts(step),
            reads: &mut reads,
            named: &taken.inputs,
            inputs: GivenInputs::new(&taken.inputs),
        };
        let result = execution.take(taken.thread, taken.edge, &mut given);
        reads.note(&execution.happened.as_deref().unwrap_or(&[])[n_before..]);
        match result {
            StepResult::Ok => {}
            StepResult::Violation(found) => {
                violation = Some(*found);
                break;
            }
            StepResult::NotEnabled(why) => return Err(reads.or_stray(step, ReplayError::NotEnabled { step, why })),
            StepResult::Ended(_) if step + 1 == trace.steps.len() => {}
            StepResult::Ended(_) => return Err(reads.or_stray(step, ReplayError::EndsEarly { step })),
            StepResult::Beyond(why) => return Err(ReplayError::Beyond { step, why }),
        }
    }
    // What would come after a violation is none of it.
    let steps = trace.steps[..execution.log.steps.len().min(trace.steps.len())].to_vec();
    let mut waiting = Vec::new();
    if trace.violation == Property::Liveness {
        let mut again = |step: usize, run: &mut dyn FnMut(&mut dyn Inputs) -> StepResult| {
            let named = &trace.steps[step].inputs;
            run(&mut Given { step, stmts: stmts(step), reads: &mut reads, named, inputs: GivenInputs::new(named) })
        };
        waiting = spins(&execution, &trace.steps, &mut again).ok_or(ReplayError::NoViolation(trace.violation))?;
    } else if violation.is_none() && trace.violation != Property::Race {
        return Err(reads.or_stray(trace.steps.len(), ReplayError::NoViolation(trace.violation)));
    }
    let (program, initial) = (&task.program, reads.initial);
    let trace = Trace { steps, ..trace.clone() };
    Ok(GraphRun { execution, program, trace, initial, violation, waiting })
}

/// What reads have found so far.
#[derive(Default)]
struct Reads {
    sources: BTreeMap<EventName, Option<EventName>>,
    /// What each write has written.
    written: BTreeMap<EventName, Value>,
    /// What was in each cell when there were several threads for the first time; nothing if nobody had written there and nobody has looked.
    initial: BTreeMap<Cell, Option<Value>>,
    has_threads: bool,
    data_model: Option<DataModel>,
    /// Where an address was read that nobody has written. Objects lie elsewhere here than for whoever told the trace, so that it is another one's, or nobody's.
    stray: Option<Span>,
}

impl Reads {
    /// What is wrong with the trace, if it is no matter of such an address.
    fn or_stray(&self, step: usize, error: ReplayError) -> ReplayError {
        let Some(span) = self.stray else { return error };
        let what = "an address that is read where nobody has written".to_string();
        ReplayError::Beyond { step, why: Why::Unsupported { span, what } }
    }

    fn is_address(&self, value: &Value) -> bool {
        let Some(model) = self.data_model else { return false };
        let first = model.first_static() << model.granule_bits();
        matches!(value, Value::Bv(word) if word.width() == model.word_bits() && word.to_u64() >= Some(first))
    }

    fn note(&mut self, happened: &[(u32, usize, Event)]) {
        for (_, step, event) in happened {
            match &event.what {
                What::Write { new, .. } | What::Update { new, .. } => {
                    self.written.insert((*step, event.site), new.clone());
                }
                What::Started { .. } => self.has_threads = true,
                _ => {}
            }
        }
    }
}

/// Gives each read the value of the write that it reads. Where that is yet to come (a read that reads what depends on it) the trace says what will be written,
/// and whoever judges the graph sees to it that it is.
struct Given<'a> {
    step: usize,
    stmts: &'a [Stmt],
    reads: &'a mut Reads,
    named: &'a [(SiteId, Value)],
    inputs: GivenInputs<'a>,
}

impl Inputs for Given<'_> {
    fn choose(&mut self, request: &Request) -> Value {
        self.inputs.choose(request)
    }

    fn found(&mut self, site: SiteId, cell: Cell, last: Option<Value>) -> Option<Value> {
        if !self.reads.has_threads {
            return None;
        }
        let named = || self.named.iter().find(|(other, _)| *other == site).map(|(_, value)| value.clone());
        let initial = self.reads.initial.entry(cell).or_insert(last);
        match self.reads.sources.get(&(self.step, site))? {
            Some(source) => self.reads.written.get(source).cloned().or_else(named),
            None => {
                // Who looks first at what nobody has written decides what is there.
                let is_open = initial.is_none();
                *initial = initial.take().or_else(named);
                let found = initial.clone();
                if is_open && found.as_ref().is_some_and(|value| self.reads.is_address(value)) {
                    let stmt = self.stmts.iter().find(|stmt| stmt.site == site);
                    self.reads.stray = Some(stmt.map_or(Span::NOWHERE, |stmt| stmt.span));
                }
                found
            }
        }
    }
}

impl GraphRun<'_> {
    /// The threads that go round for ever, if the trace is about that.
    pub fn waiting(&self) -> &[Spin] {
        &self.waiting
    }

    /// Everything that happened, in the order of the trace's steps: the thread, the number of the step, and the event.
    pub fn happened(&self) -> &[(u32, usize, Event)] {
        self.execution.happened.as_deref().unwrap_or(&[])
    }

    /// What was in a cell before there were several threads.
    pub fn initial(&self, cell: Cell) -> Option<&Value> {
        self.initial.get(&cell)?.as_ref()
    }

    /// The user's line that stands behind an event.
    pub fn user_span(&self, (step, site): EventName) -> crate::source::Span {
        let stmts = &self.program.edge(self.trace.steps[step].edge).stmts;
        let own = stmts.iter().find(|stmt| stmt.site == site).map(|stmt| stmt.span);
        let is_users = |span: &crate::source::Span| span.is_known() && !self.program.sources.is_model(*span);
        own.filter(is_users).unwrap_or(self.execution.log.steps[step].user_span)
    }

    /// The user's line that a step stands on.
    pub fn step_span(&self, step: usize) -> crate::source::Span {
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
        (told, picture): (Vec<String>, Picture),
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
        Ok(Replayed {
            trace,
            log: self.execution.log,
            violation,
            last: self.execution.state,
            told,
            picture: Some(picture),
        })
    }
}
