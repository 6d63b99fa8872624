//! Who decides when nobody is named? Several engines, in turn or side by side on the cores there are.
//!
//! A small table says who is tried with which settings, and which share of the time each gets. The first verdict that was replayed or
//! checked wins, and the others are cancelled at once. An engine that gives up early leaves its time to those after it. Limits hold for the
//! whole: nobody runs beyond the common deadline, and memory is that of the process. An engine that panics leaves the question to the others; only if
//! none of them decides does the panic go on.
//!
//! Who wants a second opinion waits for another engine. Two answers that differ are a bug of ours, whenever they are seen, and the answer is unknown.
//!
//! Invariant: what is answered is what one engine answered through `decide`, and no other one said otherwise; if none knows, the reason is that of the
//! one that got farthest, the first of the table among equals: never that of the one that came first.

use crate::run::Run;
use crate::{ENGINES, Engine, Knob, Statistics, decide, engine_named};
use ir::{Model, Properties, Task, Verdict, Why};
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Who.
    pub engine: &'static str,
    /// With which settings.
    pub knobs: &'static [(&'static str, &'static str)],
    /// Which share of the time, compared with the other rows.
    pub share: u32,
}

/// Who is tried. Explicit states decide what is finite and find what is near; bounded search minds neither inputs nor interleavings; abstraction
/// proves what has no bounds; predicates from the program's own branches are another way into that.
pub const TABLE: &[Row] = &[
    Row { engine: "explicit", knobs: &[], share: 4 },
    Row { engine: "bmc", knobs: &[], share: 5 },
    Row { engine: "cegar", knobs: &[], share: 4 },
    Row { engine: "cegar", knobs: &[("domain", "pred"), ("init", "branches"), ("search", "bfs")], share: 1 },
];

/// The engine that asks the others.
pub struct Portfolio;

/// How often the one who waits looks around.
const PERIOD: Duration = Duration::from_millis(10);
/// Which part of the time a second opinion may take, so that the first answer is told before the limit.
const SECOND_BY: f64 = 0.9;
/// How often the live line changes.
const SHOWN_EVERY: Duration = Duration::from_millis(200);
/// Address space for the stack of each engine.
const STACK_BYTES: usize = 1 << 30;

impl Engine for Portfolio {
    fn name(&self) -> &'static str {
        "portfolio"
    }

    fn describe(&self) -> &'static str {
        "asks the engines of a small table, side by side on the cores there are; the first verdict wins"
    }

    fn knobs(&self) -> &'static [Knob] {
        &[]
    }

    fn models(&self) -> &'static [Model] {
        &Model::ALL
    }

    fn properties(&self, task: &Task) -> Properties {
        let engines = TABLE.iter().filter_map(|row| engine_named(row.engine));
        engines.fold(Properties::NONE, |all, engine| all.union(engine.properties(task)))
    }

    fn check(&self, task: &Task, run: &mut Run) -> Verdict {
        let lanes = std::thread::available_parallelism().map_or(1, usize::from);
        ask_all(TABLE, &engine_named, lanes, task, run)
    }
}

/// What is shared by the lanes. Rows are told apart by their numbers.
struct Common {
    /// Rows that nobody has begun, the next one last.
    left: Vec<(usize, Row)>,
    /// Who is at work.
    busy: Vec<(usize, &'static str, Instant)>,
    /// Verdicts, in the order they came.
    answers: Vec<Given>,
    gave_up: Vec<(usize, &'static str, Why)>,
    /// Whose bugs have shown, with what was said.
    failed: Vec<(usize, &'static str, String)>,
    /// What those looked for who came to no verdict.
    looked_for: Properties,
}

/// A verdict of a row.
struct Given {
    row: Row,
    verdict: Verdict,
    checked: Properties,
    statistics: Statistics,
}

impl Common {
    /// Whether enough is known.
    fn is_over(&self, second_opinion: bool) -> bool {
        let Some(first) = self.answers.first().map(|given| given.row.engine) else { return false };
        let is_other = |name: &str| name != first;
        let mut open = self.left.iter().map(|(_, row)| row.engine).chain(self.busy.iter().map(|(_, name, _)| *name));
        !second_opinion || self.answers.iter().any(|given| is_other(given.row.engine)) || !open.any(is_other)
    }

    /// Two answers of which one must be wrong. What is undefined in some execution is not safe either, whether or not it was asked about.
    fn disagreement(&self) -> Option<Why> {
        let safe = self.answers.iter().find(|given| matches!(given.verdict, Verdict::Safe(_)))?;
        let bad = self.answers.iter().find_map(|given| match &given.verdict {
            Verdict::Unsafe(trace) => Some((given.row.title(), trace.violation.describe().to_string())),
            _ => None,
        });
        let (bad, what) = bad.or_else(|| {
            self.gave_up.iter().find_map(|(_, name, why)| match why {
                Why::Undefined { what, .. } => Some((name.to_string(), format!("undefined behaviour, {what}"))),
                _ => None,
            })
        })?;
        Some(Why::Disagreement { safe: safe.row.title(), bad, what })
    }
}

impl Row {
    /// The engine with its settings, as they are typed.
    fn title(&self) -> String {
        let knobs = self.knobs.iter().map(|(name, value)| format!(" --{}.{name} {value}", self.engine));
        std::iter::once(self.engine.to_string()).chain(knobs).collect()
    }
}

/// Who has a name.
type Named = dyn Fn(&str) -> Option<&'static dyn Engine> + Sync;

/// Asks the rows, several at a time.
fn ask_all(table: &[Row], named: &Named, lanes: usize, task: &Task, run: &mut Run) -> Verdict {
    let knows = |row: &Row| named(row.engine).is_some_and(|engine| engine.models().contains(&task.program.model));
    let mut left: Vec<(usize, Row)> = table.iter().copied().enumerate().filter(|(_, row)| knows(row)).collect();
    left.reverse();
    let lanes = lanes.clamp(1, left.len().max(1));
    let common = Mutex::new(Common {
        left,
        busy: Vec::new(),
        answers: Vec::new(),
        gave_up: Vec::new(),
        failed: Vec::new(),
        looked_for: Properties::NONE,
    });
    let cancel = Arc::new(AtomicBool::new(false));
    let mut stopped = None;
    let shared = &*run;
    std::thread::scope(|scope| {
        let start = |_| {
            let lane = std::thread::Builder::new().stack_size(STACK_BYTES);
            lane.spawn_scoped(scope, || work(&common, named, lanes, task, shared, &cancel)).ok()
        };
        let workers: Vec<_> = (0..lanes).filter_map(start).collect();
        let mut shown = Instant::now();
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::sleep(PERIOD);
            if stopped.is_none() {
                stopped = shared.clone().stop_now();
            }
            let is_late = shared.time_limit().is_some_and(|limit| shared.elapsed() >= limit.mul_f64(SECOND_BY));
            let has_first = || common.lock().is_ok_and(|common| !common.answers.is_empty());
            if stopped.is_some() || is_late && has_first() {
                cancel.store(true, Ordering::Relaxed);
            }
            if let Some(progress) = shared.progress
                && shown.elapsed() >= SHOWN_EVERY
            {
                shown = Instant::now();
                let busy = common.lock().map_or(Vec::new(), |common| common.busy.clone());
                let words =
                    busy.iter().map(|(_, name, since)| format!("{name} {:.1} s", since.elapsed().as_secs_f64()));
                progress(&words.collect::<Vec<_>>().join(", "));
            }
        }
    });
    let common = match common.into_inner() {
        Ok(common) => common,
        Err(poisoned) => poisoned.into_inner(),
    };
    conclude(common, stopped, run)
}

/// What is told when everybody has stopped.
fn conclude(mut common: Common, stopped: Option<Why>, run: &mut Run) -> Verdict {
    let disagreement = common.disagreement();
    common.gave_up.sort_by_key(|(row, ..)| *row);
    common.failed.sort_by_key(|(row, ..)| *row);
    run.gave_up = common.gave_up.into_iter().map(|(_, name, why)| (name, why)).collect();
    run.failed = common.failed.into_iter().map(|(_, name, said)| (name, said)).collect();
    run.looked_for = common.answers.iter().fold(common.looked_for, |all, given| all.union(given.checked));
    if let Some(why) = disagreement {
        return Verdict::Unknown(why);
    }
    let mut answers = common.answers.into_iter();
    if let Some(first) = answers.next() {
        run.statistics = first.statistics;
        run.decided_by = Some(first.row.engine);
        run.looked_for = first.checked;
        run.confirmed_by = answers.map(|given| given.row.engine).find(|name| *name != first.row.engine);
        return first.verdict;
    }
    if let Some((name, said)) = run.failed.first() {
        resume_unwind(Box::new(format!("the engine {name} {said}")));
    }
    Verdict::Unknown(stopped.unwrap_or_else(|| best_reason(&run.gave_up, run)))
}

/// Takes rows until there are none, or enough is known.
fn work(common: &Mutex<Common>, named: &Named, lanes: usize, task: &Task, run: &Run, cancel: &Arc<AtomicBool>) {
    loop {
        let (number, row, time) = {
            let Ok(mut common) = common.lock() else { return };
            if let Some(first) = common.answers.first().map(|given| given.row.engine) {
                // An engine does not confirm itself.
                common.left.retain(|(_, row)| row.engine != first);
            }
            if common.is_over(run.second_opinion) || cancel.load(Ordering::Relaxed) {
                return;
            }
            let total: u32 = common.left.iter().map(|(_, row)| row.share).sum();
            let Some((number, row)) = common.left.pop() else { return };
            let time = run.time_left().map(|left| {
                let share = f64::from(row.share) * lanes as f64 / f64::from(total.max(1));
                left.mul_f64(share.min(1.0))
            });
            common.busy.push((number, row.engine, Instant::now()));
            (number, row, time)
        };
        let mut own = run.part(time, cancel.clone());
        own.knobs = knobs(&row, run);
        let engine = named(row.engine).expect("rows without an engine were left out");
        // Nothing of an engine that panicked is used, and the program is not changed by engines.
        let decided = catch_unwind(AssertUnwindSafe(|| decide(engine, task, &mut own)));
        let Ok(mut common) = common.lock() else { return };
        common.busy.retain(|(busy, ..)| *busy != number);
        match decided {
            Err(panic) => {
                let heard = run.last_panic.and_then(|take| take());
                let said = heard.unwrap_or_else(|| format!("panicked: {}", words(panic.as_ref())));
                common.failed.push((number, row.engine, said));
            }
            Ok(decided) => match decided.verdict {
                Verdict::Unknown(why) => {
                    common.looked_for = common.looked_for.union(decided.checked);
                    common.gave_up.push((number, row.engine, why));
                }
                verdict => {
                    let (checked, statistics) = (decided.checked, own.statistics);
                    common.answers.push(Given { row, verdict, checked, statistics });
                }
            },
        }
        if common.is_over(run.second_opinion) {
            cancel.store(true, Ordering::Relaxed);
        }
    }
}

/// What a panic says, if it says anything.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_string())
}

/// The row's settings, and those that the user has made for its engine.
fn knobs(row: &Row, run: &Run) -> BTreeMap<String, String> {
    let mut knobs: BTreeMap<String, String> =
        row.knobs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    for (name, value) in &run.knobs {
        if let Some(own) = name.strip_prefix(row.engine).and_then(|rest| rest.strip_prefix('.')) {
            knobs.insert(own.to_string(), value.clone());
        }
    }
    knobs
}

/// The reason that says most: our own bugs first, then what the program does, then limits, then what an engine cannot do.
fn best_reason(gave_up: &[(&str, Why)], run: &Run) -> Why {
    let rank = |why: &Why| match why {
        Why::NotReplayed(_) | Why::Disagreement { .. } => 0,
        Why::Undefined { .. } => 1,
        Why::LargeInput { .. } => 2,
        Why::MemoryLimit(_) => 3,
        Why::TimeLimit(_) => 4,
        Why::Bound(_) => 5,
        Why::Unsupported { .. } => 6,
        Why::Cancelled => 7,
    };
    match gave_up.iter().map(|(_, why)| why).min_by_key(|why| rank(why)) {
        Some(Why::TimeLimit(own)) => Why::TimeLimit(run.time_limit().unwrap_or(*own)),
        Some(why) => why.clone(),
        None => Why::Cancelled,
    }
}

/// All names that the command line takes for an engine.
pub fn names() -> Vec<&'static str> {
    ENGINES.iter().map(|engine| engine.name()).chain(["portfolio"]).collect()
}

#[cfg(test)]
mod tests;
