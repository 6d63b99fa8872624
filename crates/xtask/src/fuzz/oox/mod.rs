//! Do the three reductions of the symbolic engine agree, with each other and with running every schedule on every small input?
//!
//! Every setting must say exactly what the enumeration says of a random program: valid (a proof: these programs end), or a
//! violation that the enumeration knows too. At a small depth, where nobody has to find anything, nothing may be called a proof or a
//! violation that is none, and what is found without a reduction must be found with each.

mod program;
pub(super) mod texts;

use super::subject::{Counts, Fault, Question, Subject, Unasked, Wrong};
use engines::{Budget, Decided, Run, decide_oox, symbolic};
use ir::Why;
use ir::oox::{Program, Replayed, Violation, enumerate};
use program::{MAX_LENGTH, all_inputs, generate};
use std::time::Duration;

const SETTINGS: [(&str, &[(&str, &str)]); 7] = [
    ("none", &[("por", "none")]),
    ("simple", &[("por", "simple")]),
    ("monotonic", &[("por", "monotonic")]),
    ("monotonic without matching", &[("por", "monotonic"), ("match", "off")]),
    ("simple without local steps", &[("por", "simple"), ("local", "off")]),
    ("monotonic without local steps", &[("por", "monotonic"), ("local", "off")]),
    ("random order", &[("order", "mixed")]),
];

/// States that the enumeration visits.
const MOST_STATES: usize = 400_000;
/// For each answer.
const LIMIT: Duration = Duration::from_secs(60);

/// A text, made smaller by leaving out lines.
struct Text(String);

impl Subject for Text {
    fn text(&self) -> String {
        self.0.clone()
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        let lines: Vec<&str> = self.0.lines().collect();
        let mut all: Vec<Box<dyn Subject>> = Vec::new();
        for size in [lines.len() / 2, lines.len() / 4, 3, 2, 1] {
            for first in (0..lines.len()).step_by(size.max(1)).filter(|_| size > 0) {
                let end = (first + size).min(lines.len());
                all.push(Box::new(Text([&lines[..first], &lines[end..]].concat().join("\n") + "\n")));
            }
        }
        all
    }

    /// They are asked by `judge`.
    fn questions(&self, _: u64) -> Result<Vec<Question>, Unasked> {
        Ok(Vec::new())
    }
}

/// The program of a seed.
pub(super) fn make(seed: u64) -> Box<dyn Subject> {
    Box::new(Text(generate(seed)))
}

fn wrong(who: &str, truth: Option<bool>, fault: Fault, what: String) -> Option<Wrong> {
    Some(Wrong { who: who.to_string(), engine: "symbolic", knobs: Vec::new(), question: None, truth, fault, what })
}

/// Who is wrong about a program.
pub(super) fn judge(subject: &dyn Subject, seed: u64, counts: &mut Counts) -> Option<Wrong> {
    let text = subject.text();
    let loaded = match frontend::oox::read(&[("program.oox".to_string(), text.clone())], "Main.main") {
        Ok(loaded) => loaded,
        Err(rejected) => {
            let first = rejected.diagnostics.first().map(|diagnostic| diagnostic.message.clone());
            counts.note_unknown("the front end", &first.unwrap_or_default());
            return None;
        }
    };
    let expected = enumerate(&loaded.program, &all_inputs(&loaded.program, &text), MOST_STATES);
    if !expected.is_complete {
        counts.too_large += 1;
        return None;
    }
    counts.programs += 1;
    counts.violated += u64::from(!expected.violations.is_empty());
    compare(&loaded.program, &expected.violations, 5 + (seed % 60) as u32, counts)
}

/// Whether every setting says what the enumeration says, and nothing wrong at a small depth.
fn compare(program: &Program, violations: &[Violation], small: u32, counts: &mut Counts) -> Option<Wrong> {
    let mut must_be_found = false;
    let truth = Some(!violations.is_empty());
    for (name, knobs) in SETTINGS {
        for depth in [2000, small] {
            let verdict = ask(program, knobs, depth);
            let is_right = match &verdict {
                Decided::Safe(..) => violations.is_empty(),
                Decided::Unknown(Why::Depth(_)) => depth == small && !must_be_found,
                Decided::Unsafe(replayed) => violations.contains(&replayed.violation),
                Decided::Unknown(Why::NotReplayed(what)) => return wrong(name, truth, Fault::Replay, what.clone()),
                Decided::Unknown(why) => {
                    counts.note_unknown(name, &format!("{why:?}"));
                    continue;
                }
            };
            must_be_found |= depth == small && name == "none" && matches!(verdict, Decided::Unsafe(_));
            if !is_right {
                return wrong(name, truth, Fault::Verdict, format!("at depth {depth} says {verdict:?}"));
            }
            counts.agree += 1;
        }
    }
    None
}

fn ask(program: &Program, knobs: &[(&str, &str)], depth: u32) -> Decided<Replayed> {
    let (depth, length) = (depth.to_string(), MAX_LENGTH.to_string());
    let knobs = [knobs, &[("depth", depth.as_str()), ("length", length.as_str())]].concat();
    let run = Run::of(&symbolic::ABOUT, Budget::of_time(LIMIT), &knobs);
    decide_oox(program, &mut run.expect("the knobs are declared"))
}
