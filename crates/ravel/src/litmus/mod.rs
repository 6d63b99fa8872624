//! `ravel litmus`: which final states of litmus tests does a memory model allow?
//!
//! Tests run side by side in this process; their answers are printed in the order in which they were given. Models are loaded once each
//! (`shelf`). `tell` turns an answer into what the reporter shows.

pub(crate) mod shelf;
pub(crate) mod suite;
mod tell;

use crate::args;
use crate::exit::Exit;
use crate::screen;
use engines::axiomatic::{self, Goal, Method, Question};
use ir::litmus::Test;
use shelf::Shelf;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What one test gave: what is told about it, or what is wrong.
type Outcome = Result<report::litmus::Told, (String, Exit)>;

/// Answers for all tests.
pub(crate) fn litmus(args: &args::Litmus) -> Exit {
    let mut files = Vec::new();
    for path in &args.tests {
        match tests_in(path) {
            Ok(found) => files.extend(found),
            Err(error) => {
                screen::complain(&format!("ravel litmus: {}: {error}\n", path.display()));
                return Exit::BadInput;
            }
        }
    }
    let shelf = Shelf::new(&args.include, &args.variant);
    let options = match shelf.options(args.macros.as_deref()) {
        Ok(options) => options,
        Err(message) => {
            screen::complain(&message);
            return Exit::BadInput;
        }
    };
    let jobs = std::thread::available_parallelism().map_or(1, usize::from).min(files.len()).max(1);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Outcome>>> = Mutex::new(files.iter().map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::SeqCst);
                    let Some(file) = files.get(index) else { break };
                    let outcome = one(args, &shelf, &options, file);
                    done.lock().expect("no holder panics")[index] = Some(outcome);
                }
            });
        }
    });
    let outcomes = done.into_inner().expect("no holder panics");
    print_all(args, outcomes.into_iter().flatten().collect())
}

fn print_all(args: &args::Litmus, outcomes: Vec<Outcome>) -> Exit {
    let mut exit = Exit::Safe;
    let mut told = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(found) => {
                if !found.holds && exit == Exit::Safe {
                    exit = Exit::Unsafe;
                }
                if !args.json && !args.dot {
                    screen::print(&report::litmus::text(&found));
                } else if args.dot {
                    screen::print(&report::litmus::dot(&found));
                }
                told.push(found);
            }
            Err((message, how)) => {
                screen::complain(&message);
                exit = how;
            }
        }
    }
    if args.json {
        let all: Vec<_> = told.iter().map(report::litmus::json).collect();
        screen::print(&format!("{}\n", serde_json::Value::Array(all)));
    }
    if let Some(path) = &args.html
        && let Err(error) = std::fs::write(path, report::litmus::html(&told))
    {
        screen::complain(&format!("ravel litmus: {}: {error}\n", path.display()));
        return Exit::BadInput;
    }
    exit
}

/// The tests that a path names: a file, or all of a folder.
fn tests_in(path: &Path) -> std::io::Result<Vec<std::path::PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut found = Vec::new();
    let mut entries: Vec<_> = std::fs::read_dir(path)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() || path.extension().is_some_and(|extension| extension == "litmus") {
            found.extend(tests_in(&path)?);
        }
    }
    Ok(found)
}

fn one(args: &args::Litmus, shelf: &Shelf, options: &frontend::litmus::Options, path: &Path) -> Outcome {
    let started = Instant::now();
    let test = frontend::litmus::load(path, options).map_err(|rejected| {
        let style = report::Style::default();
        (report::diagnostics(&rejected.sources, &rejected.diagnostics, &style), Exit::BadInput)
    })?;
    let name = args.model.clone().unwrap_or_else(|| shelf::default_model(test.dialect).to_string());
    let model = shelf.model(&name).map_err(|message| (message, Exit::BadInput))?;
    let question = Question {
        goal: match args.enumerate {
            args::Enumerate::States => Goal::States,
            args::Enumerate::Executions => Goal::Executions,
            args::Enumerate::Rf => Goal::Rf,
        },
        method: match args.method {
            args::Method::Auto => Method::Auto,
            args::Method::Enumerate => Method::Enumerate,
            args::Method::Symbolic => Method::Symbolic,
        },
        unroll: args.unroll,
        keep: if args.html.is_some() || args.dot || args.show == args::Pick::All { args.nshow } else { 0 },
        keep_positive: args.show == args::Pick::Positive,
        with_flags: true,
    };
    let deadline = args.time_limit.0.map(|limit| started + limit);
    let stop = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let answer = axiomatic::answer(&test, &model, &question, &stop)
        .map_err(|refusal| (format!("{}: {refusal}\n", path.display()), Exit::Unknown))?;
    let mut executions = answer.executions.clone();
    if question.keep > 0 && executions.iter().all(|execution| !execution.is_positive) && answer.n_positive == 0 {
        // Nothing to show: then show what would be needed, and which axiom is in the way.
        executions.extend(axiomatic::forbidden(&test, &model, &question, &stop).unwrap_or_default());
    }
    Ok(tell::tell(&test, &model, &answer, &executions, started.elapsed()))
}

/// Decides only whether the condition holds: what suites ask.
pub(crate) fn verdict(
    test: &Test,
    model: &memory::cat::Model,
    limit: Option<Duration>,
) -> Result<bool, axiomatic::Refusal> {
    let started = Instant::now();
    let stop = || limit.is_some_and(|limit| started.elapsed() >= limit);
    let question = Question { goal: Goal::Verdict, with_flags: false, ..Question::default() };
    axiomatic::answer(test, model, &question, &stop).map(|answer| answer.holds(test))
}
