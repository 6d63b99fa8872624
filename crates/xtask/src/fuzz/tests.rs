//! A share of each fuzzer for every run of the tests, and whether each would notice what it is for.

use super::ask::{Blind, expect_panics};
use super::driver::{Fuzzer, Plan};
use super::subject::Counts;
use super::FUZZERS;
use std::time::Duration;

fn try_some(row: &Fuzzer, count: u64, blind: Option<Blind>) -> Counts {
    expect_panics();
    // What is wrong is made smaller and kept, but not among the cases.
    let into = blind.is_none().then(|| std::env::temp_dir().join("ravel-fuzz"));
    row.run(&Plan { first: 1, count, time: Some(Duration::from_secs(30)), jobs: 1, blind, into })
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
        "cegar" | "locks" | "heap" | "sequential" | "turns" => 8,
        _ => 12,
    }
}

#[test]
fn nobody_is_wrong() {
    for row in FUZZERS {
        let counts = try_some(row, share(row.name), None);
        assert_eq!(counts.n_wrong(), 0, "{}: {}", row.name, counts.line());
        // Csmith need not be there, and is slow.
        assert!(counts.agree > 0 || row.name == "csmith", "{}: {} {:?}", row.name, counts.line(), counts.reasons());
    }
}

#[test]
fn who_does_not_see_everything_is_found_out() {
    for (name, blind, count) in [
        ("heap", Blind::Free, 20),
        ("heap", Blind::Scopes, 60),
        ("explicit", Blind::Stores, 5),
        ("bmc", Blind::Stores, 5),
        ("cegar", Blind::Stores, 10),
        ("tso", Blind::Stores, 10),
        ("pso", Blind::Stores, 10),
        ("orders", Blind::Stores, 20),
        ("locks", Blind::Waits, 10),
        ("sequential", Blind::Stores, 3),
        ("turns", Blind::Stores, 3),
    ] {
        let counts = try_some(named(name), count, Some(blind));
        assert!(counts.verdicts > 0, "{name}, {blind:?}: {}", counts.line());
    }
}
