//! Can a bad state be reached? Every reachable state is visited, packed into bytes and remembered.
//!
//! The prepared program is compiled to code ([`compile`]); [`step`] runs an edge on a packed state ([`state`]); [`search`] goes through the states
//! depth first, remembering them in `state::visited`, or with several workers breadth first (`search::parallel`), and tells how it got there (`search::trace`); [`reduction`] decides which threads need to run in a state
//! and which states are the same but for symmetry; [`properties`] looks for what a single step does not show. The answer is exact: states are compared in full, and what cannot be enumerated is unknown.

mod attempts;
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
use attempts::{ATTEMPTS, Attempt, Setting, attempt_all};
use ir::pass::{Options, forget_owners, may_wait_in_circle, merge_blocks, merge_joins};
use ir::{Model, Properties, Property, Task, Verdict, Why};
use reduction::symmetry::Symmetry;
use reduction::{Reduction, Selector};

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
        under_buffers::properties(task, task.properties).without(Property::Liveness)
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
        prepared = merge_blocks(guarded, task.properties, true);
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
    // What these need is on the stack of a search in depth.
    let needs_stack = reduction == Reduction::Dynamic || task.properties.has(Property::Termination);
    let n_workers = if needs_stack { 1 } else { run.settings.threads(&THREADS) };
    let symmetry = symmetry.as_ref();
    let setting = Setting { code: &code, selector: &selector, symmetry, enumerate, depth, needs_stack, n_workers };
    attempt_all(task, &setting, attempts, run)
}

fn number(run: &Run, knob: &Knob) -> usize {
    usize::try_from(run.settings.number(knob)).unwrap_or(usize::MAX)
}
