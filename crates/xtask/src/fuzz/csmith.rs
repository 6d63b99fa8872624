//! Programs of csmith: does ravel compute the checksum that the compiler's program prints?
//!
//! Csmith (`apt-get install csmith libcsmith-dev`) writes programs without undefined behaviour whose result is a checksum of all
//! globals. They are kept small, and vary by seed in what they have: packed structs, volatile variables, floats.

use super::native::{Outcome, PROLOGUE, Settings, Tally, compare};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const SMALL: [&str; 19] = [
    "--no-argc",
    "--max-funcs",
    "3",
    "--max-block-depth",
    "3",
    "--max-block-size",
    "3",
    "--max-expr-complexity",
    "4",
    "--max-array-dim",
    "2",
    "--max-array-len-per-dim",
    "4",
    "--max-pointer-depth",
    "2",
    "--max-struct-fields",
    "5",
    "--max-union-fields",
    "4",
];

/// Where the package puts the headers of csmith's programs.
const HEADERS: [&str; 3] = ["/usr/include/csmith", "/usr/local/include/csmith", "/usr/include/csmith-2.3.0"];

/// `cargo xtask fuzz --csmith [--count N] [--seed S] [--seconds T] [--keep FOLDER]`; true if nothing differs.
pub(crate) fn run(args: &[String]) -> bool {
    let value = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let number = |name: &str, otherwise: u64| value(name).and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let Some(headers) = HEADERS.iter().map(PathBuf::from).find(|folder| folder.join("csmith.h").is_file()) else {
        println!("csmith.h is not there: apt-get install csmith libcsmith-dev");
        return false;
    };
    let limit = Duration::from_secs(number("--seconds", 10));
    let settings = Settings { include: vec![headers], engine: "explicit", limit };
    let started = Instant::now();
    let mut tally = Tally::default();
    let first = number("--seed", 1);
    for seed in first..first + number("--count", 50) {
        let file = std::env::temp_dir().join(format!("ravel-csmith-{}-{seed}.c", std::process::id()));
        let outcome = match write_program(seed, &file) {
            Ok(()) => compare(&file, &settings),
            Err(why) => Outcome::Unusable(why),
        };
        if let (Outcome::Differs(_), Some(folder)) = (&outcome, value("--keep")) {
            let _ = std::fs::copy(&file, Path::new(folder).join(format!("csmith-{seed}.c")));
        }
        let _ = std::fs::remove_file(&file);
        tally.note(seed, outcome);
    }
    tally.report(started)
}

fn write_program(seed: u64, file: &Path) -> Result<(), String> {
    let mut command = Command::new("csmith");
    command.args(["--seed", &seed.to_string()]).args(SMALL);
    if seed.is_multiple_of(3) {
        command.arg("--no-volatiles");
    }
    if !seed.is_multiple_of(2) {
        command.arg("--no-packed-struct");
    }
    if seed.is_multiple_of(5) {
        command.arg("--float");
    }
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let Some((before, after)) = text.split_once("platform_main_end(") else {
        return Err("csmith wrote no program".to_string());
    };
    let (sum, after) = after.split_once(',').ok_or("the end of main is not as expected")?;
    let after = after.split_once(");").map_or("", |(_, rest)| rest);
    let text = format!("{PROLOGUE}{before}DONE({sum});{after}");
    std::fs::write(file, text).map_err(|error| error.to_string())
}
