//! What does it cost to prove programs with loops under memory models thread by thread, and what does unrolling say about them?
//!
//! The programs of `cases/declarative`, each under the models that know how to go on without end. For `declarative`: seconds, refinements, abstract states, tracked variables, facts about reads that
//! the model excludes. Beside it `bmc` with growing bounds: where a loop has no bound it finds violations and proves nothing.

use super::args::Args;
use super::cegar::load;
use super::kind::{Experiment, How};
use super::output::progress;
use super::table::Table;
use engines::{Budget, Decided, Run, decide, engine_named};
use ir::{Axioms, Model, Task};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "declarative",
    about: "Loops without bound under memory models: threads one by one, beside bmc with growing bounds",
    run: How::Tables(run),
};

const PROGRAMS: [&str; 17] = [
    "once",
    "store_buffering",
    "store_buffering_fences",
    "message",
    "message_relaxed",
    "mailbox",
    "mailbox_relaxed",
    "seqlock",
    "seqlock_relaxed",
    "peterson_once",
    "peterson",
    "peterson_fences",
    "dekker",
    "dekker_fences",
    "spin_lock",
    "spin_lock_relaxed",
    "spin_lock_torn",
];

const MODELS: [&str; 4] = ["sc", "tso", "pso", "rc11"];

/// Rounds of every loop that `bmc` looks at.
const ROUNDS: [&str; 3] = ["1", "4", "8"];

struct Measured {
    said: &'static str,
    seconds: f64,
    statistics: BTreeMap<&'static str, f64>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/declarative")
}

/// The task of a program under a model.
fn task(name: &str, model: &str) -> Result<Task, String> {
    let mut task = load(&folder().join(format!("{name}.c")))?;
    match Model::named(model) {
        Some(model) => task.program.model = model,
        None => {
            let axioms = Axioms { name: model.to_string(), ..Axioms::default() };
            (task.program.model, task.program.axioms) = (Model::Cat, Some(Arc::new(axioms)));
        }
    }
    Ok(task)
}

fn measure(task: &Task, engine: &str, knobs: &[(&str, &str)], limit: Duration) -> Result<Measured, String> {
    let engine = engine_named(engine).ok_or_else(|| format!("there is no engine {engine}"))?;
    let started = Instant::now();
    let mut run = Run::of(engine.about(), Budget::new(Some(limit), Some(4 << 30)), knobs)?;
    let said = match decide(engine, task, &mut run) {
        Decided::Safe(..) => "safe",
        Decided::Unsafe(_) => "unsafe",
        Decided::Unknown(_) => "unknown",
    };
    Ok(Measured { said, seconds: started.elapsed().as_secs_f64(), statistics: run.statistics.0 })
}

fn run(args: &Args) -> Result<Vec<Table>, String> {
    let mut rows = Vec::new();
    for name in PROGRAMS {
        for model in MODELS {
            progress(&format!("{name}, {model}"));
            let task = task(name, model)?;
            let own = measure(&task, "declarative", &[], args.limit)?;
            let number = |name: &str| format!("{:.0}", own.statistics.get(name).copied().unwrap_or(0.0));
            let mut row = vec![format!("{name} {model}"), own.said.to_string(), format!("{:.2}", own.seconds)];
            row.extend(["refinements", "nodes", "tracked variables", "negative facts"].map(number));
            for rounds in ROUNDS {
                let other = measure(&task, "bmc", &[("unwind", rounds)], args.limit)?;
                let contradicts = matches!((own.said, other.said), ("safe", "unsafe") | ("unsafe", "safe"));
                let word = if contradicts { "WRONG" } else { other.said };
                row.push(format!("{word} {:.2}", other.seconds));
            }
            rows.push(row);
        }
    }
    progress("");
    let mut columns: Vec<String> =
        ["program", "answer", "s", "refinements", "nodes", "tracked", "negative"].map(str::to_string).to_vec();
    columns.extend(ROUNDS.map(|rounds| format!("bmc {rounds}")));
    let title = "Threads one by one, and bmc with 1, 4 and 8 rounds of every loop".to_string();
    Ok(vec![Table { name: "declarative".to_string(), title, columns, rows, charts: Vec::new() }])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: &str, model: &str) -> Measured {
        measure(&task(name, model).expect("it is valid C"), "declarative", &[], Duration::from_secs(60))
            .expect("it is declared")
    }

    #[test]
    fn a_loop_that_runs_once_is_not_unrolled() {
        let once = asked("once", "sc");
        assert_eq!(once.said, "safe");
        assert!(once.statistics["nodes"] < 20.0, "{:?}", once.statistics);
    }

    #[test]
    fn peterson_is_first_refined_by_what_its_assertion_compares() {
        // The local variable of the thread whose check fails, the shared one that it was read from, and what they are copied through; not the flags.
        let peterson = asked("peterson", "sc");
        assert_eq!(peterson.said, "safe");
        assert!(peterson.statistics["tracked at first"] <= 4.0, "{:?}", peterson.statistics);
        assert_eq!(asked("peterson", "tso").said, "unsafe");
    }
}
