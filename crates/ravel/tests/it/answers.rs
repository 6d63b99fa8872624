//! Can an answer be used? Run again, summed up, taken with its bound, checked by others; and is all there that an installed program needs.

use crate::process::{Scratch, complaint, run, text};
use serde_json::Value;
use std::process::Command;

/// What `verify --json` prints, in a file.
fn kept(name: &str, words: &[&str]) -> (Scratch, Value) {
    let mut all = vec!["verify", "--json"];
    all.extend(words);
    let output = run(&all);
    let file = Scratch::new(name, &output.stdout);
    (file, serde_json::from_str(&text(&output)).expect("it is JSON"))
}

#[test]
fn an_execution_runs_again() {
    for (name, words) in [
        ("assert.json", &["examples/lost_update.c", "--property", "assert"][..]),
        ("race.json", &["examples/lost_update.c", "--property", "race"]),
        ("deadlock.json", &["cases/pthread/self_deadlock.c", "--property", "deadlock"]),
        ("freed.json", &["cases/stories/freed_node.c", "--property", "memsafety"]),
    ] {
        let (file, answer) = kept(name, words);
        assert_eq!(answer["verdict"], "unsafe", "{name}");
        let again = run(&["replay", file.path()]);
        assert_eq!(again.status.code(), Some(0), "{name}: {}", complaint(&again));
        let message = answer["violation"]["message"].as_str().expect("it has one");
        assert!(text(&again).ends_with(&format!("it goes wrong again: {message}\n")), "{}", text(&again));
        let explained = run(&["explain", file.path()]);
        assert!(explained.status.success() && text(&explained).starts_with("In short\n"), "{}", complaint(&explained));
        assert_eq!(answer["explanation"].as_array().map(Vec::len), Some(3), "{name}");
    }
}

#[test]
fn what_is_no_trace_is_refused() {
    let (file, _) = kept("whole.json", &["examples/lost_update.c", "--property", "assert"]);
    let (safe, _) = kept("safe.json", &["examples/lost_update_fixed.c", "--engine", "explicit"]);
    let whole = std::fs::read_to_string(&file.0).expect("it is there");
    let cut = Scratch::new("cut.json", &whole.as_bytes()[..whole.len() / 2]);
    let steps = whole.replace("\"0 ", "\"zero ");
    let garbled = Scratch::new("garbled.json", steps.as_bytes());
    let shorter = Scratch::new("shorter.json", &without_last_step(&whole));
    for (words, code, said) in [
        (&["replay", cut.path()][..], 2, "or not all of it"),
        (&["replay", "README.md"], 2, "no answer of"),
        (&["replay", "/nowhere/at/all.json"], 2, "cannot be read"),
        (&["replay", safe.path()], 2, "it has no execution: the result is true"),
        (&["replay", garbled.path()], 2, "of the schedule cannot be read"),
        (&["replay", file.path(), "--program", "examples/lost_update_fixed.c"], 2, "the trace of another program"),
        (&["explain", file.path(), "--program", "/nowhere.c"], 2, "--program says where it is"),
        (&["replay", shorter.path()], 3, "it does not go wrong again"),
    ] {
        let output = run(words);
        let all = text(&output) + &complaint(&output);
        assert!(output.status.code() == Some(code) && all.contains(said), "{words:?}: {all}");
    }
}

/// An answer whose schedule ends one step too early.
fn without_last_step(whole: &str) -> Vec<u8> {
    let mut answer: Value = serde_json::from_str(whole).expect("it is JSON");
    answer["replay"]["schedule"].as_array_mut().expect("it has one").pop();
    answer.to_string().into_bytes()
}

#[test]
fn executions_are_told_with_few_changes_of_threads() {
    for program in ["examples/lost_update.c", "cases/stories/lost_wakeup.c", "cases/stories/failed_exchange.c"] {
        let (_, found) = kept("found.json", &[program, "--engine", "explicit", "--as-found", "--property", "basic"]);
        let (_, short) = kept("short.json", &[program, "--engine", "explicit", "--property", "basic"]);
        assert_eq!((&found["result"], &found["violation"]["place"]), (&short["result"], &short["violation"]["place"]));
        let count = |name: &str| short["statistics"][name].as_f64().expect("it is counted");
        assert!(count("context switches") <= count("context switches found"), "{program}");
        assert!(found["statistics"]["context switches"].is_null(), "nobody has looked");
    }
}

#[test]
fn a_bounded_answer_says_so_and_is_never_safe() {
    let program = b"#include <assert.h>\nint __VERIFIER_nondet_int(void);\nint main(void) {\n  int x = 0;\n  while (__VERIFIER_nondet_int())\n    x = x < 1000 ? x + 1 : x;\n  assert(x <= 999);\n}\n";
    let file = Scratch::new("bounded.c", program);
    let page = Scratch::new("bounded.html", b"");
    let words =
        ["verify", file.path(), "--engine", "bmc", "--unwind", "3", "--property", "assert", "--report", page.path()];
    let output = run(&words);
    let said = text(&output);
    assert!(output.status.code() == Some(3) && said.ends_with("RESULT: unknown\n"), "{said}");
    let sentence = "no assertion failure with every loop up to 3 rounds; loop at";
    assert!(said.contains(sentence) && said.replace('\n', " ").contains("needs more"), "{said}");
    let page = std::fs::read_to_string(&page.0).expect("it is there");
    assert!(page.contains(sentence), "the page says it, too");
    let (_, answer) = kept("bounded.json", &[file.path(), "--engine", "bmc", "--unwind", "3", "--property", "assert"]);
    assert_eq!((&answer["verdict"], &answer["bounded"]["rounds"]), (&"unknown".into(), &3.into()));
    assert_eq!(answer["bounded"]["checked"], serde_json::json!(["assertion failure"]));
    assert!(answer["bounded"]["open"].as_str().is_some_and(|open| open.ends_with("bounded.c:5")), "{answer}");
    for (code, is_accepted) in [("7", true), ("0", false), ("1", false), ("3", false), ("101", false)] {
        let output = run(&[&words[..8], &["--bounded", code]].concat());
        let expected = if is_accepted { 7 } else { 2 };
        assert_eq!(output.status.code(), Some(expected), "{code}");
    }
    let depth = ["verify", "cases/oox/language/locks.oox", "--entry", "Main.twice", "--depth", "3", "--bounded", "7"];
    assert_eq!(run(&depth).status.code(), Some(7));
    let decided = run(&["verify", "examples/lost_update.c", "--bounded", "7"]);
    assert_eq!(decided.status.code(), Some(1), "a verdict keeps its code");
}

#[test]
fn what_an_installed_program_needs() {
    let version = text(&run(&["--version"]));
    assert!(version.starts_with("ravel ") && version.lines().count() == 1, "{version}");
    assert!(version.contains("CaDiCaL ") && version.contains("Z3 "), "{version}");
    let doctor = run(&["doctor"]);
    assert!(doctor.status.code() == Some(0) && text(&doctor).ends_with("all is there\n"), "{}", text(&doctor));
    let mut ill = crate::process::ravel(&["doctor"]);
    let ill = ill.env("CC", "/nowhere/cc").output().expect("ravel can be started");
    assert!(ill.status.code() == Some(1) && text(&ill).contains("MISSING  C compiler"), "{}", text(&ill));
    for (words, title) in [(&["man"][..], ".TH ravel 1"), (&["man", "verify"], ".TH ravel-verify 1")] {
        let page = run(words);
        assert!(page.status.success() && text(&page).contains(title), "{}", text(&page));
        let file = Scratch::new("page.1", &page.stdout);
        match Command::new("man").args(["-l", file.path()]).env("MANPAGER", "cat").output() {
            Ok(shown) => assert!(shown.status.success() && text(&shown).contains("NAME"), "{}", complaint(&shown)),
            Err(_) => eprintln!("skipped: there is no man to show the page"),
        }
    }
    assert_eq!(run(&["man", "nobody"]).status.code(), Some(2));
    let completions = Scratch::new("ravel.bash", &run(&["completions", "bash"]).stdout);
    let script = format!("source {} && complete -p ravel", completions.path());
    match Command::new("bash").args(["-c", &script]).output() {
        Ok(known) => assert!(text(&known).contains("_ravel ravel"), "{}", complaint(&known)),
        Err(_) => eprintln!("skipped: there is no bash to read the completions"),
    }
    for shell in ["zsh", "fish"] {
        assert!(text(&run(&["completions", shell])).contains("second-opinion"), "{shell}");
    }
}

/// A loop whose invariant a proof must find.
const COUNTING: &[u8] = b"#include <assert.h>\nvoid reach_error(void) { assert(0); }\nint main(void) {\n  int x = 0;\n  while (x < 100) {\n    x = x + 1;\n  }\n  if (x != 100) reach_error();\n}\n";

#[test]
fn invariants_of_a_witness_are_checked() {
    let program = Scratch::new("counting.c", COUNTING);
    let witness = Scratch::new("counting.yml", b"");
    let verify = ["verify", program.path(), "--property", "reach", "--engine", "cegar", "--witness", witness.path()];
    assert_eq!(run(&verify).status.code(), Some(0));
    let own = std::fs::read_to_string(&witness.0).expect("it is there");
    let (head, _) = own.split_once("  content:").expect("it has content");
    let head = head.to_string();
    let claim = |kind: &str, line: u32, column: u32, value: &str| {
        format!(
            "  - invariant:\n      type: {kind}\n      location: {{file_name: counting.c, line: {line}, column: {column}}}\n      value: \"{value}\"\n      format: c_expression\n"
        )
    };
    let check = |content: &str| {
        std::fs::write(&witness.0, format!("{head}  content:\n{content}")).expect("it can be written");
        let output = run(&["witness", "check", witness.path(), "--program", program.path()]);
        (output.status.code(), text(&output) + &complaint(&output))
    };
    std::fs::write(&witness.0, &own).expect("it can be written");
    let output = run(&["witness", "check", witness.path(), "--program", program.path()]);
    assert!(text(&output).ends_with("RESULT: confirmed\n"), "{}{}", text(&output), complaint(&output));
    let (code, said) =
        check(&(claim("loop_invariant", 5, 3, "x >= 0 && x <= 100") + &claim("location_invariant", 6, 5, "x < 100")));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("holds: loop at line 5") && said.contains("holds: location at line 6"), "{said}");
    let (code, said) = check(&(claim("loop_invariant", 5, 3, "x >= 0") + &claim("loop_invariant", 5, 3, "x < 50")));
    assert!(code == Some(1) && said.contains("DOES NOT HOLD: loop at line 5: x < 50"), "{said}");
    assert!(said.ends_with("RESULT: refuted\n"), "{said}");
    let (code, said) = check(&claim("loop_invariant", 5, 3, "reach_error()"));
    assert!(code == Some(3) && said.contains("not checked: calls"), "{said}");
    let (code, said) = check(&claim("ghost_invariant", 5, 3, "1"));
    assert!(code == Some(2) && said.contains("ghost_invariant"), "{said}");
}

#[test]
fn a_graph_leads_back_to_its_violation() {
    let program = "examples/lost_update.c";
    for property in ["assert", "race"] {
        let file = Scratch::new("witness.graphml", b"");
        let verify = ["verify", program, "--property", property, "--engine", "explicit", "--witness", file.path()];
        assert_eq!(run(&verify).status.code(), Some(1));
        let checked = run(&["witness", "check", file.path(), "--program", program]);
        assert!(text(&checked).ends_with("RESULT: confirmed\n"), "{}{}", text(&checked), complaint(&checked));
        let other = run(&["witness", "check", file.path(), "--program", "examples/lost_update_fixed.c"]);
        assert!(other.status.code() == Some(2) && complaint(&other).contains("another program"));
        let whole = std::fs::read(&file.0).expect("it is there");
        std::fs::write(&file.0, &whole[..whole.len() / 2]).expect("it can be written");
        assert_eq!(run(&["witness", "check", file.path(), "--program", program]).status.code(), Some(2));
    }
}

const GUARDED: &[u8] = b"#include <pthread.h>\nvoid reach_error(void) {}\nint used = 0;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nvoid *worker(void *arg) {\n  while (1) {\n    pthread_mutex_lock(&m);\n    used = 1;\n    used = 0;\n    pthread_mutex_unlock(&m);\n  }\n}\nint main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, worker, 0);\n  while (1) {\n    pthread_mutex_lock(&m);\n    if (used != 0) reach_error();\n    pthread_mutex_unlock(&m);\n  }\n}\n";

#[test]
fn a_witness_speaks_of_locks_by_ghosts() {
    let program = Scratch::new("guarded.c", GUARDED);
    let witness = Scratch::new("guarded.yml", b"");
    let verify = ["verify", program.path(), "--property", "reach", "--engine", "cegar", "--witness", witness.path()];
    assert_eq!(run(&verify).status.code(), Some(0));
    let own = std::fs::read_to_string(&witness.0).expect("it is there");
    assert!(own.contains("ghost_instrumentation") && own.contains("m_locked != 0"), "{own}");
    let check = |text_of: &str| {
        std::fs::write(&witness.0, text_of).expect("it can be written");
        let output = run(&["witness", "check", witness.path(), "--program", program.path()]);
        (output.status.code(), text(&output) + &complaint(&output))
    };
    let (code, said) = check(&own);
    assert!(code == Some(0) && said.ends_with("RESULT: confirmed\n"), "{said}");
    // A ghost that the worker does not set says something else.
    let (code, said) = check(&own.replacen("value: \"1\"", "value: \"0\"", 1));
    assert!(code == Some(1) && said.contains("DOES NOT HOLD"), "{said}");
    let (code, said) = check(&own.replace("line: 7\n", "line: 8\n"));
    assert!(code == Some(2) && said.contains("the update of ghosts at line 8 is not supported"), "{said}");
}
