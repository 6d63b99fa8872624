//! Can a bad state be reached? Every reachable state is visited, packed into bytes and remembered.
//!
//! The prepared program is compiled to code ([`compile`]); [`step`] runs an edge on a packed state ([`state`]); [`search`] goes through the states
//! depth first, remembering them in `state::visited`, or with several workers breadth first (`search::parallel`), and tells how it got there (`search::trace`); [`reduction`] decides which threads need to run in a state
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
use compile::Code;
use ir::pass::{Options, forget_owners, may_wait_in_circle, merge_blocks, merge_joins};
use ir::{Model, Proof, Properties, Property, Task, Trace, Verdict, Why};
use reduction::symmetry::Symmetry;
use reduction::{Reduction, Selector};
use search::parallel::Parallel;
use search::{Bounds, Counts, Halt, Pick, Search};
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

const THREADS: Knob = Knob {
    name: "threads",
    kind: Kind::Number,
    default: "1",
    help: "how many threads of the machine explore; 0 for as many as there are. With 1 in depth, with more in breadth: the same verdicts",
};

/// Loops that start or join threads are unrolled if they go round at most so many times.
const UNROLLED_ROUNDS: u64 = 512;

impl Engine for Explicit {
    fn about(&self) -> &'static About {
        &About {
            name: "explicit",
            describe: "visits every reachable state, depth first, up to partial order reduction",
            knobs: &[POR, SYMMETRY, ENUMERATE, MAX_DEPTH, THREADS],
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
        // Whoever wants no reduction wants to see the full search.
        let attempts = if run.word(&POR) == "none" { &ATTEMPTS[ATTEMPTS.len() - 1..] } else { &ATTEMPTS[..] };
        match decide(asked.as_ref().unwrap_or(task), run, attempts) {
            Ok(verdict) => verdict,
            Err(why) => Verdict::Unknown(why),
        }
    }
}

fn decide(task: &Task, run: &mut Run, attempts: &[Attempt]) -> Result<Verdict, Why> {
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
    let mut reason = None;
    let selector = Selector::new(&code, reduction);
    let symmetry = is_symmetric.then(|| Symmetry::new(&code)).flatten();
    let n_workers = match number(run, &THREADS) {
        // What these need is on the stack of a search in depth.
        _ if reduction == Reduction::Dynamic || task.properties.has(Property::Termination) => 1,
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    };
    for (order, states, threads) in attempts.iter().copied() {
        let bounds = Bounds { depth, states, threads };
        let setting = Setting { code: &code, selector: &selector, symmetry: symmetry.as_ref(), enumerate, bounds };
        let result = if n_workers > 1 && states == usize::MAX {
            in_breadth(task, run, &setting, n_workers)
        } else {
            in_depth(task, run, &setting, order)
        };
        let is_bounded_by_threads = threads < MAX_THREADS;
        match result {
            Ok(Ended::Found(trace)) => return Ok(Verdict::Unsafe(trace)),
            Err(Halt::Stopped(why)) => return Err(why),
            Err(Halt::ManyStates) => {}
            Ok(Ended::Unknown(Why::Bound(_))) if is_bounded_by_threads => {}
            Ok(Ended::Unknown(why)) => {
                reason = Some(why);
                break;
            }
            Ok(Ended::All(states)) => {
                if task.properties.has(Property::Race) && !properties::ordered_races::adjacency_is_enough(&code.program)
                {
                    return properties::ordered_races::decide(task, &code.program, run);
                }
                return Ok(Verdict::Safe(Proof::Exhaustive { states: states as u64 }));
            }
        }
    }
    match properties::other_layouts::search(task, run) {
        Some(trace) => Ok(Verdict::Unsafe(trace)),
        None => Err(reason.expect("the last attempt has no bounds of its own")),
    }
}

/// What a search needs to begin.
struct Setting<'s, 'c> {
    code: &'c Code,
    selector: &'s Selector<'c>,
    symmetry: Option<&'s Symmetry>,
    enumerate: u32,
    bounds: Bounds,
}

/// How a search ended.
enum Ended {
    /// With a way to something wrong.
    Found(Trace),
    /// Nothing is wrong as far as it could tell.
    Unknown(Why),
    /// It has visited all states, so many.
    All(usize),
}

impl Ended {
    fn with(trace: Option<Trace>, unknown: Option<Why>, n_states: usize) -> Ended {
        match (trace, unknown) {
            (Some(trace), _) => Ended::Found(trace),
            (None, Some(why)) => Ended::Unknown(why),
            (None, None) => Ended::All(n_states),
        }
    }
}

/// Searches in depth.
fn in_depth(task: &Task, run: &mut Run, setting: &Setting<'_, '_>, order: Pick) -> Result<Ended, Halt> {
    let Setting { code, selector, symmetry, enumerate, bounds } = *setting;
    let mut search = Search::new(code, selector.clone(), symmetry.cloned(), enumerate, bounds, order);
    let before = run.elapsed();
    let result = search.explore(run);
    let visited = &search.visited;
    let sizes = (visited.len(), visited.state_bytes(), visited.bytes());
    note_statistics(sizes, search.counts, run, run.elapsed() - before);
    let trace = result?.map(|found| search::trace::trace(&mut search, &task.program, found));
    Ok(Ended::with(trace, search.unknown.take(), sizes.0))
}

/// Searches in breadth, with several workers.
fn in_breadth(task: &Task, run: &mut Run, setting: &Setting<'_, '_>, n_workers: usize) -> Result<Ended, Halt> {
    let Setting { code, selector, symmetry, enumerate, bounds } = *setting;
    let mut search = Parallel::new(code, selector, symmetry, enumerate, bounds, n_workers);
    let before = run.elapsed();
    let result = search.explore(run);
    let shards = search.shards();
    let sizes = (shards.len(), shards.state_bytes(), shards.bytes());
    note_statistics(sizes, search.counts, run, run.elapsed() - before);
    run.statistics.set("workers", n_workers as f64);
    result?;
    let unknown = search.unknown.take();
    let found = search.found();
    let trace = found.map(|(mut search, found)| search::trace::trace(&mut search, &task.program, found));
    Ok(Ended::with(trace, unknown, sizes.0))
}

/// In which order threads run, how many states are visited, how many threads there may be.
type Attempt = (Pick, usize, usize);

/// What is tried. Bugs are often near, but not first in the order of the full search; so a few small searches come before it.
const ATTEMPTS: [Attempt; 6] = [
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

/// Notes what the last search did, which took so long: how many states there are, their bytes, and the bytes of their store.
fn note_statistics((states, state_bytes, bytes): (usize, usize, usize), counts: Counts, run: &mut Run, time: Duration) {
    let seconds = time.as_secs_f64();
    run.reached.count("states", states as u64);
    run.reached.count("steps deep", counts.max_depth as u64);
    let statistics = &mut run.statistics;
    let states = states as f64;
    statistics.set("states", states);
    statistics.set("transitions", counts.transitions as f64);
    statistics.set("matched states", counts.matched as f64);
    statistics.set("max depth", counts.max_depth as f64);
    statistics.set("bytes per state", state_bytes as f64 / states.max(1.0));
    statistics.set("states per second", states / seconds.max(1e-9));
    statistics.set("reduced states", counts.reduced as f64);
    statistics.set("states expanded again", counts.expanded_again as f64);
    statistics.set("states with threads exchanged", counts.exchanged as f64);
    statistics.set("memory of states", bytes as f64);
}
