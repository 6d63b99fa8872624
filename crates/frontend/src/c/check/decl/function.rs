//! Functions: declarations of them, and definitions with their parameters and body.
//!
//! Problems in a body stay in the function (see `check`); only what is wrong with its head is a problem of the file.
//! A K&R definition gives the parameters types without giving callers a prototype.

use ir::Span;

use super::super::super::ast::{self, AttributeKind, Name};
use super::super::super::typed::{Function, Stmt, StmtKind, Storage, SymbolId};
use super::super::super::types::{IntKind, QualType, Type};
use super::super::scope::{Body, Entity};
use super::super::{Checked, Checker};
use super::declarator::{Param, Prototype};
use super::{Declared, Item};

impl Checker {
    /// Enters a function under its name, or merges this declaration with earlier ones.
    pub(super) fn declare_function(&mut self, item: &Item<'_>) -> Checked<SymbolId> {
        let ty = item.ty();
        if let Some(Entity::Typedef(_) | Entity::Constant { .. }) = self.scopes.entity_here(item.name) {
            return Err(self.error(item.span, format!("{} is something else in this scope", item.name)));
        }
        let known = self.linked.get(item.name).copied();
        let id = match known {
            Some(id) if self.implicit.remove(&id) => {
                if !self.compatible(self.symbols[id.0 as usize].ty, ty) {
                    let name = item.name;
                    self.warn(item.span, format!("{name} was called before without a declaration, as returning int"));
                }
                self.symbols[id.0 as usize].ty = ty;
                id
            }
            // All functions of an overloaded name share one symbol, whose use is refused.
            Some(id) if is_overloadable(item) => id,
            Some(id) => {
                self.merge_types(id, ty, item.name, item.span)?;
                id
            }
            None => self.add_linked_function(item.name, ty.ty, item.span),
        };
        self.scopes.innermost().declare(item.name.clone(), Entity::Symbol(id));
        let is_noreturn =
            item.specifiers.is_noreturn || item.attributes().any(|attribute| attribute.kind == AttributeKind::NoReturn);
        if item.specifiers.storage == Some(super::super::ast::StorageClass::Static) || item.specifiers.is_inline {
            self.symbols[id.0 as usize].is_internal = true;
        }
        if is_noreturn {
            self.symbols[id.0 as usize].is_noreturn = true;
        }
        if item.attributes().any(|attribute| attribute.kind == AttributeKind::Weak) {
            self.symbols[id.0 as usize].is_weak = true;
        }
        if let Some(refusal) = self.refusal(item) {
            self.refused.insert(id, refusal);
        }
        if let Some(align) = self.declared_alignment(item.specifiers, item.declarator) {
            self.aligned.insert(id, align);
        }
        self.note_start_up(id, item);
        Ok(id)
    }

    /// Functions that run before or after `main`.
    fn note_start_up(&mut self, id: SymbolId, item: &Item<'_>) {
        for attribute in item.attributes() {
            let (AttributeKind::Constructor(priority) | AttributeKind::Destructor(priority)) = &attribute.kind else {
                continue;
            };
            let number = match priority {
                Some(priority) => self.constant_integer(priority, "a priority"),
                None => Ok(LEAST_PRIORITY),
            };
            let Ok(number) = number else { continue };
            match &attribute.kind {
                AttributeKind::Constructor(_) => self.constructors.insert(id, number),
                _ => self.destructors.insert(id, number),
            };
        }
    }

    pub(in super::super) fn function_definition(&mut self, definition: &ast::FunctionDefinition) {
        // What is wrong with the head has been reported; the body means nothing without it.
        let _ = self.define_function(definition);
    }

    fn define_function(&mut self, definition: &ast::FunctionDefinition) -> Checked<()> {
        let (specifiers, declarator) = (&definition.specifiers, &definition.declarator);
        let span = declarator.span;
        let Some(name) = &declarator.name else { return Err(self.error(span, "a function without a name")) };
        let base = self.base_type(specifiers, false)?;
        let mut derived = self.derive(base, declarator, specifiers, false)?;
        let Some(mut prototype) = derived.prototype.take() else {
            return Err(self.refuse(span, format!("the definition of {name} with a type from a typedef")));
        };
        if !prototype.old_names.is_empty() {
            derived.declared = self.old_style(&mut prototype, definition, derived.declared)?;
        }
        let ty = derived.declared.ty;
        let item = Item { name, span, specifiers, declarator, initializer: None, derived };
        let symbol = self.declare_function(&item)?;
        if is_overloadable(&item) {
            return Ok(());
        }
        if self.function_of.contains_key(&symbol) && !self.replaceable.remove(&symbol) {
            return Err(self.error(span, format!("the function {name} is defined twice")));
        }
        let is_gnu_inline = item.attributes().any(|attribute| attribute.kind == AttributeKind::GnuInline)
            && specifiers.storage == Some(ast::StorageClass::Extern);
        if is_gnu_inline {
            // Headers define library functions a second time for inlining, often by builtins that call the library.
            if self.is_library_function(name) {
                return Ok(());
            }
            self.replaceable.insert(symbol);
        }
        // A program's own function of a library function's name may return.
        let is_noreturn =
            specifiers.is_noreturn || item.attributes().any(|attribute| attribute.kind == AttributeKind::NoReturn);
        if !is_noreturn && super::super::expr::is_noreturn_library_function(name) {
            self.symbols[symbol.0 as usize].is_noreturn = false;
        }
        let refusal = self.refusal(&item);
        self.function_body(definition, symbol, ty, prototype, refusal);
        Ok(())
    }

    /// The types of a K&R definition's parameters.
    fn old_style(
        &mut self,
        prototype: &mut Prototype,
        definition: &ast::FunctionDefinition,
        declared: Declared,
    ) -> Checked<Declared> {
        let int = QualType::plain(self.int_type(IntKind::Int));
        let names = std::mem::take(&mut prototype.old_names);
        prototype.params =
            names.iter().map(|(name, span)| Param { name: Some(name.clone()), ty: int, span: *span }).collect();
        for declaration in &definition.old_style_parameters {
            let base = self.base_type(&declaration.specifiers, false)?;
            for item in &declaration.declarators {
                let derived = self.derive(base, &item.declarator, &declaration.specifiers, true)?;
                let name = item.declarator.name.as_ref();
                match prototype.params.iter_mut().find(|param| param.name.as_ref() == name) {
                    Some(param) => param.ty = derived.declared.ty,
                    None => return Err(self.error(item.declarator.span, "this is not one of the parameters")),
                }
            }
        }
        let Type::Function { result, .. } = *self.types.get(declared.ty.ty) else { return Ok(declared) };
        let params = prototype.params.iter().map(|param| param.ty).collect();
        let ty = self.types.intern(Type::Function { result, params, is_variadic: false, is_unprototyped: true });
        Ok(Declared { ty: QualType::plain(ty), align: None })
    }

    fn function_body(
        &mut self,
        definition: &ast::FunctionDefinition,
        symbol: SymbolId,
        ty: QualType,
        prototype: Prototype,
        refusal: Option<String>,
    ) {
        let Type::Function { result, is_variadic, .. } = *self.types.get(ty.ty) else { return };
        let name = self.symbols[symbol.0 as usize].name.clone();
        self.body = Some(Body::new(&name, result, is_variadic));
        self.scopes.push(prototype.scope);
        let span = definition.declarator.span;
        if let Some(refusal) = refusal {
            self.refuse(span, refusal);
        }
        if !self.types.is_void(result.ty) && !self.types.is_complete(result.ty) {
            let text = self.text(result);
            self.error(span, format!("the result type {text} is incomplete"));
        }
        let params = prototype.params.iter().map(|param| self.define_parameter(param)).collect();
        let stmts = self.block_items(&definition.body);
        self.check_labels();
        self.scopes.pop();
        let Some(body) = self.body.take() else { return };
        if self.replaceable.contains(&symbol) && super::super::has_errors(&body.problems) {
            // There is a definition elsewhere that means the same.
            self.replaceable.remove(&symbol);
            return;
        }
        let function = Function {
            symbol,
            params,
            result,
            is_variadic,
            body: Stmt { kind: StmtKind::Block(stmts), span: definition.body.span },
            labels: body.labels,
            constructor: None,
            destructor: None,
            problems: body.problems,
            span: definition.span,
        };
        match self.function_of.get(&symbol) {
            Some(index) => self.functions[*index] = function,
            None => {
                self.function_of.insert(symbol, self.functions.len());
                self.functions.push(function);
            }
        }
    }

    fn define_parameter(&mut self, param: &Param) -> SymbolId {
        if !self.types.is_complete(param.ty.ty) {
            let text = self.text(param.ty);
            self.error(param.span, format!("a parameter cannot have the incomplete type {text}"));
        }
        let name = param.name.as_ref().map_or("", |name| name.as_str());
        let id = self.add_parameter(name, param.ty, param.span);
        if let Some(name) = &param.name {
            self.scopes.innermost().declare(name.clone(), Entity::Symbol(id));
        }
        id
    }

    /// A new function symbol with linkage.
    pub(in super::super) fn add_linked_function(
        &mut self,
        name: &Name,
        ty: super::super::TypeId,
        span: Span,
    ) -> SymbolId {
        let id = self.add_symbol(super::super::typed::Symbol {
            name: name.to_string(),
            ty: QualType::plain(ty),
            storage: Storage::Function,
            span,
            address_taken: false,
            is_internal: false,
            is_noreturn: super::super::expr::is_noreturn_library_function(name),
            is_weak: false,
            vla_len: None,
            cleanup: None,
        });
        self.linked.insert(name.clone(), id);
        id
    }
}

/// That of functions which say none.
const LEAST_PRIORITY: i128 = 65536;

/// Whether clang's `overloadable` lets several functions share the name.
fn is_overloadable(item: &Item<'_>) -> bool {
    item.attributes()
        .any(|attribute| matches!(&attribute.kind, AttributeKind::Unmodelled(name) if name.as_str() == "overloadable"))
}
