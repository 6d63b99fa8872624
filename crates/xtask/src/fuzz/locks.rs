//! Do the engines find who waits for ever, and who misuses a lock? Random programs of locks and joins, against an enumeration of its own.
//!
//! A program is a list of actions for each thread: mutexes, a read-write lock, attempts, joins, endless loops, and main may end before the
//! others. The oracle knows nothing of C, of models, or of the interpreter: it enumerates the states of these lists. Who waits for
//! ever is found from above: of all threads that wait, those are struck out that wait for somebody who does not.
//! Engines read the C text; their answers must be those of the oracle, and their traces must replay.

use super::stuck::{Doing, is_deadlock};
use super::subject::{Question, Subject, Truth, Unasked};
use ir::Property;
use logic::Prng;
use std::collections::BTreeSet;
use std::fmt::Write;

const MUTEXES: usize = 3;
const MAX_THREADS: usize = 4;

/// States that the oracle looks at.
const MOST_STATES: usize = 200_000;

const QUESTIONS: [(&str, &[Property]); 3] = [
    ("deadlock", &[Property::Deadlock]),
    ("misuse", &[Property::Misuse]),
    ("deadlock,misuse", &[Property::Deadlock, Property::Misuse]),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Lock(usize),
    /// Takes a mutex if it is free, and gives it back at once.
    Try(usize),
    Unlock(usize),
    Read,
    Write,
    Release,
    Join(usize),
    Spin,
}

#[derive(Clone, Debug)]
struct Program {
    /// The actions of each thread, main first.
    threads: Vec<Vec<Action>>,
}

impl Subject for Program {
    fn text(&self) -> String {
        self.text()
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        let mut all: Vec<Box<dyn Subject>> = Vec::new();
        for thread in 0..self.threads.len() {
            for at in 0..self.threads[thread].len() {
                let mut less = self.clone();
                less.threads[thread].remove(at);
                all.push(Box::new(less));
            }
        }
        all
    }

    fn questions(&self, _: u64) -> Result<Vec<Question>, Unasked> {
        let question = |(name, properties): (&'static str, &'static [Property])| {
            let truth = self.is_bad(properties).ok_or(Unasked::TooLarge)?;
            Ok(Question::new(name, properties, Truth::Known(truth)))
        };
        QUESTIONS.into_iter().map(question).collect()
    }
}

/// The program of a seed.
pub(super) fn make(seed: u64) -> Box<dyn Subject> {
    Box::new(Program::random(seed))
}

impl Program {
    fn random(seed: u64) -> Program {
        let mut prng = Prng::new(seed);
        let n = 2 + prng.below(MAX_THREADS as u64 - 1) as usize;
        let n_mutexes = 1 + prng.below(MUTEXES as u64) as usize;
        let threads = (0..n).map(|thread| actions(&mut prng, thread, n, n_mutexes)).collect();
        Program { threads }
    }

    fn text(&self) -> String {
        let mut text = String::from("#include <pthread.h>\n\npthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;\n");
        for mutex in 0..MUTEXES {
            writeln!(text, "pthread_mutex_t m{mutex} = PTHREAD_MUTEX_INITIALIZER;").expect("a string takes all");
        }
        text.push_str("volatile int never;\n");
        for thread in 1..self.threads.len() {
            writeln!(text, "pthread_t t{thread};").expect("a string takes all");
        }
        for (thread, actions) in self.threads.iter().enumerate().rev() {
            let body: String = actions.iter().map(|action| format!("    {}\n", action.text())).collect();
            match thread {
                0 => {
                    text.push_str("\nint main(void)\n{\n");
                    for other in 1..self.threads.len() {
                        writeln!(text, "    pthread_create(&t{other}, 0, f{other}, 0);").expect("a string takes all");
                    }
                }
                _ => writeln!(text, "\nvoid *f{thread}(void *unused)\n{{").expect("a string takes all"),
            }
            write!(text, "{body}    return 0;\n}}\n").expect("a string takes all");
        }
        text
    }
}

fn actions(prng: &mut Prng, thread: usize, n: usize, n_mutexes: usize) -> Vec<Action> {
    let mut actions = Vec::new();
    let mut held: Vec<usize> = Vec::new();
    let mut is_shared = false;
    for _ in 0..2 + prng.below(4) {
        let mutex = prng.below(n_mutexes as u64) as usize;
        match prng.below(16) {
            0..=6 => {
                actions.push(Action::Lock(mutex));
                held.push(mutex);
            }
            7 | 8 => {
                if let Some(mutex) = held.pop() {
                    actions.push(Action::Unlock(mutex));
                }
            }
            9 => actions.push(Action::Try(mutex)),
            10 | 11 if !is_shared => {
                actions.push(if prng.below(2) == 0 { Action::Read } else { Action::Write });
                is_shared = true;
            }
            12 | 13 => {
                // Earlier threads are known to those who were started later.
                let known = if thread == 0 { n } else { thread };
                if known > 1 {
                    actions.push(Action::Join(1 + prng.below(known as u64 - 1) as usize));
                }
            }
            14 if prng.below(3) == 0 => actions.push(Action::Spin),
            15 if prng.below(3) == 0 => actions.push(Action::Unlock(mutex)),
            _ => {}
        }
    }
    // Most threads give back what they have, some do not.
    if prng.below(6) != 0 {
        actions.extend(held.iter().rev().map(|mutex| Action::Unlock(*mutex)));
        actions.extend(is_shared.then_some(Action::Release));
    }
    actions
}

impl Action {
    fn text(self) -> String {
        match self {
            Action::Lock(mutex) => format!("pthread_mutex_lock(&m{mutex});"),
            Action::Try(mutex) => format!("if (!pthread_mutex_trylock(&m{mutex})) pthread_mutex_unlock(&m{mutex});"),
            Action::Unlock(mutex) => format!("pthread_mutex_unlock(&m{mutex});"),
            Action::Read => "pthread_rwlock_rdlock(&shared);".to_string(),
            Action::Write => "pthread_rwlock_wrlock(&shared);".to_string(),
            Action::Release => "pthread_rwlock_unlock(&shared);".to_string(),
            Action::Join(thread) => format!("pthread_join(t{thread}, 0);"),
            Action::Spin => "while (!never) ;".to_string(),
        }
    }
}

/// A state: where each thread is, how many threads there are, who has which mutex, and the read-write lock.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    at: Vec<usize>,
    n_started: usize,
    owner: [Option<usize>; MUTEXES],
    /// Whether a thread is in the middle of an attempt or of a join.
    is_trying: Vec<bool>,
    n_readers: usize,
    writer: Option<usize>,
    is_joined: Vec<bool>,
}

/// What a thread can do.
enum Next {
    /// Come to another state.
    Go(State),
    /// Nothing, for ever perhaps, but it does not wait.
    Spin,
    /// Wait for what only a thread can end; none if nobody alone can.
    Wait(Option<usize>),
    /// It has ended.
    Over,
    /// The process ends.
    End,
    Misuse,
}

impl Next {
    fn doing(&self) -> Doing {
        match self {
            Next::Wait(owner) => Doing::Waits(*owner),
            Next::Over => Doing::Ended,
            Next::Go(_) | Next::Spin | Next::End | Next::Misuse => Doing::Runs,
        }
    }
}

impl Program {
    /// Whether there is a violation; none if there are too many states.
    fn is_bad(&self, properties: &[Property]) -> Option<bool> {
        let n = self.threads.len();
        let first = State {
            at: vec![0; n],
            n_started: 1,
            owner: [None; MUTEXES],
            is_trying: vec![false; n],
            n_readers: 0,
            writer: None,
            is_joined: vec![false; n],
        };
        let mut seen = BTreeSet::from([first.clone()]);
        let mut open = vec![first];
        while let Some(state) = open.pop() {
            let nexts: Vec<Next> = (0..state.n_started).map(|thread| self.next(&state, thread, properties)).collect();
            let doing: Vec<Doing> = nexts.iter().map(Next::doing).collect();
            if properties.contains(&Property::Deadlock) && is_deadlock(&doing) {
                return Some(true);
            }
            for next in nexts {
                match next {
                    Next::Go(state) => {
                        if seen.insert(state.clone()) {
                            open.push(state);
                        }
                    }
                    Next::Misuse => return Some(true),
                    Next::Spin | Next::Wait(_) | Next::Over | Next::End => {}
                }
            }
            if seen.len() > MOST_STATES {
                return None;
            }
        }
        Some(false)
    }

    fn next(&self, state: &State, thread: usize, properties: &[Property]) -> Next {
        let asks_misuse = properties.contains(&Property::Misuse);
        let mut next = state.clone();
        if thread == 0 && state.n_started < self.threads.len() {
            next.n_started += 1;
            return Next::Go(next);
        }
        let Some(action) = self.threads[thread].get(state.at[thread]) else {
            return if thread == 0 { Next::End } else { Next::Over };
        };
        next.at[thread] += 1;
        match *action {
            Action::Lock(mutex) => match state.owner[mutex] {
                Some(owner) => return Next::Wait(Some(owner)),
                None => next.owner[mutex] = Some(thread),
            },
            Action::Try(mutex) if state.is_trying[thread] => {
                if asks_misuse && state.owner[mutex] != Some(thread) {
                    return Next::Misuse;
                }
                next.is_trying[thread] = false;
                next.owner[mutex] = None;
            }
            Action::Try(mutex) => {
                if state.owner[mutex].is_none() {
                    next.owner[mutex] = Some(thread);
                    next.is_trying[thread] = true;
                    next.at[thread] -= 1;
                }
            }
            Action::Unlock(mutex) => {
                if asks_misuse && state.owner[mutex] != Some(thread) {
                    return Next::Misuse;
                }
                next.owner[mutex] = None;
            }
            Action::Read => match state.writer {
                Some(writer) => return Next::Wait(Some(writer)),
                None => next.n_readers += 1,
            },
            Action::Write => match state.writer {
                Some(writer) => return Next::Wait(Some(writer)),
                None if state.n_readers > 0 => return Next::Wait(None),
                None => next.writer = Some(thread),
            },
            Action::Release => {
                let is_wrong = match state.writer {
                    Some(writer) => writer != thread,
                    None => state.n_readers == 0,
                };
                if asks_misuse && is_wrong {
                    return Next::Misuse;
                }
                if next.writer.take().is_none() {
                    next.n_readers = next.n_readers.saturating_sub(1);
                }
            }
            Action::Join(other) if asks_misuse && !state.is_trying[thread] => {
                // Who joins is noted before it waits.
                if state.is_joined[other] {
                    return Next::Misuse;
                }
                next.is_joined[other] = true;
                next.is_trying[thread] = true;
                next.at[thread] -= 1;
            }
            Action::Join(other) => {
                if state.at[other] < self.threads[other].len() {
                    return Next::Wait(Some(other));
                }
                next.is_trying[thread] = false;
            }
            Action::Spin => return Next::Spin,
        }
        Next::Go(next)
    }
}
