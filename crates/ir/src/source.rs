//! Where in the text something stands, and what to tell a person about it.
//!
//! A `Span` names a place in a `SourceFile` of the user's own project (after `#line` markers have been
//! followed), never a place in preprocessed text. A `SourceFile` keeps the lines that were seen, so that every
//! diagnostic and trace can quote the text without touching the disk again.

use std::collections::BTreeMap;
use std::fmt;

/// Names a file in `Sources`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct FileId(pub u32);

/// A place in a source file. Line 0 means "nowhere" (code that the front end made up).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Line, from 1.
    pub line: u32,
    /// Column of the first character, from 1; 0 when unknown.
    pub column: u32,
    /// Column after the last character on the same line; 0 when unknown.
    pub end_column: u32,
}

impl Span {
    /// The place of code that no source text stands for.
    pub const NOWHERE: Span = Span { file: FileId(0), line: 0, column: 0, end_column: 0 };

    /// Whether this is a real place.
    pub fn is_known(self) -> bool {
        self.line != 0
    }
}

/// One file of the user's project, as far as it was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// The path as the user or the line markers wrote it.
    pub path: String,
    /// The text of each line that was seen, by line number.
    pub lines: BTreeMap<u32, String>,
    /// Whether the text is ours (a library model) rather than the user's.
    pub is_model: bool,
}

/// All files that spans refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The files, indexed by `FileId`.
    pub files: Vec<SourceFile>,
}

impl Sources {
    /// The file called `path`, added if it is new.
    pub fn file(&mut self, path: &str) -> FileId {
        let found = self.files.iter().position(|file| file.path == path);
        let index = found.unwrap_or_else(|| {
            self.files.push(SourceFile { path: path.to_string(), ..SourceFile::default() });
            self.files.len() - 1
        });
        FileId(index as u32)
    }

    /// The text of the line a span stands on, if it was seen.
    pub fn line(&self, span: Span) -> Option<&str> {
        self.files.get(span.file.0 as usize)?.lines.get(&span.line).map(String::as_str)
    }

    /// The path of a span's file; "?" when the span is nowhere.
    pub fn path(&self, span: Span) -> &str {
        match self.files.get(span.file.0 as usize) {
            Some(file) if span.is_known() => &file.path,
            _ => "?",
        }
    }

    /// Whether a span lies in one of our library models.
    pub fn is_model(&self, span: Span) -> bool {
        self.files.get(span.file.0 as usize).is_some_and(|file| file.is_model)
    }

    /// `path:line` for messages.
    pub fn place(&self, span: Span) -> String {
        if span.is_known() { format!("{}:{}", self.path(span), span.line) } else { "?".to_string() }
    }
}

/// How bad a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input is valid but uses something that is not supported; named in the message.
    Unsupported,
    /// Worth knowing; the work goes on.
    Warning,
}

/// Something to tell about the input: where, what, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to do, when there is something to do.
    pub note: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, span, message: message.into(), note: None }
    }

    /// A valid construct that is not supported, by name.
    pub fn unsupported(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Unsupported, span, message: message.into(), note: None }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, span, message: message.into(), note: None }
    }

    /// The same diagnostic with advice.
    pub fn with_note(mut self, note: impl Into<String>) -> Diagnostic {
        self.note = Some(note.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Unsupported => "not supported",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}: {}", self.message)
    }
}
