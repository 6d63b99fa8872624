//! Which objects end with their thread? Stack objects that are live where it ends; from here on each has a `Free` there.
//!
//! A function that returns ends its own locals, which front ends write down. `pthread_exit` ends those of all functions that are active, and the end of
//! a thread, however it comes about, ends its thread-local objects: that is known only where calls are inlined, and so it is
//! written down here, for passes and engines that look at nothing but statements. The objects of a thread are known by the variables that `Alloc`
//! puts their addresses into. Where an object is live on some ways to the end only, its variable is made zero when it ends, and tells.
//!
//! The `Free`s stand on the edge that ends the thread, so all is one step, as in the interpreter.
//!
//! Invariant: no stack object of a thread is live after its last step; where that cannot be made sure, the step is not supported.

use crate::access::local_written;
use crate::pass::analysis::graph::reverse_post_order;
use crate::program::{Edge, Proc, Program};
use crate::stmt::{AllocKind, CheckKind, Op, Stmt};
use fixedbitset::FixedBitSet;
use logic::{Pool, Sort, TermId, VarId};
use rustc_hash::FxHashSet;

/// Objects that may or may not be live at one end of a thread; each doubles its edges.
const MOST_OPEN: usize = 3;

/// Ends the stack objects of a thread where it ends. With `ends_process` a `Return` ends the whole process, and nothing is left to end. Where a thread returns, those of copies that were
/// entered again have ended before; several of one variable may have been live. Gives whether some object may be live of which nobody knows where it is.
pub(in crate::pass) fn end_objects(
    program: &mut Program,
    proc: &mut Proc,
    stacked: &FxHashSet<VarId>,
    ends_process: bool,
) -> bool {
    let ends = |edge: &Edge| match edge.stmts.last().map(|stmt| &stmt.op) {
        Some(Op::ExitThread(_)) => true,
        Some(Op::Return(_)) => !ends_process,
        _ => false,
    };
    let mut vars: Vec<VarId> = Vec::new();
    for stmt in proc.edges.iter().flat_map(|edge| &edge.stmts) {
        if let Op::Alloc { dst, kind: AllocKind::Stack, .. } = stmt.op
            && !vars.contains(&dst)
        {
            vars.push(dst);
        }
    }
    if vars.is_empty() || !proc.edges.iter().any(ends) {
        return false;
    }
    let mut is_lost = false;
    let lives = Lives::new(&program.pool, proc, &vars);
    let mut open = FixedBitSet::with_capacity(vars.len());
    let mut edges = Vec::new();
    for edge in std::mem::take(&mut proc.edges) {
        match lives.before(edge.from.index()) {
            Some(here) if ends(&edge) => {
                let mut here = here.clone();
                let (last, first) = edge.stmts.split_last().expect("an edge that ends the thread has a statement");
                first.iter().for_each(|stmt| here.run(&program.pool, &vars, &stmt.op));
                if matches!(last.op, Op::Return(_)) {
                    let of_stack = vars.iter().enumerate().filter(|(_, var)| stacked.contains(*var));
                    of_stack.for_each(|(index, _)| here.forget(index));
                }
                let is_plain = first.iter().all(|stmt| leaves_alone(&vars, &stmt.op));
                is_lost |= here.is_lost.count_ones(..) > 0;
                let at_end = AtEnd { live: &here, vars: &vars, is_plain };
                edges.extend(at_end.edges(program, &edge, last, &mut open));
            }
            _ => edges.push(edge),
        }
    }
    for edge in edges.iter_mut().filter(|_| open.count_ones(..) > 0) {
        forget_ended(program, edge, &vars, &open);
    }
    proc.edges = edges;
    is_lost
}

/// Which objects may be live, and which may not be.
#[derive(Clone, PartialEq)]
struct Live {
    may_live: FixedBitSet,
    may_not: FixedBitSet,
    /// Those that may be live without a variable that says where.
    is_lost: FixedBitSet,
}

impl Live {
    fn run(&mut self, pool: &Pool, vars: &[VarId], op: &Op) {
        match op {
            Op::Free { addr, kind: AllocKind::Stack } => {
                let ended = pool.as_var(*addr).and_then(|var| vars.iter().position(|other| *other == var));
                match ended {
                    Some(index) => {
                        self.may_live.set(index, false);
                        self.may_not.insert(index);
                    }
                    None => self.is_lost.insert_range(..),
                }
            }
            _ => {
                let written = local_written(op).and_then(|var| vars.iter().position(|other| *other == var));
                let Some(index) = written else { return };
                let is_made = matches!(op, Op::Alloc { kind: AllocKind::Stack, .. });
                if self.may_live.contains(index) {
                    self.is_lost.insert(index);
                }
                self.may_live.set(index, is_made);
                self.may_not.set(index, !is_made);
            }
        }
    }

    /// None is live for this variable.
    fn forget(&mut self, index: usize) {
        self.may_live.set(index, false);
        self.may_not.insert(index);
        self.is_lost.set(index, false);
    }

    fn add(&mut self, other: &Live) -> bool {
        let before = self.clone();
        self.may_live.union_with(&other.may_live);
        self.may_not.union_with(&other.may_not);
        self.is_lost.union_with(&other.is_lost);
        *self != before
    }
}

/// What is live at each location that control can reach.
struct Lives(Vec<Option<Live>>);

impl Lives {
    fn new(pool: &Pool, proc: &Proc, vars: &[VarId]) -> Lives {
        let out = proc.out_edges();
        let none = FixedBitSet::with_capacity(vars.len());
        let mut all = none.clone();
        all.insert_range(..);
        let mut at: Vec<Option<Live>> = vec![None; proc.locs.len()];
        at[proc.entry.index()] = Some(Live { may_live: none.clone(), may_not: all, is_lost: none });
        let order = reverse_post_order(proc, &out);
        let mut changed = true;
        while changed {
            changed = false;
            for loc in &order {
                let Some(here) = at[loc.index()].clone() else { continue };
                for edge in &out[loc.index()] {
                    let edge = &proc.edges[edge.index()];
                    let mut after = here.clone();
                    edge.stmts.iter().for_each(|stmt| after.run(pool, vars, &stmt.op));
                    changed |= match &mut at[edge.to.index()] {
                        Some(there) => there.add(&after),
                        there => {
                            *there = Some(after);
                            true
                        }
                    };
                }
            }
        }
        Lives(at)
    }

    fn before(&self, loc: usize) -> Option<&Live> {
        self.0[loc].as_ref()
    }
}

/// Where a thread ends.
struct AtEnd<'a> {
    live: &'a Live,
    vars: &'a [VarId],
    /// Whether nothing else happens on the edge that blocks or that the objects hang on, so that their guards may come first.
    is_plain: bool,
}

impl AtEnd<'_> {
    /// The edge with what ends there; several if that depends. Adds to `open` what it depends on.
    fn edges(&self, program: &mut Program, edge: &Edge, last: &Stmt, open: &mut FixedBitSet) -> Vec<Edge> {
        let is_open = |index: &usize| self.live.may_not.contains(*index);
        let (unsure, sure): (Vec<usize>, Vec<usize>) = self.live.may_live.ones().partition(is_open);
        let stmt = |op| Stmt { op, span: last.span, site: last.site };
        let mut ending = edge.clone();
        ending.stmts.pop();
        let is_lost = self.live.is_lost.count_ones(..) > 0;
        if is_lost || unsure.len() > MOST_OPEN || (!unsure.is_empty() && !self.is_plain) {
            let cond = program.pool.bool(false);
            let what = "the end of a thread with locals that may be live there or not".into();
            ending.stmts.push(stmt(Op::Check { cond, kind: CheckKind::Unsupported(what) }));
            ending.stmts.push(last.clone());
            return vec![ending];
        }
        open.extend(unsure.iter().copied());
        let address = |program: &mut Program, index: usize| program.pool.var(self.vars[index]);
        for index in sure {
            let addr = address(program, index);
            ending.stmts.push(stmt(Op::Free { addr, kind: AllocKind::Stack }));
        }
        let mut endings = vec![ending];
        for index in unsure {
            let addr = address(program, index);
            let is_made = is_not_zero(&mut program.pool, addr);
            let is_not = program.pool.not(is_made);
            endings = endings
                .into_iter()
                .flat_map(|ending| {
                    let mut with = ending.clone();
                    with.stmts.insert(0, stmt(Op::Assume(is_made)));
                    with.stmts.push(stmt(Op::Free { addr, kind: AllocKind::Stack }));
                    let mut without = ending;
                    without.stmts.insert(0, stmt(Op::Assume(is_not)));
                    [with, without]
                })
                .collect();
        }
        endings.iter_mut().for_each(|ending| ending.stmts.push(last.clone()));
        endings
    }
}

/// Whether a statement neither blocks nor touches the variables of the objects.
fn leaves_alone(vars: &[VarId], op: &Op) -> bool {
    let is_simple = matches!(op, Op::Havoc { .. } | Op::Assign { .. } | Op::Load { .. } | Op::Store { .. });
    is_simple && local_written(op).is_none_or(|var| !vars.contains(&var))
}

fn is_not_zero(pool: &mut Pool, addr: TermId) -> TermId {
    let Sort::Bv(width) = pool.sort(addr) else { unreachable!("addresses are words") };
    let zero = pool.bv(width, 0);
    pool.ne(addr, zero)
}

/// Makes the variable of an object zero where the object ends before its thread does.
fn forget_ended(program: &mut Program, edge: &mut Edge, vars: &[VarId], open: &FixedBitSet) {
    let stmts = std::mem::take(&mut edge.stmts);
    for stmt in stmts {
        let Stmt { span, site, .. } = stmt;
        let ended = match stmt.op {
            Op::Free { addr, kind: AllocKind::Stack } => program.pool.as_var(addr),
            _ => None,
        };
        edge.stmts.push(stmt);
        let is_open = |var: &VarId| vars.iter().position(|other| other == var).is_some_and(|at| open.contains(at));
        if let Some(var) = ended.filter(is_open) {
            let value = program.pool.bv(program.data_model.word_bits(), 0);
            edge.stmts.push(Stmt { op: Op::Assign { var, value }, span, site });
        }
    }
}
