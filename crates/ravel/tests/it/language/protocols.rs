//! Tests with messages: both engines agree, what is forbidden is forbidden by the axiom that says so, and charts are drawn.

use crate::process::{Scratch, complaint, root, run, text};
use serde_json::Value;
use std::collections::BTreeSet;

const MODELS: &[&str] =
    &["cases/litmus/protocols/none.cat", "udp", "tcp", "tcp-buffered", "mqtt", "dds", "quic", "rpc", "sc"];

fn answers(path: &str, words: &[&str]) -> Value {
    let mut all = vec!["litmus", path, "--json"];
    all.extend(words);
    let output = run(&all);
    let said = text(&output);
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}{}", complaint(&output)))
}

#[test]
fn the_two_engines_find_the_same_executions() {
    let mut n_compared = 0;
    for &model in MODELS {
        for goal in ["states", "rf", "executions"] {
            let told = |method: &str| {
                let words = ["--model", model, "--enumerate", goal, "--method", method];
                let mut found = answers("cases/litmus/protocols", &words);
                for answer in found.as_array_mut().expect("an answer for each test") {
                    answer["seconds"] = Value::Null;
                }
                found
            };
            let (one, other) = (told("enumerate"), told("symbolic"));
            n_compared += one.as_array().map_or(0, Vec::len);
            assert_eq!(one, other, "{goal} under {model}");
        }
    }
    assert!(n_compared > 1000, "{n_compared} answers");
}

#[test]
fn the_axioms_that_forbid_the_figures_are_named() {
    let rows: &[(&str, &[&str], &[&str])] = &[
        ("figure-6-8a", &["no-loss", "synchronous", "blocking"], &["no-duplication", "no-reordering"]),
        ("figure-6-8b", &["no-duplication", "no-loss"], &["blocking"]),
        ("figure-6-8c", &["no-reordering"], &["no-loss", "no-duplication", "blocking"]),
    ];
    for (name, named, not_named) in rows {
        let path = format!("cases/litmus/protocols/thesis/{name}.proto.litmus");
        let found = answers(&path, &["--model", "tcp", "--show", "all"]);
        let execution = found[0]["executions"].as_array().and_then(|all| all.last()).expect("one is shown");
        let violated = execution["violated"].as_array().expect("axioms");
        let axioms: BTreeSet<&str> = violated.iter().filter_map(|violation| violation["axiom"].as_str()).collect();
        assert!(named.iter().all(|axiom| axioms.contains(axiom)), "{name}: {axioms:?}");
        assert!(not_named.iter().all(|axiom| !axioms.contains(axiom)), "{name}: {axioms:?}");
    }
}

#[test]
fn a_lost_message_ends_in_a_cross() {
    let test = "cases/litmus/protocols/payment/double.proto.litmus";
    let (page, chart) = (Scratch::new("messages.html", b""), Scratch::new("messages.svg", b""));
    let output = run(&["litmus", test, "--html", page.path(), "--svg", chart.path(), "--nshow", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    for written in [&page.0, &chart.0] {
        let picture = std::fs::read_to_string(written).expect("it was written");
        assert!(picture.contains("class=\"lost\"") && picture.contains("P0 @ client"), "{picture}");
    }
    let graph = run(&["litmus", test, "--dot", "--nshow", "1"]);
    assert!(text(&graph).contains("✗"), "{}", text(&graph));
    let memory = run(&["litmus", "cases/litmus/x86/store-buffering.litmus", "--svg", chart.path()]);
    assert!(complaint(&memory).contains("no messages"), "{}", complaint(&memory));
}

#[test]
fn verify_answers_and_tells_what_the_model_ignores() {
    let test = "cases/litmus/protocols/payment/double.proto.litmus";
    let found = run(&["verify", test]);
    assert!(text(&found).contains("lost"), "{}", text(&found));
    let tagged = "cases/litmus/protocols/mqtt/quality-1.proto.litmus";
    let ignored = run(&["litmus", tagged, "--model", "udp"]);
    assert!(text(&ignored).contains("says nothing about the tags QoS1"), "{}", text(&ignored));
    let known = run(&["litmus", tagged, "--model", "mqtt"]);
    assert!(!text(&known).contains("says nothing"), "{}", text(&known));
}

#[test]
fn the_solutions_of_the_figures_are_these_and_no_others() {
    let states = |name: &str, model: &str| -> BTreeSet<String> {
        let path = format!("cases/litmus/protocols/thesis/{name}.proto.litmus");
        let found = answers(&path, &["--model", model, "--enumerate", "states"]);
        let all = found[0]["states"].as_array().expect("states");
        all.iter().filter_map(|state| state["state"].as_str()).map(str::to_string).collect()
    };
    let set = |all: &[&str]| -> BTreeSet<String> { all.iter().map(|state| state.to_string()).collect() };
    let any = ["1:i=1; 1:j=1;", "1:i=1; 1:j=2;", "1:i=2; 1:j=1;", "1:i=2; 1:j=2;"];
    assert_eq!(
        states("figure-6-2", "udp"),
        set(&any),
        "lost, doubled, reordered; never a message that was not sent yet"
    );
    assert_eq!(states("figure-6-5", "tcp"), set(&["0:k=1; 1:i=1; 1:j=2;"]), "one execution");
}

#[test]
fn every_pattern_is_tried_by_what_it_allows_and_by_what_it_forbids() {
    let texts = |folder: &str, ending: &str| -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut open = vec![root().join(folder)];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).expect("it is there").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else if path.to_string_lossy().ends_with(ending) {
                    let name = path.strip_prefix(root()).expect("it is below").to_string_lossy().into_owned();
                    found.push((name, std::fs::read_to_string(&path).expect("it can be read")));
                }
            }
        }
        found
    };
    let cases = "cases/litmus/protocols";
    let (patterns, models) = (texts("models/protocols/patterns", ".cat"), texts(cases, ".cat"));
    let tests = texts(cases, ".litmus");
    assert!(patterns.len() >= 11, "{} patterns", patterns.len());
    for (path, _) in patterns {
        let pattern = path.trim_start_matches("models/protocols/");
        let is_alone = |text: &str| text.contains(pattern) && text.matches("include").count() == 1;
        let alone: Vec<&String> = models.iter().filter(|(_, text)| is_alone(text)).map(|(name, _)| name).collect();
        for word in ["allowed", "forbidden"] {
            let says = |text: &str| alone.iter().any(|model| text.contains(&format!("expect[{model}]: {word}")));
            assert!(tests.iter().any(|(_, text)| says(text)), "{pattern} alone: nothing is {word}");
        }
    }
}

#[test]
fn programs_that_send_messages_are_drawn_as_charts() {
    let program = "cases/messages/double_payment.c";
    let (page, chart, graph) = (Scratch::new("c.html", b""), Scratch::new("c.svg", b""), Scratch::new("c.dot", b""));
    let asked = ["verify", program, "--property", "assert", "--model", "udp", "--report", page.path(), "--chart"];
    for (target, marks) in
        [(&chart, ["client", "bank", "<polygon", "pay=10"]), (&graph, ["client", "bank", "color=\"#c62828", "pay=10"])]
    {
        let words: Vec<&str> = asked.iter().copied().chain([target.path()]).collect();
        let output = run(&words);
        assert_eq!(output.status.code(), Some(1), "{}", complaint(&output));
        let picture = std::fs::read_to_string(&target.0).expect("it was written");
        assert!(marks.iter().all(|mark| picture.contains(mark)), "{picture}");
        assert!(!picture.contains("main"), "main sends nothing: {picture}");
    }
    let page = std::fs::read_to_string(&page.0).expect("it was written");
    assert!(page.contains("Who sends what to whom") && page.contains("class=\"chart\""));
    let silent = run(&["verify", "cases/declarative/store_buffering.c", "--chart", chart.path()]);
    assert!(complaint(&silent).contains("no execution with messages"), "{}", complaint(&silent));
}
