//! Expressions from the comma down to prefix operators.
//!
//! Binary operators are parsed by precedence climbing, conditionals and prefixes by loops that remember what they have
//! seen and build the tree afterwards. Operands (names, literals, parentheses, builtins and postfixes) are in `operand`.

use super::{Parse, Parser, join};
use crate::c::ast::{BinaryOp, Expr, ExprKind, TypeName, UnaryOp};
use crate::c::lex::{Keyword, Punct, TokenKind};
use ir::Span;

/// What stands before an operand.
enum Prefix {
    Operator(UnaryOp),
    Cast(Box<TypeName>),
}

impl Parser<'_> {
    /// `a, b, c`
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        let first = self.assignment()?;
        if !self.is_punct(Punct::Comma) {
            return Ok(first);
        }
        let start = first.span;
        let mut parts = vec![first];
        while self.eat(Punct::Comma) {
            parts.push(self.separate(|parser| parser.assignment())?);
        }
        Ok(Expr { kind: ExprKind::Comma(parts), span: self.from(start) })
    }

    /// An expression without a comma outside parentheses.
    pub(super) fn assignment(&mut self) -> Parse<Expr> {
        let target = self.conditional()?;
        let TokenKind::Punct(punct) = self.kind() else { return Ok(target) };
        let op = match punct {
            Punct::Eq => None,
            Punct::PlusEq => Some(BinaryOp::Add),
            Punct::MinusEq => Some(BinaryOp::Sub),
            Punct::StarEq => Some(BinaryOp::Mul),
            Punct::SlashEq => Some(BinaryOp::Div),
            Punct::PercentEq => Some(BinaryOp::Rem),
            Punct::ShlEq => Some(BinaryOp::Shl),
            Punct::ShrEq => Some(BinaryOp::Shr),
            Punct::AmpEq => Some(BinaryOp::BitAnd),
            Punct::PipeEq => Some(BinaryOp::BitOr),
            Punct::CaretEq => Some(BinaryOp::BitXor),
            _ => return Ok(target),
        };
        self.bump();
        let value = self.nested(|parser| parser.assignment())?;
        let span = join(target.span, self.previous_span());
        Ok(Expr { kind: ExprKind::Assign { op, target: Box::new(target), value: Box::new(value) }, span })
    }

    /// `a ? b : c` and everything that binds tighter.
    pub(super) fn conditional(&mut self) -> Parse<Expr> {
        let mut last = self.binary(0)?;
        let mut tests = Vec::new();
        while self.eat(Punct::Question) {
            self.link()?;
            let then = if self.is_punct(Punct::Colon) {
                None
            } else {
                Some(Box::new(self.nested(|parser| parser.expression())?))
            };
            self.expect(Punct::Colon, "in the conditional expression")?;
            tests.push((last, then));
            last = self.binary(0)?;
        }
        let end = self.previous_span();
        for (condition, then) in tests.into_iter().rev() {
            let span = join(condition.span, end);
            let kind = ExprKind::Conditional { condition: Box::new(condition), then, otherwise: Box::new(last) };
            last = Expr { kind, span };
        }
        Ok(last)
    }

    /// Operators that bind at least as tight as `least`.
    fn binary(&mut self, least: u8) -> Parse<Expr> {
        let mut left = self.prefixed()?;
        loop {
            let TokenKind::Punct(punct) = self.kind() else { return Ok(left) };
            let Some((op, precedence)) = binary_operator(punct) else { return Ok(left) };
            if precedence < least {
                return Ok(left);
            }
            self.link()?;
            self.bump();
            let right = self.binary(precedence + 1)?;
            let span = join(left.span, self.previous_span());
            left = Expr { kind: ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) }, span };
        }
    }

    /// Prefix operators and casts before an operand.
    pub(super) fn prefixed(&mut self) -> Parse<Expr> {
        let mut prefixes: Vec<(Prefix, Span)> = Vec::new();
        let mut operand = loop {
            let span = self.span();
            let op = match self.kind() {
                TokenKind::Punct(Punct::LeftParen) if self.is_type_ahead(1) => {
                    self.bump();
                    let type_name = Box::new(self.nested(|parser| parser.type_name())?);
                    self.expect(Punct::RightParen, "after the type")?;
                    if self.is_punct(Punct::LeftBrace) {
                        break self.compound_literal(type_name, span)?;
                    }
                    self.link()?;
                    prefixes.push((Prefix::Cast(type_name), span));
                    continue;
                }
                TokenKind::Punct(Punct::Plus) => UnaryOp::Plus,
                TokenKind::Punct(Punct::Minus) => UnaryOp::Minus,
                TokenKind::Punct(Punct::Tilde) => UnaryOp::BitNot,
                TokenKind::Punct(Punct::Bang) => UnaryOp::Not,
                TokenKind::Punct(Punct::Amp) => UnaryOp::Address,
                TokenKind::Punct(Punct::Star) => UnaryOp::Deref,
                TokenKind::Punct(Punct::PlusPlus) => UnaryOp::PreIncrement,
                TokenKind::Punct(Punct::MinusMinus) => UnaryOp::PreDecrement,
                TokenKind::Keyword(Keyword::Real) => UnaryOp::Real,
                TokenKind::Keyword(Keyword::Imag) => UnaryOp::Imag,
                TokenKind::Keyword(Keyword::Extension) => {
                    self.bump();
                    continue;
                }
                _ => break self.operand()?,
            };
            self.link()?;
            self.bump();
            prefixes.push((Prefix::Operator(op), span));
        };
        let end = self.previous_span();
        for (prefix, start) in prefixes.into_iter().rev() {
            let inner = Box::new(operand);
            let kind = match prefix {
                Prefix::Operator(op) => ExprKind::Unary { op, operand: inner },
                Prefix::Cast(type_name) => ExprKind::Cast { type_name, operand: inner },
            };
            operand = Expr { kind, span: join(start, end) };
        }
        Ok(operand)
    }
}

/// The operator and how tight it binds.
fn binary_operator(punct: Punct) -> Option<(BinaryOp, u8)> {
    Some(match punct {
        Punct::PipePipe => (BinaryOp::LogicalOr, 1),
        Punct::AmpAmp => (BinaryOp::LogicalAnd, 2),
        Punct::Pipe => (BinaryOp::BitOr, 3),
        Punct::Caret => (BinaryOp::BitXor, 4),
        Punct::Amp => (BinaryOp::BitAnd, 5),
        Punct::EqEq => (BinaryOp::Equal, 6),
        Punct::BangEq => (BinaryOp::NotEqual, 6),
        Punct::Less => (BinaryOp::Less, 7),
        Punct::Greater => (BinaryOp::Greater, 7),
        Punct::LessEq => (BinaryOp::LessEqual, 7),
        Punct::GreaterEq => (BinaryOp::GreaterEqual, 7),
        Punct::Shl => (BinaryOp::Shl, 8),
        Punct::Shr => (BinaryOp::Shr, 8),
        Punct::Plus => (BinaryOp::Add, 9),
        Punct::Minus => (BinaryOp::Sub, 9),
        Punct::Star => (BinaryOp::Mul, 10),
        Punct::Slash => (BinaryOp::Div, 10),
        Punct::Percent => (BinaryOp::Rem, 10),
        _ => return None,
    })
}
