//! Is the program safe, although nothing is known of its data at first? Unwind it, and learn from each path that cannot go wrong.
//!
//! Known as: Impact, lazy abstraction with interpolants \[McMillan06], for threads and with partial order reduction \[Wachter13].
//!
//! [`unwinding`] makes a tree of program paths ([`tree`]) whose nodes know nothing at first. Where a path may go wrong, [`path`] decides whether it can, and if not, what its nodes should know.
//! [`covering`] stops the unwinding where a node allows nothing that another one does not allow. [`independence`] says which interleavings are left out. When nothing is left
//! to unwind, the labels are an invariant, and the tree is the proof ([`proof`]).

mod commuting;
mod covering;
mod independence;
mod invariants;
mod path;
mod proof;
mod races;
mod steps;
mod tree;
mod unwinding;

#[cfg(test)]
mod tests;

use crate::abstraction::cells::Cells;
use crate::abstraction::entailment::Entailment;
use crate::abstraction::refine::{Attempt, Feasibility, Refiner};
use crate::abstraction::symbolic::BadKind;
use crate::abstraction::waiting::circles;
use crate::explore::actions::Actions;
use crate::prepared::{cannot_be_run_again, has_whole_arrays};
use crate::{About, Engine, Kind, Knob, Run};
use independence::Touches;
use ir::pass::{Liveness, Options, forget_owners, loop_heads, spell_race, spell_trace};
use ir::{Model, Program, Proof, Properties, Property, Span, Step, Task, Trace, Turns, Verdict, Why};
use logic::Value;
use path::Interpolation;
use std::sync::Arc;
use std::time::{Duration, Instant};
use unwinding::{Counts, Halt, Order, Reduction, Unwinding, World};

/// Time for learning from paths before anything is guessed, and time for a first guess; what either needs is mostly little.
const SHORT_TURNS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];
/// Time for learning on before more is guessed.
const LEARNING: Duration = Duration::from_secs(5);
/// Time for guessing, at most.
const MAX_GUESSING: Duration = Duration::from_secs(300);

/// The engine that unwinds.
pub struct Impact;

const POR: Knob = Knob {
    name: "por",
    kind: Kind::Choice(&["none", "shared", "monotonic", "sleep"]),
    default: "sleep",
    help: "which interleavings are left out: none, those around steps that nobody sees, those in which independent steps next to each \
           other are not in the order of threads, or all that are not the first of equivalent ones",
};
const FORCE_COVER: Knob = Knob {
    name: "force-cover",
    kind: Kind::Flag,
    default: "on",
    help: "whether nodes are made to be covered by what holds since their nearest common ancestor",
};
const ORDER: Knob = Knob {
    name: "order",
    kind: Kind::Choice(&["sequential", "lockstep"]),
    default: "sequential",
    help: "which interleaving stands for equivalent ones: threads one after the other, or loops round by round",
};
const DEPENDENCE: Knob = Knob {
    name: "dependence",
    kind: Kind::Choice(&["accesses", "outcomes"]),
    default: "accesses",
    help: "which steps of two threads depend on each other: those that access the same, or those of these whose outcome depends on who goes first, as far as is known there",
};
const BRANCHES: Knob = Knob {
    name: "branches",
    kind: Kind::Choice(&["apart", "together"]),
    default: "together",
    help: "whether branches of one step that lead to the same place are nodes of their own, or one node with their values by cases",
};
const INTERPOLANTS: Knob = Knob {
    name: "interpolants",
    kind: Kind::Choice(&["wp", "solver"]),
    default: "wp",
    help: "where labels come from: weakest preconditions of what the contradiction needs, or sequence interpolants of the solver",
};
const INVARIANTS: Knob = Knob {
    name: "invariants",
    kind: Kind::Choice(&["learnt", "guessed", "both"]),
    default: "both",
    help: "where invariants come from: learnt from paths, guessed for all places first, or learnt for a while and then guessed",
};

impl Engine for Impact {
    fn about(&self) -> &'static About {
        &About {
            name: "impact",
            describe: "unwinds the program and learns from each path why it cannot go wrong, until nothing is left to unwind",
            knobs: &[POR, FORCE_COVER, ORDER, DEPENDENCE, BRANCHES, INTERPOLANTS, INVARIANTS],
        }
    }

    fn models(&self) -> &'static [Model] {
        &[Model::Sc, Model::Tso, Model::Pso]
    }

    fn properties(&self, task: &Task) -> Properties {
        task.properties.iter().filter(|property| is_supported(task, *property)).fold(Properties::NONE, Properties::with)
    }

    fn check(&self, task: &Task, run: &mut Run) -> Verdict {
        decide(task, run, true).unwrap_or_else(Verdict::Unknown)
    }
}

fn decide(task: &Task, run: &mut Run, expands_covers: bool) -> Result<Verdict, Why> {
    if let Some(property) = task.properties.iter().find(|property| !is_supported(task, *property)) {
        let what = format!("{} is not something that labels show", property.describe());
        return Err(Why::Unsupported { span: Span::NOWHERE, what });
    }
    run.looked_for = task.properties;
    let bundles = takes_branches_together(run);
    let options = Options { arrays: true, fills: true, buffers: true, multiplies: !bundles, ..Options::default() };
    let program = run.prepare(task, &options)?;
    if let Some(verdict) = judge(task, &program, run, expands_covers)? {
        return Ok(verdict);
    }
    // An execution needs all that fills its arrays.
    let whole = run.prepare(task, &Options { fills: false, ..options })?;
    let verdict = if whole.procs == program.procs { None } else { judge(task, &whole, run, expands_covers)? };
    // What nobody has written in an array of unknown size has no value that the execution could be given.
    verdict.ok_or_else(cannot_be_run_again)
}

/// What is true of a prepared program; none if something goes wrong in an execution that cannot be run again.
fn judge(task: &Task, program: &Program, run: &mut Run, expands_covers: bool) -> Result<Option<Verdict>, Why> {
    // States show when all threads wait, not when some wait for each other.
    let circles = task.properties.has(Property::Deadlock).then(|| circles(program)).flatten();
    let beyond = task.properties.has(Property::Race).then(|| races::beyond(program)).flatten();
    let program = forget_owners(program.clone());
    let mut world = world(&program, task.properties, run, expands_covers);
    let mut unwinding = Unwinding::new(&mut world);
    let result = match run.word(&INVARIANTS) {
        "learnt" => unwinding.complete(run, None),
        "guessed" => guess_and_learn(&mut unwinding, run),
        "both" => in_turns(&mut unwinding, run),
        other => unreachable!("{other} is not declared"),
    };
    let result = result.map(|is_complete| assert!(is_complete, "it ends before its time or with a reason"));
    let certificate = result.is_ok().then(|| unwinding.certificate());
    let n_nodes = unwinding.tree.nodes.len();
    note_statistics(&world, n_nodes, run);
    match (result, certificate) {
        (Ok(()), Some(certificate)) => match world.unknown.or(circles).or(beyond) {
            Some(why) => Err(why),
            None => Ok(Some(Verdict::Safe(Proof::Abstraction(Arc::new(certificate))))),
        },
        (Err(Halt::Error(attempt)), _) => {
            let trace = trace(&mut world, &attempt, run)?;
            let trace = spell_trace(&task.program, &program, &trace);
            let is_lost = has_whole_arrays(&program) && ir::replay(task, &trace).is_err();
            Ok((!is_lost).then_some(Verdict::Unsafe(trace)))
        }
        (Err(Halt::Race(path, pair)), _) => {
            let mut steps = races::steps(&mut world, &path, &pair)?;
            let [one, other] = &*pair;
            let (Some(last), Some(first)) = (steps.pop(), steps.pop()) else { unreachable!("two steps were added") };
            let next = [(first, one.stmt), (last, other.stmt)];
            Ok(Some(Verdict::Unsafe(spell_race(&task.program, &program, &steps, &next))))
        }
        (Err(Halt::Stopped(why)), _) => Err(world.unknown.unwrap_or(why)),
        (Err(Halt::Solver(why)), _) => Err(world.unknown.unwrap_or_else(|| run.why_stopped(why))),
        (Ok(()), None) => unreachable!("what is complete has a certificate"),
    }
}

fn world<'p>(program: &'p Program, properties: Properties, run: &Run, expands_covers: bool) -> World<'p> {
    let reduction = match run.word(&POR) {
        "none" => Reduction::None,
        "shared" => Reduction::Shared,
        "monotonic" => Reduction::Monotonic,
        "sleep" => Reduction::Sleep,
        other => unreachable!("{other} is not declared"),
    };
    let is_lockstep = run.word(&ORDER) == "lockstep" && matches!(reduction, Reduction::Monotonic | Reduction::Sleep);
    World {
        cells: Cells::new(program),
        entailment: Entailment::new(run.solver_limits()),
        actions: Actions::new(program, properties),
        touches: Touches::new(program),
        properties,
        reduction,
        order: if is_lockstep { Order::Lockstep } else { Order::Sequential },
        turns: if is_lockstep { Turns::EACH } else { Turns::NEVER },
        local_first: false,
        compares_outcomes: run.word(&DEPENDENCE) == "outcomes",
        liveness: program.procs.iter().map(|proc| Liveness::new(program, proc, true)).collect(),
        bundles: takes_branches_together(run),
        force_cover: run.settings.flag(&FORCE_COVER),
        expands_covers,
        interpolation: match run.word(&INTERPOLANTS) {
            "wp" => Interpolation::WeakestPreconditions,
            "solver" => Interpolation::Solver,
            other => unreachable!("{other} is not declared"),
        },
        steps: Default::default(),
        reasons: path::reasons::Reasons::new(run.solver_limits()),
        is_total: Default::default(),
        passed_over: Default::default(),
        unknown: None,
        counts: Counts::default(),
    }
}

/// Whether branches that lead to the same place are one step. Where loops advance together relations are read off paths, and values by cases would hide them.
fn takes_branches_together(run: &Run) -> bool {
    run.word(&BRANCHES) == "together" && run.word(&ORDER) == "sequential"
}

/// Learns for a moment, guesses for a moment, learns longer; then guesses for a part of the time that is left, and learns on. Without loops the tree is
/// finite, and nothing is guessed.
fn in_turns(unwinding: &mut Unwinding<'_, '_>, run: &mut Run) -> Result<bool, Halt> {
    let program = unwinding.world.cells.program;
    if program.procs.iter().all(|proc| loop_heads(proc, &proc.out_edges()).is_clear()) {
        return unwinding.complete(run, None);
    }
    let part = |run: &Run, time: Duration| run.budget().time_left().map_or(time, |left| time.min(left / 4));
    let [learning, guessing] = SHORT_TURNS;
    let until = Instant::now() + part(run, learning);
    if unwinding.complete(run, Some(until))? {
        return Ok(true);
    }
    let time = part(run, guessing);
    if unwinding.guess(run, time)? {
        return Ok(true);
    }
    let until = Instant::now() + part(run, LEARNING);
    Ok(unwinding.complete(run, Some(until))? || guess_and_learn(unwinding, run)?)
}

/// Guesses for a part of the time that is left, then learns on.
fn guess_and_learn(unwinding: &mut Unwinding<'_, '_>, run: &mut Run) -> Result<bool, Halt> {
    let time = run.budget().time_left().map_or(MAX_GUESSING, |left| MAX_GUESSING.min(left / 2));
    Ok(unwinding.guess(run, time)? || unwinding.complete(run, None)?)
}

/// The execution that a path stands for.
fn trace(world: &mut World<'_>, attempt: &Attempt, run: &Run) -> Result<Trace, Why> {
    let refiner = Refiner { technique: None, in_own_words: false };
    let violation = match attempt.kind {
        BadKind::Violation(violation) => violation,
        BadKind::Deadlock => Property::Deadlock,
        BadKind::Beyond(_) | BadKind::Unresolved(..) | BadKind::ManyThreads => unreachable!("it is no violation"),
    };
    match refiner.decide(&mut world.cells, &mut world.entailment, world.properties, attempt) {
        Feasibility::Feasible(inputs) => {
            let is_single = |(_, value): &(_, Value)| !matches!(value, Value::Array(_));
            let inputs = inputs.into_iter().map(|inputs| inputs.into_iter().filter(is_single).collect());
            let steps = attempt.steps.iter().zip(inputs);
            let steps = steps.map(|((thread, edge), inputs)| Step { thread: *thread, edge: *edge, inputs }).collect();
            Ok(Trace::new(violation, steps))
        }
        Feasibility::Spurious(_) => Err(Why::Bound("a path on which it is not known who waits".to_string())),
        Feasibility::Unknown(what) => Err(Why::Bound(what)),
        Feasibility::Stopped(why) => Err(run.why_stopped(why)),
    }
}

/// Whether a violation shows in a single step, or in a single state.
fn is_supported(task: &Task, property: Property) -> bool {
    match property {
        Property::ErrorCall
        | Property::Assertion
        | Property::Overflow
        | Property::Division
        | Property::Deref
        | Property::Free
        | Property::Misuse
        | Property::Deadlock => true,
        // Two accesses race, not the moments when stores reach memory.
        Property::Race => !task.program.model.has_buffers(),
        Property::MemTrack | Property::MemCleanup | Property::Termination | Property::Liveness => false,
    }
}

fn note_statistics(world: &World<'_>, n_nodes: usize, run: &mut Run) {
    let counts = world.counts;
    let statistics = &mut run.statistics;
    statistics.set("nodes", n_nodes as f64);
    statistics.set("covered nodes", counts.covered as f64);
    statistics.set("forced covers", counts.forced as f64);
    statistics.set("refuted paths", counts.refuted as f64);
    statistics.set("implications by solver", counts.implications as f64);
    statistics.set("nodes by cover expansion", counts.cover_expansions as f64);
    statistics.set("steps left out", counts.left_out as f64);
    statistics.set("steps with addresses apart", counts.apart as f64);
    statistics.set("steps that commute", counts.commuting as f64);
    statistics.set("solver calls", (world.entailment.n_solved() + world.reasons.n_solved) as f64);
    statistics.set("solver seconds", (world.entailment.time + world.reasons.time).as_secs_f64());
}
