//! What does a program mean? This interpreter is the definition: small, plain, and slow where that is clearer.
//!
//! A state is globals, objects and threads; a thread is a stack of frames. A step is one thread taking one edge whole,
//! or not at all: if an `Assume` or a wait on the edge does not hold, nothing has happened. The rules:
//!
//! - **Start.** A thread, the first included, runs `thread_init` and then its procedure; its handle is its index + 1,
//!   found in `self_var`. Thread variables start with their initial values, locals with zero, globals and bytes of
//!   unknown content with whatever the first reader chooses.
//! - **Status.** A thread can run if one of its edges can be taken; else it waits if some edge waits (an `Rmw` whose
//!   condition does not hold, a `Join`); else it is stopped by an `Assume`. An edge that asks for an input before it
//!   can fail counts as one that can be taken. If what an `Rmw` waits on was never written, its step chooses what is there, and if
//!   that does not let it go on, this was all: the bytes have that value from then on, and the thread waits.
//! - **Atomic sections.** The holder is the thread whose last step left it inside a section. While the holder does not
//!   wait, no other thread runs. A thread that has waited inside a section is not preferred when it can go on; with its
//!   next step it becomes the holder again.
//! - **Accesses** must lie inside one live object; otherwise (null, freed, out of scope, past the end, a function, a
//!   write to read-only data) it is a violation of `Deref`. `Free` takes the start of a live object of its kind; otherwise it
//!   is a violation of `Free`. Pointers may point anywhere as long as they are not used. If nobody asked about
//!   the property, the execution leaves the model: what follows is undefined, and nobody may call the program safe.
//! - **Ends of objects.** A heap object ends by `Free`, a stack object by a `Free` of its kind or with the thread that made it: the step that ends a thread
//!   (the return of its procedure, `ExitThread`) ends all stack objects that it made and that are live still, thread-local ones included.
//! - **Checks** that fail are violations, if asked about; else overflow goes on with the wrapped value, `Unsupported`,
//!   `Bound`, `Deref`, `Free` and `Misuse` leave the model, and all others end the process.
//! - **End.** The process ends when the main procedure returns, by `ExitProcess`, by a crash, or when all threads have ended.
//!   If it ends normally, live heap objects violate `MemCleanup`, and those that no chain of words from globals,
//!   static objects and locals of functions that have not returned reaches violate `MemTrack`.
//! - **Deadlock.** The process has not ended, and either no thread can run, one waits, and none is stopped by an `Assume`; or some threads
//!   wait for each other in a circle, or for a lock whose owner has ended (`waits`).
//! - **Termination.** An execution never ends if it goes round for ever (`lasso`), or if no thread can run as in a deadlock.
//! - **Memory model.** Stores may be buffered on their way to memory; when, and what that changes, is said in `crate::model`.
//! - **Race.** See `race`: two conflicting accesses, not both atomic, unordered by C11's happens-before (`happens_before`).
//!
//! - [`machine`] runs: the program made ready (`program`), states, which steps there are (`step`), statements (`exec`), bytes (`memory`), the lives of objects, stores on
//!   their way (`buffer`), the end (`leak`), and what things are called (`names`);
//! - [`sync`] says what orders threads: locks, who waits for whom, C11's happens-before, and races;
//! - [`explore`] chooses schedules and inputs: an `Execution` is a run with its log and races, `random` takes one, `naive` takes all.

mod explore;
mod machine;
mod sync;

pub(crate) use explore::approximation::rests_on;
pub(crate) use explore::drift::repeats;
pub use explore::execution::Execution;
pub use explore::log::{CallSite, Effect, Log, LogStep};
pub use explore::naive::{Exploration, Limits, enumerate, enumerate_until, raced_for};
pub use explore::random::{RunEnd, RunReport, run_random};
pub(crate) use explore::settle::settle;
pub use machine::event::{
    ASSERTION_FAILED, Cell, Details, Event, InputKind, Inputs, NotEnabled, RaceAccess, Request, StepResult, Violation,
    Wait, WaitOn, Waiter, What, Zeros,
};
pub(crate) use machine::inputs::for_all_inputs;
pub use machine::inputs::{Domain, GivenInputs};
pub use machine::memory::{Bytes, Fault, Gone, Memory, Origin, from_bytes, to_bytes};
pub use machine::names::Namer;
pub use machine::program::Machine;
pub use machine::state::{End, Frame, Pending, State, Thread};
pub use machine::step::Status;
pub use sync::happens_before::HappensBefore;
pub use sync::locks::Locks;
pub use sync::race::{Races, adjacent_race};
pub use sync::watched::Watched;

#[cfg(test)]
mod tests;
