//! What is asked of the solver? One formula each for violations, deadlocks, executions that leave the model and loops that were cut.

use super::data_races::Pair;
use super::deadlocks::{all_wait, some_wait_for_ever};
use crate::bmc::unrolled::{Bad, BadKind, Unrolled};
use ir::{Property, Task};
use logic::TermId;

/// What is asked, as formulas.
pub(crate) struct Goals {
    pub(crate) violation: TermId,
    pub(crate) deadlock: TermId,
    pub(crate) beyond: TermId,
    pub(crate) cut: TermId,
}

impl Goals {
    /// The goals of an unrolled program; adds the constraint that one section at most stops before its end.
    pub(crate) fn new(task: &Task, unrolled: &mut Unrolled, races: &[Pair]) -> Goals {
        let Unrolled { pool, bads, threads, waits, accesses, constraints, .. } = unrolled;
        let of = |kind: fn(&BadKind) -> bool| -> Vec<TermId> {
            bads.iter().filter(|bad| kind(&bad.what)).map(|bad| bad.guard).collect()
        };
        let mut violations = of(|kind| matches!(kind, BadKind::Violation(_)));
        let beyond = of(|kind| matches!(kind, BadKind::Beyond(_) | BadKind::Misplaced));
        let cut = of(|kind| matches!(kind, BadKind::Cut(_)));
        violations.extend(races.iter().map(|pair| pair.cond));
        // One section at most stops before its end; if it does so beyond the model or the bound, nothing after it counts.
        let stops = bads.iter().filter_map(|bad| bad.stop).chain(accesses.iter().filter_map(|access| access.racing));
        let mut someone = pool.bool(false);
        for stop in stops {
            let first = pool.not(someone);
            constraints.push(pool.implies(stop, first));
            someone = pool.or(someone, stop);
        }
        let is_strange = |bad: &&Bad| !matches!(bad.what, BadKind::Violation(_));
        let strange: Vec<TermId> = bads.iter().filter(is_strange).filter_map(|bad| bad.stop).collect();
        let strange = pool.or_all(&strange);
        let is_plain = pool.not(strange);
        let mut deadlock = pool.bool(false);
        if task.properties.has(Property::Deadlock) {
            let all = all_wait(pool, threads, waits);
            let some = some_wait_for_ever(pool, threads, waits);
            deadlock = pool.or(all, some);
            violations.push(deadlock);
        }
        let violation = pool.or_all(&violations);
        let violation = pool.and(violation, is_plain);
        Goals { violation, deadlock, beyond: pool.or_all(&beyond), cut: pool.or_all(&cut) }
    }
}
