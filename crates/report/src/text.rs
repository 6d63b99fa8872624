//! What does a person read? The verdict, what it rests on, and for a violation how it comes about.
//!
//! The last line is always `RESULT: ...` and is meant for machines; everything before it is for people and may change.

use crate::answer::{Answer, Outcome};
use crate::diagnostic::diagnostics;
use crate::excerpt::excerpt;
use crate::lanes::lanes;
use crate::story::{Call, Ending, Story};
use crate::style::{Ink, Style, printable, wrap};
use crate::tell::explain;
use ir::{Proof, Properties, Property, Sources, Why};
use std::fmt::Write;

/// The whole report, its last line included.
pub fn text(answer: &Answer, style: &Style) -> String {
    let mut text = String::new();
    let is_rejected = matches!(answer.outcome, Outcome::Rejected | Outcome::Bug);
    if style.verbose || is_rejected {
        text.push_str(&diagnostics(&answer.sources, &answer.diagnostics, style));
    } else {
        warning_count(answer, style, &mut text);
    }
    // The diagnostics of a rejected input say all there is to say.
    if !is_rejected || answer.is_refused() {
        headline(answer, style, &mut text);
    }
    if let Outcome::Unsafe { story, ending } = &answer.outcome {
        text.push_str(&violation(&answer.sources, story, ending, style));
        if style.explain {
            text.push_str(&explanation(&answer.sources, story, ending, style));
        }
    }
    if let Outcome::Condition { execution: Some(execution), .. } = &answer.outcome {
        let _ = writeln!(text, "\n{}", crate::litmus::execution(execution));
    }
    if !is_rejected {
        scope(answer, style, &mut text);
        numbers(answer, style, &mut text);
    }
    let _ = writeln!(text, "RESULT: {}", answer.result());
    text
}

/// That there are warnings, when they are not shown.
fn warning_count(answer: &Answer, style: &Style, text: &mut String) {
    let n_warnings = answer.diagnostics.len();
    if n_warnings > 0 {
        let plural = if n_warnings == 1 { "" } else { "s" };
        let line = format!("{n_warnings} warning{plural} about the input (-v shows them)");
        let _ = writeln!(text, "{}", style.paint(Ink::Faint, &line));
    }
}

/// The verdict in one line.
fn headline(answer: &Answer, style: &Style, text: &mut String) {
    let (word, ink, rest) = match &answer.outcome {
        Outcome::Safe(_) if !answer.bounds.is_empty() => {
            ("safe", Ink::Green, "no execution within the bounds noted below does any of what was checked".to_string())
        }
        Outcome::Safe(_) => ("safe", Ink::Green, "no execution does any of what was checked".to_string()),
        Outcome::Unsafe { ending, .. } => ("unsafe", Ink::Red, ending.property.describe().to_string()),
        Outcome::Condition { holds, condition, why, .. } => {
            let rest = format!("{condition}; {why}");
            if *holds { ("holds", Ink::Green, rest) } else { ("does not hold", Ink::Red, rest) }
        }
        Outcome::Unknown(Why::Depth(depth)) => {
            ("bounded", Ink::Yellow, format!("no violation on paths of up to {depth} steps; this is no proof"))
        }
        Outcome::Unknown(_) | Outcome::Interrupted => ("unknown", Ink::Yellow, answer.reason().unwrap_or_default()),
        Outcome::Rejected | Outcome::Bug => {
            ("unknown", Ink::Yellow, "the program uses what ravel does not support".to_string())
        }
    };
    let input = style.paint(Ink::Bold, &format!("{}: ", printable(&answer.input)));
    let _ = writeln!(text, "{input}{}: {}", style.paint(ink, word), printable(&rest));
    if let Outcome::Safe(proof) = &answer.outcome {
        match proof {
            Proof::Parts(parts) => {
                for (properties, proof) in parts {
                    let of: Vec<&str> = properties.iter().map(Property::describe).collect();
                    let _ = writeln!(text, "  proof of no {}: {}", of.join(", "), describe(proof));
                }
            }
            proof => {
                let _ = writeln!(text, "  proof: {}", describe(proof));
            }
        }
    }
    if let Some(bounded) = answer.bounded() {
        for (index, line) in
            wrap(&format!("bounded: {bounded}"), style.width.saturating_sub(4).max(30)).iter().enumerate()
        {
            let _ = writeln!(text, "{}{line}", if index == 0 { "  " } else { "    " });
        }
    }
    if let Some((span, note)) = answer.reason_place() {
        text.push_str(&excerpt(&answer.sources, span, style, Ink::Yellow));
        if let Some(note) = note {
            let _ = writeln!(text, "  {} {}", style.paint(Ink::Blue, "= help:"), printable(note));
        }
    }
}

/// What a proof is, in one line.
pub(crate) fn describe(proof: &Proof) -> String {
    let plural = |n: u64| if n == 1 { "" } else { "s" };
    match proof {
        Proof::Exhaustive { states } => {
            format!("{states} state{}, all that can be reached up to equivalent interleavings", plural(*states))
        }
        Proof::Abstraction(certificate) => {
            let n = certificate.nodes.len() as u64;
            format!("{n} abstract state{} that contain all that can be reached, and no error", plural(n))
        }
        Proof::Threads(graphs) => {
            let (n, threads) = (graphs.n_nodes(), graphs.threads.len() as u64);
            format!(
                "{n} abstract state{} of {threads} thread{}, each alone; the memory model lets none of them go wrong",
                plural(n),
                plural(threads)
            )
        }
        Proof::Unrolled { events } => {
            let plural = if *events == 1 { "" } else { "es" };
            format!("all loops unrolled to their ends, {events} shared access{plural}")
        }
        Proof::Apart { pairs } => {
            format!(
                "{pairs} pair{} of accesses that could race, each kept apart by a lock, the order of threads or place",
                plural(*pairs)
            )
        }
        Proof::InOrder { waits } => {
            format!("{waits} wait{}, all for locks that are taken in one order, or for threads", plural(*waits))
        }
        Proof::Parts(parts) => parts.iter().map(|(_, proof)| describe(proof)).collect::<Vec<_>>().join("; "),
    }
}

/// What goes wrong and how.
pub fn violation(sources: &Sources, story: &Story, ending: &Ending, style: &Style) -> String {
    let mut text = String::new();
    text.push('\n');
    what(sources, ending, story, style, &mut text);
    let n_threads = story.threads.len();
    let (plural_t, plural_s) = (if n_threads == 1 { "" } else { "s" }, if story.rows.len() == 1 { "" } else { "s" });
    let how = format!("How it happens: {n_threads} thread{plural_t}, {} step{plural_s}", story.rows.len());
    let _ = writeln!(text, "\n{}\n", style.paint(Ink::Bold, &how));
    text.push_str(&lanes(sources, story, style));
    let _ = writeln!(text, "{}\n", style.paint(Ink::Red, &format!("      !! {}", printable(&ending.message))));
    text
}

/// What happened in a few sentences, wrapped to the screen.
pub fn explanation(sources: &Sources, story: &Story, ending: &Ending, style: &Style) -> String {
    let mut text = format!("{}\n", style.paint(Ink::Bold, "In short"));
    for sentence in explain(sources, story, ending) {
        for line in wrap(&printable(&sentence), style.width.saturating_sub(4).max(30)) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text.push('\n');
    text
}

/// What goes wrong, with the source lines that belong to it.
fn what(sources: &Sources, ending: &Ending, story: &Story, style: &Style, text: &mut String) {
    let who = |thread: Option<usize>| thread.and_then(|index| story.threads.get(index)).map(|name| format!("{name}: "));
    let _ = writeln!(text, "{}", style.paint(Ink::Bold, &printable(&ending.message)));
    if ending.details.is_empty() {
        text.push_str(&excerpt(sources, ending.span, style, Ink::Red));
    }
    for detail in &ending.details {
        let _ = writeln!(text, "{}{}", who(detail.thread).unwrap_or_default(), printable(&detail.message));
        text.push_str(&excerpt(sources, detail.span, style, Ink::Red));
        if !detail.calls.is_empty() {
            let by = |call: &Call| format!("{}, called at {}", call.function, sources.place(call.place));
            let calls: Vec<String> = detail.calls.iter().map(by).collect();
            let line = format!("  {} in {}", style.paint(Ink::Blue, "="), printable(&calls.join(", in ")));
            let _ = writeln!(text, "{line}");
        }
    }
}

/// What was checked, and what was not.
fn scope(answer: &Answer, style: &Style, text: &mut String) {
    let list =
        |chosen: &mut dyn Iterator<Item = Property>| chosen.map(Property::describe).collect::<Vec<_>>().join(", ");
    // What some programs mean to do is not missed.
    let is_wrong =
        |property: &Property| !matches!(property, Property::MemCleanup | Property::Termination | Property::Liveness);
    let is_unknown = matches!(answer.outcome, Outcome::Unknown(_) | Outcome::Interrupted);
    let proven = if is_unknown { answer.proven } else { Properties::NONE };
    let checked = list(&mut answer.checked.beyond(proven).iter());
    let unseen = list(&mut answer.properties.beyond(answer.checked).iter());
    let is_open = match &answer.outcome {
        Outcome::Unknown(why) => !matches!(why, Why::Depth(_)),
        outcome => matches!(outcome, Outcome::Interrupted),
    };
    let missing = list(&mut answer.askable.iter().filter(|p| is_wrong(p) && !answer.properties.has(*p)));
    let mut line = |label: &str, list: String| {
        if !list.is_empty() {
            let lines = wrap(&format!("{label}: {list}"), style.width.saturating_sub(4).max(30));
            for (index, line) in lines.iter().enumerate() {
                let indent = if index == 0 { "  " } else { "    " };
                let _ = writeln!(text, "{}", style.paint(Ink::Faint, &format!("{indent}{line}")));
            }
        }
    };
    line("proved absent", list(&mut proven.iter()));
    line(if is_open { "looked for, not to the end" } else { "checked" }, checked);
    line(if answer.checked.is_empty() { "asked" } else { "asked, but not looked for" }, unseen);
    if answer.model != "sc" {
        line("memory model", answer.model.clone());
    }
    if !missing.is_empty() {
        line("not checked", format!("{missing} (--property all checks these too)"));
    }
    for assumption in &answer.assumptions {
        line("assumed", assumption.clone());
    }
    for note in answer.bounds.iter().chain(&answer.notes) {
        line("note", note.clone());
    }
    for reached in answer.reached.iter().filter(|_| answer.is_limited()) {
        let words = [Some(reached.reached.clone()), reached.reason.as_ref().map(|reason| format!("gave up: {reason}"))];
        let words: Vec<String> = words.into_iter().flatten().filter(|words| !words.is_empty()).collect();
        let words = if words.is_empty() { "had just begun".to_string() } else { words.join("; ") };
        line(&reached.engine, words);
    }
    for next in &answer.next {
        let _ = writeln!(text, "  {} {}", style.paint(Ink::Blue, "try:"), printable(next));
    }
}

/// Who answered, how long it took, and with -v what was counted.
fn numbers(answer: &Answer, style: &Style, text: &mut String) {
    if answer.timings.is_empty() {
        return;
    }
    let total: f64 = answer.timings.iter().map(|(_, seconds)| seconds).sum();
    let line = format!("  engine {}, {total:.2} s", answer.engine);
    let _ = writeln!(text, "{}", style.paint(Ink::Faint, &line));
    if style.verbose {
        let phases: Vec<String> = answer.timings.iter().map(|(phase, s)| format!("{phase} {s:.3} s")).collect();
        let _ = writeln!(text, "  time: {}", phases.join(", "));
        for (name, value) in &answer.statistics {
            let digits = if value.fract() == 0.0 || *value >= 100.0 { 0 } else { 2 };
            let _ = writeln!(text, "  {name}: {value:.digits$}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Parts;

    fn answer(outcome: Outcome) -> Answer {
        Answer {
            input: "a.c".into(),
            sources: Sources::default(),
            askable: Property::ALL.into_iter().fold(Properties::NONE, Properties::with),
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
            assumptions: Vec::new(),
            statistics: vec![("states".into(), 7.0)],
            timings: vec![("load".into(), 0.25), ("check".into(), 0.5)],
            reached: Vec::new(),
            next: Vec::new(),
            kept: None,
            parts: Parts::default(),
            graph: None,
            bounded: None,
        }
    }

    #[test]
    fn the_last_line_is_for_machines() {
        for (outcome, last) in [
            (Outcome::Safe(Proof::Exhaustive { states: 7 }), "RESULT: true"),
            (Outcome::Unknown(Why::Cancelled), "RESULT: unknown"),
            (Outcome::Interrupted, "RESULT: unknown"),
            (Outcome::Rejected, "RESULT: error"),
        ] {
            let text = text(&answer(outcome), &Style::default());
            assert_eq!(text.lines().last(), Some(last), "{text}");
        }
    }

    #[test]
    fn only_what_was_looked_for_is_called_checked() {
        let told = |outcome, properties: &[Property], checked: &[Property]| {
            let (properties, checked) = (Properties::of(properties), Properties::of(checked));
            text(&Answer { properties, checked, ..answer(outcome) }, &Style::default())
        };
        let both = [Property::Assertion, Property::MemTrack];
        let bound = || Outcome::Unknown(Why::Bound("the loop at a.c:3".into()));
        let partly = told(bound(), &both, &both[..1]);
        assert!(partly.contains("looked for, not to the end: assertion failure\n"), "{partly}");
        assert!(partly.contains("asked, but not looked for: lost memory\n"), "{partly}");
        let not_at_all = told(bound(), &both, &[]);
        assert!(not_at_all.contains("asked: assertion failure, lost memory\n"), "{not_at_all}");
        assert!(![partly, not_at_all].iter().any(|text| text.contains("  checked:")));
        let all = told(Outcome::Safe(Proof::Exhaustive { states: 7 }), &both, &both);
        assert!(all.contains("  checked: assertion failure, lost memory\n") && !all.contains("asked"), "{all}");
    }

    #[test]
    fn it_says_what_was_not_checked() {
        let text = text(&answer(Outcome::Safe(Proof::Exhaustive { states: 7 })), &Style::default());
        assert!(text.contains("checked: assertion") && text.contains("not checked: error call"), "{text}");
        assert!(text.contains("--property all") && text.contains("7 states") && text.contains("0.75 s"), "{text}");
    }

    #[test]
    fn it_says_what_was_assumed() {
        let mut answer = answer(Outcome::Safe(Proof::Exhaustive { states: 7 }));
        answer.assumptions.push("malloc succeeds".into());
        let text = text(&answer, &Style::default());
        assert!(text.contains("assumed: malloc succeeds"), "{text}");
    }
}
