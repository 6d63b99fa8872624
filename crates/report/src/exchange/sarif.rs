//! What does code scanning read? The answer as a SARIF 2.1.0 log: one run, and for a violation one result with a flow for each thread.
//!
//! Each thread of the execution is a `threadFlow`; `executionOrder` numbers the steps over all of them, so that a viewer can interleave them again, and `state` has
//! what a step changed. The parts of the ending (both accesses of a race, who waits) are related locations that the message links to. A safe
//! answer has no results; an unknown one tells its reason as a notification of the tool, since nothing is known to be wrong.

use crate::answer::{Answer, Outcome};
use crate::story::{Effect, Ending, Row, Story};
use ir::{Diagnostic, Properties, Property, Severity, Sources, Span};
use serde_json::{Map, Value, json};

/// The log.
pub fn sarif(answer: &Answer) -> String {
    let rules: Vec<Property> = rules(answer);
    let results: Vec<Value> = match &answer.outcome {
        Outcome::Unsafe { story, ending } => vec![result(answer, story, ending, &rules)],
        _ => Vec::new(),
    };
    let is_successful = !matches!(answer.outcome, Outcome::Rejected | Outcome::Bug) || answer.is_refused();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "ravel",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|property| rule(*property)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": is_successful,
                "toolExecutionNotifications": notifications(answer),
            }],
            "results": results,
            "properties": {"result": answer.result(), "engine": answer.engine, "model": answer.model},
        }],
    });
    let mut text = serde_json::to_string_pretty(&log).expect("strings and numbers always serialise");
    text.push('\n');
    text
}

/// What was asked, one for each name in verdicts, and what was found in any case.
fn rules(answer: &Answer) -> Vec<Property> {
    let mut rules: Vec<Property> = Vec::new();
    let found = match &answer.outcome {
        Outcome::Unsafe { ending, .. } => Some(ending.property),
        _ => None,
    };
    for property in found.into_iter().chain(answer.properties.iter()).chain(Properties::NONE.iter()) {
        if !rules.iter().any(|known| known.verdict_name() == property.verdict_name()) {
            rules.push(property);
        }
    }
    rules
}

fn rule(property: Property) -> Value {
    let words = property.describe();
    let text = format!("No execution may have this: {words}.");
    json!({
        "id": property.verdict_name(),
        "shortDescription": {"text": words},
        "fullDescription": {"text": text},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["concurrency", "correctness"], "precision": "very-high"},
    })
}

fn result(answer: &Answer, story: &Story, ending: &Ending, rules: &[Property]) -> Value {
    let sources = &answer.sources;
    let id = ending.property.verdict_name();
    let index = rules.iter().position(|rule| rule.verdict_name() == id).unwrap_or(0);
    let mut related = Vec::new();
    let mut message = ending.message.clone();
    for detail in &ending.details {
        let who = detail.thread.and_then(|thread| story.threads.get(thread));
        let text = format!("{}{}", who.map(|name| format!("{name}: ")).unwrap_or_default(), detail.message);
        let Some(Value::Object(mut place)) = location(sources, detail.span) else { continue };
        let number = related.len() + 1;
        message.push_str(&format!("\n[{}]({number})", bracketed(&text)));
        place.insert("id".into(), number.into());
        place.insert("message".into(), json!({"text": text}));
        related.push(Value::Object(place));
    }
    let flows: Vec<Value> = (0..story.threads.len()).filter_map(|thread| flow(sources, story, thread)).collect();
    let mut result = Map::new();
    result.insert("ruleId".into(), id.into());
    result.insert("ruleIndex".into(), index.into());
    result.insert("level".into(), "error".into());
    result.insert("kind".into(), "fail".into());
    result.insert("message".into(), json!({"text": message}));
    result.insert("locations".into(), location(sources, ending.span).into_iter().collect());
    result.insert("partialFingerprints".into(), json!({"ravel/v1": fingerprint(sources, ending)}));
    if !related.is_empty() {
        result.insert("relatedLocations".into(), related.into());
    }
    if !flows.is_empty() {
        result.insert("codeFlows".into(), json!([{"message": {"text": ending.message}, "threadFlows": flows}]));
    }
    Value::Object(result)
}

/// What stays the same when lines move: the property, and the texts of the lines that belong to the violation.
fn fingerprint(sources: &Sources, ending: &Ending) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let places = std::iter::once(ending.span).chain(ending.details.iter().map(|detail| detail.span));
    let lines = places.map(|span| sources.line(span).unwrap_or("").trim());
    for byte in std::iter::once(ending.property.verdict_name()).chain(lines).flat_map(str::bytes) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{hash:016x}")
}

/// The steps of a thread; nothing if it has none.
fn flow(sources: &Sources, story: &Story, thread: usize) -> Option<Value> {
    let own = story.rows.iter().filter(|row| row.thread == thread);
    let steps: Vec<Value> = own.map(|row| step(sources, row)).collect();
    let name = &story.threads[thread];
    (!steps.is_empty()).then(|| json!({"id": name, "message": {"text": name}, "locations": steps}))
}

fn step(sources: &Sources, row: &Row) -> Value {
    let effects: Vec<String> = row.effects.iter().map(Effect::text).collect();
    let text = if effects.is_empty() { row.source.clone() } else { effects.join("; ") };
    let mut place = location(sources, row.span).unwrap_or_else(|| json!({}));
    place["message"] = json!({"text": if text.is_empty() { "step".to_string() } else { text }});
    let mut state = Map::new();
    for effect in &row.effects {
        let (name, value) = match effect {
            Effect::Write { name, new, .. } | Effect::Commit { name, new, .. } => (name, new),
            Effect::Set { name, value } | Effect::Read { name, value, .. } => (name, value),
            _ => continue,
        };
        state.insert(name.clone(), json!({"text": value}));
    }
    let mut step = json!({"location": place, "executionOrder": row.step});
    if !state.is_empty() {
        step["state"] = Value::Object(state);
    }
    step
}

/// What is to be said about the run itself.
fn notifications(answer: &Answer) -> Vec<Value> {
    let mut all: Vec<Value> = answer.diagnostics.iter().map(|found| notification(&answer.sources, found)).collect();
    let is_open = matches!(answer.outcome, Outcome::Unknown(_) | Outcome::Interrupted);
    if let Some(reason) = answer.reason().filter(|_| is_open) {
        let mut one = json!({"level": "warning", "message": {"text": format!("not decided: {reason}")}});
        let place = answer.reason_place().and_then(|(span, _)| location(&answer.sources, span));
        if let Some(place) = place {
            one["locations"] = json!([place]);
        }
        all.push(one);
    }
    for note in answer.assumptions.iter().map(|text| format!("assumed: {text}")).chain(answer.bounds.iter().cloned()) {
        all.push(json!({"level": "note", "message": {"text": note}}));
    }
    all
}

fn notification(sources: &Sources, found: &Diagnostic) -> Value {
    let level = match found.severity {
        Severity::Error => "error",
        Severity::Unsupported | Severity::Warning => "warning",
    };
    let mut one = json!({"level": level, "message": {"text": found.to_string()}});
    if let Some(place) = location(sources, found.span) {
        one["locations"] = json!([place]);
    }
    one
}

/// A place in the user's text.
fn location(sources: &Sources, span: Span) -> Option<Value> {
    if !span.is_known() || sources.is_model(span) {
        return None;
    }
    let mut region = json!({"startLine": span.line});
    if span.column > 0 {
        region["startColumn"] = span.column.into();
        if span.end_column > span.column {
            region["endColumn"] = span.end_column.into();
        }
    }
    if let Some(line) = sources.line(span) {
        region["snippet"] = json!({"text": line});
    }
    Some(json!({"physicalLocation": {"artifactLocation": {"uri": uri(sources.path(span))}, "region": region}}))
}

/// A path as a reference: relative ones stay so, and whatever a URI may not have is written in hexadecimal.
fn uri(path: &str) -> String {
    let mut out = String::new();
    if path.starts_with('/') {
        out.push_str("file://");
    }
    for byte in path.strip_prefix("./").unwrap_or(path).bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' | b'+' => {
                out.push(char::from(byte))
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

/// Text inside of the brackets of a link.
fn bracketed(text: &str) -> String {
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("./src/a b.c"), "src/a%20b.c");
        assert_eq!(uri("/tmp/ü.c"), "file:///tmp/%C3%BC.c");
    }
}
