//! Which tree does an expression of a memory model spell?
//!
//! The second half of the parser; see `parser` for the order of operators.

use std::sync::Arc;

use super::ast::*;
use super::lexer::{KEYWORDS, Token};
use super::parser::{Parsed, Parser};

impl Parser {
    pub(crate) fn expr(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let Token::Name(word) = self.token().clone() else { return self.tuple() };
        let kind = match word.as_str() {
            "let" => {
                self.advance();
                let is_recursive = self.accept_word("rec");
                let bindings = self.bindings()?;
                self.expect_word("in")?;
                let body = self.expr()?;
                if is_recursive { ExprKind::LetRec(bindings, body) } else { ExprKind::Let(bindings, body) }
            }
            "fun" => {
                self.advance();
                let parameters = self.pattern()?;
                self.expect("->")?;
                ExprKind::Fun(parameters, self.expr()?)
            }
            "try" => {
                self.advance();
                let first = self.expr()?;
                self.expect_word("with")?;
                ExprKind::Try(first, self.expr()?)
            }
            "if" => {
                self.advance();
                let condition = self.condition()?;
                self.expect_word("then")?;
                let then = self.expr()?;
                self.expect_word("else")?;
                ExprKind::If(condition, then, self.expr()?)
            }
            "match" => {
                self.advance();
                self.match_expr()?
            }
            _ => return self.tuple(),
        };
        Ok(Expr { kind: Arc::new(kind), span })
    }

    fn condition(&mut self) -> Parsed<Condition> {
        let is_variant = matches!(self.token(), Token::Text(_)) || self.is_word("variant") || self.is_word("not");
        let in_parentheses = self.is_sign("(")
            && self.tokens[self.at..].iter().find(|(token, _)| token != &Token::Sign("(")).is_some_and(|(token, _)| {
                matches!(token, Token::Text(_))
                    || matches!(token, Token::Name(name) if name == "not" || name == "variant")
            });
        if is_variant || in_parentheses {
            return Ok(Condition::Variant(self.variant()?));
        }
        let left = self.expr()?;
        if self.accept("=") {
            Ok(Condition::Equal(left, self.expr()?))
        } else if self.accept_word("subset") {
            Ok(Condition::Subset(left, self.expr()?))
        } else if self.accept_word("in") {
            Ok(Condition::In(left, self.expr()?))
        } else {
            Err(self.unexpected("`=`, `subset` or `in`"))
        }
    }

    fn match_expr(&mut self) -> Parsed<ExprKind> {
        let subject = self.expr()?;
        self.expect_word("with")?;
        self.accept("||");
        if matches!(self.token(), Token::Tag(_))
            || (self.is_sign("_") && self.tokens[self.at + 1].0 == Token::Sign("->"))
        {
            let (mut clauses, mut default) = (Vec::new(), None);
            loop {
                if self.accept("_") {
                    self.expect("->")?;
                    default = Some(self.expr()?);
                    break;
                }
                let tag = self.tag()?;
                self.expect("->")?;
                clauses.push((tag, self.expr()?));
                if !self.accept("||") {
                    break;
                }
            }
            self.expect_word("end")?;
            return Ok(ExprKind::MatchTag(subject, clauses, default));
        }
        let (mut empty, mut element) = (None, None);
        for _ in 0..2 {
            if self.accept("{") {
                self.expect("}")?;
                self.expect("->")?;
                empty = Some(self.expr()?);
            } else {
                let mut names = vec![self.optional_pattern_name()?];
                let before = if self.accept("|") {
                    names.push(self.optional_pattern_name()?);
                    Some(names.remove(0))
                } else {
                    None
                };
                self.expect("++")?;
                let rest = self.optional_pattern_name()?;
                self.expect("->")?;
                element = Some(ElementClause { before, element: names.remove(0), rest, value: self.expr()? });
            }
            self.accept("||");
        }
        self.expect_word("end")?;
        match (empty, element) {
            (Some(empty), Some(element)) => Ok(ExprKind::MatchSet(subject, empty, element)),
            _ => Err(self.unexpected("one clause for `{}` and one for `x ++ rest`")),
        }
    }

    fn tuple(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let first = self.base()?;
        if !self.is_sign(",") {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.accept(",") {
            parts.push(self.base()?);
        }
        Ok(Expr { kind: Arc::new(ExprKind::Tuple(parts)), span })
    }

    pub(crate) fn base(&mut self) -> Parsed<Expr> {
        self.binary(0)
    }

    /// Operators from loose to tight; `\` groups to the left, the others either way mean the same or group to the right.
    fn binary(&mut self, level: usize) -> Parsed<Expr> {
        const LEVELS: &[(&str, Binary)] = &[
            ("|", Binary::Union),
            ("++", Binary::Add),
            (";", Binary::Sequence),
            ("\\", Binary::Difference),
            ("&", Binary::Intersection),
        ];
        let Some(&(sign, operator)) = LEVELS.get(level) else { return self.product() };
        let span = self.span();
        let mut left = self.binary(level + 1)?;
        while self.accept(sign) {
            let right = if operator == Binary::Add { self.binary(level)? } else { self.binary(level + 1)? };
            left = Expr { kind: Arc::new(ExprKind::Binary(operator, left, right)), span };
        }
        Ok(left)
    }

    fn product(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let mut left = self.unary()?;
        while self.accept("*") {
            let right = self.unary()?;
            left = Expr { kind: Arc::new(ExprKind::Binary(Binary::Product, left, right)), span };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        if self.accept("~") || self.accept("!") {
            let inner = self.unary()?;
            return Ok(Expr { kind: Arc::new(ExprKind::Unary(Unary::Complement, inner)), span });
        }
        let mut expr = self.application()?;
        loop {
            let operator = if self.accept("^") {
                if self.accept("-1") {
                    Unary::Inverse
                } else if self.accept("+") {
                    Unary::Plus
                } else if self.accept("*") {
                    Unary::Star
                } else if self.accept("?") {
                    Unary::Optional
                } else {
                    return Err(self.unexpected("`-1`, `+`, `*` or `?`"));
                }
            } else if self.accept("+") {
                Unary::Plus
            } else if self.accept("?") {
                Unary::Optional
            } else if self.is_sign("*") && !self.starts_operand(self.at + 1) {
                self.advance();
                Unary::Star
            } else {
                return Ok(expr);
            };
            expr = Expr { kind: Arc::new(ExprKind::Unary(operator, expr)), span };
        }
    }

    fn starts_operand(&self, at: usize) -> bool {
        match &self.tokens[at].0 {
            Token::Name(name) => !KEYWORDS.contains(&name.as_str()) || name == "begin",
            Token::Tag(_) => true,
            Token::Sign(sign) => matches!(*sign, "(" | "[" | "{" | "~" | "!" | "0" | "_"),
            _ => false,
        }
    }

    fn application(&mut self) -> Parsed<Expr> {
        let span = self.span();
        // A function is a name, or an expression in brackets.
        if !self.is_name() && !self.is_sign("(") {
            return self.simple();
        }
        let mut function =
            if self.is_name() { Expr { kind: Arc::new(ExprKind::Name(self.name()?)), span } } else { self.simple()? };
        while self.is_name() || (self.starts_operand(self.at) && !self.is_sign("~") && !self.is_sign("!")) {
            let argument_span = self.span();
            let argument = if self.is_name() {
                Expr { kind: Arc::new(ExprKind::Name(self.name()?)), span: argument_span }
            } else {
                self.simple()?
            };
            function = Expr { kind: Arc::new(ExprKind::Apply(function, argument)), span };
        }
        Ok(function)
    }

    pub(crate) fn simple(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let kind = match self.token().clone() {
            Token::Sign("0") => {
                self.advance();
                ExprKind::Empty
            }
            Token::Sign("_") => {
                self.advance();
                ExprKind::Universe
            }
            Token::Tag(tag) => {
                self.advance();
                ExprKind::Tag(tag)
            }
            Token::Sign("{") => {
                self.advance();
                ExprKind::Set(self.expr_list("}")?)
            }
            Token::Sign("[") => {
                self.advance();
                let inner = self.expr()?;
                self.expect("]")?;
                ExprKind::Unary(Unary::Identity, inner)
            }
            Token::Sign("(") => {
                self.advance();
                if self.accept(")") {
                    ExprKind::Tuple(Vec::new())
                } else {
                    let inner = self.expr()?;
                    self.expect(")")?;
                    return Ok(inner);
                }
            }
            Token::Name(word) if word == "begin" => {
                self.advance();
                let inner = self.expr()?;
                self.expect_word("end")?;
                return Ok(inner);
            }
            _ if self.is_name() => ExprKind::Name(self.name()?),
            _ => return Err(self.unexpected("a set, a relation or another expression")),
        };
        Ok(Expr { kind: Arc::new(kind), span })
    }

    pub(crate) fn expr_list(&mut self, close: &str) -> Parsed<Vec<Expr>> {
        let mut exprs = Vec::new();
        while !self.is_sign(close) {
            exprs.push(self.base()?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(close)?;
        Ok(exprs)
    }
}
