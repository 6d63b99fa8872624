//! From an engine's answer to what the reporter shows.

use engines::axiomatic::{Answer, Execution, ShownEvent};
use ir::litmus::{Dialect, Op, Quantifier, Test, Thread};
use memory::cat::{Model, Node};
use memory::execution::Kind;
use report::litmus::{Graph, Role, Told, Violated};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Puts an answer into words.
pub(crate) fn tell(test: &Test, model: &Model, answer: &Answer, executions: &[Execution], took: Duration) -> Told {
    let mut states: BTreeMap<String, (u64, bool)> = BTreeMap::new();
    for (state, (n, holds)) in &answer.states {
        let entry = states.entry(test.show_state(state)).or_insert((0, false));
        entry.0 += n;
        entry.1 |= holds;
    }
    let mut notes = Vec::new();
    if let Some(span) = answer.cut {
        notes.push(format!("a loop was cut off (line {}): more iterations may allow more (--unroll)", span.line));
    }
    notes.extend(unknown_tags(test, model));
    let kind = match test.quantifier {
        Quantifier::Exists => "Allowed",
        Quantifier::NotExists => "Forbidden",
        Quantifier::Forall => "Required",
    };
    let is_race = |flag: &String| flag.contains("race");
    Told {
        name: test.name.clone(),
        model: model.title.clone(),
        kind: kind.to_string(),
        condition: test.show_condition(),
        holds: answer.decided(test),
        is_bounded: answer.cut.is_some(),
        states: states.into_iter().map(|(state, (n, holds))| (state, n, holds)).collect(),
        n_positive: answer.n_positive,
        n_negative: answer.n_negative,
        flags: answer.flags.iter().cloned().collect(),
        is_undefined: test.dialect == Dialect::C && answer.flags.iter().any(is_race),
        notes,
        hash: test.info("Hash").map(str::to_string),
        seconds: took.as_secs_f64(),
        source: test.sources.files.first().map_or(Vec::new(), |file| file.lines.values().cloned().collect()),
        threads: test.threads.iter().map(lane).collect(),
        graphs: executions.iter().map(|execution| graph(test, model, execution)).collect(),
    }
}

/// The name of a thread, with the place where a process runs.
fn lane(thread: &Thread) -> String {
    let name = format!("P{}", thread.number);
    match (&thread.place.segment, &thread.place.host) {
        (Some(segment), Some(host)) => format!("{name} @ {segment}.{host}"),
        (_, Some(host)) => format!("{name} @ {host}"),
        _ => name,
    }
}

/// Tags of messages that the model never mentions: a misspelt quality of service would change nothing.
pub(crate) fn unknown_tags(test: &Test, model: &Model) -> Option<String> {
    if !test.dialect.has_messages() || model.is_dynamic {
        return None;
    }
    let code = test.threads.iter().flat_map(|thread| &thread.code);
    let tags = code.filter_map(|instr| match &instr.op {
        Op::Load { tags, .. } | Op::Store { tags, .. } => Some(tags),
        _ => None,
    });
    let knows = |tag: &str| {
        let mut nodes = model.outcome.graph.iter();
        nodes.any(|(_, node)| matches!(node, Node::Events(name) if name.eq_ignore_ascii_case(tag)))
    };
    let unknown: BTreeSet<&str> = tags.flatten().map(String::as_str).filter(|tag| !knows(tag)).collect();
    let list: Vec<&str> = unknown.into_iter().collect();
    (!list.is_empty()).then(|| format!("the model {} says nothing about the tags {}", model.title, list.join(", ")))
}

fn role(test: &Test, event: &ShownEvent) -> Option<Role> {
    match event.kind {
        _ if !test.dialect.has_messages() => None,
        Kind::Write => Some(Role::Send),
        Kind::Read if event.is_sourceless => Some(Role::ReceiveNothing),
        Kind::Read => Some(Role::Receive),
        Kind::Fence => None,
    }
}

/// An execution to draw.
pub(crate) fn graph(test: &Test, model: &Model, execution: &Execution) -> Graph {
    Graph {
        state: test.show_state(&execution.state),
        is_positive: execution.is_positive,
        events: execution.events.iter().map(|event| (event.thread, event.label.clone())).collect(),
        roles: execution.events.iter().filter_map(|event| role(test, event)).collect(),
        relations: execution
            .relations
            .iter()
            .map(|(name, relation)| (name.clone(), relation.iter().collect()))
            .collect(),
        sets: execution.sets.iter().map(|(name, set)| (name.clone(), set.iter().collect())).collect(),
        flags: execution.flags.clone(),
        violated: execution
            .violated
            .iter()
            .map(|violation| Violated {
                axiom: violation.axiom.clone(),
                place: model.sources.place(violation.span),
                events: violation.cycle.clone(),
                is_set: violation.is_set,
            })
            .collect(),
    }
}
