//! The experiments of the thesis on monotonic partial order reduction in OOX, with our figures beside its own.
//!
//! EXP-1 to EXP-3 are about verdicts (figure 6.1 and table 6.2 there), EXP-4 and EXP-6 about time and paths against depth (tables A.6 and A.7), EXP-5
//! about finding a deadlock. Times are of this machine, the thesis' of a laptop with eight cores. For none, simple and monotonic states are not
//! compared, as in the thesis; `compared` is what the engine does by default: monotonic, and a path that comes to a known state ends there.

use super::args::Args;
use super::kind::{Experiment, How};
use super::table::Table;
use engines::{Budget, Decided, Run, decide_oox, symbolic};
use ir::Why;
use ir::oox::{Program, ViolationKind};
use std::time::{Duration, Instant};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "oox",
    about: "Symbolic execution of OOX with no, simple and monotonic partial order reduction (por none, simple, monotonic)",
    run: How::Tables(run),
};

/// What is run: its name, the reduction, whether states are compared (the thesis does not).
const SETTINGS: [(&str, &str, &str); 4] = [
    ("none", "none", "off"),
    ("simple", "simple", "off"),
    ("monotonic", "monotonic", "off"),
    ("compared", "monotonic", "on"),
];

macro_rules! programs {
    ($($label:literal $file:literal $entry:literal $depth:literal $expected:literal;)*) => {
        &[$(($label, include_str!(concat!("../../../../cases/oox/thesis/", $file, ".oox")), $entry, $depth, $expected)),*]
    };
}

/// Label, text, entry, depth, expected verdict.
type Case = (&'static str, &'static str, &'static str, u32, &'static str);

const CASES: &[Case] = programs! {
    "EXP-1.1" "exp1_race_read" "E1.main" 60 "invalid";
    "EXP-1.2" "exp1_two_writers" "E2.main" 60 "valid";
    "EXP-1.3" "exp1_lost_update" "E3.main" 60 "invalid";
    "EXP-1.4" "exp1_locked_update" "E4.main" 60 "valid";
    "EXP-1.5" "exp1_array_invalid" "E5.main" 60 "invalid";
    "EXP-1.6" "exp1_array_valid" "E6.main" 60 "valid";
    "EXP-1.7" "exp1_lock_kept" "E7.main" 60 "deadlock";
    "EXP-1.8" "exp1_lock_returned" "E8.main" 60 "valid";
    "EXP-1.9" "exp1_branch" "E9.main" 60 "invalid";
    "EXP-1.10" "exp1_loop_bare" "E10.main" 120 "invalid";
    "EXP-1.11" "exp1_loop_locked" "E11.main" 120 "valid";
    "EXP-1.12" "exp1_two_ways" "E12.main" 60 "invalid";
    "EXP-1.13" "exp1_symbolic_array" "E13.main" 120 "valid";
    "EXP-2.1" "exp2_references_apart" "E1.main" 60 "valid";
    "EXP-2.2" "exp2_references_any" "E2.main" 60 "invalid";
    "EXP-2.3" "exp2_indices_apart" "E3.main" 60 "valid";
    "EXP-2.4" "exp2_indices_any" "E4.main" 60 "invalid";
    "EXP-2.5" "exp2_locks_apart" "E5.main" 60 "valid";
    "EXP-2.6" "exp2_locks_any" "E6.main" 60 "deadlock";
    "EXP-3" "exp3_traces" "T1.main" 60 "valid";
    "EXP-5" "exp5_philosophers_deadlock" "Philosophers.main" 130 "deadlock";
};

const PHILOSOPHERS: &str = include_str!("../../../../cases/oox/thesis/exp4_philosophers.oox");
const MERGE_SORT: &str = include_str!("../../../../cases/oox/thesis/exp6_merge_sort.oox");

/// Depth, then for each reduction the thesis' seconds and paths.
type Published = (u32, [Option<(f64, u64)>; 3]);

const A6: &[Published] = &[
    (20, [Some((0.26, 1)), Some((0.35, 1)), Some((0.27, 1))]),
    (40, [Some((0.27, 5)), Some((0.26, 5)), Some((0.26, 5))]),
    (80, [Some((0.27, 18)), Some((0.27, 8)), Some((0.26, 8))]),
    (90, [Some((1.77, 3347)), Some((0.26, 13)), Some((0.27, 15))]),
    (95, [Some((33.87, 48479)), Some((0.28, 48)), Some((0.28, 37))]),
    (100, [Some((900.26, 2_041_193)), Some((0.33, 146)), Some((0.30, 77))]),
    (105, [None, Some((1.33, 1436)), Some((0.43, 264))]),
    (110, [None, Some((17.31, 22375)), Some((0.66, 665))]),
    (115, [None, Some((147.87, 882_280)), Some((1.54, 1908))]),
    (120, [None, None, Some((21.85, 30639))]),
    (125, [None, None, Some((93.92, 161_025))]),
    (130, [None, None, Some((487.03, 510_520))]),
    (140, [None, None, None]),
];

const A7: &[Published] = &[
    (20, [Some((0.07, 112)), Some((0.02, 18)), Some((0.06, 40))]),
    (30, [Some((13.45, 69187)), Some((0.07, 28)), Some((0.08, 155))]),
    (40, [None, Some((0.08, 70)), Some((0.13, 277))]),
    (80, [None, Some((1.24, 4285)), Some((0.30, 813))]),
    (100, [None, Some((2.99, 8815)), Some((0.51, 1047))]),
    (120, [None, Some((5.11, 13585)), Some((0.52, 1077))]),
    (140, [None, Some((11.09, 31765)), Some((0.56, 1183))]),
    (150, [None, Some((15.14, 45355)), Some((0.59, 1267))]),
    (160, [None, Some((20.63, 56226)), Some((0.60, 1345))]),
    (170, [None, None, None]),
];

/// What one run of the engine gave.
struct Ran {
    answer: String,
    seconds: f64,
    paths: f64,
}

fn run(args: &Args) -> Result<Vec<Table>, String> {
    let limit = args.limit;
    Ok(vec![
        verdicts(limit),
        depths("a6", "EXP-4, the dining philosophers (table A.6)", PHILOSOPHERS, "Philosophers.main", A6, limit),
        depths(
            "a7",
            "EXP-6, concurrent merge sort of arrays of up to 3 elements (table A.7)",
            MERGE_SORT,
            "Main.sort",
            A7,
            limit,
        ),
    ])
}

fn ask(program: &Program, (_, por, matches): (&str, &str, &str), depth: u32, limit: Duration) -> Ran {
    let started = Instant::now();
    let depth = depth.to_string();
    let knobs = [("por", por), ("match", matches), ("depth", depth.as_str())];
    let budget = Budget::new(Some(limit), Some(4 << 30));
    let mut run = Run::of(&symbolic::ABOUT, budget, &knobs).expect("the knobs are declared");
    let answer = match decide_oox(program, &mut run) {
        Decided::Safe(..) | Decided::Unknown(Why::Depth(_)) => "valid",
        Decided::Unsafe(replayed) if replayed.violation.kind == ViolationKind::Deadlock => "deadlock",
        Decided::Unsafe(_) => "invalid",
        Decided::Unknown(_) => "",
    };
    let paths = run.statistics.0.get("paths").copied().unwrap_or(0.0);
    Ran { answer: answer.to_string(), seconds: started.elapsed().as_secs_f64(), paths }
}

fn read(text: &str, entry: &str) -> Program {
    let loaded = frontend::oox::read(&[("experiment.oox".to_string(), text.to_string())], entry);
    loaded.expect("the programs of the experiments are cases, which are read in tests").program
}

/// Figure 6.1 and table 6.2: the verdicts.
fn verdicts(limit: Duration) -> Table {
    let mut rows = Vec::new();
    for (label, text, entry, depth, expected) in CASES {
        let program = read(text, entry);
        let mut row = vec![label.to_string(), depth.to_string()];
        for setting in SETTINGS {
            let ran = ask(&program, setting, *depth, limit);
            row.extend([ran.answer, format!("{:.3}", ran.seconds)]);
        }
        let is_right = [2, 4, 6, 8].iter().all(|at| row[*at].is_empty() || row[*at] == *expected);
        row.extend([expected.to_string(), if is_right { "" } else { "WRONG" }.to_string()]);
        rows.push(row);
    }
    let mut columns = vec!["experiment".to_string(), "depth".to_string()];
    columns.extend(SETTINGS.iter().flat_map(|(name, ..)| [name.to_string(), "s".to_string()]));
    columns.extend(["expected".to_string(), String::new()]);
    let title =
        "EXP-1, EXP-2, EXP-3, EXP-5: verdicts (figure 6.1 and table 6.2; no answer within the limit stays empty)";
    Table { name: "oox-verdicts".to_string(), title: title.to_string(), columns, rows, charts: Vec::new() }
}

/// Time and paths against depth.
fn depths(name: &str, title: &str, text: &str, entry: &str, published: &[Published], limit: Duration) -> Table {
    let program = read(text, entry);
    let mut columns = vec!["depth".to_string()];
    for (name, ..) in SETTINGS {
        columns.extend([format!("{name} s"), format!("{name} paths")]);
    }
    for (name, ..) in &SETTINGS[..3] {
        columns.extend([format!("thesis {name} s"), format!("thesis {name} paths")]);
    }
    let mut rows = Vec::new();
    let mut is_over = [false; SETTINGS.len()];
    for (depth, theirs) in published {
        let mut row = vec![depth.to_string()];
        for (at, setting) in SETTINGS.iter().enumerate() {
            // What did not end at a smaller depth will not end at a greater one.
            let ran = (!is_over[at]).then(|| ask(&program, *setting, *depth, limit));
            match ran {
                Some(ran) if !ran.answer.is_empty() => {
                    row.extend([format!("{:.4}", ran.seconds), ran.paths.to_string()]);
                }
                _ => {
                    is_over[at] = true;
                    row.extend([String::new(), String::new()]);
                }
            }
        }
        for figures in theirs {
            match figures {
                Some((seconds, paths)) => row.extend([seconds.to_string(), paths.to_string()]),
                None => row.extend([String::new(), String::new()]),
            }
        }
        rows.push(row);
    }
    let charts = vec![
        (format!("oox-{name}-time"), "seconds".to_string(), vec![1, 3, 5, 7, 9, 11, 13]),
        (format!("oox-{name}-paths"), "paths".to_string(), vec![2, 4, 6, 8, 10, 12, 14]),
    ];
    Table { name: format!("oox-{name}"), title: title.to_string(), columns, rows, charts }
}
