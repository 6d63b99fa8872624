//! Litmus tests under memory models: every case says what each model allows, and how many executions there are.

use crate::process::{Scratch, complaint, root, run, text};
use cases::{Case, Expectation, Expected, walk};
use serde_json::Value;
use std::path::Path;

/// `(word, model, value)` of what a case expects.
fn expectations(source: &str) -> Vec<(&'static str, String, String)> {
    let case = Case::parse(source).expect("heads are right").expect("every case expects something");
    let mut found = Vec::new();
    for Expectation { selector, model, expected, .. } in &case.expectations {
        let model = model.clone().or(selector.clone()).expect("litmus tests are about models");
        let value = match expected {
            Expected::Allowed => "allowed",
            Expected::Forbidden => "forbidden",
            other => panic!("{other:?} is no answer about a litmus test"),
        };
        found.push(("expect", model, value.to_string()));
    }
    for (word, counts) in [("executions", &case.executions), ("rf", &case.reads_from)] {
        found.extend(counts.iter().map(|(model, count)| (word, model.clone(), count.to_string())));
    }
    found
}

fn ask(path: &Path, model: &str, options: &[&str]) -> Value {
    let path = path.to_str().expect("cases have plain names");
    let mut words = vec!["litmus", path, "--model", model, "--json"];
    words.extend(options);
    let output = run(&words);
    let said = text(&output);
    serde_json::from_str(&said)
        .unwrap_or_else(|error| panic!("{path} under {model}: {error}: {said}{}", complaint(&output)))
}

#[test]
fn every_model_answers_as_the_cases_say() {
    let files = walk::files_below(&root().join("cases/litmus"), &["litmus"]).expect("the cases are there");
    assert!(files.len() > 40);
    let mut n_checked = 0;
    let mut wrong = Vec::new();
    for path in &files {
        let source = std::fs::read_to_string(path).expect("cases can be read");
        for (word, model, value) in expectations(&source) {
            let options: &[&str] = match word {
                "rf" => &["--enumerate", "rf"],
                "executions" => &["--enumerate", "executions"],
                _ => &[],
            };
            let answer = ask(path, &model, options);
            let count = |name: &str| answer[0][name].as_u64().expect("a count");
            let told = match word {
                "executions" | "rf" => (count("positive") + count("negative")).to_string(),
                _ if count("positive") > 0 => "allowed".to_string(),
                _ => "forbidden".to_string(),
            };
            n_checked += 1;
            if told != value {
                wrong.push(format!("{} under {model}: {word} is {told}, expected {value}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(n_checked > 80, "{n_checked} expectations");
}

#[test]
fn both_engines_give_the_same_answer() {
    let test = Path::new("cases/litmus/c11/message-passing-unordered.litmus");
    for goal in ["states", "executions", "rf"] {
        let told = |method: &str| {
            let mut answer = ask(test, "rc11", &["--method", method, "--enumerate", goal]);
            answer[0]["seconds"] = Value::Null;
            answer
        };
        assert_eq!(told("enumerate"), told("symbolic"), "{goal}");
    }
    let output = run(&["litmus", "cases/litmus/x86/store-buffering.litmus", "--method", "symbolic"]);
    assert!(text(&output).contains("Positive: 1 Negative: 3"), "{}", text(&output));
}

#[test]
fn answers_have_the_form_of_herd() {
    let output = run(&["litmus", "cases/litmus/x86/store-buffering.litmus"]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}{}", complaint(&output));
    for start in [
        "Test store-buffering Allowed",
        "States 4",
        "Ok",
        "Witnesses",
        "Positive: 1 Negative: 3",
        "Condition exists",
        "Observation store-buffering Sometimes 1 3",
        "Time ",
    ] {
        assert!(said.lines().any(|line| line.starts_with(start)), "{start} is missing in {said}");
    }
}

#[test]
fn what_is_forbidden_is_drawn_with_its_cycle() {
    let page = Scratch::new("page.html", b"");
    let output = run(&["litmus", "cases/litmus/x86/store-buffering-fenced.litmus", "--html", page.path()]);
    assert_eq!(output.status.code(), Some(1), "{}", complaint(&output));
    let html = std::fs::read_to_string(&page.0).expect("the page was written");
    assert!(html.contains("forbidden by tso") && html.contains("arrow hit"), "the cycle is shown");
    assert!(html.contains("<svg") && !html.contains("src="), "the page needs nothing from outside");
}

#[test]
fn a_race_makes_c_undefined() {
    let answer = ask(Path::new("cases/litmus/c11/message-passing-unordered.litmus"), "rc11", &[]);
    assert_eq!(answer[0]["undefined"], Value::Bool(true), "{answer}");
    assert_eq!(answer[0]["flags"][0], "data-race");
    let ordered = ask(Path::new("cases/litmus/c11/message-passing-plain.litmus"), "rc11", &[]);
    assert_eq!(ordered[0]["undefined"], Value::Bool(false), "{ordered}");
}

#[test]
fn mistakes_in_a_model_are_shown_where_they_are() {
    let model = Scratch::new("broken.cat", b"\"Broken\"\nacyclic po | rff\n");
    let output = run(&["litmus", "cases/litmus/x86/store-buffering.litmus", "--model", model.path()]);
    assert_eq!(output.status.code(), Some(2));
    let said = complaint(&output);
    assert!(said.contains("`rff` is not defined") && said.contains("broken.cat:2:14"), "{said}");
}

#[test]
fn a_suite_of_litmus_tests_is_counted() {
    let root = root();
    let csv = format!(
        "test,model,condition_holds\n{0}/cases/litmus/x86/store-buffering.litmus,tso,1\n{0}/cases/litmus/x86/store-buffering.litmus,sc,0\n\
         {0}/cases/litmus/x86/store-buffering.litmus,sc,1\n{0}/cases/litmus/nowhere.litmus,sc,1\n",
        root.display()
    );
    let suite = Scratch::new("litmus.csv", csv.as_bytes());
    let output = run(&["bench", suite.path()]);
    let said = text(&output);
    assert!(
        said.lines().last().is_some_and(|line| line.starts_with("correct 2, wrong 1, unknown 0, error 1, of 4 in ")),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_test_is_verified_like_a_program() {
    let test = "cases/litmus/x86/store-buffering.litmus";
    for (model, code, last, part) in [
        ("tso", 0, "RESULT: true", "rf  a -> f, b -> d"),
        ("sc", 1, "RESULT: false(condition)", "no allowed execution ends like that"),
    ] {
        let output = run(&["verify", test, "--model", model]);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output));
        assert!(text(&output).contains(part), "{}", text(&output));
        assert_eq!(text(&output).lines().last(), Some(last));
        let output = run(&["verify", test, "--model", model, "--json"]);
        let document: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        assert_eq!((&document["model"], &document["observed"]), (&model.into(), &(code == 0).into()));
        assert_eq!(document["verdict"], if code == 0 { "holds" } else { "fails" });
        assert_eq!(document["execution"]["events"].as_array().map(Vec::len), (code == 0).then_some(6));
    }
    // A loop that was cut off is no proof that nothing else is possible.
    let spin = Scratch::new(
        "spin.litmus",
        b"C spin\n{ }\nP0(int *x) { int r0 = 0; while (r0 == 0) { r0 = READ_ONCE(*x); } }\n\
          P1(int *x) { WRITE_ONCE(*x, 1); }\nexists (x=2)\n",
    );
    let output = run(&["verify", spin.path()]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(text(&output).contains("was cut off (--axiomatic.unroll)"), "{}", text(&output));
    let shown = run(&["show", test]);
    assert!(shown.status.success() && text(&shown).contains("store/4 x, 1"), "{}", text(&shown));
    for (words, part) in [
        (&["run", test][..], "a litmus test is judged by a memory model, not run"),
        (&["show", test, "--prepared"][..], "no passes run on litmus tests"),
        (&["verify", test, "--property=race"][..], "asks about its own condition"),
        (&["verify", test, "--engine=bmc"][..], "litmus tests by the engine bmc; it is for axiomatic"),
        (&["verify", test, "--model=tsoo"][..], "tsoo"),
        (&["verify", test, "examples/overflow.c"][..], "litmus tests and C are not one program"),
        (&["verify", "examples/overflow.c", "--model=powr"][..], "one of ours:"),
    ] {
        let output = run(words);
        let said = text(&output) + &complaint(&output);
        assert!(said.contains(part) && !output.status.success(), "{words:?}: {said}");
    }
}

#[test]
fn a_folder_of_tests_is_a_suite() {
    let output = run(&["bench", "cases/litmus"]);
    let said = text(&output);
    let last = said.lines().last().unwrap_or_default();
    let n_correct = last.strip_prefix("correct ").and_then(|rest| rest.split(',').next()?.parse::<u32>().ok());
    // Loops that were cut off are unknown.
    assert!(last.contains("wrong 0,") && last.contains("error 0,"), "{said}");
    assert!(n_correct.is_some_and(|n| n > 90), "{said}");
}

/// A Chromium, if the machine has one.
fn chromium() -> Option<&'static str> {
    let has = |name: &&str| std::process::Command::new(name).arg("--version").output().is_ok();
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(has)
}

/// What a page becomes in Chromium: the document after its scripts, and a picture.
fn render(browser: &str, page: &Path, picture: &Path) -> String {
    let profile = page.with_extension("profile");
    let start = || {
        let mut command = std::process::Command::new(browser);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]);
        command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
        command.arg(format!("--user-data-dir={}", profile.display())).arg("--window-size=1280,1600");
        command
    };
    let address = format!("file://{}", page.display());
    let shot = start().arg(format!("--screenshot={}", picture.display())).arg(&address).output();
    assert!(shot.expect("the browser starts").status.success());
    let dumped = start().arg("--dump-dom").arg(&address).output().expect("the browser starts");
    text(&dumped)
}

#[test]
fn the_page_is_right_in_a_browser() {
    let Some(browser) = chromium() else { return };
    let page = Scratch::new("drawn.html", b"");
    run(&["litmus", "cases/litmus/x86/store-buffering-fenced.litmus", "--html", page.path()]);
    // What a person would do and look for, asked of the browser: boxes do not overlap, labels fit, a switch hides its arrows.
    let script = "<script>\
        const boxes = [...document.querySelectorAll('rect.event')].map(r => r.getBoundingClientRect());\
        const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;\
        const overlap = boxes.some((a, i) => boxes.some((b, j) => i < j && !apart(a, b)));\
        const labels = [...document.querySelectorAll('text.label')];\
        const wide = labels.some((l, i) => l.getBoundingClientRect().width > boxes[i].width);\
        const shown = name => [...document.querySelectorAll('g[data-relation=' + name + ']')].filter(g => g.style.display !== 'none').length;\
        const before = shown('rf'); document.querySelector('input[data-relation=rf]').click();\
        document.body.dataset.seen = JSON.stringify({boxes: boxes.length, overlap: overlap, wide: wide, before: before, after: shown('rf'),\
          hit: document.querySelectorAll('g.hit').length});</script></body>";
    let picture = page.0.with_extension("png");
    let seen = seen_with(browser, &page.0, &picture, script);
    let expected = serde_json::json!({"boxes": 8, "overlap": false, "wide": false, "before": 2, "after": 0, "hit": 6});
    assert_eq!(seen, expected);
    let bytes = std::fs::read(&picture).expect("there is a picture");
    assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 20_000, "{} bytes are no picture of a graph", bytes.len());
}

#[test]
fn an_execution_is_chosen_in_a_browser() {
    let Some(browser) = chromium() else { return };
    let page = Scratch::new("chosen.html", b"");
    run(&["litmus", "cases/litmus/x86/store-buffering.litmus", "--show", "all", "--html", page.path()]);
    // All at first, then the second alone; a set of events is named where its box is ticked.
    let script = "<script>\
        const shown = () => [...document.querySelectorAll('figure[data-execution]')].filter(f => f.style.display !== 'none').map(f => f.dataset.execution).join(' ');\
        const names = () => [...document.querySelectorAll('text[data-sets]')].map(t => t.textContent).join('');\
        const list = document.querySelector('select'), all = shown(), unnamed = names();\
        const choose = v => { list.value = v; list.dispatchEvent(new Event('change')); return shown(); };\
        const second = choose('1'), again = choose('');\
        const box = document.querySelector('input[data-set=W]'); box.click();\
        document.body.dataset.seen = JSON.stringify({all: all, second: second, again: again, named: names() !== unnamed});</script></body>";
    let seen = seen_with(browser, &page.0, &page.0.with_extension("png"), script);
    let expected = serde_json::json!({"all": "0 1 2 3", "second": "1", "again": "0 1 2 3", "named": true});
    assert_eq!(seen, expected);
}

/// What a script at the end of a page has seen.
fn seen_with(browser: &str, page: &Path, picture: &Path, script: &str) -> Value {
    let html = std::fs::read_to_string(page).expect("the page was written");
    std::fs::write(page, html.replace("</body>", script)).expect("the page can be changed");
    let document = render(browser, page, picture);
    let seen = document.split("data-seen=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    serde_json::from_str(&seen.replace("&quot;", "\"")).expect("the script ran")
}
