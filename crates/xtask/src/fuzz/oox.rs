//! Do the three reductions of the symbolic engine agree, with each other and with running every schedule on every small input?
//!
//! Every setting must say exactly what the enumeration says of a random program (`oox_program`): valid (a proof: these programs end), or a
//! violation that the enumeration knows too. At a small depth, where nobody has to find anything, nothing may be called a proof or a
//! violation that is none, and what is found without a reduction must be found with each.

use super::mutate;
use super::oox_program::{MAX_LENGTH, all_inputs, generate};
use engines::{Budget, Decided, Run, decide_oox, symbolic};
use ir::Why;
use ir::oox::{Program, Replayed, ViolationKind, enumerate};
use std::path::{Path, PathBuf};
use std::time::Instant;

const SETTINGS: [(&str, &[(&str, &str)]); 5] = [
    ("none", &[("por", "none")]),
    ("simple", &[("por", "simple")]),
    ("monotonic", &[("por", "monotonic")]),
    ("monotonic without matching", &[("por", "monotonic"), ("match", "off")]),
    ("random order", &[("order", "mixed")]),
];

/// `cargo xtask fuzz --oox [--count N] [--seed S] [--show SEED]`, or with `--mutants N [--folder F]` texts that are
/// slightly wrong; true if nothing differs.
pub(crate) fn run(args: &[String]) -> bool {
    let option =
        |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)?.parse::<u64>().ok());
    if let Some(seed) = option("--show") {
        println!("{}", generate(seed));
        return true;
    }
    if let Some(mutants) = option("--mutants") {
        let folder = args.iter().position(|arg| arg == "--folder").and_then(|at| args.get(at + 1)).map(PathBuf::from);
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/oox");
        return mutate::run(mutants as usize, option("--seed").unwrap_or(1), &folder.unwrap_or(own));
    }
    let (count, first) = (option("--count").unwrap_or(300), option("--seed").unwrap_or(1));
    let started = Instant::now();
    let (mut n_compared, mut n_large, mut n_differ, mut n_invalid, mut n_deadlock) = (0u64, 0u64, 0u64, 0u64, 0u64);
    let mut seed = first;
    while n_compared + n_differ < count {
        let text = generate(seed);
        let loaded = match frontend::oox::read(&[(format!("{seed}.oox"), text.clone())], "Main.main") {
            Ok(loaded) => loaded,
            Err(rejected) => {
                println!("seed {seed} is rejected: {:?}\n{text}", rejected.diagnostics);
                return false;
            }
        };
        let expected = enumerate(&loaded.program, &all_inputs(&loaded.program, &text), 400_000);
        if !expected.is_complete {
            n_large += 1;
            seed += 1;
            continue;
        }
        match compare(&loaded.program, &expected.violations, 5 + (seed % 60) as u32) {
            Ok(()) => n_compared += 1,
            Err(difference) => {
                n_differ += 1;
                println!("seed {seed}: {difference}\nenumeration: {:?}\n{text}", expected.violations);
            }
        }
        n_invalid += u64::from(!expected.violations.is_empty());
        n_deadlock += u64::from(expected.violations.iter().any(|v| v.kind == ViolationKind::Deadlock));
        seed += 1;
    }
    println!(
        "{n_compared} programs agree, {n_differ} differ ({n_invalid} invalid, {n_deadlock} of them with a deadlock; {n_large} too large), {:.1} s",
        started.elapsed().as_secs_f64()
    );
    n_differ == 0
}

/// Whether every setting says what the enumeration says, and nothing wrong at a small depth.
fn compare(program: &Program, violations: &[ir::oox::Violation], small: u32) -> Result<(), String> {
    let mut must_be_found = false;
    for (name, knobs) in SETTINGS {
        match ask(program, knobs, 2000) {
            Decided::Safe(..) if violations.is_empty() => {}
            Decided::Unsafe(replayed) if violations.contains(&replayed.violation) => {}
            verdict => return Err(format!("{name} says {verdict:?}")),
        }
        let verdict = ask(program, knobs, small);
        let is_right = match &verdict {
            Decided::Safe(..) => violations.is_empty(),
            Decided::Unknown(Why::Depth(_)) => !must_be_found,
            Decided::Unsafe(replayed) => violations.contains(&replayed.violation),
            Decided::Unknown(_) => false,
        };
        must_be_found |= name == "none" && matches!(verdict, Decided::Unsafe(_));
        if !is_right {
            return Err(format!("{name} at depth {small} says {verdict:?}"));
        }
    }
    Ok(())
}

fn ask(program: &Program, knobs: &[(&str, &str)], depth: u32) -> Decided<Replayed> {
    let (depth, length) = (depth.to_string(), MAX_LENGTH.to_string());
    let knobs = [knobs, &[("depth", depth.as_str()), ("length", length.as_str())]].concat();
    let budget = Budget::of_time(std::time::Duration::from_secs(60));
    let mut run = Run::of(&symbolic::ABOUT, budget, &knobs).expect("the knobs are declared");
    decide_oox(program, &mut run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_agree_with_all_schedules() {
        for seed in 5000..5012 {
            let text = generate(seed);
            let loaded = frontend::oox::read(&[("a.oox".to_string(), text.clone())], "Main.main").expect("it is valid");
            let expected = enumerate(&loaded.program, &all_inputs(&loaded.program, &text), 100_000);
            if expected.is_complete {
                assert_eq!(compare(&loaded.program, &expected.violations, 20), Ok(()), "seed {seed}");
            }
        }
    }
}
