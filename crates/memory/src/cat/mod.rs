//! The language of memory models.
//!
//! A .cat file says which executions exist: sets and relations over the events of an execution, and tests that they must pass. `Model`
//! is a file made ready: parsed with everything it includes ([`syntax`], [`library`]), run into a graph of sets and relations
//! with plans that say what to compute when ([`meaning`]). Executions themselves are
//! found elsewhere: `crate::execution` makes events, the engines choose `rf` and `co`.

pub mod library;
pub mod meaning;
pub mod model;
pub mod syntax;
#[cfg(test)]
mod tests;

pub use library::{BUILT_IN, Library, is_protocol};
pub use meaning::evaluate::{Bound, Plan, Values};
pub use meaning::graph::{Graph, Node, NodeId};
pub use meaning::interpret::{Check, Meaning, World};
pub use model::{Model, load};
pub use syntax::parser::parse;

/// Puts the named sets and relations of an execution into the values of a graph.
pub fn put_base(graph: &Graph, values: &mut Values, world: &dyn World) {
    for (id, node) in graph.iter() {
        match node {
            Node::Events(name) => values.put_set(id, Bound::Lower, &world.set(name)),
            Node::Pairs(name) => values.put_relation(id, Bound::Lower, &world.relation(name)),
            _ => {}
        }
    }
}
