//! `cargo xtask litmus-mutants [--count N] [--seed S]`: does any text make the litmus part panic, or complain without a place?
//!
//! Mutants are made of our litmus tests and of our models (`fuzz::mutate`): words removed, doubled, swapped, taken from elsewhere. What can still be read
//! is asked about for a moment. What cannot must be refused with a message that points into the text.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use engines::axiomatic::shapes::{CLASSIC, shape};
use engines::axiomatic::{self, Question};
use ir::litmus::{Dialect, Test};
use ir::source::Diagnostic;
use logic::Prng;
use memory::cat::Model;

use crate::fuzz::mutate::{mutate, texts_below};

/// How long a question about a mutant may take.
const MOMENT: Duration = Duration::from_millis(50);

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many of tests, and as many of models
    #[arg(long, value_name = "N", default_value_t = 2000)]
    count: u64,
    /// What they are made from
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Tries mutants; whether all of them were taken well.
pub(crate) fn run(options: &Options) -> bool {
    let Options { count, seed } = *options;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tests = texts_below(&root.join("cases/litmus"), "litmus");
    let models = texts_below(&root.join("models"), "cat");
    let built_in = |name: &str| memory::cat::load(name, &|_| None, &Default::default()).expect("our models load");
    let known: Vec<Model> = ["tso", "aarch64", "power", "riscv", "rc11", "linux-kernel", "udp"].map(built_in).into();
    let told = try_all("tests", count, seed, &tests, &|text| attempt_test(text, &known));
    told & try_all("models", count, seed, &models, &attempt_model)
}

/// Whether nothing failed; an attempt says whether the text could be read.
fn try_all(
    what: &str,
    count: u64,
    seed: u64,
    texts: &[String],
    attempt: &dyn Fn(&str) -> Result<bool, String>,
) -> bool {
    let started = Instant::now();
    let mut random = Prng::new(seed);
    let (mut n_read, mut n_failed) = (0, 0);
    for number in 0..count {
        let text = mutate(&mut random, texts);
        match catch_unwind(AssertUnwindSafe(|| attempt(&text))) {
            Ok(Ok(is_read)) => n_read += u64::from(is_read),
            Ok(Err(problem)) => {
                n_failed += 1;
                println!("mutant {number}: {problem}\n{text}");
            }
            Err(_) => {
                n_failed += 1;
                println!("mutant {number} panics:\n{text}");
            }
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("{count} mutants of {what}: {} refused, {n_read} read, {n_failed} failed, {seconds:.1} s", count - n_read);
    n_failed == 0 && !texts.is_empty()
}

fn ask(test: &Test, model: &Model) {
    let started = Instant::now();
    let question = Question { unroll: 1, ..Question::default() };
    // Any answer will do, and none: only a panic would not.
    let _ = axiomatic::answer(test, model, &question, &|| started.elapsed() > MOMENT);
}

fn attempt_test(text: &str, models: &[Model]) -> Result<bool, String> {
    match frontend::litmus::parse("mutant.litmus", text, &Default::default()) {
        Ok(test) => {
            let index = match test.dialect {
                Dialect::X86 | Dialect::X86_64 => 0,
                Dialect::AArch64 => 1,
                Dialect::Ppc => 2,
                Dialect::RiscV => 3,
                Dialect::C => 4,
                Dialect::Kernel => 5,
                Dialect::Proto => 6,
            };
            ask(&test, &models[index]);
            Ok(true)
        }
        Err(rejected) => match rejected.diagnostics.first() {
            Some(problem) => points_into(problem),
            None => Err("refused without a message".to_string()),
        },
    }
}

fn attempt_model(text: &str) -> Result<bool, String> {
    let read = |name: &str| (name == "mutant.cat").then(|| (name.to_string(), text.to_string()));
    match memory::cat::load("mutant.cat", &read, &Default::default()) {
        Ok(model) => {
            for (name, line) in CLASSIC.iter().take(8) {
                ask(&shape(name, line, &[], &[]), &model);
            }
            Ok(true)
        }
        Err(problem) => points_into(&problem.0),
    }
}

/// Refused at a line of the text, or of a file that it includes.
fn points_into(problem: &Diagnostic) -> Result<bool, String> {
    if problem.span.line >= 1 { Ok(false) } else { Err(format!("`{}` has no place", problem.message)) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_mutant_panics() {
        assert!(super::run(&super::Options { count: 250, seed: 1 }));
    }
}
