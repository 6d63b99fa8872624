//! Does every engine agree with every case? Each file of `cases/` and `examples/` runs on the portfolio and on each engine, with each value of its `por` knob.
//!
//! A contradiction (safe where unsafe is expected, or the other way round) is the worst that can happen and is printed first.
//! Who has decided a case before must not know less than then: `cases/decided.txt` has who that was. `RAVEL_BLESS=new cargo cases` adds the cases that are not there, which takes some
//! minutes, and `RAVEL_BLESS=1 cargo cases` writes all of it anew. A case that is not there must be decided by those whom it names in `engines:`, or else by the portfolio, unless it expects unknown.
//! An engine that has not decided a case is asked again, with its own reduction, in case it is wrong now: about every sixth case, and about all that are not written down. Of those reductions with which
//! it has decided it, the engine's default is asked, and one other, which depends on the case, so that each is asked about many cases. All are when it is written anew, and with `RAVEL_MATRIX=1 cargo cases`.
//!
//! What runs must count is asked apart (`counts`).

use crate::in_process;
use crate::process::{ravel, root};
use cases::count::{Bound, Knobs};
use cases::{Case, Expectation, Expected, Pool, walk};
use engines::{Kind, Knob};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Who decided what, by the question: names of engines, with the value of `por` behind a slash.
const DECIDED: &str = "cases/decided.txt";

/// One run: a file, what it expects, and the options that choose an engine.
struct Question {
    /// The file, from the workspace on.
    file: String,
    case: Case,
    expectation: Expectation,
    engine: String,
    /// The engine's reduction.
    por: Option<&'static str>,
    must_decide: bool,
    /// Whether it is to be written down who decides it.
    is_anew: bool,
}

impl Question {
    /// The file and what it is asked about.
    fn what(&self) -> String {
        let about = self.expectation.selector.iter().chain(&self.expectation.model).map(|word| format!("[{word}]"));
        format!("{}{}", self.file, about.collect::<String>())
    }

    /// The engine with its reduction.
    fn who(&self) -> String {
        self.engine.clone() + &self.por.map(|por| format!("/{por}")).unwrap_or_default()
    }
}

/// What a run did wrong.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Failure {
    Contradiction(String),
    Other(String),
}

/// The cases by file, and files that are none.
fn all_cases() -> (Vec<(String, Case)>, Vec<Failure>) {
    let (mut found, mut failures) = (Vec::new(), Vec::new());
    for path in ["cases", "examples"].iter().flat_map(|folder| files(&root().join(folder))) {
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("the walk found it")).into_owned();
        let file = path.strip_prefix(root()).expect("cases are in the workspace").to_str().expect("plain names");
        match Case::parse(&text) {
            Ok(Some(case)) => found.push((file.to_string(), case)),
            Ok(None) => failures.push(Failure::Other(format!("{file}: it has no `// expect:` line"))),
            Err(error) => failures.push(Failure::Other(format!("{file}: {error}"))),
        }
    }
    (found, failures)
}

#[test]
fn every_case_is_answered_as_it_says() {
    let (found, mut failures) = all_cases();
    let decided = decided_before();
    let names: BTreeSet<&str> = engines::all().iter().map(|about| about.name).chain(["portfolio"]).collect();
    let mut questions = Vec::new();
    for (file, case) in &found {
        if let Some(name) = case.engines.iter().find(|name| !names.contains(name.as_str())) {
            failures.push(Failure::Other(format!("{file}: there is no engine {name}")));
        }
        questions.extend(questions_of(file, case, &decided));
    }
    let are_all = blessed() != Blessed::New;
    assert!(!are_all || questions.len() > 100, "only {} runs: are the cases gone?", questions.len());
    let (wrong, knows) = ask_all(&questions);
    failures.extend(wrong);
    match blessed() {
        Blessed::Nothing => {}
        Blessed::New => bless(&decided.into_iter().chain(knows).collect()),
        Blessed::All => bless(&knows),
    }
    report(failures, questions.len());
}

#[test]
fn what_runs_count_is_pinned() {
    let mut failures = Vec::new();
    let mut n_counts = 0;
    for (file, case) in all_cases().0 {
        for count in &case.counts {
            let counted = |knobs: &Knobs| counted(&file, &case, count.engine(), knobs, &count.statistic);
            let bound = match &count.bound {
                Bound::Number(number) => Ok(*number),
                Bound::Run(knobs) => counted(knobs),
            };
            let line = match (counted(&count.knobs), bound) {
                (Ok(a), Ok(b)) if count.relation.holds(a, b) => None,
                (Ok(a), Ok(b)) => Some(format!("{a} is not {:?} {b}", count.relation)),
                (Err(error), _) | (_, Err(error)) => Some(error),
            };
            let about = |line| Failure::Other(format!("{file} with {:?}, {}: {line}", count.knobs, count.statistic));
            failures.extend(line.map(about));
            n_counts += 1;
        }
    }
    assert!(n_counts > 5, "{n_counts} counts");
    report(failures, n_counts);
}

/// What a run counts; it must answer as its case says.
fn counted(file: &str, case: &Case, engine: &str, knobs: &Knobs, statistic: &str) -> Result<f64, String> {
    let mut words = vec!["verify".to_string(), file.to_string(), "--json".to_string(), "--time-limit=20s".to_string()];
    words.push(format!("--engine={engine}"));
    words.extend(knobs.iter().map(|(knob, value)| format!("--{knob}={value}")));
    words.extend(case.options.iter().cloned());
    let plain = case.expectations.iter().filter(|one| one.model.is_none());
    let expected = plain.min_by_key(|one| one.selector.is_some()).ok_or("nothing is expected")?;
    words.extend(asked(file, case, expected));
    let document = answer(&words)?.0;
    let wanted = word_of(expected.expected);
    if document["verdict"] != wanted {
        return Err(format!("answers {}, expected {wanted}", document["verdict"]));
    }
    document["statistics"][statistic].as_f64().ok_or_else(|| "is not counted".to_string())
}

/// Fails with all that is wrong, contradictions first.
fn report(mut failures: Vec<Failure>, n_runs: usize) {
    failures.sort();
    let lines: Vec<String> = failures
        .iter()
        .map(|failure| match failure {
            Failure::Contradiction(line) => format!("CONTRADICTION: {line}"),
            Failure::Other(line) => line.clone(),
        })
        .collect();
    assert!(lines.is_empty(), "{} of {n_runs} runs fail:\n{}", lines.len(), lines.join("\n"));
}

/// Of which cases it is to be written down who decides them.
#[derive(PartialEq, Eq)]
enum Blessed {
    Nothing,
    /// Those of which it is not.
    New,
    All,
}

fn blessed() -> Blessed {
    match std::env::var("RAVEL_BLESS").as_deref() {
        Err(_) => Blessed::Nothing,
        Ok("new") => Blessed::New,
        Ok(_) => Blessed::All,
    }
}

/// Who decided what when it was written down.
fn decided_before() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join(DECIDED)).expect("it is there");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let (what, who) = line.split_once(": ").expect("a question and who decides it");
        (what.to_string(), who.split_whitespace().map(str::to_string).collect())
    };
    lines.map(row).collect()
}

/// Writes down who decides what.
fn bless(knows: &BTreeMap<String, BTreeSet<String>>) {
    let mut text = String::from(
        "# Who decides which case: engines, with the value of por behind a slash. Written by RAVEL_BLESS=1 cargo cases.\n",
    );
    for (what, who) in knows {
        let who: Vec<&str> = who.iter().map(String::as_str).collect();
        text.push_str(&format!("{what}: {}\n", who.join(" ")));
    }
    std::fs::write(root().join(DECIDED), text).expect("the tree can be written");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    walk::files_below(folder, &["c", "i", "oox"]).expect("the folder is there")
}

/// All runs of a case: each expectation on each engine and reduction.
fn questions_of(file: &str, case: &Case, decided: &BTreeMap<String, BTreeSet<String>>) -> Vec<Question> {
    let mut questions = Vec::new();
    for expectation in &case.expectations {
        for (engine, por) in variants(file, case, expectation) {
            let (file, case, expectation) = (file.to_string(), case.clone(), expectation.clone());
            let mut question = Question { file, case, expectation, engine, por, must_decide: false, is_anew: false };
            let row = decided.get(&question.what());
            question.is_anew = match blessed() {
                Blessed::Nothing => false,
                Blessed::New => row.is_none(),
                Blessed::All => true,
            };
            let names = &question.case.engines;
            let is_open = question.expectation.expected == Expected::Unknown;
            question.must_decide = names.contains(&question.engine)
                || match row {
                    Some(who) => who.contains(&question.who()),
                    None => names.is_empty() && question.engine == "portfolio" && !is_open,
                };
            let is_known = |who: &String| is_of(who, &question.engine);
            let is_asked = match question.must_decide {
                _ if question.is_anew || std::env::var_os("RAVEL_MATRIX").is_some() => true,
                _ if blessed() == Blessed::New => false,
                true => is_chosen(&question),
                false => match row {
                    Some(who) => is_default(&question) && !who.iter().any(is_known) && is_sampled(&question),
                    None => is_default(&question),
                },
            };
            if is_asked {
                questions.push(question);
            }
        }
    }
    questions
}

/// Whether it was this engine that decided, with whichever reduction.
fn is_of(who: &str, engine: &str) -> bool {
    who.split('/').next() == Some(engine)
}

/// What an engine can set its reduction to.
fn reductions(question: &Question) -> Option<&'static Knob> {
    let about = engines::all().into_iter().find(|about| about.name == question.engine)?;
    about.knobs.iter().find(|knob| knob.name == "por")
}

/// Whether the engine is asked with the reduction that it has by itself.
fn is_default(question: &Question) -> bool {
    question.por.is_none() || reductions(question).is_some_and(|knob| Some(knob.default) == question.por)
}

/// Whether a reduction that has decided a case is asked about it every time: the default, and one other.
fn is_chosen(question: &Question) -> bool {
    let (Some(por), Some(knob)) = (question.por, reductions(question)) else { return true };
    let Kind::Choice(values) = knob.kind else { return true };
    let others: Vec<&str> = values.iter().copied().filter(|value| *value != knob.default).collect();
    por == knob.default || others.get(sum_of(&question.what()) % others.len().max(1)) == Some(&por)
}

/// Whether an engine that has not decided a case is asked about it every time.
fn is_sampled(question: &Question) -> bool {
    sum_of(&(question.what() + &question.engine)).is_multiple_of(6)
}

fn sum_of(text: &str) -> usize {
    text.bytes().map(usize::from).sum()
}

/// The engines that know the memory model, and for each the values of its knob `por`. An input error does not depend on the engine.
fn variants(file: &str, case: &Case, expectation: &Expectation) -> Vec<(String, Option<&'static str>)> {
    let model = expectation.model.as_deref().and_then(ir::Model::named).unwrap_or_default();
    // OOX and C have engines of their own.
    let is_oox = file.ends_with(".oox");
    let default = if is_oox { engines::symbolic::ABOUT.name } else { "portfolio" };
    if expectation.expected == Expected::Error {
        return vec![(default.to_string(), None)];
    }
    // Programs as people write them are asked as people ask.
    if file.starts_with("cases/ordinary/") {
        return vec![(default.to_string(), None)];
    }
    let mut variants = Vec::new();
    let abouts: Vec<&engines::About> = if is_oox {
        vec![&engines::symbolic::ABOUT]
    } else {
        variants.push((default.to_string(), None));
        let knowing = engines::ENGINES.iter().filter(|engine| engine.models().contains(&model));
        knowing.map(|engine| engine.about()).collect()
    };
    for about in abouts {
        let name = about.name.to_string();
        // Asked about all, it answers for races alone.
        let property = expectation.selector.as_deref().or(case.property.as_deref());
        if about.name == "modular" && property != Some("race") {
            continue;
        }
        let por = about.knobs.iter().find(|knob| knob.name == "por");
        match por.map(|knob| (knob.kind, knob.default)) {
            // Its reductions are compared with each other by the fuzzer; on all cases they would take as long as all others together.
            _ if about.name == "impact" => {
                let is_near = ["cases/impact/", "cases/cegar/", "cases/svcomp/", "cases/properties/", "examples/"];
                is_near.iter().any(|folder| file.starts_with(folder)).then(|| variants.push((name, None)));
            }
            // What it looks at is what threads read from each other; most other cases it refuses.
            _ if about.name == "declarative" || about.name == "graphs" => {
                let is_near = [
                    "cases/declarative/",
                    "cases/graphs/",
                    "cases/weak/",
                    "cases/axioms/",
                    "cases/atomics/",
                    "cases/locks/",
                ];
                is_near.iter().any(|folder| file.starts_with(folder)).then(|| variants.push((name, None)));
            }
            // One thread leaves nothing to reduce: the default stands for all.
            Some((Kind::Choice(values), _)) if is_oox || starts_threads(file) => {
                variants.extend(values.iter().map(|value| (name.clone(), Some(*value))));
            }
            Some((Kind::Choice(_), default)) => variants.push((name, Some(default))),
            _ => variants.push((name, None)),
        }
    }
    variants
}

/// Whether the text of a case has threads, or a signal's handler, which may run between any two steps.
fn starts_threads(file: &str) -> bool {
    let text = std::fs::read(root().join(file)).expect("the walk found it");
    let text = String::from_utf8_lossy(&text);
    ["pthread_create", "thrd_create", "sigaction", "signal("].iter().any(|word| text.contains(word))
}

/// What is wrong, and who decided what.
fn ask_all(questions: &[Question]) -> (Vec<Failure>, BTreeMap<String, BTreeSet<String>>) {
    // Questions about one program follow each other, and it is read once for all of them.
    let groups: Vec<&[Question]> = questions.chunk_by(|a, b| a.what() == b.what()).collect();
    let answers = Pool { stack: STACK, ..Pool::default() }.map(&groups, |group| ask_group(group));
    let answers: Vec<_> = answers.into_iter().flatten().collect();
    if std::env::var_os("RAVEL_TIMES").is_some() {
        tell_times(questions, &answers);
    }
    let (mut failures, mut decided) = (Vec::new(), BTreeMap::new());
    for (question, (failure, is_decided, _)) in questions.iter().zip(answers) {
        failures.extend(failure);
        let who: &mut BTreeSet<String> = decided.entry(question.what()).or_default();
        who.extend(is_decided.then(|| question.who()));
    }
    (failures, decided)
}

/// Address space for the stack of an engine.
const STACK: usize = 1 << 30;

/// Asks all that is asked about one program, and says how long each took.
fn ask_group(group: &[Question]) -> Vec<(Option<Failure>, bool, Duration)> {
    let mut read = None;
    let timed = |question: &Question| {
        let begin = Instant::now();
        // As people ask, where nobody else is asked; otherwise what was read once serves the default as well.
        let is_as_people_ask = question.expectation.expected == Expected::Error || group.len() == 1;
        let read = match is_as_people_ask {
            true => None,
            false => read
                .get_or_insert_with(|| {
                    in_process::read(&root().join(&question.file), &question.case, &question.expectation)
                })
                .as_ref(),
        };
        let (failure, is_decided) = read.map_or_else(|| ask(question), |read| ask_here(question, read));
        (failure, is_decided, begin.elapsed())
    };
    group.iter().map(timed).collect()
}

/// Asks an engine about a program that was read.
fn ask_here(question: &Question, read: &in_process::Read) -> (Option<Failure>, bool) {
    let por = question.por.map(|por| (format!("{}.por", question.engine), por.to_string()));
    let knobs: Vec<(String, String)> = por.into_iter().chain(question.case.knobs.iter().cloned()).collect();
    let name = format!("{} by {}", question.what(), question.who());
    match in_process::ask(read, &question.engine, &knobs, limit_of(question)) {
        Err(problem) => (Some(Failure::Other(format!("{name}: {problem}"))), false),
        Ok(said) => judge(question, said.verdict, disagrees(question, said.verdict, &said.reason, &said.places), &name),
    }
}

/// Engines that need not decide a case get little time to be wrong in, and what is written down anew is what takes little.
fn limit_of(question: &Question) -> Duration {
    match question.must_decide {
        _ if question.is_anew && !question.case.engines.contains(&question.engine) => Duration::from_secs(1),
        true => Duration::from_secs(60),
        // Time enough for a wrong answer, where the right one is that nobody knows.
        false if question.expectation.expected == Expected::Unknown => Duration::from_secs(1),
        false => Duration::from_millis(50),
    }
}

/// What is wrong with an answer, and whether it decides.
fn judge(question: &Question, verdict: &str, problem: Option<String>, name: &str) -> (Option<Failure>, bool) {
    let Some(problem) = problem else { return (None, verdict != "unknown") };
    let line = format!("{name}: {problem}");
    let is_contradiction = matches!(
        (question.expectation.expected, verdict),
        (Expected::Safe, "unsafe") | (Expected::Unsafe, "safe") | (Expected::Error, "safe" | "unsafe")
    );
    (Some(if is_contradiction { Failure::Contradiction(line) } else { Failure::Other(line) }), false)
}

/// Where the time went, for `RAVEL_TIMES=1 cargo cases -- --nocapture`: by engine, decided or not, and the slowest runs.
#[expect(clippy::print_stdout, reason = "this is what was asked for")]
fn tell_times(questions: &[Question], answers: &[(Option<Failure>, bool, Duration)]) {
    let mut sums: BTreeMap<(String, bool), (usize, Duration)> = BTreeMap::new();
    for (question, (_, is_decided, time)) in questions.iter().zip(answers) {
        let sum = sums.entry((question.who(), *is_decided)).or_default();
        *sum = (sum.0 + 1, sum.1 + *time);
    }
    for ((who, is_decided), (n, time)) in sums {
        let word = if is_decided { "decided" } else { "not decided" };
        println!("{who}, {word}: {n} runs, {:.1} s", time.as_secs_f64());
    }
    let mut slowest: Vec<_> = questions.iter().zip(answers).collect();
    slowest.sort_by_key(|(_, answer)| std::cmp::Reverse(answer.2));
    for (question, (_, _, time)) in slowest.iter().take(40) {
        println!("{:.1} s: {} by {}", time.as_secs_f64(), question.what(), question.who());
    }
}

/// The answer as a document, and the exit code.
fn answer(words: &[String]) -> Result<(Value, Option<i32>), String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = ravel(&words).output().expect("ravel can be started");
    match serde_json::from_slice(&output.stdout) {
        Ok(document) => Ok((document, output.status.code())),
        Err(_) => Err(format!("no JSON: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// The option that names what an expectation is about, if not all there is.
fn asked(file: &str, case: &Case, expectation: &Expectation) -> Option<String> {
    let property = expectation.selector.as_ref().or(case.property.as_ref())?;
    let selector = if file.ends_with(".oox") { "entry" } else { "property" };
    Some(format!("--{selector}={property}"))
}

/// Runs one question: what is wrong with the answer, if anything, and whether it decides.
fn ask(question: &Question) -> (Option<Failure>, bool) {
    let limit = limit_of(question).as_millis();
    let mut words = vec!["verify".to_string(), question.file.clone(), "--json".to_string()];
    words.extend([format!("--time-limit={limit}ms"), format!("--engine={}", question.engine)]);
    words.extend(question.por.map(|por| format!("--{}.por={por}", question.engine)));
    words.extend(question.case.options.iter().cloned());
    words.extend(question.expectation.model.iter().map(|model| format!("--model={model}")));
    words.extend(question.case.knobs.iter().map(|(knob, value)| format!("--{knob}={value}")));
    words.extend(asked(&question.file, &question.case, &question.expectation));
    let (document, code) = match answer(&words) {
        Ok(answer) => answer,
        Err(problem) => return (Some(Failure::Other(format!("ravel {}: {problem}", words.join(" ")))), false),
    };
    let verdict = document["verdict"].as_str().unwrap_or("");
    judge(question, verdict, compare(question, &document, code), &format!("ravel {}", words.join(" ")))
}

fn word_of(expected: Expected) -> &'static str {
    match expected {
        Expected::Safe => "safe",
        Expected::Unsafe => "unsafe",
        Expected::Error => "error",
        Expected::Bounded => "bounded",
        Expected::Allowed => "allowed",
        Expected::Forbidden => "forbidden",
        Expected::Unknown => "unknown",
    }
}

fn compare(question: &Question, document: &Value, code: Option<i32>) -> Option<String> {
    let verdict = document["verdict"].as_str().unwrap_or("");
    let reason = document["reason"].as_str().unwrap_or("");
    let expected_code = match verdict {
        "safe" => 0,
        "unsafe" => 1,
        "bounded" | "unknown" => 3,
        _ => 2,
    };
    if code != Some(expected_code) {
        return Some(format!("{verdict} ({reason}) with exit code {code:?}"));
    }
    disagrees(question, verdict, reason, &places(document))
}

/// What an answer with these places has that the case does not expect.
fn disagrees(question: &Question, verdict: &str, reason: &str, places: &[(u64, u64)]) -> Option<String> {
    let wanted = word_of(question.expectation.expected);
    if verdict == "unknown" && verdict != wanted {
        return question.must_decide.then(|| format!("unknown ({reason}), expected {wanted}"));
    }
    if verdict != wanted {
        return Some(format!("{verdict} ({reason}), expected {wanted}"));
    }
    let line = question.expectation.line?;
    let is_there = |(at, column): &(u64, u64)| {
        *at == u64::from(line) && question.expectation.column.is_none_or(|wanted| *column == u64::from(wanted))
    };
    (!places.iter().any(is_there)).then(|| {
        let column = question.expectation.column.map(|column| format!(":{column}")).unwrap_or_default();
        format!("{verdict} at {places:?}, expected {line}{column}")
    })
}

/// The lines and columns that an answer points at: the violation and its details, or the diagnostics.
fn places(document: &Value) -> Vec<(u64, u64)> {
    let place_of = |value: &Value| {
        let place = &value["place"];
        Some((place["line"].as_u64()?, place["column"].as_u64().unwrap_or(0)))
    };
    let in_list = |list: &Value| list.as_array().into_iter().flatten().filter_map(place_of).collect::<Vec<_>>();
    let mut places: Vec<(u64, u64)> = place_of(&document["violation"]).into_iter().collect();
    places.extend(in_list(&document["violation"]["details"]));
    if document["verdict"] == "error" {
        places.extend(in_list(&document["diagnostics"]));
    }
    places
}
