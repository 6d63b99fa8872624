//! What does a violation witness in GraphML 1.0 say? The chain of edges from the entry to the violation, as points of an execution.
//!
//! Such a witness is an automaton; what leads away from the violation (sinks) is left aside, and a graph with several ways to it is refused, since it would be several witnesses. An edge
//! without a line names nothing to pass. What an edge says beyond its line, its thread, a thread that it starts and the value of an input is refused by name if it
//! restricts values, and otherwise passed over: every point that is passed is one more that the execution must have, and only a replay confirms.

use super::read::{Content, File, Kind, Point};
use ir::DataModel;
use roxmltree::{Document, Node};
use std::collections::BTreeMap;

/// Reads a document.
pub(super) fn graphml(text: &str) -> Result<File, String> {
    let options = roxmltree::ParsingOptions { nodes_limit: 4_000_000, ..Default::default() };
    let document =
        Document::parse_with_options(text, options).map_err(|error| format!("this is no witness: {error}"))?;
    let graph = document.descendants().find(|node| node.has_tag_name("graph") || node.tag_name().name() == "graph");
    let graph = graph.ok_or("this is no witness: it has no graph")?;
    match value(graph, "witness-type") {
        Some("violation_witness") => {}
        Some("correctness_witness") => {
            return Err("correctness witnesses in GraphML are written but not checked; those in YAML are".to_string());
        }
        _ => return Err("this is no witness: it does not say of which type".to_string()),
    }
    let data_model = match value(graph, "architecture") {
        Some("32bit") => DataModel::Ilp32,
        Some("64bit") => DataModel::Lp64,
        other => {
            return Err(format!("the architecture {} is not known; 32bit and 64bit are", other.unwrap_or("(none)")));
        }
    };
    let hashes: Vec<String> =
        data(graph).filter(|(key, _)| *key == "programhash").map(|(_, hash)| hash.to_string()).collect();
    let specifications: Vec<&str> =
        data(graph).filter(|(key, _)| *key == "specification").map(|(_, text)| text).collect();
    if hashes.is_empty() || specifications.is_empty() {
        return Err("it names no program or no specification".to_string());
    }
    let content = Content::Violation(points(&chain(graph)?)?);
    Ok(File { hashes, specification: specifications.join("\n"), data_model, content })
}

/// The data of an element: keys and texts.
fn data<'a>(node: Node<'a, '_>) -> impl Iterator<Item = (&'a str, &'a str)> {
    let own = node.children().filter(|child| child.tag_name().name() == "data");
    own.filter_map(|child| Some((child.attribute("key")?, child.text().unwrap_or("").trim())))
}

fn value<'a>(node: Node<'a, '_>, key: &str) -> Option<&'a str> {
    data(node).find(|(own, _)| *own == key).map(|(_, text)| text)
}

/// The edges from the entry to the violation; there must be one way.
fn chain<'a, 'input>(graph: Node<'a, 'input>) -> Result<Vec<Node<'a, 'input>>, String> {
    let nodes: Vec<Node<'a, 'input>> = graph.children().filter(|node| node.tag_name().name() == "node").collect();
    let is =
        |key: &str| nodes.iter().find(|node| value(**node, key) == Some("true")).and_then(|node| node.attribute("id"));
    let entry = is("entry").ok_or("no node is the entry")?;
    let violation = is("violation").ok_or("no node is the violation")?;
    let mut before: BTreeMap<&str, Vec<Node<'a, 'input>>> = BTreeMap::new();
    for edge in graph.children().filter(|node| node.tag_name().name() == "edge") {
        let (Some(source), Some(target)) = (edge.attribute("source"), edge.attribute("target")) else {
            return Err("an edge has no ends".to_string());
        };
        if source != target {
            before.entry(target).or_default().push(edge);
        }
    }
    // Backwards, so that sinks do not matter.
    let (mut at, mut edges) = (violation, Vec::new());
    while at != entry {
        let [edge] = before.get(at).map_or(&[][..], Vec::as_slice) else {
            return Err(format!("there is not one way to the node {at}; a graph with branches is not supported"));
        };
        edges.push(*edge);
        at = edge.attribute("source").unwrap_or(entry);
        if edges.len() > nodes.len() {
            return Err("the way to the violation goes round".to_string());
        }
    }
    edges.reverse();
    Ok(edges)
}

fn points(edges: &[Node<'_, '_>]) -> Result<Vec<Vec<Point>>, String> {
    // The names of threads, in the order in which they are started.
    let mut threads: Vec<String> = Vec::new();
    let mut segments = Vec::new();
    for (at, edge) in edges.iter().enumerate() {
        let name = value(*edge, "threadId").map(str::to_string);
        if threads.is_empty() {
            threads.push(name.clone().unwrap_or_else(|| "0".to_string()));
        }
        let thread = match name {
            None => 0,
            Some(name) => threads
                .iter()
                .position(|known| *known == name)
                .ok_or_else(|| format!("nobody starts the thread {name}"))?,
        };
        let started = value(*edge, "createThread").map(str::to_string);
        if let Some(child) = &started {
            if threads.contains(child) {
                return Err(format!("the thread {child} is started twice"));
            }
            threads.push(child.clone());
        }
        let is_last = at + 1 == edges.len();
        let Some(line) = value(*edge, "startline") else {
            if is_last || started.is_some() {
                return Err("the edge to the violation, or one that starts a thread, has no line".to_string());
            }
            continue;
        };
        let line: u32 = line.parse().map_err(|_| format!("`{line}` is no line"))?;
        let kind = match (value(*edge, "assumption"), started) {
            _ if is_last => Kind::Target,
            (_, Some(_)) => Kind::Enters,
            (Some(assumed), None) => assumption(assumed, line)?,
            (None, None) => Kind::Passes,
        };
        segments.push(vec![Point { thread: thread as u32, line, kind }]);
    }
    if segments.is_empty() { Err("there is no way to the violation".to_string()) } else { Ok(segments) }
}

fn assumption(text: &str, line: u32) -> Result<Kind, String> {
    let plain = text.trim().trim_end_matches(';').trim();
    if plain == "1" {
        return Ok(Kind::Passes);
    }
    let number = plain.strip_prefix("\\result").and_then(|rest| rest.trim_start().strip_prefix("=="));
    let number = number.and_then(|number| number.trim().parse().ok());
    number.map(Kind::Returns).ok_or_else(|| format!("the assumption `{plain}` at line {line} is not supported"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(edges: &[&str]) -> String {
        let mut text = String::from(
            "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><graph edgedefault=\"directed\"><data key=\"witness-type\">violation_witness</data>\
             <data key=\"specification\">s</data><data key=\"programhash\">ff</data><data key=\"architecture\">64bit</data>\
             <node id=\"N0\"><data key=\"entry\">true</data></node><node id=\"sink\"/>",
        );
        for (at, edge) in edges.iter().enumerate() {
            let last = if at + 1 == edges.len() { "<data key=\"violation\">true</data>" } else { "" };
            text += &format!(
                "<node id=\"N{}\">{last}</node><edge source=\"N{at}\" target=\"N{}\">{edge}</edge>",
                at + 1,
                at + 1
            );
        }
        text + "<edge source=\"N0\" target=\"sink\"/></graph></graphml>"
    }

    const START: &str =
        "<data key=\"threadId\">m</data><data key=\"createThread\">w</data><data key=\"startline\">5</data>";
    const INPUT: &str = "<data key=\"threadId\">w</data><data key=\"assumption\">\\result == -3;</data><data key=\"startline\">7</data>";
    const END: &str = "<data key=\"threadId\">m</data><data key=\"startline\">9</data>";

    #[test]
    fn a_chain_becomes_points() {
        let file = graphml(&document(&[
            "<data key=\"enterFunction\">main</data><data key=\"threadId\">m</data>",
            START,
            INPUT,
            END,
        ]));
        let Content::Violation(segments) = file.expect("it is a witness").content else { panic!("a violation") };
        let points: Vec<(u32, u32, Kind)> =
            segments.concat().into_iter().map(|point| (point.thread, point.line, point.kind)).collect();
        assert_eq!(points, [(0, 5, Kind::Enters), (1, 7, Kind::Returns(-3)), (0, 9, Kind::Target)]);
    }

    #[test]
    fn what_is_no_such_witness_is_refused_by_name() {
        let wrong = |text: &str, words: &str| {
            let said = graphml(text).map(|_| ()).expect_err("it is refused");
            assert!(said.contains(words), "{said}");
        };
        wrong("<graphml>", "no witness");
        wrong("<graphml/>", "no graph");
        wrong(&document(&[START, START, END]), "started twice");
        wrong(&document(&[START, &INPUT.replace("\\result == -3", "x == 3"), END]), "`x == 3` at line 7");
        wrong(
            &document(&[INPUT.replace("w<", "v<").as_str(), START, END]).replace("threadId\">m", "threadId\">q"),
            "nobody starts",
        );
        wrong(&document(&[START, END]).replace("64bit", "16bit"), "16bit");
        wrong(&document(&[START, END]).replace("violation_witness", "correctness_witness"), "correctness");
    }
}
