//! The built-in models load, texts mean what they say, and messages point into texts.

use std::collections::BTreeSet;

use super::*;
use crate::cat::syntax::ast::Severity;
use crate::relation::{EventSet, Relation};

fn load_text(text: &str, variants: &[&str]) -> Result<Model, String> {
    let read = |name: &str| (name == "test.cat").then(|| ("test.cat".to_string(), text.to_string()));
    let variants: BTreeSet<String> = variants.iter().map(|variant| variant.to_string()).collect();
    load("test.cat", &read, &variants).map_err(|problem| {
        let (problem, sources) = *problem;
        format!("{}:{} {}", sources.place(problem.span), problem.span.column, problem.message)
    })
}

/// Four events: an initial write, two of thread 0 (write, read), one write of thread 1; one place.
struct Small;

impl World for Small {
    fn n_events(&self) -> usize {
        4
    }

    fn set(&self, name: &str) -> EventSet {
        let members: &[usize] = match name {
            "W" => &[0, 1, 3],
            "R" => &[2],
            "M" => &[0, 1, 2, 3],
            "IW" => &[0],
            "FW" => &[3],
            _ => &[],
        };
        EventSet::of(4, members.iter().copied())
    }

    fn relation(&self, name: &str) -> Relation {
        let pairs: &[(usize, usize)] = match name {
            "po" => &[(1, 2)],
            "rf" => &[(3, 2)],
            "co" => &[(0, 1), (0, 3), (1, 3)],
            "int" => &[(1, 2), (2, 1)],
            "ext" => &[(1, 3), (3, 1), (2, 3), (3, 2), (0, 1), (0, 2), (0, 3)],
            "loc" => return Relation::full(4),
            "id" => return Relation::identity(4),
            _ => &[],
        };
        Relation::of(4, pairs.iter().copied())
    }

    fn differ(&self, a: usize, b: usize) -> bool {
        a != b
    }
}

/// The names of the checks that fail in the small execution, for each choice that the model makes.
fn failing(text: &str, variants: &[&str]) -> Vec<Vec<String>> {
    let model = load_text(text, variants).expect("the model is right");
    let models = model.outcomes_in(&Small).expect("the model runs");
    let fails = |model: &Model| {
        let graph = &model.outcome.graph;
        let mut values = Values::new(graph, 4);
        put_base(graph, &mut values, &Small);
        for plan in [&model.fixed, &model.axioms, &model.flags] {
            values.compute(graph, plan, &|a, b| Small.differ(a, b));
        }
        let checks = model.outcome.checks.iter();
        checks
            .filter(|check| values.violates(graph, check.node, check.shape) != check.is_negated)
            .map(|check| check.name.clone())
            .collect()
    };
    models.iter().map(fails).collect()
}

#[test]
fn every_built_in_model_loads() {
    for (name, _) in BUILT_IN {
        if *name == "aarch64deps.cat" {
            continue;
        }
        let model = load(name, &|_| None, &BTreeSet::new());
        let model = model.unwrap_or_else(|problem| panic!("{name}: {:?}", problem.0));
        assert!(!model.is_dynamic, "{name} can be compiled");
        let is_library = matches!(*name, "stdlib.cat" | "cos.cat" | "cross.cat") || name.starts_with("patterns/");
        assert_eq!(model.outcome.checks.iter().any(|check| check.severity == Severity::Forbids), !is_library, "{name}");
    }
}

#[test]
fn operators_bind_as_they_should() {
    let text = "
        empty (po ; rf^-1 | rf ; po^-1 & 0) \\ (po ; rf^-1) as loose-union
        empty (rf & po ; po) \\ ((rf & po) ; po) as and-before-sequence
        empty (W * R \\ rf) \\ ((W * R) \\ rf) as product-first
        empty po* \\ (po | id) as star-is-postfix
        empty (po; rf^-1*) \\ (po ; (rf^-1)*) as inverse-then-star
        ~empty rf as not-empty
        ~acyclic rf | rf^-1 as a-cycle
        empty (~W) \\ R as complement
        irreflexive fr ; rf as reads-last
    ";
    assert_eq!(failing(text, &[]), [Vec::<String>::new()]);
}

#[test]
fn functions_procedures_variants_and_tags_work() {
    let text = "
        let twice f = fun x -> f (f x)
        let step r = r ; r
        let swap(a, b) = (b, a)
        let (x, y) = swap(po, rf)
        procedure none(r) = empty r end
        procedure rec deep(r) = empty r as inner end
        enum Order = 'relaxed || 'strict
        let strength t = match t with || 'relaxed -> 0 || 'strict -> rf end
        call none(y \\ po) as same
        empty ((twice step) id) \\ id as applied
        if \"strong\" empty strength('strict) as chosen else empty strength('relaxed) as chosen end
        empty (try nonsense with 0) as tried
        call deep(x)
    ";
    assert_eq!(failing(text, &[]), [vec!["inner".to_string()]]);
    assert_eq!(failing(text, &["strong"]), [vec!["chosen".to_string(), "inner".to_string()]]);
}

#[test]
fn recursion_reaches_the_least_solution() {
    let text = "
        let rec path = rf | po | path ; path
        empty path \\ (rf | po)+ as relation
        empty (rf | po)+ \\ path as complete
        let rec reached = IW | range([reached] ; co)
        empty W \\ reached as sets
        let nested = let rec a = po | b and b = a ; rf^-1 in a | b
        empty nested \\ (po | po ; rf^-1) as mutual
        let rec even S = match S with || {} -> 'yes || _ ++ rest -> odd rest end
        and odd S = match S with || {} -> 'no || _ ++ rest -> even rest end
        let answer t = match t with || 'yes -> 0 || 'no -> rf end
        empty answer(even(W | R)) as four-events
        empty answer(even W) as three-writes
    ";
    assert_eq!(failing(text, &[]), [vec!["three-writes".to_string()]]);
}

#[test]
fn models_that_choose_run_once_for_each_choice() {
    let text = "
        with order from linearisations(W, co)
        empty order \\ co as only-one
    ";
    assert!(load_text(text, &[]).expect("it loads").is_dynamic);
    assert_eq!(failing(text, &[]), [Vec::<String>::new()]);
    let text = "
        include \"cross.cat\"
        let pairs = map (fun e -> map (fun f -> (e, f)) W) R
        with order from linearisations(W \\ IW, 0)
        empty order \\ co as right-way
    ";
    assert_eq!(failing(text, &[]), [Vec::<String>::new(), vec!["right-way".to_string()]]);
    let text = "include \"cross.cat\"\nwith co from generate_cos(co0)\nacyclic co as order";
    assert!(!load_text(text, &[]).expect("it loads").is_dynamic, "coherence is chosen by the engine");
}

#[test]
fn names_mean_what_the_literature_says_or_are_refused() {
    // All events happen, and none of these is a branch.
    let text = "empty _ \\ T as some-do-not\n~empty T as some-do\nempty B as no-branches\nempty (R & T) \\ range(rf) as all-read";
    assert_eq!(failing(text, &[]), [Vec::<String>::new()]);
    for (name, is_set) in [("Rreg", true), ("DATA", true), ("PoD", true), ("iico_data", false), ("rf-reg", false)] {
        let used = if is_set { format!("[{name}]") } else { name.to_string() };
        let refused =
            load_text(&format!("let rec r = {used} ; po | r ; po\nempty r"), &[]).expect_err("it means nothing");
        assert!(
            refused.starts_with("test.cat:2") && refused.contains(&format!("`{name}`, which this is about, means")),
            "{refused}"
        );
        // Libraries may mention it, as long as no axiom depends on it.
        assert_eq!(failing(&format!("let a = {used}\nempty a ; [Imp] as none"), &[]), [Vec::<String>::new()]);
        load_text(&format!("let a = {used} ; po\nacyclic po"), &[]).expect("it is only mentioned");
    }
    // In the files of Arm's models these names stand beside implicit accesses, of which there are none.
    let arm = "let Tag = T\nempty [Imp & Tag & R] ; iico_data ; [B] as no-checks\nempty T as no-tags";
    assert_eq!(failing(arm, &[]), [Vec::<String>::new()]);
}

#[test]
fn messages_point_into_the_text() {
    let check = |text: &str, expected: &str| assert_eq!(load_text(text, &[]).map(|_| ()), Err(expected.to_string()));
    check("let x = po\nlet y = x ; rff", "test.cat:2:13 `rff` is not defined");
    check("acyclic W", "test.cat:1:9 this should be a relation, but it is a set of events");
    check("let f(a, b) = a\nacyclic f(po)", "test.cat:2:9 this should be a tuple of 2 values, but it is a relation");
    check("acyclic po |", "test.cat:1:13 expected a set, a relation or another expression, found the end of the file");
    check(
        "include \"nowhere.cat\"",
        "test.cat:1:1 there is no file \"nowhere.cat\" beside the model, in the directories given, or among our own",
    );
    check("let rec f x = f x\nlet y = f po", "test.cat:1:15 functions call each other without end here");
}

#[test]
fn bounds_enclose_the_value_while_choices_are_open() {
    let text =
        "let r = (po \\ co) ; rf | ~(rf^-1) & co\nacyclic r as a\nlet rec s = r | s ; s\nempty (_ * _) \\ s as b";
    let model = load_text(text, &[]).expect("the model is right");
    let graph = &model.outcome.graph;
    let named = |wanted: &str| {
        graph
            .iter()
            .find(|(_, node)| matches!(node, Node::Pairs(name) if &**name == wanted))
            .map(|(id, _)| id)
            .expect("it is used")
    };
    let (rf, co) = (named("rf"), named("co"));
    let mut exact = Values::new(graph, 4);
    put_base(graph, &mut exact, &Small);
    exact.compute(graph, &model.fixed, &|_, _| false);
    let mut open = exact.clone();
    exact.compute(graph, &model.axioms, &|_, _| false);
    open.set_exact(false);
    open.put_relation(rf, Bound::Lower, &Relation::empty(4));
    open.put_relation(rf, Bound::Upper, &Relation::of(4, [(0, 2), (3, 2)]));
    open.put_relation(co, Bound::Lower, &Relation::of(4, [(0, 1), (0, 3)]));
    open.put_relation(co, Bound::Upper, &Relation::of(4, [(0, 1), (0, 3), (1, 3), (3, 1)]));
    let roots: Vec<_> = model
        .outcome
        .checks
        .iter()
        .flat_map(|check| [(check.node, Bound::Lower), (check.node, Bound::Upper)])
        .collect();
    let plan = Plan::of(graph, &roots, |id| !graph.depends(id).is_fixed());
    open.compute(graph, &plan, &|_, _| false);
    for check in &model.outcome.checks {
        let value = exact.relation(check.node, Bound::Lower);
        assert!(open.relation(check.node, Bound::Lower).is_subset(value), "{} from below", check.name);
        assert!(value.is_subset(open.relation(check.node, Bound::Upper)), "{} from above", check.name);
    }
}
