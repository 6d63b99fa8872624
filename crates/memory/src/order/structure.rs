//! What does the theory know of a program? A fixed graph of points in time, with reads, writes and edges that literals decide about.

use smt::Lit;

/// A write, as the theory sees it.
#[derive(Clone, Copy, Debug)]
pub struct Write {
    /// When it happens.
    pub node: u32,
}

/// A read, as the theory sees it.
#[derive(Clone, Debug, Default)]
pub struct Read {
    /// When it happens.
    pub node: u32,
    /// The writes it may take its value from, with the literals that say so. At most one is true.
    pub candidates: Vec<(u32, Lit)>,
    /// The writes that may touch what it reads, with the literal that says that they do; `None` if they do whenever it happens.
    pub rivals: Vec<(u32, Option<Lit>)>,
    /// Those of these writes, ascending, that the read's thread has made before it and that may reach memory after it.
    pub own: Vec<u32>,
}

/// A fixed graph with reads, writes and edges that depend on literals.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// How many points in time; node 0 is before all others.
    pub n_nodes: usize,
    /// Program order.
    pub fixed: Vec<(u32, u32)>,
    /// The writes.
    pub writes: Vec<Write>,
    /// The reads.
    pub reads: Vec<Read>,
    /// Edges that are there if their literal is true.
    pub edges: Vec<(Lit, u32, u32)>,
}
