//! What is told and drawn of an execution graph? Accesses to shared cells and fences, thread by thread, and who reads from whom.
//!
//! Starts and ends of threads are messages between them; they are left out, unless an axiom is about them, since the order of threads shows without.

use super::judged::{Graph, is_none, shown};
use ir::{GraphRun, Messaging, Picture, Task};
use memory::graph::Kind;
use memory::graph::judge::Violated;
use memory::relation::Relation;

/// What sequential consistency says about an execution.
pub(super) fn tell(
    task: &Task,
    run: &GraphRun<'_>,
    graph: &Graph,
    name: &str,
    forbidden: Option<&Violated>,
) -> Vec<String> {
    let Some(violated) = forbidden else {
        return vec![format!("an execution that {name} allows, and sc too")];
    };
    let cycle = graph.cycle(task, run, violated);
    vec![format!("an execution that {name} allows and sc forbids, where this circle cannot be: {cycle}")]
}

/// The picture of an execution graph, with what sequential consistency has against it.
pub(super) fn picture(run: &GraphRun<'_>, graph: &Graph, forbidden: Option<&Violated>) -> Picture {
    let execution = &graph.execution;
    let n = graph.threads.len();
    let is_used =
        |event: usize| graph.threads[event].is_some() || (0..n).any(|other| execution.rf.contains(event, other));
    let is_drawn = |event: &usize| {
        let is_access = graph.cells[*event].is_some() || execution.shape.events[*event].kind == Kind::Fence;
        let is_meant = forbidden.is_some_and(|violated| violated.events.contains(event));
        is_meant || is_access && is_used(*event)
    };
    let drawn: Vec<usize> = (0..n).filter(is_drawn).collect();
    let number = |event: usize| drawn.iter().position(|other| *other == event);
    let pairs = |relation: &Relation| {
        let all =
            drawn.iter().enumerate().flat_map(|(at, from)| drawn.iter().enumerate().map(move |to| ((at, *from), to)));
        all.filter(|((_, from), (_, to))| relation.contains(*from, **to))
            .map(|((from, _), (to, _))| (from, to))
            .collect()
    };
    let (mut read_by, mut from_reads) = (Relation::empty(n), Relation::empty(n));
    read_by.inverse(&execution.rf);
    from_reads.compose(&read_by, &execution.co);
    let relations = [
        ("po", &execution.shape.po),
        ("rf", &execution.rf),
        ("co", &execution.co),
        ("fr", &from_reads),
        ("rmw", &execution.shape.rmw),
        ("addr", &execution.dependencies[0]),
        ("data", &execution.dependencies[1]),
        ("ctrl", &execution.dependencies[2]),
    ];
    let named = relations.map(|(name, relation)| (name, pairs(relation)));
    Picture {
        events: drawn.iter().map(|event| (graph.threads[*event], text(run, graph, *event))).collect(),
        messages: drawn.iter().enumerate().filter_map(|(at, event)| Some((at, messaging(graph, *event)?))).collect(),
        relations: named.into_iter().filter(|(_, pairs): &(_, Vec<(usize, usize)>)| !pairs.is_empty()).collect(),
        forbidden: forbidden.map(|violated| {
            (violated.name.clone(), violated.events.iter().filter_map(|event| number(*event)).collect())
        }),
    }
}

/// What an event does with messages, if anything.
fn messaging(graph: &Graph, event: usize) -> Option<Messaging> {
    let node = &graph.execution.shape.events[event];
    node.message?;
    Some(match node.kind {
        Kind::Write => Messaging::Sends,
        _ if graph.values[event].as_ref().is_some_and(is_none) => Messaging::FindsNothing,
        _ => Messaging::Receives,
    })
}

/// An event as it stands in its box: `R lock=0 19`.
fn text(run: &GraphRun<'_>, graph: &Graph, event: usize) -> String {
    let node = &graph.execution.shape.events[event];
    let is_message = node.message.is_some();
    let kind = match (node.kind, graph.cells[event].is_some()) {
        (Kind::Read, true) if is_message => "receive",
        (Kind::Write, true) if is_message => "send",
        (Kind::Read, true) => "R",
        (Kind::Write, true) => "W",
        (Kind::Fence, _) => "F",
        (Kind::Read, false) => "hears",
        (Kind::Write, false) => "tells",
    };
    // What is atomic or not shows by its order.
    let marks = node.message.into_iter().flat_map(|marks| marks.names());
    let tags: Vec<&str> = node.tags.iter().copied().filter(|tag| !matches!(*tag, "A" | "NA")).chain(marks).collect();
    let tags = if tags.is_empty() { String::new() } else { format!("[{}]", tags.join(" ")) };
    let name = graph.cells[event].map(|cell| run.name(cell)).unwrap_or_default();
    let place = name.trim_end_matches(ir::message::FIELD);
    let shown =
        |value| if is_message && is_none(value) { " nothing".to_string() } else { format!("={}", shown(value)) };
    let value = graph.values[event].as_ref().map_or_else(String::new, shown);
    let span = graph.span(run, event);
    let line = if span.is_known() { format!(" :{}", span.line) } else { String::new() };
    format!("{kind}{tags} {place}{value}{line}")
}
