//! What to try when the answer is unknown? The command line that was typed, with what may help added to it.

use ir::{Property, Why};
use report::{Answer, Outcome};
use std::time::Duration;

/// Commands that may know more, the most promising one first.
pub(crate) fn commands(answer: &Answer) -> Vec<String> {
    let typed: Vec<String> = std::env::args().skip(1).collect();
    if typed.first().is_none_or(|word| word != "verify") {
        return Vec::new();
    }
    let Outcome::Unknown(why) = &answer.outcome else { return Vec::new() };
    changes(why, answer).iter().map(|change| with(&typed, change)).collect()
}

/// What was typed, with other values for these options.
pub(crate) fn again(options: &[(&'static str, String)]) -> String {
    with(&std::env::args().skip(1).collect::<Vec<_>>(), options)
}

/// Options that may help, each with its value.
fn changes(why: &Why, answer: &Answer) -> Vec<Vec<(&'static str, String)>> {
    let is_c = answer.engine.starts_with("portfolio");
    let reach = answer.properties.has(Property::Race) && answer.properties.iter().count() > 1;
    let mut changes = Vec::new();
    match why {
        Why::TimeLimit(limit) => {
            if is_c && reach {
                changes.push(vec![("--property", "race".to_string())]);
            }
            changes.push(vec![("--time-limit", longer(*limit))]);
        }
        Why::MemoryLimit(bytes) => {
            let gigabytes = (bytes >> 30).max(1) * 2;
            changes.push(vec![("--memory-limit", format!("{gigabytes}G"))]);
        }
        Why::LargeInput { .. } | Why::Bound(_) if !is_c => changes.push(vec![("--engine", "portfolio".to_string())]),
        _ => {}
    }
    if is_c && matches!(why, Why::TimeLimit(_) | Why::MemoryLimit(_) | Why::Bound(_)) {
        changes.push(vec![("--engine", "bmc".to_string()), ("--bmc.unwind", "1".to_string())]);
    }
    changes
}

/// Five times as long, in the largest unit that is exact.
fn longer(limit: Duration) -> String {
    let seconds = limit.as_secs().max(1) * 5;
    if seconds.is_multiple_of(60) { format!("{}m", seconds / 60) } else { format!("{seconds}s") }
}

/// What was typed, with other values for these options.
fn with(typed: &[String], options: &[(&'static str, String)]) -> String {
    let mut words = vec!["ravel".to_string()];
    let mut typed = typed.iter();
    while let Some(word) = typed.next() {
        let is_replaced = |(name, _): &(&str, String)| word == name || word.starts_with(&format!("{name}="));
        if options.iter().any(is_replaced) {
            if !word.contains('=') {
                typed.next();
            }
            continue;
        }
        words.push(quoted(word));
    }
    let added = options.iter().flat_map(|(name, value)| [name.to_string(), value.clone()]);
    words.splice(2..2, added);
    words.join(" ")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_string).collect()
    }

    #[test]
    fn what_was_typed_is_kept() {
        let longer = [("--time-limit", "5m".to_string())];
        let typed = words("verify --time-limit 60s a.c --json");
        assert_eq!(with(&typed, &longer), "ravel verify --time-limit 5m a.c --json");
        assert_eq!(with(&words("verify --time-limit=60s a.c"), &longer), "ravel verify --time-limit 5m a.c");
        assert_eq!(with(&["verify".into(), "a b.c".into()], &[]), "ravel verify 'a b.c'");
    }

    #[test]
    fn limits_grow() {
        assert_eq!(longer(Duration::from_secs(60)), "5m");
        assert_eq!(longer(Duration::from_millis(500)), "5s");
    }
}
