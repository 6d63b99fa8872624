//! Message-sequence charts: processes as lanes, time downwards, messages as arrows.
//!
//! Known as: message sequence charts (ITU-T Z.120), sequence diagrams.
//!
//! Each event has a row of its own. Rows follow program order and messages where these have no cycle, and a receive comes as soon after its send as it can; in an
//! execution that a model forbids an arrow may point upwards. A message that nobody receives ends in a cross, the arrows of one that is received
//! several times are doubled, a receive of nothing is an open circle.

use std::fmt::Write;

use super::told::{Graph, Role, Told};
use super::words::letter;
use crate::style::escape;

const LANE: i64 = 230;
const ROW: i64 = 46;
const TOP: i64 = 64;
const STUB: i64 = 84;
/// Room at both sides for what is said of a receive of nothing.
const MARGIN: i64 = 44;

/// A message: who sends it, who receives it, and whether others receive it, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) from: usize,
    /// None if it is lost.
    pub(super) to: Option<usize>,
    pub(super) is_doubled: bool,
}

/// The messages of an execution, in the order of their sends.
pub(super) fn messages(graph: &Graph) -> Vec<Message> {
    let pairs = graph.relations.iter().find(|(name, _)| name == "rf").map_or(&[][..], |(_, pairs)| pairs);
    let mut found = Vec::new();
    for from in (0..graph.events.len()).filter(|&event| graph.roles.get(event) == Some(&Role::Send)) {
        let receivers: Vec<usize> = pairs.iter().filter(|(send, _)| *send == from).map(|(_, to)| *to).collect();
        let is_doubled = receivers.len() > 1;
        found.extend(receivers.iter().map(|&to| Message { from, to: Some(to), is_doubled }));
        if receivers.is_empty() {
            found.push(Message { from, to: None, is_doubled: false });
        }
    }
    found
}

/// The row of each event.
pub(super) fn rows(graph: &Graph) -> Vec<usize> {
    let n = graph.events.len();
    let pairs = |wanted: &str| {
        let found = graph.relations.iter().find(|(name, _)| name == wanted);
        found.map_or(Vec::new(), |(_, pairs)| pairs.clone())
    };
    let (po, rf) = (pairs("po"), pairs("rf"));
    let mut row = vec![usize::MAX; n];
    let mut last: Option<usize> = None;
    for next in 0..n {
        let is_open = |event: usize| row[event] == usize::MAX;
        let waits = |pairs: &[(usize, usize)], event: usize| pairs.iter().any(|&(a, b)| b == event && is_open(a));
        let ready: Vec<usize> =
            (0..n).filter(|&event| is_open(event) && !waits(&po, event) && !waits(&rf, event)).collect();
        let answers = |event: &&usize| last.is_some_and(|last| rf.contains(&(last, **event)));
        // Whoever gives up does so as late as it can.
        let waited = |event: &&usize| graph.roles.get(**event) != Some(&Role::ReceiveNothing);
        let chosen = ready.iter().find(answers).or_else(|| ready.iter().find(waited)).or(ready.first()).copied();
        // On a cycle program order wins.
        let chosen = chosen.or_else(|| (0..n).find(|&event| is_open(event) && !waits(&po, event)));
        let chosen = chosen.or_else(|| (0..n).find(|&event| is_open(event))).expect("an event is left");
        row[chosen] = next;
        last = Some(chosen);
    }
    row
}

/// An execution as a picture.
pub(crate) fn svg(told: &Told, graph: &Graph) -> String {
    let rows = rows(graph);
    let (width, height) = size(told, graph);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\"><rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
    );
    for (lane, name) in told.threads.iter().enumerate() {
        let x = lane_x(lane);
        let _ = write!(
            text,
            "<line x1=\"{x}\" y1=\"40\" x2=\"{x}\" y2=\"{}\" stroke=\"#999\" stroke-dasharray=\"5 4\"/>\
             <rect x=\"{}\" y=\"10\" width=\"170\" height=\"30\" rx=\"4\" fill=\"#eef2f7\" stroke=\"#667\"/>{}",
            height - 8,
            x - 85,
            label(x, 30, "middle", "#222", name)
        );
    }
    let place = |event: usize| (lane_x(graph.events[event].0.unwrap_or(0)), TOP + rows[event] as i64 * ROW);
    for message in messages(graph) {
        let content = content(&graph.events[message.from].1);
        match message.to {
            Some(to) => arrow(&mut text, place(message.from), place(to), &content, message.is_doubled),
            None => {
                let is_last = graph.events[message.from].0 == Some(told.threads.len() - 1);
                lost(&mut text, place(message.from), if is_last && told.threads.len() > 1 { -1 } else { 1 }, &content);
            }
        }
    }
    for (event, (thread, said)) in graph.events.iter().enumerate() {
        let (x, y) = place(event);
        let is_hit = graph.violated.iter().any(|violated| violated.events.contains(&event));
        let is_empty = graph.roles[event] == Role::ReceiveNothing;
        let (fill, stroke) = match (is_empty, is_hit) {
            (true, true) => ("#fff", "#c62828"),
            (true, false) => ("#fff", "#222"),
            (false, true) => ("#c62828", "#c62828"),
            (false, false) => ("#222", "#222"),
        };
        let _ = write!(
            text,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"4.5\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"1.6\"/>"
        );
        let name = letter(event);
        let side = if is_empty { format!("{name}: {}", nothing(said)) } else { name };
        // Outside of where most arrows are.
        let (at, anchor) = if *thread == Some(0) { (x - 10, "end") } else { (x + 10, "start") };
        text.push_str(&label(at, y + 4, anchor, stroke, &side));
    }
    text.push_str("</svg>");
    text
}

/// Width and height of the picture of an execution.
pub(super) fn size(told: &Told, graph: &Graph) -> (i64, i64) {
    (told.threads.len() as i64 * LANE + 2 * MARGIN, TOP + graph.events.len() as i64 * ROW)
}

fn lane_x(lane: usize) -> i64 {
    lane as i64 * LANE + LANE / 2 + MARGIN
}

/// What a message carries: `send[QoS1] x=1` without its first word.
pub(super) fn content(label: &str) -> String {
    label.strip_prefix("send").unwrap_or(label).trim().to_string()
}

/// What is said of a receive of nothing, `receive[Try] x=none`, or in a program `receive[Try] x nothing :12`.
fn nothing(label: &str) -> String {
    let rest = label.rsplit(']').next().unwrap_or(label).trim_start_matches("receive").trim_start();
    let topic = rest.split(['=', ' ']).next().unwrap_or(rest);
    format!("nothing on {topic}")
}

fn label(x: i64, y: i64, anchor: &str, colour: &str, said: &str) -> String {
    // The white rim keeps letters legible where lines pass below them.
    format!(
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" font-family=\"ui-monospace,monospace\" font-size=\"12.5\" fill=\"{colour}\" \
         stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
        escape(said)
    )
}

fn arrow(text: &mut String, from: (i64, i64), to: (i64, i64), content: &str, is_doubled: bool) {
    let is_own = from.0 == to.0;
    // To the side where no names of events are.
    let inner = if from.0 == lane_x(0) { 1 } else { -1 };
    let path = if is_own {
        let out = from.0 + inner * 62;
        format!("M{} {} C{out} {} {out} {} {} {}", from.0 + inner * 5, from.1, from.1, to.1, to.0 + inner * 12, to.1)
    } else {
        let (dx, dy) = ((to.0 - from.0) as f64, (to.1 - from.1) as f64);
        let length = (dx * dx + dy * dy).sqrt();
        let end = (to.0 as f64 - dx / length * 12.0, to.1 as f64 - dy / length * 12.0);
        // Past other lanes in a bow, so that it does not seem to end in one of their events.
        let bow = if dx.abs() as i64 > LANE { 26.0 } else { 0.0 };
        let middle = ((from.0 as f64 + end.0) / 2.0, (from.1 as f64 + end.1) / 2.0 + bow);
        format!("M{} {} Q{:.1} {:.1} {:.1} {:.1}", from.0, from.1, middle.0, middle.1, end.0, end.1)
    };
    let colour = "#c62828";
    if is_doubled {
        let _ = write!(
            text,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"5\"/><path d=\"{path}\" fill=\"none\" stroke=\"#fff\" stroke-width=\"2.2\"/>"
        );
    } else {
        let _ = write!(text, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>");
    }
    let start = if is_own { (to.0 + inner * 40, to.1) } else { from };
    let (dx, dy) = ((to.0 - start.0) as f64, (to.1 - start.1) as f64);
    let length = (dx * dx + dy * dy).sqrt().max(0.01);
    let (ux, uy) = (dx / length, dy / length);
    let tip = (to.0 as f64 - ux * 5.0, to.1 as f64 - uy * 5.0);
    let base = (tip.0 - ux * 10.0, tip.1 - uy * 10.0);
    let half = if is_doubled { 7.0 } else { 5.0 };
    let _ = write!(
        text,
        "<polygon points=\"{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\" fill=\"{colour}\"/>",
        tip.0,
        tip.1,
        base.0 - uy * half,
        base.1 + ux * half,
        base.0 + uy * half,
        base.1 - ux * half
    );
    if is_own {
        let anchor = if inner == 1 { "start" } else { "end" };
        text.push_str(&label(from.0 + inner * 54, (from.1 + to.1) / 2 + 4, anchor, "#222", content));
        return;
    }
    // Nearer to the sender, so that the labels of arrows that cross stand apart.
    let at = (from.0 + (to.0 - from.0).signum() * LANE * 3 / 10, from.1 + (to.1 - from.1) * 3 / 10 - 6);
    text.push_str(&label(at.0, at.1, "middle", "#222", content));
}

fn lost(text: &mut String, from: (i64, i64), direction: i64, content: &str) {
    let x = from.0 + direction * STUB;
    let y = from.1 + 12;
    let _ = write!(
        text,
        "<path d=\"M{} {} L{x} {y}\" fill=\"none\" stroke=\"#888\" stroke-width=\"1.6\" stroke-dasharray=\"6 3\"/>\
         <path class=\"lost\" d=\"M{} {} l12 12 m0 -12 l-12 12\" stroke=\"#c62828\" stroke-width=\"2.4\" fill=\"none\"/>",
        from.0,
        from.1,
        x - 6,
        y - 6
    );
    let anchor = if direction == 1 { "start" } else { "end" };
    text.push_str(&label(from.0 + direction * 12, from.1 - 4, anchor, "#666", &format!("{content} lost")));
}

/// All executions of some tests below each other, as one document.
pub fn charts(tests: &[Told]) -> String {
    let all = || tests.iter().flat_map(|told| told.graphs.iter().map(move |graph| (told, graph)));
    let width = all().map(|(told, graph)| size(told, graph).0).max().unwrap_or(0).max(420);
    let height: i64 = all().map(|(told, graph)| size(told, graph).1 + 34).sum();
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
    );
    let mut y = 0;
    for (told, graph) in all() {
        let axioms: Vec<&str> = graph.violated.iter().map(|violated| violated.axiom.as_str()).collect();
        let forbidden = if axioms.is_empty() { String::new() } else { format!(" forbidden by {}", axioms.join(", ")) };
        let title = format!("{} under {}: {}{forbidden}", told.name, told.model, graph.state);
        let _ = write!(
            text,
            "{}<g transform=\"translate(0 {})\">{}</g>",
            label(12, y + 20, "start", "#222", &title),
            y + 28,
            svg(told, graph)
        );
        y += size(told, graph).1 + 34;
    }
    text.push_str("</svg>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P0 sends a and b, P1 receives b twice and then nothing.
    fn example() -> (Told, Graph) {
        let event = |thread, label: &str| (Some(thread), label.to_string());
        let graph = Graph {
            events: vec![
                event(0, "send x=1"),
                event(0, "send x=2"),
                event(1, "receive x=2"),
                event(1, "receive x=2"),
                event(1, "receive[Try] x=none"),
            ],
            roles: vec![Role::Send, Role::Send, Role::Receive, Role::Receive, Role::ReceiveNothing],
            relations: vec![
                ("po".to_string(), vec![(0, 1), (2, 3), (3, 4), (2, 4)]),
                ("rf".to_string(), vec![(1, 2), (1, 3)]),
            ],
            ..Graph::default()
        };
        let told = Told { threads: vec!["P0".into(), "P1".into()], graphs: vec![graph.clone()], ..Told::default() };
        (told, graph)
    }

    #[test]
    fn lost_and_doubled_messages_are_told_apart() {
        let (told, graph) = example();
        let found = messages(&graph);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], Message { from: 0, to: None, is_doubled: false });
        assert_eq!(found[1], Message { from: 1, to: Some(2), is_doubled: true });
        let picture = svg(&told, &graph);
        assert_eq!(picture.matches("class=\"lost\"").count(), 1);
        assert_eq!(picture.matches("<polygon").count(), 2);
        assert_eq!(picture.matches("stroke-width=\"5\"").count(), 2, "both arrows are doubled");
        assert!(picture.contains("e: nothing on x") && picture.contains("x=1 lost"));
        assert!(charts(&[told]).starts_with("<svg xmlns"));
    }

    #[test]
    fn time_runs_downwards_even_around_a_cycle() {
        let (_, mut graph) = example();
        assert_eq!(rows(&graph), [0, 1, 2, 3, 4]);
        // The second receive of P1 before the send that it receives: program order is kept, the arrow goes up.
        graph.relations[0].1.push((4, 0));
        let rows = rows(&graph);
        assert!(rows[0] < rows[1] && rows[2] < rows[3] && rows[3] < rows[4]);
    }
}
