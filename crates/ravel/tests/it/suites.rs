//! Does `ravel bench` count rightly, and are task definitions followed?

use crate::process::{Scratch, complaint, root, run, text};
use std::path::Path;

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

#[test]
fn shards_count_what_one_run_counts() {
    let results = |name: &str| Scratch::new(name, b"");
    let (whole, one, two) = (results("whole.jsonl"), results("one.jsonl"), results("two.jsonl"));
    let bench = |file: &Scratch, more: &[&str]| {
        let mut words =
            vec!["bench", "examples", "--filter", "lost_update", "--engine", "bmc,explicit", "--results", file.path()];
        words.extend(more);
        let output = run(&words);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        text(&output)
    };
    // What took how long differs.
    let counts = |said: &str| {
        let table = said.lines().map(|line| line.rsplit_once(' ').map_or("", |(rest, _)| rest.trim_end()).to_string());
        let last = said.lines().last().and_then(|line| line.split(" in ").next()).unwrap_or_default().to_string();
        (table.take_while(|line| !line.is_empty()).take(3).collect::<Vec<_>>(), last)
    };
    let said = bench(&whole, &[]);
    bench(&one, &["--shard", "1/2"]);
    let merge = |files: &[&str]| run(&[&["bench", "merge"], files].concat());
    let partly = merge(&[one.path()]);
    assert_eq!(partly.status.code(), Some(3), "{}", text(&partly));
    let complaint = String::from_utf8_lossy(&partly.stderr).into_owned();
    assert!(complaint.contains("shard 2/2 lacks 4 of 4 answers"), "{complaint}");
    bench(&two, &["--shard", "2/2"]);
    let merged = merge(&[two.path(), one.path()]);
    assert_eq!(merged.status.code(), Some(0), "{}", text(&merged));
    assert_eq!(counts(&text(&merged)), counts(&said));
    // A line that was cut off is asked again, and nothing else.
    let bytes = std::fs::read(&whole.0).expect("it was written");
    std::fs::write(&whole.0, &bytes[..bytes.len() - 10]).expect("it can be written");
    assert_eq!(counts(&bench(&whole, &[])), counts(&said));
    let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().map(str::to_string).collect::<Vec<_>>();
    let again = lines(&std::fs::read(&whole.0).expect("it was written"));
    assert_eq!(again[..again.len() - 1], lines(&bytes)[..again.len() - 1], "what was there stays");
    // Results of other limits are none of this run.
    let output = run(&["bench", "examples", "--results", whole.path()]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let output = merge(&["examples/lost_update.c"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
}

/// Three threads add 1 to a cell, each by a read and a write; the sum at the end is not this.
fn lost_updates(sum: u32) -> Scratch {
    let program = format!(
        "#include <assert.h>\n#include <pthread.h>\nint x;\n\
         void *adds(void *arg) {{ for (int i = 0; i < 2; i++) {{ int r = x; x = r + 1; }} return 0; }}\n\
         int main(void) {{\n  pthread_t a, b, c;\n  pthread_create(&a, 0, adds, 0);\n  pthread_create(&b, 0, adds, 0);\n\
         \x20 pthread_create(&c, 0, adds, 0);\n  pthread_join(a, 0);\n  pthread_join(b, 0);\n  pthread_join(c, 0);\n\
         \x20 assert(x != {sum});\n  return 0;\n}}\n"
    );
    Scratch::new(&format!("adds-{sum}.c"), program.as_bytes())
}

#[test]
fn parts_of_a_question_are_put_together() {
    for (sum, result) in [(1, "RESULT: true"), (2, "RESULT: false(unreach-call)")] {
        let program = lost_updates(sum);
        let folder = program.0.with_extension("parts");
        let folder = folder.to_str().expect("plain names");
        let cut =
            ["verify", program.path(), "--property", "assert", "--bmc.hard", "1", "--cubes", "5", "--into", folder];
        let output = run(&cut);
        assert_eq!(output.status.code(), Some(3), "{}", text(&output));
        assert!(text(&output).contains("cut into 5 parts"), "{}", text(&output));
        // Nothing else of this machine is needed.
        std::fs::remove_file(&program.0).expect("it is there");
        let half = run(&["cubes", folder, "--shard", "1/2"]);
        if sum == 1 {
            assert_eq!(half.status.code(), Some(3), "{}", text(&half));
            assert!(text(&half).contains("2 of 5 parts have no answer yet"), "{}", text(&half));
        }
        let whole = run(&["cubes", folder, "--jobs", "2"]);
        assert_eq!(text(&whole).lines().last(), Some(result), "{}{}", text(&whole), complaint(&whole));
        if sum == 1 {
            // Who leaves a part out does not prove anything, and neither does who asks about another program.
            let task = Path::new(folder).join("task.json");
            let written = std::fs::read_to_string(&task).expect("it is there");
            let lines: Vec<&str> = written.lines().collect();
            let first = lines.iter().position(|line| line.contains("\"open\"")).expect("there are parts") + 1;
            let without: Vec<&str> =
                lines.iter().enumerate().filter(|(number, _)| *number != first).map(|(_, line)| *line).collect();
            std::fs::write(&task, without.join("\n")).expect("it can be written");
            std::fs::remove_dir_all(Path::new(folder).join("answers")).expect("it is there");
            std::fs::create_dir(Path::new(folder).join("answers")).expect("it can be made");
            let spoilt = run(&["cubes", folder]);
            assert_eq!(text(&spoilt).lines().last(), Some("RESULT: unknown"), "{}", text(&spoilt));
            assert!(text(&spoilt).contains("not all executions"), "{}", text(&spoilt));
            let text_of = std::fs::read_dir(folder).expect("it is there").flatten().map(|entry| entry.path());
            let preprocessed = text_of.into_iter().find(|path| path.extension().is_some_and(|end| end == "i"));
            std::fs::write(preprocessed.expect("there is one"), "int main(void) { return 0; }").expect("it can be");
            let other = run(&["cubes", folder]);
            assert_eq!(other.status.code(), Some(2), "{}", complaint(&other));
        }
    }
}
