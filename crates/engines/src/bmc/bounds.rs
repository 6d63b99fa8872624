//! How often do loops go round that the user has set a bound for?
//!
//! A bound names a line, `12=3`, or a file and a line, `queue.c:12=3`. It is for all loops that begin there, in all copies of their function. A
//! bound for no loop at all is refused, with the lines where there are loops: it would silently do nothing.

use ir::pass::find_loops;
use ir::{FileId, Program, Span};
use std::collections::BTreeSet;

/// How bounds are written.
pub const FORM: &str = "[FILE:]LINE=N,...";

/// A bound as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Written {
    file: Option<String>,
    line: u32,
    rounds: u32,
}

/// Rounds of the loops on a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LoopBound {
    file: FileId,
    line: u32,
    pub(crate) rounds: u32,
}

impl LoopBound {
    /// Whether it is for the loop that begins here.
    pub(crate) fn is_for(&self, span: Span) -> bool {
        span.file == self.file && span.line == self.line
    }
}

/// What is wrong with bounds as such, if anything is.
pub fn misspelt(text: &str) -> Option<String> {
    read(text).err()
}

/// What is wrong with bounds for this program, if anything is.
pub fn misplaced(program: &Program, text: &str) -> Option<String> {
    place(program, text).err()
}

/// The bounds for a program; an error if there is no such loop.
pub(crate) fn place(program: &Program, text: &str) -> Result<Vec<LoopBound>, String> {
    let written = read(text)?;
    if written.is_empty() {
        return Ok(Vec::new());
    }
    let mut loops: BTreeSet<(u32, u32)> = BTreeSet::new();
    for proc in &program.procs {
        let spans = find_loops(program, proc).into_iter().map(|found| found.span);
        loops.extend(spans.filter(|span| !program.sources.is_model(*span)).map(|span| (span.file.0, span.line)));
    }
    let at = |(file, line): (u32, u32)| Span { file: FileId(file), line, ..Span::NOWHERE };
    let mut bounds = Vec::new();
    for bound in &written {
        let is_meant = |place: &&(u32, u32)| {
            let path = program.sources.path(at(**place));
            let is_file = |file: &String| path == file || path.ends_with(&format!("/{file}"));
            place.1 == bound.line && bound.file.as_ref().is_none_or(is_file)
        };
        let found: Vec<&(u32, u32)> = loops.iter().filter(is_meant).collect();
        if found.is_empty() {
            let file = bound.file.as_ref().map_or_else(String::new, |file| format!("{file}:"));
            let places: Vec<String> = loops.iter().map(|place| program.sources.place(at(*place))).collect();
            let others =
                if places.is_empty() { "there are none".to_string() } else { format!("loops: {}", places.join(", ")) };
            return Err(format!("no loop begins at line {file}{}; {others}", bound.line));
        }
        bounds.extend(found.iter().map(|(file, line)| LoopBound {
            file: FileId(*file),
            line: *line,
            rounds: bound.rounds,
        }));
    }
    Ok(bounds)
}

fn read(text: &str) -> Result<Vec<Written>, String> {
    let one = |part: &str| {
        let (place, rounds) = part.split_once('=')?;
        let (file, line) = match place.rsplit_once(':') {
            Some((file, line)) => (Some(file.trim().to_string()), line),
            None => (None, place),
        };
        Some(Written { file, line: line.trim().parse().ok()?, rounds: rounds.trim().parse().ok()? })
    };
    let parts = text.split(',').filter(|part| !part.trim().is_empty());
    parts.map(|part| one(part).ok_or_else(|| format!("`{part}` is not of the form LINE=N or FILE:LINE=N"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read() {
        let bound = |file: Option<&str>, line, rounds| Written { file: file.map(str::to_string), line, rounds };
        assert_eq!(read(""), Ok(vec![]));
        assert_eq!(read("5=2, src/a.c:3=1"), Ok(vec![bound(None, 5, 2), bound(Some("src/a.c"), 3, 1)]));
        for wrong in ["3", "3:7", "a=b", "3=", "=3", "3=1;5=2"] {
            assert!(misspelt(wrong).is_some(), "{wrong}");
        }
    }
}
