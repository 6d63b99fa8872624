//! What is told of an execution? Threads, the steps that matter, and how it ends: data between replay and the renderers.
//!
//! A `Row` is what one thread did on one line of the user's text without being interrupted. The lanes, the JSON report and every
//! later format render these same rows, so they cannot disagree about what happened.

use ir::{Property, Span};

/// An execution, ready to be told.
#[derive(Clone, PartialEq, Debug)]
pub struct Story {
    /// What each thread is called: `main`, `T1 worker`.
    pub threads: Vec<String>,
    /// What happened, in order.
    pub rows: Vec<Row>,
}

/// What one thread did on one source line.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Number shown to the user, from 1.
    pub step: usize,
    /// Index of the thread.
    pub thread: usize,
    /// The line, in the user's own text.
    pub span: Span,
    /// Its text, trimmed; empty when it was not seen.
    pub source: String,
    /// What could be noticed of it.
    pub effects: Vec<Effect>,
}

/// Something that a step did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Read shared state.
    Read {
        /// What.
        name: String,
        /// Its value.
        value: String,
        /// The step that wrote it; none for initial values.
        written_at: Option<usize>,
    },
    /// Wrote shared state.
    Write {
        /// What.
        name: String,
        /// The value before, if it was known.
        old: Option<String>,
        /// The value after.
        new: String,
    },
    /// Stored to its buffer, where nobody else sees it.
    Buffer {
        /// What.
        name: String,
        /// The value.
        new: String,
    },
    /// A store of a thread's buffer has reached memory.
    Commit {
        /// Whose: the thread's label.
        thread: String,
        /// What.
        name: String,
        /// The value before, if it was known.
        old: Option<String>,
        /// The value after.
        new: String,
    },
    /// Changed a variable of its own.
    Set {
        /// What.
        name: String,
        /// The value after.
        value: String,
    },
    /// Got an input.
    Input {
        /// The value that was chosen.
        value: String,
    },
    /// Started a thread.
    Start {
        /// Its label.
        thread: String,
    },
    /// Learned that a thread has ended.
    Join {
        /// Its label.
        thread: String,
    },
    /// Took a lock.
    Lock {
        /// Which.
        name: String,
        /// Whether other readers may hold it too.
        is_shared: bool,
    },
    /// Gave a lock back.
    Unlock {
        /// Which.
        name: String,
    },
    /// Did something else with an object of the thread library.
    Sync {
        /// What, in one word for machines: `wait`, `wake`, `signal`, `broadcast`, `busy`, `down`, `up`, `arrive`, `pass`.
        kind: &'static str,
        /// With which.
        name: Option<String>,
        /// What, in words.
        text: String,
    },
    /// Made an object.
    Alloc {
        /// What it is called.
        name: String,
        /// Bytes.
        size: u64,
    },
    /// Ended an object.
    Free {
        /// What it is called.
        name: String,
    },
    /// Ended, or anything else worth a word.
    Note(String),
}

impl Effect {
    /// One line for people.
    pub fn text(&self) -> String {
        match self {
            Effect::Read { name, value, written_at: Some(step) } => {
                format!("reads {name} = {value} (written at step {step})")
            }
            Effect::Read { name, value, written_at: None } => format!("reads {name} = {value}"),
            Effect::Write { name, old: Some(old), new } => format!("{name}: {old} → {new}"),
            Effect::Write { name, old: None, new } => format!("{name}: → {new}"),
            Effect::Buffer { name, new } => format!("stores {name} = {new}, not in memory yet"),
            Effect::Commit { thread, name, new, .. } => format!("{thread}'s store {name} = {new} reaches memory"),
            Effect::Set { name, value } => format!("{name} = {value}"),
            Effect::Input { value } => format!("input {value}"),
            Effect::Start { thread } => format!("starts {thread}"),
            Effect::Join { thread } => format!("joins {thread}"),
            Effect::Lock { name, is_shared: false } => format!("locks {name}"),
            Effect::Lock { name, is_shared: true } => format!("locks {name} for reading"),
            Effect::Unlock { name } => format!("unlocks {name}"),
            Effect::Alloc { name, size } => format!("allocates {name} ({size} bytes)"),
            Effect::Free { name } => format!("frees {name}"),
            Effect::Sync { text, .. } | Effect::Note(text) => text.clone(),
        }
    }
}

/// How an execution ends.
#[derive(Clone, PartialEq, Debug)]
pub struct Ending {
    /// What went wrong.
    pub property: Property,
    /// In one sentence.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Who does it; `None` when all threads together do (a deadlock).
    pub thread: Option<usize>,
    /// What else belongs to it: who waits for what, the other access of a race.
    pub details: Vec<Detail>,
}

/// A part of an ending.
#[derive(Clone, PartialEq, Debug)]
pub struct Detail {
    /// The thread it is about.
    pub thread: Option<usize>,
    /// In one sentence.
    pub message: String,
    /// Where.
    pub span: Span,
    /// The calls that lead there, innermost first.
    pub calls: Vec<Call>,
    /// What it is, for those who draw rather than tell.
    pub role: Role,
}

/// What a part of an ending is.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Role {
    /// The sentence says it all.
    #[default]
    Told,
    /// One of the two accesses of a race.
    Access {
        /// What is accessed.
        name: String,
        /// `reads`, `writes` or `frees`.
        verb: &'static str,
        /// Locks that the thread holds.
        locks: Vec<String>,
    },
    /// A thread that waits for ever.
    Waits {
        /// For what, by name; nothing where it waits for the ends of threads.
        on: Option<String>,
        /// The threads that hold it, or must end.
        by: Vec<usize>,
        /// Locks that the waiting thread holds.
        locks: Vec<String>,
    },
    /// An object of the heap.
    Object,
}

/// A call of the user's.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// What is called.
    pub function: String,
    /// Where.
    pub place: Span,
}
