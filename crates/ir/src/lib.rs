//! The waist of the hourglass: one program model between all languages and all engines.

pub mod source;

pub use source::{Diagnostic, FileId, Severity, SourceFile, Sources, Span};
