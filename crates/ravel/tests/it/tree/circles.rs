//! Do files of a crate need each other in circles? Small ones are fine, larger ones hide what depends on what.
//!
//! A file needs another if a path in it (`use super::…`, `crate::…`, or one of its own modules) leads into the other. Paths are followed to the last module;
//! re-exports are neither followed further nor counted. Circles are the strongly connected components of that graph. Methods that are called
//! across files are not seen: two files of one `impl` need no path to each other.

use crate::process::root;
use cases::walk;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files in a circle at most.
const MOST: usize = 3;

/// Crates in which this holds.
const CHECKED: [&str; 10] =
    ["cases", "engines", "frontend", "ir", "logic", "memory", "ravel", "report", "smt", "xtask"];

/// A module of a crate, as its path from the root.
type Module = Vec<String>;

#[test]
fn circles_of_files_are_small() {
    let mut large = Vec::new();
    for folder in CHECKED {
        let graph = needs(&root().join("crates").join(folder).join("src"));
        assert!(graph.len() > 5, "{folder}: only {} files", graph.len());
        assert!(graph.values().any(|needed| needed.len() > 2), "{folder}: no file needs another");
        for circle in circles(&graph).into_iter().filter(|circle| circle.len() > MOST) {
            let files: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            large.push(format!("{folder}: {}", files.join(", ")));
        }
    }
    assert!(large.is_empty(), "circles of more than {MOST} files:\n{}", large.join("\n"));
}

#[test]
fn circles_are_found() {
    let module = |name: &str| vec![name.to_string()];
    let graph: BTreeMap<Module, BTreeSet<Module>> =
        [("a", vec!["b"]), ("b", vec!["c", "d"]), ("c", vec!["a"]), ("d", vec![])]
            .into_iter()
            .map(|(from, to)| (module(from), to.into_iter().map(module).collect()))
            .collect();
    let expected: BTreeSet<Module> = ["a", "b", "c"].into_iter().map(module).collect();
    assert_eq!(circles(&graph).into_iter().filter(|circle| circle.len() > 1).collect::<Vec<_>>(), [expected]);
    let text = "use super::{x::Y, z::{self, w}};\nuse std::fmt;\nfn f() { crate::a::b() } // super::no\n#[cfg(test)]\nuse super::t;";
    let found: Vec<String> = paths(text).iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["super::x::Y", "super::z::self", "super::z::w", "std::fmt", "crate::a::b"]);
}

/// Which modules each module below a folder needs. Tests are left out.
fn needs(folder: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let files = walk::files_below(folder, &["rs"]).expect("the folder is there");
    let mut texts: BTreeMap<Module, String> = BTreeMap::new();
    for path in files {
        let src = path.ancestors().find(|above| above.ends_with("src")).expect("it is below src");
        let inside = path.strip_prefix(src).expect("it is below src").with_extension("");
        let mut module: Module = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if module.last().is_some_and(|last| last == "mod" || last == "lib") {
            module.pop();
        }
        if !module.last().is_some_and(|last| last.ends_with("tests")) {
            texts.insert(module, std::fs::read_to_string(&path).expect("it can be read"));
        }
    }
    let needed_by = |(module, text): (&Module, &String)| {
        let found = paths(text).into_iter().filter_map(|path| resolve(module, &path, &texts));
        (module.clone(), found.filter(|other| other != module).collect())
    };
    texts.iter().map(needed_by).collect()
}

/// The module that a path in a module leads to.
fn resolve(from: &Module, path: &[String], all: &BTreeMap<Module, String>) -> Option<Module> {
    let mut at = from.clone();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => (at, rest) = (Module::new(), &rest[1..]),
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|part| part == "super") {
                at.pop();
                rest = &rest[1..];
            }
        }
        // A path that begins with one of the module's own.
        name => {
            at.push(name.to_string());
            all.get(&at)?;
            rest = &rest[1..];
        }
    }
    while let Some(part) = rest.first() {
        at.push(part.clone());
        if !all.contains_key(&at) {
            at.pop();
            break;
        }
        rest = &rest[1..];
    }
    all.contains_key(&at).then_some(at)
}

/// The paths in a text, `use` trees written out. Comments and tests are left out.
fn paths(text: &str) -> Vec<Vec<String>> {
    let code: String = text
        .lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]"))
        // Who hands a name on does not need it.
        .filter(|line| !["pub use ", "pub(crate) use ", "pub(super) use "].iter().any(|start| line.starts_with(start)))
        .map(|line| without_visibility(line.split("//").next().unwrap_or("")) + "\n")
        .collect();
    let mut found = Vec::new();
    let mut rest = code.as_str();
    while let Some(start) = rest.find(|letter: char| letter.is_alphabetic() || letter == '_') {
        rest = &rest[start..];
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && !"_:".contains(letter)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if word == "use" {
            let end = after.find(';').unwrap_or(after.len());
            expand("", after[..end].trim(), &mut found);
            rest = &after[end..];
        } else {
            if word.contains("::") {
                expand("", word.trim_end_matches(':'), &mut found);
            }
            rest = after;
        }
    }
    found
}

/// A line without who may see what it declares: `pub(in crate::pass)` needs nobody.
fn without_visibility(line: &str) -> String {
    match line.split_once("pub(in ").and_then(|(before, rest)| Some((before, rest.split_once(')')?.1))) {
        Some((before, after)) => format!("{before}{}", without_visibility(after)),
        None => line.to_string(),
    }
}

/// Writes a `use` tree out.
fn expand(before: &str, tree: &str, found: &mut Vec<Vec<String>>) {
    let Some((head, body)) = tree.split_once('{') else {
        let whole = format!("{before}{}", tree.split(" as ").next().unwrap_or(tree));
        found.push(whole.split("::").map(|part| part.trim().to_string()).filter(|part| !part.is_empty()).collect());
        return;
    };
    let before = format!("{before}{}", head.trim());
    let (mut depth, mut part) = (0, String::new());
    for letter in body.chars() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        if depth < 0 || letter == ',' && depth == 0 {
            if !part.trim().is_empty() {
                expand(&before, part.trim(), found);
            }
            part.clear();
        } else {
            part.push(letter);
        }
    }
}

/// The strongly connected components.
fn circles(graph: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<BTreeSet<Module>> {
    let modules: Vec<&Module> = graph.keys().collect();
    let place = |module: &Module| modules.binary_search(&module).expect("what is needed is a module of the crate");
    let components = logic::Components::new(modules.len(), |at| graph[modules[at]].iter().map(place));
    components.members().map(|members| members.iter().map(|at| modules[*at].clone()).collect()).collect()
}
