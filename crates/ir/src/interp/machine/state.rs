//! What is the state of a running program? Globals, memory, and each thread's frames: no more than what the future
//! depends on, and what names things to a person (where a frame was called, which objects are gone).
//!
//! States are compared and hashed as a whole; two equal states behave the same.

use super::event::Cell;
use super::memory::Memory;
use crate::program::{EdgeRef, LocId, ProcId};
use logic::{Value, VarId};

/// A state of the whole program. Variables are addressed by the slots that `Machine` gives them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// Values of the globals; `None` until somebody writes, or reads and thereby chooses.
    pub globals: Vec<Option<Value>>,
    /// All threads ever started; the first is 0.
    pub threads: Vec<Thread>,
    /// The objects.
    pub memory: Memory,
    /// The thread whose last step left it inside an atomic section.
    pub holder: Option<u32>,
    /// How the process has ended, if it has.
    pub end: Option<End>,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    /// Activations, the running one last.
    pub frames: Vec<Frame>,
    /// Values of the thread variables.
    pub vars: Vec<Value>,
    /// The word it ended with, once it has.
    pub result: Option<Value>,
    /// How many atomic sections it is in.
    pub depth: u32,
    /// How many granules of addresses it has used.
    pub n_granules: u64,
    /// What it has stored and memory does not have yet, the oldest first; always empty under `Model::Sc`.
    pub buffer: Vec<Pending>,
}

/// What stands in a buffer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pending {
    /// A store.
    Store {
        /// Where.
        cell: Cell,
        /// The object that it lies in; 0 for variables.
        base: u64,
        /// What.
        value: Value,
    },
    /// Nothing behind it is committed before what is in front of it.
    Barrier,
}

/// An activation of a procedure.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// What runs.
    pub proc: ProcId,
    /// Where it stands.
    pub loc: LocId,
    /// Values of the locals.
    pub locals: Vec<Value>,
    /// The edge that called it.
    pub called_by: Option<EdgeRef>,
    /// The caller's variable that gets the result.
    pub result: Option<VarId>,
}

/// How a process has ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// By `exit`, by the return of the main procedure, or with the last thread.
    Normal,
    /// By `abort`.
    Abort,
    /// By a failing check or a bad access that nobody asked about.
    Crash,
}

impl Thread {
    /// Whether it has ended. Its stores may still be on their way to memory.
    pub fn has_ended(&self) -> bool {
        self.result.is_some()
    }

    /// Whether it can be joined.
    pub fn is_over(&self) -> bool {
        self.has_ended() && self.buffer.is_empty()
    }

    /// The running activation.
    pub fn top(&self) -> Option<&Frame> {
        self.frames.last()
    }
}
