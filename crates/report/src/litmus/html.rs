//! One page with every execution drawn: threads as columns, relations as coloured arrows that can be switched on and off.
//!
//! The layout is ours: initial writes in a row at the top, each thread a column with its events below each other. An arrow within a column or
//! between neighbours is a curve that bends away from what lies between; parallel arrows between the same events are fanned out so that
//! labels do not cover each other. Tests with messages are drawn as charts (`chart`) first, and like this where one asks for it. The events and arrows of a violated axiom are drawn thick, with the axiom's name above. The page needs nothing from outside:
//! styles and the few lines of script are in it.

use std::fmt::Write;

use super::chart;
use super::dot::colour;
use super::told::{Graph, Told, Violated};
use super::words::letter;
use crate::style::escape;

const COLUMN: i64 = 250;
const ROW: i64 = 92;
const BOX_WIDTH: i64 = 168;
const BOX_HEIGHT: i64 = 34;

/// The page for some tests.
pub fn html(tests: &[Told]) -> String {
    let mut page = String::from(HEAD);
    for (index, told) in tests.iter().enumerate() {
        test(&mut page, index, told);
    }
    page.push_str(SCRIPT);
    page.push_str("</body></html>\n");
    page
}

fn test(page: &mut String, index: usize, told: &Told) {
    let (verdict, class) = match told.holds {
        Some(true) => ("holds", "ok"),
        Some(false) => ("does not hold", "no"),
        None => ("may hold or not: not all executions were looked at", "note"),
    };
    let _ = write!(
        page,
        "<section data-test=\"{index}\"><h1>{} <small>under {}</small></h1><p class=\"{class}\"><code>{}</code> {verdict}</p>",
        escape(&told.name),
        escape(&told.model),
        escape(&told.condition)
    );
    for flag in &told.flags {
        let _ = write!(page, "<p class=\"no\">flag: {}</p>", escape(flag));
    }
    for note in &told.notes {
        let _ = write!(page, "<p class=\"note\">{}</p>", escape(note));
    }
    page.push_str("<table><tr><th>final state</th><th>executions</th><th>condition</th></tr>");
    for (state, n, holds) in &told.states {
        let mark = if *holds { "yes" } else { "no" };
        let _ = write!(page, "<tr><td><code>{}</code></td><td>{n}</td><td>{mark}</td></tr>", escape(state));
    }
    let _ = write!(
        page,
        "</table><details><summary>the test</summary><pre>{}</pre></details>",
        escape(&told.source.join("\n"))
    );
    if !told.graphs.is_empty() {
        let shown = ["po", "rf", "co", "fr", "addr", "data", "ctrl", "rmw"];
        page.push_str(&choice(&told.graphs));
        page.push_str(&switches(&told.graphs, &shown));
        page.push_str("<div class=\"graphs\">");
        for (number, graph) in told.graphs.iter().enumerate() {
            draw(page, told, graph, number);
        }
        page.push_str("</div>");
    }
    page.push_str("</section>");
}

/// A list to choose the execution from; at first all are shown.
fn choice(graphs: &[Graph]) -> String {
    if graphs.len() < 2 {
        return String::new();
    }
    let n = graphs.len();
    let mut text = format!("<p><label>show <select><option value=\"\">all {n} executions</option>");
    for (number, graph) in graphs.iter().enumerate() {
        let is_forbidden = if graph.violated.is_empty() { "" } else { " (forbidden)" };
        let (shown, state) = (number + 1, escape(&graph.state));
        let _ = write!(text, "<option value=\"{number}\">execution {shown}: {state}{is_forbidden}</option>");
    }
    text + "</select></label></p>"
}

/// The names of some lists, each once.
fn names<'g, T: 'g>(all: impl Iterator<Item = &'g (String, T)>) -> Vec<&'g str> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in all {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

/// The sets of events that are named at first.
const SHOWN_SETS: [&str; 3] = ["W", "R", "F"];

/// Boxes that switch relations and sets of events on and off; these relations are on at first.
fn switches(graphs: &[Graph], shown: &[&str]) -> String {
    let mut text = String::from("<p class=\"switches\">");
    for name in names(graphs.iter().flat_map(|graph| &graph.relations)) {
        let _ = write!(
            text,
            "<label style=\"color:{}\"><input type=\"checkbox\" data-relation=\"{}\"{}> {}</label> ",
            colour(name),
            escape(name),
            if shown.contains(&name) { " checked" } else { "" },
            escape(name)
        );
    }
    text.push_str("</p>");
    let sets = names(graphs.iter().flat_map(|graph| &graph.sets));
    if !sets.is_empty() {
        text.push_str("<p class=\"switches\">events: ");
        for name in sets {
            let (name, is_on) = (escape(name), if SHOWN_SETS.contains(&name) { " checked" } else { "" });
            let _ = write!(text, "<label><input type=\"checkbox\" data-set=\"{name}\"{is_on}> {name}</label> ");
        }
        text.push_str("</p>");
    }
    text
}

/// One execution as a picture with its switches, for other pages; they have the styles and the script.
pub(crate) fn figure(threads: &[String], graph: &Graph) -> String {
    let mut text = switches(std::slice::from_ref(graph), &["po", "rf"]);
    text.push_str("<div class=\"graphs\">");
    events_and_relations(&mut text, threads, graph);
    text.push_str("</div>");
    for violated in &graph.violated {
        let _ = write!(text, "<p>sc forbids it ({}): {}</p>", escape(&violated.axiom), cycle(graph, violated));
    }
    text
}

/// Where the events are: the middle of each box.
fn layout(threads: &[String], graph: &Graph) -> (Vec<(i64, i64)>, i64, i64) {
    let mut next_row = vec![0; threads.len()];
    let mut next_initial = 0;
    let n_initial = graph.events.iter().filter(|(thread, _)| thread.is_none()).count() as i64;
    let columns = (threads.len() as i64).max(n_initial).max(1);
    let top = if n_initial > 0 { ROW } else { 0 };
    let mut places = Vec::new();
    for (thread, _) in &graph.events {
        places.push(match thread {
            None => {
                next_initial += 1;
                ((next_initial - 1) * COLUMN + COLUMN / 2, 40)
            }
            Some(thread) => {
                next_row[*thread] += 1;
                (*thread as i64 * COLUMN + COLUMN / 2, 66 + top + (next_row[*thread] - 1) * ROW)
            }
        });
    }
    let rows = next_row.into_iter().max().unwrap_or(0);
    let last = if rows > 0 { 66 + top + (rows - 1) * ROW } else { 40 };
    (places, columns * COLUMN, last + BOX_HEIGHT / 2 + 14)
}

fn draw(page: &mut String, told: &Told, graph: &Graph, number: usize) {
    let class = if graph.violated.is_empty() { "allowed" } else { "forbidden" };
    let _ = write!(
        page,
        "<figure class=\"{class}\" data-execution=\"{number}\"><figcaption>execution {}: <code>{}</code>",
        number + 1,
        escape(&graph.state)
    );
    for flag in &graph.flags {
        let _ = write!(page, " <b class=\"no\">flag {}</b>", escape(flag));
    }
    for violated in &graph.violated {
        let Violated { axiom, place, .. } = violated;
        let _ = write!(page, "<br><b class=\"no\">forbidden by {}</b> ({}): ", escape(axiom), escape(place));
        page.push_str(&cycle(graph, violated));
    }
    page.push_str("</figcaption>");
    if graph.roles.is_empty() {
        events_and_relations(page, &told.threads, graph);
    } else {
        let _ = write!(page, "{}<details><summary>events and relations</summary>", chart::svg(told, graph));
        events_and_relations(page, &told.threads, graph);
        page.push_str("</details>");
    }
    page.push_str("</figure>");
}

/// Events as boxes, relations as arrows.
fn events_and_relations(page: &mut String, threads: &[String], graph: &Graph) {
    let (places, width, height) = layout(threads, graph);
    let _ = write!(page, "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">");
    for (thread, name) in threads.iter().enumerate() {
        let top = if graph.events.iter().any(|(thread, _)| thread.is_none()) { ROW } else { 0 };
        let _ = write!(
            page,
            "<text class=\"thread\" x=\"{}\" y=\"{}\">{}</text>",
            thread as i64 * COLUMN + COLUMN / 2,
            36 + top,
            escape(name)
        );
    }
    let mut drawn: Vec<(usize, usize)> = Vec::new();
    for (name, _) in &graph.relations {
        for (from, to) in graph.thinned(name) {
            let before = drawn.iter().filter(|&&pair| pair == (from, to) || pair == (to, from)).count() as i64;
            drawn.push((from, to));
            arrow(page, name, places[from], places[to], before, is_hit(graph, name, from, to));
        }
    }
    for (index, ((thread, label), (x, y))) in graph.events.iter().zip(&places).enumerate() {
        let is_hit = graph.violated.iter().any(|violated| violated.events.contains(&index));
        let class = if is_hit {
            "event hit"
        } else if thread.is_none() {
            "event initial"
        } else {
            "event"
        };
        let _ = write!(
            page,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"6\"/><text class=\"label\" x=\"{x}\" y=\"{}\">{}: {}</text>",
            x - BOX_WIDTH / 2,
            y - BOX_HEIGHT / 2,
            y + 5,
            letter(index),
            escape(label)
        );
        let sets = graph.sets.iter().filter(|(_, events)| events.contains(&index));
        let sets: Vec<String> = sets.map(|(name, _)| escape(name)).collect();
        if !sets.is_empty() {
            let (x, y) = (x - BOX_WIDTH / 2 + 2, y - BOX_HEIGHT / 2 - 3);
            let _ = write!(page, "<text class=\"sets\" x=\"{x}\" y=\"{y}\" data-sets=\"{}\"></text>", sets.join(" "));
        }
    }
    page.push_str("</svg>");
}

/// The steps of what an axiom forbids: around a cycle, or from one event of a pair to the other.
fn steps<'a>(graph: &'a Graph, events: &'a [usize]) -> impl Iterator<Item = (usize, usize)> + 'a {
    let is_pair = events.len() == 2 && graph.names(events[1], events[0]).is_empty();
    let n_steps = if is_pair { 1 } else { events.len() };
    (0..n_steps).map(|index| (events[index], events[(index + 1) % events.len()]))
}

/// Whether an arrow is part of a step; program order is drawn from neighbour to neighbour, so a step may be several arrows.
fn is_hit(graph: &Graph, name: &str, from: usize, to: usize) -> bool {
    let Some((_, pairs)) = graph.relations.iter().find(|(known, _)| known == name) else { return false };
    let leads = |a: usize, b: usize| a == b || pairs.contains(&(a, b));
    let in_order = graph.violated.iter().filter(|violated| !violated.is_set);
    let mut all = in_order.flat_map(|violated| steps(graph, &violated.events));
    all.any(|(a, b)| {
        (a, b) == (from, to) || (name == "po" && pairs.contains(&(a, b)) && leads(a, from) && leads(to, b))
    })
}

/// A cycle or a pair in words: `a -po-> b -rf-> c`; the members of a set: `a, b`.
fn cycle(graph: &Graph, Violated { events, is_set, .. }: &Violated) -> String {
    if *is_set {
        return events.iter().map(|&event| letter(event)).collect::<Vec<_>>().join(", ");
    }
    let mut words = String::new();
    let mut last = None;
    for (event, next) in steps(graph, events) {
        let names = graph.names(event, next);
        let step = if names.is_empty() { "…".to_string() } else { names.join("/") };
        let _ = write!(words, "{} —{}→ ", letter(event), escape(&step));
        last = Some(next);
    }
    last.map_or(String::new(), |last| format!("{words}{}", letter(last)))
}

/// An arrow from box to box; the more arrows there are already between the two, the wider the bend.
fn arrow(page: &mut String, name: &str, from: (i64, i64), to: (i64, i64), before: i64, is_hit: bool) {
    let colour = colour(name);
    let class = if is_hit { "arrow hit" } else { "arrow" };
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = ((dx * dx + dy * dy) as f64).sqrt().max(1.0);
    let (ux, uy) = (dx as f64 / length, dy as f64 / length);
    // In a column, arrows that skip events bend out of the way; side by side, they go straight.
    let skipped = if dx == 0 { (dy.abs() / ROW - 1).max(0) } else { 0 };
    let side = if before % 2 == 0 { 1.0 } else { -1.0 };
    // A curve goes half as far out as its bend says; past a box it has to go round it.
    let base = match (dx, skipped) {
        (0, 0) if name != "po" => 70.0,
        (0, 1..) => BOX_WIDTH as f64 + 28.0,
        _ => 0.0,
    };
    let bend = base + side * 26.0 * ((before + 1) / 2) as f64;
    let middle = ((from.0 + to.0) as f64 / 2.0 - uy * bend, (from.1 + to.1) as f64 / 2.0 + ux * bend);
    let start = edge(from, middle);
    let end = edge(to, middle);
    // Arrows across cross in the middle, so their labels stand where they have come a third of the way.
    let part = if dx == 0 { 0.5 } else { 0.3 };
    let on_curve =
        |a: f64, b: f64, c: f64| (1.0 - part) * (1.0 - part) * a + 2.0 * part * (1.0 - part) * b + part * part * c;
    let at = (on_curve(start.0, middle.0, end.0), on_curve(start.1, middle.1, end.1));
    let name = escape(name);
    let _ = write!(
        page,
        "<g class=\"{class}\" data-relation=\"{name}\" style=\"stroke:{colour};fill:{colour}\"><path fill=\"none\" d=\"M{:.0} {:.0} Q{:.0} {:.0} {:.0} {:.0}\"/>{}<text stroke=\"none\" x=\"{:.0}\" y=\"{:.0}\">{name}</text></g>",
        start.0,
        start.1,
        middle.0,
        middle.1,
        end.0,
        end.1,
        head(middle, end),
        at.0 + 4.0,
        at.1 - 3.0
    );
}

/// The point on the border of a box that looks towards another point.
fn edge(middle: (i64, i64), towards: (f64, f64)) -> (f64, f64) {
    let (x, y) = (middle.0 as f64, middle.1 as f64);
    let (dx, dy) = (towards.0 - x, towards.1 - y);
    let (half_width, half_height) = (BOX_WIDTH as f64 / 2.0 + 2.0, BOX_HEIGHT as f64 / 2.0 + 2.0);
    let scale = (half_width / dx.abs().max(0.01)).min(half_height / dy.abs().max(0.01));
    (x + dx * scale.min(1.0), y + dy * scale.min(1.0))
}

fn head(from: (f64, f64), to: (f64, f64)) -> String {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt().max(0.01);
    let (ux, uy) = (dx / length, dy / length);
    let (base_x, base_y) = (to.0 - ux * 9.0, to.1 - uy * 9.0);
    format!(
        "<polygon points=\"{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\"/>",
        to.0,
        to.1,
        base_x - uy * 4.0,
        base_y + ux * 4.0,
        base_x + uy * 4.0,
        base_y - ux * 4.0
    )
}

const HEAD: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>litmus tests</title><style>\
body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1200px;padding:0 1em;color:#222;background:#fff}\
h1{font-size:1.4em}small{font-weight:normal;color:#666}code,pre{font-family:ui-monospace,monospace}\
pre{background:#f5f5f5;padding:1em;overflow:auto}table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:left;border-bottom:1px solid #ddd}\
.ok{color:#2e7d32}.no{color:#c62828}.note{color:#666}.switches label{margin-right:1em;white-space:nowrap}\
.graphs{display:flex;flex-wrap:wrap;gap:1em}figure{margin:0;border:1px solid #ddd;border-radius:8px;padding:.6em;max-width:100%;overflow:auto}\
figure.forbidden{border-color:#c62828}svg{display:block}.event{fill:#fafafa;stroke:#888}.initial{stroke-dasharray:4 3}\
.event.hit{stroke:#c62828;stroke-width:2.5;fill:#fff5f5}.label,.thread{text-anchor:middle;font:13px ui-monospace,monospace}\
.sets{font:11px ui-monospace,monospace;fill:#00695c;paint-order:stroke;stroke:#fff;stroke-width:3px}.switches{margin:.3em 0}select{font:inherit;max-width:100%}\
.thread{font-weight:bold;fill:#555}.arrow{stroke-width:1.4}.arrow.hit{stroke-width:3.5}.arrow text{font:12px system-ui,sans-serif;paint-order:stroke;stroke:#fff;stroke-width:3px}\
</style></head><body>\n";

const SCRIPT: &str = "<script>\
document.querySelectorAll('section').forEach(function(section){\
function apply(box){section.querySelectorAll('g[data-relation]').forEach(function(arrow){\
if(arrow.dataset.relation===box.dataset.relation)arrow.style.display=box.checked||arrow.classList.contains('hit')?'':'none';});}\
section.querySelectorAll('input[data-relation]').forEach(function(box){box.addEventListener('change',function(){apply(box);});apply(box);});\
var sets=section.querySelectorAll('input[data-set]');\
function name(){var on=[];sets.forEach(function(box){if(box.checked)on.push(box.dataset.set);});\
section.querySelectorAll('text[data-sets]').forEach(function(text){\
text.textContent=text.dataset.sets.split(' ').filter(function(set){return on.indexOf(set)>=0;}).join(' ');});}\
sets.forEach(function(box){box.addEventListener('change',name);});name();\
section.querySelectorAll('select').forEach(function(list){list.addEventListener('change',function(){\
section.querySelectorAll('figure[data-execution]').forEach(function(figure){\
figure.style.display=list.value===''||figure.dataset.execution===list.value?'':'none';});});});});\
</script>";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forbidden_execution_shows_its_cycle() {
        let graph = Graph {
            state: "x=1;".to_string(),
            is_positive: true,
            events: vec![(None, "W x=0".to_string()), (Some(0), "W x=1".to_string()), (Some(1), "R x=1".to_string())],
            relations: vec![("rf".to_string(), vec![(1, 2)]), ("fr".to_string(), vec![(2, 1)])],
            flags: Vec::new(),
            violated: vec![Violated {
                axiom: "coherence".to_string(),
                place: "sc.cat:9".to_string(),
                events: vec![1, 2],
                is_set: false,
            }],
            ..Graph::default()
        };
        let told = Told {
            name: "T<1>".to_string(),
            threads: vec!["P0".into(), "P1".into()],
            graphs: vec![graph],
            ..Told::default()
        };
        let page = html(&[told]);
        assert!(page.contains("T&lt;1&gt;"));
        assert!(page.contains("b —rf→ c —fr→ b"));
        assert_eq!(page.matches("arrow hit\"").count(), 2);
        assert!(!page.contains("http"), "the page needs nothing from outside");
    }

    #[test]
    fn executions_can_be_chosen_and_sets_of_events_be_named() {
        let graph = |state: &str| Graph {
            state: state.to_string(),
            events: vec![(Some(0), "W x=1".to_string()), (Some(0), "R[Acq] y=0".to_string())],
            sets: vec![("W".to_string(), vec![0]), ("R".to_string(), vec![1]), ("Acq".to_string(), vec![1])],
            ..Graph::default()
        };
        let told = |graphs: Vec<Graph>| Told { threads: vec!["P0".into()], graphs, ..Told::default() };
        let page = html(&[told(vec![graph("y=0;"), graph("y=1;")])]);
        assert!(page.contains("<option value=\"1\">execution 2: y=1;</option>"));
        assert_eq!(page.matches("data-execution=\"").count(), 2);
        assert!(page.contains("data-set=\"W\" checked>") && page.contains("data-set=\"Acq\">"));
        assert_eq!(page.matches("data-sets=\"R Acq\"").count(), 2);
        assert!(!html(&[told(vec![graph("y=0;")])]).contains("<select>"), "one needs no choice");
    }

    #[test]
    fn a_step_of_program_order_is_drawn_through_what_lies_between() {
        let graph = Graph {
            relations: vec![("po".to_string(), vec![(0, 1), (1, 2), (0, 2), (2, 3), (0, 3), (1, 3)])],
            violated: vec![Violated { axiom: "pair".to_string(), events: vec![0, 2], ..Violated::default() }],
            ..Graph::default()
        };
        assert!(is_hit(&graph, "po", 0, 1) && is_hit(&graph, "po", 1, 2) && !is_hit(&graph, "po", 2, 3));
        assert_eq!(cycle(&graph, &graph.violated[0]), "a —po→ c");
        let set = Violated { events: vec![0, 2], is_set: true, ..Violated::default() };
        assert_eq!(cycle(&graph, &set), "a, c");
    }
}
