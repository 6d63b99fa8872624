//! From a base type and a declarator to the declared type: pointers, arrays, functions.
//!
//! The derivations are applied from the base type inward, that is from the last to the first. An array whose length is
//! no constant is allowed in functions; its length expression travels beside the type, for the outermost array only.
//! Parameters of array and function type become pointers here, so that nothing later sees them otherwise.

use ir::Span;

use super::super::super::ast::{self, ArraySize, DerivationKind, Name, Parameters};
use super::super::super::typed::{Expr, Storage, Symbol};
use super::super::super::types::{QualType, Type};
use super::super::constant::Constant;
use super::super::scope::{Declared, Entity, Scope};
use super::super::{Checked, Checker};

/// A declared type with what does not fit into types.
pub(super) struct Derived {
    pub(super) declared: Declared,
    /// The number of elements of a variable-length array, as `size_t`.
    pub(super) vla_len: Option<Expr>,
    /// The parameters, if this declares a function directly.
    pub(super) prototype: Option<Prototype>,
}

/// The parameters of a function with the scope they were declared in.
#[derive(Default)]
pub(super) struct Prototype {
    pub(super) params: Vec<Param>,
    /// Tags that were first mentioned among the parameters.
    pub(super) scope: Scope,
    /// The names of a K&R definition.
    pub(super) old_names: Vec<(Name, Span)>,
}

/// A parameter.
#[derive(Clone)]
pub(super) struct Param {
    pub(super) name: Option<Name>,
    pub(super) ty: QualType,
    pub(super) span: Span,
}

impl Checker {
    /// The type of a cast, `sizeof` and the like.
    pub(in super::super) fn type_name(&mut self, type_name: &ast::TypeName) -> Checked<QualType> {
        Ok(self.declared_type_name(type_name)?.ty)
    }

    /// The same with the alignment that a typedef gave it.
    pub(in super::super) fn declared_type_name(&mut self, type_name: &ast::TypeName) -> Checked<Declared> {
        let base = self.base_type(&type_name.specifiers, false)?;
        Ok(self.derive(base, &type_name.declarator, &type_name.specifiers, false)?.declared)
    }

    /// The type that `sizeof` is asked about, with the length of a variable-length array.
    pub(in super::super) fn type_name_with_length(
        &mut self,
        type_name: &ast::TypeName,
    ) -> Checked<(QualType, Option<Expr>)> {
        let base = self.base_type(&type_name.specifiers, false)?;
        let derived = self.derive(base, &type_name.declarator, &type_name.specifiers, false)?;
        Ok((derived.declared.ty, derived.vla_len))
    }

    /// Applies a declarator to its base type.
    pub(super) fn derive(
        &mut self,
        base: Declared,
        declarator: &ast::Declarator,
        specifiers: &ast::DeclSpecifiers,
        is_param: bool,
    ) -> Checked<Derived> {
        let attributes = specifiers.attributes.iter().chain(&declarator.attributes);
        let mut declared = self.apply_type_attributes(base, attributes)?;
        let mut vla_len = None;
        let mut prototype = None;
        for (index, derivation) in declarator.derivations.iter().enumerate().rev() {
            let is_outermost = index == 0;
            vla_len = None;
            prototype = None;
            let span = derivation.span;
            match &derivation.kind {
                DerivationKind::Pointer(qualifiers) => {
                    let pointer = QualType::plain(self.pointer_to(declared.ty));
                    declared = Declared { ty: self.qualify(pointer, *qualifiers), align: None };
                }
                DerivationKind::Array { qualifiers, .. } if is_param && is_outermost => {
                    self.check_element(declared.ty, span)?;
                    let pointer = QualType::plain(self.pointer_to(declared.ty));
                    declared = Declared { ty: self.qualify(pointer, *qualifiers), align: None };
                }
                DerivationKind::Array { size, .. } => {
                    self.check_element(declared.ty, span)?;
                    let (ty, len) = self.array_type(declared.ty, size, span)?;
                    declared.ty = ty;
                    vla_len = len;
                }
                DerivationKind::Function(parameters) => {
                    if self.types.is_array(declared.ty.ty) || self.types.is_function(declared.ty.ty) {
                        return Err(self.error(span, "a function cannot return an array or a function"));
                    }
                    let (ty, made) = self.function_type(declared.ty, parameters)?;
                    declared = Declared { ty, align: None };
                    prototype = Some(made);
                }
            }
        }
        if is_param {
            declared = self.adjust_parameter(declared);
        }
        Ok(Derived { declared, vla_len, prototype })
    }

    fn adjust_parameter(&mut self, declared: Declared) -> Declared {
        let pointee = match self.types.get(declared.ty.ty) {
            Type::Array { element, .. } | Type::VariableArray { element } => *element,
            Type::Function { .. } => declared.ty,
            _ => return declared,
        };
        Declared { ty: QualType::plain(self.pointer_to(pointee)), align: None }
    }

    fn check_element(&mut self, element: QualType, span: Span) -> Checked<()> {
        if self.types.is_complete(element.ty) {
            return Ok(());
        }
        let name = self.text(element);
        Err(self.error(span, format!("an array cannot have elements of type {name}")))
    }

    fn array_type(&mut self, element: QualType, size: &ArraySize, span: Span) -> Checked<(QualType, Option<Expr>)> {
        let plain = |id| QualType::plain(id);
        let size = match size {
            ArraySize::Unspecified => return Ok((plain(self.types.intern(Type::Array { element, len: None })), None)),
            ArraySize::Star => return Ok((plain(self.types.intern(Type::VariableArray { element })), None)),
            ArraySize::Expr(size) => size,
        };
        let value = self.value(size)?;
        if !self.types.is_integer(value.ty.ty) {
            let name = self.text(value.ty);
            return Err(self.error(size.span, format!("the length of an array must be an integer, not {name}")));
        }
        let is_file = self.body.is_none() && self.scopes.is_file();
        let len = match is_file {
            true => match self.evaluate_with_variables(&value) {
                Some(Constant::Int(len)) => Some(len),
                _ => None,
            },
            false => self.evaluate_integer(&value),
        };
        if let Some(len) = len {
            let Ok(len) = u64::try_from(len) else {
                return Err(self.error(size.span, "the length of an array cannot be negative"));
            };
            let ty = self.types.intern(Type::Array { element, len: Some(len) });
            let is_sized = !self.is_variable(element.ty);
            if is_sized && self.types.size(ty).is_none_or(|bytes| bytes > 1 << 47) {
                return Err(self.error(span, "this array is too large"));
            }
            return Ok((plain(ty), None));
        }
        if is_file {
            return Err(self.error(size.span, "the length of an array outside of functions must be a constant"));
        }
        let ty = self.types.intern(Type::VariableArray { element });
        Ok((plain(ty), Some(self.cast(value, self.size_type()))))
    }

    fn function_type(&mut self, result: QualType, parameters: &Parameters) -> Checked<(QualType, Prototype)> {
        let mut prototype = Prototype::default();
        let (is_variadic, is_unprototyped) = match parameters {
            Parameters::Identifiers(names) => {
                prototype.old_names = names.clone();
                (false, true)
            }
            Parameters::Prototype { parameters, is_variadic } => {
                let n_symbols = self.symbols.len();
                self.scopes.push(Scope::default());
                let params = self.parameters(parameters);
                prototype.scope = self.scopes.pop();
                prototype.params = params?;
                // The symbols were only there for lengths of later parameters; a definition makes its own.
                let n_named = prototype.params.iter().filter(|param| param.name.is_some()).count();
                if self.symbols.len() == n_symbols + n_named {
                    self.symbols.truncate(n_symbols);
                }
                (*is_variadic, false)
            }
        };
        let params =
            prototype.params.iter().map(|param| QualType { is_const: false, is_volatile: false, ..param.ty }).collect();
        let ty = self.types.intern(Type::Function { result, params, is_variadic, is_unprototyped });
        Ok((QualType::plain(ty), prototype))
    }

    fn parameters(&mut self, parameters: &[ast::Parameter]) -> Checked<Vec<Param>> {
        let mut params = Vec::new();
        for parameter in parameters {
            let base = self.base_type(&parameter.specifiers, false)?;
            let derived = self.derive(base, &parameter.declarator, &parameter.specifiers, true)?;
            let ty = derived.declared.ty;
            let name = parameter.declarator.name.clone();
            let span = if name.is_some() { parameter.declarator.span } else { parameter.span };
            if self.types.is_void(ty.ty) {
                if parameters.len() == 1 && name.is_none() {
                    return Ok(Vec::new());
                }
                return Err(self.error(span, "a parameter cannot be void"));
            }
            if let Some(name) = &name {
                if self.scopes.entity_here(name).is_some() {
                    return Err(self.error(span, format!("two parameters have the name {name}")));
                }
                let id = self.add_parameter(name, ty, span);
                self.scopes.innermost().declare(name.clone(), Entity::Symbol(id));
            }
            params.push(Param { name, ty, span });
        }
        Ok(params)
    }

    pub(super) fn add_parameter(&mut self, name: &str, ty: QualType, span: Span) -> super::super::SymbolId {
        let address_taken = !self.types.is_scalar(ty.ty);
        self.add_symbol(Symbol {
            name: name.to_string(),
            ty,
            storage: Storage::Param,
            span,
            address_taken,
            is_internal: true,
            is_noreturn: false,
            is_weak: false,
            vla_len: None,
            cleanup: None,
        })
    }
}
