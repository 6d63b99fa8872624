//! How does a thread run without calls? Each thread procedure becomes one automaton that contains all it calls.
//!
//! A call edge leads to a copy of the callee's automaton, whose return edges lead to where the call edge led. So the
//! origins along a path are the call edge, the callee's edges, and the return edge: the steps of the lowered program. Each copy
//! has locals of its own. They are zero at entry by definition; since a copy inside a loop is entered many times, those that the
//! callee may read before writing are set to zero on the call edge. A parameter that the callee never writes and that is
//! called with a constant is replaced by it, which resolves most function pointers (`pthread_create`'s above all)
//! before their candidates would be tried. `thread_init` is put before each thread's procedure. Where a thread ends, its stack objects that
//! are still live end too (`thread_end`).
//!
//! Recursion is unfolded up to a depth; beyond it stands a `Check` of kind `Bound`, and a note says so. Calls whose arguments are constants go deeper: what a constant rules out in a copy is not copied,
//! so that such recursion ends by itself. Where that becomes large, as with two calls in one body, a copy is entered again instead, with its locals on a stack (`activations`).
//!
//! Invariant of the result: the procedures are those that a thread runs, `main` first; there is no `Call`, no `thread_init`,
//! and `Return` stands only where the thread ends.

use super::activations::{Activations, Exit, Site, stack_up};
use super::call_targets::{AddressTaken, address_taken, resolve_edge};
use super::thread_end::end_objects;
use crate::access::local_written;
use crate::pass::Options;
use crate::pass::analysis::liveness::Liveness;
use crate::pass::analysis::uses::{map_defined, map_terms};
use crate::program::{Edge, Loc, LocId, Proc, ProcId, Program};
use crate::stmt::{Callee, CheckKind, Op, Stmt};
use crate::verdict::Why;
use logic::{TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The program with all calls inlined, resolving function pointers on the way. Edges must have origins (`with_origins`).
pub fn inline_calls(program: &Program, options: &Options) -> Result<Program, Why> {
    if options.recursion > 0 {
        let unfolded = |most| Inliner::new(program, Recursion::Unfolded(options.recursion), most).run();
        let is_decided = match unfolded(options.max_edges.min(UNFOLDED_EDGES)) {
            Ok((result, size)) if !size.is_bounded || size.n_edges <= BOUNDED_EDGES => return Ok(result),
            Ok((_, size)) => size.is_decided,
            Err(Stop::TooLarge { is_decided }) => is_decided,
            Err(Stop::Why(why)) => return Err(why),
            Err(Stop::IsRecursive(_) | Stop::LosesObjects) => false,
        };
        if is_decided && let Ok((result, Size { is_bounded: false, .. })) = unfolded(options.max_edges) {
            return Ok(result);
        }
    }
    let mut recursive = FxHashSet::default();
    loop {
        match Inliner::new(program, Recursion::Stacked(recursive.clone()), options.max_edges).run() {
            Ok((result, _)) => return Ok(result),
            Err(Stop::IsRecursive(proc)) => recursive.insert(proc),
            Err(Stop::LosesObjects) => return unfold_less(program, options),
            Err(Stop::TooLarge { .. }) => {
                return Err(Why::Bound(format!("inlining all calls makes more than {} edges", options.max_edges)));
            }
            Err(Stop::Why(why)) => return Err(why),
        };
    }
}

/// The program with recursion unfolded as deep as edges allow.
fn unfold_less(program: &Program, options: &Options) -> Result<Program, Why> {
    let mut depth = options.recursion.max(1);
    loop {
        match Inliner::new(program, Recursion::Unfolded(depth), options.max_edges).run() {
            Ok((result, _)) => return Ok(result),
            Err(Stop::Why(why)) => return Err(why),
            Err(_) if depth > 1 => depth /= 2,
            Err(_) => {
                return Err(Why::Bound(format!("inlining all calls makes more than {} edges", options.max_edges)));
            }
        }
    }
}

/// How many activations of one procedure may be nested where constants decide how it goes on, and how many edges that may make.
const DECIDED_DEPTH: u32 = 256;
const DECIDED_EDGES: usize = 20_000;
/// How many edges a program may have whose recursion is unfolded, and where its depth is cut.
const UNFOLDED_EDGES: usize = 24_000;
const BOUNDED_EDGES: usize = 2_000;

/// What becomes of a call of what is active already.
enum Recursion {
    /// A copy of its own, up to a depth.
    Unfolded(u32),
    /// The copy that is active is entered again. These are the procedures of which that is known, whose copies say nothing of what they are called with.
    Stacked(FxHashSet<ProcId>),
}

/// How large a result is.
struct Size {
    n_edges: usize,
    /// Whether recursion was cut off somewhere.
    is_bounded: bool,
    /// Whether it goes on with other constants somewhere, which may end it.
    is_decided: bool,
}

enum Stop {
    TooLarge {
        is_decided: bool,
    },
    /// A procedure calls itself that was not known to.
    IsRecursive(ProcId),
    /// A thread ends within activations that wait on a stack, and what is live there is not known.
    LosesObjects,
    Why(Why),
}

/// A copy of a procedure's body.
pub(super) struct Frame {
    pub(super) source: ProcId,
    pub(super) parent: Option<usize>,
    /// What each local of the source is called in the copy.
    pub(super) name_of: FxHashMap<VarId, VarId>,
    /// What each local stands for in terms: its copy, or the constant it always has.
    value_of: FxHashMap<VarId, TermId>,
    terms: FxHashMap<TermId, TermId>,
    /// Whether some parameter is a constant.
    is_decided: bool,
    /// Which constants it was called with.
    constants: Vec<Option<TermId>>,
    /// Where the copy's locations start in the automaton being built.
    pub(super) first_loc: u32,
    /// Where control goes on after it.
    pub(super) next: LocId,
    /// What to do with the returned value.
    pub(super) ending: Ending,
    /// Who enters it, if that may be itself.
    pub(super) activations: Option<Activations>,
}

#[derive(Clone, Copy)]
pub(super) enum Ending {
    /// The thread ends: `Return` stays.
    Thread,
    /// The value goes here.
    Result(Option<VarId>),
}

struct Inliner<'a> {
    source: &'a Program,
    result: Program,
    targets: Vec<AddressTaken>,
    recursion: Recursion,
    max_edges: usize,
    n_edges: usize,
    /// The procedures of the result, by the procedure of the source that the thread runs.
    thread_of: FxHashMap<ProcId, ProcId>,
    queue: Vec<ProcId>,
    summaries: FxHashMap<ProcId, Summary>,
    bounded: FxHashSet<ProcId>,
    /// Whether a call of what is active has other constants.
    is_decided: bool,
    /// Whether one was cut off that has not.
    is_open: bool,
}

/// What a call needs to know of its callee.
pub(super) struct Summary {
    /// Locals that may be read before they are written, parameters aside.
    pub(super) exposed: Vec<VarId>,
    /// All variables that are written.
    written: FxHashSet<VarId>,
}

impl<'a> Inliner<'a> {
    fn new(source: &'a Program, recursion: Recursion, max_edges: usize) -> Inliner<'a> {
        let mut result = source.clone();
        result.procs = Vec::new();
        result.thread_init = None;
        Inliner {
            targets: address_taken(source),
            source,
            result,
            recursion,
            max_edges,
            n_edges: 0,
            thread_of: FxHashMap::default(),
            queue: Vec::new(),
            summaries: FxHashMap::default(),
            bounded: FxHashSet::default(),
            is_decided: false,
            is_open: false,
        }
    }

    fn run(mut self) -> Result<(Program, Size), Stop> {
        self.result.main = self.thread_of(self.source.main);
        while let Some(proc) = self.queue.pop() {
            let built = self.build_thread(proc)?;
            let index = self.thread_of[&proc].index();
            self.result.procs[index] = built;
        }
        for object in &mut self.result.objects {
            if let crate::memory::ObjectKind::Function(proc) = &mut object.kind {
                match self.thread_of.get(proc) {
                    Some(thread) => *proc = *thread,
                    None => object.kind = crate::memory::ObjectKind::Extern,
                }
            }
        }
        let mut bounded: Vec<ProcId> = self.bounded.iter().copied().collect();
        bounded.sort_unstable();
        let size = Size { n_edges: self.n_edges, is_bounded: !bounded.is_empty(), is_decided: self.may_end() };
        if let Recursion::Unfolded(depth) = self.recursion {
            for proc in bounded {
                let name = &self.source.proc(proc).name;
                self.result.notes.push(format!("recursion of `{name}` is unfolded {depth} times"));
            }
        }
        Ok((self.result, size))
    }

    /// Whether more copies may be all there are.
    fn may_end(&self) -> bool {
        self.is_decided && !self.is_open
    }

    /// The procedure of the result for threads that run a procedure of the source; it is built later if it is new.
    fn thread_of(&mut self, proc: ProcId) -> ProcId {
        if let Some(thread) = self.thread_of.get(&proc) {
            return *thread;
        }
        let thread = ProcId(self.result.procs.len() as u32);
        self.thread_of.insert(proc, thread);
        self.result.procs.push(Proc { edges: Vec::new(), ..self.source.proc(proc).clone() });
        self.queue.push(proc);
        thread
    }

    fn build_thread(&mut self, proc: ProcId) -> Result<Proc, Stop> {
        let shell = self.source.proc(proc);
        let mut built =
            Proc { locals: shell.params.clone(), locs: vec![Loc::default()], edges: Vec::new(), ..shell.clone() };
        built.exit = LocId(0);
        built.locs[0].span = shell.locs[shell.exit.index()].span;
        let mut frames: Vec<Frame> = Vec::new();
        let body = self.open_frame(&mut built, &mut frames, proc, None, LocId(0), Ending::Thread);
        built.entry = body;
        if let Some(init) = self.source.thread_init {
            built.entry = self.open_frame(&mut built, &mut frames, init, None, body, Ending::Result(None));
        }
        let mut next = 0;
        while next < frames.len() {
            self.copy_body(&mut built, &mut frames, next)?;
            next += 1;
        }
        let stacked = stack_up(&mut self.result, self.source, &self.summaries, &mut built, &frames);
        // Where the process ends nothing is left to end. Another thread that runs main too ends only itself.
        let ends_process = proc == self.source.main && !self.may_start(proc);
        let loses = end_objects(&mut self.result, &mut built, &stacked, ends_process);
        if loses && !stacked.is_empty() {
            return Err(Stop::LosesObjects);
        }
        Ok(built)
    }

    /// Whether a statement may start a thread that runs the procedure.
    fn may_start(&self, proc: ProcId) -> bool {
        let is_taken = self.targets.iter().any(|target| target.proc == proc);
        let mut stmts = self.source.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
        stmts.any(|stmt| match stmt.op {
            Op::Start { callee: Callee::Proc(started), .. } => started == proc,
            Op::Start { callee: Callee::Pointer(_), .. } => is_taken,
            _ => false,
        })
    }

    /// Makes room for a copy of a procedure; returns its entry. The edges come later, in `copy_body`.
    fn open_frame(
        &mut self,
        built: &mut Proc,
        frames: &mut Vec<Frame>,
        source: ProcId,
        parent: Option<usize>,
        next: LocId,
        ending: Ending,
    ) -> LocId {
        let proc = self.source.proc(source);
        let keeps_names = matches!(ending, Ending::Thread);
        let (mut name_of, mut value_of) = (FxHashMap::default(), FxHashMap::default());
        for local in proc.locals.iter().chain(&proc.params) {
            if name_of.contains_key(local) {
                continue;
            }
            let name = if keeps_names { *local } else { self.copy_var(*local) };
            name_of.insert(*local, name);
            value_of.insert(*local, self.result.pool.var(name));
            if !keeps_names || !built.locals.contains(&name) {
                built.locals.push(name);
            }
        }
        let first_loc = built.locs.len() as u32;
        built.locs.extend(proc.locs.iter().cloned());
        let terms = FxHashMap::default();
        let (is_decided, constants, activations) = (false, Vec::new(), None);
        frames.push(Frame {
            source,
            parent,
            name_of,
            value_of,
            terms,
            is_decided,
            constants,
            first_loc,
            next,
            ending,
            activations,
        });
        LocId(first_loc + proc.entry.0)
    }

    fn copy_var(&mut self, var: VarId) -> VarId {
        let (name, sort) = (self.source.pool.var_name(var), self.source.pool.var_sort(var));
        self.result.declare(name, sort, self.source.var(var).clone())
    }

    fn copy_body(&mut self, built: &mut Proc, frames: &mut Vec<Frame>, index: usize) -> Result<(), Stop> {
        let source = self.source;
        let proc = source.proc(frames[index].source);
        let reached = frames[index].is_decided.then(|| self.reached(&frames[index], proc));
        let is_reached = |loc: LocId| reached.as_ref().is_none_or(|reached| reached.contains(&loc));
        for edge in proc.edges.iter().filter(|edge| is_reached(edge.from)) {
            let copy = self.copy_edge(&mut frames[index], proc, edge);
            // Nor is what it would call.
            let never = self.result.pool.bool(false);
            if reached.is_some() && copy.stmts.iter().any(|stmt| stmt.op == Op::Assume(never)) {
                continue;
            }
            for mut edge in resolve_edge(source, &mut self.result.pool, &self.targets, copy) {
                self.n_edges += 1;
                if self.n_edges > self.max_edges {
                    return Err(Stop::TooLarge { is_decided: self.may_end() });
                }
                self.close_edge(built, frames, index, &mut edge)?;
                built.edges.push(edge);
            }
        }
        Ok(())
    }

    /// The locations that a copy may reach, as far as the constants it is called with tell.
    fn reached(&mut self, frame: &Frame, proc: &Proc) -> FxHashSet<LocId> {
        let mut edges_from: FxHashMap<LocId, Vec<&Edge>> = FxHashMap::default();
        proc.edges.iter().for_each(|edge| edges_from.entry(edge.from).or_default().push(edge));
        let mut reached = FxHashSet::from_iter([proc.entry]);
        let mut open = vec![proc.entry];
        while let Some(loc) = open.pop() {
            for edge in edges_from.get(&loc).into_iter().flatten() {
                let is_ruled_out = edge.stmts.iter().any(|stmt| match stmt.op {
                    Op::Assume(cond) => {
                        let cond = self.result.pool.substitute(cond, &|var| frame.value_of.get(&var).copied());
                        self.result.pool.as_const(cond) == Some(&Value::Bool(false))
                    }
                    _ => false,
                });
                if !is_ruled_out && reached.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        reached
    }

    /// The edge in the words of the copy; calls and returns are still in it.
    fn copy_edge(&mut self, frame: &mut Frame, proc: &Proc, edge: &Edge) -> Edge {
        let place = |loc: LocId| if loc == proc.exit { frame.next } else { LocId(frame.first_loc + loc.0) };
        let (from, to) = (LocId(frame.first_loc + edge.from.0), place(edge.to));
        let mut stmts = edge.stmts.clone();
        let pool = &mut self.result.pool;
        for stmt in &mut stmts {
            map_terms(&mut stmt.op, &mut |term, _| {
                if let Some(known) = frame.terms.get(&term) {
                    return *known;
                }
                let renamed = pool.substitute(term, &|var| frame.value_of.get(&var).copied());
                frame.terms.insert(term, renamed);
                renamed
            });
            map_defined(&mut stmt.op, &|var| frame.name_of.get(&var).copied().unwrap_or(var));
        }
        Edge { from, to, stmts, origin: edge.origin.clone() }
    }

    /// Replaces the call, return or start at the end of a copied edge.
    fn close_edge(
        &mut self,
        built: &mut Proc,
        frames: &mut Vec<Frame>,
        index: usize,
        edge: &mut Edge,
    ) -> Result<(), Stop> {
        let Some(last) = edge.stmts.pop() else { return Ok(()) };
        if let Some(early) = edge.stmts.iter().find(|stmt| matches!(stmt.op, Op::Call { .. } | Op::Return(_))) {
            let what = "a call in the middle of a step".to_string();
            return Err(Stop::Why(Why::Unsupported { span: early.span, what }));
        }
        for stmt in &mut edge.stmts {
            if let Op::Start { callee: Callee::Proc(proc), .. } = &mut stmt.op {
                *proc = self.thread_of(*proc);
            }
        }
        let Stmt { span, site, .. } = last;
        match last.op {
            Op::Start { dst, callee: Callee::Proc(proc), args } => {
                let callee = Callee::Proc(self.thread_of(proc));
                edge.stmts.push(Stmt { op: Op::Start { dst, callee, args }, span, site });
            }
            Op::Return(value) => match frames[index].ending {
                Ending::Thread => edge.stmts.push(Stmt { op: Op::Return(value), span, site }),
                Ending::Result(_) if frames[index].activations.is_some() => {
                    let exit = Exit { edge: built.edges.len(), value, span, site };
                    let activations = frames[index].activations.as_mut().expect("it was just looked at");
                    activations.exits.push(exit);
                }
                Ending::Result(result) => {
                    if let Some(var) = result {
                        let sort = self.result.pool.var_sort(var);
                        let value = value.unwrap_or_else(|| self.result.pool.constant(Value::zero(sort)));
                        edge.stmts.push(Stmt { op: Op::Assign { var, value }, span, site });
                    }
                }
            },
            op @ (Op::ExitThread(_) | Op::ExitProcess { .. }) => {
                edge.to = built.exit;
                edge.stmts.push(Stmt { op, span, site });
            }
            Op::Call { callee: Callee::Proc(callee), args, result } => {
                let call = Stmt { op: Op::Call { callee: Callee::Proc(callee), args, result }, span, site };
                self.enter(built, frames, index, edge, call, callee)?;
            }
            op => edge.stmts.push(Stmt { op, span, site }),
        }
        Ok(())
    }

    /// Leads a call edge into a copy of the callee.
    fn enter(
        &mut self,
        built: &mut Proc,
        frames: &mut Vec<Frame>,
        index: usize,
        edge: &mut Edge,
        call: Stmt,
        callee: ProcId,
    ) -> Result<(), Stop> {
        let stmt = |op| Stmt { op, span: call.span, site: call.site };
        let Op::Call { args, result, .. } = call.op else { unreachable!("enter is given calls only") };
        let active: Vec<usize> = std::iter::successors(Some(index), |at| frames[*at].parent)
            .filter(|at| frames[*at].source == callee)
            .collect();
        let constants: Vec<Option<TermId>> =
            args.iter().map(|arg| self.result.pool.as_const(*arg).map(|_| *arg)).collect();
        // Constants that stay the same decide nothing about how deep it goes.
        let last = active.first().map(|at| &frames[*at].constants);
        let mut pairs = constants.iter().zip(last.into_iter().flatten());
        let goes_on = pairs.any(|(constant, last)| constant.is_some() && constant != last);
        self.is_decided |= goes_on;
        let mut is_recursive = false;
        match &self.recursion {
            Recursion::Unfolded(depth) => {
                let is_decided = goes_on && self.n_edges < DECIDED_EDGES.max(self.max_edges / 2);
                let depth = if is_decided { DECIDED_DEPTH.max(*depth) } else { *depth };
                if active.len() >= depth as usize {
                    self.is_open |= !goes_on;
                    self.bounded.insert(callee);
                    let what = format!("recursion of `{}` deeper than {depth}", self.source.proc(callee).name);
                    let cond = self.result.pool.bool(false);
                    edge.stmts.push(stmt(Op::Check { cond, kind: CheckKind::Bound(what.into()) }));
                    edge.to = built.exit;
                    return Ok(());
                }
            }
            Recursion::Stacked(known) => {
                is_recursive = known.contains(&callee);
                // The function of a thread itself is not entered again, but a copy of it that it calls.
                if let Some(again) = active.into_iter().find(|at| matches!(frames[*at].ending, Ending::Result(_))) {
                    let (span, site) = (call.span, call.site);
                    let site = Site { edge: built.edges.len(), caller: index, to: edge.to, result, args, span, site };
                    let Some(activations) = &mut frames[again].activations else {
                        return Err(Stop::IsRecursive(callee));
                    };
                    activations.sites.push(site);
                    return Ok(());
                }
            }
        }
        let entry = self.open_frame(built, frames, callee, Some(index), edge.to, Ending::Result(result));
        edge.to = entry;
        self.summarise(callee);
        let summary = &self.summaries[&callee];
        let frame = frames.last_mut().expect("the frame was just opened");
        frame.constants = constants;
        frame.activations = is_recursive.then(|| Activations::entered_by(built.edges.len(), call.span, call.site));
        for (param, arg) in self.source.proc(callee).params.iter().zip(&args) {
            if self.result.pool.as_const(*arg).is_some() && !summary.written.contains(param) && !is_recursive {
                frame.value_of.insert(*param, *arg);
                frame.is_decided = true;
            } else {
                edge.stmts.push(stmt(Op::Assign { var: frame.name_of[param], value: *arg }));
            }
        }
        let missing = self.source.proc(callee).params.iter().skip(args.len());
        for local in summary.exposed.iter().chain(missing) {
            let value = self.result.pool.constant(Value::zero(self.source.pool.var_sort(*local)));
            edge.stmts.push(stmt(Op::Assign { var: frame.name_of[local], value }));
        }
        Ok(())
    }

    fn summarise(&mut self, callee: ProcId) {
        if self.summaries.contains_key(&callee) {
            return;
        }
        let proc = self.source.proc(callee);
        let liveness = Liveness::new(self.source, proc, true);
        let is_own = |var: &&VarId| proc.locals.contains(var) && !proc.params.contains(var);
        let exposed = liveness.at(proc.entry).iter().filter(is_own).copied().collect();
        let written =
            proc.edges.iter().flat_map(|edge| &edge.stmts).filter_map(|stmt| local_written(&stmt.op)).collect();
        self.summaries.insert(callee, Summary { exposed, written });
    }
}
