//! Which variables does a failing check depend on? By values, by branches, or all there are.

use ir::access::{local_written, terms};
use ir::{Op, Place, ProcId, Program, Stmt};
use logic::{TermId, VarId};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// How much is tracked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::declarative) enum Reach {
    /// What the check compares, and what that is computed from.
    Values,
    /// And what the branches of its thread compare.
    Branches,
    /// Everything.
    All,
}

fn stmts(program: &Program) -> impl Iterator<Item = (ProcId, &Stmt)> {
    let procs = program.procs.iter().enumerate();
    procs.flat_map(|(index, proc)| {
        proc.edges.iter().flat_map(move |edge| edge.stmts.iter().map(move |stmt| (ProcId(index as u32), stmt)))
    })
}

/// The conditions of all branches, checks and waits, with the procedure of each.
pub(super) fn conditions(program: &Program) -> Vec<(ProcId, TermId)> {
    let of = |(proc, stmt): (ProcId, &Stmt)| match &stmt.op {
        Op::Assume(cond) | Op::Check { cond, .. } => Some((proc, *cond)),
        Op::Rmw { wait, .. } => wait.map(|cond| (proc, cond)),
        _ => None,
    };
    stmts(program).filter_map(of).collect()
}

/// The variables of threads that values of shared ones get into.
pub(super) fn reached_by(program: &Program, shared: &BTreeSet<VarId>) -> BTreeSet<VarId> {
    let mut reached: BTreeSet<VarId> = BTreeSet::new();
    loop {
        let before = reached.len();
        for (_, stmt) in stmts(program) {
            match &stmt.op {
                Op::Load { dst, place: Place::Var(var), .. } | Op::Rmw { dst, place: Place::Var(var), .. }
                    if shared.contains(var) =>
                {
                    reached.insert(*dst);
                }
                Op::Assign { var, value } => {
                    let mut vars = BTreeSet::new();
                    mentioned(program, *value, &mut vars);
                    if vars.intersection(&reached).next().is_some() {
                        reached.insert(*var);
                    }
                }
                _ => {}
            }
        }
        if reached.len() == before {
            return reached;
        }
    }
}

fn mentioned(program: &Program, term: TermId, vars: &mut BTreeSet<VarId>) {
    program.pool.for_each_free_var(term, &mut |var| {
        vars.insert(var);
    });
}

/// The variables that a failing check of a thread's procedure needs.
pub(super) fn needed(program: &Program, proc: ProcId, check: &Stmt, reach: Reach) -> FxHashSet<VarId> {
    if reach == Reach::All {
        return (0..program.vars.len() as u32).map(VarId).collect();
    }
    let mut open: BTreeSet<VarId> = BTreeSet::new();
    if let Op::Check { cond, .. } = &check.op {
        mentioned(program, *cond, &mut open);
    }
    for (own, stmt) in stmts(program).filter(|(own, _)| reach == Reach::Branches && *own == proc) {
        match &stmt.op {
            Op::Assume(cond) => mentioned(program, *cond, &mut open),
            Op::Rmw { dst, wait, .. } if wait.is_some() => {
                open.insert(*dst);
            }
            _ => debug_assert_eq!(own, proc),
        }
    }
    // A check that always fails depends on how one gets there.
    if open.is_empty() {
        let conditions = stmts(program).filter(|(own, _)| *own == proc).filter_map(|(_, stmt)| match &stmt.op {
            Op::Assume(cond) => Some(*cond),
            _ => None,
        });
        conditions.for_each(|cond| mentioned(program, cond, &mut open));
    }
    let mut all: FxHashSet<VarId> = FxHashSet::default();
    while let Some(var) = open.pop_first() {
        if all.insert(var) {
            sources(program, var, &mut open);
        }
    }
    all
}

/// What a variable gets its values from.
fn sources(program: &Program, var: VarId, open: &mut BTreeSet<VarId>) {
    for (_, stmt) in stmts(program) {
        match &stmt.op {
            Op::Load { place: Place::Var(shared), .. } | Op::Rmw { place: Place::Var(shared), .. }
                if local_written(&stmt.op) == Some(var) =>
            {
                open.insert(*shared);
            }
            Op::Store { place: Place::Var(shared), .. } | Op::Rmw { place: Place::Var(shared), .. }
                if *shared == var =>
            {
                terms(&stmt.op).into_iter().for_each(|term| mentioned(program, term, open));
            }
            Op::Assign { var: own, value } if *own == var => mentioned(program, *value, open),
            Op::Start { callee: ir::Callee::Proc(proc), args, .. } => {
                let params = &program.proc(*proc).params;
                let given = params.iter().zip(args).filter(|(param, _)| **param == var);
                given.for_each(|(_, arg)| mentioned(program, *arg, open));
            }
            _ => {}
        }
    }
}
