//! How are random programs tried? One loop for all fuzzers: seeds, time, threads, counting, shrinking, and filing what was found.
//!
//! A fuzzer is a row of `FUZZERS`: what it makes, who knows the truth, whom it asks. Every seed is a program, always the same one. A program on which
//! somebody is wrong is made smaller as long as the same one is wrong about the same question in the same way, then printed, and
//! filed as a case. Answers that are unknown are counted by their reason and never count as wrong.

use super::ask::{self, Asked, Blind, caught};
use super::settings::Setting;
use super::subject::{Counts, Fault, Subject, Wrong};
use super::{FUZZERS, filing};
use cases::Pool;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A fuzzer.
pub(crate) struct Fuzzer {
    pub(crate) name: &'static str,
    /// What its programs have.
    pub(crate) makes: &'static str,
    /// Who knows the truth.
    pub(crate) oracle: &'static str,
    /// The program of a seed.
    pub(crate) make: fn(u64) -> Box<dyn Subject>,
    pub(crate) asks: Asks,
}

/// Whom a fuzzer asks.
pub(crate) enum Asks {
    /// Settings of the engines: the first each time, and beside it a number of the others in turn.
    Engines {
        settings: fn() -> Vec<Setting>,
        beside: usize,
        /// For each answer.
        limit: Duration,
        /// Whether a reduction must not visit more states than plain interleaving, the first setting.
        counts_states: bool,
    },
    /// The engine for OOX, which has questions of its own.
    Symbolic(fn(&dyn Subject, u64, &mut Counts) -> Option<Wrong>),
}

/// What the command line says.
#[derive(clap::Args, Debug)]
#[command(after_help = table())]
pub(crate) struct Options {
    /// Which fuzzers; all if none is named
    names: Vec<String>,
    /// Stop after so many programs of each
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Share so much time out among them [default: 60, or no limit with --count]
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
    /// The first seed
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// How many programs are tried at the same time [default: one for each core]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Print the program of a seed, and try nothing
    #[arg(long, value_name = "SEED")]
    show: Option<u64>,
    /// Where programs are filed on which somebody is wrong [default: cases/regress]
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// Leave something out of the programs that engines see, to know whether it would be noticed
    #[arg(long, value_enum)]
    blind: Option<Blind>,
}

fn table() -> String {
    let rows = FUZZERS.iter().map(|row| format!("  {:<11} {}\n{:14}oracle: {}\n", row.name, row.makes, "", row.oracle));
    format!("Fuzzers:\n{}", rows.collect::<String>())
}

/// Tries programs as the command line says; true if nobody is wrong.
pub(crate) fn run(options: &Options) -> bool {
    let is_named = |row: &&Fuzzer| options.names.is_empty() || options.names.iter().any(|name| name == row.name);
    let rows: Vec<&Fuzzer> = FUZZERS.iter().filter(is_named).collect();
    if let Some(unknown) = options.names.iter().find(|name| FUZZERS.iter().all(|row| row.name != **name)) {
        eprintln!("there is no fuzzer `{unknown}`\n{}", table());
        return false;
    }
    if let Some(seed) = options.show {
        for row in rows {
            println!("{}", (row.make)(seed).text());
        }
        return true;
    }
    ask::expect_panics();
    let time = options.time.or(options.count.is_none().then_some(60)).map(Duration::from_secs);
    let jobs = options.jobs.unwrap_or(Pool::default().n);
    let regress = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/regress");
    let into = options.blind.is_none().then(|| options.into.clone().unwrap_or_else(regress));
    let started = Instant::now();
    let mut total = Counts::default();
    for (index, row) in rows.iter().enumerate() {
        let share =
            time.map(|time| time.saturating_sub(started.elapsed()) / u32::try_from(rows.len() - index).unwrap_or(1));
        let plan = Plan {
            first: options.seed,
            count: options.count.unwrap_or(u64::MAX),
            time: share,
            jobs: jobs.max(1),
            blind: options.blind,
            into: into.clone(),
        };
        let begun = Instant::now();
        let counts = row.run(&plan);
        println!("{}: {}; {:.1} s", row.name, counts.line(), begun.elapsed().as_secs_f64());
        counts.reasons().iter().for_each(|line| println!("  {line}"));
        total.add(counts);
    }
    if rows.len() > 1 {
        println!("all: {}; {:.1} s", total.line(), started.elapsed().as_secs_f64());
    }
    total.n_wrong() == 0
}

/// How far a fuzzer goes.
pub(crate) struct Plan {
    pub(crate) first: u64,
    pub(crate) count: u64,
    pub(crate) time: Option<Duration>,
    pub(crate) jobs: usize,
    pub(crate) blind: Option<Blind>,
    /// Where findings are filed; without it they are not made smaller either.
    pub(crate) into: Option<PathBuf>,
}

/// How long a program is made smaller.
const SHRINKING: Duration = Duration::from_secs(120);
/// How often it is said how far things are.
const PROGRESS: Duration = Duration::from_secs(20);
/// Recursive engines need a deep stack.
const STACK: usize = 512 << 20;

impl Fuzzer {
    /// Tries programs.
    pub(crate) fn run(&self, plan: &Plan) -> Counts {
        let started = Instant::now();
        let all = Mutex::new((Counts::default(), Instant::now()));
        Pool { n: plan.jobs, stack: STACK }.hand_out(|number| {
            // One is tried whatever the time.
            let is_late = number > 0 && plan.time.is_some_and(|time| started.elapsed() >= time);
            if number as u64 >= plan.count || is_late {
                return ControlFlow::Break(());
            }
            let counts = self.one(plan.first.wrapping_add(number as u64), plan);
            let mut all = all.lock().expect("no holder panics");
            all.0.add(counts);
            if all.1.elapsed() >= PROGRESS {
                all.1 = Instant::now();
                eprintln!("{}, {:.0} s: {}", self.name, started.elapsed().as_secs_f64(), all.0.line());
            }
            ControlFlow::Continue(())
        });
        all.into_inner().expect("no holder panics").0
    }

    /// Tries one program.
    fn one(&self, seed: u64, plan: &Plan) -> Counts {
        let mut counts = Counts::default();
        let subject = (self.make)(seed);
        let Some(wrong) = self.judge(&*subject, seed, plan.blind, None, &mut counts) else { return counts };
        counts.note(wrong.fault);
        let Some(folder) = &plan.into else { return counts };
        let (small, wrong) = self.shrink(subject, wrong, seed, plan.blind);
        let about = wrong.question.as_ref().map_or("", |question| question.name);
        let text = small.text();
        println!("{} seed {seed}: {}, {about}: {}\n{text}", self.name, wrong.who, wrong.what);
        match filing::file(folder, self.name, seed, &text, &wrong) {
            Ok(path) => println!("filed as {}", path.display()),
            Err(error) => println!("it cannot be filed in {}: {error}", folder.display()),
        }
        counts
    }

    fn judge(
        &self,
        subject: &dyn Subject,
        seed: u64,
        blind: Option<Blind>,
        only: Option<&Wrong>,
        counts: &mut Counts,
    ) -> Option<Wrong> {
        let judged = match &self.asks {
            Asks::Engines { settings, beside, limit, counts_states } => {
                let settings = in_turn(settings(), *beside, seed);
                let (limit, counts_states) = (*limit, *counts_states);
                let asked = Asked { settings: &settings, limit, counts_states, blind, turn: seed };
                caught(|| ask::judge(&asked, subject, only, counts))
            }
            Asks::Symbolic(judge) => caught(|| judge(subject, seed, counts)),
        };
        judged.unwrap_or_else(|what| Some(panicked(what)))
    }

    fn shrink(
        &self,
        subject: Box<dyn Subject>,
        wrong: Wrong,
        seed: u64,
        blind: Option<Blind>,
    ) -> (Box<dyn Subject>, Wrong) {
        let started = Instant::now();
        let (mut small, mut wrong) = (subject, wrong);
        let still = |less: &dyn Subject, wrong: &Wrong| {
            let again = self.judge(less, seed, blind, Some(wrong), &mut Counts::default())?;
            (started.elapsed() < SHRINKING && again.is_like(wrong)).then_some(again)
        };
        while let Some((less, again)) =
            small.smaller().into_iter().find_map(|less| still(&*less, &wrong).map(|again| (less, again)))
        {
            (small, wrong) = (less, again);
        }
        (small, wrong)
    }
}

/// The first setting, and some of the others in turn.
fn in_turn(settings: Vec<Setting>, beside: usize, turn: u64) -> Vec<Setting> {
    let n = (settings.len() - 1).max(1);
    let first = turn as usize % n * beside % n;
    let is_asked = |index: usize| index == 0 || (index - 1 + n - first) % n < beside;
    settings.into_iter().enumerate().filter(|(index, _)| is_asked(*index)).map(|(_, setting)| setting).collect()
}

/// A panic that is nobody's in particular.
fn panicked(what: String) -> Wrong {
    Wrong {
        who: "somebody".to_string(),
        engine: "explicit",
        knobs: Vec::new(),
        question: None,
        truth: None,
        fault: Fault::Panic,
        what,
    }
}
