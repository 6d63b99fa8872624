//! What is asked about a litmus test, and what is answered.
//!
//! Values only: how an answer looks is the reporter's business.

use std::collections::{BTreeMap, BTreeSet};

use ir::litmus::{Quantifier, Test};
use ir::source::Span;
use memory::execution::Kind;
use memory::relation::{EventSet, Relation};

/// How much is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Goal {
    /// Only whether the condition holds; the search ends with the first execution that decides it.
    Verdict,
    /// All final states.
    States,
    /// All executions.
    #[default]
    Executions,
    /// All executions that differ in what reads read.
    Rf,
}

/// Which engine answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// The one that suits the test.
    #[default]
    Auto,
    /// The enumerator.
    Enumerate,
    /// The symbolic engine.
    Symbolic,
}

/// A question about a test.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// How much is wanted.
    pub goal: Goal,
    /// Who answers.
    pub method: Method,
    /// How often an instruction is jumped back to.
    pub unroll: u32,
    /// How many executions are kept to be shown.
    pub keep: usize,
    /// Whether only executions that satisfy the condition are kept; for `Goal::Verdict` the one that decides it is.
    pub keep_positive: bool,
    /// Whether flags are computed.
    pub with_flags: bool,
}

impl Default for Question {
    fn default() -> Question {
        Question {
            goal: Goal::Executions,
            method: Method::Auto,
            unroll: 2,
            keep: 0,
            keep_positive: true,
            with_flags: true,
        }
    }
}

/// An event of an execution, ready to be shown.
#[derive(Clone, Debug)]
pub struct ShownEvent {
    /// The thread's index; none for initial writes.
    pub thread: Option<usize>,
    /// What it does.
    pub kind: Kind,
    /// Whether it is a receive that has received nothing.
    pub is_sourceless: bool,
    /// `R`, `W` or `F`, with tags; `send` or `receive` in tests with messages.
    pub label: String,
    /// Where in the test.
    pub span: Span,
    /// Which run of an instruction it belongs to.
    pub instance: u32,
}

/// An execution, ready to be shown. Only the search makes one, after the model has judged it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Execution {
    /// Its events.
    pub events: Vec<ShownEvent>,
    /// Relations by name: `po`, `rf`, `co`, `fr`, dependencies and what the model shows.
    pub relations: Vec<(String, Relation)>,
    /// Sets of events by name: reads, writes, fences, and those that the model speaks of; none of them is empty.
    pub sets: Vec<(String, EventSet)>,
    /// The final state.
    pub state: Vec<u64>,
    /// Whether the condition holds in it.
    pub is_positive: bool,
    /// The flags it raises.
    pub flags: Vec<String>,
    /// The axioms it violates (when it is shown as an example of what is forbidden).
    pub violated: Vec<Violation>,
}

/// An axiom that an execution violates.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The axiom's name.
    pub axiom: String,
    /// Where it stands in the model.
    pub span: Span,
    /// The events on the cycle, or the pair that should not be, in order; or the members of a set that should be empty.
    pub cycle: Vec<usize>,
    /// Whether they are the members of a set, in no order.
    pub is_set: bool,
}

/// The answer.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Final states with the number of executions that reach them (as far as they were counted) and whether the condition holds.
    pub states: BTreeMap<Vec<u64>, (u64, bool)>,
    /// Executions in which the condition holds; for `Goal::States`, states.
    pub n_positive: u64,
    /// Executions in which it does not.
    pub n_negative: u64,
    /// Flags that some execution raises, by name.
    pub flags: BTreeSet<String>,
    /// Executions to be shown.
    pub executions: Vec<Execution>,
    /// A loop that was cut off, so that more iterations might allow more.
    pub cut: Option<Span>,
    /// Which engine answered.
    pub is_symbolic: bool,
    /// Complete executions that were looked at, counted or not.
    pub n_complete: u64,
    /// Partial choices that were looked at.
    pub n_steps: u64,
}

impl Answer {
    /// Whether the condition with its quantifier holds: what herd prints as `Ok`.
    pub fn holds(&self, test: &Test) -> bool {
        let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        test.quantifier.is_satisfied(count(self.n_positive), count(self.n_negative))
    }

    /// Whether the condition holds, if that is known: where a loop was cut off there may be more executions, and only one that was found decides.
    pub fn decided(&self, test: &Test) -> Option<bool> {
        let deciding = if test.quantifier == Quantifier::Forall { self.n_negative } else { self.n_positive };
        (self.cut.is_none() || deciding > 0).then(|| self.holds(test))
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// A thread has too many ways.
    TooManyPaths(Span),
    /// A thread makes too many accesses.
    TooManyAccesses(Span),
    /// An access fits no cell, even byte by byte.
    Misfit,
    /// The model made an error while it looked at an execution.
    Model(String),
    /// It took too long, or somebody asked to stop.
    Stopped,
    /// The symbolic engine cannot do this; the reason.
    Symbolic(&'static str),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::TooManyPaths(span) => write!(f, "a thread (line {}) has too many ways to go", span.line),
            Refusal::TooManyAccesses(span) => write!(f, "a thread makes more than 128 accesses (line {})", span.line),
            Refusal::Misfit => write!(f, "an access covers parts of several locations"),
            Refusal::Model(message) => write!(f, "the model cannot be applied: {message}"),
            Refusal::Stopped => write!(f, "time limit"),
            Refusal::Symbolic(reason) => write!(f, "the symbolic engine cannot answer: {reason}"),
        }
    }
}
