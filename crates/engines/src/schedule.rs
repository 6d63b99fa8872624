//! Who works when? The scheduler above the engines: several of them are asked the same question, in turn or side by side, and the first answer counts.
//!
//! It knows neither tasks nor languages: an `Ask` is an engine's name, its settings, its share of the time, and the function that decides. An engine
//! that gives up early leaves its time to those after it, and all others are cancelled once enough is known. Limits hold for the whole: nobody runs
//! beyond the common deadline, and memory is that of the process. An engine that panics leaves the question to the others; what it said, with its
//! place, is part of the outcome.
//!
//! Who wants a second opinion waits for another engine. Two answers that differ are a bug of ours, whenever they are seen, and the answer is unknown.
//!
//! Invariant: what is answered is what one engine answered (each answer has been replayed or checked once, in `decide`), and no other one said
//! otherwise; if none knows, the reason is that of the one that got farthest, the first among equals: never that of the one that came first.

use crate::{Budget, Decided, Run, Settings, Statistics};
use ir::{Properties, Why};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Asks an engine.
pub type Decide<'a, R> = Box<dyn Fn(&mut Run) -> Decided<R> + Send + Sync + 'a>;

/// One engine that is asked.
pub struct Ask<'a, R> {
    /// Its name.
    pub engine: &'static str,
    /// The engine with its settings, as they are typed.
    pub title: String,
    /// Its settings.
    pub settings: Settings,
    /// Which share of the time it gets, compared with the others.
    pub share: u32,
    /// Asks it.
    pub decide: Decide<'a, R>,
}

/// How engines are asked.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// How many work at a time.
    pub lanes: usize,
    /// Whether a second engine shall answer before anything is told.
    pub second_opinion: bool,
    /// Called now and then with a line that says how far the work is.
    pub progress: Option<fn(&str)>,
    /// Takes the words of this thread's last panic, with its place; only who installed a panic hook has heard them.
    pub last_panic: Option<fn() -> Option<String>>,
}

impl Default for How {
    fn default() -> How {
        let lanes = std::thread::available_parallelism().map_or(1, usize::from);
        How { lanes, second_opinion: false, progress: None, last_panic: None }
    }
}

/// What came of it.
#[derive(Debug)]
pub struct Scheduled<R> {
    /// The answer.
    pub decided: Decided<R>,
    /// Who gave it.
    pub by: Option<&'static str>,
    /// Who else came to the same one.
    pub confirmed_by: Option<&'static str>,
    /// Who was asked and did not know, and why.
    pub gave_up: Vec<(&'static str, Why)>,
    /// Who was asked and panicked, and with which words.
    pub failed: Vec<(&'static str, String)>,
    /// What was looked for: by whoever answered, or by all of them if nobody did.
    pub looked_for: Properties,
    /// What whoever answered counted, or the only one who was asked.
    pub statistics: Statistics,
    /// The bounds that the answer holds under.
    pub notes: Vec<String>,
}

/// How often the one who waits looks around.
const PERIOD: Duration = Duration::from_millis(10);
/// Which part of the time a second opinion may take, so that the first answer is told before the limit.
const SECOND_BY: f64 = 0.9;
/// How often the live line changes.
const SHOWN_EVERY: Duration = Duration::from_millis(200);
/// Address space for the stack of each engine.
const STACK_BYTES: usize = 1 << 30;

/// What is shared by the lanes. Asks are told apart by their numbers.
struct Common<R> {
    /// Asks that nobody has begun, the next one last.
    left: Vec<usize>,
    /// Who is at work.
    busy: Vec<(usize, Instant)>,
    /// What they said, in the order it came.
    heard: Vec<Heard<R>>,
}

/// What one engine said, or with which words it panicked.
struct Heard<R> {
    ask: usize,
    said: Result<Decided<R>, String>,
    run: Run,
}

impl<R> Heard<R> {
    fn is_answer(&self) -> bool {
        matches!(self.said, Ok(Decided::Safe(..) | Decided::Unsafe(_)))
    }
}

impl<R> Common<R> {
    fn first_answer(&self) -> Option<usize> {
        self.heard.iter().find(|heard| heard.is_answer()).map(|heard| heard.ask)
    }

    /// Whether enough is known.
    fn is_over(&self, asks: &[Ask<'_, R>], second_opinion: bool) -> bool {
        let Some(first) = self.first_answer() else { return false };
        let is_other = |ask: usize| asks[ask].engine != asks[first].engine;
        let mut answers = self.heard.iter().filter(|heard| heard.is_answer());
        let mut open = self.left.iter().copied().chain(self.busy.iter().map(|(ask, _)| *ask));
        !second_opinion || answers.any(|heard| is_other(heard.ask)) || !open.any(is_other)
    }
}

/// Asks them all, several at a time. `what` says in words what is wrong in an execution.
pub fn schedule<R: Send>(asks: &[Ask<'_, R>], how: How, budget: &Budget, what: impl Fn(&R) -> String) -> Scheduled<R> {
    if let [ask] = asks {
        let mut run = Run::new(budget.clone()).with(ask.settings.clone());
        run.progress = how.progress;
        let said = caught(|| (ask.decide)(&mut run), how);
        return conclude(asks, vec![Heard { ask: 0, said, run }], None, budget, what);
    }
    let left = (0..asks.len()).rev().collect();
    let common = Mutex::new(Common { left, busy: Vec::new(), heard: Vec::new() });
    // Everybody's flag: raised when enough is known, or the whole is over.
    let all = budget.part(None);
    let mut stopped = None;
    let waiting = std::thread::current();
    std::thread::scope(|scope| {
        let start = |_| {
            let lane = std::thread::Builder::new().stack_size(STACK_BYTES);
            let work = || {
                work(&common, asks, how, budget, &all);
                waiting.unpark();
            };
            lane.spawn_scoped(scope, work).ok()
        };
        let workers: Vec<_> = (0..how.lanes.clamp(1, asks.len().max(1))).filter_map(start).collect();
        let mut shown = Instant::now();
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::park_timeout(PERIOD);
            if stopped.is_none() {
                stopped = budget.is_over().or_else(|| budget.exceeds_memory());
            }
            let is_late = budget.time().is_some_and(|limit| budget.elapsed() >= limit.mul_f64(SECOND_BY));
            let has_first = || common.lock().is_ok_and(|common| common.first_answer().is_some());
            if stopped.is_some() || is_late && has_first() {
                all.cancel();
            }
            if let Some(progress) = how.progress
                && shown.elapsed() >= SHOWN_EVERY
            {
                shown = Instant::now();
                let busy = common.lock().map_or(Vec::new(), |common| common.busy.clone());
                let word = |(ask, since): &(usize, Instant)| {
                    format!("{} {:.1} s", asks[*ask].engine, since.elapsed().as_secs_f64())
                };
                progress(&busy.iter().map(word).collect::<Vec<_>>().join(", "));
            }
        }
    });
    let common = common.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    conclude(asks, common.heard, stopped, budget, what)
}

/// Takes asks until there are none, or enough is known.
fn work<R>(common: &Mutex<Common<R>>, asks: &[Ask<'_, R>], how: How, budget: &Budget, all: &Budget) {
    loop {
        let (number, time) = {
            let Ok(mut common) = common.lock() else { return };
            if let Some(first) = common.first_answer() {
                // An engine does not confirm itself.
                common.left.retain(|ask| asks[*ask].engine != asks[first].engine);
            }
            if common.is_over(asks, how.second_opinion) || all.is_cancelled() {
                return;
            }
            let total: u32 = common.left.iter().map(|ask| asks[*ask].share).sum();
            let Some(number) = common.left.pop() else { return };
            let time = budget.time_left().map(|left| {
                let lanes = how.lanes.clamp(1, asks.len()) as f64;
                let share = f64::from(asks[number].share) * lanes / f64::from(total.max(1));
                left.mul_f64(share.min(1.0))
            });
            common.busy.push((number, Instant::now()));
            (number, time)
        };
        let ask = &asks[number];
        let mut run = Run::new(all.share(time)).with(ask.settings.clone());
        let said = caught(|| (ask.decide)(&mut run), how);
        let Ok(mut common) = common.lock() else { return };
        common.busy.retain(|(busy, _)| *busy != number);
        common.heard.push(Heard { ask: number, said, run });
        if common.is_over(asks, how.second_opinion) {
            all.cancel();
        }
    }
}

/// What the work gives, or the words of its panic. Nothing of an engine that panicked is used, and the program is not changed by engines.
fn caught<T>(work: impl FnOnce() -> T, how: How) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let heard = how.last_panic.and_then(|take| take());
        heard.unwrap_or_else(|| format!("panicked: {}", words(panic.as_ref())))
    })
}

/// What a panic says, if it says anything.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_string())
}

/// What is told when everybody has stopped.
fn conclude<R>(
    asks: &[Ask<'_, R>],
    heard: Vec<Heard<R>>,
    stopped: Option<Why>,
    budget: &Budget,
    what: impl Fn(&R) -> String,
) -> Scheduled<R> {
    let sound = heard.iter().filter(|heard| heard.said.is_ok());
    let looked_for = sound.fold(Properties::NONE, |all, heard| all.union(heard.run.looked_for));
    let (mut gave_up, mut failed, mut answers, mut unsure) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for heard in heard {
        match heard.said {
            Err(words) => failed.push((heard.ask, words)),
            Ok(Decided::Unknown(why)) => {
                gave_up.push((heard.ask, why));
                unsure.push(heard.run);
            }
            Ok(decided) => answers.push((heard.ask, decided, heard.run)),
        }
    }
    gave_up.sort_by_key(|(ask, _)| *ask);
    failed.sort_by_key(|(ask, _)| *ask);
    let disagreement = disagreement(asks, &answers, &gave_up, what);
    let name = |ask: usize| asks[ask].engine;
    let mut scheduled = Scheduled {
        decided: Decided::Unknown(Why::Cancelled),
        by: None,
        confirmed_by: None,
        gave_up: gave_up.into_iter().map(|(ask, why)| (name(ask), why)).collect(),
        failed: failed.into_iter().map(|(ask, words)| (name(ask), words)).collect(),
        looked_for,
        statistics: Statistics::default(),
        notes: Vec::new(),
    };
    let mut answers = answers.into_iter();
    match (disagreement, answers.next()) {
        (Some(why), _) => scheduled.decided = Decided::Unknown(why),
        (None, Some((first, decided, run))) => {
            scheduled.confirmed_by = answers.map(|(ask, ..)| name(ask)).find(|other| *other != name(first));
            scheduled.by = Some(name(first));
            (scheduled.looked_for, scheduled.statistics, scheduled.notes) = (run.looked_for, run.statistics, run.notes);
            scheduled.decided = decided;
        }
        (None, None) => {
            if let [_] = asks
                && let Some(run) = unsure.pop()
            {
                (scheduled.statistics, scheduled.notes) = (run.statistics, run.notes);
            }
            let why = stopped.unwrap_or_else(|| best_reason(&scheduled.gave_up, budget));
            scheduled.decided = Decided::Unknown(why);
        }
    }
    scheduled
}

/// Two answers of which one must be wrong. What is undefined in some execution is not safe either, whether or not it was asked about.
fn disagreement<R>(
    asks: &[Ask<'_, R>],
    answers: &[(usize, Decided<R>, Run)],
    gave_up: &[(usize, Why)],
    what: impl Fn(&R) -> String,
) -> Option<Why> {
    let (safe, ..) = answers.iter().find(|(_, decided, _)| matches!(decided, Decided::Safe(..)))?;
    let bad = answers.iter().find_map(|(ask, decided, _)| match decided {
        Decided::Unsafe(execution) => Some((asks[*ask].title.clone(), what(execution))),
        _ => None,
    });
    let (bad, what) = bad.or_else(|| {
        gave_up.iter().find_map(|(ask, why)| match why {
            Why::Undefined { what, .. } => {
                Some((asks[*ask].engine.to_string(), format!("undefined behaviour, {what}")))
            }
            _ => None,
        })
    })?;
    Some(Why::Disagreement { safe: asks[*safe].title.clone(), bad, what })
}

/// The reason that says most: our own bugs first, then what the program does, then limits, then what an engine cannot do.
fn best_reason(gave_up: &[(&str, Why)], budget: &Budget) -> Why {
    let rank = |why: &Why| match why {
        Why::NotReplayed(_) | Why::Disagreement { .. } => 0,
        Why::Undefined { .. } => 1,
        Why::LargeInput { .. } => 2,
        Why::MemoryLimit(_) => 3,
        Why::TimeLimit(_) => 4,
        Why::Bound(_) | Why::Depth(_) => 5,
        Why::Unsupported { .. } => 6,
        Why::Cancelled => 7,
    };
    match gave_up.iter().map(|(_, why)| why).min_by_key(|why| rank(why)) {
        Some(Why::TimeLimit(own)) => Why::TimeLimit(budget.time().unwrap_or(*own)),
        Some(why) => why.clone(),
        None => Why::Cancelled,
    }
}

#[cfg(test)]
mod tests;
