//! Which searches are made, one after the other? Small ones for what is near, then the full one.
//!
//! Invariant: only a search that has visited all states, with all values of all inputs, says that nothing is wrong.

use super::compile::Code;
use super::properties;
use super::reduction::Selector;
use super::reduction::symmetry::Symmetry;
use super::search::parallel::Parallel;
use super::search::{self, Bounds, Counts, Halt, Pick, Search};
use super::step::MAX_THREADS;
use crate::Run;
use ir::{Proof, Property, Task, Trace, Verdict, Why};
use std::time::Duration;

/// How states are searched, how many are visited, how many threads there may be.
pub(super) type Attempt = (Way, usize, usize);

/// How a search goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// In depth, with threads in an order.
    Depth(Pick),
    /// In breadth: what takes few steps is found where paths have no end.
    Breadth,
}

/// What is tried. Bugs are often near, but not first in the order of the full search; so a few small searches come before it.
pub(super) const ATTEMPTS: [Attempt; 7] = [
    (Way::Depth(Pick::Oldest), 1 << 13, MAX_THREADS),
    (Way::Depth(Pick::Newest), 1 << 14, MAX_THREADS),
    (Way::Breadth, 1 << 13, MAX_THREADS),
    (Way::Depth(Pick::Oldest), 1 << 16, 4),
    (Way::Depth(Pick::Newest), 1 << 16, 8),
    (Way::Depth(Pick::Mixed), 1 << 16, MAX_THREADS),
    (Way::Depth(Pick::Oldest), usize::MAX, MAX_THREADS),
];

/// How many bytes of states a small search visits, at most: what a state costs grows with its size, and what is not near should not be paid for several times.
const SMALL_BYTES: usize = 8 << 20;

/// What a search needs to begin.
pub(super) struct Setting<'s, 'c> {
    pub(super) code: &'c Code,
    pub(super) selector: &'s Selector<'c>,
    pub(super) symmetry: Option<&'s Symmetry>,
    pub(super) enumerate: u32,
    /// The longest path that is followed.
    pub(super) depth: usize,
    /// Whether what is looked for, or left out, is seen on the stack of a search in depth.
    pub(super) needs_stack: bool,
    /// Threads of the machine for the full search.
    pub(super) n_workers: usize,
}

/// How a search ended.
enum Ended {
    /// With a way to something wrong.
    Found(Trace),
    /// Nothing is wrong as far as it could tell.
    Unknown(Why),
    /// There are more states than it may visit; and perhaps not all values of an input were tried.
    Cut(Option<Why>),
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

/// Searches in depth. If it is sampling, a few values are tried of inputs that have too many. Tells the bytes of a flat state, which are what a state costs.
fn in_depth(
    task: &Task,
    run: &mut Run,
    setting: &Setting<'_, '_>,
    (bounds, order): (Bounds, Pick),
    is_sampling: bool,
    state_bytes: &mut usize,
) -> Result<Ended, Why> {
    let Setting { code, selector, symmetry, enumerate, .. } = *setting;
    let mut search = Search::new(code, selector.clone(), symmetry.cloned(), enumerate, bounds, order);
    if !is_sampling {
        search.runner.machine.stop_sampling();
    }
    let before = run.elapsed();
    let result = search.explore(run);
    let visited = &search.visited;
    let bytes = visited.bytes() + search.runner.packer.records().n_bytes();
    let sizes = (visited.len(), visited.state_bytes(), bytes);
    note_statistics(sizes, search.counts, run, run.elapsed() - before);
    *state_bytes = (search.flat_bytes / sizes.0.max(1)).max(1);
    let found = match result {
        Ok(found) => found,
        Err(Halt::Stopped(why)) => return Err(why),
        Err(Halt::ManyStates) => return Ok(Ended::Cut(search.runner.machine.sampled().cloned())),
    };
    let trace = found.map(|found| search::trace::trace(&mut search, &task.program, found));
    Ok(Ended::with(trace, search.unknown.take(), sizes.0))
}

/// Searches in breadth, with so many workers. If it is sampling, a few values are tried of inputs that have too many.
fn in_breadth(
    task: &Task,
    run: &mut Run,
    setting: &Setting<'_, '_>,
    (bounds, n_workers): (Bounds, usize),
    is_sampling: bool,
) -> Result<Ended, Why> {
    let Setting { code, selector, symmetry, enumerate, .. } = *setting;
    let mut search = Parallel::new(code, selector, symmetry, enumerate, bounds, (n_workers, is_sampling));
    let before = run.elapsed();
    let result = search.explore(run);
    let shards = search.shards();
    let sizes = (shards.len(), shards.state_bytes(), shards.bytes() + search.records().n_bytes());
    note_statistics(sizes, search.counts, run, run.elapsed() - before);
    run.statistics.set("workers", n_workers as f64);
    match result {
        Ok(()) => {}
        Err(Halt::Stopped(why)) => return Err(why),
        Err(Halt::ManyStates) => return Ok(Ended::Cut(None)),
    }
    let (unknown, sampled) = (search.unknown.take(), search.sampled().cloned());
    let found = search.found();
    if found.is_none() && unknown.is_none() && sampled.is_some() {
        return Ok(Ended::Cut(sampled));
    }
    let trace = found.map(|(mut search, found)| search::trace::trace(&mut search, &task.program, found));
    Ok(Ended::with(trace, unknown, sizes.0))
}

/// Makes searches until one of them decides.
pub(super) fn attempt_all(
    task: &Task,
    setting: &Setting<'_, '_>,
    attempts: &[Attempt],
    run: &mut Run,
) -> Result<Verdict, Why> {
    let program = &setting.code.program;
    let mut reason = None;
    let mut is_sampling = true;
    // In the search before; there is none yet.
    let mut state_bytes = 1;
    let mut next = attempts.iter().copied();
    loop {
        let attempt = next.next().or_else(|| {
            // What needs no input with too many values is searched to its end, too.
            let has_sampled = std::mem::replace(&mut is_sampling, false) && reason.is_some();
            has_sampled.then(|| ATTEMPTS[ATTEMPTS.len() - 1])
        });
        let Some((way, states, threads)) = attempt else { break };
        if way == Way::Breadth && setting.needs_stack {
            continue;
        }
        let (states, bytes) = match states {
            usize::MAX => (usize::MAX, usize::MAX),
            // States may grow on the way.
            _ => (states.min(SMALL_BYTES / state_bytes), 2 * SMALL_BYTES),
        };
        let bounds = Bounds { depth: setting.depth, states, bytes, threads };
        let ended = match way {
            Way::Breadth => in_breadth(task, run, setting, (bounds, 1), is_sampling)?,
            Way::Depth(_) if setting.n_workers > 1 && states == usize::MAX => {
                in_breadth(task, run, setting, (bounds, setting.n_workers), false)?
            }
            Way::Depth(order) => in_depth(task, run, setting, (bounds, order), is_sampling, &mut state_bytes)?,
        };
        let is_bounded_by_threads = threads < MAX_THREADS;
        match ended {
            Ended::Found(trace) => return Ok(Verdict::Unsafe(trace)),
            Ended::Cut(why) => reason = why.or(reason),
            Ended::Unknown(Why::Bound(_)) if is_bounded_by_threads => {}
            Ended::Unknown(why) => {
                reason = Some(why);
                break;
            }
            Ended::All(_)
                if task.properties.has(Property::Race) && !properties::ordered_races::adjacency_is_enough(program) =>
            {
                return properties::ordered_races::decide(task, program, run);
            }
            Ended::All(states) => return Ok(Verdict::Safe(Proof::Exhaustive { states: states as u64 })),
        }
    }
    match properties::other_layouts::search(task, run) {
        Some(trace) => Ok(Verdict::Unsafe(trace)),
        None => Err(reason.expect("the last attempt has no bounds of its own")),
    }
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
