//! OOX programs: classes, objects, threads; the model, what it means, and replay.
//!
//! OOX has what the automata of `ir::Program` do not: objects whose shape is an input, dynamic dispatch, exceptions, and an
//! unbounded `int`. A lowering to words and bytes would hide just what its engine lives on (which references may be equal), so
//! the language has its own model beside the other one; it shares source spans, diagnostics, properties and reports.
//!
//! [`program`] is the model, [`interp`] the one definition of its meaning, [`replay`](mod@replay) runs a schedule on it, [`random`] a random one, [`naive`]
//! enumerates all executions of small programs, [`text`] prints a program.

mod eval;
mod exec;
mod interp;
mod naive;
mod program;
mod random;
mod replay;
mod text;

pub use eval::{Raised, Value};
pub use interp::{Ended, Event, Inputs, Machine, Object, ObjectShape, Stepped, ThreadName, Violation, ViolationKind};
pub use naive::{Enumerated, enumerate};
pub use program::{
    Base, BinaryOp, Call, Callee, Class, ClassId, Clause, Expr, Field, Instr, Local, LocalId, Method, MethodId, Op, Pc,
    Place, Program, Rhs, Slot, Type, UnaryOp,
};
pub use random::{RandomEnd, RandomRun, run_random};
pub use replay::{Followed, Replayed, ReplayedStep, Trace, Waiting, follow, replay, thread_label};
