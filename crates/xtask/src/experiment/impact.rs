//! What do partial order reduction and forced covers do for `impact`? Tables I and II of \[Wachter13].
//!
//! The programs are our own versions of those of the paper, in `cases/impact`. Table I has our engines side by side with the tools of the paper; table II its four
//! configurations: seconds, nodes, implications that a solver was asked about, and the share of nodes that cover expansion made. Figures of other machines and of other programs of the same
//! name are no more than a direction. Table III is about weak memory and has an experiment of its own.

use super::args::Args;
use super::kind::{Experiment, Report};
use super::measured::{Measured, load, measure};
use super::present::output::progress;
use super::present::table::{Table, table};
use std::path::Path;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "impact",
    about: "Partial order reduction and forced covers in impact, and our engines side by side on its programs",
    run,
};

/// What table II says of one configuration: seconds, nodes, implications, share of cover expansions.
type Published = Option<(f64, u32, u32, Option<u32>)>;

/// A program, whether it is safe, the seconds of CBMC, ESBMC, SatAbs, Threader and Impara in table I (a star: not all rounds; TO: out of time), and table II: sPOR, sPOR+FC, dPOR, dPOR+FC.
type Row = (&'static str, bool, [&'static str; 5], [Published; 4]);

const fn of(seconds: f64, nodes: u32, implications: u32) -> Published {
    Some((seconds, nodes, implications, None))
}

const fn with(seconds: f64, nodes: u32, implications: u32, share: u32) -> Published {
    Some((seconds, nodes, implications, Some(share)))
}

#[rustfmt::skip]
const PROGRAMS: [Row; 9] = [
    ("dekker", true, ["0.6*", "2.2*", "0.2", "TO", "0.1"], [of(1.3, 7407, 9), of(0.2, 504, 8), with(0.1, 433, 3, 0), with(0.1, 331, 2, 0)]),
    ("lamport", true, ["12.4*", "18.1*", "0.3", "38.1", "0.3"], [of(9.6, 36624, 223), of(1.0, 4740, 226), with(1.0, 7418, 149, 54), with(0.3, 1700, 205, 13)]),
    ("peterson", true, ["0.2*", "2.0*", "0.3", "4.8", "0.1"], [of(0.7, 3155, 55), of(0.1, 419, 89), with(0.3, 1081, 43, 0), with(0.1, 199, 16, 0)]),
    ("szymanski", true, ["0.5*", "4.7*", "0.2", "13.5", "0.2"], [of(2.3, 13332, 14), of(0.3, 1059, 5), with(0.2, 1264, 5, 0), with(0.2, 673, 2, 0)]),
    ("read_write_lock_unsafe", false, ["0.2", "TO", "0.8", "58.4", "0.6"], [of(5.4, 31786, 23), of(1.0, 7628, 119), with(1.6, 18261, 59, 0), with(0.6, 4899, 53, 0)]),
    ("read_write_lock_safe", true, ["0.4", "TO", "0.8", "58.1", "0.9"], [of(75.2, 109_096, 148), of(7.0, 12932, 1457), with(5.0, 36777, 129, 14), with(0.9, 7065, 223, 15)]),
    ("time_var_mutex", true, ["0.2", "110.3", "95.4", "4.3", "0.1"], [of(0.2, 867, 4), of(0.2, 867, 6), with(0.2, 435, 3, 0), with(0.1, 252, 1, 0)]),
    ("stack_unsafe", false, ["1.0", "TO", "TO", "80.6", "0.5"], [None, None, with(3.1, 2589, 717, 0), with(0.5, 424, 81, 0)]),
    ("stack_safe", true, ["33.5", "TO", "TO", "250.1", "38.8"], [None, None, None, with(38.8, 2037, 4420, 0)]),
];

const ENGINES: [&str; 4] = ["explicit", "bmc", "cegar", "impact"];

/// The paper guesses nothing, and each branch is a node.
const LEARNT: (&str, &str) = ("invariants", "learnt");
const APART: (&str, &str) = ("branches", "apart");

/// The configurations of the paper.
const CONFIGURATIONS: [(&str, [(&str, &str); 4]); 4] = [
    ("sPOR", [("por", "shared"), ("force-cover", "off"), LEARNT, APART]),
    ("sPOR+FC", [("por", "shared"), ("force-cover", "on"), LEARNT, APART]),
    ("dPOR", [("por", "monotonic"), ("force-cover", "off"), LEARNT, APART]),
    ("dPOR+FC", [("por", "monotonic"), ("force-cover", "on"), LEARNT, APART]),
];

/// A program with what the engines and the configurations gave.
struct Ran {
    engines: Vec<Measured>,
    configurations: Vec<Measured>,
}

fn run(args: &Args) -> Result<Report, String> {
    let ran = PROGRAMS.iter().map(|row| ask(args, row)).collect::<Result<Vec<Ran>, String>>()?;
    progress("");
    let n_wrong = ran.iter().flat_map(|ran| ran.engines.iter().chain(&ran.configurations)).filter(|one| one.is_wrong);
    let n_wrong = n_wrong.count();
    let mut seen = seen(&ran);
    seen.insert(0, format!("Each run had {} s of processor time.", args.family_limit.as_secs_f64()));
    seen.push(format!("Wrong answers: {n_wrong}."));
    Ok(Report { tables: vec![side_by_side(&ran), configurations(&ran)], seen, n_wrong, files: Vec::new() })
}

fn ask(args: &Args, (name, is_safe, ..): &Row) -> Result<Ran, String> {
    if args.is_dry {
        let nothing = || vec![Measured::default(); 4];
        return Ok(Ran { engines: nothing(), configurations: nothing() });
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/impact");
    let task = load(&folder.join(format!("{name}.c")))?;
    let measured = |engine: &str, knobs: &[(&str, &str)], what: &str| {
        progress(&format!("{name}, {what}"));
        measure(&task, Some(*is_safe), engine, knobs, args.family_limit)
    };
    let engines = ENGINES.iter().map(|engine| measured(engine, &[], engine)).collect::<Result<_, _>>()?;
    let configurations =
        CONFIGURATIONS.iter().map(|(title, knobs)| measured("impact", knobs, title)).collect::<Result<_, _>>()?;
    Ok(Ran { engines, configurations })
}

/// What the two tables say: these programs have the longer limit, since there are few of them.
fn seen(ran: &[Ran]) -> Vec<String> {
    let mut seen = Vec::new();
    for (at, engine) in ENGINES.iter().enumerate() {
        let solved = ran.iter().filter(|ran| ran.engines[at].is_solved()).count();
        seen.push(format!("{engine} solves {solved} of {} programs.", ran.len()));
    }
    for (at, (title, _)) in CONFIGURATIONS.iter().enumerate() {
        let solved = ran.iter().filter(|ran| ran.configurations[at].is_solved()).count();
        let theirs = PROGRAMS.iter().filter(|row| row.3[at].is_some()).count();
        let both: Vec<usize> = (0..ran.len())
            .filter(|row| ran[*row].configurations[at].is_solved() && PROGRAMS[*row].3[at].is_some())
            .collect();
        let fewer = both.iter().filter(|row| {
            PROGRAMS[**row].3[at]
                .is_some_and(|(_, nodes, ..)| ran[**row].configurations[at].number("nodes") <= f64::from(nodes))
        });
        seen.push(format!(
            "{title}: {solved} of {} solved (paper: {theirs}), with at most as many nodes as the paper on {} of {} that both solve.",
            ran.len(),
            fewer.count(),
            both.len()
        ));
    }
    let smaller = ran.iter().filter(|ran| {
        let [plain, reduced] = [0, 2].map(|at| &ran.configurations[at]);
        reduced.is_solved() && (!plain.is_solved() || reduced.number("nodes") <= plain.number("nodes"))
    });
    seen.push(format!("dPOR has at most the nodes of sPOR, or solves what sPOR does not, on {} of {} programs (paper: all safe ones).", smaller.count(), ran.len()));
    seen
}

fn side_by_side(ran: &[Ran]) -> Table {
    let mut rows = Vec::new();
    for ((name, is_safe, theirs, _), ran) in PROGRAMS.iter().zip(ran) {
        let mut row = vec![name.to_string(), if *is_safe { "y" } else { "n" }.to_string()];
        row.extend(ran.engines.iter().map(Measured::cell));
        row.extend(theirs.map(str::to_string));
        rows.push(row);
    }
    let mut columns = vec!["program", "safe"];
    columns.extend(ENGINES);
    columns.extend(["CBMC (paper)", "ESBMC (paper)", "SatAbs (paper)", "Threader (paper)", "Impara (paper)"]);
    let title =
        "Seconds of our engines, and of the tools of the paper (table I; *: loops not to their end, TO: out of time)";
    table("impact-engines", title, &columns, rows)
}

fn configurations(ran: &[Ran]) -> Table {
    let mut rows = Vec::new();
    for ((name, is_safe, _, published), ran) in PROGRAMS.iter().zip(ran) {
        let mut row = vec![name.to_string(), if *is_safe { "y" } else { "n" }.to_string()];
        for (measured, theirs) in ran.configurations.iter().zip(published) {
            let n_nodes = measured.number("nodes");
            let share = 100.0 * measured.number("nodes by cover expansion") / n_nodes.max(1.0);
            let told = [
                measured.cell(),
                format!("{n_nodes:.0}"),
                format!("{:.0}", measured.number("implications by solver")),
                format!("{share:.0}%"),
            ];
            row.extend(told.map(|cell| if measured.is_solved() { cell } else { String::new() }));
            row.push(match theirs {
                None => "TO".to_string(),
                Some((seconds, nodes, implications, None)) => format!("{seconds:.1} / {nodes} / {implications}"),
                Some((seconds, nodes, implications, Some(share))) => {
                    format!("{seconds:.1} / {nodes} / {implications} / {share}%")
                }
            });
        }
        rows.push(row);
    }
    let mut columns = vec!["program".to_string(), "safe".to_string()];
    for (title, _) in CONFIGURATIONS {
        columns.extend(["s", "|V|", "impl", "C"].map(|column| format!("{title} {column}")));
        columns.push(format!("{title} (paper)"));
    }
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let title = "Seconds, nodes, implications by the solver, share of cover expansions (table II)";
    table("impact-configurations", title, &columns, rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn peterson_is_proven_with_fewer_nodes_by_the_reduction() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/impact");
        let task = load(&folder.join("peterson.c")).expect("it is valid C");
        let limit = Duration::from_secs(20);
        let measured = CONFIGURATIONS
            .map(|(_, knobs)| measure(&task, Some(true), "impact", &knobs, limit).expect("it is declared"));
        assert!(measured.iter().all(Measured::is_solved));
        let [plain, _, reduced, _] = measured.map(|measured| measured.number("nodes"));
        assert!(reduced < plain, "{reduced} nodes with the reduction, {plain} without");
    }
}
