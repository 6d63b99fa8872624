//! What does one run of an engine give? The answer, compared with the one that is known, and what it cost.
//!
//! The time, and the limit, are those of the processor, from when the engine gets the task until it answers: reading the program comes before, and replaying its trace and checking
//! its proof come after, as in `engines::decide`, whose answer counts. What contradicts the known answer is wrong and never solved.

use super::args::Asked;
use super::limit::{budget, within};
use engines::{About, Budget, Decided, Engine, Run, computed, decide, engine_named};
use ir::{Model, Properties, Property, Task, Verdict, Why};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Settings that are compared: what they are called, and the knobs.
pub(super) type Setting = (&'static str, &'static [(&'static str, &'static str)]);

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    /// Whether nothing goes wrong, if that was decided.
    pub(super) is_safe: Option<bool>,
    /// Whether that contradicts what is known.
    pub(super) is_wrong: bool,
    /// Whether there is no answer but that nothing goes wrong up to a bound.
    pub(super) is_bounded: bool,
    /// Processor time of the engine.
    pub(super) seconds: f64,
    pub(super) statistics: BTreeMap<&'static str, f64>,
}

impl Measured {
    /// A statistic of the engine.
    pub(super) fn number(&self, name: &str) -> f64 {
        self.statistics.get(name).copied().unwrap_or(0.0)
    }

    /// Whether there is an answer, and not a wrong one.
    pub(super) fn is_solved(&self) -> bool {
        self.is_safe.is_some() && !self.is_wrong
    }

    /// Seconds, or why there are none.
    pub(super) fn cell(&self) -> String {
        match self.is_safe {
            Some(_) if self.is_wrong => "WRONG".to_string(),
            Some(_) => format!("{:.2}", self.seconds),
            None => String::new(),
        }
    }

    /// The answer in a word.
    pub(super) fn word(&self) -> &'static str {
        match self.is_safe {
            Some(_) if self.is_wrong => "WRONG",
            Some(true) => "safe",
            Some(false) => "unsafe",
            None => "unknown",
        }
    }
}

/// Asks an engine; `known` is the right answer, where somebody knows it.
pub(super) fn measure(
    task: &Task,
    known: Option<bool>,
    engine: &str,
    knobs: &[(&str, &str)],
    limit: Duration,
) -> Result<Measured, String> {
    let inner = engine_named(engine).ok_or_else(|| format!("there is no engine {engine}"))?;
    let budget = budget(limit);
    let timed = Timed { inner, limit, budget: budget.clone(), nanoseconds: AtomicU64::new(0) };
    let mut run = Run::of(inner.about(), budget, knobs)?;
    let decided = decide(&timed, task, &mut run);
    let is_safe = match &decided {
        Decided::Safe(..) => Some(true),
        Decided::Unsafe(_) => Some(false),
        Decided::Unknown(_) => None,
    };
    Ok(Measured {
        is_safe,
        is_bounded: matches!(&decided, Decided::Unknown(Why::Bound(what)) if what.contains("no violation up to")),
        is_wrong: matches!((is_safe, known), (Some(said), Some(known)) if said != known),
        seconds: timed.nanoseconds.load(Ordering::Relaxed) as f64 / 1e9,
        statistics: run.statistics.0,
    })
}

/// An engine with a clock, and a limit for itself alone.
struct Timed {
    inner: &'static dyn Engine,
    limit: Duration,
    budget: Budget,
    nanoseconds: AtomicU64,
}

impl Engine for Timed {
    fn about(&self) -> &'static About {
        self.inner.about()
    }

    fn models(&self) -> &'static [Model] {
        self.inner.models()
    }

    fn properties(&self, task: &Task) -> Properties {
        self.inner.properties(task)
    }

    fn check(&self, task: &Task, run: &mut Run) -> Verdict {
        let started = computed();
        let verdict = within(self.limit, &self.budget, || self.inner.check(task, run));
        let took = computed().saturating_sub(started).as_nanos();
        self.nanoseconds.store(u64::try_from(took).unwrap_or(u64::MAX), Ordering::Relaxed);
        verdict
    }
}

/// Reads a program, or a task definition, and asks about error calls and assertions.
pub(super) fn load(path: &Path) -> Result<Task, String> {
    read(path, Properties::of(&[Property::ErrorCall, Property::Assertion]))
}

/// The question of a suite.
pub(super) fn load_asked(asked: &Asked) -> Result<Task, String> {
    read(&asked.task.path, asked.properties)
}

fn read(path: &Path, properties: Properties) -> Result<Task, String> {
    let mut options = frontend::Options::default();
    let files: Vec<PathBuf> = if cases::task_file::is_task_file(path) {
        let definition = cases::task_file::read(path)?;
        options.data_model = definition.data_model;
        definition.input_files
    } else {
        vec![path.to_path_buf()]
    };
    let loaded = frontend::load(&files, &options)
        .map_err(|rejected| rejected.diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    Ok(Task { program: loaded.program, properties })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_answer_is_not_a_solved_task() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/cegar");
        let task = load(&folder.join("figure-4.1.c")).expect("it is valid C");
        let limit = Duration::from_secs(20);
        let asked = |known| measure(&task, known, "cegar", &[], limit).expect("it is declared");
        let said = asked(None).is_safe.expect("it is decided");
        assert!(asked(Some(said)).is_solved());
        let contradicted = asked(Some(!said));
        assert!(contradicted.is_wrong && !contradicted.is_solved() && contradicted.cell() == "WRONG");
    }
}
