//! Suites of litmus tests: `ravel bench litmus.csv`, in one process on all processors.
//!
//! The file has the header `test,model,condition_holds`; paths are relative to it. Each test is decided as far as its condition needs; the table
//! counts by model and tells the time of each test, reading it included.

use super::shelf::Shelf;
use crate::args;
use crate::exit::Exit;
use crate::screen;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The first line of a suite.
pub(crate) const HEADER: &str = "test,model,condition_holds";

struct Task {
    path: PathBuf,
    name: String,
    model: String,
    expected: bool,
}

struct Row {
    outcome: Outcome,
    took: Duration,
}

enum Outcome {
    Right,
    Wrong,
    Unknown(String),
    Error(String),
}

/// Whether a file is a suite of litmus tests.
pub(crate) fn is_suite(path: &Path) -> bool {
    let start = std::fs::read_to_string(path).unwrap_or_default();
    start.lines().next().map(str::trim) == Some(HEADER)
}

/// Runs a suite.
pub(crate) fn run(args: &args::Bench, path: &Path) -> Exit {
    let started = Instant::now();
    let mut tasks = match read(path) {
        Ok(tasks) => tasks,
        Err(message) => {
            screen::complain(&format!("ravel bench: {}: {message}\n", path.display()));
            return Exit::BadInput;
        }
    };
    if let Some(filter) = &args.filter {
        tasks.retain(|task| task.name.contains(filter.as_str()) || task.model == *filter);
    }
    let shelf = Shelf::new(&args.include, &[]);
    let options = frontend::litmus::Options::default();
    let jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Row)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::SeqCst);
                    let Some(task) = tasks.get(index) else { break };
                    let begun = Instant::now();
                    let outcome = decide(task, &shelf, &options, args.time_limit.0);
                    done.lock().expect("no holder panics").push((index, Row { outcome, took: begun.elapsed() }));
                }
            });
        }
    });
    let mut rows = done.into_inner().expect("no holder panics");
    rows.sort_by_key(|(index, _)| *index);
    let rows: Vec<(&Task, Row)> = rows.into_iter().map(|(index, row)| (&tasks[index], row)).collect();
    screen::print(&listing(&rows, args));
    screen::print(&table(&rows));
    if let Some(out) = &args.csv
        && let Err(error) = std::fs::write(out, csv(&rows))
    {
        screen::complain(&format!("ravel bench: {}: {error}\n", out.display()));
        return Exit::BadInput;
    }
    let count = |select: &dyn Fn(&Outcome) -> bool| rows.iter().filter(|(_, row)| select(&row.outcome)).count();
    let wrong = count(&|outcome| matches!(outcome, Outcome::Wrong));
    screen::print(&format!(
        "correct {}, wrong {wrong}, unknown {}, error {}, of {} in {:.1} s\n",
        count(&|outcome| matches!(outcome, Outcome::Right)),
        count(&|outcome| matches!(outcome, Outcome::Unknown(_))),
        count(&|outcome| matches!(outcome, Outcome::Error(_))),
        rows.len(),
        started.elapsed().as_secs_f64()
    ));
    if wrong > 0 { Exit::Unsafe } else { Exit::Safe }
}

fn decide(task: &Task, shelf: &Shelf, options: &frontend::litmus::Options, limit: Option<Duration>) -> Outcome {
    let test = match frontend::litmus::load(&task.path, options) {
        Ok(test) => test,
        Err(rejected) => {
            let first = rejected.diagnostics.first();
            return Outcome::Error(
                first.map_or(String::new(), |problem| format!("line {}: {}", problem.span.line, problem.message)),
            );
        }
    };
    let model = match shelf.model(&task.model) {
        Ok(model) => model,
        Err(message) => return Outcome::Error(message),
    };
    match super::verdict(&test, &model, limit) {
        Ok(holds) if holds == task.expected => Outcome::Right,
        Ok(_) => Outcome::Wrong,
        Err(refusal) => Outcome::Unknown(refusal.to_string()),
    }
}

fn read(path: &Path) -> Result<Vec<Task>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut tasks = Vec::new();
    for (index, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        // A test's name may contain commas; the model and the answer do not.
        let mut parts = line.trim().rsplitn(3, ',');
        let (answer, model, name) = (parts.next(), parts.next(), parts.next());
        let (Some(answer), Some(model), Some(name)) = (answer, model, name) else {
            return Err(format!("line {} is not `{HEADER}`", index + 1));
        };
        let expected = match answer {
            "1" | "true" => true,
            "0" | "false" => false,
            _ => return Err(format!("line {}: `{answer}` should be 1 or 0", index + 1)),
        };
        tasks.push(Task { path: folder.join(name), name: name.to_string(), model: model.to_string(), expected });
    }
    Ok(tasks)
}

fn listing(rows: &[(&Task, Row)], args: &args::Bench) -> String {
    let mut text = String::new();
    for (task, row) in rows {
        let word = match &row.outcome {
            Outcome::Right if args.each => "right",
            Outcome::Right => continue,
            Outcome::Wrong => "wrong",
            Outcome::Unknown(_) => "unknown",
            Outcome::Error(_) => "error",
        };
        let reason = match &row.outcome {
            Outcome::Unknown(reason) | Outcome::Error(reason) => format!(" ({})", reason.trim()),
            _ => String::new(),
        };
        let expected = if task.expected { "holds" } else { "does not hold" };
        let millis = row.took.as_secs_f64() * 1e3;
        let _ = writeln!(
            text,
            "{word}: {} under {}: expected that it {expected}, {millis:.1} ms{reason}",
            task.name, task.model
        );
    }
    text
}

fn table(rows: &[(&Task, Row)]) -> String {
    let mut by_model: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for (task, row) in rows {
        by_model.entry(&task.model).or_default().push(row);
    }
    let mut text = format!(
        "{:<14} {:>6} {:>6} {:>6} {:>8} {:>6} {:>12} {:>12}\n",
        "model", "tests", "right", "wrong", "unknown", "error", "mean ms", "worst ms"
    );
    for (model, rows) in by_model {
        let count = |select: &dyn Fn(&Outcome) -> bool| rows.iter().filter(|row| select(&row.outcome)).count();
        let total: f64 = rows.iter().map(|row| row.took.as_secs_f64() * 1e3).sum();
        let worst = rows.iter().map(|row| row.took.as_secs_f64() * 1e3).fold(0.0, f64::max);
        let _ = writeln!(
            text,
            "{model:<14} {:>6} {:>6} {:>6} {:>8} {:>6} {:>12.3} {:>12.1}",
            rows.len(),
            count(&|outcome| matches!(outcome, Outcome::Right)),
            count(&|outcome| matches!(outcome, Outcome::Wrong)),
            count(&|outcome| matches!(outcome, Outcome::Unknown(_))),
            count(&|outcome| matches!(outcome, Outcome::Error(_))),
            total / rows.len() as f64,
            worst
        );
    }
    text
}

fn csv(rows: &[(&Task, Row)]) -> String {
    let mut text = String::from("test,model,expected,outcome,milliseconds\n");
    for (task, row) in rows {
        let word = match row.outcome {
            Outcome::Right => "right",
            Outcome::Wrong => "wrong",
            Outcome::Unknown(_) => "unknown",
            Outcome::Error(_) => "error",
        };
        let _ = writeln!(
            text,
            "{},{},{},{word},{:.3}",
            task.name,
            task.model,
            u8::from(task.expected),
            row.took.as_secs_f64() * 1e3
        );
    }
    text
}
