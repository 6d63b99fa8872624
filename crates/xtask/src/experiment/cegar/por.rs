//! Partial order reduction in `cegar`: table 3.1 and figure 3.6 of \[Telbisz24].
//!
//! On the family, predicates from the branches of the program suffice, so that only the reduction differs. On a suite, explored actions and processor time are compared over the
//! tasks that both reductions of a domain solve, as there; exploration without a reduction is not in that table, and what it cannot decide does not take a task away from the others: its line
//! is about those of the common tasks that it solves.

use super::super::args::Args;
use super::super::kind::{Experiment, Report};
use super::super::measured::{Measured, Setting};
use super::super::present::table::{Table, table};
use super::{OnSuite, on_family, on_suite, percent_less, up_to};

pub(in crate::experiment) const EXPERIMENT: Experiment = Experiment {
    name: "por",
    about: "Partial order reduction in cegar: none, by source sets, and by source sets that know the abstraction",
    run,
};

const FAMILY: &[Setting] = &[
    ("NOPOR", &[("domain", "pred"), ("init", "branches"), ("por", "none"), ("coi", "none")]),
    ("SPOR", &[("domain", "pred"), ("init", "branches"), ("por", "source"), ("coi", "none")]),
    ("AASPOR", &[("domain", "pred"), ("init", "branches"), ("por", "aware"), ("coi", "none")]),
];

const SUITE: &[Setting] = &[
    ("EXPL NOPOR", &[("domain", "expl"), ("por", "none"), ("coi", "none")]),
    ("EXPL SPOR", &[("domain", "expl"), ("por", "source"), ("coi", "none")]),
    ("EXPL AASPOR", &[("domain", "expl"), ("por", "aware"), ("coi", "none")]),
    ("PRED NOPOR", &[("domain", "pred"), ("por", "none"), ("coi", "none")]),
    ("PRED SPOR", &[("domain", "pred"), ("por", "source"), ("coi", "none")]),
    ("PRED AASPOR", &[("domain", "pred"), ("por", "aware"), ("coi", "none")]),
];

/// Table 3.1: explored actions, processor seconds, solved tasks; of 605 tasks, 334 and 357 of them common, with 900 s each.
const PAPER: [[&str; 3]; 6] = [
    ["", "", ""],
    ["15854", "5916", "338"],
    ["12963", "5516", "344"],
    ["", "", ""],
    ["11625", "34982", "365"],
    ["10453", "33850", "369"],
];

fn run(args: &Args) -> Result<Report, String> {
    let title = "Seconds to prove the program with 2N+1 threads (figure 3.6)";
    let family = on_family(args, FAMILY, "por-family", title, &[("NOPOR", 2), ("SPOR", 4), ("AASPOR", 256)]);
    let measured = on_suite(args, SUITE, 1)?;
    let mut seen = vec![measured.words()];
    seen.extend(["EXPL", "PRED"].iter().zip([0, 3]).map(|(domain, first)| difference(&measured, domain, first)));
    let [none, source, aware] = [0, 1, 2].map(|at| up_to(family.solved[at].0));
    let power = family.solved[2].1.map_or(String::new(), |power| format!(", in time that grows with N^{power:.1}"));
    seen.push(format!(
        "On the family NOPOR solves up to {none} (thesis: N = 2), SPOR up to {source} (N = 4), AASPOR up to {aware} (N = 256){power}."
    ));
    let n_wrong = measured.n_wrong_at_all() + family.n_wrong;
    seen.push(format!("Wrong answers: {n_wrong}."));
    Ok(Report { tables: vec![family.table, sums(&measured), other_way(&measured)], seen, n_wrong, files: Vec::new() })
}

/// Which tasks a line is about.
fn lines_of(measured: &OnSuite, index: usize) -> Vec<&Vec<Measured>> {
    let first = index / 3 * 3;
    let mut settings = vec![first + 1, first + 2];
    settings.push(index);
    measured.common(&settings).into_iter().map(|(_, of_task)| of_task).collect()
}

fn average_actions(tasks: &[&Vec<Measured>], index: usize) -> f64 {
    tasks.iter().map(|of_task| of_task[index].number("explored actions")).sum::<f64>() / tasks.len().max(1) as f64
}

fn seconds(tasks: &[&Vec<Measured>], index: usize) -> f64 {
    tasks.iter().map(|of_task| of_task[index].seconds).sum()
}

/// What the reduction that knows the abstraction saves.
fn difference(measured: &OnSuite, domain: &str, first: usize) -> String {
    let common = lines_of(measured, first + 1);
    let actions = [1, 2].map(|at| average_actions(&common, first + at));
    let seconds = [1, 2].map(|at| seconds(&common, first + at));
    let (theirs, time) = if first == 0 { ("18.23", "6.77") } else { ("10.08", "3.23") };
    format!(
        "{domain}: AASPOR explores {:.1} % fewer actions than SPOR (thesis: {theirs} %) in {:.1} % less processor time ({time} %) over {} common tasks, and solves {} tasks instead of {}.",
        percent_less(actions[0], actions[1]),
        percent_less(seconds[0], seconds[1]),
        common.len(),
        measured.n_solved(first + 2),
        measured.n_solved(first + 1),
    )
}

fn sums(measured: &OnSuite) -> Table {
    let mut rows = Vec::new();
    for (index, (name, _)) in SUITE.iter().enumerate() {
        let tasks = lines_of(measured, index);
        let mut row = vec![
            name.to_string(),
            format!("{:.0}", average_actions(&tasks, index)),
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
        "explored actions",
        "CPU s",
        "common tasks",
        "solved",
        "wrong",
        "explored actions (thesis)",
        "CPU s (thesis)",
        "solved (thesis)",
    ];
    let title = "Average of explored actions and sum of processor time over common tasks, solved tasks (table 3.1)";
    table("por-suite", title, &columns, rows)
}

/// Tasks on which the reduction that knows more explores more.
fn other_way(measured: &OnSuite) -> Table {
    let mut rows = Vec::new();
    for (domain, first) in [("expl", 0), ("pred", 3)] {
        for (name, of_task) in measured.common(&[first + 1, first + 2]) {
            let (source, aware) = (&of_task[first + 1], &of_task[first + 2]);
            // Another order of exploration meets other spurious paths, and so another precision.
            if aware.number("explored actions") > source.number("explored actions") {
                let cell = |one: &Measured, what: &str| format!("{:.0}", one.number(what));
                let name = name.rsplit_once('/').map_or(name.as_str(), |(_, file)| file);
                rows.push(vec![
                    format!("{name} ({domain})"),
                    cell(source, "explored actions"),
                    cell(aware, "explored actions"),
                    cell(source, "refinements"),
                    cell(aware, "refinements"),
                ]);
            }
        }
    }
    let columns = ["task", "SPOR actions", "AASPOR actions", "SPOR refinements", "AASPOR refinements"];
    let title = "Tasks that go the other way, since another order meets other spurious paths and tracks other things";
    table("por-other-way", title, &columns, rows)
}
