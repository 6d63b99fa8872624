//! Models forbid and allow what the literature says, and the two engines agree.

use std::collections::BTreeSet;

use memory::cat::{BUILT_IN, Model, is_protocol, load};

use super::shapes::{CLASSIC, shape, tags};
use super::*;

fn model(name: &str) -> Model {
    load(name, &|_| None, &BTreeSet::new()).unwrap_or_else(|problem| panic!("{name}: {:?}", problem.0))
}

fn ask(test: &Test, model: &Model, goal: Goal, method: Method) -> Answer {
    let question = Question { goal, method, ..Question::default() };
    answer(test, model, &question, &|| false).unwrap_or_else(|refusal| panic!("{}: {refusal}", test.name))
}

/// The shapes that a model allows, by name.
fn allowed(name: &str) -> Vec<&'static str> {
    let model = model(name);
    let (accesses, fences) = tags(name);
    let is_allowed =
        |line: &str| ask(&shape("t", line, accesses, fences), &model, Goal::Verdict, Method::Enumerate).n_positive > 0;
    CLASSIC.iter().filter(|(_, line)| is_allowed(line)).map(|(name, _)| *name).collect()
}

#[test]
fn each_model_allows_its_own_shapes() {
    assert_eq!(allowed("sc"), Vec::<&str>::new());
    assert_eq!(allowed("tso"), ["SB", "R", "RWC", "W+RWC", "3.SB"]);
    let weak_without_fences = |name: &str| {
        let found = allowed(name);
        for shape in ["SB", "MP", "LB", "S", "R", "2+2W", "WRC", "RWC", "ISA2", "IRIW", "W+RWC", "3.SB", "3.LB"] {
            assert!(found.contains(&shape), "{name} allows {shape}");
        }
        assert!(
            found.iter().all(|shape| !shape.contains("fences") && !shape.starts_with("Co")),
            "{name} is too weak: {found:?}"
        );
    };
    weak_without_fences("power");
    weak_without_fences("aarch64");
    weak_without_fences("riscv");
    weak_without_fences("linux-kernel");
    assert!(!allowed("rc11").contains(&"LB"), "the repaired model has no cycles of po and rf");
    assert!(allowed("c11").contains(&"LB"));
    assert!(allowed("pso").contains(&"MP") && !allowed("pso").contains(&"LB"));
}

/// The two engines give the same verdicts, states and numbers of executions for a model, on all shapes.
fn agree_under(name: &str, model: &Model) {
    let (accesses, fences) = tags(name);
    for (shape_name, line) in CLASSIC {
        let test = shape(shape_name, line, accesses, fences);
        for goal in [Goal::Verdict, Goal::States, Goal::Executions, Goal::Rf] {
            let one = ask(&test, model, goal, Method::Enumerate);
            let question = Question { goal, method: Method::Symbolic, ..Question::default() };
            let other = match answer(&test, model, &question, &|| false) {
                Ok(other) => other,
                Err(Refusal::Symbolic(_)) => continue,
                Err(refusal) => panic!("{shape_name} under {name}: {refusal}"),
            };
            assert_eq!(one.n_positive > 0, other.n_positive > 0, "{shape_name} under {name}, {goal:?}");
            // What is there in the end depends on the order of writes, of which one stands for all if only reads are told apart.
            if matches!(goal, Goal::States | Goal::Executions) {
                let states = |answer: &Answer| answer.states.keys().cloned().collect::<Vec<_>>();
                assert_eq!(states(&one), states(&other), "{shape_name} under {name}, {goal:?}");
            }
            if matches!(goal, Goal::Executions | Goal::Rf) {
                let all = |answer: &Answer| answer.n_positive + answer.n_negative;
                assert_eq!(all(&one), all(&other), "{shape_name} under {name}, {goal:?}");
            }
        }
    }
}

#[test]
fn engines_agree_on_executions_and_states() {
    for (name, _) in BUILT_IN.iter().filter(|(name, _)| {
        let is_part = matches!(*name, "stdlib.cat" | "cos.cat" | "cross.cat" | "aarch64deps.cat" | "prelude.cat");
        !is_part && !is_protocol(name)
    }) {
        let name = name.trim_end_matches(".cat");
        agree_under(name, &model(name));
    }
}

#[test]
fn engines_agree_on_closures_that_must_have_reasons() {
    // What is forbidden is that a pair is not in a closure: whose steps make cycles, whose steps an axiom keeps from making one, and both at once.
    let cyclic = "let r = (po | rf | co | fr)+ empty (po & (W * R)) \\ r^-1 as on-a-cycle";
    let causal =
        "let c = (po | rf)+ irreflexive c as causal let w = W \\ IW empty (w * w & co & ext) \\ (c | c^-1) as ordered";
    let both = "let c = (po | rf)+ let r = (c | fr)+ irreflexive (c | co) as causal let w = W \\ IW \
                empty (w * w & co & ext) \\ r \\ r^-1 as ordered";
    let own = |text: &str| {
        let text = format!("\"own\" include \"cos.cat\" {text}");
        let read = |name: &str| (name == "own.cat").then(|| (name.to_string(), text.clone()));
        load("own.cat", &read, &BTreeSet::new()).unwrap_or_else(|problem| panic!("{:?}", problem.0))
    };
    let n_allowed = |model: &Model| -> u64 {
        let (accesses, fences) = tags("sc");
        let tests = CLASSIC.iter().map(|(name, line)| shape(name, line, accesses, fences));
        let answers = tests.map(|test| ask(&test, model, Goal::Executions, Method::Enumerate));
        answers.map(|answer| answer.n_positive + answer.n_negative).sum()
    };
    let all = n_allowed(&own(""));
    for text in [cyclic, causal, both] {
        let model = own(text);
        agree_under("sc", &model);
        let allowed = n_allowed(&model);
        assert!(0 < allowed && allowed < all, "it allows {allowed} of {all}: {text}");
    }
}

#[test]
fn executions_are_counted_as_the_thesis_does() {
    // Figure 2.8: one thread writes 1 and 2 to x, another reads twice. Six outcomes under SC, one execution each.
    let test = shape("2.8", "Wx1 ; Wx2 | Rx ; Rx : 0 0", &[], &[]);
    let found = ask(&test, &model("sc"), Goal::Rf, Method::Enumerate);
    assert_eq!(found.n_positive + found.n_negative, 6);
    assert_eq!(found.states.len(), 6);
    // Without any model, each read reads any of three writes, and two orders of the writes are possible.
    let none = load(
        "none.cat",
        &|name| (name == "none.cat").then(|| (name.to_string(), "include \"prelude.cat\"".to_string())),
        &BTreeSet::new(),
    );
    let none = none.unwrap_or_else(|problem| panic!("{:?}", problem.0));
    let found = ask(&test, &none, Goal::Rf, Method::Enumerate);
    assert_eq!(found.n_positive + found.n_negative, 9);
    let found = ask(&test, &none, Goal::Executions, Method::Enumerate);
    assert_eq!(found.n_positive + found.n_negative, 18);
}

#[test]
fn what_is_forbidden_is_explained() {
    let test = shape("MP", "Wx1 ; Wy1 | Ry ; Rx : 1 0", &[], &[]);
    let model = model("tso");
    let execution =
        forbidden(&test, &model, &Question::default(), &|| false).expect("it can be searched").expect("there is one");
    assert!(execution.is_positive);
    let names: Vec<&str> = execution.violated.iter().map(|violation| violation.axiom.as_str()).collect();
    assert_eq!(names, ["tso"]);
    assert_eq!(execution.violated[0].cycle.len(), 4);
}
