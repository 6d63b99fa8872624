//! A witness as YAML: format 2.0, or 2.2 where threads must be told apart.
//!
//! One entry. Strings are written as JSON has them, which YAML reads, so nothing in a program can break the form.

use super::{Claim, Envelope, Kind, Place, Point, Witness};
use ir::DataModel;
use serde_json::json;
use std::fmt::Write;

/// The document.
pub fn yaml(envelope: &Envelope, witness: &Witness) -> String {
    let (kind, version) = match witness {
        Witness::Violation { n_threads: 0 | 1, .. } => ("violation_sequence", "2.0"),
        Witness::Violation { .. } => ("violation_sequence", "2.2"),
        Witness::Correctness(_) => ("invariant_set", "2.0"),
    };
    let mut out = String::new();
    let data_model = match envelope.data_model {
        DataModel::Ilp32 => "ILP32",
        DataModel::Lp64 => "LP64",
    };
    let _ = write!(
        out,
        "- entry_type: \"{kind}\"\n  metadata:\n    format_version: \"{version}\"\n    uuid: {}\n    creation_time: {}\n    producer:\n      name: \"ravel\"\n      version: \"{}\"\n    task:\n      input_files:\n",
        quoted(&envelope.uuid),
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
        Witness::Correctness(claims) if claims.is_empty() => out.push_str("  content: []\n"),
        Witness::Correctness(claims) => {
            out.push_str("  content:\n");
            for claim in claims {
                invariant(&mut out, claim);
            }
        }
    }
    out
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
    out.push_str("  - invariant:\n      type: \"loop_invariant\"\n");
    location(out, "      ", &claim.place, Some(&claim.function));
    let _ = write!(out, "      value: {}\n      format: \"c_expression\"\n", quoted(&claim.expression));
}

fn quoted(text: &str) -> String {
    json!(text).to_string()
}
