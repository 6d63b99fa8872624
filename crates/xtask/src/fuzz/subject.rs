//! What is tried? A program that a fuzzer made, the questions about it, and what came of asking them.
//!
//! A `Subject` is a program with its tree, so that it can be made smaller. Each `Question` says what is true, or who knows it; nothing here knows engines.

use ir::{Model, Property};
use std::collections::BTreeMap;

/// A program that a fuzzer made.
pub(crate) trait Subject {
    /// Its text, in C or OOX.
    fn text(&self) -> String;

    /// The same program with a part taken away, in every way, larger parts first.
    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        Vec::new()
    }

    /// What is to be asked; where there is more than can be asked of each program, the turn chooses.
    fn questions(&self, turn: u64) -> Result<Vec<Question>, Unasked>;
}

/// Why a program is not asked about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Unasked {
    /// Its oracle gives up.
    TooLarge,
    /// It is of no use, or cannot be made here.
    Useless(String),
}

/// A question, and what is known about the answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Question {
    /// As `--property` names it.
    pub(crate) name: &'static str,
    pub(crate) properties: &'static [Property],
    pub(crate) model: Model,
    /// The engines are asked under this model in cat instead, which must say the same.
    pub(crate) axioms: Option<&'static str>,
    /// Macros, `NAME=VALUE`.
    pub(crate) define: Vec<String>,
    pub(crate) truth: Truth,
    /// Whether something undefined can happen that is not asked about; then "safe" says nothing.
    pub(crate) is_undefined: bool,
    /// How many executions there are, if that is known: who enumerates them must visit each of them once.
    pub(crate) n_executions: Option<u64>,
}

/// Whether there is a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Truth {
    /// The fuzzer's own oracle knows.
    Known(bool),
    /// The reference interpreter will tell, by visiting all states.
    Interpreter,
    /// Whoever visits all states of interleavings will tell, where axioms are asked about the same.
    States,
    /// Nobody knows; engines must not contradict each other.
    Nobody,
}

impl Question {
    /// A question under sequential consistency.
    pub(crate) fn new(name: &'static str, properties: &'static [Property], truth: Truth) -> Question {
        Question {
            name,
            properties,
            model: Model::Sc,
            axioms: None,
            define: Vec::new(),
            truth,
            is_undefined: false,
            n_executions: None,
        }
    }
}

/// An answer that is wrong, or none where there should be one.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    /// Who gave it, as its setting is called.
    pub(crate) who: String,
    /// Engine and knobs.
    pub(crate) engine: &'static str,
    pub(crate) knobs: Vec<(&'static str, &'static str)>,
    pub(crate) question: Option<Question>,
    /// What is true, if that is known.
    pub(crate) truth: Option<bool>,
    pub(crate) fault: Fault,
    pub(crate) what: String,
}

/// In which way an answer is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    Verdict,
    /// A trace does not replay or a proof does not hold.
    Replay,
    Panic,
    /// A reduction visits more states than there are, or an enumeration other executions.
    States,
}

impl Wrong {
    /// Whether it is the same one who is wrong about the same question in the same way.
    pub(crate) fn is_like(&self, other: &Wrong) -> bool {
        let name = |wrong: &Wrong| wrong.question.as_ref().map(|question| (question.name, question.model));
        self.who == other.who && self.fault == other.fault && name(self) == name(other)
    }
}

/// What came of all programs of a fuzzer.
#[derive(Clone, Default, Debug)]
pub(crate) struct Counts {
    /// That could be asked about.
    pub(crate) programs: u64,
    pub(crate) too_large: u64,
    pub(crate) useless: BTreeMap<String, u64>,
    /// Questions whose answer is that something goes wrong.
    pub(crate) violated: u64,
    /// Answers that are right.
    pub(crate) agree: u64,
    /// "Safe" beside something undefined that was not asked about.
    pub(crate) undefined: u64,
    /// No answers, by the engine that gave none and why.
    pub(crate) unknown: BTreeMap<(&'static str, String), u64>,
    /// Programs on which somebody is wrong, by the fault.
    pub(crate) verdicts: u64,
    pub(crate) replays: u64,
    pub(crate) panics: u64,
    pub(crate) states: u64,
}

impl Counts {
    /// Programs on which somebody is wrong.
    pub(crate) fn n_wrong(&self) -> u64 {
        self.verdicts + self.replays + self.panics + self.states
    }

    pub(crate) fn n_unknown(&self) -> u64 {
        self.unknown.values().sum()
    }

    pub(crate) fn note(&mut self, fault: Fault) {
        *match fault {
            Fault::Verdict => &mut self.verdicts,
            Fault::Replay => &mut self.replays,
            Fault::Panic => &mut self.panics,
            Fault::States => &mut self.states,
        } += 1;
    }

    pub(crate) fn note_unknown(&mut self, engine: &'static str, why: &str) {
        *self.unknown.entry((engine, without_names(why))).or_default() += 1;
    }

    /// Both together.
    pub(crate) fn add(&mut self, other: Counts) {
        self.programs += other.programs;
        self.too_large += other.too_large;
        self.violated += other.violated;
        self.agree += other.agree;
        self.undefined += other.undefined;
        self.verdicts += other.verdicts;
        self.replays += other.replays;
        self.panics += other.panics;
        self.states += other.states;
        for (why, n) in other.useless {
            *self.useless.entry(why).or_default() += n;
        }
        for (why, n) in other.unknown {
            *self.unknown.entry(why).or_default() += n;
        }
    }

    /// In one line.
    pub(crate) fn line(&self) -> String {
        let mut line = format!(
            "{} programs ({} violations, {} too large, {} useless): {} answers agree, {} unknown, {} wrong",
            self.programs,
            self.violated,
            self.too_large,
            self.useless.values().sum::<u64>(),
            self.agree,
            self.n_unknown(),
            self.n_wrong()
        );
        for (n, what) in [
            (self.verdicts, "verdicts"),
            (self.replays, "not replaying"),
            (self.panics, "panics"),
            (self.states, "with more states than there are"),
            (self.undefined, "safe beside something undefined"),
        ] {
            if n > 0 {
                line.push_str(&format!(", {n} {what}"));
            }
        }
        line
    }

    /// Why there were no answers, one line each.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let unknown = self.unknown.iter().map(|((engine, why), n)| format!("{n:>6}  {engine}: {why}"));
        unknown.chain(self.useless.iter().map(|(why, n)| format!("{n:>6}  of no use: {why}"))).collect()
    }
}

/// A reason without its place and names, so that equal ones can be counted.
pub(crate) fn without_names(text: &str) -> String {
    let mut parts = text.lines().next().unwrap_or_default().split('`');
    let mut kept = parts.next().unwrap_or_default().to_string();
    while let Some(_name) = parts.next() {
        kept.push_str("`…`");
        kept.push_str(parts.next().unwrap_or_default());
    }
    kept.chars().filter(|c| !c.is_ascii_digit()).collect()
}
