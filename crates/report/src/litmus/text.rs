//! herd's text form of an answer.

use std::fmt::Write;

use super::chart;
use super::told::{Graph, Told};

/// The answer as herd prints it.
pub fn text(told: &Told) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "Test {} {}", told.name, told.kind);
    let _ = writeln!(text, "States {}", told.states.len());
    for (state, _, _) in &told.states {
        let _ = writeln!(text, "{state}");
    }
    let word = match told.holds {
        Some(true) => "Ok",
        Some(false) => "No",
        None => "Unknown",
    };
    let _ = writeln!(text, "{word}");
    let _ = writeln!(text, "Witnesses");
    let _ = writeln!(text, "Positive: {} Negative: {}", told.n_positive, told.n_negative);
    for flag in &told.flags {
        let _ = writeln!(text, "Flag {flag}");
    }
    if told.is_undefined {
        let _ = writeln!(text, "Undef");
    }
    for note in &told.notes {
        let _ = writeln!(text, "Warning: {note}");
    }
    let _ = writeln!(text, "Condition {}", told.condition);
    let word = match (told.n_positive, told.n_negative) {
        (0, _) | (_, 0) if told.is_bounded => "Unknown",
        (0, _) => "Never",
        (_, 0) => "Always",
        _ => "Sometimes",
    };
    let _ = writeln!(text, "Observation {} {word} {} {}", told.name, told.n_positive, told.n_negative);
    let _ = writeln!(text, "Time {} {:.2}", told.name, told.seconds);
    if let Some(hash) = &told.hash {
        let _ = writeln!(text, "Hash={hash}");
    }
    text.push('\n');
    text
}

/// An execution: events by thread, each with a letter, then who reads from whom and how writes are ordered.
pub fn execution(graph: &Graph) -> String {
    let mut text = format!("  {}\n", graph.state);
    let letter = |event: usize| match u8::try_from(event) {
        Ok(small) if small < 26 => char::from(b'a' + small).to_string(),
        _ => format!("e{event}"),
    };
    for (index, (thread, label)) in graph.events.iter().enumerate() {
        let who = thread.map_or("start".to_string(), |thread| format!("P{thread}"));
        let _ = writeln!(text, "  {who:>5}  {}: {label}", letter(index));
    }
    for name in ["rf", "co", "fr"] {
        let pairs: Vec<String> =
            graph.thinned(name).iter().map(|(from, to)| format!("{} -> {}", letter(*from), letter(*to))).collect();
        if !pairs.is_empty() {
            let _ = writeln!(text, "  {name:>5}  {}", pairs.join(", "));
        }
    }
    let lost: Vec<String> = chart::messages(graph)
        .iter()
        .filter(|message| message.to.is_none())
        .map(|message| letter(message.from))
        .collect();
    if !lost.is_empty() {
        let _ = writeln!(text, "  {:>5}  {}", "lost", lost.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_the_one_that_comparison_tools_read() {
        let told = Told {
            name: "SB".to_string(),
            kind: "Allowed".to_string(),
            condition: "exists (0:EAX=0 /\\ 1:EAX=0)".to_string(),
            holds: Some(true),
            states: vec![("0:EAX=0; 1:EAX=0;".to_string(), 1, true), ("0:EAX=0; 1:EAX=1;".to_string(), 1, false)],
            n_positive: 1,
            n_negative: 1,
            seconds: 0.004,
            ..Told::default()
        };
        let expected = "Test SB Allowed\nStates 2\n0:EAX=0; 1:EAX=0;\n0:EAX=0; 1:EAX=1;\nOk\nWitnesses\nPositive: 1 Negative: 1\n\
                        Condition exists (0:EAX=0 /\\ 1:EAX=0)\nObservation SB Sometimes 1 1\nTime SB 0.00\n\n";
        assert_eq!(text(&told), expected);
    }
}
