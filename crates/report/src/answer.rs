//! What is there to report? One verdict with everything that belongs to it, independent of who renders it.

use crate::litmus::Graph;
use crate::story::{Ending, Story};
use ir::{Diagnostic, Proof, Properties, Severity, Sources, Span, Why};

/// Everything about one run of `verify`.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The input, as the user named it.
    pub input: String,
    /// The text that spans refer to.
    pub sources: Sources,
    /// What can be asked about programs of the language.
    pub askable: Properties,
    /// What was asked.
    pub properties: Properties,
    /// What was looked for by whoever answered: not more than was asked, and not to the end if the answer is unknown.
    pub checked: Properties,
    /// What is known to hold, where the answer as a whole is unknown.
    pub proven: Properties,
    /// Who else came to the same answer, if somebody was to.
    pub confirmed_by: Option<Vec<String>>,
    /// Who answered.
    pub engine: String,
    /// The name of the memory model it is about.
    pub model: String,
    /// Sizes of types, where the language has several.
    pub data_model: Option<ir::DataModel>,
    /// The answer itself.
    pub outcome: Outcome,
    /// Warnings about the input; errors if it was rejected.
    pub diagnostics: Vec<Diagnostic>,
    /// Bounds that the answer holds under.
    pub bounds: Vec<String>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
    /// What was taken for granted about the program.
    pub assumptions: Vec<String>,
    /// What the engine counted.
    pub statistics: Vec<(String, f64)>,
    /// (phase, seconds), in order.
    pub timings: Vec<(String, f64)>,
    /// Where the answer is unknown: what each engine has reached.
    pub reached: Vec<Reached>,
    /// Likewise: what to try next, as it is typed.
    pub next: Vec<String>,
    /// Where nobody knows the answer: what holds up to a number of rounds.
    pub bounded: Option<Bounded>,
    /// The execution of a violation, for who wants to run it again.
    pub kept: Option<Kept>,
    /// Parts of all executions, if the question was cut into them or is about one.
    pub parts: Parts,
    /// The execution as a graph, where a memory model in cat allows it.
    pub graph: Option<Graph>,
}

/// What is known though loops go on: nothing is wrong as long as none goes round more often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounded {
    /// How often every loop may go round.
    pub rounds: u32,
    /// What was looked for.
    pub properties: Properties,
    /// What needs more: `loop at a.c:3`.
    pub open: String,
}

/// Parts of all executions, as texts that name them.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Nobody has looked at these.
    pub open: Vec<String>,
    /// Nothing goes wrong in these.
    pub refuted: Vec<String>,
}

/// The choices of an execution, kept so that it can be run again (`ravel replay`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    /// A mark of the program as it was lowered; another program has another one.
    pub program: String,
    /// What was typed behind `ravel`.
    pub command: Vec<String>,
    /// The choices, line by line.
    pub schedule: Vec<String>,
}

/// What an engine has reached.
#[derive(Clone, PartialEq, Debug)]
pub struct Reached {
    /// The engine with its settings, as they are typed.
    pub engine: String,
    /// How far it came, in words; empty if it has said nothing.
    pub reached: String,
    /// Why it gave up, if it did by itself.
    pub reason: Option<String>,
}

/// The answer itself.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// No execution violates the properties.
    Safe(Proof),
    /// This one does.
    Unsafe {
        /// What happens.
        story: Story,
        /// What is wrong about it.
        ending: Ending,
    },
    /// A litmus test was decided.
    Condition {
        /// Whether its condition, with its quantifier, holds.
        holds: bool,
        /// The condition with its quantifier.
        condition: String,
        /// Why it does or does not, in words.
        why: &'static str,
        /// Whether some execution satisfies it; for a `forall` that does not hold nobody has looked.
        observed: Option<bool>,
        /// An execution that the condition is about, if the model allows one: it satisfies it, or for `forall` it does not.
        execution: Option<Box<Graph>>,
    },
    /// Could not be told.
    Unknown(Why),
    /// The user asked to stop.
    Interrupted,
    /// The input cannot be used; see the diagnostics.
    Rejected,
    /// We have a bug; see the diagnostics.
    Bug,
}

impl Answer {
    /// The word that machines read: `true`, `false(no-data-race)`, `bounded(60)`, `unknown`, `error`.
    pub fn result(&self) -> String {
        match &self.outcome {
            Outcome::Safe(_) => "true".to_string(),
            Outcome::Unsafe { ending, .. } => format!("false({})", ending.property.verdict_name()),
            Outcome::Condition { holds: true, .. } => "true".to_string(),
            Outcome::Condition { .. } => "false(condition)".to_string(),
            Outcome::Unknown(Why::Depth(depth)) => format!("bounded({depth})"),
            Outcome::Unknown(_) | Outcome::Interrupted => "unknown".to_string(),
            Outcome::Rejected if self.is_refused() => "unknown".to_string(),
            Outcome::Rejected | Outcome::Bug => "error".to_string(),
        }
    }

    /// Whether the input is valid but uses something that is not supported.
    pub fn is_refused(&self) -> bool {
        let mut problems = self.diagnostics.iter().filter(|d| d.severity != Severity::Warning).peekable();
        matches!(self.outcome, Outcome::Rejected)
            && problems.peek().is_some()
            && problems.all(|d| d.severity == Severity::Unsupported)
    }

    /// What is known though there is no verdict, in one line: never a proof.
    pub fn bounded(&self) -> Option<String> {
        let Bounded { rounds, properties, open } =
            self.bounded.as_ref().filter(|bounded| !bounded.properties.is_empty())?;
        if !matches!(self.outcome, Outcome::Unknown(_) | Outcome::Interrupted) {
            return None;
        }
        let looked_for: Vec<&str> = properties.iter().map(|property| property.describe()).collect();
        let times = if *rounds == 1 { "round" } else { "rounds" };
        Some(format!("no {} with every loop up to {rounds} {times}; {open} needs more", looked_for.join(", no ")))
    }

    /// Whether there is no verdict, but nothing is wrong up to a bound.
    pub fn is_bounded(&self) -> bool {
        self.bounded().is_some() || matches!(self.outcome, Outcome::Unknown(Why::Depth(_)))
    }

    /// Why there is no verdict, in one line.
    pub fn reason(&self) -> Option<String> {
        match &self.outcome {
            Outcome::Safe(_) | Outcome::Unsafe { .. } | Outcome::Condition { .. } => None,
            Outcome::Unknown(why) => Some(self.why(why)),
            Outcome::Interrupted => Some("interrupted".to_string()),
            Outcome::Rejected | Outcome::Bug => {
                let first = self.diagnostics.iter().find(|d| d.severity != Severity::Warning)?;
                Some(match first.span.is_known() {
                    true => format!("{}: {}", self.sources.place(first.span), first.message),
                    false => first.message.clone(),
                })
            }
        }
    }

    /// Whether there is no verdict because a limit was reached or the user asked to stop.
    pub fn is_limited(&self) -> bool {
        matches!(self.outcome, Outcome::Interrupted | Outcome::Unknown(Why::TimeLimit(_) | Why::MemoryLimit(_)))
    }

    /// Where in the program the reason of an unknown stands, with advice if there is any.
    pub fn reason_place(&self) -> Option<(Span, Option<&str>)> {
        let Outcome::Unknown(
            Why::Unsupported { span, .. } | Why::LargeInput { span, .. } | Why::Undefined { span, .. },
        ) = &self.outcome
        else {
            return None;
        };
        let is_same = |d: &&Diagnostic| d.span == *span && d.severity == Severity::Unsupported;
        let note = self.diagnostics.iter().find(is_same).and_then(|d| d.note.as_deref());
        (span.is_known() && !self.sources.is_model(*span)).then_some((*span, note))
    }

    /// A reason in words.
    pub fn why(&self, why: &Why) -> String {
        crate::answer::why(&self.sources, why)
    }
}

/// A reason in words.
pub fn why(sources: &Sources, why: &Why) -> String {
    // What stands in a library model has no place that the user knows.
    let is_users = |span: &Span| span.is_known() && !sources.is_model(*span);
    let place = |span: Span| if is_users(&span) { sources.place(span) } else { "a library function".to_string() };
    match why {
        Why::TimeLimit(limit) => format!("the time limit of {} s was reached", limit.as_secs_f64()),
        Why::MemoryLimit(bytes) => format!("the memory limit of {} was reached", size(*bytes)),
        Why::Cancelled => "the run was cancelled".to_string(),
        Why::LargeInput { span, bits } => {
            format!("the input at {} has 2^{bits} values; another engine is needed", place(*span))
        }
        Why::Bound(what) => format!("a bound was reached: {what}"),
        Why::Depth(depth) => format!("paths of more than {depth} steps were not followed"),
        Why::Unsupported { span, what } if is_users(span) => format!("not supported at {}: {what}", place(*span)),
        Why::Unsupported { what, .. } => format!("not supported: {what}"),
        Why::Undefined { span, what } => {
            let place = place(*span);
            format!(
                "undefined behaviour at {place}: {what}; what follows cannot be told (--property memsafety checks this)"
            )
        }
        Why::Approximated { span, function } if function.is_empty() => format!(
            "an execution goes wrong, but perhaps only for a value at {} that it never has, since it is not computed",
            place(*span)
        ),
        Why::Approximated { span, function } => format!(
            "an execution goes wrong, but perhaps only for results of `{function}` at {} that it never has, since its results are not \
             computed; a definition of `{function}` in a file given by --stubs says which they are",
            place(*span)
        ),
        Why::NotShown { span, what } => format!("not shown at {}: {what}", place(*span)),
        Why::Disagreement { safe, bad, what } => {
            format!(
                "{safe} says that it is safe, {bad} found a violation ({what}); this is a bug in ravel, please report it"
            )
        }
        Why::NotReplayed(what) => {
            format!("the engine's trace does not replay ({what}); this is a bug in ravel, please report it")
        }
    }
}
/// Bytes as people write them.
fn size(bytes: u64) -> String {
    for (unit, name) in [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] {
        if bytes >= unit {
            let amount = bytes as f64 / unit as f64;
            return if amount.fract() == 0.0 { format!("{amount} {name}") } else { format!("{amount:.1} {name}") };
        }
    }
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Property;

    fn rejected(diagnostics: Vec<Diagnostic>) -> Answer {
        Answer {
            input: "a.c".into(),
            sources: Sources::default(),
            askable: Property::ALL.into_iter().fold(Properties::NONE, Properties::with),
            properties: Properties::NONE,
            checked: Properties::NONE,
            proven: Properties::NONE,
            confirmed_by: None,
            engine: "explicit".into(),
            model: "sc".into(),
            data_model: None,
            outcome: Outcome::Rejected,
            diagnostics,
            bounds: Vec::new(),
            notes: Vec::new(),
            assumptions: Vec::new(),
            statistics: Vec::new(),
            timings: Vec::new(),
            reached: Vec::new(),
            next: Vec::new(),
            kept: None,
            parts: Parts::default(),
            graph: None,
            bounded: None,
        }
    }

    #[test]
    fn a_refusal_is_unknown_and_an_error_is_an_error() {
        let unsupported = || Diagnostic::unsupported(Span::NOWHERE, "inline assembly");
        let error = || Diagnostic::error(Span::NOWHERE, "expected `;`");
        let warning = || Diagnostic::warning(Span::NOWHERE, "hm");
        let refusal = rejected(vec![warning(), unsupported()]);
        assert!(refusal.is_refused());
        assert_eq!((refusal.result(), refusal.reason()), ("unknown".into(), Some("inline assembly".into())));
        let mixed = rejected(vec![unsupported(), error()]);
        assert!(!mixed.is_refused());
        assert_eq!(mixed.result(), "error");
        assert!(!rejected(vec![warning()]).is_refused());
    }

    #[test]
    fn sizes_are_readable() {
        for (bytes, text) in [(4 << 30, "4 GiB"), (1536 << 20, "1.5 GiB"), (10, "10 bytes")] {
            assert_eq!(size(bytes), text);
        }
    }
}
