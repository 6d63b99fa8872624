//! Does `ravel bench` count rightly, and are task definitions followed?

use crate::process::{Scratch, root, run, text};

#[test]
fn a_suite_is_counted() {
    let root = root();
    let csv = format!(
        "task,property,expected\n{0}/examples/lost_update.c,unreach-call,false\n{0}/examples/lost_update_fixed.c,unreach-call,true\n\
         {0}/examples/lost_update_fixed.c,no-data-race,false\n{0}/cases/svcomp/large_input.c,unreach-call,true\n\
         {0}/cases/errors/undeclared.c,unreach-call,true\n",
        root.display()
    );
    let suite = Scratch::new("suite.csv", csv.as_bytes());
    // The engine that does not decide the fourth task.
    let output = run(&["bench", suite.path(), "--jobs", "2", "--engine", "explicit"]);
    let said = text(&output);
    let last = said.lines().last().expect("it says something");
    assert!(last.starts_with("correct 2, wrong 1, unknown 1, error 1, of 5 in "), "{said}");
    assert!(last.ends_with(" s"), "{said}");
    assert_eq!(output.status.code(), Some(1), "something is wrong");
    assert!(said.contains("ravel verify") && said.contains("--property=no-data-race"), "{said}");
}

#[test]
fn examples_are_a_suite() {
    let output = run(&["bench", "examples", "--filter", "peterson", "--each"]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.lines().last().is_some_and(|line| line.starts_with("correct 3, wrong 0, unknown 0, error 0, of 3")),
        "{said}"
    );
}

#[test]
fn a_task_definition_stands_for_its_files() {
    let program = root().join("examples/overflow.c");
    let property = Scratch::new("no-overflow.prp", b"CHECK( init(main()), LTL(G ! overflow) )\n");
    let task = format!(
        "format_version: '2.0'\ninput_files: '{}'\nproperties:\n  - property_file: '{}'\n    expected_verdict: false\noptions:\n  \
         language: C\n  data_model: LP64\n",
        program.display(),
        property.path()
    );
    let task = Scratch::new("task.yml", task.as_bytes());
    let output = run(&["verify", task.path()]);
    assert_eq!(text(&output).lines().last(), Some("RESULT: false(no-overflow)"), "{}", text(&output));
    let output = run(&["verify", "examples/overflow.c", "--prp", property.path()]);
    assert_eq!(text(&output).lines().last(), Some("RESULT: false(no-overflow)"), "{}", text(&output));
    let folder = task.0.parent().expect("it is in a folder").to_str().expect("plain names").to_string();
    let output = run(&["bench", &folder]);
    assert!(
        text(&output).lines().last().is_some_and(|line| line.starts_with("correct 1, wrong 0")),
        "{}",
        text(&output)
    );
}

#[test]
fn random_runs_find_the_lost_update() {
    let output = run(&["run", "examples/lost_update.c", "--runs", "500"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("counter: 0 → 1"), "{}", text(&output));
    let again = run(&["run", "examples/lost_update.c", "--runs", "500"]);
    assert_eq!(text(&output), text(&again), "the same seeds give the same runs");
}

#[test]
fn programs_can_be_shown() {
    let plain = run(&["show", "examples/lost_update.c"]);
    assert!(plain.status.success() && text(&plain).contains("counter"), "{}", text(&plain));
    let prepared = run(&["show", "examples/lost_update.c", "--prepared"]);
    assert!(prepared.status.success() && !prepared.stdout.is_empty());
    let dot = run(&["show", "examples/lost_update.c", "--dot"]);
    assert!(text(&dot).starts_with("digraph"), "{:.200}", text(&dot));
}
