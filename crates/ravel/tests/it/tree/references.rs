//! Is what is cited there? Keys like \[Abdulla14] in comments and pages, and the list of references.
//!
//! In comments for rustdoc the first bracket is escaped, or it would be a link; rustdoc itself looks after links.

use crate::process::root;
use cases::walk;
use std::collections::BTreeSet;
use std::path::Path;

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The keys in a text: a name with a capital and two digits of the year, in brackets.
fn keys(text: &str) -> impl Iterator<Item = String> + '_ {
    let inside = text.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(inside, _)| inside);
    let is_key = |inside: &&str| {
        let name = inside.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let is_name = name.len() > 1 && name.chars().all(char::is_alphabetic) && name.starts_with(char::is_uppercase);
        is_name && inside.len() == name.len() + 2
    };
    inside.filter(is_key).map(str::to_string)
}

#[test]
fn keys_are_told_from_other_brackets() {
    let text = "[Abdulla14], [Ball01] [x] [Bv32x] [0] #[cfg(test)] [Sort] [3] [a link](to.md) [Telbisz2024] [ab12]";
    assert_eq!(keys(text).collect::<Vec<String>>(), ["Abdulla14", "Ball01"]);
}

#[test]
fn citations_and_references_are_the_same() {
    let list = root().join("docs/references.md");
    let text = read(&list);
    let entries: Vec<String> =
        text.lines().filter(|line| line.starts_with("- **[")).flat_map(|line| keys(line).take(1)).collect();
    let known: BTreeSet<&String> = entries.iter().collect();
    assert!(!known.is_empty() && known.len() == entries.len(), "each key is listed once: {entries:?}");
    let mut cited: BTreeSet<String> = BTreeSet::new();
    for folder in ["crates", "docs", "models"] {
        let files = walk::files_below(&root().join(folder), &["rs", "md", "cat"]).expect("the folder is there");
        for path in files.iter().filter(|path| **path != list && !path.ends_with("references.rs")) {
            let is_code = path.extension().is_some_and(|extension| extension == "rs");
            let text = read(path);
            // In code only comments cite.
            let comments = text.lines().filter(|line| !is_code || line.trim_start().starts_with("//"));
            for key in comments.flat_map(keys) {
                assert!(known.contains(&key), "{} cites [{key}], which docs/references.md lacks", path.display());
                cited.insert(key);
            }
        }
    }
    let idle: Vec<&&String> = known.iter().filter(|key| !cited.contains(**key)).collect();
    assert!(idle.is_empty(), "docs/references.md lists what nobody cites: {idle:?}");
}
