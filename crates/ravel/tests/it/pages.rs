//! Can answers be handed on? Pages, SARIF logs, compilers' lines and JUnit files, as files that are whole or not there.

use crate::process::{Scratch, complaint, root, run, text};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A page about a program, in a folder of its own.
fn page(name: &str, words: &[&str]) -> (Scratch, String) {
    let file = Scratch::new(name, b"");
    let mut all = vec!["verify", "--report", file.path()];
    all.extend(words);
    let output = run(&all);
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{}{}", text(&output), complaint(&output));
    let page = std::fs::read_to_string(&file.0).expect("the page is there");
    (file, page)
}

/// The data that a page carries.
fn data(page: &str, id: &str) -> Value {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    let text = page.split(&start).nth(1).and_then(|rest| rest.split("</script>").next()).expect("the page has it");
    serde_json::from_str(text).expect("it is JSON")
}

#[test]
fn a_page_has_the_whole_answer() {
    let (_file, page) = page("race.html", &["examples/lost_update.c", "--engine", "explicit", "--property", "race"]);
    for words in ["<span class=\"verdict\">unsafe</span>", "locks held: none", "id=\"slider\"", "reference interpreter"]
    {
        assert!(page.contains(words), "{words}");
    }
    let answer = data(&page, "answer");
    assert_eq!(answer["result"], "false(no-data-race)");
    let details = answer["violation"]["details"].as_array().expect("both accesses");
    assert!(details.len() == 2 && details.iter().all(|detail| detail["name"] == "counter"), "{details:?}");
    // The text of the file is complete, comments and empty lines among it.
    let whole = std::fs::read_to_string(root().join("examples/lost_update.c")).expect("it is there");
    assert_eq!(data(&page, "files")[0]["lines"].as_array().map(Vec::len), Some(whole.lines().count()));
}

#[test]
fn pages_of_other_languages_and_verdicts() {
    let oox = ["cases/oox/language/locks.oox", "--entry", "Main.twice", "--depth", "60"];
    let (_file, deadlock) = page("oox.html", &oox);
    assert!(deadlock.contains("class=\"object\"") && deadlock.contains("waits for the lock"), "{deadlock}");
    let crossed = ["cases/oox/language/crossed_locks.oox", "--entry", "Main.both", "--depth", "200"];
    let (_file, circle) = page("circle.html", &crossed);
    assert!(circle.contains("aria-label=\"Who waits for whom\"") && circle.contains(">is held by</text>"), "{circle}");
    let (_file, safe) = page("safe.html", &["examples/bank_transfer_ordered.c", "--engine", "explicit"]);
    assert!(safe.contains("<span class=\"verdict\">safe</span>") && safe.contains("id=\"proof\""));
    let (_file, open) =
        page("open.html", &["examples/lost_update.c", "--engine", "explicit", "--explicit.max-depth", "2"]);
    assert!(open.contains("<span class=\"verdict\">unknown</span>"), "{open}");
}

#[test]
fn an_execution_under_axioms_is_drawn_as_a_graph() {
    let (_file, page) = page("graph.html", &["cases/axioms/ttas_relaxed.c", "--model", "rc11"]);
    for words in [
        "Who reads from whom",
        "the axioms of rc11 were evaluated",
        "sc forbids it",
        "class=\"arrow hit\"",
        "R[RLX] lock=0",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(page.contains("data-relation=\"rf\" checked") && !page.contains("data-relation=\"co\" checked"));
}

#[test]
fn a_place_that_cannot_be_written_is_said_before_the_work() {
    for option in ["--report", "--sarif"] {
        // A program that nobody decides in this time.
        let output = run(&["verify", "examples/lost_update.c", option, "/nowhere/at/all.out", "--time-limit", "none"]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains("/nowhere/at/all.out: cannot be written"), "{}", text(&output));
    }
    let witness =
        run(&["verify", "examples/lost_update.c", "--witness", "/nowhere/at/all.yml", "--time-limit", "none"]);
    assert!(witness.status.code() == Some(2) && text(&witness).contains("/nowhere/at/all.yml: cannot be written"));
    let own = run(&["verify", "examples/lost_update.c", "--report", "examples/lost_update.c"]);
    assert!(own.status.code() == Some(2) && text(&own).contains("this is an input"), "{}", text(&own));
    let same = Scratch::new("same.out", b"before");
    let twice = run(&["verify", "examples/lost_update.c", "--report", same.path(), "--sarif", same.path()]);
    assert!(twice.status.code() == Some(2) && text(&twice).contains("name the same file"), "{}", text(&twice));
    assert_eq!(std::fs::read(&same.0).expect("it is there"), b"before");
    let suite = run(&["bench", "examples/lost_update.c", "--junit", "/nowhere/at/all.xml"]);
    assert!(suite.status.code() == Some(2) && complaint(&suite).contains("cannot be written"), "{}", complaint(&suite));
}

#[test]
fn a_log_for_code_scanning_has_a_flow_for_each_thread() {
    let file = Scratch::new("race.sarif", b"");
    let output = run(&[
        "verify",
        "examples/lost_update.c",
        "--property",
        "race",
        "--engine",
        "explicit",
        "--sarif",
        file.path(),
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let log: Value = serde_json::from_slice(&std::fs::read(&file.0).expect("it is there")).expect("it is JSON");
    assert_eq!(log["version"], "2.1.0");
    let result = &log["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"no-data-race".into(), &"error".into()));
    assert_eq!(result["relatedLocations"].as_array().map(Vec::len), Some(2));
    let rule = result["ruleIndex"].as_u64().expect("it has one") as usize;
    assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][rule]["id"], "no-data-race");
    let flows = result["codeFlows"][0]["threadFlows"].as_array().expect("there are flows");
    assert_eq!(flows.len(), 3);
    let order = |flow: &Value| flow["locations"][0]["executionOrder"].as_u64();
    assert!(flows.iter().all(|flow| order(flow).is_some()), "{flows:?}");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "examples/lost_update.c");
    let safe = Scratch::new("safe.sarif", b"");
    run(&["verify", "examples/bank_transfer_ordered.c", "--sarif", safe.path()]);
    let log: Value = serde_json::from_slice(&std::fs::read(&safe.0).expect("it is there")).expect("it is JSON");
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn compilers_lines() {
    let output = run(&["verify", "examples/lost_update.c", "--property", "race", "--format", "gcc"]);
    let said = text(&output);
    let lines: Vec<&str> = said.lines().collect();
    let error = lines.iter().filter(|line| line.contains(": error: data race on counter")).count();
    let notes =
        lines.iter().filter(|line| line.starts_with("examples/lost_update.c:11:") && line.contains(": note: ")).count();
    assert!(error == 1 && notes == 2 && said.ends_with("RESULT: false(no-data-race)\n"), "{said}");
    let wrong = Scratch::new("wrong.c", b"int main(void) { return }\n");
    let said = text(&run(&["verify", wrong.path(), "--format", "gcc"]));
    assert!(said.starts_with(&format!("{}:1:", wrong.path())) && said.contains(": error: "), "{said}");
}

#[test]
fn a_suite_as_tests_of_junit() {
    let file = Scratch::new("suite.xml", b"");
    let output = run(&["bench", "examples/lost_update.c", "--junit", file.path()]);
    let xml = std::fs::read_to_string(&file.0).expect("it is there");
    assert!(
        xml.contains("failures=\"0\" errors=\"0\"") && xml.contains("<testcase name=\"lost_update.c"),
        "{xml}{}",
        text(&output)
    );
}

#[test]
fn a_witness_leads_back_to_its_violation() {
    let program = "examples/lost_update.c";
    for property in ["assert", "race"] {
        let file = Scratch::new("witness.yml", b"");
        let output =
            run(&["verify", program, "--property", property, "--engine", "explicit", "--witness", file.path()]);
        assert_eq!(output.status.code(), Some(1), "{}{}", text(&output), complaint(&output));
        let checked = run(&["witness", "check", file.path(), "--program", program]);
        assert!(text(&checked).ends_with("RESULT: confirmed\n"), "{}{}", text(&checked), complaint(&checked));
        let other = run(&["witness", "check", file.path(), "--program", "examples/lost_update_fixed.c"]);
        assert!(
            other.status.code() == Some(2) && complaint(&other).contains("another program"),
            "{}",
            complaint(&other)
        );
        let whole = std::fs::read_to_string(&file.0).expect("it is there");
        // The program goes wrong, but not there.
        let (way, target) = whole.rsplit_once("line: ").expect("the last line is the target's");
        let elsewhere = format!("{way}line: 22{}", target.trim_start_matches(|c: char| c.is_ascii_digit()));
        std::fs::write(&file.0, elsewhere).expect("it can be written");
        let moved = run(&["witness", "check", file.path(), "--program", program]);
        assert_eq!(moved.status.code(), Some(3), "{}{}", text(&moved), complaint(&moved));
        std::fs::write(&file.0, &whole[..whole.len() / 2]).expect("it can be written");
        let cut = run(&["witness", "check", file.path(), "--program", program]);
        assert_eq!(cut.status.code(), Some(2), "{}{}", text(&cut), complaint(&cut));
    }
    let graph = Scratch::new("witness.graphml", b"");
    run(&["verify", program, "--property", "assert", "--engine", "explicit", "--witness", graph.path()]);
    let text_of = std::fs::read_to_string(&graph.0).expect("it is there");
    assert!(text_of.contains("<data key=\"createThread\">2</data>"), "{text_of}");
    let oox = ["verify", "cases/oox/language/locks.oox", "--entry", "Main.twice", "--witness", "/tmp/never.yml"];
    let refused = run(&oox);
    assert!(refused.status.code() == Some(2) && text(&refused).contains("no form of witnesses"), "{}", text(&refused));
}

#[test]
fn a_false_witness_is_not_confirmed() {
    let program = "examples/lost_update_fixed.c";
    let file = Scratch::new("true.yml", b"");
    run(&["verify", program, "--property", "assert", "--engine", "cegar", "--witness", file.path()]);
    let honest = std::fs::read_to_string(&file.0).expect("it is there");
    let claim = "  content:\n  - segment:\n    - waypoint: {type: target, action: follow, location: {file_name: x.c, line: 24}}\n";
    let (before, _) = honest.split_once("  content:").expect("it has content");
    let lie = before.replace("invariant_set", "violation_sequence") + claim;
    std::fs::write(&file.0, lie).expect("it can be written");
    let checked = run(&["witness", "check", file.path(), "--program", program]);
    assert!(checked.status.code() == Some(3) && text(&checked).ends_with("RESULT: unknown\n"), "{}", text(&checked));
}

/// A browser without a window, if there is one.
fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.exists())
}

/// The document of a page after its script has run, and what the browser complains about.
fn opened(browser: &PathBuf, address: &str) -> (String, String) {
    // Two browsers at a time must not share one.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let profile = Scratch::new(&format!("profile-{}", COUNT.fetch_add(1, Ordering::Relaxed)), b"");
    let folder = profile.0.parent().expect("it is in a folder").join("chromium");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--virtual-time-budget=3000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", folder.display()))
        .arg(address)
        .output()
        .expect("the browser can be started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let complaints: Vec<&str> = said.lines().filter(|line| line.contains("CONSOLE")).collect();
    (String::from_utf8_lossy(&output.stdout).into_owned(), complaints.join("\n"))
}

/// Counts so often that the execution has more than twenty thousand steps.
const LONG: &[u8] = b"#include <assert.h>\n#include <pthread.h>\nint n, m;\npthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nvoid *work(void *p) {\n  for (int i = 0; i < 4100; i++) {\n    pthread_mutex_lock(&lock);\n    n = n + 1;\n    m = n * 2;\n    pthread_mutex_unlock(&lock);\n  }\n  return p;\n}\nint main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, work, 0);\n  pthread_join(t, 0);\n  assert(n != 4100);\n}\n";

#[test]
fn twenty_thousand_steps_are_no_burden() {
    let program = Scratch::new("long.c", LONG);
    let (file, page) = page("long.html", &[program.path(), "--engine", "explicit", "--property", "assert"]);
    assert!(data(&page, "answer")["trace"].as_array().is_some_and(|trace| trace.len() > 20_000));
    assert!(page.len() < 8 << 20, "{} bytes", page.len());
    let Some(browser) = browser() else {
        eprintln!("skipped: there is no Chromium to open the page in");
        return;
    };
    // To the end, back, to the middle and back: what is known there does not depend on the way.
    let reader = "<script>const press=(key)=>document.dispatchEvent(new KeyboardEvent('keydown',{key}));const seen=[];\
        const see=()=>seen.push(ravel.step()+'/'+[...document.querySelectorAll('#state td')].map((cell)=>cell.textContent).join('|').length);\
        ravel.show(9999);see();press('End');press('ArrowLeft');ravel.show(10000);press('ArrowLeft');see();\
        document.title=(seen[0]===seen[1])+' '+seen[0].split('/')[0]+' '+(document.querySelectorAll('*').length<3000);</script>";
    std::fs::write(&file.0, page.replace("</body>", &format!("{reader}</body>"))).expect("it can be written");
    let (shown, complaints) = opened(&browser, &format!("file://{}", file.path()));
    assert_eq!(complaints, "");
    let title = shown.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    assert_eq!(title, Some("true 9999 true"));
}

#[test]
fn stepping_changes_what_a_browser_shows() {
    let Some(browser) = browser() else {
        eprintln!("skipped: there is no Chromium to open the page in");
        return;
    };
    let (file, page) = page("steps.html", &["examples/lost_update.c", "--engine", "explicit", "--property", "assert"]);
    // A reader who presses a key, clicks a button and a row.
    let reader = "<script>const press=(key)=>document.dispatchEvent(new KeyboardEvent('keydown',{key}));const seen=[];\
        const see=()=>seen.push(ravel.step()+'/'+document.querySelectorAll('tr.now').length+'/'+document.querySelectorAll('.l.here').length);\
        see();press('ArrowRight');see();press('End');see();document.getElementById('back').click();see();\
        document.querySelector('tr[data-step=\"2\"]').click();see();document.title=seen.join(' ');</script>";
    std::fs::write(&file.0, page.replace("</body>", &format!("{reader}</body>"))).expect("it can be written");
    let (shown, complaints) = opened(&browser, &format!("file://{}", file.path()));
    assert_eq!(complaints, "");
    assert!(shown.contains("<title>0/1/1 1/1/1 9/1/1 8/1/1 2/1/1</title>"), "{shown}");
    let (shown, complaints) = opened(&browser, &format!("file://{}#step-6", file.path()));
    assert!(complaints.is_empty() && shown.contains("class=\"ch\""), "{complaints}");
}
