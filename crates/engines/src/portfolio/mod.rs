//! Who decides when nobody is named? Several engines, in turn or side by side on the cores there are.
//!
//! A small table says who is tried with which settings, and which share of the time each gets. The first verdict that was replayed or
//! checked wins, and the others are cancelled at once. An engine that gives up early leaves its time to those after it. Limits hold for the
//! whole: nobody runs beyond the common deadline, and memory is that of the process. An engine that panics leaves the question to the others; only if
//! none of them decides does the panic go on.
//!
//! Invariant: what is answered is what one engine answered through `decide`; if none knows, the reason is that of the one that got farthest.

use crate::run::Run;
use crate::{ENGINES, Engine, Knob, Statistics, decide, engine_named};
use ir::{Model, Task, Verdict, Why};
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

    fn check(&self, task: &Task, run: &mut Run) -> Verdict {
        let lanes = std::thread::available_parallelism().map_or(1, usize::from);
        ask_all(TABLE, &engine_named, lanes, task, run)
    }
}

/// What is shared by the lanes.
struct Common {
    /// Rows that nobody has begun, the next one last.
    left: Vec<Row>,
    /// Who is at work.
    busy: Vec<(&'static str, Instant)>,
    winner: Option<(&'static str, Verdict, Statistics)>,
    gave_up: Vec<(&'static str, Why)>,
    /// Whose bugs have shown, with what was thrown.
    failed: Vec<(&'static str, Box<dyn Any + Send>)>,
}

/// Who has a name.
type Named = dyn Fn(&str) -> Option<&'static dyn Engine> + Sync;

/// Asks the rows, several at a time.
fn ask_all(table: &[Row], named: &Named, lanes: usize, task: &Task, run: &mut Run) -> Verdict {
    let knows = |row: &Row| named(row.engine).is_some_and(|engine| engine.models().contains(&task.program.model));
    let mut left: Vec<Row> = table.iter().copied().filter(knows).collect();
    left.reverse();
    let lanes = lanes.clamp(1, left.len().max(1));
    let common = Mutex::new(Common { left, busy: Vec::new(), winner: None, gave_up: Vec::new(), failed: Vec::new() });
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
            if stopped.is_some() {
                cancel.store(true, Ordering::Relaxed);
            }
            if let Some(progress) = shared.progress
                && shown.elapsed() >= SHOWN_EVERY
            {
                shown = Instant::now();
                let busy = common.lock().map_or(Vec::new(), |common| common.busy.clone());
                let words: Vec<String> =
                    busy.iter().map(|(name, since)| format!("{name} {:.1} s", since.elapsed().as_secs_f64())).collect();
                progress(&words.join(", "));
            }
        }
    });
    let mut common = match common.into_inner() {
        Ok(common) => common,
        Err(poisoned) => poisoned.into_inner(),
    };
    run.failed = common.failed.iter().map(|(name, _)| *name).collect();
    if let Some((name, verdict, statistics)) = common.winner {
        run.statistics = statistics;
        run.decided_by = Some(name);
        return verdict;
    }
    if let Some((_, panic)) = common.failed.pop() {
        resume_unwind(panic);
    }
    let why = stopped.unwrap_or_else(|| best_reason(&common.gave_up, run));
    run.gave_up = common.gave_up;
    Verdict::Unknown(why)
}

/// Takes rows until there are none, or somebody has won.
fn work(common: &Mutex<Common>, named: &Named, lanes: usize, task: &Task, run: &Run, cancel: &Arc<AtomicBool>) {
    loop {
        let (row, time) = {
            let Ok(mut common) = common.lock() else { return };
            if common.winner.is_some() || cancel.load(Ordering::Relaxed) {
                return;
            }
            let total: u32 = common.left.iter().map(|row| row.share).sum();
            let Some(row) = common.left.pop() else { return };
            let time = run.time_left().map(|left| {
                let share = f64::from(row.share) * lanes as f64 / f64::from(total.max(1));
                left.mul_f64(share.min(1.0))
            });
            common.busy.push((row.engine, Instant::now()));
            (row, time)
        };
        let mut own = run.part(time, cancel.clone());
        own.knobs = knobs(&row, run);
        let engine = named(row.engine).expect("rows without an engine were left out");
        // Nothing of an engine that panicked is used, and the program is not changed by engines.
        let decided = catch_unwind(AssertUnwindSafe(|| decide(engine, task, &mut own)));
        let Ok(mut common) = common.lock() else { return };
        if let Some(at) = common.busy.iter().position(|(name, _)| *name == row.engine) {
            common.busy.remove(at);
        }
        let verdict = match decided {
            Ok(decided) => decided.verdict,
            Err(panic) => {
                common.failed.push((row.engine, panic));
                continue;
            }
        };
        match verdict {
            Verdict::Unknown(why) => common.gave_up.push((row.engine, why)),
            verdict => {
                if common.winner.is_none() {
                    common.winner = Some((row.engine, verdict, own.statistics));
                }
                cancel.store(true, Ordering::Relaxed);
                return;
            }
        }
    }
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
        Why::NotReplayed(_) => 0,
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
mod tests {
    use super::*;
    use ir::build::Builder;
    use ir::{CheckKind, Op, Place, Properties, Property};

    /// A counter that never ends, and a check of it that holds, or fails at once.
    fn task(is_bad: bool) -> Task {
        let mut builder = Builder::new();
        let main = builder.proc("main");
        let x = builder.global("x", 0);
        builder.body(main, |body| {
            let now = body.local("now");
            body.repeat(
                |body| {
                    body.load(now, x);
                    let is_one = body.is(now, 1);
                    body.pool().not(is_one)
                },
                |body| {
                    let more = body.plus(now, 2);
                    body.then(Op::Store { place: Place::Var(x), value: more, order: ir::Order::SeqCst });
                },
            );
            let cond = body.is(now, if is_bad { 3 } else { 1 });
            body.then(Op::Check { cond, kind: CheckKind::Assertion });
        });
        Task { program: builder.finish(main), properties: Properties::of(&[Property::Assertion]) }
    }

    #[test]
    fn the_first_verdict_wins_and_limits_hold() {
        for lanes in [1, 2] {
            let limit = Duration::from_secs(20);
            let mut run = Run::new(Some(limit), None, Arc::new(AtomicBool::new(false)));
            let verdict = ask_all(TABLE, &engine_named, lanes, &task(false), &mut run);
            assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
            assert!(run.decided_by.is_some() && run.elapsed() < limit);
        }
        let table = [Row { engine: "nobody", knobs: &[], share: 1 }];
        let mut run = Run::unlimited();
        assert_eq!(ask_all(&table, &engine_named, 2, &task(false), &mut run), Verdict::Unknown(Why::Cancelled));
    }

    struct Broken;

    impl Engine for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }

        fn describe(&self) -> &'static str {
            "panics"
        }

        fn knobs(&self) -> &'static [Knob] {
            &[]
        }

        fn check(&self, _: &Task, _: &mut Run) -> Verdict {
            panic!("a bug")
        }
    }

    #[test]
    fn an_engine_that_panics_leaves_the_question_to_the_others() {
        let named = |name: &str| if name == "broken" { Some(&Broken as &dyn Engine) } else { engine_named(name) };
        let broken = Row { engine: "broken", knobs: &[], share: 1 };
        for lanes in [1, 2] {
            let mut run = Run::unlimited();
            let verdict = ask_all(&[broken, TABLE[2]], &named, lanes, &task(false), &mut run);
            assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
            assert_eq!(run.failed, ["broken"]);
        }
        let alone = || ask_all(&[broken], &named, 1, &task(false), &mut Run::unlimited());
        let panic = catch_unwind(AssertUnwindSafe(alone)).expect_err("nobody else is asked");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"a bug"));
    }

    #[test]
    fn a_cancelled_run_ends_soon() {
        let cancel = Arc::new(AtomicBool::new(true));
        let mut run = Run::new(None, None, cancel);
        let started = Instant::now();
        assert_eq!(ask_all(TABLE, &engine_named, 2, &task(true), &mut run), Verdict::Unknown(Why::Cancelled));
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}
