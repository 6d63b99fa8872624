//! Which words and signs is a .cat text made of?
//!
//! Names may contain dots and dashes (`po-loc`, `dmb.full`), so there is no subtraction; tags start with an apostrophe.
//! Comments nest between `(*` and `*)` or run to the end of the line after `//` or `#`. Every token carries its span.

use ir::source::{Diagnostic, FileId, Span};

/// A word or sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    Name(String),
    Tag(String),
    Text(String),
    Sign(&'static str),
    End,
}

impl Token {
    /// How messages name the token.
    pub(crate) fn told(&self) -> String {
        match self {
            Token::Name(name) => format!("`{name}`"),
            Token::Tag(tag) => format!("the tag `'{tag}`"),
            Token::Text(text) => format!("the text \"{text}\""),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end of the file".to_string(),
        }
    }
}

/// Words that are not names.
pub(crate) const KEYWORDS: &[&str] = &[
    "let",
    "rec",
    "and",
    "when",
    "acyclic",
    "irreflexive",
    "show",
    "unshow",
    "empty",
    "subset",
    "as",
    "fun",
    "in",
    "undefined_unless",
    "flag",
    "assert",
    "include",
    "variant",
    "begin",
    "end",
    "procedure",
    "call",
    "enum",
    "debug",
    "match",
    "with",
    "forall",
    "from",
    "do",
    "try",
    "if",
    "then",
    "else",
    "catdep",
    "instructions",
    "default",
    "not",
];

/// Longer signs first, so that the first that fits is right.
const SIGNS: &[&str] = &[
    "||", "&&", "++", "->", "-1", "(", ")", "{", "}", "[", "]", "|", "&", "*", "~", "!", "+", "^", "\\", "?", "=", ";",
    ",",
];

/// The tokens of a text, each with its place.
pub(crate) fn lex(text: &str, file: FileId) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut lexer = Lexer { rest: text, line: 1, column: 1, file };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank()?;
        let start = lexer.here();
        let Some(token) = lexer.token()? else {
            tokens.push((Token::End, start));
            return Ok(tokens);
        };
        let end_column = if lexer.line == start.line { lexer.column } else { 0 };
        tokens.push((token, Span { end_column, ..start }));
    }
}

struct Lexer<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
    file: FileId,
}

impl<'a> Lexer<'a> {
    fn here(&self) -> Span {
        Span { file: self.file, line: self.line, column: self.column, end_column: self.column + 1 }
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        for c in taken.chars() {
            if c == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.rest = rest;
        taken
    }

    fn skip_blank(&mut self) -> Result<(), Diagnostic> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.take(blank);
            if self.rest.starts_with("//") || self.rest.starts_with('#') {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.take(end);
            } else if self.rest.starts_with("(*") {
                self.skip_comment()?;
            } else if self.rest.starts_with("/*") {
                let start = self.here();
                let Some(end) = self.rest.find("*/") else {
                    return Err(Diagnostic::error(start, "this comment has no end"));
                };
                self.take(end + 2);
            } else if blank == 0 {
                return Ok(());
            }
        }
    }

    fn skip_comment(&mut self) -> Result<(), Diagnostic> {
        let start = self.here();
        let whole = self.rest;
        let mut depth = 0;
        loop {
            if self.rest.starts_with("(*") {
                depth += 1;
                self.take(2);
            } else if self.rest.starts_with("*)") {
                depth -= 1;
                self.take(2);
                if depth == 0 {
                    return Ok(());
                }
            } else if let Some(c) = self.rest.chars().next() {
                self.take(c.len_utf8());
            } else {
                // Comments nest as in herd; where that leaves one open, the first end counts, as in Dartagnan.
                (self.rest, self.line, self.column) = (whole, start.line, start.column);
                let Some(end) = whole.find("*)") else {
                    return Err(Diagnostic::error(start, "this comment has no end"));
                };
                self.take(end + 2);
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Option<Token>, Diagnostic> {
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let start = self.here();
        if first == '"' {
            let Some(length) = self.rest[1..].find('"') else {
                return Err(Diagnostic::error(start, "this text has no closing quote"));
            };
            let text = self.take(length + 2);
            return Ok(Some(Token::Text(text[1..text.len() - 1].to_string())));
        }
        if first == '\'' && name_length(&self.rest[1..]) > 0 {
            self.take(1);
            let name = self.take(name_length(self.rest));
            return Ok(Some(Token::Tag(name.to_string())));
        }
        let length = name_length(self.rest);
        if length > 0 {
            return Ok(Some(Token::Name(self.take(length).to_string())));
        }
        if let "_" | "0" = &self.rest[..first.len_utf8()] {
            let sign = if first == '_' { "_" } else { "0" };
            self.take(1);
            return Ok(Some(Token::Sign(sign)));
        }
        match SIGNS.iter().find(|sign| self.rest.starts_with(**sign)) {
            Some(sign) => {
                self.take(sign.len());
                Ok(Some(Token::Sign(sign)))
            }
            None => Err(Diagnostic::error(start, format!("`{first}` has no meaning in a memory model"))),
        }
    }
}

/// The length of the name that a text starts with; 0 when it starts with none.
fn name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let first = usize::from(bytes.first() == Some(&b'_'));
    if !bytes.get(first).is_some_and(u8::is_ascii_alphabetic) {
        return 0;
    }
    let is_inner = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'-');
    let mut length = first + 1;
    while bytes.get(length).is_some_and(|&c| is_inner(c)) {
        length += 1;
    }
    // A dash that begins `->` is not part of the name before it.
    if bytes[length - 1] == b'-' && bytes.get(length) == Some(&b'>') {
        length -= 1;
    }
    length + usize::from(bytes.get(length) == Some(&b'\''))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        match lex(text, FileId(0)) {
            Ok(tokens) => tokens.iter().map(|(token, _)| token.told()).collect::<Vec<_>>().join(" "),
            Err(problem) => format!("{}:{} {}", problem.span.line, problem.span.column, problem.message),
        }
    }

    #[test]
    fn names_take_dots_and_dashes_and_inverses_are_signs() {
        assert_eq!(
            told("po-loc^-1;rf' 'rcu-lock"),
            "`po-loc` `^` `-1` `;` `rf'` the tag `'rcu-lock` the end of the file"
        );
        assert_eq!(told("a(* x (* y *) z *)b // c\nd"), "`a` `b` `d` the end of the file");
        assert_eq!(told("fun x->y"), "`fun` `x` `->` `y` the end of the file");
        assert_eq!(told("a\n (* b"), "2:2 this comment has no end");
        assert_eq!(told("a $ b"), "1:3 `$` has no meaning in a memory model");
    }
}
