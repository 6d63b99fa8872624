//! How much may an engine use, and what did it do? Limits, cancellation, knobs and statistics of one run.
//!
//! Every inner loop asks `stop` now and then (it is cheap: the clock and the resident size are read only every so many calls), so
//! that a portfolio or the user can end an engine within 100 ms and limits hold without anybody being killed.

use ir::{Properties, Why};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// An option of an engine, set by `--engine-name.knob value`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Knob {
    /// Its name.
    pub name: &'static str,
    /// What it may be: words separated by `|`, or `N` for a number.
    pub values: &'static str,
    /// What it is when nobody says anything.
    pub default: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// Numbers that an engine counted, in the order of their names.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Statistics(pub BTreeMap<&'static str, f64>);

impl Statistics {
    /// Sets a number.
    pub fn set(&mut self, name: &'static str, value: f64) {
        self.0.insert(name, value);
    }

    /// Adds to a number.
    pub fn add(&mut self, name: &'static str, value: f64) {
        *self.0.entry(name).or_insert(0.0) += value;
    }
}

/// One run of an engine.
#[derive(Clone, Debug)]
pub struct Run {
    started: Instant,
    time_limit: Option<Duration>,
    memory_limit: Option<u64>,
    cancel: Arc<AtomicBool>,
    ticks: u32,
    /// Knobs that the user set, by name without the engine's.
    pub knobs: BTreeMap<String, String>,
    /// What was counted.
    pub statistics: Statistics,
    /// What was looked for, to the end or not; an engine says so once it begins to search.
    pub looked_for: Properties,
    /// Whether a second engine shall answer before anything is told.
    pub second_opinion: bool,
    /// Who else came to the same answer.
    pub confirmed_by: Option<&'static str>,
    /// Who gave the answer, if it was not the one who was asked.
    pub decided_by: Option<&'static str>,
    /// Who else was asked and did not know, and why.
    pub gave_up: Vec<(&'static str, Why)>,
    /// Who else was asked and panicked, and with which words.
    pub failed: Vec<(&'static str, String)>,
    /// Takes the words of this thread's last panic, with its place; only who installed a panic hook has heard them.
    pub last_panic: Option<fn() -> Option<String>>,
    /// Called now and then with a line that says how far the work is.
    pub progress: Option<fn(&str)>,
}

impl Run {
    /// A run with limits. `cancel` may be set from anywhere to end it.
    pub fn new(time_limit: Option<Duration>, memory_limit: Option<u64>, cancel: Arc<AtomicBool>) -> Run {
        Run {
            started: Instant::now(),
            time_limit,
            memory_limit,
            cancel,
            ticks: 0,
            knobs: BTreeMap::new(),
            statistics: Statistics::default(),
            looked_for: Properties::NONE,
            second_opinion: false,
            confirmed_by: None,
            decided_by: None,
            gave_up: Vec::new(),
            failed: Vec::new(),
            last_panic: None,
            progress: None,
        }
    }

    /// A run with the same limit on memory, for this time at most, with another cancel flag.
    pub fn part(&self, time_limit: Option<Duration>, cancel: Arc<AtomicBool>) -> Run {
        Run::new(time_limit, self.memory_limit, cancel)
    }

    /// The limit on time.
    pub fn time_limit(&self) -> Option<Duration> {
        self.time_limit
    }

    /// How much of the time is left.
    pub fn time_left(&self) -> Option<Duration> {
        self.time_limit.map(|limit| limit.saturating_sub(self.started.elapsed()))
    }

    /// A run without limits.
    pub fn unlimited() -> Run {
        Run::new(None, None, Arc::new(AtomicBool::new(false)))
    }

    /// The value of a knob: what the user set, or the default.
    pub fn knob(&self, knob: &Knob) -> &str {
        self.knobs.get(knob.name).map_or(knob.default, String::as_str)
    }

    /// The same limits, for solvers.
    pub fn solver_limits(&self) -> smt::Limits {
        smt::Limits {
            time: None,
            deadline: self.time_limit.map(|limit| self.started + limit),
            memory: self.memory_limit,
            cancel: self.cancel.clone().into(),
        }
    }

    /// Why a solver stopped, as the reason of an unknown answer.
    pub fn why_stopped(&self, why: smt::Why) -> Why {
        match why {
            smt::Why::Cancelled => Why::Cancelled,
            smt::Why::Time => Why::TimeLimit(self.time_limit.unwrap_or_default()),
            smt::Why::Memory => Why::MemoryLimit(self.memory_limit.unwrap_or_default()),
            smt::Why::Incomplete(what) => Why::Bound(what),
        }
    }

    /// Time since the run began.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether to stop, and why. Looks at the clock every 1024th call and at the memory in use every 65536th.
    pub fn stop(&mut self) -> Option<Why> {
        self.ticks = self.ticks.wrapping_add(1);
        if !self.ticks.is_multiple_of(1024) {
            return None;
        }
        self.stop_without_memory().or_else(|| self.ticks.is_multiple_of(65536).then(|| self.stop_for_memory())?)
    }

    /// Likewise for loops whose rounds take long: looks at the clock in every call and at the memory in use every 256th.
    pub fn stop_soon(&mut self) -> Option<Why> {
        self.ticks = self.ticks.wrapping_add(1);
        self.stop_without_memory().or_else(|| self.ticks.is_multiple_of(256).then(|| self.stop_for_memory())?)
    }

    /// Likewise, looking at everything at once.
    pub fn stop_now(&mut self) -> Option<Why> {
        self.stop_without_memory().or_else(|| self.stop_for_memory())
    }

    fn stop_without_memory(&self) -> Option<Why> {
        if self.cancel.load(Ordering::Relaxed) {
            return Some(Why::Cancelled);
        }
        if let Some(limit) = self.time_limit
            && self.started.elapsed() >= limit
        {
            return Some(Why::TimeLimit(limit));
        }
        None
    }

    fn stop_for_memory(&self) -> Option<Why> {
        let limit = self.memory_limit?;
        resident_bytes().is_some_and(|bytes| bytes >= limit).then_some(Why::MemoryLimit(limit))
    }
}

/// The memory that this process occupies, where the system tells.
pub fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
