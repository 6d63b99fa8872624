//! What can happen at all? Every schedule of a small program on given inputs, without any reduction.
//!
//! The judge of the symbolic engine on random programs. States are compared whole, so a loop that comes back to an equal state ends.

use super::interp::{Ended, Inputs, Machine, Stepped, Violation, ViolationKind};
use super::program::Program;
use crate::source::Span;
use rustc_hash::FxHashSet;

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Enumerated {
    /// Each violation once.
    pub violations: Vec<Violation>,
    /// How many different states were visited.
    pub n_states: usize,
    /// Whether that is all there is.
    pub is_complete: bool,
    /// Whether an integer left the 64 bits somewhere.
    pub is_out_of_range: bool,
}

/// Visits all states that one of the inputs leads to, at most `max_states` of them.
pub fn enumerate(program: &Program, inputs: &[Inputs], max_states: usize) -> Enumerated {
    let mut found = Enumerated { is_complete: true, ..Enumerated::default() };
    for input in inputs {
        let mut visited = FxHashSet::default();
        let mut open = match Machine::start(program, input) {
            Ok(machine) => vec![machine],
            Err(Ended::OutOfRange(_)) => {
                found.is_out_of_range = true;
                continue;
            }
            Err(_) => continue,
        };
        while let Some(machine) = open.pop() {
            if !visited.insert(machine.key()) {
                continue;
            }
            found.n_states += 1;
            if found.n_states > max_states {
                found.is_complete = false;
                return found;
            }
            if machine.is_deadlocked() {
                add(&mut found, Violation { kind: ViolationKind::Deadlock, span: Span::NOWHERE });
            }
            for thread in 0..machine.n_threads() {
                let mut next = machine.clone();
                match next.step(thread) {
                    Stepped::Done => open.push(next),
                    Stepped::Ended(Ended::Violation(violation)) => add(&mut found, violation),
                    Stepped::Ended(Ended::OutOfRange(_)) => found.is_out_of_range = true,
                    Stepped::Ended(Ended::Exception | Ended::Assumed) | Stepped::Blocked => {}
                }
            }
        }
    }
    found.violations.sort_by_key(|violation| (violation.kind, violation.span));
    found
}

fn add(found: &mut Enumerated, violation: Violation) {
    if !found.violations.contains(&violation) {
        found.violations.push(violation);
    }
}
