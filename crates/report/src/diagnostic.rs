//! What is wrong with the input? Diagnostics as people read them: what, where with the source line, and what to do.

use crate::excerpt::excerpt;
use crate::style::{Ink, Style, printable};
use ir::{Diagnostic, Severity, Sources};
use std::fmt::Write;

/// How many diagnostics are shown; one mistake can cause hundreds.
const MAX_SHOWN: usize = 20;

/// All diagnostics, errors first, with a count at the end when some are left out.
pub fn diagnostics(sources: &Sources, diagnostics: &[Diagnostic], style: &Style) -> String {
    let mut text = String::new();
    let (warnings, errors): (Vec<_>, Vec<_>) = diagnostics.iter().partition(|d| d.severity == Severity::Warning);
    let n_shown = if style.verbose { usize::MAX } else { MAX_SHOWN };
    for found in errors.iter().chain(&warnings).take(n_shown) {
        text.push_str(&diagnostic(sources, found, style));
        text.push('\n');
    }
    if diagnostics.len() > n_shown {
        let _ = writeln!(text, "... and {} more (-v shows all)", diagnostics.len() - n_shown);
    }
    text
}

/// One diagnostic.
pub fn diagnostic(sources: &Sources, diagnostic: &Diagnostic, style: &Style) -> String {
    let (word, ink) = match diagnostic.severity {
        Severity::Error => ("error", Ink::Red),
        Severity::Unsupported => ("not supported", Ink::Yellow),
        Severity::Warning => ("warning", Ink::Yellow),
    };
    let message = printable(&diagnostic.message);
    let mut text = format!("{}{}\n", style.paint(ink, word), style.paint(Ink::Bold, &format!(": {message}")));
    text.push_str(&excerpt(sources, diagnostic.span, style, ink));
    if let Some(note) = &diagnostic.note {
        let _ = writeln!(text, "  {} {}", style.paint(Ink::Blue, "= help:"), printable(note));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Span;

    #[test]
    fn a_diagnostic_says_what_where_and_what_to_do() {
        let mut sources = Sources::default();
        let file = sources.file("a.c");
        sources.files[0].lines.insert(3, "    foo(1);".to_string());
        let span = Span { file, line: 3, column: 5, end_column: 8 };
        let found = Diagnostic::unsupported(span, "the function `foo` has no body")
            .with_note("define it, or say `--assume-pure foo`");
        assert_eq!(
            diagnostics(&sources, &[found], &Style::default()),
            "not supported: the function `foo` has no body\n --> a.c:3:5\n  |\n3 |     foo(1);\n  |     ^^^\n  \
             = help: define it, or say `--assume-pure foo`\n\n"
        );
        let nowhere = Diagnostic::error(Span::NOWHERE, "no `main`");
        assert_eq!(diagnostic(&sources, &nowhere, &Style::default()), "error: no `main`\n");
    }
}
