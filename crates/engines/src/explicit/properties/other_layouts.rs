//! Does a program that looks at addresses go wrong in some layout of memory?
//!
//! Where an answer would depend on where objects lie there is no proof (`ir::addresses`). Violations there are: the program is searched with
//! its objects in other places, such as those of objects that are gone (the ABA problem). Plain enumeration on the reference
//! interpreter, since everybody else relies on every object having addresses of its own; for the few programs that look.

use crate::run::Run;
use ir::interp::{Domain, Limits, enumerate_until};
use ir::pass::{Options, prepare, spell_trace};
use ir::{Model, Property, Task, Trace};

/// States of a search, at most.
const MAX_STATES: usize = 100_000;
/// Inputs of up to so many bits take all their values.
const INPUT_BITS: u32 = 4;

/// An execution that goes wrong with objects in other places. About races nothing is said: what a pointer to an object that is gone
/// does is an error of its own.
pub(crate) fn search(task: &Task, run: &mut Run) -> Option<Trace> {
    if task.program.model != Model::Sc {
        return None;
    }
    let properties = task.properties.without(Property::Race).without(Property::Termination);
    let options = Options { rounds: crate::explicit::UNROLLED_ROUNDS, promotes: false, ..Options::default() };
    let domain = Domain::Bits(INPUT_BITS);
    let limits = Limits { max_states: MAX_STATES, domain, first_only: true, by_happens_before: false, watched: None };
    for other in &task.program.elsewhere {
        let Ok(prepared) = prepare(other, properties, &options) else { continue };
        let explored = enumerate_until(&prepared, properties, &limits, &mut || run.stop_soon());
        run.statistics.add("states with objects in other places", explored.n_states as f64);
        if let Some(trace) = explored.violations.into_values().next() {
            return Some(Trace { placement: other.placement, ..spell_trace(other, &prepared, &trace) });
        }
    }
    None
}
