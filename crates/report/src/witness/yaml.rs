//! A witness as YAML: format 2.0, 2.1 where there are ghosts, or 2.2 where threads must be told apart.
//!
//! One entry, and one more for ghosts. Strings are written as JSON has them, which YAML reads, so nothing in a program can break the form.

use super::{Claim, Envelope, Ghost, Kind, Place, Point, Witness};
use ir::DataModel;
use serde_json::json;
use std::fmt::Write;

/// The document.
pub fn yaml(envelope: &Envelope, witness: &Witness) -> String {
    let (kind, version) = match witness {
        Witness::Violation { n_threads: 0 | 1, .. } => ("violation_sequence", "2.0"),
        Witness::Violation { .. } => ("violation_sequence", "2.2"),
        Witness::Correctness(_, ghosts) if ghosts.is_empty() => ("invariant_set", "2.0"),
        Witness::Correctness(..) => ("invariant_set", "2.1"),
    };
    let mut out = String::new();
    if let Witness::Correctness(_, ghosts) = witness
        && !ghosts.is_empty()
    {
        head(&mut out, envelope, ("ghost_instrumentation", version), &other(&envelope.uuid));
        instrumentation(&mut out, ghosts);
    }
    head(&mut out, envelope, (kind, version), &envelope.uuid);
    match witness {
        Witness::Violation { segments, .. } => {
            out.push_str("  content:\n");
            for segment in segments {
                out.push_str("  - segment:\n");
                for point in segment {
                    waypoint(&mut out, point, version);
                }
            }
        }
        Witness::Correctness(claims, _) if claims.is_empty() => out.push_str("  content: []\n"),
        Witness::Correctness(claims, _) => {
            out.push_str("  content:\n");
            for claim in claims {
                invariant(&mut out, claim);
            }
        }
    }
    out
}

/// The name of a second entry.
fn other(uuid: &str) -> String {
    let first = uuid.chars().next().and_then(|c| c.to_digit(16)).unwrap_or(0);
    format!("{:x}{}", (first + 1) % 16, uuid.get(1..).unwrap_or_default())
}

/// What an entry of a kind and a version says about where it comes from.
fn head(out: &mut String, envelope: &Envelope, (kind, version): (&str, &str), uuid: &str) {
    let data_model = match envelope.data_model {
        DataModel::Ilp32 => "ILP32",
        DataModel::Lp64 => "LP64",
    };
    let _ = write!(
        out,
        "- entry_type: \"{kind}\"\n  metadata:\n    format_version: \"{version}\"\n    uuid: {}\n    creation_time: {}\n    producer:\n      name: \"ravel\"\n      version: \"{}\"\n    task:\n      input_files:\n",
        quoted(uuid),
        quoted(&envelope.creation_time),
        env!("CARGO_PKG_VERSION")
    );
    for (file, _) in &envelope.files {
        let _ = writeln!(out, "      - {}", quoted(file));
    }
    out.push_str("      input_file_hashes:\n");
    for (file, hash) in &envelope.files {
        let _ = writeln!(out, "        {}: {}", quoted(file), quoted(hash));
    }
    let _ = write!(
        out,
        "      specification: {}\n      data_model: {data_model}\n      language: C\n",
        quoted(&envelope.specification)
    );
}

/// Ghosts with the statements that change them.
fn instrumentation(out: &mut String, ghosts: &[Ghost]) {
    out.push_str("  content:\n    ghost_variables:\n");
    for ghost in ghosts {
        let name = quoted(&ghost.name);
        let _ = write!(
            out,
            "    - name: {name}\n      type: \"int\"\n      scope: \"global\"\n      initial:\n        value: \"0\"\n        format: \"c_expression\"\n"
        );
    }
    out.push_str("    ghost_updates:\n");
    for (ghost, (place, is_taken)) in
        ghosts.iter().flat_map(|ghost| ghost.updates.iter().map(move |update| (ghost, update)))
    {
        let mut own = String::new();
        location(&mut own, "      ", place, None);
        let _ = write!(out, "    - {}", own.trim_start());
        let _ = write!(
            out,
            "      updates:\n      - variable: {}\n        value: \"{}\"\n        format: \"c_expression\"\n",
            quoted(&ghost.name),
            u8::from(*is_taken)
        );
    }
}

fn waypoint(out: &mut String, point: &Point, version: &str) {
    let (kind, constraint) = match &point.kind {
        Kind::Starts { .. } => ("function_enter", None),
        Kind::Returns { value, .. } => ("function_return", Some((format!("\\result == {value}"), "acsl_expression"))),
        Kind::Passes => ("assumption", Some(("1".to_string(), "c_expression"))),
        Kind::Target => ("target", None),
    };
    let _ = write!(out, "    - waypoint:\n        type: \"{kind}\"\n        action: \"follow\"\n");
    if version == "2.2" {
        let _ = writeln!(out, "        thread_id: {}", point.thread);
    }
    if let Some((value, format)) = constraint {
        let format = if version == "2.0" || format != "acsl_expression" { format } else { "ext_c_expression" };
        let _ =
            write!(out, "        constraint:\n          value: {}\n          format: \"{format}\"\n", quoted(&value));
    }
    location(out, "        ", &point.place, None);
}

fn location(out: &mut String, indent: &str, place: &Place, function: Option<&str>) {
    let _ = write!(
        out,
        "{indent}location:\n{indent}  file_name: {}\n{indent}  line: {}\n{indent}  column: {}\n",
        quoted(&place.file),
        place.line,
        place.column
    );
    if let Some(function) = function {
        let _ = writeln!(out, "{indent}  function: {}", quoted(function));
    }
}

fn invariant(out: &mut String, claim: &Claim) {
    let kind = if claim.is_loop { "loop_invariant" } else { "location_invariant" };
    let _ = write!(out, "  - invariant:\n      type: \"{kind}\"\n");
    location(out, "      ", &claim.place, Some(&claim.function));
    let _ = write!(out, "      value: {}\n      format: \"c_expression\"\n", quoted(&claim.expression));
}

fn quoted(text: &str) -> String {
    json!(text).to_string()
}
