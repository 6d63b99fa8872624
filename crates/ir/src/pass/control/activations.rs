//! How is a procedure that calls itself one automaton? Its one copy is entered again, and what the caller still needs waits on a stack.
//!
//! Known as: removal of recursion by an explicit stack.
//!
//! A copy that may be entered again has a stack of activations, in variables of the thread: for each depth who entered it (the one call from outside, or one of the calls
//! inside of the copy and of what it calls), and what is live there behind the call, in all copies from this one down to the caller. A call pushes: each
//! variable of the stack moves one deeper. A return is one edge for each of those who may have entered; it pops, and goes on behind the call. So the
//! program grows by the number of returns times that of calls, not with the depth, and all is assignments to variables that nobody else sees.
//!
//! Deeper than `DEEPEST` stands a `Check` of kind `Bound`. Calls and returns keep their origins: a path still spells the steps of the lowered program.
//!
//! Invariant: copies within a copy that is entered again push onto stacks of their own, on top of what waits there, and have popped it before control comes back.

use super::inline::{Ending, Frame, Summary};
use crate::pass::analysis::liveness::Liveness;
use crate::program::{Edge, LocId, Proc, ProcId, Program, Scope, Variable};
use crate::source::Span;
use crate::stmt::{CheckKind, Op, SiteId, Stmt};
use logic::{Pool, Sort, TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// How many activations of one copy may be nested.
const DEEPEST: usize = 32;

/// Who enters a copy, and where it is left.
pub(super) struct Activations {
    /// The edge of the one call from outside, and where that is.
    entry: (usize, Span, SiteId),
    /// The calls from inside.
    pub(super) sites: Vec<Site>,
    pub(super) exits: Vec<Exit>,
}

impl Activations {
    /// A copy that is entered by an edge, and by nobody else so far.
    pub(super) fn entered_by(edge: usize, span: Span, site: SiteId) -> Activations {
        Activations { entry: (edge, span, site), sites: Vec::new(), exits: Vec::new() }
    }
}

/// A call that enters the copy again; its edge ends with what comes before the call.
pub(super) struct Site {
    pub(super) edge: usize,
    /// The copy that the call is in.
    pub(super) caller: usize,
    /// Where control goes on behind the call.
    pub(super) to: LocId,
    pub(super) result: Option<VarId>,
    pub(super) args: Vec<TermId>,
    pub(super) span: Span,
    pub(super) site: SiteId,
}

/// A return; its edge ends with what comes before it.
pub(super) struct Exit {
    pub(super) edge: usize,
    pub(super) value: Option<TermId>,
    pub(super) span: Span,
    pub(super) site: SiteId,
}

/// Writes the stacks into an automaton, and gives the variables of objects that have ended where such a copy has been left: they are those of the copies that are entered again.
pub(super) fn stack_up(
    program: &mut Program,
    source: &Program,
    summaries: &FxHashMap<ProcId, Summary>,
    built: &mut Proc,
    frames: &[Frame],
) -> FxHashSet<VarId> {
    let mut writer =
        Writer { program, source, summaries, frames, liveness: FxHashMap::default(), gone: BTreeSet::new() };
    for (index, frame) in frames.iter().enumerate() {
        match &frame.activations {
            Some(activations) if activations.sites.is_empty() => writer.leave_once(built, frame, activations),
            Some(activations) => writer.stack(built, index, activations),
            None => {}
        }
    }
    let gone = writer.gone;
    let mut edge = 0;
    built.edges.retain(|_| {
        edge += 1;
        !gone.contains(&(edge - 1))
    });
    let is_stacked =
        |at: &usize| frames[*at].activations.as_ref().is_some_and(|activations| !activations.sites.is_empty());
    let within = |index: usize| std::iter::successors(Some(index), |at| frames[*at].parent).any(|at| is_stacked(&at));
    let copies = frames.iter().enumerate().filter(|(index, _)| within(*index));
    copies.flat_map(|(_, frame)| frame.name_of.values().copied()).collect()
}

struct Writer<'a> {
    program: &'a mut Program,
    source: &'a Program,
    summaries: &'a FxHashMap<ProcId, Summary>,
    frames: &'a [Frame],
    liveness: FxHashMap<ProcId, Liveness>,
    /// Edges that others stand for.
    gone: BTreeSet<usize>,
}

/// The variables of a stack, by depth.
struct Stack {
    /// Who entered: 0 is nobody, 1 the call from outside, the others those from inside.
    who: Vec<VarId>,
    /// What is kept, and the variables that keep it.
    kept: Vec<(VarId, Vec<VarId>)>,
}

/// How wide the number of who entered is.
const WHO: u32 = 16;

impl Writer<'_> {
    /// A copy that nobody enters again.
    fn leave_once(&mut self, built: &mut Proc, frame: &Frame, activations: &Activations) {
        let Ending::Result(Some(var)) = frame.ending else { return };
        for exit in &activations.exits {
            let value = exit.value.unwrap_or_else(|| self.zero(self.program.pool.var_sort(var)));
            built.edges[exit.edge].stmts.push(exit.stmt(Op::Assign { var, value }));
        }
    }

    fn stack(&mut self, built: &mut Proc, index: usize, activations: &Activations) {
        let frame = &self.frames[index];
        let live: Vec<BTreeSet<VarId>> = activations.sites.iter().map(|site| self.live_behind(index, site)).collect();
        let stack = self.declare(built, live.iter().flatten().copied().collect());
        let name = &self.source.proc(frame.source).name;
        let what = format!("recursion of `{name}` deeper than {DEEPEST}");
        // The call from outside.
        let (edge, span, site) = activations.entry;
        let pushed = self.push(&stack, 1, &BTreeSet::new(), &what);
        built.edges[edge].stmts.extend(pushed.into_iter().map(|op| Stmt { op, span, site }));
        // The calls from inside.
        for (number, (call, live)) in activations.sites.iter().zip(&live).enumerate() {
            let (span, site) = (call.span, call.site);
            let mut ops = self.push(&stack, number as u64 + 2, live, &what);
            ops.extend(self.arguments(built, frame, &call.args));
            let edge = &mut built.edges[call.edge];
            edge.stmts.extend(ops.into_iter().map(|op| Stmt { op, span, site }));
            edge.to = LocId(frame.first_loc + self.source.proc(frame.source).entry.0);
        }
        // The returns.
        let Ending::Result(result) = frame.ending else { unreachable!("a thread's function is not entered again") };
        let nobody = BTreeSet::new();
        for exit in &activations.exits {
            self.gone.insert(exit.edge);
            let ways = std::iter::once((1, frame.next, result, &nobody));
            let inside = activations.sites.iter().zip(&live).enumerate();
            let ways = ways.chain(inside.map(|(number, (call, live))| (number as u64 + 2, call.to, call.result, live)));
            for (who, to, result, live) in ways {
                let edge = self.leave(built, exit, (&stack, who, live), (to, result));
                built.edges.push(edge);
            }
        }
    }

    /// What is live behind a call from inside of a copy: in the caller, and in all copies around it up to this one.
    fn live_behind(&mut self, index: usize, site: &Site) -> BTreeSet<VarId> {
        let mut live = BTreeSet::new();
        let (mut at, mut loc, mut result) = (site.caller, site.to, site.result);
        loop {
            let frame = &self.frames[at];
            let source = self.source;
            let proc = source.proc(frame.source);
            let liveness = self.liveness.entry(frame.source).or_insert_with(|| Liveness::new(source, proc, true));
            // Behind the last location there is nothing of this copy.
            let place = loc.0.checked_sub(frame.first_loc).filter(|place| (*place as usize) < proc.locs.len());
            let vars = place.map(|place| liveness.at(LocId(place))).into_iter().flatten();
            live.extend(vars.filter_map(|var| frame.name_of.get(var)).filter(|var| Some(**var) != result));
            if at == index {
                return live;
            }
            let Ending::Result(returned) = frame.ending else {
                unreachable!("only copies that return are within others")
            };
            (loc, result) = (frame.next, returned);
            at = frame.parent.expect("the caller is within the copy");
        }
    }

    fn declare(&mut self, built: &mut Proc, kept: BTreeSet<VarId>) -> Stack {
        let mut variables = |writer: &mut Self, name: &str, sort| -> Vec<VarId> {
            (0..DEEPEST).map(|_| writer.fresh(built, name, sort)).collect()
        };
        let who = variables(self, "caller", Sort::Bv(WHO));
        let keep = |var: VarId| {
            let (name, sort) = (self.program.pool.var_name(var).to_string(), self.program.pool.var_sort(var));
            (var, variables(self, &name, sort))
        };
        Stack { who, kept: kept.into_iter().map(keep).collect() }
    }

    fn fresh(&mut self, built: &mut Proc, name: &str, sort: Sort) -> VarId {
        let variable = Variable {
            scope: Scope::Local,
            init: None,
            format: Default::default(),
            span: Span::NOWHERE,
            is_temporary: true,
        };
        let var = self.program.declare(name, sort, variable);
        built.locals.push(var);
        var
    }

    fn zero(&mut self, sort: Sort) -> TermId {
        self.program.pool.constant(Value::zero(sort))
    }

    /// One more activation.
    fn push(&mut self, stack: &Stack, who: u64, live: &BTreeSet<VarId>, what: &str) -> Vec<Op> {
        let pool = &mut self.program.pool;
        let deepest = pool.var(*stack.who.last().expect("some depth"));
        let nobody = pool.bv(WHO, 0);
        let cond = pool.eq(deepest, nobody);
        let mut ops = vec![Op::Check { cond, kind: CheckKind::Bound(what.into()) }];
        let top = pool.bv(WHO, who);
        ops.extend(deeper(&mut self.program.pool, &stack.who, top));
        for (var, by_depth) in &stack.kept {
            let top = match live.contains(var) {
                true => self.program.pool.var(*var),
                false => self.zero(self.program.pool.var_sort(*var)),
            };
            ops.extend(deeper(&mut self.program.pool, by_depth, top));
        }
        ops
    }

    /// The parameters, and what must be zero at entry. Arguments are about the variables of the caller, which may be the same.
    fn arguments(&mut self, built: &mut Proc, frame: &Frame, args: &[TermId]) -> Vec<Op> {
        let params = &self.source.proc(frame.source).params;
        let (mut ops, mut taken) = (Vec::new(), Vec::new());
        for (param, arg) in params.iter().zip(args) {
            let var = self.fresh(built, "argument", self.source.pool.var_sort(*param));
            ops.push(Op::Assign { var, value: *arg });
            taken.push(Op::Assign { var: frame.name_of[param], value: self.program.pool.var(var) });
        }
        ops.append(&mut taken);
        let missing = params.iter().skip(args.len());
        for local in self.summaries[&frame.source].exposed.iter().chain(missing) {
            let value = self.zero(self.source.pool.var_sort(*local));
            ops.push(Op::Assign { var: frame.name_of[local], value });
        }
        ops
    }

    /// A return to one of those who may have entered.
    fn leave(
        &mut self,
        built: &mut Proc,
        exit: &Exit,
        (stack, who, live): (&Stack, u64, &BTreeSet<VarId>),
        (to, result): (LocId, Option<VarId>),
    ) -> Edge {
        let pool = &mut self.program.pool;
        let (top, number) = (pool.var(stack.who[0]), pool.bv(WHO, who));
        let is_who = pool.eq(top, number);
        let mut edge = Edge { to, ..built.edges[exit.edge].clone() };
        edge.stmts.insert(0, exit.stmt(Op::Assume(is_who)));
        let mut ops = Vec::new();
        let returned = result.map(|var| {
            let sort = self.program.pool.var_sort(var);
            let value = exit.value.unwrap_or_else(|| self.zero(sort));
            let kept = self.fresh(built, "returned", sort);
            ops.push(Op::Assign { var: kept, value });
            (var, kept)
        });
        for (var, by_depth) in &stack.kept {
            if live.contains(var) {
                ops.push(Op::Assign { var: *var, value: self.program.pool.var(by_depth[0]) });
            }
            ops.extend(self.shallower(by_depth));
        }
        ops.extend(self.shallower(&stack.who));
        if let Some((var, kept)) = returned {
            ops.push(Op::Assign { var, value: self.program.pool.var(kept) });
        }
        edge.stmts.extend(ops.into_iter().map(|op| exit.stmt(op)));
        edge
    }

    fn shallower(&mut self, by_depth: &[VarId]) -> Vec<Op> {
        let last = self.zero(self.program.pool.var_sort(by_depth[0]));
        let values: Vec<TermId> = by_depth[1..].iter().map(|var| self.program.pool.var(*var)).chain([last]).collect();
        by_depth.iter().zip(values).map(|(var, value)| Op::Assign { var: *var, value }).collect()
    }
}

/// Each variable of a stack moves one deeper, the deepest first.
fn deeper(pool: &mut Pool, by_depth: &[VarId], top: TermId) -> Vec<Op> {
    let values: Vec<TermId> = std::iter::once(top).chain(by_depth.iter().map(|var| pool.var(*var))).collect();
    by_depth.iter().zip(values).rev().map(|(var, value)| Op::Assign { var: *var, value }).collect()
}

impl Exit {
    fn stmt(&self, op: Op) -> Stmt {
        Stmt { op, span: self.span, site: self.site }
    }
}
