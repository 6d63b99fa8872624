//! From the text of C threads to their syntax.
//!
//! Types are read and thrown away: a litmus test in C computes with words. What matters of them is which names they declare, and which
//! parameters are atomic. Casts are dropped too.
//!
//! Invariant: nesting is bounded, so no text can exhaust the stack.

use super::super::init::{MAX_DEPTH, type_of};
use super::super::lex::{Comments, Kind, Lexer, Source, Token, number_of_c};
use super::super::question;
use super::ast::{Expr, ExprKind, Function, Parameter, Stmt};
use ir::Diagnostic;

/// Reads the threads from `start` on; also gives the place after them.
pub(in super::super) fn functions(source: &Source<'_>, start: usize) -> Result<(Vec<Function>, usize), Diagnostic> {
    let mut parser = Parser::new(source, start);
    let mut functions = Vec::new();
    while !parser.is_at_question() {
        functions.push(parser.function()?);
    }
    if functions.is_empty() {
        return Err(Diagnostic::error(source.span(start, 1), "there are no threads: expected `P0(int *x) { … }`"));
    }
    Ok((functions, parser.lexer.at))
}

/// Reads C, from a place on.
pub(super) struct Parser<'a, 's> {
    source: &'s Source<'a>,
    pub(super) lexer: Lexer<'a>,
    depth: usize,
}

impl<'a, 's> Parser<'a, 's> {
    pub(super) fn new(source: &'s Source<'a>, start: usize) -> Parser<'a, 's> {
        Parser { source, lexer: Lexer::new(source.text, start, Comments::Slashed), depth: 0 }
    }

    /// Whether no thread follows; comments of both kinds may stand between threads.
    pub(super) fn is_at_question(&mut self) -> bool {
        loop {
            self.lexer.comments = Comments::Starred;
            self.lexer.skip_blank();
            self.lexer.comments = Comments::Slashed;
            let at = self.lexer.at;
            self.lexer.skip_blank();
            if self.lexer.at == at {
                return self.lexer.peek().is_none() || question::begins(&self.lexer);
            }
        }
    }

    fn function(&mut self) -> Result<Function, Diagnostic> {
        let mut token = self.token("a thread")?;
        if token.text == "void" || token.text == "static" {
            token = self.token("a thread")?;
        }
        let thread = token.text.strip_prefix('P').and_then(|digits| digits.parse().ok());
        let Some(thread) = thread else {
            return Err(self.complain(token, format!("expected a thread such as `P0(…)`, found `{}`", token.text)));
        };
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.lexer.eat(")") {
            parameters.extend(self.parameter()?);
            if !self.lexer.is_at(")") {
                self.expect(",")?;
            }
        }
        let body = self.block()?;
        Ok(Function { number: thread, parameters, body })
    }

    fn parameter(&mut self) -> Result<Option<Parameter>, Diagnostic> {
        let mut words = Vec::new();
        let mut n_stars = 0;
        loop {
            let token = self.token("a parameter")?;
            match (token.kind, token.text) {
                (Kind::Word, word) => words.push((word, token.at)),
                (_, "*") => n_stars += 1,
                _ => return Err(self.complain(token, format!("expected a parameter, found `{}`", token.text))),
            }
            if self.lexer.is_at("[") {
                // `int x[]` is a pointer.
                self.lexer.next();
                while !self.lexer.eat("]") {
                    self.token("`]`")?;
                }
                n_stars += 1;
            }
            if self.lexer.is_at(",") || self.lexer.is_at(")") {
                break;
            }
        }
        if let [("void", _)] = words[..] {
            return Ok(None);
        }
        let Some((name, at)) = words.pop().filter(|_| !words.is_empty()) else {
            return Err(Diagnostic::error(self.source.span(self.lexer.at, 1), "expected a parameter such as `int *x`"));
        };
        if n_stars == 0 {
            let message = format!("the parameter `{name}` is not a pointer; only locations can be parameters");
            return Err(Diagnostic::unsupported(self.source.span(at, name.len()), message));
        }
        let is_atomic = words.iter().any(|(word, _)| word.starts_with("atomic") || *word == "_Atomic");
        Ok(Some(Parameter { name: name.to_string(), is_atomic, at }))
    }

    /// `{ … }`
    pub(super) fn block(&mut self) -> Result<Vec<Stmt>, Diagnostic> {
        self.expect("{")?;
        let mut body = Vec::new();
        while !self.lexer.eat("}") {
            self.statement(&mut body)?;
        }
        Ok(body)
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Diagnostic>) -> Result<T, Diagnostic> {
        if self.depth == MAX_DEPTH {
            return Err(Diagnostic::unsupported(self.source.span(self.lexer.at, 1), "this is nested too deeply"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn statement(&mut self, into: &mut Vec<Stmt>) -> Result<(), Diagnostic> {
        self.deeper(|parser| parser.statement_here(into))
    }

    fn statement_here(&mut self, into: &mut Vec<Stmt>) -> Result<(), Diagnostic> {
        let Some(token) = self.lexer.peek() else {
            return Err(Diagnostic::error(self.source.span(self.lexer.at, 1), "expected `}`, found the end"));
        };
        match token.text {
            ";" => {
                self.lexer.next();
                Ok(())
            }
            "{" => {
                into.push(Stmt::Block(self.block()?));
                Ok(())
            }
            "if" => {
                self.lexer.next();
                let condition = self.parenthesised()?;
                let yes = self.arm()?;
                let no = if self.lexer.eat("else") { self.arm()? } else { Vec::new() };
                into.push(Stmt::If { condition, yes, no });
                Ok(())
            }
            "while" => {
                self.lexer.next();
                let condition = self.parenthesised()?;
                let body = self.arm()?;
                into.push(Stmt::While { condition, body, is_checked_last: false });
                Ok(())
            }
            "do" => {
                self.lexer.next();
                let body = self.arm()?;
                self.expect("while")?;
                let condition = self.parenthesised()?;
                self.expect(";")?;
                into.push(Stmt::While { condition, body, is_checked_last: true });
                Ok(())
            }
            "for" => self.for_loop(into),
            // Tests that call a variable `continue` exist.
            "break" | "continue" if self.is_followed_by("=") => {
                self.simple(into)?;
                self.expect(";")
            }
            "goto" | "break" | "continue" | "return" | "switch" | "case" | "asm" | "__asm__" => {
                let span = self.source.span(token.at, token.text.len());
                Err(Diagnostic::unsupported(span, format!("`{}` in a C litmus test is not supported", token.text)))
            }
            _ => {
                self.simple(into)?;
                self.expect(";")
            }
        }
    }

    fn is_followed_by(&self, symbol: &str) -> bool {
        let mut ahead = self.lexer.clone();
        ahead.next();
        ahead.is_at(symbol)
    }

    fn arm(&mut self) -> Result<Vec<Stmt>, Diagnostic> {
        let mut body = Vec::new();
        self.statement(&mut body)?;
        Ok(body)
    }

    fn for_loop(&mut self, into: &mut Vec<Stmt>) -> Result<(), Diagnostic> {
        let at = self.lexer.peek().map_or(self.lexer.at, |token| token.at);
        self.lexer.next();
        self.expect("(")?;
        let mut whole = Vec::new();
        if !self.lexer.is_at(";") {
            self.simple(&mut whole)?;
        }
        self.expect(";")?;
        let always = Expr { kind: ExprKind::Number(1), at, length: 3 };
        let condition = if self.lexer.is_at(";") { always } else { self.expression()? };
        self.expect(";")?;
        let mut step = Vec::new();
        if !self.lexer.is_at(")") {
            self.simple(&mut step)?;
        }
        self.expect(")")?;
        let mut body = self.arm()?;
        body.extend(step);
        whole.push(Stmt::While { condition, body, is_checked_last: false });
        into.push(Stmt::Block(whole));
        Ok(())
    }

    /// A declaration, an assignment or an expression, without the `;`.
    fn simple(&mut self, into: &mut Vec<Stmt>) -> Result<(), Diagnostic> {
        if self.skip_type() {
            loop {
                while self.lexer.eat("*") || self.lexer.eat("const") || self.lexer.eat("volatile") {}
                let token = self.token("a name")?;
                if token.kind != Kind::Word {
                    return Err(self.complain(token, format!("expected a name, found `{}`", token.text)));
                }
                let value = if self.lexer.eat("=") { Some(self.expression()?) } else { None };
                into.push(Stmt::Declare { name: token.text.to_string(), value, at: token.at });
                if !self.lexer.eat(",") {
                    return Ok(());
                }
            }
        }
        let place = self.expression()?;
        let Some(token) = self.lexer.peek() else {
            into.push(Stmt::Evaluate(place));
            return Ok(());
        };
        match token.text {
            "=" => {
                self.lexer.next();
                let value = self.expression()?;
                into.push(Stmt::Assign { place, operator: None, value });
            }
            "+=" | "-=" | "|=" | "&=" | "^=" => {
                self.lexer.next();
                let value = self.expression()?;
                into.push(Stmt::Assign { place, operator: Some(token.text[..1].to_string()), value });
            }
            "++" | "--" => {
                self.lexer.next();
                let value = Expr { kind: ExprKind::Number(1), at: token.at, length: 2 };
                into.push(Stmt::Assign { place, operator: Some(token.text[..1].to_string()), value });
            }
            _ => into.push(Stmt::Evaluate(place)),
        }
        Ok(())
    }

    /// Skips the words of a type if a declaration begins here.
    fn skip_type(&mut self) -> bool {
        let mut ahead = self.lexer.clone();
        let mut words = Vec::new();
        while let Some(token) = ahead.peek().filter(|token| token.kind == Kind::Word) {
            words.push(token.text);
            let is_type = type_of(&words, 0).is_some()
                || matches!(token.text, "const" | "volatile" | "struct" | "signed" | "_Atomic");
            if !is_type {
                words.pop();
                break;
            }
            ahead.next();
        }
        if words.is_empty() {
            return false;
        }
        self.lexer = ahead;
        true
    }

    fn parenthesised(&mut self) -> Result<Expr, Diagnostic> {
        self.expect("(")?;
        let inner = self.expression()?;
        self.expect(")")?;
        Ok(inner)
    }

    /// An expression.
    pub(super) fn expression(&mut self) -> Result<Expr, Diagnostic> {
        self.deeper(|parser| {
            let condition = parser.binary(0)?;
            if !parser.lexer.eat("?") {
                return Ok(condition);
            }
            let yes = parser.expression()?;
            parser.expect(":")?;
            let no = parser.expression()?;
            Ok(parser.joined(condition.at, ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no))))
        })
    }

    fn binary(&mut self, level: usize) -> Result<Expr, Diagnostic> {
        const LEVELS: [&[&str]; 10] = [
            &["||"],
            &["&&"],
            &["|"],
            &["^"],
            &["&"],
            &["==", "!="],
            &["<", ">", "<=", ">="],
            &["<<", ">>"],
            &["+", "-"],
            &["*", "/", "%"],
        ];
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(token) = self.lexer.peek().filter(|token| operators.contains(&token.text)) {
            self.lexer.next();
            // An operator that stands alone is an argument of a definition: `__atomic_op(X,+,V)`.
            let right = self.binary(level + 1)?;
            left = self.joined(left.at, ExprKind::Binary(token.text.to_string(), Box::new(left), Box::new(right)));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, Diagnostic> {
        self.deeper(Self::unary_here)
    }

    fn unary_here(&mut self) -> Result<Expr, Diagnostic> {
        let token = self.token("an expression")?;
        let at = token.at;
        match (token.kind, token.text) {
            (Kind::Symbol, operator @ ("+" | "-" | "&" | "|" | "^")) if self.lexer.is_at(",") => {
                Ok(self.joined(at, ExprKind::Operator(operator.to_string())))
            }
            (Kind::Symbol, "*") => {
                let inner = self.unary()?;
                Ok(self.joined(at, ExprKind::Deref(Box::new(inner))))
            }
            (Kind::Symbol, "&") => {
                let inner = self.unary()?;
                Ok(self.joined(at, ExprKind::AddressOf(Box::new(inner))))
            }
            (Kind::Symbol, "+") => self.unary(),
            (Kind::Symbol, operator @ ("-" | "!" | "~")) => {
                let inner = self.unary()?;
                let operator = operator.chars().next().expect("it has one character");
                Ok(self.joined(at, ExprKind::Unary(operator, Box::new(inner))))
            }
            (Kind::Symbol, "(") => {
                let mut ahead = Parser { source: self.source, lexer: self.lexer.clone(), depth: self.depth };
                if ahead.skip_type() {
                    while ahead.lexer.eat("*") || ahead.lexer.eat("const") || ahead.lexer.eat("volatile") {}
                    if ahead.lexer.eat(")") {
                        self.lexer = ahead.lexer;
                        return self.unary();
                    }
                }
                let inner = self.expression()?;
                self.expect(")")?;
                self.postfix(inner)
            }
            (Kind::Number, text) => match number_of_c(text) {
                Some(value) => Ok(self.joined(at, ExprKind::Number(value))),
                None => Err(self.complain(token, format!("`{text}` is not a number"))),
            },
            (Kind::Word, "NULL" | "null" | "false") => Ok(self.joined(at, ExprKind::Number(0))),
            (Kind::Word, "true") => Ok(self.joined(at, ExprKind::Number(1))),
            (Kind::Word, name) => {
                let tags = if name.starts_with("__") && self.lexer.is_at("{") { self.tags()? } else { Vec::new() };
                if tags.is_empty() && !self.lexer.is_at("(") {
                    let name = self.joined(at, ExprKind::Name(name.to_string()));
                    return self.postfix(name);
                }
                let mut arguments = Vec::new();
                if self.lexer.eat("(") {
                    while !self.lexer.eat(")") {
                        arguments.push(self.expression()?);
                        if !self.lexer.is_at(")") {
                            self.expect(",")?;
                        }
                    }
                }
                Ok(self.joined(at, ExprKind::Call { name: name.to_string(), tags, arguments }))
            }
            (_, text) => Err(self.complain(token, format!("expected an expression, found `{text}`"))),
        }
    }

    fn postfix(&mut self, mut expr: Expr) -> Result<Expr, Diagnostic> {
        loop {
            if self.lexer.eat("[") {
                let index = self.expression()?;
                self.expect("]")?;
                expr = self.joined(expr.at, ExprKind::Index(Box::new(expr), Box::new(index)));
            } else if let Some(token) = self.lexer.peek().filter(|token| matches!(token.text, "->" | ".")) {
                let span = self.source.span(token.at, token.text.len());
                return Err(Diagnostic::unsupported(span, "members of structures in a litmus test are not supported"));
            } else {
                return Ok(expr);
            }
        }
    }

    /// `{once}`; a tag may contain `-`.
    fn tags(&mut self) -> Result<Vec<String>, Diagnostic> {
        self.expect("{")?;
        let start = self.lexer.at;
        while !self.lexer.is_at("}") {
            self.token("`}`")?;
        }
        let words = self.source.text[start..self.lexer.at]
            .split(',')
            .map(|word| word.trim().trim_start_matches('\'').to_string());
        let words = words.filter(|word| !word.is_empty()).collect();
        self.expect("}")?;
        Ok(words)
    }

    fn joined(&self, at: usize, kind: ExprKind) -> Expr {
        Expr { kind, at, length: self.lexer.at - at }
    }

    pub(super) fn token(&mut self, what: &str) -> Result<Token<'a>, Diagnostic> {
        let at = self.lexer.at;
        self.lexer
            .next()
            .ok_or_else(|| Diagnostic::error(self.source.span(at, 1), format!("expected {what}, found the end")))
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Result<(), Diagnostic> {
        let token = self.token(&format!("`{symbol}`"))?;
        if token.text == symbol {
            return Ok(());
        }
        Err(self.complain(token, format!("expected `{symbol}`, found `{}`", token.text)))
    }

    pub(super) fn complain(&self, token: Token<'_>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.source.span(token.at, token.text.len()), message)
    }
}
