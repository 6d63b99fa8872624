//! The answer as a page: one file that needs nothing from outside, to be looked at, printed and handed on.
//!
//! What does not move is written here as HTML: the verdict and what it rests on ([`card`]), what goes wrong ([`ending`]), what a proof says. The execution is data
//! (the JSON report, and the text of the files that it mentions) which the script of the page steps through: a lane for each thread, the source, and the
//! values at each step. The script draws only what is on the screen, so that tens of thousands of steps are no burden; a reader without it finds the text report.
//! Nothing from the program reaches the page but through `escape` or as JSON without a `<`.

mod card;
mod ending;

use crate::answer::{Answer, Outcome};
use crate::proof::{Invariant, invariants};
use crate::style::{Style, escape, printable};
use crate::{explain, json, text};
use ir::{Sources, Span};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Of longer files only what is near a mentioned line is kept.
const LONG_FILE: usize = 4_000;
const NEAR: u32 = 60;

/// Of longer reports as text only the ends are shown.
const LONG_REPORT: usize = 2_000;

/// Graphs of more events are not drawn: nobody could follow the arrows.
const LARGE_GRAPH: usize = 120;

/// A file as the page shows it.
#[derive(Serialize)]
struct FileOut<'a> {
    path: &'a str,
    /// Numbers and texts of lines, in order; what is left out shows as a gap.
    lines: Vec<(u32, String)>,
    marks: Vec<MarkOut>,
}

/// Something to say about a line.
#[derive(Serialize)]
struct MarkOut {
    line: u32,
    kind: &'static str,
    text: String,
}

/// The page.
pub fn page(answer: &Answer) -> String {
    let mut out = String::with_capacity(1 << 16);
    let title = printable(&answer.input);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"ravel {}\">\n<title>{} – ravel: {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        env!("CARGO_PKG_VERSION"),
        escape(&title),
        escape(&answer.result()),
    );
    let proven = match &answer.outcome {
        Outcome::Safe(proof) => invariants(&answer.sources, proof),
        _ => Vec::new(),
    };
    out.push_str(&card::card(answer));
    out.push_str("<main>\n");
    if let Outcome::Unsafe { story, ending } = &answer.outcome {
        out.push_str(&ending::ending(&answer.sources, story, ending));
        let sentences: Vec<String> =
            explain(&answer.sources, story, ending).iter().map(|sentence| escape(&printable(sentence))).collect();
        let _ = writeln!(out, "<section id=\"short\"><h2>In short</h2><p>{}</p></section>", sentences.join(" "));
        out.push_str(EXPLORER);
        if let Some(told) = crate::litmus::messages(answer) {
            let pictures: String = told.graphs.iter().map(|graph| crate::litmus::svg(&told, graph)).collect();
            let _ = writeln!(
                out,
                "<section id=\"messages\"><h2>Who sends what to whom</h2><div class=\"graphs\">{pictures}</div></section>"
            );
        }
        if let Some(graph) = answer.graph.as_ref().filter(|graph| graph.events.len() <= LARGE_GRAPH) {
            let picture = crate::litmus::figure(&story.threads, graph);
            let _ = writeln!(out, "<section id=\"graph\"><h2>Who reads from whom</h2>{picture}</section>");
        }
    }
    out.push_str(&card::proof(answer, &proven));
    out.push_str(&card::explored(answer));
    let files = files(answer, &proven);
    if !matches!(answer.outcome, Outcome::Unsafe { .. }) && !files.is_empty() {
        out.push_str(
            "<section id=\"text\"><h2>The program</h2><div id=\"source\" class=\"source alone\"></div></section>\n",
        );
    }
    out.push_str(&card::numbers(answer));
    let plain = shortened(text(answer, &Style { width: 110, ..Style::default() }));
    let _ = write!(
        out,
        "<details class=\"plain\"><summary>The report as text</summary><pre>{}</pre></details>\n<noscript><p>Without JavaScript the execution cannot be \
         stepped through here; the text report has all of it.</p></noscript>\n</main>\n",
        escape(&plain)
    );
    let _ = write!(
        out,
        "<script type=\"application/json\" id=\"answer\">{}</script>\n<script type=\"application/json\" id=\"files\">{}</script>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        embedded(&json::compact(&Answer { kept: None, ..answer.clone() })),
        embedded(&serde_json::to_string(&files).expect("strings and numbers always serialise")),
    );
    out
}

/// The frame that the script fills.
const EXPLORER: &str = r#"<section id="execution" aria-labelledby="how">
<h2 id="how">How it happens</h2>
<div class="bar" role="toolbar" aria-label="Steps">
<button id="first" title="First step (Home)" aria-label="First step (Home)"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 2H5V14H3zM13 2L6 8L13 14z"/></svg></button><button id="jump-back" title="Before the last change of thread (Page up)" aria-label="Before the last change of thread (Page up)"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 2L1 8L8 14zM15 2L8 8L15 14z"/></svg></button><button id="back" title="One step back (←)" aria-label="One step back (←)"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M11 2L4 8L11 14z"/></svg></button>
<input id="slider" type="range" min="0" value="0" aria-label="Step">
<button id="forth" title="One step on (→)" aria-label="One step on (→)"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M5 2L12 8L5 14z"/></svg></button><button id="jump-forth" title="To the next change of thread (Page down)" aria-label="To the next change of thread (Page down)"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M1 2L8 8L1 14zM8 2L15 8L8 14z"/></svg></button><button id="last" title="Last step (End)" aria-label="Last step (End)"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 2L10 8L3 14zM11 2H13V14H11z"/></svg></button>
<output id="where" aria-live="polite"></output>
</div>
<p class="hint">Arrow keys step, Page up and Page down go to the next change of thread, Home and End to the first and last step; click a step or use the slider.</p>
<div class="panes">
<div class="pane"><div id="lanes" class="lanes" tabindex="0" role="region" aria-label="Steps of each thread"></div></div>
<div class="pane"><div id="tabs" class="tabs"></div><div id="source" class="source" tabindex="0" role="region" aria-label="Source"></div></div>
</div>
<div id="state" class="state"></div>
</section>
"#;

/// The places of the user's text that an answer mentions.
fn places(answer: &Answer, proven: &[Invariant]) -> BTreeSet<Span> {
    let mut places = BTreeSet::new();
    if let Outcome::Unsafe { story, ending } = &answer.outcome {
        places.extend(story.rows.iter().map(|row| row.span));
        places.insert(ending.span);
        for detail in &ending.details {
            places.insert(detail.span);
            places.extend(detail.calls.iter().map(|call| call.place));
        }
    }
    places.extend(answer.reason_place().map(|(span, _)| span));
    places.extend(proven.iter().map(|invariant| invariant.span));
    if places.is_empty() {
        // A safe answer without invariants is about the first file.
        let sources = &answer.sources.files;
        let first = sources.iter().position(|file| !file.is_model && !file.lines.is_empty());
        places.extend(first.map(|file| Span { file: ir::FileId(file as u32), line: 1, column: 0, end_column: 0 }));
    }
    places.retain(|span| span.is_known() && !answer.sources.is_model(*span));
    places
}

/// The files whose text the page shows: indices into the sources. Whoever can read them may complete their text first.
pub fn mentioned(answer: &Answer) -> Vec<usize> {
    let proven = match &answer.outcome {
        Outcome::Safe(proof) => invariants(&answer.sources, proof),
        _ => Vec::new(),
    };
    let files: BTreeSet<usize> = places(answer, &proven).iter().map(|span| span.file.0 as usize).collect();
    files.into_iter().collect()
}

fn files<'a>(answer: &'a Answer, proven: &[Invariant]) -> Vec<FileOut<'a>> {
    let mut lines_of: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    for span in places(answer, proven) {
        lines_of.entry(span.file.0 as usize).or_default().insert(span.line);
    }
    let marks = marks(answer, proven);
    let one = |(file, mentioned): (usize, BTreeSet<u32>)| {
        let source = answer.sources.files.get(file)?;
        let is_near =
            |line: u32| mentioned.range(line.saturating_sub(NEAR)..=line.saturating_add(NEAR)).next().is_some();
        // What follows the last end of a line is no line.
        let is_rest = |line: u32, text: &str| text.is_empty() && source.lines.keys().next_back() == Some(&line);
        let kept = |(line, text): &(&u32, &String)| {
            (source.lines.len() <= LONG_FILE || is_near(**line)) && !is_rest(**line, text)
        };
        let shown = source.lines.iter().filter(kept).map(|(line, text)| (*line, printable(text)));
        let own = marks.iter().filter(|(span, ..)| span.file.0 as usize == file);
        let mark =
            |(span, kind, text): &(Span, &'static str, String)| MarkOut { line: span.line, kind, text: text.clone() };
        Some(FileOut { path: &source.path, lines: shown.collect(), marks: own.map(mark).collect() })
    };
    lines_of.into_iter().filter_map(one).collect()
}

/// What is said at lines.
fn marks(answer: &Answer, proven: &[Invariant]) -> Vec<(Span, &'static str, String)> {
    let mut marks = Vec::new();
    if let Outcome::Unsafe { story, ending } = &answer.outcome {
        for detail in &ending.details {
            let who = detail.thread.and_then(|thread| story.threads.get(thread)).map(|name| format!("{name}: "));
            marks.push((detail.span, "bad", format!("{}{}", who.unwrap_or_default(), printable(&detail.message))));
        }
        if ending.details.is_empty() {
            marks.push((ending.span, "bad", printable(&ending.message)));
        }
    }
    if let Some((span, _)) = answer.reason_place() {
        marks.push((span, "open", answer.reason().unwrap_or_default()));
    }
    for invariant in proven {
        marks.push((invariant.span, "holds", invariant.cases.join("  or  ")));
    }
    marks
}

/// Of a very long report the beginning and the end: the execution is on the page anyway.
fn shortened(text: String) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= LONG_REPORT {
        return text;
    }
    let (head, tail) = (&lines[..LONG_REPORT / 2], &lines[lines.len() - LONG_REPORT / 2..]);
    format!("{}\n\n  ... {} lines ...\n\n{}\n", head.join("\n"), lines.len() - LONG_REPORT, tail.join("\n"))
}

/// JSON inside of a `script` element: no tag can begin in it.
fn embedded(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// A place with its line of text, as HTML.
fn quoted(sources: &Sources, span: Span) -> String {
    if !span.is_known() {
        return String::new();
    }
    let line = printable(sources.line(span).unwrap_or("").trim());
    let place = sources.place(span);
    format!("<code class=\"quote\" data-line=\"{}\"><b>{}</b> {}</code>", span.line, escape(&place), escape(&line))
}

#[cfg(test)]
mod tests;
