//! What can go wrong in a program of the heap fuzzer? All interleavings, access by access, on a heap of a few small objects.
//!
//! This knows nothing of the rest of ravel: it runs the fuzzer's own trees, not what the front end makes of them. Bodies become lists of little
//! steps; a step touches what threads share at most once, and steps that touch nothing of it stick to the one before. States that were met before are not
//! explored again; nothing else is left out.
//!
//! Objects end by `free`, with their block or function, or with their thread. Using one after that, or freeing what is no live object of the
//! heap, is wrong, and nothing is said about what comes after.

use super::super::stuck::{Doing, is_deadlock};
use super::program::{From, Piece, Program, To};
use std::collections::BTreeSet;

/// What some execution does; `None` to [`explore`] if there are too many states.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Truth {
    /// It comes to the error.
    pub(super) errs: bool,
    /// It uses or frees what is no object to be used or freed.
    pub(super) misuses: bool,
    /// It ends and leaves objects on the heap.
    pub(super) leaves: bool,
    /// Some threads wait for ever.
    pub(super) deadlocks: bool,
}

/// An object: the thread that made it and its number there; `None` is null.
type Pointer = Option<(u8, u8)>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Object {
    name: (u8, u8),
    on_heap: bool,
    is_live: bool,
    value: u8,
    next: Pointer,
}

/// Registers: the two pointers of each function that may be active, what was read last, and the local objects.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Thread {
    is_started: bool,
    has_ended: bool,
    at: usize,
    n_made: u8,
    registers: Vec<Pointer>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    globals: [Pointer; 2],
    holder: Option<u8>,
    objects: Vec<Object>,
    threads: Vec<Thread>,
}

/// A step. Registers are numbered.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Nothing shared: registers, jumps.
    Copy(usize, usize),
    Clear(usize),
    JumpIfNull(usize, usize),
    Jump(usize),
    /// One access each.
    ReadGlobal(usize, usize),
    WriteGlobal(usize, usize),
    ReadNext(usize, usize),
    WriteNext(usize, usize),
    WriteValue(usize, u8),
    ForbidValue(usize, u8),
    CopyValue(usize, usize),
    Make(usize, bool),
    Free(usize),
    EndLocal(usize),
    Lock,
    Unlock,
    Start(usize),
    Join(usize),
    EndThread,
    EndProcess,
}

impl Step {
    fn is_silent(self) -> bool {
        matches!(self, Step::Copy(..) | Step::Clear(_) | Step::JumpIfNull(..) | Step::Jump(_))
    }
}

/// States that are looked at.
const MOST_STATES: usize = 150_000;

/// What the executions of a program do.
pub(super) fn explore(program: &Program) -> Option<Truth> {
    let code = code_of(program);
    let blank = |steps: &Vec<Step>, is_started| Thread {
        is_started,
        has_ended: false,
        at: 0,
        n_made: 0,
        registers: vec![None; n_registers(steps)],
    };
    let threads = code.iter().enumerate().map(|(index, steps)| blank(steps, index == 0)).collect();
    let first = State { globals: [None; 2], holder: None, objects: Vec::new(), threads };
    let mut truth = Truth::default();
    let mut seen: BTreeSet<State> = BTreeSet::new();
    let mut open = vec![first.clone()];
    seen.insert(first);
    while let Some(state) = open.pop() {
        if seen.len() > MOST_STATES {
            return None;
        }
        let mut doing = vec![Doing::Ended; state.threads.len()];
        for (thread, code) in code.iter().enumerate().take(state.threads.len()) {
            if !state.threads[thread].is_started || state.threads[thread].has_ended {
                continue;
            }
            let mut next = state.clone();
            match next.run(code, thread, &mut truth) {
                Went::On => {
                    doing[thread] = Doing::Runs;
                    if seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
                Went::Over => doing[thread] = Doing::Runs,
                Went::Nowhere(owner) => doing[thread] = Doing::Waits(Some(owner)),
            }
        }
        truth.deadlocks |= is_deadlock(&doing);
    }
    Some(truth)
}

enum Went {
    On,
    /// The execution is over.
    Over,
    /// It has to wait for a thread.
    Nowhere(usize),
}

impl State {
    /// Runs a thread up to before its second access.
    fn run(&mut self, code: &[Step], thread: usize, truth: &mut Truth) -> Went {
        let mut is_first = true;
        loop {
            let step = code[self.threads[thread].at];
            if !step.is_silent() && !std::mem::take(&mut is_first) {
                return Went::On;
            }
            self.threads[thread].at += 1;
            match self.step(step, thread, truth) {
                Went::On => {}
                over => return over,
            }
            if self.threads[thread].has_ended {
                return Went::On;
            }
        }
    }

    fn step(&mut self, step: Step, thread: usize, truth: &mut Truth) -> Went {
        let read = |state: &State, register: usize| state.threads[thread].registers[register];
        match step {
            Step::Copy(to, from) => self.threads[thread].registers[to] = read(self, from),
            Step::Clear(to) => self.threads[thread].registers[to] = None,
            Step::Jump(to) => self.threads[thread].at = to,
            Step::JumpIfNull(register, to) => {
                if read(self, register).is_none() {
                    self.threads[thread].at = to;
                }
            }
            Step::ReadGlobal(to, global) => self.threads[thread].registers[to] = self.globals[global],
            Step::WriteGlobal(global, from) => self.globals[global] = read(self, from),
            Step::ReadNext(to, from) => match self.live(read(self, from)) {
                Some(at) => self.threads[thread].registers[to] = self.objects[at].next,
                None => return misuse(truth),
            },
            Step::WriteNext(to, from) => match self.live(read(self, to)) {
                Some(at) => self.objects[at].next = read(self, from),
                None => return misuse(truth),
            },
            Step::WriteValue(register, value) => match self.live(read(self, register)) {
                Some(at) => self.objects[at].value = value,
                None => return misuse(truth),
            },
            Step::ForbidValue(register, value) => match self.live(read(self, register)) {
                Some(at) if self.objects[at].value == value => {
                    truth.errs = true;
                    return Went::Over;
                }
                Some(_) => {}
                None => return misuse(truth),
            },
            Step::CopyValue(to, from) => match (self.live(read(self, to)), self.live(read(self, from))) {
                (Some(to), Some(from)) => self.objects[to].value = self.objects[from].value,
                _ => return misuse(truth),
            },
            Step::Make(to, on_heap) => {
                let name = (thread as u8, self.threads[thread].n_made);
                self.threads[thread].n_made += 1;
                let object = Object { name, on_heap, is_live: true, value: 0, next: None };
                let place = self.objects.partition_point(|other| other.name < name);
                self.objects.insert(place, object);
                self.threads[thread].registers[to] = Some(name);
            }
            Step::Free(register) => {
                let pointer = read(self, register);
                match self.live(pointer) {
                    _ if pointer.is_none() => {}
                    Some(at) if self.objects[at].on_heap => self.objects[at].is_live = false,
                    _ => return misuse(truth),
                }
            }
            Step::EndLocal(register) => {
                if let Some(at) = self.live(read(self, register)) {
                    self.objects[at].is_live = false;
                }
            }
            Step::Lock => match self.holder {
                None => self.holder = Some(thread as u8),
                Some(holder) => return Went::Nowhere(usize::from(holder)),
            },
            Step::Unlock => self.holder = None,
            Step::Start(other) => self.threads[other].is_started = true,
            Step::Join(other) => {
                if !self.threads[other].has_ended {
                    return Went::Nowhere(other);
                }
            }
            Step::EndThread => {
                self.threads[thread].has_ended = true;
                let is_own = |object: &&mut Object| object.name.0 as usize == thread && !object.on_heap;
                self.objects.iter_mut().filter(is_own).for_each(|object| object.is_live = false);
                if self.threads.iter().all(|thread| thread.has_ended || !thread.is_started) {
                    return self.end(truth);
                }
            }
            Step::EndProcess => return self.end(truth),
        }
        Went::On
    }

    fn live(&self, pointer: Pointer) -> Option<usize> {
        let name = pointer?;
        self.objects.iter().position(|object| object.name == name && object.is_live)
    }

    fn end(&self, truth: &mut Truth) -> Went {
        truth.leaves |= self.objects.iter().any(|object| object.on_heap && object.is_live);
        Went::Over
    }
}

fn misuse(truth: &mut Truth) -> Went {
    truth.misuses = true;
    Went::Over
}

fn n_registers(steps: &[Step]) -> usize {
    let largest = |step: &Step| match *step {
        Step::Copy(a, b) | Step::ReadNext(a, b) | Step::WriteNext(a, b) | Step::CopyValue(a, b) => a.max(b),
        Step::Clear(a) | Step::JumpIfNull(a, _) | Step::ReadGlobal(a, _) | Step::WriteGlobal(_, a) => a,
        Step::WriteValue(a, _) | Step::ForbidValue(a, _) | Step::Make(a, _) | Step::Free(a) | Step::EndLocal(a) => a,
        _ => 0,
    };
    steps.iter().map(largest).max().unwrap_or(0) + 1
}

/// The steps of main and of each thread.
fn code_of(program: &Program) -> Vec<Vec<Step>> {
    let mut main = Coder::new();
    let frame = main.enter();
    main.body(&program.before, frame);
    (0..program.threads.len()).for_each(|index| main.steps.push(Step::Start(index + 1)));
    main.body(&program.beside, frame);
    if program.joins {
        (0..program.threads.len()).for_each(|index| main.steps.push(Step::Join(index + 1)));
    }
    main.body(&program.after, frame);
    let mut all = vec![main.finish(frame, Step::EndProcess)];
    for body in &program.threads {
        let mut coder = Coder::new();
        let frame = coder.enter();
        coder.body(body, frame);
        all.push(coder.finish(frame, Step::EndThread));
    }
    all
}

/// A function that is being put into steps: its two pointers start at a register.
#[derive(Clone, Copy)]
struct Frame {
    pointers: usize,
    /// How many local objects were alive around it.
    n_outer: usize,
}

struct Coder {
    steps: Vec<Step>,
    n_registers: usize,
    /// Registers of the local objects of blocks and functions around, the innermost last.
    locals: Vec<usize>,
    /// Jumps to the end of a function, to be filled in.
    returns: Vec<(Frame, usize)>,
    own: usize,
}

impl Coder {
    fn new() -> Coder {
        let mut coder = Coder { steps: Vec::new(), n_registers: 0, locals: Vec::new(), returns: Vec::new(), own: 0 };
        coder.own = coder.register();
        coder.steps.push(Step::Make(coder.own, false));
        coder
    }

    fn register(&mut self) -> usize {
        self.n_registers += 1;
        self.n_registers - 1
    }

    fn enter(&mut self) -> Frame {
        let pointers = self.register();
        self.register();
        self.steps.extend([Step::Clear(pointers), Step::Clear(pointers + 1)]);
        Frame { pointers, n_outer: self.locals.len() }
    }

    fn finish(mut self, frame: Frame, end: Step) -> Vec<Step> {
        self.fill_returns(frame);
        self.steps.push(end);
        self.steps
    }

    fn fill_returns(&mut self, frame: Frame) {
        let here = self.steps.len();
        let (mine, others) =
            std::mem::take(&mut self.returns).into_iter().partition(|(of, _)| of.pointers == frame.pointers);
        self.returns = others;
        let mine: Vec<(Frame, usize)> = mine;
        mine.into_iter().for_each(|(_, at)| self.steps[at] = Step::Jump(here));
    }

    fn body(&mut self, body: &[Piece], frame: Frame) {
        body.iter().for_each(|piece| self.piece(piece, frame));
    }

    /// The register that holds what is read.
    fn source(&mut self, from: From, frame: Frame) -> usize {
        let to = self.register();
        let step = match from {
            From::Null => Step::Clear(to),
            From::Global(at) => Step::ReadGlobal(to, at),
            From::Local(at) => Step::Copy(to, frame.pointers + at),
            From::Next(at) => Step::ReadNext(to, frame.pointers + at),
            From::ThreadLocal => Step::Copy(to, self.own),
            From::New => Step::Make(to, true),
            From::Block => match self.locals.last() {
                Some(local) => Step::Copy(to, *local),
                None => Step::Clear(to),
            },
        };
        self.steps.push(step);
        to
    }

    fn piece(&mut self, piece: &Piece, frame: Frame) {
        match piece {
            Piece::Set(to, from) => {
                let value = self.source(*from, frame);
                self.steps.push(match to {
                    To::Global(at) => Step::WriteGlobal(*at, value),
                    To::Local(at) => Step::Copy(frame.pointers + at, value),
                    To::Next(at) => Step::WriteNext(frame.pointers + at, value),
                });
            }
            Piece::Free(from) => {
                let value = self.source(*from, frame);
                self.steps.push(Step::Free(value));
            }
            Piece::Again(at) => {
                let (old, new) = (frame.pointers + at, self.register());
                let jump = self.steps.len() + 1;
                self.steps.extend([Step::Make(new, true), Step::JumpIfNull(old, jump + 3)]);
                self.steps.extend([Step::CopyValue(new, old), Step::Free(old), Step::Copy(old, new)]);
            }
            Piece::Write(from, value) => {
                let to = self.source(*from, frame);
                self.steps.push(Step::WriteValue(to, *value));
            }
            Piece::Forbid(from, value) => {
                let at = self.source(*from, frame);
                self.steps.push(Step::ForbidValue(at, *value));
            }
            Piece::If(from, inner) => {
                let value = self.source(*from, frame);
                let jump = self.steps.len();
                self.steps.push(Step::JumpIfNull(value, 0));
                self.body(inner, frame);
                self.steps[jump] = Step::JumpIfNull(value, self.steps.len());
            }
            Piece::Locked(inner) => {
                self.steps.push(Step::Lock);
                self.body(inner, frame);
                self.steps.push(Step::Unlock);
            }
            Piece::Block(inner) => self.with_local(inner, frame),
            Piece::Call(inner) => {
                let frame = self.enter();
                self.with_local(inner, frame);
                self.fill_returns(frame);
            }
            Piece::Exit => self.steps.push(Step::EndThread),
            Piece::Return => {
                // What the function has opened ends; blocks around a call stay.
                let ended: Vec<usize> = self.locals[frame.n_outer..].iter().rev().copied().collect();
                self.steps.extend(ended.into_iter().map(Step::EndLocal));
                self.returns.push((frame, self.steps.len()));
                self.steps.push(Step::Jump(0));
            }
        }
    }

    fn with_local(&mut self, inner: &[Piece], frame: Frame) {
        let local = self.register();
        self.steps.push(Step::Make(local, false));
        self.locals.push(local);
        self.body(inner, frame);
        self.locals.pop();
        self.steps.push(Step::EndLocal(local));
    }
}
