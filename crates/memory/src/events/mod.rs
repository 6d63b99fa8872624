//! What happens in a program without loops? Reads and writes with guards, on nodes that program order connects.
//!
//! A node is a point in time: one access, or all accesses of a read-modify-write or an atomic section, which nothing may enter.
//! An access happens if its guard holds. Places are told apart by number, and by address where one place has many cells; an
//! address may be a term, then two accesses meet if their addresses are equal.
//!
//! Invariant: fixed edges hold whenever both ends happen; between nodes of one thread they are program order, and two nodes of one thread
//! that it does not connect are on branches that exclude each other.
//!
//! [`relaxed`] says what is left of program order where stores are buffered, [`sources`] which write a read may take its value from. What is possible together is decided in `order`.

mod relaxed;
mod sources;

pub use relaxed::relax;
pub use sources::{Candidate, Known, Rival, Sources, find_sources};

use crate::order::Closure;
use ir::{Order, SiteId, Span};
use logic::TermId;

/// The node before everything, where initial values are written.
pub const START: u32 = 0;

/// A write.
#[derive(Clone, Copy, Debug)]
pub struct Write {
    /// When.
    pub node: u32,
    /// By which thread.
    pub thread: u32,
    /// To which place.
    pub place: u32,
    /// To which cell of the place; `None` if it has one only.
    pub addr: Option<TermId>,
    /// Whether it happens and is not hidden by a later write of the same node.
    pub guard: TermId,
    /// Whether `guard` is weaker than that the write happens.
    pub is_hidden: bool,
    /// What.
    pub value: TermId,
    /// The point of the control flow, see `find_sources`.
    pub point: u32,
    /// How.
    pub how: How,
}

/// A read.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// When.
    pub node: u32,
    /// By which thread.
    pub thread: u32,
    /// Of which place.
    pub place: u32,
    /// Of which cell of the place; `None` if it has one only.
    pub addr: Option<TermId>,
    /// Whether it happens.
    pub guard: TermId,
    /// The variable that stands for what it reads.
    pub value: TermId,
    /// What the value must satisfy for the read to happen.
    pub accepts: Option<TermId>,
    /// The point of the control flow.
    pub point: u32,
    /// How.
    pub how: How,
}

/// Which statement makes an access, and how: what axioms mind.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// In which order.
    pub order: Order,
    /// When an attempt to update fails, and in which order it reads then.
    pub failure: Option<(TermId, Order)>,
    /// The step of the thread that it is part of.
    pub record: u32,
    /// The statement.
    pub site: SiteId,
    /// Where that stands.
    pub span: Span,
}

impl Default for How {
    fn default() -> How {
        How { order: Order::Plain, failure: None, record: 0, site: SiteId(0), span: Span::NOWHERE }
    }
}

/// A fence.
#[derive(Clone, Copy, Debug)]
pub struct Fence {
    /// When.
    pub node: u32,
    /// Of which thread.
    pub thread: u32,
    /// The point of the control flow.
    pub point: u32,
    /// Of which order.
    pub order: Order,
}

/// Where a thread starts or joins another one.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    /// When.
    pub node: u32,
    /// Who.
    pub thread: u32,
    /// The point of the control flow.
    pub point: u32,
    /// The handle of the other one.
    pub handle: TermId,
    /// The number of the other one, if it is started here; it is joined otherwise.
    pub started: Option<u32>,
}

/// An edge that is there if its condition holds.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// When it is there.
    pub cond: TermId,
    /// From which node.
    pub from: u32,
    /// To which.
    pub to: u32,
}

/// What happens at a node, where stores are buffered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A statement runs that needs no empty buffer: a read above all.
    Run,
    /// A store reaches memory.
    Commit,
    /// Nothing: but no store behind it reaches memory before those in front of it have.
    Barrier,
    /// Something that comes after all stores in front of it have reached memory.
    Fence,
}

/// All that may happen.
#[derive(Clone, Debug)]
pub struct Events {
    /// The thread of each node.
    pub thread_of: Vec<u32>,
    /// The kind of each node.
    pub kind_of: Vec<Kind>,
    /// Program order, starts and joins; immediate edges only. After `relax` what is left of it.
    pub fixed: Vec<(u32, u32)>,
    /// Whole program order, if less is left of it.
    pub program: Option<Closure>,
    /// Orders that depend on a condition.
    pub edges: Vec<Edge>,
    /// The reads.
    pub reads: Vec<Read>,
    /// The writes.
    pub writes: Vec<Write>,
    /// The fences, where axioms judge.
    pub fences: Vec<Fence>,
    /// Starts and joins, likewise.
    pub meetings: Vec<Meeting>,
}

impl Default for Events {
    fn default() -> Events {
        Events::new()
    }
}

impl Events {
    /// Nothing but the start.
    pub fn new() -> Events {
        Events {
            thread_of: vec![0],
            kind_of: vec![Kind::Fence],
            fixed: Vec::new(),
            program: None,
            edges: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            fences: Vec::new(),
            meetings: Vec::new(),
        }
    }

    /// A node of a thread after some others.
    pub fn node(&mut self, thread: u32, after: &[u32]) -> u32 {
        self.node_of_kind(thread, after, Kind::Fence)
    }

    /// A node of a kind, likewise.
    pub fn node_of_kind(&mut self, thread: u32, after: &[u32], kind: Kind) -> u32 {
        let node = self.thread_of.len() as u32;
        self.thread_of.push(thread);
        self.kind_of.push(kind);
        self.fixed.extend(after.iter().map(|before| (*before, node)));
        node
    }

    /// How many nodes there are.
    pub fn n_nodes(&self) -> usize {
        self.thread_of.len()
    }
}
