//! How good is ravel on a suite? Every task in its own process, several at a time, and the answers counted.
//!
//! The order of the output is that of the suite, whatever finished first. ^C stops handing out tasks and prints what is
//! known so far. With `--results` each answer is kept as soon as it is there: the same words go on with what is missing, and shards of a suite, answered
//! on as many machines, are put together by `ravel bench merge` ([`merge`]) or run by Slurm ([`slurm`]).

mod junit;
mod merge;
pub(crate) mod slurm;
mod table;

use crate::args::{self, Knobs};
use crate::deliver::file::Target;
use crate::exit::Exit;
use crate::language::table as languages;
use crate::screen;
use cases::journal::{self, Head};
use cases::suite::{self, Task};
use cases::{Category, Journal, Pool, Shard, Worker};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use table::Row;

/// Time that a child has beyond its limit before it is ended.
const GRACE: Duration = Duration::from_secs(3);

/// Set by ^C.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Runs the suite, or puts results together.
pub(crate) fn bench(args: &args::Bench, knobs: &Knobs) -> Exit {
    let counted = match &args.command {
        Some(args::BenchCommand::Merge(merge)) => merge::merge(merge),
        None => run(args, knobs),
    };
    counted.unwrap_or_else(|error| {
        screen::complain(&format!("ravel bench: {error}\n"));
        Exit::BadInput
    })
}

/// How the table is told.
struct Telling {
    each: bool,
    verbose: bool,
    files: Vec<(Target, Form)>,
}

fn run(args: &args::Bench, knobs: &Knobs) -> Result<Exit, String> {
    let started = Instant::now();
    let mut tasks = suite::read(&args.suite, &languages::forms())?;
    if let Some(filter) = &args.filter {
        tasks.retain(|task| task.path.to_string_lossy().contains(filter.as_str()));
    }
    let worker = make_worker(args, knobs).map_err(|error| format!("this program cannot find itself: {error}"))?;
    // Where no handler can be installed, ^C just ends the process.
    let _ = ctrlc::set_handler(|| STOPPED.store(true, Ordering::SeqCst));
    let questions: Vec<(&Task, &str)> = if args.engine.is_empty() {
        tasks.iter().map(|task| (task, default_engine(task))).collect()
    } else {
        args.engine.iter().flat_map(|engine| tasks.iter().map(move |task| (task, engine.as_str()))).collect()
    };
    let files = claim(&args.csv, &args.junit, &args.suite)?;
    let telling = Telling { each: args.each, verbose: args.verbose, files };
    let mut head = Head {
        ravel: env!("CARGO_PKG_VERSION").to_string(),
        options: worker.options.clone(),
        questions: questions.len(),
        fingerprint: journal::fingerprint(questions.iter().copied()),
        shard: args.shard.unwrap_or(Shard::WHOLE),
    };
    let rows = match &args.results {
        Some(folder) if args.slurm => {
            head.shard.of = args.array_size as usize;
            return slurm::run(args, knobs, &head, folder, &telling);
        }
        Some(path) => {
            let journal = Journal::open(path, &head)?;
            run_all(&questions, &worker, jobs(args), head.shard, Some(journal))?
        }
        None => run_all(&questions, &worker, jobs(args), head.shard, None)?,
    };
    tell(&rows, &worker, &telling, started.elapsed())
}

/// Prints what was counted.
fn tell(rows: &[Row<'_>], worker: &Worker, telling: &Telling, time: Duration) -> Result<Exit, String> {
    if telling.each {
        screen::print(&table::each(rows));
    }
    screen::print(&table::table(rows));
    screen::print(&list(rows, worker, telling.verbose));
    for (target, form) in &telling.files {
        target.write(&form(rows))?;
    }
    screen::print(&format!("{}\n{}\n", table::effort(rows), table::last_line(rows, time)));
    Ok(if table::has_wrong(rows) { Exit::Unsafe } else { Exit::Safe })
}

/// What a file of rows looks like.
type Form = fn(&[Row<'_>]) -> String;

/// The files that rows are written to, each with its form; an error if one cannot be written.
fn claim(csv: &Option<PathBuf>, junit: &Option<PathBuf>, inputs: &[PathBuf]) -> Result<Vec<(Target, Form)>, String> {
    let wanted: [(&'static str, &Option<PathBuf>, Form); 2] =
        [("--csv", csv, table::csv), ("--junit", junit, junit::junit)];
    let mut files: Vec<(Target, Form)> = Vec::new();
    for (option, path, form) in wanted {
        let Some(path) = path else { continue };
        let target = Target::claim(option, path, inputs)?;
        if files.iter().any(|(other, _)| other.is_same(&target)) {
            return Err(format!("{option} {}: another option names the same file", path.display()));
        }
        files.push((target, form));
    }
    Ok(files)
}

/// Who is asked about a task when nobody is named. A task definition is about C.
fn default_engine(task: &Task) -> &'static str {
    languages::of(&task.path).map_or(engines::portfolio::ABOUT.name, |row| row.default.name)
}

fn make_worker(args: &args::Bench, knobs: &Knobs) -> std::io::Result<Worker> {
    let time = args.time_limit.0;
    let time_word = time.map_or("none".to_string(), |time| format!("{}ms", time.as_millis()));
    let memory_word = args.memory_limit.0.map_or("none".to_string(), |bytes| bytes.to_string());
    let mut options = vec![format!("--time-limit={time_word}"), format!("--memory-limit={memory_word}")];
    options.extend(args.include.iter().map(|folder| format!("-I{}", folder.display())));
    options.extend(knobs.iter().map(|(knob, value)| format!("--{knob}={value}")));
    Ok(Worker { program: std::env::current_exe()?, options, deadline: time.map(|time| time + GRACE) })
}

fn jobs(args: &args::Bench) -> usize {
    args.jobs.unwrap_or(Pool::default().n).max(1)
}

/// Runs all questions of a shard, a few at a time, but for those that the journal has; the rows come back in the order of the questions.
fn run_all<'a>(
    questions: &[(&'a Task, &'a str)],
    worker: &Worker,
    jobs: usize,
    shard: Shard,
    journal: Option<Journal>,
) -> Result<Vec<Row<'a>>, String> {
    let mut known = BTreeMap::new();
    let mut journal = journal;
    for entry in journal.iter_mut().flat_map(|journal| std::mem::take(&mut journal.before)) {
        known.insert(entry.question, entry.answer);
    }
    let is_open = |number: &usize| shard.has(*number) && !known.contains_key(number);
    let open: Vec<usize> = (0..questions.len()).filter(is_open).collect();
    let bar = progress(open.len());
    let row = |number: usize, answer| {
        let (task, engine) = questions[number];
        (number, Row { task, engine, answer })
    };
    let done = Mutex::new((Vec::new(), journal, Ok(())));
    Pool::of(jobs.min(open.len())).hand_out(|index| {
        let is_stopped = || STOPPED.load(Ordering::SeqCst);
        let Some(&number) = open.get(index).filter(|_| !is_stopped()) else {
            return ControlFlow::Break(());
        };
        let (task, engine) = questions[number];
        let answer = worker.run(task, engine);
        if is_stopped() {
            return ControlFlow::Break(());
        }
        let mut done = done.lock().expect("no holder panics");
        let (rows, journal, written) = &mut *done;
        if let Some(Err(error)) = journal.as_mut().map(|journal| journal.add(number, task, engine, &answer)) {
            *written = Err(error);
            STOPPED.store(true, Ordering::SeqCst);
        }
        rows.push(row(number, answer));
        bar.set_message(summary(rows));
        bar.inc(1);
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    let (mut rows, _, written) = done.into_inner().expect("no holder panics");
    written?;
    rows.extend(known.into_iter().map(|(number, answer)| row(number, answer)));
    rows.sort_by_key(|(number, _)| *number);
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

/// What the bar says.
fn summary(done: &[(usize, Row<'_>)]) -> String {
    let count = |outcome| done.iter().filter(|(_, row)| row.answer.outcome == outcome).count();
    let (wrong, unknown, error) = (count(Category::Wrong), count(Category::Unknown), count(Category::Error));
    format!("wrong {wrong}, unknown {unknown}, error {error}")
}

/// A bar on a terminal, nothing elsewhere.
fn progress(len: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len}  {msg}  {elapsed} (about {eta} left)");
    ProgressBar::new(len as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// What needs a look: wrong answers and errors with their command lines, refusals by what was refused.
fn list(rows: &[Row<'_>], worker: &Worker, verbose: bool) -> String {
    let mut text = String::new();
    for row in rows {
        let answer = &row.answer;
        let is_refusal = answer.reason.starts_with("refused: ");
        if matches!(answer.outcome, Category::Wrong | Category::Error) {
            let word = answer.outcome.word();
            let _ = writeln!(text, "\n{word}: {} says {}, expected {}", row.engine, answer.result, row.task.expected);
            if !answer.reason.is_empty() {
                let _ = writeln!(text, "  {}", answer.reason);
            }
            let _ = writeln!(text, "  ravel {}", command_line(&worker.words(row.task, row.engine)));
        } else if answer.outcome == Category::Unknown && (is_refusal || verbose) {
            let _ = writeln!(text, "{}: {}", row.task.path.display(), answer.reason);
        }
    }
    text
}

/// Words as a shell would read them.
pub(crate) fn command_line(words: &[String]) -> String {
    let is_plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=,:+".contains(c));
    let quoted = words
        .iter()
        .map(|word| if is_plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', "'\\''")) });
    quoted.collect::<Vec<_>>().join(" ")
}
