//! Putting the checks into the program.
//!
//! A check stands before the statement that needs it, on the same edge. What a guard or a wait needs is checked on an edge of
//! its own before the location, because an edge whose guard fails is not taken at all; what the new value of an update needs is
//! checked after it, when the old value is known.

use super::Layout;
use super::conditions::{Condition, Conditions};
use super::elsewhere;
use super::flow::Flow;
use super::reuse::Reuse;
use super::terms::{Demand, DemandKind};
use crate::access::local_written;
use crate::pass::{Moment, for_each_term, map_terms};
use crate::program::{Edge, EdgeId, EdgeRef, Loc, LocId, ProcId, Program};
use crate::source::Span;
use crate::stmt::{Callee, CheckKind, Op, Place, Stmt};
use logic::{TermId, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Refuses what depends on where objects lie, and puts the addresses of static objects in place.
pub fn guard(program: &mut Program, layout: &Layout) {
    let flow = Flow::new(program, layout);
    let first_new = program.n_sites;
    let mut conditions = Conditions::new(program, layout, &flow);
    let mut reuse = Reuse::find(&mut conditions);
    for proc in 0..conditions.program.procs.len() {
        guard_proc(&mut conditions, &mut reuse, proc);
    }
    let program = conditions.program;
    let is_guarded = program.n_sites > first_new;
    let elsewhere = if is_guarded { elsewhere::programs(program, layout, first_new) } else { Vec::new() };
    place_objects(program, layout, !is_guarded);
    program.elsewhere = elsewhere.into_iter().map(Arc::new).collect();
    for (index, proc) in program.procs.iter_mut().enumerate() {
        for (at, edge) in proc.edges.iter_mut().enumerate() {
            edge.origin = vec![EdgeRef { proc: ProcId(index as u32), edge: EdgeId(at as u32) }];
        }
    }
}

/// What a statement needs before it and, if it is an update, after it.
#[derive(Default)]
struct Needs {
    before: Vec<Condition>,
    after: Vec<Condition>,
}

fn needs(conditions: &mut Conditions<'_>, reuse: &mut Option<Reuse>, at: &At, stmt: &Stmt) -> Needs {
    let mut needs = Needs::default();
    // Whether arithmetic overflows does not hang on where objects lie, as long as they do not lie at the very end.
    if matches!(stmt.op, Op::Check { kind: CheckKind::Overflow, .. }) {
        return needs;
    }
    if at.is_unwanted && matches!(stmt.op, Op::Return(_)) {
        return needs;
    }
    let mut terms: Vec<(TermId, Moment)> = Vec::new();
    for_each_term(&stmt.op, &mut |term, moment| terms.push((term, moment)));
    for (term, moment) in terms {
        conditions.point.2 = moment == Moment::AfterRead;
        for demand in demands(conditions, term) {
            if at.may_order && matches!(demand.kind, DemandKind::Order { .. }) {
                continue;
            }
            let mut found = conditions.of(&demand);
            if let (DemandKind::Equal { a, b }, Some(reuse), false) = (&demand.kind, &mut *reuse, at.is_model) {
                let condition = reuse.condition(conditions, at.proc, *a, *b);
                found.extend(condition.map(|(condition, what)| (conditions.when(condition, &demand), what)));
            }
            let side = if moment == Moment::Before { &mut needs.before } else { &mut needs.after };
            for condition in found {
                if !side.contains(&condition) {
                    side.push(condition);
                }
            }
        }
    }
    conditions.point.2 = false;
    needs.before.extend(kept_apart(conditions, &stmt.op));
    needs
}

/// That an access stays in its array, where others lie beside it.
fn kept_apart(conditions: &mut Conditions<'_>, op: &Op) -> Vec<Condition> {
    let (Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. }) = op else { return Vec::new() };
    let Place::Mem { addr, .. } = place else { return Vec::new() };
    let flow = conditions.flow;
    let always = conditions.program.pool.bool(true);
    let all = flow.kept(conditions.point.0).iter().map(|kept| conditions.kept(*addr, kept));
    all.filter(|(condition, _)| *condition != always).collect()
}

/// What is looked at.
struct At {
    proc: usize,
    is_model: bool,
    /// In which direction bytes are moved does not matter between different objects, which never overlap.
    may_order: bool,
    /// Whether nobody wants the procedure's result.
    is_unwanted: bool,
}

/// Whether some call or start may use what the procedure returns.
fn is_wanted(program: &Program, id: ProcId) -> bool {
    let n_params = program.proc(id).params.len();
    let mut stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    stmts.any(|stmt| match &stmt.op {
        Op::Call { callee, args, result: Some(_) } | Op::Start { callee, args, .. } => match callee {
            Callee::Proc(proc) => *proc == id,
            // Who is given too little is not run.
            Callee::Pointer(_) => args.len() >= n_params,
        },
        _ => false,
    })
}

pub(super) fn demands(conditions: &Conditions<'_>, term: TermId) -> Vec<Demand> {
    conditions.flow.reader(conditions.program, conditions.layout, conditions.point, |mut reader| {
        reader.words(term);
        reader.demands
    })
}

fn guard_proc(conditions: &mut Conditions<'_>, reuse: &mut Option<Reuse>, index: usize) {
    if let Some(reuse) = reuse {
        reuse.enter();
    }
    let proc = &conditions.program.procs[index];
    let is_model = conditions.program.sources.is_model(proc.span);
    let is_unwanted = !is_wanted(conditions.program, ProcId(index as u32));
    let may_order = is_model && matches!(proc.name.as_str(), "memmove" | "overlaps");
    let at = At { proc: index, is_model, may_order, is_unwanted };
    let mut early: FxHashMap<LocId, Vec<(Span, Vec<Condition>)>> = FxHashMap::default();
    for edge in 0..proc.edges.len() {
        let stmts = conditions.program.procs[index].edges[edge].stmts.clone();
        let mut new = Vec::with_capacity(stmts.len());
        for (position, stmt) in stmts.into_iter().enumerate() {
            let number = conditions.flow.first_stmt[index][edge] + position;
            conditions.point = (number, local_written(&stmt.op), false);
            let needs = needs(conditions, reuse, &at, &stmt);
            conditions.point.2 = false;
            let span = stmt.span;
            let waits = matches!(stmt.op, Op::Assume(_) | Op::Join { .. } | Op::Rmw { wait: Some(_), .. });
            if waits && !needs.before.is_empty() {
                let from = conditions.program.procs[index].edges[edge].from;
                let all = early.entry(from).or_default();
                if !all.iter().any(|(_, other)| *other == needs.before) {
                    all.push((span, needs.before));
                }
            } else {
                new.extend(checks(conditions.program, reuse, needs.before, span));
            }
            match reuse {
                Some(reuse) => new.extend(reuse.instrumented(conditions, index, stmt)),
                None => new.push(stmt),
            }
            new.extend(checks(conditions.program, reuse, needs.after, span));
        }
        conditions.program.procs[index].edges[edge].stmts = new;
    }
    let mut early: Vec<_> = early.into_iter().collect();
    early.sort_unstable_by_key(|(loc, _)| *loc);
    for (loc, all) in early {
        let mut stmts = Vec::new();
        for (span, found) in all {
            stmts.extend(checks(conditions.program, reuse, found, span));
        }
        step_before(conditions.program, index, loc, stmts);
    }
}

/// The checks of some conditions, with what they read before.
fn checks(program: &mut Program, reuse: &Option<Reuse>, found: Vec<Condition>, span: Span) -> Vec<Stmt> {
    let mut stmts = reuse.as_ref().map_or_else(Vec::new, |reuse| reuse.reads(program, &found, span));
    for (cond, what) in found {
        let op = Op::Check { cond, kind: CheckKind::Unsupported(what.into()) };
        stmts.push(Stmt { op, span, site: program.new_site() });
    }
    stmts
}

/// Puts an edge with these statements before all edges that leave a location.
fn step_before(program: &mut Program, proc: usize, loc: LocId, stmts: Vec<Stmt>) {
    let proc = &mut program.procs[proc];
    let after = LocId(proc.locs.len() as u32);
    proc.locs.push(Loc { span: proc.locs[loc.index()].span, is_loop_head: false });
    for edge in proc.edges.iter_mut().filter(|edge| edge.from == loc) {
        edge.from = after;
    }
    proc.edges.push(Edge { from: loc, to: after, stmts, origin: Vec::new() });
}

/// Puts the addresses in place of the variables that stood for them; guards that are then settled go, and edges that nobody takes, if
/// that is wanted.
pub(super) fn place_objects(program: &mut Program, layout: &Layout, may_drop: bool) {
    let word = program.data_model.word_bits();
    let mut address = FxHashMap::default();
    for (var, object) in &layout.object_of {
        let base = program.objects[object.0 as usize].base;
        address.insert(*var, program.pool.constant(Value::bv(word, base)));
    }
    let Program { pool, procs, .. } = program;
    let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
    for stmt in procs.iter_mut().flat_map(|proc| &mut proc.edges).flat_map(|edge| &mut edge.stmts) {
        map_terms(&mut stmt.op, &mut |term, _| {
            *known.entry(term).or_insert_with(|| pool.substitute(term, &|var| address.get(&var).copied()))
        });
    }
    let (always, never) = (pool.bool(true), pool.bool(false));
    for proc in procs {
        proc.edges.retain(|edge| !may_drop || !edge.stmts.iter().any(|stmt| stmt.op == Op::Assume(never)));
        for edge in &mut proc.edges {
            let is_moot = |op: &Op| match op {
                Op::Assume(cond) | Op::Check { cond, .. } => *cond == always,
                _ => false,
            };
            edge.stmts.retain(|stmt| !is_moot(&stmt.op));
        }
    }
}
