//! Who works when? The scheduler above the engines: several of them are asked, side by side, and what they answer is put together.
//!
//! It knows neither tasks nor languages: an `Ask` is an engine's name, its settings, which properties its answer is about, when it begins, and the function that decides. All
//! that have begun share the cores, so that an answer comes after a small multiple of the time that the best of them needs alone, whatever the limit is; those
//! that are seldom needed begin later, or when those before them have given up. Limits hold for the whole: nobody runs beyond the common deadline, and memory is
//! that of the process; who is known to be greedy stops before it is used up. An engine that panics leaves the question to the others; what it said, with its
//! place, is part of the outcome.
//!
//! A violation counts at once. The whole is safe when every property that was asked about is, by whichever engine; what stays open is named.
//! Who wants a second opinion waits for another engine. Two answers that differ are a bug of ours, whenever they are seen, and the answer is unknown.
//!
//! Invariant: what is answered is what engines answered (each answer has been replayed or checked once, in `decide`), and no other one said
//! otherwise; if none knows, the reason is that of the one that got farthest, the first among equals: never that of the one that came first.

pub mod cores;

use crate::clock;
use crate::decide::together;
use crate::run::Parts;
use crate::{Board, Budget, Decided, Run, Settings, Statistics};
use ir::{Properties, Property, Span, Why};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex};
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
    /// What is known when it says safe.
    pub covers: Properties,
    /// When it begins. It begins earlier if everybody before it has given up, or somebody of the same engine with more to look for.
    pub after: Duration,
    /// How many hundredths of the memory may be in use before it stops.
    pub memory: u32,
    /// Whether it gives way to others, if nobody of the same engine has given up before it begins.
    pub gives_way: bool,
    /// After which time at work it gives way, if ever.
    pub tires_after: Option<Duration>,
    /// Whether what it refuses says more about itself than about the question, as others take more.
    pub refuses_quietly: bool,
    /// Asks it.
    pub decide: Decide<'a, R>,
}

/// How engines are asked.
#[derive(Clone, Default, Debug)]
pub struct How {
    /// Whether a second engine shall answer before anything is told.
    pub second_opinion: bool,
    /// Whether a part of the question that all refuse quietly is left out, as nobody has asked for it by name.
    pub leaves_refused: bool,
    /// Where engines say how far they are.
    pub board: Board,
    /// Takes the words of this thread's last panic, with its place; only who installed a panic hook has heard them.
    pub last_panic: Option<fn() -> Option<String>>,
}

/// What is wrong in an execution: the property, where the language has several, and a few words.
pub type Wrong = (Option<Property>, String);

/// What came of it.
#[derive(Debug)]
pub struct Scheduled<R> {
    /// The answer.
    pub decided: Decided<R>,
    /// Who gave it, or parts of it.
    pub by: Vec<&'static str>,
    /// Who else came to the same one.
    pub confirmed_by: Option<&'static str>,
    /// Who was asked and did not know, with the settings as they are typed, and why.
    pub gave_up: Vec<(String, Why)>,
    /// Who was asked and panicked, and with which words.
    pub failed: Vec<(&'static str, String)>,
    /// What was looked for: by whoever answered, or by all of them if nobody did.
    pub looked_for: Properties,
    /// What is known to hold, where the answer is unknown.
    pub proven: Properties,
    /// What whoever answered counted, or the only one who was asked.
    pub statistics: Statistics,
    /// The bounds that the answer holds under.
    pub bounds: Vec<String>,
    /// What else is worth knowing of it.
    pub notes: Vec<String>,
    /// Parts of all executions, if the only one who was asked cut the question into them or looked at one.
    pub parts: Parts,
}

/// How often the one who waits looks around.
const PERIOD: Duration = Duration::from_millis(10);
/// How long a violation that was found waits for one that comes earlier in the table, beside a part of the time that it took.
const PATIENCE: Duration = Duration::from_millis(100);
/// Which part of the time a second opinion may take, so that the first answer is told before the limit.
const SECOND_BY: f64 = 0.9;
/// Address space for the stack of each engine.
const STACK_BYTES: usize = 1 << 30;

/// What is shared by those who are asked. They are told apart by their numbers.
struct Common<R> {
    /// Who has not begun.
    waiting: Vec<usize>,
    /// Who is at work, each with a flag that ends it alone.
    busy: Vec<(usize, Budget)>,
    /// What they said, in the order it came.
    heard: Vec<Heard<R>>,
}

/// What one engine said, or with which words it panicked.
struct Heard<R> {
    ask: usize,
    said: Result<Decided<R>, String>,
    run: Run,
    /// When, since the beginning.
    at: Duration,
}

impl<R> Heard<R> {
    fn is_safe(&self) -> bool {
        matches!(self.said, Ok(Decided::Safe(..)))
    }

    fn is_unsafe(&self) -> bool {
        matches!(self.said, Ok(Decided::Unsafe(_)))
    }
}

/// The asks, and what is asked of all of them together.
struct Round<'a, 'b, R> {
    asks: &'a [Ask<'b, R>],
    asked: Properties,
    how: How,
}

impl<R> Round<'_, '_, R> {
    /// What is known to hold.
    fn proven(&self, common: &Common<R>) -> Properties {
        let safe = common.heard.iter().filter(|heard| heard.is_safe());
        safe.fold(Properties::NONE, |all, heard| all.union(self.asks[heard.ask].covers))
    }

    /// What the answer has to be about.
    fn needed(&self, heard: &[Heard<R>]) -> Properties {
        let has_refused = |number: usize| {
            let is_own = |heard: &&Heard<R>| heard.ask == number && self.asks[number].refuses_quietly;
            heard.iter().filter(is_own).any(|heard| match &heard.said {
                Ok(Decided::Unknown(why)) => matches!(why, Why::Unsupported { .. } | Why::NotShown { .. }),
                _ => false,
            })
        };
        let open = (0..self.asks.len()).filter(|number| !has_refused(*number)).map(|number| self.asks[number].covers);
        match self.how.leaves_refused {
            true => self.asked.both(open.fold(Properties::NONE, Properties::union)),
            false => self.asked,
        }
    }

    /// Whether there is an answer to the whole.
    fn is_answered(&self, common: &Common<R>) -> bool {
        let has_safe = common.heard.iter().any(|heard| heard.is_safe());
        let is_proven = has_safe && self.needed(&common.heard).beyond(self.proven(common)).is_empty();
        is_proven || common.heard.iter().any(|heard| heard.is_unsafe())
    }

    /// Whether one engine alone answers the whole.
    fn is_whole(&self, heard: &Heard<R>) -> bool {
        heard.is_unsafe() || heard.is_safe() && self.asked.beyond(self.asks[heard.ask].covers).is_empty()
    }

    /// Whether somebody who comes earlier in the table may still find a violation, and soon: the same one is then told in each run, whoever is quicker.
    fn is_awaited(&self, common: &Common<R>, elapsed: Duration) -> bool {
        let bad = common.heard.iter().filter(|heard| heard.is_unsafe());
        let Some(first) = bad.clone().map(|heard| heard.ask).min() else { return false };
        let since = bad.map(|heard| heard.at).min().unwrap_or_default();
        let is_open = common.busy.iter().any(|(ask, _)| *ask < first);
        is_open && elapsed < since + since / 4 + PATIENCE
    }

    /// Whether enough is known.
    fn is_over(&self, common: &Common<R>, elapsed: Duration) -> bool {
        if !self.is_answered(common) || self.is_awaited(common, elapsed) {
            return false;
        }
        if !self.how.second_opinion {
            return true;
        }
        let Some(first) = common.heard.iter().find(|heard| self.is_whole(heard)).map(|heard| heard.ask) else {
            // Put together: nobody has it whole, so nobody confirms it.
            return true;
        };
        let is_other = |ask: usize| self.asks[ask].engine != self.asks[first].engine;
        let mut open = common.waiting.iter().copied().chain(common.busy.iter().map(|(ask, _)| *ask));
        common.heard.iter().any(|heard| self.is_whole(heard) && is_other(heard.ask)) || !open.any(is_other)
    }

    /// Whether somebody who waits can begin.
    fn may_begin(&self, number: usize, common: &Common<R>, elapsed: Duration) -> bool {
        let ask = &self.asks[number];
        let is_open =
            |other: usize| common.waiting.contains(&other) || common.busy.iter().any(|(busy, _)| *busy == other);
        let looked_for_more = |heard: &Heard<R>| {
            let other = &self.asks[heard.ask];
            let is_part = ask.covers != other.covers && ask.covers.beyond(other.covers).is_empty();
            heard.ask < number && other.engine == ask.engine && is_part
        };
        elapsed >= ask.after || common.heard.iter().any(looked_for_more) || !(0..number).any(is_open)
    }

    /// Ends the work of everybody.
    fn end(&self, common: &Common<R>, all: &Budget) {
        all.cancel();
        common.busy.iter().for_each(|(_, own)| own.cancel());
    }

    /// Ends the work of those who look for what is known by now, so that the others have the cores to themselves.
    fn end_needless(&self, common: &Common<R>) {
        // A violation may wait for one that comes earlier in the table.
        if self.how.second_opinion || common.heard.iter().any(|heard| self.is_whole(heard)) {
            return;
        }
        let is_alone = |number: &usize| self.is_needless(*number, common);
        common.busy.iter().filter(|(number, _)| is_alone(number)).for_each(|(_, own)| own.cancel());
    }

    /// Whether what it would look for is known.
    fn is_needless(&self, number: usize, common: &Common<R>) -> bool {
        let covers = self.asks[number].covers;
        let first = common.heard.iter().find(|heard| self.is_whole(heard)).map(|heard| heard.ask);
        match first {
            // An engine does not confirm itself.
            Some(first) => !self.how.second_opinion || self.asks[number].engine == self.asks[first].engine,
            None => !covers.is_empty() && covers.beyond(self.proven(common)).is_empty(),
        }
    }
}

/// Asks them all, several at a time, about these properties. `what` says in words what is wrong in an execution.
pub fn schedule<R: Send>(
    asks: &[Ask<'_, R>],
    asked: Properties,
    how: How,
    budget: &Budget,
    what: impl Fn(&R) -> Wrong,
) -> Scheduled<R> {
    let round = Round { asks, asked, how };
    if let [ask] = asks {
        let mut run = Run::new(budget.clone()).with(ask.settings.clone());
        run.reached = round.how.board.begin(&ask.title);
        let said = caught(|| (ask.decide)(&mut run), &round.how);
        round.how.board.end(&run.reached);
        return conclude(&round, vec![Heard { ask: 0, said, run, at: budget.elapsed() }], None, budget, what);
    }
    let waiting = (0..asks.len()).collect();
    let common = Mutex::new(Common { waiting, busy: Vec::new(), heard: Vec::new() });
    let news = Condvar::new();
    // Everybody's flag: raised when enough is known, or the whole is over.
    let all = budget.part(None);
    let mut stopped = None;
    let watching = std::thread::current();
    std::thread::scope(|scope| {
        let (round, common, news, all, watching) = (&round, &common, &news, &all, &watching);
        let start = |number: usize| {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            let work = move || {
                work(number, round, common, news, all);
                watching.unpark();
            };
            thread.spawn_scoped(scope, work).ok()
        };
        let workers: Vec<_> = (0..asks.len()).filter_map(start).collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::park_timeout(PERIOD);
            if stopped.is_none() {
                stopped = budget.is_over().or_else(|| budget.exceeds_memory());
            }
            let is_late = budget.time().is_some_and(|limit| budget.elapsed() >= limit.mul_f64(SECOND_BY));
            let Ok(common) = common.lock() else { continue };
            if stopped.is_some() || is_late && round.is_answered(&common) || round.is_over(&common, all.elapsed()) {
                round.end(&common, all);
                news.notify_all();
            }
        }
    });
    let common = common.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    conclude(&round, common.heard, stopped, budget, what)
}

/// Waits for its turn, works, and says what came of it, unless enough is known before.
fn work<R>(number: usize, round: &Round<'_, '_, R>, common: &Mutex<Common<R>>, news: &Condvar, all: &Budget) {
    let ask = &round.asks[number];
    let own = all.apart();
    let gives_way;
    {
        let Ok(mut state) = common.lock() else { return };
        let is_over = |state: &Common<R>| round.is_over(state, all.elapsed());
        while !round.may_begin(number, &state, all.elapsed()) && !is_over(&state) && !all.is_cancelled() {
            let left = ask.after.saturating_sub(all.elapsed());
            let Ok((woken, _)) = news.wait_timeout(state, left) else { return };
            state = woken;
        }
        let is_idle = is_over(&state) || all.is_cancelled() || round.is_needless(number, &state);
        state.waiting.retain(|waiting| *waiting != number);
        if is_idle {
            if is_over(&state) {
                round.end(&state, all);
            }
            news.notify_all();
            return;
        }
        gives_way = ask.gives_way && !state.heard.iter().any(|heard| round.asks[heard.ask].engine == ask.engine);
        state.busy.push((number, own.clone()));
    }
    if gives_way {
        clock::give_way();
    }
    let mut run = Run::new(own.within_memory(ask.memory)).with(ask.settings.clone());
    run.gives_way_at = ask.tires_after.map(|time| Instant::now() + time);
    run.reached = round.how.board.begin(&ask.title);
    let said = caught(|| (ask.decide)(&mut run), &round.how);
    round.how.board.end(&run.reached);
    let Ok(mut state) = common.lock() else { return };
    state.busy.retain(|(busy, _)| *busy != number);
    let was_ended = own.is_cancelled() && !all.is_cancelled();
    if !was_ended || !matches!(said, Ok(Decided::Unknown(Why::Cancelled))) {
        state.heard.push(Heard { ask: number, said, run, at: all.elapsed() });
    }
    if round.is_over(&state, all.elapsed()) {
        round.end(&state, all);
    } else {
        round.end_needless(&state);
    }
    news.notify_all();
}

/// What the work gives, or the words of its panic. Nothing of an engine that panicked is used, and the program is not changed by engines.
fn caught<T>(work: impl FnOnce() -> T, how: &How) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let heard = how.last_panic.and_then(|take| take());
        heard.unwrap_or_else(|| format!("panicked: {}", panic_words(panic.as_ref())))
    })
}

/// What a panic says, if it says anything.
pub fn panic_words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_string())
}

/// What is told when everybody has stopped.
fn conclude<R>(
    round: &Round<'_, '_, R>,
    heard: Vec<Heard<R>>,
    stopped: Option<Why>,
    budget: &Budget,
    what: impl Fn(&R) -> Wrong,
) -> Scheduled<R> {
    let asks = round.asks;
    let asked = round.needed(&heard);
    let sound = heard.iter().filter(|heard| heard.said.is_ok());
    let looked_for = sound.fold(Properties::NONE, |all, heard| all.union(heard.run.looked_for));
    let disagreement = disagreement(asks, &heard, what);
    let first_whole = heard.iter().find(|heard| round.is_whole(heard)).map(|heard| asks[heard.ask].engine);
    let mut others = heard.iter().filter(|heard| round.is_whole(heard)).map(|heard| asks[heard.ask].engine);
    let confirmed_by = others.find(|other| Some(*other) != first_whole);
    let (mut gave_up, mut failed, mut safe, mut bad, mut unsure) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for heard in heard {
        match heard.said {
            Err(words) => failed.push((heard.ask, words)),
            Ok(Decided::Unknown(why)) => {
                gave_up.push((heard.ask, why));
                unsure.push(heard.run);
            }
            Ok(Decided::Safe(proof, checked)) => safe.push((heard.ask, proof, checked, heard.run)),
            Ok(Decided::Unsafe(execution)) => bad.push((heard.ask, execution, heard.run)),
        }
    }
    gave_up.sort_by_key(|(ask, _)| *ask);
    failed.sort_by_key(|(ask, _)| *ask);
    // The same one is told whoever was quicker, where both have come to the end.
    bad.sort_by_key(|(ask, ..)| *ask);
    let name = |ask: usize| asks[ask].engine;
    let mut scheduled = Scheduled {
        decided: Decided::Unknown(Why::Cancelled),
        by: Vec::new(),
        confirmed_by: None,
        gave_up: gave_up.iter().map(|(ask, why)| (asks[*ask].title.clone(), why.clone())).collect(),
        failed: failed.into_iter().map(|(ask, words)| (name(ask), words)).collect(),
        looked_for,
        proven: Properties::NONE,
        statistics: Statistics::default(),
        bounds: Vec::new(),
        notes: Vec::new(),
        parts: Parts::default(),
    };
    if let Some(why) = disagreement {
        scheduled.decided = Decided::Unknown(why);
        return scheduled;
    }
    if let Some((ask, execution, run)) = bad.into_iter().next() {
        (scheduled.by, scheduled.confirmed_by) = (vec![name(ask)], confirmed_by);
        (scheduled.looked_for, scheduled.statistics) = (run.looked_for, run.statistics);
        (scheduled.bounds, scheduled.notes) = (run.bounds, run.notes);
        scheduled.decided = Decided::Unsafe(execution);
        return scheduled;
    }
    // One that has it whole, or those that bring something new.
    if let Some(whole) = safe.iter().position(|(ask, ..)| round.asked.beyond(asks[*ask].covers).is_empty()) {
        safe = vec![safe.swap_remove(whole)];
    }
    let mut parts = Vec::new();
    for (ask, proof, checked, run) in safe {
        let new = asks[ask].covers.beyond(scheduled.proven);
        if !new.is_empty() || parts.is_empty() {
            scheduled.proven = scheduled.proven.union(new);
            if !scheduled.by.contains(&name(ask)) {
                scheduled.by.push(name(ask));
            }
            parts.push((new, proof, checked));
            if scheduled.statistics.0.is_empty() {
                scheduled.statistics = run.statistics;
            }
            scheduled.bounds.extend(run.bounds);
            scheduled.notes.extend(run.notes);
        }
    }
    let open = asked.beyond(scheduled.proven);
    if open.is_empty() && !parts.is_empty() {
        scheduled.confirmed_by = confirmed_by;
        scheduled.looked_for = asked;
        scheduled.decided = together(parts);
        return scheduled;
    }
    scheduled.by.clear();
    if let [_] = asks
        && let Some(run) = unsure.pop()
    {
        (scheduled.statistics, scheduled.parts) = (run.statistics, run.parts);
        (scheduled.bounds, scheduled.notes) = (run.bounds, run.notes);
    }
    let about_open = |ask: usize| open.is_empty() || !asks[ask].covers.both(open).is_empty();
    let rank = |ask: usize, why: &Why| match why {
        Why::Unsupported { .. } if asks[ask].refuses_quietly => LAST,
        _ => rank(why),
    };
    let reasons = gave_up.iter().filter(|(ask, _)| about_open(*ask)).map(|(ask, why)| (rank(*ask, why), why));
    let best = reasons.min_by_key(|(rank, _)| *rank);
    let is_named = best.is_some_and(|(rank, _)| rank <= NAMED);
    let best = best.map(|(_, why)| match why {
        Why::TimeLimit(own) => Why::TimeLimit(budget.time().unwrap_or(*own)),
        why => why.clone(),
    });
    let reason = best.unwrap_or_else(|| match asks {
        [] if !open.is_empty() => {
            let open: Vec<&str> = open.iter().map(|property| property.describe()).collect();
            let what = format!("{}, which no engine looks for under this memory model", open.join(", "));
            Why::Unsupported { span: Span::NOWHERE, what }
        }
        [] => Why::Cancelled,
        _ if (0..asks.len()).any(about_open) => Why::Cancelled,
        asks => {
            let open: Vec<&str> = open.iter().map(|property| property.describe()).collect();
            let mut who: Vec<&str> = asks.iter().map(|ask| ask.engine).collect();
            who.dedup();
            let (engines, look) =
                if let [_] = who[..] { ("engine", "does not look") } else { ("engines", "do not look") };
            let what = format!("{}, which the {engines} {} {look} for", open.join(", "), who.join(", "));
            Why::Unsupported { span: Span::NOWHERE, what }
        }
    });
    // That a limit was reached says less than what is known to be in the way.
    let limit = stopped.filter(|stop| !is_named || *stop == Why::Cancelled);
    scheduled.decided = Decided::Unknown(limit.unwrap_or(reason));
    scheduled
}

/// Two answers of which one must be wrong. What is undefined in some execution is not safe either, whether or not it was asked about.
fn disagreement<R>(asks: &[Ask<'_, R>], heard: &[Heard<R>], what: impl Fn(&R) -> Wrong) -> Option<Why> {
    let safe = heard.iter().filter(|heard| heard.is_safe());
    let pairs = safe.flat_map(|safe| heard.iter().map(move |other| (safe, other)));
    let found = pairs.into_iter().find_map(|(safe, other)| {
        // A proof pair by pair is about defined executions only, and says so.
        let is_conditional =
            matches!(&safe.said, Ok(Decided::Safe(ir::Proof::Apart { .. } | ir::Proof::InOrder { .. }, _)));
        let safe = safe.ask;
        match &other.said {
            Ok(Decided::Unsafe(execution)) => {
                let (property, words) = what(execution);
                let is_covered = property.is_none_or(|property| asks[safe].covers.has(property));
                is_covered.then(|| (safe, asks[other.ask].title.clone(), words))
            }
            Ok(Decided::Unknown(Why::Undefined { what, .. })) if !is_conditional => {
                Some((safe, asks[other.ask].engine.to_string(), format!("undefined behaviour, {what}")))
            }
            _ => None,
        }
    });
    found.map(|(safe, bad, what)| Why::Disagreement { safe: asks[safe].title.clone(), bad, what })
}

/// Reasons up to this rank name what is in the way; no other engine will do better.
const NAMED: u32 = 2;
/// The rank of what says nothing.
const LAST: u32 = 10;

/// What says most comes first: our own bugs, then what the program does, what of it is not supported or not computed, limits, bounds, and last what one engine cannot do.
fn rank(why: &Why) -> u32 {
    match why {
        Why::NotReplayed(_) | Why::Disagreement { .. } => 0,
        Why::Undefined { .. } => 1,
        Why::Unsupported { span, .. } if span.is_known() => NAMED,
        Why::Approximated { .. } => 3,
        Why::MemoryLimit(_) => 4,
        Why::TimeLimit(_) => 5,
        Why::Bound(_) | Why::Depth(_) => 6,
        Why::LargeInput { .. } => 7,
        Why::Unsupported { .. } => 8,
        Why::NotShown { .. } => 9,
        Why::Cancelled => LAST,
    }
}

#[cfg(test)]
mod tests;
