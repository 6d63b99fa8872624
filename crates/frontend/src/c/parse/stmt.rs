//! Statements and blocks.
//!
//! Labels in a row and chains of `else if` are parsed by loops, since generated programs have thousands of them.
//! A failed statement is reported, skipped and left out, and the block goes on.

use super::declaration::Declared;
use super::{Parse, Parser};
use crate::c::ast::{Block, Expr, Name, Stmt, StmtKind};
use crate::c::lex::{Keyword, Punct, TokenKind};
use ir::Span;

/// A label in front of a statement.
enum Label {
    Name(Name),
    Case { low: Box<Expr>, high: Option<Box<Expr>> },
    Default,
}

impl Parser<'_> {
    /// `{ ... }` as a scope.
    pub(super) fn block(&mut self) -> Parse<Block> {
        self.scopes.enter();
        let block = self.block_in_scope()?;
        self.scopes.leave();
        Ok(block)
    }

    /// `{ ... }` in a scope that has been entered.
    pub(super) fn block_in_scope(&mut self) -> Parse<Block> {
        let span = self.expect(Punct::LeftBrace, "to begin a block")?;
        let mut items = Vec::new();
        loop {
            match self.kind() {
                TokenKind::Punct(Punct::RightBrace) => {
                    let end = self.bump().span;
                    return Ok(Block { items, span, end });
                }
                TokenKind::End => return Err(self.fail(span, "this `{` is never closed", "add the matching `}`")),
                _ => {
                    let (checkpoint, began_at) = (self.checkpoint(), self.at);
                    match self.separate(|parser| parser.block_item()) {
                        Ok(item) => items.push(item),
                        Err(_) => self.recover(&checkpoint, began_at),
                    }
                }
            }
        }
    }

    fn block_item(&mut self) -> Parse<Stmt> {
        if self.is_keyword(Keyword::Label) {
            return self.local_labels();
        }
        if self.is_declaration_here() { self.declaration_statement() } else { self.statement() }
    }

    /// Whether a declaration begins here rather than a statement.
    fn is_declaration_here(&self) -> bool {
        match self.kind() {
            // A label may have the name of a type.
            TokenKind::Identifier(_) if self.kind_ahead(1) == TokenKind::Punct(Punct::Colon) => false,
            TokenKind::Identifier(_) if self.is_unknown_type() => true,
            TokenKind::Keyword(Keyword::Attribute) | TokenKind::Punct(Punct::LeftBracket) => {
                self.is_attribute() && !self.is_attributed_statement()
            }
            _ => self.is_declaration_ahead(0),
        }
    }

    /// Whether the attributes here belong to a statement, as in `__attribute__((fallthrough));`.
    fn is_attributed_statement(&self) -> bool {
        let (mut ahead, mut open) = (0, 0usize);
        loop {
            match self.kind_ahead(ahead) {
                TokenKind::Punct(Punct::LeftParen | Punct::LeftBracket) => open += 1,
                TokenKind::Punct(Punct::RightParen | Punct::RightBracket) => open = open.saturating_sub(1),
                TokenKind::Keyword(Keyword::Attribute) => {}
                TokenKind::End => return true,
                _ if open == 0 => return !self.is_declaration_ahead(ahead),
                _ => {}
            }
            ahead += 1;
        }
    }

    fn declaration_statement(&mut self) -> Parse<Stmt> {
        let first = self.span();
        if self.is_keyword(Keyword::StaticAssert) {
            let assert = self.static_assert()?;
            self.expect(Punct::Semicolon, "after `_Static_assert`")?;
            return Ok(Stmt { kind: StmtKind::StaticAssert(assert), span: first });
        }
        let kind = match self.declaration(false)? {
            Declared::Declaration(declaration) => StmtKind::Declaration(Box::new(declaration)),
            Declared::Function(function) => StmtKind::NestedFunction(function),
        };
        Ok(Stmt { kind, span: self.from(first) })
    }

    fn local_labels(&mut self) -> Parse<Stmt> {
        let first = self.bump().span;
        let mut labels = Vec::new();
        loop {
            let (name, span) = self.expect_identifier("the name of a label")?;
            labels.push((self.name(name), span));
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::Semicolon, "after `__label__`")?;
        Ok(Stmt { kind: StmtKind::LocalLabels(labels), span: self.from(first) })
    }

    /// A statement with the labels before it.
    fn statement(&mut self) -> Parse<Stmt> {
        let mut labels: Vec<(Label, Span)> = Vec::new();
        loop {
            self.skip_attributes()?;
            let span = self.span();
            let label = match (self.kind(), self.kind_ahead(1)) {
                (TokenKind::Identifier(name), TokenKind::Punct(Punct::Colon)) => {
                    self.bump();
                    Label::Name(self.name(name))
                }
                (TokenKind::Keyword(Keyword::Case), _) => {
                    self.bump();
                    let low = Box::new(self.separate(|parser| parser.conditional())?);
                    let high = if self.eat(Punct::Ellipsis) {
                        Some(Box::new(self.separate(|parser| parser.conditional())?))
                    } else {
                        None
                    };
                    Label::Case { low, high }
                }
                (TokenKind::Keyword(Keyword::Default), _) => {
                    self.bump();
                    Label::Default
                }
                _ => break,
            };
            self.expect(Punct::Colon, "after the label")?;
            self.link()?;
            labels.push((label, self.from(span)));
        }
        let nothing_follows = self.is_punct(Punct::RightBrace) || self.is_declaration_here();
        let mut statement = if !labels.is_empty() && nothing_follows {
            Stmt { kind: StmtKind::Empty, span: self.previous_span() }
        } else {
            self.nested(|parser| parser.unlabelled_statement())?
        };
        for (label, span) in labels.into_iter().rev() {
            let body = Box::new(statement);
            let kind = match label {
                Label::Name(name) => StmtKind::Label { name, body },
                Label::Case { low, high } => StmtKind::Case { low, high, body },
                Label::Default => StmtKind::Default(body),
            };
            statement = Stmt { kind, span };
        }
        Ok(statement)
    }

    fn unlabelled_statement(&mut self) -> Parse<Stmt> {
        let first = self.span();
        let kind = match self.kind() {
            TokenKind::Punct(Punct::Semicolon) => {
                self.bump();
                StmtKind::Empty
            }
            TokenKind::Punct(Punct::LeftBrace) => {
                let block = self.block()?;
                return Ok(Stmt { kind: StmtKind::Block(block), span: first });
            }
            TokenKind::Keyword(keyword) => return self.keyword_statement(keyword, first),
            _ => self.expression_statement()?,
        };
        Ok(Stmt { kind, span: self.from(first) })
    }

    fn expression_statement(&mut self) -> Parse<StmtKind> {
        let value = self.separate(|parser| parser.expression())?;
        self.expect(Punct::Semicolon, "after the expression")?;
        Ok(StmtKind::Expr(Box::new(value)))
    }

    fn keyword_statement(&mut self, keyword: Keyword, first: Span) -> Parse<Stmt> {
        let kind = match keyword {
            Keyword::If => return self.if_chain(),
            Keyword::While => {
                self.bump();
                let condition = self.condition("after `while`")?;
                StmtKind::While { condition, body: self.body()? }
            }
            Keyword::Do => {
                self.bump();
                let body = self.body()?;
                if !self.eat_keyword(Keyword::While) {
                    return Err(self.expected("`while` after the body of `do`", "write `while (condition);`"));
                }
                let condition = self.condition("after `while`")?;
                self.expect(Punct::Semicolon, "after `do ... while (...)`")?;
                // The place of the whole is that of its first line, not of its end.
                return Ok(Stmt { kind: StmtKind::DoWhile { body, condition }, span: first });
            }
            Keyword::For => {
                self.bump();
                self.scopes.enter();
                let kind = self.for_loop()?;
                self.scopes.leave();
                kind
            }
            Keyword::Switch => {
                self.bump();
                let value = self.condition("after `switch`")?;
                StmtKind::Switch { value, body: self.body()? }
            }
            Keyword::Goto => {
                self.bump();
                let kind = if self.eat(Punct::Star) {
                    StmtKind::ComputedGoto(Box::new(self.separate(|parser| parser.expression())?))
                } else {
                    let (label, _) = self.expect_identifier("a label")?;
                    StmtKind::Goto(self.name(label))
                };
                self.expect(Punct::Semicolon, "after `goto`")?;
                kind
            }
            Keyword::Break | Keyword::Continue => {
                self.bump();
                self.expect(Punct::Semicolon, "after the jump")?;
                if keyword == Keyword::Break { StmtKind::Break } else { StmtKind::Continue }
            }
            Keyword::Return => {
                self.bump();
                let value = if self.is_punct(Punct::Semicolon) {
                    None
                } else {
                    Some(Box::new(self.separate(|parser| parser.expression())?))
                };
                self.expect(Punct::Semicolon, "after `return`")?;
                StmtKind::Return(value)
            }
            Keyword::Asm => {
                let asm = self.asm()?;
                self.expect(Punct::Semicolon, "after the assembly")?;
                StmtKind::Asm(Box::new(asm))
            }
            Keyword::Else => {
                return Err(self.expected("a statement", "this `else` belongs to no `if`; check the braces before it"));
            }
            _ if self.is_declaration_ahead(0) => {
                let note = "put the declaration into a block: `{ ... }`";
                return Err(self.expected("a statement", note));
            }
            _ => self.expression_statement()?,
        };
        Ok(Stmt { kind, span: self.from(first) })
    }

    fn if_chain(&mut self) -> Parse<Stmt> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        let links = self.links;
        loop {
            let span = self.bump().span;
            let condition = self.condition("after `if`")?;
            let span = self.from(span);
            let then = self.body()?;
            branches.push((condition, then, span));
            if !self.eat_keyword(Keyword::Else) {
                break;
            }
            if !self.is_keyword(Keyword::If) {
                otherwise = Some(self.body()?);
                break;
            }
            self.link()?;
        }
        self.links = links;
        let mut chain: Option<Box<Stmt>> = otherwise;
        for (condition, then, span) in branches.into_iter().rev() {
            chain = Some(Box::new(Stmt { kind: StmtKind::If { condition, then, otherwise: chain }, span }));
        }
        Ok(*chain.expect("a chain has at least the branch it began with"))
    }

    fn for_loop(&mut self) -> Parse<StmtKind> {
        self.expect(Punct::LeftParen, "after `for`")?;
        let first = self.span();
        let init = if self.eat(Punct::Semicolon) {
            None
        } else if self.is_declaration_here() {
            Some(Box::new(self.separate(|parser| parser.declaration_statement())?))
        } else {
            let kind = self.expression_statement()?;
            Some(Box::new(Stmt { kind, span: self.from(first) }))
        };
        let condition = if self.is_punct(Punct::Semicolon) {
            None
        } else {
            Some(Box::new(self.separate(|parser| parser.expression())?))
        };
        self.expect(Punct::Semicolon, "after the condition of `for`")?;
        let step = if self.is_punct(Punct::RightParen) {
            None
        } else {
            Some(Box::new(self.separate(|parser| parser.expression())?))
        };
        self.expect(Punct::RightParen, "after the head of `for`")?;
        Ok(StmtKind::For { init, condition, step, body: self.body()? })
    }

    /// `(expression)`
    fn condition(&mut self, context: &str) -> Parse<Box<Expr>> {
        self.expect(Punct::LeftParen, context)?;
        let condition = Box::new(self.separate(|parser| parser.expression())?);
        self.expect(Punct::RightParen, "after the condition")?;
        Ok(condition)
    }

    /// The statement that another one governs.
    fn body(&mut self) -> Parse<Box<Stmt>> {
        self.separate(|parser| parser.statement()).map(Box::new)
    }
}
