//! Whose objects are these? Small functions that make objects get a copy for each place that calls them.
//!
//! Known as: heap cloning.
//!
//! Many programs call `malloc` through a function of their own that looks at its result. For an analysis that knows objects by the statement that makes them, all objects of such a program were one: numbers in
//! one and pointers in another would lie in the same bytes, and reading the numbers would be reading bytes of addresses, which `guard` refuses. So such a function is copied, and a small one that calls it
//! and hands on what it gets likewise, one level up. A copy does what the original does, under the same name and with the same places in the source, so nothing else changes.

use super::Layout;
use crate::pass::{map_defined, map_terms};
use crate::program::{Edge, ProcId, Program};
use crate::stmt::{AllocKind, Callee, Op, Stmt};
use logic::{TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A function with more edges is not copied.
const MAX_EDGES: usize = 64;

/// So many edges may be added.
const MAX_NEW_EDGES: usize = 4096;

/// Copies functions that make objects, so that each call of one is of a copy of its own, as long as there is room.
pub fn clone_allocators(program: &mut Program, layout: &mut Layout) {
    let makers = procs_with(program, |stmt| matches!(stmt.op, Op::Alloc { kind: AllocKind::Heap, .. }));
    let callers: FxHashSet<ProcId> =
        procs_with(program, |stmt| called(stmt).is_some_and(|proc| makers.contains(&proc)))
            .into_iter()
            .filter(|proc| program.proc(*proc).result.is_some() && *proc != program.main)
            .collect();
    let mut room = MAX_NEW_EDGES;
    // Callers first: their copies are then further places that call.
    for group in [callers.difference(&makers).copied().collect(), makers] {
        let mut group: Vec<ProcId> = group.into_iter().collect();
        group.sort_unstable();
        for proc in group {
            give_each_call_a_copy(program, layout, proc, &mut room);
        }
    }
}

fn procs_with(program: &Program, is_it: impl Fn(&Stmt) -> bool) -> FxHashSet<ProcId> {
    let ids = (0..program.procs.len()).map(|index| ProcId(index as u32));
    let has = |proc: &ProcId| {
        let edges = &program.proc(*proc).edges;
        edges.len() <= MAX_EDGES && edges.iter().flat_map(|edge| &edge.stmts).any(&is_it)
    };
    ids.filter(has).collect()
}

fn called(stmt: &Stmt) -> Option<ProcId> {
    match &stmt.op {
        Op::Call { callee: Callee::Proc(proc), .. } => Some(*proc),
        _ => None,
    }
}

/// Whether a call of the procedure may lead to another one of it. How often a function that does so is unfolded is counted by procedure.
fn calls_itself(program: &Program, proc: ProcId) -> bool {
    let mut seen: FxHashSet<ProcId> = FxHashSet::default();
    let mut stack = vec![proc];
    while let Some(next) = stack.pop() {
        for stmt in program.proc(next).edges.iter().flat_map(|edge| &edge.stmts) {
            match (called(stmt), &stmt.op) {
                (Some(callee), _) if callee == proc => return true,
                (Some(callee), _) if seen.insert(callee) => stack.push(callee),
                (None, Op::Call { .. }) => return true,
                _ => {}
            }
        }
    }
    false
}

fn give_each_call_a_copy(program: &mut Program, layout: &mut Layout, proc: ProcId, room: &mut usize) {
    if calls_itself(program, proc) {
        return;
    }
    let n_edges = program.proc(proc).edges.len();
    let mut is_first = true;
    for caller in 0..program.procs.len() {
        for edge in 0..program.procs[caller].edges.len() {
            for at in 0..program.procs[caller].edges[edge].stmts.len() {
                if called(&program.procs[caller].edges[edge].stmts[at]) != Some(proc) {
                    continue;
                }
                if std::mem::take(&mut is_first) {
                    continue;
                }
                if *room < n_edges {
                    return;
                }
                *room -= n_edges;
                let copy = copy_of(program, layout, proc);
                if let Op::Call { callee, .. } = &mut program.procs[caller].edges[edge].stmts[at].op {
                    *callee = Callee::Proc(copy);
                }
            }
        }
    }
}

/// The same procedure once more, with variables and statements of its own.
fn copy_of(program: &mut Program, layout: &mut Layout, proc: ProcId) -> ProcId {
    let mut copy = program.proc(proc).clone();
    let mut name_of: FxHashMap<VarId, VarId> = FxHashMap::default();
    for var in copy.locals.iter().chain(&copy.params) {
        if name_of.contains_key(var) {
            continue;
        }
        let (name, sort) = (program.pool.var_name(*var).to_string(), program.pool.var_sort(*var));
        let new = program.declare(&name, sort, program.var(*var).clone());
        if let Some(shape) = program.locals.get(var).cloned() {
            program.locals.insert(new, shape);
        }
        name_of.insert(*var, new);
    }
    let value_of: FxHashMap<VarId, TermId> = name_of.iter().map(|(var, new)| (*var, program.pool.var(*new))).collect();
    let renamed = |vars: &[VarId]| vars.iter().map(|var| name_of[var]).collect();
    (copy.locals, copy.params) = (renamed(&copy.locals), renamed(&copy.params));
    for Edge { stmts, .. } in &mut copy.edges {
        for stmt in stmts {
            let site = program.new_site();
            layout.copy_site(stmt.site, site);
            if let Some(text) = program.assertions.get(&stmt.site).cloned() {
                program.assertions.insert(site, text);
            }
            stmt.site = site;
            let pool = &mut program.pool;
            map_terms(&mut stmt.op, &mut |term, _| pool.substitute(term, &|var| value_of.get(&var).copied()));
            map_defined(&mut stmt.op, &|var| name_of.get(&var).copied().unwrap_or(var));
        }
    }
    program.procs.push(copy);
    ProcId(program.procs.len() as u32 - 1)
}
