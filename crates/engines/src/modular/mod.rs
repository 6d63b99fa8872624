//! Is a program free of data races whatever the number of its threads? Each thread is looked at alone, and each pair of accesses that could race.
//!
//! `thread_modular` does the work. The engine proves or says nothing: what it cannot keep apart may race or not. The proof is about executions without
//! invalid accesses and misuse of the thread library; whoever makes one is outside of what programs mean, and the answer says that it was not looked for.
//!
//! What keeps accesses apart does not hang on interleavings: a thread reads its own writes back, values come from some write that there is, and starting
//! threads, joining them and locks order what happens. Thus it holds under axioms, too, where values do not come out of thin air and a race is what is not
//! ordered so: of the shipped models `rc11`.
//!
//! Asked about deadlocks under axioms, and not about races, it looks at the order in which locks are taken (`ir::pass::waits_in_order`).

use crate::evidence::monotone;
use crate::thread_modular::no_races;
use crate::{About, Engine, Run};
use ir::pass::{Options, waits_in_order};
use ir::{Model, Program, Proof, Properties, Property, Span, Task, Verdict, Why};

/// The thread-modular engine.
pub struct Modular;

impl Engine for Modular {
    fn about(&self) -> &'static About {
        &About {
            name: "modular",
            describe: "proves the absence of data races thread by thread, by locks, order of threads and places",
            knobs: &[],
        }
    }

    fn models(&self) -> &'static [Model] {
        &[Model::Sc, Model::Cat]
    }

    fn properties(&self, task: &Task) -> Properties {
        // One at a time: what is not shown of one must not hide the other.
        if !task.properties.has(Property::Race) && task.program.model == Model::Cat {
            return task.properties.both(Properties::of(&[Property::Deadlock]));
        }
        let is_judged = task.program.model == Model::Sc || monotone::flags_races(&task.program);
        if is_judged { task.properties.both(Properties::of(&[Property::Race])) } else { Properties::NONE }
    }

    fn check(&self, task: &Task, run: &mut Run) -> Verdict {
        match decide(task, run) {
            Ok(proof) => Verdict::Safe(proof),
            Err(why) => Verdict::Unknown(why),
        }
    }
}

fn decide(task: &Task, run: &mut Run) -> Result<Proof, Why> {
    if Modular.properties(task).is_empty() {
        let what = match task.program.axioms.as_deref().filter(|_| task.properties.has(Property::Race)) {
            Some(axioms) => format!("data races under the memory model {} in the engine modular", axioms.name),
            None => "any property but data races in the engine modular".to_string(),
        };
        return Err(Why::Unsupported { span: Span::NOWHERE, what });
    }
    let options = Options { blocks: false, ..Options::default() };
    let program = run.prepare(task, &options)?;
    if !task.properties.has(Property::Race) {
        return waits(&program, run);
    }
    run.looked_for = Properties::of(&[Property::Race]);
    let reasons = match no_races(&program, run)? {
        Ok(reasons) => reasons,
        Err((span, other)) => {
            let place = program.sources.place(other);
            return Err(Why::NotShown {
                span,
                what: format!("that the access here and the one at {place} never race"),
            });
        }
    };
    run.statistics.set("pairs of accesses", reasons.pairs as f64);
    run.statistics.set("pairs apart by order", reasons.by_order as f64);
    run.statistics.set("pairs apart by locks", reasons.by_lock as f64);
    run.statistics.set("pairs apart by place", reasons.by_place as f64);
    run.notes.push("data races are excluded as long as no access is invalid and no lock misused".to_string());
    Ok(Proof::Apart { pairs: reasons.pairs })
}

/// Whether no circle of waits is possible.
fn waits(program: &Program, run: &mut Run) -> Result<Proof, Why> {
    run.looked_for = Properties::of(&[Property::Deadlock]);
    let Some(waits) = waits_in_order(program) else {
        let what =
            "that nobody waits for ever: locks are not always taken in one order, or something else is waited for"
                .to_string();
        return Err(Why::NotShown { span: Span::NOWHERE, what });
    };
    run.notes.push("deadlocks are excluded as long as no access is invalid and no lock misused".to_string());
    Ok(Proof::InOrder { waits: waits as u64 })
}
