//! `ravel litmus`: which final states of litmus tests does a memory model allow?
//!
//! Tests run side by side in this process, each with its own time; their answers are printed in the order in which they were given. A panic costs its own
//! test only. ^C and the memory limit end those under way, and what is known by then is printed. Models are loaded once each
//! ([`models`]). [`tell`] turns an answer into what the reporter shows.

pub(crate) mod models;
pub(crate) mod tell;

use super::guarded_thread;
use crate::exit::Exit;
use crate::watch::{Stop, Watch};
use crate::{args, screen};
use cases::Pool;
use engines::axiomatic::{self, Goal, Method, Question};
use engines::{Budget, Run};
use ir::Why;
use models::Models;
use std::path::Path;
use std::time::Instant;

/// What one test gave: what is told about it, or what is wrong.
type TestResult = Result<report::litmus::Told, (String, Exit)>;

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
    let models = Models::new(&args.include, &args.variant);
    let options = match models.options(args.macros.as_deref()) {
        Ok(options) => options,
        Err(message) => {
            screen::complain(&message);
            return Exit::BadInput;
        }
    };
    let watch = Watch::new(Budget::new(None, args.memory_limit.0));
    watch.start(!args.json && !args.dot, |stop| {
        screen::progress("");
        screen::complain(&format!("ravel litmus: {}\n", in_words(&stop)));
        Exit::Unknown
    });
    guarded_thread::listen();
    let pool = Pool { stack: guarded_thread::STACK_BYTES, ..Pool::default() };
    let outcomes = pool.map(&files, |file| {
        guarded_thread::caught(|| one(args, &models, &options, &watch, file)).unwrap_or_else(|said| {
            let version = env!("CARGO_PKG_VERSION");
            Err((format!("{}: ravel {version} has a bug: {said}\n", file.display()), Exit::Bug))
        })
    });
    watch.claim_or_wait();
    screen::progress("");
    print_all(args, outcomes)
}

/// Why everything was ended.
fn in_words(stop: &Stop) -> String {
    match stop {
        Stop::Limit(why) => report::why(&ir::Sources::default(), why),
        Stop::Interrupted => "interrupted".to_string(),
    }
}

fn print_all(args: &args::Litmus, outcomes: Vec<TestResult>) -> Exit {
    let mut exit = Exit::Safe;
    let mut told = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(found) => {
                match found.holds {
                    Some(true) => {}
                    Some(false) if exit == Exit::Safe => exit = Exit::Unsafe,
                    Some(false) => {}
                    None if matches!(exit, Exit::Safe | Exit::Unsafe) => exit = Exit::Unknown,
                    None => {}
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
                // A bug of ours is worth more attention than anything else.
                if exit != Exit::Bug {
                    exit = how;
                }
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
    if let Some(path) = &args.svg
        && let Err(error) = write_charts(path, &told)
    {
        screen::complain(&format!("ravel litmus: {}: {error}\n", path.display()));
        return Exit::BadInput;
    }
    exit
}

fn write_charts(path: &Path, told: &[report::litmus::Told]) -> Result<(), String> {
    if let Some(other) = told.iter().find(|told| told.graphs.iter().any(|graph| graph.roles.is_empty())) {
        return Err(format!(
            "`{}` has no messages to draw a chart of: --html and --dot draw its executions",
            other.name
        ));
    }
    std::fs::write(path, report::litmus::charts(told)).map_err(|error| error.to_string())
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

fn one(
    args: &args::Litmus,
    models: &Models,
    options: &frontend::litmus::Options,
    watch: &Watch,
    path: &Path,
) -> TestResult {
    let started = Instant::now();
    let rejected = |rejected: frontend::Rejected| {
        let style = report::Style::default();
        (report::diagnostics(&rejected.sources, &rejected.diagnostics, &style), Exit::BadInput)
    };
    let test = frontend::litmus::load(path, options).map_err(rejected)?;
    let name = args.model.clone().unwrap_or_else(|| models::default_model(test.dialect).to_string());
    let model = models.model(&name).map_err(rejected)?;
    let question = Question {
        goal: match args.enumerate {
            Some(args::Enumerate::States) => Goal::States,
            Some(args::Enumerate::Executions) => Goal::Executions,
            Some(args::Enumerate::Rf) => Goal::Rf,
            // In which order messages were sent is nothing that anybody sees, as long as nobody receives them in that order.
            None if test.dialect.has_messages() => Goal::Rf,
            None => Goal::Executions,
        },
        method: match args.method {
            args::Method::Auto => Method::Auto,
            args::Method::Enumerate => Method::Enumerate,
            args::Method::Symbolic => Method::Symbolic,
        },
        unroll: args.unroll,
        keep: if args.html.is_some() || args.svg.is_some() || args.dot || args.show == args::Pick::All {
            args.nshow
        } else {
            0
        },
        keep_positive: args.show == args::Pick::Positive,
        with_flags: true,
    };
    let mut run = Run::new(watch.budget().share(args.time_limit.0));
    let unknown = |why: Why| {
        let reason = match (why, watch.reason()) {
            (Why::Cancelled, Some(stop)) => in_words(&stop),
            (why, _) => report::why(&test.sources, &why),
        };
        (format!("{}: {reason}\n", path.display()), Exit::Unknown)
    };
    let answer = axiomatic::answer_within(&test, &model, &question, &mut run).map_err(unknown)?;
    let mut executions = answer.executions.clone();
    if question.keep > 0 && executions.iter().all(|execution| !execution.is_positive) && answer.n_positive == 0 {
        // Nothing to show: then show what would be needed, and which axiom is in the way.
        let is_over = || run.budget().is_over().is_some();
        executions.extend(axiomatic::forbidden(&test, &model, &question, &is_over).unwrap_or_default());
    }
    Ok(tell::tell(&test, &model, &answer, &executions, started.elapsed()))
}
