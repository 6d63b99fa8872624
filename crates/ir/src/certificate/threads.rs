//! What does a proof look like that looks at each thread alone? A graph of abstract states for each thread, whose edges carry memory events.
//!
//! Known as: abstract reachability graphs, one for each thread (MultiARG) \[Bajczi22, chapter 5].
//!
//! A node says where its thread stands, what its tracked variables are worth and which predicates hold of them; an edge does nothing that others see, or is one event. A read has an edge for
//! each value that it may find. What is **not** there is the claim: a value that some write of the graphs has and that a read has no edge for cannot be read there,
//! and a node where something goes wrong is not reached, because the memory model forbids every execution in which it would be. Accesses of variables
//! that are not tracked are no events: such a read finds anything.

use crate::program::{EdgeId, LocId, ProcId, Program};
use crate::stmt::Order;
use logic::{TermId, Value, VarId};

/// The graphs of all threads, and what they are about.
#[derive(Clone, Debug)]
pub struct ThreadGraphs {
    /// The program, as passes have made it; its pool has the terms of facts as well.
    pub program: Program,
    /// The variables that are tracked, shared ones and those of threads.
    pub tracked: Vec<VarId>,
    /// The threads; the first one is `main`'s.
    pub threads: Vec<ThreadGraph>,
}

/// The graph of a thread.
#[derive(Clone, Debug)]
pub struct ThreadGraph {
    /// What it runs.
    pub proc: ProcId,
    /// Who starts it, and by which statement of which edge; nobody starts the first one.
    pub started: Option<(u32, EdgeId, u32)>,
    /// The nodes; the first one is before its begin.
    pub nodes: Vec<ThreadNode>,
    /// The edges.
    pub edges: Vec<ThreadEdge>,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ThreadNode {
    /// Where the thread stands.
    pub at: At,
    /// What is known, ascending; of variables that are not named nothing is.
    pub known: Vec<(VarId, Known)>,
    /// Formulas over the thread's own variables that hold, ascending.
    pub facts: Vec<TermId>,
}

/// Where a thread stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum At {
    /// Before its first step.
    Unborn,
    /// At a location.
    Loc(LocId),
    /// Before a statement of an edge.
    Inside(EdgeId, u32),
    /// At its end.
    Ended,
    /// Where this check fails.
    Bad(EdgeId, u32),
}

/// What a value is.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Known {
    /// This one.
    Exactly(Value),
    /// The handle of this thread.
    Thread(u32),
    /// One for which these formulas hold, which are about the variable that has it.
    Such(Vec<TermId>),
    /// Any.
    Anything,
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ThreadEdge {
    /// Where it starts.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// What others may see.
    pub event: Option<ThreadEvent>,
}

/// What others may see of a step.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ThreadEvent {
    /// A read of a tracked variable, or an update that fails.
    Read(VarId, Order, Known),
    /// A write.
    Write(VarId, Order, Known),
    /// A read-modify-write: what it finds and what it writes.
    Update(VarId, Order, Known, Known),
    /// A fence.
    Fence(Order),
    /// The thread is there.
    Begins,
    /// It starts this thread.
    Starts(u32),
    /// It has seen the end of this thread.
    Joins(u32),
    /// It ends.
    Ends,
}

impl ThreadEvent {
    /// What it reads.
    pub fn reads(&self) -> Option<(VarId, &Known)> {
        match self {
            ThreadEvent::Read(var, _, value) | ThreadEvent::Update(var, _, value, _) => Some((*var, value)),
            _ => None,
        }
    }

    /// What it writes.
    pub fn writes(&self) -> Option<(VarId, &Known)> {
        match self {
            ThreadEvent::Write(var, _, value) | ThreadEvent::Update(var, _, _, value) => Some((*var, value)),
            _ => None,
        }
    }
}

impl ThreadGraphs {
    /// How many nodes there are.
    pub fn n_nodes(&self) -> u64 {
        self.threads.iter().map(|thread| thread.nodes.len() as u64).sum()
    }
}

impl PartialEq for ThreadGraphs {
    fn eq(&self, other: &ThreadGraphs) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for ThreadGraphs {}
