//! `struct`, `union` and `enum` specifiers.
//!
//! Members have a name space of their own, so declaring them hides no typedef; enumerators are ordinary names and do.

use ir::Span;

use crate::c::ast::{
    Attribute, AttributeKind, EnumSpecifier, Enumerator, FieldDeclaration, FieldDeclarator, Member, Name, RecordKind,
    RecordSpecifier,
};
use crate::c::lex::{Keyword, Punct, TokenKind};
use crate::c::parse::{Parse, Parser};

impl Parser<'_> {
    pub(in crate::c::parse) fn record(&mut self) -> Parse<RecordSpecifier> {
        let keyword = self.bump();
        let kind =
            if keyword.kind == TokenKind::Keyword(Keyword::Struct) { RecordKind::Struct } else { RecordKind::Union };
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag();
        let span = self.from(keyword.span);
        if !self.is_punct(Punct::LeftBrace) {
            if tag.is_none() {
                return Err(self.expected("a tag or `{` here", "name the struct or union, or list its members"));
            }
            return Ok(RecordSpecifier { kind, tag, members: None, attributes, span });
        }
        let opened = self.bump().span;
        let members = self.members(opened)?;
        if let Some(bytes) = self.pack_in_force() {
            attributes.push(Attribute { kind: AttributeKind::PragmaPack(bytes), span });
        }
        self.attributes(&mut attributes)?;
        Ok(RecordSpecifier { kind, tag, members: Some(members), attributes, span })
    }

    /// What `#pragma pack` says at the closing brace just consumed.
    fn pack_in_force(&self) -> Option<u32> {
        let n_before = self.packs.partition_point(|&(token, _)| (token as usize) < self.at);
        self.packs[..n_before].last().and_then(|&(_, bytes)| bytes)
    }

    fn tag(&mut self) -> Option<Name> {
        match self.kind() {
            TokenKind::Identifier(name) => {
                self.bump();
                Some(self.name(name))
            }
            _ => None,
        }
    }

    /// Members up to and including `}`.
    fn members(&mut self, opened: Span) -> Parse<Vec<Member>> {
        let mut members = Vec::new();
        loop {
            match self.kind() {
                TokenKind::Punct(Punct::RightBrace) => {
                    self.bump();
                    return Ok(members);
                }
                TokenKind::Punct(Punct::Semicolon) => {
                    self.bump();
                }
                TokenKind::End => return Err(self.fail(opened, "this `{` is never closed", "add the matching `}`")),
                _ => {
                    let (checkpoint, began_at) = (self.checkpoint(), self.at);
                    match self.member() {
                        Ok(member) => members.push(member),
                        Err(_) => self.recover(&checkpoint, began_at),
                    }
                }
            }
        }
    }

    fn member(&mut self) -> Parse<Member> {
        if self.is_keyword(Keyword::StaticAssert) {
            return self.static_assert().map(Member::StaticAssert);
        }
        let first = self.span();
        let specifiers = self.specifiers(true)?;
        if specifiers.storage.is_some() || specifiers.is_thread_local {
            let note = "remove it; a member is stored where its struct or union is";
            return Err(self.fail(first, "a member cannot have a storage class", note));
        }
        let mut declarators = Vec::new();
        while !self.is_punct(Punct::Semicolon) && !self.is_punct(Punct::RightBrace) {
            let mut declarator =
                if self.is_punct(Punct::Colon) { self.unnamed_declarator() } else { self.concrete_declarator()?.0 };
            let bit_width =
                if self.eat(Punct::Colon) { Some(Box::new(self.separate(|p| p.conditional())?)) } else { None };
            self.attributes(&mut declarator.attributes)?;
            declarators.push(FieldDeclarator { declarator, bit_width });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        // Compilers let the last member do without its semicolon.
        if !self.is_punct(Punct::RightBrace) {
            self.expect(Punct::Semicolon, "after the member")?;
        }
        Ok(Member::Field(FieldDeclaration { specifiers, declarators, span: self.from(first) }))
    }

    pub(in crate::c::parse) fn enumeration(&mut self) -> Parse<EnumSpecifier> {
        let keyword = self.bump();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag();
        let span = self.from(keyword.span);
        // In a member declaration `enum tag : 3` is a bit-field; only a type after the colon makes it the underlying one.
        let has_underlying = self.is_punct(Punct::Colon) && self.is_type_ahead(1);
        let underlying = if has_underlying {
            self.bump();
            Some(Box::new(self.type_name()?))
        } else {
            None
        };
        if !self.eat(Punct::LeftBrace) {
            if tag.is_none() {
                return Err(self.expected("a tag or `{` here", "name the enum, or list its constants"));
            }
            return Ok(EnumSpecifier { tag, underlying, enumerators: None, attributes, span });
        }
        let mut enumerators = Vec::new();
        while !self.is_punct(Punct::RightBrace) {
            let (name, name_span) = self.expect_identifier("the name of a constant or `}`")?;
            self.skip_attributes()?;
            let value = if self.eat(Punct::Eq) { Some(Box::new(self.separate(|p| p.conditional())?)) } else { None };
            self.scopes.declare(name, false);
            enumerators.push(Enumerator { name: self.name(name), value, span: name_span });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RightBrace, "after the constants of the enum")?;
        self.attributes(&mut attributes)?;
        Ok(EnumSpecifier { tag, underlying, enumerators: Some(enumerators), attributes, span })
    }
}
