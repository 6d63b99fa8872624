//! Does the command line answer about OOX programs as it says? Depths, orders, reports, suites, mistakes.

use crate::process::{Scratch, run, text};

const FOREVER: &[u8] = b"class Main {
    static void main(int x) { int i := 0; while (true) { i := i + 1; } }
    static void order(int x, int y) requires(x < y) { if (x > 0) { assert y > 1; } else { assert x < 5; } assert y == 7; }
}
";

#[test]
fn a_bounded_answer_is_no_proof() {
    let program = Scratch::new("forever.oox", FOREVER);
    let output = run(&["verify", program.path(), "--entry", "Main.main", "--depth", "50"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(text(&output).contains("RESULT: bounded(50)") && text(&output).contains("no proof"), "{}", text(&output));
    let output = run(&["verify", program.path(), "--entry", "Main.main", "--json"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!((&document["verdict"], &document["result"]), (&"bounded".into(), &"bounded(200)".into()));
}

#[test]
fn every_order_finds_the_same() {
    let program = Scratch::new("order.oox", FOREVER);
    for order in ["depth", "random", "distance", "mixed"] {
        let option = format!("--symbolic.order={order}");
        let output = run(&["verify", program.path(), "--entry=Main.order", &option]);
        let report = text(&output);
        assert!(report.contains("RESULT: false(unreach-call)"), "{order}: {report}");
        assert!(report.contains("the arguments: x = ") && report.contains("32 bits"), "{order}: {report}");
    }
}

#[test]
fn a_deadlock_says_who_holds_what() {
    let path = "cases/oox/thesis/exp5_philosophers_deadlock.oox";
    let report = text(&run(&["verify", path, "--entry=Philosophers.main", "--depth=150"]));
    for part in ["waits for the lock of Fork#", "holds", "waits in join", "RESULT: false(no-deadlock)"] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[test]
fn mistakes_are_told() {
    let program = Scratch::new("mistakes.oox", FOREVER);
    for (words, part) in [
        (&["--entry=Main.nothing"][..], "no method `Main.nothing`"),
        (&["--engine=explicit"][..], "OOX by the engine explicit; it is for symbolic"),
        (&["--property=race"][..], "OOX programs are checked for assertions, specifications and deadlocks, not for"),
    ] {
        let mut all = vec!["verify", program.path()];
        all.extend(words);
        let output = run(&all);
        assert!(text(&output).contains(part), "{words:?}: {}", text(&output));
    }
    let shown = run(&["show", program.path(), "--entry=Main.main"]);
    assert!(text(&shown).contains("method Main.order, 2 parameters"), "{}", text(&shown));
}

/// What the thesis leaves open: assumptions about input references and indices make steps independent, so that one order is enough.
#[test]
fn assumptions_make_steps_independent() {
    let paths = |file: &str, entry: &str, por: &str| {
        let (file, entry) = (format!("cases/oox/thesis/{file}.oox"), format!("--entry={entry}"));
        let por = format!("--por={por}");
        let output = run(&["verify", &file, &entry, &por, "--depth=60", "--symbolic.match=off", "--json", "-v"]);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        (document["verdict"].clone(), document["statistics"]["paths"].as_f64().expect("it is counted"))
    };
    for (file, entry) in [
        ("exp2_references_apart", "E1.main"),
        ("exp2_indices_apart", "E3.main"),
        ("exp2_indices_ordered", "E7.main"),
        ("exp2_locks_apart", "E5.main"),
    ] {
        assert_eq!(paths(file, entry, "monotonic"), ("safe".into(), 1.0), "{file}");
        let (verdict, n_paths) = paths(file, entry, "simple");
        assert!(verdict == "safe" && n_paths > 1.0, "{file}: {n_paths}");
    }
}

#[test]
fn programs_run_at_random() {
    let program = Scratch::new("random.oox", FOREVER);
    let output = run(&["run", program.path(), "--entry=Main.order", "--runs=50"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("goes wrong: an assertion fails"), "{}", text(&output));
    let output = run(&["run", program.path(), "--entry=Main.main", "--steps=90", "-v"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("90 steps, stopped at the step limit"), "{}", text(&output));
}

#[test]
fn long_loops_are_told_in_short() {
    let text_of =
        b"class Main { static void main() { int i := 0;\nwhile (i < 500) { i := i + 1; }\nassert i < 500; } }";
    let program = Scratch::new("loop.oox", text_of);
    let short = text(&run(&["verify", program.path(), "--depth=5000"]));
    assert!(
        short.contains("more (-v shows them)") && short.contains("i = 500") && !short.contains("i = 250"),
        "{short}"
    );
    let long = text(&run(&["verify", program.path(), "--depth=5000", "-v"]));
    assert!(long.contains("i = 250"), "{long}");
}

#[test]
fn suites_of_oox_are_counted() {
    let program = Scratch::new("suite.oox", FOREVER);
    let name = std::path::Path::new(program.path()).file_name().expect("it has one").to_str().expect("plain names");
    let list = format!("file,entry,depth,expected\n{name},Main.main,50,valid\n{name},Main.order,50,invalid\n");
    let suite = program.0.parent().expect("it is in a folder").join("suite.csv");
    std::fs::write(&suite, list).expect("the temporary folder can be written");
    let output = run(&["bench", suite.to_str().expect("plain names")]);
    assert!(text(&output).contains("correct 2, wrong 0, unknown 0, error 0"), "{}", text(&output));
}
