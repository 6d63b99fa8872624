//! Declarators: `*(*name[3])(int)` as a name and a list of derivations from the name outward.
//!
//! What stands in parentheses binds first, then suffixes from left to right, then pointers from right to left; so the
//! list grows in just that order. The one ambiguity, `(` in a parameter or type name, is a parameter list if a type
//! or `)` follows and grouping otherwise.

use crate::c::ast::{
    ArraySize, Attribute, Declarator, Derivation, DerivationKind, Name, Parameter, Parameters, Qualifiers,
};
use crate::c::lex::{Keyword, NameId, Punct, TokenKind};
use crate::c::parse::{Parse, Parser};
use ir::Span;

/// More derivations than this are no type anyone wrote.
const DERIVATION_LIMIT: usize = 500;

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Required,
    Optional,
    Forbidden,
}

/// A declarator while it is being parsed.
struct Draft {
    naming: Naming,
    name: Option<(NameId, Span)>,
    derivations: Vec<Derivation>,
    attributes: Vec<Attribute>,
}

impl Parser<'_> {
    /// A declarator that must have a name; also which.
    pub(in crate::c::parse) fn concrete_declarator(&mut self) -> Parse<(Declarator, NameId)> {
        let declarator = self.declarator(Naming::Required)?;
        match declarator {
            (declarator, Some(name)) => Ok((declarator, name)),
            (_, None) => Err(self.expected("a name", "write the name to be declared")),
        }
    }

    /// The declarator of a type name.
    pub(in crate::c::parse) fn abstract_declarator(&mut self) -> Parse<Declarator> {
        self.declarator(Naming::Forbidden).map(|(declarator, _)| declarator)
    }

    /// The declarator of an unnamed bit-field.
    pub(in crate::c::parse) fn unnamed_declarator(&self) -> Declarator {
        Declarator { name: None, derivations: Vec::new(), attributes: Vec::new(), asm_label: None, span: self.span() }
    }

    fn declarator(&mut self, naming: Naming) -> Parse<(Declarator, Option<NameId>)> {
        let mut draft = Draft { naming, name: None, derivations: Vec::new(), attributes: Vec::new() };
        let here = self.span();
        self.nested(|parser| parser.declarator_into(&mut draft))?;
        if draft.derivations.len() > DERIVATION_LIMIT {
            let message = format!("this type is derived in more than {DERIVATION_LIMIT} steps");
            return Err(self.too_deep(message, "name parts of the type with typedef"));
        }
        let name: Option<Name> = draft.name.map(|(name, _)| self.name(name));
        let span = draft.name.map_or(here, |(_, span)| span);
        let Draft { derivations, attributes, .. } = draft;
        let declarator = Declarator { name, derivations, attributes, asm_label: None, span };
        Ok((declarator, draft.name.map(|(name, _)| name)))
    }

    fn declarator_into(&mut self, draft: &mut Draft) -> Parse<()> {
        let mut pointers = Vec::new();
        loop {
            self.attributes(&mut draft.attributes)?;
            if !self.is_punct(Punct::Star) {
                break;
            }
            let span = self.bump().span;
            let mut qualifiers = Qualifiers::default();
            while self.qualifier(&mut qualifiers) || self.is_attribute() {
                self.attributes(&mut draft.attributes)?;
            }
            pointers.push(Derivation { kind: DerivationKind::Pointer(qualifiers), span });
        }
        match self.kind() {
            TokenKind::Identifier(name) if draft.naming != Naming::Forbidden => {
                let span = self.bump().span;
                draft.name = Some((name, span));
            }
            TokenKind::Punct(Punct::LeftParen) if self.is_grouping(draft.naming) => {
                self.bump();
                self.nested(|parser| parser.declarator_into(draft))?;
                self.expect(Punct::RightParen, "to close the declarator")?;
            }
            _ if draft.naming == Naming::Required => {
                return Err(self.expected("a name or `(`", "write the name to be declared"));
            }
            _ => {}
        }
        self.suffixes(draft)?;
        pointers.reverse();
        draft.derivations.append(&mut pointers);
        Ok(())
    }

    /// Whether the `(` here groups a declarator rather than opening a parameter list.
    fn is_grouping(&self, naming: Naming) -> bool {
        if naming == Naming::Required {
            return true;
        }
        match self.kind_ahead(1) {
            TokenKind::Punct(Punct::Star | Punct::LeftParen) => true,
            TokenKind::Punct(Punct::LeftBracket) => self.kind_ahead(2) != TokenKind::Punct(Punct::LeftBracket),
            TokenKind::Identifier(name) => naming == Naming::Optional && !self.scopes.is_typedef(name),
            TokenKind::Keyword(Keyword::Attribute) => self.is_grouping_after_attribute(),
            _ => false,
        }
    }

    /// `( __attribute__((...)) *` groups; with a type after the attribute it is a parameter list.
    fn is_grouping_after_attribute(&self) -> bool {
        let (mut ahead, mut open) = (2, 0usize);
        loop {
            match self.kind_ahead(ahead) {
                TokenKind::Punct(Punct::LeftParen) => open += 1,
                TokenKind::Punct(Punct::RightParen) => open = open.saturating_sub(1),
                TokenKind::End => return false,
                _ => {}
            }
            ahead += 1;
            if open == 0 && self.kind_ahead(ahead) != TokenKind::Keyword(Keyword::Attribute) {
                return !self.is_declaration_ahead(ahead);
            }
        }
    }

    fn suffixes(&mut self, draft: &mut Draft) -> Parse<()> {
        loop {
            let span = self.span();
            let kind = if self.is_punct(Punct::LeftBracket) && !self.is_attribute() {
                self.array_suffix()?
            } else if self.is_punct(Punct::LeftParen) {
                self.function_suffix(draft.derivations.is_empty())?
            } else {
                return Ok(());
            };
            draft.derivations.push(Derivation { kind, span });
        }
    }

    fn array_suffix(&mut self) -> Parse<DerivationKind> {
        self.bump();
        let mut qualifiers = Qualifiers::default();
        let mut is_static = self.eat_keyword(Keyword::Static);
        while self.qualifier(&mut qualifiers) {}
        is_static |= self.eat_keyword(Keyword::Static);
        let is_star = self.is_punct(Punct::Star) && self.kind_ahead(1) == TokenKind::Punct(Punct::RightBracket);
        let size = if is_star {
            self.bump();
            ArraySize::Star
        } else if self.is_punct(Punct::RightBracket) {
            ArraySize::Unspecified
        } else {
            ArraySize::Expr(Box::new(self.separate(|p| p.nested(|p| p.assignment()))?))
        };
        self.expect(Punct::RightBracket, "after the array's size")?;
        Ok(DerivationKind::Array { size, is_static, qualifiers })
    }

    fn function_suffix(&mut self, is_nearest_to_name: bool) -> Parse<DerivationKind> {
        self.bump();
        let outer = std::mem::take(&mut self.declared_parameters);
        self.scopes.enter();
        let mut names = Vec::new();
        let parameters = self.nested(|parser| parser.parameters(&mut names))?;
        self.scopes.leave();
        self.declared_parameters = if is_nearest_to_name { names } else { outer };
        if self.is_punct(Punct::Semicolon) {
            let message = "parameters declared ahead of the list (a GNU extension) are not supported";
            let failed = self.fail(self.span(), message, "order the parameters so that sizes come first");
            while !matches!(self.kind(), TokenKind::Punct(Punct::RightParen | Punct::LeftBrace) | TokenKind::End) {
                self.bump();
            }
            return Err(failed);
        }
        self.expect(Punct::RightParen, "to close the parameters")?;
        Ok(DerivationKind::Function(parameters))
    }

    fn parameters(&mut self, names: &mut Vec<NameId>) -> Parse<Parameters> {
        if self.is_punct(Punct::RightParen) {
            return Ok(Parameters::Identifiers(Vec::new()));
        }
        if self.is_identifier_list() {
            let mut identifiers = Vec::new();
            loop {
                let (name, span) = self.expect_identifier("the name of a parameter")?;
                names.push(name);
                identifiers.push((self.name(name), span));
                if !self.eat(Punct::Comma) {
                    return Ok(Parameters::Identifiers(identifiers));
                }
            }
        }
        let mut parameters = Vec::new();
        loop {
            if self.eat(Punct::Ellipsis) {
                return Ok(Parameters::Prototype { parameters, is_variadic: true });
            }
            let first = self.span();
            let specifiers = self.specifiers(true)?;
            let (mut declarator, name) = self.declarator(Naming::Optional)?;
            self.attributes(&mut declarator.attributes)?;
            if let Some(name) = name {
                self.scopes.declare(name, false);
                names.push(name);
            }
            parameters.push(Parameter { specifiers, declarator, span: self.from(first) });
            if !self.eat(Punct::Comma) {
                return Ok(Parameters::Prototype { parameters, is_variadic: false });
            }
        }
    }

    /// Whether a K&R list of names follows.
    fn is_identifier_list(&self) -> bool {
        matches!(self.kind(), TokenKind::Identifier(name) if !self.scopes.is_typedef(name))
            && matches!(self.kind_ahead(1), TokenKind::Punct(Punct::Comma | Punct::RightParen))
    }
}
