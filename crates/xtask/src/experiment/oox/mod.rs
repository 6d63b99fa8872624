//! The experiments of \[Vrooman24] on monotonic partial order reduction in OOX, with our figures beside its own.
//!
//! EXP-1 and EXP-2 are about verdicts (figure 6.1 and table 6.2), EXP-3 about traces, EXP-4 and EXP-6 about time and paths against depth (tables A.6 and A.7, figures 6.4 to 6.8), EXP-5
//! about finding a deadlock. NOPOR, SR and MPOR are its three settings: local steps are not taken along and states are not compared. `monotonic` takes them along, and `default` also ends a
//! path that comes to a known state. An answer up to a depth is what the thesis calls valid; here it is told apart from a proof.

mod published;

use super::args::Args;
use super::kind::{Experiment, Report};
use super::limit::{budget, within};
use super::present::output::progress;
use super::present::table::{Table, table};
use engines::{Decided, Run, computed, decide_oox, symbolic};
use ir::Why;
use ir::oox::{Program, ViolationKind};
use published::{A6, A7, DEADLOCKS, Depths, TRACES, VERDICTS};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "oox",
    about: "Symbolic execution of OOX with no, simple and monotonic partial order reduction",
    run,
};

/// What is run: its name, and the knobs.
type Setting = (&'static str, [(&'static str, &'static str); 3]);

const SETTINGS: [Setting; 5] = [
    ("NOPOR", [("por", "none"), ("local", "off"), ("match", "off")]),
    ("SR", [("por", "simple"), ("local", "off"), ("match", "off")]),
    ("MPOR", [("por", "monotonic"), ("local", "off"), ("match", "off")]),
    ("monotonic", [("por", "monotonic"), ("local", "on"), ("match", "off")]),
    ("default", [("por", "monotonic"), ("local", "on"), ("match", "on")]),
];

macro_rules! programs {
    ($($label:literal $file:literal $entry:literal;)*) => {
        &[$(($label, include_str!(concat!("../../../../../cases/oox/thesis/", $file, ".oox")), $entry)),*]
    };
}

/// Label, text, entry; in the order of `VERDICTS`.
const CASES: &[(&str, &str, &str)] = programs! {
    "EXP-1.1" "exp1_race_read" "E1.main";
    "EXP-1.2" "exp1_two_writers" "E2.main";
    "EXP-1.3" "exp1_lost_update" "E3.main";
    "EXP-1.4" "exp1_locked_update" "E4.main";
    "EXP-1.5" "exp1_array_invalid" "E5.main";
    "EXP-1.6" "exp1_array_valid" "E6.main";
    "EXP-1.7" "exp1_lock_kept" "E7.main";
    "EXP-1.8" "exp1_lock_returned" "E8.main";
    "EXP-1.9" "exp1_branch" "E9.main";
    "EXP-1.10" "exp1_loop_bare" "E10.main";
    "EXP-1.11" "exp1_loop_locked" "E11.main";
    "EXP-1.12" "exp1_two_ways" "E12.main";
    "EXP-1.13" "exp1_symbolic_array" "E13.main";
    "EXP-2.1" "exp2_references_apart" "E1.main";
    "EXP-2.2" "exp2_references_any" "E2.main";
    "EXP-2.3" "exp2_indices_apart" "E3.main";
    "EXP-2.4" "exp2_indices_any" "E4.main";
    "EXP-2.5" "exp2_locks_apart" "E5.main";
    "EXP-2.6" "exp2_locks_any" "E6.main";
};

const TRACES_PROGRAM: &str = include_str!("../../../../../cases/oox/thesis/exp3_traces.oox");
const PHILOSOPHERS: &str = include_str!("../../../../../cases/oox/thesis/exp4_philosophers.oox");
const DEADLOCK: &str = include_str!("../../../../../cases/oox/thesis/exp5_philosophers_deadlock.oox");
const MERGE_SORT: &str = include_str!("../../../../../cases/oox/thesis/exp6_merge_sort.oox");

/// Deep enough for all that is not about depth.
const DEEP: u32 = 200;

/// What one run of the engine gave.
#[derive(Default)]
struct Ran {
    /// `valid`, `invalid`, `deadlock`; `valid to depth` if paths were cut, and nothing if there was no answer.
    answer: &'static str,
    seconds: f64,
    paths: f64,
}

impl Ran {
    /// Whether it contradicts what is expected; a depth that is too small contradicts nothing.
    fn is_wrong(&self, expected: &str) -> bool {
        match self.answer {
            "" => false,
            "valid to depth" => false,
            answer => answer != expected,
        }
    }

    fn cell(&self, expected: &str) -> String {
        if self.is_wrong(expected) { format!("WRONG: {}", self.answer) } else { self.answer.to_string() }
    }

    fn seconds(&self) -> String {
        if self.answer.is_empty() { String::new() } else { format!("{:.3}", self.seconds) }
    }
}

fn run(args: &Args) -> Result<Report, String> {
    let mut report = Report::default();
    let [philosophers, sort] = [
        (
            "a6",
            "EXP-4, the dining philosophers (table A.6, figures 6.4 and 6.5)",
            PHILOSOPHERS,
            "Philosophers.main",
            A6,
        ),
        (
            "a7",
            "EXP-6, concurrent merge sort of arrays of up to 3 elements (table A.7, figures 6.6 to 6.8)",
            MERGE_SORT,
            "Main.sort",
            A7,
        ),
    ];
    verdicts(args, &mut report);
    traces(args, &mut report);
    deadlocks(args, &mut report);
    for (name, title, text, entry, published) in [philosophers, sort] {
        depths(args, (name, title), &read(text, entry), published, &mut report);
    }
    progress("");
    report.seen.push(format!("Wrong answers: {}.", report.n_wrong));
    Ok(report)
}

fn ask(args: &Args, program: &Program, (_, knobs): &Setting, depth: u32) -> Ran {
    if args.is_dry {
        return Ran::default();
    }
    let depth = depth.to_string();
    let mut all = knobs.to_vec();
    all.push(("depth", depth.as_str()));
    let budget = budget(args.limit);
    let mut run = Run::of(&symbolic::ABOUT, budget.clone(), &all).expect("the knobs are declared");
    let started = computed();
    let answer = match within(args.limit, &budget, || decide_oox(program, &mut run)) {
        Decided::Safe(..) => "valid",
        Decided::Unknown(Why::Depth(_)) => "valid to depth",
        Decided::Unsafe(replayed) if replayed.violation.kind == ViolationKind::Deadlock => "deadlock",
        Decided::Unsafe(_) => "invalid",
        Decided::Unknown(_) => "",
    };
    let seconds = computed().saturating_sub(started).as_secs_f64();
    Ran { answer, seconds, paths: run.statistics.0.get("paths").copied().unwrap_or(0.0) }
}

fn read(text: &str, entry: &str) -> Program {
    let loaded = frontend::oox::read(&[("experiment.oox".to_string(), text.to_string())], entry);
    loaded.expect("the programs of the experiments are cases, which are read in tests").program
}

/// Figure 6.1 and table 6.2: the verdicts, at the depth of the thesis.
fn verdicts(args: &Args, report: &mut Report) {
    let (mut rows, mut wrong_there, mut n_right) = (Vec::new(), Vec::new(), [0usize; SETTINGS.len()]);
    for ((label, text, entry), theirs) in CASES.iter().zip(VERDICTS) {
        progress(label);
        let program = read(text, entry);
        let mut row = vec![label.to_string(), theirs.depth.to_string()];
        for (at, setting) in SETTINGS.iter().enumerate() {
            let ran = ask(args, &program, setting, theirs.depth);
            report.n_wrong += usize::from(ran.is_wrong(theirs.expected));
            let is_right =
                ran.answer == theirs.expected || (ran.answer, theirs.expected) == ("valid to depth", "valid");
            n_right[at] += usize::from(is_right);
            row.extend([ran.cell(theirs.expected), ran.seconds()]);
        }
        for (answer, seconds) in [theirs.without, theirs.monotonic] {
            let is_wrong = !answer.is_empty() && answer != theirs.expected;
            row.push(if is_wrong { format!("WRONG: {answer}") } else { answer.to_string() });
            row.push(seconds.map_or(String::new(), |seconds| format!("{seconds:.2}")));
            if is_wrong && !wrong_there.contains(label) {
                wrong_there.push(*label);
            }
        }
        row.push(theirs.expected.to_string());
        rows.push(row);
    }
    let mut columns = vec!["experiment", "depth"];
    columns.extend(SETTINGS.iter().flat_map(|(name, _)| [*name, "s"]));
    columns.extend(["NOPOR (thesis)", "s (thesis)", "MPOR (thesis)", "s (thesis)", "expected"]);
    let right: Vec<String> = SETTINGS.iter().zip(n_right).map(|((name, _), n)| format!("{name} {n}")).collect();
    report.seen.push(format!(
        "EXP-1 and EXP-2: right answers out of {}: {}. The thesis is wrong on {}: there an assumption that two references differ does not reach the table of aliases.",
        CASES.len(),
        right.join(", "),
        wrong_there.join(", ")
    ));
    let title = "EXP-1 and EXP-2: verdicts at the depth of the thesis (figure 6.1 and table 6.2; no answer within the limit stays empty)";
    report.tables.push(table("oox-verdicts", title, &columns, rows));
}

/// EXP-3: how many traces are there?
fn traces(args: &Args, report: &mut Report) {
    let program = read(TRACES_PROGRAM, "T1.main");
    let (mut rows, mut said) = (Vec::new(), Vec::new());
    for setting in &SETTINGS {
        progress(&format!("EXP-3, {}", setting.0));
        let ran = ask(args, &program, setting, DEEP);
        report.n_wrong += usize::from(ran.is_wrong("valid"));
        let theirs = TRACES.iter().find(|(name, _)| *name == setting.0);
        let theirs = theirs.map_or(String::new(), |(_, traces)| traces.to_string());
        said.push(format!("{} {}", setting.0, ran.paths));
        rows.push(vec![setting.0.to_string(), ran.cell("valid"), ran.paths.to_string(), theirs]);
    }
    report.seen.push(format!(
        "EXP-3: {} traces (thesis: NOPOR 128, MPOR 4, two of which it calls not quasi-monotonic).",
        said.join(", ")
    ));
    let columns = ["setting", "answer", "traces", "traces (thesis)"];
    report.tables.push(table(
        "oox-traces",
        "EXP-3: traces of two writes to one field (figures 6.2 and 6.3)",
        &columns,
        rows,
    ));
}

/// EXP-5: how long does it take to find the deadlock?
fn deadlocks(args: &Args, report: &mut Report) {
    let mut rows = Vec::new();
    for (n, theirs) in DEADLOCKS {
        let program = read(&DEADLOCK.replace("int n := 4;", &format!("int n := {n};")), "Philosophers.main");
        let mut row = vec![n.to_string()];
        for setting in &SETTINGS {
            progress(&format!("EXP-5, {n}, {}", setting.0));
            let ran = ask(args, &program, setting, DEEP);
            report.n_wrong += usize::from(ran.is_wrong("deadlock"));
            row.push(if ran.answer == "deadlock" { format!("{:.4}", ran.seconds) } else { ran.cell("deadlock") });
        }
        report.seen.push(format!(
            "EXP-5, N = {n}: the deadlock is found in {} s by MPOR and {} s by default (thesis: {theirs:.2} s).",
            or_nothing(&row[3]),
            or_nothing(&row[5])
        ));
        row.push(format!("{theirs:.2}"));
        rows.push(row);
    }
    let mut columns = vec!["philosophers"];
    columns.extend(SETTINGS.iter().map(|(name, _)| *name));
    columns.push("MPOR (thesis)");
    report.tables.push(table("oox-deadlock", "EXP-5: seconds until the deadlock is found", &columns, rows));
}

fn or_nothing(cell: &str) -> &str {
    if cell.is_empty() { "(no answer)" } else { cell }
}

/// Time and paths against depth.
fn depths(args: &Args, (name, title): (&str, &str), program: &Program, published: &[Depths], report: &mut Report) {
    let mut columns = vec!["depth".to_string()];
    for (name, ..) in SETTINGS {
        columns.extend([format!("{name} s"), format!("{name} paths")]);
    }
    for (name, ..) in &SETTINGS[..3] {
        columns.extend([format!("{name} s (thesis)"), format!("{name} paths (thesis)")]);
    }
    let mut rows = Vec::new();
    let mut is_over = [args.is_dry; SETTINGS.len()];
    let mut deepest = [0u32; SETTINGS.len()];
    for (depth, theirs) in published {
        let mut row = vec![depth.to_string()];
        for (at, setting) in SETTINGS.iter().enumerate() {
            progress(&format!("{name}, depth {depth}, {}", setting.0));
            // What did not end at a smaller depth will not end at a greater one.
            let ran = if is_over[at] { Ran::default() } else { ask(args, program, setting, *depth) };
            is_over[at] = ran.answer.is_empty();
            report.n_wrong += usize::from(ran.is_wrong("valid"));
            if is_over[at] {
                row.extend([String::new(), String::new()]);
            } else {
                deepest[at] = *depth;
                row.extend([format!("{:.4}", ran.seconds), ran.paths.to_string()]);
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
    let reached: Vec<String> =
        SETTINGS.iter().zip(deepest).map(|((name, _), depth)| format!("{name} {depth}")).collect();
    let theirs =
        [0, 1, 2].map(|at| published.iter().filter(|(_, all)| all[at].is_some()).map(|(depth, _)| *depth).max());
    let theirs = theirs.map(|depth| depth.unwrap_or(0));
    report.seen.push(format!(
        "{}: the greatest depth that ends within {:.1} s: {} (thesis, within 900 s: NOPOR {}, SR {}, MPOR {}).",
        title.split(',').next().unwrap_or(title),
        args.limit.as_secs_f64(),
        reached.join(", "),
        theirs[0],
        theirs[1],
        theirs[2]
    ));
    let n = 2 * (SETTINGS.len() + 3);
    let charts = vec![
        (format!("oox-{name}-time"), "seconds".to_string(), (1..n).step_by(2).collect()),
        (format!("oox-{name}-paths"), "paths".to_string(), (2..=n).step_by(2).collect()),
    ];
    report.tables.push(Table { name: format!("oox-{name}"), title: title.to_string(), columns, rows, charts });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_reductions_leave_traces_out() {
        let program = read(TRACES_PROGRAM, "T1.main");
        let args = Args { limit: Duration::from_secs(20), ..Args::of_a_test() };
        let paths = SETTINGS.map(|setting| ask(&args, &program, &setting, DEEP).paths);
        assert!(paths[0] > paths[1] && paths[1] > paths[2] && paths[2] >= paths[3], "{paths:?}");
        assert_eq!(paths[3], 2.0, "two orders of two writes");
    }
}
