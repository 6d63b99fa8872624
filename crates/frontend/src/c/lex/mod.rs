//! From the bytes of a preprocessed file to tokens with places.
//!
//! One pass over the bytes. Line splices are taken out first, with a note of where they were, so that nothing else has
//! to know about them. Line markers go to the `SourceMap`, pragmas are skipped except those that change layout
//! ([`directive`]). Any byte sequence is accepted: what is no token becomes a diagnostic and is skipped.
//!
//! Invariant: the list of tokens is never empty and ends with exactly one `End`.
//! Values of literals are computed later, by [`number`] and [`text`], when the parser asks.

mod directive;
mod number;
mod text;
mod token;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use ir::{Diagnostic, Sources, Span};
use rustc_hash::FxHashMap;

use crate::c::ast::{Encoding, Name};
use crate::c::source::{Originals, SourceMap};

pub(crate) use number::{Number, read_number};
pub(crate) use text::decode;
pub(crate) use token::{KEYWORDS, Keyword, NameId, PREDECLARED_TYPES, Punct, Token, TokenKind};

/// After this many problems a file is hopeless, or not C.
pub(crate) const DIAGNOSTIC_LIMIT: usize = 20;

/// A file as tokens.
pub(crate) struct Lexed<'t> {
    /// The file's bytes without line splices; tokens point into it.
    pub(crate) text: Cow<'t, [u8]>,
    /// In order, ending with `End`.
    pub(crate) tokens: Vec<Token>,
    /// Identifiers by `NameId`.
    pub(crate) names: Vec<Name>,
    /// From which token on which `#pragma pack` is in force, in order.
    pub(crate) packs: Vec<(u32, Option<u32>)>,
    /// What was wrong.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Splits a file into tokens. `path` is what places are called until a line marker says otherwise.
pub(crate) fn lex<'t>(sources: &mut Sources, path: &str, text: &'t [u8], originals: &Originals) -> Lexed<'t> {
    let mut map = SourceMap::new(sources, originals, path);
    if u32::try_from(text.len()).is_err() {
        let place = map.span(b"", 0, 0);
        let message = "the file is larger than 4 GB; split it into several translation units";
        let tokens = vec![Token { kind: TokenKind::End, start: 0, end: 0, span: place }];
        let diagnostics = vec![Diagnostic::error(place, message)];
        return Lexed { text: Cow::Borrowed(&[]), tokens, names: Vec::new(), packs: Vec::new(), diagnostics };
    }
    let (text, splices) = remove_splices(text);
    let mut lexer = Lexer::new(&text, &splices, map);
    lexer.run();
    let Lexer { tokens, names, packs, diagnostics, .. } = lexer;
    Lexed { text, tokens, names, packs, diagnostics }
}

/// Takes out every backslash directly before a line end; also returns where they were.
fn remove_splices(text: &[u8]) -> (Cow<'_, [u8]>, Vec<u32>) {
    let splice_length = |at: usize| match text.get(at..) {
        Some([b'\\', b'\n', ..]) => 2,
        Some([b'\\', b'\r', b'\n', ..]) => 3,
        _ => 0,
    };
    if !text.iter().enumerate().any(|(at, &byte)| byte == b'\\' && splice_length(at) > 0) {
        return (Cow::Borrowed(text), Vec::new());
    }
    let (mut cleaned, mut splices) = (Vec::with_capacity(text.len()), Vec::new());
    let mut at = 0;
    while at < text.len() {
        let length = splice_length(at);
        if length > 0 {
            splices.push(cleaned.len() as u32);
            at += length;
        } else {
            cleaned.push(text[at]);
            at += 1;
        }
    }
    (Cow::Owned(cleaned), splices)
}

#[derive(Clone, Copy)]
enum Word {
    Keyword(Keyword),
    Identifier(NameId),
}

struct Lexer<'t, 'm> {
    text: &'t [u8],
    at: usize,
    /// Splices not yet passed.
    splices: &'t [u32],
    /// The current physical line, from its first byte to before its end.
    line: (usize, usize),
    map: SourceMap<'m>,
    word_of: FxHashMap<&'t [u8], Word>,
    /// Identifiers that may have several spellings.
    beyond_ascii: FxHashMap<Name, NameId>,
    tokens: Vec<Token>,
    names: Vec<Name>,
    packs: Vec<(u32, Option<u32>)>,
    pack: directive::PackState,
    diagnostics: Vec<Diagnostic>,
}

impl<'t, 'm> Lexer<'t, 'm> {
    fn new(text: &'t [u8], splices: &'t [u32], map: SourceMap<'m>) -> Lexer<'t, 'm> {
        let keywords = KEYWORDS.iter().map(|&(text, keyword)| (text.as_bytes(), Word::Keyword(keyword)));
        let predeclared = (0..).map(NameId).zip(PREDECLARED_TYPES);
        let predeclared = predeclared.map(|(id, (text, _))| (text.as_bytes(), Word::Identifier(id)));
        let word_of = keywords.chain(predeclared).collect();
        let mut lexer = Lexer {
            text,
            at: 0,
            splices,
            line: (0, 0),
            map,
            word_of,
            beyond_ascii: FxHashMap::default(),
            tokens: Vec::with_capacity(text.len() / 4 + 1),
            names: PREDECLARED_TYPES.iter().map(|(text, _)| Name::new(text)).collect(),
            packs: Vec::new(),
            pack: directive::PackState::default(),
            diagnostics: Vec::new(),
        };
        lexer.line = (0, lexer.line_end(0));
        lexer
    }

    fn run(&mut self) {
        if self.text.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
        let mut at_line_start = true;
        while self.diagnostics.len() < DIAGNOSTIC_LIMIT {
            let Some(&byte) = self.text.get(self.at) else { break };
            match byte {
                b'\n' => {
                    self.newline();
                    at_line_start = true;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'/' if self.peek(1) == b'/' => self.at = self.logical_line_end(),
                b'/' if self.peek(1) == b'*' => self.block_comment(),
                b'#' if at_line_start => self.directive(self.at + 1),
                b'%' if at_line_start && self.peek(1) == b':' => self.directive(self.at + 2),
                _ => {
                    at_line_start = false;
                    self.token(byte);
                }
            }
        }
        let span = self.place(self.at.min(self.text.len()), 0);
        let end = self.text.len() as u32;
        self.tokens.push(Token { kind: TokenKind::End, start: end, end, span });
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Where the physical line that contains `from` ends.
    fn line_end(&self, from: usize) -> usize {
        let newline = self.text[from..].iter().position(|&byte| byte == b'\n').map_or(self.text.len(), |n| from + n);
        self.splices.first().map_or(newline, |&splice| newline.min(splice as usize))
    }

    /// Where the line ends as the preprocessor sees it, behind all splices.
    fn logical_line_end(&self) -> usize {
        self.text[self.at..].iter().position(|&byte| byte == b'\n').map_or(self.text.len(), |n| self.at + n)
    }

    /// Steps over the line end at `self.at`.
    fn newline(&mut self) {
        self.pass_splices(self.at);
        self.at += 1;
        self.map.next_line();
        self.line = (self.at, self.line_end(self.at));
    }

    fn pass_splices(&mut self, up_to: usize) {
        while let Some((&splice, rest)) = self.splices.split_first() {
            if splice as usize > up_to {
                break;
            }
            self.splices = rest;
            self.map.next_line();
            self.line = (splice as usize, self.line_end(splice as usize));
        }
    }

    fn place(&mut self, start: usize, length: usize) -> Span {
        self.pass_splices(start);
        let (line_start, line_end) = self.line;
        let start = start.max(line_start);
        let line = &self.text[line_start..line_end.max(line_start)];
        self.map.span(line, start - line_start, length)
    }

    fn error(&mut self, start: usize, length: usize, message: impl Into<String>, note: &str) {
        let span = self.place(start, length);
        self.diagnostics.push(Diagnostic::error(span, message).with_note(note));
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        let start = self.at;
        let span = self.place(start, length);
        self.at += length;
        self.tokens.push(Token { kind, start: start as u32, end: self.at as u32, span });
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut at = self.at + 2;
        loop {
            match self.text.get(at) {
                None => {
                    self.error(start, 2, "this comment is never closed", "add `*/` where the comment should end");
                    self.at = self.text.len();
                    return;
                }
                Some(b'*') if self.text.get(at + 1) == Some(&b'/') => {
                    self.at = at + 2;
                    return;
                }
                Some(b'\n') => {
                    self.at = at;
                    self.newline();
                    at = self.at;
                }
                Some(_) => at += 1,
            }
        }
    }

    fn token(&mut self, byte: u8) {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => self.word(),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            b'"' => self.quoted(0, Encoding::Plain),
            b'\'' => self.quoted(0, Encoding::Plain),
            b'\\' if text::universal_character(&self.text[self.at..]).is_some() => self.word(),
            0x80.. if self.utf8_length(self.at) > 0 => self.word(),
            _ => match self.punctuator(byte) {
                Some((punct, length)) => self.push(TokenKind::Punct(punct), length),
                None => self.stray(),
            },
        }
    }

    /// The length of the well-formed character beyond ASCII at `at`, or 0.
    fn utf8_length(&self, at: usize) -> usize {
        let length = match self.text[at] {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return 0,
        };
        self.text.get(at..at + length).map_or(0, |bytes| if std::str::from_utf8(bytes).is_ok() { length } else { 0 })
    }

    fn word(&mut self) {
        let start = self.at;
        let mut end = start;
        let mut has_universal = false;
        loop {
            match self.text.get(end) {
                Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$') => end += 1,
                Some(b'\\') => match text::universal_character(&self.text[end..]) {
                    Some((_, length)) => {
                        has_universal = true;
                        end += length;
                    }
                    None => break,
                },
                Some(0x80..) => match self.utf8_length(end) {
                    0 => break,
                    length => end += length,
                },
                _ => break,
            }
        }
        let spelling = &self.text[start..end];
        if let Some(&(b'"' | b'\'')) = self.text.get(end) {
            let encoding = match spelling {
                b"L" => Some(Encoding::Wide),
                b"u" => Some(Encoding::Utf16),
                b"U" => Some(Encoding::Utf32),
                b"u8" => Some(Encoding::Utf8),
                _ => None,
            };
            if let Some(encoding) = encoding {
                return self.quoted(end - start, encoding);
            }
        }
        let kind = match self.word_of.get(spelling) {
            Some(Word::Keyword(keyword)) => TokenKind::Keyword(*keyword),
            Some(Word::Identifier(name)) => TokenKind::Identifier(*name),
            None => TokenKind::Identifier(self.add_name(spelling, has_universal)),
        };
        self.push(kind, end - start);
    }

    fn add_name(&mut self, spelling: &'t [u8], has_universal: bool) -> NameId {
        let mut name = String::from_utf8_lossy(spelling).into_owned();
        if has_universal {
            let mut rest = spelling;
            let mut plain = Vec::new();
            while let Some(&byte) = rest.first() {
                let (character, length) = match text::universal_character(rest) {
                    Some((character, length)) => (Some(character), length),
                    None => (None, 1),
                };
                match character {
                    Some(character) => plain.extend(character.encode_utf8(&mut [0; 4]).bytes()),
                    None => plain.push(byte),
                }
                rest = &rest[length..];
            }
            name = String::from_utf8_lossy(&plain).into_owned();
        }
        // Two spellings of one name (`\u00e9` and `é`) must be one identifier.
        let is_ascii = name.is_ascii();
        let known = if is_ascii { None } else { self.beyond_ascii.get(name.as_str()).copied() };
        let id = known.unwrap_or(NameId(self.names.len() as u32));
        if known.is_none() {
            let name = Name::new(&name);
            if !is_ascii {
                self.beyond_ascii.insert(name.clone(), id);
            }
            self.names.push(name);
        }
        self.word_of.insert(spelling, Word::Identifier(id));
        id
    }

    fn number(&mut self) {
        let mut end = self.at + 1;
        while let Some(&byte) = self.text.get(end) {
            let continues = match byte {
                b'+' | b'-' => matches!(self.text[end - 1], b'e' | b'E' | b'p' | b'P'),
                _ => byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_',
            };
            if !continues {
                break;
            }
            end += 1;
        }
        self.push(TokenKind::Number, end - self.at);
    }

    /// A character or string literal whose quote stands after `prefix` bytes.
    fn quoted(&mut self, prefix: usize, encoding: Encoding) {
        let quote = self.text[self.at + prefix];
        let mut end = self.at + prefix + 1;
        loop {
            match self.text.get(end) {
                Some(b'\\') if self.text.get(end + 1).is_some_and(|&byte| byte != b'\n') => end += 2,
                None | Some(b'\n') => {
                    let (what, note) = if quote == b'"' {
                        ("this string is not closed on its line", "add the closing `\"`")
                    } else {
                        ("this character constant is not closed on its line", "add the closing `'`")
                    };
                    self.error(self.at, prefix + 1, what, note);
                    self.at = end;
                    return;
                }
                Some(&byte) if byte == quote => {
                    end += 1;
                    break;
                }
                Some(_) => end += 1,
            }
        }
        let kind = if quote == b'"' { TokenKind::String(encoding) } else { TokenKind::Char(encoding) };
        self.push(kind, end - self.at);
    }

    fn punctuator(&self, byte: u8) -> Option<(Punct, usize)> {
        let (second, third) = (self.peek(1), self.peek(2));
        Some(match (byte, second, third) {
            (b'.', b'.', b'.') => (Punct::Ellipsis, 3),
            (b'<', b'<', b'=') => (Punct::ShlEq, 3),
            (b'>', b'>', b'=') => (Punct::ShrEq, 3),
            (b'-', b'>', _) => (Punct::Arrow, 2),
            (b'+', b'+', _) => (Punct::PlusPlus, 2),
            (b'-', b'-', _) => (Punct::MinusMinus, 2),
            (b'&', b'&', _) => (Punct::AmpAmp, 2),
            (b'|', b'|', _) => (Punct::PipePipe, 2),
            (b'<', b'<', _) => (Punct::Shl, 2),
            (b'>', b'>', _) => (Punct::Shr, 2),
            (b'<', b'=', _) => (Punct::LessEq, 2),
            (b'>', b'=', _) => (Punct::GreaterEq, 2),
            (b'=', b'=', _) => (Punct::EqEq, 2),
            (b'!', b'=', _) => (Punct::BangEq, 2),
            (b'+', b'=', _) => (Punct::PlusEq, 2),
            (b'-', b'=', _) => (Punct::MinusEq, 2),
            (b'*', b'=', _) => (Punct::StarEq, 2),
            (b'/', b'=', _) => (Punct::SlashEq, 2),
            (b'%', b'=', _) => (Punct::PercentEq, 2),
            (b'&', b'=', _) => (Punct::AmpEq, 2),
            (b'|', b'=', _) => (Punct::PipeEq, 2),
            (b'^', b'=', _) => (Punct::CaretEq, 2),
            (b':', b':', _) => (Punct::ColonColon, 2),
            (b'<', b':', _) => (Punct::LeftBracket, 2),
            (b':', b'>', _) => (Punct::RightBracket, 2),
            (b'<', b'%', _) => (Punct::LeftBrace, 2),
            (b'%', b'>', _) => (Punct::RightBrace, 2),
            (b'(', ..) => (Punct::LeftParen, 1),
            (b')', ..) => (Punct::RightParen, 1),
            (b'[', ..) => (Punct::LeftBracket, 1),
            (b']', ..) => (Punct::RightBracket, 1),
            (b'{', ..) => (Punct::LeftBrace, 1),
            (b'}', ..) => (Punct::RightBrace, 1),
            (b';', ..) => (Punct::Semicolon, 1),
            (b',', ..) => (Punct::Comma, 1),
            (b':', ..) => (Punct::Colon, 1),
            (b'?', ..) => (Punct::Question, 1),
            (b'.', ..) => (Punct::Dot, 1),
            (b'+', ..) => (Punct::Plus, 1),
            (b'-', ..) => (Punct::Minus, 1),
            (b'*', ..) => (Punct::Star, 1),
            (b'/', ..) => (Punct::Slash, 1),
            (b'%', ..) => (Punct::Percent, 1),
            (b'&', ..) => (Punct::Amp, 1),
            (b'|', ..) => (Punct::Pipe, 1),
            (b'^', ..) => (Punct::Caret, 1),
            (b'~', ..) => (Punct::Tilde, 1),
            (b'!', ..) => (Punct::Bang, 1),
            (b'<', ..) => (Punct::Less, 1),
            (b'>', ..) => (Punct::Greater, 1),
            (b'=', ..) => (Punct::Eq, 1),
            _ => return None,
        })
    }

    /// Skips a run of bytes that begin no token, with one diagnostic for all.
    fn stray(&mut self) {
        let start = self.at;
        let mut end = start + 1;
        while let Some(&byte) = self.text.get(end) {
            let is_stray = byte < b' ' && !byte.is_ascii_whitespace()
                || matches!(byte, b'@' | b'`' | b'\\' | 0x7f)
                || byte >= 0x80 && self.utf8_length(end) == 0;
            if !is_stray {
                break;
            }
            end += 1;
        }
        let first = self.text[start];
        let (what, note) = match first {
            b'#' => ("stray `#` in the program".to_string(), "directives must stand at the beginning of a line"),
            b'!'..=b'~' => (format!("stray `{}` in the program", first as char), "remove it"),
            _ => (
                format!("stray byte {first:#04x} in the program"),
                "the file must be C source text; is this a binary file or another encoding than UTF-8?",
            ),
        };
        self.error(start, end - start, what, note);
        self.at = end;
    }
}
