//! How fast is the symbolic engine where the published tool was measured?
//!
//! The programs of the thesis at the depths for which figures of the published tool (CPU seconds on two cores) or of the thesis are known,
//! each with the time it must not exceed; the published tool has to be beaten by a factor of ten. Every row is run three times and the best
//! time counts. The figures of others are seconds of their own machines.

use engines::{Budget, Decided, Run, decide_oox, symbolic};
use ir::Why;
use ir::oox::ViolationKind;
use std::path::PathBuf;
use std::time::Instant;

/// What is measured, and what is known of others.
struct Row {
    file: &'static str,
    /// How many philosophers, where the file says four.
    philosophers: u32,
    entry: &'static str,
    por: &'static str,
    depth: u32,
    length: u32,
    expected: &'static str,
    /// Seconds that it may take.
    allowed: f64,
    /// Seconds of the published tool, and what the thesis says.
    tool: Option<f64>,
    thesis: &'static str,
}

/// The published tool is to be beaten by this factor.
const FACTOR: f64 = 10.0;

const PHILOSOPHERS: Row = Row {
    file: "exp4_philosophers",
    philosophers: 4,
    entry: "Philosophers.main",
    por: "monotonic",
    depth: 100,
    length: 3,
    expected: "any valid",
    allowed: 0.4,
    tool: None,
    thesis: "",
};
const DEADLOCK: Row = Row { file: "exp5_philosophers_deadlock", expected: "deadlock", allowed: 0.5, ..PHILOSOPHERS };
const SORT: Row = Row { file: "exp6_merge_sort", entry: "Main.sort", allowed: 0.1, ..PHILOSOPHERS };
const INDICES: Row =
    Row { file: "exp2_indices_apart", entry: "E3.main", depth: 60, expected: "valid", allowed: 0.05, ..PHILOSOPHERS };

const ROWS: [Row; 13] = [
    Row { depth: 100, tool: Some(0.04), thesis: "0.30", ..PHILOSOPHERS },
    Row { depth: 110, tool: Some(0.14), thesis: "0.66", ..PHILOSOPHERS },
    Row { depth: 120, tool: Some(1.31), thesis: "21.85", ..PHILOSOPHERS },
    Row { depth: 125, tool: Some(3.67), thesis: "93.92", ..PHILOSOPHERS },
    Row { depth: 140, allowed: 5.0, thesis: "487 at 130", ..PHILOSOPHERS },
    Row { depth: 1000, expected: "valid", allowed: 5.0, thesis: "none", ..PHILOSOPHERS },
    Row { philosophers: 3, depth: 100, tool: Some(0.88), ..DEADLOCK },
    Row { depth: 130, thesis: "51.5 (tool: none)", ..DEADLOCK },
    Row { depth: 80, expected: "bounded", tool: Some(0.06), thesis: "0.30", ..SORT },
    Row { depth: 170, tool: Some(0.19), thesis: "0.60 at 160", ..SORT },
    Row { depth: 2000, length: 4, expected: "valid", allowed: 10.0, thesis: "none", ..SORT },
    Row { tool: Some(0.11), ..INDICES },
    Row { por: "none", tool: Some(7.58), allowed: 0.5, ..INDICES },
];

/// Prints the table; true if every answer is right and in time.
pub(crate) fn run() -> bool {
    println!(
        "{:30} {:>9} {:>6} {:>6} {:>16} {:>9} {:>7} {:>6} {:>6} {:>6} {:>7}  thesis",
        "program", "por", "depth", "length", "answer", "seconds", "allowed", "paths", "states", "tool", "faster"
    );
    let mut is_fine = true;
    for Row { file, philosophers, entry, por, depth, length, expected, allowed, tool, thesis } in ROWS {
        let path: PathBuf =
            [env!("CARGO_MANIFEST_DIR"), "../../cases/oox/thesis", &format!("{file}.oox")].iter().collect();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let text = text.replace("int n := 4;", &format!("int n := {philosophers};"));
        let Ok(loaded) = frontend::oox::read(&[(format!("{file}.oox"), text)], entry) else {
            println!("{file}: cannot be read");
            is_fine = false;
            continue;
        };
        let (mut best, mut answer, mut numbers) = (f64::INFINITY, String::new(), (0.0, 0.0));
        for _ in 0..3 {
            let started = Instant::now();
            let (depth, length) = (depth.to_string(), length.to_string());
            let knobs = [("por", por), ("depth", depth.as_str()), ("length", length.as_str())];
            let mut run = Run::of(&symbolic::ABOUT, Budget::unlimited(), &knobs).expect("the knobs are declared");
            let decided = decide_oox(&loaded.program, &mut run);
            best = best.min(started.elapsed().as_secs_f64());
            let count = |name: &str| run.statistics.0.get(name).copied().unwrap_or(0.0);
            numbers = (count("paths"), count("states"));
            answer = match decided {
                Decided::Safe(..) => "valid".to_string(),
                Decided::Unknown(Why::Depth(depth)) => format!("valid up to {depth}"),
                Decided::Unsafe(replayed) if replayed.violation.kind == ViolationKind::Deadlock => {
                    "deadlock".to_string()
                }
                Decided::Unsafe(_) => "invalid".to_string(),
                Decided::Unknown(why) => format!("{why:?}"),
            };
        }
        let is_right = match expected {
            "bounded" => answer.starts_with("valid up to"),
            "any valid" => answer.starts_with("valid"),
            expected => answer == expected,
        };
        let is_late = best > allowed || tool.is_some_and(|tool| best * FACTOR > tool);
        is_fine &= is_right && !is_late;
        let mark = if !is_right {
            "  WRONG"
        } else if is_late {
            "  LATE"
        } else {
            ""
        };
        let label = if philosophers == PHILOSOPHERS.philosophers {
            file.to_string()
        } else {
            format!("{file} n={philosophers}")
        };
        let theirs = tool.map_or(String::new(), |tool| format!("{tool:.2}"));
        let faster = tool.map_or(String::new(), |tool| format!("{:.0}x", tool / best));
        println!(
            "{label:30} {por:>9} {depth:>6} {length:>6} {answer:>16} {best:>9.4} {allowed:>7} {:>6} {:>6} {theirs:>6} {faster:>7}  {thesis}{mark}",
            numbers.0, numbers.1
        );
    }
    is_fine
}
