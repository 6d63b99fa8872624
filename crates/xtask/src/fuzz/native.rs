//! Does a program of one thread end as the compiler's program does?
//!
//! The program ends in `DONE(x)`, where `x` is a number made of all that it computed. The system's compiler makes a program that
//! prints the number; ravel must then prove that it is this one, and find an execution that shows it is. What ravel does not
//! answer is counted by its reason; an answer that contradicts the compiler's program is a difference.

use engines::{Budget, Run, decide, engine_named};
use frontend::Options;
use ir::{Properties, Property, Task, Verdict, Why};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Put before the text of a program.
pub(super) const PROLOGUE: &str = "#include <assert.h>\n#include <stdio.h>\n#ifdef WANT\n\
    #define DONE(x) assert((x) OP WANT)\n#else\n#define DONE(x) printf(\"0x%llxULL\\n\", (unsigned long long)(x))\n#endif\n";

/// What came of one program.
pub(super) enum Outcome {
    /// Ravel says what the compiler's program says.
    Agrees,
    /// Ravel does not answer, for this reason.
    Unanswered(String),
    /// The compiler's program does not come to an end, or there is none.
    Unusable(String),
    /// Ravel contradicts it.
    Differs(String),
}

/// How programs are compiled and asked about.
pub(super) struct Settings {
    pub(super) include: Vec<PathBuf>,
    pub(super) engine: &'static str,
    /// For each question.
    pub(super) limit: Duration,
}

/// What came of all programs.
#[derive(Default)]
pub(super) struct Tally {
    agree: u64,
    differ: u64,
    unusable: u64,
    unanswered: BTreeMap<String, u64>,
}

impl Tally {
    pub(super) fn note(&mut self, seed: u64, outcome: Outcome) {
        match outcome {
            Outcome::Agrees => self.agree += 1,
            Outcome::Unusable(_) => self.unusable += 1,
            Outcome::Unanswered(why) => *self.unanswered.entry(why).or_default() += 1,
            Outcome::Differs(what) => {
                self.differ += 1;
                println!("seed {seed}: {what}");
            }
        }
    }

    /// Prints the figures; true if nothing differs.
    pub(super) fn report(&self, started: Instant) -> bool {
        let n_unanswered: u64 = self.unanswered.values().sum();
        println!(
            "{} programs agree with the compiler, {} differ, {n_unanswered} are not answered, {} are of no use; in {:.1} s",
            self.agree,
            self.differ,
            self.unusable,
            started.elapsed().as_secs_f64()
        );
        for (why, count) in &self.unanswered {
            println!("  {count:>5}  {why}");
        }
        self.differ == 0
    }
}

/// Compiles and runs a program, and asks ravel about it.
pub(super) fn compare(file: &Path, settings: &Settings) -> Outcome {
    let number = match run_compiled(file, settings) {
        Ok(number) => number,
        Err(why) => return Outcome::Unusable(why),
    };
    for (operator, is_safe) in [("==", true), ("!=", false)] {
        match ask(file, settings, operator, &number) {
            Ok(Verdict::Safe(_)) if is_safe => {}
            Ok(Verdict::Unsafe(_)) if !is_safe => {}
            Ok(Verdict::Unknown(why)) => return Outcome::Unanswered(kind_of(&why)),
            Ok(_) => return Outcome::Differs(format!("`DONE {operator} {number}` is answered wrongly")),
            Err(why) => return Outcome::Unanswered(why),
        }
    }
    Outcome::Agrees
}

/// The number that the compiler's program prints.
fn run_compiled(file: &Path, settings: &Settings) -> Result<String, String> {
    let binary = file.with_extension("out");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_string());
    let mut command = Command::new(compiler);
    command.args(["-w", "-O0", "-fwrapv", "-ffp-contract=off", "-o"]).arg(&binary).arg(file).arg("-lm");
    for folder in &settings.include {
        command.arg("-I").arg(folder);
    }
    let compiled = command.output().map_err(|error| error.to_string())?;
    if !compiled.status.success() {
        return Err(format!("it does not compile: {}", String::from_utf8_lossy(&compiled.stderr)));
    }
    let mut child = Command::new(&binary).stdout(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if started.elapsed() < Duration::from_secs(3) => std::thread::sleep(Duration::from_millis(5)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("it takes too long".to_string());
            }
            Err(error) => return Err(error.to_string()),
        }
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let _ = std::fs::remove_file(&binary);
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().last() {
        Some(number) if output.status.success() => Ok(number.trim().to_string()),
        _ => Err("it does not end well".to_string()),
    }
}

fn ask(file: &Path, settings: &Settings, operator: &str, number: &str) -> Result<Verdict, String> {
    let options = Options {
        include: settings.include.clone(),
        define: vec![format!("WANT={number}"), format!("OP={operator}")],
        ..Options::default()
    };
    let loaded = frontend::load(&[file.to_path_buf()], &options).map_err(|rejected| {
        let first = rejected.diagnostics.first().map(|diagnostic| diagnostic.message.clone());
        format!("the front end: {}", without_names(&first.unwrap_or_default()))
    })?;
    let properties = Properties::of(&[Property::Assertion, Property::Deref, Property::Division]);
    let task = Task { program: loaded.program, properties };
    let engine = engine_named(settings.engine).ok_or("there is no such engine")?;
    let mut run = Run::new(Budget::of_time(settings.limit));
    Ok(decide(engine, &task, &mut run).verdict())
}

/// A reason without its place and names, so that equal ones can be counted.
fn kind_of(why: &Why) -> String {
    match why {
        Why::Unsupported { what, .. } => without_names(what),
        other => without_names(&format!("{other:?}")),
    }
}

fn without_names(text: &str) -> String {
    let mut parts = text.split('`');
    let mut kept = parts.next().unwrap_or_default().to_string();
    while let Some(_name) = parts.next() {
        kept.push_str("`…`");
        kept.push_str(parts.next().unwrap_or_default());
    }
    kept.chars().filter(|c| !c.is_ascii_digit()).collect()
}
