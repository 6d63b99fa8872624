//! The answer as JSON.

use serde_json::{Value, json};

use super::told::{Graph, Told};

/// The answer for machines.
pub fn json(told: &Told) -> Value {
    json!({
        "test": told.name,
        "model": told.model,
        "kind": told.kind,
        "condition": told.condition,
        "holds": told.holds,
        "states": told.states.iter().map(|(state, n, holds)| json!({"state": state, "executions": n, "condition": holds})).collect::<Vec<_>>(),
        "positive": told.n_positive,
        "negative": told.n_negative,
        "flags": told.flags,
        "undefined": told.is_undefined,
        "notes": told.notes,
        "seconds": told.seconds,
        "executions": told.graphs.iter().map(graph).collect::<Vec<_>>(),
    })
}

/// An execution for machines.
pub fn graph(graph: &Graph) -> Value {
    let relations: serde_json::Map<String, Value> =
        graph.relations.iter().map(|(name, pairs)| (name.clone(), json!(pairs))).collect();
    json!({
        "state": graph.state,
        "condition": graph.is_positive,
        "events": graph.events.iter().map(|(thread, label)| json!({"thread": thread, "event": label})).collect::<Vec<_>>(),
        "relations": relations,
        "flags": graph.flags,
        "violated": graph.violated.iter().map(|violated| json!({"axiom": violated.axiom, "at": violated.place, "events": violated.events})).collect::<Vec<_>>(),
    })
}
