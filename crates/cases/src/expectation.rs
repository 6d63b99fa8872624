//! What does a case expect? The grammar of the comment lines at the head of a test input.
//!
//! ```text
//! // expect: unsafe at 14          safe | unsafe | error | bounded | unknown, with the line (and column) where it happens
//! // expect[race]: safe            the same for another property (for OOX: entry method); any number of these
//! // expect[tso]: unsafe           the same under another memory model: sc, tso, pso, or one in cat by its name
//! (* expect[tso]: allowed *)       for litmus tests: allowed | forbidden, under the model in brackets
//! (* executions[tso]: 4 *)         and how many executions that model allows, and how many ways to read from writes (rf)
//! // property: deadlock            what plain `expect:` is about; default: what a bare `ravel verify` checks
//! // engines: explicit             these must decide it; all others must not contradict
//! // counts[cegar.por=aware]: explored actions <= 50    how well it must be done (`count`)
//! // knobs: explicit.por=source    options that every run gets
//! // options: --data-model ilp32   further words of the command line
//! // why: both writers hold different locks
//! ```
//!
//! Only the comment lines before the first line of code count, so that a program can talk about expectations; in a litmus test those of the comment
//! after its first line.
//! A misspelt key or verdict is an error, never silently no expectation: one lower-case word before a colon is a key.

use crate::count::Count;

/// The memory models that brackets may name; a file of one ends in `.cat`.
const MODELS: &[&str] = &[
    "sc",
    "tso",
    "pso",
    "c11",
    "rc11",
    "imm",
    "aarch64",
    "power",
    "riscv",
    "linux-kernel",
    "udp",
    "tcp",
    "tcp-buffered",
    "mqtt",
    "dds",
    "quic",
    "rpc",
];

/// What the answer must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// No violation.
    Safe,
    /// A violation.
    Unsafe,
    /// The input is refused with a diagnostic.
    Error,
    /// No violation within the depth; no proof.
    Bounded,
    /// An execution of a litmus test that satisfies its condition is allowed.
    Allowed,
    /// None is.
    Forbidden,
    /// No engine can tell today; recorded so that a change is noticed.
    Unknown,
}

/// One `expect` line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// The properties in brackets; `None` stands for the file's own.
    pub selector: Option<String>,
    /// The memory model in brackets, if it is one.
    pub model: Option<String>,
    /// The answer.
    pub expected: Expected,
    /// Where it happens.
    pub line: Option<u32>,
    /// Likewise.
    pub column: Option<u32>,
}

/// Everything that the head of a file says.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Case {
    /// At least one.
    pub expectations: Vec<Expectation>,
    /// What plain expectations are about.
    pub property: Option<String>,
    /// Engines that must decide it.
    pub engines: Vec<String>,
    /// (knob with its engine's name, value).
    pub knobs: Vec<(String, String)>,
    /// What runs must count.
    pub counts: Vec<Count>,
    /// For litmus tests: (model, how many executions it allows).
    pub executions: Vec<(String, u64)>,
    /// For litmus tests: (model, how many ways to read from writes).
    pub reads_from: Vec<(String, u64)>,
    /// Further words of the command line.
    pub options: Vec<String>,
    /// The reason, for people.
    pub why: Option<String>,
}

impl Case {
    /// Reads the head of a file. `Ok(None)` when there is no `expect` line at all.
    pub fn parse(text: &str) -> Result<Option<Case>, String> {
        let mut case = Case::default();
        if let Some(comment) = litmus_comment(text) {
            for line in comment.lines() {
                case.read(line.trim())?;
            }
        }
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            let Some(comment) = line.strip_prefix("//") else {
                if line.is_empty() {
                    continue;
                }
                break;
            };
            case.read(comment.trim()).map_err(|error| format!("line {}: {error}", index + 1))?;
        }
        Ok(if case.expectations.is_empty() { None } else { Some(case) })
    }

    /// Reads one comment; prose is left alone.
    fn read(&mut self, comment: &str) -> Result<(), String> {
        let Some((key, value)) = comment.split_once(':') else { return Ok(()) };
        let value = value.trim();
        let key = key.trim();
        let (word, selector) = match key.strip_suffix(']').and_then(|key| key.split_once('[')) {
            Some((word, selector)) => (word, Some(selector)),
            None => (key, None),
        };
        if word.is_empty() || !word.chars().all(|letter| letter.is_ascii_lowercase()) {
            return Ok(());
        }
        let of_model = |model: Option<&str>| {
            let number = value.parse().map_err(|_| format!("`{value}` is no number"))?;
            model.map(|model| (model.to_string(), number)).ok_or_else(|| format!("`{word}` needs a model in brackets"))
        };
        match word {
            "expect" => self.expectations.push(expectation(key, value)?),
            "counts" => self.counts.push(Count::parse(selector.unwrap_or_default(), value)?),
            "executions" => self.executions.push(of_model(selector)?),
            "rf" => self.reads_from.push(of_model(selector)?),
            _ if selector.is_some() => {
                return Err(format!("`{key}` is none of expect[], counts[], executions[], rf[]"));
            }
            "property" => self.property = Some(value.to_string()),
            "engines" => {
                let is_name = |word: &str| word.chars().all(|letter| letter.is_ascii_lowercase());
                if let Some(word) = value.split_whitespace().find(|word| !is_name(word)) {
                    return Err(format!("`{word}` is no name of an engine; they are separated by blanks"));
                }
                self.engines = value.split_whitespace().map(str::to_string).collect();
            }
            "options" => self.options = value.split_whitespace().map(str::to_string).collect(),
            "why" => self.why = Some(value.to_string()),
            "knobs" => {
                for word in value.split_whitespace() {
                    let (knob, value) = word.split_once('=').ok_or_else(|| format!("`{word}` is not knob=value"))?;
                    self.knobs.push((knob.to_string(), value.to_string()));
                }
            }
            _ => {
                return Err(format!(
                    "`{word}` is no key; there are expect, property, engines, knobs, counts, options, why, executions, rf"
                ));
            }
        }
        Ok(())
    }
}

/// The comment after the first line, `(* ... *)`.
fn litmus_comment(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('\n')?;
    let (comment, _) = rest.trim_start().strip_prefix("(*")?.split_once("*)")?;
    Some(comment)
}

/// Reads `expect[SELECTOR]` and `VERDICT [at LINE[:COLUMN]]`.
fn expectation(key: &str, value: &str) -> Result<Expectation, String> {
    let selector = match key.strip_prefix("expect").expect("the caller looked") {
        "" => None,
        rest => match rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(selector) => Some(selector.to_string()),
            None => return Err(format!("`{key}` is neither `expect` nor `expect[PROPERTY]`")),
        },
    };
    // A model may be named with a compiler mapping, as in `power+power-lwsync`.
    let is_model = |word: &String| {
        let plain = word.split('+').next().unwrap_or(word);
        MODELS.contains(&plain) || plain.ends_with(".cat")
    };
    let (model, selector) = (selector.clone().filter(is_model), selector.filter(|word| !is_model(word)));
    let mut words = value.split_whitespace();
    let expected = match words.next() {
        Some("safe") => Expected::Safe,
        Some("unsafe") => Expected::Unsafe,
        Some("error") => Expected::Error,
        Some("bounded") => Expected::Bounded,
        Some("allowed") => Expected::Allowed,
        Some("forbidden") => Expected::Forbidden,
        Some("unknown") => Expected::Unknown,
        other => {
            return Err(format!(
                "`{}` is none of safe, unsafe, error, bounded, allowed, forbidden, unknown",
                other.unwrap_or("")
            ));
        }
    };
    let (mut line, mut column) = (None, None);
    match (words.next(), words.next(), words.next()) {
        (None, ..) => {}
        (Some("at"), Some(place), None) => {
            let (first, second) = place.split_once(':').map_or((place, None), |(line, column)| (line, Some(column)));
            line = Some(first.parse().map_err(|_| format!("`{first}` is no line number"))?);
            column = second.map(str::parse).transpose().map_err(|_| format!("`{place}` is no LINE:COLUMN"))?;
        }
        _ => return Err(format!("`{value}` is not VERDICT at LINE")),
    }
    Ok(Expectation { selector, model, expected, line, column })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read() {
        let case = Case::parse(
            "// A lost update.\n// expect: unsafe at 14\n// expect[race,deadlock]: safe\n// expect[tso]: unsafe\n// property: assert\n\
             // engines: explicit bmc\n// knobs: bmc.unwind=2\n// options: --data-model ilp32\n// why: x++ is two steps\n\nint x; // expect: safe\n",
        );
        let case = case.expect("it is valid").expect("it has expectations");
        assert_eq!(
            case.expectations,
            [
                Expectation { selector: None, model: None, expected: Expected::Unsafe, line: Some(14), column: None },
                Expectation {
                    selector: Some("race,deadlock".to_string()),
                    model: None,
                    expected: Expected::Safe,
                    line: None,
                    column: None
                },
                Expectation {
                    selector: None,
                    model: Some("tso".to_string()),
                    expected: Expected::Unsafe,
                    line: None,
                    column: None
                },
            ]
        );
        assert_eq!(case.property.as_deref(), Some("assert"));
        assert_eq!(case.engines, ["explicit", "bmc"]);
        assert_eq!(case.knobs, [("bmc.unwind".to_string(), "2".to_string())]);
        assert_eq!(case.options, ["--data-model", "ilp32"]);
        assert_eq!(case.why.as_deref(), Some("x++ is two steps"));
    }

    #[test]
    fn litmus_tests_have_heads_too() {
        let case = Case::parse(
            "X86 SB\n(* expect[sc]: forbidden\n   expect[power]: allowed\n   executions[sc]: 3 *)\n{ x = 0; }\n",
        );
        let case = case.expect("it is valid").expect("it has expectations");
        let row = |one: &Expectation| (one.model.clone(), one.selector.clone(), one.expected);
        assert_eq!(
            case.expectations.iter().map(row).collect::<Vec<_>>(),
            [(Some("sc".into()), None, Expected::Forbidden), (Some("power".into()), None, Expected::Allowed)]
        );
        assert_eq!(case.executions, [("sc".to_string(), 3)]);
        assert_eq!(Case::parse("X86 SB\n(* nothing *)\n{ x = 0; }\n"), Ok(None));
    }

    #[test]
    fn no_expectation_is_noticed_and_errors_are_errors() {
        assert_eq!(Case::parse("int main() {}\n// expect: safe\n"), Ok(None));
        assert_eq!(Case::parse(""), Ok(None));
        for text in [
            "// expect: saef",
            "// expects: safe",
            "// expect: unsafe 14",
            "// expect: unsafe at x",
            "// expect:",
            "// engine: bmc",
            "// engines: bmc, cegar",
            "// why[x]: y",
            "// counts: states < 3",
        ] {
            assert!(Case::parse(text).is_err(), "{text}");
        }
    }
}
