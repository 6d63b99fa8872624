//! How do statements become control flow? Edges and branches (`stmts`), jumps and their labels (`jumps`), and how long variables live (`scopes`).

pub(in crate::c::lower) mod jumps;
pub(in crate::c::lower) mod scopes;
pub(in crate::c::lower) mod stmts;
