//! What does an engine get, and what does it leave behind? Budget and settings on the way in, statistics and notes on the way out.
//!
//! Every inner loop asks `stop` now and then (it is cheap: the clock and the resident size are read only every few milliseconds), so
//! that a scheduler or the user can end an engine within 100 ms and limits hold without anybody being killed.

use crate::budget::Budget;
use crate::clock;
use crate::knob::{About, Knob, Settings};
use crate::prepared::Prepared;
use crate::reached::Reached;
use ir::pass::{Options, prepare};
use ir::{Program, Properties, Task, Why};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

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

/// Parts of all executions of a program, as texts that name them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Nobody has looked at these.
    pub open: Vec<String>,
    /// Nothing goes wrong in these.
    pub refuted: Vec<String>,
}

/// Calls between two looks at the clock at most.
const MOST_CALLS: u32 = 1024;
/// How far apart looks at the clock are meant to be, at most, and at the memory in use.
const CLOCK_EVERY: Duration = Duration::from_millis(5);
const MEMORY_EVERY: Duration = Duration::from_millis(50);

/// When the clock is read next. Rounds of one search may take a thousand times as long as those of another, or as its own first ones.
#[derive(Clone, Debug)]
struct Looks {
    /// After how many calls.
    wait: u32,
    /// How many calls there were between the last two looks.
    period: u32,
    /// When the clock was read last, and the memory.
    at: Instant,
    memory_at: Instant,
}

impl Looks {
    /// The clock was read; whether it is time to look at the memory, too.
    fn at_clock(&mut self, now: Instant) -> bool {
        let took = now.duration_since(self.at).max(Duration::from_nanos(1));
        let fits = CLOCK_EVERY.as_nanos() * u128::from(self.period) / took.as_nanos();
        // It grows by and by: the next rounds may be slower.
        self.period = u32::try_from(fits).unwrap_or(MOST_CALLS).clamp(1, MOST_CALLS.min(2 * self.period));
        (self.at, self.wait) = (now, self.period);
        let is_time = now.duration_since(self.memory_at) >= MEMORY_EVERY;
        if is_time {
            self.memory_at = now;
        }
        is_time
    }
}

/// One run of an engine.
#[derive(Clone, Debug)]
pub struct Run {
    budget: Budget,
    ticks: u32,
    looks: Looks,
    /// What was prepared of the program that this run is about, if others are asked about the same one.
    pub(crate) prepared: Option<Prepared>,
    /// The engine's knobs, as they were set.
    pub settings: Settings,
    /// What was counted.
    pub statistics: Statistics,
    /// What was looked for, to the end or not; an engine says so once it begins to search.
    pub looked_for: Properties,
    /// Bounds that the answer holds under, in words.
    pub bounds: Vec<String>,
    /// What else is worth knowing of the answer.
    pub notes: Vec<String>,
    /// How far it is, for others to read.
    pub reached: Reached,
    /// Parts of all executions, if the question was cut into them or is about one.
    pub parts: Parts,
    /// When it gives way to others, if they want to compute: whoever has not answered by then seldom does.
    pub(crate) gives_way_at: Option<Instant>,
}

impl Run {
    /// A run within a budget, with all knobs at their defaults.
    pub fn new(budget: Budget) -> Run {
        Run {
            budget,
            ticks: 0,
            looks: Looks { wait: 1, period: 1, at: Instant::now(), memory_at: Instant::now() },
            prepared: None,
            settings: Settings::default(),
            statistics: Statistics::default(),
            looked_for: Properties::NONE,
            bounds: Vec::new(),
            notes: Vec::new(),
            reached: Reached::default(),
            parts: Parts::default(),
            gives_way_at: None,
        }
    }

    /// A run without limits.
    pub fn unlimited() -> Run {
        Run::new(Budget::unlimited())
    }

    /// A run of an engine with these settings; an error if they are none of its own.
    pub fn of(about: &About, budget: Budget, pairs: &[(&str, &str)]) -> Result<Run, String> {
        Ok(Run::new(budget).with(Settings::of(about.name, about.knobs, pairs.iter().copied())?))
    }

    /// The same run with these settings, which have been checked.
    pub fn with(mut self, settings: Settings) -> Run {
        self.settings = settings;
        self
    }

    /// The program of a task with these passes.
    pub(crate) fn prepare(&self, task: &Task, options: &Options) -> Result<Program, Why> {
        match &self.prepared {
            Some(shared) => shared.program(task, options),
            None => prepare(&task.program, task.properties, options),
        }
    }

    /// What it may use.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// How a knob that is a choice is set.
    pub fn word(&self, knob: &Knob) -> &'static str {
        self.settings.word(knob)
    }

    /// The same limits, for solvers.
    pub fn solver_limits(&self) -> smt::Limits {
        self.budget.solver_limits()
    }

    /// Why a solver stopped, as the reason of an unknown answer.
    pub fn why_stopped(&self, why: smt::Why) -> Why {
        match why {
            smt::Why::Cancelled => Why::Cancelled,
            smt::Why::Time => Why::TimeLimit(self.budget.time().unwrap_or_default()),
            smt::Why::Memory => Why::MemoryLimit(self.budget.memory().unwrap_or_default()),
            smt::Why::Incomplete(what) => Why::Bound(what),
        }
    }

    /// Time since the budget began.
    pub fn elapsed(&self) -> Duration {
        self.budget.elapsed()
    }

    /// Whether to stop, and why. The clock is read every so many calls, the seldomer the quicker they follow each other.
    pub fn stop(&mut self) -> Option<Why> {
        self.ticks = self.ticks.wrapping_add(1);
        self.looks.wait = self.looks.wait.saturating_sub(1);
        if self.looks.wait > 0 {
            // Looking at the flag is cheap, and the rounds until the next look at the clock may be slow ones.
            return self.budget.is_cancelled().then_some(Why::Cancelled);
        }
        let now = Instant::now();
        let looks_at_memory = self.looks.at_clock(now);
        self.budget.is_over().or_else(|| looks_at_memory.then(|| self.budget.exceeds_memory()).flatten())
    }

    /// Likewise for loops whose rounds take long: looks at the clock in every call and at the memory in use every 256th.
    pub fn stop_soon(&mut self) -> Option<Why> {
        if self.gives_way_at.is_some_and(|at| Instant::now() >= at) {
            self.gives_way_at = None;
            clock::give_way();
        }
        self.ticks = self.ticks.wrapping_add(1);
        self.budget.is_over().or_else(|| self.ticks.is_multiple_of(256).then(|| self.budget.exceeds_memory()).flatten())
    }

    /// Likewise, looking at everything at once.
    pub fn stop_now(&mut self) -> Option<Why> {
        self.budget.is_over().or_else(|| self.budget.exceeds_memory())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_stop_soon_however_long_their_rounds_take() {
        let mut run = Run::new(Budget::of_time(Duration::from_millis(60)));
        let mut n_rounds = 0;
        while run.stop().is_none() {
            n_rounds += 1;
            // Quick ones first, which let the looks grow far apart.
            if n_rounds > 5000 {
                std::thread::sleep(Duration::from_millis(1));
            }
            assert!(n_rounds < 5000 + 60 + MOST_CALLS, "the first slow rounds are counted like quick ones, no others");
        }
        let mut run = Run::new(Budget::of_time(Duration::from_millis(60)));
        let slow = (0..1000).position(|_| {
            std::thread::sleep(Duration::from_millis(2));
            run.stop().is_some()
        });
        assert!(slow.is_some_and(|rounds| rounds < 60), "{slow:?}");
    }

    #[test]
    fn whoever_is_cancelled_stops_at_once() {
        let mut run = Run::new(Budget::unlimited());
        (0..5000).for_each(|_| assert_eq!(run.stop(), None));
        run.budget().cancel();
        assert_eq!(run.stop(), Some(Why::Cancelled));
    }

    #[test]
    fn quick_loops_seldom_look_at_the_clock() {
        let mut looks = Looks { wait: 1, period: 1, at: Instant::now(), memory_at: Instant::now() };
        for call in 1..20u32 {
            looks.at_clock(looks.at + Duration::from_nanos(100) * looks.period);
            assert_eq!(looks.period, MOST_CALLS.min(1 << call));
        }
        looks.at_clock(looks.at + Duration::from_secs(1));
        assert_eq!(looks.period, 5);
    }
}
