//! What has happened, in three sentences? What goes wrong and where; whose steps came between; in which order the threads ran.
//!
//! The sentences are read off the rows that are told anyway (`Story`), so they cannot say what the lanes do not show. Where an update is lost or a value is old, the second sentence
//! names the read, the write of somebody else that came after it, and what was done with the old value. They describe this execution; whether others go wrong, too, they do not say.

use crate::story::{Detail, Effect, Ending, Role, Row, Story};
use ir::{Property, Sources, Span};

/// How many changes of threads are named.
const MOST_NAMED: usize = 9;
/// How many inputs are named.
const MOST_INPUTS: usize = 6;

/// The execution in at most three sentences.
pub fn explain(sources: &Sources, story: &Story, ending: &Ending) -> Vec<String> {
    let teller = Teller { sources, story };
    let mut sentences = match ending.property {
        Property::Race => teller.race(ending),
        Property::Deadlock => teller.deadlock(ending),
        _ => teller.failure(ending),
    };
    sentences.truncate(2);
    sentences.push(teller.order());
    sentences
}

struct Teller<'a> {
    sources: &'a Sources,
    story: &'a Story,
}

/// An effect with the row it is part of.
type Told<'a> = (&'a Row, &'a Effect);

impl Teller<'_> {
    fn thread(&self, thread: usize) -> String {
        self.story.threads.get(thread).cloned().unwrap_or_else(|| format!("T{thread}"))
    }

    /// `line 12`, with the file where the execution is in several.
    fn place(&self, span: Span) -> String {
        let mut files = self.story.rows.iter().map(|row| row.span).filter(|span| span.is_known()).map(|span| span.file);
        let is_one = files.all(|file| file == span.file);
        match span.is_known() {
            true if is_one => format!("line {}", span.line),
            true => format!("{}:{}", self.sources.path(span), span.line),
            false => "an unknown place".to_string(),
        }
    }

    fn at(&self, row: &Row) -> String {
        format!("at {} (step {})", self.place(row.span), row.step)
    }

    fn effects(&self) -> impl DoubleEndedIterator<Item = Told<'_>> {
        self.story.rows.iter().flat_map(|row| row.effects.iter().map(move |effect| (row, effect)))
    }

    fn race(&self, ending: &Ending) -> Vec<String> {
        let accesses: Vec<(&Detail, &str, &str, &[String])> = ending.details.iter().filter_map(access).collect();
        let [one, other] = accesses.as_slice() else { return self.failure(ending) };
        let side = |(detail, verb, _, locks): &(&Detail, &str, &str, &[String])| {
            let holding =
                if locks.is_empty() { "holding no lock".to_string() } else { format!("holding {}", locks.join(", ")) };
            let who = detail.thread.map_or_else(|| "somebody".to_string(), |thread| self.thread(thread));
            (format!("{who} {verb}"), format!("at {}, {holding}", self.place(detail.span)))
        };
        let ((first, here), (second, there)) = (side(one), side(other));
        let what = format!("{first} `{}` {here}, and {second} it {there}.", other.2);
        let common: Vec<&String> = one.3.iter().filter(|lock| other.3.contains(lock)).collect();
        let why = match common.as_slice() {
            [] => {
                "They hold no lock in common, and neither the start or end of a thread nor an atomic access puts one before the other."
            }
            _ => {
                "The lock that both hold does not exclude them (a lock for reading lets others in), and nothing else puts one before the other."
            }
        };
        vec![what, why.to_string()]
    }

    fn deadlock(&self, ending: &Ending) -> Vec<String> {
        let waits: Vec<String> = ending.details.iter().filter_map(|detail| self.wait(detail)).collect();
        if waits.is_empty() {
            return self.failure(ending);
        }
        let next =
            if waits.len() == 1 { "Nobody is left who could let it go on." } else { "So none of them can ever go on." };
        vec![format!("{}.", waits.join("; ")), next.to_string()]
    }

    fn wait(&self, detail: &Detail) -> Option<String> {
        let Role::Waits { on, by, locks } = &detail.role else { return None };
        let who = detail.thread.map_or_else(|| "somebody".to_string(), |thread| self.thread(thread));
        let holds = if locks.is_empty() { String::new() } else { format!(" holds {} and", locks.join(", ")) };
        let others: Vec<String> = by.iter().map(|thread| self.thread(*thread)).collect();
        let for_what = match (on, others.is_empty()) {
            (Some(name), true) => name.clone(),
            (Some(name), false) => format!("{name}, which {} holds", others.join(" and ")),
            (None, _) => format!("the end of {}", others.join(" and ")),
        };
        Some(format!("{who}{holds} waits at {} for {for_what}", self.place(detail.span)))
    }

    /// Anything that one thread does wrong.
    fn failure(&self, ending: &Ending) -> Vec<String> {
        let who = ending.thread.map(|thread| self.thread(thread));
        let place = self.place(ending.span);
        let head = match &who {
            Some(who) => format!("In {who}, {place}: {}", ending.message),
            None => format!("At {place}: {}", ending.message),
        };
        if let Some(sentence) = self.lifetime(ending) {
            return vec![format!("{head}."), sentence];
        }
        let seen = ending.thread.and_then(|thread| self.last_read(thread));
        let Some((row, Effect::Read { name, value, written_at })) = seen else {
            return std::iter::once(format!("{head}.")).chain(self.details(ending)).collect();
        };
        let head = format!(
            "{head}, where {name} = {value} {}.",
            if row.span.line == ending.span.line { "was read" } else { "had been read before" }
        );
        let second = self.lost_update(name).or_else(|| self.between(row, name, *written_at));
        std::iter::once(head).chain(second).collect()
    }

    fn details(&self, ending: &Ending) -> Option<String> {
        let detail = ending.details.first()?;
        let who = detail.thread.map_or_else(String::new, |thread| format!("{} ", self.thread(thread)));
        Some(format!("{who}{} ({}).", detail.message, self.place(detail.span)))
    }

    /// The use of an object that somebody has ended.
    fn lifetime(&self, ending: &Ending) -> Option<String> {
        let [_, freed] = ending.details.as_slice() else { return None };
        let is_freed = matches!(ending.property, Property::Deref | Property::Free) && freed.message.contains("freed");
        let (by, user) = (freed.thread.filter(|_| is_freed)?, ending.thread?);
        let place = self.place(freed.span);
        Some(match by == user {
            true => format!("The same thread had freed it at {place}."),
            false => format!(
                "{} had freed it at {place}, while {} still went on to use it.",
                self.thread(by),
                self.thread(user)
            ),
        })
    }

    /// What the thread that goes wrong read last.
    fn last_read(&self, thread: usize) -> Option<Told<'_>> {
        let is_read = |(row, effect): &Told<'_>| row.thread == thread && matches!(effect, Effect::Read { .. });
        self.effects().rfind(is_read)
    }

    /// A write over a value that somebody else has written after it was read: `n = n + 1` in two threads.
    fn lost_update(&self, name: &str) -> Option<String> {
        let about: Vec<Told<'_>> = self.effects().filter(|(_, effect)| is_about(effect, name)).collect();
        let writes = about.iter().enumerate().rev().filter(|(_, (_, effect))| matches!(effect, Effect::Write { .. }));
        for (at, (over, _)) in writes {
            let before = &about[..at];
            let read = before.iter().rposition(|(row, _)| row.thread == over.thread);
            let Some((read, Effect::Read { value: old, .. })) = read.map(|read| (read, about[read].1)) else {
                continue;
            };
            let other = before[read + 1..]
                .iter()
                .find(|(row, effect)| row.thread != over.thread && matches!(effect, Effect::Write { .. }));
            if let Some((between, Effect::Write { new, .. })) = other {
                let (this, that) = (self.thread(over.thread), self.thread(between.thread));
                return Some(format!(
                    "{this} read `{name}` = {old} {} before {that}'s write of {new} {}, and then wrote over it {}.",
                    self.at(about[read].0),
                    self.at(between),
                    self.at(over)
                ));
            }
        }
        None
    }

    /// Whose value it is, and what the thread knew of it before.
    fn between(&self, row: &Row, name: &str, written_at: Option<usize>) -> Option<String> {
        let Some(writer) = written_at.and_then(|step| self.story.rows.iter().find(|row| row.step == step)) else {
            return Some(format!("Nobody has written `{name}` before: this is its first value."));
        };
        let (this, that) = (self.thread(row.thread), self.thread(writer.thread));
        if writer.thread == row.thread {
            return Some(format!("{this} itself wrote that value {}.", self.at(writer)));
        }
        let earlier = self
            .effects()
            .rfind(|(other, effect)| other.thread == row.thread && other.step < writer.step && is_about(effect, name));
        Some(match earlier {
            Some((earlier, Effect::Read { value, .. })) => {
                format!(
                    "{that} wrote it {}, after {this} had read `{name}` = {value} {}.",
                    self.at(writer),
                    self.at(earlier)
                )
            }
            Some((earlier, _)) => {
                format!("{that} wrote it {}, after {this} had written it {}.", self.at(writer), self.at(earlier))
            }
            None => format!("{that} wrote it {}.", self.at(writer)),
        })
    }

    /// Who ran after whom, and with which inputs.
    fn order(&self) -> String {
        let mut runs: Vec<usize> = self.story.rows.iter().map(|row| row.thread).collect();
        runs.dedup();
        let inputs: Vec<String> = self
            .effects()
            .filter_map(|(row, effect)| match effect {
                Effect::Input { value } => Some(format!("{value} at {}", self.place(row.span))),
                _ => None,
            })
            .collect();
        let names: Vec<String> = runs.iter().take(MOST_NAMED).map(|thread| self.thread(*thread)).collect();
        let more = if runs.len() > MOST_NAMED { ", ..." } else { "" };
        let order = match runs.len() {
            0 => "Nothing runs before.".to_string(),
            1 => format!("Only {} runs", names[0]),
            n => format!("Threads change {} time{}: {}{more}", n - 1, if n == 2 { "" } else { "s" }, names.join(", ")),
        };
        let order = order.trim_end_matches('.').to_string();
        match inputs.len() {
            0 => format!("{order}."),
            n => {
                let more = if n > MOST_INPUTS { format!(" and {} more", n - MOST_INPUTS) } else { String::new() };
                format!("{order}; the inputs are {}{more}.", inputs[..n.min(MOST_INPUTS)].join(", "))
            }
        }
    }
}

fn access(detail: &Detail) -> Option<(&Detail, &str, &str, &[String])> {
    match &detail.role {
        Role::Access { name, verb, locks } => Some((detail, *verb, name.as_str(), locks.as_slice())),
        _ => None,
    }
}

fn is_about(effect: &Effect, wanted: &str) -> bool {
    match effect {
        Effect::Read { name, .. } | Effect::Write { name, .. } => name == wanted,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(step: usize, thread: usize, line: u32, effects: Vec<Effect>) -> Row {
        let span = Span { file: ir::FileId(0), line, column: 1, end_column: 2 };
        Row { step, thread, span, source: String::new(), effects }
    }

    fn read(name: &str, value: &str, written_at: Option<usize>) -> Effect {
        Effect::Read { name: name.into(), value: value.into(), written_at }
    }

    fn write(name: &str, old: &str, new: &str) -> Effect {
        Effect::Write { name: name.into(), old: Some(old.into()), new: new.into() }
    }

    fn told(rows: Vec<Row>, ending: Ending) -> Vec<String> {
        let mut sources = Sources::default();
        sources.file("a.c");
        let threads = ["main", "T1 add", "T2 add"].map(str::to_string).to_vec();
        explain(&sources, &Story { threads, rows }, &ending)
    }

    fn ending(property: Property, message: &str, thread: Option<usize>, line: u32, details: Vec<Detail>) -> Ending {
        let span = row(0, 0, line, Vec::new()).span;
        Ending { property, message: message.into(), span, thread, details }
    }

    fn detail(thread: usize, line: u32, message: &str, role: Role) -> Detail {
        let span = row(0, 0, line, Vec::new()).span;
        Detail { thread: Some(thread), message: message.into(), span, calls: Vec::new(), role }
    }

    #[test]
    fn a_lost_update_names_both_sides() {
        let rows = vec![
            row(1, 0, 10, vec![Effect::Start { thread: "T1 add".into() }]),
            row(2, 1, 4, vec![read("n", "0", None)]),
            row(3, 2, 4, vec![read("n", "0", None), write("n", "0", "1")]),
            row(4, 1, 4, vec![write("n", "1", "1")]),
            row(5, 0, 14, vec![read("n", "1", Some(4))]),
        ];
        let sentences = told(rows, ending(Property::Assertion, "assertion failed: n == 2", Some(0), 14, Vec::new()));
        assert_eq!(
            sentences,
            [
                "In main, line 14: assertion failed: n == 2, where n = 1 was read.",
                "T1 add read `n` = 0 at line 4 (step 2) before T2 add's write of 1 at line 4 (step 3), and then wrote over it at line 4 (step 4).",
                "Threads change 4 times: main, T1 add, T2 add, T1 add, main.",
            ]
        );
    }

    #[test]
    fn a_race_names_the_missing_order() {
        let side = |verb| Role::Access { name: "n".into(), verb, locks: Vec::new() };
        let details = vec![detail(1, 4, "", side("writes")), detail(2, 7, "", side("reads"))];
        let sentences = told(vec![row(1, 1, 4, Vec::new())], ending(Property::Race, "data race", Some(2), 7, details));
        assert_eq!(
            sentences[0],
            "T1 add writes `n` at line 4, holding no lock, and T2 add reads it at line 7, holding no lock."
        );
        assert!(sentences[1].starts_with("They hold no lock in common"), "{sentences:?}");
        assert_eq!(sentences[2], "Only T1 add runs.");
    }

    #[test]
    fn a_deadlock_names_who_holds_what() {
        let waits =
            |on: &str, by, lock: &str| Role::Waits { on: Some(on.into()), by: vec![by], locks: vec![lock.into()] };
        let details = vec![detail(1, 4, "", waits("b", 2, "a")), detail(2, 7, "", waits("a", 1, "b"))];
        let sentences = told(Vec::new(), ending(Property::Deadlock, "deadlock", None, 4, details));
        assert_eq!(
            sentences[0],
            "T1 add holds a and waits at line 4 for b, which T2 add holds; T2 add holds b and waits at line 7 for a, which T1 add holds."
        );
    }

    #[test]
    fn a_use_after_free_names_who_freed() {
        let details = vec![detail(1, 4, "uses it", Role::Told), detail(2, 7, "has freed it before", Role::Told)];
        let input = vec![Effect::Input { value: "3".into() }];
        let rows = vec![row(1, 2, 7, input), row(2, 1, 4, Vec::new())];
        let sentences = told(rows, ending(Property::Deref, "access to freed node", Some(1), 4, details));
        assert_eq!(sentences[1], "T2 add had freed it at line 7, while T1 add still went on to use it.");
        assert_eq!(sentences[2], "Threads change 1 time: T2 add, T1 add; the inputs are 3 at line 7.");
    }
}
