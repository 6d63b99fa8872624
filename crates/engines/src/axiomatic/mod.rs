//! Litmus tests under memory models: which final states can be observed?
//!
//! Known as: axiomatic (declarative) memory models, candidate executions over program order, reads-from, coherence and from-read; herd, cat \[Alglave14];
//! the models of RC11 \[Lahav17], IMM \[Podkopaev19] and the Linux kernel \[Alglave18]; enumeration and SMT as in \[Bajczi22].
//!
//! [`answer()`] is called with a parsed test and a loaded model. The threads are run on terms (`memory::execution`), each combination of their ways is a
//! skeleton, and the enumerator ([`search`]) or the SAT solver ([`symbolic`], by `memory::formula`) finds the executions of each that the model allows. Accesses
//! that do not match cells make it start again with smaller granules.

pub mod answer;
mod circuits;
mod counters;
mod dynamic;
mod picture;
mod search;
pub mod shapes;
mod symbolic;
#[cfg(test)]
mod tests;
mod three_valued;

use crate::{About, Kind as KnobKind, Knob, Run};
use ir::Why;
use ir::litmus::Test;
use memory::cat::{Model, Values};
use memory::execution::{Kind, Limits, Misfit, Path, Terms, TooMuch, paths, skeleton};
use memory::relation::Relation;

pub use answer::{Answer, Execution, Goal, Method, Question, Refusal, ShownEvent, Violation};
use search::{Chosen, Interrupt, Search, Source};

/// How many ways a thread may have.
const MAX_PATHS: usize = 4096;

/// The engine, as the command line shows it.
pub const ABOUT: About = About {
    name: "axiomatic",
    describe: "finds the executions of litmus tests that a memory model in cat allows",
    knobs: &[METHOD, UNROLL],
};
const METHOD: Knob = Knob {
    name: "method",
    kind: KnobKind::Choice(&["auto", "enumerate", "symbolic"]),
    default: "auto",
    help: "who answers: the enumerator, the SAT solver, or (auto) the solver where there are very many choices",
};
const UNROLL: Knob =
    Knob { name: "unroll", kind: KnobKind::Number, default: "2", help: "how often an instruction is jumped back to" };

/// What the settings of a run ask: all executions, without flags and pictures.
pub fn question(run: &Run) -> Question {
    Question {
        method: match run.word(&METHOD) {
            "auto" => Method::Auto,
            "enumerate" => Method::Enumerate,
            "symbolic" => Method::Symbolic,
            other => unreachable!("{other} is not declared"),
        },
        unroll: u32::try_from(run.settings.number(&UNROLL)).unwrap_or(u32::MAX),
        with_flags: false,
        ..Question::default()
    }
}

/// Answers a question about a test under a model within the budget of a run, or says why it cannot.
pub fn answer_within(test: &Test, model: &Model, question: &Question, run: &mut Run) -> Result<Answer, Why> {
    let mut ticking = run.clone();
    let stopped = std::cell::RefCell::new(None);
    let ticking = std::cell::RefCell::new(&mut ticking);
    let stop = || {
        let why = ticking.borrow_mut().stop_soon();
        let is_over = why.is_some();
        *stopped.borrow_mut() = why;
        is_over
    };
    answer(test, model, question, &stop).map_err(|refusal| match refusal {
        Refusal::Stopped => stopped.take().unwrap_or(Why::Cancelled),
        Refusal::TooManyPaths(span) | Refusal::TooManyAccesses(span) => {
            Why::Unsupported { span, what: refusal.to_string() }
        }
        _ => Why::Bound(refusal.to_string()),
    })
}

/// Answers a question about a test under a model.
pub fn answer(test: &Test, model: &Model, question: &Question, stop: &dyn Fn() -> bool) -> Result<Answer, Refusal> {
    let mut granule = first_granule(test);
    loop {
        match enumerate(test, model, question, granule, true, stop) {
            Ok(answer) => return Ok(answer),
            Err(Interrupt::Granule) => granule = smaller(test, granule)?,
            Err(Interrupt::Refused(refusal)) => return Err(refusal),
            Err(Interrupt::Satisfied) => unreachable!("a satisfied search is an answer"),
        }
    }
}

/// An execution in which the condition holds although the model forbids it, with the axioms that it violates.
pub fn forbidden(
    test: &Test,
    model: &Model,
    question: &Question,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Execution>, Refusal> {
    let question = Question { goal: Goal::Verdict, keep: 1, keep_positive: true, with_flags: false, ..*question };
    let mut granule = first_granule(test);
    loop {
        match enumerate(test, model, &question, granule, false, stop) {
            Ok(mut answer) => return Ok(answer.executions.pop()),
            Err(Interrupt::Granule) => granule = smaller(test, granule)?,
            Err(Interrupt::Refused(refusal)) => return Err(refusal),
            Err(Interrupt::Satisfied) => unreachable!("a satisfied search is an answer"),
        }
    }
}

/// 0 while accesses look like elements; otherwise the smallest size in use.
fn first_granule(test: &Test) -> u8 {
    if test.is_mixed() { smallest(test) } else { 0 }
}

fn smallest(test: &Test) -> u8 {
    let accesses = test.threads.iter().flat_map(|thread| &thread.code).filter_map(|instr| instr.op.access());
    let sizes = accesses.map(|(_, size)| size).chain(test.locations.iter().map(|location| location.element_size));
    sizes.min().unwrap_or(1)
}

fn smaller(test: &Test, granule: u8) -> Result<u8, Refusal> {
    match granule {
        0 => Ok(smallest(test)),
        1 => Err(Refusal::Misfit),
        _ => Ok(granule / 2),
    }
}

fn enumerate(
    test: &Test,
    model: &Model,
    question: &Question,
    granule: u8,
    obeys: bool,
    stop: &dyn Fn() -> bool,
) -> Result<Answer, Interrupt> {
    let mut terms = Terms::default();
    let has_branches = model.mentions_branches();
    let limits = Limits { unroll: question.unroll, counts: true, paths: MAX_PATHS, granule, has_branches };
    let mut answer = Answer::default();
    let mut ways = Vec::new();
    let mut variable = 0;
    for thread in 0..test.threads.len() {
        // A loop whose rounds the test seems to count may have no end all the same.
        let uncounted = Limits { counts: false, ..limits };
        let found = paths(test, thread, &mut terms, variable, limits);
        let found = found.or_else(|_| paths(test, thread, &mut terms, variable, uncounted)).map_err(|problem| {
            Interrupt::Refused(match problem {
                TooMuch::Paths(span) => Refusal::TooManyPaths(span),
                TooMuch::Accesses(span) => Refusal::TooManyAccesses(span),
            })
        })?;
        variable = found.next_variable;
        answer.cut = answer.cut.or(found.cut);
        ways.push(found.paths);
    }
    let chosen = Chosen::of(model);
    let mut room: Option<(usize, Values)> = None;
    let mut choice = vec![0; ways.len()];
    if ways.iter().any(Vec::is_empty) {
        return Ok(answer);
    }
    loop {
        let selected: Vec<&Path<'_>> = ways.iter().zip(&choice).map(|(paths, &index)| &paths[index]).collect();
        let skeleton = match skeleton(test, &mut terms, &selected, granule) {
            Ok(skeleton) => Some(skeleton),
            Err(Misfit::Granule) => return Err(Interrupt::Granule),
            Err(Misfit::Nowhere) => None,
        };
        if let Some(skeleton) = skeleton {
            let n = skeleton.events.len();
            if room.as_ref().is_none_or(|(size, _)| *size != n) {
                room = Some((n, Values::new(&model.outcome.graph, n)));
            }
            let values = &mut room.as_mut().expect("it was just made").1;
            let of_kind = |kind: Kind| (0..n).filter(|&index| skeleton.events[index].kind == kind).collect::<Vec<_>>();
            let mut search = Search {
                test,
                model,
                chosen: &chosen,
                terms: &terms,
                skeleton: &skeleton,
                question,
                stop,
                answer: &mut answer,
                values,
                obeys,
                known: vec![None; variable as usize],
                source: vec![Source::Open; n],
                reads: of_kind(Kind::Read),
                writes: of_kind(Kind::Write),
                cells: vec![None; n],
                rf: Relation::empty(n),
                rf_upper: Relation::empty(n),
                co: Relation::empty(n),
                co_upper: Relation::empty(n),
                rivals: Vec::new(),
                is_counted: false,
                last_state: Vec::new(),
            };
            let result = match question.method {
                Method::Enumerate => search.run(),
                Method::Symbolic => symbolic::run(&mut search),
                Method::Auto if obeys && search.is_large() => match symbolic::run(&mut search) {
                    Err(Interrupt::Refused(Refusal::Symbolic(_))) => search.run(),
                    other => other,
                },
                Method::Auto => search.run(),
            };
            match result {
                Ok(()) => {}
                Err(Interrupt::Satisfied) => return Ok(answer),
                Err(other) => return Err(other),
            }
        }
        // The next combination of ways.
        let mut thread = 0;
        loop {
            if thread == choice.len() {
                return Ok(answer);
            }
            choice[thread] += 1;
            if choice[thread] < ways[thread].len() {
                break;
            }
            choice[thread] = 0;
            thread += 1;
        }
    }
}
