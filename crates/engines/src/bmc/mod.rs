//! Can a bad state be reached within a few rounds of every loop? All executions at once, as one question for a SAT solver.
//!
//! Known as: bounded model checking of concurrent programs by partial orders; ordering consistency (Sun et al.) with automatic conflicts.
//!
//! Threads are executed symbolically with their loops unrolled ([`unroll`]), which gives guarded events ([`accesses`]) and says what locks keep apart ([`locks`]); what need
//! not be asked is left out ([`reductions`]). The solver chooses values and which write each read reads, and the theory of `memory::order` sees to it that all of it can happen one
//! after the other ([`solving`]). One bound is a [`stage`](mod@stage). Bounds grow until a violation is found, or no execution needs more rounds than were unrolled: then the
//! program is safe. Otherwise the answer is unknown and names the loop.

mod accesses;
mod axioms;
pub mod bounds;
mod locks;
mod reductions;
mod solving;
mod stage;
mod unroll;
mod unrolled;

use crate::clock::computed;
use crate::evidence::axioms::Axioms;
use crate::run::Parts;
use crate::{About, Bounded, Engine, Kind, Knob, Run};
use ir::pass::{Options, explicit_fences, forget_owners, may_wait_in_circle, prepare};
use ir::{Model, Program, Proof, Properties, Property, Task, Verdict, Why};
use reductions::Known;
pub use solving::parts::cover_everything;
use solving::parts::{self, Part};
use stage::{Question, Stage, stage};
use unroll::executor::{Bounds, Skipping};

/// The bounded model checker.
pub struct Bmc;

const PROCEDURE: Knob = Knob {
    name: "procedure",
    kind: Kind::Choice(&["theory", "basic"]),
    default: "theory",
    help: "whether orders are decided inside the solver's search, or afterwards, one objection at a time",
};
const CONFLICTS: Knob =
    Knob { name: "conflicts", kind: Kind::Flag, default: "on", help: "look for small cycles before solving" };
const UNWIND: Knob = Knob {
    name: "unwind",
    kind: Kind::Number,
    default: "0",
    help: "how often loops of unknown length go round; 0 tries 1, 2, 3, 5, 8 and so on",
};
const LOOPS: Knob = Knob {
    name: "loops",
    kind: Kind::Form(bounds::FORM, bounds::misspelt),
    default: "",
    help: "how often the loops at these lines go round",
};

const THREADS: Knob = Knob {
    name: "threads",
    kind: Kind::Number,
    default: "1",
    help: "how many threads of the machine share a question that is hard; 0 for as many as there are. The same verdicts",
};

const CUBES: Knob = Knob {
    name: "cubes",
    kind: Kind::Number,
    default: "0",
    help: "cut a question that is hard into so many parts, instead of answering it (`verify --cubes`)",
};
const HARD: Knob = Knob {
    name: "hard",
    kind: Kind::Number,
    default: "4000",
    help: "after how many conflicts of the solver a question is hard enough to be cut into parts",
};
const CUBE: Knob = Knob {
    name: "cube",
    kind: Kind::Form(parts::FORM, parts::misspelt),
    default: "",
    help: "look at one of these parts alone",
};

/// Steps of the unrolled program at most.
const MAX_STEPS: usize = 150_000;

/// Rounds of loops of unknown length, and of those that constants decide.
const STAGES: [(u32, u32); 10] =
    [(1, 6), (2, 12), (3, 24), (5, 60), (8, 200), (13, 600), (21, 2000), (34, 5000), (55, 20_000), (89, 100_000)];

impl Engine for Bmc {
    fn about(&self) -> &'static About {
        &About {
            name: "bmc",
            describe: "unrolls loops and asks a SAT solver, which an ordering theory helps, for a bad execution",
            knobs: &[PROCEDURE, CONFLICTS, UNWIND, LOOPS, THREADS, CUBES, HARD, CUBE],
        }
    }

    fn models(&self) -> &'static [Model] {
        &[Model::Sc, Model::Tso, Model::Pso, Model::Cat]
    }

    fn properties(&self, task: &Task) -> Properties {
        properties_of(task)
    }

    fn check(&self, task: &Task, run: &mut Run) -> Verdict {
        match decide(task, run) {
            Ok(verdict) => verdict,
            Err(why) => Verdict::Unknown(why),
        }
    }
}

fn decide(task: &Task, run: &mut Run) -> Result<Verdict, Why> {
    let started = computed();
    let options = Options { blocks: false, ..Options::default() };
    let is_cat = task.program.model == Model::Cat;
    // To axioms every access counts, used or not, as it does where races are looked for.
    let kept = if is_cat { task.properties.with(Property::Race) } else { task.properties };
    let mut prepared = prepare(&explicit_fences(task.program.clone()), kept, &options)?;
    let axioms = if is_cat { Some(Axioms::of(&task.program)?) } else { None };
    let has_circles = task.properties.has(Property::Deadlock) && may_wait_in_circle(&prepared);
    if !has_circles {
        prepared = forget_owners(prepared);
    }
    run.statistics.set("seconds: prepare", (computed() - started).as_secs_f64());
    let by_line = bounds::place(&task.program, &run.settings.text(&LOOPS)).map_err(refused)?;
    let unwind = u32::try_from(run.settings.number(&UNWIND)).unwrap_or(u32::MAX);
    let part = Part::read(&run.settings.text(&CUBE));
    let n_parts = usize::try_from(run.settings.number(&CUBES)).unwrap_or(usize::MAX);
    if is_cat && (part.is_some() || n_parts > 0) {
        let what = "questions under models in cat as parts".to_string();
        return Err(Why::Unsupported { span: ir::Span::NOWHERE, what });
    }
    if n_parts > 0
        && let Some(why) = undecided(task, &prepared)
    {
        return Err(why);
    }
    let stages: Vec<(u32, u32)> = match &part {
        Some(part) => vec![part.rounds],
        None if unwind > 0 => vec![(unwind, 100_000)],
        None => STAGES.to_vec(),
    };
    run.looked_for = properties_of(task);
    let question = Question {
        task,
        prepared: &prepared,
        properties: properties_of(task),
        in_solver: run.word(&PROCEDURE) == "theory",
        finds_conflicts: run.settings.flag(&CONFLICTS),
        axioms: axioms.as_ref(),
        n_workers: run.settings.threads(&THREADS),
        part: part.as_ref(),
        n_parts,
        hard: u32::try_from(run.settings.number(&HARD)).unwrap_or(u32::MAX),
    };
    let skipping = skipping(&question);
    let mut reason = None;
    let mut by_cells = part.as_ref().is_none_or(|part| part.by_cells);
    let mut known = Known::default();
    let mut stages = stages.into_iter();
    let mut next = stages.next();
    while let Some((rounds, decided)) = next {
        let bounds = Bounds { rounds, decided, by_line: by_line.clone(), records: MAX_STEPS, by_cells, skipping };
        run.reached.count("rounds looked at", u64::from(rounds));
        if n_parts > 0 {
            // Whoever looks at a part knows nothing of earlier bounds.
            known = Known::default();
        }
        let result = match question.axioms {
            Some(axioms) => axioms::stage(&question, axioms, &bounds, &mut known, run),
            None => stage(&question, &bounds, &mut known, run),
        };
        if matches!(result, Ok(Stage::Misplaced)) && part.is_none() {
            (by_cells, known) = (false, Known::default());
            continue;
        }
        next = stages.next();
        match result {
            Ok(Stage::Unsafe(trace)) => return Ok(Verdict::Unsafe(trace)),
            Ok(Stage::Safe(events)) => {
                return match undecided(task, &prepared) {
                    Some(why) => Err(why),
                    None => Ok(Verdict::Safe(Proof::Unrolled { events })),
                };
            }
            Ok(Stage::Beyond(why)) => return Err(why),
            Ok(Stage::Deeper(why)) => {
                run.reached.count("rounds of every loop without a violation", u64::from(rounds));
                if let Why::Bound(what) = &why {
                    run.reached.note(what.clone());
                    // Loops with a bound of their own may go round less often than the others.
                    let rounds = by_line.iter().map(|bound| bound.rounds).fold(rounds, u32::min);
                    let open = what.split(" needs more").next().unwrap_or(what).to_string();
                    run.reached.bound(Bounded { rounds, properties: question.properties, open });
                }
                reason = Some(why);
            }
            Ok(Stage::Parts { open, refuted, mark }) => {
                let text = |choices| Part { rounds: (rounds, decided), by_cells, mark, choices }.to_string();
                run.parts = Parts {
                    open: open.into_iter().map(text).collect(),
                    refuted: refuted.into_iter().map(text).collect(),
                };
                return Err(Why::Bound(parts::told(&run.parts)));
            }
            Ok(Stage::Misplaced) => {
                let what = "an execution of this part looks at bytes of memory, and the parts are made by cells";
                return Err(Why::Bound(what.to_string()));
            }
            Err(Why::Bound(what)) => return Err(reason.unwrap_or(Why::Bound(what))),
            Err(why) => return Err(why),
        }
    }
    Err(reason.expect("every stage gives a reason to go on"))
}

/// Rounds are skipped only where the model forbids nothing for the lack of a read, no message is received by one, and liveness, which may rest on any round, is not asked about.
fn skipping(question: &Question<'_>) -> Skipping {
    match question.axioms.filter(|axioms| axioms.not_monotone().is_none() && !axioms.has_messages) {
        Some(_) if question.properties.has(Property::Liveness) => Skipping::Never,
        Some(axioms) if axioms.minds_dependencies() => Skipping::SameDependencies,
        Some(_) => Skipping::Always,
        None => Skipping::Never,
    }
}

/// Why the absence of violations does not mean that the task is safe.
fn undecided(task: &Task, prepared: &Program) -> Option<Why> {
    if let Some(property) = task.properties.beyond(properties_of(task)).iter().next() {
        let what = match property {
            Property::Race => format!("data races under {}", prepared.model),
            _ => format!("the property \"no {}\" in this engine", property.describe()),
        };
        return Some(Why::Unsupported { span: ir::Span::NOWHERE, what });
    }
    let asks = task.properties.has(Property::Race) && prepared.model != Model::Cat;
    asks.then(|| crate::explore::weak_order::beyond_adjacency(prepared)).flatten()
}

/// What is looked for. What is left at the end, and what never ends, is no event; what a race is where stores are buffered is not defined.
fn properties_of(task: &Task) -> Properties {
    let lost = Properties::of(&[Property::MemTrack, Property::MemCleanup]);
    // What is never allocated is not lost.
    let unknown = if task.never_allocates() { Properties::NONE } else { lost };
    let known = task.properties.beyond(unknown.with(Property::Termination));
    match task.program.model {
        Model::Sc => known.without(Property::Liveness),
        Model::Tso | Model::Pso => known.without(Property::Race).without(Property::Liveness),
        Model::Cat => {
            // A race is what the model flags as one.
            let has_races = Axioms::of(&task.program).is_ok_and(|axioms| axioms.races().next().is_some());
            let known = known.without(Property::Deadlock);
            if has_races { known } else { known.without(Property::Race) }
        }
    }
}

fn refused(what: String) -> Why {
    Why::Unsupported { span: ir::Span::NOWHERE, what: format!("a bound for a loop: {what}") }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod weak_tests;
