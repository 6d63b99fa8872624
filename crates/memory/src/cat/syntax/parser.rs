//! Does a text follow the grammar of memory models, and which tree does it spell?
//!
//! Recursive descent with one token of foresight. From loose to tight: `|`, `++`, `;`, `\`, `&`, `*` between sets, then `~`
//! and the postfix operators, then application. A star is infix exactly if an operand follows. The first problem ends the
//! parse: what follows it is guesswork. Statements are here, expressions in `expressions`.

use std::sync::Arc;

use ir::source::{Diagnostic, FileId, Span};

use super::ast::*;
use super::lexer::{KEYWORDS, Token, lex};

pub(crate) type Parsed<T> = Result<T, Diagnostic>;

/// Parses a .cat or .bell file.
pub fn parse(text: &str, file: FileId) -> Parsed<File> {
    let mut parser = Parser { tokens: lex(text, file)?, at: 0 };
    let title = parser.title();
    let computes_dependencies = parser.accept_word("catdep");
    let statements = parser.statements()?;
    if parser.token() != &Token::End {
        return Err(parser.unexpected("a statement"));
    }
    Ok(File { title, computes_dependencies, statements })
}

pub(crate) struct Parser {
    pub(crate) tokens: Vec<(Token, Span)>,
    pub(crate) at: usize,
}

impl Parser {
    pub(crate) fn token(&self) -> &Token {
        &self.tokens[self.at].0
    }

    pub(crate) fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    pub(crate) fn advance(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(crate) fn unexpected(&self, wanted: &str) -> Diagnostic {
        Diagnostic::error(self.span(), format!("expected {wanted}, found {}", self.token().told()))
    }

    pub(crate) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.token(), Token::Sign(found) if *found == sign)
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Name(found) if found == word)
    }

    pub(crate) fn accept(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.accept(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    pub(crate) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.accept_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    pub(crate) fn is_name(&self) -> bool {
        matches!(self.token(), Token::Name(name) if !KEYWORDS.contains(&name.as_str()))
    }

    pub(crate) fn name(&mut self) -> Parsed<String> {
        match self.token() {
            Token::Name(name) if !KEYWORDS.contains(&name.as_str()) => {
                let name = name.clone();
                self.advance();
                Ok(name)
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    fn text(&mut self) -> Parsed<String> {
        match self.token().clone() {
            Token::Text(text) => {
                self.advance();
                Ok(text)
            }
            _ => Err(self.unexpected("a text in quotes")),
        }
    }

    fn title(&mut self) -> Option<String> {
        if let Token::Text(text) = self.token().clone() {
            self.advance();
            return Some(text);
        }
        if !self.is_name() {
            return None;
        }
        let architecture = self.name().ok();
        match self.token().clone() {
            Token::Text(text) => {
                self.advance();
                Some(text)
            }
            _ if self.is_name() => self.name().ok(),
            _ => architecture,
        }
    }

    fn statements(&mut self) -> Parsed<Arc<[Stmt]>> {
        let mut statements = Vec::new();
        while let Some(statement) = self.statement()? {
            statements.push(statement);
        }
        Ok(statements.into())
    }

    fn statement(&mut self) -> Parsed<Option<Stmt>> {
        let span = self.span();
        if *self.token() == Token::Sign("~") {
            return Ok(Some(Stmt { kind: StmtKind::Check(Severity::Forbids, self.test()?), span }));
        }
        let Token::Name(word) = self.token().clone() else {
            return Ok(None);
        };
        let kind = match word.as_str() {
            "let" => {
                self.advance();
                self.let_statement()?
            }
            "acyclic" | "irreflexive" | "empty" => StmtKind::Check(Severity::Forbids, self.test()?),
            "flag" | "assert" | "undefined_unless" => {
                self.advance();
                let severity = match word.as_str() {
                    "flag" => Severity::Flags,
                    "assert" => Severity::Asserts,
                    _ => Severity::Undefines,
                };
                StmtKind::Check(severity, self.test()?)
            }
            "show" => {
                self.advance();
                self.show()?
            }
            "unshow" => {
                self.advance();
                StmtKind::Unshow(self.names()?)
            }
            "include" => {
                self.advance();
                StmtKind::Include(self.text()?)
            }
            "procedure" => {
                self.advance();
                self.procedure()?
            }
            "call" => {
                self.advance();
                let name = self.name()?;
                let argument = self.simple()?;
                StmtKind::Call(name, argument, self.optional_name()?)
            }
            "forall" => {
                self.advance();
                let name = self.name()?;
                self.expect_word("in")?;
                let set = self.expr()?;
                self.expect_word("do")?;
                let body = self.statements()?;
                self.expect_word("end")?;
                StmtKind::Forall(name, set, body)
            }
            "with" => {
                self.advance();
                let name = self.name()?;
                self.expect_word("from")?;
                StmtKind::With(name, self.expr()?)
            }
            "if" => {
                self.advance();
                let condition = self.variant()?;
                let then = self.statements()?;
                let otherwise = if self.accept_word("else") { self.statements()? } else { Arc::from([]) };
                self.expect_word("end")?;
                StmtKind::If(condition, then, otherwise)
            }
            "match" => {
                self.advance();
                self.match_statement()?
            }
            "enum" => {
                self.advance();
                let name = self.name()?;
                self.expect("=")?;
                self.accept("||");
                let mut tags = vec![self.tag()?];
                while self.accept("||") {
                    tags.push(self.tag()?);
                }
                StmtKind::Enum(name, tags)
            }
            "instructions" | "default" => {
                self.advance();
                let name = self.name()?;
                self.expect("[")?;
                let arguments = self.expr_list("]")?;
                StmtKind::Instructions(name, arguments)
            }
            "debug" => {
                self.advance();
                StmtKind::Debug(self.expr()?)
            }
            _ => return Ok(None),
        };
        Ok(Some(Stmt { kind, span }))
    }

    fn let_statement(&mut self) -> Parsed<StmtKind> {
        let is_recursive = self.accept_word("rec");
        let bindings = self.bindings()?;
        let when = if is_recursive && self.accept_word("when") { Some(self.test()?) } else { None };
        self.accept_word("in");
        Ok(if is_recursive { StmtKind::LetRec(bindings, when) } else { StmtKind::Let(bindings) })
    }

    fn show(&mut self) -> Parsed<StmtKind> {
        let expr = self.base()?;
        if self.accept_word("as") {
            return Ok(StmtKind::ShowAs(expr, self.name()?));
        }
        let ExprKind::Name(first) = &*expr.kind else {
            return Err(self.unexpected("`as` and the name to show it by"));
        };
        let mut names = vec![first.clone()];
        while self.accept(",") {
            names.push(self.name()?);
        }
        Ok(StmtKind::Show(names))
    }

    fn procedure(&mut self) -> Parsed<StmtKind> {
        let is_recursive = self.accept_word("rec");
        let name = self.name()?;
        let parameters = self.pattern()?;
        self.expect("=")?;
        let body = self.statements()?;
        self.expect_word("end")?;
        Ok(StmtKind::Procedure(Arc::new(Procedure { name, parameters, body, is_recursive })))
    }

    fn match_statement(&mut self) -> Parsed<StmtKind> {
        let subject = self.expr()?;
        self.expect_word("with")?;
        self.accept("||");
        let (mut clauses, mut default) = (Vec::new(), None);
        loop {
            if self.accept("_") {
                self.expect("->")?;
                default = Some(self.statements()?);
                break;
            }
            let tag = self.tag()?;
            self.expect("->")?;
            clauses.push((tag, self.statements()?));
            if !self.accept("||") {
                break;
            }
        }
        self.expect_word("end")?;
        Ok(StmtKind::Match(subject, clauses, default))
    }

    fn test(&mut self) -> Parsed<Test> {
        let is_negated = self.accept("~");
        let shape = match self.token() {
            Token::Name(word) if word == "acyclic" => Shape::Acyclic,
            Token::Name(word) if word == "irreflexive" => Shape::Irreflexive,
            Token::Name(word) if word == "empty" => Shape::Empty,
            _ => return Err(self.unexpected("`acyclic`, `irreflexive` or `empty`")),
        };
        self.advance();
        let expr = self.expr()?;
        Ok(Test { shape, is_negated, expr, name: self.optional_name()? })
    }

    fn optional_name(&mut self) -> Parsed<Option<String>> {
        if self.accept_word("as") { Ok(Some(self.name()?)) } else { Ok(None) }
    }

    fn names(&mut self) -> Parsed<Vec<String>> {
        let mut names = vec![self.name()?];
        while self.accept(",") {
            names.push(self.name()?);
        }
        Ok(names)
    }

    pub(crate) fn tag(&mut self) -> Parsed<String> {
        match self.token().clone() {
            Token::Tag(tag) => {
                self.advance();
                Ok(tag)
            }
            _ => Err(self.unexpected("a tag, such as `'once`")),
        }
    }

    pub(crate) fn bindings(&mut self) -> Parsed<Arc<[Binding]>> {
        let mut bindings = vec![self.binding()?];
        while self.accept_word("and") {
            bindings.push(self.binding()?);
        }
        Ok(bindings.into())
    }

    fn binding(&mut self) -> Parsed<Binding> {
        let span = self.span();
        if self.is_sign("(") {
            let pattern = self.pattern()?;
            self.expect("=")?;
            return Ok(Binding { pattern, value: self.expr()? });
        }
        let first = self.optional_pattern_name()?;
        if self.accept(",") {
            let mut names = vec![first, self.optional_pattern_name()?];
            while self.accept(",") {
                names.push(self.optional_pattern_name()?);
            }
            self.expect("=")?;
            return Ok(Binding { pattern: Pattern::Tuple(names), value: self.expr()? });
        }
        let mut parameters = Vec::new();
        while !self.is_sign("=") {
            parameters.push(self.pattern()?);
        }
        self.expect("=")?;
        let mut value = self.expr()?;
        for parameter in parameters.into_iter().rev() {
            value = Expr { kind: Arc::new(ExprKind::Fun(parameter, value)), span };
        }
        Ok(Binding { pattern: Pattern::One(first), value })
    }

    pub(crate) fn optional_pattern_name(&mut self) -> Parsed<Option<String>> {
        if self.accept("_") { Ok(None) } else { Ok(Some(self.name()?)) }
    }

    /// A name, `_`, or names in parentheses; one name in parentheses is that name.
    pub(crate) fn pattern(&mut self) -> Parsed<Pattern> {
        if !self.accept("(") {
            return Ok(Pattern::One(self.optional_pattern_name()?));
        }
        let mut names = Vec::new();
        while !self.is_sign(")") {
            names.push(self.optional_pattern_name()?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        if names.len() == 1 { Ok(Pattern::One(names.remove(0))) } else { Ok(Pattern::Tuple(names)) }
    }

    pub(crate) fn variant(&mut self) -> Parsed<Variant> {
        let mut left = self.variant_conjunction()?;
        while self.accept("||") {
            left = Variant::Or(Box::new(left), Box::new(self.variant_conjunction()?));
        }
        Ok(left)
    }

    fn variant_conjunction(&mut self) -> Parsed<Variant> {
        let mut left = self.variant_atom()?;
        while self.accept("&&") {
            left = Variant::And(Box::new(left), Box::new(self.variant_atom()?));
        }
        Ok(left)
    }

    fn variant_atom(&mut self) -> Parsed<Variant> {
        if self.accept_word("not") {
            return Ok(Variant::Not(Box::new(self.variant_atom()?)));
        }
        if self.accept("(") {
            let inner = self.variant()?;
            self.expect(")")?;
            return Ok(inner);
        }
        self.accept_word("variant");
        Ok(Variant::Is(self.text()?))
    }
}
