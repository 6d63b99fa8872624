//! Which text is meant? A source line with a marker below the part that a span names.
//!
//! Lines can be megabytes long or not text at all: only a window around the marked part is shown, made printable.

use crate::style::{Ink, Style, printable};
use ir::{Sources, Span};
use std::fmt::Write;

/// The place and, if it was seen, the line with a marker.
///
/// ```text
///   --> counter.c:12:15
///    |
/// 12 |     x = x + 1
///    |             ^
/// ```
pub fn excerpt(sources: &Sources, span: Span, style: &Style, ink: Ink) -> String {
    if !span.is_known() {
        return String::new();
    }
    let number = span.line.to_string();
    let gutter = number.len();
    let mut text = String::new();
    let place = match span.column {
        0 => sources.place(span),
        column => format!("{}:{column}", sources.place(span)),
    };
    let blank = " ".repeat(gutter);
    let _ = writeln!(text, "{blank}{} {place}", style.paint(Ink::Blue, "-->"));
    let Some(line) = sources.line(span) else { return text };
    let (shown, start, len) = window(line, span, style.width.saturating_sub(gutter + 4).max(20));
    let bar = style.paint(Ink::Blue, "|");
    let _ = writeln!(text, "{blank} {bar}");
    let _ = writeln!(text, "{} {bar} {}", style.paint(Ink::Blue, &number), shown.trim_end());
    if len > 0 {
        let marker = style.paint(ink, &"^".repeat(len));
        let _ = writeln!(text, "{blank} {bar} {}{marker}", " ".repeat(start));
    }
    text
}

/// The part of a line that fits, with where the marked part starts in it and how long it is.
fn window(line: &str, span: Span, width: usize) -> (String, usize, usize) {
    let characters: Vec<char> = line.chars().collect();
    if span.column == 0 {
        let shown: String = characters.iter().take(width).collect();
        return (printable(&shown), 0, 0);
    }
    let marked = (span.column as usize - 1).min(characters.len());
    let end = (span.end_column as usize).saturating_sub(1).clamp(marked, characters.len());
    // Far to the right: show what is around the marker, with signs that something is cut off.
    let first = if marked + 10 < width { 0 } else { marked - width / 3 };
    let last = (first + width).min(characters.len());
    let piece = |range: std::ops::Range<usize>| printable(&characters[range].iter().collect::<String>());
    let before = piece(first..marked);
    let inside = piece(marked..end.min(last).max(marked));
    let after = piece(end.min(last).max(marked)..last);
    let cut_start = if first > 0 { "…" } else { "" };
    let cut_end = if last < characters.len() { "…" } else { "" };
    let start = cut_start.chars().count() + before.chars().count();
    let len = inside.chars().count().max(1);
    (format!("{cut_start}{before}{inside}{after}{cut_end}"), start, len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(line: &str, column: u32, end_column: u32) -> String {
        let mut sources = Sources::default();
        let file = sources.file("a.c");
        sources.files[0].lines.insert(12, line.to_string());
        let span = Span { file, line: 12, column, end_column };
        excerpt(&sources, span, &Style { width: 40, ..Style::default() }, Ink::Red)
    }

    #[test]
    fn the_marker_is_under_the_text() {
        assert_eq!(show("\tx = y;", 6, 7), "  --> a.c:12:6\n   |\n12 |     x = y;\n   |         ^\n");
        assert_eq!(show("f(a, b);", 1, 8), "  --> a.c:12:1\n   |\n12 | f(a, b);\n   | ^^^^^^^\n");
        assert_eq!(show("int x", 6, 6), "  --> a.c:12:6\n   |\n12 | int x\n   |      ^\n");
        assert_eq!(show("int x", 0, 0), "  --> a.c:12\n   |\n12 | int x\n");
    }

    #[test]
    fn odd_lines_are_survived() {
        let long = format!("{}BUG{}", "a".repeat(5_000), "b".repeat(5_000));
        let shown = show(&long, 5_001, 5_004);
        assert!(
            shown.contains("…") && shown.contains("BUG") && shown.lines().all(|line| line.chars().count() < 48),
            "{shown}"
        );
        show("", 7, 900);
        show("x", 70, 3);
        show("\u{0}\u{1}\u{fffd}", 2, 3);
    }
}
