//! Do two threads race? In a state in which both are about to touch the same bytes.
//!
//! Known as: data race detection by adjacent conflicting accesses.
//!
//! With sequentially consistent interleaving, if any execution has two conflicting accesses that nothing orders, then some
//! execution has two that are next to each other. So it is enough to look, in every state, at what each thread would touch
//! next: the same bytes, one of them writing, not both atomic. What happens inside an atomic section counts as
//! atomic, and a thread that must wait for another's section to end is looked at as if it need not.
//!
//! Not here: relaxed accesses, which order nothing although they are seen in order; see `mod` for what is answered then.

use crate::explicit::search::Racer;
use crate::explicit::state::View;
use crate::explicit::step::{CONSTANTS, Choices, Machine, StepResult, Touched, vary};

/// Two accesses next to each other that race.
pub(crate) fn adjacent(machine: &mut Machine<'_>, state: &[u8], view: &View) -> Option<Box<[Racer; 2]>> {
    let mut pending: Vec<(Racer, Touched)> = Vec::new();
    for (thread, pc) in view.pcs.iter().enumerate() {
        let before = pending.len();
        let (first, end) = machine.code.locs[*pc as usize].edges;
        for edge in first..end {
            let mut choices = Choices::new();
            loop {
                let outcome = machine.look(state, view, thread, edge as usize, &mut choices);
                if !matches!(outcome, StepResult::NotTaken | StepResult::Waits(_)) {
                    for touched in machine.touched() {
                        if touched.unit != CONSTANTS && !touched.is_scope_end && !touched.is_guarded {
                            let (choices, is_inside) = (choices.clone(), touched.is_inside);
                            let racer = Racer { thread, edge, choices, site: touched.site, is_inside };
                            pending.push((racer, *touched));
                        }
                    }
                }
                if !vary(&mut choices) {
                    break;
                }
            }
        }
        let (others, own) = pending.split_at(before);
        for (racer, touched) in own {
            if let Some((other, _)) = others.iter().find(|(_, other)| conflicts(other, touched)) {
                return Some(Box::new([other.clone(), racer.clone()]));
            }
        }
    }
    None
}

fn conflicts(a: &Touched, b: &Touched) -> bool {
    let overlap = a.unit == b.unit && a.at < b.at + b.bytes && b.at < a.at + a.bytes;
    overlap && (a.writes || b.writes) && !(a.is_atomic && b.is_atomic)
}
