//! What is special about programs that send messages? Topics are used for nothing else, and some axioms are about whole executions.
//!
//! An axiom such as `no-loss` may forbid an execution that stops early (where a check fails, or a loop was cut) although it allows what that execution would come to. So a violation counts if all axioms allow the execution as it
//! is; that there is none is asked of the other axioms alone, of all executions that are not over. Over are those in which `main` finds something wrong after all
//! others have ended, and sends and receives nothing itself: about them all axioms have spoken.

use super::formula::Formula;
use super::sites::Sites;
use crate::bmc::solving::goals::Goals;
use crate::bmc::stage::{Question, Stage};
use crate::bmc::unrolled::{Bad, BadKind, Unrolled};
use ir::{Span, Why};
use logic::{Pool, TermId, Value};

/// What a program does with a topic that means nothing: it uses it for something else than messages, or has not made it.
pub(super) fn misused(unrolled: &mut Unrolled) -> Option<Why> {
    let Unrolled { pool, events, initial, .. } = unrolled;
    let none = pool.bv(64, ir::message::NONE as u64);
    let refuse = |span: Span, what: &str| Some(Why::Unsupported { span, what: what.to_string() });
    let is_never = |pool: &Pool, term: TermId| pool.as_const(term) == Some(&Value::Bool(false));
    for (read, first) in events.reads.iter().zip(initial) {
        if read.how.order.message().is_some() && *first != none {
            return refuse(read.how.span, "a topic that was not made by RAVEL_TOPIC");
        }
    }
    let reads = events.reads.iter().map(|read| (read.place, read.addr, read.guard, read.how));
    let writes = events.writes.iter().map(|write| (write.place, write.addr, write.guard, write.how));
    let (messages, others): (Vec<_>, Vec<_>) = reads.chain(writes).partition(|(.., how)| how.order.message().is_some());
    for (place, addr, guard, _) in messages {
        for (_, at, its_guard, how) in others.iter().filter(|other| other.0 == place) {
            let same = match (addr, at) {
                (Some(addr), Some(at)) => pool.eq(addr, *at),
                _ => pool.bool(true),
            };
            let meets = pool.and_all(&[same, guard, *its_guard]);
            if !is_never(pool, meets) {
                return refuse(how.span, "a topic that is used for something else than messages");
            }
        }
    }
    None
}

/// What is left to ask when no violation is allowed as it is: whether one is in an execution that is not over, or something is beyond what was looked at.
pub(super) fn of_beginnings(
    question: &Question<'_>,
    unrolled: &mut Unrolled,
    (sites, comes_to_an_end): (&Sites, bool),
    formula: &mut Formula<'_>,
    goals: &Goals,
) -> Result<Stage, smt::Why> {
    let goals = &formula.goals(unrolled, goals)?;
    if let Some(stage) = super::cut(unrolled, formula, goals)? {
        return Ok(stage);
    }
    for (guard, span) in not_over(question, unrolled, sites) {
        let guard = formula.whole(unrolled, guard)?;
        if super::solve(unrolled, formula, guard)?.is_some() {
            let what = "that this check holds in executions that are not over, of which the protocol says too little; \
                        checks after all processes were joined are about whole executions";
            return Ok(Stage::Beyond(Why::NotShown { span, what: what.to_string() }));
        }
    }
    let ended = all_ended(unrolled);
    if !comes_to_an_end && super::solve(unrolled, formula, ended)?.is_some() {
        let what = "anything about executions in which all processes end: the protocol allows none; do sends and receives match?";
        let events = sites.sites.iter().zip(&sites.shape.events);
        let first = events.filter(|(_, event)| event.message.is_some()).map(|(site, _)| site.how.span).next();
        let span = first.unwrap_or(Span::NOWHERE);
        return Ok(Stage::Beyond(Why::NotShown { span, what: what.to_string() }));
    }
    let stage = super::beyond(unrolled, formula, goals)?;
    Ok(stage.unwrap_or(Stage::Safe(formula.n_events() as u64)))
}

/// That all processes beside `main` have ended. One that is not started might be, were it not for a check that fails.
pub(super) fn all_ended(unrolled: &mut Unrolled) -> TermId {
    let Unrolled { pool, threads, .. } = unrolled;
    let ended: Vec<TermId> = threads.iter().skip(1).map(|thread| pool.and(thread.guard, thread.finished)).collect();
    pool.and_all(&ended)
}

/// The violations in executions that are not over.
fn not_over(question: &Question<'_>, unrolled: &mut Unrolled, sites: &Sites) -> Vec<(TermId, Span)> {
    let events = &sites.shape.events;
    let main_takes_part = events.iter().any(|event| event.thread == Some(0) && event.message.is_some());
    let all_ended = all_ended(unrolled);
    let Unrolled { pool, threads, bads, .. } = unrolled;
    let not_all = pool.not(all_ended);
    let violations = bads.iter().filter(|bad| matches!(bad.what, BadKind::Violation(_)));
    let span = |bad: &Bad| {
        let thread = &threads[bad.thread as usize];
        let edge = thread.records.get(bad.record as usize).map(|record| record.edge);
        let stmts = edge.map(|edge| &question.prepared.proc(thread.proc).edges[edge.index()].stmts);
        stmts.and_then(|stmts| stmts.last()).map_or(Span::NOWHERE, |stmt| stmt.span)
    };
    let early = violations.map(|bad| match bad.thread {
        0 if !main_takes_part => (pool.and(bad.guard, not_all), span(bad)),
        _ => (bad.guard, span(bad)),
    });
    early.collect()
}
