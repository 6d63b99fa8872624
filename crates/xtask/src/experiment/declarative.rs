//! What does it cost to prove programs with loops under memory models thread by thread, and what does unrolling say about them?
//!
//! The programs of `cases/declarative`, each under the models that know how to go on without end. For `declarative`, with values and with predicates: seconds, refinements, abstract states, tracked variables or predicates, and facts about reads that
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

const PROGRAMS: [&str; 27] = [
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
    "counter",
    "counter_reset",
    "message_input",
    "message_input_relaxed",
];

/// What abstract states know, and what is counted of that.
const DOMAINS: [(&str, &str); 2] = [("expl", "tracked variables"), ("pred", "predicates")];

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
    let n_domains = DOMAINS.len();
    let (mut rows, mut n_wrong, mut decided) = (Vec::new(), 0, vec![0usize; n_domains + ROUNDS.len()]);
    for name in PROGRAMS {
        for model in MODELS {
            progress(&format!("{name}, {model}"));
            let mut all = vec![Measured::default(); n_domains + ROUNDS.len()];
            if !args.is_dry {
                let task = task(name, model)?;
                for (one, (domain, _)) in all.iter_mut().zip(DOMAINS) {
                    *one = measure(&task, None, "declarative", &[("domain", domain)], args.limit)?;
                }
                for (one, rounds) in all[n_domains..].iter_mut().zip(ROUNDS) {
                    *one = measure(&task, None, "bmc", &[("unwind", rounds)], args.limit)?;
                }
            }
            let contradicts = |one: &Measured| {
                all.iter().any(|other| matches!((one.is_safe, other.is_safe), (Some(a), Some(b)) if a != b))
            };
            let word = |one: &Measured| if contradicts(one) { "WRONG".to_string() } else { one.word().to_string() };
            n_wrong += usize::from(all.iter().any(contradicts));
            let mut row = vec![format!("{name} {model}")];
            for (own, (_, counted)) in all.iter().zip(DOMAINS) {
                row.extend([word(own), format!("{:.2}", own.seconds)]);
                row.extend(
                    ["refinements", "nodes", counted, "negative facts"].map(|name| format!("{:.0}", own.number(name))),
                );
            }
            row.extend(all[n_domains..].iter().map(|other| format!("{} {:.2}", word(other), other.seconds)));
            for (count, one) in decided.iter_mut().zip(&all) {
                *count += usize::from(one.is_safe.is_some());
            }
            rows.push(row);
        }
    }
    progress("");
    let mut columns: Vec<String> = vec!["program".to_string()];
    for (domain, counted) in DOMAINS {
        let counted = counted.split(' ').next().unwrap_or(counted);
        columns.push(domain.to_string());
        columns.extend(["s", "refinements", "nodes", counted, "negative"].map(str::to_string));
    }
    columns.extend(ROUNDS.map(|rounds| format!("bmc {rounds}")));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut seen = Vec::new();
    for ((domain, _), n) in DOMAINS.iter().zip(&decided) {
        seen.push(format!("declarative with the domain {domain} decides {n} of {} questions.", rows.len()));
    }
    for (rounds, n) in ROUNDS.iter().zip(&decided[n_domains..]) {
        seen.push(format!("bmc with {rounds} rounds of every loop decides {n}."));
    }
    seen.push(format!("Questions with answers that contradict each other: {n_wrong}."));
    let title = "Threads one by one, with values and with predicates, and bmc with 1, 4 and 8 rounds of every loop";
    Ok(Report { tables: vec![table("declarative", title, &columns, rows)], seen, n_wrong, files: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn asked(name: &str, model: &str) -> Measured {
        asked_in("expl", name, model)
    }

    fn asked_in(domain: &str, name: &str, model: &str) -> Measured {
        let task = task(name, model).expect("it is valid C");
        measure(&task, None, "declarative", &[("domain", domain)], Duration::from_secs(60)).expect("it is declared")
    }

    #[test]
    fn predicates_prove_what_values_cannot() {
        for (name, model) in [("counter", "sc"), ("message_input", "rc11")] {
            assert_eq!(asked_in("expl", name, model).word(), "unknown", "{name} {model}");
            let found = asked_in("pred", name, model);
            assert_eq!(found.word(), "safe", "{name} {model}");
            assert!(found.number("predicates") > 0.0, "{found:?}");
        }
        assert_eq!(asked_in("pred", "message_input_relaxed", "rc11").word(), "unsafe");
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
