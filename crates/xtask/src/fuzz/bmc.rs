//! Does the bounded model checker say what the explicit engine says? Random programs, both procedures in turn.
//!
//! Both decide the same tasks through `decide`, which replays every trace. A program counts as compared if both answered every question; an answer of
//! one that contradicts the other is made as small as possible and printed. A trace that does not replay is a difference too.

use super::generate::{Generated, generate};
use engines::{Budget, Run, decide, engine_named};
use frontend::Options;
use ir::{Properties, Property, Task, Verdict, Why};
use std::time::{Duration, Instant};

const QUESTIONS: [(&str, &[Property]); 3] = [
    ("assertions", &[Property::ErrorCall, Property::Assertion]),
    ("deadlock", &[Property::Deadlock]),
    ("race", &[Property::Race]),
];

/// How long an engine may think about one question.
const LIMIT: Duration = Duration::from_secs(5);

enum Outcome {
    /// All answers agree; how many were violations.
    Agree(usize),
    /// Somebody did not answer.
    Undecided,
    Differ(String),
}

/// `cargo xtask fuzz --engine bmc [--count N] [--seed S]`; true if nothing differs.
pub(crate) fn run(count: u64, first: u64) -> bool {
    let started = Instant::now();
    let (mut n_agree, mut n_undecided, mut n_differ, mut n_unsafe) = (0u64, 0u64, 0u64, 0usize);
    let mut seed = first;
    while n_agree + n_differ < count {
        let program = generate(seed);
        match compare(&program, seed) {
            Outcome::Agree(violations) => {
                n_agree += 1;
                n_unsafe += violations;
            }
            Outcome::Undecided => n_undecided += 1,
            Outcome::Differ(_) => {
                n_differ += 1;
                let (small, what) = shrink(program, seed);
                println!("seed {seed}: {what}\n{}", small.text());
            }
        }
        seed += 1;
    }
    println!(
        "{n_agree} programs agree ({n_unsafe} violations among {} answers), {n_differ} differ, {n_undecided} undecided, in {:.1} s",
        n_agree as usize * QUESTIONS.len(),
        started.elapsed().as_secs_f64()
    );
    n_differ == 0
}

fn shrink(program: Generated, seed: u64) -> (Generated, String) {
    let differs = |program: &Generated| match compare(program, seed) {
        Outcome::Differ(what) => Some(what),
        _ => None,
    };
    let mut what = differs(&program).unwrap_or_default();
    let mut small = program;
    while let Some((less, said)) = small.smaller().into_iter().find_map(|less| differs(&less).map(|said| (less, said)))
    {
        (small, what) = (less, said);
    }
    (small, what)
}

fn answer(name: &str, task: &Task, knobs: &[(&str, &str)]) -> Verdict {
    let engine = engine_named(name).expect("the engine is in the table");
    let mut run = Run::of(engine.about(), Budget::of_time(LIMIT), knobs).expect("the knobs are declared");
    decide(engine, task, &mut run).verdict()
}

fn compare(generated: &Generated, seed: u64) -> Outcome {
    let file = std::env::temp_dir().join(format!("ravel-fuzz-bmc-{}.c", std::process::id()));
    if let Err(error) = std::fs::write(&file, generated.text()) {
        return Outcome::Differ(format!("{} cannot be written: {error}", file.display()));
    }
    let mut all = Properties::NONE;
    for (_, properties) in QUESTIONS {
        all = all.union(Properties::of(properties));
    }
    let loaded = match frontend::load(&[file], &Options { properties: all, ..Options::default() }) {
        Ok(loaded) => loaded,
        Err(rejected) => {
            let said: Vec<String> = rejected.diagnostics.iter().map(ToString::to_string).collect();
            return Outcome::Differ(format!("the front end refuses it: {}", said.join("; ")));
        }
    };
    let procedure = if seed.is_multiple_of(4) { "basic" } else { "theory" };
    let conflicts = if seed.is_multiple_of(2) { "on" } else { "off" };
    let mut n_unsafe = 0;
    for (question, properties) in QUESTIONS {
        let task = Task { program: loaded.program.clone(), properties: Properties::of(properties) };
        let truth = answer("explicit", &task, &[]);
        let knobs = [("procedure", procedure), ("conflicts", conflicts), ("unwind", "1")];
        // What is found within few rounds must be true as well, although nothing is shown by finding nothing.
        if let Verdict::Unknown(Why::NotReplayed(what)) = answer("bmc", &task, &knobs) {
            return Outcome::Differ(format!("{question}: a trace of one round does not replay: {what}"));
        }
        let said = answer("bmc", &task, &knobs[..2]);
        match (&truth, &said) {
            (Verdict::Safe(_), Verdict::Safe(_)) => {}
            (Verdict::Unsafe(_), Verdict::Unsafe(_)) => n_unsafe += 1,
            (_, Verdict::Unknown(Why::NotReplayed(what))) => {
                return Outcome::Differ(format!("{question}: a trace of {procedure} does not replay: {what}"));
            }
            (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => return Outcome::Undecided,
            (truth, said) => {
                let word = |verdict: &Verdict| if matches!(verdict, Verdict::Safe(_)) { "safe" } else { "unsafe" };
                return Outcome::Differ(format!(
                    "{question}: explicit says {}, bmc with {procedure} says {}",
                    word(truth),
                    word(said)
                ));
            }
        }
    }
    Outcome::Agree(n_unsafe)
}
