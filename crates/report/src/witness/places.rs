//! Where do the formats want a point to be? At the first character of a statement, the closing parenthesis of a call, the keyword of a loop: found in the text.

use super::Place;
use crate::tell::statements::statement_at;
use ir::{Sources, Span};

/// Lines that a call may spread over.
const MOST_LINES: u32 = 20;

fn is_users(sources: &Sources, span: Span) -> bool {
    span.is_known() && !sources.is_model(span)
}

/// The first character of the statement at a place.
pub(super) fn statement(sources: &Sources, span: Span) -> Option<Place> {
    if !is_users(sources, span) {
        return None;
    }
    let line = sources.line(span).unwrap_or("");
    let blank = line.chars().take_while(|c| c.is_whitespace() || *c == '{' || *c == '}').count();
    let first = statement_at(line, span.column).map_or(blank + 1, |found| found.start);
    Some(Place { file: sources.path(span).to_string(), line: span.line, column: first as u32 })
}

/// The closing parenthesis of the `nth` call, on the line of a place, of a function whose name begins with one of these; and the function's name.
pub(super) fn call(sources: &Sources, span: Span, names: &[&str], nth: usize) -> Option<(Place, String)> {
    if !is_users(sources, span) {
        return None;
    }
    let line = sources.line(span)?;
    let mut starts: Vec<usize> = names.iter().flat_map(|name| line.match_indices(name).map(|(at, _)| at)).collect();
    starts.sort_unstable();
    let start = *starts.get(nth)?;
    let name: String = line[start..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let mut depth = 0usize;
    let mut from = start + name.len();
    for number in span.line..span.line + MOST_LINES {
        let text = sources.line(Span { line: number, ..span })?;
        for (at, c) in text.char_indices().filter(|(at, _)| *at >= from) {
            match c {
                '(' => depth += 1,
                ')' if depth == 1 => {
                    let column = text[..at].chars().count() as u32 + 1;
                    return Some((Place { file: sources.path(span).to_string(), line: number, column }, name));
                }
                ')' => depth = depth.checked_sub(1)?,
                ';' if depth == 0 => return None,
                _ => {}
            }
        }
        from = 0;
    }
    None
}

/// Where an invariant of a loop stands: at the keyword (then it is one of the loop), or, where a loop has no condition, at the first of its statements, through which every round goes.
pub(super) fn head_of_loop(sources: &Sources, span: Span) -> Option<(Place, bool)> {
    if let Some(place) = keyword_of_loop(sources, span) {
        return Some((place, true));
    }
    let place = statement(sources, span)?;
    let line = sources.line(span)?;
    let before = line.chars().take(place.column as usize - 1).collect::<String>();
    let above = (1..span.line).rev().filter_map(|number| sources.line(Span { line: number, ..span }));
    let mut texts = std::iter::once(before.as_str()).chain(above).map(str::trim).filter(|text| !text.is_empty());
    // What a condition guards has no room for a check before it.
    texts.next().is_some_and(|text| text.ends_with(['{', ';', '}'])).then_some((place, false))
}

/// The keyword of the loop that a place is in the head of: the last one on its line that begins before it, or else the first.
pub(super) fn keyword_of_loop(sources: &Sources, span: Span) -> Option<Place> {
    let line = sources.line(span)?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found: Vec<u32> = Vec::new();
    for keyword in ["while", "for", "do"] {
        for (at, _) in line.match_indices(keyword) {
            let is_word = !line[..at].ends_with(is_part) && !line[at + keyword.len()..].starts_with(is_part);
            found.extend(is_word.then(|| line[..at].chars().count() as u32 + 1));
        }
    }
    found.sort_unstable();
    let column = found.iter().rfind(|column| **column <= span.column.max(1)).or(found.first())?;
    Some(Place { file: sources.path(span).to_string(), line: span.line, column: *column })
}
