//! How does a program look as a picture? One Graphviz cluster a procedure: locations are nodes, edges carry statements.
//!
//! The result is input for `dot -Tsvg`. Statements are those of `text`, one a line.

use crate::program::{LocId, ProcId, Program};
use crate::text::{self, Names};
use std::fmt::Write;

/// The whole program as one graph.
pub fn program(program: &Program) -> String {
    let mut out = String::from("digraph program {\n  node [shape=circle, fontname=\"monospace\", fontsize=10];\n");
    out.push_str("  edge [fontname=\"monospace\", fontsize=9];\n");
    for index in 0..program.procs.len() {
        write_proc(&mut out, program, ProcId(index as u32)).expect("writing to a string does not fail");
    }
    out.push_str("}\n");
    out
}

fn write_proc(out: &mut String, program: &Program, id: ProcId) -> std::fmt::Result {
    let proc = program.proc(id);
    let names = Names::of_proc(program, proc);
    let node = |loc: LocId| format!("p{}_{}", id.0, loc.0);
    writeln!(out, "  subgraph cluster_{} {{\n    label=\"{}\";", id.0, escape(&proc.name))?;
    let mut is_used = vec![false; proc.locs.len()];
    is_used[proc.entry.index()] = true;
    for edge in &proc.edges {
        is_used[edge.from.index()] = true;
        is_used[edge.to.index()] = true;
    }
    for (index, loc) in proc.locs.iter().enumerate().filter(|(index, _)| is_used[*index]) {
        let id = LocId(index as u32);
        let line = if loc.span.is_known() { format!("\\n{}", loc.span.line) } else { String::new() };
        let shape = match () {
            () if id == proc.exit => ", shape=doublecircle",
            () if loc.is_loop_head => ", shape=diamond",
            () if id == proc.entry => ", style=bold",
            () => "",
        };
        writeln!(out, "    {} [label=\"L{index}{line}\"{shape}];", node(id))?;
    }
    for edge in &proc.edges {
        let body = escape(&text::edge_body(&names, edge)).replace("; ", "\\l");
        writeln!(out, "    {} -> {} [label=\"{body}\\l\"];", node(edge.from), node(edge.to))?;
    }
    writeln!(out, "  }}")
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
