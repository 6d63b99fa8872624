//! What does a machine read? One JSON document with stable names; docs/json.md describes it.
//!
//! Core types are not serialisable on purpose: what is promised to the outside is written down here, field by field.

use crate::answer::{Answer, Kept, Outcome, Parts, Reached};
use crate::story::{Call, Detail, Effect, Ending, Role, Row};
use crate::tell::explain;
use ir::{Diagnostic, Proof, Properties, Property, Severity, Sources, Span, Why};
use serde::Serialize;
use std::collections::BTreeMap;

/// The version of the document's form; raised when a name changes its meaning or goes away.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Document {
    format: u32,
    ravel: &'static str,
    input: String,
    result: String,
    verdict: &'static str,
    engine: String,
    model: String,
    asked: Vec<&'static str>,
    checked: Vec<&'static str>,
    /// What is known to hold, though the whole is not decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    proven: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed_by: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounded: Option<BoundedOut>,
    refused: bool,
    /// Whether a limit was reached, so that more of it may help.
    limited: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    observed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<ProofOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<ViolationOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<StepOut>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    explanation: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<KeptOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<PartsOut>,
    diagnostics: Vec<DiagnosticOut>,
    notes: Vec<String>,
    assumptions: Vec<String>,
    statistics: BTreeMap<String, f64>,
    seconds: BTreeMap<String, f64>,
    /// What each engine has reached, where nobody knows the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reached: Vec<ReachedOut>,
    /// What to try next, as it is typed.
    #[serde(rename = "try", skip_serializing_if = "Vec::is_empty")]
    next: Vec<String>,
}

/// What is known though loops go on.
#[derive(Serialize)]
struct BoundedOut {
    rounds: u32,
    checked: Vec<&'static str>,
    open: String,
    text: String,
}

/// Parts of all executions.
#[derive(Serialize)]
struct PartsOut {
    open: Vec<String>,
    refuted: Vec<String>,
}

/// What `ravel replay` needs.
#[derive(Serialize)]
struct KeptOut {
    program: String,
    command: Vec<String>,
    schedule: Vec<String>,
}

#[derive(Serialize)]
struct ReachedOut {
    engine: String,
    reached: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct ProofOut {
    kind: &'static str,
    states: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartOut>,
}

/// A proof of some of the properties.
#[derive(Serialize)]
struct PartOut {
    properties: Vec<&'static str>,
    proof: ProofOut,
}

#[derive(Serialize)]
struct PlaceOut {
    file: String,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct ViolationOut {
    property: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<PlaceOut>,
    details: Vec<DetailOut>,
}

#[derive(Serialize)]
struct DetailOut {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<PlaceOut>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<CallOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    held_by: Option<Vec<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    locks: Option<Vec<String>>,
}

/// A call on the way to a place, innermost first.
#[derive(Serialize)]
struct CallOut {
    function: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<PlaceOut>,
}

#[derive(Serialize)]
struct StepOut {
    step: usize,
    thread: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<PlaceOut>,
    source: String,
    effects: Vec<EffectOut>,
}

#[derive(Serialize, Default)]
struct EffectOut {
    kind: &'static str,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    written_at: Option<usize>,
}

#[derive(Serialize)]
struct DiagnosticOut {
    severity: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<PlaceOut>,
}

/// The document, with a newline at its end.
pub fn json(answer: &Answer) -> String {
    let mut text = serde_json::to_string_pretty(&document(answer)).expect("strings and numbers always serialise");
    text.push('\n');
    text
}

/// The document in one line.
pub(crate) fn compact(answer: &Answer) -> String {
    serde_json::to_string(&document(answer)).expect("strings and numbers always serialise")
}

fn document(answer: &Answer) -> Document {
    let (story, ending) = match &answer.outcome {
        Outcome::Unsafe { story, ending } => (Some(story), Some(ending)),
        _ => (None, None),
    };
    let condition = match &answer.outcome {
        Outcome::Condition { condition, execution, .. } => Some((condition, execution)),
        _ => None,
    };
    let sources = &answer.sources;
    Document {
        format: FORMAT,
        ravel: env!("CARGO_PKG_VERSION"),
        input: answer.input.clone(),
        result: answer.result(),
        verdict: match &answer.outcome {
            Outcome::Safe(_) => "safe",
            Outcome::Unsafe { .. } => "unsafe",
            Outcome::Condition { holds: true, .. } => "holds",
            Outcome::Condition { .. } => "fails",
            Outcome::Unknown(Why::Depth(_)) => "bounded",
            Outcome::Unknown(_) | Outcome::Interrupted => "unknown",
            Outcome::Rejected if answer.is_refused() => "unknown",
            Outcome::Rejected | Outcome::Bug => "error",
        },
        engine: answer.engine.clone(),
        model: answer.model.clone(),
        asked: answer.properties.iter().map(|property| property.describe()).collect(),
        checked: answer.checked.iter().map(|property| property.describe()).collect(),
        proven: match &answer.outcome {
            Outcome::Unknown(_) | Outcome::Interrupted => answer.proven.iter().map(Property::describe).collect(),
            _ => Vec::new(),
        },
        confirmed_by: answer.confirmed_by.clone(),
        reason: answer.reason(),
        bounded: answer.bounded.as_ref().zip(answer.bounded()).map(|(bounded, text)| BoundedOut {
            rounds: bounded.rounds,
            checked: bounded.properties.iter().map(Property::describe).collect(),
            open: bounded.open.clone(),
            text,
        }),
        refused: answer.is_refused(),
        limited: answer.is_limited(),
        condition: condition.map(|(condition, _)| condition.clone()),
        observed: match &answer.outcome {
            Outcome::Condition { observed, .. } => *observed,
            _ => None,
        },
        execution: condition.and_then(|(_, execution)| execution.as_deref()).map(crate::litmus::graph),
        proof: match &answer.outcome {
            Outcome::Safe(proof) => Some(proof_of(proof)),
            _ => None,
        },
        violation: ending.map(|ending| violation(sources, ending)),
        threads: story.map(|story| story.threads.clone()),
        trace: story.map(|story| story.rows.iter().map(|row| step(sources, row)).collect()),
        explanation: match (story, ending) {
            (Some(story), Some(ending)) => explain(sources, story, ending),
            _ => Vec::new(),
        },
        replay: answer.kept.clone().map(|Kept { program, command, schedule }| KeptOut { program, command, schedule }),
        parts: parts(&answer.parts),
        diagnostics: answer.diagnostics.iter().map(|d| diagnostic(sources, d)).collect(),
        notes: answer.bounds.iter().chain(&answer.notes).cloned().collect(),
        assumptions: answer.assumptions.clone(),
        statistics: answer.statistics.iter().cloned().collect(),
        seconds: answer.timings.iter().cloned().collect(),
        reached: answer.reached.iter().map(reached).collect(),
        next: answer.next.clone(),
    }
}

fn parts(parts: &Parts) -> Option<PartsOut> {
    let Parts { open, refuted } = parts.clone();
    (!open.is_empty() || !refuted.is_empty()).then_some(PartsOut { open, refuted })
}

fn reached(reached: &Reached) -> ReachedOut {
    let Reached { engine, reached, reason } = reached.clone();
    ReachedOut { engine, reached, reason }
}

fn place(sources: &Sources, span: Span) -> Option<PlaceOut> {
    span.is_known().then(|| PlaceOut { file: sources.path(span).to_string(), line: span.line, column: span.column })
}

fn violation(sources: &Sources, ending: &Ending) -> ViolationOut {
    ViolationOut {
        property: ending.property.verdict_name(),
        message: ending.message.clone(),
        thread: ending.thread,
        place: place(sources, ending.span),
        details: ending.details.iter().map(|one| detail(sources, one)).collect(),
    }
}

fn detail(sources: &Sources, detail: &Detail) -> DetailOut {
    let call = |call: &Call| CallOut { function: call.function.clone(), place: place(sources, call.place) };
    let (access, name, held_by, locks) = match &detail.role {
        Role::Told | Role::Object => (None, None, None, None),
        Role::Access { name, verb, locks } => (Some(*verb), Some(name.clone()), None, Some(locks.clone())),
        Role::Waits { on, by, locks } => (Some("waits"), on.clone(), Some(by.clone()), Some(locks.clone())),
    };
    DetailOut {
        message: detail.message.clone(),
        thread: detail.thread,
        place: place(sources, detail.span),
        calls: detail.calls.iter().map(call).collect(),
        access,
        name,
        held_by,
        locks,
    }
}

fn proof_of(proof: &Proof) -> ProofOut {
    let simple = |kind, states| ProofOut { kind, states, parts: Vec::new() };
    match proof {
        Proof::Exhaustive { states } => simple("exhaustive", *states),
        Proof::Abstraction(certificate) => simple("abstraction", certificate.nodes.len() as u64),
        Proof::Threads(graphs) => simple("threads", graphs.n_nodes()),
        Proof::Unrolled { events } => simple("unrolled", *events),
        Proof::Apart { pairs } => simple("apart", *pairs),
        Proof::InOrder { waits } => simple("in order", *waits),
        Proof::Parts(parts) => {
            let part = |(properties, proof): &(Properties, Proof)| PartOut {
                properties: properties.iter().map(Property::describe).collect(),
                proof: proof_of(proof),
            };
            let parts: Vec<PartOut> = parts.iter().map(part).collect();
            ProofOut { kind: "parts", states: parts.iter().map(|part| part.proof.states).sum(), parts }
        }
    }
}

fn step(sources: &Sources, row: &Row) -> StepOut {
    StepOut {
        step: row.step,
        thread: row.thread,
        place: place(sources, row.span),
        source: row.source.clone(),
        effects: row.effects.iter().map(effect).collect(),
    }
}

fn effect(effect: &Effect) -> EffectOut {
    let text = effect.text();
    let named = |kind, name: &String| EffectOut { kind, name: Some(name.clone()), ..EffectOut::default() };
    let out = match effect {
        Effect::Read { name, value, written_at } => {
            EffectOut { value: Some(value.clone()), written_at: *written_at, ..named("read", name) }
        }
        Effect::Write { name, old, new } => {
            EffectOut { old: old.clone(), value: Some(new.clone()), ..named("write", name) }
        }
        Effect::Buffer { name, new } => EffectOut { value: Some(new.clone()), ..named("buffer", name) },
        Effect::Commit { name, old, new, .. } => {
            EffectOut { old: old.clone(), value: Some(new.clone()), ..named("commit", name) }
        }
        Effect::Set { name, value } => EffectOut { value: Some(value.clone()), ..named("set", name) },
        Effect::Input { value } => EffectOut { kind: "input", value: Some(value.clone()), ..EffectOut::default() },
        Effect::Start { thread } => named("start", thread),
        Effect::Join { thread } => named("join", thread),
        Effect::Lock { name, is_shared: false } => named("lock", name),
        Effect::Lock { name, is_shared: true } => named("read-lock", name),
        Effect::Unlock { name } => named("unlock", name),
        Effect::Alloc { name, size } => EffectOut { value: Some(size.to_string()), ..named("alloc", name) },
        Effect::Free { name } => named("free", name),
        Effect::Sync { kind, name, .. } => EffectOut { kind, name: name.clone(), ..EffectOut::default() },
        Effect::Note(_) => EffectOut { kind: "note", ..EffectOut::default() },
    };
    EffectOut { text, ..out }
}

fn diagnostic(sources: &Sources, diagnostic: &Diagnostic) -> DiagnosticOut {
    DiagnosticOut {
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Unsupported => "unsupported",
            Severity::Warning => "warning",
        },
        message: diagnostic.message.clone(),
        note: diagnostic.note.clone(),
        place: place(sources, diagnostic.span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::{Detail, Story};

    #[test]
    fn the_names_are_stable() {
        let mut sources = Sources::default();
        let file = sources.file("a.c");
        let span = Span { file, line: 3, column: 5, end_column: 6 };
        let effect = Effect::Write { name: "x".into(), old: Some("0".into()), new: "1".into() };
        let row = Row { step: 1, thread: 0, span, source: "x = 1;".into(), effects: vec![effect] };
        let calls = vec![Call { function: "set".into(), place: span }];
        let role = Role::Access { name: "x".into(), verb: "writes", locks: vec!["m".into()] };
        let detail = Detail { thread: Some(0), message: "writes x".into(), span, calls, role };
        let ending = Ending {
            property: Property::Race,
            message: "race on x".into(),
            span,
            thread: Some(0),
            details: vec![detail],
        };
        let story = Story { threads: vec!["main".into()], rows: vec![row] };
        let answer = Answer {
            input: "a.c".into(),
            sources,
            askable: Property::ALL.into_iter().fold(Properties::NONE, Properties::with),
            properties: Properties::of(&[Property::Race, Property::MemTrack]),
            checked: Properties::of(&[Property::Race]),
            proven: Properties::NONE,
            confirmed_by: Some(vec!["bmc".into()]),
            engine: "explicit".into(),
            model: "sc".into(),
            data_model: None,
            outcome: Outcome::Unsafe { story, ending },
            diagnostics: vec![Diagnostic::warning(span, "hm")],
            bounds: Vec::new(),
            notes: Vec::new(),
            assumptions: Vec::new(),
            statistics: vec![("states".into(), 7.0)],
            reached: Vec::new(),
            next: Vec::new(),
            kept: None,
            parts: Parts::default(),
            graph: None,
            bounded: None,
            timings: vec![("load".into(), 0.5)],
        };
        let value: serde_json::Value = serde_json::from_str(&json(&answer)).expect("it is JSON");
        assert_eq!(value["result"], "false(no-data-race)");
        assert_eq!(value["model"], "sc");
        assert_eq!(value["asked"], serde_json::json!(["data race", "lost memory"]));
        assert_eq!(value["checked"], serde_json::json!(["data race"]));
        assert_eq!(value["confirmed_by"], serde_json::json!(["bmc"]));
        assert_eq!(value["violation"]["place"]["line"], 3);
        let detail = &value["violation"]["details"][0];
        assert_eq!(detail["message"], "writes x");
        assert_eq!(
            (&detail["access"], &detail["name"], &detail["locks"][0]),
            (&"writes".into(), &"x".into(), &"m".into())
        );
        assert_eq!(value["trace"][0]["effects"][0]["kind"], "write");
        assert_eq!(value["trace"][0]["effects"][0]["old"], "0");
        assert_eq!(value["diagnostics"][0]["severity"], "warning");
        assert_eq!(value["statistics"]["states"], 7.0);
        assert_eq!(value["seconds"]["load"], 0.5);
    }
}
