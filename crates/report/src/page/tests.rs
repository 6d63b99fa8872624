use super::*;
use crate::story::{Detail, Effect, Ending, Role, Row, Story};
use ir::{Proof, Properties, Property, Why};

fn answer(outcome: Outcome, sources: Sources) -> Answer {
    Answer {
        input: "a<b>.c".into(),
        sources,
        askable: Properties::of(&[Property::Assertion, Property::Race]),
        properties: Properties::of(&[Property::Assertion]),
        checked: Properties::of(&[Property::Assertion]),
        proven: Properties::NONE,
        confirmed_by: None,
        engine: "explicit".into(),
        model: "sc".into(),
        data_model: None,
        outcome,
        diagnostics: Vec::new(),
        bounds: Vec::new(),
        notes: Vec::new(),
        assumptions: vec!["malloc succeeds".into()],
        statistics: vec![("states".into(), 7.0)],
        timings: vec![("load".into(), 0.25)],
        reached: Vec::new(),
        next: Vec::new(),
        kept: None,
        parts: crate::Parts::default(),
        graph: None,
        bounded: None,
    }
}

/// Two threads that wait for each other, after `n_rows` steps on two lines of a file.
fn deadlock(n_rows: usize) -> Answer {
    let mut sources = Sources::default();
    let file = sources.file("a.c");
    for (line, text) in [(3, "lock(\"</script>\");"), (4, "x = 1;")] {
        sources.files[0].lines.insert(line, text.to_string());
    }
    let span = |line| Span { file, line, column: 1, end_column: 3 };
    let row = |at: usize| Row {
        step: at + 1,
        thread: at % 2,
        span: span(3 + (at % 2) as u32),
        source: "x = 1;".into(),
        effects: vec![Effect::Write { name: "x".into(), old: Some("0".into()), new: at.to_string() }],
    };
    let waits = |thread: usize, on: &str, by: usize| Detail {
        thread: Some(thread),
        message: format!("waits for {on}"),
        span: span(3),
        calls: Vec::new(),
        role: Role::Waits { on: Some(on.into()), by: vec![by], locks: Vec::new() },
    };
    let story = Story { threads: vec!["main".into(), "T1 worker".into()], rows: (0..n_rows).map(row).collect() };
    let ending = Ending {
        property: Property::Deadlock,
        message: "deadlock: 2 threads wait for ever".into(),
        span: span(3),
        thread: None,
        details: vec![waits(0, "a", 1), waits(1, "b", 0)],
    };
    answer(Outcome::Unsafe { story, ending }, sources)
}

/// The JSON in a `script` element of a page.
fn data(page: &str, id: &str) -> serde_json::Value {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    let text = page.split(&start).nth(1).and_then(|rest| rest.split("</script>").next()).expect("the page has it");
    serde_json::from_str(text).expect("it is JSON")
}

#[test]
fn a_page_needs_nothing_from_outside() {
    let page = page(&deadlock(5));
    for word in ["src=", "<link", "@import", "url(h", "fetch(", "XMLHttp", "import("] {
        assert!(!page.contains(word), "{word}");
    }
    let allowed = "http://www.w3.org/2000/svg";
    assert!(!page.replace(allowed, "").contains("http://") && !page.contains("https://"));
}

#[test]
fn a_deadlock_is_drawn_and_its_execution_is_data() {
    let page = page(&deadlock(5));
    assert!(
        page.contains("<h1><span class=\"verdict\">unsafe</span> deadlock: 2 threads wait for ever</h1>"),
        "{page}"
    );
    assert!(page.contains("<svg") && page.matches("waits for</text>").count() == 2, "{page}");
    assert_eq!(page.matches("is held by</text>").count(), 2);
    let answer = data(&page, "answer");
    assert_eq!(answer["trace"].as_array().map(Vec::len), Some(5));
    assert_eq!(answer["violation"]["details"][0]["held_by"], serde_json::json!([1]));
    let files = data(&page, "files");
    assert_eq!(files[0]["lines"], serde_json::json!([[3, "lock(\"</script>\");"], [4, "x = 1;"]]));
    assert_eq!(files[0]["marks"][0]["kind"], "bad");
}

#[test]
fn text_of_the_program_is_no_part_of_the_page() {
    let page = page(&deadlock(2));
    // Two for the data and one for the script; what the program has is text.
    assert_eq!(page.matches("</script>").count(), 3);
    assert!(page.contains("a&lt;b&gt;.c") && !page.contains("a<b>"));
}

#[test]
fn a_long_execution_is_a_page_of_its_length_only() {
    let (short, long) = (page(&deadlock(2_000)).len(), page(&deadlock(20_000)).len());
    assert!(long < 12 * short && long < 20 << 20, "{short} {long}");
}

#[test]
fn what_was_explored_is_told_where_nobody_knows() {
    let mut unknown = answer(Outcome::Unknown(Why::Bound("the loop at a.c:3 <twice>".into())), Sources::default());
    unknown.reached.push(crate::Reached {
        engine: "bmc".into(),
        reached: "2 rounds".into(),
        reason: Some("no more".into()),
    });
    unknown.next.push("ravel verify --time-limit 5m a.c".into());
    let page = page(&unknown);
    for words in ["What was explored", "<td>2 rounds</td><td>no more</td>", "--time-limit 5m", "&lt;twice&gt;"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("id=\"execution\""));
}

#[test]
fn a_proof_without_invariants_says_so() {
    let page = page(&answer(Outcome::Safe(Proof::Exhaustive { states: 7 }), Sources::default()));
    assert!(page.contains("7 states") && page.contains("no invariants that could be shown"), "{page}");
    assert!(
        page.contains("<dt>Assumed</dt><dd>malloc succeeds</dd>")
            && page.contains("<dt>Not checked</dt><dd>data race</dd>")
    );
}
