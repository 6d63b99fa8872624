//! `cargo xtask bench litmus SUITE.csv [RAVEL]`: processor time for each litmus test, by family, beside the targets; and what starting the program costs.
//!
//! One process, one thread; times are of the processor, so that other work on the machine does not count. A target is a tenth of what
//! herd7 needs on a machine with two cores. The program that is started is the one beside this one, or the one that is named; the fastest of some
//! starts is told, because a start is too short for the processor's clock.

use engines::axiomatic::{self, Goal, Question};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Milliseconds that a test of a model may take on average.
const TARGETS: &[(&str, f64)] = &[
    ("tso", 1.0),
    ("power", 3.0),
    ("riscv", 6.0),
    ("aarch64", 15.0),
    ("aarch64 mixed", 170.0),
    ("linux-kernel", 50.0),
];

/// No test may take longer: milliseconds.
const LONGEST: f64 = 2000.0;

#[derive(Default)]
struct Family {
    n: usize,
    n_wrong: usize,
    n_undecided: usize,
    n_long: usize,
    total: f64,
    worst: (f64, String),
    reading: f64,
}

/// Runs the suite and prints the table; whether all answers are right.
pub(crate) fn run(suite: &Path, ravel: Option<&Path>) -> bool {
    let tasks = match cases::suite::read(&[suite.to_path_buf()], &[]) {
        Ok(tasks) => tasks,
        Err(error) => {
            eprintln!("{error}");
            return false;
        }
    };
    let folder = suite.parent().unwrap_or(Path::new(""));
    let options = frontend::litmus::Options::default();
    let mut models = BTreeMap::new();
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    for task in &tasks {
        let name = task.property.as_str();
        let test = task.path.strip_prefix(folder).unwrap_or(&task.path).to_string_lossy();
        let model = models
            .entry(name.to_string())
            .or_insert_with(|| memory::cat::load(name, &|_| None, &Default::default()).expect("our models load"));
        let is_mixed = test.contains("mixed");
        let family = families.entry(if is_mixed { format!("{name} mixed") } else { name.to_string() }).or_default();
        family.n += 1;
        let begun = processor_time();
        let parsed = frontend::litmus::load(&task.path, &options);
        let read = processor_time();
        let question = Question { goal: Goal::Verdict, with_flags: false, ..Question::default() };
        let started = Instant::now();
        let verdict = parsed.ok().and_then(|test| {
            let answer = axiomatic::answer(&test, model, &question, &|| started.elapsed().as_secs() >= 10).ok()?;
            answer.decided(&test)
        });
        let took = processor_time() - begun;
        family.reading += read - begun;
        family.total += took;
        family.n_long += usize::from(took > LONGEST);
        if took > family.worst.0 {
            family.worst = (took, test.to_string());
        }
        match verdict {
            None => family.n_undecided += 1,
            Some(holds) => family.n_wrong += usize::from(holds != (task.expected == "true")),
        }
    }
    println!(
        "{:<14} {:>6} {:>6} {:>10} {:>9} {:>9} {:>9} {:>9} {:>8}  slowest",
        "model", "tests", "wrong", "undecided", "mean ms", "target", "reading", "worst ms", "over 2 s"
    );
    for (name, family) in &families {
        let target =
            TARGETS.iter().find(|(known, _)| known == name).map_or("-".to_string(), |(_, target)| format!("{target}"));
        println!(
            "{name:<14} {:>6} {:>6} {:>10} {:>9.3} {target:>9} {:>9.3} {:>9.1} {:>8}  {}",
            family.n,
            family.n_wrong,
            family.n_undecided,
            family.total / family.n as f64,
            family.reading / family.n as f64,
            family.worst.0,
            family.n_long,
            family.worst.1
        );
    }
    let beside = std::env::current_exe().ok().map(|path| path.with_file_name("ravel"));
    if let Some(program) = ravel.map(Path::to_path_buf).or(beside.filter(|path| path.is_file())) {
        let test = tasks.first().map_or_else(String::new, |task| task.path.display().to_string());
        for words in [vec!["engines"], vec!["litmus", &test]] {
            println!("starting the program, `ravel {}`: {:.1} ms (target 5 ms)", words[0], start(&program, &words));
        }
    }
    families.values().all(|family| family.n_wrong == 0)
}

/// Milliseconds from start to end of the program, in the fastest of some runs.
fn start(program: &Path, words: &[&str]) -> f64 {
    let run = |_| {
        let begun = Instant::now();
        let is_fine = Command::new(program).args(words).output().is_ok();
        if is_fine { begun.elapsed().as_secs_f64() * 1e3 } else { f64::NAN }
    };
    (0..20).map(run).fold(f64::INFINITY, f64::min)
}

/// Milliseconds that this thread has had of a processor; of the clock where the system does not tell.
fn processor_time() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds
        .map_or_else(|| std::time::UNIX_EPOCH.elapsed().map_or(0.0, |time| time.as_secs_f64() * 1e3), |ns| ns / 1e6)
}
