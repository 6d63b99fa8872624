//! What is the verdict, what was asked, and what does it rest on? The head of the page, and for answers without an execution what there is instead.

use super::quoted;
use crate::answer::{Answer, Outcome};
use crate::proof::Invariant;
use crate::proof::invariants::{certificates, is_complete};
use crate::style::{escape, printable};
use crate::text::describe;
use ir::{Proof, Properties, Property, Why};
use std::fmt::Write;

/// The head of the page.
pub(super) fn card(answer: &Answer) -> String {
    let (class, word, rest) = headline(answer);
    let mut out = String::new();
    let _ = write!(
        out,
        "<header class=\"card {class}\">\n<button id=\"theme\" title=\"Light or dark\" aria-label=\"Light or dark\">◐</button>\n\
         <p class=\"input\">{}</p>\n<h1><span class=\"verdict\">{word}</span> {}</h1>\n<dl>\n",
        escape(&printable(&answer.input)),
        escape(&printable(&rest))
    );
    let mut fact = |label: &str, what: &str| {
        if !what.is_empty() {
            let _ = writeln!(out, "<dt>{label}</dt><dd>{}</dd>", escape(&printable(what)));
        }
    };
    fact("Result", &answer.result());
    fact("Certified", &certified(answer));
    let is_open = matches!(answer.outcome, Outcome::Unknown(_) | Outcome::Interrupted);
    let proven = if is_open { answer.proven } else { Properties::NONE };
    fact("Proved absent", &list(&mut proven.iter()));
    fact(
        if is_open { "Looked for, not to the end" } else { "Checked" },
        &list(&mut answer.checked.beyond(proven).iter()),
    );
    fact("Asked, but not looked for", &list(&mut answer.properties.beyond(answer.checked).iter()));
    let is_wrong =
        |property: &Property| !matches!(property, Property::MemCleanup | Property::Termination | Property::Liveness);
    fact("Not checked", &list(&mut answer.askable.iter().filter(|p| is_wrong(p) && !answer.properties.has(*p))));
    fact("Memory model", &answer.model);
    let seconds: f64 = answer.timings.iter().map(|(_, seconds)| seconds).sum();
    fact("Decided by", &format!("{}, in {seconds:.2} s, ravel {}", answer.engine, env!("CARGO_PKG_VERSION")));
    if let Some(bounded) = answer.bounded() {
        fact("Up to a bound", &bounded);
    }
    for assumption in &answer.assumptions {
        fact("Assumed", assumption);
    }
    for note in answer.bounds.iter().chain(&answer.notes) {
        fact("Note", note);
    }
    out.push_str("</dl>\n</header>\n");
    out
}

fn list(chosen: &mut dyn Iterator<Item = Property>) -> String {
    chosen.map(Property::describe).collect::<Vec<_>>().join(", ")
}

/// The class of the card, the word of the verdict, and the sentence behind it.
fn headline(answer: &Answer) -> (&'static str, &'static str, String) {
    match &answer.outcome {
        Outcome::Safe(_) if !answer.bounds.is_empty() => {
            ("safe", "safe", "no execution within the bounds noted below does any of what was checked".to_string())
        }
        Outcome::Safe(_) => ("safe", "safe", "no execution does any of what was checked".to_string()),
        Outcome::Unsafe { ending, .. } => ("unsafe", "unsafe", ending.message.clone()),
        Outcome::Condition { holds: true, condition, why, .. } => ("safe", "holds", format!("{condition}; {why}")),
        Outcome::Condition { condition, why, .. } => ("unsafe", "does not hold", format!("{condition}; {why}")),
        Outcome::Unknown(Why::Depth(depth)) => {
            ("unknown", "bounded", format!("no violation on paths of up to {depth} steps; this is no proof"))
        }
        Outcome::Unknown(_) | Outcome::Interrupted => ("unknown", "unknown", answer.reason().unwrap_or_default()),
        Outcome::Rejected if answer.is_refused() => ("unknown", "unknown", answer.reason().unwrap_or_default()),
        Outcome::Rejected | Outcome::Bug => ("unknown", "error", answer.reason().unwrap_or_default()),
    }
}

/// Why the verdict can be believed.
fn certified(answer: &Answer) -> String {
    let second = match &answer.confirmed_by {
        Some(names) if !names.is_empty() => format!("; {} came to the same answer", names.join(", ")),
        _ => String::new(),
    };
    match &answer.outcome {
        Outcome::Unsafe { .. } if answer.graph.is_some() => format!(
            "each thread was run again, alone, on the reference interpreter with what it reads below, and the axioms of {} were evaluated on the graph of what \
             all of them do{second}",
            answer.model
        ),
        Outcome::Unsafe { .. } => {
            format!(
                "the execution below was run again, step by step, on the reference interpreter, and ends as it is told here{second}"
            )
        }
        Outcome::Safe(proof) => format!("{}{second}", describe(proof)),
        _ => String::new(),
    }
}

/// What a proof says, part by part and place by place.
pub(super) fn proof(answer: &Answer, proven: &[Invariant]) -> String {
    let Outcome::Safe(proof) = &answer.outcome else { return String::new() };
    let mut out = String::from("<section id=\"proof\"><h2>The proof</h2>\n<ul>\n");
    match proof {
        Proof::Parts(parts) => {
            for (properties, proof) in parts {
                let of = list(&mut properties.iter());
                let _ = writeln!(out, "<li>no {}: {}</li>", escape(&of), escape(&describe(proof)));
            }
        }
        proof => {
            let _ = writeln!(out, "<li>{}</li>", escape(&describe(proof)));
        }
    }
    out.push_str("</ul>\n");
    if proven.is_empty() {
        out.push_str(
            "<p>This kind of proof has no invariants that could be shown at lines of the program.</p></section>\n",
        );
        return out;
    }
    let all = certificates(proof).iter().all(|certificate| is_complete(certificate));
    out.push_str(if all {
        "<p>Whenever a thread is at one of these places, one of the formulas beside it holds.</p>\n"
    } else {
        "<p>Whenever a thread is at one of these places, one of the formulas beside it holds, in all interleavings but those that the proof leaves out because they cannot end otherwise.</p>\n"
    });
    out.push_str("<table class=\"invariants\"><tr><th>place</th><th>function</th><th>holds</th></tr>\n");
    for invariant in proven {
        let kind = if invariant.is_loop { " (loop)" } else { "" };
        let cases: Vec<String> =
            invariant.cases.iter().take(8).map(|case| format!("<code>{}</code>", escape(case))).collect();
        let more = invariant.cases.len().saturating_sub(8);
        let more = if more > 0 { format!("<br>or one of {more} more") } else { String::new() };
        let _ = writeln!(
            out,
            "<tr><td>{}{kind}</td><td>{}</td><td>{}{more}</td></tr>",
            quoted(&answer.sources, invariant.span),
            escape(&invariant.function),
            cases.join("<br>or ")
        );
    }
    out.push_str("</table></section>\n");
    out
}

/// Where nobody knows the answer: what was explored, and what to try.
pub(super) fn explored(answer: &Answer) -> String {
    let mut out = String::new();
    if !answer.reached.is_empty() {
        out.push_str("<section id=\"explored\"><h2>What was explored</h2>\n<table><tr><th>engine</th><th>came as far as</th><th>gave up because</th></tr>\n");
        for reached in &answer.reached {
            let far = if reached.reached.is_empty() { "had just begun" } else { &reached.reached };
            let why = reached.reason.as_deref().unwrap_or("–");
            let _ = writeln!(
                out,
                "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
                escape(&reached.engine),
                escape(&printable(far)),
                escape(&printable(why))
            );
        }
        out.push_str("</table></section>\n");
    }
    if !answer.next.is_empty() {
        out.push_str("<section id=\"next\"><h2>What may help</h2>\n");
        for next in &answer.next {
            let _ = writeln!(out, "<pre>{}</pre>", escape(&printable(next)));
        }
        out.push_str("</section>\n");
    }
    if let Some((span, note)) = answer.reason_place() {
        let note = note.map(|note| format!("<p>{}</p>", escape(&printable(note)))).unwrap_or_default();
        let _ = writeln!(out, "<section id=\"reason\"><h2>Where</h2>{}{note}</section>", quoted(&answer.sources, span));
    }
    let problems: Vec<String> = answer
        .diagnostics
        .iter()
        .take(50)
        .map(|found| {
            let place = quoted(&answer.sources, found.span);
            format!("<li>{} {place}</li>", escape(&printable(&found.to_string())))
        })
        .collect();
    if !problems.is_empty() {
        let _ =
            writeln!(out, "<section id=\"input\"><h2>About the input</h2><ul>{}</ul></section>", problems.join("\n"));
    }
    out
}

/// Times and what was counted.
pub(super) fn numbers(answer: &Answer) -> String {
    if answer.timings.is_empty() && answer.statistics.is_empty() {
        return String::new();
    }
    let mut out = String::from("<details id=\"numbers\"><summary>Figures</summary>\n<table>\n");
    for (phase, seconds) in &answer.timings {
        let _ = writeln!(out, "<tr><td>{}</td><td>{seconds:.3} s</td></tr>", escape(phase));
    }
    for (name, value) in &answer.statistics {
        let digits = if value.fract() == 0.0 || *value >= 100.0 { 0 } else { 2 };
        let _ = writeln!(out, "<tr><td>{}</td><td>{value:.digits$}</td></tr>", escape(name));
    }
    out.push_str("</table></details>\n");
    out
}
