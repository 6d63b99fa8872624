//! How do statements become control flow? Edges and branches (`stmts`), jumps and their labels (`jumps`), how long variables live (`scopes`), and what lives until the return ([`alloca`]).

mod alloca;
pub(in crate::c::lower) mod jumps;
pub(in crate::c::lower) mod scopes;
pub(in crate::c::lower) mod stmts;
