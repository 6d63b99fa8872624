//! What is told about a litmus test: herd's text, JSON, graphs for Graphviz, a page of pictures, and charts of messages.
//!
//! `Told` is plain data, so that this crate need not know engines or models. [`text`](mod@text) keeps to the form that herd prints, because tools that
//! compare runs read it.

mod chart;
mod dot;
mod html;
mod json;
mod messages;
mod text;
mod told;
mod words;

pub use chart::charts;
pub(crate) use chart::svg;
pub use dot::dot;
pub(crate) use html::figure;
pub use html::html;
pub use json::{graph, json};
pub use messages::messages;
pub use text::{execution, text};
pub use told::{Graph, Role, Told, Violated};
