//! Does every engine know when an object is gone? Random programs about lifetimes, against an oracle of their own.
//!
//! Each program is printed as C, loaded by the front end, and asked about with every engine and reduction through `decide`. What is true is known from
//! `oracle`, which shares nothing with them; the settings of `cegar` take turns. An engine may give up, which is counted; it may not be wrong, and all its traces must replay. Where an execution does
//! something undefined that was not asked about, nobody may claim a violation that the oracle does not know. About races the oracle
//! says nothing: there the engines must not contradict each other. A program on which somebody is wrong is made smaller as long as
//! the same one is wrong about the same question, and printed.
//!
//! Would it notice? With `--blind free` or `--blind scopes` the engines get programs without these ends of objects, and it must say that they are
//! wrong, within a few programs. For changes of `ir::access` itself see CONTRIBUTING.md.

mod oracle;
mod program;

use engines::{Budget, Run, decide, engine_named};
use frontend::Options;
use ir::{AllocKind, Op, Properties, Property, Task, Verdict, Why};
use oracle::Truth;
use program::{Program, generate};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// Who is asked: (what to call it, engine, knobs).
type Setting = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const SETTINGS: [Setting; 10] = [
    ("explicit none", "explicit", &[("por", "none")]),
    ("explicit source", "explicit", &[("por", "source")]),
    ("explicit dpor", "explicit", &[("por", "dpor")]),
    ("bmc", "bmc", &[]),
    ("cegar none", "cegar", &[("por", "none"), ("coi", "none")]),
    ("cegar source", "cegar", &[("por", "source")]),
    ("cegar aware", "cegar", &[("por", "aware"), ("coi", "both")]),
    ("cegar dpor", "cegar", &[("por", "dpor")]),
    ("cegar aware-dpor", "cegar", &[("por", "aware-dpor"), ("coi", "both")]),
    ("portfolio", "portfolio", &[]),
];

/// A question, and what the oracle answers.
type Question = (&'static str, &'static [Property], fn(Truth) -> Option<bool>);

/// The first is asked about every program, and one of the others in turn.
const QUESTIONS: [Question; 5] = [
    ("all", &[Property::ErrorCall, Property::Assertion, Property::Deref, Property::Free], |truth| {
        Some(truth.errs || truth.misuses)
    }),
    ("error", &[Property::ErrorCall, Property::Assertion], |truth| Some(truth.errs)),
    ("left", &[Property::Deref, Property::Free, Property::MemCleanup], |truth| Some(truth.misuses || truth.leaves)),
    ("deadlock", &[Property::Deadlock], |truth| Some(truth.deadlocks)),
    ("race", &[Property::Race], |_| None),
];

/// For each run of a setting.
const LIMIT: Duration = Duration::from_secs(2);

const HEADERS: &str = "#include <pthread.h>\n#include <stdlib.h>\n";

#[derive(Default)]
struct Counts {
    programs: u64,
    bad: u64,
    too_large: u64,
    answers: u64,
    gave_up: [u64; SETTINGS.len()],
    /// Called safe although something undefined can happen that was not asked about.
    undefined: u64,
    wrong: u64,
}

/// Who is wrong about which question, and what was said.
struct Wrong {
    setting: usize,
    question: usize,
    what: String,
}

/// `cargo xtask fuzz --heap [--count N] [--seed S] [--time SECONDS] [--question NAME] [--blind free|scopes] [--show SEED]`; true if nobody is wrong.
pub(crate) fn run(args: &[String]) -> bool {
    let word = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let number = |name: &str| word(name).and_then(|word| word.trim_end_matches('s').parse::<u64>().ok());
    if let Some(seed) = number("--show") {
        println!("{}", generate(seed).text(HEADERS));
        println!("{:?}", oracle::explore(&generate(seed)));
        return true;
    }
    let Some(declarations) = declarations() else {
        println!("the system's compiler cannot be asked for its headers");
        return false;
    };
    let (count, first) = (number("--count").unwrap_or(500), number("--seed").unwrap_or(1));
    let time = number("--time").map(Duration::from_secs);
    let started = Instant::now();
    let mut counts = Counts::default();
    let mut seed = first;
    let blind = match word("--blind").map(String::as_str) {
        Some("free") => Some(AllocKind::Heap),
        Some("scopes") => Some(AllocKind::Stack),
        _ => None,
    };
    let only = word("--question").and_then(|name| QUESTIONS.iter().position(|(other, ..)| other == name));
    while counts.programs < count && time.is_none_or(|time| started.elapsed() < time) {
        one(seed, only, &Loader { declarations: &declarations, blind }, &mut counts);
        seed += 1;
        if seed.is_multiple_of(100) {
            eprintln!("seed {seed}: {} programs, {} answers, {} wrong", counts.programs, counts.answers, counts.wrong);
        }
    }
    println!(
        "{} programs ({} that go wrong, {} others too large), {} settings: {} answers agree, {} wrong, {} safe beside something undefined",
        counts.programs,
        counts.bad,
        counts.too_large,
        SETTINGS.len(),
        counts.answers,
        counts.wrong,
        counts.undefined
    );
    for ((name, ..), n) in SETTINGS.iter().zip(counts.gave_up) {
        println!("  {name:18} gave up {n} times");
    }
    println!("seeds {first} to {} in {:.1} s", seed - 1, started.elapsed().as_secs_f64());
    counts.wrong == 0
}

/// What the headers declare, found once: programs that are preprocessed already are loaded much faster.
fn declarations() -> Option<String> {
    let file = temporary("h.c");
    std::fs::write(&file, HEADERS).ok()?;
    let output = Command::new("cc").args(["-E", "-P"]).arg(&file).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn temporary(ending: &str) -> PathBuf {
    std::env::temp_dir().join(format!("ravel-fuzz-heap-{}-{ending}", std::process::id()))
}

/// How programs become tasks.
struct Loader<'a> {
    declarations: &'a str,
    /// Ends of objects that the engines do not get to see.
    blind: Option<AllocKind>,
}

fn one(seed: u64, only: Option<usize>, loader: &Loader<'_>, counts: &mut Counts) {
    let program = generate(seed);
    let Some(truth) = oracle::explore(&program) else {
        counts.too_large += 1;
        return;
    };
    counts.programs += 1;
    counts.bad += u64::from(truth.errs || truth.misuses);
    let Some(task) = loader.load(&program) else {
        println!("seed {seed}: the front end refuses it\n{}", program.text(HEADERS));
        counts.wrong += 1;
        return;
    };
    let questions = only.map_or(vec![0, 1 + seed as usize % (QUESTIONS.len() - 1)], |only| vec![only]);
    for question in questions {
        let turn = |setting: usize| SETTINGS[setting].1 != "cegar" || (setting as u64 + seed) % 5 < 2;
        if let Some(wrong) = ask(&task, truth, question, &turn, counts) {
            counts.wrong += 1;
            let (small, wrong) = shrink(program.clone(), wrong, loader);
            let (name, ..) = SETTINGS[wrong.setting];
            println!("seed {seed}: {name}, {}: {}\n{}", QUESTIONS[wrong.question].0, wrong.what, small.text(HEADERS));
        }
    }
}

impl Loader<'_> {
    fn load(&self, program: &Program) -> Option<Task> {
        let file = temporary("program.i");
        std::fs::write(&file, program.text(self.declarations)).ok()?;
        let mut program = frontend::load(&[file], &Options::default()).ok()?.program;
        if let Some(blind) = self.blind {
            for edge in program.procs.iter_mut().flat_map(|proc| &mut proc.edges) {
                edge.stmts.retain(|stmt| !matches!(stmt.op, Op::Free { kind, .. } if kind == blind));
            }
        }
        Some(Task { program, properties: Properties::NONE })
    }
}

/// Asks some settings a question; the first who is wrong.
fn ask(
    task: &Task,
    truth: Truth,
    question: usize,
    is_asked: &dyn Fn(usize) -> bool,
    counts: &mut Counts,
) -> Option<Wrong> {
    let (_, properties, expects) = QUESTIONS[question];
    let task = Task { program: task.program.clone(), properties: Properties::of(properties) };
    let expected = expects(truth);
    let is_undefined = truth.misuses && !task.properties.has(Property::Deref);
    let mut said: [Option<bool>; 2] = [None; 2];
    for (setting, (name, engine, knobs)) in SETTINGS.iter().enumerate() {
        if !is_asked(setting) {
            continue;
        }
        let wrong = |what: String| Some(Wrong { setting, question, what });
        let engine = engine_named(engine).expect("the engine is in the table");
        let mut run = Run::of(engine.about(), Budget::of_time(LIMIT), knobs).expect("the knobs are declared");
        let Ok(decided) = catch_unwind(AssertUnwindSafe(|| decide(engine, &task, &mut run))) else {
            return wrong("panics".to_string());
        };
        let is_bad = match decided.verdict() {
            Verdict::Safe(_) => false,
            Verdict::Unsafe(_) => true,
            Verdict::Unknown(Why::NotReplayed(what)) => return wrong(format!("a trace does not replay: {what}")),
            Verdict::Unknown(_) => {
                counts.gave_up[setting] += 1;
                continue;
            }
        };
        if is_undefined && !is_bad {
            counts.undefined += 1;
            continue;
        }
        let word = |is_bad| if is_bad { "unsafe" } else { "safe" };
        if expected.is_some_and(|expected| expected != is_bad) {
            return wrong(format!("says {}, which is wrong", word(is_bad)));
        }
        said[usize::from(is_bad)] = Some(is_bad);
        if said[0].is_some() && said[1].is_some() {
            return wrong(format!("{name} says {}, another one the opposite", word(is_bad)));
        }
        counts.answers += 1;
    }
    None
}

fn shrink(program: Program, wrong: Wrong, loader: &Loader<'_>) -> (Program, Wrong) {
    let still = |program: &Program, wrong: &Wrong| {
        let truth = oracle::explore(program)?;
        let task = loader.load(program)?;
        // A contradiction about races needs all of them.
        let is_asked = |setting| setting == wrong.setting || QUESTIONS[wrong.question].2(truth).is_none();
        ask(&task, truth, wrong.question, &is_asked, &mut Counts::default())
    };
    let (mut small, mut wrong) = (program, wrong);
    while let Some((less, again)) =
        small.smaller().into_iter().find_map(|less| still(&less, &wrong).map(|again| (less, again)))
    {
        (small, wrong) = (less, again);
    }
    (small, wrong)
}

#[cfg(test)]
mod tests;
