//! What does it cost to prove programs with loops under memory models thread by thread, and what does unrolling say about them?
//!
//! The programs of `cases/declarative`, each under the models that know how to go on without end. For `declarative`: seconds, refinements, abstract states, tracked variables, facts about reads that
//! the model excludes. Beside it `bmc` with growing bounds: where a loop has no bound it finds violations and proves nothing.

use super::args::Args;
use super::kind::{Experiment, Report};
use super::measured::{Measured, load, measure};
use super::present::output::progress;
use super::present::table::table;
use ir::{Axioms, Model, Task};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "declarative",
    about: "Loops without bound under memory models: threads one by one, beside bmc with growing bounds",
    run,
};

const PROGRAMS: [&str; 23] = [
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
    "peterson_atomic",
    "peterson_acquire",
    "dekker",
    "dekker_fences",
    "dekker_atomic",
    "dekker_acquire",
    "spin_lock",
    "spin_lock_relaxed",
    "spin_lock_torn",
    "mutex",
    "mutex_forgotten",
];

const MODELS: [&str; 4] = ["sc", "tso", "pso", "rc11"];

/// Rounds of every loop that `bmc` looks at.
const ROUNDS: [&str; 3] = ["1", "4", "8"];

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

fn run(args: &Args) -> Result<Report, String> {
    let (mut rows, mut n_wrong, mut decided) = (Vec::new(), 0, [0usize; 1 + ROUNDS.len()]);
    for name in PROGRAMS {
        for model in MODELS {
            progress(&format!("{name}, {model}"));
            let mut all = vec![Measured::default(); 1 + ROUNDS.len()];
            if !args.is_dry {
                let task = task(name, model)?;
                all[0] = measure(&task, None, "declarative", &[], args.limit)?;
                for (one, rounds) in all[1..].iter_mut().zip(ROUNDS) {
                    *one = measure(&task, None, "bmc", &[("unwind", rounds)], args.limit)?;
                }
            }
            let (own, others) = (&all[0], &all[1..]);
            let number = |name: &str| format!("{:.0}", own.number(name));
            let mut row = vec![format!("{name} {model}"), own.word().to_string(), format!("{:.2}", own.seconds)];
            row.extend(["refinements", "nodes", "tracked variables", "negative facts"].map(number));
            for other in others {
                let contradicts = matches!((own.is_safe, other.is_safe), (Some(a), Some(b)) if a != b);
                n_wrong += usize::from(contradicts);
                let word = if contradicts { "WRONG" } else { other.word() };
                row.push(format!("{word} {:.2}", other.seconds));
            }
            for (count, one) in decided.iter_mut().zip(&all) {
                *count += usize::from(one.is_safe.is_some());
            }
            rows.push(row);
        }
    }
    progress("");
    let mut columns: Vec<String> =
        ["program", "answer", "s", "refinements", "nodes", "tracked", "negative"].map(str::to_string).to_vec();
    columns.extend(ROUNDS.map(|rounds| format!("bmc {rounds}")));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut seen = vec![format!("declarative decides {} of {} questions.", decided[0], rows.len())];
    for (rounds, n) in ROUNDS.iter().zip(&decided[1..]) {
        seen.push(format!("bmc with {rounds} rounds of every loop decides {n}."));
    }
    seen.push(format!("Answers that contradict each other: {n_wrong}."));
    let title = "Threads one by one, and bmc with 1, 4 and 8 rounds of every loop";
    Ok(Report { tables: vec![table("declarative", title, &columns, rows)], seen, n_wrong, files: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn asked(name: &str, model: &str) -> Measured {
        let task = task(name, model).expect("it is valid C");
        measure(&task, None, "declarative", &[], Duration::from_secs(60)).expect("it is declared")
    }

    #[test]
    fn a_loop_that_runs_once_is_not_unrolled() {
        let once = asked("once", "sc");
        assert_eq!(once.word(), "safe");
        assert!(once.number("nodes") < 20.0, "{once:?}");
    }

    #[test]
    fn peterson_is_first_refined_by_what_its_assertion_compares() {
        // The local variable of the thread whose check fails, the shared one that it was read from, and what they are copied through; not the flags.
        let peterson = asked("peterson", "sc");
        assert_eq!(peterson.word(), "safe");
        assert!((1.0..=4.0).contains(&peterson.number("tracked at first")), "{peterson:?}");
        assert_eq!(asked("peterson", "tso").word(), "unsafe");
    }
}
