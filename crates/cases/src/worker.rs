//! What does ravel say about one task? Each is run in a process of its own, with its limits, and judged.
//!
//! The child is a `ravel verify --json`. It keeps its own limits; one that does not is ended after a grace and
//! counted as an error, like a crash. A refusal (every diagnostic says "not supported") counts as unknown, with what was refused.

use crate::suite::Task;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How a task ended, compared with what was expected.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Category {
    /// Right, and the answer is not false.
    CorrectTrue,
    /// Right, and the answer is false.
    CorrectFalse,
    /// A wrong verdict.
    Wrong,
    /// No verdict.
    Unknown,
    /// A crash, or an input that should have been read.
    Error,
}

impl Category {
    /// The word in tables and csv files.
    pub fn word(self) -> &'static str {
        match self {
            Category::CorrectTrue | Category::CorrectFalse => "correct",
            Category::Wrong => "wrong",
            Category::Unknown => "unknown",
            Category::Error => "error",
        }
    }
}

/// What came of a task.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Compared with what was expected.
    pub outcome: Category,
    /// `true`, `false(...)`, `unknown`, `error`.
    pub result: String,
    /// Why it is unknown or an error.
    pub reason: String,
    /// States that the engine visited, if it counts them.
    pub states: Option<f64>,
    /// All that the engine counted.
    pub statistics: BTreeMap<String, f64>,
    /// How long it took.
    pub time: Duration,
}

/// How children are run.
#[derive(Clone, Debug)]
pub struct Worker {
    /// Which ravel.
    pub program: PathBuf,
    /// Options for all tasks: limits and knobs.
    pub options: Vec<String>,
    /// When a child that ignores its own limit is ended.
    pub deadline: Option<Duration>,
}

impl Worker {
    /// The words after the program's name.
    pub fn words(&self, task: &Task, engine: &str) -> Vec<String> {
        let mut words = vec!["verify".to_string(), task.path.to_string_lossy().into_owned()];
        words.extend(task.options.iter().cloned());
        words.push(format!("--engine={engine}"));
        words.extend(self.options.iter().cloned());
        words
    }

    /// Runs a task and judges the answer.
    pub fn run(&self, task: &Task, engine: &str) -> Answer {
        let started = Instant::now();
        let mut command = Command::new(&self.program);
        command.args(self.words(task, engine)).arg("--json");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (code, output, errors) = match command.spawn().and_then(|child| self.wait(child, started)) {
            Ok(ended) => ended,
            Err(error) => (None, String::new(), format!("cannot be started: {error}")),
        };
        let mut answer = judge(task, code, &output, &errors);
        answer.time = started.elapsed();
        answer
    }

    /// Waits for a child; its exit code (none if it was ended) and what it printed.
    fn wait(&self, mut child: Child, started: Instant) -> std::io::Result<(Option<i32>, String, String)> {
        let output = collect(child.stdout.take().expect("it was asked for"));
        let errors = collect(child.stderr.take().expect("it was asked for"));
        let mut pause = Duration::from_millis(1);
        let code = loop {
            if let Some(status) = child.try_wait()? {
                break status.code();
            }
            if self.deadline.is_some_and(|deadline| started.elapsed() > deadline) {
                child.kill()?;
                child.wait()?;
                break None;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        Ok((code, output.join().unwrap_or_default(), errors.join().unwrap_or_default()))
    }
}

/// Reads a pipe to its end, beside the wait, so that a talkative child is not blocked.
fn collect(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What cannot be read is missing from the output, which then does not parse: an error that is counted.
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Compares what a child said with what was expected.
fn judge(task: &Task, code: Option<i32>, output: &str, errors: &str) -> Answer {
    let answer = |outcome, result: &str, reason: String| Answer {
        outcome,
        result: result.to_string(),
        reason,
        states: None,
        statistics: BTreeMap::new(),
        time: Duration::ZERO,
    };
    let document: serde_json::Value = match (code, serde_json::from_str(output)) {
        (Some(_), Ok(document)) => document,
        (Some(code), Err(_)) => {
            let line = errors.lines().find(|line| !line.trim().is_empty()).unwrap_or("no output");
            return answer(Category::Error, "error", format!("exit code {code}: {line}"));
        }
        (None, _) => {
            return answer(Category::Error, "error", "it was ended by a signal, or did not keep its limits".into());
        }
    };
    let text = |name: &str| document[name].as_str().unwrap_or("").to_string();
    let result = text("result");
    let reason = text("reason");
    let is_refused = document["refused"].as_bool().unwrap_or(false);
    let is_observed = document["observed"].as_bool();
    let outcome = match result.as_str() {
        // Cases say whether an execution is allowed, whatever the condition claims.
        "true" | "false(condition)" if task.expected == "allowed" || task.expected == "forbidden" => {
            let is_right = is_observed == Some(task.expected == "allowed");
            if is_right { Category::CorrectTrue } else { Category::Wrong }
        }
        _ if is_match(&result, &task.expected) && result.starts_with("false") => Category::CorrectFalse,
        _ if is_match(&result, &task.expected) => Category::CorrectTrue,
        "true" => Category::Wrong,
        _ if result.starts_with("false") => Category::Wrong,
        "unknown" => Category::Unknown,
        _ if result.starts_with("bounded(") => Category::Unknown,
        _ if is_refused => Category::Unknown,
        _ => Category::Error,
    };
    let reason = if is_refused { format!("refused: {reason}") } else { reason };
    let mut answer = answer(outcome, &result, reason);
    answer.states = document["statistics"]["states"].as_f64();
    let counted = document["statistics"].as_object().into_iter().flatten();
    answer.statistics = counted.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect();
    answer
}

/// Whether a result is the expected one; a bare `false` stands for any violation of the property.
fn is_match(result: &str, expected: &str) -> bool {
    result == expected
        || expected == "false" && result.starts_with("false(")
        || expected == "bounded" && result.starts_with("bounded(")
        || expected == "true or bounded" && (result == "true" || result.starts_with("bounded("))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(expected: &str, code: Option<i32>, output: &str) -> Category {
        let task = Task {
            path: PathBuf::from("a.c"),
            property: "unreach-call".to_string(),
            expected: expected.to_string(),
            options: Vec::new(),
        };
        judge(&task, code, output, "").outcome
    }

    #[test]
    fn answers_are_judged() {
        for (expected, code, output, wanted) in [
            ("true", Some(0), r#"{"result":"true"}"#, Category::CorrectTrue),
            ("false", Some(1), r#"{"result":"false(unreach-call)"}"#, Category::CorrectFalse),
            ("false(valid-deref)", Some(1), r#"{"result":"false(valid-free)"}"#, Category::Wrong),
            ("false", Some(0), r#"{"result":"true"}"#, Category::Wrong),
            ("true", Some(1), r#"{"result":"false(no-deadlock)"}"#, Category::Wrong),
            ("true", Some(3), r#"{"result":"unknown","reason":"time limit"}"#, Category::Unknown),
            ("true", Some(2), r#"{"result":"unknown","refused":true,"reason":"asm"}"#, Category::Unknown),
            ("true", Some(2), r#"{"result":"error","reason":"expected `;`"}"#, Category::Error),
            ("error", Some(2), r#"{"result":"error","reason":"expected `;`"}"#, Category::CorrectTrue),
            ("true", Some(101), "", Category::Error),
            ("true", None, "", Category::Error),
        ] {
            assert_eq!(outcome(expected, code, output), wanted, "{expected} {code:?} {output}");
        }
    }
}
