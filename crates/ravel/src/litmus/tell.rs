//! From an engine's answer to what the reporter shows.

use engines::axiomatic::{Answer, Execution};
use ir::litmus::{Dialect, Quantifier, Test};
use memory::cat::Model;
use report::litmus::{Graph, Told};
use std::collections::BTreeMap;
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
        holds: answer.holds(test),
        states: states.into_iter().map(|(state, (n, holds))| (state, n, holds)).collect(),
        n_positive: answer.n_positive,
        n_negative: answer.n_negative,
        flags: answer.flags.iter().cloned().collect(),
        is_undefined: test.dialect == Dialect::C && answer.flags.iter().any(is_race),
        notes,
        hash: test.info("Hash").map(str::to_string),
        seconds: took.as_secs_f64(),
        source: test.sources.files.first().map_or(Vec::new(), |file| file.lines.values().cloned().collect()),
        threads: test.threads.iter().map(|thread| format!("P{}", thread.number)).collect(),
        graphs: executions.iter().map(|execution| graph(test, model, execution)).collect(),
    }
}

/// An execution to draw.
pub(crate) fn graph(test: &Test, model: &Model, execution: &Execution) -> Graph {
    Graph {
        state: test.show_state(&execution.state),
        is_positive: execution.is_positive,
        events: execution.events.iter().map(|event| (event.thread, event.label.clone())).collect(),
        relations: execution
            .relations
            .iter()
            .map(|(name, relation)| (name.clone(), relation.iter().collect()))
            .collect(),
        flags: execution.flags.clone(),
        violated: execution
            .violated
            .iter()
            .map(|violation| (violation.axiom.clone(), model.sources.place(violation.span), violation.cycle.clone()))
            .collect(),
    }
}
