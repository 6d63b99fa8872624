//! The compiler's messages, `file:line:column: error: text`, as diagnostics with the line they speak of.

use std::fs;
use std::path::Path;

use ir::{Diagnostic, Sources, Span};

/// More than this many messages help nobody.
const MESSAGE_LIMIT: usize = 20;

#[derive(Default)]
pub(super) struct Messages {
    pub(super) errors: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// Reads what a compiler run in `directory` wrote; lines that are no message (quotes, summaries) are skipped.
pub(super) fn read(sources: &mut Sources, text: &[u8], directory: &Path) -> Messages {
    let mut messages = Messages::default();
    for line in String::from_utf8_lossy(text).lines() {
        let markers = [(": fatal error: ", true), (": error: ", true), (": warning: ", false)];
        let Some((place, message, is_error)) = markers
            .iter()
            .find_map(|&(marker, is_error)| line.split_once(marker).map(|(place, message)| (place, message, is_error)))
        else {
            continue;
        };
        let span = place_of(sources, place, directory);
        if is_error && messages.errors.len() < MESSAGE_LIMIT {
            let note =
                "this is the C compiler's message while preprocessing; add -I or -D flags if something is missing";
            messages.errors.push(Diagnostic::error(span, message).with_note(note));
        } else if !is_error && messages.warnings.len() < MESSAGE_LIMIT {
            messages.warnings.push(Diagnostic::warning(span, message));
        }
    }
    messages
}

/// `file:line:column` or `file:line`; anything else (a program's name) is nowhere.
fn place_of(sources: &mut Sources, place: &str, directory: &Path) -> Span {
    let parts: Vec<&str> = place.rsplitn(3, ':').collect();
    let (path, line, column) = match parts[..] {
        [column, line, path] if line.parse::<u32>().is_ok() => (path.to_string(), line, column),
        [line, path] => (path.to_string(), line, "0"),
        [line, rest, path] => (format!("{path}:{rest}"), line, "0"),
        _ => return Span::NOWHERE,
    };
    let (Ok(line), Ok(column)) = (line.parse::<u32>(), column.parse::<u32>()) else { return Span::NOWHERE };
    let file = sources.file(&path);
    if let Ok(text) = fs::read(directory.join(&path)) {
        let text = String::from_utf8_lossy(&text);
        if let Some(quoted) = text.lines().nth(line.saturating_sub(1) as usize) {
            sources.files[file.0 as usize].lines.entry(line).or_insert_with(|| quoted.to_string());
        }
    }
    Span { file, line, column, end_column: 0 }
}
