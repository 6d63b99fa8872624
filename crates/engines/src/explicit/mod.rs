//! Can a bad state be reached? Every reachable state is visited, packed into bytes and remembered.
//!
//! The prepared program is compiled to code ([`compile`]); [`step`] runs an edge on a packed state ([`state`]); [`search`] goes through the states
//! depth first, remembering them in `state::visited`, and tells how it got there (`search::trace`); [`reduction`] decides which threads need to run in a state
//! and which states are the same but for symmetry; [`properties`] looks for what a single step does not show. The answer is exact: states are compared in full, and what cannot be enumerated is unknown.

mod compile;
mod properties;
mod reduction;
mod search;
mod state;
mod step;

#[cfg(test)]
pub(crate) mod agrees;
#[cfg(test)]
mod tests;

use crate::explore::under_buffers;
use crate::thread_modular::guard;
use crate::{About, Engine, Kind, Knob, Run};
use ir::pass::{Options, forget_owners, may_wait_in_circle, merge_blocks, merge_joins};
use ir::{Model, Proof, Properties, Property, Task, Verdict, Why};
use reduction::symmetry::Symmetry;
use reduction::{Reduction, Selector};
use search::{Bounds, Halt, Pick, Search};
use std::time::Duration;
use step::MAX_THREADS;

/// The explicit-state engine.
pub struct Explicit;

const POR: Knob = Knob {
    name: "por",
    kind: Kind::Choice(&["none", "source", "dpor"]),
    default: "source",
    help: "which interleavings are left out: none, those outside static source sets, or outside dynamic ones",
};
const ENUMERATE: Knob = Knob {
    name: "enumerate",
    kind: Kind::Number,
    default: "8",
    help: "try all values of inputs of up to N bits; larger ones only where the program compares them with constants",
};
const MAX_DEPTH: Knob =
    Knob { name: "max-depth", kind: Kind::Number, default: "50000000", help: "longest path that is followed" };

const SYMMETRY: Knob = Knob {
    name: "symmetry",
    kind: Kind::Flag,
    default: "on",
    help: "whether states that differ only in which of several like threads is which count as one",
};

/// Loops that start or join threads are unrolled if they go round at most so many times.
const UNROLLED_ROUNDS: u64 = 512;

impl Engine for Explicit {
    fn about(&self) -> &'static About {
        &About {
            name: "explicit",
            describe: "visits every reachable state, depth first, up to partial order reduction",
            knobs: &[POR, SYMMETRY, ENUMERATE, MAX_DEPTH],
        }
    }

    fn models(&self) -> &'static [Model] {
        &[Model::Sc, Model::Tso, Model::Pso]
    }

    fn properties(&self, task: &Task) -> Properties {
        under_buffers::properties(task, task.properties)
    }

    fn check(&self, task: &Task, run: &mut Run) -> Verdict {
        let known = self.properties(task);
        let asked = if known == task.properties { None } else { Some(under_buffers::only(task, known)) };
        match decide(asked.as_ref().unwrap_or(task), run) {
            Ok(verdict) => verdict,
            Err(why) => Verdict::Unknown(why),
        }
    }
}

fn decide(task: &Task, run: &mut Run) -> Result<Verdict, Why> {
    let enumerate = number(run, &ENUMERATE).min(24) as u32;
    let depth = number(run, &MAX_DEPTH);
    // In a large step a thread that an assumption stops inside seems to be stopped before it, which makes loops look fair.
    let blocks = !task.properties.has(Property::Termination);
    let options = Options { blocks: false, rounds: UNROLLED_ROUNDS, buffers: true, ..Options::default() };
    let mut prepared = run.prepare(task, &options)?;
    if blocks {
        // Whoever wants no reduction wants to see all steps that others could see.
        let guarded = if run.word(&POR) == "none" { prepared } else { guard(prepared, run) };
        prepared = merge_blocks(guarded, task.properties);
    }
    let has_circles = task.properties.has(Property::Deadlock) && may_wait_in_circle(&prepared);
    // Whoever waits for several at once does not wait for one of them, which matters where circles of waiting are possible.
    if blocks && !(has_circles && properties::waits::may_go_round(&prepared)) {
        prepared = merge_joins(prepared);
    }
    if !has_circles {
        prepared = forget_owners(prepared);
    }
    let mut code = compile::compile(prepared, task.properties, enumerate)?;
    code.has_owners &= has_circles;
    let reduction = match run.word(&POR) {
        // A reduction keeps no loops.
        _ if task.properties.has(Property::Termination) => Reduction::None,
        "none" => Reduction::None,
        "dpor" => Reduction::Dynamic,
        "source" => Reduction::Source,
        other => unreachable!("{other} is not declared"),
    };
    // Loops of states may return to where they began with threads exchanged, so who is fair could not be told.
    let is_symmetric = run.settings.flag(&SYMMETRY) && !task.properties.has(Property::Termination);
    run.looked_for = task.properties;
    let symmetry = is_symmetric.then(|| Symmetry::new(&code)).flatten();
    let selector = Selector::new(&code, reduction);
    attempt_all(task, &code, (selector, symmetry), (enumerate, depth), run)
}

/// Small searches and the full one, until one of them decides.
fn attempt_all<'c>(
    task: &Task,
    code: &'c compile::Code,
    (selector, symmetry): (Selector<'c>, Option<Symmetry>),
    (enumerate, depth): (u32, usize),
    run: &mut Run,
) -> Result<Verdict, Why> {
    let mut reason = None;
    // Whoever wants no reduction wants to see the full search.
    let attempts = if run.word(&POR) == "none" { &ATTEMPTS[ATTEMPTS.len() - 1..] } else { &ATTEMPTS[..] };
    let mut is_sampling = true;
    let mut next = attempts.iter().copied();
    loop {
        let attempt = next.next().or_else(|| {
            // What needs no such input is searched to its end, too.
            let has_sampled = std::mem::replace(&mut is_sampling, false) && reason.is_some();
            has_sampled.then(|| ATTEMPTS[ATTEMPTS.len() - 1])
        });
        let Some((order, states, threads)) = attempt else { break };
        let bounds = Bounds { depth, states, threads };
        let mut search = Search::new(code, selector.clone(), symmetry.clone(), enumerate, bounds, order);
        if !is_sampling {
            search.machine.stop_sampling();
        }
        let before = run.elapsed();
        let result = search.explore(run);
        note_statistics(&search, run, run.elapsed() - before);
        let is_bounded_by_threads = threads < MAX_THREADS;
        match result {
            Ok(Some(found)) => return Ok(Verdict::Unsafe(search::trace::trace(&mut search, &task.program, found))),
            Err(Halt::Stopped(why)) => return Err(why),
            Err(Halt::ManyStates) => reason = search.machine.sampled().cloned().or(reason),
            Ok(None) => match search.unknown.take() {
                Some(Why::Bound(_)) if is_bounded_by_threads => {}
                Some(why) => {
                    reason = Some(why);
                    break;
                }
                None => {
                    if task.properties.has(Property::Race)
                        && !properties::ordered_races::adjacency_is_enough(&code.program)
                    {
                        return properties::ordered_races::decide(task, &code.program, run);
                    }
                    return Ok(Verdict::Safe(Proof::Exhaustive { states: search.visited.len() as u64 }));
                }
            },
        }
    }
    match properties::other_layouts::search(task, run) {
        Some(trace) => Ok(Verdict::Unsafe(trace)),
        None => Err(reason.expect("the last attempt has no bounds of its own")),
    }
}

/// What is tried: in which order threads run, how many states are visited, how many threads there may be. Bugs are often near, but not
/// first in the order of the full search; so a few small searches come before it.
const ATTEMPTS: [(Pick, usize, usize); 6] = [
    (Pick::Oldest, 1 << 13, MAX_THREADS),
    (Pick::Newest, 1 << 14, MAX_THREADS),
    (Pick::Oldest, 1 << 16, 4),
    (Pick::Newest, 1 << 16, 8),
    (Pick::Mixed, 1 << 16, MAX_THREADS),
    (Pick::Oldest, usize::MAX, MAX_THREADS),
];

fn number(run: &Run, knob: &Knob) -> usize {
    usize::try_from(run.settings.number(knob)).unwrap_or(usize::MAX)
}

/// Notes what the last search did, which took so long.
fn note_statistics(search: &Search<'_>, run: &mut Run, time: Duration) {
    let states = search.visited.len() as f64;
    let seconds = time.as_secs_f64();
    let counts = search.counts;
    run.reached.count("states", search.visited.len() as u64);
    run.reached.count("steps deep", counts.max_depth as u64);
    let statistics = &mut run.statistics;
    statistics.set("states", states);
    statistics.set("transitions", counts.transitions as f64);
    statistics.set("matched states", counts.matched as f64);
    statistics.set("max depth", counts.max_depth as f64);
    statistics.set("bytes per state", search.visited.state_bytes() as f64 / states.max(1.0));
    statistics.set("states per second", states / seconds.max(1e-9));
    statistics.set("reduced states", counts.reduced as f64);
    statistics.set("states expanded again", counts.expanded_again as f64);
    statistics.set("states with threads exchanged", counts.exchanged as f64);
    statistics.set("memory of states", search.visited.bytes() as f64);
}
