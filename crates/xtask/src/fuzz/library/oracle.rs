//! What can go wrong in a program of the library fuzzer? All interleavings, access by access, by what POSIX and C11 say.
//!
//! This knows nothing of the rest of ravel: it runs the fuzzer's own trees. Bodies become lists of steps; a step touches what threads share at most once, and steps that
//! touch nothing of it stick to the one before. Where the standards leave a choice, all are taken: whom a signal wakes, waking without a
//! signal, running out of time at any moment. Read-write locks prefer readers, and the last to come to a barrier is told so, as in the system's library.

use super::super::stuck::{Doing, is_deadlock};
use super::program::{Fate, How, Kind, Lock, Piece, Program};
use std::collections::BTreeSet;

/// What some execution does.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Truth {
    /// An assertion fails.
    pub(super) errs: bool,
    /// Some threads wait for ever.
    pub(super) deadlocks: bool,
}

/// States that are looked at.
const MOST_STATES: usize = 40_000;

/// What threads return, and what `pthread_exit` gives.
pub(super) fn result_of(thread: usize) -> i32 {
    thread as i32
}
pub(super) const EXIT_RESULT: i32 = 5;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Once {
    NotYet,
    Runs(usize),
    Done,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Thread {
    is_started: bool,
    has_ended: bool,
    at: usize,
    r: i32,
    /// What `x + 1` has read, and what a destructor was given.
    read: i32,
    key: u8,
    given: u8,
    in_barrier: bool,
    in_condition: bool,
    result: i32,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    shared: [i32; 2],
    /// Who has each mutex, and how often more than once.
    owner: [Option<usize>; 2],
    again: [u8; 2],
    n_readers: usize,
    writer: Option<usize>,
    semaphore: u8,
    n_arrived: u8,
    once: Once,
    threads: Vec<Thread>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Jump(usize),
    JumpUnless(i32, usize),
    Never(i32),
    SetKey(u8),
    GetKey,
    Result(i32),
    /// To the address if the key's destructor has nothing to do.
    NextValue(usize),
    /// The destructor sets the key again if it was given 2.
    KeyAgain,
    Set(usize, i32),
    Get(usize),
    Read(usize),
    /// Writes what was read and 1, or what the destructor was given.
    WriteMore(usize, bool),
    NeverShared(usize, i32),
    /// Goes on at the address unless the number is 0.
    JumpIfShared(usize, usize),
    Take(Lock, How),
    /// Takes the first mutex around a wait; what that returns nobody looks at.
    Relock,
    GiveBack(Lock),
    Unlock,
    SemWait(How),
    SemPost,
    SemValue,
    Arrive,
    LeaveBarrier,
    /// To the address if it is done.
    Once(usize),
    OnceDone,
    BeginWaiting,
    EndWaiting(How),
    Signal,
    Broadcast,
    Start(usize),
    Join(usize),
    EndThread,
    EndProcess,
}

impl Step {
    /// Whether it touches nothing that threads share.
    fn is_silent(self) -> bool {
        use Step::{GetKey, Jump, JumpUnless, KeyAgain, Never, NextValue, Result, SetKey};
        matches!(self, Jump(_) | JumpUnless(..) | Never(_) | SetKey(_) | GetKey | Result(_) | NextValue(_) | KeyAgain)
    }
}

/// What the executions of a program do; `None` if there are too many states.
pub(super) fn explore(program: &Program) -> Option<Truth> {
    let code = code_of(program);
    let thread = |index: usize| Thread {
        is_started: index == 0,
        has_ended: false,
        at: 0,
        r: 0,
        read: 0,
        key: 0,
        given: 0,
        in_barrier: false,
        in_condition: false,
        result: 0,
    };
    let first = State {
        shared: [0; 2],
        owner: [None; 2],
        again: [0; 2],
        n_readers: 0,
        writer: None,
        semaphore: program.semaphore,
        n_arrived: 0,
        once: Once::NotYet,
        threads: (0..code.len()).map(thread).collect(),
    };
    let mut truth = Truth::default();
    let mut seen = BTreeSet::from([first.clone()]);
    let mut open = vec![first];
    while let Some(state) = open.pop() {
        let mut doing = vec![Doing::Ended; code.len()];
        for (thread, doing) in doing.iter_mut().enumerate() {
            if !state.threads[thread].is_started || state.threads[thread].has_ended {
                continue;
            }
            for choice in 0..state.n_choices(program, &code, thread) {
                let mut next = state.clone();
                let went = next.run(program, &code, thread, choice);
                if choice == 0 {
                    *doing = match went {
                        Went::Nowhere(owner) => Doing::Waits(owner),
                        _ => Doing::Runs,
                    };
                }
                match went {
                    Went::On => {
                        if seen.insert(next.clone()) {
                            open.push(next);
                        }
                    }
                    Went::Wrong => truth.errs = true,
                    Went::Over | Went::Nowhere(_) => {}
                }
            }
        }
        truth.deadlocks |= is_deadlock(&doing);
        if seen.len() > MOST_STATES {
            return None;
        }
    }
    Some(truth)
}

enum Went {
    On,
    /// The process ends.
    Over,
    /// An assertion fails.
    Wrong,
    /// It waits, for a thread if one alone can end it.
    Nowhere(Option<usize>),
}

/// What calls return.
struct Codes {
    busy: i32,
    timed_out: i32,
    deadlock: i32,
}

impl State {
    /// In how many ways a thread's next step can go.
    fn n_choices(&self, program: &Program, code: &[Vec<Step>], thread: usize) -> usize {
        match code[thread][self.threads[thread].at] {
            Step::EndWaiting(How::Wait) if self.threads[thread].in_condition => 2,
            Step::EndWaiting(How::Timed | How::Try) => 2,
            // C11's attempts may fail for no reason.
            Step::Take(Lock::Mutex(_), How::Try) if program.style.is_c11 => 2,
            Step::Signal => self.threads.iter().filter(|thread| thread.in_condition).count().max(1),
            _ => 1,
        }
    }

    /// Runs a thread up to before its second access.
    fn run(&mut self, program: &Program, code: &[Vec<Step>], thread: usize, choice: usize) -> Went {
        let mut is_first = true;
        loop {
            let step = code[thread][self.threads[thread].at];
            if !step.is_silent() && !std::mem::take(&mut is_first) {
                return Went::On;
            }
            self.threads[thread].at += 1;
            match self.step(program, step, thread, choice) {
                Went::On => {}
                other => return other,
            }
            if self.threads[thread].has_ended {
                return Went::On;
            }
        }
    }

    fn step(&mut self, program: &Program, step: Step, thread: usize, choice: usize) -> Went {
        let codes = match program.style.is_c11 {
            true => Codes { busy: 1, timed_out: 4, deadlock: 2 },
            false => Codes { busy: 16, timed_out: 110, deadlock: 35 },
        };
        let me = &mut self.threads[thread];
        match step {
            Step::Jump(to) => me.at = to,
            Step::JumpUnless(number, to) if me.r != number => me.at = to,
            Step::JumpUnless(..) => {}
            Step::Never(number) if me.r == number => return Went::Wrong,
            Step::Never(_) => {}
            Step::SetKey(value) => (me.key, me.r) = (value, 0),
            Step::GetKey => me.r = i32::from(me.key),
            Step::Result(result) => me.result = result,
            Step::NextValue(to) if me.key == 0 => me.at = to,
            Step::NextValue(_) => (me.given, me.key) = (me.key, 0),
            Step::KeyAgain => {
                if me.given == 2 {
                    me.key = 1;
                }
            }
            Step::Set(at, value) => self.shared[at] = value,
            Step::Get(at) => me.r = self.shared[at],
            Step::Read(at) => me.read = self.shared[at],
            Step::WriteMore(at, is_destructor) => {
                self.shared[at] = me.read + if is_destructor { i32::from(me.given) } else { 1 };
                // What was read is not needed any more.
                me.read = 0;
            }
            Step::NeverShared(at, value) if self.shared[at] == value => return Went::Wrong,
            Step::NeverShared(..) => {}
            Step::JumpIfShared(at, to) => {
                if self.shared[at] != 0 {
                    me.at = to;
                }
            }
            Step::Take(Lock::Mutex(_), How::Try) if choice == 1 => me.r = codes.busy,
            Step::Take(lock, how) => return self.take(program, lock, how, thread, &codes),
            Step::Relock => match self.owner[0] {
                None => self.owner[0] = Some(thread),
                owner => return Went::Nowhere(owner),
            },
            Step::GiveBack(lock) => self.give_back(lock, thread),
            Step::Unlock => {
                if self.owner[1] == Some(thread) {
                    me.r = 0;
                    self.give_back(Lock::Mutex(1), thread);
                } else {
                    me.r = 1;
                }
            }
            Step::SemWait(how) => match (self.semaphore, how) {
                (0, How::Wait) => return Went::Nowhere(None),
                (0, _) => me.r = -1,
                _ => (self.semaphore, me.r) = (self.semaphore - 1, 0),
            },
            Step::SemPost => (self.semaphore, me.r) = (self.semaphore + 1, 0),
            Step::SemValue => me.r = i32::from(self.semaphore),
            Step::Arrive => {
                if self.n_arrived + 1 == program.barrier {
                    me.r = -1;
                    self.n_arrived = 0;
                    self.threads.iter_mut().for_each(|thread| thread.in_barrier = false);
                } else {
                    self.n_arrived += 1;
                    (me.r, me.in_barrier) = (0, true);
                }
            }
            Step::LeaveBarrier => {
                if me.in_barrier {
                    return Went::Nowhere(None);
                }
            }
            Step::Once(to) => match self.once {
                Once::Done => me.at = to,
                Once::Runs(owner) => return Went::Nowhere(Some(owner)),
                Once::NotYet => self.once = Once::Runs(thread),
            },
            Step::OnceDone => self.once = Once::Done,
            Step::BeginWaiting => {
                me.in_condition = true;
                self.owner[0] = None;
            }
            Step::EndWaiting(How::Wait) => {
                if me.in_condition && choice == 0 {
                    return Went::Nowhere(None);
                }
                (me.in_condition, me.r) = (false, 0);
            }
            Step::EndWaiting(_) => {
                me.in_condition = false;
                me.r = if choice == 0 { 0 } else { codes.timed_out };
            }
            Step::Signal => {
                if let Some(woken) = self.threads.iter_mut().filter(|thread| thread.in_condition).nth(choice) {
                    woken.in_condition = false;
                }
            }
            Step::Broadcast => self.threads.iter_mut().for_each(|thread| thread.in_condition = false),
            Step::Start(other) => self.threads[other].is_started = true,
            Step::Join(other) => {
                if !self.threads[other].has_ended {
                    return Went::Nowhere(Some(other));
                }
                self.threads[thread].r = self.threads[other].result;
            }
            Step::EndThread => me.has_ended = true,
            Step::EndProcess => return Went::Over,
        }
        Went::On
    }

    fn take(&mut self, program: &Program, lock: Lock, how: How, thread: usize, codes: &Codes) -> Went {
        // Who alone can end a wait, where it is one; or what is returned.
        let refused: Result<i32, Option<usize>> = match lock {
            Lock::Mutex(mutex) => match self.owner[mutex] {
                None => {
                    self.owner[mutex] = Some(thread);
                    Ok(0)
                }
                Some(owner) if owner == thread && mutex == 1 && program.kind == Kind::Recursive => {
                    self.again[mutex] += 1;
                    Ok(0)
                }
                Some(owner) if owner == thread && mutex == 1 && program.kind == Kind::Checking => match how {
                    How::Try => Ok(codes.busy),
                    How::Wait | How::Timed => Ok(codes.deadlock),
                },
                Some(owner) => Err(Some(owner)),
            },
            Lock::Read => match self.writer {
                None => {
                    self.n_readers += 1;
                    Ok(0)
                }
                writer => Err(writer),
            },
            Lock::Write => match self.writer {
                None if self.n_readers == 0 => {
                    self.writer = Some(thread);
                    Ok(0)
                }
                writer => Err(writer),
            },
        };
        let r = match (refused, how) {
            (Ok(r), _) => r,
            (Err(owner), How::Wait) => return Went::Nowhere(owner),
            // Read-write locks are POSIX's in C11's programs too.
            (Err(_), How::Try) if !matches!(lock, Lock::Mutex(_)) => 16,
            (Err(_), How::Timed) if !matches!(lock, Lock::Mutex(_)) => 110,
            (Err(_), How::Try) => codes.busy,
            (Err(_), How::Timed) => codes.timed_out,
        };
        self.threads[thread].r = r;
        Went::On
    }

    /// Gives back what the thread has; a mutex that counts or checks may be somebody else's by now.
    fn give_back(&mut self, lock: Lock, thread: usize) {
        match lock {
            Lock::Mutex(mutex) if self.owner[mutex] != Some(thread) => {}
            Lock::Mutex(mutex) if self.again[mutex] > 0 => self.again[mutex] -= 1,
            Lock::Mutex(mutex) => self.owner[mutex] = None,
            Lock::Read => self.n_readers -= 1,
            Lock::Write => self.writer = None,
        }
    }
}

/// The steps of main and of each thread.
fn code_of(program: &Program) -> Vec<Vec<Step>> {
    let n_threads = program.threads.len();
    let mut main = Code { program, thread: 0, steps: Vec::new() };
    main.steps.extend((1..=n_threads).map(Step::Start));
    main.body(&program.beside);
    let joined = (1..=n_threads).filter(|thread| program.fates[thread - 1] == Fate::Joined);
    main.steps.extend(joined.map(Step::Join));
    main.body(&program.after);
    main.steps.push(Step::EndProcess);
    let mut all = vec![main.steps];
    for (index, body) in program.threads.iter().enumerate() {
        let mut code = Code { program, thread: index + 1, steps: Vec::new() };
        code.body(body);
        code.leave();
        all.push(code.steps);
    }
    all
}

struct Code<'p> {
    program: &'p Program,
    thread: usize,
    steps: Vec<Step>,
}

impl Code<'_> {
    fn body(&mut self, body: &[Piece]) {
        body.iter().for_each(|piece| self.piece(piece));
    }

    /// What is done if `r` is this number.
    fn only_if(&mut self, number: i32, inner: impl FnOnce(&mut Self)) {
        let at = self.steps.len();
        self.steps.push(Step::Jump(0));
        inner(self);
        self.steps[at] = Step::JumpUnless(number, self.steps.len());
    }

    /// Returns from the thread's function.
    fn leave(&mut self) {
        if self.thread == 0 {
            self.steps.push(Step::EndProcess);
        } else {
            self.end(result_of(self.thread));
        }
    }

    /// Ends the thread: destructors run before it is over.
    fn end(&mut self, result: i32) {
        self.steps.push(Step::Result(result));
        if let Some((at, sets_again)) = self.program.destructor {
            let first = self.steps.len();
            self.steps.push(Step::Jump(0));
            self.steps.extend([Step::Read(at), Step::WriteMore(at, true)]);
            self.steps.extend(sets_again.then_some(Step::KeyAgain));
            self.steps.push(Step::Jump(first));
            self.steps[first] = Step::NextValue(self.steps.len());
        }
        self.steps.push(Step::EndThread);
    }

    fn piece(&mut self, piece: &Piece) {
        match piece {
            Piece::Set(at, value) => self.steps.push(Step::Set(*at, i32::from(*value))),
            Piece::Get(at) => self.steps.push(Step::Get(*at)),
            Piece::Add(at) => self.steps.extend([Step::Read(*at), Step::WriteMore(*at, false)]),
            Piece::Never(number) => self.steps.push(Step::Never(*number)),
            Piece::NeverShared(at, value) => self.steps.push(Step::NeverShared(*at, i32::from(*value))),
            Piece::If(number, inner) => self.only_if(*number, |code| code.body(inner)),
            Piece::Twice(inner) => {
                self.body(inner);
                self.body(inner);
            }
            Piece::With(lock, how, inner) => {
                self.steps.push(Step::Take(*lock, *how));
                self.only_if(0, |code| {
                    code.body(inner);
                    code.steps.push(Step::GiveBack(*lock));
                });
            }
            Piece::Unlock => self.steps.push(Step::Unlock),
            Piece::SemWait(how) => self.steps.push(Step::SemWait(*how)),
            Piece::SemPost => self.steps.push(Step::SemPost),
            Piece::SemValue => self.steps.push(Step::SemValue),
            Piece::Barrier => self.steps.extend([Step::Arrive, Step::LeaveBarrier]),
            Piece::Once => {
                let at = self.steps.len();
                self.steps.push(Step::Jump(0));
                let program = self.program;
                self.body(&program.once);
                self.steps.push(Step::OnceDone);
                self.steps[at] = Step::Once(self.steps.len());
            }
            Piece::Await(how, is_loop) => {
                self.steps.push(Step::Relock);
                let first = self.steps.len();
                self.steps.extend(is_loop.then_some(Step::Jump(0)));
                self.steps.extend([Step::BeginWaiting, Step::EndWaiting(*how)]);
                self.steps.push(Step::Relock);
                if *is_loop {
                    self.steps.push(Step::Jump(first));
                    self.steps[first] = Step::JumpIfShared(0, self.steps.len());
                }
                self.steps.push(Step::GiveBack(Lock::Mutex(0)));
            }
            Piece::Signal => self.steps.push(Step::Signal),
            Piece::Broadcast => self.steps.push(Step::Broadcast),
            Piece::SetKey(value) => self.steps.push(Step::SetKey(*value)),
            Piece::GetKey => self.steps.push(Step::GetKey),
            Piece::Exit => self.end(EXIT_RESULT),
            Piece::Return => self.leave(),
        }
    }
}
