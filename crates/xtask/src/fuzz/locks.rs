//! Do the engines find who waits for ever, and who misuses a lock? Random programs of locks and joins, against an enumeration of its own.
//!
//! A program is a list of actions for each thread: mutexes, a read-write lock, attempts, joins, endless loops, and main may end before the
//! others. The oracle knows nothing of C, of models, or of the interpreter: it enumerates the states of these lists. Who waits for
//! ever is found from above: of all threads that wait, those are struck out that wait for somebody who does not.
//! Engines read the C text; their answers must be those of the oracle, and their traces must replay.

use engines::{Budget, Run, decide, engine_named};
use frontend::Options;
use ir::interp::{Domain, Limits, enumerate};
use ir::{Properties, Property, Task, Verdict, Why};
use logic::Prng;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::{Duration, Instant};

const MUTEXES: usize = 3;
const MAX_THREADS: usize = 4;
const LIMIT: Duration = Duration::from_secs(5);

/// The settings that must not contradict the oracle.
const SETTINGS: [(&str, &[(&str, &str)]); 6] = [
    ("explicit", &[("por", "none"), ("symmetry", "off")]),
    ("explicit", &[("por", "source"), ("symmetry", "off")]),
    ("explicit", &[("por", "dpor"), ("symmetry", "off")]),
    ("explicit", &[("por", "source"), ("symmetry", "on")]),
    ("bmc", &[]),
    ("cegar", &[]),
];

const QUESTIONS: [&[Property]; 3] =
    [&[Property::Deadlock], &[Property::Misuse], &[Property::Deadlock, Property::Misuse]];

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

/// `cargo xtask fuzz --locks [--count N] [--seed S] [--show SEED]`; true if nothing differs.
pub(crate) fn run(args: &[String]) -> bool {
    let option =
        |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)?.parse::<u64>().ok());
    if let Some(seed) = option("--show") {
        println!("{}", Program::random(seed).text());
        return true;
    }
    let (count, first) = (option("--count").unwrap_or(200), option("--seed").unwrap_or(1));
    let started = Instant::now();
    let (mut n_differ, mut n_unsafe, mut n_partial) = (0u64, 0u64, 0u64);
    let mut n_unknown = [0u64; SETTINGS.len()];
    for seed in first..first + count {
        let program = Program::random(seed);
        let mut said = Vec::new();
        for properties in QUESTIONS {
            let truth = program.truth(properties);
            n_unsafe += u64::from(truth.is_bad);
            n_partial += u64::from(truth.is_partial);
            said.extend(program.compare(properties, truth.is_bad, &mut n_unknown));
        }
        if !said.is_empty() {
            n_differ += 1;
            let small = program.shrink();
            println!("seed {seed}: {}\n{}", said.join("; "), small.text());
        }
    }
    println!(
        "{count} programs, {n_differ} differ; {n_unsafe} violations among {} answers, {n_partial} of some threads only; {:.1} s",
        count * QUESTIONS.len() as u64,
        started.elapsed().as_secs_f64()
    );
    for ((engine, knobs), n) in SETTINGS.iter().zip(n_unknown) {
        println!("  {engine} {knobs:?}: {n} unknown");
    }
    n_differ == 0
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

    /// What the settings say that is not true.
    fn compare(&self, properties: &[Property], is_bad: bool, n_unknown: &mut [u64; SETTINGS.len()]) -> Vec<String> {
        let file = std::env::temp_dir().join(format!("ravel-fuzz-locks-{}.c", std::process::id()));
        if let Err(error) = std::fs::write(&file, self.text()) {
            return vec![format!("{} cannot be written: {error}", file.display())];
        }
        let properties = Properties::of(properties);
        let loaded = match frontend::load(&[file], &Options { properties, ..Options::default() }) {
            Ok(loaded) => loaded,
            Err(rejected) => return rejected.diagnostics.iter().map(ToString::to_string).collect(),
        };
        let task = Task { program: loaded.program, properties };
        let mut said = Vec::new();
        let limits = Limits { max_states: 40_000, domain: Domain::Bits(8), first_only: true, ..Limits::default() };
        let found = enumerate(&task.program, properties, &limits);
        let is_told = found.incomplete.is_none() || !found.violations.is_empty();
        if is_told && found.violations.is_empty() == is_bad {
            said.push("the interpreter says the opposite".to_string());
        }
        for (index, (name, knobs)) in SETTINGS.iter().enumerate() {
            let engine = engine_named(name).expect("the engine is in the table");
            let mut run = Run::of(engine.about(), Budget::of_time(LIMIT), knobs).expect("the knobs are declared");
            let answer = match decide(engine, &task, &mut run).verdict() {
                Verdict::Safe(_) if is_bad => "safe".to_string(),
                Verdict::Unsafe(_) if !is_bad => "unsafe".to_string(),
                Verdict::Unknown(Why::NotReplayed(what)) => format!("what does not replay: {what}"),
                Verdict::Unknown(_) => {
                    n_unknown[index] += 1;
                    continue;
                }
                _ => continue,
            };
            let asked: Vec<&str> = properties.iter().map(Property::describe).collect();
            said.push(format!("{}: {name} {knobs:?} says {answer}", asked.join(", ")));
        }
        said
    }

    /// A smaller program on which somebody is still wrong.
    fn shrink(&self) -> Program {
        let differs = |program: &Program| {
            QUESTIONS.iter().any(|properties| {
                let is_bad = program.truth(properties).is_bad;
                !program.compare(properties, is_bad, &mut [0; SETTINGS.len()]).is_empty()
            })
        };
        let mut small = self.clone();
        loop {
            let less = (0..small.threads.len()).flat_map(|thread| {
                let small = &small;
                (0..small.threads[thread].len()).map(move |at| {
                    let mut less = small.clone();
                    less.threads[thread].remove(at);
                    less
                })
            });
            let Some(found) = less.into_iter().find(|less| differs(less)) else { return small };
            small = found;
        }
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

/// What the enumeration has found.
struct Truth {
    is_bad: bool,
    /// Whether it is that some threads wait for ever while others can go on.
    is_partial: bool,
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

impl Program {
    fn truth(&self, properties: &[Property]) -> Truth {
        let asks = |property: Property| properties.contains(&property);
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
        let mut truth = Truth { is_bad: false, is_partial: false };
        let mut seen = BTreeSet::from([first.clone()]);
        let mut open = vec![first];
        while let Some(state) = open.pop() {
            let nexts: Vec<Next> = (0..state.n_started).map(|thread| self.next(&state, thread, properties)).collect();
            let can_run = nexts.iter().any(|next| !matches!(next, Next::Wait(_) | Next::Over));
            if asks(Property::Deadlock) {
                let waits = nexts.iter().any(|next| matches!(next, Next::Wait(_)));
                let some = self.some_for_ever(&state, &nexts);
                truth.is_bad |= some || (waits && !can_run);
                truth.is_partial |= some && can_run;
            }
            for next in nexts {
                match next {
                    Next::Go(state) => {
                        if seen.insert(state.clone()) {
                            open.push(state);
                        }
                    }
                    Next::Misuse => truth.is_bad = true,
                    Next::Spin | Next::Wait(_) | Next::Over | Next::End => {}
                }
            }
        }
        truth
    }

    /// Strikes out who may go on, until nobody is left to strike out.
    fn some_for_ever(&self, state: &State, nexts: &[Next]) -> bool {
        let mut left: BTreeSet<usize> =
            (0..nexts.len()).filter(|thread| matches!(nexts[*thread], Next::Wait(Some(_)))).collect();
        loop {
            let stays = |thread: &usize| match nexts[*thread] {
                Next::Wait(Some(owner)) => {
                    let has_ended = matches!(nexts.get(owner), Some(Next::Over));
                    let is_join = matches!(self.threads[*thread][state.at[*thread]], Action::Join(_));
                    left.contains(&owner) || (has_ended && !is_join)
                }
                _ => false,
            };
            let kept: BTreeSet<usize> = left.iter().copied().filter(stays).collect();
            if kept.len() == left.len() {
                return !left.is_empty();
            }
            left = kept;
        }
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
