//! Cone of influence in `cegar`: table 4.1 and figure 4.3 of \[Telbisz24], and the same of \[Telbisz25].
//!
//! Four settings: none at all, SCOI (what the property does not need is sliced away before, and what nobody anywhere looks at is not evaluated), DCOI (what nobody looks at from where the threads
//! stand), and both. Shares are of assignments to variables of the program, not to our temporaries. On the family, source sets by the syntactic relation blow up unless the cone
//! takes the assignments away that make threads depend on each other.

use super::super::args::Args;
use super::super::kind::{Experiment, Report};
use super::super::measured::{Measured, Setting};
use super::super::present::table::{Table, table};
use super::{OnSuite, on_family, on_suite, percent_less, up_to};

pub(in crate::experiment) const EXPERIMENT: Experiment =
    Experiment { name: "coi", about: "Cone of influence in cegar: none, static, dynamic, and both", run };

const FAMILY: &[Setting] = &[
    ("SPOR", &[("domain", "pred"), ("init", "branches"), ("por", "source"), ("coi", "none")]),
    ("SPOR SCOI", &[("domain", "pred"), ("init", "branches"), ("por", "source"), ("coi", "static")]),
    ("SPOR SCOI+DCOI", &[("domain", "pred"), ("init", "branches"), ("por", "source"), ("coi", "both")]),
    ("SPOR DCOI", &[("domain", "pred"), ("init", "branches"), ("por", "source"), ("coi", "dynamic")]),
    ("NOPOR DCOI", &[("domain", "pred"), ("init", "branches"), ("por", "none"), ("coi", "dynamic")]),
];

/// Settings of one domain.
const N_CONES: usize = 4;

const SUITE: &[Setting] = &[
    ("EXPL none", &[("domain", "expl"), ("coi", "none")]),
    ("EXPL SCOI", &[("domain", "expl"), ("coi", "static")]),
    ("EXPL SCOI+DCOI", &[("domain", "expl"), ("coi", "both")]),
    ("EXPL DCOI", &[("domain", "expl"), ("coi", "dynamic")]),
    ("PRED none", &[("domain", "pred"), ("coi", "none")]),
    ("PRED SCOI", &[("domain", "pred"), ("coi", "static")]),
    ("PRED SCOI+DCOI", &[("domain", "pred"), ("coi", "both")]),
    ("PRED DCOI", &[("domain", "pred"), ("coi", "dynamic")]),
];

/// Table 4.1: simplified per cent, successor seconds, processor seconds, solved; of 602 tasks, 332 and 350 of them common, with 900 s each.
const PAPER: [[&str; 4]; 8] = [
    ["", "", "", ""],
    ["0", "1254", "5581", "332"],
    ["19.5", "880", "5548", "332"],
    ["19.6", "879", "5376", "334"],
    ["", "", "", ""],
    ["0", "22168", "40496", "352"],
    ["19.7", "15289", "35102", "358"],
    ["19.6", "15118", "34582", "358"],
];

/// Times of parts of short runs vary: the best of so many runs counts.
const N_RUNS: usize = 3;

fn run(args: &Args) -> Result<Report, String> {
    let title = "Seconds to prove the program with 2N+1 threads (figure 4.3, RQ4.4)";
    let family = on_family(args, FAMILY, "coi-family", title, &[("SPOR SCOI", 4), ("SPOR DCOI", 128)]);
    let measured = on_suite(args, SUITE, N_RUNS)?;
    let mut seen = vec![measured.words()];
    for (domain, first) in [("EXPL", 0), ("PRED", N_CONES)] {
        seen.push(shares(&measured, domain, first));
        seen.push(times(&measured, domain, first));
    }
    let [none, fixed, both, dynamic, alone] = [0, 1, 2, 3, 4].map(|at| up_to(family.solved[at].0));
    seen.push(format!(
        "RQ4.4: with SPOR the family is solved up to {none} without a cone, {fixed} with SCOI (thesis: N = 4), {dynamic} with DCOI (N = 128, the largest tried) and {both} with both; DCOI without a partial order reduction solves up to {alone}."
    ));
    let n_wrong = measured.n_wrong_at_all() + family.n_wrong;
    seen.push(format!("Wrong answers: {n_wrong}."));
    Ok(Report { tables: vec![family.table, sums(&measured)], seen, n_wrong, files: Vec::new() })
}

/// The tasks that all four settings of a domain solve.
fn common(measured: &OnSuite, first: usize) -> Vec<&Vec<Measured>> {
    let settings: Vec<usize> = (first..first + N_CONES).collect();
    measured.common(&settings).into_iter().map(|(_, of_task)| of_task).collect()
}

fn sum(tasks: &[&Vec<Measured>], index: usize, name: &str) -> f64 {
    tasks.iter().map(|of_task| of_task[index].number(name)).sum()
}

fn average(tasks: &[&Vec<Measured>], index: usize, name: &str) -> f64 {
    sum(tasks, index, name) / tasks.len().max(1) as f64
}

fn seconds(tasks: &[&Vec<Measured>], index: usize) -> f64 {
    tasks.iter().map(|of_task| of_task[index].seconds).sum()
}

/// RQ4.1: how much need not be evaluated?
fn shares(measured: &OnSuite, domain: &str, first: usize) -> String {
    let tasks = common(measured, first);
    let [havoc, gone] = ["percent simplified", "percent eliminated"].map(|name| average(&tasks, first + 3, name));
    let theirs = if first == 0 { "5.6 % and 14 %" } else { "5.2 % and 14.4 %" };
    format!(
        "RQ4.1, {domain}: DCOI replaces {havoc:.1} % of the assignments by havoc and eliminates {gone:.1} % (thesis: {theirs})."
    )
}

/// RQ4.2 and RQ4.3: what does that save, and what does it cost?
fn times(measured: &OnSuite, domain: &str, first: usize) -> String {
    let tasks = common(measured, first);
    let successor = |at: usize| sum(&tasks, first + at, "successor seconds");
    let whole = |at: usize| seconds(&tasks, first + at);
    let overhead = 100.0 * sum(&tasks, first + 3, "cone seconds") / whole(3).max(1e-9);
    let (succ, cpu, cost) = if first == 0 { ("29.9", "3.7", "3.8") } else { ("31.8", "14.6", "1") };
    format!(
        "RQ4.2 and RQ4.3, {domain}: DCOI against SCOI computes successors in {:.1} % less time (thesis: {succ} %) and all in {:.1} % less ({cpu} %), against no cone in {:.1} % and {:.1} % less; the cone itself takes {overhead:.1} % of the time ({cost} %).",
        percent_less(successor(1), successor(3)),
        percent_less(whole(1), whole(3)),
        percent_less(successor(0), successor(3)),
        percent_less(whole(0), whole(3)),
    )
}

fn sums(measured: &OnSuite) -> Table {
    let mut rows = Vec::new();
    for (index, (name, _)) in SUITE.iter().enumerate() {
        let tasks = common(measured, index / N_CONES * N_CONES);
        let (havoc, gone) =
            (average(&tasks, index, "percent simplified"), average(&tasks, index, "percent eliminated"));
        let mut row = vec![
            name.to_string(),
            format!("{:.1}", havoc + gone),
            format!("{havoc:.1}"),
            format!("{gone:.1}"),
            format!("{:.3}", sum(&tasks, index, "successor seconds")),
            format!("{:.3}", sum(&tasks, index, "cone seconds")),
            format!("{:.2}", seconds(&tasks, index)),
            tasks.len().to_string(),
            measured.n_solved(index).to_string(),
            measured.n_wrong(index).to_string(),
        ];
        row.extend(PAPER[index].map(str::to_string));
        rows.push(row);
    }
    let columns = [
        "setting",
        "simplified %",
        "to havoc %",
        "eliminated %",
        "successors s",
        "cone s",
        "CPU s",
        "common tasks",
        "solved",
        "wrong",
        "simplified % (thesis)",
        "successors s (thesis)",
        "CPU s (thesis)",
        "solved (thesis)",
    ];
    let title = "Average shares and sums of times over the tasks that all four settings of a domain solve (table 4.1)";
    table("coi-suite", title, &columns, rows)
}
