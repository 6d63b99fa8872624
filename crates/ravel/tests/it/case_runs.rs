//! Does every engine agree with every case? Each file of `cases/` and `examples/` runs on each engine, with each value of its `por` knob.
//!
//! A contradiction (safe where unsafe is expected, or the other way round) is the worst that can happen and is printed first.
//! An engine that answers unknown only fails a case that names it in `engines:`, or all cases if it is the default
//! engine, unless the case expects unknown.

use crate::process::{ravel, root};
use cases::{Case, Expectation, Expected, walk};
use engines::Kind;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One run: a file, what it expects, and the options that choose an engine.
struct Question {
    path: PathBuf,
    case: Case,
    expectation: Expectation,
    engine: String,
    options: Vec<String>,
}

/// What a run did wrong.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Failure {
    Contradiction(String),
    Other(String),
}

#[test]
fn every_case_is_answered_as_it_says() {
    let mut failures = Vec::new();
    let mut questions = Vec::new();
    for path in ["cases", "examples"].iter().flat_map(|folder| files(&root().join(folder))) {
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("the walk found it")).into_owned();
        match Case::parse(&text) {
            Ok(Some(case)) => questions.extend(questions_of(&path, &case)),
            Ok(None) => failures.push(Failure::Other(format!("{}: it has no `// expect:` line", path.display()))),
            Err(error) => failures.push(Failure::Other(format!("{}: {error}", path.display()))),
        }
    }
    assert!(questions.len() > 100, "only {} runs: are the cases gone?", questions.len());
    failures.extend(ask_all(&questions));
    failures.sort();
    let lines: Vec<String> = failures
        .iter()
        .map(|failure| match failure {
            Failure::Contradiction(line) => format!("CONTRADICTION: {line}"),
            Failure::Other(line) => line.clone(),
        })
        .collect();
    assert!(lines.is_empty(), "{} of {} runs fail:\n{}", lines.len(), questions.len(), lines.join("\n"));
}

fn files(folder: &Path) -> Vec<PathBuf> {
    walk::files_below(folder, &["c", "i", "oox"]).expect("the folder is there")
}

/// All runs of a case: each expectation on each engine and reduction.
fn questions_of(path: &Path, case: &Case) -> Vec<Question> {
    let mut questions = Vec::new();
    for expectation in &case.expectations {
        for (engine, options) in variants(path, expectation) {
            let (path, case, expectation) = (path.to_path_buf(), case.clone(), expectation.clone());
            questions.push(Question { path, case, expectation, engine, options });
        }
    }
    questions
}

/// The engines that know the memory model, and for each the values of its knob `por`. An input error does not depend on the engine.
fn variants(path: &Path, expectation: &Expectation) -> Vec<(String, Vec<String>)> {
    let expected = expectation.expected;
    let model = expectation.model.as_deref().and_then(ir::Model::named).unwrap_or_default();
    let mut variants = Vec::new();
    // OOX and C have engines of their own.
    let abouts: Vec<&engines::About> = if path.extension().is_some_and(|ending| ending == "oox") {
        vec![&engines::symbolic::ABOUT]
    } else {
        let knowing = engines::ENGINES.iter().filter(|engine| engine.models().contains(&model));
        knowing.map(|engine| engine.about()).collect()
    };
    for about in abouts {
        let name = about.name.to_string();
        let reductions = about.knobs.iter().find(|knob| knob.name == "por").map(|knob| knob.kind);
        match reductions.filter(|_| expected != Expected::Error) {
            Some(Kind::Choice(values)) => variants.extend(values.iter().map(|value| {
                let option = format!("--{name}.por={value}");
                (name.clone(), vec![option])
            })),
            _ => variants.push((name, Vec::new())),
        }
        if expected == Expected::Error {
            break;
        }
    }
    variants
}

fn ask_all(questions: &[Question]) -> Vec<Failure> {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(question) = questions.get(next.fetch_add(1, Ordering::SeqCst)) {
                    failures.lock().expect("no holder panics").extend(ask(question));
                }
            });
        }
    });
    failures.into_inner().expect("no holder panics")
}

/// Runs one question; what is wrong with the answer, if anything.
fn ask(question: &Question) -> Option<Failure> {
    let relative =
        question.path.strip_prefix(root()).expect("cases are in the workspace").to_str().expect("plain names");
    let is_default = engines::ENGINES.first().is_some_and(|engine| engine.name() == question.engine);
    // Engines that need not decide a case get less time to try.
    let is_oox = question.engine == "symbolic";
    let is_main = question.options.iter().any(|option| option == "--symbolic.por=monotonic");
    let is_named = question.case.engines.contains(&question.engine);
    let must_decide = is_named || is_main || is_default && question.case.engines.is_empty();
    let limit = if must_decide { "20s" } else { "1s" };
    let mut words =
        vec!["verify".to_string(), relative.to_string(), "--json".to_string(), format!("--time-limit={limit}")];
    words.push(format!("--engine={}", question.engine));
    words.extend(question.options.iter().cloned());
    words.extend(question.case.options.iter().cloned());
    words.extend(question.expectation.model.iter().map(|model| format!("--model={model}")));
    words.extend(question.case.knobs.iter().map(|(knob, value)| format!("--{knob}={value}")));
    let property = question.expectation.selector.as_ref().or(question.case.property.as_ref());
    let selector = if is_oox { "entry" } else { "property" };
    words.extend(property.map(|property| format!("--{selector}={property}")));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = ravel(&words).output().expect("ravel can be started");
    let document: Value = match serde_json::from_slice(&output.stdout) {
        Ok(document) => document,
        Err(_) => {
            let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
            return Some(Failure::Other(format!("ravel {}: no JSON: {complaint}", words.join(" "))));
        }
    };
    let problem = compare(question, &document, output.status.code())?;
    let line = format!("ravel {}: {problem}", words.join(" "));
    let verdict = document["verdict"].as_str().unwrap_or("");
    let is_contradiction = matches!(
        (question.expectation.expected, verdict),
        (Expected::Safe, "unsafe") | (Expected::Unsafe, "safe") | (Expected::Error, "safe" | "unsafe")
    );
    Some(if is_contradiction { Failure::Contradiction(line) } else { Failure::Other(line) })
}

fn compare(question: &Question, document: &Value, code: Option<i32>) -> Option<String> {
    let verdict = document["verdict"].as_str().unwrap_or("");
    let reason = document["reason"].as_str().unwrap_or("");
    let expected_code = match verdict {
        "safe" => 0,
        "unsafe" => 1,
        "bounded" => 3,
        "unknown" if document["refused"] != true => 3,
        _ => 2,
    };
    if code != Some(expected_code) {
        return Some(format!("{verdict} ({reason}) with exit code {code:?}"));
    }
    let wanted = match question.expectation.expected {
        Expected::Safe => "safe",
        Expected::Unsafe => "unsafe",
        Expected::Error => "error",
        Expected::Bounded => "bounded",
        Expected::Allowed => "allowed",
        Expected::Forbidden => "forbidden",
        Expected::Unknown => "unknown",
    };
    if verdict == "unknown" && verdict != wanted {
        let is_default = engines::ENGINES.first().is_some_and(|engine| engine.name() == question.engine)
            || question.options.iter().any(|option| option == "--symbolic.por=monotonic");
        let must_decide =
            question.case.engines.contains(&question.engine) || question.case.engines.is_empty() && is_default;
        return must_decide.then(|| format!("unknown ({reason}), expected {wanted}"));
    }
    if verdict != wanted {
        return Some(format!("{verdict} ({reason}), expected {wanted}"));
    }
    let line = question.expectation.line?;
    let lines = places(document);
    (!lines.contains(&u64::from(line))).then(|| format!("{verdict} at line {lines:?}, expected line {line}"))
}

/// The lines that an answer points at: the violation and its details, or the diagnostics.
fn places(document: &Value) -> Vec<u64> {
    let line_of = |value: &Value| value["place"]["line"].as_u64();
    let in_list = |list: &Value| list.as_array().into_iter().flatten().filter_map(line_of).collect::<Vec<u64>>();
    let mut lines: Vec<u64> = line_of(&document["violation"]).into_iter().collect();
    lines.extend(in_list(&document["violation"]["details"]));
    if document["verdict"] == "error" {
        lines.extend(in_list(&document["diagnostics"]));
    }
    lines
}
