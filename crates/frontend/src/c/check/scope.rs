//! What does a name mean here? Scopes for ordinary names and tags, and the state of the function being checked.
//!
//! Each scope has two tables, as C has two name spaces with scopes; labels belong to the function (or, with
//! `__label__`, to a block) and members to their record. Lookup walks from the innermost scope outward.
//!
//! Invariant: the first scope is the file's and is never popped.

use ir::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use super::super::ast::Name;
use super::super::typed::{Label, LabelId, SymbolId};
use super::super::types::{EnumId, QualType, RecordId, TypeId};

/// A type together with the alignment that a typedef or attribute gave it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub(super) ty: QualType,
    pub(super) align: Option<u64>,
}

/// What an ordinary identifier stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entity {
    /// A variable or function.
    Symbol(SymbolId),
    /// A typedef name.
    Typedef(Declared),
    /// An enumeration constant.
    Constant { value: i128, ty: TypeId },
    /// A declaration that was reported as wrong; its uses are not reported again.
    Broken,
}

/// What a tag stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

/// The names of one block, prototype or file.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    names: FxHashMap<Name, Entity>,
    tags: FxHashMap<Name, Tag>,
    /// Labels declared with `__label__` here.
    pub(super) labels: FxHashMap<Name, LabelId>,
}

/// All open scopes, the file's first.
#[derive(Clone, Debug)]
pub(super) struct Scopes {
    open: Vec<Scope>,
}

impl Default for Scopes {
    fn default() -> Scopes {
        Scopes { open: vec![Scope::default()] }
    }
}

impl Scopes {
    pub(super) fn push(&mut self, scope: Scope) {
        self.open.push(scope);
    }

    pub(super) fn pop(&mut self) -> Scope {
        if self.open.len() > 1 { self.open.pop().unwrap_or_default() } else { Scope::default() }
    }

    pub(super) fn innermost(&mut self) -> &mut Scope {
        self.open.last_mut().expect("the file's scope is never popped")
    }

    pub(super) fn file(&mut self) -> &mut Scope {
        &mut self.open[0]
    }

    pub(super) fn is_file(&self) -> bool {
        self.open.len() == 1
    }

    pub(super) fn entity(&self, name: &Name) -> Option<Entity> {
        self.open.iter().rev().find_map(|scope| scope.names.get(name)).copied()
    }

    pub(super) fn entity_here(&self, name: &Name) -> Option<Entity> {
        self.open.last()?.names.get(name).copied()
    }

    pub(super) fn tag(&self, name: &Name) -> Option<Tag> {
        self.open.iter().rev().find_map(|scope| scope.tags.get(name)).copied()
    }

    pub(super) fn tag_here(&self, name: &Name) -> Option<Tag> {
        self.open.last()?.tags.get(name).copied()
    }

    /// The innermost `__label__` declaration of a name.
    pub(super) fn local_label(&self, name: &Name) -> Option<LabelId> {
        self.open.iter().rev().find_map(|scope| scope.labels.get(name)).copied()
    }
}

impl Scope {
    pub(super) fn declare(&mut self, name: Name, entity: Entity) {
        self.names.insert(name, entity);
    }

    pub(super) fn declare_tag(&mut self, name: Name, tag: Tag) {
        self.tags.insert(name, tag);
    }
}

/// The state of the function being checked.
#[derive(Debug)]
pub(super) struct Body {
    /// The function's name, for `__func__`.
    pub(super) name: String,
    pub(super) result: QualType,
    pub(super) is_variadic: bool,
    pub(super) problems: Vec<Diagnostic>,
    pub(super) labels: Vec<Label>,
    /// By `LabelId`: whether the label stands somewhere, and where it was first mentioned.
    pub(super) label_uses: Vec<LabelUse>,
    /// Labels of the whole function.
    pub(super) label_of: FxHashMap<Name, LabelId>,
    /// Open `switch` statements, innermost last.
    pub(super) switches: Vec<Switch>,
    /// How many loops are open.
    pub(super) loops: u32,
    /// How many loops or switches are open.
    pub(super) breakables: u32,
}

/// What is known of a label.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelUse {
    pub(super) is_defined: bool,
    pub(super) first_use: Span,
}

/// An open `switch`.
#[derive(Debug)]
pub(super) struct Switch {
    /// The promoted type of its value.
    pub(super) ty: TypeId,
    pub(super) cases: Vec<(i128, i128)>,
    pub(super) has_default: bool,
}

impl Body {
    pub(super) fn new(name: &str, result: QualType, is_variadic: bool) -> Body {
        Body {
            name: name.to_string(),
            result,
            is_variadic,
            problems: Vec::new(),
            labels: Vec::new(),
            label_uses: Vec::new(),
            label_of: FxHashMap::default(),
            switches: Vec::new(),
            loops: 0,
            breakables: 0,
        }
    }

    /// A new label.
    pub(super) fn add_label(&mut self, name: &Name, span: Span) -> LabelId {
        let id = LabelId(self.labels.len() as u32);
        self.labels.push(Label { name: name.to_string(), span });
        self.label_uses.push(LabelUse { is_defined: false, first_use: span });
        id
    }

    /// The function's label of this name, made if it is new.
    pub(super) fn function_label(&mut self, name: &Name, span: Span) -> LabelId {
        if let Some(id) = self.label_of.get(name) {
            return *id;
        }
        let id = self.add_label(name, span);
        self.label_of.insert(name.clone(), id);
        id
    }
}
