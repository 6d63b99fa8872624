//! What can a program do? One closed set of statements, each with its place in the source.
//!
//! The rule that keeps engines simple: **terms mention only variables of the running thread** (scopes `Local` and
//! `Thread`); shared state is touched only by `Load`, `Store` and `Rmw`, one access each. So every shared access is a
//! step of its own, with its memory order, and `access` can tell exactly what a statement touches. Waiting
//! (locks, semaphores, barriers, condition variables) is an `Rmw` with a `wait` condition; the library models build all
//! of it from that.

pub mod barrier;
pub mod kernel;
pub mod message;

use crate::memory::RegionId;
use crate::program::ProcId;
use crate::source::Span;
use barrier::{Barrier, Kinds};
use kernel::Kernel;
use logic::{Scalar, TermId, VarId};
use message::Marks;

/// Names a statement of the lowered program; copies made by passes keep it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SiteId(pub u32);

/// Names the objects that an `Alloc` makes, as analyses tell them apart. Copies of a statement that stand in different copies of a procedure make different objects
/// (known as: context-sensitive heap abstraction), so a function that wraps `malloc` does not make all its callers share one object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AllocSite {
    /// The statement.
    pub site: SiteId,
    /// Which copy of it.
    pub copy: u32,
}

/// A statement with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// What it does.
    pub op: Op,
    /// Where it stands in the source.
    pub span: Span,
    /// Which statement of the lowered program it is; inputs in traces are named by it.
    pub site: SiteId,
}

impl Stmt {
    /// Which objects it makes, if it is an `Alloc`.
    pub fn alloc_site(&self) -> Option<AllocSite> {
        match self.op {
            Op::Alloc { copy, .. } => Some(AllocSite { site: self.site, copy }),
            _ => None,
        }
    }
}

/// Memory orders of C11; `Plain` and `Guarded` are accesses that are not atomic, `Message` is none of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Order {
    /// Not atomic.
    Plain,
    /// Likewise, and an analysis has found that no other thread can touch the place while this access is pending. Front ends do not say so.
    Guarded,
    /// `memory_order_relaxed`.
    Relaxed,
    /// `memory_order_acquire` (and consume).
    Acquire,
    /// `memory_order_release`.
    Release,
    /// `memory_order_acq_rel`.
    AcqRel,
    /// `memory_order_seq_cst`.
    SeqCst,
    /// What the Linux kernel says and C11 does not.
    Kernel(Kernel),
    /// A fence that inline assembly names.
    Barrier(Barrier),
    /// A read-modify-write that fails and yet keeps as much in order as one that writes: so it is on machines that lock the instruction.
    Locked,
    /// No access of memory but a message with these tags ([`message`]): models of memory do not know it.
    Message(Marks),
}

impl Barrier {
    /// The strongest fence of C11 that is not stronger.
    pub fn as_c11(self) -> Order {
        match self {
            Barrier::DmbIsh | Barrier::Sync | Barrier::Mfence | Barrier::Fence(Kinds::All, Kinds::All) => Order::SeqCst,
            Barrier::Lwsync | Barrier::FenceTso => Order::AcqRel,
            Barrier::DmbIshld | Barrier::Fence(Kinds::Reads, Kinds::All) => Order::Acquire,
            Barrier::Fence(Kinds::All, Kinds::Writes) => Order::Release,
            _ => Order::Relaxed,
        }
    }

    /// What it is where reads are in order and writes wait in buffers.
    pub fn as_buffered(self) -> Order {
        match self {
            Barrier::Fence(Kinds::Writes | Kinds::All, Kinds::Reads | Kinds::All) => Order::SeqCst,
            Barrier::DmbIshst | Barrier::Eieio | Barrier::Sfence => Order::Release,
            Barrier::Fence(Kinds::Writes | Kinds::All, Kinds::Writes) => Order::Release,
            Barrier::Isb | Barrier::Isync | Barrier::Lfence | Barrier::Fence(..) => Order::Acquire,
            _ => self.as_c11(),
        }
    }
}

impl Order {
    /// Whether the access is atomic.
    pub fn is_atomic(self) -> bool {
        !matches!(self, Order::Plain | Order::Guarded)
    }

    /// Whether a read of this order synchronises with the release it reads from.
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst | Order::Locked | Order::Kernel(Kernel::Lock))
    }

    /// The tags of the message, if the access sends or receives one.
    pub fn message(self) -> Option<Marks> {
        match self {
            Order::Message(marks) => Some(marks),
            _ => None,
        }
    }

    /// Whether a write of this order publishes what came before.
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst | Order::Kernel(Kernel::Unlock))
    }
}

/// What an access names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// A global variable.
    Var(VarId),
    /// Bytes of an object: `sort` at address `addr`.
    Mem {
        /// A word: the address.
        addr: TermId,
        /// How many bytes, and how they are read.
        sort: Scalar,
        /// Where it can point.
        region: RegionId,
    },
}

/// What is called or started.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// A known procedure.
    Proc(ProcId),
    /// Whatever the function pointer names.
    Pointer(TermId),
}

/// Why a value is arbitrary.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HavocKind {
    /// An input of the program (`__VERIFIER_nondet_int()`).
    Input,
    /// A variable that was not initialised.
    Uninit,
    /// A choice of the environment: one that a library model makes (spurious wake-ups, failing allocations), or an order of
    /// evaluation that C leaves open.
    Choice,
    /// What a library function computes from its arguments and we do not: any value of its range. An execution that goes wrong because of
    /// such a value proves nothing.
    Approximation,
}

/// What a `Check` guards against.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CheckKind {
    /// The error call (`reach_error()`, `__VERIFIER_error()`, an `ERROR:` label).
    ErrorCall,
    /// An `assert`.
    Assertion,
    /// Signed overflow. When it is not checked, arithmetic wraps.
    Overflow,
    /// Division by zero, or of the least number by -1 where overflow is not asked about. When it is not checked, the process dies.
    Division,
    /// An access outside of an object, made by a library model.
    Deref,
    /// A wrong `free`.
    Free,
    /// A use of the thread library that means nothing; what was done, in words.
    Misuse(Box<str>),
    /// The execution leaves what is modelled; an engine that gets here must answer unknown, with this reason.
    Unsupported(Box<str>),
    /// The execution needs more than a bound that a pass set; likewise.
    Bound(Box<str>),
}

/// Where an allocated object lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AllocKind {
    /// Freed by `free`.
    Heap,
    /// Freed when its scope ends, by a `Free` of this kind, or with its thread. The variable that gets its address keeps it until then.
    Stack,
    /// The C library's own: not the program's to free, not lost at the end, and there until a `Free` of this kind.
    Library,
}

/// How an attempt to update fails (compare-exchange, trylock): it synchronises less than one that succeeds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Failure {
    /// When; may mention the old value.
    pub when: TermId,
    /// In which order the old value is read then.
    pub order: Order,
}

/// A note for reports and analyses; it does nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// The lock at the address is now held by this thread.
    Locked,
    /// Likewise, shared with other readers.
    ReadLocked,
    /// It is not held any more.
    Unlocked,
    /// It was to be taken at once, and somebody holds it.
    Busy,
    /// The thread begins to wait on the condition variable at the address.
    Waits,
    /// Its wait is over: somebody signalled the condition variable at the address, or if that is null nobody did and time ran out.
    Woken,
    /// It wakes up although nobody signalled.
    WokenEarly,
    /// One of those who wait on the condition variable is let go.
    Signals,
    /// All of them are.
    Broadcasts,
    /// The semaphore at the address was counted down.
    Down,
    /// It was counted up.
    Up,
    /// The thread is at the barrier at the address.
    Arrives,
    /// It goes on from there.
    Passes,
}

/// What a statement does.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// `var = value`; `var` is a local or thread variable.
    Assign {
        /// Gets the value.
        var: VarId,
        /// The value.
        value: TermId,
    },
    /// `var` gets any value of its sort.
    Havoc {
        /// Gets the value.
        var: VarId,
        /// Why.
        kind: HavocKind,
    },
    /// The edge is taken only if the condition holds. A thread all of whose edges fail an `Assume` is stopped for good,
    /// and the execution is not considered further.
    Assume(TermId),
    /// It is a violation if the condition does not hold. When the kind is not in the property, a failing `Overflow` check
    /// is ignored, `Unsupported` and `Bound` count still, after `Deref`, `Free` and `Misuse` anything may happen, so that nobody can
    /// tell, and any other ends the process without a violation.
    Check {
        /// What must hold.
        cond: TermId,
        /// What is violated otherwise.
        kind: CheckKind,
    },
    /// Reads shared state into a local or thread variable. Reading bytes that were never written yields any value (an
    /// input of this site), and the bytes have that value from then on.
    Load {
        /// Gets the value.
        dst: VarId,
        /// What is read.
        place: Place,
        /// How.
        order: Order,
    },
    /// Writes shared state.
    Store {
        /// What is written.
        place: Place,
        /// The value.
        value: TermId,
        /// How.
        order: Order,
    },
    /// Reads and writes in one step: `dst` gets the old value; then, if `wait` holds, `new` is written. Both may mention `dst`.
    /// While `wait` does not hold the thread waits here (it is blocked, and nothing has happened). Where the attempt fails
    /// `new` is the old value, and the step is but a read with the order of the failure.
    Rmw {
        /// Gets the old value.
        dst: VarId,
        /// What is read and written.
        place: Place,
        /// Blocks until this holds.
        wait: Option<TermId>,
        /// Who alone can end the wait, if somebody looks for deadlocks: a handle, any number of bits wide; 0 if others can
        /// too. It may mention `dst`.
        owner: Option<TermId>,
        /// The new value.
        new: TermId,
        /// How.
        order: Order,
        /// When it fails, if it can.
        failure: Option<Failure>,
    },
    /// A memory fence.
    Fence(Order),
    /// Makes an object; `dst` gets its address.
    Alloc {
        /// Gets the address.
        dst: VarId,
        /// Bytes, a word.
        size: TermId,
        /// Where it lives.
        kind: AllocKind,
        /// Whether its bytes are zero rather than arbitrary.
        zeroed: bool,
        /// Which copy of the statement makes it; see `AllocSite`. Front ends say 0.
        copy: u32,
    },
    /// Ends the object that starts at an address. Freeing null with kind `Heap` does nothing.
    Free {
        /// The address.
        addr: TermId,
        /// What it must be.
        kind: AllocKind,
    },
    /// Starts a thread; `dst` gets its handle. The arguments become the procedure's parameters.
    Start {
        /// Gets the handle, a word: thread index + 1.
        dst: VarId,
        /// What it runs.
        callee: Callee,
        /// Its arguments.
        args: Vec<TermId>,
    },
    /// Waits until the thread with this handle has ended, and gets the word it returned. Blocks for ever on what is no handle.
    Join {
        /// The handle, a word.
        thread: TermId,
        /// Gets the word that the thread returned (0 if none).
        result: Option<VarId>,
    },
    /// No other thread runs until the matching end, unless this one waits. Sections nest.
    AtomicBegin,
    /// Ends the section.
    AtomicEnd,
    /// Calls; `result` gets the returned value.
    Call {
        /// What.
        callee: Callee,
        /// The arguments.
        args: Vec<TermId>,
        /// Gets the value.
        result: Option<VarId>,
    },
    /// Returns; the last statement of an edge to the procedure's exit.
    Return(Option<TermId>),
    /// Ends this thread with a word as its result; the last statement of an edge.
    ExitThread(TermId),
    /// Ends the whole process normally (`exit`, and `main` returning does the same) or by `abort` (nothing leaks then).
    ExitProcess {
        /// Whether it is `abort`.
        is_abort: bool,
    },
    /// Says that a lock at an address was taken or given back, or what else the thread library did with the object there.
    Mark(Mark, TermId),
}

impl Op {
    /// The tags of the message that it sends or receives, if it does.
    pub fn message(&self) -> Option<Marks> {
        match self {
            Op::Load { order, .. } | Op::Store { order, .. } | Op::Rmw { order, .. } => order.message(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_of_writes_is_no_fence_of_c11() {
        assert_eq!(Barrier::DmbIshst.as_c11(), Order::Relaxed);
        assert_eq!(Barrier::DmbIshst.as_buffered(), Order::Release);
        assert_eq!(Barrier::Fence(Kinds::Writes, Kinds::Reads).as_c11(), Order::Relaxed);
        assert_eq!(Barrier::Fence(Kinds::Writes, Kinds::Reads).as_buffered(), Order::SeqCst);
        assert_eq!(Barrier::Fence(Kinds::Reads, Kinds::Writes).as_buffered(), Order::Acquire);
        assert_eq!(Barrier::Lwsync.as_buffered(), Order::AcqRel);
    }
}
