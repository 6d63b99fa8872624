//! What is a program? Variables, static objects and procedures; each procedure is a control-flow automaton.
//!
//! An edge carries a short sequence of statements that runs without interleaving. The edges leaving one location
//! begin with `Assume`s that exclude each other, so a thread's own control flow is deterministic: what is left
//! to choose is the schedule and the inputs. This is data only; passes in `pass` turn programs into programs,
//! and the meaning of every statement is written in `interp`.

use crate::memory::{DataModel, Object, ObjectId, Placement, Pointee, Region, Shape};
use crate::model::Model;
use crate::source::{Sources, Span};
use crate::stmt::{Op, Order, Place, SiteId, Stmt};
use logic::{Pool, Sort, Value, VarId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Names a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ProcId(pub u32);

/// Names a location of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocId(pub u32);

/// Names an edge of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EdgeId(pub u32);

/// Names an edge of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EdgeRef {
    /// The procedure.
    pub proc: ProcId,
    /// The edge in it.
    pub edge: EdgeId,
}

impl ProcId {
    /// As an index into `Program::procs`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl LocId {
    /// As an index into `Proc::locs`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl EdgeId {
    /// As an index into `Proc::edges`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Who shares a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// One instance for all threads. Touched only by `Load`, `Store` and `Rmw` through `Place::Var`.
    Global,
    /// One instance per thread, set to its initial value when the thread starts. Used directly in terms.
    Thread,
    /// One instance per activation of its procedure, zero at entry. Used directly in terms.
    Local,
}

/// How a value is shown to a person.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Format {
    /// A signed number.
    #[default]
    Signed,
    /// An unsigned number.
    Unsigned,
    /// `true` or `false`.
    Bool,
    /// A number with its character.
    Char,
    /// The same without a sign.
    UnsignedChar,
    /// A pointer, shown by the object it points into.
    Pointer,
    /// A floating-point number.
    Float,
}

/// A variable; its name and sort are in the pool under the same `VarId`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Who shares it.
    pub scope: Scope,
    /// The value at the start (globals and thread variables); `None` means any value.
    pub init: Option<Value>,
    /// How its values are shown.
    pub format: Format,
    /// Where it is declared; nowhere for temporaries.
    pub span: Span,
    /// Whether no source variable stands behind it, so that traces leave it out.
    pub is_temporary: bool,
}

/// A control point of a procedure.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Loc {
    /// The source place that is about to run.
    pub span: Span,
    /// Whether a loop starts here: a back edge ends here.
    pub is_loop_head: bool,
}

/// A step of a procedure.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: LocId,
    /// Where it ends; the procedure's exit if the last statement returns.
    pub to: LocId,
    /// What it does, without interleaving.
    pub stmts: Vec<Stmt>,
    /// The edges of the lowered program that this edge stands for, in order. Every path of a transformed program
    /// spells a path of the lowered one through these; replay runs that one.
    pub origin: Vec<EdgeRef>,
}

/// A procedure: an automaton with parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct Proc {
    /// Its name.
    pub name: String,
    /// Parameters, among the locals.
    pub params: Vec<VarId>,
    /// All local variables.
    pub locals: Vec<VarId>,
    /// The sort of the value it returns.
    pub result: Option<Sort>,
    /// Control points.
    pub locs: Vec<Loc>,
    /// Steps, grouped by nothing in particular; see `out_edges`.
    pub edges: Vec<Edge>,
    /// Where it starts.
    pub entry: LocId,
    /// Where it has returned; no edge leaves it.
    pub exit: LocId,
    /// Where it is defined.
    pub span: Span,
}

/// A whole program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Owns all terms and the names and sorts of all variables.
    pub pool: Pool,
    /// The text it came from.
    pub sources: Sources,
    /// Sizes of the C types it was compiled for.
    pub data_model: DataModel,
    /// The memory model that it runs under; front ends say `Sc`.
    pub model: Model,
    /// The axioms of `Model::Cat`.
    pub axioms: Option<Arc<crate::model::Axioms>>,
    /// Indexed by `VarId`; as long as the pool's variable table.
    pub vars: Vec<Variable>,
    /// Static objects, functions among them.
    pub objects: Vec<Object>,
    /// Classes of memory that no access mixes; region 0 is "anywhere".
    pub regions: Vec<Region>,
    /// The procedures.
    pub procs: Vec<Proc>,
    /// Where the first thread starts.
    pub main: ProcId,
    /// What every thread, the first included, runs before its own procedure (thread-local objects).
    pub thread_init: Option<ProcId>,
    /// The thread variable that holds the running thread's handle (thread index + 1).
    pub self_var: VarId,
    /// How many statement sites have been handed out; see `Stmt::site`.
    pub n_sites: u32,
    /// Where store buffers were written into the program: which store each of these commits, by its statement and the number of older stores of that
    /// statement that wait.
    pub commits: BTreeMap<SiteId, (SiteId, u32)>,
    /// Global variables that are not the program's, but speak of it: their accesses order nothing, and nobody races for them. Known as: ghost variables.
    pub ghosts: BTreeSet<VarId>,
    /// Whether the program itself checks that all blocks of the heap are freed (`pass::count_blocks`), so that none can be lost.
    pub counts_blocks: bool,
    /// What a passes assumed or bounded, for the report.
    pub notes: Vec<String>,
    /// The text of assertions that tell it themselves, by the site of their check.
    pub assertions: BTreeMap<SiteId, String>,
    /// What the front end took for granted, for the report.
    pub assumptions: Vec<String>,
    /// How the stack objects are built whose addresses these variables get, for the report.
    pub locals: BTreeMap<VarId, Shape>,
    /// What allocations are taken for, by the place of the call, for the report.
    pub pointees: BTreeMap<Span, Pointee>,
    /// Where the interpreter puts objects.
    pub placement: Placement,
    /// If something in it depends on where objects lie: the same program, edge by edge, with objects in other places and without the
    /// checks that refuse to look.
    pub elsewhere: Vec<Arc<Program>>,
}

impl Program {
    /// Whether a statement of the program's own text, not of a library model or about made-up variables, accesses a place.
    pub fn is_users_access(&self, stmt: &Stmt) -> bool {
        let (Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. }) = &stmt.op else { return false };
        let is_ghost = matches!(place, Place::Var(var) if self.ghosts.contains(var));
        !is_ghost && !self.sources.is_model(stmt.span)
    }

    /// Read-modify-writes that fail keep as much in order as those that write.
    pub fn lock_failures(&mut self) {
        for stmt in self.procs.iter_mut().flat_map(|proc| &mut proc.edges).flat_map(|edge| &mut edge.stmts) {
            if let Op::Rmw { failure: Some(failure), .. } = &mut stmt.op {
                failure.order = Order::Locked;
            }
        }
    }

    /// The first statement that sends or receives a message.
    pub fn first_message(&self) -> Option<&Stmt> {
        let mut stmts = self.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
        stmts.find(|stmt| stmt.op.message().is_some())
    }

    /// An empty program for a data model, with `main` still to be set.
    pub fn new(data_model: DataModel) -> Program {
        let mut pool = Pool::new();
        let word = data_model.word_bits();
        let self_var = pool.declare("self", Sort::Bv(word));
        let handle = Variable {
            scope: Scope::Thread,
            init: Some(Value::bv(word, 0)),
            format: Format::Unsigned,
            span: Span::NOWHERE,
            is_temporary: true,
        };
        Program {
            pool,
            sources: Sources::default(),
            data_model,
            model: Model::Sc,
            axioms: None,
            vars: vec![handle],
            objects: Vec::new(),
            regions: vec![Region::anywhere()],
            procs: Vec::new(),
            main: ProcId(0),
            thread_init: None,
            self_var,
            n_sites: 0,
            commits: BTreeMap::new(),
            ghosts: BTreeSet::new(),
            counts_blocks: false,
            notes: Vec::new(),
            assertions: BTreeMap::new(),
            assumptions: Vec::new(),
            locals: BTreeMap::new(),
            pointees: BTreeMap::new(),
            placement: Placement::Apart,
            elsewhere: Vec::new(),
        }
    }

    /// Declares a variable.
    pub fn declare(&mut self, name: &str, sort: Sort, variable: Variable) -> VarId {
        let id = self.pool.declare(name, sort);
        self.vars.push(variable);
        debug_assert_eq!(self.vars.len(), self.pool.n_vars());
        id
    }

    /// The variable's record.
    pub fn var(&self, var: VarId) -> &Variable {
        &self.vars[var.index()]
    }

    /// The procedure's record.
    pub fn proc(&self, proc: ProcId) -> &Proc {
        &self.procs[proc.index()]
    }

    /// The edge's record.
    pub fn edge(&self, edge: EdgeRef) -> &Edge {
        &self.procs[edge.proc.index()].edges[edge.edge.index()]
    }

    /// The object's record.
    pub fn object(&self, object: ObjectId) -> &Object {
        &self.objects[object.0 as usize]
    }

    /// A procedure by name.
    pub fn proc_named(&self, name: &str) -> Option<ProcId> {
        self.procs.iter().position(|proc| proc.name == name).map(|index| ProcId(index as u32))
    }

    /// A fresh site number for a statement of the lowered program.
    pub fn new_site(&mut self) -> crate::stmt::SiteId {
        self.n_sites += 1;
        crate::stmt::SiteId(self.n_sites - 1)
    }
}

impl Proc {
    /// The edges leaving each location, indexed by `LocId`.
    pub fn out_edges(&self) -> Vec<Vec<EdgeId>> {
        let mut out = vec![Vec::new(); self.locs.len()];
        for (index, edge) in self.edges.iter().enumerate() {
            out[edge.from.index()].push(EdgeId(index as u32));
        }
        out
    }

    /// The edges entering each location, indexed by `LocId`.
    pub fn in_edges(&self) -> Vec<Vec<EdgeId>> {
        let mut into = vec![Vec::new(); self.locs.len()];
        for (index, edge) in self.edges.iter().enumerate() {
            into[edge.to.index()].push(EdgeId(index as u32));
        }
        into
    }
}
