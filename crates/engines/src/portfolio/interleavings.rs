//! Is it enough to interleave, under a weak memory model? For programs without races whose atomic accesses make no critical cycle.
//!
//! Known as: DRF-SC (data-race freedom gives sequential consistency), robustness \[Shasha88; Lahav17].
//!
//! Who has no race in any interleaving, and no cycle of accesses of which atomic ones weaker than seq_cst leave the order open (`explore::robustness`), has no other
//! executions under RC11, as far as these show in what is read and written. Nor has it any on the machines: those of a program without races, compiled as the tables of mappings say, are among those of RC11.
//! So engines that interleave are asked whether the program is safe, races included, and their proof holds under the model. What goes wrong in an
//! interleaving is left to others: they show an execution that the axioms were asked about. But a deadlock is told, as nobody else looks for one, and an interleaving is an
//! execution of each of these models.
//!
//! Attempts of the library (a lock that is tried, a semaphore that is looked at) may see under axioms what no interleaving shows; programs with such are refused here. Only
//! models that are built in are known to lie between interleavings and RC11, with the mapping that they have by themselves.

use super::{Row, engine_of, settings};
use crate::evidence::monotone;
use crate::explore::robustness;
use crate::explore::weak_order::attempts_of_library;
use crate::prepared::Prepared;
use crate::schedule::Ask;
use crate::{Decided, Engine, Run, decide};
use ir::pass::Options;
use ir::{Model, Op, Program, Properties, Property, Span, Task, Why};
use std::sync::Arc;
use std::time::Duration;

/// Who is asked.
const TABLE: [Row; 4] = [
    Row { visits_all: true, ..Row::of("explicit", 30, 60) },
    Row::of("bmc", 300, 90),
    Row {
        knobs: &[("domain", "pred"), ("init", "branches"), ("search", "bfs")],
        tires_after: Some(8000),
        ..Row::of("cegar", 500, 100)
    },
    Row { knobs: &[("order", "lockstep"), ("dependence", "outcomes")], ..Row::of("impact", 2000, 100) },
];

/// Who looks for deadlocks, of which the axioms say nothing, where there are other executions besides.
const HUNTER: &str = "explicit";

/// Who excludes races where an engine does not look for them.
const RACES: &str = "modular";

/// The asks, if the task's model is one that allows more than interleavings, and not more than RC11.
pub(super) fn asks<'a>(task: &Task, set: &[(String, String)]) -> Result<Vec<Ask<'a, ir::Replayed>>, String> {
    // Endless executions are another matter: which of them are fair is a question of the model.
    let endless = Properties::of(&[Property::Termination, Property::Liveness]);
    // What atomic sections order is said by no axiom.
    let is_open = task.program.model == Model::Cat && has_sections(&task.program);
    if !monotone::is_within_rc11(&task.program) || !task.properties.both(endless).is_empty() || is_open {
        return Ok(Vec::new());
    }
    let asked =
        Arc::new(Task { program: interleaved(&task.program), properties: task.properties.with(Property::Race) });
    let (prepared, model) = (Prepared::default(), monotone::name_of(&task.program).to_string());
    let ask = |row: &Row| {
        let engine = engine_of(row).ok_or_else(|| format!("there is no engine {}", row.engine))?;
        let (asked, prepared, covers, model) = (Arc::clone(&asked), prepared.clone(), task.properties, model.clone());
        Ok(Ask {
            engine: row.engine,
            title: format!("{} --model sc, as without races nothing else can happen", row.title()),
            settings: settings(*row, engine, set)?,
            covers,
            after: Duration::from_millis(row.after),
            memory: row.memory,
            gives_way: true,
            tires_after: row.tires_after.map(Duration::from_millis),
            refuses_quietly: true,
            decide: Box::new(move |run| {
                run.prepared = Some(prepared.clone());
                let decided = answer(engine, &asked, covers, run);
                run.prepared = None;
                if matches!(decided, Decided::Safe(..)) {
                    run.notes.push(format!(
                        "proved for interleavings: the program has no data race, and its atomic accesses leave no order open, so that {model} allows nothing else"
                    ));
                }
                decided
            }),
        })
    };
    TABLE.iter().map(ask).collect()
}

/// Whether there are atomic sections.
fn has_sections(program: &Program) -> bool {
    let mut stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    stmts.any(|stmt| stmt.op == Op::AtomicBegin)
}

/// The program with threads that interleave.
fn interleaved(program: &Program) -> Program {
    let elsewhere = program.elsewhere.iter().map(|other| Arc::new(interleaved(other))).collect();
    Program { model: Model::Sc, axioms: None, elsewhere, ..program.clone() }
}

fn answer(engine: &dyn Engine, task: &Task, covers: Properties, run: &mut Run) -> Decided {
    if let Err(why) = is_robust(task, run) {
        let deadlock = Properties::of(&[Property::Deadlock]);
        if !covers.has(Property::Deadlock) || engine.name() != HUNTER {
            return Decided::Unknown(why);
        }
        // An interleaving is an execution of every one of these models.
        let hunted = Task { program: task.program.clone(), properties: deadlock };
        return match decide(engine, &hunted, run) {
            Decided::Unsafe(replayed) => Decided::Unsafe(replayed),
            _ => Decided::Unknown(why),
        };
    }
    let race = Properties::of(&[Property::Race]);
    let looks_for_races = engine.properties(task).has(Property::Race);
    if !looks_for_races {
        let races = Task { program: task.program.clone(), properties: race };
        let modular = Row::of(RACES, 0, 100);
        match engine_of(&modular).map(|modular| decide(modular, &races, run)) {
            Some(Decided::Safe(..)) => {}
            // It is the way that does not work then: the others may exclude them.
            Some(Decided::Unknown(Why::NotShown { span, what })) => {
                let what = format!("interleavings of accesses that may race (not shown here: {what})");
                return Decided::Unknown(Why::Unsupported { span, what });
            }
            Some(Decided::Unknown(why)) => return Decided::Unknown(why),
            Some(Decided::Unsafe(_)) | None => return Decided::Unknown(they_race()),
        }
    }
    let rest = Task {
        program: task.program.clone(),
        properties: if looks_for_races { task.properties } else { task.properties.beyond(race) },
    };
    let decided = decide(engine, &rest, run);
    run.looked_for = run.looked_for.both(covers);
    match decided {
        Decided::Unsafe(replayed) if replayed.trace.violation == Property::Deadlock => Decided::Unsafe(replayed),
        Decided::Unsafe(replayed) => Decided::Unknown(goes_wrong(replayed.trace.violation)),
        other => other,
    }
}

/// Whether every execution up to the first race is an interleaving.
fn is_robust(task: &Task, run: &mut Run) -> Result<(), Why> {
    // Threads are procedures then.
    let prepared = run.prepare(task, &Options { blocks: false, ..Options::default() })?;
    let open = |span: Span, what: &str| Why::Unsupported { span, what: what.to_string() };
    if let Some(span) = attempts_of_library(&prepared) {
        return Err(open(span, "an attempt that may fail in executions that are no interleavings"));
    }
    match robustness::weak_executions(&prepared) {
        Some(span) => {
            Err(open(span, "executions that no interleaving is, which atomic accesses weaker than seq_cst allow"))
        }
        None => Ok(()),
    }
}

/// Why an interleaving that goes wrong is no answer.
fn goes_wrong(how: Property) -> Why {
    match how {
        Property::Race => they_race(),
        _ => Why::Bound(format!(
            "an interleaving goes wrong ({}; --model sc shows it), which says nothing of the model's executions yet",
            how.describe()
        )),
    }
}

/// Why nothing is known of a program with a race.
fn they_race() -> Why {
    let what = "interleavings of accesses that race, which say little of the model's executions".to_string();
    Why::Unsupported { span: Span::NOWHERE, what }
}
