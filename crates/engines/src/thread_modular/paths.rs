//! Which ways through a procedure should be kept apart? Those on which a flag says which way was taken.
//!
//! Known as: path sensitivity by property simulation, jump threading. A lock that is only tried is held on one of two ways, which meet where the call returns and
//! part again where its result is looked at; in between it is not known whether it is held. So locations are copied for each value of variables that are only ever set to
//! constants, or to what follows from such variables, as long as these are looked at later. Ways that the values rule out are left out.
//!
//! Invariant: each path of the program that an execution can take is a path of the result, with the same statements. Statements that make objects, start threads or wait for their end
//! are not copied: what is counted of them stays true.

use ir::access::local_written;
use ir::pass::Liveness;
use ir::{Edge, LocId, Op, Proc, Program, Scope};
use logic::{Pool, TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// How many times more edges a procedure may get.
const MAX_GROWTH: usize = 3;

/// What is known of the variables that are tracked.
type Values = BTreeMap<VarId, TermId>;

/// The program with such ways apart, if that makes a difference.
pub(super) fn keep_ways_apart(program: &Program) -> Option<Program> {
    let mut result = program.clone();
    let mut is_changed = false;
    for index in 0..program.procs.len() {
        let proc = &program.procs[index];
        let tracked = constants(program, proc);
        if tracked.is_empty() {
            continue;
        }
        let liveness = Liveness::new(program, proc, true);
        let copied = copy(&mut result.pool, proc, &tracked, &liveness);
        if let Some(copied) = copied {
            is_changed |= copied.locs.len() != proc.locs.len();
            result.procs[index] = copied;
        }
    }
    is_changed.then_some(result)
}

/// The local variables that are only ever set to constants and to terms over such variables.
fn constants(program: &Program, proc: &Proc) -> FxHashSet<VarId> {
    let mut values: FxHashMap<VarId, Vec<TermId>> = FxHashMap::default();
    let mut others: FxHashSet<VarId> = proc.params.iter().copied().collect();
    for stmt in proc.edges.iter().flat_map(|edge| &edge.stmts) {
        match (&stmt.op, local_written(&stmt.op)) {
            (Op::Assign { value, .. }, Some(var)) if program.var(var).scope == Scope::Local => {
                values.entry(var).or_default().push(*value);
            }
            (_, Some(var)) => drop(others.insert(var)),
            (_, None) => {}
        }
    }
    let mut found: FxHashSet<VarId> = FxHashSet::default();
    loop {
        let is_known = |term: &TermId| {
            let mut known = true;
            program.pool.for_each_free_var(*term, &mut |var| known &= found.contains(&var));
            known
        };
        let next: Vec<VarId> = values
            .iter()
            .filter(|(var, terms)| !found.contains(var) && !others.contains(var) && terms.iter().all(is_known))
            .map(|(var, _)| *var)
            .collect();
        if next.is_empty() {
            return found;
        }
        found.extend(next);
    }
}

/// Whether a statement must not be copied.
fn is_counted(edge: &Edge) -> bool {
    edge.stmts.iter().any(|stmt| matches!(stmt.op, Op::Alloc { .. } | Op::Start { .. } | Op::Join { .. }))
}

/// The procedure with its locations copied; none if it becomes too large.
fn copy(pool: &mut Pool, proc: &Proc, tracked: &FxHashSet<VarId>, liveness: &Liveness) -> Option<Proc> {
    let out = proc.out_edges();
    let is_merged: Vec<bool> =
        out.iter().map(|edges| edges.iter().any(|edge| is_counted(&proc.edges[edge.index()]))).collect();
    let mut built = Proc { locs: Vec::new(), edges: Vec::new(), ..proc.clone() };
    let mut name_of: FxHashMap<(LocId, Values), LocId> = FxHashMap::default();
    let mut queue: Vec<(LocId, Values)> = Vec::new();
    let mut name = |loc: LocId, mut values: Values, built: &mut Proc, queue: &mut Vec<(LocId, Values)>| {
        values.retain(|var, _| !is_merged[loc.index()] && loc != proc.exit && liveness.is_live(loc, *var));
        *name_of.entry((loc, values)).or_insert_with_key(|key| {
            built.locs.push(proc.locs[loc.index()].clone());
            queue.push(key.clone());
            LocId(built.locs.len() as u32 - 1)
        })
    };
    built.entry = name(proc.entry, Values::new(), &mut built, &mut queue);
    built.exit = name(proc.exit, Values::new(), &mut built, &mut queue);
    while let Some((loc, values)) = queue.pop() {
        let from = name(loc, values.clone(), &mut built, &mut queue);
        for id in &out[loc.index()] {
            let edge = &proc.edges[id.index()];
            let Some(after) = after(pool, edge, tracked, values.clone()) else { continue };
            let to = name(edge.to, after, &mut built, &mut queue);
            built.edges.push(Edge { from, to, ..edge.clone() });
            if built.edges.len() > MAX_GROWTH * proc.edges.len() {
                return None;
            }
        }
    }
    Some(built)
}

/// What is known after an edge; none if it cannot be taken.
fn after(pool: &mut Pool, edge: &Edge, tracked: &FxHashSet<VarId>, mut values: Values) -> Option<Values> {
    for stmt in &edge.stmts {
        match &stmt.op {
            Op::Assign { var, value } if tracked.contains(var) => {
                let value = pool.substitute(*value, &|var| values.get(&var).copied());
                match pool.as_const(value) {
                    Some(_) => drop(values.insert(*var, value)),
                    None => drop(values.remove(var)),
                }
            }
            Op::Assume(cond) => {
                let cond = pool.substitute(*cond, &|var| values.get(&var).copied());
                if pool.as_const(cond) == Some(&Value::Bool(false)) {
                    return None;
                }
            }
            _ => {}
        }
    }
    Some(values)
}
