//! Where do findings go? Each becomes a case in `cases/regress/`, with what is true in its head, so that it is asked again from then on.
//!
//! Where nobody knows what is true the head expects `unknown`, which fails until a person has looked.

use super::subject::Wrong;
use ir::Model;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Writes a program on which somebody is wrong; where it is.
pub(super) fn file(folder: &Path, fuzzer: &str, seed: u64, text: &str, wrong: &Wrong) -> std::io::Result<PathBuf> {
    let ending = if matches!(wrong.engine, "symbolic") { "oox" } else { "c" };
    let path = folder.join(format!("{fuzzer}_{seed}.{ending}"));
    std::fs::create_dir_all(folder)?;
    std::fs::write(&path, case(fuzzer, seed, text, wrong))?;
    Ok(path)
}

/// The text of a case.
fn case(fuzzer: &str, seed: u64, text: &str, wrong: &Wrong) -> String {
    let mut head = String::new();
    let verdict = match wrong.truth {
        Some(true) => "unsafe",
        Some(false) => "safe",
        None => "unknown",
    };
    let question = wrong.question.as_ref();
    let model = question.map_or(Model::Sc, |question| question.model);
    let axioms = question.and_then(|question| question.axioms);
    let selector = match (wrong.engine, model) {
        ("symbolic", _) => "[Main.main]".to_string(),
        _ if axioms.is_some() => format!("[{}]", axioms.unwrap_or_default()),
        (_, Model::Sc) => String::new(),
        (_, model) => format!("[{model}]"),
    };
    let _ = writeln!(head, "// expect{selector}: {verdict}");
    if let Some(question) = question {
        let _ = writeln!(head, "// property: {}", question.name);
    }
    if engines::ENGINES.iter().any(|engine| engine.name() == wrong.engine) {
        let _ = writeln!(head, "// engines: {}", wrong.engine);
        // Cases are asked with every reduction anyway.
        let knobs = wrong.knobs.iter().filter(|(name, _)| *name != "por");
        let knobs: Vec<String> = knobs.map(|(name, value)| format!("{}.{name}={value}", wrong.engine)).collect();
        if !knobs.is_empty() {
            let _ = writeln!(head, "// knobs: {}", knobs.join(" "));
        }
    }
    let what = wrong.what.lines().next().unwrap_or_default();
    let _ = writeln!(head, "// why: found by `cargo xtask fuzz {fuzzer} --seed {seed}`; {}: {what}", wrong.who);
    for macros in question.iter().flat_map(|question| &question.define) {
        let (name, value) = macros.split_once('=').unwrap_or((macros, "1"));
        let _ = writeln!(head, "#define {name} {value}");
    }
    head + text
}

#[cfg(test)]
mod tests {
    use super::super::subject::{Fault, Question, Truth};
    use super::*;
    use ir::Property;

    #[test]
    fn what_is_filed_is_a_case() {
        let wrong = |model, engine, truth| Wrong {
            who: "bmc procedure=basic".to_string(),
            engine,
            knobs: vec![("por", "none"), ("procedure", "basic")],
            question: Some(Question {
                model,
                define: vec!["OP===".to_string()],
                ..Question::new("assert,reach", &[Property::Assertion, Property::ErrorCall], Truth::Nobody)
            }),
            truth,
            fault: Fault::Verdict,
            what: "says safe".to_string(),
        };
        let text = case("pso", 7, "int main(void) { return 0; }\n", &wrong(Model::Pso, "bmc", Some(true)));
        assert_eq!(
            text,
            "// expect[pso]: unsafe\n// property: assert,reach\n// engines: bmc\n// knobs: bmc.procedure=basic\n\
             // why: found by `cargo xtask fuzz pso --seed 7`; bmc procedure=basic: says safe\n#define OP ==\nint main(void) { return 0; }\n"
        );
        let text = case("heap", 7, "int main(void) {}\n", &wrong(Model::Sc, "portfolio", None));
        assert!(text.starts_with("// expect: unknown\n// property: assert,reach\n// why: found by"), "{text}");
    }
}
