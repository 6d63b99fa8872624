//! What does the program do when it just runs? A random schedule with random inputs, the same for the same seed.
//!
//! The scheduler stays with a thread for a while and then switches, which finds more than switching at every step.
//! Inputs are small numbers and boundary values most of the time, so that loops bounded by an input end.

use super::log::Log;
use crate::interp::explore::execution::Execution;
use crate::interp::machine::event::{Inputs, Request, StepResult, Violation};
use crate::interp::machine::state::End;
use crate::interp::machine::step::Status;
use crate::program::{EdgeRef, Program};
use crate::property::{Properties, Property};
use crate::verdict::{Commit, Step, Trace, Why};
use logic::{BitVec, Prng, Sort, Value};

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub enum RunEnd {
    /// Something went wrong.
    Violation(Box<Violation>),
    /// The process ended.
    Ended(End),
    /// No thread can go on: an `Assume` has stopped one, or all wait and nobody asked about deadlocks.
    Stuck,
    /// It went on for as many steps as were allowed.
    StepLimit,
    /// What happens next is not modelled.
    Beyond(Why),
}

/// A run.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// How it ended.
    pub outcome: RunEnd,
    /// The steps taken.
    pub steps: Vec<Step>,
    /// The stores that reached memory by themselves.
    pub commits: Vec<Commit>,
    /// What they did.
    pub log: Log,
}

impl RunReport {
    /// The run as a trace, if something went wrong.
    pub fn trace(&self) -> Option<Trace> {
        match &self.outcome {
            RunEnd::Violation(violation) => {
                let (steps, commits) = (self.steps.clone(), self.commits.clone());
                Some(Trace { commits, ..Trace::new(violation.property, steps) })
            }
            _ => None,
        }
    }
}

/// Runs the program once.
pub fn run_random(program: &Program, properties: Properties, seed: u64, max_steps: usize) -> RunReport {
    let mut execution = Execution::new(program, properties);
    let mut prng = Prng::new(seed);
    let outcome = run(&mut execution, &mut prng, max_steps);
    RunReport { outcome, steps: execution.steps, commits: execution.commits, log: execution.log }
}

/// How often a step is tried that turns out to be disabled for the inputs it got.
const MAX_RETRIES: usize = 100;

fn run(execution: &mut Execution<'_>, prng: &mut Prng, max_steps: usize) -> RunEnd {
    let mut last = 0;
    let mut n_retries = 0;
    while execution.steps.len() < max_steps {
        let commits = execution.machine.commits(&execution.state);
        if !commits.is_empty() && prng.below(3) == 0 {
            let (thread, number) = commits[prng.below(commits.len() as u64) as usize];
            execution.commit(thread, number);
        }
        let Some((thread, edges)) = pick(execution, prng, last) else {
            if execution.commit_any() {
                continue;
            }
            return match execution.deadlock() {
                Some(violation) if execution.properties.has(Property::Deadlock) => {
                    RunEnd::Violation(Box::new(violation))
                }
                _ => RunEnd::Stuck,
            };
        };
        let edge = edges[prng.below(edges.len() as u64) as usize];
        match execution.take(thread, edge, &mut RandomInputs(prng)) {
            StepResult::Ok => (last, n_retries) = (thread, 0),
            StepResult::NotEnabled(_) if n_retries < MAX_RETRIES => n_retries += 1,
            StepResult::NotEnabled(_) => return RunEnd::Stuck,
            StepResult::Violation(violation) => return RunEnd::Violation(violation),
            StepResult::Ended(end) => return RunEnd::Ended(end),
            StepResult::Beyond(why) => return RunEnd::Beyond(why),
        }
    }
    RunEnd::StepLimit
}

/// A thread that can run, and its edges. Not all threads are looked at: there can be thousands.
fn pick(execution: &Execution<'_>, prng: &mut Prng, last: u32) -> Option<(u32, Vec<EdgeRef>)> {
    let (machine, state) = (&execution.machine, &execution.state);
    let can_run = |thread: u32| match machine.status(state, thread) {
        Status::CanRun(edges) => Some((thread, edges)),
        _ => None,
    };
    if let Some(holder) = machine.excludes_others(state) {
        return can_run(holder);
    }
    let n_threads = state.threads.len() as u32;
    let first = if prng.below(4) != 0 { last } else { prng.below(u64::from(n_threads)) as u32 };
    can_run(first).or_else(|| {
        let start = prng.below(u64::from(n_threads)) as u32;
        (0..n_threads).find_map(|offset| can_run((start + offset) % n_threads))
    })
}

struct RandomInputs<'a>(&'a mut Prng);

impl Inputs for RandomInputs<'_> {
    fn choose(&mut self, request: &Request) -> Value {
        random_value(self.0, request.sort)
    }
}

/// A value, small or at a boundary most of the time.
pub(crate) fn random_value(prng: &mut Prng, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(prng.below(2) == 1),
        Sort::Bv(width) => Value::Bv(bits(prng, width)),
        Sort::F32 => Value::f32(float(prng) as f32),
        Sort::F64 => Value::f64(float(prng)),
        Sort::Array(..) => Value::zero(sort),
    }
}

fn bits(prng: &mut Prng, width: u32) -> BitVec {
    match prng.below(10) {
        0..=5 => BitVec::new(width, prng.below(8)),
        6 => BitVec::ones(width),
        7 => BitVec::signed_min(width),
        8 => BitVec::signed_max(width),
        _ => BitVec::from_limbs(width, &[prng.number(), prng.number()]),
    }
}

fn float(prng: &mut Prng) -> f64 {
    match prng.below(6) {
        0..=2 => prng.below(8) as f64,
        3 => -(prng.below(100) as f64) / 4.0,
        4 => f64::MAX,
        _ => f64::from_bits(prng.number()),
    }
}
