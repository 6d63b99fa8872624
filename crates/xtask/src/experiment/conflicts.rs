//! What do conflicts found before solving save? Table 5.1 and figure 5.5 of \[Telbisz24] with our figures.
//!
//! Both procedures of the engine `bmc`, each with and without the small conflicts, decide every task with the same bound. Averages are over the tasks that both
//! settings of a procedure solve; a task counts as solved too if nothing is violated up to the bound, unless it is known that something is violated beyond it: such tasks are left
//! out, as in the thesis. Times are processor times, that of the solver and its theory apart from that of finding and adding conflicts.

use super::args::{Args, Asked, Suite};
use super::kind::{Experiment, Report};
use super::measured::{Measured, load_asked, measure};
use super::present::output::progress;
use super::present::scatter::svg;
use super::present::table::{Table, table};
use cases::Pool;

/// The experiment.
pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "conflicts",
    about: "bmc: both procedures over a suite, with and without conflicts found before solving",
    run,
};

/// (name, procedure, conflicts).
const SETTINGS: [(&str, &str, &str); 4] =
    [("BASIC", "basic", "off"), ("BASIC+OPT", "basic", "on"), ("PROP", "theory", "off"), ("PROP+OPT", "theory", "on")];

/// Table 5.1: solved, processor seconds, clauses, solver seconds, decisions, propagations, restarts; of 544 tasks, 508 and 512 of them common, with 900 s each.
const PAPER: [[&str; 7]; 4] = [
    ["510", "24.4", "548", "15.5", "117539", "1019525", "8.35"],
    ["517", "14.2", "223", "5.5", "28074", "289943", "1.20"],
    ["514", "22.8", "1017", "15.1", "16886", "301890", "6.83"],
    ["520", "15.8", "599", "7.3", "9203", "243810", "5.36"],
];

/// What is shown: (heading, statistics that are added up). Refuted are assignments: those that `basic` refines away, and those
/// that contradict the theory during the search of `theory`. Clauses are those and the reasons that the solver asked for.
const COLUMNS: [(&str, &[&str]); 11] = [
    ("refuted", &["refinement clauses", "theory conflicts"]),
    ("clauses", &["refinement clauses", "theory clauses"]),
    ("solver s", &["seconds: solve"]),
    ("decisions", &["solver decisions"]),
    ("propagations", &["solver propagations"]),
    ("conflicts", &["solver conflicts"]),
    ("found 5.4a", &["conflicts: crossing reads"]),
    (
        "found 5.4b,c",
        &["conflicts: overwritten", "conflicts: overwritten by a choice", "conflicts: overwritten by two choices"],
    ),
    ("found other", &["conflicts: two sources", "conflicts: two updates"]),
    ("cut off", &["conflicts: cut off"]),
    ("finding s", &["seconds: conflicts"]),
];
/// Where some of them are.
const CLAUSES: usize = 1;
const SOLVER: usize = 2;
const FINDING: usize = 10;

/// How many of the hardest tasks are looked at by themselves.
const HARDEST: usize = 10;

/// How often each setting is asked.
const ROUNDS: usize = 3;

/// One task under one setting.
#[derive(Clone, Default)]
struct Result {
    is_wrong: bool,
    is_solved: bool,
    /// Nothing up to the bound, but something beyond it.
    is_left_out: bool,
    seconds: f64,
    figures: [f64; COLUMNS.len()],
}

/// The results of a task under all settings.
type Row = [Result; SETTINGS.len()];

fn run(args: &Args) -> std::result::Result<Report, String> {
    let Suite { about, tasks } = args.suite()?;
    let pool = Pool { n: args.jobs, stack: 256 << 20 };
    let results: Vec<Option<Row>> = pool.map(&tasks, |asked| ask(args, asked));
    progress("");
    let mut seen =
        vec![format!("Suite: {about}; {} could not be read.", results.iter().filter(|row| row.is_none()).count())];
    let (tasks, results): (Vec<&Asked>, Vec<Row>) =
        tasks.iter().zip(results).filter_map(|(task, row)| Some((task, row?))).unzip();
    let n_wrong = results.iter().flatten().filter(|result| result.is_wrong).count();
    let left_out = [0, 1, 2, 3].map(|at| results.iter().filter(|row| row[at].is_left_out).count().to_string());
    seen.push(format!(
        "Left out because nothing happens up to the bound and something beyond it: {} (thesis: two or three for each setting).",
        left_out.join(", ")
    ));
    seen.extend([("BASIC", 0), ("PROP", 2)].map(|(name, without)| saved(&results, name, without)));
    seen.push(found(&results));
    seen.extend([("BASIC", 0), ("PROP", 2)].map(|(name, without)| paid(&results, name, without)));
    seen.push(format!("Wrong answers: {n_wrong}."));
    let points = |without: usize| {
        common(&results, without).iter().map(|row| (row[without].seconds, row[without + 1].seconds)).collect()
    };
    let plot = svg(&[("#c44", "BASIC", points(0)), ("#47a", "PROP", points(2))]);
    let files = vec![("conflicts-tasks.csv".to_string(), csv(&tasks, &results)), ("conflicts.svg".to_string(), plot)];
    Ok(Report { tables: vec![averages(&results)], seen, n_wrong, files })
}

/// The four settings take turns, so that a busy machine is busy for all of them; of some rounds each keeps its best. None if the program cannot be read.
fn ask(args: &Args, asked: &Asked) -> Option<Row> {
    let task = load_asked(asked).ok()?;
    progress(&asked.task.path.display().to_string());
    let unwind = args.unwind.to_string();
    let round = || {
        SETTINGS.map(|(_, procedure, conflicts)| {
            let knobs = [("procedure", procedure), ("conflicts", conflicts), ("unwind", unwind.as_str())];
            let measured = measure(&task, Some(asked.is_safe), "bmc", &knobs, args.limit);
            result(&measured.expect("the knobs are declared"), asked.is_safe)
        })
    };
    let mut best = round();
    for _ in 1..if args.quick { 1 } else { ROUNDS } {
        for (best, now) in best.iter_mut().zip(round()) {
            if now.is_wrong || !best.is_wrong && now.seconds < best.seconds {
                *best = now;
            }
        }
    }
    Some(best)
}

fn result(measured: &Measured, is_safe: bool) -> Result {
    let is_left_out = measured.is_bounded && !is_safe;
    let figure = |names: &[&str]| names.iter().map(|name| measured.number(name)).sum::<f64>();
    Result {
        is_wrong: measured.is_wrong,
        is_solved: measured.is_solved() || (measured.is_bounded && is_safe),
        is_left_out,
        seconds: measured.seconds,
        figures: COLUMNS.map(|(_, names)| figure(names)),
    }
}

/// The tasks that both settings of a procedure solve.
fn common(results: &[Row], setting: usize) -> Vec<&Row> {
    let pair = setting / 2 * 2;
    results.iter().filter(|row| row[pair].is_solved && row[pair + 1].is_solved).collect()
}

fn average(rows: &[&Row], of: impl Fn(&Row) -> f64) -> f64 {
    rows.iter().map(|row| of(row)).sum::<f64>() / rows.len().max(1) as f64
}

fn averages(results: &[Row]) -> Table {
    let mut rows = Vec::new();
    for (setting, (name, ..)) in SETTINGS.iter().enumerate() {
        let tasks = common(results, setting);
        let solved = results.iter().filter(|row| row[setting].is_solved).count();
        let wrong = results.iter().filter(|row| row[setting].is_wrong).count();
        let mut row = vec![name.to_string(), solved.to_string(), wrong.to_string(), tasks.len().to_string()];
        row.push(format!("{:.4}", average(&tasks, |row| row[setting].seconds)));
        for (column, (heading, _)) in COLUMNS.iter().enumerate() {
            let value = average(&tasks, |row| row[setting].figures[column]);
            row.push(if heading.ends_with(" s") { format!("{value:.4}") } else { format!("{value:.1}") });
        }
        row.extend(PAPER[setting].map(str::to_string));
        rows.push(row);
    }
    let mut columns = vec!["setting", "solved", "wrong", "common tasks", "CPU s"];
    columns.extend(COLUMNS.iter().map(|(heading, _)| *heading));
    columns.extend([
        "solved (thesis)",
        "CPU s (thesis)",
        "clauses (thesis)",
        "solver s (thesis)",
        "decisions (thesis)",
        "propagations (thesis)",
        "restarts (thesis)",
    ]);
    let title = "Averages for a task, over those that both settings of a procedure solve (table 5.1)";
    table("conflicts", title, &columns, rows)
}

/// By how much less the second average is, in per cent.
fn less(rows: &[&Row], without: usize, of: impl Fn(&Result) -> f64) -> f64 {
    let (before, after) = (average(rows, |row| of(&row[without])), average(rows, |row| of(&row[without + 1])));
    if before == 0.0 { 0.0 } else { 100.0 * (before - after) / before }
}

/// RQ5.1 to RQ5.3: what is saved?
fn saved(results: &[Row], name: &str, without: usize) -> String {
    let rows = common(results, without);
    let [clauses, solver, whole] = if without == 0 { ["59.3", "64.9", "41.7"] } else { ["41.1", "51.4", "30.7"] };
    format!(
        "{name}: conflicts found before solving save {:.1} % of the {} (thesis: {clauses} % of the clauses), {:.1} % of the clauses, {:.1} % of the solver's time ({solver} %) and {:.1} % of all time ({whole} %) over {} tasks.",
        less(&rows, without, |one| one.figures[0]),
        if without == 0 { "refinements" } else { "theory conflicts" },
        less(&rows, without, |one| one.figures[CLAUSES]),
        less(&rows, without, |one| one.figures[SOLVER]),
        less(&rows, without, |one| one.seconds),
        rows.len()
    )
}

/// RQ5.1: how many are found, and of which shape?
fn found(results: &[Row]) -> String {
    let rows = common(results, 0);
    let [first, second, other] = [6, 7, 8].map(|column| average(&rows, |row| row[1].figures[column]));
    format!(
        "RQ5.1: BASIC gets {first:.1} conflicts of figure 5.4a and {second:.1} of 5.4b and c for a task (thesis: 514.5 and 611.2, counting what shorter ones say already), and {other:.1} of two kinds that the thesis leaves to its encoding."
    )
}

/// RQ5.3: does finding pay? In the sum, and on the hardest tasks.
fn paid(results: &[Row], name: &str, without: usize) -> String {
    let cost = |one: &Result| one.figures[SOLVER] + one.figures[FINDING];
    let mut rows = common(results, without);
    let sums = |rows: &[&Row]| [0, 1].map(|at| rows.iter().map(|row| cost(&row[without + at])).sum::<f64>());
    let all = sums(&rows);
    rows.sort_by(|a, b| cost(&b[without]).total_cmp(&cost(&a[without])));
    rows.truncate(HARDEST);
    let hard = sums(&rows);
    format!(
        "RQ5.3, {name}: solving and finding take {:.3} s with conflicts and {:.3} s without in the sum, and {:.3} s and {:.3} s on the {} hardest tasks.",
        all[1],
        all[0],
        hard[1],
        hard[0],
        rows.len()
    )
}

fn csv(tasks: &[&Asked], results: &[Row]) -> String {
    let header =
        ["task", "setting", "solved", "seconds"].into_iter().chain(COLUMNS.iter().map(|(heading, _)| *heading));
    let mut lines: Vec<Vec<String>> = vec![header.map(str::to_string).collect()];
    for (asked, row) in tasks.iter().zip(results) {
        for (result, (name, ..)) in row.iter().zip(SETTINGS) {
            let solved = u8::from(result.is_solved).to_string();
            let mut line = vec![asked.task.path.display().to_string(), name.to_string(), solved];
            line.push(format!("{:.4}", result.seconds));
            line.extend(result.figures.iter().map(f64::to_string));
            lines.push(line);
        }
    }
    cases::table::csv(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(solved: [bool; 4], clauses: [f64; 4]) -> Row {
        [0, 1, 2, 3].map(|at| {
            let mut figures = [0.0; COLUMNS.len()];
            figures[0] = clauses[at];
            Result { is_solved: solved[at], seconds: 1.0, figures, ..Result::default() }
        })
    }

    #[test]
    fn averages_are_over_what_both_solve() {
        let results =
            vec![row([true; 4], [10.0, 4.0, 20.0, 5.0]), row([true, false, true, true], [1000.0, 0.0, 20.0, 15.0])];
        assert!(saved(&results, "BASIC", 0).contains("save 60.0 % of the refinements"));
        assert!(saved(&results, "PROP", 2).contains("save 50.0 % of the theory conflicts"));
        assert_eq!(common(&results, 1).len(), 1);
    }

    #[test]
    fn a_bounded_answer_that_is_known_to_be_wrong_is_left_out() {
        let bounded = Measured { is_bounded: true, ..Measured::default() };
        let of_safe = result(&bounded, true);
        assert!(of_safe.is_solved && !of_safe.is_left_out);
        let of_unsafe = result(&bounded, false);
        assert!(!of_unsafe.is_solved && of_unsafe.is_left_out && !of_unsafe.is_wrong);
    }
}
