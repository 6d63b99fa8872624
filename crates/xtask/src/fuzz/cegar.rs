//! Does `cegar` agree with exhaustive search, whatever its domain, reduction and cone?
//!
//! Each random program is decided by enumeration, and then by all 60 settings (three domains, five reductions, four cones), every trace replayed and every
//! proof checked by `decide`; and every fourth once more by settings that do not tell threads apart. A setting may give up, which is counted; it may not be wrong.

use super::generate::generate;
use engines::{Budget, Run, decide, engine_named};
use frontend::Options;
use ir::interp::{Domain, Limits, enumerate};
use ir::{Properties, Property, Task, Verdict, Why};
use std::time::{Duration, Instant};

const DOMAINS: [&str; 3] = ["expl", "pred", "prod"];
const REDUCTIONS: [&str; 5] = ["none", "source", "aware", "dpor", "aware-dpor"];
const CONES: [&str; 4] = ["none", "static", "dynamic", "both"];
/// Domains for threads that are not told apart.
const CROWD_DOMAINS: [&str; 6] = ["expl", "expl-enum", "pred", "pred-bool", "pred-split", "prod"];
const CROWD_REDUCTIONS: [&str; 3] = ["none", "source", "aware"];
/// For each run of a setting.
const LIMIT: Duration = Duration::from_secs(1);
/// Likewise where threads are not told apart, which often leads nowhere.
const CROWD_LIMIT: Duration = Duration::from_millis(250);
/// Every so many programs are tried that way.
const EVERY: u64 = 4;

/// What the settings said, all together.
#[derive(Default)]
struct Counts {
    programs: u64,
    violations: u64,
    too_large: u64,
    answers: u64,
    gave_up: u64,
    checked: u64,
    wrong: u64,
}

/// `cargo xtask fuzz --engine cegar [--count N] [--seed S]`; true if nothing is wrong.
pub(super) fn run(count: u64, first: u64) -> bool {
    let started = Instant::now();
    let mut counts = Counts::default();
    let mut seed = first;
    while counts.programs < count {
        one(seed, &mut counts);
        seed += 1;
        if seed.is_multiple_of(50) {
            eprintln!("{} programs, {} answers, {} wrong", counts.programs, counts.answers, counts.wrong);
        }
    }
    println!(
        "{} programs ({} with violations, {} others too large) with {} settings and {} without telling threads apart: {} answers agree, {} gave up, {} proofs checked, {} wrong",
        counts.programs,
        counts.violations,
        counts.too_large,
        DOMAINS.len() * REDUCTIONS.len() * CONES.len(),
        CROWD_DOMAINS.len() * CROWD_REDUCTIONS.len(),
        counts.answers,
        counts.gave_up,
        counts.checked,
        counts.wrong
    );
    println!("in {:.1} s", started.elapsed().as_secs_f64());
    counts.wrong == 0
}

fn one(seed: u64, counts: &mut Counts) {
    let program = generate(seed);
    let file = std::env::temp_dir().join(format!("ravel-fuzz-{}.c", std::process::id()));
    if let Err(error) = std::fs::write(&file, program.text()) {
        println!("{} cannot be written: {error}", file.display());
        counts.wrong += 1;
        return;
    }
    let Ok(loaded) = frontend::load(&[file], &Options::default()) else {
        println!("seed {seed}: the front end refuses it");
        counts.wrong += 1;
        return;
    };
    let properties = Properties::of(&[Property::ErrorCall, Property::Assertion]);
    let task = Task { program: loaded.program, properties };
    let limits = Limits { max_states: 20_000, domain: Domain::Bits(8), first_only: true, ..Limits::default() };
    let truth = enumerate(&task.program, properties, &limits);
    let is_bad = !truth.violations.is_empty();
    if truth.incomplete.is_some() && !is_bad {
        counts.too_large += 1;
        return;
    }
    counts.programs += 1;
    counts.violations += u64::from(is_bad);
    for domain in DOMAINS {
        for reduction in REDUCTIONS {
            for cone in CONES {
                let knobs = [("domain", domain), ("por", reduction), ("coi", cone)];
                setting(seed, &task, &knobs, LIMIT, is_bad, counts);
            }
        }
    }
    if seed.is_multiple_of(EVERY) {
        crowd_settings(seed, &task, is_bad, counts);
    }
}

/// The settings that do not tell threads apart.
fn crowd_settings(seed: u64, task: &Task, is_bad: bool, counts: &mut Counts) {
    for domain in CROWD_DOMAINS {
        for reduction in CROWD_REDUCTIONS {
            let knobs = [("domain", domain), ("por", reduction), ("crowd", "all")];
            setting(seed, task, &knobs, CROWD_LIMIT, is_bad, counts);
        }
    }
}

fn setting(seed: u64, task: &Task, knobs: &[(&str, &str)], limit: Duration, is_bad: bool, counts: &mut Counts) {
    let engine = engine_named("cegar").expect("cegar is in the table");
    let mut run = Run::of(engine.about(), Budget::of_time(limit), knobs).expect("the knobs are declared");
    match decide(engine, task, &mut run).verdict() {
        Verdict::Safe(_) if !is_bad => counts.answers += 1,
        Verdict::Unsafe(_) if is_bad => counts.answers += 1,
        Verdict::Unknown(Why::NotReplayed(what)) => {
            println!("seed {seed} with {knobs:?}: {what}");
            counts.wrong += 1;
        }
        Verdict::Unknown(_) => counts.gave_up += 1,
        Verdict::Safe(_) | Verdict::Unsafe(_) => {
            println!("seed {seed} with {knobs:?}: wrong; there is{} violation", if is_bad { " a" } else { " no" });
            counts.wrong += 1;
        }
    }
    let n_obligations = run.statistics.0.get("proof obligations").copied().unwrap_or(0.0);
    counts.checked += u64::from(n_obligations > 0.0);
}
