//! What do users read? Whole pages as they are printed, kept beside this file and compared letter by letter.
//!
//! Change them on purpose: `INSTA_UPDATE=always cargo cases snapshots` writes them anew, and the difference is part of the commit. What a page
//! means is tested elsewhere; here nothing changes unnoticed. Engines are named, because who answers first differs from run to run.

use crate::process::{complaint, root, run, text};

/// Compares a page with the one that is kept under this name.
fn check(name: &str, page: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, without_figures(page)));
}

/// Numbers with a fraction are times and statistics, which differ between machines: `0.11 s` in texts, `0.000184` in JSON.
fn without_figures(page: &str) -> String {
    let mut told = String::new();
    let mut rest = page;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let end = number.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        let is_figure = number.matches('.').count() == 1 && !number.ends_with('.');
        told.push_str(before);
        told.push_str(if is_figure { "[number]" } else { number });
        rest = after;
    }
    told + rest
}

/// Both streams of several command lines, one after the other.
fn pages(lines: &[&str]) -> String {
    let page = |line: &&str| {
        let output = run(&line.split(' ').collect::<Vec<_>>());
        format!("$ ravel {line}\n{}{}\n", text(&output), complaint(&output))
    };
    lines.iter().map(page).collect()
}

#[test]
fn only_figures_are_left_out() {
    assert_eq!(without_figures("a.c:3: 0.11 s, 17 states. v0.1.0 5."), "a.c:3: [number] s, 17 states. v0.1.0 5.");
}

#[test]
fn help() {
    check("help", &pages(&["--help", "run --help", "show --help", "litmus --help", "bench --help"]));
    check("help_verify", &pages(&["verify --help"]));
}

/// The answers that README.md shows, each behind the words that were typed: `RAVEL_BLESS=1` writes them anew.
#[test]
fn answers_of_the_readme_are_true() {
    let path = root().join("README.md");
    let whole = std::fs::read_to_string(&path).expect("it is there");
    let mut written = String::new();
    let mut n_answers = 0;
    let mut parts = whole.split("<!-- $ ravel ");
    written.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (words, rest) = part.split_once(" -->\n```\n").expect("an answer stands behind the words");
        let (shown, after) = rest.split_once("```\n").expect("it ends");
        let output = run(&words.split(' ').collect::<Vec<_>>());
        let told = text(&output);
        if std::env::var_os("RAVEL_BLESS").is_none() {
            assert_eq!(without_figures(shown), without_figures(&told), "ravel {words}");
        }
        n_answers += 1;
        written += &format!("<!-- $ ravel {words} -->\n```\n{told}```\n{after}");
    }
    assert!(n_answers >= 5, "{n_answers}");
    if std::env::var_os("RAVEL_BLESS").is_some() {
        std::fs::write(&path, written).expect("it can be written");
    }
}

/// Pictures of the page, drawn by contrib/pictures/make.
#[test]
fn pictures_of_the_readme_are_there_and_small() {
    let whole = std::fs::read_to_string(root().join("README.md")).expect("it is there");
    let pictures: Vec<&str> =
        whole.split("](docs/pictures/").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(pictures.len() >= 2, "{pictures:?}");
    for picture in pictures {
        let bytes = std::fs::read(root().join("docs/pictures").join(picture)).expect("it is there");
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() < 150_000, "{picture}: {} bytes", bytes.len());
    }
}

#[test]
fn engines() {
    check("engines", &pages(&["engines"]));
}

#[test]
fn stories() {
    check("story", &pages(&["verify examples/lost_update.c --engine explicit"]));
    check("story_deadlock", &pages(&["verify cases/pthread/self_deadlock.c --engine explicit --property deadlock"]));
    check("story_race", &pages(&["verify cases/properties/race_read_write.c --engine explicit --property race"]));
    check("story_oox", &pages(&["verify cases/oox/language/locks.oox --entry Main.twice --depth 60"]));
}

/// Executions of the kinds of programs that people write: what they are about is named as the source names it.
#[test]
fn stories_of_programs() {
    let story = |name: &str, property: &str| {
        let line = format!("verify cases/stories/{name}.c --engine explicit --property {property}");
        check(&format!("story_{name}"), &pages(&[&line]));
    };
    story("race_on_field", "race");
    story("lost_wakeup", "deadlock");
    story("failed_exchange", "assert");
    story("freed_node", "memsafety");
    story("function_pointer", "assert");
    story("texts", "assert");
    story("timed_wait", "assert");
    story("semaphore", "assert");
    story("long_loop", "assert");
    story("initialisers", "race");
    story("if_instead_of_while", "assert");
    story("reference_count", "memsafety");
}

#[test]
fn runs_are_summed_up() {
    let fine = "run examples/lost_update_fixed.c --runs 3";
    check("run", &pages(&[fine, "run examples/lost_update.c --runs 100 --property assert"]));
}

#[test]
fn answers_without_a_story() {
    check(
        "answers",
        &pages(&[
            "verify examples/lost_update_fixed.c --engine explicit",
            "verify cases/svcomp/large_input.c --engine explicit",
            "verify cases/language/loops.c --engine cegar --property memsafety",
            "verify cases/language/loops.c --engine bmc",
        ]),
    );
}

#[test]
fn json() {
    let page = pages(&["verify examples/lost_update.c --engine explicit --json"]);
    // What `replay` needs names edges of the lowered program, which change with the front end.
    let (before, rest) = page.split_once("\"program\": ").expect("it can be run again");
    let (_, after) = rest.split_once("\n  },").expect("it ends");
    check("json", &format!("{before}...\n  }},{after}"));
}

#[test]
fn diagnostics() {
    check(
        "diagnostics",
        &pages(&[
            "verify cases/errors/undeclared.c",
            "verify cases/errors/type_error.c",
            "verify cases/errors/too_few_arguments.c",
            "verify cases/errors/unclosed_brace.c",
            "verify cases/errors/no_main.c",
            "verify cases/oox/language/error_void_field.oox",
            "verify examples/lost_update.c --engine explicti",
            "verify examples/lost_update.c --explicit.por all",
            "verify examples/lost_update.c --property races",
        ]),
    );
}

#[test]
fn litmus() {
    check(
        "litmus",
        &pages(&[
            "verify cases/litmus/x86/store-buffering.litmus",
            "verify cases/litmus/x86/store-buffering.litmus --model sc",
            "litmus cases/litmus/x86/store-buffering.litmus --model sc",
        ]),
    );
}
