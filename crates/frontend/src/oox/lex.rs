//! Which words is the text made of?
//!
//! Differences to the published tool, on purpose: block comments, floats with a point, a TAB in a comment does not end it.

use ir::{Diagnostic, FileId, Span};

/// A word of the text.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    /// A name.
    Name(String),
    /// A reserved word.
    Word(&'static str),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A character.
    Char(char),
    /// A text.
    Text(String),
    /// An operator or bracket.
    Sign(&'static str),
    /// The end of the file.
    End,
}

const WORDS: &[&str] = &[
    "assert",
    "assume",
    "bool",
    "break",
    "catch",
    "char",
    "class",
    "continue",
    "else",
    "ensures",
    "exceptional",
    "exists",
    "extends",
    "false",
    "float",
    "forall",
    "fork",
    "if",
    "implements",
    "instanceof",
    "int",
    "interface",
    "join",
    "lock",
    "new",
    "null",
    "requires",
    "return",
    "static",
    "string",
    "super",
    "throw",
    "true",
    "try",
    "uint",
    "unlock",
    "void",
    "while",
];

/// Longer ones first.
const SIGNS: &[&str] = &[
    "==>", "<=", ">=", "!=", "&&", "||", "==", ":=", "+", "-", "*", "/", "%", "!", "<", ">", "{", "}", "[", "]", "(",
    ")", ".", ",", ";", ":", "#",
];

struct Lexer<'a> {
    chars: Vec<char>,
    at: usize,
    line: u32,
    column: u32,
    file: FileId,
    tokens: &'a mut Vec<(Token, Span)>,
}

/// All words with their places, the last one `End`.
pub(super) fn lex(text: &str, file: FileId) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut lexer = Lexer { chars: text.chars().collect(), at: 0, line: 1, column: 1, file, tokens: &mut tokens };
    while lexer.next()? {}
    Ok(tokens)
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek(0)?;
        self.at += 1;
        if c == '\n' || (c == '\r' && self.peek(0) != Some('\n')) {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some(c)
    }

    fn here(&self) -> Span {
        Span { file: self.file, line: self.line, column: self.column, end_column: self.column + 1 }
    }

    fn push(&mut self, token: Token, mut span: Span) {
        if self.line == span.line {
            span.end_column = self.column;
        }
        self.tokens.push((token, span));
    }

    /// Reads one word; false at the end.
    fn next(&mut self) -> Result<bool, Diagnostic> {
        self.skip_blanks()?;
        let span = self.here();
        let Some(c) = self.peek(0) else {
            self.push(Token::End, span);
            return Ok(false);
        };
        if c.is_alphabetic() || c == '_' {
            let name = self.take_while(|c| c.is_alphanumeric() || c == '_');
            let token = match WORDS.iter().find(|word| **word == name) {
                Some(word) => Token::Word(word),
                None => Token::Name(name),
            };
            self.push(token, span);
        } else if c.is_ascii_digit() {
            self.number(span)?;
        } else if c == '"' {
            self.bump();
            let text = self.take_while(|c| c != '"');
            if self.bump().is_none() {
                return Err(Diagnostic::error(span, "this text has no end").with_note("it ends with `\"`"));
            }
            self.push(Token::Text(text), span);
        } else if c == '\'' {
            self.character(span)?;
        } else {
            let is_next = |sign: &&&str| sign.chars().enumerate().all(|(i, c)| self.peek(i) == Some(c));
            let Some(sign) = SIGNS.iter().find(is_next) else {
                let note =
                    if c == '=' { "assignment is `:=`, equality is `==`" } else { "it belongs to no word of OOX" };
                return Err(Diagnostic::error(span, format!("unexpected character {c:?}")).with_note(note));
            };
            for _ in 0..sign.len() {
                self.bump();
            }
            self.push(Token::Sign(sign), span);
        }
        Ok(true)
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> String {
        let mut text = String::new();
        while let Some(c) = self.peek(0).filter(|c| is_part(*c)) {
            text.push(c);
            self.bump();
        }
        text
    }

    fn number(&mut self, span: Span) -> Result<(), Diagnostic> {
        let mut digits = self.take_while(|c| c.is_ascii_digit());
        if self.peek(0) == Some('.') && self.peek(1).is_some_and(|c| c.is_ascii_digit()) {
            self.bump();
            digits.push('.');
            digits.push_str(&self.take_while(|c| c.is_ascii_digit()));
            let value = digits.parse().map_err(|_| Diagnostic::error(span, "this float cannot be read"))?;
            self.push(Token::Float(value), span);
            return Ok(());
        }
        if self.peek(0).is_some_and(|c| c.is_alphabetic() || c == '_') {
            // As in the published tool, a name may begin with a digit.
            digits.push_str(&self.take_while(|c| c.is_alphanumeric() || c == '_'));
            self.push(Token::Name(digits), span);
            return Ok(());
        }
        let value = digits.parse().map_err(|_| Diagnostic::error(span, "this integer has more than 64 bits"))?;
        self.push(Token::Int(value), span);
        Ok(())
    }

    fn character(&mut self, span: Span) -> Result<(), Diagnostic> {
        self.bump();
        let mut c = self.bump();
        if c == Some('\\') && self.peek(0).is_some() && self.peek(1) == Some('\'') {
            c = match self.bump() {
                Some('n') => Some('\n'),
                Some('t') => Some('\t'),
                Some('r') => Some('\r'),
                Some('0') => Some('\0'),
                other => other,
            };
        }
        match (c, self.bump()) {
            (Some(c), Some('\'')) => {
                self.push(Token::Char(c), span);
                Ok(())
            }
            _ => Err(Diagnostic::error(span, "a character is one character between single quotes")),
        }
    }

    fn skip_blanks(&mut self) -> Result<(), Diagnostic> {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(c), _) if c.is_whitespace() || c == '\u{feff}' => {
                    self.bump();
                }
                (Some('/'), Some('/')) => {
                    while self.peek(0).is_some_and(|c| c != '\n' && c != '\r') {
                        self.bump();
                    }
                }
                (Some('/'), Some('*')) => {
                    let span = self.here();
                    self.bump();
                    self.bump();
                    while !(self.peek(0) == Some('*') && self.peek(1) == Some('/')) {
                        if self.bump().is_none() {
                            return Err(Diagnostic::error(span, "this comment has no end"));
                        }
                    }
                    self.bump();
                    self.bump();
                }
                _ => return Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Token> {
        lex(text, FileId(0)).expect("it is valid").into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn words_are_told_apart() {
        assert_eq!(
            words("integer := 1.5 ==> /* x\n */ 'a' '\\n' #a \"b\\\"; // end\t= x"),
            [
                Token::Name("integer".into()),
                Token::Sign(":="),
                Token::Float(1.5),
                Token::Sign("==>"),
                Token::Char('a'),
                Token::Char('\n'),
                Token::Sign("#"),
                Token::Name("a".into()),
                Token::Text("b\\".into()),
                Token::Sign(";"),
                Token::End
            ]
        );
        for text in ["x = 1", "99999999999999999999", "'ab'", "\"open", "/* open", "'"] {
            assert!(lex(text, FileId(0)).is_err(), "{text}");
        }
    }
}
