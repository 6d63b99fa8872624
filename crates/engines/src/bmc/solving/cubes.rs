//! Can several threads look for one execution? Each takes a part of all executions, a *cube*: which of a write and a read comes first, and which branches are taken.
//!
//! Known as: cube and conquer, with parts that are split while they are worked on (guiding paths), and sharing of short clauses.
//!
//! At first there is one part, everything. Whoever has nothing to do waits; whoever has worked on a part for a while and sees somebody wait cuts its part in two (`split`), keeps one half and gives the other one away. So the parts that are open, those that are worked on, and those that are refuted always cover
//! everything, and when nothing is open or worked on there is no execution at all. A refutation that did not need some literals of its part is one of all parts that differ in these.
//!
//! Each worker has an encoding of its own of the same unrolled program. They number their literals alike, which is checked: a worker whose encoding differs leaves. What one
//! learns about watched literals follows from the program and the order of its events, not from its part, so it is told to the others.

use super::encoding::Encoding;
use super::search::{Effort, Found, Solved, solve};
use super::split::{Choice, split};
use crate::bmc::unrolled::Unrolled;
use logic::TermId;
use smt::{Exchange, Lit};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// How many conflicts of the solver an easy question takes at most. Tests want to see what is done about hard ones.
const EASY: u32 = if cfg!(test) { 1 } else { 200 };
/// How long one works alone, in conflicts of the solver: most questions are easier than that. Tests want to see small ones shared.
const ALONE: u32 = if cfg!(test) { 1 } else { 3000 };
/// After how many conflicts one looks around.
const SLICE: u32 = if cfg!(test) { 2 } else { 500 };
/// How often one who waits looks around.
const PERIOD: Duration = Duration::from_millis(20);

/// What is made of an execution that was found.
pub(crate) type Tell<'a, T> = dyn Fn(&mut Unrolled, &mut Found) -> Result<T, smt::Why> + Sync + 'a;

/// Makes another worker's encoding of an unrolled program.
pub(crate) type Encode<'a> = dyn Fn(&mut Unrolled) -> Result<Encoding, smt::Why> + Sync + 'a;

/// Those who work together, and the program as it was before it was encoded.
pub(crate) struct Crew<'a> {
    pub(crate) n_workers: usize,
    pub(crate) unrolled: Unrolled,
    pub(crate) encode: Box<Encode<'a>>,
}

/// What they share.
struct Shared<T> {
    state: Mutex<State<T>>,
    news: Condvar,
    exchange: Exchange,
}

struct State<T> {
    /// Parts that nobody works on.
    open: Vec<Vec<Choice>>,
    /// How many are there, and how many of them wait.
    n_there: usize,
    n_waiting: usize,
    /// What came of it.
    end: Option<Result<Option<T>, smt::Why>>,
    effort: Effort,
}

/// Looks for an execution that satisfies a condition: alone at first, then with what helps where it is not easy to find, then with the crew, if there is one.
pub(crate) fn solve_together<T: Send>(
    (encoding, unrolled): (&mut Encoding, &mut Unrolled),
    goal: TermId,
    crew: Option<&Crew<'_>>,
    harden: &mut dyn FnMut(&Unrolled, &mut Encoding),
    (tell, effort): (&Tell<'_, T>, &mut Effort),
) -> Result<Option<T>, smt::Why> {
    if crew.is_some() {
        encoding.bits.listen();
    }
    for conflicts in [EASY, if crew.is_some() { ALONE } else { u32::MAX }] {
        match solve(encoding, unrolled, (goal, &[]), conflicts, effort)? {
            Solved::Found(mut found) => return tell(unrolled, &mut found).map(Some),
            Solved::Nothing => return Ok(None),
            Solved::Paused => harden(unrolled, encoding),
        }
    }
    let crew = crew.expect("only who has one is paused");
    let state = State { open: vec![Vec::new()], n_there: 1, n_waiting: 0, end: None, effort: Effort::default() };
    let shared = Shared { state: Mutex::new(state), news: Condvar::new(), exchange: Exchange::new(encoding.n_common) };
    let mark = encoding.mark();
    std::thread::scope(|scope| {
        for who in 1..crew.n_workers {
            let shared = &shared;
            scope.spawn(move || {
                let leaving = Leaving(shared);
                let mut own = crew.unrolled.clone();
                let Ok(mut encoding) = (crew.encode)(&mut own) else { return };
                if encoding.mark() == mark && shared.joins() {
                    shared.work(who, (&mut encoding, &mut own), goal, tell);
                }
                drop(leaving);
            });
        }
        let leaving = Leaving(&shared);
        shared.work(0, (encoding, unrolled), goal, tell);
        drop(leaving);
    });
    let n_told = shared.exchange.n_told() as u64;
    let state = shared.state.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    effort.add(Effort { clauses_told: n_told, ..state.effort });
    state.end.unwrap_or_else(|| Err(smt::Why::Incomplete("those who worked on it left".to_string())))
}

/// Ends the work of all if one of them panics, so that nobody waits for it.
struct Leaving<'a, T>(&'a Shared<T>);

impl<T> Drop for Leaving<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end(Err(smt::Why::Incomplete("one of those who worked on it panicked".to_string())));
        }
    }
}

impl<T> Shared<T> {
    /// Works on parts until there are none.
    fn work(&self, who: usize, (encoding, unrolled): (&mut Encoding, &mut Unrolled), goal: TermId, tell: &Tell<'_, T>) {
        encoding.bits.listen();
        let mut effort = Effort::default();
        while let Some(mut cube) = self.next() {
            effort.cubes += 1;
            loop {
                encoding.bits.exchange(&self.exchange, who);
                let lits: Vec<Lit> = cube.iter().map(|choice| choice.literal(encoding)).collect();
                match solve(encoding, unrolled, (goal, &lits), SLICE, &mut effort) {
                    Ok(Solved::Found(mut found)) => self.end(tell(unrolled, &mut found).map(Some)),
                    Ok(Solved::Nothing) => {
                        let mut lits = lits.into_iter();
                        cube.retain(|_| lits.next().is_some_and(|lit| encoding.bits.lit_failed(lit)));
                        self.refute(&cube);
                        break;
                    }
                    Ok(Solved::Paused) if self.is_wanted() => {
                        if let Some(choice) = split(encoding, &cube) {
                            let other = cube.iter().copied().chain([!choice]).collect();
                            cube.push(choice);
                            self.give(other);
                        }
                    }
                    Ok(Solved::Paused) => {}
                    Err(why) => self.end(Err(why)),
                }
                if self.is_over() {
                    break;
                }
            }
        }
        if let Ok(mut state) = self.state.lock() {
            state.effort.add(effort);
        }
    }

    /// Somebody comes; false if it is too late.
    fn joins(&self) -> bool {
        let Ok(mut state) = self.state.lock() else { return false };
        state.n_there += 1;
        state.end.is_none()
    }

    /// The next part, once there is one; nothing, if it is over.
    fn next(&self) -> Option<Vec<Choice>> {
        let mut state = self.state.lock().ok()?;
        state.n_waiting += 1;
        loop {
            if state.end.is_some() {
                return None;
            }
            if let Some(cube) = state.open.pop() {
                state.n_waiting -= 1;
                return Some(cube);
            }
            if state.n_waiting == state.n_there {
                state.end = Some(Ok(None));
                self.news.notify_all();
                return None;
            }
            state = self.news.wait_timeout(state, PERIOD).ok()?.0;
        }
    }

    /// Whether somebody waits for a part.
    fn is_wanted(&self) -> bool {
        self.state.lock().is_ok_and(|state| state.open.is_empty() && state.n_waiting > 0)
    }

    fn is_over(&self) -> bool {
        self.state.lock().map_or(true, |state| state.end.is_some())
    }

    /// Gives a part away.
    fn give(&self, cube: Vec<Choice>) {
        if let Ok(mut state) = self.state.lock() {
            state.open.push(cube);
        }
        self.news.notify_one();
    }

    /// There is no execution with these literals; parts that have them all need not be looked at.
    fn refute(&self, needed: &[Choice]) {
        let Ok(mut state) = self.state.lock() else { return };
        state.open.retain(|cube| !needed.iter().all(|lit| cube.contains(lit)));
        if needed.is_empty() && state.end.is_none() {
            state.end = Some(Ok(None));
            self.news.notify_all();
        }
    }

    /// Says what came of it; the first one counts.
    fn end(&self, what: Result<Option<T>, smt::Why>) {
        let mut state = self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if state.end.is_none() {
            state.end = Some(what);
        }
        self.news.notify_all();
    }
}
