//! What goes wrong? The parts of an ending: both accesses of a race with the locks held, and who holds and who waits in a deadlock, drawn as a graph.

use super::quoted;
use crate::story::{Detail, Effect, Ending, Role, Story};
use crate::style::{escape, printable, truncate};
use ir::Sources;
use std::f64::consts::PI;
use std::fmt::Write;

/// How many inputs are listed.
const MOST_INPUTS: usize = 100;

/// The section about the ending.
pub(super) fn ending(sources: &Sources, story: &Story, ending: &Ending) -> String {
    let mut out = String::from("<section id=\"violation\"><h2>What goes wrong</h2>\n");
    let _ = writeln!(out, "<p class=\"message\">{}</p>", escape(&printable(&ending.message)));
    if ending.details.is_empty() {
        out.push_str(&quoted(sources, ending.span));
    }
    out.push_str("<div class=\"details\">\n");
    for one in ending.details.iter().filter(|one| one.role != Role::Object) {
        out.push_str(&detail(sources, story, one));
    }
    out.push_str("</div>\n");
    if ending.details.iter().any(|one| matches!(one.role, Role::Access { .. })) {
        out.push_str(
            "<p class=\"why\">Nothing orders the two: no lock is held by both, and neither the start or end of a thread nor a synchronising access comes between them.</p>\n",
        );
    }
    out.push_str(&waiting(story, &ending.details));
    let objects: Vec<&Detail> = ending.details.iter().filter(|one| one.role == Role::Object).collect();
    if !objects.is_empty() {
        out.push_str("<h3>Objects</h3><div class=\"objects\">\n");
        for object in objects {
            let _ = writeln!(out, "<div class=\"object\">{}</div>", escape(&printable(&object.message)));
        }
        out.push_str("</div>\n");
    }
    out.push_str(&inputs(story));
    out.push_str("</section>\n");
    out
}

fn detail(sources: &Sources, story: &Story, one: &Detail) -> String {
    let thread = one.thread.and_then(|thread| Some((thread, story.threads.get(thread)?)));
    let (class, who) = match thread {
        Some((thread, name)) => (format!(" t{}", thread % 8), format!("<b>{}</b> ", escape(name))),
        None => (String::new(), String::new()),
    };
    let mut out = format!(
        "<div class=\"detail{class}\"><p>{who}{}</p>{}",
        escape(&printable(&one.message)),
        quoted(sources, one.span)
    );
    if let Role::Access { locks, .. } = &one.role {
        let locks = if locks.is_empty() { "none".to_string() } else { locks.join(", ") };
        let _ = write!(out, "<p class=\"locks\">locks held: {}</p>", escape(&printable(&locks)));
    }
    for call in &one.calls {
        let _ = write!(
            out,
            "<p class=\"call\">in {}, called at {}</p>",
            escape(&call.function),
            quoted(sources, call.place)
        );
    }
    out.push_str("</div>\n");
    out
}

/// The values that were chosen for inputs.
fn inputs(story: &Story) -> String {
    let mut chosen = Vec::new();
    for row in &story.rows {
        for effect in &row.effects {
            if let Effect::Input { value } = effect {
                let who = story.threads.get(row.thread).map_or("", String::as_str);
                chosen.push(format!(
                    "<li>step {}, {}: <code>{}</code> in <code>{}</code></li>",
                    row.step,
                    escape(who),
                    escape(value),
                    escape(&row.source)
                ));
            }
        }
    }
    if chosen.is_empty() {
        return String::new();
    }
    let more = chosen.len().saturating_sub(MOST_INPUTS);
    let more = if more > 0 { format!("<li>and {more} more, at their steps</li>") } else { String::new() };
    chosen.truncate(MOST_INPUTS);
    format!("<details class=\"inputs\"><summary>Inputs</summary><ol>{}{more}</ol></details>\n", chosen.join(""))
}

/// A node of the drawing: a thread, or what threads wait for.
#[derive(PartialEq)]
enum Knot {
    Thread(usize),
    Lock(String),
}

/// Who waits for what, and who holds it: threads and locks in a circle, in the order in which the waits lead from one to the next.
fn waiting(story: &Story, details: &[Detail]) -> String {
    let mut knots: Vec<Knot> = Vec::new();
    let mut arrows: Vec<(usize, usize, &str)> = Vec::new();
    let mut knot = |one: Knot| match knots.iter().position(|other| *other == one) {
        Some(at) => at,
        None => {
            knots.push(one);
            knots.len() - 1
        }
    };
    for detail in details {
        let (Some(thread), Role::Waits { on, by, .. }) = (detail.thread, &detail.role) else { continue };
        let from = knot(Knot::Thread(thread));
        match on {
            Some(name) => {
                let lock = knot(Knot::Lock(name.clone()));
                arrows.push((from, lock, "waits for"));
                for holder in by {
                    let to = knot(Knot::Thread(*holder));
                    if !arrows.contains(&(lock, to, "is held by")) {
                        arrows.push((lock, to, "is held by"));
                    }
                }
            }
            None => by.iter().for_each(|other| {
                let to = knot(Knot::Thread(*other));
                arrows.push((from, to, "waits for the end of"));
            }),
        }
    }
    if arrows.is_empty() { String::new() } else { drawing(story, &knots, &arrows) }
}

/// What is written in the box of a knot.
fn name(story: &Story, knot: &Knot) -> String {
    let name = match knot {
        Knot::Thread(thread) => story.threads.get(*thread).cloned().unwrap_or_else(|| format!("T{thread}")),
        Knot::Lock(name) => name.clone(),
    };
    truncate(&printable(&name), 22)
}

fn half_width(text: &str) -> f64 {
    5.0 + 4.4 * text.chars().count().max(6) as f64
}

fn drawing(story: &Story, knots: &[Knot], arrows: &[(usize, usize, &str)]) -> String {
    let n = knots.len();
    let radius = 70.0 + 22.0 * n as f64;
    let (width, height) = (2.0 * radius + 260.0, 2.0 * radius + 80.0);
    let place = |at: usize| {
        let angle = -PI / 2.0 + 2.0 * PI * at as f64 / n as f64;
        (width / 2.0 + radius * angle.cos() * 1.15, height / 2.0 + radius * angle.sin())
    };
    let mut out = format!(
        "<figure class=\"waits\"><svg viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" role=\"img\" aria-label=\"Who waits for whom\"><defs><marker id=\"tip\" \
         viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto-start-reverse\"><path d=\"M0 0L10 5L0 10z\"/></marker></defs>"
    );
    // Words stand on all arrows, so that none is struck through.
    let mut words = String::new();
    for (from, to, word) in arrows {
        let ((x1, y1), (x2, y2)) = (place(*from), place(*to));
        let length = ((x2 - x1).powi(2) + (y2 - y1).powi(2)).sqrt().max(1.0);
        // The ends keep off the boxes, and both ways between two boxes bend to different sides.
        let (ux, uy) = ((x2 - x1) / length, (y2 - y1) / length);
        let off = |half: f64| (half / ux.abs().max(0.01)).min(15.0 / uy.abs().max(0.01)) + 4.0;
        let (start, end) = (off(half_width(&name(story, &knots[*from]))), off(half_width(&name(story, &knots[*to]))));
        let (sx, sy, ex, ey) = (x1 + start * ux, y1 + start * uy, x2 - end * ux, y2 - end * uy);
        let (mx, my) = ((sx + ex) / 2.0 - 26.0 * uy, (sy + ey) / 2.0 + 26.0 * ux);
        // The word stands on the first third of its arrow: arrows cross in the middle.
        let on_curve = |start: f64, middle: f64, end: f64| 0.44 * start + 0.45 * middle + 0.11 * end;
        let (tx, ty) = (on_curve(sx, mx, ex), on_curve(sy, my, ey));
        let _ = write!(
            out,
            "<path class=\"wait\" d=\"M{sx:.0} {sy:.0}Q{mx:.0} {my:.0} {ex:.0} {ey:.0}\" marker-end=\"url(#tip)\"/>"
        );
        let _ = write!(words, "<text x=\"{tx:.0}\" y=\"{:.0}\">{word}</text>", ty + 4.0);
    }
    out += &words;
    for (at, knot) in knots.iter().enumerate() {
        let (x, y) = place(at);
        let class = match knot {
            Knot::Thread(thread) => format!("knot t{}", thread % 8),
            Knot::Lock(_) => "knot lock".to_string(),
        };
        let shown = name(story, knot);
        let half = half_width(&shown);
        let _ = write!(
            out,
            "<g class=\"{class}\"><rect x=\"{:.0}\" y=\"{:.0}\" width=\"{:.0}\" height=\"30\" rx=\"{}\"/><text x=\"{x:.0}\" y=\"{:.0}\">{}</text></g>",
            x - half,
            y - 15.0,
            2.0 * half,
            if matches!(knot, Knot::Lock(_)) { 15 } else { 4 },
            y + 5.0,
            escape(&shown)
        );
    }
    out.push_str("</svg></figure>\n");
    out
}
