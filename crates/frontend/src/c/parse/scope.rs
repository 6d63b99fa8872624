//! Which names are types here.
//!
//! C needs to know this to parse: `(a) * b` is a cast or a product. Only the one bit per name is kept, with a log that
//! undoes what a scope changed when it ends. Names that never are typedefs cost nothing. Types that the compiler
//! predeclares are typedefs from the start; once a program redeclares one, it is like any other.
//!
//! Tags, labels and members live in name spaces of their own and are not here.

use crate::c::ast::BuiltinType;
use crate::c::lex::{NameId, PREDECLARED_TYPES};

pub(super) struct TypedefScopes {
    is_typedef: Vec<bool>,
    /// What a name was before an inner scope changed it.
    undo: Vec<(NameId, bool)>,
    /// For each open inner scope, where its part of the log begins.
    marks: Vec<usize>,
    is_redeclared: [bool; PREDECLARED_TYPES.len()],
}

impl TypedefScopes {
    pub(super) fn new(n_names: usize) -> TypedefScopes {
        let is_typedef = (0..n_names).map(|name| name < PREDECLARED_TYPES.len()).collect();
        let is_redeclared = [false; PREDECLARED_TYPES.len()];
        TypedefScopes { is_typedef, undo: Vec::new(), marks: Vec::new(), is_redeclared }
    }

    /// The type that a name means without any declaration.
    pub(super) fn predeclared(&self, name: NameId) -> Option<BuiltinType> {
        let index = name.0 as usize;
        let (_, builtin) = PREDECLARED_TYPES.get(index)?;
        (self.is_typedef[index] && !self.is_redeclared[index]).then_some(*builtin)
    }

    pub(super) fn is_typedef(&self, name: NameId) -> bool {
        self.is_typedef[name.0 as usize]
    }

    /// A declaration of `name` takes effect: as a typedef, or as something else that hides one.
    pub(super) fn declare(&mut self, name: NameId, as_typedef: bool) {
        if let Some(is_redeclared) = self.is_redeclared.get_mut(name.0 as usize) {
            *is_redeclared |= as_typedef;
        }
        let known = &mut self.is_typedef[name.0 as usize];
        if *known == as_typedef {
            return;
        }
        if !self.marks.is_empty() {
            self.undo.push((name, *known));
        }
        *known = as_typedef;
    }

    /// A name that can only be an undeclared type is taken for one from here on, so that it is reported once.
    pub(super) fn assume_typedef(&mut self, name: NameId) {
        self.is_typedef[name.0 as usize] = true;
    }

    pub(super) fn depth(&self) -> usize {
        self.marks.len()
    }

    pub(super) fn enter(&mut self) {
        self.marks.push(self.undo.len());
    }

    pub(super) fn leave(&mut self) {
        let Some(mark) = self.marks.pop() else { return };
        for (name, known) in self.undo.drain(mark..).rev() {
            self.is_typedef[name.0 as usize] = known;
        }
    }
}
