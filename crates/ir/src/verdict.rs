//! What is the answer? Safe with a proof, unsafe with a trace that can be replayed, or unknown with a reason.

use crate::certificate::Certificate;
use crate::certificate::threads::ThreadGraphs;
use crate::memory::Placement;
use crate::model::Model;
use crate::program::{EdgeRef, Program};
use crate::property::{Properties, Property};
use crate::source::Span;
use crate::stmt::{AllocKind, Op, SiteId};
use logic::Value;
use std::sync::Arc;
use std::time::Duration;

/// The question: can this program violate one of these?
#[derive(Clone, Debug)]
pub struct Task {
    /// The program as the front end lowered it. Engines transform copies of it; replay runs this one.
    pub program: Program,
    /// What must not happen.
    pub properties: Properties,
}

impl Task {
    /// Whether nothing is ever allocated that could be lost, or the program itself checks that all is freed.
    pub fn never_allocates(&self) -> bool {
        let mut stmts = self.program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
        self.program.counts_blocks || !stmts.any(|stmt| matches!(stmt.op, Op::Alloc { kind: AllocKind::Heap, .. }))
    }
}

/// An engine's answer; `T` is an execution in the language of the task.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict<T = Trace> {
    /// No execution violates the property.
    Safe(Proof),
    /// This execution does.
    Unsafe(T),
    /// Could not be told, for this reason.
    Unknown(Why),
}

/// Why it is safe.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// Every reachable state was visited (up to a sound reduction).
    Exhaustive {
        /// How many.
        states: u64,
    },
    /// An abstraction in which nothing can go wrong; it can be checked.
    Abstraction(Arc<Certificate>),
    /// A graph of abstract states for each thread, in which nothing can go wrong under the memory model; it can be checked.
    Threads(Arc<ThreadGraphs>),
    /// All executions were considered at once: every loop was unrolled to its end, and no choice of values and order is bad.
    Unrolled {
        /// How many reads and writes of shared state there are.
        events: u64,
    },
    /// Every two accesses of different threads that conflict are kept apart: by a lock, by the order of threads, or by place.
    Apart {
        /// How many pairs there are.
        pairs: u64,
    },
    /// Locks are taken in one order, and nobody waits for anything else but ends of threads.
    InOrder {
        /// How many waits there are.
        waits: u64,
    },
    /// Several proofs, each about some of the properties.
    Parts(Vec<(Properties, Proof)>),
}

/// Why it is not known, in words that a person can act on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// The time limit was reached.
    TimeLimit(Duration),
    /// The memory limit was reached.
    MemoryLimit(u64),
    /// Somebody else was faster, or the user interrupted.
    Cancelled,
    /// An input has too many values for an engine that enumerates them.
    LargeInput {
        /// Where it is read.
        span: Span,
        /// How many bits it has.
        bits: u32,
    },
    /// A bound was reached: what, and how far it was explored without violation.
    Bound(String),
    /// No execution of so many steps goes wrong; longer ones were not followed.
    Depth(u32),
    /// A construct that is not modelled: what.
    Unsupported {
        /// Where.
        span: Span,
        /// What.
        what: String,
    },
    /// The program does something undefined that nobody asked about: what.
    Undefined {
        /// Where.
        span: Span,
        /// What.
        what: String,
    },
    /// An engine that proves or says nothing did not prove this.
    NotShown {
        /// Where.
        span: Span,
        /// What.
        what: String,
    },
    /// An execution goes wrong, but perhaps only for values that a library function need not yield.
    Approximated {
        /// Where it is called.
        span: Span,
        /// The function.
        function: String,
    },
    /// The engine's trace did not replay: a bug of ours.
    NotReplayed(String),
    /// Two engines answered, and differently: a bug of ours.
    Disagreement {
        /// Who says that nothing can go wrong.
        safe: String,
        /// Who says that something can.
        bad: String,
        /// What can, in words.
        what: String,
    },
}

/// An execution, step by step, up to the violation.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// What goes wrong at the end.
    pub violation: Property,
    /// The steps, each one edge of the lowered program.
    pub steps: Vec<Step>,
    /// When stores reach memory, in order; empty where stores are in memory at once (`Model::Sc`). Stores that no
    /// commit names reach memory when their thread drains its buffer, if they do.
    pub commits: Vec<Commit>,
    /// The model that it runs under, where that is another than the task's: a race of C11's atomic accesses may need stores that
    /// become visible late, whatever the rest of the program is run under.
    pub model: Option<Model>,
    /// Where objects lie in it.
    pub placement: Placement,
    /// Under axioms: who reads from whom. The order of the steps then means nothing but program order, and the values that steps read are named like inputs.
    pub graph: Option<Arc<ReadsFrom>>,
}

/// A read or write of a trace: the number of the step, and the statement of it.
pub type EventName = (usize, SiteId);

/// The choices of an execution graph.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadsFrom {
    /// For each read of shared state the write that it reads; `None` for what was there at first. Reads that are not named read the last write of their thread.
    pub sources: Vec<(EventName, Option<EventName>)>,
    /// The writes, those of each place in the order in which they take effect (coherence).
    pub coherence: Vec<EventName>,
}

impl Trace {
    /// An interleaving of these steps, with objects where they are taken to lie.
    pub fn new(violation: Property, steps: Vec<Step>) -> Trace {
        Trace { violation, steps, commits: Vec::new(), model: None, placement: Placement::Apart, graph: None }
    }

    /// What a reader must know about where it happens, if it is not obvious.
    pub fn premise(&self) -> Option<String> {
        match (self.placement, self.model) {
            (Placement::Again { .. }, _) => {
                Some("it happens if an allocation gets the address of an object that is gone, as C allows".to_string())
            }
            (Placement::Downwards { .. }, _) => Some(
                "it happens if later objects lie at lower addresses, and no better aligned than C promises".to_string(),
            ),
            (Placement::Apart, Some(model)) => {
                Some(format!("stores become visible late here, as under {model}, which C11 allows for these accesses"))
            }
            (Placement::Apart, None) => None,
        }
    }
}

/// A store of a thread reaches memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Commit {
    /// How many steps were taken before.
    pub after: usize,
    /// The step that stored, by its number.
    pub step: usize,
    /// The statement of it that did.
    pub site: SiteId,
}

/// One step of a trace: a thread takes an edge.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// Index of the thread; 0 is the first, others in the order they were started.
    pub thread: u32,
    /// The edge of the lowered program. In `thread_init` and called procedures likewise.
    pub edge: EdgeRef,
    /// Values of the inputs that the step reads, by statement; those not named are zero.
    pub inputs: Vec<(SiteId, Value)>,
}
