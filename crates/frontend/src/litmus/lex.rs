//! The words of a litmus file, and where they stand.
//!
//! A litmus file is several small languages one after the other, with comments of two kinds: `(* … *)` outside of C functions, `//` and `/* … */`
//! inside (where `(*x)` is an expression). So tokens are made on demand, and whoever asks says which comments to skip.
//!
//! Invariant: a token's text is a piece of the file, cut at ASCII characters, so any file can be read to its end.

use ir::{Diagnostic, FileId, Span};

/// A file and its lines.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    file: FileId,
    line_starts: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str, file: FileId) -> Source<'a> {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Source { text, file, line_starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// A message about a token.
    pub(super) fn complain(&self, token: Token<'_>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.span(token.at, token.text.len()), message)
    }

    /// The span of `length` bytes at an offset.
    pub(super) fn span(&self, at: usize, length: usize) -> Span {
        let line = self.line_starts.partition_point(|start| *start <= at).max(1);
        let column = (at - self.line_starts[line - 1].min(at)) as u32 + 1;
        Span { file: self.file, line: line as u32, column, end_column: column + length.max(1) as u32 }
    }
}

/// Which comments are skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comments {
    /// `(* … *)`, nested.
    Starred,
    /// `//` and `/* … */`.
    Slashed,
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name.
    Word,
    /// A number.
    Number,
    /// A string, with its quotes.
    String,
    /// Anything else.
    Symbol,
}

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) at: usize,
}

/// Makes tokens of a text, from a place on.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    pub(super) at: usize,
    pub(super) comments: Comments,
}

const LONG_SYMBOLS: &[&str] = &[
    "<<=", ">>=", "/\\", "\\/", "=>", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "->", "++", "--", "+=", "-=",
    "|=", "&=", "^=",
];

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, at: usize, comments: Comments) -> Lexer<'a> {
        Lexer { text, at, comments }
    }

    /// The next token, without taking it.
    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.clone().next()
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        self.skip_blank();
        let rest = self.text.get(self.at..)?;
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        let length_while = |test: &dyn Fn(char) -> bool| rest.find(|c| !test(c)).unwrap_or(rest.len());
        let (kind, length) = if first.is_ascii_digit() {
            (Kind::Number, length_while(&is_word))
        } else if is_word(first) {
            (Kind::Word, length_while(&is_word))
        } else if first == '"' {
            let end = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
            (Kind::String, end)
        } else {
            let long = LONG_SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
            (Kind::Symbol, long.map_or(first.len_utf8(), |symbol| symbol.len()))
        };
        let token = Token { kind, text: &rest[..length], at: self.at };
        self.at += length;
        Some(token)
    }

    /// The next token; a message that says what should be there, otherwise.
    pub(super) fn token(&mut self, source: &Source<'_>, what: &str) -> Result<Token<'a>, Diagnostic> {
        let at = self.at;
        self.next().ok_or_else(|| Diagnostic::error(source.span(at, 1), format!("expected {what}, found the end")))
    }

    /// Takes this symbol; a message if something else is there.
    pub(super) fn expect(&mut self, source: &Source<'_>, symbol: &str) -> Result<(), Diagnostic> {
        let token = self.token(source, &format!("`{symbol}`"))?;
        if token.text == symbol {
            return Ok(());
        }
        Err(source.complain(token, format!("expected `{symbol}`, found `{}`", token.text)))
    }

    /// Takes the next token if it is this symbol or word.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is_next = self.peek().is_some_and(|token| token.text == text);
        if is_next {
            self.next();
        }
        is_next
    }

    /// Whether the next token is this symbol or word.
    pub(super) fn is_at(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.text == text)
    }

    /// Skips white space and comments.
    pub(super) fn skip_blank(&mut self) {
        loop {
            let rest = self.text.get(self.at..).unwrap_or("");
            let blank = rest.len() - rest.trim_start().len();
            let rest = &rest[blank..];
            self.at += blank;
            let comment = match self.comments {
                Comments::Starred if rest.starts_with("(*") => starred_length(rest),
                Comments::Slashed if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                Comments::Slashed if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
                _ => return,
            };
            self.at += comment;
        }
    }
}

/// The length of the nested comment that a text begins with.
fn starred_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0;
    let mut at = 0;
    while at < bytes.len() {
        match &bytes[at..bytes.len().min(at + 2)] {
            b"(*" => {
                depth += 1;
                at += 2;
            }
            b"*)" => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The text with its `(* … *)` comments made blank, every character at its place.
pub(super) fn blank_comments(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("(*") {
        result.push_str(&rest[..start]);
        let length = starred_length(&rest[start..]);
        let blank = rest.as_bytes()[start..start + length].iter().map(|byte| if *byte == b'\n' { '\n' } else { ' ' });
        result.extend(blank);
        rest = &rest[start + length..];
    }
    result.push_str(rest);
    result
}

/// The value of a number: decimal or hexadecimal, with an optional suffix of C.
pub(super) fn number(text: &str) -> Option<u64> {
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => match text.strip_prefix("0b") {
            Some(digits) => u64::from_str_radix(digits, 2).ok(),
            None => text.parse().ok(),
        },
    }
}

/// Likewise in the text of a C program, where a number that begins with 0 is octal.
pub(super) fn number_of_c(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let is_octal = digits.len() > 1 && digits.starts_with('0') && digits.chars().all(|c| c.is_ascii_digit());
    if is_octal { u64::from_str_radix(digits, 8).ok() } else { number(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, comments: Comments) -> Vec<String> {
        let mut lexer = Lexer::new(text, 0, comments);
        std::iter::from_fn(|| lexer.next()).map(|token| token.text.to_string()).collect()
    }

    #[test]
    fn each_part_of_a_file_has_its_own_comments() {
        assert_eq!(words("a (* b (* c *) *) /\\ ~d", Comments::Starred), ["a", "/\\", "~", "d"]);
        assert_eq!(words("f(*x) /* y */ - 1 // z", Comments::Slashed), ["f", "(", "*", "x", ")", "-", "1"]);
        assert_eq!(blank_comments("a(*\n*)b"), "a  \n  b");
    }

    #[test]
    fn numbers_may_be_hexadecimal() {
        assert_eq!(number("0x10"), Some(16));
        assert_eq!(number("12UL"), Some(12));
        assert_eq!(number("0xg"), None);
        assert_eq!([number("010"), number_of_c("010L"), number_of_c("08")], [Some(10), Some(8), None]);
    }

    #[test]
    fn spans_count_lines_and_columns_from_one() {
        let source = Source::new("ab\ncd", FileId(0));
        let span = source.span(4, 1);
        assert_eq!((span.line, span.column, span.end_column), (2, 2, 3));
    }
}
