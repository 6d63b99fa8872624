//! OOX: text to a program of objects and threads.
//!
//! [`lex`] and [`parse`] read the text, [`classes`] finds out who is who, [`expr`] and [`stmt`] check types and lower bodies to flat code. Where the
//! published tool is quirky, the usual meaning is taken; docs/oox.md lists the differences.

mod ast;
mod classes;
mod expr;
mod lex;
mod lower;
mod parse;
mod parse_expr;
mod stmt;
#[cfg(test)]
mod tests;

use crate::Rejected;
use classes::Classes;
use ir::oox::{MethodId, Program};
use ir::{Diagnostic, Sources, Span};
use std::path::PathBuf;

/// A program that could be read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// What is worth knowing about it.
    pub warnings: Vec<Diagnostic>,
}

/// Loads files that together are one program. `entry` is `Class.method`; a bare `method` must be in one class only.
pub fn load(files: &[PathBuf], entry: &str) -> Result<Loaded, Rejected> {
    let mut texts = Vec::new();
    for path in files {
        let name = path.display().to_string();
        match std::fs::read(path) {
            Ok(bytes) => texts.push((name, String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) => {
                let diagnostics = vec![Diagnostic::error(Span::NOWHERE, format!("{name}: {error}"))];
                return Err(Rejected { sources: Sources::default(), diagnostics });
            }
        }
    }
    read(&texts, entry)
}

/// Likewise from texts with their names.
pub fn read(texts: &[(String, String)], entry: &str) -> Result<Loaded, Rejected> {
    let mut sources = Sources::default();
    let (mut decls, mut problems) = (Vec::new(), Vec::new());
    for (name, text) in texts {
        let file = sources.file(name);
        let lines = &mut sources.files[file.0 as usize].lines;
        lines.extend(text.lines().enumerate().map(|(index, line)| (index as u32 + 1, line.to_string())));
        match lex::lex(text, file).and_then(parse::parse) {
            Ok(classes) => decls.extend(classes),
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(Rejected { sources, diagnostics: problems });
    }
    let mut classes = Classes::new(&decls);
    if !classes.problems.is_empty() {
        return Err(Rejected { sources, diagnostics: std::mem::take(&mut classes.problems) });
    }
    let lowered = lower::bodies(&classes, &decls);
    let entry = match find_entry(&classes, entry) {
        Ok(entry) => entry,
        Err(problem) => {
            problems.push(problem);
            MethodId(0)
        }
    };
    let (warnings, errors): (Vec<_>, Vec<_>) =
        lowered.problems.into_iter().partition(|problem| problem.severity == ir::Severity::Warning);
    problems.extend(errors);
    if !problems.is_empty() {
        return Err(Rejected { sources, diagnostics: problems });
    }
    let program =
        Program { sources, classes: classes.classes, methods: lowered.methods, strings: lowered.strings, entry };
    Ok(Loaded { program, warnings })
}

/// The method that `Class.method` names.
fn find_entry(classes: &Classes, entry: &str) -> Result<MethodId, Diagnostic> {
    let (class, name) = match entry.split_once('.') {
        Some((class, name)) => (Some(class), name),
        None => (None, entry),
    };
    let is_wanted = |s: &&classes::Signature| {
        s.name == name
            && s.method.is_some()
            && class.is_none_or(|class| classes.classes[s.class.0 as usize].name == class)
    };
    let found: Vec<&classes::Signature> = classes.signatures.iter().filter(is_wanted).collect();
    match found.as_slice() {
        [] => {
            let all: Vec<String> = classes
                .signatures
                .iter()
                .filter(|s| s.method.is_some())
                .take(8)
                .map(|s| format!("{}.{}", classes.classes[s.class.0 as usize].name, s.name))
                .collect();
            let message = format!("there is no method `{entry}` to begin with");
            Err(Diagnostic::error(Span::NOWHERE, message)
                .with_note(format!("--entry Class.method; there are {}", all.join(", "))))
        }
        [one] => Ok(one.method.expect("only methods with bodies were looked at")),
        _ if class.is_none() => {
            let message = format!("several classes have a method `{name}`");
            Err(Diagnostic::error(Span::NOWHERE, message).with_note("name it with its class: --entry Class.method"))
        }
        [first, ..] => Ok(first.method.expect("only methods with bodies were looked at")),
    }
}
