//! What do conflicts found before solving save? Table 5.1 of the thesis with our figures.
//!
//! Both procedures of the engine `bmc`, each with and without the small conflicts, decide every task with the same bound. Averages are over the tasks that both
//! settings of a procedure solve; a task counts as solved too if nothing is violated up to the bound. Times are processor times, that of the solver and its
//! theory apart from that of finding and adding conflicts. The plot has a point for each such task: seconds without against seconds with conflicts.

use super::args::Args;
use super::kind::{Experiment, How};
use super::output::write_all;
use cases::{Category, Pool, Task, Worker};
use engines::PROCESSOR;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// The experiment.
pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "conflicts",
    about: "bmc: both procedures over a suite, with and without conflicts found before solving",
    run: How::OnSuite(run),
};

/// (name, procedure, conflicts).
const SETTINGS: [(&str, &str, &str); 4] = [
    ("basic", "basic", "off"),
    ("basic+conflicts", "basic", "on"),
    ("theory", "theory", "off"),
    ("theory+conflicts", "theory", "on"),
];

/// What is shown: (heading, statistic); several statistics are added up. Refuted are assignments: those that `basic` refines away, and those
/// that contradict the theory during the search of `theory`. Clauses are those and the reasons that the solver asked for.
const COLUMNS: [(&str, &[&str]); 8] = [
    ("refuted", &["refinement clauses", "theory conflicts"]),
    ("clauses", &["refinement clauses", "theory clauses"]),
    ("solver s", &["seconds: solve"]),
    ("decisions", &["solver decisions"]),
    ("propagations", &["solver propagations"]),
    ("conflicts", &["solver conflicts"]),
    (
        "found before",
        &[
            "conflicts: two sources",
            "conflicts: crossing reads",
            "conflicts: two updates",
            "conflicts: overwritten",
            "conflicts: overwritten by a choice",
        ],
    ),
    ("finding s", &["seconds: conflicts"]),
];

/// One task under one setting.
struct Result {
    is_wrong: bool,
    is_solved: bool,
    seconds: f64,
    figures: [f64; COLUMNS.len()],
}

/// Runs the experiment and prints the table; true if no answer is wrong.
fn run(args: &Args) -> std::result::Result<bool, String> {
    if args.suite.is_empty() {
        return Err("which suite?".to_string());
    }
    let tasks = args.tasks()?;
    let results = run_all(&tasks, &ravel()?, args);
    print!("{}", table(&results));
    let files = [("conflicts.csv", csv(&tasks, &results)), ("conflicts.svg", plot(&results))];
    write_all(args, &files.map(|(name, text)| (name.to_string(), text)))?;
    Ok(!results.iter().flatten().any(|result| result.is_wrong))
}

/// The ravel that was built beside this program.
fn ravel() -> std::result::Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("this program cannot find itself: {error}"))?;
    let beside = own.with_file_name(format!("ravel{}", std::env::consts::EXE_SUFFIX));
    if beside.is_file() { Ok(beside) } else { Err("there is no ravel yet: cargo build --release -p ravel".to_string()) }
}

/// For each task the results of the four settings, which take turns so that a busy machine is busy for all of them.
fn run_all(tasks: &[Task], program: &std::path::Path, args: &Args) -> Vec<Vec<Result>> {
    let limit = args.limit;
    let workers: Vec<Worker> = SETTINGS
        .iter()
        .map(|(_, procedure, conflicts)| Worker {
            program: program.to_path_buf(),
            options: vec![
                format!("--time-limit={}ms", limit.as_millis()),
                format!("--bmc.procedure={procedure}"),
                format!("--bmc.conflicts={conflicts}"),
                format!("--bmc.unwind={}", args.unwind),
            ],
            deadline: Some(limit + Duration::from_secs(3)),
        })
        .collect();
    Pool::of(args.jobs).map(tasks, |task| workers.iter().map(|worker| ask(worker, task)).collect())
}

fn ask(worker: &Worker, task: &Task) -> Result {
    let answer = worker.run(task, "bmc");
    let is_bounded = answer.outcome == Category::Unknown && answer.reason.contains("no violation up to");
    let is_correct = matches!(answer.outcome, Category::CorrectTrue | Category::CorrectFalse);
    let figure = |names: &[&str]| names.iter().filter_map(|name| answer.statistics.get(*name)).sum::<f64>();
    Result {
        is_wrong: answer.outcome == Category::Wrong,
        is_solved: is_bounded || is_correct,
        seconds: answer.statistics.get(PROCESSOR).copied().unwrap_or(answer.time.as_secs_f64()),
        figures: COLUMNS.map(|(_, names)| figure(names)),
    }
}

/// The tasks that both settings of a procedure solve.
fn common(results: &[Vec<Result>], setting: usize) -> Vec<&Vec<Result>> {
    let pair = setting / 2 * 2;
    results.iter().filter(|row| row[pair].is_solved && row[pair + 1].is_solved).collect()
}

fn average(rows: &[&Vec<Result>], of: impl Fn(&Vec<Result>) -> f64) -> f64 {
    rows.iter().map(|row| of(row)).sum::<f64>() / rows.len().max(1) as f64
}

fn table(results: &[Vec<Result>]) -> String {
    let mut text = format!("{:18} {:>7} {:>8}", "setting", "solved", "CPU s");
    for (heading, _) in COLUMNS {
        let _ = write!(text, " {heading:>13}");
    }
    text.push('\n');
    for (setting, (name, _, _)) in SETTINGS.iter().enumerate() {
        let rows = common(results, setting);
        let solved = results.iter().filter(|row| row[setting].is_solved).count();
        let seconds = average(&rows, |row| row[setting].seconds);
        let _ = write!(text, "{name:18} {solved:>7} {seconds:>8.3}");
        for column in 0..COLUMNS.len() {
            let value = average(&rows, |row| row[setting].figures[column]);
            let _ = write!(text, " {value:>13.3}");
        }
        text.push('\n');
    }
    for (name, without) in [("basic", 0), ("theory", 2)] {
        let rows = common(results, without);
        let saved = |column: usize| {
            let before = average(&rows, |row| row[without].figures[column]);
            let after = average(&rows, |row| row[without + 1].figures[column]);
            100.0 * (before - after) / before.max(1e-9)
        };
        let _ = writeln!(
            text,
            "{name}: conflicts found before solving save {:.1} % of the {}, {:.1} % of the clauses and {:.1} % of the solver's time ({} tasks)",
            saved(0),
            if without == 0 { "refinements" } else { "theory conflicts" },
            saved(1),
            saved(2),
            rows.len()
        );
    }
    text
}

fn csv(tasks: &[Task], results: &[Vec<Result>]) -> String {
    let header =
        ["task", "setting", "solved", "seconds"].into_iter().chain(COLUMNS.iter().map(|(heading, _)| *heading));
    let mut lines: Vec<Vec<String>> = vec![header.map(str::to_string).collect()];
    for (task, row) in tasks.iter().zip(results) {
        for (result, (name, _, _)) in row.iter().zip(SETTINGS) {
            let solved = u8::from(result.is_solved).to_string();
            let mut line = vec![task.path.display().to_string(), name.to_string(), solved];
            line.push(format!("{:.3}", result.seconds));
            line.extend(result.figures.iter().map(f64::to_string));
            lines.push(line);
        }
    }
    cases::table::csv(lines)
}

/// A scatter plot with logarithmic axes; points under the diagonal are tasks that became faster.
fn plot(results: &[Vec<Result>]) -> String {
    const SIZE: f64 = 400.0;
    let at = |seconds: f64| (seconds.clamp(0.01, 100.0).log10() + 2.0) / 4.0 * SIZE;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-50 -10 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n",
        SIZE + 70.0,
        SIZE + 60.0
    );
    let _ = writeln!(
        text,
        "<rect width=\"{SIZE}\" height=\"{SIZE}\" fill=\"none\" stroke=\"#888\"/><line x1=\"0\" y1=\"{SIZE}\" x2=\"{SIZE}\" y2=\"0\" stroke=\"#bbb\"/>"
    );
    for power in -2..=2 {
        let place = at(10f64.powi(power));
        let label = format!("{}", 10f64.powi(power));
        let _ = writeln!(text, "<text x=\"{place}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", SIZE + 16.0);
        let _ = writeln!(text, "<text x=\"-6\" y=\"{}\" text-anchor=\"end\">{label}</text>", SIZE - place + 4.0);
    }
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">seconds without</text>",
        SIZE / 2.0,
        SIZE + 36.0
    );
    let _ = writeln!(
        text,
        "<text x=\"-38\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 -38 {0})\">seconds with</text>",
        SIZE / 2.0
    );
    for (colour, name, without) in [("#c44", "basic", 0), ("#47a", "theory", 2)] {
        for row in common(results, without) {
            let (x, y) = (at(row[without].seconds), SIZE - at(row[without + 1].seconds));
            let _ =
                writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\" fill-opacity=\"0.6\"/>");
        }
        let y = 16.0 + 8.0 * without as f64;
        let _ = writeln!(text, "<text x=\"10\" y=\"{y}\" fill=\"{colour}\">{name}</text>");
    }
    text.push_str("</svg>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(is_solved: bool, clauses: f64) -> Result {
        let mut figures = [0.0; COLUMNS.len()];
        figures[0] = clauses;
        Result { is_wrong: false, is_solved, seconds: 1.0, figures }
    }

    #[test]
    fn averages_are_over_what_both_solve() {
        let row = |solved: [bool; 4], clauses: [f64; 4]| -> Vec<Result> {
            solved.into_iter().zip(clauses).map(|(is_solved, clauses)| result(is_solved, clauses)).collect()
        };
        let results =
            vec![row([true; 4], [10.0, 4.0, 20.0, 5.0]), row([true, false, true, true], [1000.0, 0.0, 20.0, 15.0])];
        let text = table(&results);
        assert!(text.contains("basic: conflicts found before solving save 60.0 % of the refinements"), "{text}");
        assert!(text.contains("theory: conflicts found before solving save 50.0 % of the theory conflicts"), "{text}");
        assert_eq!(plot(&results).matches("<circle").count(), 3);
    }
}
