//! What does the program do that nobody can notice? It is dropped.
//!
//! Four things go: checks that the properties do not ask for (they end the process instead, so they become `Assume`s;
//! overflow goes on, so those checks vanish; and where termination is in question a thread that is stopped is not the same as
//! a process that ends, so they stay), statements whose only effect is a variable that is not read any more,
//! results of threads that nobody joins for, and locations that control cannot reach.
//!
//! Invariant: no violation of the properties appears or disappears. So a read of shared state stays, even if its value is
//! not used, wherever the read itself can be the violation or end the process: every read of memory that is not surely inside
//! an object, and every read that may race when races are in question.
//!
//! Inputs are told apart by their sites, in order (`pass::origin`). So one that nobody reads leaves an assignment of zero in its place where other copies
//! of it are read, as those of another call of the same function.

use crate::access::local_written;
use crate::pass::analysis::graph::trim;
use crate::pass::analysis::initial::{may_ask, static_cell};
use crate::pass::analysis::liveness::Liveness;
use crate::pass::analysis::uses::for_each_used;
use crate::pass::control::fences::orders_others;
use crate::program::{Edge, Proc, Program};
use crate::property::{Properties, Property};
use crate::stmt::{Callee, CheckKind, Op, Place, SiteId, Stmt};
use logic::{Sort, TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The program without what cannot be noticed. With `is_threads` every procedure is the whole life of a thread (the result
/// of `inline`); otherwise thread variables are kept.
pub fn drop_dead(mut result: Program, properties: Properties, is_threads: bool) -> Program {
    for proc in &mut result.procs {
        for edge in &mut proc.edges {
            restrict_checks(&mut result.pool, edge, properties);
        }
    }
    drop_in_procs(&mut result, properties, is_threads);
    if is_threads && forget_results(&mut result) {
        drop_in_procs(&mut result, properties, is_threads);
    }
    result
}

/// Zeros for the inputs of which there are several copies, by site.
type Copied = FxHashMap<SiteId, TermId>;

fn copied_inputs(program: &mut Program) -> Copied {
    let mut seen: FxHashMap<SiteId, (u32, Option<Sort>)> = FxHashMap::default();
    for stmt in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts) {
        let (count, sort) = seen.entry(stmt.site).or_default();
        *count += 1;
        if let Op::Havoc { var, .. } = stmt.op {
            *sort = Some(program.pool.var_sort(var));
        }
    }
    let copied = seen.into_iter().filter(|(_, (count, _))| *count > 1);
    let sorts: Vec<(SiteId, Sort)> = copied.filter_map(|(site, (_, sort))| Some((site, sort?))).collect();
    sorts.into_iter().map(|(site, sort)| (site, program.pool.constant(Value::zero(sort)))).collect()
}

/// What stays of a statement whose result nobody reads.
fn trace_of(stmt: &Stmt, copied: &Copied) -> Option<Stmt> {
    let (Op::Havoc { var, .. } | Op::Assign { var, .. }) = stmt.op else { return None };
    let value = *copied.get(&stmt.site)?;
    Some(Stmt { op: Op::Assign { var, value }, ..stmt.clone() })
}

fn drop_in_procs(program: &mut Program, properties: Properties, is_threads: bool) {
    let copied = &copied_inputs(program);
    for index in 0..program.procs.len() {
        let mut proc = program.procs[index].clone();
        trim(&program.pool, &mut proc);
        drop_faint(program, &mut proc, properties, is_threads, copied);
        while drop_unread(program, &mut proc, properties, is_threads, copied) {}
        trim(&program.pool, &mut proc);
        keep_used_locals(program, &mut proc);
        program.procs[index] = proc;
    }
}

/// If no thread asks what another returned, nothing is returned; tells whether that changes anything. What `main` returns
/// is the same to everybody.
fn forget_results(program: &mut Program) -> bool {
    let is_read = statements(program).any(|op| matches!(op, Op::Join { result: Some(_), .. }));
    let main = program.main;
    let is_started =
        statements(program).any(|op| matches!(op, Op::Start { callee: Callee::Proc(proc), .. } if *proc == main));
    let zero = program.pool.bv(program.data_model.word_bits(), 0);
    let mut changed = false;
    for (index, proc) in program.procs.iter_mut().enumerate() {
        let is_main = index == main.index() && !is_started;
        for stmt in proc.edges.iter_mut().flat_map(|edge| &mut edge.stmts) {
            match &mut stmt.op {
                Op::Return(value) if (is_main || !is_read) && value.is_some() => *value = None,
                Op::ExitThread(value) if !is_read && *value != zero => *value = zero,
                _ => continue,
            }
            changed = true;
        }
    }
    changed
}

fn statements(program: &Program) -> impl Iterator<Item = &Op> {
    program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts).map(|stmt| &stmt.op)
}

/// Drops and weakens the checks that nobody asked for, and `Assume`s and checks that always hold.
fn restrict_checks(pool: &mut logic::Pool, edge: &mut Edge, properties: Properties) {
    for stmt in &mut edge.stmts {
        if let Op::Check { cond, kind } = &stmt.op
            && Property::of_check(kind).is_some_and(|property| !properties.has(property) && !property.is_undefined())
        {
            if *kind == CheckKind::Overflow {
                stmt.op = Op::Assume(pool.bool(true));
            } else if !properties.has(Property::Termination) {
                stmt.op = Op::Assume(*cond);
            }
        }
    }
    edge.stmts.retain(|stmt| match &stmt.op {
        Op::Assume(cond) | Op::Check { cond, .. } => pool.as_const(*cond) != Some(&Value::Bool(true)),
        _ => true,
    });
}

/// Whether the statement does nothing but write its destination.
fn only_writes(program: &Program, properties: Properties, op: &Op) -> bool {
    match op {
        Op::Assign { .. } | Op::Havoc { .. } => true,
        // What a read chooses stays chosen, so a read of what nobody has written is more than its destination.
        Op::Load { place, .. } => {
            let is_inside = match place {
                Place::Var(_) => true,
                Place::Mem { addr, sort, .. } => static_cell(program, *addr, *sort).is_some(),
            };
            let is_noticed = properties.has(Property::Race) || orders_others(program, op);
            is_inside && !is_noticed && !may_ask(program, op)
        }
        _ => false,
    }
}

/// Drops writes to variables that only ever flow into themselves or into other such variables.
fn drop_faint(program: &Program, proc: &mut Proc, properties: Properties, is_threads: bool, copied: &Copied) {
    let mut needed: FxHashSet<VarId> = FxHashSet::default();
    let mut flows: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
    let mut queue: Vec<VarId> = Vec::new();
    for stmt in proc.edges.iter().flat_map(|edge| &edge.stmts) {
        let target = local_written(&stmt.op).filter(|_| only_writes(program, properties, &stmt.op));
        for_each_used(&program.pool, &stmt.op, &mut |var| match target {
            Some(target) if is_threads || program.var(target).scope == crate::program::Scope::Local => {
                flows.entry(target).or_default().push(var);
            }
            _ => queue.push(var),
        });
    }
    while let Some(var) = queue.pop() {
        if needed.insert(var)
            && let Some(sources) = flows.get(&var)
        {
            queue.extend_from_slice(sources);
        }
    }
    for edge in &mut proc.edges {
        edge.stmts.retain_mut(|stmt| {
            let is_kept = |var: VarId| {
                needed.contains(&var) || (!is_threads && program.var(var).scope == crate::program::Scope::Thread)
            };
            if local_written(&stmt.op).is_none_or(is_kept) || !only_writes(program, properties, &stmt.op) {
                return true;
            }
            let trace = trace_of(stmt, copied);
            trace.map(|trace| *stmt = trace).is_some()
        });
    }
}

/// Drops writes that no path reads; tells whether there were any.
fn drop_unread(program: &Program, proc: &mut Proc, properties: Properties, is_threads: bool, copied: &Copied) -> bool {
    let liveness = Liveness::new(program, proc, is_threads);
    let mut changed = false;
    for edge in &mut proc.edges {
        let mut live: FxHashSet<VarId> = liveness.at(edge.to).iter().copied().collect();
        let mut kept: Vec<Stmt> = Vec::with_capacity(edge.stmts.len());
        for mut stmt in edge.stmts.drain(..).rev() {
            let dst = local_written(&stmt.op);
            if let Op::Join { result, .. } | Op::Call { result, .. } = &mut stmt.op
                && result.is_some_and(|dst| !live.contains(&dst))
            {
                *result = None;
            }
            if dst.is_some_and(|dst| !live.contains(&dst)) && only_writes(program, properties, &stmt.op) {
                let trace = trace_of(&stmt, copied);
                changed |= trace.as_ref() != Some(&stmt);
                kept.extend(trace);
                continue;
            }
            if let Some(dst) = dst {
                live.remove(&dst);
            }
            for_each_used(&program.pool, &stmt.op, &mut |var| {
                live.insert(var);
            });
            kept.push(stmt);
        }
        kept.reverse();
        edge.stmts = kept;
    }
    changed
}

/// Forgets locals that occur nowhere; parameters stay.
fn keep_used_locals(program: &Program, proc: &mut Proc) {
    let mut used: FxHashSet<VarId> = proc.params.iter().copied().collect();
    for stmt in proc.edges.iter().flat_map(|edge| &edge.stmts) {
        used.extend(local_written(&stmt.op));
        for_each_used(&program.pool, &stmt.op, &mut |var| {
            used.insert(var);
        });
    }
    proc.locals.retain(|local| used.contains(local));
}
