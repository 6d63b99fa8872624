//! What does an OOX program do? A machine of heap and threads; each step is one instruction of one thread.
//!
//! This file is the machine: its parts, how it starts, who can step, how it ends. `exec` is what an instruction does.
//! Written to be read and to be right, not to be fast: it is what every trace is replayed on.
//!
//! Locks are mutual exclusion, not reentrant, and may be given back by anybody. Join waits for all descendants. An
//! exception that no frame of its thread catches ends the whole execution; the clause `exceptional` of every frame that it leaves must
//! hold, and in another thread than main that of the entry method too (on the values of its arguments at the start).

use super::eval::{Raised, Scope, Value};
use super::program::{ClassId, Clause, Method, MethodId, Op, Program, Type};
use crate::source::Span;

/// A thread's name: which fork of which thread made it. Main is the empty list, its second fork is `[1]`.
/// Names do not depend on the schedule.
pub type ThreadName = Vec<u16>;

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ObjectShape {
    /// An object of exactly this class.
    Instance(ClassId),
    /// An array of this (array) type.
    Array(Type),
}

/// An object or array.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// What it is.
    pub shape: ObjectShape,
    /// Fields by slot, or elements.
    pub values: Vec<Value>,
    /// Who holds its lock.
    pub holder: Option<ThreadName>,
}

/// What the environment chooses: objects that are there at the start, and the arguments of the entry method.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Inputs {
    /// The objects; references count from 1.
    pub objects: Vec<Object>,
    /// The arguments, `this` first.
    pub args: Vec<Value>,
}

/// What can go wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ViolationKind {
    /// An `assert` does not hold.
    Assertion,
    /// A `requires` does not hold at a call.
    Requires,
    /// An `ensures` does not hold at an end.
    Ensures,
    /// An exception leaves and `exceptional` does not hold.
    Exceptional,
    /// Main has not ended and nobody can go on.
    Deadlock,
}

impl ViolationKind {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "an assertion fails",
            ViolationKind::Requires => "a call does not meet `requires`",
            ViolationKind::Ensures => "`ensures` does not hold at the end of the method",
            ViolationKind::Exceptional => "an exception leaves a method whose `exceptional` does not hold",
            ViolationKind::Deadlock => "deadlock: no thread can go on",
        }
    }
}

/// Something went wrong: what and where.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Violation {
    /// What.
    pub kind: ViolationKind,
    /// The assertion or clause.
    pub span: Span,
}

/// Why an execution is over before all threads have ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Something went wrong.
    Violation(Violation),
    /// An exception that nobody caught, and no clause minds.
    Exception,
    /// An assumption does not hold: of no interest.
    Assumed,
    /// An integer beyond 64 bits: cannot be told.
    OutOfRange(Span),
}

/// What a step did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stepped {
    /// It was done.
    Done,
    /// The thread waits, or has ended.
    Blocked,
    /// The execution is over.
    Ended(Ended),
}

/// Something that a step did, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// Read from the heap.
    Read(String, String),
    /// Wrote to the heap: what, before, after.
    Write(String, String, String),
    /// Changed a local.
    Set(String, String),
    /// Started a thread.
    Start(ThreadName),
    /// All descendants have ended.
    Join,
    /// Took a lock.
    Lock(String),
    /// Gave a lock back.
    Unlock(String),
    /// Anything else.
    Note(String),
}

/// A method that is running.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Frame {
    pub(super) method: MethodId,
    pub(super) pc: u32,
    pub(super) locals: Vec<Value>,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Thread {
    pub(super) name: ThreadName,
    pub(super) frames: Vec<Frame>,
    pub(super) n_children: u16,
}

/// A running program.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    pub(super) program: &'a Program,
    pub(super) heap: Vec<Object>,
    /// In the order of their names.
    pub(super) threads: Vec<Thread>,
    pub(super) args: Vec<Value>,
    /// What happened, if somebody wants to know.
    pub events: Option<Vec<Event>>,
}

impl<'a> Machine<'a> {
    /// The start: main is about to run the entry method. An error if the inputs are not what it requires.
    pub fn start(program: &'a Program, inputs: &Inputs) -> Result<Machine<'a>, Ended> {
        let mut machine = Machine {
            program,
            heap: inputs.objects.clone(),
            threads: Vec::new(),
            args: inputs.args.clone(),
            events: None,
        };
        let method = program.method(program.entry);
        let mut args = inputs.args.clone();
        if method.is_constructor {
            args.insert(0, machine.allocate(method.class));
        }
        machine.args = args.clone();
        let frame = machine.frame(program.entry, args);
        if let Some(clause) = &method.requires
            && !machine.clause_holds(clause, &frame.locals)?
        {
            return Err(Ended::Assumed);
        }
        machine.threads.push(Thread { name: Vec::new(), frames: vec![frame], n_children: 0 });
        Ok(machine)
    }

    /// How many threads there are.
    pub fn n_threads(&self) -> usize {
        self.threads.len()
    }

    /// A thread's name.
    pub fn thread_name(&self, thread: usize) -> &ThreadName {
        &self.threads[thread].name
    }

    /// The thread of that name.
    pub fn thread_named(&self, name: &ThreadName) -> Option<usize> {
        self.threads.iter().position(|thread| thread.name == *name)
    }

    /// The method that the thread runs innermost, and where it stands in the text; `None` if it has ended.
    pub fn position(&self, thread: usize) -> Option<(MethodId, Span)> {
        let frame = self.threads[thread].frames.last()?;
        Some((frame.method, self.program.method(frame.method).code[frame.pc as usize].span))
    }

    /// The method that the thread began with, as long as it runs.
    pub fn root_method(&self, thread: usize) -> Option<MethodId> {
        self.threads[thread].frames.first().map(|frame| frame.method)
    }

    /// The heap.
    pub fn heap(&self) -> &[Object] {
        &self.heap
    }

    /// Whether a thread has ended.
    pub fn has_ended(&self, thread: usize) -> bool {
        self.threads[thread].frames.is_empty()
    }

    /// Whether a thread can step now.
    pub fn is_enabled(&self, thread: usize) -> bool {
        let Some(frame) = self.threads[thread].frames.last() else { return false };
        match &self.program.method(frame.method).code[frame.pc as usize].op {
            Op::Lock(object) => match self.scope(&frame.locals).eval(object) {
                Ok(value) => value.as_ref() == 0 || self.heap[value.as_ref() as usize - 1].holder.is_none(),
                Err(_) => true,
            },
            Op::Join => self.waits_for(thread).is_empty(),
            _ => true,
        }
    }

    /// The descendants of a thread that have not ended.
    pub fn waits_for(&self, thread: usize) -> Vec<ThreadName> {
        let name = &self.threads[thread].name;
        let is_below = |other: &&Thread| other.name.len() > name.len() && other.name.starts_with(name);
        self.threads.iter().filter(is_below).filter(|other| !other.frames.is_empty()).map(|t| t.name.clone()).collect()
    }

    /// The object whose lock a thread waits for (its place in the heap).
    pub fn wanted_lock(&self, thread: usize) -> Option<usize> {
        let frame = self.threads[thread].frames.last()?;
        let Op::Lock(object) = &self.program.method(frame.method).code[frame.pc as usize].op else { return None };
        let reference = self.scope(&frame.locals).eval(object).ok()?.as_ref();
        (reference as usize).checked_sub(1)
    }

    /// Whether nobody can go on although main has not ended.
    pub fn is_deadlocked(&self) -> bool {
        !self.has_ended(0) && (0..self.threads.len()).all(|thread| !self.is_enabled(thread))
    }

    /// Everything that decides what happens next, for comparing.
    pub(super) fn key(&self) -> (Vec<Object>, Vec<Thread>) {
        (self.heap.clone(), self.threads.clone())
    }

    pub(super) fn scope(&self, locals: &[Value]) -> Scope<'_> {
        Scope { program: self.program, heap: &self.heap, locals: locals.to_vec() }
    }

    /// A frame about to run a method.
    pub(super) fn frame(&self, method: MethodId, mut args: Vec<Value>) -> Frame {
        let locals = &self.program.method(method).locals;
        args.extend(locals[args.len().min(locals.len())..].iter().map(|local| Value::default_of(local.ty)));
        Frame { method, pc: 0, locals: args }
    }

    /// A new object of a class with default fields.
    pub(super) fn allocate(&mut self, class: ClassId) -> Value {
        let values = self.program.class(class).fields.iter().map(|field| Value::default_of(field.ty)).collect();
        self.heap.push(Object { shape: ObjectShape::Instance(class), values, holder: None });
        Value::Ref(self.heap.len() as u32)
    }

    /// Whether a clause holds on these locals.
    pub(super) fn clause_holds(&self, clause: &Clause, locals: &[Value]) -> Result<bool, Ended> {
        self.scope(locals).holds(&clause.cond).map_err(|raised| match raised {
            Raised::OutOfRange => Ended::OutOfRange(clause.span),
            Raised::Exception(_) => unreachable!("a clause that cannot be computed is false"),
        })
    }

    /// The entry method's clause about exceptions holds on its arguments; the clause otherwise.
    pub(super) fn entry_accepts_exceptions(&self) -> Result<Option<&'a Clause>, Ended> {
        let method: &'a Method = self.program.method(self.program.entry);
        let Some(clause) = &method.exceptional else { return Ok(None) };
        let frame = self.frame(self.program.entry, self.args.clone());
        Ok((!self.clause_holds(clause, &frame.locals)?).then_some(clause))
    }
}
