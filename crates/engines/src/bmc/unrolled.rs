//! What does the unrolled program consist of? Threads with their steps, events, and what may go wrong in them.

use super::accesses::places::PlaceKey;
use super::locks::critical_sections::Sections;
use super::unroll::path_conditions::Points;
use ir::{EdgeId, Property, SiteId, Span, Why};
use logic::{Pool, TermId, VarId};
use memory::events::Events;
use memory::graph::Dependency;
use smallvec::SmallVec;
use std::ops::Range;
use std::rc::Rc;

/// A thread of the unrolled program.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    /// What it runs.
    pub(crate) proc: ir::ProcId,
    /// Its handle.
    pub(crate) handle: TermId,
    /// What it is given.
    pub(crate) args: Vec<TermId>,
    /// Whether somebody may wait for its end.
    pub(crate) is_joined: bool,
    /// Whether it is started.
    pub(crate) guard: TermId,
    /// The node that starts it.
    pub(crate) start: u32,
    /// Its steps in an order that all its ways agree with.
    pub(crate) records: Vec<Record>,
    /// Whether it ends.
    pub(crate) finished: TermId,
    /// What it returns.
    pub(crate) result: TermId,
    /// The last nodes of its ways.
    pub(crate) ends: SmallVec<[u32; 2]>,
}

/// An edge taken by a thread.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// Which edge of the prepared program.
    pub(crate) edge: EdgeId,
    /// Whether it is taken.
    pub(crate) guard: TermId,
    /// The point of the control flow after it.
    pub(crate) point: u32,
    /// The node of its accesses.
    pub(crate) node: Option<u32>,
    /// When what it stores reaches memory, if it is buffered, and the statement that stores.
    pub(crate) commit: Option<(u32, SiteId)>,
    /// Whether it waits for the thread's buffer to be empty.
    pub(crate) drains: bool,
    /// The inputs it reads.
    pub(crate) inputs: SmallVec<[(SiteId, TermId); 1]>,
    /// Whether the thread is in an atomic section afterwards.
    pub(crate) is_inside: bool,
    /// The threads it starts.
    pub(crate) starts: SmallVec<[u32; 1]>,
}

/// Something that ends an execution badly.
#[derive(Clone, Debug)]
pub(crate) struct Bad {
    /// When.
    pub(crate) guard: TermId,
    /// What.
    pub(crate) what: BadKind,
    /// In which thread.
    pub(crate) thread: u32,
    /// At which of its steps.
    pub(crate) record: u32,
    /// Inside of a section: the variable that says that the section stops here, so that it need not come to its end.
    pub(crate) stop: Option<TermId>,
}

/// Kinds of bad ends.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum BadKind {
    /// A property is violated.
    Violation(Property),
    /// An access is not at the offset where it was expected.
    Misplaced,
    /// The execution leaves the model.
    Beyond(Why),
    /// A loop goes round more often than unrolled.
    Cut(Why),
}

/// A place where a thread may wait for ever.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    /// Whether the thread gets there.
    pub(crate) reached: TermId,
    /// Whether it goes on.
    pub(crate) passed: TermId,
    /// In which thread.
    pub(crate) thread: u32,
    /// Whether it cannot go on in the state at the end.
    pub(crate) blocked: TermId,
    /// The handle of who alone can end the wait, in the state at the end.
    pub(crate) owner: Option<TermId>,
    /// Whether it waits for the end of that thread.
    pub(crate) is_join: bool,
}

/// A way of a thread that ends because it would go round a loop that only reads, and changes nothing.
#[derive(Clone, Debug)]
pub(crate) struct Spin {
    pub(crate) thread: u32,
    /// Whether it gets there.
    pub(crate) guard: TermId,
    /// The reads of the round, among others that do not happen on this way.
    pub(crate) reads: Range<usize>,
    /// That no attempt of the round fails for no reason.
    pub(crate) calm: Vec<TermId>,
    /// Whether the round asks for other inputs, so that nobody can tell whether it stays.
    pub(crate) is_vague: bool,
    /// Where the loop is.
    pub(crate) span: Span,
}

/// An access that may race.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) thread: u32,
    pub(crate) node: u32,
    /// The nodes just before.
    pub(crate) after: SmallVec<[u32; 2]>,
    pub(crate) place: u32,
    pub(crate) addr: Option<TermId>,
    pub(crate) bytes: u64,
    pub(crate) is_write: bool,
    pub(crate) is_atomic: bool,
    /// Whether what comes before it in the same node, or its waiting, decides about it.
    pub(crate) is_inside: bool,
    /// If it is: the variable that says that the race is here, so that the section need not come to its end.
    pub(crate) racing: Option<TermId>,
    pub(crate) guard: TermId,
    pub(crate) record: u32,
    pub(crate) stmt: u32,
    /// How many threads its step has started before.
    pub(crate) n_started: usize,
}

/// What is found while threads are executed, beside events.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) threads: Vec<Thread>,
    pub(crate) bads: Vec<Bad>,
    pub(crate) waits: Vec<Waiting>,
    pub(crate) spins: Vec<Spin>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) accesses: Vec<Access>,
    /// What holds besides.
    pub(crate) constraints: Vec<TermId>,
    pub(crate) starts: Vec<Start>,
    pub(crate) depends: Vec<Depends>,
    pub(crate) n_records: usize,
}

/// That an event depends on a read of its thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depends {
    pub(crate) kind: Dependency,
    /// The read, by its number.
    pub(crate) from: usize,
    pub(crate) to: Target,
    /// On which ways.
    pub(crate) when: TermId,
}

/// What may depend on a read, by its number among its kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Target {
    Read(usize),
    Write(usize),
    Fence(usize),
}

/// A read, by its number, whose value flows somewhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Source {
    pub(crate) read: usize,
    /// Whether it only chooses which value does.
    pub(crate) chooses: bool,
}

/// Reads, each with when it counts.
pub(crate) type Reads = Rc<Vec<(Source, TermId)>>;

/// What variables and branches depend on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flows {
    pub(crate) vars: Vec<(VarId, Reads)>,
    pub(crate) branches: Reads,
}

impl Flows {
    pub(crate) fn of(&self, var: VarId) -> Option<&Reads> {
        self.vars.binary_search_by_key(&var, |(var, _)| *var).ok().map(|at| &self.vars[at].1)
    }

    pub(crate) fn set(&mut self, var: VarId, reads: Reads) {
        match self.vars.binary_search_by_key(&var, |(var, _)| *var) {
            Ok(at) => self.vars[at].1 = reads,
            Err(at) if !reads.is_empty() => self.vars.insert(at, (var, reads)),
            Err(_) => {}
        }
    }
}

/// A round of a loop that was left out, which is right if none of these reads can race (`reductions::skippable_rounds`).
#[derive(Clone, Debug)]
pub(crate) struct Skipped {
    pub(crate) thread: u32,
    pub(crate) reads: Range<usize>,
    /// That the loop was cut here.
    pub(crate) cut: Bad,
}

/// A step that starts a thread and that may not be taken after all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    /// The variable that says whether it is.
    pub(crate) is_taken: TermId,
    pub(crate) thread: u32,
    pub(crate) record: u32,
}

impl Findings {
    /// The number of the step that a thread is about to take.
    pub(crate) fn next_record(&self, thread: u32) -> u32 {
        self.threads[thread as usize].records.len() as u32
    }
}

/// The unrolled program.
#[derive(Clone, Debug)]
pub(crate) struct Unrolled {
    pub(crate) pool: Pool,
    pub(crate) events: Events,
    /// What each place is.
    pub(crate) places: Vec<PlaceKey>,
    pub(crate) points: Points,
    /// The value that each read finds if nothing was written.
    pub(crate) initial: Vec<TermId>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) bads: Vec<Bad>,
    pub(crate) waits: Vec<Waiting>,
    /// Ways that may go round for ever, where that is asked about.
    pub(crate) spins: Vec<Spin>,
    pub(crate) accesses: Vec<Access>,
    pub(crate) locks: Sections,
    /// What holds besides.
    pub(crate) constraints: Vec<TermId>,
    /// Dependencies, where axioms judge.
    pub(crate) depends: Vec<Depends>,
    /// Steps of all threads.
    pub(crate) n_records: usize,
    /// Pairs of threads that are alike and ordered.
    pub(crate) n_alike: usize,
}
