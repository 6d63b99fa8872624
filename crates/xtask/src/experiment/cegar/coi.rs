//! Cone of influence in `cegar`: table 4.1 and figure 4.3 of the thesis.
//!
//! On the family, source sets by the syntactic relation blow up unless the cone takes the assignments away that make threads depend on each other. On
//! a suite, the share of simplified assignments and the time of successor calculation are compared.

use super::super::args::Args;
use super::super::kind::{Experiment, How};
use super::super::table::Table;
use super::{Measured, Setting, on_family, on_suite};

pub(in crate::experiment) const EXPERIMENT: Experiment = Experiment {
    name: "coi",
    about: "Cone of influence in cegar: none, static, dynamic, and both",
    run: How::Tables(run),
};

const FAMILY: &[Setting] = &[
    ("none", &[("domain", "pred"), ("init", "branches"), ("por", "source"), ("coi", "none")]),
    ("static", &[("domain", "pred"), ("init", "branches"), ("por", "source"), ("coi", "static")]),
    ("dynamic", &[("domain", "pred"), ("init", "branches"), ("por", "source"), ("coi", "dynamic")]),
];

const SUITE: &[Setting] = &[
    ("expl none", &[("domain", "expl"), ("coi", "none")]),
    ("expl static", &[("domain", "expl"), ("coi", "static")]),
    ("expl both", &[("domain", "expl"), ("coi", "both")]),
    ("expl dynamic", &[("domain", "expl"), ("coi", "dynamic")]),
    ("pred none", &[("domain", "pred"), ("coi", "none")]),
    ("pred static", &[("domain", "pred"), ("coi", "static")]),
    ("pred both", &[("domain", "pred"), ("coi", "both")]),
    ("pred dynamic", &[("domain", "pred"), ("coi", "dynamic")]),
];

/// Times of parts of short runs vary: the best of so many runs counts.
const N_RUNS: usize = 3;

fn run(args: &Args) -> Result<Vec<Table>, String> {
    let title = "Seconds to prove the program with 2N+1 threads (figure 4.3)";
    let mut tables = vec![on_family(args.limit, args.max, FAMILY, "coi-family", title)];
    if args.suite.is_empty() {
        return Ok(tables);
    }
    let measured = on_suite(args, SUITE, N_RUNS)?;
    let mut rows = Vec::new();
    for first in [0, 4] {
        let is_common = |of_task: &[Measured]| of_task[first..first + 4].iter().all(|one| one.is_decided);
        let common: Vec<&Vec<Measured>> =
            measured.iter().map(|(_, of_task)| of_task).filter(|of_task| is_common(of_task)).collect();
        let count = (common.len() as f64).max(1.0);
        for index in first..first + 4 {
            let n_decided = measured.iter().filter(|(_, of_task)| of_task[index].is_decided).count();
            let sum = |name: &str| common.iter().map(|of_task| of_task[index].number(name)).sum::<f64>();
            let seconds: f64 = common.iter().map(|of_task| of_task[index].seconds).sum();
            rows.push(vec![
                SUITE[index].0.to_string(),
                n_decided.to_string(),
                common.len().to_string(),
                format!("{:.1}", sum("percent simplified") / count),
                format!("{:.1}", sum("percent eliminated") / count),
                format!("{:.3}", sum("successor seconds")),
                format!("{seconds:.1}"),
            ]);
        }
    }
    let columns = ["setting", "decided", "common", "% to havoc", "% eliminated", "successor seconds", "seconds"];
    tables.push(Table {
        name: "coi-suite".to_string(),
        title: "Averages and sums over the tasks that all four of a domain decide (table 4.1)".to_string(),
        columns: columns.iter().map(|column| column.to_string()).collect(),
        rows,
        charts: Vec::new(),
    });
    Ok(tables)
}
