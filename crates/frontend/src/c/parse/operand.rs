//! Operands: names, literals, parentheses, the builtins that take types, and the postfixes after them.
//!
//! A builtin that takes only expressions needs no syntax of its own and is parsed as a call.

use super::{Failed, Parse, Parser, join};
use crate::c::ast::{
    CharLiteral, Designator, Encoding, Expr, ExprKind, GenericAssociation, GenericControl, StringLiteral, TypeName,
    UnaryOp,
};
use crate::c::lex::{Keyword, Number, Punct, Token, TokenKind, decode, read_number};
use ir::Span;

impl Parser<'_> {
    /// An operand with its postfixes.
    pub(super) fn operand(&mut self) -> Parse<Expr> {
        let token = self.token();
        let kind = match token.kind {
            TokenKind::Identifier(name) if !self.scopes.is_typedef(name) => {
                self.bump();
                ExprKind::Identifier(self.name(name))
            }
            TokenKind::Number => self.number()?,
            TokenKind::Char(encoding) => self.character(encoding)?,
            TokenKind::String(_) => ExprKind::String(self.string()?),
            TokenKind::Punct(Punct::LeftParen) => {
                self.bump();
                let inner = self.nested(|parser| parser.parenthesised(token.span))?;
                self.expect(Punct::RightParen, "to close the parenthesis")?;
                // The parentheses belong to the place but not to the tree.
                let whole = Expr { span: self.from(token.span), ..inner };
                return self.postfixes(whole);
            }
            TokenKind::Punct(Punct::AmpAmp) => {
                self.bump();
                let (label, _) = self.expect_identifier("a label after `&&`")?;
                ExprKind::LabelAddress(self.name(label))
            }
            TokenKind::Keyword(keyword) => self.keyword_operand(keyword)?,
            _ => return Err(self.no_expression()),
        };
        let operand = Expr { kind, span: self.from(token.span) };
        self.postfixes(operand)
    }

    fn no_expression(&mut self) -> Failed {
        self.expected("an expression", "write a value, a variable or an expression in parentheses here")
    }

    /// What stands in parentheses that is no type: an expression or a GNU statement expression.
    fn parenthesised(&mut self, opened: Span) -> Parse<Expr> {
        if !self.is_punct(Punct::LeftBrace) {
            return self.expression();
        }
        let block = self.separate(|parser| parser.block())?;
        Ok(Expr { kind: ExprKind::StmtExpr(block), span: opened })
    }

    fn keyword_operand(&mut self, keyword: Keyword) -> Parse<ExprKind> {
        match keyword {
            Keyword::FunctionName => {
                self.bump();
                Ok(ExprKind::FunctionName)
            }
            Keyword::Sizeof => {
                self.bump();
                Ok(match self.type_or_operand()? {
                    GenericControl::Type(type_name) => ExprKind::SizeofType(Box::new(type_name)),
                    GenericControl::Expr(operand) => ExprKind::SizeofExpr(Box::new(operand)),
                })
            }
            Keyword::Alignof | Keyword::AlignofPreferred => {
                self.bump();
                let is_preferred = keyword == Keyword::AlignofPreferred;
                Ok(match self.type_or_operand()? {
                    GenericControl::Type(type_name) => {
                        ExprKind::AlignofType { type_name: Box::new(type_name), is_preferred }
                    }
                    GenericControl::Expr(operand) => ExprKind::AlignofExpr { operand: Box::new(operand), is_preferred },
                })
            }
            Keyword::Generic
            | Keyword::BuiltinVaArg
            | Keyword::BuiltinOffsetof
            | Keyword::BuiltinTypesCompatible
            | Keyword::BuiltinChooseExpr
            | Keyword::BuiltinConvertVector => {
                self.bump();
                self.expect(Punct::LeftParen, "after the builtin's name")?;
                let kind = self.nested(|parser| parser.builtin(keyword))?;
                self.expect(Punct::RightParen, "to close the arguments")?;
                Ok(kind)
            }
            _ => Err(self.no_expression()),
        }
    }

    /// The operand of `sizeof`: a type in parentheses or an expression without a cast in front.
    fn type_or_operand(&mut self) -> Parse<GenericControl> {
        if !self.is_punct(Punct::LeftParen) || !self.is_type_ahead(1) {
            return self.nested(|parser| parser.prefixed()).map(GenericControl::Expr);
        }
        let opened = self.bump().span;
        let type_name = self.nested(|parser| parser.type_name())?;
        self.expect(Punct::RightParen, "after the type")?;
        if !self.is_punct(Punct::LeftBrace) {
            return Ok(GenericControl::Type(type_name));
        }
        self.compound_literal(Box::new(type_name), opened).map(GenericControl::Expr)
    }

    /// The braces after `(type)`, and postfixes.
    pub(super) fn compound_literal(&mut self, type_name: Box<TypeName>, opened: Span) -> Parse<Expr> {
        let initializer = Box::new(self.separate(|parser| parser.initializer())?);
        let kind = ExprKind::CompoundLiteral { type_name, initializer };
        let literal = Expr { kind, span: self.from(opened) };
        self.postfixes(literal)
    }

    fn builtin(&mut self, keyword: Keyword) -> Parse<ExprKind> {
        match keyword {
            Keyword::Generic => self.generic(),
            Keyword::BuiltinVaArg => {
                let list = Box::new(self.assignment()?);
                self.expect(Punct::Comma, "after the argument list")?;
                Ok(ExprKind::VaArg { list, type_name: Box::new(self.type_name()?) })
            }
            Keyword::BuiltinOffsetof => self.offsetof(),
            Keyword::BuiltinTypesCompatible => {
                let first = Box::new(self.type_name()?);
                self.expect(Punct::Comma, "between the types")?;
                Ok(ExprKind::TypesCompatible(first, Box::new(self.type_name()?)))
            }
            Keyword::BuiltinConvertVector => {
                let value = Box::new(self.assignment()?);
                self.expect(Punct::Comma, "after the vector")?;
                Ok(ExprKind::ConvertVector { value, type_name: Box::new(self.type_name()?) })
            }
            _ => {
                let condition = Box::new(self.assignment()?);
                self.expect(Punct::Comma, "after the condition")?;
                let then = Box::new(self.separate(|parser| parser.assignment())?);
                self.expect(Punct::Comma, "between the alternatives")?;
                let otherwise = Box::new(self.separate(|parser| parser.assignment())?);
                Ok(ExprKind::ChooseExpr { condition, then, otherwise })
            }
        }
    }

    fn generic(&mut self) -> Parse<ExprKind> {
        let control = if self.is_type_ahead(0) {
            GenericControl::Type(self.type_name()?)
        } else {
            GenericControl::Expr(self.separate(|parser| parser.assignment())?)
        };
        let mut associations = Vec::new();
        self.expect(Punct::Comma, "after the controlling expression of `_Generic`")?;
        loop {
            let type_name = if self.eat_keyword(Keyword::Default) { None } else { Some(self.type_name()?) };
            self.expect(Punct::Colon, "after the type")?;
            let value = self.separate(|parser| parser.assignment())?;
            associations.push(GenericAssociation { type_name, value });
            if !self.eat(Punct::Comma) {
                return Ok(ExprKind::Generic { control: Box::new(control), associations });
            }
        }
    }

    fn offsetof(&mut self) -> Parse<ExprKind> {
        let type_name = Box::new(self.type_name()?);
        self.expect(Punct::Comma, "after the type")?;
        let (field, span) = self.expect_identifier("a member")?;
        let mut designators = vec![Designator::Field(self.name(field), span)];
        loop {
            if self.eat(Punct::Dot) {
                let (field, span) = self.expect_identifier("a member")?;
                designators.push(Designator::Field(self.name(field), span));
            } else if self.eat(Punct::LeftBracket) {
                let index = self.separate(|parser| parser.expression())?;
                self.expect(Punct::RightBracket, "after the index")?;
                designators.push(Designator::Index(Box::new(index)));
            } else {
                return Ok(ExprKind::Offsetof { type_name, designators });
            }
        }
    }

    fn postfixes(&mut self, mut base: Expr) -> Parse<Expr> {
        loop {
            let TokenKind::Punct(punct) = self.kind() else { return Ok(base) };
            let start = base.span;
            let kind = match punct {
                Punct::LeftBracket => {
                    self.link()?;
                    self.bump();
                    let index = Box::new(self.separate(|p| p.nested(|p| p.expression()))?);
                    self.expect(Punct::RightBracket, "after the index")?;
                    ExprKind::Index { base: Box::new(base), index }
                }
                Punct::LeftParen => {
                    self.link()?;
                    self.bump();
                    let arguments = self.nested(|parser| parser.arguments())?;
                    ExprKind::Call { callee: Box::new(base), arguments }
                }
                Punct::Dot | Punct::Arrow => {
                    self.link()?;
                    self.bump();
                    let (field, field_span) = self.expect_identifier("the name of a member")?;
                    let (field, is_arrow) = (self.name(field), punct == Punct::Arrow);
                    ExprKind::Member { base: Box::new(base), field, field_span, is_arrow }
                }
                Punct::PlusPlus | Punct::MinusMinus => {
                    self.link()?;
                    self.bump();
                    let is_increment = punct == Punct::PlusPlus;
                    let op = if is_increment { UnaryOp::PostIncrement } else { UnaryOp::PostDecrement };
                    ExprKind::Unary { op, operand: Box::new(base) }
                }
                _ => return Ok(base),
            };
            base = Expr { kind, span: join(start, self.previous_span()) };
        }
    }

    /// Arguments up to and including `)`.
    fn arguments(&mut self) -> Parse<Vec<Expr>> {
        let mut arguments = Vec::new();
        if self.eat(Punct::RightParen) {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.separate(|parser| parser.assignment())?);
            if !self.eat(Punct::Comma) {
                self.expect(Punct::RightParen, "after the arguments")?;
                return Ok(arguments);
            }
        }
    }

    fn number(&mut self) -> Parse<ExprKind> {
        let token = self.token();
        let spelling = String::from_utf8_lossy(self.spelling(token));
        let number = match read_number(&spelling) {
            Ok(number) => number,
            Err(message) => return Err(self.fail(token.span, message, "correct the number")),
        };
        self.bump();
        Ok(match number {
            Number::Integer(literal) => ExprKind::Integer(literal),
            Number::Float(literal) => ExprKind::Float(literal),
        })
    }

    fn character(&mut self, encoding: Encoding) -> Parse<ExprKind> {
        let token = self.token();
        let mut units = Vec::new();
        let problem = decode(self.quoted_body(token), encoding, &mut units).err();
        let problem = match (problem, encoding, units.len()) {
            (Some(problem), ..) => Some(problem),
            (None, _, 0) => Some("this character constant is empty".to_string()),
            (None, Encoding::Plain, 1..=4) | (None, _, 1) => None,
            _ => Some("this character constant holds more than its type can".to_string()),
        };
        if let Some(problem) = problem {
            return Err(self.fail(token.span, problem, "write one character between the quotes"));
        }
        self.bump();
        Ok(ExprKind::Char(CharLiteral { encoding, units }))
    }

    /// Adjacent string literals as one.
    pub(super) fn string(&mut self) -> Parse<StringLiteral> {
        let first_at = self.at;
        let mut encoding = Encoding::Plain;
        while let TokenKind::String(found) = self.kind() {
            if encoding == Encoding::Plain || encoding == found {
                encoding = found;
            } else if found != Encoding::Plain {
                let note = "give all parts the same prefix, or only one of them";
                return Err(self.fail(self.span(), "adjacent string literals have different prefixes", note));
            }
            self.bump();
        }
        let mut units = Vec::new();
        for &token in &self.tokens[first_at..self.at] {
            if let Err(problem) = decode(self.quoted_body(token), encoding, &mut units) {
                return Err(self.fail(token.span, problem, "correct the escape, or double the backslash"));
            }
        }
        Ok(StringLiteral { encoding, units })
    }

    /// A string literal where its text names something.
    pub(super) fn string_text(&mut self, what: &str) -> Parse<String> {
        if !matches!(self.kind(), TokenKind::String(_)) {
            return Err(self.expected(&format!("{what} as a string"), "write a string literal in quotes"));
        }
        self.string().map(|literal| literal.to_text())
    }

    /// The text between the quotes.
    fn quoted_body(&self, token: Token) -> &[u8] {
        let spelling = self.spelling(token);
        let opening = spelling.iter().position(|&byte| byte == b'"' || byte == b'\'').unwrap_or(0);
        spelling.get(opening + 1..spelling.len() - 1).unwrap_or_default()
    }
}
