//! What does a memory model mean? Its text run into a graph of sets and relations ([`interpret`], [`express`]), which is evaluated in executions ([`evaluate`]).

pub mod evaluate;
pub(crate) mod express;
pub mod graph;
pub mod interpret;
pub(crate) mod names;
pub(crate) mod value;
