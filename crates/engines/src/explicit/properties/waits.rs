//! Do some threads wait for each other for ever, whatever the others do? What `ir::interp::waits` says, from one thread on.
//!
//! Known as: partial (local) deadlock, cycles of the wait-for graph.
//!
//! A step makes such a circle only by the thread that takes it: it waits now, or it has ended with a lock. So it is enough to
//! follow who waits for whom from there. Reductions keep circles: an execution that leads to one is followed by the search but for
//! the order of independent steps and further steps of others; nobody leaves the circle, and the end of the process
//! depends on all steps before it, so that a state before it has the circle.

use crate::explicit::state::View;
use crate::explicit::step::{Choices, Machine, StepResult, Wait};
use ir::{Op, Program};

/// Whether the first thread, which joins, may be part of a circle: others may wait for it, or join too.
pub(crate) fn may_go_round(program: &Program) -> bool {
    program.procs.iter().enumerate().any(|(index, proc)| {
        let is_main = index == program.main.index();
        proc.edges.iter().flat_map(|edge| &edge.stmts).any(|stmt| match &stmt.op {
            Op::Rmw { owner: Some(_), .. } => is_main,
            Op::Join { .. } => !is_main,
            _ => false,
        })
    })
}

/// Whether the threads that wait because of one that has just moved wait for ever.
pub(crate) fn is_for_ever(machine: &mut Machine<'_>, state: &[u8], view: &View, mover: usize) -> bool {
    if !machine.code.has_ended(view.pcs[mover]) {
        return leads_round(machine, state, view, mover);
    }
    (0..view.pcs.len()).filter(|thread| *thread != mover).any(|thread| {
        let wait = wait_of(machine, state, view, thread);
        wait == Some(Wait::Bytes(mover as u64 + 1)) || leads_round(machine, state, view, thread)
    })
}

/// Whether the way from a thread to whom it waits for never ends.
fn leads_round(machine: &mut Machine<'_>, state: &[u8], view: &View, first: usize) -> bool {
    let mut at = first;
    for _ in 0..=view.pcs.len() {
        let Some(wait) = wait_of(machine, state, view, at) else { return false };
        let (Wait::Bytes(owner) | Wait::Thread(owner)) = wait;
        let Some(next) = usize::try_from(owner).ok().and_then(|owner| owner.checked_sub(1)) else { return false };
        match view.pcs.get(next) {
            None => return false,
            Some(pc) if machine.code.has_ended(*pc) => return matches!(wait, Wait::Bytes(_)),
            Some(_) => at = next,
        }
    }
    // More steps than threads: some thread came twice.
    true
}

/// What a thread waits for; none if it can run, has ended, or is stopped.
fn wait_of(machine: &mut Machine<'_>, state: &[u8], view: &View, thread: usize) -> Option<Wait> {
    let code = machine.code;
    let (first, end) = code.locs[view.pcs[thread] as usize].edges;
    let mut found = None;
    for edge in first..end {
        match machine.look(state, view, thread, edge as usize, &mut Choices::new()) {
            StepResult::NotTaken => {}
            StepResult::Waits(wait) => found = Some(wait),
            _ => return None,
        }
    }
    found
}
