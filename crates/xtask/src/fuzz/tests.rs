//! A share of each fuzzer for every run of the tests, and whether each would notice what it is for.

use super::FUZZERS;
use super::ask::Blind;
use super::driver::{Fuzzer, Plan};
use super::subject::Counts;
use cases::Pool;
use std::time::Duration;

/// For each fuzzer; on a slow machine fewer programs are tried.
const LIMIT: Duration = Duration::from_millis(1500);
/// For each that must find something.
const LONGER: Duration = Duration::from_secs(4);

fn try_some(row: &Fuzzer, first: u64, count: u64, blind: Option<Blind>) -> Counts {
    // What is wrong is made smaller and kept, but not among the cases.
    let into = blind.is_none().then(|| std::env::temp_dir().join("ravel-fuzz"));
    let time = Some(if blind.is_none() { LIMIT } else { LONGER });
    row.run(&Plan { first, count, time, jobs: 1, blind, into })
}

fn named(name: &str) -> &'static Fuzzer {
    FUZZERS.iter().find(|row| row.name == name).expect("it is in the table")
}

/// How many programs of each fuzzer are tried.
fn share(name: &str) -> u64 {
    match name {
        "oox-texts" => 300,
        "orders" => 40,
        "csmith" => 1,
        "cegar" | "impact" | "sections" | "blocks" | "locks" | "heap" | "library" | "sequential" | "turns"
        | "recursion" | "calls" => 8,
        _ => 12,
    }
}

#[test]
fn nobody_is_wrong() {
    Pool::default().map(FUZZERS, |row| {
        let counts = try_some(row, 1, share(row.name), None);
        assert_eq!(counts.n_wrong(), 0, "{}: {}", row.name, counts.line());
        // On a slow machine time is over before the first answers; csmith need not be there, and is slow.
        let tried = counts.programs + counts.too_large + counts.useless.values().sum::<u64>();
        let is_cut = tried < share(row.name) || row.name == "csmith";
        assert!(counts.agree > 0 || is_cut, "{}: {} {:?}", row.name, counts.line(), counts.reasons());
    });
}

/// Each begins with a program that shows it soon; if programs have changed since, one of the next ones does.
#[test]
fn who_does_not_see_everything_is_found_out() {
    for (name, blind, first, count) in [
        ("heap", Blind::Free, 13, 20),
        ("heap", Blind::Scopes, 60, 60),
        ("explicit", Blind::Values, 5, 5),
        ("bmc", Blind::Values, 5, 5),
        ("cegar", Blind::Values, 5, 10),
        ("impact", Blind::Values, 5, 10),
        ("retries", Blind::Values, 6, 20),
        ("sections", Blind::Values, 9, 20),
        ("tso", Blind::Values, 5, 10),
        ("pso", Blind::Values, 1, 10),
        ("tso-buffers", Blind::Values, 1, 10),
        ("pso-buffers", Blind::Values, 10, 10),
        ("graphs", Blind::Values, 3, 10),
        ("orders", Blind::Values, 19, 40),
        ("outcomes", Blind::Values, 2, 40),
        ("locks", Blind::Waits, 3, 10),
        ("library", Blind::Waits, 19, 20),
        ("library", Blind::Values, 3, 20),
        ("sequential", Blind::Values, 2, 3),
        ("turns", Blind::Values, 1, 3),
        ("calls", Blind::Values, 5, 10),
    ] {
        let is_found_out = |seed| try_some(named(name), seed, 1, Some(blind)).verdicts > 0;
        assert!((first..first + count).any(is_found_out), "{name}, {blind:?}");
    }
}
