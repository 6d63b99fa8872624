//! Executions for Graphviz.

use std::fmt::Write;

use super::told::{Graph, Told};

/// The colour of a relation, the same in all pictures.
pub(super) fn colour(name: &str) -> &'static str {
    match name {
        "po" => "#555555",
        "rf" => "#c62828",
        "co" => "#1565c0",
        "fr" => "#ef6c00",
        "addr" | "data" | "ctrl" => "#6a1b9a",
        "rmw" => "#2e7d32",
        _ => {
            const OTHERS: &[&str] = &["#00838f", "#ad1457", "#4e342e", "#558b2f", "#283593", "#9e9d24"];
            let sum: usize = name.bytes().map(usize::from).sum();
            OTHERS[sum % OTHERS.len()]
        }
    }
}

/// One graph for each execution, threads as columns.
pub fn dot(told: &Told) -> String {
    let mut text = String::new();
    for (index, graph) in told.graphs.iter().enumerate() {
        let _ = writeln!(text, "digraph \"{} {}\" {{", escape(&told.name), index + 1);
        let _ = writeln!(
            text,
            "  label=\"{}: {}\"; splines=spline; node [shape=box, fontname=\"monospace\"];",
            escape(&told.name),
            escape(&graph.state)
        );
        events(&mut text, told, graph);
        for (name, _) in &graph.relations {
            for (from, to) in graph.thinned(name) {
                let constraint = if name == "po" { "" } else { ", constraint=false" };
                let colour = colour(name);
                let _ = writeln!(
                    text,
                    "  e{from} -> e{to} [label=\"{name}\", color=\"{colour}\", fontcolor=\"{colour}\"{constraint}];"
                );
            }
        }
        text.push_str("}\n");
    }
    text
}

fn events(text: &mut String, told: &Told, graph: &Graph) {
    for (index, (thread, label)) in graph.events.iter().enumerate() {
        if thread.is_none() {
            let _ = writeln!(text, "  e{index} [label=\"{}\", style=dashed];", escape(label));
        }
    }
    for (thread, name) in told.threads.iter().enumerate() {
        let _ = writeln!(text, "  subgraph cluster_{thread} {{ label=\"{}\";", escape(name));
        for (index, (of, label)) in graph.events.iter().enumerate() {
            if *of == Some(thread) {
                let _ = writeln!(text, "    e{index} [label=\"{}\"];", escape(label));
            }
        }
        text.push_str("  }\n");
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
