//! What is told about a litmus test: herd's text, JSON, graphs for Graphviz, and a page of pictures.
//!
//! `Told` is plain data, so that this crate need not know engines or models. [`text`](mod@text) keeps to the form that herd prints, because tools that
//! compare runs read it.

mod dot;
mod html;
mod json;
mod text;
mod told;

pub use dot::dot;
pub use html::html;
pub use json::{graph, json};
pub use text::{execution, text};
pub use told::{Graph, Told};
