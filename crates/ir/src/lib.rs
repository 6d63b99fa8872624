//! The waist of the hourglass: one program model between all languages and all engines.
//!
//! [`Program`] (automata with threads) and [`Stmt`] are what front ends make; [`Task`], [`Verdict`] and [`Trace`] are what engines
//! get and give; [`pass`] turns programs into simpler ones; [`interp`] is the one definition of what programs mean, and
//! [`replay`](mod@replay) runs a trace on it before anybody is told that something is unsafe.

pub mod access;
pub mod addresses;
pub mod build;
pub mod certificate;
pub mod interp;
pub mod litmus;
pub mod memory;
pub mod model;
pub mod oox;
pub mod pass;
pub mod program;
pub mod property;
pub mod replay;
pub mod source;
pub mod stmt;
pub mod text;
pub mod verdict;

pub use access::{Access, AccessKind, Target};
pub use certificate::threads::{At, Known, ThreadEdge, ThreadEvent, ThreadGraph, ThreadGraphs, ThreadNode};
pub use certificate::{CellName, Certificate, CertificateNode, Reduction, Standing, Turn, Turns};
pub use memory::{DataModel, Fill, Object, ObjectId, ObjectKind, Placement, Pointee, Region, RegionId, Shape};
pub use model::{Axioms, Model};
pub use program::{Edge, EdgeId, EdgeRef, Format, Loc, LocId, Proc, ProcId, Program, Scope, Variable};
pub use property::{Properties, Property};
pub use replay::{
    GraphRun, Messaging, Picture, ReplayError, Replayed, approximation_in, n_preemptions, n_switches, replay,
    run_graph, shorten,
};
pub use source::{Diagnostic, FileId, Severity, SourceFile, Sources, Span};
pub use stmt::barrier::{Barrier, Kinds};
pub use stmt::kernel::Kernel;
pub use stmt::message::{self, Marks};
pub use stmt::{AllocKind, AllocSite, Callee, CheckKind, Failure, HavocKind, Mark, Op, Order, Place, SiteId, Stmt};
pub use verdict::{Commit, EventName, Proof, ReadsFrom, Step, Task, Trace, Verdict, Why};
