//! From files to an answer: load, ask the engines, tell what they found. The whole way in one function, for every language.
//!
//! An engine's answer reaches the user only as `engines::Decided`, which nobody makes without a replay or a check.

use super::{guarded_thread, next};
use crate::language::Language;
use crate::request::Request;
use crate::watch::{Stop, Watch};
use engines::{About, Ask, Decided, How, Run, Scheduled, Settings, schedule};
use ir::{Diagnostic, Properties, Property, Span, Why};
use report::{Answer, Bounded, Kept, Outcome, Parts};
use std::time::{Duration, Instant};

/// How engines are asked.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Who: an engine, or the name for several.
    pub(crate) engine: String,
    /// Knobs that were set, with their engine's name in front (`explicit.por`).
    pub(crate) knobs: Vec<(String, String)>,
    /// Whether a second engine shall answer.
    pub(crate) second_opinion: bool,
    /// Whether stronger orders are looked for that make a program safe.
    pub(crate) advise: bool,
    /// Whether every step of a trace is told.
    pub(crate) detail: bool,
    /// Whether the execution of a violation is made shorter before it is told.
    pub(crate) shorten: bool,
    /// Whether a proof shall have invariants, for a witness.
    pub(crate) invariants: bool,
}

impl Plan {
    /// The only engine of a language, with the settings that the user has made for it.
    pub(crate) fn alone<'a, R>(
        &self,
        about: &'static About,
        decide: impl Fn(&mut Run) -> Decided<R> + Send + Sync + 'a,
    ) -> Result<Ask<'a, R>, String> {
        let own = |(name, value): &'_ (String, String)| {
            Some((name.strip_prefix(about.name)?.strip_prefix('.')?.to_string(), value.clone()))
        };
        let own: Vec<(String, String)> = self.knobs.iter().filter_map(own).collect();
        let pairs = own.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Ok(Ask {
            engine: about.name,
            title: about.name.to_string(),
            settings: Settings::of(about.name, about.knobs, pairs)?,
            covers: Properties::of(&Property::ALL),
            after: Duration::ZERO,
            memory: 100,
            gives_way: false,
            tires_after: None,
            refuses_quietly: false,
            decide: Box::new(decide),
        })
    }
}

/// An answer about the request before anything is known.
pub(crate) fn blank(request: &Request, engine: &str, outcome: Outcome) -> Answer {
    Answer {
        input: request.name.clone(),
        sources: ir::Sources::default(),
        askable: (request.language.askable)(),
        properties: request.properties,
        checked: Properties::NONE,
        proven: Properties::NONE,
        confirmed_by: None,
        engine: engine.to_string(),
        model: request.model.clone().unwrap_or_default(),
        data_model: None,
        outcome,
        diagnostics: Vec::new(),
        bounds: Vec::new(),
        notes: Vec::new(),
        assumptions: Vec::new(),
        statistics: Vec::new(),
        timings: Vec::new(),
        reached: Vec::new(),
        next: Vec::new(),
        kept: None,
        parts: Parts::default(),
        graph: None,
        bounded: None,
    }
}

/// What a panic means to the user.
pub(crate) fn bug(request: &Request, engine: &str, message: &str) -> Answer {
    let note = format!(
        "please report this, with the input if you can: ravel {}, engine {engine}, input {}",
        env!("CARGO_PKG_VERSION"),
        crate::request::fingerprint(&request.files)
    );
    let mut answer = blank(request, engine, Outcome::Bug);
    let message = format!("ravel has a bug: {message}");
    answer.diagnostics.push(Diagnostic::error(Span::NOWHERE, message).with_note(note));
    answer
}

/// Decides the request.
pub(crate) fn answer<L: Language>(request: &Request, plan: &Plan, watch: &Watch) -> Answer {
    let mut answer = blank(request, &plan.engine, Outcome::Rejected);
    if !request.language.knows(&plan.engine) {
        let (language, engines) = (request.language.name, request.language.engine_names());
        let what = format!("{language} by the engine {}; it is for {engines}", plan.engine);
        answer.outcome = Outcome::Unknown(Why::Unsupported { span: Span::NOWHERE, what });
        return answer;
    }
    let started = Instant::now();
    let loaded = match L::load(request) {
        Ok(loaded) => loaded,
        Err(rejected) => {
            answer.sources = rejected.sources;
            answer.diagnostics = rejected.diagnostics;
            return answer;
        }
    };
    answer.timings.push(("load".to_string(), started.elapsed().as_secs_f64()));
    answer.diagnostics = loaded.warnings;
    answer.sources = loaded.sources;
    answer.model = loaded.model;
    answer.data_model = loaded.data_model;
    answer.notes = loaded.notes;
    answer.assumptions = loaded.assumptions;
    let asks = match L::asks(&loaded.program, plan) {
        Ok(asks) => asks,
        Err(problem) => {
            answer.diagnostics.push(Diagnostic::error(Span::NOWHERE, problem));
            return answer;
        }
    };

    if request.is_default {
        // Who names an engine or a model and no property asks about what can be told that way.
        let known = asks.iter().fold(Properties::NONE, |all, ask| all.union(ask.covers));
        answer.properties = request.properties.both(known);
    }
    // Whoever has to speak before the engines do knows as much.
    watch.know(&answer);
    let started = Instant::now();
    let how = How {
        second_opinion: plan.second_opinion,
        leaves_refused: request.is_default,
        board: watch.board().clone(),
        last_panic: Some(guarded_thread::last_panic),
    };
    let mut found = schedule(&asks, answer.properties, how, watch.budget(), L::what);
    if plan.shorten {
        let (decided, counted) = L::shorten(&loaded.program, found.decided, watch.budget());
        found.decided = decided;
        counted.into_iter().for_each(|(name, value)| found.statistics.set(name, value));
    }
    if plan.invariants {
        let (decided, note) = L::with_invariants(&loaded.program, found.decided, answer.properties, watch.budget());
        found.decided = decided;
        answer.notes.extend(note);
    }
    answer.timings.push(("check".to_string(), started.elapsed().as_secs_f64()));
    if let (Decided::Unknown(_), Some((name, said))) = (&found.decided, found.failed.first()) {
        return bug(request, &plan.engine, &format!("the engine {name} {said}"));
    }
    if let Decided::Safe(..) = &found.decided {
        answer.properties = answer.properties.both(found.looked_for);
    }
    note(&mut answer, &found, plan);
    if let Decided::Unsafe(replayed) = &found.decided {
        answer.notes.extend(L::premise(replayed));
        answer.graph = L::graph(replayed);
        let command: Vec<String> = std::env::args().skip(1).collect();
        let kept = L::keep(&loaded.program, replayed);
        answer.kept = kept.map(|(program, schedule)| Kept { program, command, schedule });
    }
    answer.outcome = match found.decided {
        Decided::Unknown(Why::Cancelled) => watch.reason().map_or(Outcome::Unknown(Why::Cancelled), stopped),
        decided => L::tell(&loaded.program, decided, plan.detail),
    };
    unknown(&mut answer, &found.gave_up, watch);
    if matches!(answer.outcome, Outcome::Unknown(_)) {
        answer.notes.extend(loaded.advice);
    }
    if plan.advise && matches!(answer.outcome, Outcome::Unsafe { .. }) {
        answer.notes.extend(L::advise(&loaded.program, plan, answer.properties, watch.budget()));
    }
    answer.notes.extend(L::remarks(&loaded.program, &answer.outcome));
    answer
}

/// Who answered, what was counted, and what is to be said about it.
fn note<R>(answer: &mut Answer, found: &Scheduled<R>, plan: &Plan) {
    answer.statistics = found.statistics.0.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    answer.statistics.extend(engines::processor_seconds().map(|seconds| (engines::PROCESSOR.to_string(), seconds)));
    if found.by.iter().any(|name| *name != plan.engine) {
        answer.engine = format!("{} ({})", plan.engine, found.by.join(", "));
    }
    answer.checked = found.looked_for;
    answer.proven = found.proven;
    answer.bounds.clone_from(&found.bounds);
    answer.notes.extend(found.notes.iter().cloned());
    answer.parts = Parts { open: found.parts.open.clone(), refuted: found.parts.refuted.clone() };
    if let Decided::Safe(_, checked) = &found.decided {
        answer.notes.extend(checked.notes());
    }
    answer.notes.extend(found.failed.iter().map(|(name, said)| {
        format!("{name} has a bug and stopped; please report this, with the input if you can: {said}")
    }));
    match &found.decided {
        Decided::Safe(..) | Decided::Unsafe(_) if plan.second_opinion => {
            answer.notes.push(match found.confirmed_by {
                Some(name) => format!("second opinion: {name} says the same"),
                None => "second opinion: nobody else could decide in time".to_string(),
            });
            answer.confirmed_by = Some(found.confirmed_by.map(str::to_string).into_iter().collect());
        }
        Decided::Unknown(Why::Disagreement { bad, .. }) => {
            // Where it is only undefined there is no trace.
            answer.notes.push(match found.gave_up.iter().any(|(title, _)| title.split(' ').next() == Some(bad)) {
                true => format!("--engine {bad} shows where"),
                false => format!("the trace that {bad} found replays; --engine {bad} shows it"),
            });
        }
        _ => {}
    }
}

/// What is added to an answer that is unknown: what kept the engines, how far they came, and what to try next.
fn unknown(answer: &mut Answer, gave_up: &[(String, Why)], watch: &Watch) {
    answer.notes.extend(others(answer, gave_up));
    if !matches!(answer.outcome, Outcome::Unknown(_) | Outcome::Interrupted) {
        return;
    }
    // Of several parts of the question the one that was looked at the most counts.
    let bounds = watch.board().entries().into_iter().filter_map(|entry| entry.reached.bounded());
    let best = bounds.max_by_key(|bounded| (bounded.properties.iter().count(), bounded.rounds));
    answer.bounded = best.map(|engines::Bounded { rounds, properties, open }| Bounded { rounds, properties, open });
    for entry in watch.board().entries() {
        // The same engine may be asked about parts of the question: what it says about the whole comes first.
        if answer.reached.iter().any(|known| known.engine == entry.title) {
            continue;
        }
        let own = gave_up.iter().find(|(title, _)| *title == entry.title).map(|(_, why)| why);
        let reason = own.filter(|why| !is_limit(why)).map(|why| answer.why(why));
        answer.reached.push(report::Reached { engine: entry.title, reached: entry.reached.text(), reason });
    }
    // Who began first depends on the machine.
    answer.reached.sort_by(|a, b| a.engine.cmp(&b.engine));
    answer.next = next::commands(answer);
}

fn is_limit(why: &Why) -> bool {
    matches!(why, Why::TimeLimit(_) | Why::MemoryLimit(_) | Why::Cancelled)
}

/// What kept the engines that gave up, beside the reason that is given anyway and limits, which need no more words. Where somebody else has
/// answered, it matters only if that is a bug of ours; where a limit was reached, it is told with what was reached.
fn others(answer: &Answer, gave_up: &[(String, Why)]) -> Vec<String> {
    let mut notes = Vec::new();
    for (title, own) in gave_up {
        let name = title.split(' ').next().unwrap_or(title);
        let note = format!("{name} gave up: {}", answer.why(own));
        let is_told = match &answer.outcome {
            Outcome::Unknown(why) => own != why && !is_limit(own) && !answer.is_limited(),
            Outcome::Interrupted => false,
            _ => matches!(own, Why::NotReplayed(_)),
        };
        if is_told && !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

/// What is told when a limit is reached and nobody has answered in time.
pub(crate) fn late(request: &Request, engine: &str, stop: Stop, watch: &Watch) -> Answer {
    let mut answer = watch.known().unwrap_or_else(|| blank(request, engine, Outcome::Rejected));
    answer.outcome = stopped(stop);
    let before: f64 = answer.timings.iter().map(|(_, seconds)| seconds).sum();
    let since = watch.budget().elapsed().as_secs_f64() - before;
    answer.timings.push(("check".to_string(), since.max(0.0)));
    unknown(&mut answer, &[], watch);
    answer
}

/// What a limit that the watcher noticed means for the answer.
pub(crate) fn stopped(stop: Stop) -> Outcome {
    match stop {
        Stop::Limit(why) => Outcome::Unknown(why),
        Stop::Interrupted => Outcome::Interrupted,
    }
}
