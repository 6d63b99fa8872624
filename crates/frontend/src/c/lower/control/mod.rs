//! How do statements become control flow? Edges and branches (`stmts`), jumps and their labels (`jumps`), how long variables live (`scopes`) and what calls return (`full_expressions`), and what lives until the return ([`alloca`]).

mod alloca;
mod full_expressions;
pub(in crate::c::lower) mod jumps;
pub(in crate::c::lower) mod scopes;
pub(in crate::c::lower) mod stmts;
