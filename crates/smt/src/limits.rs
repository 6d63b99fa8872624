//! How much may one check use, and how is it stopped from outside?
//!
//! A check is stopped by a flag that anyone may set, a deadline, or the resident size of the process. The back ends look
//! at these often enough to return within 100 ms; what they return then is `Unknown` with the reason. Memory is that of
//! the whole process, since that is what an operating system punishes; where it cannot be read it is not limited.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a check has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// Somebody set the cancel flag.
    Cancelled,
    /// The time limit of the check or the deadline has passed.
    Time,
    /// The process became larger than allowed, or an allocation failed inside the solver.
    Memory,
    /// The back end cannot decide this: in words.
    Incomplete(String),
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Why::Cancelled => f.write_str("cancelled"),
            Why::Time => f.write_str("out of time"),
            Why::Memory => f.write_str("out of memory"),
            Why::Incomplete(what) => f.write_str(what),
        }
    }
}

/// What a check may use.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Time for each check.
    pub time: Option<Duration>,
    /// When all checks end.
    pub deadline: Option<Instant>,
    /// Bytes that the whole process may occupy.
    pub memory: Option<u64>,
    /// Ends checks from any thread.
    pub cancel: Cancel,
}

impl Limits {
    /// No limit but this time for each check.
    pub fn time(time: Duration) -> Limits {
        Limits { time: Some(time), ..Limits::default() }
    }

    /// Whether the deadline has passed or somebody has cancelled, for those who prepare a check.
    pub fn is_over(&self) -> Option<Why> {
        if self.cancel.is_cancelled() {
            return Some(Why::Cancelled);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Why::Time)
    }
}

/// A handle that ends running and later checks; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Ends the running check of every solver with this handle, and all later ones.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether `cancel` was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl From<Arc<AtomicBool>> for Cancel {
    fn from(flag: Arc<AtomicBool>) -> Cancel {
        Cancel(flag)
    }
}

/// The limits of one check under way.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    cancel: Cancel,
    deadline: Option<Instant>,
    memory: Option<u64>,
    memory_read: Cell<Option<Instant>>,
    reason: Cell<Option<Reason>>,
}

#[derive(Clone, Copy, Debug)]
enum Reason {
    Cancelled,
    Time,
    Memory,
}

/// How long a reading of the resident size counts.
const MEMORY_PERIOD: Duration = Duration::from_millis(20);

impl Stop {
    /// The check begins now.
    pub(crate) fn begin(limits: &Limits) -> Stop {
        let own = limits.time.map(|time| Instant::now() + time);
        let deadline = match (own, limits.deadline) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Stop {
            cancel: limits.cancel.clone(),
            deadline,
            memory: limits.memory,
            memory_read: Cell::new(None),
            reason: Cell::new(None),
        }
    }

    /// Whether to stop now; once true it stays true.
    pub(crate) fn poll(&self) -> bool {
        if self.reason.get().is_some() {
            return true;
        }
        if self.cancel.is_cancelled() {
            self.reason.set(Some(Reason::Cancelled));
        } else if self.deadline.is_some() || self.memory.is_some() {
            let now = Instant::now();
            if self.deadline.is_some_and(|deadline| now >= deadline) {
                self.reason.set(Some(Reason::Time));
            } else if self.exceeds_memory(now) {
                self.reason.set(Some(Reason::Memory));
            }
        }
        self.reason.get().is_some()
    }

    /// An error if it is time to stop.
    pub(crate) fn check(&self) -> Result<(), Why> {
        if self.poll() { Err(self.why().expect("a poll that stops has a reason")) } else { Ok(()) }
    }

    fn exceeds_memory(&self, now: Instant) -> bool {
        let Some(limit) = self.memory else { return false };
        if self.memory_read.get().is_some_and(|read| now - read < MEMORY_PERIOD) {
            return false;
        }
        self.memory_read.set(Some(now));
        resident_bytes().is_some_and(|bytes| bytes > limit)
    }

    /// What stopped the check, if something did.
    pub(crate) fn why(&self) -> Option<Why> {
        self.reason.get().map(|reason| match reason {
            Reason::Cancelled => Why::Cancelled,
            Reason::Time => Why::Time,
            Reason::Memory => Why::Memory,
        })
    }
}

/// The memory that this process occupies, where the system tells.
pub fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
