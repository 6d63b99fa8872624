//! Do two accesses race that are never next to each other? Where atomic accesses order less than interleavings show.
//!
//! First the interleavings are searched once more, with what each thread knows of the others' accesses in the states (`ir::interp::HappensBefore`), as far as these are to places that threads can
//! race for at all (`ir::interp::Watched`). Then, where
//! C11 has executions that no interleaving is (`robustness`), those with buffered stores are searched too: `tso` and `pso` allow nothing that C11 forbids
//! as long as there is no race. That finds races; it is no proof that there are none, since C11 allows more.
//!
//! Plain enumeration on the reference interpreter: this is for the few programs whose races depend on memory orders.

use crate::explore::{robustness, weak_order};
use crate::run::Run;
use ir::interp::{Domain, Exploration, Limits, enumerate_until, raced_for};
use ir::pass::{Options, prepare, spell_trace};
use ir::{Model, Program, Proof, Properties, Property, Task, Trace, Verdict, Why};

/// States of a search, at most.
const MAX_STATES: usize = 150_000;
/// States of a search that cannot prove anything, at most.
const MAX_STATES_WEAK: usize = 30_000;
/// Inputs of up to so many bits take all their values.
const INPUT_BITS: u32 = 4;

/// Whether the absence of adjacent conflicts proves that there is no race.
pub(crate) fn adjacency_is_enough(prepared: &Program) -> bool {
    weak_order::beyond_adjacency(prepared).is_none()
}

/// Decides a task in which there is no race of adjacent accesses, nor anything else wrong.
pub(crate) fn decide(task: &Task, prepared: &Program, run: &mut Run) -> Result<Verdict, Why> {
    let mut states = 0;
    let mut unknown = None;
    if weak_order::weak_synchronisation(prepared).is_some() {
        let found = search(task, Model::Sc, true, run)?;
        states = found.n_states;
        if let Some(trace) = found.trace {
            return Ok(Verdict::Unsafe(trace));
        }
        unknown = found.incomplete;
    }
    if let Some(span) = robustness::weak_executions(prepared) {
        for model in [Model::Tso, Model::Pso] {
            if let Some(trace) = search(task, model, false, run)?.trace {
                return Ok(Verdict::Unsafe(trace));
            }
        }
        return Err(unknown.unwrap_or_else(|| weak_order::beyond(span)));
    }
    match unknown {
        Some(why) => Err(why),
        None => Ok(Verdict::Safe(Proof::Exhaustive { states: states as u64 })),
    }
}

struct Found {
    trace: Option<Trace>,
    n_states: usize,
    incomplete: Option<Why>,
}

/// Searches all executions under a model, as far as its limits go.
fn search(task: &Task, model: Model, is_proof: bool, run: &mut Run) -> Result<Found, Why> {
    let races = Properties::of(&[Property::Race]);
    let lowered = Program { model, ..task.program.clone() };
    // In a large step stores are not late.
    let options = Options { blocks: is_proof, rounds: crate::explicit::UNROLLED_ROUNDS, ..Options::default() };
    let prepared = prepare(&lowered, races, &options)?;
    let max_states = if is_proof { MAX_STATES } else { MAX_STATES_WEAK };
    let domain = Domain::Bits(INPUT_BITS);
    let mut limits = Limits { max_states, domain, first_only: true, by_happens_before: true, watched: None };
    let mut stopped = None;
    if is_proof {
        limits.watched = raced_for(&prepared, &limits, &mut || {
            stopped = run.stop_soon();
            stopped.clone()
        });
    }
    let explored = enumerate_until(&prepared, races, &limits, &mut || {
        stopped = run.stop_soon();
        stopped.clone()
    });
    let Exploration { violations, n_states, incomplete, .. } = explored;
    run.statistics.add("states with happens-before", n_states as f64);
    let trace = violations.into_values().next().map(|trace| {
        let mut spelled = spell_trace(&lowered, &prepared, &trace);
        spelled.model = (model != task.program.model).then_some(model);
        spelled
    });
    match stopped {
        Some(why) if trace.is_none() => Err(why),
        _ => Ok(Found { trace, n_states, incomplete }),
    }
}
