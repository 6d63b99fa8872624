//! Is the tree as the documents say? Heads and lengths of files, folders of at most a dozen, crates and who may use whom, pages that must exist.

use crate::process::{root, run, text};
use cases::walk;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Lines of code, tests not counted, beyond which a file should be split.
const MAX_LINES: usize = 600;

/// Files of code in a folder, beyond which it should be split by field.
const MAX_FILES: usize = 12;

fn sources() -> Vec<PathBuf> {
    walk::files_below(&root().join("crates"), &["rs"]).expect("the crates are there")
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).expect("it is in the workspace").to_string_lossy().into_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_file_says_what_it_is_for() {
    let bare: Vec<String> = sources()
        .iter()
        .filter(|path| !path.components().any(|part| part.as_os_str() == "tests") && !path.ends_with("tests.rs"))
        .filter(|path| !read(path).starts_with("//!"))
        .map(|path| relative(path))
        .collect();
    assert!(bare.is_empty(), "these files do not start with `//!`: {bare:#?}");
}

#[test]
fn files_are_short() {
    let mut long = Vec::new();
    for path in sources() {
        let name = relative(&path);
        if name.ends_with("tests.rs") || name.contains("/tests/") {
            continue;
        }
        let text = read(&path);
        let n_lines = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count();
        if n_lines > MAX_LINES {
            long.push(format!("{name}: {n_lines} lines"));
        }
    }
    assert!(long.is_empty(), "split these: {long:#?}");
}

#[test]
fn folders_are_small() {
    let mut counts: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for path in sources() {
        *counts.entry(path.parent().expect("a file is in a folder").to_path_buf()).or_default() += 1;
    }
    assert!(counts.len() > 20, "only {} folders", counts.len());
    let large: Vec<String> = counts
        .iter()
        .filter(|(_, count)| **count > MAX_FILES)
        .map(|(folder, count)| format!("{}: {count} files", relative(folder)))
        .collect();
    assert!(large.is_empty(), "group these by field: {large:#?}");
}

#[test]
fn no_stubs_and_no_switched_off_tests() {
    let words = ["todo", "unimplemented"].map(|word| format!("{word}!("));
    let ignored = format!("#[{}", "ignore");
    let found: Vec<String> = sources()
        .iter()
        .filter(|path| words.iter().chain([&ignored]).any(|word| read(path).contains(word.as_str())))
        .map(|path| relative(path))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// The rows of the table of crates in ARCHITECTURE.md: crate, and whom it may use.
fn allowed() -> BTreeMap<String, BTreeSet<String>> {
    let text = read(&root().join("ARCHITECTURE.md"));
    let mut allowed = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_string).collect::<BTreeSet<String>>();
        if let [name, _, uses] = cells.as_slice() {
            for name in names(name) {
                allowed.insert(name, names(uses));
            }
        }
    }
    allowed
}

#[test]
fn crates_are_as_the_architecture_says() {
    let allowed = allowed();
    let folders = std::fs::read_dir(root().join("crates")).expect("the crates are there");
    let crates: BTreeSet<String> = folders
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.join("Cargo.toml").exists())
        .map(|path| path.file_name().expect("it has a name").to_string_lossy().into_owned())
        .collect();
    let documented: BTreeSet<String> = allowed.keys().cloned().collect();
    assert_eq!(crates, documented, "the table of crates in ARCHITECTURE.md");
    for name in &crates {
        let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
        let dependencies =
            manifest.split("[dev-dependencies]").next().unwrap_or("").split("[dependencies]").nth(1).unwrap_or("");
        let used: BTreeSet<String> = dependencies
            .lines()
            .filter_map(|line| line.split(['.', ' ', '=']).next())
            .filter(|word| crates.contains(*word))
            .map(str::to_string)
            .collect();
        let extra: Vec<&String> = used.difference(&allowed[name]).collect();
        assert!(extra.is_empty(), "{name} uses {extra:?}, which ARCHITECTURE.md does not allow");
    }
}

#[test]
fn every_engine_has_a_page() {
    assert!(engines::all().len() > 4);
    for about in engines::all() {
        let page = root().join("docs/engines").join(format!("{}.md", about.name));
        assert!(page.exists(), "{} is missing", relative(&page));
        assert!(about.knobs.len() <= 10, "{} has too many knobs", about.name);
    }
}

#[test]
fn documents_are_there_and_short() {
    for name in [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "LICENSE",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "Makefile",
        ".ci/run",
    ] {
        assert!(root().join(name).exists(), "{name} is missing");
    }
    let architecture = read(&root().join("ARCHITECTURE.md"));
    assert!(architecture.lines().count() <= 200, "ARCHITECTURE.md has more than 200 lines");
}

#[test]
fn the_commands_of_the_readme_exist() {
    let readme = read(&root().join("README.md"));
    let commands = text(&run(&["--help"]));
    let mut n_found = 0;
    for line in readme.lines().filter(|line| line.trim_start_matches("$ ").starts_with("ravel ")) {
        let mut words = line.trim_start_matches("$ ").split_whitespace().skip(1);
        let command = words.next().expect("a command follows");
        if command.starts_with('-') {
            continue;
        }
        assert!(commands.contains(&format!("  {command}")), "README mentions `ravel {command}`");
        let help = text(&run(&[command, "--help"]));
        for option in words.filter(|word| word.starts_with("--")) {
            let option = option.split('=').next().unwrap_or(option);
            assert!(help.contains(option), "README mentions `ravel {command} {option}`");
        }
        n_found += 1;
    }
    assert!(n_found >= 2, "README shows fewer than two commands");
}

#[test]
fn every_dependency_has_a_reason() {
    let contributing = read(&root().join("CONTRIBUTING.md"));
    let manifests = walk::files_below(&root().join("crates"), &["toml"]).expect("the crates are there");
    let own = allowed();
    for manifest in manifests {
        let text = read(&manifest);
        let mut in_dependencies = false;
        for line in text.lines() {
            if line.starts_with('[') {
                in_dependencies = line.ends_with("dependencies]");
            } else if in_dependencies
                && let Some(name) = line.split(['.', ' ', '=', '#']).next().filter(|name| !name.is_empty())
            {
                let is_explained = own.contains_key(name) || contributing.contains(&format!("`{name}`"));
                assert!(is_explained, "{} uses {name}, about which CONTRIBUTING.md says nothing", relative(&manifest));
            }
        }
    }
}
