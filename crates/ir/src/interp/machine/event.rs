//! What happened in a step? A list of events with concrete places and values, for the race detector and the log.

use super::state::End;
use crate::program::{EdgeRef, ProcId};
use crate::property::Property;
use crate::source::Span;
use crate::stmt::{AllocKind, HavocKind, Mark, Order, SiteId};
use crate::verdict::Why;
use logic::{Sort, Value, VarId};

/// A concrete shared place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cell {
    /// A global variable.
    Var(VarId),
    /// Bytes at an address.
    Bytes {
        /// The first one.
        addr: u64,
        /// How many.
        len: u64,
    },
}

impl Cell {
    /// The variable, or the single bytes.
    pub fn units(self) -> impl Iterator<Item = Cell> {
        let (first, len) = match self {
            Cell::Var(_) => (0, 1),
            Cell::Bytes { addr, len } => (addr, len),
        };
        (first..first + len).map(move |addr| match self {
            Cell::Var(_) => self,
            Cell::Bytes { .. } => Cell::Bytes { addr, len: 1 },
        })
    }
}

/// One thing that happened.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Where in the source.
    pub span: Span,
    /// At which statement.
    pub site: SiteId,
    /// What.
    pub what: What,
}

/// Kinds of events.
#[allow(missing_docs, reason = "the fields are named after what they are")]
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// Shared state was read.
    Read { cell: Cell, value: Value, order: Order, dst: VarId },
    /// Shared state was written.
    Write { cell: Cell, old: Option<Value>, new: Value, order: Order },
    /// A store went to the thread's buffer; `number` is its place among the stores there.
    Buffered { cell: Cell, new: Value, order: Order, number: usize },
    /// A store of a thread's buffer went to memory; it was the one with this number. It was dropped if its object is gone.
    Committed { thread: u32, number: usize, cell: Cell, old: Option<Value>, new: Value, is_dropped: bool },
    /// Shared state was read and written in one step.
    Update { cell: Cell, old: Value, new: Value, order: Order, dst: VarId },
    /// An object that is gone was accessed, or ended once more; whoever ended it may have raced with that.
    Attempted { base: u64, is_write: bool },
    /// A local or thread variable was set.
    Set { var: VarId, old: Value, new: Value },
    /// A value was chosen.
    Input { kind: InputKind, value: Value },
    /// A fence.
    Fence(Order),
    /// An object was made.
    Made { base: u64, size: u64, kind: AllocKind },
    /// An object was ended.
    Ended { base: u64, size: u64, kind: AllocKind },
    /// A thread was started.
    Started { child: u32, proc: ProcId },
    /// A thread that has ended was waited for.
    Joined { child: u32 },
    /// The running thread has ended.
    Finished,
    /// An atomic section begins.
    AtomicBegin,
    /// An atomic section ends.
    AtomicEnd,
    /// A lock changed hands.
    Marked { mark: Mark, addr: u64 },
    /// A procedure was called.
    Called { proc: ProcId },
    /// A procedure has returned.
    Returned { proc: ProcId },
    /// The process has ended.
    ProcessEnded(End),
}

/// Why a value is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InputKind {
    /// By a `Havoc`.
    Havoc(HavocKind),
    /// By reading what nobody has written.
    Unwritten,
}

/// What is asked of whoever chooses values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Request {
    /// The statement that reads the value.
    pub site: SiteId,
    /// Where it stands.
    pub span: Span,
    /// The sort of the value.
    pub sort: Sort,
    /// Why it is arbitrary.
    pub kind: InputKind,
}

/// Whoever chooses the values of inputs.
pub trait Inputs {
    /// The value, of the sort asked for.
    fn choose(&mut self, request: &Request) -> Value;
    /// What a statement that accesses shared state finds there, if that is given from outside rather than what was written last, which is told, too (nothing
    /// if nobody has written there). Only reads mind the answer.
    fn found(&mut self, _: SiteId, _: Cell, _: Option<Value>) -> Option<Value> {
        None
    }
}

/// All inputs are zero.
#[derive(Clone, Copy, Default, Debug)]
pub struct Zeros;

impl Inputs for Zeros {
    fn choose(&mut self, request: &Request) -> Value {
        Value::zero(request.sort)
    }
}

/// What a thread waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The edge it would take.
    pub edge: EdgeRef,
    /// Where it waits.
    pub span: Span,
    /// For what.
    pub on: WaitOn,
    /// The handle of the thread that alone can end the wait, if that is known.
    pub owner: Option<u64>,
}

/// What must change for a waiting thread to go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WaitOn {
    /// The value of a place, which is this now.
    Cell(Cell, Value),
    /// The thread with this handle must end.
    Thread(u64),
}

/// Why an edge cannot be taken now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotEnabled {
    /// The thread does not stand where the edge starts, or has ended, or there is no such thread.
    NotThere,
    /// Another thread is in an atomic section.
    Held(u32),
    /// The process has ended.
    ProcessEnded,
    /// An `Assume` does not hold.
    Assume(Span),
    /// The thread waits.
    Waiting(Wait),
}

/// What became of a step.
#[derive(Clone, PartialEq, Debug)]
pub enum StepResult {
    /// It was taken.
    Ok,
    /// It cannot be taken; nothing has changed.
    NotEnabled(NotEnabled),
    /// Something went wrong that must not; the state is that at the statement where it did.
    Violation(Box<Violation>),
    /// It was taken and the process has ended without violation.
    Ended(End),
    /// What happens next is not modelled.
    Beyond(Why),
}

/// What went wrong.
#[derive(Clone, PartialEq, Debug)]
pub struct Violation {
    /// Which property.
    pub property: Property,
    /// In which thread.
    pub thread: u32,
    /// Where.
    pub span: Span,
    /// What, in words.
    pub message: String,
    /// What else there is to say.
    pub details: Details,
}

/// How the message of an assertion whose text is known begins.
pub const ASSERTION_FAILED: &str = "assertion failed";

/// More about a violation.
#[derive(Clone, PartialEq, Debug)]
pub enum Details {
    /// The message says it all.
    None,
    /// The two accesses of a race, the earlier one first.
    Race(Box<[RaceAccess; 2]>),
    /// Who waits for what.
    Deadlock(Vec<Waiter>),
    /// Objects that were not freed: name and where they were made.
    Leak(Vec<(String, Span)>),
    /// The steps from this one on repeat for ever.
    Lasso {
        /// Index of the first step of the loop.
        start: usize,
    },
}

/// One access of a race.
#[derive(Clone, PartialEq, Debug)]
pub struct RaceAccess {
    /// Who.
    pub thread: u32,
    /// In which step.
    pub step: usize,
    /// What it touches, by name.
    pub place: String,
    /// Whether it writes.
    pub is_write: bool,
    /// Whether it is a `free`.
    pub is_free: bool,
    /// In which order.
    pub order: Order,
    /// Where: the statement itself.
    pub span: Span,
    /// The calls that lead to it, outermost first.
    pub calls: Vec<Span>,
    /// Locks that the thread holds.
    pub locks: Vec<String>,
}

/// A thread in a deadlock.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiter {
    /// Who.
    pub thread: u32,
    /// Where.
    pub span: Span,
    /// The calls that lead to it, outermost first.
    pub calls: Vec<Span>,
    /// For what, by name.
    pub on: String,
    /// Which thread holds that if it is a lock, or must end.
    pub holder: Option<u32>,
    /// Whether that thread has ended.
    pub is_over: bool,
    /// Whether it waits for the end of a thread.
    pub is_join: bool,
    /// Locks that the waiting thread holds.
    pub locks: Vec<String>,
}
