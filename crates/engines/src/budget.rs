//! How much may be used? One budget of time and memory, with one flag that ends everything, from the command line down to the solvers.
//!
//! A budget begins when it is made and is cloned freely: clones share the beginning and the flag. A part of it (`part`) has a flag of its own, so that
//! some can be ended without the others, and never lasts longer than the whole; a share (`share`) has the same flag and less time. Memory is that of the process, since that is what an
//! operating system punishes; where the system does not tell it, it is not limited.
//!
//! Not here: how often somebody looks (`Run::stop`), and who gives the answer when nobody looked (the watcher of the command line).

use ir::Why;
use std::time::{Duration, Instant};

/// Limits on time and memory, and a flag that ends the work.
#[derive(Clone, Debug)]
pub struct Budget {
    started: Instant,
    time: Option<Duration>,
    memory: Option<u64>,
    cancel: smt::Cancel,
}

impl Budget {
    /// A budget that begins now.
    pub fn new(time: Option<Duration>, memory: Option<u64>) -> Budget {
        Budget { started: Instant::now(), time, memory, cancel: smt::Cancel::default() }
    }

    /// No limits; it can still be cancelled.
    pub fn unlimited() -> Budget {
        Budget::new(None, None)
    }

    /// This time from now on, and no other limit.
    pub fn of_time(time: Duration) -> Budget {
        Budget::new(Some(time), None)
    }

    /// A budget that begins now, with a flag of its own: the same memory, and this time, but no more than is left.
    pub fn part(&self, time: Option<Duration>) -> Budget {
        let time = match (time, self.time_left()) {
            (Some(wanted), Some(left)) => Some(wanted.min(left)),
            (wanted, left) => wanted.or(left),
        };
        Budget::new(time, self.memory)
    }

    /// Likewise, with the same flag.
    pub fn share(&self, time: Option<Duration>) -> Budget {
        Budget { cancel: self.cancel.clone(), ..self.part(time) }
    }

    /// The same beginning and limits, with a flag of its own.
    pub fn apart(&self) -> Budget {
        Budget { cancel: smt::Cancel::default(), ..self.clone() }
    }

    /// The same beginning, time and flag, and so many hundredths of the memory.
    pub fn within_memory(&self, hundredths: u32) -> Budget {
        let memory = self.memory.map(|memory| memory / 100 * u64::from(hundredths));
        Budget { memory, ..self.clone() }
    }

    /// Ends the work of everybody who shares the flag.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Whether somebody has.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// The limit on time, from the beginning on.
    pub fn time(&self) -> Option<Duration> {
        self.time
    }

    /// The limit on memory, in bytes.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// Time since the beginning.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// How much of the time is left.
    pub fn time_left(&self) -> Option<Duration> {
        self.time.map(|limit| limit.saturating_sub(self.elapsed()))
    }

    /// Whether the flag is raised or the time is over.
    pub fn is_over(&self) -> Option<Why> {
        if self.is_cancelled() {
            return Some(Why::Cancelled);
        }
        self.time.filter(|limit| self.elapsed() >= *limit).map(Why::TimeLimit)
    }

    /// Whether the process occupies more than it may. Asks the system, which takes some microseconds.
    pub fn exceeds_memory(&self) -> Option<Why> {
        let limit = self.memory?;
        (memory_in_use() >= limit).then_some(Why::MemoryLimit(limit))
    }

    /// The same limits, for solvers.
    pub fn solver_limits(&self) -> smt::Limits {
        smt::Limits {
            time: None,
            deadline: self.time.map(|limit| self.started + limit),
            memory: self.memory,
            cancel: self.cancel.clone(),
        }
    }
}

/// The memory that this process occupies; nothing where the system does not tell.
pub fn memory_in_use() -> u64 {
    smt::resident_bytes().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_with_the_whole_and_alone() {
        let whole = Budget::new(Some(Duration::from_secs(100)), Some(1));
        let part = whole.part(Some(Duration::from_secs(1000)));
        assert!(part.time().is_some_and(|time| time <= Duration::from_secs(100)));
        assert_eq!(part.exceeds_memory().is_some(), memory_in_use() > 0);
        part.cancel();
        assert_eq!((part.is_over(), whole.is_over()), (Some(Why::Cancelled), None));
        let clone = whole.clone();
        clone.cancel();
        assert_eq!(whole.is_over(), Some(Why::Cancelled));
        assert_eq!(Budget::of_time(Duration::ZERO).is_over(), Some(Why::TimeLimit(Duration::ZERO)));
    }
}
