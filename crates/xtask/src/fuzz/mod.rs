//! Do all engines say what the interpreter says? Random programs, every reduction, against exhaustive enumeration.
//!
//! For each program and each question the interpreter visits every state of the lowered program (no pass, no reduction); then each engine setting
//! decides the same task through `decide`, which also replays its traces. They must agree, and no
//! reduction may visit more states than plain interleaving does. A program on which they differ is made smaller as long as
//! they still differ, and printed.

mod bmc;
mod cegar;
pub(crate) mod csmith;
mod generate;
pub(crate) mod heap;
mod locks;
pub(crate) mod mutate;
mod native;
pub(crate) mod oox;
mod oox_program;
pub(crate) mod orders;
pub(crate) mod sequential;
mod sequential_program;
mod weak;

use engines::{Budget, Run, decide, engine_named};
use frontend::Options;
use generate::{Generated, generate};
use ir::interp::{Domain, Limits, enumerate};
use ir::{Model, Properties, Property, Task, Verdict};
use std::time::Instant;

/// The settings that must agree: (what to call it, knobs).
const SETTINGS: [(&str, &[(&str, &str)]); 6] = [
    ("none", &[("por", "none"), ("symmetry", "off")]),
    ("source", &[("por", "source"), ("symmetry", "off")]),
    ("dpor", &[("por", "dpor"), ("symmetry", "off")]),
    ("none+symmetry", &[("por", "none"), ("symmetry", "on")]),
    ("source+symmetry", &[("por", "source"), ("symmetry", "on")]),
    ("dpor+symmetry", &[("por", "dpor"), ("symmetry", "on")]),
];

/// The questions asked about each program.
const QUESTIONS: [(&str, &[Property]); 3] = [
    ("assertions", &[Property::ErrorCall, Property::Assertion]),
    ("deadlock", &[Property::Deadlock]),
    ("race", &[Property::Race]),
];

/// What came of one program.
enum Outcome {
    /// All agree.
    Agree {
        /// Whether the first question's answer was a violation.
        n_unsafe: usize,
        /// States per setting, summed over the questions that are safe.
        states: [u64; SETTINGS.len()],
    },
    /// The enumeration was too large.
    TooLarge,
    /// Somebody is wrong: who, and what they say.
    Differ(String),
}

/// `cargo xtask fuzz [--locks] [--engine bmc|cegar] [--model sc|tso|pso] [--count N] [--seed S] [--show SEED]`; true if nothing differs.
pub(crate) fn run(args: &[String]) -> bool {
    let option =
        |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)?.parse::<u64>().ok());
    if args.iter().any(|arg| arg == "--locks") {
        return locks::run(args);
    }
    if let Some(seed) = option("--show") {
        println!("{}", generate(seed).text());
        return true;
    }
    let (count, first) = (option("--count").unwrap_or(300), option("--seed").unwrap_or(1));
    if args.windows(2).any(|pair| pair == ["--engine", "cegar"]) {
        return cegar::run(count, first);
    }
    let model = args.windows(2).find(|pair| pair[0] == "--model").map(|pair| pair[1].as_str());
    match model.map(Model::named) {
        None | Some(Some(Model::Sc)) => {}
        // No other engine knows these.
        Some(Some(model)) => return weak::run(model, count, first),
        Some(None) => {
            println!("there is no memory model of that name; there are sc, tso and pso");
            return false;
        }
    }
    if args.windows(2).any(|pair| pair == ["--engine", "bmc"]) {
        return bmc::run(count, first);
    }
    let started = Instant::now();
    let (mut n_compared, mut n_large, mut n_differ, mut n_unsafe) = (0u64, 0u64, 0u64, 0usize);
    let mut totals = [0u64; SETTINGS.len()];
    let mut seed = first;
    while n_compared + n_differ < count {
        let program = generate(seed);
        match compare(&program) {
            Outcome::Agree { n_unsafe: bad, states } => {
                n_compared += 1;
                n_unsafe += bad;
                for (total, more) in totals.iter_mut().zip(states) {
                    *total += more;
                }
            }
            Outcome::TooLarge => n_large += 1,
            Outcome::Differ(_) => {
                n_differ += 1;
                let (small, what) = shrink(program);
                println!("seed {seed}: {what}\n{}", small.text());
            }
        }
        seed += 1;
    }
    println!(
        "{n_compared} programs agree ({n_unsafe} violations among {} answers), {n_differ} differ, {n_large} too large to enumerate",
        n_compared as usize * QUESTIONS.len()
    );
    for ((name, _), total) in SETTINGS.iter().zip(totals) {
        println!(
            "  {name:16} {total:>10} states on safe programs, {:.2} of none",
            total as f64 / totals[0].max(1) as f64
        );
    }
    println!("in {:.1} s", started.elapsed().as_secs_f64());
    n_differ == 0
}

fn shrink(program: Generated) -> (Generated, String) {
    let differs = |program: &Generated| match compare(program) {
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

fn compare(generated: &Generated) -> Outcome {
    let text = generated.text();
    let file = std::env::temp_dir().join(format!("ravel-fuzz-{}.c", std::process::id()));
    if let Err(error) = std::fs::write(&file, text) {
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
    let engine = engine_named("explicit").expect("the explicit engine is in the table");
    let mut outcome_states = [0u64; SETTINGS.len()];
    let mut n_unsafe = 0;
    for (question, properties) in QUESTIONS {
        let task = Task { program: loaded.program.clone(), properties: Properties::of(properties) };
        let limits = Limits { max_states: 60_000, domain: Domain::Bits(8), first_only: true, ..Limits::default() };
        let truth = enumerate(&task.program, task.properties, &limits);
        let is_bad = !truth.violations.is_empty();
        if truth.incomplete.is_some() && !is_bad {
            return Outcome::TooLarge;
        }
        n_unsafe += usize::from(is_bad);
        let mut counts = [0u64; SETTINGS.len()];
        for (index, (setting, knobs)) in SETTINGS.iter().enumerate() {
            let mut run = Run::of(engine.about(), Budget::unlimited(), knobs).expect("the knobs are declared");
            let verdict = decide(engine, &task, &mut run).verdict();
            let agrees = match &verdict {
                Verdict::Safe(_) => !is_bad,
                Verdict::Unsafe(_) => is_bad,
                Verdict::Unknown(_) => false,
            };
            if !agrees {
                let truth = if is_bad { "unsafe" } else { "safe" };
                let said = match verdict {
                    Verdict::Safe(_) => "safe".to_string(),
                    Verdict::Unsafe(_) => "unsafe".to_string(),
                    Verdict::Unknown(why) => format!("unknown: {why:?}"),
                };
                return Outcome::Differ(format!("{question}: enumeration says {truth}, {setting} says {said}"));
            }
            counts[index] = run.statistics.0.get("states").copied().unwrap_or(0.0) as u64;
            if !is_bad && counts[index] > counts[0] {
                return Outcome::Differ(format!(
                    "{question}: {setting} visits {} states, none only {}",
                    counts[index], counts[0]
                ));
            }
        }
        if !is_bad {
            for (total, more) in outcome_states.iter_mut().zip(counts) {
                *total += more;
            }
        }
    }
    Outcome::Agree { n_unsafe, states: outcome_states }
}
