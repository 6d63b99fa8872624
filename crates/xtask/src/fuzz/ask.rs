//! Who is wrong about a program? Its questions, put to each setting of the engines through `decide`, which replays every trace.
//!
//! An engine may not know, which is counted with its reason; it may not be wrong. Where nobody knows the truth, engines must not contradict each
//! other. Whoever panics is wrong, and so is a reduction that visits more states than there are.
//!
//! Would it notice? With a `Blind` the engines get programs from which something is left out, while the oracles know them whole.

use super::settings::Setting;
use super::subject::{Counts, Fault, Question, Subject, Truth, Unasked, Wrong};
use engines::{Budget, How, portfolio, schedule};
use frontend::Options;
use ir::interp::{Domain, Limits, enumerate};
use ir::{AllocKind, Op, Program, Properties, Task, Verdict, Why};
use logic::Value;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// States that the interpreter visits.
const MOST_STATES: usize = 60_000;
/// Memory that the process may use; who needs more gives up.
const MOST_BYTES: u64 = 4 << 30;

/// How a program is asked about.
pub(crate) struct Asked<'a> {
    pub(crate) settings: &'a [Setting],
    /// For each answer.
    pub(crate) limit: Duration,
    /// Whether a reduction must not visit more states than plain interleaving, the first setting.
    pub(crate) counts_states: bool,
    pub(crate) blind: Option<Blind>,
    pub(crate) turn: u64,
}

/// What is left out of the programs that engines see.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Blind {
    /// Objects of the heap do not end.
    Free,
    /// Local objects do not end.
    Scopes,
    /// Whatever is written is zero.
    Values,
    /// Nobody waits.
    Waits,
}

impl Blind {
    fn leave_out(self, program: &mut Program) {
        let pool = &mut program.pool;
        for edge in program.procs.iter_mut().flat_map(|proc| &mut proc.edges) {
            edge.stmts.retain(|stmt| match stmt.op {
                Op::Free { kind: AllocKind::Heap, .. } => self != Blind::Free,
                Op::Free { kind: AllocKind::Stack, .. } => self != Blind::Scopes,
                _ => true,
            });
            for stmt in &mut edge.stmts {
                match &mut stmt.op {
                    Op::Rmw { wait, owner, .. } if self == Blind::Waits => (*wait, *owner) = (None, None),
                    Op::Store { value, .. } if self == Blind::Values => {
                        let sort = pool.sort(*value);
                        *value = pool.constant(Value::zero(sort));
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Asks all questions about a program; the first who is wrong. With `only`, nobody is asked but who was wrong before, about the same.
pub(crate) fn judge(
    asked: &Asked<'_>,
    subject: &dyn Subject,
    only: Option<&Wrong>,
    counts: &mut Counts,
) -> Option<Wrong> {
    let questions = match subject.questions(asked.turn) {
        Ok(questions) => questions,
        Err(Unasked::TooLarge) => {
            counts.too_large += 1;
            return None;
        }
        Err(Unasked::Useless(why)) => {
            *counts.useless.entry(super::subject::without_names(&why)).or_default() += 1;
            return None;
        }
    };
    counts.programs += 1;
    let text = subject.text();
    let is_asked = |question: &&Question| {
        only.and_then(|wrong| wrong.question.as_ref()).is_none_or(|other| {
            (question.name, question.model, question.axioms) == (other.name, other.model, other.axioms)
        })
    };
    questions.iter().filter(is_asked).find_map(|question| ask(asked, &text, question, only, counts))
}

fn ask(asked: &Asked<'_>, text: &str, question: &Question, only: Option<&Wrong>, counts: &mut Counts) -> Option<Wrong> {
    let nobody = Wrong {
        who: "the front end".to_string(),
        engine: "explicit",
        knobs: Vec::new(),
        question: Some(question.clone()),
        truth: None,
        fault: Fault::Panic,
        what: String::new(),
    };
    let program = match caught(|| load(text, question)) {
        Ok(Ok(program)) => program,
        Ok(Err(refused)) => {
            counts.note_unknown("the front end", &refused);
            return None;
        }
        Err(what) => return Some(Wrong { what, ..nobody }),
    };
    let mut task = Task { program, properties: Properties::of(question.properties) };
    task.program.model = question.model;
    let truth = match question.truth {
        Truth::Known(truth) => Some(truth),
        Truth::Nobody => None,
        Truth::States => match caught(|| answer(&super::settings::plain(), &task, asked.limit)) {
            Ok(Answer::Says(is_bad, ..)) => Some(is_bad),
            _ => {
                counts.too_large += 1;
                return None;
            }
        },
        Truth::Interpreter => match caught(|| interpret(&task)) {
            Ok(Ok(Some(is_bad))) => Some(is_bad),
            Ok(Ok(None)) => {
                counts.too_large += 1;
                return None;
            }
            Ok(Err(what)) => {
                return Some(Wrong { who: "interpreter".to_string(), fault: Fault::Replay, what, ..nobody });
            }
            Err(what) => return Some(Wrong { who: "interpreter".to_string(), what, ..nobody }),
        },
    };
    counts.violated += u64::from(truth == Some(true));
    if let Some(name) = question.axioms {
        let axioms = ir::Axioms { name: name.to_string(), ..ir::Axioms::default() };
        (task.program.model, task.program.axioms) = (ir::Model::Cat, Some(std::sync::Arc::new(axioms)));
    }
    if let Some(blind) = asked.blind {
        blind.leave_out(&mut task.program);
    }
    let mut said: [Option<&str>; 2] = [None; 2];
    let mut n_plain = None;
    // Who contradicts another one, or visits more states than another one, is asked together with it.
    let needs_others =
        |wrong: &Wrong| wrong.fault == Fault::States || (truth.is_none() && wrong.fault == Fault::Verdict);
    for setting in asked.settings {
        if only.is_some_and(|wrong| wrong.who != setting.name && !needs_others(wrong)) {
            continue;
        }
        let wrong = |fault: Fault, what: String| {
            let (who, knobs) = (setting.name.clone(), setting.knobs.clone());
            Some(Wrong { who, engine: setting.engine, knobs, truth, fault, what, ..nobody.clone() })
        };
        let (is_bad, n_states, n_executions) = match caught(|| answer(setting, &task, asked.limit)) {
            Ok(Answer::Says(is_bad, n_states, n_executions)) => (is_bad, n_states, n_executions),
            Ok(Answer::Unknown(why)) => {
                counts.note_unknown(setting.engine, &why);
                continue;
            }
            Ok(Answer::NotReplayed(what)) => return wrong(Fault::Replay, what),
            Ok(Answer::Panicked(what)) => return wrong(Fault::Panic, what),
            Err(what) => return wrong(Fault::Panic, what),
        };
        if question.is_undefined && !is_bad {
            counts.undefined += 1;
            continue;
        }
        let word = |is_bad| if is_bad { "unsafe" } else { "safe" };
        if truth.is_some_and(|truth| truth != is_bad) {
            return wrong(Fault::Verdict, format!("says {}, which is wrong", word(is_bad)));
        }
        said[usize::from(is_bad)] = Some(&setting.name);
        if let (None, [Some(safe), Some(bad)]) = (truth, said) {
            return wrong(Fault::Verdict, format!("{safe} says safe, {bad} says unsafe"));
        }
        if let (false, Some(there), Some(visited)) = (is_bad, question.n_executions, n_executions)
            && there != visited
        {
            return wrong(Fault::States, format!("visits {visited} executions, there are {there}"));
        }
        counts.agree += 1;
        if asked.counts_states && !is_bad && setting.engine == "explicit" {
            let n_plain = *n_plain.get_or_insert(n_states);
            if n_states > n_plain {
                return wrong(Fault::States, format!("visits {n_states} states, there are {n_plain}"));
            }
        }
    }
    // Where nobody knows the truth, a violation is what those who answer agree on.
    counts.violated += u64::from(truth.is_none() && said[1].is_some());
    None
}

/// What a setting says.
enum Answer {
    /// Whether there is a violation, how many states were visited, and how many executions, if they are counted.
    Says(bool, u64, Option<u64>),
    Unknown(String),
    NotReplayed(String),
    Panicked(String),
}

fn answer(setting: &Setting, task: &Task, limit: Duration) -> Answer {
    if setting.engine == "interpreter" {
        return match interpret(task) {
            Ok(Some(is_bad)) => Answer::Says(is_bad, 0, None),
            Ok(None) => Answer::Unknown("too many states".to_string()),
            Err(what) => Answer::NotReplayed(what),
        };
    }
    let knob = |(name, value): &(&str, &str)| (format!("{}.{name}", setting.engine), value.to_string());
    let knobs: Vec<(String, String)> = setting.knobs.iter().map(knob).collect();
    let asks = portfolio::asks(setting.engine, task, &knobs).expect("the knobs are declared");
    let how = How { last_panic: Some(last_panic), ..How::default() };
    let budget = Budget::new(Some(limit), Some(MOST_BYTES));
    let found = schedule(&asks, task.properties, how, &budget, |replayed| {
        let property = replayed.trace.violation;
        (Some(property), property.describe().to_string())
    });
    if let Some((engine, said)) = found.failed.first() {
        return Answer::Panicked(format!("{engine} panics: {said}"));
    }
    let n_states = found.statistics.0.get("states").copied().unwrap_or(0.0) as u64;
    let n_executions = found.statistics.0.get("executions").map(|n| *n as u64);
    match found.decided.verdict() {
        Verdict::Safe(_) => Answer::Says(false, n_states, n_executions),
        Verdict::Unsafe(_) => Answer::Says(true, n_states, n_executions),
        Verdict::Unknown(Why::NotReplayed(what)) => Answer::NotReplayed(what),
        Verdict::Unknown(Why::Disagreement { safe, bad, what }) => {
            Answer::NotReplayed(format!("{safe} says safe, {bad} says {what}"))
        }
        Verdict::Unknown(Why::Unsupported { what, .. }) => Answer::Unknown(what),
        Verdict::Unknown(Why::Undefined { what, .. }) => Answer::Unknown(format!("undefined: {what}")),
        Verdict::Unknown(Why::LargeInput { .. }) => Answer::Unknown("a large input".to_string()),
        Verdict::Unknown(why) => Answer::Unknown(format!("{why:?}")),
    }
}

/// What the reference interpreter says, with its traces replayed; none if there are too many states.
fn interpret(task: &Task) -> Result<Option<bool>, String> {
    let limits = Limits { max_states: MOST_STATES, domain: Domain::Bits(8), first_only: true, ..Limits::default() };
    let found = enumerate(&task.program, task.properties, &limits);
    for trace in found.violations.values() {
        ir::replay(task, trace).map_err(|error| format!("a trace of the interpreter does not replay: {error}"))?;
    }
    let is_bad = !found.violations.is_empty();
    Ok((is_bad || found.incomplete.is_none()).then_some(is_bad))
}

/// Reads a program; one without directives needs no preprocessor.
fn load(text: &str, question: &Question) -> Result<Program, String> {
    let properties = Properties::of(question.properties);
    let options = Options {
        properties,
        include: super::native::csmith::headers().into_iter().collect(),
        define: question.define.clone(),
        ..Options::default()
    };
    let loaded = if text.lines().any(|line| line.starts_with('#')) {
        let file = temporary("c");
        std::fs::write(&file, text).map_err(|error| format!("{} cannot be written: {error}", file.display()))?;
        let loaded = frontend::load(std::slice::from_ref(&file), &options);
        let _ = std::fs::remove_file(&file);
        loaded
    } else {
        frontend::c::load_text("program.i", text, &options)
    };
    let refused = |rejected: frontend::Rejected| {
        let first = rejected.diagnostics.first().map(|diagnostic| diagnostic.message.clone());
        format!("refused: {}", first.unwrap_or_default())
    };
    loaded.map(|loaded| loaded.program).map_err(refused)
}

/// A file that nobody else uses.
pub(crate) fn temporary(ending: &str) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("ravel-fuzz-{}-{number}.{ending}", std::process::id()))
}

thread_local! {
    /// Where the last panic of this thread was.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps panics off the screen; `caught` tells them.
pub(crate) fn expect_panics() {
    std::panic::set_hook(Box::new(|info| {
        PLACE.with(|kept| *kept.borrow_mut() = info.to_string());
    }));
}

/// Where the last panic of this thread was, for who asks engines.
fn last_panic() -> Option<String> {
    Some(PLACE.with(|kept| std::mem::take(&mut *kept.borrow_mut()))).filter(|place| !place.is_empty())
}

/// The result, or what a panic says.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    PLACE.with(|kept| kept.borrow_mut().clear());
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        format!("panics: {}", last_panic().or(text).unwrap_or_default())
    })
}
