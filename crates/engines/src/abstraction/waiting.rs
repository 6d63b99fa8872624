//! When may a thread run although another one is inside an atomic section? Only while that one waits.
//!
//! The holder of a section waits if one of its edges stops at a wait and none of the others can be taken. Edges of one location exclude each other, so that one
//! whose conditions depend on an input need not be looked at: no input is asked for before a wait (`ir::pass::merge_blocks`). Where an address is
//! not resolved, its cases are told apart; if they are too many, the holder may wait.

use super::cells::Cells;
use super::control::{Control, is_counted};
use super::symbolic::{self, BadKind, Resolve, Summary};
use ir::pass::may_wait_in_circle;
use ir::{EdgeId, EdgeRef, Op, Program, Properties, Span, Stmt, Why};
use logic::TermId;

/// Addresses that a wait may have and that are told apart.
const MAX_CASES: usize = 64;

/// Conditions under which a thread may run: that the holder of an atomic section, if it is another thread, waits.
pub fn others_wait(
    cells: &mut Cells<'_>,
    properties: Properties,
    control: &Control,
    thread: u32,
    resolve: Resolve<'_>,
    fixed: &mut Vec<TermId>,
) -> Vec<TermId> {
    match control.holder {
        Some(holder) if holder != thread => vec![waits(cells, properties, control, holder, resolve, fixed)],
        _ => Vec::new(),
    }
}

/// That a thread waits. Addresses that were resolved are added to `fixed`.
pub fn waits(
    cells: &mut Cells<'_>,
    properties: Properties,
    control: &Control,
    thread: u32,
    resolve: Resolve<'_>,
    fixed: &mut Vec<TermId>,
) -> TermId {
    let at = control.at(thread);
    let proc = cells.program.proc(at.proc);
    let mut stuck = Vec::new();
    let mut waiting = Vec::new();
    for (index, edge) in proc.edges.iter().enumerate() {
        if edge.from != at.loc {
            continue;
        }
        let edge = EdgeRef { proc: at.proc, edge: EdgeId(index as u32) };
        let mut summary = symbolic::run(cells, properties, control, thread, edge, resolve);
        let is_open = summary.is_vague;
        if is_open && !is_counted(thread) {
            summary = symbolic::run_by_cases(cells, properties, control, (thread, edge), resolve, MAX_CASES);
        }
        let all = cells.pool.and_all(&summary.guards);
        let may_wait_anywhere = is_open && (is_counted(thread) || cells.pool.as_const(all).is_some());
        let waits_before = !is_counted(thread) && waits_before_unresolved(&cells.program.edge(edge).stmts, &summary);
        if may_wait_anywhere && !waits_before {
            return cells.pool.bool(true);
        }
        fixed.extend(summary.fixed.iter().copied());
        let vars = cells.vars_in(all);
        if !may_wait_anywhere && vars.iter().all(|var| cells.cell(*var).is_some()) {
            stuck.push(cells.pool.not(all));
        }
        for wait in &summary.waits {
            let before = cells.pool.and_all(&summary.guards[..*wait]);
            let blocked = cells.pool.not(summary.guards[*wait]);
            waiting.push(cells.pool.and(before, blocked));
        }
    }
    let stuck = cells.pool.and_all(&stuck);
    let waiting = cells.pool.or_all(&waiting);
    cells.pool.and(stuck, waiting)
}

/// Whether no statement waits from where an address is not resolved on, so that it is known when one does.
fn waits_before_unresolved(stmts: &[Stmt], summary: &Summary) -> bool {
    let unresolved = summary.bads.iter().filter(|bad| matches!(bad.kind, BadKind::Unresolved(..))).map(|bad| bad.stmt);
    let waits = |stmt: &Stmt| matches!(stmt.op, Op::Rmw { wait: Some(_), .. } | Op::Join { .. });
    unresolved.min().is_some_and(|first| !stmts[first..].iter().any(waits))
}

/// Why nobody can tell whether some threads wait for each other for ever, if they may.
pub fn circles(program: &Program) -> Option<Why> {
    if !may_wait_in_circle(program) {
        return None;
    }
    let stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    let is_owned = |stmt: &&Stmt| matches!(stmt.op, Op::Rmw { owner: Some(_), .. } | Op::Join { .. });
    let span = stmts.filter(is_owned).map(|stmt| stmt.span).next().unwrap_or(Span::NOWHERE);
    let what = "waiting in a circle while other threads go on, in abstract states,".to_string();
    Some(Why::Unsupported { span, what })
}
