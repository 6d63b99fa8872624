//! Do we count the executions of litmus tests as others do? §4.6 of \[Bajczi22]: fifty AArch64 tests, and how many executions each has.
//!
//! The thesis compares its count with herd's and prints neither; it tells one difference: herd counts executions with all coherence orders, THETA those that differ in what reads read. Here both
//! counts are made, each by two procedures that share little: the enumerator, and clauses for a SAT solver. The tests are those of this repository and as many
//! from random cycles as are missing; tests of a litmus suite that is named come in their place.

use super::args::Args;
use super::kind::{Experiment, Report};
use super::present::output::progress;
use super::present::table::table;
use crate::cycle;
use engines::axiomatic::{Goal, Method, Question, answer};
use engines::computed;
use ir::litmus::{Dialect, Test};
use memory::cat::Model;
use std::path::{Path, PathBuf};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "litmus",
    about: "Executions of 50 AArch64 litmus tests, counted by the enumerator and by the SAT solver",
    run,
};

/// How many tests.
const N_TESTS: usize = 50;

/// A count, whether the condition holds, and milliseconds; nothing if it was refused or took too long.
type Counted = Option<(u64, bool, f64)>;

fn run(args: &Args) -> Result<Report, String> {
    let tests = tests(args)?;
    let model = memory::cat::load("aarch64", &|_| None, &Default::default()).map_err(|_| "the model does not load")?;
    let (mut rows, mut n_wrong, mut n_both, mut n_more) = (Vec::new(), 0, 0, 0);
    let mut milliseconds = [0.0; 4];
    for (name, test) in &tests {
        progress(name);
        let mut counted: [Counted; 4] = [None; 4];
        if !args.is_dry {
            let asked = [
                (Goal::Executions, Method::Enumerate),
                (Goal::Executions, Method::Symbolic),
                (Goal::Rf, Method::Enumerate),
                (Goal::Rf, Method::Symbolic),
            ];
            counted = asked.map(|(goal, method)| count(args, test, &model, goal, method));
        }
        for (sum, one) in milliseconds.iter_mut().zip(&counted) {
            *sum += one.map_or(0.0, |(.., milliseconds)| milliseconds);
        }
        let agree = |a: Counted, b: Counted| match (a, b) {
            (Some((a, x, _)), Some((b, y, _))) => Some(a == b && x == y),
            _ => None,
        };
        let pairs = [agree(counted[0], counted[1]), agree(counted[2], counted[3])];
        n_wrong += pairs.iter().filter(|pair| **pair == Some(false)).count();
        n_both += usize::from(pairs.iter().all(|pair| *pair == Some(true)));
        n_more += usize::from(matches!((counted[0], counted[2]), (Some((all, ..)), Some((rf, ..))) if all > rf));
        let number = |one: &Counted| one.map_or(String::new(), |(n, ..)| n.to_string());
        let time = |one: &Counted| one.map_or(String::new(), |(.., milliseconds)| format!("{milliseconds:.2}"));
        let holds = counted[0].map_or("", |(_, holds, _)| if holds { "yes" } else { "no" });
        let mut row = vec![name.clone(), test.threads.len().to_string(), holds.to_string()];
        row.extend(counted.iter().map(number));
        row.extend(counted.iter().map(time));
        rows.push(row);
    }
    progress("");
    let n = tests.len();
    let seen = vec![
        format!(
            "The enumerator and the SAT solver count the same on {n_both} of {n} tests, differ on {n_wrong} counts, and one of them gives up on the others."
        ),
        format!(
            "On {n_more} of {n} tests there are more executions with coherence orders, as herd counts, than differ in what reads read, as THETA counts."
        ),
        format!(
            "Processor time for all {n}: {:.0} ms to enumerate all executions, {:.0} ms by the solver; {:.0} ms and {:.0} ms for those that differ in what reads read.",
            milliseconds[0], milliseconds[1], milliseconds[2], milliseconds[3]
        ),
    ];
    let columns = [
        "test",
        "threads",
        "condition holds",
        "executions",
        "executions (SAT)",
        "by rf",
        "by rf (SAT)",
        "ms",
        "ms (SAT)",
        "rf ms",
        "rf ms (SAT)",
    ];
    let title = "Executions that the model allows: all, and those that differ in what reads read (§4.6)";
    Ok(Report { tables: vec![table("litmus-aarch64", title, &columns, rows)], seen, n_wrong, files: Vec::new() })
}

fn count(args: &Args, test: &Test, model: &Model, goal: Goal, method: Method) -> Counted {
    let question = Question { goal, method, with_flags: false, ..Question::default() };
    let begun = computed();
    let answer = answer(test, model, &question, &|| computed().saturating_sub(begun) > args.limit).ok()?;
    let milliseconds = computed().saturating_sub(begun).as_secs_f64() * 1e3;
    Some((answer.n_positive + answer.n_negative, answer.holds(test), milliseconds))
}

/// The tests with their names.
fn tests(args: &Args) -> Result<Vec<(String, Test)>, String> {
    let mut found = Vec::new();
    for path in named(args)?.into_iter().chain(shipped()?) {
        let Ok(test) = frontend::litmus::load(&path, &Default::default()) else { continue };
        if test.dialect == Dialect::AArch64 && found.len() < N_TESTS {
            let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            found.push((name, test));
        }
    }
    let mut seed = 0;
    while found.len() < N_TESTS {
        let text = cycle::text(Dialect::AArch64, seed);
        let test = frontend::litmus::parse("generated", &text, &Default::default());
        found.push((format!("cycle {seed}"), test.map_err(|_| "a generated test cannot be read")?));
        seed += 1;
    }
    Ok(found)
}

/// Litmus tests among what was named.
fn named(args: &Args) -> Result<Vec<PathBuf>, String> {
    let form = cases::Form { endings: &["litmus", "c", "i"], selector: "model" };
    let tasks = cases::suite::read(&args.suite, &[form])?;
    let is_litmus = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "litmus");
    Ok(tasks.into_iter().map(|task| task.path).filter(is_litmus).collect())
}

/// Those of this repository.
fn shipped() -> Result<Vec<PathBuf>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/litmus/aarch64");
    let mut files = cases::walk::files_below(&folder, &["litmus"]).map_err(|error| error.to_string())?;
    files.sort();
    Ok(files)
}
