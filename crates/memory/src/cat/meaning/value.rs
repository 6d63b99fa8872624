//! What can a name of a memory model stand for, and how are names found?
//!
//! Sets and relations are nodes of the graph. Single events, pairs and collections of relations occur only while a model is interpreted
//! for one given execution (`with co from …`). `0` and `{}` fit every kind until they meet something else.

use std::sync::Arc;

use ir::source::Span;

use super::graph::NodeId;
use crate::cat::syntax::ast::{Binding, Expr, Pattern, Procedure};

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Set(NodeId),
    Relation(NodeId),
    /// Empty, of any kind.
    Nothing,
    Tag(Arc<str>),
    Event(usize),
    Pair(usize, usize),
    /// A set of things that are not events.
    Many(Arc<Vec<Value>>),
    Tuple(Arc<Vec<Value>>),
    Function(Arc<Function>),
    Procedure(Arc<ProcedureValue>),
    Builtin(Builtin),
}

impl Value {
    /// How messages name the kind.
    pub(crate) fn told(&self) -> &'static str {
        match self {
            Value::Set(_) => "a set of events",
            Value::Relation(_) => "a relation",
            Value::Nothing => "something empty",
            Value::Tag(_) => "a tag",
            Value::Event(_) => "an event",
            Value::Pair(..) => "a pair of events",
            Value::Many(_) => "a set of several things",
            Value::Tuple(_) => "a tuple",
            Value::Function(_) | Value::Builtin(_) => "a function",
            Value::Procedure(_) => "a procedure",
        }
    }
}

/// A function with the names it sees. Those of its own recursive definition are bound anew at each call.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) parameters: Pattern,
    pub(crate) body: Expr,
    pub(crate) scope: Scope,
    pub(crate) siblings: Option<Arc<[Binding]>>,
    pub(crate) span: Span,
}

/// A procedure with the names it sees.
#[derive(Debug)]
pub(crate) struct ProcedureValue {
    pub(crate) code: Arc<Procedure>,
    pub(crate) scope: Scope,
}

/// Functions that every model may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Builtin {
    Domain,
    Range,
    /// The parts of a set that have a location each.
    ClassesLoc,
    /// The classes of an equivalence.
    Classes,
    /// All total orders of a set that contain a relation.
    Linearisations,
    /// The events of a tag.
    TagToEvents,
    DifferentValues,
    /// All ways to take one relation of each set.
    Cross,
    /// What relates entries of page tables, which no execution here has.
    OfPageTables,
}

impl Builtin {
    pub(crate) fn named(name: &str) -> Option<Builtin> {
        Some(match name {
            "domain" => Builtin::Domain,
            "range" => Builtin::Range,
            "classes-loc" => Builtin::ClassesLoc,
            "classes" => Builtin::Classes,
            "linearisations" => Builtin::Linearisations,
            "tag2events" | "tag2instrs" => Builtin::TagToEvents,
            "different-values" => Builtin::DifferentValues,
            "cross" => Builtin::Cross,
            "same-oa" | "at-least-one-writable" | "oa-changes" => Builtin::OfPageTables,
            _ => return None,
        })
    }
}

/// The names that are visible, the latest first.
#[derive(Clone, Default, Debug)]
pub(crate) struct Scope {
    top: Option<Arc<Frame>>,
}

#[derive(Debug)]
struct Frame {
    name: Arc<str>,
    value: Value,
    next: Option<Arc<Frame>>,
}

impl Scope {
    /// This scope with one more name.
    pub(crate) fn with(&self, name: &str, value: Value) -> Scope {
        Scope { top: Some(Arc::new(Frame { name: name.into(), value, next: self.top.clone() })) }
    }

    /// What a name stands for, if it was bound.
    pub(crate) fn find(&self, name: &str) -> Option<&Value> {
        let mut frame = self.top.as_deref();
        while let Some(found) = frame {
            if &*found.name == name {
                return Some(&found.value);
            }
            frame = found.next.as_deref();
        }
        None
    }
}
