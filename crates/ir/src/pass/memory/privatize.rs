//! Which globals are one thread's own? They become its locals.
//!
//! A global that only the statements of one procedure name, which one thread runs once, is no more than a local of that thread: a handle
//! that `main` keeps for joining, a counter of `main`. As a local it is part of states only where it is live, and it
//! can be known like any other local.
//!
//! Invariant: locals are zero at first, so only globals that start with zero are turned. Nobody else can race for them. Where leaks are in
//! question globals stay, since what they point to is not lost.

use super::regions::place_of;
use crate::pass::analysis::sharing::Sharing;
use crate::pass::control::fences::orders_others;
use crate::program::{ProcId, Program, Scope, Variable};
use crate::property::{Properties, Property};
use crate::stmt::{Op, Place, Stmt};
use logic::{Value, VarId};
use std::collections::BTreeMap;

/// The program with globals that one thread alone uses turned into locals. Its procedures must be threads.
pub fn privatize(mut program: Program, properties: Properties) -> Program {
    if properties.has(Property::MemTrack) || properties.has(Property::MemCleanup) {
        return program;
    }
    let sharing = Sharing::new(&program);
    // The only procedure that names each global; none if several do, or a thread waits there.
    let mut user: BTreeMap<VarId, Option<ProcId>> = BTreeMap::new();
    for (index, proc) in program.procs.iter().enumerate() {
        let id = ProcId(index as u32);
        for op in proc.edges.iter().flat_map(|edge| &edge.stmts).map(|stmt| &stmt.op) {
            if let Some(Place::Var(var)) = place_of(op) {
                let known = user.entry(*var).or_insert(Some(id));
                let waits = matches!(op, Op::Rmw { wait: Some(_), .. });
                if *known != Some(id) || waits || orders_others(&program, op) {
                    *known = None;
                }
            }
        }
    }
    for (global, user) in user {
        let Some(proc) = user.filter(|proc| sharing.is_single(*proc)) else { continue };
        let sort = program.pool.var_sort(global);
        let variable = program.var(global);
        if variable.scope != Scope::Global || variable.init != Some(Value::zero(sort)) {
            continue;
        }
        let name = program.pool.var_name(global).to_string();
        let local = Variable { scope: Scope::Local, init: None, is_temporary: true, ..variable.clone() };
        let local = program.declare(&name, sort, local);
        program.procs[proc.index()].locals.push(local);
        let value = program.pool.var(local);
        for edge in &mut program.procs[proc.index()].edges {
            let stmts = std::mem::take(&mut edge.stmts);
            for stmt in stmts {
                if place_of(&stmt.op) != Some(&Place::Var(global)) {
                    edge.stmts.push(stmt);
                    continue;
                }
                let Stmt { op, span, site } = stmt;
                let mut assign = |var, value| edge.stmts.push(Stmt { op: Op::Assign { var, value }, span, site });
                match op {
                    Op::Load { dst, .. } => assign(dst, value),
                    Op::Store { value, .. } => assign(local, value),
                    Op::Rmw { dst, new, .. } => {
                        assign(dst, value);
                        assign(local, new);
                    }
                    _ => unreachable!("only these have a place"),
                }
            }
        }
    }
    program
}
