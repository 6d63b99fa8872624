//! Variables: storage, linkage, redeclarations, tentative definitions, variable-length arrays.
//!
//! All declarations of an object with linkage share one symbol, whose type is the composite of what they say. A
//! definition without initialiser is tentative: it counts once, whatever follows. Local variables become statements;
//! static locals become globals with a symbol of their own.

use ir::Span;

use super::super::super::ast::{AttributeKind, Name, StorageClass};
use super::super::super::typed::{Expr, ExprKind, Global, InitItem, Stmt, StmtKind, Storage, Symbol, SymbolId};
use super::super::super::types::{Field, QualType, Type};
use super::super::scope::Entity;
use super::super::{Checked, Checker};
use super::Item;

impl Checker {
    pub(super) fn declare_object(&mut self, item: Item<'_>, out: &mut Vec<Stmt>) -> Checked<()> {
        if self.types.is_void(item.ty().ty) {
            return Err(self.error(item.span, format!("the variable {} cannot have type void", item.name)));
        }
        if self.scopes.is_file() || item.specifiers.storage == Some(StorageClass::Extern) {
            return self.declare_linked(item);
        }
        if let Some(Entity::Symbol(_) | Entity::Typedef(_) | Entity::Constant { .. }) =
            self.scopes.entity_here(item.name)
        {
            return Err(self.error(item.span, format!("{} is declared twice in this scope", item.name)));
        }
        if item.specifiers.storage == Some(StorageClass::Static) {
            return self.declare_static_local(item);
        }
        if item.specifiers.is_thread_local {
            return Err(self.error(item.span, "a thread-local variable in a function must be static or extern"));
        }
        self.declare_local(item, out)
    }

    /// A variable whose initial value has been typed already.
    pub(super) fn declare_typed(&mut self, item: Item<'_>, value: Expr, out: &mut Vec<Stmt>) -> Checked<()> {
        let ty = item.ty();
        let is_local = !self.scopes.is_file() && item.specifiers.storage != Some(StorageClass::Static);
        let init = self.initialize_by(ty, value, !is_local)?;
        if is_local {
            self.declare_local(item, out)?;
            if let Some(Stmt { kind: StmtKind::Local { init: place, .. }, .. }) = out.last_mut() {
                *place = Some(init);
            }
            return Ok(());
        }
        let storage = self.storage(&item);
        let id = self.add_variable(&item, ty, storage);
        if self.scopes.is_file() {
            self.linked.insert(item.name.clone(), id);
        }
        self.define_global(id, Some(init));
        Ok(())
    }

    fn storage(&self, item: &Item<'_>) -> Storage {
        if item.specifiers.is_thread_local {
            Storage::Thread
        } else if item.specifiers.storage == Some(StorageClass::Static) {
            Storage::Static
        } else {
            Storage::Extern
        }
    }

    /// Enters a variable under its name.
    fn add_variable(&mut self, item: &Item<'_>, ty: QualType, storage: Storage) -> SymbolId {
        let address_taken = !self.types.is_scalar(ty.ty);
        let id = self.add_symbol(Symbol {
            name: item.name.to_string(),
            ty,
            storage,
            span: item.span,
            address_taken,
            is_internal: item.specifiers.storage == Some(StorageClass::Static),
            is_noreturn: false,
            is_weak: false,
            vla_len: None,
            cleanup: None,
        });
        self.scopes.innermost().declare(item.name.clone(), Entity::Symbol(id));
        self.note_attributes(id, item);
        id
    }

    fn note_attributes(&mut self, id: SymbolId, item: &Item<'_>) {
        let asked = self.declared_alignment(item.specifiers, item.declarator);
        if let Some(align) = asked.or(item.derived.declared.align) {
            self.aligned.insert(id, align);
        }
        let refusal = self.refusal(item).or_else(|| {
            let label = item.declarator.asm_label.as_ref()?;
            Some(format!("{}, which is bound to {label} by asm", item.name))
        });
        if let Some(refusal) = refusal {
            self.refused.insert(id, refusal);
        }
    }

    fn declare_linked(&mut self, item: Item<'_>) -> Checked<()> {
        let ty = item.ty();
        if item.derived.vla_len.is_some() || self.is_variable(ty.ty) {
            return Err(self.error(item.span, "the length of this array must be a constant"));
        }
        let id = self.linked_symbol(&item)?;
        let is_extern = item.specifiers.storage == Some(StorageClass::Extern);
        if is_extern && item.initializer.is_none() {
            return Ok(());
        }
        let Some(initializer) = item.initializer else {
            self.define_global(id, None);
            return Ok(());
        };
        let has_contents = self.global_of.get(&id).is_some_and(|index| self.globals[*index].init.is_some());
        if has_contents {
            return Err(self.error(item.span, format!("{} has an initialiser already", item.name)));
        }
        let declared = self.symbols[id.0 as usize].ty;
        let (ty, init) = self.initialize(declared, initializer, true)?;
        self.set_object_type(id, ty, &init);
        self.define_global(id, Some(init));
        Ok(())
    }

    /// The symbol of an object with linkage, its type merged with this declaration's.
    fn linked_symbol(&mut self, item: &Item<'_>) -> Checked<SymbolId> {
        let ty = item.ty();
        let here = self.scopes.entity_here(item.name);
        if let Some(Entity::Typedef(_) | Entity::Constant { .. }) = here {
            return Err(self.error(item.span, format!("{} is something else in this scope", item.name)));
        }
        let known = self.linked.get(item.name).copied();
        let Some(id) = known else {
            let storage = self.storage(item);
            let id = self.add_variable(item, ty, storage);
            self.linked.insert(item.name.clone(), id);
            return Ok(id);
        };
        self.merge_types(id, ty, item.name, item.span)?;
        self.scopes.innermost().declare(item.name.clone(), Entity::Symbol(id));
        self.note_attributes(id, item);
        Ok(id)
    }

    /// Gives a symbol the composite of its type and that of another declaration.
    pub(super) fn merge_types(&mut self, id: SymbolId, ty: QualType, name: &Name, span: Span) -> Checked<()> {
        let known = self.symbols[id.0 as usize].ty;
        if !self.compatible(known, ty) {
            let (old, new) = (self.text(known), self.text(ty));
            return Err(self.error(span, format!("{name} was declared as {old} before and cannot be {new} now")));
        }
        let composite = self.composite(known, ty);
        self.symbols[id.0 as usize].ty = composite;
        Ok(())
    }

    fn define_global(&mut self, symbol: SymbolId, init: Option<Vec<InitItem>>) {
        match self.global_of.get(&symbol) {
            Some(index) => {
                if init.is_some() {
                    self.globals[*index].init = init;
                }
            }
            None => {
                self.global_of.insert(symbol, self.globals.len());
                self.globals.push(Global { symbol, init });
            }
        }
    }

    /// Completes a variable's type by its initialiser.
    fn set_object_type(&mut self, id: SymbolId, ty: QualType, init: &[InitItem]) {
        self.symbols[id.0 as usize].ty = ty;
        let Some(size) = self.types.size(ty.ty) else { return };
        let end = init.iter().filter_map(|item| Some(item.offset + self.types.size(item.ty.ty)?)).max();
        let Some(end) = end.filter(|end| *end > size) else { return };
        // The initialiser fills a flexible array member, so the object is larger than its type says.
        let Type::Record(record) = *self.types.get(ty.ty) else { return };
        let mut grown = self.types.record(record).clone();
        grown.size = end.next_multiple_of(grown.align.max(1));
        if let Some(last) = grown.fields.as_mut().and_then(|fields| fields.last_mut()) {
            self.fix_flexible_length(last, end);
        }
        self.types.records.push(grown);
        let id_of_record = super::super::super::types::RecordId(self.types.records.len() as u32 - 1);
        let grown = QualType { ty: self.types.intern(Type::Record(id_of_record)), ..ty };
        self.grown.insert(id, grown);
    }

    fn fix_flexible_length(&mut self, field: &mut Field, end: u64) {
        if let Type::Array { element, len: None } = *self.types.get(field.ty.ty) {
            let size = self.types.size(element.ty).unwrap_or(1).max(1);
            let len = Some((end.saturating_sub(field.offset)).div_ceil(size));
            field.ty.ty = self.types.intern(Type::Array { element, len });
        }
    }

    fn declare_static_local(&mut self, item: Item<'_>) -> Checked<()> {
        let ty = item.ty();
        if self.is_variable(ty.ty) {
            return Err(self.error(item.span, "the length of a static array must be a constant"));
        }
        let storage = self.storage(&item);
        let id = self.add_variable(&item, ty, storage);
        let init = match item.initializer {
            None => None,
            Some(initializer) => {
                let (ty, init) = self.initialize(ty, initializer, true)?;
                self.set_object_type(id, ty, &init);
                Some(init)
            }
        };
        self.check_complete(id, item.span)?;
        self.define_global(id, init);
        Ok(())
    }

    fn declare_local(&mut self, mut item: Item<'_>, out: &mut Vec<Stmt>) -> Checked<()> {
        let ty = item.ty();
        let len = item.derived.vla_len.take();
        if len.is_none() && self.is_variable(ty.ty) || self.is_variable_inside(ty) {
            return Err(self.refuse(item.span, "arrays of arrays whose length is computed at run time"));
        }
        // The length is computed once, before the array's own name means anything.
        let len = len.map(|len| {
            let hidden = self.add_symbol(Symbol {
                name: format!("{}.length", item.name),
                ty: QualType::plain(self.size_type()),
                storage: Storage::Auto,
                span: item.span,
                address_taken: false,
                is_internal: true,
                is_noreturn: false,
                is_weak: false,
                vla_len: None,
                cleanup: None,
            });
            let ty = QualType::plain(self.size_type());
            let init = Some(vec![InitItem { offset: 0, bits: None, ty, value: len }]);
            out.push(Stmt { kind: StmtKind::Local { symbol: hidden, init }, span: item.span });
            let variable = self.make(ExprKind::Symbol(hidden), ty.ty, item.span);
            Box::new(self.make(ExprKind::Load(Box::new(variable)), ty.ty, item.span))
        });
        let id = self.add_variable(&item, ty, Storage::Auto);
        self.symbols[id.0 as usize].vla_len = len;
        self.note_cleanup(id, &item);
        let init = match item.initializer {
            None => None,
            Some(_) if self.is_variable(ty.ty) => {
                return Err(self.error(item.span, "a variable-length array cannot have an initialiser"));
            }
            Some(initializer) => {
                let (ty, init) = self.initialize(ty, initializer, false)?;
                self.symbols[id.0 as usize].ty = ty;
                Some(init)
            }
        };
        self.check_complete(id, item.span)?;
        out.push(Stmt { kind: StmtKind::Local { symbol: id, init }, span: item.span });
        Ok(())
    }

    /// Whether the elements of an array have a variable length.
    fn is_variable_inside(&self, ty: QualType) -> bool {
        self.types.element(ty.ty).is_some_and(|element| self.is_variable(element.ty))
    }

    fn check_complete(&mut self, id: SymbolId, span: Span) -> Checked<()> {
        let symbol = &self.symbols[id.0 as usize];
        if self.types.is_complete(symbol.ty.ty) {
            return Ok(());
        }
        let (name, ty) = (symbol.name.clone(), self.text(symbol.ty));
        Err(self.error(span, format!("the type {ty} of {name} is incomplete")))
    }

    fn note_cleanup(&mut self, id: SymbolId, item: &Item<'_>) {
        let function = item.attributes().find_map(|attribute| match &attribute.kind {
            AttributeKind::Cleanup(function) => Some((function.clone(), attribute.span)),
            _ => None,
        });
        let Some((function, span)) = function else { return };
        match self.scopes.entity(&function) {
            Some(Entity::Symbol(cleanup)) if self.symbols[cleanup.0 as usize].storage == Storage::Function => {
                let symbol = &mut self.symbols[id.0 as usize];
                symbol.cleanup = Some(cleanup);
                // The function is given the variable's address.
                symbol.address_taken = true;
            }
            _ => {
                self.error(span, format!("the cleanup function {function} is not declared"));
            }
        }
    }

    /// At the end of the file an array without a length has one element, and everything else must be complete.
    pub(in super::super) fn complete_tentative_definitions(&mut self) {
        for index in 0..self.globals.len() {
            let id = self.globals[index].symbol;
            let symbol = &self.symbols[id.0 as usize];
            let span = symbol.span;
            if let Type::Array { element, len: None } = *self.types.get(symbol.ty.ty) {
                let ty = self.types.intern(Type::Array { element, len: Some(1) });
                self.symbols[id.0 as usize].ty.ty = ty;
            }
            let _ = self.check_complete(id, span);
        }
    }
}
