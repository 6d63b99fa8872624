//! What does a witness file say? YAML of format 2.0 to 2.2, as far as it is about what a check needs; GraphML is read beside it ([`graphml`](mod@super::graphml)).
//!
//! What is not known is refused by name: a waypoint that is left out would be a point that nobody checks. Conditions on variables are passed over only if they say nothing (`1`).

use super::graphml;
use ir::DataModel;
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::Path;

/// A witness.
#[derive(Debug)]
pub(super) struct File {
    /// SHA-256 of the program's files.
    pub(super) hashes: Vec<String>,
    /// The text of a property file.
    pub(super) specification: String,
    /// Sizes of C types.
    pub(super) data_model: DataModel,
    /// What it claims.
    pub(super) content: Content,
}

/// What a witness claims.
#[derive(Debug)]
pub(super) enum Content {
    /// An execution: segments in order, each with its points.
    Violation(Vec<Vec<Point>>),
    /// Invariants, and the ghosts that they may mention.
    Correctness(Vec<Invariant>, Ghosts),
}

/// Variables that only the witness has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Ghosts {
    /// Each with its name, its type and its first value.
    pub(super) variables: Vec<(String, String, String)>,
    /// Where they change, in order.
    pub(super) updates: Vec<Update>,
}

/// A ghost gets a value when the statement at a place is done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Update {
    /// The file, as the witness names it.
    pub(super) file: String,
    /// The line.
    pub(super) line: u32,
    /// The column, from 1.
    pub(super) column: Option<u32>,
    /// Each variable with its new value, an expression of C.
    pub(super) values: Vec<(String, String)>,
}

/// Something that always holds at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Invariant {
    /// The file, as the witness names it.
    pub(super) file: String,
    /// The line.
    pub(super) line: u32,
    /// The column, from 1.
    pub(super) column: Option<u32>,
    /// Whether it is one of a loop.
    pub(super) is_loop: bool,
    /// An expression of C.
    pub(super) value: String,
}

/// A point that the execution passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Point {
    /// Who: 0 is the first thread, others in the order in which the witness starts them.
    pub(super) thread: u32,
    /// The line.
    pub(super) line: u32,
    /// What happens there.
    pub(super) kind: Kind,
}

/// What happens at a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A function is entered; for `pthread_create` a thread is started.
    Enters,
    /// A function returns this value.
    Returns(i128),
    /// The thread runs the statement there.
    Passes,
    /// It goes wrong.
    Target,
}

#[derive(Deserialize)]
struct Entry {
    entry_type: String,
    metadata: Metadata,
    /// What it is depends on the type of the entry.
    #[serde(default)]
    content: Json,
}

#[derive(Deserialize)]
struct Metadata {
    format_version: String,
    task: TaskOf,
}

#[derive(Deserialize, PartialEq)]
struct TaskOf {
    input_file_hashes: BTreeMap<String, String>,
    specification: String,
    data_model: String,
}

#[derive(Deserialize)]
struct Item {
    segment: Option<Vec<Way>>,
    invariant: Option<Claimed>,
}

#[derive(Deserialize)]
struct Instrumentation {
    #[serde(default)]
    ghost_variables: Vec<GhostVariable>,
    #[serde(default)]
    ghost_updates: Vec<GhostUpdate>,
}

#[derive(Deserialize)]
struct GhostVariable {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    scope: String,
    initial: Expression,
}

#[derive(Deserialize)]
struct GhostUpdate {
    location: Location,
    updates: Vec<Assigned>,
}

#[derive(Deserialize)]
struct Assigned {
    variable: String,
    #[serde(deserialize_with = "scalar")]
    value: String,
    #[serde(default)]
    format: Option<String>,
}

#[derive(Deserialize)]
struct Expression {
    #[serde(deserialize_with = "scalar")]
    value: String,
    #[serde(default)]
    format: Option<String>,
}

/// Some write numbers and truths without quotes.
fn scalar<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    match Json::deserialize(from)? {
        Json::String(text) => Ok(text),
        value @ (Json::Number(_) | Json::Bool(_)) => Ok(value.to_string()),
        other => Err(serde::de::Error::custom(format!("`{other}` is no value"))),
    }
}

#[derive(Deserialize)]
struct Claimed {
    #[serde(rename = "type")]
    kind: String,
    location: Location,
    #[serde(deserialize_with = "scalar")]
    value: String,
    #[serde(default)]
    format: Option<String>,
}

#[derive(Deserialize)]
struct Way {
    waypoint: Waypoint,
}

#[derive(Deserialize)]
struct Waypoint {
    #[serde(rename = "type")]
    kind: String,
    action: String,
    #[serde(default)]
    thread_id: u32,
    constraint: Option<Constraint>,
    location: Location,
}

#[derive(Deserialize)]
struct Constraint {
    #[serde(deserialize_with = "scalar")]
    value: String,
}

#[derive(Deserialize)]
struct Location {
    #[serde(default)]
    file_name: String,
    line: u32,
    #[serde(default)]
    column: Option<u32>,
}

/// Reads a file by its ending.
pub(super) fn read(path: &Path, text: &str) -> Result<File, String> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("yml" | "yaml") => yaml(text),
        Some("graphml") => graphml::graphml(text),
        _ => Err("a witness ends in .yml or .graphml".to_string()),
    }
}

fn yaml(text: &str) -> Result<File, String> {
    let entries: Vec<Entry> = serde_saphyr::from_str(text).map_err(|error| format!("this is no witness: {error}"))?;
    let Some(first) = entries.first() else { return Err("this is no witness: it has no entry".to_string()) };
    let version = first.metadata.format_version.as_str();
    if !matches!(version, "2.0" | "2.1" | "2.2") {
        return Err(format!("witnesses of format version {version} are not known; 2.0, 2.1 and 2.2 are"));
    }
    let task = &first.metadata.task;
    let is_alike = |entry: &Entry| entry.metadata.format_version == version && entry.metadata.task == *task;
    if !entries.iter().all(is_alike) {
        return Err("its entries are about several programs, or of several versions".to_string());
    }
    let data_model = match task.data_model.as_str() {
        "ILP32" => DataModel::Ilp32,
        "LP64" => DataModel::Lp64,
        other => return Err(format!("the data model {other} is not known; ILP32 and LP64 are")),
    };
    let hashes = task.input_file_hashes.values().cloned().collect();
    Ok(File { hashes, specification: task.specification.clone(), data_model, content: content(&entries)? })
}

/// What the entries claim together: one execution, or invariants with their ghosts.
fn content(entries: &[Entry]) -> Result<Content, String> {
    let (mut claims, mut ghosts) = (Vec::new(), Ghosts::default());
    for entry in entries {
        match entry.entry_type.as_str() {
            "violation_sequence" if entries.len() == 1 => {
                return Ok(Content::Violation(segments(&items(&entry.content)?)?));
            }
            "violation_sequence" => return Err("a violation has one entry, and this witness has more".to_string()),
            "invariant_set" => {
                for item in items(&entry.content)? {
                    claims.push(invariant(&item)?);
                }
            }
            "ghost_instrumentation" => instrumentation(&entry.content, &mut ghosts)?,
            other => return Err(format!("entries of the type {other} are not supported")),
        }
    }
    Ok(Content::Correctness(claims, ghosts))
}

fn items(content: &Json) -> Result<Vec<Item>, String> {
    match content {
        Json::Null => Ok(Vec::new()),
        _ => Vec::<Item>::deserialize(content).map_err(|error| format!("this is no witness: {error}")),
    }
}

fn instrumentation(content: &Json, ghosts: &mut Ghosts) -> Result<(), String> {
    let own = Instrumentation::deserialize(content).map_err(|error| format!("this is no witness: {error}"))?;
    let is_c = |format: &Option<String>| {
        format.as_deref().is_none_or(|format| matches!(format, "c_expression" | "ext_c_expression"))
    };
    for GhostVariable { name, kind, scope, initial } in own.ghost_variables {
        if scope != "global" || !is_c(&initial.format) {
            return Err(format!("the ghost variable {name} is not supported: it is not global, or not in C"));
        }
        ghosts.variables.push((name, kind, initial.value));
    }
    for GhostUpdate { location: Location { file_name, line, column }, updates } in own.ghost_updates {
        if let Some(bad) = updates.iter().find(|update| !is_c(&update.format)) {
            return Err(format!("the update of {} at line {line} is not in C", bad.variable));
        }
        let values = updates.into_iter().map(|update| (update.variable, update.value)).collect();
        ghosts.updates.push(Update { file: file_name, line, column, values });
    }
    Ok(())
}

fn invariant(item: &Item) -> Result<Invariant, String> {
    let claimed = item.invariant.as_ref().ok_or("an invariant set has only invariants")?;
    let Location { file_name, line, column } = &claimed.location;
    let is_loop = match claimed.kind.as_str() {
        "loop_invariant" => true,
        "location_invariant" => false,
        other => return Err(format!("an invariant of the type {other} at line {line} is not supported")),
    };
    if let Some(format) =
        claimed.format.as_deref().filter(|format| !matches!(*format, "c_expression" | "ext_c_expression"))
    {
        return Err(format!("an invariant in the format {format} at line {line} is not supported"));
    }
    Ok(Invariant {
        file: file_name.clone(),
        line: *line,
        column: *column,
        is_loop,
        value: claimed.value.trim().to_string(),
    })
}

fn segments(items: &[Item]) -> Result<Vec<Vec<Point>>, String> {
    let mut segments = Vec::new();
    for item in items {
        let ways = item.segment.as_ref().ok_or("a violation sequence has only segments")?;
        segments.push(ways.iter().map(|way| point(&way.waypoint)).collect::<Result<Vec<_>, String>>()?);
    }
    let is_target = |point: &Point| point.kind == Kind::Target;
    match segments.split_last() {
        Some((last, before)) if !last.is_empty() && last.iter().all(is_target) => {
            if before.iter().flatten().any(is_target) {
                return Err("only the last segment has targets".to_string());
            }
        }
        _ => return Err("the last segment has no target".to_string()),
    }
    Ok(segments)
}

fn point(waypoint: &Waypoint) -> Result<Point, String> {
    let line = waypoint.location.line;
    if waypoint.action != "follow" {
        return Err(format!(
            "the waypoint at line {line} has the action {}; only follow is supported",
            waypoint.action
        ));
    }
    let value = waypoint.constraint.as_ref().map(|constraint| constraint.value.trim());
    let kind = match (waypoint.kind.as_str(), value) {
        ("target", _) => Kind::Target,
        ("function_enter", _) => Kind::Enters,
        ("assumption", Some("1")) => Kind::Passes,
        ("function_return", Some(value)) => {
            let number = value.strip_prefix("\\result").and_then(|rest| rest.trim_start().strip_prefix("=="));
            let number = number.and_then(|number| number.trim().parse().ok());
            Kind::Returns(number.ok_or_else(|| format!("the constraint `{value}` at line {line} is not supported"))?)
        }
        ("assumption", Some(value)) => return Err(format!("the assumption `{value}` at line {line} is not supported")),
        (kind, _) => return Err(format!("a waypoint of the type {kind} at line {line} is not supported")),
    };
    Ok(Point { thread: waypoint.thread_id, line, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(content: &str) -> String {
        format!(
            "- entry_type: violation_sequence\n  metadata:\n    format_version: \"2.2\"\n    task:\n      input_file_hashes: {{a.c: ff}}\n      \
             specification: s\n      data_model: LP64\n  content:\n{content}"
        )
    }

    fn way(kind: &str, value: Option<&str>) -> String {
        let constraint = value.map(|value| format!(", constraint: {{value: '{value}'}}")).unwrap_or_default();
        format!(
            "  - segment:\n    - waypoint: {{type: {kind}, action: follow, thread_id: 1{constraint}, location: {{line: 7}}}}\n"
        )
    }

    #[test]
    fn points_are_read() {
        let text = document(
            &(way("function_return", Some("\\result == -3")) + &way("assumption", Some("1")) + &way("target", None)),
        );
        let Content::Violation(segments) = yaml(&text).expect("it is a witness").content else { panic!("a violation") };
        let kinds: Vec<Kind> = segments.concat().into_iter().map(|point| point.kind).collect();
        assert_eq!(kinds, [Kind::Returns(-3), Kind::Passes, Kind::Target]);
    }

    #[test]
    fn invariants_are_read() {
        let text = document("  - invariant: {type: loop_invariant, location: {file_name: a.c, line: 7, column: 3}, value: ' x >= 0 ', format: c_expression}\n")
            .replace("violation_sequence", "invariant_set");
        let Content::Correctness(claims, _) = yaml(&text).expect("it is a witness").content else {
            panic!("invariants")
        };
        let own = Invariant { file: "a.c".into(), line: 7, column: Some(3), is_loop: true, value: "x >= 0".into() };
        assert_eq!(claims, [own]);
        for (from, to) in [("loop_invariant", "ghost"), ("c_expression", "acsl")] {
            assert!(yaml(&text.replace(from, to)).is_err_and(|said| said.contains(to)), "{to}");
        }
    }

    #[test]
    fn ghosts_are_read_beside_invariants() {
        let set =
            document("").replace("violation_sequence", "invariant_set").replace("  content:\n", "  content: []\n");
        let ghosts = document("    ghost_variables: [{name: g, type: int, scope: global, initial: {value: 0}}]\n    ghost_updates: [{location: {file_name: a.c, line: 7}, updates: [{variable: g, value: '1'}]}]\n")
            .replace("violation_sequence", "ghost_instrumentation");
        let Ok(File { content: Content::Correctness(claims, found), .. }) = yaml(&format!("{ghosts}{set}")) else {
            panic!("invariants")
        };
        assert!(claims.is_empty());
        assert_eq!(found.variables, [("g".to_string(), "int".to_string(), "0".to_string())]);
        let update = Update { file: "a.c".into(), line: 7, column: None, values: vec![("g".into(), "1".into())] };
        assert_eq!(found.updates, [update]);
        let other = set.replace("2.2", "2.1");
        assert!(yaml(&format!("{ghosts}{other}")).is_err_and(|said| said.contains("several versions")));
        let local = ghosts.replace("global", "f");
        assert!(yaml(&format!("{local}{set}")).is_err_and(|said| said.contains("not global")));
    }

    #[test]
    fn what_is_not_known_is_refused_by_name() {
        for (content, words) in [
            (way("assumption", Some("x == 3")) + &way("target", None), "`x == 3` at line 7"),
            (way("branching", None) + &way("target", None), "type branching"),
            (way("function_enter", None), "no target"),
            (way("target", None).replace("follow", "avoid"), "action avoid"),
        ] {
            let said = yaml(&document(&content)).map(|_| ()).expect_err("it is refused");
            assert!(said.contains(words), "{said}");
        }
        assert!(yaml("- entry_type: vio").is_err_and(|said| said.contains("this is no witness")));
        assert!(yaml(&document("").replace("2.2", "3.0")).is_err_and(|said| said.contains("version 3.0")));
    }
}
