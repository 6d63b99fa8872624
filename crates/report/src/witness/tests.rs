use super::*;
use crate::story::{Detail, Row};
use ir::FileId;

fn sources() -> Sources {
    let mut sources = Sources::default();
    sources.file("a.c");
    for (line, text) in [
        (3, "  x = 1; y = 2;"),
        (7, "  pthread_create(&t, 0,"),
        (8, "    worker, f(0));"),
        (9, "  int n = __VERIFIER_nondet_int() + __VERIFIER_nondet_uint();"),
        (10, "  while (n < 3) { reach_error(); }"),
    ] {
        sources.files[0].lines.insert(line, text.to_string());
    }
    sources
}

fn span(line: u32, column: u32) -> Span {
    Span { file: FileId(0), line, column, end_column: column + 1 }
}

fn race() -> (Story, Ending) {
    let row = |step, thread, line, effects| Row { step, thread, span: span(line, 3), source: String::new(), effects };
    let story = Story {
        threads: vec!["main".into(), "T1 worker".into()],
        rows: vec![
            row(1, 0, 9, vec![Effect::Input { value: "-4".into() }, Effect::Input { value: "7".into() }]),
            row(2, 0, 7, vec![Effect::Start { thread: "T1 worker".into() }]),
            row(3, 1, 3, Vec::new()),
        ],
    };
    let access = |thread, line, column| Detail {
        thread: Some(thread),
        message: String::new(),
        span: span(line, column),
        calls: Vec::new(),
        role: Role::Access { name: "x".into(), verb: "writes", locks: Vec::new() },
    };
    let details = vec![access(0, 10, 10), access(1, 3, 12)];
    let ending =
        Ending { property: Property::Race, message: "race".into(), span: span(3, 12), thread: Some(1), details };
    (story, ending)
}

fn envelope() -> Envelope {
    Envelope {
        files: vec![("a \"b\".c".into(), "00ff".into())],
        data_model: DataModel::Ilp32,
        uuid: "u".into(),
        creation_time: "2026-01-01T00:00:00Z".into(),
        specification: specification(Property::Race, "main").expect("it has one"),
    }
}

#[test]
fn points_are_where_the_formats_want_them() {
    let (story, ending) = race();
    let found = segments(&sources(), &story, &ending);
    let at = |segment: &Vec<Point>| -> Vec<(usize, u32, u32)> {
        segment.iter().map(|point| (point.thread, point.place.line, point.place.column)).collect()
    };
    let places: Vec<Vec<(usize, u32, u32)>> = found.iter().map(at).collect();
    let expected =
        [vec![(0, 9, 33)], vec![(0, 9, 60)], vec![(0, 8, 17)], vec![(1, 3, 3)], vec![(0, 10, 3), (1, 3, 10)]];
    assert_eq!(places, expected);
    assert_eq!(found[0][0].kind, Kind::Returns { function: "__VERIFIER_nondet_int".into(), value: "-4".into() });
    assert_eq!(found[2][0].kind, Kind::Starts { child: 1, function: "worker".into() });
    let head = places::keyword_of_loop(&sources(), span(10, 10)).expect("there is a loop");
    assert_eq!((head.line, head.column), (10, 3));
}

#[test]
fn a_race_of_threads_is_a_sequence_of_2_2() {
    let (story, ending) = race();
    let segments = segments(&sources(), &story, &ending);
    let witness = Witness::Violation { n_threads: 2, property: Property::Race, segments };
    let text = yaml(&envelope(), &witness);
    for words in [
        "format_version: \"2.2\"",
        "\"a \\\"b\\\".c\": \"00ff\"",
        "value: \"\\\\result == -4\"\n          format: \"ext_c_expression\"",
        "type: \"target\"\n        action: \"follow\"\n        thread_id: 1",
        "LTL(G ! data-race)",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(text.matches("  - segment:\n").count(), 5);
    let graph = graphml(&envelope(), &witness);
    assert_eq!(graph.matches("<edge ").count(), 8, "{graph}");
    assert!(
        graph.contains("<data key=\"createThread\">1</data>")
            && graph.contains("<data key=\"enterFunction\">worker</data>")
    );
    assert!(graph.contains("<data key=\"programfile\">a &quot;b&quot;.c</data>"));
}

#[test]
fn invariants_stand_at_their_loops() {
    let place = Place { file: "a.c".into(), line: 10, column: 3 };
    let claim = Claim { place, is_loop: true, function: "main".into(), expression: "n < 4 && x != 0".into() };
    let text = yaml(&envelope(), &Witness::Correctness(vec![claim.clone()], Vec::new()));
    assert!(text.contains("type: \"loop_invariant\"") && text.contains("value: \"n < 4 && x != 0\""), "{text}");
    assert!(yaml(&envelope(), &Witness::Correctness(Vec::new(), Vec::new())).ends_with("  content: []\n"));
    let graph = graphml(&envelope(), &Witness::Correctness(vec![claim], Vec::new()));
    assert!(graph.contains("<data key=\"invariant\">n &lt; 4 &amp;&amp; x != 0</data>"), "{graph}");
}

#[test]
fn ghosts_are_an_entry_of_their_own() {
    let place = Place { file: "a.c".into(), line: 10, column: 3 };
    let claim =
        Claim { place: place.clone(), is_loop: false, function: "main".into(), expression: "m_locked != 0".into() };
    let ghost = Ghost { name: "m_locked".into(), updates: vec![(place.clone(), true), (place, false)] };
    let text = yaml(&envelope(), &Witness::Correctness(vec![claim], vec![ghost]));
    assert_eq!(text.matches("format_version: \"2.1\"").count(), 2, "{text}");
    assert_eq!(text.matches("entry_type: \"ghost_instrumentation\"").count(), 1);
    assert_eq!(text.matches("variable: \"m_locked\"").count(), 2);
    assert!(text.contains("type: \"location_invariant\""));
}
