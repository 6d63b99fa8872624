//! From tokens to the syntax tree, by recursive descent with as much lookahead as it takes.
//!
//! C can only be parsed by someone who knows which names are types, so the parser keeps the scopes of typedef names
//! ([`scope`]) and nothing else of meaning. Chains that are long in practice (operators, `else if`, labels, postfixes)
//! are parsed by loops; true nesting is recursion with a limit. A problem is reported once, the parser skips to the next
//! `;` or `}` and goes on, so that one run shows several problems.
//!
//! Invariant: whatever the bytes, `parse` returns; the number of nodes on a path of its tree is bounded by
//! `NESTING_LIMIT` and `LINK_LIMIT`.
//! Types, lookup of names other than typedefs, and constant values are the type checker's.

mod asm;
mod declaration;
mod expr;
mod operand;
mod scope;
mod stack;
mod stmt;

#[cfg(test)]
mod tests;

use ir::{Diagnostic, Sources, Span};

use crate::c::ast::{Name, TranslationUnit};
use crate::c::lex::{DIAGNOSTIC_LIMIT, Keyword, Lexed, NameId, Punct, Token, TokenKind, lex};
use crate::c::source::Originals;

use scope::TypedefScopes;
pub use stack::on_deep_stack;

/// How deep parentheses, blocks, initialisers and declarators may nest.
const NESTING_LIMIT: u32 = 1000;

/// How long operator chains and the like may be, where each link makes the tree one node deeper.
const LINK_LIMIT: u32 = 4000;

/// Parses preprocessed C text.
///
/// `path` is what the text is called where no line marker says otherwise; `originals` holds the files as they were
/// before preprocessing, as far as they are known, so that they can be quoted. The tree is complete only if there is
/// no diagnostic of severity `Error`.
pub fn parse(
    sources: &mut Sources,
    path: &str,
    text: &[u8],
    originals: &Originals,
) -> (TranslationUnit, Vec<Diagnostic>) {
    on_deep_stack(|| {
        let lexed = lex(sources, path, text, originals);
        let mut parser = Parser::new(&lexed);
        let unit = parser.translation_unit();
        let mut diagnostics = parser.diagnostics;
        let mut all = lexed.diagnostics;
        all.append(&mut diagnostics);
        all.truncate(DIAGNOSTIC_LIMIT);
        (unit, all)
    })
}

/// A construct could not be parsed; why has been reported.
#[derive(Debug)]
struct Failed;

type Parse<T> = Result<T, Failed>;

struct Parser<'t> {
    text: &'t [u8],
    tokens: &'t [Token],
    names: &'t [Name],
    packs: &'t [(u32, Option<u32>)],
    at: usize,
    scopes: TypedefScopes,
    diagnostics: Vec<Diagnostic>,
    /// The token at which the last problem was reported; one problem a token is enough.
    reported_at: Option<usize>,
    nesting: u32,
    links: u32,
    /// Braces opened and not yet closed by the tokens consumed so far; negative after too many closing ones.
    open_braces: i64,
    /// Parameter names of the function declarator parsed last, for the scope of its body.
    declared_parameters: Vec<NameId>,
}

/// What to restore when a construct fails in the middle.
struct Checkpoint {
    nesting: u32,
    links: u32,
    open_braces: i64,
    scope_depth: usize,
}

impl<'t> Parser<'t> {
    fn new(lexed: &'t Lexed<'_>) -> Parser<'t> {
        Parser {
            text: &lexed.text,
            tokens: &lexed.tokens,
            names: &lexed.names,
            packs: &lexed.packs,
            at: 0,
            scopes: TypedefScopes::new(lexed.names.len()),
            diagnostics: Vec::new(),
            reported_at: None,
            nesting: 0,
            links: 0,
            open_braces: 0,
            declared_parameters: Vec::new(),
        }
    }

    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    fn kind_ahead(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The place of the token consumed last.
    fn previous_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn name(&self, id: NameId) -> Name {
        self.names[id.0 as usize].clone()
    }

    fn spelling(&self, token: Token) -> &'t [u8] {
        &self.text[token.start as usize..token.end as usize]
    }

    fn bump(&mut self) -> Token {
        let token = self.tokens[self.at];
        match token.kind {
            TokenKind::Punct(Punct::LeftBrace) => self.open_braces += 1,
            TokenKind::Punct(Punct::RightBrace) => self.open_braces -= 1,
            _ => {}
        }
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn is_punct(&self, punct: Punct) -> bool {
        self.kind() == TokenKind::Punct(punct)
    }

    fn is_keyword(&self, keyword: Keyword) -> bool {
        self.kind() == TokenKind::Keyword(keyword)
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.is_punct(punct);
        if found {
            self.bump();
        }
        found
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.is_keyword(keyword);
        if found {
            self.bump();
        }
        found
    }

    /// Consumes `punct`; `context` completes "expected `x` ...", as in "after the expression".
    fn expect(&mut self, punct: Punct, context: &str) -> Parse<Span> {
        if self.is_punct(punct) {
            return Ok(self.bump().span);
        }
        let found = self.describe_token();
        // Something missing at the end of a line is best shown there, not at the next line's first token.
        let (previous, here) = (self.previous_span(), self.span());
        let ends_line = self.at > 0 && (previous.file, previous.line) != (here.file, here.line);
        let span = if ends_line && previous.end_column > 0 {
            Span { column: previous.end_column, end_column: previous.end_column + 1, ..previous }
        } else {
            here
        };
        let message = format!("expected `{}` {context}, found {found}", punct.text());
        let note = format!("insert `{}` here, or check what stands before", punct.text());
        Err(self.fail(span, message, &note))
    }

    /// Consumes an identifier; `what` completes "expected ...", as in "a label".
    fn expect_identifier(&mut self, what: &str) -> Parse<(NameId, Span)> {
        match self.kind() {
            TokenKind::Identifier(name) => Ok((name, self.bump().span)),
            _ => {
                let note = if matches!(self.kind(), TokenKind::Keyword(_)) {
                    "this word is a keyword; choose another name"
                } else {
                    "write a name here"
                };
                Err(self.expected(what, note))
            }
        }
    }

    /// Reports that something else was expected at the current token.
    fn expected(&mut self, what: &str, note: &str) -> Failed {
        let message = format!("expected {what}, found {}", self.describe_token());
        self.fail(self.span(), message, note)
    }

    /// Reports an error at `span`, unless the current token has had one.
    fn fail(&mut self, span: Span, message: impl Into<String>, note: &str) -> Failed {
        if self.reported_at != Some(self.at) {
            self.reported_at = Some(self.at);
            self.diagnostics.push(Diagnostic::error(span, message).with_note(note));
            if self.diagnostics.len() >= DIAGNOSTIC_LIMIT {
                self.give_up();
            }
        }
        Failed
    }

    /// Stops parsing without further reports: nothing that could follow would help.
    fn give_up(&mut self) {
        self.at = self.tokens.len() - 1;
        self.reported_at = Some(self.at);
    }

    fn describe_token(&self) -> String {
        let token = self.token();
        let spelling = String::from_utf8_lossy(self.spelling(token));
        match token.kind {
            TokenKind::Identifier(name) if self.scopes.is_typedef(name) => format!("the type name `{spelling}`"),
            TokenKind::Identifier(_) | TokenKind::Punct(_) => format!("`{spelling}`"),
            TokenKind::Keyword(_) => format!("the keyword `{spelling}`"),
            TokenKind::Number => format!("the number `{spelling}`"),
            TokenKind::Char(_) => "a character constant".to_string(),
            TokenKind::String(_) => "a string literal".to_string(),
            TokenKind::End => "the end of the file".to_string(),
        }
    }

    /// Parses something one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.nesting >= NESTING_LIMIT {
            let message = format!("this is nested more than {NESTING_LIMIT} levels deep");
            return Err(self.too_deep(message, "flatten the nesting, for instance with named variables or functions"));
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    /// Counts a link of a chain that deepens the tree by one.
    fn link(&mut self) -> Parse<()> {
        if self.links >= LINK_LIMIT {
            let message = format!("this chain of operators or branches has more than {LINK_LIMIT} links");
            return Err(self.too_deep(message, "split it into several statements"));
        }
        self.links += 1;
        Ok(())
    }

    fn too_deep(&mut self, message: String, note: &str) -> Failed {
        let failed = self.fail(self.span(), message, note);
        self.give_up();
        failed
    }

    /// Parses something whose chains do not lengthen those around it, such as an argument.
    fn separate<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let links = self.links;
        let result = parse(self);
        self.links = links;
        result
    }

    fn checkpoint(&self) -> Checkpoint {
        let (nesting, links, open_braces) = (self.nesting, self.links, self.open_braces);
        Checkpoint { nesting, links, open_braces, scope_depth: self.scopes.depth() }
    }

    /// After a failure: restores the state and skips behind the next `;`, behind a whole `{...}`, or before a `}`.
    fn recover(&mut self, checkpoint: &Checkpoint, began_at: usize) {
        self.nesting = checkpoint.nesting;
        self.links = checkpoint.links;
        while self.scopes.depth() > checkpoint.scope_depth {
            self.scopes.leave();
        }
        if self.at == began_at && !self.is_punct(Punct::RightBrace) {
            self.bump();
        }
        // Braces of a list that failed in the middle are closed first; what follows them belongs to the same construct.
        let mut ends_with_brace = self.open_braces <= checkpoint.open_braces;
        loop {
            let is_outside = self.open_braces <= checkpoint.open_braces;
            match self.kind() {
                TokenKind::End => return,
                TokenKind::Punct(Punct::RightBrace) if is_outside => return,
                TokenKind::Punct(Punct::RightBrace) => {
                    self.bump();
                    if self.open_braces > checkpoint.open_braces {
                        continue;
                    }
                    if ends_with_brace {
                        self.eat(Punct::Semicolon);
                        return;
                    }
                    ends_with_brace = true;
                    continue;
                }
                TokenKind::Punct(Punct::Semicolon) if is_outside => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// From the beginning of `first` to the end of the last token consumed, as far as on the same line.
    fn from(&self, first: Span) -> Span {
        join(first, self.previous_span())
    }
}

/// From the beginning of `first` to the end of `last` if they are on the same line, else `first`.
fn join(first: Span, last: Span) -> Span {
    let same_line = (first.file, first.line) == (last.file, last.line);
    if same_line && last.end_column > first.column { Span { end_column: last.end_column, ..first } } else { first }
}
