//! Declarations: what a name is from here on.
//!
//! [`specifiers`] finds the base type, [`declarator`] builds the declared type around it, [`record`] and [`layout`] know structs,
//! unions and enums, [`object`] and [`function`] enter variables and functions into the tables, [`initializer`] flattens
//! what follows `=`.

mod declarator;
mod function;
mod initializer;
mod layout;
mod object;
mod record;
mod specifiers;

use ir::Span;

use super::super::ast::{self, AttributeKind, Name, StorageClass, TypeSpecifier};
use super::super::typed::Stmt;
use super::super::types::QualType;
use super::scope::{Declared, Entity};
use super::{Checked, Checker};
use declarator::Derived;

/// One declarator of a declaration, with its type.
struct Item<'a> {
    name: &'a Name,
    span: Span,
    specifiers: &'a ast::DeclSpecifiers,
    declarator: &'a ast::Declarator,
    initializer: Option<&'a ast::Initializer>,
    derived: Derived,
}

impl Item<'_> {
    fn ty(&self) -> QualType {
        self.derived.declared.ty
    }

    fn attributes(&self) -> impl Iterator<Item = &ast::Attribute> {
        self.specifiers.attributes.iter().chain(&self.declarator.attributes)
    }
}

impl Checker {
    /// A declaration at file scope or in a block; local variables come to life in `out`.
    pub(super) fn declaration(&mut self, declaration: &ast::Declaration, out: &mut Vec<Stmt>) {
        let specifiers = &declaration.specifiers;
        if matches!(specifiers.type_specifier, TypeSpecifier::Auto) {
            for item in &declaration.declarators {
                if self.declare_auto_type(specifiers, item, out).is_err() {
                    self.declare_broken(&item.declarator);
                }
            }
            return;
        }
        let base = match self.base_type(specifiers, declaration.declarators.is_empty()) {
            Ok(base) => base,
            Err(_) => {
                for item in &declaration.declarators {
                    self.declare_broken(&item.declarator);
                }
                return;
            }
        };
        if matches!(specifiers.type_specifier, TypeSpecifier::ImplicitInt) && !declaration.declarators.is_empty() {
            self.warn(declaration.span, "a declaration without a type; int is assumed");
        }
        for item in &declaration.declarators {
            if self.declare(specifiers, base, item, out).is_err() {
                self.declare_broken(&item.declarator);
            }
        }
    }

    /// Remembers a name whose declaration was reported, unless it means something already.
    fn declare_broken(&mut self, declarator: &ast::Declarator) {
        if let Some(name) = &declarator.name
            && self.scopes.entity_here(name).is_none()
        {
            self.scopes.innermost().declare(name.clone(), Entity::Broken);
        }
    }

    fn declare(
        &mut self,
        specifiers: &ast::DeclSpecifiers,
        base: Declared,
        item: &ast::InitDeclarator,
        out: &mut Vec<Stmt>,
    ) -> Checked<()> {
        let declarator = &item.declarator;
        let Some(name) = &declarator.name else {
            return Err(self.error(declarator.span, "a declaration without a name"));
        };
        let derived = self.derive(base, declarator, specifiers, false)?;
        let initializer = item.initializer.as_ref();
        let item = Item { name, span: declarator.span, specifiers, declarator, initializer, derived };
        if specifiers.storage == Some(StorageClass::Typedef) {
            return self.declare_typedef(item);
        }
        if self.types.is_function(item.ty().ty) {
            if initializer.is_some() {
                return Err(self.error(item.span, format!("the function {name} cannot have an initialiser")));
            }
            self.declare_function(&item)?;
            return Ok(());
        }
        self.declare_object(item, out)
    }

    fn declare_typedef(&mut self, item: Item<'_>) -> Checked<()> {
        let ty = item.ty();
        if self.is_variable(ty.ty) {
            return Err(self.refuse(item.span, "typedefs of arrays whose length is computed at run time"));
        }
        match self.scopes.entity_here(item.name) {
            Some(Entity::Typedef(known)) if !self.compatible(known.ty, ty) => {
                let (old, new) = (self.text(known.ty), self.text(ty));
                let message = format!("{} was {old} before and cannot be {new} now", item.name);
                return Err(self.error(item.span, message));
            }
            Some(Entity::Symbol(_) | Entity::Constant { .. }) => {
                return Err(self.error(item.span, format!("{} is something else in this scope", item.name)));
            }
            _ => {}
        }
        let asked = self.declared_alignment(item.specifiers, item.declarator);
        let declared = Declared { ty, align: asked.or(item.derived.declared.align) };
        self.scopes.innermost().declare(item.name.clone(), Entity::Typedef(declared));
        Ok(())
    }

    /// `__auto_type name = value;`
    fn declare_auto_type(
        &mut self,
        specifiers: &ast::DeclSpecifiers,
        item: &ast::InitDeclarator,
        out: &mut Vec<Stmt>,
    ) -> Checked<()> {
        let declarator = &item.declarator;
        let value = match item.initializer.as_ref().map(|initializer| &initializer.kind) {
            Some(ast::InitializerKind::Expr(value)) => value,
            _ => return Err(self.error(declarator.span, "__auto_type needs an initialiser to take its type from")),
        };
        let Some(name) = &declarator.name else {
            return Err(self.error(declarator.span, "a declaration without a name"));
        };
        // The value is typed once, before the name means anything: it may contain statements and labels.
        let value = self.value(value)?;
        let ty = self.qualify(QualType::plain(value.ty.ty), specifiers.qualifiers);
        let declared = Declared { ty, align: None };
        let derived = Derived { declared, vla_len: None, prototype: None };
        let item = Item { name, span: declarator.span, specifiers, declarator, initializer: None, derived };
        self.declare_typed(item, value, out)
    }

    /// What to say when a symbol with these attributes is used, if it cannot be.
    fn refusal(&self, item: &Item<'_>) -> Option<String> {
        item.attributes().find_map(|attribute| match &attribute.kind {
            AttributeKind::Alias(target) => Some(format!("{}, an alias of {target}", item.name)),
            AttributeKind::Unmodelled(attribute) => Some(format!("{}, for its attribute {attribute}", item.name)),
            _ => None,
        })
    }
}
