//! How is an expression built of its words?
//!
//! From loose to tight: quantifiers, `==>` (to the right), `||`, `&&`, `== !=`, `< <= > >=`, `+ -`, `* / %` (all to the left),
//! `! - #`, then `.f`, `[i]`, calls and `instanceof`. So `!x instanceof C` is the negated test.

use super::ast::{Expr, ExprKind, Name, TypeName};
use super::lex::Token;
use super::parse::{Parsed, Parser};
use ir::Diagnostic;

/// The left-associative levels, the loosest first.
const LEVELS: &[&[&str]] = &[&["||"], &["&&"], &["==", "!="], &["<", "<=", ">", ">="], &["+", "-"], &["*", "/", "%"]];

/// Longer chains of operators would be trees too deep to walk.
const MAX_CHAIN: u32 = 1000;

impl Parser {
    /// A whole expression.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            let left = parser.level(0)?;
            if !parser.eat("==>") {
                return Ok(left);
            }
            let right = parser.expr()?;
            let span = left.span;
            Ok(Expr { kind: ExprKind::Binary("==>", Box::new(left), Box::new(right)), span })
        })
    }

    fn level(&mut self, level: usize) -> Parsed<Expr> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        let mut n_operators = 0;
        while let Token::Sign(sign) = *self.peek()
            && signs.contains(&sign)
        {
            self.bump();
            n_operators += 1;
            if n_operators > MAX_CHAIN {
                return Err(Diagnostic::error(self.span(), "this expression is too long"));
            }
            let right = self.level(level + 1)?;
            let span = left.span;
            left = Expr { kind: ExprKind::Binary(sign, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let kind = match self.peek() {
            Token::Sign("!") => {
                self.bump();
                ExprKind::Not(Box::new(self.nested(Parser::unary)?))
            }
            Token::Sign("-") => {
                self.bump();
                ExprKind::Neg(Box::new(self.nested(Parser::unary)?))
            }
            Token::Sign("#") => {
                self.bump();
                let array = self.nested(Parser::unary)?;
                ExprKind::Length(Box::new(array))
            }
            Token::Word("forall" | "exists") => return self.nested(Parser::quantified),
            Token::Sign("(") if self.is_cast() => {
                self.bump();
                let ty = self.type_name(false)?;
                self.need(")")?;
                ExprKind::Cast(ty, Box::new(self.nested(Parser::unary)?))
            }
            _ => return self.postfix(),
        };
        Ok(Expr { kind, span })
    }

    /// Whether a bracket is a cast: a type alone in it, and an operand behind it.
    fn is_cast(&self) -> bool {
        let mut at = match self.peek_at(1) {
            Token::Name(_) | Token::Word("string" | "int" | "uint" | "bool" | "float" | "char") => 2,
            _ => return false,
        };
        while matches!((self.peek_at(at), self.peek_at(at + 1)), (Token::Sign("["), Token::Sign("]"))) {
            at += 2;
        }
        matches!(self.peek_at(at), Token::Sign(")"))
            && matches!(self.peek_at(at + 1), Token::Name(_) | Token::Sign("(") | Token::Word("null" | "new"))
    }

    fn quantified(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let is_forall = self.eat("forall");
        if !is_forall {
            self.need("exists")?;
        }
        let element = self.name()?;
        self.need(",")?;
        let index = self.name()?;
        self.need(":")?;
        let array = Box::new(self.postfix()?);
        self.need(":")?;
        let body = Box::new(self.expr()?);
        Ok(Expr { kind: ExprKind::Quantified { is_forall, element, index, array, body }, span })
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut expr = self.primary()?;
        // A long chain nests to the left without recursion here, but not for those who walk the tree.
        let mut n_links = 0;
        loop {
            let span = expr.span;
            n_links += 1;
            if n_links > 150 {
                return Err(Diagnostic::error(self.span(), "this is nested too deeply"));
            }
            let kind = if self.eat(".") {
                let name = self.name()?;
                if self.is_sign("(") {
                    ExprKind::Call { receiver: Some(Box::new(expr)), name, args: self.args()? }
                } else {
                    ExprKind::Field(Box::new(expr), name)
                }
            } else if self.eat("[") {
                let index = self.expr()?;
                self.need("]")?;
                ExprKind::Element(Box::new(expr), Box::new(index))
            } else if self.eat("instanceof") {
                ExprKind::InstanceOf(Box::new(expr), self.type_name(false)?)
            } else {
                return Ok(expr);
            };
            expr = Expr { kind, span };
        }
    }

    fn args(&mut self) -> Parsed<Vec<Expr>> {
        self.need("(")?;
        let mut args = Vec::new();
        while !self.eat(")") {
            if !args.is_empty() {
                self.need(",")?;
            }
            args.push(self.expr()?);
        }
        Ok(args)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let kind = match self.peek().clone() {
            Token::Int(value) => ExprKind::Int(value),
            Token::Float(value) => ExprKind::Float(value),
            Token::Char(value) => ExprKind::Char(value),
            Token::Text(text) => ExprKind::Text(text),
            Token::Word("true") => ExprKind::Bool(true),
            Token::Word("false") => ExprKind::Bool(false),
            Token::Word("null") => ExprKind::Null,
            Token::Sign("(") => {
                self.bump();
                let inner = self.expr()?;
                self.need(")")?;
                return Ok(inner);
            }
            Token::Word("super") => {
                self.bump();
                let name = if self.eat(".") { Some(self.name()?) } else { None };
                return Ok(Expr { kind: ExprKind::Super { name, args: self.args()? }, span });
            }
            Token::Word("new") => {
                self.bump();
                let kind = self.creation()?;
                return Ok(Expr { kind, span });
            }
            Token::Name(text) => {
                self.bump();
                if self.is_sign("(") {
                    let name = Name { text, span };
                    return Ok(Expr { kind: ExprKind::Call { receiver: None, name, args: self.args()? }, span });
                }
                return Ok(Expr { kind: ExprKind::Name(text), span });
            }
            _ => return Err(self.expected("an expression")),
        };
        self.bump();
        Ok(Expr { kind, span })
    }

    /// What follows `new`.
    fn creation(&mut self) -> Parsed<ExprKind> {
        let span = self.span();
        if matches!((self.peek(), self.peek_at(1)), (Token::Name(_), Token::Sign("("))) {
            let class = self.name()?;
            return Ok(ExprKind::New { class, args: self.args()? });
        }
        let element = self.type_name(false)?;
        let element = TypeName { span, ..element };
        let (mut sizes, mut open_dims) = (Vec::new(), element.dims);
        while self.is_sign("[") {
            self.bump();
            if self.eat("]") {
                open_dims += 1;
                continue;
            }
            if open_dims > 0 {
                return Err(self.expected("`]`"));
            }
            sizes.push(self.expr()?);
            self.need("]")?;
        }
        if sizes.is_empty() || sizes.len() + usize::from(open_dims) > 15 {
            return Err(Diagnostic::error(span, "a new array needs its size"));
        }
        Ok(ExprKind::NewArray { element, sizes, open_dims })
    }
}
