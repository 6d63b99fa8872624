//! How fast is the symbolic engine where the published tool was measured?
//!
//! The programs of the thesis at the depths for which figures of the published tool (CPU seconds on two cores) or of the thesis are known,
//! each with the time it must not exceed. Every row is run three times and the best time counts.

use engines::symbolic::OoxVerdict;
use engines::{Run, decide_oox};
use ir::oox::ViolationKind;
use std::path::PathBuf;
use std::time::Instant;

/// File, entry, depth, greatest length, expected, seconds allowed, what is known of others.
type Row = (&'static str, &'static str, u32, u32, &'static str, f64, &'static str);

const ROWS: [Row; 11] = [
    ("exp4_philosophers", "Philosophers.main", 100, 3, "any valid", 0.4, "tool 0.04 s, thesis 0.30 s"),
    ("exp4_philosophers", "Philosophers.main", 110, 3, "any valid", 0.4, "tool 0.14 s, thesis 0.66 s"),
    ("exp4_philosophers", "Philosophers.main", 120, 3, "any valid", 0.4, "tool 1.31 s, thesis 21.85 s"),
    ("exp4_philosophers", "Philosophers.main", 125, 3, "any valid", 0.4, "tool 3.67 s, thesis 93.92 s"),
    ("exp4_philosophers", "Philosophers.main", 140, 3, "any valid", 5.0, "thesis 487 s at 130"),
    ("exp4_philosophers", "Philosophers.main", 1000, 3, "valid", 5.0, "to completion"),
    ("exp5_philosophers_deadlock", "Philosophers.main", 130, 3, "deadlock", 0.5, "tool: none, thesis 51.5 s"),
    ("exp6_merge_sort", "Main.sort", 80, 3, "bounded", 0.1, "tool 0.06 s, thesis 0.30 s"),
    ("exp6_merge_sort", "Main.sort", 170, 3, "any valid", 0.1, "tool 0.19 s, thesis 0.60 s at 160"),
    ("exp6_merge_sort", "Main.sort", 2000, 4, "valid", 10.0, "to completion"),
    ("exp2_indices_apart", "E3.main", 60, 3, "valid", 0.05, "tool 0.11 s"),
];

/// Prints the table; true if every answer is right and in time.
pub(crate) fn run() -> bool {
    println!(
        "{:28} {:>6} {:>7} {:>18} {:>9} {:>8} {:>8} {:>8}  others",
        "program", "depth", "length", "answer", "seconds", "allowed", "paths", "states"
    );
    let mut is_fine = true;
    for (file, entry, depth, length, expected, allowed, others) in ROWS {
        let path: PathBuf =
            [env!("CARGO_MANIFEST_DIR"), "../../cases/oox/thesis", &format!("{file}.oox")].iter().collect();
        let Ok(loaded) = frontend::oox::load(&[path], entry) else {
            println!("{file}: cannot be read");
            is_fine = false;
            continue;
        };
        let (mut best, mut answer, mut numbers) = (f64::INFINITY, String::new(), (0.0, 0.0));
        for _ in 0..3 {
            let started = Instant::now();
            let mut run = Run::unlimited();
            run.knobs.insert("depth".to_string(), depth.to_string());
            run.knobs.insert("length".to_string(), length.to_string());
            let decided = decide_oox(&loaded.program, &mut run);
            best = best.min(started.elapsed().as_secs_f64());
            let count = |name: &str| run.statistics.0.get(name).copied().unwrap_or(0.0);
            numbers = (count("paths"), count("states"));
            answer = match decided.verdict {
                OoxVerdict::Valid { .. } => "valid".to_string(),
                OoxVerdict::ValidUpTo { depth } => format!("valid up to {depth}"),
                OoxVerdict::Invalid(trace) if trace.violation.kind == ViolationKind::Deadlock => "deadlock".to_string(),
                OoxVerdict::Invalid(_) => "invalid".to_string(),
                OoxVerdict::Unknown(why) => format!("{why:?}"),
            };
        }
        let is_right = match expected {
            "bounded" => answer.starts_with("valid up to"),
            "any valid" => answer.starts_with("valid"),
            expected => answer == expected,
        };
        let is_late = best > allowed;
        is_fine &= is_right && !is_late;
        let mark = if !is_right {
            "  WRONG"
        } else if is_late {
            "  LATE"
        } else {
            ""
        };
        println!(
            "{file:28} {depth:>6} {length:>7} {answer:>18} {best:>9.4} {allowed:>8} {:>8} {:>8}  {others}{mark}",
            numbers.0, numbers.1
        );
    }
    is_fine
}
