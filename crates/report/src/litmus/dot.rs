//! Executions for Graphviz.

use std::fmt::Write;

use super::chart;
use super::told::{Graph, Role, Told};
use super::words::letter;

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
        if !graph.roles.is_empty() {
            chart_lanes(&mut text, told, graph);
            text.push_str("}\n");
            continue;
        }
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

/// A message-sequence chart. Its layout is ours, in inches: Graphviz only draws.
fn chart_lanes(text: &mut String, told: &Told, graph: &Graph) {
    let rows = chart::rows(graph);
    let at = |lane: usize, row: f64| format!("pos=\"{:.1},{:.2}!\"", lane as f64 * 3.2, -row * 0.6);
    text.push_str("  layout=neato; splines=line; edge [fontname=\"monospace\"];\n");
    let end = graph.events.len() as f64 + 0.5;
    for (lane, name) in told.threads.iter().enumerate() {
        let _ = writeln!(
            text,
            "  p{lane} [label=\"{}\", {}]; end{lane} [shape=none, label=\"\", width=0, height=0, {}];\n  p{lane} -> end{lane} [style=dashed, arrowhead=none, color=\"#999999\"];",
            escape(name),
            at(lane, -1.0),
            at(lane, end)
        );
    }
    for (event, (thread, label)) in graph.events.iter().enumerate() {
        let is_empty = graph.roles[event] == Role::ReceiveNothing;
        let shape = if is_empty { "circle" } else { "point" };
        let said = if is_empty { format!("{}: {}", letter(event), escape(label)) } else { letter(event) };
        let place = at(thread.unwrap_or(0), rows[event] as f64);
        let _ = writeln!(text, "  e{event} [shape={shape}, label=\"\", width=0.1, xlabel=\"{said}\", {place}];");
    }
    for message in chart::messages(graph) {
        let (from, content) = (message.from, escape(&chart::content(&graph.events[message.from].1)));
        match message.to {
            Some(to) => {
                let colour = if message.is_doubled { "#c62828:white:#c62828" } else { "#c62828" };
                let _ = writeln!(text, "  e{from} -> e{to} [label=\"{content}\", color=\"{colour}\"];");
            }
            None => {
                let lane = graph.events[from].0.unwrap_or(0) as f64 * 3.2;
                let _ = writeln!(
                    text,
                    "  lost{from} [shape=none, label=\"✗\", fontcolor=\"#c62828\", pos=\"{:.1},{:.2}!\"];\n  e{from} -> lost{from} [label=\"{content} lost\", style=dashed, arrowhead=none];",
                    lane + 1.4,
                    -(rows[from] as f64 + 0.2) * 0.6
                );
            }
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
