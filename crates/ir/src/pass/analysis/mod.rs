//! What is true of a program, whatever it does? Nothing here changes one.
//!
//! - the automaton: [`graph`] (order of visit, strongly connected components), [`loops`] (natural loops and how often they run);
//! - values: [`uses`] (what a statement reads and writes), [`linear`] (sums of multiples), [`liveness`], [`webs`] (which assignments belong together), [`initial`] (what is there before anybody writes), [`congruence`] (low bits of words);
//! - memory: [`points_to`] (which objects an address can be in), [`sharing`] (what another thread can notice: escape analysis, and where there is no other thread);
//! - locks: [`lock_order`]; and a tool: [`union_find`].

pub(super) mod congruence;
pub(super) mod graph;
pub(super) mod initial;
pub(super) mod linear;
pub(super) mod liveness;
pub(super) mod lock_order;
pub(super) mod loops;
pub(super) mod points_to;
pub(super) mod sharing;
pub(super) mod union_find;
pub(super) mod uses;
pub(super) mod webs;
