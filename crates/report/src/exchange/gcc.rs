//! What does a compiler say? `FILE:LINE:COLUMN: error: ...`, one line each, as editors and problem matchers read them.
//!
//! The violation is an error and its parts (the accesses of a race, who waits) are notes; what could not be decided is a warning. The last line is
//! `RESULT: ...` as always, which no matcher takes for a problem.

use crate::answer::{Answer, Outcome};
use crate::style::printable;
use ir::{Severity, Span};
use std::fmt::Write;

/// The lines.
pub fn gcc(answer: &Answer) -> String {
    let mut text = String::new();
    let mut say = |span: Span, word: &str, message: &str| {
        let message = printable(&message.replace('\n', "; "));
        let _ = writeln!(text, "{}: {word}: {message}", place(answer, span));
    };
    for found in &answer.diagnostics {
        let word = match found.severity {
            Severity::Error => "error",
            Severity::Unsupported | Severity::Warning => "warning",
        };
        let prefix = if found.severity == Severity::Unsupported { "not supported: " } else { "" };
        say(found.span, word, &format!("{prefix}{}", found.message));
        if let Some(note) = &found.note {
            say(found.span, "note", note);
        }
    }
    match &answer.outcome {
        Outcome::Unsafe { story, ending } => {
            say(ending.span, "error", &format!("{} [{}]", ending.message, ending.property.verdict_name()));
            for detail in &ending.details {
                let who = detail.thread.and_then(|thread| story.threads.get(thread));
                let who = who.map(|name| format!("{name}: ")).unwrap_or_default();
                say(detail.span, "note", &format!("{who}{}", detail.message));
                for call in &detail.calls {
                    say(call.place, "note", &format!("{} is called here", call.function));
                }
            }
        }
        Outcome::Condition { holds: false, condition, why, .. } => {
            say(Span::NOWHERE, "error", &format!("{condition} does not hold; {why} [condition]"));
        }
        Outcome::Unknown(_) | Outcome::Interrupted => {
            let span = answer.reason_place().map_or(Span::NOWHERE, |(span, _)| span);
            say(span, "warning", &format!("not decided: {}", answer.reason().unwrap_or_default()));
        }
        // The diagnostics of an input that cannot be used say it all.
        Outcome::Safe(_) | Outcome::Condition { .. } | Outcome::Rejected | Outcome::Bug => {}
    }
    let _ = writeln!(text, "RESULT: {}", answer.result());
    text
}

/// A place; the beginning of the input for what has none.
fn place(answer: &Answer, span: Span) -> String {
    if !span.is_known() || answer.sources.is_model(span) {
        return format!("{}:1:1", printable(&answer.input));
    }
    format!("{}:{}", printable(&answer.sources.place(span)), span.column.max(1))
}
