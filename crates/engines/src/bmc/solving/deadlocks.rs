//! When do threads wait for ever? In the state at the end all of them wait or have ended; or some wait for each other in a circle.
//!
//! A circle (`ir::interp::waits`) stays whatever the others do, so that it is looked for at the end too, where the others have gone as far
//! as they go. Who is in it is left to the solver: whoever is said to wait for ever waits for somebody who does, or for a lock
//! of a thread that has ended; since there are finitely many threads, that is a circle or leads to such a lock.

use crate::bmc::unrolled::{Thread, Waiting};
use logic::{Pool, Sort, TermId};

/// That all threads wait or have ended, and one waits.
pub(crate) fn all_wait(pool: &mut Pool, threads: &[Thread], waits: &[Waiting]) -> TermId {
    let mut all = Vec::new();
    let mut someone = Vec::new();
    for (id, thread) in threads.iter().enumerate() {
        let not_started = pool.not(thread.guard);
        let mut ends = vec![not_started, thread.finished];
        for wait in waits.iter().filter(|wait| wait.thread as usize == id) {
            let stuck = stuck(pool, wait);
            ends.push(stuck);
            someone.push(stuck);
        }
        all.push(pool.or_all(&ends));
    }
    all.push(pool.or_all(&someone));
    pool.and_all(&all)
}

/// That some threads wait for each other, or for locks of threads that have ended.
pub(crate) fn some_wait_for_ever(pool: &mut Pool, threads: &[Thread], waits: &[Waiting]) -> TermId {
    let is_owned = |wait: &Waiting| wait.owner.is_some() && !wait.is_join;
    let n_joiners = (1..threads.len() as u32).filter(|id| waits.iter().any(|wait| wait.thread == *id && wait.is_join));
    if !waits.iter().any(is_owned) && n_joiners.count() == 0 {
        // Only the first thread joins, and nobody joins it.
        return pool.bool(false);
    }
    let for_ever: Vec<TermId> = threads
        .iter()
        .map(|_| {
            let var = pool.declare("for ever", Sort::Bool);
            pool.var(var)
        })
        .collect();
    let mut rules = vec![pool.or_all(&for_ever)];
    for (id, waiter) in for_ever.iter().enumerate() {
        let mut ways = Vec::new();
        for wait in waits.iter().filter(|wait| wait.thread as usize == id) {
            let Some(owner) = wait.owner else { continue };
            let mut leads = Vec::new();
            for (other, thread) in threads.iter().enumerate() {
                let is_owner = is_handle(pool, owner, thread.handle);
                let stays = if wait.is_join { for_ever[other] } else { pool.or(for_ever[other], thread.finished) };
                leads.push(pool.and_all(&[is_owner, thread.guard, stays]));
            }
            let (stuck, leads) = (stuck(pool, wait), pool.or_all(&leads));
            ways.push(pool.and(stuck, leads));
        }
        let way = pool.or_all(&ways);
        rules.push(pool.implies(*waiter, way));
    }
    pool.and_all(&rules)
}

/// That a thread is at a wait and does not go on.
fn stuck(pool: &mut Pool, wait: &Waiting) -> TermId {
    let not_passed = pool.not(wait.passed);
    pool.and_all(&[wait.reached, not_passed, wait.blocked])
}

/// That a number, maybe of fewer bits, is a handle.
fn is_handle(pool: &mut Pool, number: TermId, handle: TermId) -> TermId {
    let Sort::Bv(width) = pool.sort(handle) else { unreachable!("handles are words") };
    let number = pool.resize(number, false, width);
    pool.eq(number, handle)
}
