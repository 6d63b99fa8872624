//! Declarations and function definitions, at file scope and in blocks.
//!
//! Whether something is a definition shows only after its first declarator: a `{`, or the parameter declarations of a
//! K&R definition, in place of `=`, `,` or `;`. A declared name takes effect right after its declarator, before its
//! initialiser, as C says.

pub(in crate::c::parse) mod attribute;
pub(in crate::c::parse) mod declarator;
pub(in crate::c::parse) mod initializer;
pub(in crate::c::parse) mod record;
pub(in crate::c::parse) mod specifiers;

use super::{Parse, Parser};
use crate::c::ast::{
    DeclSpecifiers, Declaration, Declarator, DerivationKind, ExternalDeclaration, FunctionDefinition, InitDeclarator,
    StaticAssert, StorageClass, TranslationUnit,
};
use crate::c::lex::{Keyword, NameId, Punct, TokenKind};
use ir::Span;

/// What a run of specifiers and a declarator turned out to be.
pub(super) enum Declared {
    Declaration(Declaration),
    Function(Box<FunctionDefinition>),
}

impl Parser<'_> {
    pub(super) fn translation_unit(&mut self) -> TranslationUnit {
        let mut items = Vec::new();
        loop {
            match self.kind() {
                TokenKind::End => return TranslationUnit { items },
                TokenKind::Punct(Punct::Semicolon) => {
                    self.bump();
                }
                TokenKind::Punct(Punct::RightBrace) => {
                    let note = "remove it, or find the `{` that should match it";
                    self.fail(self.span(), "this `}` closes nothing", note);
                    self.bump();
                }
                _ => {
                    let (checkpoint, began_at) = (self.checkpoint(), self.at);
                    match self.external_declaration() {
                        Ok(item) => items.push(item),
                        Err(_) => self.recover(&checkpoint, began_at),
                    }
                }
            }
        }
    }

    fn external_declaration(&mut self) -> Parse<ExternalDeclaration> {
        while self.is_keyword(Keyword::Extension) {
            self.bump();
        }
        if self.is_keyword(Keyword::StaticAssert) {
            let assert = self.static_assert()?;
            self.expect(Punct::Semicolon, "after `_Static_assert`")?;
            return Ok(ExternalDeclaration::StaticAssert(assert));
        }
        if self.is_keyword(Keyword::Asm) {
            let span = self.span();
            let asm = self.asm()?;
            self.expect(Punct::Semicolon, "after the assembly")?;
            return Ok(ExternalDeclaration::Asm(Box::new(asm), span));
        }
        match self.declaration(true)? {
            Declared::Declaration(declaration) => Ok(ExternalDeclaration::Declaration(declaration)),
            Declared::Function(function) => Ok(ExternalDeclaration::Function(function)),
        }
    }

    /// `_Static_assert(...)` without the semicolon.
    pub(super) fn static_assert(&mut self) -> Parse<StaticAssert> {
        let span = self.bump().span;
        self.expect(Punct::LeftParen, "after `_Static_assert`")?;
        let condition = Box::new(self.separate(|p| p.nested(|p| p.conditional()))?);
        let message = if self.eat(Punct::Comma) {
            if !matches!(self.kind(), TokenKind::String(_)) {
                return Err(self.expected("a message as a string", "write a string literal in quotes"));
            }
            Some(self.string()?)
        } else {
            None
        };
        self.expect(Punct::RightParen, "to close `_Static_assert`")?;
        Ok(StaticAssert { condition, message, span })
    }

    /// A declaration or a function definition, including its end.
    pub(super) fn declaration(&mut self, at_file_scope: bool) -> Parse<Declared> {
        let first = self.span();
        let began_at = self.at;
        let specifiers = self.specifiers(false)?;
        if self.at == began_at && !self.may_be_implicit_int(at_file_scope) {
            let what = if at_file_scope { "a declaration or a function" } else { "a declaration" };
            return Err(self.expected(what, "begin with a type, as in `int x;`"));
        }
        let mut declarators = Vec::new();
        if !self.is_punct(Punct::Semicolon) {
            let (declarator, name) = self.declared(&specifiers)?;
            let parameters = std::mem::take(&mut self.declared_parameters);
            if self.begins_body(&declarator) {
                return self.function(specifiers, declarator, &parameters, first).map(Declared::Function);
            }
            self.declarators(&specifiers, (declarator, name), &mut declarators)?;
        }
        self.expect(Punct::Semicolon, "after the declaration")?;
        Ok(Declared::Declaration(Declaration { specifiers, declarators, span: self.from(first) }))
    }

    /// Whether a declaration without any specifier begins here, as in C89's `main() { ... }` or `x;`, `*p;` at file scope.
    fn may_be_implicit_int(&self, at_file_scope: bool) -> bool {
        let TokenKind::Identifier(_) = self.kind() else { return at_file_scope && self.is_punct(Punct::Star) };
        match self.kind_ahead(1) {
            TokenKind::Punct(Punct::LeftParen) => true,
            TokenKind::Punct(Punct::Semicolon | Punct::Comma | Punct::Eq | Punct::LeftBracket) => at_file_scope,
            _ => false,
        }
    }

    fn declared(&mut self, specifiers: &DeclSpecifiers) -> Parse<(Declarator, NameId)> {
        let (mut declarator, name) = self.concrete_declarator()?;
        let parameters = std::mem::take(&mut self.declared_parameters);
        declarator.asm_label = self.asm_label()?;
        self.attributes(&mut declarator.attributes)?;
        if declarator.asm_label.is_none() {
            declarator.asm_label = self.asm_label()?;
        }
        self.scopes.declare(name, specifiers.storage == Some(StorageClass::Typedef));
        self.declared_parameters = parameters;
        Ok((declarator, name))
    }

    /// The rest of a list of declarators whose first has been parsed, with initialisers.
    fn declarators(
        &mut self,
        specifiers: &DeclSpecifiers,
        first: (Declarator, NameId),
        out: &mut Vec<InitDeclarator>,
    ) -> Parse<()> {
        let mut next = first.0;
        loop {
            let initializer = if self.eat(Punct::Eq) { Some(self.initializer()?) } else { None };
            out.push(InitDeclarator { declarator: next, initializer });
            if !self.eat(Punct::Comma) {
                return Ok(());
            }
            let mut attributes = Vec::new();
            self.attributes(&mut attributes)?;
            next = self.declared(specifiers)?.0;
            next.attributes.append(&mut attributes);
        }
    }

    /// Whether the declarator just parsed is a function's and its body or K&R declarations follow.
    fn begins_body(&self, declarator: &Declarator) -> bool {
        let is_function = matches!(
            declarator.derivations.first().map(|derivation| &derivation.kind),
            Some(DerivationKind::Function(_))
        );
        is_function && (self.is_punct(Punct::LeftBrace) || self.is_declaration_ahead(0))
    }

    fn function(
        &mut self,
        specifiers: DeclSpecifiers,
        declarator: Declarator,
        parameters: &[NameId],
        first: Span,
    ) -> Parse<Box<FunctionDefinition>> {
        let span = self.from(first);
        self.scopes.enter();
        for &parameter in parameters {
            self.scopes.declare(parameter, false);
        }
        let mut old_style_parameters = Vec::new();
        while !self.is_punct(Punct::LeftBrace) {
            let began_at = self.at;
            match self.declaration(false)? {
                Declared::Declaration(declaration) if self.at > began_at => old_style_parameters.push(declaration),
                _ => return Err(self.expected("the body of the function", "write `{` and the function's statements")),
            }
        }
        let body = self.nested(|parser| parser.block_in_scope())?;
        self.scopes.leave();
        Ok(Box::new(FunctionDefinition { specifiers, declarator, old_style_parameters, body, span }))
    }
}
