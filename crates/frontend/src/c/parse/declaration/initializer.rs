//! Initialisers: a value, or braces with designators in the C99 form and both older GNU forms.

use crate::c::ast::{Designator, Initializer, InitializerItem, InitializerKind};
use crate::c::lex::{Punct, TokenKind};
use crate::c::parse::{Parse, Parser};

impl Parser<'_> {
    pub(in crate::c::parse) fn initializer(&mut self) -> Parse<Initializer> {
        let span = self.span();
        if !self.eat(Punct::LeftBrace) {
            let value = self.separate(|parser| parser.assignment())?;
            let span = value.span;
            return Ok(Initializer { kind: InitializerKind::Expr(Box::new(value)), span });
        }
        let items = self.nested(|parser| parser.initializer_items())?;
        self.expect(Punct::RightBrace, "or `,` in the list of initialisers")?;
        Ok(Initializer { kind: InitializerKind::List(items), span })
    }

    fn initializer_items(&mut self) -> Parse<Vec<InitializerItem>> {
        let mut items = Vec::new();
        while !self.is_punct(Punct::RightBrace) {
            let designators = self.designators()?;
            let initializer = self.initializer()?;
            items.push(InitializerItem { designators, initializer });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        Ok(items)
    }

    /// `.a[1] =`, `a:` or `[1]`, each up to where the value begins.
    fn designators(&mut self) -> Parse<Vec<Designator>> {
        if let (TokenKind::Identifier(field), TokenKind::Punct(Punct::Colon)) = (self.kind(), self.kind_ahead(1)) {
            let span = self.bump().span;
            self.bump();
            return Ok(vec![Designator::Field(self.name(field), span)]);
        }
        let mut designators = Vec::new();
        loop {
            if self.eat(Punct::Dot) {
                let (field, span) = self.expect_identifier("the name of a member")?;
                designators.push(Designator::Field(self.name(field), span));
            } else if self.eat(Punct::LeftBracket) {
                let first = Box::new(self.separate(|p| p.nested(|p| p.conditional()))?);
                designators.push(if self.eat(Punct::Ellipsis) {
                    Designator::Range(first, Box::new(self.separate(|p| p.nested(|p| p.conditional()))?))
                } else {
                    Designator::Index(first)
                });
                self.expect(Punct::RightBracket, "after the index")?;
            } else {
                break;
            }
        }
        let may_omit_eq = matches!(designators[..], [Designator::Index(_) | Designator::Range(..)]);
        if !designators.is_empty() && (self.is_punct(Punct::Eq) || !may_omit_eq) {
            self.expect(Punct::Eq, "after the designator")?;
        }
        Ok(designators)
    }
}
