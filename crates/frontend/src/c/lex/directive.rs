//! Lines that begin with `#`: line markers, pragmas, and what should have been preprocessed.
//!
//! A marker is `# 12 "file" flags` or `#line 12 "file"`. Of the pragmas only those matter that change the layout of
//! types: `pack` is followed here, with its stack, and the parser asks which value is in force where. C lets unknown
//! pragmas be ignored, so the others are; OpenMP's would start threads, so ignoring them is said aloud.
//! `#define` and its like mean that the file was not preprocessed, which is an error, once per file.

use ir::Diagnostic;

use super::Lexer;

/// What `#pragma pack` has set up.
#[derive(Clone, Debug, Default)]
pub(super) struct PackState {
    current: Option<u32>,
    /// Pushed values with the labels they were pushed under.
    pushed: Vec<(Option<String>, Option<u32>)>,
}

impl Lexer<'_, '_> {
    /// Handles the line whose `#` ends before `after`.
    pub(super) fn directive(&mut self, after: usize) {
        let start = self.at;
        let end = self.logical_line_end();
        let text = String::from_utf8_lossy(&self.text[after..end]).into_owned();
        self.at = end;
        let line = text.trim();
        let word_end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(line.len());
        let (word, rest) = line.split_at(word_end);
        match word {
            "line" => self.line_marker(rest, start, end),
            "pragma" => self.pragma(rest.trim(), start, end),
            "" if rest.is_empty() => {}
            "ident" | "sccs" | "warning" | "assert" | "unassert" => {}
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => self.line_marker(line, start, end),
            _ => {
                let known = self.diagnostics.iter().any(|diagnostic| diagnostic.message.contains("directive"));
                if !known {
                    let message =
                        format!("`#{word}` is a preprocessor directive, but this text was to be preprocessed already");
                    let note = "give the file the ending `.c` to have it preprocessed, or run `cc -E` on it first";
                    self.error(start, 1, message, note);
                }
            }
        }
    }

    fn line_marker(&mut self, rest: &str, start: usize, end: usize) {
        let rest = rest.trim_start();
        let digits_end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (digits, rest) = rest.split_at(digits_end);
        let file = rest.trim_start();
        let (Ok(line), true) = (digits.parse::<u32>(), file.is_empty() || file.starts_with('"')) else {
            let note = "a line marker is `# 12 \"file.c\"` or `#line 12 \"file.c\"`";
            return self.error(start, end - start, "this line marker is malformed", note);
        };
        let path = file.strip_prefix('"').map(quoted_path);
        self.pass_splices(end);
        self.map.announce(line, path.as_deref());
    }

    fn pragma(&mut self, rest: &str, start: usize, end: usize) {
        if let Some(arguments) = rest.strip_prefix("pack") {
            match self.pack.apply(arguments.trim()) {
                Some(()) => self.packs.push((self.tokens.len() as u32, self.pack.current)),
                None => {
                    let note =
                        "forms that work: pack(), pack(n), pack(push), pack(push, n), pack(pop), pack(pop, label)";
                    self.error(start, end - start, "this `#pragma pack` is malformed", note);
                }
            }
        } else if rest.starts_with("omp") || rest.starts_with("scalar_storage_order") {
            let span = self.place(start, end - start);
            let word = rest.split_whitespace().next().unwrap_or_default();
            let message = format!("`#pragma {word}` is ignored");
            let note = "the program is judged as if compiled without it";
            let is_new = !self.diagnostics.iter().any(|diagnostic| diagnostic.message == message);
            if is_new {
                self.diagnostics.push(Diagnostic::warning(span, message).with_note(note));
            }
        }
    }
}

impl PackState {
    /// Applies `(arguments)` of a `#pragma pack`; `None` if they make no sense.
    fn apply(&mut self, arguments: &str) -> Option<()> {
        let inner = arguments.strip_prefix('(')?.split(')').next()?;
        let parts: Vec<&str> = inner.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
        let Some((&first, others)) = parts.split_first() else {
            self.current = None;
            return Some(());
        };
        match first {
            "push" => {
                let label = others.iter().find(|part| !part.starts_with(|c: char| c.is_ascii_digit()));
                let value = others.iter().find(|part| part.starts_with(|c: char| c.is_ascii_digit()));
                self.pushed.push((label.map(|label| label.to_string()), self.current));
                if let Some(value) = value {
                    self.current = alignment(value)?;
                }
            }
            "pop" => {
                let label = others.first().filter(|part| !part.starts_with(|c: char| c.is_ascii_digit()));
                let keep = match label {
                    None => self.pushed.len().saturating_sub(1),
                    Some(label) => {
                        let found = self.pushed.iter().rposition(|(pushed, _)| pushed.as_deref() == Some(*label));
                        found.unwrap_or(self.pushed.len())
                    }
                };
                if let Some((_, value)) = self.pushed.drain(keep..).next() {
                    self.current = value;
                }
                if let Some(value) = others.last().filter(|part| part.starts_with(|c: char| c.is_ascii_digit())) {
                    self.current = alignment(value)?;
                }
            }
            _ => self.current = alignment(first)?,
        }
        Some(())
    }
}

/// The alignment cap that a number asks for; 0 asks for the default.
fn alignment(text: &str) -> Option<Option<u32>> {
    match text.parse::<u32>().ok()? {
        0 => Some(None),
        bytes if bytes.is_power_of_two() && bytes <= 16 => Some(Some(bytes)),
        _ => None,
    }
}

/// The path between quotes, whose opening one has been taken off, with `\"` and `\\` undone.
fn quoted_path(text: &str) -> String {
    let mut path = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => path.extend(characters.next()),
            _ => path.push(character),
        }
    }
    path
}
