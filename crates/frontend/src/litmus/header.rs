//! The first lines of a litmus file: dialect, name, `Key=Value` lines, up to the initial state.

use super::lex::{Comments, Lexer, Source};
use ir::Diagnostic;
use ir::litmus::Dialect;

/// What stands before the initial state.
#[derive(Debug)]
pub(super) struct Header {
    /// The dialect by its word; C may still turn out to be that of the kernel.
    pub(super) dialect: Dialect,
    pub(super) name: String,
    pub(super) info: Vec<(String, String)>,
    /// Where the `{` of the initial state is.
    pub(super) end: usize,
}

/// Reads the header.
pub(super) fn read(source: &Source<'_>) -> Result<Header, Diagnostic> {
    let text = source.text;
    let mut lexer = Lexer::new(text, 0, Comments::Starred);
    lexer.skip_blank();
    let start = lexer.at;
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |length| at + length);
    let first_line = &text[start..line_end(start)];
    let mut words = first_line.split_whitespace();
    let word = words.next().unwrap_or("");
    let dialect = dialect(word).map_err(|message| Diagnostic::unsupported(source.span(start, word.len()), message))?;
    let name = words.next().unwrap_or("").to_string();
    if name.is_empty() {
        return Err(Diagnostic::error(source.span(start, word.len()), "the test has no name"));
    }
    let after_name = start + first_line.find(&name).map_or(0, |at| at + name.len());
    let mut info = Vec::new();
    lexer.at = after_name;
    loop {
        lexer.skip_blank();
        let Some(token) = lexer.peek() else {
            let message = "there is no initial state: expected `{`";
            return Err(Diagnostic::error(source.span(text.len().saturating_sub(1), 1), message));
        };
        if token.text == "{" {
            return Ok(Header { dialect, name, info, end: token.at });
        }
        let end = line_end(token.at);
        if token.text.starts_with('"') {
            // A quoted text may have several lines, but a quote that is never closed must not swallow the initial state.
            let state = text[token.at..].find("\n{").map_or(text.len(), |length| token.at + length);
            lexer.at = if token.at + token.text.len() <= state { token.at + token.text.len() } else { end };
            continue;
        }
        if let Some((key, value)) = text[token.at..end].split_once('=') {
            info.push((key.trim().to_string(), value.trim().to_string()));
        }
        lexer.at = end;
    }
}

fn dialect(word: &str) -> Result<Dialect, String> {
    Ok(match word {
        "X86" => Dialect::X86,
        "X86_64" => Dialect::X86_64,
        "AArch64" => Dialect::AArch64,
        "PPC" | "Power" => Dialect::Ppc,
        "RISCV" | "RISC-V" => Dialect::RiscV,
        "C" => Dialect::C,
        "PROTO" => Dialect::Proto,
        "" => return Err("the file is empty".to_string()),
        _ => return Err(format!("litmus tests for `{word}` are not supported")),
    })
}
