//! Random programs: whatever the domain, reduction and cone, the engine must not contradict the interpreter, and its proofs must hold.

use super::Cegar;
use crate::explicit::agrees::program;
use crate::{Budget, Engine, Run, decide};
use ir::interp::{Domain, Limits, enumerate};
use ir::{Properties, Property, Task, Verdict, Why};
use std::time::Duration;

const DOMAINS: [&str; 6] = ["expl", "pred", "prod", "expl-enum", "pred-bool", "pred-split"];
const REDUCTIONS: [&str; 5] = ["none", "source", "aware", "dpor", "aware-dpor"];
const CONES: [&str; 4] = ["none", "static", "dynamic", "both"];

/// The settings with a number; all of them are met if enough numbers are.
fn settings(number: usize) -> [(&'static str, &'static str); 4] {
    let (domain, rest) = (DOMAINS[number % 6], number / 6);
    let prune = ["full", "lazy", "several", "lazy"][(number / 2) % 4];
    [("domain", domain), ("por", REDUCTIONS[rest % 5]), ("coi", CONES[rest / 5 % 4]), ("prune", prune)]
}

#[test]
fn random_programs_are_not_contradicted() {
    let properties = Properties::of(&[Property::ErrorCall, Property::Assertion]);
    let (mut n_decided, mut n_safe, mut n_unsafe) = (0, 0, 0);
    for seed in 0..120u64 {
        let task = Task { program: program(seed, 3 + seed % 3, properties), properties };
        let limits = Limits { max_states: 20_000, domain: Domain::Bits(4), first_only: true, ..Limits::default() };
        let truth = enumerate(&task.program, properties, &limits);
        let is_bad = !truth.violations.is_empty();
        if truth.incomplete.is_some() && !is_bad {
            continue;
        }
        let settings = settings(seed as usize);
        let budget = Budget::of_time(Duration::from_secs(2));
        let mut run = Run::of(Cegar.about(), budget, &settings).expect("the knobs are declared");
        match decide(&Cegar, &task, &mut run).verdict() {
            Verdict::Safe(_) if !is_bad => n_safe += 1,
            Verdict::Unsafe(_) if is_bad => n_unsafe += 1,
            Verdict::Unknown(Why::NotReplayed(what)) => panic!("seed {seed} with {settings:?}: {what}"),
            Verdict::Unknown(_) => continue,
            Verdict::Safe(_) => panic!("seed {seed} with {settings:?}: safe, but there is a violation"),
            Verdict::Unsafe(_) => panic!("seed {seed} with {settings:?}: unsafe, but there is no violation"),
        }
        n_decided += 1;
    }
    assert!(n_safe > 15 && n_unsafe > 2 && n_decided > 40, "{n_decided} decided: {n_safe} safe, {n_unsafe} unsafe");
}
