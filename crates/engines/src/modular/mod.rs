//! Is a program free of data races whatever the number of its threads? Each thread is looked at alone, and each pair of accesses that could race.
//!
//! `thread_modular` does the work. The engine proves or says nothing: what it cannot keep apart may race or not. The proof is about executions without
//! invalid accesses and misuse of the thread library; whoever makes one is outside of what programs mean, and the answer says that it was not looked for.

use crate::thread_modular::no_races;
use crate::{About, Engine, Run};
use ir::pass::Options;
use ir::{Proof, Properties, Property, Span, Task, Verdict, Why};

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

    fn properties(&self, task: &Task) -> Properties {
        task.properties.both(Properties::of(&[Property::Race]))
    }

    fn check(&self, task: &Task, run: &mut Run) -> Verdict {
        match decide(task, run) {
            Ok(proof) => Verdict::Safe(proof),
            Err(why) => Verdict::Unknown(why),
        }
    }
}

fn decide(task: &Task, run: &mut Run) -> Result<Proof, Why> {
    if !task.properties.has(Property::Race) {
        let what = "any property but data races in the engine modular".to_string();
        return Err(Why::Unsupported { span: Span::NOWHERE, what });
    }
    let options = Options { blocks: false, ..Options::default() };
    let program = run.prepare(task, &options)?;
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
