//! Do the rules of ARCHITECTURE.md ("What must stay true") hold? Those that the text of the tree shows.
//!
//! Each rule is a word that may not stand in some files, with the files that may have it, each for a reason that the rule names. Tests are left out.

use crate::process::root;
use cases::walk;
use std::path::PathBuf;

/// The crates that are libraries.
const LIBRARIES: [&str; 8] = ["logic", "ir", "smt", "memory", "engines", "report", "cases", "frontend"];

/// Engines by folder.
const ENGINES: [&str; 8] = ["explicit", "bmc", "cegar", "impact", "symbolic", "axiomatic", "declarative", "graphs"];

/// The lines of code below a folder of `crates/`, with their places. Tests and comments are left out.
fn lines(folder: &str) -> Vec<(String, String)> {
    let files = walk::files_below(&root().join("crates").join(folder), &["rs"]).expect("the folder is there");
    let is_test = |path: &PathBuf| path.components().any(|part| part.as_os_str().to_string_lossy().contains("tests"));
    let mut found = Vec::new();
    for path in files.iter().filter(|path| !is_test(path)) {
        let text = std::fs::read_to_string(path).expect("it can be read");
        let file = path.strip_prefix(root().join("crates")).expect("it is there").display().to_string();
        let code = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
        found.extend(code.map(|line| (file.clone(), line.split("//").next().unwrap_or("").to_string())));
    }
    assert!(found.len() > 500, "{folder}: only {} lines", found.len());
    found
}

/// The places where one of the words stands though it may not.
fn broken(folder: &str, words: &[String], allowed: &[&str]) -> Vec<String> {
    let has = |line: &str| words.iter().any(|word| line.contains(word.as_str()));
    let found = lines(folder).into_iter().filter(|(file, line)| has(line) && !allowed.contains(&file.as_str()));
    found.map(|(file, line)| format!("{file}: {}", line.trim())).collect()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

#[test]
fn libraries_leave_the_world_alone() {
    // The front end reads the files it is given and calls the preprocessor; `cases` reads suites, starts ravels and keeps their answers; two files read how much the process uses.
    let allowed = [
        "frontend/src/c/preprocess.rs",
        "frontend/src/c/preprocess/commands.rs",
        "frontend/src/c/preprocess/headers.rs",
        "frontend/src/c/preprocess/messages.rs",
        "frontend/src/oox/mod.rs",
        "frontend/src/litmus/mod.rs",
        "cases/src/journal.rs",
        "cases/src/suite.rs",
        "cases/src/task_file.rs",
        "cases/src/walk.rs",
        "cases/src/worker.rs",
        "smt/src/limits.rs",
        "engines/src/clock.rs",
    ];
    let world = words(&["std::fs", "std::env::", "std::process", "std::net", "println!", "eprintln!"]);
    for library in LIBRARIES {
        let found = broken(&format!("{library}/src"), &world, &allowed);
        assert!(found.is_empty(), "{found:#?}");
    }
    for file in allowed {
        assert!(root().join("crates").join(file).exists(), "{file} is gone; take it off the list");
    }
}

#[test]
fn engines_do_not_import_each_other() {
    for engine in ENGINES {
        let others: Vec<String> =
            ENGINES.iter().filter(|other| **other != engine).map(|other| format!("crate::{other}::")).collect();
        let found = broken(&format!("engines/src/{engine}"), &others, &[]);
        assert!(found.is_empty(), "{found:#?}");
    }
    let shared = ["explore", "abstraction", "certificate"];
    let engines: Vec<String> = ENGINES.iter().map(|engine| format!("crate::{engine}::")).collect();
    for folder in shared {
        let found = broken(&format!("engines/src/{folder}"), &engines, &[]);
        assert!(found.is_empty(), "what is shared must not know who shares it: {found:#?}");
    }
    let makers: Vec<String> = ["explore", "abstraction"].iter().map(|folder| format!("crate::{folder}::")).collect();
    let found = broken("engines/src/certificate", &makers, &[]);
    assert!(found.is_empty(), "who checks proofs shares nothing with who makes them: {found:#?}");
}

#[test]
fn reductions_ask_what_a_statement_touches() {
    // Which accesses are atomic, and in which order, is another question.
    let allowed = ["engines/src/explore/weak_order.rs", "engines/src/explore/robustness.rs"];
    let found = broken("engines/src/explore", &words(&["Op::Load", "Op::Store", "Op::Alloc"]), &allowed);
    assert!(found.is_empty(), "`ir::access` says what a statement touches: {found:#?}");
}

#[test]
fn libraries_have_no_global_state() {
    // When the process began, which never changes; and what the workers of one search share, which is a value like others.
    let allowed = ["engines/src/clock.rs", "engines/src/explicit/state/records.rs"];
    let state = ["static mut ", "thread_local!", "LazyLock", "OnceLock", "OnceCell", "lazy_static"];
    for library in LIBRARIES {
        let found = broken(&format!("{library}/src"), &words(&state), &allowed);
        assert!(found.is_empty(), "{found:#?}");
    }
}
