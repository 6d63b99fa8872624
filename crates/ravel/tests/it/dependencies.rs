//! May we use what we use? Licences, origins and versions of dependencies, and the oldest compiler that builds them.
//!
//! What `cargo metadata` and `Cargo.lock` say is compared with short lists. The network is not asked, so advisories are not looked at here.

use crate::process::root;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Licences under which a dependency may be used.
const LICENCES: [&str; 7] = ["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "Unicode-3.0", "Unlicense", "Zlib"];

/// Crates that are there in two versions which do not replace each other, each with the reason.
const TWICE: [(&str, &str); 3] = [
    ("getrandom", "proptest needs an older one than tempfile; tests only"),
    ("r-efi", "of getrandom, on a platform of its own; never built here"),
    ("syn", "of macros for other platforms; never built here"),
];

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// What cargo knows of all crates that are built on this machine.
fn metadata() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let run = |words: &[&str]| {
        let output = Command::new(&cargo).args(words).current_dir(root()).output().expect("cargo can be started");
        assert!(output.status.success(), "cargo {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let about = run(&["--version", "--verbose"]);
    // Those of other machines are not downloaded.
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).expect("cargo names the machine");
    let text = run(&["metadata", "--offline", "--locked", "--format-version=1", "--filter-platform", host]);
    serde_json::from_str(&text).expect("cargo writes JSON")
}

fn packages(metadata: &Value) -> &[Value] {
    metadata["packages"].as_array().expect("there are packages")
}

/// Name, version and source of all crates of `Cargo.lock`, those of other machines among them.
fn locked() -> Vec<(String, String, Option<String>)> {
    let text = std::fs::read_to_string(root().join("Cargo.lock")).expect("it is committed");
    let field = |part: &str, name: &str| {
        let line = part.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
        line.map(|value| value.trim_matches('"').to_string())
    };
    let parts = text.split("[[package]]").skip(1);
    parts
        .map(|part| {
            let (name, version) = (field(part, "name"), field(part, "version"));
            (name.expect("it has one"), version.expect("it has one"), field(part, "source"))
        })
        .collect()
}

/// Whether an SPDX expression, in which OR binds less than AND, leaves us a choice that we accept. A slash is an old word for OR.
fn is_accepted(licence: &str) -> bool {
    let spaced = licence.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    either(&words, &mut at) && at == words.len()
}

fn either(words: &[&str], at: &mut usize) -> bool {
    let mut is_fine = both(words, at);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        is_fine |= both(words, at);
    }
    is_fine
}

fn both(words: &[&str], at: &mut usize) -> bool {
    let mut is_fine = one(words, at);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        is_fine &= one(words, at);
    }
    is_fine
}

fn one(words: &[&str], at: &mut usize) -> bool {
    let word = words.get(*at).copied().unwrap_or_default();
    *at += 1;
    if word == "(" {
        let is_fine = either(words, at);
        *at += 1;
        return is_fine;
    }
    if words.get(*at) == Some(&"WITH") {
        // An exception allows more, but is not on the list.
        *at += 2;
        return false;
    }
    LICENCES.contains(&word)
}

#[test]
fn licences_are_judged() {
    for good in ["MIT", "GPL-3.0 OR MIT", "Unlicense/GPL-3.0", "(GPL-3.0 OR MIT) AND BSD-3-Clause", "X WITH y OR MIT"] {
        assert!(is_accepted(good), "{good}");
    }
    for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "GPL-3.0 OR MIT AND LGPL-2.1", "Apache-2.0 WITH LLVM-exception"] {
        assert!(!is_accepted(bad), "{bad}");
    }
}

#[test]
fn licences_are_on_the_list() {
    let metadata = metadata();
    assert!(packages(&metadata).len() > 20, "all dependencies are looked at");
    for package in packages(&metadata) {
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_accepted(licence), "{}: its licence `{licence}` is not on the list", package["name"]);
    }
}

#[test]
fn dependencies_come_by_name_and_once() {
    let mut lines: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, version, source) in locked() {
        assert!(source.is_none() || source.as_deref() == Some(CRATES_IO), "{name} comes from {source:?}");
        // Versions that replace each other have the same first number that is not zero.
        let parts: Vec<&str> = version.split('.').collect();
        let n = parts.iter().position(|part| *part != "0").unwrap_or(2) + 1;
        lines.entry(name).or_default().insert(parts[..n].join("."));
    }
    for (name, versions) in &lines {
        let is_known = TWICE.iter().any(|(known, _)| known == name);
        assert!(versions.len() == 1 || is_known, "{name} is there in versions {versions:?}");
    }
    for (name, _) in TWICE {
        assert!(
            lines.get(name).is_some_and(|versions| versions.len() > 1),
            "{name} is there once; take it off the list"
        );
    }
}

#[test]
fn the_oldest_compiler_is_the_same_everywhere() {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).expect("it is there");
    let manifest = read("Cargo.toml");
    let line = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    let oldest = line.expect("the workspace names its oldest compiler").trim_matches('"');
    // Clippy reports what is newer than this (`incompatible_msrv`), if the crate says so.
    let metadata = metadata();
    let own = packages(&metadata).iter().filter(|package| package["source"].is_null());
    for package in own {
        assert_eq!(package["rust_version"].as_str(), Some(oldest), "{}", package["name"]);
    }
    for (file, phrase) in
        [("README.md", format!("Rust ({oldest} or newer)")), ("Makefile", format!("Rust {oldest} or newer"))]
    {
        assert!(read(file).contains(&phrase), "{file} does not say `{phrase}`");
    }
    let number = |version: &str| version.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u32>>();
    for package in packages(&metadata) {
        if let Some(needed) = package["rust_version"].as_str() {
            assert!(number(needed)[..2] <= number(oldest)[..2], "{} needs Rust {needed}", package["name"]);
        }
    }
}
