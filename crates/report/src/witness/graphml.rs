//! A witness as an automaton in GraphML 1.0, which older validators read.
//!
//! A violation is a chain of nodes whose edges are the points; threads are told apart by `threadId`, and an edge that starts one (`createThread`) is followed by one that
//! enters its function. Correctness is a node for each loop with an invariant, each reached from every other when the loop is entered.

use super::{Claim, Envelope, Kind, Point, Witness};
use crate::style::escape;
use ir::DataModel;
use std::fmt::Write;

/// Names of data, what they are for, and whether they are on nodes or edges.
const KEYS: [(&str, &str); 23] = [
    ("witness-type", "graph"),
    ("sourcecodelang", "graph"),
    ("producer", "graph"),
    ("specification", "graph"),
    ("programfile", "graph"),
    ("programhash", "graph"),
    ("architecture", "graph"),
    ("creationtime", "graph"),
    ("entry", "node"),
    ("violation", "node"),
    ("invariant", "node"),
    ("invariant.scope", "node"),
    ("assumption", "edge"),
    ("assumption.scope", "edge"),
    ("assumption.resultfunction", "edge"),
    ("startline", "edge"),
    ("endline", "edge"),
    ("enterLoopHead", "edge"),
    ("enterFunction", "edge"),
    ("threadId", "edge"),
    ("createThread", "edge"),
    ("sink", "node"),
    ("cyclehead", "node"),
];

/// The document.
pub fn graphml(envelope: &Envelope, witness: &Witness) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n",
    );
    for (name, of) in KEYS {
        let (ty, default) = match name {
            "entry" | "violation" | "sink" | "cyclehead" | "enterLoopHead" => ("boolean", true),
            "startline" | "endline" => ("int", false),
            _ => ("string", false),
        };
        let default = if default { "<default>false</default>" } else { "" };
        let _ =
            writeln!(out, "  <key id=\"{name}\" attr.name=\"{name}\" attr.type=\"{ty}\" for=\"{of}\">{default}</key>");
    }
    out.push_str("  <graph edgedefault=\"directed\">\n");
    let kind = match witness {
        Witness::Violation { .. } => "violation_witness",
        Witness::Correctness(..) => "correctness_witness",
    };
    let bits = match envelope.data_model {
        DataModel::Ilp32 => "32bit",
        DataModel::Lp64 => "64bit",
    };
    let mut data = |key: &str, value: &str| {
        let _ = writeln!(out, "    <data key=\"{key}\">{}</data>", escape(value));
    };
    data("witness-type", kind);
    data("sourcecodelang", "C");
    data("producer", &format!("ravel {}", env!("CARGO_PKG_VERSION")));
    data("specification", &envelope.specification);
    for (file, hash) in &envelope.files {
        data("programfile", file);
        data("programhash", hash);
    }
    data("architecture", bits);
    data("creationtime", &envelope.creation_time);
    match witness {
        Witness::Violation { segments, .. } => violation(&mut out, segments),
        // The form has a place for what holds at loops alone.
        Witness::Correctness(claims, _) => {
            let of_loops: Vec<&Claim> = claims.iter().filter(|claim| claim.is_loop).collect();
            correctness(&mut out, &of_loops);
        }
    }
    out.push_str("  </graph>\n</graphml>\n");
    out
}

fn violation(out: &mut String, segments: &[Vec<Point>]) {
    let mut edges: Vec<Vec<(&str, String)>> =
        vec![vec![("threadId", "0".to_string()), ("enterFunction", "main".to_string())]];
    for point in segments.iter().flatten() {
        let line = point.place.line.to_string();
        let mut edge = vec![("startline", line.clone()), ("endline", line), ("threadId", point.thread.to_string())];
        let mut entered = None;
        match &point.kind {
            Kind::Starts { child, function } => {
                edge.push(("createThread", child.to_string()));
                entered = Some(vec![("threadId", child.to_string()), ("enterFunction", function.clone())]);
            }
            Kind::Returns { function, value } => {
                edge.push(("assumption", format!("\\result == {value};")));
                edge.push(("assumption.resultfunction", function.clone()));
            }
            Kind::Passes | Kind::Target => {}
        }
        edges.push(edge);
        edges.extend(entered);
    }
    let last = edges.len();
    for node in 0..=last {
        let _ = match node {
            0 => writeln!(out, "    <node id=\"N0\"><data key=\"entry\">true</data></node>"),
            node if node == last => {
                writeln!(out, "    <node id=\"N{node}\"><data key=\"violation\">true</data></node>")
            }
            node => writeln!(out, "    <node id=\"N{node}\"/>"),
        };
    }
    for (at, data) in edges.iter().enumerate() {
        edge(out, at, at + 1, data);
    }
}

fn correctness(out: &mut String, claims: &[&Claim]) {
    out.push_str("    <node id=\"N0\"><data key=\"entry\">true</data></node>\n");
    for (at, claim) in claims.iter().enumerate() {
        let _ = writeln!(
            out,
            "    <node id=\"N{}\"><data key=\"invariant\">{}</data><data key=\"invariant.scope\">{}</data></node>",
            at + 1,
            escape(&claim.expression),
            escape(&claim.function)
        );
    }
    for from in 0..=claims.len() {
        for (at, claim) in claims.iter().enumerate() {
            let line = claim.place.line.to_string();
            let data = [("enterLoopHead", "true".to_string()), ("startline", line.clone()), ("endline", line)];
            edge(out, from, at + 1, &data);
        }
    }
}

fn edge(out: &mut String, from: usize, to: usize, data: &[(&str, String)]) {
    let _ = write!(out, "    <edge source=\"N{from}\" target=\"N{to}\">");
    for (key, value) in data {
        let _ = write!(out, "<data key=\"{key}\">{}</data>", escape(value));
    }
    out.push_str("</edge>\n");
}
