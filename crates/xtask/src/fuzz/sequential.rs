//! Does one thread compute what the compiler's program computes? Random programs (`sequential_program`), the explicit engine.

use super::native::{Outcome, PROLOGUE, Settings, Tally, compare};
use super::sequential_program::{Program, generate};
use std::time::{Duration, Instant};

/// `cargo xtask fuzz --sequential [--count N] [--seed S] [--seconds T] [--show SEED]`; true if nothing differs.
pub(crate) fn run(args: &[String]) -> bool {
    let option =
        |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)?.parse::<u64>().ok());
    if let Some(seed) = option("--show") {
        println!("{PROLOGUE}{}", generate(seed).text());
        return true;
    }
    let limit = Duration::from_secs(option("--seconds").unwrap_or(10));
    let settings = Settings { include: Vec::new(), engine: "explicit", limit };
    let started = Instant::now();
    let mut tally = Tally::default();
    let first = option("--seed").unwrap_or(1);
    for seed in first..first + option("--count").unwrap_or(100) {
        let program = generate(seed);
        let outcome = outcome_of(&program, &settings);
        match &outcome {
            Outcome::Differs(_) => println!("{PROLOGUE}{}", shrink(program, &settings).text()),
            Outcome::Unusable(why) => println!("seed {seed}: {why}"),
            _ => {}
        }
        tally.note(seed, outcome);
    }
    tally.report(started)
}

fn outcome_of(program: &Program, settings: &Settings) -> Outcome {
    let file = std::env::temp_dir().join(format!("ravel-sequential-{}.c", std::process::id()));
    if let Err(error) = std::fs::write(&file, format!("{PROLOGUE}{}", program.text())) {
        return Outcome::Unusable(format!("{} cannot be written: {error}", file.display()));
    }
    let outcome = compare(&file, settings);
    let _ = std::fs::remove_file(&file);
    outcome
}

/// A program with as few statements as possible that still differs.
fn shrink(mut program: Program, settings: &Settings) -> Program {
    let differs = |program: &Program| matches!(outcome_of(program, settings), Outcome::Differs(_));
    while let Some(less) = program.smaller().into_iter().find(differs) {
        program = less;
    }
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_contradicts_the_compiler() {
        let settings = Settings { include: Vec::new(), engine: "explicit", limit: Duration::from_secs(5) };
        let mut n_agree = 0;
        for seed in 10..18 {
            match outcome_of(&generate(seed), &settings) {
                Outcome::Agrees => n_agree += 1,
                Outcome::Unanswered(_) => {}
                Outcome::Unusable(why) | Outcome::Differs(why) => panic!("seed {seed}: {why}"),
            }
        }
        assert!(n_agree > 0);
    }
}
