//! From files to an answer: load, ask an engine, tell what it found. The whole way in one function.
//!
//! An engine's answer reaches the user only through `engines::decide`, which replays every trace.

use crate::input::Request;
use crate::watch::{Stop, Watch};
use crate::{deep, oox};
use engines::{Decided, Run, engine_named};
use ir::{Diagnostic, Model, Op, Order, Program, Span, Task, Verdict, Why};
use report::{Answer, Outcome};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Who decides when nobody is named: the engines of a small table, side by side.
pub(crate) const DEFAULT_ENGINE: &str = "portfolio";

/// How the engine is run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Its name.
    pub(crate) engine: String,
    /// Its knobs, without its name.
    pub(crate) knobs: BTreeMap<String, String>,
    /// Its limits.
    pub(crate) time_limit: Option<Duration>,
    /// Likewise.
    pub(crate) memory_limit: Option<u64>,
    /// Whether a second engine shall answer.
    pub(crate) second_opinion: bool,
    /// Whether every step of a trace is told.
    pub(crate) detail: bool,
    /// Called with how far it is.
    pub(crate) progress: Option<fn(&str)>,
}

/// An answer about the request before anything is known.
pub(crate) fn blank(request: &Request, engine: &str, outcome: Outcome) -> Answer {
    Answer {
        input: request.name.clone(),
        sources: ir::Sources::default(),
        properties: request.properties,
        checked: ir::Properties::NONE,
        confirmed_by: None,
        engine: engine.to_string(),
        model: request.model,
        outcome,
        diagnostics: Vec::new(),
        notes: Vec::new(),
        assumptions: Vec::new(),
        statistics: Vec::new(),
        timings: Vec::new(),
    }
}

/// Decides the request.
pub(crate) fn answer(request: &Request, plan: &Plan, watch: &Watch) -> Answer {
    if request.files.iter().any(|file| oox::is_oox(file)) {
        return oox::answer(request, plan, watch);
    }
    let started = Instant::now();
    let mut answer = blank(request, &plan.engine, Outcome::Rejected);
    let loaded = match frontend::load(&request.files, &request.options) {
        Ok(loaded) => loaded,
        Err(rejected) => {
            answer.sources = rejected.sources;
            answer.diagnostics = rejected.diagnostics;
            return answer;
        }
    };
    answer.timings.push(("load".to_string(), started.elapsed().as_secs_f64()));
    answer.diagnostics = loaded.warnings;
    answer.sources = loaded.program.sources.clone();
    answer.notes = loaded.program.notes.clone();
    answer.assumptions = loaded.program.assumptions.clone();

    // The knob is called so in the plan of the engine, and otherwise in that of the portfolio.
    let bounds = ["loops", "bmc.loops"].iter().find_map(|name| plan.knobs.get(*name));
    if let Some(problem) = bounds.and_then(|text| engines::bmc::bounds::misplaced(&loaded.program, text)) {
        answer.diagnostics.push(Diagnostic::error(Span::NOWHERE, problem));
        return answer;
    }

    let started = Instant::now();
    let mut task = Task { program: loaded.program, properties: request.properties };
    task.program.model = request.model;
    // What loading took is gone from the limit; the watcher holds the whole.
    let loading = Duration::from_secs_f64(answer.timings.iter().map(|(_, seconds)| seconds).sum());
    let time_left = plan.time_limit.map(|limit| limit.saturating_sub(loading));
    let mut run = Run::new(time_left, plan.memory_limit, watch.cancel());
    run.knobs = plan.knobs.clone();
    run.progress = plan.progress;
    run.second_opinion = plan.second_opinion;
    run.last_panic = Some(deep::last_panic);
    let engine = engine_named(&plan.engine).expect("the command line accepts only names of the table");
    let decided = engines::decide(engine, &task, &mut run);
    answer.timings.push(("check".to_string(), started.elapsed().as_secs_f64()));
    answer.statistics = run.statistics.0.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    answer.statistics.extend(processor_seconds().map(|seconds| (PROCESSOR.to_string(), seconds)));
    if let Some(name) = run.decided_by {
        answer.engine = format!("{} ({name})", plan.engine);
    }
    answer.notes.extend(decided.note.clone());
    answer.notes.extend(run.failed.iter().map(|(name, said)| {
        format!("{name} has a bug and stopped; please report this, with the input if you can: {said}")
    }));
    answer.checked = decided.checked;
    answer.outcome = outcome(decided, &task, plan, watch);
    let notes = others(&answer, &run);
    answer.notes.extend(notes);
    match &answer.outcome {
        Outcome::Safe(_) | Outcome::Unsafe { .. } if plan.second_opinion => {
            answer.notes.push(match run.confirmed_by {
                Some(name) => format!("second opinion: {name} says the same"),
                None => "second opinion: nobody else could decide in time".to_string(),
            });
            answer.confirmed_by = Some(run.confirmed_by.map(str::to_string).into_iter().collect());
        }
        Outcome::Unknown(Why::Disagreement { bad, .. }) => {
            // Where it is only undefined there is no trace.
            answer.notes.push(match run.gave_up.iter().any(|(name, _)| name == bad) {
                true => format!("--engine {bad} shows where"),
                false => format!("the trace that {bad} found replays; --engine {bad} shows it"),
            });
        }
        _ => {}
    }
    match &answer.outcome {
        Outcome::Safe(_) if request.model == Model::Sc => answer.notes.extend(weaker_order(&task.program)),
        _ => {}
    }
    answer
}

/// The statistic with the processor time of the whole process and the programs it has called, in all its threads.
pub(crate) const PROCESSOR: &str = "seconds: processor";

/// As the system counts it, in hundredths; none where it does not tell.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in parentheses, may contain anything.
    let fields = text.rsplit_once(')')?.1.split_whitespace().skip(11).take(4);
    let ticks: Vec<u64> = fields.filter_map(|field| field.parse().ok()).collect();
    (ticks.len() == 4).then(|| ticks.iter().sum::<u64>() as f64 / 100.0)
}

/// That atomic accesses of the user's program were taken for stronger ones than they are, if there are such.
fn weaker_order(program: &Program) -> Option<String> {
    let stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    let weak = stmts.filter(|stmt| !program.sources.is_model(stmt.span)).find(|stmt| match &stmt.op {
        Op::Load { order, .. } | Op::Store { order, .. } => order.is_atomic() && *order != Order::SeqCst,
        _ => false,
    })?;
    let place = program.sources.place(weak.span);
    Some(format!(
        "atomic accesses weaker than seq_cst ({place}) were interleaved like the others; --model tso or pso buffers stores"
    ))
}

/// What kept the engines that gave up, beside the reason that is given anyway and limits, which need no more words. Where somebody else has
/// answered, it matters only if that is a bug of ours.
fn others(answer: &Answer, run: &Run) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, own) in &run.gave_up {
        let note = format!("{name} gave up: {}", answer.why(own));
        let is_told = match &answer.outcome {
            Outcome::Unknown(why) => {
                own != why && !matches!(own, Why::TimeLimit(_) | Why::MemoryLimit(_) | Why::Cancelled)
            }
            _ => matches!(own, Why::NotReplayed(_)),
        };
        if is_told && !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

fn outcome(decided: Decided, task: &Task, plan: &Plan, watch: &Watch) -> Outcome {
    if let Some(replayed) = decided.replayed {
        let (story, ending) = report::tell(&task.program, &replayed.log, &replayed.violation, plan.detail);
        return Outcome::Unsafe { story, ending };
    }
    match decided.verdict {
        Verdict::Safe(proof) => Outcome::Safe(proof),
        Verdict::Unsafe(_) => Outcome::Unknown(Why::NotReplayed("there is no replay".to_string())),
        Verdict::Unknown(why) => unknown(why, plan, watch),
    }
}

/// An unknown answer, with the limits as the user gave them.
pub(crate) fn unknown(why: Why, plan: &Plan, watch: &Watch) -> Outcome {
    match why {
        Why::Cancelled => match watch.reason() {
            Some(stop) => stopped(stop),
            None => Outcome::Unknown(Why::Cancelled),
        },
        Why::TimeLimit(left) => Outcome::Unknown(Why::TimeLimit(plan.time_limit.unwrap_or(left))),
        why => Outcome::Unknown(why),
    }
}

/// What a limit that the watcher noticed means for the answer.
pub(crate) fn stopped(stop: Stop) -> Outcome {
    match stop {
        Stop::Time(limit) => Outcome::Unknown(Why::TimeLimit(limit)),
        Stop::Memory(limit) => Outcome::Unknown(Why::MemoryLimit(limit)),
        Stop::Interrupted => Outcome::Interrupted,
    }
}
