//! Partial order reduction in `cegar`: table 3.1 and figure 3.6 of the thesis.
//!
//! On the family, predicates from the branches of the program suffice, so that only the reduction differs. On a suite, explored actions are
//! compared over the tasks that all settings of a domain decide.

use super::super::args::Args;
use super::super::kind::{Experiment, How};
use super::super::table::Table;
use super::{Measured, Setting, on_family, on_suite};

pub(in crate::experiment) const EXPERIMENT: Experiment = Experiment {
    name: "por",
    about: "Partial order reduction in cegar: none, by source sets, and by source sets that know the abstraction",
    run: How::Tables(run),
};

const FAMILY: &[Setting] = &[
    ("none", &[("domain", "pred"), ("init", "branches"), ("por", "none"), ("coi", "none")]),
    ("source", &[("domain", "pred"), ("init", "branches"), ("por", "source"), ("coi", "none")]),
    ("aware", &[("domain", "pred"), ("init", "branches"), ("por", "aware"), ("coi", "none")]),
];

const SUITE: &[Setting] = &[
    ("expl none", &[("domain", "expl"), ("por", "none"), ("coi", "none")]),
    ("expl source", &[("domain", "expl"), ("por", "source"), ("coi", "none")]),
    ("expl aware", &[("domain", "expl"), ("por", "aware"), ("coi", "none")]),
    ("pred none", &[("domain", "pred"), ("por", "none"), ("coi", "none")]),
    ("pred source", &[("domain", "pred"), ("por", "source"), ("coi", "none")]),
    ("pred aware", &[("domain", "pred"), ("por", "aware"), ("coi", "none")]),
];

fn run(args: &Args) -> Result<Vec<Table>, String> {
    let title = "Seconds to prove the program with 2N+1 threads (figure 3.6)";
    let mut tables = vec![on_family(args.limit, args.max, FAMILY, "por-family", title)];
    if args.suite.is_empty() {
        return Ok(tables);
    }
    let measured = on_suite(args, SUITE, 1)?;
    let (mut sums, mut other_way) = (Vec::new(), Vec::new());
    for first in [0, 3] {
        let is_common = |of_task: &[Measured]| of_task[first..first + 3].iter().all(|one| one.is_decided);
        let common: Vec<&(String, Vec<Measured>)> = measured.iter().filter(|(_, of_task)| is_common(of_task)).collect();
        for index in first..first + 3 {
            let n_decided = measured.iter().filter(|(_, of_task)| of_task[index].is_decided).count();
            let actions: f64 = common.iter().map(|(_, of_task)| of_task[index].number("explored actions")).sum();
            let seconds: f64 = common.iter().map(|(_, of_task)| of_task[index].seconds).sum();
            let (n_common, name) = (common.len().to_string(), SUITE[index].0.to_string());
            sums.push(vec![name, n_decided.to_string(), n_common, format!("{actions:.0}"), format!("{seconds:.1}")]);
        }
        for (name, of_task) in common {
            let (source, aware) = (&of_task[first + 1], &of_task[first + 2]);
            // Another order of exploration meets other spurious paths, and so another precision.
            if aware.number("explored actions") > source.number("explored actions") {
                let cell = |one: &Measured, what: &str| format!("{:.0}", one.number(what));
                let domain = if first == 0 { "expl" } else { "pred" };
                other_way.push(vec![
                    format!("{name} ({domain})"),
                    cell(source, "explored actions"),
                    cell(aware, "explored actions"),
                    cell(source, "refinements"),
                    cell(aware, "refinements"),
                ]);
            }
        }
    }
    let table = |name: &str, title: &str, columns: &[&str], rows| Table {
        name: name.to_string(),
        title: title.to_string(),
        columns: columns.iter().map(|column| column.to_string()).collect(),
        rows,
        charts: Vec::new(),
    };
    let columns = ["setting", "decided", "common", "explored actions", "seconds"];
    tables.push(table(
        "por-suite",
        "Sums over the tasks that all three of a domain decide (table 3.1)",
        &columns,
        sums,
    ));
    let columns = ["task", "source actions", "aware actions", "source refinements", "aware refinements"];
    let title = "Tasks that go the other way, since another order meets other spurious paths and tracks other things";
    tables.push(table("por-other-way", title, &columns, other_way));
    Ok(tables)
}
