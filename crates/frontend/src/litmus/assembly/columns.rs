//! The program of an assembly test: columns separated by `|`, rows ended by `;`.
//!
//! A cell holds labels, an instruction, or nothing. Operands are split at commas outside of brackets and keep their place in the file, so
//! that a dialect can complain about the very operand.

use crate::litmus::lex::{Comments, Lexer, Source, blank_comments};
use crate::litmus::question;
use ir::Diagnostic;

/// A piece of the text and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::litmus) struct Piece {
    pub(in crate::litmus) text: String,
    pub(in crate::litmus) at: usize,
}

/// A label or an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::litmus) enum Line {
    Label(Piece),
    Instruction {
        /// The whole instruction.
        whole: Piece,
        /// Its first word.
        mnemonic: Piece,
        /// What follows, split at commas.
        operands: Vec<Piece>,
    },
}

/// The lines of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::litmus) struct Column {
    pub(in crate::litmus) number: u32,
    pub(in crate::litmus) lines: Vec<Line>,
}

/// Reads the columns from `start` on; also gives the place after them.
pub(in crate::litmus) fn read(source: &Source<'_>, start: usize) -> Result<(Vec<Column>, usize), Diagnostic> {
    let text = blank_comments(&source.text[start..]);
    let mut columns: Vec<Column> = Vec::new();
    let mut at = 0;
    loop {
        let lexer = Lexer::new(&text, at, Comments::Starred);
        if lexer.peek().is_none() || question::begins(&lexer) {
            break;
        }
        let Some(length) = text[at..].find(';') else {
            let rest = text[at..].len() - text[at..].trim_start().len();
            let line = text[at..].trim().lines().next().unwrap_or("").len();
            return Err(Diagnostic::error(source.span(start + at + rest, line), "this row does not end with `;`"));
        };
        let mut cell_at = at;
        for (index, cell) in text[at..at + length].split('|').enumerate() {
            let piece = trimmed(cell, start + cell_at);
            cell_at += cell.len() + 1;
            if let Some(column) = columns.get_mut(index).filter(|_| at > 0) {
                split_cell(&piece, &mut column.lines);
            } else if at > 0 && piece.text.is_empty() {
                continue;
            } else if at > 0 {
                return Err(Diagnostic::error(
                    source.span(piece.at, piece.text.len()),
                    "there is no thread for this column",
                ));
            } else {
                columns.push(Column { number: thread(source, &piece)?, lines: Vec::new() });
            }
        }
        at += length + 1;
    }
    if columns.is_empty() {
        return Err(Diagnostic::error(source.span(start, 1), "there are no threads: expected `P0 | P1 ;`"));
    }
    Ok((columns, start + at))
}

fn thread(source: &Source<'_>, piece: &Piece) -> Result<u32, Diagnostic> {
    let span = source.span(piece.at, piece.text.len());
    let digits = piece.text.strip_prefix('P').unwrap_or("");
    digits.parse().map_err(|_| {
        if digits.contains(['.', ':', '@']) {
            Diagnostic::unsupported(span, format!("`{}`: only plain threads are supported", piece.text))
        } else {
            Diagnostic::error(span, format!("expected the name of a thread such as `P0`, found `{}`", piece.text))
        }
    })
}

fn trimmed(text: &str, at: usize) -> Piece {
    let blank = text.len() - text.trim_start().len();
    Piece { text: text.trim().to_string(), at: at + blank }
}

fn split_cell(cell: &Piece, lines: &mut Vec<Line>) {
    let mut rest = cell.clone();
    while let Some(colon) = rest.text.find(':') {
        let label = &rest.text[..colon];
        let is_label =
            !label.trim().is_empty() && label.trim().chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        if !is_label {
            break;
        }
        lines.push(Line::Label(trimmed(label, rest.at)));
        rest = trimmed(&rest.text[colon + 1..], rest.at + colon + 1);
    }
    if rest.text.is_empty() {
        return;
    }
    let end = rest.text.find(char::is_whitespace).unwrap_or(rest.text.len());
    let mnemonic = Piece { text: rest.text[..end].to_string(), at: rest.at };
    let operands = split_commas(&rest.text[end..], rest.at + end);
    lines.push(Line::Instruction { whole: rest, mnemonic, operands });
}

/// The pieces between commas outside of brackets.
pub(in crate::litmus) fn split_commas(text: &str, at: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut depth = 0_i32;
    let mut start = 0;
    for (index, c) in text.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                pieces.push(trimmed(&text[start..index], at + start));
                start = index + 1;
            }
            _ => {}
        }
    }
    let last = trimmed(&text[start..], at + start);
    if !last.text.is_empty() || !pieces.is_empty() {
        pieces.push(last);
    }
    pieces
}
